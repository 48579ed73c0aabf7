//! `mainspring bench idle`.

use clap::Args;
use mainspring_engine::bench::{self, Idle, IdlePlan};

use super::{Place, database, measure, verdict};
use crate::error::Result;
use crate::output::{Cell, Column, Output, View};

/// Many triggers, none of them due: time to start, processor time and memory
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring bench idle --store sqlite:bench.db --triggers 1000000 --seconds 30
  mainspring bench idle --store postgres://me@127.0.0.1/bench --triggers 1000000 --json

A first node takes in what was saved; the one that is measured starts after it.")]
pub struct IdleArgs {
    #[command(flatten)]
    place: Place,
    /// Triggers, each of a job of its own
    #[arg(long, default_value_t = 1_000_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    triggers: u32,
    /// How long to watch the node
    #[arg(long, default_value_t = 30, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
}

const VIEW: View<Idle> = View {
    columns: &[
        Column::usual("STORE", |it, _| Cell::new(&it.store)),
        Column::usual("TRIGGERS", |it, _| Cell::new(it.triggers)),
        Column::usual("STARTED IN", |it, _| Cell::new(format!("{:.2} s", it.start_seconds))),
        Column::usual("WATCHED FOR", |it, _| Cell::new(format!("{:.2} s", it.seconds))),
        Column::usual("CPU", |it, _| Cell::new(format!("{:.2} % of a core", it.cpu_percent))),
        Column::usual("DATABASE CPU", |it, _| database(it.database_cpu_percent, "% of a core")),
        Column::usual("MEMORY", |it, _| Cell::new(format!("{} MB", it.rss_mb))),
        Column::usual("DUPLICATES", |it, _| Cell::new(it.duplicates)),
    ],
    name: |it| it.store.clone(),
    empty: "",
};

pub fn run(args: &IdleArgs, output: &Output) -> Result {
    let plan = IdlePlan { triggers: args.triggers, seconds: args.seconds };
    let measured = measure(&args.place.store, 1, output, async |site| bench::idle(site, plan).await)?;
    args.place.print(&measured, &VIEW, output)?;
    verdict(0, measured.duplicates)
}
