//! Who may do what: one token for everything, of which the store keeps the SHA-256 only, and sessions of browsers that were
//! opened with it or with a code.
//!
//! Users and roles come later; each route already names the [`Permission`] that it wants, and [`Caller`] says who asks.

mod caller;
mod code;
mod digest;
mod follow;
mod origin;
mod scripts;
pub(crate) mod session;
mod site;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

use mainspring_schedule::Timestamp;
use mainspring_store::{Document, DocumentExpect, Error, Store};
use rustc_hash::FxHashMap;

pub(crate) use self::caller::{Asked, Caller, check_worker};
use self::code::Codes;
use self::digest::{from_hex, same};
pub(crate) use self::digest::{hash_of, to_hex};
pub(crate) use self::follow::follow;
pub(crate) use self::scripts::ScriptRight;
use self::session::{Key, Session};
pub(crate) use self::site::Site;
use crate::files;
use crate::settings::{Settings, StartError};

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
    /// To add and to change scripts, where they have a token of their own.
    Script,
    /// To work: workers with a token of their own may, too.
    Work,
}

/// What it lets its holder do, as a verb.
impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Public => "ask after health",
            Self::View => "see jobs and runs",
            Self::Operate => "run, pause and cancel",
            Self::Edit => "change definitions",
            Self::Script => "add and change scripts",
            Self::Work => "join, take runs and report them",
        })
    }
}

/// Name of the documents that stand for sessions that were ended.
const ENDED: &str = "session_ended";
/// Sessions that may be ended before they expire, at a time.
const ENDED_MAX: u32 = 10_000;

/// Checks tokens and sessions.
#[derive(Debug)]
pub(crate) struct Access {
    secrets: RwLock<Secrets>,
    /// The hash of the token for scripts, if they have one of their own.
    scripts: Option<[u8; 32]>,
    /// Where browsers find the server.
    pub(crate) site: Site,
    codes: Mutex<Codes>,
    /// Sessions that were ended before they expired, and until when their cookies would hold.
    ended: Mutex<FxHashMap<String, Timestamp>>,
}

