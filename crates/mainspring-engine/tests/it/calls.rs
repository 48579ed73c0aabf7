//! Tasks that start other workflows, over a store in memory and over `SQLite`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mainspring_core::RunId;
use mainspring_core::job::{Job, JobKey, RetryPolicy, Task};
use mainspring_core::run::RunState;
use mainspring_core::workflow::{Call, Spread, TaskDefinition, TaskState, Workflow};
use mainspring_engine::control::{Ask, Error, SaveMode};
use mainspring_engine::{Clock, Engine, HandlerError, RunContext, SystemClock};
use mainspring_store::{Expect, MemoryStore, Options, RunInfo, SqliteStore, Store, TaskWrite, WorkflowStep};
use serde_json::{Value, json};

use crate::kit::until;
use crate::workflows::{child, end, over_both, request, stage, task};

/// A task that starts a workflow.
pub(crate) fn call(name: &str, workflow: &str, inputs: Value) -> TaskDefinition {
    let Value::Object(inputs) = inputs else { panic!("inputs have names") };
    let job = Job::new(JobKey::new("default", "etl"), Task::Noop);
    let call = Some(Call { workflow: workflow.to_owned(), inputs });
    TaskDefinition { call, ..TaskDefinition::new(name, job) }
}

async fn save(engine: &Engine, name: &str, workflow: Workflow) {
    try_save(engine, vec![(name, workflow)]).await.expect("saved");
}

async fn try_save(engine: &Engine, workflows: Vec<(&str, Workflow)>) -> Result<(), Error> {
    let job = |(name, workflow)| {
        let job = Job::new(JobKey::new("default", name), Task::Workflow(Box::new(workflow)));
        (Arc::new(job), Expect::Anything)
    };
    engine.control().save(workflows.into_iter().map(job).collect(), SaveMode::Commit).await.map(|_| ())
}

fn of(tasks: Vec<TaskDefinition>) -> Workflow {
    Workflow { tasks, ..Workflow::default() }
}

async fn run(engine: &Engine, name: &str) -> RunId {
    let key = JobKey::new("default", name);
    engine.control().run_now(&key, Ask::default()).await.expect("asked for").id
}

/// The run that a task has started, once it is there.
async fn called(engine: &Engine, run: RunId, task: u32) -> RunInfo {
    until("the other run", async || {
        let row = engine.control().workflow(run).await.expect("read")?;
        let child = row.tasks.iter().find(|row| row.task == task)?.child?;
        engine.control().run(child).await.ok()
    })
    .await
}

