//! One server process: what `server` and `dev` start, and how signals end it.

use std::future::Future;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use mainspring_engine::{
    Clock, Engine, GuardedClock, NodeName, Queues, RetentionRule, ShiftedClock, StartError, Stopped, SystemClock,
};
use mainspring_server::Server;
use mainspring_tasks::{Allow, OutboundPolicy};
use tempfile::TempDir;
use tokio::runtime::{Handle, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::discovery::{self, Registered, Registration};
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::logging::LogArgs;
use crate::output::{Output, counted};
use crate::{LEASH, advertise, descriptors, impatience, name, time_value};

/// What those who wait for a run have to hear of its end.
const LINGER_MS: i64 = 300;
/// What remains for requests when runs have ended.
const REQUESTS_GRACE: Duration = Duration::from_secs(2);

/// What `server` and `dev` have in common.
#[derive(Debug, Clone, Args)]
pub struct NodeArgs {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, env = "MAINSPRING_LISTEN", default_value = "127.0.0.1:7070", value_name = "ADDRESS", value_parser = socket_address)]
    pub listen: SocketAddr,
    /// Address by which the other nodes of a cluster reach this one: http://HOST:PORT or https://HOST/PATH; that of --listen when absent
    #[arg(long, env = "MAINSPRING_ADVERTISE", value_name = "URL", value_parser = advertise::url)]
    pub advertise: Option<String>,
    /// Name of this node in lists and logs; the host's name when absent
    #[arg(long, env = "MAINSPRING_NODE_NAME", value_name = "NAME", value_parser = name::plain)]
    pub node_name: Option<String>,
    /// Zone of triggers that name none
    #[arg(long, env = "MAINSPRING_DEFAULT_TIMEZONE", default_value = "UTC", value_name = "ZONE")]
    pub default_timezone: String,
    /// Runs at a time; 0 leaves them all to workers
    #[arg(long, env = "MAINSPRING_SLOTS", default_value_t = 64, value_name = "N", value_parser = clap::value_parser!(u32).range(..=100_000))]
    pub slots: u32,
    /// Queues that it takes runs from itself, all when absent; what waits in others is for workers
    #[arg(long, env = "MAINSPRING_QUEUES", value_delimiter = ',', value_name = "QUEUE", value_parser = name::plain)]
    pub queues: Vec<String>,
    /// Time that runs and bodies of flows have to finish when the server is asked to stop
    #[arg(long, env = "MAINSPRING_GRACE", default_value = "30s", value_name = "DURATION", value_parser = time_value::duration)]
    pub grace: Duration,
    /// Time that a process has between TERM and KILL when its run is cancelled, its component is terminated, or it takes too long
    #[arg(long, env = "MAINSPRING_KILL_GRACE", default_value = "10s", value_name = "DURATION", value_parser = time_value::duration)]
    pub kill_grace: Duration,
    /// How long final runs are kept, with their attempts, logs, and instants that did not fire
    #[arg(long, env = "MAINSPRING_KEEP_HISTORY", default_value = "30d", value_name = "DURATION", value_parser = time_value::duration)]
    pub keep_history: Duration,
    /// Final runs kept of each job, however young the others are; as many as there are when absent
    #[arg(long, env = "MAINSPRING_KEEP_RUNS", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub keep_runs: Option<u32>,
    /// How long events are kept for those who follow them
    #[arg(long, env = "MAINSPRING_KEEP_EVENTS", default_value = "1h", value_name = "DURATION", value_parser = time_value::duration)]
    pub keep_events: Duration,
    /// What HTTP tasks may reach beyond public addresses: loopback, private, any, NETWORK, ADDRESS[:PORT], HOST
    #[arg(long, env = "MAINSPRING_ALLOW_OUTBOUND", value_delimiter = ',', value_name = "WHAT")]
    pub allow_outbound: Vec<Allow>,
    /// Execute jobs of the kind `script`, whose text and interpreter the job names
    #[arg(long, env = "MAINSPRING_SCRIPTS")]
    pub scripts: bool,
    /// Where XXL-JOB executors may be beyond public addresses, in the same words; when absent private, and loopback if it listens there
    #[arg(long, env = "MAINSPRING_ALLOW_EXECUTORS", value_delimiter = ',', value_name = "WHAT")]
    pub allow_executors: Vec<Allow>,
    /// Answer the form endpoints of XXL-JOB's console (/jobinfo/add and others), for scripts that call them
    #[arg(long, env = "MAINSPRING_XXL_FORMS")]
    pub xxl_forms: bool,
    /// Path that console and API are under, such as /jobs; a proxy may take it off or pass it on
    #[arg(long, env = "MAINSPRING_BASE_PATH", default_value = "", hide_default_value = true, value_name = "PATH")]
    pub base_path: String,
    /// Address by which browsers reach the server through a proxy: https://HOST or https://HOST/PATH
    #[arg(long, env = "MAINSPRING_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,
    /// Start although the database file lacks acknowledged changes, or its log is damaged: a restored backup, a lost log
    #[arg(long)]
    pub accept_data_loss: bool,
    /// The server's own log.
    #[command(flatten)]
    pub log: LogArgs,
    /// A clock that is wrong on purpose.
    #[command(flatten)]
    pub clock: ClockArgs,
}

