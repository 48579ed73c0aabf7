//! The built-in task kinds as plain data.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use mainspring_model::ScriptLanguage;
use serde_json::Value;

/// The work of one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// A script, handed to a shell as one argument. Parameters reach it through its environment.
    /// It ends when the shell does; what it left in the background is ended then.
    Run {
        /// The text of the script.
        script: String,
        /// The shell: a program name or path that takes `-c`, `sh` when absent.
        shell: Option<String>,
    },
    /// A program and its arguments, started without a shell. It ends as a script does.
    Exec {
        /// The program, looked up in `PATH` when it has no slash, then its arguments.
        argv: Vec<String>,
    },
    /// A script, which the interpreter of its language reads from a private file. It ends as a program does. Refused unless
    /// [`Settings::scripts`](crate::Settings::scripts) says otherwise.
    Script(Script),
    /// A request to a web server.
    Http(HttpCall),
    /// Nothing; succeeds at once.
    Noop,
}

/// A text for an interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Language of the text: the interpreter is the first of [`ScriptLanguage::programs`] that `PATH` leads to.
    pub language: ScriptLanguage,
    /// The text.
    pub source: String,
    /// Its arguments. Parameters reach it through its environment.
    pub args: Vec<String>,
    /// A file that it reads as its standard input; nothing if absent.
    pub stdin: Option<PathBuf>,
}

impl Script {
    /// Returns the arguments of a script as XXL-JOB's executors give them: the parameter, the shard from 0, and the number of shards.
    ///
    /// The parameter is the run's input, a text as it is and anything else as JSON; a run that is no shard is the only one.
    ///
    /// ```
    /// use mainspring_tasks::Script;
    /// let args = Script::xxl_args(&"/var/spool".into(), &Default::default());
    /// assert_eq!(args, ["/var/spool", "0", "1"]);
    /// ```
    pub fn xxl_args(input: &Value, env: &BTreeMap<String, String>) -> Vec<String> {
        let parameter = match input {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let shard = |name: &str, alone: &str| env.get(name).map_or_else(|| alone.to_owned(), String::clone);
        vec![parameter, shard("MS_SHARD_INDEX", "0"), shard("MS_SHARD_TOTAL", "1")]
    }
}

/// One HTTP request and what counts as its success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpCall {
    /// The method in capitals, for instance `GET`.
    pub method: String,
    /// An absolute `http` or `https` address without user name and password.
    pub url: String,
    /// Headers by name. They go to the host of `url` only, never on to the target of a redirect
    /// elsewhere.
    pub headers: BTreeMap<String, String>,
    /// The body that is sent.
    pub body: Option<Vec<u8>>,
    /// The bytes of the answer's body that are kept for the caller, in place of the log; a longer body is an error. 0: it goes
    /// into the log.
    pub keep_max: usize,
    /// Status codes that mean success. A redirect status in here is not followed.
    pub expect: Vec<StatusRange>,
    /// Limit in milliseconds for the whole exchange, body and redirects included.
    pub timeout_ms: u64,
    /// Whether the server's certificate must be valid.
    pub verify_tls: bool,
    /// The number of redirects to follow, [`HttpCall::REDIRECTS_MAX`] at most.
    pub redirects_max: u8,
}

impl HttpCall {
    /// Milliseconds for the exchange if nothing is said.
    pub const TIMEOUT_MS: u64 = 30_000;
    /// The limit for [`HttpCall::redirects_max`].
    pub const REDIRECTS_MAX: u8 = 3;

    /// Creates a `GET` of `url` that expects 200 to 299 within 30 seconds.
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            method: "GET".to_owned(),
            url: url.into(),
            headers: BTreeMap::new(),
            body: None,
            keep_max: 0,
            expect: vec![StatusRange::SUCCESS],
            timeout_ms: Self::TIMEOUT_MS,
            verify_tls: true,
            redirects_max: Self::REDIRECTS_MAX,
        }
    }

    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }

    pub(crate) fn expects(&self, status: u16) -> bool {
        self.expect.iter().any(|range| range.contains(status))
    }
}

/// A range of HTTP status codes, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusRange {
    /// The lowest status.
    pub first: u16,
    /// The highest status.
    pub last: u16,
}

impl StatusRange {
    /// 200 to 299.
    pub const SUCCESS: Self = Self { first: 200, last: 299 };

    /// Tells whether `status` lies in the range.
    ///
    /// ```
    /// use mainspring_tasks::StatusRange;
    ///
    /// assert!(StatusRange::SUCCESS.contains(204));
    /// assert!(!StatusRange { first: 404, last: 404 }.contains(200));
    /// ```
    pub fn contains(self, status: u16) -> bool {
        (self.first..=self.last).contains(&status)
    }
}

impl fmt::Display for StatusRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            return write!(f, "{}", self.first);
        }
        write!(f, "{}-{}", self.first, self.last)
    }
}