#[tokio::test]
async fn task_starts_another_workflow_and_leaves_what_that_leaves() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let mut inner = of(vec![task("load", "echo", &[])]);
        inner.tasks[0].job.input = json!({"rows": "${{ params.rows }}"});
        inner.outputs.insert("rows".to_owned(), "${{ needs.load.outputs.rows }}".to_owned());
        save(&engine, "inner", inner).await;
        let mut report = TaskDefinition { needs: vec![0], ..task("report", "echo", &[]) };
        report.job.input = json!({"seen": "${{ needs.part.outputs.rows }}"});
        save(&engine, "etl", of(vec![call("part", "inner", json!({"rows": "${{ 3 + 4 }}"})), report])).await;
        let outer = run(&engine, "etl").await;
        let ended = end(&engine, outer).await;
        assert_eq!(ended.state, RunState::Succeeded, "{:?}", ended.reason);
        let inner = child(&engine, outer, 0, None).await;
        let caller = inner.caller.expect("a task has started it");
        assert_eq!((inner.key.name.as_str(), caller.run, caller.task.as_str()), ("inner", outer, "part"));
        assert_eq!((inner.fire_time, inner.output.as_deref()), (ended.fire_time, Some(r#"{"rows":7}"#)));
        assert_eq!(child(&engine, outer, 1, None).await.output.as_deref(), Some(r#"{"seen":7}"#));
    })
    .await;
}

#[tokio::test]
async fn each_attempt_is_a_run_of_its_own() {
    over_both(async |store| {
        let stage = stage();
        let attempts = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&attempts);
        stage.handlers.register("third", move |_: RunContext| {
            let number = count.fetch_add(1, Ordering::SeqCst) + 1;
            async move { if number < 3 { Err(HandlerError("not yet".into())) } else { Ok(()) } }
        });
        let engine = stage.engine(store).await;
        save(&engine, "inner", of(vec![task("a", "third", &[])])).await;
        let mut part = call("part", "inner", json!({}));
        part.job.retry = RetryPolicy { count: 2, delay_ms: 30, ..RetryPolicy::default() };
        save(&engine, "etl", of(vec![part])).await;
        let outer = run(&engine, "etl").await;
        assert_eq!(end(&engine, outer).await.state, RunState::Succeeded);
        let row = engine.control().workflow(outer).await.expect("read").expect("it has begun");
        assert_eq!((row.tasks[0].generation, row.tasks[0].state), (0, TaskState::Succeeded));
        assert_eq!(attempts.load(Ordering::SeqCst), 3);
        let all = engine.control().store().runs(mainspring_store::RunQuery { limit: 99, ..Default::default() }).await;
        let inner = all.expect("runs").into_iter().filter(|run| run.key.name == "inner").count();
        assert_eq!(inner, 3);
    })
    .await;
}

#[tokio::test]
async fn failure_without_attempts_left_is_that_of_the_task() {
    let stage = stage();
    let engine = stage.engine(Arc::new(MemoryStore::new())).await;
    save(&engine, "inner", of(vec![task("a", "fail", &[])])).await;
    save(&engine, "etl", of(vec![call("part", "inner", json!({}))])).await;
    let outer = run(&engine, "etl").await;
    let ended = end(&engine, outer).await;
    assert_eq!((ended.state, ended.reason.as_deref()), (RunState::Failed, Some("task part failed")));
    let inner = child(&engine, outer, 0, None).await;
    let row = engine.control().workflow(outer).await.expect("read").expect("it has begun");
    assert_eq!(row.tasks[0].reason, Some(format!("the run {} of inner failed", inner.id)));
}

#[tokio::test]
async fn cancel_of_the_run_cancels_what_its_tasks_have_started() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        save(&engine, "inner", of(vec![task("a", "hold", &[])])).await;
        let mut part = call("part", "inner", json!({}));
        part.job.retry = RetryPolicy { count: 5, ..RetryPolicy::default() };
        save(&engine, "etl", of(vec![part])).await;
        let outer = run(&engine, "etl").await;
        stage.until_entered("a").await;
        let inner = called(&engine, outer, 0).await.id;
        engine.control().cancel(outer, "enough").await.expect("asked");
        assert_eq!(end(&engine, outer).await.state, RunState::Cancelled);
        assert_eq!(end(&engine, inner).await.state, RunState::Cancelled);
        assert_eq!(stage.entered(), ["a"]);
    })
    .await;
}

/// The time of a workflow run is limited as a whole: what is left of it is cancelled, and tasks that run last follow.
#[tokio::test]
async fn run_that_takes_too_long_fails_and_ends_what_it_has_started() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        save(&engine, "inner", of(vec![task("a", "hold", &[])])).await;
        let tidy = TaskDefinition { finally: true, ..task("tidy", "echo", &[]) };
        let tasks = of(vec![
            call("part", "inner", json!({})),
            TaskDefinition { needs: vec![0], ..task("report", "echo", &[]) },
            tidy,
        ]);
        let mut job = Job::new(JobKey::new("default", "etl"), Task::Workflow(Box::new(tasks)));
        job.run_timeout_ms = Some(300);
        engine.control().save(vec![(Arc::new(job), Expect::Anything)], SaveMode::Commit).await.expect("saved");
        let outer = run(&engine, "etl").await;
        let ended = end(&engine, outer).await;
        let reason = Some("it took longer than its run_timeout");
        assert_eq!((ended.state, ended.reason.as_deref()), (RunState::Failed, reason));
        assert_eq!(child(&engine, outer, 0, None).await.state, RunState::Cancelled);
        let row = engine.control().workflow(outer).await.expect("read").expect("it has begun");
        let states: Vec<TaskState> = row.tasks.iter().map(|row| row.state).collect();
        assert_eq!(states, [TaskState::Cancelled, TaskState::Cancelled, TaskState::Succeeded]);
        assert!(row.timed_out);
    })
    .await;
}

