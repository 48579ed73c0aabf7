//! What is due and waits for a batch, in the order in which it goes.
//!
//! The order matters only where not everything fits: after an outage, or when a herd comes due at once. What came due last goes
//! first then, since that can still be on time, while what is late is late anyway; at the same instant, the
//! higher priority. So a herd delays nobody but itself. Each [`SHARE`]th place is kept for the other end of the line as soon as
//! there is backlog, so that it goes on shrinking, however much comes due.

use std::collections::VecDeque;

use mainspring_schedule::Timestamp;

use super::resident::{Place, Residents};

/// Later than this is backlog. Within a second people still call it on time, and a batch takes a good part of one at worst.
const ON_TIME_MS: i64 = 1_000;

/// Every so many places of a batch, one goes to the backlog.
const SHARE: u32 = 8;

/// See the [module](self). What goes next is at the back.
#[derive(Debug, Default)]
pub(super) struct Due {
    line: VecDeque<Place>,
    turn: u32,
}

impl Due {
    pub(super) fn is_empty(&self) -> bool {
        self.line.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.line.len()
    }

    /// Takes in what the wheel has let go by `now`, in order of due time and priority. What was late by then is no reason for
    /// others to be late as well.
    pub(super) fn take_in(&mut self, sorted: &[Place], now: Timestamp, residents: &Residents) {
        let late = sorted.partition_point(|place| is_backlog(*place, now, residents));
        sorted[..late].iter().rev().for_each(|place| self.line.push_front(*place));
        self.line.extend(&sorted[late..]);
    }

    /// Lets places go next, whenever they were due: they have waited for this moment.
    pub(super) fn prefer(&mut self, places: impl IntoIterator<Item = Place>) {
        self.line.extend(places);
    }

    pub(super) fn next(&mut self, now: Timestamp, residents: &Residents) -> Option<Place> {
        self.turn = (self.turn + 1) % SHARE;
        let oldest = self.line.front().filter(|_| self.turn == 0);
        match oldest {
            Some(place) if is_backlog(*place, now, residents) => self.line.pop_front(),
            _ => self.line.pop_back(),
        }
    }

    /// Lets go of places whose trigger is gone.
    pub(super) fn tidy(&mut self, residents: &Residents) {
        self.line.retain(|place| residents.find(*place).is_some());
    }
}

fn is_backlog(place: Place, now: Timestamp, residents: &Residents) -> bool {
    let due_at = residents.find(place).and_then(|resident| resident.progress.due_at);
    due_at.is_some_and(|due_at| now.since(due_at) > ON_TIME_MS)
}
