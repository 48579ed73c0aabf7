//! The binary `mainspring`: commands and settings, nothing else.

use std::process::ExitCode;

mod cli;
mod commands;
mod discovery;
mod error;
mod exit;
mod output;
mod time_value;
mod views;

fn main() -> ExitCode {
    match cli::parse().and_then(cli::Cli::run) {
        Ok(()) => exit::Exit::Success.into(),
        Err(error) => {
            error.print();
            error.exit.into()
        }
    }
}
