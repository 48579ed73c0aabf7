//! Puts together what the checkers ask: plain rows, from the store, the witness, the clients and the nemesis.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use mainspring_core::batch::TriggerStatus;
use mainspring_core::job::{Job, ScheduleDefinition};
use mainspring_core::run::RunState;
use mainspring_core::{BatchId, Incarnation, RunId, Timestamp, TriggerId};
use mainspring_rig::{History, Witness};
use mainspring_sim::history::{
    self as sim, Fire, GapRow, Operation, Outcome, Remains, Schedule, State, Tally, Waiting,
};
use mainspring_store::{JobQuery, Store, TriggerInfo, WorkerRow};

use crate::audit::Saw;
use crate::check::excuse::{Allowed, Excuses};
use crate::check::{self, promise};
use crate::client::Record;
use crate::cluster::{WORKERS, worker_name};
use crate::load::Draft;
use crate::look;
use crate::nemesis::Done;
use crate::plan::{CLOCK_NEAR_MS, Kind};

/// A trigger that is due for longer, beyond what may be late, when all has been quiet, has been forgotten.
const OVERDUE_MS: i64 = 4_000;
/// The same for a run that waits for a worker.
const QUEUED_MS: i64 = 9_000;
/// And a worker that has not been counted up for so long, which nodes do every two seconds.
const HEARD_MS: i64 = 10_000;
/// The precision with which a node knows the database's clock: a part of the allowed lateness, as both come from the
/// same machine.
const COMPARED: i64 = 5;
const CATCH_UP_MAX: u32 = 100;
const PAGE: u32 = 1_000;

/// Everything that is judged.
#[derive(Debug)]
pub(crate) struct Story {
    pub(crate) drafts: Vec<Draft>,
    pub(crate) faults: Vec<Done>,
    /// The database's records of leases and fires.
    pub(crate) saw: Vec<Saw>,
    pub(crate) alone: bool,
    pub(crate) allowed: Allowed,
    /// The time after its due time that a run may be unfinished beyond that: it is lost, detected, tried again, and
    /// takes its time.
    pub(crate) patience_ms: i64,
    /// The time at which the first jobs were saved.
    pub(crate) saved_at: Timestamp,
    /// The history for the rig's checker: promises by job.
    pub(crate) rig: History,
    /// The history for the simulator's checker: jobs by their places among the drafts.
    pub(crate) sim: sim::History,
    pub(crate) logs: Vec<String>,
}

/// The facts that the store does not have.
pub(crate) struct Known {
    pub(crate) drafts: Vec<Draft>,
    pub(crate) record: Record,
    pub(crate) faults: Vec<Done>,
    /// The database's records of leases and fires.
    pub(crate) saw: Vec<Saw>,
    pub(crate) alone: bool,
    /// The lateness that is allowed without any fault, and whether the latest run's lateness is allowed too.
    pub(crate) slack_ms: i64,
    pub(crate) untimed: bool,
    pub(crate) patience_ms: i64,
    pub(crate) saved_at: Timestamp,
    /// The time of the look, the shards that had no owner then, and the output of the nodes.
    pub(crate) at: Timestamp,
    pub(crate) ownerless: usize,
    pub(crate) logs: Vec<String>,
}

