//! Backfills with what depends on them by needs of other workflows, through the API.

use mainspring_api::client::Precondition;
use mainspring_api::{
    BackfillAction, BackfillFilter, BackfillSpec, BackfillState, ErrorCode, PageFilter, Rerun, RerunAction, RunNow,
    WriteOptions,
};
use serde_json::json;

use crate::kit::{Running, code, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

/// Saves `ingest`, and `report` that needs it, both of each day.
async fn two(running: &Running) {
    let schedule = json!({"name": "daily", "cron": "0 6 * * *", "timezone": "UTC"});
    let need = json!([{"workflow": "ingest", "task": "load"}]);
    for (name, tasks) in
        [("ingest", json!({"load": {"noop": true}})), ("report", json!({"sums": {"noop": true, "needs": need}}))]
    {
        let wanted = spec(json!({"name": name, "tasks": tasks, "schedule": schedule}));
        running.client.put_job("default", &wanted, Precondition::None, COMMIT).await.unwrap();
    }
}

/// Waits until a backfill and those below it are over.
async fn over(running: &Running, id: &str) -> Vec<mainspring_api::Backfill> {
    let filter = BackfillFilter { cascade_of: Some(id.to_owned()), ..BackfillFilter::default() };
    loop {
        let below = running.client.backfills("default", &filter).await.unwrap().items;
        let first = running.client.backfill(id).await.unwrap();
        if below.iter().chain([&first]).all(|it| it.state == BackfillState::Completed) {
            return below;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn what_depends_on_a_backfill_is_planned_page_by_page_and_started_with_it() {
    let running = Running::start().await;
    let client = &running.client;
    two(&running).await;
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
    let below = over(&running, &started.id).await;
    assert_eq!(below.iter().map(|it| it.job.as_str()).collect::<Vec<_>>(), ["report"]);
    assert_eq!((below[0].cascade_of.as_ref(), below[0].items.succeeded), (Some(&started.id), 2));
    assert_eq!(code(client.start_backfill("default", "ingest", &start).await), ErrorCode::BackfillStale);
    running.stop().await;
}

#[tokio::test]
async fn what_depends_on_a_run_is_planned_and_run_again_with_it() {
    let running = Running::start().await;
    let client = &running.client;
    two(&running).await;
    let day = BackfillSpec { from: "2025-07-01".into(), to: Some("2025-07-01".into()), ..BackfillSpec::default() };
    let filled = client.start_backfill("default", "ingest", &day).await.unwrap();
    over(&running, &filled.id).await;
    let run = client.backfill_items(&filled.id, &mainspring_api::BackfillItemFilter::default()).await.unwrap();
    let run = run.items[0].run.clone().unwrap();

    let asked = Rerun { tasks: vec!["load".into()], downstream: true, ..Rerun::default() };
    let plan = client.plan_cascade(&run, &asked).await.unwrap();
    assert_eq!((plan.reruns, plan.tasks[0].action, plan.in_place), (1, RerunAction::Rerun, false));
    assert_eq!(plan.below.map(|below| (below.create, below.rerun)), Some((1, 0)));
    let below = &plan.dependants[0];
    assert_eq!((below.level, below.job.as_deref(), below.action), (Some(1), Some("report"), BackfillAction::Create));
    assert_eq!(below.why.as_deref(), Some("sums needs ingest:load@same"));
    assert_eq!(client.plan_rerun(&run, &asked).await.unwrap().below, None, "only where that is asked for");

    // Somebody runs the day of the report before the plan is carried out.
    let report = client.start_backfill("default", "report", &day).await.unwrap();
    over(&running, &report.id).await;
    let apply = Rerun { plan: Some(plan.plan), ..asked.clone() };
    let Err(mainspring_api::client::ClientError::Refused(stale)) = client.rerun_cascade(&run, &apply).await else {
        panic!("the report has a run now")
    };
    assert_eq!(stale.code, ErrorCode::RunPlanStale.as_str());
    assert!(stale.errors.iter().any(|it| it.message.starts_with("report/daily/2025-07-01")), "{stale:?}");

    let plan = client.plan_cascade(&run, &asked).await.unwrap();
    assert_eq!(plan.below.map(|below| (below.create, below.rerun)), Some((0, 1)));
    let apply = Rerun { plan: Some(plan.plan), ..asked.clone() };
    let started = client.rerun_cascade(&run, &apply).await.unwrap();
    assert_eq!((started.job.as_str(), started.cascade, started.job_version), ("ingest", true, 1));
    let below = over(&running, &started.id).await;
    assert_eq!(below.iter().map(|it| (it.job.as_str(), it.items.succeeded)).collect::<Vec<_>>(), [("report", 1)]);
    assert_eq!(code(client.plan_cascade(&run, &asked).await), ErrorCode::RunRepeated);
    let by_hand = client.run_job("default", "ingest", &RunNow::default()).await.unwrap();
    client.wait_for_run(&by_hand.id).await.unwrap();
    assert_eq!(code(client.plan_cascade(&by_hand.id, &asked).await), ErrorCode::BackfillNoSchedule);
    running.stop().await;
}
