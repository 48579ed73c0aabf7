//! The cluster, its nodes and its shards in tables.

use mainspring_api::{Cluster, Node, NodeLateness, Shard, ShardMove};

use super::{optional, text, yes};
use crate::output::{Column, View, counted, dash, duration, state};

/// Columns of the cluster as a whole.
pub const CLUSTER: View<Cluster> = View {
    columns: &[
        Column::usual("STORE", |it, _| text(&it.store)),
        Column::usual("ANSWERED BY", |it, _| {
            optional(it.nodes.iter().find(|node| node.answering).map(|node| &node.name))
        }),
        Column::usual("SHARDS", |it, _| {
            let owned = it.shards.iter().filter(|shard| shard.owner.is_some()).count();
            text(format_args!("{owned} of {} have an owner", it.shards.len()))
        }),
        Column::usual("NODES", |it, _| {
            let lines: Vec<String> = it.nodes.iter().map(line).collect();
            text(lines.join("\n"))
        }),
    ],
    name: |it| it.node.clone(),
    empty: "no cluster",
};

/// Columns of nodes.
pub const NODE: View<Node> = View {
    columns: &[
        Column::usual("NAME", |it, _| text(&it.name)),
        Column::usual("STATE", |it, _| state(it.state.as_str())),
        Column::usual("SHARDS", |it, _| text(it.shards)),
        Column::usual("SILENT", |it, _| text(duration(i64::try_from(it.silent_ms).unwrap_or(i64::MAX)))),
        Column::usual("CLOCK", |it, _| text(clock(it.clock_offset_ms))),
        Column::usual("ANSWERS", |it, _| yes(it.answering)),
        Column::usual("VERSION", |it, _| text(&it.version)),
        Column::usual("ADDRESS", |it, _| optional(it.address.as_ref())),
        Column::extra("ID", |it, _| text(&it.id)),
        Column::extra("ANSWER MS", |it, _| optional(it.answer_ms)),
        Column::extra("CLAIM US", |it, _| optional(it.claim_us)),
        Column::extra("DRAIN ASKED", |it, _| yes(it.drain_asked)),
        Column::extra("STARTED", |it, style| text(style.at(it.started_at))),
        Column::extra("SLOTS", |it, _| optional(it.slots)),
        Column::extra("SLOTS USED", |it, _| optional(it.slots_used)),
        Column::extra("TZDATA", |it, _| optional(it.tzdata.as_ref())),
    ],
    name: |it| it.name.clone(),
    empty: "no nodes",
};

/// Columns of lateness.
pub const LATENESS: View<NodeLateness> = View {
    columns: &[
        Column::usual("NODE", |it, _| text(&it.name)),
        Column::usual("STARTED", |it, _| text(it.lateness.entered)),
        Column::usual("P50", |it, _| text(late(it.lateness.p50_ms))),
        Column::usual("P99", |it, _| text(late(it.lateness.p99_ms))),
        Column::usual("MAX", |it, _| text(late(it.lateness.max_ms))),
        Column::usual("COUNTED", |it, style| text(style.at(it.at))),
        Column::extra("ID", |it, _| text(&it.node)),
    ],
    name: |it| it.name.clone(),
    empty: "no nodes",
};

/// Columns of shards.
pub const SHARD: View<Shard> = View {
    columns: &[
        Column::usual("SHARD", |it, _| text(it.number)),
        Column::usual("NODE", |it, _| optional(it.node.as_ref())),
        Column::usual("EPOCH", |it, _| optional(it.epoch)),
        Column::extra("OWNER", |it, _| optional(it.owner.as_ref())),
    ],
    name: |it| it.number.to_string(),
    empty: "no such shards",
};

/// Columns of moves of shards.
pub const SHARD_MOVE: View<ShardMove> = View {
    columns: &[
        Column::usual("AT", |it, style| text(style.at(Some(it.at)))),
        Column::usual("FROM", |it, _| optional(it.from.as_ref())),
        Column::usual("TO", |it, _| text(&it.to)),
        Column::usual("SHARDS", |it, _| text(it.shards.len())),
        Column::usual("NO OWNER FOR", |it, _| text(duration(i64::try_from(it.unowned_ms).unwrap_or(i64::MAX)))),
        Column::extra("NUMBERS", |it, _| text(it.shards.iter().map(u32::to_string).collect::<Vec<_>>().join(","))),
    ],
    name: |it| it.to.clone(),
    empty: "no shard has moved since this server started",
};

fn line(node: &Node) -> String {
    let silent = match node.silent_ms {
        0..SILENT_MS => String::new(),
        silent_ms => format!(", silent for {}", duration(i64::try_from(silent_ms).unwrap_or(i64::MAX))),
    };
    format!("{}: {}, {}{silent}", node.name, node.state, counted(node.shards as usize, "shard"))
}

/// Two renewals: a shorter silence means nothing.
const SILENT_MS: u64 = 2_000;

fn late(ms: Option<u32>) -> String {
    ms.map_or_else(dash, |ms| format!("{ms}ms"))
}

pub(super) fn clock(offset_ms: Option<i64>) -> String {
    offset_ms.map_or_else(dash, |offset_ms| format!("{offset_ms:+}ms"))
}
