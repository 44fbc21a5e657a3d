/**
 * A thin client of AFC's API. What it does about retries is said at {@link Client}.
 *
 * @module
 */

export { Client, type Created, type Options } from "./client.ts";
export { ForeignAnswer, NotEnded, ProblemError, Unanswered, Unreadable } from "./errors.ts";
export { type Policy, usual } from "./retry.ts";
export type * from "./types.ts";
