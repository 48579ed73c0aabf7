//! Random requests to two stores, which have to answer alike.

mod workflows;

use std::fmt::Debug;
use std::sync::Arc;

use mainspring_core::batch::{
    Completion, CompletionBatch, FireBatch, FireEntry, Gap, GapOutcome, GapReason, Queues, Rearm, TriggerStatus,
};
use mainspring_core::cluster::ShardSet;
use mainspring_core::job::{JobKey, Overlap};
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::AttemptOutcome;
use mainspring_core::{BatchId, Incarnation, RunId, Timestamp, TriggerId};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use self::workflows::Shape;
use super::kit::{Draft, Kept, Kit, LATER, TakeChanges, advanced, asked, at, new_run, update};
use crate::{
    AskedRun, CalendarWrite, EventRow, Expect, GapRow, JobQuery, JobUpdate, LogChunk, MemoryStore, NamedTrigger,
    PurgeRule, Result, RunInfo, RunQuery, Store, TriggerQuery, TriggerUpdate,
};

/// Compares a store with [`MemoryStore`] over `cases` random sequences of requests, and shrinks the first that differs.
///
/// Both must give out ids in the same order. Not for use inside of an async runtime: it starts one.
///
/// # Panics
/// If the stores answer differently; the message has the shortest sequence found, and both answers.
pub fn differential(cases: u32, make: impl AsyncFn() -> Arc<dyn Store>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() };
    let answer = TestRunner::new(config).run(&proptest::collection::vec(op(), 1..60), |ops| {
        runtime
            .block_on(async { Pair::new(Arc::new(MemoryStore::new()), make().await).await.all(&ops).await })
            .map_err(TestCaseError::fail)
    });
    if let Err(error) = answer {
        panic!("{error}");
    }
}

/// A request. Small numbers choose among what is there when its turn comes.
#[derive(Clone, Debug)]
enum Op {
    Save { job: u8, limit: u8, triggers: u8, priority: i32, paused: bool, rests: bool, blind: bool },
    Pause { job: u8, paused: bool },
    Move { job: u8, trigger: u8, by_ms: i64, pause: Option<bool>, gap: bool },
    PutAside { job: u8, trigger: u8, stale: bool },
    Delete { job: u8 },
    Fire { entries: Vec<Shot> },
    RepeatFire,
    Complete { ends: Vec<Finish> },
    Claim { limit: u32 },
    RepeatClaim,
    Release { limit: u32, ahead_ms: i64 },
    Ask { job: u8, number: u64, priority: i32 },
    Cancel { run: u8, arms: bool },
    Restart,
    TakeChanges,
    Log { run: u8, first_line: u64 },
    Calendar { text: u8 },
    Begin,
    Step { shape: Shape },
    AskWorkflow { run: Option<u8> },
    Purge { keep: Option<u32>, all: bool },
}

#[derive(Clone, Debug)]
struct Shot {
    job: u8,
    trigger: u8,
    runs: u8,
    claim: bool,
    leaves: bool,
    stale: bool,
    then: Then,
}

/// Where a trigger goes after a fire.
#[derive(Clone, Copy, Debug)]
enum Then {
    Next,
    Complete,
    Await,
}

#[derive(Clone, Debug)]
struct Finish {
    run: u8,
    wrong_attempt: bool,
    outcome: AttemptOutcome,
    retry: bool,
}

