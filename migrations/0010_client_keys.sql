-- What operators say of clients, and what a key may be used for.

alter table clients add column disabled_at timestamptz;

alter table client_keys
add column label text not null default '',
add column scopes text [] not null default '{generate,read}'
check (scopes <@ '{generate,read,admin}'::text [] and cardinality(scopes) > 0),
-- How long it was issued for; null is until it is revoked. A rotation hands it on.
add column lifetime_seconds bigint check (lifetime_seconds > 0),
add column expires_at timestamptz,
-- Exact to an hour: written down no more often than that.
add column last_used_at timestamptz;
