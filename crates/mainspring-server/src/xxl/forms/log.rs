//! `/joblog/…`: what was sent to executors.

use std::collections::BTreeMap;

use mainspring_core::JobId;
use mainspring_core::run::RunState;
use mainspring_store::{RunInfo, RunQuery};
use mainspring_xxl::Fields;
use serde_json::{Value, json};

use super::super::jobs::{self, Numbered};
use super::super::told::{Told, said};
use super::super::{apps, groups, ledger};
use super::{Content, page, time};
use crate::app::App;

/// Runs of a job that are looked through, newest first.
const RUNS_MAX: u32 = 1_000;
/// Jobs whose runs are looked through.
const JOBS_MAX: usize = 200;
/// Lines that one answer has.
const LINES_MAX: usize = 1_000;

pub(super) async fn serve(app: &App, action: &str, fields: &Fields) -> Told<Content> {
    if action == "pageList" {
        return list(app, fields).await;
    }
    let names = ["logId", "id"];
    let log_id = names.into_iter().find_map(|name| fields.number(name)).ok_or_else(|| "logId is missing".to_owned())?;
    let store = app.control().store();
    let sent = ledger::find(&**store, log_id, app.now()).await.map_err(said)?;
    let sent = sent.ok_or_else(|| format!("there is no log {log_id}"))?;
    if action == "logKill" {
        app.control().cancel(sent.run, "cancelled by a script of XXL-JOB's").await.map_err(said)?;
        return Ok(Content::Value(Value::Null, Vec::new()));
    }
    let from = fields.number("fromLineNum").unwrap_or(1).max(1);
    let first = u64::try_from(from - 1).unwrap_or(0);
    let lines = app.control().log_lines(sent.run, sent.attempt, first, LINES_MAX).await.map_err(said)?;
    let run = app.control().run(sent.run).await.map_err(said)?;
    let last = lines.last().map_or(from - 1, |(index, _)| i64::try_from(index + 1).unwrap_or(i64::MAX));
    let is_over = run.state.is_final() || run.attempt > sent.attempt;
    let text: String = lines.iter().map(|(_, line)| format!("{}\n", line.text)).collect();
    let is_end = is_over && lines.is_empty();
    let part = json!({"fromLineNum": from, "toLineNum": last, "logContent": text, "isEnd": is_end});
    Ok(Content::Value(part, Vec::new()))
}

async fn list(app: &App, fields: &Fields) -> Told<Content> {
    let (store, now) = (app.control().store(), app.now());
    let mut numbers = BTreeMap::new();
    for row in apps::all(&**store, now).await.map_err(said)? {
        numbers.insert(row.name.clone(), groups::number(app, &row).await?);
    }
    let (from, to) = match fields.text("filterTime").map(|text| time::range(text, &app.default_timezone)) {
        None => (None, None),
        Some(Some((from, to))) => (Some(from), Some(to)),
        Some(None) => return Err("filterTime is 2026-01-31 00:00:00 - 2026-01-31 23:59:59".to_owned()),
    };
    let group = fields.number("jobGroup").filter(|group| *group > 0);
    let asked = fields.number("jobId").filter(|id| *id > 0);
    let mut jobs = jobs::all(&**store, None).await?;
    jobs.retain(|job| group.is_none_or(|group| numbers.get(&job.app) == Some(&group)));
    jobs.retain(|job| asked.is_none_or(|id| job.id == id));
    if jobs.len() > JOBS_MAX {
        return Err(format!("these are {} jobs: name one, or a group of at most {JOBS_MAX}", jobs.len()));
    }
    let of: BTreeMap<JobId, Numbered> = jobs.into_iter().map(|job| (job.row.id, job)).collect();
    // 1 success, 2 failure, 3 at work.
    let states = match fields.number("logStatus").unwrap_or(-1) {
        1 => vec![RunState::Succeeded],
        2 => vec![RunState::Failed, RunState::Cancelled],
        3 => RunState::ALL.iter().copied().filter(|state| !state.is_final()).collect(),
        _ => Vec::new(),
    };
    let mut runs: Vec<RunInfo> = Vec::new();
    for job in of.keys() {
        let states = states.clone();
        let query = RunQuery { job: Some(*job), states, from, to, limit: RUNS_MAX, ..RunQuery::default() };
        runs.extend(store.runs(query).await.map_err(said)?.into_iter().filter(|run| run.attempt > 0));
    }
    runs.sort_by_key(|run| std::cmp::Reverse(run.id));
    let (runs, total) = page(fields, runs);
    let mut rows = Vec::new();
    for run in runs {
        if let Some(job) = of.get(&run.job) {
            rows.push(shown(app, &run, job, numbers.get(&job.app).copied().unwrap_or(0)).await?);
        }
    }
    Ok(Content::Page(rows, total))
}

/// One run, by its latest attempt. What was never sent has no number and no address.
async fn shown(app: &App, run: &RunInfo, job: &Numbered, group: i64) -> Told<Value> {
    let store = app.control().store();
    let sent = ledger::of_attempt(&**store, run.id, run.attempt, app.now()).await.map_err(said)?;
    let spec = Fields::of_job(&crate::convert::job_spec(&job.row.definition));
    let (trigger_code, handle_code) = match run.state {
        RunState::Succeeded => (200, 200),
        state if state.is_final() && sent.is_none() => (500, 0),
        state if state.is_final() => (200, run.exit_code.filter(|code| *code > 0 && *code != 200).unwrap_or(500)),
        _ => (if sent.is_some() { 200 } else { 0 }, 0),
    };
    Ok(json!({
        "id": sent.as_ref().map_or(0, |sent| sent.log_id),
        "jobGroup": group,
        "jobId": job.id,
        "jobDesc": spec.get("jobDesc"),
        "executorAddress": sent.as_ref().map(|sent| &sent.address),
        "executorHandler": spec.get("executorHandler"),
        "executorParam": run.input.clone().or_else(|| spec.get("executorParam").map(str::to_owned)),
        "executorShardingParam": run.shard.map(|shard| format!("{}/{}", shard.index, shard.total)),
        "executorFailRetryCount": 0,
        "triggerTime": time::shown(sent.as_ref().map_or(run.created_at, |sent| mainspring_schedule::Timestamp::from_millis(sent.date))),
        "triggerCode": trigger_code,
        "triggerMsg": null,
        "handleTime": run.ended_at.map(time::shown),
        "handleCode": handle_code,
        "handleMsg": run.error,
        "alarmStatus": 0,
    }))
}
