//! Apply and export.

use std::time::Duration;

use mainspring_api::{ApplyOptions, Bundle, ErrorCode, ItemKind, JobFilter, PageFilter};
use serde_json::{Value, json};

use crate::kit::{Running, code};

const COMMIT: ApplyOptions = ApplyOptions { dry_run: false, prune: false };
const DRY_RUN: ApplyOptions = ApplyOptions { dry_run: true, prune: false };
const PRUNE: ApplyOptions = ApplyOptions { dry_run: false, prune: true };

fn bundle(json: Value) -> Bundle {
    serde_json::from_value(json).unwrap()
}

fn sample() -> Value {
    json!({
        "namespace": "prod",
        "calendars": [
            {"name": "closed", "holiday": ["2026-12-25"], "base": "weekends"},
            {"name": "weekends", "weekly": ["sat", "sun"]},
        ],
        "jobs": [
            {"name": "report", "noop": true, "schedule": "0 9 * * *", "calendar": "closed"},
            {"name": "sync", "noop": true, "schedule": {"every": "10m"}},
        ],
    })
}

fn actions(result: &mainspring_api::ApplyResult) -> Vec<String> {
    result.items.iter().map(|item| format!("{} {} {}", item.kind, item.name, item.action)).collect()
}

#[tokio::test]
async fn a_bundle_is_applied_compared_and_pruned() {
    let running = Running::start().await;
    let client = &running.client;
    let tried = client.apply(&bundle(sample()), DRY_RUN).await.unwrap();
    assert_eq!(
        actions(&tried),
        ["calendar closed created", "calendar weekends created", "job report created", "job sync created"]
    );
    assert!(tried.dry_run && client.calendars("prod", &PageFilter::default()).await.is_err(), "nothing is kept");

    let made = client.apply(&bundle(sample()), COMMIT).await.unwrap();
    assert_eq!((made.totals.created, made.items.iter().all(|item| item.version == Some(1))), (4, true));
    let again = client.apply(&bundle(sample()), COMMIT).await.unwrap();
    assert_eq!((again.totals.unchanged, again.totals.created), (4, 0));

    let mut changed = sample();
    changed["jobs"][1]["schedule"]["every"] = json!("5m");
    changed["jobs"].as_array_mut().unwrap().remove(0);
    changed["calendars"] = json!([]);
    let updated = client.apply(&bundle(changed.clone()), COMMIT).await.unwrap();
    assert_eq!(actions(&updated), ["job sync updated"], "what the bundle lacks stays without prune");
    let change = &updated.items[0].changes[0];
    assert_eq!(
        (change.pointer.as_str(), &change.before, &change.after),
        ("/schedule/every", &Some(json!("10m")), &Some(json!("5m")))
    );
    assert_eq!(updated.items[0].version, Some(2));

    let tried = client.apply(&bundle(changed.clone()), ApplyOptions { dry_run: true, prune: true }).await.unwrap();
    let pruned = client.apply(&bundle(changed), PRUNE).await.unwrap();
    let expected = ["job sync unchanged", "job report deleted", "calendar closed deleted", "calendar weekends deleted"];
    assert_eq!(
        (actions(&tried), actions(&pruned)),
        (expected.map(str::to_owned).to_vec(), expected.map(str::to_owned).to_vec())
    );
    assert_eq!(client.jobs("prod", &JobFilter::default()).await.unwrap().items.len(), 1);
    running.stop().await;
}

#[tokio::test]
async fn what_is_exported_can_be_applied_elsewhere() {
    let running = Running::start().await;
    running.client.apply(&bundle(sample()), COMMIT).await.unwrap();
    let exported = running.client.export("prod").await.unwrap();
    let other = Running::start().await;
    let made = other.client.apply(&exported, COMMIT).await.unwrap();
    assert_eq!(made.totals.created, 4);
    assert_eq!(other.client.export("prod").await.unwrap(), exported);
    let same = running.client.apply(&exported, COMMIT).await.unwrap();
    assert_eq!(same.totals.unchanged, 4);
    running.stop().await;
    other.stop().await;
}

