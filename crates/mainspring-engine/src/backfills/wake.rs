//! How requests and ends of runs wake the loop of backfills.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Wakes the loop of backfills. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct BackfillWake(Arc<Wake>);

#[derive(Default)]
struct Wake {
    notify: Notify,
    /// Whether a backfill is under way.
    is_busy: AtomicBool,
}

impl BackfillWake {
    /// Says that a request has changed a backfill.
    pub(crate) fn wake(&self) {
        self.0.notify.notify_one();
    }

    /// Says that runs have ended: nobody cares where no backfill is under way.
    pub(crate) fn ended(&self) {
        if self.0.is_busy.load(Ordering::Relaxed) {
            self.0.notify.notify_one();
        }
    }

    /// Says whether a backfill is under way.
    pub(super) fn set_busy(&self, is_busy: bool) {
        self.0.is_busy.store(is_busy, Ordering::Relaxed);
    }

    /// Waits until it is woken, also by what came before the wait.
    pub(super) async fn woken(&self) {
        self.0.notify.notified().await;
    }
}
