//! Misfires in tables.

use mainspring_api::MisfireItem;
use serde::Serialize;

use super::{optional, text};
use crate::output::{Column, View, state};

/// Columns of misfires.
pub const MISFIRE: View<MisfireItem> = View {
    columns: &[
        Column::usual("FIRST", |it, style| text(style.at(Some(it.first)))),
        Column::usual("LAST", |it, style| text(style.at(Some(it.last)))),
        Column::usual("COUNT", |it, _| text(it.count)),
        Column::usual("JOB", |it, _| text(&it.job)),
        Column::usual("OUTCOME", |it, _| state(&it.outcome)),
        Column::usual("CAUSE", |it, _| text(&it.cause)),
        Column::usual("POLICY", |it, _| text(&it.policy)),
        Column::usual("RECORDED", |it, style| text(style.at(Some(it.recorded_at)))),
        Column::extra("NAMESPACE", |it, _| text(&it.namespace)),
        Column::extra("TRIGGER", |it, _| optional(it.trigger.as_ref())),
        Column::extra("BACKFILL", |it, _| optional(it.backfill.as_ref())),
        Column::extra("BACKFILLED", |it, _| text(it.backfilled)),
        Column::extra("ID", |it, _| text(&it.id)),
    ],
    name: |it| it.id.clone(),
    empty: "no misfires",
};

/// Misfires that have a word in common.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MisfireGroup {
    /// The word.
    pub group: String,
    /// Records of them.
    pub records: u64,
    /// Instants that were missed.
    pub missed: u64,
    /// Instants that were suppressed.
    pub suppressed: u64,
}

/// Columns of groups of misfires.
pub const MISFIRE_GROUP: View<MisfireGroup> = View {
    columns: &[
        Column::usual("GROUP", |it, _| text(&it.group)),
        Column::usual("RECORDS", |it, _| text(it.records)),
        Column::usual("MISSED", |it, _| text(it.missed)),
        Column::usual("SUPPRESSED", |it, _| text(it.suppressed)),
    ],
    name: |it| it.group.clone(),
    empty: "no misfires",
};
