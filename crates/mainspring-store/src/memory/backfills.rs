//! Backfills and their items.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use async_trait::async_trait;
use mainspring_core::batch::Placed;
use mainspring_core::cluster::{Shard, ShardSet};
use mainspring_core::run::{Origin, RunState};
use mainspring_core::workflow::backfill::{BackfillState, Existing, ItemCounts, ItemState};
use mainspring_core::{JobId, JobVersion, RunId, RunSource, Timestamp, TriggerId, shard_of};

use super::MemoryStore;
use super::live::{More, Run, Stamp};
use super::model::{GapModel, Model};
use crate::backfill::{
    BackfillItem, BackfillQuery, BackfillRow, BackfillStep, BackfillStore, BackfillTurn, ExistingRun, ItemStart,
    LOOK_MAX, NewBackfill, RunningItem, Sweep, is_to_come, laid_over, said_by_item, sorted, taken,
};
use crate::correct::settled;
use crate::document::DocumentExpect;
use crate::error::{Error, Result};

/// Backfills by number, with their items by place.
#[derive(Clone, Debug, Default)]
pub(super) struct Backfills {
    last: i64,
    kept: BTreeMap<i64, Kept>,
}

#[derive(Clone, Debug)]
struct Kept {
    row: BackfillRow,
    items: BTreeMap<i64, BackfillItem>,
    /// What items wait for: backfills and places.
    needs: BTreeMap<i64, Vec<(i64, i64)>>,
}

impl Backfills {
    /// Whether a job is needed by one.
    pub(super) fn name(&self, job: JobId) -> bool {
        self.kept.values().any(|kept| kept.row.job == job)
    }

    /// The versions that they hold.
    #[cfg(test)]
    pub(super) fn versions(&self) -> impl Iterator<Item = (JobId, JobVersion)> + '_ {
        self.kept.values().map(|kept| (kept.row.job, kept.row.job_version))
    }

    /// The latest backfill that has run fire times of a gap, and how many of them were run.
    pub(super) fn of_gap(&self, gap: &GapModel) -> (Option<i64>, u64) {
        let of_trigger = self.kept.values().filter(|kept| kept.row.trigger == gap.trigger);
        let mut run: Vec<(Timestamp, i64)> = of_trigger
            .flat_map(|kept| kept.items.values().map(|item| (kept.row.id, item)))
            .filter(|(_, item)| item.run.is_some() && (gap.gap.first..=gap.gap.last).contains(&item.fire_time))
            .map(|(id, item)| (item.fire_time, id))
            .collect();
        let latest = run.iter().map(|(_, id)| *id).max();
        run.sort_unstable();
        run.dedup_by_key(|(fire_time, _)| *fire_time);
        (latest, run.len() as u64)
    }

    /// Items of a trigger, but for those of one backfill.
    fn items(&self, trigger: TriggerId, but: Option<i64>) -> impl Iterator<Item = &BackfillItem> {
        let kept = self.kept.values().filter(move |kept| kept.row.trigger == trigger && Some(kept.row.id) != but);
        kept.flat_map(|kept| kept.items.values())
    }
}

/// The fire times whose runs other backfills have under way.
fn elsewhere(model: &Model, row: &BackfillRow) -> BTreeSet<Timestamp> {
    let items = model.backfills.items(row.trigger, Some(row.id)).filter(|item| item.state == ItemState::Running);
    items.filter(|item| item.run.is_some_and(|run| model.live.get(run).is_some())).map(|item| item.fire_time).collect()
}

/// Whether the job and the version are there.
fn must_be_there(model: &Model, job: JobId, version: JobVersion) -> Result<()> {
    let there = model.jobs.get(job.0).filter(|model| !model.deleted && model.definition(version).is_some());
    let missing = || Error::NotFound { what: "job", key: format!("{job} version {version}") };
    there.map(|_| ()).ok_or_else(missing)
}

