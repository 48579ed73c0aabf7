//! Reasons in tables.

use mainspring_api::{Why, WhyReason};
use serde::Serialize;

use super::{optional, text};
use crate::output::{Column, View};

/// A reason with what it is about.
#[derive(Debug, Serialize)]
pub struct Because {
    subject: String,
    #[serde(flatten)]
    reason: WhyReason,
}

impl Because {
    /// The reasons of an answer, one by one.
    pub fn all(why: Why) -> impl Iterator<Item = Self> {
        let Why { subject, reasons } = why;
        reasons.into_iter().map(move |reason| Self { subject: subject.clone(), reason })
    }
}

/// Columns of reasons.
pub const WHY: View<Because> = View {
    columns: &[
        Column::usual("ABOUT", |it, _| match &it.reason.trigger {
            None if it.reason.task.is_some() => optional(it.reason.task.as_ref()),
            // A trigger's own key ends with its name already.
            Some(trigger) if it.subject.matches('/').count() == 1 => text(format_args!("{}/{trigger}", it.subject)),
            _ => text(&it.subject),
        }),
        Column::usual("WHY", |it, _| text(it.reason.code)),
        Column::usual("REASON", |it, _| text(&it.reason.message)),
        Column::usual("LEFT", |it, style| text(style.left(it.reason.until))),
        Column::usual("HINT", |it, _| optional(it.reason.hint.as_ref())),
        Column::extra("UNTIL", |it, style| text(style.at(it.reason.until))),
        Column::extra("RUNS", |it, _| text(it.reason.runs.join(" "))),
    ],
    name: |it| format!("{} {}", it.subject, it.reason.code),
    empty: "nothing is known",
};