/// Reads the store after all has been quiet.
pub(crate) async fn read(store: &dyn Store, witness: &Witness, known: Known) -> Result<Story> {
    let Known { drafts, mut record, faults, saw, alone, slack_ms, untimed, patience_ms, saved_at, at, ownerless, logs } =
        known;
    let clock_error_ms = faults.iter().map(|fault| clock_error_ms(fault, slack_ms)).max().unwrap_or_default();
    record.operations.iter_mut().for_each(|operation| widen(operation, clock_error_ms));
    let numbers: BTreeMap<String, u32> =
        (0..).zip(&drafts).map(|(number, draft)| (draft.name.clone(), number)).collect();
    let mut rig = History::read(store, witness, at).await?;
    (rig.read_at, rig.promises) = (at, Vec::new());
    let latest_ms = if untimed { check::latest_ms(&drafts, &rig.runs) } else { 0 };
    let allowed = Allowed { calm_ms: slack_ms + latest_ms, clock_error_ms };
    let infos = mainspring_rig::history::triggers(store).await?;
    let mut ids: BTreeMap<TriggerId, u32> = BTreeMap::new();
    let job_of = |key: &str| numbers.get(key.trim_start_matches("default/")).copied();
    ids.extend(
        infos.iter().filter_map(|info| Some((info.trigger.row.id, job_of(&info.job.definition.key.to_string())?))),
    );
    ids.extend(rig.runs.iter().filter_map(|run| Some((run.trigger?, job_of(&run.job)?))));
    let excuses = Excuses::of(&faults, alone, allowed);
    let mut jobs: BTreeMap<u32, TriggerId> = ids.iter().map(|(id, job)| (*job, *id)).collect();
    for (number, draft) in (0..).zip(&drafts).filter(|(_, draft)| draft.schedule.is_some()) {
        // A trigger that is gone and never fired is missing under an id of its own.
        let id = *jobs.entry(number).or_insert(TriggerId(-1 - i64::from(number)));
        let operations: Vec<&Operation> =
            record.operations.iter().filter(|operation| operation.job == number).collect();
        let suppresses = draft.facts().suppresses;
        // The requests say already how far clocks may be off.
        rig.promises.push(promise::promise((id, &draft.name), suppresses, &operations, &excuses, 0, at.as_millis()));
    }
    let mut seen = std::mem::take(&mut record.seen);
    seen.extend(look::at_the_end(&seen, &rig.runs, at.as_millis()));
    let made = made(&rig);
    for asked in &mut record.asked {
        asked.made = made.get(&asked.key).cloned().unwrap_or_default();
    }
    let sim = sim::History {
        jobs: (0..).zip(&drafts).map(|(number, draft)| (number, draft.facts())).collect(),
        triggers: ids.iter().map(|(id, job)| (*id, (*job, 0))).collect(),
        operations: record.operations,
        asked: record.asked,
        fires: fires(&rig),
        gaps: gaps(&rig),
        seen,
        clock_error_ms,
        misfire_threshold_ms: mainspring_core::compile::Defaults::default().misfire_threshold_ms,
        catch_up_max: CATCH_UP_MAX,
        remains: remains(store, &rig, &infos, &numbers, (ownerless, allowed.calm_ms)).await?,
        ..sim::History::default()
    };
    Ok(Story { drafts, faults, saw, alone, allowed, patience_ms, saved_at, rig, sim, logs })
}

/// Returns the error of the time by which nodes decide while a fault lasts. A node whose clock is far off decides only
/// about requests, by the database's clock as it knows it.
const fn clock_error_ms(fault: &Done, slack_ms: i64) -> i64 {
    match fault.kind {
        Kind::ClockNear => CLOCK_NEAR_MS,
        Kind::ClockFar => slack_ms / COMPARED,
        _ => 0,
    }
}

/// Widens the times of an operation: a request is decided and stamped by clocks that may be off by so much.
fn widen(operation: &mut Operation, clock_error_ms: i64) {
    operation.invoked -= clock_error_ms;
    if let Outcome::Ok(at) = &mut operation.outcome {
        *at += clock_error_ms;
        operation.counts_from = *at;
    }
}

/// Returns the runs that were made under each key, as their inputs say.
fn made(rig: &History) -> BTreeMap<u64, Vec<RunId>> {
    let mut made: BTreeMap<u64, Vec<RunId>> = BTreeMap::new();
    for run in &rig.runs {
        let input = run.input.as_deref().and_then(|input| serde_json::from_str::<serde_json::Value>(input).ok());
        if let Some(key) = input.and_then(|input| input["key"].as_u64()) {
            made.entry(key).or_default().push(run.id);
        }
    }
    made
}

/// Returns the fires. The lease under which a node fired is not visible from outside, and is not checked here.
fn fires(rig: &History) -> Vec<Fire> {
    let mut runs: Vec<_> = rig.runs.iter().filter_map(|run| Some((run, run.trigger?))).collect();
    runs.sort_by_key(|(run, _)| run.created_at);
    let fire = |(order, (run, trigger)): (u64, (&mainspring_rig::Run, TriggerId))| Fire {
        order,
        trigger,
        instant: run.fire_time.as_millis(),
        run: run.id,
        at: run.created_at.as_millis(),
        decided: run.created_at.as_millis(),
        due: run.due_at.as_millis(),
        batch: BatchId { incarnation: Incarnation(0), sequence: order },
        fence: order,
        shard: 0,
        lease: None,
        lawful: true,
    };
    (0..).zip(runs).map(fire).collect()
}

fn gaps(rig: &History) -> Vec<GapRow> {
    let row = |(order, gap): (u64, &mainspring_rig::Gap)| GapRow {
        order,
        trigger: gap.trigger,
        at: gap.at.as_millis(),
        decided: gap.at.as_millis(),
        gap: gap.range.clone(),
        fires_beside: 0,
        first_beside: None,
    };
    (0..).zip(&rig.gaps).map(row).collect()
}

