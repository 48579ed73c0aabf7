//! Long logs: read in parts, searched, opened at the first error, sent as text.

use std::sync::Arc;

use mainspring_api::client::Precondition;
use mainspring_api::{ErrorCode, LogErrorFilter, LogFilter, LogFind, LogLevel, RunNow, RunState, WriteOptions};
use mainspring_core::RunId;
use mainspring_engine::Engine;
use mainspring_server::Settings;
use mainspring_store::{LogChunk, MemoryStore, Store};
use mainspring_tasks::{LogLine, Stream};
use serde_json::json;

use crate::kit::{Running, code, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };
const LINES: u64 = 20_000;
/// As many lines as a chunk of the engine has.
const CHUNK: u64 = 700;

/// Makes a final run with a long log, every thousandth line of which has the word needle.
async fn long_log() -> (Running, String) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let engine = Engine::start(Arc::clone(&store), mainspring_engine::Settings::default()).await.unwrap();
    let running = Running::over(Arc::new(engine), Settings::default()).await;
    let client = &running.client;
    client.put_job("default", &spec(json!({"name": "a", "noop": true})), Precondition::None, COMMIT).await.unwrap();
    let run = client.run_job("default", "a", &RunNow::default()).await.unwrap();
    let run = client.wait_for_run(&run.id).await.unwrap().id;
    let id: RunId = run.parse().unwrap();
    let line = |number: u64| {
        let word = if number.is_multiple_of(1_000) { "a \x1b[1mnee\x1b[0mdle" } else { "hay" };
        LogLine { at_ms: 7, stream: Stream::Stdout, text: format!("line {number}: {word}"), partial: false }
    };
    for first_line in (0..LINES).step_by(usize::try_from(CHUNK).unwrap()) {
        let lines: Vec<_> = (first_line + 1..=(first_line + CHUNK).min(LINES)).map(line).collect();
        let line_count = u32::try_from(lines.len()).unwrap();
        let data = mainspring_tasks::LogChunk { first_line, lines }.encode();
        store.append_log(vec![LogChunk { run: id, attempt: 1, first_line, line_count, data }]).await.unwrap();
    }
    (running, run)
}

#[tokio::test]
async fn parts_of_a_long_log_say_how_long_it_is() {
    let (running, run) = long_log().await;
    let at = async |from_line, tail| {
        let filter = LogFilter { from_line, tail, limit: Some(3), ..LogFilter::default() };
        let page = running.client.log(&run, &filter).await.unwrap();
        assert_eq!((page.first_line, page.total_lines), (1, LINES));
        (page.lines.iter().map(|line| line.line).collect::<Vec<_>>(), page.next_line, page.complete)
    };
    assert_eq!(at(None, None).await, (vec![1, 2, 3], 4, false));
    assert_eq!(at(Some(12_345), None).await, (vec![12_345, 12_346, 12_347], 12_348, false));
    assert_eq!(at(None, Some(2)).await, (vec![LINES - 1, LINES], LINES + 1, true));
    assert_eq!(at(Some(LINES + 1), None).await, (vec![], LINES + 1, true));
    running.stop().await;
}

#[tokio::test]
async fn lines_are_found_all_over_a_long_log() {
    let (running, run) = long_log().await;
    let find = |q: &str| LogFind { q: q.to_owned(), limit: Some(4), ..LogFind::default() };
    let mut asked = find("NEEDLE");
    let mut lines = Vec::new();
    loop {
        let found = running.client.find_in_log(&run, &asked).await.unwrap();
        assert!(
            found.matches.iter().all(|found| found.text[usize::try_from(found.ranges[0][0]).unwrap()..] == *"needle")
        );
        lines.extend(found.matches.iter().map(|found| found.line));
        // Where the machine is slow, a search may end before the log does.
        let rest = (!found.done).then_some(found.searched_through + 1);
        match found.next_line.or(rest) {
            Some(next) => asked.from_line = Some(next),
            None => break,
        }
    }
    assert_eq!(lines, (1..=20).map(|thousand| thousand * 1_000).collect::<Vec<u64>>());
    let none = running.client.find_in_log(&run, &LogFind { case: true, ..find("NEEDLE") }).await.unwrap();
    assert_eq!((none.matches.len(), none.count), (0, 0));
    let bad = LogFind { regex: true, ..find("(") };
    assert_eq!(code(running.client.find_in_log(&run, &bad).await), ErrorCode::SearchSyntax);
    let attempt = LogFind { attempt: Some(2), ..find("x") };
    assert_eq!(code(running.client.find_in_log(&run, &attempt).await), ErrorCode::AttemptNotFound);
    running.stop().await;
}

#[tokio::test]
async fn whole_log_is_sent_as_text() {
    let (running, run) = long_log().await;
    let answer = running.request("GET", &format!("/api/v1/runs/{run}/log/text")).send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "text/plain; charset=utf-8");
    assert_eq!(answer.headers()["content-disposition"], format!("attachment; filename=\"{run}.log\""));
    let text = answer.text().await.unwrap();
    assert_eq!(text.lines().count() as u64, LINES);
    assert!(text.ends_with("line 20000: a \x1b[1mnee\x1b[0mdle\n"));
    running.stop().await;
}

#[cfg(unix)]
#[tokio::test]
async fn log_of_a_failed_attempt_is_opened_at_its_first_error() {
    let folder = tempfile::tempdir().unwrap();
    let settings = mainspring_engine::Settings::default().with_tasks(folder.path());
    let engine = Engine::start(Arc::new(MemoryStore::new()), settings).await.unwrap();
    let running = Running::over(Arc::new(engine), Settings::default()).await;
    let client = &running.client;
    let script = "echo fine; echo aside >&2; test -z \"$SAY\" || echo 'Error: no such table'; exit 1";
    for (name, env, text, level, count) in [
        ("says", json!({"SAY": "1"}), "Error: no such table", Some(LogLevel::Error), 1),
        ("silent", json!({}), "aside", None, 0),
    ] {
        let wanted = spec(json!({"name": name, "run": script, "env": env, "retries": 1}));
        client.put_job("default", &wanted, Precondition::None, COMMIT).await.unwrap();
        let asked = client.run_job("default", name, &RunNow::default()).await.unwrap();
        assert_eq!(client.wait_for_run(&asked.id).await.unwrap().state, RunState::Failed);
        for (attempt, expected) in [(None, 2), (Some(1), 1)] {
            let found = client.log_errors(&asked.id, &LogErrorFilter { attempt }).await.unwrap();
            let first = found.first.expect("there is a line to begin at");
            assert_eq!((first.text.as_str(), first.level, first.attempt), (text, level, expected));
            assert_eq!((found.attempt, found.count), (expected, count));
        }
    }
    running.stop().await;
}
