//! `mainspring run …`.

mod approvals;
pub mod load;
mod rerun;
mod tasks;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use mainspring_api::{Reason, RunFilter, RunMove, RunState, Why};

use crate::connect::{ConnectArgs, Session};
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::output::{Form, Output};
use crate::pages::{self, ListArgs};
use crate::past::{self, SpanArgs};
use crate::scope::ScopeArgs;
use crate::start::StartArgs;
use crate::views::{ATTEMPT, Because, RUN, WHY};
use crate::wait::{self, WaitArgs};
use crate::{bulk, connect};

/// List, look at, start, await, cancel and repeat runs
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring run list --state failed --since yesterday
  mainspring run start nightly-backup -p target=s3 --wait
  mainspring run get 019a8c1e-5400-8a3b-9c55-6f1f2a7d0b11
  mainspring run why 019a8c1e-5400-8a3b-9c55-6f1f2a7d0b11
  mainspring run tree 019a8c1e-5400-8a3b-9c55-6f1f2a7d0b11
  mainspring run output 019a8c1e-5400-8a3b-9c55-6f1f2a7d0b11 --out report.json
  mainspring run rerun 019a8c1e-5400-8a3b-9c55-6f1f2a7d0b11
  mainspring run rerun 019a8c1e-5400-8a3b-9c55-6f1f2a7d0b11 --failed --dry-run")]
pub struct RunArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List runs, newest first, live and final
    List(ListRunsArgs),
    /// Show everything about runs, with their attempts
    #[command(visible_alias = "show")]
    Get {
        /// Id of a run
        #[arg(required = true, value_name = "RUN")]
        ids: Vec<String>,
    },
    /// Say why runs do not run now, or that they do
    Why {
        /// Id of a run
        #[arg(required = true, value_name = "RUN")]
        ids: Vec<String>,
    },
    /// Show the tasks of a workflow run, wave by wave
    #[command(visible_alias = "tasks")]
    Tree(tasks::TreeArgs),
    /// Print what a run has left, or write it to a file
    Output {
        /// Id of a run
        #[arg(value_name = "RUN")]
        id: String,
        /// Write to this file instead of stdout
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Start a run of a job now
    Start(StartArgs),
    /// Wait for runs to end; the exit code is that of the first that did not succeed
    Wait {
        /// Id of a run
        #[arg(required = true, value_name = "RUN")]
        ids: Vec<String>,
        #[command(flatten)]
        wait: WaitArgs,
    },
    /// Ask for runs to be cancelled, or for tasks of a workflow run
    Cancel(CancelArgs),
    /// Put runs that wait into another queue
    Move {
        /// Id of a run
        #[arg(required = true, value_name = "RUN")]
        ids: Vec<String>,
        /// The queue in which they are to wait
        #[arg(long, value_name = "QUEUE", value_parser = crate::name::plain)]
        queue: String,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Let nothing new start in workflow runs until they are resumed
    Pause(tasks::SteerArgs),
    /// End the pause of workflow runs
    Resume(tasks::SteerArgs),
    /// Leave tasks of a workflow run out that have not started
    Skip(tasks::TaskArgs),
    /// Take a task of a workflow run for succeeded or failed
    Mark(tasks::MarkArgs),
    /// List the tasks that wait for somebody's approval
    Approvals(approvals::ApprovalsArgs),
    /// Approve what a task of a workflow run asks for
    Approve(tasks::DecideArgs),
    /// Reject what a task of a workflow run asks for
    Reject(tasks::DecideArgs),
    /// Add runs that another scheduler has executed to the history of their jobs, from the file that an import has written
    Load(load::LoadArgs),
    /// Start new runs with the same input and fire time: all again, or some tasks of a workflow
    Rerun(rerun::RerunArgs),
}

#[derive(Debug, Args)]
struct ListRunsArgs {
    /// Only runs of this job
    #[arg(value_name = "JOB")]
    job: Option<String>,
    /// The same, as an option
    #[arg(short = 'j', long = "job", value_name = "JOB", conflicts_with = "job")]
    named: Option<String>,
    /// Only runs in this state
    #[arg(short, long, value_enum)]
    state: Option<State>,
    /// Only runs of jobs with this label, with --tasks also of tasks with it: KEY or KEY=VALUE
    #[arg(long, value_name = "LABEL")]
    label: Option<String>,
    /// Only runs of tasks of this workflow run and those that they have started, or shards of this run
    #[arg(long, value_name = "RUN")]
    parent: Option<String>,
    /// Also runs of tasks, which are left out otherwise
    #[arg(long)]
    tasks: bool,
    /// Also instants that did not become runs: missed or suppressed
    #[arg(long, conflicts_with_all = ["state", "parent", "label"])]
    all_outcomes: bool,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    span: SpanArgs,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Debug, Args)]
struct ChangeArgs {
    /// Id of a run
    #[arg(required = true, value_name = "RUN")]
    ids: Vec<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Debug, Args)]
struct CancelArgs {
    #[command(flatten)]
    runs: ChangeArgs,
    /// Only this task of a workflow run; may be given several times
    #[arg(long = "task", value_name = "TASK")]
    tasks: Vec<String>,
    /// With --task: also all tasks that need it, directly or not
    #[arg(long, requires = "tasks")]
    downstream: bool,
}

/// States of runs, as the options spell them.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    Waiting,
    Held,
    Scheduled,
    Queued,
    Running,
    Succeeded,
    Failed,
    Cancelled,
    Skipped,
}

