//! The strategies, over workers in order.

use super::{Memory, Strategy};

/// A worker that fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fit<'a> {
    pub(super) name: &'a str,
    /// Slots for which there is no run yet.
    pub(super) free: u32,
    /// Whether it has a run of the job.
    pub(super) has_job: bool,
    pub(super) heard: bool,
}

/// Where XXL-JOB begins to count, at most: so that not all jobs go to the first worker first.
const ROUND_BEGINS: u64 = 100;

/// The place of the worker that a run goes to; none: it waits. There is at least one worker. `random` is a number that is as likely
/// as any other.
pub(super) fn choose(strategy: Strategy, workers: &[Fit<'_>], memory: &mut Memory, random: u64) -> Option<usize> {
    let last = workers.len().checked_sub(1)?;
    Some(match strategy {
        Strategy::Any => {
            let most = workers.iter().map(|worker| worker.free).max().filter(|free| *free > 0)?;
            workers.iter().position(|worker| worker.free == most)?
        }
        Strategy::First => 0,
        Strategy::Last => last,
        Strategy::Round => round(workers.len(), memory, random),
        // By the hash and to each worker is for the router.
        Strategy::Random | Strategy::ConsistentHash | Strategy::ShardingBroadcast => remainder(random, workers.len()),
        Strategy::LeastFrequentlyUsed => least_frequently_used(workers, memory, random),
        Strategy::LeastRecentlyUsed => least_recently_used(workers, memory),
        Strategy::Failover => workers.iter().position(|worker| worker.heard).unwrap_or(0),
        Strategy::BusyOver => workers.iter().position(|worker| worker.free > 0 && !worker.has_job)?,
    })
}

fn round(count: usize, memory: &mut Memory, random: u64) -> usize {
    let next = memory.round.map_or(random % ROUND_BEGINS, |before| before.wrapping_add(1));
    memory.round = Some(next);
    remainder(next, count)
}

/// Whoever is new begins where the least frequently used one stands, and a little above: it is not given every run until it has caught
/// up.
fn least_frequently_used(workers: &[Fit<'_>], memory: &mut Memory, random: u64) -> usize {
    let counts = &mut memory.counts;
    counts.retain(|name, _| workers.iter().any(|worker| worker.name == name));
    let least = counts.values().min().copied().unwrap_or(0);
    for (place, worker) in (0_u64..).zip(workers) {
        if !counts.contains_key(worker.name) {
            let above = random.wrapping_add(place) % workers.len() as u64;
            counts.insert(worker.name.to_owned(), least + above);
        }
    }
    let place = (0..workers.len()).min_by_key(|place| counts[workers[*place].name]).expect("there is a worker");
    *counts.get_mut(workers[place].name).expect("inserted above") += 1;
    place
}

fn least_recently_used(workers: &[Fit<'_>], memory: &mut Memory) -> usize {
    let order = &mut memory.order;
    order.retain(|name| workers.iter().any(|worker| worker.name == name));
    for worker in workers {
        if !order.iter().any(|name| name == worker.name) {
            order.push(worker.name.to_owned());
        }
    }
    let eldest = order.remove(0);
    let place = workers.iter().position(|worker| worker.name == eldest).expect("others were removed");
    order.push(eldest);
    place
}

fn remainder(number: u64, count: usize) -> usize {
    usize::try_from(number % count as u64).expect("below a usize")
}
