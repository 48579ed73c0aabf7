//! Runs that are named after the start of their data (`logical_date: start`), over a store in memory and over `SQLite`.

use std::sync::Arc;

use mainspring_core::Timestamp;
use mainspring_core::job::{Job, JobKey, ScheduleDefinition, Task, TriggerDefinition};
use mainspring_core::workflow::backfill::{Order, Reprocess};
use mainspring_core::workflow::dates::LogicalDate;
use mainspring_core::workflow::{At, Elsewhere, NeedAt, OnMissing, TaskState, Workflow};
use mainspring_engine::Engine;
use mainspring_engine::control::{SaveMode, Wish};
use mainspring_store::{Expect, RunInfo, RunQuery};

use crate::elsewhere::report;
use crate::kit::until;
use crate::workflows::{end, over_both, stage, task};

/// Saves a workflow that fires each day at three.
async fn save(engine: &Engine, name: &str, named: LogicalDate, workflow: Workflow) {
    let mut job = Job::new(JobKey::new("default", name), Task::Workflow(Box::new(workflow)));
    job.logical_date = named;
    job.triggers.push(TriggerDefinition::new("t", ScheduleDefinition::Cron { expression: "0 3 * * *".into() }));
    engine.control().save(vec![(Arc::new(job), Expect::Anything)], SaveMode::Commit).await.expect("saved");
}

fn ingest() -> Workflow {
    Workflow { tasks: vec![task("load", "echo", &[])], ..Workflow::default() }
}

fn need(at: At) -> Workflow {
    let (workflow, task) = ("ingest".to_owned(), Some("load".to_owned()));
    report(Elsewhere { workflow, task, at, on_missing: OnMissing::Wait, timeout_ms: None })
}

fn at(day: u32) -> String {
    format!("2026-05-{day:02}T03:00:00.000Z")
}

fn wish(from: u32, to: u32, cascade: bool) -> Wish {
    Wish {
        trigger: None,
        zone: None,
        from: at(from),
        to: Some(at(to)),
        reprocess: Reprocess::Missing,
        part: None,
        cascade,
        order: Order::Ascending,
        max_active: 1,
        stop_on_failure: false,
        priority: None,
    }
}

/// Runs the date of one day by a backfill. The run fires on `fires`.
async fn backfilled(engine: &Engine, name: &str, day: u32, fires: u32) -> RunInfo {
    let key = JobKey::new("default", name);
    engine.control().start_backfill(&key, &wish(day, day, false), None, None).await.expect("started");
    let fire: Timestamp = at(fires).parse().expect("an instant");
    let found = until("its run is there", async || {
        let query = RunQuery { namespace: Some("default".to_owned()), limit: 1_000, ..RunQuery::default() };
        let runs = engine.control().store().runs(query).await.expect("read");
        runs.into_iter().find(|run| run.key == key && run.fire_time == fire)
    })
    .await;
    let named = engine.control().logical_date(&found).await.expect("known");
    let date = at(day).parse().expect("an instant");
    assert_eq!(named, (date != fire).then_some(date), "{name}");
    found
}

/// Why the task that waits ended well, and which run that names.
async fn met(engine: &Engine, run: &RunInfo) -> String {
    end(engine, run.id).await;
    let row = engine.control().workflow(run.id).await.expect("read").expect("it has begun");
    assert_eq!(row.tasks[0].state, TaskState::Succeeded, "{:?}", row.tasks[0].reason);
    row.tasks[0].reason.clone().unwrap_or_default()
}

#[tokio::test]
async fn needs_match_the_dates_that_name_runs() {
    over_both(async |store| {
        let engine = stage().engine(store).await;
        save(&engine, "ingest", LogicalDate::Start, ingest()).await;
        save(&engine, "report", LogicalDate::Fire, need(At::Word(NeedAt::Same))).await;
        // It fires when the date of the report is, and stands for another one.
        let other = backfilled(&engine, "ingest", 3, 4).await;
        end(&engine, other.id).await;
        let run = backfilled(&engine, "report", 4, 4).await;
        until("it waits for the date", async || {
            let row = engine.control().workflow(run.id).await.expect("read")?;
            let says = row.tasks.first()?.reason.clone()?;
            says.contains(&format!("there was no run of ingest for {}", at(4))).then_some(())
        })
        .await;
        let wanted = backfilled(&engine, "ingest", 4, 5).await;
        assert!(met(&engine, &run).await.contains(&wanted.id.to_string()));

        for (number, (how, day, fires)) in [
            (At::Word(NeedAt::Same), 4, 5),
            (At::Word(NeedAt::Previous), 5, 6),
            (At::Offset(-86_400_000), 5, 6),
            (At::Word(NeedAt::Covers), 4, 5),
        ]
        .into_iter()
        .enumerate()
        {
            let name = format!("named-{number}");
            save(&engine, &name, LogicalDate::Start, need(how)).await;
            let run = backfilled(&engine, &name, day, fires).await;
            assert!(met(&engine, &run).await.contains(&wanted.id.to_string()), "{how}");
        }
    })
    .await;
}

#[tokio::test]
async fn cascade_follows_the_dates_that_name_runs() {
    over_both(async |store| {
        let engine = stage().engine(store).await;
        save(&engine, "ingest", LogicalDate::Start, ingest()).await;
        save(&engine, "covers", LogicalDate::Fire, need(At::Word(NeedAt::Covers))).await;
        save(&engine, "next", LogicalDate::Start, need(At::Word(NeedAt::Previous))).await;
        save(&engine, "same", LogicalDate::Fire, need(At::Word(NeedAt::Same))).await;
        let key = JobKey::new("default", "ingest");
        let plan = engine.control().plan_backfill(&key, &wish(4, 4, true)).await.expect("planned");
        let dates = |fire: Timestamp, logical: Timestamp| (fire.to_string(), logical.to_string());
        let first: Vec<_> = plan.rows.iter().map(|row| dates(row.fire_time, row.logical_date)).collect();
        assert_eq!(first, [(at(5), at(4))]);
        let below = plan.rows_below().into_iter();
        let below: Vec<_> =
            below.map(|(key, _, row)| (key.name.as_str(), dates(row.fire_time, row.logical_date))).collect();
        let expected = [("covers", (at(5), at(5))), ("next", (at(6), at(5))), ("same", (at(4), at(4)))];
        assert_eq!(below, expected);
    })
    .await;
}

#[tokio::test]
async fn range_is_one_of_dates_and_ends_with_the_last_interval_that_is_over() {
    let engine = stage().engine(Arc::new(mainspring_store::MemoryStore::new())).await;
    save(&engine, "ingest", LogicalDate::Start, ingest()).await;
    let key = JobKey::new("default", "ingest");
    let plan = engine.control().plan_backfill(&key, &wish(4, 6, false)).await.expect("planned");
    let dates: Vec<String> = plan.rows.iter().map(|row| row.logical_date.to_string()).collect();
    assert_eq!(dates, [at(4), at(5), at(6)]);
    let now = engine.control().now();
    let two_days = Wish { from: (now - 2 * 86_400_000).to_string(), to: None, ..wish(4, 4, false) };
    let plan = engine.control().plan_backfill(&key, &two_days).await.expect("planned");
    assert!(plan.rows.len() == 1 && plan.rows[0].fire_time <= now, "today's interval is not over: {:?}", plan.rows);
}
