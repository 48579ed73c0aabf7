//! How much is sent to one executor: a limit of requests and runs, and a circuit breaker.
//!
//! The breaker opens when requests stay without an answer, so that an executor behind a dead network holds up nobody else. It lets
//! one request through after a pause, which doubles until one is answered. A refusal is an answer: it closes the breaker.

/// Limits of one executor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GateLimits {
    /// Requests under way at a time, at least 1.
    pub requests_max: u32,
    /// Requests without an answer, one after the other, that open the breaker.
    pub failures_max: u32,
    /// First pause, in milliseconds.
    pub pause_ms: i64,
    /// Longest pause, in milliseconds.
    pub pause_max_ms: i64,
}

impl Default for GateLimits {
    fn default() -> Self {
        Self { requests_max: 64, failures_max: 3, pause_ms: 2_000, pause_max_ms: 60_000 }
    }
}

/// What is under way at one executor. Time is in milliseconds of a clock that is never set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gate {
    limits: GateLimits,
    under_way: u32,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// So many requests in a row had no answer.
    Closed { failures: u32 },
    /// Nothing goes until then.
    Open { until: i64, pause_ms: i64 },
    /// One request is under way to see whether it answers.
    Trying { pause_ms: i64 },
}

/// Whether a request may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    /// It may: it counts as under way until it is [answered](Gate::answered), [failed](Gate::failed), or [not made](Gate::unsent).
    Go,
    /// As many as allowed are under way; the end of one makes room.
    Full,
    /// The breaker is open until then, at least.
    Open {
        /// Milliseconds on the clock of the caller.
        until: i64,
    },
}

/// Where the breaker of a gate stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breaker {
    /// Requests go.
    Closed,
    /// Nothing goes until then.
    Open {
        /// Milliseconds on the clock of the caller.
        until: i64,
    },
    /// One request is under way to see whether it is answered.
    Trying,
}

impl Gate {
    /// Makes a gate with nothing under way.
    #[must_use]
    pub const fn new(limits: GateLimits) -> Self {
        Self { limits, under_way: 0, state: State::Closed { failures: 0 } }
    }

    /// Asks to send a request.
    pub fn admit(&mut self, now: i64) -> Admission {
        match self.state {
            State::Open { until, .. } if now < until => return Admission::Open { until },
            // A request that tries comes to its end within its time limit; until then nothing else goes.
            State::Trying { .. } => return Admission::Full,
            _ if self.under_way >= self.limits.requests_max.max(1) => return Admission::Full,
            State::Open { pause_ms, .. } => self.state = State::Trying { pause_ms },
            State::Closed { .. } => {}
        }
        self.under_way += 1;
        Admission::Go
    }

    /// Notes that a request was answered, with whatever.
    pub fn answered(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
        self.state = State::Closed { failures: 0 };
    }

    /// Notes that a request was not answered.
    pub fn failed(&mut self, now: i64) {
        self.under_way = self.under_way.saturating_sub(1);
        let limits = self.limits;
        let opened = |pause_ms: i64| State::Open { until: now + pause_ms, pause_ms };
        self.state = match self.state {
            State::Closed { failures } if failures + 1 < limits.failures_max => {
                State::Closed { failures: failures + 1 }
            }
            State::Closed { .. } => opened(limits.pause_ms),
            State::Trying { pause_ms } => opened(pause_ms.saturating_mul(2).min(limits.pause_max_ms)),
            // One that was sent before it opened.
            open @ State::Open { .. } => open,
        };
    }

    /// Notes that a request was not made after all: it tells nothing about the executor, and another one may go in its place.
    pub fn unsent(&mut self, now: i64) {
        self.under_way = self.under_way.saturating_sub(1);
        if let State::Trying { pause_ms } = self.state {
            self.state = State::Open { until: now, pause_ms };
        }
    }

    /// Notes that the executor was heard by itself: it lives, and may be tried at once.
    pub fn heard(&mut self, now: i64) {
        if let State::Open { until, pause_ms } = self.state {
            self.state = State::Open { until: until.min(now), pause_ms };
        }
    }

