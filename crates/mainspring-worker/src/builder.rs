//! The settings of a worker, and what may be wrong with them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use mainspring_api::client::ClientError;
use mainspring_api::{WorkerSpec, is_valid_name};
use mainspring_tasks::{Attempt, Handler, Handlers, SettingsError, TaskRunner};

use crate::core::Core;
use crate::execute::Executor;
use crate::handler::RunContext;
use crate::journal::Journal;
use crate::link::{Link, LinkError, Token, Trouble};
use crate::worker::Worker;

/// Settings of a [`Worker`].
#[must_use]
pub struct Builder {
    servers: Vec<String>,
    plain_http: bool,
    token: Token,
    spec: WorkerSpec,
    handlers: Handlers<RunContext>,
    tasks: Option<mainspring_tasks::Settings>,
    journal: Option<PathBuf>,
    kill_grace: Duration,
}

/// The reason why a worker cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// A setting makes no sense. Correct it.
    #[error("{0}")]
    Setting(String),
    /// An address, or the token, is none.
    #[error(transparent)]
    Address(ClientError),
    /// The file with the token cannot be read.
    #[error("cannot read the token file {path}")]
    Token {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: std::io::Error,
    },
    /// Another worker has the journal. Give each a file of its own.
    #[error("another worker uses the journal {path}")]
    JournalInUse {
        /// The file.
        path: PathBuf,
    },
    /// The journal cannot be used.
    #[error("cannot use the journal {path}")]
    Journal {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: std::io::Error,
    },
    /// Shell lines, programs and HTTP calls cannot be executed so.
    #[error(transparent)]
    Tasks(#[from] SettingsError),
    /// The server refuses the worker or its token.
    #[error(transparent)]
    Refused(ClientError),
}

impl Builder {
    pub(crate) fn new(server: String) -> Self {
        Self {
            servers: vec![server],
            plain_http: false,
            token: Token::None,
            spec: WorkerSpec {
                name: "worker".to_owned(),
                queues: vec!["default".to_owned()],
                slots: 1,
                labels: BTreeMap::new(),
                version: Some(concat!("mainspring-worker ", env!("CARGO_PKG_VERSION")).to_owned()),
            },
            handlers: Handlers::default(),
            tasks: None,
            journal: None,
            kill_grace: Duration::from_secs(10),
        }
    }

    /// Adds a server of the same cluster, for when the one in use does not answer.
    pub fn server(mut self, address: impl Into<String>) -> Self {
        self.servers.push(address.into());
        self
    }

    /// Allows `http://` to other machines, where anyone on the way reads the token.
    pub fn allow_plain_http(mut self) -> Self {
        self.plain_http = true;
        self
    }

    /// Sets the token for the servers.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Token::Text(token.into());
        self
    }

    /// Sets the file with the token. It is read again when a server no longer knows the token.
    pub fn token_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.token = Token::File(path.into());
        self
    }

    /// Sets the name of the worker in lists; default `worker`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.spec.name = name.into();
        self
    }

    /// Sets the queues to claim from, in order of preference; default `default`.
    pub fn queues<T: Into<String>>(mut self, queues: impl IntoIterator<Item = T>) -> Self {
        self.spec.queues = queues.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the number of slots; default 1.
    pub fn slots(mut self, slots: u32) -> Self {
        self.spec.slots = slots;
        self
    }

    /// Adds a label, for jobs that select workers.
    pub fn label(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.spec.labels.insert(key.into(), value.into());
        self
    }

    /// Sets the version of the program, for lists of workers.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.spec.version = Some(version.into());
        self
    }

    /// Registers a function for jobs of kind `handler`.
    pub fn handler(self, name: impl Into<String>, handler: impl Handler<RunContext>) -> Self {
        self.handlers.register(name, handler);
        self
    }

    /// Executes shell lines, programs and HTTP calls as well, under these settings.
    pub fn tasks(mut self, settings: mainspring_tasks::Settings) -> Self {
        self.tasks = Some(settings);
        self
    }

    /// Keeps ends on disk until a server has recorded them. Without a journal they are lost with the process.
    pub fn journal(mut self, path: impl Into<PathBuf>) -> Self {
        self.journal = Some(path.into());
        self
    }

    /// Sets the time between TERM and KILL; default 10 s.
    pub fn kill_grace(mut self, grace: Duration) -> Self {
        self.kill_grace = grace;
        self
    }

    /// Starts the worker. Returns once it has joined; a server that does not answer is waited for.
    ///
    /// # Errors
    /// [`StartError`]: a setting makes no sense, a file cannot be used, or the server refuses the worker.
    pub async fn start(self) -> Result<Worker, StartError> {
        check(&self.spec, self.kill_grace)?;
        let link = Link::new(self.servers, self.plain_http, self.token)?;
        let runner = self.tasks.map(TaskRunner::new).transpose()?;
        let (journal, legacy) = match &self.journal {
            Some(path) => {
                let (journal, legacy) = Journal::open(path).map_err(|source| journal_error(path.clone(), source))?;
                (Some(journal), legacy)
            }
            None => (None, None),
        };
        let executor = Executor { handlers: self.handlers, runner, kill_grace: self.kill_grace };
        let (core, incoming) = Core::new(self.spec, link, executor, journal);
        if let Some(legacy) = legacy {
            core.settle_legacy(legacy).await.map_err(start_error)?;
        }
        let joined = core.join().await.map_err(start_error)?;
        Ok(Worker::start(core, incoming, joined))
    }
}

