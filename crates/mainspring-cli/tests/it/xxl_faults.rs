//! Servers that die and databases that stand still while executors of XXL-JOB work.

use std::collections::BTreeSet;
use std::time::Duration;

use mainspring_api::client::Client;
use mainspring_api::{AttemptState, LogFilter, Run, RunNow, RunState, XxlAppSpec};
use mainspring_engine::{Clock, SystemClock};
use mainspring_rig::executor::{Answer, Executor};
use mainspring_rig::{Database, Flow, Node, Proxy, free_port};
use serde_json::{Value, json};

use crate::arena::{Arena, shared_by};
use crate::program::Program;
use crate::wait;

/// Longer than anything here takes on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(240);
/// As many requests as one executor is sent at a time.
const AT_A_TIME: usize = 64;
/// How long the database takes nothing.
const STALL_MS: i64 = 60_000;
/// A worker whose node has died is dead by then, if nobody plays it.
const WORKER_DEAD_MS: i64 = 25_000;
/// A run of 4 s is asked to end by then, if nobody knows that it is over.
const LIMIT_MS: i64 = 14_000;

async fn make_app(client: &Client) -> String {
    let app = XxlAppSpec { name: "mail".to_owned(), ..XxlAppSpec::default() };
    client.create_xxl_app(&app).await.unwrap().token.unwrap()
}

async fn apply(client: &Client, jobs: Value) {
    let bundle = serde_json::from_value(json!({ "jobs": jobs })).unwrap();
    client.apply(&bundle, mainspring_api::ApplyOptions::default()).await.unwrap();
}

async fn start(client: &Client, job: &str) -> Run {
    client.run_job("default", job, &RunNow::default()).await.unwrap()
}

/// The states of the attempts of a run that has ended, and its own.
async fn end(client: &Client, run: &Run) -> (RunState, Vec<AttemptState>) {
    let over = tokio::time::timeout(PATIENCE, client.wait_for_run(&run.id)).await.expect("it ends").unwrap();
    let attempts = client.attempts(&run.id).await.unwrap();
    (over.state, attempts.into_iter().map(|attempt| attempt.state).collect())
}

fn number(order: &mainspring_rig::executor::Asked) -> i64 {
    order.body["logId"].as_i64().unwrap()
}

fn serve(program: &Program, listen: &str) -> Node {
    Node::start(program.command(&["server", "--data", "data", "--listen", listen, "--log", "warn"])).unwrap()
}

#[test]
fn xxl_runs_of_a_server_that_is_killed_are_sent_once_whether_it_had_sent_them_or_not() {
    let (program, runtime) = (Program::new(), tokio::runtime::Runtime::new().unwrap());
    let listen = format!("127.0.0.1:{}", free_port().unwrap());
    let server = serve(&program, &listen);
    let (executor, runs, mut orders) = runtime.block_on(async {
        let client = server.client().unwrap();
        let executor = Executor::start(&server.url, &make_app(&client).await).await;
        apply(&client, json!([{"name": "a", "max_active": 100, "xxl": {"app": "mail", "handler": "h"}}])).await;
        (0..AT_A_TIME).for_each(|_| executor.then("/run", Answer::Never));
        let (mut runs, mut orders) = (Vec::new(), Vec::new());
        for _ in 0..=AT_A_TIME {
            runs.push(start(&client, "a").await);
        }
        executor.register().await;
        // These are between `/run` and its answer, and one is between its claim and `/run`.
        for _ in 0..AT_A_TIME {
            orders.push(executor.next("/run").await);
        }
        wait::until("the executor to have all runs", async || {
            let app = client.xxl_app("mail").await.ok()?;
            (app.instances[0].running == Some(u32::try_from(AT_A_TIME + 1).unwrap())).then_some(())
        })
        .await;
        (executor, runs, orders)
    });
    server.kill().unwrap();
    let server = serve(&program, &listen);
    runtime.block_on(async {
        let client = server.client().unwrap();
        // It has not registered with this server.
        orders.push(executor.next("/run").await);
        let numbers: BTreeSet<i64> = orders.iter().map(number).collect();
        assert_eq!(numbers.len(), AT_A_TIME + 1, "each has a number of its own");
        for number in numbers {
            executor.call_back(number, 200, "").await;
        }
        for run in &runs {
            assert_eq!(end(&client, run).await, (RunState::Succeeded, vec![AttemptState::Succeeded]));
        }
    });
    assert_eq!(executor.count("/run"), AT_A_TIME + 1, "none is sent again");
    assert_eq!(server.stop().unwrap().0.code(), Some(0));
}

