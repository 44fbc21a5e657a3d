import { ForeignAnswer, ProblemError, Unanswered, Unreadable } from "./errors.ts";
import { type How, nextWait, type Policy, type Repeat, retryAfter } from "./retry.ts";
import type { Problem } from "./types.ts";

/** A request as every try sends it. */
export interface Call {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer> | Blob;
  repeat?: Repeat;
  policy: Policy;
  fetch: typeof fetch;
  signal: AbortSignal | undefined;
}

/** A success, whole. */
export interface Answer {
  text: string;
  replayed: boolean;
  requestId: string | undefined;
}

/** A call without a success; `lost`: the answer of a try before the last did not come. */
export class Failed extends Error {
  readonly error: Error;
  readonly lost: boolean;

  constructor(error: Error, lost: boolean) {
    super(error.message);
    this.error = error;
    this.lost = lost;
  }
}

/** A try without one. */
class TryFailed extends Error {
  readonly how: How;
  readonly error: unknown;

  constructor(how: How, error: unknown) {
    super("a try failed");
    this.how = how;
    this.error = error;
  }
}

/** Makes the call, as often as its policy allows; `read` is part of each try. */
export async function send<T>(call: Call, read: (response: Response) => Promise<T>): Promise<T> {
  const begun = performance.now();
  let lost = false;
  for (let tries = 1; ; tries += 1) {
    const left = Math.max(1, call.policy.totalMs - (performance.now() - begun));
    try {
      return await once(call, Math.min(call.policy.perTryMs, left), read);
    } catch (error) {
      call.signal?.throwIfAborted();
      if (!(error instanceof TryFailed)) throw error;
      const spent = performance.now() - begun;
      const wait = nextWait(call.policy, error.how, call.repeat ?? "freely", tries, spent);
      if (wait === undefined) {
        const answered = error.how.kind === "answered" && error.error instanceof Error;
        const key = call.headers["idempotency-key"];
        throw new Failed(answered ? (error.error as Error) : new Unanswered(tries, key, error.error), lost);
      }
      lost ||= error.how.kind === "unanswered";
      await pause(wait, call.signal);
    }
  }
}

/** An answer's body; one that breaks off is an answer that did not come. */
export async function whole(response: Response): Promise<Answer> {
  const text = await response.text();
  const replayed = response.headers.get("idempotent-replayed") === "true";
  return { text, replayed, requestId: response.headers.get("x-request-id") ?? undefined };
}

export function json<T>(answer: Answer): T {
  try {
    return JSON.parse(answer.text) as T;
  } catch (error) {
    throw new Unreadable(answer.requestId, error);
  }
}

/** Resolves after so long; rejects when `signal` aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", aborted);
      resolve();
    }, ms);
    signal?.addEventListener("abort", aborted, { once: true });
  });
}

async function once<T>(call: Call, limitMs: number, read: (response: Response) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException(`nothing within ${limitMs} ms`, "TimeoutError")), limitMs);
  const signal = call.signal ? AbortSignal.any([limit.signal, call.signal]) : limit.signal;
  const { method, headers, body } = call;
  try {
    const response = await call.fetch(call.url, { method, headers, body: body ?? null, signal, redirect: "manual" });
    return response.ok ? await read(response) : await refused(response);
  } catch (error) {
    if (error instanceof TryFailed) throw error;
    throw new TryFailed({ kind: neverSent(error) ? "unconnected" : "unanswered" }, error);
  } finally {
    clearTimeout(timer);
  }
}

async function refused(response: Response): Promise<never> {
  const { status, headers } = response;
  const text = await response.text();
  const requestId = headers.get("x-request-id") ?? undefined;
  const retryAfterMs = retryAfter(headers.get("retry-after"), Date.now());
  const problem = problemIn(text);
  const error = problem
    ? new ProblemError(requestId === undefined ? problem : { request_id: requestId, ...problem }, retryAfterMs)
    : new ForeignAnswer(status, requestId, text.slice(0, 200));
  throw new TryFailed({ kind: "answered", status, retryAfterMs }, error);
}

function problemIn(text: string): Problem | undefined {
  try {
    const read = JSON.parse(text) as Partial<Problem> | null;
    return typeof read?.code === "string" && typeof read.status === "number" ? (read as Problem) : undefined;
  } catch {
    return undefined;
  }
}

/** What Node says when no connection was made; elsewhere nobody can tell. */
function neverSent(error: unknown): boolean {
  const code = ((error as Error).cause as { code?: string } | undefined)?.code ?? "";
  return ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"].includes(code);
}