fn check(spec: &WorkerSpec, kill_grace: Duration) -> Result<(), StartError> {
    let wrong = |what: String| Err(StartError::Setting(what));
    let name = |what: &str, name: &str| match is_valid_name(name) {
        true => Ok(()),
        false => Err(StartError::Setting(format!(
            "{what} {name:?} is no name: 1 to 128 letters, digits, `.`, `_`, `-`, not beginning with a sign"
        ))),
    };
    name("the worker's name", &spec.name)?;
    spec.queues.iter().try_for_each(|queue| name("the queue", queue))?;
    spec.labels.keys().try_for_each(|key| name("the label", key))?;
    if spec.queues.is_empty() {
        return wrong("a worker without a queue gets nothing to do; name at least one".to_owned());
    }
    if spec.slots == 0 {
        return wrong("a worker with 0 slots executes nothing; give it at least 1".to_owned());
    }
    if kill_grace > Attempt::KILL_GRACE_MAX {
        return wrong(format!("the kill grace is longer than {:?}", Attempt::KILL_GRACE_MAX));
    }
    Ok(())
}

fn journal_error(path: PathBuf, source: std::io::Error) -> StartError {
    match source.kind() {
        std::io::ErrorKind::WouldBlock => StartError::JournalInUse { path },
        _ => StartError::Journal { path, source },
    }
}

fn start_error(trouble: Trouble) -> StartError {
    match trouble {
        Trouble::Denied(error) | Trouble::Refused(error) | Trouble::Passing(error) => StartError::Refused(error),
        Trouble::Dismissed | Trouble::Stale | Trouble::Late => {
            StartError::Setting(format!("the server does not know workers: {trouble}"))
        }
    }
}

impl From<LinkError> for StartError {
    fn from(error: LinkError) -> Self {
        match error {
            LinkError::TokenFile { path, source } => Self::Token { path, source },
            LinkError::Client(error) => Self::Address(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn refused(builder: Builder) -> String {
        let started = tokio::time::timeout(Duration::from_secs(20), builder.start()).await;
        started.expect("it is refused before anything is sent").expect_err("it is refused").to_string()
    }

    fn builder() -> Builder {
        Builder::new("http://127.0.0.1:1".to_owned())
    }

    #[tokio::test]
    async fn settings_that_make_no_sense_are_refused_before_anything_is_sent() {
        let folder = tempfile::tempdir().unwrap();
        let cases = [
            (builder().slots(0), "0 slots"),
            (builder().queues([""; 0]), "without a queue"),
            (builder().queues(["a b"]), "\"a b\""),
            (builder().name(""), "name \"\""),
            (builder().label("a b", "c"), "label \"a b\""),
            (builder().server("nowhere"), "\"nowhere\" is not an address"),
            (builder().server("http://ms.example.org"), "in the clear"),
            (builder().token_file(folder.path().join("none")), "cannot read the token file"),
            (builder().journal(folder.path().join("none/journal")), "cannot use the journal"),
            (builder().kill_grace(Duration::from_secs(4_000)), "kill grace"),
        ];
        for (builder, expected) in cases {
            let said = refused(builder).await;
            assert!(said.contains(expected), "{said}");
        }
        let path = folder.path().join("journal");
        let _held = Journal::open(&path).unwrap();
        assert!(refused(builder().journal(path)).await.contains("another worker uses the journal"));
    }
}
