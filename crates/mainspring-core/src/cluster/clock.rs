//! Is this node's wall clock right? Judged against the database's and the other nodes'.

use super::Settings;
use crate::id::Incarnation;

/// Both clocks of a node, read together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reading {
    /// Milliseconds of `CLOCK_BOOTTIME`.
    pub boot_ms: u64,
    /// Milliseconds since 1970 by the wall clock.
    pub wall_ms: i64,
}

impl Reading {
    /// Whether the wall clock was set by more than a limit since an earlier reading.
    ///
    /// ```
    /// use mainspring_core::cluster::Reading;
    /// let before = Reading { boot_ms: 1_000, wall_ms: 500_000 };
    /// assert!(!Reading { boot_ms: 61_000, wall_ms: 560_500 }.is_set_since(before, 500));
    /// assert!(Reading { boot_ms: 61_000, wall_ms: 560_501 }.is_set_since(before, 500));
    /// assert!(Reading { boot_ms: 61_000, wall_ms: 559_499 }.is_set_since(before, 500));
    /// ```
    #[must_use]
    pub const fn is_set_since(self, before: Self, limit_ms: u64) -> bool {
        let wall_ms = self.wall_ms.saturating_sub(before.wall_ms);
        let boot_ms = self.boot_ms.saturating_sub(before.boot_ms);
        wall_ms.saturating_sub_unsigned(boot_ms).unsigned_abs() > limit_ms
    }
}

/// How far the wall clock is ahead of the database's, and how far that may be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockOffset {
    /// The estimate; negative if the node's clock is behind.
    pub ms: i64,
    /// The truth is within this of it.
    pub error_ms: i64,
}

/// How far a step of the wall clock within a request may go unnoticed.
const STEP_MS: i64 = 100;

impl ClockOffset {
    /// The database read its clock somewhere between sending and receiving: the middle is off by half of that at most.
    /// Nothing is learned from a request during which the wall clock was set.
    pub(super) fn measure(sent: Reading, received: Reading, database_ms: i64) -> Option<Self> {
        let took = i64::try_from(received.boot_ms.saturating_sub(sent.boot_ms)).ok()?;
        let wall_took = received.wall_ms.checked_sub(sent.wall_ms)?;
        if wall_took.checked_sub(took)?.saturating_abs() > STEP_MS {
            return None;
        }
        let middle = sent.wall_ms.checked_add(wall_took / 2)?;
        let ms = middle.checked_sub(database_ms)?;
        Some(Self { ms, error_ms: (took + STEP_MS) / 2 })
    }

    const fn surely_above(self, limit_ms: u64) -> bool {
        self.ms.unsigned_abs() > limit_ms.saturating_add(self.error_ms.unsigned_abs())
    }

    const fn surely_within(self, limit_ms: u64) -> bool {
        self.ms.unsigned_abs().saturating_add(self.error_ms.unsigned_abs()) <= limit_ms
    }
}

/// The database's clock, as a node knows it: read with an answer, and carried on by the boot clock, which nobody sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DatabaseClock {
    /// Both clocks of the node when it compared them.
    pub(super) compared: Reading,
    /// How far its wall clock was ahead then.
    pub(super) offset: ClockOffset,
}

impl DatabaseClock {
    /// The present instant for what a node is asked to do, in milliseconds since 1970: by its own clock, unless that is surely
    /// further than a limit from the database's. A clock that was set since they were compared is found out too.
    #[must_use]
    pub const fn correct(&self, now: Reading, limit_ms: u64) -> i64 {
        let passed_ms = now.boot_ms.saturating_sub(self.compared.boot_ms);
        let ours_ms = self.compared.wall_ms.saturating_add_unsigned(passed_ms);
        let database_ms = ours_ms.saturating_sub(self.offset.ms);
        let offset = ClockOffset { ms: now.wall_ms.saturating_sub(database_ms), error_ms: self.offset.error_ms };
        if offset.surely_above(limit_ms) { database_ms } else { now.wall_ms }
    }
}

/// Another live node, as far as its clock matters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer {
    pub incarnation: Incarnation,
    pub offset_ms: i64,
    pub eligible: bool,
}

/// What a node thinks of its clock. A slow answer has wide bounds, so it neither raises an alarm nor ends one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClockWatch {
    pub offset: Option<ClockOffset>,
    /// What the node's row says: the last offset that was measured well.
    pub published_ms: Option<i64>,
    pub warned: bool,
    /// Whether the node has given its shards up.
    pub left: bool,
    /// Whether the database's clock is the one that fires: most of all clocks agree with it, this node's when they were compared and
    /// the database's own among them, or this node has left as its clock is wrong. Where there are no others, its own one fires.
    pub confirmed: bool,
}

impl ClockWatch {
    pub(super) fn judge(&mut self, settings: &Settings, me: Incarnation, offset: ClockOffset, peers: &[Peer]) {
        self.offset = Some(offset);
        if offset.error_ms.unsigned_abs() <= settings.clock_warn_ms {
            self.published_ms = Some(offset.ms);
        }
        self.warned =
            offset.surely_above(settings.clock_warn_ms) || self.warned && !offset.surely_within(settings.clock_warn_ms);
        // Away at one limit, back at the other, so that a clock at the edge does not move shards every second.
        let limit = if self.left { settings.clock_warn_ms } else { settings.clock_leave_ms };
        let off = match self.left {
            true => !offset.surely_within(limit),
            false => offset.surely_above(limit),
        };
        self.left = off && differs_from_most(offset, limit, peers) && has_better(me, offset, peers);
        let clocks = peers.iter().map(|peer| peer.offset_ms).chain([offset.ms, 0]);
        let agree = clocks.filter(|offset_ms| offset_ms.unsigned_abs() <= settings.clock_warn_ms).count();
        self.confirmed = self.left || !peers.is_empty() && 2 * agree > peers.len() + 2;
    }
}

fn differs_from_most(offset: ClockOffset, limit_ms: u64, peers: &[Peer]) -> bool {
    let apart = |peer: &Peer| ClockOffset { ms: offset.ms.saturating_sub(peer.offset_ms), ..offset };
    2 * peers.iter().filter(|peer| apart(peer).surely_above(limit_ms)).count() > peers.len()
}

/// Whether an eligible peer is closer to the database. So of several bad clocks the best stays, and somebody always does.
fn has_better(me: Incarnation, offset: ClockOffset, peers: &[Peer]) -> bool {
    let mine = (offset.ms.unsigned_abs(), me);
    peers.iter().any(|peer| peer.eligible && (peer.offset_ms.unsigned_abs(), peer.incarnation) < mine)
}
