//! A bound on waits for other processes: one that hangs is killed, and the wait is over.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// Does something that waits for a process; kills the process if that takes longer than a limit.
pub fn within<T>(limit: Duration, process: u32, work: impl FnOnce() -> T) -> T {
    let (done, waits) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if waits.recv_timeout(limit) == Err(RecvTimeoutError::Timeout)
                && let Some(pid) = i32::try_from(process).ok().and_then(Pid::from_raw)
            {
                // It may have ended just now.
                let _killed = kill_process(pid, Signal::KILL);
            }
        });
        let value = work();
        drop(done);
        value
    })
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn process_that_hangs_is_killed_and_one_that_ends_in_time_is_not() {
        let cat = || Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let mut hangs = cat();
        // Its stdin stays open, so it does not end by itself.
        let stdin = hangs.stdin.take();
        let status = within(Duration::from_millis(50), hangs.id(), || hangs.wait()).unwrap();
        assert!(!status.success());
        drop(stdin);
        let mut ends = cat();
        drop(ends.stdin.take());
        assert!(within(Duration::from_secs(60), ends.id(), || ends.wait()).unwrap().success());
    }
}
