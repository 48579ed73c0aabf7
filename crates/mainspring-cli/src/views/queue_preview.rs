//! What other limits of a queue would do, in a table.

use mainspring_api::{QueueEffect, QueuePreview};
use serde::Serialize;

use super::{optional, text, yes};
use crate::output::{Column, View, duration};

/// What limits do to the runs of a queue.
#[derive(Debug, Clone, Serialize)]
pub struct Effect {
    limits: &'static str,
    running: u64,
    #[serde(flatten)]
    effect: QueueEffect,
}

/// What the present limits do, and what others would do.
#[must_use]
pub fn effects(preview: QueuePreview) -> Vec<Effect> {
    let QueuePreview { running, before, after, .. } = preview;
    [("now", before), ("then", after)].map(|(limits, effect)| Effect { limits, running, effect }).to_vec()
}

/// Columns of what limits do.
pub const QUEUE_EFFECT: View<Effect> = View {
    columns: &[
        Column::usual("LIMITS", |it, _| text(it.limits)),
        Column::usual("MAY LEAVE", |it, _| text(it.effect.leave)),
        Column::usual("WAIT ON", |it, _| text(it.effect.wait)),
        Column::usual("RUNNING", |it, _| text(it.running)),
        Column::usual("BEYOND", |it, _| text(it.effect.over)),
        Column::usual("TAKES", |it, _| {
            optional(it.effect.drain_ms.map(|ms| duration(i64::try_from(ms).unwrap_or(i64::MAX))))
        }),
        Column::usual("REFUSES", |it, _| yes(it.effect.refuses)),
    ],
    name: |it| it.limits.to_owned(),
    empty: "",
};
