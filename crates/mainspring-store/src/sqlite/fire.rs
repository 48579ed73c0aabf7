//! Recording fires.

use mainspring_core::batch::{
    FireBatch, FireEntry, FireOutcome, Gap, GapOutcome, GapReason, NewRun, Placed, Progress, TriggerStatus,
};
use mainspring_core::overlap::{Admission, admit};
use mainspring_core::run::RunState;
use mainspring_core::{JobId, JobVersion, RunId, Timestamp};
use rusqlite::{CachedStatement, Connection, ToSql};

use super::gap;
use super::gate::Gates;
use super::repeat;
use super::session::{RunChanges, Session};
use super::sql::{Step, bind, exists, maybe_instant, millis, read_one, sql, word};

/// See [`crate::Store::fire`].
pub(super) fn fire(session: &mut Session, batch: &FireBatch) -> Step<FireOutcome> {
    let owner = session.number_of(batch.id.incarnation)?;
    let stamp = repeat::stamp(owner, batch.id.sequence);
    let mut before = repeat::read(&session.connection, owner, batch)?;
    let mut outcome = FireOutcome { placed: Vec::with_capacity(batch.entries.len()), ..FireOutcome::default() };
    let Session { connection, runs, .. } = &mut *session;
    let mut fire = Fire::new(connection, runs, owner, stamp, batch.at)?;
    for (index, entry) in (0_u32..).zip(&batch.entries) {
        let done = match before.as_mut().and_then(|before| before.recorded(index, entry)) {
            Some(born) => repeat::entry(fire.db, owner, stamp, entry, &born, &mut outcome.placed)?,
            None => fire.entry(entry, &mut outcome.placed)?,
        };
        match done {
            Entry::Recorded => {}
            Entry::Stale => outcome.stale.push(index),
            Entry::Blocked => outcome.blocked.push(index),
        }
    }
    fire.gates.write(fire.db)?;
    drop(fire);
    session.flush_runs(batch.at)?;
    if !batch.entries.is_empty() {
        repeat::keep(&session.connection, owner, batch.id.sequence, &outcome)?;
    }
    Ok(outcome)
}

/// What became of an entry.
pub(super) enum Entry {
    Recorded,
    Stale,
    Blocked,
}

/// A trigger that the usual step did not fit, as it is.
struct Found {
    version: i64,
    next_fire_at: Option<Timestamp>,
    status: TriggerStatus,
    paused: bool,
    fired_through: Option<Timestamp>,
    scan_at: Option<Timestamp>,
    job: JobId,
    job_version: JobVersion,
}

struct Fire<'a> {
    db: &'a Connection,
    runs: &'a mut RunChanges,
    advance: CachedStatement<'a>,
    leave: CachedStatement<'a>,
    insert: CachedStatement<'a>,
    gates: Gates,
    owner: i64,
    stamp: i64,
    at: Timestamp,
}

impl<'a> Fire<'a> {
    fn new(db: &'a Connection, runs: &'a mut RunChanges, owner: i64, stamp: i64, at: Timestamp) -> Step<Self> {
        let advance = db.prepare_cached(sql!("sqlite/fire_advance"))?;
        let leave = db.prepare_cached(sql!("sqlite/fire_leave"))?;
        let insert = db.prepare_cached(sql!("sqlite/fire_run"))?;
        Ok(Self { db, runs, advance, leave, insert, gates: Gates::default(), owner, stamp, at })
    }

    fn entry(&mut self, entry: &FireEntry, placed: &mut Vec<Placed>) -> Step<Entry> {
        if self.advance_usual(entry)? {
            for run in &entry.runs {
                placed.push(self.insert(entry, run, admitted(run.claim))?);
            }
            return Ok(Entry::Recorded);
        }
        self.entry_unusual(entry, placed)
    }

