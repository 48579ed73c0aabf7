//! Settings of a server, and why it cannot start with them.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use mainspring_tasks::OutboundPolicy;
use tokio::runtime::Handle;

use crate::inspect::Inspect;

/// How a server is to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to listen. Loopback unless said otherwise; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Where the token and the address are written, for the command line on the same machine.
    pub data_dir: Option<PathBuf>,
    /// IANA zone of triggers that name none.
    pub default_timezone: String,
    /// Makes a new token, and forgets the one before.
    pub reset_token: bool,
    /// A file with the token, in place of one that a start makes: nodes of a cluster have the same.
    pub token_file: Option<PathBuf>,
    /// A file with a second token, without which nobody adds or changes scripts. The access token does if absent.
    pub script_token_file: Option<PathBuf>,
    /// How this node is called; the host's name if absent.
    pub node_name: Option<String>,
    /// Slots of the engine's pool, for show.
    pub slots: u32,
    /// Path that API and console are under, such as `/jobs`; empty for none. Requests are answered without it as well, for proxies
    /// that take it off.
    pub base_path: String,
    /// Address by which browsers reach the server, where it is another one than that of the requests: `https://HOST` or
    /// `https://HOST/PATH`. With `https`, cookies travel over TLS only.
    pub public_url: Option<String>,
    /// Threads on which requests are answered, apart from the engine's: a request that keeps its thread busy then delays other
    /// requests, and no fire. Those of whoever starts the server, if absent. They must live until the engine has stopped.
    pub requests: Option<Handle>,
    /// Connections at a time; half of the files that the process may open if absent, 16,384 at most.
    pub connections: Option<usize>,
    /// Where XXL-JOB's executors may be beyond public addresses. Private networks if absent, and this machine while the server listens
    /// nowhere else.
    pub executors: Option<OutboundPolicy>,
    /// Whether the form endpoints of XXL-JOB's console are there, for scripts that call them.
    pub xxl_forms: bool,
    /// Looks at every answer before it leaves, for tests.
    pub inspect: Option<Inspect>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 7070)),
            data_dir: None,
            default_timezone: "UTC".to_owned(),
            reset_token: false,
            token_file: None,
            script_token_file: None,
            node_name: None,
            slots: mainspring_core::planner::Settings::default().slots,
            base_path: String::new(),
            public_url: None,
            requests: None,
            connections: None,
            executors: None,
            xxl_forms: false,
            inspect: None,
        }
    }
}

/// Why a server could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {why}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What is in the way, and what to do.
        why: String,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A file of the data folder cannot be written.
    #[error("cannot write {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The setting names no zone.
    #[error("the default time zone cannot be used: {0}")]
    Zone(String),
    /// The store holds something else than a hash where the token's is kept.
    #[error("the store holds no usable token hash; make a new token")]
    TokenHash,
    /// The file of the settings holds no token.
    #[error("cannot take the access token from {}: {why}", path.display())]
    TokenFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file of the settings holds another token than the one that opens the store's API.
    #[error("{} holds another access token than the store knows; give the token of the node that made it, or replace it with --reset-token", path.display())]
    OtherToken {
        /// The file.
        path: PathBuf,
    },
    /// The store holds something else than a key where that of sessions is kept.
    #[error("the store holds no usable key of sessions")]
    SessionKey,
    /// The base path or the public address of the settings is none.
    #[error("{0}")]
    Site(String),
    /// The store refused.
    #[error(transparent)]
    Store(#[from] mainspring_store::Error),
}
