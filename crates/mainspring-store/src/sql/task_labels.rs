//! Labels that tasks of workflows have of their own, as limits of labels ask for them.
//!
//! Labels of jobs have a table, because jobs are found by them. Those of tasks are in the definition of the workflow alone: it is read once
//! for each version, when something is set for labels and a run of one of its tasks is met.

use std::cell::RefCell;
use std::collections::BTreeMap;

use mainspring_core::job::Job;
use mainspring_core::{JobId, JobVersion};
use rustc_hash::FxHashMap;

use super::db::{Db, Step, ToSql, read_one, sql};

/// How many tasks a session remembers labels of, and how many versions.
const KNOWN_MAX: usize = 10_000;

type Map = BTreeMap<String, String>;

/// What a session has read of versions of workflows, which never change.
#[derive(Debug, Default)]
pub(crate) struct TaskLabels(RefCell<FxHashMap<(JobId, JobVersion), Vec<Alike>>>);

/// Tasks one after the other that have the same labels of their own, up to this number.
#[derive(Debug)]
struct Alike {
    through: u32,
    labels: Map,
}

impl TaskLabels {
    /// The labels by which limits count the runs of a version of a job, beside those that the job has.
    pub(crate) fn own(&self, db: &dyn Db, job: JobId, version: JobVersion) -> Step<Map> {
        let Some(task) = version.task() else { return Ok(Map::new()) };
        let key = (job, version.base());
        let mut known = self.0.borrow_mut();
        if !known.contains_key(&key) {
            let values: [(&str, &dyn ToSql); 2] = [(":job", &job.0), (":version", &key.1.0)];
            let text = read_one(db, sql!("definition"), &values, |row| row.get::<String>(0))?;
            // One that cannot be read, or that is gone, keeps nothing back.
            let found: Option<Job> = text.and_then(|text| serde_json::from_str(&text).ok());
            if known.values().map(|alike| alike.len() + 1).sum::<usize>() >= KNOWN_MAX {
                known.clear();
            }
            known.insert(key, found.map_or_else(Vec::new, |whole| alike(&whole, key.1)));
        }
        let alike = known.get(&key).map_or(&[][..], Vec::as_slice);
        let place = alike.partition_point(|alike| alike.through < task);
        Ok(alike.get(place).map(|alike| alike.labels.clone()).unwrap_or_default())
    }
}

/// The labels of all tasks of a workflow. Nothing where no task has any of its own.
fn alike(whole: &Job, version: JobVersion) -> Vec<Alike> {
    let mut found: Vec<Alike> = Vec::new();
    for task in 0..whole.workflow().map_or(0, |workflow| u32::try_from(workflow.tasks.len()).unwrap_or(u32::MAX)) {
        let own = whole.own_labels(version.of_task(task));
        let labels: Map = own.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        match found.last_mut() {
            Some(last) if last.labels == labels => last.through = task,
            _ => found.push(Alike { through: task, labels }),
        }
    }
    if found.iter().all(|alike| alike.labels.is_empty()) { Vec::new() } else { found }
}
