//! `mainspring backfill …`.

use clap::{Args, Subcommand, ValueEnum};
use mainspring_api::{
    Backfill, BackfillFilter, BackfillItemFilter, BackfillItemState, BackfillOrder, BackfillPlan, BackfillSpec,
    BackfillState, PageFilter, Reason, Reprocess,
};
use serde::Serialize;

use crate::connect::{self, ConnectArgs, Session};
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::name::{self, JobName};
use crate::output::{Form, Output};
use crate::pages::{self, ListArgs};
use crate::progress;
use crate::scope::ScopeArgs;
use crate::views::{
    BACKFILL, BACKFILL_CASCADE_ITEM, BACKFILL_ITEM, BACKFILL_NAMED_ITEM, BACKFILL_PART_ITEM, BACKFILL_PLAN_ITEM,
};
use crate::wait::WaitArgs;
use crate::who;

/// Run fire times of the past: plan, start, watch and steer backfills
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring backfill plan etl --from 2026-07-01 --to 2026-07-31
  mainspring backfill start etl --from 2026-07-01 --to 2026-07-31 --plan 5f0c1d2e3a4b --wait
  mainspring backfill start etl --from 2026-07-01 --reprocess failed --max-active 4 --order desc
  mainspring backfill plan etl --from 2026-07-01 --to 2026-07-31 --task load --downstream
  mainspring backfill start etl --from 2026-07-01 --failed
  mainspring backfill plan etl --from 2026-07-01 --to 2026-07-31 --reprocess all --cascade
  mainspring backfill list --state active
  mainspring backfill get 7
  mainspring backfill pause 7 --reason \"the warehouse is down\"
  mainspring backfill retry-failed 7 --wait")]