    /// Advances a trigger in one statement, if nothing about the entry is special and the trigger is as expected.
    fn advance_usual(&mut self, entry: &FireEntry) -> Step<bool> {
        let progress = &entry.progress;
        let (Some(first), Some(last)) = (entry.runs.first(), entry.runs.last()) else { return Ok(false) };
        let usual = entry.gate.is_none()
            && entry.gaps.is_empty()
            && progress.awaiting_run.is_none()
            && progress.status == TriggerStatus::Active
            && progress.due_at.is_some()
            && progress.fired_through >= Some(last.fire_time);
        if !usual {
            return Ok(false);
        }
        let statement = if entry.leaves_window { &mut self.leave } else { &mut self.advance };
        bind(
            statement,
            &[
                (":next", &millis(progress.next_fire_at)),
                (":due", &millis(progress.due_at)),
                (":previous", &millis(progress.previous_fire_at)),
                (":start", &progress.start_at.as_millis()),
                (":repeat", &progress.repeat_count),
                (":times", &progress.times_triggered),
                (":through", &millis(progress.fired_through)),
                (":batch", &self.stamp),
                (":id", &entry.trigger.0),
                (":version", &entry.version),
                (":expected", &entry.expected.as_millis()),
                (":first", &first.fire_time.as_millis()),
            ],
        )?;
        Ok(statement.raw_execute()? == 1)
    }

    fn entry_unusual(&mut self, entry: &FireEntry, placed: &mut Vec<Placed>) -> Step<Entry> {
        let Some(found) = self.find(entry)? else { return Ok(Entry::Stale) };
        if !found.is_due(entry) {
            return Ok(Entry::Stale);
        }
        if self.is_blocked(entry)? {
            return Ok(Entry::Blocked);
        }
        for gap in &entry.gaps {
            gap::add(self.db, entry.job, entry.trigger, self.at, gap)?;
        }
        for run in &entry.runs {
            let one = self.place(entry, run)?;
            placed.push(one);
        }
        self.settle(entry, &found)?;
        Ok(Entry::Recorded)
    }

    fn find(&self, entry: &FireEntry) -> Step<Option<Found>> {
        let found = read_one(self.db, sql!("sqlite/fire_read"), &[(":id", &entry.trigger.0)], |row| {
            Ok(Found {
                version: row.get(0)?,
                next_fire_at: maybe_instant(row, 1)?,
                status: word(row, 2, TriggerStatus::from_word)?,
                paused: row.get(3)?,
                fired_through: maybe_instant(row, 4)?,
                scan_at: maybe_instant(row, 5)?,
                job: JobId(row.get(6)?),
                job_version: JobVersion(row.get(7)?),
            })
        })?;
        Ok(found)
    }

    fn is_blocked(&mut self, entry: &FireEntry) -> Step<bool> {
        let (Some(rule), Some(run)) = (entry.gate, entry.runs.first()) else { return Ok(false) };
        let gate = *self.gates.of(self.db, entry.job)?;
        Ok(admit(gate, rule) == Admission::Block && !is_known(self.db, run.id)?)
    }

    /// Records a run where one of that id may be, or a limit holds.
    fn place(&mut self, entry: &FireEntry, run: &NewRun) -> Step<Placed> {
        if is_known(self.db, run.id)? {
            return Ok(Placed::Known);
        }
        let Some(rule) = entry.gate else { return self.insert(entry, run, admitted(run.claim)) };
        let gate = self.gates.of(self.db, entry.job)?;
        let born = match admit(*gate, rule) {
            Admission::Start => {
                gate.active += 1;
                admitted(run.claim)
            }
            Admission::Hold => {
                gate.held += 1;
                Placed::Held
            }
            Admission::Suppress | Admission::Block => {
                let gap = suppressed(run.fire_time, rule.overlap.as_str());
                gap::add(self.db, entry.job, entry.trigger, self.at, &gap)?;
                return Ok(Placed::Suppressed);
            }
        };
        self.insert(entry, run, born)
    }

