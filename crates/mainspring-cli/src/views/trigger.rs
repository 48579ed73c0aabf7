//! Triggers in tables.

use mainspring_api::{Gap, Trigger, TriggerState};

use super::{optional, text, yes};
use crate::output::{Column, View, state};

/// Columns of triggers.
pub const TRIGGER: View<Trigger> = View {
    columns: &[
        Column::usual("TRIGGER", |it, _| text(name(it))),
        Column::usual("STATE", |it, _| state(word(it))),
        Column::usual("NEXT", |it, style| text(style.at(it.next_fire_at))),
        Column::usual("LEFT", |it, style| text(style.left(it.next_fire_at))),
        Column::usual("PREVIOUS", |it, style| text(style.at(it.previous_fire_at))),
        Column::usual("SCHEDULE", |it, _| text(&it.explanation)),
        Column::usual("ZONE", |it, _| text(&it.timezone)),
        Column::extra("NAMESPACE", |it, _| text(&it.namespace)),
        Column::extra("JOB", |it, _| text(&it.job)),
        Column::extra("KIND", |it, _| text(it.kind.as_str())),
        Column::extra("CALENDAR", |it, _| optional(it.calendar.as_ref())),
        Column::extra("MISFIRE", |it, _| text(word_of(&it.misfire))),
        Column::extra("SEMANTICS", |it, _| text(word_of(&it.semantics))),
        Column::extra("DUE", |it, style| text(style.at(it.due_at))),
        Column::extra("FIRES", |it, _| text(it.times_triggered)),
        Column::extra("PAUSED", |it, _| yes(it.paused)),
        Column::extra("PAUSED BY", |it, _| optional(it.paused_by.as_ref())),
        Column::extra("PAUSED SINCE", |it, style| text(style.at(it.paused_at))),
        Column::extra("JOB PAUSED", |it, _| yes(it.job_paused)),
        Column::extra("BLOCKED", |it, _| yes(it.blocked)),
        Column::extra("AWAITING", |it, _| optional(it.awaiting_run.as_ref())),
        Column::extra("REASON", |it, _| optional(it.state_reason.as_ref().or(it.pause_reason.as_ref()))),
        Column::extra("VERSION", |it, _| text(it.version)),
        Column::extra("ID", |it, _| text(&it.id)),
    ],
    name,
    empty: "no triggers",
};

/// Columns of instants that did not fire.
pub const GAP: View<Gap> = View {
    columns: &[
        Column::usual("FIRST", |it, style| text(style.at(Some(it.first)))),
        Column::usual("LAST", |it, style| text(style.at(Some(it.last)))),
        Column::usual("COUNT", |it, _| text(it.count)),
        Column::usual("OUTCOME", |it, _| text(&it.outcome)),
        Column::usual("REASON", |it, _| text(&it.reason)),
        Column::usual("POLICY", |it, _| text(&it.policy)),
        Column::usual("RECORDED", |it, style| text(style.at(Some(it.recorded_at)))),
        Column::usual("BACKFILL", |it, _| optional(it.backfill.as_ref())),
        Column::extra("BACKFILLED", |it, _| text(it.backfilled)),
        Column::extra("TRIGGER", |it, _| text(&it.trigger)),
        Column::extra("ID", |it, _| text(&it.id)),
    ],
    name: |gap| gap.id.clone(),
    empty: "every instant up to now has fired",
};

fn name(trigger: &Trigger) -> String {
    format!("{}/{}", trigger.job, trigger.name)
}

/// What matters most about it: one that was put aside needs somebody; a paused one does not fire, whatever its state.
fn word(trigger: &Trigger) -> &'static str {
    if trigger.state == TriggerState::Error {
        return trigger.state.as_str();
    }
    match (trigger.paused || trigger.job_paused, trigger.blocked) {
        (true, _) => "paused",
        (false, true) => "blocked",
        (false, false) => trigger.state.as_str(),
    }
}

/// The word that an enum has on the wire.
fn word_of(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
