//! Groups of tasks that others need as one.
//!
//! In the graph a task stands for the group: it needs each member, is needed by those that need the group, and never runs. So a group of
//! `g` tasks that `h` tasks need has `g + h` edges. It is seen through: those tasks count its members, as if each needed all of them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Counts, TaskState, TriggerRule, Workflow, at};

/// A group as it was written. The tasks of the group have what follows from that already.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Group {
    /// Names of what its first tasks need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// When they may run, given how these ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_rule: Option<TriggerRule>,
    /// Expression that is asked before they run.
    #[serde(default, rename = "if", skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// What its tasks were written to say that say nothing of it themselves: JSON that nothing here looks into.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub defaults: Value,
}

/// Returns how a group ends whose tasks have ended so: as the first of `failed`, `cancelled`, `upstream_failed` and `succeeded` that one
/// of them is, else `skipped`.
///
/// ```
/// use mainspring_core::workflow::{TaskState, group_end};
/// assert_eq!(group_end([TaskState::Skipped, TaskState::Succeeded]), TaskState::Succeeded);
/// assert_eq!(group_end([TaskState::UpstreamFailed, TaskState::Failed]), TaskState::Failed);
/// assert_eq!(group_end([TaskState::Skipped, TaskState::Skipped]), TaskState::Skipped);
/// ```
#[must_use]
pub fn group_end(states: impl IntoIterator<Item = TaskState>) -> TaskState {
    let rank = |state: &TaskState| match state {
        TaskState::Failed => 4,
        TaskState::Cancelled => 3,
        TaskState::UpstreamFailed => 2,
        TaskState::Succeeded => 1,
        _ => 0,
    };
    states.into_iter().max_by_key(rank).unwrap_or(TaskState::Skipped)
}

impl Counts {
    /// Returns one for each way in which some upstreams stand, however many they are: no rule asks for more.
    #[must_use]
    pub(super) fn seen(self) -> Self {
        Self {
            unfinished: self.unfinished.min(1),
            succeeded: self.succeeded.min(1),
            failed: self.failed.min(1),
            upstream_failed: self.upstream_failed.min(1),
            skipped: self.skipped.min(1),
        }
    }

    /// Counts those of another one, too.
    pub(super) const fn join(&mut self, other: Self) {
        self.unfinished += other.unfinished;
        self.succeeded += other.succeeded;
        self.failed += other.failed;
        self.upstream_failed += other.upstream_failed;
        self.skipped += other.skipped;
    }
}

impl Workflow {
    /// Whether a task stands for a group.
    #[must_use]
    pub fn is_group(&self, task: u32) -> bool {
        self.tasks.get(at(task)).is_some_and(|task| task.joins.is_some())
    }

    /// Returns tasks with the members of a group in the place of the group, each once, by number.
    #[must_use]
    pub fn seen_through(&self, tasks: &[u32]) -> Vec<u32> {
        let members = |task: &u32| if self.is_group(*task) { &self.tasks[at(*task)].needs[..] } else { &[] };
        let plain = tasks.iter().filter(|task| !self.is_group(**task));
        let mut all: Vec<u32> = plain.chain(tasks.iter().flat_map(members)).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflow::{Decision, End, FailFast, Graph, Progress, Row, Shape, TaskRule};

    const FINAL: [TaskState; 5] =
        [TaskState::Succeeded, TaskState::Failed, TaskState::Cancelled, TaskState::UpstreamFailed, TaskState::Skipped];

    /// A task under a rule that needs three others, and one more; by way of a group of these, or directly.
    fn shape(rule: TriggerRule, grouped: bool) -> Shape {
        let plain = TaskRule::default();
        let child = TaskRule { trigger_rule: rule, ..plain };
        let group = TaskRule { group: true, ..plain };
        let edges: &[(u32, u32)] = match grouped {
            true => &[(0, 5), (1, 5), (2, 5), (5, 4), (3, 4)],
            false => &[(0, 4), (1, 4), (2, 4), (3, 4)],
        };
        Shape::new(Graph::new(6, edges).unwrap(), vec![plain, plain, plain, plain, child, group], FailFast::Off)
    }

    /// Where the task stands after each of these ends.
    fn stands(shape: &Shape, ends: &[(u32, TaskState)]) -> Vec<TaskState> {
        let mut run = Progress::new(shape);
        let mut seen = Vec::new();
        // Also in steps that are cut short.
        while run.advance(shape, &[], 1).more {}
        for &(task, state) in ends {
            run.advance(shape, &[End { task, generation: 0, state }], 1);
            while run.advance(shape, &[], 1).more {}
            seen.push(run.rows()[4].state);
        }
        seen
    }

    /// Every way in which four tasks may end.
    fn all_ends() -> impl Iterator<Item = [TaskState; 4]> {
        (0..FINAL.len().pow(4)).map(|n| [0, 1, 2, 3].map(|place| FINAL[n / FINAL.len().pow(place) % FINAL.len()]))
    }

    #[test]
    fn under_every_rule_a_group_counts_as_each_of_its_members_at_every_moment() {
        for &rule in TriggerRule::ALL {
            let (grouped, direct) = (shape(rule, true), shape(rule, false));
            for states in all_ends() {
                for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
                    let ends = order.map(|task| (task, states[task as usize]));
                    assert_eq!(stands(&grouped, &ends), stands(&direct, &ends), "{rule}: {ends:?}");
                }
            }
        }
    }

