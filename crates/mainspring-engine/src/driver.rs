//! The loop: events in, the planner's commands out. It never waits for a command.

mod ends;

use std::sync::Arc;
use std::time::Instant;

use mainspring_core::batch::{GapOutcome, LiveRun, Placed, Queues, Released, TriggerRow, TriggerStatus};
use mainspring_core::cluster::{Held, Reading, Reason, ShardSet};
use mainspring_core::job::Job;
use mainspring_core::lane::{JobLane, Take};
use mainspring_core::line::WORKFLOW_LINE;
use mainspring_core::planner::{AttemptEnd, Command, Event, Limits, Part, Planner, Read, Refusal};
use mainspring_core::rule::{Loaded, Start};
use mainspring_core::{Incarnation, Timestamp, TriggerId, TzdataVersion};
use mainspring_store::{Store, causes};
use tokio::sync::{Notify, broadcast, mpsc, watch};

use crate::adopt::Adoptions;
use crate::backfills::BackfillWake;
use crate::clock::{Alarm, Clock, RightTime, boot_ms, pause};
use crate::cluster::Lease;
use crate::definitions::Definitions;
use crate::health::{Health, Traffic};
use crate::lanes::LaneWatch;
use crate::metrics::{Metrics, Miss, Operation, Outcome, ReasonLabel};
use crate::notice::Notice;
use crate::pool::Pool;
use crate::tasks::Tasks;
use crate::workers::Workers;
use crate::workflows::Workflows;

/// Scheduled runs made ready in one step, and triggers whose changes are read in one step.
const STEP_MAX: u32 = 1_000;
/// How long the loop waits at most, in milliseconds of the machine's time, whatever the wall clock says.
const TICK_MS: u64 = 4_000;
/// Ends taken from the pool at a time.
const ENDS_MAX: usize = 8_192;

pub(crate) struct Driver {
    pub(crate) incarnation: Incarnation,
    pub(crate) planner: Planner,
    /// Which queues the pool takes runs from.
    pub(crate) queues: Queues,
    /// What is set for queues.
    pub(crate) limited: watch::Receiver<Arc<Limits>>,
    /// How long runs of jobs take: what is seen here, and what is known.
    pub(crate) lanes: LaneWatch,
    pub(crate) known: mpsc::UnboundedReceiver<Vec<JobLane>>,
    pub(crate) workers: Workers,
    pub(crate) workflows: Workflows,
    pub(crate) backfills: BackfillWake,
    pub(crate) store: Arc<dyn Store>,
    /// What is due goes by the node's clock, what is recorded of its work by the right time.
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) time: RightTime,
    pub(crate) definitions: Arc<Definitions>,
    pub(crate) pool: Arc<Pool>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) health: Arc<Health>,
    pub(crate) notices: broadcast::Sender<Notice>,
    pub(crate) tasks: Tasks,
    pub(crate) inbox: (mpsc::UnboundedSender<Event>, mpsc::UnboundedReceiver<Event>),
    pub(crate) stop: watch::Receiver<Stop>,
    /// What of that has been done.
    pub(crate) stopping: Stop,
    /// Asks for a look at the store's changes; counted, so that whoever asked knows when it has happened.
    pub(crate) poke: watch::Receiver<u64>,
    pub(crate) state: watch::Sender<DriverState>,
    /// The node's lease, where nodes share the store.
    pub(crate) lease: Option<Lease>,
    /// What the planner has been told of it.
    pub(crate) part: Option<Part>,
    /// Whose runs it takes over.
    pub(crate) adoptions: Arc<Adoptions>,
    /// Woken when the store says that this incarnation was buried.
    pub(crate) fenced: Arc<Notify>,
    pub(crate) ended: Option<Ended>,
    /// What the check of the window has missed, as far as it is counted.
    pub(crate) corrections: u64,
}

/// How far the engine is to be stopped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum Stop {
    /// Not at all.
    #[default]
    No,
    /// Nothing new is started.
    Drain,
    /// What runs is cancelled.
    Cancel,
    /// The loop ends.
    Over,
}

