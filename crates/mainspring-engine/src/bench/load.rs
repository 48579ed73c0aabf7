//! What a benchmark plants into the store: groups of triggers, each of a job of its own, so that no two fires share a row.

use std::sync::Arc;
use std::time::Instant;

use mainspring_core::cluster::Shard;
use mainspring_core::compile::{self, Defaults};
use mainspring_core::job::{Block, DEFAULT_QUEUE, Job, JobKey, ScheduleDefinition, Task, TriggerDefinition, XxlTask};
use mainspring_core::{JobId, Timestamp, TriggerId, edit, shard_of};
use mainspring_store::{Expect, JobWrite, Saved, Store, TriggerWrite};

use super::{OnProgress, Result};
use crate::clock::{Clock, SystemClock};
use crate::metrics::Entry;

pub(super) const NAMESPACE: &str = "bench";
/// Jobs saved in one transaction.
const SLICE: usize = 500;
/// How much slower the rest may be than the first slice.
const SLOWER: f64 = 2.0;

/// Triggers of one interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Group {
    pub(super) name: &'static str,
    pub(super) triggers: u32,
    pub(super) interval_ms: i64,
    pub(super) phases: Phases,
    /// Where its runs wait.
    pub(super) queue: &'static str,
    /// What they are.
    pub(super) work: Work,
}

/// What the runs of a group do.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Work {
    /// Nothing.
    Noop,
    /// They keep their slot for as long as there is one.
    Stuck,
    /// They are for the executors of an app.
    Executors(&'static str),
}

impl Work {
    fn task(self) -> Task {
        match self {
            Self::Noop => Task::Noop,
            Self::Executors(app) => Task::Xxl(XxlTask {
                app: app.to_owned(),
                handler: "noop".to_owned(),
                glue: None,
                params: String::new(),
                block: Block::SerialExecution,
                id: None,
            }),
            Self::Stuck => Task::Exec { argv: ["sleep", "1000000"].map(str::to_owned).to_vec() },
        }
    }
}

/// When the triggers of a group are due for the first time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Phases {
    /// All so many milliseconds after the beginning.
    Together(i64),
    /// Spread over an interval that begins so many milliseconds after the beginning.
    Spread(i64),
}

impl Group {
    /// So many fires a second, spread evenly.
    pub(super) fn at_rate(name: &'static str, triggers: u32, rate: u32) -> Self {
        let interval_ms = (i64::from(triggers) * 1_000 / i64::from(rate.max(1))).max(1);
        let phases = Phases::Spread(0);
        Self { name, triggers, interval_ms, phases, queue: DEFAULT_QUEUE, work: Work::Noop }
    }

    /// All at one instant, and hardly ever again.
    pub(super) const fn together(name: &'static str, triggers: u32, interval_ms: i64, after_ms: i64) -> Self {
        let phases = Phases::Together(after_ms);
        Self { name, triggers, interval_ms, phases, queue: DEFAULT_QUEUE, work: Work::Noop }
    }

    fn first(self, begin: Timestamp, index: u32) -> Timestamp {
        begin
            + match self.phases {
                Phases::Together(after_ms) => after_ms,
                Phases::Spread(after_ms) => after_ms + self.interval_ms * i64::from(index) / i64::from(self.triggers),
            }
    }
}

/// A trigger in the store, known by its job.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Planted {
    pub(super) job: JobId,
    pub(super) shard: Shard,
    pub(super) group: &'static str,
    pub(super) first: Timestamp,
    pub(super) interval_ms: i64,
}

impl Planted {
    /// How many instants there are up to one.
    pub(super) fn instants(&self, until: Timestamp) -> u64 {
        let passed = until.since(self.first);
        if passed < 0 { 0 } else { (passed / self.interval_ms + 1).unsigned_abs() }
    }
}

/// What was planted, in order of jobs, and when the load begins.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Planting {
    pub(super) begin: Timestamp,
    pub(super) triggers: Vec<Planted>,
}

impl Planting {
    pub(super) fn of(&self, job: JobId) -> Option<&Planted> {
        let found = self.triggers.binary_search_by_key(&job, |planted| planted.job);
        found.ok().map(|index| &self.triggers[index])
    }

