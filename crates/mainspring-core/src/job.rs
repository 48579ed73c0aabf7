//! What users define: jobs, their tasks and their triggers, as plain data.
//!
//! A definition holds what was written, in one canonical form; [`crate::compile`] turns its schedules into rules.
//! Every save makes a new version, and a run keeps the version that it fired under.

use std::collections::BTreeMap;
use std::fmt;

use mainspring_model::{AfterOn, LogicalDate, is_default};
pub use mainspring_model::{Backoff, Block, Leftovers, OnLost, Overlap, ScriptLanguage};
use mainspring_schedule::Timestamp;
use serde::{Deserialize, Serialize};

use crate::line::{Line, WORKFLOW_LINE};
use crate::routing::Routing;
use crate::workflow::Workflow;

/// A job's name in its namespace: `default/nightly-backup`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct JobKey {
    /// Where the name is unique.
    pub namespace: String,
    /// The job's name.
    pub name: String,
}

impl JobKey {
    /// Names the job `name` in `namespace`.
    #[must_use]
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }
}

impl fmt::Display for JobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// A name must be 1–128 of `a-z A-Z 0-9 . _ -`, beginning with a letter or digit.
///
/// # Errors
/// Says which character is not allowed, or that the length is not.
pub fn check_name(name: &str) -> Result<(), NameError> {
    let refused = |reason: String| Err(NameError { name: name.chars().take(140).collect(), reason });
    if name.is_empty() {
        return refused("it is empty".into());
    }
    if name.len() > 128 {
        return refused(format!("it has {} bytes, and 128 are allowed", name.len()));
    }
    if let Some(odd) = name.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))) {
        return refused(format!("{odd:?} is not a letter, digit, dot, dash or underscore"));
    }
    if !name.as_bytes()[0].is_ascii_alphanumeric() {
        return refused("it does not begin with a letter or digit".into());
    }
    Ok(())
}

/// A name that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name:?} cannot be a name: {reason}")]
pub struct NameError {
    name: String,
    reason: String,
}

/// A named definition of work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Job {
    /// Its name and namespace.
    pub key: JobKey,
    /// For people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Who answers for the job; for people and for lists.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub owner: String,
    /// For selecting; free pairs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// What to do.
    pub task: Task,
    /// JSON handed to each run; objects are also given to processes as `MS_PARAM_*`.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub input: serde_json::Value,
    /// Members of the input that whoever starts a run may set, as JSON that nothing here looks into.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, serde_json::Value>,
    /// Environment of processes, beside what mainspring sets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Where a process starts; a private, temporary directory if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<String>,
    /// The line in which runs wait for workers.
    #[serde(default = "default_queue", skip_serializing_if = "is_default_queue")]
    pub queue: String,
    /// Which worker of the queue executes a run.
    #[serde(default, skip_serializing_if = "Routing::is_none")]
    pub routing: Routing,
    /// Higher goes first. 5 if not given.
    #[serde(default = "default_priority", skip_serializing_if = "is_default_priority")]
    pub priority: i32,
    /// Limit of one attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<i64>,
    /// Limit of a whole run, from the start of its first attempt, over all attempts and the delays between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_timeout_ms: Option<i64>,
    /// How long a run may wait for its first attempt, from the moment it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_timeout_ms: Option<i64>,
    /// How long after its fire time a run may end; later it has missed its deadline, and goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<i64>,
    /// What follows a failed attempt.
    #[serde(default, skip_serializing_if = "RetryPolicy::is_none")]
    pub retry: RetryPolicy,
    /// What a fire does when [`Job::max_active`] runs are unfinished.
    #[serde(default, skip_serializing_if = "is_default")]
    pub overlap: Overlap,
    /// Unfinished runs at a time, under every overlap policy but `allow`.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub max_active: u32,
    /// What becomes of a run whose worker vanished.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on_lost: OnLost,
    /// What becomes of processes that a program leaves running when it ends by itself.
    #[serde(default, skip_serializing_if = "is_default")]
    pub leftovers: Leftovers,
    /// Whether each run is given the data that the last one that succeeded has left: Quartz's `PersistJobDataAfterExecution`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_data: bool,
    /// Which end of its data interval a run is named after.
    #[serde(default, skip_serializing_if = "is_default")]
    pub logical_date: LogicalDate,
    /// Who is told when it goes wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alerts: Vec<crate::alert::Rule>,
    /// Whether its triggers rest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
    /// When it fires.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<TriggerDefinition>,
}

