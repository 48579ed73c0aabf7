//! A database that many sessions share: transactions that take locks one by one, wait for each other, and end as they may.
//!
//! What a transaction does is the memory store's work, done at its commit, under the locks it took before: two-phase locking
//! makes that the same as doing it row by row, and what it reads without a lock is what is committed then. The memory store is
//! held to the conformance suite; the locks are those of the SQL stores, in their order.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use mainspring_core::batch::{FireBatch, FireEntry};
use mainspring_core::job::Job;
use mainspring_core::{Incarnation, JobId, JobVersion, Timestamp};
use mainspring_store::{Expect, JobWrite, MemoryStore, Store};
use rustc_hash::FxHashMap;

use crate::verbs::{Mode, Row, Verb, name_of};

/// Who asks, and where the answer goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sender {
    pub(crate) node: usize,
    /// Which start of the node's process it was.
    pub(crate) life: u32,
    pub(crate) incarnation: Incarnation,
    /// The number of the request.
    pub(crate) call: u64,
}

/// A transaction.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) sender: Sender,
    pub(crate) verb: Verb,
    plan: Option<Vec<(Row, Mode)>>,
    taken: usize,
    waiting: Option<(Row, Mode)>,
    /// What others have locked and it does not wait for.
    passed: Vec<Row>,
    pub(crate) tries: u32,
    /// When it began, in microseconds.
    pub(crate) begun: u64,
    /// Tells steps of an earlier try from those of this one.
    pub(crate) step: u64,
    /// Whether its commit has been held up already.
    pub(crate) delayed: bool,
    /// What a bug has it remember of an earlier look.
    pub(crate) looked: Option<u64>,
}

#[derive(Debug, Default)]
struct Lock {
    holders: Vec<(u64, Mode)>,
    queue: VecDeque<(u64, Mode)>,
}

impl Lock {
    fn admits(&self, session: u64, mode: Mode) -> bool {
        self.holders.iter().all(|(holder, held)| *holder == session || (*held == Mode::Share && mode == Mode::Share))
    }
}

/// What a step came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    /// It has the lock.
    Locked,
    /// It waits.
    Waits,
    /// It would wait for itself.
    Deadlock,
    /// It has all its locks.
    Ready,
}

#[derive(Debug)]
pub(crate) struct SimStore {
    pub(crate) memory: MemoryStore,
    pub(crate) sessions: FxHashMap<u64, Session>,
    locks: FxHashMap<Row, Lock>,
    numbers: u64,
    /// Locks that are looked at and not taken, for planted bugs.
    pub(crate) skips_fences: bool,
    pub(crate) skips_gates: bool,
}

/// The answer of a future that has it at once, as those of the memory store do.
pub(crate) fn ready<T>(work: impl Future<Output = T>) -> T {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the memory store waits for nothing"),
    }
}

/// Saves a new job without triggers.
pub(crate) fn save(memory: &MemoryStore, definition: &Arc<Job>, at: Timestamp) -> (JobId, JobVersion) {
    let write = JobWrite {
        definition: Arc::clone(definition),
        expect: Expect::Absent,
        paused: false,
        triggers: Vec::new(),
        ends: Vec::new(),
        documents: Vec::new(),
        saved_by: None,
        at,
    };
    ready(memory.save_jobs(vec![write])).expect("what is written here is right");
    let job = ready(memory.job(&definition.key)).expect("the memory store is open").expect("it was saved");
    (job.id, job.version)
}

impl SimStore {
    pub(crate) fn new() -> Self {
        Self {
            memory: MemoryStore::shared(),
            sessions: FxHashMap::default(),
            locks: FxHashMap::default(),
            numbers: 0,
            skips_fences: false,
            skips_gates: false,
        }
    }

    /// Begins a transaction, and gives its number.
    pub(crate) fn begin(&mut self, now: u64, sender: Sender, verb: Verb) -> u64 {
        self.numbers += 1;
        let session = Session {
            sender,
            verb,
            plan: None,
            taken: 0,
            waiting: None,
            passed: Vec::new(),
            tries: 1,
            begun: now,
            step: 0,
            delayed: false,
            looked: None,
        };
        self.sessions.insert(self.numbers, session);
        self.numbers
    }

