//! A clock that is wrong on purpose: for tests of nodes whose clocks differ, or are set.

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use mainspring_core::Timestamp;

use super::{Alarm, Clock, SystemClock};

/// How soon who waits hears that the clock was set.
const LOOK_EVERY_MS: i64 = 20;

/// The machine's clock, moved by the milliseconds that a file says. The file is read again at each look at the clock; while
/// it holds no number, the last one stays.
#[derive(Clone, Debug)]
pub struct ShiftedClock {
    file: Arc<PathBuf>,
    offset_ms: Arc<AtomicI64>,
}

impl ShiftedClock {
    /// A clock that is off by what a file says.
    ///
    /// # Errors
    /// The file cannot be read, or holds no whole number.
    pub fn new(file: impl Into<PathBuf>) -> io::Result<Self> {
        let clock = Self { file: Arc::new(file.into()), offset_ms: Arc::default() };
        clock.offset_ms.store(clock.read()?, Ordering::Relaxed);
        Ok(clock)
    }

    fn read(&self) -> io::Result<i64> {
        let text = std::fs::read_to_string(&*self.file)?;
        text.trim().parse().map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    fn offset_ms(&self) -> i64 {
        if let Ok(offset_ms) = self.read() {
            self.offset_ms.store(offset_ms, Ordering::Relaxed);
        }
        self.offset_ms.load(Ordering::Relaxed)
    }
}

impl Clock for ShiftedClock {
    fn now(&self) -> Timestamp {
        SystemClock.now() + self.offset_ms()
    }

    fn alarm(&self) -> Box<dyn Alarm> {
        Box::new(ShiftedAlarm { clock: self.clone(), alarm: SystemClock.alarm() })
    }
}

struct ShiftedAlarm {
    clock: ShiftedClock,
    alarm: Box<dyn Alarm>,
}

impl Alarm for ShiftedAlarm {
    fn wait_until(&mut self, at: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            let offset_ms = self.clock.offset_ms();
            // Nobody rings when a file is written, so the wait ends early to look.
            loop {
                let now = SystemClock.now();
                if now + offset_ms >= at || self.clock.offset_ms() != offset_ms {
                    return;
                }
                let look_at = now + LOOK_EVERY_MS;
                self.alarm.wait_until(look_at.min(at.saturating_add(-offset_ms))).await;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn clock_is_off_by_what_the_file_says_and_rings_when_that_changes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("offset");
        assert!(ShiftedClock::new(&file).is_err());
        std::fs::write(&file, "an hour").unwrap();
        assert_eq!(ShiftedClock::new(&file).unwrap_err().kind(), io::ErrorKind::InvalidData);

        std::fs::write(&file, "3600000\n").unwrap();
        let clock = ShiftedClock::new(&file).unwrap();
        let ahead = |clock: &ShiftedClock| clock.now().since(SystemClock.now());
        assert!((3_590_000..=3_600_000).contains(&ahead(&clock)));
        let mut alarm = clock.alarm();
        alarm.wait_until(clock.now() + 5).await;
        let waiting = tokio::spawn({
            let at = clock.now() + 3_000_000;
            async move { alarm.wait_until(at).await }
        });
        // It waits before the clock is set.
        tokio::task::yield_now().await;
        std::fs::write(&file, "-3600000").unwrap();
        waiting.await.unwrap();
        assert!((-3_610_000..=-3_600_000).contains(&ahead(&clock)));
        std::fs::write(&file, "").unwrap();
        assert!(ahead(&clock) <= -3_600_000, "half a file is none");
    }
}
