//! Recording fires.

use std::collections::{BTreeSet, HashMap, HashSet};

use mainspring_core::batch::{
    FireBatch, FireEntry, FireOutcome, Gap, GapOutcome, GapReason, NewRun, Placed, Progress, TriggerStatus,
};
use mainspring_core::job::DEFAULT_QUEUE;
use mainspring_core::overlap::{Admission, admit};
use mainspring_core::run::RunState;
use mainspring_core::{JobId, JobVersion, RunId, Timestamp, TriggerId};

use super::Batches;
use super::db::{
    Db, Lock, Query, Row, Sql, Step, ToSql, Values, execute, exists, known, maybe_instant, millis, on_servers, release,
    run_id, sql, word,
};
use super::gap;
use super::gate::{GATES_READ, Gates};
use super::list;
use super::repeat;
use super::replace::{Notes, replace};
use super::session::{RunChanges, Session};
use crate::Error;

/// What became of an entry.
enum Entry {
    Recorded,
    Stale,
    Blocked,
    Busy,
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

/// A batch under way.
struct Fire<'a> {
    db: &'a dyn Db,
    runs: &'a mut RunChanges,
    /// The triggers of entries that are looked at closer.
    found: HashMap<TriggerId, Found>,
    /// Runs that were there before.
    known: HashSet<RunId>,
    gates: Gates,
    notes: Notes,
    owner: i64,
    stamp: i64,
    at: Timestamp,
}

/// What came of the entries that are like most: one answer for each.
pub(crate) struct Usual {
    /// Whether it is recorded. The others are looked at closer.
    pub(crate) recorded: Vec<bool>,
    /// Runs of recorded entries that were there before.
    pub(crate) known: HashSet<RunId>,
}

/// See [`crate::Store::fire`]. Who hurries waits for no lock for long: usually there is nothing to wait for, and to
/// find out what is locked takes a statement more.
pub(crate) fn fire<C: Batches>(session: &mut Session<C>, batch: &FireBatch, hurries: bool) -> Step<FireOutcome> {
    if hurries {
        session.connection.hurry();
    }
    let owner = session.number_of(batch.id.incarnation)?;
    session.connection.step_fence(owner, batch.answered)?;
    match repeat::before(&session.connection, owner, batch)? {
        Some(before) => repeat::answer(&session.connection, owner, batch, before),
        None => record(session, batch, owner, hurries),
    }
}

fn record<C: Batches>(session: &mut Session<C>, batch: &FireBatch, owner: i64, hurries: bool) -> Step<FireOutcome> {
    let stamp = repeat::stamp(owner, batch.id.sequence);
    let mut outcome = FireOutcome { placed: Vec::with_capacity(batch.entries.len()), ..FireOutcome::default() };
    let Session { connection, runs, .. } = &mut *session;
    let (usual, busy) = if hurries {
        record_hurrying(connection, batch, owner, stamp)?
    } else {
        record_warily(connection, batch, owner, stamp)?
    };
    let Usual { recorded, known } = usual;
    let (found, gates, notes) = (HashMap::new(), Gates::default(), Notes::default());
    let mut fire = Fire { db: connection, runs, found, known, gates, notes, owner, stamp, at: batch.at };
    let rest =
        batch.entries.iter().zip(&recorded).filter(|(entry, recorded)| !**recorded && !busy.contains(&entry.trigger));
    fire.look_closer(&rest.map(|(entry, _)| entry).collect::<Vec<_>>())?;
    for ((index, entry), recorded) in (0_u32..).zip(&batch.entries).zip(recorded) {
        let done = match recorded {
            true => fire.note(entry, &mut outcome.placed),
            false if busy.contains(&entry.trigger) => Entry::Busy,
            false => fire.entry(entry, &mut outcome.placed)?,
        };
        match done {
            Entry::Recorded => {}
            Entry::Stale => outcome.stale.push(index),
            Entry::Blocked => outcome.blocked.push(index),
            Entry::Busy => outcome.busy.push(index),
        }
    }
    fire.gates.write(fire.db)?;
    fire.notes.pass_on(session)?;
    session.flush_runs(batch.at)?;
    if !batch.entries.is_empty() {
        repeat::keep(&session.connection, owner, batch.id.sequence, &outcome)?;
    }
    Ok(outcome)
}

