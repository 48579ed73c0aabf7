//! Apps as the store keeps them.
//!
//! A token is sent to executors, so it is kept as it is and not as a hash: `docs/decisions/xxl-tokens.md`.

mod known;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mainspring_schedule::Timestamp;
use mainspring_store::{Document, DocumentExpect, Store};
use mainspring_xxl::{Address, Credentials, Tokens};
use serde::{Deserialize, Serialize};

pub(super) use known::{known, lately};

/// The kind of their documents.
const KIND: &str = "xxl_app";
/// Apps at most.
pub(crate) const APPS_MAX: u32 = 1_000;
/// Runs that one executor is given at a time, if nothing is said: as many requests as Java's executors serve at once.
pub(crate) const SLOTS: u32 = 200;
/// Executors of an app that may register, if nothing is said.
pub(crate) const INSTANCES: u32 = 1_000;
/// How long the token before the present one opens as well.
pub(crate) const OLD_TOKEN_MS: i64 = 24 * 3_600_000;
/// For how long apps are not read again: a token that is replaced through another node opens for that long.
const KEPT: Duration = Duration::from_secs(1);
/// The token that XXL-JOB ships since 2.3.1.
pub(crate) const DEFAULT_TOKEN: &str = "default_token";

/// An app.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct AppRow {
    pub(crate) name: String,
    /// Counts its changes.
    pub(crate) version: i64,
    pub(crate) kept: Kept,
}

/// What is kept of an app.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    pub(crate) addresses: Vec<String>,
    pub(crate) slots: u32,
    /// Executors that may register at one node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) instances_max: Option<u32>,
    /// Whether scripts are sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) glue: bool,
    /// What scripts of XXL-JOB's console know it by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) number: Option<u32>,
    pub(crate) token: String,
    /// The token before, and until when it opens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) previous: Option<(String, Timestamp)>,
    pub(crate) created_at: Timestamp,
}

impl Kept {
    /// Executors that may register at one node.
    pub(crate) fn instances_max(&self) -> u32 {
        self.instances_max.unwrap_or(INSTANCES)
    }
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept").field("addresses", &self.addresses).finish_non_exhaustive()
    }
}

impl AppRow {
    /// The tokens that open it now.
    pub(crate) fn tokens(&self, now: Timestamp) -> Tokens {
        let previous = self.kept.previous.iter().filter(|(_, until)| now < *until).map(|(token, _)| token.clone());
        Tokens::new(std::iter::once(self.kept.token.clone()).chain(previous))
    }

    /// The token to call an executor with that has last said `given`: the one that it knows, while that opens.
    pub(crate) fn token_for(&self, given: Option<&str>, now: Timestamp) -> String {
        let knows = |token: &&str| {
            self.tokens(now).accept(&Credentials { token: Some((*token).to_owned()), ..Credentials::default() })
        };
        given.filter(knows).unwrap_or(&self.kept.token).to_owned()
    }

    /// Addresses that a person has entered.
    pub(crate) fn addresses(&self) -> Vec<Address> {
        self.kept.addresses.iter().filter_map(|text| Address::parse(text).ok()).collect()
    }

    /// What people should hear of.
    pub(crate) fn warnings(&self, now: Timestamp) -> Vec<String> {
        let mut warnings = Vec::new();
        let previous = self.kept.previous.iter().filter(|(_, until)| now < *until).map(|(token, _)| token);
        if std::iter::once(&self.kept.token).chain(previous).any(|token| token == DEFAULT_TOKEN) {
            warnings.push(format!(
                "the token is {DEFAULT_TOKEN:?}, which XXL-JOB ships and everybody knows: replace it with mainspring xxl app rotate-token"
            ));
        } else if self.kept.token.len() < TOKEN_SHORT {
            warnings.push(format!("the token has fewer than {TOKEN_SHORT} bytes and can be guessed"));
        }
        warnings
    }
}

/// Tokens below this length can be guessed, in bytes.
const TOKEN_SHORT: usize = 16;

fn read(document: &Document) -> Option<AppRow> {
    let kept = serde_json::from_str(&document.body).ok()?;
    Some(AppRow { name: document.name.clone(), version: document.version, kept })
}

/// Reads an app.
pub(crate) async fn find(
    store: &dyn Store,
    name: &str,
    now: Timestamp,
) -> Result<Option<AppRow>, mainspring_store::Error> {
    Ok(store.document(KIND, name, now).await?.as_ref().and_then(read))
}

/// Reads all apps, by name.
pub(crate) async fn all(store: &dyn Store, now: Timestamp) -> Result<Vec<AppRow>, mainspring_store::Error> {
    Ok(store.documents(KIND, None, now, APPS_MAX).await?.iter().filter_map(read).collect())
}

/// Writes an app if it is still at its version; 0: if there is none. Nothing: somebody else was faster.
pub(crate) async fn put(
    store: &dyn Store,
    app: &AppRow,
    now: Timestamp,
) -> Result<Option<AppRow>, mainspring_store::Error> {
    let body = serde_json::to_string(&app.kept).expect("plain data has a text");
    let expect = if app.version == 0 { DocumentExpect::Absent } else { DocumentExpect::Version(app.version) };
    let document =
        Document { kind: KIND.to_owned(), name: app.name.clone(), body, version: 0, at: now, expires_at: None };
    Ok(store.put_document(document, expect).await?.as_ref().and_then(read))
}

/// Removes an app. True: it was there.
pub(crate) async fn remove(store: &dyn Store, name: &str) -> Result<bool, mainspring_store::Error> {
    store.remove_document(KIND, name).await
}