    /// Takes the next lock of a transaction.
    pub(crate) fn advance(&mut self, number: u64) -> Progress {
        let session = self.sessions.get(&number).expect("the caller has seen it");
        if session.plan.is_none() {
            let plan = self.plan(session.sender.incarnation, &session.verb);
            self.sessions.get_mut(&number).expect("seen above").plan = Some(plan);
        }
        let session = self.sessions.get_mut(&number).expect("seen above");
        let plan = session.plan.as_ref().expect("made above");
        let Some(&(row, mode)) = plan.get(session.taken) else { return Progress::Ready };
        let lock = self.locks.entry(row).or_default();
        let mine =
            lock.holders.iter().any(|(holder, held)| *holder == number && (*held == Mode::Write || mode == *held));
        if mine || lock.admits(number, mode) && lock.queue.is_empty() {
            if !mine {
                lock.holders.push((number, mode));
            }
            session.taken += 1;
            return Progress::Locked;
        }
        if session.verb.passes_over(row) {
            session.passed.push(row);
            session.taken += 1;
            return Progress::Locked;
        }
        lock.queue.push_back((number, mode));
        session.waiting = Some((row, mode));
        if self.waits_for_itself(number) { Progress::Deadlock } else { Progress::Waits }
    }

    /// Whether a transaction waits, and would for ever.
    fn waits_for_itself(&self, number: u64) -> bool {
        let (mut seen, mut open) = (Vec::new(), vec![number]);
        while let Some(session) = open.pop() {
            let Some((row, _)) = self.sessions.get(&session).and_then(|session| session.waiting) else { continue };
            let Some(lock) = self.locks.get(&row) else { continue };
            let ahead = lock.queue.iter().take_while(|(waiter, _)| *waiter != session);
            for (other, _) in lock.holders.iter().chain(ahead).filter(|(other, _)| *other != session) {
                if *other == number {
                    return true;
                }
                if !seen.contains(other) {
                    seen.push(*other);
                    open.push(*other);
                }
            }
        }
        false
    }

    pub(crate) fn is_waiting(&self, number: u64) -> bool {
        self.sessions.get(&number).is_some_and(|session| session.waiting.is_some())
    }

    /// Lets go of all that a transaction has or waits for. Those who get something of it are named.
    pub(crate) fn let_go(&mut self, number: u64) -> Vec<u64> {
        let Some(session) = self.sessions.get_mut(&number) else { return Vec::new() };
        let plan = session.plan.take().unwrap_or_default();
        let mut rows: Vec<Row> = plan.into_iter().take(session.taken + 1).map(|(row, _)| row).collect();
        (session.taken, session.waiting) = (0, None);
        session.passed.clear();
        rows.sort_unstable();
        rows.dedup();
        let mut woken = Vec::new();
        for row in rows {
            self.leave(row, number, &mut woken);
        }
        woken
    }

    fn leave(&mut self, row: Row, number: u64, woken: &mut Vec<u64>) {
        let Some(lock) = self.locks.get_mut(&row) else { return };
        lock.holders.retain(|(holder, _)| *holder != number);
        lock.queue.retain(|(waiter, _)| *waiter != number);
        while let Some(&(next, mode)) = lock.queue.front() {
            if !lock.admits(next, mode) {
                break;
            }
            lock.queue.pop_front();
            lock.holders.push((next, mode));
            let session = self.sessions.get_mut(&next).expect("whoever waits is there");
            session.waiting = None;
            session.taken += 1;
            woken.push(next);
        }
        if lock.holders.is_empty() && lock.queue.is_empty() {
            self.locks.remove(&row);
        }
    }

    /// The entries of a batch of fires that a transaction has passed over.
    pub(crate) fn busy(&self, number: u64, batch: &FireBatch) -> Vec<u32> {
        let Some(session) = self.sessions.get(&number).filter(|session| !session.passed.is_empty()) else {
            return Vec::new();
        };
        let is_busy = |entry: &FireEntry| {
            let gate = entry.gate.is_some() && session.passed.contains(&Row::Gate(entry.job));
            gate || session.passed.contains(&Row::Trigger(entry.trigger))
        };
        (0..).zip(&batch.entries).filter(|(_, entry)| is_busy(entry)).map(|(index, _)| index).collect()
    }

    /// Ends a transaction.
    pub(crate) fn end(&mut self, number: u64) -> (Option<Session>, Vec<u64>) {
        let woken = self.let_go(number);
        (self.sessions.remove(&number), woken)
    }

    /// Ends all transactions, as a server does that stops.
    pub(crate) fn end_all(&mut self) -> usize {
        let count = self.sessions.len();
        self.sessions.clear();
        self.locks.clear();
        count
    }

    /// Sessions that began before a time, and locks that belong to none.
    pub(crate) fn leftovers(&self, before: u64) -> usize {
        let old = self.sessions.values().filter(|session| session.begun < before).count();
        let holders = self.locks.values().flat_map(|lock| lock.holders.iter().chain(&lock.queue));
        old + holders.filter(|(session, _)| !self.sessions.contains_key(session)).count()
    }

