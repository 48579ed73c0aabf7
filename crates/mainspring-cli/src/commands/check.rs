//! `mainspring check`.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::error::Result;
use crate::files;
use crate::output::{Form, Output};

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
    /// Zone of triggers that name none, as the server has it
    #[arg(long, env = "MAINSPRING_DEFAULT_TIMEZONE", default_value = "UTC", value_name = "ZONE")]
    default_timezone: String,
}

/// What the files hold.
#[derive(Serialize)]
struct Summary {
    jobs: usize,
    triggers: usize,
    calendars: usize,
}

/// Checks syntax, keys, names, durations, zones and schedules.
///
/// # Errors
/// Everything that is wrong, each with `file:line:column` (exit 9).
pub fn run(args: &CheckArgs, output: &Output) -> Result {
    let read = files::read(&args.files, "default")?;
    files::compile(&read, &args.default_timezone, &output.style().now())?;
    let bundle = read.bundle();
    let summary = Summary {
        jobs: bundle.jobs.len(),
        triggers: bundle.jobs.iter().map(|job| job.triggers_in_order().len()).sum(),
        calendars: bundle.calendars.len(),
    };
    match output.form() {
        Form::Table => output.text(format_args!(
            "ok: {} jobs, {} triggers, {} calendars",
            summary.jobs, summary.triggers, summary.calendars
        )),
        Form::Name => bundle.jobs.iter().try_for_each(|job| output.text(&job.name)),
        _ => output.document(&summary),
    }
}
