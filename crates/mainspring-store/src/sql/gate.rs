//! Gates: how many unfinished runs of a job with a limit hold a slot, and who takes the next one.
//!
//! A gate row is made when a limit is first asked about, by counting; from then on every run of the job is marked,
//! and counted in and out. Jobs without a limit have none.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::JobId;
use mainspring_core::job::GateRule;
use mainspring_core::overlap::{Gate, promotable};
use mainspring_core::run::RunState;

use super::db::{Db, Lock, Query, Row, Sql, Step, ToSql, execute, read_one, run_id, sql};
use super::list;
use super::session::RunChanges;

/// Locks the gates of jobs, and answers those that there are.
pub(crate) const GATES_READ: Sql = sql!("gates_read", postgres, mysql);

/// The gates that a request has to do with.
#[derive(Debug, Default)]
pub(crate) struct Gates(BTreeMap<JobId, Gate>);

impl Gates {
    /// The gate of a job that is new, and so has no runs.
    pub(crate) fn empty(job: JobId) -> Self {
        Self(BTreeMap::from([(job, Gate::default())]))
    }

    /// Locks the gates of jobs and reads them, as far as they have one: in one step, however many they are.
    pub(crate) fn load(&mut self, db: &dyn Db, jobs: &BTreeSet<JobId>) -> Step<()> {
        if jobs.is_empty() {
            return Ok(());
        }
        let jobs = list::of_numbers(jobs.iter().map(|job| job.0));
        db.each(GATES_READ, &[(":jobs", &jobs)], &mut |row| self.take_in(row).map(|()| true))
    }

    /// Takes in a row of [`GATES_READ`].
    pub(crate) fn take_in(&mut self, row: &Row<'_>) -> Step<()> {
        self.0.insert(JobId(row.get(0)?), Gate { active: row.get(1)?, held: row.get(2)? });
        Ok(())
    }

    /// The gate of a job that has a limit.
    pub(crate) fn of(&mut self, db: &dyn Db, job: JobId) -> Step<&mut Gate> {
        Ok(match self.0.entry(job) {
            Entry::Occupied(there) => there.into_mut(),
            Entry::Vacant(vacant) => vacant.insert(match find(db, job)? {
                Some(gate) => gate,
                None => make(db, job)?,
            }),
        })
    }

    /// The gate of a job, if it has one.
    pub(crate) fn find(&mut self, db: &dyn Db, job: JobId) -> Step<Option<&mut Gate>> {
        Ok(match self.0.entry(job) {
            Entry::Occupied(there) => Some(there.into_mut()),
            Entry::Vacant(vacant) => find(db, job)?.map(|gate| vacant.insert(gate)),
        })
    }

    /// Counts a marked run out of its gate, if that is still there.
    pub(crate) fn leave(&mut self, db: &dyn Db, job: JobId, state: RunState) -> Step<()> {
        if let Some(gate) = self.find(db, job)? {
            let slots = if state == RunState::Held { &mut gate.held } else { &mut gate.active };
            *slots = slots.saturating_sub(1);
        }
        Ok(())
    }

    /// Moves held runs of jobs into the slots that their limits leave. Returns how many.
    pub(crate) fn promote(&mut self, db: &dyn Db, runs: &mut RunChanges, limits: &[(JobId, GateRule)]) -> Step<u32> {
        let mut wanted = Vec::new();
        for (job, rule) in limits {
            let gate = self.of(db, *job)?;
            let count = promotable(*gate, *rule);
            gate.held -= count;
            gate.active += count;
            wanted.push((*job, count));
        }
        queue_held(db, runs, &wanted)?;
        Ok(wanted.iter().map(|(_, count)| count).sum())
    }

    /// Writes all gates back.
    pub(crate) fn write(&self, db: &dyn Db) -> Step<()> {
        for (job, gate) in &self.0 {
            let values: [(&str, &dyn ToSql); 3] = [(":job", &job.0), (":active", &gate.active), (":held", &gate.held)];
            db.post(sql!("gate_write", mysql), &values, None)?;
        }
        Ok(())
    }
}

/// Ends the gate of a job whose limit is lifted: its held runs are queued. Returns how many.
pub(crate) fn lift(db: &dyn Db, runs: &mut RunChanges, job: JobId) -> Step<u32> {
    let Some(gate) = find(db, job)? else { return Ok(0) };
    queue_held(db, runs, &[(job, gate.held)])?;
    execute(db, sql!("gate_remove"), &[(":job", &job.0)])?;
    Ok(gate.held)
}

fn find(db: &dyn Db, job: JobId) -> Step<Option<Gate>> {
    let values: [(&str, &dyn ToSql); 1] = [(":job", &job.0)];
    db.lock(sql!("gate_read"), Lock::Write, &values)?;
    let gate = |row: &Row<'_>| Ok(Gate { active: row.get(0)?, held: row.get(1)? });
    read_one(db, sql!("gate_read"), &values, gate)
}

/// Makes a gate, and counts what passes through it from now on. If another transaction makes it first, this waits.
fn make(db: &dyn Db, job: JobId) -> Step<Gate> {
    let values: [(&str, &dyn ToSql); 1] = [(":job", &job.0)];
    if execute(db, sql!("gate_make", mysql), &values)? == 0 {
        return Ok(find(db, job)?.unwrap_or_default());
    }
    // Marked first: that waits for ends of runs under way, which the count then sees.
    execute(db, sql!("gate_mark"), &values)?;
    let gate = |row: &Row<'_>| Ok(Gate { active: row.get(0)?, held: row.get(1)? });
    let gate = read_one(db, sql!("gate_count", mysql), &values, gate)?.unwrap_or_default();
    Ok(gate)
}

/// Queues the first held runs of jobs, as many of each as are said.
fn queue_held(db: &dyn Db, runs: &mut RunChanges, wanted: &[(JobId, u32)]) -> Step<()> {
    let wanted: Vec<&(JobId, u32)> = wanted.iter().filter(|(_, count)| *count > 0).collect();
    let values = wanted.iter().map(|(job, count)| [(":job", &job.0 as &dyn ToSql), (":limit", count)]);
    let values: Vec<[(&str, &dyn ToSql); 2]> = values.collect();
    let queries: Vec<Query<'_>> = values.iter().map(|values| (sql!("gate_promote", mysql), &values[..])).collect();
    let mut held = Vec::new();
    db.each_of(&queries, &mut |place, row| {
        held.push((wanted[place].0, run_id(row, 0)?));
        Ok(())
    })?;
    for (job, run) in held {
        db.post(sql!("run_queue"), &[(":id", run.as_bytes()), (":from", &"held")], None)?;
        runs.push(run, job, RunState::Queued);
    }
    Ok(())
}
