//! The node's own workers: they take what has been recorded as running, execute it, and report its end.
//!
//! A few tasks share one line of starts. Each start is polled once where it is; what is not finished by then moves
//! into a task of its own. So work that only ticks costs no task, and work that waits holds nobody up.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use mainspring_core::batch::AttemptDetail;
use mainspring_core::executing::Executing;
use mainspring_core::job::{Job, Task};
use mainspring_core::planner::AttemptEnd;
use mainspring_core::rule::Start;
use mainspring_core::run::AttemptOutcome;
use mainspring_core::{JobId, RunId, Timestamp};
use mainspring_tasks::{HandlerError, JobData, LogLimits};
use rustc_hash::FxHashMap;
use serde_json::Value;
use tokio::sync::{Notify, watch};

use crate::clock::{RightTime, boot_ms};
use crate::definitions::Definitions;
use crate::done::Done;
use crate::handler::{Handlers, RunContext};
use crate::listener::Audience;
use crate::log_lane::LogLane;
use crate::metrics::Metrics;
use crate::output::Outputs;
use crate::process::Processes;
use crate::run_log::RunLog;
use crate::state::SharedState;
use crate::tasks::Tasks;

/// How many starts a worker takes from the line at a time.
const GRASP: usize = 32;

/// What the pools of all incarnations work with. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Tools {
    /// When attempts begin and end.
    pub(crate) time: RightTime,
    pub(crate) handlers: Arc<Handlers>,
    pub(crate) audience: Arc<Audience>,
    pub(crate) definitions: Arc<Definitions>,
    pub(crate) processes: Option<Arc<Processes>>,
    pub(crate) logs: LogLane,
    pub(crate) outputs: Outputs,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) kill_grace: Duration,
    /// What the program shares with its handlers.
    pub(crate) state: Arc<SharedState>,
    /// Bounds of what handlers write.
    pub(crate) log_limits: LogLimits,
}

/// How many tasks of one pool take from its line: one for each core.
pub(crate) fn workers() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

pub(crate) struct Pool {
    tools: Tools,
    /// Starts, and when they were handed over.
    pub(crate) line: Line<(Start, Instant)>,
    pub(crate) ends: Line<AttemptEnd>,
    running: Mutex<Running>,
    /// Attempts that were not over at once. They hold the pool, so whoever drops the engine aborts them.
    pub(crate) tasks: Tasks,
}

/// Items handed from many to many, in batches.
pub(crate) struct Line<T> {
    items: Mutex<VecDeque<T>>,
    filled: Notify,
}

impl<T> Default for Line<T> {
    fn default() -> Self {
        Self { items: Mutex::default(), filled: Notify::new() }
    }
}

impl<T> Line<T> {
    pub(crate) fn put(&self, items: impl IntoIterator<Item = T>) {
        self.items.lock().unwrap_or_else(PoisonError::into_inner).extend(items);
        self.filled.notify_one();
    }

    /// Takes up to `max`, waiting for the first.
    pub(crate) async fn take(&self, max: usize) -> Vec<T> {
        loop {
            let filled = self.filled.notified();
            let taken: Vec<T> = {
                let mut items = self.items.lock().unwrap_or_else(PoisonError::into_inner);
                let count = items.len().min(max);
                let taken = items.drain(..count).collect();
                if !items.is_empty() {
                    self.filled.notify_one();
                }
                taken
            };
            if !taken.is_empty() {
                return taken;
            }
            filled.await;
        }
    }
}

/// The runs in the line or beyond, and how to tell each to end.
#[derive(Default)]
struct Running {
    executing: Executing,
    tells: FxHashMap<RunId, watch::Sender<bool>>,
    /// Their jobs, and when they were taken in, in milliseconds since boot.
    since: FxHashMap<RunId, (JobId, u64)>,
}

impl Running {
    fn enter(&mut self, start: &Start, now_ms: u64) {
        let ends = self.executing.enter(start.run, start.definition.as_deref());
        self.tells.insert(start.run, watch::Sender::new(ends));
        self.since.insert(start.run, (start.job, now_ms));
    }

    fn listen(&mut self, run: RunId) -> watch::Receiver<bool> {
        self.tells.entry(run).or_default().subscribe()
    }

    fn tell(&self, run: RunId) {
        self.tells.get(&run).into_iter().for_each(|tell| _ = tell.send_replace(true));
    }

