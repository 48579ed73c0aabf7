//! The window: triggers due within the next seconds are read before they are due.

use mainspring_schedule::Timestamp;

use super::{Command, Planner, Read};
use crate::id::TriggerId;
use crate::rule::Loaded;

#[derive(Debug)]
pub(super) struct Window {
    /// Everything whose place in the due index is up to here has been read, or is being read.
    end: Timestamp,
    reading: bool,
}

impl Window {
    pub(super) const fn new() -> Self {
        Self { end: Timestamp::MIN, reading: false }
    }

    pub(super) const fn end(&self) -> Timestamp {
        self.end
    }

    /// Half a window before its end is reached, the next half is read.
    pub(super) fn next_read_at(&self, window_ms: i64) -> Timestamp {
        if self.reading { Timestamp::MAX } else { self.end - window_ms / 2 }
    }
}

impl Planner {
    pub(super) fn read_window(&mut self, commands: &mut Vec<Command>) {
        if self.now < self.window.next_read_at(self.settings.window_ms) {
            return;
        }
        let after = (self.window.end > Timestamp::MIN).then_some((self.window.end, TriggerId(i64::MAX)));
        self.window.end = self.window.end.max(self.now + self.settings.window_ms);
        self.window.reading = true;
        commands.push(Command::Read(Read::Window(self.window.end, after)));
    }

    pub(super) fn window_read(
        &mut self,
        rows: Vec<Loaded>,
        more: Option<(Timestamp, TriggerId)>,
        commands: &mut Vec<Command>,
    ) {
        for loaded in rows {
            // Also one that is due later: its place in the index has been passed, so nothing reads it again.
            if !loaded.row.paused && !self.residents.is_known(&loaded) {
                self.residents.keep(loaded);
            }
        }
        match more {
            Some(after) => commands.push(Command::Read(Read::Window(self.window.end, Some(after)))),
            None => self.window.reading = false,
        }
    }

    pub(super) fn keep(&mut self, loaded: Loaded) {
        let due_soon = loaded.row.progress.due_at.is_some_and(|due| due <= self.window.end());
        if due_soon && !loaded.row.paused {
            self.residents.keep(loaded);
        } else {
            self.residents.leave(loaded.row.id);
        }
    }
}
