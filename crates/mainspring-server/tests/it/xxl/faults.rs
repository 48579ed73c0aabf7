//! What XXL-JOB is known to get wrong when executors, clocks and logs misbehave, and what happens here.

use std::collections::BTreeSet;

use mainspring_api::client::Client;
use mainspring_api::{ApplyOptions, Bundle, LogFilter, LogPage, Run, RunState};
use mainspring_engine::{Clock, SystemClock};
use mainspring_rig::executor::{Executor, Logs};
use mainspring_xxl::BEAT_MS;
use serde_json::{Value, json};

use super::{PATIENCE, ended, make_app, put, start};
use crate::kit::Running;

/// A server with an app, and an executor that has registered.
async fn with_executor() -> (Running, Executor) {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let executor = Executor::start(&running.url, &token).await;
    executor.register().await;
    (running, executor)
}

async fn put_job(running: &Running) {
    put(&running.client, json!({"name": "a", "xxl": {"app": "mail", "handler": "h"}})).await;
}

/// The number under which a run was sent.
async fn number(executor: &Executor) -> i64 {
    executor.next("/run").await.body["logId"].as_i64().unwrap()
}

/// Waits until so many lines of a log are kept, and shows those from a line on.
async fn kept(client: &Client, run: &Run, total: u64, from: u64) -> LogPage {
    let is_there = async {
        loop {
            let filter = LogFilter { from_line: Some(from), ..LogFilter::default() };
            let page = client.log(&run.id, &filter).await.unwrap();
            if page.total_lines >= total {
                return page;
            }
        }
    };
    tokio::time::timeout(PATIENCE, is_there).await.unwrap_or_else(|_| panic!("{total} lines"))
}

#[tokio::test]
async fn a_clock_of_an_executor_that_is_ten_minutes_off_decides_nothing_and_is_shown() {
    let (running, executor) = with_executor().await;
    put_job(&running).await;
    for ahead_ms in [600_000, -600_000] {
        executor.set_clock(ahead_ms);
        let run = start(&running.client, "a").await;
        let log_id = number(&executor).await;
        // Its callback says when it began by its own clock, as pyxxl's and Node's do.
        executor.call_back(log_id, 200, "").await;
        let over = ended(&running.client, &run).await;
        let attempts = running.client.attempts(&over.id).await.unwrap();
        assert_eq!((over.state, attempts.len()), (RunState::Succeeded, 1));
        let (begun, end) = (attempts[0].started_at.unwrap(), attempts[0].ended_at.unwrap());
        assert!(attempts[0].claimed_at <= end && begun <= end, "all times are ours: {attempts:?}");
        let shown = running.client.xxl_instances().await.unwrap();
        let offset = shown[0].clock_offset_ms.expect("it tells its time");
        assert!((offset - ahead_ms).abs() < 300_000 && shown[0].alive, "{shown:?}");
    }
    assert_eq!(executor.count("/run"), 2);
    running.stop().await;
}

#[tokio::test]
async fn a_log_is_read_on_whatever_an_executor_says_of_its_end() {
    let (running, executor) = with_executor().await;
    put_job(&running).await;
    executor.show_logs(Logs { is_end: true, last: Some(9_999), ..Logs::default() });
    executor.log("one\ntwo\nthr");
    let run = start(&running.client, "a").await;
    let log_id = number(&executor).await;
    let page = kept(&running.client, &run, 2, 1).await;
    assert!(!page.complete, "the run goes on: {page:?}");
    executor.log("one\ntwo\nthree\nfour\n");
    kept(&running.client, &run, 3, 1).await;
    executor.log("one\ntwo\nthree\nfour\nfive");
    executor.call_back(log_id, 200, "").await;
    assert_eq!(ended(&running.client, &run).await.state, RunState::Succeeded);
    let page = kept(&running.client, &run, 5, 1).await;
    let lines: Vec<&str> = page.lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(lines, ["one", "two", "three", "four", "five"]);
    running.stop().await;
}

#[tokio::test]
async fn a_log_that_is_longer_than_any_answer_is_kept_whole() {
    let (running, executor) = with_executor().await;
    put_job(&running).await;
    // As Java's executors show it: all from the line asked for on.
    let lines = 6_000;
    executor.log(&(1..=lines).map(|number| format!("{number:01000}\n")).collect::<String>());
    let run = start(&running.client, "a").await;
    executor.call_back(number(&executor).await, 200, "").await;
    assert_eq!(ended(&running.client, &run).await.state, RunState::Succeeded);
    for from in [1, lines / 2, lines] {
        let page = kept(&running.client, &run, lines, from).await;
        assert_eq!((page.lines[0].text.as_str(), page.total_lines), (format!("{from:01000}").as_str(), lines));
    }
    running.stop().await;
}