/// Records what is usual, and finds what of the rest others have locked.
fn record_hurrying<C: Batches>(db: &C, batch: &FireBatch, owner: i64, stamp: i64) -> Step<(Usual, HashSet<TriggerId>)> {
    let usual = db.record_usual(batch, owner, stamp)?;
    let rest = batch.entries.iter().zip(&usual.recorded).filter(|(_, recorded)| !**recorded);
    let rest: Vec<&FireEntry> = rest.map(|(entry, _)| entry).collect();
    let busy = if rest.is_empty() { HashSet::new() } else { db.busy(&rest)? };
    Ok((usual, busy))
}

/// Finds what others have locked, and records what is usual of the rest.
fn record_warily<C: Batches>(db: &C, batch: &FireBatch, owner: i64, stamp: i64) -> Step<(Usual, HashSet<TriggerId>)> {
    let busy = db.busy(&batch.entries.iter().collect::<Vec<_>>())?;
    if busy.is_empty() {
        return Ok((db.record_usual(batch, owner, stamp)?, busy));
    }
    let entries = batch.entries.iter().filter(|entry| !busy.contains(&entry.trigger)).cloned().collect();
    let free = FireBatch { entries, ..*batch };
    let usual = db.record_usual(&free, owner, stamp)?;
    let mut recorded = usual.recorded.into_iter();
    let recorded = batch.entries.iter().map(|entry| !busy.contains(&entry.trigger) && recorded.next() == Some(true));
    Ok((Usual { recorded: recorded.collect(), known: usual.known }, busy))
}

/// Of the entries, the triggers that others have locked, or whose gates they have. The rest is locked afterwards.
pub(crate) fn find_busy(db: &dyn Db, entries: &[&FireEntry]) -> Step<HashSet<TriggerId>> {
    let triggers = entries.iter().map(|entry| entry.trigger.0).collect();
    let gates = entries.iter().filter(|entry| entry.gate.is_some()).map(|entry| entry.job.0).collect();
    let [triggers, gates] = find_locked(db, [triggers, gates])?;
    let is_busy = |entry: &&&FireEntry| {
        triggers.contains(&entry.trigger.0) || (entry.gate.is_some() && gates.contains(&entry.job.0))
    };
    Ok(entries.iter().filter(is_busy).map(|entry| entry.trigger).collect())
}

/// Locks rows of triggers and of gates, passing over those that others have locked. Answers these.
fn find_locked(db: &dyn Db, mut rows: [BTreeSet<i64>; 2]) -> Step<[HashSet<i64>; 2]> {
    const FREE: [Sql; 2] = [on_servers!("fire_free", postgres, mysql), on_servers!("fire_gates_free", postgres, mysql)];
    const THERE: [Sql; 2] =
        [on_servers!("fire_there", postgres, mysql), on_servers!("fire_gates_there", postgres, mysql)];
    let free = find_rows(db, FREE, &rows)?;
    for (rows, free) in rows.iter_mut().zip(free) {
        rows.retain(|row| !free.contains(row));
    }
    find_rows(db, THERE, &rows)
}

/// The numbers that statements answer, each of its rows if there are some. All of them travel together.
fn find_rows(db: &dyn Db, statements: [Sql; 2], rows: &[BTreeSet<i64>; 2]) -> Step<[HashSet<i64>; 2]> {
    let lists = rows.each_ref().map(|rows| list::of_numbers(rows.iter().copied()));
    let values = lists.each_ref().map(|list| [(":rows", list as &dyn ToSql)]);
    let wanted: Vec<usize> = (0..rows.len()).filter(|place| !rows[*place].is_empty()).collect();
    let queries: Vec<Query<'_>> = wanted.iter().map(|place| (statements[*place], &values[*place][..])).collect();
    let mut found = [HashSet::new(), HashSet::new()];
    db.each_of(&queries, &mut |place, row| {
        found[wanted[place]].insert(row.get(0)?);
        Ok(())
    })?;
    Ok(found)
}

