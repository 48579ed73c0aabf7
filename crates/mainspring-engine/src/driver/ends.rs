//! Ends of attempts on their way to the store, and what follows them at once.

use std::sync::Arc;

use mainspring_core::Timestamp;
use mainspring_core::batch::{CompletionBatch, CompletionOutcome, Queues};
use mainspring_core::lane::Take;
use mainspring_core::planner::{Event, Read};
use mainspring_core::retry::AfterAttempt;
use mainspring_core::rule::Start;
use mainspring_core::run::RunState;
use mainspring_store::{ClaimRequest, Error, FollowUp, Followed, Store, causes};
use rustc_hash::FxHashMap;
use tokio::sync::{broadcast, mpsc};

use super::{Driver, refusal, timed};
use crate::backfills::BackfillWake;
use crate::clock::RightTime;
use crate::health::{Health, Traffic};
use crate::metrics::{Ending, Metrics, ResultLabel, seconds};
use crate::notice::Notice;
use crate::workers::Workers;
use crate::workflows::{Hop, Workflows};

impl Driver {
    /// Records verdicts. Where tasks of workflows come next that this node may start, they are claimed with it.
    pub(super) fn complete(&mut self, batch: Arc<CompletionBatch>) {
        let hop = self.workflows.foresee(&batch);
        let claim = if hop.starts() { self.planner.claim_along() } else { None };
        let recorder = Recorder {
            store: Arc::clone(&self.store),
            queues: self.queues.clone(),
            time: self.time.clone(),
            metrics: Arc::clone(&self.metrics),
            notices: self.notices.clone(),
            health: Arc::clone(&self.health),
            workers: self.workers.clone(),
            backfills: self.backfills.clone(),
            workflows: self.workflows.clone(),
            sender: self.inbox.0.clone(),
        };
        self.tasks.start(async move { recorder.record(batch, hop, claim).await });
    }
}

struct Recorder {
    store: Arc<dyn Store>,
    queues: Queues,
    time: RightTime,
    metrics: Arc<Metrics>,
    notices: broadcast::Sender<Notice>,
    health: Arc<Health>,
    workers: Workers,
    backfills: BackfillWake,
    workflows: Workflows,
    sender: mpsc::UnboundedSender<Event>,
}

impl Recorder {
    async fn record(self, batch: Arc<CompletionBatch>, hop: Hop, claim: Option<Read>) {
        let now = self.time.now();
        let request = claim.as_ref().and_then(|read| self.request(read, now));
        let hop = match hop.follow_up(request) {
            None => Some(hop),
            Some(follow_up) => match self.go_on(&batch, follow_up).await {
                Some(mut followed) => {
                    let queued = followed.leaves_queued();
                    let claimed = std::mem::take(&mut followed.claimed);
                    let heard_all = hop.landed(&followed);
                    if claim.is_some() {
                        self.metrics.claimed(&claimed, now);
                        let _ = self.sender.send(Event::Claimed(claimed.into_iter().map(Start::from).collect()));
                    }
                    if queued {
                        let _ = self.sender.send(Event::Queued);
                    }
                    return self.recorded(batch, followed.outcome, heard_all);
                }
                None => {
                    drop(hop);
                    // A claim that is asked for again gets what it took, if it took anything.
                    claim.into_iter().for_each(|read| _ = self.sender.send(Event::ReadFailed(read)));
                    None
                }
            },
        };
        let answer = timed(&self.metrics, "complete", self.store.complete(Arc::clone(&batch))).await;
        self.health.note(Traffic::Batch, &answer);
        match answer {
            Ok(outcome) => {
                let alone = Followed { outcome, steps: Vec::new(), claimed: Vec::new() };
                let heard_all = hop.is_some_and(|hop| hop.landed(&alone));
                self.recorded(batch, alone.outcome, heard_all);
            }
            Err(error) => _ = self.sender.send(failed(batch, &error)),
        }
    }

    /// Records ends with what follows them. Nothing: they are to be recorded alone, whether or not that has happened.
    async fn go_on(&self, batch: &Arc<CompletionBatch>, follow_up: FollowUp) -> Option<Followed> {
        let answer = self.store.complete_and_go_on(Arc::clone(batch), follow_up);
        let answer = timed(&self.metrics, "complete", answer).await;
        self.health.note(Traffic::Batch, &answer);
        match answer {
            Ok(followed) => Some(followed),
            Err(error) => {
                // The ends are not to suffer from what should follow them.
                tracing::warn!(error = %causes(&error), runs = batch.entries.len(), "what follows ends could not be recorded with them; recording them alone");
                None
            }
        }
    }

    fn request(&self, read: &Read, at: Timestamp) -> Option<ClaimRequest> {
        let Read::Claim(id, limit, takes) = *read else { return None };
        let queues = if takes == Take::Short { self.queues.short() } else { self.queues.clone() };
        Some(ClaimRequest { id, queues, limit, at })
    }

    fn recorded(self, batch: Arc<CompletionBatch>, outcome: CompletionOutcome, heard_all: bool) {
        self.workers.recorded(&batch, &outcome);
        count_ends(&self.metrics, &batch, &outcome);
        crate::notice::of_ends(&self.notices, &batch, &outcome);
        self.backfills.ended();
        let is_of_task = batch.entries.iter().any(|entry| entry.job_version.task().is_some());
        // A slot in a gate may have gone to a workflow run, too.
        if outcome.promoted > 0 || is_of_task && !heard_all {
            self.workflows.wake();
        } else {
            self.workflows.wake_afters();
        }
        let _ = self.sender.send(Event::Completed(batch, outcome));
    }
}

fn failed(batch: Arc<CompletionBatch>, error: &Error) -> Event {
    let count = batch.entries.len();
    match refusal(error) {
        Some(refusal) => {
            tracing::warn!(error = %causes(error), runs = count, "verdicts were refused; dividing");
            Event::CompleteRefused(batch, refusal)
        }
        None => {
            tracing::error!(error = %causes(error), runs = count, "verdicts could not be recorded; repeating");
            Event::CompleteFailed(batch)
        }
    }
}

fn count_ends(metrics: &Metrics, batch: &CompletionBatch, outcome: &CompletionOutcome) {
    let mut attempts = FxHashMap::<ResultLabel, u64>::default();
    let mut runs = FxHashMap::<Ending, u64>::default();
    for (index, entry) in batch.entries.iter().enumerate() {
        if outcome.refused.binary_search(&u32::try_from(index).unwrap_or(u32::MAX)).is_ok() {
            continue;
        }
        *attempts.entry(ResultLabel { result: entry.outcome.as_str() }).or_default() += 1;
        if let Some(started_at) = entry.started_at {
            metrics.run_seconds.observe(seconds(entry.ended_at.since(started_at)));
        }
        if let AfterAttempt::Final(verdict) = entry.then {
            let trigger = if entry.trigger.is_some() { "schedule" } else { "request" };
            *runs.entry(Ending { result: RunState::from(verdict).as_str(), trigger }).or_default() += 1;
        }
    }
    metrics.by_job.ended(batch, outcome);
    for (label, count) in attempts {
        metrics.attempts.get_or_create(&label).inc_by(count);
    }
    for (label, count) in runs {
        metrics.runs.get_or_create(&label).inc_by(count);
    }
}
