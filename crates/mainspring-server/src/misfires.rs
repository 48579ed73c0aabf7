//! Records of what was not fired, at a glance: sums, and the times in which nobody was there to fire.

use mainspring_api::{MisfireSummary, Outage};
use mainspring_core::Timestamp;
use mainspring_core::batch::{GapOutcome, GapReason};
use mainspring_core::run::Origin;
use mainspring_store::{GapRow, RunQuery};

use crate::app::App;
use crate::refusal::Answer;
use crate::show::instant;

/// Outages that are shown.
const OUTAGES_MAX: usize = 5;
/// What was recorded within this time belongs to one outage, in milliseconds.
const TOGETHER_MS: i64 = 60_000;
/// Runs that are looked through for those that made up for an outage.
const RUNS_MAX: u32 = 1_000;

/// A time in which instants passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Passed {
    from: Timestamp,
    to: Timestamp,
    skipped: u64,
    /// The earliest record of it.
    recorded_at: Timestamp,
}

/// Sums up records, which come newest first, and looks for the runs that made up for outages.
pub(crate) async fn summary(
    app: &App,
    (rows, rest): (Vec<(GapRow, Option<String>)>, Option<i64>),
) -> Answer<MisfireSummary> {
    let rows: Vec<GapRow> = rows.into_iter().map(|(row, _)| row).collect();
    let sum = |outcome| rows.iter().filter(|row| row.gap.outcome == outcome).map(|row| row.gap.count).sum();
    let mut outages = Vec::new();
    for passed in outages_of(&rows) {
        let caught_up = caught_up(app, passed).await?;
        outages.push(Outage {
            from: instant(passed.from),
            to: instant(passed.to),
            due: passed.skipped.saturating_add(caught_up),
            caught_up,
            skipped: passed.skipped,
        });
    }
    let (missed, suppressed) = (sum(GapOutcome::Missed), sum(GapOutcome::Suppressed));
    Ok(MisfireSummary { missed, suppressed, outages, complete: rest.is_none() })
}

/// What nobody fired in time, grouped by when it was found.
fn outages_of(rows: &[GapRow]) -> Vec<Passed> {
    let mut found: Vec<Passed> = Vec::new();
    let missed = |row: &&GapRow| matches!(row.gap.reason, GapReason::Misfire | GapReason::CatchUpCap);
    for row in rows.iter().filter(missed) {
        let gap = &row.gap;
        let is_full = found.len() == OUTAGES_MAX;
        match found.last_mut().filter(|last| last.recorded_at.since(row.at) <= TOGETHER_MS) {
            Some(last) => {
                last.from = last.from.min(gap.first);
                last.to = last.to.max(gap.last);
                last.skipped = last.skipped.saturating_add(gap.count);
                last.recorded_at = row.at;
            }
            None if is_full => break,
            None => found.push(Passed { from: gap.first, to: gap.last, skipped: gap.count, recorded_at: row.at }),
        }
    }
    found
}

/// Counts the runs that made up for instants of an outage. Ids of runs tell their instants, so no other runs are read.
async fn caught_up(app: &App, passed: Passed) -> Answer<u64> {
    let (from, to) = (Some(passed.from), Some(passed.to + 1));
    let query = RunQuery { from, to, limit: RUNS_MAX, ..RunQuery::default() };
    let runs = app.control().store().runs(query).await?;
    Ok(runs.iter().filter(|run| run.origin == Origin::Misfire).count() as u64)
}

#[cfg(test)]
mod tests {
    use mainspring_core::TriggerId;
    use mainspring_core::batch::Gap;
    use mainspring_core::job::JobKey;

    use super::*;

    #[test]
    fn what_was_found_together_is_one_outage() {
        let at = |s: i64| Timestamp::from_millis(s * 1_000);
        let row = |recorded: i64, first: i64, last: i64, count: u64, reason| GapRow {
            seq: recorded,
            job: JobKey::new("a", "b"),
            trigger: TriggerId(1),
            at: at(recorded),
            gap: Gap {
                first: at(first),
                last: at(last),
                count,
                outcome: GapOutcome::Missed,
                reason,
                policy: "smart".into(),
            },
        };
        let rows = [
            row(9_000, 8_900, 8_950, 2, GapReason::Misfire),
            row(8_999, 8_800, 8_800, 1, GapReason::CatchUpCap),
            row(8_998, 8_000, 8_000, 7, GapReason::Paused),
            row(5_000, 4_000, 4_900, 400, GapReason::Misfire),
        ];
        let found: Vec<_> = outages_of(&rows).iter().map(|it| (it.from, it.to, it.skipped)).collect();
        assert_eq!(found, [(at(8_800), at(8_950), 3), (at(4_000), at(4_900), 400)]);
    }
}
