//! The context that handlers get: their run, its log and its data.

use std::sync::Arc;

use mainspring_api::{LogStream, RunShard, Timestamp, WorkerRun};
use mainspring_tasks::{DataError, JobData};
use serde_json::Value;
use tokio::sync::watch;

use crate::book::Stop;
use crate::outbox::Log;

/// The run of a handler.
#[derive(Clone, Debug)]
pub struct RunContext {
    pub(crate) run: Arc<WorkerRun>,
    pub(crate) stop: watch::Receiver<Stop>,
    pub(crate) log: Log,
    pub(crate) data: Option<JobData>,
}

impl RunContext {
    /// Returns the run's id: the same for every attempt.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.run.run
    }

    /// Returns the number of the attempt, from 1.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.run.attempt
    }

    /// Returns the namespace of the job.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.run.namespace
    }

    /// Returns the job's name.
    #[must_use]
    pub fn job(&self) -> &str {
        &self.run.job
    }

    /// Returns the fire time of the run; for a requested run, the time of the request.
    #[must_use]
    pub fn fire_time(&self) -> Timestamp {
        self.run.fire_at
    }

    /// Returns the shard of its run, if the job is broadcast to workers.
    #[must_use]
    pub fn shard(&self) -> Option<RunShard> {
        self.run.shard
    }

    /// Returns the due time.
    #[must_use]
    pub fn due_at(&self) -> Timestamp {
        self.run.due_at
    }

    /// Returns the input: the run's input merged over the job's, member by member where both are objects.
    #[must_use]
    pub fn input(&self) -> &Value {
        &self.run.input
    }

    /// Returns the data of the job: the object that this run set last, or else the last successful run; `{}` at first
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

    /// Returns whether the run is to end.
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
