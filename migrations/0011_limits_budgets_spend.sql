-- What a client may ask for at once, in a minute, and for how much money; and what it spends.

alter table clients
-- Generations that are queued, running or waiting; null is no limit, and so below.
add column max_open integer check (max_open >= 0),
add column creates_per_minute integer check (creates_per_minute > 0),
-- US dollars in a day and in a month, UTC.
add column budget_day numeric(12, 6) check (budget_day >= 0),
add column budget_month numeric(12, 6) check (budget_month >= 0);

-- When the client has all of its minute's creates again; it may create while that is less than a minute away (GCRA).
create table client_rates (
    client_id uuid primary key references clients (id) on delete cascade,
    next_at timestamptz not null
);

-- Spend by the day that an attempt was opened on, in the four numbers of B13. Kept by the triggers below in the
-- transaction that moves an attempt, so it is exact, and asking for it reads no attempts, however many there are.
create table spend (
    client_id uuid not null references clients (id),
    day date not null,
    provider text not null,
    model text not null,
    -- '' where the generation names none.
    project text not null,
    priced_count bigint not null,
    priced numeric(18, 6) not null,
    -- Ended without a price, with what they may have cost at worst as far as a rate is known; and so below.
    unpriced_count bigint not null,
    unpriced_reserved numeric(18, 6) not null,
    unknown_count bigint not null,
    unknown_reserved numeric(18, 6) not null,
    -- Open or accepted.
    open_count bigint not null,
    open_reserved numeric(18, 6) not null,
    primary key (client_id, day, provider, model, project)
);

create index spend_day on spend (day);

create function spend_class(state text, cost numeric) returns text language sql immutable as $$
    select case
        when cost is not null then 'priced'
        when state in ('succeeded', 'failed', 'abandoned') then 'unpriced'
        when state = 'unknown' then 'unknown'
        else 'open'
    end
$$;

create function count_spend() returns trigger language plpgsql as $$
declare
    was text;
    is_now constant text := spend_class(new.state, new.cost);
    amount_was numeric := 0;
    amount_is constant numeric := case is_now when 'priced' then new.cost else coalesce(new.reserved, 0) end;
begin
    if tg_op = 'UPDATE' then
        was := spend_class(old.state, old.cost);
        amount_was := case was when 'priced' then old.cost else coalesce(old.reserved, 0) end;
    end if;
    insert into spend as s (
        client_id, day, provider, model, project, priced_count, priced, unpriced_count, unpriced_reserved,
        unknown_count, unknown_reserved, open_count, open_reserved
    )
    select
        j.client_id, (new.started_at at time zone 'UTC')::date, new.provider, new.model, coalesce(j.project, ''),
        (is_now = 'priced')::integer - (was is not distinct from 'priced')::integer,
        case is_now when 'priced' then amount_is else 0 end - case was when 'priced' then amount_was else 0 end,
        (is_now = 'unpriced')::integer - (was is not distinct from 'unpriced')::integer,
        case is_now when 'unpriced' then amount_is else 0 end - case was when 'unpriced' then amount_was else 0 end,
        (is_now = 'unknown')::integer - (was is not distinct from 'unknown')::integer,
        case is_now when 'unknown' then amount_is else 0 end - case was when 'unknown' then amount_was else 0 end,
        (is_now = 'open')::integer - (was is not distinct from 'open')::integer,
        case is_now when 'open' then amount_is else 0 end - case was when 'open' then amount_was else 0 end
    from jobs j where j.id = new.job_id
    on conflict (client_id, day, provider, model, project) do update set
        priced_count = s.priced_count + excluded.priced_count,
        priced = s.priced + excluded.priced,
        unpriced_count = s.unpriced_count + excluded.unpriced_count,
        unpriced_reserved = s.unpriced_reserved + excluded.unpriced_reserved,
        unknown_count = s.unknown_count + excluded.unknown_count,
        unknown_reserved = s.unknown_reserved + excluded.unknown_reserved,
        open_count = s.open_count + excluded.open_count,
        open_reserved = s.open_reserved + excluded.open_reserved;
    return null;
end
$$;

-- They fire after `attempts_in_flight` (triggers fire in the order of their names), so every transaction that locks both
-- takes the provider's gate first and the spend's row last: no two wait for each other.
create trigger attempts_spend_changed
after update of state, cost on attempts
for each row
when ((old.state, old.cost) is distinct from (new.state, new.cost))
execute function count_spend();

create trigger attempts_spend_opened
after insert on attempts
for each row
execute function count_spend();

