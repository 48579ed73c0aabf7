//! Sessions of browsers: a signed cookie says who it is and until when, so that every node of a cluster can read it.
//!
//! Why it is made like this: `docs/decisions/console-sessions.md`.

use axum::http::{HeaderMap, HeaderValue, header};
use hmac::{Hmac, KeyInit, Mac};
use mainspring_schedule::Timestamp;
use mainspring_store::Store;
use sha2::Sha256;

use super::digest::{from_hex, to_hex};
use super::site::Site;
use crate::settings::StartError;

/// Name of the cookie.
pub(crate) const COOKIE: &str = "ms_session";
/// How long a session goes on after the last request.
pub(crate) const LIFETIME_MS: i64 = 12 * 3_600_000;
/// How old a cookie is when an answer brings a new one.
const RENEW_AFTER_MS: i64 = 5 * 60_000;
/// Name of the setting that holds the key of all nodes.
const SETTING: &str = "session_key";
/// The form of the cookie. Another one is of another version, which cannot be read.
const FORM: &str = "1";
/// The form of what scripts of XXL-JOB's console are given: neither opens what the other does.
const FORM_OF_SCRIPTS: &str = "xxl1";

/// A browser that is signed in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Session {
    /// Random, and the same for as long as the session is renewed.
    pub(crate) id: String,
    /// When it ends, unless a request renews it.
    pub(crate) expires_at: Timestamp,
}

impl Session {
    /// Begins a session.
    pub(crate) fn begin(now: Timestamp) -> Self {
        let mut id = [0; 16];
        getrandom::fill(&mut id).expect("the system has randomness");
        Self { id: to_hex(&id), expires_at: now + LIFETIME_MS }
    }

    /// The same session for another 12 hours, if the last renewal is long enough ago.
    pub(crate) fn renewed(&self, now: Timestamp) -> Option<Self> {
        let renew_at = self.expires_at - LIFETIME_MS + RENEW_AFTER_MS;
        (now >= renew_at).then(|| Self { id: self.id.clone(), expires_at: now + LIFETIME_MS })
    }
}

/// What signs cookies: the same on every node.
#[derive(Clone)]
pub(crate) struct Key([u8; 32]);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(..)")
    }
}

impl Key {
    /// Reads the key from the store, where the first node leaves one. Another access token makes another key of it, so that a
    /// reset of the token ends all sessions.
    ///
    /// # Errors
    /// The store fails, or holds something else there.
    pub(super) async fn open(store: &dyn Store, token_hash: &[u8; 32]) -> Result<Self, StartError> {
        let mut made = [0; 32];
        getrandom::fill(&mut made).expect("the system has randomness");
        let kept = store.setting_or_set(SETTING, &to_hex(&made)).await?;
        let kept = from_hex(&kept).ok_or(StartError::SessionKey)?;
        Ok(Self::of(&kept, token_hash))
    }

    pub(super) fn of(kept: &[u8; 32], token_hash: &[u8; 32]) -> Self {
        let mut mac = Hmac::<Sha256>::new_from_slice(kept).expect("a key may have any length");
        mac.update(token_hash);
        Self(mac.finalize().into_bytes().into())
    }

    fn mac(&self, text: &str) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key may have any length");
        mac.update(text.as_bytes());
        mac
    }

    /// The value of a session's cookie of a form.
    fn sign(&self, form: &str, session: &Session) -> String {
        let text = format!("{form}.{}.{}", session.expires_at.as_millis(), session.id);
        let signature: [u8; 32] = self.mac(&text).finalize().into_bytes().into();
        format!("{text}.{}", to_hex(&signature))
    }

    /// The session of a cookie's value of a form, if this key has signed it and it has not expired.
    fn read(&self, form: &str, value: &str, now: Timestamp) -> Option<Session> {
        let (text, signature) = value.rsplit_once('.')?;
        self.mac(text).verify_slice(&from_hex(signature)?).ok()?;
        let mut parts = text.split('.');
        let (Some(of), Some(expires), Some(id), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
            return None;
        };
        let expires_at = Timestamp::from_millis(expires.parse().ok()?);
        (of == form && expires_at > now).then(|| Session { id: id.to_owned(), expires_at })
    }

    /// The session of a request: `None` without a cookie, and without a session where no cookie holds.
    pub(super) fn session_of(&self, headers: &HeaderMap, now: Timestamp) -> Option<Option<Session>> {
        let mut values = cookies(headers).peekable();
        values.peek()?;
        Some(values.find_map(|value| self.read(FORM, value, now)))
    }

    /// What says in the cookie of a script which session it is.
    pub(crate) fn value_of(&self, session: &Session) -> String {
        self.sign(FORM_OF_SCRIPTS, session)
    }

    /// The session of such a value, if this key has signed it and it has not expired.
    pub(crate) fn session_in(&self, value: &str, now: Timestamp) -> Option<Session> {
        self.read(FORM_OF_SCRIPTS, value, now)
    }

    /// The header that gives a browser its session.
    pub(crate) fn cookie(&self, session: &Session, site: &Site, headers: &HeaderMap) -> HeaderValue {
        set_cookie(&self.sign(FORM, session), LIFETIME_MS / 1_000, site, headers)
    }
}

