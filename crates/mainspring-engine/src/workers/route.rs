//! Picking workers for the runs of routed jobs, and waking those that were picked.
//!
//! What is picked is the store's to say, whichever node asks. A worker's own line is looked at by the node that hears it: this notes
//! for each session here whether there is something in its line.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use mainspring_core::line::Line;
use mainspring_core::workers::BEAT_MS;
use mainspring_store::{Error as StoreError, Routed, causes};
use rustc_hash::FxHashSet;

use super::session::Session;
use super::{Inner, Workers, lock};
use crate::clock::{boot_ms, pause};

/// Runs that are routed at a time.
const ROUTE_MAX: u32 = 500;
/// How long to wait before the next look, at least: what comes meanwhile is routed together.
const REST_MS: u64 = 10;

impl Workers {
    /// Routes whenever there may be something to route. Never ends.
    pub(crate) async fn route(self) {
        let mut began_ms = 0;
        loop {
            self.0.routes.notified().await;
            // Without workers here, what is left behind is still tidied up.
            if lock(&self.0.sessions).is_empty() && boot_ms() - began_ms < BEAT_MS {
                continue;
            }
            began_ms = boot_ms();
            match self.0.store.route(self.0.time.now(), ROUTE_MAX).await {
                Ok(routed) => {
                    self.0.call(&routed);
                    if routed.moved > 0 {
                        // What it ended may have been a task.
                        self.0.workflows.wake();
                    }
                    if routed.moved >= ROUTE_MAX {
                        self.0.routes.notify_one();
                    }
                }
                Err(StoreError::Closed) => return,
                // The next count of the workers looks again.
                Err(error) => {
                    tracing::warn!(error = %causes(&error), "workers could not be picked for runs; trying again")
                }
            }
            // Under load it takes half of the time at most.
            pause((boot_ms() - began_ms).max(REST_MS)).await;
        }
    }
}

impl Inner {
    /// Wakes the workers in whose lines runs wait.
    fn call(&self, routed: &Routed) {
        let names: FxHashSet<&str> = routed.lines.iter().filter_map(|line| Line::parse(line).worker()).collect();
        if names.is_empty() {
            return;
        }
        let called: Vec<Arc<Session>> = {
            let sessions = lock(&self.sessions);
            sessions.values().filter(|session| names.contains(&*session.name)).cloned().collect()
        };
        for session in called {
            session.called.store(true, Ordering::Release);
            session.wake.notify_waiters();
        }
    }
}
