import type { Generation, Problem } from "./types.ts";

/** The API refused; `problem.code` says why, and its page (`/errors/CODE`) what to do. */
export class ProblemError extends Error {
  readonly problem: Problem;
  /** When to send the same again, if the API said so. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: Problem, retryAfterMs: number | undefined) {
    const fields = (problem.errors ?? []).map(({ pointer, detail }) => `; ${pointer}: ${detail}`).join("");
    super(`${problem.status} ${problem.code}: ${problem.detail}${fields} (request ${problem.request_id})`);
    this.name = "ProblemError";
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }

  get code(): Problem["code"] {
    return this.problem.code;
  }

  get status(): number {
    return this.problem.status;
  }

  /** Say it when you ask about the request. */
  get requestId(): string | undefined {
    return this.problem.request_id;
  }
}

/** An answer that is not the API's: a gateway's in front of it, or another server's. */
export class ForeignAnswer extends Error {
  readonly status: number;
  readonly requestId: string | undefined;

  constructor(status: number, requestId: string | undefined, beginning: string) {
    super(`${status} without a problem that the API would send: ${beginning}`);
    this.name = "ForeignAnswer";
    this.status = status;
    this.requestId = requestId;
  }
}

/** No answer in `tries` tries. Whether the call took effect is open: make it again with the same key. */
export class Unanswered extends Error {
  readonly tries: number;
  /** The key that the tries had, a generated one too. */
  readonly idempotencyKey: string | undefined;

  constructor(tries: number, idempotencyKey: string | undefined, cause: unknown) {
    super(`no answer in ${tries} ${tries === 1 ? "try" : "tries"}`, { cause });
    this.name = "Unanswered";
    this.tries = tries;
    this.idempotencyKey = idempotencyKey;
  }
}

/** A success that does not read as one. */
export class Unreadable extends Error {
  readonly requestId: string | undefined;

  constructor(requestId: string | undefined, cause: unknown) {
    super("the answer does not read back", { cause });
    this.name = "Unreadable";
    this.requestId = requestId;
  }
}

/** The generation had not ended when the wait did; `generation` is how it stood then. */
export class NotEnded extends Error {
  readonly generation: Generation;

  constructor(generation: Generation) {
    super(`generation ${generation.id} is still ${generation.status}`);
    this.name = "NotEnded";
    this.generation = generation;
  }
}
