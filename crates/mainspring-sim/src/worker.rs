//! A worker on a machine of its own: the shell around its book and its journal, as thin as that of the crate.
//!
//! It asks one node at a time, and the next one when that gives no answer. Its disk survives it; what was not synced does not.

mod chores;

use std::collections::{BTreeMap, VecDeque};

use mainspring_api::{WorkerEnd, WorkerHolding, WorkerOrders, WorkerPoll, WorkerTerms};
use mainspring_core::workers::{GIVE_UP_MS, HOLD_MS, IDLE_HOLD_MS};
use mainspring_core::{Incarnation, RunId};
use mainspring_worker::machine::{
    Book, Heard, LEGACY_ENDS, Legacy, Life, Question, REQUEST_TIMEOUT, Record, Stop, Unanswered, Write, pause_ms, read,
};

use crate::faults::{Kind, Planted};
use crate::history::{GaveUp, Joined, Time, Told, WORKERS_FROM};
use crate::node::desk::{holding, outcome_of};
use crate::world::{RECOVERY_MS, What, World};

pub(crate) use chores::Chore;

/// Runs that a worker executes at a time.
pub(crate) const SLOTS: u32 = 8;
/// How much longer a poll may take than it is held.
const POLL_SLACK_MS: u64 = 5_000;
/// The most time between two looks at whether something was heard.
const WATCH_EVERY_MS: u64 = 500;
/// Ends that are reported together at most.
const ENDS_TOGETHER: usize = 100;

/// What a worker asks a node.
#[derive(Clone, Debug)]
pub(crate) enum Ask {
    Join,
    Poll(Incarnation, WorkerPoll),
    Report(Incarnation, Vec<WorkerEnd>),
    Leave(Incarnation),
}

impl Ask {
    pub(crate) const fn worker(&self) -> Option<Incarnation> {
        match self {
            Self::Join => None,
            Self::Poll(worker, _) | Self::Report(worker, _) | Self::Leave(worker) => Some(*worker),
        }
    }
}

/// A request on its way, or under way.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) worker: usize,
    pub(crate) life: u32,
    pub(crate) call: u64,
    pub(crate) node: usize,
    pub(crate) ask: Ask,
}

/// What a node answers.
#[derive(Clone, Debug)]
pub(crate) enum Response {
    Joined(Incarnation),
    Orders(WorkerOrders),
    Receipt,
    Left,
}

/// Why a request has no answer of the kind hoped for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trouble {
    Dismissed,
    Stale,
    Passing,
}

/// What a worker has to do at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tick {
    /// The next question is to be asked.
    Ask(u64),
    /// The next report is to be sent.
    Report,
    /// It is looked whether something was heard.
    Watch,
    /// What was written is on disk: the end of this piece of work.
    Synced(u64),
}

/// What the asking lane is about.
#[derive(Debug)]
enum Asking {
    /// Ends of an earlier process, from this one on.
    Legacy(Legacy, usize),
    LeaveFor(Incarnation),
    Join,
    Poll(Question),
}

/// A request that waits for its answer.
#[derive(Debug)]
struct Call {
    number: u64,
    node: usize,
    sent_ms: u64,
}

#[derive(Debug)]
struct Reporting {
    life: Life,
    ends: Vec<WorkerEnd>,
    call: Option<Call>,
    /// Whether it was sent before.
    sent: bool,
}

/// What is on disk, and what is not there yet.
#[derive(Debug, Default)]
struct Disk {
    kept: Vec<u8>,
    loose: Vec<u8>,
}

impl Disk {
    fn write(&mut self, write: Write) {
        match write {
            Write::Nothing => {}
            Write::Append { bytes, .. } => self.loose.extend(bytes),
            Write::Replace(content) => (self.kept, self.loose) = (content, Vec::new()),
        }
    }

    fn sync(&mut self) {
        self.kept.append(&mut self.loose);
    }

    /// Of what is not synced any part may be there.
    fn crash(&mut self, kept: usize) {
        self.loose.truncate(kept);
        self.sync();
    }
}

