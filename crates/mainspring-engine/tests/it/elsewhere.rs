//! Tasks that need tasks of other workflows by date, over a store in memory and over `SQLite`.

use std::sync::Arc;
use std::time::Duration;

use mainspring_core::after::AfterOn;
use mainspring_core::job::{Job, JobKey, ScheduleDefinition, Task, TriggerDefinition};
use mainspring_core::run::RunState;
use mainspring_core::workflow::backfill::{Order, Reprocess};
use mainspring_core::workflow::{
    Approval, At, Call, Elsewhere, Hold, NeedAt, OnMissing, TaskDefinition, TaskState, Workflow,
};
use mainspring_core::{RunId, Timestamp};
use mainspring_engine::Engine;
use mainspring_engine::control::{Ask, Asking, Error, Reran, RerunAsk, RerunVersion, SaveMode, Wish};
use mainspring_store::{Expect, MemoryStore, RunQuery, WorkflowRow};

use crate::kit::until;
use crate::workflows::{end, over_both, sqlite, stage, task};

fn need(at: At, on_missing: OnMissing) -> Elsewhere {
    let (workflow, task) = ("ingest".to_owned(), Some("load".to_owned()));
    Elsewhere { workflow, task, at, on_missing, timeout_ms: None }
}

const SAME: At = At::Word(NeedAt::Same);

/// A task that waits for another workflow, and stands before all others in the order of names.
pub(crate) fn waits(need: Elsewhere) -> TaskDefinition {
    let job = Job::new(JobKey::new("default", "report"), Task::Noop);
    TaskDefinition { hold: Some(Hold::Elsewhere(need)), ..TaskDefinition::new("a", job) }
}

/// `report`, whose one task needs something elsewhere.
pub(crate) fn report(need: Elsewhere) -> Workflow {
    let sums = TaskDefinition { needs: vec![0], ..task("sums", "echo", &[]) };
    Workflow { tasks: vec![waits(need), sums], ..Workflow::default() }
}

async fn save(engine: &Engine, name: &str, workflow: Workflow) -> Result<(), Error> {
    let job = Job::new(JobKey::new("default", name), Task::Workflow(Box::new(workflow)));
    engine.control().save(vec![(Arc::new(job), Expect::Anything)], SaveMode::Commit).await.map(|_| ())
}

/// Starts a run for a date.
async fn run_for(engine: &Engine, name: &str, date: Timestamp, number: u64) -> RunId {
    let ask = Ask { asking: Some(Asking { at: date, number }), ..Ask::default() };
    engine.control().run_now(&JobKey::new("default", name), ask).await.expect("asked for").id
}

/// The run's row, once the task that waits says something with these words.
async fn waiting(engine: &Engine, run: RunId, words: &str) -> WorkflowRow {
    until("it waits", async || {
        let row = engine.control().workflow(run).await.expect("read")?;
        let says = row.tasks.first()?.reason.clone()?;
        says.contains(words).then_some(row)
    })
    .await
}

async fn why(engine: &Engine, run: RunId) -> (RunState, TaskState, Option<String>) {
    let state = end(engine, run).await.state;
    let row = engine.control().workflow(run).await.expect("read").expect("it has begun");
    (state, row.tasks[0].state, row.tasks[0].reason.clone())
}

const DATE: Timestamp = Timestamp::from_millis(1_790_000_000_000);

