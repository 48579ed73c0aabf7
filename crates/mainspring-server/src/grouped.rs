//! Says what happens again and again in one line with a count, so that no caller can flood the log.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long what follows a line is counted before there is another line.
const WINDOW: Duration = Duration::from_secs(10);
/// Kinds that are told apart at a time; more are one kind.
const KINDS_MAX: usize = 1_000;

/// Counts events by kind.
#[derive(Debug)]
pub(crate) struct Grouped<K>(Mutex<HashMap<Option<K>, Group>>);

#[derive(Debug)]
struct Group {
    said: Instant,
    unsaid: u64,
}

impl<K> Default for Grouped<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Hash + Eq> Grouped<K> {
    /// Notes an event. Returns how many a line now stands for, this one and those since the line before; or nothing, if there
    /// was a line within the last 10 s.
    pub(crate) fn note(&self, now: Instant, kind: K) -> Option<u64> {
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kind = Some(kind);
        if groups.len() >= KINDS_MAX && !groups.contains_key(&kind) {
            groups.retain(|_, group| now.saturating_duration_since(group.said) < WINDOW);
            if groups.len() >= KINDS_MAX {
                kind = None;
            }
        }
        match groups.get_mut(&kind) {
            Some(group) if now.saturating_duration_since(group.said) < WINDOW => {
                group.unsaid += 1;
                None
            }
            Some(group) => {
                group.said = now;
                Some(1 + std::mem::take(&mut group.unsaid))
            }
            None => {
                groups.insert(kind, Group { said: now, unsaid: 0 });
                Some(1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_repeated_is_one_line_with_a_count() {
        let (grouped, start) = (Grouped::default(), Instant::now());
        let at = |ms| start + Duration::from_millis(ms);
        assert_eq!(grouped.note(at(0), "poll"), Some(1));
        for ms in 1..=500 {
            assert_eq!(grouped.note(at(ms), "poll"), None);
        }
        assert_eq!(grouped.note(at(500), "join"), Some(1), "another kind");
        assert_eq!(grouped.note(at(10_000), "poll"), Some(501));
        assert_eq!(grouped.note(at(10_001), "poll"), None);
    }

    #[test]
    fn kinds_beyond_the_bound_are_one() {
        let (grouped, now) = (Grouped::default(), Instant::now());
        let lines = (0..10 * KINDS_MAX).filter(|kind| grouped.note(now, *kind).is_some()).count();
        assert_eq!(lines, KINDS_MAX + 1);
        assert_eq!(grouped.note(now + WINDOW, usize::MAX), Some(1), "there is room again");
    }
}
