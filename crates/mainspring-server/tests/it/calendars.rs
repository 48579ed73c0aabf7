//! Calendars, and who uses them.

use mainspring_api::client::Precondition;
use mainspring_api::{CalendarSpec, ErrorCode, WriteOptions};
use serde_json::json;

use crate::kit::{Running, code, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

fn calendar(json: serde_json::Value) -> CalendarSpec {
    serde_json::from_value(json).unwrap()
}

#[tokio::test]
async fn a_calendar_in_use_stays() {
    let running = Running::start().await;
    let client = &running.client;
    let weekends = calendar(json!({"name": "weekends", "weekly": ["sun", "sat"], "description": "no work"}));
    let made = client.put_calendar("default", &weekends, Precondition::Absent, COMMIT).await.unwrap();
    assert_eq!((made.version, made.trigger_count, made.spec.description.as_deref()), (1, 0, Some("no work")));
    let closed =
        calendar(json!({"name": "closed", "annual": ["12-25"], "base": "weekends", "timezone": "Asia/Shanghai"}));
    client.put_calendar("default", &closed, Precondition::None, COMMIT).await.unwrap();
    let job = spec(json!({"name": "a", "noop": true, "schedule": "@daily", "calendar": "closed"}));
    client.put_job("default", &job, Precondition::None, COMMIT).await.unwrap();
    assert_eq!(client.calendar("default", "weekends").await.unwrap().trigger_count, 1);

    for name in ["closed", "weekends"] {
        let refused = client.delete_calendar("default", name, Precondition::None, COMMIT).await;
        assert_eq!(code(refused), ErrorCode::CalendarInUse, "{name}");
    }
    let other = calendar(json!({"name": "weekends", "weekly": "sun"}));
    assert_eq!(
        code(client.put_calendar("default", &other, Precondition::Version(9), COMMIT).await),
        ErrorCode::ResourceStale
    );
    let changed = client.put_calendar("default", &other, Precondition::Version(1), COMMIT).await.unwrap();
    assert_eq!(changed.version, 2);
    let circle = calendar(json!({"name": "weekends", "weekly": "sun", "base": "closed"}));
    assert_eq!(
        code(client.put_calendar("default", &circle, Precondition::None, COMMIT).await),
        ErrorCode::CalendarCycle
    );

    client.delete_job("default", "a", Precondition::None, COMMIT).await.unwrap();
    client.delete_calendar("default", "closed", Precondition::None, COMMIT).await.unwrap();
    client.delete_calendar("default", "weekends", Precondition::Version(2), COMMIT).await.unwrap();
    assert_eq!(code(client.calendar("default", "weekends").await), ErrorCode::CalendarNotFound);
    running.stop().await;
}
