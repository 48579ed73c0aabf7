//! Jobs and triggers: saved, changed, paused, deleted, on condition and tried out.

use mainspring_api::client::{ClientError, Precondition};
use mainspring_api::{
    ApplyOptions, Bundle, ErrorCode, JobFilter, PageFilter, Reason, TriggerFilter, TriggerState, WriteOptions,
};
use serde_json::{Value, json};

use crate::kit::{Running, code, spec};

const DRY_RUN: WriteOptions = WriteOptions { dry_run: true };
const COMMIT: WriteOptions = WriteOptions { dry_run: false };

#[tokio::test]
async fn a_job_is_saved_changed_and_deleted() {
    let running = Running::start().await;
    let client = &running.client;
    let wanted = spec(json!({"name": "etl", "noop": true, "schedule": "30 2 * * *", "timezone": "Asia/Shanghai"}));

    assert_eq!(code(client.job("default", "etl").await), ErrorCode::JobNotFound);
    let tried = client.put_job("default", &wanted, Precondition::None, DRY_RUN).await.unwrap();
    assert_eq!((tried.version, tried.spec.timezone.as_deref()), (1, Some("Asia/Shanghai")));
    assert_eq!(code(client.job("default", "etl").await), ErrorCode::JobNotFound, "a dry run keeps nothing");

    let made = client.put_job("default", &wanted, Precondition::Absent, COMMIT).await.unwrap();
    assert_eq!((made.version, made.name.as_str(), made.active_runs), (1, "etl", 0));
    assert!(made.next_fire_at.is_some());
    assert_eq!(code(client.put_job("default", &wanted, Precondition::Absent, COMMIT).await), ErrorCode::ResourceExists);
    let same = client.put_job("default", &wanted, Precondition::Version(1), COMMIT).await.unwrap();
    assert_eq!(same.version, 1, "the same again changes nothing");

    let patch = json!({"retries": 3, "retry_delay": "90s"});
    let changed = client.patch_job("default", "etl", &patch, Precondition::Version(1), COMMIT).await.unwrap();
    assert_eq!((changed.version, changed.spec.retries, changed.spec.retry_delay.as_deref()), (2, Some(3), Some("90s")));
    assert_eq!(changed.spec.schedule, wanted.schedule, "what the patch does not name stays");
    let stale = client.patch_job("default", "etl", &patch, Precondition::Version(1), COMMIT).await;
    assert_eq!(code(stale), ErrorCode::ResourceStale);
    let removed = json!({"retries": null, "retry_delay": null});
    let changed = client.patch_job("default", "etl", &removed, Precondition::None, COMMIT).await.unwrap();
    assert_eq!(changed.spec.retries, None);

    assert_eq!(
        code(client.delete_job("default", "etl", Precondition::Version(1), COMMIT).await),
        ErrorCode::ResourceStale
    );
    client.delete_job("default", "etl", Precondition::Version(3), DRY_RUN).await.unwrap();
    client.delete_job("default", "etl", Precondition::Version(3), COMMIT).await.unwrap();
    assert_eq!(code(client.job("default", "etl").await), ErrorCode::JobNotFound);
    running.stop().await;
}

#[tokio::test]
async fn everything_that_is_wrong_is_said_at_once() {
    let running = Running::start().await;
    let bad = spec(json!({
        "name": "a", "queue": "a b", "timeout": "a while", "timezone": "Mars/Base",
        "schedule": ["61 * * * *", {"every": "soon", "end_at": "never"}], "http": {"url": "nowhere", "timeout": "0s"},
    }));
    let error = running.client.put_job("default", &bad, Precondition::None, COMMIT).await.unwrap_err();
    let ClientError::Refused(problem) = error else { panic!("{error:?}") };
    let mut places: Vec<_> = problem.errors.iter().map(|problem| problem.pointer.as_str()).collect();
    places.sort_unstable();
    let expected = [
        "/http/timeout",
        "/http/url",
        "/queue",
        "/schedule/0",
        "/schedule/1/end_at",
        "/schedule/1/every",
        "/timeout",
        "/timezone",
    ];
    assert_eq!(places, expected, "{problem}");
    running.stop().await;
}

