//! The worker in Python, as people copy it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use mainspring_api::{AttemptState, WorkerRun, WorkerTask};

use serde_json::json;

use crate::desk::{Desk, handler_run, script_run};

/// Killed when dropped.
struct Python(Child);

impl Python {
    fn start(desk: &Desk, folder: &Path) -> Self {
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/worker.py");
        let token = folder.join("token");
        std::fs::write(&token, "secret\n").unwrap();
        let mut command = Command::new("python3");
        command.arg(script).env("MAINSPRING_SERVER", desk.url()).env("MAINSPRING_TOKEN_FILE", token);
        command.env("QUEUES", "a,b").env("SLOTS", "3").stdin(Stdio::null());
        Self(command.spawn().unwrap())
    }

    async fn stop(mut self) -> bool {
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        tokio::task::spawn_blocking(move || self.0.wait().unwrap().success()).await.unwrap()
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn desk(give_up_ms: u64) -> Desk {
    let desk = Desk::start(give_up_ms);
    desk.with(|state| state.token = Some("secret".to_owned()));
    desk
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_in_python_works_as_the_protocol_says() {
    let (desk, folder) = (desk(600_000), tempfile::tempdir().unwrap());
    let python = Python::start(&desk, folder.path());
    let spec = desk.until("the worker", |state| state.joined.first().cloned()).await;
    assert_eq!((spec.queues, spec.slots), (vec!["a".to_owned(), "b".to_owned()], 3));
    desk.with(|state| {
        state.answers_to_lose = 1;
        state.waiting = vec![
            script_run("script", "echo $MS_JOB $MS_ATTEMPT $MS_PARAM_WHO; printf 'a\\377b'; exit 3"),
            script_run("long", "head -c 10000000 /dev/zero | tr '\\0' x"),
            handler_run("greet", "greet"),
            handler_run("missing", "missing"),
            WorkerRun { timeout_ms: Some(100), ..script_run("slow", "sleep 60 & sleep 60") },
            WorkerRun { task: WorkerTask::Exec { argv: vec!["true".to_owned()] }, ..script_run("exec", "") },
            script_run("asked", "sleep 60"),
            WorkerRun { data: Some(json!({"seen": 1})), ..handler_run("count", "count") },
            WorkerRun {
                data: Some(json!({"seen": 1})),
                ..script_run("data", r#"grep -q '"seen": 1' $MS_DATA && echo '{"seen": 2}' > $MS_DATA"#)
            },
        ];
        state.cancel = vec!["asked".to_owned()];
    });
    let expected = [
        ("script", AttemptState::Failed, Some("process.exit")),
        ("long", AttemptState::Succeeded, None),
        ("greet", AttemptState::Succeeded, None),
        ("missing", AttemptState::Failed, Some("task.not_enabled")),
        ("slow", AttemptState::TimedOut, Some("process.exit")),
        ("exec", AttemptState::Succeeded, None),
        ("asked", AttemptState::Cancelled, Some("process.exit")),
        ("count", AttemptState::Succeeded, None),
        ("data", AttemptState::Succeeded, None),
    ];
    for (run, outcome, code) in expected {
        let end = desk.end_of(run).await;
        assert_eq!((end.outcome, end.error_code.as_deref()), (outcome, code), "{run}: {end:?}");
        assert_eq!(end.data, ["count", "data"].contains(&run).then(|| json!({"seen": 2})), "{run}");
    }
    desk.with(|state| {
        assert_eq!(state.log("script"), ["default/job 1 world", "a\u{fffd}b"]);
        assert_eq!(state.log("greet"), ["hello, world"]);
        assert_eq!(state.log("long").concat().len(), 10_000_000);
        assert_eq!(state.ends().len(), expected.len(), "nothing twice, although an answer was lost");
    });
    assert!(python.stop().await);
    desk.with(|state| assert_eq!(state.left, ["w1"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_in_python_gives_up_in_time_and_joins_anew() {
    let (desk, folder) = (desk(2_000), tempfile::tempdir().unwrap());
    let python = Python::start(&desk, folder.path());
    let began = |run: &'static str| desk.until(run, move |state| (!state.log(run).is_empty()).then_some(()));
    desk.until("the worker", |state| state.known.clone()).await;
    let (told, go) = (folder.path().join("told"), folder.path().join("go"));
    let shared = format!("trap 'echo > {}; exit 1' TERM; echo begun; sleep 60 & wait", told.display());
    let kept = format!("echo begun; while [ ! -e {} ]; do sleep 0.05; done; echo over", go.display());
    desk.with(|state| {
        state.waiting = vec![WorkerRun { shared: true, ..script_run("shared", &shared) }, script_run("kept", &kept)];
    });
    began("shared").await;
    began("kept").await;
    desk.with(|state| state.is_down = true);
    let is_told = async || {
        while !told.exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), is_told()).await.unwrap();
    std::fs::write(&go, "").unwrap();
    desk.with(|state| state.is_down = false);
    assert_eq!(desk.end_of("shared").await.outcome, AttemptState::Lost);
    assert_eq!(desk.end_of("kept").await.outcome, AttemptState::Succeeded);

    desk.with(|state| state.waiting = vec![script_run("old", "echo begun; sleep 60")]);
    began("old").await;
    desk.with(|state| {
        state.known = None;
        state.given.clear();
        state.waiting = vec![script_run("new", "echo begun")];
    });
    desk.end_of("new").await;
    assert!(python.stop().await);
    desk.with(|state| {
        assert_eq!(state.left, ["w2"]);
        assert!(state.ends().iter().all(|end| end.run != "old"));
    });
}
