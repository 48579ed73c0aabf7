//! A clock that passes over jumps forward which do not last.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mainspring_core::Timestamp;
use mainspring_core::jump::{Change, Guard, Jump};

use super::{Alarm, Clock, pause, reading};

/// Shows another clock's time, but believes a jump forward only once it has stood for a while: see [`mainspring_core::jump`].
///
/// For servers that are alone. Where nodes share a database, they compare their clocks with that one's.
#[derive(Clone)]
pub struct GuardedClock(Arc<Inner>);

struct Inner {
    clock: Arc<dyn Clock>,
    guard: Mutex<Guard>,
}

impl Inner {
    fn guard(&self) -> MutexGuard<'_, Guard> {
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GuardedClock {
    /// Guards a clock, whose present time is believed.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let guarded = Self(Arc::new(Inner { clock, guard: Mutex::default() }));
        guarded.now();
        guarded
    }
}

impl Clock for GuardedClock {
    fn now(&self) -> Timestamp {
        let (now_ms, change) = self.0.guard().look(reading(&*self.0.clock));
        report(change);
        Timestamp::from_millis(now_ms)
    }

    fn alarm(&self) -> Box<dyn Alarm> {
        Box::new(GuardedAlarm { clock: self.clone(), alarm: self.0.clock.alarm() })
    }

    fn jump(&self) -> Option<Jump> {
        self.0.guard().jump(reading(&*self.0.clock))
    }
}

fn report(change: Change) {
    match change {
        Change::None => {}
        Change::Doubted(jump) => tracing::warn!(
            ahead_ms = jump.ahead_ms,
            believed_in_ms = jump.left_ms,
            "the wall clock has jumped forward; the time goes on from before until it has stood: set it right, or restart the server to have it believed at once"
        ),
        Change::Believed(ahead_ms) => {
            tracing::warn!(ahead_ms, "the wall clock has stood since its jump forward, and is believed now");
        }
        Change::Back => tracing::warn!("the wall clock is back from its jump forward; nothing has gone by it"),
    }
}

struct GuardedAlarm {
    clock: GuardedClock,
    alarm: Box<dyn Alarm>,
}

impl Alarm for GuardedAlarm {
    fn wait_until(&mut self, at: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            match self.clock.jump() {
                None => self.alarm.wait_until(at).await,
                Some(jump) => tokio::select! {
                    () = self.alarm.wait_until(at + i64::try_from(jump.ahead_ms).unwrap_or(i64::MAX)) => {}
                    () = pause(jump.left_ms) => {}
                },
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    #[tokio::test]
    async fn alarm_rings_by_the_time_that_is_shown() {
        let start = Timestamp::from_millis(1_767_225_600_000);
        let manual = ManualClock::new(start);
        let clock = GuardedClock::new(Arc::new(manual.clone()));
        let month = 30 * 86_400_000;
        manual.set(start + month);
        let shown = clock.now();
        assert!(shown.since(start) < 60_000, "{shown}");
        assert!(clock.jump().is_some_and(|jump| jump.ahead_ms.abs_diff(month.unsigned_abs()) < 60_000));
        let mut alarm = clock.alarm();
        alarm.wait_until(shown).await;
        let later = tokio::spawn(async move { alarm.wait_until(shown + 3_600_000).await });
        tokio::task::yield_now().await;
        assert!(!later.is_finished(), "an hour of the time that is shown has not passed");
        later.abort();
        manual.set(start + 1);
        assert_eq!((clock.now(), clock.jump()), (start + 1, None));
    }
}
