//! A node that owns the flow, or believes so: it does what the machine says, and tells it what came of that.

use std::collections::BTreeMap;

use mainspring_core::flow::{Event, IdleCheck, Machine, Pools, Start, TurnId, Write};
use mainspring_store::{FlowStore, ItemContent, ItemRow, ItemWrite};

use super::desk::Work;
use super::ledger::{Deed, Spot};
use super::{Load, What, World};
use crate::faults::Planted;
use crate::random::Random;
use crate::store::ready;

/// A process, and its flow.
pub(super) struct Node {
    pub(super) is_up: bool,
    /// Until when it stands still.
    pub(super) still: u64,
    /// What its clocks differ by.
    pub(super) boot_ms: i64,
    pub(super) ahead_ms: i64,
    /// Counts its process starts and loads.
    number: u64,
    /// The transaction that takes the flow.
    taking: Option<u64>,
    pub(super) owner: Option<Owner>,
}

impl Node {
    pub(super) fn drawn(random: &mut Random) -> Self {
        let (boot_ms, ahead_ms) = (random.between(0, 1_000_000).cast_signed(), random.within(500));
        Self { is_up: true, still: 0, boot_ms, ahead_ms, number: 0, taking: None, owner: None }
    }

    pub(super) fn still_until(&self, now: u64) -> Option<u64> {
        (self.is_up && self.still > now).then_some(self.still)
    }

    /// Whether it has the flow, or is about to.
    pub(super) const fn is_at_work(&self) -> bool {
        self.owner.is_some() || self.taking.is_some()
    }

    /// Forgets the flow, with all bodies.
    pub(super) fn forget(&mut self) {
        self.number += 1;
        (self.owner, self.taking) = (None, None);
    }
}

/// A flow at work on a node.
pub(super) struct Owner {
    load: Load,
    pub(super) epoch: i64,
    pub(super) machine: Machine,
    pub(super) pools: Pools,
    pending: Vec<Pending>,
    sending: Option<Sending>,
    wake_at: Option<u64>,
    bodies: BTreeMap<TurnId, (usize, BTreeMap<i64, Spot>)>,
    /// The commits when it was last compared with what is kept.
    compared: u64,
}

/// What is to be kept together.
#[derive(Default)]
pub(super) struct Pending {
    pub(super) turn: Option<TurnId>,
    pub(super) deed: Deed,
    pub(super) accepted: Option<(usize, Vec<Write>)>,
}

impl Pending {
    pub(super) fn of(writes: Vec<ItemWrite>) -> Self {
        Self { deed: Deed { writes, ..Deed::default() }, ..Self::default() }
    }
}

struct Sending {
    batch: u64,
    transaction: u64,
    pending: Vec<Pending>,
}

impl World {
    /// Has a node take the flow.
    pub(super) fn take(&mut self, node: usize) {
        self.nodes[node].forget();
        let load = Load { node, number: self.nodes[node].number };
        self.nodes[node].taking = Some(self.send(load, Work::Take));
    }

    pub(super) fn loaded(&mut self, load: Load, transaction: u64, epoch: i64) {
        if self.nodes[load.node].taking.take_if(|it| *it == transaction).is_none() {
            return;
        }
        let now = self.clocks(load.node);
        let rows = ready(self.memory.items(self.flow, i64::MIN, u32::MAX)).expect("the memory store is open");
        let first_id = Machine::first_id(rows.iter().map(|row| row.id.max(row.position)).max(), epoch);
        let mut pools = Pools::new(&[("timer", 2), ("event", 2)]);
        let mut machine = Machine::new(1, self.graph.flow.clone(), IdleCheck::Wake, first_id, now);
        for row in &rows {
            let connection = self.graph.connection(row.connection);
            machine.handle(Event::Put { connection, item: row.header(now) }, &mut pools, now);
        }
        for component in (0..self.running.len()).filter(|it| self.running[*it]) {
            machine.start(component, &mut pools, now).expect("a new machine can be started");
        }
        self.tell(|| format!("node {} has {} items at epoch {epoch}", load.node, rows.len()));
        let owner = Owner {
            load,
            epoch,
            machine,
            pools,
            pending: Vec::new(),
            sending: None,
            wake_at: None,
            bodies: BTreeMap::new(),
            compared: 0,
        };
        self.nodes[load.node].owner = Some(owner);
        self.step(load.node);
    }

    pub(super) fn woke(&mut self, load: Load) {
        if let Some(owner) = self.owner(load) {
            owner.wake_at = None;
            self.step(load.node);
        }
    }

    fn owner(&mut self, load: Load) -> Option<&mut Owner> {
        self.nodes[load.node].owner.as_mut().filter(|owner| owner.load == load)
    }

