//! The one home of clock readings and of waiting.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mainspring_api::Timestamp;
pub(crate) use mainspring_tasks::boot_ms;

/// Returns the wall clock: for times that people read, never for decisions.
#[expect(clippy::disallowed_methods, reason = "the one home of clock readings")]
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    Timestamp::from_millis(since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
}

/// Waits for a while.
#[expect(clippy::disallowed_methods, reason = "the one home of waiting")]
pub(crate) async fn pause(duration: Duration) {
    tokio::time::sleep(duration).await;
}