impl Job {
    /// A job without triggers and with every policy at its default.
    #[must_use]
    pub fn new(key: JobKey, task: Task) -> Self {
        Self {
            key,
            description: String::new(),
            owner: String::new(),
            labels: BTreeMap::new(),
            task,
            input: serde_json::Value::Null,
            params: BTreeMap::new(),
            env: BTreeMap::new(),
            working_dir: None,
            queue: default_queue(),
            routing: Routing::default(),
            priority: default_priority(),
            timeout_ms: None,
            run_timeout_ms: None,
            start_timeout_ms: None,
            deadline_ms: None,
            retry: RetryPolicy::default(),
            overlap: Overlap::Allow,
            max_active: 1,
            on_lost: OnLost::Fail,
            leftovers: Leftovers::Warn,
            keep_data: false,
            logical_date: LogicalDate::Fire,
            alerts: Vec::new(),
            paused: false,
            triggers: Vec::new(),
        }
    }

    /// The line in which a new run waits: that of its namespace in its queue, or that for which a worker is picked; that of
    /// workflows, from which nobody takes runs, if its tasks are runs of their own.
    #[must_use]
    pub fn line(&self) -> String {
        if self.workflow().is_some() {
            return WORKFLOW_LINE.to_owned();
        }
        let line = match &self.queue {
            queue if self.is_routed() => Line::Route { queue },
            queue => Line::shared(queue, &self.key.namespace),
        };
        line.to_string()
    }

    /// Whether a worker is picked for each run. Nobody else takes runs for programs that are called: servers that take runs of all queues
    /// could not execute them.
    #[must_use]
    pub fn is_routed(&self) -> bool {
        !self.routing.is_none() || matches!(self.task, Task::Xxl(_))
    }

    /// The job's input with what was given with a run laid over it, key by key where both are objects.
    #[must_use]
    pub fn merged_input(&self, given: Option<&str>) -> serde_json::Value {
        let given = given.and_then(|text| serde_json::from_str(text).ok());
        merge(&self.input, given.unwrap_or_default())
    }

    /// When the time of a run is over whose first attempt began at `started_at`.
    #[must_use]
    pub fn deadline(&self, started_at: Timestamp) -> Option<Timestamp> {
        self.run_timeout_ms.map(|ms| started_at + ms)
    }

    /// The limit that the store has to hold, if the job has one.
    #[must_use]
    pub fn gate(&self) -> Option<GateRule> {
        (self.overlap != Overlap::Allow)
            .then_some(GateRule { overlap: self.overlap, max_active: self.max_active.max(1) })
    }

    /// Whether others may be given a run, or its slot, once whoever executes it is taken for dead. Of a job with a limit it is
    /// the slot: another run would go on beside this one.
    #[must_use]
    pub fn may_be_given_away(&self) -> bool {
        self.on_lost == OnLost::Retry || self.gate().is_some()
    }
}

/// An input with another laid over it, key by key where both are objects.
pub(crate) fn merge(base: &serde_json::Value, over: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match (base, over) {
        (base, Value::Null) => base.clone(),
        (Value::Object(base), Value::Object(over)) => {
            let mut merged = base.clone();
            merged.extend(over);
            Value::Object(merged)
        }
        (_, over) => over,
    }
}

/// The queue of jobs that name none.
pub const DEFAULT_QUEUE: &str = "default";

fn default_queue() -> String {
    DEFAULT_QUEUE.into()
}
fn is_default_queue(queue: &str) -> bool {
    queue == DEFAULT_QUEUE
}
const fn default_priority() -> i32 {
    5
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
const fn is_default_priority(priority: &i32) -> bool {
    *priority == default_priority()
}
const fn one() -> u32 {
    1
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
const fn is_one(n: &u32) -> bool {
    *n == 1
}

/// What a run does.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Task {
    /// A shell line.
    Run {
        /// Text for the shell.
        script: String,
        /// The shell; `sh` if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shell: Option<String>,
    },
    /// A program and its arguments, without a shell.
    Exec {
        /// Program first.
        argv: Vec<String>,
    },
    /// A text that an interpreter reads from a file.
    Script(ScriptTask),
    /// An HTTP call.
    Http(HttpTask),
    /// A function that an embedding program or a worker registered.
    Handler {
        /// The name it was registered under.
        name: String,
    },
    /// A handler of a program that the server calls, as XXL-JOB's executors are.
    Xxl(XxlTask),
    /// Nothing: succeeds at once.
    Noop,
    /// Tasks that are runs of their own.
    Workflow(Box<Workflow>),
}

impl Task {
    /// The word for the kind in files and API.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Run { .. } => "run",
            Self::Exec { .. } => "exec",
            Self::Script(_) => "script",
            Self::Http(_) => "http",
            Self::Handler { .. } => "handler",
            Self::Xxl(_) => "xxl",
            Self::Noop => "noop",
            Self::Workflow(_) => "workflow",
        }
    }

    /// Whether a process of its own does it, which has variables and a folder.
    #[must_use]
    pub const fn is_process(&self) -> bool {
        matches!(self, Self::Run { .. } | Self::Exec { .. } | Self::Script(_))
    }
}