#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) up: bool,
    /// Which start of the process this is.
    life: u32,
    paused_until: u64,
    cut_out: bool,
    cut_in: bool,
    boot_base_ms: u64,
    book: Book,
    book_life: Life,
    pub(crate) id: Option<Incarnation>,
    record: Record,
    disk: Disk,
    /// The node in use.
    node: usize,
    /// Whether it knows no other.
    knows_one: bool,
    asking: Asking,
    call: Option<Call>,
    /// Tells a rest that is over from one that was cut short.
    rests: u64,
    calls_made: u64,
    failures: (u32, u32),
    outbox: VecDeque<(Life, WorkerEnd)>,
    reporting: Option<Reporting>,
    /// Work that goes on, and ends that are not on disk yet.
    pub(crate) chores: BTreeMap<u64, Chore>,
    /// When the last request was sent that was answered, by the checker's clock.
    heard: Time,
    /// For a bug: when it was heard before it gave up.
    stale_ms: Option<u64>,
    deferred: Vec<What>,
}

/// Its number among all machines.
pub(crate) const fn machine(worker: usize) -> usize {
    WORKERS_FROM + worker
}

/// What a server says to a worker that joins.
fn terms(id: Incarnation) -> WorkerTerms {
    let (hold_ms, idle_hold_ms) = (HOLD_MS, Some(IDLE_HOLD_MS));
    WorkerTerms { id: id.to_string(), hold_ms, idle_hold_ms, give_up_ms: GIVE_UP_MS, clock: false }
}

impl World {
    pub(crate) fn add_worker(&mut self) {
        let worker = self.workers.len();
        let boot_base_ms = self.random.between(1_000_000, 2_000_000);
        let node = self.random.index(self.nodes.len());
        let knows_one = self.random.chance(300_000);
        self.workers.push(Worker {
            up: false,
            life: 0,
            paused_until: 0,
            cut_out: false,
            cut_in: false,
            boot_base_ms,
            book: Book::new(SLOTS),
            book_life: 0,
            id: None,
            record: Record::default(),
            disk: Disk::default(),
            node,
            knows_one,
            asking: Asking::Join,
            call: None,
            rests: 0,
            calls_made: 0,
            failures: (0, 0),
            outbox: VecDeque::new(),
            reporting: None,
            chores: BTreeMap::new(),
            heard: self.time(),
            stale_ms: None,
            deferred: Vec::new(),
        });
        self.start_worker(worker);
    }

    /// A process begins: it reads what an earlier one left.
    pub(crate) fn start_worker(&mut self, worker: usize) {
        if self.workers[worker].up {
            return;
        }
        let reads = !self.has(Planted::LostJournal);
        let state = &mut self.workers[worker];
        (state.up, state.life) = (true, state.life + 1);
        (state.book, state.book_life, state.id) = (Book::new(SLOTS), 0, None);
        (state.record, state.call, state.reporting, state.failures) = (Record::default(), None, None, (0, 0));
        state.stale_ms = None;
        state.outbox.clear();
        let legacy = read(&state.disk.kept).filter(|_| reads);
        state.asking = legacy.map_or(Asking::Join, |legacy| Asking::Legacy(legacy, 0));
        let now = self.now;
        self.trace.line(now, || format!("worker {worker} begins: {:?}", self.workers[worker].asking));
        self.ask(worker);
        self.tick_worker(worker, 0, Tick::Watch);
    }

    fn tick_worker(&mut self, worker: usize, ms: u64, tick: Tick) {
        let life = self.workers[worker].life;
        self.after(ms * 1_000, What::Worker(worker, life, tick));
    }

    pub(crate) fn worker_ticked(&mut self, worker: usize, life: u32, tick: Tick) {
        let state = &mut self.workers[worker];
        if state.life != life || !state.up {
            return;
        }
        if state.paused_until > self.now {
            return state.deferred.push(What::Worker(worker, life, tick));
        }
        match tick {
            Tick::Ask(rest) => {
                if state.rests == rest && state.call.is_none() {
                    self.ask(worker);
                }
            }
            Tick::Report => self.send_report(worker),
            Tick::Watch => self.watch_worker(worker),
            Tick::Synced(chore) => self.synced(worker, chore),
        }
    }

    fn worker_ms(&self, worker: usize) -> u64 {
        self.workers[worker].boot_base_ms + self.now / 1_000
    }

    // The network.