/// Why an incarnation is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// The engine stops.
    Stopped,
    /// Others have buried it, so that the store takes nothing from it; or nobody keeps its lease.
    Fenced,
    /// Its membership says so; the next one begins at the given time.
    Abandoned(Reason, u64),
}

/// What the loop tells whoever waits for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct DriverState {
    /// Nothing is running or to be recorded.
    pub(crate) idle: bool,
    /// And nothing is being read, or waits to be sent.
    pub(crate) settled: bool,
    /// The last poke that has been heard.
    pub(crate) poked: u64,
    /// When the loop will look again by itself.
    pub(crate) next_wakeup: Option<Timestamp>,
    /// Runs that the pool executes.
    pub(crate) running: u32,
    /// When the loop last looked.
    pub(crate) ticked_at: Option<Timestamp>,
    /// The same by the boot clock, which nobody sets.
    pub(crate) ticked_ms: u64,
}

impl Driver {
    /// Runs until the incarnation is over.
    pub(crate) async fn run(&mut self) -> Ended {
        let mut alarm = self.clock.alarm();
        let limited = Arc::clone(&self.limited.borrow_and_update());
        // What is known of jobs before anything else: the first claim goes by it.
        let mut events: Vec<Event> = self.known.try_recv().map(Event::Lanes).into_iter().collect();
        events.push(Event::Limited(limited));
        loop {
            self.step(&mut events);
            if let Some(ended) = self.ended {
                return ended;
            }
            self.wait(&mut *alarm, &mut events).await;
        }
    }

    fn step(&mut self, events: &mut Vec<Event>) {
        let now = self.clock.now();
        let poked = *self.poke.borrow_and_update();
        if poked > self.state.borrow().poked {
            events.push(Event::Changed);
        }
        let held = self.look_at_lease(now);
        self.heed_stop(events);
        for event in events.drain(..) {
            self.handle(now, event);
        }
        if let (Some(lease), Some(change)) = (&self.lease, held.and_then(|held| held.releasing))
            && self.planner.is_clear(&change.shards)
        {
            lease.clear(change.number);
        }
        self.publish(now, poked);
    }

    fn handle(&mut self, now: Timestamp, event: Event) {
        for command in self.planner.handle(now, event) {
            self.perform(command);
        }
    }

    /// Tells the planner what the node owns and whether it may act on that now, before anything else happens.
    fn look_at_lease(&mut self, now: Timestamp) -> Option<Held> {
        let boot_ms = boot_ms();
        let Some(held) = self.lease.as_mut()?.look(boot_ms) else {
            self.ended = Some(Ended::Fenced);
            return None;
        };
        if let Some((reason, return_ms)) = held.abandoned {
            self.ended = Some(Ended::Abandoned(reason, return_ms));
        }
        let reading = Reading { boot_ms, wall_ms: now.as_millis() };
        let trusted = self.lease.as_ref()?.trusts(&held, reading);
        let part = Part { owned: held.owned, trusted, far: held.far };
        let before = self.part.replace(part);
        if before != Some(part) {
            self.count_moves(before.map_or(ShardSet::EMPTY, |before| before.owned), held.owned);
            self.workflows.own(held.owned);
            self.handle(now, Event::Own(part));
        }
        Some(held)
    }

    fn count_moves(&self, before: ShardSet, now: ShardSet) {
        for (reason, moved) in [("taken", now.difference(before)), ("given", before.difference(now))] {
            if !moved.is_empty() {
                self.metrics.shard_moves.get_or_create(&ReasonLabel { reason }).inc_by(moved.len() as u64);
            }
        }
    }

    fn heed_stop(&mut self, events: &mut Vec<Event>) {
        let stop = *self.stop.borrow_and_update();
        let before = std::mem::replace(&mut self.stopping, stop);
        if before < Stop::Drain && stop >= Stop::Drain {
            self.lease.iter().for_each(Lease::drain);
            events.push(Event::Drain);
        }
        if before < Stop::Cancel && stop >= Stop::Cancel {
            self.pool.cancel_all();
        }
        if stop == Stop::Over {
            self.ended = Some(Ended::Stopped);
        }
    }

