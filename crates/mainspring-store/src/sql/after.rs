//! Triggers that fire when a run of another job ends: which there are, what is owed to them, and the runs that are made of it.

use std::collections::BTreeSet;

use mainspring_core::after::AfterOn;
use mainspring_core::batch::{Gap, GapOutcome, GapReason, TriggerRow};
use mainspring_core::cluster::ShardSet;
use mainspring_core::job::{GateRule, Job, ScheduleDefinition, TriggerDefinition};
use mainspring_core::overlap::{Admission, admit as admit_fire};
use mainspring_core::run::RunState;
use mainspring_core::{JobId, JobVersion, RunId, Timestamp, TriggerId};

use super::Batches;
use super::cluster::mask;
use super::db::{Db, Lock, Row, Step, ToSql, execute, exists, instant, millis, read, read_known, run_id, sql, word};
use super::fire::{is_known, named, suppressed};
use super::gate::Gates;
use super::replace::{Notes, replace};
use super::session::{RunChanges, Session};
use super::{gap, job, trigger};
use crate::after::{AfterDue, AfterEdge, AfterFire, AfterFired, AftersDue};
use crate::row::JobRow;

/// Keeps which jobs a trigger comes after, in place of what it said before.
pub(crate) fn place(
    db: &dyn Db,
    id: TriggerId,
    before: Option<&TriggerDefinition>,
    job: &Job,
    position: usize,
) -> Step<()> {
    let of = |trigger: &TriggerDefinition| matches!(trigger.schedule, ScheduleDefinition::After { .. });
    if before.is_some_and(of) {
        forget(db, id)?;
    }
    let Some(ScheduleDefinition::After { jobs, on }) = job.triggers.get(position).map(|trigger| &trigger.schedule)
    else {
        return Ok(());
    };
    for upstream in jobs.iter().collect::<BTreeSet<_>>() {
        let values: [(&str, &dyn ToSql); 4] = [
            (":namespace", &job.key.namespace),
            (":upstream", upstream),
            (":trigger", &id.0),
            (":outcome", &on.as_str()),
        ];
        db.post(sql!("after_add"), &values, None)?;
    }
    Ok(())
}

/// Forgets which jobs a trigger comes after.
pub(crate) fn forget(db: &dyn Db, id: TriggerId) -> Step<()> {
    db.post(sql!("after_forget"), &[(":trigger", &id.0)], None)
}

/// See [`crate::Store::after_edges`].
pub(crate) fn edges(db: &dyn Db, namespace: &str) -> Step<Vec<AfterEdge>> {
    read_known(db, sql!("after_edges"), &[(":namespace", &namespace)], |row| {
        Ok(AfterEdge {
            upstream: row.get(0)?,
            job: row.get(1)?,
            trigger: row.get(2)?,
            on: word(row, 3, AfterOn::from_word)?,
        })
    })
}

/// See [`crate::Store::afters_due`].
pub(crate) fn due(db: &dyn Db, shards: ShardSet, after: i64, limit: u32) -> Step<AftersDue> {
    let shards = mask(shards);
    let values: [(&str, &dyn ToSql); 3] = [(":after", &after), (":shards", &shards), (":limit", &limit)];
    let due = read(db, sql!("after_due", mysql), &values, owed)?;
    // What is owed to a trigger that is gone is still there.
    let used = !due.is_empty() || exists(db, sql!("after_used"), &[])?;
    Ok(AftersDue { due, used })
}

fn owed(row: &Row<'_>) -> Step<AfterDue> {
    let job = row.get::<Option<i64>>(5)?.map(JobId);
    let version = row.get::<Option<i64>>(6)?.map(JobVersion);
    Ok(AfterDue {
        id: row.get(0)?,
        trigger: TriggerId(row.get(1)?),
        cause: run_id(row, 2)?,
        fire_time: instant(row, 3)?,
        ended_at: instant(row, 4)?,
        job: job.zip(version),
    })
}

/// See [`crate::Store::fire_afters`]. Jobs are taken in their order, as others lock them.
pub(crate) fn fire(session: &mut Session<impl Batches>, fires: &[AfterFire], at: Timestamp) -> Step<Vec<AfterFired>> {
    let mut order: Vec<usize> = (0..fires.len()).collect();
    order.sort_by_key(|index| (fires[*index].due.job, fires[*index].due.id));
    let mut fired = vec![AfterFired::Gone; fires.len()];
    let (mut gates, mut notes) = (Gates::default(), Notes::default());
    for index in order {
        let Session { connection, runs, .. } = &mut *session;
        let mut fire = Fire { db: connection, runs, gates: &mut gates, notes: &mut notes, at };
        fired[index] = fire.one(&fires[index])?;
    }
    gates.write(&session.connection)?;
    session.flush_runs(at)?;
    notes.pass_on(session)?;
    if fired.iter().any(|fired| matches!(fired, AfterFired::Made(..))) {
        session.note_queued();
    }
    Ok(fired)
}

