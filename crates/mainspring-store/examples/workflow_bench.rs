//! How fast a store keeps workflows: `cargo run --release --example workflow_bench --features conformance -- [name=value …]`.
//!
//! `wide=1000 layers=100 chain=2000 fan=10000`: a run of layers of tasks each of which needs the layer before, a chain of single tasks,
//! one task before many, and as many that end without a run. Tasks are claimed and ended as the engine does it, in batches of 1,000.
//! Every commit is synced. `url=mysql://…` takes the store at an address, in an empty database, in place of one in SQLite.
#![expect(clippy::print_stdout, reason = "a program for people")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use mainspring_core::batch::{ClaimedRun, Completion};
use mainspring_core::job::{Job, JobKey, Task};
use mainspring_core::run::Verdict;
use mainspring_core::workflow::TaskState;
use mainspring_core::{RunId, Timestamp};
use mainspring_store::conformance::kit::{Draft, Kept, Kit, at};
use mainspring_store::{MessageBody, Stepped, Store, TaskStart, TaskWrite, WorkflowStep};

fn given(name: &str, usual: u32) -> u32 {
    let value = std::env::args().find_map(|text| text.strip_prefix(&format!("{name}="))?.parse().ok());
    value.unwrap_or(usual)
}

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir_in(".").expect("a folder on a real disk");
    let address = std::env::args().find_map(|text| text.strip_prefix("url=").map(str::to_owned));
    let address = address.unwrap_or_else(|| format!("sqlite:{}", folder.path().join("bench.db").display()));
    let store = mainspring_store::open(&address).await.expect("open");
    let kit = Kit::new(store.clone()).await;
    let key = JobKey::new("bench", "graph");
    let job = kit.save(Draft::of(Job::new(key, Task::Workflow(Box::default())))).await;
    let mut bench = Bench { store, kit, job, asked: 0, spent: Spent::default() };
    let (wide, layers) = (given("wide", 1_000), given("layers", 100));
    bench.measure("layers", wide * layers, &vec![wide; layers as usize]).await;
    bench.measure("chain", given("chain", 2_000), &vec![1; given("chain", 2_000) as usize]).await;
    let fan = given("fan", 10_000);
    bench.measure("fan", fan + 2, &[1, fan, 1]).await;
    bench.skip(given("skip", 100_000)).await;
}

#[derive(Default)]
struct Spent {
    read: Duration,
    step: Duration,
    claim: Duration,
    end: Duration,
}

struct Bench {
    store: Arc<dyn Store>,
    kit: Kit,
    job: Kept,
    asked: u64,
    spent: Spent,
}

impl Bench {
    /// Begins a run. Answers its turn.
    async fn begin(&mut self) -> (RunId, i64) {
        self.asked += 1;
        let (run, _) = self.kit.ask(&self.job, self.asked, now()).await;
        assert!(self.store.begin_workflow(run, now()).await.expect("begin"));
        (run, 1)
    }

    async fn step(&mut self, step: WorkflowStep) -> Vec<RunId> {
        let started = Instant::now();
        let Stepped::Written(runs) = self.store.step_workflow(step).await.expect("step") else { panic!("stale") };
        self.spent.step += started.elapsed();
        runs
    }

