//! `mainspring queue replay`: what has failed runs again.

use clap::Args;
use mainspring_api::{Operation, OperationAction, OperationSelector, OperationSpec, OperationState, WriteOptions};

use crate::confirm::confirm;
use crate::connect::Session;
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::output::{Output, counted};
use crate::views::OPERATION;
use crate::{name, progress};

#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// Its name
    #[arg(value_name = "QUEUE", value_parser = name::plain)]
    queue: String,
    /// Only runs that this query finds, as `run list` of the console takes it: job:report error:timeout
    #[arg(long, value_name = "QUERY", default_value = "")]
    query: String,
    /// Only say how many that are
    #[arg(long)]
    dry_run: bool,
    /// Do not ask first
    #[arg(short, long)]
    yes: bool,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Runs again what has failed in a queue and was not run again yet, in all namespaces.
pub(super) async fn replay(session: &Session, args: ReplayArgs, output: &Output) -> Result {
    let q = format!("queue:{} {}", args.queue, args.query).trim_end().to_owned();
    let selector = OperationSelector { namespace: "-".to_owned(), q: Some(q), ..OperationSelector::default() };
    let spec = OperationSpec {
        action: OperationAction::Rerun,
        selector,
        reason: args.reason,
        add_labels: Default::default(),
        remove_labels: Vec::new(),
    };
    let begin = async |dry_run| session.ask(session.client.begin_operation(&spec, WriteOptions { dry_run })).await;
    let planned = begin(true).await?;
    if args.dry_run || planned.total == 0 {
        return output.one(&planned, &OPERATION);
    }
    let count = counted(planned.total as usize, "failed run");
    confirm(&format!("Run {count} of the queue {} again?", args.queue), args.yes)?;
    let begun = begin(false).await?;
    let mut last = begun.clone();
    let message = format!("running what failed in {} again", args.queue);
    progress::counted(output, &message, begun.total.into(), None, async || {
        last = session.ask(session.client.operation(&begun.id)).await?;
        let Operation { done, failed, .. } = last;
        Ok((u64::from(done + failed), format!("{failed} refused"), last.state != OperationState::Running))
    })
    .await?;
    output.one(&last, &OPERATION)?;
    match last.errors.first() {
        Some(first) if last.failed > 0 => {
            let exit = if last.done > 0 { Exit::Partial } else { Exit::Failure };
            let refused = counted(last.failed as usize, "run");
            let report = Report::new(
                first.code.clone(),
                format!("{refused} did not start again; run {}: {}", first.name, first.message),
            );
            Err(Error::new(exit, report))
        }
        _ => Ok(()),
    }
}
