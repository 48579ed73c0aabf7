//! What the leash does when those around it are killed.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use mainspring_tasks::{Attempt, LogWriter, Outcome, Silence, TaskRunner, boot_ms};

use crate::support::*;

const FROZEN_FOLDER: &str = "MAINSPRING_TEST_FROZEN_FOLDER";
const WORKER_FOLDER: &str = "MAINSPRING_TEST_WORKER_FOLDER";

/// Not a test by itself: the body of a worker that [`a_killed_worker_takes_its_processes_along`]
/// starts as a process of its own, to kill it.
#[tokio::test]
async fn worker_to_be_killed() {
    let Some(folder) = std::env::var_os(WORKER_FOLDER) else {
        return;
    };
    let folder = Path::new(&folder);
    let runner = TaskRunner::new(settings(Hold::Leash, &folder.join("work"))).unwrap();
    let (main, daemon) = (folder.join("main"), folder.join("daemon"));
    let script = format!(
        "trap '' TERM HUP; (env -i PATH=\"$PATH\" setsid sh -c 'trap \"\" TERM; echo $$ > {}; while :; do sleep 0.05; done' &); echo $$ > {}; \
         while :; do sleep 0.05; done",
        daemon.display(),
        main.display(),
    );
    let (writer, _reader) = LogWriter::channel(1, now_ms);
    runner.perform(&sh(&script), &attempt(), writer, std::future::pending()).await;
}

#[tokio::test]
async fn a_killed_worker_takes_its_processes_along() {
    let folder = tempfile::tempdir().unwrap();
    let mut worker = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "leash::worker_to_be_killed"])
        .env(WORKER_FOLDER, folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let main = pid_in(&folder.path().join("main")).await;
    let daemon = pid_in(&folder.path().join("daemon")).await;
    assert!(is_alive(main) && is_alive(daemon));
    worker.kill().unwrap();
    worker.wait().unwrap();
    for (name, pid) in [("main", main), ("daemon", daemon)] {
        wait_for(&format!("the {name} process to end"), || (!is_alive(pid)).then_some(())).await;
    }
    // What the worker left is removed by the next one.
    let work = folder.path().join("work");
    let next = TaskRunner::new(settings(Hold::Leash, &work)).unwrap();
    assert_eq!(fs::read_dir(&work).unwrap().filter(|e| e.as_ref().unwrap().path().is_dir()).count(), 1);
    drop(next);
}

#[tokio::test]
async fn a_killed_leash_fails_the_attempt_and_its_tree_is_ended() {
    let bench = Bench::new(Hold::Leash);
    let (main, leash) = (bench.path("main"), bench.path("leash"));
    let script = format!(
        "setsid sh -c 'echo $$ > {0}; exec sleep 600' & while [ ! -s {0} ]; do sleep 0.01; done; echo $PPID > {1}; sleep 600",
        main.display(),
        leash.display()
    );
    let (task, attempt) = (sh(&script), attempt());
    let kill = async {
        let pid = pid_in(&leash).await;
        assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
        std::future::pending::<()>().await;
    };
    let (ended, _) = bench.perform_until(&task, &attempt, kill).await;
    assert_eq!((ended.outcome, ended.error.unwrap().code), (Outcome::Failed, "process.leash_lost"));
    assert!(!is_alive(pid_in(&main).await));
}

#[test]
fn the_leash_explains_itself_to_whoever_calls_it_by_hand() {
    let leash = env!("CARGO_BIN_EXE_mainspring-leash");
    for args in [&[][..], &["soon", "true"], &["1000"], &["1000", "true"]] {
        let found = Command::new(leash).args(args).stdin(Stdio::null()).output().unwrap();
        assert_eq!(found.status.code(), Some(64), "{args:?}");
        assert!(String::from_utf8_lossy(&found.stderr).contains("this command is for mainspring itself"));
    }
}

/// Not a test by itself: the body of a worker that [`a_frozen_worker_loses_what_others_are_given`] starts as a process of
/// its own, to freeze it.
#[tokio::test]
async fn worker_to_be_frozen() {
    let Some(folder) = std::env::var_os(FROZEN_FOLDER) else {
        return;
    };
    let folder = Path::new(&folder);
    let runner = TaskRunner::new(settings(Hold::Leash, &folder.join("work"))).unwrap();
    let free = attempt();
    let silence = Silence { longest: Duration::from_millis(1_500), since_ms: boot_ms() };
    let limited = Attempt { silence: Some(silence), ..attempt() };
    let perform = async |name: &str, attempt: &Attempt| {
        let pid = folder.join(name);
        let script = format!("trap '' TERM HUP; echo $$ > {}; while :; do sleep 0.05; done", pid.display());
        let (writer, _reader) = LogWriter::channel(1, now_ms);
        let ended = runner.perform(&sh(&script), attempt, writer, std::future::pending()).await;
        fs::write(folder.join(format!("{name}.ended")), format!("{:?}", ended.outcome)).unwrap();
    };
    tokio::join!(perform("limited", &limited), perform("free", &free));
}

#[tokio::test]
async fn a_worker_that_was_frozen_before_the_leash_was_there_begins_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let runner = TaskRunner::new(settings(Hold::Leash, &folder.path().join("work"))).unwrap();
    let begun = folder.path().join("begun");
    let perform = async |longest: Duration| {
        let silence = Silence { longest, since_ms: boot_ms() - 1_000 };
        let (writer, _reader) = LogWriter::channel(1, now_ms);
        let script = sh(&format!("touch {}", begun.display()));
        runner.perform(&script, &Attempt { silence: Some(silence), ..attempt() }, writer, std::future::pending()).await
    };
    assert_eq!(perform(Duration::from_secs(1)).await.outcome, Outcome::Cancelled);
    assert!(!begun.exists());
    assert_eq!(perform(Duration::from_secs(61)).await.outcome, Outcome::Succeeded);
    assert!(begun.exists());
}

#[tokio::test]
async fn a_frozen_worker_loses_what_others_are_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut worker = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "leash::worker_to_be_frozen"])
        .env(FROZEN_FOLDER, folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let signal = |name: &str| {
        assert!(Command::new("kill").args([name, &worker.id().to_string()]).status().unwrap().success());
    };
    let (limited, free) = (pid_in(&path("limited")).await, pid_in(&path("free")).await);
    let begun = std::time::Instant::now();
    wait_for("more time than the silence", || (begun.elapsed() > Duration::from_millis(2_000)).then_some(())).await;
    assert!(is_alive(limited) && is_alive(free), "a worker that is alive says so");
    signal("-STOP");
    wait_for("the end of what others are given", || (!is_alive(limited)).then_some(())).await;
    assert!(is_alive(free));
    signal("-CONT");
    let said = wait_for("the worker to hear of it", || fs::read_to_string(path("limited.ended")).ok()).await;
    assert_eq!(said, "Cancelled");
    worker.kill().unwrap();
    worker.wait().unwrap();
}
