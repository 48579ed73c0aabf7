//! `mainspring bench failover`.

use clap::Args;
use mainspring_engine::bench::{self, Failover, FailoverPlan};

use super::{Place, lateness, measure, verdict};
use crate::error::Result;
use crate::output::{Cell, Column, Output, View, dash};

/// Kill one of several nodes under load: when do others fire its triggers, and is anything lost?
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring bench failover --store postgres://me@127.0.0.1/bench
  mainspring bench failover --store mysql://me@127.0.0.1/bench --triggers 10000 --capacity 2000 --json

The load is 80 % of the capacity. The last node gets KILL, so it says goodbye to nobody.")]
pub struct FailoverArgs {
    #[command(flatten)]
    place: Place,
    /// Nodes, each a process of its own
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=64))]
    nodes: u32,
    /// Triggers, each of a job of its own
    #[arg(long, default_value_t = 20_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    triggers: u32,
    /// Fires a second that the nodes can do together; when absent, they work off all triggers once to find out
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    capacity: Option<u32>,
    /// How long to fire before the kill, and again after all shards have owners
    #[arg(long, default_value_t = 10, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
}

const VIEW: View<Failover> = View {
    columns: &[
        Column::usual("STORE", |it, _| Cell::new(&it.store)),
        Column::usual("NODES", |it, _| Cell::new(it.nodes)),
        Column::usual("LOAD", |it, _| Cell::new(format!("{} fires/s", it.rate))),
        Column::usual("SHARDS OWNED", |it, _| Cell::new(format!("{} of them after {} ms", it.shards, it.owned_ms))),
        Column::usual("FIRST FIRE", |it, _| {
            Cell::new(it.first_fire_ms.map_or_else(|| dash().to_owned(), |ms| format!("after {ms} ms")))
        }),
        Column::usual("LATENESS", |it, _| lateness(it.lateness_ms)),
        Column::usual("OTHERS' LATENESS", |it, _| lateness(it.others_lateness_ms)),
        Column::usual("FIRES", |it, _| Cell::new(it.fires)),
        Column::usual("RUNS CUT OFF", |it, _| Cell::new(it.runs_cut_off)),
        Column::usual("LOST", |it, _| Cell::new(it.lost)),
        Column::usual("DUPLICATES", |it, _| Cell::new(it.duplicates)),
    ],
    name: |it| it.store.clone(),
    empty: "",
};

pub fn run(args: &FailoverArgs, output: &Output) -> Result {
    let plan = FailoverPlan { triggers: args.triggers, capacity: args.capacity, seconds: args.seconds };
    let measured = measure(&args.place.store, args.nodes, output, async |site| bench::failover(site, plan).await)?;
    args.place.print(&measured, &VIEW, output)?;
    verdict(measured.lost, measured.duplicates)
}
