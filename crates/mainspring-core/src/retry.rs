//! What follows the end of an attempt.

use mainspring_schedule::Timestamp;

use crate::id::{RunId, retry_jitter_of};
use crate::job::{Backoff, Job, OnLost, RetryOn, RetryPolicy};
use crate::run::{AttemptOutcome, Verdict};

/// The part of a job's definition that decides what follows an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AttemptRule<'a> {
    /// How often, how soon, and after which failures.
    pub retry: &'a RetryPolicy,
    /// What becomes of lost attempts.
    pub on_lost: OnLost,
}

impl<'a> From<&'a Job> for AttemptRule<'a> {
    fn from(job: &'a Job) -> Self {
        Self { retry: &job.retry, on_lost: job.on_lost }
    }
}

/// An attempt that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    /// Of which run.
    pub run: RunId,
    /// 1, 2, …
    pub attempt: u32,
    /// How.
    pub outcome: AttemptOutcome,
    /// The exit code of its process or the status of its HTTP call, if it came to that.
    pub code: Option<i32>,
    /// When the run's time is over.
    pub deadline: Option<Timestamp>,
}

/// What follows the end of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AfterAttempt {
    /// The run is over.
    Final(Verdict),
    /// A further attempt, not before the instant.
    RetryAt(Timestamp),
}

/// Decides what follows an attempt that ended at `now`.
///
/// A cancelled run is never tried again. A lost one is tried again only with `on_lost: retry`, at once, and
/// at least one time even where the job allows no retries; beyond that it uses up the job's count like a failure.
/// No attempt follows that could not begin before the run's time is over.
///
/// ```
/// use mainspring_core::job::{Backoff, OnLost, RetryPolicy};
/// use mainspring_core::retry::{AfterAttempt, AttemptRule, Ended, after_attempt};
/// use mainspring_core::run::AttemptOutcome;
/// use mainspring_core::{JobId, RunId, RunSource, Timestamp};
/// let retry = RetryPolicy { count: 9, delay_ms: 1_000, backoff: Backoff::Exponential, ..RetryPolicy::default() };
/// let run = RunId::new(Timestamp::from_millis(0), RunSource::Asked(JobId(1), 0));
/// let third = Ended { run, attempt: 3, outcome: AttemptOutcome::Failed, code: Some(1), deadline: None };
/// let now = Timestamp::from_millis(60_000);
/// let then = after_attempt(AttemptRule { retry: &retry, on_lost: OnLost::Fail }, third, now);
/// assert_eq!(then, AfterAttempt::RetryAt(now + 4_000));
/// ```
#[must_use]
pub fn after_attempt(rule: AttemptRule<'_>, ended: Ended, now: Timestamp) -> AfterAttempt {
    match regardless_of_time(rule, ended, now) {
        AfterAttempt::RetryAt(at) if ended.deadline.is_some_and(|deadline| at >= deadline) => {
            AfterAttempt::Final(ended.outcome.verdict())
        }
        then => then,
    }
}

fn regardless_of_time(rule: AttemptRule<'_>, ended: Ended, now: Timestamp) -> AfterAttempt {
    let over = AfterAttempt::Final(ended.outcome.verdict());
    let retry = rule.retry;
    match ended.outcome {
        AttemptOutcome::Succeeded | AttemptOutcome::Cancelled => over,
        AttemptOutcome::Lost if rule.on_lost == OnLost::Fail => over,
        AttemptOutcome::Lost if ended.attempt <= retry.count.max(1) => {
            // Many are lost at once where a node is.
            AfterAttempt::RetryAt(now + retry_jitter_of(ended.run, ended.attempt, retry.jitter_ms))
        }
        AttemptOutcome::Failed | AttemptOutcome::TimedOut
            if ended.attempt <= retry.count && retry.is_for(ended.outcome, ended.code) =>
        {
            let jitter = retry_jitter_of(ended.run, ended.attempt, retry.jitter_ms);
            AfterAttempt::RetryAt(now + retry.delay_after(ended.attempt).saturating_add(jitter))
        }
        _ => over,
    }
}

