//! Locks and waits of the parts.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until a value that is watched is so. For ever, if nobody can set it any more.
pub(super) async fn until<T>(watch: &mut watch::Receiver<T>, is_so: impl FnMut(&T) -> bool) {
    if watch.wait_for(is_so).await.is_err() {
        std::future::pending::<()>().await;
    }
}
