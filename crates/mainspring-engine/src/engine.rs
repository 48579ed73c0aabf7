//! Starting and stopping an engine over a store.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use mainspring_core::batch::Queues;
use mainspring_core::cluster::{Status, UnsafeTimes, is_older};
use mainspring_core::jump::Jump;
use mainspring_core::lane::Lane;
use mainspring_core::{Incarnation, JobId, Timestamp};
use mainspring_store::{LEAST_VERSION, NodeInfo, Store, StoreWarning, causes};
use mainspring_tasks::{Ended, HttpCall, LogLimits, TaskError, TaskRunner};
use tokio::sync::{broadcast, watch};
use tokio::task::JoinSet;

use crate::ahead::Ahead;
use crate::backfills::{BackfillWake, Backfills};
use crate::clock::{Clock, GuardedClock, RightTime, SystemClock, boot_ms};
use crate::cluster::{Terms, VERSION};
use crate::control::Control;
use crate::definitions::Definitions;
use crate::driver::{DriverState, Stop, lost_runs};
use crate::flow::{FlowHandlers, Flows};
use crate::handler::Handlers;
use crate::health::Health;
use crate::kept_lateness::{self, Keeper};
use crate::lanes::LaneWatch;
use crate::lateness::Lateness;
use crate::listener::Audience;
use crate::log_lane::LogLane;
use crate::metrics::Metrics;
use crate::naming;
use crate::node::Node;
use crate::notice::Notice;
use crate::output::Outputs;
use crate::pool::Tools;
use crate::process::Processes;
use crate::queues::QueueWatch;
use crate::random::new_incarnation;
use crate::retention::Retention;
use crate::rollup::Roller;
use crate::sampler::Sampler;
use crate::settings::{NodeName, Settings};
use crate::workers::Workers;
use crate::workflows::Workflows;

/// More than the clocks of the earth are apart: an update of the tz database moves no instant by more.
const AHEAD_MS: i64 = 27 * 3_600_000;

/// Says once what of the store puts at risk what it keeps.
async fn warn(store: Arc<dyn Store>) {
    match store.warnings().await {
        Ok(warnings) => {
            for StoreWarning { code, message, hint } in warnings {
                tracing::warn!(code, hint, "{message}");
            }
        }
        Err(mainspring_store::Error::Closed) => {}
        Err(error) => tracing::warn!(error = %causes(&error), "the store's settings could not be looked at"),
    }
}

