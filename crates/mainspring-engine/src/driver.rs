//! The loop: events in, the planner's commands out. It never waits for a command.

use std::sync::Arc;
use std::time::Instant;

use mainspring_core::batch::{Placed, Released};
use mainspring_core::cluster::ShardSet;
use mainspring_core::planner::{AttemptEnd, Command, Event, Planner, Read};
use mainspring_core::retry::AfterAttempt;
use mainspring_core::rule::Start;
use mainspring_core::run::RunState;
use mainspring_core::{Incarnation, Timestamp};
use mainspring_store::Store;
use tokio::sync::{broadcast, mpsc, watch};

use crate::clock::{Alarm, Clock};
use crate::definitions::Definitions;
use crate::health::{Health, Traffic};
use crate::metrics::{Metrics, Operation, Outcome, ResultLabel};
use crate::notice::Notice;
use crate::pool::Pool;
use crate::tasks::Tasks;

/// Scheduled runs made ready in one step, and triggers whose changes are taken in one step.
const STEP_MAX: u32 = 1_000;
/// Ends taken from the pool at a time.
const ENDS_MAX: usize = 8_192;

pub(crate) struct Driver {
    pub(crate) incarnation: Incarnation,
    pub(crate) planner: Planner,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) definitions: Arc<Definitions>,
    pub(crate) pool: Arc<Pool>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) health: Arc<Health>,
    pub(crate) notices: broadcast::Sender<Notice>,
    pub(crate) tasks: Tasks,
    pub(crate) inbox: (mpsc::UnboundedSender<Event>, mpsc::UnboundedReceiver<Event>),
    pub(crate) drain: watch::Receiver<bool>,
    /// Whether the planner has been told to drain.
    pub(crate) told_drain: bool,
    /// Asks for a look at the store's changes; counted, so that whoever asked knows when it has happened.
    pub(crate) poke: watch::Receiver<u64>,
    pub(crate) state: watch::Sender<DriverState>,
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
}

impl Driver {
    /// Runs until it is dropped.
    pub(crate) async fn run(mut self) {
        let mut alarm = self.clock.alarm();
        let mut events = vec![Event::Woke];
        loop {
            self.step(&mut events);
            self.wait(&mut *alarm, &mut events).await;
        }
    }

    fn step(&mut self, events: &mut Vec<Event>) {
        let now = self.clock.now();
        let poked = *self.poke.borrow_and_update();
        if poked > self.state.borrow().poked {
            events.push(Event::Changed);
        }
        for event in events.drain(..) {
            for command in self.planner.handle(now, event) {
                self.perform(command);
            }
        }
        let figures = self.planner.figures();
        self.metrics.running.set(i64::from(figures.running));
        self.metrics.resident_triggers.set(i64::try_from(figures.resident).unwrap_or(i64::MAX));
        self.metrics.due_unclaimed.set(i64::try_from(figures.due).unwrap_or(i64::MAX));
        self.state.send_replace(DriverState {
            idle: self.planner.is_idle(),
            settled: self.planner.is_settled(),
            poked,
            next_wakeup: Some(self.planner.next_wakeup()),
            running: figures.running,
            ticked_at: Some(now),
        });
    }

    async fn wait(&mut self, alarm: &mut dyn Alarm, events: &mut Vec<Event>) {
        tokio::select! {
            biased;
            Ok(_) = self.drain.wait_for(|drain| *drain), if !self.told_drain => {
                self.told_drain = true;
                events.push(Event::Drain);
            }
            _ = self.inbox.1.recv_many(events, 256) => {}
            ends = self.pool.ends.take(ENDS_MAX) => events.push(Event::Ended(ends)),
            () = self.store.changed().notified() => events.push(Event::Changed),
            Ok(()) = self.poke.changed() => {}
            () = alarm.wait_until(self.planner.next_wakeup()) => events.push(Event::Woke),
        }
    }

