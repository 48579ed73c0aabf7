//! The embedded scheduler as programs use it, on a clock that the tests set, and on SQLite across restarts.

mod builder;
mod data;
mod killed;
mod killed_workflow;
mod listeners;
mod names;
mod outputs;
mod parts;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mainspring::prelude::*;
use mainspring::{AttemptOutcome, Error, OnLost};

/// Longer than anything here takes on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn t(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

/// A builder whose handler `note` writes down the fire times of its runs.
fn noting() -> (mainspring::Builder, Arc<Mutex<Vec<Timestamp>>>) {
    let noted = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&noted);
    let builder = Scheduler::builder().handler("note", move |run: RunContext| {
        notes.lock().expect("no test panics here").push(run.fire_time());
        async {}
    });
    (builder, noted)
}

fn taken(noted: &Mutex<Vec<Timestamp>>) -> Vec<Timestamp> {
    std::mem::take(&mut *noted.lock().expect("no test panics here"))
}

#[tokio::test]
async fn every_kind_of_trigger_fires_at_its_instants() {
    let start = t("2026-03-28T00:00:00Z");
    for (trigger, expected) in [
        (cron("0 30 2 * * ?").timezone("Europe/Berlin"), vec!["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z"]),
        (cron("0 12 * * *"), vec!["2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z"]),
        (every(Duration::from_secs(86_400)), vec!["2026-03-28T00:00:00Z", "2026-03-29T00:00:00Z"]),
        (
            every(Duration::from_secs(3_600)).repeat(2),
            vec!["2026-03-28T00:00:00Z", "2026-03-28T01:00:00Z", "2026-03-28T02:00:00Z"],
        ),
        (at(t("2026-03-29T05:00:00Z")), vec!["2026-03-29T05:00:00Z"]),
        (
            delay(Duration::from_secs(20 * 3_600)),
            vec!["2026-03-28T00:00:00Z", "2026-03-28T20:00:00Z", "2026-03-29T16:00:00Z"],
        ),
        (
            daily_window(
                "09:00:00".parse().expect("a time"),
                "10:00:00".parse().expect("a time"),
                Duration::from_secs(1_800),
            )
            .until(t("2026-03-28T23:00:00Z")),
            vec!["2026-03-28T09:00:00Z", "2026-03-28T09:30:00Z", "2026-03-28T10:00:00Z"],
        ),
        (
            calendar_interval(1, mainspring::schedule::CalendarUnit::Day)
                .timezone("America/New_York")
                .starting(t("2026-03-28T13:00:00Z")),
            vec!["2026-03-28T13:00:00Z", "2026-03-29T13:00:00Z"],
        ),
    ] {
        let (builder, noted) = noting();
        let mut engine = ManualEngine::start(builder, start).await.expect("starts");
        engine.scheduler().add(job("note").trigger(trigger.clone())).await.expect("a good job");
        engine.advance(Duration::from_secs(48 * 3_600 - 1)).await;
        let expected: Vec<Timestamp> = expected.into_iter().map(t).collect();
        assert_eq!(taken(&noted), expected, "{trigger:?}");
    }
}

#[tokio::test]
async fn paused_jobs_rest_and_what_passed_is_recorded() {
    let (builder, noted) = noting();
    let mut engine = ManualEngine::start(builder, t("2026-01-01T00:00:00Z")).await.expect("starts");
    engine.scheduler().add(job("note").trigger(every(Duration::from_secs(10)))).await.expect("a good job");
    engine.advance(Duration::from_secs(25)).await;
    assert_eq!(taken(&noted).len(), 3);
    engine.scheduler().pause("note").await.expect("it is there");
    engine.advance(Duration::from_secs(60)).await;
    assert_eq!(taken(&noted), [], "nothing fires after an acknowledged pause");
    engine.scheduler().resume("note").await.expect("it is there");
    engine.advance(Duration::from_secs(10)).await;
    assert_eq!(taken(&noted), [t("2026-01-01T00:01:30Z")]);
    let gaps = engine.scheduler().engine().store().gaps(None, 0, 10).await.expect("readable");
    assert_eq!(gaps.len(), 1, "one range for the pause");
    assert_eq!((gaps[0].gap.count, gaps[0].gap.first), (6, t("2026-01-01T00:00:30Z")));
    let tally = engine.scheduler().engine().store().tally().await.expect("readable");
    assert_eq!(tally[0].fired + tally[0].missed, 10, "every instant has one record: {tally:?}");
}

