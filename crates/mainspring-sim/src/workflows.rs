//! Workflow runs under faults: nodes that advance them in turn, tasks that end, people who steer, and what is kept of all that.
//!
//! What follows from an end is `mainspring-core`'s to say, and the memory store keeps it; both ship. The shell around them is thin, as that
//! of the engine is: it reads, asks, and writes one step that names the turn it was decided on. Who owns the runs changes without
//! warning here, and who owned them goes on: the turn alone keeps two from writing the same. [`ledger`] says what may be kept.

mod calls;
mod desk;
mod graph;
mod ledger;
mod needs;
mod owner;
mod people;
mod trouble;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_core::batch::ClaimedRun;
use mainspring_core::{BatchId, Incarnation, JobId, JobVersion, RunId, Timestamp};
use mainspring_store::{MemoryStore, Store};

use crate::check::Violation;
use crate::faults::{Counts, Planted};
use crate::random::Random;
use crate::store::{ready, save};
use crate::trace::Trace;
use crate::world::{BASE_MS, Setting};
use desk::{Desk, Told};
use graph::{Callee, Graph};
use ledger::Ledger;
use owner::Node;
use trouble::Odds;

/// Which seeds have workflows: those that leave this rest when they are divided by [`flows::EVERY`](crate::flows::EVERY).
pub(crate) const REST: u64 = 1;
/// How long after the end of all faults every run has to have ended.
const HEAL_MS: u64 = 600_000;

/// Names a process start of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Load {
    node: usize,
    number: u64,
}

/// What is to happen.
#[derive(Clone, Copy, Debug)]
enum What {
    /// A node looks what is due, from time to time.
    Look(Load),
    /// The same, at once.
    Wake(Load),
    /// A step reaches the store.
    Commit(u64),
    /// Its sender hears of it.
    Answer(u64, Told),
    /// Its sender has waited long enough.
    Deadline(u64),
    /// Workers look for runs of tasks.
    Work,
    /// A run of a task ends.
    BodyEnds(u64),
    /// Somebody starts a workflow run.
    Start,
    /// Somebody starts the run that others need for a date.
    Needed(u64),
    /// Somebody asks something of one.
    Ask,
    /// Perhaps something goes wrong.
    Disturb,
    /// The cluster looks who is to own the runs.
    Govern,
    /// A node hears that it is not to own them any more.
    Learn(usize),
    /// A process begins again.
    Restart(usize),
    /// The faults end.
    Heal,
}

/// What came of the workflows of a seed.
pub(crate) struct Report {
    pub(crate) hash: u64,
    pub(crate) events: u64,
    /// Runs of tasks that were made.
    pub(crate) tasks: u64,
    pub(crate) faults: Counts,
    pub(crate) violations: Vec<Violation>,
    pub(crate) trace: Vec<String>,
}

/// A workflow, its runs, nodes that advance them, and their store.
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
    graph: Arc<Graph>,
    job: (JobId, JobVersion),
    /// What tasks start, in seeds in which some do.
    callee: Option<Callee>,
    runs: Vec<RunId>,
    /// Those of these that are of the workflow that tasks start or need.
    called: BTreeSet<RunId>,
    /// The runs that are needed, by their dates.
    needed: BTreeMap<Timestamp, RunId>,
    /// Whether tasks need some.
    needs: bool,
    nodes: Vec<Node>,
    /// The node that is to own the runs.
    holder: usize,
    /// Runs of tasks that are executed.
    bodies: BTreeMap<u64, ClaimedRun>,
    batches: u64,
    ledger: Ledger,
    /// Whether ends are recorded with the steps that follow them, where these are small.
    hops: bool,
    violations: Vec<Violation>,
    healed: bool,
}

/// The process start that executes tasks.
const WORKER: Incarnation = Incarnation(7);

/// Lives through the workflows of a seed, or to where something breaks.
pub(crate) fn run(seed: u64, setting: Setting) -> Report {
    World::new(seed, setting).run()
}

