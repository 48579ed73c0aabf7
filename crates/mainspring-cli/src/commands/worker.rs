//! `mainspring worker`: a worker that dials in, and what servers know of all of them.

mod drain;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use mainspring_api::{ErrorCode, Timestamp, Worker, WorkerTokenSpec};
use mainspring_tasks::Allow;
use mainspring_worker::StartError;
use tokio::signal::unix::SignalKind;

use crate::connect::{self, ConnectArgs, Session};
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::logging::LogArgs;
use crate::name::JobName;
use crate::node;
use crate::output::{Form, Output, counted};
use crate::time_value::{self, Direction};
use crate::views::{TAKER, WORKER, WORKER_TOKEN};
use crate::{discovery, name};

/// Run a worker: takes runs from a server and executes them here; or look at workers and their tokens
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  mainspring worker                                      for the server of this user on this machine
  mainspring worker --server https://jobs.example.org --token-file token --queues build,default --slots 8
  mainspring worker --server http://a:7070 --server http://b:7070 --allow-plain-http --label zone=north
  mainspring worker list
  mainspring worker match backup                         who could take its next run, and why the others not
  mainspring worker drain north --wait       when this ends, nothing is lost if it is stopped
  (umask 077; mainspring worker token create build-7 --queues build --expires 90d > token)

TERM or Ctrl-C drains: nothing more is taken, runs finish within --grace. A second signal cancels them, a third ends
the process at once. Jobs choose their worker by their queue."
)]
pub struct WorkerArgs {
    #[command(flatten)]
    work: WorkArgs,
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List the workers that have joined
    List {
        #[command(flatten)]
        connect: ConnectArgs,
    },
    /// Show everything about a worker
    #[command(name = "get", visible_alias = "show")]
    Show {
        #[command(flatten)]
        connect: ConnectArgs,
        /// Id or name
        #[arg(value_name = "WORKER")]
        worker: String,
    },
    /// Show which servers and workers could take the next run of a job now, and why the others could not
    Match {
        #[command(flatten)]
        connect: ConnectArgs,
        /// The job
        #[arg(value_name = "[NAMESPACE/]JOB")]
        job: JobName,
    },
    /// Have a worker take nothing new; what it executes goes on
    Drain(drain::DrainArgs),
    /// Let a worker take runs again
    Undrain(drain::UndrainArgs),
    Token(TokenArgs),
}

/// Make, list and revoke the tokens of workers
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  (umask 077; mainspring worker token create build-7 --queues build > token)
  mainspring worker token create guest --expires 24h -o json
  mainspring worker token list
  mainspring worker token revoke build-7")]
struct TokenArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(subcommand)]
    verb: TokenVerb,
}

#[derive(Debug, Subcommand)]
enum TokenVerb {
    /// Make a token with which workers may join and work, and nothing else; it is printed this once
    Create {
        /// What people call it; unique
        #[arg(value_name = "NAME")]
        name: String,
        /// Queues that its workers may take runs from; all when absent
        #[arg(long, value_delimiter = ',', value_name = "QUEUE,…", value_parser = name::plain)]
        queues: Vec<String>,
        /// When it ends: 24h, 90d, 2026-12-31
        #[arg(long, value_name = "TIME")]
        expires: Option<String>,
    },
    /// List the tokens of workers, without the tokens themselves
    List,
    /// End a token; its workers are refused from then on
    Revoke {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
    },
}