    /// One run of layers: what ends in one is written with what starts in the next.
    async fn measure(&mut self, name: &str, tasks: u32, layers: &[u32]) {
        self.spent = Spent::default();
        let started = Instant::now();
        let (run, mut turn) = self.begin().await;
        let (mut first, mut over, mut heard) = (0, Vec::new(), Vec::new());
        for wide in layers {
            let starts = (first..first + wide).map(start);
            let writes = over.drain(..).map(|task| write(task, TaskState::Succeeded)).chain(starts).collect();
            let written = self.step(step(run, turn, std::mem::take(&mut heard), writes)).await;
            assert_eq!(written.len(), *wide as usize);
            turn += 1;
            self.execute(*wide).await;
            let read = Instant::now();
            let messages = if *wide > 1 { u32::MAX } else { 100 };
            let row = self.store.workflow(run, messages).await.expect("workflow").expect("it is there");
            self.spent.read += read.elapsed();
            heard = row.inbox.iter().map(|message| message.id).collect();
            assert!(row.inbox.iter().all(|message| matches!(message.body, MessageBody::Ended { .. })));
            over = (first..first + wide).collect();
            first += wide;
        }
        let end = Some((Verdict::Succeeded, None));
        self.step(WorkflowStep { end, ..step(run, turn, heard, Vec::new()) }).await;
        let Spent { read, step, claim, end } = self.spent;
        let all = started.elapsed();
        println!(
            "{name}: {tasks} tasks in {:.2} s, {:.1} us a task (steps {:.1}, claims {:.1}, ends {:.1}, reads {:.1})",
            all.as_secs_f64(),
            micros(all, tasks),
            micros(step, tasks),
            micros(claim, tasks),
            micros(end, tasks),
            micros(read, tasks)
        );
    }

    /// Claims runs, and ends them.
    async fn execute(&mut self, mut left: u32) {
        while left > 0 {
            let started = Instant::now();
            let claimed = self.kit.claim(left.min(1_000), now()).await;
            self.spent.claim += started.elapsed();
            assert!(!claimed.is_empty());
            left -= u32::try_from(claimed.len()).expect("few");
            let ends = claimed.iter().map(|claimed| self.verdict(claimed)).collect();
            let started = Instant::now();
            let ended = self.kit.complete(now(), ends).await;
            self.spent.end += started.elapsed();
            assert!(ended.refused.is_empty());
        }
    }

    fn verdict(&self, claimed: &ClaimedRun) -> Completion {
        let verdict = self.job.verdict(claimed.run, Verdict::Succeeded, now());
        Completion { job_version: claimed.job_version, ..verdict }
    }

    /// Tasks that end without a run, in steps of 5,000.
    async fn skip(&mut self, tasks: u32) {
        let (run, mut turn) = self.begin().await;
        let started = Instant::now();
        for first in (0..tasks).step_by(5_000) {
            let writes = (first..tasks.min(first + 5_000)).map(|task| write(task, TaskState::UpstreamFailed)).collect();
            self.step(step(run, turn, Vec::new(), writes)).await;
            turn += 1;
        }
        println!("{tasks} tasks end without a run in {:.2} s", started.elapsed().as_secs_f64());
        let started = Instant::now();
        let row = self.store.workflow(run, 100).await.expect("workflow").expect("it is there");
        assert_eq!(row.tasks.len(), tasks as usize);
        println!("they are read in {:.2} s", started.elapsed().as_secs_f64());
        let end = Some((Verdict::Failed, None));
        self.step(WorkflowStep { end, ..step(run, turn, Vec::new(), Vec::new()) }).await;
    }
}

fn now() -> Timestamp {
    at(1_000_000)
}

fn micros(time: Duration, tasks: u32) -> f64 {
    time.as_secs_f64() * 1e6 / f64::from(tasks)
}

fn step(run: RunId, turn: i64, heard: Vec<i64>, tasks: Vec<TaskWrite>) -> WorkflowStep {
    let (cancel, stop, paused, more, end) = (Vec::new(), None, false, false, None);
    WorkflowStep {
        run,
        turn,
        heard,
        tasks,
        cancel,
        stop,
        paused,
        more,
        end,
        output: None,
        limit: None,
        awaits: Vec::new(),
        settled: Vec::new(),
        over: Vec::new(),
        at: now(),
    }
}

const fn write(task: u32, state: TaskState) -> TaskWrite {
    TaskWrite { task, item: None, state, generation: 0, reason: None, start: None, call: None }
}

fn start(task: u32) -> TaskWrite {
    let (name, line) = (format!("task-{task}"), "default".to_owned());
    let input = Some(r#"{"task":"a","run":{"id":"019b76da-ac63-8800-8000-00004fbc0a30"}}"#.to_owned());
    let start = Some(TaskStart { name, line, priority: 5, input, expires_at: None });
    TaskWrite { start, ..write(task, TaskState::Running) }
}
