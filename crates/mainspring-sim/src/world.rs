//! The world of a seed: virtual time, the heap of what is to happen, and the network between nodes and store.

mod report;
mod trouble;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::Arc;

use mainspring_core::cluster::Settings as ClusterSettings;
use mainspring_core::planner::{GROUP_MS, Settings as PlannerSettings};
use mainspring_core::rule::Rule;
use mainspring_core::{Incarnation, JobId, RunId, TriggerId};
use rustc_hash::FxHashMap;

use crate::apply::Snapshot;
use crate::check::{self, Violation, Watch};
use crate::client::Client;
use crate::faults::{Counts, Kind, Planted, Rates};
use crate::history::{Fault, History, Time};
use crate::load::Draft;
use crate::node::Node;
use crate::node::desk::DeskTick;
use crate::random::Random;
use crate::store::{Sender, SimStore};
use crate::trace::Trace;
use crate::verbs::{Reply, Verb};
use crate::worker::{Request, Response, Tick, Trouble, Worker};
use crate::{flows, workflows};

pub use report::Report;
use report::survived;

/// When every world begins, in milliseconds since 1970.
pub(crate) const BASE_MS: i64 = 1_767_225_600_000;
/// How long after the end of all faults everything has to be as it should.
const HEAL_MS: u64 = 120_000;
/// How much longer a seed may go on that has too few fires by then, and until when the faults of one that has too few of them go on.
const LONGER_MS: u64 = 3_600_000;
/// The least fires of a seed that is worth anything.
pub const FIRES_LEAST: u64 = 2_000;
/// The least faults with an effect of a seed that is worth anything.
pub const FAULTS_LEAST: u64 = 20;
/// How much longer faults happen, as often as it takes until there are so many.
const MORE_MS: u64 = 30_000;
/// How long a node's database calls wait for an answer, but for those of the lease.
pub(crate) const DEADLINE_MS: u64 = 5_000;
/// How long a transaction waits for a lock.
const LOCK_TIMEOUT_US: u64 = 2_000_000;

/// What a seed is run with.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// How long faults happen, in virtual milliseconds.
    pub faulty_ms: u64,
    /// A bug that is planted.
    pub planted: Option<Planted>,
    /// Whether faults happen at all.
    pub faults: bool,
    /// Whether to live through flows only: every seed has one then.
    pub only_flows: bool,
    /// The same of workflows.
    pub only_workflows: bool,
    /// Whether to keep the trace's text.
    pub reads: bool,
    /// Hears each line of it at once.
    pub tell: Option<fn(&str)>,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            faulty_ms: 210_000,
            planted: None,
            faults: true,
            only_flows: false,
            only_workflows: false,
            reads: false,
            tell: None,
        }
    }
}

/// What is to happen.
#[derive(Debug)]
pub(crate) enum What {
    /// A node's loop is to look.
    Drive(usize, u32),
    /// A node's lease is to be looked after.
    Keep(usize, u32),
    /// A request arrives.
    Arrive(Box<(Sender, Verb)>),
    /// A transaction goes on.
    Step(u64),
    /// A transaction has waited long enough.
    WaitedEnough(u64, u64),
    /// An answer arrives.
    Reply(Sender, Box<Reply>),
    /// A request has waited long enough.
    Deadline(Sender),
    /// A run's work is done.
    Done(usize, u64),
    /// A hint arrives.
    Hint(usize),
    /// A client does something.
    Client(usize, u64),
    /// A node's desk for workers has something to do.
    Desk(usize, u32, Box<DeskTick>),
    /// A worker's request arrives.
    Ask(Box<Request>),
    /// A worker has gone away from a request.
    HangUp(usize, usize, u64),
    /// An answer to a worker arrives.
    Told(usize, u32, u64, Box<Result<Response, Trouble>>),
    /// A worker has waited long enough.
    Impatient(usize, u32, u64),
    /// A worker has something to do.
    Worker(usize, u32, Tick),
    /// A worker's work is done.
    ChoreDone(usize, u64),
    /// A worker's process begins again.
    StartWorker(usize),
    /// A worker that stood still goes on.
    WakeWorker(usize),
    /// A worker's cut ends.
    MendWorker(usize),
    /// Perhaps something goes wrong.
    Disturb,
    /// A server takes over that has all up to now.
    Failover(Box<Snapshot>),
    /// A process begins again.
    Restart(usize),
    /// A node that stood still goes on.
    WakeUp(usize),
    /// A cut ends.
    Mend(usize),
    /// A drain ends.
    Undrain(usize),
    /// The faults end.
    Heal,
}

