//! What a task of a workflow run is given: what its expressions see, and its texts with their values.
//!
//! The run of a task carries a [`TaskContext`] as its input. Whoever executes it puts the values into the task's texts right before it
//! starts ([`Job::rendered`]); nothing is read for that but what the context holds.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_schedule::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::dates::Dated;
use super::expression::{ExpressionError, evaluate, names, render};
use super::{Elsewhere, Hold, TaskDefinition, TaskState, Workflow};
use crate::id::RunId;
use crate::job::{HttpTask, Job, Task, merge};

/// What a run of a task is given. Kept as JSON in the input of that run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TaskContext {
    /// The task's name.
    pub task: String,
    /// Which run of a task that runs more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<Item>,
    /// The workflow run.
    pub run: RunFacts,
    /// The workflow's input with what was given with its run laid over it, where the task asks for it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub params: Value,
    /// What was given with the workflow run.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub given: Value,
    /// How those that it needs ended, as far as the task asks for them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub needs: BTreeMap<String, Need>,
}

/// One run of a task that runs more than once.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Item {
    /// Which, from 0.
    pub index: u32,
    /// What it is for.
    pub value: ItemValue,
}

/// What one run of several is for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemValue {
    /// A combination of a matrix.
    Matrix(Map<String, Value>),
    /// An item of a list.
    Map(Value),
}

/// The workflow run of a task, with its dates as texts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunFacts {
    /// Its id.
    pub id: String,
    /// The date that it stands for.
    pub logical_date: String,
    /// The first instant whose data belong to it, where it has an interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_start: Option<String>,
    /// The first instant whose data do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_end: Option<String>,
}

/// How a task ended that another one needs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Need {
    /// Its state.
    pub state: TaskState,
    /// What it left, by name. Of a task that ran more than once each is a list, in the order of its runs.
    #[serde(default)]
    pub outputs: Map<String, Value>,
}

/// Why a text of a task has no value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {error}")]
pub struct RenderError {
    /// Which text: `run`, `env.REGION`, `exec[1]`.
    pub place: String,
    /// What is wrong with it.
    pub error: ExpressionError,
}

/// What the texts of a task ask for: what is not asked for need not be read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct References {
    /// Whether they ask for the workflow's input.
    pub params: bool,
    /// Whether they ask for the data interval, or a process is told of it.
    pub interval: bool,
    /// Of which of those that it needs they ask for the state.
    pub needs: BTreeSet<String>,
    /// Of which of these they ask for outputs.
    pub outputs: BTreeSet<String>,
}

impl TaskContext {
    /// What a run was given, if it is of a task.
    #[must_use]
    pub fn from_input(input: Option<&str>) -> Option<Self> {
        serde_json::from_str(input?).ok()
    }

    /// As the input of a run.
    ///
    /// # Panics
    /// Never: it is plain data.
    #[must_use]
    pub fn to_input(&self) -> String {
        serde_json::to_string(self).expect("plain data has a text")
    }

    /// What expressions see.
    #[must_use]
    pub fn values(&self) -> Value {
        let mut values = Map::new();
        values.insert("run".to_owned(), plain(&self.run));
        values.insert(
            "params".to_owned(),
            if self.params.is_null() { Value::Object(Map::new()) } else { self.params.clone() },
        );
        values.insert("needs".to_owned(), plain(&self.needs));
        match &self.item {
            Some(Item { value: ItemValue::Matrix(matrix), .. }) => {
                values.insert("matrix".to_owned(), Value::Object(matrix.clone()));
            }
            Some(Item { index, value: ItemValue::Map(item) }) => {
                values.insert("map".to_owned(), serde_json::json!({"index": index, "item": item}));
            }
            None => {}
        }
        Value::Object(values)
    }

    /// What a process is told beside what every process is told.
    fn environment(&self) -> impl Iterator<Item = (String, String)> {
        let facts = [
            ("MS_TASK", Some(self.task.clone())),
            ("MS_MAP_INDEX", self.item.as_ref().map(|item| item.index.to_string())),
            ("MS_WORKFLOW_RUN_ID", Some(self.run.id.clone())),
        ];
        facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).chain(self.run.environment())
    }
}

/// The name of the run of a task: that of the task, and which run it is if it runs more than once.
///
/// ```
/// use mainspring_core::workflow::run_name;
/// assert_eq!((run_name("load", None), run_name("load", Some(3))), ("load".to_owned(), "load[3]".to_owned()));
/// ```
#[must_use]
pub fn run_name(task: &str, item: Option<u32>) -> String {
    match item {
        Some(item) => format!("{task}[{item}]"),
        None => task.to_owned(),
    }
}

