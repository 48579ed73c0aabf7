//! Many runs of workflows at once: each is begun, written and ended as if it were alone.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::RunId;
use mainspring_core::job::Overlap;
use mainspring_core::run::{RunState, Verdict};
use mainspring_core::workflow::{Stop, TaskState};

use super::kit::{Kit, at};
use super::workflows::{
    begin, due, graph, graph_named, read, request, start, start_all, step, stepped, verdict, write,
};
use crate::{Stepped, Store, TaskVerb, WorkflowRow, WorkflowStep};

pub async fn steps_of_many_runs_are_written_together_and_refused_alone(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(graph(&["a", "b"])).await;
    let mut runs = Vec::new();
    for number in 1..6 {
        let (run, _) = kit.ask(&job, number, at(1_000)).await;
        assert!(begin(&kit, run, at(1_000)).await);
        runs.push(run);
    }
    let rows = [0, 1, 2, 3, 4].map(|index| read(&kit, runs[index]));
    let [first, late, over, paused, more] = rows;
    let (first, late, over, paused, more) = (first.await, late.await, over.await, paused.await, more.await);
    stepped(&kit, WorkflowStep { tasks: vec![write(0, TaskState::Skipped)], ..step(&late, at(1_050)) }).await;
    let steps = vec![
        WorkflowStep { tasks: vec![start(1, "b"), start(0, "a")], ..step(&first, at(1_100)) },
        WorkflowStep { tasks: vec![start(0, "a")], ..step(&late, at(1_101)) },
        WorkflowStep { end: Some((Verdict::Failed, Some("why".into()))), ..step(&over, at(1_102)) },
        WorkflowStep { tasks: vec![start(1, "b")], ..step(&first, at(1_103)) },
        WorkflowStep { run: RunId::from_bytes([7; 16]), ..step(&first, at(1_104)) },
        WorkflowStep { paused: true, stop: Some(Stop::Failed), tasks: vec![start(0, "a")], ..step(&paused, at(1_105)) },
        WorkflowStep { more: true, ..step(&more, at(1_106)) },
    ];
    let events = kit.store.last_event().await.expect("last_event");
    let written = kit.store.step_workflows(steps.clone()).await.expect("step_workflows");
    let made: Vec<Option<usize>> = written
        .iter()
        .map(|written| match written {
            Stepped::Written(runs) => Some(runs.len()),
            Stepped::Stale => None,
        })
        .collect();
    assert_eq!(made, [Some(2), None, Some(0), None, None, Some(1), Some(0)]);
    assert_eq!(kit.store.events(events, 9).await.expect("events").len(), 1, "it is one change");
    let Stepped::Written(children) = &written[0] else { unreachable!() };
    let task = |row: &WorkflowRow| row.tasks.iter().map(|row| (row.task, row.child, row.since)).collect::<Vec<_>>();
    let row = read(&kit, runs[0]).await;
    assert_eq!(task(&row), [(0, Some(children[1]), at(1_100)), (1, Some(children[0]), at(1_100))]);
    let child = kit.run(children[0]).await;
    assert_eq!((child.parent, child.task.as_deref(), child.due_at), (Some(runs[0]), Some("b"), at(1_100)));
    let row = read(&kit, runs[1]).await;
    assert_eq!((row.turn, task(&row)), (2, vec![(0, None, at(1_050))]), "nothing of a late one is written");
    let info = kit.run(runs[2]).await;
    assert_eq!((info.state, info.reason.as_deref(), info.ended_at), (RunState::Failed, Some("why"), Some(at(1_102))));
    let row = read(&kit, runs[3]).await;
    assert_eq!((row.turn, row.paused, row.stop, task(&row)[0].2), (2, true, Some(Stop::Failed), at(1_105)));
    assert_eq!(due(&kit).await.iter().map(|due| due.run).collect::<Vec<_>>(), [runs[4]], "there is more to do there");
    let all = vec![Stepped::Stale; steps.len()];
    assert_eq!(kit.store.step_workflows(steps).await.expect("step_workflows"), all);
    assert_eq!(kit.store.step_workflows(Vec::new()).await.expect("step_workflows"), []);
}

