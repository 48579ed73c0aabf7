//! Runs seeds, on two threads, and says what came of them.

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::ops::Range;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Context;
use clap::Parser;
use mainspring_sim::{Counts, FAULTS_LEAST, FIRES_LEAST, Planted, Report, Setting, World, executors};

/// Many nodes, clients and a database, in virtual time: what breaks them, and from which seed.
#[derive(Debug, Parser)]
struct Arguments {
    /// The seeds to run: `0..2000`.
    #[arg(long, value_parser = seeds, default_value = "0..100")]
    seeds: Range<u64>,
    /// How many virtual hours faults happen in each.
    #[arg(long)]
    hours: Option<f64>,
    /// Runs one seed and prints its trace.
    #[arg(long, value_name = "SEED")]
    replay: Option<u64>,
    /// Of how many seeds one is run twice, to see that it gives the same trace. 0: none.
    #[arg(long, default_value_t = 50)]
    again_every: u64,
    /// Fails if a seed has less of something than the least that makes it worth anything.
    #[arg(long)]
    minima: bool,
    /// No faults at all.
    #[arg(long)]
    calm: bool,
    /// Lives through flows only, of which every seed has one then.
    #[arg(long)]
    flows: bool,
    /// Lives through workflows only, of which every seed has some then.
    #[arg(long, conflicts_with = "flows")]
    workflows: bool,
    /// Lives through executors of XXL-JOB only, in a simulator of their own.
    #[arg(long, conflicts_with_all = ["flows", "workflows", "planted", "calm", "minima"])]
    executors: bool,
    /// Plants a bug, by its number in the list, to see from which seed on an invariant catches it.
    #[arg(long, value_name = "NUMBER", value_parser = planted)]
    planted: Option<Planted>,
    /// Goes on after a seed that failed.
    #[arg(long)]
    keep_going: bool,
}

/// The least events, fires and faults with an effect of a seed.
const LEAST: (u64, u64, u64) = (50_000, FIRES_LEAST, FAULTS_LEAST);
/// The lines of a trace that are shown of a seed that failed.
const SHOWN: usize = 60;

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let (from, to) = text.split_once("..").ok_or("write two numbers with `..` between, as in 0..2000")?;
    let number = |text: &str| text.parse::<u64>().map_err(|error| format!("`{text}` is not a number: {error}"));
    Ok(number(from)?..number(to)?)
}

fn planted(text: &str) -> Result<Planted, String> {
    let bug = Planted::ALL.iter().find(|(number, ..)| number.to_string() == text);
    let numbers = || Planted::ALL.map(|(number, ..)| number.to_string()).join(", ");
    bug.map(|(_, bug, _)| *bug).ok_or_else(|| format!("there is no bug `{text}`; there are {}", numbers()))
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let mut setting = Setting {
        faults: !arguments.calm,
        only_flows: arguments.flows,
        only_workflows: arguments.workflows,
        planted: arguments.planted,
        ..Setting::default()
    };
    if let Some(hours) = arguments.hours {
        anyhow::ensure!(hours > 0.0 && hours < 1_000.0, "--hours takes a number above 0 and below 1000");
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
        let faulty_ms = (hours * 3_600_000.0) as u64;
        setting.faulty_ms = faulty_ms;
    }
    if arguments.executors {
        return Ok(run_executors(&arguments));
    }
    if let Some(seed) = arguments.replay {
        return Ok(replay(seed, setting));
    }
    run(&arguments, setting)
}

/// Prints a line. When nobody reads any more (`| head`), nothing is left to be done.
fn say(line: impl Display) {
    if let Err(error) = writeln!(std::io::stdout(), "{line}") {
        if error.kind() != ErrorKind::BrokenPipe {
            let _nowhere_left = writeln!(std::io::stderr(), "mainspring-sim: {error}");
        }
        std::process::exit(1);
    }
}

fn tell_faults(faults: &Counts) {
    faults.to_string().lines().for_each(say);
}

