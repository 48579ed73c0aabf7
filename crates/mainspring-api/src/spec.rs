//! The job file: what users write, and what `PUT` and `apply` take. One schema for YAML, TOML and JSON.
//!
//! These types say which keys exist and of what type. They hold durations, zones, instants and cron
//! expressions as the user's text; the schedule crate reads those. What a schema cannot say (exactly
//! one task, names without slashes) is in [`check_job`](crate::check_job).

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

mod alert;
mod calendar;
mod elsewhere;
mod flow;
mod group;
mod hold;
mod http;
mod input;
mod script;
mod trigger;
mod workflow;
mod xxl;

pub use alert::{
    AlertChannelSpec, AlertEmail, AlertHook, AlertRuleSpec, AlertSecret, AlertSecretPlace, AlertSecurity, AlertSpec,
};
pub use calendar::{CalendarSpec, DailyRange};
pub use elsewhere::{ElsewhereSpec, NeedSpec};
pub use flow::{
    ComponentSpec, ConnectionSpec, FileConflict, FileInSpec, FileOutSpec, FlowMisfire, FlowPlacement, FlowRetryMode,
    FlowSpec, FlowWaitSpec, GenerateSpec, HttpInSpec, LogSpec, MergeSpec, OnBlocked, Prioritizer, RetrySpec, RouteSpec,
    SplitSpec,
};
pub use group::{GROUPS_DEEP_MAX, GroupSpec};
pub use hold::{ApprovalSpec, WaitSpec};
pub use http::{HttpTask, Status};
pub use mainspring_model::{
    AfterOn, Backoff, Block as XxlBlock, Leftovers, LogicalDate, MisfirePolicy as Misfire, NeedAt, OnLost, OnMissing,
    OnTimeout, Overlap, ScriptLanguage, Semantics, Strategy as Routing, TriggerKind, TriggerRule,
};
pub use script::ScriptSpec;
pub use trigger::{CalendarInterval, DailyWindow, IntervalUnit, TriggerSpec, Weekday};
pub use workflow::{FailFast, FailFastWord, TaskSpec};
pub use xxl::{XxlGlue, XxlLanguage, XxlTask};

