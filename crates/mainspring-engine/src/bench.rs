//! `mainspring bench fires`: the real engine under no-op jobs, counted from the store.
//!
//! Two shapes of load. **Drain**: every trigger is due at the same instant, and the next time an hour later; the
//! figure is how fast they are all fired, executed and recorded. **Rate**: the triggers' phases are spread so that the given
//! number is due each second; the figure is how late handlers are entered.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mainspring_core::compile::{self, Defaults};
use mainspring_core::job::{Job, JobKey, ScheduleDefinition, Task, TriggerDefinition};
use mainspring_core::{Timestamp, TriggerId, edit, planner};
use mainspring_store::{Expect, JobWrite, Store, Tally, TriggerWrite};
use serde::Serialize;

use crate::clock::{Clock, SystemClock};
use crate::engine::{Engine, Settings, StartError};

/// What to measure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plan {
    /// How many triggers, each of a job of its own.
    pub triggers: u32,
    /// The load.
    pub load: Load,
    /// How long at most.
    pub seconds: u32,
}

/// The shape of the load.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Load {
    /// All at once.
    Drain,
    /// So many fires a second.
    Rate(u32),
}

/// What was measured.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// The store's kind and version.
    pub store: String,
    /// Fires that are recorded with their verdicts.
    pub fires: u64,
    /// From the first due instant until the last verdict was recorded.
    pub seconds: f64,
    /// The quotient.
    pub fires_per_second: f64,
    /// Handler entered minus due.
    pub lateness_ms: Lateness,
    /// Instants without any record, counted from the store.
    pub lost: u64,
    /// Instants with more than one run, counted from the store.
    pub duplicates: u64,
    /// Processor time of this process during the measurement.
    pub cpu_seconds: f64,
    /// Resident memory at its end.
    pub rss_mb: f64,
}

/// Points of the distribution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Lateness {
    /// Half are not later.
    pub p50: u32,
    /// 99 % are not later.
    pub p99: u32,
    /// 99.9 % are not later.
    pub p999: u32,
    /// The latest.
    pub max: u32,
}

