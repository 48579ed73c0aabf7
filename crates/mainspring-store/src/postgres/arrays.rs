//! Batches as arrays: one statement advances thousands of triggers, one ends thousands of runs.

use std::collections::HashSet;

use mainspring_core::RunId;
use mainspring_core::batch::{AttemptDetail, Completion, CompletionBatch, FireBatch, FireEntry, NewRun};
use mainspring_core::run::RunState;
use tokio_postgres::types::ToSql;

use super::batches::own;
use super::connection::{Connection, Uuid};
use crate::sql::complete::{self, End, reason};
use crate::sql::db::{Db, Lock, Step, millis, release};
use crate::sql::fire::{Usual, admitted, is_usual, named, state_of};

/// See [`crate::sql::Batches::record_usual`].
pub(super) fn record(db: &Connection, batch: &FireBatch, owner: i64, stamp: i64) -> Step<Usual> {
    let mut usual = Usual { recorded: vec![false; batch.entries.len()], known: HashSet::new() };
    let entries: Vec<(&FireEntry, &NewRun)> = batch
        .entries
        .iter()
        .filter(|entry| is_usual(entry))
        .filter_map(|entry| Some((entry, entry.runs.first()?)))
        .collect();
    if entries.is_empty() {
        return Ok(usual);
    }
    let at = batch.at.as_millis();
    let (advanced, mut born) = advance(db, &entries, at, owner, stamp)?;
    for (entry, recorded) in batch.entries.iter().zip(&mut usual.recorded) {
        *recorded = is_usual(entry) && advanced.contains(&entry.trigger.0);
    }
    let recorded =
        || batch.entries.iter().zip(&usual.recorded).filter(|(_, recorded)| **recorded).map(|(entry, _)| entry);
    let more: Vec<(&FireEntry, &NewRun)> =
        recorded().flat_map(|entry| entry.runs.iter().skip(1).map(move |run| (entry, run))).collect();
    if !more.is_empty() {
        born += insert(db, &more, at, owner)?;
    }
    let all: Vec<RunId> = recorded().flat_map(|entry| entry.runs.iter().map(|run| run.id)).collect();
    if usize::try_from(born) != Ok(all.len()) {
        usual.known = known(db, &all)?;
    }
    Ok(usual)
}

type Fires<'a> = [(&'a FireEntry, &'a NewRun)];

fn numbers(fires: &Fires<'_>, value: fn(&FireEntry, &NewRun) -> i64) -> Vec<i64> {
    fires.iter().map(|(entry, run)| value(entry, run)).collect()
}

fn maybe(fires: &Fires<'_>, value: fn(&FireEntry) -> Option<i64>) -> Vec<Option<i64>> {
    fires.iter().map(|(entry, _)| value(entry)).collect()
}

fn ids(fires: &Fires<'_>) -> Vec<Uuid> {
    fires.iter().map(|(_, run)| Uuid(*run.id.as_bytes())).collect()
}

fn queues<'a>(fires: &'a Fires<'_>) -> Vec<Option<&'a str>> {
    fires.iter().map(|(entry, _)| named(&entry.queue)).collect()
}

fn words(fires: &Fires<'_>, value: fn(&NewRun) -> &'static str) -> Vec<&'static str> {
    fires.iter().map(|(_, run)| value(run)).collect()
}

const fn state(run: &NewRun) -> &'static str {
    state_of(admitted(run.claim)).as_str()
}

/// Advances triggers and inserts their first runs. Answers which were advanced, and how many runs are new.
fn advance(db: &Connection, fires: &Fires<'_>, at: i64, owner: i64, stamp: i64) -> Step<(HashSet<i64>, i64)> {
    let leaves: Vec<bool> = fires.iter().map(|(entry, _)| entry.leaves_window).collect();
    let parameters: [&(dyn ToSql + Sync); 24] = [
        &numbers(fires, |entry, _| entry.trigger.0),
        &numbers(fires, |entry, _| entry.version),
        &numbers(fires, |entry, _| entry.expected.as_millis()),
        &numbers(fires, |_, run| run.fire_time.as_millis()),
        &maybe(fires, |entry| millis(entry.progress.next_fire_at)),
        &maybe(fires, |entry| millis(entry.progress.due_at)),
        &maybe(fires, |entry| millis(entry.progress.previous_fire_at)),
        &numbers(fires, |entry, _| entry.progress.start_at.as_millis()),
        &maybe(fires, |entry| entry.progress.repeat_count.map(i64::from)),
        &numbers(fires, |entry, _| i64::from(entry.progress.times_triggered)),
        &maybe(fires, |entry| millis(entry.progress.fired_through)),
        &leaves,
        &stamp,
        &ids(fires),
        &numbers(fires, |entry, _| entry.job.0),
        &numbers(fires, |entry, _| entry.job_version.0),
        &words(fires, state),
        &words(fires, |run| run.origin.as_str()),
        &numbers(fires, |_, run| run.due_at.as_millis()),
        &numbers(fires, |entry, _| i64::from(entry.priority)),
        &at,
        &owner,
        &maybe(fires, |entry| release(entry.progress.tzdata)),
        &queues(fires),
    ];
    let mut answer = (HashSet::new(), 0);
    db.query(own!("record_usual"), Lock::None, &parameters, &mut |row| {
        let advanced: Option<Vec<i64>> = row.try_get(0)?;
        answer = (advanced.into_iter().flatten().collect(), row.try_get(1)?);
        Ok(true)
    })?;
    Ok(answer)
}

