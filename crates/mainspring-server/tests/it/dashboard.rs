//! The whole at a glance, and what was not fired.

use std::sync::Arc;
use std::time::Duration;

use mainspring_api::client::Precondition;
use mainspring_api::{AttentionKind, Dashboard, Misfires, RunNow, WriteOptions};
use mainspring_core::Timestamp;
use mainspring_engine::{Engine, Figures, ManualClock};
use mainspring_server::Settings;
use mainspring_store::{MemoryStore, RollupRow, RollupSpan, Store};
use serde_json::{Value, json};

use crate::kit::{Running, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

fn start() -> Timestamp {
    "2026-01-01T12:00:30Z".parse().unwrap()
}

/// A server whose clock stands still.
async fn running(store: &Arc<MemoryStore>) -> (Running, ManualClock) {
    let clock = ManualClock::new(start());
    let (store, settings) = (Arc::clone(store) as Arc<dyn Store>, mainspring_engine::Settings::default());
    let engine = Engine::start_with(store, settings, Arc::new(clock.clone()), Arc::default()).await.unwrap();
    (Running::over(Arc::new(engine), Settings::default()).await, clock)
}

async fn get<T: serde::de::DeserializeOwned>(running: &Running, path: &str) -> T {
    let answer = running.request("GET", path).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    answer.json().await.unwrap()
}

#[tokio::test]
async fn dashboard_adds_up_what_nodes_have_counted() {
    let store = Arc::new(MemoryStore::new());
    let (running, _clock) = running(&store).await;
    let row = |span: RollupSpan, ago_ms: i64, node: &str, failed: u64| RollupRow {
        span,
        at: span.start(start() + -ago_ms),
        queue: None,
        node: node.to_owned(),
        figures: serde_json::to_string(&Figures { fires: 10, failed, ..Figures::default() }).unwrap(),
    };
    let minute = RollupSpan::Minute;
    let rows = vec![
        row(minute, 0, "a", 1),
        row(minute, 120_000, "a", 2),
        row(minute, 120_000, "b", 3),
        row(minute, 2 * 3_600_000, "a", 4),
        row(RollupSpan::Quarter, 3_600_000, "a", 7),
    ];
    store.put_rollups(rows, start()).await.unwrap();
    for (range, points, step_ms, failed, fires) in [
        ("1h", 60, 60_000, 6, 30),
        ("6h", 72, 300_000, 10, 40),
        ("24h", 96, 900_000, 7, 10),
        ("7d", 84, 7_200_000, 7, 10),
        ("30d", 120, 21_600_000, 0, 0),
    ] {
        let made: Dashboard = get(&running, &format!("/api/v1/dashboard?range={range}")).await;
        assert_eq!((made.series.len(), made.step_ms), (points, step_ms), "{range}");
        assert_eq!((made.counters.failed, made.counters.fires), (failed, fires), "{range}");
        assert_eq!(made.series.iter().map(|point| point.failed).sum::<u64>(), failed);
        assert_eq!(made.series[0].at, made.from);
    }
    let refused = running.request("GET", "/api/v1/dashboard?range=1y").send().await.unwrap();
    assert_eq!(refused.status(), 400);
    running.stop().await;
}

#[tokio::test]
async fn dashboard_says_how_many_handlers_were_how_late() {
    let store = Arc::new(MemoryStore::new());
    let (running, _clock) = running(&store).await;
    // Two at 1 ms, one at 2 ms, five from 64 to 79 ms, as a node keeps them.
    let lateness = serde_json::from_value(json!({"counts": {"1": 2, "2": 1, "20": 5}, "max_ms": 70})).unwrap();
    let row = RollupRow {
        span: RollupSpan::Minute,
        at: RollupSpan::Minute.start(start()),
        queue: None,
        node: "a".to_owned(),
        figures: serde_json::to_string(&Figures { lateness, ..Figures::default() }).unwrap(),
    };
    store.put_rollups(vec![row], start()).await.unwrap();
    let made: Dashboard = get(&running, "/api/v1/dashboard").await;
    assert_eq!((made.lateness.entered, made.lateness.max_ms), (8, Some(70)));
    let spread: Vec<_> = made.lateness.spread.iter().map(|part| (part.below_ms, part.count)).collect();
    assert_eq!(spread, [(1, 0), (2, 2), (4, 1), (8, 0), (16, 0), (32, 0), (64, 0), (128, 5)]);
    running.stop().await;
}

#[tokio::test]
async fn fifty_that_look_are_shown_the_same_for_two_seconds() {
    let store = Arc::new(MemoryStore::new());
    let (running, clock) = running(&store).await;
    let row = |failed: u64| RollupRow {
        span: RollupSpan::Minute,
        at: RollupSpan::Minute.start(start()),
        queue: None,
        node: "a".to_owned(),
        figures: serde_json::to_string(&Figures { failed, ..Figures::default() }).unwrap(),
    };
    let failed = async || {
        let made: Dashboard = get(&running, "/api/v1/dashboard").await;
        made.counters.failed
    };
    store.put_rollups(vec![row(1)], start()).await.unwrap();
    assert_eq!(failed().await, 1);
    // What comes later is not looked for, however many ask.
    store.put_rollups(vec![row(2)], start()).await.unwrap();
    for _ in 0..50 {
        assert_eq!(failed().await, 1);
    }
    clock.set(start() + 1_999);
    assert_eq!(failed().await, 1);
    clock.set(start() + 2_000);
    assert_eq!(failed().await, 2);
    running.stop().await;
}

#[tokio::test]
async fn dashboard_says_what_fails_and_what_comes() {
    let store = Arc::new(MemoryStore::new());
    let (running, clock) = running(&store).await;
    let client = &running.client;
    running.engine.handlers().register("bad", |_: mainspring_engine::RunContext| async { Err::<(), _>("no route") });
    let broken = spec(json!({"name": "broken", "handler": "bad"}));
    for namespace in ["default", "other"] {
        client.put_job(namespace, &broken, Precondition::None, COMMIT).await.unwrap();
    }
    let later = spec(json!({"name": "later", "noop": true, "schedule": [{"cron": "*/10 * * * *"}]}));
    client.put_job("default", &later, Precondition::None, COMMIT).await.unwrap();
    let mut last = String::new();
    for namespace in ["default", "default", "other"] {
        let run = client.run_job(namespace, "broken", &RunNow::default()).await.unwrap();
        last = client.wait_for_run(&run.id).await.unwrap().id;
    }
    // The node keeps its counts when its clock has gone on.
    clock.set(start() + 6_000);
    let kept = async {
        loop {
            let rows = store.rollups(RollupSpan::Minute, start() + -60_000, start() + 60_000).await.unwrap();
            let failed = rows.iter().filter_map(Figures::read).map(|figures| figures.failed).sum::<u64>();
            if failed == 3 {
                break;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), kept).await.expect("the figures are kept");

    let made: Dashboard = get(&running, "/api/v1/dashboard").await;
    assert_eq!((made.counters.failed, made.counters.queued, made.counters.running), (3, 0, 0));
    let failing = |made: &Dashboard| {
        let items = made.attention.iter().filter(|item| item.kind == AttentionKind::Failing);
        let mut shown: Vec<_> =
            items.map(|item| (item.namespace.clone().unwrap(), item.count, item.last_run.clone().unwrap())).collect();
        shown.sort();
        shown
    };
    let shown = failing(&made);
    assert_eq!(
        shown.iter().map(|(namespace, count, _)| (namespace.as_str(), *count)).collect::<Vec<_>>(),
        [("default", 2), ("other", 1)]
    );
    let made: Dashboard = get(&running, "/api/v1/dashboard?namespace=other").await;
    assert_eq!(failing(&made), [("other".to_owned(), 1, last)]);
    assert_eq!((made.counters.failed, made.counters_partial), (1, false), "what other namespaces do is not counted");
    assert_eq!(made.series.iter().map(|point| point.failed).sum::<u64>(), 1);
    assert!(made.next_hour.iter().all(|part| part.fires == 0), "only the other namespace has a schedule");

    let made: Dashboard = get(&running, "/api/v1/dashboard?namespace=default").await;
    assert_eq!((made.next_hour.len(), made.next_hour_complete, made.counters.failed), (12, true, 2));
    let total: u64 = made.next_hour.iter().map(|part| part.fires).sum();
    assert_eq!(total, 5, "from 12:10 to 12:50");
    let first = made.next_hour.iter().find(|part| part.fires > 0).unwrap();
    assert_eq!((first.top[0].job.as_str(), first.top.len()), ("later", 1));
    running.stop().await;
}

#[tokio::test]
async fn namespace_shows_its_failure_behind_many_of_others() {
    let store = Arc::new(MemoryStore::new());
    let (running, _clock) = running(&store).await;
    let client = &running.client;
    running.engine.handlers().register("bad", |_: mainspring_engine::RunContext| async { Err::<(), _>("no route") });
    let later = (0..50).map(|number| ("default", format!("broken-{number}")));
    for (namespace, name) in std::iter::once(("other", "broken".to_owned())).chain(later) {
        let broken = spec(json!({"name": name, "handler": "bad"}));
        client.put_job(namespace, &broken, Precondition::None, COMMIT).await.unwrap();
        let run = client.run_job(namespace, &name, &RunNow::default()).await.unwrap();
        client.wait_for_run(&run.id).await.unwrap();
    }
    let made: Dashboard = get(&running, "/api/v1/dashboard?namespace=other").await;
    let mut failing = made.attention.iter().filter(|item| item.kind == AttentionKind::Failing);
    assert_eq!(failing.next().and_then(|item| item.job.as_deref()), Some("broken"));
    running.stop().await;
}

#[tokio::test]
async fn runs_of_other_jobs_do_not_make_up_for_an_outage() {
    let store = Arc::new(MemoryStore::new());
    let (running, clock) = running(&store).await;
    for (namespace, misfire) in [("a", "do_nothing"), ("b", "fire_once_now")] {
        let job = json!({"name": misfire.replace('_', "-"), "noop": true,
            "triggers": [{"name": "t", "cron": "0 * * * * ?", "misfire": misfire}]});
        running.client.put_job(namespace, &spec(job), Precondition::None, COMMIT).await.unwrap();
    }
    clock.set(start() + 3_600_000);
    let caught_up = async |query: &str| {
        let page: Misfires = get(&running, &format!("/api/v1/misfires?{query}")).await;
        page.summary.unwrap().outages.first().map(|outage| outage.caught_up)
    };
    let both = async {
        while caught_up("namespace=a").await.is_none() || caught_up("namespace=-").await != Some(1) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), both).await.expect("one job skips, and one catches up");
    assert_eq!(caught_up("namespace=a").await, Some(0));
    assert_eq!(caught_up("namespace=a&job=do-nothing").await, Some(0));
    assert_eq!(caught_up("job=do-nothing").await, Some(0));
    running.stop().await;
}

#[tokio::test]
async fn misfires_of_all_triggers_are_listed_with_their_outage() {
    let store = Arc::new(MemoryStore::new());
    let (running, clock) = running(&store).await;
    let client = &running.client;
    let skips = json!({"name": "skips", "noop": true,
        "triggers": [{"name": "t", "cron": "0 * * * * ?", "misfire": "do_nothing"}]});
    client.put_job("a", &spec(skips), Precondition::None, COMMIT).await.unwrap();
    // An hour in which nobody fires: the clock jumps, as it does for a process that was suspended.
    clock.set(start() + 3_600_000);
    let mut page: Misfires = get(&running, "/api/v1/misfires").await;
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while page.items.is_empty() && std::time::Instant::now() < deadline {
        tokio::task::yield_now().await;
        page = get(&running, "/api/v1/misfires").await;
    }
    let item = &page.items[0];
    assert_eq!((item.namespace.as_str(), item.job.as_str(), item.trigger.as_deref()), ("a", "skips", Some("t")));
    assert_eq!((item.outcome.as_str(), item.cause.as_str()), ("missed", "misfire"));
    assert!(item.count >= 59, "{item:?}");
    let summary = page.summary.as_ref().unwrap();
    assert_eq!((summary.missed, summary.suppressed, summary.complete), (item.count, 0, true));
    let outage = &summary.outages[0];
    assert_eq!((outage.from, outage.to, outage.skipped), (item.first, item.last, item.count));
    for (query, found) in [
        ("namespace=a", 1),
        ("namespace=-", 1),
        ("namespace=b", 0),
        ("job=skips&cause=misfire&outcome=missed", 1),
        ("cause=overlap", 0),
        ("policy=do_nothing", 1),
        ("policy=skip", 0),
        ("to=2026-01-01T12:00:00Z", 0),
        ("from=2026-01-01T13:30:00Z", 0),
    ] {
        let page: Misfires = get(&running, &format!("/api/v1/misfires?{query}")).await;
        assert_eq!(page.items.len(), found, "{query}");
    }
    let policy = &summary.policies[0];
    assert_eq!((policy.policy.as_str(), policy.missed, policy.suppressed), ("do_nothing", item.count, 0));
    for (query, meant) in [("cause=overlpa", "overlap"), ("policy=do_nothin", "do_nothing")] {
        let refused = running.request("GET", &format!("/api/v1/misfires?{query}")).send().await.unwrap();
        let problem: Value = refused.json().await.unwrap();
        assert_eq!((&problem["status"], &problem["hint"]), (&json!(400), &json!(format!("did you mean \"{meant}\"?"))));
    }
    running.stop().await;
}
