//! Workers of other machines, as they see the API.

use std::sync::Arc;
use std::time::Duration;

use mainspring_api::client::{Client, ClientError, Precondition};
use mainspring_api::{
    AttemptState, ErrorCode, LogFilter, LogStream, Origin, RunNow, RunShard, RunState, Timestamp, WhyCode, WorkerEnd,
    WorkerHolding, WorkerLine, WorkerLog, WorkerOrders, WorkerPoll, WorkerReport, WorkerSpec, WorkerTask, WorkerTerms,
    WorkerTokenSpec, WriteOptions,
};
use mainspring_core::batch::Queues;
use mainspring_engine::{Engine, Settings};
use mainspring_store::MemoryStore;
use serde_json::json;
use sha2::Digest;

use crate::kit::{Running, code, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };
pub const HOLD: Duration = Duration::from_secs(3);

/// A server whose own slots take from the queue `default`, and a job in another.
pub async fn start() -> Running {
    let settings = Settings { queues: Queues::named(["default"]), ..Settings::default() };
    let engine = Arc::new(Engine::start(Arc::new(MemoryStore::new()), settings).await.unwrap());
    let running = Running::over(engine, mainspring_server::Settings::default()).await;
    let job =
        json!({"name": "far", "run": "echo $MS_PARAM_A", "queue": "gpu", "input": {"a": 1, "b": 2}, "timeout": "1m"});
    running.client.put_job("default", &spec(job), Precondition::None, COMMIT).await.unwrap();
    running
}

pub fn worker(queues: &[&str]) -> WorkerSpec {
    let queues = queues.iter().map(|queue| (*queue).to_owned()).collect();
    WorkerSpec { name: "north".into(), queues, slots: 2, labels: [].into(), version: None }
}

pub fn asks(number: u64, runs: Vec<WorkerHolding>) -> WorkerPoll {
    WorkerPoll { number, free: 2, runs, wait_ms: None, now: None }
}

/// Polls until there are orders.
pub async fn orders(client: &Client, id: &str) -> WorkerOrders {
    for number in 1..60 {
        let orders = client.poll_worker(id, &asks(number, Vec::new()), HOLD).await.unwrap();
        if !orders.runs.is_empty() {
            return orders;
        }
    }
    panic!("there were none");
}

pub fn ended(run: &str, outcome: AttemptState) -> WorkerReport {
    let now = Timestamp::from_millis(5_000);
    let end = WorkerEnd {
        started_at: Some(Timestamp::from_millis(4_000)),
        exit_code: Some(0),
        output: Some(json!({"rows": 3})),
        ..WorkerEnd::new(run, 1, outcome, now)
    };
    WorkerReport { now, logs: Vec::new(), ends: vec![end] }
}

#[tokio::test]
async fn worker_executes_a_run_of_its_queue() {
    let running = start().await;
    let client = &running.client;
    let run = client.run_job("default", "far", &RunNow::default()).await.unwrap().id;
    let why = client.why_run(&run).await.unwrap();
    assert_eq!(why.reasons[0].code, WhyCode::NoWorker, "{why:?}");

    let terms = client.join_worker(&worker(&["gpu"])).await.unwrap();
    assert!(terms.hold_ms < terms.give_up_ms);
    let orders = orders(client, &terms.id).await;
    let given = &orders.runs[0];
    assert_eq!((given.run.as_str(), given.attempt, given.job.as_str()), (run.as_str(), 1, "far"));
    assert_eq!(given.task, WorkerTask::Run { script: "echo $MS_PARAM_A".into(), shell: None });
    assert_eq!((given.input.clone(), given.timeout_ms), (json!({"a": 1, "b": 2}), Some(60_000)));
    let workers = client.workers().await.unwrap();
    assert_eq!((workers.len(), workers[0].name.as_str(), workers[0].running), (1, "north", 1));
    assert_eq!(client.worker(&terms.id).await.unwrap(), workers[0]);

    // Its clock stands in 1970; lines hold whatever a process may print.
    let mut report = ended(&run, AttemptState::Succeeded);
    let line = WorkerLine { at: report.now, stream: LogStream::Stdout, text: "one\u{0}".into(), partial: false };
    report.logs = vec![WorkerLog { run: run.clone(), attempt: 1, first_line: 0, lines: vec![line] }];
    assert_eq!(client.report_worker(&terms.id, &report).await.unwrap().refused, []);
    let done = client.run(&run).await.unwrap();
    assert_eq!((done.state, done.output), (RunState::Succeeded, Some(json!({"rows": 3}))));
    let year_ago = Timestamp::from_millis(done.created_at.as_millis() - 1);
    assert!(done.started_at > Some(year_ago) && done.ended_at >= done.started_at, "by the server's clock");
    let log = client.log(&run, &LogFilter::default()).await.unwrap();
    assert_eq!(log.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), ["one\u{0}"]);
    let again = client.report_worker(&terms.id, &report).await.unwrap();
    assert_eq!(again.refused, [WorkerHolding { run, attempt: 1 }], "the first verdict is final");
    client.leave_worker(&terms.id).await.unwrap();
    assert_eq!(client.workers().await.unwrap(), []);
    running.stop().await;
}

