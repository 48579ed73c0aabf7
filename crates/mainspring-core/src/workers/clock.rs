//! How far a worker's clock is from the servers', as its messages show.

/// How many messages count.
const SAMPLES: usize = 4;
/// Offsets that differ by less than this, in milliseconds, are told as one: what messages need differs by so much.
const STEP_MS: u64 = 50;

/// What is known of a worker's clock.
///
/// A message takes its time, so the clock seems to be behind by that: of the last few, the one that was quickest counts.
///
/// ```
/// use mainspring_core::workers::ClockOffset;
/// let mut clock = ClockOffset::default();
/// assert_eq!(clock.to_tell(), None, "nothing is known");
/// clock.note(1_200);
/// clock.note(900);
/// assert_eq!(clock.to_tell(), Some(1_200));
/// clock.told(1_200);
/// clock.note(1_220);
/// assert_eq!(clock.to_tell(), None, "that is no other");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockOffset {
    samples: [Option<i64>; SAMPLES],
    next: usize,
    told_ms: Option<i64>,
}

impl ClockOffset {
    /// Takes in how far a message was written ahead of its arrival, in milliseconds.
    pub const fn note(&mut self, offset_ms: i64) {
        self.samples[self.next] = Some(offset_ms);
        self.next = (self.next + 1) % SAMPLES;
    }

    /// The offset, in milliseconds, if it is another one than was told last.
    #[must_use]
    pub fn to_tell(&self) -> Option<i64> {
        let offset_ms = self.samples.into_iter().flatten().max()?;
        let is_other = self.told_ms.is_none_or(|told_ms| told_ms.abs_diff(offset_ms) >= STEP_MS);
        is_other.then_some(offset_ms)
    }

    /// Notes what was told.
    pub const fn told(&mut self, offset_ms: i64) {
        self.told_ms = Some(offset_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_that_is_set_right_is_told_after_a_few_messages() {
        let mut clock = ClockOffset::default();
        clock.note(60_000);
        clock.told(60_000);
        for _ in 0..SAMPLES - 1 {
            clock.note(-3);
            assert_eq!(clock.to_tell(), None, "one message may have been slow");
        }
        clock.note(-3);
        assert_eq!(clock.to_tell(), Some(-3));
        clock.note(i64::MIN);
        assert_eq!(clock.to_tell(), Some(-3), "the quickest counts");
    }
}
