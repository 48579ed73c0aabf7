//! What is known of how long the runs of jobs take: this node says what it sees, and hears what all have seen. So that short jobs get slots
//! however many others are stuck.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, Weak};

use mainspring_core::JobId;
use mainspring_core::job::Job;
use mainspring_core::lane::{JobLane, Judge, Lane, Lanes};
use mainspring_core::line::Line;
use mainspring_core::planner::AttemptEnd;
use mainspring_core::run::AttemptOutcome;
use mainspring_store::{Error, Store, causes};
use tokio::sync::mpsc;

use crate::clock::{boot_ms, pause};
use crate::metrics::{LaneLabel, Metrics};
use crate::pool::Pool;

/// How often what runs is looked at, and the store asked.
const LOOK_EVERY_MS: u64 = 1_000;
/// Changes noted at a time, and read at a time.
const CHANGES_MAX: usize = 50;
const READ_MAX: u32 = 1_000;
/// Runs moved in one transaction, and how many of these between two looks at what runs.
const MOVE_MAX: u32 = 200;
const MOVES: usize = 25;
/// How often waiting runs are looked for after a change: nodes that had not heard of it have put some into the other line.
const PASSES: u8 = 2;

/// See the [module](self). Cheap to clone.
#[derive(Clone)]
pub(crate) struct LaneWatch(Arc<Inner>);

struct Inner {
    /// The number of the last change that was read.
    read: AtomicI64,
    store: Arc<dyn Store>,
    metrics: Arc<Metrics>,
    lanes: RwLock<Lanes>,
    judge: Mutex<Judge>,
    /// The pools of this process, with what they execute.
    pools: Mutex<Vec<Weak<Pool>>>,
    listeners: Mutex<Vec<mpsc::UnboundedSender<Vec<JobLane>>>>,
}