fn op() -> impl Strategy<Value = Op> {
    let shot = (0..3_u8, 0..3_u8, 0..4_u8, any::<bool>(), any::<bool>(), prop::bool::weighted(0.1), then());
    let shot = shot.prop_map(|(job, trigger, runs, claim, leaves, stale, then)| Shot {
        job,
        trigger,
        runs,
        claim,
        leaves,
        stale,
        then,
    });
    let finish = (any::<u8>(), prop::bool::weighted(0.1), prop::sample::select(AttemptOutcome::ALL), any::<bool>());
    let finish = finish.prop_map(|(run, wrong_attempt, outcome, retry)| Finish { run, wrong_attempt, outcome, retry });
    let save =
        (0..3_u8, 0..6_u8, 0..8_u8, 4..7_i32, any::<bool>(), prop::bool::weighted(0.2), prop::bool::weighted(0.1));
    prop_oneof![
        4 => save.prop_map(|(job, limit, triggers, priority, paused, rests, blind)| Op::Save {
            job, limit, triggers, priority, paused: paused && rests, rests, blind
        }),
        2 => (0..3_u8, any::<bool>()).prop_map(|(job, paused)| Op::Pause { job, paused }),
        2 => (0..3_u8, 0..3_u8, -3_000..3_000_i64, any::<Option<bool>>(), any::<bool>())
            .prop_map(|(job, trigger, by_ms, pause, gap)| Op::Move { job, trigger, by_ms, pause, gap }),
        1 => (0..3_u8, 0..3_u8, prop::bool::weighted(0.2))
            .prop_map(|(job, trigger, stale)| Op::PutAside { job, trigger, stale }),
        1 => (0..3_u8).prop_map(|job| Op::Delete { job }),
        10 => prop::collection::vec(shot, 1..5).prop_map(|entries| Op::Fire { entries }),
        2 => Just(Op::RepeatFire),
        8 => prop::collection::vec(finish, 1..5).prop_map(|ends| Op::Complete { ends }),
        5 => (0..4_u32).prop_map(|limit| Op::Claim { limit }),
        2 => Just(Op::RepeatClaim),
        3 => (0..4_u32, 0..3_000_i64).prop_map(|(limit, ahead_ms)| Op::Release { limit, ahead_ms }),
        4 => (0..3_u8, 0..3_u64, 4..7_i32).prop_map(|(job, number, priority)| Op::Ask { job, number, priority }),
        3 => any::<(u8, bool)>().prop_map(|(run, arms)| Op::Cancel { run, arms }),
        1 => Just(Op::Restart),
        2 => Just(Op::TakeChanges),
        1 => (any::<u8>(), 0..3_u64).prop_map(|(run, first_line)| Op::Log { run, first_line }),
        1 => (0..3_u8).prop_map(|text| Op::Calendar { text }),
        5 => Just(Op::Begin),
        5 => shape().prop_map(|shape| Op::Step { shape }),
        1 => prop::option::of(any::<u8>()).prop_map(|run| Op::AskWorkflow { run }),
        1 => (prop::option::of(0..3_u32), prop::bool::weighted(0.2)).prop_map(|(keep, all)| Op::Purge { keep, all }),
    ]
}

fn shape() -> impl Strategy<Value = Shape> {
    let masks = (0..8_u8, 0..8_u8, 0..8_u8, 0..4_u8);
    let end = prop::option::weighted(0.15, 0..2_u8);
    (masks, any::<bool>(), prop::bool::weighted(0.1), end).prop_map(|(masks, more, stale, end)| {
        let (starts, skips, cancels, hears) = masks;
        Shape { starts, skips, cancels, hears, more, stale, end }
    })
}

fn then() -> impl Strategy<Value = Then> {
    prop_oneof![8 => Just(Then::Next), 1 => Just(Then::Complete), 1 => Just(Then::Await)]
}

type Verdict = std::result::Result<(), String>;

/// The reference and the store under test.
struct Pair {
    kit: Kit,
    other: Arc<dyn Store>,
    step: i64,
    last_fire: Option<Arc<FireBatch>>,
    last_claim: Option<(BatchId, u32)>,
}

impl Pair {
    async fn new(reference: Arc<dyn Store>, other: Arc<dyn Store>) -> Self {
        let kit = Kit::new(reference).await;
        other.adopt(kit.incarnation, at(0)).await.expect("adopt");
        Self { kit, other, step: 0, last_fire: None, last_claim: None }
    }

