//! Runs of workflows that repeat others: they begin with the tasks that they keep.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::batch::Placed;
use mainspring_core::line::{HOLD_LINE, WORKFLOW_LINE};
use mainspring_core::run::{Origin, RunState, Verdict};
use mainspring_core::workflow::TaskState;
use mainspring_core::workflow::backfill::{Action, ItemState, Order, Part, Reprocess, Spec};
use mainspring_core::{RunId, RunSource, Timestamp, TriggerId};

use super::kit::{Kept, Kit, asked, at};
use super::workflows::{begin, begun, due, graph, read, start_all, step, stepped, verdict, write};
use crate::{
    AskedRun, BackfillStep, Cancelled, Error, ItemStart, KeptTask, NewBackfill, NewItem, PurgeRule, REPEATED, Repeat,
    RunQuery, Stepped, Store, TaskRow, TaskStart, TaskWrite, WorkflowStep,
};

/// A rerun that keeps some tasks, each under the number that it has.
pub(crate) fn again(job: &Kept, of: RunId, number: u64, after: Option<RunId>, keep: &[(u32, u32)]) -> AskedRun {
    let keep = keep.iter().map(|(there, here)| KeptTask { there: *there, here: *here }).collect();
    AskedRun {
        origin: Origin::Rerun,
        rerun_of: Some(of),
        repeat: Some(Repeat { after, keep }),
        fire_time: at(500),
        ..asked(job, number, at(3_000))
    }
}

async fn ask(kit: &Kit, run: AskedRun) -> RunId {
    let id = run.id;
    assert_eq!(kit.store.ask_run(run).await.expect("ask_run").placed, Placed::Queued);
    id
}

async fn refused(kit: &Kit, run: AskedRun) -> Error {
    let id = run.id;
    let error = kit.store.ask_run(run).await.expect_err("it is refused");
    assert_eq!(kit.store.run(id).await.expect("run"), None, "nothing is left of it");
    assert_eq!(kit.store.workflow(id, 9).await.expect("workflow"), None);
    error
}

async fn rows(kit: &Kit, run: RunId) -> Vec<TaskRow> {
    read(kit, run).await.tasks
}

async fn end(kit: &Kit, run: RunId, tasks: Vec<TaskWrite>, end: Verdict, now: Timestamp) {
    let step = WorkflowStep { tasks, end: Some((end, None)), ..step(&read(kit, run).await, now) };
    stepped(kit, step).await;
}

/// A run of a, which succeeded in two items, b, which failed, and c, which did not start because of it. With the runs of a and b.
pub(crate) async fn over(kit: &mut Kit) -> (Kept, RunId, Vec<RunId>) {
    let (job, run) = begun(kit, &["a", "b", "c"]).await;
    let item = |item: u32| TaskWrite {
        item: Some(item),
        start: Some(TaskStart {
            name: format!("a[{item}]"),
            line: "default".into(),
            priority: 5,
            input: None,
            expires_at: None,
        }),
        ..write(0, TaskState::Running)
    };
    let tasks = vec![write(0, TaskState::Running), item(0), item(1)];
    let mut runs = stepped(kit, WorkflowStep { tasks, ..step(&read(kit, run).await, at(1_000)) }).await;
    runs.extend(start_all(kit, run, &[(1, "b")], at(1_000)).await);
    let claimed = kit.claim(9, at(1_000)).await;
    let ends = claimed.iter().map(|claimed| verdict(&job, claimed, Verdict::Succeeded, at(1_100))).collect();
    kit.complete(at(1_100), ends).await;
    let done = |task: u32, item: Option<u32>| TaskWrite { item, ..write(task, TaskState::Succeeded) };
    let because = |task: u32, state, why: &str| TaskWrite { reason: Some(why.to_owned()), ..write(task, state) };
    let tasks = vec![
        done(0, None),
        done(0, Some(0)),
        done(0, Some(1)),
        because(1, TaskState::Failed, "no disk"),
        because(2, TaskState::UpstreamFailed, "b failed"),
    ];
    end(kit, run, tasks, Verdict::Failed, at(2_000)).await;
    (job, run, runs)
}