fn existing(model: &Model, trigger: TriggerId, from: Timestamp, to: Timestamp) -> Vec<ExistingRun> {
    let range = from..=to;
    let runs = model.live.iter().chain(model.history.iter().map(|over| &over.run));
    let fired = runs
        .filter(|run| run.trigger == Some(trigger) && run.origin != Origin::Backfill && range.contains(&run.fire_time))
        .map(|run| ExistingRun { fire_time: run.fire_time, existing: Existing::from(run.state), run: Some(run.id) });
    let items = model.backfills.kept.values().filter(|kept| kept.row.trigger == trigger).flat_map(|kept| {
        let items = kept.items.values().filter(|item| range.contains(&item.fire_time));
        items.filter_map(|item| said_by_item(item.fire_time, item.state, item.run))
    });
    laid_over(fired.collect(), items.collect())
}

fn add(model: &mut Model, new: NewBackfill) -> Result<i64> {
    let all: Vec<&NewBackfill> = std::iter::once(&new).chain(&new.below).collect();
    for it in &all {
        must_be_there(model, it.job, it.job_version)?;
        refuse_taken(model, it)?;
    }
    let first = model.backfills.last + 1;
    for (at, it) in all.into_iter().enumerate() {
        add_one(model, it, first, (at > 0).then_some(first));
    }
    Ok(first)
}

/// Refuses if another backfill is to run a fire time, or runs it.
fn refuse_taken(model: &Model, new: &NewBackfill) -> Result<()> {
    let fires: BTreeSet<Timestamp> = new.items.iter().map(|item| item.fire_time).collect();
    let mut items = model.backfills.items(new.trigger, None);
    match items.find(|item| is_to_come(item.state) && fires.contains(&item.fire_time)) {
        Some(item) => Err(taken(item.fire_time)),
        None => Ok(()),
    }
}

/// Keeps a backfill. What its items wait for are those of the backfills that are numbered from `first` on.
fn add_one(model: &mut Model, new: &NewBackfill, first: i64, cascade_of: Option<i64>) {
    model.backfills.last += 1;
    let id = model.backfills.last;
    let job = model.job_mut(new.job);
    job.version_mut(new.job_version).runs += 1;
    let row = BackfillRow {
        id,
        job: new.job,
        key: job.row.definition.key.clone(),
        job_version: new.job_version,
        trigger: new.trigger,
        spec: new.spec.clone(),
        turn: 1,
        state: BackfillState::Active,
        reason: None,
        counts: ItemCounts { open: new.items.len() as u64, ..ItemCounts::default() },
        created_at: new.at,
        created_by: new.by.clone(),
        ended_at: None,
        cascade_of,
    };
    let item = |(seq, item): (i64, &crate::backfill::NewItem)| {
        let crate::backfill::NewItem { fire_time, action, rerun_of, .. } = *item;
        (seq, BackfillItem { seq, fire_time, action, state: ItemState::Open, run: None, rerun_of })
    };
    let items = (1..).zip(&new.items).map(item).collect();
    let number = |of: usize| first + i64::try_from(of).unwrap_or(0);
    let above = |item: &crate::backfill::NewItem| item.above.iter().map(|(of, seq)| (number(*of), *seq)).collect();
    let needs = (1..).zip(&new.items).filter(|(_, item)| !item.above.is_empty()).map(|(seq, item)| (seq, above(item)));
    let needs = needs.collect();
    model.backfills.kept.insert(id, Kept { row, items, needs });
}

/// The open items that wait for no other, and the places of those that wait for ever.
fn open(model: &Model, kept: &Kept, limit: u32) -> (Vec<BackfillItem>, Vec<i64>) {
    if kept.row.state != BackfillState::Active {
        return Default::default();
    }
    let open = kept.items.values().filter(|item| item.state == ItemState::Open);
    let open: Vec<BackfillItem> = open.take(limit.max(LOOK_MAX) as usize).cloned().collect();
    let state = |(of, seq): &(i64, i64)| Some(model.backfills.kept.get(of)?.items.get(seq)?.state);
    let waits = open.iter().flat_map(|item| {
        let above = kept.needs.get(&item.seq).into_iter().flatten().filter_map(state);
        above.filter(|state| !matches!(state, ItemState::Succeeded | ItemState::Skipped)).map(|state| (item.seq, state))
    });
    let waits: Vec<(i64, ItemState)> = waits.collect();
    sorted(open, &waits, limit as usize)
}

