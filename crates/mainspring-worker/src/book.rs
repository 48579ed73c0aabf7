//! The worker's state machine: its assignments, and the reaction to each answer. No network, clock or process.
//!
//! | it hears | of an attempt that is | it does |
//! |---|---|---|
//! | given | unknown | starts it |
//! | given | executing, or over and not reported yet | nothing: it was given again |
//! | given, in an answer older than the time to give up | unknown | nothing: others may have been given it |
//! | end asked for | executing | tells it to end, once |
//! | recorded or refused | over | forgets it |
//! | nothing, for the time to give up | executing and shared | ends it, as lost |
//! | `worker.not_found` | any | ends it and reports nothing of it |
//!
//! A *life* is the time under one id. What belongs to an earlier life takes a slot until it has ended, and nothing else.

use std::collections::BTreeMap;
use std::time::Duration;

use mainspring_api::{AttemptState, WorkerEnd, WorkerHolding, WorkerOrders, WorkerPoll, WorkerRun, WorkerTerms};
use mainspring_tasks::Silence;

/// The time that polling another server takes.
const ANOTHER_MS: u64 = 1_000;
/// The least time between two questions while there is nothing new.
const POLL_EVERY_MS: u64 = 200;

/// The number of an incarnation of the worker.
pub type Life = u64;

/// The reason why an attempt is stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// It may go on.
    #[default]
    No,
    /// Somebody asked for it; it has its grace.
    Cancel,
    /// Others may be given it by now, or have been: it has next to no time.
    GiveUp,
}

/// A question to a server.
#[derive(Clone, Debug)]
pub struct Question {
    /// The request to send.
    pub poll: WorkerPoll,
    /// On whose behalf: an answer that comes when that life is over starts nothing.
    life: Life,
    /// Whether nothing is left to do: this poll takes what a lost answer may have given.
    pub is_last: bool,
}

/// The reason why a poll has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// The server knows the worker no more.
    Dismissed,
    /// Whatever it is, it may pass.
    Trouble,
}

/// The reaction to an answer, or to a missing one.
#[derive(Clone, Debug)]
pub enum Heard {
    /// There are runs to start and to tell to end; after a rest, the next question follows.
    Orders {
        /// The attempts to start.
        starts: Vec<WorkerRun>,
        /// The attempts to stop.
        ends: Vec<WorkerHolding>,
        /// The pause before the next poll, in milliseconds.
        rest_ms: u64,
    },
    /// The next question follows after a pause that grows.
    Nothing,
    /// This life is over.
    Dismissed,
    /// All is over.
    Left,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// `asked`: somebody asked for its end, whatever else ends it.
    Executing { shared: bool, stop: Stop, asked: bool },
    /// Over, and not recorded yet as far as is known.
    Over,
}

/// The assignments of a worker.
#[derive(Debug, Default)]
pub struct Book {
    slots: u32,
    draining: bool,
    life: Life,
    give_up_ms: u64,
    /// The time that a poll is held, and that of an idle worker if it differs.
    hold_ms: u64,
    idle_hold_ms: Option<u64>,
    /// The time at which a server was last heard, or a little later.
    heard_ms: u64,
    number: u64,
    /// Whether the last poll had no answer: being heard soon is what matters then.
    hurries: bool,
    held: BTreeMap<WorkerHolding, Stage>,
    /// Attempts of earlier lives that have not ended yet.
    leaving: u32,
}

impl Book {
    /// Creates the state of a worker with `slots` slots that has not joined yet.
    pub fn new(slots: u32) -> Self {
        Self { slots, ..Self::default() }
    }

    /// Begins a life that was asked for at `sent_ms`.
    pub fn joined(&mut self, terms: &WorkerTerms, sent_ms: u64) -> Life {
        (self.give_up_ms, self.heard_ms) = (terms.give_up_ms, sent_ms);
        (self.hold_ms, self.idle_hold_ms) = (terms.hold_ms, terms.idle_hold_ms);
        self.number = 0;
        self.life += 1;
        self.life
    }

    /// Returns whether something belongs to the present incarnation.
    pub fn lives(&self, life: Life) -> bool {
        self.life == life
    }

