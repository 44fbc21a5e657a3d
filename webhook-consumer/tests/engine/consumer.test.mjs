// What the deployed consumer does to real receivers, by a clock that the test holds: `cargo xtask test --part engine`.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { BATCH, DEAD_QUEUE, QUEUE, Stand, until } from "./stand.mjs";

let stand;
let client;

// Not `before`: it would start them for a filter that leaves no test, and `after` would not end them.
beforeEach(async () => {
  if (stand) return;
  stand = await Stand.start();
  client = await stand.client();
});
after(() => stand?.stop());

const limits = { timeout: 600_000 };
const HOUR = 3_600_000;
/** From one try to the next, in seconds (`domain::timing`). */
const SCHEDULE = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

const seconds = (told) => Math.min(...told.filter((one) => one !== "ack").map((one) => one.delaySeconds));

/**
 * Plays the queue for one delivery until it is over, and shows every message twice at once: a queue may repeat itself.
 * Returns when each try began and ended.
 */
async function toItsEnd(delivery) {
  const tries = [];
  for (let attempts = 1, claim = 0; ; attempts++) {
    const began = stand.now();
    const twice = [stand.message(delivery, attempts), stand.message(delivery, attempts)];
    const told = await Promise.all(twice.map(async (one) => (await stand.deliver([one]))[one.id]));
    const row = await stand.row(delivery);
    if (row.claim > claim) tries.push({ began, ended: stand.now() });
    assert.ok(row.claim - claim <= 1, "two messages, one post");
    claim = Number(row.claim);
    if (row.status !== "pending") return tries;
    // One that comes too early posts nothing and comes back.
    await stand.leap(seconds(told) * 1000);
  }
}

/** That the tries came when the schedule, or the receiver, said so. */
function keepsTime(tries, asked = 0) {
  for (const [index, { began }] of tries.slice(1).entries()) {
    const [least, most] = [0.8, 1.2].map((share) => Math.max(SCHEDULE[index] * share, asked) * 1000);
    const { began: before, ended } = tries[index];
    assert.ok(began - before >= least - 500, `try ${index + 2} came ${began - before} ms after the one before it`);
    // Messages come in whole seconds; the rest is what this machine takes.
    assert.ok(began - ended <= most + 3000, `try ${index + 2} came ${began - ended} ms after the one before it`);
  }
}

const all = (status) => Array(SCHEDULE.length + 1).fill(status);
const HABITS = {
  "500 three times, then 200": { script: { statuses: [500, 500, 500, 200] }, tries: [500, 500, 500, 200] },
  "hangs": { script: { hang: true }, tries: all(null) },
  "resets": { script: { reset: true }, tries: all(null) },
  "resets in the middle of its 200": { script: { reset_mid_response: true }, tries: [200] },
  "resets in the middle of its 500": { script: { statuses: [500, 200], reset_mid_response: true }, tries: [500, 200] },
  "redirects to a private host": { redirects: true, tries: all(302) },
  "is gone": { script: { statuses: [410] }, tries: [410] },
  "is busy for an hour": { script: { statuses: [429, 200], retry_after: "3600" }, tries: [429, 200], asked: 3600 },
  "has a slow body": { script: { body_bytes: 1000, slow_body_bytes_per_s: 100 }, tries: [200] },
  "answers with a megabyte": { script: { body_bytes: 1_000_000 }, tries: [200], kept: 16_384 },
};

for (const [habit, { script, redirects, tries, asked, kept }] of Object.entries(HABITS)) {
  test(`a38 a receiver that ${habit} gets ${tries.length} tries`, limits, async () => {
    const hook = habit.replaceAll(/\W+/g, "-");
    const elsewhere = `behind-${hook}`;
    await stand.script(hook, redirects ? { redirect_to: stand.hook(elsewhere) } : script);
    const delivery = await stand.due(client, hook);
    keepsTime(await toItsEnd(delivery), asked);

    const recorded = await stand.tries(delivery);
    assert.deepEqual(recorded.map(({ status }) => status), tries);
    const last = tries.at(-1);
    assert.equal((await stand.row(delivery)).status, last >= 200 && last < 300 ? "delivered" : "dead");
    const { deliveries, max_in_flight } = await stand.received(hook);
    assert.equal(deliveries.length, tries.length);
    assert.deepEqual(max_in_flight, { [delivery]: 1 });
    assert.equal(new Set(deliveries.map(({ body }) => body)).size, 1, "the same bytes on every try");
    if (kept) assert.equal(recorded[0].response.length, kept);
    assert.equal((await stand.received(elsewhere)).deliveries.length, 0, "redirects are not followed");
  });
}