impl RunFacts {
    /// The run of an instant, without a data interval.
    #[must_use]
    pub fn new(run: RunId, logical_date: Timestamp) -> Self {
        Self { id: run.to_string(), logical_date: logical_date.to_string(), data_start: None, data_end: None }
    }

    /// A run with its dates.
    #[must_use]
    pub fn dated(run: RunId, of: &Dated) -> Self {
        let text = |date: Timestamp| Some(date.to_string());
        Self { data_start: text(of.start), data_end: text(of.date), ..Self::new(run, of.logical) }
    }

    /// What a process is told of the dates.
    fn environment(&self) -> impl Iterator<Item = (String, String)> + use<> {
        let facts = [
            ("MS_LOGICAL_DATE", Some(self.logical_date.clone())),
            ("MS_DATA_START", self.data_start.clone()),
            ("MS_DATA_END", self.data_end.clone()),
        ];
        facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)))
    }
}

impl References {
    /// What the condition, the list and all texts of a task ask for. A text that cannot be read asks for nothing: it fails when it is
    /// evaluated.
    #[must_use]
    pub fn of(task: &TaskDefinition) -> Self {
        let mut texts: Vec<&str> = task.condition.iter().map(String::as_str).collect();
        if let Some(super::Spread::Map(list)) = &task.spread {
            texts.push(list);
        }
        let is_process = task.job.task.is_process();
        let is_dated = task.hold.as_ref().and_then(Hold::elsewhere).is_some_and(Elsewhere::asks_interval);
        let mut found = Self { interval: is_process || is_dated, ..Self::default() };
        let mut see = |text: &str| found.see(text);
        match &task.hold {
            Some(Hold::Until(text)) => texts.push(text),
            Some(Hold::Approval(approval)) => texts.push(&approval.prompt),
            Some(Hold::For(_) | Hold::At(_) | Hold::Elsewhere(_)) | None => {}
        }
        texts.into_iter().for_each(&mut see);
        each_text(&task.job, &mut see);
        task.call.iter().flat_map(|call| call.inputs.values()).for_each(|value| each_text_of(value, &mut see));
        found
    }

    /// What the outputs of a workflow ask for, as if they belonged to a task that needs all others.
    #[must_use]
    pub fn of_outputs(workflow: &Workflow) -> Self {
        let mut found = Self::default();
        workflow.outputs.values().for_each(|text| found.see(text));
        found
    }

    fn see(&mut self, text: &str) {
        for name in names(text).unwrap_or_default() {
            let parts: Vec<&str> = name.split('.').collect();
            match parts[..] {
                ["params", ..] => self.params = true,
                ["run"] | ["run", "data_start" | "data_end", ..] => self.interval = true,
                ["needs", need, "state", ..] => _ = self.needs.insert(need.to_owned()),
                ["needs", need, ..] => _ = self.outputs.insert(need.to_owned()),
                // By an index, or as a whole: any of them may be meant.
                ["needs"] => _ = self.outputs.insert(ANY.to_owned()),
                _ => {}
            }
        }
    }

    /// Whether they ask for how a task ended.
    #[must_use]
    pub fn ask_state(&self, need: &str) -> bool {
        self.needs.contains(need) || self.ask_outputs(need)
    }

    /// Whether they ask for what a task left.
    #[must_use]
    pub fn ask_outputs(&self, need: &str) -> bool {
        self.outputs.contains(need) || self.outputs.contains(ANY)
    }
}

/// Stands for each task that is needed.
const ANY: &str = "*";

impl Job {
    /// The job as a run of it executes it, whose process is told the dates of the run. They win over variables that the job declares.
    #[must_use]
    pub fn dated(&self, run: &RunFacts) -> Self {
        let mut job = self.clone();
        job.env.extend(run.environment());
        job
    }