/// What is to happen, in order of time, and of being asked for. The heap holds places in a list, as it moves what it holds often.
#[derive(Debug, Default)]
struct Agenda {
    order: BinaryHeap<Reverse<(u64, u64, u32)>>,
    numbers: u64,
    whats: Vec<Option<What>>,
    vacant: Vec<u32>,
}

impl Agenda {
    fn put(&mut self, at: u64, what: What) {
        let place = self.vacant.pop().unwrap_or_else(|| {
            self.whats.push(None);
            u32::try_from(self.whats.len() - 1).expect("not so much is to happen")
        });
        self.whats[place as usize] = Some(what);
        self.numbers += 1;
        self.order.push(Reverse((at, self.numbers, place)));
    }

    fn take(&mut self) -> Option<(u64, What)> {
        let Reverse((at, _, place)) = self.order.pop()?;
        self.vacant.push(place);
        Some((at, self.whats[place as usize].take().expect("each place is in the heap once")))
    }
}

/// See the [module](self).
#[derive(Debug)]
pub struct World {
    pub(crate) seed: u64,
    pub(crate) setting: Setting,
    /// Microseconds since the beginning.
    pub(crate) now: u64,
    agenda: Agenda,
    pub(crate) random: Random,
    pub(crate) rates: Rates,
    pub(crate) counts: Counts,
    pub(crate) trace: Trace,
    pub(crate) store: SimStore,
    /// The number of the last transaction that was kept.
    pub(crate) order: u64,
    pub(crate) database: u32,
    pub(crate) database_ahead_ms: i64,
    pub(crate) down_until: u64,
    slow_until: u64,
    pub(crate) failing_over: bool,
    pub(crate) nodes: Vec<Node>,
    pub(crate) workers: Vec<Worker>,
    pub(crate) clients: Vec<Client>,
    pub(crate) drafts: Vec<Draft>,
    pub(crate) jobs: BTreeMap<JobId, u32>,
    pub(crate) rules: FxHashMap<(TriggerId, i64), Arc<Rule>>,
    pub(crate) poisoned: Vec<TriggerId>,
    /// The batch that made each run, and the transaction.
    pub(crate) made: FxHashMap<RunId, (mainspring_core::BatchId, u64)>,
    pub(crate) work: FxHashMap<u64, crate::work::Going>,
    pub(crate) works: u64,
    pub(crate) gaps_seen: i64,
    pub(crate) history: History,
    watch: Watch,
    pub(crate) healed: bool,
    /// The request about a job, and the asking for a run, that a transaction belongs to.
    pub(crate) operation_orders: Vec<u64>,
    pub(crate) open: FxHashMap<u32, usize>,
    pub(crate) asked: FxHashMap<RunId, usize>,
    pub(crate) bugs: crate::apply::Bugs,
    /// What each claim has taken.
    pub(crate) answered: BTreeMap<(Incarnation, u64), BTreeSet<(RunId, u32)>>,
    /// Since when no worker has had room for another run.
    pub(crate) no_room_since: Option<Time>,
    /// Since when no node has had room for another run.
    pub(crate) full_since: Option<Time>,
    /// The triggers that answers name which nobody has heard yet: by node and request.
    pub(crate) unheard: BTreeMap<(usize, u64), Vec<TriggerId>>,
    pub(crate) rewritten: FxHashMap<RunId, mainspring_core::run::RunState>,
    pub(crate) planner: PlannerSettings,
    pub(crate) cluster: ClusterSettings,
    pub(crate) misfire_threshold_ms: i64,
    /// Decides which batches are overtaken.
    overtaking: Random,
}

