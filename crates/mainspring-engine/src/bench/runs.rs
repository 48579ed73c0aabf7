//! `mainspring bench runs`, as far as the store goes: what is planted before servers and workers start, and what is counted
//! when they have ended. Between a run's insert and its completion it waits in a queue, and a worker of another process has it.

use mainspring_core::Timestamp;
use mainspring_core::run::RunState;
use mainspring_store::{RunInfo, RunQuery, Store};

use super::fires::{HOUR_MS, Load, TOLERANCE_MS, prepare, settle};
use super::load::{Group, NAMESPACE, Phases, Planting, Work};
use super::place::Place;
use super::report::Lateness;
use super::{Error, Result, Site};

/// What to plant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RunsPlan {
    /// How many triggers, each of a job of its own.
    pub triggers: u32,
    /// The load.
    pub load: Load,
    /// Runs that wait in a queue that no worker takes from, before the load begins and until the end.
    pub waiting: u32,
    /// Jobs whose runs keep their slots, and how long after the beginning of the load they fire, in milliseconds.
    pub stuck: (u32, i64),
    /// The app whose executors execute the load, and its queue; workers do if absent.
    pub executors: Option<(&'static str, &'static str)>,
}

/// What was planted.
pub struct PlantedRuns {
    place: Place,
    planting: Planting,
    /// When jobs get stuck, if they do.
    stuck_at: Option<Timestamp>,
    /// When the first run of the load is due.
    pub begin: Timestamp,
}

/// What the store says at the end.
#[derive(Clone, PartialEq, Debug)]
pub struct CountedRuns {
    /// Kind and version.
    pub store: String,
    /// Runs of the load that are final.
    pub runs: u64,
    /// From the first due instant until the last run ended, in seconds.
    pub seconds: f64,
    /// Of the runs that were due before others got stuck: due to the handler entered.
    pub before_ms: Option<Lateness>,
    /// Claimed by a server for a worker, to the handler entered there. If runs got stuck, this and the next are of those due since.
    pub start_ms: Lateness,
    /// Due to the handler entered.
    pub lateness_ms: Lateness,
    /// Instants without any record.
    pub lost: u64,
    /// Runs of the load that were due and have not succeeded.
    pub open: u64,
    /// Instants with more than one run, and runs that were executed more than once.
    pub duplicates: u64,
}

/// The group of the jobs that get stuck.
const STUCK: &str = "stuck";
/// The queue whose runs wait.
const ASIDE: &str = "aside";
/// How many runs a second are put aside at least.
const ASIDE_PER_MS: u32 = 4;
/// What is left between them and the load.
const CALM_MS: i64 = 2_000;
/// Runs read at a time.
const PAGE: u32 = 1_000;

/// Plants into an empty store. The processes that are measured open it afterwards.
///
/// # Errors
/// If the store fails, is not empty, or is in memory, where no other process finds it.
pub async fn plant_runs(site: Site<'_>, plan: RunsPlan) -> Result<PlantedRuns> {
    if site.store == "memory:" {
        return Err(Error::OneNode { store: "a store in memory", nodes: site.nodes + 1 });
    }
    let after_ms = match plan.waiting {
        0 => 0,
        waiting => i64::from(waiting / ASIDE_PER_MS) + CALM_MS,
    };
    let load = match plan.load {
        Load::Drain => Group::together("job", plan.triggers, HOUR_MS, after_ms),
        Load::Rate(rate) => Group { phases: Phases::Spread(after_ms), ..Group::at_rate("job", plan.triggers, rate) },
    };
    let load = match plan.executors {
        Some((app, queue)) => Group { work: Work::Executors(app), queue, ..load },
        None => load,
    };
    let aside = Group { queue: ASIDE, ..Group::together(ASIDE, plan.waiting, 24 * HOUR_MS, 0) };
    let (stuck, stuck_after_ms) = plan.stuck;
    let stuck_after_ms = after_ms + stuck_after_ms;
    let stuck = Group { work: Work::Stuck, ..Group::together(STUCK, stuck, 24 * HOUR_MS, stuck_after_ms) };
    let groups =
        [(plan.waiting, aside), (1, load), (stuck.triggers, stuck)].into_iter().filter(|(count, _)| *count > 0);
    let groups: Vec<Group> = groups.map(|(_, group)| group).collect();
    let (place, planting) = prepare(&site, &groups).await?;
    let begin = planting.begin + after_ms;
    let stuck_at = (stuck.triggers > 0).then_some(planting.begin + stuck_after_ms);
    Ok(PlantedRuns { place, planting, stuck_at, begin })
}

impl PlantedRuns {
    /// Counts, once servers and workers have ended. Instants up to a second before `stopped_at` must have fired.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn count(&self, stopped_at: Timestamp) -> Result<CountedRuns> {
        let (store_name, counted) = settle(&self.place, &self.planting, stopped_at).await?;
        let store = self.place.open().await?;
        let read = self.read(&*store, stopped_at + -TOLERANCE_MS).await;
        self.place.close(&*store).await?;
        let (done, open) = read?;
        let last = done.iter().filter_map(|run| run.ended_at).max().unwrap_or(self.begin);
        let split_at = self.stuck_at.unwrap_or(self.begin);
        let (before, since): (Vec<&RunInfo>, Vec<&RunInfo>) = done.iter().partition(|run| run.due_at < split_at);
        let between = |runs: &[&RunInfo], from: fn(&RunInfo) -> Option<Timestamp>| {
            Lateness::of(runs.iter().filter_map(|run| {
                let ms = run.started_at?.since(from(run)?);
                Some(u32::try_from(ms.max(0)).unwrap_or(u32::MAX))
            }))
        };
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let seconds = last.since(self.begin) as f64 / 1_000.0;
        Ok(CountedRuns {
            store: store_name,
            runs: done.len() as u64,
            seconds,
            before_ms: self.stuck_at.map(|_| between(&before, |run| Some(run.due_at))),
            start_ms: between(&since, |run| run.claimed_at),
            lateness_ms: between(&since, |run| Some(run.due_at)),
            lost: counted.lost,
            open,
            duplicates: counted.duplicates + done.iter().filter(|run| run.attempt != 1).count() as u64,
        })
    }

    /// The final runs of the load, and how many are not that were due by then.
    async fn read(&self, store: &dyn Store, until: Timestamp) -> Result<(Vec<RunInfo>, u64)> {
        let (mut done, mut open, mut before) = (Vec::new(), 0, None);
        loop {
            let query = RunQuery { namespace: Some(NAMESPACE.to_owned()), before, limit: PAGE, ..RunQuery::default() };
            let page = store.runs(query).await?;
            let Some(last) = page.last() else { return Ok((done, open)) };
            before = Some(last.id);
            let is_stuck = |run: &RunInfo| self.planting.of(run.job).is_some_and(|planted| planted.group == STUCK);
            for run in page.into_iter().filter(|run| run.queue != ASIDE && !is_stuck(run)) {
                match run.state {
                    RunState::Succeeded => done.push(run),
                    _ if run.due_at > until => {}
                    _ => open += 1,
                }
            }
        }
    }
}
