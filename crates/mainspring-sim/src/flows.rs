//! Flows under faults: nodes that own a flow in turn, bodies that end late, and what is kept of them.
//!
//! The machine of `mainspring-core` and the memory store are those that ship. The shell around them is thin, as that of the engine
//! is. Who owns the flow changes without warning here, and who owned it goes on: the epoch of the flow alone keeps it from writing.
//! [`ledger`] says what may be kept, and knows nothing of all this.

mod desk;
mod graph;
pub mod ledger;
mod owner;
mod people;
mod trouble;

use std::collections::BTreeMap;

use mainspring_core::Timestamp;
use mainspring_core::flow::{Now, TurnId};
use mainspring_store::{FlowStore, FlowWrite, MemoryStore};

use crate::check::Violation;
use crate::faults::{Counts, Planted};
use crate::random::Random;
use crate::store::ready;
use crate::trace::Trace;
use crate::world::{BASE_MS, Setting};
use desk::Desk;
use graph::Graph;
use ledger::Ledger;
use owner::Node;
use trouble::Odds;

/// Of how many seeds one has a flow.
pub(crate) const EVERY: u64 = 3;
/// How long after the end of all faults every item has to have ended.
const HEAL_MS: u64 = 600_000;
/// How often the store's rows are compared with the ledger, in commits.
const COMPARED_EVERY: u64 = 16;

/// Names a process start of a node, and a load of the flow by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Load {
    node: usize,
    number: u64,
}

/// What is to happen.
#[derive(Clone, Copy, Debug)]
enum What {
    /// A machine wants to look.
    Wake(Load),
    /// A body ends, also one that was terminated.
    BodyEnds(Load, TurnId),
    /// A transaction reaches the store.
    Arrive(u64),
    /// It is committed, or undone.
    Commit(u64),
    /// Its sender hears of it.
    Answer(u64, Outcome),
    /// Its sender has waited long enough.
    Deadline(u64),
    /// A write or a takeover is tried again.
    Again(Load),
    /// Somebody puts items.
    Put,
    /// Somebody changes something.
    Operate,
    /// Perhaps something goes wrong.
    Disturb,
    /// The cluster looks who is to own the flow.
    Govern,
    /// A node hears that it is not to own it any more.
    Learn(usize),
    /// A process begins again.
    Restart(usize),
    /// The faults end.
    Heal,
}

/// What the sender of a transaction hears.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    /// It is kept; a takeover has this epoch.
    Kept(i64),
    /// Another one owns the flow.
    Fenced,
    /// It failed, or not even that is known.
    Failed,
}

/// What came of the flow of a seed.
pub(crate) struct Report {
    pub(crate) hash: u64,
    pub(crate) events: u64,
    pub(crate) turns: u64,
    pub(crate) faults: Counts,
    pub(crate) violations: Vec<Violation>,
    pub(crate) trace: Vec<String>,
}

/// A flow, its nodes and its store.
struct World {
    setting: Setting,
    /// Milliseconds since the beginning.
    now: u64,
    agenda: BTreeMap<(u64, u64), What>,
    numbers: u64,
    random: Random,
    odds: Odds,
    counts: Counts,
    trace: Trace,
    memory: MemoryStore,
    desk: Desk,
    graph: Graph,
    flow: i64,
    nodes: Vec<Node>,
    /// The node that is to own the flow.
    holder: usize,
    /// Which components are to run, as it is kept.
    running: Vec<bool>,
    ledger: Ledger,
    violations: Vec<Violation>,
    healed: bool,
    turns: u64,
}

/// Lives through the flow of a seed, or to where something breaks.
pub(crate) fn run(seed: u64, setting: Setting) -> Report {
    World::new(seed, setting).run()
}

impl World {
    fn new(seed: u64, setting: Setting) -> Self {
        let mut random = Random::new(seed ^ 0xf10e_f10e_f10e_f10e);
        let odds = if setting.faults { Odds::drawn(&mut random) } else { Odds::default() };
        let graph = Graph::drawn(&mut random);
        let memory = MemoryStore::new();
        let row = FlowWrite {
            namespace: "default".into(),
            name: "f".into(),
            definition: "{}".into(),
            source: "{}".into(),
            states: "{}".into(),
            expect: None,
            touched: None,
            at: Timestamp::from_millis(BASE_MS),
        };
        let flow = ready(memory.save_flow(row)).expect("the memory store is open").id;
        let nodes = (0..3).map(|_| Node::drawn(&mut random)).collect();
        let running = vec![true; graph.flow.components().len()];
        let mut world = Self {
            setting,
            now: 0,
            agenda: BTreeMap::new(),
            numbers: 0,
            odds,
            counts: Counts::default(),
            trace: Trace::new(setting.reads, setting.tell),
            memory,
            desk: Desk::default(),
            graph,
            flow,
            nodes,
            holder: 0,
            running,
            ledger: Ledger::default(),
            violations: Vec::new(),
            healed: false,
            turns: 0,
            random,
        };
        world.take(0);
        for what in [What::Put, What::Operate, What::Disturb, What::Govern] {
            world.after(100, what);
        }
        world.after(setting.faulty_ms, What::Heal);
        world
    }

