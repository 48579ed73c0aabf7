//! The planner: what should happen now, over everything that one node owns.
//!
//! A state machine without effects. The shell tells it what it saw ([`Event`]) and when, and carries out what it
//! answers ([`Command`]); the outcome comes back as another event. The planner never waits, so a slow
//! store delays a fire but not the decision about the next one.
//!
//! It keeps the triggers of the coming seconds (the window) in a timing wheel and advances them in memory. At most
//! [`Settings::in_flight_max`] batches of each kind are under way; what comes due meanwhile is collected for the
//! next one, so batches grow with the load and stay small without it.
//!
//! A planner begins as one that is alone: it owns every shard and trusts itself. In a cluster, [`Event::Own`] comes first and
//! says what is its part, whenever that changes.

mod ahead;
mod check;
mod due;
mod ends;
mod fires;
mod limits;
mod part;
mod refused;
mod repeats;
mod resident;
mod slots;
mod spacing;
mod strays;
#[cfg(test)]
mod tests;
mod window;

use std::sync::Arc;

use mainspring_schedule::Timestamp;
use rustc_hash::FxHashMap;

use crate::batch::{
    AttemptDetail, Changes, ClaimedRun, CompletionBatch, CompletionOutcome, FireBatch, FireOutcome, Heard, LiveRun,
    Queues, Released,
};
use crate::cluster::ShardSet;
use crate::id::{BatchId, Incarnation, JobId, RunId, TriggerId};
use crate::job::Job;
use crate::lane::{JobLane, Take};
use crate::rule::{Loaded, Start};
use crate::run::AttemptOutcome;

use self::ahead::Ahead;
use self::check::Check;
use self::ends::Ends;
use self::fires::Fires;
pub use self::limits::{Limits, QueueLimit};
pub use self::part::Part;
pub use self::refused::Refusal;
use self::repeats::Repeats;
use self::resident::Residents;
use self::slots::Slots;
use self::strays::Strays;
use self::window::Window;

/// What bounds the planner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// How far ahead triggers are read into memory.
    pub window_ms: i64,
    /// Late instants of a trigger that fire one by one; more become a range.
    pub catch_up_max: u32,
    /// Triggers or attempts in a batch, and triggers that are read by id at a time.
    pub batch_max: usize,
    /// Batches of each kind under way.
    pub in_flight_max: usize,
    /// The least time from one batch to the next of its kind, unless that is full. [`GROUP_MS`] groups what comes within a few
    /// milliseconds; 0 groups only what waits for an answer of the store.
    pub group_ms: i64,
    /// Runs that this node's own pool executes at a time.
    pub slots: u32,
    /// How long to wait at most before a batch is repeated that the store could not take. Each further time it is up to twice as
    /// long.
    pub retry_after_ms: i64,
    /// How long at the very most.
    pub retry_max_ms: i64,
    /// How often changes, queued and scheduled runs are looked for that other nodes have made; absent where there are none.
    pub poll_every_ms: Option<i64>,
    /// How often the window in memory is compared with the store's; absent where nobody else changes that.
    pub check_every_ms: Option<i64>,
    /// How often the runs that the store says this process executes are compared with those that it does; absent where no answer
    /// of the store can get lost.
    pub held_every_ms: Option<i64>,
    /// How far ahead triggers are looked for whose next instant an update of the tz database has moved; absent where the store
    /// outlives no update.
    pub ahead_ms: Option<i64>,
}

/// What servers set for [`Settings::group_ms`]: at 1,000 fires a second, three share a transaction, and none is later than people
/// could notice.
pub const GROUP_MS: i64 = 3;

impl Default for Settings {
    fn default() -> Self {
        Self {
            window_ms: 5_000,
            catch_up_max: 100,
            batch_max: 4_000,
            in_flight_max: 2,
            group_ms: 0,
            slots: 64,
            retry_after_ms: 250,
            retry_max_ms: 5_000,
            poll_every_ms: None,
            check_every_ms: None,
            held_every_ms: None,
            ahead_ms: None,
        }
    }
}

