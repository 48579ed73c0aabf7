//! The record of a test so far, kept outside of it, so that it can be reported even when the test ends early.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::client::Record;
use crate::nemesis::Done;

/// See the [module](self).
#[derive(Debug, Default)]
pub(crate) struct Notes {
    record: Arc<Mutex<Record>>,
    /// The faults, by their places in the plan.
    faults: Mutex<BTreeMap<usize, Done>>,
    planned: AtomicUsize,
    logs: Mutex<Vec<String>>,
}

impl Notes {
    /// Returns the record of the clients.
    pub(crate) fn record(&self) -> Arc<Mutex<Record>> {
        Arc::clone(&self.record)
    }

    /// Writes down how many faults there are to be.
    pub(crate) fn plan(&self, count: usize) {
        self.planned.store(count, Ordering::Relaxed);
    }

    pub(crate) fn planned(&self) -> usize {
        self.planned.load(Ordering::Relaxed)
    }

    /// Writes down that a fault has begun, or what is known of it by now.
    pub(crate) fn fault(&self, place: usize, done: Done) {
        locked(&self.faults).insert(place, done);
    }

    /// Returns a fault that has begun.
    pub(crate) fn begun(&self, place: usize) -> Option<Done> {
        locked(&self.faults).get(&place).cloned()
    }

    /// Returns all faults so far, in the order of the plan.
    pub(crate) fn faults(&self) -> Vec<Done> {
        locked(&self.faults).values().cloned().collect()
    }

    /// Keeps what the nodes have said.
    pub(crate) fn logs(&self, logs: Vec<String>) {
        *locked(&self.logs) = logs;
    }

    /// Returns all of it.
    pub(crate) fn take(&self) -> (Record, Vec<Done>, Vec<String>) {
        (std::mem::take(&mut *locked(&self.record)), self.faults(), std::mem::take(&mut *locked(&self.logs)))
    }
}

fn locked<T>(kept: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