    pub(super) fn of_entry(&self, entry: &Entry) -> Option<&Planted> {
        self.of(JobId(i64::from(entry.0)))
    }

    /// How many instants all triggers have up to one.
    pub(super) fn instants(&self, until: Timestamp) -> u64 {
        self.triggers.iter().map(|planted| planted.instants(until)).sum()
    }

    /// Both, with the beginning of the other.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.begin = other.begin;
        self.triggers.extend(other.triggers);
        self.triggers.sort_unstable_by_key(|planted| planted.job);
        self
    }
}

/// Plants groups, and settles when the load begins: `lead_ms` after the planting is foreseen to end.
///
/// That is foreseen from the time that the first slice takes, which is then saved again with the instants that hold.
pub(super) async fn plant(
    store: &dyn Store,
    groups: &[Group],
    lead_ms: i64,
    progress: OnProgress<'_>,
) -> Result<Planting> {
    let all: Vec<(Group, u32)> =
        groups.iter().flat_map(|group| (0..group.triggers).map(|index| (*group, index))).collect();
    let first = &all[..all.len().min(SLICE)];
    let timed = Instant::now();
    let at = SystemClock.now();
    let early = writes(first, at, at + DAY_MS, None);
    let mut known = early[0].triggers[0].progress.fired_through;
    store.save_jobs(early).await?;
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "far below 2^53")]
    let foreseen_ms = (timed.elapsed().as_secs_f64() * 1_000.0 * SLOWER * all.len() as f64 / first.len() as f64) as i64;
    let begin = SystemClock.now() + foreseen_ms + lead_ms;
    let mut triggers = Vec::with_capacity(all.len());
    for slice in all.chunks(SLICE) {
        let saved = store.save_jobs(writes(slice, SystemClock.now(), begin, known.take())).await?;
        triggers.extend(slice.iter().zip(saved).map(|((group, index), saved)| planted(*group, *index, begin, &saved)));
        progress("jobs", triggers.len() as u64, all.len() as u64);
    }
    triggers.sort_unstable_by_key(|planted| planted.job);
    Ok(Planting { begin, triggers })
}

const DAY_MS: i64 = 86_400_000;

/// What saves a slice of triggers, all of which have fired through `known`.
fn writes(slice: &[(Group, u32)], at: Timestamp, begin: Timestamp, known: Option<Timestamp>) -> Vec<JobWrite> {
    slice.iter().map(|(group, index)| write(*group, *index, at, begin, known)).collect()
}

fn planted(group: Group, index: u32, begin: Timestamp, saved: &Saved) -> Planted {
    let key = &saved.job.definition.key;
    Planted {
        job: saved.job.id,
        shard: Shard(shard_of(&key.namespace, &key.name)),
        group: group.name,
        first: group.first(begin, index),
        interval_ms: group.interval_ms,
    }
}

fn write(group: Group, index: u32, at: Timestamp, begin: Timestamp, known: Option<Timestamp>) -> JobWrite {
    let schedule = ScheduleDefinition::Every { interval_ms: group.interval_ms, repeat_count: None };
    let mut trigger = TriggerDefinition::new("t", schedule);
    trigger.start_at = Some(group.first(begin, index));
    let mut job = Job::new(JobKey::new(NAMESPACE, format!("{}-{index:07}", group.name)), group.work.task());
    job.triggers.push(trigger);
    group.queue.clone_into(&mut job.queue);
    let job = Arc::new(job);
    let rule = compile::rule(&job, &job.triggers[0], at, Defaults::default(), &|_| None).expect("a plain interval");
    let progress = edit::begin(&rule, TriggerId(0), None, at);
    let triggers = vec![TriggerWrite {
        name: "t".into(),
        paused: false,
        progress,
        jitter_ms: 0,
        expected_fired_through: known,
        gap: None,
    }];
    JobWrite {
        definition: job,
        expect: Expect::Anything,
        paused: false,
        triggers,
        ends: Vec::new(),
        documents: Vec::new(),
        saved_by: None,
        at,
    }
}
