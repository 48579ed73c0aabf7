use super::*;
use crate::job::{Job, JobKey, Task};
use crate::workflow::{End, FailFast, Graph, Progress, Row, Stop, TaskDefinition, TaskRule, Workflow};

/// `k` diamonds, each of which begins where the one before ends: 3k + 1 tasks and 2^k paths.
fn diamonds(k: u32) -> Shape {
    let edges: Vec<(u32, u32)> =
        (0..k).map(|n| n * 3).flat_map(|n| [(n, n + 1), (n, n + 2), (n + 1, n + 3), (n + 2, n + 3)]).collect();
    let tasks = k as usize * 3 + 1;
    Shape::new(Graph::new(tasks, &edges).unwrap(), vec![TaskRule::default(); tasks], FailFast::Off)
}

fn all(shape: &Shape, state: TaskState) -> Vec<Recorded> {
    vec![Recorded { state: Some(state), by_condition: false }; shape.graph().len()]
}

fn below(task: u32) -> Selection {
    Selection::Tasks { tasks: vec![task], downstream: true, upstream: false }
}

#[test]
fn a_thousand_diamonds_are_planned_without_walking_paths() {
    let shape = diamonds(1_000);
    let plan = plan(&shape, &all(&shape, TaskState::Succeeded), &below(0), false).unwrap();
    assert_eq!(plan.tasks.len(), 3_001);
    assert_eq!(plan.tasks.iter().filter(|planned| planned.counts.unfinished == 2).count(), 1_000);
}

#[test]
fn carrying_out_a_plan_counts_what_the_plan_says() {
    let shape = diamonds(3);
    let run = all(&shape, TaskState::Succeeded);
    let plan = plan(&shape, &run, &below(4), false).unwrap();
    let mut rows = vec![Row { state: TaskState::Succeeded, generation: 0 }; run.len()];
    for planned in &plan.tasks {
        rows[at(planned.task)] = Row { state: TaskState::Waiting, generation: 1 };
    }
    let mut progress = Progress::from_rows(&shape, rows, None);
    for planned in &plan.tasks {
        assert_eq!(progress.counts(&shape, planned.task), planned.counts);
    }
    assert_eq!(progress.advance(&shape, &[], 100).ready, [4]);
    // The end of the run that was replaced comes late, and changes nothing.
    let late = End { task: 4, generation: 0, state: TaskState::Failed };
    assert!(progress.advance(&shape, &[late], 100).changed.is_empty());
}

#[test]
fn a_plan_has_another_name_once_the_world_changes() {
    let shape = diamonds(2);
    let run = all(&shape, TaskState::Succeeded);
    let mut changed = run.clone();
    changed[1].state = Some(TaskState::Failed);
    let digest = |of: &[&str], run: &[Recorded], task| plan(&shape, run, &below(task), false).unwrap().digest(of, run);
    let name = digest(&["run", "1"], &run, 3);
    assert_eq!((name.len(), &name), (12, &digest(&["run", "1"], &run, 3)));
    for other in [digest(&["run", "2"], &run, 3), digest(&["run1", ""], &run, 3), digest(&["run", "1"], &changed, 3)] {
        assert_ne!(name, other);
    }
    assert_ne!(name, digest(&["run", "1"], &run, 4));
}

/// A workflow of tasks, each with the names that it needs.
fn workflow(tasks: &[(&str, &[&str])]) -> Workflow {
    let key = JobKey::new("default", "etl");
    let number = |name: &str| tasks.iter().zip(0..).find(|((task, _), _)| *task == name).unwrap().1;
    let task = |(name, needs): &(&str, &[&str])| TaskDefinition {
        needs: needs.iter().map(|need| number(need)).collect(),
        ..TaskDefinition::new(*name, Job::new(key.clone(), Task::Noop))
    };
    Workflow { tasks: tasks.iter().map(task).collect(), ..Workflow::default() }
}

fn ended(states: &[Option<TaskState>]) -> Vec<Recorded> {
    states.iter().map(|state| Recorded { state: *state, by_condition: false }).collect()
}

/// The rows of a plan as `action name: reason`, with what is changed in brackets, and what is kept.
fn rows(old: &Workflow, new: &Workflow, run: &[Recorded], selection: &Selection) -> (Vec<String>, Vec<(u32, u32)>) {
    rows_in(old, new, run, selection, Target::New)
}

fn rows_in(
    old: &Workflow,
    new: &Workflow,
    run: &[Recorded],
    selection: &Selection,
    target: Target,
) -> (Vec<String>, Vec<(u32, u32)>) {
    let matching = Matching::new(old, new);
    let (recorded, shape) = (matching.recorded(run), new.shape().unwrap());
    let plan = plan(&shape, &recorded, selection, true).unwrap();
    let sides = Sides { old, new, matching: &matching, recorded: &recorded, shape: &shape, target };
    let Table { rows, keep } = table(sides, &plan, selection);
    let text = |row: TableRow| {
        let change = row.change.map_or(String::new(), |change| format!(" [{change}]"));
        format!("{} {}: {}{change}", row.action, row.name, row.reason)
    };
    (rows.into_iter().map(text).collect(), keep)
}