    /// Takes over the runs of a dead node: they are lost.
    fn adopt(&self, dead: Incarnation) {
        let Some(adoption) = self.adoptions.begin(dead) else { return };
        let (store, definitions) = (Arc::clone(&self.store), Arc::clone(&self.definitions));
        let (clock, time, sender) = (Arc::clone(&self.clock), self.time.clone(), self.inbox.0.clone());
        self.tasks.start(async move {
            let take = |dead, id, limit| store.adopt_from(dead, id, limit);
            while let Some(runs) = adoption.next(take, &*clock).await {
                tracing::warn!(node.incarnation = %dead, runs = runs.len(), "runs of a dead node or worker were lost");
                let ends = lost_ends(&definitions, runs, time.now()).await;
                let _ = sender.send(Event::Lost(ends));
            }
        });
    }

    fn publish(&mut self, now: Timestamp, poked: u64) {
        self.lease.iter().for_each(|lease| lease.tell(self.planner.answered()));
        let figures = self.planner.figures();
        let corrected = std::mem::replace(&mut self.corrections, figures.corrections);
        self.metrics.window_corrections.inc_by(figures.corrections - corrected);
        self.metrics.set_slots(figures.running, figures.slots);
        self.metrics.resident_triggers.set(i64::try_from(figures.resident).unwrap_or(i64::MAX));
        self.metrics.due_unclaimed.set(i64::try_from(figures.due).unwrap_or(i64::MAX));
        self.state.send_replace(DriverState {
            idle: self.planner.is_idle(),
            settled: self.planner.is_settled(),
            poked,
            next_wakeup: Some(self.planner.next_wakeup()),
            running: figures.running,
            ticked_at: Some(now),
            ticked_ms: boot_ms(),
        });
    }

    async fn wait(&mut self, alarm: &mut dyn Alarm, events: &mut Vec<Event>) {
        tokio::select! {
            biased;
            Ok(()) = self.stop.changed() => {}
            () = self.fenced.notified() => self.ended = Some(Ended::Fenced),
            orphaned = changed(self.lease.as_mut()) => {
                if let Some(dead) = orphaned {
                    self.adopt(dead);
                }
            }
            _ = self.inbox.1.recv_many(events, 256) => {}
            ends = self.pool.ends.take(ENDS_MAX) => {
                self.lanes.observe(&ends);
                events.push(Event::Ended(ends));
            }
            ends = self.workers.ends().take(ENDS_MAX) => {
                self.lanes.observe(&ends);
                events.push(Event::Lost(ends));
            }
            Some(jobs) = self.known.recv() => events.push(Event::Lanes(jobs)),
            dead = self.workers.dead().take(ENDS_MAX) => dead.into_iter().for_each(|dead| self.adopt(dead)),
            () = self.store.changed().notified() => {
                events.push(Event::Changed);
                if self.lease.is_some() {
                    // Another node may have recorded the end of a task.
                    self.workflows.wake();
                }
            }
            () = self.workflows.queued() => events.push(Event::Queued),
            Ok(()) = self.poke.changed() => {}
            Ok(()) = self.limited.changed() => {
                events.push(Event::Limited(Arc::clone(&self.limited.borrow_and_update())));
            }
            () = alarm.wait_until(self.planner.next_wakeup()) => events.push(Event::Woke),
            // After a clock was set back, the alarm may be far off, and whoever asks is to hear that the loop is alive.
            () = pause(TICK_MS) => events.push(Event::Woke),
        }
    }

