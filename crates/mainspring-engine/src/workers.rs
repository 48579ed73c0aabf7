//! Workers of other machines, as far as they talk to this node.
//!
//! A worker is an incarnation of its own: the store keeps what it executes under its name, so that any node can go on with
//! it. Of those that talk to this one there is a [`Session`] in memory. What it is given is claimed by a task of the
//! session and not by the request: a request whose caller goes away takes nothing with it.
//!
//! Who is dead is [`mainspring_core::workers`]' to say; [`Workers::keep`] counts and buries.

mod report;
mod route;
mod session;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use mainspring_core::planner::AttemptEnd;
use mainspring_core::workers::{BEAT_MS, CHECK_ALL_MS, Count, HOLD_MS, Held, Lines, Reception, Watch, is_fresh};
use mainspring_core::{Incarnation, JobId, RunId};
use mainspring_store::{Error as StoreError, Store, WorkerInfo, causes};
use rustc_hash::{FxHashMap, FxHashSet};
use tokio::sync::{Notify, oneshot, watch};

use crate::clock::{RightTime, boot_ms, pause};
use crate::definitions::Definitions;
use crate::lanes::LaneWatch;
use crate::listener::Audience;
use crate::log_lane::LogLane;
use crate::metrics::Metrics;
use crate::output::Outputs;
use crate::pool::{Line, Tools};
use crate::tasks::Tasks;
use crate::workflows::Workflows;

pub use report::{LogPiece, RemoteEnd, Report};
use session::Session;
pub use session::{Given, Poll, Told};

/// Why a worker is not answered what it asks for.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// It has not joined, or was taken for dead.
    #[error("there is no worker {0}")]
    NotFound(Incarnation),
    /// A newer poll of it has come before.
    #[error("a newer poll of the worker has come before")]
    Stale,
    /// This node could not count workers up lately: it does not know whether the worker is taken for dead.
    #[error("the node could not reach the database lately")]
    Unheard,
    /// This node stops.
    #[error("the node stops")]
    Draining,
    /// A log does not go on where it ended.
    #[error("the log of {run} goes on at line {expected}, not {given}")]
    LogGap {
        /// Of which run.
        run: RunId,
        /// The line that comes next.
        expected: u64,
        /// The line that came.
        given: u64,
    },
    /// The store could not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What this node does for workers. It only ever does less.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Service {
    /// All of it.
    Full,
    /// It gives out nothing more and takes no new workers; it hears those that are there, and says that others are to be asked.
    Hearing,
    /// It hears nobody, so whoever is silent need not be dead.
    Over,
}

/// Who waits until the end of an attempt is recorded, and hears whether it was refused.
type Waiting = FxHashMap<(RunId, u32), Vec<oneshot::Sender<bool>>>;

/// The workers that talk to this node: they join, poll and report. Cheap to clone.
#[derive(Clone)]
pub struct Workers(Arc<Inner>);

impl std::fmt::Debug for Workers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workers").finish_non_exhaustive()
    }
}

