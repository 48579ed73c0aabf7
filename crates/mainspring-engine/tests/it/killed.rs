//! A process that is killed at every request to its database server while it runs workflows: another node ends the runs, with each task
//! done once.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use mainspring_core::RunId;
use mainspring_core::job::{Job, JobKey, OnLost, RetryPolicy, Task};
use mainspring_core::run::RunState;
use mainspring_core::workflow::{Spread, TaskDefinition, Workflow, run_name};
use mainspring_engine::control::{Ask, SaveMode};
use mainspring_engine::{Engine, HandlerError, Handlers, NodeName, RunContext, Settings, SystemClock};
use mainspring_store::conformance::kit::{mysql, postgres};
use mainspring_store::{Expect, RunQuery, Store, open};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use crate::kit::owns;
use crate::workflows::{end, task};

/// The address of the database, and the folder of what is done, for the process that is killed.
const ADDRESS: &str = "MAINSPRING_TEST_KILLED_AT";
const FOLDER: &str = "MAINSPRING_TEST_KILLED_IN";
const SHARDS: usize = 256;
/// Processes that are killed at a time: what they had is taken over seconds later, and all of them wait for that together.
const AT_ONCE: u32 = 16;
/// Where to stop at the latest: on a machine that is busy with other things most of what is sent is heartbeats and looks.
const PIECES_MAX: u32 = 384;
/// The workflows of the script, with the number of runs of their tasks. What comes next in the first one is decided with the ends of
/// its tasks; in the second one some has to be read.
const WORKFLOWS: [(&str, usize); 2] = [("plain", 5), ("rich", 6)];

/// An engine whose tasks say in a file that they are done.
async fn node(address: &str, name: &str, folder: &Path) -> Engine {
    let handlers = Arc::<Handlers>::default();
    let file = folder.join("done");
    handlers.register("work", move |run: RunContext| {
        let file = file.clone();
        async move {
            let task = run.task().expect("it is a task's run");
            let place = run_name(&task.task, task.item.as_ref().map(|item| item.index));
            let line = format!("{}.{place} {} {}\n", run.job().name, run.run_id(), run.attempt());
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&file).map_err(failed)?;
            file.write_all(line.as_bytes()).map_err(failed)?;
            Ok::<_, HandlerError>(json!({"items": [1, 2]}))
        }
    });
    let node = NodeName { name: name.to_owned(), ..NodeName::default() };
    let mut settings = Settings { node, kill_grace: Duration::from_millis(100), ..Settings::default() };
    (settings.cluster.renew_every_ms, settings.cluster.dwell_ms) = (500, 500);
    let store = open(address).await.expect("the database is there");
    Engine::start_with(store, settings, Arc::new(SystemClock), handlers).await.expect("the engine starts")
}

fn failed(error: std::io::Error) -> HandlerError {
    HandlerError(error.to_string())
}

fn work(workflow: &str, name: &str, needs: &[u32]) -> TaskDefinition {
    let mut work = task(name, "work", needs);
    work.job.key = JobKey::new("default", workflow);
    work.job.on_lost = OnLost::Retry;
    work.job.retry = RetryPolicy { count: 2, ..RetryPolicy::default() };
    work
}

/// A diamond with a task below it; and one of which one side runs for each of two items, with a task that runs last.
fn tasks(workflow: &str) -> Vec<TaskDefinition> {
    let of = |name: &str, needs: &[u32]| work(workflow, name, needs);
    let mut tasks = vec![of("first", &[]), of("left", &[0]), of("right", &[0]), of("last", &[1, 2])];
    if workflow == "plain" {
        tasks.push(of("below", &[3]));
        return tasks;
    }
    tasks[2].spread = Some(Spread::Map("${{ needs.first.outputs.items }}".into()));
    tasks.push(TaskDefinition { finally: true, ..of("tidy", &[]) });
    tasks
}

/// Says what the process is about to do.
#[expect(clippy::print_stdout, reason = "the test listens to its process")]
fn say(what: &str) {
    println!("\n{what}");
}