impl World {
    /// The world of a seed, before anything has happened.
    #[must_use]
    pub fn new(seed: u64, setting: Setting) -> Self {
        let mut random = Random::new(seed);
        let mut overtaking = Random::new(!seed);
        let rates = match setting.faults {
            true => Rates::drawn(&mut random).with_overtaken(&mut overtaking),
            false => Rates::none(),
        };
        let planned_misfire = if setting.planted == Some(Planted::HastyMisfire) { 5_000 } else { 60_000 };
        let planner = PlannerSettings {
            poll_every_ms: Some(250),
            check_every_ms: Some(30_000),
            held_every_ms: Some(20_000),
            // As servers have it; the other seeds keep the traces by which bugs are caught.
            group_ms: if seed % 8 == 7 { GROUP_MS } else { 0 },
            ..PlannerSettings::default()
        };
        let mut world = Self {
            seed,
            setting,
            now: 0,
            agenda: Agenda::default(),
            random,
            rates,
            counts: Counts::default(),
            trace: Trace::new(setting.reads, setting.tell),
            store: SimStore::new(),
            order: 0,
            database: 1,
            database_ahead_ms: 0,
            down_until: 0,
            slow_until: 0,
            failing_over: false,
            nodes: Vec::new(),
            workers: Vec::new(),
            clients: Vec::new(),
            drafts: Vec::new(),
            jobs: BTreeMap::new(),
            rules: FxHashMap::default(),
            poisoned: Vec::new(),
            made: FxHashMap::default(),
            work: FxHashMap::default(),
            works: 0,
            gaps_seen: 0,
            history: History { misfire_threshold_ms: 60_000, catch_up_max: planner.catch_up_max, ..History::default() },
            watch: Watch::default(),
            healed: false,
            operation_orders: Vec::new(),
            open: FxHashMap::default(),
            asked: FxHashMap::default(),
            bugs: crate::apply::Bugs::default(),
            answered: BTreeMap::new(),
            no_room_since: None,
            full_since: None,
            unheard: BTreeMap::new(),
            rewritten: FxHashMap::default(),
            planner,
            cluster: ClusterSettings::default(),
            misfire_threshold_ms: planned_misfire,
            overtaking,
        };
        world.store.skips_fences = world.has(Planted::FenceByExists) || world.has(Planted::EpochOnly);
        world.store.skips_gates = world.has(Planted::OverlapOutside);
        world.set_up();
        world
    }

    /// Lives through it all, or to where something breaks that must never be.
    #[must_use]
    pub fn run(mut self) -> Report {
        let mut looked = false;
        while let Some((at, what)) = self.agenda.take() {
            let end = self.end();
            let latest = end + LONGER_MS * 1_000;
            let is_enough = self.history.fires.len() as u64 >= FIRES_LEAST;
            // All has to be well by the end, also where what came is not enough, and the seed goes on.
            if at > end && !looked {
                looked = true;
                let violations = self.look_at_all(end);
                if is_enough || !violations.is_empty() {
                    return self.report(violations);
                }
            }
            if at > latest || (at > end && is_enough) {
                break;
            }
            self.now = at;
            self.happen(what);
            let violations = self.watch.look(&self.history, self.time());
            if !violations.is_empty() {
                return self.report(violations);
            }
        }
        let violations = self.look_at_all(self.end().max(self.now));
        self.report(violations)
    }

    /// When all has to be well.
    fn end(&self) -> u64 {
        (self.setting.faulty_ms + HEAL_MS) * 1_000
    }

    fn look_at_all(&mut self, at: u64) -> Vec<Violation> {
        self.now = at;
        self.look_back();
        let mut violations = self.watch.look(&self.history, self.time());
        violations.extend(check::at_the_end(&self.history));
        violations
    }

