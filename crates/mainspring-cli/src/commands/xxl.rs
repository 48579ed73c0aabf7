//! `mainspring xxl …`.

pub mod glue;
mod lines;
mod proxy;

use std::path::Path;

use clap::{Args, Subcommand};
use mainspring_api::{XxlApp, XxlAppChange, XxlAppSpec, XxlTokenRotation};

use crate::connect::{self, ConnectArgs};
use crate::error::Result;
use crate::name;
use crate::output::{Form, Output};
use crate::views::{XXL_APP, XXL_INSTANCE};

/// Let executors of XXL-JOB connect: make apps, see who is there, keep their scripts, take over group by group
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  (umask 077; mainspring xxl app create mail > token)   executors of mail connect with this token
  mainspring xxl app create mail --app-token-file old   they keep the token that they have
  mainspring xxl app set mail --address http://10.0.0.7:9999
  mainspring xxl app rotate-token mail > token          the token before opens for another day; the file stays private
  mainspring xxl instances                              who is there, and what they cannot do
  mainspring xxl glue set cleanup cleanup.sh --remark \"keep a week\"
  mainspring xxl glue diff cleanup                      what the last version has changed
  mainspring xxl glue rollback cleanup 3
  mainspring xxl proxy --old-admin http://10.0.0.2:8080/xxl-job-admin --old-token-file old --app mail")]
pub struct XxlArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(subcommand)]
    noun: Noun,
}

#[derive(Debug, Subcommand)]
enum Noun {
    /// Make, list, change and delete apps
    App {
        #[command(subcommand)]
        verb: Verb,
    },
    /// List, compare, set and roll back the scripts that executors run
    Glue {
        #[command(subcommand)]
        verb: glue::Glue,
    },
    Proxy(proxy::ProxyArgs),
    /// List the executors that are known to the server that answers
    Instances {
        /// Only those of this app
        #[arg(value_name = "APP")]
        app: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Make an app; its token is printed this once
    Create(CreateArgs),
    /// List the apps
    List,
    /// Show everything about an app but its token
    #[command(name = "get", visible_alias = "show")]
    Show(NameArgs),
    /// Change an app; what is not named stays
    Set(SetArgs),
    /// Replace the token of an app; the one before opens for another day
    RotateToken(RotateArgs),
    /// Delete an app; what its executors have is lost
    Delete(NameArgs),
}

#[derive(Debug, Args)]
struct NameArgs {
    /// Its name
    #[arg(value_name = "APP")]
    name: String,
}

#[derive(Debug, Args)]
struct TokenArgs {
    /// The token that executors have already, in place of a random one
    #[arg(long, value_name = "TOKEN")]
    app_token: Option<String>,
    /// The same, from the first line of a file; - is the standard input
    #[arg(long, value_name = "FILE", conflicts_with = "app_token")]
    app_token_file: Option<String>,
}

#[derive(Debug, Args)]
struct CreateArgs {
    /// The name that executors register with
    #[arg(value_name = "APP", value_parser = name::plain)]
    name: String,
    #[command(flatten)]
    token: TokenArgs,
    /// For people
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// An executor that does not register; may be repeated
    #[arg(long = "address", value_name = "URL")]
    addresses: Vec<String>,
    /// Runs that one executor is given at a time; 200 when absent
    #[arg(long, value_name = "COUNT")]
    slots: Option<u32>,
    /// Executors that may register at one node; 1,000 when absent
    #[arg(long, value_name = "COUNT")]
    instances_max: Option<u32>,
    /// Lets jobs send scripts to its executors
    #[arg(long)]
    glue: bool,
}

#[derive(Debug, Args)]
struct SetArgs {
    #[command(flatten)]
    name: NameArgs,
    /// For people
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// An executor that does not register, in place of those before; may be repeated
    #[arg(long = "address", value_name = "URL", conflicts_with = "no_addresses")]
    addresses: Vec<String>,
    /// Takes all addresses away
    #[arg(long)]
    no_addresses: bool,
    /// Runs that one executor is given at a time
    #[arg(long, value_name = "COUNT")]
    slots: Option<u32>,
    /// Executors that may register at one node
    #[arg(long, value_name = "COUNT")]
    instances_max: Option<u32>,
    /// Whether jobs may send scripts to its executors
    #[arg(long, value_name = "on|off")]
    glue: Option<Switch>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Debug, Args)]