/// What the shell saw.
#[derive(Clone, Debug)]
pub enum Event {
    /// Time has passed.
    Woke,
    /// This is the node's part now.
    Own(Part),
    /// A window read came back. The place continues it.
    WindowRead(Vec<Loaded>, Option<(Timestamp, TriggerId)>),
    /// Triggers came back whose next instant was computed with an older release of the tz database, as this read asked. The
    /// place continues it.
    AheadRead(Read, Vec<Loaded>, Option<(Timestamp, TriggerId)>),
    /// Triggers came back that were asked for by id; those that are gone, paused or complete are left out.
    TriggersRead(Vec<Loaded>),
    /// A read failed; it is to be repeated.
    ReadFailed(Read),
    /// The store said that requests changed something.
    Changed,
    /// This node has queued runs, which wait for nothing but a claim.
    Queued,
    /// What they changed.
    ChangesRead(Changes),
    /// A batch of fires is recorded.
    Fired(Arc<FireBatch>, FireOutcome),
    /// A batch of fires could not be recorded, or nobody knows whether it was.
    FireFailed(Arc<FireBatch>),
    /// The store refused a batch of fires: nothing of it is kept, whether or not it was tried before.
    FireRefused(Arc<FireBatch>, Refusal),
    /// Attempts of this node's pool ended.
    Ended(Vec<AttemptEnd>),
    /// Attempts ended that hold no slot here: an earlier process left them behind.
    Lost(Vec<AttemptEnd>),
    /// A batch of verdicts is recorded.
    Completed(Arc<CompletionBatch>, CompletionOutcome),
    /// A batch of verdicts could not be recorded, or nobody knows whether it was.
    CompleteFailed(Arc<CompletionBatch>),
    /// The store refused a batch of verdicts: nothing of it is kept.
    CompleteRefused(Arc<CompletionBatch>, Refusal),
    /// A trigger was put aside, or has changed meanwhile.
    PutAside(TriggerId),
    /// Queued runs were claimed: fewer than asked for if no more are there.
    Claimed(Vec<Start>),
    /// Scheduled runs that are due were made ready.
    Released(Released),
    /// The running runs that the store says this process executes.
    HeldRead(Vec<LiveRun>),
    /// The ends of those that it does not, as asked for.
    LostRead(Vec<AttemptEnd>),
    /// What is set for queues, and how much room they have: claims may find something there again.
    Limited(Arc<Limits>),
    /// What has become known of jobs, whose waiting runs may be in other lines since: all of it at first. Without it, all jobs are
    /// alike.
    Lanes(Vec<JobLane>),
    /// Nothing new is to be started from now on.
    Drain,
}

/// A read of the store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Read {
    /// Triggers of the window of some shards up to an instant, after a place in the due index.
    Window(ShardSet, Timestamp, Option<(Timestamp, TriggerId)>),
    /// The same, but only those whose next instant was computed with an older release of the tz database than this program's.
    Ahead(ShardSet, Timestamp, (Timestamp, TriggerId)),
    /// Triggers by id.
    Triggers(Vec<TriggerId>),
    /// What requests have changed that concerns some shards, or runs of this node; and of what it told the node has heard.
    Changes(ShardSet, Heard),
    /// Queued runs, to be claimed for so many slots, and which. The id tells a repeat, which gets the runs that the claim has taken,
    /// from the next claim.
    Claim(BatchId, u32, Take),
    /// Scheduled runs that are due, to be made ready.
    Release,
    /// Puts a trigger into the state `error`, if it has this version (or whichever it has).
    PutAside {
        /// The trigger.
        trigger: TriggerId,
        /// Its version, as far as known.
        version: Option<i64>,
        /// Why, for people.
        reason: Arc<str>,
    },
    /// The running runs that this process is said to execute.
    Held,
    /// What the ends of these need to be recorded as lost.
    Lost(Vec<LiveRun>),
}

/// What the planner asks of the shell.
#[derive(Clone, Debug)]
pub enum Command {
    /// Ask the store. Claims, releases and what is put aside are asked in the same way, though they change rows.
    Read(Read),
    /// Record fires.
    Fire(Arc<FireBatch>),
    /// Record verdicts.
    Complete(Arc<CompletionBatch>),
    /// Execute runs that are recorded as running.
    Start(Vec<Start>),
    /// End a running run.
    Cancel(RunId),
    /// Runs may wait for workers, and for this node's own pool: the former are to be told.
    Offer,
}