/// How tests of clusters set the clock of one node. Shown nowhere: a clock that is wrong fires at wrong times.
#[derive(Debug, Clone, Default, Args)]
pub struct ClockArgs {
    /// File that says by how many milliseconds this node's clock is off; read again and again
    #[arg(long, env = "MAINSPRING_CLOCK_OFFSET_FILE", hide = true, requires = "for_tests", value_name = "FILE")]
    clock_offset_file: Option<PathBuf>,
    /// Admits settings that are of use to tests only
    #[arg(long, env = "MAINSPRING_FOR_TESTS", hide = true)]
    for_tests: bool,
}

/// Where a node keeps things.
#[derive(Debug, Clone)]
pub struct Place {
    /// Folder of token and working folders, and of the store if nothing else is said.
    pub data: PathBuf,
    /// Address of the store, if it is not in the folder.
    pub store: Option<String>,
    /// What opens the API.
    pub token: TokenArgs,
}

/// What opens the API of a server.
#[derive(Debug, Clone, Default, Args)]
pub struct TokenArgs {
    /// Make a new access token, print it, and forget the one before; with --token-file, take that one
    #[arg(long)]
    pub reset_token: bool,
    /// Print a new access token and the link of the console also where stdout is no terminal, such as into a journal
    #[arg(long, env = "MAINSPRING_PRINT_TOKEN")]
    pub print_token: bool,
    /// File with the access token, in place of one that the first start makes; the nodes of a cluster have the same
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// File with a second token, without which nobody adds or changes a script; the nodes of a cluster have the same
    #[arg(long, value_name = "FILE")]
    pub script_token_file: Option<PathBuf>,
}

/// A running node.
pub struct Node {
    engine: Arc<Engine>,
    server: Server,
    terminate: Signal,
    interrupt: Signal,
    data: PathBuf,
    /// Whether secrets are printed though stdout is no terminal.
    shows_token: bool,
    /// Declared last: whatever else is given up first may still answer a request.
    requests: Requests,
    _registered: Option<Registered>,
}

/// The threads on which requests are answered. They end with the value, without waiting for what they do.
struct Requests(Option<Runtime>);

impl Requests {
    fn start() -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().thread_name("requests").enable_all().build();
        let runtime =
            runtime.map_err(|error| failed("cli.runtime", "cannot start the threads for requests", &error))?;
        Ok(Self(Some(runtime)))
    }

    fn handle(&self) -> Option<Handle> {
        self.0.as_ref().map(|runtime| runtime.handle().clone())
    }
}

