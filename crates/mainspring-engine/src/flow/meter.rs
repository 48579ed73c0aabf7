//! Figures of flows for Prometheus: what machines have counted since the last look is added to what this node has counted.
//!
//! Machines count from their making, and are made anew when a flow is read anew. The figures go on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use mainspring_core::flow::{Cause, Counters, Definition, Machine, Pools, Reason};

use crate::metrics::{CauseLabel, ComponentLabel, ConnectionLabel, FlowMetrics, Metrics, PoolLabel, ReasonLabel};

/// Components and connections that are shown one by one; of flows beyond, only the sums of all.
const SHOWN_MAX: usize = 2_000;

/// See [module](self).
#[derive(Debug)]
pub(super) struct Meter {
    metrics: Arc<Metrics>,
    seen: BTreeMap<i64, Seen>,
    most: usize,
}

/// A flow at work, or a branch of one.
pub(super) struct AtWork<'a> {
    /// Tells this load of the flow from others.
    pub(super) generation: u64,
    pub(super) namespace: &'a str,
    pub(super) flow: &'a str,
    pub(super) definition: &'a Definition,
    /// Names of its connections, in order.
    pub(super) connections: Vec<String>,
    pub(super) machine: &'a Machine,
    /// Whether another node owns the flow.
    pub(super) is_branch: bool,
}

/// What was seen of a flow, or of a branch of one.
#[derive(Debug, Default)]
struct Seen {
    /// The load of the flow whose counts these are.
    generation: u64,
    sums: Sums,
    components: BTreeMap<ComponentLabel, (Counters, u64)>,
    connections: BTreeSet<ConnectionLabel>,
    is_left_out: bool,
}

/// What all components of a flow did together.
#[derive(Clone, Debug, Default)]
struct Sums {
    checks: u64,
    empty_claims: u64,
    cycle_reliefs: u64,
    missed: u64,
    wakes: [u64; Cause::ALL.len()],
    skips: [u64; Reason::ALL.len()],
}

impl Meter {
    pub(super) const fn new(metrics: Arc<Metrics>) -> Self {
        Self { metrics, seen: BTreeMap::new(), most: SHOWN_MAX }
    }

    /// Whether it has something to forget.
    pub(super) fn shows_some(&self) -> bool {
        !self.seen.is_empty()
    }

    #[cfg(test)]
    pub(super) const fn showing(metrics: Arc<Metrics>, most: usize) -> Self {
        Self { metrics, seen: BTreeMap::new(), most }
    }

    /// Looks at all flows that are at work, and forgets the others.
    pub(super) fn look_at_all<'a>(&mut self, flows: impl Iterator<Item = (i64, AtWork<'a>)>, pools: &Pools) {
        let flows: BTreeMap<i64, AtWork<'_>> = flows.collect();
        let gone: Vec<i64> = self.seen.keys().copied().filter(|key| !flows.contains_key(key)).collect();
        for seen in gone.into_iter().filter_map(|key| self.seen.remove(&key)).collect::<Vec<_>>() {
            seen.components.keys().for_each(|label| self.metrics.flows.remove_component(label));
            seen.connections.iter().for_each(|label| self.metrics.flows.remove_connection(label));
        }
        flows.iter().for_each(|(key, it)| self.look(*key, it));
        let left_out = self.seen.values().filter(|seen| seen.is_left_out).count();
        self.metrics.flows.left_out.set(whole(left_out as u64));
        for (name, size, active) in pools.iter() {
            let label = PoolLabel { pool: name.to_owned() };
            self.metrics.flows.pool_size.get_or_create(&label).set(i64::from(size));
            self.metrics.flows.pool_active.get_or_create(&label).set(i64::from(active));
        }
    }

    /// Looks at one flow: also before it is given up, as nobody counts on then.
    pub(super) fn look(&mut self, key: i64, running: &AtWork<'_>) {
        let all = |seen: &Seen| seen.components.len() + seen.connections.len();
        let others: usize = self.seen.iter().filter(|(it, _)| **it != key).map(|(_, seen)| all(seen)).sum();
        let size = running.definition.parts.len() + running.definition.connections.len();
        let seen = self.seen.entry(key).or_default();
        if seen.generation != running.generation {
            seen.generation = running.generation;
            seen.sums = Sums::default();
            seen.components.values_mut().for_each(|before| *before = Default::default());
        }
        seen.add_sums(running, &self.metrics.flows);
        seen.is_left_out = others + size > self.most;
        seen.show_components(running, &self.metrics.flows);
        seen.show_connections(running, &self.metrics.flows);
    }
}

