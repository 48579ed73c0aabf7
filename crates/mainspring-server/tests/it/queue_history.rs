//! What came into a queue, left it and waited in it over time.

use std::sync::Arc;
use std::time::Duration;

use mainspring_api::client::Precondition;
use mainspring_api::{QueueHistory, QueueHistoryFilter, QueueWaitingFilter, Reason, RunNow, WhyCode, WriteOptions};
use mainspring_core::Timestamp;
use mainspring_engine::{Clock, Engine, ManualClock, QueueFigures};
use mainspring_server::Settings;
use mainspring_store::{MemoryStore, RollupRow, RollupSpan, Store};
use serde_json::json;

use crate::kit::{Running, spec};

const SECOND_MS: i64 = 1_000;
const DAY_MS: i64 = 86_400 * SECOND_MS;

fn start() -> Timestamp {
    "2026-01-01T12:00:30Z".parse().unwrap()
}

async fn running(store: &Arc<MemoryStore>) -> (Running, ManualClock) {
    let clock = ManualClock::new(start());
    let (store, settings) = (Arc::clone(store) as Arc<dyn Store>, mainspring_engine::Settings::default());
    let engine = Engine::start_with(store, settings, Arc::new(clock.clone()), Arc::default()).await.unwrap();
    (Running::over(Arc::new(engine), Settings::default()).await, clock)
}

