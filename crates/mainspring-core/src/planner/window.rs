//! The window: triggers due within the next seconds are read before they are due.
//!
//! One that has fired stays for longer than the window reaches, so that a trigger that fires every few seconds is read once, and
//! not again for each of its fires.

use mainspring_schedule::Timestamp;

use super::{Command, Planner, Read};
use crate::batch::Progress;
use crate::cluster::ShardSet;
use crate::id::TriggerId;
use crate::rule::Loaded;

/// How many windows after its last instant a trigger that has fired may be due, and stay in memory.
const KEPT_WINDOWS: i64 = 3;

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

    /// Takes in what was read by id. What is due later than that is left to a read of the window, unless its place in the due index may
    /// lie behind, where no read comes by again.
    pub(super) fn keep(&mut self, loaded: Loaded) {
        if self.belongs(&loaded) || self.concerns(&loaded) && self.stays(&loaded.row.progress) {
            self.residents.keep(loaded, self.now);
        } else {
            self.residents.leave(loaded.row.id);
        }
    }

    /// Whether a trigger is to be in memory, as the window has it.
    pub(super) fn belongs(&self, loaded: &Loaded) -> bool {
        let look_at = loaded.rule.look_at(loaded.row.id, &loaded.row.progress, self.now);
        look_at.is_some_and(|look_at| look_at <= self.window.end()) && self.concerns(loaded)
    }

    /// Whether a trigger that comes to stand so remains in memory: its place in the due index is not rewritten then.
    ///
    /// It does if it is due soon after the last instant that it is through with. That is in its row, so that whoever reads it tells by the
    /// same rule whether its place may lie behind, however wrong the clock of the node was that fired it.
    pub(super) fn stays(&self, progress: &Progress) -> bool {
        let kept_ms = KEPT_WINDOWS * self.settings.window_ms;
        progress.due_at.zip(progress.fired_through).is_some_and(|(due, through)| due <= through + kept_ms)
    }

    fn concerns(&self, loaded: &Loaded) -> bool {
        !loaded.row.paused && self.part.owned.contains(loaded.row.shard)
    }
}