fn replay(seed: u64, setting: Setting) -> ExitCode {
    let report = World::report_of(seed, Setting { tell: Some(|line| say(line)), ..setting });
    tell_faults(&report.faults);
    for violation in &report.violations {
        say(violation);
    }
    say(format_args!(
        "seed {seed}: hash {:016x}, {} events, {} fires, worst lateness in calm: {} ms",
        report.hash, report.events, report.fires, report.worst_in_calm_ms
    ));
    if report.violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Lives through executors of XXL-JOB, seed by seed.
fn run_executors(arguments: &Arguments) -> ExitCode {
    let usual = executors::Setting::default();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked where it is read")]
    let faulty_ms = arguments.hours.map_or(usual.faulty_ms, |hours| (hours * 3_600_000.0) as u64);
    let setting = executors::Setting { faulty_ms, ..usual };
    let seeds = arguments.replay.map_or_else(|| arguments.seeds.clone(), |seed| seed..seed + 1);
    let (mut runs, mut executions, mut faults, mut failed) = (0, 0, 0, 0);
    for seed in seeds.clone() {
        let report = executors::run(seed, setting);
        runs += report.runs;
        executions += report.executions;
        faults += report.faults;
        let shown = if arguments.replay.is_some() { report.trace.len() } else { SHOWN };
        if arguments.replay.is_some() || !report.violations.is_empty() {
            report.trace.iter().rev().take(shown).rev().for_each(say);
        }
        if let Some(violation) = report.violations.first() {
            failed += 1;
            say(format_args!("seed {seed}: {violation}"));
            if !arguments.keep_going {
                break;
            }
        }
    }
    say(format_args!(
        "executors, seeds {seeds:?}: {runs} runs, {executions} executions, {faults} faults; {failed} seeds failed"
    ));
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What came of all seeds together.
#[derive(Debug, Default)]
struct Sum {
    seeds: u64,
    events: u64,
    fires: u64,
    turns: u64,
    tasks: u64,
    faults: Counts,
    least: Option<(u64, u64, u64)>,
    worst_in_calm_ms: i64,
    failed: Vec<u64>,
    differing: Vec<u64>,
    hash: u64,
}

impl Sum {
    fn add(&mut self, report: &Report) {
        self.seeds += 1;
        self.events += report.events;
        self.fires += report.fires;
        self.turns += report.turns;
        self.tasks += report.tasks;
        self.faults.merge(&report.faults);
        let (events, fires, faults) = self.least.unwrap_or((u64::MAX, u64::MAX, u64::MAX));
        self.least = Some((events.min(report.events), fires.min(report.fires), faults.min(report.faults.total())));
        self.worst_in_calm_ms = self.worst_in_calm_ms.max(report.worst_in_calm_ms);
        self.hash ^= report.hash;
        if !report.violations.is_empty() {
            self.failed.push(report.seed);
        }
    }
}

fn run(arguments: &Arguments, setting: Setting) -> anyhow::Result<ExitCode> {
    let (sum, next) = (Mutex::new(Sum::default()), AtomicU64::new(arguments.seeds.start));
    let begun = Instant::now();
    let work = || loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        let stop = !arguments.keep_going && sum.lock().is_ok_and(|sum| !sum.failed.is_empty());
        if seed >= arguments.seeds.end || stop {
            return;
        }
        let report = World::report_of(seed, setting);
        let again = arguments.again_every > 0 && seed % arguments.again_every == 0;
        let differs = again && World::report_of(seed, setting).hash != report.hash;
        let mut sum = sum.lock().expect("a thread that panics ends the run");
        sum.add(&report);
        if differs {
            sum.differing.push(seed);
        }
        for violation in report.violations.iter().take(3) {
            say(format_args!("seed {seed}: {violation}"));
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| anyhow::anyhow!("a seed panicked")))
    })?;
    let sum = sum.into_inner().ok().context("a seed panicked")?;
    Ok(summary(arguments, setting, &sum, begun.elapsed().as_secs_f64()))
}

/// The options that decide what a seed does.
fn same(arguments: &Arguments) -> String {
    let hours = arguments.hours.map(|hours| format!(" --hours {hours}"));
    let planted = arguments.planted.and_then(|bug| {
        let (number, ..) = Planted::ALL.iter().find(|(_, one, _)| *one == bug)?;
        Some(format!(" --planted {number}"))
    });
    let calm = arguments.calm.then(|| " --calm".to_owned());
    let flows = arguments.flows.then(|| " --flows".to_owned());
    let workflows = arguments.workflows.then(|| " --workflows".to_owned());
    [hours, planted, calm, flows, workflows].into_iter().flatten().collect()
}

#[expect(clippy::cast_precision_loss, reason = "a rate for people")]
fn summary(arguments: &Arguments, setting: Setting, sum: &Sum, seconds: f64) -> ExitCode {
    let virtual_hours = sum.seeds as f64 * (setting.faulty_ms as f64 + 120_000.0) / 3_600_000.0;
    say(format_args!(
        "{} seeds in {seconds:.1} s ({:.1} a second, {:.0} virtual hours, {:.0} times as fast as time)",
        sum.seeds,
        sum.seeds as f64 / seconds,
        virtual_hours,
        virtual_hours * 3_600.0 / seconds
    ));
    say(format_args!(
        "{} events, {} fires, {} bodies of flows, {} runs of tasks, faults that had an effect: {}",
        sum.events,
        sum.fires,
        sum.turns,
        sum.tasks,
        sum.faults.total()
    ));
    tell_faults(&sum.faults);
    let (events, fires, faults) = sum.least.unwrap_or_default();
    say(format_args!(
        "least of a seed: {events} events, {fires} fires, {faults} faults; worst lateness in calm: {} ms",
        sum.worst_in_calm_ms
    ));
    say(format_args!("all traces together: {:016x}", sum.hash));
    if let Some(seed) = sum.failed.first() {
        let report = World::report_of(*seed, Setting { reads: true, ..setting });
        say(format_args!(
            "\nseed {seed} failed, as did {} others; the end of its trace up to the first violation:",
            sum.failed.len() - 1
        ));
        report.trace.iter().rev().take(SHOWN).rev().for_each(say);
        report.violations.iter().for_each(say);
        say(format_args!("again: cargo run --release -p mainspring-sim -- --replay {seed}{}", same(arguments)));
        return ExitCode::FAILURE;
    }
    if let Some(seed) = sum.differing.first() {
        say(format_args!("seed {seed} gave another trace when it was run again"));
        return ExitCode::FAILURE;
    }
    let below = events < LEAST.0 || fires < LEAST.1 || faults < LEAST.2;
    if arguments.minima && below {
        say(format_args!(
            "void: a seed is worth something from {} events, {} fires and {} faults on",
            LEAST.0, LEAST.1, LEAST.2
        ));
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