    fn cancel(&mut self, run: RunId) {
        if self.executing.cancel(run) {
            self.tell(run);
        }
    }

    fn cancel_all(&mut self) {
        self.executing.cancel_all();
        self.tells.values().for_each(|tell| _ = tell.send_replace(true));
    }

    fn give_up_at(&mut self, at_ms: u64, now_ms: u64) {
        self.executing.give_up_at(at_ms, now_ms).into_iter().for_each(|run| self.tell(run));
    }

    fn leave(&mut self, mut end: AttemptEnd) -> AttemptEnd {
        self.tells.remove(&end.start.run);
        self.since.remove(&end.start.run);
        let outcome = self.executing.leave(end.start.run, end.outcome);
        if !end.vetoed {
            end.outcome = outcome;
        }
        end
    }
}

/// How long an attempt may take that begins now: its own limit, or what is left of the run's time.
pub(crate) fn time_limit(start: &Start, definition: &Job, now: Timestamp) -> Option<Duration> {
    let left_ms = start.deadline.map(|deadline| deadline.since(now)).or(definition.run_timeout_ms);
    let limit_ms = definition.timeout_ms.into_iter().chain(left_ms).min();
    limit_ms.map(|ms| Duration::from_millis(ms.max(0).unsigned_abs()))
}

impl Pool {
    pub(crate) fn new(tools: Tools) -> Self {
        Self { tools, line: Line::default(), ends: Line::default(), running: Mutex::default(), tasks: Tasks::default() }
    }

    /// One worker. Ends when its task is aborted.
    pub(crate) async fn work(self: Arc<Self>) {
        loop {
            let mut ends = Vec::new();
            for (start, handed) in self.line.take(GRASP).await {
                ends.extend(self.begin(start, handed));
            }
            if !ends.is_empty() {
                self.ends.put(ends);
            }
            tokio::task::yield_now().await;
        }
    }

    /// Puts runs into the line.
    pub(crate) fn start(&self, starts: Vec<Start>) {
        let (mut running, now_ms) = (self.running(), boot_ms());
        starts.iter().filter(|start| !self.is_noop(start)).for_each(|start| running.enter(start, now_ms));
        drop(running);
        let handed = Instant::now();
        self.line.put(starts.into_iter().map(|start| (start, handed)));
    }

    /// Asks for the end of a run, also of one that still stands in the line.
    pub(crate) fn cancel(&self, run: RunId) {
        self.running().cancel(run);
    }

    /// Asks for the end of every run.
    pub(crate) fn cancel_all(&self) {
        self.running().cancel_all();
    }

    /// Says when runs that others may be given have to end, and ends them if that is now.
    pub(crate) fn give_up_at(&self, at_ms: u64) {
        self.running().give_up_at(at_ms, boot_ms());
    }

    /// The jobs of what runs, and for how long each has been running, in milliseconds.
    pub(crate) fn running_since(&self, now_ms: u64) -> Vec<(JobId, i64)> {
        let for_ms = |since: u64| now_ms.saturating_sub(since).try_into().unwrap_or(i64::MAX);
        self.running().since.values().map(|(job, since)| (*job, for_ms(*since))).collect()
    }

    /// Whether nothing runs.
    pub(crate) fn is_empty(&self) -> bool {
        self.running().executing.is_empty()
    }

    /// Whether a run does nothing: it is over at once, and nobody can end it before.
    fn is_noop(&self, start: &Start) -> bool {
        self.tools.audience.is_empty()
            && start.definition.as_ref().is_some_and(|definition| definition.task == Task::Noop)
    }

    fn running(&self) -> std::sync::MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a run. Its end, if that is there at once.
    fn begin(self: &Arc<Self>, start: Start, handed: Instant) -> Option<AttemptEnd> {
        if let Some(definition) = start.definition.clone().filter(|_| self.is_noop(&start)) {
            let now = self.tools.time.now();
            self.tools.metrics.entered(&start, now, handed.elapsed());
            let done = Done { outcome: AttemptOutcome::Succeeded, detail: None };
            return Some(end(start, definition, Some(now), now, done));
        }
        let cancelled = self.running().listen(start.run);
        let mut attempt = Arc::clone(self).attempt(start, handed, cancelled).boxed();
        // The waker may be a dead one: a future that is not ready is polled again by its own task.
        match attempt.poll_unpin(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(end) => Some(self.running().leave(end)),
            Poll::Pending => {
                let pool = Arc::clone(self);
                self.tasks.start(async move {
                    let end = attempt.await;
                    let end = pool.running().leave(end);
                    pool.ends.put([end]);
                });
                None
            }
        }
    }