#[tokio::test]
async fn what_a_worker_must_not_do_is_refused_in_words() {
    let running = start().await;
    let client = &running.client;
    let refused = async |spec| code(client.join_worker(&spec).await);
    assert_eq!(refused(WorkerSpec { slots: 0, ..worker(&["gpu"]) }).await, ErrorCode::FieldValue);
    assert_eq!(refused(worker(&[])).await, ErrorCode::FieldValue);
    let nobody = "0".repeat(32);
    for id in ["x", &nobody] {
        let polled = client.poll_worker(id, &asks(1, Vec::new()), HOLD).await;
        assert_eq!(code(polled), ErrorCode::WorkerNotFound, "{id}");
    }
    let id = client.join_worker(&worker(&["gpu"])).await.unwrap().id;
    let bad = vec![WorkerHolding { run: "nonsense".into(), attempt: 1 }];
    assert_eq!(code(client.poll_worker(&id, &asks(1, bad), HOLD).await), ErrorCode::FieldValue);
    let quick = WorkerPoll { wait_ms: Some(0), ..asks(7, Vec::new()) };
    client.poll_worker(&id, &quick, HOLD).await.unwrap();
    assert_eq!(code(client.poll_worker(&id, &quick, HOLD).await), ErrorCode::WorkerStalePoll);
    let foreign = client.run_job("default", "far", &RunNow::default()).await.unwrap().id;
    let running_still = ended(&foreign, AttemptState::Running);
    assert_eq!(code(client.report_worker(&id, &running_still).await), ErrorCode::FieldValue);
    let receipt = client.report_worker(&id, &ended(&foreign, AttemptState::Succeeded)).await.unwrap();
    assert_eq!(receipt.refused.len(), 1, "it was never given that run");
    running.stop().await;
}

#[tokio::test]
async fn token_of_workers_opens_what_workers_need_and_nothing_else() {
    let running = start().await;
    let client = &running.client;
    let spec = |name: &str, expires_at| WorkerTokenSpec { name: name.into(), queues: vec!["gpu".into()], expires_at };
    let made = client.create_worker_token(&spec("a", None)).await.unwrap();
    let other = client.create_worker_token(&spec("b", None)).await.unwrap();
    let expired = client.create_worker_token(&spec("old", Some(Timestamp::from_millis(1)))).await.unwrap_err();
    assert_eq!(expired.problem().unwrap().errors[0].pointer, "/expires_at", "it could never open anything");
    let at = mainspring_schedule::Timestamp::from_millis;
    let old = mainspring_store::WorkerToken {
        name: "old".into(),
        hash: sha2::Sha256::digest("ms_old").into(),
        queues: vec!["gpu".into()],
        created_at: at(0),
        expires_at: Some(at(1)),
    };
    running.engine.control().store().add_worker_token(old).await.unwrap();
    assert_eq!(code(client.create_worker_token(&spec("a", None)).await), ErrorCode::ResourceExists);
    let listed = client.worker_tokens().await.unwrap();
    assert_eq!(listed.iter().map(|token| token.name.as_str()).collect::<Vec<_>>(), ["a", "b", "old"]);
    assert!(listed.iter().all(|token| token.token.is_none()), "never again");

    let with = |token: &str| Client::builder(&running.url).token(token).build().unwrap();
    let (mine, theirs) = (with(&made.token.unwrap()), with(&other.token.unwrap()));
    let refused = |answer: Result<WorkerTerms, ClientError>| code(answer);
    assert_eq!(refused(with("ms_old").join_worker(&worker(&["gpu"])).await), ErrorCode::WorkerTokenExpired);
    assert_eq!(refused(with("ms_none").join_worker(&worker(&["gpu"])).await), ErrorCode::AuthInvalid);
    assert_eq!(refused(mine.join_worker(&worker(&["gpu", "default"])).await), ErrorCode::WorkerQueue);
    let id = mine.join_worker(&worker(&["gpu"])).await.unwrap().id;
    let quick = |number| WorkerPoll { wait_ms: Some(0), ..asks(number, Vec::new()) };
    mine.poll_worker(&id, &quick(1), HOLD).await.unwrap();
    client.poll_worker(&id, &quick(2), HOLD).await.unwrap();
    let foreign = theirs.poll_worker(&id, &quick(3), HOLD).await;
    assert_eq!(code(foreign), ErrorCode::WorkerNotFound, "another token's worker");
    let elsewhere = mine.workers().await.unwrap_err();
    assert_eq!(elsewhere.code(), Some(ErrorCode::AuthForbidden), "it opens no other route: {elsewhere:?}");
    let detail = &elsewhere.problem().unwrap().detail;
    assert!(detail.contains("\"a\" is for workers") && detail.contains("the right to see jobs and runs"), "{detail}");
    assert_eq!(code(mine.delete_webhook("x").await), ErrorCode::AuthForbidden);
    assert_eq!(code(with("ms_old").workers().await), ErrorCode::WorkerTokenExpired);
    assert_eq!(code(with("ms_none").workers().await), ErrorCode::AuthInvalid);
    client.revoke_worker_token("a").await.unwrap();
    assert_eq!(code(client.revoke_worker_token("a").await), ErrorCode::WorkerTokenNotFound);
    assert_eq!(code(mine.poll_worker(&id, &quick(4), HOLD).await), ErrorCode::AuthInvalid);
    running.stop().await;
}

