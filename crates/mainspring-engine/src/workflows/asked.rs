//! What people ask of a workflow run, and what comes of it. What does not fit where a task stands by now changes nothing.

use mainspring_core::workflow::{Hold, TaskState, branch};
use mainspring_store::{TaskRequest, TaskVerb};

use super::live::{Live, Place};

impl Live {
    pub(super) fn asked(&mut self, request: &TaskRequest) {
        let Some(task) = request.task.filter(|task| *task < self.plan.tasks()) else {
            return match request.verb {
                TaskVerb::Cancel if request.task.is_none() => self.stop(words("cancelled", request)),
                TaskVerb::TimeOut => self.time_out(),
                TaskVerb::Pause => self.set_paused(true),
                TaskVerb::Resume => self.set_paused(false),
                _ => {}
            };
        };
        if request.verb == TaskVerb::CancelBranch {
            return self.cancel_branch(task, request);
        }
        if self.plan.workflow().is_group(task) {
            return self.asked_of_group(task, request);
        }
        let place = (task, request.item);
        let Some(state) = self.stands(place) else { return };
        let has_started = state == TaskState::Running;
        match request.verb {
            TaskVerb::Cancel if has_started => match request.item {
                Some(_) => self.cancel_place(place, &words("cancelled", request)),
                None => self.cancel_task(task, &words("cancelled", request)),
            },
            TaskVerb::Cancel => self.end(place, TaskState::Cancelled, Some(words("cancelled", request))),
            TaskVerb::Skip if !has_started => self.end(place, TaskState::Skipped, Some(words("skipped", request))),
            TaskVerb::Succeed => self.mark(place, TaskState::Succeeded, words("marked succeeded", request)),
            TaskVerb::Fail => self.mark(place, TaskState::Failed, words("marked failed", request)),
            TaskVerb::Look if has_started && self.needed.contains_key(&task) => _ = self.to_look.insert(task),
            TaskVerb::Approve if self.may_decide(task, request) => {
                self.mark(place, TaskState::Succeeded, words("approved", request));
            }
            TaskVerb::Reject if self.may_decide(task, request) => {
                self.mark(place, TaskState::Failed, words("rejected", request));
            }
            _ => {}
        }
    }

    /// Ends what has not ended of a task and of all that need it.
    fn cancel_branch(&mut self, task: u32, request: &TaskRequest) {
        for task in branch(self.plan.workflow(), self.plan.shape.graph(), task) {
            let cancel = TaskRequest { verb: TaskVerb::Cancel, task: Some(task), item: None, ..request.clone() };
            self.asked(&cancel);
        }
    }

    /// Asks the same of each task of a group.
    fn asked_of_group(&mut self, group: u32, request: &TaskRequest) {
        if !matches!(request.verb, TaskVerb::Cancel | TaskVerb::Skip | TaskVerb::Succeed | TaskVerb::Fail) {
            return;
        }
        for member in self.plan.task(group).needs.clone() {
            if !self.plan.workflow().is_group(member) {
                self.asked(&TaskRequest { task: Some(member), item: None, ..request.clone() });
            }
        }
    }

    /// Whether a task waits for an approval, and whoever asks may decide.
    fn may_decide(&self, task: u32, request: &TaskRequest) -> bool {
        let approval = self.plan.task(task).hold.as_ref().and_then(Hold::approval);
        self.state(task) == TaskState::Running && approval.is_some_and(|it| it.admits(request.by.as_deref()))
    }

    /// Ends a task or one of its runs as somebody says; what runs of it is to end.
    pub(super) fn mark(&mut self, place: Place, state: TaskState, reason: String) {
        // First: of two ends of a task the first one counts, and the task ends with its last item.
        self.end(place, state, Some(reason.clone()));
        if place.1.is_none() && self.plan.task(place.0).spread.is_some() {
            self.cancel_task(place.0, &reason);
        } else if let Some(child) = self.child(place) {
            self.ask_end(child, &reason);
        }
    }

    /// Where a task or one of its runs stands; nothing if it is over or there is no such run.
    pub(super) fn stands(&self, (task, item): Place) -> Option<TaskState> {
        let whole = Some(self.state(task)).filter(|state| !state.is_final());
        match item {
            None => whole,
            Some(item) => whole.and_then(|_| self.item_state(task, item)).filter(|state| !state.is_final()),
        }
    }
}

/// What was done, by whom and why.
fn words(done: &str, request: &TaskRequest) -> String {
    let by = request.by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
    let why = request.reason.as_ref().filter(|why| !why.is_empty()).map(|why| format!(": {why}")).unwrap_or_default();
    format!("{done}{by}{why}")
}
