//! The work of the nodes: jobs that follow from a seed, and their instants by arithmetic of the test's own.

use mainspring_core::Timestamp;
use mainspring_rig::Witness;
use mainspring_sim::Random;
use mainspring_sim::history::{JobFacts, Schedule, State};
use serde_json::{Value, json};

use crate::cluster::QUEUE;

/// Steps of cron triggers in seconds. Each divides a minute, so that equal steps from its offset are all its instants.
const CRON_STEPS: [i64; 10] = [2, 3, 4, 5, 6, 10, 12, 15, 20, 30];
/// Attempts that a run of a retrying job has: it fails twice, and may be lost a few times beside.
const RETRIES: u32 = 7;

/// The number of jobs of each kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    intervals: u32,
    crons: u32,
    eager: u32,
    alone: u32,
    slow: u32,
    retrying: u32,
    changed: u32,
    asked: u32,
    remote: u32,
    remote_alone: u32,
    remote_slow: u32,
    /// The duration of the work of a slow job.
    slow_ms: i64,
    /// The same on a worker: longer than it goes on without a word from any node, so that work is under way when it gives up.
    remote_ms: i64,
}

impl Size {
    /// The size for a test of a minute on a busy machine.
    pub(crate) const SMALL: Self = Self {
        intervals: 60,
        crons: 12,
        eager: 6,
        alone: 4,
        slow: 3,
        retrying: 3,
        changed: 24,
        asked: 4,
        remote: 6,
        remote_alone: 3,
        remote_slow: 2,
        slow_ms: 2_000,
        remote_ms: 9_000,
    };
    /// The size for half an hour and more.
    pub(crate) const WHOLE: Self = Self {
        intervals: 200,
        crons: 40,
        eager: 12,
        alone: 20,
        slow: 20,
        retrying: 10,
        changed: 60,
        asked: 8,
        remote: 12,
        remote_alone: 6,
        remote_slow: 3,
        slow_ms: 30_000,
        remote_ms: 25_000,
    };
}

/// The kind of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Nothing, at equal steps.
    Interval,
    /// Nothing, by a cron expression.
    Cron,
    /// Bears witness, and is tried again when it is lost.
    Eager,
    /// Bears witness, one run at a time; what fires meanwhile is suppressed.
    Alone,
    /// Bears witness, and takes its time.
    Slow,
    /// Bears witness, and fails twice before it succeeds.
    Retrying,
    /// Nothing, and clients make, change, pause, resume and delete it.
    Changed,
    /// Nothing, and only when it is asked for.
    Asked,
    /// Bears witness on a worker, and is tried again when it is lost.
    Remote,
    /// Bears witness on a worker and takes its time, one run at a time; what fires meanwhile is suppressed.
    RemoteAlone,
    /// Bears witness on a worker, takes its time, and is tried again when it is lost.
    RemoteSlow,
}

/// A job.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) schedule: Option<Schedule>,
    pub(crate) slow_ms: i64,
}

/// Returns the jobs of a seed. Their schedules are anchored shortly before `now`.
pub(crate) fn drafts(random: &mut Random, size: Size, now: Timestamp) -> Vec<Draft> {
    let kinds = [
        (Kind::Interval, size.intervals),
        (Kind::Cron, size.crons),
        (Kind::Eager, size.eager),
        (Kind::Alone, size.alone),
        (Kind::Slow, size.slow),
        (Kind::Retrying, size.retrying),
        (Kind::Changed, size.changed),
        (Kind::Asked, size.asked),
        (Kind::Remote, size.remote),
        (Kind::RemoteAlone, size.remote_alone),
        (Kind::RemoteSlow, size.remote_slow),
    ];
    let mut drafts = Vec::new();
    for (kind, count) in kinds {
        for number in 0..count {
            let name = format!("{}-{number}", kind.word());
            let slow_ms = if kind.is_remote() { size.remote_ms } else { size.slow_ms };
            let schedule = kind.schedule(random, now, slow_ms);
            drafts.push(Draft { name, kind, schedule, slow_ms });
        }
    }
    drafts
}

impl Kind {
    const fn word(self) -> &'static str {
        match self {
            Self::Interval => "interval",
            Self::Cron => "cron",
            Self::Eager => "eager",
            Self::Alone => "alone",
            Self::Slow => "slow",
            Self::Retrying => "retrying",
            Self::Changed => "changed",
            Self::Asked => "asked",
            Self::Remote => "remote",
            Self::RemoteAlone => "remote-alone",
            Self::RemoteSlow => "remote-slow",
        }
    }

    /// Returns whether its work records each run in the witness file.
    pub(crate) const fn is_witnessed(self) -> bool {
        !matches!(self, Self::Interval | Self::Cron | Self::Changed | Self::Asked)
    }

    /// Returns whether workers execute it, and no node.
    pub(crate) const fn is_remote(self) -> bool {
        matches!(self, Self::Remote | Self::RemoteAlone | Self::RemoteSlow)
    }

    const fn is_alone(self) -> bool {
        matches!(self, Self::Alone | Self::RemoteAlone)
    }

    fn schedule(self, random: &mut Random, now: Timestamp, slow_ms: i64) -> Option<Schedule> {
        let (low, high) = match self {
            Self::Asked => return None,
            Self::Cron => {
                let step = *random.pick(&CRON_STEPS);
                return Some(Schedule {
                    first: random.below(step.unsigned_abs()).cast_signed() * 1_000,
                    step: step * 1_000,
                });
            }
            Self::Interval => (10, 71),
            Self::Changed => (10, 31),
            Self::Eager | Self::Remote => (20, 51),
            Self::Alone | Self::RemoteAlone => (10, 21),
            // Not many more slots than a node has are ever taken.
            Self::Slow | Self::RemoteSlow => (slow_ms.unsigned_abs() / 100 + 10, slow_ms.unsigned_abs() / 100 + 71),
            Self::Retrying => (40, 71),
        };
        let step = random.between(low, high).cast_signed() * 100;
        Some(every(random, now, step))
    }
}