fn turn(model: &Model, id: i64, limit: u32) -> Option<BackfillTurn> {
    let kept = model.backfills.kept.get(&id)?;
    let Kept { row, items, .. } = kept;
    let running = items.values().filter(|item| item.state == ItemState::Running).filter_map(|item| {
        let run = item.run?;
        let (live, over) = (model.live.get(run), model.history.get(run));
        Some(RunningItem {
            seq: item.seq,
            fire_time: item.fire_time,
            run,
            state: live.map(|run| run.state).or(over.map(|over| over.run.state)),
            cancel_requested: live.is_some_and(Run::cancel_requested),
        })
    });
    let (open, barred) = open(model, kept, limit);
    let elsewhere = elsewhere(model, row);
    let is_fired = |fire: Timestamp| model.live.get(RunId::new(fire, RunSource::Fire(row.trigger))).is_some();
    let is_busy = |fire: &Timestamp| elsewhere.contains(fire) || is_fired(*fire);
    let busy = open.iter().map(|item| item.fire_time).filter(is_busy).collect();
    Some(BackfillTurn { row: row.clone(), running: running.collect(), open, barred, busy })
}

fn step(model: &mut Model, step: &BackfillStep) -> Result<bool> {
    let Some(kept) = model.backfills.kept.get(&step.id).filter(|kept| kept.row.turn == step.turn) else {
        return Ok(false);
    };
    let is_open = |start: &ItemStart| kept.items.get(&start.seq).is_some_and(|item| item.state == ItemState::Open);
    if !step.start.iter().all(is_open) {
        return Ok(false);
    }
    let (job, version, trigger) = (kept.row.job, kept.row.job_version, kept.row.trigger);
    if !step.start.is_empty() {
        must_be_there(model, job, version)?;
        let elsewhere = elsewhere(model, &kept.row);
        if step.start.iter().any(|start| elsewhere.contains(&start.fire_time)) {
            return Ok(false);
        }
    }
    for start in &step.start {
        let (Some(of), Some(it)) = (start.rerun_of, &start.repeat) else { continue };
        if !model.workflows.may_repeat(of, it) {
            return Ok(false);
        }
    }
    let kept = model.backfills.kept.get_mut(&step.id).expect("seen above");
    let row = &mut kept.row;
    row.turn += 1;
    (row.state, row.reason) = (step.state, step.reason.clone());
    (row.counts, row.ended_at) = (step.counts, step.ended_at);
    for (seq, state) in &step.ended {
        kept.items.entry(*seq).and_modify(|item| item.state = *state);
    }
    for item in kept.items.values_mut() {
        match (step.sweep, item.state) {
            (Some(Sweep::Close), ItemState::Open) => item.state = ItemState::Cancelled,
            (Some(Sweep::Reopen), ItemState::Failed | ItemState::Cancelled) => item.state = ItemState::Open,
            _ => {}
        }
    }
    for start in &step.start {
        let item = kept.items.get_mut(&start.seq).expect("seen above");
        (item.rerun_of, item.run) = (item.run.or(item.rerun_of), Some(start.run));
        item.state = ItemState::Running;
    }
    for start in &step.start {
        begin(model, (job, version, trigger), start, step.at);
        if let Some(of) = start.rerun_of {
            model.documents.put(settled(of, step.at), DocumentExpect::Absent);
        }
        if let (Some(of), Some(it)) = (start.rerun_of, &start.repeat) {
            model.workflows.repeat(of, true, start.run, it)?;
        }
    }
    model.events.flush(step.at);
    if !step.start.is_empty() {
        model.outbox.queued();
    }
    Ok(true)
}

/// Makes the run of an item.
fn begin(model: &mut Model, of: (JobId, JobVersion, TriggerId), start: &ItemStart, at: Timestamp) {
    let (job, job_version, trigger) = of;
    model.job_mut(job).version_mut(job_version).runs += 1;
    if let Some(trigger) = model.triggers.get_mut(trigger.0) {
        trigger.newest_run = trigger.newest_run.max(start.fire_time);
    }
    model.events.run(start.run, job, RunState::Queued);
    let more =
        More { input: start.input.clone(), rerun_of: start.rerun_of, expires_at: start.expires_at, ..More::default() };
    model.live.insert(Run {
        id: start.run,
        job,
        job_version,
        trigger: Some(trigger),
        fire_time: start.fire_time,
        due_at: at,
        created_at: at,
        claimed_at: None,
        priority: start.priority,
        queue: start.line.as_str().into(),
        attempt: 0,
        owner: 0,
        state: RunState::Queued,
        origin: Origin::Backfill,
        batch: Stamp { incarnation: u32::MAX, sequence: 0 },
        born: Placed::Queued,
        more: Some(Box::new(more)),
    });
}

