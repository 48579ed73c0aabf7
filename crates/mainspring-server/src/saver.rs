//! Who saves a job, and from where. Notes for people, kept with the version: nothing depends on them.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use mainspring_api::{Reason, SavedFrom, routes};
use mainspring_store::SavedBy;

use crate::access::{Caller, ScriptRight};
use crate::pauses;
use crate::refusal::{Answer, Refusal};

/// Who has sent the request, as far as the server knows.
#[derive(Clone, Debug)]
pub(crate) struct Saver(pub(crate) SavedBy, pub(crate) ScriptRight);

impl Saver {
    /// Somebody who comes from a place, and has or has not the right to change scripts.
    pub(crate) fn from(place: SavedFrom, by: impl Into<String>, right: ScriptRight) -> Self {
        Self(SavedBy { by: by.into(), from: place.as_str().to_owned() }, right)
    }

    /// The same place, and a name that the body of the request gives; without one it stays as it is.
    pub(crate) fn named(self, caller: &Caller, name: Option<&str>) -> Answer<Self> {
        let Some(name) = name else { return Ok(self) };
        let by = pauses::by(caller, &Reason { by: Some(name.to_owned()), reason: None })?;
        Ok(Self(SavedBy { by, ..self.0 }, self.1))
    }

    fn read(caller: &Caller, headers: &HeaderMap, right: ScriptRight) -> Answer<Self> {
        let named = headers.get(routes::BY_HEADER).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let by = pauses::by(caller, &Reason { by: named.filter(|name| !name.is_empty()), reason: None })?;
        Ok(Self::from(place(caller, headers), by, right))
    }
}

/// From where a request comes: a session is a browser's, and people use our command line, programs whatever they are written with.
fn place(caller: &Caller, headers: &HeaderMap) -> SavedFrom {
    if matches!(caller, Caller::Session(_)) {
        return SavedFrom::Console;
    }
    if is_command_line(headers) { SavedFrom::Cli } else { SavedFrom::Api }
}

/// Whether a request names the command line as its program. Our client in other programs names itself otherwise.
pub(crate) fn is_command_line(headers: &HeaderMap) -> bool {
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    agent.is_some_and(|agent| agent.starts_with("mainspring/"))
}

/// The word as it is kept; one that is newer than this program is told as unknown.
pub(crate) fn place_of(word: &str) -> SavedFrom {
    serde_json::from_value(serde_json::Value::from(word)).unwrap_or(SavedFrom::Unknown)
}

impl<S: Send + Sync> FromRequestParts<S> for Saver {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Answer<Self> {
        let caller = parts.extensions.get::<Caller>().unwrap_or(&Caller::Anyone);
        let right = parts.extensions.get::<ScriptRight>().copied().unwrap_or(ScriptRight(false));
        Self::read(caller, &parts.headers, right)
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn read(headers: &[(&'static str, &str)]) -> Answer<(String, String)> {
        let pairs = headers.iter().map(|(name, value)| {
            (header::HeaderName::from_static(name), HeaderValue::from_bytes(value.as_bytes()).unwrap())
        });
        Saver::read(&Caller::Token, &pairs.collect(), ScriptRight(true)).map(|Saver(saved, _)| (saved.by, saved.from))
    }

    #[test]
    fn a_saver_is_named_by_its_header_and_placed_by_its_program() {
        let told = |by: &str, from: &str| (by.to_owned(), from.to_owned());
        assert_eq!(read(&[("user-agent", "curl/8")]).unwrap(), told("the access token", "api"));
        assert_eq!(read(&[("user-agent", "mainspring-client/0.1.0")]).unwrap(), told("the access token", "api"));
        assert_eq!(
            read(&[("user-agent", "mainspring/0.1.0"), (routes::BY_HEADER, "安娜@north")]).unwrap(),
            told("安娜@north, with the access token", "cli")
        );
        assert!(read(&[(routes::BY_HEADER, &"x".repeat(129))]).is_err(), "a name that is too long is refused");
    }

    #[test]
    fn every_place_is_read_as_it_is_written() {
        for place in [SavedFrom::Console, SavedFrom::Cli, SavedFrom::Api, SavedFrom::Operation, SavedFrom::Xxl] {
            assert_eq!(place_of(place.as_str()), place);
        }
        assert_eq!(place_of("a place of tomorrow"), SavedFrom::Unknown);
    }
}
