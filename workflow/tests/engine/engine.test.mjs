// The loop against wrangler's own engine: `node --test workflow/tests/engine/*.test.mjs` with Node 22.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createTestHarness } from "wrangler";

const server = createTestHarness({
  root: fileURLToPath(new URL(".", import.meta.url)),
  workers: [{ configPath: "./wrangler.toml" }, { configPath: "./folding.toml" }],
});
let workflow;
let folding;

// Not `before`: it would start the engine for a filter that leaves no test, and `after` would not end it.
beforeEach(async () => {
  if (workflow) return;
  await server.listen();
  workflow = (await server.getWorker("engine").getEnv()).SCRIPTED;
  folding = (await server.getWorker("folding").getEnv()).SCRIPTED;
});
after(() => (workflow ? server.close() : undefined));

const limits = { timeout: 20_000 };
const FINAL = ["complete", "errored", "terminated"];

const perform = (name, activity, config = {}) => ({
  op: "do",
  name,
  config: { retries: { limit: 0, delay: 1, backoff: "constant" }, timeout: 60_000, ...config },
  activity: { key: name, ...activity },
});
const retries = (limit) => ({ retries: { limit, delay: 1, backoff: "constant" } });
const ok = (value) => ({ outcome: { ok: value } });
const err = (name, message) => ({ outcome: { err: { name, message } } });

const start = (id, ...plan) => workflow.create({ id, params: { plan } });
const performed = async (key) => (await server.fetch(`/?key=${encodeURIComponent(key)}`)).json();

