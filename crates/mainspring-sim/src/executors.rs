//! Executors of XXL-JOB under faults: workers that cannot be asked what they have, and that execute twice what they are sent twice.
//!
//! What an answer, a silence or a callback means is [`Dispatch`]'s to say, how long somebody waits is [`Vigil`]'s, what follows the end of
//! an attempt is `mainspring-core`'s, and the memory store keeps it; all of these ship. The shell is thin, as that of the server is: an
//! attempt is written down once before it is sent, and who finds it written down does not send it. `ledger` says what may be.

mod ledger;
mod node;
mod trouble;

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::job::{Job, JobKey, OnLost, RetryPolicy, Task};
use mainspring_core::run::Origin;
use mainspring_core::{BatchId, Incarnation, JobId, JobVersion, RunId, RunSource, Timestamp};
use mainspring_store::{AskedRun, MemoryStore, Store, WorkerInfo};
use mainspring_xxl::{Dispatch, Event, Vigil};

use crate::check::Violation;
use crate::random::Random;
use crate::store::{ready, save};
use crate::trace::Trace;
use crate::world::BASE_MS;
use ledger::Ledger;

/// Nodes, each of which plays the workers of some executors.
const NODES: usize = 3;
/// Executors of the app.
const EXECUTORS: usize = 3;
/// Runs that an executor is given at a time.
const SLOTS: u32 = 4;
/// The queue of the app.
const QUEUE: &str = "xxl.app";
/// How long after the end of all faults every run has to have ended, and every callback to have been heard.
const HEAL_MS: u64 = 1_800_000;
/// How often an executor says that it is there.
const BEAT_MS: u64 = 30_000;

/// An attempt of a run: what executors know by a number.
pub(crate) type Key = (RunId, u32);

/// What is to happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    /// Somebody asks for a run.
    Ask,
    /// A node asks for work for the executors that it plays.
    Poll(usize),
    /// A node looks at the attempts that it follows.
    Look(usize),
    /// A request to start a run arrives.
    Arrive(u64),
    /// Its sender hears what came of it.
    Answer(u64, Event),
    /// A handler ends.
    BodyEnds(usize, u64, Key),
    /// An executor reports an end.
    Call(Key, bool),
    /// An executor says that it is there.
    Beat(usize),
    /// Perhaps something goes wrong.
    Disturb,
    /// Another node plays what one has played that is gone.
    Govern,
    RestartNode(usize),
    RestartExecutor(usize),
    /// The faults end.
    Heal,
}

/// A bug that is planted, to see that it is caught.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Planted {
    /// Nodes send what they find written down.
    SendsAgain,
    /// Nodes take no answer for no connection, and turn to another executor.
    TurnsUnanswered,
    /// Nodes take an attempt for lost by its age.
    LosesByAge,
    /// Nodes answer a callback before they record it.
    AnswersFirst,
    /// Nodes drop a success that comes after they have taken its attempt for lost.
    DropsLate,
}

impl Planted {
    /// Every bug, with words of the violation by which it is caught.
    pub const ALL: [(Self, &str); 5] = [
        (Self::SendsAgain, "was executed twice"),
        (Self::TurnsUnanswered, "was executed twice"),
        (Self::LosesByAge, "is executed beside"),
        (Self::AnswersFirst, "though its success was heard"),
        (Self::DropsLate, "though its success was heard"),
    ];
}

/// How a seed is lived through.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// For how many milliseconds there are faults.
    pub faulty_ms: u64,
    /// What is wrong with nodes.
    pub planted: Option<Planted>,
}

impl Default for Setting {
    fn default() -> Self {
        Self { faulty_ms: 300_000, planted: None }
    }
}

/// What came of the executors of a seed.
#[derive(Debug)]
pub struct Report {
    /// Tells one course of events from another.
    pub hash: u64,
    /// Runs that were asked for.
    pub runs: usize,
    /// Handlers that were begun.
    pub executions: usize,
    /// How often attempts were sent, accepted, refused, unreached and unknown.
    pub states: [usize; 5],
    /// Successes that came after the attempt was taken for lost, and corrected it.
    pub corrected: usize,
    /// Faults that had an effect.
    pub faults: usize,
    /// What must not be.
    pub violations: Vec<Violation>,
    /// What happened, where somebody reads it.
    pub trace: Vec<String>,
}

