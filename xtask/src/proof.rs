//! `proof`: runs what `make test` leaves out, part by part, goes on after a failure, and writes one report.
//!
//! The parts are listed in `xtask/proof.toml`. Each step of a part is a process of its own, whose whole output is kept beside the
//! report in `target/proof`.

mod figures;
pub mod parts;

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;

use self::parts::Part;

/// How many of the last lines of a step are in the report.
const LINES: usize = 25;
/// The same of a step that failed.
const LINES_FAILED: usize = 120;

/// Something that is run, and what has to hold of what it prints.
struct Step<'a> {
    command: Vec<String>,
    bench: Option<&'a parts::Bench>,
}

/// How a step ended.
struct Ended {
    command: String,
    took: Duration,
    /// Why it failed.
    failure: Option<String>,
    log: PathBuf,
}

/// Runs the parts of these names, or all. Fails if a step of one does.
///
/// # Errors
/// Fails when there is no such part, or no place for the report.
pub fn run(root: &Path, names: &[&str]) -> anyhow::Result<ExitCode> {
    let (parts, fresh) = (parts::named(names)?, parts::fresh()?);
    let folder = root.join("target/proof");
    std::fs::create_dir_all(&folder).context("making a place for the report")?;
    let mut report = head(root, fresh);
    let (mut table, mut details, mut failed) = (String::new(), String::new(), Vec::new());
    for part in &parts {
        say(&format!("\n==> {}: {}", part.name, part.about));
        let ended = run_part(root, &folder, part, fresh)?;
        let verdict = if ended.iter().all(|step| step.failure.is_none()) { "ok" } else { "FAILED" };
        if verdict != "ok" {
            failed.push(part.name.as_str());
        }
        let seconds: f64 = ended.iter().map(|step| step.took.as_secs_f64()).sum();
        writeln!(table, "| {} | {verdict} | {seconds:.0} | {} |", part.name, part.about)?;
        writeln!(details, "\n## {}: {verdict}", part.name)?;
        ended.iter().try_for_each(|step| describe(&mut details, step))?;
    }
    write!(report, "| part | result | seconds | what it shows |\n|---|---|---|---|\n{table}{details}")?;
    let path = folder.join("report.md");
    std::fs::write(&path, report).context("writing the report")?;
    say(&format!("\n{table}\nthe report: {}", path.display()));
    if failed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    say(&format!("FAILED: {}; again: make proof PART=\"{}\"", failed.join(", "), failed.join(" ")));
    Ok(ExitCode::FAILURE)
}

/// Says what was proven, and when.
fn head(root: &Path, fresh: u64) -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(root).output().ok();
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
    };
    let changed = if git(&["status", "--porcelain"]).is_empty() { "" } else { ", with changes that are not committed" };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!(
        "# Proof of {}{changed}\n\n{cores} cores. Random numbers of this run: `{}={fresh}`.\n\n",
        git(&["log", "-1", "--format=%h %s"]),
        parts::FRESH
    )
}

fn run_part(root: &Path, folder: &Path, part: &Part, fresh: u64) -> anyhow::Result<Vec<Ended>> {
    let stores = tempfile::tempdir().context("making a place for stores")?;
    let mut ended = Vec::new();
    for (number, step) in steps(part, fresh, stores.path())?.into_iter().enumerate() {
        let log = folder.join(format!("{}-{}.log", part.name, number + 1));
        say(&format!("--> {}", step.command.join(" ")));
        let begun = Instant::now();
        let failure = execute(root, part, &step, fresh, &log).unwrap_or_else(|error| Some(format!("{error:#}")));
        let took = begun.elapsed();
        say(&format!("    {:.0} s, {}", took.as_secs_f64(), failure.as_deref().unwrap_or("ok")));
        ended.push(Ended { command: step.command.join(" "), took, failure, log });
    }
    Ok(ended)
}

/// Returns what a part runs: its tests, its commands, its benchmarks.
fn steps<'a>(part: &'a Part, fresh: u64, stores: &Path) -> anyhow::Result<Vec<Step<'a>>> {
    let mut steps = Vec::new();
    if !part.tests.is_empty() || !part.again.is_empty() {
        let program = std::env::current_exe()?.to_str().context("the path of this program is text")?.to_owned();
        let command = [program, "test".into(), "--part".into(), part.name.clone()].into();
        steps.push(Step { command, bench: None });
    }
    for command in &part.commands {
        let command = command.iter().map(|word| parts::with_fresh(word, fresh)).collect();
        steps.push(Step { command, bench: None });
    }
    for (number, bench) in part.bench.iter().enumerate() {
        let store = format!("sqlite:{}", stores.join(format!("{number}.db")).display());
        let words = bench.run.iter().map(|word| word.replace("{store}", &store));
        let command = ["target/release/mainspring".into(), "bench".into()].into_iter().chain(words).collect();
        steps.push(Step { command, bench: Some(bench) });
    }
    Ok(steps)
}

/// Runs a step and keeps what it prints. Returns why it failed, if it did.
fn execute(root: &Path, part: &Part, step: &Step<'_>, fresh: u64, log: &Path) -> anyhow::Result<Option<String>> {
    let output = File::create(log)?;
    let mut command = Command::new(root.join(&step.command[0]));
    command.args(&step.command[1..]).current_dir(root).env(parts::FRESH, fresh.to_string());
    command.envs(part.env.iter().map(|(name, value)| (name, parts::with_fresh(value, fresh))));
    command.stdin(Stdio::null()).stderr(output.try_clone()?).stdout(output);
    let status = command.status().with_context(|| format!("running {}", step.command[0]))?;
    if !status.success() {
        return Ok(Some(status.to_string()));
    }
    let Some(bench) = step.bench else { return Ok(None) };
    let problems = figures::judge(bench, &std::fs::read_to_string(log)?)?;
    Ok((!problems.is_empty()).then(|| problems.join("; ")))
}

/// Adds a step to the report, with the end of what it printed.
fn describe(report: &mut String, step: &Ended) -> std::fmt::Result {
    let said = String::from_utf8_lossy(&std::fs::read(&step.log).unwrap_or_default()).into_owned();
    let lines: Vec<&str> = said.lines().collect();
    let most = if step.failure.is_some() { LINES_FAILED } else { LINES };
    let shown = lines[lines.len().saturating_sub(most)..].join("\n");
    let verdict = step.failure.as_deref().unwrap_or("ok");
    let (command, seconds, log) = (&step.command, step.took.as_secs_f64(), step.log.display());
    writeln!(report, "\n`{command}`: {verdict}, {seconds:.0} s; whole output in `{log}`\n\n```text\n{shown}\n```")
}

fn say(line: &str) {
    // Nobody may be reading any more.
    let _said = writeln!(std::io::stdout(), "{line}");
}
