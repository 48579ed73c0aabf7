//! One worker that talks to this node.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use mainspring_core::batch::{LiveRun, Queues};
use mainspring_core::job::Job;
use mainspring_core::lane::{Lanes, Take, claim_of};
use mainspring_core::line::Line;
use mainspring_core::planner::AttemptEnd;
use mainspring_core::routing::{Shard, Strategy};
use mainspring_core::rule::Start;
use mainspring_core::workers::{self, ClockOffset, Reception, Refusal, hold_ms};
use mainspring_core::{BatchId, Incarnation, JobId, RunId, Timestamp};
use mainspring_store::{Error as StoreError, WorkerInfo, causes};
use rustc_hash::FxHashMap;
use tokio::sync::Notify;

use super::{Inner, Service, Waiting, WorkerError, Workers, lock};
use crate::clock::{boot_ms, pause};
use crate::pool::{Hindrance, hindered};

/// How long to wait before a claim is repeated whose answer is not known.
const RETRY_AFTER_MS: u64 = 250;
/// Runs claimed for a worker at a time.
const CLAIM_MAX: u32 = 1_000;

/// Asks what there is to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Poll {
    /// Higher with each poll.
    pub number: u64,
    /// How many more runs the worker takes.
    pub free: u32,
    /// The attempts that it has.
    pub holds: Vec<(RunId, u32)>,
    /// How long to wait while there is nothing to say, in milliseconds.
    pub wait_ms: Option<u64>,
}

/// What a poll is answered.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Runs to start.
    pub runs: Vec<Given>,
    /// Runs to end.
    pub end: Vec<RunId>,
    /// How long after the poll that was, in milliseconds.
    pub held_ms: u64,
    /// Whether the node stops: the worker is to ask another one, if it knows any.
    pub draining: bool,
}

/// A run in a worker's hands.
#[derive(Clone, Debug)]
pub struct Given {
    /// What to start.
    pub start: Arc<Start>,
    /// What it executes.
    pub definition: Arc<Job>,
    /// When it was claimed.
    pub claimed_at: Timestamp,
    /// What the job keeps between its runs, if it does.
    pub data: Option<serde_json::Value>,
    /// Which shard it is, if its job is broadcast.
    pub shard: Option<Shard>,
    /// Why it cannot begin.
    pub(super) hindrance: Option<Hindrance>,
}

impl Given {
    async fn new(inner: &Inner, mut start: Start, definition: Arc<Job>, claimed_at: Timestamp) -> Self {
        start.awaited_by = inner.definitions.awaiting_start(&start, &definition).await;
        start.deadline = inner.definitions.deadline(&start, &definition).await;
        let data = inner.definitions.data(start.job, &definition).await;
        let (data, mut hindrance) = data.map_or_else(|why| (None, Some(Hindrance::Data(why))), |data| (data, None));
        let shard = shard_of(inner, start.run, &definition).await;
        let definition = match crate::workflows::prepared(&mut start, &definition, &inner.definitions).await {
            Ok((rendered, _)) => rendered,
            Err(why) => {
                hindrance = Some(Hindrance::Expression(why));
                definition
            }
        };
        Self { start: Arc::new(start), definition, claimed_at, data, shard, hindrance }
    }

    /// A run that the store says the worker has.
    pub(super) async fn held(inner: &Inner, live: LiveRun) -> Self {
        let claimed_at = live.claimed_at.unwrap_or(live.claimed.due_at);
        let start = Start::from(live.claimed);
        let definition = inner.definitions.wait_for(start.job, start.job_version).await;
        Self::new(inner, start, definition, claimed_at).await
    }

    /// The job's input with what was given with the run laid over it.
    #[must_use]
    pub fn input(&self) -> serde_json::Value {
        self.definition.merged_input(self.start.input.as_deref())
    }

    /// Limit of the attempt in milliseconds: its own, and what is left of the run's.
    #[must_use]
    pub fn timeout_ms(&self, now: Timestamp) -> Option<i64> {
        let limit = crate::pool::time_limit(&self.start, &self.definition, now)?;
        i64::try_from(limit.as_millis()).ok()
    }

