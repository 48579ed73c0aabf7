//! `mainspring job …`.

use clap::{Args, Subcommand};
use mainspring_api::client::Precondition;
use mainspring_api::{Job, JobFilter, PageFilter, RunFilter, TriggerFilter, Why, WriteOptions};

use crate::connect::{ConnectArgs, Session};
use crate::error::Result;
use crate::name::JobName;
use crate::output::{Form, Output, View};
use crate::pages::{self, ListArgs};
use crate::past::{self, Span, SpanArgs};
use crate::scope::ScopeArgs;
use crate::start::StartArgs;
use crate::views::{Because, JOB, JOB_DATA, JOB_VERSION, TRIGGER, WHY};
use crate::{bulk, confirm, connect, input};

/// List, look at, pause, resume, run and delete jobs
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring job list -l team=operations
  mainspring job get nightly-backup -o yaml
  mainspring job pause nightly-backup --reason \"disk is full\"
  mainspring job why nightly-backup                   what it waits for
  mainspring job run nightly-backup -p target=s3 --wait
  mainspring job data get poll-feed                   what its next run is given
  mainspring job versions nightly-backup              who saved what, when and from where
  mainspring job history nightly-backup --limit 20")]
pub struct JobArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List jobs
    List {
        /// Only jobs with this text in their name
        #[arg(long, value_name = "TEXT")]
        query: Option<String>,
        /// Only jobs with this label: KEY or KEY=VALUE
        #[arg(short, long, value_name = "LABEL")]
        label: Option<String>,
        /// Only jobs of this owner; * stands for any characters
        #[arg(long, value_name = "OWNER")]
        owner: Option<String>,
        /// Only paused jobs, or with =false only others
        #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true)]
        paused: Option<bool>,
        #[command(flatten)]
        scope: ScopeArgs,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Show everything about jobs
    #[command(visible_alias = "show")]
    Get {
        /// JOB or NAMESPACE/JOB
        #[arg(required = true, value_name = "JOB")]
        names: Vec<JobName>,
    },
    /// Say why jobs do not run now, trigger by trigger
    Why {
        /// JOB or NAMESPACE/JOB
        #[arg(required = true, value_name = "JOB")]
        names: Vec<JobName>,
    },
    /// Pause jobs: no trigger of theirs fires once this is answered
    Pause(PauseArgs),
    /// End the pause of jobs
    Resume(PauseArgs),
    /// Start a run now; the same as `run start`
    Run(StartArgs),
    /// Delete jobs with their triggers; the history of their runs stays until retention removes it
    Delete {
        /// JOB or NAMESPACE/JOB
        #[arg(required = true, value_name = "JOB")]
        names: Vec<JobName>,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// List the versions of a job that are kept, newest first: who saved them, when and from where
    Versions {
        /// JOB or NAMESPACE/JOB
        #[arg(value_name = "JOB")]
        name: JobName,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Look at what jobs keep between their runs, and set it
    #[command(subcommand)]
    Data(DataVerb),
    /// List the final runs of a job and the instants that were missed or suppressed, newest first
    History {
        /// JOB or NAMESPACE/JOB
        #[arg(value_name = "JOB")]
        name: JobName,
        #[command(flatten)]
        span: SpanArgs,
        #[command(flatten)]
        list: ListArgs,
    },
}

#[derive(Debug, Subcommand)]
enum DataVerb {
    /// Show what the next run of a job is given
    #[command(name = "get", visible_alias = "show")]
    Show {
        /// JOB or NAMESPACE/JOB
        #[arg(value_name = "JOB")]
        name: JobName,
    },
    /// Set what the next runs of a job are given
    Set {
        /// JOB or NAMESPACE/JOB
        #[arg(value_name = "JOB")]
        name: JobName,
        /// A JSON object, @FILE, or - for stdin
        #[arg(value_name = "JSON")]
        json: String,
        /// Only if the data has this revision; 0: none was ever set
        #[arg(long, value_name = "N")]
        revision: Option<u64>,
    },
    /// Set what the next runs of a job are given to {}
    Clear {
        /// JOB or NAMESPACE/JOB
        #[arg(value_name = "JOB")]
        name: JobName,
        /// Only if the data has this revision
        #[arg(long, value_name = "N")]
        revision: Option<u64>,
    },
}

#[derive(Debug, Args)]
struct PauseArgs {
    /// JOB or NAMESPACE/JOB
    #[arg(required = true, value_name = "JOB")]
    names: Vec<JobName>,
    /// Why; shown with the job
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Does what the verb says.
///
/// # Errors
/// Whatever the server reports.
pub fn run(args: JobArgs, output: &Output) -> Result {
    let session = args.connect.open()?;
    connect::block_on(async {
        match args.verb {
            Verb::List { query, label, owner, paused, scope, list: page } => {
                let filter = JobFilter { name: query, label, owner, paused, ..JobFilter::default() };
                list(&session, &filter, scope, &page, output).await
            }
            Verb::Get { names } => get(&session, &names, output).await,
            Verb::Why { names } => why(&session, &names, output).await,
            Verb::Pause(args) => set_paused(&session, args, true, output).await,
            Verb::Resume(args) => set_paused(&session, args, false, output).await,
            Verb::Run(args) => crate::start::start(&session, &args, output).await,
            Verb::Delete { names, yes } => delete(&session, &names, yes, output).await,
            Verb::Versions { name, list } => versions(&session, &name, &list, output).await,
            Verb::Data(verb) => data(&session, &verb, output).await,
            Verb::History { name, span, list } => history(&session, &name, span.read(output)?, &list, output).await,
        }
    })
}

async fn list(session: &Session, filter: &JobFilter, scope: ScopeArgs, page: &ListArgs, output: &Output) -> Result {
    let jobs = pages::collect(page, output, async |cursor, limit| {
        let filter = JobFilter { cursor, limit: Some(limit), ..filter.clone() };
        session.ask(session.client.jobs(scope.segment(session), &filter)).await
    });
    let asked = JobFilter { cursor: None, limit: None, ..filter.clone() } != JobFilter::default();
    let empty = if asked { "no such jobs" } else { JOB.empty };
    let name = if scope.is_all() { |job: &Job| format!("{}/{}", job.namespace, job.name) } else { JOB.name };
    scope.list(session, &jobs.await?, &View { empty, name, ..JOB }, output)
}

async fn get(session: &Session, names: &[JobName], output: &Output) -> Result {
    let fetch = async |name: &JobName| {
        let namespace = name.namespace(&session.namespace);
        let job = session.ask(session.client.job(namespace, &name.job)).await?;
        let triggers = match (output.form(), job.spec.triggers_in_order().is_empty()) {
            (Form::Table, false) => {
                let filter = TriggerFilter { job: Some(job.name.clone()), ..TriggerFilter::default() };
                session.ask(session.client.triggers(namespace, &filter)).await?.items
            }
            _ => Vec::new(),
        };
        Ok((job, triggers))
    };
    bulk::each(names, fetch, |(job, triggers)| {
        output.one(job, &JOB)?;
        if !triggers.is_empty() {
            output.text("")?;
            output.list(triggers, &TRIGGER)?;
        }
        Ok(())
    })
    .await
}

async fn why(session: &Session, names: &[JobName], output: &Output) -> Result {
    let ask =
        async |name: &JobName| session.ask(session.client.why_job(name.namespace(&session.namespace), &name.job)).await;
    bulk::gather(names, ask, |found: Vec<Why>| {
        output.list(&found.into_iter().flat_map(Because::all).collect::<Vec<_>>(), &WHY)
    })
    .await
}

async fn set_paused(session: &Session, args: PauseArgs, paused: bool, output: &Output) -> Result {
    let reason = crate::who::because(args.reason);
    let change = async |name: &JobName| {
        let (client, namespace) = (&session.client, name.namespace(&session.namespace));
        match paused {
            true => session.ask(client.pause_job(namespace, &name.job, &reason)).await,
            false => session.ask(client.resume_job(namespace, &name.job, &reason)).await,
        }
    };
    let word = if paused { "paused" } else { "resumed" };
    bulk::each(&args.names, change, |job| output.done(job, &JOB, format_args!("{word} {}/{}", job.namespace, job.name)))
        .await
}

async fn delete(session: &Session, names: &[JobName], yes: bool, output: &Output) -> Result {
    if !yes {
        // Nobody is asked about what is not there.
        for name in names {
            session.ask(session.client.job(name.namespace(&session.namespace), &name.job)).await?;
        }
        let list: Vec<&str> = names.iter().map(|name| name.job.as_str()).collect();
        confirm::confirm(&format!("Delete {} with all triggers?", list.join(", ")), false)?;
    }
    let remove = async |name: &JobName| {
        let namespace = name.namespace(&session.namespace);
        session
            .ask(session.client.delete_job(namespace, &name.job, Precondition::None, WriteOptions::default()))
            .await?;
        Ok(format!("{namespace}/{}", name.job))
    };
    bulk::each(names, remove, |name| {
        output.note(format_args!("deleted {name}"));
        Ok(())
    })
    .await
}

async fn versions(session: &Session, name: &JobName, page: &ListArgs, output: &Output) -> Result {
    let versions = pages::collect(page, output, async |cursor, limit| {
        let filter = PageFilter { cursor, limit: Some(limit) };
        session.ask(session.client.job_versions(name.namespace(&session.namespace), &name.job, &filter)).await
    });
    output.list(&versions.await?, &JOB_VERSION)
}

async fn data(session: &Session, verb: &DataVerb, output: &Output) -> Result {
    let client = &session.client;
    let at = |revision: Option<u64>| revision.map_or(Precondition::None, Precondition::Version);
    match verb {
        DataVerb::Show { name } => {
            let namespace = name.namespace(&session.namespace);
            output.one(&session.ask(client.job_data(namespace, &name.job)).await?, &JOB_DATA)
        }
        DataVerb::Set { name, json, revision } => {
            let (namespace, data) = (name.namespace(&session.namespace), input::json("JSON", json)?);
            let kept = session.ask(client.put_job_data(namespace, &name.job, &data, at(*revision))).await?;
            let sentence = format_args!("set the data of {namespace}/{}: revision {}", name.job, kept.revision);
            output.done(&kept, &JOB_DATA, sentence)
        }
        DataVerb::Clear { name, revision } => {
            let namespace = name.namespace(&session.namespace);
            session.ask(client.clear_job_data(namespace, &name.job, at(*revision))).await?;
            output.note(format_args!("cleared the data of {namespace}/{}", name.job));
            Ok(())
        }
    }
}

async fn history(session: &Session, name: &JobName, span: Span, page: &ListArgs, output: &Output) -> Result {
    let namespace = name.namespace(&session.namespace);
    let runs = pages::collect(page, output, async |cursor, limit| {
        let filter = RunFilter { from: span.from, to: span.to, cursor, limit: Some(limit), ..RunFilter::default() };
        let request = session.client.job_history(namespace, &name.job, &filter);
        session.ask(request).await
    });
    past::show(session, runs.await?, (Some(namespace.to_owned()), Some(name.job.clone())), span, page, output).await
}
