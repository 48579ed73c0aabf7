//! Which queues something is set for: the planner keeps no slot for their fires, and asks for their runs again and again, because
//! what may leave them changes by itself.

use std::sync::Arc;

use mainspring_store::{Error, Store};
use rustc_hash::FxHashSet;
use tokio::sync::{Notify, watch};

use crate::clock::pause;

/// How often the store is asked, and how often while there is a queue that is limited or slowed.
const LOOK_EVERY_MS: u64 = 1_000;
const TRY_EVERY_MS: u64 = 250;

/// The names of the queues.
pub(crate) type Names = Arc<FxHashSet<Arc<str>>>;

/// What the store says of queues, as it was last.
#[derive(Clone)]
pub(crate) struct QueueWatch {
    store: Arc<dyn Store>,
    names: watch::Sender<Names>,
    changed: Arc<Notify>,
}

impl QueueWatch {
    /// Asks the store.
    ///
    /// # Errors
    /// The store could not say.
    pub(crate) async fn start(store: Arc<dyn Store>) -> Result<Self, Error> {
        let watch = Self { store, names: watch::Sender::default(), changed: Arc::default() };
        watch.look().await?;
        Ok(watch)
    }

    /// Hears of the names whenever they change, or runs may leave one of the queues again.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Names> {
        self.names.subscribe()
    }

    /// Says that something was set.
    pub(crate) fn poke(&self) {
        self.changed.notify_one();
    }

    /// Asks the store from time to time. Never ends.
    pub(crate) async fn keep(self) {
        let mut every_ms = LOOK_EVERY_MS;
        loop {
            tokio::select! {
                () = pause(every_ms) => {}
                () = self.changed.notified() => {}
            }
            match self.look().await {
                Ok(may_leave) => every_ms = if may_leave { TRY_EVERY_MS } else { LOOK_EVERY_MS },
                Err(Error::Closed) => return,
                Err(error) => tracing::warn!(%error, "what is set for queues could not be read; trying again"),
            }
        }
    }

    /// Whether runs may leave one of the queues by and by.
    async fn look(&self) -> Result<bool, Error> {
        let mut queues = self.store.queues().await?;
        queues.retain(|queue| queue.rule.is_set());
        let may_leave = queues.iter().any(|queue| !queue.rule.paused);
        let names: FxHashSet<Arc<str>> = queues.into_iter().map(|queue| Arc::from(queue.name)).collect();
        self.names.send_if_modified(|before| {
            let news = **before != names;
            if news {
                *before = Arc::new(names);
            }
            news || may_leave
        });
        Ok(may_leave)
    }
}