    /// Whether others may be given it, or its slot, once the worker is taken for dead.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.definition.may_be_given_away()
    }
}

/// Which shard a run is. Read for jobs that are broadcast alone, so that claims carry no more than they need.
async fn shard_of(inner: &Inner, run: RunId, definition: &Job) -> Option<Shard> {
    if definition.routing.strategy() != Strategy::ShardingBroadcast {
        return None;
    }
    loop {
        match inner.store.run(run).await {
            Ok(info) => return info.and_then(|info| info.shard),
            Err(StoreError::Closed) => return None,
            Err(error) => {
                tracing::warn!(error = %causes(&error), run.id = %run, "the shard of a run could not be read; trying again");
                pause(RETRY_AFTER_MS).await;
            }
        }
    }
}

/// Who is asked before a run is given to a worker.
#[derive(Clone, Copy, Debug)]
enum Asks {
    /// Listeners, who may veto it.
    Listeners,
    /// Nobody: the worker has it, or it is to end.
    Nobody {
        /// Whether it is to end.
        ends: bool,
    },
}

pub(super) struct Session {
    pub(super) id: Incarnation,
    pub(super) name: String,
    pub(super) token: Option<String>,
    slots: u32,
    queues: Queues,
    /// The same without runs that are not known to be short.
    short_queues: Queues,
    /// The same after those from which it alone takes runs.
    own_queues: Queues,
    /// Whether its last claim got all that it asked for, and that was less than it has room for, as [`claim_of`] has to know.
    short_next: AtomicBool,
    /// Whether runs may wait for it alone.
    pub(super) called: AtomicBool,
    desk: Mutex<Desk>,
    pub(super) wake: Notify,
}

struct Desk {
    /// What is decided.
    session: workers::Session,
    runs: FxHashMap<RunId, Given>,
    /// Where the log of each attempt goes on, as far as known.
    next_line: FxHashMap<RunId, u64>,
    clock: ClockOffset,
}

/// Notes that a poll is held for as long as it is.
struct Held<'a>(&'a Session);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        lock(&self.0.desk).session.release(boot_ms());
    }
}

impl Session {
    pub(super) fn new(info: &WorkerInfo, now_ms: u64) -> Self {
        let desk = Desk {
            session: workers::Session::new(info.slots, now_ms),
            runs: FxHashMap::default(),
            next_line: FxHashMap::default(),
            clock: ClockOffset::default(),
        };
        let own = |queue: &String| Line::Worker { queue, worker: &info.name }.to_string();
        let queues = Queues::named(info.queues.iter().map(String::as_str));
        Self {
            id: info.id,
            name: info.name.clone(),
            token: info.token.clone(),
            slots: info.slots,
            short_queues: queues.short(),
            queues,
            own_queues: Queues::named(info.queues.iter().map(own).chain(info.queues.iter().cloned())),
            short_next: AtomicBool::new(false),
            called: AtomicBool::new(false),
            desk: Mutex::new(desk),
            wake: Notify::new(),
        }
    }

    /// Whether it is to be counted up, if the last count was sent then.
    pub(super) fn counts(&self, now_ms: u64, counted_ms: u64) -> bool {
        lock(&self.desk).session.counts(now_ms, counted_ms)
    }

    /// Whether its worker may come back to this node.
    pub(super) fn is_kept(&self, now_ms: u64) -> bool {
        lock(&self.desk).session.is_kept(now_ms)
    }

    /// Takes in what a poll says.
    pub(super) fn receive(&self, poll: &Poll) -> Reception {
        lock(&self.desk).session.receive(boot_ms(), poll.number, &poll.holds)
    }

    /// Takes in what the store said the worker has, when it was asked then.
    pub(super) fn check(&self, asked_ms: u64, held: &[workers::Held]) {
        lock(&self.desk).session.check(asked_ms, held);
    }

