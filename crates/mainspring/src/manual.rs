//! A scheduler whose clock a test sets.

use std::sync::Arc;
use std::time::Duration;

use mainspring_core::Timestamp;
use mainspring_engine::{Clock, ManualClock};
use mainspring_store::MemoryStore;

use crate::error::Error;
use crate::scheduler::{Builder, Scheduler};
use crate::trigger::millis;

/// A scheduler in memory, on a clock that stands still until it is set: schedules are tested without waiting.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use std::time::Duration;
/// use mainspring::prelude::*;
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let count = Arc::new(AtomicU32::new(0));
/// let counted = Arc::clone(&count);
/// let builder = Scheduler::builder().handler("tick", move |_: RunContext| {
///     counted.fetch_add(1, Ordering::Relaxed);
///     async {}
/// });
/// let mut engine = ManualEngine::start(builder, "2026-03-27T00:00:00Z".parse()?).await?;
///
/// // At 02:30 in Berlin, where that time of day does not exist on 29 March 2026.
/// engine.scheduler().add(job("tick").trigger(cron("0 30 2 * * ?").timezone("Europe/Berlin"))).await?;
/// engine.advance(Duration::from_secs(4 * 86_400)).await;
/// assert_eq!(count.load(Ordering::Relaxed), 4);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ManualEngine {
    scheduler: Scheduler,
    clock: ManualClock,
}

impl ManualEngine {
    /// Starts a scheduler in memory whose clock shows `now`.
    ///
    /// # Errors
    /// If the engine cannot start.
    pub async fn start(builder: Builder, now: Timestamp) -> Result<Self, Error> {
        let clock = ManualClock::new(now);
        // A clock that leaps wants a long window: each step of the window is an instant to stop at.
        let builder = builder.window(Duration::from_secs(30 * 86_400));
        let scheduler = builder.start_on(Arc::new(MemoryStore::new()), Arc::new(clock.clone())).await?;
        let engine = Self { scheduler, clock };
        engine.settle().await;
        Ok(engine)
    }

    /// The scheduler.
    #[must_use]
    pub const fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }

    /// What the clock shows.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Moves the clock on, stopping at every instant at which something is due, and waits until all of it is done.
    pub async fn advance(&mut self, by: Duration) {
        self.advance_to(self.now() + millis(by)).await;
    }

    /// The same, up to an instant. One in the past changes nothing.
    pub async fn advance_to(&mut self, to: Timestamp) {
        self.settle().await;
        while let Some(next) = self.scheduler.engine().next_wakeup().filter(|next| *next <= to) {
            self.clock.set(next);
            self.settle().await;
        }
        self.clock.set(to.max(self.now()));
        self.settle().await;
    }

    /// Moves the clock on and waits for nothing: for handlers that the test itself lets go on.
    pub fn tick(&self, by: Duration) {
        self.clock.set(self.now() + millis(by));
    }

    /// Sets the clock at once, forward or backward, as somebody who sets a machine's clock does.
    pub async fn set_clock(&mut self, now: Timestamp) {
        self.clock.set(now);
        self.settle().await;
    }

    /// Waits until everything that is due by the clock has fired and run.
    pub async fn settle(&self) {
        self.scheduler.engine().settled(self.now()).await;
    }
}