/// Creates a schedule of equal steps with a random phase, anchored shortly before now.
pub(crate) fn every(random: &mut Random, now: Timestamp, step: i64) -> Schedule {
    Schedule { first: now.as_millis() - random.below(step.unsigned_abs()).cast_signed(), step }
}

impl Draft {
    /// Returns the facts that always hold for it.
    pub(crate) fn facts(&self) -> JobFacts {
        let alone = self.kind.is_alone();
        let attempts_max = match self.kind {
            Kind::Retrying | Kind::Eager | Kind::Remote | Kind::RemoteSlow => RETRIES + 1,
            _ => 1,
        };
        JobFacts { exclusive: alone, suppresses: alone, misses: true, waits: false, attempts_max, unlimited: !alone }
    }

    /// Returns the state of its triggers while it is active.
    pub(crate) fn active(&self) -> State {
        State::Active(self.schedule.map(Some).into_iter().collect())
    }

    /// Returns the definition, as users write it. The remark makes two versions with the same schedule differ.
    pub(crate) fn spec(&self, witness: &Witness, remark: &str) -> Value {
        let mut spec = json!({"name": self.name, "description": remark});
        match self.schedule {
            None => {}
            Some(Schedule { first, step }) if self.kind == Kind::Cron => {
                spec["schedule"] = format!("{}/{} * * * * ?", first / 1_000, step / 1_000).into();
            }
            Some(Schedule { first, step }) => {
                let start = Timestamp::from_millis(first);
                spec["schedule"] = json!({"every": format!("{step}ms"), "start_at": start.to_string()});
            }
        }
        let work = match self.kind {
            Kind::Eager | Kind::Remote => "true".to_owned(),
            Kind::Alone => "sleep 0.6".to_owned(),
            Kind::Slow | Kind::RemoteAlone | Kind::RemoteSlow => format!("sleep {}", self.slow_ms / 1_000),
            Kind::Retrying => r#"[ "$MS_ATTEMPT" -ge 3 ]"#.to_owned(),
            _ => {
                spec["noop"] = true.into();
                return spec;
            }
        };
        spec["run"] = witness.line(&work).into();
        if self.kind.is_remote() {
            spec["queue"] = QUEUE.into();
        }
        match self.kind {
            Kind::Alone | Kind::RemoteAlone => spec["overlap"] = "skip".into(),
            Kind::Eager | Kind::Retrying | Kind::Remote | Kind::RemoteSlow => {
                (spec["on_lost"], spec["retries"]) = ("retry".into(), RETRIES.into())
            }
            _ => {}
        }
        spec
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_follow_from_the_seed_and_are_valid() {
        let now = Timestamp::from_millis(1_767_225_600_000);
        let witness = Witness::new("witness");
        let made = |seed| drafts(&mut Random::new(seed), Size::SMALL, now);
        let specs = |seed| made(seed).iter().map(|draft| draft.spec(&witness, "")).collect::<Vec<_>>();
        assert_eq!(specs(1), specs(1));
        assert_ne!(specs(1), specs(2));
        for spec in specs(1) {
            let checked = serde_json::from_value::<mainspring_api::JobSpec>(spec.clone());
            assert!(checked.is_ok(), "{spec}: {checked:?}");
        }
    }

    #[test]
    fn steps_of_cron_are_all_its_instants() {
        // 2026-01-01T00:00:00Z, and what stands in the expression.
        let midnight = 1_767_225_600_000;
        for draft in drafts(&mut Random::new(3), Size::SMALL, Timestamp::from_millis(midnight)) {
            let (Kind::Cron, Some(schedule)) = (draft.kind, draft.schedule) else { continue };
            let (offset, step) = (schedule.first / 1_000, schedule.step / 1_000);
            let by_second: Vec<i64> = (0..120)
                .filter(|second| second % 60 >= offset && (second % 60 - offset) % step == 0)
                .map(|second| midnight + second * 1_000)
                .collect();
            let ours: Vec<i64> = schedule.instants(midnight, midnight + 119_999).collect();
            assert_eq!(ours, by_second, "{schedule:?}");
        }
    }
}