#[tokio::test]
async fn an_instant_that_is_past_is_a_warning() {
    let running = Running::start().await;
    let client = &running.client;
    let late = spec(json!({"name": "a", "noop": true, "triggers": [{"name": "x", "at": "2001-01-01T00:00:00Z"}]}));
    let bundle = Bundle { jobs: vec![late.clone()], ..Bundle::default() };
    let options = ApplyOptions::default();
    let applied = client.apply(&bundle, options).await.unwrap();
    let found: Vec<_> = applied.warnings.iter().map(|it| (it.code.as_str(), it.pointer.as_str())).collect();
    assert_eq!(found, [("schedule.past", "/jobs/0/triggers/0/at")]);
    assert_eq!(client.apply(&bundle, options).await.unwrap().warnings, [], "the same again is known");
    let saved = client.put_job("default", &late, Precondition::None, COMMIT).await.unwrap();
    assert_eq!(saved.warnings[0].pointer, "/triggers/0/at");
    let trigger = client.trigger("default", "a", "x").await.unwrap();
    assert_eq!((trigger.state, trigger.next_fire_at), (TriggerState::Complete, None), "as the warning says");
    assert_eq!(client.job("default", "a").await.unwrap().warnings, []);
    running.stop().await;
}

#[tokio::test]
async fn a_query_that_is_wrong_is_refused_in_plain_words() {
    let running = Running::start().await;
    let client = &running.client;
    client.put_job("default", &spec(json!({"name": "a", "noop": true})), Precondition::None, COMMIT).await.unwrap();
    let query = "request.query";
    let cases = [
        ("jobs?limit=many", query, "query parameter \"limit\" must be a whole number, not the text \"many\""),
        ("jobs?limit=0", query, "query parameter \"limit\" takes 1 to 1000, not 0"),
        ("jobs?paused=yes", query, "query parameter \"paused\" must be true or false, not the text \"yes\""),
        (
            "jobs?nmae=a&limit=-1",
            query,
            "query parameter \"limit\" is -1, not within 0 to 4294967295; unknown query parameter \"nmae\"",
        ),
        ("jobs?limit=1&limit=2", query, "query parameter \"limit\" is given twice"),
        (
            "runs?state=done",
            query,
            "query parameter \"state\" is \"done\", not one of waiting, held, scheduled, queued, running, succeeded, failed, cancelled, skipped",
        ),
        ("runs?from=yesterday", query, "query parameter \"from\": "),
        ("jobs?cursor=zzz", "request.cursor", "\"zzz\" is no cursor of this list"),
        ("jobs?cursor=triggers/a/b", "request.cursor", "is no cursor of this list"),
        ("triggers?cursor=zzz", "request.cursor", "is no cursor"),
        ("calendars?cursor=zzz", "request.cursor", "is no cursor"),
        ("runs?cursor=zzz", "request.cursor", "is no cursor"),
    ];
    for (path, code, words) in cases {
        let answer = running.request("GET", &format!("/api/v1/namespaces/default/{path}")).send().await.unwrap();
        assert_eq!(answer.status(), 400, "{path}");
        let problem: Value = answer.json().await.unwrap();
        assert_eq!(problem["code"], code, "{path}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains(words), "{path}: {problem}");
        assert!(!problem["detail"].as_str().unwrap().contains("eserialize"), "{path}: {problem}");
    }
    let answer = running.request("GET", "/api/v1/namespaces/default/jobs?zzz=1").send().await.unwrap();
    let problem: Value = answer.json().await.unwrap();
    assert_eq!(problem["hint"], "there are cursor, label, limit, name, owner, paused, q, recent, sort");
    running.stop().await;
}

#[tokio::test]
async fn what_is_wrong_is_said_with_its_place() {
    let running = Running::start().await;
    let cases = [
        (json!({"name": "a", "noop": true, "schedule": "0 0 31 2 *"}), "schedule.never", "/schedule"),
        (json!({"name": "a", "noop": true, "schedule": ["@daily", "0 25 * * *"]}), "schedule.cron", "/schedule/1"),
        (json!({"name": "a", "noop": true, "schedule": {"every": "soon"}}), "schedule.duration", "/schedule/every"),
        (json!({"name": "a", "noop": true, "schedule": {"every": "0s"}}), "schedule.duration", "/schedule/every"),
        (
            json!({"name": "a", "noop": true, "schedule": "@daily", "timezone": "Mars/Base"}),
            "schedule.zone",
            "/timezone",
        ),
        (
            json!({"name": "a", "noop": true, "schedule": {"cron": "@daily", "timezone": "CST"}}),
            "schedule.zone",
            "/schedule/timezone",
        ),
        (
            json!({"name": "a", "noop": true, "schedule": {"at": "2026-03-29 02:30", "timezone": "Europe/Berlin"}}),
            "schedule.instant",
            "/schedule/at",
        ),
        (
            json!({"name": "a", "noop": true, "triggers": [{"name": "x", "cron": "@daily", "calendar": "none"}]}),
            "calendar.unknown",
            "/triggers/0/calendar",
        ),
        (json!({"name": "a", "noop": true, "schedule": "@daily", "calendar": "none"}), "calendar.unknown", "/calendar"),
        (
            json!({"name": "a", "noop": true, "schedule": {"daily_window": {"every": "1h", "from": "25:00"}}}),
            "schedule.instant",
            "/schedule/daily_window/from",
        ),
        (
            json!({"name": "a", "noop": true, "schedule": {"daily_window": {"every": "1500ms"}}}),
            "schedule.duration",
            "/schedule/daily_window/every",
        ),
        (
            json!({"name": "a", "noop": true, "schedule": {"cron": "@daily", "start_at": "2026-02-02", "end_at": "2026-02-01"}}),
            "field.value",
            "/schedule/cron",
        ),
        (json!({"name": "a", "noop": true, "timeout": "-1s"}), "schedule.duration", "/timeout"),
        (json!({"name": "a", "noop": true, "retention": {"max_count": 3}}), "field.later", "/retention"),
        (json!({"name": "a", "noop": true, "timout": "1s"}), "field.unknown", "/timout"),
        (json!({"name": "b", "noop": true}), "field.value", "/name"),
        (json!({"name": "a", "namespace": "other", "noop": true}), "field.value", "/namespace"),
        (json!({"name": "a"}), "job.no_task", ""),
    ];
    for (body, code, pointer) in cases {
        let answer = running.request("PUT", "/api/v1/namespaces/default/jobs/a").json(&body).send().await.unwrap();
        assert!(answer.status().is_client_error(), "{body}");
        assert_eq!(answer.headers()["content-type"], "application/problem+json");
        let id = answer.headers()["x-request-id"].to_str().unwrap().to_owned();
        let problem: Value = answer.json().await.unwrap();
        assert_eq!(problem["request_id"], json!(id));
        assert_eq!(
            (&problem["code"], &problem["errors"][0]["pointer"]),
            (&json!(code), &json!(pointer)),
            "{body}: {problem}"
        );
    }
    let typo = running
        .client
        .put_job("default", &spec(json!({"name": "nightly", "noop": true})), Precondition::None, COMMIT)
        .await;
    typo.unwrap();
    let error = running.client.job("default", "nigthly").await.unwrap_err();
    assert_eq!(error.problem().unwrap().hint.as_deref(), Some("did you mean \"nightly\"?"));
    running.stop().await;
}

#[tokio::test]
async fn a_pause_holds_and_does_not_make_a_version_stale() {
    let running = Running::start().await;
    let client = &running.client;
    let wanted = spec(json!({"name": "a", "noop": true, "schedule": ["@hourly", {"every": "1h", "name": "steady"}]}));
    client.put_job("default", &wanted, Precondition::None, COMMIT).await.unwrap();
    let reason = Reason { reason: Some("holidays".into()), ..Reason::default() };
    let paused = client.pause_job("default", "a", &reason).await.unwrap();
    assert!(paused.paused && paused.next_fire_at.is_none());
    assert_eq!(paused.version, 1);
    let only_paused = JobFilter { paused: Some(true), ..JobFilter::default() };
    assert_eq!(client.jobs("default", &only_paused).await.unwrap().items.len(), 1);
    let patch = json!({"description": "changed while paused"});
    let changed = client.patch_job("default", "a", &patch, Precondition::Version(1), COMMIT).await.unwrap();
    assert!(changed.paused, "a save that does not speak of the pause leaves it");
    let resumed = client.resume_job("default", "a", &Reason::default()).await.unwrap();
    assert!(!resumed.paused && resumed.next_fire_at.is_some());

    let trigger = client.pause_trigger("default", "a", "steady", &reason).await.unwrap();
    assert!(trigger.paused && trigger.state == TriggerState::Active);
    let filter = TriggerFilter { paused: Some(true), ..TriggerFilter::default() };
    let listed = client.triggers("default", &filter).await.unwrap();
    assert_eq!(listed.items.iter().map(|it| it.key.as_str()).collect::<Vec<_>>(), ["default/a/steady"]);
    assert!(!client.resume_trigger("default", "a", "steady", &reason).await.unwrap().paused);
    assert_eq!(code(client.trigger("default", "a", "stady").await), ErrorCode::TriggerNotFound);
    running.stop().await;
}

#[tokio::test]
async fn lists_come_in_pages_and_whole() {
    let running = Running::start().await;
    let client = &running.client;
    for index in 0..25 {
        let labels = if index % 2 == 0 { json!({"team": "data", "odd": "no"}) } else { json!({"team": "web"}) };
        let wanted =
            spec(json!({"name": format!("job-{index:02}"), "noop": true, "labels": labels, "schedule": "@daily"}));
        client.put_job("default", &wanted, Precondition::None, COMMIT).await.unwrap();
    }
    for (label, count) in [(None, 25), (Some("team=web"), 12), (Some("odd"), 13), (Some("odd=yes"), 0)] {
        let mut filter = JobFilter { limit: Some(4), label: label.map(str::to_owned), ..JobFilter::default() };
        let mut names = Vec::new();
        loop {
            let page = client.jobs("default", &filter).await.unwrap();
            assert!(page.items.len() <= 4);
            names.extend(page.items.into_iter().map(|job| job.name));
            filter.cursor = page.next_cursor;
            if filter.cursor.is_none() {
                break;
            }
        }
        assert!(names.is_sorted());
        names.dedup();
        assert_eq!(names.len(), count, "{label:?}");
    }
    let mut filter = TriggerFilter { limit: Some(7), ..TriggerFilter::default() };
    let mut count = 0;
    loop {
        let page = client.triggers("default", &filter).await.unwrap();
        count += page.items.len();
        filter.cursor = page.next_cursor;
        if filter.cursor.is_none() {
            break;
        }
    }
    assert_eq!(count, 25);
    let bad = JobFilter { cursor: Some("a b".into()), ..JobFilter::default() };
    assert_eq!(code(client.jobs("default", &bad).await), ErrorCode::RequestCursor);
    let bad = JobFilter { limit: Some(0), ..JobFilter::default() };
    assert_eq!(code(client.jobs("default", &bad).await), ErrorCode::RequestQuery);
    assert_eq!(code(client.jobs("nowhere", &JobFilter::default()).await), ErrorCode::NamespaceNotFound);
    running.stop().await;
}

#[tokio::test]
async fn namespaces_are_made_by_their_first_job_and_deleted_when_empty() {
    let running = Running::start().await;
    let client = &running.client;
    client.put_job("prod", &spec(json!({"name": "a", "noop": true})), Precondition::None, COMMIT).await.unwrap();
    client.put_namespace("empty", &Default::default(), Precondition::Absent, COMMIT).await.unwrap();
    let names: Vec<_> =
        client.namespaces(&PageFilter::default()).await.unwrap().items.into_iter().map(|it| it.name).collect();
    assert!(["empty", "prod"].iter().all(|name| names.iter().any(|it| it == name)), "{names:?}");
    assert_eq!(client.namespace("prod").await.unwrap().job_count, 1);
    assert_eq!(code(client.delete_namespace("prod", Precondition::None, COMMIT).await), ErrorCode::NamespaceNotEmpty);
    client.delete_namespace("empty", Precondition::None, COMMIT).await.unwrap();
    assert_eq!(code(client.namespace("empty").await), ErrorCode::NamespaceNotFound);
    running.stop().await;
}
