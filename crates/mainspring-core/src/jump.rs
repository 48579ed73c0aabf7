//! Is a wall clock that was set forward believed? For a server that is alone: nodes of a cluster ask their database.
//!
//! A clock that is wrong for some seconds costs nothing if nobody acts on it. So a jump forward against the boot clock, which nobody
//! sets, is believed once it has stood for a while; until then the time goes on from before the jump. A clock that is set back is
//! believed at once: what is not due waits, and nothing is recorded for instants that have not come.

use crate::cluster::Reading;

/// A jump forward of at most this is believed at once, in milliseconds: the misfire rule is for such.
pub const JUMP_MS: u64 = 120_000;
/// For how long a jump has to stand, and one of more than [`FAR_MS`].
pub const STANDS_MS: u64 = 60_000;
/// See [`STANDS_MS`].
pub const FAR_STANDS_MS: u64 = 600_000;
/// A jump of more than a day is rarely meant.
pub const FAR_MS: u64 = 86_400_000;

/// A wall clock that is ahead of what is believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jump {
    /// How far the wall clock is ahead of the time that is shown, in milliseconds.
    pub ahead_ms: u64,
    /// For how much longer it has to stand to be believed, in milliseconds.
    pub left_ms: u64,
}

/// What a look at the clocks has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Nothing new.
    None,
    /// The wall clock has jumped, and is not believed.
    Doubted(Jump),
    /// It has stood for long enough, and was so far ahead.
    Believed(u64),
    /// It is back before that.
    Back,
}

/// Follows the wall clock, and passes over jumps that do not last.
///
/// ```
/// use mainspring_core::cluster::Reading;
/// use mainspring_core::jump::{Change, Guard};
/// let day = 86_400_000;
/// let mut guard = Guard::default();
/// let at = |boot_ms: u64, wall_ms| Reading { boot_ms, wall_ms };
/// assert_eq!(guard.look(at(0, 1_000)).0, 1_000);
/// let (shown, change) = guard.look(at(5_000, 6_000 + 30 * day));
/// assert_eq!(shown, 6_000, "the time goes on from before");
/// assert!(matches!(change, Change::Doubted(_)));
/// assert_eq!(guard.look(at(8_000, 9_000)), (9_000, Change::Back));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Guard {
    believed: Option<Reading>,
    /// When the wall clock was first seen ahead, by the boot clock.
    doubted_ms: Option<u64>,
}

impl Guard {
    /// Takes in both clocks. Returns the time to go by, in milliseconds since 1970, and what is new.
    pub fn look(&mut self, now: Reading) -> (i64, Change) {
        let Some(expected_ms) = self.expected(now) else {
            self.believed = Some(now);
            return (now.wall_ms, Change::None);
        };
        let ahead_ms = now.wall_ms.saturating_sub(expected_ms).max(0).unsigned_abs();
        if ahead_ms <= JUMP_MS {
            self.believed = Some(now);
            let change = if self.doubted_ms.take().is_some() { Change::Back } else { Change::None };
            return (now.wall_ms, change);
        }
        let is_new = self.doubted_ms.is_none();
        let since_ms = *self.doubted_ms.get_or_insert(now.boot_ms);
        let left_ms = stands_ms(ahead_ms).saturating_sub(now.boot_ms.saturating_sub(since_ms));
        if left_ms == 0 {
            (self.believed, self.doubted_ms) = (Some(now), None);
            return (now.wall_ms, Change::Believed(ahead_ms));
        }
        (expected_ms, if is_new { Change::Doubted(Jump { ahead_ms, left_ms }) } else { Change::None })
    }

    /// The jump that is not believed at the moment.
    #[must_use]
    pub fn jump(&self, now: Reading) -> Option<Jump> {
        let since_ms = self.doubted_ms?;
        let ahead_ms = now.wall_ms.saturating_sub(self.expected(now)?).max(0).unsigned_abs();
        Some(Jump { ahead_ms, left_ms: stands_ms(ahead_ms).saturating_sub(now.boot_ms.saturating_sub(since_ms)) })
    }

    /// What the wall clock would show if nobody had set it since it was believed last.
    fn expected(&self, now: Reading) -> Option<i64> {
        let believed = self.believed?;
        Some(believed.wall_ms.saturating_add_unsigned(now.boot_ms.saturating_sub(believed.boot_ms)))
    }
}

