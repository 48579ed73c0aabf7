//! The one home of clock readings and of waiting for an instant.

mod guarded;
mod right;
mod shifted;
#[cfg(target_os = "linux")]
mod timerfd;

pub use guarded::GuardedClock;
pub(crate) use right::RightTime;
pub use shifted::ShiftedClock;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mainspring_core::Timestamp;
use mainspring_core::cluster::Reading;
use mainspring_core::jump::Jump;
pub(crate) use mainspring_tasks::boot_ms;
use tokio::sync::watch;

/// Tells the time, and waits for it.
pub trait Clock: Send + Sync + 'static {
    /// The present instant.
    fn now(&self) -> Timestamp;

    /// Returns a wait of its own, to be used by one task.
    fn alarm(&self) -> Box<dyn Alarm>;

    /// The jump of the machine's clock that this one does not believe, if there is any.
    fn jump(&self) -> Option<Jump> {
        None
    }
}

/// Waits for instants of its clock.
pub trait Alarm: Send {
    /// Returns at `at` or soon after, at once if that has passed, and also when the clock was set: the
    /// caller looks at the clock again. May be dropped and called again with another instant.
    fn wait_until(&mut self, at: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one home of clock readings")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let millis =
            since.map_or_else(|before| -(before.duration().as_millis() as i64), |after| after.as_millis() as i64);
        Timestamp::from_millis(millis)
    }

    fn alarm(&self) -> Box<dyn Alarm> {
        #[cfg(target_os = "linux")]
        match timerfd::TimerAlarm::new() {
            Ok(alarm) => return Box::new(alarm),
            Err(error) => tracing::warn!(%error, "no timer descriptor; fires are up to 2 ms less exact"),
        }
        Box::new(SleepAlarm)
    }
}

/// Both clocks of a node.
pub(crate) fn reading(clock: &dyn Clock) -> Reading {
    Reading { boot_ms: boot_ms(), wall_ms: clock.now().as_millis() }
}

/// Waits for a while of the machine's time, whatever the wall clock does.
#[expect(clippy::disallowed_methods, reason = "the one home of waiting")]
pub(crate) async fn pause(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

/// Waits with the runtime's timer, which is exact to about 1.5 ms.
struct SleepAlarm;

impl Alarm for SleepAlarm {
    #[expect(clippy::disallowed_methods, reason = "the one home of waiting")]
    fn wait_until(&mut self, at: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let wait = at.since(SystemClock.now()).clamp(0, 60_000).unsigned_abs();
        Box::pin(tokio::time::sleep(Duration::from_millis(wait)))
    }
}

/// A clock that stands still until it is set: for tests of schedules.
#[derive(Clone, Debug)]
pub struct ManualClock {
    now: Arc<watch::Sender<Timestamp>>,
}

impl ManualClock {
    /// A clock that shows `now`.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self { now: Arc::new(watch::Sender::new(now)) }
    }

    /// Sets the clock. Whoever waits for an instant that has now passed goes on.
    pub fn set(&self, now: Timestamp) {
        self.now.send_replace(now);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.now.borrow()
    }

    fn alarm(&self) -> Box<dyn Alarm> {
        Box::new(ManualAlarm { now: self.now.subscribe() })
    }
}

struct ManualAlarm {
    now: watch::Receiver<Timestamp>,
}

impl Alarm for ManualAlarm {
    fn wait_until(&mut self, at: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            if self.now.wait_for(|now| *now >= at).await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn system_alarm_is_never_early() {
        let mut alarm = SystemClock.alarm();
        for ahead in [0, 1, 3, 20] {
            let at = SystemClock.now() + ahead;
            alarm.wait_until(at).await;
            assert!(SystemClock.now() >= at);
        }
        alarm.wait_until(Timestamp::from_millis(0)).await;
    }

    #[tokio::test]
    async fn manual_alarm_waits_for_the_clock_to_be_set() {
        let clock = ManualClock::new(Timestamp::from_millis(0));
        let mut alarm = clock.alarm();
        let waiting = tokio::spawn(async move { alarm.wait_until(Timestamp::from_millis(10)).await });
        clock.set(Timestamp::from_millis(9));
        assert!(!waiting.is_finished());
        clock.set(Timestamp::from_millis(10));
        waiting.await.expect("the alarm rang");
    }
}