/// Inserts runs. Answers how many are new.
fn insert(db: &Connection, fires: &Fires<'_>, at: i64, owner: i64) -> Step<i64> {
    let parameters: [&(dyn ToSql + Sync); 12] = [
        &ids(fires),
        &numbers(fires, |entry, _| entry.trigger.0),
        &numbers(fires, |entry, _| entry.job.0),
        &numbers(fires, |entry, _| entry.job_version.0),
        &words(fires, state),
        &words(fires, |run| run.origin.as_str()),
        &numbers(fires, |_, run| run.fire_time.as_millis()),
        &numbers(fires, |_, run| run.due_at.as_millis()),
        &numbers(fires, |entry, _| i64::from(entry.priority)),
        &at,
        &owner,
        &queues(fires),
    ];
    let mut born = 0;
    db.query(own!("record_more"), Lock::None, &parameters, &mut |row| {
        born = row.try_get(0)?;
        Ok(true)
    })?;
    Ok(born)
}

/// Of these runs, those that this transaction has not inserted.
fn known(db: &Connection, all: &[RunId]) -> Step<HashSet<RunId>> {
    let ids: Vec<Uuid> = all.iter().map(|run| Uuid(*run.as_bytes())).collect();
    let mut known: HashSet<RunId> = all.iter().copied().collect();
    db.query(own!("record_born"), Lock::None, &[&ids], &mut |row| {
        known.remove(&RunId::from_bytes(row.try_get::<_, Uuid>(0)?.0));
        Ok(true)
    })?;
    Ok(known)
}

/// See [`crate::sql::Batches::end_usual`].
pub(super) fn end(db: &Connection, batch: &CompletionBatch, holders: &[i64]) -> Step<Vec<End>> {
    let mut ends = vec![End::Open; batch.entries.len()];
    let usual = complete::usual(batch);
    if usual.is_empty() {
        return Ok(ends);
    }
    db.make_room(&mut usual.iter().map(|(_, entry, _)| entry.run))?;
    let kept = send_ends(db, &usual, holders)?;
    for (index, entry, state) in usual {
        if kept.contains(&entry.run) {
            ends[index] = End::Final(state);
        }
    }
    Ok(ends)
}

fn send_ends(db: &Connection, usual: &[(usize, &Completion, RunState)], holders: &[i64]) -> Step<HashSet<RunId>> {
    let none = AttemptDetail::default();
    let details: Vec<&AttemptDetail> =
        usual.iter().map(|(_, entry, _)| entry.detail.as_deref().unwrap_or(&none)).collect();
    let numbers = |value: fn(&AttemptDetail) -> Option<i32>| {
        details.iter().map(|detail| value(detail).map(i64::from)).collect::<Vec<Option<i64>>>()
    };
    fn texts<'a>(details: &[&'a AttemptDetail], value: fn(&AttemptDetail) -> &Option<String>) -> Vec<Option<&'a str>> {
        details.iter().map(|detail| value(detail).as_deref()).collect()
    }
    let ids: Vec<Uuid> = usual.iter().map(|(_, entry, _)| Uuid(*entry.run.as_bytes())).collect();
    let attempts: Vec<i64> = usual.iter().map(|(_, entry, _)| i64::from(entry.attempt)).collect();
    let states: Vec<&str> = usual.iter().map(|(_, _, state)| state.as_str()).collect();
    let started: Vec<Option<i64>> = usual.iter().map(|(_, entry, _)| millis(entry.started_at)).collect();
    let ended: Vec<i64> = usual.iter().map(|(_, entry, _)| entry.ended_at.as_millis()).collect();
    let outcomes: Vec<&str> = usual.iter().map(|(_, entry, _)| entry.outcome.as_str()).collect();
    let reasons: Vec<Option<&str>> = usual.iter().map(|(_, entry, state)| reason(entry.outcome, *state)).collect();
    let holders: Vec<i64> = usual.iter().map(|(index, ..)| holders[*index]).collect();
    let parameters: [&(dyn ToSql + Sync); 13] = [
        &ids,
        &attempts,
        &states,
        &started,
        &ended,
        &outcomes,
        &reasons,
        &texts(&details, |detail| &detail.output),
        &numbers(|detail| detail.exit_code),
        &numbers(|detail| detail.signal),
        &texts(&details, |detail| &detail.error_code),
        &texts(&details, |detail| &detail.error),
        &holders,
    ];
    let mut kept = HashSet::new();
    db.query(own!("end_usual"), Lock::None, &parameters, &mut |row| {
        let ids: Option<Vec<Uuid>> = row.try_get(0)?;
        kept.extend(ids.into_iter().flatten().map(|id| RunId::from_bytes(id.0)));
        Ok(true)
    })?;
    Ok(kept)
}
