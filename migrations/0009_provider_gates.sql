-- What passes to each provider: limits, and the breaker (B7). One row per provider, made by its first submit or an
-- operator's word. Opening an attempt updates the row, so opens of one provider are counted one after another.

create table provider_gates (
    provider text primary key,

    -- Null is no limit.
    max_concurrent integer check (max_concurrent > 0),
    submits_per_minute integer check (submits_per_minute > 0),

    -- Attempts that are open or accepted; kept by the trigger below.
    in_flight integer not null default 0 check (in_flight >= 0),
    -- The minute that is being counted, from its first submit.
    minute_at timestamptz not null default now(),
    minute_submits integer not null default 0 check (minute_submits >= 0),

    -- Closed while there is no cause.
    breaker_cause text check (
        breaker_cause in ('insufficient_funds', 'authentication', 'unavailable', 'operator')
    ),
    breaker_since timestamptz,
    -- When one attempt may probe; null: not before an operator closes it.
    breaker_until timestamptz,
    -- The attempt that probes, or probed last.
    probe uuid,
    consecutive_unavailable integer not null default 0 check (consecutive_unavailable >= 0),

    updated_at timestamptz not null default now(),

    check ((breaker_cause is null) = (breaker_since is null)),
    check (breaker_cause is not null or breaker_until is null)
);

-- An attempt's state is written in several places (the journal, a provider's report, an operator's resolution); the
-- count must follow each of them, in its transaction. A new attempt is counted by the statement that opens it.
create function count_in_flight() returns trigger language plpgsql as $$
begin
    update provider_gates
    set in_flight = in_flight + case when new.state in ('open', 'accepted') then 1 else -1 end
    where provider = new.provider;
    return null;
end
$$;

create trigger attempts_in_flight
after update of state on attempts
for each row
when ((old.state in ('open', 'accepted')) is distinct from (new.state in ('open', 'accepted')))
execute function count_in_flight();