    /// The rows that a verb locks, in the order of the SQL stores.
    fn plan(&self, by: Incarnation, verb: &Verb) -> Vec<(Row, Mode)> {
        let write = |row| (row, Mode::Write);
        let mut rows = Vec::new();
        match verb {
            Verb::Renew(_) | Verb::Acquire(..) | Verb::Release(_) => rows.push(write(Row::Node(by))),
            Verb::Bury(dead, _) => rows.extend([write(Row::Node(*dead)), write(Row::Fence(*dead))]),
            Verb::Changes(..) => rows.push((Row::Fence(by), Mode::Share)),
            // The answer to the last one is kept in a row, so that a repeat waits for what was sent before it.
            Verb::Claim(..) => rows.extend([(Row::Fence(by), Mode::Share), write(Row::Taken(by, None))]),
            Verb::AdoptFrom(dead, _) => rows.push(write(Row::Taken(by, Some(*dead)))),
            Verb::Fire(batch) => {
                if !self.skips_fences {
                    rows.push(write(Row::Fence(by)));
                }
                rows.extend(batch.entries.iter().map(|entry| write(Row::Trigger(entry.trigger))));
                let gated = batch.entries.iter().filter(|entry| entry.gate.is_some() && !self.skips_gates);
                rows.extend(gated.map(|entry| write(Row::Gate(entry.job))));
            }
            Verb::Complete(batch) => {
                let mut runs: Vec<_> = batch.entries.iter().map(|entry| write(Row::Run(entry.run))).collect();
                runs.sort_unstable_by_key(|(row, _)| *row);
                rows.extend(runs);
                // Of jobs without a limit nobody else asks for the gate, so that this makes no one wait.
                rows.extend(batch.entries.iter().map(|entry| write(Row::Gate(entry.job))));
                let rearmed = batch.entries.iter().filter_map(|entry| entry.rearm);
                rows.extend(rearmed.map(|rearm| write(Row::Trigger(rearm.trigger))));
            }
            Verb::Save(save) => {
                rows.push(write(Row::Name(name_of(&save.definition.key))));
                self.plan_job(&save.definition.key, &mut rows);
            }
            Verb::Update(update, triggers) => {
                rows.push(write(Row::Job(update.job)));
                rows.extend(triggers.iter().map(|trigger| write(Row::Trigger(*trigger))));
            }
            Verb::Delete(key, ..) => {
                rows.push(write(Row::Name(name_of(key))));
                self.plan_job(key, &mut rows);
            }
            Verb::Key(key, _) | Verb::Keep(key, _) => rows.push(write(Row::Key(*key))),
            Verb::Ask(asked) => rows.extend([(Row::Job(asked.job), Mode::Share), write(Row::Gate(asked.job))]),
            Verb::CancelRun(run, _) => {
                let info = ready(self.memory.run(*run)).expect("the memory store is open");
                rows.extend(info.filter(|info| !info.state.is_final()).map(|info| write(Row::Gate(info.job))));
                rows.push(write(Row::Run(*run)));
            }
            Verb::JoinWorker(info) => rows.extend([write(Row::Fence(info.id)), write(Row::Worker(info.id))]),
            Verb::HearWorker(worker, ..) => rows.push(write(Row::Worker(*worker))),
            Verb::ClaimFor(id, ..) => {
                let (worker, share) = (id.incarnation, Mode::Share);
                rows.extend([(Row::Worker(worker), share), (Row::Fence(worker), share)]);
                rows.push(write(Row::Taken(worker, None)));
            }
            Verb::BeatWorkers(_, heard, _) => rows.extend(heard.iter().map(|worker| write(Row::Worker(*worker)))),
            Verb::BuryWorker(dead, _) => rows.extend([write(Row::Worker(*dead)), write(Row::Fence(*dead))]),
            Verb::WorkerInfo(_)
            | Verb::HeldBy(_)
            | Verb::HeldByWorkers
            | Verb::Orphaned
            | Verb::Held
            | Verb::Window(..)
            | Verb::Triggers(_)
            | Verb::ReleaseDue(_)
            | Verb::Prior(_)
            | Verb::ReadRun(_) => {}
        }
        rows
    }

    fn plan_job(&self, key: &mainspring_core::job::JobKey, rows: &mut Vec<(Row, Mode)>) {
        let prior = ready(self.memory.prior(key)).expect("the memory store is open");
        let Some(job) = prior.job else { return };
        rows.push((Row::Job(job.id), Mode::Write));
        rows.extend(prior.triggers.iter().map(|trigger| (Row::Trigger(trigger.row.id), Mode::Write)));
        rows.push((Row::Gate(job.id), Mode::Write));
    }
}
