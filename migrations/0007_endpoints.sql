-- Where a client wants its events, besides the `callback_url` of a job (B12).

create table endpoints (
    id uuid primary key,
    client_id uuid not null references clients (id),
    url text not null,
    description text not null default '',
    -- Null is every event.
    event_types text [],
    -- Sent with every post, beside the ones of Standard Webhooks.
    headers jsonb not null default '{}',
    -- Posts a second; null is as fast as they come.
    rate_limit integer check (rate_limit between 1 and 1000),

    -- Why nothing is sent; null while it is enabled.
    disabled_reason text check (disabled_reason in ('client', 'gone', 'failing')),
    disabled_at timestamptz,
    -- The first of the failures that no success has followed; enabling it again counts from zero.
    failing_since timestamptz,
    -- The receiver asked for room (429, 502, 504): no post before.
    paused_until timestamptz,
    -- With a rate limit: no post before.
    next_post_at timestamptz not null default now(),

    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    -- The row stays: its deliveries tell of it.
    deleted_at timestamptz,

    check ((disabled_reason is null) = (disabled_at is null))
);

-- One URL is one endpoint of a client: a repeated registration finds it, and no event comes twice.
create unique index endpoints_url on endpoints (client_id, url) where deleted_at is null;

create table endpoint_secrets (
    id bigint generated always as identity primary key,
    endpoint_id uuid not null references endpoints (id),
    -- "whsec_…", or "whsk_…" of a key pair (ed25519): signing needs both in clear.
    secret text not null,
    -- "whpk_…" of a key pair, for its client to verify with; null for a shared secret.
    public_key text,
    created_at timestamptz not null default now(),
    -- A secret that was rotated out signs until then; null is the current one.
    expires_at timestamptz,

    check ((public_key is not null) = starts_with(secret, 'whsk_'))
);

create index endpoint_secrets_endpoint on endpoint_secrets (endpoint_id, id);

-- What happened to an endpoint, for its client and for operators.
create table endpoint_changes (
    id bigint generated always as identity primary key,
    endpoint_id uuid not null references endpoints (id),
    change text not null check (change in (
        'created', 'updated', 'secret_rotated', 'key_rotated', 'keys_ended', 'enabled', 'disabled', 'slowed', 'deleted'
    )),
    reason text,
    created_at timestamptz not null default now()
);

create index endpoint_changes_endpoint on endpoint_changes (endpoint_id, id);

-- Messages that ran out of the queue's retries, word for word. The delivery's own row says what happens next (A38).
create table dead_messages (
    id text primary key,
    -- Null when the body names none.
    delivery_id text,
    body text not null,
    received_at timestamptz not null default now()
);
