//! Has runs name the node that executes them.

use std::sync::Arc;

use mainspring_core::Incarnation;
use mainspring_store::{Error as StoreError, Store, causes};
use tokio::sync::watch;

use crate::clock::pause;

/// How long to wait before it is tried again, in milliseconds.
const RETRY_AFTER_MS: u64 = 1_000;

/// Keeps the name under each incarnation of this process. Ends when there are no more.
pub(crate) async fn tell(store: Arc<dyn Store>, mut incarnation: watch::Receiver<Incarnation>, name: String) {
    loop {
        let current = *incarnation.borrow_and_update();
        while let Err(error) = store.name_node(current, &name).await {
            if matches!(error, StoreError::Closed) {
                return;
            }
            tracing::warn!(error = %causes(&error), "the name of this node could not be kept; trying again");
            pause(RETRY_AFTER_MS).await;
        }
        if incarnation.changed().await.is_err() {
            return;
        }
    }
}
