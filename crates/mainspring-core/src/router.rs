//! The router: picks the worker of its queue that executes a run of a routed job.
//!
//! Runs of [routed](crate::routing) jobs wait in the line `QUEUE/route`, from which nobody takes runs. [`Router`] says into which
//! worker's line each of them goes, `QUEUE/@WORKER`, from which that worker alone takes them.
//!
//! The strategies are those of XXL-JOB and answer as it does, with one difference: only workers that live are asked, and what a
//! job's [`Memory`] counts is kept in the store and never cleared, so that it holds for all nodes and across restarts.
//!
//! Workers have an order: first those that people have given a place, by place, then the others by their names, byte by byte. Those of
//! one name count as one.

mod choose;
mod ring;

use std::collections::{BTreeMap, BTreeSet};

use mainspring_model::Strategy;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{JobId, RunId};
use crate::job::Job;
use crate::line::Line;
use crate::workers::{FRESH_MS, HOLD_MS};
use choose::Fit;
use ring::Ring;

/// How long ago a worker may have been counted up to have been heard lately, in milliseconds: one that is well always is.
pub const HEARD_MS: i64 = (FRESH_MS + HOLD_MS).cast_signed();

/// What a job's strategy remembers of the runs that were routed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Memory {
    /// The count of `round`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    round: Option<u64>,
    /// How often each worker was picked by `least_frequently_used`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    counts: BTreeMap<String, u64>,
    /// The workers of `least_recently_used`, the one that was picked last at the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    order: Vec<String>,
}

/// A worker that lives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// What it is called.
    pub name: String,
    /// Queues that it takes runs from.
    pub queues: Vec<String>,
    /// For selecting.
    pub labels: BTreeMap<String, String>,
    /// Runs that it executes at a time.
    pub slots: u32,
    /// Whether it was heard lately.
    pub heard: bool,
    /// Its place in the order of workers, if people have given it one.
    pub place: Option<u32>,
}

/// A run that waits for a worker to be picked.
#[derive(Clone, Copy, Debug)]
pub struct Unrouted<'a> {
    /// Which.
    pub run: RunId,
    /// Of which job.
    pub job: JobId,
    /// That job as it was when the run was made.
    pub definition: &'a Job,
    /// JSON given with the run.
    pub input: Option<&'a str>,
    /// Which shard of another run it is, if it is one: it goes to the worker that is at that place now, or to the first.
    pub shard: Option<u32>,
}

/// Who executes a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Nobody yet: it waits.
    Nobody,
    /// One worker, by name.
    One(String),
    /// Each of these executes a [`Shard`](crate::routing::Shard), in order.
    Each(Vec<String>),
}

/// Picks workers for runs, one run after the other.
#[derive(Debug, Default)]
pub struct Router {
    /// In order.
    workers: Vec<Candidate>,
    /// Runs that each has or that wait for it, by name and job, as far as anybody asked.
    load: FxHashMap<String, BTreeMap<JobId, u32>>,
    rings: FxHashMap<Vec<usize>, Ring>,
}

impl Router {
    /// Picks from these workers.
    #[must_use]
    pub fn new(mut workers: Vec<Candidate>) -> Self {
        let mut places: BTreeMap<String, u32> = BTreeMap::new();
        for worker in &workers {
            if let Some(place) = worker.place {
                let first = places.entry(worker.name.clone()).or_insert(place);
                *first = place.min(*first);
            }
        }
        // Those of one name stand together.
        let place = |worker: &Candidate| places.get(&worker.name).copied().unwrap_or(u32::MAX);
        workers.sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.name.cmp(&b.name)));
        Self { workers, ..Self::default() }
    }

    /// Notes runs that a worker has, or that wait for it.
    pub fn note_load(&mut self, worker: &str, job: JobId, runs: u32) {
        *self.load.entry(worker.to_owned()).or_default().entry(job).or_default() += runs;
    }

    /// Whether the worker of a line lives and takes runs from its queue. False for a line without a worker.
    #[must_use]
    pub fn serves(&self, line: &str) -> bool {
        let queue = Line::parse(line).queue();
        let is_it = |name: &str| self.workers.iter().any(|worker| worker.name == name && worker.serves(queue));
        Line::parse(line).worker().is_some_and(is_it)
    }

    /// The worker that a run goes to. What the strategy has to remember is changed in `memory`, and the run counts to
    /// the load of its worker from now on.
    pub fn route(&mut self, run: &Unrouted<'_>, memory: &mut Memory) -> Choice {
        let routing = &run.definition.routing;
        let places = self.fitting(run.definition);
        let Self { workers, load, rings } = self;
        let fits: Vec<Fit<'_>> = places.iter().map(|place| fit(&workers[*place..], load, run.job)).collect();
        let index = match routing.strategy() {
            _ if fits.is_empty() => None,
            Strategy::ShardingBroadcast if run.shard.is_some() => {
                let place = run.shard.and_then(|index| usize::try_from(index).ok());
                place.filter(|place| *place < fits.len()).or(Some(0))
            }
            Strategy::ShardingBroadcast => {
                let names: Vec<String> = fits.iter().map(|fit| fit.name.to_owned()).collect();
                names.iter().for_each(|name| self.note_load(name, run.job, 1));
                return Choice::Each(names);
            }
            Strategy::ConsistentHash => {
                let key = routing.key.as_deref().and_then(|key| key_of(run.definition, run.input, key));
                let names = fits.iter().map(|fit| fit.name);
                let ring = rings.entry(places.clone()).or_insert_with(|| Ring::new(names));
                Some(ring.place(&key.unwrap_or_else(|| run.job.to_string())))
            }
            strategy => choose::choose(strategy, &fits, memory, run.run.scattered()),
        };
        let Some(index) = index else { return Choice::Nobody };
        let name = fits[index].name.to_owned();
        self.note_load(&name, run.job, 1);
        Choice::One(name)
    }

    /// The places of the workers that fit, in order, one of each name.
    fn fitting(&self, job: &Job) -> Vec<usize> {
        let fits = |worker: &Candidate| worker.serves(&job.queue) && job.routing.fits(&worker.labels);
        let mut names = BTreeSet::new();
        let places = self.workers.iter().enumerate().filter(|(_, worker)| fits(worker));
        places.filter(|(_, worker)| names.insert(&worker.name)).map(|(place, _)| place).collect()
    }
}

/// The first of some workers in order, and those that have its name.
fn fit<'a>(workers: &'a [Candidate], load: &FxHashMap<String, BTreeMap<JobId, u32>>, job: JobId) -> Fit<'a> {
    let name = &workers[0].name;
    let (mut slots, mut heard) = (0_u32, false);
    for worker in workers.iter().take_while(|worker| worker.name == *name) {
        slots = slots.saturating_add(worker.slots);
        heard |= worker.heard;
    }
    let load = load.get(name);
    let busy = load.map_or(0, |load| load.values().sum());
    Fit { name, free: slots.saturating_sub(busy), has_job: load.is_some_and(|load| load.contains_key(&job)), heard }
}

impl Candidate {
    fn serves(&self, queue: &str) -> bool {
        self.queues.iter().any(|served| served == queue)
    }
}

/// The text of a member of a run's input. Nothing if it is not there.
fn key_of(job: &Job, given: Option<&str>, key: &str) -> Option<String> {
    let input = job.merged_input(given);
    let found = if key.starts_with('/') { input.pointer(key) } else { input.get(key) };
    match found? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests;
