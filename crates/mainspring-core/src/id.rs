//! Internal ids. Users see keys (`namespace/job`); rows and batches carry these.

use std::fmt;
use std::str::FromStr;

use mainspring_schedule::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

macro_rules! integer_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

integer_id!(
    /// A namespace's row.
    NamespaceId
);
integer_id!(
    /// A job's row. Stays below 2^31, since executors of XXL-JOB know 32-bit job ids only.
    JobId
);
integer_id!(
    /// A trigger's row.
    TriggerId
);
integer_id!(
    /// A version of a job's definition: 1, 2, 3 … per job.
    JobVersion
);

/// Bits of a [`JobVersion`] that count versions; a task's number is above them.
const VERSION_BITS: u32 = 32;

impl JobVersion {
    /// The least version that stands for a task of a workflow: those below are of whole jobs.
    pub const FIRST_OF_TASKS: Self = Self(1 << VERSION_BITS);

    /// Returns the version that stands for a task of this version of a workflow. Runs of the task carry it, so that whatever reads
    /// their definition, queue, retries or time limits reads those of the task.
    ///
    /// ```
    /// use mainspring_core::JobVersion;
    /// let load = JobVersion(3).of_task(0);
    /// assert_eq!((load.task(), load.base()), (Some(0), JobVersion(3)));
    /// assert_eq!((JobVersion(3).task(), JobVersion(3).base()), (None, JobVersion(3)));
    /// ```
    #[must_use]
    pub const fn of_task(self, task: u32) -> Self {
        Self(self.base().0 | ((task as i64 + 1) << VERSION_BITS))
    }

    /// Returns the number of the task that it stands for, if it does.
    #[must_use]
    pub const fn task(self) -> Option<u32> {
        match self.0 >> VERSION_BITS {
            // Versions count from 1, and no workflow has 2^31 tasks.
            number @ 1.. => Some((number - 1) as u32),
            _ => None,
        }
    }

    /// Returns the version of the whole job.
    #[must_use]
    pub const fn base(self) -> Self {
        Self(self.0 & ((1 << VERSION_BITS) - 1))
    }
}

/// Names one batch, so that repeating it after an ambiguous commit can be told from a new one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BatchId {
    /// The process start that made the batch.
    pub incarnation: Incarnation,
    /// Counts the batches of that incarnation.
    pub sequence: u64,
}

/// Random id of one process start. Two starts of the same node differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Incarnation(pub u128);

impl fmt::Display for Incarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A run's id: deterministic and ordered by time, laid out as a UUID of version 8.
///
/// The leading 48 bits are the fire time (manual runs: the time of asking) in milliseconds since 1970; then come
/// the trigger (or job) and a hash of what the run stands for. Recording the same fire twice yields the same id, so that the
/// primary key refuses the second.
///
/// ```
/// use mainspring_core::{RunId, RunSource, Timestamp, TriggerId};
/// let at = Timestamp::from_millis(1_767_225_600_000);
/// let id = RunId::new(at, RunSource::Fire(TriggerId(7)));
/// assert_eq!(id, RunId::new(at, RunSource::Fire(TriggerId(7))));
/// assert_eq!(id.time(), at);
/// assert_eq!(id.to_string().parse(), Ok(id));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId([u8; 16]);

/// What a run stands for: together with an instant, its identity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunSource {
    /// The fire of a trigger at its fire time.
    Fire(TriggerId),
    /// A run asked for by a person or a program; the number is random, or follows from the key of the request.
    Asked(JobId, u64),
}

impl RunId {
    /// Makes the id of the run that `source` asks for at `time`.
    ///
    /// Instants before 1970 or after the year 10889 do not fit into 48 bits and are cut to the nearest that does.
    #[must_use]
    pub fn new(time: Timestamp, source: RunSource) -> Self {
        let (kind, owner, number) = match source {
            RunSource::Fire(trigger) => (0_u64, trigger.0, 0),
            RunSource::Asked(job, number) => (1, job.0, number),
        };
        let millis = u64::try_from(time.as_millis()).unwrap_or(0).min((1 << 48) - 1);
        let spread = mix(mix(owner.cast_unsigned() ^ (kind << 63)) ^ number.rotate_left(17) ^ millis);
        Self::of(millis, kind, owner, spread >> SPREAD_SHIFT)
    }

    /// Makes the id of the run of `job` that follows the end of the run `cause` by one of its triggers: always the same for the same
    /// cause and trigger. `try_number` counts from 0; whoever finds an id taken by another run takes the next.
    #[must_use]
    pub fn after(fire_time: Timestamp, job: JobId, trigger: TriggerId, cause: Self, try_number: u64) -> Self {
        let number = mix(cause.scattered() ^ mix(trigger.0.cast_unsigned())).wrapping_add(try_number);
        Self::new(fire_time, RunSource::Asked(job, number))
    }

