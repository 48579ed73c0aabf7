//! When a task may run, given how its upstreams ended.

use super::{TaskState, TriggerRule};

/// How the upstreams of a task ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Counts {
    /// How many have not ended.
    pub unfinished: u32,
    /// How many succeeded.
    pub succeeded: u32,
    /// How many failed or were cancelled.
    pub failed: u32,
    /// How many never started because of their upstreams.
    pub upstream_failed: u32,
    /// How many were skipped.
    pub skipped: u32,
}

/// What a rule says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Decision {
    /// Nothing yet.
    Wait,
    /// The task may run.
    Run,
    /// The task ends `skipped`.
    Skip,
    /// The task ends `upstream_failed`.
    FailUpstream,
}

impl Counts {
    /// Decides about a task of which so many upstreams have ended in each way, by a rule under the name that Airflow gives it.
    ///
    /// A rule says no only when nothing that comes later can change that, and says nothing until then. So the answer follows
    /// from how the upstreams end, and never from the order in which they do.
    ///
    /// | rule | runs | ends early | ends when all upstreams have, and it may not run |
    /// |---|---|---|---|
    /// | `all_success` | all succeeded | one failed: `upstream_failed` | `skipped` |
    /// | `none_failed` | all ended, none failed | one failed: `upstream_failed` | – |
    /// | `none_failed_min_one_success` | all ended, none failed, one succeeded | one failed: `upstream_failed` | `skipped` |
    /// | `none_skipped` | all ended, none skipped | one skipped: `skipped` | – |
    /// | `all_done` | all ended | – | – |
    /// | `all_done_min_one_success` | all ended, one succeeded | – | `upstream_failed` if one failed, else `skipped` |
    /// | `all_failed` | all failed | one did not: `skipped` | – |
    /// | `all_skipped` | all skipped | one was not: `skipped` | – |
    /// | `one_success` | one succeeded, at once | – | `upstream_failed` if one failed, else `skipped` |
    /// | `one_failed` | one failed, at once | – | `skipped` |
    /// | `one_done` | one succeeded or failed itself, at once | – | `upstream_failed` if one is, else `skipped` |
    /// | `always` | at once | – | – |
    ///
    /// "Failed" includes `cancelled` and, except in the column "runs" of `one_done`, `upstream_failed`. A task without
    /// upstreams runs under any rule.
    ///
    /// ```
    /// use mainspring_core::workflow::{Counts, Decision, TriggerRule};
    /// let one_skipped = Counts { unfinished: 1, skipped: 1, ..Counts::default() };
    /// // The other one may fail: only then is it known how this task ends.
    /// assert_eq!(one_skipped.decide(TriggerRule::AllSuccess), Decision::Wait);
    /// let then_failed = Counts { skipped: 1, failed: 1, ..Counts::default() };
    /// assert_eq!(then_failed.decide(TriggerRule::AllSuccess), Decision::FailUpstream);
    /// ```
    #[must_use]
    pub const fn decide(self, rule: TriggerRule) -> Decision {
        let Counts { unfinished, succeeded, failed, upstream_failed, skipped } = self;
        let bad = failed + upstream_failed;
        let ended = succeeded + bad + skipped;
        if ended + unfinished == 0 {
            return Decision::Run;
        }
        // When it runs; when it surely never will, and how it ends then; how it ends when all have ended and neither holds.
        let done = unfinished == 0;
        let blamed = if bad > 0 { Decision::FailUpstream } else { Decision::Skip };
        let (run, never, otherwise) = match rule {
            TriggerRule::AllSuccess => (done && succeeded == ended, bad > 0, blamed),
            TriggerRule::NoneFailed => (done && bad == 0, bad > 0, blamed),
            TriggerRule::NoneFailedMinOneSuccess => (done && bad == 0 && succeeded > 0, bad > 0, blamed),
            TriggerRule::NoneSkipped => (done && skipped == 0, skipped > 0, Decision::Skip),
            TriggerRule::AllDone => (done, false, Decision::Skip),
            TriggerRule::AllDoneMinOneSuccess => (done && succeeded > 0, false, blamed),
            TriggerRule::AllFailed => (done && bad == ended, succeeded + skipped > 0, Decision::Skip),
            TriggerRule::AllSkipped => (done && skipped == ended, succeeded + bad > 0, Decision::Skip),
            TriggerRule::OneSuccess => (succeeded > 0, false, blamed),
            TriggerRule::OneFailed => (bad > 0, false, Decision::Skip),
            TriggerRule::OneDone => (succeeded + failed > 0, false, blamed),
            TriggerRule::Always => (true, false, Decision::Skip),
        };
        if run {
            Decision::Run
        } else if never || done {
            otherwise
        } else {
            Decision::Wait
        }
    }

