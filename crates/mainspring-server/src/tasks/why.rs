//! Why a task stands where it does: what the core says, and what is known of items.

use mainspring_api::{WhyCode, WhyReason};
use mainspring_core::workflow::{Cause, Standing, TaskState};

use super::{Place, Tasks};

/// Tasks of a run that are gone into.
const TASKS_MAX: usize = 100;

impl Tasks {
    /// Says what a task waits for, or why it is over. Of one that has a run, that run says more.
    pub(crate) fn why(&self, place: Place) -> Vec<WhyReason> {
        let mut reasons = if place.item.is_some() { self.why_item(place) } else { self.why_task(place.task) };
        let name = self.show(place, None).name;
        reasons.iter_mut().for_each(|reason| reason.task = Some(name.clone()));
        reasons
    }

    /// The same of the tasks that wait, in the order of the graph.
    pub(crate) fn why_waiting(&self) -> Vec<WhyReason> {
        self.why_those(|task| match self.state(task) {
            TaskState::Running => {
                let definition = self.definition(task);
                definition.hold.is_some() || definition.call.is_some() || definition.joins.is_some()
            }
            state => !state.is_final(),
        })
    }

    /// The same of the tasks that did not end well, or never started.
    pub(crate) fn why_ended(&self) -> Vec<WhyReason> {
        self.why_those(|task| self.state(task).is_final() && self.state(task) != TaskState::Succeeded)
    }

    fn why_those(&self, are: impl Fn(u32) -> bool) -> Vec<WhyReason> {
        let tasks = self.shape.graph().order().iter().copied().filter(|task| are(*task));
        tasks.take(TASKS_MAX).flat_map(|task| self.why(Place::whole(task))).collect()
    }

    fn why_task(&self, task: u32) -> Vec<WhyReason> {
        let workflow = self.workflow();
        let standing = Standing { workflow, states: &self.states, paused: self.paused, stop: self.stop };
        let why = standing.why(task).expect("there is such a task");
        let code = match why.cause {
            Cause::Run => return self.why_running(task),
            Cause::Itself => return vec![self.over(Place::whole(task))],
            Cause::Upstreams | Cause::Members | Cause::Others(_) => WhyCode::AwaitsTasks,
            Cause::Time => WhyCode::NotBefore,
            Cause::Approval => WhyCode::AwaitsApproval,
            Cause::Elsewhere => WhyCode::AwaitsRun,
            Cause::Paused => WhyCode::RunPaused,
            Cause::Owed => WhyCode::AboutToStart,
            Cause::UpstreamsEnded => WhyCode::TaskRule,
            Cause::Stopped(_) => WhyCode::Final,
        };
        let asked = self.row(Place::whole(task)).and_then(|row| row.reason.as_deref());
        let mut reason = WhyReason::new(code, why.text(workflow));
        reason.hint = match why.cause {
            Cause::Paused => Some("mainspring run resume RUN".to_owned()),
            Cause::Approval => Some(format!("mainspring run approve RUN {}", self.name(task))),
            _ => None,
        };
        if let (Cause::Approval | Cause::Elsewhere, Some(asked)) = (why.cause, asked) {
            reason.message.push_str(&format!(": {asked}"));
        }
        vec![reason]
    }

    /// Of a task that runs more than once, how far its items are; of others, their runs tell.
    fn why_running(&self, task: u32) -> Vec<WhyReason> {
        let Some(counts) = self.item_counts(task) else {
            return self.why_calling(Place::whole(task)).into_iter().collect();
        };
        let message = format!("it runs for {}", counts.to_string().replacen("task", "item", 1));
        let limit = self.definition(task).max_parallel.filter(|most| counts.running >= *most);
        let limit = limit.map(|most| {
            WhyReason::new(WhyCode::TaskLimit, format!("max_parallel lets {most} of its runs be under way at once"))
        });
        std::iter::once(WhyReason::new(WhyCode::Running, message)).chain(limit).collect()
    }

    fn why_item(&self, place: Place) -> Vec<WhyReason> {
        let state = self.stands(place);
        if state.is_final() { vec![self.over(place)] } else { self.why_calling(place).into_iter().collect() }
    }

    /// Of a task that has started another workflow, which run it waits for, or what lies between two attempts.
    fn why_calling(&self, place: Place) -> Option<WhyReason> {
        let call = self.definition(place.task).call.as_ref()?;
        let row = self.row(place)?;
        if let Some(reason) = &row.reason {
            return Some(WhyReason::new(WhyCode::NotBefore, format!("waits for its next attempt; {reason}")));
        }
        let child = row.child?.to_string();
        let message = format!("waits for run {child} of {}", call.workflow);
        Some(WhyReason { runs: vec![child], ..WhyReason::new(WhyCode::AwaitsRun, message) })
    }

