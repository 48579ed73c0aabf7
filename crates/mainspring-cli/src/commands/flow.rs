//! `mainspring flow …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use mainspring_api::{
    Flow, FlowAction, FlowChange, FlowComponent, FlowHistoryFilter, FlowItemFilter, FlowReplay, FlowSaveOptions,
};

use crate::connect::{self, ConnectArgs, Session};
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::files;
use crate::graph::{self, Language};
use crate::name::JobName;
use crate::output::{Form, Output};
use crate::views::{FLOW, FLOW_COMPONENT, FLOW_CONNECTION, FLOW_ITEM, FLOW_MOMENT, FLOW_NODE, FLOW_POOL, moments};

/// Work with flows: components joined by queues of items
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring flow apply -f orders.yaml --start
  mainspring flow get orders                           components, queues, and why each runs or not
  mainspring flow stop orders work
  mainspring flow why orders sort
  mainspring flow log orders log
  mainspring flow history orders work --minutes 240
  mainspring flow queue list orders order:sort
  mainspring flow queue look orders 1795712345678000
  mainspring flow queue drop orders order:sort
  mainspring flow queue replay orders work:failed:failure
  mainspring flow pool set slow 3")]
pub struct FlowArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Save the flows of files; components that they change must be stopped, or --restart given, and others run on
    Apply(ApplyArgs),
    /// List the flows of all namespaces
    List,
    /// Show the components and queues of a flow
    #[command(visible_alias = "show")]
    Get(FlowName),
    /// Delete a stopped flow with all of its items
    Delete(FlowName),
    /// Let components run by their triggers; all that are not disabled where none is named
    Start(ComponentNames),
    /// Let components begin nothing more; what runs goes on
    Stop(ComponentNames),
    /// Run a stopped component once, if it can
    RunOnce(ComponentNames),
    /// Give up the bodies of stopped components: their items return to their queues
    Terminate(ComponentNames),
    /// Keep stopped components from being started
    Disable(ComponentNames),
    /// Let disabled components be started again
    Enable(ComponentNames),
    /// Say why a component runs or does not
    Why(ComponentName),
    /// Show the last lines of a component's log
    Log(ComponentName),
    /// Show what components did minute by minute, and what queues held
    History(HistoryArgs),
    /// Look into the queues of a flow
    Queue(QueueArgs),
    /// Say how many bodies may run at once
    Pool(PoolArgs),
    Graph(GraphArgs),
}

#[derive(Debug, Args)]
struct ApplyArgs {
    /// Flow file, folder, or - for standard input
    #[arg(short, long = "file", required = true, value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
    /// Start all components afterwards
    #[arg(long)]
    start: bool,
    /// Stop components that run and that the files change, wait for their bodies, and start them again
    #[arg(long)]
    restart: bool,
}

#[derive(Debug, Args)]
struct FlowName {
    /// The flow
    #[arg(value_name = "[NAMESPACE/]FLOW")]
    flow: JobName,
}

#[derive(Debug, Args)]
struct ComponentNames {
    #[command(flatten)]
    name: FlowName,
    /// Its components; all of them where none is named
    #[arg(value_name = "COMPONENT")]
    components: Vec<String>,
}

#[derive(Debug, Args)]
struct ComponentName {
    #[command(flatten)]
    name: FlowName,
    /// Its component
    #[arg(value_name = "COMPONENT")]
    component: String,
}

#[derive(Debug, Args)]
struct HistoryArgs {
    #[command(flatten)]
    name: FlowName,
    /// This component or connection only
    #[arg(value_name = "COMPONENT|CONNECTION")]
    only: Option<String>,
    /// How many minutes back
    #[arg(long, default_value_t = 60, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1440))]
    minutes: u32,
}

#[derive(Debug, Args)]
struct PoolArgs {
    #[command(subcommand)]
    verb: PoolVerb,
}

