//! Tasks that start another workflow or job, and wait for it.
//!
//! Such a task has no run of its own. Each of its attempts is a run of the other job, whose parent is the workflow run: its end is that of
//! the attempt, and what it leaves is what the task leaves. It takes no slot of the workflow.

use std::collections::BTreeMap;

use mainspring_schedule::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::context::{RenderError, rendered_value};
use super::{GraphError, TaskContext, TaskDefinition, TaskState};
use crate::after::circles;
use crate::id::RunId;
use crate::job::Job;
use crate::output::INLINE_MAX;
use crate::retry::{AfterAttempt, AttemptRule, Ended, after_attempt};
use crate::run::{AttemptOutcome, RunState};

/// How deep workflows may start each other.
pub const CALLS_DEEP_MAX: usize = 16;

/// What a task starts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Call {
    /// Name of a workflow, or of another job, in the namespace of the task's own.
    pub workflow: String,
    /// What it is given, with expressions.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub inputs: Map<String, Value>,
}

/// What follows the end of an attempt of a task that starts another workflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AfterCall {
    /// The task is over.
    Over(TaskState),
    /// Another run is started, not before the instant.
    Again(Timestamp),
}

impl Call {
    /// What a run of it is given; nothing if it says nothing.
    ///
    /// # Errors
    /// An expression cannot be evaluated, with its place.
    pub fn input(&self, context: &TaskContext) -> Result<Value, RenderError> {
        if self.inputs.is_empty() {
            return Ok(Value::Null);
        }
        let values = context.values();
        let input = self.inputs.iter().map(|(name, value)| {
            let value = rendered_value(value, &values);
            Ok((name.clone(), value.map_err(|error| RenderError { place: format!("inputs.{name}"), error })?))
        });
        Ok(Value::Object(input.collect::<Result<_, _>>()?))
    }
}

/// Returns what a workflow run leaves, as JSON: each of its outputs with the value of its expressions.
///
/// # Errors
/// An expression cannot be evaluated, with its place; or they have more than [`INLINE_MAX`] bytes together. In words.
pub fn outputs_text(outputs: &BTreeMap<String, String>, context: &TaskContext) -> Result<String, String> {
    let values = context.values();
    let mut left = Map::new();
    for (name, text) in outputs {
        let value = rendered_value(&Value::String(text.clone()), &values);
        left.insert(name.clone(), value.map_err(|error| format!("outputs.{name}: {error}"))?);
    }
    let text = Value::Object(left).to_string();
    if text.len() > INLINE_MAX {
        return Err(format!("the outputs have {} bytes, and {INLINE_MAX} are allowed", text.len()));
    }
    Ok(text)
}

impl TaskDefinition {
    /// Decides what follows when the run of one of its attempts, counted from 1, has ended. A cancelled one is never tried again, nor one
    /// that never started.
    ///
    /// ```
    /// use mainspring_core::job::{Job, JobKey, RetryPolicy, Task};
    /// use mainspring_core::run::RunState;
    /// use mainspring_core::workflow::{AfterCall, TaskDefinition, TaskState};
    /// use mainspring_core::{JobId, RunId, RunSource, Timestamp};
    /// let now = Timestamp::from_millis(60_000);
    /// let run = RunId::new(now, RunSource::Asked(JobId(1), 0));
    /// let mut job = Job::new(JobKey::new("default", "etl"), Task::Noop);
    /// job.retry = RetryPolicy { count: 1, delay_ms: 500, ..RetryPolicy::default() };
    /// let task = TaskDefinition::new("load", job);
    /// assert_eq!(task.after_call(run, 1, RunState::Failed, now), AfterCall::Again(now + 500));
    /// assert_eq!(task.after_call(run, 2, RunState::Failed, now), AfterCall::Over(TaskState::Failed));
    /// assert_eq!(task.after_call(run, 1, RunState::Cancelled, now), AfterCall::Over(TaskState::Cancelled));
    /// ```
    #[must_use]
    pub fn after_call(&self, run: RunId, attempt: u32, state: RunState, now: Timestamp) -> AfterCall {
        match state {
            RunState::Succeeded => AfterCall::Over(TaskState::Succeeded),
            RunState::Cancelled => AfterCall::Over(TaskState::Cancelled),
            RunState::Skipped => AfterCall::Over(TaskState::Skipped),
            _ => {
                let ended = Ended { run, attempt, outcome: AttemptOutcome::Failed, code: None, deadline: None };
                match after_attempt(AttemptRule::from(&self.job), ended, now) {
                    AfterAttempt::Final(_) => AfterCall::Over(TaskState::Failed),
                    AfterAttempt::RetryAt(at) => AfterCall::Again(at),
                }
            }
        }
    }
}

