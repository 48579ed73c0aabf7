//! The timing wheel: what is due soon, in order, at O(1) a piece.
//!
//! Six levels of 256 slots at 1 ms a tick reach past any instant that can be shown. An item sits on the level of
//! the highest byte in which its instant differs from the present one, so that it moves down at most five
//! times. Nothing is ever searched for: who changes their mind lets the old item expire and ignores it.
//! (Varghese, Lauck: Hashed and hierarchical timing wheels, 1987.)

use mainspring_schedule::Timestamp;

const LEVELS: usize = 6;
const SLOTS: usize = 256;

/// Items by the instant at which they expire.
#[derive(Debug)]
pub struct Wheel<T> {
    now: u64,
    levels: Vec<Level<T>>,
    overdue: Vec<T>,
    len: usize,
}

#[derive(Debug)]
struct Level<T> {
    slots: Vec<Vec<(u64, T)>>,
    occupied: [u64; SLOTS / 64],
}

impl<T> Wheel<T> {
    /// An empty wheel that stands at `now`.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        let level = || Level { slots: (0..SLOTS).map(|_| Vec::new()).collect(), occupied: [0; SLOTS / 64] };
        Self { now: tick(now), levels: (0..LEVELS).map(|_| level()).collect(), overdue: Vec::new(), len: 0 }
    }

    /// How many items have not expired.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is left.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds an item. One whose instant has passed expires at the next [`Wheel::advance`].
    pub fn insert(&mut self, at: Timestamp, item: T) {
        self.len += 1;
        self.place(tick(at), item);
    }

    /// Moves to `now` and appends what expired on the way, in order of instants (to the millisecond).
    ///
    /// A `now` before the present one only hands out what is overdue; see [`Wheel::rewind`].
    pub fn advance(&mut self, now: Timestamp, expired: &mut Vec<T>) {
        let before = expired.len();
        expired.append(&mut self.overdue);
        let to = tick(now);
        while let Some((at, level, slot)) = self.next_slot() {
            if at > to {
                break;
            }
            self.now = at;
            let mut items = self.levels[level].take(slot);
            if level == 0 {
                expired.extend(items.drain(..).map(|(_, item)| item));
            } else {
                for (at, item) in items.drain(..) {
                    self.place(at, item);
                }
                expired.append(&mut self.overdue);
            }
            self.levels[level].give_back(slot, items);
        }
        self.now = self.now.max(to);
        self.len -= expired.len() - before;
    }

    /// When to call [`Wheel::advance`] next: never after the earliest instant, and rarely before it.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Timestamp> {
        if !self.overdue.is_empty() {
            return Some(instant(self.now));
        }
        self.next_slot().map(|(at, _, _)| instant(at))
    }

    /// Goes back to an earlier `now`, after the clock was set back: items inserted from then on wait for it.
    pub fn rewind(&mut self, now: Timestamp) {
        if tick(now) >= self.now {
            return;
        }
        let items: Vec<(u64, T)> = self
            .levels
            .iter_mut()
            .flat_map(|level| (0..SLOTS).flat_map(|slot| level.take(slot)).collect::<Vec<_>>())
            .collect();
        self.now = tick(now);
        for (at, item) in items {
            self.place(at, item);
        }
    }

    fn place(&mut self, at: u64, item: T) {
        if at <= self.now {
            self.overdue.push(item);
            return;
        }
        let level = ((63 - (at ^ self.now).leading_zeros()) / 8) as usize;
        let slot = slot_of(at, level);
        let level = &mut self.levels[level];
        level.slots[slot].push((at, item));
        level.occupied[slot / 64] |= 1 << (slot % 64);
    }

    /// The first occupied slot: its first tick, level and index. Lower levels are always earlier.
    fn next_slot(&self) -> Option<(u64, usize, usize)> {
        self.levels.iter().enumerate().find_map(|(level, slots)| {
            let slot = slots.first()?;
            let shift = 8 * level as u32;
            let above = self.now >> shift >> 8 << 8;
            Some(((above | slot as u64) << shift, level, slot))
        })
    }
}

impl<T> Level<T> {
    fn first(&self) -> Option<usize> {
        let word = self.occupied.iter().position(|word| *word != 0)?;
        Some(word * 64 + self.occupied[word].trailing_zeros() as usize)
    }

    fn take(&mut self, slot: usize) -> Vec<(u64, T)> {
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        std::mem::take(&mut self.slots[slot])
    }