-- Why a call that may cost `wanted` (null: nobody knows) does not fit into its client's budgets; null if it fits.
--
-- `busy`: what others have reserved may come free, or a day or month ends before `waits_until`. `exceeded`: neither helps.
--
-- The client's row is locked first, and the sums are read by a statement of its own, whose snapshot is taken after that:
-- it shows every reservation of whoever held the lock before. So a budget holds however many ask at once.
create function budget_refusal(of_client uuid, wanted numeric, waits_until timestamptz) returns json
language plpgsql as $$
declare
    budgets record;
    sums record;
    today constant date := (now() at time zone 'UTC')::date;
    tomorrow constant timestamptz := (today + 1)::timestamp at time zone 'UTC';
    next_month constant timestamptz := (date_trunc('month', today) + interval '1 month')::timestamp at time zone 'UTC';
    day_spent boolean;
    month_spent boolean;
    period text;
    renewed timestamptz;
begin
    select budget_day, budget_month into budgets from clients
    where id = of_client and (budget_day is not null or budget_month is not null)
    for no key update;
    if not found then
        return null;
    end if;
    if wanted is null then
        return json_build_object('why', 'unpriceable');
    end if;
    select
        coalesce(sum(priced + unpriced_reserved + unknown_reserved + open_reserved), 0) as month_all,
        coalesce(sum(priced + unpriced_reserved), 0) as month_kept,
        coalesce(sum(priced + unpriced_reserved + unknown_reserved + open_reserved) filter (where day = today), 0)
            as day_all,
        coalesce(sum(priced + unpriced_reserved) filter (where day = today), 0) as day_kept
    into sums from spend
    where client_id = of_client and day between date_trunc('month', today)::date and today;
    if (budgets.budget_day is null or sums.day_all + wanted <= budgets.budget_day)
        and (budgets.budget_month is null or sums.month_all + wanted <= budgets.budget_month) then
        return null;
    end if;
    -- Used up for good, whatever becomes of the reservations.
    day_spent := coalesce(sums.day_kept + wanted > budgets.budget_day, false);
    month_spent := coalesce(sums.month_kept + wanted > budgets.budget_month, false);
    period := case
        when month_spent then 'month' when day_spent then 'day'
        when coalesce(sums.month_all + wanted > budgets.budget_month, false) then 'month'
        else 'day'
    end;
    renewed := case when month_spent then next_month when day_spent then tomorrow end;
    if coalesce(wanted > budgets.budget_day, false) or coalesce(wanted > budgets.budget_month, false)
        or renewed >= waits_until then
        return json_build_object('why', 'exceeded', 'period', period);
    end if;
    return json_build_object(
        'why', 'busy', 'period', period,
        'retry_after_ms', ceil(extract(epoch from renewed - now()) * 1000)::bigint
    );
end
$$;

-- Why a client may not create another generation now, the first call of which may cost `first_call`; null if it may.
--
-- The client's row is locked first and each question is a statement of its own, as above. `standing`: the key has a
-- generation by now, and no limit keeps its answer back. The minute is asked last, so only what is admitted uses it up.
create function admission(of_client uuid, for_key text, first_call numeric, waits_until timestamptz) returns json
language plpgsql as $$
declare
    limits record;
    budget json;
    every interval;
    allowed timestamptz;
begin
    select max_open, creates_per_minute into limits from clients where id = of_client for no key update;
    if exists (select from jobs where client_id = of_client and idempotency_key = for_key) then
        return json_build_object('why', 'standing');
    end if;
    if limits.max_open is not null and limits.max_open <= (
        select count(*) from (
            select from jobs where client_id = of_client and status in ('queued', 'running', 'waiting')
            limit limits.max_open
        ) as open
    ) then
        return json_build_object('why', 'too_many_open');
    end if;
    budget := budget_refusal(of_client, first_call, waits_until);
    if budget ->> 'why' in ('exceeded', 'unpriceable') then
        return budget;
    end if;
    if limits.creates_per_minute is not null then
        every := interval '1 minute' / limits.creates_per_minute;
        insert into client_rates as r (client_id, next_at) values (of_client, now() + every)
        on conflict (client_id) do update set next_at = greatest(r.next_at, now()) + every
        where r.next_at + every <= now() + interval '1 minute';
        if not found then
            select next_at + every - interval '1 minute' into allowed from client_rates where client_id = of_client;
            return json_build_object(
                'why', 'rate_limited',
                'retry_after_ms', greatest(ceil(extract(epoch from allowed - now()) * 1000)::bigint, 1)
            );
        end if;
    end if;
    return null;
end
$$;
