//! The store's side: transactions that lock the flow's row one after another, are kept late, twice or not at all.

use std::collections::{BTreeMap, VecDeque};

use mainspring_store::{FlowStore, ItemWrite};

use super::graph::INLET;
use super::ledger::{Broken, Deed};
use super::{COMPARED_EVERY, Load, Outcome, What, World};
use crate::faults::{Kind, Planted};
use crate::store::ready;

/// How long a sender waits for an answer.
const DEADLINE_MS: u64 = 5_000;
/// How long after a failure it tries again.
const AGAIN_MS: u64 = 500;

/// What a transaction does.
#[derive(Clone, Debug)]
pub(super) enum Work {
    /// Takes the flow.
    Take,
    /// Keeps what bodies did.
    Write {
        /// The epoch of the sender.
        epoch: i64,
        /// Which batch it is: one that is sent again has the same number.
        batch: u64,
        /// What is to be kept.
        deeds: Vec<Deed>,
    },
}

#[derive(Debug)]
struct Transaction {
    from: Load,
    work: Work,
    /// Whether its sender waits for it no more.
    is_left: bool,
    /// Whether its commit is in the hands of the store, whatever becomes of its sender.
    is_sent: bool,
}

/// Transactions, and who holds the flow's row.
#[derive(Debug, Default)]
pub(super) struct Desk {
    transactions: BTreeMap<u64, Transaction>,
    holder: Option<u64>,
    line: VecDeque<u64>,
    numbers: u64,
}

impl Desk {
    pub(super) fn sender(&self, number: u64) -> Option<Load> {
        self.transactions.get(&number).map(|it| it.from)
    }

    /// The sender's process is gone.
    pub(super) fn lost(&mut self, node: usize) {
        self.transactions.values_mut().filter(|it| it.from.node == node).for_each(|it| it.is_left = true);
    }
}

impl World {
    /// Sends a transaction, and answers its number.
    pub(super) fn send(&mut self, from: Load, work: Work) -> u64 {
        self.desk.numbers += 1;
        let number = self.desk.numbers;
        self.desk.transactions.insert(number, Transaction { from, work, is_left: false, is_sent: false });
        self.after(DEADLINE_MS, What::Deadline(number));
        if !self.chance(self.odds.lost, Kind::Loss) {
            let delay = self.random.between(1, 5);
            self.after(delay, What::Arrive(number));
        }
        number
    }

    pub(super) fn arrive(&mut self, number: u64) {
        match self.desk.holder {
            Some(_) => self.desk.line.push_back(number),
            None => self.lock(number),
        }
    }

    fn lock(&mut self, number: u64) {
        self.desk.holder = Some(number);
        let is_late = self.chance(self.odds.late, Kind::LateCommit);
        let delay = if is_late { self.random.between(500, 20_000) } else { self.random.between(1, 10) };
        let it = self.desk.transactions.get_mut(&number).expect("transactions stay until they are answered");
        it.is_sent = is_late && !it.is_left;
        self.after(delay, What::Commit(number));
    }

    pub(super) fn commit(&mut self, number: u64) {
        self.desk.holder = None;
        let it = self.desk.transactions.get(&number).expect("transactions stay until they are answered");
        let (work, is_undone) = (it.work.clone(), it.is_left && !it.is_sent);
        let outcome = match is_undone || self.chance(self.odds.before, Kind::ErrorBefore) {
            true => Outcome::Failed,
            false => self.keep(&work),
        };
        if let Some(next) = self.desk.line.pop_front() {
            self.lock(next);
        }
        if self.chance(self.odds.silent, Kind::Silent) {
            return;
        }
        let told = if self.chance(self.odds.after, Kind::ErrorAfter) { Outcome::Failed } else { outcome };
        let delay = self.random.between(1, 5);
        self.after(delay, What::Answer(number, told));
    }

    fn keep(&mut self, work: &Work) -> Outcome {
        match work {
            Work::Take => {
                let epoch = ready(self.memory.take_flow(self.flow)).expect("the memory store is open");
                let epoch = epoch.expect("nobody deletes the flow");
                self.ledger.taken(epoch);
                self.tell(|| format!("epoch {epoch} begins"));
                Outcome::Kept(epoch)
            }
            Work::Write { epoch, batch, deeds } => self.keep_writes(*epoch, *batch, deeds),
        }
    }

    fn keep_writes(&mut self, epoch: i64, batch: u64, deeds: &[Deed]) -> Outcome {
        let writes: Vec<ItemWrite> = deeds.iter().flat_map(|deed| deed.writes.iter().cloned()).collect();
        let by = if self.has(Planted::UnfencedItems) { self.ledger.epoch() } else { epoch };
        let kept = ready(self.memory.write_items(self.flow, by, writes)).expect("the memory store is open");
        self.tell(|| format!("batch {batch} of epoch {epoch}, {} deeds: kept {kept}", deeds.len()));
        if !kept {
            return Outcome::Fenced;
        }
        let broken: Vec<Broken> = self.ledger.kept(batch, epoch, deeds);
        for (invariant, why) in broken {
            self.hold(invariant, vec![why]);
        }
        let overfull = self.ledger.overfull(self.graph.numbers[INLET], self.graph.flow.connections()[INLET].max_items);
        self.hold("I21", overfull);
        if self.ledger.commits().is_multiple_of(COMPARED_EVERY) {
            self.compare();
        }
        Outcome::Kept(epoch)
    }

    fn compare(&mut self) {
        let rows = ready(self.memory.items(self.flow, i64::MIN, u32::MAX)).expect("the memory store is open");
        let differs = self.ledger.differs(&rows);
        self.hold("I17", differs);
    }

    pub(super) fn answered(&mut self, number: u64, outcome: Outcome) {
        let Some(it) = self.desk.transactions.get_mut(&number).filter(|it| !it.is_left) else { return };
        it.is_left = true;
        let from = it.from;
        match outcome {
            Outcome::Kept(epoch) if matches!(it.work, Work::Take) => self.loaded(from, number, epoch),
            Outcome::Kept(_) => self.written(from, number),
            Outcome::Fenced => self.fenced(from, number),
            Outcome::Failed => self.after(AGAIN_MS, What::Again(from)),
        }
    }

    /// The sender has waited in vain: it tries again, and does not know whether the first one is kept.
    pub(super) fn too_late(&mut self, number: u64) {
        if let Some(it) = self.desk.transactions.get_mut(&number).filter(|it| !it.is_left) {
            it.is_left = true;
            let from = it.from;
            self.after(AGAIN_MS, What::Again(from));
        }
    }
}