/// Apps by name.
pub(crate) type Apps = Arc<BTreeMap<String, AppRow>>;

/// The apps as they were a moment ago.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    known: Mutex<Known>,
    /// Whoever has it reads them. Others make do with those before for a moment: thousands of executors beat at the same instant.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Known {
    /// The apps, and when they were asked for.
    apps: Option<(Instant, Apps)>,
    /// When they were changed here last: what was asked for before may lack the change.
    changed: Option<Instant>,
}

impl Cache {
    /// Reads the apps, unless that was done within a second.
    pub(crate) async fn read(&self, store: &dyn Store, now: Timestamp) -> Result<Apps, mainspring_store::Error> {
        if let Some(apps) = self.younger_than(KEPT) {
            return Ok(apps);
        }
        let turn = self.turn.try_lock();
        if turn.is_err()
            && let Some(apps) = self.younger_than(2 * KEPT)
        {
            return Ok(apps);
        }
        let asked = Instant::now();
        let apps = all(store, now).await?.into_iter().map(|app| (app.name.clone(), app)).collect();
        let apps = Arc::new(apps);
        self.keep(asked, &apps);
        Ok(apps)
    }

    /// The apps as they were read last, however long ago.
    fn last(&self) -> Option<Apps> {
        self.lock().apps.as_ref().map(|(_, apps)| Arc::clone(apps))
    }

    /// Makes them too old to be taken without a look.
    #[cfg(test)]
    fn age(&self) {
        if let Some((asked, _)) = &mut self.lock().apps {
            *asked = asked.checked_sub(2 * KEPT).expect("the machine runs for longer");
        }
    }

    fn younger_than(&self, age: Duration) -> Option<Apps> {
        let known = self.lock();
        known.apps.as_ref().filter(|(asked, _)| asked.elapsed() < age).map(|(_, apps)| Arc::clone(apps))
    }

    fn keep(&self, asked: Instant, apps: &Apps) {
        let mut known = self.lock();
        if known.changed.is_none_or(|changed| changed < asked) {
            known.apps = Some((asked, Arc::clone(apps)));
        }
    }

    /// Reads the apps anew the next time.
    pub(crate) fn forget(&self) {
        *self.lock() = Known { apps: None, changed: Some(Instant::now()) };
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::task::Poll;

    use tokio::sync::watch;

    use super::*;
    use crate::app::Inner;

    fn app(token: &str, previous: Option<(&str, i64)>) -> AppRow {
        let kept = Kept {
            title: None,
            addresses: Vec::new(),
            slots: SLOTS,
            instances_max: None,
            glue: false,
            number: None,
            token: token.to_owned(),
            previous: previous.map(|(token, until)| (token.to_owned(), Timestamp::from_millis(until))),
            created_at: Timestamp::UNIX_EPOCH,
        };
        AppRow { name: "mail".to_owned(), version: 1, kept }
    }

    #[tokio::test]
    async fn apps_that_cannot_be_read_are_waited_for() {
        let (closing, closed) = watch::channel(false);
        let served = Inner::in_memory(closed).await;
        let store = Arc::clone(served.control().store());
        let mut mail = app("secret", None);
        (mail.version, mail.kept.glue) = (0, true);
        put(&*store, &mail, served.now()).await.unwrap().unwrap();
        assert!(known(&served).await.unwrap()["mail"].kept.glue);

        store.close().await.unwrap();
        served.xxl.apps.age();
        assert!(served.xxl.apps.read(&*store, served.now()).await.is_err());
        assert!(lately(&served).await.unwrap()["mail"].kept.glue, "who is there is heard while the store is away");
        served.xxl.apps.forget();
        assert!(lately(&served).await.is_err(), "they were changed since");
        let mut reading = pin!(known(&served));
        let waits = poll_fn(|context| Poll::Ready(reading.as_mut().poll(context).is_pending())).await;
        assert!(waits, "nobody can say what the apps are");
        closing.send_replace(true);
        assert_eq!(reading.await, None);
    }

    #[test]
    fn apps_that_were_asked_for_before_a_change_are_not_kept_after_it() {
        let cache = Cache::default();
        let asked = Instant::now();
        cache.forget();
        cache.keep(asked, &Apps::default());
        assert!(cache.lock().apps.is_none(), "the change may be missing from them");
        let changed = cache.lock().changed.unwrap();
        cache.keep(changed + Duration::from_nanos(1), &Apps::default());
        assert!(cache.lock().apps.is_some());
    }

    #[test]
    fn an_executor_is_called_with_the_token_that_it_knows() {
        let (app, at) = (app("new", Some(("old", 10))), Timestamp::from_millis);
        for (given, now, sent) in [
            (None, 5, "new"),
            (Some("old"), 5, "old"),
            (Some("old"), 10, "new"),
            (Some("new"), 5, "new"),
            (Some("other"), 5, "new"),
        ] {
            assert_eq!(app.token_for(given, at(now)), sent, "{given:?} at {now}");
        }
    }

    #[test]
    fn tokens_that_others_know_are_warned_of() {
        let at = Timestamp::from_millis(0);
        assert_eq!(app("a-token-that-is-long", None).warnings(at), Vec::<String>::new());
        assert!(app(DEFAULT_TOKEN, None).warnings(at)[0].contains("everybody knows"));
        assert!(app("a-token-that-is-long", Some((DEFAULT_TOKEN, 1))).warnings(at)[0].contains("everybody knows"));
        assert!(app("short", None).warnings(at)[0].contains("can be guessed"));
        assert!(!format!("{:?}", app("secret", None)).contains("secret"));
    }
}
