//! What a database has to do for a store to be kept with it.

use std::future::Future;

use tokio::sync::Notify;

use super::db::Step;
use super::session::Session;
use super::{Batches, key, lane};
use crate::cluster::Cluster;
use crate::error::Result;
use crate::row::{Connections, Disk, PurgeRule, StoreInfo, StoreWarning};

/// Who waits for a change. Each lane has its own limits, so that none stands in another one's way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lane {
    /// Fires.
    Fire,
    /// Ends of attempts.
    Complete,
    /// Claims, and what the engine looks after beside fires.
    Claim,
    /// Log chunks.
    Log,
    /// Requests of people.
    Api,
}

/// Who waits for a read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReadLane {
    /// The engine.
    Engine,
    /// Requests of people: bounded in time.
    Requests,
    /// Counts over everything.
    Counts,
}

/// A database with what it takes to run requests on it.
pub(crate) trait Backend: Send + Sync + 'static {
    type Connection: Batches;

    /// Does `work` in a transaction, and answers when that is durable. It may be done several times; one time counts.
    fn write<T: Send + 'static>(
        &self,
        lane: Lane,
        operation: &'static str,
        work: impl FnMut(&mut Session<Self::Connection>) -> Step<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> + Send;

    /// The same for a change that somebody asked for: while he may still wait for it, and under the claim of a key if the task has
    /// one.
    fn deed<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl FnMut(&mut Session<Self::Connection>) -> Step<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> + Send {
        self.write(Lane::Api, operation, lane::within(lane::PATIENCE, operation, key::under_claim(work)))
    }

    /// Reads in one snapshot.
    fn read<T: Send + 'static>(
        &self,
        lane: ReadLane,
        operation: &'static str,
        work: impl FnMut(&Self::Connection) -> Step<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> + Send;

    /// What nodes that share the database say to each other.
    fn shared(&self) -> Option<&dyn Cluster> {
        None
    }

    /// Is woken after changes that the engine has to hear of.
    fn wake(&self) -> &Notify;

    /// Makes room for history ahead, and lets go of parts of it that are too old, where it is divided. Answers how many
    /// parts went.
    fn keep_parts(&self, _rule: PurgeRule) -> impl Future<Output = Result<u64>> + Send {
        async { Ok(0) }
    }

    /// Makes what has happened readable as events, where that takes a step of its own.
    fn before_events(&self) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }

    /// Adds what it knows of the database to what was counted.
    fn about(&self, counts: StoreInfo) -> impl Future<Output = Result<StoreInfo>> + Send;

    /// What the database itself gives reason to warn of.
    fn warnings_of_server(&self) -> impl Future<Output = Result<Vec<StoreWarning>>> + Send {
        async { Ok(Vec::new()) }
    }

    /// How long the oldest transaction has been open that keeps the database from clearing up, in seconds.
    fn oldest_transaction(&self) -> impl Future<Output = Result<Option<i64>>> + Send {
        async { Ok(None) }
    }

    /// The disk that it writes to, if it is one of this machine.
    fn disk(&self) -> Option<Disk> {
        None
    }

    /// See [`crate::Store::connections`].
    fn sessions(&self) -> Option<Connections> {
        None
    }

    /// Serves what waits and lets go of the database.
    fn end(&self) -> impl Future<Output = Result<()>> + Send;
}