    /// Does what is due on a node.
    pub(super) fn step(&mut self, node: usize) {
        let now = self.clocks(node);
        let Some(owner) = self.nodes[node].owner.as_mut() else { return };
        owner.machine.handle(Event::Woke, &mut owner.pools, now);
        let rescued = owner.machine.rescue(&mut owner.pools, now);
        let expired = owner.machine.take_expired();
        if !expired.is_empty() {
            owner.pending.push(Pending::of(expired.into_iter().map(|id| ItemWrite::Remove(id.0)).collect()));
        }
        let mut starts = Vec::new();
        while let Some(ticket) = owner.pools.next_ticket() {
            starts.extend(owner.machine.run(ticket, &mut owner.pools, now));
        }
        if rescued > 0 {
            self.hold("I20", vec![format!("{rescued} slots had missed their wake")]);
        }
        starts.into_iter().for_each(|start| self.begin(node, &start));
        self.write(node);
        self.compare_with_machine(node);
        self.sleep(node);
    }

    fn begin(&mut self, node: usize, start: &Start) {
        self.turns += 1;
        let is_long = !self.healed && self.random.chance(100_000);
        let takes_ms = if is_long { self.random.between(500, 8_000) } else { self.random.between(1, 60) };
        let numbers = self.graph.numbers.clone();
        let Some(owner) = self.nodes[node].owner.as_mut() else { return };
        let spot = |item: &mainspring_core::flow::Header| {
            let connection = connection_of(&owner.machine, numbers.len(), item.id);
            (item.id.0, Spot { connection: numbers[connection], position: item.order })
        };
        let had: BTreeMap<i64, Spot> = start.items.iter().map(spot).collect();
        owner.bodies.insert(start.turn, (start.component, had.clone()));
        let (load, epoch) = (owner.load, owner.epoch);
        // Items that somebody moves are taken where they will be.
        let moves = owner.pending.iter().chain(owner.sending.iter().flat_map(|it| &it.pending));
        let is_moved = moves.filter(|it| it.turn.is_none()).any(|it| {
            it.deed.writes.iter().any(|write| matches!(write, ItemWrite::Update(row, _) if had.contains_key(&row.id)))
        });
        if epoch == self.ledger.epoch() && !is_moved {
            let wrong = self.ledger.begun(&had);
            self.hold("I18", wrong);
        }
        self.tell(|| format!("node {node}: component {} begins {:?} with {had:?}", start.component, start.turn));
        self.after(takes_ms, What::BodyEnds(load, start.turn));
    }

    pub(super) fn body_ends(&mut self, load: Load, turn: TurnId) {
        let now = self.clocks(load.node);
        let Some((component, had)) = self.owner(load).and_then(|owner| owner.bodies.remove(&turn)) else { return };
        let verdict = self.verdict(component, had.len());
        self.tell(|| format!("node {}: {turn:?} comes to {verdict:?}", load.node));
        let is_kept_late = self.has(Planted::TerminatedKept);
        let settles_early = self.has(Planted::SettledEarly);
        let numbers = self.graph.numbers.clone();
        let owner = self.owner(load).expect("it was found above");
        match owner.machine.ended(turn, verdict, &mut owner.pools, now) {
            Ok(writes) if writes.is_empty() => {}
            Ok(writes) => {
                let writes = writes.iter().map(|write| owner.row(write, &numbers, now)).collect();
                let deed = Deed { had, writes, is_terminated: false };
                owner.pending.push(Pending { turn: (!settles_early).then_some(turn), deed, accepted: None });
                if settles_early {
                    owner.machine.handle(Event::Committed(turn), &mut owner.pools, now);
                }
            }
            Err(_) if is_kept_late => {
                let writes = had.keys().map(|id| ItemWrite::Remove(*id)).collect();
                let deed = Deed { had, writes, is_terminated: true };
                owner.pending.push(Pending { deed, ..Pending::default() });
            }
            Err(_) => {}
        }
        self.step(load.node);
    }

    /// Sends what is to be kept, if nothing is under way.
    fn write(&mut self, node: usize) {
        let batch = self.numbers;
        let Some(owner) = self.nodes[node].owner.as_mut() else { return };
        if owner.sending.is_some() || owner.pending.is_empty() {
            return;
        }
        let (load, epoch, pending) = (owner.load, owner.epoch, std::mem::take(&mut owner.pending));
        let deeds = pending.iter().map(|it| it.deed.clone()).collect();
        let transaction = self.send(load, Work::Write { epoch, batch, deeds });
        let owner = self.nodes[node].owner.as_mut().expect("it was found above");
        owner.sending = Some(Sending { batch, transaction, pending });
    }