    async fn all(mut self, ops: &[Op]) -> Verdict {
        for op in ops {
            self.step += 1;
            self.one(op).await.map_err(|difference| format!("step {} {op:?}: {difference}", self.step))?;
        }
        self.everything().await
    }

    fn now(&self) -> Timestamp {
        at(self.step * 700)
    }

    async fn one(&mut self, op: &Op) -> Verdict {
        let now = self.now();
        let (a, b) = (self.kit.store.clone(), self.other.clone());
        match op {
            Op::Save { .. } => {
                let draft = self.draft(op).await;
                same("save_jobs", a.save_jobs(vec![draft.0.clone()]).await, b.save_jobs(vec![draft.0]).await)
            }
            Op::Pause { job, paused } => {
                let Some(kept) = self.kept(*job).await else { return Ok(()) };
                let change = JobUpdate { paused: Some(*paused), ..update(&kept, now) };
                same("update_job", a.update_job(change.clone()).await, b.update_job(change).await)
            }
            Op::Move { .. } => {
                let Some(change) = self.movement(op).await else { return Ok(()) };
                same("update_job", a.update_job(change.clone()).await, b.update_job(change).await)
            }
            Op::Delete { job } => {
                let (key, any) = (key(*job), Expect::Anything);
                same(
                    "delete_job",
                    a.delete_job(&key, any, Vec::new(), now).await,
                    b.delete_job(&key, any, Vec::new(), now).await,
                )
            }
            Op::Fire { entries } => {
                let mut shots = Vec::new();
                for shot in entries {
                    shots.extend(self.shot(shot).await);
                }
                shots.sort_by_key(|entry: &FireEntry| entry.trigger);
                shots.dedup_by_key(|entry| entry.trigger);
                let batch = Arc::new(FireBatch { id: self.kit.batch_id(), at: now, answered: 0, entries: shots });
                self.last_fire = Some(batch.clone());
                same("fire", a.fire(batch.clone()).await, b.fire(batch).await)
            }
            Op::RepeatFire => {
                let Some(batch) = self.last_fire.clone() else { return Ok(()) };
                same("fire again", a.fire(batch.clone()).await, b.fire(batch).await)
            }
            Op::Complete { ends } => {
                let mut entries = Vec::new();
                for end in ends {
                    entries.extend(self.end(end).await);
                }
                let batch = Arc::new(CompletionBatch { id: self.kit.batch_id(), at: now, entries });
                same("complete", a.complete(batch.clone()).await, b.complete(batch).await)
            }
            Op::Claim { limit } => {
                let id = self.kit.batch_id();
                self.last_claim = Some((id, *limit));
                same(
                    "claim",
                    a.claim(id, &Queues::All, *limit, now).await,
                    b.claim(id, &Queues::All, *limit, now).await,
                )
            }
            Op::RepeatClaim => {
                let Some((id, limit)) = self.last_claim else { return Ok(()) };
                same(
                    "claim again",
                    a.claim(id, &Queues::All, limit, now).await,
                    b.claim(id, &Queues::All, limit, now).await,
                )
            }
            Op::Release { limit, ahead_ms } => {
                let until = now + *ahead_ms;
                same("release_due", a.release_due(until, *limit).await, b.release_due(until, *limit).await)
            }
            Op::Ask { job, number, priority } => {
                let Some(kept) = self.kept(*job).await else { return Ok(()) };
                let run = AskedRun { priority: *priority, ..asked(&kept, *number, at(*number as i64 * 2_000)) };
                same("ask_run", a.ask_run(run.clone()).await, b.ask_run(run).await)
            }
            Op::Cancel { run, arms } => {
                let Some(run) = self.pick(*run).await else { return Ok(()) };
                let rearm = self.rearm(&self.kit.run(run).await).await.filter(|_| *arms);
                let first = a.cancel_run(run, "why", rearm, now).await;
                same("cancel_run", first, b.cancel_run(run, "why", rearm, now).await)
            }
            Op::PutAside { job, trigger, stale } => {
                let Some(kept) = self.kept(*job).await else { return Ok(()) };
                let Some(there) = kept.triggers.get(usize::from(*trigger)) else { return Ok(()) };
                let (id, version) = (there.row.id, there.row.version + i64::from(*stale));
                let why = format!("why {}", self.step);
                let first = a.set_trigger_error(id, version, &why, now).await;
                same("set_trigger_error", first, b.set_trigger_error(id, version, &why, now).await)
            }
            Op::Restart => {
                // The process that is gone repeats nothing.
                self.last_claim = None;
                self.kit.incarnation = Incarnation(self.kit.incarnation.0 - 1);
                let incarnation = self.kit.incarnation;
                same("adopt", a.adopt(incarnation, now).await, b.adopt(incarnation, now).await)?;
                // Triggers that were changed before a start are told by stores that nodes share, and by others not.
                let cancels = async |store| changes(store, incarnation).await.map(|(_, cancels)| cancels);
                same("cancels at a start", cancels(&*a).await, cancels(&*b).await)
            }
            Op::TakeChanges => {
                same("take_changes", changes(&*a, self.kit.incarnation).await, changes(&*b, self.kit.incarnation).await)
            }
            Op::Log { run, first_line } => {
                let Some(run) = self.pick(*run).await else { return Ok(()) };
                let data = self.step.to_be_bytes().to_vec();
                let chunk = vec![LogChunk { run, attempt: 1, first_line: *first_line, line_count: 1, data }];
                same("append_log", a.append_log(chunk.clone()).await, b.append_log(chunk).await)
            }
            Op::Calendar { text } => {
                let text = format!("[{text}]");
                let write = || CalendarWrite::new("default", "days", &text, Expect::Anything, now);
                same("save_calendar", a.save_calendar(write()).await, b.save_calendar(write()).await)
            }
            Op::Begin => self.begin().await,
            Op::Step { shape } => self.step(*shape).await,
            Op::AskWorkflow { run } => {
                let other = match run {
                    Some(run) => self.pick(*run).await,
                    None => None,
                };
                self.ask_workflow(other).await
            }
            Op::Purge { keep, all } => {
                let before = if *all { Timestamp::MAX } else { Timestamp::MIN };
                let rule = PurgeRule {
                    at: now,
                    history_before: before,
                    history_keep_per_job: *keep,
                    events_before: Timestamp::MIN,
                    tombstones_before: before,
                    limit: 1_000,
                };
                same("purge", a.purge(rule).await.map(drop), b.purge(rule).await.map(drop))
            }
        }
    }

