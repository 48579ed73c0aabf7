//! Tokens that open nothing: counted by source, and slowed down.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::seats::Source;

/// Refused tokens after which a source is slowed down.
const FREE: u32 = 10;
/// For how long refusals count.
const WINDOW: Duration = Duration::from_secs(60);
/// How long tokens of a source that is slowed down wait before they are looked at.
const DELAY: Duration = Duration::from_secs(1);
/// Sources that are remembered.
const SOURCES_MAX: usize = 10_000;

/// The refused tokens of each source in the last minute.
#[derive(Debug, Default)]
pub(crate) struct Guesses(Mutex<HashMap<Source, (Instant, u32)>>);

impl Guesses {
    /// Notes a token that was refused.
    pub(crate) fn note(&self, now: Instant, source: Source) {
        let mut sources = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sources.len() >= SOURCES_MAX && !sources.contains_key(&source) {
            sources.retain(|_, (since, _)| is_recent(now, *since));
            if sources.len() >= SOURCES_MAX {
                return;
            }
        }
        let (since, refused) = sources.entry(source).or_insert((now, 0));
        if !is_recent(now, *since) {
            (*since, *refused) = (now, 0);
        }
        *refused = refused.saturating_add(1);
    }

    /// How long the next token of a source waits before it is looked at.
    pub(crate) fn delay(&self, now: Instant, source: Source) -> Option<Duration> {
        let sources = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, refused) = *sources.get(&source)?;
        (refused >= FREE && is_recent(now, since)).then_some(DELAY)
    }
}

fn is_recent(now: Instant, since: Instant) -> bool {
    now.saturating_duration_since(since) < WINDOW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_slowed_down_after_ten_and_for_a_minute() {
        let (guesses, start) = (Guesses::default(), Instant::now());
        let [guesser, other] = ["10.0.0.1", "10.0.0.2"].map(|text| Source::of(text.parse().unwrap()));
        for refused in 0..FREE {
            assert_eq!(guesses.delay(start, guesser), None, "{refused}");
            guesses.note(start, guesser);
        }
        assert_eq!(guesses.delay(start, guesser), Some(DELAY));
        assert_eq!(guesses.delay(start, other), None);
        assert_eq!(guesses.delay(start + WINDOW, guesser), None, "a mistake is forgotten");
        guesses.note(start + WINDOW, guesser);
        assert_eq!(guesses.delay(start + WINDOW, guesser), None);
    }

    #[test]
    fn sources_are_bounded() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        for number in 0..2 * u32::try_from(SOURCES_MAX).unwrap() {
            guesses.note(now, Source::of(std::net::Ipv4Addr::from_bits(number).into()));
        }
        assert_eq!(guesses.0.lock().unwrap().len(), SOURCES_MAX);
    }
}
