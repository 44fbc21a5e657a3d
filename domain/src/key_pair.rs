use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer, SigningKey};

use crate::Secret;

/// An ed25519 key pair that signs an endpoint's webhooks: `v1a` of Standard Webhooks (B12). Its client holds the public
/// half and nothing that could sign.
#[derive(Debug)]
pub struct KeyPair(SigningKey);

impl KeyPair {
    /// How the secret half begins; the prefix tells a key pair from a shared secret (`whsec_`).
    pub const PREFIX: &str = "whsk_";

    /// The pair of a seed, which must be random.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// Reads what [`Self::secret`] wrote; `None` when it is no key pair, or its halves are of two.
    pub fn parse(secret: &Secret) -> Option<Self> {
        let bytes = STANDARD.decode(secret.expose().strip_prefix(Self::PREFIX)?).ok()?;
        SigningKey::from_keypair_bytes(&bytes.try_into().ok()?).ok().map(Self)
    }

    /// `whsk_` and the base64 of seed and public half: what signing needs, and nobody else gets.
    pub fn secret(&self) -> Secret {
        Secret::new(format!("{}{}", Self::PREFIX, STANDARD.encode(self.0.to_keypair_bytes())))
    }

    /// `whpk_` and the base64 of 32 bytes, for whoever verifies.
    pub fn public(&self) -> String {
        format!("whpk_{}", STANDARD.encode(self.0.verifying_key().to_bytes()))
    }

    /// The signature of `content` in base64.
    pub fn sign(&self, content: &[u8]) -> String {
        STANDARD.encode(self.0.sign(content).to_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b12_a_key_pair_is_read_back_and_signs_as_rfc_8032_says() {
        // Test 2 of RFC 8032, 7.1.
        let seed = "TM0Imyj/ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U+4pvs";
        let seed: [u8; 32] =
            base64::engine::general_purpose::STANDARD_NO_PAD.decode(seed).unwrap().try_into().unwrap();
        let pair = KeyPair::from_seed(&seed);
        let read = KeyPair::parse(&pair.secret()).unwrap();
        assert_eq!((read.public(), read.secret()), (pair.public(), pair.secret()));
        assert_eq!(pair.public(), "whpk_PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=");
    }

    #[test]
    fn what_is_no_key_pair_is_refused() {
        let pair = KeyPair::from_seed(&[7; 32]);
        let mixed = [[7; 32], [8; 32]].concat();
        let half = STANDARD.encode([7; 32]);
        for text in [
            pair.public(),
            pair.secret().expose().replace("whsk_", "whsec_"),
            format!("whsk_{half}"),
            format!("whsk_{}", STANDARD.encode(mixed)),
            "whsk_?".to_owned(),
        ] {
            assert!(KeyPair::parse(&Secret::new(text.as_str())).is_none(), "{text}");
        }
    }
}
