import { NotEnded, ProblemError, Unanswered } from "./errors.ts";
import { patient, type Policy, usual } from "./retry.ts";
import { type Answer, type Call, Failed, json, pause, send, whole } from "./send.ts";
import type {
  Attempt, DecisionRequest, Endpoint, EndpointChange, EndpointRequest, Estimate, Generation, GenerationFilter,
  GenerationRequest, Input, NewEndpoint, RotatedSecret, Spend, SpendQuery, StyleRun, StyleRunRequest, TestDelivery,
} from "./types.ts";

/** What a client needs to know. */
export interface Options {
  /** Scheme and host, `https://afc.example.com`. */
  baseUrl: string;
  /** A client key. */
  key: string;
  policy?: Partial<Policy>;
  /** Another `fetch`, for a proxy or for tests. */
  fetch?: typeof fetch;
  /** Ends all calls of this client when it aborts. */
  signal?: AbortSignal;
}

/** What a keyed call answered. */
export interface Created<T> {
  value: T;
  /** It had been there before this try; `value` is how it stands now. */
  replayed: boolean;
  /** The key that it was sent under, a generated one too. */
  idempotencyKey: string;
}

type Query = Record<string, string | number | undefined>;
type Page<T> = { data: T[]; next_cursor?: string | null; has_more?: boolean };

/**
 * The API under one client key.
 *
 * Retries: no answer (no connection, a timeout, an answer that was cut off), 429, 502, 503 and 504 are tried again;
 * no other status is. A try keeps everything of the one before it, the idempotency key above all, a generated one
 * too: the API makes one job of them. Between two tries lies a wait that doubles, with jitter, or what `Retry-After`
 * says, and a little jitter. `policy.totalMs` bounds all tries and waits of a call together; a wait that would pass
 * it is not begun, and the last refusal is thrown at once, with its `retryAfterMs`.
 *
 * `rotateSecret` and `testEndpoint` make something new each time: they are repeated only when the API cannot have
 * acted. A delete whose answer was lost and that finds nothing when it is repeated has deleted.
 *
 * After `Unanswered` it is open whether the call took effect: make it again with the same key.
 */
export class Client {
  readonly #base: string;
  readonly #key: string;
  readonly #policy: Policy;
  readonly #fetch: typeof fetch;
  readonly #signal: AbortSignal | undefined;

  constructor(options: Options) {
    this.#base = new URL(options.baseUrl).href.replace(/\/$/, "");
    this.#key = options.key;
    this.#policy = { ...usual, ...options.policy };
    this.#fetch = options.fetch ?? ((...request) => fetch(...request));
    this.#signal = options.signal;
  }

  /** Asks for a generation. Without a key of yours the call has one of its own; keep it from what is returned. */
  createGeneration(request: GenerationRequest, key: string = crypto.randomUUID()): Promise<Created<Generation>> {
    return this.#keyed(this.#post("/v1/generations", request), key);
  }

  /** A generation as it stands. */
  generation(id: string): Promise<Generation> {
    return this.#json(this.#get(path`/v1/generations/${id}`));
  }

  /** Waits until it has ended, one way or another; throws `NotEnded` when that takes longer than `patienceMs`. */
  async waitForGeneration(id: string, patienceMs: number): Promise<Generation> {
    const begun = performance.now();
    for (let look = 500; ; look = Math.min(look * 1.5, 10_000)) {
      const generation = await this.generation(id);
      if (["succeeded", "failed", "cancelled"].includes(generation.status)) return generation;
      const left = patienceMs - (performance.now() - begun);
      if (left <= 0) throw new NotEnded(generation);
      await pause(Math.min(look, left), this.#signal);
    }
  }

  /** Ends it unless it has ended; as it stands then. */
  cancelGeneration(id: string): Promise<Generation> {
    return this.#json(this.#post(path`/v1/generations/${id}/cancel`));
  }

  /** Your generations, newest first; pages are fetched as they are needed. */
  async *generations(filter: GenerationFilter = {}): AsyncGenerator<Generation> {
    const { metadata, ...words } = filter;
    const named = Object.entries(metadata ?? {}).map(([name, value]) => [`metadata[${name}]`, value]);
    const query: Query = { ...words, ...Object.fromEntries(named) };
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const call = this.#get("/v1/generations", { ...query, cursor });
      const page: Page<Generation> = await this.#json(call);
      yield* page.data;
      cursor = page.next_cursor ?? null;
    }
  }

