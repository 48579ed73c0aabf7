//! `mainspring cluster …`.

use clap::{Args, Subcommand};
use mainspring_api::{Cluster, ClusterLateness, Node, NodeLateness, Reason};

use crate::connect::{self, ConnectArgs, Session};
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::output::Output;
use crate::views::{CLUSTER, LATENESS, NODE, SHARD, SHARD_MOVE};

/// Look at the nodes that share a database, and drain them
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring cluster status
  mainspring cluster nodes -o json
  mainspring cluster shards --node a
  mainspring cluster moves --node a                     which shards it took and gave lately
  mainspring cluster lateness                           how late runs were started lately
  mainspring cluster drain a --reason \"new kernel\"      its shards go to the other nodes
  mainspring cluster undrain a")]
pub struct ClusterArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Show the cluster as a whole
    Status,
    /// List the nodes
    Nodes,
    /// List the shards and their owners
    Shards {
        /// Only shards of this node, by name or incarnation
        #[arg(long, value_name = "NODE")]
        node: Option<String>,
    },
    /// List the last moves of shards from node to node, as the server that answers saw them since it started
    Moves {
        /// Only what this node took or gave, by name
        #[arg(long, value_name = "NODE")]
        node: Option<String>,
    },
    /// Show how late runs were started during the last minutes, on each node and altogether
    Lateness,
    /// Have a node give its shards to the others; what it runs goes on
    Drain(DrainArgs),
    /// Let a node take shards again
    Undrain(DrainArgs),
}

#[derive(Debug, Args)]
struct DrainArgs {
    /// Name or incarnation
    #[arg(value_name = "NODE")]
    node: String,
    /// Why; kept in the log of the server that is asked
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Does what the verb says.
///
/// # Errors
/// `node.not_found` with a suggestion, and whatever else the server reports.
pub fn run(args: ClusterArgs, output: &Output) -> Result {
    let session = args.connect.open()?;
    connect::block_on(async {
        match args.verb {
            Verb::Status => output.one(&session.ask(session.client.cluster()).await?, &CLUSTER),
            Verb::Nodes => output.list(&session.ask(session.client.nodes()).await?, &NODE),
            Verb::Shards { node } => shards(&session, node.as_deref(), output).await,
            Verb::Moves { node } => moves(&session, node.as_deref(), output).await,
            Verb::Lateness => lateness(&session, output).await,
            Verb::Drain(args) => drain(&session, args, true, output).await,
            Verb::Undrain(args) => drain(&session, args, false, output).await,
        }
    })
}

async fn shards(session: &Session, node: Option<&str>, output: &Output) -> Result {
    let mut cluster = session.ask(session.client.cluster()).await?;
    if let Some(name) = node {
        must_be_there(&cluster, name)?;
        let of_node = |part: &Option<String>| part.as_deref() == Some(name);
        cluster.shards.retain(|shard| of_node(&shard.node) || of_node(&shard.owner));
    }
    output.list(&cluster.shards, &SHARD)
}

/// Nodes that have left have moves, too, so that any name is taken.
async fn moves(session: &Session, node: Option<&str>, output: &Output) -> Result {
    let mut moves = session.ask(session.client.shard_moves()).await?;
    moves.retain(|one| node.is_none_or(|name| one.to == name || one.from.as_deref() == Some(name)));
    output.list(&moves, &SHARD_MOVE)
}

fn must_be_there(cluster: &Cluster, name: &str) -> Result {
    if cluster.nodes.iter().any(|node| node.name == name || node.id == name) {
        return Ok(());
    }
    let names = cluster.nodes.iter().map(|node| node.name.as_str());
    let hint = mainspring_api::did_you_mean(name, names.clone())
        .unwrap_or_else(|| format!("the nodes are {}", names.collect::<Vec<_>>().join(", ")));
    let report = Report::new("node.not_found", format!("there is no node {name:?}")).hint(hint);
    Err(Error::new(Exit::NotFound, report))
}

async fn lateness(session: &Session, output: &Output) -> Result {
    let ClusterLateness { cluster, mut nodes, .. } = session.ask(session.client.cluster_lateness()).await?;
    let sum = NodeLateness { node: "cluster".to_owned(), name: "all nodes".to_owned(), at: None, lateness: cluster };
    nodes.push(sum);
    output.list(&nodes, &LATENESS)
}

async fn drain(session: &Session, args: DrainArgs, drain: bool, output: &Output) -> Result {
    let reason = Reason { reason: args.reason, ..Reason::default() };
    let node: Node = match drain {
        true => session.ask(session.client.drain_node(&args.node, &reason)).await?,
        false => session.ask(session.client.undrain_node(&args.node, &reason)).await?,
    };
    let what = if drain { "is asked to give its shards up" } else { "may take shards again" };
    output.done(&node, &NODE, format_args!("{} {what}", node.name))?;
    output.hint("watch it: mainspring cluster nodes");
    Ok(())
}
