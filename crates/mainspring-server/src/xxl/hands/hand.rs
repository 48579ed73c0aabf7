//! State of one executor on this node.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use mainspring_api::XxlBreaker;
use mainspring_core::{Incarnation, RunId};
use mainspring_engine::Poll;
use mainspring_xxl::{Admission, Breaker, Gate, GateLimits};
use tokio::sync::watch;

use crate::xxl::attempt::Attempt;
use crate::xxl::executors::{Executors, Key};
use crate::xxl::sync::lock;

/// How long a poll waits: then the executor is looked at again.
const WAIT_MS: u64 = 8_000;

/// What this node does for one executor.
#[derive(Debug)]
pub(in crate::xxl) struct Hand {
    pub(in crate::xxl) key: Key,
    pub(super) state: Mutex<State>,
    /// Counts what a poll that is under way does not know.
    pub(super) changed: watch::Sender<u64>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) worker: Option<Incarnation>,
    /// Its place in the order of workers, as the store has it.
    pub(super) place: Option<u32>,
    pub(super) attempts: BTreeMap<(RunId, u32), Arc<Attempt>>,
    pub(super) gate: Gate,
}

impl Hand {
    pub(in crate::xxl) fn new(key: Key) -> Self {
        let state =
            State { worker: None, place: None, attempts: BTreeMap::new(), gate: Gate::new(GateLimits::default()) };
        Self { key, state: Mutex::new(state), changed: watch::Sender::new(0) }
    }

    pub(in crate::xxl) fn worker(&self) -> Option<Incarnation> {
        lock(&self.state).worker
    }

    /// Whether its worker stands where the executor does.
    pub(in crate::xxl) fn is_placed(&self, executors: &Executors) -> bool {
        let state = lock(&self.state);
        state.worker.is_none() || state.place == executors.place(&self.key)
    }

    /// How many runs it has.
    pub(in crate::xxl) fn running(&self) -> u32 {
        u32::try_from(lock(&self.state).attempts.len()).unwrap_or(u32::MAX)
    }

    /// Has its poll begun again.
    pub(in crate::xxl) fn note_change(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// Where its breaker stands, and until when at least it is open, by a clock that is never set.
    pub(in crate::xxl) fn breaker(&self) -> (XxlBreaker, Option<i64>) {
        match lock(&self.state).gate.breaker() {
            Breaker::Closed => (XxlBreaker::Closed, None),
            Breaker::Open { until } => (XxlBreaker::Open, Some(until)),
            Breaker::Trying => (XxlBreaker::Trying, None),
        }
    }

    /// The executors that have its runs: another one of the app has those that could not be sent to this one.
    pub(super) fn holders(&self) -> Vec<Key> {
        let state = lock(&self.state);
        state.attempts.values().map(|attempt| attempt.sends_to().unwrap_or_else(|| self.key.clone())).collect()
    }

    /// Asks to send a request.
    pub(super) fn admit(&self, now_ms: i64) -> Admission {
        lock(&self.state).gate.admit(now_ms)
    }

    /// Notes that a request was answered.
    pub(super) fn answered(&self) {
        let mut state = lock(&self.state);
        let was_open = state.gate.is_open();
        state.gate.answered();
        drop(state);
        if was_open {
            self.note_change();
        }
    }

    /// Notes that a request was admitted and not made.
    pub(super) fn unsent(&self, now_ms: i64) {
        lock(&self.state).gate.unsent(now_ms);
    }

    /// Notes that a request was not answered.
    pub(super) fn failed(&self, now_ms: i64) {
        lock(&self.state).gate.failed(now_ms);
        self.note_change();
    }

    /// Notes that the executor was heard by itself.
    pub(in crate::xxl) fn heard(&self, now_ms: i64) {
        let mut state = lock(&self.state);
        if state.gate.is_open() {
            state.gate.heard(now_ms);
            drop(state);
            self.note_change();
        }
    }

    /// Takes an attempt out that is over.
    pub(in crate::xxl) fn take(&self, attempt: &Arc<Attempt>) {
        let mut state = lock(&self.state);
        let key = (attempt.run, attempt.attempt);
        if state.attempts.get(&key).is_some_and(|there| Arc::ptr_eq(there, attempt)) {
            state.attempts.remove(&key);
        }
        drop(state);
        self.note_change();
    }

    /// The next question of its worker.
    pub(super) fn question(&self, number: u64, takes: u32) -> Poll {
        let state = lock(&self.state);
        let holds: Vec<(RunId, u32)> = state.attempts.keys().copied().collect();
        let has = u32::try_from(holds.len()).unwrap_or(u32::MAX);
        let free = if state.gate.is_open() { 0 } else { takes.saturating_sub(has) };
        Poll { number, free, holds, wait_ms: Some(WAIT_MS) }
    }
}
