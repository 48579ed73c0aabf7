//! `mainspring bench`: the real engine under load, counted from its store.

mod dag;
mod failover;
mod fires;
mod flow;
mod herd;
mod idle;
mod runs;
mod shown;
mod xxl;

use std::os::fd::AsFd;
use std::path::Path;

use clap::{Args, Subcommand};
use mainspring_engine::bench::{self, Lateness, Site};
use serde::Serialize;
use tokio::net::unix::pipe;

use self::shown::Shown;
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::output::{Cell, Form, Output, View, dash};
use crate::{BENCH_NODE, node};

pub use self::runs::idlers;

/// Measure this machine: how many fires a second, how late, and what happens when a node dies
#[derive(Debug, Args)]
pub struct BenchArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Dag(dag::DagArgs),
    Fires(fires::FiresArgs),
    Flow(flow::FlowBenchArgs),
    Herd(herd::HerdArgs),
    Idle(idle::IdleArgs),
    Runs(runs::RunsArgs),
    Failover(failover::FailoverArgs),
    Xxl(xxl::XxlArgs),
}

/// Measures, and prints the figures.
///
/// # Errors
/// `bench.store` for a store that is not empty, `bench.nodes` for nodes that it cannot have, `store.unusable`; exit 1 when
/// fires were lost or duplicated.
pub fn run(args: &BenchArgs, output: &Output) -> Result {
    match &args.what {
        What::Dag(args) => dag::run(args, output),
        What::Fires(args) => fires::run(args, output),
        What::Flow(args) => flow::run(args, output),
        What::Herd(args) => herd::run(args, output),
        What::Idle(args) => idle::run(args, output),
        What::Runs(args) => runs::run(args, output),
        What::Failover(args) => failover::run(args, output),
        What::Xxl(args) => xxl::run(args, output),
    }
}

/// A node of a benchmark: answers the parent until that is gone.
///
/// # Errors
/// `bench.failed` when the parent cannot be answered.
pub fn node() -> Result {
    node::block_on(async {
        let serve = async {
            let questions = pipe::Receiver::from_owned_fd(std::io::stdin().as_fd().try_clone_to_owned()?)?;
            let answers = pipe::Sender::from_owned_fd(std::io::stdout().as_fd().try_clone_to_owned()?)?;
            bench::serve(tokio::io::BufReader::new(questions), answers).await
        };
        serve.await.map_err(|error| node::failed("bench.failed", "the benchmark cannot be answered", &error))
    })
}

/// Where to measure, and how to say what came out.
#[derive(Debug, Args)]
struct Place {
    /// An empty store: memory:, sqlite:PATH of a file that does not exist yet, or postgres://… or mysql://… of an empty database
    #[arg(long, default_value = "memory:", value_name = "URL")]
    store: String,
    /// Print one JSON object in one line
    #[arg(long)]
    json: bool,
}

/// Measures somewhere, and shows how far that has come.
fn measure<T>(
    store: &str,
    nodes: u32,
    output: &Output,
    work: impl AsyncFnOnce(Site<'_>) -> bench::Result<T>,
) -> Result<T> {
    refuse_existing(store)?;
    let program =
        std::env::current_exe().map_err(|error| node::failed("bench.failed", "cannot find itself", &error))?;
    let process = || {
        let mut command = tokio::process::Command::new(&program);
        command.arg(BENCH_NODE);
        command
    };
    let shown = Shown::new(output.progress());
    let progress = |what, done, all| shown.show(what, done, all);
    let site = Site { store, nodes, process: &process, progress: &progress };
    let measured = node::block_on(async { work(site).await.map_err(|error| failed(store, &error)) });
    shown.end();
    measured
}

/// A benchmark writes a hundred thousand jobs: never among somebody's own.
fn refuse_existing(store: &str) -> Result {
    let Some(path) = store.strip_prefix("sqlite:").map(Path::new).filter(|path| path.exists()) else { return Ok(()) };
    let report = Report::new("bench.store", format!("{} exists already", path.display()));
    Err(Error::new(Exit::Conflict, report.hint("name a file that does not exist yet; afterwards it can be deleted")))
}

fn failed(store: &str, error: &bench::Error) -> Error {
    let conflict = |code: &str| Error::new(Exit::Conflict, Report::new(code, error.to_string()));
    match error {
        bench::Error::NotEmpty { .. } => conflict("bench.store")
            .hint("a benchmark fills the store: name a database of its own, and drop it afterwards"),
        bench::Error::OneNode { .. } => Error::new(Exit::Usage, Report::new("bench.nodes", error.to_string()))
            .hint("name a database that nodes can share: --store postgres://… or mysql://…"),
        bench::Error::Late { .. } => node::failed("bench.late", "", error)
            .hint("ask for fewer triggers, or try again when the machine has less to do"),
        bench::Error::Uncounted(_) => node::failed("bench.statements", "", error)
            .hint("use PostgreSQL that is started with shared_preload_libraries = 'pg_stat_statements'"),
        bench::Error::Store(mainspring_store::Error::Unusable { .. }) => node::unusable(store, error),
        _ => node::failed("bench.failed", "the measurement broke off", error),
    }
}

impl Place {
    fn print<T: Serialize>(&self, measured: &T, view: &View<T>, output: &Output) -> Result {
        match output.form() {
            Form::Table if self.json => output.document_as(Form::Jsonl, measured),
            _ => output.one(measured, view),
        }
    }
}

/// Exit 1 for what must not be.
fn verdict(lost: u64, duplicates: u64) -> Result {
    match lost + duplicates {
        0 => Ok(()),
        _ => Err(Error::silent(Exit::Failure)),
    }
}

fn lateness(late: Lateness) -> Cell {
    Cell::new(format!("p50 {}, p99 {}, p99.9 {}, max {} ms", late.p50, late.p99, late.p999, late.max))
}

fn database(seconds: Option<f64>, unit: &str) -> Cell {
    Cell::new(seconds.map_or_else(|| dash().to_owned(), |seconds| format!("{seconds:.2} {unit}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_is_there_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs.db");
        let url = format!("sqlite:{}", path.display());
        assert!(refuse_existing(&url).is_ok());
        std::fs::write(&path, "").unwrap();
        assert_eq!(refuse_existing(&url).unwrap_err().exit, Exit::Conflict);
    }

    #[test]
    fn each_reason_has_its_code() {
        for (error, code, exit) in [
            (bench::Error::NotEmpty { jobs: 3, triggers: 0 }, "bench.store", Exit::Conflict),
            (bench::Error::OneNode { store: "SQLite", nodes: 3 }, "bench.nodes", Exit::Usage),
            (bench::Error::Late { what: "starting" }, "bench.late", Exit::Failure),
            (bench::Error::Uncounted("no".to_owned()), "bench.statements", Exit::Failure),
            (bench::Error::Node("gone".to_owned()), "bench.failed", Exit::Failure),
            (bench::Error::Store(mainspring_store::Error::Closed), "bench.failed", Exit::Failure),
        ] {
            let shown = failed("sqlite:jobs.db", &error);
            assert_eq!((shown.reports[0].code.as_str(), shown.exit), (code, exit), "{shown:?}");
        }
    }
}
