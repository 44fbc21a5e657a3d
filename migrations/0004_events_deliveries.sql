-- What happened to a job, and what its caller is told of it.

create table events (
    id bigint generated always as identity primary key,
    job_id uuid not null references jobs (id),
    type text not null,
    data jsonb not null default '{}',
    created_at timestamptz not null default now()
);

create index events_job on events (job_id, id);

-- Exactly one terminal event a job (I6).
create unique index events_terminal on events (job_id)
where type in ('generation.succeeded', 'generation.failed', 'generation.cancelled');

create table deliveries (
    -- Job id and event name, and the endpoint's id where it is an endpoint's (A37): the receiver's `webhook-id`, the
    -- same on every try.
    id text primary key check (id ~ '^[A-Za-z0-9_-]+$'),
    client_id uuid not null references clients (id),
    -- Null where the event is no job's: a test, news of an endpoint.
    job_id uuid references jobs (id),
    -- Whose URL, headers and secrets it goes with (`endpoints`, which never loses a row); null for a `callback_url`.
    endpoint_id uuid,
    event_type text not null,
    url text not null,
    -- The exact bytes that are signed and sent (A38).
    payload text not null check (octet_length(payload) < 20000),
    -- The trace that the event belongs to (domain::trace::Trace).
    trace jsonb,

    status text not null default 'pending' check (status in ('pending', 'delivered', 'dead')),
    tries integer not null default 0 check (tries >= 0),
    next_attempt_at timestamptz not null default now(),
    -- When the sweeper last put it on the queue, so that a backlog there is not multiplied.
    enqueued_at timestamptz,
    -- A consumer's lease: while it runs, nobody else posts.
    claimed_until timestamptz,
    claim bigint not null default 0,
    last_status integer,
    last_error text,
    delivered_at timestamptz,
    created_at timestamptz not null default now(),

    check ((status = 'delivered') = (delivered_at is not null))
);

-- The sweeper's question: which deliveries are due?
create index deliveries_due on deliveries (next_attempt_at) where status = 'pending';
create index deliveries_job on deliveries (job_id);
-- An operator's question: what is dead, newest first?
create index deliveries_dead on deliveries (created_at) where status = 'dead';
-- The same of all of them, to send a range of time again.
create index deliveries_created on deliveries (created_at);
-- What is still kept of what a client's receivers were told (0013_retention.sql).
create index deliveries_payload_kept on deliveries (client_id, created_at) where payload <> '';
