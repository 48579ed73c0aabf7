//! Limits of labels in tables.

use mainspring_api::LabelLimit;

use super::text;
use crate::output::{Column, View};

/// Columns of labels.
pub const LABEL: View<LabelLimit> = View {
    columns: &[
        Column::usual("LABEL", |it, _| text(&it.label)),
        Column::usual("RUNNING", |it, _| text(it.running)),
        Column::usual("MAX RUNNING", |it, _| text(it.max_running)),
    ],
    name: |it| it.label.clone(),
    empty: "no limits of labels",
};
