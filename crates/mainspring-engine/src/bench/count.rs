//! What became of every instant, counted from the tables.

use std::collections::HashMap;

use mainspring_core::{JobId, Timestamp, TriggerId};
use mainspring_store::{Store, Tally};

use super::Result;
use super::load::{Planted, Planting};

/// Triggers looked up at a time.
const SLICE: usize = 1_000;

/// What the tables say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counted {
    /// Recorded runs.
    pub(super) fires: u64,
    /// Instants without any record.
    pub(super) lost: u64,
    /// Instants with more than one run, and records of instants that no trigger has.
    pub(super) duplicates: u64,
}

/// Counts. Instants up to `until` must have a record, and so must those before a later one that has.
pub(super) async fn count(store: &dyn Store, planting: &Planting, until: Timestamp) -> Result<Counted> {
    let tallies = store.tally().await?;
    let mut jobs = HashMap::with_capacity(tallies.len());
    for slice in tallies.chunks(SLICE) {
        let ids: Vec<TriggerId> = slice.iter().map(|tally| tally.trigger).collect();
        jobs.extend(store.trigger_rows(&ids).await?.into_iter().map(|row| (row.id, row.job)));
    }
    Ok(compare(planting, until, &tallies, &jobs))
}

fn compare(planting: &Planting, until: Timestamp, tallies: &[Tally], jobs: &HashMap<TriggerId, JobId>) -> Counted {
    let by_job: HashMap<JobId, &Tally> =
        tallies.iter().filter_map(|tally| Some((*jobs.get(&tally.trigger)?, tally))).collect();
    let mut counted = Counted { fires: tallies.iter().map(|tally| tally.fired).sum(), ..Counted::default() };
    for planted in &planting.triggers {
        let (lost, duplicates) = judge(planted, until, by_job.get(&planted.job).copied());
        counted.lost += lost;
        counted.duplicates += duplicates;
    }
    let strange = tallies.iter().filter(|tally| jobs.get(&tally.trigger).and_then(|job| planting.of(*job)).is_none());
    counted.duplicates += strange.map(|tally| tally.fired).sum::<u64>();
    counted
}

/// Lost instants of a trigger, and those with too many records.
fn judge(planted: &Planted, until: Timestamp, tally: Option<&Tally>) -> (u64, u64) {
    let Some(tally) = tally else { return (planted.instants(until), 0) };
    let expected = planted.instants(tally.last.map_or(until, |last| last.max(until)));
    let recorded = tally.fired.saturating_sub(tally.duplicated) + tally.missed + tally.suppressed;
    (expected.saturating_sub(recorded), tally.duplicated + recorded.saturating_sub(expected))
}

#[cfg(test)]
mod tests {
    use mainspring_core::cluster::Shard;

    use super::*;

    const BEGIN: Timestamp = Timestamp::from_millis(1_767_225_600_000);

    fn tally(fired: u64, duplicated: u64, missed: u64, last_ms: i64) -> Tally {
        let (first, last) = (Some(BEGIN), Some(BEGIN + last_ms));
        Tally { trigger: TriggerId(1), fired, duplicated, missed, suppressed: 0, first, last }
    }

    #[test]
    fn each_trigger_is_judged_for_itself() {
        let planted = Planted { job: JobId(7), shard: Shard(0), group: "job", first: BEGIN, interval_ms: 1_000 };
        let until = BEGIN + 3_500;
        for (tally, expected, what) in [
            (None, (4, 0), "nothing is recorded"),
            (Some(tally(4, 0, 0, 3_000)), (0, 0), "all is"),
            (Some(tally(3, 0, 1, 3_000)), (0, 0), "a missed instant is accounted for"),
            (Some(tally(5, 0, 0, 4_000)), (0, 0), "a fire after the end that was waited for"),
            (Some(tally(4, 0, 0, 4_000)), (1, 0), "an instant is missing before the last"),
            (Some(tally(2, 0, 0, 1_000)), (2, 0), "the last two are missing"),
            (Some(tally(5, 1, 0, 3_000)), (0, 1), "an instant fired twice"),
            (Some(tally(4, 1, 0, 3_000)), (1, 1), "one fired twice does not hide one that did not"),
            (Some(tally(6, 0, 0, 3_000)), (0, 2), "instants that the trigger does not have"),
        ] {
            assert_eq!(judge(&planted, until, tally.as_ref()), expected, "{what}");
        }
    }

    #[test]
    fn records_of_nobody_count_as_duplicates() {
        let planting = Planting { begin: BEGIN, triggers: Vec::new() };
        let counted = compare(&planting, BEGIN, &[tally(3, 0, 0, 0)], &HashMap::new());
        assert_eq!(counted, Counted { fires: 3, lost: 0, duplicates: 3 });
    }
}
