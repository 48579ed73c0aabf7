//! What handlers are told about their run, and what they can say.

use std::sync::Arc;

use mainspring_api::{LogStream, RunShard, Timestamp, WorkerRun};
use mainspring_tasks::{DataError, JobData};
use serde_json::Value;
use tokio::sync::watch;

use crate::book::Stop;
use crate::outbox::Log;

/// What a handler is told about its run.
#[derive(Clone, Debug)]
pub struct RunContext {
    pub(crate) run: Arc<WorkerRun>,
    pub(crate) stop: watch::Receiver<Stop>,
    pub(crate) log: Log,
    pub(crate) data: Option<JobData>,
}

impl RunContext {
    /// The run's id: the same for every attempt.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.run.run
    }

    /// Which attempt this is, counted from 1.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.run.attempt
    }

    /// The namespace of the job.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.run.namespace
    }

    /// The job's name.
    #[must_use]
    pub fn job(&self) -> &str {
        &self.run.job
    }

    /// The instant that the run stands for; for a run that was asked for, the time of asking.
    #[must_use]
    pub fn fire_time(&self) -> Timestamp {
        self.run.fire_at
    }

    /// Which shard of its run this is, if the job is broadcast to workers.
    #[must_use]
    pub fn shard(&self) -> Option<RunShard> {
        self.run.shard
    }

    /// When it was due.
    #[must_use]
    pub fn due_at(&self) -> Timestamp {
        self.run.due_at
    }

    /// The input: what was given with the run over what the job says, key by key where both are objects.
    #[must_use]
    pub fn input(&self) -> &Value {
        &self.run.input
    }

    /// What the last run that succeeded has left of the job's data, or what this one has set since: an object, `{}` at first
    /// and where the job does not keep data.
    #[must_use]
    pub fn data(&self) -> Value {
        self.data.as_ref().map_or_else(|| Value::Object(serde_json::Map::new()), JobData::get)
    }

    /// Sets what the next runs of the job are given, if this attempt succeeds; it is recorded with the success, or not at all.
    ///
    /// # Errors
    /// The job keeps no data; or it is no object, or has more than 64 KiB as JSON.
    pub fn set_data(&self, data: Value) -> Result<(), DataError> {
        self.data.as_ref().ok_or(DataError::NotKept)?.set(data)
    }

    /// Writes to the run's log, one line for each line of the text. Waits while the lines before are on their way; says
    /// nothing once the handler is over.
    pub async fn log(&self, text: &str) {
        self.log.write(LogStream::Stdout, text).await;
    }

    /// Returns once the run is to end. The handler is dropped a grace period later.
    pub async fn cancelled(&self) {
        told(&self.stop, Stop::Cancel).await;
    }

    /// Whether the run is to end.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.stop.borrow() != Stop::No
    }
}

/// Waits until an attempt is told to end so, or more urgently.
pub(crate) async fn told(stop: &watch::Receiver<Stop>, why: Stop) {
    if stop.clone().wait_for(|stop| *stop >= why).await.is_err() {
        std::future::pending::<()>().await;
    }
}