#[tokio::test]
async fn routed_run_says_whom_it_waits_for_and_shards_what_they_are() {
    let running = start().await;
    let client = &running.client;
    let written = json!({
        "name": "parts", "run": "true", "queue": "gpu", "env": {"A": "1"},
        "routing": "sharding_broadcast", "workers": {"zone": "eu"},
    });
    client.put_job("default", &spec(written.clone()), Precondition::None, COMMIT).await.unwrap();
    let kept = serde_json::to_value(client.job("default", "parts").await.unwrap().spec).unwrap();
    assert_eq!((&kept["routing"], &kept["workers"]), (&written["routing"], &written["workers"]));
    let run = client.run_job("default", "parts", &RunNow::default()).await.unwrap().id;
    let stranger = client.join_worker(&worker(&["gpu"])).await.unwrap();
    let why = client.why_run(&run).await.unwrap();
    assert_eq!(why.reasons[0].code, WhyCode::NoWorker, "it has not the label: {why:?}");
    assert!(why.reasons[0].hint.as_ref().unwrap().contains("--label zone=eu"), "{why:?}");

    let fitting = WorkerSpec { labels: [("zone".into(), "eu".into())].into(), ..worker(&["gpu"]) };
    let fitting = WorkerSpec { name: "south".into(), ..fitting };
    let terms = client.join_worker(&fitting).await.unwrap();
    let given = orders(client, &terms.id).await.runs.remove(0);
    assert_eq!(given.shard, Some(RunShard { index: 0, total: 1 }));
    let env = ["A", "MS_SHARD_INDEX", "MS_SHARD_TOTAL"].map(|name| given.env.get(name).map(String::as_str));
    assert_eq!(env, [Some("1"), Some("0"), Some("1")]);
    let shard = client.run(&given.run).await.unwrap();
    assert_eq!((shard.parent.as_ref(), shard.shard, shard.worker.as_deref()), (Some(&run), given.shard, Some("south")));
    assert_eq!((shard.queue.as_str(), shard.origin), ("gpu", Origin::Parent));
    let why = client.why_run(&run).await.unwrap();
    assert_eq!((why.reasons[0].code, &why.reasons[0].runs), (WhyCode::AwaitsRun, &vec![given.run.clone()]), "{why:?}");
    client.report_worker(&terms.id, &ended(&given.run, AttemptState::Succeeded)).await.unwrap();
    for number in 1_000.. {
        let whole = client.run(&run).await.unwrap();
        if whole.state == RunState::Succeeded {
            let (started, ended) = (whole.started_at.unwrap(), whole.ended_at.unwrap());
            assert_eq!(whole.attempt, 0, "its shards have the attempts");
            assert!(whole.created_at <= started && started <= ended, "it started when it was split: {whole:?}");
            break;
        }
        // Held for a while: so this does not ask all the time.
        let quiet = WorkerPoll { wait_ms: Some(50), ..asks(number, Vec::new()) };
        client.poll_worker(&stranger.id, &quiet, HOLD).await.unwrap();
        assert!(number < 2_000, "it never ends");
    }
    running.stop().await;
}

#[tokio::test]
async fn routing_that_makes_no_sense_is_refused_where_it_is_written() {
    let running = start().await;
    let cases = [
        (json!({"name": "x", "noop": true, "routing": "round", "routing_key": "a"}), "/routing_key"),
        (json!({"name": "x", "noop": true, "routing_key": ""}), "/routing_key"),
        (json!({"name": "x", "noop": true, "routing": "first", "queue": "q".repeat(121)}), "/queue"),
        (json!({"name": "x", "noop": true, "workers": {"a b": "c"}}), "/workers/a b"),
    ];
    for (written, pointer) in cases {
        let refused = running.client.put_job("default", &spec(written), Precondition::None, COMMIT).await;
        let Err(ClientError::Refused(problem)) = refused else { panic!("{pointer} was taken") };
        let places: Vec<_> = problem.errors.iter().map(|error| error.pointer.as_str()).collect();
        assert!(places.contains(&pointer), "{problem:?}");
    }
    running.stop().await;
}
