//! `mainspring bench herd`: midnight. Many triggers are due at one instant, while others fire at a steady rate.

use mainspring_core::Timestamp;
use serde::Serialize;

use super::fires::{HOUR_MS, prepare, rounded, settle, start, wait_for_load};
use super::load::{Group, Planting};
use super::nodes::Nodes;
use super::report::Lateness;
use super::{OnProgress, Pace, Result, Site};
use crate::clock::{Clock, SystemClock};
use crate::metrics::Entry;

/// What to measure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HerdPlan {
    /// Triggers due at one instant.
    pub triggers: u32,
    /// Triggers that fire all the time.
    pub others: u32,
    /// How many fires a second these have together.
    pub rate: u32,
    /// How long the herd may take at most.
    pub seconds: u32,
}

/// What was measured.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Herd {
    /// The store's kind and version.
    pub store: String,
    /// Nodes, each a process of its own.
    pub nodes: u32,
    /// Triggers of the herd.
    pub triggers: u32,
    /// Fires of the herd whose handler was entered within the time.
    pub fires: u64,
    /// From the instant of the herd until its last handler was entered.
    pub drain_seconds: f64,
    /// The quotient.
    pub fires_per_second: f64,
    /// Handler entered minus due, of the herd.
    pub lateness_ms: Lateness,
    /// Fires of the others that were due while the herd was worked off.
    pub others_fires: u64,
    /// How late these were.
    pub others_lateness_ms: Lateness,
    /// Instants without any record, of both, counted from the store.
    pub lost: u64,
    /// Instants with more than one run, of both, counted from the store.
    pub duplicates: u64,
    /// Processor time of the nodes, from their start until nothing ran any more.
    pub cpu_seconds: f64,
    /// The same of the database server, if it is on this machine and can be seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database_cpu_seconds: Option<f64>,
    /// Resident memory of the nodes at its end.
    pub rss_mb: f64,
}

const HERD: &str = "herd";
const OTHERS: &str = "other";
/// How long the others have been firing when the herd comes.
const AFTER_MS: i64 = 3_000;
/// How long after the herd the others are still watched.
const CALM_MS: i64 = 2_000;

/// Runs the benchmark on an empty store.
///
/// # Errors
/// If the store fails, is not empty, or cannot have so many nodes.
pub async fn herd(site: Site<'_>, plan: HerdPlan) -> Result<Herd> {
    let groups =
        [Group::together(HERD, plan.triggers, HOUR_MS, AFTER_MS), Group::at_rate(OTHERS, plan.others, plan.rate)];
    let (place, planting) = prepare(&site, &groups).await?;
    let mut nodes = start(&site, &place, &planting).await?;
    wait_for_load(planting.begin).await?;
    let due = planting.begin + AFTER_MS;
    let limit = due + i64::from(plan.seconds) * 1_000;
    watch(&mut nodes, &planting, (due, limit), site.progress).await?;
    let stopped_at = SystemClock.now();
    nodes.rest().await?;
    let cpu = nodes.used();
    let rss_mb = nodes.rss_mb();
    let entries = nodes.entries().await?;
    nodes.leave().await?;
    let (store, counted) = settle(&place, &planting, stopped_at).await?;
    let (herd, others) = apart(&planting, entries);
    let lateness_ms = Lateness::of(herd.iter().map(|entry| entry.1));
    let meanwhile = due.as_millis()..=due.as_millis() + i64::from(lateness_ms.max);
    let others: Vec<u32> = others.iter().filter(|entry| meanwhile.contains(&entry.2)).map(|entry| entry.1).collect();
    let drain_seconds = f64::from(lateness_ms.max) / 1_000.0;
    Ok(Herd {
        store,
        nodes: site.nodes,
        triggers: plan.triggers,
        fires: herd.len() as u64,
        drain_seconds,
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        fires_per_second: (herd.len() as f64 / drain_seconds.max(0.001)).round(),
        lateness_ms,
        others_fires: others.len() as u64,
        others_lateness_ms: Lateness::of(others),
        lost: counted.lost,
        duplicates: counted.duplicates,
        cpu_seconds: rounded(cpu.nodes),
        database_cpu_seconds: cpu.database.map(rounded),
        rss_mb,
    })
}

/// Watches until everything that was due a while ago has been entered, or an instant has come.
async fn watch(
    nodes: &mut Nodes,
    planting: &Planting,
    (due, limit): (Timestamp, Timestamp),
    progress: OnProgress<'_>,
) -> Result {
    let mut pace = Pace::new();
    loop {
        let now = SystemClock.now();
        let entered = nodes.entered().await?;
        progress("fires", entered, planting.triggers.len() as u64);
        let over = now >= due + CALM_MS && entered >= planting.instants(now + -CALM_MS);
        if over || now >= limit {
            return Ok(());
        }
        pace.next_look().await;
    }
}

fn apart(planting: &Planting, entries: Vec<Entry>) -> (Vec<Entry>, Vec<Entry>) {
    entries.into_iter().partition(|entry| planting.of_entry(entry).is_some_and(|planted| planted.group == HERD))
}
