//! Tasks that wait for tasks of other workflows, by date.
//!
//! The row of what a task awaits is written before anybody looks. From then on the transaction that ends something of it leaves a request
//! to look again, so nothing is asked for from time to time, and an end that comes while somebody looks is seen or told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use mainspring_core::job::JobKey;
use mainspring_core::line::HOLD_LINE;
use mainspring_core::workflow::{Elsewhere, Found, Needed, Settled, TaskContext, TaskState, counted};
use mainspring_core::{RunId, Timestamp};
use mainspring_store::{Await, Error, JobRow, Result, RunInfo, RunQuery, Stands, TaskStart, WorkflowDue, WorkflowStep};
use rustc_hash::FxHashSet;

use super::live::{Answer, Live, Place, Write};
use super::{Inner, lock};

/// Dates of another workflow that one task may need.
const DATES_MAX: usize = 10_000;
/// Runs that are read at a time.
const PAGE: u32 = 1_000;
/// Runs of which each repeats the one before that are followed.
const REPEATS_MAX: u32 = 100;
/// How often to see whether tasks wait where none is known to.
const SEE_MS: i64 = 5_000;
/// When to look again at what could not be read.
const AGAIN_MS: i64 = 5_000;

/// Whether tasks of this node's runs may wait for others: where none does, ends of tasks wake nobody.
#[derive(Debug)]
pub(super) struct Awaits {
    used: AtomicBool,
    next_look: AtomicI64,
}

impl Default for Awaits {
    fn default() -> Self {
        // Until the first look nobody knows.
        Self { used: AtomicBool::new(true), next_look: AtomicI64::new(0) }
    }
}

impl Awaits {
    /// Notes that a task may wait.
    pub(super) fn note(&self) {
        self.used.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Whether it is time to look whether any waits.
    fn is_due(&self, now: Timestamp) -> bool {
        let (now, next) = (now.as_millis(), self.next_look.load(Ordering::Relaxed));
        // A clock that was set back does not keep it from looking.
        let is_due = next <= now || next - now > SEE_MS;
        if is_due {
            self.next_look.store(now + SEE_MS, Ordering::Relaxed);
        }
        is_due
    }
}

/// What comes of a task that needs others elsewhere.
pub(super) fn wait(need: &Elsewhere, live: &Live, context: Box<TaskContext>, now: Timestamp) -> Answer {
    if need.asks_interval() && !live.is_dated {
        return Answer::Fail(format!(
            "no schedule says which data belong to this run, and at: {} asks for that: run this date by a backfill, or need it at: same or by an offset",
            need.at
        ));
    }
    match need.needed(&live.dates) {
        Some(needed) => Answer::Await(context, need.timeout_ms.map(|ms| now + ms), needed),
        None => Answer::Done("there is no date before".to_owned()),
    }
}

impl Live {
    /// What a task needs of another workflow.
    fn need(&self, task: u32) -> Option<&Elsewhere> {
        self.plan.task(task).hold.as_ref()?.elsewhere()
    }

    /// Lets a task wait. Which dates it needs is kept with the run that stands for it.
    pub(super) fn wait_elsewhere(&mut self, task: u32, start: TaskStart, needed: Needed) {
        let input = serde_json::to_string(&needed).expect("plain data has a text");
        let says = self.need(task).map(|need| format!("{} has not been looked at yet", need.text()));
        self.needed.insert(task, needed);
        self.seen.remove(&task);
        let write = self.writes.entry((task, None)).or_default();
        write.start = Some(TaskStart { line: HOLD_LINE.to_owned(), input: Some(input), ..start });
        write.reason = says;
    }

    /// What tasks await that begin to wait with these writes.
    pub(super) fn awaits(&self, writes: &BTreeMap<Place, Write>) -> Vec<Await> {
        let starts = writes.iter().filter(|(_, write)| write.start.is_some());
        let begin = starts.filter_map(|((task, _), _)| {
            let (need, (first, last)) = (self.need(*task)?, self.needed.get(task)?.span());
            let (upstream, of_task) = (need.workflow.clone(), need.task.clone());
            Some(Await { task: *task, upstream, of_task, first, last })
        });
        begin.collect()
    }

    /// The tasks that end with these writes and wait for nothing elsewhere any more.
    pub(super) fn settled(&self, writes: &BTreeMap<Place, Write>) -> Vec<u32> {
        let whole = writes.keys().filter(|(_, item)| item.is_none()).map(|(task, _)| *task);
        whole.filter(|task| self.state(*task).is_final() && self.need(*task).is_some()).collect()
    }

