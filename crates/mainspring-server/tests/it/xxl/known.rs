//! What XXL-JOB's users have asked for since its first releases.

use mainspring_api::XxlBreaker;
use mainspring_engine::{Clock, SystemClock};
use mainspring_rig::executor::Asked;

use super::{Answer, Executor, PATIENCE, RunState, Running, ended, json, make_app, put, start};

async fn with_app() -> (Running, String) {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    (running, token)
}

#[tokio::test]
async fn a_parameter_tells_for_which_instant_the_run_was_planned() {
    let (running, token) = with_app().await;
    let executor = Executor::start(&running.url, &token).await;
    executor.register().await;
    let params = "{{planned}} {{planned_ms}} {{attempt}} {{run}} {{name}}";
    let xxl = json!({"app": "mail", "handler": "h", "params": params});
    put(&running.client, json!({"name": "a", "xxl": xxl, "retries": 1, "schedule": {"every": "1s"}})).await;
    let params = |order: &Asked| order.body["executorParams"].as_str().unwrap().to_owned();
    let first = executor.next("/run").await;
    executor.call_back(first.body["logId"].as_i64().unwrap(), 500, "once more").await;
    // Its retry comes before the next run.
    let second = executor.next("/run").await;
    executor.end_all(200);
    executor.call_back(second.body["logId"].as_i64().unwrap(), 200, "").await;
    let run = params(&second).split(' ').nth(3).unwrap().to_owned();
    let planned = running.client.run(&run).await.unwrap().fire_at.expect("a schedule has fired it");
    for (attempt, order) in [(1, &first), (2, &second)] {
        assert_eq!(params(order), format!("{planned} {} {attempt} {run} {{{{name}}}}", planned.as_millis()));
    }
    // What a run is given by hand is sent as it is.
    let input = Some(json!("{{planned}}"));
    let asked = mainspring_api::RunNow { input, ..mainspring_api::RunNow::default() };
    put(&running.client, json!({"name": "b", "xxl": {"app": "mail", "handler": "b"}})).await;
    running.client.run_job("default", "b", &asked).await.unwrap();
    let by_hand = async {
        loop {
            let order = executor.next("/run").await;
            if order.body["executorHandler"] == "b" {
                return params(&order);
            }
        }
    };
    assert_eq!(by_hand.await, "{{planned}}");
    running.stop().await;
}

#[tokio::test]
async fn an_executor_that_swallows_runs_holds_up_nobody_else() {
    let (running, token) = with_app().await;
    let [hole, other] = [Executor::start(&running.url, &token).await, Executor::start(&running.url, &token).await];
    (0..20).for_each(|_| hole.then("/run", Answer::Never));
    other.end_all(200);
    hole.register().await;
    other.register().await;
    let job = json!({"name": "a", "routing": "round", "overlap": "allow", "xxl": {"app": "mail", "handler": "h"}});
    put(&running.client, job).await;
    let mut runs = Vec::new();
    for _ in 0..20 {
        runs.push(start(&running.client, "a").await);
    }
    let all = async {
        loop {
            let mut states = Vec::new();
            for run in &runs {
                states.push(running.client.run(&run.id).await.unwrap().state);
            }
            let instances = running.client.xxl_instances().await.unwrap();
            let breaker = instances.iter().find(|one| one.address == hole.address()).and_then(|one| one.breaker);
            if states.iter().filter(|state| **state == RunState::Succeeded).count() == 10
                && breaker == Some(XxlBreaker::Open)
            {
                return states;
            }
        }
    };
    let states = tokio::time::timeout(PATIENCE, all).await.expect("the runs of the other executor end");
    assert!(states.iter().all(|state| matches!(state, RunState::Succeeded | RunState::Running)), "{states:?}");
    assert_eq!(other.count("/run"), 10);
    assert!(hole.count("/run") <= 10, "what it has not answered is sent nowhere else, and not again");
    running.stop().await;
}

#[tokio::test]
async fn an_executor_that_says_that_it_goes_is_sent_nothing_more() {
    let (running, token) = with_app().await;
    let [gone, other] = [Executor::start(&running.url, &token).await, Executor::start(&running.url, &token).await];
    gone.register().await;
    other.register().await;
    other.end_all(200);
    put(&running.client, json!({"name": "a", "routing": "round", "xxl": {"app": "mail", "handler": "h"}})).await;
    gone.leave_as(&gone.address()).await;
    for _ in 0..6 {
        let run = start(&running.client, "a").await;
        assert_eq!(ended(&running.client, &run).await.state, RunState::Succeeded);
    }
    assert_eq!((gone.count("/run"), other.count("/run")), (0, 6));
    running.stop().await;
}

#[tokio::test]
async fn a_thousand_executors_that_beat_at_the_same_instant_write_nothing() {
    let (running, token) = with_app().await;
    let executor = Executor::start(&running.url, &token).await;
    executor.register().await;
    let store = running.engine.control().store();
    let written = async || {
        let workers = store.documents("xxl_worker", None, SystemClock.now(), 10).await.unwrap();
        workers.into_iter().map(|one| (one.version, one.at)).collect::<Vec<_>>()
    };
    let first = async {
        loop {
            let there = written().await;
            if !there.is_empty() {
                return there;
            }
            tokio::task::yield_now().await;
        }
    };
    let first = tokio::time::timeout(PATIENCE, first).await.expect("it is known");
    let beats = (0..1_000).map(|_| executor.register());
    futures_util::future::join_all(beats).await;
    assert_eq!(written().await, first, "a beat is kept in memory");
    running.stop().await;
}
