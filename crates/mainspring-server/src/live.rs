//! What the console is told while it looks: small messages that something has changed, for any number of browsers.
//!
//! One task a node reads the event table four times a second and keeps what it found for a minute (`ring.rs`); each
//! stream makes its messages of that (`topic.rs`). Nothing is read for a browser that is not there, and a slow one is told to look at
//! everything again, so none can hold up another.

mod look;
mod ring;
mod topic;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mainspring_api::LiveStats;
use tokio::sync::{Notify, watch};

pub(crate) use self::look::serve;
pub(crate) use self::ring::Batch;
use self::ring::Ring;
#[cfg(test)]
pub(crate) use self::ring::{Change, Kind};
pub(crate) use self::topic::{Topic, messages, parse};
use crate::access::to_hex;

/// How long a stream waits until what happens is looked at.
const BEGIN_MAX: Duration = Duration::from_secs(5);

/// What all streams of a node share.
pub(crate) struct Live {
    /// This start of the process: positions of another one mean nothing.
    pub(crate) epoch: String,
    ring: Mutex<Ring>,
    /// The newest position.
    pub(crate) newest: watch::Sender<u64>,
    /// The newest figures.
    pub(crate) stats: watch::Sender<Option<Arc<LiveStats>>>,
    /// Whether what happens is looked at.
    is_looking: watch::Sender<bool>,
    listeners: AtomicUsize,
    came: Notify,
}

/// A stream that listens, as long as it is not dropped.
pub(crate) struct Listener(Arc<Live>);

impl Live {
    pub(crate) fn new() -> Self {
        let mut epoch = [0; 6];
        getrandom::fill(&mut epoch).expect("the system has randomness");
        Self {
            epoch: to_hex(&epoch),
            ring: Mutex::default(),
            newest: watch::Sender::new(0),
            stats: watch::Sender::new(None),
            is_looking: watch::Sender::new(false),
            listeners: AtomicUsize::new(0),
            came: Notify::new(),
        }
    }

    /// Begins to listen: what happens from now on is told. Nothing, if the store does not answer.
    pub(crate) async fn listen(self: &Arc<Self>) -> Option<Listener> {
        self.listeners.fetch_add(1, Ordering::SeqCst);
        let listener = Listener(Arc::clone(self));
        self.came.notify_one();
        let mut is_looking = self.is_looking.subscribe();
        let looking = is_looking.wait_for(|is_looking| *is_looking);
        tokio::time::timeout(BEGIN_MAX, looking).await.ok()?.ok()?;
        Some(listener)
    }

    pub(crate) fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(crate) fn begin_for_test(&self) {
        self.is_looking.send_replace(true);
    }

    /// Whether somebody listens.
    fn has_listeners(&self) -> bool {
        self.listeners.load(Ordering::SeqCst) > 0
    }

    /// Tells all streams.
    pub(crate) fn publish(&self, batch: Batch) {
        let newest = self.ring().push(batch);
        self.newest.send_replace(newest);
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.listeners.fetch_sub(1, Ordering::SeqCst);
    }
}
