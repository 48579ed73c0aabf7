//! Backfills with what depends on them by needs of other workflows, over a store in memory and over `SQLite`.

use std::sync::Arc;

use mainspring_core::Timestamp;
use mainspring_core::job::JobKey;
use mainspring_core::run::RunState;
use mainspring_core::workflow::backfill::{Action, BackfillState, Order, Reprocess};
use mainspring_core::workflow::{At, Elsewhere, NeedAt, OnMissing, Workflow};
use mainspring_engine::Engine;
use mainspring_engine::control::{
    Ask, BackfillError, BackfillPlan, Cascaded, Error, RerunAsk, RerunError, RerunTasks, Wish,
};
use mainspring_store::{BackfillItem, BackfillRow, MemoryStore, RunInfo};

use crate::elsewhere::{report, save_with, waits};
use crate::kit::until;
use crate::workflows::{over_both, stage, task};

fn wish(from: &str, to: &str, reprocess: Reprocess) -> Wish {
    Wish {
        trigger: None,
        zone: None,
        from: format!("2026-05-04T{from}:00Z"),
        to: Some(format!("2026-05-04T{to}:00Z")),
        reprocess,
        part: None,
        cascade: true,
        order: Order::Ascending,
        max_active: 4,
        stop_on_failure: false,
        priority: None,
    }
}

fn need(workflow: &str, task: &str, at: At) -> Elsewhere {
    let (workflow, task) = (workflow.to_owned(), Some(task.to_owned()));
    Elsewhere { workflow, task, at, on_missing: OnMissing::Wait, timeout_ms: None }
}

/// `report` needs the hours of `ingest` every two hours, beside a task that needs nothing; `mail` needs `report`.
async fn three(engine: &Engine) {
    let ingest = Workflow { tasks: vec![task("load", "echo", &[])], ..Workflow::default() };
    save_with(engine, "ingest", ingest, "0 * * * *", None).await;
    let mut workflow = report(need("ingest", "load", At::Word(NeedAt::Covers)));
    workflow.tasks.push(task("x", "echo", &[]));
    save_with(engine, "report", workflow, "0 */2 * * *", None).await;
    save_with(engine, "mail", report(need("report", "sums", At::Word(NeedAt::Same))), "0 */2 * * *", None).await;
}

/// What a plan says of what depends on it: level, job, hour, action and how many tasks run again.
fn below(plan: &BackfillPlan) -> Vec<(u32, &str, String, Action, Option<u64>)> {
    let rows = plan.rows_below().into_iter();
    rows.map(|(key, _, row)| {
        (row.level, key.name.as_str(), row.fire_time.to_string()[11..13].to_owned(), row.action, row.tasks)
    })
    .collect()
}

/// All of a cascade, once each has ended.
async fn over(engine: &Engine, first: i64) -> Vec<BackfillRow> {
    until("all of them have ended", async || {
        let mut all = vec![engine.control().backfill(first).await.expect("there")];
        all.extend(engine.control().backfills_below(first).await.expect("read"));
        all.iter().all(|row| row.ended_at.is_some()).then_some(all)
    })
    .await
}

async fn items(engine: &Engine, row: &BackfillRow) -> Vec<BackfillItem> {
    engine.control().store().backfill_store().backfill_items(row.id, None, 0, 100).await.expect("read")
}

async fn runs(engine: &Engine, row: &BackfillRow) -> Vec<RunInfo> {
    let mut runs = Vec::new();
    for run in items(engine, row).await.iter().filter_map(|item| item.run) {
        runs.push(engine.control().run(run).await.expect("there"));
    }
    runs
}

