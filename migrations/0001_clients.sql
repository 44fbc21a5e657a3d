-- Tenants and the keys that they authenticate with.

create table clients (
    id uuid primary key,
    name text not null check (name <> ''),
    -- Standard Webhooks secrets ("whsec_…"), newest first; several are live while one is rotated (B12).
    webhook_secrets text [] not null default '{}',
    created_at timestamptz not null default now()
);

create table client_keys (
    id uuid primary key,
    client_id uuid not null references clients (id) on delete cascade,
    -- SHA-256 of the key; the key itself is shown once and kept nowhere.
    hash bytea not null check (octet_length(hash) = 32),
    -- The first characters, by which a person tells keys apart.
    prefix text not null,
    created_at timestamptz not null default now(),
    revoked_at timestamptz,
    unique (hash)
);

create index client_keys_client on client_keys (client_id);
