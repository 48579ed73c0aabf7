//! Workers of other machines: which of them are dead.
//!
//! A worker has no lease and owns nothing but the runs that it was given. Whoever it talks to counts its row up every
//! [`BEAT_MS`]; whoever sees the same count for [`TTL_MS`] takes it for dead, and its runs for lost. The worker itself gives
//! up [`GIVE_UP_MS`] after it sent the last request that was answered. That is earlier, whatever fails:
//!
//! - A request is answered only by a node whose last count succeeded within [`FRESH_MS`], and that has heard the worker
//!   within that time or counts it before it answers. So the count that others see is at most that much older than the request.
//! - A worker that has runs has one request under way that is held [`HOLD_MS`] at most, so the last one that was answered
//!   was sent no longer than twice that ago, while all is well. One that has none has nothing to give up: its request is
//!   held [`IDLE_HOLD_MS`], and the answer says how long after the request the node has counted the worker up last: what
//!   it gives counts from there.
//!
//! Time in which nothing could be counted makes nobody dead: see [`Watch::observe`].

mod clock;
mod hands;
mod lines;
mod session;

use rustc_hash::FxHashMap;

use crate::id::Incarnation;

pub use self::clock::ClockOffset;
pub use self::hands::{Hands, Held, Orders, Received};
pub use self::lines::Lines;
pub use self::session::{Reception, Refusal, Session};

/// How long a worker's question is held while there is nothing to say, in milliseconds.
pub const HOLD_MS: u64 = 2_500;
/// The same for a worker that has no runs and says that it waits for so long: what it costs to have it wait.
pub const IDLE_HOLD_MS: u64 = 8_000;
/// How often a node counts up the workers that it has heard.
pub const BEAT_MS: u64 = 2_000;
/// How old a node's last count may be when it answers a worker.
pub const FRESH_MS: u64 = 2 * BEAT_MS;
/// How long a node goes by what it knows of a worker's runs, before it asks the store again.
pub const CHECK_MS: u64 = 30_000;
/// How often a node asks that for all of its workers at once.
pub const CHECK_ALL_MS: u64 = CHECK_MS / 3;
/// How long a count may stand still before its worker is taken for dead.
pub const TTL_MS: u64 = 13_000;
/// When a worker ends the runs that others may be given, after it sent the last request that was answered.
pub const GIVE_UP_MS: u64 = 6_500;
/// What that leaves for ending them.
pub const KILL_MS: u64 = TTL_MS - FRESH_MS - GIVE_UP_MS;

const _: () = assert!(2 * HOLD_MS + 1_000 <= GIVE_UP_MS, "a worker that is well does not give up");
const _: () = assert!(GIVE_UP_MS + FRESH_MS + 2_000 <= TTL_MS, "its runs have ended before they are given to others");
const _: () =
    assert!(IDLE_HOLD_MS + FRESH_MS + 1_000 <= TTL_MS, "a worker whose server hangs asks another one in time");
const _: () = assert!(HOLD_MS + BEAT_MS + TTL_MS + BEAT_MS <= 20_000, "a dead worker is found within 20 s");

/// How long a question may be held, in milliseconds, of a worker that waits for `wait_ms` at most and has runs or not.
///
/// ```
/// use mainspring_core::workers::{HOLD_MS, IDLE_HOLD_MS, hold_ms};
/// assert_eq!(hold_ms(Some(60_000), true), IDLE_HOLD_MS);
/// assert_eq!(hold_ms(Some(60_000), false), HOLD_MS);
/// assert_eq!((hold_ms(None, true), hold_ms(Some(200), true)), (HOLD_MS, 200));
/// ```
#[must_use]
pub fn hold_ms(wait_ms: Option<u64>, is_idle: bool) -> u64 {
    wait_ms.unwrap_or(HOLD_MS).min(if is_idle { IDLE_HOLD_MS } else { HOLD_MS })
}

/// Whether a node may answer workers, if its last count that succeeded was sent then.
#[must_use]
pub const fn is_fresh(now_ms: u64, counted_ms: u64) -> bool {
    now_ms.saturating_sub(counted_ms) <= FRESH_MS
}

/// How often a worker was counted up, as the store says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Count {
    /// Which worker.
    pub worker: Incarnation,
    /// How often.
    pub counter: u64,
    /// Whether its row names the process start that asks as the one that hears it.
    pub here: bool,
    /// Whether it is to be given nothing new.
    pub draining: bool,
}

