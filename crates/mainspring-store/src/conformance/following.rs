//! Ends of tasks, the steps that hear them and a claim: one transaction.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::batch::{ClaimedRun, Completion, CompletionBatch, Queues};
use mainspring_core::run::{RunState, Verdict};
use mainspring_core::workflow::TaskState;
use mainspring_core::{RunId, Timestamp};

use super::kit::{Kept, Kit, at};
use super::workflows::{begun, due, ended, inbox, read, request, start, start_all, step, stepped, verdict, write};
use crate::{ClaimRequest, FollowUp, Followed, MessageBody, StepAfter, Stepped, Store, TaskVerb, WorkflowStep};

/// A run of the tasks a, b and c of which a is claimed.
async fn underway(kit: &Kit) -> (Kept, RunId, ClaimedRun) {
    let (job, run) = begun(kit, &["a", "b", "c"]).await;
    start_all(kit, run, &[(0, "a")], at(1_100)).await;
    let claimed = kit.claim(9, at(1_200)).await.pop().expect("it waits");
    (job, run, claimed)
}

/// The step that starts b after a.
async fn next(kit: &Kit, run: RunId, ended: &ClaimedRun) -> StepAfter {
    let tasks = vec![write(0, TaskState::Succeeded), start(1, "b")];
    StepAfter { step: WorkflowStep { tasks, ..step(&read(kit, run).await, at(1_300)) }, ends: vec![ended.run] }
}

async fn go_on(kit: &Kit, ends: Vec<Completion>, steps: Vec<StepAfter>, claim: Option<ClaimRequest>) -> Followed {
    let batch = CompletionBatch { id: kit.batch_id(), at: at(1_300), entries: ends };
    let follow_up = FollowUp { steps, claim };
    kit.store.complete_and_go_on(Arc::new(batch), follow_up).await.expect("complete_and_go_on")
}

fn claim(kit: &Kit, limit: u32, at: Timestamp) -> ClaimRequest {
    ClaimRequest { id: kit.batch_id(), queues: Queues::All, limit, at }
}

fn made(stepped: &Stepped) -> Vec<RunId> {
    match stepped {
        Stepped::Written(runs) => runs.clone(),
        Stepped::Stale => panic!("it is at its turn"),
    }
}

pub async fn end_of_a_task_is_recorded_with_what_follows_it_and_a_claim(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, run, a) = underway(&kit).await;
    let (before, after) = (read(&kit, run).await, next(&kit, run, &a).await);
    let end = vec![verdict(&job, &a, Verdict::Succeeded, at(1_300))];
    let request = claim(&kit, 9, at(1_300));
    let followed = go_on(&kit, end.clone(), vec![after.clone()], Some(request.clone())).await;
    assert_eq!(followed.outcome.refused, [0; 0]);
    let b = made(&followed.steps[0])[0];
    assert_eq!(followed.claimed.iter().map(|run| (run.run, run.attempt)).collect::<Vec<_>>(), [(b, 1)]);
    assert!(!followed.leaves_queued());
    assert_eq!(kit.states(&[a.run, b]).await, [Some(RunState::Succeeded), Some(RunState::Running)]);
    let row = read(&kit, run).await;
    let tasks: Vec<_> = row.tasks.iter().map(|row| (row.task, row.state, row.child)).collect();
    assert_eq!(tasks, [(0, TaskState::Succeeded, Some(a.run)), (1, TaskState::Running, Some(b))]);
    assert_eq!((row.turn, &row.inbox[..]), (before.turn + 1, &[][..]), "it has heard of the end");
    assert_eq!(due(&kit).await, [], "nothing is left to do");

    let again = kit.store.claim(request.id, &request.queues, request.limit, request.at).await.expect("claim");
    assert_eq!(again, followed.claimed, "a repeat takes what it took");
    let repeated = go_on(&kit, end, vec![after], None).await;
    assert_eq!((repeated.outcome.refused, &repeated.steps[..]), (vec![0], &[Stepped::Stale][..]));
    assert_eq!(read(&kit, run).await, row, "nothing happens twice");
}

pub async fn step_that_comes_too_late_leaves_the_end_to_the_inbox(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, run, a) = underway(&kit).await;
    let late = next(&kit, run, &a).await;
    stepped(&kit, WorkflowStep { paused: true, ..step(&read(&kit, run).await, at(1_250)) }).await;
    let row = read(&kit, run).await;
    let end = vec![verdict(&job, &a, Verdict::Succeeded, at(1_300))];
    let followed = go_on(&kit, end, vec![late], Some(claim(&kit, 9, at(1_300)))).await;
    assert_eq!((followed.outcome.refused.len(), &followed.steps[..]), (0, &[Stepped::Stale][..]));
    assert_eq!(followed.claimed, []);
    assert_eq!(inbox(&kit, run).await, [ended(a.run, RunState::Succeeded)]);
    let now = read(&kit, run).await;
    assert_eq!((now.turn, now.tasks), (row.turn, row.tasks), "nothing of it is written");
    assert_eq!(due(&kit).await.len(), 1, "its owner hears of the end");
}

pub async fn step_of_a_run_that_was_asked_something_leaves_the_end_to_the_inbox(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, run, a) = underway(&kit).await;
    let after = next(&kit, run, &a).await;
    let pause = request(TaskVerb::Pause, at(1_250));
    assert!(kit.store.ask_workflow(run, pause.clone()).await.expect("ask_workflow"));
    let row = read(&kit, run).await;
    let end = vec![verdict(&job, &a, Verdict::Succeeded, at(1_300))];
    let followed = go_on(&kit, end, vec![after], Some(claim(&kit, 9, at(1_300)))).await;
    assert_eq!((followed.outcome.refused.len(), &followed.steps[..]), (0, &[Stepped::Stale][..]));
    assert_eq!(followed.claimed, [], "it was paused before the task ended");
    assert_eq!(inbox(&kit, run).await, [MessageBody::Asked(pause), ended(a.run, RunState::Succeeded)]);
    let now = read(&kit, run).await;
    assert_eq!((now.turn, now.tasks), (row.turn, row.tasks), "nothing of it is written");
}

pub async fn step_is_not_written_where_the_end_is_refused_that_it_hears(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, run, a) = underway(&kit).await;
    let after = next(&kit, run, &a).await;
    let other = Completion { attempt: 2, ..verdict(&job, &a, Verdict::Succeeded, at(1_300)) };
    let before = read(&kit, run).await;
    let followed = go_on(&kit, vec![other], vec![after], None).await;
    assert_eq!((followed.outcome.refused, &followed.steps[..]), (vec![0], &[Stepped::Stale][..]));
    assert_eq!(read(&kit, run).await, before);
    assert_eq!(kit.states(&[a.run]).await, [Some(RunState::Running)]);
}

pub async fn claim_beside_ends_goes_by_the_order_of_the_line(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, run, a) = underway(&kit).await;
    // Of the same priority, and due before what the step makes.
    let other = start_all(&kit, run, &[(2, "c")], at(1_210)).await[0];
    let after = next(&kit, run, &a).await;
    let end = vec![verdict(&job, &a, Verdict::Succeeded, at(1_300))];
    let followed = go_on(&kit, end, vec![after], Some(claim(&kit, 1, at(1_300)))).await;
    let b = made(&followed.steps[0])[0];
    assert_eq!(followed.claimed.iter().map(|run| run.run).collect::<Vec<_>>(), [other], "who waits goes first");
    assert!(followed.leaves_queued());
    assert_eq!(kit.claim(9, at(1_400)).await.iter().map(|run| run.run).collect::<Vec<_>>(), [b]);
}
