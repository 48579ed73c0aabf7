//! `mainspring bench failover`: one of several nodes is killed under load.

use mainspring_core::Timestamp;
use mainspring_core::cluster::Shard;
use mainspring_core::run::RunState;
use mainspring_store::RunQuery;
use serde::Serialize;

use super::fires::{HOUR_MS, add, settle, start, wait_for_load, watch};
use super::load::{Group, Planting};
use super::nodes::Nodes;
use super::place::Place;
use super::report::Lateness;
use super::{Error, Pace, Result, Site};
use crate::clock::{Clock, SystemClock};
use crate::metrics::Entry;

/// What to measure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FailoverPlan {
    /// How many triggers, each of a job of its own.
    pub triggers: u32,
    /// Fires a second that the nodes can do together; measured first if absent.
    pub capacity: Option<u32>,
    /// How long to fire before a node is killed, and after its shards have new owners.
    pub seconds: u32,
}

/// What was measured.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Failover {
    /// The store's kind and version.
    pub store: String,
    /// Nodes at first, each a process of its own. One of them was killed.
    pub nodes: u32,
    /// Fires a second: 80 % of what the nodes can do.
    pub rate: u32,
    /// Shards of the node that was killed.
    pub shards: usize,
    /// From the kill until each of them had a new owner.
    pub owned_ms: i64,
    /// From the kill until the first handler of one of its triggers was entered elsewhere.
    pub first_fire_ms: Option<i64>,
    /// Handler entered minus due, of its triggers after the kill. The latest is at most the time to takeover and to catch up.
    pub lateness_ms: Lateness,
    /// The same of all other triggers.
    pub others_lateness_ms: Lateness,
    /// Recorded fires.
    pub fires: u64,
    /// Runs that the node had been given and did not end. They end as lost, or are tried again where a job asks for it.
    pub runs_cut_off: u64,
    /// Instants without any record, counted from the store.
    pub lost: u64,
    /// Instants with more than one run, counted from the store.
    pub duplicates: u64,
}

/// The part of the capacity that is asked for, in percent.
const LOAD_PERCENT: u64 = 80;
/// How long a measurement of the capacity may take.
const PROBE_SECONDS: i64 = 120;
/// How long new owners may take.
const PATIENCE_MS: i64 = 60_000;
/// How many runs that were cut off are counted.
const CUT_OFF_MAX: u32 = 100_000;

/// Runs the benchmark on an empty store.
///
/// # Errors
/// If the store fails, is not empty, or cannot have several nodes.
pub async fn failover(site: Site<'_>, plan: FailoverPlan) -> Result<Failover> {
    let place = Place::empty(&site).await?;
    let (capacity, probed) = match plan.capacity {
        Some(capacity) => (capacity, Planting { begin: Timestamp::from_millis(0), triggers: Vec::new() }),
        None => probe(&site, &place, plan.triggers).await?,
    };
    let rate = u32::try_from(u64::from(capacity) * LOAD_PERCENT / 100).expect("less than it was").max(1);
    let load = add(&site, &place, &[Group::at_rate("job", plan.triggers, rate)]).await?;
    let planting = probed.and(load);
    let mut nodes = start(&site, &place, &planting).await?;
    wait_for_load(planting.begin).await?;
    let kill_at = planting.begin + i64::from(plan.seconds) * 1_000;
    let each = u64::from(rate) * u64::from(plan.seconds);
    watch(&mut nodes, kill_at, site.progress, 2 * each, false).await?;

    let victim = nodes.look().await?.pop().expect("there are several");
    let killed_at = SystemClock.now();
    nodes.kill_last().await?;
    let owned_at = owned(&mut nodes, killed_at, site.progress).await?;
    watch(&mut nodes, owned_at + i64::from(plan.seconds) * 1_000, site.progress, 2 * each, false).await?;
    let stopped_at = SystemClock.now();
    nodes.rest().await?;
    let entries = nodes.entries().await?;
    nodes.leave().await?;
    let (store, counted) = settle(&place, &planting, stopped_at).await?;
    let (orphans, others) = apart(&planting, &victim.shards, killed_at, entries);
    Ok(Failover {
        store,
        nodes: site.nodes,
        rate,
        shards: victim.shards.len(),
        owned_ms: owned_at.since(killed_at),
        first_fire_ms: orphans.iter().map(|entry| entered_at(entry).since(killed_at)).min(),
        lateness_ms: Lateness::of(orphans.iter().map(|entry| entry.1)),
        others_lateness_ms: Lateness::of(others.iter().map(|entry| entry.1)),
        fires: counted.fires,
        runs_cut_off: cut_off(&place, planting.begin).await?,
        lost: counted.lost,
        duplicates: counted.duplicates,
    })
}