/// A script of one of the languages that servers and workers know the interpreters of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ScriptTask {
    /// What it is written in.
    pub language: ScriptLanguage,
    /// The script.
    pub source: String,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Whether it has the three arguments of XXL-JOB's scripts in place of its own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub xxl_args: bool,
}

/// A handler of a program that the server calls.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct XxlTask {
    /// The app of the program.
    pub app: String,
    /// Name of the handler there; empty for a script.
    pub handler: String,
    /// A script in place of a handler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glue: Option<Glue>,
    /// What it is given where a run has no input.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub params: String,
    /// What the program is told to do while the job runs there.
    pub block: Block,
    /// The job's number there; one is made of its id if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
}

/// A script that a program is sent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Glue {
    /// What it is written in, in the program's word.
    pub language: String,
    /// The script.
    pub source: String,
    /// What was changed, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

/// An HTTP call and what counts as success.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HttpTask {
    /// `GET`, `POST`, …
    pub method: String,
    /// Absolute, http or https.
    pub url: String,
    /// In order; names may repeat.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// Sent as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Inclusive ranges of status codes that count as success; 200–299 if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<(u16, u16)>,
    /// Limit of the call; the attempt's limit holds as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<i64>,
    /// Whether the server's certificate must be valid.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub verify_tls: bool,
    /// How many redirects are followed; 3 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_redirects: Option<u8>,
}

const fn yes() -> bool {
    true
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
const fn is_yes(b: &bool) -> bool {
    *b
}

/// What follows an attempt that failed, timed out or (with `on_lost: retry`) was lost.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RetryPolicy {
    /// Further attempts after the first.
    pub count: u32,
    /// From the end of an attempt to the start of the next.
    pub delay_ms: i64,
    /// How the delay grows from attempt to attempt.
    #[serde(default, skip_serializing_if = "is_default")]
    pub backoff: Backoff,
    /// The longest delay; [`RetryPolicy::MAX_DELAY_MS`] if absent. Has an effect where the delay grows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_delay_ms: Option<i64>,
    /// Up to this much is added to each delay: always the same for the same run and attempt.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub jitter_ms: i64,
    /// Which failures are followed by another attempt; all, if it names none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<RetryOn>,
}

impl RetryPolicy {
    /// The longest delay of a policy that says nothing else: an hour.
    pub const MAX_DELAY_MS: i64 = 3_600_000;

    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// A kind of failure that another attempt may follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryOn {
    /// The attempt took longer than it may.
    TimedOut,
    /// It failed without an exit code or an HTTP status: it could not be started or reached, a signal ended it, or a
    /// handler said so.
    Error,
    /// It ended with an exit code or an HTTP status in this range, both ends included.
    Codes(i32, i32),
}

/// The limit of a job as the store holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GateRule {
    /// What happens at the limit. Never `allow`.
    pub overlap: Overlap,
    /// Unfinished runs at a time, at least 1.
    pub max_active: u32,
}

/// A schedule bound to a job, as it was written.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TriggerDefinition {
    /// Unique within the job.
    pub name: String,
    /// Which instants.
    pub schedule: ScheduleDefinition,
    /// IANA name of the zone in which the schedule is read.
    pub timezone: String,
    /// Nothing fires before. If absent, the moment of saving.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_at: Option<Timestamp>,
    /// Nothing fires after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_at: Option<Timestamp>,
    /// Name of a calendar in the job's namespace whose days are passed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar: Option<String>,
    /// What becomes of fire times that passed the threshold, by Quartz's names.
    #[serde(default = "smart", skip_serializing_if = "is_smart")]
    pub misfire: String,
    /// When a fire time counts as missed; the server's setting if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misfire_threshold_ms: Option<i64>,
    /// Higher fires first among those due at the same time; the job's if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// JSON given to the runs that it fires, over the job's input.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub input: serde_json::Value,
    /// Spreads fires by up to this much, always the same for a trigger and fire time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub jitter_ms: i64,
    /// `standard`, or `quartz`: bit for bit.
    #[serde(default = "standard", skip_serializing_if = "is_standard")]
    pub semantics: String,
    /// Whether it rests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

