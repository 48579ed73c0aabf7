//! What is set for labels of jobs and tasks, and where runs wait that may not run for it.
//!
//! A claim takes runs from a line as if there were no labels, and then looks whether those of their jobs and tasks have room. Which are full is not
//! known before, and most runs have no label that is limited, so nothing is locked until one with such a label comes: then all of these
//! labels at once, in the order of their names, after whatever queues were locked. What is full is put back, into a line of that label.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use mainspring_core::batch::ClaimedRun;
use mainspring_core::line::{LabelTag, Line};
use mainspring_core::{JobId, JobVersion, Timestamp};

use super::{Batches, Set, count, labels_of, locked, room, take_slot};
use crate::sql::db::{Step, ToSql, execute, read_one, sql};
use crate::sql::task_labels::TaskLabels;

/// Runs that one claim puts back at most: a transaction is bounded. There are claims again and again while something is set.
const PUT_BACK_MAX: usize = 500;

/// How many runs are looked at at once, where a label is full.
const LOOK_MAX: u32 = 100;

/// The labels for which something is set, as one claim sees them.
pub(super) struct Labels<'a> {
    tasks: &'a TaskLabels,
    /// In order.
    names: Vec<String>,
    /// Their rows, once they are locked: in the same order.
    rules: Option<Vec<Option<Set>>>,
    /// Those of jobs that were met.
    jobs: BTreeMap<JobId, BTreeMap<String, String>>,
    /// Which of the labels the runs have that were met: of jobs, or of tasks of them.
    met: BTreeMap<(JobId, JobVersion), Vec<usize>>,
    put_back: usize,
}

impl<'a> Labels<'a> {
    pub(super) fn new(mut names: Vec<String>, tasks: &'a TaskLabels) -> Self {
        names.sort_unstable();
        Self { tasks, names, rules: None, jobs: BTreeMap::new(), met: BTreeMap::new(), put_back: 0 }
    }

    /// Claims up to so many runs whose labels have room: of a line, or of all queues together, from a place on.
    pub(super) fn claim(
        &mut self,
        db: &impl Batches,
        owner: i64,
        line: Option<&str>,
        from: i64,
        limit: u32,
        at: Timestamp,
    ) -> Step<Vec<ClaimedRun>> {
        if self.names.is_empty() {
            return if limit == 0 { Ok(Vec::new()) } else { db.claim(owner, line, from, limit, at) };
        }
        let limit = limit.min(self.room_of(db, line, at)?);
        let (mut taken, mut look): (Vec<ClaimedRun>, _) = (Vec::new(), limit);
        while count(&taken) < limit {
            let before = self.put_back;
            let claimed = db.claim(owner, line, from, look, at)?;
            let is_last = count(&claimed) < look;
            self.take(db, claimed, line, limit, &mut taken, at)?;
            // What is put back into its own line would come again.
            // Each line is looked at once, however many were put back from those before it.
            let is_enough = self.put_back == before || self.put_back >= PUT_BACK_MAX;
            if is_last || is_enough || line.is_some_and(|line| Line::parse(line).is_routed()) {
                break;
            }
            look = LOOK_MAX.max(limit - count(&taken));
        }
        Ok(taken)
    }

    /// Takes runs of those that were claimed, up to so many, and puts the others back.
    fn take(
        &mut self,
        db: &impl Batches,
        claimed: Vec<ClaimedRun>,
        line: Option<&str>,
        limit: u32,
        taken: &mut Vec<ClaimedRun>,
        at: Timestamp,
    ) -> Step<()> {
        for run in &claimed {
            self.meet(db, run)?;
        }
        if claimed.iter().any(|run| !self.met[&of(run)].is_empty()) {
            self.lock(db, &claimed, at)?;
        }
        for run in claimed {
            let labels = &self.met[&of(&run)];
            let rules = self.rules.as_deref_mut().unwrap_or_default();
            let mut full = None;
            for label in labels {
                if let Some(set) = &mut rules[*label]
                    && room((db, self.tasks), set, &[], at)? == 0
                {
                    full = Some(self.names[*label].as_str());
                    break;
                }
            }
            if full.is_none() && count(taken) < limit {
                for label in labels {
                    if let Some(set) = &mut rules[*label] {
                        take_slot(db, set, &run)?;
                    }
                }
                taken.push(run);
            } else {
                put_back(db, &run, line, full)?;
                self.put_back += 1;
            }
        }
        Ok(())
    }

    /// Learns which of the labels a run has: those that its job has now, and those that its task has of its own.
    fn meet(&mut self, db: &impl Batches, run: &ClaimedRun) -> Step<()> {
        let met = of(run);
        if self.met.contains_key(&met) {
            return Ok(());
        }
        let own = self.tasks.own(db, run.job, run.job_version)?;
        let of_job = match self.jobs.entry(run.job) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(labels_of(db, run.job)?),
        };
        let of_job = of_job.iter().filter(|(name, _)| !own.contains_key(*name));
        let labels = of_job.chain(&own).map(|(name, value)| format!("{name}={value}"));
        let mut has: Vec<usize> = labels.filter_map(|label| self.names.binary_search(&label).ok()).collect();
        has.sort_unstable();
        self.met.insert(met, has);
        Ok(())
    }

    /// Locks what is set, and counts what runs without those that have just been claimed.
    fn lock(&mut self, db: &impl Batches, claimed: &[ClaimedRun], at: Timestamp) -> Step<()> {
        if self.rules.is_some() {
            return Ok(());
        }
        let mut rules = Vec::with_capacity(self.names.len());
        for name in &self.names {
            let mut set = locked(db, name)?;
            if let Some(set) = &mut set {
                room((db, self.tasks), set, claimed, at)?;
            }
            rules.push(set);
        }
        self.rules = Some(rules);
        Ok(())
    }

    /// How many runs may leave a line, if it is that of a label. Where nothing is set for it any more, any number may.
    fn room_of(&mut self, db: &impl Batches, line: Option<&str>, at: Timestamp) -> Step<u32> {
        let Some(tag) = line.and_then(|line| Line::parse(line).label()) else { return Ok(u32::MAX) };
        self.lock(db, &[], at)?;
        let mut least = u32::MAX;
        for (name, set) in self.names.iter().zip(self.rules.iter_mut().flatten()) {
            if let Some(set) = set.as_mut().filter(|_| LabelTag::of(name) == tag) {
                least = least.min(room((db, self.tasks), set, &[], at)?);
            }
        }
        Ok(least)
    }
}

/// What has the labels of a run: its job, whichever version it executes, or a task of one version.
fn of(run: &ClaimedRun) -> (JobId, JobVersion) {
    (run.job, if run.job_version.task().is_some() { run.job_version } else { JobVersion(0) })
}

/// Puts a run back that was claimed: into a line of the label that is full, or where it was.
fn put_back(db: &impl Batches, run: &ClaimedRun, line: Option<&str>, full: Option<&str>) -> Step<()> {
    let id = run.run.as_bytes();
    let line = match line {
        Some(line) => line.to_owned(),
        None => read_one(db, sql!("run_line"), &[(":id", id)], |row| row.get::<String>(0))?.unwrap_or_default(),
    };
    let line = full.map_or_else(|| line.clone(), |label| Line::parse(&line).labelled(label).to_string());
    let values: [(&str, &dyn ToSql); 2] = [(":queue", &line), (":id", id)];
    execute(db, sql!("claim_back"), &values)?;
    Ok(())
}