    /// The job of a task with the values of its expressions in their places: what one of its runs executes.
    ///
    /// Its input is its own with what was given with the workflow run laid over it, where both are objects. A text of the input that is
    /// one expression has that expression's value, whatever its kind.
    ///
    /// # Errors
    /// When an expression cannot be evaluated, with the text's place.
    ///
    /// ```
    /// use mainspring_core::job::{Job, JobKey, Task};
    /// use mainspring_core::workflow::TaskContext;
    /// let mut job = Job::new(JobKey::new("default", "etl"), Task::Exec { argv: vec!["load".into(), "${{ needs.count.state }}".into()] });
    /// job.input = serde_json::json!({"rows": "${{ needs.count.outputs.rows }}"});
    /// let context = r#"{"task": "load", "run": {"id": "1", "logical_date": "2026-05-04T03:00:00Z"},
    ///     "needs": {"count": {"state": "succeeded", "outputs": {"rows": 7}}}}"#;
    /// let rendered = job.rendered(&TaskContext::from_input(Some(context)).unwrap())?;
    /// assert_eq!(rendered.task, Task::Exec { argv: vec!["load".into(), "succeeded".into()] });
    /// assert_eq!((rendered.input, rendered.env["MS_TASK"].as_str()), (serde_json::json!({"rows": 7}), "load"));
    /// # Ok::<(), mainspring_core::workflow::RenderError>(())
    /// ```
    pub fn rendered(&self, context: &TaskContext) -> Result<Self, RenderError> {
        let values = context.values();
        let text = |place: &dyn Fn() -> String, text: &str| {
            render(text, &values).map_err(|error| RenderError { place: place(), error })
        };
        let mut job = self.clone();
        for (name, value) in &mut job.env {
            *value = text(&|| format!("env.{name}"), value)?;
        }
        job.env.extend(context.environment());
        match &mut job.task {
            Task::Run { script, .. } => *script = text(&|| "run".to_owned(), script)?,
            Task::Exec { argv } => {
                for (index, argument) in argv.iter_mut().enumerate() {
                    *argument = text(&|| format!("exec[{index}]"), argument)?;
                }
            }
            Task::Script(script) => {
                script.source = text(&|| "script.source".to_owned(), &script.source)?;
                for (index, argument) in script.args.iter_mut().enumerate() {
                    *argument = text(&|| format!("script.args[{index}]"), argument)?;
                }
            }
            Task::Http(HttpTask { url, headers, body, .. }) => {
                *url = text(&|| "http.url".to_owned(), url)?;
                for (name, value) in headers {
                    *value = text(&|| format!("http.headers.{name}"), value)?;
                }
                if let Some(body) = body {
                    *body = text(&|| "http.body".to_owned(), body)?;
                }
            }
            Task::Xxl(xxl) => xxl.params = text(&|| "xxl.params".to_owned(), &xxl.params)?,
            Task::Handler { .. } | Task::Noop | Task::Workflow(_) => {}
        }
        let input =
            rendered_value(&job.input, &values).map_err(|error| RenderError { place: "input".to_owned(), error })?;
        job.input = match (&input, &context.given) {
            (Value::Null | Value::Object(_), given @ Value::Object(_)) | (Value::Null, given) => {
                merge(&input, given.clone())
            }
            _ => input,
        };
        Ok(job)
    }
}

/// Visits the texts in which expressions are replaced.
fn each_text(job: &Job, see: &mut dyn FnMut(&str)) {
    job.env.values().for_each(|value| see(value));
    match &job.task {
        Task::Run { script, .. } => see(script),
        Task::Exec { argv } => argv.iter().for_each(|argument| see(argument)),
        Task::Script(script) => {
            see(&script.source);
            script.args.iter().for_each(|argument| see(argument));
        }
        Task::Http(http) => {
            see(&http.url);
            http.headers.iter().for_each(|(_, value)| see(value));
            http.body.iter().for_each(|body| see(body));
        }
        Task::Xxl(xxl) => see(&xxl.params),
        Task::Handler { .. } | Task::Noop | Task::Workflow(_) => {}
    }
    each_text_of(&job.input, see);
}

fn each_text_of(value: &Value, see: &mut dyn FnMut(&str)) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => see(text),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
}

/// A value with the expressions in its texts replaced. As deep as JSON is read, which is bounded.
pub(super) fn rendered_value(value: &Value, values: &Value) -> Result<Value, ExpressionError> {
    Ok(match value {
        Value::String(text) if is_one(text) => evaluate(text, values)?,
        Value::String(text) => Value::String(render(text, values)?),
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| rendered_value(item, values)).collect::<Result<_, _>>()?)
        }
        Value::Object(members) => {
            let rendered = |(name, item): (&String, &Value)| Ok((name.clone(), rendered_value(item, values)?));
            Value::Object(members.iter().map(rendered).collect::<Result<_, ExpressionError>>()?)
        }
        other => other.clone(),
    })
}

/// Whether a text is one expression and nothing else.
fn is_one(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("${{") && text.ends_with("}}") && text.matches("${{").count() == 1
}

