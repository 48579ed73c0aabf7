//! How queues did over time: what processes have kept, as points of a chart.

use std::collections::BTreeMap;

use mainspring_api::{ErrorCode, QueueHistory, QueueHistoryFilter, QueueLately, QueuePoint};
use mainspring_core::Timestamp;
use mainspring_engine::QueueFigures;
use mainspring_store::{RollupRow, RollupSpan};

use crate::refusal::{Answer, Refusal};
use crate::show::{from_wire, instant};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Points that are made where nobody says how long they are, about, and at most.
const POINTS: i64 = 100;
const POINTS_MAX: i64 = 3_000;
/// Whole minutes that are looked at for how a queue does lately.
const LATELY: usize = 5;

/// Which points are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wanted {
    pub(crate) span: RollupSpan,
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
    step_ms: i64,
}

impl Wanted {
    /// Reads what is asked for.
    pub(crate) fn of(filter: QueueHistoryFilter, now: Timestamp) -> Answer<Self> {
        let refused = |detail: String| Err(Refusal::new(ErrorCode::RequestQuery, detail));
        let to = filter.to.map_or(now, from_wire).min(now);
        let from = filter.from.map_or(to + -HOUR_MS, from_wire);
        if from >= to {
            return refused(format!("from is {}; it has to be before to, {}", instant(from), instant(to)));
        }
        let length = to.since(from);
        let asked = match filter.step_ms {
            Some(0) => return refused("step_ms is 0; it is 60000 or more".to_owned()),
            Some(step) => i64::try_from(step).unwrap_or(i64::MAX).min(RollupSpan::Watch.queue_kept_ms()),
            None => length / POINTS,
        };
        let kept = RollupSpan::ALL.into_iter().filter(|span| now.since(from) <= span.queue_kept_ms());
        // The longest that makes such points, so that no more is read than is needed.
        let (mut fits, mut shortest) = (None, RollupSpan::Watch);
        for span in kept.rev() {
            shortest = span;
            fits = fits.or((span.ms() <= asked).then_some(span));
        }
        let span = fits.unwrap_or(shortest);
        let step_ms = ((asked.max(1) - 1) / span.ms() + 1) * span.ms();
        let begin = Timestamp::from_millis(from.as_millis().div_euclid(step_ms) * step_ms);
        if to.since(begin) / step_ms >= POINTS_MAX {
            return refused(format!("step_ms is too short: that is more than {POINTS_MAX} points"));
        }
        Ok(Self { span, from: begin, to, step_ms })
    }

    /// Adds rows up to points. Rows come in order of time.
    pub(crate) fn history(self, queue: String, rows: &[RollupRow]) -> QueueHistory {
        let count = usize::try_from((self.to.since(self.from) - 1).div_euclid(self.step_ms) + 1).unwrap_or(0);
        let mut parts = vec![QueueFigures::default(); count];
        for (at, figures) in joined(rows) {
            let place = usize::try_from(at.since(self.from).div_euclid(self.step_ms)).ok();
            if let Some(part) = place.and_then(|place| parts.get_mut(place)) {
                part.follow(&figures);
            }
        }
        let begins = (0_i64..).map(|index| self.from + index * self.step_ms);
        let points: Vec<QueuePoint> = begins.zip(&parts).map(|(at, figures)| point(at, figures)).collect();
        let end = self.from + i64::try_from(count).unwrap_or(i64::MAX) * self.step_ms;
        let step_ms = self.step_ms.unsigned_abs();
        QueueHistory { queue, from: instant(self.from), to: instant(end), step_ms, points }
    }
}

/// From when on rows are read to say how queues do lately.
pub(crate) fn lately_from(now: Timestamp) -> Timestamp {
    RollupSpan::Minute.start(now) + -MINUTE_MS * i64::try_from(LATELY).unwrap_or(0)
}