impl RetryPolicy {
    /// The delay after attempt 1, 2, …, without jitter.
    fn delay_after(&self, attempt: u32) -> i64 {
        match self.backoff {
            Backoff::Fixed => self.delay_ms,
            Backoff::Exponential => {
                let doubled = 1_i64.checked_shl(attempt.saturating_sub(1)).filter(|times| *times > 0);
                let delay = doubled.map_or(i64::MAX, |times| self.delay_ms.saturating_mul(times));
                delay.min(self.max_delay_ms.unwrap_or(Self::MAX_DELAY_MS).max(self.delay_ms))
            }
        }
    }

    fn is_for(&self, outcome: AttemptOutcome, code: Option<i32>) -> bool {
        self.on.is_empty()
            || self.on.iter().any(|on| match *on {
                RetryOn::TimedOut => outcome == AttemptOutcome::TimedOut,
                RetryOn::Error => outcome == AttemptOutcome::Failed && code.is_none(),
                RetryOn::Codes(from, to) => {
                    outcome == AttemptOutcome::Failed && code.is_some_and(|code| (from..=to).contains(&code))
                }
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{JobId, RunSource};
    use AttemptOutcome::{Cancelled, Failed, Lost, Succeeded, TimedOut};

    const NOW: Timestamp = Timestamp::from_millis(1_000);
    const FAIL: AfterAttempt = AfterAttempt::Final(Verdict::Failed);

    fn after(retry: &RetryPolicy, on_lost: OnLost, attempt: u32, outcome: AttemptOutcome) -> AfterAttempt {
        with_code(retry, on_lost, attempt, outcome, Some(1))
    }

    fn with_code(
        retry: &RetryPolicy,
        on_lost: OnLost,
        attempt: u32,
        outcome: AttemptOutcome,
        code: Option<i32>,
    ) -> AfterAttempt {
        let run = RunId::new(NOW, RunSource::Asked(JobId(1), 0));
        after_attempt(AttemptRule { retry, on_lost }, Ended { run, attempt, outcome, code, deadline: None }, NOW)
    }

    #[test]
    fn attempts_follow_the_rule() {
        for (count, on_lost, attempt, outcome, expected) in [
            (2, OnLost::Fail, 1, Succeeded, AfterAttempt::Final(Verdict::Succeeded)),
            (2, OnLost::Fail, 1, Cancelled, AfterAttempt::Final(Verdict::Cancelled)),
            (0, OnLost::Fail, 1, Failed, FAIL),
            (2, OnLost::Fail, 1, Failed, AfterAttempt::RetryAt(NOW + 50)),
            (2, OnLost::Fail, 2, TimedOut, AfterAttempt::RetryAt(NOW + 50)),
            (2, OnLost::Fail, 3, Failed, FAIL),
            (2, OnLost::Fail, 1, Lost, FAIL),
            (0, OnLost::Retry, 1, Lost, AfterAttempt::RetryAt(NOW)),
            (0, OnLost::Retry, 2, Lost, FAIL),
            (2, OnLost::Retry, 2, Lost, AfterAttempt::RetryAt(NOW)),
            (2, OnLost::Retry, 3, Lost, FAIL),
        ] {
            let retry = RetryPolicy { count, delay_ms: 50, ..RetryPolicy::default() };
            assert_eq!(after(&retry, on_lost, attempt, outcome), expected, "{count} {on_lost} {attempt} {outcome}");
        }
    }

    #[test]
    fn no_attempt_follows_that_could_not_begin_in_time() {
        let retry = RetryPolicy { count: 9, delay_ms: 50, ..RetryPolicy::default() };
        let run = RunId::new(NOW, RunSource::Asked(JobId(1), 0));
        for (outcome, deadline, expected) in [
            (Failed, NOW + 51, AfterAttempt::RetryAt(NOW + 50)),
            (Failed, NOW + 50, FAIL),
            (TimedOut, NOW, FAIL),
            (Lost, NOW + 1, AfterAttempt::RetryAt(NOW)),
            (Lost, NOW, FAIL),
            (Succeeded, NOW, AfterAttempt::Final(Verdict::Succeeded)),
        ] {
            let ended = Ended { run, attempt: 1, outcome, code: None, deadline: Some(deadline) };
            let then = after_attempt(AttemptRule { retry: &retry, on_lost: OnLost::Retry }, ended, NOW);
            assert_eq!(then, expected, "{outcome} {deadline}");
        }
    }

    #[test]
    fn delays_double_up_to_the_longest() {
        let retry = |max_delay_ms| RetryPolicy {
            count: 1_000,
            delay_ms: 100,
            backoff: Backoff::Exponential,
            max_delay_ms,
            ..RetryPolicy::default()
        };
        for (max_delay_ms, attempt, expected) in [
            (None, 1, 100),
            (None, 2, 200),
            (None, 5, 1_600),
            (None, 17, RetryPolicy::MAX_DELAY_MS),
            (None, 1_000, RetryPolicy::MAX_DELAY_MS),
            (Some(300), 2, 200),
            (Some(300), 3, 300),
        ] {
            let then = after(&retry(max_delay_ms), OnLost::Fail, attempt, Failed);
            assert_eq!(then, AfterAttempt::RetryAt(NOW + expected), "{max_delay_ms:?} {attempt}");
        }
    }

    #[test]
    fn lost_attempts_do_not_all_come_back_at_once() {
        let retry = RetryPolicy { count: 5, jitter_ms: 10_000, ..RetryPolicy::default() };
        let at: std::collections::BTreeSet<_> = (1..=5)
            .map(|attempt| match after(&retry, OnLost::Retry, attempt, Lost) {
                AfterAttempt::RetryAt(at) => at,
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(at.len() == 5 && at.iter().all(|at| (NOW..=NOW + 10_000).contains(at)), "{at:?}");
    }

    #[test]
    fn jitter_is_added_and_stays_the_same() {
        let retry = RetryPolicy { count: 5, delay_ms: 100, jitter_ms: 50, ..RetryPolicy::default() };
        let delays: Vec<_> = (1..=5).map(|attempt| after(&retry, OnLost::Fail, attempt, Failed)).collect();
        for (then, attempt) in delays.iter().zip(1..) {
            let AfterAttempt::RetryAt(at) = *then else { panic!("{then:?}") };
            assert!((100..=150).contains(&at.since(NOW)), "{at}");
            assert_eq!(*then, after(&retry, OnLost::Fail, attempt, Failed));
        }
        assert!(delays.iter().any(|then| *then != delays[0]), "{delays:?}");
    }

    #[test]
    fn only_the_failures_named_are_tried_again() {
        let again = AfterAttempt::RetryAt(NOW);
        for (on, outcome, code, expected) in [
            (vec![RetryOn::TimedOut], TimedOut, None, again),
            (vec![RetryOn::TimedOut], Failed, Some(1), FAIL),
            (vec![RetryOn::Error], Failed, None, again),
            (vec![RetryOn::Error], Failed, Some(1), FAIL),
            (vec![RetryOn::Error], TimedOut, None, FAIL),
            (vec![RetryOn::Codes(75, 75)], Failed, Some(75), again),
            (vec![RetryOn::Codes(75, 75)], Failed, Some(76), FAIL),
            (vec![RetryOn::Codes(500, 599)], Failed, Some(503), again),
            (vec![RetryOn::Codes(500, 599)], TimedOut, Some(503), FAIL),
            (vec![RetryOn::TimedOut, RetryOn::Codes(1, 2)], Failed, Some(2), again),
        ] {
            let retry = RetryPolicy { count: 1, on: on.clone(), ..RetryPolicy::default() };
            assert_eq!(with_code(&retry, OnLost::Fail, 1, outcome, code), expected, "{on:?} {outcome} {code:?}");
        }
    }

    #[test]
    fn what_a_lost_attempt_means_is_for_on_lost_alone_to_say() {
        let retry = RetryPolicy { count: 1, on: vec![RetryOn::TimedOut], ..RetryPolicy::default() };
        assert_eq!(after(&retry, OnLost::Retry, 1, Lost), AfterAttempt::RetryAt(NOW));
        assert_eq!(after(&retry, OnLost::Fail, 1, Lost), FAIL);
    }
}