impl Drop for Requests {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Runs a future on all cores.
///
/// # Errors
/// Whatever the future reports.
pub fn block_on<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| failed("cli.runtime", "cannot start the runtime", &error))?.block_on(future)
}

/// Makes a folder that goes when the value does.
///
/// # Errors
/// When there is no place for temporary files.
pub fn temporary(builder: &tempfile::Builder<'_, '_>) -> Result<TempDir> {
    builder.tempdir().map_err(|error| Error::file("make a folder in", &std::env::temp_dir(), &error))
}

/// Finds the address that a listener would get, and leaves it free: a store is not touched for a port that is taken.
///
/// # Errors
/// `server.listen` with what is in the way.
pub fn free_address(wanted: SocketAddr) -> Result<SocketAddr> {
    TcpListener::bind(wanted).and_then(|listener| listener.local_addr()).map_err(|error| {
        let report = Report::new("server.listen", format!("cannot listen on {wanted}: {error}"));
        Error::new(
            Exit::Failure,
            report.hint("stop the program that listens there, or choose another: --listen ADDRESS"),
        )
    })
}

/// Opens the store, starts the engine, and listens.
///
/// # Errors
/// `schedule.zone`, `store.unusable`, `node.too_old`, `server.listen`, `server.start`; nothing runs then.
pub async fn start(args: &NodeArgs, place: &Place) -> Result<Node> {
    // From here on a signal waits for the node to be up, in place of killing it half-way.
    impatience::watch()?;
    descriptors::raise();
    let terminate = listen_to(SignalKind::terminate())?;
    let interrupt = listen_to(SignalKind::interrupt())?;
    let requests = Requests::start()?;
    let zone = time_value::zone(&args.default_timezone)?;
    let clock = args.clock.clock()?;
    make_private(&place.data)?;
    let inside = || format!("sqlite:{}", place.data.join("mainspring.db").display());
    let address = place.store.clone().unwrap_or_else(inside);
    let options =
        mainspring_store::Options { accept_data_loss: args.accept_data_loss, ..mainspring_store::Options::default() };
    let store = mainspring_store::open_with(&address, options).await.map_err(|error| unusable(&address, &error))?;
    // Nodes of a cluster have another clock to ask.
    let clock = if store.cluster().is_none() { Arc::new(GuardedClock::new(clock)) } else { clock };
    let listen = free_address(args.listen)?;
    let name = args.name();
    let mut settings = engine_settings(args, &place.data);
    let advertised = args.advertise.clone().unwrap_or_else(|| advertise::of_listener(listen));
    settings.node = NodeName { address: advertised.clone(), name: name.clone() };
    let engine = Engine::start_with(store, settings, clock, Arc::default()).await;
    let engine = Arc::new(engine.map_err(|error| match error {
        StartError::TooOld { .. } => failed("node.too_old", "", &error),
        error => failed("server.start", "cannot start the engine", &error),
    })?);
    let settings = mainspring_server::Settings {
        listen,
        data_dir: Some(place.data.clone()),
        default_timezone: zone.iana_name().unwrap_or("UTC").to_owned(),
        reset_token: place.token.reset_token,
        token_file: place.token.token_file.clone(),
        script_token_file: place.token.script_token_file.clone(),
        node_name: Some(name),
        slots: args.slots,
        base_path: args.base_path.clone(),
        public_url: args.public_url.clone(),
        requests: requests.handle(),
        connections: None,
        xxl_forms: args.xxl_forms,
        executors: (!args.allow_executors.is_empty()).then(|| outbound(&args.allow_executors)),
        inspect: None,
    };
    let server = match Server::start(Arc::clone(&engine), settings).await {
        Ok(server) => server,
        Err(error) => {
            // The other nodes need not find out that this one is gone.
            if let Some(engine) = Arc::into_inner(engine) {
                let _said_below = engine.stop(Duration::ZERO).await;
            }
            return Err(failed("server.start", "cannot start the server", &error));
        }
    };
    if engine.store().cluster().is_some() {
        tokio::spawn(advertise::warn(advertised));
    }
    let registered = register(&server, &place.data);
    Ok(Node {
        engine,
        server,
        terminate,
        interrupt,
        data: place.data.clone(),
        shows_token: place.token.reset_token || place.token.print_token,
        requests,
        _registered: registered,
    })
}

