//! Who could execute a run, in tables.

use mainspring_api::Taker;

use super::{optional, text};
use crate::output::{Column, View};

/// Columns of servers and workers that could execute a run, or not.
pub const TAKER: View<Taker> = View {
    columns: &[
        Column::usual("NAME", |it, _| text(&it.name)),
        Column::usual("KIND", |it, _| {
            text(if it.kind == mainspring_api::TakerKind::Node { "server" } else { "worker" })
        }),
        Column::usual("COULD", |it, _| text(it.fit)),
        Column::usual("SLOTS", |it, _| {
            let taken = it.running.zip(it.slots).map(|(running, slots)| format!("{running}/{slots}"));
            optional(taken)
        }),
        Column::usual("WHY NOT", |it, _| {
            let reasons: Vec<&str> = it.reasons.iter().map(|reason| reason.message.as_str()).collect();
            text(reasons.join("; "))
        }),
        Column::extra("ID", |it, _| text(&it.id)),
        Column::extra("VERSION", |it, _| optional(it.version.as_ref())),
    ],
    name: |it| it.name.clone(),
    empty: "no servers and no workers",
};
