//! `mainspring label …`.

use clap::{Args, Subcommand};
use mainspring_api::LabelSettings;

use crate::connect::{self, ConnectArgs};
use crate::error::Result;
use crate::output::Output;
use crate::views::LABEL;

/// Limit how many runs of all jobs and tasks with a label are executed
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring label list
  mainspring label set db=reporting --max-running 5
  mainspring label remove db=reporting

The limit holds over all queues, namespaces, servers and workers. Jobs and tasks have labels by `labels` in their files.")]
pub struct LabelArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List the labels whose runs are limited
    List,
    /// Limit the runs of jobs and tasks with a label
    Set {
        /// The label as jobs and tasks have it
        #[arg(value_name = "NAME=VALUE", value_parser = label)]
        label: String,
        /// Runs that are executed at a time, over all servers and workers
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        max_running: u32,
    },
    /// Remove the limit of a label
    Remove {
        /// The label as it was set
        #[arg(value_name = "NAME=VALUE", value_parser = label)]
        label: String,
    },
}

fn label(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((name, _)) if !name.is_empty() => Ok(text.to_owned()),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

/// Does what the verb says.
///
/// # Errors
/// Whatever the server reports.
pub fn run(args: LabelArgs, output: &Output) -> Result {
    let session = args.connect.open()?;
    connect::block_on(async {
        match args.verb {
            Verb::List => output.list(&session.ask(session.client.labels()).await?, &LABEL),
            Verb::Set { label, max_running } => {
                let settings = LabelSettings { max_running };
                output.one(&session.ask(session.client.put_label(&label, settings)).await?, &LABEL)
            }
            Verb::Remove { label } => {
                session.ask(session.client.delete_label(&label)).await?;
                output.line(format_args!("the limit of the label {label} is removed"))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_has_a_name_and_a_value() {
        assert_eq!(label("db=reporting").as_deref(), Ok("db=reporting"));
        assert_eq!(label("empty=").as_deref(), Ok("empty="));
        assert!(label("db").is_err() && label("=x").is_err());
    }
}
