//! What nodes that share a database say to each other through it.

use async_trait::async_trait;
use mainspring_core::cluster::{Change, ClusterView, Renewal, ShardSet};
use mainspring_core::planner::Answered;
use mainspring_core::{Incarnation, Timestamp};

use crate::error::Result;

/// The [setting](crate::Store::setting) with the least version that may work on a store. Written by whoever changes the
/// store in a way that older versions cannot live with; running nodes see it with each renewal.
pub const LEAST_VERSION: &str = "least_version";

/// How settings begin that say what a failover of the database has lost; the process start that was told of it follows. The
/// value is an instant in milliseconds. They go with the last runs of that time.
pub(crate) const LOST_THROUGH: &str = "lost_through/";

pub(crate) fn lost_setting(told: Incarnation, through: Timestamp) -> (String, String) {
    (format!("{LOST_THROUGH}{told}"), through.as_millis().to_string())
}

/// None for what nobody here has written.
pub(crate) fn lost_instant(value: &str) -> Option<Timestamp> {
    value.parse().ok().map(Timestamp::from_millis)
}

/// What a node says of itself when it joins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeInfo {
    /// What people call it.
    pub name: String,
    /// Where its API answers, if anywhere.
    pub address: String,
    /// What it runs.
    pub version: String,
}

/// The verbs of [`mainspring_core::cluster`]: each is one transaction that first locks the row of the node it acts for or upon.
#[async_trait]
pub trait Cluster: Send + Sync {
    /// Steps a node's counter, or makes its rows if it joins, and reads the cluster.
    ///
    /// Without a row of the node the view comes back without it: it has been buried.
    async fn renew(&self, me: Incarnation, about: &NodeInfo, renewal: Renewal) -> Result<ClusterView>;

    /// Removes a node's fence, which waits for its batch under way, then its row, and frees its shards.
    ///
    /// Only if its counter is still this; 0: it has no row, but shards name it. No counter: whatever it is.
    async fn bury(&self, dead: Incarnation, counter: Option<u64>) -> Result<()>;

    /// Ends a process start: buries it, after it has noted [what is lost](crate::Store::lost_through) if its fence has counted
    /// fewer batches than it was told of. True: something is, as far as this or an earlier sending of it found.
    async fn leave(&self, me: Incarnation, told: Answered) -> Result<bool>;

    /// Takes free shards, if the node's row is there and the change is newer than its last one. Answers what it holds under this
    /// lease, so that a repeat answers what was taken.
    async fn acquire(&self, by: Incarnation, change: Change, lease_id: u128) -> Result<ShardSet>;

    /// Frees shards of the node, if its row is there and the change is newer than its last one. Answers which were freed.
    async fn release(&self, by: Incarnation, change: Change) -> Result<ShardSet>;

    /// Asks a node to give its shards up, or to take shards again: it finds that in its row. False: there is no such node.
    async fn ask_drain(&self, node: Incarnation, drain: bool) -> Result<bool>;

    /// Process starts without a node that still hold running runs.
    async fn orphaned(&self) -> Result<Vec<Incarnation>>;

    /// Tells the other nodes to look now. May get lost.
    async fn hint(&self) -> Result<()>;

    /// Is woken when another node hints.
    fn hinted(&self) -> &tokio::sync::Notify;

    /// Changes when another node has put items into an inbox of a flow, or taken some out. May change for nothing, and may miss some.
    fn stirs(&self) -> tokio::sync::watch::Receiver<u64>;
}
