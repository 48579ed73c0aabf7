//! Taking over the runs of dead nodes.
//!
//! Whoever has asked for runs may not hear that it has them. So the same step is asked for again, under its number, until
//! the store answers: what it took then is told, and nothing of it stays behind as running.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use mainspring_core::batch::LiveRun;
use mainspring_core::{BatchId, Incarnation};
use mainspring_store::{Error, Result, causes};

use crate::clock::Clock;

/// Runs taken over in one step.
const STEP_MAX: u32 = 500;
const RETRY_AFTER_MS: i64 = 250;

/// What an incarnation takes over.
#[derive(Debug)]
pub(crate) struct Adoptions {
    me: Incarnation,
    /// Counts the steps.
    steps: AtomicU64,
    /// Whose runs are being taken over. One step at a time is sent for each.
    under_way: Mutex<BTreeSet<Incarnation>>,
}

impl Adoptions {
    pub(crate) fn new(me: Incarnation) -> Self {
        Self { me, steps: AtomicU64::new(0), under_way: Mutex::default() }
    }

    /// Begins to take over the runs of a dead node. None: that is under way.
    pub(crate) fn begin(self: &Arc<Self>, dead: Incarnation) -> Option<Adoption> {
        let new = self.under_way.lock().unwrap_or_else(PoisonError::into_inner).insert(dead);
        new.then(|| Adoption { all: Arc::clone(self), dead })
    }

    fn next_id(&self) -> BatchId {
        BatchId { incarnation: self.me, sequence: self.steps.fetch_add(1, Ordering::Relaxed) + 1 }
    }
}

/// The runs of one dead node.
#[derive(Debug)]
pub(crate) struct Adoption {
    all: Arc<Adoptions>,
    pub(crate) dead: Incarnation,
}

impl Adoption {
    /// Takes over the next runs, trying again until the store answers. None: there are no more.
    pub(crate) async fn next<'a>(
        &self,
        take: impl Fn(Incarnation, BatchId, u32) -> BoxFuture<'a, Result<Vec<LiveRun>>>,
        clock: &dyn Clock,
    ) -> Option<Vec<LiveRun>> {
        let id = self.all.next_id();
        loop {
            match take(self.dead, id, STEP_MAX).await {
                Ok(runs) => return Some(runs).filter(|runs| !runs.is_empty()),
                Err(Error::Closed) => return None,
                Err(error) => {
                    tracing::error!(error = %causes(&error), node.incarnation = %self.dead, "runs of a dead node could not be taken over; trying again");
                    clock.alarm().wait_until(clock.now() + RETRY_AFTER_MS).await;
                }
            }
        }
    }
}

impl Drop for Adoption {
    fn drop(&mut self) {
        self.all.under_way.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.dead);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;

    use mainspring_core::Timestamp;
    use mainspring_core::batch::ClaimedRun;
    use mainspring_core::run::RunState;
    use mainspring_core::{JobId, JobVersion, RunId, RunSource};

    use super::*;
    use crate::clock::Alarm;

    const ME: Incarnation = Incarnation(1);
    const DEAD: Incarnation = Incarnation(2);

    /// A clock for which nobody waits.
    struct Hasty;

    impl Clock for Hasty {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(0)
        }

        fn alarm(&self) -> Box<dyn Alarm> {
            Box::new(Self)
        }
    }

    impl Alarm for Hasty {
        fn wait_until(&mut self, _: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
            Box::pin(std::future::ready(()))
        }
    }

    fn run() -> LiveRun {
        let at = Timestamp::from_millis(0);
        let claimed = ClaimedRun {
            run: RunId::new(at, RunSource::Asked(JobId(1), 1)),
            job: JobId(1),
            job_version: JobVersion(1),
            trigger: None,
            fire_time: at,
            due_at: at,
            attempt: 1,
            input: None,
            queue: None,
        };
        LiveRun { claimed, state: RunState::Running, claimed_at: None, ends: false }
    }

    /// A store in which one run is to be taken over, and where the answers to the first steps get lost on their way.
    struct Lossy {
        lost: usize,
        asked: Mutex<Vec<BatchId>>,
    }

    impl Lossy {
        fn take(&self, dead: Incarnation, id: BatchId) -> BoxFuture<'static, Result<Vec<LiveRun>>> {
            assert_eq!((dead, id.incarnation), (DEAD, ME));
            let mut asked = self.asked.lock().unwrap();
            asked.push(id);
            let answer = match asked.len() <= self.lost {
                true => Err(Error::Unavailable { operation: "adopt", source: "no answer".into() }),
                false if id == asked[0] => Ok(vec![run()]),
                false => Ok(Vec::new()),
            };
            Box::pin(std::future::ready(answer))
        }
    }

    #[tokio::test]
    async fn step_whose_answer_is_lost_is_asked_for_again_until_it_is_there() {
        let store = Lossy { lost: 3, asked: Mutex::default() };
        let take = |dead, id, _| store.take(dead, id);
        let adoption = Arc::new(Adoptions::new(ME)).begin(DEAD).expect("the first");
        assert_eq!(adoption.next(take, &Hasty).await, Some(vec![run()]));
        assert_eq!(adoption.next(take, &Hasty).await, None);
        let asked = store.asked.lock().unwrap().clone();
        assert!(asked[..4].iter().all(|id| *id == asked[0]), "{asked:?}");
        assert_eq!(asked.len(), 5);
        assert_ne!(asked[4], asked[0], "the next step is another one");
    }

    #[test]
    fn runs_of_a_node_are_taken_over_by_one_task() {
        let adoptions = Arc::new(Adoptions::new(ME));
        let first = adoptions.begin(DEAD);
        assert!(first.is_some() && adoptions.begin(DEAD).is_none());
        assert!(adoptions.begin(Incarnation(3)).is_some());
        drop(first);
        assert!(adoptions.begin(DEAD).is_some());
    }
}