impl Usual {
    /// All entries are to be looked at closer.
    fn none(batch: &FireBatch) -> Self {
        Self { recorded: vec![false; batch.entries.len()], known: HashSet::new() }
    }
}

/// Records what is like most, in one step of the database for each trigger and each run.
pub(crate) fn record_by_rows(db: &dyn Db, batch: &FireBatch, owner: i64, stamp: i64) -> Step<Usual> {
    let mut usual = Usual::none(batch);
    for (entry, recorded) in batch.entries.iter().zip(&mut usual.recorded) {
        *recorded = is_usual(entry) && advance(db, stamp, entry)?;
        for run in entry.runs.iter().filter(|_| *recorded) {
            if !insert(db, entry, run, admitted(run.claim), owner, batch.at)? {
                usual.known.insert(run.id);
            }
        }
    }
    Ok(usual)
}

/// Whether nothing about an entry is special: its trigger goes on, and its runs need no look at anything else.
pub(crate) fn is_usual(entry: &FireEntry) -> bool {
    let progress = &entry.progress;
    entry.runs.last().is_some_and(|last| progress.fired_through >= Some(last.fire_time))
        && entry.gate.is_none()
        && entry.gaps.is_empty()
        && entry.start_timeout_ms.is_none()
        && entry.input.is_none()
        && progress.awaiting_run.is_none()
        && progress.status == TriggerStatus::Active
        && progress.due_at.is_some()
}

/// Advances a trigger, if it is as expected.
fn advance(db: &dyn Db, stamp: i64, entry: &FireEntry) -> Step<bool> {
    let Some(first) = entry.runs.first() else { return Ok(false) };
    let progress = &entry.progress;
    let values: [(&str, &dyn ToSql); 13] = [
        (":next", &millis(progress.next_fire_at)),
        (":due", &millis(progress.due_at)),
        (":previous", &millis(progress.previous_fire_at)),
        (":start", &progress.start_at.as_millis()),
        (":repeat", &progress.repeat_count),
        (":times", &progress.times_triggered),
        (":through", &millis(progress.fired_through)),
        (":batch", &stamp),
        (":tzdata", &release(progress.tzdata)),
        (":id", &entry.trigger.0),
        (":version", &entry.version),
        (":expected", &entry.expected.as_millis()),
        (":first", &first.fire_time.as_millis()),
    ];
    let statement = if entry.leaves_window { sql!("fire_leave") } else { sql!("fire_advance") };
    Ok(execute(db, statement, &values)? == 1)
}

/// Inserts a run. False: one of that id is there.
pub(crate) fn insert(
    db: &dyn Db,
    entry: &FireEntry,
    run: &NewRun,
    born: Placed,
    owner: i64,
    at: Timestamp,
) -> Step<bool> {
    with_values(entry, run, born, (owner, at), |values| Ok(execute(db, FIRE_RUN, values)? == 1))
}

const FIRE_RUN: Sql = sql!("fire_run", mysql);

