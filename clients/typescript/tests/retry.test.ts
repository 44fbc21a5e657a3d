import assert from "node:assert/strict";
import { test } from "node:test";
import { type How, nextWait, retryAfter, usual } from "../src/retry.ts";

const answered = (status: number, retryAfterMs?: number): How => ({ kind: "answered", status, retryAfterMs });
const [unanswered, unconnected]: How[] = [{ kind: "unanswered" }, { kind: "unconnected" }];

test("only what may pass is tried again", () => {
  const again = (how: How) => nextWait(usual, how, "freely", 1, 0) !== undefined;
  for (const status of [429, 502, 503, 504]) assert.ok(again(answered(status)), String(status));
  for (const status of [302, 400, 401, 402, 403, 404, 408, 409, 412, 413, 422, 500, 501]) {
    assert.ok(!again(answered(status)), String(status));
  }
  assert.ok(again(unanswered!) && again(unconnected!));
});

test("what makes something new each time is repeated only if nothing was made", () => {
  const again = (how: How) => nextWait(usual, how, "unless-acted", 1, 0) !== undefined;
  assert.ok(again(unconnected!) && again(answered(429)));
  assert.ok(!again(unanswered!));
  for (const status of [502, 503, 504]) assert.ok(!again(answered(status)), String(status));
});

test("waits double up to the longest and spread over their upper half", () => {
  const patient = { ...usual, totalMs: Infinity };
  const wait = (tries: number, draw: (most: number) => number) =>
    nextWait(patient, unanswered!, "freely", tries, 0, draw);
  assert.deepEqual([1, 2, 3, 6, 7, 5000].map((tries) => wait(tries, () => 0)), [250, 500, 1000, 8000, 10_000, 10_000]);
  assert.deepEqual([1, 2, 5000].map((tries) => wait(tries, (most) => most)), [500, 1000, 20_000]);
});

test("Retry-After is waited for and never cut short", () => {
  const wait = (ms: number, spent: number) => nextWait(usual, answered(503, ms), "freely", 1, spent, () => 100);
  assert.equal(wait(40_000, 0), 40_100);
  assert.equal(wait(0, 0), 100);
  assert.equal(wait(120_000, 0), undefined);
  assert.equal(wait(40_000, 80_000), undefined);
});

test("Retry-After is seconds or a date", () => {
  const now = Date.parse("2015-10-21T07:27:50Z");
  assert.equal(retryAfter("7", now), 7000);
  assert.equal(retryAfter("Wed, 21 Oct 2015 07:28:00 GMT", now), 10_000);
  assert.equal(retryAfter("Wed, 21 Oct 2015 07:20:00 GMT", now), 0);
  for (const none of [null, "soon", "-1", ""]) assert.equal(retryAfter(none, now), undefined);
});
