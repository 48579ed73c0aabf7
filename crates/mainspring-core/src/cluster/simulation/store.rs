//! The modelled database.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

#[derive(Debug)]
pub(super) struct Row {
    counter: u64,
    change: u64,
    standing: Standing,
    clock_offset_ms: Option<i64>,
    answer_ms: Option<u64>,
}

/// The database. A node's row stands for its fence rows too: they come and go together.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) rows: BTreeMap<Incarnation, Row>,
    pub(super) leases: BTreeMap<Shard, Lease>,
    pub(super) batches: BTreeSet<(Incarnation, u64)>,
    pub(super) changes: u64,
    pub(super) buried: u64,
}

impl Store {
    pub(super) fn renew(&mut self, now: u64, me: Incarnation, renewal: Renewal) -> Reply {
        if renewal.join {
            let Renewal { standing, clock_offset_ms, answer_ms, .. } = renewal;
            self.rows.insert(me, Row { counter: 0, change: 0, standing, clock_offset_ms, answer_ms });
        }
        if let Some(row) = self.rows.get_mut(&me) {
            row.counter += 1;
            (row.standing, row.clock_offset_ms) = (renewal.standing, renewal.clock_offset_ms);
            row.answer_ms = renewal.answer_ms;
        }
        Reply::View(self.view(now))
    }

    pub(super) fn view(&self, now: u64) -> ClusterView {
        let row = |(incarnation, row): (&Incarnation, &Row)| NodeRow {
            incarnation: *incarnation,
            name: String::new(),
            address: String::new(),
            drain_asked: false,
            version: String::new(),
            counter: row.counter,
            standing: row.standing,
            clock_offset_ms: row.clock_offset_ms,
            answer_ms: row.answer_ms,
        };
        let nodes = self.rows.iter().map(row).collect();
        let database_clock_ms = i64::try_from(now).expect("small");
        ClusterView {
            database: "db".into(),
            database_clock_ms,
            nodes,
            shards: self.leases.clone(),
            least_version: None,
        }
    }

    pub(super) fn bury(&mut self, dead: Incarnation, seen: Option<u64>) -> bool {
        let counter = self.rows.get(&dead).map(|row| row.counter);
        if seen.is_some_and(|seen| counter.unwrap_or(0) != seen) {
            return false;
        }
        self.leases.retain(|_, lease| lease.owner != dead);
        self.changes += 1;
        let removed = self.rows.remove(&dead).is_some();
        self.buried += u64::from(seen.is_some() && removed);
        removed
    }

    pub(super) fn may_change(&mut self, me: Incarnation, change: Change) -> bool {
        let row = self.rows.get_mut(&me).filter(|row| row.change < change.number);
        row.map(|row| row.change = change.number).is_some()
    }

    pub(super) fn acquire(&mut self, me: Incarnation, change: Change) -> ShardSet {
        if !self.may_change(me, change) {
            return ShardSet::EMPTY;
        }
        let gained: ShardSet = change.shards.iter().filter(|shard| !self.leases.contains_key(shard)).collect();
        let lease = Lease { owner: me, lease_id: u128::from(self.changes), epoch: 0 };
        self.leases.extend(gained.iter().map(|shard| (shard, lease)));
        self.changes += 1;
        gained
    }

    pub(super) fn release(&mut self, me: Incarnation, change: Change) -> ShardSet {
        if !self.may_change(me, change) {
            return ShardSet::EMPTY;
        }
        self.leases.retain(|shard, lease| lease.owner != me || !change.shards.contains(*shard));
        self.changes += 1;
        change.shards
    }

    pub(super) fn owned_by(&self, owner: Incarnation) -> ShardSet {
        self.leases.iter().filter(|(_, lease)| lease.owner == owner).map(|(shard, _)| *shard).collect()
    }
}
