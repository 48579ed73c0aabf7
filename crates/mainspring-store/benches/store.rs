//! What a run costs a store: recorded by a fire, ended by a completion, kept in history and in the event table.
//!
//! Batches are made outside of the measured time, as the planner makes them on another thread.

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use mainspring_core::batch::{Completion, CompletionBatch, FireBatch, FireEntry, TriggerRow};
use mainspring_core::run::Verdict;
use mainspring_store::conformance::kit::{Draft, Kept, Kit, advanced, at, new_run};
use mainspring_store::{MemoryStore, Store};

const BATCH_LEN: u64 = 1_000;

/// How the runs of a case come to a worker.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    triggers: usize,
    /// Whether each fire moves its trigger in the due index.
    leaves_window: bool,
    /// Whether runs are claimed at birth.
    claim: bool,
}

const CASES: [Case; 4] = [
    Case { name: "1k_triggers_staying", triggers: 1_000, leaves_window: false, claim: true },
    Case { name: "100k_triggers_staying", triggers: 100_000, leaves_window: false, claim: true },
    Case { name: "100k_triggers_leaving", triggers: 100_000, leaves_window: true, claim: true },
    Case { name: "100k_triggers_queued", triggers: 100_000, leaves_window: true, claim: false },
];

fn stores(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("memory");
    group.throughput(Throughput::Elements(BATCH_LEN)).sample_size(10);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    for case in CASES {
        measure(&mut group, case, || Arc::new(MemoryStore::new()));
    }
    group.finish();
}

/// Measures batches of fires and the completions of their runs, in a new store for each sample.
fn measure(group: &mut BenchmarkGroup<'_, WallTime>, case: Case, make: impl Fn() -> Arc<dyn Store>) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    group.bench_function(case.name, |bencher| {
        bencher.iter_custom(|count| {
            runtime.block_on(async {
                let mut load = Load::new(make(), case).await;
                let mut spent = Duration::ZERO;
                for _ in 0..count {
                    spent += load.step().await;
                }
                spent
            })
        });
    });
}

/// Triggers that fire in turns.
struct Load {
    kit: Kit,
    job: Kept,
    rows: Vec<TriggerRow>,
    next: usize,
    queue: Arc<str>,
    case: Case,
}

impl Load {
    async fn new(store: Arc<dyn Store>, case: Case) -> Self {
        let kit = Kit::new(store).await;
        let mut rows = Vec::new();
        let mut jobs = Vec::new();
        for job in 0..case.triggers / 100 {
            let draft =
                (0..100).fold(Draft::new(&format!("job-{job}")), |draft, i| draft.trigger(&i.to_string(), at(0)));
            jobs.push(kit.save(draft).await);
            rows.extend(jobs[job].triggers.iter().map(|trigger| trigger.row.clone()));
        }
        Self { kit, job: jobs.swap_remove(0), rows, next: 0, queue: "default".into(), case }
    }

    async fn step(&mut self) -> Duration {
        let entries: Vec<FireEntry> = (0..BATCH_LEN).map(|_| self.entry()).collect();
        let verdicts: Vec<Completion> = entries.iter().map(|entry| self.verdict(entry)).collect();
        let now = entries[0].expected;
        let fire = Arc::new(FireBatch { id: self.kit.batch_id(), at: now, answered: 0, entries });
        let complete = Arc::new(CompletionBatch { id: self.kit.batch_id(), at: now, entries: verdicts });
        let start = Instant::now();
        let fired = self.kit.store.fire(fire).await.expect("fire");
        if !self.case.claim {
            self.kit.claim(u32::MAX, now).await;
        }
        let completed = self.kit.store.complete(complete).await.expect("complete");
        let spent = start.elapsed();
        assert!(fired.stale.is_empty() && completed.refused.is_empty(), "every run goes all the way");
        spent
    }

    fn entry(&mut self) -> FireEntry {
        let row = &mut self.rows[self.next];
        self.next = (self.next + 1) % self.case.triggers;
        let fired = row.progress.next_fire_at.expect("it goes on for ever");
        row.progress = advanced(&row.progress, fired, Some(fired + 1_000));
        FireEntry {
            trigger: row.id,
            job: row.job,
            job_version: row.job_version,
            version: row.version,
            expected: fired,
            progress: row.progress,
            leaves_window: self.case.leaves_window,
            gate: None,
            priority: 5,
            queue: self.queue.clone(),
            start_timeout_ms: None,
            input: None,
            runs: vec![new_run(row.id, fired, self.case.claim)],
            gaps: Vec::new(),
        }
    }

    fn verdict(&self, entry: &FireEntry) -> Completion {
        let verdict = self.job.verdict(entry.runs[0].id, Verdict::Succeeded, entry.expected + 1);
        Completion { job: entry.job, ..verdict }
    }
}

criterion_group!(benches, stores);
criterion_main!(benches);