/// Deletes backfills that ended before an instant, those that ended first, with up to `limit` items in all. Returns how many rows went.
pub(super) fn purge(model: &mut Model, before: Timestamp, limit: usize) -> usize {
    let mut count = 0;
    while count < limit {
        let old = model.backfills.kept.values_mut().filter(|kept| kept.row.ended_at.is_some_and(|at| at < before));
        let Some(kept) = old.min_by_key(|kept| (kept.row.ended_at, kept.row.id)) else { break };
        let items: Vec<i64> = kept.items.keys().take(limit - count).copied().collect();
        if !items.is_empty() {
            items.iter().for_each(|seq| _ = kept.items.remove(seq));
            count += items.len();
            continue;
        }
        let (id, job, version) = (kept.row.id, kept.row.job, kept.row.job_version);
        model.backfills.kept.remove(&id);
        let of = model.job_mut(job);
        of.version_mut(version).runs -= 1;
        of.drop_versions();
        model.forget_if_unused(job);
        count += 1;
    }
    count
}

#[async_trait]
impl BackfillStore for MemoryStore {
    async fn existing_runs(
        &self,
        _job: JobId,
        trigger: TriggerId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<ExistingRun>> {
        Ok(existing(&*self.model()?, trigger, from, to))
    }

    async fn add_backfill(&self, backfill: NewBackfill) -> Result<i64> {
        self.request(|model| add(model, backfill))
    }

    async fn backfill(&self, id: i64) -> Result<Option<BackfillRow>> {
        Ok(self.model()?.backfills.kept.get(&id).map(|kept| kept.row.clone()))
    }

    async fn backfills(&self, query: BackfillQuery) -> Result<Vec<BackfillRow>> {
        let model = self.model()?;
        let rows = model.backfills.kept.values().rev().map(|kept| &kept.row).filter(|row| {
            query.before.is_none_or(|before| row.id < before)
                && query.namespace.as_ref().is_none_or(|namespace| *namespace == row.key.namespace)
                && query.job.is_none_or(|job| row.job == job)
                && query.state.is_none_or(|state| row.state == state)
                && query.cascade_of.is_none_or(|of| row.cascade_of == Some(of))
        });
        Ok(rows.take(query.limit as usize).cloned().collect())
    }

    async fn backfill_items(
        &self,
        id: i64,
        state: Option<ItemState>,
        after: i64,
        limit: u32,
    ) -> Result<Vec<BackfillItem>> {
        let model = self.model()?;
        let Some(kept) = model.backfills.kept.get(&id) else { return Ok(Vec::new()) };
        let rest = kept.items.range((Bound::Excluded(after), Bound::Unbounded)).map(|(_, item)| item);
        let rest = rest.filter(|item| state.is_none_or(|state| item.state == state));
        Ok(rest.take(limit as usize).cloned().collect())
    }

    async fn backfills_due(&self, shards: ShardSet, limit: u32) -> Result<Vec<i64>> {
        let model = self.model()?;
        let due = model.backfills.kept.values().map(|kept| &kept.row).filter(|row| {
            row.ended_at.is_none()
                && (row.state == BackfillState::Active || row.counts.running > 0)
                && shards.contains(Shard(shard_of(&row.key.namespace, &row.key.name)))
        });
        Ok(due.map(|row| row.id).take(limit as usize).collect())
    }

    async fn backfill_turn(&self, id: i64, limit: u32) -> Result<Option<BackfillTurn>> {
        Ok(turn(&*self.model()?, id, limit))
    }

    async fn step_backfill(&self, step: BackfillStep) -> Result<bool> {
        let mut model = self.model()?;
        let written = self::step(&mut model, &step)?;
        self.tell(&model);
        Ok(written)
    }
}
