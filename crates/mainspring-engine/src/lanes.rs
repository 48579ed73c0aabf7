//! What is known of how long the runs of jobs take: this node says what it sees, and hears what all have seen. So that short jobs get slots
//! however many others are stuck.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, Weak};

use mainspring_core::JobId;
use mainspring_core::job::Job;
use mainspring_core::lane::{JobLane, Judge, Lane, Lanes, slow_line};
use mainspring_core::planner::AttemptEnd;
use mainspring_core::run::AttemptOutcome;
use mainspring_store::{Error, Store, causes};
use tokio::sync::mpsc;

use crate::clock::{boot_ms, pause};
use crate::metrics::{LaneLabel, Metrics};
use crate::pool::Pool;
use crate::workers::Workers;

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

/// Changes after which waiting runs may be in the wrong line, and how often to look for them yet.
type Moves = Vec<(JobLane, u8)>;

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
        if self.known().is_short(id) { line } else { slow_line(&line) }
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

    /// Looks at what is executed, and asks the store, from time to time. Never ends.
    pub(crate) async fn keep(self, workers: Workers) {
        let mut moves = Moves::default();
        loop {
            self.look_at_running(&workers);
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

    fn look_at_running(&self, workers: &Workers) {
        let mut running = workers.running();
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
        let (mut any, mut left, mut reached) = (false, MOVES, 0);
        for (change, passes) in moves.iter_mut() {
            if left == 0 {
                break;
            }
            reached += 1;
            let is_stale = self.known().of(change.job).is_some_and(|known| known.lane != change.lane);
            let mut more = !is_stale;
            while more && left > 0 {
                left -= 1;
                let moved = self.0.store.move_runs(change, MOVE_MAX).await?;
                any |= moved > 0;
                more = moved == MOVE_MAX;
            }
            if !more {
                *passes = if is_stale { 0 } else { *passes - 1 };
            }
        }
        // Those that were not reached come first the next time.
        moves.rotate_left(reached);
        moves.retain(|(_, passes)| *passes > 0);
        if any {
            self.tell(&[]);
        }
        Ok(())
    }
}