    async fn kept(&self, job: u8) -> Option<Kept> {
        let prior = self.kit.store.prior(&key(job)).await.expect("prior");
        Some(Kept { job: prior.job?, triggers: prior.triggers })
    }

    /// All runs, those of tasks among them, newest first.
    async fn runs(&self) -> Vec<RunInfo> {
        self.kit.store.runs(RunQuery { with_tasks: true, limit: 1_000, ..RunQuery::default() }).await.expect("runs")
    }

    /// Some run, if there is any.
    async fn pick(&self, number: u8) -> Option<RunId> {
        let runs = self.runs().await;
        (!runs.is_empty()).then(|| runs[usize::from(number) % runs.len()].id)
    }

    async fn draft(&self, op: &Op) -> Draft {
        let Op::Save { job, limit, triggers, priority, paused, rests, blind } = op else { unreachable!("called so") };
        let limits = [
            (Overlap::Allow, 1),
            (Overlap::Skip, 1),
            (Overlap::Hold, 1),
            (Overlap::QueueOne, 1),
            (Overlap::QueueAll, 1),
            (Overlap::CancelRunning, 1),
            (Overlap::CancelRunning, 2),
        ];
        let (overlap, max_active) = *limits.get(usize::from(*limit)).unwrap_or(&(Overlap::QueueOne, 2));
        let mut draft = Draft::new(&key(*job).name).limit(overlap, max_active).edit(|job| {
            job.priority = *priority;
            job.start_timeout_ms = (*limit % 2 == 1).then_some(1_500);
            if job.key == key(WORKFLOW) {
                job.task = workflows::tasks(&job.key);
            }
        });
        let prior = self.kit.store.prior(&key(*job)).await.expect("prior");
        for index in (0..3).filter(|bit| triggers & (1 << bit) != 0) {
            let name = format!("t{index}");
            draft = draft.trigger(&name, self.now() + 100 * index);
            let write = draft.0.triggers.last_mut().expect("added above");
            write.paused = *paused;
            write.jitter_ms = 50 * index;
            let goes_on =
                |there: &&NamedTrigger| there.name == name && there.row.progress.status != TriggerStatus::Error;
            if let Some(there) = prior.triggers.iter().find(goes_on) {
                write.progress = there.row.progress;
            }
            let live = prior.triggers.iter().find(|t| t.name == name).map(|t| t.row.progress.fired_through);
            let stone = prior.tombstones.iter().find(|t| t.name == name).map(|t| t.fired_through);
            write.expected_fired_through = if *blind { None } else { live.or(stone).flatten() };
        }
        draft.with(|write| {
            write.paused = *rests;
            write.at = self.now();
        })
    }

