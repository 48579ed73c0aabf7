//! Waiting for runs: the exit code mirrors how they ended.

use std::time::Duration;

use clap::Args;
use mainspring_api::{Run, RunState};
use tokio::time::{Instant, sleep};

use crate::connect::Session;
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::output::Output;
use crate::progress::Activity;
use crate::time_value;
use crate::views::RUN;

/// Pauses between two looks at a run: short at first, because most runs are.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

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

/// Looks at a run until it is final.
///
/// # Errors
/// `run.not_ended` (exit 8) at the deadline.
pub async fn until_final(
    session: &Session,
    id: &str,
    deadline: Option<Instant>,
    output: &Output,
) -> Result<Run> {
    let mut activity = Activity::start(output, format!("waiting for run {id}"));
    let mut pause = PAUSES.0;
    loop {
        let run = session.ask(session.client.run(id)).await?;
        if run.state.is_final() {
            return Ok(run);
        }
        activity.update(|| format!("run {id} of {} is {}", run.job, run.state));
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let message = format!("run {id} is still {}", run.state);
            let report = Report::new("run.not_ended", message)
                .hint(format!("mainspring run wait {id}"))
                .hint(format!("mainspring run cancel {id}"));
            return Err(Error::new(Exit::RunCancelled, report));
        }
        sleep(pause).await;
        pause = (pause * 3 / 2).min(PAUSES.1);
    }
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