#[test]
fn xxl_runs_of_which_nothing_is_heard_follow_on_lost() {
    let (program, runtime) = (Program::new(), tokio::runtime::Runtime::new().unwrap());
    let listen = format!("127.0.0.1:{}", free_port().unwrap());
    let server = serve(&program, &listen);
    let (executor, token, fails, again, sent) = runtime.block_on(async {
        let client = server.client().unwrap();
        let token = make_app(&client).await;
        let executor = Executor::start(&server.url, &token).await;
        let xxl = json!({"app": "mail", "handler": "h"});
        let fails = json!({"name": "fails", "retries": 3, "xxl": xxl});
        let again = json!({"name": "again", "retries": 3, "on_lost": "retry", "xxl": xxl});
        apply(&client, json!([fails, again])).await;
        executor.register().await;
        executor.then("/run", Answer::Never);
        let fails = start(&client, "fails").await;
        let first = number(&executor.next("/run").await);
        let again = start(&client, "again").await;
        let second = number(&executor.next("/run").await);
        (executor, token, fails, again, [first, second])
    });
    // One is not answered when the server dies, and the executor has the other one when it is started again itself.
    server.kill().unwrap();
    let port = executor.port();
    drop(executor);
    let server = serve(&program, &listen);
    runtime.block_on(async {
        let client = server.client().unwrap();
        let executor = restarted(&server.url, &token, port).await;
        executor.register().await;
        assert_eq!(end(&client, &fails).await, (RunState::Failed, vec![AttemptState::Lost]));
        let order = executor.next("/run").await;
        executor.call_back(number(&order), 200, "").await;
        assert_eq!(
            end(&client, &again).await,
            (RunState::Succeeded, vec![AttemptState::Lost, AttemptState::Succeeded])
        );
        assert_eq!(
            executor.count("/run"),
            1,
            "the second attempt has a number of its own, and the first is not sent again"
        );
        late_ends(&client, &executor, (&fails, &again), sent).await;
    });
    assert_eq!(server.stop().unwrap().0.code(), Some(0));
}

/// What becomes of the first attempts of two runs if they have succeeded after all.
async fn late_ends(client: &Client, executor: &Executor, (lost, repeated): (&Run, &Run), sent: [i64; 2]) {
    for log_id in [sent[0], sent[0], sent[1]] {
        executor.call_back(log_id, 200, "all is well").await;
    }
    let run = client.run(&lost.id).await.unwrap();
    assert_eq!((run.state, run.output), (RunState::Succeeded, Some(json!("all is well"))), "it is corrected");
    assert!(run.reason.is_some_and(|why| why.contains("taken for lost")));
    let said = |run: &Run| {
        let run = run.id.clone();
        async move {
            let filter = LogFilter { attempt: Some(1), ..LogFilter::default() };
            let lines = client.log(&run, &filter).await.unwrap().lines;
            let text: Vec<String> = lines.into_iter().map(|line| line.text).collect();
            text.join("\n")
        }
    };
    assert_eq!(said(lost).await.matches("and the run is corrected").count(), 1, "once, however often it is reported");
    assert!(said(repeated).await.contains("not corrected, because the work was started again"));
    assert_eq!(client.attempts(&repeated.id).await.unwrap()[0].state, AttemptState::Lost, "its second attempt counts");
}

/// An executor at the port of one that has just ended.
async fn restarted(url: &str, token: &str, port: u16) -> Executor {
    wait::until("the port", async || tokio::net::TcpListener::bind(("127.0.0.1", port)).await.ok()).await;
    Executor::start_at(url, token, port).await
}