#[derive(Debug, Args)]
struct WorkArgs {
    /// Address of a server; several of one cluster for when one does not answer; found by itself for a server of this
    /// user on this machine
    #[arg(long, env = "MAINSPRING_SERVER", value_delimiter = ',', value_name = "URL")]
    server: Vec<String>,
    /// File with the token of the worker, read again when it is not valid any more
    #[arg(long, env = "MAINSPRING_TOKEN_FILE", value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Send the token unencrypted to another machine; anyone on the way can read it
    #[arg(long)]
    allow_plain_http: bool,
    /// Queues to take runs from, the first first
    #[arg(long, env = "MAINSPRING_QUEUES", value_delimiter = ',', default_value = "default", value_name = "QUEUE,…", value_parser = name::plain)]
    queues: Vec<String>,
    /// Runs at a time
    #[arg(long, env = "MAINSPRING_SLOTS", default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    slots: u32,
    /// A label; may be given several times
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = name::label)]
    labels: Vec<(String, String)>,
    /// What lists and logs call it; the host's name when absent
    #[arg(long, env = "MAINSPRING_WORKER_NAME", value_name = "NAME", value_parser = name::plain)]
    name: Option<String>,
    /// Folder of its journal and of working folders; made when missing; one for each worker
    #[arg(long, env = "MAINSPRING_WORKER_DATA", value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Time that a run has between TERM and KILL
    #[arg(long, default_value = "10s", value_name = "DURATION", value_parser = time_value::duration)]
    kill_grace: Duration,
    /// Time that runs have to finish when the worker is asked to stop
    #[arg(long, env = "MAINSPRING_GRACE", default_value = "30s", value_name = "DURATION", value_parser = time_value::duration)]
    grace: Duration,
    /// What HTTP tasks may reach beyond public addresses: loopback, private, any, NETWORK, ADDRESS[:PORT], HOST
    #[arg(long, env = "MAINSPRING_ALLOW_OUTBOUND", value_delimiter = ',', value_name = "WHAT")]
    allow_outbound: Vec<Allow>,
    /// Execute jobs of the kind `script`, whose text and interpreter the job names
    #[arg(long, env = "MAINSPRING_SCRIPTS")]
    scripts: bool,
    #[command(flatten)]
    log: LogArgs,
}

/// Works until a signal, or does what the verb says.
///
/// # Errors
/// A setting is wrong, a file cannot be used, or the server refuses; `worker.not_found` with a suggestion.
pub fn run(args: WorkerArgs, output: &Output) -> Result {
    match args.verb {
        None => {
            args.work.log.start()?;
            node::block_on(work(args.work, output))
        }
        Some(Verb::List { connect }) => {
            let session = connect.open()?;
            connect::block_on(async { output.list(&session.ask(session.client.workers()).await?, &WORKER) })
        }
        Some(Verb::Show { connect, worker }) => {
            let session = connect.open()?;
            connect::block_on(show(&session, &worker, output))
        }
        Some(Verb::Match { connect, job }) => {
            let session = connect.open()?;
            connect::block_on(matches(&session, &job, output))
        }
        Some(Verb::Drain(args)) => drain::drain(args, output),
        Some(Verb::Undrain(args)) => drain::undrain(args, output),
        Some(Verb::Token(args)) => {
            let session = args.connect.open()?;
            connect::block_on(token(&session, args.verb, output))
        }
    }
}

async fn show(session: &Session, wanted: &str, output: &Output) -> Result {
    named(session, wanted).await?.iter().try_for_each(|worker| output.one(worker, &WORKER))
}

/// The workers of an id or a name: nothing keeps two from having one name.
///
/// # Errors
/// `worker.not_found` with a suggestion, and whatever else the server reports.
async fn named(session: &Session, wanted: &str) -> Result<Vec<Worker>> {
    let mut workers = session.ask(session.client.workers()).await?;
    if !workers.iter().any(|worker| worker.id == wanted || worker.name == wanted) {
        let hint = mainspring_api::did_you_mean(wanted, workers.iter().map(|worker| worker.name.as_str()))
            .unwrap_or_else(|| "see: mainspring worker list".to_owned());
        let report = Report::new(ErrorCode::WorkerNotFound.as_str(), format!("there is no worker {wanted:?}"));
        return Err(Error::new(Exit::NotFound, report.hint(hint)));
    }
    workers.retain(|worker| worker.id == wanted || worker.name == wanted);
    Ok(workers)
}

async fn token(session: &Session, verb: TokenVerb, output: &Output) -> Result {
    match verb {
        TokenVerb::Create { name, queues, expires } => {
            let expires_at = expires.map(|text| expiry(&text, output)).transpose()?;
            let spec = WorkerTokenSpec { name, queues, expires_at };
            let made = session.ask(session.client.create_worker_token(&spec)).await?;
            match (output.form(), &made.token) {
                (Form::Table, Some(token)) => {
                    output.text(token)?;
                    output.note(format_args!("this is the token {}; it is shown only here", made.name));
                    Ok(())
                }
                _ => output.one(&made, &WORKER_TOKEN),
            }
        }
        TokenVerb::List => output.list(&session.ask(session.client.worker_tokens()).await?, &WORKER_TOKEN),
        TokenVerb::Revoke { name } => {
            session.ask(session.client.revoke_worker_token(&name)).await?;
            output.note(format_args!("revoked {name}"));
            Ok(())
        }
    }
}