    /// Sends something between a worker and a node, as the network of the worker pleases.
    fn carry(&mut self, worker: usize, is_out: bool, what: What) {
        let state = &self.workers[worker];
        if if is_out { state.cut_out } else { state.cut_in } {
            return;
        }
        if self.chance(Kind::WorkerLoss) {
            return self.fault(Kind::WorkerLoss, Some(machine(worker)), 8_000, RECOVERY_MS);
        }
        let mut micros = self.random.between(100, 900);
        if self.chance(Kind::WorkerDelay) {
            let most = *self.random.pick(&[100, 2_000, 6_000]);
            let ms = self.random.between(20, most);
            self.fault(Kind::WorkerDelay, Some(machine(worker)), ms, RECOVERY_MS);
            micros += ms * 1_000;
        }
        self.after(micros, what);
    }

    fn send_ask(&mut self, worker: usize, ask: Ask, patience_ms: u64) -> Call {
        let sent_ms = self.worker_ms(worker);
        let state = &mut self.workers[worker];
        state.calls_made += 1;
        let (call, life, node) = (state.calls_made, state.life, state.node);
        let now = self.now;
        self.trace.line(now, || format!("worker {worker} asks node {node} {call}: {ask:?}"));
        let request = Request { worker, life, call, node, ask };
        if self.chance(Kind::WorkerDuplicate) {
            self.fault(Kind::WorkerDuplicate, Some(machine(worker)), 0, 0);
            self.carry(worker, true, What::Ask(Box::new(request.clone())));
        }
        self.carry(worker, true, What::Ask(Box::new(request)));
        self.after(patience_ms * 1_000, What::Impatient(worker, life, call));
        Call { number: call, node, sent_ms }
    }

    /// A node answers.
    pub(crate) fn respond(&mut self, request: Request, answer: Result<Response, Trouble>) {
        let Request { worker, life, call, .. } = request;
        self.carry(worker, false, What::Told(worker, life, call, Box::new(answer)));
    }

    /// A worker goes away from a request.
    fn hang_up(&mut self, worker: usize, call: &Call) {
        self.carry(worker, true, What::HangUp(call.node, worker, call.number));
    }

    /// A request has waited long enough.
    pub(crate) fn impatient(&mut self, worker: usize, life: u32, number: u64) {
        let state = &self.workers[worker];
        let reports = state.reporting.as_ref().and_then(|reporting| reporting.call.as_ref());
        let call = [state.call.as_ref(), reports].into_iter().flatten().find(|call| call.number == number);
        let Some(call) = call.filter(|_| state.life == life && state.up) else { return };
        if state.paused_until > self.now {
            return self.workers[worker].deferred.push(What::Impatient(worker, life, number));
        }
        let call = Call { ..*call };
        self.hang_up(worker, &call);
        self.told(worker, life, number, Err(Trouble::Passing));
    }

    /// An answer arrives.
    pub(crate) fn told(&mut self, worker: usize, life: u32, number: u64, answer: Result<Response, Trouble>) {
        let state = &mut self.workers[worker];
        if state.life != life || !state.up {
            return;
        }
        if state.paused_until > self.now {
            return state.deferred.push(What::Told(worker, life, number, Box::new(answer)));
        }
        let now = self.now;
        if let Some(call) = state.call.take_if(|call| call.number == number) {
            self.trace.line(now, || format!("worker {worker} hears {number}: {answer:?}"));
            self.note_heard(worker, &call, &answer);
            return self.heard_question(worker, call, answer);
        }
        let reports = self.workers[worker].reporting.as_mut();
        let call = reports.and_then(|reporting| reporting.call.take_if(|call| call.number == number));
        if let Some(call) = call {
            self.trace.line(now, || format!("worker {worker} hears {number}: {answer:?}"));
            self.note_heard(worker, &call, &answer);
            self.heard_report(worker, call, answer);
        }
    }

    fn note_heard(&mut self, worker: usize, call: &Call, answer: &Result<Response, Trouble>) {
        match answer {
            Ok(_) => {
                let sent = self.time() - (self.worker_ms(worker) - call.sent_ms).cast_signed();
                let state = &mut self.workers[worker];
                state.heard = state.heard.max(sent);
            }
            Err(Trouble::Passing) => {
                let nodes = self.nodes.len();
                let state = &mut self.workers[worker];
                if state.node == call.node && !state.knows_one {
                    state.node = (state.node + 1) % nodes;
                }
            }
            Err(Trouble::Dismissed | Trouble::Stale) => {}
        }
    }

