//! How fast a store records fires: `cargo run --release --example store_bench --features conformance -- [name=value …]`.
//!
//! `triggers=100000 batch=1000 fires=1000000 window=2 shuffle=0`: each step fires a batch of distinct triggers, with
//! their runs claimed at birth, and completes the runs of an earlier batch; `window` batches are under way at once, as
//! with the engine. `fires=0` only saves the jobs. `shuffle=1` fires triggers in random order, `ordered=1` gives runs of one instant ids in the order of
//! their triggers instead of hashed ones. Every commit is synced. `url=mysql://…` takes the store at an address, in an empty
//! database, in place of one in SQLite.
#![expect(clippy::print_stdout, reason = "a program for people")]

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mainspring_core::batch::{Completion, CompletionBatch, FireBatch, FireEntry, NewRun, TriggerRow};
use mainspring_core::job::{Job, JobKey, Task};
use mainspring_core::run::Verdict;
use mainspring_core::{BatchId, RunId, Timestamp, TriggerId};
use mainspring_store::Store;
use mainspring_store::conformance::kit::{Draft, Kept, Kit, advanced, at, new_run};

struct Plan {
    triggers: usize,
    batch: usize,
    fires: usize,
    window: usize,
    shuffle: bool,
    ordered: bool,
}

fn plan() -> Plan {
    let given = |name: &str, usual: usize| {
        let value = std::env::args().find_map(|text| text.strip_prefix(&format!("{name}="))?.parse().ok());
        value.unwrap_or(usual)
    };
    Plan {
        triggers: given("triggers", 100_000),
        batch: given("batch", 1_000),
        fires: given("fires", 500_000),
        window: given("window", 2),
        shuffle: given("shuffle", 0) > 0,
        ordered: given("ordered", 0) > 0,
    }
}

#[tokio::main]
async fn main() {
    let plan = plan();
    let folder = tempfile::tempdir_in(".").expect("a folder on a real disk");
    println!("sync p50 {:.0} us", sync_us(folder.path()));
    let address = std::env::args().find_map(|text| text.strip_prefix("url=").map(str::to_owned));
    let address = address.unwrap_or_else(|| format!("sqlite:{}", folder.path().join("bench.db").display()));
    let store = mainspring_store::open(&address).await.expect("open");
    let kit = Kit::new(store.clone()).await;
    let started = Instant::now();
    let (job, rows) = register(&kit, plan.triggers).await;
    let saved = started.elapsed().as_secs_f64();
    println!(
        "{} jobs of one trigger saved in {saved:.1} s, CPU {:.1} us a job",
        plan.triggers,
        cpu_seconds() * 1e6 / plan.triggers as f64
    );
    let started = Instant::now();
    save(&kit, plan.triggers).await;
    println!("saved again, unchanged, in {:.1} s", started.elapsed().as_secs_f64());
    if plan.fires == 0 {
        return;
    }
    let started = Instant::now();
    let mut load = Load { rows, job, next: 0, round: 0, sequence: 0, queue: "default".into(), plan };
    let cpu = cpu_seconds();
    let spent = drive(&store, &kit, &mut load).await;
    let seconds = started.elapsed().as_secs_f64();
    let per = |time: Duration| time.as_secs_f64() * 1e6 / load.plan.fires as f64;
    println!(
        "{:.0} fires/s; waited for fire {:.2} us, complete {:.2} us a fire; CPU {:.2} us a fire; slowest step {:.1} ms",
        load.plan.fires as f64 / seconds,
        per(spent.fire),
        per(spent.complete),
        (cpu_seconds() - cpu) * 1e6 / load.plan.fires as f64,
        spent.slowest.as_secs_f64() * 1e3
    );
    let tally = store.tally().await.expect("tally");
    let fired: u64 = tally.iter().map(|tally| tally.fired).sum();
    let info = store.info().await.expect("info");
    println!("{fired} fires counted in the tables, {} unfinished, {} MB", info.live_runs, info.bytes >> 20);
    assert_eq!((fired, info.live_runs), (load.plan.fires as u64, 0));
}

