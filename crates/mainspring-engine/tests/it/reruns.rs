//! Tasks that run again in a workflow run that goes on, and plain runs that start anew.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mainspring_core::RunId;
use mainspring_core::job::{Job, JobKey, Task};
use mainspring_core::run::RunState;
use mainspring_core::workflow::TaskState;
use mainspring_engine::control::{Ask, Error, Reran, RerunAsk, RerunError, RerunTasks, SaveMode};
use mainspring_engine::{Engine, RunContext};
use mainspring_store::{Expect, MemoryStore, Store};

use crate::calls::call;
use crate::kit::until;
use crate::workflows::{Stage, begin, end, over_both, stage, task};

fn named(tasks: &[&str], downstream: bool, cancel_running: bool) -> RerunAsk {
    let tasks = tasks.iter().map(|task| (*task).to_owned()).collect();
    let tasks = RerunTasks::Named { tasks, downstream, upstream: false };
    RerunAsk { tasks, cancel_running, ..RerunAsk::default() }
}

async fn state(engine: &Engine, run: RunId, task: u32) -> Option<TaskState> {
    let row = engine.control().workflow(run).await.expect("it is read")?;
    row.tasks.iter().find(|row| row.task == task && row.item.is_none()).map(|row| row.state)
}

async fn ended(engine: &Engine, run: RunId, task: u32) {
    until("a task has ended", async || state(engine, run, task).await?.is_final().then_some(())).await;
}

/// Counts how many runs of one handler are under way, and how many were at once.
fn never_twice(stage: &Stage) -> Arc<AtomicUsize> {
    let (now, most) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let (seen, opened) = (Arc::clone(&most), stage.gate.subscribe());
    stage.handlers.register("alone", move |run: RunContext| {
        let (now, seen, mut opened) = (Arc::clone(&now), Arc::clone(&seen), opened.clone());
        async move {
            seen.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::select! {
                _ = opened.wait_for(|open| *open) => {}
                () = run.cancelled() => {}
            }
            // It takes a while to end.
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            now.fetch_sub(1, Ordering::SeqCst);
        }
    });
    most
}

async fn set_back(store: Arc<dyn Store>) {
    let stage = stage();
    let most = never_twice(&stage);
    let engine = stage.engine(store).await;
    let control = engine.control();
    let tasks = vec![
        task("a", "echo", &[]),
        task("b", "alone", &[0]),
        task("c", "echo", &[1]),
        task("d", "fail", &[]),
        task("e", "echo", &[3]),
    ];
    let run = begin(&engine, tasks).await;
    until("b runs", async || (most.load(Ordering::SeqCst) == 1).then_some(())).await;
    ended(&engine, run, 4).await;

    // b needs a, and runs.
    let refused = control.plan_rerun(run, &named(&["a"], true, false)).await;
    let Err(Error::Rerun(RerunError::Running { tasks, .. })) = refused else { panic!("{refused:?}") };
    assert_eq!(tasks, ["b"]);

    let ask = RerunAsk { tasks: RerunTasks::Failed, ..RerunAsk::default() };
    let plan = control.plan_rerun(run, &ask).await.expect("nothing of it runs");
    assert!(plan.is_in_place() && plan.cancels() == 0, "{plan:?}");
    let Reran::Run(same) = control.rerun_tasks(run, &ask, Some(&plan.hash), None).await.expect("carried out") else {
        panic!("it holds")
    };
    assert_eq!(same.id, run);
    let twice = |name: &str| stage.entered().iter().filter(|entered| **entered == *name).count() == 2;
    until("d runs again", async || twice("d").then_some(())).await;
    ended(&engine, run, 4).await;
    let Reran::Stale(_) = control.rerun_tasks(run, &ask, Some(&plan.hash), None).await.expect("answered") else {
        panic!("d has run since")
    };

    let ask = named(&["b"], true, true);
    let plan = control.plan_rerun(run, &ask).await.expect("b is cancelled first");
    assert_eq!(plan.cancels(), 1);
    let first = control.workflow(run).await.expect("read").expect("begun").tasks[1].child.expect("b has a run");
    control.rerun_tasks(run, &ask, Some(&plan.hash), None).await.expect("carried out");
    until("b runs again", async || {
        let row = control.workflow(run).await.expect("read")?;
        (row.tasks[1].state == TaskState::Running && row.tasks[1].child != Some(first)).then_some(())
    })
    .await;
    assert_eq!(control.run(first).await.expect("kept").state, RunState::Cancelled);
    stage.gate.send_replace(true);
    let over = end(&engine, run).await;
    assert_eq!((over.state, over.reason.as_deref()), (RunState::Failed, Some("task d failed")));
    assert_eq!(state(&engine, run, 2).await, Some(TaskState::Succeeded));
    assert_eq!(most.load(Ordering::SeqCst), 1, "never two at once");
    engine.stop(Duration::from_secs(5)).await.expect("it stops");
}

/// What a task has started runs no second time before the first has ended.
#[tokio::test(flavor = "multi_thread")]
async fn task_that_is_set_back_waits_for_the_run_that_it_has_started() {
    over_both(async |store| {
        let stage = stage();
        let most = never_twice(&stage);
        let engine = stage.engine(store).await;
        let control = engine.control();
        let plain = Job::new(JobKey::new("default", "plain"), Task::Handler { name: "alone".into() });
        control.save(vec![(Arc::new(plain), Expect::Anything)], SaveMode::Commit).await.expect("saved");
        let run = begin(&engine, vec![call("part", "plain", serde_json::json!({}))]).await;
        until("plain runs", async || (most.load(Ordering::SeqCst) == 1).then_some(())).await;
        let child = async || control.workflow(run).await.expect("read")?.tasks.first()?.child;
        let first = child().await.expect("it has started a run");
        control.rerun_tasks(run, &named(&["part"], false, true), None, None).await.expect("carried out");
        let second = until("it starts another run", async || child().await.filter(|child| *child != first)).await;
        assert_eq!(control.run(first).await.expect("kept").state, RunState::Cancelled, "it is over by then");
        until("plain runs again", async || control.run(second).await.ok().filter(|run| run.state == RunState::Running))
            .await;
        stage.gate.send_replace(true);
        assert_eq!(end(&engine, run).await.state, RunState::Succeeded);
        assert_eq!(most.load(Ordering::SeqCst), 1, "never two at once");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_run_again_beside_those_that_run() {
    over_both(set_back).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_run_starts_anew_once_it_has_ended() {
    let stage = stage();
    let most = never_twice(&stage);
    let engine = stage.engine(Arc::new(MemoryStore::new())).await;
    let control = engine.control();
    let key = JobKey::new("default", "plain");
    let job = Job::new(key.clone(), Task::Handler { name: "alone".into() });
    control.save(vec![(Arc::new(job), Expect::Anything)], SaveMode::Commit).await.expect("saved");
    let run = control.run_now(&key, Ask::default()).await.expect("asked for").id;
    until("it runs", async || (most.load(Ordering::SeqCst) == 1).then_some(())).await;
    let refused = control.rerun(run, false, None).await;
    assert!(matches!(refused, Err(Error::Rerun(RerunError::Live { .. }))), "{refused:?}");
    let next = control.rerun(run, true, None).await.expect("it starts anew");
    assert_eq!((next.rerun_of, control.run(run).await.expect("kept").state), (Some(run), RunState::Cancelled));
    stage.gate.send_replace(true);
    assert_eq!(end(&engine, next.id).await.state, RunState::Succeeded);
    assert_eq!(most.load(Ordering::SeqCst), 1, "never two at once");
    engine.stop(Duration::from_secs(5)).await.expect("it stops");
}