/// Changes after which waiting runs may be in the wrong line, and how often to look for them yet: once at least.
type Moves = VecDeque<(JobLane, u8)>;

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LaneWatch {
    /// Reads what is known: before anything is claimed or put into a line.
    ///
    /// # Errors
    /// The store could not say.
    pub(crate) async fn start(store: Arc<dyn Store>, metrics: Arc<Metrics>) -> Result<Self, Error> {
        let watch = Self(Arc::new(Inner {
            read: AtomicI64::new(0),
            store,
            metrics,
            lanes: RwLock::default(),
            judge: Mutex::default(),
            pools: Mutex::default(),
            listeners: Mutex::default(),
        }));
        watch.read().await?;
        Ok(watch)
    }

    /// What is known.
    pub(crate) fn known(&self) -> RwLockReadGuard<'_, Lanes> {
        self.0.lanes.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The line in which a new run of a job waits.
    pub(crate) fn line(&self, id: JobId, job: &Job) -> String {
        let line = job.line();
        if self.known().is_short(id) { line } else { Line::parse(&line).slow().to_string() }
    }

    /// Hears what becomes known, all that is known already first, and when waiting runs were moved.
    pub(crate) fn subscribe(&self) -> mpsc::UnboundedReceiver<Vec<JobLane>> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let mut listeners = lock(&self.0.listeners);
        sender.send(self.known().all().cloned().collect()).expect("the other end is here");
        listeners.push(sender);
        receiver
    }

    /// Looks at what a pool executes, for as long as there is one.
    pub(crate) fn look_at(&self, pool: &Arc<Pool>) {
        lock(&self.0.pools).push(Arc::downgrade(pool));
    }

    /// Takes in how long attempts took. Lost ones say nothing: nobody knows when they ended.
    pub(crate) fn observe(&self, ends: &[AttemptEnd]) {
        let known = self.known();
        let mut judge = lock(&self.0.judge);
        for end in ends.iter().filter(|end| !end.vetoed && end.outcome != AttemptOutcome::Lost) {
            let Some(started_at) = end.started_at else { continue };
            let job = &end.definition;
            judge.ended(&known, end.start.job, &job.queue, || job.line(), end.ended_at.since(started_at));
        }
    }

    /// Looks at what is executed, and asks the store, from time to time. `elsewhere` tells what workers execute: jobs, and for how
    /// long in milliseconds. Never ends.
    pub(crate) async fn keep(self, elsewhere: impl Fn() -> Vec<(JobId, i64)> + Send) {
        let mut moves = Moves::default();
        loop {
            self.look_at_running(elsewhere());
            match self.pass(&mut moves).await {
                Ok(()) => {}
                Err(Error::Closed) => return,
                Err(error) => {
                    tracing::warn!(error = %causes(&error), "how long runs of jobs take could not be noted; trying again")
                }
            }
            pause(LOOK_EVERY_MS).await;
        }
    }

    fn look_at_running(&self, mut running: Vec<(JobId, i64)>) {
        let now_ms = boot_ms();
        lock(&self.0.pools).retain(|pool| {
            let pool = pool.upgrade();
            pool.iter().for_each(|pool| running.extend(pool.running_since(now_ms)));
            pool.is_some()
        });
        let known = self.known();
        let mut judge = lock(&self.0.judge);
        running.into_iter().for_each(|(job, for_ms)| judge.runs(&known, job, for_ms));
    }

    async fn pass(&self, moves: &mut Moves) -> Result<(), Error> {
        let changes = lock(&self.0.judge).changes(CHANGES_MAX);
        if !changes.is_empty() {
            if let Err(error) = self.0.store.set_lanes(changes.clone()).await {
                lock(&self.0.judge).put_back(changes);
                return Err(error);
            }
            moves.extend(changes.into_iter().map(|change| (change, PASSES)));
        }
        self.read().await?;
        self.move_runs(moves).await
    }

    /// Reads what all nodes have noted since.
    async fn read(&self) -> Result<(), Error> {
        loop {
            let read = self.0.read.load(Ordering::Acquire);
            let (news, through) = self.0.store.lanes(read, READ_MAX).await?;
            if through == read {
                return Ok(());
            }
            self.0.read.store(through, Ordering::Release);
            self.learn(news);
        }
    }

    fn learn(&self, news: Vec<JobLane>) {
        let (short, slow) = {
            // Together with what listeners hear, so that none misses any.
            let _listeners = lock(&self.0.listeners);
            let mut lanes = self.0.lanes.write().unwrap_or_else(PoisonError::into_inner);
            news.iter().for_each(|job| lanes.learn(job.clone()));
            lanes.count()
        };
        for (lane, count) in [(Lane::Short, short), (Lane::Slow, slow)] {
            let label = LaneLabel { lane: lane.as_str() };
            self.0.metrics.jobs.get_or_create(&label).set(i64::try_from(count).unwrap_or(i64::MAX));
        }
        self.tell(&news);
    }

    fn tell(&self, news: &[JobLane]) {
        lock(&self.0.listeners).retain(|listener| listener.send(news.to_vec()).is_ok());
    }

    /// Puts waiting runs into the lines in which they belong by now.
    async fn move_runs(&self, moves: &mut Moves) -> Result<(), Error> {
        let (mut left, mut any, mut answer) = (MOVES, false, Ok(()));
        for _ in 0..moves.len() {
            if left == 0 || answer.is_err() {
                break;
            }
            let Some((change, passes)) = moves.pop_front() else { break };
            if self.known().of(change.job).is_some_and(|known| known.lane != change.lane) {
                continue;
            }
            let done = self.move_runs_of(&change, &mut left, &mut any).await;
            let passes = if matches!(done, Ok(true)) { passes - 1 } else { passes };
            // Behind the others, so that one which fails holds up none of them.
            moves.extend((passes > 0).then_some((change, passes)));
            answer = done.map(|_| ());
        }
        // Each listener looks for work then: once is enough, and what was moved before a failure counts too.
        if any {
            self.tell(&[]);
        }
        answer
    }

    /// Moves runs of one job, until none is left or there were as many moves as may be. Answers whether none is left, and says if there
    /// was any.
    async fn move_runs_of(&self, change: &JobLane, left: &mut usize, any: &mut bool) -> Result<bool, Error> {
        while *left > 0 {
            *left -= 1;
            let moved = self.0.store.move_runs(change, MOVE_MAX).await?;
            *any |= moved > 0;
            if moved < MOVE_MAX {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use mainspring_store::conformance::kit::{Draft, Kit, at};
    use mainspring_store::{Options, SqliteStore};

    use super::*;

    #[tokio::test]
    async fn job_whose_runs_cannot_be_moved_stays_on_the_list_and_holds_up_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("jobs.db");
        let open = || Arc::new(SqliteStore::open(&file, Options::default()).unwrap()) as Arc<dyn Store>;
        let kit = Kit::new(open()).await;
        let mut moves = Moves::default();
        for (name, number) in [("a", 1), ("b", 2), ("c", 3)] {
            let kept = kit.save(Draft::new(name)).await;
            kit.ask(&kept, number, at(1_000)).await;
            moves.push_back((JobLane { job: kept.id(), lane: Lane::Slow, line: "default".to_owned() }, PASSES));
        }
        let broken = moves[1].clone();
        drop(kit);
        let job = broken.0.job.0;
        let trigger = format!(
            "CREATE TRIGGER broken BEFORE UPDATE OF queue ON run WHEN new.job_id = {job} \
             BEGIN SELECT RAISE(FAIL, 'broken'); END"
        );
        rusqlite::Connection::open(&file).unwrap().execute_batch(&trigger).unwrap();

        let watch = LaneWatch::start(open(), Arc::new(Metrics::new(true))).await.unwrap();
        let mut heard = watch.subscribe();
        for _ in 0..2 * PASSES {
            watch.move_runs(&mut moves).await.unwrap_err();
        }
        assert_eq!(moves, [broken]);
        let heard = std::iter::from_fn(|| heard.try_recv().ok()).count();
        assert_eq!(heard, 3, "what is known, and twice that a run was moved before the failure");
        drop(watch);
        let db = rusqlite::Connection::open(&file).unwrap();
        let mut lines = db.prepare("SELECT coalesce(queue, 'default') FROM run ORDER BY job_id").unwrap();
        let lines: Vec<String> = lines.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        assert_eq!(lines, ["default#~", "default", "default#~"]);
    }
}
