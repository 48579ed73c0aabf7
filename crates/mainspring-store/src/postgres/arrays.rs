//! Batches as arrays: one statement advances thousands of triggers, one ends thousands of runs.

use std::collections::HashSet;

use mainspring_core::RunId;
use mainspring_core::batch::{AttemptDetail, Completion, CompletionBatch, FireBatch, FireEntry, NewRun};
use mainspring_core::run::RunState;
use tokio_postgres::types::ToSql;

use super::batches::own;
use super::connection::{Connection, Uuid};
use crate::sql::complete::{self, End, reason};
use crate::sql::db::{Db, Lock, Step, millis};
use crate::sql::fire::{Usual, admitted, is_usual, state_of};

/// See [`crate::sql::Batches::record_usual`].
pub(super) fn record(db: &Connection, batch: &FireBatch, owner: i64, stamp: i64) -> Step<Usual> {
    let entries: Vec<&FireEntry> = batch.entries.iter().filter(|entry| is_usual(entry)).collect();
    let (advanced, known) = if entries.is_empty() {
        (HashSet::new(), HashSet::new())
    } else {
        send_fires(db, &entries, batch.at.as_millis(), owner, stamp)?
    };
    let recorded = batch.entries.iter().map(|entry| is_usual(entry) && advanced.contains(&entry.trigger.0)).collect();
    Ok(Usual { recorded, known })
}

fn send_fires(
    db: &Connection,
    entries: &[&FireEntry],
    at: i64,
    owner: i64,
    stamp: i64,
) -> Step<(HashSet<i64>, HashSet<RunId>)> {
    let of = |value: fn(&FireEntry) -> i64| entries.iter().map(|entry| value(entry)).collect::<Vec<i64>>();
    let maybe = |value: fn(&FireEntry) -> Option<i64>| entries.iter().map(|entry| value(entry)).collect::<Vec<_>>();
    let first = |entry: &FireEntry| entry.runs.first().map_or(i64::MIN, |run| run.fire_time.as_millis());
    let leaves: Vec<bool> = entries.iter().map(|entry| entry.leaves_window).collect();
    let runs: Vec<(&FireEntry, &NewRun)> =
        entries.iter().flat_map(|entry| entry.runs.iter().map(move |run| (*entry, run))).collect();
    let each = |value: fn(&(&FireEntry, &NewRun)) -> i64| runs.iter().map(value).collect::<Vec<i64>>();
    let states: Vec<&str> = runs.iter().map(|(_, run)| state_of(admitted(run.claim)).as_str()).collect();
    let origins: Vec<&str> = runs.iter().map(|(_, run)| run.origin.as_str()).collect();
    let ids: Vec<Uuid> = runs.iter().map(|(_, run)| Uuid(*run.id.as_bytes())).collect();
    let parameters: [&(dyn ToSql + Sync); 24] = [
        &of(|entry| entry.trigger.0),
        &of(|entry| entry.version),
        &of(|entry| entry.expected.as_millis()),
        &of(first),
        &maybe(|entry| millis(entry.progress.next_fire_at)),
        &maybe(|entry| millis(entry.progress.due_at)),
        &maybe(|entry| millis(entry.progress.previous_fire_at)),
        &of(|entry| entry.progress.start_at.as_millis()),
        &maybe(|entry| entry.progress.repeat_count.map(i64::from)),
        &of(|entry| i64::from(entry.progress.times_triggered)),
        &maybe(|entry| millis(entry.progress.fired_through)),
        &leaves,
        &stamp,
        &ids,
        &each(|(entry, _)| entry.trigger.0),
        &each(|(entry, _)| entry.job.0),
        &each(|(entry, _)| entry.job_version.0),
        &states,
        &origins,
        &each(|(_, run)| run.fire_time.as_millis()),
        &each(|(_, run)| run.due_at.as_millis()),
        &each(|(entry, _)| i64::from(entry.priority)),
        &at,
        &owner,
    ];
    let mut answer = (HashSet::new(), HashSet::new());
    db.query(own!("record_usual"), Lock::None, &parameters, &mut |row| {
        let advanced: Option<Vec<i64>> = row.try_get(0)?;
        let known: Option<Vec<Uuid>> = row.try_get(1)?;
        answer.0.extend(advanced.into_iter().flatten());
        answer.1.extend(known.into_iter().flatten().map(|id| RunId::from_bytes(id.0)));
        Ok(true)
    })?;
    Ok(answer)
}

/// See [`crate::sql::Batches::end_usual`].
pub(super) fn end(db: &Connection, batch: &CompletionBatch, owner: i64) -> Step<Vec<End>> {
    let mut ends = vec![End::Open; batch.entries.len()];
    let usual = complete::usual(batch);
    if usual.is_empty() {
        return Ok(ends);
    }
    db.make_room(&mut usual.iter().map(|(_, entry, _)| entry.run))?;
    let kept = send_ends(db, &usual, owner)?;
    for (index, entry, state) in usual {
        if kept.contains(&entry.run) {
            ends[index] = End::Final(state);
        }
    }
    Ok(ends)
}

fn send_ends(db: &Connection, usual: &[(usize, &Completion, RunState)], owner: i64) -> Step<HashSet<RunId>> {
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
    let reasons: Vec<Option<&str>> = usual.iter().map(|(_, entry, _)| reason(entry.outcome)).collect();
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
        &owner,
    ];
    let mut kept = HashSet::new();
    db.query(own!("end_usual"), Lock::None, &parameters, &mut |row| {
        let ids: Option<Vec<Uuid>> = row.try_get(0)?;
        kept.extend(ids.into_iter().flatten().map(|id| RunId::from_bytes(id.0)));
        Ok(true)
    })?;
    Ok(kept)
}
