//! Asking for runs, repeating and cancelling them.

use mainspring_core::batch::{Progress, Rearm, TriggerRow, TriggerStatus};
use mainspring_core::job::JobKey;
use mainspring_core::line::{Line, WORKFLOW_LINE};
use mainspring_core::rule::Loaded;
use mainspring_core::run::Origin;
use mainspring_core::{RunId, RunSource, Timestamp};
use mainspring_store::{AskedRun, Cancelled, RunInfo, TriggerUpdate, causes};
use serde_json::Value;

use super::{Asking, Control, Error, Reran, RerunAsk, RerunError, Result, no_job};

/// A run that is asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Ask {
    /// JSON that takes precedence over the job's input.
    pub input: Option<Value>,
    /// Higher goes first; the job's if absent.
    pub priority: Option<i32>,
    /// `manual` or `api`.
    pub origin: Origin,
    /// The worker that alone executes it, by name; any if absent.
    pub worker: Option<String>,
    /// What names the run. Without it, each asking is another run.
    pub asking: Option<Asking>,
}

impl Default for Ask {
    fn default() -> Self {
        Self { input: None, priority: None, origin: Origin::Manual, worker: None, asking: None }
    }
}

impl Control {
    /// Starts a run of a job now. At the job's limit, it waits for a slot. A paused job runs, too: a pause is for triggers.
    ///
    /// # Errors
    /// If there is no such job; [`Error::QueueFull`].
    pub async fn run_now(&self, key: &JobKey, ask: Ask) -> Result<RunInfo> {
        let job = self.store.job(key).await?.ok_or_else(|| no_job(key))?;
        let Asking { at, number } = ask.asking.unwrap_or_else(|| Asking::new(self.now()));
        let id = RunId::new(at, RunSource::Asked(job.id, number));
        let asked = AskedRun {
            id,
            job: job.id,
            job_version: job.version,
            origin: ask.origin,
            input: ask.input.filter(|input| !input.is_null()).map(|input| input.to_string()),
            queue: match &ask.worker {
                Some(worker) => {
                    Line::Worker { queue: Line::parse(&self.lanes.line(job.id, &job.definition)).queue(), worker }
                        .to_string()
                }
                None => self.lanes.line(job.id, &job.definition),
            },
            priority: ask.priority.unwrap_or(job.definition.priority),
            rerun_of: None,
            repeat: None,
            caller: None,
            fire_time: at,
            at,
        };
        self.ask(asked).await
    }

    /// Asks the store for a run, unless its queue is full. One that was asked for before is there, and is not refused.
    pub(super) async fn ask(&self, asked: AskedRun) -> Result<RunInfo> {
        let id = asked.id;
        let queue = Line::parse(&asked.queue).queue();
        if let Some(max_waiting) = self.max_waiting(queue).await?
            && self.store.waiting(queue, max_waiting).await? >= max_waiting
        {
            let queue = queue.to_owned();
            return self.store.run(id).await?.ok_or(Error::QueueFull { queue, max_waiting });
        }
        let is_workflow = asked.queue == WORKFLOW_LINE;
        self.store.ask_run(asked).await?;
        if is_workflow {
            self.workflows.wake();
        }
        self.run(id).await
    }

    /// How many runs may wait in a queue. Queues without a limit cost nothing.
    async fn max_waiting(&self, queue: &str) -> Result<Option<u32>> {
        if !self.limits.borrow().is_bounded(queue) {
            return Ok(None);
        }
        let rule = self.store.queues().await?.into_iter().find(|row| row.name == queue);
        Ok(rule.and_then(|row| row.rule.max_waiting))
    }

    /// Starts a new run with the input, the job version and the fire time of another one; `asking` names it, as in [`Ask::asking`].
    /// Of a workflow run, all tasks run again: in a new run if it is over, else in the run itself. A run that is not over is in the way,
    /// unless what runs of it is [cancelled first](RerunAsk::cancel_running).
    ///
    /// # Errors
    /// If there is no such run, or its job is gone; [`Error::QueueFull`]; [`Error::Rerun`].
    pub async fn rerun(&self, run: RunId, cancel_running: bool, asking: Option<Asking>) -> Result<RunInfo> {
        let before = self.run(run).await?;
        if before.task.is_some() {
            return Err(Error::Refused(format!(
                "run {run} is of a task of a workflow; repeat the run of the workflow"
            )));
        }
        let queue = self.line_of(&before).await?;
        let known = match asking {
            Some(asking) => self.asked_before(&before, asking).await?,
            None => None,
        };
        if let Some(known) = known {
            return Ok(known);
        }
        if queue == WORKFLOW_LINE {
            let ask = RerunAsk { cancel_running, ..RerunAsk::default() };
            return match self.rerun_tasks(run, &ask, None, asking).await? {
                Reran::Run(run) => Ok(*run),
                Reran::Stale(_) => unreachable!("no plan was named"),
            };
        }
        if !before.state.is_final() {
            if !cancel_running {
                let why = "is not over: wait for its end, or let it be cancelled first";
                return Err(RerunError::Live { run, why }.into());
            }
            self.end_first(run).await?;
        }
        let Asking { at, number } = asking.unwrap_or_else(|| Asking::new(self.now()));
        let id = RunId::new(at, RunSource::Asked(before.job, number));
        let asked = AskedRun {
            id,
            job: before.job,
            job_version: before.job_version,
            origin: Origin::Rerun,
            input: before.input,
            queue,
            priority: before.priority,
            rerun_of: Some(run),
            repeat: None,
            caller: None,
            fire_time: before.fire_time,
            at,
        };
        self.ask(asked).await
    }

