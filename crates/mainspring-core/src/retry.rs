//! What follows the end of an attempt.

use mainspring_schedule::Timestamp;

use crate::job::{Job, OnLost, RetryPolicy};
use crate::run::{AttemptOutcome, Verdict};

/// The part of a job's definition that decides what follows an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AttemptRule {
    /// How often, and how soon.
    pub retry: RetryPolicy,
    /// What becomes of lost attempts.
    pub on_lost: OnLost,
}

impl From<&Job> for AttemptRule {
    fn from(job: &Job) -> Self {
        Self { retry: job.retry, on_lost: job.on_lost }
    }
}

/// What follows the end of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AfterAttempt {
    /// The run is over.
    Final(Verdict),
    /// A further attempt, not before the instant.
    RetryAt(Timestamp),
}

/// Decides what follows attempt `attempt` (1, 2, …) that ended with `outcome` at `now`.
///
/// A cancelled run is never tried again. A lost one is tried again only with `on_lost: retry`, at once, and
/// at least one time even where the job allows no retries; beyond that it uses up the job's count like a failure.
#[must_use]
pub fn after_attempt(rule: AttemptRule, attempt: u32, outcome: AttemptOutcome, now: Timestamp) -> AfterAttempt {
    let over = AfterAttempt::Final(outcome.verdict());
    match outcome {
        AttemptOutcome::Succeeded | AttemptOutcome::Cancelled => over,
        AttemptOutcome::Lost if rule.on_lost == OnLost::Fail => over,
        AttemptOutcome::Lost if attempt <= rule.retry.count.max(1) => AfterAttempt::RetryAt(now),
        AttemptOutcome::Failed | AttemptOutcome::TimedOut if attempt <= rule.retry.count => {
            AfterAttempt::RetryAt(now + rule.retry.delay_ms)
        }
        _ => over,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_follow_the_rule() {
        use AttemptOutcome::{Cancelled, Failed, Lost, Succeeded, TimedOut};
        let now = Timestamp::from_millis(1_000);
        let fail = AfterAttempt::Final(Verdict::Failed);
        for (count, on_lost, attempt, outcome, expected) in [
            (2, OnLost::Fail, 1, Succeeded, AfterAttempt::Final(Verdict::Succeeded)),
            (2, OnLost::Fail, 1, Cancelled, AfterAttempt::Final(Verdict::Cancelled)),
            (0, OnLost::Fail, 1, Failed, fail),
            (2, OnLost::Fail, 1, Failed, AfterAttempt::RetryAt(now + 50)),
            (2, OnLost::Fail, 2, TimedOut, AfterAttempt::RetryAt(now + 50)),
            (2, OnLost::Fail, 3, Failed, fail),
            (2, OnLost::Fail, 1, Lost, fail),
            (0, OnLost::Retry, 1, Lost, AfterAttempt::RetryAt(now)),
            (0, OnLost::Retry, 2, Lost, fail),
            (2, OnLost::Retry, 2, Lost, AfterAttempt::RetryAt(now)),
            (2, OnLost::Retry, 3, Lost, fail),
        ] {
            let rule = AttemptRule { retry: RetryPolicy { count, delay_ms: 50 }, on_lost };
            assert_eq!(after_attempt(rule, attempt, outcome, now), expected, "{count} {on_lost} {attempt} {outcome}");
        }
    }
}