/// Median time of a synced write of a page.
fn sync_us(folder: &Path) -> f64 {
    use std::os::unix::fs::FileExt;
    let file = std::fs::File::create(folder.join("sync")).expect("a file");
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..200 {
        let start = Instant::now();
        file.write_at(&[1; 4_096], 0).expect("write");
        file.sync_data().expect("sync");
        times.push(start.elapsed());
    }
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

/// Saves jobs, in slices as large as those of requests.
async fn save(kit: &Kit, count: usize) {
    for start in (0..count).step_by(500) {
        let drafts = (start..(start + 500).min(count)).map(|number| {
            let key = JobKey::new("bench", format!("job-{number:07}"));
            Draft::of(Job::new(key, Task::Noop)).trigger("t", at(0)).0
        });
        kit.save_all(drafts.collect()).await;
    }
}

async fn register(kit: &Kit, count: usize) -> (Kept, Vec<TriggerRow>) {
    save(kit, count).await;
    let job = kit.kept(&JobKey::new("bench", "job-0000000")).await;
    (job, kit.window(at(0), 10_000).await)
}

#[derive(Default)]
struct Spent {
    fire: Duration,
    complete: Duration,
    slowest: Duration,
}

async fn drive(store: &Arc<dyn Store>, kit: &Kit, load: &mut Load) -> Spent {
    let mut spent = Spent::default();
    let mut open: VecDeque<Arc<CompletionBatch>> = VecDeque::new();
    let mut fired = 0;
    while fired < load.plan.fires || !open.is_empty() {
        let start = Instant::now();
        let fire = (fired < load.plan.fires).then(|| load.batch(kit));
        let full = fire.is_none() || open.len() >= load.plan.window;
        let complete = if full { open.pop_front() } else { None };
        let fires = fire.as_ref().map(|(fire, _)| (store.clone(), fire.clone()));
        let fires = fires.map(|(store, fire)| tokio::spawn(async move { (store.fire(fire).await, Instant::now()) }));
        if let Some(complete) = complete {
            let outcome = store.complete(complete).await.expect("complete");
            assert!(outcome.refused.is_empty(), "every run goes all the way");
            spent.complete += start.elapsed();
        }
        if let (Some(fires), Some((_, verdicts))) = (fires, fire) {
            let (outcome, at) = fires.await.expect("it does not panic");
            assert!(outcome.expect("fire").stale.is_empty(), "nobody else changes triggers");
            spent.fire += at - start;
            open.push_back(verdicts);
            fired += load.plan.batch;
        }
        spent.slowest = spent.slowest.max(start.elapsed());
    }
    spent
}

/// A run's id that begins, after the instant, with its trigger's.
fn ordered(mut run: NewRun, trigger: TriggerId) -> NewRun {
    let mut bytes = *run.id.as_bytes();
    (bytes[6], bytes[7]) = (0x80, 0);
    bytes[8..].copy_from_slice(&trigger.0.to_be_bytes());
    run.id = RunId::from_bytes(bytes);
    run
}

/// Seconds of CPU that this process has used.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = text.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Triggers that fire in turns.
struct Load {
    rows: Vec<TriggerRow>,
    job: Kept,
    next: usize,
    round: u64,
    sequence: u64,
    queue: Arc<str>,
    plan: Plan,
}

impl Load {
    fn batch(&mut self, kit: &Kit) -> (Arc<FireBatch>, Arc<CompletionBatch>) {
        let mut entries: Vec<FireEntry> = (0..self.plan.batch).map(|_| self.entry()).collect();
        entries.sort_by_key(|entry| entry.trigger);
        let verdicts = entries.iter().map(|entry| self.verdict(entry)).collect();
        let now = entries[0].expected + 1;
        self.sequence += 1;
        let id = |sequence| BatchId { incarnation: kit.incarnation, sequence };
        let complete = CompletionBatch { id: id(self.sequence), at: now + 1, entries: verdicts };
        (Arc::new(FireBatch { id: id(self.sequence), at: now, answered: 0, entries }), Arc::new(complete))
    }

    fn entry(&mut self) -> FireEntry {
        if self.next == self.rows.len() {
            self.next = 0;
            self.round += 1;
        }
        if self.next == 0 && self.plan.shuffle {
            let round = self.round;
            self.rows.sort_by_key(|row| (row.id.0 as u64 ^ (round << 40)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        }
        let row = &mut self.rows[self.next];
        self.next += 1;
        let fired: Timestamp = row.progress.next_fire_at.expect("it goes on for ever");
        row.progress = advanced(&row.progress, fired, Some(fired + 1_000));
        FireEntry {
            trigger: row.id,
            job: row.job,
            job_version: row.job_version,
            version: row.version,
            expected: fired,
            progress: row.progress,
            leaves_window: false,
            gate: None,
            queue: self.queue.clone(),
            start_timeout_ms: None,
            input: None,
            priority: 5,
            runs: vec![if self.plan.ordered {
                ordered(new_run(row.id, fired, true), row.id)
            } else {
                new_run(row.id, fired, true)
            }],
            gaps: Vec::new(),
        }
    }

    fn verdict(&self, entry: &FireEntry) -> Completion {
        let verdict = self.job.verdict(entry.runs[0].id, Verdict::Succeeded, entry.expected + 1);
        Completion { job: entry.job, ..verdict }
    }
}