/// A job: what to do, when, and under which policies.
///
/// Exactly one of `run`, `exec`, `script`, `http`, `handler`, `xxl` and `noop` says what to do. Without `schedule`
/// and `triggers` the job runs only when asked.
///
/// ```
/// let spec: mainspring_api::JobSpec = serde_json::from_str(
///     r#"{"name": "backup", "schedule": "30 2 * * *", "timezone": "Asia/Shanghai", "run": "pg_dump app"}"#,
/// )?;
/// assert_eq!(spec.triggers_in_order()[0].1.cron.as_deref(), Some("30 2 * * *"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobSpec {
    /// Name, unique in its namespace: 1 to 128 letters, digits, `.`, `_` or `-`, beginning with a letter or digit.
    pub name: String,
    /// Namespace; else that of the file, else that of the command, else `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// What the job is for, in the user's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Who answers for the job: a person or a team, such as `data-platform`; 1 to 128 characters. Lists show it and find jobs by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Keys and values to select jobs by; at most 250.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 250))]
    pub labels: BTreeMap<String, String>,
    /// When to run: a cron expression, a trigger, or a list of either, of at most 250.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 250))]
    pub schedule: Option<OneOrMany<ScheduleEntry>>,
    /// When to run, as named triggers; instead of `schedule`. At most 250.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("maxItems" = 250))]
    pub triggers: Vec<TriggerSpec>,
    /// IANA time zone of the triggers that name none; else the server's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Calendar of the triggers that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar: Option<String>,
    /// Misfire policy of the triggers that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misfire: Option<Misfire>,

    /// Task: a line for `/bin/sh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Task: a program and its arguments, without a shell; at most 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 10_000))]
    pub exec: Option<Vec<String>>,
    /// Task: a script in a language of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<ScriptSpec>,
    /// Task: an HTTP request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpTask>,
    /// Task: a function registered under this name by a worker or an embedding program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handler: Option<String>,
    /// Task: a handler of an XXL-JOB executor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub xxl: Option<XxlTask>,
    /// Task: `true` does nothing and succeeds.
    #[serde(default, skip_serializing_if = "is_false")]
    pub noop: bool,

    /// Tasks of a workflow by name, instead of one task of the job's own; at most 100,000.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 100_000))]
    pub tasks: BTreeMap<String, TaskSpec>,
    /// What tasks say that say nothing of it themselves: environment, working directory, queue, workers, priority, time limits
    /// and retries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defaults: Option<Box<TaskSpec>>,
    /// Groups of tasks by name, each of which others can need as one; at most 10,000.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 10_000))]
    pub groups: BTreeMap<String, GroupSpec>,
    /// What becomes of the other tasks of a workflow when one fails; those that do not need it go on when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_fast: Option<FailFast>,
    /// What a workflow run that succeeds leaves: values by name, as texts whose `${{ needs.TASK.outputs.NAME }}` may name any task; at
    /// most 1,000.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 1_000))]
    pub outputs: BTreeMap<String, String>,

    /// JSON that each run receives. Processes see the members of an object as `MS_PARAM_<NAME>` too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// Members of `input` that whoever starts a run may set, with their types and defaults; at most 250.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 250))]
    pub params: BTreeMap<String, ParamSpec>,
    /// Environment variables of the process; at most 1,000.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 1_000))]
    pub env: BTreeMap<String, String>,
    /// Working directory of the process; a private empty one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<String>,

    /// Queue in which runs wait for a worker; `default` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Which worker of the queue executes a run; `any` when absent. Everything else is for workers that join: servers take no such
    /// runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routing: Option<Routing>,
    /// Labels that a worker must have to get runs of the job: every pair. At most 100, as many as a worker has.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 100))]
    pub workers: BTreeMap<String, String>,
    /// Where in a run's input the key is by which it keeps to one worker: the name of a member, or a JSON pointer. For
    /// `consistent_hash`, which it stands for when `routing` is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routing_key: Option<String>,
    /// Higher starts first within a queue; 5 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// Time an attempt may take, as a duration; without limit when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
    /// Time a whole run may take from the start of its first attempt, as a duration, over all attempts and the pauses between
    /// them; without limit when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_timeout: Option<String>,
    /// By when a run should have ended. One that has not goes on, and the event `run.deadline_missed` tells of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<DeadlineSpec>,
    /// Time a run may wait for its first attempt, as a duration; then it is skipped with the reason `expired`. Without limit
    /// when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_timeout: Option<String>,
    /// Further attempts after a failed one, 0 to 1,000; none when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1000))]
    #[schema(maximum = 1000)]
    pub retries: Option<u32>,
    /// Pause before each further attempt, as a duration; none when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_delay: Option<String>,
    /// How the pause grows from attempt to attempt; `fixed` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_backoff: Option<Backoff>,
    /// Longest pause of an `exponential` backoff, as a duration; 1 h when absent, or `retry_delay` if that is longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_max_delay: Option<String>,
    /// Up to this much is added to each pause, as a duration, so that many runs do not return at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_jitter: Option<String>,
    /// Failures that another attempt follows, at most 1,000; all when absent. Lost attempts are for `on_lost`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 1_000))]
    pub retry_on: Option<OneOrMany<RetryOn>>,
    /// What a fire does when `max_active` runs are unfinished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<Overlap>,
    /// Unfinished runs at once; 1 when absent and `overlap` is not `allow`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    #[schema(minimum = 1)]
    pub max_active: Option<u32>,
    /// What becomes of a run whose worker died.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_lost: Option<OnLost>,
    /// What becomes of processes that a program leaves running when it ends by itself; `warn` when absent. On time-out,
    /// cancellation and loss, they are ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leftovers: Option<Leftovers>,
    /// Whether each run is given the data that the last one that succeeded has left (Quartz: `PersistJobDataAfterExecution`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_data: Option<bool>,
    /// Which end of its data interval names a run: `fire` (the default) is its fire time, `start` the fire time before, as in Airflow.
    /// `MS_DATA_START` and `MS_DATA_END` are the same for both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_date: Option<LogicalDate>,
    /// Who is told when the job goes wrong; at most 50.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("maxItems" = 50))]
    pub alerts: Vec<AlertSpec>,
    /// No trigger of the job fires while true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
}

/// By when a run should have ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DeadlineSpec {
    /// How long after the fire time, as a duration; after the time of asking where a run was asked for.
    pub within: String,
}

/// One value, or a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum OneOrMany<T> {
    /// A list. Tried first, because serde would read a list as the members of a struct.
    Many(Vec<T>),
    /// The value alone.
    One(T),
}

