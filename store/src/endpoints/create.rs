use super::{API_VERSION, ClientId, Deserialize, EndpointId, Secret, Settings, Switch, Type};
use super::{Columns, Db, ENDPOINT, Endpoint, Error, KeyHash, MAKER, MAX_ENDPOINTS, note};

/// An endpoint to register.
pub struct NewEndpoint<'a> {
    pub id: EndpointId,
    pub key: KeyHash,
    /// With a URL.
    pub settings: &'a Settings,
    pub secret: &'a Secret,
}

/// What a registration finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Registered {
    Created(Box<Endpoint>),
    /// The client has an endpoint at this URL; it stands as it was, and keeps its secret.
    Stands(Box<Endpoint>),
    /// The client has as many as a client may have.
    Full,
    Unauthenticated,
}

#[derive(Deserialize)]
struct Answer {
    client: Option<ClientId>,
    fresh: Option<Endpoint>,
    standing: Option<Endpoint>,
}

/// Registers an endpoint, or finds the one that the client has at this URL. Safe to repeat; two at once make one.
pub async fn create(db: Db<'_>, new: &NewEndpoint<'_>) -> Result<Registered, Error> {
    // The loser of a race does not see the winner's row by its own snapshot; the second run does.
    let mut registered = attempt(db, new).await?;
    if registered == Registered::Full {
        registered = attempt(db, new).await?;
    }
    Ok(registered)
}

async fn attempt(db: Db<'_>, new: &NewEndpoint<'_>) -> Result<Registered, Error> {
    let sql = format!(
        "with {MAKER}, fresh as (
            insert into endpoints (id, client_id, url, description, event_types, headers, rate_limit,
                disabled_reason, disabled_at)
            select $2, c.client_id, $3, coalesce($4, ''), $5, coalesce($6, '{{}}'), $7,
                case when $8 then 'client' end, case when $8 then now() end
            from caller c
            where (select count(*) from endpoints e where e.client_id = c.client_id and e.deleted_at is null)
                < $10::bigint
            on conflict (client_id, url) where deleted_at is null do nothing
            returning *, 'created' as change, null::text as reason
        ), secret as (
            insert into endpoint_secrets (endpoint_id, secret) select id, $9 from fresh
        ), {note}
        select json_build_object(
            'client', (select client_id from caller),
            'fresh', (select {ENDPOINT} from fresh e),
            'standing', (
                select {ENDPOINT} from endpoints e, caller c
                where e.client_id = c.client_id and e.url = $3 and e.deleted_at is null
            )
        )",
        note = note("fresh", "$11")
    );
    let columns = Columns::of(new.settings);
    let answer: Answer = db
        .one(
            &sql,
            &[
                (&new.key.bytes(), Type::BYTEA),
                (&new.id.uuid(), Type::UUID),
                (&columns.url, Type::TEXT),
                (&columns.description, Type::TEXT),
                (&columns.events, Type::TEXT_ARRAY),
                (&columns.headers, Type::JSONB),
                (&columns.rate, Type::INT4),
                (&(new.settings.switch == Some(Switch::Off)), Type::BOOL),
                (&new.secret.expose(), Type::TEXT),
                (&MAX_ENDPOINTS, Type::INT8),
                (&API_VERSION, Type::TEXT),
            ],
        )
        .await?;
    Ok(match answer {
        Answer { client: None, .. } => Registered::Unauthenticated,
        Answer { fresh: Some(endpoint), .. } => Registered::Created(Box::new(endpoint)),
        Answer { standing: Some(endpoint), .. } => Registered::Stands(Box::new(endpoint)),
        Answer { .. } => Registered::Full,
    })
}