pub(crate) struct Inner {
    store: Arc<dyn Store>,
    time: RightTime,
    definitions: Arc<Definitions>,
    audience: Arc<Audience>,
    logs: LogLane,
    outputs: Outputs,
    metrics: Arc<Metrics>,
    /// This process start, as it is at the moment.
    incarnation: watch::Receiver<Incarnation>,
    sessions: Mutex<BTreeMap<Incarnation, Arc<Session>>>,
    /// Is woken when there may be something to route.
    routes: Notify,
    /// Who looks for runs, and who waits for some.
    lines: Mutex<Lines<Weak<Session>>>,
    waiting: Mutex<Waiting>,
    /// Ends of attempts, for the driver to record.
    ends: Line<AttemptEnd>,
    /// Workers that are dead, for the driver to take their runs over.
    dead: Line<Incarnation>,
    /// When the last count was sent that succeeded.
    counted_ms: AtomicU64,
    /// A [`Service`].
    service: AtomicU8,
    tasks: Tasks,
    lanes: LaneWatch,
    workflows: Workflows,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Workers {
    pub(crate) fn new(
        tools: &Tools,
        incarnation: watch::Receiver<Incarnation>,
        lanes: LaneWatch,
        workflows: Workflows,
    ) -> Self {
        let tools = tools.clone();
        Self(Arc::new(Inner {
            store: Arc::clone(&tools.outputs.store),
            time: tools.time,
            definitions: tools.definitions,
            audience: tools.audience,
            logs: tools.logs,
            outputs: tools.outputs,
            metrics: tools.metrics,
            incarnation,
            sessions: Mutex::default(),
            routes: Notify::new(),
            lines: Mutex::default(),
            waiting: Mutex::default(),
            ends: Line::default(),
            dead: Line::default(),
            counted_ms: AtomicU64::new(boot_ms()),
            service: AtomicU8::new(Service::Full as u8),
            tasks: Tasks::default(),
            lanes,
            workflows,
        }))
    }

    /// Registers a worker. `about` says what it is; its id, its node and the time are filled in here.
    ///
    /// # Errors
    /// The store could not do it, or the node stops.
    pub async fn join(&self, about: WorkerInfo) -> Result<Incarnation, WorkerError> {
        self.must_be(Service::Full)?;
        let id = crate::random::new_incarnation();
        let info = WorkerInfo { id, node: self.0.me(), joined_at: self.0.time.now(), ..about };
        tracing::info!(worker.id = %id, worker.name = info.name, slots = info.slots, "a worker has joined");
        self.0.store.join_worker(info.clone()).await?;
        lock(&self.0.sessions).insert(id, Arc::new(Session::new(&info, boot_ms())));
        self.0.routes.notify_one();
        Ok(id)
    }

    /// Sets the place of a worker in the order of workers, or takes it.
    ///
    /// # Errors
    /// It is not there, or the store could not do it.
    pub async fn place(&self, id: Incarnation, place: Option<u32>) -> Result<(), WorkerError> {
        if self.0.store.place_worker(id, place).await? { Ok(()) } else { Err(WorkerError::NotFound(id)) }
    }

    /// Has a worker be given nothing new: it finishes what it has. Or lets it be given runs again. A process that joins anew, under another
    /// id, is given runs.
    ///
    /// # Errors
    /// It is not there, or the store could not do it.
    pub async fn set_draining(&self, id: Incarnation, draining: bool) -> Result<(), WorkerError> {
        if !self.0.store.drain_worker(id, draining).await? {
            return Err(WorkerError::NotFound(id));
        }
        // Another node that hears it finds out as it counts its workers, or as it claims for it.
        if let Some(session) = lock(&self.0.sessions).get(&id) {
            session.drain(draining);
        }
        // What waits for it alone may go to another.
        self.0.routes.notify_one();
        Ok(())
    }

    /// Notes how far ahead of this node's clock a worker has written a message, in milliseconds.
    pub fn note_clock(&self, id: Incarnation, offset_ms: i64) {
        if let Some(session) = lock(&self.0.sessions).get(&id) {
            session.note_clock(offset_ms);
        }
    }

    /// Ends a worker: what it still executes is lost.
    ///
    /// # Errors
    /// It is not there, or the store could not do it.
    pub async fn leave(&self, id: Incarnation) -> Result<(), WorkerError> {
        if !self.0.store.bury_worker(id, None).await? {
            return Err(WorkerError::NotFound(id));
        }
        tracing::info!(worker.id = %id, "a worker has left");
        self.0.forget(id);
        self.0.dead.put([id]);
        self.0.routes.notify_one();
        Ok(())
    }

    /// A worker, whichever node it talks to.
    ///
    /// # Errors
    /// It is not there, or the store could not say.
    pub async fn worker(&self, id: Incarnation) -> Result<WorkerInfo, WorkerError> {
        self.0.store.worker(id).await?.ok_or(WorkerError::NotFound(id))
    }

    /// With which token a worker has joined. Whoever asks is not the worker yet: it is not heard by this.
    ///
    /// # Errors
    /// It is not there, or the store could not say.
    pub async fn token_of(&self, id: Incarnation) -> Result<Option<String>, WorkerError> {
        let known = lock(&self.0.sessions).get(&id).map(|session| session.token.clone());
        match known {
            Some(token) => Ok(token),
            None => Ok(self.worker(id).await?.token),
        }
    }

    /// Ends of attempts that are to be recorded.
    pub(crate) fn ends(&self) -> &Line<AttemptEnd> {
        &self.0.ends
    }

    /// Workers whose runs are to be taken over.
    pub(crate) fn dead(&self) -> &Line<Incarnation> {
        &self.0.dead
    }

    /// Asks for the end of a run. False: no worker that talks to this node has it.
    pub(crate) fn cancel(&self, run: RunId) -> bool {
        lock(&self.0.sessions).values().any(|session| session.end(run))
    }

    /// The jobs of what workers execute that talk to this node, and for how long each has had it, in milliseconds.
    pub(crate) fn running(&self) -> Vec<(JobId, i64)> {
        let (now, now_ms) = (self.0.time.now(), boot_ms());
        let sessions = lock(&self.0.sessions);
        let waiting = lock(&self.0.waiting);
        sessions.values().flat_map(|session| session.running(now, now_ms, &waiting)).collect()
    }

    /// Says that runs may wait.
    pub(crate) fn offer(&self) {
        self.0.routes.notify_one();
        lock(&self.0.lines).offer(session::wake);
    }

    /// Gives no more runs out, and tells workers to ask other nodes. Those that know none are heard until [`Self::close`].
    pub(crate) fn drain(&self) {
        self.serve_only(Service::Hearing);
    }

    /// Answers the polls that are held, and hears no worker from now on.
    pub fn close(&self) {
        self.serve_only(Service::Over);
    }

    fn serve_only(&self, service: Service) {
        self.0.service.fetch_max(service as u8, Ordering::AcqRel);
        lock(&self.0.sessions).values().for_each(|session| session.wake.notify_waiters());
    }

    /// Tells whoever reported the ends of a batch that they are recorded.
    pub(crate) fn recorded(
        &self,
        batch: &mainspring_core::batch::CompletionBatch,
        outcome: &mainspring_core::batch::CompletionOutcome,
    ) {
        let sessions = lock(&self.0.sessions);
        let mut roomy = FxHashSet::default();
        for (index, entry) in (0_u32..).zip(&batch.entries) {
            let Some(holder) = entry.held_by else { continue };
            let refused = outcome.refused.binary_search(&index).is_ok();
            if let Some(session) = sessions.get(&holder) {
                session.take(entry.run, entry.attempt);
                roomy.insert(holder);
            }
            let waiting = lock(&self.0.waiting).remove(&(entry.run, entry.attempt));
            for reporter in waiting.into_iter().flatten() {
                // Whoever went away asks again.
                let _heard = reporter.send(refused);
            }
        }
        // A poll that is held may be answered with what there was no room for.
        roomy.iter().filter_map(|holder| sessions.get(holder)).for_each(|session| session.wake.notify_waiters());
        // A run may wait for a worker that is not busy.
        self.0.routes.notify_one();
    }

    /// Counts up the workers that were heard, buries those that are dead, and forgets those that went elsewhere. Never ends.
    pub(crate) async fn keep(self) {
        let mut watch = Watch::default();
        loop {
            pause(BEAT_MS).await;
            let asked_ms = boot_ms();
            match self.0.count().await {
                Ok(counts) => {
                    let dead = watch.observe(asked_ms, boot_ms(), &counts);
                    if self.0.service() < Service::Over {
                        self.0.bury(dead).await;
                    }
                    self.0.routes.notify_one();
                    self.0.tell_clocks().await;
                }
                Err(StoreError::Closed) => return,
                Err(error) => {
                    tracing::warn!(error = %causes(&error), "workers could not be counted up; trying again");
                    if !self.0.is_heard() {
                        // Another node may hear them.
                        lock(&self.0.sessions).values().for_each(|session| session.wake.notify_waiters());
                    }
                }
            }
        }
    }

    /// Compares what is here with what the store says, for all workers at once. Never ends.
    pub(crate) async fn check(self) {
        loop {
            pause(CHECK_ALL_MS).await;
            if lock(&self.0.sessions).is_empty() {
                continue;
            }
            let asked_ms = boot_ms();
            match self.0.store.held_by_workers(self.0.me()).await {
                Ok(held) => self.0.compare(asked_ms, held),
                Err(StoreError::Closed) => return,
                // Sessions that are not checked ask for themselves.
                Err(error) => {
                    tracing::warn!(error = %causes(&error), "what workers hold could not be read; trying again")
                }
            }
        }
    }

    /// The session for a poll. That in memory goes on where nothing can have happened elsewhere; otherwise the store says what the
    /// worker has, and that it is heard here from now on.
    async fn session_for(&self, id: Incarnation, poll: &Poll) -> Result<Arc<Session>, WorkerError> {
        let known = lock(&self.0.sessions).get(&id).cloned();
        if let Some(session) = known {
            match session.receive(poll) {
                Reception::Stale => return Err(WorkerError::Stale),
                Reception::GoesOn => return Ok(session),
                Reception::Anew => {}
            }
            // What it has claimed by then is in the store, and it claims nothing more.
            if tokio::time::timeout(HOLD, session.retire()).await.is_err() {
                return Err(WorkerError::Unheard);
            }
        }
        let info = self.0.store.worker(id).await?.ok_or(WorkerError::NotFound(id))?;
        // Noted before what it holds is read, and before it is answered.
        if !self.0.store.hear_worker(id, self.0.me(), self.0.time.now()).await? {
            return Err(WorkerError::NotFound(id));
        }
        let session = Arc::new(Session::new(&info, boot_ms()));
        for live in self.0.store.held(id).await? {
            let has_it = poll.holds.contains(&(live.claimed.run, live.claimed.attempt));
            self.resume(&session, live, has_it).await;
        }
        session.receive(poll);
        let before = lock(&self.0.sessions).insert(id, Arc::clone(&session));
        before.into_iter().for_each(|other| session.replace(&other));
        // Runs may wait for it alone.
        self.0.routes.notify_one();
        Ok(session)
    }

    fn must_be(&self, at_least: Service) -> Result<(), WorkerError> {
        if self.0.service() <= at_least { Ok(()) } else { Err(WorkerError::Draining) }
    }
}

impl Inner {
    /// This process start.
    fn me(&self) -> Incarnation {
        *self.incarnation.borrow()
    }

