//! What became of the items of an import.

use mainspring_xxl::import::{Item, Kind, Outcome};

use super::text;
use crate::output::{Column, View};

/// Columns of what an import did.
pub const IMPORTED: View<Item> = View {
    columns: &[
        Column::usual("OUTCOME", |it, _| text(outcome(it.outcome))),
        Column::usual("KIND", |it, _| text(kind(it.kind))),
        Column::usual("ID", |it, _| text(it.id)),
        Column::usual("NAME", |it, _| text(&it.name)),
        Column::usual("BECOMES", |it, _| text(it.becomes.as_deref().unwrap_or_default())),
        Column::usual("NOTES", |it, _| text(it.notes.join("; "))),
    ],
    name: |it| format!("{} {}", kind(it.kind), it.id),
    empty: "the dump holds nothing",
};

const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Exact => "exact",
        Outcome::Changed => "changed",
        Outcome::Refused => "refused",
    }
}

const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::App => "app",
        Kind::Job => "job",
        Kind::User => "user",
        Kind::Database => "database",
    }
}