/// The end of an attempt, as the pool reports it.
#[derive(Clone, Debug)]
pub struct AttemptEnd {
    /// What was started.
    pub start: Start,
    /// The definition that it ran.
    pub definition: Arc<Job>,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// Whether a listener vetoed its start: no handler was entered, the outcome is `cancelled`, and the run is skipped.
    pub vetoed: bool,
    /// When the handler was entered; absent if it never was.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Timestamp,
    /// What it left behind.
    pub detail: Option<Box<AttemptDetail>>,
    /// The worker that holds the run; absent for this process start.
    pub held_by: Option<Incarnation>,
}

/// Figures about the planner, for metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Figures {
    /// Triggers in memory.
    pub resident: usize,
    /// Due triggers that no batch has taken yet.
    pub due: usize,
    /// Runs that the pool executes.
    pub running: u32,
    /// How many it may execute at once.
    pub slots: u32,
    /// Whether queued runs wait for a slot.
    pub backlog: bool,
    /// Triggers that a check of the window has missed in memory so far.
    pub corrections: u64,
}

/// What a process start was told of its batches of fires: to be held against what the store knows of them later.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Answered {
    /// How many were recorded.
    pub batches: u64,
    /// The latest instant at which one of them was decided: nothing in them was due later.
    pub through: Option<Timestamp>,
}

impl Answered {
    fn take_in(&mut self, at: Timestamp) {
        self.batches += 1;
        self.through = self.through.max(Some(at));
    }
}

/// See the [module](self).
#[derive(Debug)]
pub struct Planner {
    settings: Settings,
    incarnation: Incarnation,
    batch_count: u64,
    now: Timestamp,
    part: Part,
    residents: Residents,
    window: Window,
    ahead: Ahead,
    check: Check,
    fires: Fires,
    ends: Ends,
    slots: Slots,
    /// Which queues this node's own pool takes runs from.
    queues: Queues,
    /// What is set for queues. The room of those with a limit shrinks with every fire until it is told anew.
    limits: Limits,
    /// Whether runs may wait for workers that have not been told yet.
    offers: bool,
    /// The shards whose changes are being read, and nothing while that waits to be repeated.
    changes_asked: Option<ShardSet>,
    heard: Heard,
    changes_waiting: bool,
    /// When to look again for what other nodes have changed.
    poll_at: Timestamp,
    draining: bool,
    /// Jobs that got a free slot while fires were under way, with the newest batch by then: a fire of one up to it that comes
    /// back blocked is tried again at once.
    freed: FxHashMap<JobId, u64>,
    repeats: Repeats,
    strays: Strays,
    /// Reads under way.
    reads: usize,
    /// Triggers to read by id. One such read at a time, so that no older answer comes after a newer one.
    wanted: Vec<TriggerId>,
    reading_triggers: bool,
}

impl Planner {
    /// A planner for a process start, with an empty window.
    #[must_use]
    pub fn new(settings: Settings, incarnation: Incarnation, now: Timestamp) -> Self {
        Self {
            settings,
            incarnation,
            batch_count: 0,
            now,
            part: Part::WHOLE,
            residents: Residents::new(now),
            window: Window::new(),
            ahead: Ahead::new(),
            check: Check::new(now, settings.check_every_ms),
            fires: Fires::new(settings.batch_max, settings.group_ms),
            ends: Ends::new(settings.batch_max, settings.group_ms),
            slots: Slots::new(settings.slots),
            queues: Queues::All,
            limits: Limits::default(),
            offers: true,
            changes_asked: None,
            heard: Heard::default(),
            changes_waiting: true,
            poll_at: now,
            draining: false,
            freed: FxHashMap::default(),
            repeats: Repeats::new(incarnation),
            strays: Strays::new(now, settings.held_every_ms),
            reads: 0,
            wanted: Vec::new(),
            reading_triggers: false,
        }
    }