/// Not a test of its own: the script, in a process that is killed.
#[tokio::test(flavor = "multi_thread")]
async fn plays_the_script() {
    let (Ok(address), Some(folder)) = (std::env::var(ADDRESS), std::env::var_os(FOLDER)) else { return };
    let engine = node(&address, "killed", Path::new(&folder)).await;
    owns(&engine, SHARDS).await;
    let saved = WORKFLOWS.map(|(name, _)| {
        let workflow = Workflow { tasks: tasks(name), ..Workflow::default() };
        let job = Job::new(JobKey::new("default", name), Task::Workflow(Box::new(workflow)));
        (Arc::new(job), Expect::Anything)
    });
    engine.control().save(saved.into(), SaveMode::Commit).await.expect("saved");
    say("begins");
    let mut runs = Vec::new();
    for (name, _) in WORKFLOWS {
        let run = engine.control().run_now(&JobKey::new("default", name), Ask::default()).await.expect("asked for").id;
        say(&format!("asked {run}"));
        runs.push(run);
    }
    for run in runs {
        end(&engine, run).await;
    }
    say("done");
    engine.stop(Duration::from_secs(60)).await.expect("it stops");
}

/// The process, and how many pieces it may still send to its database.
struct Victim {
    process: Mutex<Child>,
    /// Nothing is counted at 0.
    left: AtomicU32,
}

impl Victim {
    /// Counts a piece that has arrived, and kills the process that has sent its last one.
    fn sent(&self) {
        let counts = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if counts == Ok(1) {
            self.process.lock().expect("no panic holds it").kill().expect("it is this test's own");
        }
    }
}

/// A port that leads to the one of the address, and the address by way of it. Connections wait there until somebody accepts them.
async fn wire(address: &str) -> (TcpListener, u16, String) {
    let host = address.find("127.0.0.1:").expect("it is on this machine") + "127.0.0.1:".len();
    let digits = address[host..].chars().take_while(char::is_ascii_digit).collect::<String>();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let ours = listener.local_addr().expect("it is bound").port();
    let by_way = format!("{}{ours}{}", &address[..host], &address[host + digits.len()..]);
    (listener, digits.parse().expect("a port"), by_way)
}

async fn lead(listener: TcpListener, port: u16, victim: Arc<Victim>) {
    while let Ok((near, _)) = listener.accept().await {
        let Ok(far) = TcpStream::connect(("127.0.0.1", port)).await else { continue };
        let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
        tokio::spawn(carry(near_in, far_out, Some(Arc::clone(&victim))));
        tokio::spawn(carry(far_in, near_out, None));
    }
}

async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, victim: Option<Arc<Victim>>) {
    let mut bytes = vec![0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
        victim.iter().for_each(|victim| victim.sent());
    }
}

fn start(by_way: &str, folder: &Path) -> (Child, BufReader<ChildStdout>) {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "killed::plays_the_script", "--nocapture"]);
    command.env(ADDRESS, by_way).env(FOLDER, folder).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = command.spawn().expect("it starts");
    let said = BufReader::new(process.stdout.take().expect("it is piped"));
    (process, said)
}

/// What came of one process.
#[derive(Default)]
struct Judged {
    is_done: bool,
    asked: usize,
    repeated: usize,
}

