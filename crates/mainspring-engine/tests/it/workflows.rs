//! Workflow runs in an engine, over a store in memory and over `SQLite`: each task once, whatever happens meanwhile.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use mainspring_core::RunId;
use mainspring_core::batch::AttemptDetail;
use mainspring_core::job::{
    Backoff, Job, JobKey, OnLost, Overlap, RetryPolicy, ScheduleDefinition, Task, TriggerDefinition,
};
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::workflow::{Approval, Hold, Spread, TaskDefinition, TaskState, TriggerRule, Workflow, run_name};
use mainspring_engine::control::{Ask, SaveMode};
use mainspring_engine::{Clock, Engine, HandlerError, Handlers, RunContext, Settings, SystemClock};
use mainspring_store::{Expect, MemoryStore, Options, RunInfo, RunQuery, SqliteStore, Store, TaskRequest, TaskVerb};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::kit::{node_with, owns, until};
use crate::workers::{self, told};

/// Handlers that note what entered them, and a gate that `hold` waits at.
pub(crate) struct Stage {
    pub(crate) handlers: Arc<Handlers>,
    entered: Arc<Mutex<Vec<String>>>,
    pub(crate) gate: watch::Sender<bool>,
}

pub(crate) fn stage() -> Stage {
    let (handlers, entered) = (Arc::<Handlers>::default(), Arc::<Mutex<Vec<String>>>::default());
    let gate = watch::Sender::new(false);
    let note = |entered: &Arc<Mutex<Vec<String>>>, run: &RunContext| {
        let task = run.task().expect("it is a task's run");
        entered
            .lock()
            .expect("no panic holds it")
            .push(run_name(&task.task, task.item.as_ref().map(|item| item.index)));
    };
    let all = Arc::clone(&entered);
    handlers.register("echo", move |run: RunContext| {
        note(&all, &run);
        async move { run.input() }
    });
    let all = Arc::clone(&entered);
    handlers.register("fail", move |run: RunContext| {
        note(&all, &run);
        async { Err::<(), _>(HandlerError("it fails".into())) }
    });
    let all = Arc::clone(&entered);
    handlers.register("flaky", move |run: RunContext| {
        note(&all, &run);
        async move { if run.attempt() < 3 { Err(HandlerError("not yet".into())) } else { Ok(()) } }
    });
    let (all, opened) = (Arc::clone(&entered), gate.subscribe());
    handlers.register("hold", move |run: RunContext| {
        note(&all, &run);
        let mut opened = opened.clone();
        async move {
            tokio::select! {
                _ = opened.wait_for(|open| *open) => {}
                () = run.cancelled() => {}
            }
        }
    });
    Stage { handlers, entered, gate }
}

impl Stage {
    pub(crate) async fn engine(&self, store: Arc<dyn Store>) -> Engine {
        let (clock, handlers) = (Arc::new(SystemClock), Arc::clone(&self.handlers));
        Engine::start_with(store, Settings::default(), clock, handlers).await.expect("the engine starts")
    }

    pub(crate) fn entered(&self) -> Vec<String> {
        self.entered.lock().expect("no panic holds it").clone()
    }

    pub(crate) async fn until_entered(&self, name: &str) {
        until(name, async || self.entered().iter().any(|entered| entered == name).then_some(())).await;
    }
}

pub(crate) fn sqlite(folder: &Path) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open(folder.join("s.db"), Options::default()).expect("it opens"))
}

/// A task that calls a handler.
pub(crate) fn task(name: &str, handler: &str, needs: &[u32]) -> TaskDefinition {
    let job = Job::new(JobKey::new("default", "etl"), Task::Handler { name: handler.into() });
    TaskDefinition { needs: needs.to_vec(), ..TaskDefinition::new(name, job) }
}

fn diamond(handler: &str) -> Vec<TaskDefinition> {
    vec![task("a", "echo", &[]), task("b", handler, &[0]), task("c", "echo", &[0]), task("d", "echo", &[1, 2])]
}