/// Follows a clock, and notices when it was set back: what was recorded until then may lie in the future.
///
/// ```
/// use mainspring_core::cluster::Reading;
/// use mainspring_core::jump::SetBack;
/// let mut clock = SetBack::default();
/// let at = |boot_ms, wall_ms| Reading { boot_ms, wall_ms };
/// assert!(clock.look(at(0, 9_000_000)), "nobody knows what was before");
/// assert!(!clock.look(at(5_000, 9_005_000)));
/// assert!(clock.look(at(10_000, 10_000)));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SetBack {
    /// The clock minus the boot clock, in milliseconds, at the last look.
    offset_ms: Option<i64>,
}

impl SetBack {
    /// Takes in both clocks. Returns whether the clock was set back by more than [`JUMP_MS`] since the last look; of the first one
    /// that is not known, so it says yes.
    pub fn look(&mut self, now: Reading) -> bool {
        let offset_ms = now.wall_ms.saturating_sub_unsigned(now.boot_ms);
        let before = self.offset_ms.replace(offset_ms);
        before.is_none_or(|before| offset_ms < before.saturating_sub_unsigned(JUMP_MS))
    }
}

const fn stands_ms(ahead_ms: u64) -> u64 {
    if ahead_ms > FAR_MS { FAR_STANDS_MS } else { STANDS_MS }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    fn at(boot_ms: u64, wall_ms: i64) -> Reading {
        Reading { boot_ms, wall_ms }
    }

    #[test]
    fn clock_that_was_set_back_is_noticed_once() {
        let mut clock = SetBack::default();
        clock.look(at(0, 0));
        let looks = [
            (5_000, 30 * 24 * HOUR, false, "it was set forward"),
            (10_000, 30 * 24 * HOUR + 5_000, false, "it goes on"),
            (15_000, 15_000, true, "it is back"),
            (20_000, 20_000, false, "that has been said"),
            (25_000, 25_000 - JUMP_MS as i64, false, "a little"),
        ];
        for (boot_ms, wall_ms, is_back, why) in looks {
            assert_eq!(clock.look(at(boot_ms, wall_ms)), is_back, "{why}");
        }
    }

    #[test]
    fn jump_that_stands_is_believed_and_a_small_one_at_once() {
        let mut guard = Guard::default();
        guard.look(at(0, 0));
        assert_eq!(guard.look(at(1_000, 1_000 + JUMP_MS as i64)), (1_000 + JUMP_MS as i64, Change::None));
        let mut guard = Guard::default();
        guard.look(at(0, 0));
        let jump = Jump { ahead_ms: HOUR as u64, left_ms: STANDS_MS };
        assert_eq!(guard.look(at(1_000, 1_000 + HOUR)), (1_000, Change::Doubted(jump)));
        let mid = at(31_000, 31_000 + HOUR);
        assert_eq!(guard.look(mid), (31_000, Change::None), "it is said once");
        assert_eq!(guard.jump(mid), Some(Jump { left_ms: STANDS_MS - 30_000, ..jump }));
        let end = at(61_000, 61_000 + HOUR);
        assert_eq!(guard.look(end), (61_000 + HOUR, Change::Believed(HOUR as u64)));
        assert_eq!((guard.jump(end), guard.look(at(62_000, 62_000 + HOUR))), (None, (62_000 + HOUR, Change::None)));
    }

    #[test]
    fn jump_of_weeks_has_to_stand_for_longer() {
        let mut guard = Guard::default();
        guard.look(at(0, 0));
        let far = 30 * 24 * HOUR;
        guard.look(at(1, 1 + far));
        assert_eq!(guard.look(at(STANDS_MS + 1, far)).0, STANDS_MS as i64 + 1);
        assert_eq!(guard.look(at(FAR_STANDS_MS + 1, far)).0, far);
    }

    #[test]
    fn clock_that_is_set_back_or_drifts_is_believed_at_once() {
        let mut guard = Guard::default();
        guard.look(at(0, HOUR));
        assert_eq!(guard.look(at(10, 0)), (0, Change::None));
        let mut wall_ms = 0;
        for second in 1..100_000_u64 {
            // Slewed by a tenth: in sum far more than a jump.
            wall_ms += 1_100;
            assert_eq!(guard.look(at(second * 1_000, wall_ms)), (wall_ms, Change::None));
        }
    }
}