/// Shows who could take the next run of a job; what keeps it back from all of them goes beside.
async fn matches(session: &Session, job: &JobName, output: &Output) -> Result {
    let found = session.ask(session.client.match_job(job.namespace(&session.namespace), &job.job)).await?;
    for reason in &found.held_by {
        output.note(format_args!("note: {}", reason.message));
    }
    output.list(&found.takers, &TAKER)
}

fn expiry(text: &str, output: &Output) -> Result<Timestamp> {
    let now = output.style().now();
    let instant = time_value::parse(text, &now, Direction::Future)?;
    match instant > now.timestamp() {
        true => Ok(Timestamp::from_millis(instant.as_millisecond())),
        false => Err(Error::usage(format!("--expires {text}: that time has passed"))),
    }
}

async fn work(args: WorkArgs, output: &Output) -> Result {
    let mut terminate = node::listen_to(SignalKind::terminate())?;
    let mut interrupt = node::listen_to(SignalKind::interrupt())?;
    let name = args.name.clone().unwrap_or_else(node::host_name);
    let grace = args.grace;
    let builder = builder(&args, &name)?;
    let mut worker = tokio::select! {
        started = builder.start() => started.map_err(refused)?,
        _ = terminate.recv() => return Ok(()),
        _ = interrupt.recv() => return Err(Error::silent(Exit::Interrupted)),
    };
    let (queues, slots) = (args.queues.join(", "), counted(args.slots as usize, "slot"));
    output.line(format_args!("worker {name} ({}) of {}: queues {queues}; {slots}", worker.id(), worker.server()))?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    output.note(format_args!("draining: runs have {} s to finish; a second signal ends them", grace.as_secs()));
    worker.drain();
    let is_over = tokio::select! {
        over = tokio::time::timeout(grace, worker.ended()) => over.is_ok(),
        _ = terminate.recv() => false,
        _ = interrupt.recv() => false,
    };
    let cut = if is_over { 0 } else { worker.cancel() };
    let cut = tokio::select! {
        () = async { _ = worker.stop(Duration::ZERO).await } => cut,
        _ = terminate.recv() => return Err(Error::silent(Exit::Failure)),
        _ = interrupt.recv() => return Err(Error::silent(Exit::Interrupted)),
    };
    match cut {
        0 => output.note("stopped"),
        cut => output.note(format_args!("stopped; {} ended before its time", counted(cut as usize, "run"))),
    }
    Ok(())
}

fn builder(args: &WorkArgs, name: &str) -> Result<mainspring_worker::Builder> {
    let endpoint = connect::endpoint_of(args.server.first().map(String::as_str), args.token_file.as_deref())?;
    // An error of the file is told here as for all commands.
    connect::read_token(&endpoint.token_file)?;
    let data = match &args.data_dir {
        Some(data) => data.clone(),
        None => discovery::default_data().ok_or_else(no_home)?.join("workers").join(name),
    };
    node::make_private(&data)?;
    let builder = mainspring_worker::Worker::builder(endpoint.url)
        .token_file(endpoint.token_file)
        .name(name)
        .queues(args.queues.iter().cloned())
        .slots(args.slots)
        .version(concat!("mainspring ", env!("CARGO_PKG_VERSION")))
        .kill_grace(args.kill_grace)
        .journal(data.join("journal"))
        .tasks(node::tasks(&data, &args.allow_outbound, args.scripts));
    let builder = args.server.iter().skip(1).fold(builder, |builder, server| builder.server(server));
    let builder = args.labels.iter().fold(builder, |builder, (key, value)| builder.label(key, value));
    Ok(if args.allow_plain_http { builder.allow_plain_http() } else { builder })
}

fn refused(error: StartError) -> Error {
    match error {
        StartError::Setting(message) => Error::usage(message),
        StartError::Address(error) | StartError::Refused(error) => connect::refused(error),
        StartError::JournalInUse { .. } => node::failed("worker.data_in_use", "", &error)
            .hint("give each worker a folder of its own: --data-dir DIR, or --name NAME"),
        error => node::failed("worker.start", "cannot start the worker", &error),
    }
}

fn no_home() -> Error {
    let report = Report::new("cli.data", "this user has no home folder to keep data in").hint("say --data-dir DIR");
    Error::new(Exit::Usage, report)
}
