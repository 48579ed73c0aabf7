//! A scheduler whose clock a test sets.

use std::sync::Arc;
use std::time::Duration;

use mainspring_core::Timestamp;
use mainspring_engine::{Clock, ManualClock, Stopped};

use crate::error::Error;
use crate::scheduler::{Builder, Scheduler};
use crate::trigger::millis;

/// A scheduler on a clock that stands still until it is set: schedules are tested without waiting.
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
        Self::start_on(builder, "memory:", now).await
    }

    /// The same on a store, `memory:` or `sqlite:PATH`: what becomes of schedules while no process runs is tested, too.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mainspring::prelude::*;
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// let store = format!("sqlite:{}", folder.path().join("jobs.db").display());
    /// let builder = || Scheduler::builder().handler("bill", async |_: RunContext| {});
    /// let engine = ManualEngine::start_on(builder(), &store, "2026-03-01T00:00:00Z".parse()?).await?;
    /// engine.scheduler().add(job("bill").trigger(cron("0 0 6 1 * ?"))).await?;
    /// engine.shutdown(Duration::from_secs(10)).await?;
    ///
    /// // Nobody was there at six; what is a little late goes on.
    /// let engine = ManualEngine::start_on(builder(), &store, "2026-03-01T06:00:30Z".parse()?).await?;
    /// assert_eq!(engine.scheduler().runs("bill", 10).await?.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the store cannot be opened or the engine cannot start.
    pub async fn start_on(builder: Builder, store: &str, now: Timestamp) -> Result<Self, Error> {
        let clock = ManualClock::new(now);
        // A clock that leaps wants a long window: each step of the window is an instant to stop at.
        let builder = builder.window(Duration::from_secs(30 * 86_400));
        let scheduler = builder.start_on(mainspring_store::open(store).await?, Arc::new(clock.clone())).await?;
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

    /// Stops, as [`Scheduler::shutdown`] does.
    ///
    /// # Errors
    /// If the store could not be closed.
    pub async fn shutdown(self, grace: Duration) -> Result<Stopped, Error> {
        self.scheduler.shutdown(grace).await
    }
}
