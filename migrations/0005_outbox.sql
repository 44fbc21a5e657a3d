-- Wishes that were committed with a row and not yet carried out (B9). A row is deleted by what it wished for.

create table outbox (
    id bigint generated always as identity primary key,
    kind text not null check (kind in ('start_generation')),
    job_id uuid not null references jobs (id),
    tries integer not null default 0,
    next_attempt_at timestamptz not null default now(),
    created_at timestamptz not null default now(),
    unique (kind, job_id)
);

create index outbox_due on outbox (next_attempt_at);