impl From<State> for RunState {
    fn from(state: State) -> Self {
        match state {
            State::Waiting => Self::Waiting,
            State::Held => Self::Held,
            State::Scheduled => Self::Scheduled,
            State::Queued => Self::Queued,
            State::Running => Self::Running,
            State::Succeeded => Self::Succeeded,
            State::Failed => Self::Failed,
            State::Cancelled => Self::Cancelled,
            State::Skipped => Self::Skipped,
        }
    }
}

/// Does what the verb says.
///
/// # Errors
/// Whatever the server reports; `run wait` mirrors the runs in the exit code.
pub fn run(args: RunArgs, output: &Output) -> Result {
    let session = args.connect.open()?;
    connect::block_on(async {
        match args.verb {
            Verb::List(args) => list(&session, args, output).await,
            Verb::Get { ids } => get(&session, &ids, output).await,
            Verb::Why { ids } => why(&session, &ids, output).await,
            Verb::Tree(args) => tasks::tree(&session, &args, output).await,
            Verb::Pause(args) => tasks::pause(&session, args, output).await,
            Verb::Resume(args) => tasks::resume(&session, args, output).await,
            Verb::Skip(args) => tasks::skip(&session, args, output).await,
            Verb::Mark(args) => tasks::mark(&session, args, output).await,
            Verb::Approvals(args) => approvals::list(&session, &args, output).await,
            Verb::Approve(args) => tasks::approve(&session, args, output).await,
            Verb::Reject(args) => tasks::reject(&session, args, output).await,
            Verb::Output { id, out } => left(&session, &id, out.as_deref(), output).await,
            Verb::Start(args) => crate::start::start(&session, &args, output).await,
            Verb::Wait { ids, wait } => wait::runs(&session, &ids, &wait, output).await,
            Verb::Cancel(args) => cancel(&session, args, output).await,
            Verb::Move { ids, queue, reason } => {
                let change = RunMove { queue, reason };
                let ask = async |id: &String| session.ask(session.client.move_run(id, &change)).await;
                bulk::each(&ids, ask, |run| {
                    output.done(
                        run,
                        &RUN,
                        format_args!("run {} of {} waits in the queue {}", run.id, run.job, change.queue),
                    )
                })
                .await
            }
            Verb::Load(args) => load::load(&session, &args, output).await,
            Verb::Rerun(args) => rerun::rerun(&session, args, output).await,
        }
    })
}

/// Prints or writes what a run has left.
async fn left(session: &Session, id: &str, out: Option<&Path>, output: &Output) -> Result {
    let bytes = session.ask(session.client.run_output(id)).await?;
    let Some(path) = out else { return output.text(String::from_utf8_lossy(&bytes)) };
    std::fs::write(path, &bytes).map_err(|error| {
        let report = Report::new("cli.output", format!("cannot write to {}: {error}", path.display()));
        Error::new(Exit::Failure, report)
    })?;
    output.note(format_args!("{} bytes written to {}", bytes.len(), path.display()));
    Ok(())
}

async fn list(session: &Session, args: ListRunsArgs, output: &Output) -> Result {
    let span = args.span.read(output)?;
    let filter = RunFilter {
        job: args.job.or(args.named),
        state: args.state.map(RunState::from),
        label: args.label,
        parent: args.parent,
        tasks: args.tasks.then_some(true),
        from: span.from,
        to: span.to,
        ..RunFilter::default()
    };
    let namespace = args.scope.segment(session);
    let runs = pages::collect(&args.list, output, async |cursor, limit| {
        let filter = RunFilter { cursor, limit: Some(limit), ..filter.clone() };
        session.ask(session.client.runs(namespace, &filter)).await
    });
    let runs = runs.await?;
    match args.all_outcomes {
        true => {
            let of = (args.scope.filter(session), filter.job);
            past::show(session, runs, of, span, &args.list, &args.scope.output(output)).await
        }
        false => args.scope.list(session, &runs, &RUN, output),
    }
}

async fn get(session: &Session, ids: &[String], output: &Output) -> Result {
    let fetch = async |id: &String| {
        let run = session.ask(session.client.run(id)).await?;
        let attempts = session.ask(session.client.attempts(id)).await?;
        Ok((run, attempts))
    };
    bulk::each(ids, fetch, |(run, attempts)| {
        output.one(run, &RUN)?;
        if output.form() == Form::Table && !attempts.is_empty() {
            output.text("")?;
            output.list(attempts, &ATTEMPT)?;
        }
        Ok(())
    })
    .await
}

async fn why(session: &Session, ids: &[String], output: &Output) -> Result {
    let ask = async |id: &String| session.ask(session.client.why_run(id)).await;
    bulk::gather(ids, ask, |found: Vec<Why>| {
        output.list(&found.into_iter().flat_map(Because::all).collect::<Vec<_>>(), &WHY)
    })
    .await
}

async fn cancel(session: &Session, args: CancelArgs, output: &Output) -> Result {
    let CancelArgs { runs: args, tasks, downstream } = args;
    match args.ids.as_slice() {
        [id] if !tasks.is_empty() => {
            return self::tasks::cancel(session, id, &tasks, (args.reason, downstream), output).await;
        }
        ids if ids.len() > 1 && !tasks.is_empty() => {
            return Err(Error::usage("--task goes with one run"));
        }
        _ => {}
    }
    let reason = Reason { reason: args.reason, ..Reason::default() };
    let ask = async |id: &String| session.ask(session.client.cancel_run(id, &reason)).await;
    bulk::each(&args.ids, ask, |run| {
        output.done(run, &RUN, format_args!("asked to cancel run {} of {}", run.id, run.job))
    })
    .await
}
