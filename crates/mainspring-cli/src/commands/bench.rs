//! `mainspring bench`: the real engine under load, counted from its store.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use mainspring_engine::bench::{self, Load, Plan, Report as Measured};

use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::node;
use crate::output::{Cell, Column, Form, Output, Progress, View, note};

/// How often a line is written where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Measure this machine: how many fires a second, and how late
#[derive(Debug, Args)]
pub struct BenchArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Fires(FiresArgs),
}

/// No-op jobs through fire, claim, execution in this process and completion
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring bench fires --store memory: --triggers 100000 --drain
  mainspring bench fires --store sqlite:bench.db --triggers 100000 --drain --json
  mainspring bench fires --store sqlite:bench.db --triggers 10000 --rate 1000 --seconds 20 --json

Lost and duplicated fires are counted from the store, not by the generator.")]
struct FiresArgs {
    /// An empty store: memory:, or sqlite:PATH of a file that does not exist yet
    #[arg(long, default_value = "memory:", value_name = "URL")]
    store: String,
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
    /// Print one JSON object in one line
    #[arg(long)]
    json: bool,
}

const VIEW: View<Measured> = View {
    columns: &[
        Column::usual("STORE", |it, _| Cell::new(&it.store)),
        Column::usual("FIRES", |it, _| Cell::new(it.fires)),
        Column::usual("SECONDS", |it, _| Cell::new(format!("{:.2}", it.seconds))),
        Column::usual("FIRES/S", |it, _| Cell::new(it.fires_per_second)),
        Column::usual("LATENESS", |it, _| {
            let late = it.lateness_ms;
            Cell::new(format!("p50 {}, p99 {}, p99.9 {}, max {} ms", late.p50, late.p99, late.p999, late.max))
        }),
        Column::usual("LOST", |it, _| Cell::new(it.lost)),
        Column::usual("DUPLICATES", |it, _| Cell::new(it.duplicates)),
        Column::usual("CPU", |it, _| Cell::new(format!("{:.2} s", it.cpu_seconds))),
        Column::usual("MEMORY", |it, _| Cell::new(format!("{} MB", it.rss_mb))),
    ],
    name: |it| it.store.clone(),
    empty: "",
};

/// Measures, and prints the figures.
///
/// # Errors
/// `store.unusable` for a store that is not empty or cannot be used; exit 1 when fires were lost or duplicated.
pub fn run(args: &BenchArgs, output: &Output) -> Result {
    let What::Fires(args) = &args.what;
    refuse_existing(&args.store)?;
    let load = args.rate.map_or(Load::Drain, Load::Rate);
    let plan = Plan { triggers: args.triggers, load, seconds: args.seconds };
    let shown = Shown::new(output.progress());
    let measured = node::block_on(async {
        let store = mainspring_store::open(&args.store).await;
        let store = store.map_err(|error| node::failed("store.unusable", "", &error))?;
        let measured = bench::fires(store, plan, &|what, done, all| shown.show(what, done, all)).await;
        measured.map_err(|error| node::failed("bench.failed", "the measurement broke off", &error))
    });
    shown.end();
    let measured = measured?;
    match output.form() {
        Form::Table if args.json => output.document_as(Form::Jsonl, &measured)?,
        _ => output.one(&measured, &VIEW)?,
    }
    match measured.lost + measured.duplicates {
        0 => Ok(()),
        _ => Err(Error::silent(Exit::Failure)),
    }
}

/// A benchmark writes a hundred thousand jobs: never among somebody's own.
fn refuse_existing(store: &str) -> Result {
    let Some(path) = store.strip_prefix("sqlite:").map(Path::new).filter(|path| path.exists()) else { return Ok(()) };
    let report = Report::new("bench.store", format!("{} exists already", path.display()));
    Err(Error::new(Exit::Conflict, report.hint("name a file that does not exist yet; afterwards it can be deleted")))
}

/// The progress of a measurement.
struct Shown {
    bar: Option<ProgressBar>,
    lines: bool,
    said_at: Mutex<Instant>,
}

impl Shown {
    fn new(progress: Progress) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self {
            bar: (progress == Progress::Auto && terminal).then(bar),
            lines: progress == Progress::Plain || progress == Progress::Auto && !terminal,
            said_at: Mutex::new(Instant::now()),
        }
    }

    fn show(&self, what: &'static str, done: u64, all: u64) {
        if let Some(bar) = &self.bar {
            bar.set_message(what);
            bar.set_length(all.max(done));
            bar.set_position(done);
        }
        let mut said_at = self.said_at.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if self.lines && said_at.elapsed() >= LINE_EVERY {
            note(format_args!("{what}: {done} of {all}"));
            *said_at = Instant::now();
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:>6} {bar:40} {human_pos}/{human_len}  {per_sec}  {elapsed}")
        .expect("the template is a constant that a test has shown");
    ProgressBar::new(0).with_style(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_of_the_bar_is_valid() {
        bar().finish_and_clear();
    }

    #[test]
    fn a_store_that_is_there_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs.db");
        let url = format!("sqlite:{}", path.display());
        assert!(refuse_existing(&url).is_ok());
        std::fs::write(&path, "").unwrap();
        assert_eq!(refuse_existing(&url).unwrap_err().exit, Exit::Conflict);
    }
}
