//! Signatures by the rules of Standard Webhooks.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit, Mac};
use mainspring_schedule::Timestamp;
use mainspring_store::Webhook;
use sha2::Sha256;

const PREFIX: &str = "whsec_";

/// Makes a secret of 32 random bytes.
pub(crate) fn new_secret() -> String {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    format!("{PREFIX}{}", BASE64_STANDARD.encode(bytes))
}

/// The value of `webhook-signature`: one signature for each secret that is valid.
pub(super) fn signatures(webhook: &Webhook, message: &str, body: &str, now: Timestamp) -> String {
    let previous = webhook.previous_secret.as_ref().filter(|(_, until)| *until > now).map(|(secret, _)| secret);
    let secrets = std::iter::once(&webhook.secret).chain(previous);
    let signed: Vec<String> = secrets.map(|secret| signature(secret, message, seconds(now), body)).collect();
    signed.join(" ")
}

/// The value of `webhook-timestamp`.
pub(crate) fn seconds(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(1_000)
}

/// The signature of a message with a secret.
pub(crate) fn signature(secret: &str, message: &str, seconds: i64, body: &str) -> String {
    // A secret that is no base64 stands for its bytes.
    let text = secret.strip_prefix(PREFIX).unwrap_or(secret);
    let key = BASE64_STANDARD.decode(text).unwrap_or_else(|_| text.as_bytes().to_vec());
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key may have any length");
    mac.update(format!("{message}.{seconds}.{body}").as_bytes());
    format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_is_that_of_the_published_example() {
        // The example of the reference libraries of Standard Webhooks.
        let signed = signature(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn secrets_are_random_and_have_the_usual_form() {
        let secret = new_secret();
        let key = BASE64_STANDARD.decode(secret.strip_prefix(PREFIX).expect("it begins so")).expect("base64");
        assert_eq!(key.len(), 32);
        assert_ne!(secret, new_secret());
    }

    #[test]
    fn previous_secret_signs_until_its_time_is_over() {
        let at = Timestamp::from_millis;
        let webhook = Webhook {
            name: "a".into(),
            url: String::new(),
            events: Vec::new(),
            namespace: None,
            job: None,
            secret: "whsec_bmV3".into(),
            previous_secret: Some(("whsec_b2xk".into(), at(2_000))),
            noted_through: 0,
            created_at: at(0),
        };
        let signed = |now| signatures(&webhook, "m", "{}", at(now));
        let (new, old) = (signature("whsec_bmV3", "m", 1, "{}"), signature("whsec_b2xk", "m", 1, "{}"));
        assert_eq!(signed(1_999), format!("{new} {old}"));
        assert_eq!(signed(2_000), signature("whsec_bmV3", "m", 2, "{}"));
    }
}