    /// Ends what is claimed here, and waits until no claim is under way.
    pub(super) async fn retire(&self) {
        lock(&self.desk).session.retire();
        loop {
            let woken = self.wake.notified();
            tokio::pin!(woken);
            woken.as_mut().enable();
            if !lock(&self.desk).session.is_claiming() {
                return;
            }
            woken.await;
        }
    }

    /// Ends the polls that are held: the next one here begins another session.
    pub(super) fn end_polls(&self) {
        lock(&self.desk).session.retire();
        self.wake.notify_waiters();
    }

    /// Takes in what the store says of its worker as it is counted up.
    pub(super) fn counted(&self, count: Option<workers::Count>) {
        if lock(&self.desk).session.counted(count) {
            self.wake.notify_waiters();
        }
    }

    /// Takes the place of another session, and ends its polls.
    pub(super) fn replace(&self, other: &Self) {
        {
            let (mut desk, mut before) = (lock(&self.desk), lock(&other.desk));
            desk.session.replace(&mut before.session);
            desk.clock = before.clock;
        }
        other.wake.notify_waiters();
    }

    /// Has nothing new be claimed, or takes that back.
    pub(super) fn drain(&self, draining: bool) {
        if lock(&self.desk).session.drain(draining) {
            self.wake.notify_waiters();
        }
    }

    pub(super) fn note_clock(&self, offset_ms: i64) {
        lock(&self.desk).clock.note(offset_ms);
    }

    /// How far its worker's clock is off, if that is to be kept.
    pub(super) fn clock_to_tell(&self) -> Option<i64> {
        lock(&self.desk).clock.to_tell()
    }

    pub(super) fn told_clock(&self, offset_ms: i64) {
        lock(&self.desk).clock.told(offset_ms);
    }

    /// Its worker is taken for dead, and hears so.
    pub(super) fn bury(&self) {
        lock(&self.desk).session.bury();
        self.wake.notify_waiters();
    }

    /// Whether it gives out nothing more.
    fn is_over(&self) -> bool {
        lock(&self.desk).session.is_over()
    }

    /// Notes that something was heard.
    pub(super) fn hear(&self) {
        lock(&self.desk).session.hear(boot_ms());
    }

    fn put(&self, given: Given, ends: bool) {
        let mut desk = lock(&self.desk);
        desk.session.give(given.start.run, given.start.attempt, ends);
        desk.runs.insert(given.start.run, given);
    }

    pub(super) fn end(&self, run: RunId) -> bool {
        let here = lock(&self.desk).session.end(run);
        if here {
            self.wake.notify_waiters();
        }
        here
    }

    /// The run of an attempt that the worker has.
    pub(super) fn given(&self, run: RunId, attempt: u32) -> Option<Given> {
        let desk = lock(&self.desk);
        desk.runs.get(&run).filter(|_| desk.session.has(run, attempt)).cloned()
    }

    /// Takes an attempt out that is over.
    pub(super) fn take(&self, run: RunId, attempt: u32) {
        let mut desk = lock(&self.desk);
        if desk.session.take(run, attempt) {
            desk.runs.remove(&run);
            desk.next_line.remove(&run);
        }
    }

    /// Where the log of a run goes on, if that is known.
    pub(super) fn next_line(&self, run: RunId) -> Option<u64> {
        lock(&self.desk).next_line.get(&run).copied()
    }

    pub(super) fn note_lines(&self, run: RunId, next: u64) {
        lock(&self.desk).next_line.insert(run, next);
    }

    /// What there is to say now.
    fn told(&self, poll: &Poll) -> Result<Told, Refusal> {
        let mut desk = lock(&self.desk);
        let orders = desk.session.orders(boot_ms(), poll.number, &poll.holds)?;
        let runs = orders.give.iter().filter_map(|(run, _)| desk.runs.get(run).cloned()).collect();
        Ok(Told { runs, end: orders.end, ..Told::default() })
    }

