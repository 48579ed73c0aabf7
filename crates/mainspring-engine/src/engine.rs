//! Starting and stopping an engine over a store.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mainspring_core::compile::Defaults;
use mainspring_core::planner::{self, Event, Planner};
use mainspring_core::{Incarnation, Timestamp};
use mainspring_store::Store;
use mainspring_tasks::TaskRunner;
use tokio::sync::{broadcast, mpsc, watch};
use tokio::task::JoinSet;

use crate::clock::{Clock, SystemClock};
use crate::control::Control;
use crate::definitions::Definitions;
use crate::driver::{Driver, DriverState, lost_runs};
use crate::handler::Handlers;
use crate::health::Health;
use crate::log_lane::LogLane;
use crate::metrics::Metrics;
use crate::notice::Notice;
use crate::pool::Pool;
use crate::process::Processes;
use crate::retention::{Retention, RetentionRule};
use crate::tasks::Tasks;

/// How an engine is to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bounds of the planner.
    pub planner: planner::Settings,
    /// What holds where a trigger says nothing.
    pub defaults: Defaults,
    /// How processes and HTTP calls are done; without it, tasks of those kinds fail.
    pub tasks: Option<mainspring_tasks::Settings>,
    /// From asking a run to end until it is ended.
    pub kill_grace: Duration,
    /// What is deleted when.
    pub retention: RetentionRule,
    /// Keep every lateness, for a benchmark.
    pub exact_lateness: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            planner: planner::Settings::default(),
            defaults: Defaults::default(),
            tasks: None,
            kill_grace: Duration::from_secs(10),
            retention: RetentionRule::default(),
            exact_lateness: false,
        }
    }
}

impl Settings {
    /// Lets the engine execute shell lines, programs and HTTP calls, with private folders under `work_root`.
    #[must_use]
    pub fn with_tasks(mut self, work_root: impl Into<PathBuf>) -> Self {
        self.tasks = Some(mainspring_tasks::Settings::new(work_root));
        self
    }
}

/// Why an engine could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store refused.
    #[error(transparent)]
    Store(#[from] mainspring_store::Error),
    /// The settings of processes and HTTP calls cannot be used.
    #[error("cannot execute tasks: {0}")]
    Tasks(#[from] mainspring_tasks::SettingsError),
}

/// A running engine: it fires what is due and executes it, until it is stopped or dropped.
pub struct Engine {
    control: Control,
    metrics: Arc<Metrics>,
    health: Arc<Health>,
    handlers: Arc<Handlers>,
    notices: broadcast::Sender<Notice>,
    pool: Arc<Pool>,
    store: Arc<dyn Store>,
    drain: watch::Sender<bool>,
    poke: watch::Sender<u64>,
    state: watch::Receiver<DriverState>,
    incarnation: Incarnation,
    running: JoinSet<()>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("incarnation", &self.incarnation).finish_non_exhaustive()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.pool.tasks.abort();
    }
}

/// How a shutdown went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// Every run had ended.
    Clean,
    /// The grace period was over: so many runs were cancelled.
    Cancelled(u32),
}

impl Engine {
    /// Starts over a store, on the machine's clock.
    ///
    /// # Errors
    /// If the store cannot be read, or the settings of tasks cannot be used. Nothing runs then.
    pub async fn start(store: Arc<dyn Store>, settings: Settings) -> Result<Self, StartError> {
        Self::start_with(store, settings, Arc::new(SystemClock), Arc::default()).await
    }

