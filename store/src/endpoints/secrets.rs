use super::{Db, ENDPOINT, Endpoint, EndpointId, Error, Found, KeyHash, MAKER, OWN, Secret, Type, own};

/// Adds a secret, which signs from now on; the ones that stand sign for `overlap_seconds` more, unless they end sooner.
/// The same secret again changes nothing: one that was given by the client may be sent twice.
pub async fn rotate(
    db: Db<'_>,
    key: KeyHash,
    id: EndpointId,
    secret: &Secret,
    overlap_seconds: i64,
) -> Result<Found<Endpoint>, Error> {
    let sql = format!(
        "with {MAKER}, own as (
            select e.* from endpoints e, caller c where {OWN} for update of e
        ), fresh as (
            select own.id from own where not exists (
                select from endpoint_secrets s
                where s.endpoint_id = own.id and s.secret = $3 and s.expires_at is null
            )
        ), ending as (
            update endpoint_secrets s
            set expires_at = least(s.expires_at, now() + $4::bigint * interval '1 second')
            from fresh where s.endpoint_id = fresh.id
        ), added as (
            insert into endpoint_secrets (endpoint_id, secret) select id, $3 from fresh
        ), noted as (
            insert into endpoint_changes (endpoint_id, change) select id, 'secret_rotated' from fresh
        )
        select json_build_object('client', (select client_id from caller), 'found', (select {ENDPOINT} from own e))"
    );
    own(db, &sql, key, id, &[(&secret.expose(), Type::TEXT), (&overlap_seconds, Type::INT8)]).await
}