impl Node {
    /// The base of its API.
    pub fn url(&self) -> String {
        format!("http://{}", self.server.address())
    }

    /// The file with its token.
    pub fn token_file(&self) -> PathBuf {
        token_file(&self.server, &self.data)
    }

    /// Says where it is and, the first time, what opens it.
    ///
    /// # Errors
    /// Fails when stdout cannot be written.
    pub fn welcome(&self, output: &Output) -> Result {
        output.line(format_args!("mainspring {} on {}", env!("CARGO_PKG_VERSION"), self.url()))?;
        // What is no terminal is mostly a journal or a file, which more people read than may have the token.
        let asked = output.is_terminal() || self.shows_token;
        if let Some(token) = self.server.first_token().filter(|_| asked) {
            output.line(format_args!("access token: {token}   (shown once)"))?;
        }
        if asked {
            let link = self.server.login_link();
            output.line(format_args!("console:      {link}   (signs in one browser, within 10 minutes)"))?;
        } else {
            output.line(format_args!("console:      {}   (sign in: mainspring console)", self.server.console_url()))?;
        }
        match self.server.token_file() {
            Some(file) => output.line(format_args!("token file:   {}", file.display())),
            // The store knows the token's hash only, so a further node of a cluster cannot write it down.
            None => output.line(format_args!(
                "token file:   none here; the token that the store was set up with opens this server too\n\
                 \x20             give its file to the command line, or start with it: --token-file FILE"
            )),
        }
    }

    /// Works until a signal, then drains: starts nothing new, lets runs end within `grace`, stops.
    ///
    /// # Errors
    /// Exit 1 or 130 when a second signal ended it at once; `store.close` when the store could not be closed.
    pub async fn run(mut self, grace: Duration, output: &Output) -> Result {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            least = self.engine.too_old() => output.note(format_args!(
                "this is version {}, and the store is for version {least} and newer now; upgrade this node and start it again",
                env!("CARGO_PKG_VERSION")
            )),
        }
        output.note(format_args!("draining: runs have {} s to finish; a second signal ends them", grace.as_secs()));
        self.engine.drain();
        let engine = Arc::clone(&self.engine);
        let (mut terminate, mut interrupt) = (self.terminate, self.interrupt);
        let (server, kept, _requests) = (self.server, self.engine, self.requests);
        let stop = async move {
            // Requests are answered for as long as runs go on: people watch them end.
            let draining_at = SystemClock.now();
            let _ = tokio::time::timeout(grace, engine.idle()).await;
            if SystemClock.now() > draining_at {
                SystemClock.alarm().wait_until(SystemClock.now() + LINGER_MS).await;
            }
            drop(engine);
            server.stop(REQUESTS_GRACE).await;
            match Arc::into_inner(kept) {
                Some(engine) => engine.stop(Duration::ZERO).await,
                None => Ok(Stopped::Clean),
            }
        };
        let stopped = tokio::select! {
            stopped = stop => stopped,
            _ = terminate.recv() => return Err(Error::silent(Exit::Failure)),
            _ = interrupt.recv() => return Err(Error::silent(Exit::Interrupted)),
        };
        match stopped.map_err(|error| failed("store.close", "cannot close the store", &error))? {
            Stopped::Clean => output.note("stopped"),
            Stopped::Cancelled(runs) => {
                output.note(format_args!("stopped; the grace period ended {}", counted(runs as usize, "run")))
            }
        }
        Ok(())
    }
}

