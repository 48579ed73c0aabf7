//! The server's own log: on stderr, for people on a terminal and as JSON lines elsewhere.

use std::io::IsTerminal;

use clap::{Args, ValueEnum};
use tracing_subscriber::EnvFilter;

use crate::error::{Error, Report, Result};
use crate::exit::Exit;

/// What the server logs, and how.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Log")]
pub struct LogArgs {
    /// Form of the server's own log on stderr
    #[arg(long, env = "MAINSPRING_LOG_FORMAT", value_enum, default_value_t, value_name = "FORM")]
    log_format: LogFormat,
    /// What to log: error, warn, info, debug, trace, or TARGET=LEVEL,…
    #[arg(long, env = "MAINSPRING_LOG", default_value = "info", value_name = "FILTER")]
    log: String,
}

/// Form of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum LogFormat {
    /// Pretty on a terminal, else JSON
    #[default]
    Auto,
    /// For people
    Pretty,
    /// One JSON document per line
    Json,
}

impl LogArgs {
    /// Starts logging for the whole process.
    ///
    /// # Errors
    /// `cli.usage` for a filter that cannot be read.
    pub fn start(&self) -> Result {
        let filter: EnvFilter = self.log.parse().map_err(|error| {
            let message = format!("cannot read --log {:?}: {error}", self.log);
            let report = Report::new("cli.usage", message);
            Error::new(Exit::Usage, report.hint("examples: info, debug, info,mainspring_engine=debug"))
        })?;
        let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
        let terminal = std::io::stderr().is_terminal();
        let json = match self.log_format {
            LogFormat::Auto => !terminal,
            LogFormat::Pretty => false,
            LogFormat::Json => true,
        };
        let started = if json {
            builder.json().flatten_event(true).try_init()
        } else {
            builder.with_ansi(terminal && std::env::var_os("NO_COLOR").is_none()).with_target(false).try_init()
        };
        started.map_err(|error| {
            let report = Report::new("cli.log", format!("cannot start the log: {error}"));
            Error::new(Exit::Failure, report)
        })
    }
}
