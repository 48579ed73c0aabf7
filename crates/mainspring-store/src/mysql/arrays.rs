//! Batches as arrays: a few statements advance thousands of triggers, or end thousands of runs.
//!
//! An array travels as one parameter, in JSON. The rows are locked first, in the order of their ids, and the answer tells
//! which of them are as expected: only these are written.

use std::collections::HashSet;

use mainspring_core::RunId;
use mainspring_core::batch::{AttemptDetail, Completion, CompletionBatch, FireBatch, FireEntry, NewRun};
use mainspring_core::run::RunState;
use serde_json::{Value, json};

use super::batches::own;
use super::connection::{Connection, is_duplicate};
use crate::sql::complete::{self, End, reason};
use crate::sql::db::{Db, Step, ToSql, execute, millis, read, release, run_id};
use crate::sql::fire::{self, Usual, admitted, is_usual, named, state_of};
use crate::sql::list::hex;

/// See [`crate::sql::Batches::record_usual`].
pub(super) fn record(db: &Connection, batch: &FireBatch, owner: i64, stamp: i64) -> Step<Usual> {
    let usual: Vec<&FireEntry> = batch.entries.iter().filter(|entry| is_usual(entry)).collect();
    let found = find_triggers(db, &usual)?;
    let due: Vec<&FireEntry> = usual.into_iter().filter(|entry| found.contains(&entry.trigger.0)).collect();
    let mut known = HashSet::new();
    if !due.is_empty() {
        // With the runs that follow.
        db.post(own!("fire_move"), &[(":entries", &entries(&due)), (":batch", &stamp)], None)?;
        known = insert_runs(db, &due, owner, batch)?;
    }
    let recorded = batch.entries.iter().map(|entry| is_usual(entry) && found.contains(&entry.trigger.0)).collect();
    Ok(Usual { recorded, known })
}

fn find_triggers(db: &Connection, usual: &[&FireEntry]) -> Step<HashSet<i64>> {
    if usual.is_empty() {
        return Ok(HashSet::new());
    }
    let found = read(db, own!("fire_find"), &[(":entries", &entries(usual))], |row| row.get(0))?;
    Ok(found.into_iter().collect())
}

/// Inserts the runs of entries. Answers those that were there before.
fn insert_runs(db: &Connection, due: &[&FireEntry], owner: i64, batch: &FireBatch) -> Step<HashSet<RunId>> {
    let mut runs: Vec<(&FireEntry, &NewRun)> =
        due.iter().flat_map(|entry| entry.runs.iter().map(move |run| (*entry, run))).collect();
    runs.sort_unstable_by_key(|(_, run)| run.id);
    let rows = Value::Array(runs.iter().map(|(entry, run)| new_run(entry, run)).collect()).to_string();
    let values: [(&str, &dyn ToSql); 3] = [(":at", &batch.at.as_millis()), (":owner", &owner), (":runs", &rows)];
    match execute(db, own!("fire_runs"), &values) {
        Err(fault) if is_duplicate(&fault) => {}
        done => return done.map(|_| HashSet::new()),
    }
    // The server has undone that statement, and no more.
    let mut known = HashSet::new();
    for (entry, run) in runs {
        if !fire::insert(db, entry, run, admitted(run.claim), owner, batch.at)? {
            known.insert(run.id);
        }
    }
    Ok(known)
}

/// Entries as fire_find and fire_move read them.
fn entries(entries: &[&FireEntry]) -> String {
    let row = |entry: &&FireEntry| {
        let progress = &entry.progress;
        json!([
            entry.trigger.0,
            entry.version,
            entry.expected.as_millis(),
            entry.runs.first().map(|run| run.fire_time.as_millis()),
            millis(progress.due_at),
            i64::from(entry.leaves_window),
            millis(progress.next_fire_at),
            millis(progress.previous_fire_at),
            progress.start_at.as_millis(),
            progress.repeat_count,
            progress.times_triggered,
            millis(progress.fired_through),
            release(progress.tzdata),
        ])
    };
    Value::Array(entries.iter().map(row).collect()).to_string()
}

fn new_run(entry: &FireEntry, run: &NewRun) -> Value {
    json!([
        hex(run.id),
        entry.job.0,
        entry.job_version.0,
        entry.trigger.0,
        state_of(admitted(run.claim)).as_str(),
        run.origin.as_str(),
        run.fire_time.as_millis(),
        run.due_at.as_millis(),
        entry.priority,
        named(&entry.queue),
    ])
}

/// See [`crate::sql::Batches::end_usual`].
pub(super) fn end(db: &Connection, batch: &CompletionBatch, holders: &[i64]) -> Step<Vec<End>> {
    let mut ends = vec![End::Open; batch.entries.len()];
    let mut usual = complete::usual(batch);
    if usual.is_empty() {
        return Ok(ends);
    }
    let values: [(&str, &dyn ToSql); 1] = [(":ends", &rows(&usual, holders))];
    let open: HashSet<RunId> = read(db, own!("end_find"), &values, |row| run_id(row, 0))?.into_iter().collect();
    usual.retain(|(_, entry, _)| open.contains(&entry.run));
    if !usual.is_empty() {
        move_runs(db, &usual, holders)?;
    }
    for (index, _, state) in usual {
        ends[index] = End::Final(state);
    }
    Ok(ends)
}

fn move_runs(db: &Connection, usual: &[(usize, &Completion, RunState)], holders: &[i64]) -> Step<()> {
    let ends: [(&str, &dyn ToSql); 1] = [(":ends", &rows(usual, holders))];
    execute(db, own!("end_append"), &ends)?;
    execute(db, own!("end_remove"), &ends)?;
    for (_, entry, _) in usual {
        let Some(detail) = entry.detail.as_deref() else { continue };
        if detail.output.is_some() || detail.error_code.is_some() || detail.error.is_some() {
            add_texts(db, entry.run, detail)?;
        }
    }
    Ok(())
}

fn add_texts(db: &Connection, run: RunId, detail: &AttemptDetail) -> Step<()> {
    let values: [(&str, &dyn ToSql); 4] = [
        (":output", &detail.output),
        (":error_code", &detail.error_code),
        (":error", &detail.error),
        (":id", run.as_bytes()),
    ];
    db.post(own!("end_texts"), &values, None)
}

/// Ends as end_find, end_append and end_remove read them.
fn rows(usual: &[(usize, &Completion, RunState)], holders: &[i64]) -> String {
    let none = AttemptDetail::default();
    let row = |(index, entry, state): &(usize, &Completion, RunState)| {
        let detail = entry.detail.as_deref().unwrap_or(&none);
        json!([
            hex(entry.run),
            entry.attempt,
            state.as_str(),
            millis(entry.started_at),
            entry.ended_at.as_millis(),
            entry.outcome.as_str(),
            reason(entry.outcome, *state),
            detail.exit_code,
            detail.signal,
            holders[*index],
        ])
    };
    Value::Array(usual.iter().map(row).collect()).to_string()
}