impl ClockArgs {
    /// The machine's clock, if nothing else is said.
    fn clock(&self) -> Result<Arc<dyn Clock>> {
        let Some(file) = &self.clock_offset_file else { return Ok(Arc::new(SystemClock)) };
        let clock =
            ShiftedClock::new(file).map_err(|error| Error::file("read the offset of the clock from", file, &error))?;
        tracing::warn!(file = %file.display(), "this node's clock is off, as a test wants it");
        Ok(Arc::new(clock))
    }
}

impl NodeArgs {
    /// What this node is called.
    pub fn name(&self) -> String {
        self.node_name.clone().unwrap_or_else(host_name)
    }
}

/// The host's name, if it can be a node's.
pub fn host_name() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if mainspring_api::is_valid_name(&name) { name } else { "node".to_owned() }
}

fn token_file(server: &Server, data: &Path) -> PathBuf {
    server.token_file().cloned().unwrap_or_else(|| data.join("token"))
}

/// How this program executes shell lines, programs and HTTP calls, with working folders in `data`.
pub fn tasks(data: &Path, allow_outbound: &[Allow], scripts: bool) -> mainspring_tasks::Settings {
    let mut tasks = mainspring_tasks::Settings::new(data.join("work"));
    // This program itself, also after an upgrade has replaced its file.
    tasks.leash = Some(PathBuf::from("/proc/self/exe")).filter(|path| path.exists());
    tasks.leash_args = std::iter::once(LEASH.to_owned()).chain(descriptors::argument()).collect();
    tasks.outbound = outbound(allow_outbound);
    tasks.scripts = scripts;
    tasks
}

fn outbound(exceptions: &[Allow]) -> OutboundPolicy {
    exceptions.iter().cloned().fold(OutboundPolicy::default(), OutboundPolicy::allow)
}

fn engine_settings(args: &NodeArgs, data: &Path) -> mainspring_engine::Settings {
    let tasks = tasks(data, &args.allow_outbound, args.scripts);
    let retention = RetentionRule {
        history_ms: whole_ms(args.keep_history),
        history_keep_per_job: args.keep_runs,
        events_ms: whole_ms(args.keep_events),
        ..RetentionRule::default()
    };
    let mut settings =
        mainspring_engine::Settings { tasks: Some(tasks), retention, ..mainspring_engine::Settings::default() };
    settings.planner.slots = args.slots;
    settings.planner.group_ms = mainspring_core::planner::GROUP_MS;
    settings.kill_grace = args.kill_grace;
    if !args.queues.is_empty() {
        settings.queues = Queues::named(args.queues.iter().map(String::as_str));
    }
    settings
}

/// Reads an address to listen on: `127.0.0.1:7070`, `localhost:7070`, or `:7070` for every address of the machine.
fn socket_address(text: &str) -> Result<SocketAddr, String> {
    if let Some(port) = text.strip_prefix(':').and_then(|port| port.parse().ok()) {
        return Ok(SocketAddr::from(([0, 0, 0, 0], port)));
    }
    let expected = || "expected an address and a port, such as 127.0.0.1:7070, localhost:7070 or :7070".to_owned();
    let found: Vec<_> = text.to_socket_addrs().map_err(|_| expected())?.collect();
    // Of a name with addresses of both kinds, the one that more programs can reach.
    found.iter().find(|it| it.is_ipv4()).or(found.first()).copied().ok_or_else(expected)
}

/// Milliseconds as the engine counts them. Beyond what it can count, things are kept for a thousand years.
fn whole_ms(duration: Duration) -> i64 {
    const MOST: i64 = 1_000 * 365 * 86_400_000;
    i64::try_from(duration.as_millis()).unwrap_or(MOST).min(MOST)
}

/// Tells the command line on this machine; a server that cannot do so is found by `--server` and `--token-file`.
fn register(server: &Server, data: &Path) -> Option<Registered> {
    let registration = Registration {
        address: server.address(),
        token_file: std::path::absolute(token_file(server, data)).ok()?,
        data: std::path::absolute(data).ok(),
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let folder = discovery::folder()?;
    discovery::register(&folder, &registration)
        .inspect_err(|error| tracing::warn!(%error, "the command line will not find this server by itself"))
        .ok()
}

/// Makes a folder for this user alone, unless it is there.
///
/// # Errors
/// It cannot be made.
pub fn make_private(folder: &Path) -> Result {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| Error::file("make the folder", folder, &error))
}

