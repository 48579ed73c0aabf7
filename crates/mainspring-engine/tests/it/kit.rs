//! Short words for engines that share a database.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mainspring_core::Timestamp;
use mainspring_core::cluster::Status;
use mainspring_core::job::{Job, JobKey, ScheduleDefinition, Task, TriggerDefinition};
use mainspring_engine::{Clock, Engine, Handlers, NodeName, Settings, SystemClock};
use mainspring_store::conformance::kit::Draft;
use mainspring_store::{PostgresStore, RunQuery, Store, Tally};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Longer than anything here takes on the slowest machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub async fn open(address: &str) -> Arc<dyn Store> {
    let address = address.to_owned();
    let opened = tokio::task::spawn_blocking(move || PostgresStore::open(&address)).await;
    Arc::new(opened.expect("opening does not panic").expect("the database can be opened"))
}

pub async fn node(address: &str, name: &str) -> Engine {
    node_with(address, name, Arc::default()).await
}

pub async fn node_with(address: &str, name: &str, handlers: Arc<Handlers>) -> Engine {
    node_on(address, name, Arc::new(SystemClock), handlers).await
}

pub async fn node_on(address: &str, name: &str, clock: Arc<dyn Clock>, handlers: Arc<Handlers>) -> Engine {
    let node = NodeName { name: name.to_owned(), ..NodeName::default() };
    let mut settings = Settings { node, kill_grace: Duration::from_millis(100), ..Settings::default() };
    settings.planner.check_every_ms = Some(5_000);
    // The lease is that of servers; nodes look at each other more often, so that the tests begin sooner.
    (settings.cluster.renew_every_ms, settings.cluster.dwell_ms) = (500, 500);
    Engine::start_with(open(address).await, settings, clock, handlers).await.expect("the engine starts")
}

/// Does something to the database behind the store's back.
pub async fn sql(address: &str, text: &str) {
    let (client, connection) = tokio_postgres::connect(address, tokio_postgres::NoTls).await.expect("it is there");
    tokio::spawn(connection);
    client.batch_execute(text).await.expect("the database does it");
}

/// Waits until an engine sees the cluster so.
pub async fn sees(engine: &Engine, what: &str, is_so: impl Fn(&Status) -> bool) -> Arc<Status> {
    let mut status = engine.watch_cluster();
    let seen = status.wait_for(|status| status.as_ref().is_some_and(|status| is_so(status)));
    let seen = tokio::time::timeout(PATIENCE, seen).await;
    let seen = seen.map(|seen| seen.expect("the engine runs").clone());
    seen.unwrap_or_else(|_| panic!("{what}: never seen; last {:?}", engine.cluster_status())).expect("it is there")
}

pub async fn owns(engine: &Engine, shards: usize) {
    sees(engine, "shards", |status| status.trusted && status.owned.len() == shards).await;
}

/// What stands between nodes and their database.
pub struct Wire {
    /// The database's address by way of the wire.
    pub address: String,
    cut: watch::Sender<bool>,
}

impl Wire {
    /// Lays a wire to a database on this machine.
    pub async fn to(address: &str) -> Self {
        let config: tokio_postgres::Config = address.parse().expect("an address");
        let port = config.get_ports().first().copied().expect("an address with a port");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let ours = listener.local_addr().expect("it is bound").port();
        let (cut, is_cut) = watch::channel(false);
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let Ok(far) = TcpStream::connect(("127.0.0.1", port)).await else { continue };
                let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
                tokio::spawn(carry(near_in, far_out, is_cut.clone()));
                tokio::spawn(carry(far_in, near_out, is_cut.clone()));
            }
        });
        Self { address: address.replace(&format!(":{port}"), &format!(":{ours}")), cut }
    }

    /// Lets nothing through any more; nobody is told. Or everything again.
    pub fn cut(&self, cut: bool) {
        self.cut.send_replace(cut);
    }
}

async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut cut: watch::Receiver<bool>) {
    let mut bytes = vec![0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        let open = cut.wait_for(|cut| !cut).await.is_ok();
        if !open || to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}

/// Looks again and again until an answer is there.
pub async fn until<T, F: Future<Output = Option<T>>>(what: &str, mut look: impl FnMut() -> F) -> T {
    let begun = Instant::now();
    let mut alarm = SystemClock.alarm();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "{what}: never so");
        alarm.wait_until(SystemClock.now() + 20).await;
    }
}

/// Saves jobs that do nothing, each with a trigger for every second. Answers the first instant.
pub async fn save_ticking(store: &dyn Store, count: usize) -> Timestamp {
    let first = Timestamp::from_millis((SystemClock.now().as_millis() / 1_000 + 2) * 1_000);
    let draft = |number| {
        let job = Job::new(JobKey::new("default", format!("job-{number}")), Task::Noop);
        ticking(job, first)
    };
    store.save_jobs((0..count).map(draft).map(|draft| draft.0).collect()).await.expect("jobs are saved");
    first
}

pub fn ticking(job: Job, first: Timestamp) -> Draft {
    let schedule = ScheduleDefinition::Every { interval_ms: 1_000, repeat_count: None };
    let mut trigger = TriggerDefinition::new("each-second", schedule);
    trigger.start_at = Some(first);
    Draft::of(job).trigger_with(trigger, Some(first))
}

/// Waits until every instant up to `through` of so many triggers has its record.
pub async fn accounted(store: &dyn Store, count: usize, through: Timestamp) -> Vec<Tally> {
    until("every instant has a record", || async {
        let tally = store.tally().await.expect("counted");
        let complete = tally.len() == count && tally.iter().all(|tally| tally.last >= Some(through));
        complete.then_some(tally)
    })
    .await
}

/// How late the latest fire was recorded.
pub async fn latest_ms(store: &dyn Store) -> i64 {
    let runs = store.runs(RunQuery { limit: 10_000, ..RunQuery::default() }).await.expect("runs are listed");
    runs.iter().map(|run| run.created_at.since(run.due_at)).max().expect("there are runs")
}

/// Every instant since the first has fired exactly once.
pub fn assert_exact(tally: &[Tally], first: Timestamp) {
    for tally in tally {
        let last = tally.last.expect("it has fired");
        let instants = last.since(first).unsigned_abs() / 1_000 + 1;
        assert_eq!((tally.first, tally.fired, tally.duplicated), (Some(first), instants, 0), "{tally:?}");
        assert_eq!((tally.missed, tally.suppressed), (0, 0), "{tally:?}");
    }
}
