"""A receiver of AFC's webhooks: verify, dedupe, act. Needs the package `standardwebhooks`."""

from collections.abc import Callable, Mapping

from standardwebhooks import Webhook, WebhookVerificationError


def receive(secret: str, headers: Mapping[str, str], body: bytes, remember: Callable[[str], bool]) -> str:
    """Answers "new" (204 after acting on it), "duplicate" (204 without acting) or "refused" (400: not from AFC, changed
    on its way, or too old).

    `body` is the request's body byte for byte, before any parser; `remember` keeps an id and says whether it is new: an
    insert with `on conflict do nothing`, in the transaction that acts on the event.
    """
    try:
        Webhook(secret).verify(body, dict(headers))
    except (WebhookVerificationError, ValueError):
        return "refused"
    return "new" if remember(headers["webhook-id"]) else "duplicate"
