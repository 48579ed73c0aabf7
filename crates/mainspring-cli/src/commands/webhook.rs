//! `mainspring webhook …`.

use clap::{Args, Subcommand};
use mainspring_api::{PageFilter, Webhook, WebhookRotation, WebhookSpec};

use crate::connect::{self, ConnectArgs, Session};
use crate::error::Result;
use crate::name;
use crate::output::{Form, Output};
use crate::pages::{self, ListArgs};
use crate::views::{WEBHOOK, WEBHOOK_DELIVERY};

/// Tell other programs of what happens: make, list, test and delete webhooks
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring webhook create ops --url https://example.org/hook > secret
  mainspring webhook create audit --url https://example.org/audit --events 'job.*,trigger.*' --only shop
  mainspring webhook create nightly --url https://example.org/hook --events run.failed,fire.missed --only shop/nightly
  mainspring webhook test ops
  mainspring webhook deliveries ops                    what was sent, and what came of it
  mainspring webhook rotate ops > secret
  mainspring webhook resume ops                        it has failed for days, and is mended")]
pub struct WebhookArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Make a webhook; the secret that its messages are signed with is printed this once
    Create(CreateArgs),
    /// List the webhooks
    List,
    /// Show everything about a webhook but its secret
    #[command(name = "get", visible_alias = "show")]
    Show(NameArgs),
    /// Delete a webhook; nothing more is sent to it
    Delete(NameArgs),
    /// Send a webhook a message of the type webhook.test
    Test(NameArgs),
    /// Give a webhook another secret; for a day, messages are signed with both
    Rotate(RotateArgs),
    /// Let a webhook go on that rests because every message to it has failed for days
    Resume(NameArgs),
    /// List what was sent to a webhook, newest first
    Deliveries {
        #[command(flatten)]
        name: NameArgs,
        #[command(flatten)]
        list: ListArgs,
    },
}

#[derive(Debug, Args)]
struct NameArgs {
    /// Its name
    #[arg(value_name = "NAME")]
    name: String,
}

#[derive(Debug, Args)]
struct RotateArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Also while the secret before the present one is still valid: it is not any more then
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
struct CreateArgs {
    /// What people call it; unique
    #[arg(value_name = "NAME", value_parser = name::plain)]
    name: String,
    /// Where messages are posted
    #[arg(long, value_name = "URL")]
    url: String,
    /// Types of events: run.failed, run.*, *; runs that are over and missed instants when absent
    #[arg(long, value_delimiter = ',', value_name = "TYPE,…")]
    events: Vec<String>,
    /// Only events of this namespace, or of this job
    #[arg(long, value_name = "NAMESPACE[/JOB]")]
    only: Option<String>,
}

/// Does what the verb says.
///
/// # Errors
/// Whatever the server reports.
pub fn run(args: WebhookArgs, output: &Output) -> Result {
    let session = args.connect.open()?;
    connect::block_on(async {
        let client = &session.client;
        match args.verb {
            Verb::Create(args) => secret(&session.ask(client.create_webhook(&spec(args))).await?, output),
            Verb::Rotate(args) => {
                let rotation = WebhookRotation { force: args.force };
                secret(&session.ask(client.rotate_webhook(&args.name.name, rotation)).await?, output)
            }
            Verb::Resume(args) => output.one(&session.ask(client.resume_webhook(&args.name)).await?, &WEBHOOK),
            Verb::List => output.list(&session.ask(client.webhooks()).await?, &WEBHOOK),
            Verb::Show(args) => output.one(&session.ask(client.webhook(&args.name)).await?, &WEBHOOK),
            Verb::Delete(args) => {
                session.ask(client.delete_webhook(&args.name)).await?;
                output.note(format_args!("deleted {}", args.name));
                Ok(())
            }
            Verb::Test(args) => {
                output.one(&session.ask(client.test_webhook(&args.name)).await?, &WEBHOOK_DELIVERY)?;
                output.hint(format_args!("what came of it: mainspring webhook deliveries {}", args.name));
                Ok(())
            }
            Verb::Deliveries { name, list } => deliveries(&session, &name.name, &list, output).await,
        }
    })
}

fn spec(args: CreateArgs) -> WebhookSpec {
    let (namespace, job) = match args.only {
        Some(only) => match only.split_once('/') {
            Some((namespace, job)) => (Some(namespace.to_owned()), Some(job.to_owned())),
            None => (Some(only), None),
        },
        None => (None, None),
    };
    WebhookSpec { name: args.name, url: args.url, events: args.events, namespace, job }
}

/// Prints a secret, or in other forms all that was answered.
fn secret(webhook: &Webhook, output: &Output) -> Result {
    match (output.form(), &webhook.secret) {
        (Form::Table, Some(secret)) => {
            output.text(secret)?;
            output.note(format_args!("this is the secret of {}; it is shown only here", webhook.name));
            Ok(())
        }
        _ => output.one(webhook, &WEBHOOK),
    }
}

async fn deliveries(session: &Session, name: &str, list: &ListArgs, output: &Output) -> Result {
    let found = pages::collect(list, output, async |cursor, limit| {
        let filter = PageFilter { cursor, limit: Some(limit) };
        session.ask(session.client.webhook_deliveries(name, &filter)).await
    });
    output.list(&found.await?, &WEBHOOK_DELIVERY)
}
