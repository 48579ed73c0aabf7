//! `mainspring bench dag`.

use clap::{Args, ValueEnum};
use mainspring_engine::bench::{self, Dag, DagPlan, DagShape};

use super::{Place, database, lateness, measure, verdict};
use crate::error::Result;
use crate::output::{Cell, Column, Output, View};

/// Workflows whose tasks do nothing: how fast one follows another
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring bench dag --shape chain --tasks 10000
  mainspring bench dag --shape layers --tasks 100000 --store sqlite:bench.db
  mainspring bench dag --shape article --runs 10000 --store postgres://me@127.0.0.1/bench --nodes 2 --json

Exit 1 when a task was lost or done twice, or a run is not over.")]
pub struct DagArgs {
    #[command(flatten)]
    place: Place,
    /// What the graph is like
    #[arg(long, value_enum, default_value = "chain")]
    shape: Shape,
    /// Tasks of one run, about
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    tasks: u32,
    /// Runs, all asked for at once
    #[arg(long, default_value_t = 1, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    runs: u32,
    /// Nodes, each a process of its own; more than one over PostgreSQL, MySQL or MariaDB
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    nodes: u32,
    /// How long it may take at most
    #[arg(long, default_value_t = 300, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shape {
    /// Each task needs the one before
    Chain,
    /// One task, then all others but one at once, then the last
    Fan,
    /// A hundred layers; each task needs three of the layer before
    Layers,
    /// One task, two, one, two, one, and so on
    Diamonds,
    /// Nine tasks in three waves
    Article,
    /// The first task fails, and all others need it
    Doomed,
}

const VIEW: View<Dag> = View {
    columns: &[
        Column::usual("STORE", |it, _| Cell::new(&it.store)),
        Column::usual("NODES", |it, _| Cell::new(it.nodes)),
        Column::usual("GRAPH", |it, _| Cell::new(format!("{} tasks, {} edges", it.tasks, it.edges))),
        Column::usual("RUNS", |it, _| Cell::new(it.runs)),
        Column::usual("TOOK", |it, _| Cell::new(format!("{:.2} s", it.seconds))),
        Column::usual("TASKS/S", |it, _| Cell::new(it.tasks_per_second)),
        Column::usual("RUNS/S", |it, _| Cell::new(it.runs_per_second)),
        Column::usual("HOP", |it, _| it.hop_ms.map_or_else(|| Cell::new("-"), lateness)),
        Column::usual("LOST", |it, _| Cell::new(it.lost)),
        Column::usual("DUPLICATES", |it, _| Cell::new(it.duplicates)),
        Column::usual("STUCK", |it, _| Cell::new(it.stuck)),
        Column::usual("CPU", |it, _| Cell::new(format!("{:.2} s", it.cpu_seconds))),
        Column::usual("DATABASE CPU", |it, _| database(it.database_cpu_seconds, "s")),
        Column::usual("MEMORY", |it, _| Cell::new(format!("{} MB", it.rss_mb))),
    ],
    name: |it| it.store.clone(),
    empty: "",
};

pub fn run(args: &DagArgs, output: &Output) -> Result {
    let DagArgs { place, shape, tasks, runs, nodes, seconds } = args;
    let shape = match shape {
        Shape::Chain => DagShape::Chain,
        Shape::Fan => DagShape::Fan,
        Shape::Layers => DagShape::Layers,
        Shape::Diamonds => DagShape::Diamonds,
        Shape::Article => DagShape::Article,
        Shape::Doomed => DagShape::Doomed,
    };
    let plan = DagPlan { shape, tasks: *tasks, runs: *runs, seconds: *seconds };
    let measured = measure(&place.store, *nodes, output, async |site| bench::dag(site, plan).await)?;
    place.print(&measured, &VIEW, output)?;
    verdict(measured.lost + measured.stuck, measured.duplicates)
}