/// A job, and what the invariants ask of it.
struct Planned {
    id: JobId,
    version: JobVersion,
    definition: Arc<Job>,
}

/// What a node knows of an attempt.
struct Followed {
    state: Dispatch,
    /// The executor that has it, or is being sent it.
    at: usize,
    /// When the node began with it.
    since: i64,
    /// Those that could not be reached.
    tried: Vec<usize>,
    /// Absent until it is known what came of sending it.
    vigil: Option<Vigil>,
}

/// A server process.
struct Node {
    is_up: bool,
    /// Counts its process starts.
    start: u64,
    attempts: BTreeMap<Key, Followed>,
}

/// An executor.
struct Executor {
    is_up: bool,
    /// It takes connections and says nothing.
    is_hole: bool,
    start: u64,
    beat_at: u64,
    /// What it executes, with the job of each.
    work: BTreeMap<Key, usize>,
}

/// A request to start a run, under way.
#[derive(Clone, Copy)]
struct Request {
    from: usize,
    start: u64,
    key: Key,
    to: usize,
}

/// Jobs, their runs, nodes, executors and a store.
struct World {
    now: u64,
    setting: Setting,
    agenda: BTreeMap<(u64, u64), What>,
    numbers: u64,
    random: Random,
    trace: Trace,
    memory: MemoryStore,
    jobs: Vec<Planned>,
    nodes: Vec<Node>,
    executors: Vec<Executor>,
    /// Which node plays the worker of each executor.
    players: Vec<usize>,
    requests: BTreeMap<u64, Request>,
    ledger: Ledger,
    faults: usize,
    healed: bool,
}

/// Lives through the executors of a seed, with faults for so long, or to where something breaks.
#[must_use]
pub fn run(seed: u64, setting: Setting) -> Report {
    World::new(seed, setting).run()
}

/// The worker that stands for an executor.
fn worker(executor: usize) -> Incarnation {
    Incarnation(100 + executor as u128)
}

/// A process start of a node.
fn incarnation(node: usize) -> Incarnation {
    Incarnation(10 + node as u128)
}

impl World {
    fn new(seed: u64, setting: Setting) -> Self {
        let memory = MemoryStore::new();
        let at = Timestamp::from_millis(BASE_MS);
        ready(memory.adopt(Incarnation(1), at)).expect("the memory store is open");
        let mut jobs = Vec::new();
        for (name, on_lost, count) in [("a", OnLost::Fail, 0), ("b", OnLost::Retry, 1), ("c", OnLost::Fail, 2)] {
            let mut definition = Job::new(JobKey::new("default", name), Task::Noop);
            (definition.on_lost, definition.queue) = (on_lost, QUEUE.to_owned());
            definition.retry = RetryPolicy { count, ..RetryPolicy::default() };
            let definition = Arc::new(definition);
            let (id, version) = save(&memory, &definition, at);
            jobs.push(Planned { id, version, definition });
        }
        for executor in 0..EXECUTORS {
            let worker = WorkerInfo {
                id: worker(executor),
                name: format!("http://10.0.0.{executor}:9999"),
                queues: vec![QUEUE.to_owned()],
                labels: BTreeMap::new(),
                place: None,
                slots: SLOTS,
                version: None,
                token: None,
                node: incarnation(executor % NODES),
                joined_at: at,
            };
            ready(memory.join_worker(worker)).expect("there is none of its name");
        }
        let node = |_| Node { is_up: true, start: 0, attempts: BTreeMap::new() };
        let executor = |_| Executor { is_up: true, is_hole: false, start: 0, beat_at: 0, work: BTreeMap::new() };
        let mut world = Self {
            now: 0,
            setting,
            agenda: BTreeMap::new(),
            numbers: 0,
            random: Random::new(seed ^ 0x5871_5871_5871_5871),
            trace: Trace::new(true, None),
            memory,
            jobs,
            nodes: (0..NODES).map(node).collect(),
            executors: (0..EXECUTORS).map(executor).collect(),
            players: (0..EXECUTORS).map(|executor| executor % NODES).collect(),
            requests: BTreeMap::new(),
            ledger: Ledger::default(),
            faults: 0,
            healed: false,
        };
        world.after(1, What::Ask);
        (0..NODES).for_each(|node| world.after(10, What::Poll(node)));
        (0..NODES).for_each(|node| world.after(20, What::Look(node)));
        (0..EXECUTORS).for_each(|executor| world.after(1, What::Beat(executor)));
        world.after(500, What::Disturb);
        world.after(5_000, What::Govern);
        world.after(setting.faulty_ms, What::Heal);
        world
    }

