//! The time that goes into records: right also on a node whose clock is known to be wrong.

use std::sync::Arc;

use mainspring_core::Timestamp;
use mainspring_core::cluster::Status;
use tokio::sync::watch;

use super::{Clock, reading};

/// This node's clock, or the database's where the node's is surely further from it than a limit and others fire.
///
/// It has no alarm: what is waited for by the node's clock is not asked of this one.
#[derive(Clone)]
pub(crate) struct RightTime {
    clock: Arc<dyn Clock>,
    cluster: watch::Receiver<Option<Arc<Status>>>,
    limit_ms: u64,
}

impl RightTime {
    pub(crate) fn new(clock: Arc<dyn Clock>, cluster: watch::Receiver<Option<Arc<Status>>>, limit_ms: u64) -> Self {
        Self { clock, cluster, limit_ms }
    }

    /// The present instant.
    pub(crate) fn now(&self) -> Timestamp {
        let database_clock = self.cluster.borrow().as_ref().and_then(|status| status.database_clock);
        match database_clock {
            Some(database) => Timestamp::from_millis(database.correct(reading(&*self.clock), self.limit_ms)),
            None => self.clock.now(),
        }
    }
}
