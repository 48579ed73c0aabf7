//! What a worker does when things go well, and when they do not.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mainspring_api::{AttemptState, ErrorCode, WorkerRun};
use mainspring_worker::{Builder, RunContext, StartError, Worker};
use serde_json::json;
use tokio::sync::Notify;

use crate::desk::{Desk, State, handler_run, script_run};

/// Longer than any test.
const NEVER_MS: u64 = 600_000;
const GRACE: Duration = Duration::from_secs(30);

fn builder(desk: &Desk) -> Builder {
    Worker::builder(desk.url()).name("w").slots(4).kill_grace(Duration::from_millis(300))
}

fn with_tasks(desk: &Desk, folder: &Path) -> Builder {
    builder(desk).tasks(mainspring_tasks::Settings::new(folder.join("work")))
}

/// A handler that waits to be let go.
fn waits_for(open: &Arc<Notify>) -> impl Fn(RunContext) -> futures_util::future::BoxFuture<'static, ()> + use<> {
    let open = Arc::clone(open);
    move |_| {
        let open = Arc::clone(&open);
        Box::pin(async move { open.notified().await })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn data_of_a_job_is_given_and_what_a_success_makes_of_it_is_reported() {
    let desk = Desk::start(NEVER_MS);
    let folder = tempfile::tempdir().unwrap();
    let count = |run: &RunContext| run.set_data(json!({ "seen": run.data()["seen"].as_u64().unwrap_or(0) + 1 }));
    let worker = with_tasks(&desk, folder.path())
        .handler("count", move |run: RunContext| {
            let counted = count(&run);
            async move { counted }
        })
        .handler("fail", move |run: RunContext| {
            count(&run).unwrap();
            async { Err::<(), _>("no luck") }
        })
        .handler("large", async |run: RunContext| run.set_data(json!({ "x": "y".repeat(65_536) })))
        .start()
        .await
        .unwrap();
    let keeps = |run: WorkerRun| WorkerRun { data: Some(json!({ "seen": 1 })), ..run };
    desk.with(|state| {
        state.waiting = ["count", "fail", "large"].map(|name| keeps(handler_run(name, name))).to_vec();
        state.waiting.push(WorkerRun { run: "none".into(), ..handler_run("none", "count") });
        state.waiting.push(keeps(script_run("script", "sed -i s/1/2/ $MS_DATA")));
    });
    for (run, outcome, error, seen) in [
        ("count", AttemptState::Succeeded, None, Some(2)),
        ("script", AttemptState::Succeeded, None, Some(2)),
        ("fail", AttemptState::Failed, Some("no luck"), None),
        ("large", AttemptState::Failed, Some("65544 bytes"), None),
        ("none", AttemptState::Failed, Some("keeps no data"), None),
    ] {
        let end = desk.end_of(run).await;
        assert_eq!((end.outcome, end.data.clone()), (outcome, seen.map(|seen| json!({ "seen": seen }))), "{run}");
        assert!(error.is_none_or(|error| end.error.as_ref().is_some_and(|it| it.contains(error))), "{end:?}");
    }
    worker.stop(GRACE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_executed_and_reported_with_log_and_output() {
    let desk = Desk::start(NEVER_MS);
    let folder = tempfile::tempdir().unwrap();
    let worker = with_tasks(&desk, folder.path())
        .queues(["a", "b"])
        .label("zone", "north")
        .handler("greet", async |run: RunContext| {
            run.log(&format!("attempt {}\nof {}/{}", run.attempt(), run.namespace(), run.job())).await;
            json!({ "hello": run.input()["who"] })
        })
        .handler("fail", async |_: RunContext| Err::<(), _>("no luck"))
        .handler("panic", async |_: RunContext| -> () { panic!("oh no") })
        .start()
        .await
        .unwrap();
    let spec = desk.with(|state| state.joined[0].clone());
    assert_eq!((spec.queues, spec.slots, spec.labels["zone"].as_str()), (vec!["a".into(), "b".into()], 4, "north"));

    let script =
        "echo $MS_JOB $MS_ATTEMPT $MS_PARAM_WHO $MS_FIRE_TIME; echo rows=3 >> $MS_OUTPUT; printf 'a\\377b'; exit 3";
    desk.with(|state| {
        state.waiting = ["greet", "fail", "panic", "missing"].map(|name| handler_run(name, name)).to_vec();
        state.waiting.push(script_run("script", script));
        state.waiting.push(WorkerRun { timeout_ms: Some(50), ..script_run("slow", "sleep 60") });
    });
    let expected = [
        ("greet", AttemptState::Succeeded, None),
        ("fail", AttemptState::Failed, Some("handler.failed")),
        ("panic", AttemptState::Failed, Some("handler.panicked")),
        ("missing", AttemptState::Failed, Some("handler.not_found")),
        ("script", AttemptState::Failed, Some("process.exit")),
        ("slow", AttemptState::TimedOut, Some("process.timeout")),
    ];
    for (run, outcome, code) in expected {
        let end = desk.end_of(run).await;
        assert_eq!((end.outcome, end.error_code.as_deref()), (outcome, code), "{run}");
        assert!(end.started_at.unwrap() <= end.ended_at);
    }
    let (greet, script) = (desk.end_of("greet").await, desk.end_of("script").await);
    assert_eq!(greet.output, Some(json!({ "hello": "world" })));
    assert_eq!((script.exit_code, script.output), (Some(3), Some(json!({ "rows": "3" }))));
    desk.with(|state| {
        assert_eq!(state.log("greet"), ["attempt 1", "of default/job"]);
        assert_eq!(state.log("script"), ["default/job 1 world 2026-01-01T00:00:00.000Z", "a\u{fffd}b"]);
        assert!(state.polls.windows(2).all(|two| two[0].1.number < two[1].1.number));
    });
    assert_eq!(worker.stop(GRACE).await, 0);
    desk.with(|state| assert_eq!(state.left, ["w1"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_cancelled_and_its_handler_has_a_grace() {
    let desk = Desk::start(NEVER_MS);
    let folder = tempfile::tempdir().unwrap();
    let worker = with_tasks(&desk, folder.path())
        .handler("polite", async |run: RunContext| {
            run.cancelled().await;
            run.log("cleaning up").await;
        })
        .handler("stubborn", async |_: RunContext| std::future::pending::<()>().await)
        .start()
        .await
        .unwrap();
    desk.with(|state| {
        state.waiting = vec![handler_run("polite", "polite"), handler_run("stubborn", "stubborn")];
        state.waiting.push(script_run("script", "sleep 60"));
        state.cancel = ["polite", "stubborn", "script"].map(str::to_owned).to_vec();
    });
    for run in ["polite", "stubborn", "script"] {
        assert_eq!(desk.end_of(run).await.outcome, AttemptState::Cancelled, "{run}");
    }
    desk.with(|state| assert_eq!(state.log("polite"), ["cleaning up"]));
    worker.stop(GRACE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_whose_answer_got_lost_is_executed_once() {
    let desk = Desk::start(NEVER_MS);
    desk.with(|state| {
        state.answers_to_lose = 1;
        state.waiting = vec![handler_run("a", "count")];
    });
    let worker =
        builder(&desk).handler("count", async |run: RunContext| run.log("entered").await).start().await.unwrap();
    assert_eq!(desk.end_of("a").await.outcome, AttemptState::Succeeded);
    worker.stop(GRACE).await;
    desk.with(|state| assert_eq!((state.log("a").len(), state.ends().len()), (1, 1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_worker_takes_the_next_run_as_soon_as_there_is_room() {
    let desk = Desk::start(NEVER_MS);
    let open = Arc::new(Notify::new());
    let worker = builder(&desk).slots(1).handler("wait", waits_for(&open)).start().await.unwrap();
    desk.with(|state| state.waiting = vec![handler_run("a", "wait"), handler_run("b", "wait")]);
    let is_full = |state: &State| state.polls.iter().any(|(_, poll)| !poll.runs.is_empty()).then_some(());
    desk.until("a question of a full worker", is_full).await;
    desk.with(|state| assert_eq!((state.waiting.len(), state.given.len()), (1, 1)));
    open.notify_one();
    desk.end_of("a").await;
    open.notify_one();
    desk.end_of("b").await;
    worker.stop(GRACE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_server_shared_runs_are_lost_in_time_and_the_others_go_on() {
    let desk = Desk::start(1_500);
    let open = Arc::new(Notify::new());
    let folder = tempfile::tempdir().unwrap();
    let worker = with_tasks(&desk, folder.path()).handler("wait", waits_for(&open)).start().await.unwrap();
    desk.with(|state| {
        state.waiting = vec![handler_run("kept", "wait")];
        state.waiting.push(WorkerRun { shared: true, ..script_run("shared", "echo begun; trap '' TERM; sleep 60; :") });
    });
    desk.until("the start", |state| (!state.log("shared").is_empty()).then_some(())).await;
    desk.with(|state| state.is_down = true);
    let busy = async |count: u32| {
        while worker.running() != count {
            tokio::task::yield_now().await;
        }
    };
    // It is at it for the rest of its time, and for what remains of its grace.
    tokio::time::timeout(Duration::from_secs(30), busy(1)).await.unwrap();
    open.notify_one();
    tokio::time::timeout(Duration::from_secs(30), busy(0)).await.unwrap();
    desk.with(|state| state.is_down = false);
    let lost = desk.end_of("shared").await;
    assert_eq!((lost.outcome, lost.error_code.as_deref()), (AttemptState::Lost, Some("worker.out_of_reach")));
    assert_eq!(desk.end_of("kept").await.outcome, AttemptState::Succeeded);
    worker.stop(GRACE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_was_taken_for_dead_ends_everything_and_joins_anew() {
    let desk = Desk::start(NEVER_MS);
    let folder = tempfile::tempdir().unwrap();
    let worker = with_tasks(&desk, folder.path()).journal(folder.path().join("journal")).start().await.unwrap();
    desk.with(|state| state.waiting = vec![script_run("old", "echo begun; sleep 60")]);
    desk.until("the start", |state| (!state.log("old").is_empty()).then_some(())).await;
    desk.with(|state| {
        state.known = None;
        state.given.clear();
        state.waiting = vec![WorkerRun { attempt: 2, ..script_run("old", "echo again") }];
    });
    let end = desk.end_of("old").await;
    assert_eq!((end.attempt, end.outcome), (2, AttemptState::Succeeded));
    assert_eq!(worker.id(), "w2");
    assert_eq!(worker.stop(GRACE).await, 0);
    desk.with(|state| assert_eq!(state.ends().len(), 1, "nothing of the first life"));
}

#[tokio::test(flavor = "multi_thread")]
async fn ends_that_were_not_reported_are_in_the_journal_for_the_next_start() {
    let desk = Desk::start(NEVER_MS);
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal");
    let open = Arc::new(Notify::new());
    let worker = builder(&desk)
        .journal(&journal)
        .handler("wait", waits_for(&open))
        .handler("stay", async |_: RunContext| std::future::pending::<()>().await)
        .start()
        .await
        .unwrap();
    desk.with(|state| state.waiting = vec![handler_run("over", "wait"), handler_run("cut", "stay")]);
    desk.until("the start", |state| (state.given.len() == 2).then_some(())).await;
    desk.with(|state| state.is_down = true);
    open.notify_one();
    let kept = async || {
        while !std::fs::read_to_string(&journal).unwrap().contains("over") {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), kept()).await.unwrap();
    drop(worker);
    let joined = desk.with(|state| {
        assert_eq!(state.ends(), []);
        state.joined.clone()
    });

    // Another node: a report that was under way when its worker ended would get to the first.
    let desk = Desk::start(NEVER_MS);
    desk.with(|state| (state.joined, state.known) = (joined, Some("w1".to_owned())));
    let begun = tokio::time::timeout(Duration::from_secs(30), async {
        loop {
            // The lock goes with the last task of the worker that was dropped.
            match builder(&desk).journal(&journal).start().await {
                Err(StartError::JournalInUse { .. }) => tokio::task::yield_now().await,
                started => break started.unwrap(),
            }
        }
    });
    let worker = begun.await.unwrap();
    desk.with(|state| {
        let reports: Vec<_> = state.reports.iter().filter(|(_, report)| !report.ends.is_empty()).collect();
        assert_eq!((reports.len(), reports[0].0.as_str(), reports[0].1.ends.len()), (1, "w1", 1));
        assert_eq!((state.left.as_slice(), state.known.as_deref()), (&["w1".to_owned()][..], Some("w2")));
    });
    worker.stop(GRACE).await;
    assert_eq!(std::fs::read_to_string(&journal).unwrap(), "", "it has left");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_server_takes_over_under_the_same_id() {
    let (first, second) = (Desk::start(NEVER_MS), Desk::start(NEVER_MS));
    let worker = builder(&first).server(second.url()).handler("quick", async |_: RunContext| ()).start().await.unwrap();
    second.with(|state| {
        state.known = Some("w1".to_owned());
        state.waiting = vec![handler_run("a", "quick")];
    });
    first.with(|state| state.is_down = true);
    second.end_of("a").await;
    assert_eq!((worker.id().as_str(), worker.server()), ("w1", second.url()));
    worker.stop(GRACE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_report_keeps_nothing_else_back() {
    let desk = Desk::start(NEVER_MS);
    desk.with(|state| state.refuses_output = true);
    let worker = builder(&desk)
        .handler("silent", async |_: RunContext| ())
        .handler("output", async |_: RunContext| json!({ "x": 1 }))
        .handler("large", async |_: RunContext| json!("x".repeat(17 << 20)))
        .start()
        .await
        .unwrap();
    desk.with(|state| state.waiting = ["output", "silent", "large"].map(|name| handler_run(name, name)).to_vec());
    let end = desk.end_of("output").await;
    assert_eq!((end.outcome, end.error_code.as_deref()), (AttemptState::Failed, Some("worker.report_refused")));
    assert_eq!(desk.end_of("silent").await.outcome, AttemptState::Succeeded);
    let large = desk.end_of("large").await;
    assert_eq!((large.outcome, large.error_code.as_deref()), (AttemptState::Succeeded, Some("output.too_large")));
    worker.stop(GRACE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_refused_at_the_start_and_read_again_later() {
    let desk = Desk::start(NEVER_MS);
    desk.with(|state| state.token = Some("new".to_owned()));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "old").unwrap();
    let quick = || builder(&desk).token_file(&file).handler("quick", async |_: RunContext| ());
    match quick().start().await {
        Err(StartError::Refused(error)) => assert_eq!(error.code(), Some(ErrorCode::AuthInvalid)),
        other => panic!("{other:?}"),
    }
    std::fs::write(&file, "new").unwrap();
    let worker = quick().start().await.unwrap();
    desk.with(|state| state.token = Some("newer".to_owned()));
    std::fs::write(&file, "newer").unwrap();
    desk.with(|state| state.waiting = vec![handler_run("a", "quick")]);
    desk.end_of("a").await;
    worker.stop(GRACE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_stops_lets_runs_finish_and_ends_those_that_do_not() {
    let desk = Desk::start(NEVER_MS);
    let open = Arc::new(Notify::new());
    let start = async || {
        builder(&desk)
            .handler("wait", waits_for(&open))
            .handler("stay", async |_: RunContext| std::future::pending::<()>().await)
            .start()
            .await
            .unwrap()
    };
    let worker = start().await;
    desk.with(|state| state.waiting = vec![handler_run("a", "wait")]);
    desk.until("the start", |state| (state.given.len() == 1).then_some(())).await;
    worker.drain();
    desk.until("a question that takes nothing", |state| (state.polls.last()?.1.free == 0).then_some(())).await;
    open.notify_one();
    assert_eq!(worker.stop(GRACE).await, 0);
    assert_eq!(desk.end_of("a").await.outcome, AttemptState::Succeeded);

    let worker = start().await;
    desk.with(|state| state.waiting = vec![handler_run("b", "stay")]);
    desk.until("the start", |state| (state.given.len() == 1).then_some(())).await;
    assert_eq!(worker.stop(Duration::from_millis(50)).await, 1);
    desk.with(|state| {
        assert_eq!(state.ends().last().unwrap().outcome, AttemptState::Cancelled);
        assert_eq!(state.left, ["w1", "w2"]);
    });
}
