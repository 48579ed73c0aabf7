//! Which caller a request is of. Nothing else decides that.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue, Method, header};
use mainspring_api::ErrorCode;
use mainspring_schedule::Timestamp;
use mainspring_store::WorkerToken;

use super::session::Session;
use super::{Access, Permission, bearer, hash_of, origin, same};
use crate::refusal::{Answer, Refusal};

/// Who has sent a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Caller {
    /// Nobody in particular, where nothing is wanted.
    Anyone,
    /// A program that has the server's token.
    Token,
    /// A program that has the token for scripts.
    Scripts,
    /// A browser that is signed in.
    Session(Session),
    /// A worker that has a token of workers.
    Worker(Arc<WorkerToken>),
}

/// What a request says of its caller.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) method: &'a Method,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) now: Timestamp,
}

impl Caller {
    /// The name of the workers' token.
    pub(crate) fn token_name(&self) -> Option<&str> {
        match self {
            Self::Worker(token) => Some(&token.name),
            _ => None,
        }
    }

    /// How the caller was let in, for people.
    pub(crate) fn told(&self) -> &'static str {
        match self {
            Self::Session(_) => "a session of the console",
            Self::Worker(_) => "a token of workers",
            Self::Scripts => "the token for scripts",
            Self::Token | Self::Anyone => "the access token",
        }
    }

    /// Whether the caller may do what wants a permission.
    pub(crate) fn may(&self, permission: Permission) -> bool {
        match self {
            Self::Anyone => permission == Permission::Public,
            Self::Token | Self::Scripts | Self::Session(_) => true,
            Self::Worker(_) => matches!(permission, Permission::Public | Permission::Work),
        }
    }

    /// Whether runs may be taken from a queue.
    pub(crate) fn opens(&self, queue: &str) -> bool {
        match self {
            Self::Anyone => false,
            Self::Token | Self::Scripts | Self::Session(_) => true,
            Self::Worker(token) => token.queues.is_empty() || token.queues.iter().any(|open| open == queue),
        }
    }
}

impl Access {
    /// Finds out who sends a request. A token goes before a cookie.
    ///
    /// # Errors
    /// `auth.missing`, `auth.invalid`, `auth.session_invalid`, `auth.cross_site`.
    pub(crate) fn caller(&self, permission: Permission, asked: Asked<'_>) -> Answer<Caller> {
        if permission == Permission::Public {
            return Ok(Caller::Anyone);
        }
        let mut given = asked.headers.get_all(header::AUTHORIZATION).iter();
        match (given.next(), given.next()) {
            (Some(value), None) => self.with_token(value),
            (None, _) => self.with_cookie(asked)?.map(Caller::Session).ok_or_else(missing),
            (Some(_), Some(_)) => Err(missing()),
        }
    }

    /// Tells whether a request comes from no page at all, as those of scripts do, or from one of ours.
    pub(crate) fn is_own_page(&self, headers: &HeaderMap) -> bool {
        let is_of_page = headers.contains_key("sec-fetch-site") || headers.contains_key(header::ORIGIN);
        !is_of_page || origin::is_own(&Method::POST, headers, &self.site)
    }

    fn with_token(&self, value: &HeaderValue) -> Answer<Caller> {
        match value.to_str().ok().and_then(bearer) {
            Some(token) if self.is_token(token) => Ok(Caller::Token),
            Some(token) if self.is_script_token(token) => Ok(Caller::Scripts),
            _ => Err(Refusal::new(ErrorCode::AuthInvalid, "the token is not valid")),
        }
    }

    fn with_cookie(&self, asked: Asked<'_>) -> Answer<Option<Session>> {
        let Some(found) = self.key().session_of(asked.headers, asked.now) else { return Ok(None) };
        let session = found.filter(|session| !self.has_ended(session)).ok_or_else(|| {
            let why = "the session of this browser is over, or is one of another server";
            Refusal::new(ErrorCode::AuthSessionInvalid, why)
        })?;
        if !origin::is_own(asked.method, asked.headers, &self.site) {
            let why = "a session counts for requests of the console's own pages alone";
            return Err(Refusal::new(ErrorCode::AuthCrossSite, why));
        }
        Ok(Some(session))
    }
}

fn missing() -> Refusal {
    Refusal::new(ErrorCode::AuthMissing, "the request carries no token").hint("send Authorization: Bearer TOKEN")
}

