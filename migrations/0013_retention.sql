-- How long outputs and payloads are kept, and their erasure at a client's request. What a job cost stays for ever.

alter table clients
-- Days after a generation's end; null: as the deployment has it.
add column output_days integer check (output_days between 1 and 3650),
add column payload_days integer check (payload_days between 1 and 3650);

alter table jobs
-- 'expiring': nobody gets them any more, and their objects go; 'expired': the objects are gone. In this order, so that
-- no object is ever without a row that knows of it.
add column outputs_state text not null default 'kept' check (outputs_state in ('kept', 'expiring', 'expired')),
add column outputs_expired_at timestamptz,
-- What was asked for is gone, here and in what was made of it. Key and hash stay: a repeat of the request still finds
-- this job and pays nothing.
add column payload_expired_at timestamptz,
add constraint jobs_outputs_expired check ((outputs_state = 'kept') = (outputs_expired_at is null));

-- The sweeper's questions: whose time is over, and what was begun?
create index jobs_outputs_kept on jobs (client_id, finished_at)
where outputs_state = 'kept' and finished_at is not null;
create index jobs_outputs_expiring on jobs (outputs_expired_at) where outputs_state = 'expiring';
create index jobs_payload_kept on jobs (client_id, finished_at)
where payload_expired_at is null and finished_at is not null;

-- A client's wish that everything made until then goes. Carried out by the sweeper, piece by piece.
create table erasures (
    id uuid primary key,
    client_id uuid not null references clients (id),
    asked_at timestamptz not null default now(),
    completed_at timestamptz
);

-- One at a time; asked for again while it is under way, it is the same one.
create unique index erasures_open on erasures (client_id) where completed_at is null;
create index erasures_client on erasures (client_id, asked_at);

-- What an erasure still has to go through of the deliveries that are no job's.
create index deliveries_payload_kept on deliveries (client_id, created_at) where payload <> '';