pub async fn rerun_begins_with_the_tasks_that_it_keeps(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, run, runs) = over(&mut kit).await;
    let before = rows(&kit, run).await;
    // In the version that is to run, a is the second task and c the first.
    let new = ask(&kit, again(&job, run, 7, None, &[(0, 1), (2, 0)])).await;
    let info = kit.run(new).await;
    assert_eq!((info.rerun_of, info.fire_time, info.due_at), (Some(run), at(500), at(3_000)));
    let kept = rows(&kit, new).await;
    let moved = |row: &TaskRow, task| TaskRow { task, ..row.clone() };
    let expected: Vec<TaskRow> =
        before[4..].iter().map(|row| moved(row, 0)).chain(before[..3].iter().map(|row| moved(row, 1))).collect();
    assert_eq!(kept, expected);
    assert_eq!(kept[2].child, Some(runs[0]), "what a has left can be read");
    assert_eq!(read(&kit, new).await.turn, 0, "it has not begun");
    assert_eq!(read(&kit, run).await.rerun_as, Some(new));
    assert_eq!(kit.store.ask_run(again(&job, run, 7, None, &[])).await.expect("ask_run").placed, Placed::Known);
    assert_eq!(rows(&kit, new).await, kept, "the same request changes nothing");

    assert!(begin(&kit, new, at(3_001)).await);
    assert_eq!(due(&kit).await.len(), 1, "there is something to do");
    let begun = read(&kit, new).await;
    assert_eq!((begun.turn, &begun.tasks), (1, &kept));
    let children = start_all(&kit, new, &[(2, "b")], at(3_002)).await;
    assert_eq!(kit.run(children[0]).await.fire_time, at(500), "tasks stand for the same instant");
    assert_eq!(kit.claim(9, at(3_002)).await.len(), 1, "what is kept does not run");
    assert_eq!(rows(&kit, run).await, before, "the run that is repeated stays as it was");
}

pub async fn rerun_is_refused_once_another_one_came_first(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, run, _) = over(&mut kit).await;
    let first = ask(&kit, again(&job, run, 1, None, &[(0, 0)])).await;
    for after in [None, Some(run)] {
        let error = refused(&kit, again(&job, run, 2, after, &[(0, 0)])).await;
        assert!(matches!(error, Error::Conflict { what: REPEATED, .. }), "{error}");
    }
    let second = ask(&kit, again(&job, run, 2, Some(first), &[(0, 0)])).await;
    assert_eq!(read(&kit, run).await.rerun_as, Some(second));
    assert_eq!(read(&kit, first).await.rerun_as, None);
}

pub async fn rerun_of_a_run_that_never_began_keeps_nothing(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(graph(&["a"])).await;
    let (run, _) = kit.ask(&job, 1, at(1_000)).await;
    assert_eq!(kit.store.cancel_run(run, "no", None, at(1_001)).await.expect("cancel_run"), Cancelled::AtOnce);
    let error = refused(&kit, again(&job, run, 2, None, &[(0, 0)])).await;
    assert!(matches!(error, Error::NotFound { what: "run", .. }), "{error}");
    let new = ask(&kit, again(&job, run, 2, None, &[])).await;
    assert!(begin(&kit, new, at(3_001)).await);
    assert_eq!(rows(&kit, new).await, []);
}

pub async fn rerun_of_a_run_that_never_began_is_refused_once_another_one_came_first(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(graph(&["a"])).await;
    let (run, _) = kit.ask(&job, 1, at(1_000)).await;
    assert_eq!(kit.store.cancel_run(run, "no", None, at(1_001)).await.expect("cancel_run"), Cancelled::AtOnce);
    let ask_for = |number| kit.store.ask_run(again(&job, run, number, None, &[]));
    let (one, other) = tokio::join!(ask_for(2), ask_for(3));
    let (first, error) = match (one, other) {
        (Ok(_), Err(error)) => (again(&job, run, 2, None, &[]).id, error),
        (Err(error), Ok(_)) => (again(&job, run, 3, None, &[]).id, error),
        both => panic!("one of them: {both:?}"),
    };
    assert!(matches!(error, Error::Conflict { what: REPEATED, .. }), "{error}");
    assert_eq!(kit.all_runs().await.len(), 2, "the run, and one that repeats it");
    let old = read(&kit, run).await;
    assert_eq!((old.turn, old.ended, old.rerun_as, old.tasks), (0, Some(RunState::Cancelled), Some(first), vec![]));
    let second = ask(&kit, again(&job, run, 4, Some(first), &[])).await;
    assert_eq!(read(&kit, run).await.rerun_as, Some(second));
}

