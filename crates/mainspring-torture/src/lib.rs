//! Torture of a cluster: real nodes over a real database, work for them, faults that follow from a seed, and the accounting of
//! what came of it.
//!
//! The rig gives nodes, databases and wires, and with the simulator the checkers; here is what is done with them. It must never
//! become a dependency of the product.

mod audit;
mod check;
mod client;
mod cluster;
mod load;
mod look;
mod nemesis;
mod notes;
mod plan;
mod read;
mod report;

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use mainspring_api::{ApplyOptions, Bundle};
use mainspring_rig::now;
use mainspring_sim::Random;
use mainspring_sim::history::{Operation, Outcome};
use serde_json::json;

use check::{Account, Finding};
use client::Traffic;
use cluster::Cluster;
use load::{Draft, Kind, Size};
use notes::Notes;
use plan::Pace;
use read::Known;
use report::{Report, Verdict};

/// The usage text.
pub const USAGE: &str = "--store postgres|mariadb|sqlite --minutes M|--seconds T [--seed S] [--nodes N] [--slack SECONDS] [--untimed] [--brief] [--faults KIND,KIND] [--before FILE] [--binary FILE]";
/// The time beyond the requested one: beginning, faults that come late, quiet, reading, and slowness of the machine.
const OVERTIME: Duration = Duration::from_secs(900);
/// The number of seconds from which everything has full size.
const WHOLE_SECONDS: u64 = 300;
/// A week.
const LONGEST_SECONDS: u64 = 604_800;

/// The options of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The store of the nodes.
    pub store: Store,
    /// The duration, from the first fault to the reading. A slow machine takes longer for the same faults, or does not
    /// get through them.
    pub seconds: u64,
    /// The seed that decides about everything else.
    pub seed: u64,
    /// The number of nodes.
    pub nodes: usize,
    /// The lateness that is allowed without any fault, in milliseconds: a second on a machine of its own, more beside
    /// other work.
    pub slack_ms: i64,
    /// Whether lateness is reported and not checked, on a machine so busy that it says nothing. Other invariants are
    /// checked, for as late as the latest run was.
    pub untimed: bool,
    /// Whether to print one line if all is well.
    pub brief: bool,
    /// The faults that come, where not all do that can.
    faults: Option<Vec<plan::Kind>>,
    /// The program with which nodes start for the first time, as before an upgrade. None: the same.
    pub before: Option<PathBuf>,
    /// The program; else it is built first.
    pub binary: Option<PathBuf>,
}

/// The store of the nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Store {
    /// A PostgreSQL of its own.
    Postgres,
    /// A MariaDB of its own.
    Mariadb,
    /// A file, and one node.
    Sqlite,
}

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Postgres => "postgres",
            Self::Mariadb => "mariadb",
            Self::Sqlite => "sqlite",
        })
    }
}

