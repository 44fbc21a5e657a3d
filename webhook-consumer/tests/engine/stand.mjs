// The consumer with everything real around it but the queue: workerd, Postgres behind a pooler and a proxy that breaks it,
// a receiver on a socket. The test plays the queue and holds the clock.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { unstable_startWorker } from "wrangler";

export const QUEUE = "afc-webhooks";
export const DEAD_QUEUE = "afc-webhooks-dead";
/** Messages of a batch, as `max_batch_size` in ../../wrangler.toml. */
export const BATCH = 6;

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** A part of testkit; it ends with our hold on its input. Returns what it announces. */
async function testkit(parts, ...args) {
  const program = process.env.AFC_TESTKIT;
  if (!program) throw new Error("AFC_TESTKIT is not set: run these tests with `cargo xtask test --part engine`");
  const child = spawn(program, [...args, "--exit-with-stdin"], { stdio: ["pipe", "pipe", "ignore"] });
  parts.push(child);
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  throw new Error(`testkit ${args[0]} ended before it was ready`);
}

const post = async (url, body) => {
  const answer = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
};

/** Waits until it holds. */
export async function until(holds) {
  while (!(await holds())) await new Promise((go) => setTimeout(go, 20));
}

export class Stand {
  #parts = [];
  #shifted = 0;
  #counter = 0;

  static async start() {
    const stand = new Stand();
    stand.data = await mkdtemp(join(tmpdir(), "afc-consumer-"));
    const [postgres, receiver] = await Promise.all([
      testkit(stand.#parts, "postgres", "--data", join(stand.data, "postgres")),
      testkit(stand.#parts, "receiver"),
    ]);
    stand.receiver = receiver.url;
    stand.db = new pg.Client({ connectionString: postgres.url });
    await stand.db.connect();
    const migrations = here("../../../migrations/");
    for (const name of (await readdir(migrations)).filter((name) => name.endsWith(".sql")).sort()) {
      await stand.db.query(await readFile(join(migrations, name), "utf8"));
    }
    const pooled = new URL(postgres.pooled_url);
    const proxy = await testkit(stand.#parts, "proxy", "--to", pooled.host);
    stand.control = proxy.control;
    pooled.host = proxy.listen;
    process.env.CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_DB = pooled.href;
    await stand.open();
    return stand;
  }

  /** Starts workerd. */
  async open() {
    // Not wrangler's test harness: it would post through Node, which follows redirects and keeps what was aborted.
    this.workerd = await unstable_startWorker({
      config: here("./wrangler.toml"),
      dev: {
        server: { hostname: "127.0.0.1", port: 0 },
        inspector: false,
        watch: false,
        persist: false,
        logLevel: "none",
      },
    });
    await this.workerd.ready;
    this.door = await this.workerd.url;
  }

  /** Ends workerd and whatever runs in it, at once. */
  async kill() {
    await this.workerd.dispose();
  }

  async stop() {
    await this.kill();
    await this.db.end();
    const ended = this.#parts.map((part) => new Promise((done) => part.once("exit", done)));
    for (const part of this.#parts) part.stdin.end();
    await Promise.all(ended);
    await rm(this.data, { recursive: true, force: true });
  }

  /** What the proxy in front of the database does. */
  database = (mode) => post(`${this.control}/_proxy/mode`, { mode });

  // The receiver.

  hook = (name) => `${this.receiver}/hooks/${name}`;
  script = (name, behaviour) => post(`${this.receiver}/_receiver/script`, { name, behaviour });

  /** What reached a hook. */
  async received(name) {
    const answer = await fetch(`${this.receiver}/_receiver/deliveries?name=${name}`);
    return answer.json();
  }

  /** Waits until that many posts have reached a hook. */
  reached = (name, count) => until(async () => (await this.received(name)).deliveries.length >= count);

  // Rows.

  rows = async (sql, ...values) => (await this.db.query(sql, values)).rows;

  async client() {
    const id = randomUUID();
    await this.rows("insert into clients (id, name, webhook_secrets) values ($1, 'tests', $2)", id, [SECRET]);
    return id;
  }

  async endpoint(client, hook, events = null) {
    const id = randomUUID();
    await this.rows(
      "insert into endpoints (id, client_id, url, event_types) values ($1, $2, $3, $4)",
      id,
      client,
      this.hook(hook),
      events,
    );
    await this.rows("insert into endpoint_secrets (endpoint_id, secret) values ($1, $2)", id, SECRET);
    return id;
  }

  /** A delivery that is due now; its id. */
  async due(client, hook, endpoint = null) {
    const id = `delivery-${++this.#counter}`;
    await this.rows(
      `insert into deliveries (id, client_id, endpoint_id, event_type, url, payload)
      values ($1, $2, $3, 'generation.succeeded', $4, '{"exact": true}')`,
      id,
      client,
      endpoint,
      this.hook(hook),
    );
    return id;
  }

  async row(delivery) {
    return (await this.rows("select * from deliveries where id = $1", delivery))[0];
  }

  /** What was recorded of its tries, in order; a claim that nobody recorded is missing. */
  tries = (delivery) => this.rows("select * from delivery_tries where delivery_id = $1 order by claim", delivery);

  /** What the sweeper would put on the queue: the rule is the store's and tested there (`store::sweep`). */
  async swept() {
    const due = await this.rows(
      `select id from deliveries where status = 'pending' and next_attempt_at <= now()
        and (claimed_until is null or claimed_until <= now())`,
    );
    return due.map(({ id }) => id);
  }

  // The clock: time passes as fast as it does, and in leaps that the test makes.

  now = () => Date.now() + this.#shifted;

  /** Lets time pass: every moment that the consumer compares with its clock is so much nearer, or longer ago. */
  async leap(ms) {
    this.#shifted += ms;
    const back = (columns) => columns.map((column) => `${column} = ${column} - $1 * interval '1 millisecond'`).join(", ");
    await this.rows(`update deliveries set ${back(["next_attempt_at", "claimed_until"])}`, ms);
    await this.rows(`update endpoints set ${back(["failing_since", "paused_until", "next_post_at"])}`, ms);
  }

  // The queue.

  #ask = async (body) => {
    const answer = await fetch(this.door, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`the consumer threw: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };

  /** Puts a body on the real queue. */
  send = (body) => this.#ask({ send: body });

  /** What the real queues have handed out, in order: `{queue, id, attempts}`. */
  shown = () => this.#ask({});

  /** Hands a batch over; says of each message `"ack"` or `{delaySeconds}`. */
  deliver = (messages, queue = QUEUE) => this.#ask({ queue, messages });

  /** A message for a delivery, as the api-worker sends it. */
  message = (delivery, attempts = 1) => ({ id: `message-${++this.#counter}`, attempts, body: { delivery } });
}
