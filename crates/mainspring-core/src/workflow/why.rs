//! Why a task of a workflow run is where it is.

use std::fmt;

use super::{Counts, Decision, Stop, TaskState, TriggerRule, Workflow};

/// Where the tasks of a workflow run stand.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// The definition.
    pub workflow: &'a Workflow,
    /// The state of each task.
    pub states: &'a [TaskState],
    /// Whether nothing new starts until the run is resumed.
    pub paused: bool,
    /// Why nothing starts any more.
    pub stop: Option<Stop>,
}

/// Why a task is where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Why {
    /// What holds it, or ended it.
    pub cause: Cause,
    /// The rule that its upstreams are held against.
    pub rule: TriggerRule,
    /// The upstreams that are meant: those that it waits for, or those that ended it.
    pub upstreams: Vec<u32>,
}

/// What holds or ended a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// These upstreams have not ended.
    Upstreams,
    /// It stands for a group, and these of its tasks have not ended.
    Members,
    /// It runs last, and so many others have not ended.
    Others(u32),
    /// The run is paused.
    Paused,
    /// It may run, and its run is about to be made.
    Owed,
    /// It has a run: where that stands is that run's own state.
    Run,
    /// It waits for its time.
    Time,
    /// It waits for somebody's approval.
    Approval,
    /// It waits for tasks of another workflow.
    Elsewhere,
    /// How these upstreams ended.
    UpstreamsEnded,
    /// Nothing started any more.
    Stopped(Stop),
    /// What it came to itself, or what was asked of it.
    Itself,
}

impl Standing<'_> {
    /// Returns why a task is where it is. Nothing, if there is no such task.
    ///
    /// ```
    /// use mainspring_core::job::{Job, JobKey, Task};
    /// use mainspring_core::workflow::{Standing, TaskDefinition, TaskState, Workflow};
    /// let task = |name: &str, needs: &[u32]| TaskDefinition {
    ///     needs: needs.to_vec(),
    ///     ..TaskDefinition::new(name, Job::new(JobKey::new("default", "etl"), Task::Noop))
    /// };
    /// let workflow = Workflow { tasks: vec![task("a", &[]), task("b", &[]), task("c", &[0, 1])], ..Workflow::default() };
    /// let states = [TaskState::Succeeded, TaskState::Running, TaskState::Waiting];
    /// let standing = Standing { workflow: &workflow, states: &states, paused: false, stop: None };
    /// assert_eq!(standing.why(2).unwrap().text(&workflow), "waits for b (rule all_success)");
    /// ```
    #[must_use]
    pub fn why(&self, task: u32) -> Option<Why> {
        let definition = self.workflow.tasks.get(task as usize)?;
        let rule = if definition.finally { TriggerRule::AllDone } else { definition.trigger_rule };
        let state = |task: u32| self.states.get(task as usize).copied().unwrap_or(TaskState::Waiting);
        let is_group = definition.joins.is_some();
        let needs = if is_group { definition.needs.clone() } else { self.workflow.seen_through(&definition.needs) };
        let those = |is: &dyn Fn(TaskState) -> bool| -> Vec<u32> {
            needs.iter().copied().filter(|need| is(state(*need))).collect()
        };
        let open = those(&|state| !state.is_final());
        let (cause, upstreams) = match state(task) {
            state if is_group && state.is_final() => (Cause::Itself, Vec::new()),
            _ if is_group => (Cause::Members, open),
            TaskState::Waiting if !open.is_empty() => (Cause::Upstreams, open),
            TaskState::Waiting if definition.finally => (Cause::Others(self.open_others()), Vec::new()),
            TaskState::Waiting | TaskState::Ready if self.paused => (Cause::Paused, Vec::new()),
            TaskState::Waiting | TaskState::Ready => (Cause::Owed, Vec::new()),
            TaskState::Running => match &definition.hold {
                None => (Cause::Run, Vec::new()),
                Some(hold) if hold.approval().is_some() => (Cause::Approval, Vec::new()),
                Some(hold) if hold.elsewhere().is_some() => (Cause::Elsewhere, Vec::new()),
                Some(_) => (Cause::Time, Vec::new()),
            },
            TaskState::UpstreamFailed => (Cause::UpstreamsEnded, those(&TaskState::is_bad)),
            TaskState::Skipped if self.rule_says_no(task) => {
                (Cause::UpstreamsEnded, those(&|state| state != TaskState::Succeeded))
            }
            TaskState::Cancelled if self.stop.is_some() => {
                (Cause::Stopped(self.stop.unwrap_or(Stop::Cancelled)), Vec::new())
            }
            _ => (Cause::Itself, Vec::new()),
        };
        Some(Why { cause, rule, upstreams })
    }

    /// How many tasks have not ended that do not run last.
    fn open_others(&self) -> u32 {
        let open =
            self.workflow.tasks.iter().zip(self.states).filter(|(task, state)| !task.finally && !state.is_final());
        u32::try_from(open.count()).unwrap_or(u32::MAX)
    }

    /// Whether the rule of a task lets it not run, as its upstreams ended.
    fn rule_says_no(&self, task: u32) -> bool {
        let Some(definition) = self.workflow.tasks.get(task as usize) else { return false };
        let mut counts = Counts::default();
        for need in &self.workflow.seen_through(&definition.needs) {
            let state = self.states.get(*need as usize).copied().unwrap_or(TaskState::Waiting);
            let forgiven = self.workflow.tasks.get(*need as usize).is_some_and(|need| need.continue_on_error);
            counts.add(if forgiven && state == TaskState::Failed { TaskState::Succeeded } else { state });
        }
        counts.decide(definition.trigger_rule) == Decision::Skip
    }
}