/// Lets a worker's request pass that carries one of the workers' tokens.
pub(crate) fn check_worker(tokens: &[Arc<WorkerToken>], headers: &HeaderMap, now: Timestamp) -> Answer<Caller> {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(bearer);
    let hash = given.map(hash_of);
    // All of them are looked at, however early one fits.
    let found = tokens.iter().fold(None, |found, token| {
        if hash.as_ref().is_some_and(|hash| same(hash, &token.hash)) { Some(token) } else { found }
    });
    let token = found.ok_or_else(|| Refusal::new(ErrorCode::AuthInvalid, "the token is not valid"))?;
    if token.expires_at.is_some_and(|at| at <= now) {
        let why = format!("the token {:?} has expired", token.name);
        return Err(Refusal::new(ErrorCode::WorkerTokenExpired, why));
    }
    Ok(Caller::Worker(Arc::clone(token)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::new_token;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn headers(name: &header::HeaderName, values: &[&str]) -> HeaderMap {
        values.iter().map(|value| (name.clone(), value.parse().unwrap())).collect()
    }

    fn code(access: &Access, method: &str, headers: &HeaderMap) -> Option<ErrorCode> {
        let method = method.parse().unwrap();
        let caller = access.caller(Permission::View, Asked { method: &method, headers, now: NOW });
        caller.err().and_then(|refusal| refusal.code())
    }

    #[test]
    fn only_the_token_opens() {
        let token = new_token();
        let access = Access::for_test(&token);
        let good = format!("Bearer {token}");
        let cut = &good[..good.len() - 1];
        let cases: &[(&[&str], Option<ErrorCode>)] = &[
            (&[&good], None),
            (&[&good.replace("Bearer", "bearer")], None),
            (&[], Some(ErrorCode::AuthMissing)),
            (&[&good, &good], Some(ErrorCode::AuthMissing)),
            (&[&token], Some(ErrorCode::AuthInvalid)),
            (&[cut], Some(ErrorCode::AuthInvalid)),
            (&["Bearer "], Some(ErrorCode::AuthInvalid)),
            (&["Basic eDp5"], Some(ErrorCode::AuthInvalid)),
        ];
        for (values, expected) in cases {
            assert_eq!(code(&access, "POST", &headers(&header::AUTHORIZATION, values)), *expected, "{values:?}");
        }
        let none = HeaderMap::new();
        let public = access.caller(Permission::Public, Asked { method: &Method::GET, headers: &none, now: NOW });
        assert_eq!(public.unwrap(), Caller::Anyone);
    }

    #[test]
    fn a_session_opens_for_pages_of_the_server_and_a_token_goes_before_it() {
        let access = Access::for_test("t");
        let session = Session::begin(NOW);
        let cookie = access.key().cookie(&session, &access.site, &HeaderMap::new());
        let pair = cookie.to_str().unwrap().split(';').next().unwrap().to_owned();
        let mut given = headers(&header::COOKIE, &[&pair]);
        assert_eq!(code(&access, "GET", &given), None);
        assert_eq!(code(&access, "POST", &given), Some(ErrorCode::AuthCrossSite));
        given.insert("sec-fetch-site", "same-origin".parse().unwrap());
        assert_eq!(code(&access, "POST", &given), None);
        given.insert(header::AUTHORIZATION, "Bearer x".parse().unwrap());
        assert_eq!(code(&access, "GET", &given), Some(ErrorCode::AuthInvalid));
        let other = headers(&header::COOKIE, &[&format!("{pair}0")]);
        assert_eq!(code(&access, "GET", &other), Some(ErrorCode::AuthSessionInvalid));
        given.remove(header::AUTHORIZATION);
        access.end_here(&session, NOW);
        assert_eq!(code(&access, "GET", &given), Some(ErrorCode::AuthSessionInvalid), "signed out");
    }

    #[test]
    fn token_of_workers_opens_its_queues_until_it_expires() {
        let at = Timestamp::from_millis;
        let token = |text: &str, name: &str, expires_at| {
            let queues = vec!["mail".to_owned()];
            Arc::new(WorkerToken { name: name.into(), hash: hash_of(text), queues, created_at: at(0), expires_at })
        };
        let tokens = [token("ms_a", "a", None), token("ms_b", "b", Some(at(5_000)))];
        let check = |text: &str, now| {
            check_worker(&tokens, &headers(&header::AUTHORIZATION, &[&format!("Bearer {text}")]), at(now))
        };
        let caller = check("ms_a", 9_000).unwrap();
        assert_eq!((caller.token_name(), caller.opens("mail"), caller.opens("default")), (Some("a"), true, false));
        assert_eq!(check("ms_b", 4_999).unwrap().token_name(), Some("b"));
        assert_eq!(check("ms_b", 5_000).unwrap_err().code(), Some(ErrorCode::WorkerTokenExpired));
        assert_eq!(check("ms_c", 0).unwrap_err().code(), Some(ErrorCode::AuthInvalid));
        assert!(Caller::Token.opens("anything"));
    }
}
