//! `mainspring dev`: a server to try things, with a temporary store and example jobs.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use mainspring_api::client::Client;
use mainspring_api::{ApplyOptions, Bundle};
use mainspring_tasks::Allow;

use crate::error::Result;
use crate::node::{self, Node, NodeArgs, Place};
use crate::output::Output;
use crate::{connect, examples, files};

/// Try it: a server with a temporary store and example jobs
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring dev
  mainspring dev --listen 127.0.0.1:0 --examples jobs/

Everything is gone when it ends.")]
pub struct DevArgs {
    /// Job file or folder to start with, in place of the built-in examples
    #[arg(long, value_name = "FILE|DIR")]
    examples: Option<PathBuf>,
    #[command(flatten)]
    node: NodeArgs,
}

/// Runs until a signal ends it.
///
/// # Errors
/// As `server`, and everything wrong with the files of `--examples`.
pub fn run(args: &DevArgs, output: &Output) -> Result {
    args.node.log.start()?;
    let listen = node::free_address(args.node.listen)?;
    let bundle = match &args.examples {
        Some(path) => files::read(std::slice::from_ref(path), "default")?.into_bundle(),
        None => examples::bundle(listen.port())?,
    };
    let folder = node::temporary(tempfile::Builder::new().prefix("mainspring-dev-"))?;
    let place = Place { data: folder.path().to_owned(), store: None };
    let settings = settings(&args.node, listen);
    node::block_on(async {
        let node = node::start(&settings, &place, false).await?;
        apply(&node, &bundle).await?;
        node.welcome(output)?;
        output.line(hints(&bundle))?;
        node.run(settings.grace, output).await
    })
}

/// The settings, and what the example that calls its own server needs.
fn settings(args: &NodeArgs, listen: SocketAddr) -> NodeArgs {
    let mut settings = args.clone();
    settings.listen = listen;
    settings.allow_outbound.push(Allow::Endpoint(listen));
    settings
}

/// Hands the jobs to the server as anybody would.
async fn apply(node: &Node, bundle: &Bundle) -> Result {
    let token = connect::read_token(&node.token_file())?;
    let client = Client::builder(node.url()).token(token).build().map_err(connect::refused)?;
    let applied = client.apply(bundle, ApplyOptions { dry_run: false, prune: false }).await;
    applied.map(drop).map_err(connect::refused)
}

fn hints(bundle: &Bundle) -> String {
    let has = |name: &str| bundle.jobs.iter().any(|job| job.name == name);
    let mut lines = vec![format!("{} jobs are applied; the store is temporary. In another terminal, try:", bundle.jobs.len())];
    lines.push("  mainspring next".to_owned());
    lines.push("  mainspring run list".to_owned());
    if has("hello") {
        lines.push("  mainspring run start hello -p who=world --follow".to_owned());
    }
    if has("disk-usage") {
        lines.push("  mainspring logs disk-usage".to_owned());
    }
    lines.push("  mainspring job list".to_owned());
    lines.join("\n")
}
