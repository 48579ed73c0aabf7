//! What leaves a queue first, and what people have changed about it, in tables.

use mainspring_api::{QueueAction, QueueChange, QueueSettings, Run};
use serde::Serialize;

use super::{optional, text};
use crate::output::{Column, View, duration};

/// A run that waits, with its place in the queue.
#[derive(Debug, Clone, Serialize)]
pub struct PlacedRun {
    place: usize,
    #[serde(flatten)]
    run: Run,
}

/// Numbers runs that leave one after the other, from 1.
#[must_use]
pub fn placed(runs: Vec<Run>) -> Vec<PlacedRun> {
    (1..).zip(runs).map(|(place, run)| PlacedRun { place, run }).collect()
}

/// Columns of runs that leave a queue first.
pub const QUEUE_HEAD: View<PlacedRun> = View {
    columns: &[
        Column::usual("PLACE", |it, _| text(it.place)),
        Column::usual("ID", |it, _| text(&it.run.id)),
        Column::usual("JOB", |it, _| match &it.run.task {
            Some(task) => text(format_args!("{}/{task}", it.run.job)),
            None => text(&it.run.job),
        }),
        Column::usual("NAMESPACE", |it, _| text(&it.run.namespace)),
        Column::usual("DUE", |it, style| text(style.at(it.run.due_at))),
        Column::usual("PRIORITY", |it, _| text(it.run.priority)),
        Column::extra("ATTEMPT", |it, _| text(it.run.attempt + 1)),
        Column::extra("WORKER", |it, _| optional(it.run.worker.as_ref())),
    ],
    name: |it| it.run.id.clone(),
    empty: "nothing waits in it",
};

/// Columns of what people have changed about a queue.
pub const QUEUE_CHANGE: View<QueueChange> = View {
    columns: &[
        Column::usual("AT", |it, style| text(style.at(Some(it.at)))),
        Column::usual("BY", |it, _| text(&it.by)),
        Column::usual("WHAT", |it, _| text(what(it))),
        Column::usual("REASON", |it, _| optional(it.reason.as_ref())),
        Column::extra("ACTION", |it, _| text(it.action)),
        Column::extra("RUN", |it, _| optional(it.run.as_ref())),
        Column::extra("JOB", |it, _| optional(it.job.as_ref())),
    ],
    name: |it| it.id.clone(),
    empty: "no changes in the last 90 days",
};

/// A change in words.
fn what(it: &QueueChange) -> String {
    let run = it.run.as_ref().map_or_else(|| "a run".to_owned(), |run| format!("run {run}"));
    match it.action {
        QueueAction::Set => it.settings.as_ref().map_or_else(|| "set".to_owned(), |it| set(it.before, it.after)),
        QueueAction::Pause => "paused".to_owned(),
        QueueAction::Resume => "resumed".to_owned(),
        QueueAction::Move => {
            let to = it.to.as_deref().unwrap_or("another queue");
            let which = if it.run.is_some() { run } else { format!("{} runs", it.runs.unwrap_or(0)) };
            format!("{which} moved to {to}")
        }
        QueueAction::Place => {
            let to = it.to.as_ref().map_or_else(String::new, |to| format!(" {to}"));
            let priority =
                it.priority.map_or_else(String::new, |it| format!(", priority {} -> {}", it.before, it.after));
            format!("{run} placed{to}{priority}")
        }
        QueueAction::Drop => format!("{run} dropped"),
        QueueAction::Unknown => it.action.to_string(),
    }
}

/// What differs between two settings, in words.
fn set(before: QueueSettings, after: QueueSettings) -> String {
    let number = |number: Option<u32>| number.map_or_else(|| "none".to_owned(), |number| number.to_string());
    let rate = |it: QueueSettings| {
        it.rate.map_or_else(|| "none".to_owned(), |rate| format!("{}/{}", rate.count, duration(rate.per_ms.into())))
    };
    let yes = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let of = |it: QueueSettings| {
        [
            ("paused", yes(it.paused)),
            ("max running", number(it.max_running)),
            ("rate", rate(it)),
            ("max waiting", number(it.max_waiting)),
        ]
    };
    let differs = of(before).into_iter().zip(of(after)).filter(|(before, after)| before != after);
    differs.map(|((name, before), (_, after))| format!("{name} {before} -> {after}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use mainspring_api::QueueRate;

    use super::*;

    #[test]
    fn change_of_limits_says_what_differs() {
        let before = QueueSettings { max_running: Some(5), ..QueueSettings::default() };
        let rate = Some(QueueRate { count: 100, per_ms: 60_000 });
        let after = QueueSettings { max_running: Some(10), rate, ..before };
        assert_eq!(set(before, after), "max running 5 -> 10, rate none -> 100/1m");
        assert_eq!(set(before, before), "");
    }
}