/** Brings a delivery's post to its receiver and does `strike` before the receiver has answered. */
async function struck(hook, delivery, strike) {
  await stand.script(hook, { delay_ms: 1500 });
  const message = stand.message(delivery);
  const told = stand.deliver([message]).then((answer) => answer[message.id], () => "lost");
  await stand.reached(hook, 1);
  await strike();
  return told;
}

/** That the receiver gets the event again when the lease is over, and nobody thinks the first try delivered it. */
async function comesAgain(hook, delivery) {
  assert.deepEqual(await stand.tries(delivery), [], "nobody lived to record it");
  const early = stand.message(delivery, 2);
  const told = (await stand.deliver([early]))[early.id];
  assert.ok(told.delaySeconds > 30, "the lease stands");
  assert.equal((await stand.received(hook)).deliveries.length, 1);
  await stand.leap(told.delaySeconds * 1000);
  const due = stand.message(delivery, 3);
  assert.equal((await stand.deliver([due]))[due.id], "ack");
  const { deliveries } = await stand.received(hook);
  assert.deepEqual(deliveries.map(({ webhook_id }) => webhook_id), [delivery, delivery]);
  // A claim without a record is a lost try: `store::deliveries::Delivery::duplicates` counts it.
  const row = await stand.row(delivery);
  assert.deepEqual([row.status, Number(row.claim), row.tries], ["delivered", 2, 2]);
  assert.deepEqual((await stand.tries(delivery)).map(({ claim }) => Number(claim)), [2]);
}

test("i10 a39 a consumer killed between its post and its record delivers again under the same id", limits, async () => {
  const delivery = await stand.due(client, "killed");
  assert.equal(await struck("killed", delivery, () => stand.kill()), "lost");
  await stand.open();
  await comesAgain("killed", delivery);
});

test("i10 a39 a database that goes away between the post and the record loses nothing", limits, async () => {
  const delivery = await stand.due(client, "cut");
  const told = await struck("cut", delivery, () => stand.database("refuse"));
  assert.ok(told.delaySeconds >= 1, "the message comes back");
  await stand.database("pass");
  await comesAgain("cut", delivery);
});

/** Numbers from 0 to 1 that are the same in every run. */
function* numbers(seed) {
  for (let state = seed; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield state / 2 ** 31;
  }
}

test("a37 i10 lost, repeated and reordered messages: each delivery is made once", limits, async () => {
  const random = numbers(7);
  const chance = () => random.next().value;
  const ids = new Map();
  for (let number = 0; number < 48; number++) {
    const hook = `unruly-${number}`;
    await stand.script(hook, { statuses: [500, 200] });
    ids.set(await stand.due(client, hook), hook);
  }
  const open = async () => (await stand.swept()).filter((id) => ids.has(id));
  let rounds = 0;
  // The first hour's messages are all lost; then the sweeper sends new ones whenever the queue has nothing left.
  for (await stand.leap(HOUR); (await open()).length > 0; await stand.leap(HOUR)) {
    for (let queue = await open(); queue.length > 0; rounds++) {
      const kept = queue.filter(() => chance() > 0.3);
      const sent = kept.flatMap((id) => (chance() < 0.3 ? [id, id, id] : [id])).sort(() => chance() - 0.5);
      const messages = sent.map((id) => stand.message(id));
      const batches = [];
      while (messages.length > 0) batches.push(messages.splice(0, BATCH));
      const told = Object.assign({}, ...(await Promise.all(batches.map((batch) => stand.deliver(batch)))));
      assert.equal(Object.keys(told).length, sent.length, "every message is settled");
      const pending = await open();
      queue = pending.filter((id) => kept.includes(id));
    }
  }
  assert.ok(rounds > 2, `${rounds} rounds`);
  for (const [id, hook] of ids) {
    assert.equal((await stand.row(id)).status, "delivered");
    const { deliveries, max_in_flight } = await stand.received(hook);
    assert.deepEqual([deliveries.length, max_in_flight[id]], [2, 1], hook);
  }
});