#[tokio::test]
async fn task_waits_for_a_task_of_the_same_date_that_still_runs() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let asks = Some(Hold::Approval(Approval::default()));
        let tasks =
            vec![task("load", "hold", &[]), TaskDefinition { hold: asks, needs: vec![0], ..task("rest", "echo", &[]) }];
        save(&engine, "ingest", Workflow { tasks, ..Workflow::default() }).await.expect("saved");
        save(&engine, "report", report(need(SAME, OnMissing::Wait))).await.expect("saved");
        let other = run_for(&engine, "ingest", DATE + 1, 1).await;
        let run = run_for(&engine, "report", DATE, 1).await;
        waiting(&engine, run, "there was no run of ingest").await;
        let ingest = run_for(&engine, "ingest", DATE, 2).await;
        let again = run_for(&engine, "report", DATE, 2).await;
        waiting(&engine, again, "has not ended").await;
        engine.control().cancel(other, "another date").await.expect("asked");
        end(&engine, other).await;
        // The rest of that workflow goes on.
        stage.until_entered("load").await;
        stage.gate.send_replace(true);
        for run in [run, again] {
            let (state, task, reason) = why(&engine, run).await;
            assert_eq!((state, task), (RunState::Succeeded, TaskState::Succeeded), "{reason:?}");
            let reason = reason.expect("it says which run");
            assert!(reason.contains("is succeeded") && reason.contains(&ingest.to_string()), "{reason}");
        }
        assert_eq!(engine.control().run(ingest).await.expect("read").state, RunState::Running);
        assert_eq!(engine.metrics().workflows_rescued.get(), 0, "somebody told of each end");
        assert!(!engine.control().store().is_anything_awaited().await.expect("read"));
    })
    .await;
}

