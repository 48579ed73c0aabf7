//! `mainspring bench xxl`: a real server, and executors of XXL-JOB's protocol in this process.

mod executor;

use clap::Args;
use mainspring_api::XxlAppSpec;
use mainspring_engine::bench::{self, Lateness, Load, RunsPlan, Usage};
use mainspring_engine::{Clock, SystemClock};
use serde::Serialize;
use tokio::process::Command;

use self::executor::{Executor, Manner};
use super::runs::{Host, broken, pause_ms, rounded, watch};
use super::shown::Shown;
use super::{Place, database, lateness, refuse_existing, verdict};
use crate::error::Result;
use crate::output::{Cell, Column, Output, View};
use crate::{connect, node};

/// The app, and its queue.
const APP: (&str, &str) = ("bench", "xxl.bench");
/// How long executors are known before the load begins, at least.
const CALM_MS: i64 = 500;

/// Runs of XXL-JOB's executors: fire, /run, and the callback that ends it
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring bench xxl --store sqlite:bench.db --drain
  mainspring bench xxl --store postgres://me@127.0.0.1/bench --executors 50 --triggers 100000 --drain --json
  mainspring bench xxl --store postgres://me@127.0.0.1/bench --executors 50 --triggers 5000 --rate 1000
  mainspring bench xxl --store postgres://me@127.0.0.1/bench --executors 49 --black-holes 1 --triggers 5000 --rate 1000

One server, and executors in the process of the benchmark that answer at once and call back in batches. Lost and duplicated runs are
counted from the store. How late a run is counts to the instant at which it is sent. Black holes register, and answer no request to start a
run: what they have is counted apart, and how late the others are says whether they are slowed down.")]
pub struct XxlArgs {
    #[command(flatten)]
    place: Place,
    /// Executors, each with a port of its own
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    executors: u32,
    /// Runs that each of them is given at a time
    #[arg(long, default_value_t = 200, value_name = "M", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    slots: u32,
    /// Further executors that register, and never answer a request to start a run
    #[arg(long, default_value_t = 0, value_name = "N", requires = "rate", value_parser = clap::value_parser!(u32).range(..=10_000))]
    black_holes: u32,
    /// Triggers, each of a job of its own
    #[arg(long, default_value_t = 20_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    triggers: u32,
    /// Fires a second, spread evenly
    #[arg(long, value_name = "R", required_unless_present = "drain", conflicts_with = "drain", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rate: Option<u32>,
    /// All triggers due at once: how fast are their runs worked off?
    #[arg(long)]
    drain: bool,
    /// How long to measure; with --drain, how long at most
    #[arg(long, default_value_t = 20, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
}

/// What was measured.
#[derive(Serialize)]
struct Measured {
    store: String,
    executors: u32,
    slots: u32,
    black_holes: u32,
    runs: u64,
    seconds: f64,
    runs_per_second: f64,
    lateness_ms: Lateness,
    /// Requests to start a run that executors have heard.
    sent: u64,
    /// Runs that black holes were given: they have no end.
    swallowed: u64,
    lost: u64,
    duplicates: u64,
    server_cpu_seconds: f64,
    executors_cpu_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    database_cpu_seconds: Option<f64>,
}

const VIEW: View<Measured> = View {
    columns: &[
        Column::usual("STORE", |it, _| Cell::new(&it.store)),
        Column::usual("EXECUTORS", |it, _| Cell::new(format!("{} of {} slots", it.executors, it.slots))),
        Column::usual("BLACK HOLES", |it, _| Cell::new(it.black_holes)),
        Column::usual("RUNS", |it, _| Cell::new(it.runs)),
        Column::usual("SECONDS", |it, _| Cell::new(format!("{:.2}", it.seconds))),
        Column::usual("RUNS/S", |it, _| Cell::new(it.runs_per_second)),
        Column::usual("DUE TO SENT", |it, _| lateness(it.lateness_ms)),
        Column::usual("SENT", |it, _| Cell::new(it.sent)),
        Column::usual("SWALLOWED", |it, _| Cell::new(it.swallowed)),
        Column::usual("LOST", |it, _| Cell::new(it.lost)),
        Column::usual("DUPLICATES", |it, _| Cell::new(it.duplicates)),
        Column::usual("SERVER CPU", |it, _| Cell::new(format!("{:.2} s", it.server_cpu_seconds))),
        Column::usual("EXECUTORS CPU", |it, _| Cell::new(format!("{:.2} s", it.executors_cpu_seconds))),
        Column::usual("DATABASE CPU", |it, _| database(it.database_cpu_seconds, "s")),
    ],
    name: |it| it.store.clone(),
    empty: "",
};

