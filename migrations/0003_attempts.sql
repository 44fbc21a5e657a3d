-- The write-ahead journal of paid calls (B1): a row is committed before the first byte is sent.

create table attempts (
    id uuid primary key,
    job_id uuid not null references jobs (id),
    -- Allocated from the job's row; a job never has two attempts with one number (B5).
    ordinal integer not null check (ordinal > 0),
    chain_index integer not null check (chain_index >= 0),
    provider text not null,
    model text not null,
    -- The provider's request body as it was sent.
    request jsonb not null,
    lease bigint not null check (lease > 0),

    state text not null default 'open'
    check (state in ('open', 'accepted', 'succeeded', 'failed', 'unknown', 'abandoned')),
    provider_request_id text,
    -- URLs that the provider named for this request.
    captured jsonb not null default '{}',
    error_class text check (
        error_class in (
            'authentication', 'invalid_input', 'refusal', 'rate_limited', 'timeout', 'unavailable',
            'insufficient_funds', 'model_gone', 'cancelled', 'retryable', 'unknown'
        )
    ),
    error_code text,
    error_message text,
    retry_after_seconds integer check (retry_after_seconds >= 0),

    started_at timestamptz not null default now(),
    accepted_at timestamptz,
    finished_at timestamptz,

    usage_units numeric(12, 6) check (usage_units >= 0),
    usage_unit text,
    -- Null is *unpriced* and never shown as zero (A43).
    cost numeric(12, 6) check (cost >= 0),
    cost_source text check (cost_source in ('quoted', 'derived', 'local')),
    rates_version text,
    reserved numeric(12, 6) check (reserved >= 0),

    unique (job_id, ordinal),
    check ((cost is null) = (cost_source is null)),
    check ((usage_units is null) = (usage_unit is null)),
    check (state <> 'accepted' or provider_request_id is not null),
    check ((state in ('succeeded', 'failed', 'abandoned')) = (finished_at is not null)),
    check (state not in ('failed', 'unknown', 'abandoned') or error_class is not null)
);

-- What waits for a human's word.
create index attempts_unknown on attempts (started_at) where state = 'unknown';

-- What ended within the hour?
create index attempts_finished on attempts (finished_at) where finished_at is not null;

-- What is open at a provider; the sweeper asks which of it nobody follows any more.
create index attempts_open on attempts (job_id) where state in ('open', 'accepted');