#[test]
fn rows_say_what_runs_what_is_kept_and_what_cannot_run() {
    use TaskState::{Cancelled, Failed, Succeeded, UpstreamFailed};
    let it = workflow(&[("a", &[]), ("b", &[]), ("c", &["a", "b"]), ("d", &["c"]), ("e", &["a"])]);
    let run = ended(&[Some(Succeeded), Some(Failed), Some(UpstreamFailed), Some(UpstreamFailed), Some(Succeeded)]);
    let (text, keep) = rows(&it, &it, &run, &below(0));
    assert_eq!(
        text,
        [
            "rerun a: chosen",
            "keep b: failed",
            "cannot_run c: needs b, which is kept as failed: select that too",
            "cannot_run d: needs c, which cannot run",
            "rerun e: after a",
        ]
    );
    assert_eq!(keep, [(1, 1)]);
    let (text, keep) = rows(&it, &it, &run, &Selection::Failed);
    assert_eq!(
        text,
        ["keep a: succeeded", "rerun b: failed", "rerun c: after b", "rerun d: after c", "keep e: succeeded"]
    );
    assert_eq!(keep, [(0, 0), (4, 4)]);
    let above = Selection::Tasks { tasks: vec![2], downstream: false, upstream: true };
    let all = ended(&[Some(Succeeded), Some(Cancelled), Some(Succeeded), Some(Succeeded), None]);
    let (text, _) = rows(&it, &it, &all, &above);
    assert_eq!(text[..3], ["rerun a: needed by c, e", "rerun b: needed by c", "rerun c: chosen"]);
    assert_eq!(text[4], "rerun e: the run has no record of it");
}

#[test]
fn tasks_of_another_version_are_matched_by_name() {
    let old = workflow(&[("a", &[]), ("b", &["a"]), ("old", &[]), ("z", &["b"])]);
    let mut new = workflow(&[("a", &[]), ("ab", &["a"]), ("b", &["a"]), ("z", &["ab", "b"])]);
    new.tasks[0].job.priority = 7;
    let run = ended(&[Some(TaskState::Succeeded); 4]);
    let only = |task| Selection::Tasks { tasks: vec![task], downstream: false, upstream: false };
    let (text, keep) = rows(&old, &new, &run, &only(2));
    assert_eq!(
        text,
        [
            "keep a: succeeded [changed]",
            "rerun ab: new in the version that is to run [new]",
            "rerun b: chosen",
            "keep z: succeeded [changed]",
            "gone old: not in the version that is to run",
        ]
    );
    assert_eq!(keep, [(0, 0), (3, 3)]);
}

#[test]
fn what_runs_last_runs_again_with_what_it_follows() {
    let mut it = workflow(&[("a", &[]), ("b", &["a"]), ("clean", &[])]);
    it.tasks[2].finally = true;
    let run = ended(&[Some(TaskState::Succeeded); 3]);
    let (text, _) = rows(&it, &it, &run, &below(1));
    assert_eq!(text, ["keep a: succeeded", "rerun b: chosen", "rerun clean: runs last"]);
    let only = Selection::Tasks { tasks: vec![1], downstream: false, upstream: false };
    assert_eq!(rows(&it, &it, &run, &only).0[2], "keep clean: succeeded");
    assert_eq!(rows(&it, &it, &run, &Selection::Failed).1.len(), 3, "nothing failed, so nothing runs");
}

#[test]
fn run_that_goes_on_keeps_moving_beside_what_runs_again() {
    use TaskState::{Failed, Running, Succeeded, Waiting};
    let it = workflow(&[("a", &[]), ("b", &["a"]), ("c", &["b", "d"]), ("d", &[]), ("e", &["d"])]);
    let run = ended(&[Some(Succeeded), Some(Failed), Some(Waiting), Some(Running), Some(Waiting)]);
    let only = |task| Selection::Tasks { tasks: vec![task], downstream: false, upstream: false };
    let target = Target::Same { stop: None };
    let (text, _) = rows_in(&it, &it, &run, &only(1), target);
    // c is not selected, but has to wait for the new result.
    assert_eq!(
        text,
        ["keep a: succeeded", "rerun b: chosen", "rerun c: after b", "goes_on d: running", "goes_on e: waiting"]
    );
    let (text, _) = rows_in(&it, &it, &run, &only(3), target);
    assert_eq!(text[3..], ["rerun d: chosen; its run is cancelled first", "rerun e: after d"]);

    let shape = it.shape().unwrap();
    assert_eq!(plan(&shape, &run, &only(3), false), Err(RerunError::Running(vec![3])));
    let planned = plan(&shape, &run, &only(1), false).unwrap();
    assert_eq!(set_back(&planned, &run), [1], "c waits as it is");
    // What goes on beside the plan does not change its name, and what it plans does.
    let name = |run: &[Recorded]| {
        let planned = plan(&shape, run, &only(1), false).unwrap();
        planned.digest(&["run"], &relevant(&planned, run))
    };
    let later = ended(&[Some(Succeeded), Some(Failed), Some(Waiting), Some(Succeeded), Some(Running)]);
    let other = ended(&[Some(Succeeded), Some(Succeeded), Some(Waiting), Some(Running), Some(Waiting)]);
    let blocked = ended(&[Some(Succeeded), Some(Failed), Some(Waiting), Some(Failed), Some(Waiting)]);
    assert_eq!(name(&run), name(&later));
    assert_ne!(name(&run), name(&other));
    assert_ne!(name(&run), name(&blocked), "c could no longer run");
}

