//! `mainspring bench runs`: real servers and workers as processes of their own.

use std::io::Write;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use clap::Args;
use mainspring_api::client::Client;
use mainspring_engine::bench::{self, Cpu, Lateness, Load, RunsPlan, Usage};
use mainspring_engine::{Clock, SystemClock};
use mainspring_worker::{RunContext, Worker};
use serde::Serialize;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};

use super::shown::Shown;
use super::{Place, database, lateness, refuse_existing, verdict};
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::output::{Cell, Column, Output, View, dash};
use crate::{BENCH_WORKERS, connect, node};

/// No-op runs through a queue: fire, claim, a worker in another process, and its report
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring bench runs --store sqlite:bench.db --drain
  mainspring bench runs --store postgres://me@127.0.0.1/bench --triggers 100000 --drain --slots 2000 --json
  mainspring bench runs --store postgres://me@127.0.0.1/bench --triggers 5000 --rate 1000 --waiting 100000
  mainspring bench runs --store postgres://me@127.0.0.1/bench --triggers 100 --drain --idle-workers 5000
  mainspring bench runs --store postgres://me@127.0.0.1/bench --triggers 100 --rate 200 --slots 100 --stuck 100 --seconds 60

One server that executes nothing itself, and workers that reach it over HTTP on this machine. Lost and duplicated runs are
counted from the store, not by the generator.")]
pub struct RunsArgs {
    #[command(flatten)]
    place: Place,
    /// Workers, each a process of its own
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    workers: u32,
    /// Runs that each of them takes at a time
    #[arg(long, default_value_t = 1_000, value_name = "M", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    slots: u32,
    /// Triggers, each of a job of its own
    #[arg(long, default_value_t = 50_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    triggers: u32,
    /// Fires a second, spread evenly
    #[arg(long, value_name = "R", required_unless_present = "drain", conflicts_with = "drain", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rate: Option<u32>,
    /// All triggers due at once: how fast are their runs worked off?
    #[arg(long)]
    drain: bool,
    /// Runs that wait in another queue meanwhile, which nobody takes from
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = clap::value_parser!(u32).range(..=10_000_000))]
    waiting: u32,
    /// Afterwards, connect so many more workers that have nothing to do, and say what that costs
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = clap::value_parser!(u32).range(..=50_000))]
    idle_workers: u32,
    /// Jobs that get stuck after a third of the time: each has a run that keeps its slot until the end
    #[arg(long, default_value_t = 0, value_name = "N", conflicts_with = "drain", value_parser = clap::value_parser!(u32).range(..=10_000))]
    stuck: u32,
    /// How long to measure; with --drain, how long at most
    #[arg(long, default_value_t = 20, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
}

/// What was measured.
#[derive(Serialize)]
struct Runs {
    store: String,
    workers: u32,
    slots: u32,
    waiting: u32,
    stuck: u32,
    runs: u64,
    seconds: f64,
    runs_per_second: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    before_ms: Option<Lateness>,
    start_ms: Lateness,
    lateness_ms: Lateness,
    lost: u64,
    duplicates: u64,
    server_cpu_seconds: f64,
    workers_cpu_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    database_cpu_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idle: Option<Idle>,
}

/// What workers cost that have nothing to do.
#[derive(Serialize)]
struct Idle {
    workers: u32,
    joined_seconds: f64,
    server_cpu_percent: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    database_cpu_percent: Option<f64>,
}

