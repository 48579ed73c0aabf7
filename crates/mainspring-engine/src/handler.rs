//! Functions that an embedding program registers, and what they are told.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use mainspring_core::job::{Job, JobKey};
use mainspring_core::rule::Start;
use mainspring_core::{RunId, Timestamp};
use rustc_hash::FxHashMap;
use serde_json::Value;
use tokio::sync::watch;

/// What a handler is told about its run.
#[derive(Clone, Debug)]
pub struct RunContext {
    pub(crate) start: Arc<Start>,
    pub(crate) definition: Arc<Job>,
    pub(crate) cancelled: watch::Receiver<bool>,
    /// How long the attempt may take.
    pub(crate) limit: Option<Duration>,
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
        merged_input(&self.definition, self.start.input.as_deref())
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

/// The job's input with what was given with the run laid over it.
pub(crate) fn merged_input(job: &Job, given: Option<&str>) -> Value {
    let given = given.and_then(|text| serde_json::from_str(text).ok());
    match (&job.input, given) {
        (base, None | Some(Value::Null)) => base.clone(),
        (Value::Object(base), Some(Value::Object(over))) => {
            let mut merged = base.clone();
            merged.extend(over);
            Value::Object(merged)
        }
        (_, Some(over)) => over,
    }
}

/// A handler that failed: one line for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HandlerError(pub String);

impl fmt::Display for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for HandlerError {}

/// What a handler returns: JSON that becomes the run's output (`null` for none), or an error.
pub type HandlerResult = Result<Value, HandlerError>;

/// A function for jobs of kind `handler`.
///
/// Every `async` closure from [`RunContext`] to something that [turns into a result](IntoHandlerResult) is one.
/// It runs on the async runtime: work that blocks a thread for more than a millisecond belongs into
/// `tokio::task::spawn_blocking`.
pub trait Handler: Send + Sync + 'static {
    /// Executes one attempt.
    fn call(&self, context: RunContext) -> BoxFuture<'static, HandlerResult>;
}

impl<F, Fut> Handler for F
where
    F: Fn(RunContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoHandlerResult> + Send + 'static,
{
    fn call(&self, context: RunContext) -> BoxFuture<'static, HandlerResult> {
        let done = self(context);
        Box::pin(async move { done.await.into_handler_result() })
    }
}

/// What an `async` closure may return to be a handler: nothing, JSON, or either in a `Result`.
pub trait IntoHandlerResult {
    /// Converts.
    fn into_handler_result(self) -> HandlerResult;
}

impl IntoHandlerResult for () {
    fn into_handler_result(self) -> HandlerResult {
        Ok(Value::Null)
    }
}

impl IntoHandlerResult for Value {
    fn into_handler_result(self) -> HandlerResult {
        Ok(self)
    }
}

impl<T: IntoHandlerResult, E: fmt::Display> IntoHandlerResult for Result<T, E> {
    fn into_handler_result(self) -> HandlerResult {
        match self {
            Ok(value) => value.into_handler_result(),
            // The alternate form of an error prints its causes, where it has any to print.
            Err(error) => Err(HandlerError(format!("{error:#}"))),
        }
    }
}

/// Handlers by name.
#[derive(Default)]
pub struct Handlers {
    by_name: RwLock<FxHashMap<String, Arc<dyn Handler>>>,
}

impl Handlers {
    /// Registers a handler; one of the same name is replaced, for attempts that start from then on.
    pub fn register(&self, name: impl Into<String>, handler: impl Handler) {
        let mut by_name = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        by_name.insert(name.into(), Arc::new(handler));
    }

    pub(crate) fn find(&self, name: &str) -> Option<Arc<dyn Handler>> {
        self.by_name.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by_name = self.by_name.read().unwrap_or_else(PoisonError::into_inner);
        f.debug_list().entries(by_name.keys()).finish()
    }
}
