-- Every try of a delivery, for whoever asks why a webhook did not arrive.

create table delivery_tries (
    delivery_id text not null references deliveries (id),
    -- The delivery's claim counter: it goes on when a delivery is sent again from the start.
    claim bigint not null,
    -- The receiver's HTTP status; null when it did not answer.
    status integer,
    error text,
    duration_ms bigint not null check (duration_ms >= 0),
    finished_at timestamptz not null default now(),
    primary key (delivery_id, claim)
);