/// Kills a process after so many pieces to its database, and lets another node end what it began.
async fn killed_after(address: String, pieces: u32) -> Judged {
    let folder = tempfile::tempdir().expect("a folder");
    let (listener, port, by_way) = wire(&address).await;
    let (process, said) = start(&by_way, folder.path());
    let victim = Arc::new(Victim { process: Mutex::new(process), left: AtomicU32::new(0) });
    let leads = tokio::spawn(lead(listener, port, Arc::clone(&victim)));
    let counted = Arc::clone(&victim);
    let lines = tokio::task::spawn_blocking(move || {
        let arm = |line: &String| {
            if line == "begins" {
                counted.left.store(pieces, Ordering::Relaxed);
            }
        };
        said.lines().map_while(Result::ok).inspect(arm).collect::<Vec<String>>()
    });
    let lines = lines.await.expect("it listens");
    victim.process.lock().expect("no panic holds it").wait().expect("it is over");
    leads.abort();
    let asked = lines.iter().filter_map(|line| line.strip_prefix("asked ")).map(|run| run.parse().expect("a run"));
    let asked: Vec<RunId> = asked.collect();
    let is_done = lines.iter().any(|line| line == "done");
    let repeated = if asked.is_empty() { 0 } else { judge(&address, folder.path(), pieces).await };
    Judged { is_done, asked: asked.len(), repeated }
}

/// Sees that all runs end, also one whose asking was never answered, and each task was done once. Answers how many attempts were lost.
async fn judge(address: &str, folder: &Path, pieces: u32) -> usize {
    let engine = node(address, "heir", folder).await;
    let store: &Arc<dyn Store> = engine.store();
    let all = store.runs(RunQuery { limit: 1_000, with_tasks: true, ..RunQuery::default() }).await.expect("read");
    let done = || std::fs::read_to_string(folder.join("done")).expect("tasks were done");
    let mut repeated = 0;
    for run in all.into_iter().filter(|run| run.parent.is_none()) {
        let info = end(&engine, run.id).await;
        assert_eq!(info.state, RunState::Succeeded, "killed after {pieces}: {info:?}");
        let of_run = RunQuery { parent: Some(run.id), with_tasks: true, limit: 100, ..RunQuery::default() };
        let children = store.runs(of_run).await.expect("read");
        let expected = WORKFLOWS.iter().find(|(name, _)| *name == info.key.name).expect("one of these").1;
        assert_eq!(children.len(), expected, "killed after {pieces}: {children:?}");
        assert!(children.iter().all(|child| child.state == RunState::Succeeded), "{children:?}");
        repeated += children.iter().filter(|child| child.attempt > 1).count();
        // An attempt begins once, and another one only where the process died meanwhile.
        let done = done();
        let mut begun = BTreeMap::<&str, Vec<&str>>::new();
        for line in done.lines().filter(|line| line.starts_with(&format!("{}.", info.key.name))) {
            let (task, attempt) = line.split_once(' ').expect("a task and its attempt");
            begun.entry(task).or_default().push(attempt);
        }
        assert_eq!(begun.len(), expected, "killed after {pieces}: {done}");
        let is_twice = |attempts: &Vec<&str>| attempts.iter().any(|a| attempts.iter().filter(|b| a == *b).count() > 1);
        assert!(!begun.values().any(is_twice), "killed after {pieces}: an attempt began twice: {done}");
    }
    engine.stop(Duration::from_secs(60)).await.expect("it stops");
    repeated
}

/// Kills a process at its first request, another one at its second, and so on, until one has done all.
async fn whatever_is_sent_last(fresh: impl AsyncFn() -> String) {
    let (mut next, mut asked, mut repeated) = (1, 0, 0);
    loop {
        let mut under_way = Vec::new();
        for pieces in next..next + AT_ONCE {
            under_way.push(killed_after(fresh().await, pieces));
        }
        let judged = join_all(under_way).await;
        next += AT_ONCE;
        asked += judged.iter().map(|it| it.asked).sum::<usize>();
        repeated += judged.iter().map(|it| it.repeated).sum::<usize>();
        if judged.iter().all(|it| it.is_done) || next > PIECES_MAX {
            break;
        }
    }
    assert!(asked > 50 && repeated > 5, "{next} processes, {asked} runs asked for, {repeated} attempts lost");
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_sent_last_each_task_is_done_once_and_the_runs_end_on_postgres() {
    whatever_is_sent_last(postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_sent_last_each_task_is_done_once_and_the_runs_end_on_mariadb() {
    whatever_is_sent_last(mysql).await;
}
