//! Who may do what: one token for everything, of which the store keeps the SHA-256 only.
//!
//! Users and roles come later; each route already names the [`Permission`] that it wants.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::http::{HeaderMap, header};
use mainspring_api::ErrorCode;
use mainspring_schedule::Timestamp;
use mainspring_store::{Store, WorkerToken};
use sha2::{Digest, Sha256};

use crate::files;
use crate::refusal::{Answer, Refusal};
use crate::{Settings, StartError};

/// Name of the setting that holds the hash.
const SETTING: &str = "token_hash";
/// Name of the file in the data folder.
const FILE: &str = "token";
/// The shortest token that is taken from a file.
const TOKEN_MIN: usize = 32;

/// What a route wants of who calls it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Permission {
    /// Nothing: health.
    Public,
    /// To see.
    View,
    /// To run, pause and cancel.
    Operate,
    /// To change definitions.
    Edit,
    /// To work: workers with a token of their own may, too.
    Work,
}

/// With what a request was let in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Pass {
    /// The server's token, or nothing where nothing is wanted.
    Server,
    /// A token of workers.
    Worker(Arc<WorkerToken>),
}

impl Pass {
    /// The name of the workers' token.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Server => None,
            Self::Worker(token) => Some(&token.name),
        }
    }

    /// Whether it opens what wants a permission.
    pub(crate) fn may(&self, permission: Permission) -> bool {
        match self {
            Self::Server => true,
            Self::Worker(_) => matches!(permission, Permission::Public | Permission::Work),
        }
    }

    /// Whether runs may be taken from a queue.
    pub(crate) fn opens(&self, queue: &str) -> bool {
        match self {
            Self::Server => true,
            Self::Worker(token) => token.queues.is_empty() || token.queues.iter().any(|open| open == queue),
        }
    }
}

/// Checks tokens.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    hash: [u8; 32],
}

/// What a start found out about the token.
pub(crate) struct Opened {
    pub(crate) access: Access,
    /// The token, if this start made it.
    pub(crate) first_token: Option<String>,
    /// Where the token is, if there is a file.
    pub(crate) file: Option<PathBuf>,
}

impl Access {
    /// Reads the token's hash from the store; where there is none, or a reset is asked for, the token is that of the
    /// settings' file, or a new one.
    pub(crate) async fn open(store: &dyn Store, settings: &Settings) -> Result<Opened, StartError> {
        let given = settings.token_file.as_deref().map(read_token).transpose()?;
        let own = settings.data_dir.as_ref().map(|folder| folder.join(FILE));
        let (kept, first_token) = match store.setting(SETTING).await? {
            Some(kept) if !settings.reset_token => (kept, None),
            _ => offer(store, given.as_deref(), own.as_deref(), settings.reset_token).await?,
        };
        let hash = from_hex(&kept).ok_or(StartError::TokenHash)?;
        match (&settings.token_file, given) {
            (Some(file), Some(token)) if !same(&hash_of(&token), &hash) => {
                Err(StartError::OtherToken { path: file.clone() })
            }
            (file, _) => {
                let file = file.clone().or(own.filter(|file| file.exists()));
                Ok(Opened { access: Self { hash }, first_token, file })
            }
        }
    }

    /// Lets a request pass that carries the token.
    pub(crate) fn check(&self, permission: Permission, headers: &HeaderMap) -> Answer<()> {
        if permission == Permission::Public {
            return Ok(());
        }
        let mut given = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(value), None) = (given.next(), given.next()) else {
            return Err(Refusal::new(ErrorCode::AuthMissing, "the request carries no token")
                .hint("send Authorization: Bearer TOKEN"));
        };
        let token = value.to_str().ok().and_then(bearer);
        match token {
            Some(token) if same(&hash_of(token), &self.hash) => Ok(()),
            _ => Err(Refusal::new(ErrorCode::AuthInvalid, "the token is not valid")),
        }
    }
}

/// Lets a worker's request pass that carries one of the workers' tokens.
pub(crate) fn check_worker(tokens: &[Arc<WorkerToken>], headers: &HeaderMap, now: Timestamp) -> Answer<Pass> {
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
    Ok(Pass::Worker(Arc::clone(token)))
}