#[derive(Debug, Subcommand)]
enum PoolVerb {
    /// List the pools of the node that answers
    List,
    /// Set the size of a pool on every node, or add one; bodies that run go on
    Set {
        /// The pool
        #[arg(value_name = "POOL")]
        name: String,
        /// How many bodies may run in it at once on each node
        #[arg(value_name = "SIZE", value_parser = clap::value_parser!(u32).range(1..=10_000))]
        size: u32,
    },
}

#[derive(Debug, Args)]
struct QueueArgs {
    #[command(subcommand)]
    verb: QueueVerb,
}

#[derive(Debug, Subcommand)]
enum QueueVerb {
    /// List items that wait, in the order in which they leave
    List {
        #[command(flatten)]
        name: FlowName,
        /// The connection: FROM:TO, or FROM:TO:RELATIONSHIP
        #[arg(value_name = "CONNECTION")]
        connection: String,
        /// How many at most
        #[arg(long, default_value_t = 100, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
    },
    /// Show what an item holds
    Look {
        #[command(flatten)]
        name: FlowName,
        /// Its id
        #[arg(value_name = "ITEM")]
        item: i64,
    },
    /// Remove items that wait: all of them, or one
    Drop {
        #[command(flatten)]
        name: FlowName,
        /// The connection: FROM:TO, or FROM:TO:RELATIONSHIP
        #[arg(value_name = "CONNECTION")]
        connection: String,
        /// This item only
        #[arg(long, value_name = "ITEM")]
        item: Option<i64>,
    },
    /// Move items that wait to another queue, where they are tried anew: all of them, or some
    Replay {
        #[command(flatten)]
        name: FlowName,
        /// The connection: FROM:TO, or FROM:TO:RELATIONSHIP
        #[arg(value_name = "CONNECTION")]
        connection: String,
        /// These items only
        #[arg(long, value_name = "ITEM")]
        item: Vec<i64>,
        /// Connection that they go to; the one that leads to the component from which they came when absent
        #[arg(long, value_name = "CONNECTION")]
        to: Option<String>,
    },
}

/// Draw the components of a flow and the queues between them
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring flow graph -f orders.yaml
  mainspring flow graph orders -f flows/ --format mermaid
  mainspring flow graph -f orders.yaml --format svg > orders.svg")]
struct GraphArgs {
    /// Name of the flow, if the files hold several
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Flow file, folder, or - for standard input
    #[arg(short, long = "file", required = true, value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
    /// Language of the drawing
    #[arg(long, value_enum, default_value_t, value_name = "LANGUAGE")]
    format: Language,
}