/// Why an engine could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store refused.
    #[error(transparent)]
    Store(#[from] mainspring_store::Error),
    /// The store is kept for newer versions.
    #[error(
        "this is mainspring {version}, and the store is for version {least} and newer; nothing was changed: upgrade this node"
    )]
    TooOld {
        /// What runs here.
        version: &'static str,
        /// What may work on the store.
        least: String,
    },
    /// The settings of processes and HTTP calls cannot be used.
    #[error("cannot execute tasks: {0}")]
    Tasks(#[from] mainspring_tasks::SettingsError),
    /// The times of the cluster do not fit each other.
    #[error("cannot share the store with other nodes: {0}")]
    Times(#[from] UnsafeTimes),
}

/// A running engine: it fires what is due and executes it, until it is stopped or dropped.
///
/// Where nodes share the store, one that is stopped hands its shards over first. One that is dropped is as good as dead: the
/// others find that out and take over.
pub struct Engine {
    control: Control,
    clock: Arc<dyn Clock>,
    metrics: Arc<Metrics>,
    health: Arc<Health>,
    handlers: Arc<Handlers>,
    processes: Option<Arc<Processes>>,
    notices: broadcast::Sender<Notice>,
    store: Arc<dyn Store>,
    kill_grace: Duration,
    stop: watch::Sender<Stop>,
    poke: watch::Sender<u64>,
    state: watch::Receiver<DriverState>,
    incarnation: watch::Receiver<Incarnation>,
    status: watch::Receiver<Option<Arc<Status>>>,
    workers: Workers,
    queues: Queues,
    set: QueueWatch,
    lanes: LaneWatch,
    flows: Flows,
    flow_handlers: Arc<FlowHandlers>,
    running: JoinSet<()>,
    /// One task for each listener.
    listening: JoinSet<()>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("incarnation", &self.incarnation()).finish_non_exhaustive()
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
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let clock = if store.cluster().is_none() { Arc::new(GuardedClock::new(clock)) } else { clock };
        Self::start_with(store, settings, clock, Arc::default()).await
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
        if let Some(least) = store.setting(LEAST_VERSION).await?.filter(|least| is_older(VERSION, least)) {
            return Err(StartError::TooOld { version: VERSION, least });
        }
        let shared = store.cluster().is_some();
        if shared {
            crate::cluster::check(&settings)?;
        }
        let incarnation = new_incarnation();
        let metrics = Arc::new(Metrics::new(settings.keep_entries));
        let definitions =
            Definitions::new(Arc::clone(&store), Arc::clone(&clock), settings.defaults, Arc::clone(&metrics));
        let definitions = Arc::new(definitions);
        let silence_max = shared.then(|| crate::cluster::frozen(&settings.cluster, settings.kill_grace));
        let log_limits = settings.tasks.as_ref().map_or_else(LogLimits::default, |tasks| tasks.log);
        let runner = settings.tasks.map(TaskRunner::new).transpose()?;
        let processes = runner.map(|runner| Arc::new(Processes::new(runner, silence_max)));
        // Where nodes share the store, those who are there find out whose runs are lost.
        let lost = if shared { Vec::new() } else { lost_runs(&*store, &definitions, incarnation, clock.now()).await? };
        if !lost.is_empty() {
            tracing::warn!(runs = lost.len(), "runs of an earlier process were lost");
        }
        let (status_sender, status) = watch::channel(None);
        // Nodes whose clocks are off by less fire by them, and what came of that is told by the same clock.
        let time = RightTime::new(Arc::clone(&clock), status.clone(), settings.cluster.clock_leave_ms);
        let (short, is_short) = watch::channel(false);
        let (logs, log_task) = LogLane::new(Arc::clone(&store), Arc::clone(&clock), time.clone(), is_short);
        let (notices, _) = broadcast::channel(4_096);
        let audience = Audience::new(settings.listeners, Arc::clone(&definitions), settings.listener_limit);
        let listening = audience.listen(|| notices.subscribe());
        let lanes = LaneWatch::start(Arc::clone(&store), Arc::clone(&metrics)).await?;
        let set = QueueWatch::start(Arc::clone(&store)).await?;
        let backfills = BackfillWake::default();
        let workflows = Workflows::new(
            Arc::clone(&store),
            Arc::clone(&definitions),
            lanes.clone(),
            time.clone(),
            Arc::clone(&metrics),
            backfills.clone(),
            notices.clone(),
        );
        let control = Control {
            workflows: workflows.clone(),
            backfills: backfills.clone(),
            store: Arc::clone(&store),
            clock: Arc::clone(&clock),
            time: RightTime::new(Arc::clone(&clock), status.clone(), settings.cluster.clock_warn_ms),
            definitions: Arc::clone(&definitions),
            log_appended: logs.appended.clone(),
            calendars: Arc::default(),
            notices: notices.clone(),
            lanes: lanes.clone(),
            limits: set.subscribe(),
        };
        if let Err(error) = control.rearm_stranded().await {
            tracing::error!(error = %causes(&error), "delays that wait for runs which are over could not be set going");
        }
        let mut running = JoinSet::new();
        running.spawn(log_task.run());
        let retention = Retention::new(
            Arc::clone(&store),
            Arc::clone(&clock),
            time.clone(),
            settings.retention,
            Arc::clone(&metrics),
        );
        running.spawn(retention.run());
        let (samples, samples_clock, sampled) = (Arc::clone(&store), Arc::clone(&clock), Arc::clone(&metrics));
        running.spawn(Sampler { store: samples, clock: samples_clock, metrics: sampled, short }.run());
        let (rolled, rolling_clock, rolls) = (Arc::clone(&store), Arc::clone(&clock), Arc::clone(&metrics));
        running.spawn(Roller { store: rolled, clock: rolling_clock, metrics: rolls, incarnation }.run());
        running.spawn(warn(Arc::clone(&store)));
        let (looked, marks) = (Arc::clone(&store), Arc::clone(&metrics));
        running.spawn(Ahead { store: looked, time: time.clone(), metrics: marks }.run());
        let (stop, stop_receiver) = watch::channel(Stop::No);
        let (poke, poked) = watch::channel(0);
        let (state_sender, state) = watch::channel(DriverState::default());
        let (incarnation_sender, incarnation) = watch::channel(incarnation);
        let health = Arc::new(Health::new(notices.clone()));
        let NodeName { name, address } = settings.node;
        if !name.is_empty() {
            running.spawn(naming::tell(Arc::clone(&store), incarnation.clone(), name.clone()));
        }
        if shared {
            let (store, clock, metrics) = (Arc::clone(&store), Arc::clone(&clock), Arc::clone(&metrics));
            running.spawn(Keeper { store, clock, metrics, incarnation: incarnation.clone(), name: name.clone() }.run());
        }
        let outputs = Outputs { store: Arc::clone(&store), clock: Arc::clone(&clock) };
        let tools = Tools {
            time,
            handlers: Arc::clone(&handlers),
            audience,
            definitions,
            processes: processes.clone(),
            logs,
            outputs,
            metrics: Arc::clone(&metrics),
            kill_grace: settings.kill_grace,
            state: Arc::new(settings.state),
            log_limits,
        };
        let workers = Workers::new(&tools, incarnation.clone(), lanes.clone(), workflows.clone());
        let remote = workers.clone();
        running.spawn(lanes.clone().keep(move || remote.running()));
        running.spawn(workers.clone().keep());
        running.spawn(workers.clone().check());
        running.spawn(set.clone().keep());
        running.spawn(workers.clone().route());
        running.spawn(workflows.clone().run());
        let due = Backfills {
            store: Arc::clone(&store),
            definitions: Arc::clone(&tools.definitions),
            lanes: lanes.clone(),
            limits: set.subscribe(),
            time: tools.time.clone(),
            metrics: Arc::clone(&metrics),
            workflows: workflows.clone(),
            wake: backfills.clone(),
        };
        running.spawn(due.run());
        let mut planner = settings.planner;
        planner.ahead_ms.get_or_insert(AHEAD_MS);
        if shared {
            planner.poll_every_ms.get_or_insert(crate::cluster::POLL_EVERY_MS);
            planner.check_every_ms.get_or_insert(crate::cluster::CHECK_EVERY_MS);
            planner.held_every_ms.get_or_insert(crate::cluster::HELD_EVERY_MS);
        }
        let node = Node {
            terms: Terms {
                store: Arc::clone(&store),
                clock: Arc::clone(&clock),
                about: NodeInfo { name, address, version: VERSION.to_owned() },
                settings: settings.cluster,
                give_up_ms: crate::cluster::give_up_ms(&settings.cluster, settings.kill_grace),
                metrics: Arc::clone(&metrics),
                status: status_sender,
            },
            planner,
            queues: settings.queues.clone(),
            set: set.clone(),
            lanes: lanes.clone(),
            workers: workers.clone(),
            workflows: workflows.clone(),
            backfills,
            clock: Arc::clone(&clock),
            tools,
            health: Arc::clone(&health),
            notices: notices.clone(),
            stop: stop_receiver,
            poke: poked,
            state: state_sender,
            incarnation: incarnation_sender,
        };
        let flow_handlers = Arc::<FlowHandlers>::default();
        let flow_tools = crate::flow::Tools {
            clock: Arc::clone(&clock),
            processes: processes.clone(),
            control: Some(control.clone()),
            handlers: Arc::clone(&flow_handlers),
            idle_check: settings.flow_idle_check,
            metrics: Arc::clone(&metrics),
            kill_grace: settings.kill_grace,
            inbox_look_ms: crate::flow::INBOX_LOOK_MS,
        };
        let (flows, works) = Flows::new(Arc::clone(&store), flow_tools, status.clone());
        running.spawn(works.run());
        running.spawn(node.run(lost));
        let _ = notices.send(Notice::Started);
        let kill_grace = settings.kill_grace;
        Ok(Self {
            control,
            clock,
            metrics,
            health,
            handlers,
            processes,
            notices,
            store,
            kill_grace,
            stop,
            poke,
            state,
            incarnation,
            status,
            workers,
            queues: settings.queues,
            set,
            lanes,
            flows,
            flow_handlers,
            running,
            listening,
        })
    }

    /// Which queues this node's own slots take runs from.
    #[must_use]
    pub const fn queues(&self) -> &Queues {
        &self.queues
    }

    /// Says that something was set for a queue, so that this node heeds it now; the others do so within a second.
    pub fn queues_changed(&self) {
        self.set.poke();
    }

    /// What is known of how long the runs of a job take.
    #[must_use]
    pub fn lane(&self, job: JobId) -> Option<Lane> {
        self.lanes.known().of(job).map(|known| known.lane)
    }

    /// How many of so many slots runs of jobs may take that are not known to be short, where runs are taken from these queues.
    #[must_use]
    pub fn slow_max(&self, queues: &Queues, slots: u32) -> u32 {
        self.lanes.known().slow_max(queues, slots)
    }

    /// Workers of other machines.
    #[must_use]
    pub const fn workers(&self) -> &Workers {
        &self.workers
    }

    /// Handlers of flows by name; more can be registered at any time.
    #[must_use]
    pub const fn flow_handlers(&self) -> &Arc<FlowHandlers> {
        &self.flow_handlers
    }

    /// Flows at work.
    #[must_use]
    pub const fn flows(&self) -> &Flows {
        &self.flows
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

    /// Whether [`Engine::call`] makes HTTP calls: this engine executes such tasks.
    #[must_use]
    pub const fn makes_calls(&self) -> bool {
        self.processes.is_some()
    }

    /// Returns why an HTTP call to this address is never made here, as far as the address itself tells: the rules for addresses
    /// of HTTP tasks. Names are looked up when a call is made.
    #[cfg(feature = "http")]
    #[must_use]
    pub fn denies_call(&self, url: &str) -> Option<String> {
        self.processes.as_ref()?.denies(url)
    }

    /// Makes an HTTP call as HTTP tasks do, with their rules for addresses; of the answer only the status counts. Nothing is
    /// called where no such tasks are executed.
    pub async fn call(&self, call: HttpCall) -> Option<Ended> {
        Some(self.processes.as_ref()?.call(call).await)
    }

    /// The same, with the beginning of the answer's body: about 64 KiB, without ends of lines.
    pub async fn exchange(&self, call: HttpCall) -> Option<(Ended, String)> {
        Some(self.processes.as_ref()?.exchange(call).await)
    }

    /// Finds the addresses of a host that HTTP tasks may reach, for those who speak another protocol there. Nothing where no such
    /// tasks are executed.
    pub async fn outbound_addresses(&self, host: &str, port: u16) -> Option<Result<Vec<SocketAddr>, TaskError>> {
        Some(self.processes.as_ref()?.addresses(host, port).await)
    }

    /// The id of this start. In a cluster, an engine that was taken for dead comes back under another one.
    #[must_use]
    pub fn incarnation(&self) -> Incarnation {
        *self.incarnation.borrow()
    }

    /// What this node sees of the cluster; nothing where it is alone, and before its first try to join.
    #[must_use]
    pub fn cluster_status(&self) -> Option<Arc<Status>> {
        self.status.borrow().clone()
    }

    /// Hears whenever that changes.
    #[must_use]
    pub fn watch_cluster(&self) -> watch::Receiver<Option<Arc<Status>>> {
        self.status.clone()
    }

    /// Waits until the store is for newer versions only, and answers which. The engine drains by then; whoever runs it ends it.
    pub async fn too_old(&self) -> String {
        let least = |status: &Option<Arc<Status>>| {
            status.as_ref().and_then(|status| status.least_version.clone()).filter(|least| is_older(VERSION, least))
        };
        let mut status = self.watch_cluster();
        loop {
            if let Some(least) = least(&status.borrow_and_update()) {
                return least;
            }
            if status.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Whether it takes part: an engine that is alone always, one of a cluster while it is a member that trusts its lease.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        let joined = |status: &Status| {
            let there = status.nodes.iter().any(|node| node.row.incarnation == status.incarnation);
            there && status.trusted && status.abandoned.is_none() && status.incarnation == self.incarnation()
        };
        self.store.cluster().is_none() || self.cluster_status().is_some_and(|status| joined(&status))
    }

    /// How late handlers were entered in this process during the last minutes.
    #[must_use]
    pub fn lateness(&self) -> Lateness {
        self.metrics.recent.at(self.clock.now())
    }

    /// The same of another node, by its name, and when that was; nothing if this start of it has not told yet.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn lateness_of(
        &self,
        node: &str,
        incarnation: Incarnation,
    ) -> Result<Option<(Timestamp, Lateness)>, mainspring_store::Error> {
        kept_lateness::of_node(&*self.store, node, incarnation).await
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

    /// How long ago that is, by the clock that nobody sets; nothing if it has not looked yet.
    #[must_use]
    pub fn ticked_ms_ago(&self) -> Option<u64> {
        let state = self.state.borrow();
        state.ticked_at.map(|_| boot_ms().saturating_sub(state.ticked_ms))
    }

    /// The jump of the machine's clock that is not believed, if there is any.
    #[must_use]
    pub fn clock_jump(&self) -> Option<Jump> {
        self.clock.jump()
    }

    /// How many triggers have records of the future, because a clock was ahead, and are silent until the last of them; counted up
    /// to a thousand.
    #[must_use]
    pub fn triggers_ahead(&self) -> u32 {
        u32::try_from(self.metrics.triggers_ahead.get()).unwrap_or(0)
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

    /// Waits until nothing runs and nothing is to be recorded; after [`Self::drain`], until no body of a flow runs, too.
    pub async fn idle(&self) {
        let mut state = self.state.clone();
        settled(&mut state).await;
        if self.is_draining() {
            self.flows.drained().await;
            // A body may have started a run as its last deed.
            settled(&mut state).await;
        }
    }

    /// Starts nothing new from now on; what runs goes on.
    pub fn drain(&self) {
        self.workers.drain();
        self.flows.drain();
        let _ = self.notices.send(Notice::Draining);
        self.stop_at_least(Stop::Drain);
    }

    /// Whether the engine starts nothing new.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        *self.stop.borrow() >= Stop::Drain
    }

    fn stop_at_least(&self, stop: Stop) {
        self.stop.send_if_modified(|now| std::mem::replace(now, stop.max(*now)) < stop);
    }

    /// Stops: starts nothing new, lets runs and bodies of flows finish within `grace`, then cancels the rest, and closes the store.
    /// Items of bodies that were cancelled are delivered again by whoever runs the flow next.
    ///
    /// # Errors
    /// If the store could not be closed. Nothing acknowledged is lost by that.
    pub async fn stop(mut self, grace: Duration) -> Result<Stopped, mainspring_store::Error> {
        self.drain();
        let mut state = self.state.clone();
        let running = |state: &watch::Receiver<DriverState>| state.borrow().running;
        let mut stopped = Stopped::Clean;
        let idle = async |state: &mut watch::Receiver<DriverState>| {
            settled(state).await;
            self.flows.drained().await;
            settled(state).await;
        };
        if tokio::time::timeout(grace, idle(&mut state)).await.is_err() {
            stopped = Stopped::Cancelled(running(&state));
            self.stop_at_least(Stop::Cancel);
            self.flows.end_bodies();
            let _ = tokio::time::timeout(self.kill_grace * 2, idle(&mut state)).await;
        }
        self.stop_at_least(Stop::Over);
        // The other end is dropped when the node has taken its leave.
        let _ = tokio::time::timeout(LEAVE_MAX, state.wait_for(|_| false)).await;
        let _ = self.notices.send(Notice::Stopped);
        let heard = async { while self.listening.join_next().await.is_some() {} };
        if tokio::time::timeout(LEAVE_MAX, heard).await.is_err() {
            tracing::warn!("listeners did not hear all that happened before the engine stopped");
        }
        self.running.shutdown().await;
        self.store.close().await?;
        Ok(stopped)
    }
}

/// Waits until no run goes on. It must not hold on to what it sees: whoever publishes that would wait for it.
async fn settled(state: &mut watch::Receiver<DriverState>) {
    let _ = state.wait_for(|state| state.idle).await;
}

/// How long a node may take to tell the others that it goes, and its listeners to hear of it.
const LEAVE_MAX: Duration = Duration::from_secs(8);