    /// The same, where this node's own pool takes runs from some queues only: fires of others are queued for workers.
    #[must_use]
    pub fn serving(self, queues: Queues) -> Self {
        Self { queues, ..self }
    }

    /// Takes in one event and says what to do.
    pub fn handle(&mut self, now: Timestamp, event: Event) -> Vec<Command> {
        let mut commands = Vec::new();
        self.note_time(now);
        self.reads -= usize::from(answers_read(&event));
        self.note_success(&event);
        self.strays.heard(&event);
        match event {
            Event::Woke => {}
            Event::Own(part) => self.own(part),
            Event::WindowRead(rows, more) => self.window_read(rows, more, &mut commands),
            Event::AheadRead(read, rows, more) => self.ahead_read(read, rows, more),
            Event::TriggersRead(rows) => {
                self.reading_triggers = false;
                self.note_missed(&rows);
                rows.into_iter().for_each(|row| self.keep(row));
            }
            Event::ReadFailed(read) => self.read_failed(read),
            Event::Changed => self.changes_waiting = true,
            Event::Queued => {
                self.slots.queued();
                self.offers = true;
            }
            Event::ChangesRead(changes) => self.changes_read(changes, &mut commands),
            Event::Fired(batch, outcome) => self.fired(&batch, &outcome, &mut commands),
            Event::FireFailed(batch) => self.repeat(Command::Fire(batch)),
            Event::FireRefused(batch, refusal) => self.fire_refused(&batch, &refusal, &mut commands),
            Event::Ended(ends) => self.ended(ends, &mut commands),
            Event::Lost(ends) | Event::LostRead(ends) => self.lost(ends, &mut commands),
            Event::HeldRead(runs) => self.held_read(runs, &mut commands),
            Event::Completed(batch, outcome) => self.completed(&batch, &outcome),
            Event::CompleteFailed(batch) => self.repeat(Command::Complete(batch)),
            Event::CompleteRefused(batch, refusal) => self.complete_refused(&batch, &refusal),
            Event::PutAside(trigger) => self.wanted.push(trigger),
            Event::Claimed(starts) => self.claimed(starts, &mut commands),
            Event::Released(released) => {
                self.offers |= released.count > 0;
                self.slots.released(released);
            }
            Event::Limited(limits) => {
                let held_back = self.limits.hold_back();
                self.limits.clone_from(&limits);
                // A bound of what waits keeps nothing from starting.
                if held_back || self.limits.hold_back() {
                    self.slots.backlog = true;
                    self.offers = true;
                }
            }
            Event::Lanes(jobs) => {
                self.slots.learn(jobs, &self.queues);
                self.offers = true;
            }
            Event::Drain => self.draining = true,
        }
        self.step(&mut commands);
        self.strays.told(&commands);
        self.reads += commands.iter().filter(|command| matches!(command, Command::Read(_))).count();
        commands
    }

    /// When to send [`Event::Woke`], if nothing else happens before.
    #[must_use]
    pub fn next_wakeup(&self) -> Timestamp {
        let repeat = self.repeats.next_at(self.part.trusted).unwrap_or(Timestamp::MAX);
        let later = self.ends.later.next_at().unwrap_or(Timestamp::MAX);
        let ends = self.ends.departs_at(self.settings.in_flight_max).unwrap_or(Timestamp::MAX);
        let first = repeat.min(later).min(ends).min(self.next_poll_at()).min(self.next_held_at());
        if self.draining {
            return first;
        }
        let due = self.next_fires_at();
        let scheduled = self.slots.next_release_at().filter(|_| self.part.takes_work());
        let window = self.next_window_at().min(self.next_check_at()).min(self.next_ahead_at());
        due.into_iter().chain(scheduled).fold(first.min(window), Timestamp::min)
    }