    async fn movement(&self, op: &Op) -> Option<JobUpdate> {
        let Op::Move { job, trigger, by_ms, pause, gap } = op else { unreachable!("called so") };
        let kept = self.kept(*job).await?;
        let there = kept.triggers.get(usize::from(*trigger))?;
        let mut progress = there.row.progress;
        if let Some(next) = progress.next_fire_at {
            progress.next_fire_at = Some(next + *by_ms);
            progress.due_at = Some(next + *by_ms + 3);
        }
        let missed = Gap {
            first: self.now(),
            last: self.now(),
            count: 3,
            outcome: GapOutcome::Missed,
            reason: GapReason::Paused,
            policy: "smart".into(),
        };
        let trigger = TriggerUpdate {
            id: there.row.id,
            expected_next: there.row.progress.next_fire_at,
            paused: *pause,
            progress: Some(progress),
            gap: gap.then_some(missed),
            reanchor: None,
        };
        Some(JobUpdate { triggers: vec![trigger], ..update(&kept, self.now()) })
    }

    async fn shot(&self, shot: &Shot) -> Option<FireEntry> {
        let kept = self.kept(shot.job).await?;
        let row = &kept.triggers.get(usize::from(shot.trigger))?.row;
        let first = row.progress.next_fire_at?;
        let mut entry = kept.entry(usize::from(shot.trigger));
        // A job that holds its triggers fires one run at a time.
        let most = if kept.job.definition.overlap == Overlap::Hold { 1 } else { 3 };
        let count = i64::from(shot.runs.min(most));
        // No slot is kept for what nobody executes.
        let claims = shot.claim && shot.job != WORKFLOW;
        entry.runs = (0..count).map(|i| new_run(row.id, first + i * 10, claims)).collect();
        let last = entry.runs.last().map_or(first, |run| run.fire_time);
        entry.progress = match shot.then {
            Then::Next => advanced(&row.progress, last, Some(last + 1_000)),
            Then::Complete => advanced(&row.progress, last, None),
            Then::Await => {
                let mut progress = advanced(&row.progress, last, Some(last));
                (progress.next_fire_at, progress.due_at) = (None, None);
                progress.awaiting_run = entry.runs.last().map(|run| run.id);
                progress
            }
        };
        entry.leaves_window = shot.leaves;
        entry.progress.tzdata = shot.leaves.then_some(LATER);
        entry.version += i64::from(shot.stale);
        Some(entry)
    }