/// Does what was asked.
///
/// # Errors
/// Everything that is wrong with files (exit 9), `cli.flow` when they hold no such flow or several, and whatever the server
/// reports.
pub fn run(args: FlowArgs, output: &Output) -> Result {
    if let Verb::Graph(args) = &args.verb {
        return graph(args, output);
    }
    let session = args.connect.open()?;
    connect::block_on(async {
        match args.verb {
            Verb::Apply(args) => apply(&session, &args, output).await,
            Verb::List => output.list(&session.ask(session.client.flows()).await?, &FLOW),
            Verb::Get(name) => {
                let (namespace, flow) = name.of(&session);
                shown(&session.ask(session.client.flow(namespace, flow)).await?, output)
            }
            Verb::Delete(name) => {
                let (namespace, flow) = name.of(&session);
                session.ask(session.client.delete_flow(namespace, flow)).await?;
                output.note(format_args!("deleted {flow}"));
                Ok(())
            }
            Verb::Start(names) => change(&session, names, FlowAction::Start, output).await,
            Verb::Stop(names) => change(&session, names, FlowAction::Stop, output).await,
            Verb::RunOnce(names) => change(&session, names, FlowAction::RunOnce, output).await,
            Verb::Terminate(names) => change(&session, names, FlowAction::Terminate, output).await,
            Verb::Disable(names) => change(&session, names, FlowAction::Disable, output).await,
            Verb::Enable(names) => change(&session, names, FlowAction::Enable, output).await,
            Verb::Why(args) => {
                let (namespace, flow) = args.name.of(&session);
                let why = session.ask(session.client.flow_why(namespace, flow, &args.component)).await?;
                match output.form() {
                    Form::Table => {
                        output.text(&why.why)?;
                        at_nodes(std::slice::from_ref(&why), output)
                    }
                    _ => output.one(&why, &FLOW_COMPONENT),
                }
            }
            Verb::Log(args) => {
                let (namespace, flow) = args.name.of(&session);
                let lines = session.ask(session.client.flow_log(namespace, flow, &args.component)).await?;
                match output.form() {
                    Form::Table => lines.iter().try_for_each(|it| {
                        output.text(format_args!("{}  {}", output.style().at(Some(it.at)), it.text))
                    }),
                    _ => output.items(&lines),
                }
            }
            Verb::History(args) => {
                let (namespace, flow) = args.name.of(&session);
                let filter = FlowHistoryFilter { minutes: Some(args.minutes), of: args.only };
                let minutes = session.ask(session.client.flow_history(namespace, flow, filter)).await?;
                output.list(&moments(&minutes), &FLOW_MOMENT)
            }
            Verb::Queue(args) => queue(&session, args.verb, output).await,
            Verb::Pool(args) => match args.verb {
                PoolVerb::List => output.list(&session.ask(session.client.flow_pools()).await?, &FLOW_POOL),
                PoolVerb::Set { name, size } => {
                    let pool = session.ask(session.client.set_flow_pool(&name, size)).await?;
                    output.note(format_args!("pool {} has {} permits on each node", pool.name, pool.size));
                    Ok(())
                }
            },
            Verb::Graph(_) => unreachable!("a graph needs no server"),
        }
    })
}

impl FlowName {
    fn of<'a>(&'a self, session: &'a Session) -> (&'a str, &'a str) {
        (self.flow.namespace(&session.namespace), &self.flow.job)
    }
}

async fn apply(session: &Session, args: &ApplyArgs, output: &Output) -> Result {
    let (read, found) = files::check(&args.files, files::Foreign::Skipped, "UTC", &output.style().now())?;
    if !found.problems.is_empty() {
        return Err(files::invalid(found.problems));
    }
    output.warn(&found.warnings);
    if read.flows().is_empty() {
        return Err(Error::new(Exit::NotFound, Report::new("cli.flow", "the files hold no flow")));
    }
    let options = FlowSaveOptions { restart: args.restart.then_some(true) };
    for spec in read.flows() {
        // Files are checked in a namespace of their own.
        let namespace = match spec.namespace.as_deref() {
            None | Some("default") => session.namespace.as_str(),
            Some(namespace) => namespace,
        };
        let spec = mainspring_api::FlowSpec { namespace: Some(namespace.to_owned()), ..spec.clone() };
        let saved = session.ask(session.client.put_flow_with(namespace, &spec, &options)).await?;
        let mut told = "saved";
        if args.start {
            let change = FlowChange { action: FlowAction::Start, components: None };
            session.ask(session.client.change_flow(namespace, &spec.flow, &change)).await?;
            told = "saved and started";
        }
        output.note(format_args!("{told} {}/{}, version {}", namespace, spec.flow, saved.version));
    }
    Ok(())
}

async fn change(session: &Session, names: ComponentNames, action: FlowAction, output: &Output) -> Result {
    let (namespace, flow) = names.name.of(session);
    let components = (!names.components.is_empty()).then(|| names.components.clone());
    let change = FlowChange { action, components };
    shown(&session.ask(session.client.change_flow(namespace, flow, &change)).await?, output)
}