pub async fn rerun_that_never_began_leaves_nothing_behind(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, run, runs) = over(&mut kit).await;
    let new = ask(&kit, again(&job, run, 7, None, &[(0, 0)])).await;
    assert_eq!(kit.store.cancel_run(new, "no", None, at(4_000)).await.expect("cancel_run"), Cancelled::AtOnce);
    assert_eq!(read(&kit, new).await.ended, Some(RunState::Cancelled));
    assert_eq!(rows(&kit, new).await.len(), 3, "what it would have kept can be seen");
    let rule = PurgeRule {
        at: at(9_000),
        history_before: at(0),
        history_keep_per_job: Some(0),
        events_before: at(0),
        tombstones_before: at(0),
        limit: 100,
    };
    kit.store.purge(rule).await.expect("purge");
    assert_eq!(kit.store.workflow(new, 9).await.expect("workflow"), None);
    assert_eq!(kit.states(&[new, run, runs[0]]).await, [None; 3]);
    let newer = ask(&kit, again(&job, run, 7, None, &[])).await;
    assert_eq!(rows(&kit, newer).await, [], "the rows of a run with the same id are gone");
}

pub async fn task_that_is_set_back_waits_under_its_next_generation(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, run) = begun(&kit, &["a", "b"]).await;
    let children = start_all(&kit, run, &[(0, "a"), (1, "b")], at(1_000)).await;
    let claimed = kit.claim(3, at(1_000)).await;
    let a = claimed.iter().find(|claimed| claimed.run == children[0]).expect("claimed");
    kit.complete(at(1_100), vec![verdict(&job, a, Verdict::Failed, at(1_100))]).await;
    stepped(&kit, WorkflowStep { tasks: vec![write(0, TaskState::Failed)], ..step(&read(&kit, run).await, at(1_200)) })
        .await;

    // Both run again: a has failed, and b runs.
    let back = |task| TaskWrite { generation: 1, ..write(task, TaskState::Waiting) };
    let before = read(&kit, run).await;
    let cancel = vec![(children[1], "it runs again".to_owned())];
    let set_back = WorkflowStep { tasks: vec![back(0), back(1)], cancel, more: true, ..step(&before, at(2_000)) };
    stepped(&kit, set_back.clone()).await;
    assert_eq!(kit.store.step_workflow(set_back).await.expect("step_workflow"), Stepped::Stale, "once");
    let stands = |row: &TaskRow| (row.state, row.generation, row.child, row.since);
    let rows = rows(&kit, run).await;
    assert_eq!(stands(&rows[0]), (TaskState::Waiting, 1, Some(children[0]), at(2_000)));
    assert_eq!(stands(&rows[1]), (TaskState::Waiting, 1, Some(children[1]), at(2_000)));
    let unfinished = async || {
        let states = vec![RunState::Running, RunState::Queued];
        let query = RunQuery { parent: Some(run), states, limit: 9, ..RunQuery::default() };
        kit.store.runs(query).await.expect("runs").into_iter().map(|run| run.id).collect::<Vec<_>>()
    };
    assert_eq!(unfinished().await, [children[1]], "whoever goes on sees what has to end first");
    assert_eq!(due(&kit).await.len(), 1, "it is looked at though it was told nothing");

    let b = claimed.iter().find(|claimed| claimed.run == children[1]).expect("claimed");
    let ended = verdict(&job, b, Verdict::Cancelled, at(2_100));
    kit.complete(at(2_100), vec![ended]).await;
    assert_eq!(read(&kit, run).await.inbox.len(), 1, "its end is told");
    let again = start_all(&kit, run, &[(0, "a")], at(2_200)).await;
    assert!(!children.contains(&again[0]), "it has a run of its own");
}

