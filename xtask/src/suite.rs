//! `test`: runs every test of the workspace in a process of its own, several at a time, the longest first.
//!
//! Tests that a part of `make proof` lists as its own are left out and counted; `--part NAME` runs those of one part. Random cases are
//! the same in each run unless `PROPTEST_RNG_SEED` says otherwise.

mod binaries;
mod job;
mod summary;

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, bail};

use self::job::{Done, Job};
use crate::proof::parts::{self, Part};

/// The tests that take more than a second, the longest first. A test that is missing here starts after them.
const LONGEST: &str = include_str!("suite/longest.txt");
/// Many tests wait for processes and databases, so that more of them than there are processors go on at a time.
const SLOTS_MIN: usize = 4;
/// Says how many tests run at a time.
const SLOTS: &str = "MAINSPRING_TEST_SLOTS";

/// Which tests are run.
#[derive(Debug, Default, PartialEq, Eq)]
struct Selection<'a> {
    /// Those of a part of `make proof`, in place of those of `make test`.
    part: Option<&'a str>,
    /// A file with what cargo said when it built the tests. Without it they are built.
    built: Option<&'a str>,
    /// Only those whose package and path contain each of these.
    words: Vec<&'a str>,
}

impl<'a> Selection<'a> {
    fn parse(arguments: &[&'a str]) -> anyhow::Result<Self> {
        let mut selection = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match *argument {
                "--part" => selection.part = Some(arguments.next().context("say which part: --part NAME")?),
                "--built" => selection.built = Some(arguments.next().context("say which file: --built FILE")?),
                option if option.starts_with('-') => {
                    bail!("`test` takes --part, --built and words of names, not `{option}`")
                }
                word => selection.words.push(word),
            }
        }
        Ok(selection)
    }

    fn names(&self, job: &Job) -> bool {
        let name = job.name();
        self.words.iter().all(|word| name.contains(word))
    }
}

