//! `mainspring bench herd`.

use clap::Args;
use mainspring_engine::bench::{self, Herd, HerdPlan};

use super::{Place, database, lateness, measure, verdict};
use crate::error::Result;
use crate::output::{Cell, Column, Output, View};

/// Midnight: many triggers due at one instant, beside others that fire at a steady rate
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring bench herd --store sqlite:bench.db --triggers 100000
  mainspring bench herd --store postgres://me@127.0.0.1/bench --triggers 100000 --others 1000 --rate 100 --json

Lateness of the others is that of fires due while the herd was worked off.")]
pub struct HerdArgs {
    #[command(flatten)]
    place: Place,
    /// Nodes, each a process of its own; more than one over PostgreSQL, MySQL or MariaDB
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    nodes: u32,
    /// Triggers due at one instant, each of a job of its own
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    triggers: u32,
    /// Triggers that fire all the time, each of a job of its own
    #[arg(long, default_value_t = 1_000, value_name = "M", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    others: u32,
    /// Fires a second of these together
    #[arg(long, default_value_t = 100, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rate: u32,
    /// How long the herd may take at most
    #[arg(long, default_value_t = 60, value_name = "S", value_parser = clap::value_parser!(u32).range(3..=86_400))]
    seconds: u32,
}

const VIEW: View<Herd> = View {
    columns: &[
        Column::usual("STORE", |it, _| Cell::new(&it.store)),
        Column::usual("NODES", |it, _| Cell::new(it.nodes)),
        Column::usual("FIRES", |it, _| Cell::new(format!("{} of {}", it.fires, it.triggers))),
        Column::usual("DRAINED IN", |it, _| Cell::new(format!("{:.2} s", it.drain_seconds))),
        Column::usual("FIRES/S", |it, _| Cell::new(it.fires_per_second)),
        Column::usual("LATENESS", |it, _| lateness(it.lateness_ms)),
        Column::usual("OTHERS", |it, _| Cell::new(format!("{} fires meanwhile", it.others_fires))),
        Column::usual("THEIR LATENESS", |it, _| lateness(it.others_lateness_ms)),
        Column::usual("LOST", |it, _| Cell::new(it.lost)),
        Column::usual("DUPLICATES", |it, _| Cell::new(it.duplicates)),
        Column::usual("CPU", |it, _| Cell::new(format!("{:.2} s", it.cpu_seconds))),
        Column::usual("DATABASE CPU", |it, _| database(it.database_cpu_seconds, "s")),
        Column::usual("MEMORY", |it, _| Cell::new(format!("{} MB", it.rss_mb))),
    ],
    name: |it| it.store.clone(),
    empty: "",
};

pub fn run(args: &HerdArgs, output: &Output) -> Result {
    let HerdArgs { place, nodes, triggers, others, rate, seconds } = args;
    let plan = HerdPlan { triggers: *triggers, others: *others, rate: *rate, seconds: *seconds };
    let measured = measure(&place.store, *nodes, output, async |site| bench::herd(site, plan).await)?;
    place.print(&measured, &VIEW, output)?;
    verdict(measured.lost, measured.duplicates)
}