    fn run(mut self) -> Report {
        let end = self.setting.faulty_ms + HEAL_MS;
        while let Some(((at, _), what)) = self.agenda.pop_first() {
            if at > end || !self.ledger.violations.is_empty() || what == What::Govern && self.is_quiet() {
                break;
            }
            self.now = at;
            self.trace.event(at, code(what));
            self.happen(what);
        }
        if self.ledger.violations.is_empty() {
            self.judge();
        }
        Report {
            hash: self.trace.hash(),
            runs: self.ledger.runs.len(),
            executions: self.ledger.begun(),
            states: self.ledger.states,
            corrected: self.ledger.corrected,
            faults: self.faults,
            violations: self.ledger.violations,
            trace: self.trace.take_lines(),
        }
    }

    /// Whether the faults are over, and all that began before their end.
    fn is_quiet(&self) -> bool {
        let is_pending =
            |what: &What| matches!(what, What::Arrive(_) | What::Answer(..) | What::BodyEnds(..) | What::Call(..));
        let is_final = |(run, _): &(RunId, usize)| {
            let found = ready(self.memory.run(*run)).expect("the memory store is open");
            found.is_some_and(|found| found.state.is_final())
        };
        self.healed && !self.agenda.values().any(is_pending) && self.ledger.runs.iter().all(is_final)
    }

    fn happen(&mut self, what: What) {
        match what {
            What::Ask => self.ask(),
            What::Poll(node) => self.poll(node),
            What::Look(node) => self.look(node),
            What::Arrive(number) => self.arrive(number),
            What::Answer(number, event) => self.answered(number, event),
            What::BodyEnds(executor, start, key) => self.body_ends(executor, start, key),
            What::Call(key, is_success) => self.call(key, is_success),
            What::Beat(executor) => {
                if self.executors[executor].is_up {
                    self.executors[executor].beat_at = self.now;
                }
                self.after(BEAT_MS, What::Beat(executor));
            }
            What::Disturb => self.disturb(),
            What::Govern => self.govern(),
            What::RestartNode(node) => self.nodes[node].is_up = true,
            What::RestartExecutor(executor) => {
                let executor = &mut self.executors[executor];
                (executor.is_up, executor.beat_at) = (true, self.now);
            }
            What::Heal => self.heal(),
        }
    }

    /// Asks for a run of some job.
    fn ask(&mut self) {
        let job = self.random.index(self.jobs.len());
        let Planned { id, version, definition } = &self.jobs[job];
        let at = self.time();
        let run = RunId::new(at, RunSource::Asked(*id, self.ledger.runs.len() as u64));
        let asked = AskedRun {
            id: run,
            job: *id,
            job_version: *version,
            origin: Origin::Api,
            input: None,
            queue: definition.line(),
            priority: definition.priority,
            rerun_of: None,
            repeat: None,
            caller: None,
            fire_time: at,
            at,
        };
        ready(self.memory.ask_run(asked)).expect("the job is there");
        self.ledger.runs.push((run, job));
        if !self.healed {
            let pause = self.random.between(200, 4_000);
            self.after(pause, What::Ask);
        }
    }