const VIEW: View<Runs> = View {
    columns: &[
        Column::usual("STORE", |it, _| Cell::new(&it.store)),
        Column::usual("WORKERS", |it, _| Cell::new(format!("{} of {} slots", it.workers, it.slots))),
        Column::usual("WAITING ASIDE", |it, _| Cell::new(it.waiting)),
        Column::usual("STUCK", |it, _| Cell::new(it.stuck)),
        Column::usual("RUNS", |it, _| Cell::new(it.runs)),
        Column::usual("SECONDS", |it, _| Cell::new(format!("{:.2}", it.seconds))),
        Column::usual("RUNS/S", |it, _| Cell::new(it.runs_per_second)),
        Column::usual("DUE TO START BEFORE", |it, _| it.before_ms.map_or_else(|| Cell::new(dash()), lateness)),
        Column::usual("CLAIM TO START", |it, _| lateness(it.start_ms)),
        Column::usual("DUE TO START", |it, _| lateness(it.lateness_ms)),
        Column::usual("LOST", |it, _| Cell::new(it.lost)),
        Column::usual("DUPLICATES", |it, _| Cell::new(it.duplicates)),
        Column::usual("SERVER CPU", |it, _| Cell::new(format!("{:.2} s", it.server_cpu_seconds))),
        Column::usual("WORKERS CPU", |it, _| Cell::new(format!("{:.2} s", it.workers_cpu_seconds))),
        Column::usual("DATABASE CPU", |it, _| database(it.database_cpu_seconds, "s")),
        Column::usual("IDLE WORKERS", |it, _| {
            let text = |idle: &Idle| {
                let beside = idle.database_cpu_percent.map_or_else(String::new, |it| format!(", database {it:.1} %"));
                format!("{}: server {:.1} % of a core{beside}", idle.workers, idle.server_cpu_percent)
            };
            Cell::new(it.idle.as_ref().map_or_else(|| dash().to_owned(), text))
        }),
    ],
    name: |it| it.store.clone(),
    empty: "",
};

/// How long a process may take to start or to end.
const PATIENCE: Duration = Duration::from_secs(60);
/// For how long idle workers are watched, once they have joined and been left alone for a while.
const IDLE_SECONDS: u32 = 15;
const SETTLE_SECONDS: u32 = 5;

pub fn run(args: &RunsArgs, output: &Output) -> Result {
    let store = &args.place.store;
    refuse_existing(store)?;
    let shown = Shown::new(output.progress());
    let measured = node::block_on(measure(args, &shown));
    shown.end();
    let measured = measured?;
    args.place.print(&measured, &VIEW, output)?;
    verdict(measured.lost, measured.duplicates)
}

async fn measure(args: &RunsArgs, shown: &Shown) -> Result<Runs> {
    let store = &args.place.store;
    let usage = Usage::beside(store);
    let plan = RunsPlan {
        triggers: args.triggers,
        load: args.rate.map_or(Load::Drain, Load::Rate),
        waiting: args.waiting,
        stuck: (args.stuck, i64::from(args.seconds) * 1_000 / 3),
        executors: None,
    };
    let process = || Command::new("never started");
    let progress = |what, done, all| shown.show(what, done, all);
    let site = bench::Site { store, nodes: 1, process: &process, progress: &progress };
    let planted = bench::plant_runs(site, plan).await.map_err(|error| super::failed(store, &error))?;
    let folder = node::temporary(&tempfile::Builder::new())?;
    let mut server = Host::start(store, folder.path()).await?;
    let mut workers = Vec::new();
    for index in 1..=args.workers {
        workers.push(Process::start(&server.worker(args.slots, index, folder.path())).await?);
    }
    let ids: Vec<u32> = workers.iter().filter_map(Process::id).collect();
    if SystemClock.now() > planted.begin {
        return Err(super::failed(store, &bench::Error::Late { what: "starting server and workers" }));
    }
    pause_ms(planted.begin.since(SystemClock.now())).await;
    let before = (usage.cpu(&server.ids()), usage.cpu(&ids));
    let waited_for = watch(&server, (args.rate, args.triggers, args.seconds), shown).await?;
    let after = (usage.cpu(&server.ids()), usage.cpu(&ids));
    let idle = match args.idle_workers {
        0 => None,
        count => Some(idle(&server, count, &usage, shown).await?),
    };
    for worker in &mut workers {
        worker.end().await?;
    }
    server.process.end().await?;
    let counted = planted.count(waited_for).await.map_err(|error| super::failed(store, &error))?;
    let (host, crew): (Cpu, Cpu) = (after.0.since(before.0), after.1.since(before.1));
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let runs_per_second = (counted.runs as f64 / counted.seconds.max(0.001)).round();
    Ok(Runs {
        store: counted.store,
        workers: args.workers,
        slots: args.slots,
        waiting: args.waiting,
        stuck: args.stuck,
        runs: counted.runs,
        seconds: counted.seconds,
        runs_per_second,
        before_ms: counted.before_ms,
        start_ms: counted.start_ms,
        lateness_ms: counted.lateness_ms,
        lost: counted.lost + counted.open,
        duplicates: counted.duplicates,
        server_cpu_seconds: rounded(host.nodes),
        workers_cpu_seconds: rounded(crew.nodes),
        database_cpu_seconds: host.database.map(rounded),
        idle,
    })
}