    fn run(mut self) -> Report {
        let end = self.setting.faulty_ms + HEAL_MS;
        while let Some(((at, _), what)) = self.agenda.pop_first() {
            if at > end || !self.violations.is_empty() {
                break;
            }
            self.now = at;
            self.happen(what);
        }
        if self.violations.is_empty() {
            let left = self.ledger.left();
            self.hold("I18", left);
        }
        Report {
            hash: self.trace.hash(),
            events: self.trace.events,
            turns: self.turns,
            faults: self.counts,
            violations: self.violations,
            trace: self.trace.take_lines(),
        }
    }

    fn happen(&mut self, what: What) {
        self.trace.event(self.now * 1_000, code(what));
        // A process that stands still hears everything when it goes on.
        if let Some(until) = self.node_of(what).and_then(|node| self.nodes[node].still_until(self.now)) {
            return self.at(until, what);
        }
        match what {
            What::Wake(load) => self.woke(load),
            What::BodyEnds(load, turn) => self.body_ends(load, turn),
            What::Arrive(number) => self.arrive(number),
            What::Commit(number) => self.commit(number),
            What::Answer(number, outcome) => self.answered(number, outcome),
            What::Deadline(number) => self.too_late(number),
            What::Again(load) => self.again(load),
            What::Put => self.put(),
            What::Operate => self.operate(),
            What::Disturb => self.disturb(),
            What::Govern => self.govern(),
            What::Learn(node) => self.learn(node),
            What::Restart(node) => self.nodes[node].is_up = true,
            What::Heal => self.heal(),
        }
    }

    /// The node that does what is to happen, if one does.
    fn node_of(&self, what: What) -> Option<usize> {
        match what {
            What::Wake(load) | What::BodyEnds(load, _) | What::Again(load) => Some(load.node),
            What::Answer(number, _) | What::Deadline(number) => self.desk.sender(number).map(|load| load.node),
            What::Learn(node) => Some(node),
            _ => None,
        }
    }

    fn after(&mut self, ms: u64, what: What) {
        self.at(self.now + ms, what);
    }

    fn at(&mut self, at: u64, what: What) {
        self.numbers += 1;
        self.agenda.insert((at, self.numbers), what);
    }

    fn has(&self, bug: Planted) -> bool {
        self.setting.planted == Some(bug)
    }

    /// The present instant by the clocks of a node.
    fn clocks(&self, node: usize) -> Now {
        let node = &self.nodes[node];
        let now = self.now.cast_signed();
        Now { mono_ms: now + node.boot_ms, wall: Timestamp::from_millis(BASE_MS + now + node.ahead_ms) }
    }

    /// Notes what breaks an invariant.
    fn hold(&mut self, invariant: &'static str, found: Vec<String>) {
        let at = BASE_MS + self.now.cast_signed();
        self.violations.extend(found.into_iter().map(|what| Violation { invariant, at, what }));
    }

    fn tell(&mut self, text: impl FnOnce() -> String) {
        self.trace.line(self.now, || format!("flow: {}", text()));
    }
}

/// What tells an event from others.
fn code(what: What) -> u64 {
    let of = |kind: u64, load: Load, number: u64| kind << 56 | number << 24 | load.number << 8 | load.node as u64;
    match what {
        What::Wake(load) => of(1, load, 0),
        What::BodyEnds(load, turn) => of(2, load, turn.0),
        What::Arrive(number) => 3 << 56 | number,
        What::Commit(number) => 4 << 56 | number,
        What::Answer(number, outcome) => 5 << 56 | number << 8 | u64::from(outcome == Outcome::Failed),
        What::Deadline(number) => 6 << 56 | number,
        What::Again(load) => of(7, load, 0),
        What::Put => 8 << 56,
        What::Operate => 9 << 56,
        What::Disturb => 10 << 56,
        What::Govern => 11 << 56,
        What::Learn(node) => 12 << 56 | node as u64,
        What::Restart(node) => 13 << 56 | node as u64,
        What::Heal => 14 << 56,
    }
}
