//! Backfills of some tasks of the runs that there are, through the API.

use std::collections::BTreeMap;

use mainspring_api::client::Precondition;
use mainspring_api::{
    BackfillAction, BackfillItemFilter, BackfillItemState, BackfillPlan, BackfillSpec, BackfillState, ErrorCode,
    PageFilter, Reason, Reprocess, Rerun, Run, RunState, TaskState, WriteOptions,
};
use serde_json::json;

use crate::kit::{Running, code, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

/// A server with a daily workflow: a → b → c, of which b asks for an approval.
async fn start() -> Running {
    let running = Running::start().await;
    let tasks = json!({
        "a": {"noop": true},
        "b": {"approval": {"prompt": "go on?"}, "needs": "a"},
        "c": {"noop": true, "needs": "b"},
    });
    let schedule = json!({"name": "daily", "cron": "0 6 * * *", "timezone": "UTC"});
    let wanted = spec(json!({"name": "w", "tasks": tasks, "schedule": schedule}));
    running.client.put_job("default", &wanted, Precondition::None, COMMIT).await.unwrap();
    running
}

fn range(from: &str, to: &str) -> BackfillSpec {
    BackfillSpec { from: from.into(), to: Some(to.into()), max_active: Some(5), ..BackfillSpec::default() }
}

/// The days of a plan, each with what is done about it and how many tasks run again.
fn rows(plan: &BackfillPlan) -> Vec<(String, BackfillAction, Option<u64>)> {
    let day = |at: String| at[..10].to_owned();
    plan.items.iter().map(|item| (day(item.fire_at.to_string()), item.action, item.tasks)).collect()
}

async fn plan(running: &Running, spec: &BackfillSpec) -> BackfillPlan {
    running.client.plan_backfill("default", "w", spec, &PageFilter::default()).await.unwrap()
}

/// Carries out a backfill, deciding about b on each day, and answers the runs by day.
async fn carry_out(running: &Running, spec: &BackfillSpec, approve: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
    let client = &running.client;
    let started = client.start_backfill("default", "w", spec).await.unwrap();
    loop {
        let items = client.backfill_items(&started.id, &BackfillItemFilter::default()).await.unwrap().items;
        for item in &items {
            let Some(run) = &item.run else { continue };
            if client.task(run, "b").await.is_ok_and(|it| it.task.state == TaskState::Running) {
                let day = item.fire_at.to_string();
                let decided = if approve(&day[..10]) {
                    client.approve_task(run, "b", &Reason::default()).await
                } else {
                    client.reject_task(run, "b", &Reason::default()).await
                };
                // It may have been decided by the round before.
                let _ = decided;
            }
        }
        if client.backfill(&started.id).await.unwrap().state == BackfillState::Completed {
            let run =
                |item: &mainspring_api::BackfillItem| (item.fire_at.to_string()[..10].to_owned(), item.run.clone());
            let items = client.backfill_items(&started.id, &BackfillItemFilter::default()).await.unwrap().items;
            return items.iter().map(run).filter_map(|(day, run)| Some((day, run?))).collect();
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn tasks_of_past_runs_run_again_date_by_date() {
    use BackfillAction::{Absent, Create, Keep, Rerun};
    let running = start().await;
    let client = &running.client;
    // The second day fails.
    let first = carry_out(&running, &range("2025-07-01", "2025-07-02"), |day| day == "2025-07-01").await;
    assert_eq!(client.run(&first["2025-07-02"]).await.unwrap().state, RunState::Failed);

    let failed = BackfillSpec { failed: true, ..range("2025-07-01", "2025-07-03") };
    let shown = plan(&running, &failed).await;
    let day = |day: &str, action, tasks| (day.to_owned(), action, tasks);
    assert_eq!(
        rows(&shown),
        [day("2025-07-01", Keep, None), day("2025-07-02", Rerun, Some(2)), day("2025-07-03", Absent, None)]
    );
    assert_eq!((shown.actions.rerun, shown.actions.keep, shown.actions.absent), (1, 1, 1));
    let apply = BackfillSpec { plan: Some(shown.hash.clone()), ..failed.clone() };
    let second = carry_out(&running, &apply, |_| true).await;
    let run = client.run(&second["2025-07-02"]).await.unwrap();
    assert_eq!((run.state, run.rerun_of.as_ref()), (RunState::Succeeded, Some(&first["2025-07-02"])));
    let a = client.task(&run.id, "a").await.unwrap().task;
    assert_eq!(a.kept_from.as_ref(), Some(&first["2025-07-02"]), "a keeps its result");
    assert_eq!(code(client.start_backfill("default", "w", &apply).await), ErrorCode::BackfillStale);
    assert_eq!(code(client.start_backfill("default", "w", &failed).await), ErrorCode::BackfillEmpty, "nothing failed");

    let only = BackfillSpec { tasks: vec!["c".into()], create_missing: true, ..range("2025-07-01", "2025-07-03") };
    let shown = plan(&running, &only).await;
    assert_eq!(
        rows(&shown),
        [day("2025-07-01", Rerun, Some(1)), day("2025-07-02", Rerun, Some(1)), day("2025-07-03", Create, None)]
    );
    let third = carry_out(&running, &only, |_| true).await;
    for (day, of) in [("2025-07-01", &first["2025-07-01"]), ("2025-07-02", &run.id)] {
        let again = client.run(&third[day]).await.unwrap();
        assert_eq!((again.state, again.rerun_of.as_ref()), (RunState::Succeeded, Some(of)), "{day}");
        assert_eq!(client.task(&again.id, "c").await.unwrap().task.kept_from, None);
    }
    assert_eq!(client.run(&third["2025-07-03"]).await.unwrap().rerun_of, None, "a whole one");
    running.stop().await;
}

#[tokio::test]
async fn parts_that_cannot_be_are_refused() {
    let running = start().await;
    let client = &running.client;
    let plain = json!({"name": "plain", "noop": true, "schedule": {"name": "d", "cron": "0 6 * * *"}});
    client.put_job("default", &spec(plain), Precondition::None, COMMIT).await.unwrap();
    let of = |tasks: &[&str]| BackfillSpec {
        tasks: tasks.iter().map(|task| (*task).to_owned()).collect(),
        ..range("2025-07-01", "2025-07-02")
    };
    let page = PageFilter::default();
    assert_eq!(code(client.plan_backfill("default", "w", &of(&["bb"]), &page).await), ErrorCode::TaskNotFound);
    assert_eq!(code(client.plan_backfill("default", "plain", &of(&["a"]), &page).await), ErrorCode::RunNotWorkflow);
    for wrong in [
        BackfillSpec { failed: true, ..of(&["a"]) },
        BackfillSpec { reprocess: Reprocess::All, ..of(&["a"]) },
        BackfillSpec { downstream: true, ..of(&[]) },
        BackfillSpec { create_missing: true, ..of(&[]) },
    ] {
        assert_eq!(code(client.plan_backfill("default", "w", &wrong, &page).await), ErrorCode::FieldValue, "{wrong:?}");
    }
    let shown = plan(&running, &of(&["a"])).await;
    assert_eq!((shown.actions.absent, shown.actions.rerun), (2, 0));
    assert_eq!(code(client.start_backfill("default", "w", &of(&["a"])).await), ErrorCode::BackfillEmpty);
    running.stop().await;
}

/// Runs b and what needs it again by hand, up to where b asks.
async fn by_hand(running: &Running, run: &str) -> Run {
    let b = Rerun { tasks: vec!["b".into()], downstream: true, ..Rerun::default() };
    let again = running.client.rerun_tasks(run, &b).await.unwrap();
    until_asked(running, &again.id).await;
    again
}

async fn until_asked(running: &Running, run: &str) {
    while !running.client.task(run, "b").await.is_ok_and(|it| it.task.state == TaskState::Running) {
        tokio::task::yield_now().await;
    }
}

async fn approve(running: &Running, run: &str) {
    running.client.approve_task(run, "b", &Reason::default()).await.unwrap();
    assert_eq!(running.client.wait_for_run(run).await.unwrap().state, RunState::Succeeded);
}

#[tokio::test]
async fn runs_that_were_repeated_by_hand_are_what_a_plan_goes_by() {
    use BackfillAction::{Active, Keep, Rerun as Again};
    let running = start().await;
    let client = &running.client;
    let first = carry_out(&running, &range("2025-07-01", "2025-07-02"), |_| false).await;
    let day = |day: &str, action, tasks| (format!("2025-07-{day}"), action, tasks);
    let failed = BackfillSpec { failed: true, ..range("2025-07-01", "2025-07-02") };
    let only = BackfillSpec { tasks: vec!["c".into()], ..range("2025-07-01", "2025-07-01") };

    let again = by_hand(&running, &first["2025-07-01"]).await;
    assert_eq!(rows(&plan(&running, &failed).await), [day("01", Active, None), day("02", Again, Some(2))]);
    assert_eq!(code(client.start_backfill("default", "w", &only).await), ErrorCode::BackfillEmpty, "c is to come");

    approve(&running, &again.id).await;
    assert_eq!(rows(&plan(&running, &failed).await), [day("01", Keep, None), day("02", Again, Some(2))]);
    let third = carry_out(&running, &only, |_| true).await;
    let third = client.run(&third["2025-07-01"]).await.unwrap();
    assert_eq!((third.state, third.rerun_of.as_ref()), (RunState::Succeeded, Some(&again.id)));

    // The run that the first one was repeated as was itself repeated since: whichever of them is live is in the way.
    let fourth = by_hand(&running, &first["2025-07-01"]).await;
    assert_eq!(rows(&plan(&running, &only).await), [day("01", Active, None)]);
    approve(&running, &fourth.id).await;
    assert_eq!(plan(&running, &only).await.items[0].run.as_ref(), Some(&fourth.id));
    running.stop().await;
}

#[tokio::test]
async fn backfill_passes_over_a_date_that_is_under_way_by_hand_when_it_comes_to_it() {
    let running = start().await;
    let client = &running.client;
    let first = carry_out(&running, &range("2025-07-01", "2025-07-02"), |_| false).await;
    let one_by_one = BackfillSpec { failed: true, max_active: Some(1), ..range("2025-07-01", "2025-07-02") };
    let started = client.start_backfill("default", "w", &one_by_one).await.unwrap();
    let items = async || client.backfill_items(&started.id, &BackfillItemFilter::default()).await.unwrap().items;
    let run = loop {
        if let Some(run) = items().await[0].run.clone() {
            break run;
        }
        tokio::task::yield_now().await;
    };
    until_asked(&running, &run).await;
    let again = by_hand(&running, &first["2025-07-02"]).await;
    approve(&running, &run).await;
    while client.backfill(&started.id).await.unwrap().state != BackfillState::Completed {
        tokio::task::yield_now().await;
    }
    let states: Vec<_> = items().await.into_iter().map(|item| (item.state, item.run)).collect();
    assert_eq!(states, [(BackfillItemState::Succeeded, Some(run)), (BackfillItemState::Skipped, None)]);
    approve(&running, &again.id).await;
    running.stop().await;
}