    /// What the worker was executing when it was heard last, and for how long it had had each by then, in milliseconds. What has ended and
    /// `waits` to be recorded is not executed any more; nor is anything that is known here by a session that is over.
    pub(super) fn running(&self, now: Timestamp, now_ms: u64, waiting: &Waiting) -> Vec<(JobId, i64)> {
        let desk = lock(&self.desk);
        if desk.session.is_over() {
            return Vec::new();
        }
        let silence_ms = i64::try_from(desk.session.silence_ms(now_ms)).unwrap_or(i64::MAX);
        let had_ms = |given: &Given| now.since(given.claimed_at).saturating_sub(silence_ms);
        let runs = desk.runs.values().filter(|given| !waiting.contains_key(&(given.start.run, given.start.attempt)));
        runs.map(|given| (given.start.job, had_ms(given))).collect()
    }

    /// From where it takes runs that it has room for, and how many of these at most, as [`claim_of`] says.
    fn room(&self, known: &Lanes, short_next: bool) -> (Queues, u32) {
        let slow = lock(&self.desk).runs.values().filter(|given| !known.is_short(given.start.job)).count();
        let slow = u32::try_from(slow).unwrap_or(u32::MAX);
        let room = known.slow_max(&self.queues, self.slots).saturating_sub(slow);
        let (most, takes) = claim_of(u32::MAX, room, short_next);
        let queues = if takes == Take::Short { &self.short_queues } else { &self.queues };
        (queues.clone(), most)
    }

    /// Where it takes runs from, first to last: `queues`, and what waits for it alone, which is looked for once for each call.
    fn lines(&self, queues: &Queues) -> (Queues, bool) {
        let called = self.called.swap(false, Ordering::AcqRel);
        let own = || if queues.of().0 { self.own_queues.short() } else { self.own_queues.clone() };
        (if called { own() } else { queues.clone() }, called)
    }

    /// Begins a claim, if none is under way and the worker takes runs. Answers its id and for how many, `most` at most.
    fn begin_claim(&self, poll: &Poll, most: u32) -> Option<(BatchId, u32)> {
        let free = lock(&self.desk).session.begin_claim(poll.number, poll.free.min(CLAIM_MAX).min(most))?;
        // Told from the one before, also of another node, and not counted: so nothing has to be kept for it.
        let sequence = u64::try_from(crate::random::random() >> 64).expect("64 bits");
        Some((BatchId { incarnation: self.id, sequence }, free))
    }
}

/// Wakes a worker that waits in line, if a poll of it is still held.
pub(super) fn wake(session: &Weak<Session>) -> bool {
    let session = session.upgrade().filter(|session| lock(&session.desk).session.is_polling());
    session.inspect(|session| session.wake.notify_waiters()).is_some()
}

impl Workers {
    /// Answers a worker's poll: at once if there is something to say, and else after a while. That the node stops is said to polls which
    /// are held when that begins; later ones are held again, and get nothing new.
    ///
    /// # Errors
    /// See [`WorkerError`].
    pub async fn poll(&self, id: Incarnation, poll: Poll) -> Result<Told, WorkerError> {
        self.must_be(Service::Hearing)?;
        let service = self.0.service();
        let session = self.session_for(id, &poll).await?;
        lock(&session.desk).session.hold();
        // The worker counts from its poll, or from the last count since: that is what others see of it.
        let begun_ms = boot_ms();
        let answer = |told: Told| Told {
            held_ms: self.0.counted_ms.load(Ordering::Acquire).saturating_sub(begun_ms),
            draining: self.0.service() > Service::Full,
            ..told
        };
        let _held = Held(&session);
        // An older poll that is still held ends.
        session.wake.notify_waiters();
        let over = pause(hold_ms(poll.wait_ms, poll.holds.is_empty() && service == Service::Full));
        tokio::pin!(over);
        loop {
            let woken = session.wake.notified();
            tokio::pin!(woken);
            woken.as_mut().enable();
            if !self.0.is_heard() {
                return Err(WorkerError::Unheard);
            }
            match session.told(&poll) {
                Ok(told) if !told.runs.is_empty() || !told.end.is_empty() => return Ok(answer(told)),
                Ok(_) if self.0.service() > service => return Ok(answer(Told::default())),
                Ok(_) if service == Service::Full => self.seek(&session, &poll),
                Ok(_) => {}
                Err(Refusal::Over) => return Ok(answer(Told::default())),
                Err(Refusal::Stale) => return Err(WorkerError::Stale),
                Err(Refusal::Gone) => return Err(WorkerError::NotFound(id)),
            }
            tokio::select! {
                () = woken => {}
                () = &mut over => return Ok(answer(Told::default())),
            }
        }
    }

