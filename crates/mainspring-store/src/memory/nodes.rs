//! Nodes that share the store: their rows, fences and shards, and the verbs of [`crate::Cluster`].

use std::collections::BTreeMap;

use mainspring_core::batch::{Changes, CompletionOutcome, Heard, LiveRun};
use mainspring_core::cluster::{Change, ClusterView, Lease, NodeRow, Renewal, Shard, ShardSet};
use mainspring_core::planner::Answered;
use mainspring_core::run::RunState;
use mainspring_core::{BatchId, Incarnation, RunId, TriggerId};

use super::live::Run;
use super::model::Model;
use super::workflow::NOBODY;
use crate::cluster::NodeInfo;
use crate::error::{Error, Result};

/// What nodes say to each other.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    pub(super) database: String,
    pub(super) clock_ms: i64,
    rows: BTreeMap<Incarnation, NodeRow>,
    /// The last change of each node.
    changes: BTreeMap<Incarnation, u64>,
    fences: BTreeMap<Incarnation, u64>,
    leases: BTreeMap<Shard, Lease>,
    epochs: BTreeMap<Shard, i64>,
}

impl Nodes {
    pub(super) fn renew(&mut self, me: Incarnation, about: &NodeInfo, renewal: Renewal) -> Result<ClusterView> {
        if renewal.join {
            self.join(me, about)?;
        }
        if let Some(row) = self.rows.get_mut(&me) {
            row.counter += 1;
            row.standing = renewal.standing;
            row.clock_offset_ms = renewal.clock_offset_ms;
            row.answer_ms = renewal.answer_ms;
        }
        Ok(ClusterView {
            database: self.database.clone(),
            database_clock_ms: self.clock_ms,
            nodes: self.rows.values().cloned().collect(),
            shards: self.leases.clone(),
            least_version: None,
        })
    }

    fn join(&mut self, me: Incarnation, about: &NodeInfo) -> Result<()> {
        if self.rows.contains_key(&me) {
            let why = "is there already".into();
            return Err(Error::Conflict { what: "node", key: me.to_string(), why });
        }
        let NodeInfo { name, address, version } = about.clone();
        let standing = mainspring_core::cluster::Standing::Eligible;
        let row = NodeRow {
            incarnation: me,
            name,
            address,
            version,
            counter: 0,
            standing,
            drain_asked: false,
            clock_offset_ms: None,
            answer_ms: None,
        };
        self.rows.insert(me, row);
        self.changes.insert(me, 0);
        self.fences.insert(me, 0);
        Ok(())
    }

    pub(super) fn bury(&mut self, dead: Incarnation, counter: Option<u64>) {
        let there = self.rows.get(&dead).map_or(0, |row| row.counter);
        if counter.is_some_and(|seen| seen != there) {
            return;
        }
        self.rows.remove(&dead);
        self.changes.remove(&dead);
        self.fences.remove(&dead);
        self.leases.retain(|_, lease| lease.owner != dead);
    }

    /// Buries a process start, and says whether something is lost that it was told of.
    pub(super) fn leave(&mut self, me: Incarnation, told: Answered) -> bool {
        let lost = self.fence(me).is_some_and(|counted| counted < told.batches);
        self.bury(me, None);
        lost
    }

    /// Notes a change. False: the node is gone, or a newer one has been made.
    fn begin(&mut self, by: Incarnation, change: Change) -> bool {
        let Some(last) = self.changes.get_mut(&by).filter(|last| **last < change.number) else { return false };
        *last = change.number;
        true
    }

    pub(super) fn acquire(&mut self, by: Incarnation, change: Change, lease_id: u128) -> ShardSet {
        if !self.begin(by, change) {
            return ShardSet::EMPTY;
        }
        let free: ShardSet = change.shards.iter().filter(|shard| !self.leases.contains_key(shard)).collect();
        for shard in free.iter() {
            let epoch = self.epochs.entry(shard).or_default();
            *epoch += 1;
            self.leases.insert(shard, Lease { owner: by, lease_id, epoch: *epoch });
        }
        free
    }