    /// Keeps the emptied room of a slot for its next items.
    fn give_back(&mut self, slot: usize, items: Vec<(u64, T)>) {
        if self.slots[slot].is_empty() && items.capacity() <= 1_024 {
            self.slots[slot] = items;
        }
    }
}

/// Ticks count from the earliest instant, so that they are never negative. Later ones than the wheel reaches are cut.
fn tick(at: Timestamp) -> u64 {
    let since = at.max(Timestamp::MIN).since(Timestamp::MIN);
    since.cast_unsigned().min((1 << (8 * LEVELS)) - 1)
}

fn instant(tick: u64) -> Timestamp {
    Timestamp::MIN + tick.cast_signed()
}

const fn slot_of(at: u64, level: usize) -> usize {
    (at >> (8 * level)) as usize & (SLOTS - 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    const START: i64 = 1_767_225_600_000;

    fn at(offset: i64) -> Timestamp {
        Timestamp::from_millis(START + offset)
    }

    #[test]
    fn items_expire_at_their_millisecond_and_not_before() {
        let mut wheel = Wheel::new(at(0));
        let offsets = [1, 2, 255, 256, 257, 65_535, 65_536, 16_777_216, 40 * 86_400_000, 400 * 86_400_000];
        for offset in offsets {
            wheel.insert(at(offset), offset);
        }
        for offset in offsets {
            let mut expired = Vec::new();
            wheel.advance(at(offset - 1), &mut expired);
            assert!(expired.is_empty(), "before {offset}");
            wheel.advance(at(offset), &mut expired);
            assert_eq!(expired, [offset]);
        }
        assert!(wheel.is_empty());
        assert_eq!(wheel.next_wakeup(), None);
    }

    #[test]
    fn past_items_expire_at_once() {
        let mut wheel = Wheel::new(at(0));
        wheel.insert(at(-5), "late");
        assert_eq!(wheel.next_wakeup(), Some(at(0)));
        let mut expired = Vec::new();
        wheel.advance(at(0), &mut expired);
        assert_eq!(expired, ["late"]);
    }

    #[test]
    fn clock_set_back_delays_what_is_inserted_afterwards() {
        let mut wheel = Wheel::new(at(0));
        wheel.insert(at(10_000), "old");
        wheel.advance(at(5_000), &mut Vec::new());
        wheel.rewind(at(0));
        wheel.insert(at(1_000), "new");
        let mut expired = Vec::new();
        wheel.advance(at(999), &mut expired);
        assert!(expired.is_empty());
        wheel.advance(at(10_000), &mut expired);
        assert_eq!(expired, ["new", "old"]);
    }

    #[test]
    fn instants_at_the_ends_of_time_are_taken() {
        let mut wheel = Wheel::new(at(0));
        wheel.insert(Timestamp::from_millis(i64::MAX), 1);
        wheel.insert(Timestamp::from_millis(i64::MIN), 2);
        let mut expired = Vec::new();
        wheel.advance(at(0), &mut expired);
        assert_eq!(expired, [2]);
        wheel.advance(Timestamp::from_millis(i64::MAX), &mut expired);
        assert_eq!(expired, [2, 1]);
    }

    proptest! {
        #[test]
        fn wheel_agrees_with_an_ordered_map(steps in prop::collection::vec((0_i64..200_000, 0_i64..3_000, 0_u8..6), 1..300)) {
            let mut wheel = Wheel::new(at(0));
            let mut model: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
            let mut now = 0;
            for (id, (ahead, step, scale)) in steps.into_iter().enumerate() {
                let due = now + (ahead << (2 * scale)) - 100;
                wheel.insert(at(due), id);
                model.entry(due).or_default().push(id);
                now += step;
                let wakeup = wheel.next_wakeup().expect("something waits");
                let earliest = *model.keys().next().expect("something waits");
                prop_assert!(wakeup <= at(earliest.max(now - step)));
                let mut expired = Vec::new();
                wheel.advance(at(now), &mut expired);
                let later = model.split_off(&(now + 1));
                let mut expected: Vec<usize> = std::mem::replace(&mut model, later).into_values().flatten().collect();
                expected.sort_unstable();
                expired.sort_unstable();
                prop_assert_eq!(expired, expected);
                prop_assert_eq!(wheel.len(), model.values().map(Vec::len).sum::<usize>());
            }
        }
    }
}