    /// An executor hears a request to start a run.
    fn arrive(&mut self, number: u64) {
        let Some(request) = self.requests.get(&number).copied() else { return };
        let Request { key, to, .. } = request;
        let latency = self.random.between(1, 50);
        if !self.executors[to].is_up {
            return self.after(latency, What::Answer(number, Event::Unreached));
        }
        let is_hole = self.executors[to].is_hole;
        if is_hole && self.random.chance(500_000) {
            return self.after(3_000, What::Answer(number, Event::Unanswered));
        }
        if self.fault(20_000) {
            return self.after(latency, What::Answer(number, Event::Refused));
        }
        let other = self.executors.iter().flat_map(|executor| executor.work.keys()).find(|other| other.0 == key.0);
        let beside =
            other.map(|other| format!("attempt {} of run {} is executed beside attempt {}", key.1, key.0, other.1));
        // The same attempt twice is told as that.
        let twice = self.ledger.begin(key, to);
        self.hold(twice.or(beside));
        let job = self.job_of(key.0);
        self.executors[to].work.insert(key, job);
        self.tell(|| format!("executor {to} begins {key:?}"));
        let takes = if self.random.chance(100_000) {
            self.random.between(1_000, 90_000)
        } else {
            self.random.between(5, 3_000)
        };
        self.after(takes, What::BodyEnds(to, self.executors[to].start, key));
        match is_hole || self.fault(50_000) {
            true => self.after(3_000, What::Answer(number, Event::Unanswered)),
            false => self.after(latency, What::Answer(number, Event::Accepted)),
        }
    }

    /// A handler ends, if its executor still lives.
    fn body_ends(&mut self, executor: usize, start: u64, key: Key) {
        let there = &mut self.executors[executor];
        if there.start != start || there.work.remove(&key).is_none() {
            return;
        }
        let is_success = !self.random.chance(150_000);
        self.ledger.ended.insert(key, is_success);
        self.tell(|| format!("executor {executor} ends {key:?}: {is_success}"));
        // A callback that is not heard is repeated every 30 s: for minutes, where the network is broken.
        let delay = if self.fault(60_000) { self.random.between(60_000, 400_000) } else { self.random.between(1, 80) };
        self.after(delay, What::Call(key, is_success));
    }

    fn after(&mut self, ms: u64, what: What) {
        self.numbers += 1;
        self.agenda.insert((self.now + ms, self.numbers), what);
    }

    fn time(&self) -> Timestamp {
        Timestamp::from_millis(BASE_MS + self.now.cast_signed())
    }

    fn batch(&mut self, incarnation: Incarnation) -> BatchId {
        self.numbers += 1;
        BatchId { incarnation, sequence: self.numbers }
    }

    fn job_of(&self, run: RunId) -> usize {
        self.ledger.runs.iter().find(|(known, _)| *known == run).map_or(0, |(_, job)| *job)
    }

    /// Whether a fault happens that does so many times in a million, and counts it.
    fn fault(&mut self, per_million: u64) -> bool {
        let happens = !self.healed && self.random.chance(per_million);
        self.faults += usize::from(happens);
        happens
    }

    fn has(&self, bug: Planted) -> bool {
        self.setting.planted == Some(bug)
    }

    fn hold(&mut self, found: Option<String>) {
        let at = BASE_MS + self.now.cast_signed();
        self.ledger.violations.extend(found.map(|what| Violation { invariant: "I7", at, what }));
    }

    fn tell(&mut self, text: impl FnOnce() -> String) {
        self.trace.line(self.now, || format!("executors: {}", text()));
    }
}

/// What tells an event from others.
fn code(what: What) -> u64 {
    let of = |key: Key| key.0.time().as_millis().unsigned_abs() << 8 | u64::from(key.1);
    match what {
        What::Ask => 1 << 56,
        What::Poll(node) => 2 << 56 | node as u64,
        What::Look(node) => 3 << 56 | node as u64,
        What::Arrive(number) => 4 << 56 | number,
        What::Answer(number, event) => 5 << 56 | number << 8 | u64::from(event == Event::Accepted),
        What::BodyEnds(executor, start, key) => 6 << 56 ^ of(key) ^ start << 40 ^ executor as u64,
        What::Call(key, is_success) => 7 << 56 ^ of(key) << 1 ^ u64::from(is_success),
        What::Beat(executor) => 8 << 56 | executor as u64,
        What::Disturb => 9 << 56,
        What::Govern => 10 << 56,
        What::RestartNode(node) => 11 << 56 | node as u64,
        What::RestartExecutor(executor) => 12 << 56 | executor as u64,
        What::Heal => 13 << 56,
    }
}