pub async fn runs_that_are_begun_together_are_begun_once(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(graph(&["a"])).await;
    let mut runs = Vec::new();
    for number in 1..5 {
        runs.push(kit.ask(&job, number, at(1_000)).await.0);
    }
    assert!(begin(&kit, runs[1], at(1_001)).await);
    kit.store.cancel_run(runs[3], "no", None, at(1_001)).await.expect("cancel_run");
    let asked = vec![runs[2], runs[1], runs[0], runs[2], runs[3], RunId::from_bytes([7; 16])];
    let begun = kit.store.begin_workflows(asked, at(1_002)).await.expect("begin_workflows");
    assert_eq!(begun, [true, false, true, false, false, false]);
    let rows = kit.store.workflows(runs.clone(), 9).await.expect("workflows");
    assert_eq!(
        rows.iter().map(|row| row.as_ref().map(|row| (row.run, row.turn))).collect::<Vec<_>>(),
        [Some((runs[0], 1)), Some((runs[1], 1)), Some((runs[2], 1)), None]
    );
    assert_eq!(kit.run(runs[0]).await.claimed_at, Some(at(1_002)));
    assert_eq!(kit.run(runs[1]).await.claimed_at, Some(at(1_001)));
    assert_eq!(due(&kit).await.len(), 3, "the first step of each is owed");
    for run in &runs[..3] {
        kit.store.ask_workflow(*run, request(TaskVerb::Skip, at(1_003))).await.expect("ask_workflow");
    }
    let inboxes = kit.store.workflow_inboxes(vec![runs[2], runs[3], runs[0]], 9).await.expect("workflow_inboxes");
    assert_eq!(inboxes.iter().map(Vec::len).collect::<Vec<_>>(), [1, 0, 1]);
    assert!(inboxes[0][0].id > inboxes[2][0].id, "each has its own");
}

pub async fn ends_of_many_runs_give_each_slot_away_once(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(graph(&["a"]).limit(Overlap::QueueAll, 2).trigger("t", at(9_000))).await;
    let other = kit.save(graph_named("other", &["a"]).limit(Overlap::QueueAll, 1)).await;
    let mut runs = Vec::new();
    for (job, number) in [(&job, 1), (&job, 2), (&job, 3), (&job, 4), (&other, 5), (&other, 6)] {
        runs.push(kit.ask(job, number, at(1_000)).await.0);
    }
    let ends = [runs[4], runs[1], runs[0]];
    let begun = kit.store.begin_workflows(ends.to_vec(), at(1_000)).await.expect("begin_workflows");
    assert_eq!(begun, [true; 3]);
    let mut steps = Vec::new();
    for run in ends {
        let end = Some((Verdict::Succeeded, None));
        steps.push(WorkflowStep { end, output: Some("{}".into()), ..step(&read(&kit, run).await, at(1_100)) });
    }
    let written = kit.store.step_workflows(steps).await.expect("step_workflows");
    assert_eq!(written, vec![Stepped::Written(Vec::new()); 3]);
    let states = kit.states(&runs).await;
    let (over, queued) = (Some(RunState::Succeeded), Some(RunState::Queued));
    assert_eq!(states, [over, over, queued, queued, over, queued]);
    assert_eq!(kit.run(runs[0]).await.output.as_deref(), Some("{}"));
    let (held, _) = kit.ask(&job, 7, at(1_200)).await;
    assert_eq!(kit.run(held).await.state, RunState::Held, "both slots are taken again");
}

pub async fn end_of_a_task_frees_no_slot_of_its_job(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(graph(&["a"]).limit(Overlap::QueueAll, 3)).await;
    let (run, _) = kit.ask(&job, 1, at(1_000)).await;
    assert!(begin(&kit, run, at(1_000)).await);
    start_all(&kit, run, &[(0, "a")], at(1_000)).await;
    let claimed = kit.claim(9, at(1_000)).await;
    let ends = claimed.iter().map(|claimed| verdict(&job, claimed, Verdict::Succeeded, at(1_100))).collect();
    let ended = kit.complete(at(1_100), ends).await;
    assert_eq!((ended.refused.len(), ended.freed), (0, vec![]), "it has held none");
}
