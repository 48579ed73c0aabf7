//! What workers do wrong, and what comes of it. The table is in `docs/reference/worker-protocol.md`.

use std::time::Duration;

use mainspring_api::client::Client;
use mainspring_api::{
    AttemptState, ErrorCode, LogFilter, LogStream, OutputRef, RunNow, RunState, Timestamp, WorkerHolding, WorkerLine,
    WorkerLog, WorkerPoll, WorkerReport, WorkerTokenSpec,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::kit::{Running, code};
use crate::workers::{HOLD, asks, ended, orders, start, worker};

/// Joins a worker and lets it take a run of the job `far`. Answers both ids.
async fn with_a_run(client: &Client) -> (String, String) {
    let run = client.run_job("default", "far", &RunNow::default()).await.unwrap().id;
    let worker = client.join_worker(&worker(&["gpu"])).await.unwrap().id;
    assert_eq!(orders(client, &worker).await.runs[0].run, run);
    (worker, run)
}

fn line(text: &str) -> WorkerLine {
    WorkerLine { at: Timestamp::from_millis(5_000), stream: LogStream::Stdout, text: text.into(), partial: false }
}

fn log(run: &str, first_line: u64, lines: Vec<WorkerLine>) -> WorkerReport {
    let logs = vec![WorkerLog { run: run.to_owned(), attempt: 1, first_line, lines }];
    WorkerReport { now: Timestamp::from_millis(5_000), logs, ends: Vec::new() }
}

async fn logged(running: &Running, run: &str) -> Vec<String> {
    let page = running.client.log(run, &LogFilter::default()).await.unwrap();
    page.lines.into_iter().map(|line| line.text).collect()
}

#[tokio::test]
async fn foreign_token_does_nothing_to_a_worker_or_its_runs() {
    let running = start().await;
    let (id, run) = with_a_run(&running.client).await;
    let spec = WorkerTokenSpec { name: "b".into(), queues: Vec::new(), expires_at: None };
    let token = running.client.create_worker_token(&spec).await.unwrap().token.unwrap();
    let foreign = Client::builder(&running.url).token(token).build().unwrap();
    let quick = WorkerPoll { wait_ms: Some(0), ..asks(900, Vec::new()) };
    assert_eq!(code(foreign.poll_worker(&id, &quick, HOLD).await), ErrorCode::WorkerNotFound);
    let report = ended(&run, AttemptState::Failed);
    assert_eq!(code(foreign.report_worker(&id, &report).await), ErrorCode::WorkerNotFound);
    assert_eq!(code(foreign.worker(&id).await), ErrorCode::WorkerNotFound);
    assert_eq!(code(foreign.leave_worker(&id).await), ErrorCode::WorkerNotFound);
    assert_eq!(running.client.run(&run).await.unwrap().state, RunState::Running);
    running.stop().await;
}

#[tokio::test]
async fn verdict_of_another_worker_and_one_that_is_late_count_for_nothing() {
    let running = start().await;
    let client = &running.client;
    let (id, run) = with_a_run(client).await;
    let other = client.join_worker(&worker(&["gpu"])).await.unwrap().id;
    let refused = [WorkerHolding { run: run.clone(), attempt: 1 }];
    let verdict = ended(&run, AttemptState::Failed);
    assert_eq!(client.report_worker(&other, &verdict).await.unwrap().refused, refused, "it is another one's");
    assert_eq!(client.run(&run).await.unwrap().state, RunState::Running);

    client.leave_worker(&id).await.unwrap();
    client.wait_for_run(&run).await.unwrap();
    let late = ended(&run, AttemptState::Succeeded);
    assert_eq!(code(client.report_worker(&id, &late).await), ErrorCode::WorkerNotFound, "it was taken for dead");
    assert_eq!(client.report_worker(&other, &late).await.unwrap().refused, refused, "the run is over");
    assert_eq!(client.run(&run).await.unwrap().state, RunState::Failed);
    running.stop().await;
}

#[tokio::test]
async fn pieces_of_a_log_are_kept_once_and_without_a_gap() {
    let running = start().await;
    let client = &running.client;
    let (id, run) = with_a_run(client).await;
    let report = async |first, lines: &[&str]| {
        client.report_worker(&id, &log(&run, first, lines.iter().map(|text| line(text)).collect())).await
    };
    report(0, &["one", "two"]).await.unwrap();
    report(0, &["one", "two"]).await.unwrap();
    assert_eq!(code(report(3, &["four"]).await), ErrorCode::FieldValue, "the third is missing");
    report(1, &["two", "three"]).await.unwrap();
    report(3, &["four"]).await.unwrap();
    assert_eq!(logged(&running, &run).await, ["one", "two", "three", "four"]);
    running.stop().await;
}

#[tokio::test]
async fn endless_line_is_cut_and_what_is_no_utf_8_is_refused_whole() {
    let running = start().await;
    let (id, run) = with_a_run(&running.client).await;
    let long = "ü".repeat(5 << 20);
    running.client.report_worker(&id, &log(&run, 0, vec![line(&long), line("next")])).await.unwrap();
    let lines = logged(&running, &run).await;
    assert_eq!((lines.len(), lines[0].len(), lines[1].as_str()), (2, 16 << 10, "next"));
    assert!(long.starts_with(&lines[0]));

    let mut body = serde_json::to_vec(&log(&run, 2, vec![line("bad")])).unwrap();
    let at = body.windows(3).position(|text| text == b"bad").unwrap();
    body[at] = 0xff;
    let request = running.request("POST", &format!("/api/v1/workers/{id}/report"));
    let answer = request.header("content-type", "application/json").body(body).send().await.unwrap();
    assert_eq!(answer.status(), 400, "{answer:?}");
    assert_eq!(logged(&running, &run).await.len(), 2, "nothing of it is kept");
    running.stop().await;
}

#[tokio::test]
async fn report_whose_caller_goes_away_may_be_repeated() {
    let running = start().await;
    let (id, run) = with_a_run(&running.client).await;
    let report = ended(&run, AttemptState::Succeeded);
    let cut = running.client.report_worker(&id, &report);
    // The request is on its way, or there, or done: nobody hears its answer.
    drop(tokio::time::timeout(Duration::from_millis(5), cut).await);
    let receipt = running.client.report_worker(&id, &report).await.unwrap();
    assert!(receipt.refused.len() <= 1, "it was recorded by the first, or now");
    let over = running.client.wait_for_run(&run).await.unwrap();
    assert_eq!((over.state, over.attempt), (RunState::Succeeded, 1));
    running.stop().await;
}

#[tokio::test]
async fn large_output_is_kept_apart_and_given_whole() {
    let running = start().await;
    let client = &running.client;
    for bytes in [65_000, 70_000, 1_000_000] {
        let (id, run) = with_a_run(client).await;
        let output = json!({ "text": "ä".repeat(bytes / 2) });
        let text = output.to_string();
        let mut report = ended(&run, AttemptState::Succeeded);
        report.ends[0].output = Some(output.clone());
        assert_eq!(client.report_worker(&id, &report).await.unwrap().refused, []);
        let over = client.wait_for_run(&run).await.unwrap();
        assert_eq!(over.state, RunState::Succeeded);
        let sha256 = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
        let apart = OutputRef { bytes: text.len() as u64, sha256 };
        match bytes {
            65_000 => assert_eq!((over.output, over.output_ref), (Some(output), None)),
            _ => assert_eq!((over.output, over.output_ref), (None, Some(apart))),
        }
        assert!(client.run_output(&run).await.unwrap() == text.as_bytes(), "{bytes}");
        client.leave_worker(&id).await.unwrap();
    }
    let (id, run) = with_a_run(client).await;
    assert_eq!(code(client.run_output(&run).await), ErrorCode::OutputNotFound, "it is not over");
    assert_eq!(code(client.run_output("nonsense").await), ErrorCode::RunNotFound);
    let mut report = ended(&run, AttemptState::Succeeded);
    report.ends[0].output = Some(Value::String("x".repeat(17 << 20)));
    assert_eq!(code(client.report_worker(&id, &report).await), ErrorCode::WorkerOutput);
    assert_eq!(client.run(&run).await.unwrap().state, RunState::Running, "nothing of the report was taken in");
    running.stop().await;
}
