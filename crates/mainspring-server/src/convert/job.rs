//! Jobs between job file and definition.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_api::{
    DeadlineSpec, ErrorCode, JobSpec, OneOrMany, Overlap, ParamSpec, Problem, ScheduleEntry, TriggerSpec, XxlTask,
};
use mainspring_core::job::{self, Job, JobKey, TriggerDefinition};
use mainspring_core::routing::Routing;
use mainspring_schedule::Calendar;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::defaults::unless_default;
use super::schedule::{self, OrNote};
use super::task::{task, write_task};
use super::texts::{duration_text, positive_ms};
use super::{Known, Surroundings, alert, problem, retry, under, with_checked, workflow};

/// Reads a job, and compiles its triggers as the engine will: zones, expressions, calendars, and that each fires.
///
/// # Errors
/// Everything that is wrong, with pointers that begin at the job.
///
/// ```
/// use mainspring_server::convert::{self, Known, Surroundings};
/// let spec: mainspring_api::JobSpec =
///     serde_json::from_str(r#"{"name": "a", "noop": true, "schedule": ["@daily", "0 0 31 2 *"]}"#)?;
/// let around = Surroundings {
///     namespace: "default",
///     timezone: "UTC",
///     now: "2026-01-01T00:00:00Z".parse()?,
///     calendars: &|_, _| Known::Unknown,
///     line: convert::NO_LINES,
/// };
/// let problems = convert::job(&spec, &around).unwrap_err();
/// assert_eq!((problems[0].code.as_str(), problems[0].pointer.as_str()), ("schedule.never", "/schedule/1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn job(spec: &JobSpec, around: &Surroundings<'_>) -> Result<Job, Vec<Problem>> {
    let (job, found) = match read_job(spec, around) {
        Ok(job) => (Some(job), Vec::new()),
        Err(found) => (None, found),
    };
    with_checked(mainspring_api::check_job(spec), found)?;
    Ok(job.expect("nothing is wrong with it"))
}

/// Whether no trigger reads the job's own zone, so that nothing else would notice a wrong one.
fn triggers_are_silent_about(spec: &JobSpec) -> bool {
    spec.triggers_in_order().iter().all(|(_, trigger)| trigger.timezone != spec.timezone)
}

/// The same without [`mainspring_api::check_job`]: what that finds is not found here.
pub(super) fn read_job(spec: &JobSpec, around: &Surroundings<'_>) -> Result<Job, Vec<Problem>> {
    let mut problems = Vec::new();
    let namespace = spec.namespace.as_deref().unwrap_or(around.namespace);
    let task = if spec.tasks.is_empty() {
        task(spec, &mut problems)
    } else {
        workflow::read(spec, around, &mut problems).map(|workflow| job::Task::Workflow(Box::new(workflow)))
    };
    let ms = |text: Option<&str>, read: fn(&str, &str) -> Result<i64, Problem>, pointer: &str| {
        text.map(|text| read(text, pointer)).transpose()
    };
    let timeout_ms = ms(spec.timeout.as_deref(), positive_ms, "/timeout").or_note(&mut problems).flatten();
    let run_timeout_ms = ms(spec.run_timeout.as_deref(), positive_ms, "/run_timeout").or_note(&mut problems).flatten();
    let start_timeout_ms =
        ms(spec.start_timeout.as_deref(), positive_ms, "/start_timeout").or_note(&mut problems).flatten();
    if run_timeout_ms.is_some() && timeout_ms > run_timeout_ms {
        let message = "\"timeout\" has no effect beyond \"run_timeout\", which ends the whole run before";
        let hint = "make it shorter, or remove it";
        problems.push(Problem::new(ErrorCode::FieldValue, message).at("/timeout").hint(hint));
    }
    let deadline = spec.deadline.as_ref().map(|deadline| deadline.within.as_str());
    let deadline_ms = ms(deadline, positive_ms, "/deadline/within").or_note(&mut problems).flatten();
    let retry = retry::read(spec, &mut problems);
    let alerts = alert::read(&spec.alerts, &mut problems);
    if triggers_are_silent_about(spec)
        && let Some(Err(error)) = spec.timezone.as_deref().map(mainspring_core::compile::zone)
    {
        problems.push(problem(error, "/timezone"));
    }
    let triggers = triggers(spec, namespace, around, &mut problems);
    let (Some(task), true) = (task, problems.is_empty()) else { return Err(problems) };
    Ok(Job {
        description: spec.description.clone().unwrap_or_default(),
        owner: spec.owner.clone().unwrap_or_default(),
        labels: spec.labels.clone(),
        input: spec.input_with_defaults().unwrap_or_default(),
        params: spec.params.iter().map(|(name, param)| (name.clone(), written(param))).collect(),
        env: spec.env.clone(),
        working_dir: spec.working_dir.clone(),
        queue: spec
            .xxl
            .as_ref()
            .map(|xxl| XxlTask::queue(&xxl.app))
            .or_else(|| spec.queue.clone())
            .unwrap_or_else(|| job::DEFAULT_QUEUE.to_owned()),
        routing: Routing {
            strategy: spec.routing.unwrap_or_default(),
            workers: spec.workers.clone(),
            key: spec.routing_key.clone(),
        },
        priority: spec.priority.unwrap_or(DEFAULT_PRIORITY),
        timeout_ms,
        run_timeout_ms,
        start_timeout_ms,
        deadline_ms,
        retry,
        overlap: spec.overlap_policy(),
        max_active: spec.max_active.unwrap_or(1),
        on_lost: spec.on_lost.unwrap_or_default(),
        leftovers: spec.leftovers.unwrap_or_default(),
        keep_data: spec.keep_data.unwrap_or(false),
        logical_date: spec.logical_date.unwrap_or_default(),
        alerts,
        paused: spec.paused.unwrap_or(false),
        triggers,
        ..Job::new(JobKey::new(namespace, &spec.name), task)
    })
}

