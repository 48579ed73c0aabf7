//! The scheduler of an embedding program.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use mainspring_core::job::JobKey;
use mainspring_core::workflow::TaskState;
use mainspring_core::{RunId, Timestamp, planner};
use mainspring_engine::control::{Ask, SaveMode, Upcoming};
use mainspring_engine::{
    Clock, Control, Engine, Handler, Handlers, Listener, Notice, RetentionRule, RunContext, Scope, Settings, Stopped,
    SystemClock,
};
use mainspring_store::{Expect, JobQuery, JobRow, RunInfo, RunQuery, Store, TaskRequest, TaskVerb};
use mainspring_tasks::{Allow, LogChunk};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::broadcast;

use crate::calendar::CalendarBuilder;
use crate::error::Error;
use crate::job::{JobBuilder, NAMESPACE};
use crate::leash;
use crate::workflow::{TaskOf, WorkflowBuilder};

/// Bytes of a log that are read at once.
const LOG_BYTES: u32 = 1024 * 1024;

/// A running scheduler. Stopped by [`Scheduler::shutdown`]; dropping it ends its runs without ceremony.
#[derive(Debug)]
pub struct Scheduler {
    engine: Engine,
}

/// What somebody says to what a workflow run waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Approve {
    /// It goes on.
    Yes,
    /// The task fails.
    No,
}

/// A scheduler in the making.
#[derive(Debug, Default)]
#[must_use]
pub struct Builder {
    handlers: Arc<Handlers>,
    settings: Settings,
}

impl Builder {
    /// Registers a function for jobs to name. An `async` closure that takes a [`crate::RunContext`] and returns nothing,
    /// JSON, or either in a `Result`.
    pub fn handler(self, name: impl Into<String>, handler: impl Handler<RunContext>) -> Self {
        self.handlers.register(name, handler);
        self
    }

    /// How many runs execute at a time; 64 if not set.
    pub fn slots(mut self, slots: u32) -> Self {
        self.settings.planner = planner::Settings { slots, ..self.settings.planner };
        self
    }

    /// Allows jobs that are shell lines, programs and HTTP calls, with private folders under `work_root`.
    pub fn processes(mut self, work_root: impl Into<std::path::PathBuf>) -> Self {
        self.settings = self.settings.with_tasks(work_root);
        if let Some(tasks) = self.settings.tasks.as_mut().filter(|_| leash::is_offered()) {
            tasks.leash = Some("/proc/self/exe".into()).filter(|path: &std::path::PathBuf| path.exists());
            tasks.leash_args = vec![leash::ARGUMENT.to_owned()];
        }
        self
    }

    /// Allows HTTP calls to reach an address beyond public ones: call it after [`Builder::processes`], which allows calls.
    pub fn allow_outbound(mut self, exception: Allow) -> Self {
        if let Some(tasks) = &mut self.settings.tasks {
            tasks.outbound = std::mem::take(&mut tasks.outbound).allow(exception);
        }
        self
    }

