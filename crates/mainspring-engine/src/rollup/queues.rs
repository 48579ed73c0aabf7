//! How each queue did, span by span: how many runs left it, for how long they had waited, and how many waited.
//!
//! Runs that leave are counted where a batch of fires or a claim is done. How many wait is looked at every few seconds with the store's other
//! figures. How many have come follows from both: as many as have left, and as many as the queue has grown by.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mainspring_core::Timestamp;
use mainspring_core::batch::{ClaimedRun, FireBatch, FireOutcome, Placed};
use mainspring_core::line::Line;
use mainspring_store::{RollupRow, RollupSpan};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::lateness::Lateness;

/// Queues of which one process keeps figures within a span: those that it saw first.
pub const QUEUES_MAX: usize = 100;
/// Spans that are kept in memory while the store does not answer; older ones are given up.
const PENDING_MAX: usize = 12 * QUEUES_MAX;
/// From one write of the spans that are longer than a minute to the next, while they go on.
const COARSE_EVERY_MS: i64 = 60_000;

/// How a queue did within a span, as one process saw it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct QueueFigures {
    /// Runs that left the queue through this process: they were claimed, or were started as they fired.
    pub left: u64,
    /// How long those had been due by then. Of runs that are tried again, nobody knows since when they waited.
    pub waits: Lateness,
    /// How many runs waited, whoever takes them.
    pub depth: Depth,
}

/// How many runs of a queue waited, from one look to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Depth {
    /// At the last look before the span, or at the first one of all.
    pub before: u64,
    /// At the last look.
    pub last: u64,
    /// At most.
    pub max: u64,
    /// The sum over all looks: divided by their number, what waited on average.
    pub sum: u64,
    /// How often it was looked.
    pub looks: u64,
    /// Whether more may have waited: it was counted up to a bound.
    pub is_least: bool,
}

impl QueueFigures {
    /// Reads what a node has kept; nothing if it is of a newer program.
    #[must_use]
    pub fn read(row: &RollupRow) -> Option<Self> {
        serde_json::from_str(&row.figures).ok()
    }

    /// Adds what another process saw in the same span. All see the same runs wait: the one that looked most often is believed.
    pub fn join(&mut self, other: &Self) {
        self.left += other.left;
        self.waits.add(&other.waits);
        if other.depth.looks > self.depth.looks {
            self.depth = other.depth;
        }
    }

    /// Adds the span that follows.
    pub fn follow(&mut self, next: &Self) {
        self.left += next.left;
        self.waits.add(&next.waits);
        self.depth.follow(&next.depth);
    }

    /// How many runs have come: those that left, and those by which the queue has grown. What was cancelled or moved away while it waited
    /// counts against them.
    #[must_use]
    pub const fn arrived(&self) -> u64 {
        (self.left + self.depth.last).saturating_sub(self.depth.before)
    }
}

impl Depth {
    fn follow(&mut self, next: &Self) {
        if next.looks == 0 {
            return;
        }
        if self.looks == 0 {
            self.before = next.before;
        }
        self.last = next.last;
        self.max = self.max.max(next.max);
        self.sum += next.sum;
        self.looks += next.looks;
        self.is_least |= next.is_least;
    }

    /// What waited on average.
    #[must_use]
    pub const fn mean(&self) -> u64 {
        match self.sum.checked_div(self.looks) {
            Some(mean) => mean,
            None => 0,
        }
    }
}

/// How many runs wait in a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Waiting {
    pub(crate) count: u64,
    /// Whether more may wait.
    pub(crate) is_least: bool,
}

/// What leaves queues, and what waits in them.
#[derive(Debug, Default)]
pub(crate) struct QueueFlow {
    /// What has left since the last look.
    gone: Mutex<FxHashMap<String, Gone>>,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Gone {
    left: u64,
    waits: Lateness,
}

/// The spans that are not written yet, and those that go on.
#[derive(Debug, Default)]
struct Kept {
    spans: BTreeMap<(Timestamp, RollupSpan, String), Span>,
    /// How many waited at the last look, where any did; nothing before the first one.
    depths: Option<BTreeMap<String, u64>>,
    coarse_at: Option<Timestamp>,
}

#[derive(Debug, Default)]
struct Span {
    figures: QueueFigures,
    is_written: bool,
}

impl QueueFlow {
    /// Notes the runs that a batch has started at once: they came and left.
    pub(crate) fn fired(&self, batch: &FireBatch, outcome: &FireOutcome) {
        let mut placed = outcome.placed.iter();
        let mut gone = lock(&self.gone);
        for (_, entry) in (0..).zip(&batch.entries).filter(|(index, _)| outcome.has_recorded(*index)) {
            let runs = entry.runs.iter().zip(placed.by_ref().take(entry.runs.len()));
            for (run, _) in runs.filter(|(_, placed)| **placed == Placed::Running) {
                note(&mut gone, Line::parse(&entry.queue).queue(), Some(batch.at.since(run.due_at)));
            }
        }
    }

