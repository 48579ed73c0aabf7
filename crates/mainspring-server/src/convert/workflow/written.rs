//! Tasks as a job file says them: each without what it has from the workflow and its defaults.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_api::{
    Backoff, ElsewhereSpec, FailFast, FailFastWord, JobSpec, NeedSpec, OnLost, OneOrMany, Routing, TaskSpec,
};
use mainspring_core::job::{DEFAULT_QUEUE, Job};
use mainspring_core::workflow::{self, Hold, Spread, TaskDefinition, Workflow};
use mainspring_schedule::Timestamp;
use serde::Deserialize;

use super::groups;
use crate::convert::defaults::unless_default;
use crate::convert::{Known, NO_LINES, Surroundings, job};

const NO_TIME: &str = "0s";
const PRIORITY: i32 = 5;

/// Writes the tasks of a job whose own settings are written already.
pub(in crate::convert) fn write(job: &Job, workflow: &Workflow, spec: &mut JobSpec) {
    spec.fail_fast = match workflow.fail_fast {
        workflow::FailFast::Off => None,
        workflow::FailFast::True => Some(FailFast::Start(true)),
        workflow::FailFast::Cancel => Some(FailFast::Word(FailFastWord::Cancel)),
    };
    spec.outputs = workflow.outputs.clone();
    spec.defaults = TaskSpec::deserialize(&workflow.defaults).ok().map(Box::new);
    spec.groups = groups::write(workflow, |name| NeedSpec::from(name));
    let silent = silent(job, workflow, spec).unwrap_or_else(|| {
        // Written by a version whose defaults this one does not know: each task says all of it.
        spec.defaults = None;
        spec.groups.values_mut().for_each(|group| group.defaults = None);
        silent(job, workflow, spec).expect("what a workflow says of itself was read before")
    });
    let elsewhere = |task: &TaskDefinition| task.hold.as_ref().and_then(Hold::elsewhere).map(super::elsewhere::write);
    let name = |task: &u32| NeedSpec::Task(workflow.tasks[*task as usize].name.clone());
    let task = |task: &TaskDefinition| {
        let needs = task.needs.iter().map(name).collect();
        (task.name.clone(), self::task(task, needs, silent[&task.group].like(&task.job)))
    };
    let written = workflow.tasks.iter().filter(|task| elsewhere(task).is_none() && task.joins.is_none());
    spec.tasks = written.map(task).collect();
    if !spec.groups.is_empty() {
        groups::take_back(spec);
    }
    let named: BTreeMap<&str, ElsewhereSpec> =
        workflow.tasks.iter().filter_map(|task| Some((task.name.as_str(), elsewhere(task)?))).collect();
    if !named.is_empty() {
        let groups = spec.groups.values_mut().map(|group| &mut group.needs);
        for needs in spec.tasks.values_mut().map(|task| &mut task.needs).chain(groups) {
            *needs = needs
                .take()
                .and_then(|needs| OneOrMany::of(needs.as_slice().iter().map(|it| meant(it, &named)).collect()));
        }
    }
}

/// What is needed, in the place of the name that it has in the graph.
fn meant(need: &NeedSpec, named: &BTreeMap<&str, ElsewhereSpec>) -> NeedSpec {
    match need {
        NeedSpec::Task(name) => named.get(name.as_str()).cloned().map_or_else(|| need.clone(), NeedSpec::Elsewhere),
        NeedSpec::Elsewhere(_) => need.clone(),
    }
}

/// What tasks of each group have that say nothing, and those of none.
fn silent(job: &Job, workflow: &Workflow, spec: &JobSpec) -> Option<BTreeMap<Option<String>, Silent>> {
    let groups: BTreeSet<&Option<String>> = workflow.tasks.iter().map(|task| &task.group).collect();
    groups.into_iter().map(|group| Some((group.clone(), Silent::of(job, spec, group)?))).collect()
}

/// What tasks have that say nothing: processes also inherit variables and a folder.
struct Silent {
    process: JobSpec,
    other: JobSpec,
}

