//! Batches that are repeated after an ambiguous commit get the answer that they got first.

use mainspring_core::RunId;
use mainspring_core::batch::{FireBatch, FireOutcome, Placed};
use mainspring_core::run::RunState;
use rusqlite::{Connection, ToSql};

use super::fire::is_known;
use super::sql::{Step, execute, read_one, sql, word};

/// How many answers are kept. A process has far fewer batches under way.
const KEPT: u64 = 64;

const PLACES: [Placed; 5] = [Placed::Running, Placed::Queued, Placed::Held, Placed::Suppressed, Placed::Known];

/// Keeps the answer to a batch.
pub(super) fn keep(db: &Connection, owner: i64, sequence: u64, outcome: &FireOutcome) -> Step<()> {
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
    execute(db, sql!("sqlite/fire_batch_keep"), &values)?;
    Ok(())
}

/// The answer to a batch that was recorded before. Runs that have gone on since are known, so that nobody starts
/// them again.
pub(super) fn read(db: &Connection, owner: i64, batch: &FireBatch) -> Step<Option<FireOutcome>> {
    let sequence = batch.id.sequence;
    let values: [(&str, &dyn ToSql); 3] =
        [(":slot", &slot(sequence)), (":incarnation", &owner), (":sequence", &sequence.cast_signed())];
    let found = read_one(db, sql!("common/fire_batch_read"), &values, |row| {
        Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, Vec<u8>>(2)?))
    })?;
    let Some((stale, blocked, placed)) = found else { return Ok(None) };
    let (stale, blocked) = (list(&stale), list(&blocked));
    let recorded = (0_u32..).zip(&batch.entries).filter(|(index, _)| !stale.contains(index) && !blocked.contains(index));
    let runs = recorded.flat_map(|(_, entry)| &entry.runs);
    let mut now = Vec::with_capacity(placed.len());
    for (run, place) in runs.zip(placed) {
        let born = PLACES.get(usize::from(place)).copied().unwrap_or(Placed::Known);
        now.push(placed_now(db, owner, run.id, born)?);
    }
    Ok(Some(FireOutcome { stale, blocked, placed: now }))
}

fn placed_now(db: &Connection, owner: i64, run: RunId, born: Placed) -> Step<Placed> {
    if matches!(born, Placed::Suppressed | Placed::Known) {
        return Ok(born);
    }
    let live = read_one(db, sql!("common/fire_batch_run"), &[(":id", run.as_bytes())], |row| {
        let held_by = (word(row, 0, RunState::from_word)?, row.get::<_, u32>(1)?, row.get::<_, Option<i64>>(2)?);
        Ok(born != Placed::Running || held_by == (RunState::Running, 1, Some(owner)))
    })?;
    match live {
        Some(true) => Ok(born),
        Some(false) => Ok(Placed::Known),
        None => Ok(if is_known(db, run)? { Placed::Known } else { Placed::Suppressed }),
    }
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
