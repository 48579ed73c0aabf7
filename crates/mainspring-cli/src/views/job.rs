//! Jobs in tables.

use mainspring_api::{Job, JobData, JobVersion, Task};

use super::{json, labels, optional, text, yes};
use crate::output::{Column, View, counted, dash, state};

/// Columns of jobs.
pub const JOB: View<Job> = View {
    columns: &[
        Column::usual("NAME", |it, _| text(&it.name)),
        Column::usual("STATE", |it, _| state(if it.paused { "paused" } else { "active" })),
        Column::usual("NEXT", |it, style| text(style.at(it.next_fire_at))),
        Column::usual("LEFT", |it, style| text(style.left(it.next_fire_at))),
        Column::usual("LAST", |it, style| {
            let last = it.last_run.as_ref();
            text(style.at(last.and_then(|run| run.started_at.or(run.fire_at))))
        }),
        Column::usual("RESULT", |it, _| {
            it.last_run.as_ref().map_or_else(|| text("-"), |run| state(run.state.as_str()))
        }),
        Column::usual("ACTIVE", |it, _| text(it.active_runs)),
        Column::extra("NAMESPACE", |it, _| text(&it.namespace)),
        Column::extra("DESCRIPTION", |it, _| optional(it.spec.description.as_ref())),
        Column::extra("OWNER", |it, _| optional(it.spec.owner.as_ref())),
        Column::extra("TASK", |it, _| text(task(it))),
        Column::extra("LABELS", |it, _| text(labels(&it.spec.labels))),
        Column::extra("FOLLOWED BY", |it, _| {
            text(if it.followed_by.is_empty() { dash() } else { it.followed_by.join(" ") })
        }),
        Column::extra("VERSION", |it, _| text(it.version)),
        Column::extra("PAUSED", |it, _| yes(it.paused)),
        Column::extra("PAUSED BY", |it, _| optional(it.paused_by.as_ref())),
        Column::extra("PAUSED SINCE", |it, style| text(style.at(it.paused_at))),
        Column::extra("REASON", |it, _| optional(it.pause_reason.as_ref())),
        Column::extra("CREATED", |it, style| text(style.at(Some(it.created_at)))),
        Column::extra("UPDATED", |it, style| text(style.at(Some(it.updated_at)))),
        Column::extra("ID", |it, _| text(&it.id)),
    ],
    name: |it| it.name.clone(),
    empty: "no jobs; make some: mainspring apply -f FILE",
};

/// Columns of versions of a job.
pub const JOB_VERSION: View<JobVersion> = View {
    columns: &[
        Column::usual("VERSION", |it, _| text(it.version)),
        Column::usual("SAVED", |it, style| text(style.at(Some(it.saved_at)))),
        Column::usual("FROM", |it, _| optional(it.saved_from.as_ref())),
        Column::usual("BY", |it, _| optional(it.saved_by.as_ref())),
        Column::usual("CURRENT", |it, _| yes(it.current)),
        Column::extra("DESCRIPTION", |it, _| optional(it.spec.description.as_ref())),
    ],
    name: |it| it.version.to_string(),
    empty: "no versions are kept",
};

/// What a job keeps between its runs.
pub const JOB_DATA: View<JobData> = View {
    columns: &[
        Column::usual("DATA", |it, _| json(Some(&it.data))),
        Column::usual("REVISION", |it, _| text(it.revision)),
        Column::usual("RUN", |it, _| optional(it.run.as_ref())),
        Column::usual("CHANGED", |it, style| text(style.at(it.changed_at))),
    ],
    name: |it| it.data.to_string(),
    empty: "no data",
};

/// The task in one line: its kind and the beginning of what it does.
fn task(job: &Job) -> String {
    let (kind, what) = match job.spec.task() {
        None if !job.spec.tasks.is_empty() => return format!("workflow: {}", counted(job.spec.tasks.len(), "task")),
        None => return dash(),
        Some(Task::Noop) => return "noop".to_owned(),
        Some(Task::Run(script)) => ("run", script.to_owned()),
        Some(Task::Exec(argv)) => ("exec", argv.join(" ")),
        Some(Task::Script(script)) => (script.language.as_str(), script.source.clone()),
        Some(Task::Http(http)) => ("http", http.url.clone()),
        Some(Task::Handler(name)) => ("handler", name.to_owned()),
        Some(Task::Xxl(xxl)) => ("xxl", format!("{} of {}", xxl.handler, xxl.app)),
    };
    let mut lines = what.trim().lines();
    let first = lines.next().unwrap_or_default();
    let more = if lines.next().is_some() { " …" } else { "" };
    format!("{kind}: {first}{more}")
}