impl World {
    fn new(seed: u64, setting: Setting) -> Self {
        let mut random = Random::new(seed ^ 0x0dac_0dac_0dac_0dac);
        let odds = if setting.faults { Odds::drawn(&mut random) } else { Odds::default() };
        let mut graph = Graph::drawn(&mut random);
        // Drawn apart: the other half of the seeds lives on as it is.
        let mut items = Random::new(seed ^ 0x17e5_17e5_17e5_17e5);
        if items.chance(500_000) {
            graph = graph.spread(&mut items);
        }
        let mut other = Random::new(seed ^ 0xca11_ca11_ca11_ca11);
        let callee = other.chance(500_000).then(|| Graph::callee(&mut other));
        if callee.is_some() {
            graph = graph.calling(&mut other);
        }
        let needs = callee.is_some() && other.chance(500_000);
        if needs {
            graph = graph.needing(&mut other);
        }
        let memory = MemoryStore::new();
        let at = Timestamp::from_millis(BASE_MS);
        ready(memory.adopt(WORKER, at)).expect("the memory store is open");
        let callee = callee.map(|graph| Callee { job: save(&memory, &graph.job, at), graph: Arc::new(graph) });
        let job = save(&memory, &graph.job, at);
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
            graph: Arc::new(graph),
            job,
            callee,
            runs: Vec::new(),
            called: BTreeSet::new(),
            needed: BTreeMap::new(),
            needs,
            nodes: (0..3).map(|_| Node::up()).collect(),
            holder: 0,
            bodies: BTreeMap::new(),
            batches: 0,
            ledger: Ledger::default(),
            // Drawn apart, too.
            hops: Random::new(seed ^ 0x4095_4095_4095_4095).chance(500_000),
            violations: Vec::new(),
            healed: false,
            random,
        };
        world.take(0);
        for what in [What::Start, What::Work, What::Ask, What::Disturb, What::Govern] {
            world.after(100, what);
        }
        world.after(setting.faulty_ms, What::Heal);
        world
    }

    fn run(mut self) -> Report {
        let end = self.setting.faulty_ms + HEAL_MS;
        while let Some(((at, _), what)) = self.agenda.pop_first() {
            if at > end || !self.violations.is_empty() || self.healed && self.open().is_empty() {
                break;
            }
            self.now = at;
            self.happen(what);
        }
        if self.violations.is_empty() {
            let open = self.open().into_iter().map(|run| format!("run {run} has not ended"));
            let open = open.collect();
            self.hold(open);
        }
        Report {
            hash: self.trace.hash(),
            events: self.trace.events,
            tasks: self.ledger.started(),
            faults: self.counts,
            violations: self.violations,
            trace: self.trace.take_lines(),
        }
    }

    fn happen(&mut self, what: What) {
        self.trace.event(self.now, code(what));
        // A process that stands still hears everything when it goes on.
        if let Some(until) = self.node_of(what).and_then(|node| self.nodes[node].still_until(self.now)) {
            return self.at(until, what);
        }
        match what {
            What::Look(load) => self.look(load),
            What::Wake(load) => self.pass(load),
            What::Commit(number) => self.commit(number),
            What::Answer(number, told) => self.answered(number, told),
            What::Deadline(number) => self.answered(number, Told::Failed),
            What::Work => self.work(),
            What::BodyEnds(number) => self.body_ends(number),
            What::Start => self.start(),
            What::Needed(date_ms) => self.start_needed(date_ms),
            What::Ask => self.ask(),
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
            What::Look(load) | What::Wake(load) => Some(load.node),
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

    fn time(&self) -> Timestamp {
        Timestamp::from_millis(BASE_MS + self.now.cast_signed())
    }

    fn batch(&mut self) -> BatchId {
        self.batches += 1;
        BatchId { incarnation: WORKER, sequence: self.batches }
    }

    /// Runs that have not ended.
    fn open(&self) -> Vec<RunId> {
        let is_open = |run: &&RunId| {
            let found = ready(self.memory.run(**run)).expect("the memory store is open");
            found.is_some_and(|found| !found.state.is_final())
        };
        self.runs.iter().filter(is_open).copied().collect()
    }

    /// Notes what breaks the invariant of workflows.
    fn hold(&mut self, found: Vec<String>) {
        let at = BASE_MS + self.now.cast_signed();
        self.violations.extend(found.into_iter().map(|what| Violation { invariant: "I12", at, what }));
    }

    fn tell(&mut self, text: impl FnOnce() -> String) {
        self.trace.line(self.now, || format!("workflow: {}", text()));
    }
}

/// What tells an event from others.
fn code(what: What) -> u64 {
    match what {
        What::Look(load) => 1 << 56 | load.number << 8 | load.node as u64,
        What::Wake(load) => 14 << 56 | load.number << 8 | load.node as u64,
        What::Commit(number) => 2 << 56 | number,
        What::Answer(number, told) => 3 << 56 | number << 8 | u64::from(told == Told::Failed),
        What::Deadline(number) => 4 << 56 | number,
        What::Work => 5 << 56,
        What::BodyEnds(number) => 6 << 56 | number,
        What::Start => 7 << 56,
        What::Ask => 8 << 56,
        What::Disturb => 9 << 56,
        What::Govern => 10 << 56,
        What::Learn(node) => 11 << 56 | node as u64,
        What::Restart(node) => 12 << 56 | node as u64,
        What::Heal => 13 << 56,
        What::Needed(date_ms) => 15 << 56 | date_ms,
    }
}