    /// Claims runs for a worker if there may be any, or puts it into the line of those that wait.
    fn seek(&self, session: &Arc<Session>, poll: &Poll) {
        let short_next = session.short_next.swap(false, Ordering::AcqRel) && {
            let lines = lock(&self.0.lines);
            lines.may_claim(&session.short_queues, lines.offers())
        };
        let (queues, most) = session.room(&self.0.lanes.known(), short_next);
        self.pass_on(session, &queues);
        let Some(offers) = self.may_claim(session, &queues, poll) else { return };
        let Some((id, free)) = session.begin_claim(poll, most) else {
            // There may be some for others.
            return lock(&self.0.lines).wake_next(&queues, wake);
        };
        let (workers, session) = (self.clone(), Arc::clone(session));
        self.0.tasks.start(async move {
            let claimed = workers.claim(&session, &queues, id, free).await;
            session.short_next.store(free == most && claimed == Some(free), Ordering::Release);
            lock(&session.desk).session.end_claim();
            let mut lines = lock(&workers.0.lines);
            if claimed.is_some_and(|claimed| claimed < free) {
                lines.exhausted(&queues, offers);
            } else {
                lines.wake_next(&queues, wake);
            }
            drop(lines);
            session.wake.notify_waiters();
        });
    }

    /// Lets the next in line for what a worker does not look for look for that: the worker may have been woken for it.
    fn pass_on(&self, session: &Session, looks_for: &Queues) {
        let other = if looks_for.of().0 { &session.queues } else { &session.short_queues };
        let mut lines = lock(&self.0.lines);
        let offers = lines.offers();
        if lines.may_claim(other, offers) {
            lines.wake_next(other, wake);
        }
    }

    /// Whether runs may wait in a worker's queues, and after how many offers that is so. If not, it waits in line.
    fn may_claim(&self, session: &Arc<Session>, queues: &Queues, poll: &Poll) -> Option<u64> {
        let mut lines = lock(&self.0.lines);
        let offers = lines.offers();
        if lines.may_claim(queues, offers) || session.called.load(Ordering::Acquire) {
            return Some(offers);
        }
        let me = Arc::downgrade(session);
        if poll.free > 0 && !lock(&session.desk).session.is_draining() {
            lines.wait(queues, Weak::clone(&me), |other| other.ptr_eq(&me));
        }
        None
    }

    /// Claims runs and puts them into the worker's hands. Answers how many; nothing: the worker is not heard here any more.
    async fn claim(&self, session: &Arc<Session>, queues: &Queues, id: BatchId, limit: u32) -> Option<u32> {
        let inner = &self.0;
        let now = inner.time.now();
        let (lines, called) = session.lines(queues);
        loop {
            match inner.store.claim_for(id, inner.me(), &lines, limit, now).await {
                Ok(claimed) => {
                    let count = u32::try_from(claimed.len()).unwrap_or(u32::MAX);
                    // More may be left for it.
                    session.called.fetch_or(called && count == limit, Ordering::AcqRel);
                    // Together: a listener that takes its time with one holds up that one.
                    inner.metrics.claimed(&claimed, now);
                    let prepared =
                        claimed.into_iter().map(|run| self.prepare(session, Start::from(run), now, Asks::Listeners));
                    futures_util::future::join_all(prepared).await;
                    return Some(count);
                }
                Err(StoreError::Fenced) => {
                    session.end_polls();
                    return None;
                }
                Err(StoreError::Conflict { .. }) => {
                    // Another node was asked to drain it.
                    session.drain(true);
                    return None;
                }
                Err(StoreError::Closed) => return None,
                Err(error) => {
                    tracing::warn!(error = %causes(&error), worker.id = %session.id, "runs could not be claimed for a worker; trying again");
                    pause(RETRY_AFTER_MS).await;
                }
            }
        }
    }