    /// The names of the tasks that end with these writes.
    pub(super) fn over(&self, writes: &BTreeMap<Place, Write>) -> Vec<Arc<str>> {
        let whole = writes.keys().filter(|(_, item)| item.is_none());
        whole.filter(|(task, _)| self.state(*task).is_final()).map(|(task, _)| self.plan.name(*task)).collect()
    }

    /// Lets what could not be read be looked at again.
    pub(super) fn look_again(&mut self) {
        self.to_look.append(&mut self.puzzled);
    }

    /// Takes in what somebody saw who looked, and the run that has left something, if it is one.
    fn settle(&mut self, task: u32, settled: Settled, left_by: Option<RunId>) {
        match settled {
            Settled::Ends(state, reason) => {
                self.mark((task, None), state, reason);
                self.writes.entry((task, None)).or_default().stands_for = left_by;
                // What needs it may ask at once what is left.
                self.latest.extend(left_by.map(|run| ((task, None), run)));
            }
            Settled::Waits(says) => self.writes.entry((task, None)).or_default().reason = Some(says),
        }
    }
}

impl Inner {
    /// Finds when the run fires of a date that a task begins to wait for, where its workflow names runs after the start of their data.
    pub(super) async fn find_fire(&self, live: &Live, task: u32, answer: Answer) -> Result<Answer> {
        let (Answer::Await(context, until, Needed::Date(date)), Some(need)) = (&answer, live.need(task)) else {
            return Ok(answer);
        };
        let key = JobKey::new(&live.plan.job().key.namespace, &need.workflow);
        let fire = match self.definitions.fires_for(&key, *date).await {
            // The look says why it cannot be read, and looks again.
            Err(Error::Unusable { .. }) => None,
            found => found?,
        };
        Ok(match fire {
            Some(fire) => Answer::Await(context.clone(), *until, Needed::Named { date: *date, fire }),
            None => answer,
        })
    }

    /// Reads what tasks need that wait already, and sees whether it has ended.
    pub(super) async fn load_needed(&self, live: &mut Live) -> Result<()> {
        let needs = live.plan.job().needs_elsewhere().map(|(task, _)| task);
        let tasks: Vec<u32> = needs.filter(|task| live.state(*task) == TaskState::Running).collect();
        for task in tasks {
            let Some(child) = live.child((task, None)) else { continue };
            let run = self.store.run(child).await?;
            let known = run.and_then(|run| Some((run.created_at, serde_json::from_str(&run.input?).ok()?)));
            if let Some((since, needed)) = known {
                live.needed.insert(task, needed);
                live.waits_since.insert(task, since);
                live.to_look.insert(task);
                self.awaits.note();
            }
        }
        Ok(())
    }

    /// Sees what has become of what tasks await.
    pub(super) async fn look_elsewhere(&self, live: &mut Live) -> Result<()> {
        for task in std::mem::take(&mut live.to_look) {
            let (Some(need), Some(needed)) = (live.need(task).cloned(), live.needed.get(&task).copied()) else {
                continue;
            };
            if live.state(task) != TaskState::Running {
                continue;
            }
            let seen = live.seen.remove(&task).unwrap_or_default();
            let since = live.waits_since.get(&task).copied();
            let mut left_by = None;
            let settled = match self.find(&live.plan.job().key.namespace, &need, needed, &seen, since).await {
                Ok(Ok(found)) => {
                    let shown: Vec<_> = found.iter().map(|(fire, found)| (needed.shown(*fire), *found)).collect();
                    let settled = need.settle(&shown);
                    left_by = self.left_by(&need, &found).await?;
                    live.seen.insert(task, found.into_iter().collect());
                    settled
                }
                Ok(Err(why)) => Settled::Ends(TaskState::Failed, why),
                // A newer program may have written it, and another node can read it.
                Err(Error::Unusable { why, .. }) => {
                    live.seen.insert(task, seen);
                    live.puzzled.insert(task);
                    Settled::Waits(format!("the definition of {} cannot be read: {why}", need.workflow))
                }
                Err(error) => return Err(error),
            };
            live.settle(task, settled, left_by);
        }
        Ok(())
    }

    /// Notes that a run is to be looked at again though nobody tells of anything: a task of it needs what could not be read.
    pub(super) fn note_puzzled(&self, due: WorkflowDue, live: &Live) {
        if live.puzzled.is_empty() {
            lock(&self.puzzled).remove(&due.run);
        } else {
            let due = WorkflowDue { begins: false, ..due };
            lock(&self.puzzled).insert(due.run, (due, self.time.now() + AGAIN_MS));
        }
    }

