//! A database, nodes over it and workers of theirs in processes of their own, and the wires between them.

use std::io::Write;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use mainspring_api::client::Client;
use mainspring_rig::{Database, Flow, Host, Node, Program, Proxy, Server, Shutdown, Witness, Worker};
use mainspring_sim::Random;

use crate::Store;
use crate::audit::{self, Saw};
use crate::notes::Notes;

/// The time that a client waits for an answer.
const ANSWER: Duration = Duration::from_secs(2);
/// The time that a node may take to start again, whatever is done to its database meanwhile.
const START: Duration = Duration::from_secs(90);
/// The time by which a session holds its lock.
const HOLDS_AFTER_MS: u64 = 300;
pub(crate) const SHARDS: usize = 256;
/// The number of workers; only they claim from their queue.
pub(crate) const WORKERS: usize = 3;
pub(crate) const QUEUE: &str = "remote";
const SLOTS: &str = "8";
const DATABASE: &str = "torture";
/// Whose sessions those of the nodes are: nobody who may do more than they need.
const USER: &str = "nodes";

/// All of it. What it has started ends with it.
pub(crate) struct Cluster {
    store: Store,
    pub(crate) witness: Witness,
    pub(crate) clients: Arc<Clients>,
    /// The address by which the checker reaches the store: no fault cuts it.
    pub(crate) address: String,
    nodes: Vec<Option<Node>>,
    wires: Vec<Proxy>,
    workers: Vec<Option<Worker>>,
    /// The wires from each worker to each node.
    lines: Vec<Vec<Proxy>>,
    /// The hosts of the nodes, if each can have one.
    hosts: Vec<Host>,
    pub(crate) server: Option<Server>,
    /// Sessions that hold something, with the node whose it is.
    held: Vec<(Option<usize>, Child)>,
    /// The output of nodes and workers that are gone.
    said: Vec<String>,
    /// The output of those that had ended by themselves.
    ended: Vec<String>,
    program: Program,
    notes: Arc<Notes>,
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.notes.logs(self.logs());
    }
}

/// A client of each node.
#[derive(Default)]
pub(crate) struct Clients(Mutex<Vec<Client>>);

impl Clients {
    /// Returns a client of any node.
    pub(crate) fn any(&self, random: &mut Random) -> Client {
        random.pick(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).clone()
    }

    pub(crate) fn all(&self) -> Vec<Client> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, node: usize, client: Client) {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match clients.get_mut(node) {
            Some(known) => *known = client,
            None => clients.push(client),
        }
    }
}

impl Cluster {
    /// Starts everything, and waits until the nodes have shared the work out.
    pub(crate) async fn start(binary: PathBuf, store: Store, nodes: usize, notes: Arc<Notes>) -> Result<Self> {
        let program = Program::new(binary)?;
        let server = match store {
            Store::Postgres => Some(Database::Postgres.start()?),
            Store::Mariadb => Some(Database::Mariadb.start()?),
            Store::Sqlite => None,
        };
        let address = match &server {
            Some(server) => server.create_for(USER, DATABASE)?,
            None => format!("sqlite:{}", program.home().join("a/mainspring.db").display()),
        };
        let hosts = if server.is_some() { hosts(nodes)? } else { Vec::new() };
        let wires = match &server {
            Some(server) => (0..nodes).map(|node| wire(server.port(), hosts.get(node))).collect::<Result<_>>()?,
            None => Vec::new(),
        };
        // A node says where it leads to when it is there.
        let lines = |_| (0..nodes).map(|_| Proxy::to(0)).collect::<Result<Vec<_>>>();
        let lines = (0..WORKERS).map(lines).collect::<Result<_>>()?;
        let witness = Witness::new(program.home().join("witness"));
        let mut cluster = Self {
            store,
            witness,
            clients: Arc::default(),
            address,
            nodes: (0..nodes).map(|_| None).collect(),
            wires,
            workers: (0..WORKERS).map(|_| None).collect(),
            lines,
            hosts,
            server,
            held: Vec::new(),
            said: Vec::new(),
            ended: Vec::new(),
            program,
            notes,
        };
        for node in 0..nodes {
            cluster.set_clock(node, 0)?;
            cluster.start_node(node).await?;
        }
        cluster.shared().await?;
        if let Some(server) = &cluster.server {
            tokio::task::block_in_place(|| audit::watch(server, DATABASE))?;
        }
        for worker in 0..WORKERS {
            cluster.start_worker(worker)?;
            tokio::task::block_in_place(|| cluster.worker(worker)?.joined())?;
        }
        Ok(cluster)
    }

