//! Uploads to generate from: the row first, then the file, then what the file is; and the other way round at their end.

use chrono::{DateTime, Utc};
use domain::idempotency::IdempotencyKey;
use domain::timing::{INPUT_DAYS, INPUT_GRACE_HOURS, UPLOAD_HOURS};
use domain::{ClientId, InputId};
use serde::Deserialize;
use serde_json::Value;
use tokio_postgres::types::Type;

use crate::clients::KeyHash;
use crate::jobs::{CALLER, Found, MAKER, Scoped};
use crate::{Db, Error};

/// A stored upload.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Input {
    pub id: InputId,
    pub client_id: ClientId,
    pub content_type: String,
    pub bytes: u64,
    /// Lower-case hex.
    pub sha256: String,
    pub created_at: DateTime<Utc>,
    /// No new request may name it from then on.
    pub expires_at: DateTime<Utc>,
}

/// `i` as [`Input`].
const INPUT: &str = "json_build_object('id', i.id, 'client_id', i.client_id, 'content_type', i.content_type,
    'bytes', i.bytes, 'sha256', encode(i.sha256, 'hex'), 'created_at', i.created_at, 'expires_at', i.expires_at)";

/// A file that is about to be taken in.
pub struct NewInput<'a> {
    pub id: InputId,
    pub key: KeyHash,
    pub idempotency_key: Option<&'a IdempotencyKey>,
}

/// What an upload finds before its file is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begun {
    /// There is a row for the file to come.
    Fresh(ClientId),
    /// Its key was here before. Whether with the same file, only the file tells.
    Standing(Input),
    Unauthenticated,
}

/// What was taken in.
#[derive(Clone, Copy, Debug)]
pub struct Taken<'a> {
    pub content_type: &'a str,
    pub bytes: u64,
    pub sha256: [u8; 32],
}

/// What an upload finds once its file is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It may be named from now on.
    Stored(Input),
    /// Another upload, of the same key or without a key of the same content, was stored before; this one's file is nobody's.
    Standing(Input),
    /// It took so long that it was given up, and its file with it.
    GivenUp,
}

/// Makes the row, or finds what the key stands for. Nothing is lost where the caller dies after it: the row says when the
/// file that may be there is removed.
pub async fn begin(db: Db<'_>, new: &NewInput<'_>) -> Result<Begun, Error> {
    #[derive(Deserialize)]
    struct Answer {
        client: Option<ClientId>,
        standing: Option<Input>,
    }
    let sql = format!(
        "with {MAKER}, standing as (
            select i.* from inputs i, caller c
            where i.client_id = c.client_id and i.idempotency_key = $3 and i.state = 'stored' and i.expires_at > now()
        ), fresh as (
            insert into inputs (id, client_id, idempotency_key, remove_at)
            select $2, c.client_id, $3, now() + $4::integer * interval '1 hour'
            from caller c where not exists (select from standing)
        )
        select json_build_object(
            'client', (select client_id from caller), 'standing', (select {INPUT} from standing i)
        )"
    );
    let answer: Answer = db
        .one(
            &sql,
            &[
                (&new.key.bytes(), Type::BYTEA),
                (&new.id.uuid(), Type::UUID),
                (&new.idempotency_key.map(IdempotencyKey::as_str), Type::TEXT),
                (&UPLOAD_HOURS, Type::INT4),
            ],
        )
        .await?;
    Ok(match answer {
        Answer { client: None, .. } => Begun::Unauthenticated,
        Answer { standing: Some(input), .. } => Begun::Standing(input),
        Answer { client: Some(client), standing: None } => Begun::Fresh(client),
    })
}

/// Says what the file is, unless another upload was faster. An upload without a key whose content is stored already
/// renews that one: its caller counts on the whole time. Safe to repeat: the second call finds the first one's row.
pub async fn keep(db: Db<'_>, id: InputId, taken: Taken<'_>) -> Result<Kept, Error> {
    // The loser of a race hits the winner's row in the index and sees it with its second snapshot; the third is for a
    // winner that was removed in between.
    for _ in 0..3 {
        match attempt(db, id, taken).await {
            Err(Error::Conflict(_)) => {}
            kept => return kept,
        }
    }
    Err(Error::Unavailable("lost the race for an upload three times".to_owned()))
}