/// Begins to listen to a signal, which ends nothing by itself from then on.
///
/// # Errors
/// The system says no.
pub fn listen_to(kind: SignalKind) -> Result<Signal> {
    signal(kind).map_err(|error| failed("cli.runtime", "cannot listen to signals", &error))
}

/// A store that cannot be used. What to do about a file is in its error; a database needs somebody to make it.
pub fn unusable(address: &str, error: &dyn std::error::Error) -> Error {
    let failed = failed("store.unusable", "", error);
    match address.split_once("://").map(|(scheme, _)| scheme) {
        Some("postgres" | "postgresql") => {
            failed.hint("say postgres://USER:PASSWORD@HOST/DATABASE of a database that exists: createdb makes one")
        }
        Some("mysql" | "mariadb") => {
            failed.hint("say mysql://USER:PASSWORD@HOST/DATABASE of a database that exists: CREATE DATABASE makes one")
        }
        _ => failed,
    }
}

/// A failure with its chain of causes, after what was attempted if the error does not say that.
pub fn failed(code: &str, attempt: &str, error: &dyn std::error::Error) -> Error {
    let mut message = if attempt.is_empty() { error.to_string() } else { format!("{attempt}: {error}") };
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        // Some errors repeat their cause in their own words.
        if !message.contains(&text) {
            message += &format!(": {text}");
        }
        cause = error.source();
    }
    Error::new(Exit::Failure, Report::new(code, message))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        node: NodeArgs,
    }

    #[test]
    fn the_engine_keeps_things_as_long_as_it_is_told() {
        let rule = |arguments: &[&str]| {
            let all = std::iter::once("x").chain(arguments.iter().copied());
            engine_settings(&Arguments::parse_from(all).node, Path::new("data")).retention
        };
        assert_eq!(rule(&[]), RetentionRule::default());
        let told = rule(&["--keep-history", "7d", "--keep-runs", "5", "--keep-events", "90s"]);
        let expected = RetentionRule {
            history_ms: 7 * 86_400_000,
            history_keep_per_job: Some(5),
            events_ms: 90_000,
            ..RetentionRule::default()
        };
        assert_eq!(told, expected);
        assert!(Arguments::try_parse_from(["x", "--keep-history", "-1d"]).is_err());
        assert!(Arguments::try_parse_from(["x", "--keep-runs", "0"]).is_err());
        let error = Arguments::try_parse_from(["x", "--listen", "7070"]).err().unwrap().to_string();
        assert!(error.contains("127.0.0.1:7070"), "{error}");
    }

    #[test]
    fn a_node_is_called_as_told_or_like_its_host() {
        let parse = |arguments: &[&str]| Arguments::try_parse_from(["x"].iter().chain(arguments));
        assert_eq!(parse(&["--node-name", "north-1"]).unwrap().node.name(), "north-1");
        assert_eq!(parse(&[]).unwrap().node.name(), host_name());
        let error = parse(&["--node-name", "a b"]).err().unwrap().to_string();
        assert!(error.contains("1 to 128"), "{error}");
    }

    #[test]
    fn addresses_are_read_as_people_write_them() {
        for (text, address) in [
            ("127.0.0.1:7070", "127.0.0.1:7070"),
            (":7070", "0.0.0.0:7070"),
            ("localhost:7070", "127.0.0.1:7070"),
            ("[::1]:7070", "[::1]:7070"),
        ] {
            assert_eq!(socket_address(text), Ok(address.parse().unwrap()), "{text}");
        }
        for wrong in ["7070", "127.0.0.1", ":", ":x", "127.0.0.1:99999"] {
            assert!(socket_address(wrong).is_err(), "{wrong}");
        }
    }
}
