//! Rollups as points of a chart.

use mainspring_api::{DashboardPoint, ErrorCode, did_you_mean};
use mainspring_core::Timestamp;
use mainspring_engine::Figures;
use mainspring_store::{RollupRow, RollupSpan};

use crate::refusal::{Answer, Refusal};
use crate::show::instant;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// How far back a dashboard looks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Range {
    Hour,
    SixHours,
    Day,
    Week,
    Month,
    Quarter,
}

impl Range {
    const ALL: [(&'static str, Self); 6] = [
        ("1h", Self::Hour),
        ("6h", Self::SixHours),
        ("24h", Self::Day),
        ("7d", Self::Week),
        ("30d", Self::Month),
        ("90d", Self::Quarter),
    ];

    /// Reads the `range` of a query.
    pub(crate) fn of(asked: Option<&str>) -> Answer<Self> {
        let Some(text) = asked else { return Ok(Self::Hour) };
        let words = Self::ALL.map(|(word, _)| word);
        let found = Self::ALL.into_iter().find(|(word, _)| *word == text).map(|(_, range)| range);
        found.ok_or_else(|| {
            let detail = format!("query parameter \"range\" takes {}", words.join(", "));
            let refusal = Refusal::new(ErrorCode::RequestQuery, detail);
            match did_you_mean(text, words) {
                Some(hint) => refusal.hint(hint),
                None => refusal,
            }
        })
    }

    /// How long it is, and each of its points.
    const fn lengths(self) -> (i64, i64) {
        match self {
            Self::Hour => (HOUR_MS, MINUTE_MS),
            Self::SixHours => (6 * HOUR_MS, 5 * MINUTE_MS),
            Self::Day => (DAY_MS, 15 * MINUTE_MS),
            Self::Week => (7 * DAY_MS, 2 * HOUR_MS),
            Self::Month => (30 * DAY_MS, 6 * HOUR_MS),
            Self::Quarter => (90 * DAY_MS, DAY_MS),
        }
    }

    pub(crate) const fn step_ms(self) -> i64 {
        self.lengths().1
    }

    /// The rollups that it is made of.
    pub(crate) const fn span(self) -> RollupSpan {
        match self {
            Self::Hour | Self::SixHours => RollupSpan::Minute,
            Self::Day | Self::Week => RollupSpan::Quarter,
            Self::Month | Self::Quarter => RollupSpan::Watch,
        }
    }

    /// Where its first point begins, so that the last one holds `now`.
    pub(crate) fn begin(self, now: Timestamp) -> Timestamp {
        let (length, step) = self.lengths();
        let last = now.as_millis().div_euclid(step) * step;
        Timestamp::from_millis(last - length + step)
    }
}

/// Adds rollups up to the points of a range, and to one sum: of a namespace, or of all. Lateness is that of all.
pub(super) fn series(
    rows: &[RollupRow],
    range: Range,
    namespace: Option<&str>,
    now: Timestamp,
) -> (Vec<DashboardPoint>, Figures) {
    let (length, step) = range.lengths();
    let begin = range.begin(now);
    let mut parts = vec![Figures::default(); usize::try_from(length / step).unwrap_or(0)];
    let mut total = Figures::default();
    for row in rows {
        let place = usize::try_from(row.at.since(begin).div_euclid(step)).ok();
        let (Some(part), Some(figures)) = (place.and_then(|place| parts.get_mut(place)), Figures::read(row)) else {
            continue;
        };
        part.add(&figures);
        total.add(&figures);
    }
    if let Some(namespace) = namespace {
        let of = |figures: &Figures| Figures { lateness: figures.lateness.clone(), ..figures.of(namespace) };
        parts = parts.iter().map(of).collect();
        let sums = of(&total);
        total = Figures { namespaces: total.namespaces, ..sums };
    }
    let begins = (0_i64..).map(|index| begin + index * step);
    (begins.zip(&parts).map(|(at, figures)| point(at, figures)).collect(), total)
}

fn point(at: Timestamp, figures: &Figures) -> DashboardPoint {
    let Figures { fires, succeeded, failed, cancelled, skipped, missed, lateness, .. } = figures;
    DashboardPoint {
        at: instant(at),
        fires: *fires,
        succeeded: *succeeded,
        failed: *failed,
        cancelled: *cancelled,
        skipped: *skipped,
        missed: *missed,
        late_p50_ms: lateness.quantile(50, 100),
        late_p99_ms: lateness.quantile(99, 100),
        late_max_ms: lateness.max(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_767_225_600_000 + ms)
    }

    fn row(ms: i64, node: &str, succeeded: u64) -> RollupRow {
        let figures = serde_json::to_string(&Figures { succeeded, ..Figures::default() }).unwrap();
        RollupRow { span: RollupSpan::Minute, at: at(ms), queue: None, node: node.into(), figures }
    }

    #[test]
    fn points_add_up_nodes_and_have_no_gaps() {
        let now = at(10 * MINUTE_MS + 5);
        let broken = RollupRow { figures: "?".into(), ..row(MINUTE_MS, "c", 0) };
        let rows = [
            row(-HOUR_MS, "a", 99),
            row(MINUTE_MS, "a", 2),
            row(MINUTE_MS, "b", 3),
            broken,
            row(10 * MINUTE_MS, "a", 4),
        ];
        let (points, total) = series(&rows, Range::Hour, None, now);
        assert_eq!((points.len(), total.succeeded), (60, 9));
        assert_eq!(points[59].at, instant(at(10 * MINUTE_MS)));
        let busy: Vec<_> =
            points.iter().filter(|point| point.succeeded > 0).map(|point| (point.at, point.succeeded)).collect();
        assert_eq!(busy, [(instant(at(MINUTE_MS)), 5), (instant(at(10 * MINUTE_MS)), 4)]);
        let (coarse, _) = series(&rows, Range::SixHours, None, now);
        assert_eq!((coarse.len(), coarse[71].succeeded, coarse[69].succeeded), (72, 4, 5));
    }

    #[test]
    fn points_of_a_namespace_leave_the_others_out() {
        let counts = |failed| mainspring_engine::Counts { failed, ..mainspring_engine::Counts::default() };
        let namespaces = [("north".to_owned(), counts(2)), ("south".to_owned(), counts(3))].into();
        let figures = Figures { failed: 5, namespaces, ..Figures::default() };
        let row = RollupRow { figures: serde_json::to_string(&figures).unwrap(), ..row(MINUTE_MS, "a", 0) };
        for (namespace, failed) in [(None, 5), (Some("north"), 2), (Some("east"), 0)] {
            let (points, total) = series(std::slice::from_ref(&row), Range::Hour, namespace, at(10 * MINUTE_MS));
            assert_eq!((points.iter().map(|point| point.failed).sum::<u64>(), total.failed), (failed, failed));
        }
    }

    #[test]
    fn rollups_divide_the_points_of_every_range() {
        for (word, range) in Range::ALL {
            let (length, step) = range.lengths();
            assert_eq!((length % step, step % range.span().ms()), (0, 0), "{word}");
            assert!(range.span().kept_ms() > length, "{word}");
            assert_eq!(Range::of(Some(word)).unwrap(), range);
        }
        assert_eq!(Range::of(Some("24")).unwrap_err().0.hint.as_deref(), Some("did you mean \"24h\"?"));
    }
}