    /// Notes runs that were claimed.
    pub(crate) fn claimed(&self, runs: &[ClaimedRun], now: Timestamp) {
        let mut gone = lock(&self.gone);
        for run in runs {
            if let Some(queue) = &run.queue {
                note(&mut gone, queue, (run.attempt == 1).then(|| now.since(run.due_at)));
            }
        }
    }

    /// The queues of which something has left since the last look, or in which something waited then.
    pub(crate) fn lately(&self) -> BTreeSet<String> {
        let mut queues: BTreeSet<String> = lock(&self.gone).keys().cloned().collect();
        queues.extend(lock(&self.kept).depths.iter().flatten().map(|(queue, _)| queue.clone()));
        queues
    }

    /// Notes how many wait now: what has left since the last look is counted in the spans of this one.
    pub(crate) fn look(&self, waiting: &BTreeMap<String, Waiting>, now: Timestamp) {
        let gone = std::mem::take(&mut *lock(&self.gone));
        lock(&self.kept).look(gone, waiting, now);
    }

    /// What is to be written now.
    pub(crate) fn rows(&self, node: &str, now: Timestamp) -> Vec<RollupRow> {
        lock(&self.kept).rows(node, now)
    }

    /// Notes that rows were written, or were not.
    pub(crate) fn settle(&self, is_written: bool, now: Timestamp) {
        let mut kept = lock(&self.kept);
        match is_written {
            true => kept.spans.retain(|(at, span, _), kept| !kept.is_written || *at >= span.start(now)),
            false => kept.spans.values_mut().for_each(|span| span.is_written = false),
        }
    }
}

impl Kept {
    fn look(&mut self, mut gone: FxHashMap<String, Gone>, waiting: &BTreeMap<String, Waiting>, now: Timestamp) {
        let before = self.depths.take();
        let mut queues: BTreeSet<&str> = gone.keys().map(String::as_str).collect();
        queues.extend(waiting.iter().filter(|(_, waiting)| waiting.count > 0).map(|(queue, _)| queue.as_str()));
        queues.extend(before.iter().flatten().map(|(queue, _)| queue.as_str()));
        let queues: Vec<String> = queues.into_iter().map(str::to_owned).collect();
        for queue in &queues {
            let Gone { left, waits } = gone.remove(queue).unwrap_or_default();
            let Waiting { count, is_least } =
                waiting.get(queue).copied().unwrap_or(Waiting { count: 0, is_least: false });
            let was = before.as_ref().map_or(count, |before| before.get(queue).copied().unwrap_or(0));
            let depth = Depth { before: was, last: count, max: count, sum: count, looks: 1, is_least };
            self.add(queue, &QueueFigures { left, waits, depth }, now);
        }
        let there = waiting.iter().filter(|(_, waiting)| waiting.count > 0);
        self.depths = Some(there.map(|(queue, waiting)| (queue.clone(), waiting.count)).collect());
    }

    fn add(&mut self, queue: &str, figures: &QueueFigures, now: Timestamp) {
        for span in RollupSpan::ALL {
            let at = span.start(now);
            let key = (at, span, queue.to_owned());
            let others = self.spans.keys().filter(|(other, of, _)| (*other, *of) == (at, span));
            if !self.spans.contains_key(&key) && others.count() >= QUEUES_MAX {
                continue;
            }
            let kept = self.spans.entry(key).or_default();
            kept.figures.follow(figures);
            kept.is_written = false;
        }
        while self.spans.len() > PENDING_MAX {
            self.spans.pop_first();
        }
    }

