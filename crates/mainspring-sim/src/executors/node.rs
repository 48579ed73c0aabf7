//! A node: it claims for executors, writes down and sends what it is given, follows it, and hears of ends.

use mainspring_core::batch::{Completion, CompletionBatch, Queues};
use mainspring_core::retry::{AttemptRule, Ended, after_attempt};
use mainspring_core::run::AttemptOutcome;
use mainspring_store::{Corrected, Correction, Document, DocumentExpect, Store};
use mainspring_xxl::{Code, Dispatch, Event, Verdict, Vigil};

use super::{EXECUTORS, Followed, Key, Planted, QUEUE, Request, SLOTS, What, World, incarnation, worker};
use crate::store::ready;

/// The kind of the documents that say what was sent.
const KIND: &str = "xxl_sent";
/// Between two questions for work, and two looks.
const POLL_MS: u64 = 700;
const LOOK_MS: u64 = 2_000;
/// How long an executor is awaited that is not heard.
const SILENT_MS: u64 = 90_000;
/// The age at which a planted bug takes attempts for lost.
const OLD_MS: i64 = 30_000;
/// A callback that nobody answers is repeated.
const AGAIN_MS: u64 = 30_000;

impl World {
    /// Claims for the executors that a node plays, and begins what they hold and the node does not know of.
    pub(super) fn poll(&mut self, node: usize) {
        self.after(POLL_MS, What::Poll(node));
        let at = self.time();
        ready(self.memory.release_due(at, 100)).expect("the memory store is open");
        for executor in 0..EXECUTORS {
            if !self.nodes[node].is_up || self.players[executor] != node {
                continue;
            }
            let held = ready(self.memory.held(worker(executor))).expect("the memory store is open");
            let free = SLOTS.saturating_sub(u32::try_from(held.len()).unwrap_or(SLOTS));
            if free > 0 && !self.executors[executor].is_hole {
                let (id, queues) = (self.batch(worker(executor)), Queues::named([QUEUE]));
                // Somebody else may play it meanwhile; what is claimed and not heard of is found among what is held.
                let _claimed = ready(self.memory.claim_for(id, incarnation(node), &queues, free, at));
            }
            for held in ready(self.memory.held(worker(executor))).expect("the memory store is open") {
                let key = (held.claimed.run, held.claimed.attempt);
                if !self.nodes[node].attempts.contains_key(&key) && self.nodes[node].is_up {
                    self.take(node, executor, key);
                }
            }
        }
    }

    /// Writes an attempt down and sends it, or follows it if that was done before.
    fn take(&mut self, node: usize, executor: usize, key: Key) {
        if self.fault(10_000) {
            self.tell(|| format!("node {node} dies between the claim and the record of {key:?}"));
            return self.crash(node);
        }
        let added = ready(self.memory.add_documents(vec![self.document(key, executor)]));
        let is_fresh = added.expect("the memory store is open") == [true];
        if self.fault(10_000) {
            self.tell(|| format!("node {node} dies between the record and the sending of {key:?}"));
            return self.crash(node);
        }
        let is_sent = is_fresh || self.has(Planted::SendsAgain);
        let state = if is_sent { Dispatch::Sent } else { Dispatch::Sent.on(Event::Unanswered) };
        self.ledger.count(state);
        let at = if is_sent { executor } else { self.written(key).unwrap_or(executor) };
        let vigil = (!is_sent).then(|| Vigil::new(state, self.now.cast_signed()));
        let since = self.now.cast_signed();
        self.nodes[node].attempts.insert(key, Followed { state, at, since, tried: vec![at], vigil });
        if is_sent {
            self.send(node, key, executor);
        }
    }

    fn document(&self, key: Key, executor: usize) -> Document {
        let name = format!("{}/{}", key.0, key.1);
        let (kind, body) = (KIND.to_owned(), executor.to_string());
        Document { kind, name, body, version: 0, at: self.time(), expires_at: None }
    }

    /// The executor that an attempt was sent to.
    fn written(&self, key: Key) -> Option<usize> {
        let name = format!("{}/{}", key.0, key.1);
        let found = ready(self.memory.document(KIND, &name, self.time())).expect("the memory store is open");
        found?.body.parse().ok()
    }

    fn send(&mut self, node: usize, key: Key, to: usize) {
        self.numbers += 1;
        let number = self.numbers;
        self.requests.insert(number, Request { from: node, start: self.nodes[node].start, key, to });
        self.tell(|| format!("node {node} sends {key:?} to executor {to}"));
        let latency = if self.fault(20_000) { self.random.between(500, 2_900) } else { self.random.between(1, 20) };
        self.after(latency, What::Arrive(number));
        if self.fault(10_000) {
            self.tell(|| format!("node {node} dies between the sending of {key:?} and its answer"));
            self.crash(node);
        }
    }

    /// Hears what came of a request.
    pub(super) fn answered(&mut self, number: u64, event: Event) {
        let Some(Request { from, start, key, .. }) = self.requests.remove(&number) else { return };
        let now = self.now.cast_signed();
        if self.nodes[from].start != start {
            return;
        }
        let is_taken_for_none = event == Event::Unanswered && self.has(Planted::TurnsUnanswered);
        let event = if is_taken_for_none { Event::Unreached } else { event };
        let Some(followed) = self.nodes[from].attempts.get_mut(&key) else { return };
        followed.state = followed.state.on(event);
        let state = followed.state;
        self.ledger.count(state);
        match state {
            Dispatch::Refused => self.end(from, key, AttemptOutcome::Failed),
            state if state.may_go_elsewhere() => {
                let followed = self.nodes[from].attempts.get_mut(&key).expect("it is there above");
                let next = (0..EXECUTORS).find(|executor| !followed.tried.contains(executor));
                let Some(next) = next else { return self.end(from, key, AttemptOutcome::Failed) };
                (followed.state, followed.at) = (Dispatch::Sent, next);
                followed.tried.push(next);
                let document = self.document(key, next);
                ready(self.memory.put_document(document, DocumentExpect::Anything)).expect("the memory store is open");
                self.send(from, key, next);
            }
            state => {
                let followed = self.nodes[from].attempts.get_mut(&key).expect("it is there above");
                followed.vigil = Some(Vigil::new(state, now));
            }
        }
    }