#[tokio::test]
async fn plain_jobs_are_started_for_each_item() {
    over_both(async |store| {
        let stage = stage();
        stage.handlers.register("double", |run: RunContext| async move {
            json!({"twice": run.input()["n"].as_i64().expect("a number") * 2})
        });
        let engine = stage.engine(store).await;
        let plain = Job::new(JobKey::new("default", "plain"), Task::Handler { name: "double".into() });
        engine.control().save(vec![(Arc::new(plain), Expect::Anything)], SaveMode::Commit).await.expect("saved");
        let mut part = call("part", "plain", json!({"n": "${{ map.item }}"}));
        part.spread = Some(Spread::Map("${{ [1, 2, 3] }}".into()));
        part.max_parallel = Some(2);
        let mut all = of(vec![part]);
        all.outputs.insert("twice".to_owned(), "${{ needs.part.outputs.twice }}".to_owned());
        save(&engine, "etl", all).await;
        let ended = end(&engine, run(&engine, "etl").await).await;
        assert_eq!((ended.state, ended.output.as_deref()), (RunState::Succeeded, Some(r#"{"twice":[2,4,6]}"#)));
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_started_or_left_fails_and_says_why() {
    let stage = stage();
    let engine = stage.engine(Arc::new(MemoryStore::new())).await;
    save(&engine, "inner", of(vec![task("a", "echo", &[])])).await;
    let gone = call("gone", "nowhere", json!({}));
    let unread = call("unread", "inner", json!({"x": "${{ needs.no.state }}"}));
    save(&engine, "etl", of(vec![gone, unread])).await;
    let outer = run(&engine, "etl").await;
    assert_eq!(end(&engine, outer).await.reason.as_deref(), Some("tasks gone, unread failed"));
    let row = engine.control().workflow(outer).await.expect("read").expect("it has begun");
    let reasons: Vec<&str> = row.tasks.iter().filter_map(|row| row.reason.as_deref()).collect();
    let expected =
        ["there is no job \"nowhere\" in namespace \"default\"", "workflow.expression: inputs.x: undefined value"];
    assert_eq!(reasons, expected);
    let mut leaves = of(vec![task("a", "echo", &[])]);
    leaves.outputs.insert("x".to_owned(), "${{ needs.a.outputs.nothing }}".to_owned());
    save(&engine, "leaves", leaves).await;
    let ended = end(&engine, run(&engine, "leaves").await).await;
    assert_eq!(
        (ended.state, ended.reason.as_deref()),
        (RunState::Failed, Some("workflow.expression: outputs.x: undefined value"))
    );
}

/// A node died after it had written which run a task starts, and before it asked for that.
#[tokio::test]
async fn run_that_a_row_names_is_asked_for_by_the_next_node() {
    over_both(async |store| {
        let stage = stage();
        {
            let engine = stage.engine(Arc::clone(&store)).await;
            save(&engine, "inner", of(vec![task("a", "echo", &[])])).await;
            save(&engine, "etl", of(vec![task("first", "hold", &[]), call("part", "inner", json!({}))])).await;
        }
        let key = JobKey::new("default", "etl");
        let run = {
            let job = store.job(&key).await.expect("read").expect("there");
            let at = SystemClock.now();
            let id = RunId::new(at, mainspring_core::RunSource::Asked(job.id, 77));
            let line = mainspring_core::line::WORKFLOW_LINE.to_owned();
            let asked = mainspring_store::AskedRun {
                id,
                job: job.id,
                job_version: job.version,
                origin: mainspring_core::run::Origin::Api,
                input: None,
                queue: line,
                priority: 5,
                rerun_of: None,
                repeat: None,
                caller: None,
                fire_time: at,
                at,
            };
            store.ask_run(asked).await.expect("asked for");
            assert!(store.begin_workflow(id, at).await.expect("begun"));
            let row = store.workflow(id, 9).await.expect("read").expect("it has begun");
            let write = |task, state, call| TaskWrite {
                task,
                item: None,
                state,
                generation: 0,
                reason: None,
                start: None,
                call,
            };
            let call = id.called(job.id, "part", 0);
            let step = WorkflowStep {
                run: id,
                turn: row.turn,
                heard: Vec::new(),
                tasks: vec![write(0, TaskState::Succeeded, None), write(1, TaskState::Running, Some(call))],
                cancel: Vec::new(),
                stop: None,
                paused: false,
                more: true,
                end: None,
                output: None,
                limit: None,
                awaits: Vec::new(),
                settled: Vec::new(),
                over: Vec::new(),
                at,
            };
            store.step_workflow(step).await.expect("written");
            assert_eq!(store.run(call).await.expect("read"), None);
            id
        };
        let engine = stage.engine(store).await;
        assert_eq!(end(&engine, run).await.state, RunState::Succeeded);
        assert_eq!(stage.entered(), ["a"]);
    })
    .await;
}

/// What a node knows that dies is read again by the next: which run is waited for, which attempt it is, and what it was given.
#[tokio::test]
async fn attempts_go_on_after_the_engine_was_dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = stage();
    let attempts = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&attempts);
    stage.handlers.register("third", move |run: RunContext| {
        let number = count.fetch_add(1, Ordering::SeqCst) + 1;
        async move { if number < 3 { Err(HandlerError("not yet".into())) } else { Ok(run.input()) } }
    });
    // The engine before lets go of the file soon after it was dropped.
    let open = || {
        until("the file is free", async || {
            let store = SqliteStore::open(folder.path().join("s.db"), Options::default()).ok()?;
            Some(Arc::new(store) as Arc<dyn Store>)
        })
    };
    let outer = {
        let engine = stage.engine(open().await).await;
        let mut inner = of(vec![task("a", "third", &[])]);
        inner.outputs.insert("n".to_owned(), "${{ needs.a.outputs.n }}".to_owned());
        save(&engine, "inner", inner).await;
        let mut part = call("part", "inner", json!({"n": "${{ 2 + 3 }}"}));
        part.job.retry = RetryPolicy { count: 2, delay_ms: 300, ..RetryPolicy::default() };
        save(&engine, "etl", of(vec![part])).await;
        let outer = run(&engine, "etl").await;
        until("the first attempt is over", async || {
            let row = engine.control().workflow(outer).await.expect("read")?;
            row.tasks.first()?.reason.clone()
        })
        .await;
        outer
    };
    let engine = stage.engine(open().await).await;
    assert_eq!(end(&engine, outer).await.state, RunState::Succeeded);
    assert_eq!(child(&engine, outer, 0, None).await.output.as_deref(), Some(r#"{"n":5}"#));
    assert_eq!(attempts.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn pause_between_attempts_ends_with_the_task() {
    let stage = stage();
    let engine = stage.engine(Arc::new(MemoryStore::new())).await;
    save(&engine, "inner", of(vec![task("a", "fail", &[])])).await;
    let mut part = call("part", "inner", json!({}));
    part.job.retry = RetryPolicy { count: 2, delay_ms: 3_600_000, ..RetryPolicy::default() };
    save(&engine, "etl", of(vec![part])).await;
    let outer = run(&engine, "etl").await;
    let reason = until("the first attempt is over", async || {
        let row = engine.control().workflow(outer).await.expect("read")?;
        row.tasks.first()?.reason.clone()
    })
    .await;
    assert!(reason.starts_with("attempt 1 failed: inner "), "{reason}");
    engine.control().steer(outer, request(mainspring_store::TaskVerb::Cancel, Some(0))).await.expect("asked");
    assert_eq!(end(&engine, outer).await.reason.as_deref(), Some("task part cancelled"));
    assert_eq!(stage.entered(), ["a"]);
}

#[tokio::test]
async fn workflows_that_start_each_other_in_a_circle_are_refused() {
    let stage = stage();
    let engine = stage.engine(Arc::new(MemoryStore::new())).await;
    let refused = |result: Result<(), Error>| match result {
        Err(Error::Invalid { error, .. }) => (error.code, error.message),
        other => panic!("{other:?}"),
    };
    let calls = |name: &str| of(vec![call("next", name, json!({}))]);
    save(&engine, "a", calls("b")).await;
    save(&engine, "b", calls("c")).await;
    let message = "workflows start each other in a circle: a → b → c → a".to_owned();
    assert_eq!(refused(try_save(&engine, vec![("c", calls("a"))]).await), ("workflow.call_circle", message));
    let message = "workflows start each other in a circle: d → d".to_owned();
    assert_eq!(refused(try_save(&engine, vec![("d", calls("d"))]).await), ("workflow.call_circle", message));
    save(&engine, "c", calls("d")).await;
}
