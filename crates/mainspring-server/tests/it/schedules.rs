//! Previews and coming fires.

use mainspring_api::client::Precondition;
use mainspring_api::{ErrorCode, NextFilter, PreviewNote, PreviewRequest, TriggerKind, WriteOptions};
use serde_json::{Value, json};

use crate::kit::{Running, code, spec};

fn request(json: Value) -> PreviewRequest {
    serde_json::from_value(json).unwrap()
}

#[tokio::test]
async fn a_preview_shows_what_clock_changes_and_calendars_do() {
    let running = Running::start().await;
    let berlin = |cron: &str, after: &str| {
        request(json!({"trigger": {"cron": cron, "timezone": "Europe/Berlin"}, "after": after, "count": 2}))
    };
    // Source: IANA tz, Europe/Berlin 2026: forward on 29 March at 02:00, back on 25 October at 03:00.
    for (cron, after, local, note) in [
        ("30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-29T03:00:00+02:00", Some(PreviewNote::Gap)),
        ("0 3 * * *", "2026-03-28T12:00:00Z", "2026-03-29T03:00:00+02:00", None),
        ("30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T02:30:00+02:00", Some(PreviewNote::Fold)),
        ("30 2 * * *", "2026-06-01T12:00:00Z", "2026-06-02T02:30:00+02:00", None),
    ] {
        let preview = running.client.preview(&berlin(cron, after)).await.unwrap();
        assert_eq!((preview.fires[0].local.as_str(), preview.fires[0].note), (local, note), "{cron}");
        assert_eq!(
            (preview.kind, preview.timezone.as_str(), preview.fires.len()),
            (TriggerKind::Cron, "Europe/Berlin", 2)
        );
    }
    let warned = running.client.preview(&berlin("30 2 * * *", "2026-01-01T00:00:00Z")).await.unwrap();
    assert_eq!(warned.warnings[0].code, "lint.gap_hour");

    let closed = request(json!({
        "trigger": {"cron": "0 9 * * *", "calendar": "weekends"},
        "calendars": [{"name": "weekends", "weekly": ["sat", "sun"]}],
        "after": "2026-01-01T00:00:00Z",
        "until": "2026-01-05T09:00:00Z",
        "count": 1000,
    }));
    let preview = running.client.preview(&closed).await.unwrap();
    let removed: Vec<_> = preview.fires.iter().map(|fire| fire.excluded_by.is_some()).collect();
    assert_eq!(removed, [false, false, true, true, false], "1 January 2026 is a Thursday");
    running.stop().await;
}

#[tokio::test]
async fn a_preview_looks_back_and_marks_runs_that_would_overlap() {
    let running = Running::start().await;
    let asked = |trigger: Value, took_ms: u64| {
        request(json!({
            "trigger": trigger, "after": "2026-01-05T12:00:00Z", "count": 3, "past": 2, "took_ms": took_ms,
            "calendars": [{"name": "weekends", "weekly": ["sat", "sun"]}],
        }))
    };
    let daily = asked(json!({"cron": "0 9 * * *", "calendar": "weekends"}), 0);
    let preview = running.client.preview(&daily).await.unwrap();
    let past: Vec<_> = preview.past.iter().map(|fire| (fire.local.as_str(), fire.excluded_by.is_some())).collect();
    assert_eq!(past, [("2026-01-05T09:00:00+00:00", false), ("2026-01-04T09:00:00+00:00", true)]);
    assert_eq!(preview.dialect.as_deref(), Some("unix"));
    for (took_ms, overlaps) in [(60_000, false), (60_001, true)] {
        let preview = running.client.preview(&asked(json!({"cron": "0 * * * * ?"}), took_ms)).await.unwrap();
        let marked: Vec<_> = preview.fires.iter().map(|fire| fire.overlaps).collect();
        assert_eq!((marked, preview.dialect.as_deref()), (vec![false, overlaps, overlaps], Some("quartz")));
    }
    let step = running.client.preview(&asked(json!({"every": "1h"}), 0)).await.unwrap();
    assert_eq!((step.past.len(), step.dialect), (1, None), "steps begin with the preview");
    running.stop().await;
}

#[tokio::test]
async fn a_preview_explains_in_the_readers_language() {
    let running = Running::start().await;
    let body = json!({"trigger": {"cron": "0 30 2 ? * 6L"}});
    for (language, word) in [("en", "last Friday"), ("zh-CN,zh;q=0.9", "最后一个星期五")] {
        let answer =
            running.request("POST", "/api/v1/schedules/preview").header("Accept-Language", language).json(&body).send();
        let preview: Value = answer.await.unwrap().json().await.unwrap();
        assert!(preview["explanation"].as_str().unwrap().contains(word), "{preview}");
    }
    running.stop().await;
}

#[tokio::test]
async fn a_preview_refuses_what_a_save_would() {
    let running = Running::start().await;
    for (body, code, pointer) in [
        (json!({"trigger": {"cron": "0 0 31 2 *"}}), "schedule.never", "/trigger/cron"),
        (json!({"trigger": {"every": "1 fortnight"}}), "schedule.duration", "/trigger/every"),
        (json!({"trigger": {"cron": "@daily", "calendar": "none"}}), "calendar.unknown", "/trigger/calendar"),
        (json!({"trigger": {}}), "trigger.no_kind", "/trigger"),
    ] {
        let answer = running.request("POST", "/api/v1/schedules/preview").json(&body).send().await.unwrap();
        let problem: Value = answer.json().await.unwrap();
        assert_eq!((&problem["code"], &problem["errors"][0]["pointer"]), (&json!(code), &json!(pointer)), "{problem}");
    }
    for count in [0, 1_001] {
        let asked = request(json!({"trigger": {"cron": "@daily"}, "count": count}));
        let refused = code(running.client.preview(&asked).await);
        assert!([ErrorCode::RequestQuery, ErrorCode::FieldValue].contains(&refused), "{refused}");
    }
    running.stop().await;
}

#[tokio::test]
async fn coming_fires_are_listed_earliest_first() {
    let running = Running::start().await;
    let client = &running.client;
    for (name, every) in [("slow", "6h"), ("fast", "1h")] {
        let wanted = spec(json!({"name": name, "noop": true, "schedule": {"every": every, "start_at": "2026-01-01"}}));
        client.put_job("default", &wanted, Precondition::None, WriteOptions::default()).await.unwrap();
    }
    let all = client.next_fires(&NextFilter::default()).await.unwrap();
    assert!((27..=29).contains(&all.len()) && all.is_sorted_by_key(|fire| fire.fire_at), "{}", all.len());
    assert_eq!(all[0].explanation, if all[0].job == "fast" { "every 1h" } else { "every 6h" });
    let slow = NextFilter { namespace: Some("default".into()), job: Some("slow".into()), ..NextFilter::default() };
    assert_eq!(client.next_fires(&slow).await.unwrap().len(), 4);
    let none = NextFilter { job: Some("none".into()), ..NextFilter::default() };
    assert_eq!(code(client.next_fires(&none).await), ErrorCode::JobNotFound);
    running.stop().await;
}