    /// Takes in a run that the store says the worker has. One that the worker does not name was not begun yet: listeners are asked,
    /// for whom nobody else waits.
    pub(super) async fn resume(&self, session: &Arc<Session>, live: LiveRun, has_it: bool) {
        let claimed_at = live.claimed_at.unwrap_or(live.claimed.due_at);
        let start = Start::from(live.claimed);
        let asks = if has_it || live.ends { Asks::Nobody { ends: live.ends } } else { Asks::Listeners };
        if matches!(asks, Asks::Nobody { .. }) || self.0.audience.is_empty() {
            return self.prepare(session, start, claimed_at, asks).await;
        }
        lock(&session.desk).session.put_off(start.run);
        let (workers, session) = (self.clone(), Arc::clone(session));
        self.0.tasks.start(async move { workers.prepare(&session, start, claimed_at, asks).await });
    }

    /// Puts a run into the worker's hands. One whose definition cannot be read follows when it can: a newer program may have
    /// written it, and the runs of other jobs do not wait for that.
    async fn prepare(&self, session: &Arc<Session>, start: Start, claimed_at: Timestamp, asks: Asks) {
        let inner = &self.0;
        match inner.definitions.definition(start.job, start.job_version).await {
            Ok(definition) => self.give(session, Given::new(inner, start, definition, claimed_at).await, asks).await,
            Err(error) => {
                tracing::error!(error = %causes(&error), job.id = start.job.0, run.id = %start.run, "a run waits whose definition could not be read");
                lock(&session.desk).session.put_off(start.run);
                let (workers, session) = (self.clone(), Arc::downgrade(session));
                inner.tasks.start(async move { workers.await_definition(&session, start, claimed_at, asks).await });
            }
        }
    }

    /// Puts a run into the worker's hands, unless something keeps it from beginning: then it ends without having been there.
    async fn give(&self, session: &Session, given: Given, asks: Asks) {
        let Asks::Nobody { ends } = asks else {
            let hindrance = match self.0.audience.admit(&given.start, &given.definition).await {
                Err(why) => Hindrance::Veto(why),
                Ok(()) => match given.hindrance.clone() {
                    Some(hindrance) => hindrance,
                    None => {
                        session.put(given, false);
                        if !self.0.audience.is_empty() {
                            // Others of the same claim may wait for their listeners still.
                            session.wake.notify_waiters();
                        }
                        return;
                    }
                },
            };
            // Another session may have given it out meanwhile; what is found out there counts.
            if !session.is_over() {
                let end = hindered((*given.start).clone(), given.definition, self.0.time.now(), hindrance);
                self.0.ends.put([AttemptEnd { held_by: Some(session.id), ..end }]);
            }
            lock(&session.desk).session.withhold(given.start.run);
            return;
        };
        session.put(given, ends);
    }

    /// Looks for a definition until it is there, or nobody wants the run any more.
    async fn await_definition(&self, session: &Weak<Session>, start: Start, claimed_at: Timestamp, asks: Asks) {
        let definition = loop {
            pause(RETRY_AFTER_MS).await;
            if session.upgrade().is_none_or(|session| session.is_over()) {
                return;
            }
            if let Ok(definition) = self.0.definitions.definition(start.job, start.job_version).await {
                break definition;
            }
        };
        let given = Given::new(&self.0, start, definition, claimed_at).await;
        if let Some(session) = session.upgrade() {
            self.give(&session, given, asks).await;
            session.wake.notify_waiters();
        }
    }
}
