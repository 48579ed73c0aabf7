//! The one home of clock readings and of waiting.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mainspring_api::Timestamp;

/// The wall clock: for times that people read, never for decisions.
#[expect(clippy::disallowed_methods, reason = "the one home of clock readings")]
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    Timestamp::from_millis(since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
}

/// Milliseconds since the machine started, the time that it slept included: a worker that slept was silent all the same.
#[cfg(target_os = "linux")]
pub(crate) fn boot_ms() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    now.tv_sec.unsigned_abs() * 1_000 + now.tv_nsec.unsigned_abs() / 1_000_000
}

/// Milliseconds since the first reading.
#[cfg(not(target_os = "linux"))]
pub(crate) fn boot_ms() -> u64 {
    static FIRST: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    u64::try_from(FIRST.get_or_init(std::time::Instant::now).elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Waits for a while.
#[expect(clippy::disallowed_methods, reason = "the one home of waiting")]
pub(crate) async fn pause(duration: Duration) {
    tokio::time::sleep(duration).await;
}