    /// Makes the id of the run that a task of this workflow run of a job starts in an attempt, counted from 0: always the same for the
    /// same task and attempt. The name of the task says which of its items it is.
    ///
    /// ```
    /// use mainspring_core::{JobId, RunId, RunSource, Timestamp};
    /// let run = RunId::new(Timestamp::from_millis(1_767_225_600_000), RunSource::Asked(JobId(7), 1));
    /// let first = run.called(JobId(7), "load", 0);
    /// assert_eq!((first, first.time()), (run.called(JobId(7), "load", 0), run.time()));
    /// assert!(first != run.called(JobId(7), "load", 1) && first != run.called(JobId(7), "load[0]", 0));
    /// ```
    #[must_use]
    pub fn called(self, job: JobId, task: &str, attempt: u32) -> Self {
        let millis = u64::try_from(self.time().as_millis()).unwrap_or(0);
        let number = task.bytes().fold(u64::from(attempt), |number, byte| mix(number ^ u64::from(byte)));
        // Of the kind that fires have, so that it is in no range of ids of shards.
        Self::of(millis, 0, job.0, mix(self.scattered() ^ number) >> SPREAD_SHIFT)
    }

    /// The id of a shard of this run of a job. No two of one run are the same.
    #[must_use]
    pub fn shard(self, job: JobId, index: u32) -> Self {
        let millis = u64::try_from(self.time().as_millis()).unwrap_or(0);
        Self::of(millis, 1, job.0, (self.scattered() >> SPREAD_SHIFT) + u64::from(index) + 1)
    }

    /// The least and the greatest id that a shard of this run of a job may have: bounds for ranges of ids. Runs that were asked for
    /// in the same millisecond may lie between them.
    ///
    /// ```
    /// use mainspring_core::{JobId, RunId, RunSource, Timestamp};
    /// let run = RunId::new(Timestamp::from_millis(1_767_225_600_000), RunSource::Asked(JobId(7), 1));
    /// let (least, greatest) = run.shard_bounds(JobId(7));
    /// assert!((0..1_000).all(|index| (least..=greatest).contains(&run.shard(JobId(7), index))));
    /// ```
    #[must_use]
    pub fn shard_bounds(self, job: JobId) -> (Self, Self) {
        /// Shards for which there is room before numbers begin anew.
        const ROOM: u64 = 1 << 24;
        const GREATEST: u64 = u64::MAX >> SPREAD_SHIFT;
        let millis = u64::try_from(self.time().as_millis()).unwrap_or(0);
        let first = (self.scattered() >> SPREAD_SHIFT) + 1;
        let least = if first + ROOM > GREATEST { 0 } else { first };
        (Self::of(millis, 1, job.0, least), Self::of(millis, 1, job.0, GREATEST))
    }

    fn of(millis: u64, kind: u64, owner: i64, spread: u64) -> Self {
        // The owner comes before the hash, so that the runs of one instant lie in the order of their triggers: a batch
        // then touches neighbouring pages. A bijective mixer is enough for the rest.
        let owner = owner.cast_unsigned();
        let high = (kind << 11) | ((owner >> 32) & 0x7ff);
        let low = ((owner & 0xffff_ffff) << 30) | (spread & (u64::MAX >> SPREAD_SHIFT));
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&((millis << 16) | 0x8000 | high).to_be_bytes());
        bytes[8..].copy_from_slice(&((low & !(0b11 << 62)) | (0b10 << 62)).to_be_bytes());
        Self(bytes)
    }

    /// The instant in the id: the fire time, or when the run was asked for.
    #[must_use]
    pub fn time(self) -> Timestamp {
        let mut millis = [0; 8];
        millis[2..].copy_from_slice(&self.0[..6]);
        Timestamp::from_millis(i64::from_be_bytes(millis))
    }

    /// The smallest id at `time`: a bound for ranges of ids.
    #[must_use]
    pub fn floor(time: Timestamp) -> Self {
        let millis = u64::try_from(time.as_millis()).unwrap_or(0).min((1 << 48) - 1);
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&(millis << 16).to_be_bytes());
        Self(bytes)
    }

    /// A number that is as likely as any other, always the same for the same run.
    pub(crate) fn scattered(self) -> u64 {
        let id = u128::from_be_bytes(self.0);
        let [high, low] = [id >> 64, id].map(|half| (half & u128::from(u64::MAX)) as u64);
        mix(high ^ mix(low))
    }

    /// The sixteen bytes, most significant first.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Takes sixteen bytes as they were stored.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

/// What is spread has the rest of 64 bits.
const SPREAD_SHIFT: u32 = 34;

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): a bijection that spreads every bit.
pub(crate) const fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = u128::from_be_bytes(self.0);
        write!(
            f,
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            n >> 96,
            (n >> 80) & 0xffff,
            (n >> 64) & 0xffff,
            (n >> 48) & 0xffff,
            n & 0xffff_ffff_ffff
        )
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a run id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a run id (32 hexadecimal digits, with or without dashes)")]
pub struct ParseRunIdError(String);

impl FromStr for RunId {
    type Err = ParseRunIdError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || ParseRunIdError(text.chars().take(64).collect());
        let digits: String = text.chars().filter(|c| *c != '-').collect();
        if digits.len() != 32 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(refused());
        }
        u128::from_str_radix(&digits, 16).map(|n| Self(n.to_be_bytes())).map_err(|_| refused())
    }
}