    /// The counts of a task none of whose upstreams has ended.
    #[must_use]
    pub const fn waiting_for(upstreams: u32) -> Self {
        Self { unfinished: upstreams, succeeded: 0, failed: 0, upstream_failed: 0, skipped: 0 }
    }

    /// Counts an upstream in `state` that is not counted yet.
    pub const fn add(&mut self, state: TaskState) {
        let count = match state {
            TaskState::Waiting | TaskState::Ready | TaskState::Running => &mut self.unfinished,
            TaskState::Succeeded => &mut self.succeeded,
            TaskState::Failed | TaskState::Cancelled => &mut self.failed,
            TaskState::UpstreamFailed => &mut self.upstream_failed,
            TaskState::Skipped => &mut self.skipped,
        };
        *count += 1;
    }

    /// Counts the end of an upstream that was counted as unfinished.
    pub fn end(&mut self, state: TaskState) {
        assert!(state.is_final() && self.unfinished > 0, "an upstream ends once: {state} with {self:?}");
        self.unfinished -= 1;
        self.add(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINAL: [TaskState; 5] =
        [TaskState::Succeeded, TaskState::Failed, TaskState::Cancelled, TaskState::UpstreamFailed, TaskState::Skipped];

    /// Every list of `len` final states, in every order.
    fn arrivals(len: u32) -> impl Iterator<Item = Vec<TaskState>> {
        let states = FINAL.len();
        (0..states.pow(len)).map(move |n| (0..len).map(|place| FINAL[n / states.pow(place) % states]).collect())
    }

    /// Looks after each arrival, and returns the first answer and all that follow it.
    fn decisions(rule: TriggerRule, arrivals: &[TaskState]) -> Vec<Decision> {
        let mut counts = Counts::waiting_for(u32::try_from(arrivals.len()).unwrap());
        let mut seen = vec![counts.decide(rule)];
        for state in arrivals {
            counts.end(*state);
            seen.push(counts.decide(rule));
        }
        seen.retain(|decision| *decision != Decision::Wait);
        seen
    }

    #[test]
    fn each_rule_gives_one_answer_in_every_order() {
        // All lists include all orders of each: those with the same states must agree, and no answer may change once given.
        for &rule in TriggerRule::ALL {
            for len in 0..=4 {
                let mut answers = std::collections::BTreeMap::new();
                for arrivals in arrivals(len) {
                    let decisions = decisions(rule, &arrivals);
                    let answer = *decisions.first().unwrap_or_else(|| panic!("{rule} never decides on {arrivals:?}"));
                    assert!(decisions.iter().all(|later| *later == answer), "{rule} on {arrivals:?}: {decisions:?}");
                    let mut states = arrivals.clone();
                    states.sort_unstable();
                    assert_eq!(*answers.entry(states).or_insert(answer), answer, "{rule} on {arrivals:?}");
                }
            }
        }
    }

    #[test]
    fn each_rule_says_no_as_soon_as_it_is_certain_and_never_before() {
        for &rule in TriggerRule::ALL {
            for known in (1..=3).flat_map(arrivals) {
                let mut counts = Counts::waiting_for(3);
                known.iter().for_each(|state| counts.end(*state));
                let ends: std::collections::BTreeSet<Decision> =
                    arrivals(counts.unfinished).map(|rest| counted(counts, &rest).decide(rule)).collect();
                let certain = ends.first().copied().filter(|end| ends.len() == 1 && *end != Decision::Run);
                match counts.decide(rule) {
                    Decision::Wait => assert_eq!(certain, None, "{rule} after {known:?}"),
                    decision => assert!(ends.iter().eq([&decision]), "{rule} after {known:?}: {ends:?}"),
                }
            }
        }
    }

    fn counted(mut counts: Counts, ends: &[TaskState]) -> Counts {
        ends.iter().for_each(|state| counts.end(*state));
        counts
    }
}