struct RotateArgs {
    #[command(flatten)]
    name: NameArgs,
    #[command(flatten)]
    token: TokenArgs,
    /// The token before ends now
    #[arg(long)]
    at_once: bool,
}

/// Does what the verb says.
///
/// # Errors
/// Whatever the server reports, and a token file that cannot be read.
pub fn run(args: XxlArgs, output: &Output) -> Result {
    let session = args.connect.open()?;
    if let Noun::Proxy(args) = args.noun {
        return proxy::run(session, args, output);
    }
    connect::block_on(async {
        let client = &session.client;
        let verb = match args.noun {
            Noun::Proxy(_) => return Ok(()),
            Noun::Instances { app } => {
                let mut all = session.ask(client.xxl_instances()).await?;
                all.retain(|one| app.as_ref().is_none_or(|app| one.app == *app));
                return output.list(&all, &XXL_INSTANCE);
            }
            Noun::Glue { verb } => return glue::run(&session, verb, output).await,
            Noun::App { verb } => verb,
        };
        match verb {
            Verb::Create(args) => {
                let spec = XxlAppSpec {
                    name: args.name,
                    title: args.title,
                    token: token(args.token)?,
                    addresses: args.addresses,
                    slots: args.slots,
                    instances_max: args.instances_max,
                    glue: args.glue,
                };
                made(&session.ask(client.create_xxl_app(&spec)).await?, output)
            }
            Verb::List => output.list(&session.ask(client.xxl_apps()).await?, &XXL_APP),
            Verb::Show(args) => {
                let app = session.ask(client.xxl_app(&args.name)).await?;
                warn(&app, output);
                output.one(&app, &XXL_APP)?;
                if output.form() == Form::Table { output.list(&app.instances, &XXL_INSTANCE) } else { Ok(()) }
            }
            Verb::Set(args) => {
                let addresses = (args.no_addresses || !args.addresses.is_empty()).then_some(args.addresses);
                let (title, slots, instances_max) = (args.title, args.slots, args.instances_max);
                let glue = args.glue.map(|glue| glue == Switch::On);
                let change = XxlAppChange { title, addresses, slots, instances_max, glue };
                output.one(&session.ask(client.change_xxl_app(&args.name.name, &change)).await?, &XXL_APP)
            }
            Verb::RotateToken(args) => {
                let rotation = XxlTokenRotation { token: token(args.token)?, at_once: args.at_once };
                made(&session.ask(client.rotate_xxl_token(&args.name.name, &rotation)).await?, output)
            }
            Verb::Delete(args) => {
                session.ask(client.delete_xxl_app(&args.name)).await?;
                output.note(format_args!("deleted {}", args.name));
                Ok(())
            }
        }
    })
}

/// The token that somebody gives.
fn token(args: TokenArgs) -> Result<Option<String>> {
    let Some(file) = args.app_token_file else { return Ok(args.app_token) };
    first_line(Path::new(&file)).map(Some)
}

/// Reads the secret in the first line of a file; - is the standard input. Warns if others may read it.
///
/// # Errors
/// It cannot be read.
pub fn first_line(file: &Path) -> Result<String> {
    let text = if file == Path::new("-") {
        std::io::read_to_string(std::io::stdin())
    } else {
        connect::warn_of_others(file);
        std::fs::read_to_string(file)
    };
    let text = text.map_err(|error| crate::error::Error::file("read", file, &error))?;
    Ok(text.lines().next().unwrap_or_default().trim().to_owned())
}

/// Prints a token, or in other forms all that was answered.
fn made(app: &XxlApp, output: &Output) -> Result {
    warn(app, output);
    match (output.form(), &app.token) {
        (Form::Table, Some(token)) => {
            output.text(token)?;
            output.note(format_args!("this is the token of {}; it is shown only here", app.name));
            Ok(())
        }
        _ => output.one(app, &XXL_APP),
    }
}

fn warn(app: &XxlApp, output: &Output) {
    for warning in &app.warnings {
        output.note(format_args!("warning: {warning}"));
    }
}
