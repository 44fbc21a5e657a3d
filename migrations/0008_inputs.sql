-- Files that clients upload to generate from. The row is there before the file and goes after it, so that no file is
-- without an owner.

create table inputs (
    id uuid primary key,
    client_id uuid not null references clients (id),
    -- `uploading`: the file may be there in part. `removing`: it may be gone already.
    state text not null default 'uploading' check (state in ('uploading', 'stored', 'removing')),
    -- Null: the upload is known by its content.
    idempotency_key text check (length(idempotency_key) between 1 and 255),

    content_type text,
    bytes bigint check (bytes > 0),
    sha256 bytea check (octet_length(sha256) = 32),

    created_at timestamptz not null default now(),
    -- No new request may name it from then on.
    expires_at timestamptz,
    -- When the sweeper removes the file, whatever the state.
    remove_at timestamptz not null,

    check (
        state <> 'stored'
        or (content_type is not null and bytes is not null and sha256 is not null and expires_at is not null)
    )
);

-- One key is one stored input of a client, and so is one content without a key.
create unique index inputs_key on inputs (client_id, idempotency_key)
where state = 'stored' and idempotency_key is not null;
create unique index inputs_content on inputs (client_id, sha256)
where state = 'stored' and idempotency_key is null;

-- The sweeper's question.
create index inputs_remove on inputs (remove_at);
