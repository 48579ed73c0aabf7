//! Building jobs.

use std::time::Duration;

use mainspring_core::job::{Job, JobKey, Leftovers, OnLost, Overlap, RetryPolicy, Task};
use mainspring_core::routing::Strategy;
use mainspring_core::workflow::dates::LogicalDate;
use serde_json::Value;

use crate::trigger::{TriggerBuilder, millis};

/// The namespace of jobs that name none.
pub(crate) const NAMESPACE: &str = "default";

/// Begins a job. Its handler has the job's own name, unless [`JobBuilder::handler`] says another.
pub fn job(name: impl Into<String>) -> JobBuilder {
    let name = name.into();
    let task = Task::Handler { name: name.clone() };
    JobBuilder { job: Job::new(JobKey::new(NAMESPACE, name), task), triggers: Vec::new() }
}

/// A job in the making. What is wrong with it is said when it is added.
#[derive(Clone, Debug)]
#[must_use]
pub struct JobBuilder {
    pub(crate) job: Job,
    pub(crate) triggers: Vec<TriggerBuilder>,
}

impl JobBuilder {
    /// Says who answers for the job.
    pub fn owner(mut self, owner: impl Into<String>) -> Self {
        self.job.owner = owner.into();
        self
    }

    /// Where the job's name is unique; `default` if not set.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.job.key.namespace = namespace.into();
        self
    }

    /// The registered function that its runs call.
    pub fn handler(mut self, name: impl Into<String>) -> Self {
        self.job.task = Task::Handler { name: name.into() };
        self
    }

    /// Runs a shell line instead of a handler.
    pub fn shell(mut self, script: impl Into<String>) -> Self {
        self.job.task = Task::Run { script: script.into(), shell: None };
        self
    }

    /// Runs a program, without a shell, instead of a handler.
    pub fn exec(mut self, argv: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.job.task = Task::Exec { argv: argv.into_iter().map(Into::into).collect() };
        self
    }

    /// Makes an HTTP call instead of calling a handler; the feature `http-tasks`.
    #[cfg(feature = "http-tasks")]
    pub fn http(mut self, call: crate::HttpBuilder) -> Self {
        self.job.task = Task::Http(call.build());
        self
    }

    /// Adds a variable to the environment of the process.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.job.env.insert(name.into(), value.into());
        self
    }

    /// Starts the process in this folder, in place of a private one that goes with the run.
    pub fn working_dir(mut self, folder: impl Into<String>) -> Self {
        self.job.working_dir = Some(folder.into());
        self
    }

    /// Says what becomes of processes that a program leaves running when it ends by itself.
    pub fn leftovers(mut self, leftovers: Leftovers) -> Self {
        self.job.leftovers = leftovers;
        self
    }

    /// Names a parameter of the input, with its rules as in a job file: `json!({"type": "integer", "default": 3})`.
    pub fn param(mut self, name: impl Into<String>, rules: Value) -> Self {
        self.job.params.insert(name.into(), rules);
        self
    }

    /// Sets the queue in which runs wait; `default` if not set.
    pub fn queue(mut self, queue: impl Into<String>) -> Self {
        self.job.queue = queue.into();
        self
    }

    /// Says which worker of the queue executes a run.
    pub fn routing(mut self, strategy: Strategy) -> Self {
        self.job.routing.strategy = strategy;
        self
    }

    /// Sends runs only to workers with this label; each further one has to match as well.
    pub fn on_workers(mut self, label: impl Into<String>, value: impl Into<String>) -> Self {
        self.job.routing.workers.insert(label.into(), value.into());
        self
    }

    /// Sends runs with the same value at this place of their input to the same worker: a member's name, or a JSON pointer.
    pub fn routing_key(mut self, place: impl Into<String>) -> Self {
        self.job.routing.key = Some(place.into());
        self
    }

    /// For people.
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.job.description = text.into();
        self
    }

    /// Adds a label.
    pub fn label(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.job.labels.insert(name.into(), value.into());
        self
    }

    /// What handlers read with [`crate::RunContext::input`].
    pub fn input(mut self, input: Value) -> Self {
        self.job.input = input;
        self
    }

    /// Adds a trigger. A job may have any number of them, or none.
    pub fn trigger(mut self, trigger: TriggerBuilder) -> Self {
        self.triggers.push(trigger);
        self
    }

    /// Further attempts after a failed one, and the pause before each.
    pub fn retries(mut self, count: u32, delay: Duration) -> Self {
        (self.job.retry.count, self.job.retry.delay_ms) = (count, millis(delay));
        self
    }

    /// Everything about further attempts: backoff, jitter, and which failures they follow.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.job.retry = policy;
        self
    }

    /// How long an attempt may take.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.job.timeout_ms = Some(millis(limit));
        self
    }

    /// By when a run should have ended, from its fire time on. One that has not goes on, and listeners hear of it.
    pub fn deadline(mut self, within: Duration) -> Self {
        self.job.deadline_ms = Some(millis(within));
        self
    }

    /// Ends a run that takes longer than this from the start of its first attempt, over all attempts and the delays
    /// between them. No attempt begins later.
    pub fn run_timeout(mut self, limit: Duration) -> Self {
        self.job.run_timeout_ms = Some(millis(limit));
        self
    }

    /// Skips a run that has waited longer than this for its first attempt.
    pub fn start_timeout(mut self, limit: Duration) -> Self {
        self.job.start_timeout_ms = Some(millis(limit));
        self
    }

    /// What a fire does when `max_active` runs are unfinished.
    pub fn overlap(mut self, overlap: Overlap, max_active: u32) -> Self {
        (self.job.overlap, self.job.max_active) = (overlap, max_active);
        self
    }

    /// What becomes of a run whose process dies.
    pub fn on_lost(mut self, on_lost: OnLost) -> Self {
        self.job.on_lost = on_lost;
        self
    }

    /// Gives each run the data that the last one that succeeded has left: Quartz's `PersistJobDataAfterExecution`. See
    /// [`RunContext::set_data`](crate::RunContext::set_data). Runs that overlap replace each other's.
    pub fn keep_data(mut self) -> Self {
        self.job.keep_data = true;
        self
    }

    /// Says after which end of their data interval runs are named.
    pub fn logical_date(mut self, named: LogicalDate) -> Self {
        self.job.logical_date = named;
        self
    }

    /// Higher goes first; 5 if not set.
    pub fn priority(mut self, priority: i32) -> Self {
        self.job.priority = priority;
        self
    }

    /// The definition.
    pub(crate) fn build(mut self) -> Job {
        for (index, trigger) in self.triggers.into_iter().enumerate() {
            self.job.triggers.push(trigger.build(index));
        }
        self.job
    }
}
