//! Lists that are searched, sorted and completed.

use std::sync::Arc;

use mainspring_api::client::Precondition;
use mainspring_api::{ErrorCode, Job, JobFilter, Page, Run, RunFilter, RunNow, RunState, WriteOptions};
use mainspring_core::Timestamp;
use mainspring_engine::{Clock, Engine, ManualClock};
use mainspring_server::Settings;
use mainspring_store::MemoryStore;
use serde_json::{Value, json};

use crate::kit::{Running, code, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

/// Jobs of two namespaces, one of which has run well and one badly.
async fn start() -> Running {
    let begin: Timestamp = "2026-01-01T12:00:30Z".parse().unwrap();
    let clock = ManualClock::new(begin);
    let (store, settings) = (Arc::new(MemoryStore::new()), mainspring_engine::Settings::default());
    let engine = Engine::start_with(store, settings, Arc::new(clock.clone()), Arc::default()).await.unwrap();
    let running = Running::over(Arc::new(engine), Settings::default()).await;
    running.engine.handlers().register("bad", |_: mainspring_engine::RunContext| async { Err::<(), _>("no route") });
    for (namespace, job) in [
        (
            "a",
            json!({"name": "backup", "noop": true, "owner": "data-platform", "labels": {"team": "ops"}, "schedule": [{"cron": "0 * * * *"}]}),
        ),
        ("a", json!({"name": "broken", "handler": "bad", "labels": {"team": "web"}})),
        ("b", json!({"name": "backup", "noop": true, "queue": "slow"})),
        (
            "b",
            json!({"name": "rest", "noop": true, "paused": true, "schedule": [{"cron": "0 9 * * *", "timezone": "Asia/Shanghai"}]}),
        ),
    ] {
        running.client.put_job(namespace, &spec(job), Precondition::None, COMMIT).await.unwrap();
    }
    for name in ["backup", "broken"] {
        let run = running.client.run_job("a", name, &RunNow::default()).await.unwrap();
        running.client.wait_for_run(&run.id).await.unwrap();
        // Of runs of the same millisecond nobody knows which comes first.
        clock.set(clock.now() + 1_000);
    }
    running
}

async fn jobs(running: &Running, namespace: &str, filter: JobFilter) -> Page<Job> {
    running.client.jobs(namespace, &filter).await.unwrap()
}

fn named(page: &Page<Job>) -> String {
    let keys: Vec<_> = page.items.iter().map(|job| format!("{}/{}", job.namespace, job.name)).collect();
    keys.join(" ")
}

#[tokio::test]
async fn jobs_are_found_by_their_owner() {
    let running = start().await;
    for (owner, expected) in [("data-platform", "a/backup"), ("DATA-*", "a/backup"), ("data", "")] {
        let found = jobs(&running, "-", JobFilter { owner: Some(owner.into()), ..JobFilter::default() }).await;
        assert_eq!(named(&found), expected, "{owner}");
        assert!(found.items.iter().all(|job| job.spec.owner.as_deref() == Some("data-platform")));
    }
    let nameless = spec(json!({"name": "x", "noop": true, "owner": " "}));
    let refused = running.client.put_job("a", &nameless, Precondition::None, COMMIT).await;
    assert_eq!(code(refused), ErrorCode::FieldValue);
}

#[tokio::test]
async fn jobs_are_found_by_what_they_are_and_did() {
    let running = start().await;
    let all = "a/backup a/broken b/backup b/rest";
    for (namespace, q, expected) in [
        ("-", "", all),
        ("a", "", "a/backup a/broken"),
        ("-", "backup", "a/backup b/backup"),
        ("-", "state:failing", "a/broken"),
        ("-", "state:never", "b/backup b/rest"),
        ("-", "label:team=ops,team=web -name:backup", "a/broken"),
        ("-", "queue:slow", "b/backup"),
        ("b", "state:paused zone:asia/*", "b/rest"),
        ("-", "next<2h", "a/backup"),
        ("-", "last<1h", "a/backup a/broken"),
        ("-", "namespace:b -state:paused", "b/backup"),
        ("-", "nothing", ""),
    ] {
        let page = jobs(&running, namespace, JobFilter { q: Some(q.into()), ..JobFilter::default() }).await;
        assert_eq!((named(&page).as_str(), page.next_cursor), (expected, None), "{namespace} {q}");
    }
    let wrong = JobFilter { q: Some("a stat:x".into()), ..JobFilter::default() };
    match running.client.jobs("-", &wrong).await {
        Err(mainspring_api::client::ClientError::Refused(problem)) => {
            assert_eq!(problem.error_code(), Some(ErrorCode::SearchSyntax));
            assert_eq!(problem.errors[0].position.as_ref().map(|at| at.column), Some(3));
            assert_eq!(problem.hint.as_deref(), Some("did you mean \"state\"?"));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(code(running.client.jobs("none", &JobFilter::default()).await), ErrorCode::NamespaceNotFound);
    running.stop().await;
}

#[tokio::test]
async fn jobs_are_paged_in_every_order_with_their_newest_runs() {
    let running = start().await;
    for (sort, expected) in [
        (None, "a/backup a/broken b/backup b/rest"),
        (Some("-name"), "b/rest b/backup a/broken a/backup"),
        (Some("next"), "a/backup a/broken b/backup b/rest"),
        (Some("-next"), "a/backup a/broken b/backup b/rest"),
    ] {
        let mut filter =
            JobFilter { limit: Some(3), sort: sort.map(str::to_owned), recent: Some(2), ..JobFilter::default() };
        let mut seen = Vec::new();
        loop {
            let page = jobs(&running, "-", filter.clone()).await;
            seen.extend(page.items);
            filter.cursor = page.next_cursor;
            if filter.cursor.is_none() {
                break;
            }
        }
        let recent: Vec<_> = seen.iter().map(|job| job.recent.len()).collect();
        assert_eq!(recent.iter().sum::<usize>(), 2, "{recent:?}");
        assert_eq!(named(&Page { items: seen, next_cursor: None }), expected, "{sort:?}");
    }
    let page = jobs(&running, "a", JobFilter { recent: Some(5), ..JobFilter::default() }).await;
    let broken = &page.items[1];
    assert_eq!(broken.recent.iter().map(|run| run.state).collect::<Vec<_>>(), [RunState::Failed]);
    assert_eq!(broken.last_run.as_ref(), broken.recent.first());
    assert_eq!((page.items[0].explanations.len(), broken.explanations.len()), (1, 0));
    for bad in [json!({"recent": 51}), json!({"sort": "size"})] {
        let filter = serde_json::from_value(bad).unwrap();
        assert_eq!(code(running.client.jobs("-", &filter).await), ErrorCode::RequestQuery);
    }
    running.stop().await;
}

#[tokio::test]
async fn runs_are_found_in_all_namespaces() {
    let running = start().await;
    let found = async |namespace: &str, filter: RunFilter| {
        let page: Page<Run> = running.client.runs(namespace, &filter).await.unwrap();
        assert_eq!(page.next_cursor, None);
        page.items.iter().map(|run| run.job.clone()).collect::<Vec<_>>().join(" ")
    };
    let q = |q: &str| RunFilter { q: Some(q.into()), ..RunFilter::default() };
    for (query, expected) in [
        ("", "broken backup"),
        ("state:failed", "broken"),
        ("-state:failed created<1h", "backup"),
        ("error:\"no route\"", "broken"),
        ("route", "broken"),
        ("took>1d", ""),
        ("job:back*", "backup"),
        ("queue:default attempt:1", "broken backup"),
    ] {
        assert_eq!(found("-", q(query)).await, expected, "{query}");
    }
    assert_eq!(found("-", RunFilter { job: Some("backup".into()), ..RunFilter::default() }).await, "backup");
    assert_eq!(found("b", q("")).await, "");
    assert_eq!(code(running.client.runs("-", &q("took:5s")).await), ErrorCode::SearchSyntax);
    running.stop().await;
}

#[tokio::test]
async fn queries_are_completed() {
    let running = start().await;
    let facets = async |query: &str| {
        let answer = running.request("GET", &format!("/api/v1/facets?{query}")).send().await.unwrap();
        let status = answer.status().as_u16();
        let body: Value = answer.json().await.unwrap();
        let values: Vec<_> = body["values"].as_array().into_iter().flatten().map(|it| it["value"].clone()).collect();
        (status, json!(values))
    };
    for (query, expected) in [
        ("page=jobs&prefix=s", json!(["state", "script", "schedule"])),
        ("page=jobs&field=state&prefix=P", json!(["paused"])),
        ("page=jobs&field=label", json!(["team", "team=ops", "team=web"])),
        ("page=jobs&field=label&namespace=b", json!([])),
        ("page=jobs&field=owner", json!(["data-platform"])),
        ("page=jobs&field=name&prefix=b", json!(["backup", "broken"])),
        ("page=runs&field=job&namespace=a", json!(["backup", "broken"])),
        ("page=runs&field=took", json!([])),
    ] {
        assert_eq!(facets(query).await, (200, expected), "{query}");
    }
    // The jobs of a query, in groups.
    let groups = async |query: &str| {
        let answer = running.request("GET", &format!("/api/v1/facets?page=jobs&{query}")).send().await.unwrap();
        let body: Value = answer.json().await.unwrap();
        let values = body["values"].as_array().into_iter().flatten();
        let values: Vec<_> = values.map(|it| format!("{}:{}", it["value"].as_str().unwrap(), it["count"])).collect();
        (values.join(" "), body["without"].clone(), body["complete"].clone())
    };
    for (query, expected, without) in [
        ("field=owner&q=", "data-platform:1", 3),
        ("field=label&prefix=team%3D&q=", "team=ops:1 team=web:1", 2),
        ("field=task&q=", "noop:3 handler:1", 0),
        ("field=task&q=label:team", "handler:1 noop:1", 0),
        ("field=namespace&q=", "a:2 b:2", 0),
        ("field=owner&q=&namespace=b", "", 2),
        ("field=state&q=", "enabled:1 failing:1 never:1 paused:1", 0),
        ("field=state&q=-state:paused&namespace=b", "never:1", 0),
    ] {
        assert_eq!(groups(query).await, (expected.to_owned(), json!(without), json!(true)), "{query}");
    }
    for query in
        ["page=runs&field=job&q=", "page=jobs&q=", "page=jobs&field=schedule&q=", "page=jobs&field=owner&q=x:y"]
    {
        assert_eq!(facets(query).await.0, 400, "{query}");
    }
    assert_eq!(facets("page=triggers").await.0, 400);
    assert_eq!(facets("page=jobs&field=x").await.0, 400);
    running.stop().await;
}
