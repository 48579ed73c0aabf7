//! `mainspring queue …`.

mod order;
mod replay;

use std::time::Duration;

use clap::{Args, Subcommand};
use mainspring_api::{Queue, QueueEnd, QueueHistoryFilter, QueueMove, QueueRate, QueueSettings};
use tokio::time::Instant;

use crate::connect::{self, ConnectArgs, Session};
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::output::{Output, counted};
use crate::past::{Span, SpanArgs};
use crate::views::{MOVED, MovedRuns, QUEUE, QUEUE_EFFECT, QUEUE_STEP, effects, steps};
use crate::wait::WaitArgs;
use crate::{name, progress, time_value};

/// Look at queues, pause them, and limit how many of their runs wait, how many are executed and how fast
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring queue list
  mainspring queue history mail --since 6h           what came, left and waited, and for how long
  mainspring queue set mail --max-running 20 --rate 100/1m
  mainspring queue set mail --rate none
  mainspring queue set mail --max-running 40 --dry-run   how many runs may leave then
  mainspring queue why mail                          what holds its runs back, and which runs hold it
  mainspring queue set mail --max-waiting 10000      refuse more runs than that
  mainspring queue pause mail --reason \"the mail server is down\"
  mainspring queue drain mail --wait-timeout 10m     pause, and wait until nothing of it runs
  mainspring queue move mail bulk --job newsletter   let what waits of a job wait in another queue
  mainspring queue head mail                         which runs leave first
  mainspring queue top RUN --reason \"a customer waits\"
  mainspring queue changes mail                      who has changed what
  mainspring queue replay mail --query error:timeout run again what has failed

Every name is a queue: a job names the one in which its runs wait.")]
pub struct QueueArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List the queues in which runs are, that workers take from, or for which something is set
    List,
    /// Show a queue
    #[command(name = "get", visible_alias = "show")]
    Show {
        /// Its name
        #[arg(value_name = "QUEUE", value_parser = name::plain)]
        queue: String,
    },
    /// Show how many runs came into a queue, left it and waited over time, and for how long those that left had waited
    History(HistoryArgs),
    /// Limit a queue; what is not named stays as it is
    Set {
        /// Its name
        #[arg(value_name = "QUEUE", value_parser = name::plain)]
        queue: String,
        /// Runs that are executed at a time, over all servers and workers; none for as many as there are slots
        #[arg(long, value_name = "N", value_parser = count, required_unless_present_any = ["rate", "max_waiting"])]
        max_running: Option<Setting<u32>>,
        /// How fast runs leave: 100/1m, 5/1s; none for as fast as there are slots
        #[arg(long, value_name = "N/DURATION", value_parser = rate)]
        rate: Option<Setting<QueueRate>>,
        /// Runs that may wait at a time: more are refused, and fires suppressed; none for any number
        #[arg(long, value_name = "N", value_parser = count)]
        max_waiting: Option<Setting<u32>>,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// Set nothing: say how many runs may leave and go on waiting, now and then
        #[arg(long)]
        dry_run: bool,
    },
    /// Say what holds the runs of a queue back, and which runs hold it: limits, pauses, missing workers
    Why {
        /// Its name
        #[arg(value_name = "QUEUE", value_parser = name::plain)]
        queue: String,
    },
    /// Show what each namespace has waiting and running in a queue, and its part of what leaves
    Shares {
        /// Its name
        #[arg(value_name = "QUEUE", value_parser = name::plain)]
        queue: String,
    },
    /// List the runs that leave a queue first, in their order
    Head(order::HeadArgs),
    /// Put runs that wait before all others of their queue
    Top(order::PlaceArgs),
    /// Put runs that wait behind all others of their queue
    Requeue(order::PlaceArgs),
    /// Cancel runs that still wait; what runs is left alone
    Drop(order::PlaceArgs),
    /// Run again what has failed in a queue, each run once, in all namespaces
    Replay(replay::ReplayArgs),
    /// List who has set, paused, moved, placed or dropped what in the last 90 days
    Changes(order::ChangesArgs),
    /// Pause a queue: nothing leaves it, what runs goes on
    Pause(PauseArgs),
    /// End the pause of a queue
    Resume(PauseArgs),
    /// Put runs that wait in a queue into another one; what runs goes on, and what comes later waits where its job says
    Move(MoveArgs),
    /// Pause a queue, and wait until nothing of it runs
    Drain {
        #[command(flatten)]
        pause: PauseArgs,
        #[command(flatten)]
        wait: WaitArgs,
    },
}