    fn perform(&mut self, command: Command) {
        match command {
            Command::Start(starts) => self.pool.start(starts),
            Command::Cancel(run) => {
                if !self.workers.cancel(run) {
                    self.pool.cancel(run);
                }
            }
            Command::Offer => self.workers.offer(),
            Command::Fire(batch) => {
                let (store, sender) = (Arc::clone(&self.store), self.inbox.0.clone());
                let (metrics, notices) = (Arc::clone(&self.metrics), self.notices.clone());
                let (health, fenced) = (Arc::clone(&self.health), Arc::clone(&self.fenced));
                let workflows = self.workflows.clone();
                self.tasks.start(async move {
                    let answer = timed(&metrics, "fire", store.fire(Arc::clone(&batch))).await;
                    health.note(Traffic::Batch, &answer);
                    let event = match answer {
                        Ok(outcome) => {
                            count_fires(&metrics, &batch, &outcome);
                            report_moves(&metrics, &batch, &outcome);
                            crate::notice::of_fires(&notices, &batch, &outcome);
                            if batch.entries.iter().any(|entry| &*entry.queue == WORKFLOW_LINE) {
                                workflows.wake();
                            }
                            Event::Fired(batch, outcome)
                        }
                        Err(mainspring_store::Error::Fenced) => return fenced.notify_one(),
                        Err(error) => match refusal(&error) {
                            Some(refusal) => {
                                let count = batch.entries.len();
                                tracing::warn!(error = %causes(&error), triggers = count, "fires were refused; dividing");
                                Event::FireRefused(batch, refusal)
                            }
                            None => {
                                tracing::error!(error = %causes(&error), triggers = batch.entries.len(), "fires could not be recorded; repeating");
                                Event::FireFailed(batch)
                            }
                        }
                    };
                    let _ = sender.send(event);
                });
            }
            Command::Complete(batch) => self.complete(batch),
            Command::Read(read) => {
                let reader = Reader {
                    incarnation: self.incarnation,
                    queues: self.queues.clone(),
                    workflows: self.workflows.clone(),
                    store: Arc::clone(&self.store),
                    time: self.time.clone(),
                    definitions: Arc::clone(&self.definitions),
                    metrics: Arc::clone(&self.metrics),
                };
                let (metrics, sender) = (Arc::clone(&self.metrics), self.inbox.0.clone());
                let (health, fenced) = (Arc::clone(&self.health), Arc::clone(&self.fenced));
                self.tasks.start(async move {
                    let answer = timed(&metrics, read_name(&read), reader.read(read.clone())).await;
                    health.note(Traffic::Read, &answer);
                    if matches!(answer, Err(mainspring_store::Error::Fenced)) {
                        return fenced.notify_one();
                    }
                    let event = answer.unwrap_or_else(|error| {
                        tracing::error!(error = %causes(&error), read = read_name(&read), "the store could not be read; repeating");
                        Event::ReadFailed(read)
                    });
                    let _ = sender.send(event);
                });
            }
        }
    }
}

struct Reader {
    incarnation: Incarnation,
    queues: Queues,
    workflows: Workflows,
    store: Arc<dyn Store>,
    time: RightTime,
    definitions: Arc<Definitions>,
    metrics: Arc<Metrics>,
}

impl Reader {
    async fn read(&self, read: Read) -> mainspring_store::Result<Event> {
        Ok(match read {
            Read::Window(shards, until, after) => {
                let (rows, more) = self.store.window(shards, until, after, WINDOW_ROWS).await?;
                Event::WindowRead(self.definitions.load_reporting(rows).await?, more)
            }
            Read::Ahead(shards, until, after) => {
                let (mut rows, more) = self.store.window(shards, until, Some(after), AHEAD_ROWS).await?;
                let own = Some(TzdataVersion::bundled());
                rows.retain(|row| row.progress.tzdata.is_some() && row.progress.tzdata < own);
                Event::AheadRead(Read::Ahead(shards, until, after), self.definitions.load_reporting(rows).await?, more)
            }
            Read::Triggers(ids) => {
                let loaded = self.load(&ids).await?;
                let over = self.rearm_awaiting(&loaded).await?;
                Event::TriggersRead(if over { self.load(&ids).await? } else { loaded })
            }
            Read::Changes(shards, heard) => {
                Event::ChangesRead(self.store.read_changes(self.incarnation, shards, heard, STEP_MAX).await?)
            }
            Read::Claim(id, limit, takes) => {
                let now = self.time.now();
                let queues = if takes == Take::Short { self.queues.short() } else { self.queues.clone() };
                let begun = Instant::now();
                let claimed = self.store.claim(id, &queues, limit, now).await?;
                self.metrics.claims.note(begun.elapsed());
                self.metrics.claimed(&claimed, now);
                Event::Claimed(claimed.into_iter().map(Start::from).collect())
            }
            Read::PutAside { trigger, version, reason } => {
                self.definitions.put_aside(trigger, version, &reason).await?;
                Event::PutAside(trigger)
            }
            Read::Held => Event::HeldRead(self.store.held(self.incarnation).await?),
            Read::Lost(runs) => {
                tracing::warn!(
                    runs = runs.len(),
                    "runs were given to this node, and it never heard of them; they are lost"
                );
                Event::LostRead(lost_ends(&self.definitions, runs, self.time.now()).await)
            }
            Read::Release => {
                let mut released: Released = self.store.release_due(self.time.now(), STEP_MAX).await?;
                if released.count == STEP_MAX || released.expired == STEP_MAX {
                    released.next_at = Some(self.time.now());
                }
                if released.expired > 0 {
                    self.workflows.wake();
                }
                Event::Released(released)
            }
        })
    }
}

