//! What is repeated after an ambiguous commit gets the answer that it got first: fire batches, claims and adoptions.

use std::collections::{HashMap, HashSet};

use mainspring_core::batch::{ClaimedRun, FireBatch, FireEntry, FireOutcome, LiveRun, Placed};
use mainspring_core::run::RunState;
use mainspring_core::{RunId, TriggerId};

use super::Batches;
use super::db::{Db, Query, Row, Step, ToSql, execute, maybe_word, read, read_one, run_id, sql};
use super::list;
use super::queue::{live_run, queued_run};

/// How many answers are kept. A process has far fewer batches under way, but one that waits to be repeated is passed by
/// many others.
const KEPT: u64 = mainspring_core::batch::ANSWERS_KEPT;

const PLACES: [Placed; 5] = [Placed::Running, Placed::Queued, Placed::Held, Placed::Suppressed, Placed::Known];

/// Keeps the answer to a batch.
pub(crate) fn keep(db: &dyn Db, owner: i64, sequence: u64, outcome: &FireOutcome) -> Step<()> {
    let place = |placed: &Placed| PLACES.iter().position(|other| other == placed).expect("PLACES has every place");
    let placed: Vec<u8> = outcome.placed.iter().map(|placed| u8::try_from(place(placed)).expect("five")).collect();
    // A repeat answers the same to all of these, so one list does for them.
    let waiting = [&outcome.blocked[..], &outcome.busy].concat();
    let values: [(&str, &dyn ToSql); 6] = [
        (":slot", &slot(sequence)),
        (":incarnation", &owner),
        (":sequence", &sequence.cast_signed()),
        (":stale", &numbers(&outcome.stale)),
        (":blocked", &numbers(&waiting)),
        (":placed", &placed),
    ];
    db.post(sql!("fire_batch_keep", postgres, mysql), &values, None)
}

/// The stamp of a batch on the triggers that it advances.
pub(crate) fn stamp(owner: i64, sequence: u64) -> i64 {
    (owner << 40) | (sequence & ((1 << 40) - 1)).cast_signed()
}

/// What a batch was answered before; nothing of that is left where newer ones have taken its place.
#[derive(Default)]
pub(crate) struct Before {
    is_gone: bool,
    stale: Vec<u32>,
    /// Blocked or busy.
    waiting: Vec<u32>,
    placed: std::vec::IntoIter<u8>,
}

/// Reads the answer to a batch, if it was recorded before.
pub(crate) fn before(db: &dyn Db, owner: i64, batch: &FireBatch) -> Step<Option<Before>> {
    let sequence = batch.id.sequence;
    let values: [(&str, &dyn ToSql); 3] =
        [(":slot", &slot(sequence)), (":incarnation", &owner), (":sequence", &sequence.cast_signed())];
    let before = read_one(db, sql!("fire_batch_read"), &values, |row| {
        if row.get::<i64>(0)? != sequence.cast_signed() {
            return Ok(Before { is_gone: true, ..Before::default() });
        }
        let placed = row.get::<Vec<u8>>(3)?.into_iter();
        Ok(Before { is_gone: false, stale: list(row.get(1)?), waiting: list(row.get(2)?), placed })
    })?;
    Ok(before)
}

/// Answers a batch that was recorded before, and changes nothing: what was left out then may be another node's by now.
pub(crate) fn answer(db: &impl Batches, owner: i64, batch: &FireBatch, mut before: Before) -> Step<FireOutcome> {
    db.take_fence_back(owner)?;
    let mut outcome = FireOutcome::default();
    let mut recorded = Vec::new();
    for (index, entry) in (0_u32..).zip(&batch.entries) {
        if before.is_gone || before.waiting.contains(&index) {
            outcome.busy.push(index);
        } else if before.stale.contains(&index) {
            outcome.stale.push(index);
        } else {
            let born: Vec<u8> = before.placed.by_ref().take(entry.runs.len()).collect();
            recorded.push((index, entry, born));
        }
    }
    let entries: Vec<&FireEntry> = recorded.iter().map(|(_, entry, _)| *entry).collect();
    let now = Now::read(db, stamp(owner, batch.id.sequence), &entries)?;
    for (index, entry, born) in recorded {
        match now.places(owner, entry, &born) {
            Some(placed) => outcome.placed.extend(placed),
            None => outcome.stale.push(index),
        }
    }
    outcome.stale.sort_unstable();
    Ok(outcome)
}

/// What is there now of entries that were recorded.
struct Now {
    /// Triggers that no other batch has advanced since.
    untouched: HashSet<TriggerId>,
    /// Where unfinished runs are, for which time, and whose; nothing of those that have ended.
    runs: HashMap<RunId, Option<(RunState, u32, Option<i64>)>>,
}

impl Now {
    /// Asks about all of them at once: a node far from its database repeats what it could not hear the answer to in time.
    fn read(db: &dyn Db, stamp: i64, entries: &[&FireEntry]) -> Step<Self> {
        let mut now = Self { untouched: HashSet::new(), runs: HashMap::new() };
        if entries.is_empty() {
            return Ok(now);
        }
        let triggers = list::of_numbers(entries.iter().map(|entry| entry.trigger.0));
        let runs = list::of_runs(entries.iter().flat_map(|entry| &entry.runs).map(|run| run.id));
        let of_triggers: [(&str, &dyn ToSql); 2] = [(":triggers", &triggers), (":batch", &stamp)];
        let of_runs: [(&str, &dyn ToSql); 1] = [(":runs", &runs)];
        let queries: [Query<'_>; 2] = [
            (sql!("fire_batch_triggers", postgres, mysql), &of_triggers),
            (sql!("fire_batch_runs", postgres, mysql), &of_runs),
        ];
        db.each_of(&queries, &mut |place, row| {
            if place == 0 {
                now.untouched.insert(TriggerId(row.get(0)?));
                return Ok(());
            }
            let live = match maybe_word(row, 1, RunState::from_word)? {
                Some(state) => Some((state, row.get(2)?, row.get(3)?)),
                None => None,
            };
            now.runs.insert(run_id(row, 0)?, live);
            Ok(())
        })?;
        Ok(now)
    }