pub(crate) async fn begin_of(engine: &Engine, workflow: Workflow, input: Option<Value>) -> RunId {
    let key = JobKey::new("default", "etl");
    let job = Job::new(key.clone(), Task::Workflow(Box::new(workflow)));
    engine.control().save(vec![(Arc::new(job), Expect::Anything)], SaveMode::Commit).await.expect("saved");
    engine.control().run_now(&key, Ask { input, ..Ask::default() }).await.expect("asked for").id
}

pub(crate) async fn begin(engine: &Engine, tasks: Vec<TaskDefinition>) -> RunId {
    begin_of(engine, Workflow { tasks, ..Workflow::default() }, None).await
}

pub(crate) async fn end(engine: &Engine, run: RunId) -> RunInfo {
    until("the run is over", async || {
        let info = engine.control().run(run).await.expect("there");
        info.state.is_final().then_some(info)
    })
    .await
}

/// The states of all tasks by name, with those of their runs.
async fn states(engine: &Engine, tasks: &[&str], run: RunId) -> BTreeMap<String, TaskState> {
    let row = engine.control().workflow(run).await.expect("read").expect("it has begun");
    row.tasks.iter().map(|row| (run_name(tasks[row.task as usize], row.item), row.state)).collect()
}

pub async fn child(engine: &Engine, run: RunId, task: u32, item: Option<u32>) -> RunInfo {
    let row = engine.control().workflow(run).await.expect("read").expect("it has begun");
    let found = row.tasks.iter().find(|row| (row.task, row.item) == (task, item)).and_then(|row| row.child);
    engine.control().run(found.expect("it has a run")).await.expect("there")
}

pub fn request(verb: TaskVerb, task: Option<u32>) -> TaskRequest {
    let at = SystemClock.now();
    TaskRequest { verb, task, item: None, by: Some("ann".into()), reason: Some("a test".into()), at }
}

/// Does the same over a store in memory, and over a file.
pub async fn over_both(test: impl AsyncFn(Arc<dyn Store>)) {
    test(Arc::new(MemoryStore::new())).await;
    let folder = tempfile::tempdir().expect("a folder");
    test(sqlite(folder.path())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_of_a_diamond_run_once_and_in_order() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let run = begin(&engine, diamond("echo")).await;
        let info = end(&engine, run).await;
        assert_eq!((info.state, info.reason), (RunState::Succeeded, None));
        let mut entered = stage.entered();
        assert_eq!((entered[0].as_str(), entered[3].as_str(), entered.len()), ("a", "d", 4));
        entered.sort();
        assert_eq!(entered, ["a", "b", "c", "d"]);
        let of_d = child(&engine, run, 3, None).await;
        assert_eq!((of_d.parent, of_d.task.as_deref(), of_d.fire_time), (Some(run), Some("d"), info.fire_time));
        assert_eq!(engine.metrics().workflows_rescued.get(), 0, "somebody told of each end");
    })
    .await;
}