impl<T> OneOrMany<T> {
    /// Returns values in the shortest way in which they can be written; nothing if there are none.
    pub fn of(mut values: Vec<T>) -> Option<Self> {
        match values.len() {
            0 => None,
            1 => values.pop().map(Self::One),
            _ => Some(Self::Many(values)),
        }
    }

    /// Returns the values as a slice, whichever way they were written.
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }

    /// Returns the values with the place of each, where the whole is at `pointer`.
    pub(crate) fn places(&self, pointer: &str) -> impl Iterator<Item = (String, &T)> {
        let place = move |index| match self {
            Self::One(_) => pointer.to_owned(),
            Self::Many(_) => format!("{pointer}/{index}"),
        };
        self.as_slice().iter().enumerate().map(move |(index, value)| (place(index), value))
    }
}

/// An entry of `schedule`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "read once per file; a box would only cost readers")]
pub enum ScheduleEntry {
    /// A cron expression: five fields (Unix), six or seven (Quartz), or `@daily` and its kin.
    Cron(String),
    /// A trigger in full.
    Trigger(TriggerSpec),
}

/// What a job does, as [`JobSpec::task`] finds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Task<'a> {
    /// A line for the shell.
    Run(&'a str),
    /// A program and its arguments.
    Exec(&'a [String]),
    /// A script and the language that it is written in.
    Script(&'a ScriptSpec),
    /// An HTTP request.
    Http(&'a HttpTask),
    /// A registered function.
    Handler(&'a str),
    /// A handler of an XXL-JOB executor.
    Xxl(&'a XxlTask),
    /// Nothing.
    Noop,
}

/// A kind of failure that another attempt may follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(untagged)]
pub enum RetryOn {
    /// Exit code of the process, or status of the HTTP response.
    Code(u16),
    /// `timed_out`; `error` for a failure without code or status (not started, not reached, ended by a signal, or said
    /// so by a handler); or a class of statuses, `1xx` to `5xx`.
    Word(String),
}

impl RetryOn {
    /// Word for attempts that took longer than they may.
    pub const TIMED_OUT: &str = "timed_out";
    /// Word for failures without an exit code or status.
    pub const ERROR: &str = "error";
}

/// A member of `input` that whoever starts a run may set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ParamSpec {
    /// Type of the value; any when absent.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<ParamType>,
    /// What the parameter is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The only values allowed, when given; at most 1,000.
    #[serde(default, rename = "enum", skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("maxItems" = 1_000))]
    pub values: Vec<Value>,
    /// Value of scheduled runs, and of others that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// A run that is asked for without it is refused, unless it has a default or is a member of the job's input.
    #[serde(default, skip_serializing_if = "is_false")]
    pub required: bool,
}

/// Type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParamType {
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
}

/// Jobs and calendars together: a job file, the body of `apply`, the answer of `export`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// Namespace of the items that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Further namespaces that are named though nothing here is in them, so that `prune` empties these; at most 1,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("maxItems" = 1_000))]
    pub namespaces: Vec<String>,
    /// Calendars, in any order; at most 10,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("maxItems" = 10_000))]
    pub calendars: Vec<CalendarSpec>,
    /// Jobs, in any order; at most 100,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("maxItems" = 100_000))]
    pub jobs: Vec<JobSpec>,
}

impl JobSpec {
    /// Returns what the job does, or `None` unless exactly one task key is set.
    pub fn task(&self) -> Option<Task<'_>> {
        let tasks = [
            self.run.as_deref().map(Task::Run),
            self.exec.as_deref().map(Task::Exec),
            self.script.as_ref().map(Task::Script),
            self.http.as_ref().map(Task::Http),
            self.handler.as_deref().map(Task::Handler),
            self.xxl.as_ref().map(Task::Xxl),
            self.noop.then_some(Task::Noop),
        ];
        let mut set = tasks.into_iter().flatten();
        set.next().filter(|_| set.next().is_none())
    }

    /// Returns the triggers of `schedule` and `triggers` with the place of each, relative to the job.
    ///
    /// A cron text has become a trigger, the job's zone, calendar and misfire policy stand where a
    /// trigger has none of its own, and each has a name: its own, or its kind (`cron`), numbered from
    /// the second one on (`cron-2`).
    ///
    /// ```
    /// let spec: mainspring_api::JobSpec = serde_json::from_str(
    ///     r#"{"name": "a", "noop": true, "timezone": "UTC", "schedule": ["@daily", {"every": "10m"}, "@hourly"]}"#,
    /// )?;
    /// let triggers = spec.triggers_in_order();
    /// let names: Vec<_> = triggers.iter().map(|(place, t)| (place.as_str(), t.name.as_deref().unwrap())).collect();
    /// assert_eq!(names, [("/schedule/0", "cron"), ("/schedule/1", "every"), ("/schedule/2", "cron-2")]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn triggers_in_order(&self) -> Vec<(String, TriggerSpec)> {
        let mut triggers = self.triggers_as_written();
        let taken: HashSet<String> = triggers.iter().filter_map(|(_, trigger)| trigger.name.clone()).collect();
        let mut names = FreeNames { taken, next: HashMap::new() };
        for (_, trigger) in &mut triggers {
            // What comes after runs has no times of its own.
            if trigger.after.is_none() {
                trigger.timezone = trigger.timezone.take().or_else(|| self.timezone.clone());
                trigger.calendar = trigger.calendar.take().or_else(|| self.calendar.clone());
                trigger.misfire = trigger.misfire.or(self.misfire);
            }
            if trigger.name.is_none() {
                trigger.name = Some(names.free(trigger.kind().map_or("trigger", TriggerKind::as_str)));
            }
        }
        triggers
    }

    /// Returns the input of runs that are given none: the job's, with the defaults of its parameters where it has no such member.
    pub fn input_with_defaults(&self) -> Option<Value> {
        let defaults = self.params.iter().filter_map(|(name, param)| Some((name.clone(), param.default.clone()?)));
        let mut members: serde_json::Map<String, Value> = defaults.collect();
        match &self.input {
            Some(Value::Object(given)) => {
                members.extend(given.clone());
                Some(Value::Object(members))
            }
            Some(other) => Some(other.clone()),
            None => (!members.is_empty()).then_some(Value::Object(members)),
        }
    }

    /// Returns the triggers with the place of each, without names and defaults filled in.
    pub(crate) fn triggers_as_written(&self) -> Vec<(String, TriggerSpec)> {
        let entries = self.schedule.iter().flat_map(|schedule| schedule.places("/schedule"));
        let mut triggers: Vec<_> = entries.map(|(place, entry)| (place, entry.to_trigger())).collect();
        let named = self.triggers.iter().enumerate();
        triggers.extend(named.map(|(index, trigger)| (format!("/triggers/{index}"), trigger.clone())));
        triggers
    }
}

