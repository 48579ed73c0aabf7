//! Moves pages from the write-ahead log to the database, on a thread of its own: the writer goes on meanwhile.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::open;

/// Pages in the log that make a checkpoint worth its syncs.
const PAGES_MIN: i32 = 1_000;

/// Tells the thread when the log has grown.
pub(super) struct Checkpointer {
    signal: Arc<Signal>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Signal {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    grown: bool,
    stopping: bool,
}

impl Checkpointer {
    pub(super) fn start(path: &Path) -> std::io::Result<Self> {
        let connection = open::writer_again(path).map_err(std::io::Error::other)?;
        let signal = Arc::<Signal>::default();
        let heard = signal.clone();
        let thread = std::thread::Builder::new().name("mainspring-sqlite-checkpoint".into()).spawn(move || {
            while heard.wait() {
                // Passive: it waits for nobody and stands in nobody's way. If it fails, the log is kept and the
                // next one tries again; the writer meets the same disk and reports it.
                let _later = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            }
        })?;
        Ok(Self { signal, thread: Some(thread) })
    }

    /// Says how many pages the log has.
    pub(super) fn grown(&self, pages: i32) {
        if pages >= PAGES_MIN {
            self.signal.state.lock().unwrap_or_else(PoisonError::into_inner).grown = true;
            self.signal.changed.notify_one();
        }
    }

    /// Ends the thread and closes its connection.
    pub(super) fn stop(&mut self) {
        self.signal.state.lock().unwrap_or_else(PoisonError::into_inner).stopping = true;
        self.signal.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // It reports nothing that the writer would not.
            let _ended = thread.join();
        }
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Signal {
    /// Waits until the log has grown. False: the store is being closed.
    fn wait(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !state.grown && !state.stopping {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.grown = false;
        !state.stopping
    }
}
