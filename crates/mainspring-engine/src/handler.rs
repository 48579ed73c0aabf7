//! Functions that an embedding program registers, and what they are told.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use mainspring_core::job::{Job, JobKey};
use mainspring_core::rule::Start;
use mainspring_core::workflow::TaskContext;
use mainspring_core::{RunId, Timestamp};
use mainspring_tasks::JobData;
pub use mainspring_tasks::{DataError, Handler, HandlerError, HandlerResult, IntoHandlerResult};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::watch;

use crate::run_log::RunLog;
use crate::state::{NoState, SharedState};

/// Handlers by name.
pub type Handlers = mainspring_tasks::Handlers<RunContext>;

/// The input of a run is not what its handler takes.
#[derive(Debug, thiserror::Error)]
#[error("the input is not what the handler takes: {0}")]
pub struct InputError(#[source] serde_json::Error);

/// What a handler is told about its run.
#[derive(Clone, Debug)]
pub struct RunContext {
    pub(crate) start: Arc<Start>,
    pub(crate) definition: Arc<Job>,
    /// What a task of a workflow was given.
    pub(crate) task: Option<Arc<TaskContext>>,
    pub(crate) cancelled: watch::Receiver<bool>,
    /// How long the attempt may take.
    pub(crate) limit: Option<Duration>,
    /// What the job keeps between its runs, if it does.
    pub(crate) data: Option<JobData>,
    /// What the program shares with its handlers.
    pub(crate) state: Arc<SharedState>,
    /// Where lines of the handler go.
    pub(crate) log: Arc<RunLog>,
    /// When the node was surely entitled to begin it, in milliseconds since boot.
    pub(crate) begun_ms: u64,
}

impl RunContext {
    /// The run's id: the same for every attempt, and for a repeat of the same fire.
    #[must_use]
    pub fn run_id(&self) -> RunId {
        self.start.run
    }

    /// The job's name and namespace.
    #[must_use]
    pub fn job(&self) -> &JobKey {
        &self.definition.key
    }

    /// The instant that the run stands for; for a run that was asked for, the time of asking.
    #[must_use]
    pub fn fire_time(&self) -> Timestamp {
        self.start.fire_time
    }

    /// Which attempt this is, counted from 1.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.start.attempt
    }

    /// The input: what was given with the run over what the job says, key by key where both are objects.
    #[must_use]
    pub fn input(&self) -> Value {
        self.definition.merged_input(self.start.input.as_deref())
    }

    /// Returns the input as a type of the program.
    ///
    /// # Errors
    /// The input is something else; the message says what, and a handler that passes it on fails its attempt.
    pub fn input_as<T: DeserializeOwned>(&self) -> Result<T, InputError> {
        serde_json::from_value(self.input()).map_err(InputError)
    }

    /// Returns the value of a type that the program shares with its handlers.
    ///
    /// # Errors
    /// The program shares none of that type.
    pub fn state<T: Any + Send + Sync>(&self) -> Result<&T, NoState> {
        self.state.get()
    }

    /// Writes to the run's log, one line for each line of the text. Waits while the lines before are on their way; does nothing
    /// once the handler is over.
    pub async fn log(&self, text: impl AsRef<str> + Send) {
        self.log.write(text.as_ref()).await;
    }

    /// Of a run of a task of a workflow: which task and item it is, of which workflow run, and how those ended that it needs, as far as
    /// the task's expressions ask for that.
    #[must_use]
    pub fn task(&self) -> Option<&TaskContext> {
        self.task.as_deref()
    }

    /// What the last run that succeeded has left of the job's data, or what this one has set since: an object, `{}` at first
    /// and where the job does not keep data ([`Job::keep_data`]).
    #[must_use]
    pub fn data(&self) -> Value {
        self.data.as_ref().map_or_else(|| Value::Object(serde_json::Map::new()), JobData::get)
    }

    /// Sets what the next runs of the job are given, if this attempt succeeds; it is recorded with the success, or not at all.
    /// Of runs that overlap, the last one that succeeds has the word.
    ///
    /// # Errors
    /// The job keeps no data; or it is no object, or has more than 64 KiB as JSON.
    pub fn set_data(&self, data: Value) -> Result<(), DataError> {
        self.data.as_ref().ok_or(DataError::NotKept)?.set(data)
    }

    /// Returns once somebody has asked to cancel the run. The handler is dropped a grace period later.
    pub async fn cancelled(&self) {
        let mut cancelled = self.cancelled.clone();
        if cancelled.wait_for(|cancelled| *cancelled).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Whether somebody has asked to cancel the run.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.cancelled.borrow()
    }
}