    #[test]
    fn no_rule_asks_for_more_than_what_is_seen() {
        let most = |n: u32, place: u32| n / 3_u32.pow(place) % 3;
        for &rule in TriggerRule::ALL {
            for n in 0..3_u32.pow(5) {
                let counts = Counts {
                    unfinished: most(n, 0),
                    succeeded: most(n, 1),
                    failed: most(n, 2),
                    upstream_failed: most(n, 3),
                    skipped: most(n, 4),
                };
                assert_eq!(counts.decide(rule), counts.seen().decide(rule), "{rule}: {counts:?}");
            }
        }
    }

    #[test]
    fn the_end_of_a_group_follows_from_all_of_its_members_and_fails_no_run_by_itself() {
        let shape = shape(TriggerRule::AllDone, true);
        for states in all_ends() {
            let mut run = Progress::new(&shape);
            let end = |task: u32| End { task, generation: 0, state: states[task as usize] };
            run.advance(&shape, &[end(0), end(1)], 5_000);
            assert_eq!(run.rows()[5].state, TaskState::Waiting, "one of its tasks is open");
            let step = run.advance(&shape, &[end(2)], 5_000);
            assert_eq!(run.rows()[5].state, group_end(states[..3].iter().copied()), "{states:?}");
            assert!(step.changed.contains(&5) && !step.ready.contains(&5), "it is written, and gets no run");
        }
    }

    #[test]
    fn a_member_whose_failure_is_forgiven_counts_as_succeeded() {
        let forgiven = TaskRule { continue_on_error: true, ..TaskRule::default() };
        let rules = vec![forgiven, TaskRule { group: true, ..TaskRule::default() }, TaskRule::default()];
        let shape = Shape::new(Graph::new(3, &[(0, 1), (1, 2)]).unwrap(), rules, FailFast::Off);
        let mut run = Progress::new(&shape);
        run.advance(&shape, &[], 5_000);
        let step = run.advance(&shape, &[End { task: 0, generation: 0, state: TaskState::Failed }], 5_000);
        assert_eq!((step.ready.as_slice(), run.rows()[1].state), (&[2][..], TaskState::Succeeded));
    }

    #[test]
    fn a_group_waits_for_members_that_still_run_when_nothing_starts_any_more() {
        let rules = vec![TaskRule::default(), TaskRule::default(), TaskRule { group: true, ..TaskRule::default() }];
        let shape = Shape::new(Graph::new(3, &[(0, 2), (1, 2)]).unwrap(), rules, FailFast::True);
        let mut run = Progress::new(&shape);
        run.advance(&shape, &[], 5_000);
        run.started(0);
        run.started(1);
        run.advance(&shape, &[End { task: 0, generation: 0, state: TaskState::Failed }], 5_000);
        assert_eq!(run.rows()[2].state, TaskState::Waiting);
        let step = run.advance(&shape, &[End { task: 1, generation: 0, state: TaskState::Succeeded }], 5_000);
        assert_eq!((run.rows()[2].state, step.verdict), (TaskState::Failed, Some(crate::run::Verdict::Failed)));
    }

    #[test]
    fn a_run_goes_on_from_its_rows_with_its_groups() {
        let shape = shape(TriggerRule::OneFailed, true);
        let mut rows = vec![Row::NEW; 6];
        rows[1].state = TaskState::Failed;
        let mut run = Progress::from_rows(&shape, rows, None);
        assert!(run.advance(&shape, &[], 5_000).ready.contains(&4));
        assert_eq!(run.counts(&shape, 4), Counts { unfinished: 2, failed: 1, ..Counts::default() });
        assert_eq!(run.counts(&shape, 4).decide(TriggerRule::OneFailed), Decision::Run);
    }

    #[test]
    fn members_stand_in_the_place_of_their_group() {
        use crate::job::{Job, JobKey, Task};
        use crate::workflow::TaskDefinition;
        let task = |name: &str, needs: &[u32], joins| TaskDefinition {
            needs: needs.to_vec(),
            joins,
            ..TaskDefinition::new(name, Job::new(JobKey::new("default", "w"), Task::Noop))
        };
        let tasks = vec![task("a", &[], None), task("b", &[], None), task("g", &[0, 1], Some(Group::default()))];
        let workflow = Workflow { tasks, ..Workflow::default() };
        assert_eq!(workflow.seen_through(&[1, 2]), [0, 1]);
    }
}
