//! `mainspring bench fires`. Two shapes of load. **Drain**: every trigger is due at the same instant, and the next time an hour
//! later; the figure is how fast they are all fired, executed and recorded. **Rate**: the triggers' phases are spread so that the
//! given number is due each second; the figure is how late handlers are entered.

use std::time::Instant;

use mainspring_core::Timestamp;
use serde::Serialize;

use super::count::{Counted, count};
use super::load::{Group, Planting, plant};
use super::nodes::Nodes;
use super::place::Place;
use super::report::Lateness;
use super::work::{self, PerFire};
use super::{Error, OnProgress, Pace, Result, Site, seconds};
use crate::clock::{Clock, SystemClock};

/// What to measure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plan {
    /// How many triggers, each of a job of its own.
    pub triggers: u32,
    /// The load.
    pub load: Load,
    /// How long at most.
    pub seconds: u32,
    /// Whether to count the statements of the nodes, starting and leaving included.
    pub statements: bool,
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
pub struct Fires {
    /// The store's kind and version.
    pub store: String,
    /// Nodes, each a process of its own.
    pub nodes: u32,
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
    /// Processor time of the nodes, from their start until the last verdict was recorded: reading what is due comes before it is.
    pub cpu_seconds: f64,
    /// The same of the database server, if it is on this machine and can be seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database_cpu_seconds: Option<f64>,
    /// Resident memory of the nodes at its end.
    pub rss_mb: f64,
    /// What the database did for each fire, if that was asked for.
    #[serde(flatten)]
    pub work: Option<PerFire>,
}

/// From the end of the preparation to the first due instant, for one node and for each further one.
const LEAD_MS: i64 = 4_000;
const LEAD_PER_NODE_MS: i64 = 6_000;
pub(super) const HOUR_MS: i64 = 3_600_000;
/// Instants of the last second may still be on their way.
pub(super) const TOLERANCE_MS: i64 = 1_000;

/// Runs the benchmark on an empty store.
///
/// # Errors
/// If the store fails, is not empty, or cannot have so many nodes.
pub async fn fires(site: Site<'_>, plan: Plan) -> Result<Fires> {
    let group = match plan.load {
        Load::Drain => Group::together("job", plan.triggers, HOUR_MS, 0),
        Load::Rate(rate) => Group::at_rate("job", plan.triggers, rate),
    };
    let (place, planting) = prepare(&site, &[group]).await?;
    let work = if plan.statements { Some(work::look(site.store).await?) } else { None };
    let mut nodes = start(&site, &place, &planting).await?;
    let begun = wait_for_load(planting.begin).await?;
    let all = match plan.load {
        Load::Drain => u64::from(plan.triggers),
        Load::Rate(rate) => u64::from(rate) * u64::from(plan.seconds),
    };
    let limit = planting.begin + i64::from(plan.seconds) * 1_000;
    watch(&mut nodes, limit, site.progress, all, plan.load == Load::Drain).await?;
    let stopped_at = SystemClock.now();
    nodes.rest().await?;
    let elapsed = begun.elapsed();
    let cpu = nodes.used();
    let rss_mb = nodes.rss_mb();
    let lateness_ms = Lateness::of(nodes.entries().await?.into_iter().map(|entry| entry.1));
    nodes.leave().await?;
    let after = if plan.statements { Some(work::look(site.store).await?) } else { None };
    let (store, counted) = settle(&place, &planting, stopped_at).await?;
    Ok(Fires {
        store,
        nodes: site.nodes,
        fires: counted.fires,
        seconds: seconds(elapsed),
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        fires_per_second: (counted.fires as f64 / elapsed.as_secs_f64()).round(),
        lateness_ms,
        lost: counted.lost,
        duplicates: counted.duplicates,
        cpu_seconds: rounded(cpu.nodes),
        database_cpu_seconds: cpu.database.map(rounded),
        rss_mb,
        work: work.zip(after).map(|(before, after)| PerFire::between(before, after, counted.fires)),
    })
}

/// Finds the store empty, and plants.
pub(super) async fn prepare(site: &Site<'_>, groups: &[Group]) -> Result<(Place, Planting)> {
    let place = Place::empty(site).await?;
    let planting = add(site, &place, groups).await?;
    Ok((place, planting))
}

/// Plants into a store, empty or not.
pub(super) async fn add(site: &Site<'_>, place: &Place, groups: &[Group]) -> Result<Planting> {
    let store = place.open().await?;
    let lead_ms = LEAD_MS + i64::from(site.nodes - 1) * LEAD_PER_NODE_MS;
    let planting = plant(&*store, groups, lead_ms, site.progress).await;
    place.close(&*store).await?;
    planting
}

/// Starts the nodes, and waits until the work is shared among them, which it must be when the load begins.
pub(super) async fn start(site: &Site<'_>, place: &Place, planting: &Planting) -> Result<Nodes> {
    if SystemClock.now() + LEAD_MS / 2 > planting.begin {
        return Err(Error::Late { what: "saving the jobs" });
    }
    let mut nodes = Nodes::start(place, site).await?;
    nodes.share(planting.begin).await?;
    Ok(nodes)
}

/// Waits for the beginning of the load.
pub(super) async fn wait_for_load(begin: Timestamp) -> Result<Instant> {
    if SystemClock.now() > begin {
        return Err(Error::Late { what: "starting the nodes" });
    }
    Pace::new().until(begin).await;
    Ok(Instant::now())
}

/// Watches the nodes until an instant, or until they have entered so many handlers.
pub(super) async fn watch(
    nodes: &mut Nodes,
    limit: Timestamp,
    progress: OnProgress<'_>,
    all: u64,
    enough: bool,
) -> Result {
    let mut pace = Pace::new();
    loop {
        let entered = nodes.entered().await?;
        progress("fires", entered, all);
        if SystemClock.now() >= limit || enough && entered >= all {
            return Ok(());
        }
        pace.next_look().await;
    }
}

/// Counts from the store, which the nodes have left. Answers also its kind and version.
pub(super) async fn settle(place: &Place, planting: &Planting, stopped_at: Timestamp) -> Result<(String, Counted)> {
    let store = place.open().await?;
    let until = planting.begin.max(stopped_at + -TOLERANCE_MS);
    let counted = count(&*store, planting, until).await;
    let info = store.info().await;
    place.close(&*store).await?;
    let info = info?;
    Ok((format!("{} {}", info.kind, info.version), counted?))
}

pub(super) fn rounded(seconds: f64) -> f64 {
    (seconds * 100.0).round() / 100.0
}