    /// Shares a value with all handlers, which read it with [`RunContext::state`]; one of each type.
    ///
    /// ```
    /// # use mainspring::prelude::*;
    /// struct Greeting(&'static str);
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), mainspring::Error> {
    /// let scheduler = Scheduler::builder()
    ///     .state(Greeting("hello"))
    ///     .handler("greet", async |run: RunContext| {
    ///         let (greeting, name) = (run.state::<Greeting>()?.0, run.input_as::<String>()?);
    ///         run.log(format!("{greeting}, {name}")).await;
    ///         Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
    ///     })
    ///     .start("memory:")
    ///     .await?;
    /// scheduler.add(job("greet").input(json!("Ana"))).await?;
    /// let run = scheduler.run_now("greet").await?.id;
    /// scheduler.wait(run).await?;
    /// assert_eq!(scheduler.log(run).await?, ["hello, Ana"]);
    /// # scheduler.shutdown(std::time::Duration::ZERO).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn state<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.settings.state.insert(value);
        self
    }

    /// How far ahead triggers are kept in memory.
    pub(crate) fn window(mut self, window: Duration) -> Self {
        self.settings.planner.window_ms = crate::trigger::millis(window);
        self
    }

    /// Adds a listener for the jobs of a scope. There may be several; a run starts if none of those concerned vetoes it.
    pub fn listener(mut self, scope: Scope, listener: impl Listener) -> Self {
        self.settings.listeners.add(scope, listener);
        self
    }

    /// How long one call of a listener may take; 5 s if not set. One that takes longer is given up, and vetoes nothing.
    pub fn listener_limit(mut self, limit: Duration) -> Self {
        self.settings.listener_limit = limit;
        self
    }

    /// When history is deleted.
    pub fn retention(mut self, rule: RetentionRule) -> Self {
        self.settings.retention = rule;
        self
    }

    /// Starts on a store: `memory:`, or `sqlite:PATH`; with the features `postgres` and `mysql` also a database, which any number of
    /// programs and servers may share.
    ///
    /// # Errors
    /// If the store cannot be opened or the engine cannot start.
    pub async fn start(self, store: &str) -> Result<Scheduler, Error> {
        let store = mainspring_store::open(store).await?;
        self.start_on(store, Arc::new(SystemClock)).await
    }

    pub(crate) async fn start_on(self, store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Result<Scheduler, Error> {
        let engine = Engine::start_with(store, self.settings, clock, self.handlers).await?;
        Ok(Scheduler { engine })
    }
}

impl Scheduler {
    /// Begins a scheduler.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Adds a job, or makes a new version of the one with that name.
    ///
    /// # Errors
    /// If something about the job cannot be used: the message names the field.
    pub async fn add(&self, job: JobBuilder) -> Result<JobRow, Error> {
        let job = Arc::new(job.build());
        let plans = self.control().save(vec![(job, Expect::Anything)], SaveMode::Commit).await?;
        Ok(plans.into_iter().find_map(|plan| plan.saved).expect("a committed save returns its job"))
    }

    /// Adds a calendar, or changes the one with that name, and with it the next instants of the triggers that use it.
    ///
    /// # Errors
    /// If something about it cannot be used, or its base is not there.
    pub async fn add_calendar(&self, calendar: CalendarBuilder) -> Result<(), Error> {
        let (namespace, name, definition) = calendar.build();
        self.control().save_calendar(&namespace, &name, &definition, Expect::Anything, SaveMode::Commit).await?;
        Ok(())
    }

    /// Deletes a calendar.
    ///
    /// # Errors
    /// If there is no such calendar, or a trigger uses it.
    pub async fn remove_calendar(&self, calendar: &str) -> Result<(), Error> {
        let JobKey { namespace, name } = key(calendar);
        Ok(self.control().delete_calendar(&namespace, &name, Expect::Anything).await?)
    }

    /// The lines that a run has written, of its last attempt.
    ///
    /// # Errors
    /// If there is no such run, or the store cannot be read.
    pub async fn log(&self, run: RunId) -> Result<Vec<String>, Error> {
        let attempt = self.control().run(run).await?.attempt;
        let (mut lines, mut next) = (Vec::new(), 0);
        loop {
            let chunks = self.engine.store().log(run, attempt, next, LOG_BYTES).await?;
            let Some(last) = chunks.last() else { return Ok(lines) };
            next = last.first_line + u64::from(last.line_count);
            let decoded = chunks.iter().filter_map(|chunk| LogChunk::decode(&chunk.data).ok());
            lines.extend(decoded.flat_map(|chunk| chunk.lines).map(|line| line.text));
        }
    }

