//! Batches that are repeated after an ambiguous commit get the answer that they got first.

use mainspring_core::RunId;
use mainspring_core::batch::{FireBatch, FireEntry, FireOutcome, Placed};
use mainspring_core::run::RunState;

use super::db::{Db, Step, ToSql, execute, exists, read_one, sql, word};
use super::fire::Entry;

/// How many answers are kept. A process has far fewer batches under way.
const KEPT: u64 = mainspring_core::batch::ANSWERS_KEPT;

const PLACES: [Placed; 5] = [Placed::Running, Placed::Queued, Placed::Held, Placed::Suppressed, Placed::Known];

/// Keeps the answer to a batch.
pub(crate) fn keep(db: &dyn Db, owner: i64, sequence: u64, outcome: &FireOutcome) -> Step<()> {
    let place = |placed: &Placed| PLACES.iter().position(|other| other == placed).expect("PLACES has every place");
    let placed: Vec<u8> = outcome.placed.iter().map(|placed| u8::try_from(place(placed)).expect("five")).collect();
    let values: [(&str, &dyn ToSql); 6] = [
        (":slot", &slot(sequence)),
        (":incarnation", &owner),
        (":sequence", &sequence.cast_signed()),
        (":stale", &numbers(&outcome.stale)),
        (":blocked", &numbers(&outcome.blocked)),
        (":placed", &placed),
    ];
    execute(db, sql!("fire_batch_keep", postgres, mysql), &values)?;
    Ok(())
}

/// The stamp of a batch on the triggers that it advances.
pub(crate) fn stamp(owner: i64, sequence: u64) -> i64 {
    (owner << 40) | (sequence & ((1 << 40) - 1)).cast_signed()
}

/// What a batch was answered before.
pub(crate) struct Before {
    stale: Vec<u32>,
    blocked: Vec<u32>,
    placed: std::vec::IntoIter<u8>,
}

impl Before {
    /// Where the runs of an entry were placed, if it was recorded. To be asked in order.
    pub(crate) fn recorded(&mut self, index: u32, entry: &FireEntry) -> Option<Vec<Placed>> {
        if self.stale.contains(&index) || self.blocked.contains(&index) {
            return None;
        }
        let places = self.placed.by_ref().take(entry.runs.len());
        Some(places.map(|place| PLACES.get(usize::from(place)).copied().unwrap_or(Placed::Known)).collect())
    }
}

/// Reads the answer to a batch, if it was recorded before.
pub(crate) fn read(db: &dyn Db, owner: i64, batch: &FireBatch) -> Step<Option<Before>> {
    let sequence = batch.id.sequence;
    let values: [(&str, &dyn ToSql); 3] =
        [(":slot", &slot(sequence)), (":incarnation", &owner), (":sequence", &sequence.cast_signed())];
    let before = read_one(db, sql!("fire_batch_read"), &values, |row| {
        let placed = row.get::<Vec<u8>>(2)?.into_iter();
        Ok(Before { stale: list(row.get(0)?), blocked: list(row.get(1)?), placed })
    })?;
    Ok(before)
}

/// Answers for an entry that was recorded before. It is stale once its trigger and its runs have all gone on.
pub(crate) fn entry(
    db: &dyn Db,
    owner: i64,
    stamp: i64,
    entry: &FireEntry,
    born: &[Placed],
    placed: &mut Vec<Placed>,
) -> Step<Entry> {
    let mut mine = exists(db, sql!("fire_batch_trigger"), &[(":id", &entry.trigger.0), (":batch", &stamp)])?;
    let mut now = Vec::with_capacity(born.len());
    for (run, born) in entry.runs.iter().zip(born) {
        let (place, open) = placed_now(db, owner, run.id, *born)?;
        mine |= open;
        now.push(place);
    }
    if !mine {
        return Ok(Entry::Stale);
    }
    placed.append(&mut now);
    Ok(Entry::Recorded)
}

/// Where a run is now, and whether it is unfinished and this batch's. One that has gone on is known, so that nobody
/// starts it again.
fn placed_now(db: &dyn Db, owner: i64, run: RunId, born: Placed) -> Step<(Placed, bool)> {
    let live = read_one(db, sql!("fire_batch_run"), &[(":id", run.as_bytes())], |row| {
        Ok((word(row, 0, RunState::from_word)?, row.get::<u32>(1)?, row.get::<Option<i64>>(2)?))
    })?;
    let mine = !matches!(born, Placed::Suppressed | Placed::Known);
    Ok(match live {
        Some(_) if !mine => (Placed::Known, false),
        Some(live) if born != Placed::Running || live == (RunState::Running, 1, Some(owner)) => (born, true),
        Some(_) => (Placed::Known, true),
        None if exists(db, sql!("history_has"), &[(":id", run.as_bytes())])? => (Placed::Known, false),
        None => (Placed::Suppressed, false),
    })
}

fn slot(sequence: u64) -> i64 {
    (sequence % KEPT).cast_signed()
}

fn numbers(list: &[u32]) -> Vec<u8> {
    list.iter().flat_map(|number| number.to_be_bytes()).collect()
}

fn list(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|number| u32::from_be_bytes(*number)).collect()
}