    fn rows(&mut self, node: &str, now: Timestamp) -> Vec<RollupRow> {
        let is_coarse_due = self.coarse_at.is_none_or(|at| !(0..COARSE_EVERY_MS).contains(&now.since(at)));
        if is_coarse_due {
            self.coarse_at = Some(now);
        }
        let mut rows = Vec::new();
        for ((at, span, queue), kept) in &mut self.spans {
            let is_due = *span == RollupSpan::Minute || is_coarse_due || *at < span.start(now);
            if kept.is_written || !is_due {
                continue;
            }
            kept.is_written = true;
            rows.push(RollupRow {
                span: *span,
                at: *at,
                queue: Some(queue.clone()),
                node: node.to_owned(),
                figures: serde_json::to_string(&kept.figures).expect("plain data has a text"),
            });
        }
        rows
    }
}

fn note(gone: &mut FxHashMap<String, Gone>, queue: &str, waited_ms: Option<i64>) {
    let is_full = gone.len() >= QUEUES_MAX;
    let Gone { left, waits } = match gone.get_mut(queue) {
        Some(there) => there,
        None if is_full => return,
        None => gone.entry(queue.to_owned()).or_default(),
    };
    *left += 1;
    if let Some(waited_ms) = waited_ms {
        waits.note(waited_ms);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use mainspring_core::run::Origin;
    use mainspring_core::{BatchId, Incarnation, JobId, JobVersion, RunId};
    use mainspring_store::MemoryStore;
    use mainspring_store::conformance::kit::{Draft, Kit};

    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_767_225_600_000 + ms)
    }

    fn claimed(queue: Option<&str>, attempt: u32, due: Timestamp) -> ClaimedRun {
        ClaimedRun {
            run: RunId::from_bytes([1; 16]),
            job: JobId(1),
            job_version: JobVersion(1),
            trigger: None,
            fire_time: due,
            due_at: due,
            attempt,
            input: None,
            queue: queue.map(str::to_owned),
        }
    }

    fn waiting(queues: &[(&str, u64)]) -> BTreeMap<String, Waiting> {
        let waits = |(queue, count): &(&str, u64)| ((*queue).to_owned(), Waiting { count: *count, is_least: false });
        queues.iter().map(waits).collect()
    }

    fn minutes(rows: &[RollupRow]) -> Vec<(String, i64, QueueFigures)> {
        let minutes = rows.iter().filter(|row| row.span == RollupSpan::Minute);
        let shown = |row: &RollupRow| {
            (row.queue.clone().unwrap(), row.at.since(at(0)), QueueFigures::read(row).expect("it is ours"))
        };
        minutes.map(shown).collect()
    }

    #[test]
    fn what_came_is_what_left_and_what_the_queue_has_grown_by() {
        let flow = QueueFlow::default();
        flow.look(&waiting(&[("mail", 10)]), at(0));
        let runs: Vec<_> = (0..4).map(|ago: i64| claimed(Some("mail"), 1, at(5_000 - ago * 1_000))).collect();
        flow.claimed(&runs, at(5_000));
        flow.claimed(&[claimed(Some("mail"), 2, at(-90_000)), claimed(None, 1, at(0))], at(5_000));
        flow.look(&waiting(&[("mail", 17), ("bulk", 1)]), at(10_000));
        let rows = minutes(&flow.rows("n", at(10_000)));
        let (queue, begin, bulk) = &rows[0];
        assert_eq!((queue.as_str(), *begin, bulk.left, bulk.arrived()), ("bulk", 0, 0, 1));
        let (queue, begin, mail) = &rows[1];
        assert_eq!((queue.as_str(), *begin, mail.left, mail.arrived()), ("mail", 0, 5, 12));
        assert_eq!((mail.waits.count(), mail.waits.max()), (4, Some(3_000)), "a second attempt has no wait");
        assert_eq!((mail.depth.before, mail.depth.max, mail.depth.mean(), mail.depth.looks), (10, 17, 13, 2));
        assert_eq!(flow.lately(), ["bulk", "mail"].map(str::to_owned).into());
        // Everything is taken: one look says so, and the next one has nothing to say.
        flow.claimed(&runs, at(61_000));
        flow.look(&waiting(&[]), at(61_000));
        flow.look(&waiting(&[("idle", 0)]), at(71_000));
        let rows = minutes(&flow.rows("n", at(71_000)));
        let mail: Vec<_> = rows.iter().filter(|(queue, ..)| queue == "mail").collect();
        let (_, begin, figures) = mail[0];
        assert_eq!((mail.len(), *begin, figures.left, figures.arrived()), (1, 60_000, 4, 0), "13 were cancelled");
        assert!(rows.iter().all(|(queue, ..)| queue != "idle") && flow.lately().is_empty());
    }

