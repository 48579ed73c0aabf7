//! `mainspring bench idle`: many triggers, none of them due.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::fires::{prepare, settle};
use super::load::Group;
use super::nodes::Nodes;
use super::place::Place;
use super::{Pace, Result, Site, seconds};
use crate::clock::{Clock, SystemClock};

/// What to measure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct IdlePlan {
    /// How many triggers, each of a job of its own.
    pub triggers: u32,
    /// For how long.
    pub seconds: u32,
}

/// What was measured.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Idle {
    /// The store's kind and version.
    pub store: String,
    /// Triggers.
    pub triggers: u32,
    /// From the start of the node's process until it takes part, and where nodes share the store has every shard.
    pub start_seconds: f64,
    /// For how long it was watched.
    pub seconds: f64,
    /// Processor time of the node meanwhile, in percent of a core.
    pub cpu_percent: f64,
    /// The same of the database server, if it is on this machine and can be seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database_cpu_percent: Option<f64>,
    /// Resident memory at the end.
    pub rss_mb: f64,
    /// Records of fires: none of the triggers is due.
    pub duplicates: u64,
}

const YEAR_MS: i64 = 365 * 86_400_000;
const READY_WITHIN_MS: i64 = 60_000;
/// How long a node may take to hear of what was saved, and below what part of a core it has.
const QUIET_WITHIN_SECONDS: u64 = 600;
const QUIET_PERCENT: f64 = 5.0;
/// What is left to do after the start is not idle.
const SETTLED_AFTER_MS: i64 = 2_000;

/// Runs the benchmark on an empty store, with one node.
///
/// # Errors
/// If the store fails or is not empty.
pub async fn idle(site: Site<'_>, plan: IdlePlan) -> Result<Idle> {
    let group = Group::together("idle", plan.triggers, YEAR_MS, YEAR_MS);
    let (place, planting) = prepare(&site, &[group]).await?;
    take_in(&site, &place).await?;
    let started = Instant::now();
    let mut nodes = Nodes::start(&place, &site).await?;
    nodes.share(SystemClock.now() + READY_WITHIN_MS).await?;
    let start_seconds = seconds(started.elapsed());
    let mut pace = Pace::new();
    pace.until(SystemClock.now() + SETTLED_AFTER_MS).await;
    let (begun, cpu) = (Instant::now(), nodes.cpu());
    // The clock's milliseconds are whole ones, rounded down.
    let begin = SystemClock.now() + 1;
    for second in 0..plan.seconds {
        (site.progress)("seconds", u64::from(second), u64::from(plan.seconds));
        pace.until(begin + (i64::from(second) + 1) * 1_000).await;
    }
    let (elapsed, cpu) = (begun.elapsed(), nodes.cpu().since(cpu));
    let rss_mb = nodes.rss_mb();
    nodes.rest().await?;
    nodes.leave().await?;
    let (store, counted) = settle(&place, &planting, SystemClock.now()).await?;
    Ok(Idle {
        store,
        triggers: plan.triggers,
        start_seconds,
        seconds: seconds(elapsed),
        cpu_percent: percent(cpu.nodes, elapsed),
        database_cpu_percent: cpu.database.map(|cpu| percent(cpu, elapsed)),
        rss_mb,
        duplicates: counted.duplicates,
    })
}

/// Lets a first node hear of all that was saved. The one that is measured comes back to triggers that have been there for long.
async fn take_in(site: &Site<'_>, place: &Place) -> Result {
    let mut nodes = Nodes::start(place, site).await?;
    nodes.share(SystemClock.now() + READY_WITHIN_MS).await?;
    let mut pace = Pace::new();
    for second in 0..QUIET_WITHIN_SECONDS {
        let (begun, cpu) = (Instant::now(), nodes.cpu());
        pace.until(SystemClock.now() + 1_000).await;
        if second > 0 && percent(nodes.cpu().since(cpu).nodes, begun.elapsed()) < QUIET_PERCENT {
            break;
        }
        (site.progress)("settling", second, QUIET_WITHIN_SECONDS);
    }
    nodes.rest().await?;
    nodes.leave().await
}

fn percent(cpu_seconds: f64, of: Duration) -> f64 {
    (cpu_seconds / of.as_secs_f64() * 10_000.0).round() / 100.0
}