    pub(super) fn written(&mut self, load: Load, transaction: u64) {
        let now = self.clocks(load.node);
        let Some(owner) = self.owner(load) else { return };
        let Some(sent) = owner.sending.take_if(|it| it.transaction == transaction) else { return };
        let mut acknowledged = Vec::new();
        for Pending { turn, accepted, .. } in sent.pending {
            if let Some((component, writes)) = accepted {
                acknowledged.extend(writes.iter().filter_map(|write| match write {
                    Write::Insert { item, .. } => Some(item.id.0),
                    _ => None,
                }));
                owner.machine.accepted(component, writes, &mut owner.pools, now);
            }
            if let Some(turn) = turn {
                owner.machine.handle(Event::Committed(turn), &mut owner.pools, now);
            }
        }
        let lost = acknowledged.into_iter().filter(|id| !self.ledger.knows(*id));
        let lost = lost.map(|id| format!("item {id} was acknowledged, and is not kept")).collect();
        self.hold("I17", lost);
        self.step(load.node);
    }

    pub(super) fn fenced(&mut self, load: Load, transaction: u64) {
        let is_it = |owner: &mut Owner| owner.sending.as_ref().is_some_and(|it| it.transaction == transaction);
        if self.owner(load).is_some_and(is_it) {
            self.nodes[load.node].forget();
            if self.holder == load.node {
                self.take(load.node);
            }
        }
    }

    /// Sends again what failed, or was not answered.
    pub(super) fn again(&mut self, load: Load) {
        if self.nodes[load.node].number == load.number && self.nodes[load.node].taking.is_some() {
            self.nodes[load.node].taking = Some(self.send(load, Work::Take));
        }
        let Some(owner) = self.owner(load) else { return };
        let Some(sent) = &owner.sending else { return };
        let deeds = sent.pending.iter().map(|it| it.deed.clone()).collect();
        let work = Work::Write { epoch: owner.epoch, batch: sent.batch, deeds };
        let transaction = self.send(load, work);
        if let Some(sent) = self.owner(load).and_then(|owner| owner.sending.as_mut()) {
            sent.transaction = transaction;
        }
    }

    /// Compares the queues of an owner that waits for nothing with what is kept.
    fn compare_with_machine(&mut self, node: usize) {
        let Some(owner) = self.nodes[node].owner.as_mut() else { return };
        let is_calm = owner.pending.is_empty() && owner.sending.is_none();
        if owner.epoch != self.ledger.epoch() || !is_calm || owner.compared == self.ledger.commits() {
            return;
        }
        owner.compared = self.ledger.commits();
        let mut counts = vec![0; self.graph.numbers.len()];
        let mut wrong = Vec::new();
        for (id, spot) in self.ledger.spots() {
            let connection = self.graph.connection(spot.connection);
            counts[connection] += 1;
            let there = owner.machine.queue(connection).find(mainspring_core::flow::ItemId(id));
            if there.is_none_or(|item| item.order != spot.position) {
                wrong.push(format!("item {id} is kept in {spot:?}, and the owner has it as {there:?}"));
            }
        }
        let lengths: Vec<usize> = (0..counts.len()).map(|it| owner.machine.queue(it).len()).collect();
        if lengths != counts {
            wrong.push(format!("queues of the owner hold {lengths:?} items, and {counts:?} are kept"));
        }
        self.hold("I17", wrong);
    }

    fn sleep(&mut self, node: usize) {
        let (now, mono_ms) = (self.now, self.clocks(node).mono_ms);
        let Some(owner) = self.nodes[node].owner.as_mut() else { return };
        let Some(at) = owner.machine.next_wakeup_ms() else { return };
        let at = now + u64::try_from(at - mono_ms).unwrap_or(0).max(1);
        if owner.wake_at.is_none_or(|before| at < before) {
            owner.wake_at = Some(at);
            let load = owner.load;
            self.at(at, What::Wake(load));
        }
    }
}

impl Owner {
    /// A write of the machine as the store takes it.
    pub(super) fn row(&self, write: &Write, numbers: &[i64], now: mainspring_core::flow::Now) -> ItemWrite {
        match write {
            Write::Insert { connection, item, .. } => {
                ItemWrite::Insert(ItemRow::of(numbers[*connection], item, now), ItemContent::default())
            }
            Write::Move { connection, item, .. } => {
                ItemWrite::Update(ItemRow::of(numbers[*connection], item, now), None)
            }
            Write::Update { item } => {
                let connection = connection_of(&self.machine, numbers.len(), item.id);
                ItemWrite::Update(ItemRow::of(numbers[connection], item, now), None)
            }
            Write::Remove { id } => ItemWrite::Remove(id.0),
        }
    }

    pub(super) fn keep(&mut self, pending: Pending) {
        self.pending.push(pending);
    }
}

fn connection_of(machine: &Machine, count: usize, id: mainspring_core::flow::ItemId) -> usize {
    let found = (0..count).find(|connection| machine.queue(*connection).flying(id).is_some());
    found.expect("a body's items are in flight")
}
