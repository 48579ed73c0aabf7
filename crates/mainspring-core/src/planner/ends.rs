//! Ends of attempts: what follows each, recorded in batches.

use std::collections::VecDeque;
use std::sync::Arc;

use mainspring_schedule::Timestamp;

use super::{AttemptEnd, Command, Planner};
use crate::batch::{Completion, CompletionBatch, CompletionOutcome};
use crate::retry::{AfterAttempt, AttemptRule, after_attempt};

#[derive(Debug, Default)]
pub(super) struct Ends {
    waiting: VecDeque<Completion>,
    in_flight: usize,
}

impl Ends {
    pub(super) fn is_idle(&self) -> bool {
        self.in_flight == 0 && self.waiting.is_empty()
    }
}

impl Planner {
    pub(super) fn ended(&mut self, ends: Vec<AttemptEnd>) {
        self.slots.free(u32::try_from(ends.len()).expect("not more than there are slots"));
        self.lost(ends);
    }

    /// Ends of attempts that held no slot of this process.
    pub(super) fn lost(&mut self, ends: Vec<AttemptEnd>) {
        let now = self.now;
        self.ends.waiting.extend(ends.into_iter().map(|end| completion(end, now)));
    }

    pub(super) fn send_ends(&mut self, commands: &mut Vec<Command>) {
        while self.ends.in_flight < self.settings.in_flight_max && !self.ends.waiting.is_empty() {
            let count = self.ends.waiting.len().min(self.settings.batch_max);
            let entries = self.ends.waiting.drain(..count).collect();
            let id = self.next_batch_id();
            self.ends.in_flight += 1;
            commands.push(Command::Complete(Arc::new(CompletionBatch { id, at: self.now, entries })));
        }
    }

    pub(super) fn completed(&mut self, batch: &CompletionBatch, outcome: &CompletionOutcome) {
        self.ends.in_flight -= 1;
        for entry in &batch.entries {
            if let AfterAttempt::RetryAt(at) = entry.then {
                self.slots.schedule(at);
            }
        }
        if outcome.promoted > 0 {
            self.slots.queued();
        }
        // Where the first answer to a batch was lost, the repetition is refused, and what came of it is not said again.
        let refused = || outcome.refused.iter().map(|index| &batch.entries[*index as usize]);
        if !outcome.refused.is_empty() {
            self.slots.queued();
        }
        self.wanted.extend(refused().filter_map(|entry| entry.rearm).map(|rearm| rearm.trigger));
        for job in outcome.freed.iter().copied().chain(refused().map(|entry| entry.job)) {
            let waiting = self.residents.unblock(job);
            self.fires.ready.extend(waiting);
            if self.fires.in_flight > 0 {
                self.freed.insert(job, self.batch_count);
            }
        }
        self.wanted.extend(&outcome.rearmed);
    }
}

fn completion(end: AttemptEnd, now: Timestamp) -> Completion {
    let AttemptEnd { start, definition, outcome, started_at, ended_at, detail } = end;
    let then = after_attempt(AttemptRule::from(&*definition), start.attempt, outcome, now);
    // Also where a retry is to follow: if the run's end was asked for meanwhile, the store makes it final instead.
    let awaiting = start.trigger.zip(start.awaited_by);
    let rearm = awaiting.and_then(|(trigger, rule)| rule.rearm(trigger, start.fire_time, ended_at));
    Completion {
        run: start.run,
        job: start.job,
        attempt: start.attempt,
        outcome,
        then,
        started_at,
        ended_at,
        detail,
        rearm,
    }
}
