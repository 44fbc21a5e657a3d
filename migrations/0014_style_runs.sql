-- Style runs: rounds of candidates, each judged by a person, perhaps after days (A40, A41).

create table style_runs (
    id uuid primary key,
    client_id uuid not null references clients (id),
    idempotency_key text not null check (length(idempotency_key) between 1 and 255),
    request_hash bytea not null check (octet_length(request_hash) = 32),
    hash_version smallint not null check (hash_version >= 1),

    -- The valid request (domain::style_run::Spec).
    spec jsonb not null,
    callback_url text,
    metadata jsonb not null default '{}',
    project text,
    -- The trace of the request that made it (domain::trace::Trace); its generations have the same.
    trace jsonb,

    state text not null default 'queued'
    check (
        state in (
            'queued', 'generating', 'awaiting_review', 'revising', 'approved', 'rejected', 'expired', 'cancelled',
            'failed'
        )
    ),
    -- Moves with the state and with nothing else: what `If-Match` names.
    version bigint not null default 1 check (version >= 1),
    -- Events so far; the next one's number, which names it for ever.
    told bigint not null default 0 check (told >= 0),
    round integer not null default 0,
    max_rounds integer not null check (max_rounds > 0),
    budget numeric(12, 6) check (budget > 0),

    -- Of the review under way.
    review_opened_at timestamptz,
    review_deadline_at timestamptz,
    next_reminder_at timestamptz,
    reminders integer not null default 0 check (reminders >= 0),

    error jsonb,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    finished_at timestamptz,
    -- What was asked for and said in it is gone (0013_retention.sql).
    payload_expired_at timestamptz,

    unique (client_id, idempotency_key),
    check (round between 0 and max_rounds),
    check (state = 'queued' or state in ('cancelled', 'failed') or round > 0),
    check ((state = 'awaiting_review') = (review_deadline_at is not null)),
    check ((state = 'awaiting_review') = (review_opened_at is not null)),
    check (state = 'awaiting_review' or next_reminder_at is null),
    check ((state in ('approved', 'rejected', 'expired', 'cancelled', 'failed')) = (finished_at is not null)),
    check ((state = 'failed') = (error is not null))
);

create index style_runs_client on style_runs (client_id, id);
-- The sweeper's question: which open runs has nobody touched for a while?
create index style_runs_open on style_runs (updated_at)
where state in ('queued', 'generating', 'awaiting_review', 'revising');

create index style_runs_payload_kept on style_runs (client_id, finished_at)
where payload_expired_at is null and finished_at is not null;

create table style_candidates (
    run_id uuid not null references style_runs (id),
    round integer not null check (round > 0),
    index integer not null check (index >= 0),
    -- Minted with the row, before the generation exists: a repeated step makes no second one.
    job_id uuid not null unique,
    -- The generation's request body, as every repeat sends it.
    request jsonb not null,
    approved boolean not null default false,
    primary key (run_id, round, index)
);

create table style_decisions (
    id uuid primary key,
    run_id uuid not null references style_runs (id),
    round integer not null check (round > 0),
    action text not null check (action in ('approve', 'reject', 'revise')),
    -- Null where the deadline's policy decided.
    reviewer text,
    idempotency_key text not null check (length(idempotency_key) between 1 and 255),
    request_hash bytea not null check (octet_length(request_hash) = 32),
    candidates integer [] not null default '{}',
    notes text,
    marks jsonb not null default '[]',
    -- What the next round varies; null: as before.
    variations jsonb,
    created_at timestamptz not null default now(),
    -- One decision a round.
    unique (run_id, round),
    unique (run_id, idempotency_key)
);

-- Events that were committed with what they tell of, and where they go (A41). A row is settled, not deleted: it is the
-- run's history. Claimed by status and due time, never by a high-water mark: a number that was taken early may be
-- committed late (F19).
create table outbox_events (
    id bigint generated always as identity primary key,
    -- The same on every try; receivers and AFC itself tell repeats by it.
    event_id text not null unique check (event_id ~ '^[A-Za-z0-9_-]+$'),
    run_id uuid not null references style_runs (id),
    -- 'wake': the run's Workflow is started or woken. 'webhook': its receivers are told.
    kind text not null check (kind in ('wake', 'webhook')),
    event_type text,
    payload jsonb not null default '{}',
    status text not null default 'pending' check (status in ('pending', 'done', 'parked')),
    tries integer not null default 0 check (tries >= 0),
    next_attempt_at timestamptz not null default now(),
    last_error text,
    created_at timestamptz not null default now(),
    settled_at timestamptz,
    check ((kind = 'webhook') = (event_type is not null)),
    check ((status = 'pending') = (settled_at is null))
);

-- The drainer's questions: what is due, and is there an earlier one of the same run and kind? Settled rows are in neither.
create index outbox_events_due on outbox_events (next_attempt_at) where status = 'pending';
create index outbox_events_lane on outbox_events (run_id, kind, id) where status = 'pending';
-- An operator's question.
create index outbox_events_parked on outbox_events (created_at) where status = 'parked';
-- Exactly one terminal event a run (I6).
create unique index outbox_events_terminal on outbox_events (run_id)
where
event_type in (
    'style_run.approved', 'style_run.rejected', 'style_run.expired', 'style_run.cancelled', 'style_run.failed'
);
