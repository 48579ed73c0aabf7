//! Workflows: jobs whose work is a graph of tasks.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    ApprovalSpec, Backoff, ElsewhereSpec, HttpTask, JobSpec, NeedSpec, OnLost, OneOrMany, RetryOn, Routing, ScriptSpec,
    TriggerRule, WaitSpec, is_false,
};

/// A task of a workflow: what to do, after which others, and under which policies.
///
/// Exactly one of `run`, `exec`, `script`, `http`, `handler`, `noop`, `wait`, `approval` and `workflow` says what to do. Texts may hold `${{ … }}`.
///
/// ```
/// let spec: mainspring_api::JobSpec = serde_json::from_str(
///     r#"{"name": "etl", "tasks": {"load": {"run": "./load"}, "report": {"run": "./report", "needs": "load"}}}"#,
/// )?;
/// assert_eq!(spec.tasks["report"].needs.as_ref().unwrap().as_slice(), ["load".into()]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskSpec {
    /// What the task is for, in the user's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Keys and values to find runs of the task by, beside those of the workflow; at most 250.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 250))]
    pub labels: BTreeMap<String, String>,
    /// Group that the task lies in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Tasks that must end first, of this workflow by their names or those of their groups, or of others: one, or a list of at most 1,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 1_000))]
    pub needs: Option<OneOrMany<NeedSpec>>,
    /// When the task may run, given how the tasks that it needs ended; `all_success` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_rule: Option<TriggerRule>,
    /// Expression `${{ … }}` that is true or false, asked once all tasks that it needs have ended: the task is skipped when false.
    #[serde(default, rename = "if", skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The task runs once for each combination of one value of each list, of which there are at most 10; together at most
    /// 10,000 times.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 10))]
    pub matrix: BTreeMap<String, Vec<Value>>,
    /// Expression `${{ … }}` that is a list: the task runs once for each item, at most 10,000 times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<String>,
    /// How many runs of a `matrix` or `map` are under way at once; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    #[schema(minimum = 1)]
    pub max_parallel: Option<u32>,
    /// Whether tasks that need this one count its failure as success, and the workflow does not fail by it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub continue_on_error: bool,
    /// Whether the task runs when all others have ended, however they did.
    #[serde(default, skip_serializing_if = "is_false")]
    pub finally: bool,
    /// Names of the values that the task leaves for those that need it; at most 1,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("maxItems" = 1_000))]
    pub outputs: Vec<String>,

    /// A line for `/bin/sh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// A program and its arguments, without a shell; at most 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 10_000))]
    pub exec: Option<Vec<String>>,
    /// A script in a language of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<ScriptSpec>,
    /// An HTTP request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpTask>,
    /// A function registered under this name by a worker or an embedding program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handler: Option<String>,
    /// `true` does nothing and succeeds.
    #[serde(default, skip_serializing_if = "is_false")]
    pub noop: bool,
    /// Waits for a while, or until an instant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<WaitSpec>,
    /// Waits for somebody's approval: it succeeds when approved, and fails when rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalSpec>,
    /// Starts a workflow, or another job, of the same namespace, and waits for it: its end is that of the task, and its output the
    /// task's. A further attempt starts another run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// What a `workflow` is given, member by member: JSON whose texts may hold `${{ … }}`. At most 250.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 250))]
    pub inputs: BTreeMap<String, Value>,

    /// What it waits for in another workflow, if it stands for a need of other tasks. Nobody writes such a task.
    #[serde(skip)]
    pub elsewhere: Option<ElsewhereSpec>,

    /// Whether it stands for a group, which needs its tasks. Nobody writes such a task.
    #[serde(skip)]
    pub joins: bool,

    /// JSON that the task receives; that of the workflow when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// Environment variables of the process, beside those of the workflow; at most 1,000.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 1_000))]
    pub env: BTreeMap<String, String>,
    /// Working directory of the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<String>,

    /// Queue in which runs wait for a worker; that of the workflow when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Which worker of the queue executes a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routing: Option<Routing>,
    /// Labels that a worker must have to get runs of the task: every pair. At most 100.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 100))]
    pub workers: BTreeMap<String, String>,
    /// Higher starts first within a queue; that of the workflow when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// Time an attempt may take, as a duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
    /// Time all attempts and the pauses between them may take, as a duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_timeout: Option<String>,
    /// Time the task may wait for its first attempt once it is ready, as a duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_timeout: Option<String>,
    /// Further attempts after a failed one, 0 to 1,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1000))]
    #[schema(maximum = 1000)]
    pub retries: Option<u32>,
    /// Pause before each further attempt, as a duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_delay: Option<String>,
    /// How the pause grows from attempt to attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_backoff: Option<Backoff>,
    /// Longest pause of an `exponential` backoff, as a duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_max_delay: Option<String>,
    /// Up to this much is added to each pause, as a duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_jitter: Option<String>,
    /// Failures that another attempt follows; at most 1,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 1_000))]
    pub retry_on: Option<OneOrMany<RetryOn>>,
    /// What becomes of a run whose worker died.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_lost: Option<OnLost>,
}