    fn perform(&self, command: Command) {
        match command {
            Command::Start(starts) => self.pool.start(starts),
            Command::Cancel(run) => self.pool.cancel(run),
            Command::Fire(batch) => {
                let (store, sender) = (Arc::clone(&self.store), self.inbox.0.clone());
                let (metrics, notices) = (Arc::clone(&self.metrics), self.notices.clone());
                let health = Arc::clone(&self.health);
                self.tasks.start(async move {
                    let answer = timed(&metrics, "fire", store.fire(Arc::clone(&batch))).await;
                    health.note(Traffic::Batch, &answer);
                    let event = match answer {
                        Ok(outcome) => {
                            count_fires(&metrics, &batch, &outcome);
                            crate::notice::of_fires(&notices, &batch, &outcome);
                            Event::Fired(batch, outcome)
                        }
                        Err(error) => {
                            tracing::error!(error = %causes(&error), triggers = batch.entries.len(), "fires could not be recorded; repeating");
                            Event::FireFailed(batch)
                        }
                    };
                    let _ = sender.send(event);
                });
            }
            Command::Complete(batch) => {
                let (store, sender) = (Arc::clone(&self.store), self.inbox.0.clone());
                let (metrics, notices) = (Arc::clone(&self.metrics), self.notices.clone());
                let health = Arc::clone(&self.health);
                self.tasks.start(async move {
                    let answer = timed(&metrics, "complete", store.complete(Arc::clone(&batch))).await;
                    health.note(Traffic::Batch, &answer);
                    let event = match answer {
                        Ok(outcome) => {
                            count_ends(&metrics, &batch, &outcome);
                            crate::notice::of_ends(&notices, &batch, &outcome);
                            Event::Completed(batch, outcome)
                        }
                        Err(error) => {
                            tracing::error!(error = %causes(&error), runs = batch.entries.len(), "verdicts could not be recorded; repeating");
                            Event::CompleteFailed(batch)
                        }
                    };
                    let _ = sender.send(event);
                });
            }
            Command::Read(read) => {
                let reader = Reader {
                    incarnation: self.incarnation,
                    shards: ShardSet::ALL,
                    store: Arc::clone(&self.store),
                    clock: Arc::clone(&self.clock),
                    definitions: Arc::clone(&self.definitions),
                };
                let (metrics, sender) = (Arc::clone(&self.metrics), self.inbox.0.clone());
                let health = Arc::clone(&self.health);
                self.tasks.start(async move {
                    let answer = timed(&metrics, read_name(&read), reader.read(read.clone())).await;
                    health.note(Traffic::Read, &answer);
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
    shards: ShardSet,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    definitions: Arc<Definitions>,
}

impl Reader {
    async fn read(&self, read: Read) -> mainspring_store::Result<Event> {
        Ok(match read {
            Read::Window(until, after) => {
                let (rows, more) = self.store.window(self.shards, until, after, WINDOW_ROWS).await?;
                Event::WindowRead(self.definitions.load_reporting(rows).await?, more)
            }
            Read::Triggers(ids) => {
                let mut rows = self.store.trigger_rows(&ids).await?;
                rows.retain(|row| !row.paused);
                Event::TriggersRead(self.definitions.load_reporting(rows).await?)
            }
            Read::Changes => {
                Event::ChangesRead(self.store.take_changes(self.incarnation, self.shards, STEP_MAX).await?)
            }
            Read::Claim(limit) => {
                let claimed = self.store.claim(self.incarnation, limit, self.clock.now()).await?;
                Event::Claimed(claimed.into_iter().map(Start::from).collect())
            }
            Read::Release => {
                let mut released: Released = self.store.release_due(self.clock.now(), STEP_MAX).await?;
                if released.count == STEP_MAX {
                    released.next_at = Some(self.clock.now());
                }
                Event::Released(released)
            }
        })
    }
}

const WINDOW_ROWS: u32 = 10_000;

/// An error with what caused it.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

const fn read_name(read: &Read) -> &'static str {
    match read {
        Read::Window(..) => "window",
        Read::Triggers(_) => "trigger_rows",
        Read::Changes => "take_changes",
        Read::Claim(_) => "claim",
        Read::Release => "release_due",
    }
}

async fn timed<T>(metrics: &Metrics, op: &'static str, work: impl Future<Output = T>) -> T {
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
    let missed: u64 = batch.entries.iter().flat_map(|entry| &entry.gaps).map(|gap| gap.count).sum();
    if missed > 0 {
        metrics.fires.get_or_create(&Outcome { outcome: "missed" }).inc_by(missed);
        metrics.misfires.inc_by(missed);
    }
}

fn count_ends(
    metrics: &Metrics,
    batch: &mainspring_core::batch::CompletionBatch,
    outcome: &mainspring_core::batch::CompletionOutcome,
) {
    let mut tally = rustc_hash::FxHashMap::<(bool, &'static str), u64>::default();
    for (index, entry) in batch.entries.iter().enumerate() {
        if outcome.refused.binary_search(&u32::try_from(index).unwrap_or(u32::MAX)).is_ok() {
            continue;
        }
        *tally.entry((false, entry.outcome.as_str())).or_default() += 1;
        if let AfterAttempt::Final(verdict) = entry.then {
            *tally.entry((true, RunState::from(verdict).as_str())).or_default() += 1;
        }
    }
    for ((is_run, result), count) in tally {
        let family = if is_run { &metrics.runs } else { &metrics.attempts };
        family.get_or_create(&ResultLabel { result }).inc_by(count);
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
        let mut start = Start::from(live.claimed);
        start.awaited_by = definitions.awaiting_start(&start, &definition).await;
        ends.push(AttemptEnd {
            start,
            definition,
            outcome: mainspring_core::run::AttemptOutcome::Lost,
            // The store learns of the start with the end; the claim is the nearest that is known.
            started_at: live.claimed_at,
            ended_at: now,
            detail: None,
        });
    }
    Ok(ends)
}