    fn service(&self) -> Service {
        match self.service.load(Ordering::Acquire) {
            0 => Service::Full,
            1 => Service::Hearing,
            _ => Service::Over,
        }
    }

    /// Whether the last count is new enough to answer workers.
    fn is_heard(&self) -> bool {
        is_fresh(boot_ms(), self.counted_ms.load(Ordering::Acquire))
    }

    async fn count(&self) -> mainspring_store::Result<Vec<Count>> {
        let now_ms = boot_ms();
        let counted_ms = self.counted_ms.load(Ordering::Acquire);
        let sessions: Vec<Arc<Session>> = {
            let mut sessions = lock(&self.sessions);
            sessions.retain(|_, session| session.is_kept(now_ms));
            sessions.values().filter(|session| session.counts(now_ms, counted_ms)).cloned().collect()
        };
        let heard: Vec<Incarnation> = sessions.iter().map(|session| session.id).collect();
        let counts = self.store.beat_workers(self.me(), &heard, self.time.now()).await?;
        self.counted_ms.store(now_ms, Ordering::Release);
        let by_worker: FxHashMap<Incarnation, Count> = counts.iter().map(|count| (count.worker, *count)).collect();
        // Only those that were counted: one that was begun since has read what other nodes have claimed.
        for session in sessions {
            let count = by_worker.get(&session.id).copied();
            session.counted(count);
            if count.is_none() {
                lock(&self.sessions).remove(&session.id);
            }
        }
        lock(&self.lines).tidy(|session| session.strong_count() > 0);
        Ok(counts)
    }