    /// Adds a workflow, or makes a new version of the job with that name. Its functions are called by runs that start from then on:
    /// a program adds its workflows whenever it starts.
    ///
    /// # Errors
    /// If something about it cannot be used: two tasks of one name, names that no task may have, or a trigger.
    pub async fn add_workflow(&self, workflow: WorkflowBuilder) -> Result<JobRow, Error> {
        let (job, handlers) = workflow.build();
        for (name, handler) in handlers {
            self.engine.handlers().register(name, move |run: RunContext| handler.call(run));
        }
        let plans = self.control().save(vec![(Arc::new(job), Expect::Anything)], SaveMode::Commit).await?;
        Ok(plans.into_iter().find_map(|plan| plan.saved).expect("a committed save returns its job"))
    }

    /// What a task of a workflow run has returned. Nothing, if it has not succeeded yet, or never ran.
    ///
    /// # Errors
    /// If the store cannot be read, or the task returned something else than this.
    pub async fn output_of<T: DeserializeOwned>(&self, run: RunId, task: &TaskOf<T>) -> Result<Option<T>, Error> {
        let Some(row) = self.control().workflow(run).await? else { return Ok(None) };
        let of_it = row.tasks.iter().filter(|row| row.task == task.number());
        let mut outputs = Vec::new();
        for (item, child) in of_it.filter_map(|row| Some((row.item, row.child?))) {
            outputs.extend(self.control().run(child).await?.output.map(|output| (item, output)));
        }
        TaskOf::read(&outputs).map_err(|error| {
            mainspring_engine::control::Error::Refused(format!("the task returned something else: {error}")).into()
        })
    }

    /// Where the tasks of a workflow run stand, by name, in the order in which they were added; those of which it is not known yet are
    /// left out.
    ///
    /// # Errors
    /// If the store cannot be read, or the definition is gone.
    pub async fn task_states(&self, run: RunId) -> Result<Vec<(String, TaskState)>, Error> {
        let Some(row) = self.control().workflow(run).await? else { return Ok(Vec::new()) };
        let definition = self.engine.store().definition(row.job, row.job_version).await?;
        let tasks = definition.workflow().map_or(&[][..], |workflow| &workflow.tasks);
        let wholes = row.tasks.iter().filter(|row| row.item.is_none());
        Ok(wholes.filter_map(|row| Some((tasks.get(row.task as usize)?.name.clone(), row.state))).collect())
    }

    /// Approves what a task of a workflow run waits for, or rejects it; who does so and why is kept. A run that does not wait for that
    /// is left as it is.
    ///
    /// # Errors
    /// If the run is no workflow run that is under way.
    pub async fn approve<T>(
        &self,
        run: RunId,
        task: &TaskOf<T>,
        verdict: Approve,
        by: &str,
        why: &str,
    ) -> Result<(), Error> {
        let verb = if verdict == Approve::Yes { TaskVerb::Approve } else { TaskVerb::Reject };
        let (by, reason) = (Some(by.to_owned()), Some(why.to_owned()));
        let request = TaskRequest { verb, task: Some(task.number()), item: None, by, reason, at: self.control().now() };
        Ok(self.control().steer(run, request).await?)
    }

    /// Registers a handler for components of flows that name it. It works on items in a [`Session`](crate::Session).
    pub fn flow_handler(&self, name: impl Into<String>, handler: impl Handler<crate::Session>) {
        self.engine.flow_handlers().register(name, handler);
    }

    /// Registers a handler while the scheduler runs.
    pub fn handler(&self, name: impl Into<String>, handler: impl Handler<RunContext>) {
        self.engine.handlers().register(name, handler);
    }

    /// Deletes a job. Its unstarted runs are cancelled; running ones go on.
    ///
    /// # Errors
    /// If there is no such job.
    pub async fn remove(&self, job: &str) -> Result<(), Error> {
        Ok(self.control().delete_job(&key(job), Expect::Anything).await?)
    }

    /// Lets a job's triggers rest. Once this returns, nothing of the job fires until it is resumed.
    ///
    /// # Errors
    /// If there is no such job.
    pub async fn pause(&self, job: &str) -> Result<JobRow, Error> {
        Ok(self.control().pause_job(&key(job)).await?)
    }