    fn over(&self, place: Place) -> WhyReason {
        let reason = self.row(place).and_then(|row| row.reason.as_deref());
        let why = reason.map_or_else(String::new, |why| format!(": {why}"));
        WhyReason::new(WhyCode::Final, format!("it is over, {}{why}", self.stands(place)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mainspring_core::job::{Job, JobKey, Task};
    use mainspring_core::workflow::{Call, TaskDefinition, TriggerRule, Workflow};
    use mainspring_core::{JobId, RunId, RunSource, Timestamp};
    use mainspring_store::TaskRow;

    use super::*;

    const AT: Timestamp = Timestamp::from_millis(1_767_225_600_000);

    fn task(name: &str, needs: &[u32], rule: TriggerRule) -> TaskDefinition {
        let job = Job::new(JobKey::new("default", "w"), Task::Noop);
        TaskDefinition {
            needs: needs.to_vec(),
            trigger_rule: rule,
            finally: name == "tidy",
            ..TaskDefinition::new(name, job)
        }
    }

    fn row(task: u32, state: TaskState, reason: Option<&str>) -> TaskRow {
        TaskRow { task, item: None, state, generation: 0, child: None, reason: reason.map(Into::into), since: AT }
    }

    fn tasks(paused: bool, rows: Vec<TaskRow>) -> Tasks {
        let all = TriggerRule::AllSuccess;
        let tasks = vec![
            task("a", &[], all),
            task("b", &[], all),
            task("join", &[0, 1], all),
            task("one", &[0, 1], TriggerRule::OneSuccess),
            task("after", &[2], all),
            task("tidy", &[], all),
        ];
        let workflow = Workflow { tasks, ..Workflow::default() };
        let job = Job::new(JobKey::new("default", "w"), Task::Workflow(Box::new(workflow)));
        let shape = job.workflow().unwrap().shape().unwrap();
        let mut states = vec![TaskState::Waiting; 6];
        rows.iter().for_each(|row| states[row.task as usize] = row.state);
        let run = RunId::new(AT, RunSource::Asked(JobId(1), 1));
        Tasks { job: Arc::new(job), shape, rows, states, paused, rerun_as: None, run, stop: None }
    }

    fn said(tasks: &Tasks, task: u32) -> Vec<String> {
        tasks.why(Place::whole(task)).iter().map(|why| format!("{}: {}", why.code, why.message)).collect()
    }

    #[test]
    fn a_task_that_waits_says_for_which_others_and_by_which_rule() {
        let run = tasks(false, vec![row(0, TaskState::Running, None), row(1, TaskState::Succeeded, None)]);
        assert_eq!(said(&run, 2), ["awaits_tasks: waits for a (rule all_success)"]);
        assert_eq!(said(&run, 5), ["awaits_tasks: runs last: waits for 4 other tasks"]);
        let names: Vec<_> = run.why_waiting().into_iter().filter_map(|why| why.task).collect();
        assert_eq!(names, ["tidy", "join", "one", "after"]);
    }

    #[test]
    fn a_task_that_never_started_says_whose_fault_it_is() {
        let run = tasks(
            false,
            vec![
                row(0, TaskState::Failed, None),
                row(1, TaskState::Succeeded, None),
                row(2, TaskState::UpstreamFailed, None),
                row(3, TaskState::Skipped, Some("skipped by ann: not today")),
                row(4, TaskState::UpstreamFailed, None),
            ],
        );
        assert_eq!(said(&run, 2), ["task_rule: did not start because of a (rule all_success)"]);
        assert_eq!(said(&run, 3), ["final: it is over, skipped: skipped by ann: not today"]);
        assert_eq!(said(&run, 4), ["task_rule: did not start because of join (rule all_success)"]);
        let names: Vec<_> = run.why_ended().into_iter().filter_map(|why| why.task).collect();
        assert_eq!(names, ["a", "join", "one", "after"]);
    }

    #[test]
    fn a_task_that_may_run_says_what_keeps_it() {
        for (paused, expected) in [
            (true, "run_paused: may run; the workflow run is paused"),
            (false, "about_to_start: may run; its run is about to be made"),
        ] {
            assert_eq!(said(&tasks(paused, vec![row(0, TaskState::Ready, None)]), 0), [expected]);
        }
    }

    #[test]
    fn a_task_that_has_started_another_workflow_says_which_run_it_waits_for() {
        let child = RunId::new(AT, RunSource::Asked(JobId(2), 1));
        let calling = |reason| TaskRow { child: Some(child), ..row(0, TaskState::Running, reason) };
        let mut run = tasks(false, vec![calling(None)]);
        let mut job = (*run.job).clone();
        let Task::Workflow(workflow) = &mut job.task else { unreachable!() };
        workflow.tasks[0].call = Some(Call { workflow: "load".to_owned(), inputs: Default::default() });
        run.job = Arc::new(job);
        assert_eq!(said(&run, 0), [format!("awaits_run: waits for run {child} of load")]);
        assert!(run.why_waiting().iter().any(|why| why.runs == [child.to_string()]));
        run.rows = vec![calling(Some("attempt 1 failed"))];
        assert_eq!(said(&run, 0), ["not_before: waits for its next attempt; attempt 1 failed"]);
    }

    #[test]
    fn tasks_and_items_are_found_by_name() {
        let item = |item| TaskRow { item: Some(item), ..row(1, TaskState::Running, None) };
        let run = tasks(false, vec![row(1, TaskState::Running, None), item(0), item(7)]);
        assert_eq!(run.find("b"), Ok(Place::whole(1)));
        assert_eq!(run.find("b[7]"), Ok(Place { task: 1, item: Some(7) }));
        assert_eq!(run.find("b[8]"), Err(None));
        assert_eq!(run.find("jion"), Err(Some("did you mean \"join\"?".to_owned())));
        assert_eq!(run.items(1).len(), 2);
        assert_eq!(run.counts().to_string(), "6 tasks: 1 running, 5 waiting");
    }
}
