//! `mainspring check`.

use std::path::PathBuf;

use clap::Args;
use mainspring_api::{JobSpec, LogicalDate, Problem, ProblemDetails};
use mainspring_core::workflow::measure;
use serde::Serialize;

use crate::error::Result;
use crate::files;
use crate::graph::Drawing;
use crate::output::{Form, Output, counted};

/// Validate job files without a server; exit 9 when something is wrong
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring check jobs/*.yaml
  mainspring check jobs/                 all job files in a folder and below
  mainspring export | mainspring check -")]
pub struct CheckArgs {
    /// Job file, folder, or - for standard input
    #[arg(required = true, value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
    /// Refuse files in a folder that have no key of a job file, in place of skipping them
    #[arg(long)]
    strict: bool,
    /// Zone of triggers that name none, as the server has it
    #[arg(long, env = "MAINSPRING_DEFAULT_TIMEZONE", default_value = "UTC", value_name = "ZONE")]
    default_timezone: String,
}

/// What the files hold, and what is wrong with them.
#[derive(Serialize)]
struct Summary<'a> {
    /// Whether nothing is wrong with the files.
    valid: bool,
    jobs: usize,
    triggers: usize,
    calendars: usize,
    #[serde(skip_serializing_if = "is_zero")]
    flows: usize,
    /// What the graphs of workflows are like.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    workflows: Vec<Measures<'a>>,
    /// Errors, up to 100, each with code, message, pointer, position and hint as in answers of the API.
    problems: &'a [Problem],
    /// Jobs whose runs are named after the start of their data.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    named_by_start: Vec<&'a str>,
    /// How many more errors there are.
    problems_omitted: usize,
    warnings: &'a [Problem],
}

/// A workflow in figures.
#[derive(Serialize)]
struct Measures<'a> {
    job: &'a str,
    tasks: usize,
    edges: usize,
    /// How many groups of tasks follow each other at least.
    waves: usize,
    /// A longest chain of tasks that need each other.
    longest_path: Vec<&'a str>,
}

impl<'a> Measures<'a> {
    fn of((job, workflow): &'a (String, Drawing)) -> Self {
        let graph = workflow.shape.graph();
        let path = measure::longest_path(graph);
        Self {
            job,
            tasks: graph.len(),
            edges: graph.edge_count(),
            waves: path.len(),
            longest_path: path.into_iter().map(|task| workflow.tasks[task as usize].as_str()).collect(),
        }
    }

    fn sentence(&self) -> String {
        let counts = [(self.tasks, "task"), (self.edges, "edge"), (self.waves, "wave")];
        let counts = counts.map(|(count, noun)| counted(count, noun)).join(", ");
        format!("{}: {counts}, longest path {} ({})", self.job, self.waves, self.longest_path.join(" → "))
    }
}

/// Checks syntax, keys, names, durations, zones and schedules.
///
/// # Errors
/// Everything that is wrong, each with `file:line:column` (exit 9).
pub fn run(args: &CheckArgs, output: &Output) -> Result {
    let (read, found) = files::check(&args.files, args.strict.into(), &args.default_timezone, &output.style().now())?;
    let bundle = read.bundle();
    let listed = found.problems.len().min(ProblemDetails::ERRORS_MAX);
    let summary = Summary {
        valid: found.problems.is_empty(),
        jobs: bundle.jobs.len(),
        triggers: bundle.jobs.iter().map(|job| job.triggers_in_order().len()).sum(),
        calendars: bundle.calendars.len(),
        flows: read.flows().len(),
        workflows: found.workflows.iter().map(Measures::of).collect(),
        problems: &found.problems[..listed],
        named_by_start: bundle.jobs.iter().filter(|job| is_named_by_start(job)).map(|job| job.name.as_str()).collect(),
        problems_omitted: found.problems.len() - listed,
        warnings: &found.warnings,
    };
    output.warn(&found.warnings);
    match output.form() {
        Form::Table | Form::Name if !summary.valid => {}
        Form::Table => {
            output.text(sentence(&summary))?;
            summary.workflows.iter().try_for_each(|workflow| output.text(workflow.sentence()))?;
            summary.named_by_start.iter().try_for_each(|job| output.text(format_args!("{job}: {NAMED_BY_START}")))?;
        }
        Form::Name => bundle.jobs.iter().try_for_each(|job| output.text(&job.name))?,
        _ => output.document(&summary)?,
    }
    if summary.valid { Ok(()) } else { Err(files::invalid(found.problems)) }
}

/// What `logical_date: start` means.
const NAMED_BY_START: &str =
    "logical_date is start, so a run is named after the fire time before it, where its data begin";

fn is_named_by_start(job: &JobSpec) -> bool {
    job.logical_date == Some(LogicalDate::Start)
}

fn sentence(summary: &Summary<'_>) -> String {
    let counts = [(summary.jobs, "job"), (summary.triggers, "trigger"), (summary.calendars, "calendar")];
    // Files of flows alone need not say that they hold no jobs.
    let only_flows = summary.flows > 0 && counts.iter().all(|(count, _)| *count == 0);
    let flows = (summary.flows > 0).then_some((summary.flows, "flow"));
    let told = counts.into_iter().filter(|_| !only_flows).chain(flows);
    format!("ok: {}", told.map(|(count, noun)| counted(count, noun)).collect::<Vec<_>>().join(", "))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}