async fn attempt(db: Db<'_>, id: InputId, taken: Taken<'_>) -> Result<Kept, Error> {
    #[derive(Deserialize)]
    struct Answer {
        stored: Option<Input>,
        standing: Option<Input>,
    }
    let sql = format!(
        "with own as (
            select * from inputs where id = $1
        ), other as (
            select i.* from inputs i, own o
            where i.client_id = o.client_id and i.id <> o.id and i.state = 'stored'
                and case when o.idempotency_key is null
                    then i.idempotency_key is null and i.sha256 = $4
                    else i.idempotency_key = o.idempotency_key and i.expires_at > now() end
            for update of i
        ), outlived as (
            -- A key whose input has expired is free again.
            update inputs i set state = 'removing', remove_at = now() from own o
            where i.client_id = o.client_id and i.id <> o.id and i.state = 'stored'
                and i.idempotency_key = o.idempotency_key and i.expires_at <= now()
            returning i.id
        ), stored as (
            update inputs i set state = 'stored', content_type = $2, bytes = $3, sha256 = $4,
                expires_at = now() + $5::integer * interval '1 day',
                remove_at = now() + $5::integer * interval '1 day' + $6::integer * interval '1 hour'
            where i.id = $1 and i.state = 'uploading' and not exists (select from other)
                and (select count(*) from outlived) >= 0
            returning i.*
        ), renewed as (
            update inputs i set expires_at = now() + $5::integer * interval '1 day',
                remove_at = now() + $5::integer * interval '1 day' + $6::integer * interval '1 hour'
            from own o where i.id in (select id from other) and o.idempotency_key is null
            returning i.*
        )
        select json_build_object(
            'stored', coalesce(
                (select {INPUT} from stored i), (select {INPUT} from own i where i.state = 'stored')
            ),
            'standing', coalesce((select {INPUT} from renewed i), (select {INPUT} from other i))
        )"
    );
    let bytes = i64::try_from(taken.bytes).unwrap_or(i64::MAX);
    let answer: Answer = db
        .one(
            &sql,
            &[
                (&id.uuid(), Type::UUID),
                (&taken.content_type, Type::TEXT),
                (&bytes, Type::INT8),
                (&&taken.sha256[..], Type::BYTEA),
                (&INPUT_DAYS, Type::INT4),
                (&INPUT_GRACE_HOURS, Type::INT4),
            ],
        )
        .await?;
    Ok(match answer {
        Answer { stored: Some(input), .. } => Kept::Stored(input),
        Answer { stored: None, standing: Some(input) } => Kept::Standing(input),
        Answer { stored: None, standing: None } => Kept::GivenUp,
    })
}

/// A client's own upload that may still be named.
pub async fn find(db: Db<'_>, key: KeyHash, id: InputId) -> Result<Found<Input>, Error> {
    let sql = format!(
        "with {CALLER}
        select json_build_object(
            'client', (select client_id from caller),
            'found', (
                select {INPUT} from inputs i, caller c
                where i.id = $2 and i.client_id = c.client_id and i.state = 'stored' and i.expires_at > now()
            )
        )"
    );
    let scoped: Scoped<Input> =
        db.one(&sql, &[(&key.bytes(), Type::BYTEA), (&id.uuid(), Type::UUID)]).await?;
    Ok(scoped.into())
}

/// Ends a client's own upload, before its file is removed: from now on nobody finds it. A second call finds nothing.
pub async fn remove(db: Db<'_>, key: KeyHash, id: InputId) -> Result<Found<Input>, Error> {
    let sql = format!(
        "with {MAKER}, removed as (
            update inputs i set state = 'removing', remove_at = now() from caller c
            where i.id = $2 and i.client_id = c.client_id and i.state = 'stored' and i.expires_at > now()
            returning i.*
        )
        select json_build_object(
            'client', (select client_id from caller), 'found', (select {INPUT} from removed i)
        )"
    );
    let scoped: Scoped<Input> =
        db.one(&sql, &[(&key.bytes(), Type::BYTEA), (&id.uuid(), Type::UUID)]).await?;
    Ok(scoped.into())
}

/// A file that nobody may use any more, and whose it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Outlived {
    pub id: InputId,
    pub client: ClientId,
}

/// At most `limit` uploads whose time is over, which from now on nobody finds. A repeated call finds them again until they
/// are forgotten; two sweeps beside each other share them out.
pub async fn outlived(db: Db<'_>, limit: i64) -> Result<Vec<Outlived>, Error> {
    let sql = "with due as (
            select id from inputs where remove_at <= now() order by remove_at limit $1 for update skip locked
        ), removing as (
            update inputs i set state = 'removing' from due d where i.id = d.id returning i.id, i.client_id
        )
        select coalesce(json_agg(json_build_object('id', id, 'client', client_id)), '[]') from removing";
    db.one(sql, &[(&limit, Type::INT8)]).await
}

/// Gives up an upload that failed: its file may be there in part, and is the sweeper's.
pub async fn give_up(db: Db<'_>, id: InputId) -> Result<(), Error> {
    let sql = "with given_up as (
            update inputs set state = 'removing', remove_at = now() where id = $1 and state = 'uploading' returning id
        )
        select to_json(exists (select from given_up))";
    let _: bool = db.one(sql, &[(&id.uuid(), Type::UUID)]).await?;
    Ok(())
}

/// Forgets uploads whose files are removed.
pub async fn forget(db: Db<'_>, ids: &[InputId]) -> Result<(), Error> {
    let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
    let sql = "with forgotten as (
            delete from inputs where id = any($1) and state = 'removing' returning id
        )
        select to_json(count(*)) from forgotten";
    let _: Value = db.one(sql, &[(&ids, Type::UUID_ARRAY)]).await?;
    Ok(())
}
