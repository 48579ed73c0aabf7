//! What workers say of their runs: log lines, and ends of attempts.

use std::sync::Arc;
use std::time::Duration;

use mainspring_core::batch::AttemptDetail;
use mainspring_core::planner::AttemptEnd;
use mainspring_core::run::AttemptOutcome;
use mainspring_core::{Incarnation, RunId, Timestamp};
use mainspring_store::{Error as StoreError, LogChunk};
use mainspring_tasks::LogLine;
use rustc_hash::{FxHashMap, FxHashSet};
use tokio::sync::oneshot;

use super::session::{Given, Session};
use super::{Inner, WorkerError, Workers, lock};
use crate::log_lane;

/// How long a report waits until its ends are recorded; then the worker reports again.
const PATIENCE: Duration = Duration::from_secs(20);

/// What became of a worker's runs.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How far this node's clock is ahead of the worker's, in milliseconds.
    pub offset_ms: i64,
    /// Log lines.
    pub logs: Vec<LogPiece>,
    /// Ends of attempts.
    pub ends: Vec<RemoteEnd>,
}

/// Consecutive log lines of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogPiece {
    /// The run.
    pub run: RunId,
    /// The attempt, counted from 1.
    pub attempt: u32,
    /// Index of the first line within the attempt, from 0.
    pub first_line: u64,
    /// The lines.
    pub lines: Vec<LogLine>,
}

/// The end of an attempt, by the worker's clock.
#[derive(Clone, PartialEq, Debug)]
pub struct RemoteEnd {
    /// The run.
    pub run: RunId,
    /// The attempt, counted from 1.
    pub attempt: u32,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// When it was started; absent if it never was.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Timestamp,
    /// What it left behind.
    pub detail: Option<Box<AttemptDetail>>,
}

