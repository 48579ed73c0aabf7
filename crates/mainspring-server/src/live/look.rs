//! The task that looks what has changed: four times a second, while somebody listens.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mainspring_api::LiveStats;
use mainspring_core::run::RunState;
use mainspring_core::{JobId, RunId};
use mainspring_engine::{Ending, Outcome, StateLabel};
use mainspring_store::{EventRow, causes};
use serde_json::Value;
use tokio::time::MissedTickBehavior;

use super::ring::{Batch, Change, Kind};
use crate::app::App;
use crate::closing::closed;
use crate::show;
use crate::show::instant;

/// From one look to the next: streams say of a topic at most four times a second that something has changed.
const TICK: Duration = Duration::from_millis(250);
/// Nodes, workers, queues and figures are looked at in each of so many ticks.
const SLOW_TICKS: u64 = 4;
/// For how long it goes on when nobody listens any more, so that those who come back can resume.
const LINGER: Duration = Duration::from_secs(60);
/// When it begins again after the store has failed.
const PAUSE: Duration = Duration::from_secs(1);
/// Rows of the event table in a read, and reads in a look.
const ROWS_MAX: u32 = 200;
const READS_MAX: usize = 5;
/// Changes that a look names.
const CHANGES_MAX: usize = 5_000;
/// Jobs that are asked for by id in a look: those of which no event has told the name before.
const KEYS_MAX: usize = 50;
/// The store is asked for its figures at most for this part of the time.
const FIGURES_SHARE: u32 = 20;

/// Looks until the server closes.
pub(crate) async fn serve(app: App) {
    let mut closing = app.closing.clone();
    tokio::select! {
        () = Looking::new(app).run() => {}
        () = closed(&mut closing) => {}
    }
}

struct Looking {
    app: App,
    /// The last row of the event table that was seen.
    position: i64,
    seen: Seen,
    figures: (Option<Figures>, Instant),
}

/// What was seen of things that have no events.
#[derive(Default)]
struct Seen {
    nodes: Option<String>,
    workers: Option<String>,
    queues: Option<String>,
}

#[derive(Clone, Copy, Default)]
struct Figures {
    running: u64,
    queued: u64,
}

impl Looking {
    fn new(app: App) -> Self {
        Self { app, position: 0, seen: Seen::default(), figures: (None, Instant::now()) }
    }