    /// Has nodes started with another binary from now on.
    pub(crate) fn upgrade(&mut self, binary: PathBuf) {
        self.program.upgrade(binary);
    }

    pub(crate) const fn is_alone(&self) -> bool {
        self.nodes.len() == 1
    }

    pub(crate) fn count(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, node: usize) -> Result<&Node> {
        self.nodes[node].as_ref().with_context(|| format!("node {} is not up", name(node)))
    }

    pub(crate) fn wire(&self, node: usize) -> &Proxy {
        &self.wires[node]
    }

    /// Returns whether each node has a host, and so a link that can be unplugged.
    pub(crate) const fn has_links(&self) -> bool {
        !self.hosts.is_empty()
    }

    /// Returns the host of a node.
    pub(crate) fn host(&self, node: usize) -> Result<&Host> {
        self.hosts.get(node).with_context(|| format!("node {} has no host of its own", name(node)))
    }

    /// Returns how much a node's wire has held up, lost or reset so far.
    pub(crate) fn harm_to(&self, node: usize) -> u64 {
        self.wires.get(node).map_or(0, Proxy::harm)
    }

    pub(crate) fn server(&mut self) -> Result<&mut Server> {
        self.server.as_mut().context("there is no database server")
    }

    /// Ends the database server as by a crash, and has a standby take its place: with another port, at the end of the same wires.
    pub(crate) fn promote(&mut self, standby: Server) -> Result<()> {
        self.server()?.stop(Shutdown::Immediate)?;
        standby.promote()?;
        self.wires.iter().for_each(|wire| wire.point_to(standby.port()));
        self.address = standby.address_of(USER, DATABASE);
        self.server = Some(standby);
        Ok(())
    }

    /// Has a session hold the row of a node's lease, or a snapshot of everything, for so long. Whether it does.
    pub(crate) async fn hold(&mut self, node: Option<usize>, for_ms: u64) -> Result<bool> {
        let server = self.server()?;
        let (begin, sleep) = match (server.database(), node) {
            (Database::Postgres, None) => ("BEGIN ISOLATION LEVEL REPEATABLE READ", "pg_sleep"),
            (Database::Postgres, Some(_)) => ("BEGIN", "pg_sleep"),
            (Database::Mariadb, None) => ("START TRANSACTION WITH CONSISTENT SNAPSHOT", "SLEEP"),
            // No other rows that it passes by.
            (Database::Mariadb, Some(_)) => {
                ("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; START TRANSACTION", "SLEEP")
            }
        };
        let held = match node.map(name) {
            None => "SELECT COUNT(*) FROM job".to_owned(),
            // Without a row there is nothing to hold, and it ends at once.
            Some(name) => format!("SELECT counter FROM node WHERE name = '{name}' FOR UPDATE"),
        };
        let seconds = Duration::from_millis(for_ms).as_secs_f64();
        let sql = format!("{begin}; WITH held AS ({held}) SELECT {sleep}({seconds}) FROM held LIMIT 1; ROLLBACK");
        let mut session = server.begin_in(DATABASE, &sql)?;
        crate::pause(HOLDS_AFTER_MS).await;
        let holds = session.try_wait()?.is_none();
        self.held.push((node, session));
        Ok(holds)
    }

    /// Waits until a session has let go, which it does after its time.
    pub(crate) fn let_go(&mut self, node: Option<usize>) -> Result<()> {
        let place = self.held.iter().position(|(whose, _)| *whose == node).context("what is let go of is held")?;
        let (_, mut session) = self.held.swap_remove(place);
        tokio::task::block_in_place(|| session.wait())?;
        Ok(())
    }

    /// Ends the sessions of all nodes. Whether there were any.
    pub(crate) fn end_sessions(&mut self) -> Result<bool> {
        Ok(self.server()?.end_sessions_of(USER)? > 0)
    }

    /// Lets the nodes together have no more sessions than so many from now on; those that they have they keep.
    pub(crate) fn limit_sessions(&mut self, most: Option<u32>) -> Result<()> {
        self.server()?.limit_sessions(USER, most)
    }