fn plain(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("plain data has a value")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::job::JobKey;
    use crate::workflow::Spread;

    fn context() -> TaskContext {
        let run =
            RunFacts { id: "r".into(), logical_date: "2026-05-04T03:00:00Z".into(), data_start: None, data_end: None };
        let outputs = |value: Value| value.as_object().cloned().unwrap_or_default();
        let count = Need { state: TaskState::Succeeded, outputs: outputs(json!({"rows": 7, "files": ["a", "b"]})) };
        TaskContext {
            task: "load".into(),
            item: None,
            run,
            params: json!({"region": "eu"}),
            given: Value::Null,
            needs: BTreeMap::from([("count".to_owned(), count)]),
        }
    }

    fn job(task: Task) -> Job {
        Job::new(JobKey::new("default", "etl"), task)
    }

    #[test]
    fn each_kind_of_text_has_its_values() {
        let script = "load ${HOME} --rows ${{ needs.count.outputs.rows }}".to_owned();
        let mut run = job(Task::Run { script, shell: None });
        run.env.insert("REGION".into(), "${{ params.region }}".into());
        let rendered = run.rendered(&context()).unwrap();
        assert_eq!(rendered.task, Task::Run { script: "load ${HOME} --rows 7".into(), shell: None });
        assert_eq!(
            (rendered.env["REGION"].as_str(), rendered.env["MS_LOGICAL_DATE"].as_str()),
            ("eu", "2026-05-04T03:00:00Z")
        );
        assert!(!rendered.env.contains_key("MS_MAP_INDEX") && !rendered.env.contains_key("MS_DATA_START"));

        let http = HttpTask {
            method: "POST".into(),
            url: "http://h/${{ run.id }}".into(),
            headers: vec![("x".into(), "${{ 1 + 1 }}".into())],
            body: Some("${{ needs.count.state }}".into()),
            expect: Vec::new(),
            timeout_ms: None,
            verify_tls: true,
            max_redirects: None,
        };
        let Task::Http(http) = job(Task::Http(http)).rendered(&context()).unwrap().task else { panic!("still HTTP") };
        assert_eq!(
            (http.url.as_str(), http.headers[0].1.as_str(), http.body.as_deref()),
            ("http://h/r", "2", Some("succeeded"))
        );
    }

    #[test]
    fn values_of_the_input_keep_their_kind() {
        let mut handler = job(Task::Handler { name: "load".into() });
        handler.input =
            json!({"files": "${{ needs.count.outputs.files }}", "deep": [{"at": "n${{ needs.count.outputs.rows }}"}]});
        assert_eq!(handler.rendered(&context()).unwrap().input, json!({"files": ["a", "b"], "deep": [{"at": "n7"}]}));
    }

    #[test]
    fn what_was_given_with_the_run_is_laid_over_the_input() {
        for (own, given, expected) in [
            (json!(null), json!(null), json!(null)),
            (json!(null), json!({"a": 1}), json!({"a": 1})),
            (json!({"a": 0, "b": 2}), json!({"a": 1}), json!({"a": 1, "b": 2})),
            (json!([1]), json!({"a": 1}), json!([1])),
            (json!({"a": 0}), json!("text"), json!({"a": 0})),
        ] {
            let mut job = job(Task::Noop);
            job.input = own.clone();
            let context = TaskContext { given: given.clone(), ..context() };
            assert_eq!(job.rendered(&context).unwrap().input, expected, "{own} {given}");
        }
    }

    #[test]
    fn text_that_cannot_be_rendered_names_its_place() {
        let argv = vec!["a".to_owned(), "${{ needs.count.outputs.nothing }}".to_owned()];
        let error = job(Task::Exec { argv }).rendered(&context()).unwrap_err();
        assert_eq!(error.to_string(), "exec[1]: undefined value");
    }

    #[test]
    fn run_of_several_sees_what_it_is_for() {
        let mut of_map = context();
        of_map.item = Some(Item { index: 3, value: ItemValue::Map(json!({"name": "x"})) });
        let argv = vec!["${{ map.index }}-${{ map.item.name }}".to_owned()];
        let rendered = job(Task::Exec { argv }).rendered(&of_map).unwrap();
        assert_eq!(rendered.task, Task::Exec { argv: vec!["3-x".into()] });
        assert_eq!(rendered.env["MS_MAP_INDEX"], "3");
        let back = TaskContext::from_input(Some(&of_map.to_input()));
        assert_eq!(back, Some(of_map));
    }

    #[test]
    fn references_are_what_all_texts_ask_for() {
        let run = Task::Run { script: "x ${{ params.region }}".into(), shell: None };
        let mut task = TaskDefinition {
            needs: vec![0],
            condition: Some("${{ needs.a.state == 'succeeded' }}".into()),
            spread: Some(Spread::Map("${{ needs.b.outputs.files }}".into())),
            ..TaskDefinition::new("load", job(run))
        };
        let found = References::of(&task);
        assert!(
            found.params
                && found.ask_state("a")
                && !found.ask_outputs("a")
                && found.ask_outputs("b")
                && !found.ask_state("c")
        );
        task.spread = Some(Spread::Map("${{ needs['my-task'].outputs.files }}".into()));
        assert!(References::of(&task).ask_outputs("my-task"));
    }
}
