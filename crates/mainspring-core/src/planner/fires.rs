//! Fires: from what is due to a recorded batch, and from there to runs that start.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use mainspring_schedule::Timestamp;

use super::due::Due;
use super::refused::Size;
use super::resident::{Place, Resident};
use super::spacing::Spacing;
use super::{Answered, Command, Planner};
use crate::batch::{ANSWERS_KEPT, FireBatch, FireEntry, FireOutcome, NewRun, Placed, Progress};
use crate::id::{BatchId, TriggerId};
use crate::line::Line;
use crate::rule::{Rule, Start, guarded};

/// When a trigger is tried again that somebody else has locked.
const BUSY_RETRY_MS: i64 = 20;

/// When a trigger that awaits its run is tried again whose queue is full.
const FULL_RETRY_MS: i64 = 250;

#[derive(Debug)]
pub(super) struct Fires {
    pub(super) due: Due,
    pub(super) in_flight: usize,
    /// How many batches there were.
    count: u64,
    /// What the store has answered.
    pub(super) answered: Answered,
    /// The places of the triggers of each batch under way, by the batch's number.
    sent: BTreeMap<u64, Vec<Place>>,
    /// Parts of batches that the store has refused.
    pub(super) divided: VecDeque<Part>,
    pub(super) size: Size,
    spacing: Spacing,
    /// Triggers put aside since a fire was recorded.
    pub(super) aside: u32,
}

/// Entries of a batch, decided at an instant, with the places of their triggers.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) at: Timestamp,
    pub(super) places: Vec<Place>,
    pub(super) entries: Vec<FireEntry>,
}

impl Fires {
    pub(super) fn new(batch_max: usize, group_ms: i64) -> Self {
        Self {
            due: Due::default(),
            in_flight: 0,
            count: 0,
            answered: Answered::default(),
            sent: BTreeMap::new(),
            divided: VecDeque::new(),
            size: Size::new(batch_max),
            spacing: Spacing::new(group_ms),
            aside: 0,
        }
    }

    /// The number of the newest batch.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// The first batch that is under way or waits to be repeated.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.sent.keys().next().copied()
    }

    /// Where the triggers of all batches are that are under way or wait to be repeated.
    pub(super) fn places(&self) -> impl Iterator<Item = Place> {
        let divided = self.divided.iter().flat_map(|part| &part.places);
        self.sent.values().flatten().chain(divided).copied()
    }

    /// Takes a batch back that is not recorded.
    pub(super) fn back(&mut self, batch: &FireBatch) -> Option<Part> {
        let places = self.sent.remove(&batch.id.sequence)?;
        self.in_flight -= 1;
        Some(Part { at: batch.at, places, entries: batch.entries.clone() })
    }

    /// Whether what is due may depart now, as far as the time since the last batch goes.
    fn may_depart(&self, now: Timestamp) -> bool {
        self.spacing.is_open(now) || self.due.len() >= self.size.get()
    }

    /// When that time is over.
    fn opens_at(&self, now: Timestamp) -> Timestamp {
        if self.spacing.is_open(now) { now } else { self.spacing.next_at() }
    }

    /// Whether another batch may go: not too many are under way, and the store still knows its answer to the oldest.
    fn has_room(&self, in_flight_max: usize) -> bool {
        let oldest = self.sent.first_key_value();
        self.in_flight < in_flight_max && oldest.is_none_or(|(oldest, _)| self.count - oldest < ANSWERS_KEPT - 1)
    }
}

impl Planner {
    /// Sends parts of batches that were refused: they have been decided, so that it makes no difference whether anything new may
    /// be fired.
    pub(super) fn send_divided(&mut self, commands: &mut Vec<Command>) {
        while self.part.trusted
            && self.fires.has_room(self.settings.in_flight_max)
            && let Some(part) = self.fires.divided.pop_front()
        {
            commands.push(self.fire(part));
        }
    }

    pub(super) fn send_fires(&mut self, commands: &mut Vec<Command>) {
        while self.part.trusted && self.fires.has_room(self.settings.in_flight_max) && self.fires.may_depart(self.now) {
            let Some((places, entries)) = self.next_entries(commands) else { return };
            self.fires.spacing.depart(self.now);
            commands.push(self.fire(Part { at: self.now, places, entries }));
        }
    }

