//! Groups of tasks in an engine, over a store in memory and over `SQLite`.

use mainspring_core::run::RunState;
use mainspring_core::workflow::{Group, TaskDefinition, TaskState, TriggerRule};
use mainspring_store::TaskVerb;

use crate::workflows::{begin, end, over_both, request, stage, task};

/// `a` and `b` in a group, which `all` and `bad` need.
fn grouped(handler: &str) -> Vec<TaskDefinition> {
    let joins = Some(Group::default());
    vec![
        task("a", handler, &[]),
        task("b", "hold", &[]),
        TaskDefinition { joins, needs: vec![0, 1], ..task("g", "echo", &[]) },
        TaskDefinition { trigger_rule: TriggerRule::AllDone, ..task("all", "echo", &[2]) },
        TaskDefinition { trigger_rule: TriggerRule::OneFailed, ..task("bad", "echo", &[2]) },
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_ends_with_its_tasks_has_no_run_and_is_seen_through() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let run = begin(&engine, grouped("fail")).await;
        // While the other one of the group runs.
        stage.until_entered("bad").await;
        assert!(!stage.entered().iter().any(|entered| entered == "all"));
        stage.gate.send_replace(true);
        let info = end(&engine, run).await;
        assert_eq!((info.state, info.reason.as_deref()), (RunState::Failed, Some("task a failed")));
        let row = engine.control().workflow(run).await.expect("read").expect("it has begun");
        let group = row.tasks.iter().find(|row| row.task == 2).expect("it is kept");
        assert_eq!((group.state, group.child), (TaskState::Failed, None));
        let mut entered = stage.entered();
        entered.sort_unstable();
        assert_eq!(entered, ["a", "all", "b", "bad"]);
        engine.stop(std::time::Duration::from_secs(5)).await.expect("it stops");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_of_a_group_is_asked_of_each_of_its_tasks() {
    over_both(async |store| {
        let stage = stage();
        let engine = stage.engine(store).await;
        let run = begin(&engine, grouped("hold")).await;
        stage.until_entered("a").await;
        stage.until_entered("b").await;
        engine.control().steer(run, request(TaskVerb::Succeed, Some(2))).await.expect("taken");
        assert_eq!(end(&engine, run).await.state, RunState::Succeeded);
        let row = engine.control().workflow(run).await.expect("read").expect("it has begun");
        let states: Vec<TaskState> = row.tasks.iter().map(|row| row.state).collect();
        use TaskState::{Skipped, Succeeded};
        assert_eq!(states, [Succeeded, Succeeded, Succeeded, Succeeded, Skipped]);
        assert!(row.tasks[1].reason.as_deref().is_some_and(|why| why.contains("by ann")));
        engine.stop(std::time::Duration::from_secs(5)).await.expect("it stops");
    })
    .await;
}
