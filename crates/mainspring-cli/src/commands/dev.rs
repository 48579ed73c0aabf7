//! `mainspring dev`: a server to try things, with a temporary store and example jobs.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use mainspring_api::client::Client;
use mainspring_api::{ApplyOptions, Bundle, FlowAction, FlowChange, FlowSpec};
use mainspring_tasks::Allow;

use crate::error::Result;
use crate::node::{self, Node, NodeArgs, Place, TokenArgs};
use crate::output::{Output, counted};
use crate::{connect, examples, files};

/// Try it: a server with a temporary store and example jobs
#[derive(Debug, Args)]
#[command(mut_arg("grace", |grace| grace.default_value("3s")), after_help = "Examples:
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
    let (bundle, flows) = match &args.examples {
        Some(path) => files::read_all(std::slice::from_ref(path), files::Foreign::Skipped, output)?,
        None => {
            let now = output.style().now();
            (examples::bundle(listen.port(), &now)?, examples::flows(&now)?)
        }
    };
    let folder = node::temporary(tempfile::Builder::new().prefix("mainspring-dev-"))?;
    let place = Place { data: folder.path().to_owned(), store: None, token: TokenArgs::default() };
    let settings = settings(&args.node, listen, args.examples.is_none());
    node::block_on(async {
        let node = node::start(&settings, &place).await?;
        apply(&node, &bundle, &flows).await?;
        node.welcome(output)?;
        output.line(hints(&bundle))?;
        node.run(settings.grace, output).await
    })
}

/// The settings, and what the examples need: one calls its own server, and one is a script.
fn settings(args: &NodeArgs, listen: SocketAddr, has_examples: bool) -> NodeArgs {
    let mut settings = args.clone();
    settings.listen = listen;
    settings.scripts |= has_examples;
    settings.allow_outbound.push(Allow::Endpoint(listen));
    settings
}

/// Hands the jobs to the server as anybody would.
async fn apply(node: &Node, bundle: &Bundle, flows: &[FlowSpec]) -> Result {
    let token = connect::read_token(&node.token_file())?;
    let client = Client::builder(node.url()).program(connect::PROGRAM).token(token).by("mainspring dev");
    let client = client.build().map_err(connect::refused)?;
    let applied = client.apply(bundle, ApplyOptions { dry_run: false, prune: false }).await;
    applied.map(drop).map_err(connect::refused)?;
    for flow in flows {
        client.put_flow("default", flow).await.map_err(connect::refused)?;
        let change = FlowChange { action: FlowAction::Start, components: None };
        client.change_flow("default", &flow.flow, &change).await.map_err(connect::refused)?;
    }
    Ok(())
}

fn hints(bundle: &Bundle) -> String {
    let program = program();
    let has = |name: &str| bundle.jobs.iter().any(|job| job.name == name);
    let tries = [
        ("next", true),
        ("run list", true),
        ("run start hello -p who=world --follow", has("hello")),
        ("logs -f slow-report", has("slow-report")),
        ("job history write-sample-log", has("write-sample-log")),
        ("flow get orders", has("hello")),
    ];
    let tries = tries.iter().filter(|(_, fits)| *fits).map(|(words, _)| format!("\n  {program} {words}"));
    let jobs = counted(bundle.jobs.len(), "job");
    let verb = if bundle.jobs.len() == 1 { "is" } else { "are" };
    format!(
        "{jobs} {verb} at work in a temporary store; Ctrl-C ends. In another terminal, try:{}",
        tries.collect::<String>()
    )
}

/// How to call this program from the same folder: by name if the shell finds it, else by its path.
fn program() -> String {
    let Ok(path) = std::env::current_exe() else { return NAME.to_owned() };
    let folders = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&folders).any(|folder| folder.join(NAME).canonicalize().is_ok_and(|found| found == path)) {
        return NAME.to_owned();
    }
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(&path).display().to_string()
}

const NAME: &str = "mainspring";