    // The asking lane.

    fn ask(&mut self, worker: usize) {
        let timeout_ms = u64::try_from(REQUEST_TIMEOUT.as_millis()).expect("seconds");
        let now_ms = self.worker_ms(worker);
        let state = &mut self.workers[worker];
        let (ask, patience_ms) = match &mut state.asking {
            Asking::Legacy(legacy, from) => {
                let id = Incarnation(u128::from_str_radix(&legacy.worker, 16).expect("as it was written"));
                let ends: Vec<WorkerEnd> = legacy.ends.iter().skip(*from).take(LEGACY_ENDS).cloned().collect();
                match ends.is_empty() {
                    false => (Ask::Report(id, ends), timeout_ms),
                    true => {
                        state.asking = Asking::LeaveFor(id);
                        (Ask::Leave(id), timeout_ms)
                    }
                }
            }
            Asking::LeaveFor(id) => (Ask::Leave(*id), timeout_ms),
            Asking::Join => (Ask::Join, timeout_ms),
            Asking::Poll(question) => {
                let Some(next) = state.book.question(state.book_life) else {
                    state.asking = Asking::Join;
                    return self.ask(worker);
                };
                *question = next;
                let id = state.id.expect("it has joined");
                let most_ms = state.book.hold_ms(&question.poll) + POLL_SLACK_MS;
                let patience_ms = match state.knows_one {
                    true => most_ms,
                    false => state.book.patience_ms(&question.poll, now_ms).min(most_ms),
                };
                (Ask::Poll(id, question.poll.clone()), patience_ms)
            }
        };
        let call = self.send_ask(worker, ask, patience_ms);
        self.workers[worker].call = Some(call);
    }

    /// Asks the next question after a while.
    fn ask_after(&mut self, worker: usize, ms: u64) {
        self.workers[worker].rests += 1;
        let rest = self.workers[worker].rests;
        if ms == 0 { self.ask(worker) } else { self.tick_worker(worker, ms, Tick::Ask(rest)) }
    }

    fn ask_again(&mut self, worker: usize) {
        let random = self.random.next();
        let failures = &mut self.workers[worker].failures.0;
        let ms = pause_ms(*failures, random);
        *failures = failures.saturating_add(1);
        self.ask_after(worker, ms);
    }

    fn heard_question(&mut self, worker: usize, call: Call, answer: Result<Response, Trouble>) {
        if answer.is_ok() {
            self.workers[worker].failures.0 = 0;
        }
        let asking = std::mem::replace(&mut self.workers[worker].asking, Asking::Join);
        match (asking, answer) {
            (Asking::Legacy(legacy, from), Ok(_)) => {
                self.workers[worker].asking = Asking::Legacy(legacy, from + LEGACY_ENDS);
                self.ask(worker);
            }
            // It was taken for dead already, or has left: there is nothing more to say for it.
            (Asking::Legacy(..), Err(Trouble::Dismissed)) | (Asking::LeaveFor(_), Ok(_) | Err(Trouble::Dismissed)) => {
                self.ask(worker)
            }
            (Asking::Join, Ok(Response::Joined(id))) => self.joined(worker, id, call.sent_ms),
            (Asking::Poll(question), answer) => self.heard_poll(worker, question, call.sent_ms, answer),
            (asking, _) => {
                self.workers[worker].asking = asking;
                self.ask_again(worker);
            }
        }
    }

    fn joined(&mut self, worker: usize, id: Incarnation, sent_ms: u64) {
        let (machine, at) = (machine(worker), self.time());
        self.history.joined.push(Joined { machine, at });
        let state = &mut self.workers[worker];
        let write = state.record.begin(&id.to_string());
        state.disk.write(write);
        state.book_life = state.book.joined(&terms(id), sent_ms);
        state.id = Some(id);
        state.asking = Asking::Poll(state.book.question(state.book_life).expect("it has begun"));
        self.note_workers_room();
        self.ask(worker);
    }

