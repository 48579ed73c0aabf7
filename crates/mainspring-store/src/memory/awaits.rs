//! Tasks that wait for tasks of other workflows.

use std::collections::BTreeMap;

use mainspring_core::job::JobKey;
use mainspring_core::{RunId, Timestamp};

use super::model::Model;
use super::workflow::Workflows;
use crate::awaits::{Await, Stands};
use crate::workflow::{MessageBody, TaskRequest, WorkflowStep};

/// What tasks of live runs await, by run and task.
#[derive(Clone, Debug, Default)]
pub(super) struct Awaits(BTreeMap<(RunId, u32), Waiting>);

#[derive(Clone, Debug)]
struct Waiting {
    upstream: JobKey,
    of_task: String,
    first: Timestamp,
    last: Timestamp,
    request: TaskRequest,
}

impl Awaits {
    /// Keeps what tasks of a run await, in place of what they awaited before, and forgets what those awaited that have ended.
    pub(super) fn add(&mut self, namespace: &str, step: &WorkflowStep) {
        for task in &step.settled {
            self.0.remove(&(step.run, *task));
        }
        for Await { task, upstream, of_task, first, last } in &step.awaits {
            let upstream = JobKey::new(namespace, upstream.as_str());
            let of_task = of_task.clone().unwrap_or_default();
            let request = TaskRequest::look(*task, step.at);
            self.0.insert((step.run, *task), Waiting { upstream, of_task, first: *first, last: *last, request });
        }
    }

    /// Forgets what tasks of a run await.
    pub(super) fn forget(&mut self, run: RunId) {
        self.0.retain(|(of, _), _| *of != run);
    }

    pub(super) fn is_used(&self) -> bool {
        !self.0.is_empty()
    }
}

impl Workflows {
    /// Tells those who await it of the end of something of a run of this date: of a task for which `ends` holds.
    pub(super) fn tell_awaiting(&mut self, key: &JobKey, date: Timestamp, ends: impl Fn(&str) -> bool) {
        let concerns = |it: &Waiting| it.upstream == *key && it.first <= date && date <= it.last && ends(&it.of_task);
        let told = self.awaits.0.iter().filter(|(_, it)| concerns(it));
        let told: Vec<(RunId, TaskRequest)> = told.map(|((run, _), it)| (*run, it.request.clone())).collect();
        told.into_iter().for_each(|(run, request)| self.leave(run, Some(MessageBody::Asked(request))));
    }
}

/// See [`crate::Store::run_stands`].
pub(super) fn stands(model: &Model, run: RunId, task: u32) -> Option<Stands> {
    let ended = model.history.get(run).map(|over| over.run.state);
    if ended.is_none() && model.live.get(run).is_none() {
        return None;
    }
    let (task, rerun_as) = (model.workflows.task_state(run, task), model.workflows.rerun_as(run));
    Some(Stands { ended, task, rerun_as })
}