pub(super) fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// Waits for the end of the load. Answers up to when instants are asked for.
pub(super) async fn watch(
    server: &Host,
    (rate, triggers, seconds): (Option<u32>, u32, u32),
    shown: &Shown,
) -> Result<mainspring_core::Timestamp> {
    let all = rate.map_or(u64::from(triggers), |rate| u64::from(rate) * u64::from(seconds));
    let limit = SystemClock.now() + i64::from(seconds) * 1_000;
    loop {
        let ended = server.ended_runs().await?;
        shown.show("runs", ended, all);
        let now = SystemClock.now();
        if rate.is_none() && ended >= all || now >= limit {
            break;
        }
        pause_ms(LOOK_EVERY_MS).await;
    }
    let stopped_at = SystemClock.now();
    if rate.is_some() {
        // What has fired by then is executed and reported.
        pause_ms(CALM_MS).await;
    }
    Ok(stopped_at)
}

/// How often the server is asked how far it is.
const LOOK_EVERY_MS: i64 = 100;
/// How long the last runs have.
const CALM_MS: i64 = 500;

pub(super) async fn pause_ms(ms: i64) {
    SystemClock.alarm().wait_until(SystemClock.now() + ms.max(0)).await;
}

/// Connects workers that have nothing to do, and measures for a while.
async fn idle(server: &Host, count: u32, usage: &Usage, shown: &Shown) -> Result<Idle> {
    let begun = std::time::Instant::now();
    let mut crowd = Process::start(&server.idlers(count)).await?;
    let joined_seconds = rounded(begun.elapsed().as_secs_f64());
    pause_ms(i64::from(SETTLE_SECONDS) * 1_000).await;
    let (begun, before) = (std::time::Instant::now(), usage.cpu(&server.ids()));
    for second in 0..IDLE_SECONDS {
        shown.show("idle", u64::from(second), u64::from(IDLE_SECONDS));
        pause_ms(1_000).await;
    }
    let used = usage.cpu(&server.ids()).since(before);
    let percent = |cpu: f64| rounded(cpu / begun.elapsed().as_secs_f64() * 100.0);
    let measured = Idle {
        workers: count,
        joined_seconds,
        server_cpu_percent: percent(used.nodes),
        database_cpu_percent: used.database.map(percent),
    };
    crowd.end().await?;
    Ok(measured)
}

/// A server that is measured.
pub(super) struct Host {
    pub(super) process: Process,
    pub(super) url: String,
    token_file: PathBuf,
    pub(super) client: Client,
}

impl Host {
    pub(super) async fn start(store: &str, folder: &Path) -> Result<Self> {
        let data = folder.join("server");
        let arguments = ["server", "--listen", "127.0.0.1:0", "--slots", "0", "--node-name", "bench", "--store", store];
        let arguments =
            arguments.iter().map(|it| (*it).to_owned()).chain(["--data".to_owned(), data.display().to_string()]);
        let mut process =
            Process::start(&Invocation { arguments: arguments.collect(), folder: folder.to_owned() }).await?;
        let url = process.first.rsplit(" on ").next().unwrap_or_default().to_owned();
        let token_file = loop {
            let line = process.line().await?;
            if let Some((_, path)) = line.split_once("token file:") {
                break PathBuf::from(path.trim());
            }
        };
        let client =
            Client::builder(&url).token(connect::read_token(&token_file)?).build().map_err(connect::refused)?;
        Ok(Self { process, url, token_file, client })
    }

    pub(super) fn ids(&self) -> Vec<u32> {
        self.process.id().into_iter().collect()
    }

    /// Final runs so far.
    async fn ended_runs(&self) -> Result<u64> {
        let metrics = self.client.metrics().await.map_err(connect::refused)?;
        let lines = metrics.lines().filter(|line| line.starts_with("mainspring_runs_total"));
        Ok(lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum())
    }

