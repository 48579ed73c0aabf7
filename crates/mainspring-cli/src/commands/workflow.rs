//! `mainspring workflow`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use mainspring_api::JobSpec;
use mainspring_schedule::Timestamp;
use mainspring_server::convert::{self, Known, Surroundings};

use crate::connect::{self, ConnectArgs};
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::files::{self, Foreign};
use crate::graph::{self, Drawing, Language};
use crate::name::JobName;
use crate::output::Output;

/// Work with jobs whose work is a graph of tasks
#[derive(Debug, Args)]
pub struct WorkflowArgs {
    #[command(subcommand)]
    command: WorkflowCommand,
}

#[derive(Debug, Subcommand)]
enum WorkflowCommand {
    Graph(GraphArgs),
}

/// Draw the tasks of a workflow and what they need
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring workflow graph etl                          as the server has it
  mainspring workflow graph -f etl.yaml
  mainspring workflow graph etl -f jobs/ --format mermaid
  mainspring workflow graph -f etl.yaml --format svg > etl.svg")]
struct GraphArgs {
    /// WORKFLOW or NAMESPACE/WORKFLOW; with files, only needed if they hold several
    #[arg(value_name = "NAME", required_unless_present = "files")]
    name: Option<String>,
    /// Job file, folder, or - for standard input, in place of what the server has
    #[arg(short, long = "file", value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
    /// Language of the drawing
    #[arg(long, value_enum, default_value_t, value_name = "LANGUAGE")]
    format: Language,
    #[command(flatten)]
    connect: ConnectArgs,
}

/// Does what was asked.
///
/// # Errors
/// Everything that is wrong with the files (exit 9), and `cli.workflow` when they hold no such workflow or several; whatever the server
/// reports.
pub fn run(args: WorkflowArgs, output: &Output) -> Result {
    match args.command {
        WorkflowCommand::Graph(args) => graph(&args, output),
    }
}

fn graph(args: &GraphArgs, output: &Output) -> Result {
    if let (Some(name), []) = (&args.name, args.files.as_slice()) {
        return stored(args, name, output);
    }
    let (_, found) = files::check(&args.files, Foreign::Skipped, "UTC", &output.style().now())?;
    if !found.problems.is_empty() {
        return Err(files::invalid(found.problems));
    }
    let asked = |name: &str| args.name.as_deref().is_none_or(|asked| asked == name);
    let mut matching = found.workflows.iter().filter(|(name, _)| asked(name));
    match (matching.next(), matching.next()) {
        (Some((_, workflow)), None) => output.text(graph::draw(workflow, args.format).trim_end()),
        (None, _) => {
            let message = match &args.name {
                Some(name) => format!("the files hold no workflow \"{name}\""),
                None => "the files hold no workflow".to_owned(),
            };
            Err(Error::new(Exit::NotFound, Report::new("cli.workflow", message)))
        }
        (Some(_), Some(_)) => {
            let names: Vec<&str> = found.workflows.iter().map(|(name, _)| name.as_str()).collect();
            let message = format!("the files hold several workflows: name one of {}", names.join(", "));
            Err(Error::new(Exit::Usage, Report::new("cli.workflow", message)))
        }
    }
}

/// Draws a workflow as the server has it.
fn stored(args: &GraphArgs, name: &str, output: &Output) -> Result {
    let name: JobName = name.parse().map_err(|error: String| Error::usage(error))?;
    let session = args.connect.open()?;
    let job = connect::block_on(async {
        let namespace = name.namespace(&session.namespace);
        session.ask(session.client.job(namespace, &name.job)).await
    })?;
    let now = Timestamp::from_millis(output.style().now().timestamp().as_millisecond());
    let around = Surroundings {
        namespace: &job.namespace,
        timezone: "UTC",
        now,
        calendars: &|_, _| Known::Unknown,
        line: convert::NO_LINES,
    };
    // When it fires is not drawn, and need not be readable here.
    let spec = JobSpec { schedule: None, triggers: Vec::new(), ..job.spec };
    let read = convert::job(&spec, &around).map_err(files::invalid)?;
    let Some(workflow) = read.workflow() else {
        let message = format!("the work of {} is no graph of tasks", job.name);
        return Err(Error::new(Exit::NotFound, Report::new("cli.workflow", message)));
    };
    output.text(graph::draw(&Drawing::of(workflow), args.format).trim_end())
}
