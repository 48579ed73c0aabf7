//! A worker at work.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mainspring_api::WorkerTerms;
use tokio::task::JoinHandle;

use crate::book::Life;
use crate::builder::Builder;
use crate::core::{Core, Incoming};

/// The time for reporting ends after everything was told to end, beyond the runs' grace.
const REPORT_PATIENCE: Duration = Duration::from_secs(10);

/// A worker that has joined. Dropping it ends what it executes at once, without a word to the server; see [`Worker::stop`].
pub struct Worker {
    core: Arc<Core>,
    running: JoinHandle<()>,
}

impl Worker {
    /// Begins a worker of the server at `address`, such as `https://jobs.example.org`.
    pub fn builder(address: impl Into<String>) -> Builder {
        Builder::new(address.into())
    }

    pub(crate) fn start(core: Arc<Core>, incoming: Incoming, joined: (Life, WorkerTerms)) -> Self {
        let running = tokio::spawn(Arc::clone(&core).run(incoming, joined));
        Self { core, running }
    }

    /// Its id, as servers know it; another one once it was taken for dead.
    #[must_use]
    pub fn id(&self) -> String {
        self.core.id().to_string()
    }

    /// Returns the server that is in use.
    #[must_use]
    pub fn server(&self) -> String {
        self.core.link.address()
    }

    /// Returns the number of running attempts.
    #[must_use]
    pub fn running(&self) -> u32 {
        self.core.busy()
    }

    /// Takes nothing more from now on. [`Worker::ended`] returns when all is over and reported.
    pub fn drain(&self) {
        self.core.drain();
    }

    /// Ends what it executes, and takes nothing more. How many runs that were.
    pub fn cancel(&self) -> u32 {
        self.core.cancel()
    }

    /// Waits until it has drained and left. May be dropped and called again.
    pub async fn ended(&mut self) {
        if !self.running.is_finished() {
            let _panicked = (&mut self.running).await;
        }
    }

    /// Takes nothing more, lets what it executes finish within `grace` and ends the rest, reports, and leaves. How many runs
    /// were cut off. What no server could be told is in the journal, for the next start.
    pub async fn stop(mut self, grace: Duration) -> u32 {
        self.drain();
        if tokio::time::timeout(grace, self.ended()).await.is_ok() {
            return 0;
        }
        let count = self.cancel();
        let patience = self.core.executor.kill_grace + REPORT_PATIENCE;
        if tokio::time::timeout(patience, self.ended()).await.is_err() {
            tracing::warn!("not everything could be reported");
        }
        count
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("id", &self.id()).field("server", &self.server()).finish_non_exhaustive()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.running.abort();
        self.core.abort();
    }
}
