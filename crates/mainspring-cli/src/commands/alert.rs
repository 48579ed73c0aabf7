//! `mainspring alert …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use mainspring_api::{
    AlertChannelSpec, AlertDelivery, AlertDeliveryFilter, AlertFilter, AlertRuleSpec, AlertSilenceSpec, DeliveryState,
};

use crate::connect::{self, ConnectArgs, Session};
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::files;
use crate::name::JobName;
use crate::output::{Form, Output};
use crate::pages::{self, ListArgs};
use crate::time_value::{self, Direction};
use crate::views::{ALERT, ALERT_CHANNEL, ALERT_DELIVERY, ALERT_RULE, ALERT_SILENCE};

/// Tell people when jobs go wrong: channels, rules, silences, and what was sent
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring alert channel apply -f mail.yaml
  mainspring alert channel test mail
  mainspring alert rule apply -f payroll.yaml
  mainspring alert list                                what is wrong now
  mainspring alert silence add --job shop/nightly --until 2h --reason 'the disk is replaced'
  mainspring alert deliveries --channel mail           what was sent, and what came of it
  mainspring alert redeliver 7ffffe5a3c1b9d7f1c2d3e4f5a6b")]
pub struct AlertArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List what is wrong with jobs now that a rule wants to be told
    List {
        /// Only this job
        #[arg(value_name = "[NAMESPACE/]JOB")]
        job: Option<JobName>,
    },
    /// Work with channels: where alerts are sent
    #[command(subcommand)]
    Channel(ChannelVerb),
    /// Work with rules: what is told to whom, for many jobs
    #[command(subcommand)]
    Rule(RuleVerb),
    /// Silence jobs for a while
    #[command(subcommand)]
    Silence(SilenceVerb),
    /// List messages that were sent or are to be sent, newest first
    Deliveries {
        /// Only those to this channel
        #[arg(long, value_name = "NAME")]
        channel: Option<String>,
        /// Only those of this job
        #[arg(long, value_name = "[NAMESPACE/]JOB")]
        job: Option<JobName>,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Send a message again that was delivered or given up
    Redeliver {
        /// Its id
        #[arg(value_name = "ID")]
        id: String,
    },
}

#[derive(Debug, Subcommand)]
enum ChannelVerb {
    /// Save the channels of files; a secret that is written as *** stays as it is
    Apply(FileArgs),
    /// List the channels, with the newest message of each
    List,
    /// Show a channel without its secrets
    #[command(visible_alias = "show")]
    Get(NameArgs),
    /// Send a channel a message now, and say what came of it
    Test(NameArgs),
    /// Delete a channel that no rule names
    Delete(NameArgs),
}

#[derive(Debug, Subcommand)]
enum RuleVerb {
    /// Save the rules of files
    Apply(FileArgs),
    /// List the rules; those of job files are not among them
    List,
    /// Show a rule
    #[command(visible_alias = "show")]
    Get(NameArgs),
    /// Delete a rule
    Delete(NameArgs),
}

#[derive(Debug, Subcommand)]
enum SilenceVerb {
    /// Silence alerts until an instant: what begins is told then, if it lasts
    Add(SilenceArgs),
    /// List the silences that hold
    List,
    /// End a silence
    End {
        /// Its id
        #[arg(value_name = "ID")]
        id: String,
    },
}

#[derive(Debug, Args)]
struct FileArgs {
    /// File, folder, or - for standard input
    #[arg(short, long = "file", required = true, value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
}

#[derive(Debug, Args)]
struct NameArgs {
    /// Its name
    #[arg(value_name = "NAME")]
    name: String,
}

