//! The check of the window: is everything in memory that is due soon? Changes are heard of by the outbox, so there should be
//! nothing to correct; what there is, is counted.
//!
//! A row of the window that memory does not know may have changed a moment ago. So the changes are read first, and what they
//! do not explain is read by id: what still stands there as it did and is unknown then was missed. What stands otherwise has
//! changed meanwhile, which is known here or named in changes to come. Triggers that rest or are gone are not looked for: they are stale when
//! they fire.

use mainspring_schedule::Timestamp;
use rustc_hash::FxHashMap;

use super::{Command, Planner, Read};
use crate::batch::Changes;
use crate::id::TriggerId;
use crate::rule::Loaded;

/// The version of a row, and when it is due.
type Stands = (i64, Option<Timestamp>);

/// Rows that memory does not know, as they stood.
type Suspects = FxHashMap<TriggerId, Stands>;

fn stands(loaded: &Loaded) -> Stands {
    (loaded.row.version, loaded.row.progress.due_at)
}

#[derive(Debug, Default)]
enum Stage {
    #[default]
    Idle,
    /// The window is being read.
    Reading(Suspects),
    /// The changes are to be read; the flag says whether that was asked for since.
    Explaining(Suspects, bool),
    /// All that changed is known.
    Explained(Suspects),
    /// What is left is being read by id.
    Confirming(Suspects),
}

#[derive(Debug)]
pub(super) struct Check {
    stage: Stage,
    next_at: Timestamp,
    /// What was missed so far.
    pub(super) corrections: u64,
    /// What the last check has found missing.
    pub(super) corrected: Vec<TriggerId>,
}

impl Check {
    /// The first one follows the first read of the window.
    pub(super) fn new(now: Timestamp, every_ms: Option<i64>) -> Self {
        let next_at = every_ms.map_or(Timestamp::MAX, |every_ms| now + every_ms);
        Self { stage: Stage::Idle, next_at, corrections: 0, corrected: Vec::new() }
    }

    /// Takes in a row of the window that memory does not know. False if no check goes on, and the row is new.
    pub(super) fn suspects(&mut self, loaded: &Loaded) -> bool {
        let Stage::Reading(suspects) = &mut self.stage else { return false };
        suspects.insert(loaded.row.id, stands(loaded));
        true
    }

    /// The window is read. True if changes are to be read.
    pub(super) fn window_read(&mut self) -> bool {
        let Stage::Reading(suspects) = &mut self.stage else { return false };
        let suspects = std::mem::take(suspects);
        let found = !suspects.is_empty();
        self.stage = if found { Stage::Explaining(suspects, false) } else { Stage::Idle };
        found
    }

    pub(super) const fn changes_asked(&mut self) {
        if let Stage::Explaining(_, asked) = &mut self.stage {
            *asked = true;
        }
    }

    pub(super) fn changes_read(&mut self, changes: &Changes) {
        let Stage::Explaining(suspects, true) = &mut self.stage else { return };
        changes.triggers.iter().for_each(|trigger| _ = suspects.remove(trigger));
        if !changes.more {
            self.stage = Stage::Explained(std::mem::take(suspects));
        }
    }

    fn explained(&mut self) -> Option<Suspects> {
        let Stage::Explained(suspects) = &mut self.stage else { return None };
        let suspects = std::mem::take(suspects);
        self.stage = Stage::Idle;
        Some(suspects)
    }

    fn confirmed(&mut self) -> Option<Suspects> {
        let Stage::Confirming(suspects) = &mut self.stage else { return None };
        let suspects = std::mem::take(suspects);
        self.stage = Stage::Idle;
        Some(suspects)
    }

    /// The clock was set back: the next check is not further away than ever.
    pub(super) fn rewind(&mut self, now: Timestamp, every_ms: Option<i64>) {
        self.next_at = every_ms.map_or(self.next_at, |every_ms| self.next_at.min(now + every_ms));
    }

    /// Everything will be read again: the check is void.
    pub(super) fn give_up(&mut self) {
        self.stage = Stage::Idle;
    }
}

impl Planner {
    /// When the next check begins, if it can.
    pub(super) fn next_check_at(&self) -> Timestamp {
        let can = matches!(self.check.stage, Stage::Idle) && self.part.trusted && self.window.is_settled();
        if can && !self.part.owned.is_empty() { self.check.next_at } else { Timestamp::MAX }
    }

    pub(super) fn check_window(&mut self, commands: &mut Vec<Command>) {
        let Some(every_ms) = self.settings.check_every_ms.filter(|_| self.next_check_at() <= self.now) else { return };
        self.check.next_at = self.now + every_ms;
        self.try_blocked();
        self.check.stage = Stage::Reading(Suspects::default());
        commands.push(Command::Read(self.window.begin(self.part.owned)));
    }

    /// Reads what the changes have not explained, once nothing else is being read by id.
    pub(super) fn confirm(&mut self, commands: &mut Vec<Command>) {
        if self.reading_triggers || !self.wanted.is_empty() {
            return;
        }
        let Some(mut suspects) = self.check.explained() else { return };
        // Known by now, and perhaps fired and let go of again before the answer is here.
        suspects.retain(|trigger, (version, _)| !self.residents.has(*trigger, *version));
        if !suspects.is_empty() {
            self.reading_triggers = true;
            commands.push(Command::Read(Read::Triggers(suspects.keys().copied().collect())));
            self.check.stage = Stage::Confirming(suspects);
        }
    }

    /// Triggers were read by id: those that were missed are counted, before they are taken in.
    pub(super) fn note_missed(&mut self, rows: &[Loaded]) {
        let Some(suspects) = self.check.confirmed() else { return };
        if !self.window.is_settled() {
            // The next part of the window is on its way, and they may be in it.
            return;
        }
        let missed = |loaded: &&Loaded| {
            suspects.get(&loaded.row.id) == Some(&stands(loaded))
                && self.belongs(loaded)
                && !self.residents.is_known(loaded)
                && !self.residents.is_awaited(loaded.row.id)
                // It came back from a batch meanwhile, and is about to be read again.
                && !self.wanted.contains(&loaded.row.id)
        };
        let missed: Vec<TriggerId> = rows.iter().filter(missed).map(|loaded| loaded.row.id).collect();
        self.check.corrections += missed.len() as u64;
        self.check.corrected = missed;
    }
}
