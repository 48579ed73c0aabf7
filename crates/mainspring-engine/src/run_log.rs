//! The log of an attempt whose handler runs in this process. Nothing is made until the handler writes a line.

use std::fmt;
use std::time::Duration;

use mainspring_core::RunId;
use mainspring_tasks::{LogLimits, TextLog};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use crate::log_lane::LogLane;

/// How long a verdict waits for the last lines to be stored.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where the lines of one attempt go.
pub(crate) struct RunLog {
    lane: LogLane,
    limits: LogLimits,
    run: RunId,
    attempt: u32,
    state: Mutex<State>,
}

enum State {
    Unused,
    Open(Box<TextLog>, JoinHandle<()>),
    /// The attempt is over; clones of its context may still be there.
    Closed,
}

impl RunLog {
    pub(crate) fn new(lane: LogLane, limits: LogLimits, run: RunId, attempt: u32) -> Self {
        Self { lane, limits, run, attempt, state: Mutex::new(State::Unused) }
    }

    pub(crate) async fn write(&self, text: &str) {
        let mut state = self.state.lock().await;
        if matches!(*state, State::Unused) {
            let (writer, stored) = self.lane.writer(self.run, self.attempt);
            *state = State::Open(Box::new(TextLog::new(writer, self.limits)), stored);
        }
        if let State::Open(log, _) = &mut *state {
            log.write(text).await;
        }
    }

    /// Stores what is left: who sees the verdict is to see the whole log. A store that takes none does not keep the verdict back.
    pub(crate) async fn close(&self) {
        if let State::Open(log, stored) = std::mem::replace(&mut *self.state.lock().await, State::Closed) {
            log.close().await;
            let _ = tokio::time::timeout(PATIENCE, stored).await;
        }
    }
}

impl fmt::Debug for RunLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunLog").field("run", &self.run).field("attempt", &self.attempt).finish_non_exhaustive()
    }
}
