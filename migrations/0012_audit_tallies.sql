-- Every action of an operator's: a row is committed before the action begins, so none is ever missing; its outcome follows.

create table audit (
    id bigint generated always as identity primary key,
    -- 'admin_token', or the id of the key with scope admin.
    actor text not null,
    -- Method and route, and the path with its ids.
    action text not null,
    path text not null,
    request_id text not null,
    begun_at timestamptz not null default now(),

    -- The HTTP status; null while it is at work, and for ever if the process was lost: then it may have happened.
    status integer,
    -- What the action changed, with ids: as it was, and as it is since.
    before jsonb,
    after jsonb,
    ended_at timestamptz,

    check ((status is null) = (ended_at is null))
);

-- Counts that only grow, for `/metrics`: what the sweeper found, writes that were fenced off, attempts that were held up.
create table tallies (
    name text not null,
    -- Which part of it; '' where there is one only.
    label text not null,
    total bigint not null,
    primary key (name, label)
);