#[test]
fn xxl_runs_go_on_through_another_node_where_theirs_is_killed_on_postgres() {
    let arena = Arena::shared();
    let (a, b) = (arena.start("a"), arena.start("b"));
    arena.sees(&b, "two nodes share the shards", shared_by(2));
    let (executor, run, order) = arena.runtime.block_on(async {
        let client = a.client();
        let executor = Executor::start(&a.url, &make_app(&client).await).await;
        apply(
            &client,
            json!([{"name": "a", "retries": 3, "on_lost": "retry", "xxl": {"app": "mail", "handler": "h"}}]),
        )
        .await;
        // It beats where it is answered: the other node has never heard of it.
        executor.register().await;
        let run = start(&client, "a").await;
        let order = executor.next("/run").await;
        (executor, run, order)
    });
    a.kill();
    let killed = SystemClock.now();
    arena.sees(&b, "one node has all shards", shared_by(1));
    arena.wait("the other node plays the executor", async || {
        let app = b.client().xxl_app("mail").await.ok()?;
        app.instances.first().filter(|instance| instance.running == Some(1)).map(drop)
    });
    arena.pass(killed + WORKER_DEAD_MS);
    executor.turn_to(&b.url);
    arena.runtime.block_on(async {
        let log_id = number(&order);
        // As a client does whose connection was closed, and one that was refused before.
        executor.call_back(log_id, 200, "").await;
        executor.call_back(log_id, 500, "").await;
        assert_eq!(end(&b.client(), &run).await, (RunState::Succeeded, vec![AttemptState::Succeeded]));
    });
    assert_eq!(executor.count("/run"), 1, "it is not sent again");
    assert_eq!(b.stop().0.code(), Some(0));
}

#[test]
fn xxl_ends_are_taken_once_by_whichever_node_in_whatever_order_on_postgres() {
    let arena = Arena::shared();
    let (a, b) = (arena.start("a"), arena.start("b"));
    arena.sees(&b, "two nodes share the shards", shared_by(2));
    arena.runtime.block_on(async {
        let client = a.client();
        let token = make_app(&client).await;
        let executor = Executor::start(&a.url, &token).await;
        apply(&client, json!([{"name": "a", "max_active": 9, "xxl": {"app": "mail", "handler": "h"}}])).await;
        executor.register().await;
        let (mut runs, mut numbers) = (Vec::new(), Vec::new());
        for _ in 0..4 {
            runs.push(start(&client, "a").await);
            numbers.push(number(&executor.next("/run").await));
        }
        // The later ones first, and each at both nodes, with another word at the second one.
        for (log_id, [first, second]) in numbers.iter().rev().zip([[&b, &a], [&a, &b], [&b, &a], [&a, &b]]) {
            executor.turn_to(&first.url);
            executor.call_back(*log_id, 200, "").await;
            executor.turn_to(&second.url);
            executor.call_back(*log_id, 500, "").await;
        }
        for run in &runs {
            assert_eq!(end(&client, run).await, (RunState::Succeeded, vec![AttemptState::Succeeded]));
        }
        assert_eq!(executor.count("/run"), 4);
    });
    assert_eq!(a.stop().0.code(), Some(0));
    assert_eq!(b.stop().0.code(), Some(0));
}

#[test]
fn xxl_runs_that_another_node_was_told_of_have_no_time_limit_any_more_on_postgres() {
    let arena = Arena::shared();
    let (a, b) = (arena.start("a"), arena.start("b"));
    arena.sees(&b, "two nodes share the shards", shared_by(2));
    let (executor, first, told) = arena.runtime.block_on(async {
        let client = a.client();
        let executor = Executor::start(&a.url, &make_app(&client).await).await;
        let xxl = json!({"app": "mail", "handler": "h"});
        apply(&client, json!([{"name": "a", "overlap": "allow", "timeout": "4s", "xxl": xxl}])).await;
        executor.register().await;
        let first = start(&client, "a").await;
        let order = executor.next("/run").await;
        // The node that sends has looked whether it is over already, and looks again in half a minute.
        executor.next("/log").await;
        executor.turn_to(&b.url);
        executor.call_back(number(&order), 200, "").await;
        (executor, first, SystemClock.now())
    });
    // Its time would be over, and so would that in which the executor reports it.
    arena.pass(told + LIMIT_MS);
    arena.runtime.block_on(async {
        assert_eq!(end(&a.client(), &first).await, (RunState::Succeeded, vec![AttemptState::Succeeded]));
        let next = start(&a.client(), "a").await;
        let order = executor.next("/run").await;
        executor.next("/log").await;
        executor.call_back(number(&order), 200, "").await;
        assert_eq!(end(&a.client(), &next).await, (RunState::Succeeded, vec![AttemptState::Succeeded]));
    });
    assert_eq!(executor.count("/kill"), 0, "a kill names a job, so it would hit the next run");
    assert_eq!(a.stop().0.code(), Some(0));
    assert_eq!(b.stop().0.code(), Some(0));
}

/// Reports an end until it is taken: a node knows an app that was made through another one after a moment.
async fn taken(executor: &Executor, order: &mainspring_rig::executor::Asked, code: i64) {
    wait::until("the end is taken", async || executor.try_call_back(number(order), code).await.ok()).await;
}

