//! Nodes in processes of their own over a database, with work for them, and the accounting for it afterwards.

use mainspring_api::{ApplyOptions, Bundle, Cluster, Node};
use mainspring_core::Timestamp;
use mainspring_core::run::RunState;
use mainspring_engine::{Clock, SystemClock};
use mainspring_rig::{Bounds, Database, History, Proxy, Replication, Report, Server, Witness, check};
use mainspring_store::conformance::kit;
use mainspring_store::{RunQuery, Store};
use serde_json::json;

use crate::live::Live;
use crate::program::Program;
use crate::wait::until;

/// Jobs that do nothing: their instants are what is counted.
const IDLE_JOBS: usize = 30;

/// A database of the test, and nodes over it that the command line finds in the same home.
pub struct Arena {
    pub program: Program,
    pub address: String,
    pub runtime: tokio::runtime::Runtime,
    pub witness: Witness,
}

impl Arena {
    /// Over a database on the server that all tests share.
    pub fn shared() -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let address = runtime.block_on(kit::postgres());
        Self::over(address, runtime)
    }

    /// Over a server of its own, to be broken.
    pub fn own(database: Database) -> (Self, Server) {
        let server = database.start().unwrap();
        let address = server.create("arena").unwrap();
        (Self::over(address, tokio::runtime::Runtime::new().unwrap()), server)
    }

    /// Over a server of its own that a standby follows, by way of a wire that can lead to either.
    pub fn followed(replication: Replication) -> (Self, Followed) {
        let server = Database::Postgres.start().unwrap();
        let address = server.create("arena").unwrap();
        let standby = server.standby(replication).unwrap();
        let wire = Proxy::to(server.port()).unwrap();
        let arena = Self::over(wire.address(&address).unwrap(), tokio::runtime::Runtime::new().unwrap());
        (arena, Followed { server, standby, wire })
    }

    fn over(address: String, runtime: tokio::runtime::Runtime) -> Self {
        let program = Program::new();
        let witness = Witness::new(program.home().join("witness"));
        Self { program, address, runtime, witness }
    }

    /// Starts a node.
    pub fn start(&self, name: &str) -> Live {
        self.start_at(name, &self.address, &[])
    }

    /// Starts a node that finds the database elsewhere. The first one makes the token, which the others are given.
    pub fn start_at(&self, name: &str, address: &str, more: &[&str]) -> Live {
        Live::start_with(&self.program, &self.node(name, address, more))
    }

    /// Starts a node again where it was.
    pub fn restart(&self, name: &str, listen: &str, more: &[&str]) -> Live {
        Live::start_on(&self.program, listen, &self.node(name, &self.address, more))
    }

    fn node<'a>(&self, name: &'a str, address: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let token = self.program.home().join("a/token");
        let mut arguments = vec!["server", "--store", address, "--node-name", name, "--data", name];
        if token.exists() {
            arguments.extend(["--token-file", "a/token"]);
        }
        arguments.extend(more);
        arguments
    }

    /// Three nodes that have shared the shards out.
    pub fn three(&self) -> [Live; 3] {
        let nodes = ["a", "b", "c"].map(|name| self.start(name));
        self.sees(&nodes[0], "three nodes share the shards", shared_by(3));
        nodes
    }

    pub fn wait<T>(&self, what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
        self.runtime.block_on(until(what, look))
    }

    /// Waits until a node sees the cluster so.
    pub fn sees(&self, node: &Live, what: &str, is_so: impl Fn(&Cluster) -> bool) -> Cluster {
        let client = node.client();
        self.wait(what, async || client.cluster().await.ok().filter(&is_so))
    }

    /// Waits until an instant has passed by the machine's clock.
    pub fn pass(&self, at: Timestamp) {
        self.runtime.block_on(async { SystemClock.alarm().wait_until(at).await });
    }

    /// The nodes with the one first that fires a job.
    pub fn owner_first(&self, mut nodes: [Live; 3], job: &str) -> [Live; 3] {
        let cluster = self.sees(&nodes[0], "the cluster", |_| true);
        let shard = &cluster.shards[usize::from(mainspring_core::shard_of("default", job))];
        let address = |node: &Node| node.name == *shard.node.as_ref().unwrap();
        let url = cluster.nodes.iter().find(|node| address(node)).and_then(|node| node.address.clone()).unwrap();
        nodes.sort_by_key(|node| node.url != url);
        nodes
    }

    /// Gives the nodes work: many jobs that do nothing, and some that bear witness.
    pub fn work(&self, node: &Live) {
        let mut jobs: Vec<_> = (0..IDLE_JOBS)
            .map(|number| {
                let every = format!("{}s", number % 3 + 1);
                json!({"name": format!("tick-{number}"), "noop": true, "schedule": {"every": every}})
            })
            .collect();
        let line = |work| self.witness.line(work);
        for number in 0..3 {
            jobs.push(json!({"name": format!("work-{number}"), "run": line("true"), "schedule": {"every": "2s"}}));
        }
        jobs.push(json!({"name": "slow", "run": line("sleep 3"), "schedule": {"every": "2s"}}));
        jobs.push(json!({
            "name": "again", "run": line("sleep 3"), "schedule": {"every": "2s"}, "on_lost": "retry", "retries": 3
        }));
        jobs.push(json!({"name": "alone", "run": line("sleep 0.7"), "schedule": {"every": "1s"}, "overlap": "skip"}));
        self.apply(node, &json!({ "jobs": jobs }));
        self.recorded(SystemClock.now());
    }

    pub fn apply(&self, node: &Live, jobs: &serde_json::Value) {
        let bundle: Bundle = serde_json::from_value(jobs.clone()).unwrap();
        let options = ApplyOptions { dry_run: false, prune: false };
        self.runtime.block_on(node.client().apply(&bundle, options)).unwrap();
    }

    /// Waits until every trigger has a record of an instant after the given one.
    pub fn recorded(&self, at: Timestamp) {
        let store = self.store();
        self.wait("every trigger goes on", async || {
            let info = store.info().await.ok()?;
            let tallies = store.tally().await.ok()?;
            let on = tallies.iter().filter(|tally| tally.last > Some(at)).count();
            (on as u64 == info.triggers).then_some(())
        });
        self.runtime.block_on(store.close()).unwrap();
    }

    /// Waits until all that was due by now is recorded and over, and reads what came of it.
    pub fn history(&self) -> History {
        let through = SystemClock.now();
        self.recorded(through);
        let store = self.store();
        let open = RunQuery {
            states: RunState::ALL.iter().copied().filter(|state| !state.is_final()).collect(),
            ..RunQuery::default()
        };
        self.wait("what was due is over", async || {
            let open = store.runs(RunQuery { limit: 1_000, ..open.clone() }).await.ok()?;
            open.iter().all(|run| run.fire_time > through).then_some(())
        });
        let history = self.runtime.block_on(History::read(&*store, &self.witness, through)).unwrap();
        self.runtime.block_on(store.close()).unwrap();
        history
    }

    /// Accounts for all that was due by now.
    pub fn accounted(&self, bounds: Bounds) -> Report {
        let report = check(&self.history(), bounds);
        assert!(report.problems.is_empty(), "{report}");
        assert!(report.starts > 0 && report.instants > 30, "{report}");
        report
    }

    /// The store, by a way that no test cuts.
    pub fn store(&self) -> std::sync::Arc<dyn Store> {
        self.store_at(&self.address)
    }

    /// The store at another address.
    pub fn store_at(&self, address: &str) -> std::sync::Arc<dyn Store> {
        self.wait("the store can be opened", async || mainspring_store::open(address).await.ok())
    }
}

/// A server, what follows it, and the wire that leads to one of them.
pub struct Followed {
    pub server: Server,
    pub standby: Server,
    pub wire: Proxy,
}

/// Each of so many nodes has its share of all shards.
pub fn shared_by(count: usize) -> impl Fn(&Cluster) -> bool {
    move |cluster| cluster.nodes.len() == count && fair(cluster, count)
}

/// So many nodes have their share of all shards, and the others have none.
pub fn dealt_to(count: usize) -> impl Fn(&Cluster) -> bool {
    move |cluster| fair(cluster, count)
}

fn fair(cluster: &Cluster, count: usize) -> bool {
    let fair = |node: &&Node| (256 / count..=256_usize.div_ceil(count)).contains(&(node.shards as usize));
    cluster.nodes.iter().filter(fair).count() == count && cluster.shards.iter().all(|shard| shard.node.is_some())
}

/// The incarnation of a node, as another sees it.
pub fn incarnation(cluster: &Cluster, of: &Live) -> String {
    let is = |node: &&Node| node.address.as_deref() == Some(&of.url);
    cluster.nodes.iter().find(is).expect("the node is there").id.clone()
}