#[derive(Debug, Args)]
struct HistoryArgs {
    /// Its name
    #[arg(value_name = "QUEUE", value_parser = name::plain)]
    queue: String,
    #[command(flatten)]
    span: SpanArgs,
    /// How long each line stands for: 1m, 15m, 3h; made longer where no such figures are kept any more
    #[arg(long, value_name = "DURATION", value_parser = time_value::duration)]
    step: Option<Duration>,
}

#[derive(Debug, Args)]
struct MoveArgs {
    /// Where the runs wait
    #[arg(value_name = "QUEUE", value_parser = name::plain)]
    from: String,
    /// Where they are to wait
    #[arg(value_name = "TO", value_parser = name::plain)]
    to: String,
    /// Only runs of this job
    #[arg(long, value_name = "JOB")]
    job: Option<String>,
    /// How many at most: those that would leave first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Debug, Args)]
struct PauseArgs {
    /// Its name
    #[arg(value_name = "QUEUE", value_parser = name::plain)]
    queue: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// A value, or none on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Setting<T>(Option<T>);

fn count(text: &str) -> Result<Setting<u32>, String> {
    match text {
        "none" => Ok(Setting(None)),
        _ => match text.parse() {
            Ok(0) | Err(_) => Err("expected a number of 1 or more, or none".to_owned()),
            Ok(count) => Ok(Setting(Some(count))),
        },
    }
}

fn rate(text: &str) -> Result<Setting<QueueRate>, String> {
    let expected = || "expected a number and a duration, such as 100/1m, or none".to_owned();
    if text == "none" {
        return Ok(Setting(None));
    }
    let (count, per) = text.split_once('/').ok_or_else(expected)?;
    let count = count.parse().map_err(|_| expected())?;
    let per_ms = u32::try_from(time_value::duration(per)?.as_millis()).map_err(|_| expected())?;
    Ok(Setting(Some(QueueRate { count, per_ms })))
}

/// Does what the verb says.
///
/// # Errors
/// Whatever the server reports; `queue.not_drained` (exit 8) when runs go on for longer than `drain` waits.
pub fn run(args: QueueArgs, output: &Output) -> Result {
    let session = args.connect.open()?;
    connect::block_on(async {
        match args.verb {
            Verb::List => output.list(&session.ask(session.client.queues()).await?, &QUEUE),
            Verb::Show { queue } => output.one(&session.ask(session.client.queue(&queue)).await?, &QUEUE),
            Verb::History(args) => {
                let Span { from, to } = args.span.read(output)?;
                let step_ms = args.step.map(|step| u64::try_from(step.as_millis()).unwrap_or(u64::MAX));
                let filter = QueueHistoryFilter { from, to, step_ms };
                let history = session.ask(session.client.queue_history(&args.queue, &filter)).await?;
                output.list(&steps(history), &QUEUE_STEP)
            }
            Verb::Head(args) => order::head(&session, args, output).await,
            Verb::Top(args) => order::place(&session, args, QueueEnd::First, output).await,
            Verb::Requeue(args) => order::place(&session, args, QueueEnd::Last, output).await,
            Verb::Drop(args) => order::drop_runs(&session, args, output).await,
            Verb::Replay(args) => replay::replay(&session, args, output).await,
            Verb::Changes(args) => order::changes(&session, args, output).await,
            Verb::Why { queue } => order::why(&session, &queue, output).await,
            Verb::Shares { queue } => order::shares(&session, &queue, output).await,
            Verb::Set { queue, max_running, rate, max_waiting, reason, dry_run } => {
                let before = session.ask(session.client.queue(&queue)).await?.settings;
                let settings = QueueSettings {
                    max_running: max_running.map_or(before.max_running, |it| it.0),
                    rate: rate.map_or(before.rate, |it| it.0),
                    max_waiting: max_waiting.map_or(before.max_waiting, |it| it.0),
                    ..before
                };
                if dry_run {
                    let preview = session.ask(session.client.preview_queue(&queue, settings)).await?;
                    return output.list(&effects(preview), &QUEUE_EFFECT);
                }
                let reason = crate::who::because(reason);
                output.one(&session.ask(session.client.put_queue(&queue, settings, &reason)).await?, &QUEUE)
            }
            Verb::Pause(args) => output.one(&pause(&session, args).await?, &QUEUE),
            Verb::Resume(args) => {
                let reason = crate::who::because(args.reason);
                output.one(&session.ask(session.client.resume_queue(&args.queue, &reason)).await?, &QUEUE)
            }
            Verb::Move(args) => move_runs(&session, args, output).await,
            Verb::Drain { pause: args, wait } => drain(&session, args, &wait, output).await,
        }
    })
}

async fn pause(session: &Session, args: PauseArgs) -> Result<Queue> {
    let reason = crate::who::because(args.reason);
    session.ask(session.client.pause_queue(&args.queue, &reason)).await
}

/// Runs that one request moves.
const MOVED_AT_ONCE: u64 = 10_000;

/// Moves all that wait, request by request: one that is interrupted has moved what it said.
async fn move_runs(session: &Session, args: MoveArgs, output: &Output) -> Result {
    let MoveArgs { from, to, job, limit, reason } = args;
    let namespace = job.is_some().then(|| session.namespace.clone());
    let mut change = QueueMove { to, job, namespace, limit: None, reason };
    let (mut moved, mut left) = (0_u64, limit.unwrap_or(u64::MAX));
    let message = format!("moving runs from {from} to {}", change.to);
    progress::during(output, &message, async {
        while left > 0 {
            change.limit = u32::try_from(left.min(MOVED_AT_ONCE)).ok();
            let answer = session.ask(session.client.move_queue(&from, &change)).await?;
            moved += u64::from(answer.moved);
            left = left.saturating_sub(answer.moved.into());
            if !answer.more {
                break;
            }
        }
        Ok::<_, Error>(())
    })
    .await?;
    output.one(&MovedRuns { from, to: change.to, moved }, &MOVED)
}

/// How often a queue that is drained is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);

async fn drain(session: &Session, args: PauseArgs, wait: &WaitArgs, output: &Output) -> Result {
    let deadline = wait.deadline();
    let mut queue = pause(session, args).await?;
    let message = format!("waiting for what runs of {}", queue.name);
    progress::during(output, &message, async {
        while queue.running > 0 {
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                let report = Report::new(
                    "queue.not_drained",
                    format!(
                        "{} of the queue {} go on",
                        counted(usize::try_from(queue.running).unwrap_or(usize::MAX), "run"),
                        queue.name
                    ),
                );
                let hint = "the queue is paused; what runs: mainspring run list --state running";
                return Err(Error::new(Exit::RunCancelled, report.hint(hint)));
            }
            let _over = tokio::time::timeout(LOOK_EVERY, std::future::pending::<()>()).await;
            queue = session.ask(session.client.queue(&queue.name)).await?;
        }
        Ok(())
    })
    .await?;
    output.one(&queue, &QUEUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_rates_as_people_write_them() {
        assert_eq!(count("20"), Ok(Setting(Some(20))));
        assert_eq!(count("none"), Ok(Setting(None)));
        assert!(count("0").is_err() && count("many").is_err());
        assert_eq!(rate("100/1m"), Ok(Setting(Some(QueueRate { count: 100, per_ms: 60_000 }))));
        assert_eq!(rate("none"), Ok(Setting(None)));
        assert!(["100", "x/1m", "1/x", "1/100d", "-1/1s"].iter().all(|text| rate(text).is_err()));
    }
}