impl TriggerDefinition {
    /// A trigger in UTC with every setting at its default.
    #[must_use]
    pub fn new(name: impl Into<String>, schedule: ScheduleDefinition) -> Self {
        Self {
            name: name.into(),
            schedule,
            timezone: "UTC".into(),
            start_at: None,
            end_at: None,
            calendar: None,
            misfire: smart(),
            misfire_threshold_ms: None,
            priority: None,
            input: serde_json::Value::Null,
            jitter_ms: 0,
            semantics: standard(),
            paused: false,
        }
    }
}

fn smart() -> String {
    "smart".into()
}
fn is_smart(word: &str) -> bool {
    word == "smart"
}
fn standard() -> String {
    "standard".into()
}
fn is_standard(word: &str) -> bool {
    word == "standard"
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
const fn is_zero(n: &i64) -> bool {
    *n == 0
}

/// Which instants, as it was written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ScheduleDefinition {
    /// A cron expression: 5 fields or `@daily` and its like are the Unix dialect, 6 or 7 Quartz's.
    Cron {
        /// The text.
        expression: String,
    },
    /// Equal steps from `start_at`.
    Every {
        /// The step.
        interval_ms: i64,
        /// Fires after the first; without end if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        repeat_count: Option<u32>,
    },
    /// Steps of the civil calendar from `start_at`.
    CalendarInterval {
        /// `second` … `year`.
        unit: String,
        /// Units a step.
        interval: u32,
        /// Keep the local time of day across changes of the offset.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        preserve_hour: bool,
        /// Leave out days on which that time of day does not exist.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        skip_day: bool,
    },
    /// Steps between two times of day.
    DailyWindow {
        /// First time of day, `HH:MM:SS`.
        from: String,
        /// Last time of day; the end of the day if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<String>,
        /// Days of the week by their English names; every day if empty.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        days: Vec<String>,
        /// The step.
        interval_ms: i64,
        /// Fires after the first; without end if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        repeat_count: Option<u32>,
    },
    /// One instant.
    At {
        /// The instant.
        at: Timestamp,
    },
    /// A fixed delay after the end of the run before.
    Delay {
        /// The delay.
        delay_ms: i64,
    },
    /// No instants of its own: the ends of runs of other jobs.
    After {
        /// Names of jobs in the job's namespace. Each end of a run of one of them counts.
        jobs: Vec<String>,
        /// Which ends count.
        #[serde(default, skip_serializing_if = "is_default")]
        on: AfterOn,
    },
}

impl ScheduleDefinition {
    /// The word for the kind in files and API.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Cron { .. } => "cron",
            Self::Every { .. } => "every",
            Self::CalendarInterval { .. } => "calendar_interval",
            Self::DailyWindow { .. } => "daily_window",
            Self::At { .. } => "at",
            Self::Delay { .. } => "delay",
            Self::After { .. } => "after",
        }
    }
}

/// Days and ranges that remove fire times from triggers, as they were written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CalendarDefinition {
    /// What is excluded.
    #[serde(flatten)]
    pub rule: CalendarRule,
    /// IANA name of the zone in which days are read; each trigger's own if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Name of a calendar that excludes more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// For people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// What a calendar excludes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CalendarRule {
    /// Days of every year.
    Annual {
        /// Month and day.
        days: Vec<(u8, u8)>,
    },
    /// The seconds that an expression names.
    Cron {
        /// The text, in Quartz's dialect.
        expression: String,
    },
    /// A range of times of every day.
    Daily {
        /// First time of day.
        from: String,
        /// Last time of day.
        to: String,
        /// Exclude what is outside the range instead.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        invert: bool,
    },
    /// Dates.
    Holiday {
        /// `YYYY-MM-DD`.
        dates: Vec<String>,
    },
    /// Days of every month.
    Monthly {
        /// 1–31.
        days: Vec<u8>,
    },
    /// Days of the week.
    Weekly {
        /// By their English names.
        days: Vec<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_survive_json() {
        let mut job = Job::new(JobKey::new("default", "a"), Task::Exec { argv: vec!["true".into()] });
        job.overlap = Overlap::QueueOne;
        job.triggers
            .push(TriggerDefinition::new("t", ScheduleDefinition::Every { interval_ms: 5, repeat_count: None }));
        let text = serde_json::to_string(&job).expect("plain data");
        assert_eq!(serde_json::from_str::<Job>(&text).expect("its own output"), job);
        assert!(!text.contains("timeout_ms"), "absent settings stay absent: {text}");
    }

    #[test]
    fn names_are_checked_with_the_reason() {
        for good in ["a", "nightly-backup", "A.b_c-9", "0"] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        for (bad, reason) in [
            ("", "empty"),
            ("-a", "begin"),
            ("a b", "' '"),
            ("a/b", "'/'"),
            ("ä", "'ä'"),
            (&"x".repeat(129), "129 bytes"),
        ] {
            let error = check_name(bad).expect_err(bad).to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
