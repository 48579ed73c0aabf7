//! Alerts, their channels, rules, silences and messages in tables.

use mainspring_api::{AlertChannel, AlertDelivery, AlertRule, AlertSilence, AlertSpec, OpenAlert};

use super::{optional, text};
use crate::output::{Column, View};

/// Columns of what is wrong.
pub const ALERT: View<OpenAlert> = View {
    columns: &[
        Column::usual("JOB", |it, _| text(format!("{}/{}", it.namespace, it.job))),
        Column::usual("CONDITION", |it, _| text(&it.condition)),
        Column::usual("SINCE", |it, style| text(style.at(Some(it.since)))),
        Column::usual("TIMES", |it, _| text(it.count)),
        Column::usual("RUN", |it, _| optional(it.run.as_ref())),
        Column::usual("TOLD", |it, style| text(style.at(it.told_at))),
        Column::usual("CHANNELS", |it, _| text(it.channels.join(", "))),
        Column::usual("SILENCED UNTIL", |it, style| text(style.at(it.silence.as_ref().map(|silence| silence.until)))),
        Column::extra("LAST", |it, style| text(style.at(Some(it.last_at)))),
        Column::extra("SILENCED BY", |it, _| optional(it.silence.as_ref().map(|silence| &silence.by))),
        Column::extra("WHY SILENCED", |it, _| optional(it.silence.as_ref().map(|silence| &silence.reason))),
    ],
    name: |it| format!("{}/{} {}", it.namespace, it.job, it.condition),
    empty: "nothing is wrong that anybody wants to be told",
};

/// Columns of channels.
pub const ALERT_CHANNEL: View<AlertChannel> = View {
    columns: &[
        Column::usual("NAME", |it, _| text(&it.name)),
        Column::usual("KIND", |it, _| text(&it.kind)),
        Column::usual("LAST MESSAGE", |it, style| {
            text(style.at(it.last_delivery.as_ref().and_then(|delivery| delivery.ended_at)))
        }),
        Column::usual("RESULT", |it, _| optional(it.last_delivery.as_ref().map(|delivery| delivery.state))),
        Column::usual("CHANGED", |it, style| text(style.at(Some(it.updated_at)))),
        Column::extra("ERROR", |it, _| {
            optional(it.last_delivery.as_ref().and_then(|delivery| delivery.error.as_ref()))
        }),
        Column::extra("VERSION", |it, _| text(it.version)),
    ],
    name: |it| it.name.clone(),
    empty: "no channels",
};

/// Columns of rules.
pub const ALERT_RULE: View<AlertRule> = View {
    columns: &[
        Column::usual("NAME", |it, _| text(&it.name)),
        Column::usual("JOBS", |it, _| text(jobs(it))),
        Column::usual("CONDITIONS", |it, _| text(joined(&it.spec.alerts, conditions))),
        Column::usual("CHANNELS", |it, _| text(joined(&it.spec.alerts, |alert| alert.channels.clone()))),
        Column::usual("CHANGED", |it, style| text(style.at(Some(it.updated_at)))),
        Column::extra("VERSION", |it, _| text(it.version)),
    ],
    name: |it| it.name.clone(),
    empty: "no rules; those of job files are not listed",
};

/// Columns of silences.
pub const ALERT_SILENCE: View<AlertSilence> = View {
    columns: &[
        Column::usual("ID", |it, _| text(&it.id)),
        Column::usual("JOBS", |it, _| text(silenced(it))),
        Column::usual("UNTIL", |it, style| text(style.at(Some(it.until)))),
        Column::usual("BY", |it, _| text(&it.by)),
        Column::usual("REASON", |it, _| text(&it.reason)),
        Column::extra("CREATED", |it, style| text(style.at(Some(it.created_at)))),
    ],
    name: |it| it.id.clone(),
    empty: "nothing is silenced",
};

/// Columns of messages.
pub const ALERT_DELIVERY: View<AlertDelivery> = View {
    columns: &[
        Column::usual("ID", |it, _| text(&it.id)),
        Column::usual("CHANNEL", |it, _| text(&it.channel)),
        Column::usual("TYPE", |it, _| text(&it.kind)),
        Column::usual("SUBJECT", |it, _| text(&it.subject)),
        Column::usual("STATE", |it, _| text(it.state)),
        Column::usual("ATTEMPTS", |it, _| text(it.attempts)),
        Column::usual("CREATED", |it, style| text(style.at(Some(it.created_at)))),
        Column::usual("NEXT", |it, style| text(style.at(it.next_at))),
        Column::usual("ERROR", |it, _| optional(it.error.as_ref())),
        Column::extra("ENDED", |it, style| text(style.at(it.ended_at))),
        Column::extra("RUN", |it, _| optional(it.run.as_ref())),
    ],
    name: |it| it.id.clone(),
    empty: "no messages",
};

fn jobs(rule: &AlertRule) -> String {
    let spec = &rule.spec;
    let labels: Vec<_> = spec.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    scope(spec.namespace.as_deref(), spec.job.as_deref(), &labels)
}

fn silenced(silence: &AlertSilence) -> String {
    let labels: Vec<_> = silence.label.iter().cloned().collect();
    scope(silence.namespace.as_deref(), silence.job.as_deref(), &labels)
}

fn scope(namespace: Option<&str>, job: Option<&str>, labels: &[String]) -> String {
    let place = match (namespace, job) {
        (None, _) => None,
        (Some(namespace), Some(job)) => Some(format!("{namespace}/{job}")),
        (Some(namespace), None) => Some(format!("{namespace}/*")),
    };
    let parts: Vec<_> = place.into_iter().chain(labels.iter().cloned()).collect();
    if parts.is_empty() { "all".to_owned() } else { parts.join(" ") }
}

fn conditions(alert: &AlertSpec) -> Vec<String> {
    let words = [
        alert.failed.then(|| "failed".to_owned()),
        alert.failed_in_row.map(|count| format!("failed_in_row {count}")),
        alert.late.as_ref().map(|text| format!("late {text}")),
        alert.runs_longer.as_ref().map(|text| format!("runs_longer {text}")),
        alert.misfired.then(|| "misfired".to_owned()),
        alert.deadline_missed.then(|| "deadline_missed".to_owned()),
    ];
    words.into_iter().flatten().collect()
}

fn joined(alerts: &[AlertSpec], of: fn(&AlertSpec) -> Vec<String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for word in alerts.iter().flat_map(of) {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all.join(", ")
}
