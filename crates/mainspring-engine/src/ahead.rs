//! Notices triggers with records of the future. A clock that was ahead leaves these, and such a trigger is silent until the last.

use std::sync::Arc;

use mainspring_core::cluster::Reading;
use mainspring_core::jump::{JUMP_MS, SetBack};
use mainspring_store::{Store, causes};

use crate::clock::{RightTime, boot_ms, pause};
use crate::metrics::Metrics;

/// From one look at the clocks to the next.
const LOOK_MS: u64 = 5_000;
/// Triggers that are counted.
const COUNTED_MAX: u32 = 1_000;

/// Looks for such triggers at the start, when the clock was set back, and for as long as there are some.
pub(crate) struct Ahead {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) time: RightTime,
    pub(crate) metrics: Arc<Metrics>,
}

impl Ahead {
    pub(crate) async fn run(self) {
        let mut clock = SetBack::default();
        // A look that failed is made up for.
        let mut is_owed = false;
        loop {
            let now = self.time.now();
            let is_back = clock.look(Reading { boot_ms: boot_ms(), wall_ms: now.as_millis() });
            if is_back || is_owed || self.metrics.triggers_ahead.get() > 0 {
                // What is nearer is over soon, and clocks of nodes may be apart by as much.
                let found = self.store.triggers_ahead(now + JUMP_MS.cast_signed(), COUNTED_MAX).await;
                is_owed = found.is_err();
                match found {
                    Ok(found) => self.note(found.len()),
                    Err(mainspring_store::Error::Closed) => return,
                    Err(error) => {
                        tracing::warn!(error = %causes(&error), "could not look for records of the future; trying again");
                    }
                }
            }
            pause(LOOK_MS).await;
        }
    }

    /// Says it once, and once that it is over.
    fn note(&self, count: usize) {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let before = self.metrics.triggers_ahead.set(count);
        if before == 0 && count > 0 {
            tracing::warn!(
                triggers = count,
                "triggers have fired for instants to come, because a clock was ahead, and are silent until then: mainspring doctor names them, mainspring trigger reanchor --all lets them fire again"
            );
        } else if before > 0 && count == 0 {
            tracing::info!("no trigger has records of the future any more");
        }
    }
}
