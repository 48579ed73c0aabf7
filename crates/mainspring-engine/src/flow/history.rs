//! What flows did minute by minute: written by their owners, read by any node.

use std::collections::BTreeMap;

use mainspring_core::Timestamp;
use mainspring_core::flow::Minute;
use mainspring_store::{FlowMinute, FlowStore, Result, causes};

/// Returns the minutes of a flow from an instant up to another one, the oldest first. Minutes in which nothing happened are left out.
///
/// # Errors
/// The store does not answer.
pub async fn minutes(
    store: &dyn FlowStore,
    flow: i64,
    from: Timestamp,
    until: Timestamp,
) -> Result<Vec<(Timestamp, Minute)>> {
    let mut minutes = BTreeMap::<Timestamp, Minute>::new();
    for row in store.flow_minutes(flow, from, until).await? {
        // What a newer program has written is left out.
        let Ok(minute) = serde_json::from_str::<Minute>(&row.figures) else { continue };
        minutes.entry(row.at).or_default().add(minute);
    }
    Ok(minutes.into_iter().collect())
}

/// A minute that is to be kept.
#[derive(Debug)]
pub(super) struct Due {
    pub(super) flow: i64,
    pub(super) epoch: i64,
    pub(super) at: Timestamp,
    pub(super) minute: Minute,
    /// For how long minutes of the flow are kept, in ms.
    pub(super) kept_ms: i64,
}

impl Due {
    /// Keeps it. One that cannot be kept is given up: charts have a gap then.
    pub(super) async fn keep(self, store: &dyn FlowStore) {
        let Self { flow, epoch, at, minute, kept_ms } = self;
        let figures = serde_json::to_string(&minute).expect("plain data has a text");
        if let Err(error) = store.put_flow_minute(flow, FlowMinute { at, epoch, figures }, at - kept_ms).await {
            tracing::debug!(flow, error = %causes(&error), "a minute of a flow could not be kept");
        }
    }
}

#[cfg(test)]
mod tests {
    use mainspring_core::flow::{Counters, MINUTES_KEPT_MS};
    use mainspring_store::{FlowWrite, MemoryStore};

    use super::*;

    fn did(tasks: u64) -> Minute {
        let counters = Counters { tasks, ..Counters::default() };
        Minute { components: [("work".to_owned(), counters)].into(), ..Minute::default() }
    }

    #[tokio::test]
    async fn minutes_of_owners_in_turn_are_read_together_for_a_day() {
        let store = MemoryStore::new();
        let flow = FlowWrite {
            namespace: "default".into(),
            name: "f".into(),
            definition: "{}".into(),
            source: "{}".into(),
            states: "{}".into(),
            expect: None,
            touched: None,
            at: Timestamp::from_millis(0),
        };
        let id = store.save_flow(flow).await.expect("save_flow").id;
        let at = |minute: i64| Timestamp::from_millis(minute * 60_000);
        let keep = async |epoch, minute, tasks| {
            let due = Due { flow: id, epoch, at: at(minute), minute: did(tasks), kept_ms: MINUTES_KEPT_MS };
            due.keep(&store).await;
        };
        for (minute, tasks) in [(0, 1), (1, 2), (1, 3), (1_440, 5)] {
            let epoch = store.take_flow(id).await.expect("take_flow").expect("it is there");
            keep(epoch, minute, tasks).await;
        }
        // An owner that has lost the flow keeps nothing.
        keep(1, 7, 9).await;
        let read = minutes(&store, id, at(0), at(2_000)).await.expect("minutes");
        assert_eq!(read, [(at(0), did(1)), (at(1), did(5)), (at(1_440), did(5))]);
        keep(4, 1_441, 6).await;
        let read = minutes(&store, id, at(0), at(2_000)).await.expect("minutes");
        assert_eq!(read.first().map(|(at, _)| *at), Some(at(1)), "a minute more than a day ago is forgotten");
    }
}