/// What opens, until somebody replaces it.
#[derive(Clone, Debug)]
struct Secrets {
    hash: [u8; 32],
    /// What signs sessions.
    key: Key,
    /// Counts the times that they were replaced.
    generation: u64,
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
        // Before anything is changed.
        let site = Site::new(&settings.base_path, settings.public_url.as_deref())?;
        let given = settings.token_file.as_deref().map(read_token).transpose()?;
        let own = settings.data_dir.as_ref().map(|folder| folder.join(FILE));
        let (kept, first_token) = match store.setting(SETTING).await? {
            Some(kept) if !settings.reset_token => (kept, None),
            _ => offer(store, given.as_deref(), own.as_deref(), settings.reset_token).await?,
        };
        let hash = from_hex(&kept).ok_or(StartError::TokenHash)?;
        let scripts = settings.script_token_file.as_deref().map(read_token).transpose()?;
        let scripts = scripts.map(|token| hash_of(&token));
        if let (Some(path), true) = (&settings.script_token_file, scripts == Some(hash)) {
            let why = "it is the access token, which opens all but scripts".to_owned();
            return Err(StartError::TokenFile { path: path.clone(), why });
        }
        let access = Self { scripts, ..Self::new(hash, Key::open(store, &hash).await?, site) };
        access.read_ended(store, Timestamp::UNIX_EPOCH).await?;
        match (&settings.token_file, given) {
            (Some(file), Some(token)) if !same(&hash_of(&token), &hash) => {
                Err(StartError::OtherToken { path: file.clone() })
            }
            (file, _) => {
                let own = || own.filter(|file| file.exists()).inspect(|file| drop(files::read_secret(file)));
                let file = file.clone().or_else(own);
                Ok(Opened { access, first_token, file })
            }
        }
    }

    fn new(hash: [u8; 32], key: Key, site: Site) -> Self {
        let secrets = RwLock::new(Secrets { hash, key, generation: 0 });
        Self { secrets, scripts: None, site, codes: Mutex::default(), ended: Mutex::default() }
    }

    fn secrets(&self) -> RwLockReadGuard<'_, Secrets> {
        self.secrets.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a text is the server's token.
    pub(crate) fn is_token(&self, text: &str) -> bool {
        same(&hash_of(text), &self.secrets().hash)
    }

    /// Whether a text is the token for scripts.
    pub(crate) fn is_script_token(&self, text: &str) -> bool {
        self.scripts.is_some_and(|hash| same(&hash_of(text), &hash))
    }

    /// Whether a caller may add and change scripts.
    pub(crate) fn script_right(&self, caller: &Caller) -> ScriptRight {
        ScriptRight(match self.scripts {
            Some(_) => *caller == Caller::Scripts,
            None => caller.may(Permission::Script),
        })
    }

    /// What signs sessions.
    pub(crate) fn key(&self) -> Key {
        self.secrets().key.clone()
    }

    /// Counts the times that the token was replaced.
    pub(crate) fn generation(&self) -> u64 {
        self.secrets().generation
    }

    /// Whether a caller that was let in may still be there.
    pub(crate) fn still(&self, caller: &Caller, generation: u64, now: Timestamp) -> bool {
        match caller {
            Caller::Anyone | Caller::Worker(_) | Caller::Scripts => true,
            Caller::Token => generation == self.generation(),
            Caller::Session(session) => {
                generation == self.generation() && session.expires_at > now && !self.has_ended(session)
            }
        }
    }

    /// Reads what other nodes have changed.
    async fn follow(&self, store: &dyn Store, now: Timestamp) -> Result<(), StartError> {
        let kept = store.setting(SETTING).await?.as_deref().and_then(from_hex);
        if let Some(hash) = kept.filter(|hash| *hash != self.secrets().hash) {
            let key = Key::open(store, &hash).await?;
            let mut secrets = self.secrets.write().unwrap_or_else(PoisonError::into_inner);
            *secrets = Secrets { hash, key, generation: secrets.generation + 1 };
            tracing::warn!("the access token was replaced through another node");
        }
        self.read_ended(store, now).await
    }

    async fn read_ended(&self, store: &dyn Store, now: Timestamp) -> Result<(), StartError> {
        let documents = store.documents(ENDED, None, now, ENDED_MAX).await?;
        let ended = documents.into_iter().filter_map(|document| Some((document.name, document.expires_at?)));
        let mut known = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, until| *until > now);
        known.extend(ended);
        Ok(())
    }

    /// Makes the code of a login link, and says until when it can be used.
    pub(crate) fn make_code(&self, now: Timestamp) -> (String, Timestamp) {
        self.codes.lock().unwrap_or_else(PoisonError::into_inner).make(now)
    }

    /// Uses a code up. Tells whether it could be used.
    pub(crate) fn redeem(&self, code: &str, now: Timestamp) -> bool {
        self.codes.lock().unwrap_or_else(PoisonError::into_inner).redeem(code, now)
    }

    /// Ends a session: its cookies open nothing any more, here from now on, and on other nodes within a second or two.
    pub(crate) async fn end(&self, store: &dyn Store, session: &Session, now: Timestamp) -> Result<(), Error> {
        self.end_here(session, now);
        let document = Document {
            kind: ENDED.to_owned(),
            name: session.id.clone(),
            body: String::new(),
            version: 0,
            at: now,
            expires_at: Some(now + session::LIFETIME_MS),
        };
        store.put_document(document, DocumentExpect::Anything).await.map(drop)
    }

    fn end_here(&self, session: &Session, now: Timestamp) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.retain(|_, until| *until > now);
        // A request under way may just have renewed it.
        ended.insert(session.id.clone(), now + session::LIFETIME_MS);
    }

    /// Whether a session was ended.
    pub(crate) fn has_ended(&self, session: &Session) -> bool {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&session.id)
    }

    #[cfg(test)]
    fn for_test(token: &str) -> Self {
        let hash = hash_of(token);
        Self::new(hash, Key::of(&[1; 32], &hash), Site::default())
    }
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
    let failed = |file: &Path, source| StartError::File { path: file.to_owned(), source };
    let file = made.as_deref().zip(own);
    if let Some((token, file)) = file {
        files::write_private(file, token.as_bytes()).map_err(|error| failed(file, error))?;
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
        std::fs::remove_file(file).map_err(|error| failed(file, error))?;
    }
    Ok((kept, None))
}

/// Reads a token that somebody has chosen: as hard to guess as one of ours looks.
fn read_token(path: &Path) -> Result<String, StartError> {
    let unfit = |why: String| StartError::TokenFile { path: path.to_owned(), why };
    let text = files::read_secret(path).map_err(|error| unfit(error.to_string()))?;
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

#[cfg(test)]
mod tests {
    use mainspring_store::MemoryStore;

    use super::*;

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

    #[tokio::test]
    async fn what_another_node_has_changed_is_followed() {
        let (store, now) = (MemoryStore::new(), Timestamp::from_millis(1_800_000_000_000));
        let open =
            async |reset_token| Access::open(&store, &Settings { reset_token, ..Settings::default() }).await.unwrap();
        let (one, other) = (open(false).await.access, open(false).await.access);
        let session = Session::begin(now);
        one.end(&store, &session, now).await.unwrap();
        assert!(one.has_ended(&session) && !other.has_ended(&session));
        other.follow(&store, now).await.unwrap();
        assert!(other.has_ended(&session), "signed out is signed out on every node");
        assert!(open(false).await.access.has_ended(&session), "after a restart, too");

        let (caller, generation) = (Caller::Session(Session::begin(now)), other.generation());
        assert!(other.still(&caller, generation, now) && other.still(&Caller::Token, generation, now));
        assert!(!other.still(&caller, generation, now + session::LIFETIME_MS), "a session ends");
        let token = open(true).await.first_token.unwrap();
        assert!(!other.is_token(&token));
        other.follow(&store, now).await.unwrap();
        assert!(other.is_token(&token), "the token was replaced");
        assert!(!other.still(&caller, generation, now) && !other.still(&Caller::Token, generation, now));
    }
}