  /** Its paid calls. */
  async attempts(id: string): Promise<Attempt[]> {
    return (await this.#json<Page<Attempt>>(this.#get(path`/v1/generations/${id}/attempts`))).data;
  }

  /** What it would cost; nothing is made. */
  estimate(request: GenerationRequest): Promise<Estimate> {
    return this.#json(this.#post("/v1/estimates", request));
  }

  /**
   * An output's bytes, piece by piece. When the connection breaks, it goes on where it stopped; each such part is a
   * call of its own to the policy, whose `perTryMs` is then the longest wait for a piece.
   */
  async *download(id: string, index = 0): AsyncGenerator<Uint8Array> {
    let [read, tag]: [number, string | null] = [0, null];
    for (;;) {
      const call = this.#get(path`/v1/generations/${id}/output/${String(index)}`);
      if (read > 0 && tag !== null) Object.assign(call.headers, { range: `bytes=${read}-`, "if-range": tag });
      const response = await this.#send(call, async (response) => response);
      if (read > 0 && response.status !== 206) throw new Error(`output ${index} of ${id} has changed while it was read`);
      tag = response.headers.get("etag");
      const before = read;
      try {
        for await (const piece of pieces(response, this.#policy.perTryMs)) {
          read += piece.length;
          yield piece;
        }
        return;
      } catch (error) {
        // Bytes have come: it is worth another part. Without a tag nobody knows of what it would be a part.
        if (read === before || tag === null) throw new Unanswered(1, undefined, error);
      }
    }
  }

  /** Your spend. */
  spend(query: SpendQuery = {}): Promise<Spend> {
    return this.#json(this.#get("/v1/spend", query));
  }

  /** Uploads an image or a video. The same bytes are the same input, under a key or without. */
  upload(file: Uint8Array<ArrayBuffer> | Blob, mediaType: string, key: string = crypto.randomUUID()): Promise<Created<Input>> {
    const call = this.#call("POST", "/v1/inputs");
    call.body = file;
    call.headers["content-type"] = mediaType;
    call.policy = patient(this.#policy);
    return this.#keyed(call, key);
  }

  /** An upload as it stands. */
  input(id: string): Promise<Input> {
    return this.#json(this.#get(path`/v1/inputs/${id}`));
  }

  /** Removes an upload. */
  deleteInput(id: string): Promise<void> {
    return this.#delete(path`/v1/inputs/${id}`);
  }

  /** Begins to explore a look. */
  createStyleRun(request: StyleRunRequest, key: string = crypto.randomUUID()): Promise<Created<StyleRun>> {
    return this.#keyed(this.#post("/v1/style-runs", request), key);
  }

  /** A style run as it stands. */
  styleRun(id: string): Promise<StyleRun> {
    return this.#json(this.#get(path`/v1/style-runs/${id}`));
  }

  /** Your style runs, newest first; pages are fetched as they are needed. */
  async *styleRuns(): AsyncGenerator<StyleRun> {
    for (let before: string | undefined; ; ) {
      const page: Page<StyleRun> = await this.#json(this.#get("/v1/style-runs", { before }));
      yield* page.data;
      before = page.data.at(-1)?.id;
      if (!page.has_more) return;
    }
  }

  /** Decides a round of the run as the caller saw it: at `run.version`. */
  decide(run: StyleRun, decision: DecisionRequest, key: string = crypto.randomUUID()): Promise<Created<StyleRun>> {
    const call = this.#post(path`/v1/style-runs/${run.id}/decisions`, decision);
    call.headers["if-match"] = `"${run.version}"`;
    return this.#keyed(call, key);
  }

  /** Ends a run and the generations under way. */
  cancelStyleRun(id: string): Promise<StyleRun> {
    return this.#json(this.#post(path`/v1/style-runs/${id}/cancel`));
  }

  /** Sends the events of all jobs to a URL. The same URL is the same endpoint; only who makes it sees its `secret`. */
  createEndpoint(request: EndpointRequest): Promise<NewEndpoint | Endpoint> {
    return this.#json(this.#post("/v1/webhook-endpoints", request));
  }

  /** All endpoints. */
  async endpoints(): Promise<Endpoint[]> {
    return (await this.#json<Page<Endpoint>>(this.#get("/v1/webhook-endpoints"))).data;
  }

  /** An endpoint as it stands. */
  endpoint(id: string): Promise<Endpoint> {
    return this.#json(this.#get(path`/v1/webhook-endpoints/${id}`));
  }

  /** Changes what `change` says. */
  changeEndpoint(id: string, change: EndpointChange): Promise<Endpoint> {
    return this.#json({ ...this.#post(path`/v1/webhook-endpoints/${id}`, change), method: "PATCH" });
  }

  /** Sends nothing to it any more. */
  deleteEndpoint(id: string): Promise<void> {
    return this.#delete(path`/v1/webhook-endpoints/${id}`);
  }

  /**
   * A fresh secret; the older ones sign beside it for `overlapSeconds`. Not repeated when its answer is lost: the
   * secret is lost with it, so rotate again.
   */
  rotateSecret(id: string, overlapSeconds = 86_400): Promise<RotatedSecret> {
    const call = this.#post(path`/v1/webhook-endpoints/${id}/secret/rotate`, { overlap_seconds: overlapSeconds });
    return this.#json({ ...call, repeat: "unless-acted" });
  }

  /** Sends `webhook.test` to it. Not repeated when its answer is lost. */
  testEndpoint(id: string): Promise<TestDelivery> {
    return this.#json({ ...this.#post(path`/v1/webhook-endpoints/${id}/test`), repeat: "unless-acted" });
  }

  #call(method: string, path: string, query: Query = {}): Call {
    const url = new URL(this.#base + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.append(name, String(value));
    }
    const headers = { authorization: `Bearer ${this.#key}` };
    return { method, url, headers, policy: this.#policy, fetch: this.#fetch, signal: this.#signal };
  }

  #get(path: string, query?: Query): Call {
    return this.#call("GET", path, query);
  }

  #post(path: string, body?: unknown): Call {
    const call = this.#call("POST", path);
    if (body !== undefined) {
      call.body = JSON.stringify(body);
      call.headers["content-type"] = "application/json";
    }
    return call;
  }

  async #keyed<T>(call: Call, key: string): Promise<Created<T>> {
    call.headers["idempotency-key"] = key;
    const answer = await this.#send(call, whole);
    return { value: json<T>(answer), replayed: answer.replayed, idempotencyKey: key };
  }

  async #json<T>(call: Call): Promise<T> {
    return json<T>(await this.#send<Answer>(call, whole));
  }

  async #send<T>(call: Call, read: (response: Response) => Promise<T>): Promise<T> {
    try {
      return await send(call, read);
    } catch (error) {
      throw error instanceof Failed ? error.error : error;
    }
  }

  async #delete(path: string): Promise<void> {
    try {
      await send(this.#call("DELETE", path), whole);
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      const gone = error.lost && error.error instanceof ProblemError && error.error.status === 404;
      if (!gone) throw error.error;
    }
  }
}

/** A path whose parts are escaped. */
function path(texts: TemplateStringsArray, ...parts: string[]): string {
  return texts.reduce((path, text, index) => path + encodeURIComponent(parts[index - 1] ?? "") + text);
}

/** A body piece by piece; fails when none comes for so long. */
async function* pieces(response: Response, limitMs: number): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  try {
    while (reader) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new DOMException(`nothing within ${limitMs} ms`, "TimeoutError")), limitMs);
      });
      const { done, value } = await Promise.race([reader.read(), late]).finally(() => clearTimeout(timer));
      if (done) return;
      yield value;
    }
  } finally {
    // Who stops reading early, or waited too long, wants no more of it.
    reader?.cancel().catch(() => {});
  }
}