const DEFAULT_PRIORITY: i32 = 5;

/// Writes a job as a job file would, with its namespace and the zone of each trigger.
#[must_use]
pub fn job_spec(job: &Job) -> JobSpec {
    let params = params(job);
    let is_xxl = matches!(job.task, job::Task::Xxl(_));
    let mut spec = JobSpec {
        name: job.key.name.clone(),
        namespace: Some(job.key.namespace.clone()),
        description: Some(job.description.clone()).filter(|text| !text.is_empty()),
        owner: Some(job.owner.clone()).filter(|owner| !owner.is_empty()),
        labels: job.labels.clone(),
        input: own_input(job, &params),
        params,
        env: job.env.clone(),
        working_dir: job.working_dir.clone(),
        queue: Some(job.queue.clone()).filter(|queue| queue != job::DEFAULT_QUEUE && !is_xxl),
        routing: unless_default(job.routing.strategy),
        workers: job.routing.workers.clone(),
        routing_key: job.routing.key.clone(),
        priority: (job.priority != DEFAULT_PRIORITY).then_some(job.priority),
        timeout: job.timeout_ms.map(duration_text),
        run_timeout: job.run_timeout_ms.map(duration_text),
        deadline: job.deadline_ms.map(|ms| DeadlineSpec { within: duration_text(ms) }),
        start_timeout: job.start_timeout_ms.map(duration_text),
        overlap: Some(job.overlap).filter(|overlap| is_xxl || *overlap != Overlap::default()),
        max_active: (job.max_active != 1).then_some(job.max_active),
        on_lost: unless_default(job.on_lost),
        leftovers: unless_default(job.leftovers),
        keep_data: job.keep_data.then_some(true),
        logical_date: unless_default(job.logical_date),
        alerts: alert::write(&job.alerts),
        paused: job.paused.then_some(true),
        ..JobSpec::default()
    };
    match &job.task {
        job::Task::Workflow(workflow) => workflow::write(job, workflow, &mut spec),
        task => write_task(task, &mut spec),
    }
    if spec.overlap == spec.xxl.as_ref().map(|xxl| xxl.block.unwrap_or_default().overlap()) {
        spec.overlap = None;
    }
    retry::write(&job.retry, &mut spec);
    write_triggers(&job.triggers, &mut spec);
    spec
}

fn written(param: &ParamSpec) -> Value {
    serde_json::to_value(param).expect("plain data has a text")
}

fn params(job: &Job) -> BTreeMap<String, ParamSpec> {
    // What an older version has written and this one does not know is left out.
    let read = |(name, param): (&String, &Value)| Some((name.clone(), ParamSpec::deserialize(param).ok()?));
    job.params.iter().filter_map(read).collect()
}