/// A request under way.
struct Fire<'a> {
    db: &'a dyn Db,
    runs: &'a mut RunChanges,
    gates: &'a mut Gates,
    notes: &'a mut Notes,
    at: Timestamp,
}

impl Fire<'_> {
    fn one(&mut self, fire: &AfterFire) -> Step<AfterFired> {
        let due = &fire.due;
        let Some((id, version)) = due.job else { return self.drop(due) };
        self.db.lock(sql!("lock_job"), Lock::Share, &[(":id", &id.0)])?;
        let Some(job) = job::by_id(self.db, id)? else { return self.drop(due) };
        if job.version != version {
            return Ok(AfterFired::Stale);
        }
        let row = trigger::rows(self.db, &[due.trigger])?.pop().filter(|row| row.job == id);
        let definition = row.as_ref().and_then(|row| job.definition.triggers.get(row.index as usize));
        let (Some(row), Some(definition)) = (&row, definition) else { return self.drop(due) };
        if !matches!(definition.schedule, ScheduleDefinition::After { .. }) {
            return self.drop(due);
        }
        if !self.take(due)? {
            return Ok(AfterFired::Gone);
        }
        self.place(fire, &job, row, definition)
    }

    fn drop(&self, due: &AfterDue) -> Step<AfterFired> {
        Ok(if self.take(due)? { AfterFired::Dropped } else { AfterFired::Gone })
    }

    /// Removes what is owed. False: somebody else has.
    fn take(&self, due: &AfterDue) -> Step<bool> {
        Ok(execute(self.db, sql!("after_remove"), &[(":id", &due.id)])? == 1)
    }

    fn place(
        &mut self,
        fire: &AfterFire,
        job: &JobRow,
        row: &TriggerRow,
        definition: &TriggerDefinition,
    ) -> Step<AfterFired> {
        let due = &fire.due;
        let rule = job.definition.gate();
        let state = match (row.paused, rule) {
            (true, _) => Err(paused(due.fire_time)),
            (false, None) => Ok(RunState::Queued),
            (false, Some(rule)) => {
                self.admit(job.id, rule)?.ok_or_else(|| suppressed(due.fire_time, rule.overlap.as_str()))
            }
        };
        let state = match state {
            Ok(state) => state,
            Err(gap) => {
                gap::add(self.db, job.id, due.trigger, self.at, &gap)?;
                return Ok(AfterFired::Recorded);
            }
        };
        let run = self.free_id(job.id, due)?;
        let input = (!definition.input.is_null()).then(|| definition.input.to_string());
        let expires_at = job.definition.start_timeout_ms.map(|ms| self.at + ms);
        let values: [(&str, &dyn ToSql); 14] = [
            (":id", run.as_bytes()),
            (":job", &job.id.0),
            (":job_version", &job.version.0),
            (":trigger", &due.trigger.0),
            (":state", &state.as_str()),
            (":gated", &rule.is_some()),
            (":fire_time", &due.fire_time.as_millis()),
            (":due_at", &due.ended_at.as_millis()),
            (":at", &self.at.as_millis()),
            (":priority", &definition.priority.unwrap_or(job.definition.priority)),
            (":queue", &named(&fire.line)),
            (":input", &input),
            (":cause", due.cause.as_bytes()),
            (":expires_at", &millis(expires_at)),
        ];
        self.db.post(sql!("after_run"), &values, None)?;
        self.runs.push(run, job.id, state);
        Ok(AfterFired::Made(run, state))
    }

    /// Asks the job's gate, and counts the run in. Nothing: it is suppressed.
    fn admit(&mut self, job: JobId, rule: GateRule) -> Step<Option<RunState>> {
        let mut admission = admit_fire(*self.gates.of(self.db, job)?, rule);
        if admission == Admission::Replace {
            admission = replace(self.db, self.runs, self.gates, self.notes, job, rule, self.at)?;
        }
        let gate = self.gates.of(self.db, job)?;
        let (state, slots) = match admission {
            Admission::Start => (RunState::Queued, &mut gate.active),
            // No later instant would stand for it: it waits.
            Admission::Hold | Admission::Block => (RunState::Held, &mut gate.held),
            Admission::Suppress | Admission::Replace => return Ok(None),
        };
        *slots += 1;
        Ok(Some(state))
    }

    /// The id of the run, which follows from its cause. Whoever asks for a run chooses its id: it may be taken.
    fn free_id(&self, job: JobId, due: &AfterDue) -> Step<RunId> {
        let ids = (0..).map(|number| RunId::after(due.fire_time, job, due.trigger, due.cause, number));
        for id in ids {
            if !is_known(self.db, id)? {
                return Ok(id);
            }
        }
        unreachable!("there are more numbers than runs")
    }
}

pub(crate) fn paused(fire_time: Timestamp) -> Gap {
    Gap {
        first: fire_time,
        last: fire_time,
        count: 1,
        outcome: GapOutcome::Missed,
        reason: GapReason::Paused,
        policy: "after".to_owned(),
    }
}