#[test]
fn failure_that_runs_again_stops_nothing_any_more() {
    use TaskState::{Cancelled, Failed, Running};
    let mut it = workflow(&[("a", &[]), ("b", &["a"]), ("c", &[])]);
    it.fail_fast = FailFast::True;
    let shape = it.shape().unwrap();
    let run = ended(&[Some(Failed), Some(Cancelled), Some(Running)]);
    for (task, then) in [(0, None), (1, Some(Stop::Failed))] {
        let planned = plan(&shape, &run, &below(task), false).unwrap();
        assert_eq!(stop_then(&shape, &planned, &run, Some(Stop::Failed)), then, "{task}");
        assert_eq!(stop_then(&shape, &planned, &run, Some(Stop::Cancelled)), Some(Stop::Cancelled));
    }
    let target = Target::Same { stop: Some(Stop::Failed) };
    let (text, _) = rows_in(&it, &it, &run, &below(1), target);
    assert_eq!(text[1], "cannot_run b: another task has failed, and nothing starts after that: select that too");
}

/// A workflow in which `d` and `e` need a group of `a`, `b` and `c`.
fn grouped() -> Workflow {
    let mut it = workflow(&[("a", &[]), ("b", &[]), ("c", &[]), ("d", &["g"]), ("e", &["g"]), ("g", &["a", "b", "c"])]);
    it.tasks[5].joins = Some(crate::workflow::Group::default());
    it.tasks[3].trigger_rule = crate::workflow::TriggerRule::NoneFailed;
    it
}

#[test]
fn a_group_runs_again_with_any_of_its_tasks_and_kept_ones_count_as_they_ended() {
    use TaskState::{Failed, Skipped, Succeeded, UpstreamFailed};
    let it = grouped();
    let shape = it.shape().unwrap();
    let run = ended(&[
        Some(Failed),
        Some(Skipped),
        Some(Succeeded),
        Some(UpstreamFailed),
        Some(UpstreamFailed),
        Some(Failed),
    ]);
    let plan = |selection: &Selection| {
        let plan = plan(&shape, &run, selection, false).unwrap();
        plan.tasks.iter().map(|it| (it.task, it.decision)).collect::<Vec<_>>()
    };
    use crate::workflow::Decision::{Run, Wait};
    let named = |tasks: &[u32]| Selection::Tasks { tasks: tasks.to_vec(), downstream: false, upstream: false };
    assert_eq!(plan(&named(&[0])).iter().map(|it| it.0).collect::<Vec<_>>(), [0, 5]);
    // The skipped one is kept, so `e` cannot succeed by all_success; `d` may.
    let failed = plan(&Selection::Failed);
    assert_eq!(failed.iter().map(|it| it.0).collect::<Vec<_>>(), [0, 3, 4, 5]);
    assert_eq!((failed[0].1, failed[1].1), (Run, Wait));
    let (text, keep) = rows(&it, &it, &run, &named(&[3]));
    assert_eq!(text[3], "cannot_run d: needs g, which is kept as failed: select that too");
    assert_eq!(keep, [(0, 0), (1, 1), (2, 2), (4, 4), (5, 5)]);
}

#[test]
fn a_group_that_a_newer_version_brings_ends_as_its_tasks_that_are_kept() {
    use TaskState::Succeeded;
    let old = workflow(&[("a", &[]), ("b", &[]), ("c", &[])]);
    let (text, keep) = rows(&old, &grouped(), &ended(&[Some(Succeeded); 3]), &Selection::Missing);
    assert_eq!(
        text[3..],
        [
            "rerun d: new in the version that is to run [new]",
            "rerun e: new in the version that is to run [new]",
            "keep g: succeeded [new]"
        ]
    );
    assert_eq!(keep, [(0, 0), (1, 1), (2, 2)]);
}
