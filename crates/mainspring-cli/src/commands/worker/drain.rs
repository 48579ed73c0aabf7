//! `mainspring worker drain` and `undrain`.

use clap::Args;
use mainspring_api::{ErrorCode, Reason, Worker};

use crate::connect::{self, ConnectArgs, Session};
use crate::error::Result;
use crate::follow;
use crate::output::{Output, counted};
use crate::views::WORKER;

#[derive(Debug, Args)]
pub(super) struct DrainArgs {
    /// End when it executes nothing any more
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    worker: UndrainArgs,
}

#[derive(Debug, Args)]
pub(super) struct UndrainArgs {
    /// Id or name
    #[arg(value_name = "WORKER")]
    worker: String,
    /// Why; kept in the log of the server that is asked
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: ConnectArgs,
}

/// Has a worker take nothing new.
///
/// # Errors
/// `worker.not_found` with a suggestion, and whatever else the server reports.
pub(super) fn drain(args: DrainArgs, output: &Output) -> Result {
    let DrainArgs { wait, worker: UndrainArgs { worker: wanted, reason, connect } } = args;
    let session = connect.open()?;
    connect::block_on(async {
        let reason = Reason { reason, ..Reason::default() };
        for found in super::named(&session, &wanted).await? {
            let mut worker = session.ask(session.client.drain_worker(&found.id, &reason)).await?;
            if wait && worker.running > 0 {
                output.note(format_args!("{} goes on with {}", worker.name, runs(&worker)));
                worker = idle(&session, worker).await?;
            }
            let what = match worker.running {
                0 => "drains, and executes nothing".to_owned(),
                _ => format!("drains: it goes on with {}, and takes nothing new", runs(&worker)),
            };
            output.done(&worker, &WORKER, format_args!("{} {what}", worker.name))?;
        }
        output.hint(format_args!("take it back: mainspring worker undrain {wanted}"));
        Ok(())
    })
}

/// Lets a worker take runs again.
///
/// # Errors
/// As for [`drain`].
pub(super) fn undrain(args: UndrainArgs, output: &Output) -> Result {
    let UndrainArgs { worker: wanted, reason, connect } = args;
    let session = connect.open()?;
    connect::block_on(async {
        let reason = Reason { reason, ..Reason::default() };
        for found in super::named(&session, &wanted).await? {
            let worker = session.ask(session.client.undrain_worker(&found.id, &reason)).await?;
            output.done(&worker, &WORKER, format_args!("{} takes runs again", worker.name))?;
        }
        Ok(())
    })
}

fn runs(worker: &Worker) -> String {
    counted(worker.running as usize, "run")
}

/// Waits until a worker executes nothing. One that has left does not.
async fn idle(session: &Session, mut worker: Worker) -> Result<Worker> {
    while worker.running > 0 {
        follow::pause().await;
        match session.client.worker(&worker.id).await {
            Err(error) if error.code() == Some(ErrorCode::WorkerNotFound) => worker.running = 0,
            answer => worker = session.ask(std::future::ready(answer)).await?,
        }
    }
    Ok(worker)
}