/// Fires a second when all triggers are due at once, and what was planted for that.
async fn probe(site: &Site<'_>, place: &Place, triggers: u32) -> Result<(u32, Planting)> {
    let group = Group::together("probe", triggers, HOUR_MS, 0);
    let planting = add(site, place, &[group]).await?;
    let mut nodes = start(site, place, &planting).await?;
    let begun = wait_for_load(planting.begin).await?;
    let limit = planting.begin + PROBE_SECONDS * 1_000;
    watch(&mut nodes, limit, site.progress, u64::from(triggers), true).await?;
    let entered = nodes.entered().await?;
    nodes.rest().await?;
    let elapsed = begun.elapsed();
    nodes.leave().await?;
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "floats saturate")]
    let capacity = (entered as f64 / elapsed.as_secs_f64()) as u32;
    Ok((capacity, planting))
}

/// Waits until the nodes that are left have every shard.
async fn owned(nodes: &mut Nodes, killed_at: Timestamp, progress: super::OnProgress<'_>) -> Result<Timestamp> {
    let mut pace = Pace::new();
    loop {
        let now = SystemClock.now();
        let owned: usize = nodes.look().await?.iter().map(|look| look.shards.len()).sum();
        progress("shards", owned as u64, Shard::COUNT as u64);
        if owned == Shard::COUNT {
            return Ok(now);
        }
        if now.since(killed_at) > PATIENCE_MS {
            return Err(Error::Node(format!(
                "{owned} of {} shards have an owner a minute after the kill",
                Shard::COUNT
            )));
        }
        pace.next_look().await;
    }
}

/// Handlers entered after the kill for triggers of some shards, and all others.
fn apart(planting: &Planting, shards: &[u8], killed_at: Timestamp, entries: Vec<Entry>) -> (Vec<Entry>, Vec<Entry>) {
    let is_orphan = |entry: &Entry| {
        let of_victim = planting.of_entry(entry).is_some_and(|planted| shards.contains(&planted.shard.0));
        of_victim && entered_at(entry) >= killed_at
    };
    entries.into_iter().partition(is_orphan)
}

fn entered_at(entry: &Entry) -> Timestamp {
    Timestamp::from_millis(entry.2 + i64::from(entry.1))
}

/// Runs without an end, and those that others have ended as lost.
async fn cut_off(place: &Place, from: Timestamp) -> Result<u64> {
    let query = RunQuery {
        namespace: None,
        job: None,
        states: vec![RunState::Running, RunState::Failed],
        from: Some(from),
        to: None,
        before: None,
        limit: CUT_OFF_MAX,
        ..RunQuery::default()
    };
    let store = place.open().await?;
    let found = store.runs(query).await;
    place.close(&*store).await?;
    Ok(found?.len() as u64)
}

#[cfg(test)]
mod tests {
    use mainspring_core::JobId;

    use super::super::load::Planted;
    use super::*;

    #[test]
    fn only_what_came_after_the_kill_is_the_dead_node_s() {
        let begin = Timestamp::from_millis(1_000);
        let planted =
            |job, shard| Planted { job: JobId(job), shard: Shard(shard), group: "job", first: begin, interval_ms: 1 };
        let planting = Planting { begin, triggers: vec![planted(1, 7), planted(2, 8)] };
        let entries = vec![Entry(1, 5, 1_994), Entry(1, 6, 1_994), Entry(2, 6, 1_994), Entry(3, 6, 1_994)];
        let (orphans, others) = apart(&planting, &[7], Timestamp::from_millis(2_000), entries);
        assert_eq!((orphans, others.len()), (vec![Entry(1, 6, 1_994)], 3));
    }
}