/// What becomes of the tasks that have not ended when one fails: `false` (those that do not need it go on), `true` (nothing
/// starts any more) or `cancel` (what runs is cancelled, too).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(untagged)]
pub enum FailFast {
    /// Whether nothing starts any more.
    Start(bool),
    /// A word.
    Word(FailFastWord),
}

/// What `fail_fast` may say beside `true` and `false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailFastWord {
    /// The same as `false`.
    Off,
    /// What runs is cancelled, and nothing starts any more.
    Cancel,
}

impl TaskSpec {
    /// Returns the task as a job of its own: with its name, what the `defaults` of its groups and of the workflow say where it is silent,
    /// and then what the workflow says.
    pub fn as_job(&self, name: &str, workflow: &JobSpec) -> JobSpec {
        let groups = workflow.groups_around(self.group.as_deref());
        let mut defaults: Vec<&Self> = groups.filter_map(|(_, group)| group.defaults.as_deref()).collect();
        defaults.extend(workflow.defaults.as_deref());
        // Variables and folders are for processes: other tasks do not inherit them.
        let is_process = self.run.is_some() || self.exec.is_some() || self.script.is_some();
        // The nearest one comes last, and holds.
        let inherited = std::iter::once(&workflow.env).chain(defaults.iter().rev().map(|it| &it.env));
        let env = inherited.filter(|_| is_process).chain([&self.env]).flatten();
        let labels = std::iter::once(&workflow.labels).chain(defaults.iter().rev().map(|it| &it.labels));
        let labels = labels.chain([&self.labels]).flatten();
        let workers = std::iter::once(&self.workers).chain(defaults.iter().map(|it| &it.workers));
        let workers = workers.chain([&workflow.workers]).find(|it| !it.is_empty());
        macro_rules! first {
            ($key:ident) => {
                self.$key.clone().or_else(|| defaults.iter().find_map(|it| it.$key.clone()))
            };
            ($key:ident, or workflow) => {
                first!($key).or_else(|| workflow.$key.clone())
            };
        }
        JobSpec {
            name: name.to_owned(),
            namespace: workflow.namespace.clone(),
            description: self.description.clone(),
            labels: labels.map(|(name, value)| (name.clone(), value.clone())).collect(),
            run: self.run.clone(),
            exec: self.exec.clone(),
            script: self.script.clone(),
            http: self.http.clone(),
            handler: self.handler.clone(),
            noop: self.noop
                || self.wait.is_some()
                || self.approval.is_some()
                || self.workflow.is_some()
                || self.elsewhere.is_some()
                || self.joins,
            input: self.input.clone().or_else(|| workflow.input_with_defaults()).filter(|_| self.workflow.is_none()),
            env: env.map(|(name, value)| (name.clone(), value.clone())).collect(),
            working_dir: if is_process { first!(working_dir, or workflow) } else { self.working_dir.clone() },
            queue: first!(queue, or workflow),
            routing: first!(routing, or workflow),
            workers: workers.cloned().unwrap_or_default(),
            priority: first!(priority, or workflow),
            timeout: first!(timeout),
            run_timeout: first!(run_timeout),
            start_timeout: first!(start_timeout),
            retries: first!(retries),
            retry_delay: first!(retry_delay),
            retry_backoff: first!(retry_backoff),
            retry_max_delay: first!(retry_max_delay),
            retry_jitter: first!(retry_jitter),
            retry_on: first!(retry_on),
            on_lost: first!(on_lost, or workflow),
            leftovers: workflow.leftovers,
            ..JobSpec::default()
        }
    }

    /// Returns the names of the tasks and groups of its workflow that it needs, with the place of each, relative to the task.
    pub fn needs_in_order(&self) -> impl Iterator<Item = (String, &str)> {
        NeedSpec::names(self.needs.as_ref())
    }

    /// Returns what it needs of other workflows, with the place of each, relative to the task.
    pub fn needs_elsewhere(&self) -> impl Iterator<Item = (String, &ElsewhereSpec)> {
        NeedSpec::elsewhere(self.needs.as_ref())
    }
}
