//! What workers say of their runs: log lines, and ends of attempts.

use std::time::Duration;

use mainspring_core::batch::AttemptDetail;
use mainspring_core::planner::AttemptEnd;
use mainspring_core::run::AttemptOutcome;
use mainspring_core::{Incarnation, RunId, Timestamp};
use mainspring_store::{Error as StoreError, LogChunk};
use mainspring_tasks::LogLine;
use tokio::sync::oneshot;

use super::session::{Given, Session};
use super::{WorkerError, Workers, lock};

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
        let session = self.0.session(id).await?;
        if !self.0.is_heard() {
            return Err(WorkerError::Unheard);
        }
        session.hear();
        self.append(&session, report.offset_ms, report.logs).await?;
        let now = self.0.time.now();
        let (mut refused, mut waiting, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for end in report.ends {
            let attempt = (end.run, end.attempt);
            let Some(given) = session.given(end.run, end.attempt) else {
                refused.push(attempt);
                continue;
            };
            let (sender, receiver) = oneshot::channel();
            lock(&self.0.waiting).entry(attempt).or_default().push(sender);
            waiting.push((attempt, receiver));
            let end = by_our_clock(end, &given, report.offset_ms, now);
            if let Some(started_at) = end.started_at {
                self.0.metrics.entered(&given.start, started_at, Duration::ZERO);
            }
            ends.push(AttemptEnd {
                start: (*given.start).clone(),
                definition: given.definition,
                outcome: end.outcome,
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
    async fn append(&self, session: &Session, offset_ms: i64, logs: Vec<LogPiece>) -> Result<(), WorkerError> {
        let mut chunks = Vec::with_capacity(logs.len());
        for mut piece in logs {
            if session.given(piece.run, piece.attempt).is_none() {
                continue;
            }
            if let Some(expected) = session.next_line(piece.run) {
                let Some(known) = expected.checked_sub(piece.first_line) else {
                    let (run, given) = (piece.run, piece.first_line);
                    return Err(WorkerError::LogGap { run, expected, given });
                };
                let known = usize::try_from(known).unwrap_or(usize::MAX).min(piece.lines.len());
                piece.lines.drain(..known);
                piece.first_line = expected;
            }
            if piece.lines.is_empty() {
                continue;
            }
            piece.lines.iter_mut().for_each(|line| line.at_ms = line.at_ms.saturating_add(offset_ms));
            let chunk = mainspring_tasks::LogChunk { first_line: piece.first_line, lines: piece.lines };
            session.note_lines(piece.run, chunk.end_line());
            chunks.push(LogChunk {
                run: piece.run,
                attempt: piece.attempt,
                first_line: chunk.first_line,
                line_count: u32::try_from(chunk.lines.len()).unwrap_or(u32::MAX),
                data: chunk.encode(),
            });
        }
        if chunks.is_empty() {
            return Ok(());
        }
        self.0.logs.append(chunks).await.map_err(|()| StoreError::Closed.into())
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
    use std::sync::Arc;

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
        };
        let definition = Arc::new(Job::new(JobKey::new("default", "a"), Task::Noop));
        let given = Given { start: Arc::new(Start::from(claimed)), definition, claimed_at: at(5_000) };
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