#[test]
fn xxl_runs_that_were_to_end_have_not_succeeded_whichever_node_is_told_on_postgres() {
    let arena = Arena::shared();
    let (a, b) = (arena.start("a"), arena.start("b"));
    arena.sees(&b, "two nodes share the shards", shared_by(2));
    arena.runtime.block_on(async {
        let client = a.client();
        let executor = Executor::start(&a.url, &make_app(&client).await).await;
        let xxl = json!({"app": "mail", "handler": "h"});
        let slow = json!({"name": "slow", "timeout": "1s", "xxl": xxl});
        apply(&client, json!([{"name": "a", "retries": 3, "retry_delay": "0s", "xxl": xxl}, slow])).await;
        executor.register().await;
        // A failure, and a success as Go, Node and Rust report it.
        for code in [500, 200] {
            let run = start(&client, "a").await;
            let order = executor.next("/run").await;
            client.cancel_run(&run.id, &mainspring_api::Reason::default()).await.unwrap();
            executor.next("/kill").await;
            executor.turn_to(&b.url);
            taken(&executor, &order, code).await;
            executor.turn_to(&a.url);
            assert_eq!(end(&client, &run).await, (RunState::Cancelled, vec![AttemptState::Cancelled]), "{code}");
        }
        let run = start(&client, "slow").await;
        let order = executor.next("/run").await;
        executor.next("/kill").await;
        executor.turn_to(&b.url);
        taken(&executor, &order, 200).await;
        assert_eq!(end(&client, &run).await, (RunState::Failed, vec![AttemptState::TimedOut]));
        assert_eq!(executor.count("/run"), 3, "none is tried again");
    });
    assert_eq!(a.stop().0.code(), Some(0));
    assert_eq!(b.stop().0.code(), Some(0));
}

#[test]
fn xxl_runs_and_their_ends_outlive_a_minute_without_the_database_on_postgres() {
    let (arena, database) = Arena::own(Database::Postgres);
    let wire = Proxy::to(database.port()).unwrap();
    let node = arena.start_at("a", &wire.address(&arena.address).unwrap(), &[]);
    let (executor, long) = arena.runtime.block_on(async {
        let client = node.client();
        let executor = Executor::start(&node.url, &make_app(&client).await).await;
        let xxl = json!({"app": "mail", "handler": "h"});
        let tick = json!({"name": "tick", "xxl": xxl, "schedule": {"every": "1s"}});
        apply(&client, json!([{"name": "long", "xxl": xxl, "retries": 3, "on_lost": "retry"}])).await;
        executor.register().await;
        let run = start(&client, "long").await;
        let order = executor.next("/run").await;
        executor.end_all(200);
        apply(&client, json!([tick])).await;
        executor.next("/run").await;
        (executor, (run, number(&order)))
    });
    let stalled = SystemClock.now();
    wire.set(Flow::Hold);
    arena.pass(stalled + STALL_MS);
    wire.set(Flow::Pass);
    arena.recorded(SystemClock.now());
    arena.runtime.block_on(async {
        // It goes on at the executor all the time.
        executor.call_back(long.1, 200, "").await;
        assert_eq!(end(&node.client(), &long.0).await, (RunState::Succeeded, vec![AttemptState::Succeeded]));
        node.client().pause_job("default", "tick", &mainspring_api::Reason::default()).await.unwrap();
    });
    let store = arena.store();
    arena.wait("all runs are over", async || store.figures().await.ok()?.runs.is_empty().then_some(()));
    let runs =
        arena.runtime.block_on(store.runs(mainspring_store::RunQuery { limit: 1_000, ..Default::default() })).unwrap();
    let tally = arena.runtime.block_on(store.tally()).unwrap();
    assert!(runs.iter().all(|run| run.state == mainspring_core::run::RunState::Succeeded), "{runs:?}");
    let [tick] = &tally[..] else { panic!("{tally:?}") };
    let seconds = (tick.last.unwrap().since(tick.first.unwrap()) / 1_000).unsigned_abs() + 1;
    assert_eq!((tick.fired + tick.missed, tick.duplicated), (seconds, 0), "each instant has one record: {tick:?}");
    let sent = executor.asked("/run");
    let numbers: BTreeSet<i64> = sent.iter().map(number).collect();
    assert_eq!((sent.len() as u64, numbers.len() as u64), (tick.fired + 1, tick.fired + 1), "each is sent once");
    assert_eq!(node.stop().0.code(), Some(0));
}