    /// The runs to look at again by now.
    pub(super) fn to_look_again(&self) -> Vec<WorkflowDue> {
        let now = self.time.now();
        let mut puzzled = lock(&self.puzzled);
        // A clock that was set back keeps nothing from being looked at.
        let is_due = |at: Timestamp| at <= now || at.since(now) > AGAIN_MS;
        let due: Vec<WorkflowDue> = puzzled.values().filter(|(_, at)| is_due(*at)).map(|(due, _)| *due).collect();
        due.iter().for_each(|due| _ = puzzled.remove(&due.run));
        due
    }

    /// Wakes this node's runs that may wait for what has ended with a step.
    pub(super) fn tell_waiting(&self, step: &WorkflowStep) {
        if !step.awaits.is_empty() {
            self.awaits.note();
        }
        if !step.over.is_empty() && self.awaits.is_used() {
            self.wake.notify_one();
        }
    }

    /// Looks from time to time whether any task waits.
    pub(super) async fn see_whether_awaited(&self) -> Result<()> {
        if self.awaits.is_due(self.time.now()) {
            self.awaits.used.store(self.store.is_anything_awaited().await?, Ordering::Relaxed);
        }
        Ok(())
    }

    /// How the runs of each date stand; or why that cannot be told.
    async fn find(
        &self,
        namespace: &str,
        need: &Elsewhere,
        needed: Needed,
        seen: &BTreeMap<Timestamp, Found>,
        since: Option<Timestamp>,
    ) -> Result<std::result::Result<Vec<(Timestamp, Found)>, String>> {
        let key = JobKey::new(namespace, &need.workflow);
        let job = self.store.job(&key).await?;
        let dates = match (needed, &job) {
            (Needed::Date(fire) | Needed::Named { fire, .. }, _) => vec![fire],
            (Needed::Within(from, to), Some(job)) => {
                match self.definitions.dates_within(&job.definition.key, from, to, DATES_MAX).await? {
                    Ok(dates) => dates,
                    Err(why) => return Ok(Err(why)),
                }
            }
            // Nobody knows its dates any more.
            (Needed::Within(..), None) if !seen.is_empty() => seen.keys().copied().collect(),
            // It stands for one.
            (Needed::Within(_, to), None) => vec![to],
        };
        // What has ended well is not looked at again.
        let ended = |date: &Timestamp| seen.get(date).copied().filter(|found| is_well(*found));
        let open: BTreeSet<Timestamp> = dates.iter().filter(|date| ended(date).is_none()).copied().collect();
        let runs = match &job {
            Some(job) => self.newest_runs(job, &open).await?,
            None => BTreeMap::new(),
        };
        let is_other = |since| job.as_ref().is_none_or(|job| job.created_at > since);
        let mut found = Vec::with_capacity(dates.len());
        for date in &dates {
            if let Some(ended) = ended(date) {
                found.push((*date, ended));
                continue;
            }
            let known = match (runs.get(date), seen.get(date)) {
                (Some(run), _) => Some(run.clone()),
                // Its job was deleted meanwhile. Where nobody has seen the run before, it is found by its date.
                (None, Some(Found::Open(run))) => self.store.run(*run).await?,
                (None, _) if since.is_some_and(is_other) => self.run_of_deleted(&key, *date).await?,
                (None, _) => None,
            };
            let stands = match known {
                Some(run) => self.stands(&run, need).await?,
                None => Found::Missing,
            };
            found.push((*date, stands));
        }
        Ok(Ok(found))
    }

    /// The newest run for a date of jobs that had this name and are gone.
    async fn run_of_deleted(&self, key: &JobKey, date: Timestamp) -> Result<Option<RunInfo>> {
        let query = RunQuery {
            namespace: Some(key.namespace.clone()),
            from: Some(date),
            to: Some(date + 1),
            limit: PAGE,
            ..RunQuery::default()
        };
        let mut runs = self.all_runs(query).await?;
        runs.retain(|run| run.key == *key && run.fire_time == date);
        Ok(runs.into_iter().max_by_key(|run| (run.created_at, run.id)))
    }

    async fn all_runs(&self, mut query: RunQuery) -> Result<Vec<RunInfo>> {
        let mut runs = Vec::new();
        loop {
            let page = self.store.runs(query.clone()).await?;
            query.before = page.last().map(|run| run.id);
            let is_last = page.len() < PAGE as usize;
            runs.extend(page);
            if is_last {
                return Ok(runs);
            }
        }
    }