test("a38 the dead-letter queue ends in Postgres, word for word, and what is due is sent again", limits, async () => {
  const delivery = await stand.due(client, "dead-letter");
  const dead = stand.message(delivery, 101);
  const poison = { ...stand.message("", 101), body: { delivery: ["?"], "ü": null } };
  await stand.database("refuse");
  for (const told of Object.values(await stand.deliver([dead, poison], DEAD_QUEUE))) {
    assert.ok(told.delaySeconds >= 1, "kept by its queue while the database is away");
  }
  await stand.database("pass");
  for (let time = 0; time < 2; time++) {
    const told = await stand.deliver([dead, poison], DEAD_QUEUE);
    assert.deepEqual(told, { [dead.id]: "ack", [poison.id]: "ack" });
  }
  const kept = await stand.rows("select id, delivery_id, body from dead_messages order by delivery_id nulls last");
  assert.deepEqual(kept.map(({ id, delivery_id, body }) => [id, delivery_id, JSON.parse(body)]), [
    [dead.id, delivery, dead.body],
    [poison.id, null, poison.body],
  ]);
  assert.ok((await stand.swept()).includes(delivery));
  const [good, bad] = [stand.message(delivery), { ...poison, attempts: 1 }];
  assert.deepEqual(await stand.deliver([bad, good]), { [good.id]: "ack", [bad.id]: "ack" });
  assert.equal((await stand.row(delivery)).status, "delivered", "a poisoned message holds nobody up");
});

test("a38 what runs out of the real queue's retries it moves to the other, and that ends in Postgres", limits, async () => {
  const delivery = await stand.due(client, "given-up");
  await stand.database("refuse");
  const before = (await stand.shown()).length;
  await stand.send({ delivery });
  const shown = async () => (await stand.shown()).slice(before);
  await until(async () => (await shown()).some(({ queue }) => queue === DEAD_QUEUE));
  const [first, ...others] = await shown();
  const { id } = first;
  assert.deepEqual([first, ...others.slice(0, 2)], [
    { queue: QUEUE, id, attempts: 1 },
    { queue: QUEUE, id, attempts: 2 },
    { queue: DEAD_QUEUE, id, attempts: 1 },
  ]);
  await stand.database("pass");
  const kept = () => stand.rows("select delivery_id, body from dead_messages where id = $1", id);
  await until(async () => (await kept()).length > 0);
  assert.deepEqual(await kept(), [{ delivery_id: delivery, body: JSON.stringify({ delivery }) }]);
  assert.equal((await stand.received("given-up")).deliveries.length, 0);
  // The delivery is none the worse for it: the sweeper's message makes it.
  assert.ok((await stand.swept()).includes(delivery));
  await stand.send({ delivery });
  await stand.reached("given-up", 1);
  await until(async () => (await stand.row(delivery)).status === "delivered");
});

test("b12 an endpoint that is busy is left alone for a while, and the others are not", limits, async () => {
  const [busy, idle] = [await stand.endpoint(client, "busy-lane"), await stand.endpoint(client, "idle-lane")];
  for (const status of [429, 502, 504]) {
    await stand.script("busy-lane", { statuses: [status, 200] });
    const before = (await stand.received("busy-lane")).deliveries.length;
    const [first, second] = [await stand.due(client, "busy-lane", busy), await stand.due(client, "busy-lane", busy)];
    const other = await stand.due(client, "idle-lane", idle);
    await stand.deliver([stand.message(first)]);
    const [held, free] = [stand.message(second), stand.message(other)];
    const told = await stand.deliver([held, free]);
    assert.equal(told[free.id], "ack");
    assert.ok(told[held.id].delaySeconds > 5 && told[held.id].delaySeconds <= 10, JSON.stringify(told));
    assert.equal((await stand.received("busy-lane")).deliveries.length, before + 1);
    await stand.leap(told[held.id].delaySeconds * 1000);
    assert.deepEqual(await stand.deliver([held]), { [held.id]: "ack" });
    // The next status begins with a pause that is over.
    await stand.leap(HOUR);
  }
});

test("b12 five days of nothing but failures disable an endpoint, and its client is told", limits, async () => {
  const owner = await stand.client();
  const failing = await stand.endpoint(owner, "failing");
  await stand.endpoint(owner, "watching", ["endpoint.disabled"]);
  await stand.script("failing", { statuses: [500] });
  const disabled = async () => (await stand.rows("select * from endpoints where id = $1", failing))[0].disabled_reason;
  let hours = 0;
  for (; (await disabled()) === null; hours += 6) {
    await stand.deliver([stand.message(await stand.due(owner, "failing", failing))]);
    await stand.leap(6 * HOUR);
  }
  assert.deepEqual([await disabled(), hours], ["failing", 126], "the first failure, and then 120 hours");
  const news = await stand.rows("select id from deliveries where event_type = 'endpoint.disabled' and client_id = $1", owner);
  assert.equal(news.length, 1);
  const message = stand.message(news[0].id);
  assert.deepEqual(await stand.deliver([message]), { [message.id]: "ack" });
  const { deliveries } = await stand.received("watching");
  const { type, data } = JSON.parse(deliveries[0].body);
  assert.deepEqual([type, data.id, data.reason], ["endpoint.disabled", failing, "failing"]);
});