impl Workers {
    /// Takes in a report. All of it is recorded on return; answers the ends that were refused: of attempts that are over, or
    /// that the worker does not have.
    ///
    /// # Errors
    /// See [`WorkerError`]. A report that failed may be repeated.
    pub async fn report(&self, id: Incarnation, report: Report) -> Result<Vec<(RunId, u32)>, WorkerError> {
        if !self.0.is_heard() {
            return Err(WorkerError::Unheard);
        }
        let attempts = report.logs.iter().map(|piece| (piece.run, piece.attempt));
        let attempts = attempts.chain(report.ends.iter().map(|end| (end.run, end.attempt))).collect();
        let work = self.0.work_of(id, attempts).await?;
        self.append(&work, report.offset_ms, report.logs).await?;
        let now = self.0.time.now();
        let (mut refused, mut waiting, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for mut end in report.ends {
            let attempt = (end.run, end.attempt);
            let Some(given) = work.given.get(&attempt).cloned() else {
                refused.push(attempt);
                continue;
            };
            // Before the end: a report that is cut off here is repeated.
            if let Some(detail) = &mut end.detail {
                self.0.outputs.part(end.run, end.attempt, detail).await?;
            }
            let (sender, receiver) = oneshot::channel();
            let mut all = lock(&self.0.waiting);
            let others = all.entry(attempt).or_default();
            // Whoever reports again waits for what is under way.
            let is_under_way = others.iter().any(|other| !other.is_closed());
            others.push(sender);
            drop(all);
            waiting.push((attempt, receiver));
            if is_under_way {
                continue;
            }
            let mut end = by_our_clock(end, &given, report.offset_ms, now);
            if let Some(detail) = end.detail.as_mut().filter(|_| !given.definition.keep_data) {
                detail.data = None;
            }
            if let Some(started_at) = end.started_at {
                self.0.metrics.entered(&given.start, started_at, Duration::ZERO);
            }
            ends.push(AttemptEnd {
                start: (*given.start).clone(),
                definition: given.definition,
                outcome: end.outcome,
                vetoed: false,
                started_at: end.started_at,
                ended_at: end.ended_at,
                detail: end.detail,
                held_by: Some(id),
            });
        }
        if !ends.is_empty() {
            self.0.ends.put(ends);
        }
        for (attempt, recorded) in waiting {
            match tokio::time::timeout(PATIENCE, recorded).await {
                Ok(Ok(false)) => {}
                Ok(Ok(true)) => refused.push(attempt),
                Ok(Err(_)) | Err(_) => return Err(WorkerError::Unheard),
            }
        }
        Ok(refused)
    }

    /// Stores log lines of attempts that the worker has; those that are there already are passed over.
    async fn append(&self, work: &Work, offset_ms: i64, logs: Vec<LogPiece>) -> Result<(), WorkerError> {
        let (mut chunks, mut ends) = (Vec::with_capacity(logs.len()), FxHashMap::default());
        for mut piece in logs.into_iter().filter(|piece| work.given.contains_key(&(piece.run, piece.attempt))) {
            let known = ends.get(&piece.run).copied().or_else(|| work.session.as_ref()?.next_line(piece.run));
            self.cut(&mut piece, known).await?;
            if piece.lines.is_empty() {
                continue;
            }
            piece.lines.iter_mut().for_each(|line| line.at_ms = line.at_ms.saturating_add(offset_ms));
            let chunk = mainspring_tasks::LogChunk { first_line: piece.first_line, lines: piece.lines };
            ends.insert(piece.run, chunk.end_line());
            chunks.push(log_lane::chunk(piece.run, piece.attempt, &chunk));
        }
        if chunks.is_empty() {
            return Ok(());
        }
        self.0.logs.append(chunks).await.map_err(|log_lane::Over| StoreError::Closed)?;
        // Not before: a report that is cut off here is repeated.
        if let Some(session) = &work.session {
            ends.iter().for_each(|(run, next)| session.note_lines(*run, *next));
        }
        Ok(())
    }

    /// Takes off what is stored already, as far as that is known.
    async fn cut(&self, piece: &mut LogPiece, next_line: Option<u64>) -> Result<(), WorkerError> {
        let Some(expected) = next_line else { return Ok(()) };
        if let Some(known) = expected.checked_sub(piece.first_line) {
            let known = usize::try_from(known).unwrap_or(usize::MAX).min(piece.lines.len());
            piece.lines.drain(..known);
            piece.first_line = expected;
            return Ok(());
        }
        // Another node may have stored what lies between.
        let (run, given) = (piece.run, piece.first_line);
        let before = self.0.store.log(run, piece.attempt, given - 1, 1).await?;
        let is_there = |chunk: &LogChunk| {
            (chunk.first_line..chunk.first_line + u64::from(chunk.line_count)).contains(&(given - 1))
        };
        if before.iter().any(is_there) { Ok(()) } else { Err(WorkerError::LogGap { run, expected, given }) }
    }
}

/// The attempts of a report that are the worker's.
struct Work {
    session: Option<Arc<Session>>,
    given: FxHashMap<(RunId, u32), Given>,
}

impl Inner {
    /// What the worker has of some attempts: as its session says, or else the store, for it may talk to several nodes.
    async fn work_of(&self, id: Incarnation, attempts: FxHashSet<(RunId, u32)>) -> Result<Work, WorkerError> {
        let session = lock(&self.sessions).get(&id).cloned();
        let mut work = Work { session, given: FxHashMap::default() };
        match &work.session {
            Some(session) => session.hear(),
            None => _ = self.store.worker(id).await?.ok_or(WorkerError::NotFound(id))?,
        }
        let mut unknown = false;
        for attempt in &attempts {
            match work.session.as_ref().and_then(|session| session.given(attempt.0, attempt.1)) {
                Some(given) => _ = work.given.insert(*attempt, given),
                None => unknown = true,
            }
        }
        if unknown {
            for live in self.store.held(id).await? {
                let attempt = (live.claimed.run, live.claimed.attempt);
                if attempts.contains(&attempt) && !work.given.contains_key(&attempt) {
                    work.given.insert(attempt, Given::held(self, live).await);
                }
            }
        }
        Ok(work)
    }
}

/// An end whose times are by this node's clock, and neither before the claim nor in the future.
fn by_our_clock(end: RemoteEnd, given: &Given, offset_ms: i64, now: Timestamp) -> RemoteEnd {
    let ours = |at: Timestamp| {
        let at = Timestamp::from_millis(at.as_millis().saturating_add(offset_ms));
        at.min(now).max(given.claimed_at)
    };
    let (started_at, ended_at) = (end.started_at.map(ours), ours(end.ended_at));
    RemoteEnd { started_at, ended_at, ..end }
}

#[cfg(test)]
mod tests {
    use mainspring_core::batch::ClaimedRun;
    use mainspring_core::job::{Job, JobKey, Task};
    use mainspring_core::rule::Start;
    use mainspring_core::{JobId, JobVersion, RunSource};

    use super::*;

    #[test]
    fn times_of_a_worker_lie_between_the_claim_and_now_by_our_clock() {
        let at = Timestamp::from_millis;
        let run = RunId::new(at(0), RunSource::Asked(JobId(1), 1));
        let claimed = ClaimedRun {
            run,
            job: JobId(1),
            job_version: JobVersion(1),
            trigger: None,
            fire_time: at(0),
            due_at: at(0),
            attempt: 1,
            input: None,
            queue: None,
        };
        let definition = Arc::new(Job::new(JobKey::new("default", "a"), Task::Noop));
        let start = Arc::new(Start::from(claimed));
        let given = Given { start, definition, claimed_at: at(5_000), data: None, shard: None, hindrance: None };
        let end = |started, ended| RemoteEnd {
            run,
            attempt: 1,
            outcome: AttemptOutcome::Succeeded,
            started_at: Some(at(started)),
            ended_at: at(ended),
            detail: None,
        };
        for (started, ended, offset_ms, expected) in [
            (5_100, 5_900, 0, (5_100, 5_900)),
            (1_000, 1_900, 4_500, (5_500, 6_400)),
            (1_000, 99_000, 0, (5_000, 9_000)),
            (i64::MAX - 1, i64::MAX, 7, (9_000, 9_000)),
        ] {
            let ours = by_our_clock(end(started, ended), &given, offset_ms, at(9_000));
            assert_eq!(
                (ours.started_at, ours.ended_at),
                (Some(at(expected.0)), at(expected.1)),
                "{started} {offset_ms}"
            );
        }
    }
}