#[tokio::test]
async fn dependants_run_level_by_level_once_what_they_need_has_ended() {
    over_both(async |store| {
        let engine = stage().engine(store).await;
        three(&engine).await;
        let (control, key) = (engine.control(), JobKey::new("default", "ingest"));
        let first = wish("01:00", "04:00", Reprocess::Missing);
        let plan = control.plan_backfill(&key, &first).await.expect("planned");
        let row = |level, job, hour: &str, action, tasks| (level, job, hour.to_owned(), action, tasks);
        let (create, rerun) = (Action::Create, Action::Rerun);
        let expected = [
            row(1, "report", "02", create, None),
            row(1, "report", "04", create, None),
            row(2, "mail", "02", create, None),
            row(2, "mail", "04", create, None),
        ];
        assert_eq!(below(&plan), expected);
        let whys: Vec<&str> = plan.rows_below().iter().filter_map(|(_, _, row)| row.why.as_deref()).collect();
        assert_eq!(whys[1..3], ["sums needs ingest:load@covers", "sums needs report:sums@same"]);
        let hash = plan.spec.plan.as_str();
        let started = control.start_backfill(&key, &first, Some(hash), None).await.expect("started");
        let all = over(&engine, started.id).await;
        assert_eq!(all.iter().map(|row| row.key.name.as_str()).collect::<Vec<_>>(), ["ingest", "report", "mail"]);
        let mut latest = Timestamp::MIN;
        for row in &all {
            assert_eq!((row.state, row.counts.succeeded), (BackfillState::Completed, row.counts.total()), "{row:?}");
            let runs = runs(&engine, row).await;
            assert!(runs.iter().all(|run| run.state == RunState::Succeeded));
            let earliest = runs.iter().map(|run| run.created_at).min().expect("it has runs");
            assert!(earliest >= latest, "{} began before what it needs had ended", row.key);
            // The first hours of each level are enough for the first date of the next.
            latest = runs.iter().filter_map(|run| run.ended_at).min().expect("they have ended");
        }
        assert_eq!(below(&control.plan_backfill(&key, &first).await.expect("planned")), [], "nothing is missing");

        // What there is runs again from what needs on; the rest is kept.
        let again = wish("03:00", "03:00", Reprocess::All);
        let plan = control.plan_backfill(&key, &again).await.expect("planned");
        let expected = [row(1, "report", "04", rerun, Some(2)), row(2, "mail", "04", rerun, Some(2))];
        assert_eq!(below(&plan), expected);
        let hash = plan.spec.plan.as_str();
        let started = control.start_backfill(&key, &again, Some(hash), None).await.expect("started");
        for row in &over(&engine, started.id).await {
            let item = &items(&engine, row).await[0];
            assert_eq!((row.counts.succeeded, row.counts.total()), (1, 1), "{row:?}");
            assert!(item.rerun_of.is_some() && item.run != item.rerun_of, "{item:?}");
        }
        let stale = control.start_backfill(&key, &again, Some(hash), None).await;
        let Err(BackfillError::Stale { difference, .. }) = stale else { panic!("its runs are others: {stale:?}") };
        assert!(difference.contains("now 0 create, 1 rerun"), "{difference}");
    })
    .await;
}

#[tokio::test]
async fn dependants_of_what_failed_are_cancelled_and_retried_with_it() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let ingest = Workflow { tasks: vec![task("load", "once", &[])], ..Workflow::default() };
        let broken = std::sync::atomic::AtomicBool::new(true);
        stage.handlers.register("once", move |_: mainspring_engine::RunContext| {
            let fails = broken.swap(false, std::sync::atomic::Ordering::SeqCst);
            async move { if fails { Err(mainspring_engine::HandlerError("not yet".into())) } else { Ok(()) } }
        });
        save_with(&engine, "ingest", ingest, "0 * * * *", None).await;
        save_with(&engine, "report", report(need("ingest", "load", At::Word(NeedAt::Same))), "0 * * * *", None).await;
        let (control, key) = (engine.control(), JobKey::new("default", "ingest"));
        let one = Wish { max_active: 1, ..wish("01:00", "02:00", Reprocess::Missing) };
        let started = control.start_backfill(&key, &one, None, None).await.expect("started");
        let all = over(&engine, started.id).await;
        assert_eq!((all[0].counts.failed, all[0].counts.succeeded), (1, 1));
        assert_eq!((all[1].counts.cancelled, all[1].counts.succeeded), (1, 1));
        assert_eq!(items(&engine, &all[1]).await[0].run, None, "it has not begun");
        let verb = mainspring_engine::control::BackfillVerb::RetryFailed;
        control.steer_backfill(started.id, verb, None).await.expect("retried");
        let all = over(&engine, started.id).await;
        assert_eq!(all.iter().map(|row| row.counts.succeeded).collect::<Vec<_>>(), [2, 2]);
    })
    .await;
}

#[tokio::test]
async fn cascade_ends_where_dates_do() {
    let engine = stage().engine(Arc::new(MemoryStore::new())).await;
    // Each date of it needs the one before, and each of the other workflow that of an hour earlier.
    let previous = need("loop", "load", At::Word(NeedAt::Previous));
    let tasks = vec![waits(previous), task("load", "echo", &[0])];
    save_with(&engine, "loop", Workflow { tasks, ..Workflow::default() }, "0 * * * *", None).await;
    let back = need("loop", "load", At::Offset(-3_600_000));
    save_with(&engine, "back", report(back), "0 * * * *", None).await;
    let key = JobKey::new("default", "loop");
    let now = engine.control().now();
    let from = now - 3 * 3_600_000;
    let wish =
        Wish { from: from.to_string(), to: Some((from + 3_599_999).to_string()), ..wish("", "", Reprocess::All) };
    let plan = engine.control().plan_backfill(&key, &wish).await.expect("planned");
    let found: Vec<(u32, &str)> =
        plan.rows_below().iter().map(|(key, _, row)| (row.level, key.name.as_str())).collect();
    assert_eq!(found[..2], [(1, "back"), (1, "loop")]);
    assert!((4..=6).contains(&found.len()), "up to now: {found:?}");
    assert!(plan.rows.len() == 1 && found.iter().all(|(level, _)| *level <= 3));
}