async fn remains(
    store: &dyn Store,
    rig: &History,
    infos: &[TriggerInfo],
    numbers: &BTreeMap<String, u32>,
    (ownerless, calm_ms): (usize, i64),
) -> Result<Remains> {
    let at = rig.read_at.as_millis();
    let rows = || infos.iter().map(|info| &info.trigger.row);
    let overdue = rows().filter(|row| !row.paused && row.progress.status == TriggerStatus::Active);
    let overdue = overdue.filter_map(|row| Some((row.id, row.progress.due_at?.as_millis())));
    let queued = rig
        .runs
        .iter()
        .filter(|run| run.state == RunState::Queued && at - run.due_at.as_millis() > QUEUED_MS + calm_ms);
    let broken = rows().filter(|row| row.progress.status == TriggerStatus::Error);
    let tally = |tally: mainspring_store::Tally| {
        let mainspring_store::Tally { trigger, fired, missed, suppressed, first, last, .. } = tally;
        let (first, last) = (first?.as_millis(), last?.as_millis());
        Some((trigger, Tally { fired, missed, suppressed, first, last }))
    };
    Ok(Remains {
        at,
        overdue: overdue.filter(|(_, due)| at - due > OVERDUE_MS + calm_ms).collect(),
        queued: queued.map(|run| Waiting { run: run.id, since: run.due_at.as_millis(), goes_out: false }).collect(),
        ownerless,
        unjoined: unjoined(&store.workers().await?, at - HEARD_MS - calm_ms),
        broken: broken.map(|row| row.id).collect(),
        jobs: states(store, numbers).await?,
        tallies: store.tally().await?.into_iter().filter_map(tally).collect(),
        ..Remains::default()
    })
}

/// Returns the number of workers that have not been heard since a time, and have joined under no other id either.
fn unjoined(rows: &[WorkerRow], since: i64) -> usize {
    let heard = |name: &String| rows.iter().any(|row| row.info.name == *name && row.heard_at.as_millis() >= since);
    (0..WORKERS).map(worker_name).filter(|name| !heard(name)).count()
}

/// Returns the state of each job in the store.
async fn states(store: &dyn Store, numbers: &BTreeMap<String, u32>) -> Result<BTreeMap<u32, State>> {
    let mut states: BTreeMap<u32, State> = numbers.values().map(|number| (*number, State::Absent)).collect();
    let mut after = None;
    loop {
        let page = store.jobs(JobQuery { after, limit: PAGE, ..JobQuery::default() }).await?;
        let Some(last) = page.last() else { return Ok(states) };
        after = Some(last.definition.key.clone());
        for row in &page {
            let Some(number) = numbers.get(&row.definition.key.name) else { continue };
            let state = if row.paused { State::Paused } else { State::Active(schedules(&row.definition)?) };
            states.insert(*number, state);
        }
    }
}

fn schedules(job: &Job) -> Result<Vec<Option<Schedule>>> {
    let schedule = |trigger: &mainspring_core::job::TriggerDefinition| match &trigger.schedule {
        ScheduleDefinition::Every { interval_ms, .. } => {
            Some(Schedule { first: trigger.start_at?.as_millis(), step: *interval_ms })
        }
        ScheduleDefinition::Cron { expression } => {
            let (first, step) = expression.strip_suffix(" * * * * ?")?.split_once('/')?;
            Some(Schedule { first: first.parse::<i64>().ok()? * 1_000, step: step.parse::<i64>().ok()? * 1_000 })
        }
        _ => None,
    };
    let read =
        |trigger| schedule(trigger).map(Some).with_context(|| format!("{} has a trigger that is not ours", job.key));
    job.triggers.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use mainspring_store::WorkerInfo;

    use super::*;

    #[test]
    fn worker_is_back_if_it_was_heard_lately_under_any_of_its_ids() {
        let row = |name: &str, heard| {
            let (id, node, joined_at) = (Incarnation(1), Incarnation(2), Timestamp::from_millis(0));
            let (queues, labels, slots) = (Vec::new(), BTreeMap::new(), 8);
            let info = WorkerInfo {
                id,
                name: name.into(),
                queues,
                labels,
                place: None,
                slots,
                version: None,
                token: None,
                node,
                joined_at,
            };
            WorkerRow {
                info,
                heard_at: Timestamp::from_millis(heard),
                running: 0,
                draining: false,
                clock_offset_ms: None,
            }
        };
        let rows = [row("worker-0", 1), row("worker-0", 9), row("worker-1", 4)];
        assert_eq!(unjoined(&rows, 5), WORKERS - 1, "one was heard too long ago, and one never");
        assert_eq!(unjoined(&[], 5), WORKERS);
    }
}