impl Why {
    /// Says it in words, with the names of tasks.
    #[must_use]
    pub fn text(&self, workflow: &Workflow) -> String {
        let Self { cause, rule, upstreams } = self;
        let names = Names(workflow, upstreams);
        match cause {
            Cause::Upstreams => format!("waits for {names} (rule {rule})"),
            Cause::Members => format!("waits for its tasks {names}"),
            Cause::Others(1) => "runs last: waits for 1 other task".to_owned(),
            Cause::Others(count) => format!("runs last: waits for {count} other tasks"),
            Cause::Paused => "may run; the workflow run is paused".to_owned(),
            Cause::Owed => "may run; its run is about to be made".to_owned(),
            Cause::Run => "has a run".to_owned(),
            Cause::Time => "waits for its time".to_owned(),
            Cause::Approval => "waits for an approval".to_owned(),
            Cause::Elsewhere => "waits for another workflow".to_owned(),
            Cause::UpstreamsEnded if upstreams.is_empty() => format!("its upstreams do not fit its rule {rule}"),
            Cause::UpstreamsEnded => format!("did not start because of {names} (rule {rule})"),
            Cause::Stopped(Stop::Failed) => "did not start because another task has failed (fail_fast)".to_owned(),
            Cause::Stopped(Stop::Cancelled) => "the workflow run was cancelled".to_owned(),
            Cause::Itself => "ended by itself, or on request".to_owned(),
        }
    }
}

/// How many upstreams are named at most.
const NAMED_MAX: usize = 10;

/// The names of tasks, the first of them.
struct Names<'a>(&'a Workflow, &'a [u32]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |task: &u32| self.0.tasks.get(*task as usize).map_or("?", |task| task.name.as_str());
        let names: Vec<&str> = self.1.iter().take(NAMED_MAX).map(name).collect();
        f.write_str(&names.join(", "))?;
        match self.1.len().saturating_sub(NAMED_MAX) {
            0 => Ok(()),
            more => write!(f, " and {more} others"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Job, JobKey, Task};
    use crate::workflow::TaskDefinition;

    fn workflow() -> Workflow {
        let task = |name: &str, needs: &[u32]| TaskDefinition {
            needs: needs.to_vec(),
            ..TaskDefinition::new(name, Job::new(JobKey::new("default", "etl"), Task::Noop))
        };
        let mut tasks = vec![task("a", &[]), task("b", &[0]), task("c", &[0]), task("d", &[1, 2]), task("tidy", &[])];
        tasks[3].trigger_rule = TriggerRule::NoneSkipped;
        tasks[4].finally = true;
        Workflow { tasks, ..Workflow::default() }
    }

    #[test]
    fn a_task_that_needs_a_group_names_those_of_its_tasks_that_it_waits_for() {
        use crate::workflow::Group;
        let mut workflow = workflow();
        let key = JobKey::new("default", "etl");
        let joins = Some(Group::default());
        workflow.tasks[3].needs = vec![0, 5];
        workflow.tasks.push(TaskDefinition {
            needs: vec![1, 2],
            joins,
            ..TaskDefinition::new("g", Job::new(key, Task::Noop))
        });
        use TaskState::{Failed, Running, Succeeded, Waiting};
        for (states, task, expected) in [
            ([Succeeded, Succeeded, Running, Waiting, Waiting, Waiting], 3, "waits for c (rule none_skipped)"),
            ([Succeeded, Running, Waiting, Waiting, Waiting, Waiting], 5, "waits for its tasks b, c"),
            ([Succeeded, Failed, Succeeded, Waiting, Waiting, Failed], 5, "ended by itself, or on request"),
        ] {
            let standing = Standing { workflow: &workflow, states: &states, paused: false, stop: None };
            assert_eq!(standing.why(task).unwrap().text(&workflow), expected, "{states:?} {task}");
        }
    }

    #[test]
    fn each_standing_has_its_words() {
        use TaskState::{Cancelled, Failed, Ready, Running, Skipped, Succeeded, UpstreamFailed, Waiting};
        let workflow = workflow();
        for (states, paused, stop, task, expected) in [
            ([Running, Waiting, Waiting, Waiting, Waiting], false, None, 3, "waits for b, c (rule none_skipped)"),
            ([Running, Waiting, Waiting, Waiting, Waiting], false, None, 4, "runs last: waits for 4 other tasks"),
            ([Succeeded, Ready, Running, Waiting, Waiting], true, None, 1, "may run; the workflow run is paused"),
            ([Succeeded, Ready, Running, Waiting, Waiting], false, None, 1, "may run; its run is about to be made"),
            ([Succeeded, Ready, Running, Waiting, Waiting], false, None, 2, "has a run"),
            (
                [Failed, UpstreamFailed, UpstreamFailed, Waiting, Waiting],
                false,
                None,
                1,
                "did not start because of a (rule all_success)",
            ),
            (
                [Succeeded, Skipped, Succeeded, Skipped, Waiting],
                false,
                None,
                3,
                "did not start because of b (rule none_skipped)",
            ),
            ([Succeeded, Skipped, Succeeded, Skipped, Waiting], false, None, 1, "ended by itself, or on request"),
            (
                [Failed, Cancelled, Cancelled, Cancelled, Waiting],
                false,
                Some(Stop::Failed),
                1,
                "did not start because another task has failed (fail_fast)",
            ),
        ] {
            let standing = Standing { workflow: &workflow, states: &states, paused, stop };
            assert_eq!(standing.why(task).unwrap().text(&workflow), expected, "{states:?} {task}");
        }
        let states = [Waiting; 5];
        assert_eq!(Standing { workflow: &workflow, states: &states, paused: false, stop: None }.why(9), None);
    }
}