pub struct BackfillArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Show what a backfill would do, fire time by fire time; nothing changes
    Plan {
        #[command(flatten)]
        spec: SpecArgs,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Start a backfill
    Start {
        #[command(flatten)]
        spec: SpecArgs,
        /// Hash of the plan that was shown; refused if the plan is another one by now
        #[arg(long, value_name = "HASH")]
        plan: Option<String>,
        #[command(flatten)]
        wait: MayWait,
    },
    /// List backfills, newest first
    List {
        /// Only those of this job
        #[arg(long, value_name = "JOB")]
        job: Option<JobName>,
        /// Only those in this state
        #[arg(long, value_enum)]
        state: Option<State>,
        /// Only those that depend on this one, and were started with it
        #[arg(long, value_name = "BACKFILL")]
        cascade_of: Option<String>,
        #[command(flatten)]
        scope: ScopeArgs,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Show a backfill: counts, what failed, what is under way, what comes next
    #[command(visible_alias = "show")]
    Get {
        #[command(flatten)]
        backfill: Number,
        /// List its items in this state in place of that
        #[arg(long, value_enum)]
        items: Option<ItemState>,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Start no more runs; those under way go on
    Pause(SteerArgs),
    /// Go on
    Resume(SteerArgs),
    /// End a backfill with its runs
    Cancel(SteerArgs),
    /// Run again what failed or was cancelled
    RetryFailed {
        #[command(flatten)]
        steer: SteerArgs,
        #[command(flatten)]
        wait: MayWait,
    },
}

#[derive(Debug, Args)]
struct SpecArgs {
    /// Job whose fire times are run
    #[arg(value_name = "JOB")]
    job: JobName,
    /// First day, as 2026-07-01; or a local time, as 2026-07-01T06:00, or an instant with its offset
    #[arg(long, value_name = "DATE")]
    from: String,
    /// Last day, which counts; now when absent
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
    /// Trigger whose fire times are run, if the job has several
    #[arg(long, value_name = "NAME", value_parser = name::plain)]
    trigger: Option<String>,
    /// Time zone of --from and --to; the trigger's when absent
    #[arg(long, value_name = "ZONE")]
    timezone: Option<String>,
    /// Which fire times: those without a run, also those that failed or were cancelled, or all
    #[arg(long, value_enum, default_value = "missing")]
    reprocess: Which,
    /// Only this task of each run, the others keep their results; may be given several times
    #[arg(long = "task", value_name = "TASK", conflicts_with = "reprocess")]
    tasks: Vec<String>,
    /// Also all tasks that need these
    #[arg(long, requires = "tasks")]
    downstream: bool,
    /// Also all tasks that these need
    #[arg(long, requires = "tasks")]
    upstream: bool,
    /// These tasks alone, which is the default
    #[arg(long, requires = "tasks", conflicts_with_all = ["downstream", "upstream"])]
    only: bool,
    /// In each run that failed: the tasks that failed or were cancelled, and those that did not start because of them
    #[arg(long, conflicts_with_all = ["tasks", "reprocess"])]
    failed: bool,
    /// With --task or --failed: dates without a run get a whole one
    #[arg(long)]
    create_missing: bool,
    /// Also what depends on them by needs of other workflows, once they have ended well
    #[arg(long)]
    cascade: bool,
    /// Runs under way at a time
    #[arg(long, value_name = "N", default_value_t = 1)]
    max_active: u32,
    /// In which order they start
    #[arg(long, value_enum, default_value = "asc")]
    order: Order,
    /// Pause when the first run fails
    #[arg(long)]
    stop_on_failure: bool,
    /// Priority of the runs; 10 below that of the job when absent, so that scheduled runs go first
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    priority: Option<i32>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Which {
    Missing,
    Failed,
    All,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Order {
    Asc,
    Desc,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    Active,
    Paused,
    Cancelled,
    Completed,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ItemState {
    Open,
    Running,
    Succeeded,
    Failed,
    Cancelled,
    Skipped,
}

#[derive(Debug, Args)]
struct MayWait {
    /// Wait until it has ended, and show how far it is; exits 7 if a run failed
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    args: WaitArgs,
}

#[derive(Debug, Args)]
struct Number {
    /// Number of the backfill
    #[arg(value_name = "BACKFILL")]
    id: String,
}

#[derive(Debug, Args)]
struct SteerArgs {
    #[command(flatten)]
    backfill: Number,
    /// Why, for others to read
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Does what the verb says.
///
/// # Errors
/// Whatever the server reports; exit 7 or 8 after waiting for a backfill that did not succeed.
pub fn run(args: BackfillArgs, output: &Output) -> Result {
    let session = args.connect.open()?;
    connect::block_on(async {
        let client = &session.client;
        match args.verb {
            Verb::Plan { spec, list } => plan(&session, &spec, &list, output).await,
            Verb::Start { spec, plan, wait } => {
                let namespace = spec.job.namespace(&session.namespace);
                let asked = BackfillSpec { plan, by: who::because(None).by, ..spec.spec() };
                let started = session.ask(client.start_backfill(namespace, &spec.job.job, &asked)).await?;
                shown_or_awaited(&session, started, &wait, output).await
            }
            Verb::List { job, state, cascade_of, scope, list } => {
                let of_scope = scope.segment(&session);
                let namespace = job.as_ref().map_or(of_scope, |job| job.namespace(of_scope));
                let found = pages::collect(&list, output, async |cursor, limit| {
                    let job = job.as_ref().map(|job| job.job.clone());
                    let (state, cascade_of) = (state.map(State::on_the_wire), cascade_of.clone());
                    let filter = BackfillFilter { job, state, cascade_of, cursor, limit: Some(limit) };
                    session.ask(client.backfills(namespace, &filter)).await
                });
                scope.list(&session, &found.await?, &BACKFILL, output)
            }
            Verb::Get { backfill, items: Some(state), list } => {
                let found = pages::collect(&list, output, async |cursor, limit| {
                    let filter = BackfillItemFilter { state: Some(state.on_the_wire()), cursor, limit: Some(limit) };
                    session.ask(client.backfill_items(&backfill.id, &filter)).await
                });
                output.list(&found.await?, &BACKFILL_ITEM)
            }
            Verb::Get { backfill, items: None, .. } => get(&session, &backfill.id, output).await,
            Verb::Pause(steer) => {
                let why = steer.why();
                let paused = client.pause_backfill(&steer.backfill.id, &why);
                done(&session.ask(paused).await?, output, "starts no more runs")
            }
            Verb::Resume(steer) => {
                let why = steer.why();
                let resumed = client.resume_backfill(&steer.backfill.id, &why);
                done(&session.ask(resumed).await?, output, "goes on")
            }
            Verb::Cancel(steer) => {
                let why = steer.why();
                let cancelled = client.cancel_backfill(&steer.backfill.id, &why);
                done(&session.ask(cancelled).await?, output, "is cancelled")
            }
            Verb::RetryFailed { steer, wait } => {
                let why = steer.why();
                let again = client.retry_backfill(&steer.backfill.id, &why);
                let again = session.ask(again).await?;
                shown_or_awaited(&session, again, &wait, output).await
            }
        }
    })
}

impl SpecArgs {
    fn spec(&self) -> BackfillSpec {
        BackfillSpec {
            from: self.from.clone(),
            to: self.to.clone(),
            trigger: self.trigger.clone(),
            timezone: self.timezone.clone(),
            reprocess: match self.reprocess {
                Which::Missing => Reprocess::Missing,
                Which::Failed => Reprocess::Failed,
                Which::All => Reprocess::All,
            },
            tasks: self.tasks.clone(),
            downstream: self.downstream,
            upstream: self.upstream,
            failed: self.failed,
            create_missing: self.create_missing,
            cascade: self.cascade,
            order: match self.order {
                Order::Asc => BackfillOrder::Asc,
                Order::Desc => BackfillOrder::Desc,
            },
            max_active: Some(self.max_active),
            stop_on_failure: self.stop_on_failure,
            priority: self.priority,
            plan: None,
            by: None,
        }
    }

    /// The command that starts what was planned.
    fn start(&self, hash: &str) -> String {
        let name = &self.job.job;
        let mut line = format!("mainspring backfill start {name} --from {}", self.from);
        self.to.iter().for_each(|to| line.push_str(&format!(" --to {to}")));
        line.push_str(&format!(" … --plan {hash}"));
        line
    }
}

impl SteerArgs {
    fn why(&self) -> Reason {
        who::because(self.reason.clone())
    }
}

impl State {
    const fn on_the_wire(self) -> BackfillState {
        match self {
            Self::Active => BackfillState::Active,
            Self::Paused => BackfillState::Paused,
            Self::Cancelled => BackfillState::Cancelled,
            Self::Completed => BackfillState::Completed,
        }
    }
}

impl ItemState {
    const fn on_the_wire(self) -> BackfillItemState {
        match self {
            Self::Open => BackfillItemState::Open,
            Self::Running => BackfillItemState::Running,
            Self::Succeeded => BackfillItemState::Succeeded,
            Self::Failed => BackfillItemState::Failed,
            Self::Cancelled => BackfillItemState::Cancelled,
            Self::Skipped => BackfillItemState::Skipped,
        }
    }
}

async fn plan(session: &Session, spec: &SpecArgs, list: &ListArgs, output: &Output) -> Result {
    let (asked, namespace) = (spec.spec(), spec.job.namespace(&session.namespace));
    let mut head: Option<BackfillPlan> = None;
    let items = pages::collect(list, output, async |cursor, limit| {
        let page = PageFilter { cursor, limit: Some(limit) };
        let mut plan = session.ask(session.client.plan_backfill(namespace, &spec.job.job, &asked, &page)).await?;
        let items = std::mem::take(&mut plan.items);
        let next_cursor = plan.next_cursor.take();
        if head.get_or_insert_with(|| plan.clone()).hash != plan.hash {
            let report = Report::new("backfill.stale", "the plan changed while its pages were read");
            return Err(Error::new(Exit::Conflict, report.hint("ask again")));
        }
        Ok(mainspring_api::Page { items, next_cursor })
    });
    let items = items.await?;
    let Some(plan) = head else { return Ok(()) };
    if output.form() != Form::Table {
        return output.document(&BackfillPlan { items, ..plan });
    }
    let view = match (plan.cascade, &plan.part) {
        (true, _) => &BACKFILL_CASCADE_ITEM,
        (false, Some(_)) => &BACKFILL_PART_ITEM,
        (false, None) if items.iter().any(|item| item.logical_date.is_some()) => &BACKFILL_NAMED_ITEM,
        (false, None) => &BACKFILL_PLAN_ITEM,
    };
    output.list(&items, view)?;
    let actions = plan.actions;
    output.note(format_args!(
        "plan {} of {}: {} to create, {} to run again, {} kept, {} under way{}; {} at a time, {} first, version {}, priority {}",
        plan.hash,
        plan.job,
        actions.create,
        actions.rerun,
        actions.keep,
        actions.active,
        if plan.part.is_some() { format!(", {} left out", actions.absent) } else { String::new() },
        plan.max_active,
        if plan.order == BackfillOrder::Asc { "earliest" } else { "latest" },
        plan.job_version,
        plan.priority
    ));
    if let Some(below) = plan.below {
        output.note(format_args!(
            "what depends on it: {} to create, {} to run again, {} kept, {} under way",
            below.create, below.rerun, below.keep, below.active
        ));
    }
    if actions.create + actions.rerun > 0 {
        output.hint(format_args!("to start it: {}", spec.start(&plan.hash)));
    }
    Ok(())
}

/// A backfill with some of its items.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    backfill: Backfill,
    failed: Vec<mainspring_api::BackfillItem>,
    running: Vec<mainspring_api::BackfillItem>,
    next: Vec<mainspring_api::BackfillItem>,
}

/// Items of a state that are shown with their backfill.
const SHOWN: u32 = 5;

async fn get(session: &Session, id: &str, output: &Output) -> Result {
    let backfill = session.ask(session.client.backfill(id)).await?;
    let some = async |state| {
        let filter = BackfillItemFilter { state: Some(state), cursor: None, limit: Some(SHOWN) };
        Ok::<_, Error>(session.ask(session.client.backfill_items(id, &filter)).await?.items)
    };
    let failed = some(BackfillItemState::Failed).await?;
    let running = some(BackfillItemState::Running).await?;
    let next = some(BackfillItemState::Open).await?;
    if output.form() != Form::Table {
        return output.document(&Shown { backfill, failed, running, next });
    }
    output.one(&backfill, &BACKFILL)?;
    let items: Vec<_> = failed.into_iter().chain(running).chain(next).collect();
    if !items.is_empty() && !output.has_columns() {
        output.line("")?;
        output.list(&items, &BACKFILL_ITEM)?;
    }
    Ok(())
}

fn done(backfill: &Backfill, output: &Output, what: &str) -> Result {
    output.done(backfill, &BACKFILL, format_args!("backfill {} {what}", backfill.id))
}

/// A backfill, and those that were started with it because they depend on it.
async fn with_below(session: &Session, first: Backfill) -> Result<Vec<Backfill>> {
    let mut all = vec![first];
    if !all[0].cascade || all[0].cascade_of.is_some() {
        return Ok(all);
    }
    let (namespace, cascade_of) = (all[0].namespace.clone(), Some(all[0].id.clone()));
    let filter = BackfillFilter { cascade_of, limit: Some(1_000), ..BackfillFilter::default() };
    let below = session.ask(session.client.backfills(&namespace, &filter)).await?;
    all.extend(below.items.into_iter().rev());
    Ok(all)
}

fn is_over(backfill: &Backfill) -> bool {
    backfill.ended_at.is_some()
}

/// Whether a run may start, now or once another one has ended: not while it is paused, or the first one of them all is.
fn can_start(backfill: &Backfill, first: &Backfill) -> bool {
    let goes_on = |it: &Backfill| it.state != BackfillState::Paused;
    !is_over(backfill) && goes_on(backfill) && goes_on(first)
}

async fn shown_or_awaited(session: &Session, started: Backfill, wait: &MayWait, output: &Output) -> Result {
    if !wait.wait {
        output.one(&started, &BACKFILL)?;
        output.hint(format_args!("how far it is: mainspring backfill get {}", started.id));
        return Ok(());
    }
    let id = started.id.clone();
    let mut message = format!("backfill {id} of {}", started.job);
    if started.cascade {
        message.push_str(" and what depends on it");
    }
    let mut all = with_below(session, started).await?;
    let total = all.iter().map(|it| it.items.total).sum();
    let ended = progress::counted(output, &message, total, wait.args.deadline(), async || {
        let newest = session.ask(session.client.backfill(&id)).await?;
        all = with_below(session, newest).await?;
        let done = all.iter().map(|it| it.items.total - it.items.open - it.items.running).sum();
        let failed: u64 = all.iter().map(|it| it.items.failed).sum();
        let failed = if failed > 0 { format!("{failed} failed") } else { String::new() };
        // What depends on one that is paused waits for it.
        let rests = all.iter().all(is_over) || !all.iter().any(|it| it.items.running > 0 || can_start(it, &all[0]));
        Ok::<_, Error>((done, failed, rests))
    });
    let is_over = ended.await?;
    if let [only] = all.as_slice() {
        output.one(only, &BACKFILL)?;
    } else {
        output.list(&all, &BACKFILL)?;
    }
    let worst = all.iter().max_by_key(|it| (it.items.failed > 0, it.items.cancelled > 0 || !it.state.is_final()));
    let Some(newest) = worst else { return Ok(()) };
    let code = match newest.state {
        _ if !is_over => {
            let report = Report::new("backfill.not_ended", format!("backfill {id} has not ended in time"));
            let report = report.hint(format!("mainspring backfill get {id}"));
            return Err(Error::new(Exit::RunCancelled, report));
        }
        _ if newest.items.failed > 0 => Exit::RunFailed,
        BackfillState::Completed if newest.items.cancelled == 0 => return Ok(()),
        _ => Exit::RunCancelled,
    };
    Err(Error::silent(code))
}
