//! What flows did minute by minute, as lines of a table.

use mainspring_api::{FlowCounts, FlowHeld, FlowMinute, Timestamp};
use serde::Serialize;

use super::{optional, text};
use crate::output::{Column, View};

/// What one component did in a minute, or what one queue held at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FlowMoment {
    /// When the minute began.
    pub at: Timestamp,
    /// The component or queue.
    pub name: String,
    /// What a component did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did: Option<FlowCounts>,
    /// What a queue held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<FlowHeld>,
}

/// Returns a line for each component and queue of each minute.
#[must_use]
pub fn moments(minutes: &[FlowMinute]) -> Vec<FlowMoment> {
    let of = |minute: &FlowMinute| {
        let at = minute.at;
        let did = minute.components.iter().map(move |(name, it)| (at, name.clone(), Some(*it), None));
        let held = minute.queues.iter().map(move |(name, it)| (at, name.clone(), None, Some(*it)));
        did.chain(held).collect::<Vec<_>>()
    };
    minutes.iter().flat_map(of).map(|(at, name, did, held)| FlowMoment { at, name, did, held }).collect()
}

/// Columns of a history.
pub const FLOW_MOMENT: View<FlowMoment> = View {
    columns: &[
        Column::usual("MINUTE", |it, style| text(style.at(Some(it.at)))),
        Column::usual("NAME", |it, _| text(&it.name)),
        Column::usual("IN", |it, _| optional(it.did.map(|did| did.items_in))),
        Column::usual("OUT", |it, _| optional(it.did.map(|did| did.items_out))),
        Column::usual("TASKS", |it, _| optional(it.did.map(|did| did.tasks))),
        Column::usual("TASK MS", |it, _| optional(it.did.map(|did| did.task_ms))),
        Column::usual("ITEMS", |it, _| optional(it.held.map(|held| held.items))),
        Column::usual("BYTES", |it, _| optional(it.held.map(|held| held.bytes))),
    ],
    name: |it| it.name.clone(),
    empty: "nothing happened",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_has_a_line_for_each_component_and_queue_of_a_minute() {
        let minute = FlowMinute {
            at: "2026-03-29T10:00:00Z".parse().unwrap(),
            components: [("work".to_owned(), FlowCounts { tasks: 3, ..FlowCounts::default() })].into(),
            queues: [("make:work".to_owned(), FlowHeld { items: 2, bytes: 8 })].into(),
        };
        let names: Vec<String> = moments(&[minute]).into_iter().map(|it| it.name).collect();
        assert_eq!(names, ["work", "make:work"]);
    }
}
