//! Tasks that wait for tasks of other workflows: told of each end that they may await, and of no other.

use std::sync::Arc;

use mainspring_core::RunId;
use mainspring_core::run::{RunState, Verdict};
use mainspring_core::workflow::TaskState;

use super::kit::{Draft, Kit, at};
use super::workflows::{begin, begun, inbox, read, step, stepped, write};
use crate::{Await, MessageBody, Stands, Store, TaskRequest, TaskVerb, WorkflowStep};

/// A workflow run whose task 2 awaits a task of runs of `upstream` that stand for some milliseconds.
async fn waiting(kit: &Kit, upstream: &str, of_task: Option<&str>, dates: (i64, i64)) -> RunId {
    let (_, run) = begun(kit, &["a", "b", "waits"]).await;
    awaits(kit, run, upstream, of_task, dates).await;
    run
}

async fn awaits(kit: &Kit, run: RunId, upstream: &str, of_task: Option<&str>, dates: (i64, i64)) {
    let of_task = of_task.map(str::to_owned);
    let it = Await { task: 2, upstream: upstream.into(), of_task, first: at(dates.0), last: at(dates.1) };
    let (tasks, awaits) = (vec![write(2, TaskState::Running)], vec![it]);
    stepped(kit, WorkflowStep { tasks, awaits, ..step(&read(kit, run).await, at(1_000)) }).await;
}

/// A begun run of another workflow, for 1 s after the kit's beginning.
async fn other(kit: &Kit, name: &str, number: u64) -> RunId {
    let job = kit.save(super::workflows::graph_named(name, &["load", "rest"])).await;
    let (run, _) = kit.ask(&job, number, at(1_000)).await;
    assert!(begin(kit, run, at(1_000)).await);
    run
}

fn look() -> MessageBody {
    let request =
        TaskRequest { verb: TaskVerb::Look, task: Some(2), item: None, by: None, reason: None, at: at(1_000) };
    MessageBody::Asked(request)
}

async fn over(kit: &Kit, run: RunId, tasks: &[(u32, &str)], end: Option<Verdict>) {
    let over = tasks.iter().map(|(_, name)| Arc::from(*name)).collect();
    let tasks = tasks.iter().map(|(task, _)| write(*task, TaskState::Succeeded)).collect();
    let end = end.map(|verdict| (verdict, None));
    stepped(kit, WorkflowStep { tasks, over, end, ..step(&read(kit, run).await, at(2_000)) }).await;
}

/// Of that task, for that date, and of no other.
pub async fn end_of_a_task_is_told_to_those_who_await_it(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    assert!(!kit.store.is_anything_awaited().await.expect("is_anything_awaited"));
    let ingest = other(&kit, "ingest", 7).await;
    let date = 1_000;
    let waits = waiting(&kit, "ingest", Some("load"), (date, date)).await;
    assert!(kit.store.is_anything_awaited().await.expect("is_anything_awaited"));
    let stands = kit.store.run_stands(ingest, 0).await.expect("run_stands");
    assert_eq!(stands, Some(Stands { ended: None, task: None, rerun_as: None }));
    over(&kit, ingest, &[(1, "rest")], None).await;
    assert_eq!(inbox(&kit, waits).await, [], "another task");
    over(&kit, ingest, &[(0, "load")], None).await;
    assert_eq!(inbox(&kit, waits).await, [look()]);
    let stands = kit.store.run_stands(ingest, 0).await.expect("run_stands");
    assert_eq!(stands, Some(Stands { ended: None, task: Some(TaskState::Succeeded), rerun_as: None }));
    stepped(&kit, step(&read(&kit, waits).await, at(2_100))).await;
    // What it awaits from now on takes the place of that.
    awaits(&kit, waits, "ingest", Some("load"), (date + 1, date + 9)).await;
    over(&kit, ingest, &[(0, "load")], None).await;
    assert_eq!(inbox(&kit, waits).await, [], "another date");
    awaits(&kit, waits, "export", Some("load"), (0, 9_000)).await;
    over(&kit, ingest, &[(0, "load")], Some(Verdict::Succeeded)).await;
    assert_eq!(inbox(&kit, waits).await, [], "another workflow");
}

/// Also where the task had no row in it, and of a plain job.
pub async fn end_of_a_run_is_told_to_those_who_await_a_task_of_it(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let plain = kit.save(Draft::new("plain")).await;
    let (run, _) = kit.ask(&plain, 3, at(1_000)).await;
    let whole = waiting(&kit, "plain", None, (0, 5_000)).await;
    awaits(&kit, whole, "plain", Some("load"), (0, 5_000)).await;
    kit.store.cancel_run(run, "no more", None, at(1_200)).await.expect("cancel_run");
    assert_eq!(inbox(&kit, whole).await, [look()]);
    let stands = kit.store.run_stands(run, 0).await.expect("run_stands");
    assert_eq!(stands, Some(Stands { ended: Some(RunState::Cancelled), task: None, rerun_as: None }));
    assert_eq!(kit.store.run_stands(RunId::from_bytes([7; 16]), 0).await.expect("run_stands"), None);
}

/// Nobody is told of it then.
pub async fn what_is_awaited_is_forgotten_when_the_task_ends(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let waits = waiting(&kit, "ingest", Some("load"), (0, 5_000)).await;
    let (tasks, settled) = (vec![write(2, TaskState::Succeeded)], vec![2]);
    stepped(&kit, WorkflowStep { tasks, settled, ..step(&read(&kit, waits).await, at(2_000)) }).await;
    assert!(!kit.store.is_anything_awaited().await.expect("is_anything_awaited"));
    let ingest = other(&kit, "ingest", 7).await;
    over(&kit, ingest, &[(0, "load")], None).await;
    assert_eq!(inbox(&kit, waits).await, []);
}

/// Nobody is told then.
pub async fn what_is_awaited_is_forgotten_with_the_run(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let waits = waiting(&kit, "ingest", Some("load"), (0, 5_000)).await;
    over(&kit, waits, &[], Some(Verdict::Cancelled)).await;
    assert!(!kit.store.is_anything_awaited().await.expect("is_anything_awaited"));
}

/// Both at the same time, again and again: whoever has noted what it awaits sees the end, or is told of it.
pub async fn end_that_is_under_way_is_seen_or_told(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (_, waits) = begun(&kit, &["a", "b", "waits"]).await;
    for round in 0..20 {
        let ingest = other(&kit, &format!("ingest-{round}"), round + 10).await;
        let looks = async {
            awaits(&kit, waits, &format!("ingest-{round}"), Some("load"), (0, 5_000)).await;
            kit.store.run_stands(ingest, 0).await.expect("run_stands")
        };
        let (seen, ()) = tokio::join!(looks, over(&kit, ingest, &[(0, "load")], None));
        let seen = seen.is_some_and(|stands| stands.task == Some(TaskState::Succeeded));
        assert!(seen || inbox(&kit, waits).await.contains(&look()), "round {round}");
        stepped(&kit, step(&read(&kit, waits).await, at(3_000))).await;
    }
}
