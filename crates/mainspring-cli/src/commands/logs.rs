//! `mainspring logs`.

use clap::Args;
use mainspring_api::{LogFilter, LogLine};

use crate::connect::{self, ConnectArgs, Session};
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::follow::{self, LineStyle};
use crate::name::JobName;
use crate::output::Output;

/// Show what a run printed
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring logs nightly-backup          the last run of a job
  mainspring logs -f nightly-backup       follow it until it ends
  mainspring logs 019a8c1e-5400-8a3b-9c55-6f1f2a7d0b11 --tail 100 --timestamps
  mainspring logs etl --task load -f      a task of the last run of a workflow")]
pub struct LogsArgs {
    /// Id of a run, or JOB or NAMESPACE/JOB for its newest run
    #[arg(value_name = "RUN|JOB")]
    target: String,
    /// Of this task of a workflow run, or TASK[N] for one run of several
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
    /// Show further lines as they come, until the run ends
    #[arg(short, long)]
    follow: bool,
    /// Only the last lines, this many
    #[arg(long, value_name = "N")]
    tail: Option<u32>,
    /// Only this attempt
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    attempt: Option<u32>,
    /// Put the time, the attempt and the stream before each line
    #[arg(short, long)]
    timestamps: bool,
    /// Send control sequences of the log to the terminal as they are; without it they are shown, and only colours work
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    connect: ConnectArgs,
}

/// Prints the log, and follows it when asked to.
///
/// # Errors
/// `run.not_found`, `job.not_found`, and `run.none` for a job that never ran.
pub fn run(args: &LogsArgs, output: &Output) -> Result {
    let session = args.connect.open()?;
    let style = LineStyle { timestamps: args.timestamps, raw: args.raw };
    connect::block_on(async {
        let found = find(&session, &args.target).await?;
        let id = match &args.task {
            Some(task) => of_task(&session, &found, task, args.follow).await?,
            None => found,
        };
        let filter = LogFilter { tail: args.tail, attempt: args.attempt, ..LogFilter::default() };
        if args.follow {
            let show = |line: &LogLine| follow::line(line, style, output);
            let run = follow::follow(&session, &id, filter, show).await?;
            output.note(format_args!("run {} {}", run.id, run.state));
            return Ok(());
        }
        whole(&session, &id, filter, style, output).await
    })
}

/// Prints the log as it is now, part by part.
async fn whole(session: &Session, id: &str, mut filter: LogFilter, style: LineStyle, output: &Output) -> Result {
    let mut shown = 0_usize;
    loop {
        let part = session.ask(session.client.log(id, &filter)).await?;
        shown += part.lines.len();
        let at_end = part.lines.is_empty() || filter.tail.is_some();
        print(&part.lines, style, output)?;
        if at_end {
            if part.truncated {
                output.note("lines were dropped: the log reached its limit");
            }
            if shown == 0 {
                output.note("the log is empty; those of the tasks of a workflow: --task TASK");
            }
            return Ok(());
        }
        filter.from_line = Some(part.next_line);
    }
}

fn print(lines: &[LogLine], style: LineStyle, output: &Output) -> Result {
    lines.iter().try_for_each(|line| follow::line(line, style, output))
}

/// Takes a run's id as it is, and a job's name for its newest run.
async fn find(session: &Session, target: &str) -> Result<String> {
    if is_run_id(target) {
        return Ok(target.to_owned());
    }
    let name: JobName = target.parse().map_err(|error: String| Error::usage(error))?;
    let namespace = name.namespace(&session.namespace);
    let job = session.ask(session.client.job(namespace, &name.job)).await?;
    job.last_run.map(|run| run.id).ok_or_else(|| {
        let report = Report::new("run.none", format!("job {} has not run yet", job.name))
            .hint(format!("mainspring run start {}", job.name));
        Error::new(Exit::NotFound, report)
    })
}

/// Finds the run of a task; with `wait`, of one that has none yet as well.
async fn of_task(session: &Session, run: &str, task: &str, wait: bool) -> Result<String> {
    loop {
        let found = session.ask(session.client.task(run, task)).await?.task;
        match found.run {
            Some(run) => return Ok(run),
            None if wait && !found.state.is_final() => follow::pause().await,
            None => {
                let report = Report::new("task.no_run", format!("task {task} is {}, and has no run", found.state));
                let report = report.hint(format!("mainspring run why {run}"));
                return Err(Error::new(Exit::NotFound, report));
            }
        }
    }
}

/// Tells whether a text has the shape of a run's id, a UUID.
fn is_run_id(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_ids_are_told_from_job_names() {
        let cases = [
            ("019a8c1e-5400-8a3b-9c55-6f1f2a7d0b11", true),
            ("nightly-backup", false),
            ("deadbeef-feed-beef-cafe-nightly-copy", false),
            ("prod/nightly", false),
            ("", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_run_id(text), expected, "{text}");
        }
    }
}