#[derive(Debug, Args)]
struct SilenceArgs {
    /// Only this job
    #[arg(long, value_name = "[NAMESPACE/]JOB", conflicts_with = "all_of")]
    job: Option<JobName>,
    /// Only the jobs of this namespace
    #[arg(long, value_name = "NAMESPACE")]
    all_of: Option<String>,
    /// Only jobs with this label
    #[arg(long, value_name = "NAME=VALUE")]
    label: Option<String>,
    /// Until when: 2h, tomorrow, 2026-01-30 12:00
    #[arg(long, value_name = "TIME")]
    until: String,
    /// Why, for others
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

/// Does what the verb says.
///
/// # Errors
/// Everything that is wrong with files (exit 9), and whatever the server reports. A test that fails is an error.
pub fn run(args: AlertArgs, output: &Output) -> Result {
    let session = args.connect.open()?;
    connect::block_on(async {
        let client = &session.client;
        match args.verb {
            Verb::List { job } => {
                let namespace = job.as_ref().map(|job| job.namespace(&session.namespace).to_owned());
                let filter = AlertFilter { namespace, job: job.map(|job| job.job) };
                output.list(&session.ask(client.alerts(&filter)).await?, &ALERT)
            }
            Verb::Channel(verb) => channel(&session, verb, output).await,
            Verb::Rule(verb) => rule(&session, verb, output).await,
            Verb::Silence(verb) => silence(&session, verb, output).await,
            Verb::Deliveries { channel, job, list } => {
                let namespace = job.as_ref().map(|job| job.namespace(&session.namespace).to_owned());
                let filter =
                    AlertDeliveryFilter { channel, namespace, job: job.map(|job| job.job), ..Default::default() };
                deliveries(&session, &filter, &list, output).await
            }
            Verb::Redeliver { id } => output.one(&session.ask(client.redeliver_alert(&id)).await?, &ALERT_DELIVERY),
        }
    })
}

async fn channel(session: &Session, verb: ChannelVerb, output: &Output) -> Result {
    let client = &session.client;
    match verb {
        ChannelVerb::Apply(args) => {
            for spec in files::documents::<AlertChannelSpec>(&args.files)? {
                let saved = session.ask(client.put_alert_channel(&spec)).await?;
                output.warn(&saved.warnings);
                output.note(format_args!("saved channel {}, version {}", saved.name, saved.version));
                output.hint(format_args!("see whether it arrives: mainspring alert channel test {}", saved.name));
            }
            Ok(())
        }
        ChannelVerb::List => output.list(&session.ask(client.alert_channels()).await?, &ALERT_CHANNEL),
        ChannelVerb::Get(args) => {
            let channel = session.ask(client.alert_channel(&args.name)).await?;
            match output.form() {
                Form::Table => output.document_as(Form::Yaml, &channel.spec),
                _ => output.one(&channel, &ALERT_CHANNEL),
            }
        }
        ChannelVerb::Test(args) => tested(&session.ask(client.test_alert_channel(&args.name)).await?, output),
        ChannelVerb::Delete(args) => {
            session.ask(client.delete_alert_channel(&args.name)).await?;
            output.note(format_args!("deleted channel {}", args.name));
            Ok(())
        }
    }
}

/// A message that did not get through is an error, as scripts see it.
fn tested(delivery: &AlertDelivery, output: &Output) -> Result {
    if output.form() != Form::Table {
        output.one(delivery, &ALERT_DELIVERY)?;
    }
    if delivery.state == DeliveryState::Delivered {
        output.note(format_args!("{} has taken the message", delivery.channel));
        return Ok(());
    }
    let error = delivery.error.clone().unwrap_or_else(|| "alert.refused: nothing is known".to_owned());
    let (code, why) = error.split_once(": ").unwrap_or(("alert.refused", &error));
    let known = mainspring_api::ErrorCode::ALL.iter().find(|known| known.as_str() == code);
    let report = Report::new(known.map_or("alert.refused", |known| known.as_str()), why.to_owned());
    Err(Error::new(Exit::Failure, report))
}

async fn rule(session: &Session, verb: RuleVerb, output: &Output) -> Result {
    let client = &session.client;
    match verb {
        RuleVerb::Apply(args) => {
            for spec in files::documents::<AlertRuleSpec>(&args.files)? {
                let saved = session.ask(client.put_alert_rule(&spec)).await?;
                output.warn(&saved.warnings);
                output.note(format_args!("saved rule {}, version {}", saved.name, saved.version));
            }
            Ok(())
        }
        RuleVerb::List => output.list(&session.ask(client.alert_rules()).await?, &ALERT_RULE),
        RuleVerb::Get(args) => {
            let rule = session.ask(client.alert_rule(&args.name)).await?;
            match output.form() {
                Form::Table => output.document_as(Form::Yaml, &rule.spec),
                _ => output.one(&rule, &ALERT_RULE),
            }
        }
        RuleVerb::Delete(args) => {
            session.ask(client.delete_alert_rule(&args.name)).await?;
            output.note(format_args!("deleted rule {}", args.name));
            Ok(())
        }
    }
}

async fn silence(session: &Session, verb: SilenceVerb, output: &Output) -> Result {
    let client = &session.client;
    match verb {
        SilenceVerb::Add(args) => {
            let until = time_value::parse(&args.until, &output.style().now(), Direction::Future)?;
            let asked = crate::who::because(None);
            let (namespace, job) = match args.job {
                Some(job) => (Some(job.namespace(&session.namespace).to_owned()), Some(job.job)),
                None => (args.all_of, None),
            };
            let until = mainspring_api::Timestamp::from_millis(until.as_millisecond());
            let spec = AlertSilenceSpec { namespace, job, label: args.label, until, reason: args.reason, by: asked.by };
            output.one(&session.ask(client.silence_alerts(&spec)).await?, &ALERT_SILENCE)
        }
        SilenceVerb::List => output.list(&session.ask(client.alert_silences()).await?, &ALERT_SILENCE),
        SilenceVerb::End { id } => {
            session.ask(client.end_alert_silence(&id)).await?;
            output.note(format_args!("ended silence {id}"));
            Ok(())
        }
    }
}

async fn deliveries(session: &Session, filter: &AlertDeliveryFilter, list: &ListArgs, output: &Output) -> Result {
    let found = pages::collect(list, output, async |cursor, limit| {
        let filter = AlertDeliveryFilter { cursor, limit: Some(limit), ..filter.clone() };
        session.ask(session.client.alert_deliveries(&filter)).await
    });
    output.list(&found.await?, &ALERT_DELIVERY)
}
