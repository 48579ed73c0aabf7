//! Throw-away database servers by hand, and for the tests of a command.
//!
//! `db postgres` starts one and prints its address; `with-databases COMMAND…` runs a command with the addresses in its
//! environment. The servers end with the task.

use std::io::Write;
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};
use mainspring_rig::Database;

/// The kinds of servers, and the variables in which tests find them.
const KINDS: [(Database, &str); 2] =
    [(Database::Postgres, "MAINSPRING_TEST_POSTGRES"), (Database::Mariadb, "MAINSPRING_TEST_MYSQL")];

/// Starts a server, prints its address, and keeps it until Ctrl-C.
pub fn keep(kind: &str, durable: bool) -> anyhow::Result<ExitCode> {
    let database = Database::named(kind)?;
    let server = if durable { database.start_durable()? } else { database.start()? };
    writeln!(std::io::stdout(), "{}", server.url())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(tokio::signal::ctrl_c())?;
    Ok(ExitCode::SUCCESS)
}

/// Runs a command with the addresses of servers of its own in its environment.
pub fn with(command: &[&str]) -> anyhow::Result<ExitCode> {
    let [program, arguments @ ..] = command else { bail!("say which command is to run with the databases") };
    let mut servers = Vec::new();
    for (kind, variable) in KINDS {
        servers.push((variable, kind.start()?));
    }
    let addresses = servers.iter().map(|(variable, server)| (variable, server.url()));
    let status = Command::new(program).args(arguments).envs(addresses).status();
    let status = status.with_context(|| format!("cannot run {program}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
