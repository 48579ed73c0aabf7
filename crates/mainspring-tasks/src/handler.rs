//! Functions that a program registers for jobs of kind `handler`. What they are told about their run is for the program's
//! engine or worker to say.

use std::any::Any;
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::Value;

/// A handler that failed: one line for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HandlerError(pub String);

impl fmt::Display for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for HandlerError {}

impl HandlerError {
    /// Says that a handler panicked, and with what.
    #[must_use]
    pub fn of_panic(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Self(format!("the handler panicked: {}", text.unwrap_or("without a message")))
    }
}

/// The result of a handler: JSON that becomes the run's output (`null` for none), or an error.
pub type HandlerResult = Result<Value, HandlerError>;

/// A handler at work.
pub type HandlerFuture = Pin<Box<dyn Future<Output = HandlerResult> + Send>>;

/// A function for jobs of kind `handler`.
///
/// Every `async` closure from what it is told about its run, to something that [turns into a result](IntoHandlerResult), is one.
/// It runs on the async runtime: work that blocks a thread for more than a millisecond belongs into
/// `tokio::task::spawn_blocking`.
pub trait Handler<Context>: Send + Sync + 'static {
    /// Executes one attempt.
    fn call(&self, context: Context) -> HandlerFuture;
}

impl<Context, F, Fut> Handler<Context> for F
where
    F: Fn(Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoHandlerResult> + Send + 'static,
{
    fn call(&self, context: Context) -> HandlerFuture {
        let done = self(context);
        Box::pin(async move { done.await.into_handler_result() })
    }
}

/// Converts the results of `async` closures, so that they can be handlers: nothing, JSON, or either in a `Result`.
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
pub struct Handlers<Context> {
    by_name: RwLock<HashMap<String, Arc<dyn Handler<Context>>>>,
}

impl<Context> Default for Handlers<Context> {
    fn default() -> Self {
        Self { by_name: RwLock::default() }
    }
}

impl<Context: 'static> Handlers<Context> {
    /// Registers a handler; one of the same name is replaced, for attempts that start from then on.
    pub fn register(&self, name: impl Into<String>, handler: impl Handler<Context>) {
        let mut by_name = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        by_name.insert(name.into(), Arc::new(handler));
    }

    /// Returns the handler of a name.
    pub fn find(&self, name: &str) -> Option<Arc<dyn Handler<Context>>> {
        self.by_name.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

impl<Context> fmt::Debug for Handlers<Context> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by_name = self.by_name.read().unwrap_or_else(PoisonError::into_inner);
        f.debug_list().entries(by_name.keys()).finish()
    }
}
