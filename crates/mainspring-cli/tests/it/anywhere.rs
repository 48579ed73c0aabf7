//! Any node answers: logs of runs that another one executes, and triggers that were put aside.

use std::time::{Duration, Instant};

use mainspring_api::client::{Client, LogItem};
use mainspring_api::{ApplyOptions, Bundle, LogFilter, RunNow};
use mainspring_core::job::JobKey;
use mainspring_engine::{Clock, SystemClock};
use mainspring_store::conformance::kit;
use serde_json::{Value, json};

use crate::live::Live;
use crate::program::Program;

/// Longer than anything here takes on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// From the end of a line to the one who follows it through any node.
const SEEN_MAX: Duration = Duration::from_secs(2);

fn start(program: &Program, address: &str, name: &str) -> Live {
    let mut arguments = vec!["server", "--store", address, "--node-name", name, "--data", name];
    if program.home().join("a/token").exists() {
        arguments.extend(["--token-file", "a/token"]);
    }
    Live::start_with(program, &arguments)
}

async fn apply(client: &Client, jobs: Value) {
    let bundle: Bundle = serde_json::from_value(json!({ "jobs": jobs })).unwrap();
    client.apply(&bundle, ApplyOptions { dry_run: false, prune: false }).await.unwrap();
}

/// Follows the log of a run, and tells each line and the end when it comes.
fn follow(client: Client, run: String) -> tokio::sync::mpsc::UnboundedReceiver<(String, Instant)> {
    let (tell, told) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut log = client.follow_log(&run, &LogFilter::default()).await.unwrap();
        while let Some(item) = log.next().await.unwrap() {
            let text = match item {
                LogItem::Line(line) => line.text,
                LogItem::End(run) => format!("end: {:?}", run.state),
            };
            let _ = tell.send((text, Instant::now()));
        }
    });
    told
}

/// Follows a run on one of two nodes through both: the one that executes it, and the other. Returns after how long the last of the
/// two has shown what came last.
async fn logs_are_followed_through_both(address: String) -> Duration {
    let program = Program::new();
    let (a, b) = (start(&program, &address, "a"), start(&program, &address, "b"));
    let flag = program.home().join("go");
    let script = format!("echo one; until test -e {}; do sleep 0.02; done; echo two", flag.display());
    apply(&a.client(), json!([{"name": "say", "run": script}])).await;
    let run = a.client().run_job("default", "say", &RunNow::default()).await.unwrap().id;
    let mut followers = [follow(a.client(), run.clone()), follow(b.client(), run.clone())];
    for told in &mut followers {
        let first = tokio::time::timeout(PATIENCE, told.recv()).await.expect("it says something").unwrap();
        assert_eq!(first.0, "one");
    }
    let gone = Instant::now();
    let mut longest = Duration::ZERO;
    std::fs::write(&flag, "").unwrap();
    for told in &mut followers {
        for wanted in ["two", "end: Succeeded"] {
            let (text, at) = tokio::time::timeout(PATIENCE, told.recv()).await.expect("it goes on").unwrap();
            assert_eq!(text, wanted);
            longest = longest.max(at - gone);
        }
    }
    // Also after the node that executed it is gone, whichever that was.
    a.kill();
    let log = b.client().log(&run, &LogFilter::default()).await.unwrap();
    assert_eq!(log.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), ["one", "two"]);
    longest
}

#[tokio::test(flavor = "multi_thread")]
async fn logs_are_followed_through_any_node_on_postgresql() {
    logs_are_followed_through_both(kit::postgres().await).await;
}

/// Real time: a test of `make proof`.
#[tokio::test(flavor = "multi_thread")]
async fn lines_of_a_log_are_seen_soon_through_any_node() {
    for address in [kit::postgres().await, kit::mysql().await] {
        let longest = logs_are_followed_through_both(address).await;
        assert!(longest < SEEN_MAX, "the last line was seen after {longest:?}");
    }
}