/// How queues do lately, by name. Rows are those of minutes, in order of queue and time.
pub(crate) fn lately(rows: &[RollupRow], now: Timestamp) -> BTreeMap<String, QueueLately> {
    let from = lately_from(now);
    let parts = rows.chunk_by(|one, next| one.queue == next.queue);
    let of_queue = |rows: &[RollupRow]| {
        let mut minutes = vec![QueueFigures::default(); LATELY + 1];
        for (at, figures) in joined(rows) {
            let place = usize::try_from(at.since(from).div_euclid(MINUTE_MS)).ok();
            if let Some(minute) = place.and_then(|place| minutes.get_mut(place)) {
                *minute = figures;
            }
        }
        let queue = rows.first().and_then(|row| row.queue.clone()).unwrap_or_default();
        (queue, sum(&minutes))
    };
    parts.map(of_queue).collect()
}

fn sum(minutes: &[QueueFigures]) -> QueueLately {
    let whole = &minutes[..LATELY];
    let left: u64 = whole.iter().map(|minute| minute.left).sum();
    let mut all = QueueFigures::default();
    minutes.iter().for_each(|minute| all.follow(minute));
    let grows = |minute: &QueueFigures| minute.arrived() > minute.left;
    // Of a queue that is counted up to a bound, nobody knows whether it grows.
    let is_filling = whole.iter().any(grows) && whole.iter().all(|minute| minute.depth.is_least || grows(minute));
    let pace = (left > 0 && all.depth.last > 0).then(|| MINUTE_MS.unsigned_abs() * LATELY as u64);
    QueueLately {
        depths: minutes.iter().map(|minute| minute.depth.max).collect(),
        arrived: whole.iter().map(QueueFigures::arrived).sum(),
        left,
        wait_p95_ms: all.waits.quantile(95, 100),
        is_filling,
        drain_ms: pace.map(|pace| all.depth.last.saturating_mul(pace) / left),
    }
}

/// What all processes saw of a queue, span by span.
fn joined(rows: &[RollupRow]) -> impl Iterator<Item = (Timestamp, QueueFigures)> {
    rows.chunk_by(|one, next| one.at == next.at).filter_map(|rows| {
        let mut figures = rows.iter().filter_map(QueueFigures::read);
        let mut first = figures.next()?;
        figures.for_each(|other| first.join(&other));
        Some((rows[0].at, first))
    })
}

fn point(at: Timestamp, figures: &QueueFigures) -> QueuePoint {
    let QueueFigures { left, waits, depth } = figures;
    QueuePoint {
        at: instant(at),
        arrived: figures.arrived(),
        left: *left,
        depth: depth.last,
        depth_max: depth.max,
        depth_is_least: depth.is_least,
        wait_p50_ms: waits.quantile(50, 100),
        wait_p95_ms: waits.quantile(95, 100),
        wait_max_ms: waits.max(),
    }
}