    fn heard_poll(&mut self, worker: usize, question: Question, sent_ms: u64, answer: Result<Response, Trouble>) {
        let now_ms = self.worker_ms(worker);
        let answer = match answer {
            Ok(Response::Orders(orders)) => Ok(orders),
            Err(Trouble::Dismissed) => Err(Unanswered::Dismissed),
            _ => Err(Unanswered::Trouble),
        };
        let state = &mut self.workers[worker];
        // The bug of a timer that an outage has run down, and nobody winds up.
        let sent_ms = state.stale_ms.unwrap_or(sent_ms);
        let heard = state.book.heard(&question, answer, sent_ms, now_ms);
        state.asking = Asking::Poll(question);
        match heard {
            Heard::Orders { starts, ends, rest_ms } => {
                let life = state.book_life;
                starts.iter().for_each(|run| self.begin_chore(worker, life, run));
                self.tell_chores(worker, life, &ends, Stop::Cancel);
                self.ask_after(worker, rest_ms);
            }
            Heard::Nothing => self.ask_again(worker),
            Heard::Dismissed => {
                let life = state.book_life;
                self.dismiss(worker, life);
                self.workers[worker].asking = Asking::Join;
                self.ask(worker);
            }
            Heard::Left => unreachable!("nobody asks these workers to drain"),
        }
    }

    /// The server knows this life no more: what it does is ended, and nothing of it is reported.
    fn dismiss(&mut self, worker: usize, life: Life) {
        let state = &mut self.workers[worker];
        if !state.book.dismissed(life) {
            return;
        }
        let write = state.record.clear();
        state.disk.write(write);
        let of_life = state.chores.values().filter(|chore| chore.life == life);
        let all: Vec<WorkerHolding> = of_life.map(|chore| holding((chore.run, chore.attempt))).collect();
        self.tell_chores(worker, life, &all, Stop::GiveUp);
        self.reconsider(worker);
    }

    /// A question that says something wrong by now is asked anew.
    fn reconsider(&mut self, worker: usize) {
        let state = &mut self.workers[worker];
        let Asking::Poll(question) = &state.asking else { return };
        if !state.book.is_outdated(question) {
            return;
        }
        if let Some(call) = state.call.take() {
            self.hang_up(worker, &call);
            self.ask(worker);
        }
    }

    // The reporting lane.

    fn send_report(&mut self, worker: usize) {
        let timeout_ms = u64::try_from(REQUEST_TIMEOUT.as_millis()).expect("seconds");
        let state = &mut self.workers[worker];
        if state.reporting.is_none() {
            let Some((life, first)) = state.outbox.pop_front() else { return };
            let mut ends = vec![first];
            while let Some((_, end)) = state.outbox.pop_front_if(|(of, _)| *of == life && ends.len() < ENDS_TOGETHER) {
                ends.push(end);
            }
            state.reporting = Some(Reporting { life, ends, call: None, sent: false });
        }
        let reporting = state.reporting.as_ref().expect("put there above");
        if reporting.call.is_some() {
            return;
        }
        if !state.book.lives(reporting.life) {
            state.reporting = None;
            return self.send_report(worker);
        }
        let (id, ends) = (state.id.expect("it has joined"), reporting.ends.clone());
        if !reporting.sent {
            self.note_told(worker, id, &ends);
        }
        let call = self.send_ask(worker, Ask::Report(id, ends), timeout_ms);
        let reporting = self.workers[worker].reporting.as_mut().expect("put there above");
        (reporting.call, reporting.sent) = (Some(call), true);
    }

    fn note_told(&mut self, worker: usize, id: Incarnation, ends: &[WorkerEnd]) {
        let (at, machine) = (self.time(), machine(worker));
        for end in ends {
            let run = end.run.parse().expect("as it was given");
            let outcome = outcome_of(end.outcome);
            self.history.told.push(Told { run, attempt: end.attempt, outcome, worker: id, machine, at });
        }
    }

    fn heard_report(&mut self, worker: usize, call: Call, answer: Result<Response, Trouble>) {
        let state = &mut self.workers[worker];
        let Some(reporting) = state.reporting.take() else { return };
        match answer {
            Ok(_) => {
                state.failures.1 = 0;
                state.book.answered(state.stale_ms.unwrap_or(call.sent_ms));
                state.book.settled(reporting.life, &reporting.ends);
                let write = state.record.drop_ends(&reporting.ends);
                state.disk.write(write);
                self.reconsider(worker);
                self.send_report(worker);
            }
            Err(Trouble::Dismissed) => {
                self.dismiss(worker, reporting.life);
                self.send_report(worker);
            }
            Err(Trouble::Passing | Trouble::Stale) => {
                state.reporting = Some(reporting);
                let random = self.random.next();
                let failures = &mut self.workers[worker].failures.1;
                let ms = pause_ms(*failures, random);
                *failures = failures.saturating_add(1);
                self.tick_worker(worker, ms.max(1), Tick::Report);
            }
        }
    }

