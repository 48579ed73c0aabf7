//! How long an attempt that was sent is waited for: when to ask its executor, and when to believe that no end will be reported.
//!
//! Time is in milliseconds of a clock that is never set.

use crate::dispatch::{Dispatch, Event};
use crate::instances::DEAD_MS;

/// How often an executor is asked whether a job runs there.
const ASK_EVERY_MS: i64 = 30_000;
/// For how long an executor must say that no run of a job is there before what it has not reported is taken for lost: Java's repeats
/// a callback that failed every 30 s.
const IDLE_MS: i64 = 100_000;
/// How long the end of an attempt is awaited after the executor has confirmed that it ends it.
const KILLED_MS: i64 = 15_000;
/// After how long an attempt whose end is asked for is given up, if the executor does not confirm that.
const KILL_MS: i64 = 60_000;
/// Pause before an executor is asked again to end a run.
const KILL_AGAIN_MS: i64 = 5_000;

/// The wait for one attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vigil {
    state: Dispatch,
    begun_ms: i64,
    asked_ms: i64,
    /// Since when the executor says that no run of the job is there.
    idle_since: Option<i64>,
    kill: Option<Kill>,
}

/// How far an executor has come with ending a run.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Kill {
    begun_ms: i64,
    asked_ms: Option<i64>,
    confirmed_ms: Option<i64>,
}

/// What to do for an attempt whose end is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Killing {
    /// The executor is to be asked to end it.
    Ask,
    /// The executor is waited for.
    Wait,
    /// It is over here, for this reason.
    Over(&'static str),
}

impl Vigil {
    /// Begins to wait.
    #[must_use]
    pub const fn new(state: Dispatch, now_ms: i64) -> Self {
        Self { state, begun_ms: now_ms, asked_ms: now_ms, idle_since: None, kill: None }
    }

    /// Takes in that its log has grown.
    pub fn seen_at_work(&mut self) {
        self.state = self.state.on(Event::SeenAtWork);
    }

    /// Tells whether to ask now whether a run of the job is there. Each yes counts as a question that was asked.
    pub fn asks_idle(&mut self, now_ms: i64) -> bool {
        let is_due = now_ms - self.asked_ms >= ASK_EVERY_MS;
        if is_due {
            self.asked_ms = now_ms;
        }
        is_due
    }

    /// Takes in what the executor has said to a question that was asked then: whether no run of the job is there. Nothing: no answer came.
    pub fn told_idle(&mut self, asked_ms: i64, is_idle: Option<bool>) {
        self.idle_since = if is_idle == Some(true) { self.idle_since.or(Some(asked_ms)) } else { None };
    }

    /// Says what to do where the end of the attempt is asked for. Each [`Killing::Ask`] counts as a question that was asked.
    pub fn kills(&mut self, now_ms: i64) -> Killing {
        let kill = self.kill.get_or_insert(Kill { begun_ms: now_ms, asked_ms: None, confirmed_ms: None });
        if kill.confirmed_ms.is_some_and(|confirmed| now_ms - confirmed >= KILLED_MS) {
            return Killing::Over(
                "the executor has confirmed the end of the job's runs there, and has not reported it",
            );
        }
        if now_ms - kill.begun_ms >= KILL_MS {
            return Killing::Over("the executor does not confirm the end: it may still be at work");
        }
        if kill.confirmed_ms.is_some() || kill.asked_ms.is_some_and(|asked| now_ms - asked < KILL_AGAIN_MS) {
            return Killing::Wait;
        }
        kill.asked_ms = Some(now_ms);
        Killing::Ask
    }

    /// Takes in that the executor has confirmed that it ends the job's runs.
    pub fn told_kill(&mut self, now_ms: i64) {
        if let Some(kill) = &mut self.kill {
            kill.confirmed_ms = Some(now_ms);
        }
    }