fn with_values<T>(
    entry: &FireEntry,
    run: &NewRun,
    born: Placed,
    (owner, at): (i64, Timestamp),
    insert: impl FnOnce(&Values<'_>) -> Step<T>,
) -> Step<T> {
    let state = state_of(born);
    let runs = state == RunState::Running;
    let values: [(&str, &dyn ToSql); 17] = [
        (":id", run.id.as_bytes()),
        (":job", &entry.job.0),
        (":job_version", &entry.job_version.0),
        (":trigger", &entry.trigger.0),
        (":state", &state.as_str()),
        (":origin", &run.origin.as_str()),
        (":gated", &entry.gate.is_some()),
        (":fire_time", &run.fire_time.as_millis()),
        (":due_at", &run.due_at.as_millis()),
        (":created_at", &at.as_millis()),
        (":claimed_at", &runs.then_some(at.as_millis())),
        (":claimed_by", &runs.then_some(owner)),
        (":attempt", &i64::from(runs)),
        (":priority", &entry.priority),
        (":queue", &named(&entry.queue)),
        (":expires_at", &entry.start_timeout_ms.map(|ms| (at + ms).as_millis())),
        (":input", &entry.input.as_deref()),
    ];
    insert(&values)
}

impl Fire<'_> {
    /// Reads all that there is to know of entries, which are locked, in a few steps for all of them: over a long way, one
    /// that asks for itself makes all of them late.
    fn look_closer(&mut self, entries: &[&FireEntry]) -> Step<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let triggers = list::of_numbers(entries.iter().map(|entry| entry.trigger.0));
        let runs = list::of_runs(entries.iter().flat_map(|entry| &entry.runs).map(|run| run.id));
        let limited: BTreeSet<i64> =
            entries.iter().filter(|entry| entry.gate.is_some()).map(|entry| entry.job.0).collect();
        let jobs = list::of_numbers(limited.iter().copied());
        let of_triggers: [(&str, &dyn ToSql); 1] = [(":triggers", &triggers)];
        let of_runs: [(&str, &dyn ToSql); 1] = [(":runs", &runs)];
        let of_jobs: [(&str, &dyn ToSql); 1] = [(":jobs", &jobs)];
        let queries: [Query<'_>; 3] = [
            (sql!("fire_read", postgres, mysql), &of_triggers),
            // Nobody makes a run of a trigger meanwhile.
            (sql!("runs_known", postgres, mysql), &of_runs),
            (GATES_READ, &of_jobs),
        ];
        let queries = &queries[..if limited.is_empty() { 2 } else { 3 }];
        let Self { db, found: triggers, known: runs, gates, .. } = self;
        db.each_of(queries, &mut |place, row| {
            match place {
                // One that cannot be read has changed in a way that this program does not know: stale, like any other change.
                0 => triggers.extend(known(found(row))?),
                1 => _ = runs.insert(run_id(row, 0)?),
                _ => gates.take_in(row)?,
            }
            Ok(())
        })
    }

    /// Records an entry, whatever it is.
    fn entry(&mut self, entry: &FireEntry, placed: &mut Vec<Placed>) -> Step<Entry> {
        let Some(found) = self.found.remove(&entry.trigger).filter(|found| found.is_due(entry)) else {
            return Ok(Entry::Stale);
        };
        if self.is_blocked(entry)? {
            return Ok(Entry::Blocked);
        }
        for gap in &entry.gaps {
            gap::add_missed(self.db, entry.job, entry.trigger, self.at, gap)?;
        }
        let before = placed.len();
        for run in &entry.runs {
            let one = if self.known.contains(&run.id) { Placed::Known } else { self.place(entry, run)? };
            placed.push(one);
        }
        self.settle(entry, &found, &placed[before..])?;
        Ok(Entry::Recorded)
    }

    fn is_blocked(&mut self, entry: &FireEntry) -> Step<bool> {
        let (Some(rule), Some(run)) = (entry.gate, entry.runs.first()) else { return Ok(false) };
        let gate = *self.gates.of(self.db, entry.job)?;
        Ok(admit(gate, rule) == Admission::Block && !self.known.contains(&run.id))
    }

    /// Records a run that is new, where a limit may hold.
    fn place(&mut self, entry: &FireEntry, run: &NewRun) -> Step<Placed> {
        let Some(rule) = entry.gate else { return self.insert(entry, run, admitted(run.claim)) };
        let mut admission = admit(*self.gates.of(self.db, entry.job)?, rule);
        if admission == Admission::Replace {
            let Self { db, runs, gates, notes, at, .. } = self;
            admission = replace(*db, runs, gates, notes, entry.job, rule, *at)?;
        }
        let gate = self.gates.of(self.db, entry.job)?;
        let born = match admission {
            Admission::Start => {
                gate.active += 1;
                admitted(run.claim)
            }
            Admission::Hold => {
                gate.held += 1;
                Placed::Held
            }
            Admission::Suppress | Admission::Block | Admission::Replace => {
                let gap = suppressed(run.fire_time, rule.overlap.as_str());
                gap::add(self.db, entry.job, entry.trigger, self.at, &gap)?;
                return Ok(Placed::Suppressed);
            }
        };
        self.insert(entry, run, born)
    }

    fn insert(&mut self, entry: &FireEntry, run: &NewRun, born: Placed) -> Step<Placed> {
        let made = || Error::Unavailable { operation: "fire", source: "a run of the batch was made meanwhile".into() };
        with_values(entry, run, born, (self.owner, self.at), |values| self.db.post(FIRE_RUN, values, Some(made)))?;
        self.runs.push(run.id, entry.job, state_of(born));
        Ok(born)
    }

    /// Notes the runs of an entry that is recorded.
    fn note(&mut self, entry: &FireEntry, placed: &mut Vec<Placed>) -> Entry {
        for run in &entry.runs {
            if self.known.contains(&run.id) {
                placed.push(Placed::Known);
                continue;
            }
            let born = admitted(run.claim);
            self.runs.push(run.id, entry.job, state_of(born));
            placed.push(born);
        }
        Entry::Recorded
    }

    fn settle(&self, entry: &FireEntry, found: &Found, placed: &[Placed]) -> Step<()> {
        let progress = &entry.progress;
        let awaiting_run = match progress.awaiting_run {
            Some(run) if self.is_unfinished(run, entry, placed)? => Some(run),
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

    /// Whether a run is unfinished, perhaps one of those of an entry. It stays so until the batch is over.
    fn is_unfinished(&self, run: RunId, entry: &FireEntry, placed: &[Placed]) -> Step<bool> {
        let mut own = entry.runs.iter().zip(placed).filter(|(new, _)| new.id == run);
        match own.next() {
            Some((_, Placed::Running | Placed::Queued | Placed::Held)) => Ok(true),
            Some((_, Placed::Suppressed)) => Ok(false),
            Some((_, Placed::Known)) | None => {
                let id: [(&str, &dyn ToSql); 1] = [(":id", run.as_bytes())];
                self.db.lock(sql!("lock_run"), Lock::Share, &id)?;
                exists(self.db, sql!("live_has"), &id)
            }
        }
    }
}

fn found(row: &Row<'_>) -> Step<(TriggerId, Found)> {
    let found = Found {
        version: row.get(1)?,
        next_fire_at: maybe_instant(row, 2)?,
        status: word(row, 3, TriggerStatus::from_word)?,
        paused: row.get(4)?,
        fired_through: maybe_instant(row, 5)?,
        scan_at: maybe_instant(row, 6)?,
        job: JobId(row.get(7)?),
        job_version: JobVersion(row.get(8)?),
    };
    Ok((TriggerId(row.get(0)?), found))
}

/// Writes where a trigger stands.
pub(crate) fn write_progress(
    db: &dyn Db,
    id: i64,
    progress: &Progress,
    scan_at: Option<Timestamp>,
    batch: Option<i64>,
) -> Step<()> {
    let awaiting = progress.awaiting_run;
    let values: [(&str, &dyn ToSql); 13] = [
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
        (":tzdata", &release(progress.tzdata)),
        (":id", &id),
    ];
    db.post(sql!("fire_settle"), &values, None)
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

/// A queue as rows have it: nothing for the usual one.
pub(crate) fn named(queue: &str) -> Option<&str> {
    (queue != DEFAULT_QUEUE).then_some(queue)
}

/// How a run begins that no limit holds.
pub(crate) const fn admitted(claim: bool) -> Placed {
    if claim { Placed::Running } else { Placed::Queued }
}

/// The state of a run that was placed so.
pub(crate) const fn state_of(born: Placed) -> RunState {
    match born {
        Placed::Running => RunState::Running,
        Placed::Held => RunState::Held,
        Placed::Queued | Placed::Suppressed | Placed::Known => RunState::Queued,
    }
}

/// Whether the run was made before.
pub(crate) fn is_known(db: &dyn Db, run: RunId) -> Step<bool> {
    let id: [(&str, &dyn ToSql); 1] = [(":id", run.as_bytes())];
    Ok(exists(db, sql!("live_has"), &id)? || exists(db, sql!("history_has"), &id)?)
}

pub(crate) fn suppressed(fire_time: Timestamp, policy: &str) -> Gap {
    Gap {
        first: fire_time,
        last: fire_time,
        count: 1,
        outcome: GapOutcome::Suppressed,
        reason: GapReason::Overlap,
        policy: policy.to_owned(),
    }
}
