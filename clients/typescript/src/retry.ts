/** When a call is made again, and after which wait: decided from values alone. */

/** How long a call may take, in milliseconds. */
export interface Policy {
  /** All tries and waits of one call together. */
  totalMs: number;
  /** One try. Uploads have ten times as long, and so has their total. */
  perTryMs: number;
  /** The first wait's ceiling; it doubles with each try, up to `longestWaitMs`. */
  firstWaitMs: number;
  /** The ceiling of a wait that no `Retry-After` asks for. */
  longestWaitMs: number;
}

export const usual: Readonly<Policy> = {
  totalMs: 120_000,
  perTryMs: 30_000,
  firstWaitMs: 500,
  longestWaitMs: 20_000,
};

/** The same with more time, for what moves many bytes. */
export function patient(policy: Policy): Policy {
  return { ...policy, totalMs: policy.totalMs * 10, perTryMs: policy.perTryMs * 10 };
}

/** `freely`: the same effect twice as once. `unless-acted`: it makes something new each time. */
export type Repeat = "freely" | "unless-acted";

/** How a try failed: nothing was sent; no whole answer came; an answer that is no success. */
export type How =
  | { kind: "unconnected" }
  | { kind: "unanswered" }
  | { kind: "answered"; status: number; retryAfterMs: number | undefined };

/**
 * How long to wait before the next try, after `tries` of them in `spentMs`; undefined if there is to be no other.
 * `draw` gives a number from 0 to its argument.
 */
export function nextWait(
  policy: Policy,
  how: How,
  repeat: Repeat,
  tries: number,
  spentMs: number,
  draw: (most: number) => number = (most) => Math.random() * most,
): number | undefined {
  if (!mayRepeat(how, repeat)) return undefined;
  const asked = how.kind === "answered" ? how.retryAfterMs : undefined;
  const half = Math.min(policy.firstWaitMs * 2 ** (tries - 1), policy.longestWaitMs) / 2;
  const wait = asked === undefined ? half + draw(half) : asked + draw(policy.firstWaitMs);
  return spentMs + wait < policy.totalMs ? wait : undefined;
}

function mayRepeat(how: How, repeat: Repeat): boolean {
  if (how.kind === "unconnected") return true;
  if (how.kind === "unanswered") return repeat === "freely";
  if (how.status === 429) return true;
  return repeat === "freely" && [502, 503, 504].includes(how.status);
}

/** `Retry-After` in seconds, or as a date; in milliseconds from `now`. */
export function retryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const until = Date.parse(value);
  return Number.isNaN(until) || !/[a-z]/i.test(value) ? undefined : Math.max(0, until - now);
}
