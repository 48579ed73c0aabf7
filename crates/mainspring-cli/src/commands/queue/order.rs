//! `mainspring queue head`, `why`, `shares`, `top`, `requeue`, `drop` and `changes`: which runs leave first, what holds the others back,
//! and who has changed what.

use clap::Args;
use mainspring_api::{PageFilter, QueueEnd, QueueWaitingFilter, RunPlace};

use crate::bulk;
use crate::connect::Session;
use crate::error::Result;
use crate::name;
use crate::output::Output;
use crate::pages::{self, ListArgs};
use crate::views::{QUEUE_CHANGE, QUEUE_HEAD, QUEUE_SHARE, QUEUE_WHY, RUN, hindrances, placed};
use crate::who::because;

#[derive(Debug, Args)]
pub(super) struct HeadArgs {
    /// Its name
    #[arg(value_name = "QUEUE", value_parser = name::plain)]
    queue: String,
    /// Runs that are shown
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
}

#[derive(Debug, Args)]
pub(super) struct PlaceArgs {
    /// Id of a run that waits
    #[arg(required = true, value_name = "RUN")]
    ids: Vec<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct ChangesArgs {
    /// Its name
    #[arg(value_name = "QUEUE", value_parser = name::plain)]
    queue: String,
    #[command(flatten)]
    list: ListArgs,
}

/// Lists the runs that leave a queue first.
pub(super) async fn head(session: &Session, args: HeadArgs, output: &Output) -> Result {
    let filter = QueueWaitingFilter { limit: Some(args.limit) };
    let waiting = session.ask(session.client.queue_waiting(&args.queue, &filter)).await?;
    output.list(&placed(waiting.head), &QUEUE_HEAD)
}

/// Lists what holds the runs of a queue back, and which runs hold it.
pub(super) async fn why(session: &Session, queue: &str, output: &Output) -> Result {
    let filter = QueueWaitingFilter { limit: Some(0) };
    output.list(&hindrances(session.ask(session.client.queue_waiting(queue, &filter)).await?), &QUEUE_WHY)
}

/// Lists what each namespace has in a queue, and its part of what leaves.
pub(super) async fn shares(session: &Session, queue: &str, output: &Output) -> Result {
    let filter = QueueWaitingFilter { limit: Some(0) };
    output.list(&session.ask(session.client.queue_waiting(queue, &filter)).await?.namespaces, &QUEUE_SHARE)
}

/// Puts runs at an end of their queue, one by one. Of several that go to the top, the first stays the first.
pub(super) async fn place(session: &Session, args: PlaceArgs, to: QueueEnd, output: &Output) -> Result {
    let mut ids = args.ids;
    if to == QueueEnd::First {
        ids.reverse();
    }
    let asks = because(args.reason);
    let change = RunPlace { to: Some(to), priority: None, reason: asks.reason, by: asks.by };
    let ask = async |id: &String| session.ask(session.client.place_run(id, &change)).await;
    let end = match to {
        QueueEnd::First => "first",
        QueueEnd::Last => "last",
    };
    bulk::each(&ids, ask, |run| {
        let sentence = format_args!(
            "run {} of {} is the {end} in the queue {}, with priority {}",
            run.id, run.job, run.queue, run.priority
        );
        output.done(run, &RUN, sentence)
    })
    .await
}

/// Cancels runs that still wait.
pub(super) async fn drop_runs(session: &Session, args: PlaceArgs, output: &Output) -> Result {
    let reason = because(args.reason);
    let ask = async |id: &String| session.ask(session.client.drop_run(id, &reason)).await;
    bulk::each(&args.ids, ask, |run| {
        output.done(run, &RUN, format_args!("run {} of {} is dropped from the queue {}", run.id, run.job, run.queue))
    })
    .await
}

/// Lists what people have changed about a queue.
pub(super) async fn changes(session: &Session, args: ChangesArgs, output: &Output) -> Result {
    let found = pages::collect(&args.list, output, async |cursor, limit| {
        let page = PageFilter { cursor, limit: Some(limit) };
        session.ask(session.client.queue_changes(&args.queue, &page)).await
    });
    output.list(&found.await?, &QUEUE_CHANGE)
}
