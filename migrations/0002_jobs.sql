-- One row is one generation, for ever: the record that every retry of every layer finds.

create table jobs (
    id uuid primary key,
    client_id uuid not null references clients (id),
    -- One (client, key) is one job (A7, B11, I1).
    idempotency_key text not null check (length(idempotency_key) between 1 and 255),
    request_hash bytea not null check (octet_length(request_hash) = 32),
    hash_version smallint not null check (hash_version >= 1),

    kind text not null check (kind in ('image', 'video')),
    -- The valid request with its defaults (domain::generation::Spec).
    spec jsonb not null,
    callback_url text,
    metadata jsonb not null default '{}',
    project text,
    -- The trace of the request that made it (domain::trace::Trace).
    trace jsonb,

    status text not null default 'queued'
    check (status in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')),
    -- Why a waiting job waits.
    waiting text,
    -- The stored files of a succeeded job (domain::output::StoredOutput).
    outputs jsonb not null default '[]',
    -- Code and message of a failed job (domain::error::Failure).
    error jsonb,

    -- The epoch of the process that may write this job's journal (B8), and how many late writes it refused.
    lease bigint not null default 0 check (lease >= 0),
    fenced_writes bigint not null default 0 check (fenced_writes >= 0),

    -- The bounds of B5 and what is used of them. `committed` is what the attempts cost, or may cost at worst.
    max_paid_calls integer not null check (max_paid_calls > 0),
    max_cost numeric(12, 6) check (max_cost > 0),
    paid_calls integer not null default 0 check (paid_calls between 0 and max_paid_calls),
    committed numeric(12, 6) not null default 0 check (committed >= 0),

    deadline_at timestamptz not null,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    finished_at timestamptz,
    updated_at timestamptz not null default now(),

    -- 'expiring': nobody gets the outputs any more, and their objects go; 'expired': the objects are gone. In this order,
    -- so that no object is ever without a row that knows of it.
    outputs_state text not null default 'kept' check (outputs_state in ('kept', 'expiring', 'expired')),
    outputs_expired_at timestamptz,
    -- Since when what was asked for is gone, here and in what was made of it. Key and hash stay: a repeat of the request
    -- still finds this job and pays nothing.
    payload_expired_at timestamptz,

    unique (client_id, idempotency_key),
    check ((status = 'waiting') = (waiting is not null)),
    check ((status in ('succeeded', 'failed', 'cancelled')) = (finished_at is not null)),
    check ((status = 'failed') = (error is not null)),
    check ((status = 'succeeded') = (jsonb_array_length(outputs) > 0)),
    check ((outputs_state = 'kept') = (outputs_expired_at is null))
);

-- The sweeper's question: which open jobs has nobody touched for a while?
create index jobs_open on jobs (updated_at) where status in ('queued', 'running', 'waiting');
-- How many generations of a client are open?
create index jobs_open_of_client on jobs (client_id) where status in ('queued', 'running', 'waiting');

-- What is still kept of a client's ended jobs, and what was begun to be removed (0013_retention.sql).
create index jobs_outputs_kept on jobs (client_id, finished_at)
where outputs_state = 'kept' and finished_at is not null;
create index jobs_outputs_expiring on jobs (outputs_expired_at) where outputs_state = 'expiring';
create index jobs_payload_kept on jobs (client_id, finished_at)
where payload_expired_at is null and finished_at is not null;

-- A client's jobs, newest first, page by page; all of them, or those of one status.
create index jobs_client on jobs (client_id, created_at desc, id desc);
create index jobs_client_status on jobs (client_id, status, created_at desc, id desc);

-- What else jobs are listed by (domain::label), written once with the job. The key is the order of the list, so a deep
-- page costs what the first one does.
create table job_labels (
    client_id uuid not null,
    label uuid not null,
    created_at timestamptz not null,
    job_id uuid not null,
    -- No foreign keys: the job's own row, which is never deleted, is written by the same statement.
    primary key (client_id, label, created_at, job_id)
);