/// The input without the members that are there because a parameter has them as its default.
fn own_input(job: &Job, params: &BTreeMap<String, ParamSpec>) -> Option<Value> {
    let Value::Object(members) = &job.input else { return Some(job.input.clone()).filter(|input| !input.is_null()) };
    let is_default =
        |name: &String, value: &Value| params.get(name).is_some_and(|it| it.default.as_ref() == Some(value));
    let own: Map<String, Value> = members
        .iter()
        .filter(|(name, value)| !is_default(name, value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let empty = own.is_empty() && !members.is_empty();
    (!empty).then_some(Value::Object(own))
}

fn triggers(
    spec: &JobSpec,
    namespace: &str,
    around: &Surroundings<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<TriggerDefinition> {
    let written = spec.triggers_in_order();
    let mut read = Vec::with_capacity(written.len());
    for (place, trigger) in written {
        let shape = Shape::of(spec, &place);
        match read_trigger(&trigger, namespace, around) {
            Ok(definition) => read.push(definition),
            Err(found) => problems.extend(found.into_iter().map(|problem| shape.placed(&place, problem))),
        }
    }
    read
}

fn read_trigger(
    spec: &TriggerSpec,
    namespace: &str,
    around: &Surroundings<'_>,
) -> Result<TriggerDefinition, Vec<Problem>> {
    let mut problems = Vec::new();
    let definition = schedule::read(spec, around.timezone, &mut problems);
    let mut found: Option<Arc<Calendar>> = None;
    if let Some(name) = &spec.calendar {
        match (around.calendars)(namespace, name) {
            Known::Calendar(calendar) => found = Some(calendar),
            Known::Unknown => {}
            Known::Missing => {
                let message = format!("there is no calendar \"{name}\" in namespace \"{namespace}\"");
                problems.push(Problem::new(ErrorCode::CalendarUnknown, message).at("/calendar"));
            }
        }
    }
    let Some(definition) = definition else { return Err(problems) };
    let calendar = definition.calendar.clone().filter(|_| found.is_some());
    let alone = TriggerDefinition { calendar, ..definition.clone() };
    problems.extend(schedule::compiled(&alone, around.now, &|_| found.clone()).err());
    if problems.is_empty() { Ok(definition) } else { Err(problems) }
}

/// How a trigger was written, which says where its fields stand.
struct Shape {
    /// It is a text: there is nothing inside to point at.
    text: bool,
    own: [(&'static str, bool); 3],
}

impl Shape {
    fn of(spec: &JobSpec, place: &str) -> Self {
        let entries = spec.schedule.as_ref().map(OneOrMany::as_slice).unwrap_or_default();
        let index = place.rsplit('/').next().and_then(|last| last.parse().ok()).unwrap_or(0);
        let written = match place.strip_prefix("/triggers/") {
            Some(_) => spec.triggers.get(index),
            None => match entries.get(index) {
                Some(ScheduleEntry::Trigger(trigger)) => Some(trigger),
                _ => None,
            },
        };
        let has = |field: fn(&TriggerSpec) -> bool| written.is_some_and(field);
        Self {
            text: written.is_none(),
            own: [
                ("/timezone", has(|trigger| trigger.timezone.is_some())),
                ("/calendar", has(|trigger| trigger.calendar.is_some())),
                ("/misfire", has(|trigger| trigger.misfire.is_some())),
            ],
        }
    }

    /// Points at what was written: the job's own field where the trigger has none, the text where there is only one.
    fn placed(&self, place: &str, problem: Problem) -> Problem {
        let inherited = self.own.iter().any(|(field, own)| *field == problem.pointer && !own);
        if inherited {
            return problem;
        }
        if self.text {
            return problem.at(place);
        }
        under(place, problem)
    }
}

/// Triggers with the names that they would get anyway are written as `schedule`, others as `triggers`. A zone that
/// all of them share is written once.
fn write_triggers(definitions: &[TriggerDefinition], spec: &mut JobSpec) {
    let mut triggers: Vec<TriggerSpec> = definitions.iter().map(schedule::trigger_spec).collect();
    let Some(first) = triggers.first() else { return };
    let shared = first.timezone.clone();
    if triggers.iter().all(|trigger| trigger.timezone == shared) {
        triggers.iter_mut().for_each(|trigger| trigger.timezone = None);
        spec.timezone = shared;
    }
    let unnamed: Vec<_> = triggers.iter().map(|trigger| TriggerSpec { name: None, ..trigger.clone() }).collect();
    let short = JobSpec { schedule: Some(entries(unnamed)), ..JobSpec::default() };
    let names = short.triggers_in_order().into_iter().map(|(_, trigger)| trigger.name);
    if names.eq(triggers.iter().map(|trigger| trigger.name.clone())) {
        spec.schedule = short.schedule;
    } else {
        spec.triggers = triggers;
    }
}

fn entries(triggers: Vec<TriggerSpec>) -> OneOrMany<ScheduleEntry> {
    let mut entries: Vec<ScheduleEntry> = triggers.into_iter().map(entry).collect();
    match entries.len() {
        1 => OneOrMany::One(entries.remove(0)),
        _ => OneOrMany::Many(entries),
    }
}

/// A trigger that says nothing but an expression is written as that.
fn entry(trigger: TriggerSpec) -> ScheduleEntry {
    match &trigger.cron {
        Some(cron) if trigger == (TriggerSpec { cron: Some(cron.clone()), ..TriggerSpec::default() }) => {
            ScheduleEntry::Cron(cron.clone())
        }
        _ => ScheduleEntry::Trigger(trigger),
    }
}
