//! The look ahead: an update of the tz database moves some instants to before the one that is stored, and a trigger that is looked
//! at when that one enters the window is looked at too late.
//!
//! So whatever is due within a day or so is looked at once: all of it when a shard is gained, and hour by hour from there on. No
//! update moves an instant by more than the clocks of the earth are apart. Rows that this release has computed are left out.

use mainspring_schedule::Timestamp;

use super::{Command, Planner, Read};
use crate::cluster::ShardSet;
use crate::id::TriggerId;
use crate::rule::Loaded;

/// How often what has come nearer is looked at.
const STEP_MS: i64 = 3_600_000;

#[derive(Debug)]
pub(super) struct Ahead {
    /// What is due up to here has been looked at, is being, or is in `again`.
    through: Timestamp,
    /// Shards to be looked at from the beginning.
    again: ShardSet,
    /// Where a look goes on.
    rest: Option<Read>,
    reading: bool,
}

impl Ahead {
    pub(super) const fn new() -> Self {
        Self { through: Timestamp::MIN, again: ShardSet::EMPTY, rest: None, reading: false }
    }

    pub(super) fn gained(&mut self, shards: ShardSet) {
        self.again = self.again.union(shards);
    }

    /// The clock was set back: looking twice does no harm.
    pub(super) fn rewind(&mut self, now: Timestamp, ahead_ms: Option<i64>) {
        self.through = self.through.min(now + ahead_ms.unwrap_or_default());
    }

    fn has_begun(&self) -> bool {
        self.through > Timestamp::MIN
    }
}

impl Planner {
    /// When to look ahead: after the window is read, while nothing that is due waits.
    pub(super) fn next_ahead_at(&self) -> Timestamp {
        let is_free = !self.ahead.reading && self.fires.due.is_empty() && self.window.is_settled();
        let can = is_free && self.part.trusted && !self.part.owned.is_empty() && self.window.end() > Timestamp::MIN;
        match self.settings.ahead_ms.filter(|_| can) {
            None => Timestamp::MAX,
            Some(_) if !self.ahead.has_begun() || self.ahead.rest.is_some() => self.now,
            Some(_) if !self.ahead.again.intersection(self.part.owned).is_empty() => self.now,
            Some(ahead_ms) => self.ahead.through - ahead_ms + STEP_MS,
        }
    }

    pub(super) fn look_ahead(&mut self, commands: &mut Vec<Command>) {
        let Some(ahead_ms) = self.settings.ahead_ms.filter(|_| self.next_ahead_at() <= self.now) else { return };
        let read = self.ahead.rest.take().unwrap_or_else(|| self.next_look(ahead_ms));
        self.ahead.reading = true;
        commands.push(Command::Read(read));
    }

    fn next_look(&mut self, ahead_ms: i64) -> Read {
        let owned = self.part.owned;
        let (begun, through) = (self.ahead.has_begun(), self.ahead.through);
        let again = std::mem::take(&mut self.ahead.again).intersection(owned);
        let after = |at| (at, TriggerId(i64::MAX));
        if begun && !again.is_empty() {
            return Read::Ahead(again, through, after(self.window.end()));
        }
        self.ahead.through = through.max(self.now + ahead_ms);
        Read::Ahead(owned, self.ahead.through, after(if begun { through } else { self.window.end() }))
    }

    pub(super) fn ahead_read(&mut self, read: Read, rows: Vec<Loaded>, more: Option<(Timestamp, TriggerId)>) {
        self.ahead.reading = false;
        for loaded in rows {
            if self.belongs(&loaded) && !self.residents.is_known(&loaded) {
                self.residents.keep(loaded, self.now);
            }
        }
        if let (Read::Ahead(shards, until, _), Some(after)) = (read, more) {
            self.ahead.rest = Some(Read::Ahead(shards, until, after));
        }
    }
}