impl Job {
    /// Returns what its tasks start: the task's number and the name of the other job.
    pub fn calls(&self) -> impl Iterator<Item = (u32, &str)> {
        let tasks = self.workflow().into_iter().flat_map(|workflow| workflow.tasks.iter().zip(0..));
        tasks.filter_map(|(task, number)| Some((number, task.call.as_ref()?.workflow.as_str())))
    }
}

/// Returns the first circle among jobs of one namespace whose tasks start each other: each starts the next, and the last the first.
/// `calls` says what each starts.
///
/// # Errors
/// More jobs than a graph takes.
///
/// ```
/// use mainspring_core::workflow::call_circle;
/// let calls = |pairs: &[(&str, &str)]| pairs.iter().map(|(from, to)| (from.to_string(), vec![to.to_string()])).collect();
/// assert_eq!(call_circle(&calls(&[("a", "b"), ("b", "c")])), Ok(None));
/// assert_eq!(call_circle(&calls(&[("a", "b"), ("b", "a")])), Ok(Some(vec!["a".to_owned(), "b".to_owned()])));
/// ```
pub fn call_circle(calls: &BTreeMap<String, Vec<String>>) -> Result<Option<Vec<String>>, GraphError> {
    let edges = calls.iter().flat_map(|(from, all)| all.iter().map(move |to| (from.as_str(), to.as_str())));
    let edges: Vec<(&str, &str)> = edges.collect();
    let found = circles(&edges)?.into_iter().next();
    Ok(found.map(|circle| circle.into_iter().map(str::to_owned).collect()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn context() -> TaskContext {
        let text = r#"{"task": "load", "run": {"id": "1", "logical_date": "2026-05-04T03:00:00Z"},
            "params": {"region": "eu"}, "needs": {"count": {"state": "succeeded", "outputs": {"rows": 7}}}}"#;
        TaskContext::from_input(Some(text)).unwrap()
    }

    fn call(inputs: Value) -> Call {
        let Value::Object(inputs) = inputs else { unreachable!() };
        Call { workflow: "other".to_owned(), inputs }
    }

    #[test]
    fn inputs_keep_the_kind_of_what_one_expression_is() {
        let call = call(json!({"rows": "${{ needs.count.outputs.rows }}", "at": {"where": "in ${{ params.region }}"}}));
        assert_eq!(call.input(&context()).unwrap(), json!({"rows": 7, "at": {"where": "in eu"}}));
    }

    #[test]
    fn without_inputs_nothing_is_given() {
        assert_eq!(call(json!({})).input(&context()).unwrap(), Value::Null);
    }

    #[test]
    fn outputs_are_json_and_bounded() {
        let outputs = |text: String| BTreeMap::from([("rows".to_owned(), text)]);
        let left = |text: &str| outputs_text(&outputs(text.to_owned()), &context());
        assert_eq!(left("${{ needs.count.outputs.rows }}").unwrap(), r#"{"rows":7}"#);
        assert_eq!(left("${{ needs.gone.state }}").unwrap_err(), "outputs.rows: undefined value");
        assert!(left(&"x".repeat(INLINE_MAX)).unwrap_err().contains("65536 are allowed"));
    }

    #[test]
    fn an_expression_that_has_no_value_is_named_with_its_place() {
        let error = call(json!({"rows": "${{ needs.gone.state }}"})).input(&context()).unwrap_err();
        assert_eq!(error.place, "inputs.rows");
    }
}
