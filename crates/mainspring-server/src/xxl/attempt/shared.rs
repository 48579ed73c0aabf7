//! State of an attempt that others read, and their requests to it.

use std::sync::{Mutex, OnceLock};

use mainspring_core::RunId;
use mainspring_xxl::Stop;
use tokio::sync::watch;

use crate::xxl::executors::Key;
use crate::xxl::ledger::Sent;
use crate::xxl::sync::lock;

/// An attempt, for those who hear of it.
#[derive(Debug)]
pub(in crate::xxl) struct Attempt {
    pub(in crate::xxl) run: RunId,
    pub(in crate::xxl) attempt: u32,
    pub(super) sent: OnceLock<Sent>,
    /// The executor that has it, or is being sent it.
    sends_to: Mutex<Option<Key>>,
    pub(super) stop: watch::Sender<Option<Stop>>,
    pub(super) over: watch::Sender<bool>,
}

impl Attempt {
    pub(in crate::xxl) fn new(run: RunId, attempt: u32) -> Self {
        Self {
            run,
            attempt,
            sent: OnceLock::new(),
            sends_to: Mutex::default(),
            stop: watch::Sender::new(None),
            over: watch::Sender::new(false),
        }
    }

    /// Why its end was asked for, if it was.
    pub(in crate::xxl) fn stop(&self) -> Option<Stop> {
        *self.stop.borrow()
    }

    /// Asks for its end. The first reason stays.
    pub(in crate::xxl) fn ask_stop(&self, why: Stop) {
        self.stop.send_if_modified(|stop| stop.is_none().then(|| *stop = Some(why)).is_some());
    }

    /// Its number, once it has one.
    pub(in crate::xxl) fn log_id(&self) -> Option<i64> {
        self.sent().map(|sent| sent.log_id)
    }

    /// What is written down of it, once that is. It may have gone to another executor since.
    pub(in crate::xxl) fn sent(&self) -> Option<&Sent> {
        self.sent.get()
    }

    /// The executor that has it, or is being sent it.
    pub(in crate::xxl) fn sends_to(&self) -> Option<Key> {
        lock(&self.sends_to).clone()
    }

    /// Notes which executor that is.
    pub(in crate::xxl) fn goes_to(&self, key: Key) {
        *lock(&self.sends_to) = Some(key);
    }

    /// Notes that it is over and recorded.
    pub(in crate::xxl) fn end(&self) {
        self.over.send_replace(true);
    }

    pub(super) fn is_over(&self) -> bool {
        *self.over.borrow()
    }
}
