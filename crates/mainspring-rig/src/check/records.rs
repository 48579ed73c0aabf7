//! Every instant has one record: I1, I2, I3.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::batch::{GapOutcome, GapReason};
use mainspring_core::{Timestamp, TriggerId};

use super::{Judge, Kind};
use crate::history::{Gap, History, Promise, Run};

/// The records of one instant.
#[derive(Clone, Copy, Default, Debug)]
struct Records {
    fired: u64,
    missed: u64,
    suppressed: u64,
}

impl Records {
    const fn count(self) -> u64 {
        self.fired + self.missed + self.suppressed
    }
}

impl Judge {
    pub(super) fn records(&mut self, history: &History) {
        let (mut runs, mut gaps) = (BTreeMap::<_, Vec<&Run>>::new(), BTreeMap::<_, Vec<&Gap>>::new());
        for run in &history.runs {
            run.trigger.into_iter().for_each(|trigger| runs.entry(trigger).or_default().push(run));
        }
        history.gaps.iter().for_each(|gap| gaps.entry(gap.trigger).or_default().push(gap));
        for promise in &history.promises {
            let runs = runs.remove(&promise.trigger).unwrap_or_default();
            let gaps = gaps.remove(&promise.trigger).unwrap_or_default();
            self.kept(promise, &runs, &gaps);
            if history.doubled.contains(&promise.trigger) {
                let detail = "the database holds more than one run of an instant";
                self.wrong(Kind::Duplicate, &promise.name, history.read_at, detail);
            }
        }
        let rest: BTreeSet<TriggerId> = runs.into_keys().chain(gaps.into_keys()).collect();
        for trigger in rest {
            self.wrong(Kind::Phantom, &format!("trigger {}", trigger.0), history.read_at, "records, but no promise");
        }
    }

    /// Checks whether a promise was kept.
    fn kept(&mut self, promise: &Promise, runs: &[&Run], gaps: &[&Gap]) {
        let empty = |instant: &Timestamp| (*instant, Records::default());
        let mut records: BTreeMap<Timestamp, Records> = promise.instants.iter().map(empty).collect();
        for run in runs.iter().filter(|run| run.fire_time <= promise.through) {
            match records.get_mut(&run.fire_time) {
                Some(found) => found.fired += 1,
                None => self.wrong(Kind::Phantom, &promise.name, run.fire_time, format!("{} at no instant", run.id)),
            }
            self.report.latest_ms = self.report.latest_ms.max(run.created_at.since(run.due_at));
        }
        for gap in gaps.iter().filter(|gap| gap.range.first <= promise.through) {
            self.gap(promise, gap, &mut records);
        }
        for (instant, found) in records {
            self.instant(promise, instant, found);
        }
    }

    fn gap(&mut self, promise: &Promise, gap: &Gap, records: &mut BTreeMap<Timestamp, Records>) {
        let (first, last, place) = (gap.range.first, gap.range.last, &promise.name);
        // While a change is under way, instants are those of the one schedule or of the other.
        let (mut least, mut count) = (0, 0);
        for (instant, found) in records.range_mut(first..=last) {
            least += u64::from(within(*instant, &promise.must) || !within(*instant, &promise.may));
            count += 1;
            match gap.range.outcome {
                GapOutcome::Missed => found.missed += 1,
                GapOutcome::Suppressed => found.suppressed += 1,
            }
        }
        if last <= promise.through && !(least.max(1)..=count).contains(&gap.range.count) {
            let detail = format!("a gap through {last} counts {}, the schedule {count}", gap.range.count);
            self.wrong(Kind::Phantom, place, first, detail);
        }
        // A fire that stands for what was missed takes the instant before, and leaves the others.
        let oldest = records.range(..first).next_back().map_or(first, |(before, _)| *before);
        let promised = records.range(first..=last).any(|(instant, _)| within(*instant, &promise.must));
        let why = match (gap.range.outcome, gap.range.reason) {
            (GapOutcome::Suppressed, _) if !promise.suppresses => "suppressed, without a limit",
            (GapOutcome::Missed, GapReason::Paused) if promised => "missed for a pause that was none",
            (GapOutcome::Missed, GapReason::Changed | GapReason::Deleted) if promised => {
                "missed for a change that was none"
            }
            (GapOutcome::Missed, GapReason::Misfire) if gap.at.since(oldest) <= promise.threshold_ms => {
                "missed before the threshold"
            }
            _ => return,
        };
        self.wrong(Kind::Unlawful, place, first, why);
    }

    fn instant(&mut self, promise: &Promise, instant: Timestamp, found: Records) {
        let must = within(instant, &promise.must);
        let report = &mut self.report;
        report.instants += u64::from(must);
        report.fired += found.fired;
        report.missed += found.missed;
        report.suppressed += found.suppressed;
        if found.count() > 1 {
            self.wrong(Kind::Duplicate, &promise.name, instant, format!("{found:?}"));
        } else if found.count() == 0 && must {
            self.wrong(Kind::Lost, &promise.name, instant, "no record");
        } else if found.fired > 0 && !must && !within(instant, &promise.may) {
            self.wrong(Kind::Phantom, &promise.name, instant, "fired while nothing was promised");
        }
    }
}

fn within(instant: Timestamp, ranges: &[(Timestamp, Timestamp)]) -> bool {
    ranges.iter().any(|(from, through)| (*from..=*through).contains(&instant))
}