    #[tokio::test]
    async fn runs_that_start_as_they_fire_came_and_left() {
        let kit = Kit::new(std::sync::Arc::new(MemoryStore::new())).await;
        let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
        let mut entry = job.entry(0);
        entry.queue = "mail#billing~".into();
        let run = |due| mainspring_core::batch::NewRun {
            id: RunId::from_bytes([7; 16]),
            fire_time: due,
            due_at: due,
            origin: Origin::Schedule,
            claim: true,
        };
        entry.runs = [1_000, 2_000, 3_000].map(|ms| run(at(ms))).to_vec();
        let id = BatchId { incarnation: Incarnation(1), sequence: 1 };
        let placed = vec![Placed::Running, Placed::Queued, Placed::Running];
        let batch = FireBatch { id, at: at(3_010), answered: 0, entries: vec![entry] };
        let flow = QueueFlow::default();
        flow.fired(&batch, &FireOutcome { placed, ..FireOutcome::default() });
        flow.look(&waiting(&[("mail", 1)]), at(4_000));
        let rows = minutes(&flow.rows("n", at(4_000)));
        let (queue, _, figures) = &rows[0];
        assert_eq!((rows.len(), queue.as_str(), figures.left, figures.waits.max()), (1, "mail", 2, Some(2_010)));
    }

    #[test]
    fn rows_are_written_once_and_again_when_that_failed() {
        let flow = QueueFlow::default();
        let written = |at_ms: i64, depth: u64| {
            flow.look(&waiting(&[("mail", depth)]), at(at_ms));
            let rows = flow.rows("n", at(at_ms));
            flow.settle(true, at(at_ms));
            rows.iter().map(|row| (row.span, row.at.since(at(0)))).collect::<Vec<_>>()
        };
        let (minute, quarter, watch) = (RollupSpan::Minute, RollupSpan::Quarter, RollupSpan::Watch);
        assert_eq!(written(0, 1), [(minute, 0), (quarter, 0), (watch, 0)]);
        assert_eq!(written(10_000, 2), [(minute, 0)], "longer spans can wait");
        assert_eq!(written(60_000, 3), [(quarter, 0), (watch, 0), (minute, 60_000)]);
        assert_eq!(flow.rows("n", at(61_000)), [], "nothing is new");
        flow.look(&waiting(&[("mail", 4)]), at(65_000));
        let rows = flow.rows("n", at(65_000));
        flow.settle(false, at(65_000));
        assert_eq!((rows.len(), flow.rows("n", at(65_000))), (1, rows));
    }

    #[test]
    fn queues_and_spans_are_bounded() {
        let flow = QueueFlow::default();
        for minute in 0..100 {
            let names: Vec<String> = (0..200).map(|number| format!("q{number:03}")).collect();
            let there: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 1)).collect();
            names.iter().for_each(|name| flow.claimed(&[claimed(Some(name), 1, at(0))], at(0)));
            flow.look(&waiting(&there), at(minute * 60_000));
        }
        let kept = lock(&flow.kept);
        assert_eq!(kept.spans.len(), PENDING_MAX);
        let last =
            kept.spans.keys().filter(|(begin, span, _)| (*begin, *span) == (at(99 * 60_000), RollupSpan::Minute));
        assert_eq!(last.count(), QUEUES_MAX);
    }

    #[test]
    fn figures_of_nodes_join_and_spans_follow_each_other() {
        let figures = |left, before, last, looks| QueueFigures {
            left,
            waits: Lateness::default(),
            depth: Depth { before, last, max: last.max(before), sum: last * looks, looks, is_least: false },
        };
        let mut one = figures(3, 10, 12, 2);
        one.join(&figures(4, 11, 14, 6));
        assert_eq!((one.left, one.arrived(), one.depth.last), (7, 10, 14), "the depth is not counted twice");
        one.follow(&figures(5, 14, 2, 6));
        assert_eq!((one.left, one.arrived(), one.depth.max, one.depth.mean()), (12, 3, 14, 8));
        one.follow(&figures(1, 0, 0, 0));
        assert_eq!((one.left, one.depth.last), (13, 2), "nobody looked");
    }
}
