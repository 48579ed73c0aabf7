//! The way to the servers: one of several at a time, with a token that may change, and pauses that grow.

use std::future::Future;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mainspring_api::ErrorCode;
use mainspring_api::client::{Client, ClientError};

use crate::clock::boot_ms;

/// The time limit of a request that is not held. A longer one would use up the time in which a worker has to be heard.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(4);
const PAUSE_MS: (u64, u64) = (100, 3_000);
/// The least pause after a server said that it has too much to do.
const BUSY_PAUSE_MS: u64 = 1_000;
/// The number of failures in sequence per line of the log.
const FAILURES_PER_LINE: u32 = 50;

/// The time for which a server that gave no answer is not preferred to one that answers and drains.
const SHUNNED_MS: u64 = 5_000;

/// The token for the servers.
#[derive(Clone, Default)]
pub(crate) enum Token {
    #[default]
    None,
    Text(String),
    /// Read again whenever a server does not know the token.
    File(PathBuf),
}

/// The reason why a request failed, and its consequence.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// The server knows no such worker: this life is over.
    #[error("the worker was taken for dead")]
    Dismissed,
    /// A newer poll has come before.
    #[error("a newer poll was answered")]
    Stale,
    /// The token opens nothing, or not this.
    #[error(transparent)]
    Denied(ClientError),
    /// The same request is never answered otherwise.
    #[error(transparent)]
    Refused(ClientError),
    /// Trying again helps sooner or later.
    #[error(transparent)]
    Passing(ClientError),
    /// There is no time to wait for this server any longer.
    #[error("no answer in time to ask another server")]
    Late,
}

/// See the [module](self).
pub(crate) struct Link {
    addresses: Vec<String>,
    plain_http: bool,
    token: Token,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    token: Option<String>,
    clients: Vec<Client>,
    at: usize,
    /// The time of each server's last failure.
    failed_ms: Vec<Option<u64>>,
}

impl Link {
    /// Checks addresses and token; nothing is sent.
    pub(crate) fn new(addresses: Vec<String>, plain_http: bool, token: Token) -> Result<Self, LinkError> {
        let link = Self { addresses, plain_http, token, state: Mutex::default() };
        let text = link.token_text()?;
        let clients = link.clients(text.as_deref())?;
        let failed_ms = vec![None; clients.len()];
        *link.state() = State { token: text, clients, at: 0, failed_ms };
        Ok(link)
    }

    /// Sends one request to the server that is in use. One that gives no answer loses its place to the next.
    pub(crate) async fn ask<T, Fut>(&self, request: impl FnOnce(Client) -> Fut) -> Result<T, Trouble>
    where
        Fut: Future<Output = Result<T, ClientError>>,
    {
        let (at, client) = {
            let state = self.state();
            (state.at, state.clients[state.at].clone())
        };
        request(client).await.map_err(judge).inspect_err(|trouble| match trouble {
            Trouble::Passing(_) => self.turn_from(at),
            Trouble::Denied(_) => self.read_token_again(),
            Trouble::Dismissed | Trouble::Stale | Trouble::Refused(_) | Trouble::Late => {}
        })
    }

    /// Asks as [`Link::ask`] does, but turns to the next server, if there is one, after `limit`.
    pub(crate) async fn ask_within<T, Fut>(
        &self,
        limit: Duration,
        request: impl FnOnce(Client) -> Fut,
    ) -> Result<T, Trouble>
    where
        Fut: Future<Output = Result<T, ClientError>>,
    {
        if self.addresses.len() == 1 {
            return self.ask(request).await;
        }
        let at = self.state().at;
        tokio::time::timeout(limit, self.ask(request)).await.unwrap_or_else(|_| {
            self.turn_from(at);
            Err(Trouble::Late)
        })
    }

    /// Returns the address in use.
    pub(crate) fn address(&self) -> String {
        let state = self.state();
        state.clients[state.at].address().to_owned()
    }

