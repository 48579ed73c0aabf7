//! Codes of login links: each opens one session, once, within ten minutes, on the node that made it.

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use mainspring_schedule::Timestamp;

use super::digest::{hash_of, same};

/// How long a code can be used.
const LIFETIME_MS: i64 = 10 * 60_000;
/// Codes at a time; the oldest goes first.
const CODES_MAX: usize = 64;

/// The codes that can be used, of which only hashes are kept.
#[derive(Debug, Default)]
pub(crate) struct Codes(Vec<(Timestamp, [u8; 32])>);

impl Codes {
    /// Makes a code, and says until when it can be used.
    pub(crate) fn make(&mut self, now: Timestamp) -> (String, Timestamp) {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).expect("the system has randomness");
        let (code, until) = (BASE64_URL_SAFE_NO_PAD.encode(bytes), now + LIFETIME_MS);
        self.forget(now);
        if self.0.len() >= CODES_MAX {
            self.0.remove(0);
        }
        self.0.push((until, hash_of(&code)));
        (code, until)
    }

    /// Uses a code up. Tells whether it could be used.
    pub(crate) fn redeem(&mut self, code: &str, now: Timestamp) -> bool {
        self.forget(now);
        let (given, before) = (hash_of(code), self.0.len());
        // All of them are compared, wherever it is.
        self.0.retain(|(_, hash)| !same(&given, hash));
        self.0.len() < before
    }

    fn forget(&mut self, now: Timestamp) {
        self.0.retain(|(until, _)| *until > now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    #[test]
    fn a_code_can_be_used_once_and_in_time() {
        let mut codes = Codes::default();
        let (first, until) = codes.make(NOW);
        let (second, _) = codes.make(NOW);
        assert!(first.len() >= 43 && first != second);
        assert!(!codes.redeem("", NOW) && !codes.redeem(&first[1..], NOW));
        assert!(codes.redeem(&first, until - 1));
        assert!(!codes.redeem(&first, until - 1), "used before");
        assert!(!codes.redeem(&second, until), "too late");
    }

    #[test]
    fn the_oldest_of_too_many_codes_goes() {
        let mut codes = Codes::default();
        let made: Vec<_> = (0..=CODES_MAX).map(|_| codes.make(NOW).0).collect();
        assert!(!codes.redeem(&made[0], NOW) && codes.redeem(&made[1], NOW) && codes.redeem(&made[CODES_MAX], NOW));
    }
}