#[tokio::test]
async fn one_thing_that_is_wrong_keeps_the_whole_bundle_out() {
    let running = Running::start().await;
    let cases = [
        (
            json!({"jobs": [{"name": "good", "noop": true}, {"name": "bad", "noop": true, "schedule": "0 0 31 2 *"}]}),
            "schedule.never",
            "/jobs/1/schedule",
        ),
        (
            json!({"jobs": [{"name": "good", "noop": true}, {"name": "good", "noop": true}]}),
            "name.duplicate",
            "/jobs/1/name",
        ),
        (
            json!({"calendars": [{"name": "a", "weekly": "sun", "base": "b"}, {"name": "b", "weekly": "sat", "base": "a"}]}),
            "request.invalid",
            "/calendars/0/base",
        ),
        (
            json!({"calendars": [{"name": "a", "holiday": ["2026-02-30"]}]}),
            "schedule.instant",
            "/calendars/0/holiday/0",
        ),
        (json!({"calendars": [{"name": "a", "annual": ["13-45", "x"]}]}), "schedule.instant", "/calendars/0/annual/1"),
        (
            json!({"calendars": [{"name": "a", "weekly": "sun", "base": "nowhere"}]}),
            "calendar.unknown",
            "/calendars/0/base",
        ),
        (
            json!({"calendars": [{"name": "a", "weekly": ["mon","tue","wed","thu","fri","sat","sun"]}],
                "jobs": [{"name": "good", "noop": true, "schedule": "@daily", "calendar": "a"}]}),
            "schedule.never",
            "/jobs/0/schedule",
        ),
    ];
    for (body, code, pointer) in cases {
        let answer = running.request("POST", "/api/v1/apply").json(&body).send().await.unwrap();
        let problem: Value = answer.json().await.unwrap();
        assert_eq!((&problem["code"], &problem["errors"][0]["pointer"]), (&json!(code), &json!(pointer)), "{problem}");
    }
    assert!(running.client.jobs("default", &JobFilter::default()).await.unwrap().items.is_empty());
    let empty = running.client.apply(&Bundle::default(), PRUNE).await.unwrap();
    assert!(empty.items.is_empty(), "an empty bundle names no namespace to prune");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_jobs_fit_into_one_apply_and_others_are_served_meanwhile() {
    let running = Running::start().await;
    let jobs: Vec<_> = (0..10_000)
        .map(|index| json!({"name": format!("job-{index:05}"), "noop": true, "schedule": "0 3 1 1 *", "timezone": "Asia/Shanghai", "labels": {"n": index.to_string()}}))
        .collect();
    let bundle = bundle(json!({"namespace": "big", "jobs": jobs}));
    let client = mainspring_api::client::Client::builder(&running.url)
        .token(&running.token)
        .timeout(Duration::from_secs(120))
        .build()
        .unwrap();
    let apply = tokio::spawn(async move { client.apply(&bundle, COMMIT).await });
    let mut slowest = Duration::ZERO;
    while !apply.is_finished() {
        let begun = std::time::Instant::now();
        running.client.livez().await.unwrap();
        slowest = slowest.max(begun.elapsed());
        tokio::task::yield_now().await;
    }
    let result = apply.await.unwrap().unwrap();
    assert_eq!(result.totals.created, 10_000);
    assert_eq!(result.items.iter().filter(|item| item.kind == ItemKind::Job).count(), 10_000);
    // Generous: the point is that it is not the time of the whole apply.
    assert!(slowest < Duration::from_secs(2), "livez took {slowest:?} beside the apply");
    running.stop().await;
}

#[tokio::test]
async fn a_bundle_beyond_all_bounds_is_refused() {
    let running = Running::start().await;
    let large = vec![b' '; (32 << 20) + 1];
    let answer = running
        .request("POST", "/api/v1/apply")
        .header("Content-Type", "application/json")
        .body(large)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 413);
    let missing = running.client.export("nowhere").await;
    assert_eq!(code(missing), ErrorCode::NamespaceNotFound);
    running.stop().await;
}
