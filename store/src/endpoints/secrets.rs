//! What signs an endpoint's deliveries.

use domain::KeyPair;
use domain::endpoint::MAX_LIVE_SECRETS;

use super::{
    API_VERSION, Db, ENDPOINT, Endpoint, EndpointId, Error, Found, KeyHash, MAKER, OWN, Secret, Type,
};
use super::{note, own};

/// Adds a secret, which signs from now on; the ones that stand sign for `overlap_seconds` more, unless they end sooner.
/// The same secret again changes nothing: one that was given by the client may be sent twice.
pub async fn rotate(
    db: Db<'_>,
    key: KeyHash,
    id: EndpointId,
    secret: &Secret,
    overlap_seconds: i64,
) -> Result<Found<Endpoint>, Error> {
    add(db, key, id, (secret, None), overlap_seconds).await
}

/// The same of key pairs: the first one makes the endpoint's deliveries carry `v1a` signatures too.
pub async fn rotate_key(
    db: Db<'_>,
    key: KeyHash,
    id: EndpointId,
    pair: &KeyPair,
    overlap_seconds: i64,
) -> Result<Found<Endpoint>, Error> {
    add(db, key, id, (&pair.secret(), Some(&pair.public())), overlap_seconds).await
}

/// Of those that stand, the newest go on for the overlap; what is beyond [`MAX_LIVE_SECRETS`] ends at once.
async fn add(
    db: Db<'_>,
    key: KeyHash,
    id: EndpointId,
    (secret, public): (&Secret, Option<&str>),
    overlap_seconds: i64,
) -> Result<Found<Endpoint>, Error> {
    let change = if public.is_none() { "secret_rotated" } else { "key_rotated" };
    let sql = format!(
        "with {MAKER}, own as (
            select e.* from endpoints e, caller c where {OWN} for update of e
        ), fresh as (
            select own.*, '{change}' as change, null::text as reason from own where not exists (
                select from endpoint_secrets s
                where s.endpoint_id = own.id and s.secret = $3 and s.expires_at is null
            )
        ), standing as (
            select s.id, row_number() over (order by s.id desc) < $5::bigint as stays
            from fresh join endpoint_secrets s on s.endpoint_id = fresh.id
            where (s.public_key is null) = ($6::text is null) and (s.expires_at is null or s.expires_at > now())
        ), ending as (
            update endpoint_secrets s
            set expires_at = case when standing.stays
                then least(s.expires_at, now() + $4::bigint * interval '1 second') else now() end
            from standing where s.id = standing.id
        ), added as (
            insert into endpoint_secrets (endpoint_id, secret, public_key) select id, $3, $6 from fresh
        ), {note}
        select json_build_object('client', (select client_id from caller), 'found', (select {ENDPOINT} from own e))",
        note = note("fresh", "$7")
    );
    own(
        db,
        &sql,
        key,
        id,
        &[
            (&secret.expose(), Type::TEXT),
            (&overlap_seconds, Type::INT8),
            (&MAX_LIVE_SECRETS, Type::INT8),
            (&public, Type::TEXT),
            (&API_VERSION, Type::TEXT),
        ],
    )
    .await
}

/// Ends all key pairs at once: deliveries carry `v1` only. Safe to repeat.
pub async fn end_keys(db: Db<'_>, key: KeyHash, id: EndpointId) -> Result<Found<EndpointId>, Error> {
    let sql = format!(
        "with {MAKER}, own as (
            select e.* from endpoints e, caller c where {OWN} for update of e
        ), ended as (
            update endpoint_secrets s set expires_at = now() from own
            where s.endpoint_id = own.id and s.public_key is not null
                and (s.expires_at is null or s.expires_at > now())
            returning s.endpoint_id
        ), changes as (
            select own.*, 'keys_ended' as change, null::text as reason from own where exists (select from ended)
        ), {note}
        select json_build_object('client', (select client_id from caller), 'found', (select id from own))",
        note = note("changes", "$3")
    );
    own(db, &sql, key, id, &[(&API_VERSION, Type::TEXT)]).await
}
