//! Records of what was not fired, at a glance: sums, and the times in which nobody was there to fire.

use std::collections::BTreeMap;

use mainspring_api::{MisfireSummary, Outage, PolicyMisfires};
use mainspring_core::Timestamp;
use mainspring_core::batch::{GapOutcome, GapReason};
use mainspring_core::job::JobKey;
use mainspring_core::run::Origin;
use mainspring_store::{GapRow, RunInfo, RunQuery};

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

/// Whose records are summed up; all if it says nothing.
#[derive(Clone, Copy, Default)]
pub(crate) struct Of<'a> {
    pub(crate) namespace: Option<&'a str>,
    pub(crate) job: Option<&'a str>,
}

/// Sums up records, which come newest first, and looks for the runs that made up for outages.
pub(crate) async fn summary(
    app: &App,
    of: Of<'_>,
    (rows, rest): (Vec<(GapRow, Option<String>)>, Option<i64>),
) -> Answer<MisfireSummary> {
    let rows: Vec<GapRow> = rows.into_iter().map(|(row, _)| row).collect();
    let sum = |outcome| rows.iter().filter(|row| row.gap.outcome == outcome).map(|row| row.gap.count).sum();
    let mut outages = Vec::new();
    let mut complete = rest.is_none();
    for passed in outages_of(&rows) {
        let runs = app.control().store().runs(runs_of(app, of, passed).await?).await?;
        complete &= runs.len() < RUNS_MAX as usize;
        let caught_up = caught_up(&runs, of.job);
        outages.push(Outage {
            from: instant(passed.from),
            to: instant(passed.to),
            due: passed.skipped.saturating_add(caught_up),
            caught_up,
            skipped: passed.skipped,
        });
    }
    let (missed, suppressed) = (sum(GapOutcome::Missed), sum(GapOutcome::Suppressed));
    Ok(MisfireSummary { missed, suppressed, policies: by_policy(&rows), outages, complete })
}

/// How many instants each policy let pass, the most first.
fn by_policy(rows: &[GapRow]) -> Vec<PolicyMisfires> {
    let mut found: BTreeMap<&str, PolicyMisfires> = BTreeMap::new();
    for GapRow { gap, .. } in rows {
        let of = || PolicyMisfires { policy: gap.policy.clone(), ..PolicyMisfires::default() };
        let sums = found.entry(&gap.policy).or_insert_with(of);
        let sum = if gap.outcome == GapOutcome::Missed { &mut sums.missed } else { &mut sums.suppressed };
        *sum = sum.saturating_add(gap.count);
    }
    let mut found: Vec<_> = found.into_values().collect();
    found.sort_by_key(|it| std::cmp::Reverse(it.missed.saturating_add(it.suppressed)));
    found
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

/// Asks for the runs in an outage. Ids of runs tell their instants, so no others are read.
async fn runs_of(app: &App, of: Of<'_>, passed: Passed) -> Answer<RunQuery> {
    let job = match (of.namespace, of.job) {
        (Some(namespace), Some(name)) => app.control().store().job(&JobKey::new(namespace, name)).await?,
        _ => None,
    };
    Ok(RunQuery {
        namespace: of.namespace.map(str::to_owned),
        job: job.map(|row| row.id),
        from: Some(passed.from),
        to: Some(passed.to + 1),
        limit: RUNS_MAX,
        ..RunQuery::default()
    })
}

/// Counts the runs that made up for instants: of a job of this name, which may be deleted or in several namespaces.
fn caught_up(runs: &[RunInfo], job: Option<&str>) -> u64 {
    let of_job = |run: &&RunInfo| job.is_none_or(|name| run.key.name == name);
    runs.iter().filter(|run| run.origin == Origin::Misfire).filter(of_job).count() as u64
}

#[cfg(test)]
mod tests {
    use mainspring_core::TriggerId;
    use mainspring_core::batch::Gap;

    use super::*;

    fn at(s: i64) -> Timestamp {
        Timestamp::from_millis(s * 1_000)
    }

    fn row(recorded: i64, first: i64, last: i64, count: u64, reason: GapReason, policy: &str) -> GapRow {
        let outcome = if reason == GapReason::Overlap { GapOutcome::Suppressed } else { GapOutcome::Missed };
        GapRow {
            seq: recorded,
            job: JobKey::new("a", "b"),
            trigger: TriggerId(1),
            at: at(recorded),
            gap: Gap { first: at(first), last: at(last), count, outcome, reason, policy: policy.into() },
            backfill: None,
            backfilled: 0,
        }
    }

    #[test]
    fn what_was_found_together_is_one_outage() {
        let rows = [
            row(9_000, 8_900, 8_950, 2, GapReason::Misfire, "do_nothing"),
            row(8_999, 8_800, 8_800, 1, GapReason::CatchUpCap, "do_nothing"),
            row(8_998, 8_000, 8_000, 7, GapReason::Paused, "resume"),
            row(5_000, 4_000, 4_900, 400, GapReason::Misfire, "do_nothing"),
        ];
        let found: Vec<_> = outages_of(&rows).iter().map(|it| (it.from, it.to, it.skipped)).collect();
        assert_eq!(found, [(at(8_800), at(8_950), 3), (at(4_000), at(4_900), 400)]);
    }

    #[test]
    fn policies_are_counted_by_what_they_let_pass() {
        let rows = [
            row(4, 4, 4, 1, GapReason::Overlap, "skip"),
            row(3, 3, 3, 2, GapReason::Misfire, "fire_once_now"),
            row(2, 2, 2, 30, GapReason::Overlap, "skip"),
            row(1, 1, 1, 5, GapReason::Paused, "resume"),
        ];
        let told: Vec<_> = by_policy(&rows).into_iter().map(|it| (it.policy, it.missed, it.suppressed)).collect();
        let expected = [("skip", 0, 31), ("resume", 5, 0), ("fire_once_now", 2, 0)];
        assert_eq!(told, expected.map(|(policy, missed, suppressed)| (policy.to_owned(), missed, suppressed)));
    }
}
