//! What each node keeps in the store of how late its handlers were entered, so that any node can tell of all: nodes need no way to each other.

use std::sync::Arc;

use mainspring_core::{Incarnation, Timestamp};
use mainspring_store::{Result, Store};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::clock::Clock;
use crate::lateness::Lateness;
use crate::metrics::Metrics;

/// How often a node keeps its counts.
const KEEP_EVERY_MS: i64 = 10_000;

/// What a node has kept for the others.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Kept {
    incarnation: String,
    at_ms: i64,
    lateness: Lateness,
}

fn setting(node: &str) -> String {
    format!("lateness/{node}")
}

/// What a node of another process has kept, and when; nothing if that was an earlier start of it.
pub(crate) async fn of_node(
    store: &dyn Store,
    name: &str,
    incarnation: Incarnation,
) -> Result<Option<(Timestamp, Lateness)>> {
    let kept = store.setting(&setting(name)).await?;
    let kept = kept.and_then(|text| serde_json::from_str::<Kept>(&text).ok());
    let kept = kept.filter(|kept| kept.incarnation == incarnation.to_string());
    Ok(kept.map(|kept| (Timestamp::from_millis(kept.at_ms), kept.lateness)))
}

/// Keeps a node's counts for the others, as long as it is not dropped.
pub(crate) struct Keeper {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) incarnation: watch::Receiver<Incarnation>,
    pub(crate) name: String,
}

impl Keeper {
    pub(crate) async fn run(self) {
        let mut alarm = self.clock.alarm();
        let mut kept = (Incarnation(0), Lateness::default());
        loop {
            alarm.wait_until(self.clock.now() + KEEP_EVERY_MS).await;
            let incarnation = *self.incarnation.borrow();
            let now = (incarnation, self.metrics.recent.at(self.clock.now()));
            if now != kept {
                match self.keep(&now).await {
                    Ok(()) => kept = now,
                    Err(error) => {
                        tracing::debug!(error = %mainspring_store::causes(&error), "this node's lateness could not be kept for the others")
                    }
                }
            }
        }
    }

    async fn keep(&self, (incarnation, lateness): &(Incarnation, Lateness)) -> Result<()> {
        let (incarnation, lateness) = (incarnation.to_string(), lateness.clone());
        let kept = Kept { incarnation, at_ms: self.clock.now().as_millis(), lateness };
        let text = serde_json::to_string(&kept).expect("plain data has a text");
        self.store.set_setting(&setting(&self.name), &text).await
    }
}