    fn turn_from(&self, at: usize) {
        let mut state = self.state();
        state.failed_ms[at] = Some(boot_ms());
        if state.at == at {
            state.at = (at + 1) % state.clients.len();
        }
    }

    /// Turns from a server that stops, unless the next one has just given no answer: one that stops still hears the worker.
    pub(crate) fn turn_from_draining(&self) {
        let mut state = self.state();
        let next = (state.at + 1) % state.clients.len();
        if state.failed_ms[next].is_none_or(|failed| boot_ms().saturating_sub(failed) > SHUNNED_MS) {
            state.at = next;
        }
    }

    fn read_token_again(&self) {
        let fresh = self.token_text().and_then(|text| Ok((self.clients(text.as_deref())?, text)));
        match fresh {
            Ok((clients, token)) => {
                let mut state = self.state();
                if state.token != token {
                    tracing::info!("the token file has another token now");
                    (state.clients, state.token) = (clients, token);
                }
            }
            Err(error) => tracing::warn!(%error, "the token cannot be read again"),
        }
    }

    fn token_text(&self) -> Result<Option<String>, LinkError> {
        Ok(match &self.token {
            Token::None => None,
            Token::Text(text) => Some(text.clone()),
            Token::File(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|source| LinkError::TokenFile { path: path.clone(), source })?;
                Some(text.trim().to_owned())
            }
        })
    }

    fn clients(&self, token: Option<&str>) -> Result<Vec<Client>, LinkError> {
        let clients = self.addresses.iter().map(|address| {
            let mut client = Client::builder(address).timeout(REQUEST_TIMEOUT);
            if let Some(token) = token {
                client = client.token(token);
            }
            if self.plain_http { client.allow_plain_http() } else { client }.build()
        });
        clients.collect::<Result<_, _>>().map_err(LinkError::Client)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reason why the servers cannot be reached.
#[derive(Debug)]
pub(crate) enum LinkError {
    TokenFile { path: PathBuf, source: std::io::Error },
    Client(ClientError),
}

impl std::fmt::Display for LinkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TokenFile { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            Self::Client(error) => error.fmt(f),
        }
    }
}

/// Classifies an error.
fn judge(error: ClientError) -> Trouble {
    let status = error.problem().map(|problem| problem.status);
    match (error.code(), status) {
        (Some(ErrorCode::WorkerNotFound), _) => Trouble::Dismissed,
        (Some(ErrorCode::WorkerStalePoll), _) => Trouble::Stale,
        (_, Some(401 | 403)) => Trouble::Denied(error),
        (_, Some(408 | 429 | 500..) | None) => Trouble::Passing(error),
        (_, Some(_)) => Trouble::Refused(error),
    }
}

/// Pauses between repeats: each about twice the one before, and never quite the same for two workers.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// Notes a failure, and says how long to wait.
    pub(crate) fn after(&mut self, trouble: &Trouble, what: &'static str) -> Duration {
        if self.failures.is_multiple_of(FAILURES_PER_LINE) {
            tracing::warn!(error = %trouble, failures = self.failures + 1, "cannot {what}; trying again");
        }
        let busy = matches!(trouble, Trouble::Passing(error) if error.code() == Some(ErrorCode::ServerBusy));
        let pause = pause_ms(self.failures, random()).max(if busy { BUSY_PAUSE_MS } else { 0 });
        self.failures = self.failures.saturating_add(1);
        Duration::from_millis(pause)
    }

    /// Notes a success.
    pub(crate) fn over(&mut self, what: &'static str) {
        if std::mem::take(&mut self.failures) > 0 {
            tracing::info!("can {what} again");
        }
    }
}

/// Returns half to all of the pause after this many failures; `random` decides.
pub fn pause_ms(failures: u32, random: u64) -> u64 {
    let (first, most) = PAUSE_MS;
    let whole = (first << failures.min(16)).min(most);
    whole / 2 + random % (whole / 2 + 1)
}

fn random() -> u64 {
    getrandom::u64().expect("the operating system has random bytes")
}

#[cfg(test)]
mod tests {
    use mainspring_api::ProblemDetails;