    async fn run(mut self) {
        let mut pause = tokio::time::interval(PAUSE);
        pause.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            // Those who come from now on wait until it looks again; those who have come are told to look at everything.
            let live = Arc::clone(&self.app.live);
            live.is_looking.send_replace(false);
            let came = live.came.notified();
            if !live.has_listeners() {
                came.await;
            }
            if let Err(error) = self.watch().await {
                tracing::debug!(error = %causes(&error), "what has changed could not be read");
                pause.tick().await;
            }
        }
    }

    /// Looks until nobody has listened for a while.
    async fn watch(&mut self) -> mainspring_store::Result<()> {
        // Nobody has looked since the last time, or a read has failed: positions of before cannot be resumed.
        self.position = self.app.control().store().last_event().await?;
        self.seen = Seen::default();
        self.compare(&mut Batch::default()).await?;
        let newest = self.app.live.ring().forget();
        self.app.live.newest.send_replace(newest);
        self.app.live.is_looking.send_replace(true);
        // What has happened in flows before somebody listened is told to nobody.
        drop(self.app.engine.flows().take_changed());
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut count, mut heard) = (0_u64, Instant::now());
        while heard.elapsed() < LINGER {
            ticks.tick().await;
            if self.app.live.has_listeners() {
                heard = Instant::now();
            }
            let mut batch = self.read().await?;
            let flows = self.app.engine.flows().take_changed().into_iter().map(|(namespace, name)| {
                let id = Some(format!("{namespace}/{name}"));
                Change { kind: Kind::Flow, id, job: None, job_id: None, state: None }
            });
            batch.changes.extend(flows);
            if count.is_multiple_of(SLOW_TICKS) {
                self.compare(&mut batch).await?;
                let stats = Arc::new(self.stats().await?);
                self.app.live.stats.send_replace(Some(stats));
            }
            count += 1;
            if !batch.is_empty() {
                self.app.live.publish(batch.coalesced());
            }
        }
        Ok(())
    }

    /// Reads the events since the last look. Where there are too many, it passes them over and says so.
    async fn read(&mut self) -> mainspring_store::Result<Batch> {
        let app = App::clone(&self.app);
        let store = app.control().store();
        let (mut batch, mut asked) = (Batch::default(), 0);
        for _ in 0..READS_MAX {
            let rows = store.events(self.position, ROWS_MAX).await?;
            for row in &rows {
                self.position = row.seq;
                self.add(row, &mut batch, &mut asked).await?;
            }
            if rows.len() < ROWS_MAX as usize {
                return Ok(batch);
            }
            if batch.changes.len() >= CHANGES_MAX {
                break;
            }
        }
        self.position = store.last_event().await?;
        batch.is_partial = true;
        batch.changes.clear();
        Ok(batch)
    }

    async fn add(&self, row: &EventRow, batch: &mut Batch, asked: &mut usize) -> mainspring_store::Result<()> {
        let Ok(payload) = serde_json::from_str::<Value>(&row.payload) else { return Ok(()) };
        if row.kind == "runs" {
            for change in payload.as_array().map(Vec::as_slice).unwrap_or_default() {
                let (Some(run), Some(job), Some(state)) = (change[0].as_str(), change[1].as_i64(), change[2].as_str())
                else {
                    continue;
                };
                let job_id = JobId(job);
                let job = self.job(run, job_id, asked).await?;
                let (id, state) = (Some(run.to_owned()), Some(state.to_owned()));
                batch.changes.push(Change { kind: Kind::Run, id, job, job_id: Some(job_id), state });
            }
            return Ok(());
        }
        // Of a trigger, its job is what pages show.
        let key = payload["key"].as_str().unwrap_or_default();
        let mut parts = key.split('/');
        if let ("job" | "trigger", (Some(namespace), Some(name))) = (row.kind.as_str(), (parts.next(), parts.next())) {
            let key = format!("{namespace}/{name}");
            batch.changes.push(Change {
                kind: Kind::Job,
                id: Some(key.clone()),
                job: Some(key),
                job_id: None,
                state: None,
            });
        }
        Ok(())
    }

    /// `NAMESPACE/NAME` of a run's job. Of many that are new at once, some stay unknown; the next event of the job tells.
    async fn job(&self, run: &str, job: JobId, asked: &mut usize) -> mainspring_store::Result<Option<String>> {
        if let Some(key) = self.app.known_key(job) {
            return Ok(Some(key.to_string()));
        }
        let Ok(run) = run.parse::<RunId>() else { return Ok(None) };
        if *asked >= KEYS_MAX {
            return Ok(None);
        }
        *asked += 1;
        let Some(found) = self.app.control().store().run(run).await? else { return Ok(None) };
        self.app.remember_key(job, found.key.clone());
        Ok(Some(found.key.to_string()))
    }

    /// Compares nodes, workers and queues with what they were.
    async fn compare(&mut self, batch: &mut Batch) -> mainspring_store::Result<()> {
        let store = self.app.control().store();
        let nodes = self.app.engine.cluster_status().map_or_else(String::new, |status| {
            let node = |node: &mainspring_core::cluster::NodeStatus| {
                format!("{}{:?}{}{}", node.row.incarnation, node.row.standing, node.row.drain_asked, node.shards)
            };
            status.nodes.iter().map(node).collect()
        });
        let nodes = format!("{nodes}{}", self.app.engine.is_draining());
        let workers = store
            .workers()
            .await?
            .iter()
            .map(|row| format!("{:?}{}{}", row.info.id, row.running, row.draining))
            .collect();
        let queues = format!("{:?}", store.queues().await?);
        let found = [
            (Kind::Cluster, &mut self.seen.nodes, nodes),
            (Kind::Worker, &mut self.seen.workers, workers),
            (Kind::Queue, &mut self.seen.queues, queues),
        ];
        for (kind, seen, now) in found {
            // The first look has nothing to compare with.
            if seen.as_ref().is_some_and(|seen| *seen != now) {
                batch.changes.push(Change { kind, id: None, job: None, job_id: None, state: None });
            }
            *seen = Some(now);
        }
        Ok(())
    }

    async fn stats(&mut self) -> mainspring_store::Result<LiveStats> {
        let Figures { running, queued } = self.figures().await?;
        let app = &self.app;
        let metrics = app.engine.metrics();
        let failed = ["schedule", "request"].map(|trigger| Ending { result: RunState::Failed.as_str(), trigger });
        let workers = ["busy", "free"].map(|state| StateLabel { state });
        let count = |label: &StateLabel| metrics.store.workers.get(label).map_or(0, |gauge| gauge.get());
        Ok(LiveStats {
            running,
            queued,
            fires_total: metrics.fires.get(&Outcome { outcome: "fired" }).map_or(0, |count| count.get()),
            failed_total: failed.iter().filter_map(|label| Some(metrics.runs.get(label)?.get())).sum(),
            late_p99_ms: app.engine.lateness().quantile(99, 100),
            workers: workers.iter().map(count).sum::<i64>().unsigned_abs(),
            nodes: u32::try_from(show::nodes(app).len()).unwrap_or(u32::MAX),
            now: instant(app.now()),
        })
    }

    /// Counts of live runs, read as often as that is cheap.
    async fn figures(&mut self) -> mainspring_store::Result<Figures> {
        let (kept, due) = self.figures;
        if let Some(kept) = kept.filter(|_| Instant::now() < due) {
            return Ok(kept);
        }
        let begun = Instant::now();
        let figures = self.app.control().store().figures().await?;
        let count = |state| figures.runs.iter().filter(|count| count.state == state).map(|count| count.count).sum();
        let read = Figures { running: count(RunState::Running), queued: count(RunState::Queued) };
        self.figures = (Some(read), Instant::now() + begun.elapsed() * FIGURES_SHARE);
        Ok(read)
    }
}