    /// Returns the next poll, unless the incarnation is over.
    pub fn question(&mut self, life: Life) -> Option<Question> {
        if !self.lives(life) {
            return None;
        }
        let is_last = self.draining && self.is_empty();
        let mut poll = self.poll();
        if is_last || self.hurries {
            poll.wait_ms = Some(0);
        }
        Some(Question { poll, life, is_last })
    }

    /// Takes in what became of a question, asked at `sent_ms`. That its life is over is for [`Book::dismissed`] to note.
    pub fn heard(
        &mut self,
        question: &Question,
        answer: Result<WorkerOrders, Unanswered>,
        sent_ms: u64,
        now_ms: u64,
    ) -> Heard {
        match answer {
            // A report has heard that this life is over, whatever a server says now.
            _ if !self.lives(question.life) => Heard::Dismissed,
            Ok(orders) => {
                self.hurries = false;
                let (starts, ends) = self.take(orders, sent_ms, now_ms);
                if question.is_last && self.is_empty() {
                    return Heard::Left;
                }
                let has_news = !starts.is_empty() || !ends.is_empty();
                let passed_ms = now_ms.saturating_sub(sent_ms);
                let rest_ms = if has_news { 0 } else { POLL_EVERY_MS.saturating_sub(passed_ms) };
                Heard::Orders { starts, ends, rest_ms }
            }
            Err(Unanswered::Dismissed) => Heard::Dismissed,
            Err(Unanswered::Trouble) if question.is_last => Heard::Left,
            Err(Unanswered::Trouble) => {
                self.hurries = true;
                Heard::Nothing
            }
        }
    }

    fn poll(&mut self) -> WorkerPoll {
        self.number += 1;
        let wait_ms = self.idle_hold_ms.filter(|_| self.is_empty());
        WorkerPoll {
            number: self.number,
            free: self.room(),
            runs: self.held.keys().cloned().collect(),
            wait_ms,
            now: None,
        }
    }

    /// Returns whether to replace the poll in flight: it gets nothing although there is room, might get something
    /// although nothing more is taken, has become the last one, or belongs to an incarnation that is over.
    pub fn is_outdated(&self, question: &Question) -> bool {
        let is_last = self.draining && self.is_empty();
        !self.lives(question.life) || (question.poll.free == 0) != (self.room() == 0) || (is_last && !question.is_last)
    }

    /// Returns the longest silence of a worker that executes shared runs.
    pub fn silence(&self) -> Silence {
        Silence { longest: Duration::from_millis(self.give_up_ms), since_ms: self.heard_ms }
    }

    /// Returns the longest time that the answer to a poll may be held.
    pub fn hold_ms(&self, poll: &WorkerPoll) -> u64 {
        poll.wait_ms.unwrap_or(self.hold_ms)
    }

    /// Returns the longest time to wait for one server, so that another can be polled in time.
    pub fn patience_ms(&self, poll: &WorkerPoll, now_ms: u64) -> u64 {
        if poll.runs.is_empty() {
            return self.hold_ms(poll) + ANOTHER_MS;
        }
        (self.heard_ms + self.give_up_ms).saturating_sub(now_ms + ANOTHER_MS).max(ANOTHER_MS)
    }

    /// Returns whether the worker takes no more runs.
    pub fn is_draining(&self) -> bool {
        self.draining
    }

    /// Records that a server was heard, not earlier than this.
    pub fn answered(&mut self, heard_ms: u64) {
        self.heard_ms = self.heard_ms.max(heard_ms);
    }

    /// Takes what a server says to a question that was sent at `sent_ms`: the runs to start, and those to tell to end. A server that
    /// has held it says for how long: it was heard as much later.
    pub fn take(&mut self, orders: WorkerOrders, sent_ms: u64, now_ms: u64) -> (Vec<WorkerRun>, Vec<WorkerHolding>) {
        let heard_ms = sent_ms + orders.held_ms.unwrap_or(0).min(now_ms.saturating_sub(sent_ms));
        self.answered(heard_ms);
        let mut starts = Vec::new();
        if now_ms < heard_ms + self.give_up_ms {
            for run in orders.runs {
                let holding = WorkerHolding { run: run.run.clone(), attempt: run.attempt };
                if let std::collections::btree_map::Entry::Vacant(place) = self.held.entry(holding) {
                    place.insert(Stage::Executing { shared: run.shared, stop: Stop::No, asked: false });
                    starts.push(run);
                }
            }
        }
        let ends = self.tell(Stop::Cancel, |holding, _| orders.cancel.contains(&holding.run));
        (starts, ends)
    }

