//! Throw-away database servers by hand, and for the tests of a command.
//!
//! `db postgres` starts one and prints its address; `with-databases COMMAND…` runs a command with the addresses in its
//! environment. The servers end with the task.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, bail};
use mainspring_rig::Database;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::Command;
use tokio::signal::unix::{self, SignalKind, signal};

/// The kinds of servers, and the variables in which tests find them.
const KINDS: [(Database, &str); 2] =
    [(Database::Postgres, "MAINSPRING_TEST_POSTGRES"), (Database::Mariadb, "MAINSPRING_TEST_MYSQL")];

/// Starts a server, prints its address, and keeps it until Ctrl-C or TERM.
pub fn keep(kind: &str, durable: bool) -> anyhow::Result<ExitCode> {
    let database = Database::named(kind)?;
    asynchronously(async {
        let mut ends = Ends::listen()?;
        let server = if durable { database.start_durable()? } else { database.start()? };
        writeln!(std::io::stdout(), "{}", server.url())?;
        ends.next().await;
        Ok(ExitCode::SUCCESS)
    })
}

/// Runs a command with the addresses of servers of its own in its environment.
pub fn with(command: &[&str]) -> anyhow::Result<ExitCode> {
    let [program, arguments @ ..] = command else { bail!("say which command is to run with the databases") };
    asynchronously(async {
        let mut ends = Ends::listen()?;
        let mut servers = Vec::new();
        for (kind, variable) in KINDS {
            servers.push((variable, kind.start()?));
        }
        let addresses = servers.iter().map(|(variable, server)| (variable, server.url()));
        let mut command = Command::new(program);
        command.args(arguments).envs(addresses);
        // What cargo says of this package: build scripts that look at it would run again, and all that rests on them be built anew.
        let of_cargo = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
        std::env::vars().filter(|(name, _)| of_cargo(name)).for_each(|(name, _)| _ = command.env_remove(name));
        let child = command.spawn();
        let mut child = child.with_context(|| format!("cannot run {program}"))?;
        let status = loop {
            tokio::select! {
                status = child.wait() => break status?,
                end = ends.next() => tell(child.id(), end)?,
            }
        };
        Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    })
}

/// The signals that ask a task to end. Once it listens, none of them does so by itself: the servers are ended first.
struct Ends {
    interrupted: unix::Signal,
    terminated: unix::Signal,
}

impl Ends {
    fn listen() -> anyhow::Result<Self> {
        Ok(Self { interrupted: signal(SignalKind::interrupt())?, terminated: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupted.recv() => Signal::INT,
            _ = self.terminated.recv() => Signal::TERM,
        }
    }
}

/// Passes TERM on to the command. Ctrl-C it hears of by itself.
fn tell(command: Option<u32>, end: Signal) -> anyhow::Result<()> {
    let process = command.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(process) = process.filter(|_| end == Signal::TERM) {
        kill_process(process, end)?;
    }
    Ok(())
}

fn asynchronously<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}