    /// Lives through a seed, and through the flow or the workflows that some seeds have. A panic on the way is a violation like any other.
    #[must_use]
    pub fn report_of(seed: u64, setting: Setting) -> Report {
        let has_flow = setting.only_flows || seed.is_multiple_of(flows::EVERY) && !setting.only_workflows;
        let has_workflows = setting.only_workflows || seed % flows::EVERY == workflows::REST && !setting.only_flows;
        let flow = has_flow.then(|| survived(|| flows::run(seed, setting)));
        let found = has_workflows.then(|| survived(|| workflows::run(seed, setting)));
        let is_enough = setting.only_flows
            || setting.only_workflows
            || setting.planted.is_some_and(|bug| bug.is_of_flows() || bug.is_of_workflows())
            || flow.as_ref().is_some_and(|flow| !flow.as_ref().is_ok_and(|flow| flow.violations.is_empty()))
            || found.as_ref().is_some_and(|found| !found.as_ref().is_ok_and(|found| found.violations.is_empty()));
        let mut report = match is_enough {
            true => Report::empty(seed),
            false => survived(|| Self::new(seed, setting).run()).unwrap_or_else(|panic| Report::panicked(seed, panic)),
        };
        match flow {
            Some(Ok(flow)) => report.add(flow),
            Some(Err(panic)) => report = Report::panicked(seed, panic),
            None => {}
        }
        match found {
            Some(Ok(found)) => report.add_workflows(found),
            Some(Err(panic)) => report = Report::panicked(seed, panic),
            None => {}
        }
        report
    }

    fn report(mut self, violations: Vec<Violation>) -> Report {
        let worst_in_calm_ms = check::worst_in_calm(&self.history);
        for violation in &violations {
            self.trace.mix(violation.at.cast_unsigned());
        }
        Report {
            seed: self.seed,
            hash: self.trace.hash(),
            events: self.trace.events,
            fires: self.history.fires.len() as u64,
            faults: self.counts,
            violations,
            trace: self.trace.take_lines(),
            worst_in_calm_ms,
            turns: 0,
            tasks: 0,
        }
    }

    /// Notes from when to when no node that takes work has had room for more: runs wait then, and no fault is to be seen.
    pub(crate) fn note_room(&mut self) {
        let slots = self.planner.slots;
        let mut takes = self.nodes.iter().filter(|node| node.takes_work()).peekable();
        let full = takes.peek().is_some() && takes.all(|node| node.planner.figures().running >= slots);
        match (full, self.full_since) {
            (true, None) => self.full_since = Some(self.time()),
            (false, Some(from)) => {
                self.full_since = None;
                let to = self.time();
                self.history.faults.push(Fault { kind: "full", node: None, from, to, recovery_ms: FULL_MS });
            }
            _ => {}
        }
    }

    /// Notes the same of workers that have joined.
    pub(crate) fn note_workers_room(&mut self) {
        let mut joined = self.workers.iter().filter(|worker| worker.up && worker.id.is_some()).peekable();
        let full = joined.peek().is_some() && joined.all(|worker| !worker.has_room());
        match (full, self.no_room_since) {
            (true, None) => self.no_room_since = Some(self.time()),
            (false, Some(from)) => {
                self.no_room_since = None;
                self.history.no_room.push((from, self.time()));
            }
            _ => {}
        }
    }

    pub(crate) fn has(&self, bug: Planted) -> bool {
        self.setting.planted == Some(bug)
    }

    /// Now, in milliseconds since 1970.
    pub(crate) fn time(&self) -> Time {
        self.time_at(self.now)
    }

    pub(crate) fn time_at(&self, at: u64) -> Time {
        BASE_MS + (at / 1_000).cast_signed()
    }

    /// Has something happen after so many microseconds.
    pub(crate) fn after(&mut self, micros: u64, what: What) {
        self.at(self.now + micros, what);
    }

    pub(crate) fn at(&mut self, at: u64, what: What) {
        self.agenda.put(at, what);
    }

    pub(crate) fn chance(&mut self, kind: Kind) -> bool {
        let rate = self.rates.of(kind);
        !self.healed && self.random.chance(rate)
    }

