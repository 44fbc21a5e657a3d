/** What a call sends when its answers do not come, over real sockets. */

import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { Client, type GenerationRequest, ProblemError, Unanswered } from "../src/index.ts";

type Seen = { method: string; url: string; headers: IncomingMessage["headers"]; body: string };
type Step = (answer: ServerResponse) => void;

const ID = "0198c0de-0000-7000-8000-000000000001";
const wish: GenerationRequest = {
  kind: "video",
  input: { prompt: "p" },
  chain: [{ provider: "fal", model: "fal-ai/veo3.1" }],
};

async function all<T>(from: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of from) found.push(one);
  return found;
}

/** A server that does these steps, one a request, and keeps what it was asked. */
async function server(t: TestContext, steps: Step[]): Promise<{ afc: Client; seen: Seen[] }> {
  const seen: Seen[] = [];
  const http = createServer(async (request, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers } = request;
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    steps.shift()?.(answer);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    http.closeAllConnections();
    http.close();
  });
  const policy = { totalMs: 20_000, perTryMs: 5000, firstWaitMs: 2, longestWaitMs: 4 };
  const { port } = http.address() as AddressInfo;
  return { afc: new Client({ baseUrl: `http://127.0.0.1:${port}`, key: "afc_key", policy }), seen };
}

const silence: Step = (answer) => answer.socket?.destroy();
const broken = (status: number, headers: Record<string, string>, part: string): Step => (answer) => {
  answer.writeHead(status, { ...headers, "content-length": part.length * 2 });
  answer.write(part, () => answer.socket?.destroy());
};
const says = (status: number, body: unknown, headers: Record<string, string> = {}): Step => (answer) =>
  void answer.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
const problem = (status: number, code: string, headers: Record<string, string> = {}): Step =>
  says(status, { type: `/errors/${code}`, title: "T", status, code, detail: "D", request_id: "r-1" }, headers);

test("every try has the generated key and the body of the first", async (t) => {
  const { afc, seen } = await server(t, [
    silence,
    broken(201, {}, '{"id":'),
    problem(503, "DATABASE_UNAVAILABLE", { "retry-after": "0" }),
    problem(504, "DATABASE_TIMEOUT", { "retry-after": "0" }),
    says(502, "<html>"),
    says(202, { id: ID, status: "queued" }, { "idempotent-replayed": "true" }),
  ]);
  const made = await afc.createGeneration(wish);
  assert.deepEqual([made.value.id, made.replayed], [ID, true]);
  assert.equal(seen.length, 6);
  for (const request of seen) {
    assert.equal(request.headers["idempotency-key"], made.idempotencyKey);
    assert.deepEqual(JSON.parse(request.body), wish);
  }
});

test("other refusals are told at once with their code and request", async (t) => {
  const refusals: [number, string][] = [
    [409, "IDEMPOTENCY_CONFLICT"],
    [402, "BUDGET_EXCEEDED"],
    [422, "INPUT_INVALID"],
    [500, "INTERNAL"],
  ];
  for (const [status, code] of refusals) {
    const { afc, seen } = await server(t, [problem(status, code)]);
    await assert.rejects(afc.createGeneration(wish, "k"), (error) => {
      assert.ok(error instanceof ProblemError);
      assert.deepEqual([error.status, error.code, error.requestId], [status, code, "r-1"]);
      return true;
    });
    assert.equal(seen.length, 1);
  }
});

test("a Retry-After that does not fit is told and not waited for", async (t) => {
  const { afc, seen } = await server(t, [problem(429, "RATE_LIMITED", { "retry-after": "60" })]);
  await assert.rejects(afc.createGeneration(wish), { retryAfterMs: 60_000 });
  assert.equal(seen.length, 1);
});

test("a call that makes something new each time is not repeated blindly", async (t) => {
  const { afc, seen } = await server(t, [silence]);
  await assert.rejects(afc.rotateSecret(ID), Unanswered);
  assert.equal(seen.length, 1);
});

test("what a lost try deleted is deleted", async (t) => {
  const lost = await server(t, [silence, problem(404, "NOT_FOUND")]);
  await lost.afc.deleteInput(ID);
  const never = await server(t, [problem(404, "NOT_FOUND")]);
  await assert.rejects(never.afc.deleteInput(ID), ProblemError);
});

test("a download goes on where it stopped", async (t) => {
  const { afc, seen } = await server(t, [
    broken(200, { etag: '"e"' }, "01234"),
    says(206, "56789", { etag: '"e"', "content-range": "bytes 5-9/10" }),
  ]);
  assert.equal(Buffer.concat(await all(afc.download(ID))).toString(), "0123456789");
  assert.deepEqual([seen[1]?.headers.range, seen[1]?.headers["if-range"]], ["bytes=5-", '"e"']);
});

test("pages follow each other by their cursors", async (t) => {
  const page = (next: string | null) => says(200, { object: "list", data: [{ id: ID }], next_cursor: next });
  const { afc, seen } = await server(t, [page("c 1"), page(null)]);
  const found = await all(afc.generations({ project: "film 7", metadata: { shot: "42" } }));
  assert.equal(found.length, 2);
  assert.deepEqual(seen.map(({ url }) => url), [
    "/v1/generations?project=film+7&metadata%5Bshot%5D=42",
    "/v1/generations?project=film+7&metadata%5Bshot%5D=42&cursor=c+1",
  ]);
});

test("a caller that aborts is not kept waiting", async (t) => {
  const { seen } = await server(t, []);
  const signal = AbortSignal.timeout(50);
  const afc = new Client({ baseUrl: "http://127.0.0.1:1", key: "k", signal });
  await assert.rejects(afc.generation(ID), { name: "TimeoutError" });
  assert.equal(seen.length, 0);
});
