//! What is set for queues and labels, as fires heed it: for those that runs leave by claims alone the planner keeps no slot, and asks for their runs
//! again and again, because what may leave them changes by itself. How many runs wait in those with a limit is counted here.

use std::sync::Arc;

use mainspring_core::planner::{Limits, QueueLimit};
use mainspring_core::queue::label_of;
use mainspring_store::{Error, QueueRow, Store, causes};
use tokio::sync::{Notify, watch};

use crate::clock::pause;

/// How often the store is asked, and how often while there is a queue that is limited or slowed.
const LOOK_EVERY_MS: u64 = 1_000;
const TRY_EVERY_MS: u64 = 250;

/// What the store says of queues, as it was last.
#[derive(Clone)]
pub(crate) struct QueueWatch {
    store: Arc<dyn Store>,
    limits: watch::Sender<Arc<Limits>>,
    changed: Arc<Notify>,
}

impl QueueWatch {
    /// Asks the store.
    ///
    /// # Errors
    /// The store could not say.
    pub(crate) async fn start(store: Arc<dyn Store>) -> Result<Self, Error> {
        let watch = Self { store, limits: watch::Sender::default(), changed: Arc::default() };
        watch.look().await?;
        Ok(watch)
    }

    /// Hears of the limits whenever they change, or runs may leave one of the queues again.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Arc<Limits>> {
        self.limits.subscribe()
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
                Ok(changes) => every_ms = if changes { TRY_EVERY_MS } else { LOOK_EVERY_MS },
                Err(Error::Closed) => return,
                Err(error) => {
                    tracing::warn!(error = %causes(&error), "what is set for queues could not be read; trying again")
                }
            }
        }
    }

    /// Whether runs may leave one of the queues by and by, or what waits in it counts.
    async fn look(&self) -> Result<bool, Error> {
        let mut queues = self.store.queues().await?;
        queues.retain(|queue| queue.rule.is_set());
        let changes = queues.iter().any(|queue| !queue.rule.paused || queue.rule.max_waiting.is_some());
        let (labels, queues): (Vec<_>, Vec<_>) = queues.into_iter().partition(|row| label_of(&row.name).is_some());
        let mut limits = Vec::with_capacity(queues.len());
        for QueueRow { name, rule, .. } in queues {
            let room = match rule.max_waiting {
                Some(max) => max.saturating_sub(self.store.waiting(&name, max).await?),
                None => u32::MAX,
            };
            limits.push((Arc::from(name), QueueLimit { by_claims: rule.holds_back(), room }));
        }
        let mut limits = Limits::from_iter(limits);
        labels.into_iter().for_each(|label| limits.limit_label(label.name.into()));
        self.limits.send_if_modified(|before| {
            if **before != limits {
                *before = Arc::new(limits);
                return true;
            }
            changes
        });
        Ok(changes)
    }
}