#[tokio::test]
async fn failure_elsewhere_and_missing_runs_end_what_waits() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let tasks = vec![task("load", "fail", &[])];
        save(&engine, "ingest", Workflow { tasks, ..Workflow::default() }).await.expect("saved");
        let ingest = run_for(&engine, "ingest", DATE, 1).await;
        end(&engine, ingest).await;
        let timed = Elsewhere { timeout_ms: Some(20), ..need(SAME, OnMissing::Wait) };
        let no_task = Elsewhere { task: Some("lode".to_owned()), ..need(SAME, OnMissing::Wait) };
        let whole = Elsewhere { task: None, ..need(SAME, OnMissing::Wait) };
        for (number, need, date, expected, words) in [
            (1, need(SAME, OnMissing::Wait), DATE, TaskState::Failed, "is failed"),
            (2, whole, DATE, TaskState::Failed, "is failed"),
            (3, no_task, DATE, TaskState::Failed, "has no task lode"),
            (4, need(At::Offset(-5), OnMissing::Wait), DATE + 5, TaskState::Failed, "is failed"),
            (5, need(SAME, OnMissing::Fail), DATE + 1, TaskState::Failed, "there was no run"),
            (6, need(SAME, OnMissing::Skip), DATE + 1, TaskState::Skipped, "there was no run"),
            (7, need(SAME, OnMissing::Succeed), DATE + 1, TaskState::Succeeded, "there was no run"),
            (8, timed, DATE + 1, TaskState::Failed, "had not ended in time"),
            (9, need(At::Word(NeedAt::Previous), OnMissing::Wait), DATE, TaskState::Failed, "no schedule says"),
            (10, need(At::Word(NeedAt::Covers), OnMissing::Wait), DATE, TaskState::Failed, "no schedule says"),
        ] {
            let name = format!("report-{number}");
            save(&engine, &name, report(need)).await.expect("saved");
            let run = run_for(&engine, &name, date, number).await;
            let (_, task, reason) = why(&engine, run).await;
            assert_eq!(task, expected, "{number}: {reason:?}");
            assert!(reason.as_ref().is_some_and(|reason| reason.contains(words)), "{number}: {reason:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn run_that_repeats_another_one_counts_in_its_place() {
    let stage = stage();
    let engine = stage.engine(Arc::new(MemoryStore::new())).await;
    save(&engine, "ingest", Workflow { tasks: vec![task("load", "fail", &[])], ..Workflow::default() })
        .await
        .expect("saved");
    let ingest = run_for(&engine, "ingest", DATE, 1).await;
    end(&engine, ingest).await;
    save(&engine, "ingest", Workflow { tasks: vec![task("load", "echo", &[])], ..Workflow::default() })
        .await
        .expect("saved");
    let ask = RerunAsk { version: RerunVersion::Latest, ..RerunAsk::default() };
    let plan = engine.control().plan_rerun(ingest, &ask).await.expect("it is over");
    let Reran::Run(again) =
        engine.control().rerun_tasks(ingest, &ask, Some(&plan.hash), None).await.expect("asked for")
    else {
        panic!("the plan holds")
    };
    end(&engine, again.id).await;
    save(&engine, "report", report(need(SAME, OnMissing::Wait))).await.expect("saved");
    let run = run_for(&engine, "report", DATE, 1).await;
    let (_, state, reason) = why(&engine, run).await;
    assert_eq!(state, TaskState::Succeeded, "{reason:?}");
}

/// Saves a workflow with a cron trigger, which fires from an instant on if one is given.
pub(crate) async fn save_with(
    engine: &Engine,
    name: &str,
    workflow: Workflow,
    expression: &str,
    start_at: Option<&str>,
) {
    let mut job = Job::new(JobKey::new("default", name), Task::Workflow(Box::new(workflow)));
    let schedule = ScheduleDefinition::Cron { expression: expression.into() };
    let start_at = start_at.map(|text| text.parse().expect("an instant"));
    job.triggers.push(TriggerDefinition { start_at, ..TriggerDefinition::new("t", schedule) });
    engine.control().save(vec![(Arc::new(job), Expect::Anything)], SaveMode::Commit).await.expect("saved");
}

/// Runs one date by a backfill.
async fn backfilled(engine: &Engine, name: &str, date: &str) -> RunId {
    let wish = Wish {
        trigger: None,
        zone: None,
        from: date.into(),
        to: Some(date.into()),
        reprocess: Reprocess::Missing,
        part: None,
        cascade: false,
        order: Order::Ascending,
        max_active: 1,
        stop_on_failure: false,
        priority: None,
    };
    let key = JobKey::new("default", name);
    engine.control().start_backfill(&key, &wish, None, None).await.expect("started");
    let date: Timestamp = date.parse().expect("an instant");
    until("its run is there", async || {
        let query = RunQuery { namespace: Some("default".to_owned()), limit: 1_000, ..RunQuery::default() };
        let runs = engine.control().store().runs(query).await.expect("read");
        runs.into_iter().find(|run| run.key == key && run.fire_time == date).map(|run| run.id)
    })
    .await
}

#[tokio::test]
async fn first_dates_of_a_schedule_are_needed_like_others() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let tasks = vec![task("load", "echo", &[])];
        let ingest = Workflow { tasks, ..Workflow::default() };
        save_with(&engine, "ingest", ingest, "0 * * * *", Some("2026-05-04T01:00:00Z")).await;
        save_with(
            &engine,
            "first",
            report(need(At::Word(NeedAt::Previous), OnMissing::Wait)),
            "0 3 * * *",
            Some("2026-05-04T03:00:00Z"),
        )
        .await;
        let (_, task, reason) = why(&engine, backfilled(&engine, "first", "2026-05-04T03:00:00Z").await).await;
        assert_eq!((task, reason.as_deref()), (TaskState::Succeeded, Some("there is no date before")));

        save_with(&engine, "report", report(need(At::Word(NeedAt::Covers), OnMissing::Wait)), "0 3 * * *", None).await;
        for (hour, number) in [(2, 1), (3, 2)] {
            let date = format!("2026-05-04T0{hour}:00:00Z").parse().expect("an instant");
            end(&engine, run_for(&engine, "ingest", date, number).await).await;
        }
        let run = backfilled(&engine, "report", "2026-05-04T03:00:00Z").await;
        waiting(&engine, run, "there was no run of ingest for 2026-05-04T01:00:00.000Z").await;
        run_for(&engine, "ingest", "2026-05-04T01:00:00Z".parse().expect("an instant"), 3).await;
        let (_, task, reason) = why(&engine, run).await;
        assert_eq!((task, reason.as_deref()), (TaskState::Succeeded, Some("task load of ingest of 3 dates succeeded")));
    })
    .await;
}