    /// Returns whether the nodes have as many sessions as they may have, so that further ones are refused.
    pub(crate) fn has_used_up(&self, most: u32) -> Result<bool> {
        let server = self.server.as_ref().context("there is no database server")?;
        Ok(server.sessions_of(USER)?.len() >= most as usize)
    }

    /// Takes a node out, to be ended.
    pub(crate) fn take(&mut self, node: usize) -> Result<Node> {
        let mut taken = self.nodes[node].take().with_context(|| format!("node {} is not up", name(node)))?;
        self.ended.extend(ended(&name(node), taken.has_ended()?));
        self.said.push(taken.log());
        Ok(taken)
    }

    /// Starts a node. While its database is away it ends, and is started again, as its keeper would.
    pub(crate) async fn start_node(&mut self, node: usize) -> Result<()> {
        let begun = Instant::now();
        let started = loop {
            match tokio::task::block_in_place(|| Node::start(self.command(node)?)) {
                Ok(started) => break started,
                Err(error) if begun.elapsed() > START => return Err(error),
                Err(_) => crate::pause(200).await,
            }
        };
        let token = std::fs::read_to_string(self.program.home().join("a/token"))?;
        let address = started.url.trim_start_matches("http://").parse().context("the address of a node")?;
        self.lines.iter().for_each(|lines| lines[node].lead_to(address));
        let client = Client::builder(&started.url).token(token.trim()).allow_plain_http().timeout(ANSWER).build()?;
        self.clients.set(node, client);
        self.nodes[node] = Some(started);
        Ok(())
    }

    fn command(&self, node: usize) -> Result<std::process::Command> {
        let (name, clock, host) = (name(node), clock_file(node), self.hosts.get(node));
        let listens = format!("{}:0", host.map_or(Ipv4Addr::LOCALHOST, Host::there));
        let mut arguments = vec!["server", "--node-name", &name, "--data", &name, "--listen", &listens];
        arguments.extend(["--queues", "default"]);
        // Slow work does not keep a node from being restarted.
        arguments.extend(["--grace", "5s", "--log", "warn", "--for-tests", "--clock-offset-file", &clock]);
        let address = match self.wires.get(node) {
            Some(wire) => wire.address(&self.address)?,
            None => self.address.clone(),
        };
        if self.store != Store::Sqlite {
            arguments.extend(["--store", &address]);
        }
        if self.program.home().join("a/token").exists() {
            arguments.extend(["--token-file", "a/token"]);
        }
        Ok(match host {
            Some(host) => self.program.command_on(host, &arguments),
            None => self.program.command(&arguments),
        })
    }

    pub(crate) fn worker(&self, worker: usize) -> Result<&Worker> {
        self.workers[worker].as_ref().with_context(|| format!("worker {worker} is not up"))
    }

    /// Takes a worker out, to be ended.
    pub(crate) fn take_worker(&mut self, worker: usize) -> Result<Worker> {
        let mut taken = self.workers[worker].take().with_context(|| format!("worker {worker} is not up"))?;
        self.ended.extend(ended(&worker_name(worker), taken.has_ended()?));
        self.said.push(taken.log());
        Ok(taken)
    }

    /// Starts a worker, with the journal that it has left. It joins when a node answers.
    pub(crate) fn start_worker(&mut self, worker: usize) -> Result<()> {
        let (name, servers) = (worker_name(worker), self.lines[worker].iter().map(|line| line.listens()));
        let servers: Vec<String> = servers.map(|listens| format!("http://{listens}")).collect();
        let mut arguments = vec!["worker", "--name", &name, "--data-dir", &name, "--queues", QUEUE, "--slots", SLOTS];
        arguments.extend(["--token-file", "a/token", "--kill-grace", "1s", "--log", "warn"]);
        arguments.extend(servers.iter().flat_map(|server| ["--server", server]));
        self.workers[worker] = Some(Worker::start(&mut self.program.command(&arguments))?);
        Ok(())
    }

    /// Holds up whatever a worker and the nodes say to each other, or lets it through again.
    pub(crate) fn cut_off(&self, worker: usize, is_off: bool) {
        self.lines[worker].iter().for_each(|line| line.set(if is_off { Flow::Hold } else { Flow::Pass }));
    }

    /// Returns how much a worker's wires have held up, lost or reset so far.
    pub(crate) fn harm_to_worker(&self, worker: usize) -> u64 {
        self.lines[worker].iter().map(Proxy::harm).sum()
    }

