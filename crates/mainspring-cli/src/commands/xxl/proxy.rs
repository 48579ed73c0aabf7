//! `mainspring xxl proxy`: an executor of an old admin, whose runs are done by jobs here.

mod follow;
mod serve;
mod state;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use mainspring_xxl::{Address, Admin, Client, ClientLimits, Passed, PassedId, Tokens};
use tokio::net::TcpListener;
use tokio::signal::unix::SignalKind;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use self::state::State;
use crate::connect::Session;
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::output::{Output, counted};
use crate::{name, node};

/// How often the proxy says that it is there, as executors do.
const BEAT: Duration = Duration::from_secs(30);

/// Pass runs of an old XXL-JOB on to jobs here, so that groups move one by one
///
/// Registers with the old server as an executor of the app. A run that it is sent starts the job here whose label xxl-id has the number of
/// its job there, with its parameter, and its end is reported. The jobs here stay paused meanwhile. TERM or Ctrl-C takes it out of the old
/// server's list; what is not reported by then is reported by the next start with the same state file.
#[derive(Debug, Args)]
pub struct ProxyArgs {
    /// Address of the old server, as its executors have it; may be repeated, one for each of its nodes
    #[arg(long = "old-admin", value_name = "URL", value_parser = address, required = true)]
    old_admins: Vec<Address>,
    /// App, which is the executor group there
    #[arg(long, value_name = "APP", value_parser = name::plain)]
    app: String,
    /// File with the access token of the old server in its first line; - is the standard input
    #[arg(long, value_name = "FILE")]
    old_token_file: Option<PathBuf>,
    /// Where it listens
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9999")]
    listen: SocketAddr,
    /// How the old server reaches it; http:// and where it listens when absent
    #[arg(long, value_name = "URL", value_parser = address)]
    address: Option<Address>,
    /// File with what is under way; xxl-proxy-APP.json in the current folder when absent
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
}

fn address(text: &str) -> Result<Address, String> {
    Address::parse(text).map_err(|error| error.to_string())
}

/// What its tasks share.
struct Proxy {
    app: String,
    namespace: String,
    client: mainspring_api::client::Client,
    admin: Admin,
    /// The token that the old server must show; nothing where it has none.
    tokens: Option<Tokens>,
    state: State,
    /// Runs that are to be followed to their ends.
    begun: mpsc::UnboundedSender<PassedId>,
    /// Tells those who follow runs that some of them are to be ended.
    killed: watch::Sender<()>,
}

/// Passes runs on until a signal.
///
/// # Errors
/// A file or an address that cannot be used, and a server that does not answer.
pub fn run(session: Session, args: ProxyArgs, output: &Output) -> Result {
    node::block_on(pass(session, args, output))
}

async fn pass(session: Session, args: ProxyArgs, output: &Output) -> Result {
    let mut terminate = node::listen_to(SignalKind::terminate())?;
    let mut interrupt = node::listen_to(SignalKind::interrupt())?;
    let token = args.old_token_file.as_deref().map(old_token).transpose()?;
    session.ask(session.client.info()).await?;
    let listener =
        TcpListener::bind(args.listen).await.map_err(|error| cannot(&format!("listen at {}", args.listen), &error))?;
    let bound = listener.local_addr().map_err(|error| cannot("listen", &error))?;
    let address = reached(args.address.as_ref(), bound)?;
    let (begun, beginning) = mpsc::unbounded_channel();
    let proxy = Arc::new(proxy(session, &args, token, begun)?);
    if proxy.tokens.is_none() && !bound.ip().is_loopback() {
        let text = format!("whoever reaches {bound} can start the jobs of {}: give the old server a token", proxy.app);
        crate::notes::warning("xxl.no_token", text);
    }
    let left = proxy.state.read(|passing| passing.open().iter().map(Passed::id).collect::<Vec<_>>());
    if !left.is_empty() {
        output.note(format_args!("{} of the last time to be reported", counted(left.len(), "run")));
    }
    left.into_iter().for_each(|id| proxy.follow(id));
    let mut tasks = JoinSet::new();
    tasks.spawn(serve::serve(Arc::clone(&proxy), listener));
    tasks.spawn(follow::all(Arc::clone(&proxy), beginning));
    let beat = tasks.spawn(beat(Arc::clone(&proxy), address.clone()));
    output.line(format_args!("passing runs of {} on; the old server calls {address}", proxy.app))?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        _ = tasks.join_next() => return Err(cannot("go on", &"a task has ended")),
    }
    // It answers until the old server knows, so that nothing is sent to a closed port.
    beat.abort();
    if let Err(error) = proxy.admin.leave(&address).await {
        output.note(format_args!("the old server was not told: {error}"));
    }
    tasks.shutdown().await;
    let open = proxy.state.read(|passing| passing.open().len());
    if open > 0 {
        output.note(format_args!("{} not reported: start it again with the same --state", counted(open, "run")));
    }
    Ok(())
}

/// How the old server reaches it.
fn reached(said: Option<&Address>, bound: SocketAddr) -> Result<Address> {
    match said {
        Some(said) => Ok(said.clone()),
        None if bound.ip().is_unspecified() => Err(Error::usage("--listen names no address of this machine")
            .hint("say with --address how the old server reaches it")),
        None => address(&format!("http://{bound}")).map_err(Error::usage),
    }
}

/// The token of the old server. A file without one is no way to say that there is none: whoever reaches the proxy could start jobs.
fn old_token(file: &Path) -> Result<String> {
    let token = super::first_line(file)?;
    if token.is_empty() {
        return Err(Error::usage(format!("{} has no token in its first line", file.display()))
            .hint("leave --old-token-file out if the old server has none"));
    }
    Ok(token)
}

fn proxy(
    session: Session,
    args: &ProxyArgs,
    token: Option<String>,
    begun: mpsc::UnboundedSender<PassedId>,
) -> Result<Proxy> {
    let calls = Client::new(ClientLimits { answer_ms: 10_000, ..ClientLimits::default() });
    let calls = calls.map_err(|error| cannot("make a client", &error))?;
    let admin = Admin::new(calls, &args.old_admins, &args.app, token.clone())
        .map_err(|error| Error::usage(error.to_string()))?;
    let state = args.state.clone().unwrap_or_else(|| PathBuf::from(format!("xxl-proxy-{}.json", args.app)));
    Ok(Proxy {
        tokens: token.map(|token| Tokens::new([token])),
        app: args.app.clone(),
        namespace: session.namespace,
        client: session.client,
        admin,
        state: State::open(&state)?,
        begun,
        killed: watch::Sender::new(()),
    })
}

impl Proxy {
    /// Has a run followed to its end.
    fn follow(&self, id: PassedId) {
        // The receiver is there for as long as this is.
        let _sent = self.begun.send(id);
    }
}

/// Says again and again that the proxy is there.
async fn beat(proxy: Arc<Proxy>, address: Address) {
    let mut beat = tokio::time::interval(BEAT);
    let mut was_well = true;
    loop {
        beat.tick().await;
        let why = proxy.admin.register(&address).await.err();
        match &why {
            Some(why) if was_well => crate::notes::note(format_args!("the old server takes no registration: {why}")),
            None if !was_well => crate::notes::note("the old server takes registrations again"),
            _ => {}
        }
        was_well = why.is_none();
    }
}

fn cannot(what: &str, error: &dyn std::fmt::Display) -> Error {
    Error::new(Exit::Failure, Report::new("xxl.proxy", format!("cannot {what}: {error}")))
}
