//! The whole at a glance, from what is counted already: rollups, the newest events, the due index. It never counts history.
//!
//! One dashboard is made at a time and kept for two seconds, so many that look cost as much as one.

mod attention;
mod cache;
mod failing;
mod jobs;
mod peaks;
mod series;

use std::sync::Arc;

use mainspring_api::{Dashboard, DashboardCounters, LongRun};
use mainspring_core::run::RunState;
use mainspring_core::{JobId, Timestamp};
use mainspring_store::{JobDigest, RunDigest};
use rustc_hash::FxHashMap;

use crate::app::App;
use crate::refusal::Answer;
use crate::show::{self, instant};
pub(crate) use cache::Cache;
use cache::Kept;
use jobs::{is_of, jobs};
use peaks::Peaks;
pub(crate) use series::Range;

/// For how long a dashboard is shown again, in milliseconds.
const KEPT_MS: i64 = 2_000;
/// The same of the fires to come, which cost more and change less.
const PEAKS_KEPT_MS: i64 = 30_000;
/// Dashboards that are kept: one for each range and namespace.
const DASHBOARDS_MAX: usize = 64;
/// A worker that was heard within this time is alive, in milliseconds.
const HEARD_MS: i64 = 30_000;
const LONGEST: u32 = 10;
/// Running runs that are looked at for the longest of one namespace.
const LOOKED_AT: u32 = 1_000;
/// Ended runs of which the usual time is computed, and how many it takes.
const USUAL_RUNS: u32 = 20;
const USUAL_RUNS_MIN: usize = 5;

/// Shows the dashboard of a range and a namespace, or of all.
pub(crate) async fn dashboard(app: &App, range: Range, namespace: Option<String>) -> Answer<Arc<Dashboard>> {
    // Others wait for the one that is made, and are shown the same.
    let mut kept = app.dashboards.0.lock().await;
    let (key, now) = ((range, namespace), app.now());
    if let Some((_, shown)) = kept.dashboards.get(&key).filter(|(made, _)| is_fresh(*made, now, KEPT_MS)) {
        return Ok(Arc::clone(shown));
    }
    let made = Arc::new(make(app, &mut kept, range, key.1.as_deref(), now).await?);
    if kept.dashboards.len() >= DASHBOARDS_MAX {
        kept.dashboards.clear();
    }
    kept.dashboards.insert(key, (now, Arc::clone(&made)));
    Ok(made)
}

/// Whether something was made lately. A clock that was set back makes nothing last.
fn is_fresh(made: Timestamp, now: Timestamp, kept_ms: i64) -> bool {
    (0..kept_ms).contains(&now.since(made))
}

async fn make(app: &App, kept: &mut Kept, range: Range, namespace: Option<&str>, now: Timestamp) -> Answer<Dashboard> {
    let store = app.control().store();
    let from = range.begin(now);
    let rows = store.rollups(range.span(), from, now + 1).await?;
    let (series, total) = series::series(&rows, range, namespace, now);
    let counters_partial = namespace.is_some() && total.namespaces.contains_key(mainspring_engine::OTHERS);
    let figures = store.figures().await?;
    let count = |state| figures.runs.iter().filter(|count| count.state == state).map(|count| count.count).sum();
    let workers = store.workers().await?;
    let alive = workers.iter().filter(|worker| now.since(worker.heard_at) < HEARD_MS).count();
    let counters = DashboardCounters {
        fires: total.fires,
        succeeded: total.succeeded,
        failed: total.failed,
        cancelled: total.cancelled,
        skipped: total.skipped,
        missed: total.missed,
        queued: count(RunState::Queued),
        running: count(RunState::Running),
        late_p99_ms: total.lateness.quantile(99, 100),
        workers_alive: u32::try_from(alive).unwrap_or(u32::MAX),
        workers: u32::try_from(workers.len()).unwrap_or(u32::MAX),
    };
    let longest = longest(app, namespace, now).await?;
    let mut attention = kept.failing.look(&**app.control().store(), namespace).await?;
    attention.extend(attention::stuck(&longest));
    attention.extend(attention::late(&figures.runs, now));
    let hour = store.rollups(Range::Hour.span(), Range::Hour.begin(now), now + 1).await?;
    attention.extend(attention::misfires(&series::series(&hour, Range::Hour, namespace, now).0));
    attention.extend(attention::webhooks(app.figures.webhooks_resting.get(), now));
    attention.sort_by_key(|item| std::cmp::Reverse(item.since));
    let peaks = peaks(app, kept, namespace, now).await?;
    Ok(Dashboard {
        now: instant(now),
        from: instant(from),
        step_ms: range.step_ms().unsigned_abs(),
        counters,
        counters_partial,
        lateness: show::lateness_figures(&total.lateness),
        series,
        attention,
        next_hour: peaks.parts,
        next_hour_complete: peaks.complete,
        longest,
    })
}