/// What one node knows of the workers of all nodes.
#[derive(Debug, Default)]
pub struct Watch {
    seen: FxHashMap<Incarnation, Seen>,
    /// When the counts were there that were read last.
    read_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    counter: u64,
    /// For how long that has been seen to stand still.
    silent_ms: u64,
}

impl Watch {
    /// Takes in the counts of all workers, asked for and answered at these times, after those that this node has heard were
    /// counted up. Answers who is dead, with the count that shows it, in order.
    ///
    /// Between two reads at most twice the usual time counts: while the store took nothing, nobody could be counted up. Who is seen
    /// for the first time has just been heard, as far as anybody knows.
    ///
    /// ```
    /// use mainspring_core::Incarnation;
    /// use mainspring_core::workers::{BEAT_MS, Count, TTL_MS, Watch};
    /// let count = |worker, counter| Count { worker: Incarnation(worker), counter, here: true, draining: false };
    /// let (mut watch, mut dead) = (Watch::default(), Vec::new());
    /// let reads = TTL_MS.div_ceil(BEAT_MS);
    /// for read in 0..=reads {
    ///     assert!(dead.is_empty());
    ///     let now_ms = read * BEAT_MS;
    ///     dead = watch.observe(now_ms, now_ms, &[count(1, 7), count(2, read)]);
    /// }
    /// assert_eq!(dead, [(Incarnation(1), 7)]);
    /// ```
    pub fn observe(&mut self, asked_ms: u64, answered_ms: u64, counts: &[Count]) -> Vec<(Incarnation, u64)> {
        // From the one answer to the next question: the counts stood still for at least that long.
        let elapsed = self.read_ms.map_or(0, |before| asked_ms.saturating_sub(before)).min(2 * BEAT_MS);
        self.read_ms = Some(answered_ms);
        let before = std::mem::take(&mut self.seen);
        let mut dead = Vec::new();
        for &Count { worker, counter, .. } in counts {
            let silent_ms = match before.get(&worker) {
                Some(seen) if seen.counter == counter => seen.silent_ms + elapsed,
                _ => 0,
            };
            if silent_ms >= TTL_MS {
                dead.push((worker, counter));
            }
            self.seen.insert(worker, Seen { counter, silent_ms });
        }
        dead.sort_unstable();
        dead
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(counter: u64) -> Count {
        Count { worker: Incarnation(1), counter, here: true, draining: false }
    }

    fn reads_until_dead(watch: &mut Watch, from_ms: u64, every_ms: u64) -> u64 {
        (0..1_000)
            .find(|read| !watch.observe(from_ms + read * every_ms, from_ms + read * every_ms, &[counted(5)]).is_empty())
            .expect("dead in the end")
    }

    #[test]
    fn silence_counts_only_while_something_could_be_heard() {
        let mut watch = Watch::default();
        assert_eq!(reads_until_dead(&mut watch, 0, BEAT_MS), TTL_MS.div_ceil(BEAT_MS));
        let mut after_outages = Watch::default();
        let reads = reads_until_dead(&mut after_outages, 0, 60_000);
        assert_eq!(reads, TTL_MS.div_ceil(2 * BEAT_MS), "each minute counts as two beats");
    }

    #[test]
    fn time_that_an_answer_takes_is_no_silence() {
        let mut watch = Watch::default();
        for read in 0..1_000 {
            assert_eq!(watch.observe(read * BEAT_MS, (read + 1) * BEAT_MS, &[counted(5)]), [], "{read}");
        }
    }

    #[test]
    fn whoever_is_counted_up_or_joins_begins_anew() {
        let mut watch = Watch::default();
        for read in 0..100 {
            assert_eq!(watch.observe(read * BEAT_MS, read * BEAT_MS, &[counted(read / 5)]), [], "{read}");
        }
        let mut watch = Watch::default();
        for read in 0..100 {
            let here = (read % 5 != 4).then_some(counted(0));
            assert_eq!(watch.observe(read * BEAT_MS, read * BEAT_MS, here.as_slice()), [], "{read}");
        }
    }

    #[test]
    fn clock_that_stands_still_or_goes_back_makes_nobody_dead() {
        let mut watch = Watch::default();
        for read in 0..100 {
            assert_eq!(watch.observe(1_000 - read, 1_000 - read, &[counted(0)]), []);
        }
    }
}