impl Seen {
    fn add_sums(&mut self, running: &AtWork<'_>, metrics: &FlowMetrics) {
        let machine = running.machine;
        let parts = 0..running.definition.parts.len();
        let skipped = |reason: Reason| parts.clone().map(|it| machine.fires_skipped_total(it, reason)).sum();
        let now = Sums {
            checks: machine.checks_total(),
            empty_claims: machine.empty_claims_total(),
            cycle_reliefs: machine.cycle_relief_total(),
            missed: parts.clone().map(|it| machine.fires_missed_total(it)).sum(),
            wakes: Cause::ALL.map(|cause| machine.wakes_total(cause)),
            skips: Reason::ALL.map(skipped),
        };
        let before = std::mem::replace(&mut self.sums, now.clone());
        // Of a component that is gone since, what it had counted is missing.
        let gained = |now: u64, before: u64| now.saturating_sub(before);
        metrics.checks.inc_by(gained(now.checks, before.checks));
        metrics.empty_claims.inc_by(gained(now.empty_claims, before.empty_claims));
        metrics.cycle_reliefs.inc_by(gained(now.cycle_reliefs, before.cycle_reliefs));
        metrics.fires_missed.inc_by(gained(now.missed, before.missed));
        for (place, cause) in Cause::ALL.iter().enumerate() {
            let label = CauseLabel { cause: cause.as_str() };
            metrics.wakes.get_or_create(&label).inc_by(gained(now.wakes[place], before.wakes[place]));
        }
        for (place, reason) in Reason::ALL.iter().enumerate() {
            let label = ReasonLabel { reason: reason.as_str() };
            metrics.fires_skipped.get_or_create(&label).inc_by(gained(now.skips[place], before.skips[place]));
        }
    }

    fn show_components(&mut self, running: &AtWork<'_>, metrics: &FlowMetrics) {
        let mut gone: BTreeSet<ComponentLabel> = self.components.keys().cloned().collect();
        for (place, part) in running.definition.parts.iter().enumerate().filter(|_| !self.is_left_out) {
            let label = ComponentLabel {
                namespace: running.namespace.to_owned(),
                flow: running.flow.to_owned(),
                component: part.component.name.clone(),
            };
            gone.remove(&label);
            let (total, yields) = (running.machine.totals(place), running.machine.yields_total(place));
            let (before, yields_before) = self.components.insert(label.clone(), (total, yields)).unwrap_or_default();
            // One that was removed and came again counts from its beginning.
            let is_same = total.tasks >= before.tasks && total.items_in >= before.items_in;
            let gained = if is_same { total.since(before) } else { total };
            metrics.active.get_or_create(&label).set(i64::from(running.machine.active(place)));
            metrics.yields.get_or_create(&label).inc_by(yields.checked_sub(yields_before).unwrap_or(yields));
            metrics.tasks.get_or_create(&label).inc_by(gained.tasks);
            let seconds = Duration::from_millis(gained.task_ms).as_secs_f64();
            metrics.task_seconds.get_or_create(&label).inc_by(seconds);
            metrics.items_in.get_or_create(&label).inc_by(gained.items_in);
            metrics.bytes_in.get_or_create(&label).inc_by(gained.bytes_in);
            // Of a branch, the owner counts what has reached its queues.
            if !running.is_branch {
                metrics.items_out.get_or_create(&label).inc_by(gained.items_out);
                metrics.bytes_out.get_or_create(&label).inc_by(gained.bytes_out);
            }
        }
        for label in gone {
            self.components.remove(&label);
            metrics.remove_component(&label);
        }
    }

    fn show_connections(&mut self, running: &AtWork<'_>, metrics: &FlowMetrics) {
        let mut gone = std::mem::take(&mut self.connections);
        // Queues of a branch hold what waits for the owner.
        let is_shown = !self.is_left_out && !running.is_branch;
        for (place, connection) in running.connections.iter().cloned().enumerate().filter(|_| is_shown) {
            let (namespace, flow) = (running.namespace.to_owned(), running.flow.to_owned());
            let label = ConnectionLabel { namespace, flow, connection };
            let queue = running.machine.queue(place);
            metrics.queue_items.get_or_create(&label).set(whole(queue.len() as u64));
            metrics.queue_bytes.get_or_create(&label).set(whole(queue.bytes()));
            metrics.queue_penalised.get_or_create(&label).set(whole(queue.penalised() as u64));
            metrics.queue_full.get_or_create(&label).set(i64::from(queue.is_full()));
            gone.remove(&label);
            self.connections.insert(label);
        }
        gone.iter().for_each(|label| metrics.remove_connection(label));
    }
}

fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