    /// Nodes and workers that have ended though nobody made them.
    pub(crate) fn ended(&mut self) -> Result<Vec<String>> {
        let mut found = std::mem::take(&mut self.ended);
        for (number, node) in self.nodes.iter_mut().enumerate() {
            let status = node.as_mut().map_or(Ok(None), Node::has_ended)?;
            found.extend(ended(&name(number), status));
        }
        for (number, worker) in self.workers.iter_mut().enumerate() {
            let status = worker.as_mut().map_or(Ok(None), Worker::has_ended)?;
            found.extend(ended(&worker_name(number), status));
        }
        Ok(found)
    }

    /// Says by how much a node's clock is off.
    pub(crate) fn set_clock(&self, node: usize, offset_ms: i64) -> Result<()> {
        // Renamed, so that nobody reads half of it.
        let (file, draft) = (self.program.home().join(clock_file(node)), self.program.home().join("clock.draft"));
        std::fs::write(&draft, format!("{offset_ms}\n"))?;
        Ok(std::fs::rename(draft, file)?)
    }

    /// Returns the shards that a node has, as the others see it.
    pub(crate) async fn shards_of(&self, node: usize) -> Vec<u8> {
        for (other, client) in self.clients.all().into_iter().enumerate() {
            if other != node
                && let Ok(cluster) = client.cluster().await
            {
                let is_its = |shard: &&mainspring_api::Shard| shard.node.as_deref() == Some(&name(node));
                return cluster.shards.iter().filter(is_its).filter_map(|shard| shard.number.try_into().ok()).collect();
            }
        }
        Vec::new()
    }

    /// Waits until each node has its share.
    pub(crate) async fn shared(&self) -> Result<()> {
        let begun = Instant::now();
        let fair = SHARDS / self.count()..=SHARDS.div_ceil(self.count());
        while begun.elapsed() < START {
            for client in self.clients.all() {
                if let Ok(cluster) = client.cluster().await
                    && cluster.nodes.iter().filter(|node| fair.contains(&(node.shards as usize))).count()
                        == self.count()
                {
                    return Ok(());
                }
            }
            crate::pause(100).await;
        }
        bail!("the nodes have not shared the shards for {} s", START.as_secs())
    }

    /// Ends a node that is the only one with access to its store.
    pub(crate) fn stop_all(&mut self) -> Result<()> {
        for node in 0..self.count() {
            let node = self.take(node)?;
            let (status, said) = tokio::task::block_in_place(|| node.stop())?;
            if !status.success() {
                bail!("a node that was asked to stop ended with {status}: {said}");
            }
        }
        Ok(())
    }

    /// Returns the database's records of leases and fires; empty for a file.
    pub(crate) fn saw(&self) -> Result<Vec<Saw>> {
        let read = |server| tokio::task::block_in_place(|| audit::read(server, DATABASE));
        self.server.as_ref().map_or(Ok(Vec::new()), read)
    }

    /// Returns the output of all nodes and workers, including those that are gone.
    pub(crate) fn logs(&self) -> Vec<String> {
        let nodes = self.nodes.iter().flatten().map(Node::log);
        let workers = self.workers.iter().flatten().map(Worker::log);
        self.said.iter().cloned().chain(nodes).chain(workers).collect()
    }
}

/// Returns a host for each node; none, where that is not allowed.
fn hosts(nodes: usize) -> Result<Vec<Host>> {
    match (0..).take(nodes).map(Host::new).collect() {
        Ok(hosts) => Ok(hosts),
        Err(error) => {
            writeln!(std::io::stderr(), "no host is unplugged: {error:#}")?;
            Ok(Vec::new())
        }
    }
}

/// Returns a wire to the database for a node: from its host, if it has one.
fn wire(database: u16, host: Option<&Host>) -> Result<Proxy> {
    Proxy::at(host.map_or(Ipv4Addr::LOCALHOST, Host::here), database)
}

/// Returns the name of a node, and of its folder.
pub(crate) fn name(node: usize) -> String {
    char::from(b'a' + u8::try_from(node).unwrap_or(25)).to_string()
}

pub(crate) fn worker_name(worker: usize) -> String {
    format!("worker-{worker}")
}

/// Returns a message about a process that has ended by itself.
fn ended(name: &str, status: Option<ExitStatus>) -> Option<String> {
    status.map(|status| format!("{name} has ended by itself, with {status}"))
}

fn clock_file(node: usize) -> String {
    format!("clock-{}", name(node))
}