    /// The shards that are held under a lease.
    pub(super) fn held_under(&self, lease_id: u128) -> ShardSet {
        let held = self.leases.iter().filter(|(_, lease)| lease.lease_id == lease_id);
        held.map(|(shard, _)| *shard).collect()
    }

    pub(super) fn release(&mut self, by: Incarnation, change: Change) -> ShardSet {
        if !self.begin(by, change) {
            return ShardSet::EMPTY;
        }
        let owns = |shard: &Shard| self.leases.get(shard).is_some_and(|lease| lease.owner == by);
        let held: ShardSet = change.shards.iter().filter(owns).collect();
        held.iter().for_each(|shard| _ = self.leases.remove(&shard));
        held
    }

    pub(super) fn ask_drain(&mut self, node: Incarnation, drain: bool) -> bool {
        let row = self.rows.get_mut(&node);
        row.map(|row| row.drain_asked = drain).is_some()
    }

    pub(super) fn raise_fence(&mut self, incarnation: Incarnation) {
        self.fences.entry(incarnation).or_default();
    }

    pub(super) fn lower_fence(&mut self, incarnation: Incarnation) {
        self.fences.remove(&incarnation);
    }

    pub(super) fn fence(&self, incarnation: Incarnation) -> Option<u64> {
        self.fences.get(&incarnation).copied()
    }

    pub(super) fn lease(&self, shard: Shard) -> Option<Lease> {
        self.leases.get(&shard).copied()
    }

    /// Whether a shard has an owner, and that is not this one.
    fn is_elsewhere(&self, shard: Shard, owner: Incarnation) -> bool {
        self.leases.get(&shard).is_some_and(|lease| lease.owner != owner)
    }

    pub(super) const fn rows(&self) -> &BTreeMap<Incarnation, NodeRow> {
        &self.rows
    }
}

impl Model {
    /// Counts a fence up. Nothing is to be done without it, nor where it has counted too few.
    pub(super) fn step_fence(&mut self, incarnation: Incarnation, answered: u64) -> Result<()> {
        self.check_fence(incarnation, answered)?;
        let fence = self.nodes.as_mut().and_then(|nodes| nodes.fences.get_mut(&incarnation));
        fence.into_iter().for_each(|counted| *counted += 1);
        Ok(())
    }

    /// Asks of a fence what is asked before it is counted up.
    pub(super) fn check_fence(&self, incarnation: Incarnation, answered: u64) -> Result<()> {
        let Some(nodes) = &self.nodes else { return Ok(()) };
        let there = nodes.fence(incarnation).is_some_and(|counted| counted >= answered);
        if there { Ok(()) } else { Err(Error::Fenced) }
    }

    /// Looks at a fence.
    pub(super) fn share_fence(&self, incarnation: Incarnation) -> Result<()> {
        let there = self.nodes.as_ref().is_none_or(|nodes| nodes.fences.contains_key(&incarnation));
        if there { Ok(()) } else { Err(Error::Fenced) }
    }

    /// What concerns a node among several.
    pub(super) fn changes_of(
        &mut self,
        by: Incarnation,
        shards: ShardSet,
        heard: &Heard,
        limit: u32,
    ) -> Result<Changes> {
        self.share_fence(by)?;
        self.outbox.forget_heard(heard);
        let (owner, live) = (self.number_of(by), &self.live);
        let hears =
            |number: u32| self.workers.get(&self.incarnations[number as usize]).is_some_and(|w| w.row.info.node == by);
        let mine = |run: RunId| {
            let concerns = |run: &Run| run.state != RunState::Running || run.owner == owner || hears(run.owner);
            live.get(run).is_none_or(concerns)
        };
        Ok(Changes { queued: self.live.has_queued(), ..self.outbox.read_of(shards, limit, mine) })
    }

