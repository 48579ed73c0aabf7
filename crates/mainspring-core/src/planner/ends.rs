//! Ends of attempts: what follows each, recorded in batches.

use std::collections::VecDeque;
use std::sync::Arc;

use mainspring_schedule::Timestamp;

use super::refused::{Later, Size, put_aside};
use super::spacing::Spacing;
use super::{AttemptEnd, Command, Planner};
use crate::batch::{Completion, CompletionBatch, CompletionOutcome};
use crate::id::JobId;
use crate::retry::{AfterAttempt, AttemptRule, Ended, after_attempt};
use crate::rule::guarded;
use crate::run::Verdict;

#[derive(Debug)]
pub(super) struct Ends {
    waiting: VecDeque<Completion>,
    pub(super) in_flight: usize,
    /// Parts of batches that the store has refused.
    pub(super) divided: VecDeque<Vec<Completion>>,
    pub(super) later: Later,
    pub(super) size: Size,
    spacing: Spacing,
    /// Whether something waits for the end of a run of those that wait here: it goes at once.
    awaited: bool,
}

impl Ends {
    pub(super) fn new(batch_max: usize, group_ms: i64) -> Self {
        Self {
            waiting: VecDeque::new(),
            in_flight: 0,
            divided: VecDeque::new(),
            later: Later::default(),
            size: Size::new(batch_max),
            spacing: Spacing::new(group_ms),
            awaited: false,
        }
    }

    /// Whether nothing is to be recorded that could be.
    pub(super) fn is_idle(&self) -> bool {
        self.in_flight == 0 && self.waiting.is_empty() && self.divided.is_empty()
    }

    /// When what waits departs, unless the store has to answer first.
    pub(super) fn departs_at(&self, in_flight_max: usize) -> Option<Timestamp> {
        (!self.waiting.is_empty() && self.in_flight < in_flight_max).then(|| self.spacing.next_at())
    }

    fn next(&mut self, now: Timestamp) -> Option<Vec<Completion>> {
        if let Some(divided) = self.divided.pop_front() {
            return Some(divided);
        }
        let count = self.waiting.len().min(self.size.get());
        let departs = self.awaited || self.spacing.is_open(now) || self.waiting.len() >= self.size.get();
        if count == 0 || !departs {
            return None;
        }
        self.spacing.depart(now);
        self.awaited &= self.waiting.len() > count;
        Some(self.waiting.drain(..count).collect())
    }
}

impl Planner {
    pub(super) fn ended(&mut self, ends: Vec<AttemptEnd>, commands: &mut Vec<Command>) {
        ends.iter().for_each(|end| self.slots.free(end.start.job));
        self.lost(ends, commands);
    }

    /// Ends of attempts that held no slot of this process.
    pub(super) fn lost(&mut self, ends: Vec<AttemptEnd>, commands: &mut Vec<Command>) {
        for end in ends {
            self.ends.awaited |= end.start.job_version.task().is_some();
            let end = completion(end, commands);
            self.ends.waiting.push_back(end);
        }
    }

    pub(super) fn send_ends(&mut self, commands: &mut Vec<Command>) {
        let again = std::iter::from_fn(|| self.ends.later.take(self.now));
        self.ends.divided.extend(again.map(|end| vec![end]));
        while self.ends.in_flight < self.settings.in_flight_max
            && let Some(entries) = self.ends.next(self.now)
        {
            let id = self.next_batch_id();
            self.ends.in_flight += 1;
            let at = entries.iter().map(|end| end.ended_at).max().unwrap_or(self.now);
            commands.push(Command::Complete(Arc::new(CompletionBatch { id, at, entries })));
        }
    }

    pub(super) fn completed(&mut self, batch: &CompletionBatch, outcome: &CompletionOutcome) {
        self.ends.in_flight -= 1;
        self.ends.size.recorded();
        for entry in &batch.entries {
            if let AfterAttempt::RetryAt(at) = entry.then {
                self.slots.schedule(entry.deadline.map_or(at, |deadline| at.min(deadline)));
            }
        }
        // What has ended may have kept others back in a queue with a limit.
        if outcome.promoted > 0 || !outcome.refused.is_empty() || self.limits.hold_back() {
            self.slots.queued();
            self.offers = true;
        }
        outcome.freed.iter().for_each(|job| self.slot_freed(*job));
        self.wanted.extend(&outcome.rearmed);
        // They were recorded before, perhaps: by a batch whose answer was lost, with what that said of slots and instants.
        for entry in outcome.refused.iter().filter_map(|index| batch.entries.get(*index as usize)) {
            self.slot_freed(entry.job);
            self.wanted.extend(entry.rearm.map(|rearm| rearm.trigger));
        }
    }

    /// Triggers of the job that wait for a slot try again.
    fn slot_freed(&mut self, job: JobId) {
        let waiting = self.residents.unblock(job);
        self.fires.due.prefer(waiting);
        if self.fires.in_flight > 0 {
            self.freed.insert(job, self.fires.count());
        }
    }
}

fn completion(end: AttemptEnd, commands: &mut Vec<Command>) -> Completion {
    let AttemptEnd { start, definition, outcome, vetoed, started_at, ended_at, detail, held_by } = end;
    let code = detail.as_ref().and_then(|detail| detail.exit_code);
    let deadline = match start.attempt {
        1 => started_at.and_then(|started_at| definition.deadline(started_at)),
        _ => start.deadline,
    };
    let attempt = Ended { run: start.run, attempt: start.attempt, outcome, code, deadline };
    // What follows counts from the end, which is right also where this node's clock is not.
    let then = match vetoed {
        true => AfterAttempt::Final(Verdict::Skipped),
        false => after_attempt(AttemptRule::from(&*definition), attempt, ended_at),
    };
    // Also where a retry is to follow: if the run's end was asked for meanwhile, the store makes it final instead.
    let awaiting = start.trigger.zip(start.awaited_by);
    let rearm = awaiting.and_then(|(trigger, rule)| {
        let rearm = guarded(|| rule.rearm(trigger, start.fire_time, ended_at));
        rearm.unwrap_or_else(|panic| {
            commands.push(put_aside(trigger, None, &format!("its evaluation panicked: {panic}")));
            None
        })
    });
    Completion {
        run: start.run,
        held_by,
        job: start.job,
        job_version: start.job_version,
        trigger: start.trigger,
        attempt: start.attempt,
        outcome,
        then,
        started_at,
        ended_at,
        detail,
        rearm,
        deadline,
    }
}
