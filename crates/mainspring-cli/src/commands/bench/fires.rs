//! `mainspring bench fires`.

use clap::Args;
use mainspring_engine::bench::{self, Fires, Load, PerFire, Plan};

use super::{Place, database, lateness, measure, verdict};
use crate::error::Result;
use crate::output::{Cell, Column, Output, View, dash};

/// No-op jobs through fire, claim, execution and completion
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring bench fires --store memory: --triggers 100000 --drain
  mainspring bench fires --store sqlite:bench.db --triggers 100000 --drain --json
  mainspring bench fires --store sqlite:bench.db --triggers 10000 --rate 1000 --seconds 20 --json
  mainspring bench fires --store postgres://me@127.0.0.1/bench --nodes 3 --drain

Lost and duplicated fires are counted from the store, not by the generator.")]
pub struct FiresArgs {
    #[command(flatten)]
    place: Place,
    /// Nodes, each a process of its own; more than one over PostgreSQL, MySQL or MariaDB
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    nodes: u32,
    /// Triggers, each of a job of its own
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    triggers: u32,
    /// Fires a second, spread evenly
    #[arg(long, value_name = "R", required_unless_present = "drain", conflicts_with = "drain", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rate: Option<u32>,
    /// All triggers due at once: how fast are they worked off?
    #[arg(long)]
    drain: bool,
    /// How long to measure; with --drain, how long at most
    #[arg(long, default_value_t = 10, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
    /// Count the statements and commits of each fire, starting and leaving of the nodes included; PostgreSQL with pg_stat_statements
    #[arg(long)]
    statements: bool,
}

const VIEW: View<Fires> = View {
    columns: &[
        Column::usual("STORE", |it, _| Cell::new(&it.store)),
        Column::usual("NODES", |it, _| Cell::new(it.nodes)),
        Column::usual("FIRES", |it, _| Cell::new(it.fires)),
        Column::usual("SECONDS", |it, _| Cell::new(format!("{:.2}", it.seconds))),
        Column::usual("FIRES/S", |it, _| Cell::new(it.fires_per_second)),
        Column::usual("LATENESS", |it, _| lateness(it.lateness_ms)),
        Column::usual("LOST", |it, _| Cell::new(it.lost)),
        Column::usual("DUPLICATES", |it, _| Cell::new(it.duplicates)),
        Column::usual("CPU", |it, _| Cell::new(format!("{:.2} s", it.cpu_seconds))),
        Column::usual("DATABASE CPU", |it, _| database(it.database_cpu_seconds, "s")),
        Column::usual("PER FIRE", |it, _| {
            let text =
                |work: &PerFire| format!("{} commits, {} statements", work.commits_per_fire, work.statements_per_fire);
            Cell::new(it.work.as_ref().map_or_else(|| dash().to_owned(), text))
        }),
        Column::usual("MEMORY", |it, _| Cell::new(format!("{} MB", it.rss_mb))),
    ],
    name: |it| it.store.clone(),
    empty: "",
};

pub fn run(args: &FiresArgs, output: &Output) -> Result {
    let load = args.rate.map_or(Load::Drain, Load::Rate);
    let plan = Plan { triggers: args.triggers, load, seconds: args.seconds, statements: args.statements };
    let measured = measure(&args.place.store, args.nodes, output, async |site| bench::fires(site, plan).await)?;
    args.place.print(&measured, &VIEW, output)?;
    verdict(measured.lost, measured.duplicates)
}
