//! Backfills and their items.

use std::collections::BTreeSet;

use async_trait::async_trait;
use mainspring_core::cluster::ShardSet;
use mainspring_core::job::JobKey;
use mainspring_core::run::RunState;
use mainspring_core::workflow::backfill::{Action, BackfillState, Existing, ItemCounts, ItemState};
use mainspring_core::{JobId, JobVersion, RunId, RunSource, Timestamp, TriggerId};
use serde_json::json;

use super::Batches;
use super::backend::{Backend, Lane, ReadLane};
use super::cluster::mask;
use super::correct::note_repeat;
use super::db::{
    Db, Fault, Lock, Row, Step, ToSql, execute, exists, instant, maybe_instant, maybe_run_id, maybe_word, millis,
    on_servers, read, read_one, read_page, run_id, sql, word,
};
use super::job;
use super::list::{hex, lists};
use super::session::Session;
use super::workflow::repeat;
use crate::backfill::{
    BackfillItem, BackfillQuery, BackfillRow, BackfillStep, BackfillStore, BackfillTurn, ExistingRun, ItemStart,
    LOOK_MAX, NewBackfill, RunningItem, Sweep, is_overtaken, is_to_come, laid_over, said_by_item, sorted, taken,
};
use crate::error::{Error, Result};

#[async_trait]
impl<B: Backend> BackfillStore for B {
    async fn existing_runs(
        &self,
        job: JobId,
        trigger: TriggerId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<ExistingRun>> {
        let operation = "read the runs of fire times";
        self.read(ReadLane::Requests, operation, move |db| existing(db, job, trigger, from, to)).await
    }

    async fn add_backfill(&self, backfill: NewBackfill) -> Result<i64> {
        self.deed("keep a backfill", move |s| add(s, &backfill)).await
    }

    async fn backfill(&self, id: i64) -> Result<Option<BackfillRow>> {
        self.read(ReadLane::Requests, "read a backfill", move |db| get(db, id)).await
    }

    async fn backfills(&self, query: BackfillQuery) -> Result<Vec<BackfillRow>> {
        self.read(ReadLane::Requests, "list backfills", move |db| list(db, &query)).await
    }

    async fn backfill_items(
        &self,
        id: i64,
        state: Option<ItemState>,
        after: i64,
        limit: u32,
    ) -> Result<Vec<BackfillItem>> {
        self.read(ReadLane::Requests, "read items of a backfill", move |db| items(db, id, state, after, limit)).await
    }

    async fn backfills_due(&self, shards: ShardSet, limit: u32) -> Result<Vec<i64>> {
        let shards = mask(shards);
        self.read(ReadLane::Engine, "look for backfills with something to do", move |db| {
            let values: [(&str, &dyn ToSql); 2] = [(":shards", &shards), (":limit", &limit)];
            read(db, sql!("backfills_due", mysql), &values, |row| row.get(0))
        })
        .await
    }

    async fn backfill_turn(&self, id: i64, limit: u32) -> Result<Option<BackfillTurn>> {
        self.read(ReadLane::Engine, "read where a backfill stands", move |db| turn(db, id, limit)).await
    }

    async fn step_backfill(&self, step: BackfillStep) -> Result<bool> {
        let written = self.write(Lane::Claim, "write a step of a backfill", move |s| write(s, &step)).await;
        match written {
            Err(Error::Conflict { what: TURN, .. }) => Ok(false),
            Err(error) if is_overtaken(&error) => Ok(false),
            written => written.map(|()| true),
        }
    }
}

/// What a step is refused for whose turn another one has taken.
const TURN: &str = "turn of a backfill";

fn stale() -> Error {
    Error::Conflict { what: TURN, key: String::new(), why: "is taken".to_owned() }
}

fn existing(db: &dyn Db, job: JobId, trigger: TriggerId, from: Timestamp, to: Timestamp) -> Step<Vec<ExistingRun>> {
    let (least, end) = (RunId::floor(from), RunId::floor(to + 1));
    let values: [(&str, &dyn ToSql); 4] =
        [(":from", least.as_bytes()), (":to", end.as_bytes()), (":trigger", &trigger.0), (":job", &job.0)];
    let fired = read(db, sql!("backfill_fired"), &values, |row| {
        let state: RunState = word(row, 1, RunState::from_word)?;
        Ok(ExistingRun { fire_time: instant(row, 0)?, existing: Existing::from(state), run: Some(run_id(row, 2)?) })
    })?;
    let values: [(&str, &dyn ToSql); 3] =
        [(":trigger", &trigger.0), (":from", &from.as_millis()), (":to", &to.as_millis())];
    let said =
        |row: &Row<'_>| Ok(said_by_item(instant(row, 0)?, word(row, 1, ItemState::from_word)?, maybe_run_id(row, 2)?));
    let items = read(db, sql!("backfill_made"), &values, said)?;
    Ok(laid_over(fired, items.into_iter().flatten().collect()))
}

fn add<C: Batches>(session: &mut Session<C>, backfill: &NewBackfill) -> Step<i64> {
    let all: Vec<&NewBackfill> = std::iter::once(backfill).chain(&backfill.below).collect();
    // Jobs are locked in one order, whoever asks.
    let jobs: BTreeSet<(JobId, JobVersion)> = all.iter().map(|it| (it.job, it.job_version)).collect();
    for (job, version) in jobs {
        must_be_there(&session.connection, job, version)?;
    }
    let mut ids: Vec<i64> = Vec::with_capacity(all.len());
    for it in &all {
        refuse_taken(&session.connection, it)?;
        ids.push(add_one(session, it, ids.first().copied())?);
    }
    for (it, id) in all.iter().zip(&ids) {
        add_needs(session, it, *id, &ids)?;
    }
    Ok(ids[0])
}

fn add_one<C: Batches>(session: &mut Session<C>, backfill: &NewBackfill, cascade_of: Option<i64>) -> Step<i64> {
    let db = &session.connection;
    let spec = serde_json::to_string(&backfill.spec).expect("what was chosen is plain data");
    let values: [(&str, &dyn ToSql); 8] = [
        (":job", &backfill.job.0),
        (":version", &backfill.job_version.0),
        (":trigger", &backfill.trigger.0),
        (":spec", &spec),
        (":open", &(backfill.items.len() as i64)),
        (":at", &backfill.at.as_millis()),
        (":by", &backfill.by),
        (":cascade", &cascade_of),
    ];
    let id = db.insert(sql!("backfill_add"), &values)?;
    let numbered = || (1_i64..).zip(&backfill.items);
    if C::LISTS {
        let row = |(seq, item): (i64, &crate::backfill::NewItem)| {
            json!([seq, item.fire_time.as_millis(), item.action.as_str(), item.rerun_of.map(hex)])
        };
        for rows in lists(numbered().map(row)) {
            let values: [(&str, &dyn ToSql); 3] = [(":id", &id), (":trigger", &backfill.trigger.0), (":rows", &rows)];
            db.post(on_servers!("backfill_item_many", postgres, mysql), &values, None)?;
        }
    } else {
        for (seq, item) in numbered() {
            let values: [(&str, &dyn ToSql); 6] = [
                (":id", &id),
                (":seq", &seq),
                (":trigger", &backfill.trigger.0),
                (":fire_time", &item.fire_time.as_millis()),
                (":action", &item.action.as_str()),
                (":rerun_of", &item.rerun_of.as_ref().map(RunId::as_bytes)),
            ];
            execute(db, sql!("backfill_item_add"), &values)?;
        }
    }
    Ok(id)
}

/// Keeps what items of a backfill wait for. `ids` are the numbers of all that start with it.
fn add_needs<C: Batches>(session: &mut Session<C>, backfill: &NewBackfill, id: i64, ids: &[i64]) -> Step<()> {
    let db = &session.connection;
    let items = (1_i64..).zip(&backfill.items);
    let needs = items.flat_map(|(seq, item)| item.above.iter().map(move |(of, place)| (seq, ids[*of], *place)));
    if C::LISTS {
        for rows in lists(needs.map(|(seq, above, place)| json!([seq, above, place]))) {
            let values: [(&str, &dyn ToSql); 2] = [(":id", &id), (":rows", &rows)];
            db.post(on_servers!("backfill_need_many", postgres, mysql), &values, None)?;
        }
        return Ok(());
    }
    for (seq, above, place) in needs {
        let values: [(&str, &dyn ToSql); 4] =
            [(":id", &id), (":seq", &seq), (":above", &above), (":above_seq", &place)];
        execute(db, sql!("backfill_need_add"), &values)?;
    }
    Ok(())
}

/// Refuses if another backfill is to run a fire time, or runs it.
fn refuse_taken(db: &dyn Db, backfill: &NewBackfill) -> Step<()> {
    let fires: BTreeSet<Timestamp> = backfill.items.iter().map(|item| item.fire_time).collect();
    let (Some(first), Some(last)) = (fires.first(), fires.last()) else { return Ok(()) };
    let values: [(&str, &dyn ToSql); 3] =
        [(":trigger", &backfill.trigger.0), (":from", &first.as_millis()), (":to", &last.as_millis())];
    let items =
        read(db, sql!("backfill_made"), &values, |row| Ok((instant(row, 0)?, word(row, 1, ItemState::from_word)?)))?;
    match items.iter().find(|(fire, state)| is_to_come(*state) && fires.contains(fire)) {
        Some((fire, _)) => Err(taken(*fire).into()),
        None => Ok(()),
    }
}

/// Locks a job against its deletion and against other backfills of it, and refuses if it or the version is gone.
fn must_be_there(db: &dyn Db, job: JobId, version: JobVersion) -> Step<()> {
    let missing = || Error::NotFound { what: "job", key: format!("{job} version {version}") };
    db.lock(sql!("lock_job"), Lock::Write, &[(":id", &job.0)])?;
    job::by_id(db, job)?.ok_or_else(missing)?;
    let values: [(&str, &dyn ToSql); 2] = [(":job", &job.0), (":version", &version.0)];
    if exists(db, sql!("definition"), &values)? { Ok(()) } else { Err(missing().into()) }
}

fn get(db: &dyn Db, id: i64) -> Step<Option<BackfillRow>> {
    read_one(db, sql!("backfill"), &[(":id", &id)], row)
}

fn list(db: &dyn Db, query: &BackfillQuery) -> Step<Vec<BackfillRow>> {
    let before = query.before.unwrap_or(i64::MAX);
    let (job, state) = (query.job.map(|job| job.0), query.state.map(|state| state.as_str()));
    let values: [(&str, &dyn ToSql); 5] = [
        (":before", &before),
        (":namespace", &query.namespace),
        (":job", &job),
        (":state", &state),
        (":cascade", &query.cascade_of),
    ];
    read_page(db, sql!("backfills"), &values, query.limit, row)
}

fn items(db: &dyn Db, id: i64, state: Option<ItemState>, after: i64, limit: u32) -> Step<Vec<BackfillItem>> {
    match state {
        Some(state) => {
            let values: [(&str, &dyn ToSql); 3] = [(":id", &id), (":state", &state.as_str()), (":after", &after)];
            read_page(db, sql!("backfill_items_in"), &values, limit, item)
        }
        None => read_page(db, sql!("backfill_items"), &[(":id", &id), (":after", &after)], limit, item),
    }
}

fn turn(db: &dyn Db, id: i64, limit: u32) -> Step<Option<BackfillTurn>> {
    let Some(row) = get(db, id)? else { return Ok(None) };
    let running = read(db, sql!("backfill_running"), &[(":id", &id)], |row| {
        Ok(RunningItem {
            seq: row.get(0)?,
            fire_time: instant(row, 1)?,
            run: run_id(row, 2)?,
            state: maybe_word(row, 3, RunState::from_word)?,
            cancel_requested: maybe_instant(row, 4)?.is_some(),
        })
    })?;
    let (open, barred) = match row.state {
        BackfillState::Active => open(db, &row, limit)?,
        _ => Default::default(),
    };
    let elsewhere = if open.is_empty() { BTreeSet::new() } else { elsewhere(db, &row)? };
    let mut busy = Vec::new();
    for item in &open {
        let fired = RunId::new(item.fire_time, RunSource::Fire(row.trigger));
        if elsewhere.contains(&item.fire_time) || exists(db, sql!("live_has"), &[(":id", fired.as_bytes())])? {
            busy.push(item.fire_time);
        }
    }
    Ok(Some(BackfillTurn { row, running, open, barred, busy }))
}

/// The open items that wait for no other, and the places of those that wait for ever.
fn open(db: &dyn Db, row: &BackfillRow, limit: u32) -> Step<(Vec<BackfillItem>, Vec<i64>)> {
    if row.cascade_of.is_none() {
        return Ok((items(db, row.id, Some(ItemState::Open), 0, limit)?, Vec::new()));
    }
    let open = items(db, row.id, Some(ItemState::Open), 0, LOOK_MAX)?;
    let (Some(first), Some(last)) = (open.first(), open.last()) else { return Ok((open, Vec::new())) };
    let values: [(&str, &dyn ToSql); 3] = [(":id", &row.id), (":first", &first.seq), (":last", &last.seq)];
    let waits =
        read(db, sql!("backfill_waits", mysql), &values, |row| Ok((row.get(0)?, word(row, 1, ItemState::from_word)?)))?;
    Ok(sorted(open, &waits, limit as usize))
}

/// The fire times whose runs other backfills have under way.
fn elsewhere(db: &dyn Db, row: &BackfillRow) -> Step<BTreeSet<Timestamp>> {
    let values: [(&str, &dyn ToSql); 2] = [(":trigger", &row.trigger.0), (":id", &row.id)];
    Ok(read(db, sql!("backfill_elsewhere", mysql), &values, |row| instant(row, 0))?.into_iter().collect())
}

fn write(session: &mut Session<impl Batches>, step: &BackfillStep) -> Step<()> {
    let db = &session.connection;
    let Some(row) = get(db, step.id)?.filter(|row| row.turn == step.turn) else { return Err(stale().into()) };
    if !step.start.is_empty() {
        must_be_there(db, row.job, row.job_version)?;
        let elsewhere = elsewhere(db, &row)?;
        if step.start.iter().any(|start| elsewhere.contains(&start.fire_time)) {
            return Err(stale().into());
        }
    }
    take_turn(db, step)?;
    let id: (&str, &dyn ToSql) = (":id", &step.id);
    for (seq, state) in &step.ended {
        db.post(sql!("backfill_item_end"), &[(":state", &state.as_str()), id, (":seq", seq)], None)?;
    }
    match step.sweep {
        Some(Sweep::Close) => db.post(sql!("backfill_close"), &[id], None)?,
        Some(Sweep::Reopen) => db.post(sql!("backfill_reopen"), &[id], None)?,
        None => {}
    }
    for start in &step.start {
        begin(db, &row, step, start)?;
        session.runs.push(start.run, row.job, RunState::Queued);
    }
    session.flush_runs(step.at)?;
    if !step.start.is_empty() {
        session.note_queued();
    }
    Ok(())
}

fn take_turn(db: &dyn Db, step: &BackfillStep) -> Step<()> {
    let counts = step.counts;
    let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let values: [(&str, &dyn ToSql); 11] = [
        (":state", &step.state.as_str()),
        (":reason", &step.reason),
        (":open", &count(counts.open)),
        (":running", &count(counts.running)),
        (":succeeded", &count(counts.succeeded)),
        (":failed", &count(counts.failed)),
        (":cancelled", &count(counts.cancelled)),
        (":skipped", &count(counts.skipped)),
        (":ended_at", &millis(step.ended_at)),
        (":id", &step.id),
        (":turn", &step.turn),
    ];
    db.post(sql!("backfill_step"), &values, Some(stale))
}

/// Makes the run of an item.
fn begin(db: &dyn Db, row: &BackfillRow, step: &BackfillStep, start: &ItemStart) -> Step<()> {
    let values: [(&str, &dyn ToSql); 3] = [(":run", start.run.as_bytes()), (":id", &step.id), (":seq", &start.seq)];
    db.post(sql!("backfill_item_start"), &values, Some(stale))?;
    let values: [(&str, &dyn ToSql); 11] = [
        (":run", start.run.as_bytes()),
        (":job", &row.job.0),
        (":version", &row.job_version.0),
        (":trigger", &row.trigger.0),
        (":fire_time", &start.fire_time.as_millis()),
        (":at", &step.at.as_millis()),
        (":priority", &start.priority),
        (":queue", &super::fire::named(&start.line)),
        (":input", &start.input),
        (":rerun_of", &start.rerun_of.as_ref().map(RunId::as_bytes)),
        (":expires_at", &millis(start.expires_at)),
    ];
    db.post(sql!("backfill_run"), &values, None)?;
    if let Some(of) = start.rerun_of {
        note_repeat(db, of, step.at)?;
    }
    match (start.rerun_of, &start.repeat) {
        (Some(of), Some(it)) => repeat(db, of, start.run, it),
        _ => Ok(()),
    }
}

fn row(row: &Row<'_>) -> Step<BackfillRow> {
    let count = |column| row.get::<i64>(column).map(i64::unsigned_abs);
    let spec = serde_json::from_str(row.get::<&str>(6)?);
    Ok(BackfillRow {
        id: row.get(0)?,
        job: JobId(row.get(1)?),
        key: JobKey::new(row.get::<String>(2)?, row.get::<String>(3)?),
        job_version: JobVersion(row.get(4)?),
        trigger: TriggerId(row.get(5)?),
        spec: spec.map_err(|error| Fault::Unreadable(format!("what was chosen for a backfill: {error}")))?,
        turn: row.get(7)?,
        state: word(row, 8, BackfillState::from_word)?,
        reason: row.get(9)?,
        counts: ItemCounts {
            open: count(10)?,
            running: count(11)?,
            succeeded: count(12)?,
            failed: count(13)?,
            cancelled: count(14)?,
            skipped: count(15)?,
        },
        created_at: instant(row, 16)?,
        created_by: row.get(17)?,
        ended_at: maybe_instant(row, 18)?,
        cascade_of: row.get(19)?,
    })
}

fn item(row: &Row<'_>) -> Step<BackfillItem> {
    Ok(BackfillItem {
        seq: row.get(0)?,
        fire_time: instant(row, 1)?,
        action: word(row, 2, Action::from_word)?,
        state: word(row, 3, ItemState::from_word)?,
        run: maybe_run_id(row, 4)?,
        rerun_of: maybe_run_id(row, 5)?,
    })
}

/// Deletes the backfill that ended first, if that was before an instant: up to so many items at a time, and then the backfill. Returns
/// how many rows went.
pub(crate) fn purge(db: &dyn Db, before: Timestamp, limit: u64) -> Step<u64> {
    let mut count = 0;
    while count < limit {
        let old = |row: &Row<'_>| Ok((row.get::<i64>(0)?, row.get::<Option<i64>>(1)?));
        let Some((id, first)) = read_one(db, sql!("purge_backfill_read"), &[(":before", &before.as_millis())], old)?
        else {
            break;
        };
        let this: (&str, &dyn ToSql) = (":id", &id);
        count += match first {
            Some(first) => {
                let below = first.saturating_add((limit - count).min(1_000).cast_signed());
                execute(db, sql!("purge_backfill_needs"), &[this, (":below", &below)])?;
                execute(db, sql!("purge_backfill_items"), &[this, (":below", &below)])?
            }
            None => execute(db, sql!("purge_backfill"), &[this])?,
        };
    }
    Ok(count)
}
