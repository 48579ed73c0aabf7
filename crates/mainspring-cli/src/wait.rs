//! Waiting for runs: the exit code mirrors how they ended.

use std::time::Duration;

use clap::Args;
use mainspring_api::{LogFilter, Run, RunState};
use tokio::time::{Instant, timeout_at};

use crate::connect::Session;
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::output::Output;
use crate::views::RUN;
use crate::{follow, progress, time_value};

/// How long to wait.
#[derive(Debug, Clone, Args)]
pub struct WaitArgs {
    /// Give up after this time (exit 8); the run goes on
    #[arg(long, value_name = "DURATION", value_parser = time_value::duration)]
    wait_timeout: Option<Duration>,
}

impl WaitArgs {
    /// When to give up, counted from now.
    pub fn deadline(&self) -> Option<Instant> {
        self.wait_timeout.map(|limit| Instant::now() + limit)
    }
}

/// Waits for all runs, shows each when it ends, and mirrors the first that did not succeed.
///
/// # Errors
/// Exit 7 when a run failed, 8 when one was cancelled or skipped or did not end in time.
pub async fn runs(session: &Session, ids: &[String], args: &WaitArgs, output: &Output) -> Result {
    let deadline = args.deadline();
    let mut verdict = Ok(());
    for id in ids {
        let run = until_final(session, id, deadline, output).await?;
        output.one(&run, &RUN)?;
        verdict = verdict.and(mirror(&run));
    }
    verdict
}

/// Waits until a run is final.
///
/// # Errors
/// `run.not_ended` (exit 8) at the deadline.
pub async fn until_final(session: &Session, id: &str, deadline: Option<Instant>, output: &Output) -> Result<Run> {
    let no_lines = LogFilter { tail: Some(0), ..LogFilter::default() };
    let ended = follow::follow(session, id, no_lines, |_| Ok(()));
    let message = format!("waiting for run {id}");
    let waiting = progress::during(output, &message, async {
        match deadline {
            Some(deadline) => timeout_at(deadline, ended).await,
            None => Ok(ended.await),
        }
    });
    match waiting.await {
        Ok(ended) => ended,
        Err(_) => Err(not_ended(id)),
    }
}

fn not_ended(id: &str) -> Error {
    let report = Report::new("run.not_ended", format!("run {id} has not ended in time"))
        .hint(format!("mainspring run wait {id}"))
        .hint(format!("mainspring run cancel {id}"));
    Error::new(Exit::RunCancelled, report)
}

/// Turns the end of a run into an exit code; what happened is on stdout already.
///
/// # Errors
/// Exit 7 or 8, without a message.
pub fn mirror(run: &Run) -> Result {
    match run.state {
        RunState::Succeeded => Ok(()),
        RunState::Cancelled | RunState::Skipped => Err(Error::silent(Exit::RunCancelled)),
        _ => Err(Error::silent(Exit::RunFailed)),
    }
}