/// Components and queues as two tables, or all of it.
fn shown(flow: &Flow, output: &Output) -> Result {
    match output.form() {
        Form::Table => {
            output.list(&flow.components, &FLOW_COMPONENT)?;
            output.text("")?;
            output.list(&flow.connections, &FLOW_CONNECTION)?;
            at_nodes(&flow.components, output)?;
            for component in &flow.components {
                for it in &component.bulletins {
                    output.text(format_args!(
                        "{}  {}  {}: {}",
                        output.style().at(Some(it.at)),
                        it.level,
                        component.name,
                        it.message
                    ))?;
                }
            }
            Ok(())
        }
        Form::Name => flow.components.iter().try_for_each(|it| output.text(&it.name)),
        _ => output.document(flow),
    }
}

/// What components do that run on every node, as a table of its own.
fn at_nodes(components: &[FlowComponent], output: &Output) -> Result {
    let of = |component: &FlowComponent| {
        let name = component.name.clone();
        component.nodes.clone().into_iter().map(move |node| (name.clone(), node))
    };
    let nodes: Vec<_> = components.iter().flat_map(of).collect();
    if nodes.is_empty() {
        return Ok(());
    }
    output.text("")?;
    output.list(&nodes, &FLOW_NODE)
}

async fn queue(session: &Session, verb: QueueVerb, output: &Output) -> Result {
    let client = &session.client;
    match verb {
        QueueVerb::List { name, connection, limit } => {
            let (namespace, flow) = name.of(session);
            let filter = FlowItemFilter { limit: Some(limit), ..FlowItemFilter::default() };
            output.list(&session.ask(client.flow_queue(namespace, flow, &connection, filter)).await?, &FLOW_ITEM)
        }
        QueueVerb::Look { name, item } => {
            let (namespace, flow) = name.of(session);
            let content = session.ask(client.flow_item(namespace, flow, item)).await?;
            match output.form() {
                Form::Table => {
                    for (name, value) in &content.attributes {
                        output.text(format_args!("{name}: {value}"))?;
                    }
                    output.text("")?;
                    output.text(&content.payload)
                }
                _ => output.document(&content),
            }
        }
        QueueVerb::Drop { name, connection, item } => {
            let (namespace, flow) = name.of(session);
            let filter = FlowItemFilter { item, ..FlowItemFilter::default() };
            let dropped = session.ask(client.drop_flow_items(namespace, flow, &connection, filter)).await?;
            output.note(format_args!("removed {} items", dropped.items));
            Ok(())
        }
        QueueVerb::Replay { name, connection, item, to } => {
            let (namespace, flow) = name.of(session);
            let replay = FlowReplay { items: (!item.is_empty()).then_some(item), to };
            let replayed = session.ask(client.replay_flow_items(namespace, flow, &connection, &replay)).await?;
            output.note(format_args!("moved {} items", replayed.items));
            Ok(())
        }
    }
}

fn graph(args: &GraphArgs, output: &Output) -> Result {
    let (read, found) = files::check(&args.files, files::Foreign::Skipped, "UTC", &output.style().now())?;
    if !found.problems.is_empty() {
        return Err(files::invalid(found.problems));
    }
    let named = read.flows().iter().zip(&found.flows);
    let mut matching = named.filter(|(spec, _)| args.name.as_ref().is_none_or(|asked| *asked == spec.flow));
    match (matching.next(), matching.next()) {
        (Some((_, compiled)), None) => output.text(graph::draw_flow(&compiled.flow, args.format).trim_end()),
        (None, _) => {
            let message = match &args.name {
                Some(name) => format!("the files hold no flow \"{name}\""),
                None => "the files hold no flow".to_owned(),
            };
            Err(Error::new(Exit::NotFound, Report::new("cli.flow", message)))
        }
        (Some(_), Some(_)) => {
            let names: Vec<&str> = read.flows().iter().map(|spec| spec.flow.as_str()).collect();
            let message = format!("the files hold several flows: name one of {}", names.join(", "));
            Err(Error::new(Exit::Usage, Report::new("cli.flow", message)))
        }
    }
}
