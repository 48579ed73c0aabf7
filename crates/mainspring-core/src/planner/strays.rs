//! Runs that the store says this process executes, and that it does not: whoever claimed them, or took them over, never heard
//! the answer. Nobody else looks after them, as their holder lives.
//!
//! So the runs that are held are looked at now and then. One that is unknown in two looks, though every batch and claim that was
//! under way at the first has been answered by the second, is lost: it ends as such, and its job says what follows.

use mainspring_schedule::Timestamp;
use rustc_hash::FxHashMap;

use super::{AttemptEnd, Command, Event, Planner, Read};
use crate::batch::{CompletionBatch, LiveRun};
use crate::id::RunId;

#[derive(Debug, Default)]
pub(super) struct Strays {
    /// When to look again, unless nobody is to.
    next_at: Option<Timestamp>,
    asked: bool,
    /// The attempts that this process has to do with.
    open: FxHashMap<RunId, u32>,
    /// Those that were unknown at the last look.
    suspects: FxHashMap<RunId, u32>,
    /// The last batch and the last claim that had been sent by then.
    sent: (u64, u64),
}

impl Strays {
    pub(super) fn new(now: Timestamp, every_ms: Option<i64>) -> Self {
        Self { next_at: every_ms.map(|every_ms| now + every_ms), ..Self::default() }
    }

    /// The clock was set back: the next look is not further away than ever.
    pub(super) fn rewind(&mut self, now: Timestamp, every_ms: Option<i64>) {
        let latest = every_ms.map(|every_ms| now + every_ms);
        self.next_at = self.next_at.min(latest);
    }

    /// Learns what this process has to do with from what it is told.
    pub(super) fn heard(&mut self, event: &Event) {
        if self.next_at.is_none() {
            return;
        }
        match event {
            Event::Lost(ends) | Event::LostRead(ends) => self.ends(ends),
            Event::Completed(batch, _) => self.close(batch),
            _ => {}
        }
    }

    /// Learns it from what it starts.
    pub(super) fn told(&mut self, commands: &[Command]) {
        if self.next_at.is_none() {
            return;
        }
        for command in commands {
            if let Command::Start(starts) = command {
                self.open.extend(starts.iter().map(|start| (start.run, start.attempt)));
            }
        }
    }

    fn ends(&mut self, ends: &[AttemptEnd]) {
        self.open.extend(ends.iter().map(|end| (end.start.run, end.start.attempt)));
    }

    fn close(&mut self, batch: &CompletionBatch) {
        for entry in &batch.entries {
            if self.open.get(&entry.run) == Some(&entry.attempt) {
                self.open.remove(&entry.run);
            }
        }
    }
}

impl Planner {
    /// When to look at what is held.
    pub(super) fn next_held_at(&self) -> Timestamp {
        self.strays.next_at.filter(|_| !self.strays.asked && self.part.trusted).unwrap_or(Timestamp::MAX)
    }

    pub(super) fn ask_held(&mut self, commands: &mut Vec<Command>) {
        let Some(every_ms) = self.settings.held_every_ms.filter(|_| self.next_held_at() <= self.now) else { return };
        (self.strays.next_at, self.strays.asked) = (Some(self.now + every_ms), true);
        commands.push(Command::Read(Read::Held));
    }

    pub(super) fn held_read(&mut self, mut runs: Vec<LiveRun>, commands: &mut Vec<Command>) {
        let answered = self.fires.oldest().is_none_or(|oldest| oldest > self.strays.sent.0)
            && self.slots.claims_answered() >= self.strays.sent.1;
        let strays = &mut self.strays;
        strays.asked = false;
        runs.retain(|run| strays.open.get(&run.claimed.run) != Some(&run.claimed.attempt));
        let suspected = |run: &LiveRun| strays.suspects.get(&run.claimed.run) == Some(&run.claimed.attempt);
        let (lost, unknown): (Vec<_>, Vec<_>) = runs.into_iter().partition(|run| answered && suspected(run));
        if answered || strays.suspects.is_empty() {
            strays.suspects = unknown.iter().map(|run| (run.claimed.run, run.claimed.attempt)).collect();
            strays.sent = (self.fires.count(), self.slots.claims_sent());
        }
        if !lost.is_empty() {
            strays.open.extend(lost.iter().map(|run| (run.claimed.run, run.claimed.attempt)));
            commands.push(Command::Read(Read::Lost(lost)));
        }
    }
}
