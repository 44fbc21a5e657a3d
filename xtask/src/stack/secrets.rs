//! What a local stack keeps secret: made once for its folder, so that keys still fit the data of an earlier run.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::place::Place;
use crate::failure::{OrFail, Outcome};

const FILE: &str = "secrets.json";

/// Keys of a local stack. They protect nothing but this machine's own data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Secrets {
    pub(super) admin_token: String,
    pub(super) job_token_key: String,
    /// What links are signed with.
    pub(super) link_keys: String,
    pub(super) s3_access_key_id: String,
    pub(super) s3_secret_access_key: String,
    pub(super) provider_key: String,
    pub(super) client_id: Uuid,
    pub(super) client_key_id: Uuid,
    pub(super) client_key: String,
    /// `whsec_` and base64 of 24 bytes, as Standard Webhooks has it.
    pub(super) webhook_secret: String,
}

impl Secrets {
    /// Those of the folder, or new ones.
    pub(super) fn of(place: &Place) -> Outcome<Self> {
        // Made anew they would not fit the data that is kept beside them: a client key that nobody knows.
        if let Ok(bytes) = std::fs::read(place.join(FILE)) {
            return serde_json::from_slice(&bytes)
                .or_fail(format!("cannot read {FILE}"), "begin anew with `--fresh`");
        }
        let secrets = Self::generate()?;
        let text = serde_json::to_string_pretty(&secrets).or_fail("cannot write secrets", "report this")?;
        place.write(FILE, &text)?;
        Ok(secrets)
    }

    fn generate() -> Outcome<Self> {
        Ok(Self {
            admin_token: format!("local-admin-{}", token()?),
            job_token_key: token()?,
            link_keys: token()?,
            s3_access_key_id: token()?,
            s3_secret_access_key: token()?,
            provider_key: format!("local-{}", token()?),
            client_id: Uuid::now_v7(),
            client_key_id: Uuid::now_v7(),
            client_key: format!("afc_local_{}", token()?),
            webhook_secret: format!("whsec_{}", STANDARD.encode(random::<24>()?)),
        })
    }
}

/// Random bytes.
pub(super) fn random<const N: usize>() -> Outcome<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).or_fail("no random bytes", "check /dev/urandom")?;
    Ok(bytes)
}

/// 128 random bits as 32 hex digits.
fn token() -> Outcome<String> {
    Ok(format!("{:032x}", u128::from_le_bytes(random()?)))
}

#[cfg(test)]
mod tests {
    use super::Secrets;
    use crate::paths::Repo;
    use crate::scratch::Scratch;
    use crate::stack::place::Place;

    #[test]
    fn secrets_last_as_long_as_the_folder() {
        let folder = Scratch::new();
        let place = Place::claim(&Repo::at(folder.path(), folder.path()), &"dev".parse().unwrap()).unwrap();
        let first = Secrets::of(&place).unwrap();
        assert_eq!(Secrets::of(&place).unwrap(), first);
        place.delete(super::FILE).unwrap();
        assert_ne!(Secrets::of(&place).unwrap(), first);
    }
}
