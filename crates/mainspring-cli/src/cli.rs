//! The command line as clap sees it: nouns, verbs and global options.

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands::{
    alert, apply, backfill, bench, check, cluster, completion, console, cron, dev, doctor, flow, import, job, label,
    logs, misfire, next, queue, run, server, trigger, version, webhook, worker, workflow, xxl,
};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::{Output, OutputArgs};

/// Clustered job scheduler: runs work on time, once, and visibly
#[derive(Debug, Parser)]
#[command(
    name = "mainspring",
    version,
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{}", exit_codes()),
    max_term_width = 100
)]
pub struct Cli {
    #[command(flatten)]
    output: OutputArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Server(server::ServerArgs),
    Dev(dev::DevArgs),
    Console(console::ConsoleArgs),
    Check(check::CheckArgs),
    Apply(apply::ApplyArgs),
    Diff(apply::DiffArgs),
    Export(apply::ExportArgs),
    Import(import::ImportArgs),
    Job(job::JobArgs),
    Trigger(trigger::TriggerArgs),
    Misfire(misfire::MisfireArgs),
    Run(run::RunArgs),
    Workflow(workflow::WorkflowArgs),
    Backfill(backfill::BackfillArgs),
    Flow(flow::FlowArgs),
    Logs(logs::LogsArgs),
    Next(next::NextArgs),
    Cron(cron::CronArgs),
    Queue(queue::QueueArgs),
    Label(label::LabelArgs),
    Worker(worker::WorkerArgs),
    Alert(alert::AlertArgs),
    Webhook(webhook::WebhookArgs),
    Xxl(xxl::XxlArgs),
    Cluster(cluster::ClusterArgs),
    Bench(bench::BenchArgs),
    Doctor(doctor::DoctorArgs),
    Completion(completion::CompletionArgs),
    /// Show the version of this binary and of its time zone data
    Version,
}

impl Cli {
    /// Does what was asked.
    ///
    /// # Errors
    /// Whatever the command reports, with the exit code that belongs to it.
    pub fn run(self) -> Result {
        let output = Output::new(self.output)?;
        match self.command {
            Command::Server(args) => server::run(&args, &output),
            Command::Dev(args) => dev::run(&args, &output),
            Command::Console(args) => console::run(&args, &output),
            Command::Check(args) => check::run(&args, &output),
            Command::Apply(args) => apply::apply(&args, &output),
            Command::Diff(args) => apply::diff(&args, &output),
            Command::Export(args) => apply::export(&args, &output),
            Command::Import(args) => import::run(args, &output),
            Command::Job(args) => job::run(args, &output),
            Command::Trigger(args) => trigger::run(args, &output),
            Command::Misfire(args) => misfire::run(args, &output),
            Command::Run(args) => run::run(args, &output),
            Command::Backfill(args) => backfill::run(args, &output),
            Command::Flow(args) => flow::run(args, &output),
            Command::Workflow(args) => workflow::run(args, &output),
            Command::Logs(args) => logs::run(&args, &output),
            Command::Next(args) => next::run(args, &output),
            Command::Queue(args) => queue::run(args, &output),
            Command::Label(args) => label::run(args, &output),
            Command::Worker(args) => worker::run(args, &output),
            Command::Alert(args) => alert::run(args, &output),
            Command::Webhook(args) => webhook::run(args, &output),
            Command::Xxl(args) => xxl::run(args, &output),
            Command::Cluster(args) => cluster::run(args, &output),
            Command::Cron(args) => cron::run(args, &output),
            Command::Bench(args) => bench::run(&args, &output),
            Command::Doctor(args) => doctor::run(&args, &output),
            Command::Completion(args) => completion::run(&args, &output),
            Command::Version => version::run(&output),
        }
    }
}

/// Turns clap's errors into ours, in their style, or prints the help that was asked for.
///
/// # Errors
/// `cli.usage`, with clap's own suggestions as hints.
pub fn parse() -> Result<Cli> {
    let (command, line) = crate::help::prepared(command(), std::env::args_os());
    let matches = command.try_get_matches_from(line);
    let parsed = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.map_err(|error| {
        if !error.use_stderr() {
            let _ = error.print();
            return Error::silent(Exit::Success);
        }
        crate::notes::note(crate::help::in_our_style(&error));
        Error::silent(Exit::Usage)
    })
}

/// The definitions with the examples moved up: people look for these first.
pub fn command() -> clap::Command {
    examples_first(Cli::command())
}

fn examples_first(command: clap::Command) -> clap::Command {
    const TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}{after-help}\n\n{all-args}";
    command.help_template(TEMPLATE).mut_subcommands(examples_first)
}

const EXAMPLES: &str = "Examples:
  mainspring dev                          try it: temporary store and example jobs
  mainspring cron next \"30 2 * * MON-FRI\" --tz Europe/Berlin
  mainspring check jobs/*.yaml            validate job files without a server
  mainspring apply jobs/ --dry-run        what would change
  mainspring next --until 24h             what fires next
  mainspring logs -f nightly-backup       follow the last run of a job";

fn exit_codes() -> String {
    let codes = Exit::ALL.map(|(exit, meaning)| format!("  {:>3}  {meaning}", exit as u8));
    format!("Exit codes:\n{}", codes.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_fit_together() {
        command().debug_assert();
    }

    #[test]
    fn every_command_says_what_it_does() {
        fn walk(command: &clap::Command) {
            assert!(command.get_about().is_some(), "{} has no help", command.get_name());
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some() || argument.is_hide_set(),
                    "{} {} has no help",
                    command.get_name(),
                    argument.get_id()
                );
            }
            command.get_subcommands().for_each(walk);
        }
        walk(&command());
    }
}