impl Reader {
    /// Triggers by id, but for those that rest, with their rules.
    async fn load(&self, ids: &[TriggerId]) -> mainspring_store::Result<Vec<Loaded>> {
        let mut rows = self.rows(ids).await?;
        rows.retain(|row| !row.paused);
        self.definitions.load_reporting(rows).await
    }

    /// Sets `delay` triggers going whose run is over without that anybody has said when they fire next. Whether there
    /// were any.
    async fn rearm_awaiting(&self, loaded: &[Loaded]) -> mainspring_store::Result<bool> {
        let mut any = false;
        for Loaded { row, rule } in loaded {
            let Some(run) = row.progress.awaiting_run.filter(|_| row.progress.status == TriggerStatus::Active) else {
                continue;
            };
            let fired_at = row.progress.previous_fire_at.unwrap_or(row.progress.start_at);
            if let Some(rearm) = rule.rearm(row.id, fired_at, self.time.now()) {
                any |= self.store.rearm(run, rearm).await?;
            }
        }
        Ok(any)
    }

    /// Triggers by id. One that this program cannot read keeps nobody else from it.
    async fn rows(&self, ids: &[TriggerId]) -> mainspring_store::Result<Vec<TriggerRow>> {
        match self.store.trigger_rows(ids).await {
            Err(mainspring_store::Error::Unusable { .. }) => {}
            answer => return answer,
        }
        let mut rows = Vec::with_capacity(ids.len());
        for id in ids {
            match self.store.trigger_rows(&[*id]).await {
                Ok(found) => rows.extend(found),
                Err(error @ mainspring_store::Error::Unusable { .. }) => {
                    tracing::error!(error = %causes(&error), trigger.id = id.0, "a trigger cannot be read, and does not fire on this node");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(rows)
    }
}

/// Triggers read at a time: what compiling them takes should delay nothing that is due.
const WINDOW_ROWS: u32 = 1_000;
/// Fewer: each of them may be a trigger that is to be moved, and fires wait while those are recorded.
const AHEAD_ROWS: u32 = 500;

/// Waits for news of the lease, if there is one: a dead node whose runs are to be taken over, or else that it has changed.
async fn changed(lease: Option<&mut Lease>) -> Option<Incarnation> {
    match lease {
        Some(lease) => lease.changed().await,
        None => std::future::pending().await,
    }
}

/// Whether a batch was refused, so that nothing of it is kept, rather than failed.
pub(crate) fn refusal(error: &mainspring_store::Error) -> Option<Refusal> {
    match error {
        mainspring_store::Error::Rejected { source, .. } => Some(Refusal::Invalid(causes(&**source))),
        mainspring_store::Error::TooMuch { .. } => Some(Refusal::TooMuch),
        _ => None,
    }
}

const fn read_name(read: &Read) -> &'static str {
    match read {
        Read::Window(..) | Read::Ahead(..) => "window",
        Read::Triggers(_) => "trigger_rows",
        Read::Changes(..) => "read_changes",
        Read::Claim(..) => "claim",
        Read::Release => "release_due",
        Read::PutAside { .. } => "put_aside",
        Read::Held => "held",
        Read::Lost(_) => "definitions",
    }
}

pub(crate) async fn timed<T>(metrics: &Metrics, op: &'static str, work: impl Future<Output = T>) -> T {
    let begun = Instant::now();
    let done = work.await;
    metrics.store_seconds.get_or_create(&Operation { op }).observe(begun.elapsed().as_secs_f64());
    done
}

fn count_fires(
    metrics: &Metrics,
    batch: &mainspring_core::batch::FireBatch,
    outcome: &mainspring_core::batch::FireOutcome,
) {
    let count = |word, placed: &[Placed]| {
        let count = outcome.placed.iter().filter(|p| placed.contains(p)).count() as u64;
        if count > 0 {
            metrics.fires.get_or_create(&Outcome { outcome: word }).inc_by(count);
        }
    };
    count("fired", &[Placed::Running, Placed::Queued]);
    count("held", &[Placed::Held]);
    count("suppressed", &[Placed::Suppressed]);
    metrics.by_job.fired(batch, outcome);
    metrics.queue_flow.fired(batch, outcome);
    let recorded = (0..).zip(&batch.entries).filter(|(index, _)| outcome.has_recorded(*index));
    for gap in recorded.flat_map(|(_, entry)| &entry.gaps) {
        metrics.fires.get_or_create(&Outcome { outcome: gap.outcome.as_str() }).inc_by(gap.count);
        if gap.outcome == GapOutcome::Suppressed {
            continue;
        }
        let miss = Miss { cause: gap.reason.as_str(), policy: gap.policy.clone() };
        metrics.misfires.get_or_create(&miss).inc_by(gap.count);
    }
}

/// Says where triggers went that an update of the tz database has moved: of those nothing else is recorded.
fn report_moves(
    metrics: &Metrics,
    batch: &mainspring_core::batch::FireBatch,
    outcome: &mainspring_core::batch::FireOutcome,
) {
    let recorded = (0..).zip(&batch.entries).filter(|(index, _)| outcome.has_recorded(*index));
    let moved = recorded.map(|(_, entry)| entry).filter(|entry| {
        entry.runs.is_empty() && entry.gaps.is_empty() && entry.progress.next_fire_at != Some(entry.expected)
    });
    for entry in moved {
        metrics.triggers_moved.inc();
        tracing::info!(
            trigger.id = entry.trigger.0,
            tzdata = mainspring_schedule::tzdata_version(),
            from = %entry.expected,
            to = entry.progress.next_fire_at.map(tracing::field::display),
            "the next fire was computed with older zone data, and has moved"
        );
    }
}

/// What a process start finds of earlier ones: their running runs are lost.
pub(crate) async fn lost_runs(
    store: &dyn Store,
    definitions: &Definitions,
    incarnation: mainspring_core::Incarnation,
    now: Timestamp,
) -> mainspring_store::Result<Vec<AttemptEnd>> {
    let mut ends = Vec::new();
    for live in store.adopt(incarnation, now).await? {
        let definition = definitions.definition(live.claimed.job, live.claimed.job_version).await?;
        ends.push(lost_end(definitions, live, definition, now).await);
    }
    Ok(ends)
}

/// The ends of runs that this node was given, so that nobody else looks after them.
async fn lost_ends(definitions: &Definitions, runs: Vec<LiveRun>, now: Timestamp) -> Vec<AttemptEnd> {
    let mut ends = Vec::with_capacity(runs.len());
    for live in runs {
        let (job, version) = (live.claimed.job, live.claimed.job_version);
        let definition = definitions.wait_for(job, version).await;
        ends.push(lost_end(definitions, live, definition, now).await);
    }
    ends
}

/// The end of a running run whose process is gone.
async fn lost_end(definitions: &Definitions, live: LiveRun, definition: Arc<Job>, now: Timestamp) -> AttemptEnd {
    let started_at = live.began_at();
    let mut start = Start::from(live.claimed);
    start.awaited_by = definitions.awaiting_start(&start, &definition).await;
    start.deadline = definitions.deadline(&start, &definition).await;
    AttemptEnd {
        start,
        definition,
        held_by: None,
        outcome: mainspring_core::run::AttemptOutcome::Lost,
        vetoed: false,
        started_at,
        ended_at: now,
        detail: None,
    }
}
