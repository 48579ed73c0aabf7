//! The one home of spawning: what is started here is waited for at shutdown.

use std::future::Future;
use std::sync::{Mutex, PoisonError};

use tokio::task::JoinSet;

/// Tasks of the engine. Never cancelled while they do database work; aborted when the engine is dropped.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    running: Mutex<JoinSet<()>>,
}

impl Tasks {
    pub(crate) fn start(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        while running.try_join_next().is_some() {}
        running.spawn(work);
    }

    /// Ends them all where they wait next.
    pub(crate) fn abort(&self) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }
}