/// How far the benchmark has come, for a progress bar.
pub type OnProgress<'a> = &'a (dyn Fn(&'static str, u64, u64) + Sync);

/// Jobs saved in one transaction.
const SLICE: u32 = 500;
/// From the end of the preparation to the first due instant.
const LEAD_MS: i64 = 3_000;
const HOUR_MS: i64 = 3_600_000;

/// Runs the benchmark on an empty store.
///
/// # Errors
/// If the store fails, or has jobs already.
pub async fn fires(store: Arc<dyn Store>, plan: Plan, progress: OnProgress<'_>) -> Result<Report, StartError> {
    let info = store.info().await?;
    // A server takes ten times as long for the jobs: their statements cross the network one by one.
    let per_job = if store.cluster().is_some() { 10 } else { 1 };
    let begin = SystemClock.now() + LEAD_MS + i64::from(plan.triggers) * per_job / 10;
    seed(&*store, plan, begin, progress).await?;
    let settings = Settings {
        planner: planner::Settings { slots: 1_000_000, ..planner::Settings::default() },
        exact_lateness: true,
        ..Settings::default()
    };
    let engine = Engine::start(Arc::clone(&store), settings).await?;
    let mut alarm = SystemClock.alarm();
    alarm.wait_until(begin).await;
    let (begun, cpu_before) = (Instant::now(), cpu_seconds());
    let expected = u64::from(plan.triggers);
    let limit = begin + i64::from(plan.seconds) * 1_000;
    loop {
        let now = SystemClock.now();
        let entered = engine.metrics().entered.load(std::sync::atomic::Ordering::Relaxed);
        progress("fires", entered, expected);
        if now >= limit || plan.load == Load::Drain && entered >= expected {
            break;
        }
        alarm.wait_until(now + 20).await;
    }
    let stopped_at = SystemClock.now();
    engine.drain();
    engine.idle().await;
    let seconds = begun.elapsed().as_secs_f64();
    let cpu_seconds = cpu_seconds() - cpu_before;
    let lateness_ms = lateness(&engine);
    let tally = store.tally().await?;
    let fires: u64 = tally.iter().map(|tally| tally.fired).sum();
    let report = Report {
        store: format!("{} {}", info.kind, info.version),
        fires,
        seconds,
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        fires_per_second: (fires as f64 / seconds).round(),
        lateness_ms,
        lost: lost(plan, begin, stopped_at, &tally),
        duplicates: tally.iter().map(|tally| tally.duplicated).sum(),
        cpu_seconds,
        rss_mb: rss_mb(),
    };
    engine.stop(Duration::from_secs(5)).await?;
    Ok(report)
}

/// One job a trigger, so that no two fires share a row.
async fn seed(
    store: &dyn Store,
    plan: Plan,
    begin: Timestamp,
    progress: OnProgress<'_>,
) -> Result<(), mainspring_store::Error> {
    let mut next = 0;
    while next < plan.triggers {
        let end = plan.triggers.min(next + SLICE);
        store.save_jobs((next..end).map(|index| write(plan, begin, index)).collect()).await?;
        next = end;
        progress("jobs", u64::from(next), u64::from(plan.triggers));
    }
    Ok(())
}

fn write(plan: Plan, begin: Timestamp, index: u32) -> JobWrite {
    let (interval_ms, offset_ms) = phase(plan, index);
    let mut trigger = TriggerDefinition::new("t", ScheduleDefinition::Every { interval_ms, repeat_count: None });
    trigger.start_at = Some(begin + offset_ms);
    let mut job = Job::new(JobKey::new("bench", format!("job-{index:07}")), Task::Noop);
    job.triggers.push(trigger);
    let job = Arc::new(job);
    let at = SystemClock.now();
    let rule = compile::rule(&job, &job.triggers[0], at, Defaults::default(), &|_| None).expect("a plain interval");
    let progress = edit::begin(&rule, TriggerId(0), None, at);
    let triggers =
        vec![TriggerWrite { name: "t".into(), paused: false, progress, jitter_ms: 0, expected_fired_through: None }];
    JobWrite { definition: job, expect: Expect::Absent, paused: false, triggers, at }
}

/// Interval of a trigger, and its first instant after the beginning.
fn phase(plan: Plan, index: u32) -> (i64, i64) {
    match plan.load {
        Load::Drain => (HOUR_MS, 0),
        Load::Rate(rate) => {
            let interval_ms = (i64::from(plan.triggers) * 1_000 / i64::from(rate.max(1))).max(1);
            (interval_ms, interval_ms * i64::from(index) / i64::from(plan.triggers))
        }
    }
}

/// Instants up to a second before the end that have no record. Trigger ids ascend with the index.
fn lost(plan: Plan, begin: Timestamp, stopped_at: Timestamp, tally: &[Tally]) -> u64 {
    let until = if plan.load == Load::Drain { begin } else { stopped_at - 1_000 };
    let expected: u64 = (0..plan.triggers)
        .map(|index| {
            let (interval_ms, offset_ms) = phase(plan, index);
            let passed = until.since(begin + offset_ms);
            if passed < 0 { 0 } else { (passed / interval_ms + 1).unsigned_abs() }
        })
        .sum();
    let recorded: u64 = tally.iter().map(|tally| tally.fired + tally.missed + tally.suppressed).sum();
    expected.saturating_sub(recorded)
}

fn lateness(engine: &Engine) -> Lateness {
    let Some(exact) = &engine.metrics().exact else { return Lateness::default() };
    let mut sorted = std::mem::take(&mut *exact.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    sorted.sort_unstable();
    let point = |permille: usize| sorted.get((sorted.len() * permille / 1_000).min(sorted.len().saturating_sub(1)));
    let at = |permille| point(permille).copied().unwrap_or_default();
    Lateness { p50: at(500), p99: at(990), p999: at(999), max: at(1_000) }
}

/// Processor time of this process so far, on systems that show it.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields 14 and 15 (user and system time in ticks of 10 ms) are the 12th and 13th after the name in parentheses.
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Resident memory of this process, on systems that show it.
fn rss_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    let kib = line.split_whitespace().nth(1).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
    (kib / 102.4).round() / 10.0
}
