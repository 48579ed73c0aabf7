//! A store that keeps everything in memory: the reference model, and the fastest of them.
//!
//! It takes the same way as the SQL stores (unfinished runs apart from history, gates, attempts, gaps, outbox,
//! events), and answers the same. Nothing survives the process.

#[cfg(test)]
mod check;
mod complete;
mod events;
mod fire;
mod history;
mod jobs;
mod live;
mod logs;
mod model;
mod names;
mod outbox;
mod purge;
mod queue;
mod runs;
mod table;

use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use mainspring_core::batch::{
    ClaimedRun, CompletionBatch, CompletionOutcome, FireBatch, FireOutcome, LiveRun, Rearm, TriggerRow,
};
use mainspring_core::cluster::ShardSet;
use mainspring_core::job::{Job, JobKey};
use mainspring_core::{BatchId, Incarnation, JobId, JobVersion, RunId, Timestamp, TriggerId};
use tokio::sync::Notify;

use crate::error::{Error, Result};
use crate::row::{
    Asked, AskedRun, AttemptInfo, CalendarRow, CalendarWrite, Cancelled, Changes, EventRow, Expect, GapRow, JobPrior,
    JobQuery, JobRow, JobUpdate, JobWrite, KeptAnswer, LogChunk, NamespaceRow, PurgeRule, Released, RunInfo, RunQuery,
    Saved, StoreInfo, Tally, TriggerInfo, TriggerQuery,
};
use crate::store::Store;
use model::Model;

