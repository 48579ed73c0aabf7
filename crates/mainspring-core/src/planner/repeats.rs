//! Commands that the store could not carry out, and when each is sent again.
//!
//! Waits grow while nothing succeeds, and each is cut to a random part of itself: nodes that an outage of the database has stopped
//! together do not come back together. (Brooker: Exponential backoff and jitter, 2015, "full jitter".)

use std::collections::VecDeque;

use mainspring_schedule::Timestamp;

use super::{Command, Read, Settings};
use crate::id::{Incarnation, spread};

/// Waits longer and longer while nothing succeeds.
#[derive(Clone, Copy, Debug, Default)]
struct Backoff {
    delay_ms: i64,
    /// When the delay became what it is: failures of commands sent before do not lengthen it again.
    since: Option<Timestamp>,
}

impl Backoff {
    fn failed(&mut self, now: Timestamp, settings: &Settings) -> i64 {
        if self.since.is_none_or(|since| now.since(since) >= self.delay_ms) {
            self.delay_ms = (self.delay_ms * 2).clamp(settings.retry_after_ms, settings.retry_max_ms);
            self.since = Some(now);
        }
        self.delay_ms
    }
}

#[derive(Debug)]
pub(super) struct Repeats {
    /// In order of time.
    waiting: VecDeque<(Timestamp, Command)>,
    reads: Backoff,
    batches: Backoff,
    /// What the waits are drawn from, and how many have been.
    seed: Incarnation,
    drawn: u64,
}

impl Repeats {
    pub(super) fn new(seed: Incarnation) -> Self {
        Self { waiting: VecDeque::new(), reads: Backoff::default(), batches: Backoff::default(), seed, drawn: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn next_at(&self, trusted: bool) -> Option<Timestamp> {
        self.waiting.iter().find(|(_, command)| trusted || !needs_trust(command)).map(|(at, _)| *at)
    }

    /// Keeps a command until it is to be sent again; one that nobody carried out changes nothing by that.
    pub(super) fn put(&mut self, command: Command, now: Timestamp, settings: &Settings) {
        let backoff = if matches!(command, Command::Read(_)) { &mut self.reads } else { &mut self.batches };
        let delay_ms = backoff.failed(now, settings);
        let at = now + self.draw(delay_ms);
        let index = self.waiting.partition_point(|(before, _)| *before <= at);
        self.waiting.insert(index, (at, command));
    }

    /// A wait of at most `max_ms`.
    pub(super) fn draw(&mut self, max_ms: i64) -> i64 {
        self.drawn += 1;
        spread(self.seed, self.drawn, max_ms)
    }

    /// A command that is to be sent now.
    pub(super) fn take(&mut self, now: Timestamp, trusted: bool) -> Option<Command> {
        let due = |(at, command): &(Timestamp, Command)| *at <= now && (trusted || !needs_trust(command));
        let index = self.waiting.iter().position(due)?;
        self.waiting.remove(index).map(|(_, command)| command)
    }

    pub(super) fn read_succeeded(&mut self) {
        self.reads = Backoff::default();
    }

    pub(super) fn batch_succeeded(&mut self) {
        self.batches = Backoff::default();
    }

    /// The clock was set back: nothing waits longer than the longest delay.
    pub(super) fn rewind(&mut self, now: Timestamp, settings: &Settings) {
        let latest = now + settings.retry_max_ms;
        self.waiting.iter_mut().for_each(|(at, _)| *at = latest.min(*at));
        (self.reads.since, self.batches.since) = (None, None);
    }
}

/// Whether only a node that trusts itself may send it.
const fn needs_trust(command: &Command) -> bool {
    matches!(command, Command::Fire(_) | Command::Read(Read::Changes(..) | Read::Claim(..)))
}