#[tokio::test]
async fn what_an_edit_or_a_deletion_passes_over_is_recorded_as_missed() {
    let entered = Arc::new(tokio::sync::Notify::new());
    let enter = Arc::clone(&entered);
    let builder = Scheduler::builder().handler("hang", move |run: RunContext| {
        enter.notify_one();
        async move { run.cancelled().await }
    });
    let engine = ManualEngine::start(builder, t("2026-01-01T00:00:00Z")).await.expect("starts");
    let hang = |seconds| {
        let trigger = every(Duration::from_secs(seconds)).name("t");
        job("hang").overlap(Overlap::Hold, 1).trigger(trigger)
    };
    // The first run holds the others back for as long as the job is there: whatever the engine has come to, they are not recorded.
    engine.scheduler().add(hang(10)).await.expect("a good job");
    entered.notified().await;
    engine.tick(Duration::from_secs(35));
    engine.scheduler().add(hang(7)).await.expect("a good job");
    engine.scheduler().pause("hang").await.expect("it is there");
    engine.tick(Duration::from_secs(20));
    engine.scheduler().add(hang(3)).await.expect("a good job");
    engine.scheduler().resume("hang").await.expect("it is there");
    engine.tick(Duration::from_secs(10));
    engine.scheduler().remove("hang").await.expect("it is there");
    let store = engine.scheduler().engine().store();
    let gaps = store.gaps(None, 0, 10).await.expect("readable");
    let second = |instant: Timestamp| instant.since(t("2026-01-01T00:00:00Z")) / 1_000;
    let shown =
        gaps.iter().map(|row| (second(row.gap.first), second(row.gap.last), row.gap.count, row.gap.reason.as_str()));
    let expected = [(10, 30, 3, "changed"), (42, 49, 2, "paused"), (58, 64, 3, "deleted")];
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    let tally = store.tally().await.expect("readable");
    assert_eq!((tally[0].fired, tally[0].missed), (1, 8), "every instant has one record: {tally:?}");
}

#[tokio::test]
async fn edits_and_deletions_take_effect_at_once() {
    let (builder, noted) = noting();
    let mut engine = ManualEngine::start(builder, t("2026-01-01T00:00:00Z")).await.expect("starts");
    engine.scheduler().add(job("note").trigger(every(Duration::from_secs(10)))).await.expect("a good job");
    engine.advance(Duration::from_secs(10)).await;
    assert_eq!(taken(&noted).len(), 2);
    engine.scheduler().add(job("note").trigger(cron("0 * * * * ?"))).await.expect("a good job");
    engine.advance(Duration::from_secs(60)).await;
    assert_eq!(taken(&noted), [t("2026-01-01T00:01:00Z")]);
    engine.scheduler().remove("note").await.expect("it is there");
    engine.advance(Duration::from_secs(3_600)).await;
    assert_eq!(taken(&noted), []);
}