    /// Returns where the breaker stands.
    #[must_use]
    pub const fn breaker(&self) -> Breaker {
        match self.state {
            State::Closed { .. } => Breaker::Closed,
            State::Open { until, .. } => Breaker::Open { until },
            State::Trying { .. } => Breaker::Trying,
        }
    }

    /// Tells whether the breaker holds requests back.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        !matches!(self.state, State::Closed { .. })
    }

    /// How many requests are under way.
    #[must_use]
    pub const fn under_way(&self) -> u32 {
        self.under_way
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: GateLimits = GateLimits { requests_max: 3, failures_max: 2, pause_ms: 100, pause_max_ms: 300 };

    #[test]
    fn no_more_than_the_limit_is_under_way() {
        let mut gate = Gate::new(LIMITS);
        let admitted: Vec<Admission> = (0..4).map(|_| gate.admit(0)).collect();
        assert_eq!(admitted, [Admission::Go, Admission::Go, Admission::Go, Admission::Full]);
        gate.answered();
        assert_eq!((gate.admit(0), gate.under_way()), (Admission::Go, 3));
    }

    #[test]
    fn silence_opens_the_breaker_and_one_request_tries_after_the_pause() {
        let mut gate = Gate::new(LIMITS);
        for now in [0, 10] {
            assert_eq!(gate.admit(now), Admission::Go);
            gate.failed(now);
        }
        assert_eq!(gate.admit(109), Admission::Open { until: 110 });
        for (now, until) in [(110, 310), (310, 610), (610, 910)] {
            assert_eq!((gate.admit(now), gate.admit(now)), (Admission::Go, Admission::Full), "one tries");
            gate.failed(now);
            assert_eq!(gate.admit(now), Admission::Open { until }, "the pause doubles, up to its bound");
        }
        assert_eq!(gate.admit(910), Admission::Go);
        gate.answered();
        assert_eq!((gate.admit(911), gate.is_open()), (Admission::Go, false));
    }

    #[test]
    fn an_answer_in_between_closes_and_a_sign_of_life_ends_the_pause() {
        let mut gate = Gate::new(LIMITS);
        for _ in 0..5 {
            gate.admit(0);
            gate.failed(0);
            gate.admit(0);
            gate.answered();
        }
        assert!(!gate.is_open());
        for _ in 0..2 {
            gate.admit(0);
            gate.failed(0);
        }
        gate.heard(5);
        assert_eq!(gate.admit(5), Admission::Go);
    }

    #[test]
    fn requests_sent_before_it_opened_do_not_prolong_the_pause() {
        let mut gate = Gate::new(LIMITS);
        (0..3).for_each(|_| assert_eq!(gate.admit(0), Admission::Go));
        for now in [1, 2, 50] {
            gate.failed(now);
        }
        assert_eq!((gate.admit(60), gate.under_way()), (Admission::Open { until: 102 }, 0));
    }

    #[test]
    fn a_request_that_is_not_made_makes_room_and_leaves_the_breaker_as_it_was() {
        let mut gate = Gate::new(LIMITS);
        assert_eq!(gate.admit(0), Admission::Go);
        gate.failed(0);
        assert_eq!(gate.admit(0), Admission::Go);
        gate.unsent(0);
        assert_eq!((gate.under_way(), gate.admit(0)), (0, Admission::Go), "the failure before still counts");
        gate.failed(0);
        assert_eq!((gate.admit(100), gate.admit(100)), (Admission::Go, Admission::Full), "one tries");
        gate.unsent(100);
        assert_eq!((gate.is_open(), gate.under_way()), (true, 0), "nothing was answered");
        assert_eq!(gate.admit(100), Admission::Go, "another one tries at once");
        gate.failed(100);
        assert_eq!(gate.admit(100), Admission::Open { until: 300 }, "the pause doubles as if it had been the first");
    }
}
