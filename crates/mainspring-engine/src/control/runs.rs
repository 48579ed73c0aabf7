//! Asking for runs, repeating and cancelling them.

use mainspring_core::job::JobKey;
use mainspring_core::run::Origin;
use mainspring_core::{RunId, RunSource};
use mainspring_store::{AskedRun, Cancelled, NamedTrigger, RunInfo, TriggerUpdate};
use serde_json::Value;

use super::{Control, Error, Result, no_job};

/// A run that is asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Ask {
    /// JSON that takes precedence over the job's input.
    pub input: Option<Value>,
    /// Higher goes first; the job's if absent.
    pub priority: Option<i32>,
    /// `manual` or `api`.
    pub origin: Origin,
}

impl Default for Ask {
    fn default() -> Self {
        Self { input: None, priority: None, origin: Origin::Manual }
    }
}

impl Control {
    /// Starts a run of a job now. At the job's limit, it waits for a slot. A paused job runs, too: a pause is for triggers.
    ///
    /// # Errors
    /// If there is no such job.
    pub async fn run_now(&self, key: &JobKey, ask: Ask) -> Result<RunInfo> {
        let job = self.store.job(key).await?.ok_or_else(|| no_job(key))?;
        let at = self.clock.now();
        let id = RunId::new(at, RunSource::Asked(job.id, random()));
        let asked = AskedRun {
            id,
            job: job.id,
            job_version: job.version,
            origin: ask.origin,
            input: ask.input.filter(|input| !input.is_null()).map(|input| input.to_string()),
            queue: job.definition.queue.clone(),
            priority: ask.priority.unwrap_or(job.definition.priority),
            rerun_of: None,
            at,
        };
        self.store.ask_run(asked).await?;
        self.run(id).await
    }

    /// Starts a new run with the input and the job version of another one.
    ///
    /// # Errors
    /// If there is no such run, or its job is gone.
    pub async fn rerun(&self, run: RunId) -> Result<RunInfo> {
        let before = self.run(run).await?;
        let at = self.clock.now();
        let id = RunId::new(at, RunSource::Asked(before.job, random()));
        let asked = AskedRun {
            id,
            job: before.job,
            job_version: before.job_version,
            origin: Origin::Rerun,
            input: before.input,
            queue: before.queue,
            priority: before.priority,
            rerun_of: Some(run),
            at,
        };
        self.store.ask_run(asked).await?;
        self.run(id).await
    }

    /// Cancels a run: at once if it has not started, else its worker ends it.
    ///
    /// # Errors
    /// If there is no such run, or it is over.
    pub async fn cancel(&self, run: RunId, reason: &str) -> Result<RunInfo> {
        match self.store.cancel_run(run, reason, self.clock.now()).await? {
            Cancelled::AtOnce => {
                let info = self.run(run).await?;
                self.rearm(&info).await?;
                Ok(info)
            }
            Cancelled::Requested => self.run(run).await,
            Cancelled::AlreadyFinal(state) => {
                let why = format!("is {state} already");
                Err(mainspring_store::Error::Conflict { what: "run", key: run.to_string(), why }.into())
            }
        }
    }

    /// Sets the next instant of the `delay` trigger that awaited a run which ended unstarted.
    async fn rearm(&self, info: &RunInfo) -> Result<()> {
        let Some(name) = &info.trigger_name else { return Ok(()) };
        let rearmed = self.update(&info.key, |control, _, rules| {
            let awaiting = |trigger: &NamedTrigger| trigger.row.progress.awaiting_run == Some(info.id);
            let found = rules.iter().find(|(trigger, _)| trigger.name == *name && awaiting(trigger));
            let Some((trigger, rule)) = found else { return Ok((None, Vec::new())) };
            let Some(delay_ms) = rule.delay_ms else { return Ok((None, Vec::new())) };
            let mut progress = trigger.row.progress;
            let next = control.clock.now().max(info.fire_time) + delay_ms.max(1);
            progress.awaiting_run = None;
            progress.next_fire_at = Some(next);
            progress.due_at = Some(rule.due_at(trigger.row.id, next));
            let id = trigger.row.id;
            Ok((
                None,
                vec![TriggerUpdate { id, expected_next: None, paused: None, progress: Some(progress), gap: None }],
            ))
        });
        match rearmed.await {
            Err(Error::Store(mainspring_store::Error::NotFound { .. })) => Ok(()),
            other => other.map(|_| ()),
        }
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

const WAIT_STEP_MS: i64 = 50;

fn random() -> u64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    u64::from_be_bytes(bytes)
}
