//! Files that tasks may have open at a time, so that a run waits for room in place of failing for want of it.

use std::sync::Arc;

use rustix::process::{Resource, getrlimit};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::task::Task;

/// What a process takes: four files while it runs, more while it starts.
const PROCESS: u32 = 6;
/// What an HTTP call takes: its connection, and a query for its address.
const CALL: u32 = 2;
/// Files that a server has open without tasks: store, log, timers.
const OTHERS: u64 = 32;
/// More than any process may have open.
const MOST: u64 = 1 << 20;

/// Room for files of tasks.
#[derive(Debug)]
pub(crate) struct Room {
    free: Arc<Semaphore>,
    files: u64,
}

impl Room {
    /// Makes room for so many files, or for what the process may open: three quarters, less what it needs itself. One process fits always.
    pub(crate) fn new(files: Option<u64>) -> Self {
        let own = || getrlimit(Resource::Nofile).current.map_or(MOST, |most| (most / 4 * 3).saturating_sub(OTHERS));
        let files = files.unwrap_or_else(own).clamp(PROCESS.into(), MOST);
        Self { free: Arc::new(Semaphore::new(usize::try_from(files).unwrap_or(Semaphore::MAX_PERMITS))), files }
    }

    /// Takes room for a task, if there is some now.
    pub(crate) fn try_take(&self, task: &Task) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.free).try_acquire_many_owned(needs(task)).ok()
    }

    /// Takes room for a task, when tasks that came before have left some.
    pub(crate) async fn take(&self, task: &Task) -> OwnedSemaphorePermit {
        Arc::clone(&self.free).acquire_many_owned(needs(task)).await.expect("the room is never closed")
    }

    /// Says that a task waits.
    pub(crate) fn remark(&self) -> String {
        format!("waiting: this process may open no more files for now; its tasks have room for {}", self.files)
    }
}

fn needs(task: &Task) -> u32 {
    match task {
        Task::Noop => 0,
        Task::Http(_) => CALL,
        Task::Run { .. } | Task::Exec { .. } | Task::Script(_) => PROCESS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_as_many_as_fit_and_always_for_one() {
        let process = || Task::Exec { argv: vec!["true".to_owned()] };
        for (files, fit) in [(0, 1), (6, 1), (11, 1), (12, 2), (60, 10)] {
            let room = Room::new(Some(files));
            let taken: Vec<_> = std::iter::from_fn(|| room.try_take(&process())).collect();
            assert_eq!(taken.len(), fit, "{files}");
            assert!(room.try_take(&Task::Noop).is_some(), "nothing needs no room");
            drop(taken);
            assert!(room.try_take(&process()).is_some());
        }
    }
}