    /// Looks at what a node follows: what has ended elsewhere, and what nobody will report any more.
    pub(super) fn look(&mut self, node: usize) {
        self.after(LOOK_MS, What::Look(node));
        let (now, by_age) = (self.now.cast_signed(), self.has(Planted::LosesByAge));
        let keys: Vec<Key> = self.nodes[node].attempts.keys().copied().collect();
        for key in keys {
            if self.is_over(key) {
                self.nodes[node].attempts.remove(&key);
                continue;
            }
            let job = self.job_of(key.0);
            let Some(followed) = self.nodes[node].attempts.get_mut(&key) else { continue };
            let executor = &self.executors[followed.at];
            let is_silent = self.now - executor.beat_at > SILENT_MS;
            let Some(vigil) = &mut followed.vigil else { continue };
            if vigil.asks_idle(now) {
                let answers = executor.is_up && !executor.is_hole;
                vigil.told_idle(now, answers.then(|| !executor.work.values().any(|other| *other == job)));
            }
            let is_old = by_age && now - followed.since >= OLD_MS;
            if is_old || vigil.lost(now, is_silent).is_some() {
                self.tell(|| format!("node {node} takes {key:?} for lost"));
                self.end(node, key, AttemptOutcome::Lost);
            }
        }
    }

    /// A callback reaches a node, or is repeated later.
    pub(super) fn call(&mut self, key: Key, is_success: bool) {
        let up: Vec<usize> = (0..self.nodes.len()).filter(|node| self.nodes[*node].is_up).collect();
        if up.is_empty() || self.fault(30_000) {
            return self.after(AGAIN_MS, What::Call(key, is_success));
        }
        let node = *self.random.pick(&up);
        let code = if is_success { Code::Success } else { Code::Failure(500) };
        let state = self.nodes[node].attempts.get(&key).map_or(Dispatch::Sent, |followed| followed.state);
        let Dispatch::Ended(outcome) = state.on(Event::CalledBack { code, after: None }) else { return };
        if self.has(Planted::AnswersFirst) && self.fault(20_000) {
            self.ledger.heard.insert(key, is_success);
            return self.crash(node);
        }
        let succeeded = outcome.verdict == Verdict::Succeeded;
        let ended = if succeeded { AttemptOutcome::Succeeded } else { AttemptOutcome::Failed };
        if !self.record(key, ended) && succeeded && !self.has(Planted::DropsLate) {
            self.correct(key);
        }
        self.ledger.heard.insert(key, is_success);
        self.nodes[node].attempts.remove(&key);
        if self.fault(20_000) {
            // It was recorded, and the executor does not hear that.
            self.after(AGAIN_MS, What::Call(key, is_success));
            self.crash(node);
        }
    }

    /// Ends an attempt that no executor has reported.
    fn end(&mut self, node: usize, key: Key, outcome: AttemptOutcome) {
        self.record(key, outcome);
        self.nodes[node].attempts.remove(&key);
    }

    /// Records the end of an attempt. False: it is over already.
    fn record(&mut self, key: Key, outcome: AttemptOutcome) -> bool {
        let at = self.time();
        let job = &self.jobs[self.job_of(key.0)];
        let ended = Ended { run: key.0, attempt: key.1, outcome, code: None, deadline: None };
        let completion = |holder: usize| Completion {
            held_by: Some(worker(holder)),
            run: key.0,
            job: job.id,
            job_version: job.version,
            trigger: None,
            attempt: key.1,
            outcome,
            then: after_attempt(AttemptRule::from(&*job.definition), ended, at),
            started_at: Some(at),
            ended_at: at,
            detail: None,
            rearm: None,
            deadline: None,
        };
        let entries: Vec<Vec<Completion>> = (0..EXECUTORS).map(|holder| vec![completion(holder)]).collect();
        // Whose worker holds it is written down in the product; here it is one of these.
        let mut is_recorded = false;
        for entries in entries {
            let id = self.batch(incarnation(0));
            let batch = CompletionBatch { id, at, entries };
            let done = ready(self.memory.complete(batch.into())).expect("the memory store is open");
            is_recorded |= done.refused.is_empty();
        }
        is_recorded
    }

    /// A success that comes after the attempt was taken for lost.
    fn correct(&mut self, key: Key) {
        let correction = Correction {
            run: key.0,
            attempt: key.1,
            reason: "its success came late".to_owned(),
            output: None,
            exit_code: Some(200),
            at: self.time(),
        };
        let done = ready(self.memory.correct_run(correction)).expect("the memory store is open");
        self.ledger.corrected += usize::from(done == Corrected::Done);
    }

    /// Whether the end of an attempt is recorded.
    fn is_over(&self, key: Key) -> bool {
        let attempts = ready(self.memory.attempts(key.0)).expect("the memory store is open");
        attempts.iter().find(|one| one.attempt == key.1).is_none_or(|one| one.outcome.is_some())
    }
}