/// Offers the store a token, the given one or a new one that is written to a file of our own. Answers the hash of the one that counts,
/// and the new one if that is it: a node that started at the same time may have been first.
async fn offer(
    store: &dyn Store,
    given: Option<&str>,
    own: Option<&Path>,
    reset: bool,
) -> Result<(String, Option<String>), StartError> {
    let made = given.is_none().then(new_token);
    let ours = to_hex(&hash_of(given.or(made.as_deref()).expect("it is given or made")));
    let failed = |source| StartError::File { path: own.unwrap_or(Path::new(FILE)).to_owned(), source };
    let file = made.as_deref().zip(own);
    if let Some((token, file)) = file {
        files::write_private(file, token.as_bytes()).map_err(failed)?;
    }
    let kept = if reset {
        store.set_setting(SETTING, &ours).await?;
        ours.clone()
    } else {
        store.setting_or_set(SETTING, &ours).await?
    };
    if kept == ours {
        return Ok((kept, made));
    }
    if let Some((_, file)) = file {
        std::fs::remove_file(file).map_err(failed)?;
    }
    Ok((kept, None))
}

/// Reads a token that somebody has chosen: as hard to guess as one of ours looks.
fn read_token(path: &Path) -> Result<String, StartError> {
    let unfit = |why: String| StartError::TokenFile { path: path.to_owned(), why };
    let text = std::fs::read_to_string(path).map_err(|error| unfit(error.to_string()))?;
    let token = text.trim();
    match token.len() >= TOKEN_MIN && token.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(token.to_owned()),
        false => Err(unfit(format!("a token has at least {TOKEN_MIN} visible ASCII characters"))),
    }
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// 256 random bits with a prefix by which scanners for leaked secrets know them.
pub(crate) fn new_token() -> String {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    format!("ms_{}", to_hex(&bytes))
}

pub(crate) fn hash_of(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// Compares in a time that does not depend on where the difference is.
fn same(a: &[u8; 32], b: &[u8; 32]) -> bool {
    let difference = a.iter().zip(b).fold(0, |difference, (a, b)| difference | (a ^ b));
    std::hint::black_box(difference) == 0
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use mainspring_store::MemoryStore;

    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        values.iter().map(|value| (header::AUTHORIZATION, value.parse().unwrap())).collect()
    }

    #[tokio::test]
    async fn of_nodes_that_start_together_one_makes_the_token() {
        let (store, folder) = (MemoryStore::new(), tempfile::tempdir().unwrap());
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        let (kept, made) = offer(&store, None, Some(&first), false).await.unwrap();
        assert_eq!(to_hex(&hash_of(&made.unwrap())), kept);
        assert_eq!(offer(&store, None, Some(&second), false).await.unwrap(), (kept.clone(), None));
        assert!(first.exists() && !second.exists());
        assert_eq!(store.setting(SETTING).await.unwrap(), Some(kept.clone()));
        let (other, made) = offer(&store, None, Some(&second), true).await.unwrap();
        assert!(other != kept && made.is_some() && second.exists(), "a reset is one");
    }

    #[test]
    fn only_the_token_opens() {
        let token = new_token();
        let access = Access { hash: hash_of(&token) };
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
            let code = access.check(Permission::View, &headers(values)).err().and_then(|refusal| refusal.code());
            assert_eq!(code, *expected, "{values:?}");
        }
        assert!(access.check(Permission::Public, &headers(&[])).is_ok());
    }

    #[test]
    fn token_of_workers_opens_its_queues_until_it_expires() {
        let at = Timestamp::from_millis;
        let token = |text: &str, name: &str, expires_at| {
            let queues = vec!["mail".to_owned()];
            Arc::new(WorkerToken { name: name.into(), hash: hash_of(text), queues, created_at: at(0), expires_at })
        };
        let tokens = [token("ms_a", "a", None), token("ms_b", "b", Some(at(5_000)))];
        let check = |text: &str, now| check_worker(&tokens, &headers(&[&format!("Bearer {text}")]), at(now));
        let pass = check("ms_a", 9_000).unwrap();
        assert_eq!((pass.name(), pass.opens("mail"), pass.opens("default")), (Some("a"), true, false));
        assert_eq!(check("ms_b", 4_999).unwrap().name(), Some("b"));
        assert_eq!(check("ms_b", 5_000).unwrap_err().code(), Some(ErrorCode::WorkerTokenExpired));
        assert_eq!(check("ms_c", 0).unwrap_err().code(), Some(ErrorCode::AuthInvalid));
        assert!(Pass::Server.opens("anything"));
    }

    #[test]
    fn hashes_survive_their_text() {
        let hash = hash_of("a");
        assert_eq!(from_hex(&to_hex(&hash)), Some(hash));
        for bad in ["", "zz", &"ä".repeat(32)] {
            assert_eq!(from_hex(bad), None, "{bad}");
        }
    }
}
