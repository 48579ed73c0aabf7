//! A hundred workers, and a server that is killed and started again under them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mainspring_api::client::Precondition;
use mainspring_api::{RunFilter, RunNow, RunState, WriteOptions};
use mainspring_rig::Node;
use mainspring_worker::{RunContext, Worker};
use serde_json::json;
use tokio::sync::watch;

use crate::live::Live;
use crate::program::Program;
use crate::wait::until;

const WORKERS: usize = 100;
const RUNS: usize = 250;
const SERVER: &[&str] = &["server", "--data", "data", "--queues", "default"];

/// How often each run was entered.
type Entered = Arc<Mutex<BTreeMap<String, u32>>>;

async fn worker(
    program: &Program,
    url: &str,
    number: usize,
    entered: &Entered,
    gate: &watch::Receiver<bool>,
) -> Worker {
    let (entered, gate) = (Arc::clone(entered), gate.clone());
    Worker::builder(url)
        .token_file(program.home().join("data/token"))
        .name(format!("w{number}"))
        .queues(["remote"])
        .slots(1)
        .handler("work", move |run: RunContext| {
            *entered.lock().unwrap().entry(run.run_id().to_owned()).or_default() += 1;
            let mut gate = gate.clone();
            async move {
                gate.wait_for(|open| *open).await.unwrap();
            }
        })
        .start()
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_run_is_lost_or_doubled_when_the_server_restarts_under_a_hundred_workers() {
    let program = Program::new();
    let live = Live::start_with(&program, SERVER);
    let (url, client) = (live.url.clone(), live.client());
    let spec = serde_json::from_value(json!({"name": "work", "handler": "work", "queue": "remote"})).unwrap();
    client.put_job("default", &spec, Precondition::None, WriteOptions::default()).await.unwrap();
    let (entered, (open, gate)) = (Entered::default(), watch::channel(false));
    let mut workers = Vec::new();
    for number in 0..WORKERS {
        workers.push(worker(&program, &url, number, &entered, &gate).await);
    }
    for _ in 0..RUNS {
        client.run_job("default", "work", &RunNow::default()).await.unwrap();
    }
    until("a run is in every hand", async || (entered.lock().unwrap().len() == WORKERS).then_some(())).await;

    live.kill();
    // Half of the work ends while nobody is there to hear of it.
    open.send_replace(true);
    let address = url.trim_start_matches("http://");
    let node = Node::start(program.command(&[SERVER, &["--listen", address, "--log", "warn"]].concat())).unwrap();
    let done = RunFilter { state: Some(RunState::Succeeded), limit: Some(1_000), ..RunFilter::default() };
    until("all runs are over", async || {
        client.runs("default", &done).await.ok().filter(|page| page.items.len() == RUNS)
    })
    .await;
    let all = client.runs("default", &RunFilter { limit: Some(1_000), ..RunFilter::default() }).await.unwrap();
    assert_eq!(all.items.len(), RUNS, "nothing else was made of them");
    assert!(all.items.iter().all(|run| run.attempt == 1), "each in its first attempt");
    let entered = entered.lock().unwrap().clone();
    assert_eq!((entered.len(), entered.values().max()), (RUNS, Some(&1)), "each was entered once");
    for worker in workers {
        worker.stop(Duration::from_secs(10)).await;
    }
    assert_eq!(client.workers().await.unwrap(), []);
    node.stop().unwrap();
}
