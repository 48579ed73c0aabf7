//! The window: triggers due within the next seconds are read before they are due.
//!
//! One that has fired stays for longer than the window reaches, so that a trigger that fires every few seconds is read once, and
//! not again for each of its fires.

use mainspring_schedule::Timestamp;

use super::{Command, Planner, Read};
use crate::cluster::ShardSet;
use crate::id::TriggerId;
use crate::rule::Loaded;

/// How many windows beyond the end of this one a trigger stays in memory that is there already.
const KEPT_WINDOWS: i64 = 2;

#[derive(Debug)]
pub(super) struct Window {
    /// Everything whose place in the due index is up to here has been read, is being read, or is in `again`.
    end: Timestamp,
    /// The shards that are being read.
    reading: Option<ShardSet>,
    /// Shards to be read from the beginning.
    again: ShardSet,
}

impl Window {
    pub(super) const fn new() -> Self {
        Self { end: Timestamp::MIN, reading: None, again: ShardSet::EMPTY }
    }

    pub(super) const fn end(&self) -> Timestamp {
        self.end
    }

    /// Whether no read is under way.
    pub(super) const fn is_settled(&self) -> bool {
        self.reading.is_none()
    }

    /// A read of all that has been read of some shards.
    pub(super) fn begin(&mut self, shards: ShardSet) -> Read {
        self.reading = Some(shards);
        Read::Window(shards, self.end, None)
    }

    pub(super) fn read_again(&mut self, shards: ShardSet) {
        self.again = self.again.union(shards);
    }
}

impl Planner {
    /// At once where shards are to be read again; otherwise half a window before its end is reached, the next half is read.
    pub(super) fn next_window_at(&self) -> Timestamp {
        if self.window.reading.is_some() || self.part.owned.is_empty() {
            Timestamp::MAX
        } else if self.is_behind() {
            self.now
        } else {
            self.window.end - self.settings.window_ms / 2
        }
    }

    fn is_behind(&self) -> bool {
        !self.window.again.intersection(self.part.owned).is_empty()
    }

    pub(super) fn read_window(&mut self, commands: &mut Vec<Command>) {
        if self.now < self.next_window_at() {
            return;
        }
        let owned = self.part.owned;
        let again = std::mem::take(&mut self.window.again).intersection(owned);
        let begun = self.window.end > Timestamp::MIN;
        let (shards, after) = if begun && !again.is_empty() {
            (again, None)
        } else {
            let after = begun.then_some((self.window.end, TriggerId(i64::MAX)));
            self.window.end = self.window.end.max(self.now + self.settings.window_ms);
            (owned, after)
        };
        self.window.reading = Some(shards);
        commands.push(Command::Read(Read::Window(shards, self.window.end, after)));
    }

    pub(super) fn window_read(
        &mut self,
        rows: Vec<Loaded>,
        more: Option<(Timestamp, TriggerId)>,
        commands: &mut Vec<Command>,
    ) {
        for loaded in rows {
            // Also one that is due later: its place in the index has been passed, so nothing reads it again.
            if self.concerns(&loaded) && !self.residents.is_known(&loaded) && !self.check.suspects(&loaded) {
                self.residents.keep(loaded, self.now);
            }
        }
        match (more, self.window.reading) {
            (Some(after), Some(shards)) => {
                commands.push(Command::Read(Read::Window(shards, self.window.end, Some(after))));
            }
            _ => {
                self.window.reading = None;
                self.changes_waiting |= self.check.window_read();
            }
        }
    }

    pub(super) fn keep(&mut self, loaded: Loaded) {
        if self.is_there_by(&loaded, self.reach(&loaded)) {
            self.residents.keep(loaded, self.now);
        } else {
            self.residents.leave(loaded.row.id);
        }
    }

    /// Up to when what was read by id is kept. The place of a trigger in the due index may lie before the end of the window, so
    /// that no further read comes by it, although it is due later: another node may have fired it, whose window ended later and
    /// whose clock is ahead. Its window ended no more than two windows from now, unless it has fired in what is the future here, or let
    /// instants pass that are further away than a window: then that end is anywhere.
    fn reach(&self, loaded: &Loaded) -> Timestamp {
        let progress = &loaded.row.progress;
        let has_passed = progress.fired_through > Some(self.now + self.settings.window_ms);
        if has_passed || progress.previous_fire_at > Some(self.now) {
            return Timestamp::MAX;
        }
        self.window.end().max(self.now + 2 * self.settings.window_ms) + self.kept_ms()
    }

    /// Whether a trigger is to be in memory, as the window has it.
    pub(super) fn belongs(&self, loaded: &Loaded) -> bool {
        self.is_there_by(loaded, self.window.end())
    }

    fn is_there_by(&self, loaded: &Loaded, at: Timestamp) -> bool {
        let look_at = loaded.rule.look_at(loaded.row.id, &loaded.row.progress, self.now);
        look_at.is_some_and(|look_at| look_at <= at) && self.concerns(loaded)
    }

    /// Whether a trigger that has fired remains in memory until then: its place in the due index is not rewritten, so that
    /// nothing reads it again. A clock that was ahead has left an end behind that is far away: places stay near what is due.
    pub(super) fn stays(&self, due_at: Option<Timestamp>) -> bool {
        let end = self.window.end().min(self.now + self.settings.window_ms);
        due_at.is_some_and(|due| due <= end + self.kept_ms())
    }

    const fn kept_ms(&self) -> i64 {
        KEPT_WINDOWS * self.settings.window_ms
    }

    fn concerns(&self, loaded: &Loaded) -> bool {
        !loaded.row.paused && self.part.owned.contains(loaded.row.shard)
    }
}