#[tokio::test]
async fn failed_attempts_are_tried_again_and_recorded_one_by_one() {
    let tries = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&tries);
    let builder = Scheduler::builder().handler("flaky", move |run: RunContext| {
        counted.fetch_add(1, Ordering::Relaxed);
        async move { if run.attempt() < 3 { Err("not yet") } else { Ok(json!({"attempt": run.attempt()})) } }
    });
    let mut engine = ManualEngine::start(builder, t("2026-01-01T00:00:00Z")).await.expect("starts");
    let flaky = job("flaky").retries(5, Duration::from_secs(30)).trigger(at(t("2026-01-01T00:00:05Z")));
    engine.scheduler().add(flaky).await.expect("a good job");
    engine.advance(Duration::from_secs(34)).await;
    assert_eq!(tries.load(Ordering::Relaxed), 1, "the second attempt is due at 35 s");
    engine.advance(Duration::from_secs(60)).await;
    let runs = engine.scheduler().runs("flaky", 10).await.expect("readable");
    assert_eq!((runs.len(), runs[0].state, runs[0].attempt), (1, RunState::Succeeded, 3));
    assert_eq!(runs[0].output.as_deref(), Some(r#"{"attempt":3}"#));
    let attempts = engine.scheduler().engine().store().attempts(runs[0].id).await.expect("readable");
    let outcomes: Vec<_> = attempts.iter().map(|attempt| attempt.outcome).collect();
    let (failed, succeeded) = (Some(AttemptOutcome::Failed), Some(AttemptOutcome::Succeeded));
    assert_eq!(outcomes, [failed, failed, succeeded]);
    assert_eq!(attempts[0].error.as_deref(), Some("not yet"));
}

#[tokio::test]
async fn overlap_policies_bound_unfinished_runs() {
    let cases = [(Overlap::Skip, 1, 2), (Overlap::QueueOne, 2, 1), (Overlap::QueueAll, 3, 0), (Overlap::Allow, 3, 0)];
    for (overlap, fired, suppressed) in cases {
        let gate = Arc::new(tokio::sync::Semaphore::new(0));
        let waiting = Arc::clone(&gate);
        let builder = Scheduler::builder().handler("slow", move |_: RunContext| {
            let waiting = Arc::clone(&waiting);
            async move { waiting.acquire().await.expect("open").forget() }
        });
        let clock = t("2026-01-01T00:00:00Z");
        let engine = ManualEngine::start(builder, clock).await.expect("starts");
        let scheduler = engine.scheduler();
        let mut notices = scheduler.subscribe();
        let three = every(Duration::from_secs(1)).repeat(2).starting(clock + 1_000);
        let max_active = 1;
        scheduler.add(job("slow").overlap(overlap, max_active).trigger(three)).await.expect("a good job");
        for _ in 0..3 {
            let fired = async { while !matches!(notices.recv().await.expect("open"), Notice::Fired { .. }) {} };
            engine.tick(Duration::from_secs(1));
            tokio::time::timeout(Duration::from_secs(60), fired).await.expect("each instant is recorded");
        }
        gate.add_permits(10);
        engine.settle().await;
        let tally = scheduler.engine().store().tally().await.expect("readable")[0];
        assert_eq!((tally.fired, tally.suppressed), (fired, suppressed), "{overlap}");
    }
}

/// A scheduler whose runs take until they are let go, or told to end.
async fn patient(wanted: mainspring::JobBuilder) -> (ManualEngine, Arc<tokio::sync::Semaphore>) {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let waiting = Arc::clone(&gate);
    let builder = Scheduler::builder().handler("patient", move |run: RunContext| {
        let waiting = Arc::clone(&waiting);
        async move {
            tokio::select! {
                _ = waiting.acquire() => Ok(()),
                () = run.cancelled() => Err("told to end"),
            }
        }
    });
    let engine = ManualEngine::start(builder, t("2026-01-01T00:00:00Z")).await.expect("starts");
    engine.scheduler().add(wanted).await.expect("a good job");
    (engine, gate)
}

#[tokio::test]
async fn newest_run_takes_the_place_of_the_one_before() {
    let clock = t("2026-01-01T00:00:00Z");
    let three = every(Duration::from_secs(1)).repeat(2).starting(clock + 1_000);
    let wanted = job("patient").overlap(Overlap::CancelRunning, 1).trigger(three);
    let (engine, gate) = patient(wanted).await;
    let latest = async |engine: &ManualEngine| engine.scheduler().runs("patient", 10).await.expect("readable");
    for count in 1..=3 {
        engine.tick(Duration::from_secs(1));
        let newest_runs = async {
            while !matches!(&latest(&engine).await[..], [newest, ..] if newest.state == RunState::Running
                && newest.fire_time == clock + count * 1_000)
            {
                tokio::task::yield_now().await;
            }
        };
        let seen = tokio::time::timeout(Duration::from_secs(60), newest_runs).await;
        assert!(seen.is_ok(), "the newest run takes over: {:?}", latest(&engine).await);
    }
    gate.add_permits(1);
    engine.settle().await;
    let runs = latest(&engine).await;
    let ends: Vec<_> = runs.iter().map(|run| (run.state, run.reason.as_deref())).collect();
    let replaced = (RunState::Cancelled, Some("replaced by a newer run"));
    assert_eq!(ends, [(RunState::Succeeded, None), replaced, replaced]);
}

#[tokio::test]
async fn delay_goes_on_when_its_run_is_replaced_before_it_starts() {
    let wanted = job("flaky")
        .overlap(Overlap::CancelRunning, 1)
        .retries(1, Duration::from_secs(3_600))
        .trigger(delay(Duration::from_secs(10)));
    let builder = Scheduler::builder().handler("flaky", async |_: RunContext| Err::<(), _>("not yet"));
    let mut engine = ManualEngine::start(builder, t("2026-01-01T00:00:00Z")).await.expect("starts");
    engine.scheduler().add(wanted).await.expect("a good job");
    engine.advance(Duration::from_secs(30)).await;
    let runs = async |engine: &ManualEngine| engine.scheduler().runs("flaky", 10).await.expect("readable");
    assert_eq!(runs(&engine).await[0].state, RunState::Scheduled, "it waits for its second attempt");
    engine.scheduler().run_now("flaky").await.expect("there is such a job");
    engine.settle().await;
    assert_eq!(runs(&engine).await[1].state, RunState::Cancelled);
    let next = engine.scheduler().upcoming(Timestamp::MAX, 9).await.expect("readable");
    assert_eq!(next.iter().map(|next| next.fire_time).collect::<Vec<_>>(), [t("2026-01-01T00:00:40Z")]);
    let manual = runs(&engine).await[0].id;
    engine.advance(Duration::from_secs(11)).await;
    engine.scheduler().cancel(manual).await.expect("it waits for its second attempt");
    engine.settle().await;
    assert_eq!(runs(&engine).await.len(), 3, "a delay replaces nobody: it waits, and goes on");
}

#[tokio::test]
async fn no_attempt_begins_once_the_time_of_the_run_is_over() {
    let builder = Scheduler::builder().handler("flaky", async |_: RunContext| Err::<(), _>("not yet"));
    let mut engine = ManualEngine::start(builder, t("2026-01-01T00:00:00Z")).await.expect("starts");
    let flaky = job("flaky").retries(9, Duration::from_secs(20)).run_timeout(Duration::from_secs(50));
    engine.scheduler().add(flaky).await.expect("a good job");
    engine.scheduler().run_now("flaky").await.expect("there is such a job");
    engine.advance(Duration::from_secs(39)).await;
    let run = async |engine: &ManualEngine| engine.scheduler().runs("flaky", 1).await.expect("readable").remove(0);
    let waiting = run(&engine).await;
    assert_eq!((waiting.state, waiting.expires_at), (RunState::Scheduled, Some(t("2026-01-01T00:00:50Z"))));
    engine.advance(Duration::from_secs(1)).await;
    let over = run(&engine).await;
    assert_eq!((over.state, over.attempt), (RunState::Failed, 3), "the next would begin at 60 s");
    assert_eq!(over.ended_at, Some(t("2026-01-01T00:00:40Z")));
}

#[tokio::test]
async fn run_that_waits_too_long_for_its_start_is_skipped() {
    let wanted = job("patient").overlap(Overlap::QueueAll, 1).start_timeout(Duration::from_secs(10));
    let (engine, gate) = patient(wanted).await;
    let first = engine.scheduler().run_now("patient").await.expect("there is such a job").id;
    let second = engine.scheduler().run_now("patient").await.expect("there is such a job").id;
    let state = async |run| engine.scheduler().engine().store().run(run).await.expect("readable").expect("it is there");
    let until = async |run, wanted: RunState| {
        let seen = async {
            while state(run).await.state != wanted {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), seen).await.expect("it comes to that");
    };
    until(first, RunState::Running).await;
    assert_eq!(state(second).await.state, RunState::Held);
    engine.tick(Duration::from_secs(10));
    until(second, RunState::Skipped).await;
    assert_eq!(state(second).await.reason.as_deref(), Some("expired"));
    assert_eq!(state(first).await.state, RunState::Running, "it was started in time");
    gate.add_permits(1);
    engine.settle().await;
}

#[tokio::test]
async fn triggers_follow_the_base_of_their_calendar() {
    use mainspring_engine::control::SaveMode;
    use mainspring_store::Expect;
    let (builder, noted) = noting();
    let mut engine = ManualEngine::start(builder, t("2026-01-01T00:00:00Z")).await.expect("starts");
    let save = async |scheduler: &Scheduler, name: &str, definition: &str| {
        let definition = serde_json::from_str(definition).expect("a calendar");
        let saved = scheduler.control().save_calendar("default", name, &definition, Expect::Anything, SaveMode::Commit);
        saved.await.expect("a good calendar");
    };
    save(engine.scheduler(), "base", r#"{"kind": "holiday", "dates": ["2026-01-09"]}"#).await;
    save(engine.scheduler(), "top", r#"{"kind": "holiday", "dates": ["2026-01-04"], "base": "base"}"#).await;
    engine.scheduler().add(job("note").trigger(cron("0 12 * * *").calendar("top"))).await.expect("a good job");
    engine.advance(Duration::from_secs(86_400)).await;
    assert_eq!(taken(&noted), [t("2026-01-01T12:00:00Z")]);
    save(engine.scheduler(), "base", r#"{"kind": "holiday", "dates": ["2026-01-02", "2026-01-03"]}"#).await;
    let next = engine.scheduler().upcoming(Timestamp::MAX, 1).await.expect("readable")[0].fire_time;
    assert_eq!(next, t("2026-01-05T12:00:00Z"));
    engine.advance(Duration::from_secs(4 * 86_400)).await;
    assert_eq!(taken(&noted), [next]);
}

#[tokio::test]
async fn delays_end_with_their_trigger() {
    let start = t("2026-01-01T00:00:00Z");
    let (builder, noted) = noting();
    let mut engine = ManualEngine::start(builder, start).await.expect("starts");
    let until = start + 25_000;
    let mut notices = engine.scheduler().subscribe();
    engine.scheduler().add(job("note").trigger(delay(Duration::from_secs(10)).until(until))).await.expect("a good job");
    engine.advance(Duration::from_secs(60)).await;
    assert_eq!(taken(&noted), [start, start + 10_000, start + 20_000]);
    let left = engine.scheduler().upcoming(Timestamp::MAX, 9).await.expect("readable");
    assert_eq!(left.len(), 0, "the trigger is complete");
    let heard = std::iter::from_fn(|| notices.try_recv().ok());
    assert_eq!(heard.filter(|notice| matches!(notice, Notice::Completed { .. })).count(), 1);
}

/// A scheduler whose delays fail, and wait an hour for the second attempt.
fn failing() -> (mainspring::Builder, Arc<AtomicU32>, mainspring::JobBuilder) {
    let tries = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&tries);
    let builder = Scheduler::builder().handler("flaky", move |_: RunContext| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Err::<(), _>("not yet") }
    });
    let flaky = job("flaky").retries(1, Duration::from_secs(3_600)).trigger(delay(Duration::from_secs(10)));
    (builder, tries, flaky)
}

#[tokio::test]
async fn delay_goes_on_when_its_run_is_cancelled_before_it_starts() {
    let (builder, tries, flaky) = failing();
    let mut engine = ManualEngine::start(builder, t("2026-01-01T00:00:00Z")).await.expect("starts");
    engine.scheduler().add(flaky).await.expect("a good job");
    engine.advance(Duration::from_secs(30)).await;
    assert_eq!(tries.load(Ordering::Relaxed), 1, "the run is not over");
    let run = engine.scheduler().runs("flaky", 1).await.expect("readable")[0].id;
    engine.scheduler().cancel(run).await.expect("it is not over");
    engine.advance(Duration::from_secs(9)).await;
    assert_eq!(tries.load(Ordering::Relaxed), 1);
    engine.advance(Duration::from_secs(1)).await;
    assert_eq!(tries.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn delay_that_an_interruption_left_behind_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("sqlite:{}", folder.path().join("jobs.db").display());
    let (builder, _, flaky) = failing();
    let scheduler = builder.start(&address).await.expect("starts");
    scheduler.add(flaky).await.expect("a good job");
    let run = loop {
        let runs = scheduler.runs("flaky", 1).await.expect("readable");
        match runs.first().filter(|run| run.state == RunState::Scheduled) {
            Some(run) => break run.id,
            None => tokio::task::yield_now().await,
        }
    };
    let now = scheduler.control().now();
    scheduler.shutdown(Duration::from_secs(5)).await.expect("closes");
    // The end of the run without what follows it, which nobody hears of.
    let store = mainspring_store::open(&address).await.expect("opens");
    store.cancel_run(run, "", None, now).await.expect("it has not started");
    let by = mainspring_core::Incarnation(7);
    store.read_changes(by, mainspring_core::cluster::ShardSet::ALL, Default::default(), 100).await.expect("readable");
    assert_eq!(store.stranded().await.expect("readable").len(), 1);
    store.close().await.expect("closes");
    drop(store);

    let scheduler = failing().0.start(&address).await.expect("starts again");
    assert_eq!(scheduler.engine().store().stranded().await.expect("readable").len(), 0);
    let left = scheduler.upcoming(Timestamp::MAX, 9).await.expect("readable");
    assert_eq!(left.len(), 1, "it fires again");
}

#[tokio::test]
async fn limit_set_while_a_run_is_unfinished_holds_and_lets_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name| format!("sqlite:{}", folder.path().join(name).display());
    for (address, overlap) in [
        ("memory:".to_owned(), Overlap::Hold),
        ("memory:".to_owned(), Overlap::QueueOne),
        (file("hold.db"), Overlap::Hold),
        (file("queue_one.db"), Overlap::QueueOne),
    ] {
        limit_holds_and_lets_go(&address, overlap).await;
    }
}

async fn limit_holds_and_lets_go(address: &str, overlap: Overlap) {
    let what = format!("{overlap} on {address}");
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let (waiting, (sender, mut entered)) = (Arc::clone(&gate), tokio::sync::mpsc::unbounded_channel());
    let builder =
        Scheduler::builder().handler("pace", async |_: RunContext| {}).handler("slow", move |_: RunContext| {
            let _ = sender.send(());
            let waiting = Arc::clone(&waiting);
            async move { waiting.acquire().await.expect("open").forget() }
        });
    let scheduler = builder.start(address).await.expect("starts");
    // Not so often that a save is overtaken all the time.
    let often = || every(Duration::from_millis(100));
    let mut next = async || {
        let entered = tokio::time::timeout(Duration::from_secs(60), entered.recv()).await;
        entered.unwrap_or_else(|_| panic!("{what}: no run is let go")).expect("open");
    };
    scheduler.add(job("slow")).await.expect("a good job");
    scheduler.run_now("slow").await.expect("it is there");
    next().await;

    // The trigger comes to the limit while the run from before is unfinished.
    scheduler.add(job("slow").overlap(overlap, 1).trigger(often())).await.expect("a good job");
    let mut notices = scheduler.subscribe();
    let pace = scheduler.add(job("pace").trigger(often())).await.expect("a good job").id;
    let mut passed = 0;
    while passed < 5 {
        let notice = notices.recv().await.expect("open");
        passed += u32::from(matches!(notice, Notice::Fired { job, .. } if job == pace));
    }
    let unfinished = async || {
        let runs = scheduler.runs("slow", 1_000).await.expect("readable");
        runs.iter().filter(|run| matches!(run.state, RunState::Queued | RunState::Running)).count()
    };
    for _ in 0..3 {
        assert_eq!(unfinished().await, 1, "{what}");
        gate.add_permits(1);
        next().await;
    }
    scheduler.add(job("slow").trigger(often())).await.expect("a good job");
    for _ in 0..3 {
        next().await;
    }
    gate.add_permits(100_000);
    scheduler.shutdown(Duration::from_secs(60)).await.expect("closes");
}

#[tokio::test]
async fn panicking_and_missing_handlers_fail_their_run_alone() {
    let builder = Scheduler::builder()
        .handler("bad", async |_: RunContext| -> () { panic!("on purpose") })
        .handler("worse", |_: RunContext| -> std::future::Ready<()> { panic!("before the first await") });
    let scheduler = builder.start("memory:").await.expect("starts");
    for (name, code) in [("bad", "handler.panicked"), ("worse", "handler.panicked"), ("nobody", "handler.not_found")] {
        scheduler.add(job(name)).await.expect("a good job");
        let run = scheduler.run_now(name).await.expect("it is there");
        let run = scheduler.wait(run.id).await.expect("it ends");
        assert_eq!((run.state, run.error_code.as_deref()), (RunState::Failed, Some(code)));
    }
}

#[tokio::test]
async fn cancelled_handlers_hear_of_it() {
    let builder = Scheduler::builder().handler("wait", async |run: RunContext| run.cancelled().await);
    let scheduler = builder.start("memory:").await.expect("starts");
    scheduler.add(job("wait")).await.expect("a good job");
    let run = scheduler.run_now("wait").await.expect("it is there");
    scheduler.cancel(run.id).await.expect("it is not over");
    assert_eq!(scheduler.wait(run.id).await.expect("it ends").state, RunState::Cancelled);
    let error = scheduler.cancel(run.id).await.expect_err("it is over");
    assert!(error.to_string().contains("is cancelled already"), "{error}");
}

#[tokio::test]
async fn bad_jobs_are_refused_with_the_field() {
    let scheduler = Scheduler::builder().start("memory:").await.expect("starts");
    for (bad, field) in [
        (job("a").trigger(cron("0 0 25 * * ?")), "cron"),
        (job("a").trigger(cron("0 0 0 31 2 ?")), "cron"),
        (job("a").trigger(every(Duration::ZERO)), "schedule"),
        (job("a").trigger(cron("@daily").timezone("Europe/Berlim")), "timezone"),
        (job("a").trigger(cron("@daily").calendar("holidays")), "calendar"),
        (job("a").overlap(Overlap::Skip, 0), "max_active"),
        (job("a").trigger(cron("@daily").name("x")).trigger(cron("@daily").name("x")), "triggers"),
    ] {
        let error = scheduler.add(bad.clone()).await.expect_err("refused");
        let Error::Invalid { field: wrong, message, .. } = &error else {
            panic!("{bad:?}: {error}");
        };
        assert_eq!(*wrong, field, "{message}");
    }
    assert!(scheduler.add(job("a b")).await.is_err());
    assert_eq!(scheduler.jobs().await.expect("readable"), []);
}

#[tokio::test]
async fn sqlite_keeps_jobs_runs_and_history_across_restarts() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("sqlite:{}", folder.path().join("jobs.db").display());
    let scheduler = noting().0.start(&address).await.expect("starts");
    scheduler.add(job("note").trigger(cron("@yearly"))).await.expect("a good job");
    let run = scheduler.run_now("note").await.expect("it is there");
    assert_eq!(scheduler.wait(run.id).await.expect("it ends").state, RunState::Succeeded);
    let second = noting().0.start(&address).await.expect_err("one process a file");
    assert!(second.to_string().contains("jobs.db"), "{second}");
    scheduler.shutdown(Duration::from_secs(5)).await.expect("closes");

    let scheduler = noting().0.start(&address).await.expect("starts again");
    let runs = scheduler.runs("note", 10).await.expect("readable");
    assert_eq!((runs.len(), runs[0].id, runs[0].state), (1, run.id, RunState::Succeeded));
    let upcoming = scheduler.upcoming(Timestamp::MAX, 3).await.expect("readable");
    assert_eq!(upcoming.len(), 3);
}