impl ScheduleEntry {
    fn to_trigger(&self) -> TriggerSpec {
        match self {
            Self::Cron(expression) => TriggerSpec { cron: Some(expression.clone()), ..TriggerSpec::default() },
            Self::Trigger(trigger) => trigger.clone(),
        }
    }
}

/// Names for triggers that have none: their kind, numbered from the second one on.
struct FreeNames {
    /// Names that triggers have been given by people.
    taken: HashSet<String>,
    /// The next number of each kind: no number is tried twice.
    next: HashMap<&'static str, u32>,
}

impl FreeNames {
    fn free(&mut self, kind: &'static str) -> String {
        let next = self.next.entry(kind).or_insert(1);
        loop {
            let name = if *next == 1 { kind.to_owned() } else { format!("{kind}-{next}") };
            *next += 1;
            if !self.taken.contains(&name) {
                return name;
            }
        }
    }
}

pub(crate) fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_task_key_makes_a_task() {
        let none = JobSpec::default();
        let one = JobSpec { run: Some("date".into()), ..JobSpec::default() };
        let two = JobSpec { noop: true, ..one.clone() };
        assert_eq!(none.task(), None);
        assert_eq!(one.task(), Some(Task::Run("date")));
        assert_eq!(two.task(), None);
    }

    #[test]
    fn generated_trigger_names_avoid_given_ones() {
        let spec: JobSpec = serde_json::from_str(
            r#"{"name": "a", "noop": true, "schedule": ["@daily", {"cron": "@hourly", "name": "cron"}]}"#,
        )
        .unwrap();
        let names: Vec<_> = spec.triggers_in_order().into_iter().map(|(_, trigger)| trigger.name.unwrap()).collect();
        assert_eq!(names, ["cron-2", "cron"]);
    }
}