impl Options {
    /// Reads them from a command line.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn parse(arguments: &[&str]) -> Result<Self> {
        let (mut store, mut seconds, mut seed, mut nodes) = (None, None, 1, 3);
        let (mut before, mut binary) = (None, None);
        let (mut slack, mut untimed, mut brief, mut faults) = (1_u32, false, false, None);
        let mut rest = arguments.iter();
        while let Some(name) = rest.next() {
            let flag = match *name {
                "--brief" => Some(&mut brief),
                "--untimed" => Some(&mut untimed),
                _ => None,
            };
            if let Some(flag) = flag {
                *flag = true;
                continue;
            }
            let value = rest.next().with_context(|| format!("{name} wants a value; say torture {USAGE}"))?;
            let number = || value.parse::<u64>().with_context(|| format!("{name} wants a number, not {value:?}"));
            match *name {
                "--store" => store = Some(Store::named(value)?),
                "--minutes" => seconds = Some(number()?.saturating_mul(60)),
                "--seconds" => seconds = Some(number()?),
                "--seed" => seed = number()?,
                "--nodes" => nodes = number()?,
                "--slack" => slack = number()?.try_into().with_context(|| format!("{name} is too large: {value}"))?,
                "--faults" => faults = Some(value.split(',').map(plan::Kind::named).collect::<Result<_>>()?),
                "--before" => before = Some(PathBuf::from(value)),
                "--binary" => binary = Some(PathBuf::from(value)),
                _ => bail!("torture has no option {name}; say torture {USAGE}"),
            }
        }
        let store = store.with_context(|| format!("--store is missing; say torture {USAGE}"))?;
        let seconds = seconds.with_context(|| format!("--minutes is missing; say torture {USAGE}"))?;
        if !(60..=LONGEST_SECONDS).contains(&seconds) {
            bail!("torture takes a minute to a week, not {seconds} s");
        }
        if slack == 0 {
            bail!("--slack is a second or more: nothing is done in no time");
        }
        // What is checked is that others take over from a node.
        if store != Store::Sqlite && !(2..=9).contains(&nodes) {
            bail!("torture over {store} takes 2 to 9 nodes, not {nodes}; a node alone is tortured over sqlite");
        }
        let nodes = if store == Store::Sqlite { 1 } else { usize::try_from(nodes)? };
        let slack_ms = i64::from(slack) * 1_000;
        let options = Self { store, seconds, seed, nodes, slack_ms, untimed, brief, faults, before, binary };
        options.menu(true)?;
        Ok(options)
    }

    /// Returns the faults that are possible; hosts may have links or not.
    fn menu(&self, has_links: bool) -> Result<Vec<plan::Kind>> {
        let menu = plan::menu(self.store, has_links);
        let Some(faults) = &self.faults else { return Ok(menu) };
        if let Some(kind) = faults.iter().find(|kind| !menu.contains(kind)) {
            bail!("{kind}: it cannot be done to nodes over {} here (hosts are unplugged by root)", self.store);
        }
        Ok(menu.into_iter().filter(|kind| faults.contains(kind)).collect())
    }

    /// Returns the faults that come, where not all do, as the option names them.
    fn named(&self) -> Option<Vec<String>> {
        Some(self.faults.as_ref()?.iter().map(|kind| kind.word()).collect())
    }

    const fn is_whole(&self) -> bool {
        self.seconds >= WHOLE_SECONDS
    }

    /// Returns the quiet time at the end, in which lost work is detected and done again.
    const fn quiet_ms(&self) -> u64 {
        if self.is_whole() { 60_000 } else { 22_000 }
    }

    /// Returns the time after its due time that a run may be unfinished at the end.
    const fn patience_ms(&self) -> i64 {
        if self.is_whole() { 120_000 } else { 50_000 }
    }
}

impl Store {
    fn named(name: &str) -> Result<Self> {
        match name {
            "postgres" => Ok(Self::Postgres),
            "mysql" | "mariadb" => Ok(Self::Mariadb),
            "sqlite" => Ok(Self::Sqlite),
            _ => bail!("there is no store `{name}` to torture; say postgres, mariadb or sqlite"),
        }
    }
}

/// Tortures a program, and writes what came of it into a folder: also where it ends before its time.
///
/// # Errors
/// Something could not be done that has to be: a server that does not start, a store that cannot be read. Or it was
/// interrupted, or is not over long after it should be.
pub fn run(options: &Options, binary: PathBuf, folder: &Path) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let notes = Arc::<Notes>::default();
    let done = runtime.block_on(async {
        let mut ended = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        let bound = Duration::from_secs(options.seconds) + OVERTIME;
        // What was started is ended with what is dropped, so nothing is left behind.
        tokio::select! {
            done = torture(options, binary, folder, &notes) => done,
            () = pause_for(bound) => bail!("it is not over after {} s", bound.as_secs()),
            _ = tokio::signal::ctrl_c() => bail!("it was interrupted"),
            _ = ended.recv() => bail!("it was told to end"),
        }
    });
    if let Err(error) = &done {
        unfinished(options, folder, &notes, error)?;
    }
    done
}

/// Writes what happened until an end that was none.
fn unfinished(options: &Options, folder: &Path, notes: &Notes, error: &anyhow::Error) -> Result<()> {
    let (record, faults, logs) = notes.take();
    let finding = Finding { invariant: "torture", what: format!("it ended before its time: {error:#}") };
    let account = Account { findings: vec![finding], ..Account::default() };
    let report =
        Report { options, answers: record.answers, faults: &faults, planned: notes.planned(), account: &account };
    write(folder, &report, &record.requests, &logs)
}