/// The header that takes the session of a browser away.
pub(crate) fn no_cookie(site: &Site, headers: &HeaderMap) -> HeaderValue {
    set_cookie("", 0, site, headers)
}

fn set_cookie(value: &str, max_age_seconds: i64, site: &Site, headers: &HeaderMap) -> HeaderValue {
    let (path, secure) = (site.cookie_path(), if site.is_secure(headers) { "; Secure" } else { "" });
    let text = format!("{COOKIE}={value}; Path={path}; Max-Age={max_age_seconds}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&text).expect("it is of visible ASCII characters")
}

/// The values under our name. There may be several, of different paths.
fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(name, value)| *name == COOKIE && !value.is_empty()).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn key(number: u8) -> Key {
        Key::of(&[number; 32], &[7; 32])
    }

    fn with_cookies(text: &str) -> HeaderMap {
        [(header::COOKIE, text.parse().unwrap())].into_iter().collect()
    }

    #[test]
    fn a_cookie_holds_until_it_expires_and_for_its_key_alone() {
        let (session, site) = (Session::begin(NOW), Site::default());
        let value = key(1).sign(FORM, &session);
        assert_eq!(key(1).read(FORM, &value, NOW), Some(session.clone()));
        assert_eq!(key(1).read(FORM, &value, session.expires_at - 1), Some(session.clone()));
        assert_eq!(key(1).read(FORM, &value, session.expires_at), None, "expired");
        assert_eq!(key(2).read(FORM, &value, NOW), None, "of another server");
        assert_eq!(Key::of(&[1; 32], &[8; 32]).read(FORM, &value, NOW), None, "of the token before");
        let header = key(1).cookie(&session, &site, &HeaderMap::new());
        let expected = format!("{COOKIE}={value}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict");
        assert_eq!(header.to_str().unwrap(), expected);
    }

    #[test]
    fn whatever_is_changed_in_a_cookie_it_holds_no_more() {
        let value = key(1).sign(FORM, &Session::begin(NOW));
        for place in 0..value.len() {
            let mut bytes = value.clone().into_bytes();
            bytes[place] = if bytes[place] == b'1' { b'2' } else { b'1' };
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(key(1).read(FORM, &changed, NOW), None, "at {place}: {changed}");
        }
        for bad in ["", ".", "1", "1.2.3", "a.b.c.d", &value[1..], &value[..value.len() - 1], &format!("{value}0")] {
            assert_eq!(key(1).read(FORM, bad, NOW), None, "{bad}");
        }
    }

    #[test]
    fn the_first_of_several_cookies_that_holds_counts() {
        let session = Session::begin(NOW);
        let (mine, other) = (key(1).sign(FORM, &session), key(2).sign(FORM, &Session::begin(NOW)));
        let found = |text: &str| key(1).session_of(&with_cookies(text), NOW);
        assert_eq!(found(&format!("a=b; {COOKIE}={other}; {COOKIE}={mine}")), Some(Some(session)));
        assert_eq!(found(&format!("{COOKIE}={other}")), Some(None));
        for none in ["a=b", "ms_session=", "xms_session=1", "ms_session"] {
            assert_eq!(found(none), None, "{none}");
        }
    }

    #[test]
    fn sessions_are_renewed_by_use_but_not_with_each_request() {
        let session = Session::begin(NOW);
        assert_eq!(session.renewed(NOW + RENEW_AFTER_MS - 1), None);
        let renewed = session.renewed(NOW + RENEW_AFTER_MS).unwrap();
        assert_eq!((renewed.id, renewed.expires_at), (session.id, NOW + RENEW_AFTER_MS + LIFETIME_MS));
    }
}