    /// Starts over a store, on a given clock and with handlers registered before.
    ///
    /// # Errors
    /// See [`Engine::start`].
    pub async fn start_with(
        store: Arc<dyn Store>,
        settings: Settings,
        clock: Arc<dyn Clock>,
        handlers: Arc<Handlers>,
    ) -> Result<Self, StartError> {
        let now = clock.now();
        let incarnation = new_incarnation();
        let metrics = Arc::new(Metrics::new(settings.exact_lateness));
        let definitions = Arc::new(Definitions::new(Arc::clone(&store), Arc::clone(&clock), settings.defaults));
        let processes = settings.tasks.map(TaskRunner::new).transpose()?.map(Processes::new);
        let lost = lost_runs(&*store, &definitions, incarnation, now).await?;
        if !lost.is_empty() {
            tracing::warn!(runs = lost.len(), "runs of an earlier process were lost");
        }
        let (logs, log_task) = LogLane::new(Arc::clone(&store), Arc::clone(&clock));
        let control =
            Control::new(Arc::clone(&store), Arc::clone(&clock), Arc::clone(&definitions), logs.appended.clone());
        if let Err(error) = control.rearm_stranded().await {
            tracing::error!(%error, "delays that wait for runs which are over could not be set going");
        }
        let pool = Arc::new(Pool::new(
            Arc::clone(&clock),
            Arc::clone(&handlers),
            Arc::clone(&definitions),
            processes,
            logs,
            Arc::clone(&metrics),
            settings.kill_grace,
        ));
        let mut running = JoinSet::new();
        running.spawn(log_task.run());
        for _ in 0..workers() {
            running.spawn(Arc::clone(&pool).work());
        }
        let retention = Retention::new(Arc::clone(&store), Arc::clone(&clock), settings.retention);
        running.spawn(retention.run());
        let (notices, _) = broadcast::channel(4_096);
        let (drain, drained) = watch::channel(false);
        let (poke, poked) = watch::channel(0);
        let (state_sender, state) = watch::channel(DriverState::default());
        let inbox = mpsc::unbounded_channel();
        inbox.0.send(Event::Lost(lost)).expect("the other end is beside it");
        let health = Arc::<Health>::default();
        let driver = Driver {
            incarnation,
            planner: Planner::new(settings.planner, incarnation, now),
            store: Arc::clone(&store),
            clock,
            definitions,
            pool: Arc::clone(&pool),
            metrics: Arc::clone(&metrics),
            health: Arc::clone(&health),
            notices: notices.clone(),
            tasks: Tasks::default(),
            inbox,
            drain: drained,
            told_drain: false,
            poke: poked,
            state: state_sender,
        };
        running.spawn(driver.run());
        let _ = notices.send(Notice::Started);
        Ok(Self { control, metrics, health, handlers, notices, pool, store, drain, poke, state, incarnation, running })
    }

    /// What changes and asks: jobs, triggers, runs, calendars.
    #[must_use]
    pub const fn control(&self) -> &Control {
        &self.control
    }

    /// The store.
    #[must_use]
    pub const fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The engine's figures.
    #[must_use]
    pub const fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// Handlers by name; more can be registered at any time.
    #[must_use]
    pub const fn handlers(&self) -> &Arc<Handlers> {
        &self.handlers
    }

    /// The id of this start.
    #[must_use]
    pub const fn incarnation(&self) -> Incarnation {
        self.incarnation
    }

    /// Hears what happens from now on.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Notice> {
        self.notices.subscribe()
    }

    /// When the engine last looked for what is due. Old by seconds only if something is very wrong.
    #[must_use]
    pub fn ticked_at(&self) -> Option<Timestamp> {
        self.state.borrow().ticked_at
    }

    /// Why the store does not take or give what the engine asks of it, as the last try of each kind showed; a later one
    /// that succeeds ends it. For everyone to read.
    #[must_use]
    pub fn store_trouble(&self) -> Option<String> {
        self.health.trouble()
    }

    /// When the engine will look by itself for what is due.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Timestamp> {
        self.state.borrow().next_wakeup
    }

    /// Waits until every change acknowledged so far is known, everything due by `now` has fired, and nothing runs: for
    /// tests with a manual clock that shows `now`.
    pub async fn settled(&self, now: Timestamp) {
        self.poke.send_modify(|count| *count += 1);
        let poke = *self.poke.borrow();
        let settled = |state: &DriverState| {
            let due = state.next_wakeup.is_none_or(|next| next <= now);
            state.poked >= poke && state.settled && state.ticked_at >= Some(now) && !due
        };
        let _ = self.state.clone().wait_for(settled).await;
    }

    /// Waits until nothing runs and nothing is to be recorded.
    pub async fn idle(&self) {
        let _ = self.state.clone().wait_for(|state| state.idle).await;
    }

    /// Starts nothing new from now on; what runs goes on.
    pub fn drain(&self) {
        let _ = self.notices.send(Notice::Draining);
        self.drain.send_replace(true);
    }

    /// Whether the engine starts nothing new.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        *self.drain.borrow()
    }

    /// Stops: starts nothing new, lets runs finish within `grace`, then cancels the rest, and closes the store.
    ///
    /// # Errors
    /// If the store could not be closed. Nothing acknowledged is lost by that.
    pub async fn stop(mut self, grace: Duration) -> Result<Stopped, mainspring_store::Error> {
        self.drain();
        let mut state = self.state.clone();
        let running = |state: &watch::Receiver<DriverState>| state.borrow().running;
        let mut stopped = Stopped::Clean;
        if tokio::time::timeout(grace, state.wait_for(|state| state.idle)).await.is_err() {
            stopped = Stopped::Cancelled(running(&state));
            self.pool.cancel_all();
            let _ = tokio::time::timeout(self.pool.kill_grace * 2, state.wait_for(|state| state.idle)).await;
        }
        self.running.shutdown().await;
        self.store.close().await?;
        Ok(stopped)
    }
}

fn workers() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

fn new_incarnation() -> Incarnation {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    Incarnation(u128::from_be_bytes(bytes))
}