    fn insert(&mut self, entry: &FireEntry, run: &NewRun, born: Placed) -> Step<Placed> {
        let state = match born {
            Placed::Running => RunState::Running,
            Placed::Held => RunState::Held,
            _ => RunState::Queued,
        };
        let runs = state == RunState::Running;
        let values: [(&str, &dyn ToSql); 14] = [
            (":id", run.id.as_bytes()),
            (":job", &entry.job.0),
            (":job_version", &entry.job_version.0),
            (":trigger", &entry.trigger.0),
            (":state", &state.as_str()),
            (":origin", &run.origin.as_str()),
            (":gated", &entry.gate.is_some()),
            (":fire_time", &run.fire_time.as_millis()),
            (":due_at", &run.due_at.as_millis()),
            (":created_at", &self.at.as_millis()),
            (":claimed_at", &runs.then_some(self.at.as_millis())),
            (":claimed_by", &runs.then_some(self.owner)),
            (":attempt", &i64::from(runs)),
            (":priority", &entry.priority),
        ];
        bind(&mut self.insert, &values)?;
        if self.insert.raw_execute()? == 0 {
            return Ok(Placed::Known);
        }
        self.runs.push(run.id, entry.job, state);
        Ok(born)
    }

    fn settle(&self, entry: &FireEntry, found: &Found) -> Step<()> {
        let progress = &entry.progress;
        let awaiting_run = match progress.awaiting_run {
            Some(run) if exists(self.db, sql!("common/live_has"), &[(":id", run.as_bytes())])? => Some(run),
            _ => None,
        };
        let fired_through = progress.fired_through.max(found.fired_through);
        let progress = Progress { awaiting_run, fired_through, ..*progress };
        let due = progress.due_at.filter(|_| progress.status == TriggerStatus::Active);
        // The place in the due index may stay behind, but never lie past `due_at`.
        let stays = !entry.leaves_window && due.is_some() && found.scan_at.is_some() && found.scan_at <= due;
        let scan_at = if stays { found.scan_at } else { due };
        write_progress(self.db, entry.trigger.0, &progress, scan_at, Some(self.stamp))
    }
}

/// Writes where a trigger stands.
pub(super) fn write_progress(
    db: &Connection,
    id: i64,
    progress: &Progress,
    scan_at: Option<Timestamp>,
    batch: Option<i64>,
) -> Step<()> {
    let awaiting = progress.awaiting_run;
    let values: [(&str, &dyn ToSql); 12] = [
        (":status", &progress.status.as_str()),
        (":next", &millis(progress.next_fire_at)),
        (":due", &millis(progress.due_at)),
        (":scan", &millis(scan_at)),
        (":previous", &millis(progress.previous_fire_at)),
        (":start", &progress.start_at.as_millis()),
        (":repeat", &progress.repeat_count),
        (":times", &progress.times_triggered),
        (":through", &millis(progress.fired_through)),
        (":awaiting", &awaiting.as_ref().map(RunId::as_bytes)),
        (":batch", &batch),
        (":id", &id),
    ];
    super::sql::execute(db, sql!("sqlite/fire_settle"), &values)?;
    Ok(())
}

impl Found {
    fn is_due(&self, entry: &FireEntry) -> bool {
        self.version == entry.version
            && self.next_fire_at == Some(entry.expected)
            && self.status == TriggerStatus::Active
            && !self.paused
            && (self.job, self.job_version) == (entry.job, entry.job_version)
    }
}

const fn admitted(claim: bool) -> Placed {
    if claim { Placed::Running } else { Placed::Queued }
}

/// Whether the run was made before.
pub(super) fn is_known(db: &Connection, run: RunId) -> Step<bool> {
    let id: [(&str, &dyn ToSql); 1] = [(":id", run.as_bytes())];
    Ok(exists(db, sql!("common/live_has"), &id)? || exists(db, sql!("common/history_has"), &id)?)
}

fn suppressed(fire_time: Timestamp, policy: &str) -> Gap {
    Gap {
        first: fire_time,
        last: fire_time,
        count: 1,
        outcome: GapOutcome::Suppressed,
        reason: GapReason::Overlap,
        policy: policy.to_owned(),
    }
}