    /// The line in which a run like that waits.
    async fn line_of(&self, run: &RunInfo) -> Result<String> {
        match self.store.definition(run.job, run.job_version).await {
            Ok(definition) => Ok(self.lanes.line(run.job, &definition)),
            // Whoever asks for the run is told.
            Err(mainspring_store::Error::NotFound { .. }) => Ok(run.queue.clone()),
            Err(error) => Err(error.into()),
        }
    }

    /// Cancels a run: at once if it has not started, else its worker ends it.
    ///
    /// # Errors
    /// If there is no such run, or it is over.
    pub async fn cancel(&self, run: RunId, reason: &str) -> Result<RunInfo> {
        let now = self.now();
        let rearm = self.rearm(&self.run(run).await?, now).await?;
        match self.store.cancel_run(run, reason, rearm, now).await? {
            Cancelled::AtOnce | Cancelled::Requested => {
                self.workflows.wake();
                self.backfills.ended();
                self.run(run).await
            }
            Cancelled::AlreadyFinal(state) => {
                let why = format!("is {state} already");
                Err(mainspring_store::Error::Conflict { what: "run", key: run.to_string(), why }.into())
            }
        }
    }

    /// Where the `delay` trigger goes that awaits a run, if the run ends now.
    async fn rearm(&self, run: &RunInfo, now: Timestamp) -> Result<Option<Rearm>> {
        let Some(trigger) = run.trigger else { return Ok(None) };
        let rule = self.definitions.awaiting(trigger, run.id).await?;
        Ok(rule.and_then(|rule| rule.rearm(trigger, run.fire_time, now)))
    }

    /// Sets the next instants of `delay` triggers that an interruption has left without one.
    pub(crate) async fn rearm_stranded(&self) -> Result<()> {
        let stranded = self.store.stranded().await?;
        for Loaded { row, rule } in self.definitions.load_reporting(stranded).await? {
            let fired_at = row.progress.previous_fire_at.unwrap_or(row.progress.start_at);
            let Some(rearm) = rule.rearm(row.id, fired_at, self.now()) else { continue };
            tracing::warn!(trigger.id = row.id.0, "a delay that waited for a run which is over goes on");
            let armed = self.update(&rule.definition.key, None, |_, _, triggers| {
                let stranded = triggers.iter().any(|(trigger, _)| trigger.row == row);
                Ok((None, stranded.then(|| armed(&row, rearm)).into_iter().collect()))
            });
            if let Err(error) = armed.await {
                tracing::error!(error = %causes(&error), trigger.id = row.id.0, "a delay could not be set going");
            }
        }
        Ok(())
    }

    /// A run, unfinished or final.
    ///
    /// # Errors
    /// If there is no such run.
    pub async fn run(&self, run: RunId) -> Result<RunInfo> {
        let found = self.store.run(run).await?;
        found.ok_or_else(|| Error::Store(mainspring_store::Error::NotFound { what: "run", key: run.to_string() }))
    }

    /// Waits until a run is over.
    ///
    /// # Errors
    /// If there is no such run.
    pub async fn wait(&self, run: RunId) -> Result<RunInfo> {
        let mut alarm = self.clock.alarm();
        loop {
            let info = self.run(run).await?;
            if info.state.is_final() {
                return Ok(info);
            }
            alarm.wait_until(self.clock.now() + WAIT_STEP_MS).await;
        }
    }
}

fn armed(row: &TriggerRow, rearm: Rearm) -> TriggerUpdate {
    let Rearm { trigger, next_fire_at, due_at, tzdata } = rearm;
    let status = if next_fire_at.is_some() { TriggerStatus::Active } else { TriggerStatus::Complete };
    let progress = Progress { next_fire_at, due_at, status, awaiting_run: None, tzdata, ..row.progress };
    TriggerUpdate {
        id: trigger,
        expected_next: None,
        paused: None,
        progress: Some(progress),
        gap: None,
        reanchor: None,
    }
}

const WAIT_STEP_MS: i64 = 50;
