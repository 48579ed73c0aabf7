//! The jobs of a seed: what they do, how long that takes, and an oracle for their instants.

use std::sync::Arc;

use mainspring_core::Timestamp;
use mainspring_core::job::{Job, JobKey, OnLost, Overlap, RetryPolicy, ScheduleDefinition, Task, TriggerDefinition};

use crate::Random;
use crate::history::{JobFacts, Schedule, State};
use crate::node::desk::REMOTE;
use crate::world::BASE_MS;

/// A job, as the test knows it.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) definition: Arc<Job>,
    pub(crate) facts: JobFacts,
    pub(crate) work: Work,
    /// Whether its triggers cannot be evaluated.
    pub(crate) poisoned: bool,
}

/// What its runs take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    least_ms: u64,
    most_ms: u64,
    fails: u64,
}

impl Work {
    /// How long a run takes, in microseconds, and whether it fails.
    pub(crate) fn draw(self, random: &mut Random) -> (u64, bool) {
        (random.between(self.least_ms * 1_000, self.most_ms * 1_000 + 1), random.chance(self.fails))
    }
}

impl Draft {
    /// Makes it a job of workers of other machines.
    pub(crate) fn goes_out(&mut self, random: &mut Random) {
        let mut job = (*self.definition).clone();
        job.queue = REMOTE.into();
        job.task = Task::Handler { name: "work".into() };
        self.definition = Arc::new(job);
        // All of them together need no more than the workers have room for.
        let (least_ms, most_ms) = *random.pick(&[(0, 50), (10, 400), (200, 3_000), (1_000, 8_000)]);
        (self.work.least_ms, self.work.most_ms) = (least_ms, most_ms);
        // Runs wait for workers, and there may be none for a while.
        self.facts.unlimited = false;
    }
}

const STEPS_S: [i64; 8] = [3, 4, 5, 6, 10, 12, 15, 20];

pub(crate) fn key(number: u32) -> JobKey {
    JobKey::new("default", format!("job-{number}"))
}

/// Draws a job. One in fifty cannot be evaluated, where `poison` says so.
pub(crate) fn draft(random: &mut Random, number: u32, poison: bool) -> Draft {
    let mut job = Job::new(key(number), Task::Handler { name: "work".into() });
    job.overlap = *random.pick(&[
        Overlap::Allow,
        Overlap::Allow,
        Overlap::Allow,
        Overlap::Skip,
        Overlap::Hold,
        Overlap::QueueOne,
    ]);
    job.on_lost = *random.pick(&[OnLost::Fail, OnLost::Retry]);
    job.retry = RetryPolicy {
        count: u32::try_from(random.below(3)).expect("small"),
        delay_ms: random.between(100, 3_000).cast_signed(),
        ..RetryPolicy::default()
    };
    let (least_ms, most_ms) = *random.pick(&[(0, 50), (0, 200), (10, 400), (500, 5_000), (2_000, 20_000)]);
    let work = Work { least_ms, most_ms, fails: *random.pick(&[0, 0, 100_000, 400_000]) };
    if random.chance(100_000) {
        job.task = Task::Noop;
    }
    let ignores = random.chance(150_000);
    for index in 0..random.between(1, 3) {
        job.triggers.push(trigger(random, usize::try_from(index).expect("small"), BASE_MS, ignores));
    }
    let facts = JobFacts {
        exclusive: job.overlap != Overlap::Allow,
        suppresses: matches!(job.overlap, Overlap::Skip | Overlap::QueueOne),
        misses: !ignores,
        waits: job.overlap == Overlap::Hold,
        attempts_max: job.retry.count.max(u32::from(job.on_lost == OnLost::Retry)) + 1,
        unlimited: job.overlap == Overlap::Allow,
    };
    let poisoned = poison && number % 50 == 27;
    Draft { definition: Arc::new(job), facts, work, poisoned }
}

fn trigger(random: &mut Random, index: usize, now_ms: i64, ignores: bool) -> TriggerDefinition {
    let step = *random.pick(&STEPS_S);
    let start = now_ms + random.below(10_000).cast_signed();
    let schedule = match random.below(20) {
        0..=11 => ScheduleDefinition::Every { interval_ms: step * 1_000, repeat_count: None },
        12..=17 => ScheduleDefinition::Cron { expression: format!("0/{step} * * * * ?") },
        18 => ScheduleDefinition::At { at: Timestamp::from_millis(now_ms + random.below(200_000).cast_signed()) },
        _ => ScheduleDefinition::Delay { delay_ms: step * 500 },
    };
    let mut trigger = TriggerDefinition::new(format!("t{index}"), schedule);
    if let ScheduleDefinition::Every { .. } = trigger.schedule {
        trigger.start_at = Some(Timestamp::from_millis(start));
    }
    if ignores {
        trigger.misfire = "ignore".into();
    }
    trigger
}

/// The same job with other schedules.
pub(crate) fn changed(random: &mut Random, draft: &Draft, now_ms: i64) -> Arc<Job> {
    let mut job = (*draft.definition).clone();
    for (index, definition) in job.triggers.iter_mut().enumerate() {
        *definition = trigger(random, index, now_ms, !draft.facts.misses);
    }
    Arc::new(job)
}

/// What the job does if it is active.
pub(crate) fn active(job: &Job) -> State {
    State::Active(job.triggers.iter().map(oracle).collect())
}

/// The instants of a trigger, by arithmetic alone.
fn oracle(trigger: &TriggerDefinition) -> Option<Schedule> {
    let start = trigger.start_at.map(Timestamp::as_millis);
    match &trigger.schedule {
        ScheduleDefinition::Every { interval_ms, .. } => Some(Schedule { first: start?, step: *interval_ms }),
        ScheduleDefinition::Cron { expression } => {
            let step: i64 = expression.strip_prefix("0/")?.split(' ').next()?.parse().ok()?;
            Some(Schedule { first: 0, step: step * 1_000 })
        }
        ScheduleDefinition::At { at } => Some(Schedule { first: at.as_millis(), step: i64::MAX }),
        _ => None,
    }
}