    /// Notes a fault that had an effect, from now on for so long.
    pub(crate) fn fault(&mut self, kind: Kind, node: Option<usize>, for_ms: u64, recovery_ms: i64) {
        self.counts.add(kind);
        let from = self.time();
        self.history.faults.push(Fault { kind: kind.word(), node, from, to: from + for_ms.cast_signed(), recovery_ms });
        let at = self.now;
        self.trace.line(at, || format!("FAULT {} node {node:?} for {for_ms} ms", kind.word()));
    }

    fn happen(&mut self, what: What) {
        let (at, code) = (self.now, code(&what));
        self.trace.event(at, code);
        match what {
            What::Drive(node, life) => self.woke(node, life),
            What::Keep(node, life) => self.keep_woke(node, life),
            What::Arrive(request) => self.arrive(request.0, request.1),
            What::Step(session) => self.step(session),
            What::WaitedEnough(session, step) => self.waited_enough(session, step),
            What::Reply(sender, reply) => self.hear(sender, *reply),
            What::Deadline(sender) => self.too_late(sender),
            What::Done(node, work) => self.done(node, work),
            What::Hint(node) => self.hinted(node),
            What::Client(client, step) => self.client_woke(client, step),
            What::Desk(node, process, tick) => self.desk_ticked(node, process, tick),
            What::Ask(request) => self.asked(*request),
            What::HangUp(node, worker, call) => self.hung_up(node, worker, call),
            What::Told(worker, life, call, answer) => self.told(worker, life, call, *answer),
            What::Impatient(worker, life, call) => self.impatient(worker, life, call),
            What::Worker(worker, life, tick) => self.worker_ticked(worker, life, tick),
            What::ChoreDone(worker, chore) => self.chore_done(worker, chore),
            What::StartWorker(worker) => self.start_worker(worker),
            What::WakeWorker(worker) => self.wake_worker(worker),
            What::MendWorker(worker) => self.mend_worker(worker),
            What::Disturb => self.disturb(),
            What::Failover(snapshot) => self.fail_over(*snapshot),
            What::Restart(node) => self.restart(node),
            What::WakeUp(node) => self.wake_up(node),
            What::Mend(node) => self.mend(node),
            What::Undrain(node) => self.drain(node, false),
            What::Heal if self.has_few_faults() => {
                self.setting.faulty_ms += MORE_MS;
                self.at(self.setting.faulty_ms * 1_000, What::Heal);
            }
            What::Heal => self.heal(),
        }
    }

    // The network.

    /// Sends a request of a node to the store.
    pub(crate) fn send(&mut self, sender: Sender, verb: Verb, deadline_ms: u64) {
        let deadline_us = self.nodes[sender.node].virtual_us(deadline_ms);
        self.after(deadline_us, What::Deadline(sender));
        let node = sender.node;
        if self.nodes[node].cut_out || self.loses(Kind::Loss, node, deadline_ms) {
            return;
        }
        if verb.may_be_repeated() && self.chance(Kind::Duplicate) {
            self.fault(Kind::Duplicate, Some(node), 0, 0);
            let delay = self.delay(node);
            self.after(delay, What::Arrive(Box::new((sender, verb.clone()))));
        }
        let delay = self.delay(node);
        self.after(delay, What::Arrive(Box::new((sender, verb))));
    }

    fn loses(&mut self, kind: Kind, node: usize, deadline_ms: u64) -> bool {
        let lost = self.chance(kind);
        if lost {
            self.fault(kind, Some(node), deadline_ms, RECOVERY_MS);
        }
        lost
    }

    pub(crate) fn delay(&mut self, node: usize) -> u64 {
        let usual = self.random.between(100, 900);
        if !self.chance(Kind::Delay) {
            return usual;
        }
        let most = *self.random.pick(&[50, 500, 3_000, 8_000]);
        let long_ms = self.random.between(20, most);
        self.fault(Kind::Delay, Some(node), long_ms, RECOVERY_MS);
        usual + long_ms * 1_000
    }

