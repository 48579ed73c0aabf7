//! `mainspring run rerun`: what would run again, and that it does.

use clap::Args;
use mainspring_api::{BackfillActions, Reason, Rerun, RerunPlan};

use crate::connect::Session;
use crate::error::{Error, Result};
use crate::output::{Form, Output, counted, duration};
use crate::views::{BACKFILL, BACKFILL_CASCADE_ITEM, RERUN, RUN};
use crate::{bulk, who};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring run rerun RUN                                 all of it
  mainspring run rerun RUN --failed --dry-run              what would run again
  mainspring run rerun RUN --task load --downstream        load, and all that need it
  mainspring run rerun RUN --task load --apply 5c0e8b1f2a94
  mainspring run rerun RUN --failed --version latest       by the newest version of the job
  mainspring run rerun RUN --task load --downstream --cascade --dry-run
                                                           and what other workflows made of it
  mainspring run rerun RUN --task load --cancel-running    also if load is running")]
pub(super) struct RerunArgs {
    /// Id of a run
    #[arg(required = true, value_name = "RUN")]
    ids: Vec<String>,
    /// Only this task of a workflow run, the others keep their results; may be given several times
    #[arg(long = "task", value_name = "TASK")]
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
    /// Tasks that failed or were cancelled, and those that did not start because of them
    #[arg(long, conflicts_with = "tasks")]
    failed: bool,
    /// Tasks that the run has no record of
    #[arg(long, conflicts_with_all = ["tasks", "failed"])]
    missing: bool,
    /// Also what depends on the date of the run in other workflows, once it has ended well
    #[arg(long, conflicts_with_all = ["missing", "cancel_running"])]
    cascade: bool,
    /// Version of the job: pinned (that of the run), latest or its number
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    /// Cancel what is to run again and is running; it starts again once that has ended
    #[arg(long)]
    cancel_running: bool,
    /// Show the plan, and change nothing
    #[arg(long, conflicts_with = "apply")]
    dry_run: bool,
    /// Carry out this plan, and refuse if it no longer holds
    #[arg(long, value_name = "PLAN")]
    apply: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl RerunArgs {
    fn asked(&self) -> Rerun {
        let Reason { reason, by } = who::because(self.reason.clone());
        Rerun {
            tasks: self.tasks.clone(),
            downstream: self.downstream,
            upstream: self.upstream,
            failed: self.failed,
            missing: self.missing,
            version: self.version.clone(),
            cancel_running: self.cancel_running,
            plan: self.apply.clone(),
            reason,
            by,
        }
    }
}

pub(super) async fn rerun(session: &Session, args: RerunArgs, output: &Output) -> Result {
    if args.apply.is_some() && args.ids.len() > 1 {
        return Err(Error::usage("--apply goes with one run: a plan is that of a single run"));
    }
    let asked = args.asked();
    if args.cascade {
        return cascade(session, &args, &asked, output).await;
    }
    if args.dry_run {
        let ask = async |id: &String| session.ask(session.client.plan_rerun(id, &asked)).await;
        return bulk::each(&args.ids, ask, |plan| show(plan, output)).await;
    }
    let ask = async |id: &String| session.ask(session.client.rerun_tasks(id, &asked)).await;
    bulk::each(&args.ids, ask, |run| {
        if args.ids.iter().any(|id| same(id, &run.id)) {
            return output.done(run, &RUN, format_args!("tasks of run {} of {} run again", run.id, run.job));
        }
        output.done(run, &RUN, format_args!("started run {} of {}", run.id, run.job))
    })
    .await
}

/// The same with what depends on it in other workflows.
async fn cascade(session: &Session, args: &RerunArgs, asked: &Rerun, output: &Output) -> Result {
    if args.dry_run {
        let ask = async |id: &String| session.ask(session.client.plan_cascade(id, asked)).await;
        return bulk::each(&args.ids, ask, |plan| show(plan, output)).await;
    }
    let ask = async |id: &String| session.ask(session.client.rerun_cascade(id, asked)).await;
    bulk::each(&args.ids, ask, |backfill| {
        let id = &backfill.id;
        let text = format_args!(
            "backfill {id} runs {} of {} again, and what depends on it: mainspring backfill list --cascade-of {id}",
            backfill.job, backfill.from
        );
        output.done(backfill, &BACKFILL, text)
    })
    .await
}

/// Whether two texts are the id of the same run: digits in either case, with or without hyphens.
fn same(one: &str, other: &str) -> bool {
    let digits =
        |id: &str| id.chars().filter(char::is_ascii_hexdigit).map(|it| it.to_ascii_lowercase()).collect::<String>();
    digits(one) == digits(other)
}

fn show(plan: &RerunPlan, output: &Output) -> Result {
    if output.form() != Form::Table {
        return output.document(plan);
    }
    let newest = match plan.latest_version {
        newest if newest == plan.version => String::new(),
        newest => format!(" (newest {newest})"),
    };
    output.text(format_args!("{} {}: {}, version {}{newest}", plan.job, plan.run, plan.state, plan.version))?;
    if plan.in_place {
        output.text("the run goes on, and its tasks run again in it")?;
    }
    if let Some(again) = &plan.rerun_as {
        output.text(format_args!("run {again} repeats it already"))?;
    }
    output.text("")?;
    output.list(&plan.tasks, &RERUN)?;
    output.text("")?;
    if let Some(below) = &plan.below {
        show_dependants(plan, below, output)?;
    }
    output.text(summary(plan))
}

/// What other workflows would run after it.
fn show_dependants(plan: &RerunPlan, below: &BackfillActions, output: &Output) -> Result {
    if plan.dependants.is_empty() {
        output.text("no other workflow needs what runs again")?;
        return output.text("");
    }
    output.list(&plan.dependants, &BACKFILL_CASCADE_ITEM)?;
    let BackfillActions { create, rerun, keep, active, absent } = *below;
    let all = create + rerun + keep + active + absent;
    let rest = all - plan.dependants.len() as u64;
    if rest > 0 {
        output.text(format_args!("and {rest} more"))?;
    }
    output.text("")?;
    output.text(format_args!(
        "other workflows: {create} to create, {rerun} to run again, {keep} kept, {active} under way"
    ))
}

/// What a plan comes to, in a line.
fn summary(plan: &RerunPlan) -> String {
    let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let mut parts =
        vec![format!("{} to run again", counted(count(plan.reruns), "task")), format!("{} kept", plan.keeps)];
    parts.extend((plan.goes_on > 0).then(|| format!("{} going on", plan.goes_on)));
    parts.extend((plan.cancels > 0).then(|| format!("{} cancelled first", plan.cancels)));
    parts.extend((plan.cannot_run > 0).then(|| format!("{} cannot run", plan.cannot_run)));
    parts.extend((plan.gone > 0).then(|| format!("{} gone", plan.gone)));
    let takes = plan.estimate_ms.map(|ms| format!("about {}", duration(i64::try_from(ms).unwrap_or(i64::MAX))));
    parts.extend(takes);
    let then = if plan.reruns > 0 { format!("; carry it out with --apply {}", plan.plan) } else { String::new() };
    format!("{}{then}", parts.join(", "))
}