    /// Whether nothing is running, recorded or to be recorded. After [`Event::Drain`], the time to stop.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        let fires = self.fires.in_flight == 0 && self.fires.divided.is_empty();
        self.slots.is_idle() && fires && self.ends.is_idle()
    }

    /// Whether the planner also knows all there is to know: no read is under way or wanted, nothing waits to be sent.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let unsent = !self.fires.due.is_empty() || !self.repeats.is_empty() || !self.wanted.is_empty();
        self.is_idle() && self.reads == 0 && !self.changes_waiting && !unsent
    }

    /// Whether nothing that was sent can still touch these shards: no batch under way or waiting to be repeated has a fire of
    /// theirs, and their changes are not being read.
    #[must_use]
    pub fn is_clear(&self, shards: &ShardSet) -> bool {
        let asked = self.changes_asked.unwrap_or_default().intersection(*shards);
        let sent = self.fires.places().filter_map(|place| self.residents.find(place));
        asked.is_empty() && !sent.into_iter().any(|resident| shards.contains(resident.shard))
    }

    /// What the store has answered so far to batches of fires.
    #[must_use]
    pub const fn answered(&self) -> Answered {
        self.fires.answered
    }

    /// Figures for metrics.
    #[must_use]
    pub fn figures(&self) -> Figures {
        Figures {
            resident: self.residents.len(),
            due: self.fires.due.len(),
            running: self.slots.running(),
            slots: self.slots.total(),
            backlog: self.slots.backlog,
            corrections: self.check.corrections,
        }
    }

    /// The triggers that the last check of the window has missed in memory, of all [`Figures::corrections`].
    #[must_use]
    pub fn corrected(&self) -> &[TriggerId] {
        &self.check.corrected
    }

    /// What every event is followed by: collect what is due, and send what can be sent.
    fn step(&mut self, commands: &mut Vec<Command>) {
        self.poll();
        self.send_again(commands);
        if self.changes_waiting && self.changes_asked.is_none() && self.part.trusted && !self.is_reading_up() {
            self.changes_waiting = false;
            commands.push(self.ask_changes());
        }
        self.confirm(commands);
        if !self.reading_triggers && !self.wanted.is_empty() {
            self.reading_triggers = true;
            let count = self.wanted.len().min(self.settings.batch_max);
            commands.push(Command::Read(Read::Triggers(self.wanted.drain(..count).collect())));
        }
        self.send_ends(commands);
        self.send_divided(commands);
        self.ask_held(commands);
        if std::mem::take(&mut self.offers) {
            commands.push(Command::Offer);
        }
        if self.draining {
            return;
        }
        self.read_window(commands);
        self.check_window(commands);
        self.residents.collect_due(self.now, &mut self.fires.due);
        self.send_fires(commands);
        self.look_ahead(commands);
        self.ask_runs(commands);
    }

    /// Whether more triggers are to be read by id than one read takes. Further changes wait for these: a trigger that changed leaves
    /// memory until it is read, and fires nothing meanwhile.
    fn is_reading_up(&self) -> bool {
        self.wanted.len() >= self.settings.batch_max
    }

    /// Asks for scheduled and queued runs, where there may be some and the node takes work.
    fn ask_runs(&mut self, commands: &mut Vec<Command>) {
        if !self.part.takes_work() {
            return;
        }
        if self.slots.ask_release(self.now) {
            commands.push(Command::Read(Read::Release));
        }
        if let Some((count, takes)) = self.slots.ask_claim() {
            let id = self.next_batch_id();
            commands.push(Command::Read(Read::Claim(id, count, takes)));
        }
    }

    fn note_time(&mut self, now: Timestamp) {
        if now < self.now {
            // The clock was set back: what is not due yet waits for its instant, however long that takes now.
            self.residents.rewind(now);
            self.repeats.rewind(now, &self.settings);
            self.ends.later.rewind(now + self.settings.retry_max_ms);
            self.poll_at = self.poll_at.min(now);
            self.check.rewind(now, self.settings.check_every_ms);
            self.ahead.rewind(now, self.settings.ahead_ms);
            self.strays.rewind(now, self.settings.held_every_ms);
        }
        self.now = now;
    }

    /// Keeps free slots for runs that the shell is about to queue, and says what it may claim in the transaction that queues them. The
    /// answer comes back like that of any [`Read::Claim`]. Nothing: it is claimed later, if at all.
    pub fn claim_along(&mut self) -> Option<Read> {
        if self.draining || !self.part.takes_work() {
            return None;
        }
        self.slots.queued();
        let (count, takes) = self.slots.ask_claim()?;
        self.reads += 1;
        Some(Read::Claim(self.next_batch_id(), count, takes))
    }

    /// Tries what waits for a slot, whether or not anybody has told that there is one.
    fn try_blocked(&mut self) {
        let waiting = self.residents.unblock_all();
        self.fires.due.prefer(waiting);
    }

    fn changes_read(&mut self, changes: Changes, commands: &mut Vec<Command>) {
        self.changes_asked = None;
        self.check.changes_read(&changes);
        self.heard = changes.heard;
        self.changes_waiting |= changes.more;
        self.slots.backlog |= changes.queued;
        self.offers |= changes.queued;
        if changes.queued {
            // A run that was asked for may have a time by which it has to start, which this node has not seen.
            self.slots.schedule(self.now);
        }
        commands.extend(changes.cancels.into_iter().map(Command::Cancel));
        if !changes.triggers.is_empty() {
            let again = self.residents.forget(&changes.triggers);
            self.wanted.extend(again);
        }
    }

    fn claimed(&mut self, starts: Vec<Start>, commands: &mut Vec<Command>) {
        self.slots.claimed(starts.iter().map(|start| start.job));
        if !starts.is_empty() {
            commands.push(Command::Start(starts));
        }
    }

    fn ask_changes(&mut self) -> Command {
        self.check.changes_asked();
        self.changes_asked = Some(self.part.owned);
        Command::Read(Read::Changes(self.part.owned, self.heard.clone()))
    }

    fn read_failed(&mut self, read: Read) {
        if matches!(read, Read::Changes(..)) {
            // What it would have told is told by the next. An answer that comes after all is nobody's.
            self.changes_asked = Some(ShardSet::EMPTY);
        }
        self.repeat(Command::Read(read));
    }

    /// Sends what the store could not take before. What is asked of shards is asked of those that are owned now.
    fn send_again(&mut self, commands: &mut Vec<Command>) {
        while let Some(command) = self.repeats.take(self.now, self.part.trusted) {
            commands.push(match command {
                Command::Read(Read::Changes(..)) => self.ask_changes(),
                command => command,
            });
        }
    }

    fn next_poll_at(&self) -> Timestamp {
        if self.settings.poll_every_ms.is_some() { self.poll_at } else { Timestamp::MAX }
    }

    /// Looks for what other nodes have made.
    fn poll(&mut self) {
        let Some(every_ms) = self.settings.poll_every_ms.filter(|_| self.poll_at <= self.now) else { return };
        self.poll_at = self.now + every_ms;
        self.changes_waiting = true;
        self.slots.schedule(self.now);
    }

    /// Sends a command again after a while.
    fn repeat(&mut self, command: Command) {
        self.repeats.put(command, self.now, &self.settings);
    }

    fn note_success(&mut self, event: &Event) {
        match event {
            Event::Fired(..) | Event::Completed(..) => self.repeats.batch_succeeded(),
            Event::ReadFailed(_) => {}
            event if answers_read(event) => self.repeats.read_succeeded(),
            _ => {}
        }
    }

    fn next_batch_id(&mut self) -> BatchId {
        self.batch_count += 1;
        BatchId { incarnation: self.incarnation, sequence: self.batch_count }
    }
}

const fn answers_read(event: &Event) -> bool {
    matches!(
        event,
        Event::WindowRead(..)
            | Event::AheadRead(..)
            | Event::TriggersRead(_)
            | Event::ReadFailed(_)
            | Event::ChangesRead(_)
            | Event::Claimed(_)
            | Event::Released(_)
            | Event::PutAside(_)
            | Event::HeldRead(_)
            | Event::LostRead(_)
    )
}

/// What a claimed run needs to be started; the shell adds the rule of its trigger.
impl From<ClaimedRun> for Start {
    fn from(claimed: ClaimedRun) -> Self {
        Self {
            run: claimed.run,
            job: claimed.job,
            job_version: claimed.job_version,
            trigger: claimed.trigger,
            fire_time: claimed.fire_time,
            due_at: claimed.due_at,
            attempt: claimed.attempt,
            input: claimed.input,
            deadline: None,
            awaited_by: None,
            definition: None,
        }
    }
}
