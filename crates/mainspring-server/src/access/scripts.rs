//! The right to add and to change scripts.

use std::collections::BTreeMap;

use mainspring_api::ErrorCode;
use mainspring_core::flow::Definition;
use mainspring_core::flow::body::{Body, Part, Program};
use mainspring_core::job::{Job, ScriptTask, Task};

use super::Permission;
use crate::refusal::{Answer, Refusal};

/// Whether a caller has the right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScriptRight(pub(crate) bool);

impl ScriptRight {
    /// Lets a job be saved whose scripts are those that it had, or that the caller may change.
    ///
    /// # Errors
    /// `auth.forbidden`.
    pub(crate) fn check_job(self, before: Option<&Job>, job: &Job) -> Answer<()> {
        self.check(&before.map(of_job).unwrap_or_default(), &of_job(job), &format!("job {}", job.key))
    }

    /// The same of a flow.
    ///
    /// # Errors
    /// `auth.forbidden`.
    pub(crate) fn check_flow(self, before: Option<&Definition>, flow: &Definition, name: &str) -> Answer<()> {
        self.check(&before.map(of_flow).unwrap_or_default(), &of_flow(flow), &format!("flow {name}"))
    }

    fn check(self, before: &Scripts<'_>, after: &Scripts<'_>, of: &str) -> Answer<()> {
        let added = after.iter().find(|(place, script)| before.get(*place) != Some(*script));
        let Some((place, _)) = added.filter(|_| !self.0) else { return Ok(()) };
        let place = if place.is_empty() { String::new() } else { format!(" in \"{place}\"") };
        let why = format!("{of} has another script{place}, and this needs the right to {}", Permission::Script);
        Err(Refusal::new(ErrorCode::AuthForbidden, why).hint("use the token of the server's --script-token-file"))
    }
}

/// Scripts by the names of what they belong to; without a name, that of a job itself.
type Scripts<'a> = BTreeMap<&'a str, Script<'a>>;

/// A script, without what may change beside it.
#[derive(PartialEq, Eq)]
enum Script<'a> {
    /// Servers and workers of ours execute it.
    Ours(&'a ScriptTask),
    /// It is sent to executors of XXL-JOB: its language, and its text.
    Sent(&'a str, &'a str),
}

fn of_job(job: &Job) -> Scripts<'_> {
    match &job.task {
        Task::Workflow(workflow) => {
            let tasks = workflow.tasks.iter();
            tasks.filter_map(|task| Some((task.job.key.name.as_str(), script_of_task(&task.job.task)?))).collect()
        }
        task => script_of_task(task).map(|script| ("", script)).into_iter().collect(),
    }
}

fn script_of_task(task: &Task) -> Option<Script<'_>> {
    match task {
        Task::Script(script) => Some(Script::Ours(script)),
        Task::Xxl(xxl) => xxl.glue.as_ref().map(|glue| Script::Sent(&glue.language, &glue.source)),
        _ => None,
    }
}

fn of_flow(flow: &Definition) -> Scripts<'_> {
    flow.parts.iter().filter_map(|part| Some((part.component.name.as_str(), script_of(part)?))).collect()
}

fn script_of(part: &Part) -> Option<Script<'_>> {
    match &part.body {
        Body::Process(process) => match &process.program {
            Program::Script(script) => Some(Script::Ours(script)),
            _ => None,
        },
        _ => None,
    }
}
