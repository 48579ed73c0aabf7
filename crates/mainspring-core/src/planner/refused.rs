//! What the store refuses: batches are divided until what is at fault stands alone.
//!
//! Only a definite refusal is divided: the store has said that nothing of the batch is kept, not of an earlier try either. After any
//! other failure the batch is repeated as it was. Parts go under ids of their own, before anything new.

use std::collections::VecDeque;
use std::sync::Arc;

use mainspring_schedule::Timestamp;

use super::fires::Part;
use super::{Command, Planner, Read};
use crate::batch::{AttemptDetail, Completion, CompletionBatch, FireBatch};
use crate::id::TriggerId;

/// Triggers that are put aside in a row without a fire recorded in between. If nothing at all is recorded, the fault is hardly theirs.
const ASIDE_MAX: u32 = 3;

/// How often the evaluation of a trigger may panic before it is put aside.
const PANICS_MAX: u8 = 3;

/// Characters of a reason that are kept.
const REASON_MAX: usize = 500;

/// The code of an attempt whose detail the store refused.
const DETAIL_REFUSED: &str = "attempt.detail_refused";

/// Why the store refuses a batch, for good.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It takes longer than the store allows.
    TooMuch,
    /// Something in it cannot be recorded, for this reason.
    Invalid(String),
}

/// How many entries a batch may have: fewer after one that was too much.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    now: usize,
    max: usize,
}

impl Size {
    pub(super) const fn new(max: usize) -> Self {
        Self { now: max, max }
    }

    pub(super) const fn get(self) -> usize {
        self.now
    }

    pub(super) fn refused(&mut self, count: usize, refusal: &Refusal) {
        if *refusal == Refusal::TooMuch {
            self.now = self.now.min(count / 2).max(1);
        }
    }

    pub(super) fn recorded(&mut self) {
        self.now = (self.now + self.now / 4 + 1).min(self.max);
    }
}

/// Ends of attempts that the store refuses even alone and without their detail.
#[derive(Debug, Default)]
pub(super) struct Later(VecDeque<(Timestamp, Completion)>);

impl Later {
    fn put(&mut self, at: Timestamp, end: Completion) {
        self.0.push_back((at, end));
    }

    pub(super) fn next_at(&self) -> Option<Timestamp> {
        self.0.front().map(|(at, _)| *at)
    }

    pub(super) fn take(&mut self, now: Timestamp) -> Option<Completion> {
        self.0.pop_front_if(|(at, _)| *at <= now).map(|(_, end)| end)
    }

    /// The clock was set back: nothing waits longer than the longest delay.
    pub(super) fn rewind(&mut self, latest: Timestamp) {
        self.0.iter_mut().for_each(|(at, _)| *at = latest.min(*at));
    }
}

impl Planner {
    pub(super) fn fire_refused(&mut self, batch: &FireBatch, refusal: &Refusal, commands: &mut Vec<Command>) {
        let Some(part) = self.fires.back(batch) else { return };
        self.fires.size.refused(part.entries.len(), refusal);
        if part.entries.len() > 1 {
            self.fires.divided.extend(part.halves());
            return;
        }
        let [entry] = &part.entries[..] else { return };
        self.unclaim(entry);
        let place = part.places[0];
        match refusal {
            Refusal::Invalid(reason) if self.fires.aside < ASIDE_MAX => {
                self.fires.aside += 1;
                let reason = format!("the store refuses its fires: {reason}");
                self.residents.remove(entry.trigger);
                commands.push(put_aside(entry.trigger, Some(entry.version), &reason));
            }
            // Nothing of it is kept, so it may be decided anew.
            _ if self.residents.come_back(place, None) => self.arm_later(place),
            _ => self.wanted.push(entry.trigger),
        }
    }

    /// The evaluation of a trigger panicked.
    pub(super) fn panicked(&mut self, place: super::resident::Place, panic: &str, commands: &mut Vec<Command>) {
        let Some((trigger, version, panics)) = self.residents.note_panic(place) else { return };
        if panics < PANICS_MAX {
            self.arm_later(place);
            return;
        }
        self.residents.remove(trigger);
        commands.push(put_aside(trigger, Some(version), &format!("its evaluation panicked: {panic}")));
    }

    fn arm_later(&mut self, place: super::resident::Place) {
        let at = self.now + self.repeats.draw(self.settings.retry_max_ms);
        self.residents.arm(place, at);
    }

    pub(super) fn complete_refused(&mut self, batch: &CompletionBatch, refusal: &Refusal) {
        self.ends.in_flight -= 1;
        self.ends.size.refused(batch.entries.len(), refusal);
        match &batch.entries[..] {
            [end] => self.end_refused(end, refusal),
            ends => {
                let (first, second) = ends.split_at(ends.len() / 2);
                self.ends.divided.extend([first.to_vec(), second.to_vec()]);
            }
        }
    }

    /// The verdict stays: the work was done. What the attempt left behind is replaced by the reason, in plain characters.
    fn end_refused(&mut self, end: &Completion, refusal: &Refusal) {
        let known = end.detail.as_deref();
        let is_cut = known.is_some_and(|detail| detail.error_code.as_deref() == Some(DETAIL_REFUSED));
        let mut end = end.clone();
        match refusal {
            Refusal::Invalid(reason) if !is_cut => {
                end.detail = Some(Box::new(AttemptDetail {
                    exit_code: known.and_then(|detail| detail.exit_code),
                    signal: known.and_then(|detail| detail.signal),
                    error_code: Some(DETAIL_REFUSED.to_owned()),
                    error: Some(plain(&format!("the store refused what the attempt left behind: {reason}"))),
                    output: None,
                    data: None,
                }));
                self.ends.divided.push_back(vec![end]);
            }
            _ => self.ends.later.put(self.now + self.settings.retry_max_ms, end),
        }
    }
}

impl Part {
    fn halves(mut self) -> [Self; 2] {
        let middle = self.entries.len() / 2;
        let second =
            Self { at: self.at, entries: self.entries.split_off(middle), places: self.places.split_off(middle) };
        [self, second]
    }
}

/// Asks for a trigger to be put aside.
pub(super) fn put_aside(trigger: TriggerId, version: Option<i64>, reason: &str) -> Command {
    Command::Read(Read::PutAside { trigger, version, reason: Arc::from(plain(reason)) })
}

/// A text that every store takes: bounded, in one line.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(REASON_MAX).collect()
}
