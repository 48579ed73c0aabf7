//! Counts the steps of searches, so that tests and fuzzers prove without a clock that every question is
//! answered in bounded time.
//!
//! A step is a look-up of an offset, a month, a day of a calendar or a move of Quartz's walk: a few
//! nanoseconds each. Other builds do not count.

#[cfg(any(test, fuzzing))]
thread_local! {
    static TAKEN: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts one step.
#[inline(always)]
pub(crate) fn step() {
    #[cfg(any(test, fuzzing))]
    TAKEN.with(|taken| taken.set(taken.get() + 1));
}

/// Returns the steps that this thread has taken.
#[cfg(any(test, fuzzing))]
#[must_use]
pub fn taken() -> u64 {
    TAKEN.with(std::cell::Cell::get)
}
