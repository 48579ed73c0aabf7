//! Plans of reruns that were shown: kept for a day, so that a plan that no longer holds is refused with what is different.

use std::collections::BTreeMap;

use mainspring_api::{ErrorCode, Problem};
use mainspring_core::workflow::rerun::{Action, TableRow};
use mainspring_engine::control::{CascadePlan, RerunPlan};
use mainspring_store::{Document, DocumentExpect};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::refusal::{Answer, Refusal};

const KIND: &str = "rerun_plan";
const KEPT_MS: i64 = 86_400_000;
/// Tasks of a plan that is kept; of a larger one it can only be said that it no longer holds.
const TASKS_MAX: usize = 10_000;
/// Differences that are listed.
const LISTED_MAX: usize = 20;

/// What is kept of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Remembered {
    run: String,
    version: i64,
    rerun_as: Option<String>,
    /// What happens to each task and how it had ended, in words.
    tasks: BTreeMap<String, String>,
    /// What happens to each date of other workflows that depends on it, in words.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    dependants: BTreeMap<String, String>,
}

impl Remembered {
    pub(crate) fn of(plan: &RerunPlan) -> Self {
        // What goes on beside the plan is no part of it.
        let is_planned = |row: &&TableRow| {
            !row.is_group && (!plan.is_in_place() || !matches!(row.action, Action::Keep | Action::GoesOn))
        };
        let task = |row: &TableRow| {
            let state = row.state.map_or("without record", |state| state.as_str());
            (row.name.clone(), format!("{} ({state}, {})", row.action, row.reason))
        };
        Self {
            run: plan.run.id.to_string(),
            version: plan.version.0,
            rerun_as: plan.rerun_as.map(|run| run.to_string()),
            tasks: plan.rows.iter().filter(is_planned).map(task).collect(),
            dependants: BTreeMap::new(),
        }
    }

    /// The same with what depends on it.
    pub(crate) fn of_cascade(plan: &CascadePlan) -> Self {
        let rows = plan.backfill.rows_below().into_iter();
        let dependants = rows.map(|(key, trigger, row)| {
            let name = format!("{}/{trigger}/{}", key.name, row.fire_time);
            let run = row.run.map_or("no run".to_owned(), |run| format!("run {run}"));
            (name, format!("{} ({run}, {})", row.action, row.why.as_deref().unwrap_or_default()))
        });
        Self { dependants: dependants.collect(), ..Self::of(&plan.rerun) }
    }
}

/// Keeps a plan under its name.
pub(crate) async fn remember(app: &App, hash: &str, plan: Remembered) -> Answer<()> {
    if plan.tasks.len() + plan.dependants.len() > TASKS_MAX {
        return Ok(());
    }
    let now = app.now();
    let document = Document {
        kind: KIND.to_owned(),
        name: hash.to_owned(),
        body: serde_json::to_string(&plan).expect("plain data has a text"),
        version: 0,
        at: now,
        expires_at: Some(now + KEPT_MS),
    };
    app.control().store().put_document(document, DocumentExpect::Anything).await?;
    Ok(())
}

/// The plan of a name, if it was kept.
pub(crate) async fn find(app: &App, hash: &str) -> Answer<Option<Remembered>> {
    if hash.is_empty() || hash.len() > 64 || !hash.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Ok(None);
    }
    let found = app.control().store().document(KIND, hash, app.now()).await?;
    Ok(found.and_then(|document| serde_json::from_str(&document.body).ok()))
}

/// Refuses a plan in whose place there is another one by now.
pub(crate) fn stale(hash: &str, before: Option<&Remembered>, plan: &RerunPlan) -> Refusal {
    refused(hash, before, plan, Remembered::of(plan))
}

/// The same of a plan with what depends on it.
pub(crate) fn stale_cascade(hash: &str, before: Option<&Remembered>, plan: &CascadePlan) -> Refusal {
    refused(hash, before, &plan.rerun, Remembered::of_cascade(plan))
}