    use super::*;

    fn refused(code: ErrorCode) -> Trouble {
        judge(ClientError::Refused(Box::new(ProblemDetails::new(code, "detail"))))
    }

    #[test]
    fn each_answer_means_something() {
        assert!(matches!(refused(ErrorCode::WorkerNotFound), Trouble::Dismissed));
        assert!(matches!(refused(ErrorCode::WorkerStalePoll), Trouble::Stale));
        for code in
            [ErrorCode::AuthInvalid, ErrorCode::AuthForbidden, ErrorCode::WorkerTokenExpired, ErrorCode::WorkerQueue]
        {
            assert!(matches!(refused(code), Trouble::Denied(_)), "{code}");
        }
        for code in
            [ErrorCode::ServerBusy, ErrorCode::ServerDraining, ErrorCode::StoreUnavailable, ErrorCode::ServerInternal]
        {
            assert!(matches!(refused(code), Trouble::Passing(_)), "{code}");
        }
        for code in [ErrorCode::WorkerOutput, ErrorCode::DocumentTooLarge, ErrorCode::JobNotFound] {
            assert!(matches!(refused(code), Trouble::Refused(_)), "{code}");
        }
        let strange = ClientError::NotUnderstood { status: 404, reason: "a proxy".to_owned() };
        assert!(matches!(judge(strange), Trouble::Passing(_)));
    }

    #[test]
    fn pauses_grow_to_a_limit_and_differ() {
        assert_eq!((pause_ms(0, 0), pause_ms(0, 50), pause_ms(0, 51)), (50, 100, 50));
        assert_eq!((pause_ms(3, 0), pause_ms(3, 400)), (400, 800));
        for failures in [10, 100, u32::MAX] {
            assert!((PAUSE_MS.1 / 2..=PAUSE_MS.1).contains(&pause_ms(failures, 12_345)));
        }
        let busy = refused(ErrorCode::ServerBusy);
        assert!(Backoff::default().after(&busy, "ask") >= Duration::from_millis(BUSY_PAUSE_MS));
    }

    fn link(token: Token) -> Result<Link, LinkError> {
        Link::new(vec!["http://127.0.0.1:1".to_owned(), "http://127.0.0.1:2".to_owned()], false, token)
    }

    #[tokio::test]
    async fn a_server_without_an_answer_loses_its_place() {
        let link = link(Token::None).unwrap();
        let away = || Err::<(), _>(ClientError::NotUnderstood { status: 502, reason: String::new() });
        let first = link.address();
        assert!(link.ask(|_| async { away() }).await.is_err());
        let second = link.address();
        assert_ne!(first, second);
        link.turn_from(0);
        assert_eq!(link.address(), second, "two requests failed at the same server");
        assert!(link.ask(|_| async { away() }).await.is_err());
        assert_eq!(link.address(), first);
    }

    #[tokio::test]
    async fn a_server_that_stops_is_left_unless_the_other_is_away() {
        let link = link(Token::None).unwrap();
        let first = link.address();
        link.turn_from_draining();
        assert_ne!(link.address(), first);
        let away = ClientError::NotUnderstood { status: 502, reason: String::new() };
        assert!(link.ask(|_| async { Err::<(), _>(away) }).await.is_err());
        link.turn_from_draining();
        assert_eq!(link.address(), first, "the other has just given no answer");
    }

    #[tokio::test]
    async fn a_token_that_is_not_known_any_more_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "old\n").unwrap();
        let link = link(Token::File(file.clone())).unwrap();
        std::fs::write(&file, "new\n").unwrap();
        let unknown = ProblemDetails::new(ErrorCode::AuthInvalid, "no");
        assert!(link.ask(|_| async { Err::<(), _>(ClientError::Refused(Box::new(unknown))) }).await.is_err());
        assert_eq!(link.state().token.as_deref(), Some("new"));
        std::fs::remove_file(&file).unwrap();
        link.read_token_again();
        assert_eq!(link.state().token.as_deref(), Some("new"), "the last one that could be read");
    }
}