    // Silence.

    /// Ends what others may be given, once nothing was heard for too long.
    fn watch_worker(&mut self, worker: usize) {
        let now_ms = self.worker_ms(worker);
        let state = &mut self.workers[worker];
        let ends = state.book.give_up(now_ms);
        if !ends.is_empty() {
            let (machine, heard, life) = (machine(worker), state.heard, state.book_life);
            if self.setting.planted == Some(Planted::StaleTimers) {
                state.stale_ms.get_or_insert(now_ms.saturating_sub(GIVE_UP_MS));
            }
            let at = self.time();
            self.history.gave_up.push(GaveUp { machine, at, heard });
            self.tell_chores(worker, life, &ends, Stop::GiveUp);
        }
        let wait = self.workers[worker].book.gives_up_at();
        let ms = wait.map_or(WATCH_EVERY_MS, |at| at.saturating_sub(now_ms).clamp(1, WATCH_EVERY_MS));
        self.tick_worker(worker, ms, Tick::Watch);
    }

    // What goes wrong.

    pub(crate) fn strike_worker(&mut self, kind: Kind, worker: usize) {
        let state = &self.workers[worker];
        if !state.up || state.paused_until > self.now {
            return;
        }
        match kind {
            Kind::WorkerCrash => {
                let most = *self.random.pick(&[300, 3_000, 10_000, 30_000]);
                let ms = self.random.between(50, most);
                self.fault(kind, Some(machine(worker)), ms, RECOVERY_MS);
                self.crash_worker(worker);
                self.after(ms * 1_000, What::StartWorker(worker));
            }
            Kind::WorkerPause => {
                let most = *self.random.pick(&[2_000, 10_000, 45_000]);
                let ms = self.random.between(1_000, most);
                // Work that stands still along does not wake up earlier.
                let left_ms = self.setting.faulty_ms.saturating_sub(self.now / 1_000);
                let ms = ms.min(left_ms.max(1));
                self.fault(kind, Some(machine(worker)), ms, RECOVERY_MS);
                self.workers[worker].paused_until = self.now + ms * 1_000;
                self.put_chores_off(worker, ms * 1_000);
                self.after(ms * 1_000, What::WakeWorker(worker));
            }
            Kind::WorkerCut => {
                let most = *self.random.pick(&[3_000, 10_000, 40_000]);
                let ms = self.random.between(500, most);
                self.fault(kind, Some(machine(worker)), ms, RECOVERY_MS);
                let way = self.random.below(3);
                let state = &mut self.workers[worker];
                (state.cut_out, state.cut_in) = (way != 1, way != 0);
                self.after(ms * 1_000, What::MendWorker(worker));
            }
            _ => {}
        }
    }

    fn crash_worker(&mut self, worker: usize) {
        let calls = {
            let state = &mut self.workers[worker];
            let reports = state.reporting.take().and_then(|reporting| reporting.call);
            [state.call.take(), reports]
        };
        calls.iter().flatten().for_each(|call| self.hang_up(worker, call));
        let loose = self.workers[worker].disk.loose.len() as u64;
        let kept = usize::try_from(self.random.below(loose + 1)).expect("no more than there is");
        let state = &mut self.workers[worker];
        state.disk.crash(kept);
        state.up = false;
        state.deferred.clear();
        self.cut_chores_off(worker);
        self.note_workers_room();
    }

    /// A worker that stood still goes on: what waited for it happens now, in its order.
    pub(crate) fn wake_worker(&mut self, worker: usize) {
        if self.workers[worker].paused_until <= self.now {
            for what in std::mem::take(&mut self.workers[worker].deferred) {
                self.after(0, what);
            }
        }
    }

    pub(crate) fn mend_worker(&mut self, worker: usize) {
        (self.workers[worker].cut_out, self.workers[worker].cut_in) = (false, false);
    }

    pub(crate) fn heal_workers(&mut self) {
        for worker in 0..self.workers.len() {
            self.mend_worker(worker);
            self.start_worker(worker);
        }
    }
}
