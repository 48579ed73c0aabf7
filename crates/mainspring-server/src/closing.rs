//! The end of a server, as its streams and loops hear of it.

use std::time::Duration;

use tokio::sync::watch;

/// Returns once the server closes.
pub(crate) async fn closed(closing: &mut watch::Receiver<bool>) {
    // A sender that is gone closes as well.
    let _ = closing.wait_for(|closing| *closing).await;
}

/// Waits, or until the server closes. Returns false if it closes.
pub(crate) async fn rest(closing: &watch::Receiver<bool>, time: Duration) -> bool {
    tokio::time::timeout(time, closed(&mut closing.clone())).await.is_err()
}