    async fn end(&self, finish: &Finish) -> Option<Completion> {
        let run = self.kit.run(self.pick(finish.run).await?).await;
        let then = match finish.outcome {
            AttemptOutcome::Failed | AttemptOutcome::TimedOut | AttemptOutcome::Lost if finish.retry => {
                AfterAttempt::RetryAt(self.now() + 300)
            }
            outcome => AfterAttempt::Final(outcome.verdict()),
        };
        Some(Completion {
            held_by: None,
            run: run.id,
            job: run.job,
            job_version: workflows::version_of(&run),
            trigger: run.trigger,
            attempt: run.attempt + u32::from(finish.wrong_attempt),
            outcome: finish.outcome,
            then,
            started_at: finish.retry.then_some(self.now()),
            ended_at: self.now(),
            detail: None,
            rearm: self.rearm(&run).await,
            deadline: (self.step % 2 == 0).then_some(self.now() + 400),
        })
    }

    /// What arms the trigger that awaits a run; every third time it is over.
    async fn rearm(&self, run: &RunInfo) -> Option<Rearm> {
        let row = self.kit.store.trigger_rows(&[run.trigger?]).await.expect("trigger_rows").pop()?;
        let next_fire_at = (self.step % 3 > 0).then_some(self.now() + 500);
        let rearm =
            Rearm { trigger: row.id, next_fire_at, due_at: next_fire_at.map(|next| next + 5), tzdata: Some(LATER) };
        (row.progress.awaiting_run == Some(run.id)).then_some(rearm)
    }

    /// Compares all that can be seen.
    async fn everything(&self) -> Verdict {
        let (a, b) = (&*self.kit.store, &*self.other);
        for job in 0..3 {
            same("prior", a.prior(&key(job)).await, b.prior(&key(job)).await)?;
        }
        let all = RunQuery { limit: 1_000, ..RunQuery::default() };
        same("runs", a.runs(all.clone()).await, b.runs(all).await)?;
        let all = RunQuery { with_tasks: true, limit: 1_000, ..RunQuery::default() };
        same("runs and tasks", a.runs(all.clone()).await, b.runs(all).await)?;
        for run in self.runs().await {
            let tasks = RunQuery { parent: Some(run.id), limit: 1_000, ..RunQuery::default() };
            same("tasks", a.runs(tasks.clone()).await, b.runs(tasks).await)?;
            self.same_workflow(run.id).await?;
            same("attempts", a.attempts(run.id).await, b.attempts(run.id).await)?;
            same("log", a.log(run.id, 1, 0, 9_999).await, b.log(run.id, 1, 0, 9_999).await)?;
            same(
                "definition",
                a.definition(run.job, workflows::version_of(&run)).await,
                b.definition(run.job, workflows::version_of(&run)).await,
            )?;
            same("run", a.run(run.id).await, b.run(run.id).await)?;
        }
        let jobs = JobQuery { limit: 1_000, ..JobQuery::default() };
        same("jobs", a.jobs(jobs.clone()).await, b.jobs(jobs).await)?;
        let triggers = TriggerQuery { limit: 1_000, ..TriggerQuery::default() };
        same("triggers", a.triggers(triggers.clone()).await, b.triggers(triggers).await)?;
        same("workflows_due", a.workflows_due(ShardSet::ALL, 99).await, b.workflows_due(ShardSet::ALL, 99).await)?;
        same("due triggers", due(a).await, due(b).await)?;
        same("stranded", a.stranded().await, b.stranded().await)?;
        same("gaps", gaps(a).await, gaps(b).await)?;
        same("events", events(a).await, events(b).await)?;
        same("last_event", a.last_event().await, b.last_event().await)?;
        same("tally", tally(a).await, tally(b).await)?;
        same("take_changes", changes(a, self.kit.incarnation).await, changes(b, self.kit.incarnation).await)?;
        same("namespaces", a.namespaces(None, 9).await, b.namespaces(None, 9).await)?;
        let count = async |store: &dyn Store| {
            let info = store.info().await?;
            Ok((info.jobs, info.triggers, info.live_runs))
        };
        same("info", count(a).await, count(b).await)
    }
}

