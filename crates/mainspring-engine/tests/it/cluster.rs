//! Engines that share a PostgreSQL: who fires what, and what happens when one of them goes.

use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use mainspring_core::cluster::{Shard, ShardSet, Standing};
use mainspring_core::job::{Job, JobKey, OnLost, ScheduleDefinition, Task, TriggerDefinition};
use mainspring_core::run::RunState;
use mainspring_core::{RunId, Timestamp, shard_of};
use mainspring_engine::control::{Ask, SaveMode};
use mainspring_engine::{Alarm, Clock, Engine, Handlers, RunContext, ShiftedClock, SystemClock};
use mainspring_store::conformance::kit::postgres;
use mainspring_store::{Expect, RunInfo, RunQuery, Store};

use crate::kit::{
    Wire, accounted, assert_exact, latest_ms, node, node_on, node_with, open, owns, save_ticking, sees, until,
};

const TRIGGERS: usize = 200;
const SHARDS: usize = 256;

async fn two_nodes(address: &str) -> (Engine, Engine) {
    let (a, b) = tokio::join!(node(address, "a"), node(address, "b"));
    owns(&a, SHARDS / 2).await;
    owns(&b, SHARDS / 2).await;
    (a, b)
}

fn fired(engine: &Engine) -> u64 {
    engine.metrics().fires.get_or_create(&mainspring_engine::Outcome { outcome: "fired" }).get()
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_share_the_shards_evenly_and_fire_every_instant_once() {
    let address = postgres().await;
    let (a, b) = two_nodes(&address).await;
    assert!(a.is_ready() && b.is_ready());
    let first = save_ticking(&**a.store(), TRIGGERS).await;
    accounted(&**b.store(), TRIGGERS, first + 3_000).await;
    a.drain();
    b.drain();
    a.idle().await;
    b.idle().await;
    let tally = a.store().tally().await.unwrap();
    assert_exact(&tally, first);
    // Also the first ones: each node heard of the jobs that were saved through the other.
    let late_ms = latest_ms(&**a.store()).await;
    assert!(late_ms < 1_000, "{late_ms} ms");
    let (by_a, by_b) = (fired(&a), fired(&b));
    assert_eq!(a.metrics().window_corrections.get() + b.metrics().window_corrections.get(), 0);
    assert_eq!(by_a + by_b, tally.iter().map(|tally| tally.fired).sum::<u64>());
    assert!(by_a.min(by_b) * 2 > by_a.max(by_b), "{by_a} and {by_b}");
    a.stop(Duration::from_secs(5)).await.unwrap();
    b.stop(Duration::from_secs(5)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn node_that_dies_is_replaced_and_nothing_is_lost_or_doubled() {
    let address = postgres().await;
    let nodes = [node(&address, "a").await, node(&address, "b").await, node(&address, "c").await];
    for node in &nodes {
        sees(node, "a third", |status| (85..=86).contains(&status.owned.len())).await;
    }
    let [a, b, c] = nodes;
    let first = save_ticking(&**b.store(), TRIGGERS).await;
    accounted(&**b.store(), TRIGGERS, first).await;
    drop(a);
    let died = Instant::now();
    owns(&b, SHARDS / 2).await;
    owns(&c, SHARDS / 2).await;
    let taken = died.elapsed();
    assert!(taken <= Duration::from_secs(8), "it took {taken:?}");
    let through = SystemClock.now() + 1_000;
    assert_exact(&accounted(&**b.store(), TRIGGERS, through).await, first);
    assert_eq!(b.metrics().window_corrections.get() + c.metrics().window_corrections.get(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn drained_node_hands_its_shards_over_at_once() {
    let address = postgres().await;
    let (a, b) = two_nodes(&address).await;
    let first = save_ticking(&**a.store(), TRIGGERS).await;
    accounted(&**b.store(), TRIGGERS, first).await;
    let begun = Instant::now();
    a.drain();
    owns(&b, SHARDS).await;
    let taken = begun.elapsed();
    assert!(taken <= Duration::from_secs(1), "it took {taken:?}");
    a.stop(Duration::from_secs(5)).await.unwrap();
    let seen = sees(&b, "one node", |status| status.nodes.len() == 1).await;
    assert_eq!(seen.incarnation, b.incarnation());
    let through = SystemClock.now() + 1_000;
    assert_exact(&accounted(&**b.store(), TRIGGERS, through).await, first);
}

#[tokio::test(flavor = "multi_thread")]
async fn node_asked_to_drain_through_another_gives_its_shards_up_and_takes_them_again() {
    let address = postgres().await;
    let (a, b) = two_nodes(&address).await;
    let cluster = b.store().cluster().unwrap();
    assert!(cluster.ask_drain(a.incarnation(), true).await.unwrap());
    owns(&b, SHARDS).await;
    assert!(cluster.ask_drain(a.incarnation(), false).await.unwrap());
    owns(&a, SHARDS / 2).await;
}

/// Set forward, an hour of instants seems to have been missed; set back, what has fired is yet to come.
#[tokio::test(flavor = "multi_thread")]
async fn node_whose_clock_is_set_fires_and_misses_nothing_by_it() {
    let address = postgres().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("offset");
    let set = |ms: i64| std::fs::write(&file, ms.to_string()).unwrap();
    set(0);
    let a = node(&address, "a").await;
    let clock = Arc::new(ShiftedClock::new(&file).unwrap());
    let b = node_on(&address, "b", clock, Arc::default()).await;
    let first = save_ticking(&**a.store(), TRIGGERS).await;
    for step_ms in [3_600_000, -3_600_000] {
        owns(&a, SHARDS / 2).await;
        owns(&b, SHARDS / 2).await;
        accounted(&**a.store(), TRIGGERS, SystemClock.now()).await;
        set(step_ms);
        sees(&b, "its clock is off", |status| status.standing == Standing::ClockOff && status.owned.is_empty()).await;
        owns(&a, SHARDS).await;
        set(0);
    }
    owns(&b, SHARDS / 2).await;
    let through = SystemClock.now() + 1_000;
    assert_exact(&accounted(&**a.store(), TRIGGERS, through).await, first);
}

/// What a node with a wrong clock is asked to do is done at the right time, also just after that clock was set.
#[tokio::test(flavor = "multi_thread")]
async fn requests_through_a_node_with_a_wrong_clock_go_by_the_right_one() {
    let address = postgres().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("offset");
    let set = |ms: i64| std::fs::write(&file, ms.to_string()).unwrap();
    set(0);
    let _a = node(&address, "a").await;
    let clock = Arc::new(ShiftedClock::new(&file).unwrap());
    let b = node_on(&address, "b", clock, Arc::default()).await;
    let right = |at: Timestamp| assert!(at.since(SystemClock.now()).abs() < 60_000, "{at}");
    owns(&b, SHARDS / 2).await;
    for step_ms in [3_600_000, -3_600_000] {
        set(step_ms);
        right(b.control().now());
        sees(&b, "its clock is off", |status| status.standing == Standing::ClockOff).await;
        right(b.control().now());
        let mut job = Job::new(JobKey::new("default", "a"), Task::Noop);
        let schedule = ScheduleDefinition::Every { interval_ms: 600_000, repeat_count: None };
        job.triggers.push(TriggerDefinition::new("t", schedule));
        let saved = b.control().save(vec![(Arc::new(job), Expect::Absent)], SaveMode::Commit).await.unwrap();
        let job = saved[0].saved.as_ref().unwrap();
        right(job.updated_at);
        let key = &job.definition.key;
        let trigger = &b.store().prior(key).await.unwrap().triggers[0];
        right(trigger.row.progress.start_at);
        right(b.control().run_now(key, Ask::default()).await.unwrap().fire_time);
        b.control().pause_job(key).await.unwrap();
        right(b.control().resume_job(key).await.unwrap().updated_at);
        b.control().delete_job(key, Expect::Anything).await.unwrap();
        set(0);
        right(b.control().now());
        owns(&b, SHARDS / 2).await;
    }
}

/// The clock is set by the first of several runs that were recorded together, so that the others begin and all of them end after
/// that. What follows an attempt counts from its end: by the wrong clock a retry would come an hour late.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_node_executes_while_its_clock_is_wrong_is_recorded_at_the_right_time() {
    const RUNS: usize = 8;
    let address = postgres().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("offset");
    let set = |ms: i64| std::fs::write(&file, ms.to_string()).unwrap();
    set(0);
    let (over, is_over) = tokio::sync::watch::channel(0_i64);
    let begins = |on_a: bool| {
        let (handlers, file, is_over) = (Handlers::default(), file.clone(), is_over.clone());
        handlers.register("work", move |run: RunContext| {
            let (mut is_over, step_ms) = (is_over.clone(), run.input()["step_ms"].as_i64().expect("a number"));
            let fails = run.attempt() == 1;
            if fails && !on_a {
                std::fs::write(&file, step_ms.to_string()).expect("the folder is there");
            }
            async move {
                is_over.wait_for(|over| *over == step_ms).await.expect("the test goes on");
                if fails { Err("once") } else { Ok(serde_json::Value::Null) }
            }
        });
        Arc::new(handlers)
    };
    let a = node_with(&address, "a", begins(true)).await;
    let b = node_on(&address, "b", Arc::new(ShiftedClock::new(&file).unwrap()), begins(false)).await;
    for step_ms in [3_600_000, -3_600_000] {
        owns(&a, SHARDS / 2).await;
        let owned = sees(&b, "its half", |status| status.trusted && status.owned.len() == SHARDS / 2).await.owned;
        let mut names = (0..).map(|number| format!("job-{step_ms}-{number}"));
        let name = names.find(|name| owned.contains(Shard(shard_of("default", name)))).unwrap();
        let begun = SystemClock.now();
        let mut job = Job::new(JobKey::new("default", name), Task::Handler { name: "work".into() });
        job.input = serde_json::json!({ "step_ms": step_ms });
        job.retry.count = 1;
        for number in 0..RUNS {
            let schedule = ScheduleDefinition::At { at: begun + 2_000 };
            job.triggers.push(TriggerDefinition::new(format!("t{number}"), schedule));
        }
        a.control().save(vec![(Arc::new(job), Expect::Absent)], SaveMode::Commit).await.unwrap();
        sees(&b, "its clock is off", |status| status.standing == Standing::ClockOff).await;
        over.send_replace(step_ms);
        let runs = until("all have succeeded", || async {
            let query = RunQuery { limit: 1_000, ..RunQuery::default() };
            let runs = a.store().runs(query).await.unwrap();
            let of_the_step = runs.into_iter().filter(|run| run.created_at >= begun);
            let over: Vec<_> = of_the_step.filter(|run| run.state == RunState::Succeeded).collect();
            (over.len() == RUNS).then_some(over)
        })
        .await;
        let right = |at: Option<Timestamp>| (begun..=SystemClock.now()).contains(&at.expect("it is known"));
        for run in runs {
            for attempt in a.store().attempts(run.id).await.unwrap() {
                let times = [attempt.claimed_at, attempt.started_at, attempt.ended_at];
                assert!(times.into_iter().all(right), "{attempt:?}");
            }
        }
        set(0);
    }
}

/// The lock keeps events from being added, so that batches do not get through.
#[tokio::test(flavor = "multi_thread")]
async fn shards_are_handed_over_when_the_outcome_of_every_batch_is_known() {
    let address = postgres().await;
    let (a, b) = two_nodes(&address).await;
    let first = save_ticking(&**a.store(), TRIGGERS).await;
    accounted(&**b.store(), TRIGGERS, first).await;
    let (mut client, connection) = tokio_postgres::connect(&address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let lock = client.transaction().await.unwrap();
    lock.execute("LOCK TABLE event IN SHARE ROW EXCLUSIVE MODE", &[]).await.unwrap();
    let now = SystemClock.now();
    SystemClock.alarm().wait_until(now + 1_200).await;
    a.drain();
    sees(&a, "it gives up", |status| status.releasing.len() == SHARDS / 2).await;
    SystemClock.alarm().wait_until(now + 3_000).await;
    let status = a.cluster_status().unwrap();
    assert_eq!((status.owned.len(), status.releasing.len()), (0, SHARDS / 2));
    assert_eq!(b.cluster_status().unwrap().owned.len(), SHARDS / 2);
    lock.rollback().await.unwrap();
    owns(&b, SHARDS).await;
    let through = SystemClock.now() + 1_000;
    assert_exact(&accounted(&**b.store(), TRIGGERS, through).await, first);
}

/// The lock keeps the node's row, so that renewals do not get through; its fence stays.
#[tokio::test(flavor = "multi_thread")]
async fn node_that_cannot_renew_fires_nothing_once_its_trust_has_ended() {
    let address = postgres().await;
    let a = node(&address, "a").await;
    owns(&a, SHARDS).await;
    let first = save_ticking(&**a.store(), TRIGGERS).await;
    accounted(&**a.store(), TRIGGERS, first).await;
    let (mut client, connection) = tokio_postgres::connect(&address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let lock = client.transaction().await.unwrap();
    lock.execute("SELECT * FROM node FOR UPDATE", &[]).await.unwrap();
    sees(&a, "trust ends", |status| !status.trusted).await;
    assert!(!a.is_ready());
    let before = a.store().tally().await.unwrap();
    let later = SystemClock.now() + 2_500;
    SystemClock.alarm().wait_until(later).await;
    assert_eq!(a.store().tally().await.unwrap(), before);
    assert!(before.iter().all(|tally| tally.last < Some(later - 1_000)), "{before:?}");
    lock.rollback().await.unwrap();
    assert_exact(&accounted(&**a.store(), TRIGGERS, later).await, first);
    assert_eq!(a.metrics().lease_lost.get(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn buried_node_comes_back_as_another_incarnation() {
    let address = postgres().await;
    let a = node(&address, "a").await;
    owns(&a, SHARDS).await;
    let first = save_ticking(&**a.store(), TRIGGERS).await;
    accounted(&**a.store(), TRIGGERS, first).await;
    let (before, undertaker) = (a.incarnation(), open(&address).await);
    undertaker.cluster().unwrap().bury(before, None).await.unwrap();
    let back = |status: &mainspring_core::cluster::Status| {
        status.incarnation != before && status.trusted && status.owned == ShardSet::ALL
    };
    let seen = sees(&a, "it is back", back).await;
    assert_eq!(seen.incarnation, a.incarnation());
    assert_eq!(a.metrics().lease_lost.get(), 1);
    let through = SystemClock.now() + 1_000;
    assert_exact(&accounted(&**a.store(), TRIGGERS, through).await, first);
    a.stop(Duration::from_secs(5)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn job_paused_through_another_node_fires_no_more() {
    const JOBS: usize = 20;
    let address = postgres().await;
    let (a, b) = two_nodes(&address).await;
    let first = save_ticking(&**a.store(), JOBS + 1).await;
    accounted(&**b.store(), JOBS + 1, first + 1_000).await;
    let mut paused = Vec::new();
    for number in 0..JOBS {
        let through = if number % 2 == 0 { &a } else { &b };
        through.control().pause_job(&JobKey::new("default", format!("job-{number}"))).await.unwrap();
        let tally = b.store().tally().await.unwrap();
        paused.push(tally.into_iter().nth(number).unwrap());
    }
    let later = SystemClock.now() + 2_000;
    let now = until("the other one goes on", || async {
        let tally = b.store().tally().await.unwrap();
        (tally[JOBS].last >= Some(later)).then_some(tally)
    });
    assert_eq!(now.await[..JOBS], paused);
    assert_eq!(a.metrics().window_corrections.get() + b.metrics().window_corrections.get(), 0);
}

#[tokio::test]
async fn times_that_do_not_fit_each_other_are_refused() {
    let store = open(&postgres().await).await;
    let mut settings = mainspring_engine::Settings::default();
    settings.cluster.lease_ms = 3_000;
    let error = Engine::start(Arc::clone(&store), settings.clone()).await.unwrap_err().to_string();
    assert!(error.contains("lease_ms (3000 ms) must be at least 5 * renew_every_ms"), "{error}");
    settings.cluster.lease_ms = 5_000;
    settings.kill_grace = Duration::from_secs(13);
    let error = Engine::start(store, settings).await.unwrap_err().to_string();
    assert!(error.contains("must be below worker_ttl_ms"), "{error}");
}

/// A node alone with two running runs that do not end by themselves: one that is failed if it is lost, one that is tried again.
async fn node_with_runs(address: &str, clock: Arc<dyn Clock>, handlers: Arc<Handlers>) -> (Engine, RunId, RunId) {
    let a = node_on(address, "a", clock, handlers).await;
    owns(&a, SHARDS).await;
    let mut runs = Vec::new();
    for (name, on_lost) in [("once", OnLost::Fail), ("again", OnLost::Retry)] {
        let mut job = Job::new(JobKey::new("default", name), Task::Handler { name: "wait".to_owned() });
        job.on_lost = on_lost;
        a.control().save(vec![(Arc::new(job), Expect::Anything)], SaveMode::Commit).await.expect("it is saved");
        let run = a.control().run_now(&JobKey::new("default", name), Ask::default()).await.expect("it is queued");
        runs.push(run.id);
        is(a.store(), run.id, RunState::Running, 1).await;
    }
    (a, runs[0], runs[1])
}

fn waiting() -> Arc<Handlers> {
    let handlers = Handlers::default();
    handlers.register("wait", |run: RunContext| async move { run.cancelled().await });
    Arc::new(handlers)
}

async fn is(store: &Arc<dyn Store>, run: RunId, state: RunState, attempt: u32) -> RunInfo {
    until(state.as_str(), || async {
        let info = store.run(run).await.expect("the store answers").expect("the run is kept");
        ((info.state, info.attempt) == (state, attempt)).then_some(info)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_of_a_dead_node_are_lost_and_tried_again_where_the_job_says_so() {
    let address = postgres().await;
    let (a, once, again) = node_with_runs(&address, Arc::new(SystemClock), waiting()).await;
    let b = node_with(&address, "b", waiting()).await;
    owns(&b, SHARDS / 2).await;
    drop(a);
    let lost = is(b.store(), once, RunState::Failed, 1).await;
    assert_eq!(lost.reason.as_deref(), Some("lost"));
    is(b.store(), again, RunState::Running, 2).await;
}

// Whoever reads the clock meanwhile keeps a thread of the runtime: there are enough for all of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn node_that_cannot_renew_for_long_gives_up_what_others_may_be_given() {
    let address = postgres().await;
    let (a, once, again) = node_with_runs(&address, Arc::new(SystemClock), waiting()).await;
    let (mut client, connection) = tokio_postgres::connect(&address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let lock = client.transaction().await.unwrap();
    lock.execute("SELECT * FROM node FOR UPDATE", &[]).await.unwrap();
    let given_up = until("it is given up", || async {
        let info = a.store().run(again).await.unwrap().unwrap();
        (info.state != RunState::Running).then_some(info)
    });
    assert!(!given_up.await.state.is_final(), "it is tried again, not cancelled");
    is(a.store(), once, RunState::Running, 1).await;
    lock.rollback().await.unwrap();
    is(a.store(), again, RunState::Running, 2).await;
    is(a.store(), once, RunState::Running, 1).await;
}

/// A clock that keeps whoever looks at it waiting while it is stuck, but for the thread that keeps the lease.
#[derive(Clone, Default)]
struct StuckClock(Arc<(Mutex<bool>, Condvar)>);

impl StuckClock {
    fn set(&self, stuck: bool) {
        *self.0.0.lock().expect("nobody panics") = stuck;
        self.0.1.notify_all();
    }
}

impl Clock for StuckClock {
    fn now(&self) -> Timestamp {
        if std::thread::current().name() != Some("mainspring-lease") {
            // In place, so that another thread looks after timers and wires if it was this one's turn.
            tokio::task::block_in_place(|| {
                let stuck = self.0.0.lock().expect("nobody panics");
                drop(self.0.1.wait_while(stuck, |stuck| *stuck).expect("nobody panics"));
            });
        }
        SystemClock.now()
    }

    fn alarm(&self) -> Box<dyn Alarm> {
        SystemClock.alarm()
    }
}

/// Its loop hangs, and with it whatever looks at the clock; so it does not renew, and others may be given its runs.
#[tokio::test(flavor = "multi_thread", worker_threads = 16)]
async fn node_whose_loop_hangs_gives_up_what_others_may_be_given() {
    let address = postgres().await;
    let clock = StuckClock::default();
    let (handlers, (told, mut hears)) = (Handlers::default(), tokio::sync::mpsc::unbounded_channel());
    handlers.register("wait", move |run: RunContext| {
        let told = told.clone();
        async move {
            run.cancelled().await;
            told.send(run.run_id()).unwrap();
        }
    });
    let (a, once, again) = node_with_runs(&address, Arc::new(clock.clone()), Arc::new(handlers)).await;
    clock.set(true);
    // What another process changes wakes the loop, which looks at the clock then.
    save_ticking(&*open(&address).await, 1).await;
    let ended = tokio::time::timeout(Duration::from_secs(60), hears.recv()).await;
    clock.set(false);
    assert_eq!(ended.expect("it is told to end").unwrap(), again);
    is(a.store(), again, RunState::Running, 2).await;
    is(a.store(), once, RunState::Running, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn outage_of_the_database_makes_nobody_look_dead() {
    let direct = postgres().await;
    let wire = Wire::to(&direct).await;
    let (a, b) = two_nodes(&wire.address).await;
    let store = open(&direct).await;
    let first = save_ticking(&*store, TRIGGERS).await;
    accounted(&*store, TRIGGERS, first).await;
    let nodes = (a.incarnation(), b.incarnation());
    wire.cut(true);
    let now = SystemClock.now();
    sees(&a, "trust ends", |status| !status.trusted).await;
    sees(&b, "trust ends", |status| !status.trusted).await;
    SystemClock.alarm().wait_until(now + 8_000).await;
    wire.cut(false);
    let through = SystemClock.now();
    assert_exact(&accounted(&*store, TRIGGERS, through).await, first);
    let back = SystemClock.now().since(through);
    assert!(back <= 3_000, "it took {back} ms");
    owns(&a, SHARDS / 2).await;
    owns(&b, SHARDS / 2).await;
    assert_eq!((a.incarnation(), b.incarnation()), nodes);
    assert_eq!(a.metrics().window_corrections.get() + b.metrics().window_corrections.get(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn node_that_is_cut_off_is_replaced_and_comes_back_as_another_incarnation() {
    let address = postgres().await;
    let wire = Wire::to(&address).await;
    let (a, b) = tokio::join!(node(&wire.address, "a"), node(&address, "b"));
    owns(&a, SHARDS / 2).await;
    owns(&b, SHARDS / 2).await;
    let first = save_ticking(&**b.store(), TRIGGERS).await;
    accounted(&**b.store(), TRIGGERS, first).await;
    let before = a.incarnation();
    wire.cut(true);
    owns(&b, SHARDS).await;
    wire.cut(false);
    let back = |status: &mainspring_core::cluster::Status| {
        status.incarnation != before && status.trusted && status.owned.len() == SHARDS / 2
    };
    sees(&a, "it is back", back).await;
    assert_eq!(a.metrics().lease_lost.get(), 1);
    let through = SystemClock.now() + 1_000;
    assert_exact(&accounted(&**b.store(), TRIGGERS, through).await, first);
}
