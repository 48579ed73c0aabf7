//! Backfills with what depends on them by needs of other workflows, through the API.

use mainspring_api::client::Precondition;
use mainspring_api::{
    BackfillAction, BackfillFilter, BackfillSpec, BackfillState, ErrorCode, PageFilter, WriteOptions,
};
use serde_json::json;

use crate::kit::{Running, code, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

#[tokio::test]
async fn what_depends_on_a_backfill_is_planned_page_by_page_and_started_with_it() {
    let running = Running::start().await;
    let client = &running.client;
    let schedule = json!({"name": "daily", "cron": "0 6 * * *", "timezone": "UTC"});
    let need = json!([{"workflow": "ingest", "task": "load"}]);
    for (name, tasks) in
        [("ingest", json!({"load": {"noop": true}})), ("report", json!({"sums": {"noop": true, "needs": need}}))]
    {
        let wanted = spec(json!({"name": name, "tasks": tasks, "schedule": schedule}));
        client.put_job("default", &wanted, Precondition::None, COMMIT).await.unwrap();
    }
    let asked = BackfillSpec {
        from: "2025-07-01".into(),
        to: Some("2025-07-02".into()),
        cascade: true,
        ..BackfillSpec::default()
    };
    let plan = async |cursor: Option<String>| {
        let page = PageFilter { cursor, limit: Some(3) };
        client.plan_backfill("default", "ingest", &asked, &page).await.unwrap()
    };
    let first = plan(None).await;
    assert_eq!((first.actions.create, first.below.map(|below| below.create), first.cascade), (2, Some(2), true));
    let second = plan(first.next_cursor.clone()).await;
    assert_eq!((second.next_cursor.as_ref(), second.items.len()), (None, 1));
    assert_eq!((first.items[1].level, first.items[1].job.as_ref()), (None, None));
    for (item, day) in [(&first.items[2], "2025-07-01"), (&second.items[0], "2025-07-02")] {
        assert_eq!(
            (item.level, item.job.as_deref(), item.trigger.as_deref()),
            (Some(1), Some("report"), Some("daily"))
        );
        assert_eq!((item.action, &item.fire_at.to_string()[..10]), (BackfillAction::Create, day));
        assert_eq!(item.why.as_deref(), Some("sums needs ingest:load@same"));
    }
    let start = BackfillSpec { plan: Some(first.hash.clone()), ..asked.clone() };
    let started = client.start_backfill("default", "ingest", &start).await.unwrap();
    let filter = BackfillFilter { cascade_of: Some(started.id.clone()), ..BackfillFilter::default() };
    let below = loop {
        let found = client.backfills("default", &filter).await.unwrap().items;
        if found.iter().all(|it| it.state == BackfillState::Completed) {
            break found;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(below.iter().map(|it| it.job.as_str()).collect::<Vec<_>>(), ["report"]);
    assert_eq!((below[0].cascade_of.as_ref(), below[0].items.succeeded), (Some(&started.id), 2));
    assert_eq!(code(client.start_backfill("default", "ingest", &start).await), ErrorCode::BackfillStale);
    running.stop().await;
}