    /// Takes in what the workers hold that this node hears.
    fn compare(&self, asked_ms: u64, held: Vec<Held>) {
        let mut by_worker: FxHashMap<Incarnation, Vec<Held>> = FxHashMap::default();
        held.into_iter().for_each(|held| by_worker.entry(held.worker).or_default().push(held));
        for (id, session) in lock(&self.sessions).iter() {
            session.check(asked_ms, by_worker.get(id).map_or(&[], Vec::as_slice));
        }
    }

    /// Keeps how far the clocks of workers are off, where that has changed. The others follow after the next count.
    async fn tell_clocks(&self) {
        let changed: Vec<(Arc<Session>, i64)> = {
            let sessions = lock(&self.sessions);
            let changed = sessions.values().filter_map(|session| Some((Arc::clone(session), session.clock_to_tell()?)));
            changed.take(CLOCKS_AT_ONCE).collect()
        };
        if changed.is_empty() {
            return;
        }
        let offsets: Vec<_> = changed.iter().map(|(session, offset_ms)| (session.id, *offset_ms)).collect();
        match self.store.note_worker_clocks(&offsets).await {
            Ok(()) => changed.iter().for_each(|(session, offset_ms)| session.told_clock(*offset_ms)),
            Err(error) => tracing::warn!(error = %causes(&error), "clocks of workers could not be noted; trying again"),
        }
    }

    async fn bury(&self, dead: Vec<(Incarnation, u64)>) {
        // The others at the next look: those that live are to be counted up in time.
        for (id, counter) in dead.into_iter().take(BURIED_AT_ONCE) {
            match self.store.bury_worker(id, Some(counter)).await {
                Ok(true) => {
                    tracing::warn!(worker.id = %id, "a worker is silent; what it executes is lost");
                    self.forget(id);
                    self.dead.put([id]);
                }
                Ok(false) => {}
                // The next look sees it again.
                Err(error) => {
                    tracing::warn!(error = %causes(&error), worker.id = %id, "a silent worker could not be buried")
                }
            }
        }
    }

    /// Ends a session: its worker hears that it is gone.
    fn forget(&self, id: Incarnation) {
        if let Some(session) = lock(&self.sessions).remove(&id) {
            session.bury();
        }
    }
}

/// How many workers are buried between two counts.
const BURIED_AT_ONCE: usize = 100;
/// How many clocks of workers are noted between two counts.
const CLOCKS_AT_ONCE: usize = 200;
/// How long a poll is held at most.
const HOLD: Duration = Duration::from_millis(HOLD_MS);
