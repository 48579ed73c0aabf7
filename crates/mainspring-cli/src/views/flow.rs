//! Flows, their components, queues and items in tables.

use mainspring_api::{FlowComponent, FlowConnection, FlowItem, FlowNode, FlowPool, FlowSummary};

use super::{optional, text, yes};
use crate::output::{Column, View};

/// Columns of flows.
pub const FLOW: View<FlowSummary> = View {
    columns: &[
        Column::usual("NAMESPACE", |it, _| text(&it.namespace)),
        Column::usual("FLOW", |it, _| text(&it.name)),
        Column::usual("COMPONENTS", |it, _| text(it.components)),
        Column::usual("RUNNING", |it, _| text(it.running)),
        Column::usual("SAVED", |it, style| text(style.at(Some(it.saved_at)))),
        Column::usual("DESCRIPTION", |it, _| optional(it.description.as_ref())),
        Column::extra("VERSION", |it, _| text(it.version)),
    ],
    name: |it| format!("{}/{}", it.namespace, it.name),
    empty: "no flows",
};

/// Columns of components.
pub const FLOW_COMPONENT: View<FlowComponent> = View {
    columns: &[
        Column::usual("COMPONENT", |it, _| text(&it.name)),
        Column::usual("STATE", |it, _| text(&it.state)),
        Column::usual("ACTIVE", |it, _| text(active(it))),
        Column::usual("IN", |it, _| text(it.items_in)),
        Column::usual("OUT", |it, _| text(it.items_out)),
        Column::usual("TASKS", |it, _| text(it.tasks)),
        Column::usual("WHY", |it, _| text(&it.why)),
        Column::extra("TASK MS", |it, _| text(it.task_ms)),
        Column::extra("NEXT", |it, style| text(style.at(it.next_fire))),
        Column::extra("MISSED", |it, _| text(it.missed)),
        Column::extra("LAST SKIP", |it, style| text(style.at(it.last_skip_at))),
        Column::extra("BLOCKED", |it, _| optional(it.blocked.as_ref())),
    ],
    name: |it| it.name.clone(),
    empty: "no components",
};

/// Columns of connections.
pub const FLOW_CONNECTION: View<FlowConnection> = View {
    columns: &[
        Column::usual("CONNECTION", |it, _| text(&it.name)),
        Column::usual("ITEMS", |it, _| text(it.items)),
        Column::usual("BYTES", |it, _| text(it.bytes)),
        Column::usual("PERCENT", |it, _| text(it.percent)),
        Column::usual("IN FLIGHT", |it, _| text(it.in_flight)),
        Column::usual("FULL", |it, _| yes(it.full)),
        Column::extra("PENALISED", |it, _| text(it.penalised)),
        Column::extra("MAX ITEMS", |it, _| text(it.max_items)),
        Column::extra("MAX BYTES", |it, _| text(it.max_bytes)),
    ],
    name: |it| it.name.clone(),
    empty: "no connections",
};

/// Columns of components that run on every node, node by node.
pub const FLOW_NODE: View<(String, FlowNode)> = View {
    columns: &[
        Column::usual("COMPONENT", |(component, _), _| text(component)),
        Column::usual("NODE", |(_, it), _| text(&it.node)),
        Column::usual("ACTIVE", |(_, it), _| text(it.active)),
        Column::usual("TASKS", |(_, it), _| text(it.tasks)),
        Column::usual("WAITING", |(_, it), _| text(it.waiting)),
        Column::usual("BLOCKED", |(_, it), _| optional(it.blocked.as_ref())),
        Column::extra("TASK MS", |(_, it), _| text(it.task_ms)),
    ],
    name: |(component, it)| format!("{component}@{}", it.node),
    empty: "no nodes",
};

/// Columns of pools.
pub const FLOW_POOL: View<FlowPool> = View {
    columns: &[
        Column::usual("POOL", |it, _| text(&it.name)),
        Column::usual("SIZE", |it, _| text(it.size)),
        Column::usual("ACTIVE", |it, _| text(it.active)),
    ],
    name: |it| it.name.clone(),
    empty: "no pools",
};

/// Columns of items.
pub const FLOW_ITEM: View<FlowItem> = View {
    columns: &[
        Column::usual("ITEM", |it, _| text(it.id)),
        Column::usual("BYTES", |it, _| text(it.bytes)),
        Column::usual("ENTERED", |it, style| text(style.at(Some(it.entered_at)))),
        Column::usual("PENALISED UNTIL", |it, style| text(style.at(it.penalty_until))),
        Column::usual("RETRIES", |it, _| text(it.retries)),
    ],
    name: |it| it.id.to_string(),
    empty: "no items",
};

/// Bodies that run, and in brackets those that were terminated and go on.
fn active(it: &FlowComponent) -> String {
    if it.terminated == 0 { it.active.to_string() } else { format!("{} ({})", it.active, it.terminated) }
}
