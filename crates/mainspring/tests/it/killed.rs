//! A process that is killed at every point of a fixed script: what its answers, its work and its tables then say of each other.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Context;
use mainspring::Error;
use mainspring::prelude::*;
use mainspring_rig::witness::{Moment, Witness};
use mainspring_rig::{Bounds, History, Report, check};

use crate::t;

/// The folder of the script, for the process that plays it.
const FOLDER: &str = "MAINSPRING_TEST_KILLED_IN";
/// What the script's clock shows at first.
const START: &str = "2026-01-01T00:00:00Z";
/// And when it pauses a job.
const PAUSE: &str = "2026-01-01T00:00:01.500Z";
/// The signal that nobody hears.
const KILL: i32 = 9;
const GRACE: Duration = Duration::from_secs(60);

/// A scheduler over the folder's file, whose jobs bear witness in the folder.
async fn begun(folder: &Path, now: Timestamp) -> Result<ManualEngine, Error> {
    let witness = Witness::new(folder.join("witness"));
    let builder = Scheduler::builder().handler("work", move |run: RunContext| {
        let witness = witness.clone();
        async move {
            let job = run.job().to_string();
            let note = |moment| witness.note(moment, &job, run.run_id(), run.attempt(), run.fire_time());
            note(Moment::Start)?;
            note(Moment::End)?;
            let is_flaky = run.job().name == "flaky";
            anyhow::ensure!(!is_flaky || run.attempt() > 1, "the first attempt fails");
            anyhow::Ok(())
        }
    });
    ManualEngine::start_on(builder, &format!("sqlite:{}", folder.join("s.db").display()), now).await
}

/// Says what was answered.
#[expect(clippy::print_stdout, reason = "the test listens to its process")]
fn say(what: &str) {
    println!("\n{what}");
}

async fn script(folder: &Path) -> Result<(), Error> {
    let mut engine = begun(folder, t(START)).await?;
    let each_second = || every(Duration::from_secs(1)).name("t");
    engine.scheduler().add(job("steady").handler("work").trigger(each_second())).await?;
    say("kept steady");
    let flaky = job("flaky").handler("work").retries(1, Duration::from_millis(300)).trigger(each_second());
    engine.scheduler().add(flaky).await?;
    say("kept flaky");
    engine.advance(Duration::from_millis(500)).await;
    let run = engine.scheduler().run_now("steady").await?;
    say(&format!("asked {}", run.id));
    engine.advance_to(t(PAUSE)).await;
    engine.scheduler().pause("flaky").await?;
    say("paused flaky");
    engine.advance(Duration::from_secs(1)).await;
    engine.shutdown(GRACE).await?;
    say("done");
    Ok(())
}

/// Not a test of its own: the script, in a process that is killed.
#[tokio::test]
async fn plays_the_script() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    script(Path::new(&folder)).await.expect("it is killed, and nothing else");
}

/// What the script has said until it was killed where it entered one of these system calls for the n-th time, or was done, and
/// whether it was. Calls are counted by thread; the one that writes to the file and its log is one.
fn said_until_killed(folder: &Path, calls: &str, number: u32) -> anyhow::Result<(String, bool)> {
    let file = folder.join("s.db");
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={calls}")]);
    traced.args(["-e", &format!("inject={calls}:signal=KILL:when={number}")]);
    traced.arg("-P").arg(&file).arg("-P").arg(folder.join("s.db-wal"));
    traced.arg(std::env::current_exe()?).args(["--exact", "killed::plays_the_script", "--nocapture"]);
    let output = traced.env(FOLDER, folder).output()?;
    let said = String::from_utf8(output.stdout)?;
    let is_done = output.status.success() && said.lines().any(|line| line == "done");
    // Strace ends as what it traces does.
    let is_killed = output.status.signal() == Some(KILL);
    let errors = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(is_done || is_killed, "neither killed nor done: {}\n{said}\n{errors}", output.status);
    Ok((said, is_done))
}

/// Starts anew, later, and compares.
async fn judge(folder: &Path, said: &str) -> anyhow::Result<Report> {
    let now = t(START) + 5_000;
    let mut engine = begun(folder, now).await?;
    let scheduler = engine.scheduler();
    let was_said = |what: &str| said.lines().any(|line| line == what);
    for name in ["steady", "flaky"] {
        let is_there = scheduler.job(name).await?.is_some();
        anyhow::ensure!(is_there || !was_said(&format!("kept {name}")), "I13: {name} was answered as kept");
    }
    if was_said("paused flaky") {
        let later = scheduler.runs("flaky", 100).await?.into_iter().find(|run| run.fire_time > t(PAUSE));
        anyhow::ensure!(later.is_none(), "I14: {later:?}");
    }
    let was_paused = scheduler.job("flaky").await?.is_some_and(|job| job.paused);
    anyhow::ensure!(was_paused || !was_said("paused flaky"), "I13: flaky was answered as paused");
    if was_paused {
        // What a pause has passed over is recorded once it is over.
        scheduler.resume("flaky").await?;
    }
    // The second attempts of what has fired just now are due.
    engine.advance(Duration::from_millis(500)).await;
    for run in said.lines().filter_map(|line| line.strip_prefix("asked ")) {
        let run = engine.scheduler().control().run(run.parse().ok().context("a run")?).await?;
        anyhow::ensure!(run.state.is_final(), "I13: it was answered as asked for, and is {run:?}");
    }
    let store = engine.scheduler().engine().store();
    let mut history = History::read(store.as_ref(), &Witness::new(folder.join("witness")), now).await?;
    if was_paused {
        let promise = history.promise("default/flaky/t")?;
        promise.must = vec![(t(START) + 1, t(PAUSE))];
    }
    let report = check(&history, Bounds { patience_ms: 0, ..Bounds::default() });
    anyhow::ensure!(report.problems.is_empty(), "{report}");
    engine.shutdown(GRACE).await?;
    Ok(report)
}

/// What is said of the torture holds of the script, as far as it asks it, wherever the process was killed.
#[tokio::test]
async fn whatever_write_or_sync_is_the_last_work_answers_and_tables_agree() -> anyhow::Result<()> {
    let may_trace = Command::new("strace").args(["-o", "/dev/null", "true"]).status();
    if !may_trace.is_ok_and(|ended| ended.success()) {
        eprintln!("not tried: strace is missing, or may not trace here");
        return Ok(());
    }
    // Where a sync costs nothing, if there is such a place: what it is good for is not asked here. The script finds a file that
    // is there; how one is made is asked of the store.
    let folder = || tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let made = folder()?;
    begun(made.path(), t(START)).await?.shutdown(GRACE).await?;
    for calls in ["pwrite64,ftruncate", "fsync,fdatasync"] {
        let (mut number, mut lost_attempts, mut words) = (0, 0, BTreeSet::new());
        let last = loop {
            number += 1;
            let folder = folder()?;
            std::fs::copy(made.path().join("s.db"), folder.path().join("s.db"))?;
            let (said, is_done) = said_until_killed(folder.path(), calls, number)?;
            let verdict = judge(folder.path(), &said).await;
            let report = verdict.with_context(|| format!("killed at {calls} number {number}, after:\n{said}"))?;
            if is_done {
                break report;
            }
            lost_attempts += report.lost_attempts;
            words.extend(said.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned));
        };
        let after_each = ["kept", "asked", "paused"].iter().all(|word| words.contains(*word));
        anyhow::ensure!(after_each && lost_attempts > 0, "{calls}: killed after {words:?}, {lost_attempts} lost");
        anyhow::ensure!(last.fired > 0 && last.starts > 0, "{last}");
    }
    Ok(())
}