    /// Ends a pause: next fire after now.
    ///
    /// # Errors
    /// If there is no such job.
    pub async fn resume(&self, job: &str) -> Result<JobRow, Error> {
        Ok(self.control().resume_job(&key(job)).await?)
    }

    /// Lets one trigger of a job rest.
    ///
    /// # Errors
    /// If there is no such job or trigger.
    pub async fn pause_trigger(&self, job: &str, trigger: &str) -> Result<JobRow, Error> {
        Ok(self.control().pause_trigger(&key(job), trigger).await?)
    }

    /// Ends a trigger's pause.
    ///
    /// # Errors
    /// If there is no such job or trigger.
    pub async fn resume_trigger(&self, job: &str, trigger: &str) -> Result<JobRow, Error> {
        Ok(self.control().resume_trigger(&key(job), trigger).await?)
    }

    /// Starts a run now.
    ///
    /// # Errors
    /// If there is no such job.
    pub async fn run_now(&self, job: &str) -> Result<RunInfo, Error> {
        Ok(self.control().run_now(&key(job), Ask::default()).await?)
    }

    /// Starts a run now, with input that is laid over the job's.
    ///
    /// # Errors
    /// If there is no such job.
    pub async fn run_with(&self, job: &str, input: Value) -> Result<RunInfo, Error> {
        Ok(self.control().run_now(&key(job), Ask { input: Some(input), ..Ask::default() }).await?)
    }

    /// Cancels a run.
    ///
    /// # Errors
    /// If there is no such run, or it is over.
    pub async fn cancel(&self, run: RunId) -> Result<RunInfo, Error> {
        Ok(self.control().cancel(run, "cancelled by the program").await?)
    }

    /// Waits until a run is over.
    ///
    /// # Errors
    /// If there is no such run.
    pub async fn wait(&self, run: RunId) -> Result<RunInfo, Error> {
        Ok(self.control().wait(run).await?)
    }

    /// A job.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn job(&self, job: &str) -> Result<Option<JobRow>, Error> {
        Ok(self.engine.store().job(&key(job)).await?)
    }

    /// All jobs, up to 10,000.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn jobs(&self) -> Result<Vec<JobRow>, Error> {
        Ok(self.engine.store().jobs(JobQuery { limit: 10_000, ..JobQuery::default() }).await?)
    }

    /// The newest runs of a job, unfinished and final.
    ///
    /// # Errors
    /// If there is no such job.
    pub async fn runs(&self, job: &str, limit: u32) -> Result<Vec<RunInfo>, Error> {
        let store = self.engine.store();
        let Some(row) = store.job(&key(job)).await? else {
            return Err(mainspring_store::Error::NotFound { what: "job", key: key(job).to_string() }.into());
        };
        Ok(store.runs(RunQuery { job: Some(row.id), limit, ..RunQuery::default() }).await?)
    }

    /// What will fire up to `until`, earliest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn upcoming(&self, until: Timestamp, limit: usize) -> Result<Vec<Upcoming>, Error> {
        Ok(self.control().upcoming(None, None, until, limit).await?)
    }

    /// Hears of fires, missed instants and ends, after they are recorded. A listener that is slow misses the oldest.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Notice> {
        self.engine.subscribe()
    }

    /// Everything that can be asked, in full.
    #[must_use]
    pub const fn control(&self) -> &Control {
        self.engine.control()
    }

    /// The engine beneath.
    #[must_use]
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Stops: starts nothing new, lets runs finish within `grace`, then cancels the rest.
    ///
    /// # Errors
    /// If the store could not be closed.
    pub async fn shutdown(self, grace: Duration) -> Result<Stopped, Error> {
        Ok(self.engine.stop(grace).await?)
    }
}

/// `name`, or `namespace/name`.
fn key(job: &str) -> JobKey {
    match job.split_once('/') {
        Some((namespace, name)) => JobKey::new(namespace, name),
        None => JobKey::new(NAMESPACE, job),
    }
}