/// A stored definition that a newer version wrote, beside two that this one can read.
#[tokio::test]
async fn definition_that_cannot_be_read_puts_its_triggers_aside_and_no_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("jobs.db");
    let address = format!("sqlite:{}", file.display());
    let scheduler = noting().0.start(&address).await.expect("starts");
    let soon = scheduler.control().now() + 1_000;
    for name in ["a", "b", "c"] {
        let ticking = job(name).handler("note").trigger(every(Duration::from_secs(1)).starting(soon));
        scheduler.add(ticking).await.expect("a good job");
    }
    let id = scheduler.job("b").await.expect("readable").expect("it is there").id;
    scheduler.shutdown(Duration::from_secs(5)).await.expect("closes");
    let newer = "UPDATE job_version SET definition = '{\"tomorrow\": 1}' WHERE job_id = ?1";
    rusqlite::Connection::open(&file).expect("it is free").execute(newer, [id.0]).expect("it is there");

    let (builder, noted) = noting();
    let scheduler = builder.start(&address).await.expect("starts again");
    let store = scheduler.engine().store();
    let told = async || {
        let events = store.events(0, 1_000).await.expect("readable");
        events.into_iter().any(|event| event.payload.contains(r#""error""#) && event.payload.contains("default/b/"))
    };
    while !told().await || taken(&noted).is_empty() {
        tokio::task::yield_now().await;
    }
    for (name, fires) in [("a", true), ("c", true)] {
        assert_eq!(!scheduler.runs(name, 9).await.expect("readable").is_empty(), fires, "{name}");
    }
}

#[tokio::test]
async fn runs_of_a_process_that_vanished_are_lost_and_follow_on_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("sqlite:{}", folder.path().join("jobs.db").display());
    let hanging = || Scheduler::builder().handler("hang", async |_: RunContext| std::future::pending::<()>().await);
    let scheduler = hanging().start(&address).await.expect("starts");
    scheduler.add(job("fails").handler("hang")).await.expect("a good job");
    scheduler.add(job("again").handler("hang").on_lost(OnLost::Retry)).await.expect("a good job");
    let runs = [
        scheduler.run_now("fails").await.expect("it is there").id,
        scheduler.run_now("again").await.expect("it is there").id,
    ];
    for run in runs {
        while scheduler.control().run(run).await.expect("it is there").state != RunState::Running {
            tokio::task::yield_now().await;
        }
    }
    // No shutdown: as if the process had been killed.
    drop(scheduler);

    let (sender, mut entered) = tokio::sync::mpsc::unbounded_channel();
    let scheduler = loop {
        let sender = sender.clone();
        let ending = Scheduler::builder().handler("hang", move |run: RunContext| {
            let _ = sender.send((run.run_id(), run.attempt()));
            async {}
        });
        // The file is free once the dropped scheduler's threads have ended.
        match ending.start(&address).await {
            Ok(scheduler) => break scheduler,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    let failed = scheduler.wait(runs[0]).await.expect("it ends");
    assert_eq!((failed.state, failed.reason.as_deref()), (RunState::Failed, Some("lost")));
    let again = scheduler.wait(runs[1]).await.expect("it ends");
    assert_eq!((again.state, again.attempt), (RunState::Succeeded, 2));
    assert!(failed.claimed_at.is_some() && failed.started_at == failed.claimed_at, "{failed:?}");
    for run in runs {
        let attempts = scheduler.engine().store().attempts(run).await.expect("readable");
        assert!(attempts.iter().all(|attempt| attempt.claimed_at.is_some()), "{attempts:?}");
        assert!(attempts.iter().all(|attempt| attempt.started_at >= attempt.claimed_at), "{attempts:?}");
    }
    assert_eq!(entered.recv().await, Some((runs[1], 2)));
}