#[tokio::test]
async fn run_that_a_task_has_started_in_a_backfill_is_seen_and_starts_no_followers() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let tasks = vec![task("load", "echo", &[])];
        save(&engine, "ingest", Workflow { tasks, ..Workflow::default() }).await.expect("saved");
        let call = Some(Call { workflow: "ingest".into(), inputs: serde_json::Map::new() });
        let part = TaskDefinition { call, ..task("part", "echo", &[]) };
        save_with(&engine, "outer", Workflow { tasks: vec![part], ..Workflow::default() }, "0 3 * * *", None).await;
        let mut follower = Job::new(JobKey::new("default", "follower"), Task::Noop);
        let follows = ScheduleDefinition::After { jobs: vec!["ingest".into()], on: AfterOn::Any };
        follower.triggers.push(TriggerDefinition::new("after", follows));
        engine.control().save(vec![(Arc::new(follower), Expect::Anything)], SaveMode::Commit).await.expect("saved");
        save_with(&engine, "report", report(need(SAME, OnMissing::Wait)), "0 3 * * *", None).await;
        let run = backfilled(&engine, "report", "2026-05-04T03:00:00Z").await;
        waiting(&engine, run, "there was no run of ingest").await;
        let outer = backfilled(&engine, "outer", "2026-05-04T03:00:00Z").await;
        let (_, state, reason) = why(&engine, run).await;
        assert_eq!(state, TaskState::Succeeded, "{reason:?}");
        end(&engine, outer).await;
        // One by hand is followed, and so comes after whatever the other one would have owed.
        run_for(&engine, "ingest", DATE, 1).await;
        let runs = until("the follower", async || {
            let query = RunQuery { namespace: Some("default".to_owned()), limit: 1_000, ..RunQuery::default() };
            let mut runs = engine.control().store().runs(query).await.expect("read");
            runs.retain(|run| run.key.name == "follower");
            (!runs.is_empty()).then_some(runs)
        })
        .await;
        assert_eq!(runs.iter().map(|run| run.fire_time).collect::<Vec<_>>(), [DATE]);
    })
    .await;
}

#[tokio::test]
async fn what_a_need_of_another_workflow_has_left_is_read_like_that_of_a_task() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let mut load = task("load", "echo", &[]);
        load.job.input = serde_json::json!({"rows": 7});
        let mut ingest = Workflow { tasks: vec![load], ..Workflow::default() };
        ingest.outputs.insert("all".to_owned(), "${{ needs.load.outputs.rows + 1 }}".to_owned());
        save(&engine, "ingest", ingest).await.expect("saved");
        let whole = Elsewhere { task: None, ..need(SAME, OnMissing::Wait) };
        for (number, (need, text, seen)) in [
            (need(SAME, OnMissing::Wait), "${{ needs['ingest:load@same'].outputs.rows }}", 7),
            (whole, "${{ needs['ingest@same'].outputs.all }}", 8),
        ]
        .into_iter()
        .enumerate()
        {
            let mut workflow = report(need.clone());
            workflow.tasks[0].name = need.name();
            workflow.tasks[1].job.input = serde_json::json!({"seen": text});
            workflow.outputs.insert("seen".to_owned(), text.to_owned());
            let name = format!("report-{number}");
            save(&engine, &name, workflow).await.expect("saved");
            let date = DATE + i64::try_from(number).expect("few");
            let run = run_for(&engine, &name, date, 1).await;
            waiting(&engine, run, "there was no run of ingest").await;
            let other = run_for(&engine, "ingest", date, 1).await;
            let ended = end(&engine, run).await;
            assert_eq!((ended.state, ended.output), (RunState::Succeeded, Some(format!("{{\"seen\":{seen}}}"))));
            let row = engine.control().workflow(run).await.expect("read").expect("it has begun");
            let left = engine.control().run(row.tasks[1].child.expect("it ran")).await.expect("read").output;
            assert_eq!(left, Some(format!("{{\"seen\":{seen}}}")));
            let stands_for = engine.control().run(row.tasks[0].child.expect("it is named")).await.expect("read");
            assert!(stands_for.id == other || stands_for.parent == Some(other), "{stands_for:?}");
        }
    })
    .await;
}

/// A workflow whose task waits for a decision.
fn asking() -> Workflow {
    let asks = TaskDefinition { hold: Some(Hold::Approval(Approval::default())), ..task("load", "echo", &[]) };
    Workflow { tasks: vec![asks], ..Workflow::default() }
}

/// A run that waits for one of `ingest`, and that one.
async fn both(engine: &Engine) -> (RunId, RunId) {
    save(engine, "ingest", asking()).await.expect("saved");
    save(engine, "report", report(need(SAME, OnMissing::Wait))).await.expect("saved");
    let other = run_for(engine, "ingest", DATE, 1).await;
    let run = run_for(engine, "report", DATE, 1).await;
    waiting(engine, run, "has not ended").await;
    (run, other)
}

