//! `mainspring bench flow`.

use clap::{Args, ValueEnum};
use mainspring_engine::bench::{self, FlowBench, FlowPlan, FlowShape};

use super::{Place, measure, verdict};
use crate::error::Result;
use crate::output::{Cell, Column, Output, View, dash};

/// Flows whose components do nothing: how fast items go through, and what idle components cost
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring bench flow --shape chain --components 10
  mainspring bench flow --shape fan --components 100 --store sqlite:bench.db
  mainspring bench flow --shape idle --components 10000 --seconds 30 --json
  mainspring bench flow --shape idle --components 10000 --seconds 30 --poll-ms 10
  mainspring bench flow --shape queue --items 1000000 --seconds 300 --store sqlite:bench.db
  mainspring bench flow --shape penalised --items 100000

Exit 1 when an item was lost or came twice.")]
pub struct FlowBenchArgs {
    #[command(flatten)]
    place: Place,
    /// What the flow is like
    #[arg(long, value_enum, default_value = "chain")]
    shape: Shape,
    /// Components, beside that into which items are put
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    components: u32,
    /// Items that are put one after another, up to 1,000, and then all at once; with queue and penalised, items that wait
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    items: u32,
    /// How long components without work are watched, and how long items may take at most
    #[arg(long, default_value_t = 30, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
    /// Let components look every so many milliseconds whether they may run, as Apache NiFi does, in the place of being woken
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..=60_000))]
    poll_ms: Option<u32>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shape {
    /// Each component passes items on to the next one
    Chain,
    /// One component passes a copy of each item to all others
    Fan,
    /// Components that have no work
    Idle,
    /// One component, before which items wait; 1,000 more urgent ones are put and taken before and while they do
    Queue,
    /// One component, before which all items are penalised
    Penalised,
}

const VIEW: View<FlowBench> = View {
    columns: &[
        Column::usual("STORE", |it, _| Cell::new(&it.store)),
        Column::usual("COMPONENTS", |it, _| Cell::new(it.components)),
        Column::usual("THROUGH", |it, _| match it.through_p50_ms.zip(it.through_p99_ms) {
            Some((half, most)) => Cell::new(format!("p50 {half}, p99 {most} ms")),
            None => Cell::new(dash()),
        }),
        Column::usual("EMPTY", |it, _| match it.empty_p50_ms.zip(it.empty_p99_ms) {
            Some((half, most)) => Cell::new(format!("p50 {half}, p99 {most} ms")),
            None => Cell::new(dash()),
        }),
        Column::usual("COMMITS", |it, _| it.commits_per_item.map_or_else(|| Cell::new(dash()), Cell::new)),
        Column::usual("ITEMS/S", |it, _| it.items_per_second.map_or_else(|| Cell::new(dash()), Cell::new)),
        Column::usual("TOOK", |it, _| Cell::new(format!("{:.2} s", it.seconds))),
        Column::usual("CHECKS/S", |it, _| Cell::new(it.checks_per_second)),
        Column::usual("CPU", |it, _| Cell::new(format!("{} %", it.cpu_percent))),
        Column::usual("MEMORY", |it, _| Cell::new(format!("{} MB", it.rss_mb))),
        Column::usual("LOST", |it, _| Cell::new(it.lost)),
        Column::usual("DUPLICATES", |it, _| Cell::new(it.duplicates)),
    ],
    name: |it| it.store.clone(),
    empty: "",
};

pub fn run(args: &FlowBenchArgs, output: &Output) -> Result {
    let FlowBenchArgs { place, shape, components, items, seconds, poll_ms } = args;
    let shape = match shape {
        Shape::Chain => FlowShape::Chain,
        Shape::Fan => FlowShape::Fan,
        Shape::Idle => FlowShape::Idle,
        Shape::Queue => FlowShape::Queue,
        Shape::Penalised => FlowShape::Penalised,
    };
    let plan = FlowPlan { shape, components: *components, items: *items, seconds: *seconds, poll_ms: *poll_ms };
    let measured = measure(&place.store, 1, output, async |site| bench::flow(site, plan).await)?;
    place.print(&measured, &VIEW, output)?;
    verdict(measured.lost, measured.duplicates)
}