    async fn attempt(
        self: Arc<Self>,
        mut start: Start,
        handed: Instant,
        cancelled: watch::Receiver<bool>,
    ) -> AttemptEnd {
        let definition = match start.definition.take() {
            Some(definition) => definition,
            None => self.tools.definitions.wait_for(start.job, start.job_version).await,
        };
        self.running().executing.note(start.run, &definition);
        if start.awaited_by.is_none() && start.trigger.is_some() {
            start.awaited_by = self.tools.definitions.awaiting_start(&start, &definition).await;
        }
        start.deadline = self.tools.definitions.deadline(&start, &definition).await;
        let (definition, task) =
            match crate::workflows::prepared(&mut start, &definition, &self.tools.definitions).await {
                Ok(rendered) => rendered,
                Err(why) => return hindered(start, definition, self.tools.time.now(), Hindrance::Expression(why)),
            };
        let prepared = async {
            self.tools.audience.admit(&start, &definition).await.map_err(Hindrance::Veto)?;
            let data = self.tools.definitions.data(start.job, &definition).await;
            Ok(data.map_err(Hindrance::Data)?.map(JobData::new))
        };
        let mut told = cancelled.clone();
        let prepared = tokio::select! {
            biased;
            // Told to end, or given up meanwhile: others may have it by now.
            Ok(_) = told.wait_for(|ends| *ends) => None,
            prepared = prepared => Some(prepared),
        };
        let begun_ms = boot_ms();
        let prepared = prepared.filter(|_| self.running().executing.may_begin(start.run, begun_ms));
        let data = match prepared {
            Some(Ok(data)) => data,
            Some(Err(hindrance)) => return hindered(start, definition, self.tools.time.now(), hindrance),
            None => {
                let done = Done { outcome: AttemptOutcome::Cancelled, detail: None };
                return end(start, definition, None, self.tools.time.now(), done);
            }
        };
        let started_at = self.tools.time.now();
        self.tools.metrics.entered(&start, started_at, handed.elapsed());
        let limit = time_limit(&start, &definition, started_at);
        let start = Arc::new(start);
        let context = RunContext {
            start: Arc::clone(&start),
            definition: Arc::clone(&definition),
            task,
            cancelled,
            limit,
            data,
            state: Arc::clone(&self.tools.state),
            log: Arc::new(RunLog::new(self.tools.logs.clone(), self.tools.log_limits, start.run, start.attempt)),
            begun_ms,
        };
        let done = if limit == Some(Duration::ZERO) {
            let error = "the time of the run was over before this attempt began".to_owned();
            Done { outcome: AttemptOutcome::TimedOut, ..Done::failed("task.timed_out", error) }
        } else {
            let done = AssertUnwindSafe(async { self.perform(context).await }).catch_unwind().await;
            done.unwrap_or_else(|panic| Done::failed("handler.panicked", HandlerError::of_panic(&*panic).0))
        };
        let (ended_at, mut done) = (self.tools.time.now(), done);
        if let Some(detail) = &mut done.detail {
            self.tools.outputs.part_at_last(start.run, start.attempt, detail).await;
        }
        let start = Arc::try_unwrap(start).unwrap_or_else(|shared| (*shared).clone());
        end(start, definition, Some(started_at), ended_at, done)
    }