/// Builds all tests and runs the selected ones. Fails if one fails, or if none is selected.
///
/// # Errors
/// Fails when the tests cannot be built or listed, or when a part lists a test that is not there.
pub fn run(root: &Path, arguments: &[&str]) -> anyhow::Result<ExitCode> {
    let selection = Selection::parse(arguments)?;
    let parts = match selection.part {
        Some(part) => parts::named(&[part])?,
        None => parts::all()?,
    };
    let logs = root.join("target/ci/tests");
    if logs.exists() {
        std::fs::remove_dir_all(&logs)?;
    }
    std::fs::create_dir_all(&logs).context("making a place for the output of tests")?;
    let jobs = binaries::jobs(root, selection.built)?;
    missing(&parts, &jobs)?;
    let named = jobs.into_iter().filter(|job| selection.names(job));
    let is_ours = |job: &Job| match selection.part {
        Some(_) => parts.iter().any(|part| part.runs(&job.name())),
        None => !parts.iter().any(|part| part.leaves_out(&job.name())),
    };
    let (jobs, others): (Vec<Job>, Vec<Job>) = named.partition(is_ours);
    let skipped = if selection.part.is_some() { 0 } else { others.len() };
    if jobs.is_empty() {
        bail!("no test is called so: {:?}", selection.words);
    }
    let begun = Instant::now();
    let done = run_all(longest_first(jobs), slots()?, &logs);
    let text = summary::text(&done, skipped, begun.elapsed());
    std::io::stdout().write_all(text.as_bytes())?;
    let failed = done.iter().any(|done| !done.passed);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Refuses parts that name tests that are not there: one that was renamed would run in `make test`.
fn missing(parts: &[Part], jobs: &[Job]) -> anyhow::Result<()> {
    let names: Vec<String> = jobs.iter().map(Job::name).collect();
    let is_there = |beginning: &str, whole: bool| {
        names.iter().any(|name| name == beginning || (!whole && name.starts_with(beginning)))
    };
    for part in parts {
        let tests = part.tests.iter().map(|test| (test, true)).chain(part.again.iter().map(|test| (test, false)));
        for (test, whole) in tests {
            if !is_there(test, whole) {
                bail!("xtask/proof.toml: the part `{}` lists a test that is not there: `{test}`", part.name);
            }
        }
    }
    Ok(())
}

fn slots() -> anyhow::Result<usize> {
    if let Ok(text) = std::env::var(SLOTS) {
        return text.parse().ok().filter(|slots| *slots > 0).with_context(|| format!("{SLOTS} is no number: {text}"));
    }
    Ok(std::thread::available_parallelism()?.get().max(SLOTS_MIN))
}

/// Puts the tests that are known to be long first. The others keep their order.
fn longest_first(mut jobs: Vec<Job>) -> Vec<Job> {
    let ranks: HashMap<&str, usize> = LONGEST.lines().zip(0..).collect();
    jobs.sort_by_cached_key(|job| ranks.get(job.name().as_str()).copied().unwrap_or(usize::MAX));
    jobs
}

/// Runs the tests, at most so many at a time, and prints those that fail as they do.
fn run_all(jobs: Vec<Job>, slots: usize, logs: &Path) -> Vec<Done> {
    let total = jobs.len();
    println(&format!("running {total} tests, {slots} at a time"));
    let waiting = Mutex::new(jobs.into_iter());
    let done = Mutex::new(Vec::with_capacity(total));
    let work = || {
        loop {
            let next = waiting.lock().expect("no other thread panics").next();
            let Some(job) = next else { return };
            let ended = job.run(logs);
            let mut done = done.lock().expect("no other thread panics");
            if !ended.passed {
                println(&format!("FAILED {}", ended.name));
            }
            done.push(ended);
            if done.len() % 250 == 0 {
                println(&format!("{} of {total} are done", done.len()));
            }
        }
    };
    std::thread::scope(|scope| (0..slots).for_each(|_| _ = scope.spawn(work)));
    done.into_inner().expect("no thread panicked")
}

fn println(line: &str) {
    // Nobody may be reading any more.
    let _said = writeln!(std::io::stdout(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_and_words_select_tests() {
        let selection = Selection::parse(&["--part", "plans", "--built", "a.json", "store", "mysql"]).unwrap();
        let expected = Selection { part: Some("plans"), built: Some("a.json"), words: vec!["store", "mysql"] };
        assert_eq!(selection, expected);
        assert!(selection.names(&Job::named("mainspring-store", "mysql::tests::plans::a")));
        assert!(!selection.names(&Job::named("mainspring-store", "postgres::tests::plans::a")));
        for wrong in [&["--prove"][..], &["--part"]] {
            assert!(Selection::parse(wrong).unwrap_err().to_string().contains("--part"), "{wrong:?}");
        }
    }

    #[test]
    fn part_that_lists_a_test_that_is_gone_is_refused() {
        let part = parts::named(&["plans"]).unwrap();
        let jobs: Vec<Job> =
            part[0].tests.iter().map(|test| test.split_once(' ').unwrap()).map(|(a, b)| Job::named(a, b)).collect();
        missing(&part, &jobs).unwrap();
        let error = missing(&part, &jobs[1..]).unwrap_err().to_string();
        assert!(error.contains("the part `plans` lists a test that is not there: `mainspring-store mysql"), "{error}");
    }

    #[test]
    fn tests_that_are_known_to_be_long_start_first() {
        let [first, second] = [0, 1].map(|line| LONGEST.lines().nth(line).unwrap().split_once(' ').unwrap());
        let names = [("a", "b"), second, ("c", "d"), first].map(|(package, path)| Job::named(package, path));
        let ordered: Vec<String> = longest_first(names.into()).iter().map(Job::name).collect();
        let [first, second] = [first, second].map(|(package, path)| format!("{package} {path}"));
        assert_eq!(ordered, [first.as_str(), second.as_str(), "a b", "c d"]);
    }
}