    /// When something is due, or what is due already may depart.
    pub(super) fn next_fires_at(&self) -> Option<Timestamp> {
        let due = self.residents.next_wakeup().map(|due| due.max(self.fires.opens_at(self.now)));
        let waits = !self.fires.due.is_empty() && self.part.trusted && self.fires.has_room(self.settings.in_flight_max);
        due.into_iter().chain(waits.then(|| self.fires.opens_at(self.now))).min()
    }

    fn fire(&mut self, part: Part) -> Command {
        self.fires.count += 1;
        let id = BatchId { incarnation: self.incarnation, sequence: self.fires.count };
        self.fires.in_flight += 1;
        self.fires.sent.insert(id.sequence, part.places);
        Command::Fire(Arc::new(FireBatch {
            id,
            at: part.at,
            answered: self.fires.answered.batches,
            entries: part.entries,
        }))
    }

    /// Decides what is due, up to one batch, in order of trigger ids. None if nothing is to be recorded.
    fn next_entries(&mut self, commands: &mut Vec<Command>) -> Option<(Vec<Place>, Vec<FireEntry>)> {
        let mut batch = Vec::new();
        while batch.len() < self.fires.size.get()
            && let Some(place) = self.fires.due.next(self.now, &self.residents)
        {
            let Some(resident) = self.residents.find(place) else { continue };
            let is_full = || self.limits.is_full(&resident.rule.queue);
            let stays = |progress: &Progress| self.stays(progress);
            match guarded(|| entry(resident, self.now, self.settings.catch_up_max, stays, is_full)) {
                Ok(Ok(entry)) => {
                    self.residents.depart(place);
                    batch.push((place, entry));
                }
                Ok(Err(Some(due_at))) => self.residents.arm(place, due_at),
                Ok(Err(None)) => {}
                Err(panic) => self.panicked(place, &panic, commands),
            }
        }
        for (place, entry) in &mut batch {
            let job = |place| self.residents.find(place).map(|resident| &resident.rule.definition);
            let by_claims = self.limits.leave_by_claims(&entry.queue)
                || job(*place).is_some_and(|job| self.limits.are_labelled(job));
            let served = self.queues.serves(&entry.queue) && !by_claims;
            for run in &mut entry.runs {
                run.claim = served && self.slots.take(entry.job);
            }
            if self.slots.is_slow(entry.job, entry.runs.iter().any(|run| !run.claim)) {
                entry.queue = Line::parse(&entry.queue).slow().to_string().into();
            }
            self.limits.admit(entry);
        }
        if !batch.is_sorted_by_key(|(_, entry)| entry.trigger) {
            batch.sort_by_cached_key(|(_, entry)| entry.trigger);
        }
        (!batch.is_empty()).then(|| batch.into_iter().unzip())
    }

    pub(super) fn fired(&mut self, batch: &FireBatch, outcome: &FireOutcome, commands: &mut Vec<Command>) {
        let Some(places) = self.fires.sent.remove(&batch.id.sequence) else { return };
        self.fires.in_flight -= 1;
        self.fires.answered.take_in(batch.at);
        self.fires.size.recorded();
        self.fires.aside = 0;
        let mut again = Vec::new();
        let mut starts = Vec::new();
        let (mut stale, mut blocked) = (Cursor::new(&outcome.stale), Cursor::new(&outcome.blocked));
        let mut busy = Cursor::new(&outcome.busy);
        let mut placed = outcome.placed.iter().copied();
        for (index, (entry, place)) in batch.entries.iter().zip(places).enumerate() {
            if stale.is_at(index) {
                self.unclaim(entry);
                self.residents.remove(entry.trigger);
                again.push(entry.trigger);
            } else if blocked.is_at(index) {
                self.unclaim(entry);
                self.wait_for_slot(entry, place, batch.id.sequence, &mut again);
            } else if busy.is_at(index) {
                self.unclaim(entry);
                self.try_soon(entry, place, &mut again);
            } else {
                if let Some(ms) = entry.start_timeout_ms {
                    self.slots.schedule(batch.at + ms);
                }
                for (run, placed) in entry.runs.iter().zip(placed.by_ref()) {
                    self.place(entry, run, placed, place, &mut starts);
                }
                self.advance(entry, place, &mut again);
            }
        }
        if self.fires.in_flight == 0 {
            self.freed.clear();
        }
        if !starts.is_empty() {
            commands.push(Command::Start(starts));
        }
        self.wanted.extend(again);
    }

