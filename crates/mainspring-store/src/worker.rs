//! Workers of other machines, and the tokens with which they join.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::{Incarnation, Timestamp};

use crate::error::Error;

/// What a worker says of itself when it joins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkerInfo {
    /// Under which it claims runs.
    pub id: Incarnation,
    /// What people call it.
    pub name: String,
    /// Queues that it takes runs from, in order of preference.
    pub queues: Vec<String>,
    /// For selecting.
    pub labels: BTreeMap<String, String>,
    /// Its place in the order of workers, if people have given it one.
    pub place: Option<u32>,
    /// Runs that it executes at a time.
    pub slots: u32,
    /// What program it is.
    pub version: Option<String>,
    /// The token with which it joined, by name; absent for the server's own.
    pub token: Option<String>,
    /// The process start that heard it.
    pub node: Incarnation,
    /// When it joined.
    pub joined_at: Timestamp,
}

/// A worker as it is now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkerRow {
    /// What it said when it joined; the process start is the one that heard it last.
    pub info: WorkerInfo,
    /// When it was counted up last.
    pub heard_at: Timestamp,
    /// Runs that it executes.
    pub running: u32,
    /// Whether it is given nothing new.
    pub draining: bool,
    /// How far its clock is ahead of the servers', in milliseconds, give or take what its messages need; absent if it does not tell its time.
    pub clock_offset_ms: Option<i64>,
}

/// As what a worker is kept among those that execute runs; a node under its name. No name begins so.
pub(crate) fn executor(worker: &str) -> String {
    format!("{WORKER}{worker}")
}

/// The node or the worker that is kept so.
pub(crate) fn executor_of(kept: Option<String>) -> (Option<String>, Option<String>) {
    match kept {
        Some(name) => match name.strip_prefix(WORKER) {
            Some(worker) => (None, Some(worker.to_owned())),
            None => (Some(name), None),
        },
        None => (None, None),
    }
}

const WORKER: char = '@';

/// Why nothing is claimed for a worker.
pub(crate) fn is_draining(worker: Incarnation) -> Error {
    Error::Conflict { what: "worker", key: worker.to_string(), why: "is draining".into() }
}

/// A token with which workers join.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkerToken {
    /// What people call it.
    pub name: String,
    /// SHA-256 of the token.
    pub hash: [u8; 32],
    /// Queues that its workers may take runs from; all if empty.
    pub queues: Vec<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// It opens nothing from then on.
    pub expires_at: Option<Timestamp>,
}

/// How many runs of a queue one call of [`crate::Store::route`] looks at in the order of claims. Of those behind them, it looks at the first of
/// each job.
pub const ROUTED_MAX: u32 = 512;

/// What came of picking workers for runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Routed {
    /// Runs that were put into lines of workers, shards included.
    pub moved: u32,
    /// Runs that were looked at and stay, because no worker is there for them or the limit is reached.
    pub waiting: u32,
    /// The lines of workers in which runs wait now.
    pub lines: BTreeSet<String>,
}
