//! Who is told of an event.

/// The text of a statement that writes an event's delivery rows, for a `with` list: one for the subject's own
/// `callback_url`, if it has one, and one for each enabled endpoint of its client that wants the event.
///
/// `subject` is a name in that list, with columns `client_id`, `job_id`, `callback_url`, `trace` and `about`,
/// the endpoint that the event is about and that is not told of itself; one row is one event.
/// `event`, `id` and `payload` are spellings of text values, parameters for example; `id` is the event's delivery id, to
/// which an endpoint's own is added (`DeliveryId::at_endpoint`). Safe to repeat: a row that stands, stays.
pub(crate) fn tell(subject: &str, event: &str, id: &str, payload: &str) -> String {
    format!(
        "insert into deliveries (id, client_id, job_id, event_type, url, payload, endpoint_id, trace)
        select {id} || coalesce('_' || target.endpoint_id, ''), s.client_id, s.job_id, {event}, target.url, {payload},
            target.endpoint_id, s.trace
        from {subject} s cross join lateral (
            select null::uuid as endpoint_id, s.callback_url as url where s.callback_url is not null
            union all
            select e.id, e.url from endpoints e
            where e.client_id = s.client_id and e.deleted_at is null and e.disabled_reason is null
                and e.id is distinct from s.about
                and (e.event_types is null or {event} = any (e.event_types))
        ) target
        on conflict (id) do nothing
        returning id"
    )
}
