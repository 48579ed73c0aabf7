//! Waits for a state, and leaves the machine to others between one look and the next.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use mainspring_engine::{Clock, SystemClock};

/// Longer than anything here takes on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(120);
const PAUSE_MS: i64 = 50;

/// Looks again and again until something is there.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    until_ok(what, async || look().await.ok_or("not there")).await
}

/// The same where nothing is asynchronous, and what was there instead is told in the end.
pub fn blocking<T, E: Debug>(what: &str, mut look: impl FnMut() -> Result<T, E>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(until_ok(what, async || look()))
}

async fn until_ok<T, E: Debug>(what: &str, mut look: impl AsyncFnMut() -> Result<T, E>) -> T {
    let begun = Instant::now();
    let mut alarm = SystemClock.alarm();
    loop {
        match look().await {
            Ok(found) => return found,
            Err(instead) => assert!(begun.elapsed() < PATIENCE, "{what}: never so, but {instead:?}"),
        }
        alarm.wait_until(SystemClock.now() + PAUSE_MS).await;
    }
}
