//! What was executed, and what may be.

use std::collections::BTreeMap;

use mainspring_core::RunId;
use mainspring_core::job::OnLost;
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_store::Store;
use mainspring_xxl::Dispatch;

use super::{Key, World};
use crate::check::Violation;
use crate::store::ready;

/// What has happened, as nobody in it knows.
#[derive(Default)]
pub(super) struct Ledger {
    /// Runs with the places of their jobs.
    pub(super) runs: Vec<(RunId, usize)>,
    /// Where each attempt was executed, once for each time that it was begun.
    executed: BTreeMap<Key, Vec<usize>>,
    /// Handlers that have ended, and whether they have succeeded.
    pub(super) ended: BTreeMap<Key, bool>,
    /// Ends that a node has heard.
    pub(super) heard: BTreeMap<Key, bool>,
    pub(super) corrected: usize,
    /// How often attempts were sent, accepted, refused, unreached and unknown.
    pub(super) states: [usize; 5],
    pub(super) violations: Vec<Violation>,
}

impl Ledger {
    /// Notes that a handler begins. Says what is wrong if the attempt was begun before.
    pub(super) fn begin(&mut self, key: Key, executor: usize) -> Option<String> {
        let begun = self.executed.entry(key).or_default();
        begun.push(executor);
        (begun.len() > 1).then(|| format!("attempt {} of run {} was executed twice, by {begun:?}", key.1, key.0))
    }

    pub(super) fn begun(&self) -> usize {
        self.executed.values().map(Vec::len).sum()
    }

    pub(super) fn was_begun(&self, key: Key) -> bool {
        self.executed.contains_key(&key)
    }

    /// Counts where an attempt stands.
    pub(super) fn count(&mut self, state: Dispatch) {
        let place = match state {
            Dispatch::Sent => 0,
            Dispatch::Accepted => 1,
            Dispatch::Refused => 2,
            Dispatch::Unreached => 3,
            Dispatch::Unknown => 4,
            Dispatch::Ended(_) => return,
        };
        self.states[place] += 1;
    }
}

impl World {
    /// Judges all that was done, at the end.
    pub(super) fn judge(&mut self) {
        for (run, job) in self.ledger.runs.clone() {
            let attempts = ready(self.memory.attempts(run)).expect("the memory store is open");
            let found = ready(self.memory.run(run)).expect("the memory store is open").expect("nothing is purged");
            if !found.state.is_final() {
                self.hold(Some(format!("run {run} has not ended: {}", found.state)));
                continue;
            }
            let on_lost = self.jobs[job].definition.on_lost;
            for pair in attempts.windows(2) {
                let (before, after) = ((run, pair[0].attempt), (run, pair[1].attempt));
                if !self.ledger.was_begun(before) || !self.ledger.was_begun(after) {
                    continue;
                }
                // What was executed is executed again if its job says so, or if the executor has said that it failed.
                let may_repeat = match pair[0].outcome {
                    Some(AttemptOutcome::Lost) => on_lost == OnLost::Retry,
                    Some(AttemptOutcome::Failed) => self.ledger.heard.get(&before) == Some(&false),
                    _ => false,
                };
                if !may_repeat {
                    let outcome = pair[0].outcome;
                    self.hold(Some(format!(
                        "run {run} was executed again after attempt {} ended {outcome:?}",
                        before.1
                    )));
                }
            }
            let last = (run, found.attempt);
            let is_heard = self.ledger.heard.get(&last).copied();
            if is_heard == Some(true) && found.state != RunState::Succeeded {
                self.hold(Some(format!("run {run} is {}, though its success was heard", found.state)));
            }
            if found.state == RunState::Succeeded && self.ledger.ended.get(&last) != Some(&true) {
                self.hold(Some(format!("run {run} has succeeded, and its handler has not")));
            }
        }
    }
}
