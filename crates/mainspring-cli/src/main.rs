//! The binary `mainspring`: commands and settings, nothing else.

use std::process::ExitCode;

mod bulk;
mod cli;
mod commands;
mod confirm;
mod connect;
mod discovery;
mod error;
mod examples;
mod exit;
mod files;
mod follow;
mod input;
mod logging;
mod name;
mod node;
mod output;
mod pages;
mod progress;
#[cfg(test)]
mod reference;
mod start;
mod time_value;
mod views;
mod wait;

/// The hidden subcommand that keeps the processes of one attempt on a leash.
const LEASH: &str = "__leash";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == LEASH) {
        return mainspring_tasks::leash::main(arguments);
    }
    match cli::parse().and_then(cli::Cli::run) {
        Ok(()) => exit::Exit::Success.into(),
        Err(error) => {
            error.print();
            error.exit.into()
        }
    }
}