#[cfg(test)]
mod tests {
    use mainspring_engine::Depth;

    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_767_225_600_000 + ms)
    }

    fn row(queue: &str, minute: i64, node: &str, left: u64, (before, last): (u64, u64)) -> RollupRow {
        let depth = Depth { before, last, max: before.max(last), sum: last, looks: 1, is_least: false };
        let figures = serde_json::to_string(&QueueFigures { left, depth, ..QueueFigures::default() }).unwrap();
        let (span, at) = (RollupSpan::Minute, at(minute * MINUTE_MS));
        RollupRow { span, at, queue: Some(queue.to_owned()), node: node.to_owned(), figures }
    }

    fn wanted(from_min: i64, to_min: i64, step_ms: Option<u64>) -> Answer<Wanted> {
        let [from, to] = [from_min, to_min].map(|minute| Some(instant(at(minute * MINUTE_MS))));
        Wanted::of(QueueHistoryFilter { from, to, step_ms }, at(0))
    }

    #[test]
    fn steps_are_made_of_what_is_kept() {
        let (minute, quarter, watch) = (RollupSpan::Minute, RollupSpan::Quarter, RollupSpan::Watch);
        let day = 24 * 60;
        for (from, to, asked, span, step_min) in [
            (-60, 0, None, minute, 1),
            (-60, 0, Some(1), minute, 1),
            (-60, 0, Some(90_000), minute, 2),
            (-360, 0, None, minute, 4),
            (-day, 0, None, minute, 15),
            (-7 * day, 0, None, quarter, 105),
            (-3 * day, -3 * day + 60, Some(60_000), quarter, 15),
            (-30 * day, 0, None, watch, 540),
            (-9 * day, -9 * day + 60, None, watch, 180),
            (-day, 0, Some(3_600_000), quarter, 60),
        ] {
            let wanted = wanted(from, to, asked).unwrap();
            let step = wanted.step_ms / MINUTE_MS;
            assert_eq!((step, wanted.from.as_millis() % wanted.step_ms), (step_min, 0), "{from} {to} {asked:?}");
            assert_eq!(wanted.span, span, "{from} {to} {asked:?}");
        }
        assert!(wanted(0, 0, None).is_err() && wanted(-60, 0, Some(0)).is_err());
        assert!(wanted(-100 * day, 0, Some(60_000)).is_ok(), "points are as long as what is kept");
        assert_eq!(wanted(-60, 600, None).unwrap().to, at(0), "nothing is known of what comes");
    }

    #[test]
    fn points_join_nodes_and_have_no_gaps() {
        let rows = [
            row("mail", -4, "a", 3, (0, 2)),
            row("mail", -4, "b", 1, (0, 2)),
            row("mail", -3, "a", 0, (2, 9)),
            RollupRow { figures: "?".to_owned(), ..row("mail", -2, "a", 1, (9, 9)) },
            row("mail", -1, "a", 12, (9, 1)),
        ];
        let shown = |step: Option<u64>| {
            let made = wanted(-5, 0, step).unwrap().history("mail".to_owned(), &rows);
            let point = |point: &QueuePoint| (point.arrived, point.left, point.depth, point.depth_max);
            (made.from, made.to, made.points.iter().map(point).collect::<Vec<_>>())
        };
        let (from, to, points) = shown(None);
        assert_eq!((from, to), (instant(at(-5 * MINUTE_MS)), instant(at(0))));
        assert_eq!(points, [(0, 0, 0, 0), (6, 4, 2, 2), (7, 0, 9, 9), (0, 0, 0, 0), (4, 12, 1, 9)]);
        let (from, to, points) = shown(Some(180_000));
        assert_eq!((from, to), (instant(at(-6 * MINUTE_MS)), instant(at(0))));
        assert_eq!(points, [(6, 4, 2, 2), (11, 12, 1, 9)]);
    }

    #[test]
    fn queue_fills_where_more_comes_than_leaves_in_every_minute() {
        let fills = |depths: [u64; 6]| {
            let minutes =
                depths.windows(2).zip(0..).map(|(depth, minute)| row("q", minute - 5, "a", 6, (depth[0], depth[1])));
            let rows: Vec<_> = minutes.chain([row("q", 0, "a", 1, (depths[5], depths[5]))]).collect();
            lately(&rows, at(30_000)).remove("q").unwrap()
        };
        let filling = fills([0, 1, 2, 3, 4, 60]);
        assert_eq!((filling.arrived, filling.left, filling.is_filling), (90, 30, true));
        assert_eq!((filling.depths, filling.drain_ms), (vec![1, 2, 3, 4, 60, 60], Some(600_000)));
        assert!(!fills([0, 1, 2, 2, 4, 60]).is_filling, "one minute kept up");
        assert_eq!(fills([5, 4, 3, 2, 1, 0]).drain_ms, None, "nothing waits");
        assert_eq!(lately(&[], at(0)), BTreeMap::new());
    }
}