    fn perform(&self, context: RunContext) -> BoxFuture<'_, Done> {
        match &context.definition.task {
            Task::Noop => std::future::ready(Done { outcome: AttemptOutcome::Succeeded, detail: None }).boxed(),
            Task::Handler { name } => match self.tools.handlers.find(name) {
                Some(handler) => {
                    let work = handler.call(context.clone());
                    async move {
                        let log = Arc::clone(&context.log);
                        let done = self.handle(work, context).await;
                        log.close().await;
                        done
                    }
                    .boxed()
                }
                None => {
                    let error = format!("no handler `{name}` is registered in this process");
                    std::future::ready(Done::failed("handler.not_found", error)).boxed()
                }
            },
            Task::Workflow(_) => {
                let error = "a workflow is executed as its tasks, not as a whole".to_owned();
                std::future::ready(Done::failed("workflow.whole", error)).boxed()
            }
            Task::Xxl(_) => {
                let error = "runs for executors are not executed by servers".to_owned();
                std::future::ready(Done::failed("task.not_enabled", error)).boxed()
            }
            Task::Run { .. } | Task::Exec { .. } | Task::Script(_) | Task::Http(_) => match &self.tools.processes {
                Some(processes) => processes.perform(context, &self.tools.logs, self.tools.kill_grace).boxed(),
                None => {
                    let error = format!("this process executes no `{}` tasks", context.definition.task.kind());
                    std::future::ready(Done::failed("task.not_enabled", error)).boxed()
                }
            },
        }
    }

    async fn handle(&self, work: BoxFuture<'static, crate::handler::HandlerResult>, context: RunContext) -> Done {
        let limit = context.limit;
        let cancelled = async {
            context.cancelled().await;
            let _ = tokio::time::timeout(self.tools.kill_grace, std::future::pending::<()>()).await;
        };
        let timed_out = async {
            match limit {
                Some(limit) => {
                    let _ = tokio::time::timeout(limit, std::future::pending::<()>()).await;
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            result = work => match result {
                _ if context.is_cancelled() => Done { outcome: AttemptOutcome::Cancelled, detail: None },
                Ok(output) => {
                    let data = context.data.as_ref().and_then(JobData::left);
                    Done { outcome: AttemptOutcome::Succeeded, detail: left(&output, data) }
                }
                Err(error) => Done::failed("handler.failed", error.0),
            },
            () = cancelled => Done { outcome: AttemptOutcome::Cancelled, detail: None },
            () = timed_out => {
                let error = format!("the handler did not end within {} ms", limit.unwrap_or_default().as_millis());
                Done { outcome: AttemptOutcome::TimedOut, ..Done::failed("task.timed_out", error) }
            }
        }
    }
}

/// What a handler has left behind.
fn left(output: &Value, data: Option<Value>) -> Option<Box<AttemptDetail>> {
    if output.is_null() && data.is_none() {
        return None;
    }
    let mut detail = AttemptDetail { data: data.map(|data| data.to_string()), ..AttemptDetail::default() };
    if output.is_null() {
        return Some(Box::new(detail));
    }
    let text = output.to_string();
    let most = mainspring_tasks::Settings::OUTPUT_BYTES_MAX;
    if text.len() <= most {
        detail.output = Some(text);
    } else {
        detail.note("output.too_large", format!("the output has {} bytes, and {most} are kept", text.len()));
    }
    Some(Box::new(detail))
}

/// Why an attempt does not begin.
#[derive(Clone, Debug)]
pub(crate) enum Hindrance {
    /// A listener has vetoed it.
    Veto(String),
    /// What the job keeps between its runs cannot be read.
    Data(String),
    /// An expression of a workflow's task cannot be evaluated.
    Expression(String),
}

/// The end of an attempt that does not begin.
pub(crate) fn hindered(start: Start, definition: Arc<Job>, ended_at: Timestamp, why: Hindrance) -> AttemptEnd {
    match why {
        Hindrance::Veto(why) => {
            let done = Done { outcome: AttemptOutcome::Cancelled, ..Done::failed("run.vetoed", why) };
            AttemptEnd { vetoed: true, ..end(start, definition, None, ended_at, done) }
        }
        Hindrance::Data(why) => end(start, definition, None, ended_at, Done::failed("data.unreadable", why)),
        Hindrance::Expression(why) => end(start, definition, None, ended_at, Done::failed(crate::workflows::CODE, why)),
    }
}

fn end(
    start: Start,
    definition: Arc<Job>,
    started_at: Option<Timestamp>,
    ended_at: Timestamp,
    mut done: Done,
) -> AttemptEnd {
    if let Some(error) = done.detail.as_mut().and_then(|detail| detail.error.as_mut()).filter(|e| e.contains('\0')) {
        // No database keeps it.
        *error = error.replace('\0', "\u{fffd}");
    }
    let Done { outcome, detail } = done;
    AttemptEnd { start, definition, outcome, vetoed: false, started_at, ended_at, detail, held_by: None }
}