    /// Where the runs of an entry are. Nothing once its trigger and its runs have all gone on.
    fn places(&self, owner: i64, entry: &FireEntry, born: &[u8]) -> Option<Vec<Placed>> {
        let mut mine = self.untouched.contains(&entry.trigger);
        let mut places = Vec::with_capacity(born.len());
        for (run, born) in entry.runs.iter().zip(born) {
            let born = PLACES.get(usize::from(*born)).copied().unwrap_or(Placed::Known);
            let (place, open) = self.place(owner, run.id, born);
            mine |= open;
            places.push(place);
        }
        mine.then_some(places)
    }

    /// Where a run is, and whether it is unfinished and this batch's. One that has gone on is known, so that nobody
    /// starts it again.
    fn place(&self, owner: i64, run: RunId, born: Placed) -> (Placed, bool) {
        let mine = !matches!(born, Placed::Suppressed | Placed::Known);
        match self.runs.get(&run) {
            None => (Placed::Suppressed, false),
            Some(Some(live)) if mine => {
                let as_born = born != Placed::Running || *live == (RunState::Running, 1, Some(owner));
                (if as_born { born } else { Placed::Known }, true)
            }
            Some(_) => (Placed::Known, false),
        }
    }
}

/// What a process start takes by a claim, or from a dead one: the last answer of each kind is kept, in a place beside
/// those of fire batches. The place stays locked until the transaction ends, so that a repeat waits for what was sent
/// before it.
pub(crate) struct Taking<'a> {
    db: &'a dyn Db,
    owner: i64,
    slot: i64,
    sequence: i64,
    /// The number and the answer that are there.
    last: Option<(i64, Vec<u8>)>,
}

/// Bytes of a run in a kept answer: its id and its attempt.
const TAKEN_LEN: usize = 20;

impl<'a> Taking<'a> {
    /// A claim of queued runs.
    pub(crate) fn claim(db: &'a dyn Db, owner: i64, sequence: u64) -> Step<Self> {
        Self::begin(db, owner, KEPT.cast_signed(), sequence)
    }

    /// An adoption of runs of a dead process start. Their numbers begin at 1.
    pub(crate) fn adoption(db: &'a dyn Db, owner: i64, dead: i64, sequence: u64) -> Step<Self> {
        Self::begin(db, owner, KEPT.cast_signed() + dead, sequence)
    }

    fn begin(db: &'a dyn Db, owner: i64, slot: i64, sequence: u64) -> Step<Self> {
        let place: [(&str, &dyn ToSql); 2] = [(":slot", &slot), (":incarnation", &owner)];
        let last = read_one(db, sql!("taken_read", postgres, mysql), &place, |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(Self { db, owner, slot, sequence: sequence.cast_signed(), last })
    }

    /// Of what was taken under this number before, the runs that have not gone on, in the order of then. Nothing: it is new.
    pub(crate) fn repeated(&self) -> Step<Option<Vec<LiveRun>>> {
        let Some((_, taken)) = self.last.as_ref().filter(|(sequence, _)| *sequence == self.sequence) else {
            return Ok(None);
        };
        let taken = taken.as_chunks::<TAKEN_LEN>().0.iter().map(|taken| {
            let (id, attempt) = taken.split_first_chunk().expect("an id and an attempt");
            (RunId::from_bytes(*id), u32::from_be_bytes(attempt.try_into().expect("four bytes")))
        });
        let places: HashMap<(RunId, u32), usize> = taken.zip(0..).collect();
        let runs = list::of_runs(places.keys().map(|(run, _)| *run));
        let values: [(&str, &dyn ToSql); 2] = [(":runs", &runs), (":owner", &self.owner)];
        let taken = |row: &Row<'_>| Ok(LiveRun { claimed: queued_run(row, 10)?, ..live_run(row)? });
        let mut running = read(self.db, sql!("taken_runs", postgres, mysql), &values, taken)?;
        let place = |run: &LiveRun| places.get(&(run.claimed.run, run.claimed.attempt));
        running.retain(|run| place(run).is_some());
        running.sort_by_key(place);
        Ok(Some(running))
    }

    /// Keeps what has been taken. Nothing is not kept: a repeat may take something then.
    pub(crate) fn keep<'r>(&self, taken: impl IntoIterator<Item = &'r ClaimedRun>) -> Step<()> {
        let bytes = |run: &ClaimedRun| [&run.run.as_bytes()[..], &run.attempt.to_be_bytes()].concat();
        let taken: Vec<u8> = taken.into_iter().flat_map(bytes).collect();
        if taken.is_empty() {
            return Ok(());
        }
        let values: [(&str, &dyn ToSql); 4] =
            [(":sequence", &self.sequence), (":taken", &taken), (":slot", &self.slot), (":incarnation", &self.owner)];
        // Where two transactions add the place at once, one of them fails and is repeated whole.
        let statement = if self.last.is_some() { sql!("taken_keep", postgres) } else { sql!("taken_add", servers) };
        execute(self.db, statement, &values)?;
        Ok(())
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