/** Waits until the instance is in one of the statuses. */
async function reached(id, statuses, of = workflow) {
  for (;;) {
    const instance = await of.get(id);
    const told = await instance.status();
    if (statuses.includes(told.status)) return told;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Waits until the activity has been performed that often. */
async function wasPerformed(key, times) {
  while ((await performed(key)) < times) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function ended(id, of = workflow) {
  const { status, error, output } = await reached(id, FINAL, of);
  return { status, error, output };
}

async function historyOf(id, ...plan) {
  await start(id, ...plan);
  const { status, output } = await ended(id);
  assert.equal(status, "complete");
  return output.history;
}

test("the event reaches the logic, and what it returns is the output", limits, async () => {
  await workflow.create({ id: "event", params: { plan: [], n: 1 } });
  const { output } = await ended("event");
  assert.deepEqual(output.history, []);
  assert.deepEqual(output.event.payload, { plan: [], n: 1 });
  assert.equal(output.event.instanceId, "event");
  assert.match(output.event.timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

test("each kind of step is recorded under its name", limits, async () => {
  const history = await historyOf(
    "kinds",
    perform("a", ok({ n: [1, null] })),
    { op: "sleep", name: "b", ms: 1 },
    perform("c", ok(null)),
  );
  assert.deepEqual(history, [
    { op: "do", name: "a", ok: { n: [1, null] } },
    { op: "sleep", name: "b", ok: null },
    { op: "do", name: "c", ok: null },
  ]);
});

test("a failing step is retried to its limit, and its last failure is recorded by name", limits, async () => {
  const failing = perform("failing", err("ShyError", "not yet: later"), retries(2));
  assert.deepEqual(await historyOf("limit", failing), [
    { op: "do", name: "failing", err: { name: "ShyError", message: "not yet: later" } },
  ]);
  assert.equal(await performed("failing"), 3);
});

test("the attempt is counted for the activity", limits, async () => {
  const shy = perform("shy", { until: 2, ...err("ShyError", "not yet") }, retries(5));
  assert.deepEqual(await historyOf("attempts", shy), [{ op: "do", name: "shy", ok: { attempt: 3 } }]);
});

test("a non-retryable failure stops the step at once", limits, async () => {
  const refused = perform("refused", err("NonRetryableError", "REFUSED: by policy"), retries(5));
  assert.deepEqual(await historyOf("refused", refused), [
    { op: "do", name: "refused", err: { name: "NonRetryableError", message: "REFUSED: by policy" } },
  ]);
  assert.equal(await performed("refused"), 1);
});

test("what the glue throws is an ordinary failure", limits, async () => {
  const thrown = perform("thrown", { kind: "throw", until: 1 }, retries(1));
  assert.deepEqual(await historyOf("thrown", thrown), [{ op: "do", name: "thrown", ok: { attempt: 2 } }]);
  const always = perform("always", { kind: "throw" });
  assert.deepEqual(await historyOf("always", always), [
    { op: "do", name: "always", err: { name: "RangeError", message: "thrown by the glue" } },
  ]);
});

test("an attempt that takes too long fails by name", limits, async () => {
  const [{ err: late }] = await historyOf("slow", perform("slow", { kind: "sleep", ms: 60_000 }, { timeout: 20 }));
  assert.deepEqual(late, { name: "WorkflowTimeoutError", message: "Execution timed out after 20ms" });
});

test("an event's payload is the outcome of the wait, whether it comes early or late", limits, async () => {
  const plan = [{ op: "wait", name: "w", event: "go", ms: 60_000 }, perform("after wait", ok(1))];
  const early = await start("early", perform("before wait", { kind: "sleep", ms: 100, ...ok(1) }), ...plan);
  await early.sendEvent({ type: "go", payload: { by: "ann" } });
  assert.deepEqual((await ended("early")).output.history[1], { op: "wait", name: "w", ok: { by: "ann" } });

  const late = await start("late", perform("marker", ok(1)), ...plan);
  await wasPerformed("marker", 1);
  await late.sendEvent({ type: "other", payload: "not for us" });
  await late.sendEvent({ type: "go" });
  assert.deepEqual((await ended("late")).output.history[1], { op: "wait", name: "w", ok: null });
});

test("an event that does not come is a timeout by name", limits, async () => {
  const [{ err: missed }] = await historyOf("missed", { op: "wait", name: "w", event: "go", ms: 20 });
  assert.equal(missed.name, "WorkflowTimeoutError");
});

test("a failed run carries the failure's name and message", limits, async () => {
  const failure = { name: "NonDeterministicError", message: "at position 1 the history holds …" };
  await start("failed", perform("before failure", ok(1)), { op: "fail", failure });
  assert.deepEqual(await ended("failed"), { status: "errored", error: failure, output: null });

  const refusal = { name: "NonRetryableError", message: "REFUSED" };
  await start("failed-for-good", { op: "fail", failure: refusal });
  assert.deepEqual(await ended("failed-for-good"), { status: "errored", error: refusal, output: null });
});

test("f3: an instance is created once, however often it is asked for", limits, async () => {
  const batch = (...ids) => workflow.createBatch(ids.map((id) => ({ id, params: { plan: [] } })));
  const created = async (...ids) => (await batch(...ids)).map(({ id }) => id);
  assert.deepEqual(await created("once"), ["once"]);
  assert.deepEqual(await created("once", "twice"), ["twice"]);
  assert.deepEqual(await created("once", "twice"), []);
  await assert.rejects(start("once"), /instance\.already_exists/);
  await assert.rejects(async () => workflow.get("never"), /instance\.not_found/);
});

test("a paused run stands still, goes on when resumed, and performs no step again", limits, async () => {
  const wait = { op: "wait", name: "w", event: "go", ms: 60_000 };
  const instance = await start("paused", perform("before pause", ok(1)), wait, perform("after pause", ok(2)));
  await wasPerformed("before pause", 1);
  await instance.pause();
  assert.equal((await reached("paused", ["paused", ...FINAL])).status, "paused");
  assert.equal(await performed("after pause"), 0);
  await instance.resume();
  await instance.sendEvent({ type: "go", payload: "now" });
  const { status, output } = await ended("paused");
  assert.equal(status, "complete");
  assert.deepEqual(output.history[1], { op: "wait", name: "w", ok: "now" });
  assert.deepEqual([await performed("before pause"), await performed("after pause")], [1, 1]);
});

test("a sleeping run that is paused sleeps on when resumed", limits, async () => {
  const nap = { op: "sleep", name: "nap", ms: 60_000 };
  const instance = await start("sleeper", perform("before nap", ok(1)), nap, perform("after nap", ok(2)));
  await wasPerformed("before nap", 1);
  await instance.pause();
  assert.equal((await reached("sleeper", ["paused", ...FINAL])).status, "paused");
  await instance.resume();
  assert.equal((await reached("sleeper", ["running", ...FINAL])).status, "running");
  await instance.terminate();
  assert.equal((await ended("sleeper")).status, "terminated");
  assert.equal(await performed("after nap"), 0);
});

test("a panic fails the attempts in flight at once, and their steps are retried", limits, async () => {
  const bystander = perform("bystander", { kind: "sleep", ms: 60_000, until: 1 }, retries(1));
  await start("bystander", bystander);
  await wasPerformed("bystander", 1);
  const panicking = perform("panicking", { kind: "trap", until: 2 }, retries(2));
  assert.deepEqual(await historyOf("panicking", panicking), [{ op: "do", name: "panicking", ok: { attempt: 3 } }]);
  assert.deepEqual((await ended("bystander")).output.history, [{ op: "do", name: "bystander", ok: { attempt: 2 } }]);

  const [{ err: panicked }] = await historyOf("panics", perform("panics", { kind: "trap" }, retries(1)));
  assert.deepEqual(panicked, { name: "WasmTrapError", message: "wasm trapped: unreachable" });
});

test("a panic of the body fails its run by name", limits, async () => {
  await start("body", { op: "trap" });
  assert.deepEqual(await ended("body"), {
    status: "errored",
    error: { name: "RuntimeError", message: "unreachable" },
    output: null,
  });
});

test("a failed step is not performed again when the engine starts the run over from a later one", limits, async () => {
  const refused = perform("refusing", err("NonRetryableError", "REFUSED"));
  const failed = perform("out of retries", err("ShyError", "not yet"));
  const wait = { op: "wait", name: "w", event: "go", ms: 60_000 };
  const instance = await start("over", refused, failed, wait, perform("end", ok(1)));
  await wasPerformed("out of retries", 1);
  await instance.restart({ from: { name: "w", type: "waitForEvent" } });
  // Nor does it keep the run from being paused.
  await instance.pause();
  await reached("over", ["paused"]);
  await instance.resume();
  await instance.sendEvent({ type: "go", payload: null });
  const { output } = await ended("over");
  assert.deepEqual(output.history[0].err, { name: "NonRetryableError", message: "REFUSED" });
  assert.deepEqual([await performed("refusing"), await performed("out of retries")], [1, 1]);
});

test("a name that was folded into the message is unfolded", limits, async () => {
  await folding.create({ id: "f", params: { plan: [perform("folded", err("ShyError", "not: yet"))] } });
  const { output } = await ended("f", folding);
  assert.deepEqual(output.history, [{ op: "do", name: "folded", err: { name: "ShyError", message: "not: yet" } }]);
});