/// Lets the clock go on until the history of a queue is as it should be.
async fn until(running: &Running, clock: &ManualClock, fits: impl Fn(&QueueHistory) -> bool) -> QueueHistory {
    let look = async {
        loop {
            clock.set(clock.now() + SECOND_MS);
            let filter = QueueHistoryFilter::default();
            let history = running.client.queue_history("mail", &filter).await.unwrap();
            if fits(&history) {
                return history;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), look).await.expect("the figures are kept")
}

#[tokio::test]
async fn history_says_what_came_left_and_waited() {
    let store = Arc::new(MemoryStore::new());
    let (running, clock) = running(&store).await;
    let client = &running.client;
    let letter = spec(json!({"name": "letter", "noop": true, "queue": "mail"}));
    client.put_job("default", &letter, Precondition::None, WriteOptions::default()).await.unwrap();
    client.pause_queue("mail", &Reason::default()).await.unwrap();
    until(&running, &clock, |history| history.points.iter().all(|point| point.depth == 0)).await;
    let mut runs = Vec::new();
    for _ in 0..3 {
        runs.push(client.run_job("default", "letter", &RunNow::default()).await.unwrap().id);
    }
    let sum = |history: &QueueHistory| {
        let points = &history.points;
        let sum = |of: fn(&mainspring_api::QueuePoint) -> u64| points.iter().map(of).sum::<u64>();
        (sum(|point| point.arrived), sum(|point| point.left), points.last().map_or(0, |point| point.depth_max))
    };
    let waits = until(&running, &clock, |history| sum(history) == (3, 0, 3)).await;
    assert_eq!((waits.queue.as_str(), waits.step_ms), ("mail", 60_000));
    assert_eq!(waits.points.last().unwrap().wait_p50_ms, None, "nothing has left");
    let lately = client.queue("mail").await.unwrap().lately.unwrap();
    assert_eq!((lately.depths.len(), lately.depths.last(), lately.drain_ms), (6, Some(&3), None));

    clock.set(clock.now() + 100 * SECOND_MS);
    client.resume_queue("mail", &Reason::default()).await.unwrap();
    for run in &runs {
        client.wait_for_run(run).await.unwrap();
    }
    let gone = until(&running, &clock, |history| {
        let (arrived, left, _) = sum(history);
        (arrived, left) == (3, 3) && history.points.last().is_some_and(|point| point.depth == 0)
    })
    .await;
    let longest = gone.points.iter().filter_map(|point| point.wait_max_ms).max().unwrap();
    assert!((100_000..300_000).contains(&longest), "{longest}");
    running.stop().await;
}

#[tokio::test]
async fn what_waits_says_why_and_what_leaves_first() {
    let running = Running::start().await;
    let client = &running.client;
    let jobs = [
        json!({"name": "letter", "noop": true, "queue": "mail"}),
        json!({"name": "parcel", "noop": true, "queue": "mail", "workers": {"zone": "north"}}),
    ];
    for job in jobs {
        client.put_job("default", &spec(job), Precondition::None, WriteOptions::default()).await.unwrap();
    }
    client.pause_queue("mail", &Reason::default()).await.unwrap();
    let mut runs = Vec::new();
    for (name, priority) in [("letter", 1), ("letter", 9), ("letter", 1), ("parcel", 1)] {
        let now = RunNow { priority: Some(priority), ..RunNow::default() };
        runs.push(client.run_job("default", name, &now).await.unwrap().id);
    }
    let ask = async |limit| {
        let filter = QueueWaitingFilter { limit: Some(limit) };
        client.queue_waiting("mail", &filter).await.unwrap()
    };
    let paused = ask(2).await;
    assert_eq!((paused.count, paused.is_least, paused.reasons.len()), (4, false, 1));
    assert_eq!((paused.reasons[0].code, paused.reasons[0].count), (WhyCode::QueuePaused, 4));
    assert_eq!(paused.head.iter().map(|run| &run.id).collect::<Vec<_>>(), [&runs[1], &runs[0]]);
    assert_eq!((paused.namespaces.len(), paused.namespaces[0].count), (1, 3), "a worker is to be picked for one");

    client.resume_queue("mail", &Reason::default()).await.unwrap();
    for run in &runs[..3] {
        client.wait_for_run(run).await.unwrap();
    }
    let routed = ask(10).await;
    assert_eq!((routed.count, routed.reasons[0].code), (1, WhyCode::NoWorker));
    assert!(routed.reasons[0].hint.as_ref().unwrap().contains("--label zone=north"), "{routed:?}");
    let none = client.queue_waiting("none", &QueueWaitingFilter::default()).await.unwrap();
    assert_eq!((none.count, none.reasons, none.head), (0, vec![], vec![]));
    let answer = running.request("GET", "/api/v1/queues/mail/waiting?limit=101").send().await.unwrap();
    assert_eq!(answer.status(), 400);
    running.stop().await;
}

#[tokio::test]
async fn older_history_has_longer_steps() {
    let store = Arc::new(MemoryStore::new());
    let (running, _clock) = running(&store).await;
    let row = |span: RollupSpan, ago_ms: i64, left: u64| RollupRow {
        span,
        at: span.start(start() + -ago_ms),
        queue: Some("mail".to_owned()),
        node: "a".to_owned(),
        figures: serde_json::to_string(&QueueFigures { left, ..QueueFigures::default() }).unwrap(),
    };
    let rows = vec![
        row(RollupSpan::Minute, 60 * SECOND_MS, 1),
        row(RollupSpan::Quarter, 3 * DAY_MS, 2),
        row(RollupSpan::Watch, 30 * DAY_MS, 4),
    ];
    store.put_rollups(rows, start()).await.unwrap();
    let client = &running.client;
    for (days, step_ms, left) in [(1, 60_000, 1), (4, 900_000, 2), (40, 10_800_000, 4)] {
        let from = Some((start() + -days * DAY_MS).to_string().parse().unwrap());
        let filter = QueueHistoryFilter { from, to: None, step_ms: Some(60_000) };
        let history = client.queue_history("mail", &filter).await.unwrap();
        assert_eq!(history.step_ms, step_ms, "{days}");
        assert_eq!(history.points.iter().map(|point| point.left).sum::<u64>(), left, "{days}");
    }
    for wrong in ["from=2027-01-01T00:00:00Z", "step_ms=0", "step_ms=x", "minutes=5"] {
        let answer = running.request("GET", &format!("/api/v1/queues/mail/history?{wrong}")).send().await.unwrap();
        assert_eq!(answer.status(), 400, "{wrong}");
    }
    let answer = running.request("GET", "/api/v1/queues/a%20b/history").send().await.unwrap();
    assert_eq!(answer.status(), 422);
    running.stop().await;
}