pub fn run(args: &XxlArgs, output: &Output) -> Result {
    refuse_existing(&args.place.store)?;
    let shown = Shown::new(output.progress());
    let measured = node::block_on(measure(args, &shown));
    shown.end();
    let measured = measured?;
    args.place.print(&measured, &VIEW, output)?;
    verdict(measured.lost, measured.duplicates)
}

async fn measure(args: &XxlArgs, shown: &Shown) -> Result<Measured> {
    let store = &args.place.store;
    let usage = Usage::beside(store);
    let load = args.rate.map_or(Load::Drain, Load::Rate);
    let plan = RunsPlan { triggers: args.triggers, load, waiting: 0, stuck: (0, 0), executors: Some(APP) };
    let process = || Command::new("never started");
    let progress = |what, done, all| shown.show(what, done, all);
    let site = bench::Site { store, nodes: 1, process: &process, progress: &progress };
    let planted = bench::plant_runs(site, plan).await.map_err(|error| super::failed(store, &error))?;
    let folder = node::temporary(&tempfile::Builder::new())?;
    let mut server = Host::start(store, folder.path()).await?;
    let app = XxlAppSpec {
        name: APP.0.to_owned(),
        slots: Some(args.slots),
        instances_max: Some(args.executors + args.black_holes),
        ..XxlAppSpec::default()
    };
    let token = server.client.create_xxl_app(&app).await.map_err(connect::refused)?.token.unwrap_or_default();
    let (mut executors, mut holes) = (Vec::new(), Vec::new());
    for (count, manner, there) in
        [(args.executors, Manner::Prompt, &mut executors), (args.black_holes, Manner::Silent, &mut holes)]
    {
        for _ in 0..count {
            let executor = Executor::start(&server.url, APP.0, &token, manner).await;
            there.push(executor.map_err(|error| broken(&error))?);
        }
    }
    if SystemClock.now() + CALM_MS > planted.begin {
        return Err(super::failed(store, &bench::Error::Late { what: "starting server and executors" }));
    }
    pause_ms(planted.begin.since(SystemClock.now())).await;
    let own = [std::process::id()];
    let before = (usage.cpu(&server.ids()), usage.cpu(&own));
    let stopped_at = watch(&server, (args.rate, args.triggers, args.seconds), shown).await?;
    let host = usage.cpu(&server.ids()).since(before.0);
    let here = usage.cpu(&own).since(before.1);
    server.process.end().await?;
    let counted = planted.count(stopped_at).await.map_err(|error| super::failed(store, &error))?;
    let sent = executors.iter().chain(&holes).map(Executor::heard).sum();
    // A black hole has what it was sent, and what waits for it, but never more than its slots.
    let swallowed = counted.open.min(u64::from(args.black_holes) * u64::from(args.slots));
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let runs_per_second = (counted.runs as f64 / counted.seconds.max(0.001)).round();
    Ok(Measured {
        store: counted.store,
        executors: args.executors,
        slots: args.slots,
        black_holes: args.black_holes,
        runs: counted.runs,
        seconds: counted.seconds,
        runs_per_second,
        lateness_ms: counted.lateness_ms,
        sent,
        swallowed,
        lost: counted.lost + counted.open - swallowed,
        // A request that was sent twice is one, whatever the store says.
        duplicates: counted.duplicates.max(executors.iter().chain(&holes).map(Executor::repeated).sum()),
        server_cpu_seconds: rounded(host.nodes),
        executors_cpu_seconds: rounded(here.nodes),
        database_cpu_seconds: host.database.map(rounded),
    })
}