    fn answer(&mut self, sender: Sender, reply: Reply) {
        let node = sender.node;
        if self.nodes[node].cut_in || self.loses(Kind::Loss, node, DEADLINE_MS) {
            return;
        }
        let delay = self.delay(node);
        self.after(delay, What::Reply(sender, Box::new(reply)));
    }

    // The store.

    fn arrive(&mut self, sender: Sender, verb: Verb) {
        if self.down_until > self.now {
            return;
        }
        let session = self.store.begin(self.now, sender, verb);
        self.go_on(session);
    }

    fn go_on(&mut self, session: u64) {
        let slow = if self.slow_until > self.now { 200 } else { 1 };
        let micros = self.random.between(20, 200) * slow;
        self.after(micros, What::Step(session));
    }

    fn step(&mut self, number: u64) {
        use crate::store::Progress;
        if !self.store.sessions.contains_key(&number) || self.store.is_waiting(number) {
            return;
        }
        if self.chance(Kind::SessionDeath) {
            self.fault(Kind::SessionDeath, None, DEADLINE_MS, RECOVERY_MS);
            return self.abort(number);
        }
        let session = self.store.sessions.get(&number).expect("seen above");
        if !session.delayed && session.begun + DEADLINE_MS * 1_000 < self.now {
            // The server's own limit of a statement.
            return self.abort(number);
        }
        self.look_early(number);
        let mut progress = Progress::Locked;
        // A statement takes the locks of a few rows together.
        let together = self.random.between(1, 6);
        for _ in 0..together {
            progress = self.store.advance(number);
            if progress != Progress::Locked {
                break;
            }
        }
        match progress {
            Progress::Locked => self.go_on(number),
            Progress::Ready => self.commit(number),
            Progress::Waits => {
                let session = self.store.sessions.get_mut(&number).expect("seen above");
                session.step += 1;
                let step = session.step;
                self.after(LOCK_TIMEOUT_US, What::WaitedEnough(number, step));
            }
            Progress::Deadlock => {
                self.counts.add(Kind::Deadlock);
                self.try_again(number);
            }
        }
    }

    fn waited_enough(&mut self, number: u64, step: u64) {
        let waits = |session: &crate::store::Session| session.step == step;
        if self.store.sessions.get(&number).is_some_and(waits) && self.store.is_waiting(number) {
            self.fault(Kind::LockTimeout, None, 0, RECOVERY_MS);
            if !self.half_commit(number) {
                self.try_again(number);
            }
        }
    }

    /// Undoes a transaction that others were in the way of, and begins it anew.
    fn try_again(&mut self, number: u64) {
        let woken = self.store.let_go(number);
        self.wake(woken);
        let session = self.store.sessions.get_mut(&number).expect("the caller has seen it");
        session.tries += 1;
        session.looked = None;
        if session.tries > 10 { self.abort(number) } else { self.go_on(number) }
    }

    pub(crate) fn wake(&mut self, sessions: Vec<u64>) {
        for session in sessions {
            self.go_on(session);
        }
    }

    /// Undoes a transaction. Its sender hears that it failed.
    fn abort(&mut self, number: u64) {
        let (session, woken) = self.store.end(number);
        self.wake(woken);
        if let Some(session) = session {
            self.answer(session.sender, Err(crate::verbs::Failure::Unavailable));
        }
    }

