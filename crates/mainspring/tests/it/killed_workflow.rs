//! A process that is killed at every point of a workflow run: the next one ends it, with each task done once.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use mainspring::prelude::*;
use mainspring::{Error, RunId, WorkflowBuilder};
use mainspring_store::{RunQuery, Store};

/// The folder of the script, for the process that plays it.
const FOLDER: &str = "MAINSPRING_TEST_WORKFLOW_KILLED_IN";
/// The signal that nobody hears.
const KILL: i32 = 9;
const GRACE: Duration = Duration::from_secs(60);
/// Tasks and items of the workflow.
const RUNS: usize = 6;

/// A scheduler over the folder's file, whose tasks say in another file that they are done.
async fn begun(folder: &Path) -> Result<Scheduler, Error> {
    let file = Arc::new(folder.join("done"));
    let builder = Scheduler::builder().handler("work", move |run: RunContext| {
        let file = Arc::clone(&file);
        async move {
            let task = run.task().expect("it is a task's run");
            let item = task.item.as_ref().map(|item| item.index);
            let line = format!("{}{item:?} {} {}\n", task.task, run.run_id(), run.attempt());
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&*file)?;
            file.write_all(line.as_bytes())?;
            anyhow::Ok(json!({"items": [1, 2]}))
        }
    });
    builder.start(&format!("sqlite:{}", folder.join("s.db").display())).await
}

/// A diamond, one side of which runs for each of two items, and a last task.
fn etl() -> WorkflowBuilder {
    let work = || job("work").handler("work").on_lost(OnLost::Retry).retries(1, Duration::ZERO);
    let mut etl = workflow("etl");
    let first = etl.job("first", (), work());
    let left = etl.job("left", &first, work());
    let right = etl.job("right", &first, work());
    etl.for_each(&right, "${{ needs.first.outputs.items }}");
    etl.job("last", (&left, &right), work());
    let tidy = etl.job("tidy", (), work());
    etl.finally(&tidy);
    etl
}

/// Says what was answered.
#[expect(clippy::print_stdout, reason = "the test listens to its process")]
fn say(what: &str) {
    println!("\n{what}");
}

async fn script(folder: &Path) -> Result<(), Error> {
    let scheduler = begun(folder).await?;
    scheduler.add_workflow(etl()).await?;
    let run = scheduler.run_now("etl").await?;
    say(&format!("asked {}", run.id));
    scheduler.wait(run.id).await?;
    scheduler.shutdown(GRACE).await?;
    say("done");
    Ok(())
}

/// Not a test of its own: the script, in a process that is killed.
#[tokio::test]
async fn plays_the_script() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    script(Path::new(&folder)).await.expect("it is killed, and nothing else");
}

/// The run that was asked for until the process was killed where it entered one of these system calls for the n-th time; and whether it
/// was done before.
fn asked_until_killed(folder: &Path, calls: &str, number: u32) -> anyhow::Result<(Option<RunId>, bool)> {
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={calls}")]);
    traced.args(["-e", &format!("inject={calls}:signal=KILL:when={number}")]);
    traced.arg("-P").arg(folder.join("s.db")).arg("-P").arg(folder.join("s.db-wal"));
    traced.arg(std::env::current_exe()?).args(["--exact", "killed_workflow::plays_the_script", "--nocapture"]);
    let output = traced.env(FOLDER, folder).output()?;
    let said = String::from_utf8(output.stdout)?;
    let is_done = output.status.success() && said.lines().any(|line| line == "done");
    let is_killed = output.status.signal() == Some(KILL);
    let errors = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(is_done || is_killed, "neither killed nor done: {}\n{said}\n{errors}", output.status);
    let asked = said.lines().find_map(|line| line.strip_prefix("asked "));
    Ok((asked.map(str::parse).transpose()?, is_done))
}

/// Starts anew, and sees that the run ends and each task was done once. Answers whether an attempt was lost.
async fn judge(folder: &Path, asked: Option<RunId>) -> anyhow::Result<bool> {
    let scheduler = begun(folder).await?;
    let Some(run) = asked else {
        scheduler.shutdown(GRACE).await?;
        return Ok(false);
    };
    let info = tokio::time::timeout(GRACE, scheduler.wait(run)).await.context("it does not end")??;
    anyhow::ensure!(info.state == RunState::Succeeded, "{info:?}");
    let store: &Arc<dyn Store> = scheduler.engine().store();
    let children =
        store.runs(RunQuery { parent: Some(run), with_tasks: true, limit: 100, ..RunQuery::default() }).await?;
    anyhow::ensure!(children.len() == RUNS, "{} runs of tasks: {children:?}", children.len());
    anyhow::ensure!(children.iter().all(|child| child.state == RunState::Succeeded), "{children:?}");
    // An attempt begins once, and another one only where the process died meanwhile.
    let done = std::fs::read_to_string(folder.join("done"))?;
    let mut begun = BTreeMap::<&str, Vec<&str>>::new();
    for line in done.lines() {
        let (task, attempt) = line.split_once(' ').context("a line of a task")?;
        begun.entry(task).or_default().push(attempt);
    }
    anyhow::ensure!(begun.len() == RUNS, "{done}");
    let is_repeated = |attempts: &Vec<&str>| attempts.iter().any(|a| attempts.iter().filter(|b| a == *b).count() > 1);
    anyhow::ensure!(!begun.values().any(is_repeated), "an attempt began twice: {done}");
    scheduler.shutdown(GRACE).await?;
    Ok(children.iter().any(|child| child.attempt > 1))
}

#[tokio::test]
async fn whatever_write_is_the_last_each_task_is_done_once_and_the_run_ends() -> anyhow::Result<()> {
    let may_trace = Command::new("strace").args(["-o", "/dev/null", "true"]).status();
    if !may_trace.is_ok_and(|ended| ended.success()) {
        eprintln!("not tried: strace is missing, or may not trace here");
        return Ok(());
    }
    let folder = || tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let made = folder()?;
    begun(made.path()).await?.shutdown(GRACE).await?;
    let (mut number, mut asked_for, mut lost) = (0, 0, 0);
    loop {
        number += 1;
        let folder = folder()?;
        std::fs::copy(made.path().join("s.db"), folder.path().join("s.db"))?;
        let (asked, is_done) = asked_until_killed(folder.path(), "pwrite64", number)?;
        let verdict = judge(folder.path(), asked).await;
        lost += u32::from(verdict.with_context(|| format!("killed at write number {number}"))?);
        if is_done {
            break;
        }
        asked_for += u32::from(asked.is_some());
    }
    anyhow::ensure!(asked_for > 10 && lost > 0, "killed {number} times, {asked_for} in a run, {lost} attempts lost");
    Ok(())
}
