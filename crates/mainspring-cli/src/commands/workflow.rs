//! `mainspring workflow`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::files;
use crate::graph::{self, Language};
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
  mainspring workflow graph -f etl.yaml
  mainspring workflow graph etl -f jobs/ --format mermaid
  mainspring workflow graph -f etl.yaml --format svg > etl.svg")]
struct GraphArgs {
    /// Name of the workflow, if the files hold several
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Job file, folder, or - for standard input
    #[arg(short, long = "file", required = true, value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
    /// Language of the drawing
    #[arg(long, value_enum, default_value_t, value_name = "LANGUAGE")]
    format: Language,
}

/// Does what was asked.
///
/// # Errors
/// Everything that is wrong with the files (exit 9), and `cli.workflow` when they hold no such workflow or several.
pub fn run(args: WorkflowArgs, output: &Output) -> Result {
    match args.command {
        WorkflowCommand::Graph(args) => graph(&args, output),
    }
}

fn graph(args: &GraphArgs, output: &Output) -> Result {
    let (_, found) = files::check(&args.files, "UTC", &output.style().now())?;
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
