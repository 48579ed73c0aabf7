//! Workflow runs: on the node that owns a job's shard, hears the ends of tasks and writes what follows.
//!
//! What is decided is [`live`]'s to say and in memory; what holds is what the store has written. Each step names the turn that it was
//! decided on, so that of two nodes one wins and the other reads again: owning a shard only saves the other's work.
//!
//! The loop is woken by whatever this node records. A look from time to time is for what other nodes record, and counts what it
//! had to catch where there are none.

mod asked;
mod calls;
mod drain;
mod elsewhere;
mod hop;
mod live;
mod plan;
mod rows;
#[cfg(test)]
mod tests;
mod together;
mod values;

use std::sync::atomic::{AtomicBool, AtomicI64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use mainspring_core::cluster::ShardSet;
use mainspring_core::job::Job;
use mainspring_core::rule::Start;
use mainspring_core::run::{RunState, Verdict};
use mainspring_core::workflow::{RunFacts, TaskContext};
use mainspring_core::{JobId, JobVersion, RunId, Timestamp};
use mainspring_store::{Error, Message, Result, Stepped, Store, WorkflowDue, WorkflowRow, WorkflowStep, causes};
use rustc_hash::{FxHashMap, FxHashSet};
use tokio::sync::{Notify, broadcast, watch};

use crate::after::Afters;
use crate::backfills::BackfillWake;
use crate::clock::{RightTime, pause};
use crate::deadlines::Deadlines;
use crate::definitions::Definitions;
use crate::lanes::LaneWatch;
use crate::metrics::{Ending, Metrics};
use crate::notice::Notice;
use elsewhere::Awaits;
pub(crate) use hop::Hop;
use live::Live;
use plan::Plan;
use together::Together;
pub(crate) use values::CODE;

/// How often to look where other nodes may have recorded something, and where not.
const LOOK_SHARED_MS: u64 = 250;
const LOOK_ALONE_MS: u64 = 1_000;
/// How long to wait after the store could not answer.
const RETRY_AFTER_MS: u64 = 250;
/// Runs that are looked for at a time, and messages read of one at a time.
const DUE_MAX: u32 = 256;
const INBOX_MAX: u32 = 5_000;
/// Runs that are advanced at once. What they wait for together is one transaction.
const AT_ONCE: usize = 64;
/// Tasks of all runs in memory together; beyond that, those that are not busy are read again when they are.
const KEPT_MAX: usize = 1_000_000;

/// The workflow runs of this node's shards. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Workflows(Arc<Inner>);

struct Inner {
    store: Arc<dyn Store>,
    definitions: Arc<Definitions>,
    lanes: LaneWatch,
    time: RightTime,
    metrics: Arc<Metrics>,
    backfills: BackfillWake,
    wake: Notify,
    /// Told of runs that steps have queued, where the store tells other nodes alone.
    queued: Notify,
    begins: Together<RunId, bool>,
    rows: Together<RunId, Option<WorkflowRow>>,
    inboxes: Together<RunId, Vec<Message>>,
    steps: Together<WorkflowStep, Stepped>,
    owned: watch::Sender<ShardSet>,
    plans: Mutex<FxHashMap<(JobId, JobVersion), Arc<Plan>>>,
    live: Mutex<FxHashMap<RunId, Live>>,
    /// Runs of which a step is under way that was decided ahead.
    ahead: Mutex<FxHashSet<RunId>>,
    /// Told when that is answered.
    landed: Notify,
    afters: Afters,
    awaits: Awaits,
    /// Runs of which a task needs what this program cannot read, and when to look again.
    puzzled: Mutex<FxHashMap<RunId, (WorkflowDue, Timestamp)>>,
    deadlines: Deadlines,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Workflows {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        definitions: Arc<Definitions>,
        lanes: LaneWatch,
        time: RightTime,
        metrics: Arc<Metrics>,
        backfills: BackfillWake,
        notices: broadcast::Sender<Notice>,
    ) -> Self {
        let deadlines = Deadlines {
            store: Arc::clone(&store),
            time: time.clone(),
            metrics: Arc::clone(&metrics),
            notices,
            next_look: AtomicI64::new(0),
        };
        let afters = Afters {
            store: Arc::clone(&store),
            definitions: Arc::clone(&definitions),
            lanes: lanes.clone(),
            time: time.clone(),
            metrics: Arc::clone(&metrics),
            // Until the first look nobody knows.
            used: AtomicBool::new(true),
            next_look: AtomicI64::new(0),
        };
        let owned = if store.cluster().is_some() { ShardSet::EMPTY } else { ShardSet::ALL };
        Self(Arc::new(Inner {
            store,
            definitions,
            lanes,
            time,
            metrics,
            backfills,
            wake: Notify::new(),
            queued: Notify::new(),
            begins: Together::new(|_| 1, AT_ONCE),
            rows: Together::new(|_| 1, AT_ONCE),
            inboxes: Together::new(|_| 1, AT_ONCE),
            steps: Together::new(|step| step.tasks.len() + step.cancel.len(), live::STEP_MAX),
            owned: watch::Sender::new(owned),
            plans: Mutex::default(),
            live: Mutex::default(),
            ahead: Mutex::default(),
            landed: Notify::new(),
            afters,
            awaits: Awaits::default(),
            puzzled: Mutex::default(),
            deadlines,
        }))
    }

    /// Says that a workflow run may have something to do.
    pub(crate) fn wake(&self) {
        self.0.wake.notify_one();
    }

    /// Says that runs have ended, after which others may have to start, and for which tasks may wait.
    pub(crate) fn wake_afters(&self) {
        if self.0.afters.is_used() || self.0.awaits.is_used() {
            self.wake();
        }
    }

    /// Waits until steps have queued runs that this node may claim.
    pub(crate) async fn queued(&self) {
        self.0.queued.notified().await;
    }

    /// Says which shards this node owns.
    pub(crate) fn own(&self, shards: ShardSet) {
        if self.0.owned.send_if_modified(|owned| std::mem::replace(owned, shards) != shards) {
            // Runs of the new ones may wait.
            self.0.awaits.note();
        }
    }

    /// The shards that this node owns.
    pub(crate) fn owned(&self) -> watch::Receiver<ShardSet> {
        self.0.owned.subscribe()
    }

    /// Does what is due now. What the store refuses of one kind keeps the others from nothing.
    async fn look(&self, shards: ShardSet, late: bool) -> Result<()> {
        loop {
            let advanced = self.0.pass(shards, late).await;
            let made = self.0.afters.pass(shards).await;
            if matches!(made, Ok(true)) {
                self.wake();
            }
            let told = self.0.deadlines.pass().await;
            self.0.see_whether_awaited().await?;
            let more = advanced?;
            made?;
            told?;
            if !more {
                return Ok(());
            }
        }
    }

    /// Advances what is due, whenever there is something. Never ends.
    pub(crate) async fn run(self) {
        let mut owned = self.0.owned.subscribe();
        let alone = self.0.store.cluster().is_none();
        let every_ms = if alone { LOOK_ALONE_MS } else { LOOK_SHARED_MS };
        // What an earlier process has left.
        let mut woken = true;
        loop {
            let shards = *owned.borrow_and_update();
            let looked = if shards.is_empty() { Ok(()) } else { self.look(shards, alone && !woken).await };
            match looked {
                Ok(()) => {}
                Err(Error::Closed) => return,
                Err(error) => {
                    tracing::error!(error = %causes(&error), "workflow runs could not be advanced; trying again");
                    pause(RETRY_AFTER_MS).await;
                    woken = true;
                    continue;
                }
            }
            woken = tokio::select! {
                biased;
                () = self.0.wake.notified() => true,
                Ok(()) = owned.changed() => {
                    lock(&self.0.live).clear();
                    lock(&self.0.puzzled).clear();
                    true
                }
                () = pause(every_ms) => false,
            };
        }
    }
}

impl Inner {
    /// Advances what is due now. Answers whether there may be more. `late` says that nobody has told of it.
    async fn pass(&self, shards: ShardSet, late: bool) -> Result<bool> {
        let due = self.store.workflows_due(shards, DUE_MAX).await?;
        if late && !due.is_empty() {
            self.metrics.workflows_rescued.inc_by(due.len() as u64);
        }
        let full = due.len() >= DUE_MAX as usize;
        let again = self.to_look_again();
        let again = again.into_iter().filter(|it| due.iter().all(|due| due.run != it.run)).collect::<Vec<_>>();
        let mut due = due.into_iter().chain(again);
        let mut under_way: FuturesUnordered<_> = due.by_ref().take(AT_ONCE).map(|due| self.advance(due)).collect();
        let (mut failed, mut any) = (None, false);
        while let Some(done) = under_way.next().await {
            match done {
                Ok(done) => any |= done,
                Err(error) => failed = Some(error),
            }
            under_way.extend(due.next().map(|due| self.advance(due)));
        }
        self.tidy();
        match failed {
            Some(error) => Err(error),
            None => Ok(full && any),
        }
    }

    /// Lets go of runs in memory if there are too many.
    fn tidy(&self) {
        let mut live = lock(&self.live);
        let mut weight: usize = live.values().map(Live::weight).sum();
        if weight > KEPT_MAX {
            live.retain(|_, run| {
                let keep = weight <= KEPT_MAX;
                weight -= if keep { 0 } else { run.weight() };
                keep
            });
        }
        self.metrics.workflows_live.set(i64::try_from(live.len()).unwrap_or(i64::MAX));
    }

    /// Begins a run if it waits for that, and writes what follows from what it has heard. False: this program cannot read it.
    async fn advance(&self, due: WorkflowDue) -> Result<bool> {
        let plan = match self.plan(due.job, due.job_version).await {
            Ok(plan) => plan,
            // A newer program may have written it, and another node can.
            Err(Error::Unusable { why, .. }) => {
                tracing::error!(run.id = %due.run, why, "the definition of a workflow run cannot be read; it waits");
                return Ok(false);
            }
            // The job was deleted with its runs.
            Err(Error::NotFound { .. }) => return Ok(true),
            Err(error) => return Err(error),
        };
        let begin = |runs| self.store.begin_workflows(runs, self.time.now());
        if due.begins && !self.begins.ask(&due.run, begin).await? {
            return Ok(true);
        }
        // What is in memory goes once; what is read then is of a turn that somebody has written.
        while !self.try_advance(due, &plan).await? {}
        Ok(true)
    }

    /// The same once. False: somebody else has written it meanwhile.
    async fn try_advance(&self, due: WorkflowDue, plan: &std::result::Result<Arc<Plan>, String>) -> Result<bool> {
        self.wait_for_hop(due.run).await;
        let known = lock(&self.live).remove(&due.run);
        let (mut live, messages) = match known {
            Some(live) => {
                let read = |runs| self.store.workflow_inboxes(runs, INBOX_MAX);
                (live, self.inboxes.ask(&due.run, read).await?)
            }
            None => {
                let read = |runs| self.store.workflows(runs, INBOX_MAX);
                let Some(row) = self.rows.ask(&due.run, read).await? else { return Ok(true) };
                match plan {
                    _ if row.ended.is_some() => return Ok(true),
                    Ok(plan) => (self.load(plan, &row).await?, row.inbox),
                    Err(why) => return self.give_up(&row, why).await,
                }
            }
        };
        let full = messages.len() >= INBOX_MAX as usize;
        let now = self.time.now();
        messages.into_iter().for_each(|message| live.hear(message, now));
        live.look_again();
        let line = |job: &Job| self.lanes.line(due.job, job);
        // It is due: the first step says that this was heard, even if nothing follows.
        let mut anyway = true;
        loop {
            self.look_elsewhere(&mut live).await?;
            self.decide(&mut live).await?;
            self.leave(&mut live).await?;
            let Some(step) = live.step(line, self.time.now(), anyway) else { break };
            anyway = false;
            let written = self.steps.ask(&step, |steps| self.store.step_workflows(steps)).await?;
            let Stepped::Written(runs) = written else { return Ok(false) };
            if !runs.is_empty() && self.store.cluster().is_some() {
                self.queued.notify_one();
            }
            self.metrics.workflow_steps.inc();
            self.tell_waiting(&step);
            if let Some((verdict, _)) = &step.end {
                self.ended(*verdict);
                // Another run may have its slot now.
                self.wake.notify_one();
                return Ok(true);
            }
            live.written(&step, &runs);
            let refused = self.ask_calls(&mut live).await?;
            if !refused && !live.has_more() {
                if !step.more {
                    break;
                }
                // The runs that its rows name are there now: it is not due any more.
                anyway = true;
            }
        }
        self.note_puzzled(due, &live);
        lock(&self.live).insert(due.run, live);
        if full {
            self.wake.notify_one();
        }
        Ok(true)
    }

    /// Decides until nothing follows any more, or the step is full.
    async fn decide(&self, live: &mut Live) -> Result<()> {
        loop {
            live.advance();
            let asks = live.asks();
            if asks.is_empty() {
                return Ok(());
            }
            for task in asks {
                let answer = values::ask(&*self.store, live, task, false, self.time.now()).await?;
                let answer = self.find_fire(live, task, answer).await?;
                live.answer(task, answer);
            }
        }
    }

    /// A run as its rows say.
    async fn load(&self, plan: &Arc<Plan>, row: &WorkflowRow) -> Result<Live> {
        let mut live = Live::new(Arc::clone(plan), row);
        self.date(&mut live).await?;
        for task in live.unknown() {
            let answer = values::ask(&*self.store, &live, task, true, self.time.now()).await?;
            live.know(task, answer);
        }
        if row.tasks.iter().any(|task| task.generation > 0) {
            live.drain(drain::unfinished(&*self.store, plan.workflow(), row.run).await?.into_iter());
        }
        self.load_calls(&mut live).await?;
        self.load_needed(&mut live).await?;
        // What is refused follows with the first step.
        self.ask_calls(&mut live).await?;
        Ok(live)
    }

    /// Reads what a run leaves that is about to succeed.
    async fn leave(&self, live: &mut Live) -> Result<()> {
        if live.is_about_to_succeed() && live.plan.has_outputs() {
            let left = values::left(&*self.store, live).await?;
            live.leave(left);
        }
        Ok(())
    }

    /// Reads the dates of a run that its tasks ask for.
    async fn date(&self, live: &mut Live) -> Result<()> {
        if live.plan.asks_interval() {
            let named = live.plan.job().logical_date;
            (live.dates, live.is_dated) = self.definitions.dates(live.run, None, live.fire_time, named).await?;
            live.facts = RunFacts::dated(live.run, &live.dates);
        }
        Ok(())
    }

    /// What runs of a version go by; or why it is no workflow.
    async fn plan(&self, job: JobId, version: JobVersion) -> Result<std::result::Result<Arc<Plan>, String>> {
        let known = lock(&self.plans).get(&(job, version)).cloned();
        if let Some(known) = known {
            return Ok(Ok(known));
        }
        let definition = self.definitions.definition(job, version).await?;
        let plan = match Plan::new(definition) {
            Ok(plan) => Arc::new(plan),
            Err(why) => return Ok(Err(why)),
        };
        let mut plans = lock(&self.plans);
        if plans.values().map(|plan| plan.tasks() as usize).sum::<usize>() > KEPT_MAX {
            plans.clear();
        }
        plans.insert((job, version), Arc::clone(&plan));
        Ok(Ok(plan))
    }

    /// Ends a run whose definition is no workflow. False: somebody else has written it meanwhile.
    async fn give_up(&self, row: &WorkflowRow, why: &str) -> Result<bool> {
        tracing::error!(run.id = %row.run, job = %row.key, why, "a workflow run ends: its definition cannot be used");
        let live = row.tasks.iter().filter(|task| !task.state.is_final()).filter_map(|task| task.child);
        let reason = format!("the workflow's definition cannot be used: {why}");
        let step = WorkflowStep {
            run: row.run,
            turn: row.turn,
            heard: row.inbox.iter().map(|message| message.id).collect(),
            tasks: Vec::new(),
            cancel: live.map(|child| (child, reason.clone())).collect(),
            stop: row.stop,
            paused: row.paused,
            more: false,
            end: Some((Verdict::Failed, Some(reason.clone()))),
            output: None,
            limit: None,
            awaits: Vec::new(),
            settled: Vec::new(),
            over: Vec::new(),
            at: self.time.now(),
        };
        let written = matches!(self.store.step_workflow(step).await?, Stepped::Written(_));
        if written {
            self.ended(Verdict::Failed);
        }
        Ok(written)
    }

    fn ended(&self, verdict: Verdict) {
        self.backfills.ended();
        let result = RunState::from(verdict).as_str();
        self.metrics.runs.get_or_create(&Ending { result, trigger: "workflow" }).inc();
    }
}

/// What a run executes: for one of a task, the task's job with the values of its expressions in their places, and what it was given. The
/// input is part of that then. A process is told the dates of its run.
///
/// # Errors
/// An expression cannot be evaluated.
pub(crate) async fn prepared(
    start: &mut Start,
    definition: &Arc<Job>,
    definitions: &Definitions,
) -> std::result::Result<Prepared, String> {
    if start.job_version.task().is_none() {
        return Ok((definitions.dated(start, definition).await, None));
    }
    let context = TaskContext::from_input(start.input.as_deref());
    let context = context.ok_or("what the run of the task was given cannot be read")?;
    let rendered = definition.rendered(&context).map_err(|error| error.to_string())?;
    start.input = None;
    Ok((Arc::new(rendered), Some(Arc::new(context))))
}

type Prepared = (Arc<Job>, Option<Arc<TaskContext>>);
