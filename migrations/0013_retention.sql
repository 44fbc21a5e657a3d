-- How long outputs and payloads are kept, and their erasure at a client's request. What a job cost stays for ever.

alter table clients
-- Days after a generation's end; null: as the deployment has it.
add column output_days integer check (output_days between 1 and 3650),
add column payload_days integer check (payload_days between 1 and 3650);

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