impl Silent {
    fn of(job: &Job, spec: &JobSpec, group: &Option<String>) -> Option<Self> {
        let around = Surroundings {
            namespace: &job.key.namespace,
            timezone: "UTC",
            now: Timestamp::from_millis(0),
            calendars: &|_, _| Known::Unknown,
            line: NO_LINES,
        };
        let read = |task: TaskSpec| {
            let task = TaskSpec { group: group.clone(), ..task };
            let job = job::read_job(&task.as_job(&spec.name, spec), &around).ok()?;
            Some(job::job_spec(&job))
        };
        Some(Self {
            process: read(TaskSpec { run: Some("true".to_owned()), ..TaskSpec::default() })?,
            other: read(TaskSpec { noop: true, ..TaskSpec::default() })?,
        })
    }

    const fn like(&self, job: &Job) -> &JobSpec {
        if job.task.is_process() { &self.process } else { &self.other }
    }
}

/// Writes a task: where it has what one has that says nothing, so does it.
fn task(task: &TaskDefinition, needs: Vec<NeedSpec>, silent: &JobSpec) -> TaskSpec {
    let own = job::job_spec(&task.job);
    macro_rules! said {
        ($key:ident, or $default:expr) => {
            if own.$key == silent.$key { None } else { Some(own.$key.clone().unwrap_or_else(|| $default)) }
        };
        ($key:ident) => {
            own.$key.clone().filter(|_| own.$key != silent.$key)
        };
    }
    let matrix = match &task.spread {
        Some(Spread::Matrix(axes)) => axes.iter().cloned().collect(),
        _ => Default::default(),
    };
    let mut written = TaskSpec {
        description: own.description.clone(),
        labels: own.labels.iter().filter(|(name, value)| silent.labels.get(*name) != Some(*value)).map(owned).collect(),
        group: task.group.clone(),
        needs: OneOrMany::of(needs),
        trigger_rule: unless_default(task.trigger_rule),
        condition: task.condition.clone(),
        matrix,
        map: match &task.spread {
            Some(Spread::Map(list)) => Some(list.clone()),
            _ => None,
        },
        max_parallel: task.max_parallel,
        continue_on_error: task.continue_on_error,
        finally: task.finally,
        outputs: task.outputs.clone(),
        run: own.run.clone(),
        exec: own.exec.clone(),
        script: own.script.clone(),
        http: own.http.clone(),
        handler: own.handler.clone(),
        noop: own.noop,
        input: said!(input),
        env: own.env.iter().filter(|(name, value)| silent.env.get(*name) != Some(*value)).map(owned).collect(),
        working_dir: said!(working_dir),
        queue: said!(queue, or DEFAULT_QUEUE.to_owned()),
        routing: said!(routing, or Routing::Any),
        workers: if own.workers == silent.workers { Default::default() } else { own.workers.clone() },
        priority: said!(priority, or PRIORITY),
        timeout: said!(timeout),
        run_timeout: said!(run_timeout),
        start_timeout: said!(start_timeout),
        retries: said!(retries, or 0),
        retry_delay: said!(retry_delay, or NO_TIME.to_owned()),
        retry_backoff: said!(retry_backoff, or Backoff::Fixed),
        retry_max_delay: said!(retry_max_delay),
        retry_jitter: said!(retry_jitter, or NO_TIME.to_owned()),
        retry_on: said!(retry_on),
        on_lost: said!(on_lost, or OnLost::Fail),
        wait: None,
        approval: None,
        workflow: None,
        elsewhere: None,
        joins: false,
        inputs: BTreeMap::new(),
    };
    if let Some(call) = &task.call {
        written.noop = false;
        written.input = None;
        written.workflow = Some(call.workflow.clone());
        written.inputs = call.inputs.clone().into_iter().collect();
    }
    if let Some(hold) = &task.hold {
        super::hold::write(hold, &mut written);
    }
    written
}

fn owned((name, value): (&String, &String)) -> (String, String) {
    (name.clone(), value.clone())
}
