//! `mainspring run load`: runs that another scheduler has executed.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use clap::Args;
use mainspring_api::client::ClientError;
use mainspring_api::{ErrorCode, PastRun, PastRuns, PastRunsAdded};
use serde::{Deserialize, Serialize};

use crate::connect::Session;
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::output::{Output, counted};

/// Lines that are read before what they say is sent.
const LINES: usize = 5_000;
/// Runs that one request brings.
const RUNS: usize = 500;

#[derive(Debug, Args)]
pub struct LoadArgs {
    /// What mainspring import xxl-job --history has written; - is the standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// A line of the file: a run with its job.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobRun {
    /// The name of the job.
    pub job: String,
    /// Where it comes from, for people.
    pub source: String,
    /// The run.
    pub run: PastRun,
}

/// What has come of it so far.
#[derive(Debug, Default)]
struct Loaded {
    lines: usize,
    added: u64,
    known: u64,
    /// Runs of jobs that are not there, by these.
    strays: BTreeMap<String, usize>,
}

/// Adds the runs of a file, slice by slice. What is there already is not added again, so that it may be repeated.
///
/// # Errors
/// A line that cannot be read (exit 9), and whatever the server reports; what was sent before stays. Runs of jobs that are not there are
/// passed over, and the exit code is 11 then.
pub async fn load(session: &Session, args: &LoadArgs, output: &Output) -> Result {
    let mut lines = lines(args)?.enumerate();
    let mut loaded = Loaded::default();
    loop {
        let slice = slice(args, &mut lines)?;
        if slice.is_empty() {
            break;
        }
        loaded.lines += slice.len();
        if let Err(error) = send(session, slice, &mut loaded).await {
            output.note(format_args!(
                "{} added before that; load the file again: what is there is not added again",
                counted(whole(loaded.added), "run")
            ));
            return Err(error);
        }
        output.note(format_args!("{} of the file loaded", counted(loaded.lines, "line")));
    }
    for (job, runs) in &loaded.strays {
        output.note(format_args!("{} passed over: there is no job {job}", counted(*runs, "run")));
    }
    output.note(format_args!("{} added, {} there already", counted(whole(loaded.added), "run"), loaded.known));
    if loaded.strays.is_empty() { Ok(()) } else { Err(Error::silent(Exit::Partial)) }
}

fn whole(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

type Lines = Box<dyn Iterator<Item = std::io::Result<String>>>;

fn lines(args: &LoadArgs) -> Result<Lines> {
    if args.file.as_os_str() == "-" {
        return Ok(Box::new(BufReader::new(std::io::stdin()).lines()));
    }
    let file = std::fs::File::open(&args.file).map_err(|error| Error::file("read", &args.file, &error))?;
    Ok(Box::new(BufReader::new(file).lines()))
}

/// The next lines.
fn slice(args: &LoadArgs, lines: &mut impl Iterator<Item = (usize, std::io::Result<String>)>) -> Result<Vec<JobRun>> {
    let mut slice = Vec::new();
    for (number, line) in lines {
        let line = line.map_err(|error| Error::file("read", &args.file, &error))?;
        if line.trim().is_empty() {
            continue;
        }
        slice.push(serde_json::from_str(&line).map_err(|error| {
            let report = Report::new("cli.input", error.to_string());
            let report = report.at(format!("{}:{}", args.file.display(), number + 1));
            Error::new(Exit::Invalid, report.hint("mainspring import xxl-job --history writes such a file"))
        })?);
        if slice.len() == LINES {
            break;
        }
    }
    Ok(slice)
}

async fn send(session: &Session, slice: Vec<JobRun>, loaded: &mut Loaded) -> Result {
    let mut of_jobs: BTreeMap<(String, String), Vec<PastRun>> = BTreeMap::new();
    for JobRun { job, source, run } in slice {
        of_jobs.entry((job, source)).or_default().push(run);
    }
    for ((job, source), runs) in of_jobs {
        for part in runs.chunks(RUNS) {
            let runs = PastRuns { source: source.clone(), runs: part.to_vec() };
            let answer = session.client.add_past_runs(&session.namespace, &job, &runs).await;
            if answer.as_ref().is_err_and(is_stray) {
                *loaded.strays.entry(job.clone()).or_default() += part.len();
                continue;
            }
            let PastRunsAdded { added, known } = session.ask(async { answer }).await?;
            loaded.added += added;
            loaded.known += known;
        }
    }
    Ok(())
}

/// Whether a server says that there is no such job.
fn is_stray(error: &ClientError) -> bool {
    matches!(error, ClientError::Refused(details) if details.code == ErrorCode::JobNotFound.as_str())
}