    fn commit(&mut self, number: u64) {
        let session = self.store.sessions.get(&number).expect("the caller has seen it");
        let (is_read, delayed) = (session.verb.is_read(), session.delayed);
        let is_look = matches!(session.verb, Verb::Changes(..));
        // Changes of jobs are few, and one that is committed after later ones is worth seeing.
        let rolls = if session.verb.changes_jobs() { 8 } else { 1 };
        if self.chance(Kind::ErrorBefore) {
            self.fault(Kind::ErrorBefore, None, 0, RECOVERY_MS);
            self.torn(number);
            return self.abort(number);
        }
        if self.overtake(number) {
            return;
        }
        // What a statement reads is what was there when it began, however late its commit is.
        if !is_read && !is_look && !delayed && (0..rolls).any(|_| self.chance(Kind::LateCommit)) {
            let late_ms = self.random.between(100, 9_000);
            self.fault(Kind::LateCommit, None, late_ms, RECOVERY_MS);
            self.store.sessions.get_mut(&number).expect("seen above").delayed = true;
            return self.after(late_ms * 1_000, What::Step(number));
        }
        let session = self.store.sessions.get_mut(&number).expect("seen above");
        let verb = std::mem::replace(&mut session.verb, Verb::Held);
        let (sender, looked) = (session.sender, session.looked);
        let clock_ms = self.time() + self.database_ahead_ms;
        let name = format!("database-{}", self.database);
        self.store.memory.set_identity(&name, clock_ms).expect("the memory store is open");
        let reply = self.apply(number, sender, verb, looked);
        let (_, woken) = self.store.end(number);
        self.wake(woken);
        if self.chance(Kind::ErrorAfter) {
            self.fault(Kind::ErrorAfter, None, 0, RECOVERY_MS);
            return self.answer(sender, Err(crate::verbs::Failure::Unavailable));
        }
        if self.chance(Kind::Silent) {
            return self.fault(Kind::Silent, Some(sender.node), DEADLINE_MS, RECOVERY_MS);
        }
        self.answer(sender, reply);
    }
}

/// How often it is asked whether something goes wrong.
const EVERY_MS: u64 = 250;
/// How long runs may still wait when there is room again: until the next look, and for those before them.
const FULL_MS: i64 = 1_000;
/// How long after the end of a fault its effects may last: until another node has taken over, and has caught up.
pub(crate) const RECOVERY_MS: i64 = 8_000;

/// What tells an event from others.
fn code(what: &What) -> u64 {
    match what {
        What::Drive(node, life) => 1 << 56 | u64::from(*life) << 8 | *node as u64,
        What::Keep(node, life) => 2 << 56 | u64::from(*life) << 8 | *node as u64,
        What::Arrive(request) => 3 << 56 | request.0.call << 8 | request.1.code(),
        What::Step(session) => 4 << 56 | *session,
        What::WaitedEnough(session, step) => 5 << 56 | *session << 8 | *step,
        What::Reply(sender, reply) => 6 << 56 | sender.call << 8 | u64::from(reply.is_ok()),
        What::Deadline(sender) => 7 << 56 | sender.call,
        What::Done(node, work) => 8 << 56 | *work << 8 | *node as u64,
        What::Hint(node) => 9 << 56 | *node as u64,
        What::Client(client, step) => 10 << 56 | *step << 8 | *client as u64,
        What::Disturb => 11 << 56,
        What::Failover(snapshot) => 12 << 56 | snapshot.order,
        What::Restart(node) => 13 << 56 | *node as u64,
        What::WakeUp(node) => 17 << 56 | *node as u64,
        What::Mend(node) => 14 << 56 | *node as u64,
        What::Undrain(node) => 15 << 56 | *node as u64,
        What::Heal => 16 << 56,
        What::Desk(node, process, _) => 18 << 56 | u64::from(*process) << 8 | *node as u64,
        What::Ask(request) => 19 << 56 | request.call << 8 | request.worker as u64,
        What::HangUp(node, worker, call) => 20 << 56 | *call << 16 | (*worker as u64) << 8 | *node as u64,
        What::Told(worker, _, call, answer) => {
            21 << 56 | *call << 16 | (*worker as u64) << 8 | u64::from(answer.is_ok())
        }
        What::Impatient(worker, _, call) => 22 << 56 | *call << 8 | *worker as u64,
        What::Worker(worker, life, _) => 23 << 56 | u64::from(*life) << 8 | *worker as u64,
        What::ChoreDone(worker, chore) => 24 << 56 | *chore << 8 | *worker as u64,
        What::StartWorker(worker) => 25 << 56 | *worker as u64,
        What::WakeWorker(worker) => 26 << 56 | *worker as u64,
        What::MendWorker(worker) => 27 << 56 | *worker as u64,
    }
}