/// The job whose work is a graph of tasks.
const WORKFLOW: u8 = 2;

fn key(job: u8) -> JobKey {
    JobKey::new("default", format!("job{job}"))
}

/// Compares two answers: equal values, or refusals for the same reason.
fn same<T: PartialEq + Debug>(what: &str, reference: Result<T>, tested: Result<T>) -> Verdict {
    let equal = match (&reference, &tested) {
        (Ok(reference), Ok(tested)) => reference == tested,
        (Err(reference), Err(tested)) => std::mem::discriminant(reference) == std::mem::discriminant(tested),
        _ => false,
    };
    if equal { Ok(()) } else { Err(format!("{what}\n  reference {reference:?}\n  tested    {tested:?}")) }
}

/// What is in the outbox. Whether runs were queued is a hint only.
async fn changes(store: &dyn Store, by: Incarnation) -> Result<(Vec<TriggerId>, Vec<RunId>)> {
    let mut changes = store.take_changes(by, ShardSet::ALL, 1_000).await?;
    changes.triggers.sort_unstable();
    changes.cancels.sort_unstable();
    Ok((changes.triggers, changes.cancels))
}

/// All due triggers. The place in the index is a lower bound and may differ.
async fn due(store: &dyn Store) -> Result<Vec<TriggerId>> {
    let (rows, _) = store.window(ShardSet::ALL, Timestamp::MAX, None, 1_000).await?;
    let mut ids: Vec<TriggerId> = rows.iter().map(|row| row.id).collect();
    ids.sort_unstable();
    Ok(ids)
}

/// All gaps, without their positions: those of one batch may be in any order.
async fn gaps(store: &dyn Store) -> Result<Vec<GapRow>> {
    let mut rows = store.gaps(None, 0, 10_000).await?;
    for row in &mut rows {
        row.seq = 0;
    }
    rows.sort_by_key(|row| (row.at, row.trigger, row.gap.first, row.gap.count));
    Ok(rows)
}

/// All events, with the runs of each in a fixed order.
async fn events(store: &dyn Store) -> Result<Vec<EventRow>> {
    let mut rows = store.events(0, 10_000).await?;
    for row in &mut rows {
        let mut payload: serde_json::Value = serde_json::from_str(&row.payload).expect("events are JSON");
        if let Some(runs) = payload.as_array_mut() {
            runs.sort_by_key(serde_json::Value::to_string);
        }
        row.payload = payload.to_string();
    }
    Ok(rows)
}

async fn tally(store: &dyn Store) -> Result<Vec<crate::Tally>> {
    let mut rows = store.tally().await?;
    rows.retain(|row| row.first.is_some());
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use mainspring_core::run::RunState;
    use proptest::strategy::ValueTree;

    use super::*;

    #[test]
    fn memory_answers_like_itself() {
        differential(64, async || Arc::new(MemoryStore::new()) as Arc<dyn Store>);
    }

    #[test]
    fn random_requests_reach_every_state_and_keep_the_model_sound() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let mut seen = std::collections::BTreeSet::new();
        let mut runner = TestRunner::deterministic();
        for _ in 0..100 {
            let ops = proptest::collection::vec(op(), 50..60).new_tree(&mut runner).expect("a tree").current();
            runtime.block_on(async {
                let memory = Arc::new(MemoryStore::new());
                let mut pair = Pair::new(memory.clone(), Arc::new(MemoryStore::new())).await;
                for op in &ops {
                    pair.step += 1;
                    pair.one(op).await.expect("the same store");
                    memory.check();
                    seen.extend(pair.runs().await.iter().map(|run| run.state));
                }
            });
        }
        let reachable = RunState::ALL.iter().filter(|state| **state != RunState::Waiting);
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), reachable.copied().collect::<Vec<_>>());
    }
}