pub async fn runs_of_a_line_that_no_claim_takes_are_found_by_it(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, run) = begun(&kit, &["a", "b"]).await;
    let hold = |item: u32| TaskWrite {
        item: Some(item),
        start: Some(TaskStart {
            name: format!("b[{item}]"),
            line: HOLD_LINE.to_owned(),
            priority: 5,
            input: None,
            expires_at: None,
        }),
        ..write(1, TaskState::Running)
    };
    start_all(&kit, run, &[(0, "a")], at(1_000)).await;
    let tasks = vec![hold(0), hold(1), hold(2)];
    let mut held = stepped(&kit, WorkflowStep { tasks, ..step(&read(&kit, run).await, at(1_100)) }).await;
    held.sort_unstable_by(|a, b| b.cmp(a));
    let line = RunQuery { line: Some(HOLD_LINE.to_owned()), with_tasks: true, limit: 2, ..RunQuery::default() };
    let list = async |query: RunQuery| {
        kit.store.runs(query).await.expect("runs").into_iter().map(|run| run.id).collect::<Vec<_>>()
    };
    assert_eq!(list(line.clone()).await, held[..2], "the newest");
    assert_eq!(list(RunQuery { before: Some(held[1]), ..line.clone() }).await, held[2..]);
    let elsewhere = RunQuery { namespace: Some("elsewhere".into()), ..line.clone() };
    assert_eq!(list(elsewhere).await, []);
    assert_eq!(list(RunQuery { job: Some(job.id()), ..line.clone() }).await, held[..2]);
    kit.store.cancel_run(held[0], "no more", None, at(1_200)).await.expect("cancel_run");
    assert_eq!(list(line).await, held[1..], "what has ended is in no line");
}

pub async fn item_of_a_backfill_keeps_tasks_of_the_run_that_it_repeats(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, of, _) = over(&mut kit).await;
    let fire_time = at(-1_000);
    let spec = Spec {
        trigger: "t".into(),
        zone: "UTC".into(),
        from: fire_time,
        to: fire_time,
        reprocess: Reprocess::Missing,
        part: Some(Part { tasks: vec!["c".into()], downstream: false, upstream: false, create_missing: false }),
        cascade: false,
        order: Order::Ascending,
        max_active: 1,
        stop_on_failure: false,
        priority: 0,
        plan: "abc".into(),
        actions: BTreeMap::new(),
    };
    let new = NewBackfill {
        job: job.id(),
        job_version: job.job.version,
        trigger: TriggerId(1_000),
        spec: spec.clone(),
        items: vec![NewItem { fire_time, action: Action::Rerun, rerun_of: Some(of), above: Vec::new() }],
        by: None,
        at: at(3_000),
        below: Vec::new(),
    };
    let backfills = kit.store.backfill_store();
    let id = backfills.add_backfill(new).await.expect("add_backfill");
    let row = backfills.backfill(id).await.expect("backfill").expect("it is there");
    assert_eq!(row.spec, spec, "the part is kept with it");
    let mut counts = row.counts;
    counts.shift(1, ItemState::Open, ItemState::Running);
    let item = |number: u64, after: Option<RunId>| {
        let start = ItemStart {
            seq: 1,
            fire_time,
            run: RunId::new(at(3_100), RunSource::Asked(job.id(), number)),
            rerun_of: Some(of),
            repeat: Some(Repeat { after, keep: vec![KeptTask { there: 0, here: 0 }] }),
            line: WORKFLOW_LINE.to_owned(),
            priority: 0,
            input: None,
            expires_at: None,
        };
        BackfillStep {
            id,
            turn: row.turn,
            state: row.state,
            reason: None,
            counts,
            ended: Vec::new(),
            start: vec![start],
            sweep: None,
            ended_at: None,
            at: at(3_100),
        }
    };
    let other = again(&job, of, 77, None, &[]);
    let stale = item(1, Some(other.id));
    assert!(!backfills.step_backfill(stale).await.expect("step_backfill"), "that run never repeated it");
    let row = backfills.backfill(id).await.expect("backfill").expect("it is there");
    assert_eq!((row.turn, row.counts.open), (1, 1), "nothing is written");
    let good = item(2, None);
    let run = good.start[0].run;
    assert!(backfills.step_backfill(good).await.expect("step_backfill"));
    assert!(begin(&kit, run, at(3_200)).await);
    let kept = rows(&kit, run).await;
    assert!(kept.iter().all(|row| row.task == 0) && kept.len() == 3, "a with its two items: {kept:?}");
    assert_eq!(read(&kit, of).await.rerun_as, Some(run));
}
