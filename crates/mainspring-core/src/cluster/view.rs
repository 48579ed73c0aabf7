//! The cluster as a node sees it.

use std::collections::BTreeMap;

use super::{ClockOffset, DatabaseClock, Reason, Shard, ShardSet};
use crate::id::Incarnation;
use crate::run::words;

/// The cluster within the transaction of a renewal, after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClusterView {
    /// Which database answers: system id and time line, or server id. Changes with a failover or a restored copy.
    pub database: String,
    /// Its clock, in milliseconds since 1970.
    pub database_clock_ms: i64,
    /// Every node row.
    pub nodes: Vec<NodeRow>,
    /// The shards that have an owner.
    pub shards: BTreeMap<Shard, Lease>,
    /// Nodes of an older version are to end: the database has changed in a way that they cannot live with.
    pub least_version: Option<String>,
}

/// The right of an incarnation to fire a shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lease {
    /// Whose it is.
    pub owner: Incarnation,
    /// Random for every acquisition.
    pub lease_id: u128,
    /// Counts the acquisitions of the shard. People read it; nothing is decided by it, since a failover can set it back.
    pub epoch: i64,
}

/// A node, as its row says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeRow {
    /// The process start.
    pub incarnation: Incarnation,
    /// What people call it.
    pub name: String,
    /// Where its API answers, if anywhere.
    pub address: String,
    /// What it runs.
    pub version: String,
    /// Counts its renewals: 1 by joining.
    pub counter: u64,
    /// Whether it takes shards.
    pub standing: Standing,
    /// Whether somebody has asked it to give its shards up.
    pub drain_asked: bool,
    /// How far its wall clock is ahead of the database's, once known.
    pub clock_offset_ms: Option<i64>,
    /// How long the shortest of its last answers took, once there were some.
    pub answer_ms: Option<u64>,
}

words!(
    /// Whether a node takes shards.
    Standing {
        /// It does.
        Eligible = "eligible",
        /// It was asked not to.
        Draining = "draining",
        /// Its wall clock is too far from the database's and from most others'.
        ClockOff = "clock_off",
        /// It waits much longer for answers of the database than others do.
        Far = "far",
    }
);

/// What a node shows of the cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Status {
    /// This process start.
    pub incarnation: Incarnation,
    /// Whether it takes shards.
    pub standing: Standing,
    /// Whether it may act on what it owns now.
    pub trusted: bool,
    /// Its shards.
    pub owned: ShardSet,
    /// Shards it is giving up.
    pub releasing: ShardSet,
    /// Its wall clock against the database's.
    pub clock: Option<ClockOffset>,
    /// Whether that is worth a warning.
    pub clock_warned: bool,
    /// The database's clock, if most of the other nodes agree with it: what this node is asked to do is done by it where the
    /// node's own is wrong.
    pub database_clock: Option<DatabaseClock>,
    /// All nodes of the last view.
    pub nodes: Vec<NodeStatus>,
    /// The shards of the last view that have an owner.
    pub shards: BTreeMap<Shard, Lease>,
    /// Why this incarnation has ended, if it has.
    pub abandoned: Option<Reason>,
    /// Nodes of an older version are to end.
    pub least_version: Option<String>,
}

impl Status {
    /// Returns whether this node may act on a shard now.
    #[must_use]
    pub fn may_act_on(&self, shard: Shard) -> bool {
        self.trusted && self.owned.contains(shard)
    }
}

/// Whether a version of this program lies before the least one that may work.
///
/// The numbers before a `-` or `+` are compared, a missing one is 0. A part that is no number is 0 too: a least version
/// that nobody can read stops nobody.
///
/// ```
/// use mainspring_core::cluster::is_older;
/// assert!(is_older("0.9.1", "0.10"));
/// assert!(!is_older("1.0.0-rc.1", "1"));
/// ```
#[must_use]
pub fn is_older(version: &str, least: &str) -> bool {
    let numbers = |text: &str| {
        let text = text.split(['-', '+']).next().unwrap_or_default().to_owned();
        let mut parts = text.split('.').map(|part| part.parse::<u64>().unwrap_or(0));
        std::array::from_fn::<u64, 3, _>(|_| parts.next().unwrap_or(0))
    };
    numbers(version) < numbers(least)
}

/// A node, as another sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeStatus {
    /// What its row says.
    pub row: NodeRow,
    /// For how long its counter has stood still.
    pub silent_ms: u64,
    /// How many shards it has.
    pub shards: usize,
}

impl ClusterView {
    /// The row of an incarnation.
    #[must_use]
    pub fn node(&self, incarnation: Incarnation) -> Option<&NodeRow> {
        self.nodes.iter().find(|row| row.incarnation == incarnation)
    }

    /// The shards of an incarnation.
    #[must_use]
    pub fn owned_by(&self, incarnation: Incarnation) -> ShardSet {
        self.shards.iter().filter(|(_, lease)| lease.owner == incarnation).map(|(shard, _)| *shard).collect()
    }

    /// The other incarnations with their counters. An owner without a row is one too: it counts as silent, and is buried.
    pub(super) fn others(&self, me: Incarnation) -> impl Iterator<Item = (Incarnation, u64)> {
        let owners = self.shards.values().map(|lease| lease.owner).filter(|owner| self.node(*owner).is_none());
        let nodes = self.nodes.iter().map(|row| (row.incarnation, row.counter));
        owners.map(|owner| (owner, 0)).chain(nodes).filter(move |(incarnation, _)| *incarnation != me)
    }
}