    /// Says why the attempt is lost, if it is. `is_silent`: nothing is heard any more of the executor that has it.
    #[must_use]
    pub fn lost(&self, now_ms: i64, is_silent: bool) -> Option<String> {
        if self.idle_since.is_some_and(|since| now_ms - since >= IDLE_MS) {
            let begun =
                if self.state == Dispatch::Unknown { ", and has not answered when it was sent the run" } else { "" };
            return Some(format!("the executor says that no run of the job is there, and has reported no end{begun}"));
        }
        // Its worker may stay for what other executors have.
        let is_gone = is_silent && now_ms - self.begun_ms > DEAD_MS;
        is_gone.then(|| "nothing is heard any more of the executor that has it".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits in looks of 2 s, and answers when it is lost and why. `idle` is what the executor says at a time.
    fn waits(mut vigil: Vigil, idle: impl Fn(i64) -> Option<bool>, silent_from: i64) -> Option<(i64, String)> {
        for now_ms in (0..400_000).step_by(2_000) {
            if vigil.asks_idle(now_ms) {
                vigil.told_idle(now_ms, idle(now_ms));
            }
            if let Some(why) = vigil.lost(now_ms, now_ms >= silent_from) {
                return Some((now_ms, why));
            }
        }
        None
    }

    #[test]
    fn a_run_that_is_no_more_where_it_was_sent_is_lost_once_its_end_cannot_come_any_more() {
        let accepted = || Vigil::new(Dispatch::Sent.on(Event::Accepted), 0);
        let unanswered = || Vigil::new(Dispatch::Sent.on(Event::Unanswered), 0);
        // An executor that was started again has no run of the job; it is asked every 30 s.
        let (at_ms, why) = waits(accepted(), |_| Some(true), i64::MAX).unwrap();
        assert_eq!(at_ms, ASK_EVERY_MS + IDLE_MS);
        assert!(!why.contains("has not answered"), "{why}");
        let (at_ms, why) = waits(unanswered(), |_| Some(true), i64::MAX).unwrap();
        assert_eq!(at_ms, ASK_EVERY_MS + IDLE_MS);
        assert!(why.contains("has not answered when it was sent the run"), "{why}");
        let mut seen = unanswered();
        seen.seen_at_work();
        assert!(
            !waits(seen, |_| Some(true), i64::MAX).unwrap().1.contains("has not answered"),
            "its log says that it began"
        );
        // Busy once, or silent once: it counts anew.
        for answer in [Some(false), None] {
            let idle = |now_ms| if now_ms == 90_000 { answer } else { Some(true) };
            assert_eq!(waits(accepted(), idle, i64::MAX).unwrap().0, 120_000 + IDLE_MS, "{answer:?}");
        }
        assert_eq!(waits(accepted(), |_| Some(false), i64::MAX), None, "a run of hours goes on");
        assert_eq!(
            waits(accepted(), |_| None, i64::MAX),
            None,
            "an executor without this question, which is heard otherwise"
        );
    }

    #[test]
    fn a_run_is_lost_with_its_executor_and_never_by_age() {
        let begun = Vigil::new(Dispatch::Sent.on(Event::Accepted), 0);
        let (at_ms, why) = waits(begun.clone(), |_| None, 10_000).unwrap();
        assert_eq!((at_ms, why.as_str()), (DEAD_MS + 2_000, "nothing is heard any more of the executor that has it"));
        assert_eq!(waits(begun, |_| None, 200_000).unwrap().0, 200_000);
    }

    #[test]
    fn an_executor_is_asked_to_end_a_run_until_it_confirms_that_and_is_waited_for() {
        let mut vigil = Vigil::new(Dispatch::Sent.on(Event::Accepted), 0);
        let mut asked = Vec::new();
        let over = (1_000..).step_by(1_000).find_map(|now_ms| match vigil.kills(now_ms) {
            Killing::Ask => {
                asked.push(now_ms);
                None
            }
            Killing::Wait => None,
            Killing::Over(why) => Some((now_ms, why)),
        });
        assert_eq!(over, Some((1_000 + KILL_MS, "the executor does not confirm the end: it may still be at work")));
        assert_eq!((asked.len(), asked[1] - asked[0]), (12, KILL_AGAIN_MS));

        let mut vigil = Vigil::new(Dispatch::Sent.on(Event::Accepted), 0);
        assert_eq!((vigil.kills(0), vigil.kills(1_000)), (Killing::Ask, Killing::Wait));
        vigil.told_kill(2_000);
        assert_eq!(vigil.kills(1_999 + KILLED_MS), Killing::Wait, "it is not asked again");
        assert!(matches!(vigil.kills(2_000 + KILLED_MS), Killing::Over(why) if why.contains("confirmed")));
    }
}
