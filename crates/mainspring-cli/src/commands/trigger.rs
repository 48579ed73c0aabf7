//! `mainspring trigger …`.

use clap::{Args, Subcommand};
use mainspring_api::{GapFilter, Trigger, TriggerFilter, TriggerState, Why};

use crate::connect::{ConnectArgs, Session};
use crate::error::{Error, Result};
use crate::name::TriggerName;
use crate::output::{Form, Output, View, counted};
use crate::pages::{self, ListArgs};
use crate::past::{Span, SpanArgs};
use crate::scope::ScopeArgs;
use crate::views::{Because, GAP, TRIGGER, WHY};
use crate::{bulk, connect};

/// List, look at, pause and resume triggers
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring trigger list --job nightly-backup
  mainspring trigger get nightly-backup/cron
  mainspring trigger gaps nightly-backup/cron         what did not fire, and why
  mainspring trigger why nightly-backup/cron          what it waits for
  mainspring trigger pause nightly-backup/cron --reason \"moved to Sunday\"
  mainspring trigger reanchor --all                   after a clock was ahead")]
pub struct TriggerArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List triggers
    List {
        /// Only triggers of this job
        #[arg(value_name = "JOB")]
        job: Option<String>,
        /// The same, as an option
        #[arg(short = 'j', long = "job", value_name = "JOB", conflicts_with = "job")]
        named: Option<String>,
        /// Only paused triggers, or with =false only others
        #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true)]
        paused: Option<bool>,
        #[command(flatten)]
        scope: ScopeArgs,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Show everything about triggers
    #[command(visible_alias = "show")]
    Get {
        /// JOB/TRIGGER or NAMESPACE/JOB/TRIGGER
        #[arg(required = true, value_name = "TRIGGER")]
        names: Vec<TriggerName>,
    },
    /// List the instants of a trigger that did not fire, missed or suppressed, newest first
    Gaps {
        /// JOB/TRIGGER or NAMESPACE/JOB/TRIGGER
        #[arg(value_name = "TRIGGER")]
        name: TriggerName,
        #[command(flatten)]
        span: SpanArgs,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Say why triggers do not fire now
    Why {
        /// JOB/TRIGGER or NAMESPACE/JOB/TRIGGER
        #[arg(required = true, value_name = "TRIGGER")]
        names: Vec<TriggerName>,
    },
    /// Pause triggers: they do not fire once this is answered
    Pause(PauseArgs),
    /// End the pause of triggers, and let those fire again that were put aside
    Resume(PauseArgs),
    /// Let triggers fire again that have fired for instants to come, because the clock was ahead
    #[command(
        long_about = "Let triggers fire again that have fired for instants to come, because the clock was ahead\n\n\
        A clock that was ahead leaves records of the future, and no instant fires twice: such a trigger is silent until its \
        last record. This takes back the missed and suppressed instants of the future, and the trigger goes on after now. \
        Runs stay, and an instant that has one does not fire again."
    )]
    Reanchor {
        /// JOB/TRIGGER or NAMESPACE/JOB/TRIGGER
        #[arg(required_unless_present = "all", value_name = "TRIGGER")]
        names: Vec<TriggerName>,
        /// All triggers of all namespaces
        #[arg(long, conflicts_with = "names")]
        all: bool,
    },
}