async fn peaks(app: &App, kept: &mut Kept, namespace: Option<&str>, now: Timestamp) -> Answer<Peaks> {
    let key = namespace.map(str::to_owned);
    if let Some((_, peaks)) = kept.peaks.get(&key).filter(|(made, _)| is_fresh(*made, now, PEAKS_KEPT_MS)) {
        return Ok(peaks.clone());
    }
    let peaks = Peaks::look(app.control(), namespace, now).await?;
    if kept.peaks.len() >= DASHBOARDS_MAX {
        kept.peaks.clear();
    }
    kept.peaks.insert(key, (now, peaks.clone()));
    Ok(peaks)
}

/// The runs that are executed for longest.
async fn longest(app: &App, namespace: Option<&str>, now: Timestamp) -> Answer<Vec<LongRun>> {
    let store = app.control().store();
    // Of all namespaces, those of one may come late.
    let looked_at = namespace.map_or(LONGEST, |_| LOOKED_AT);
    let mut running = store.longest_running(looked_at).await?;
    let mut ids: Vec<JobId> = running.iter().map(|(job, _)| *job).collect();
    ids.sort_unstable();
    ids.dedup();
    let jobs = jobs(&**app.control().store(), ids).await?;
    running.retain(|(job, _)| is_of(namespace, jobs.get(job)));
    running.truncate(LONGEST as usize);
    let mut ids: Vec<JobId> = running.iter().map(|(job, _)| *job).collect();
    ids.sort_unstable();
    ids.dedup();
    let digests = store.job_digests(ids, USUAL_RUNS).await?;
    let usual: FxHashMap<JobId, Option<u64>> = digests.iter().map(|digest| (digest.job, usual_ms(digest))).collect();
    let show = |(id, run): (JobId, RunDigest)| {
        let job = jobs.get(&id)?;
        let started_at = run.started_at?;
        Some(LongRun {
            run: run.id.to_string(),
            namespace: job.key.namespace.clone(),
            job: job.key.name.clone(),
            started_at: instant(started_at),
            running_ms: now.since(started_at).max(0).unsigned_abs(),
            p95_ms: usual.get(&id).copied().flatten(),
        })
    };
    Ok(running.into_iter().filter_map(show).collect())
}

/// What nineteen of twenty of a job's last runs that succeeded stayed below.
fn usual_ms(digest: &JobDigest) -> Option<u64> {
    let ended = digest.recent.iter().filter(|run| run.state == RunState::Succeeded);
    let mut took: Vec<u64> =
        ended.filter_map(|run| Some(run.ended_at?.since(run.started_at?).max(0).unsigned_abs())).collect();
    if took.len() < USUAL_RUNS_MIN {
        return None;
    }
    took.sort_unstable();
    Some(took[(took.len() * 95).div_ceil(100) - 1])
}

#[cfg(test)]
mod tests {
    use mainspring_core::RunId;
    use mainspring_core::run::Origin;

    use super::*;

    #[test]
    fn usual_time_takes_five_runs_that_succeeded() {
        let at = Timestamp::from_millis;
        let run = |took: i64, state| RunDigest {
            id: RunId::from_bytes([0; 16]),
            state,
            origin: Origin::Schedule,
            fire_time: at(0),
            started_at: Some(at(0)),
            ended_at: Some(at(took)),
        };
        let of = |recent| usual_ms(&JobDigest { job: JobId(1), next_fire_at: None, active: 0, running: 0, recent });
        let good = |count: i64| (1..=count).map(|took| run(took * 10, RunState::Succeeded)).collect::<Vec<_>>();
        assert_eq!(of(good(4)), None);
        assert_eq!(of(good(5)), Some(50));
        assert_eq!(of(good(20)), Some(190));
        assert_eq!(of([good(4), vec![run(1, RunState::Failed)]].concat()), None);
    }
}