/// The shard of a job: 0..256, fixed at cluster creation, by a frozen hash of its key.
///
/// The first byte of SHA-256 over `namespace/name`. Golden values are in the tests; changing it would
/// leave triggers without an owner during an upgrade.
#[must_use]
pub fn shard_of(namespace: &str, job: &str) -> u8 {
    let mut hash = Sha256::new();
    hash.update(namespace.as_bytes());
    hash.update(b"/");
    hash.update(job.as_bytes());
    hash.finalize()[0]
}

/// Spreads what a process start repeats over 1 to `max_ms` milliseconds: another number, another wait.
pub(crate) fn spread(seed: Incarnation, number: u64, max_ms: i64) -> i64 {
    let seed = (seed.0 as u64) ^ ((seed.0 >> 64) as u64);
    let drawn = mix(mix(seed) ^ number) % max_ms.max(1).cast_unsigned();
    drawn.cast_signed() + 1
}

/// Spreads the fires of a trigger by up to `jitter_ms`: the same for the same trigger and fire time, always.
#[must_use]
pub fn jitter_of(trigger: TriggerId, fire_time: Timestamp, jitter_ms: i64) -> i64 {
    within(mix(mix(trigger.0.cast_unsigned()) ^ fire_time.as_millis().cast_unsigned()), jitter_ms)
}

/// Spreads the retries of a run by up to `jitter_ms`: the same for the same run and attempt, always.
#[must_use]
pub fn retry_jitter_of(run: RunId, attempt: u32, jitter_ms: i64) -> i64 {
    within(mix(run.scattered() ^ u64::from(attempt)), jitter_ms)
}

/// Maps spread bits to 0 ..= `most_ms`.
fn within(spread: u64, most_ms: i64) -> i64 {
    if most_ms <= 0 {
        return 0;
    }
    i64::try_from(spread % (most_ms.cast_unsigned() + 1)).expect("not above the most")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_id_layout_is_frozen() {
        let id = RunId::new(Timestamp::from_millis(1_767_225_600_000), RunSource::Fire(TriggerId(1)));
        assert_eq!(id.to_string(), "019b76da-a800-8000-8000-00007a791355");
        assert_eq!(id.as_bytes()[6] >> 4, 8, "UUID version");
        assert_eq!(id.as_bytes()[8] >> 6, 0b10, "UUID variant");
    }

    #[test]
    fn run_ids_of_different_sources_differ_and_order_by_time() {
        let at = Timestamp::from_millis(1_000);
        let ids = [
            RunId::new(at, RunSource::Fire(TriggerId(1))),
            RunId::new(at, RunSource::Fire(TriggerId(2))),
            RunId::new(at, RunSource::Asked(JobId(1), 0)),
            RunId::new(at, RunSource::Asked(JobId(1), 1)),
        ];
        for (i, a) in ids.iter().enumerate() {
            assert!(ids[i + 1..].iter().all(|b| a != b));
            assert!(*a < RunId::new(at + 1, RunSource::Fire(TriggerId(9))));
            assert!(*a >= RunId::floor(at) && *a < RunId::floor(at + 1));
        }
    }

    #[test]
    fn shard_hash_is_frozen() {
        for (namespace, job, shard) in [("default", "nightly-backup", 144), ("default", "a", 158), ("prod", "a", 98)] {
            assert_eq!(shard_of(namespace, job), shard, "{namespace}/{job}");
        }
    }

    #[test]
    fn jitter_is_deterministic_and_bounded() {
        let at = Timestamp::from_millis(5);
        assert_eq!(jitter_of(TriggerId(3), at, 0), 0);
        for id in 0..1_000 {
            let jitter = jitter_of(TriggerId(id), at, 250);
            assert!((0..=250).contains(&jitter));
            assert_eq!(jitter, jitter_of(TriggerId(id), at, 250));
        }
    }

    #[test]
    fn retries_of_runs_and_attempts_are_spread_apart() {
        let run = |id| RunId::new(Timestamp::from_millis(1_000), RunSource::Asked(JobId(id), 0));
        let spread = |attempt| -> Vec<i64> { (0..100).map(|id| retry_jitter_of(run(id), attempt, 999)).collect() };
        let (first, second) = (spread(1), spread(2));
        assert!(first.iter().all(|ms| (0..=999).contains(ms)));
        assert_eq!(first, spread(1));
        assert_ne!(first, second);
        let mean = first.iter().sum::<i64>() / 100;
        assert!((350..650).contains(&mean), "{mean}");
        assert_eq!(retry_jitter_of(run(1), 1, 0), 0);
    }

    #[test]
    fn texts_that_are_not_run_ids_are_refused() {
        for text in ["", "12", "+19b76da-a800-8f5a-a9dd-0c5ce0b36cc", "zz9b76da-a800-8f5a-a9dd-0c5ce0b36cc3"] {
            assert!(text.parse::<RunId>().is_err(), "{text}");
        }
    }
}
