// A receiver of AFC's webhooks: verify, dedupe, act. Needs the package `standardwebhooks`.

import { Webhook } from "standardwebhooks";

/** 204 after acting on it; 204 without acting; 400: not from AFC, changed on its way, or too old. */
export type Answer = "new" | "duplicate" | "refused";

/**
 * `body` is the request's body as text, before any parser; `remember` keeps an id and says whether it is new: an insert
 * with `on conflict do nothing`, in the transaction that acts on the event.
 */
export function receive(
  secret: string,
  headers: Record<string, string>,
  body: string,
  remember: (id: string) => boolean,
): Answer {
  try {
    new Webhook(secret).verify(body, headers);
  } catch {
    return "refused";
  }
  return remember(headers["webhook-id"]) ? "new" : "duplicate";
}