fn refused(hash: &str, before: Option<&Remembered>, plan: &RerunPlan, now: Remembered) -> Refusal {
    let shown: String = hash.chars().take(64).collect();
    let detail = format!("plan \"{}\" no longer holds: the plan is {} by now", shown.escape_debug(), plan.hash);
    let differences = match before {
        Some(before) => differences(before, &now),
        None => vec![(String::new(), "what was planned is not known any more".to_owned())],
    };
    let mut refusal = Refusal::new(ErrorCode::RunPlanStale, detail.clone())
        .hint(format!("look at it with `mainspring run rerun {} … --dry-run`, then apply {}", plan.run.id, plan.hash));
    let listed = differences
        .iter()
        .take(LISTED_MAX)
        .map(|(pointer, what)| Problem::new(ErrorCode::RunPlanStale, what.clone()).at(pointer.clone()));
    refusal.0.errors = std::iter::once(Problem::new(ErrorCode::RunPlanStale, detail)).chain(listed).collect();
    refusal.0.errors_omitted = differences.len().saturating_sub(LISTED_MAX) as u64;
    refusal
}

/// What is different, each with where in the plan.
fn differences(before: &Remembered, now: &Remembered) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if before.run != now.run {
        found.push(("/run".to_owned(), format!("that plan is of run {}", before.run)));
        return found;
    }
    if before.rerun_as != now.rerun_as {
        let what = match &now.rerun_as {
            Some(run) => format!("run {run} has repeated it meanwhile"),
            None => "no run repeats it any more".to_owned(),
        };
        found.push(("/rerun_as".to_owned(), what));
    }
    if before.version != now.version {
        let what = format!("version {} would run, and version {} was planned", now.version, before.version);
        found.push(("/version".to_owned(), what));
    }
    let names: std::collections::BTreeSet<&String> = before.tasks.keys().chain(now.tasks.keys()).collect();
    for name in names {
        let (then, by_now) = (before.tasks.get(name), now.tasks.get(name));
        if then != by_now {
            let word = |it: Option<&String>| it.map_or("no such task".to_owned(), Clone::clone);
            found
                .push((format!("/tasks/{name}"), format!("task {name}: {}; planned was {}", word(by_now), word(then))));
        }
    }
    let dates: std::collections::BTreeSet<&String> = before.dependants.keys().chain(now.dependants.keys()).collect();
    for date in dates {
        let (then, by_now) = (before.dependants.get(date), now.dependants.get(date));
        if then != by_now {
            let word = |it: Option<&String>| it.map_or("no such date".to_owned(), Clone::clone);
            let what = format!("{date}: {}; planned was {}", word(by_now), word(then));
            found.push(("/dependants".to_owned(), what));
        }
    }
    if found.is_empty() {
        found.push((String::new(), "other tasks were selected".to_owned()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(rerun_as: Option<&str>, version: i64, tasks: &[(&str, &str)]) -> Remembered {
        let tasks = tasks.iter().map(|(name, what)| ((*name).to_owned(), (*what).to_owned())).collect();
        let dependants = BTreeMap::new();
        Remembered { run: "r".into(), version, rerun_as: rerun_as.map(str::to_owned), tasks, dependants }
    }

    #[test]
    fn differences_name_what_came_between() {
        let before = plan(None, 1, &[("a", "rerun"), ("b", "keep")]);
        let texts = |now: &Remembered| differences(&before, now).into_iter().map(|(_, what)| what).collect::<Vec<_>>();
        assert_eq!(texts(&before), ["other tasks were selected"]);
        assert_eq!(texts(&Remembered { run: "s".into(), ..before.clone() }), ["that plan is of run r"]);
        let now = plan(Some("x"), 2, &[("a", "keep"), ("c", "rerun")]);
        assert_eq!(
            texts(&now),
            [
                "run x has repeated it meanwhile",
                "version 2 would run, and version 1 was planned",
                "task a: keep; planned was rerun",
                "task b: no such task; planned was keep",
                "task c: rerun; planned was no such task",
            ]
        );
        let dependants = BTreeMap::from([("report/daily/1970".to_owned(), "create (no run, it needs r)".to_owned())]);
        let now = Remembered { dependants, ..before.clone() };
        assert_eq!(texts(&now), ["report/daily/1970: create (no run, it needs r); planned was no such date"]);
    }
}