/// Its server notifies nobody: nodes look by themselves.
#[tokio::test(flavor = "multi_thread")]
async fn logs_are_followed_through_any_node_on_mysql() {
    logs_are_followed_through_both(kit::mysql().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn trigger_that_was_put_aside_says_why_and_is_resumed() {
    let (program, address) = (Program::new(), kit::postgres().await);
    let a = start(&program, &address, "a");
    let hour = json!({"every": "1h"});
    apply(
        &a.client(),
        json!([{"name": "bad", "noop": true, "schedule": hour}, {"name": "good", "noop": true, "schedule": hour}]),
    )
    .await;
    let store = mainspring_store::open(&address).await.unwrap();
    let prior = store.prior(&JobKey::new("default", "bad")).await.unwrap();
    let row = &prior.triggers[0].row;
    let now = SystemClock.now();
    assert!(store.set_trigger_error(row.id, row.version, "the store refuses its fires: spoilt", now).await.unwrap());
    let ask = |arguments: &[&str]| program.run(&[arguments, &["--server", &a.url]].concat());
    let listed = ask(&["trigger", "list"]);
    assert!(listed.stdout.lines().any(|line| line.contains("bad/every") && line.contains("error")), "{listed:?}");
    let shown = ask(&["trigger", "get", "bad/every"]);
    assert!(shown.stdout.contains("the store refuses its fires: spoilt"), "{shown:?}");
    let shown = a.client().trigger("default", "bad", "every").await.unwrap();
    assert_eq!((shown.state.as_str(), shown.next_fire_at), ("error", None));
    let resumed = ask(&["trigger", "resume", "bad/every"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    let shown = a.client().trigger("default", "bad", "every").await.unwrap();
    assert_eq!((shown.state.as_str(), shown.state_reason), ("active", None));
    assert!(shown.next_fire_at.is_some());

    // A resume of the job and a new definition do the same.
    let aside = async || {
        let prior = store.prior(&JobKey::new("default", "bad")).await.unwrap();
        let row = &prior.triggers[0].row;
        assert!(store.set_trigger_error(row.id, row.version, "again", now).await.unwrap());
    };
    aside().await;
    assert_eq!(ask(&["job", "resume", "bad"]).code, 0);
    assert_eq!(a.client().trigger("default", "bad", "every").await.unwrap().state.as_str(), "active");
    aside().await;
    apply(&a.client(), json!([{"name": "bad", "noop": true, "schedule": {"every": "2h"}}])).await;
    assert_eq!(a.client().trigger("default", "bad", "every").await.unwrap().state.as_str(), "active");
    store.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn lateness_of_every_node_is_told_by_any() {
    let (program, address) = (Program::new(), kit::postgres().await);
    let (a, b) = (start(&program, &address, "a"), start(&program, &address, "b"));
    let jobs: Vec<_> = (0..40)
        .map(|number| json!({"name": format!("tick-{number}"), "noop": true, "schedule": {"every": "1s"}}))
        .collect();
    apply(&a.client(), Value::Array(jobs)).await;
    let began = Instant::now();
    for client in [a.client(), b.client()] {
        let told = loop {
            let told = client.cluster_lateness().await.unwrap();
            let all = told.nodes.len() == 2 && told.nodes.iter().all(|node| node.lateness.entered >= 40);
            if all {
                break told;
            }
            assert!(began.elapsed() < PATIENCE, "never so: {told:?}");
            SystemClock.alarm().wait_until(SystemClock.now() + 100).await;
        };
        let names: Vec<_> = told.nodes.iter().map(|node| node.name.as_str()).collect();
        assert_eq!((names, told.minutes), (vec!["a", "b"], 5));
        let counted: u64 = told.nodes.iter().map(|node| node.lateness.entered).sum();
        let max = told.nodes.iter().map(|node| node.lateness.max_ms).max().unwrap();
        assert_eq!((told.cluster.entered, told.cluster.max_ms), (counted, max));
        assert!(told.cluster.p50_ms <= told.cluster.p99_ms && told.cluster.p99_ms <= told.cluster.max_ms, "{told:?}");
    }
    let shown = program.run(&["cluster", "lateness", "--server", &a.url]);
    assert!(shown.stdout.lines().any(|line| line.starts_with("all nodes")), "{shown:?}");
}