    /// The newest run of each of these dates that a trigger, a backfill or somebody has made, and perhaps of others between them.
    /// Whoever repeats it is found by it.
    async fn newest_runs(&self, job: &JobRow, dates: &BTreeSet<Timestamp>) -> Result<BTreeMap<Timestamp, RunInfo>> {
        let (Some(&first), Some(&last)) = (dates.first(), dates.last()) else { return Ok(BTreeMap::new()) };
        let query = RunQuery {
            namespace: Some(job.definition.key.namespace.clone()),
            job: Some(job.id),
            from: Some(first),
            to: Some(last + 1),
            limit: PAGE,
            ..RunQuery::default()
        };
        let mut runs = self.all_runs(query).await?;
        let mut ids: FxHashSet<RunId> = runs.iter().map(|run| run.id).collect();
        for trigger in self.definitions.triggers_of(&job.definition.key).await? {
            let known = self.store.backfill_store().existing_runs(job.id, trigger, first, last).await?;
            for run in known.into_iter().filter(|known| dates.contains(&known.fire_time)).filter_map(|known| known.run)
            {
                // Those of backfills have ids of the time when they were made.
                if ids.insert(run) {
                    runs.extend(self.store.run(run).await?);
                }
            }
        }
        // Those that tasks have started have ids of the time of the run of that task.
        for run in self.store.called_for(job.id, first, last).await? {
            if ids.insert(run) {
                runs.extend(self.store.run(run).await?);
            }
        }
        let mut newest: BTreeMap<Timestamp, RunInfo> = BTreeMap::new();
        for run in runs.into_iter().filter(|run| run.parent.is_none()) {
            let is_newer =
                newest.get(&run.fire_time).is_none_or(|it| (it.created_at, it.id) < (run.created_at, run.id));
            if is_newer {
                newest.insert(run.fire_time, run);
            }
        }
        Ok(newest)
    }

    /// The run that has left what is needed, where one date is needed and it has succeeded: of a task that has run once, its own.
    async fn left_by(&self, need: &Elsewhere, found: &[(Timestamp, Found)]) -> Result<Option<RunId>> {
        let [(_, Found::Ended(run, TaskState::Succeeded))] = found else { return Ok(None) };
        if need.task.is_none() {
            return Ok(Some(*run));
        }
        let Some(info) = self.store.run(*run).await? else { return Ok(None) };
        let Ok(Some(number)) = self.number(info.job, info.job_version, need).await? else { return Ok(None) };
        let tasks = self.store.workflow(*run, 0).await?.map(|row| row.tasks).unwrap_or_default();
        let whole = tasks.iter().find(|task| task.task == number && task.item.is_none());
        Ok(whole.and_then(|task| task.child))
    }

    /// How a run stands, or the newest that repeats it.
    async fn stands(&self, run: &RunInfo, need: &Elsewhere) -> Result<Found> {
        let (mut at, mut version) = (run.id, run.job_version);
        for _ in 0..REPEATS_MAX {
            let number = match self.number(run.job, version, need).await {
                Ok(Ok(number)) => number,
                Ok(Err(())) => return Ok(Found::NoTask(at)),
                // Retention has taken its job.
                Err(Error::NotFound { .. }) => return Ok(Found::Missing),
                Err(error) => return Err(error),
            };
            let Some(stands) = self.store.run_stands(at, number.unwrap_or(0)).await? else { return Ok(Found::Missing) };
            let Some(again) = stands.rerun_as else { return Ok(how(at, stands, number.is_some())) };
            match self.store.run(again).await? {
                Some(again) => (at, version) = (again.id, again.job_version),
                // Retention has taken it.
                None => return Ok(how(at, stands, number.is_some())),
            }
        }
        Ok(Found::Open(at))
    }

    /// The number of the task that is needed, in a version of its workflow; nothing if the whole run is. An error: it has no such task.
    async fn number(
        &self,
        job: mainspring_core::JobId,
        version: mainspring_core::JobVersion,
        need: &Elsewhere,
    ) -> Result<std::result::Result<Option<u32>, ()>> {
        let Some(name) = &need.task else { return Ok(Ok(None)) };
        let definition = self.definitions.definition(job, version).await?;
        Ok(definition.workflow().and_then(|workflow| workflow.find(name)).map(Some).ok_or(()))
    }
}

/// Whether what is needed has ended, and not badly.
const fn is_well(found: Found) -> bool {
    matches!(found, Found::Ended(_, state) if !state.is_bad())
}

/// How what is needed of a run stands: the run, or one of its tasks. A task to which nothing has happened in a run that is over counts as
/// that has ended.
fn how(run: RunId, stands: Stands, is_task: bool) -> Found {
    let ended = stands.ended.map(counted);
    let state = if is_task { stands.task.filter(|state| state.is_final()).or(ended) } else { ended };
    state.map_or(Found::Open(run), |state| Found::Ended(run, state))
}