/// A store in memory.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mainspring_store::{MemoryStore, Store};
/// let store = MemoryStore::new();
/// store.set_setting("colour", "blue").await?;
/// assert_eq!(store.setting("colour").await?.as_deref(), Some("blue"));
/// # Ok::<(), mainspring_store::Error>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct MemoryStore {
    model: Mutex<Model>,
    changed: Notify,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStore {
    /// Makes an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self { model: Mutex::new(Model::new()), changed: Notify::new() }
    }

    fn model(&self) -> Result<MutexGuard<'_, Model>> {
        let model = self.model.lock().expect("a change that panics is a bug, and leaves nothing to trust");
        if model.closed { Err(Error::Closed) } else { Ok(model) }
    }

    /// Panics if counters or indexes have parted from the rows.
    #[cfg(test)]
    pub(crate) fn check(&self) {
        self.model().expect("open").check();
    }

    /// Makes a change that the engine has to hear of.
    fn request<T>(&self, change: impl FnOnce(&mut Model) -> Result<T>) -> Result<T> {
        let answer = change(&mut *self.model()?)?;
        self.changed.notify_one();
        Ok(answer)
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn adopt(&self, incarnation: Incarnation, _at: Timestamp) -> Result<Vec<LiveRun>> {
        Ok(queue::adopt(&mut *self.model()?, incarnation))
    }

    async fn window(
        &self,
        _: ShardSet,
        until: Timestamp,
        after: Option<(Timestamp, TriggerId)>,
        limit: u32,
    ) -> Result<(Vec<TriggerRow>, Option<(Timestamp, TriggerId)>)> {
        let model = self.model()?;
        let from = after.unwrap_or((Timestamp::from_millis(i64::MIN), TriggerId(i64::MIN)));
        let due = model.window.range(from..=(until, TriggerId(i64::MAX))).filter(|place| Some(**place) != after);
        let places: Vec<_> = due.take(limit as usize).copied().collect();
        let rows = places.iter().map(|place| model.triggers.get(place.1.0).expect("the index names it").row.clone());
        let next = places.last().copied().filter(|_| places.len() == limit as usize);
        Ok((rows.collect(), next))
    }

    async fn trigger_rows(&self, ids: &[TriggerId]) -> Result<Vec<TriggerRow>> {
        let model = self.model()?;
        Ok(ids.iter().filter_map(|id| model.triggers.get(id.0)).map(|trigger| trigger.row.clone()).collect())
    }

    async fn stranded(&self) -> Result<Vec<TriggerRow>> {
        Ok(self.model()?.stranded())
    }

    async fn definition(&self, job: JobId, version: JobVersion) -> Result<Arc<Job>> {
        let model = self.model()?;
        let definition = model.jobs.get(job.0).and_then(|job| job.definition(version)).cloned();
        definition.ok_or_else(|| Error::NotFound { what: "definition", key: format!("{job} version {version}") })
    }

    async fn fire(&self, batch: Arc<FireBatch>) -> Result<FireOutcome> {
        Ok(fire::fire(&mut *self.model()?, &batch))
    }

    async fn complete(&self, batch: Arc<CompletionBatch>) -> Result<CompletionOutcome> {
        Ok(complete::complete(&mut *self.model()?, &batch))
    }

    async fn claim(&self, id: BatchId, limit: u32, at: Timestamp) -> Result<Vec<ClaimedRun>> {
        Ok(queue::claim(&mut *self.model()?, id, limit, at))
    }

    async fn release_due(&self, at: Timestamp, limit: u32) -> Result<Released> {
        Ok(queue::release_due(&mut *self.model()?, at, limit))
    }

    async fn take_changes(&self, _: Incarnation, _: ShardSet, limit: u32) -> Result<Changes> {
        Ok(self.model()?.outbox.take(limit))
    }

    fn changed(&self) -> &Notify {
        &self.changed
    }

    async fn append_log(&self, chunks: Vec<LogChunk>) -> Result<()> {
        let mut model = self.model()?;
        for chunk in chunks {
            model.logs.append(chunk);
        }
        Ok(())
    }

    async fn prior(&self, key: &JobKey) -> Result<JobPrior> {
        Ok(jobs::prior(&*self.model()?, key))
    }

    async fn set_trigger_error(&self, trigger: TriggerId, version: i64, reason: &str, at: Timestamp) -> Result<bool> {
        self.request(|model| Ok(jobs::set_trigger_error(model, trigger, version, reason, at)))
    }

    async fn save_jobs(&self, writes: Vec<JobWrite>) -> Result<Vec<Saved>> {
        self.request(|model| jobs::save(model, &writes))
    }

    async fn update_job(&self, update: JobUpdate) -> Result<JobRow> {
        self.request(|model| jobs::update(model, &update))
    }

    async fn delete_job(&self, key: &JobKey, expect: Expect, at: Timestamp) -> Result<()> {
        self.request(|model| jobs::delete(model, key, expect, at))
    }

    async fn job(&self, key: &JobKey) -> Result<Option<JobRow>> {
        Ok(self.model()?.job_by_key(key).map(|job| job.row.clone()))
    }

    async fn jobs(&self, query: JobQuery) -> Result<Vec<JobRow>> {
        Ok(jobs::jobs(&*self.model()?, &query))
    }

    async fn triggers(&self, query: TriggerQuery) -> Result<Vec<TriggerInfo>> {
        Ok(jobs::triggers(&*self.model()?, &query))
    }

    async fn namespaces(&self, after: Option<&str>, limit: u32) -> Result<Vec<NamespaceRow>> {
        Ok(names::namespaces(&*self.model()?, after, limit))
    }

    async fn create_namespace(&self, name: &str, at: Timestamp) -> Result<NamespaceRow> {
        Ok(names::create_namespace(&mut *self.model()?, name, at))
    }

    async fn delete_namespace(&self, name: &str) -> Result<()> {
        names::delete_namespace(&mut *self.model()?, name)
    }

    async fn calendar(&self, namespace: &str, name: &str) -> Result<Option<CalendarRow>> {
        Ok(names::calendar(&*self.model()?, namespace, name))
    }

    async fn calendars(&self, namespace: &str, after: Option<&str>, limit: u32) -> Result<Vec<CalendarRow>> {
        Ok(names::calendars(&*self.model()?, namespace, after, limit))
    }

    async fn save_calendar(&self, write: CalendarWrite) -> Result<CalendarRow> {
        self.request(|model| names::save_calendar(model, &write))
    }

    async fn delete_calendar(&self, namespace: &str, name: &str, expect: Expect) -> Result<()> {
        names::delete_calendar(&mut *self.model()?, namespace, name, expect)
    }

    async fn ask_run(&self, run: AskedRun) -> Result<Asked> {
        self.request(|model| runs::ask(model, run))
    }

    async fn cancel_run(&self, run: RunId, reason: &str, rearm: Option<Rearm>, at: Timestamp) -> Result<Cancelled> {
        self.request(|model| runs::cancel(model, run, reason, rearm, at))
    }

    async fn run(&self, run: RunId) -> Result<Option<RunInfo>> {
        Ok(runs::run(&*self.model()?, run))
    }

    async fn runs(&self, query: RunQuery) -> Result<Vec<RunInfo>> {
        Ok(runs::runs(&*self.model()?, &query))
    }

    async fn attempts(&self, run: RunId) -> Result<Vec<AttemptInfo>> {
        Ok(runs::attempts(&*self.model()?, run))
    }

    async fn log(&self, run: RunId, attempt: u32, from_line: u64, bytes_max: u32) -> Result<Vec<LogChunk>> {
        Ok(self.model()?.logs.read(run, attempt, from_line, bytes_max))
    }

    async fn gaps(&self, trigger: Option<TriggerId>, after: i64, limit: u32) -> Result<Vec<GapRow>> {
        let model = self.model()?;
        let start = model.gaps.partition_point(|gap| gap.seq <= after);
        let rows = model.gaps.range(start..).filter(|gap| trigger.is_none_or(|id| gap.trigger == id));
        let row = |gap: &model::GapModel| GapRow {
            seq: gap.seq,
            job: model.job(gap.job).row.definition.key.clone(),
            trigger: gap.trigger,
            at: gap.at,
            gap: gap.gap.clone(),
        };
        Ok(rows.take(limit as usize).map(row).collect())
    }

    async fn events(&self, after: i64, limit: u32) -> Result<Vec<EventRow>> {
        Ok(self.model()?.events.after(after, limit))
    }

    async fn last_event(&self) -> Result<i64> {
        Ok(self.model()?.events.last())
    }

    async fn setting(&self, name: &str) -> Result<Option<String>> {
        Ok(self.model()?.settings.get(name).cloned())
    }

    async fn set_setting(&self, name: &str, value: &str) -> Result<()> {
        self.model()?.settings.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    async fn kept_answer(&self, key: &str) -> Result<Option<KeptAnswer>> {
        Ok(self.model()?.answers.get(key).map(|(_, answer)| answer.clone()))
    }

    async fn keep_answer(&self, key: &str, answer: KeptAnswer, at: Timestamp) -> Result<()> {
        self.model()?.answers.entry(key.to_owned()).or_insert((at, answer));
        Ok(())
    }

    async fn purge(&self, rule: PurgeRule) -> Result<u64> {
        Ok(purge::purge(&mut *self.model()?, &rule))
    }

    async fn tally(&self) -> Result<Vec<Tally>> {
        Ok(purge::tally(&*self.model()?))
    }

    async fn info(&self) -> Result<StoreInfo> {
        let model = self.model()?;
        Ok(StoreInfo {
            kind: "memory",
            version: env!("CARGO_PKG_VERSION").to_owned(),
            schema: 0,
            jobs: model.job_keys.len() as u64,
            triggers: model.triggers.len() as u64,
            live_runs: model.live.len() as u64,
            bytes: 0,
        })
    }

    async fn close(&self) -> Result<()> {
        self.model()?.closed = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::conformance_suite!(async || Arc::new(MemoryStore::new()) as Arc<dyn Store>);
}