/// Deletes `ingest`, which ends its run and what waits for that.
async fn delete(engine: &Engine, (run, other): (RunId, RunId), is_made_again: bool) {
    engine.control().delete_job(&JobKey::new("default", "ingest"), Expect::Anything).await.expect("deleted");
    if is_made_again {
        save(engine, "ingest", asking()).await.expect("saved");
    }
    let (_, task, reason) = why(engine, run).await;
    assert_eq!(task, TaskState::Failed, "{reason:?}");
    let reason = reason.expect("it says which run");
    assert!(reason.contains("is cancelled") && reason.contains(&other.to_string()), "{reason}");
}

#[tokio::test]
async fn deletion_of_the_other_job_ends_what_waits_for_its_run() {
    for is_made_again in [false, true] {
        over_both(async |store| {
            let stage = stage();
            let engine = stage.engine(store).await;
            let runs = both(&engine).await;
            delete(&engine, runs, is_made_again).await;
        })
        .await;
    }
}

#[tokio::test]
async fn deletion_of_the_other_job_ends_what_waits_for_a_run_that_nobody_has_seen() {
    for is_made_again in [false, true] {
        over_both(async |store| {
            let stage = stage();
            let engine = stage.engine(store).await;
            save(&engine, "ingest", asking()).await.expect("saved");
            save(&engine, "report", report(need(SAME, OnMissing::Wait))).await.expect("saved");
            let run = run_for(&engine, "report", DATE, 1).await;
            waiting(&engine, run, "there was no run").await;
            let other = run_for(&engine, "ingest", DATE, 1).await;
            delete(&engine, (run, other), is_made_again).await;
        })
        .await;
    }
}

#[tokio::test]
async fn deletion_of_the_other_job_ends_what_has_waited_since_before_a_restart() {
    for is_made_again in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let stage = stage();
        let engine = stage.engine(sqlite(folder.path())).await;
        let runs = both(&engine).await;
        engine.stop(Duration::from_secs(5)).await.expect("it stops");
        let engine = stage.engine(sqlite(folder.path())).await;
        delete(&engine, runs, is_made_again).await;
    }
}

#[tokio::test]
async fn definition_that_cannot_be_read_keeps_only_what_needs_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = stage();
    let engine = stage.engine(sqlite(folder.path())).await;
    save(&engine, "ingest", asking()).await.expect("saved");
    let workflow = report(need(SAME, OnMissing::Wait));
    let tasks = workflow.tasks.into_iter().chain([task("z", "echo", &[])]).collect();
    save(&engine, "report", Workflow { tasks, ..Workflow::default() }).await.expect("saved");
    engine.stop(Duration::from_secs(5)).await.expect("it stops");
    let file = rusqlite::Connection::open(folder.path().join("s.db")).expect("it is free");
    let set = "UPDATE job_version SET definition = ?1 WHERE job_id = (SELECT id FROM job WHERE name = 'ingest')";
    assert_eq!(file.execute(set, [r#"{"tomorrow": 1}"#]).expect("it is there"), 1);
    drop(file);
    let engine = stage.engine(sqlite(folder.path())).await;
    let run = run_for(&engine, "report", DATE, 1).await;
    waiting(&engine, run, "the definition of ingest cannot be read").await;
    stage.until_entered("z").await;
}

#[tokio::test]
async fn workflows_that_need_each_other_at_one_date_are_refused() {
    let stage = stage();
    let engine = stage.engine(Arc::new(MemoryStore::new())).await;
    let needs = |workflow: &str, at| report(Elsewhere { workflow: workflow.to_owned(), ..need(at, OnMissing::Wait) });
    save(&engine, "a", needs("b", SAME)).await.expect("saved");
    let Err(Error::Invalid { error, .. }) = save(&engine, "b", needs("a", SAME)).await else { panic!("a circle") };
    let message = "workflows wait for each other at the same date: a → b → a (task sums of a needs task load of b; task sums of b needs task load of a)";
    assert_eq!((error.code, error.message.as_str()), ("workflow.need_circle", message));
    save(&engine, "b", needs("a", At::Word(NeedAt::Previous))).await.expect("yesterday is over");
    save(&engine, "c", needs("c", At::Offset(-1))).await.expect("itself, earlier");
}