/// The run of the only date of a backfill.
async fn one_run(engine: &Engine, row: &BackfillRow) -> RunInfo {
    let mut runs = runs(engine, row).await;
    assert_eq!(runs.len(), 1, "{row:?}");
    runs.remove(0)
}

#[tokio::test]
async fn rerun_of_a_run_takes_what_depends_on_its_date_with_it() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        three(&engine).await;
        let (control, key) = (engine.control(), JobKey::new("default", "ingest"));
        // The report of 04:00 covers both hours.
        let beside = Wish { cascade: false, ..wish("04:00", "04:00", Reprocess::Missing) };
        let beside = control.start_backfill(&key, &beside, None, None).await.expect("started");
        over(&engine, beside.id).await;
        let filled = wish("03:00", "03:00", Reprocess::Missing);
        let started = control.start_backfill(&key, &filled, None, None).await.expect("started");
        let before = over(&engine, started.id).await;
        let (load, mail) = (one_run(&engine, &before[0]).await, one_run(&engine, &before[2]).await);

        let tasks = RerunTasks::Named { tasks: vec!["load".to_owned()], downstream: true, upstream: false };
        let ask = RerunAsk { tasks, ..RerunAsk::default() };
        let plan = control.plan_cascade(load.id, &ask).await.expect("planned");
        assert_eq!(plan.rerun.count(mainspring_core::workflow::rerun::Action::Rerun), 1);
        let again = |level, job| (level, job, "04".to_owned(), Action::Rerun, Some(2));
        assert_eq!(below(&plan.backfill), [again(1, "report"), again(2, "mail")]);
        assert_eq!(control.plan_cascade(load.id, &ask).await.expect("planned"), plan, "nothing has changed");
        let alone = control.plan_rerun(load.id, &ask).await.expect("planned");
        assert_ne!(alone.hash, plan.rerun.hash, "it does less");

        let hash = plan.rerun.hash.as_str();
        let done = control.rerun_cascade(load.id, &ask, Some(hash), Some("Zoë".to_owned())).await.expect("started");
        let Cascaded::Started(first) = done else { panic!("{done:?}") };
        let after = over(&engine, first.id).await;
        for row in &after {
            assert_eq!((row.state, row.counts.succeeded), (BackfillState::Completed, 1), "{row:?}");
        }
        assert_eq!(after[0].created_by.as_deref(), Some("Zoë"));
        let new = one_run(&engine, &after[0]).await;
        assert_eq!((new.rerun_of, new.fire_time, new.priority), (Some(load.id), load.fire_time, load.priority));
        let mailed = one_run(&engine, &after[2]).await;
        assert_eq!(mailed.rerun_of, Some(mail.id));
        let loaded = new.ended_at.expect("it is over");
        assert!(mailed.created_at >= loaded, "it began before what it needs had ended");

        // The run that there was counts no more.
        let refused = control.rerun_cascade(load.id, &ask, Some(hash), None).await;
        let Err(BackfillError::Control(Error::Rerun(RerunError::Repeated { newest, .. }))) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(newest, new.id);
        let stale = control.rerun_cascade(new.id, &ask, Some(hash), None).await.expect("planned");
        assert!(matches!(stale, Cascaded::Stale(_)), "{stale:?}");
    })
    .await;
}

#[tokio::test]
async fn rerun_with_dependants_wants_a_run_that_is_over_and_has_a_date() {
    let stage = stage();
    let engine = stage.engine(Arc::new(MemoryStore::new())).await;
    let ingest = Workflow { tasks: vec![task("load", "hold", &[])], ..Workflow::default() };
    save_with(&engine, "ingest", ingest, "0 * * * *", None).await;
    let (control, key) = (engine.control(), JobKey::new("default", "ingest"));
    let by_hand = control.run_now(&key, Ask::default()).await.expect("asked for");
    stage.until_entered("load").await;
    let refused = control.plan_cascade(by_hand.id, &RerunAsk::default()).await;
    assert!(matches!(refused, Err(BackfillError::Control(Error::Rerun(RerunError::Live { .. })))), "{refused:?}");
    stage.gate.send_replace(true);
    let is_over = async || control.run(by_hand.id).await.expect("there").state.is_final().then_some(());
    until("the run is over", is_over).await;
    let refused = control.plan_cascade(by_hand.id, &RerunAsk::default()).await;
    assert!(matches!(refused, Err(BackfillError::NoSchedule(_))), "{refused:?}");
    let missing = RerunAsk { tasks: RerunTasks::Missing, ..RerunAsk::default() };
    let refused = control.plan_cascade(by_hand.id, &missing).await;
    assert!(matches!(refused, Err(BackfillError::Control(Error::Rerun(RerunError::Nothing { .. })))), "{refused:?}");
}