#[derive(Debug, Args)]
struct PauseArgs {
    /// JOB/TRIGGER or NAMESPACE/JOB/TRIGGER
    #[arg(required = true, value_name = "TRIGGER")]
    names: Vec<TriggerName>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Does what the verb says.
///
/// # Errors
/// Whatever the server reports.
pub fn run(args: TriggerArgs, output: &Output) -> Result {
    let session = args.connect.open()?;
    connect::block_on(async {
        match args.verb {
            Verb::List { job, named, paused, scope, list: page } => {
                let filter = TriggerFilter { job: job.or(named), paused, ..TriggerFilter::default() };
                list(&session, &filter, scope, &page, output).await
            }
            Verb::Get { names } => get(&session, &names, output).await,
            Verb::Gaps { name, span, list: page } => gaps(&session, &name, span.read(output)?, &page, output).await,
            Verb::Why { names } => why(&session, &names, output).await,
            Verb::Pause(args) => set_paused(&session, args, true, output).await,
            Verb::Resume(args) => set_paused(&session, args, false, output).await,
            Verb::Reanchor { all: true, .. } => reanchor_all(&session, output).await,
            Verb::Reanchor { names, .. } => reanchor(&session, &names, output).await,
        }
    })
}

async fn list(session: &Session, filter: &TriggerFilter, scope: ScopeArgs, page: &ListArgs, output: &Output) -> Result {
    let triggers = pages::collect(page, output, async |cursor, limit| {
        let filter = TriggerFilter { cursor, limit: Some(limit), ..filter.clone() };
        session.ask(session.client.triggers(scope.segment(session), &filter)).await
    });
    let triggers = triggers.await?;
    let name = match scope.is_all() {
        true => |trigger: &Trigger| format!("{}/{}/{}", trigger.namespace, trigger.job, trigger.name),
        false => TRIGGER.name,
    };
    scope.list(session, &triggers, &View { name, ..TRIGGER }, output)?;
    if let Some(aside) = triggers.iter().find(|trigger| trigger.state == TriggerState::Error) {
        let name = format!("{}/{}", aside.job, aside.name);
        output.hint(format_args!("why {name} was put aside: mainspring trigger get {name}"));
    }
    Ok(())
}

async fn get(session: &Session, names: &[TriggerName], output: &Output) -> Result {
    let fetch = async |name: &TriggerName| {
        let namespace = name.namespace(&session.namespace);
        must_name_a_trigger(session, name).await?;
        session.ask(session.client.trigger(namespace, &name.job, &name.trigger)).await
    };
    bulk::each(names, fetch, |trigger| output.one(trigger, &TRIGGER)).await
}

async fn gaps(session: &Session, name: &TriggerName, span: Span, page: &ListArgs, output: &Output) -> Result {
    let namespace = name.namespace(&session.namespace);
    must_name_a_trigger(session, name).await?;
    let gaps = pages::collect(page, output, async |cursor, limit| {
        let filter = GapFilter { from: span.from, to: span.to, cursor, limit: Some(limit) };
        session.ask(session.client.trigger_gaps(namespace, &name.job, &name.trigger, &filter)).await
    });
    output.list(&gaps.await?, &GAP)
}

async fn why(session: &Session, names: &[TriggerName], output: &Output) -> Result {
    let ask = async |name: &TriggerName| {
        let namespace = name.namespace(&session.namespace);
        must_name_a_trigger(session, name).await?;
        session.ask(session.client.why_trigger(namespace, &name.job, &name.trigger)).await
    };
    bulk::gather(names, ask, |found: Vec<Why>| {
        output.list(&found.into_iter().flat_map(Because::all).collect::<Vec<_>>(), &WHY)
    })
    .await
}

async fn set_paused(session: &Session, args: PauseArgs, paused: bool, output: &Output) -> Result {
    let reason = crate::who::because(args.reason);
    let change = async |name: &TriggerName| {
        let (client, namespace) = (&session.client, name.namespace(&session.namespace));
        must_name_a_trigger(session, name).await?;
        let (job, trigger) = (&name.job, &name.trigger);
        match paused {
            true => session.ask(client.pause_trigger(namespace, job, trigger, &reason)).await,
            false => session.ask(client.resume_trigger(namespace, job, trigger, &reason)).await,
        }
    };
    let word = if paused { "paused" } else { "resumed" };
    bulk::each(&args.names, change, |trigger| output.done(trigger, &TRIGGER, format_args!("{word} {}", trigger.key)))
        .await
}

async fn reanchor(session: &Session, names: &[TriggerName], output: &Output) -> Result {
    let change = async |name: &TriggerName| {
        must_name_a_trigger(session, name).await?;
        let namespace = name.namespace(&session.namespace);
        session.ask(session.client.reanchor_trigger(namespace, &name.job, &name.trigger)).await
    };
    bulk::each(names, change, |trigger| output.done(trigger, &TRIGGER, format_args!("reanchored {}", trigger.key)))
        .await
}

async fn reanchor_all(session: &Session, output: &Output) -> Result {
    let done = session.ask(session.client.reanchor_triggers("-")).await?;
    match output.form() {
        Form::Table => {
            done.triggers.iter().try_for_each(|name| output.line(format_args!("reanchored {name}")))?;
            output.line(format_args!("{}", counted(usize::try_from(done.count).unwrap_or(usize::MAX), "trigger")))
        }
        Form::Name => done.triggers.iter().try_for_each(|name| output.text(name)),
        _ => output.document(&done),
    }
}

/// Refuses the name of a job alone, and says which triggers the job has.
async fn must_name_a_trigger(session: &Session, name: &TriggerName) -> Result {
    if !name.trigger.is_empty() {
        return Ok(());
    }
    let filter = TriggerFilter { job: Some(name.job.clone()), ..TriggerFilter::default() };
    let triggers = session.ask(session.client.triggers(name.namespace(&session.namespace), &filter)).await?;
    let names: Vec<_> = triggers.items.iter().map(|trigger| format!("{}/{}", trigger.job, trigger.name)).collect();
    let error = Error::usage(format!("{} is a job; say JOB/TRIGGER", name.job));
    Err(match names.as_slice() {
        [] => error.hint("the job has no triggers"),
        names => error.hint(format!("its triggers: {}", names.join(", "))),
    })
}