    fn place(&mut self, entry: &FireEntry, run: &NewRun, placed: Placed, place: Place, starts: &mut Vec<Start>) {
        match placed {
            Placed::Running => {
                let rule = &self.residents.find(place).expect("a trigger in a batch stays where it is").rule;
                starts.push(start(entry, run, rule));
                return;
            }
            Placed::Queued => {
                self.offers = true;
                if self.queues.serves(&entry.queue) {
                    self.slots.queued_of(entry.job);
                }
            }
            Placed::Held | Placed::Suppressed | Placed::Known => {}
        }
        if run.claim {
            self.slots.free(entry.job);
        }
    }

    /// Takes over where the trigger stands now, and lets go of it if that is far off.
    fn advance(&mut self, entry: &FireEntry, place: Place, again: &mut Vec<TriggerId>) {
        if !self.residents.come_back(place, Some(entry.progress)) {
            again.push(entry.trigger);
            return;
        }
        match entry.progress.due_at {
            // One that leaves is read again, unless the window has come by it before that was recorded.
            Some(due_at) if !entry.leaves_window || due_at <= self.window.end() => self.residents.arm(place, due_at),
            _ => self.residents.remove(entry.trigger),
        }
    }

    fn wait_for_slot(&mut self, entry: &FireEntry, place: Place, batch: u64, again: &mut Vec<TriggerId>) {
        if !self.residents.come_back(place, None) {
            again.push(entry.trigger);
        } else if self.freed.get(&entry.job).is_some_and(|newest| batch <= *newest) {
            self.fires.due.prefer([place]);
        } else {
            self.residents.block(place);
        }
    }

    /// Decides anew after a moment. It goes with whatever is due by then: a batch passes over what is locked, so that one
    /// trigger keeps no others waiting.
    fn try_soon(&mut self, entry: &FireEntry, place: Place, again: &mut Vec<TriggerId>) {
        if self.residents.come_back(place, None) {
            self.residents.arm(place, self.now + BUSY_RETRY_MS);
        } else {
            again.push(entry.trigger);
        }
    }

    pub(super) fn unclaim(&mut self, entry: &FireEntry) {
        entry.runs.iter().filter(|run| run.claim).for_each(|_| self.slots.free(entry.job));
    }
}

/// What a due trigger does; the instant at which it is due if it is not, `None` if it never is.
fn entry(
    resident: &Resident,
    now: Timestamp,
    catch_up_max: u32,
    stays: impl FnOnce(&Progress) -> bool,
    is_full: impl FnOnce() -> bool,
) -> Result<FireEntry, Option<Timestamp>> {
    #[cfg(test)]
    assert!(resident.rule.priority != super::tests::PANICS, "a rule that panics");
    let progress = &resident.progress;
    let decision = resident.rule.decide(resident.id, progress, now, catch_up_max).ok_or(progress.due_at)?;
    // Its trigger awaits the run: it waits for room in the queue, too.
    if decision.progress.awaiting_run.is_some() && !decision.runs.is_empty() && is_full() {
        return Err(Some(now + FULL_RETRY_MS));
    }
    Ok(FireEntry {
        trigger: resident.id,
        job: resident.job,
        job_version: resident.job_version,
        version: resident.version,
        expected: progress.next_fire_at.ok_or(None)?,
        progress: decision.progress,
        leaves_window: !stays(&decision.progress),
        gate: resident.rule.gate(),
        priority: resident.rule.priority,
        queue: resident.rule.queue.clone(),
        start_timeout_ms: resident.rule.definition.start_timeout_ms,
        input: resident.rule.input.clone(),
        runs: decision.runs,
        gaps: decision.gaps,
    })
}

pub(super) fn start(entry: &FireEntry, run: &NewRun, rule: &Arc<Rule>) -> Start {
    Start {
        run: run.id,
        job: entry.job,
        job_version: entry.job_version,
        trigger: Some(entry.trigger),
        fire_time: run.fire_time,
        due_at: run.due_at,
        attempt: 1,
        input: entry.input.as_deref().map(str::to_owned),
        deadline: None,
        awaited_by: rule.delay_ms.map(|_| Arc::clone(rule)),
        definition: Some(Arc::clone(&rule.definition)),
    }
}

/// Walks an ascending list of indices beside a count.
struct Cursor<'a>(&'a [u32]);

impl<'a> Cursor<'a> {
    const fn new(indices: &'a [u32]) -> Self {
        Self(indices)
    }

    fn is_at(&mut self, index: usize) -> bool {
        match self.0 {
            [first, rest @ ..] if *first as usize == index => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }
}