    /// Returns the time at which shared runs are given up if nothing is heard until then; `None` without shared runs.
    pub fn gives_up_at(&self) -> Option<u64> {
        let waits =
            |stage: &Stage| matches!(stage, Stage::Executing { shared: true, stop, .. } if *stop != Stop::GiveUp);
        self.held.values().any(waits).then_some(self.heard_ms + self.give_up_ms)
    }

    /// Tells those to end that others may be given by now.
    pub fn give_up(&mut self, now_ms: u64) -> Vec<WorkerHolding> {
        match self.gives_up_at() {
            Some(at) if at <= now_ms => self.tell(Stop::GiveUp, |_, shared| shared),
            _ => Vec::new(),
        }
    }

    /// Tells everything to end.
    pub fn cancel_all(&mut self) -> Vec<WorkerHolding> {
        self.tell(Stop::Cancel, |_, _| true)
    }

    /// Takes nothing any more.
    pub fn drain(&mut self) {
        self.draining = true;
    }

    /// Ends an attempt. Returns the end to report, if any.
    pub fn ended(&mut self, life: Life, mut end: WorkerEnd) -> Option<WorkerEnd> {
        if !self.lives(life) {
            self.leaving = self.leaving.saturating_sub(1);
            return None;
        }
        let stage = self.held.insert(holding_of(&end), Stage::Over);
        let asked = matches!(stage, Some(Stage::Executing { asked: true, .. }));
        if end.outcome == AttemptState::Cancelled && !asked {
            // Given up here, or by the leash of its processes while the worker was frozen.
            end.outcome = AttemptState::Lost;
            end.error_code = Some("worker.out_of_reach".to_owned());
            end.error = Some(format!("the worker heard nothing from a server for {} ms", self.give_up_ms));
        }
        Some(end)
    }

    /// Removes ends that are recorded or refused: nothing more has to be reported about them.
    pub fn settled<'a>(&mut self, life: Life, ends: impl IntoIterator<Item = &'a WorkerEnd>) {
        if self.lives(life) {
            ends.into_iter().for_each(|end| _ = self.held.remove(&holding_of(end)));
        }
    }

    /// Records that an incarnation was declared dead. Returns whether that is new.
    pub fn dismissed(&mut self, life: Life) -> bool {
        if !self.lives(life) {
            return false;
        }
        self.leaving += self.executing();
        self.held.clear();
        self.life += 1;
        true
    }

    /// Attempts that have not ended, of all lives.
    pub fn busy(&self) -> u32 {
        self.executing() + self.leaving
    }

    /// Returns whether nothing is executed and no report is pending.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty() && self.leaving == 0
    }

    /// Returns the number of runs to take at most. The server counts those that it has given itself, so a poll stays
    /// right when one of them ends. It knows nothing of those of earlier incarnations: while there are any, only free
    /// slots count.
    fn room(&self) -> u32 {
        match self.leaving {
            _ if self.draining => 0,
            0 => self.slots,
            _ => self.slots.saturating_sub(self.busy()),
        }
    }

    fn executing(&self) -> u32 {
        let count = self.held.values().filter(|stage| **stage != Stage::Over).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Notes that the chosen ones are told to end; those of them that were not told as much before.
    fn tell(&mut self, why: Stop, chosen: impl Fn(&WorkerHolding, bool) -> bool) -> Vec<WorkerHolding> {
        let mut told = Vec::new();
        for (holding, stage) in &mut self.held {
            let Stage::Executing { shared, stop, asked } = stage else { continue };
            if *stop < why && chosen(holding, *shared) {
                *stop = why;
                *asked |= why == Stop::Cancel;
                told.push(holding.clone());
            }
        }
        told
    }
}

pub(crate) fn holding_of(end: &WorkerEnd) -> WorkerHolding {
    WorkerHolding { run: end.run.clone(), attempt: end.attempt }
}

#[cfg(test)]
mod tests;