async fn torture(options: &Options, binary: PathBuf, folder: &Path, notes: &Arc<Notes>) -> Result<ExitCode> {
    let mut random = Random::new(options.seed);
    let (size, pace) = if options.is_whole() { (Size::WHOLE, Pace::SLOW) } else { (Size::SMALL, Pace::FAST) };
    let first = options.before.clone().unwrap_or_else(|| binary.clone());
    let mut cluster = Cluster::start(first, options.store, options.nodes, Arc::clone(notes)).await?;
    cluster.upgrade(binary);
    let drafts = load::drafts(&mut random, size, now()?);
    let fault_ms = options.seconds * 1_000 - options.quiet_ms();
    let menu = options.menu(cluster.has_links())?;
    let planned = plan::plan(&mut random, &menu, options.nodes, pace, fault_ms);
    let mut operations = save(&cluster, &drafts).await?;
    let saved_at = now()?;
    let traffic = start(&cluster, &drafts, &mut random, notes);
    notes.plan(planned.len());
    nemesis::torture(&mut cluster, &planned, notes).await?;
    let faults = notes.faults();
    let shared = cluster.shared().await;
    let mut record = traffic.end().await?;
    pause(options.quiet_ms()).await;

    operations.append(&mut record.operations);
    record.operations = operations;
    let (answers, requests) = (record.answers, std::mem::take(&mut record.requests));
    let ownerless = ownerless(&cluster).await;
    let ended = cluster.ended()?;
    let at = now()?;
    if options.store == Store::Sqlite {
        cluster.stop_all()?;
    }
    let logs = cluster.logs();
    let saw = cluster.saw()?;
    let known = Known {
        drafts,
        record,
        faults,
        saw,
        alone: cluster.is_alone(),
        slack_ms: options.slack_ms,
        untimed: options.untimed,
        patience_ms: options.patience_ms(),
        saved_at,
        at,
        ownerless,
        logs,
    };
    let store = mainspring_store::open(&cluster.address).await?;
    let story = read::read(&*store, &cluster.witness, known).await?;
    store.close().await?;
    let mut account = check::check(&story);
    let stuck = shared.err().map(|error| error.to_string()).into_iter().chain(ended);
    account.findings.extend(stuck.map(|what| Finding { invariant: "I11", what }));
    let report = Report { options, answers, faults: &story.faults, planned: notes.planned(), account: &account };
    let verdict = report.verdict();
    write(folder, &report, &requests, &story.logs)?;
    Ok(if verdict == Verdict::Green { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Saves the jobs that nobody changes afterwards.
async fn save(cluster: &Cluster, drafts: &[Draft]) -> Result<Vec<Operation>> {
    let saved = || (0..).zip(drafts).filter(|(_, draft)| draft.kind != Kind::Changed);
    let specs: Vec<_> = saved().map(|(_, draft)| draft.spec(&cluster.witness, "never changes")).collect();
    let bundle: Bundle = serde_json::from_value(json!({ "jobs": specs }))?;
    let invoked = now()?.as_millis();
    // With more patience than the clients of the test have: everything rests on it.
    cluster.node(0)?.client()?.apply(&bundle, ApplyOptions { dry_run: false, prune: false }).await?;
    let at = now()?.as_millis();
    let operation = |(job, draft): (u32, &Draft)| {
        let (brings, outcome) = (draft.active(), Outcome::Ok(at));
        Operation { job, brings, invoked, outcome, counts_from: at, taken_back: false }
    };
    Ok(saved().map(operation).collect())
}

fn start(cluster: &Cluster, drafts: &[Draft], random: &mut Random, notes: &Notes) -> Traffic {
    let of = |kind: Kind| (0..).zip(drafts).filter(move |(_, draft)| draft.kind == kind);
    let changed = of(Kind::Changed).map(|(number, draft)| (number, draft.clone())).collect();
    let asked = of(Kind::Asked).map(|(_, draft)| draft.clone()).collect();
    let desk = (cluster.clients.clone(), cluster.witness.clone(), notes.record());
    Traffic::start(desk, changed, asked, random)
}

/// Shards that nobody has, as a node sees it; all of them, if none answers.
async fn ownerless(cluster: &Cluster) -> usize {
    for client in cluster.clients.all() {
        if let Ok(seen) = client.cluster().await {
            return seen.shards.iter().filter(|shard| shard.node.is_none()).count();
        }
    }
    cluster::SHARDS
}

/// Writes the report, the requests, the faults, and what the nodes have said; and prints the report, or as much as is wanted.
fn write(folder: &Path, report: &Report<'_>, requests: &[serde_json::Value], logs: &[String]) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let store = report.options.store;
    let put = |ending: &str, text: String| std::fs::write(folder.join(format!("{store}{ending}")), text);
    put(".md", report.markdown())?;
    put(".json", format!("{:#}\n", report.json()))?;
    put("-requests.jsonl", requests.iter().fold(String::new(), |text, request| text + &request.to_string() + "\n"))?;
    put("-faults.txt", report.faults.iter().fold(String::new(), |text, fault| text + &format!("{fault:?}\n")))?;
    put("-nodes.log", logs.join("\n---\n"))?;
    let is_brief = report.options.brief && report.verdict() == Verdict::Green;
    Ok(writeln!(std::io::stdout(), "{}", if is_brief { report.line() } else { report.markdown() })?)
}

/// Lets time pass: everything here happens in it.
async fn pause(ms: u64) {
    pause_for(Duration::from_millis(ms)).await;
}

async fn pause_for(duration: Duration) {
    tokio::time::sleep_until(tokio::time::Instant::now() + duration).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_what_is_wrong_is_said() {
        let options =
            Options::parse(&["--store", "postgres", "--minutes", "2", "--seed", "9", "--nodes", "4"]).unwrap();
        let (store, slack_ms, untimed, brief) = (Store::Postgres, 1_000, false, false);
        let (faults, before, binary) = (None, None, None);
        let seconds = 120;
        let expected = Options { store, seconds, seed: 9, nodes: 4, slack_ms, untimed, brief, faults, before, binary };
        assert_eq!(options, expected);
        let brief =
            Options::parse(&["--brief", "--store", "sqlite", "--untimed", "--seconds", "90", "--slack", "7"]).unwrap();
        assert_eq!((brief.nodes, brief.seconds, brief.slack_ms), (1, 90, 7_000));
        assert!(brief.brief && brief.untimed);
        let two = ["--store", "postgres", "--minutes", "1", "--faults", "wire-slow,node-killed"];
        assert_eq!(Options::parse(&two).unwrap().menu(true).unwrap(), [plan::Kind::Kill, plan::Kind::Slow]);
        let cases: [(&[&str], &str); 13] = [
            (&[], "--store is missing"),
            (&["--store", "postgres"], "--minutes is missing"),
            (&["--store", "redis"], "say postgres, mariadb or sqlite"),
            (&["--store"], "wants a value"),
            (&["--minutes", "soon"], "wants a number"),
            (&["--speed", "9"], "no option --speed"),
            (&["--store", "mariadb", "--minutes", "1", "--nodes", "1"], "takes 2 to 9 nodes, not 1"),
            (&["--store", "sqlite", "--minutes", "0"], "a minute to a week"),
            (&["--store", "sqlite", "--minutes", "18446744073709551615"], "a minute to a week"),
            (&["--store", "sqlite", "--seconds", "59"], "a minute to a week, not 59 s"),
            (&["--store", "sqlite", "--seconds", "60", "--slack", "0"], "a second or more"),
            (
                &["--store", "sqlite", "--seconds", "60", "--faults", "node-killed,wire-cut"],
                "wire cut: it cannot be done",
            ),
            (&["--faults", "fire"], "say one of node-killed, node-stopped, host-unplugged"),
        ];
        for (arguments, expected) in cases {
            let error = format!("{:#}", Options::parse(arguments).unwrap_err());
            assert!(error.contains(expected), "{arguments:?}: {error}");
        }
    }
}