/// Where nothing has to be read in between, the next task is queued and claimed by the transaction that ends the one before.
#[tokio::test(flavor = "multi_thread")]
async fn tasks_of_a_chain_start_with_the_end_of_the_one_before() {
    const TASKS: u32 = 20;
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let names: Vec<String> = (0..TASKS).map(|number| format!("t{number:02}")).collect();
        let needs = |number: u32| number.checked_sub(1).into_iter().collect::<Vec<_>>();
        let chain = (0..TASKS).zip(&names).map(|(number, name)| task(name, "echo", &needs(number))).collect();
        let run = begin(&engine, chain).await;
        assert_eq!(end(&engine, run).await.state, RunState::Succeeded);
        assert_eq!(stage.entered(), names, "each once, in order");
        let (steps, hops) = (engine.metrics().workflow_steps.get(), engine.metrics().workflow_hops.get());
        // Who looks at the run meanwhile may be first, and the first task may end before its step is answered.
        assert!(hops >= 15, "{hops} of {steps} steps");
        assert_eq!(engine.metrics().workflows_rescued.get(), 0, "somebody told of each end");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failure_keeps_those_below_from_starting_and_says_which() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let run = begin(&engine, diamond("fail")).await;
        let info = end(&engine, run).await;
        assert_eq!((info.state, info.reason.as_deref()), (RunState::Failed, Some("task b failed")));
        let states = states(&engine, &["a", "b", "c", "d"], run).await;
        assert_eq!(
            (states["b"], states["c"], states["d"]),
            (TaskState::Failed, TaskState::Succeeded, TaskState::UpstreamFailed)
        );
        assert!(!stage.entered().contains(&"d".to_owned()));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_run_ends_its_tasks_and_runs_the_last_ones() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let mut tasks = diamond("hold");
        tasks.push(TaskDefinition { finally: true, ..task("tidy", "echo", &[]) });
        let run = begin(&engine, tasks).await;
        stage.until_entered("b").await;
        engine.control().cancel(run, "enough").await.expect("it is under way");
        let info = end(&engine, run).await;
        assert_eq!(info.state, RunState::Cancelled);
        let states = states(&engine, &["a", "b", "c", "d", "tidy"], run).await;
        assert_eq!(
            (states["b"], states["d"], states["tidy"]),
            (TaskState::Cancelled, TaskState::Cancelled, TaskState::Succeeded)
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn run_goes_on_after_the_engine_was_dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = stage();
    let engine = stage.engine(sqlite(folder.path())).await;
    let mut tasks = diamond("hold");
    tasks[1].job.on_lost = OnLost::Retry;
    tasks[1].job.retry = RetryPolicy { count: 1, ..RetryPolicy::default() };
    let run = begin(&engine, tasks).await;
    stage.until_entered("b").await;
    stage.until_entered("c").await;
    drop(engine);
    stage.gate.send_replace(true);
    let store = until("the file is free", async || {
        SqliteStore::open(folder.path().join("s.db"), Options::default())
            .ok()
            .map(|store| Arc::new(store) as Arc<dyn Store>)
    })
    .await;
    let engine = stage.engine(store).await;
    assert_eq!(end(&engine, run).await.state, RunState::Succeeded);
    let count = |name: &str| stage.entered().iter().filter(|entered| *entered == name).count();
    assert_eq!((count("a"), count("b"), count("d")), (1, 2, 1), "what was lost is tried again, and nothing else");
}

#[tokio::test(flavor = "multi_thread")]
async fn map_runs_for_each_item_of_an_output_and_leaves_its_outputs_in_order() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let mut list = task("list", "echo", &[]);
        list.job.input = json!({"files": ["x", "y", "z"]});
        list.outputs = vec!["files".into()];
        let mut load = task("load", "echo", &[0]);
        load.spread = Some(Spread::Map("${{ needs.list.outputs.files }}".into()));
        load.max_parallel = Some(2);
        load.job.input = json!({"name": "${{ map.item }}-${{ map.index }}"});
        let mut sum = task("sum", "echo", &[1]);
        sum.job.input = json!({"all": "${{ needs.load.outputs.name }}", "region": "${{ params.region }}"});
        let workflow = Workflow { tasks: vec![list, load, sum], ..Workflow::default() };
        let run = begin_of(&engine, workflow, Some(json!({"region": "eu"}))).await;
        assert_eq!(end(&engine, run).await.state, RunState::Succeeded);
        let of_sum = child(&engine, run, 2, None).await;
        let left: Value = serde_json::from_str(&of_sum.output.expect("it echoes")).expect("JSON");
        assert_eq!(left, json!({"all": ["x-0", "y-1", "z-2"], "region": "eu"}));
        assert_eq!(child(&engine, run, 1, Some(2)).await.attempt, 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conditions_and_texts_that_cannot_be_evaluated_fail_their_task_alone() {
    let stage = stage();
    let engine = stage.engine(Arc::new(MemoryStore::new())).await;
    let mut tasks = diamond("echo");
    tasks[1].condition = Some("${{ needs.a.outputs.nothing > 0 }}".into());
    tasks[2].job.input = json!("${{ needs.a.outputs.nothing }}");
    tasks[3].trigger_rule = TriggerRule::AllDone;
    let run = begin(&engine, tasks).await;
    let info = end(&engine, run).await;
    assert_eq!((info.state, info.reason.as_deref()), (RunState::Failed, Some("tasks b, c failed")));
    let row = engine.control().workflow(run).await.expect("read").expect("it has begun");
    let reason = row.tasks.iter().find(|row| row.task == 1).and_then(|row| row.reason.clone());
    assert_eq!(reason.as_deref(), Some("workflow.expression: if: undefined value"));
    let of_c = child(&engine, run, 2, None).await;
    assert_eq!((of_c.state, of_c.error_code.as_deref()), (RunState::Failed, Some("workflow.expression")));
    assert_eq!(stage.entered(), ["a", "d"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn retries_and_time_limits_of_a_task_are_its_own() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let mut flaky = task("flaky", "flaky", &[]);
        flaky.job.retry = RetryPolicy { count: 2, backoff: Backoff::Fixed, ..RetryPolicy::default() };
        let mut slow = task("slow", "hold", &[]);
        slow.job.timeout_ms = Some(30);
        let run = begin(&engine, vec![flaky, slow, task("after", "echo", &[0])]).await;
        assert_eq!(end(&engine, run).await.state, RunState::Failed);
        assert_eq!(child(&engine, run, 0, None).await.attempt, 3);
        assert_eq!(child(&engine, run, 1, None).await.error_code.as_deref(), Some("task.timed_out"));
        assert!(stage.entered().contains(&"after".to_owned()));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn run_is_paused_and_steered_by_requests() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let mut tasks = diamond("echo");
        tasks[0] = task("a", "hold", &[]);
        let run = begin(&engine, tasks).await;
        stage.until_entered("a").await;
        let control = engine.control();
        control.steer(run, request(TaskVerb::Pause, None)).await.expect("it is under way");
        control.steer(run, request(TaskVerb::Skip, Some(1))).await.expect("it is under way");
        stage.gate.send_replace(true);
        until("c may run and does not", async || {
            let states = states(&engine, &["a", "b", "c", "d"], run).await;
            (states.get("c") == Some(&TaskState::Ready)).then_some(())
        })
        .await;
        assert_eq!(stage.entered(), ["a"]);
        control.steer(run, request(TaskVerb::Resume, None)).await.expect("it is under way");
        let info = end(&engine, run).await;
        assert_eq!(info.state, RunState::Succeeded);
        let row = control.workflow(run).await.expect("read").expect("it is kept");
        let of_b = row.tasks.iter().find(|row| row.task == 1).expect("it was skipped");
        assert_eq!((of_b.state, of_b.reason.as_deref()), (TaskState::Skipped, Some("skipped by ann: a test")));
        assert!(row.ended.is_some() && control.steer(run, request(TaskVerb::Resume, None)).await.is_err());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn chain_goes_through_one_worker_with_its_texts_rendered() {
    let engine = workers::engine(Arc::new(MemoryStore::new())).await;
    let far = |name: &str, needs: &[u32]| {
        let mut task = task(name, "far", needs);
        task.job.queue = "remote".into();
        task.outputs = vec!["row".into()];
        task
    };
    let mut tasks = vec![far("t0", &[])];
    for number in 1..10_u32 {
        let mut next = far(&format!("t{number}"), &[number - 1]);
        next.job.input = json!({"row": format!("${{{{ needs.t{}.outputs.row + 1 }}}}", number - 1)});
        tasks.push(next);
    }
    let run = begin(&engine, tasks).await;
    let worker = workers::join_as(&engine, "far", 4, &[]).await;
    let mut number = 1;
    for row in 0..10 {
        let (given, last) = told(&engine, worker, number, 4, &[]).await;
        number = last + 1;
        let given = &given.runs[0];
        assert_eq!(given.definition.env["MS_TASK"], format!("t{row}"));
        if row > 0 {
            assert_eq!(given.input(), json!({"row": row}));
        }
        let detail = AttemptDetail { output: Some(json!({"row": row}).to_string()), ..AttemptDetail::default() };
        let mut over = workers::end(given.start.run, 1, AttemptOutcome::Succeeded);
        over.detail = Some(Box::new(detail));
        let refused = engine.workers().report(worker, workers::ends(vec![over])).await.expect("reported");
        assert_eq!(refused, []);
    }
    assert_eq!(end(&engine, run).await.state, RunState::Succeeded);
    assert_eq!(engine.metrics().workflows_rescued.get(), 0);
    let child = child(&engine, run, 9, None).await.id;
    let refused = engine.control().rerun(child, false, None).await;
    assert!(matches!(refused, Err(mainspring_engine::control::Error::Refused(_))), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn task_that_waits_too_long_is_skipped_and_the_run_ends() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let mut waits = task("waits", "echo", &[]);
        // Nobody takes runs from there.
        waits.job.queue = "nobody".into();
        waits.job.start_timeout_ms = Some(50);
        store_rule(&engine, "nobody").await;
        let run = begin(&engine, vec![waits, task("after", "echo", &[0])]).await;
        assert_eq!(end(&engine, run).await.state, RunState::Succeeded);
        let states = states(&engine, &["waits", "after"], run).await;
        assert_eq!((states["waits"], states["after"]), (TaskState::Skipped, TaskState::Skipped));
        assert_eq!(stage.entered().len(), 0);
        assert_eq!(engine.metrics().workflows_rescued.get(), 0, "somebody told of it");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waits_pass_by_themselves_and_approvals_by_somebody() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let hold = |name: &str, hold, needs: &[u32]| TaskDefinition { hold: Some(hold), ..task(name, "echo", needs) };
        let approval = Approval { prompt: "publish?".into(), from: vec!["ann".into()], ..Approval::default() };
        let tasks = vec![
            hold("pause", Hold::For(50), &[]),
            hold("ask", Hold::Approval(approval), &[0]),
            task("publish", "echo", &[1]),
        ];
        let run = begin(&engine, tasks).await;
        let waits = until("somebody is asked", async || {
            let row = engine.control().workflow(run).await.expect("read")?;
            row.tasks.into_iter().find(|row| row.task == 1 && row.state == TaskState::Running)
        })
        .await;
        assert_eq!(waits.reason.as_deref(), Some("publish?"));
        engine.control().steer(run, request(TaskVerb::Approve, Some(1))).await.expect("it is under way");
        assert_eq!(end(&engine, run).await.state, RunState::Succeeded);
        assert_eq!(stage.entered(), ["publish"], "nothing is executed for what waits");
        assert_eq!(child(&engine, run, 0, None).await.state, RunState::Skipped);
        assert_eq!(engine.metrics().workflows_rescued.get(), 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fires_of_a_workflow_begin_at_once_and_those_held_follow_when_the_first_has_ended() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let mut tasks = diamond("hold");
        tasks[3].job.input = json!("${{ run.data_start }} to ${{ run.data_end }}");
        let workflow = Workflow { tasks, ..Workflow::default() };
        let mut job = Job::new(JobKey::new("default", "etl"), Task::Workflow(Box::new(workflow)));
        (job.overlap, job.max_active) = (Overlap::Hold, 1);
        let at = SystemClock.now() + 500;
        let hourly = ScheduleDefinition::Every { interval_ms: 3_600_000, repeat_count: None };
        let mut trigger = TriggerDefinition::new("hourly", hourly);
        trigger.start_at = Some(at + -3_600_000);
        job.triggers.push(trigger);
        let key = job.key.clone();
        engine.control().save(vec![(Arc::new(job), Expect::Anything)], SaveMode::Commit).await.expect("saved");
        stage.until_entered("b").await;
        let held = engine.control().run_now(&key, Ask::default()).await.expect("asked for");
        assert_eq!(held.state, RunState::Held);
        stage.gate.send_replace(true);
        let runs = engine.store().runs(RunQuery { limit: 10, ..RunQuery::default() }).await.expect("runs");
        let fired = runs.iter().find(|run| run.trigger.is_some()).expect("it has fired");
        assert_eq!(end(&engine, fired.id).await.state, RunState::Succeeded);
        let told = child(&engine, fired.id, 3, None).await.output.expect("it echoes");
        assert_eq!(told, json!(format!("{} to {at}", at + -3_600_000)).to_string(), "since the fire time before");
        assert_eq!(end(&engine, held.id).await.state, RunState::Succeeded);
        assert_eq!(stage.entered().len(), 8);
        assert_eq!(engine.metrics().workflows_rescued.get(), 0, "somebody told of each");
    })
    .await;
}

/// Pauses a queue.
async fn store_rule(engine: &Engine, queue: &str) {
    let rule = mainspring_core::queue::QueueRule { paused: true, ..Default::default() };
    engine.store().set_queue(queue, rule, 0, SystemClock.now()).await.expect("set");
    engine.queues_changed();
}

/// Begins so many diamonds, each a workflow of its own.
async fn begin_many(engine: &Engine, count: usize) -> Vec<RunId> {
    let mut runs = Vec::with_capacity(count);
    for number in 0..count {
        let key = JobKey::new("default", format!("etl-{number}"));
        let workflow = Workflow { tasks: diamond("echo"), ..Workflow::default() };
        let job = Job::new(key.clone(), Task::Workflow(Box::new(workflow)));
        engine.control().save(vec![(Arc::new(job), Expect::Anything)], SaveMode::Commit).await.expect("saved");
        runs.push(engine.control().run_now(&key, Ask::default()).await.expect("asked for").id);
    }
    runs
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_share_a_database_start_each_task_once() {
    let address = mainspring_store::conformance::kit::postgres().await;
    let (here, there) = (stage(), stage());
    let a = node_with(&address, "a", Arc::clone(&here.handlers)).await;
    let b = node_with(&address, "b", Arc::clone(&there.handlers)).await;
    owns(&a, 128).await;
    owns(&b, 128).await;
    let runs = begin_many(&a, 24).await;
    for run in runs {
        assert_eq!(end(&b, run).await.state, RunState::Succeeded);
    }
    let entered = [here.entered(), there.entered()];
    assert_eq!(entered.iter().map(Vec::len).sum::<usize>(), 24 * 4, "{entered:?}");
    let steps = [&a, &b].map(|engine| engine.metrics().workflow_steps.get());
    assert!(steps.iter().all(|steps| *steps > 0), "each advances the runs of its shards: {steps:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_of_a_node_that_dies_go_on_elsewhere() {
    let address = mainspring_store::conformance::kit::postgres().await;
    let (here, there) = (stage(), stage());
    let a = node_with(&address, "a", Arc::clone(&here.handlers)).await;
    owns(&a, 256).await;
    let mut tasks = diamond("hold");
    tasks[1].job.on_lost = OnLost::Retry;
    tasks[1].job.retry = RetryPolicy { count: 1, ..RetryPolicy::default() };
    let run = begin(&a, tasks).await;
    here.until_entered("b").await;
    here.until_entered("c").await;
    drop(a);
    there.gate.send_replace(true);
    let b = node_with(&address, "b", Arc::clone(&there.handlers)).await;
    assert_eq!(end(&b, run).await.state, RunState::Succeeded);
    let mut entered = there.entered();
    entered.sort();
    assert_eq!((here.entered().len(), entered), (3, vec!["b".to_owned(), "d".to_owned()]));
}