/** How many deliveries the next test makes; `AFC_DELIVERIES=10000` is the whole. */
const DELIVERIES = Number(process.env.AFC_DELIVERIES ?? 600);
/** Invocations beside each other, as the platform makes more while a queue has a backlog. */
const INVOCATIONS = Math.min(30, DELIVERIES / 60);

test(`a36 b12 of ${DELIVERIES} deliveries a tenth goes to receivers that hang, the others wait for none`, limits, async () => {
  const endpoints = [];
  for (let number = 0; number < 20; number++) {
    const hook = `crowd-${number}`;
    const hangs = number % 10 === 0;
    if (hangs) await stand.script(hook, { hang: true });
    endpoints.push({ hook, hangs, id: await stand.endpoint(client, hook) });
  }
  await stand.rows(
    `insert into deliveries (id, client_id, endpoint_id, event_type, url, payload)
    select 'crowd_' || n, $1, ($2::uuid[])[1 + n % 20], 'generation.succeeded', ($3::text[])[1 + n % 20], '{}'
    from generate_series(0, $4::integer - 1) n`,
    client,
    endpoints.map(({ id }) => id),
    endpoints.map(({ hook }) => stand.hook(hook)),
    DELIVERIES,
  );
  const hangs = (id) => endpoints[Number(id.split("_")[1]) % 20].hangs;
  const random = numbers(11);
  const queue = Array.from({ length: DELIVERIES }, (_, number) => ({ id: `crowd_${number}`, order: random.next().value }))
    .sort((one, other) => one.order - other.order)
    .map(({ id }) => stand.message(id));
  const good = new Set(queue.map(({ body }) => body.delivery).filter((id) => !hangs(id)));
  assert.equal(good.size, DELIVERIES * 0.9);
  const mixed = [];
  const invocation = async () => {
    // Retries wait behind what is new: all of them ask for a second or more.
    while (good.size > 0 && queue.length > 0) {
      const batch = queue.splice(0, BATCH);
      const told = await stand.deliver(batch);
      for (const { id, body } of batch) if (told[id] === "ack") good.delete(body.delivery);
      queue.push(...batch.filter(({ id }) => told[id] !== "ack").map((one) => ({ ...one, attempts: one.attempts + 1 })));
      // A first try that failed asks for about five seconds; one that found no free lane, for one.
      const hung = batch.filter(({ id, attempts, body }) => hangs(body.delivery) && attempts === 1 && told[id].delaySeconds > 1);
      const others = batch.filter(({ id, body }) => !hangs(body.delivery) && told[id] === "ack");
      mixed.push([hung, others].map((some) => some.map(({ body }) => body.delivery)));
    }
  };
  await Promise.all(Array.from({ length: INVOCATIONS }, invocation));

  assert.equal(good.size, 0, "every other delivery is made");
  const rows = await stand.rows("select id, status from deliveries where id like 'crowd_%'");
  for (const { id, status } of rows) assert.deepEqual([id, status], [id, hangs(id) ? "pending" : "delivered"]);
  const posts = await Promise.all(endpoints.map(({ hook }) => stand.received(hook)));
  for (const [index, { deliveries, max_in_flight }] of posts.entries()) {
    const arrived = new Set(deliveries.map(({ webhook_id }) => webhook_id));
    if (!endpoints[index].hangs) assert.equal(arrived.size, DELIVERIES / 20);
    assert.ok(Object.values(max_in_flight).every((count) => count === 1));
  }
  // Beside one that hung, in one batch: the others were done before it was given up.
  const done = new Map();
  const tries = await stand.rows(
    "select delivery_id, status, finished_at from delivery_tries where delivery_id like 'crowd_%' order by claim",
  );
  for (const { delivery_id, status, finished_at } of tries) {
    const key = `${delivery_id} ${status}`;
    if (!done.has(key)) done.set(key, finished_at.getTime());
  }
  let compared = 0;
  for (const [hung, others] of mixed.filter(([hung]) => hung.length > 0)) {
    const givenUp = Math.max(...hung.map((id) => done.get(`${id} null`)));
    for (const id of others) {
      compared++;
      assert.ok(done.get(`${id} 200`) <= givenUp, `${id} waited for one that hangs`);
    }
  }
  assert.ok(compared > DELIVERIES / 20, `${compared} compared`);
});
