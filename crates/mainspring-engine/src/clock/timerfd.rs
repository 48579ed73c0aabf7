//! Waiting with a timer descriptor on the wall clock: exact to some 30 µs, right across suspends, and woken at once
//! when the clock is set.

use std::future::Future;
use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;

use mainspring_core::Timestamp;
use rustix::io::Errno;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use tokio::io::unix::AsyncFd;

use super::Alarm;

pub(super) struct TimerAlarm {
    fd: AsyncFd<OwnedFd>,
}

impl TimerAlarm {
    pub(super) fn new() -> io::Result<Self> {
        let fd = timerfd_create(TimerfdClockId::Realtime, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        #[expect(
            deprecated,
            reason = "its replacement is unsafe; an owned descriptor that is never replaced upholds it"
        )]
        let fd = AsyncFd::new(fd)?;
        Ok(Self { fd })
    }

    fn set(&self, at: Timestamp) -> io::Result<()> {
        // A value of zero would disarm the timer; an instant in the past rings at once.
        let millis = at.as_millis().clamp(1, 253_370_764_799_999);
        let value = Timespec { tv_sec: millis / 1_000, tv_nsec: millis % 1_000 * 1_000_000 };
        let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
        timerfd_settime(self.fd.get_ref(), TimerfdTimerFlags::ABSTIME | TimerfdTimerFlags::CANCEL_ON_SET, &once)?;
        Ok(())
    }

    async fn wait(&self) -> io::Result<()> {
        loop {
            let mut ready = self.fd.readable().await?;
            let mut count = [0; 8];
            match rustix::io::read(self.fd.get_ref(), &mut count) {
                Err(Errno::AGAIN) => ready.clear_ready(),
                // The clock was set: the caller reads it again.
                Ok(_) | Err(Errno::CANCELED) => {
                    ready.clear_ready();
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Alarm for TimerAlarm {
    fn wait_until(&mut self, at: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            let waited = match self.set(at) {
                Ok(()) => self.wait().await,
                Err(error) => Err(error),
            };
            if let Err(error) = waited {
                tracing::warn!(%error, "the timer failed; waiting with the runtime's");
                super::SleepAlarm.wait_until(at).await;
            }
        })
    }
}
