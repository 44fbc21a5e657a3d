-- Later looks at attempts whose fate or price was not known when they ended: the provider may know by then.

alter table attempts
-- Looks that were begun, and when the last one was.
add column looks smallint not null default 0 check (looks >= 0),
add column looked_at timestamptz,
-- When the next one is due. Null: none is wanted, or none is left.
add column next_look_at timestamptz;

-- Nothing runs on this database yet, and the migrator holds each file in one transaction.
-- squawk-ignore require-concurrent-index-creation
create index attempts_next_look on attempts (next_look_at) where next_look_at is not null;

-- Whether asking the provider later may tell what an attempt's end did not: a submit that nobody heard of again, or a
-- price that nobody named. Failures that the provider told itself are not asked about: it tells the same again.
create function wants_look(a attempts) returns boolean language sql immutable as $$
    select case
        when a.state = 'unknown' then true
        when a.state in ('open', 'accepted') then false
        -- Absence is proven for a moment only: a lost process may have sent it after that (domain::attempt::NEVER_ARRIVED).
        when a.error_code = 'never_arrived' and a.provider_request_id is null then true
        when a.cost is not null or a.usage_units is not null then false
        when a.state = 'failed' then
            a.error_class = 'cancelled' or coalesce(a.error_code in ('never_arrived', 'request_not_found'), false)
        else true
    end
$$;

-- An attempt's end is written in several places; the first look must be due after each of them, in its transaction.
create function schedule_look() returns trigger language plpgsql as $$
begin
    if not wants_look(new) then
        new.next_look_at := null;
    elsif not wants_look(old) then
        new.looks := 0;
        new.next_look_at := now();
    end if;
    return new;
end
$$;

create trigger attempts_look
before update of state, error_class, error_code, provider_request_id, cost, usage_units on attempts
for each row
execute function schedule_look();
