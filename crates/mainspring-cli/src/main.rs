//! The binary `mainspring`: commands and settings, nothing else.

use std::ffi::OsString;
use std::process::ExitCode;

mod advertise;
mod bulk;
mod cli;
mod commands;
mod confirm;
mod connect;
mod descriptors;
mod discovery;
mod error;
mod examples;
mod exit;
mod files;
mod follow;
mod graph;
#[cfg(test)]
mod guides;
mod help;
mod impatience;
mod input;
mod logging;
mod name;
mod node;
mod notes;
mod output;
mod pages;
mod past;
mod progress;
#[cfg(test)]
mod reference;
mod scope;
mod start;
mod time_value;
mod views;
mod wait;
mod who;

/// The hidden subcommand that keeps the processes of one attempt on a leash.
const LEASH: &str = "__leash";
/// The hidden subcommand that is a node of a benchmark.
const BENCH_NODE: &str = "__bench-node";
/// The hidden subcommand that is many workers of a benchmark, without work.
const BENCH_WORKERS: &str = "__bench-workers";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let done = match arguments.next() {
        Some(first) if first == LEASH => return leash(arguments),
        Some(first) if first == BENCH_NODE => commands::bench::node(),
        Some(first) if first == BENCH_WORKERS => commands::bench::idlers(arguments),
        _ => cli::parse().and_then(cli::Cli::run),
    };
    match done {
        Ok(()) => exit::Exit::Success.into(),
        Err(error) => {
            error.print();
            error.exit.into()
        }
    }
}

fn leash(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.peekable();
    arguments.next_if(|first| first.to_str().is_some_and(descriptors::lower));
    mainspring_tasks::leash::main(arguments)
}
