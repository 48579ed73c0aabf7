//! Figures of flows: component by component and queue by queue, as far as there are not too many, and of all together.

use std::sync::atomic::{AtomicI64, AtomicU64};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;

use super::{Catalogue, ReasonLabel};

/// A component of a flow.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, EncodeLabelSet)]
pub struct ComponentLabel {
    /// The flow's namespace.
    pub namespace: String,
    /// The flow.
    pub flow: String,
    /// The component.
    pub component: String,
}

/// A connection of a flow.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, EncodeLabelSet)]
pub struct ConnectionLabel {
    /// The flow's namespace.
    pub namespace: String,
    /// The flow.
    pub flow: String,
    /// The connection, as lists name it.
    pub connection: String,
}

/// A pool of permits.
#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub struct PoolLabel {
    /// Its name.
    pub pool: String,
}

/// A label with one of a few fixed words.
#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub struct CauseLabel {
    /// The word.
    pub cause: &'static str,
}

type OfComponent<T> = Family<ComponentLabel, T>;
type OfConnection = Family<ConnectionLabel, Gauge<i64, AtomicI64>>;
type OfPool = Family<PoolLabel, Gauge<i64, AtomicI64>>;

/// What flows of this node do.
#[derive(Debug, Default)]
pub struct FlowMetrics {
    /// Items that components took.
    pub items_in: OfComponent<Counter>,
    /// Their bytes.
    pub bytes_in: OfComponent<Counter>,
    /// Items that components put into queues.
    pub items_out: OfComponent<Counter>,
    /// Their bytes.
    pub bytes_out: OfComponent<Counter>,
    /// Bodies that ended.
    pub tasks: OfComponent<Counter>,
    /// How long these ran together.
    pub task_seconds: OfComponent<Counter<f64, AtomicU64>>,
    /// Rests that bodies asked for, or that followed a failure.
    pub yields: OfComponent<Counter>,
    /// Bodies that run.
    pub active: OfComponent<Gauge<i64, AtomicI64>>,
    /// Items in queues, those of bodies included.
    pub queue_items: OfConnection,
    /// Their bytes.
    pub queue_bytes: OfConnection,
    /// Items that are passed over until their penalty ends.
    pub queue_penalised: OfConnection,
    /// 1 where back-pressure holds.
    pub queue_full: OfConnection,
    /// Permits of pools.
    pub pool_size: OfPool,
    /// Permits that are taken.
    pub pool_active: OfPool,
    /// Questions to gates.
    pub checks: Counter,
    /// Permits for which others had taken the items.
    pub empty_claims: Counter,
    /// Slots that were woken.
    pub wakes: Family<CauseLabel, Counter>,
    /// Times of calendars that were lost at a closed gate.
    pub fires_skipped: Family<ReasonLabel, Counter>,
    /// Times of calendars that passed while the body ran.
    pub fires_missed: Counter,
    /// Turns that helped circles of full queues on.
    pub cycle_reliefs: Counter,
    /// Flows whose components and queues are not shown one by one.
    pub left_out: Gauge<i64, AtomicI64>,
}

impl FlowMetrics {
    pub(super) fn register(&self, catalogue: &mut Catalogue) {
        catalogue.register("flow_items_in", "Items that components took", self.items_in.clone());
        catalogue.register("flow_bytes_in", "Bytes of items that components took", self.bytes_in.clone());
        catalogue.register("flow_items_out", "Items that components put into queues", self.items_out.clone());
        catalogue.register("flow_bytes_out", "Bytes of items put into queues", self.bytes_out.clone());
        catalogue.register("flow_tasks", "Bodies that ended", self.tasks.clone());
        catalogue.register("flow_task_seconds", "Time that bodies ran", self.task_seconds.clone());
        catalogue.register("flow_yields", "Rests of components", self.yields.clone());
        catalogue.register("flow_active_tasks", "Bodies that run", self.active.clone());
        catalogue.register("flow_queue_items", "Items in queues", self.queue_items.clone());
        catalogue.register("flow_queue_bytes", "Bytes of items in queues", self.queue_bytes.clone());
        catalogue.register("flow_queue_penalised", "Penalised items in queues", self.queue_penalised.clone());
        catalogue.register("flow_queue_full", "1 where back-pressure holds", self.queue_full.clone());
        catalogue.register("flow_pool_size", "Permits of pools", self.pool_size.clone());
        catalogue.register("flow_pool_active", "Permits of pools that are taken", self.pool_active.clone());
        catalogue.register("flow_checks", "Questions to gates", self.checks.clone());
        catalogue.register("flow_empty_claims", "Permits without items", self.empty_claims.clone());
        catalogue.register("flow_wakes", "Slots that were woken", self.wakes.clone());
        catalogue.register("flow_fires_skipped", "Times lost at a closed gate", self.fires_skipped.clone());
        catalogue.register("flow_fires_missed", "Times that passed while a body ran", self.fires_missed.clone());
        catalogue.register("flow_cycle_reliefs", "Circles of full queues helped on", self.cycle_reliefs.clone());
        catalogue.register("flows_left_out", "Flows that are not shown one by one", self.left_out.clone());
    }

    /// Forgets a component that is not at work here any more.
    pub(crate) fn remove_component(&self, label: &ComponentLabel) {
        for family in [&self.items_in, &self.bytes_in, &self.items_out, &self.bytes_out, &self.tasks, &self.yields] {
            family.remove(label);
        }
        self.task_seconds.remove(label);
        self.active.remove(label);
    }

    /// Forgets a connection that is not at work here any more.
    pub(crate) fn remove_connection(&self, label: &ConnectionLabel) {
        for family in [&self.queue_items, &self.queue_bytes, &self.queue_penalised, &self.queue_full] {
            family.remove(label);
        }
    }
}
