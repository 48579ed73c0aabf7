//! Tasks that need tasks of other workflows by date, over a store in memory and over `SQLite`.

use std::sync::Arc;

use mainspring_core::job::{Job, JobKey, Task};
use mainspring_core::run::RunState;
use mainspring_core::workflow::{
    Approval, At, Elsewhere, Hold, NeedAt, OnMissing, TaskDefinition, TaskState, Workflow,
};
use mainspring_core::{RunId, Timestamp};
use mainspring_engine::Engine;
use mainspring_engine::control::{Ask, Asking, Error, Reran, RerunAsk, RerunVersion, SaveMode};
use mainspring_store::{Expect, MemoryStore, WorkflowRow};

use crate::kit::until;
use crate::workflows::{end, over_both, stage, task};

fn need(at: At, on_missing: OnMissing) -> Elsewhere {
    let (workflow, task) = ("ingest".to_owned(), Some("load".to_owned()));
    Elsewhere { workflow, task, at, on_missing, timeout_ms: None }
}

const SAME: At = At::Word(NeedAt::Same);

/// A task that waits for another workflow, and stands before all others in the order of names.
fn waits(need: Elsewhere) -> TaskDefinition {
    let job = Job::new(JobKey::new("default", "report"), Task::Noop);
    TaskDefinition { hold: Some(Hold::Elsewhere(need)), ..TaskDefinition::new("a", job) }
}

/// `report`, whose one task needs something elsewhere.
fn report(need: Elsewhere) -> Workflow {
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
            (9, need(At::Word(NeedAt::Previous), OnMissing::Wait), DATE, TaskState::Succeeded, "no date before"),
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