    /// Notes for their owners what a batch of another node has set going.
    pub(super) fn note_elsewhere(&mut self, by: Incarnation, outcome: &CompletionOutcome) {
        let Some(nodes) = &self.nodes else { return };
        let of_jobs = outcome.freed.iter().flat_map(|job| &self.job(*job).triggers);
        let elsewhere = |trigger: &&TriggerId| {
            let shard = self.triggers.get(trigger.0).expect("the job names it").row.shard;
            nodes.is_elsewhere(shard, by)
        };
        let noted: Vec<TriggerId> = outcome.rearmed.iter().chain(of_jobs).filter(elsewhere).copied().collect();
        noted.into_iter().for_each(|trigger| self.note_trigger(trigger));
    }

    /// The nodes of a store that is shared.
    pub(super) fn shared_nodes(&mut self) -> &mut Nodes {
        self.nodes.as_mut().expect("only asked of a store that is shared")
    }

    /// Who holds running runs, and has neither a node nor a worker.
    pub(super) fn orphaned(&self) -> Vec<Incarnation> {
        let mut holders: Vec<u32> = self.running().map(|(_, owner)| owner).collect();
        holders.sort_unstable();
        holders.dedup();
        let holders = holders.into_iter().map(|number| self.incarnations[number as usize]);
        holders.filter(|holder| !self.has_node(*holder)).collect()
    }

    /// Takes over running runs of a process start without a node, in order of id.
    pub(super) fn adopt_from(&mut self, dead: Incarnation, id: BatchId, limit: u32) -> Vec<LiveRun> {
        if self.has_node(dead) {
            return Vec::new();
        }
        let (from, to) = (self.number_of(dead), self.number_of(id.incarnation));
        if let Some((_, taken)) = self.adoptions.get(&(to, from)).filter(|(sequence, _)| *sequence == id.sequence) {
            let taken = taken.iter().filter_map(|taken| super::queue::still_running(self, to, *taken));
            return taken.map(super::live::Run::live).collect();
        }
        let mut ids: Vec<RunId> = self.running().filter(|(_, owner)| *owner == from).map(|(run, _)| run).collect();
        ids.sort_unstable();
        ids.truncate(limit as usize);
        let mut adopted = Vec::with_capacity(ids.len());
        for id in ids {
            self.live.update(id, |run| {
                run.owner = to;
                adopted.push(run.live());
            });
        }
        if !adopted.is_empty() {
            let taken = adopted.iter().map(|live| (live.claimed.run, live.claimed.attempt)).collect();
            self.adoptions.insert((to, from), (id.sequence, taken));
        }
        adopted
    }

    /// The running runs of a process start, in order of id.
    pub(super) fn held(&mut self, by: Incarnation) -> Vec<LiveRun> {
        let owner = self.number_of(by);
        let mine = self.live.iter().filter(|run| run.state == RunState::Running && run.owner == owner);
        let mut held: Vec<LiveRun> = mine.map(Run::live).collect();
        held.sort_unstable_by_key(|run| run.claimed.run);
        held
    }

    /// The running runs that somebody holds, and the numbers of those who do.
    pub(super) fn running(&self) -> impl Iterator<Item = (RunId, u32)> {
        let held = |run: &&Run| run.state == RunState::Running && run.owner != NOBODY;
        self.live.iter().filter(held).map(|run| (run.id, run.owner))
    }

    /// Whether a process start has a node, or is a worker.
    fn has_node(&self, incarnation: Incarnation) -> bool {
        self.workers.contains_key(&incarnation)
            || self.nodes.as_ref().is_some_and(|nodes| nodes.rows().contains_key(&incarnation))
    }

    /// Whether a number is that of a worker.
    pub(super) fn is_worker(&self, number: u32) -> bool {
        self.incarnations.get(number as usize).is_some_and(|holder| self.workers.contains_key(holder))
    }
}
