-- What came of each try of a delivery, for whoever asks why a webhook did not arrive. A claim without a row here is one
-- whose consumer was lost: the receiver may have the event, and gets it again (A39).

create table delivery_tries (
    delivery_id text not null references deliveries (id),
    -- The delivery's claim counter: it goes on when a delivery is sent again from the start.
    claim bigint not null,
    -- The receiver's HTTP status; null when it did not answer.
    status integer,
    error text,
    -- The beginning of its answer.
    response text check (octet_length(response) <= 16384),
    -- False when it failed on our side: nothing went to the receiver.
    sent boolean not null,
    duration_ms bigint not null check (duration_ms >= 0),
    finished_at timestamptz not null default now(),
    primary key (delivery_id, claim)
);

-- Who asks why a receiver got an event again finds an operator's word for it here.
create table redeliveries (
    id bigint generated always as identity primary key,
    delivery_id text not null references deliveries (id),
    -- It was delivered already.
    forced boolean not null,
    -- The range it was one of: `since`, `until`, `endpoint`, `event_type`; null when it was asked for by its id.
    selection jsonb,
    created_at timestamptz not null default now()
);

create index redeliveries_delivery on redeliveries (delivery_id, id);
