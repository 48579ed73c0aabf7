//! One process start after another: an incarnation that the other nodes have buried ends with all that belongs to it, and
//! another one begins, in the same process.

use std::sync::Arc;

use mainspring_core::Incarnation;
use mainspring_core::batch::Queues;
use mainspring_core::planner::{self, AttemptEnd, Event, Planner};
use tokio::sync::{Notify, broadcast, mpsc, watch};
use tokio::task::JoinSet;

use crate::adopt::Adoptions;
use crate::backfills::BackfillWake;
use crate::clock::{Clock, boot_ms, pause};
use crate::cluster::{Lease, Terms};
use crate::driver::{Driver, DriverState, Ended, Stop};
use crate::health::Health;
use crate::lanes::LaneWatch;
use crate::notice::Notice;
use crate::pool::{Pool, Tools};
use crate::queues::QueueWatch;
use crate::tasks::Tasks;
use crate::workers::Workers;
use crate::workflows::Workflows;

/// How long to wait for a thread that the system does not give.
const RETRY_AFTER_MS: u64 = 1_000;

/// What all incarnations share.
pub(crate) struct Node {
    pub(crate) terms: Terms,
    pub(crate) planner: planner::Settings,
    pub(crate) queues: Queues,
    pub(crate) set: QueueWatch,
    pub(crate) lanes: LaneWatch,
    pub(crate) workers: Workers,
    pub(crate) workflows: Workflows,
    pub(crate) backfills: BackfillWake,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tools: Tools,
    pub(crate) health: Arc<Health>,
    pub(crate) notices: broadcast::Sender<Notice>,
    pub(crate) stop: watch::Receiver<Stop>,
    pub(crate) poke: watch::Receiver<u64>,
    pub(crate) state: watch::Sender<DriverState>,
    pub(crate) incarnation: watch::Sender<Incarnation>,
}

/// The pool of an incarnation, with its workers.
struct Crew {
    pool: Arc<Pool>,
    _workers: JoinSet<()>,
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.pool.tasks.abort();
    }
}

impl Node {
    /// Runs until it is told to stop, or dropped. `lost` are runs that the first incarnation has found.
    pub(crate) async fn run(self, mut lost: Vec<AttemptEnd>) {
        let mut retired: Vec<Crew> = Vec::new();
        let mut start_ms = boot_ms();
        loop {
            let crew = self.crew();
            let lease = match self.lease(&crew.pool, start_ms) {
                Ok(lease) => lease,
                Err(error) => {
                    tracing::error!(%error, "the thread that keeps the lease cannot be started; trying again");
                    start_ms = boot_ms() + RETRY_AFTER_MS;
                    pause(RETRY_AFTER_MS).await;
                    continue;
                }
            };
            let mut driver = self.driver(&crew.pool, lease, std::mem::take(&mut lost));
            let ended = driver.run().await;
            let leaving = driver.lease.take().map(Lease::leave);
            start_ms = match ended {
                Ended::Stopped => {
                    if let Some(leaving) = leaving {
                        // An error says that the lease's thread has ended, which is as good.
                        let _over = leaving.await;
                    }
                    return;
                }
                Ended::Fenced => boot_ms(),
                Ended::Abandoned(reason, return_ms) => {
                    tracing::warn!(?reason, "this process start has ended; coming back as another");
                    return_ms
                }
            };
            self.terms.metrics.lease_lost.inc();
            // What it ran may be given to others; whatever it comes to, nobody hears it. The same holds for its answers.
            drop(driver);
            crew.pool.cancel_all();
            retired.retain(|crew| !crew.pool.is_empty());
            retired.push(crew);
            self.incarnation.send_replace(crate::random::new_incarnation());
            pause(start_ms.saturating_sub(boot_ms())).await;
        }
    }

    fn crew(&self) -> Crew {
        let pool = Arc::new(Pool::new(self.tools.clone()));
        self.lanes.look_at(&pool);
        let mut workers = JoinSet::new();
        for _ in 0..crate::pool::workers() {
            workers.spawn(Arc::clone(&pool).work());
        }
        Crew { pool, _workers: workers }
    }

    /// Takes the lease of the incarnation, where nodes share the store.
    fn lease(&self, pool: &Arc<Pool>, start_ms: u64) -> std::io::Result<Option<Lease>> {
        let shared = self.terms.store.cluster().is_some();
        let start = || Lease::start(self.terms.clone(), *self.incarnation.borrow(), Arc::clone(pool), start_ms);
        shared.then(start).transpose()
    }

    fn driver(&self, pool: &Arc<Pool>, lease: Option<Lease>, lost: Vec<AttemptEnd>) -> Driver {
        let incarnation = *self.incarnation.borrow();
        let inbox = mpsc::unbounded_channel();
        inbox.0.send(Event::Lost(lost)).expect("the other end is beside it");
        Driver {
            incarnation,
            planner: Planner::new(self.planner, incarnation, self.clock.now()).serving(self.queues.clone()),
            queues: self.queues.clone(),
            limited: self.set.subscribe(),
            lanes: self.lanes.clone(),
            known: self.lanes.subscribe(),
            workers: self.workers.clone(),
            workflows: self.workflows.clone(),
            backfills: self.backfills.clone(),
            store: Arc::clone(&self.terms.store),
            clock: Arc::clone(&self.clock),
            time: self.tools.time.clone(),
            definitions: Arc::clone(&self.tools.definitions),
            pool: Arc::clone(pool),
            metrics: Arc::clone(&self.terms.metrics),
            health: Arc::clone(&self.health),
            notices: self.notices.clone(),
            tasks: Tasks::default(),
            inbox,
            stop: self.stop.clone(),
            stopping: Stop::No,
            poke: self.poke.clone(),
            state: self.state.clone(),
            lease,
            part: None,
            adoptions: Arc::new(Adoptions::new(incarnation)),
            fenced: Arc::new(Notify::new()),
            ended: None,
            corrections: 0,
        }
    }
}