    fn worker(&self, slots: u32, index: u32, folder: &Path) -> Invocation {
        let (name, token) = (format!("bench-{index}"), self.token_file.display().to_string());
        let (data, slots) = (folder.join(&name).display().to_string(), slots.to_string());
        let arguments = [
            "worker",
            "--server",
            &self.url,
            "--token-file",
            &token,
            "--slots",
            &slots,
            "--name",
            &name,
            "--data-dir",
            &data,
            // For what is stuck.
            "--grace",
            "1s",
            "--kill-grace",
            "1s",
        ];
        Invocation { arguments: arguments.map(str::to_owned).to_vec(), folder: folder.to_owned() }
    }

    fn idlers(&self, count: u32) -> Invocation {
        let token = self.token_file.display().to_string();
        let arguments = vec![BENCH_WORKERS.to_owned(), self.url.clone(), token.clone(), count.to_string()];
        Invocation { arguments, folder: std::env::temp_dir() }
    }
}

/// What to start.
struct Invocation {
    arguments: Vec<String>,
    /// For what it would tell the command line of this user.
    folder: PathBuf,
}

/// This program again, as another process that says on stdout when it is ready.
pub(super) struct Process {
    child: Child,
    lines: tokio::io::Lines<BufReader<tokio::process::ChildStdout>>,
    first: String,
}

impl Process {
    async fn start(invocation: &Invocation) -> Result<Self> {
        let program = std::env::current_exe().map_err(|error| broken(&error))?;
        let mut command = Command::new(program);
        command.args(&invocation.arguments).env("XDG_STATE_HOME", &invocation.folder).kill_on_drop(true);
        // Asked to end by the end of its input or by a signal; its complaints are shown.
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| broken(&error))?;
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let mut process = Self { child, lines, first: String::new() };
        process.first = process.line().await?;
        Ok(process)
    }

    fn id(&self) -> Option<u32> {
        self.child.id()
    }

    async fn line(&mut self) -> Result<String> {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await;
        let line = line.map_err(|error| broken(&error))?.map_err(|error| broken(&error))?;
        line.ok_or_else(|| {
            let report = Report::new("bench.failed", "a process of the benchmark has ended before its time");
            Error::new(Exit::Failure, report)
        })
    }

    /// Asks it to end, and waits for that.
    pub(super) async fn end(&mut self) -> Result {
        if let Some(id) = self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw)
        {
            rustix::process::kill_process(id, rustix::process::Signal::TERM).map_err(|error| broken(&error))?;
        }
        drop(self.child.stdin.take());
        let ended = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        ended.map_err(|error| broken(&error))?.map_err(|error| broken(&error))?;
        Ok(())
    }
}

pub(super) fn broken(error: &dyn std::error::Error) -> Error {
    node::failed("bench.failed", "a process of the benchmark cannot be used", error)
}

/// Workers that have nothing to do, until stdin ends: `URL TOKEN_FILE COUNT`.
///
/// # Errors
/// `bench.failed` when they cannot join.
pub fn idlers(mut arguments: impl Iterator<Item = std::ffi::OsString>) -> Result {
    let mut next = || arguments.next().and_then(|it| it.into_string().ok()).unwrap_or_default();
    let (url, token, count) = (next(), next(), next());
    node::block_on(async {
        let mut workers = Vec::new();
        for index in 0..count.parse::<u32>().unwrap_or_default() {
            let builder = Worker::builder(&url)
                .token_file(&token)
                .name(format!("idle-{index}"))
                .queues(["nothing"])
                .handler("nothing", async |_: RunContext| {});
            workers.push(builder.start().await.map_err(|error| broken(&error))?);
        }
        crate::notes::note(format_args!("{} idle workers have joined", workers.len()));
        writeln!(std::io::stdout(), "ready").map_err(|error| broken(&error))?;
        let input = std::io::stdin().as_fd().try_clone_to_owned().and_then(pipe::Receiver::from_owned_fd);
        _ = input.map_err(|error| broken(&error))?.read_to_end(&mut Vec::new()).await;
        Ok(())
    })
}