#[tokio::test]
async fn a_huge_log_is_cut_at_its_bound_and_says_so_and_holds_up_no_end() {
    let (running, executor) = with_executor().await;
    put_job(&running).await;
    executor.log(&(1..=70_000).map(|number| format!("{number:01000}\n")).collect::<String>());
    executor.show_logs(Logs { lines_max: Some(1_000), ..Logs::default() });
    let run = start(&running.client, "a").await;
    executor.call_back(number(&executor).await, 200, "").await;
    assert_eq!(ended(&running.client, &run).await.state, RunState::Succeeded);
    // The piece with which it has 64 MiB is the last one.
    let page = kept(&running.client, &run, 68_000, 68_000).await;
    assert!(page.lines[0].text.contains("the log goes on at the executor"), "{:?}", page.lines[0]);
    assert_eq!((page.lines.len(), page.total_lines), (1, 68_000));
    running.stop().await;
}

#[tokio::test]
async fn an_end_that_is_reported_thrice_starts_a_child_once() {
    let (running, executor) = with_executor().await;
    put_job(&running).await;
    let child = json!({"name": "child", "noop": true, "schedule": {"after": "a"}});
    put(&running.client, child).await;
    let run = start(&running.client, "a").await;
    let log_id = number(&executor).await;
    let reports = [(200, "done"), (200, "done"), (500, "killed")];
    let reported = reports.map(|(code, message)| executor.call_back(log_id, code, message));
    futures_util::future::join_all(reported).await;
    let over = ended(&running.client, &run).await;
    // Which of them is heard first is left to chance.
    let succeeded = over.state == RunState::Succeeded;
    // A further run of the parent: what its end starts comes after what the first end has started.
    let again = start(&running.client, "a").await;
    executor.call_back(number(&executor).await, 200, "").await;
    assert_eq!(ended(&running.client, &again).await.state, RunState::Succeeded);
    let children = async {
        loop {
            let filter = mainspring_api::RunFilter { job: Some("child".to_owned()), ..Default::default() };
            let runs = running.client.runs("default", &filter).await.unwrap().items;
            if runs.len() > usize::from(succeeded) && runs.iter().all(|run| run.state.is_final()) {
                return runs.len();
            }
        }
    };
    let children = tokio::time::timeout(PATIENCE, children).await.expect("a child has run");
    assert_eq!(children, 1 + usize::from(succeeded));
    running.stop().await;
}

/// Jobs that are due within one second: the later their numbers, the sooner.
const HERD: i64 = 10_000;

fn herd(at_ms: i64) -> Bundle {
    let job = |number: i64| {
        let due = mainspring_api::Timestamp::from_millis(at_ms + (HERD - number) / 10);
        let xxl = json!({"app": "mail", "handler": "h", "id": number});
        json!({"name": format!("herd-{number}"), "xxl": xxl, "schedule": {"every": "1d", "start_at": due}})
    };
    let jobs: Vec<Value> = (1..=HERD).map(job).collect();
    serde_json::from_value(json!({ "jobs": jobs })).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_jobs_that_are_due_in_one_second_are_sent_once_each_in_whatever_order_their_numbers_are() {
    let (running, executor) = with_executor().await;
    executor.end_all(200);
    // Until then they can be made, on any machine.
    let at_ms = SystemClock.now().as_millis() + 120_000;
    let store = running.engine.control().store();
    let all_over = async {
        running.client.apply(&herd(at_ms), ApplyOptions::default()).await.unwrap();
        assert!(SystemClock.now().as_millis() < at_ms, "they are there in time");
        loop {
            let tally = store.tally().await.unwrap();
            let (fired, missed) = tally.iter().fold((0, 0), |sum, one| (sum.0 + one.fired, sum.1 + one.missed));
            let active = store.figures().await.unwrap().runs.iter().map(|count| count.count).sum::<u64>();
            if fired + missed == HERD.unsigned_abs() && active == 0 {
                return (fired, missed);
            }
            SystemClock.alarm().wait_until(SystemClock.now() + 1_000).await;
        }
    };
    // They are due later than an executor without a beat is taken for gone.
    let beats = async {
        loop {
            executor.register().await;
            SystemClock.alarm().wait_until(SystemClock.now() + BEAT_MS).await;
        }
    };
    let over = tokio::select! {
        over = tokio::time::timeout(10 * PATIENCE, all_over) => over.expect("all of them end"),
        () = beats => unreachable!("it beats for ever"),
    };
    assert_eq!(over, (HERD.unsigned_abs(), 0), "none starves, whatever its number");
    let sent = executor.asked("/run");
    let jobs: BTreeSet<i64> = sent.iter().map(|order| order.body["jobId"].as_i64().unwrap()).collect();
    assert_eq!((sent.len(), jobs.len()), (10_000, 10_000), "each is sent once");
    running.stop().await;
}
