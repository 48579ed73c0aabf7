//! Listeners: what they hear, what they veto, and that they hold nobody up.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mainspring::prelude::*;
use mainspring::{AttemptOutcome, ChangedJob, CompletedTrigger, FiredTrigger, MissedFires};
use mainspring_core::job::{Job, Task};
use mainspring_engine::control::SaveMode;
use mainspring_store::Expect;
use tokio::sync::watch;

use super::{PATIENCE, t};

/// Writes down what it hears, and vetoes runs for a reason that can be set.
#[derive(Clone, Debug)]
struct Scribe {
    heard: watch::Sender<Vec<String>>,
    why_not: Arc<Mutex<Option<&'static str>>>,
}

impl Scribe {
    fn new() -> Self {
        Self { heard: watch::Sender::new(Vec::new()), why_not: Arc::default() }
    }

    fn note(&self, text: String) {
        self.heard.send_modify(|heard| heard.push(text));
    }

    fn vetoes(&self, why_not: Option<&'static str>) {
        *self.why_not.lock().expect("no test panics here") = why_not;
    }

    /// Waits until it has heard so much, and answers it.
    async fn heard(&self, count: usize) -> Vec<String> {
        let mut heard = self.heard.subscribe();
        let enough = tokio::time::timeout(PATIENCE, heard.wait_for(|heard| heard.len() >= count)).await;
        assert!(enough.is_ok(), "only {:#?}", self.heard.borrow());
        self.heard.borrow().clone()
    }
}

fn name(trigger: Option<&Arc<str>>) -> &str {
    trigger.map_or("-", |name| name)
}

impl Listener for Scribe {
    async fn veto(&self, run: &StartingRun) -> Option<String> {
        self.note(format!("asked {}", run.job.key.name));
        self.why_not.lock().expect("no test panics here").map(str::to_owned)
    }

    async fn run_starting(&self, run: &StartingRun) {
        self.note(format!("starting {} {} {}", run.job.key.name, name(run.trigger.as_ref()), run.attempt));
    }

    async fn run_vetoed(&self, run: &EndedRun) {
        let error = run.error.as_deref().unwrap_or_default();
        self.note(format!("vetoed {} {error}", run.job.key.name));
    }

    async fn run_ended(&self, run: &EndedRun) {
        let state = run.state.map_or("again", RunState::as_str);
        let (job, outcome) = (&run.job.key.name, run.outcome);
        self.note(format!("ended {job} {} {outcome} {state} {} ms", run.attempt, run.duration_ms()));
    }

    async fn trigger_fired(&self, fire: &FiredTrigger) {
        self.note(format!("fired {}", name(fire.trigger.as_ref())));
    }

    async fn trigger_missed(&self, missed: &MissedFires) {
        self.note(format!("missed {} {} {}", name(missed.trigger.as_ref()), missed.count, missed.reason));
    }

    async fn trigger_completed(&self, trigger: &CompletedTrigger) {
        self.note(format!("completed {}", name(trigger.trigger.as_ref())));
    }

    async fn job_changed(&self, change: &ChangedJob) {
        self.note(format!("{:?} {} {}", change.change, change.job.key.name, name(change.trigger.as_ref())));
    }

    async fn scheduler_started(&self) {
        self.note("started".into());
    }

    async fn scheduler_draining(&self) {
        self.note("draining".into());
    }

    async fn scheduler_stopped(&self) {
        self.note("stopped".into());
    }
}

/// What was heard of some kinds, in order: what is asked before a run starts is heard at another time than the rest.
fn of<'a>(heard: &'a [String], kinds: &[&str]) -> Vec<&'a str> {
    heard.iter().map(String::as_str).filter(|text| kinds.iter().any(|kind| text.starts_with(kind))).collect()
}

#[tokio::test]
async fn listener_hears_what_becomes_of_jobs_triggers_and_runs() {
    let scribe = Scribe::new();
    let builder = Scheduler::builder()
        .listener(Scope::all(), scribe.clone())
        .handler("flaky", async |run: RunContext| if run.attempt() == 1 { Err("not yet") } else { Ok(()) });
    let scheduler = builder.start("memory:").await.expect("starts");
    let trigger = every(Duration::from_secs(3_600)).repeat(0).name("once");
    scheduler
        .add(job("flaky").handler("flaky").retries(1, Duration::from_millis(1)).trigger(trigger))
        .await
        .expect("a good job");
    scribe.heard(10).await;
    scheduler.pause_trigger("flaky", "once").await.expect("it is there");
    scheduler.resume("flaky").await.expect("it is there");
    scheduler.remove("flaky").await.expect("it is there");
    scheduler.shutdown(Duration::from_secs(10)).await.expect("stops");
    let heard = scribe.heard(14).await;
    let runs = of(&heard, &["asked", "starting", "ended"]);
    assert_eq!(runs[..2], ["asked flaky", "starting flaky once 1"]);
    assert_eq!(of(&heard, &["starting"]), ["starting flaky once 1", "starting flaky once 2"]);
    assert_eq!(of(&heard, &["asked"]).len(), 2, "each attempt is asked about");
    let ended = of(&heard, &["ended"]);
    assert!(ended[0].starts_with("ended flaky 1 failed again "), "{ended:?}");
    assert!(ended[1].starts_with("ended flaky 2 succeeded succeeded "), "{ended:?}");
    assert_eq!(of(&heard, &["fired", "completed"]), ["fired once", "completed once"]);
    let changes = of(&heard, &["Added", "Paused", "Resumed", "Deleted"]);
    assert_eq!(changes, ["Added flaky -", "Paused flaky once", "Deleted flaky -"], "{heard:#?}");
    assert_eq!(of(&heard, &["started", "draining", "stopped"]), ["started", "draining", "stopped"]);
    assert_eq!(heard.last().map(String::as_str), Some("stopped"));
}

#[tokio::test]
async fn listener_hears_of_missed_instants() {
    let scribe = Scribe::new();
    let builder = Scheduler::builder().listener(Scope::all(), scribe.clone()).handler("note", async |_: RunContext| {});
    let mut engine = ManualEngine::start(builder, t("2026-01-01T00:00:00Z")).await.expect("starts");
    let trigger =
        every(Duration::from_secs(10)).name("t").misfire(mainspring::schedule::MisfirePolicy::NextWithRemainingCount);
    engine.scheduler().add(job("note").trigger(trigger)).await.expect("a good job");
    engine.settle().await;
    engine.set_clock(t("2026-01-01T01:00:05Z")).await;
    let mut heard = scribe.heard.subscribe();
    let missed = heard.wait_for(|heard| heard.iter().any(|text| text.starts_with("missed t ")));
    let heard = tokio::time::timeout(PATIENCE, missed).await.expect("it is heard").expect("it lives").clone();
    assert!(of(&heard, &["missed"])[0].ends_with(" misfire"), "{heard:?}");
}

#[tokio::test]
async fn vetoed_run_is_skipped_and_its_trigger_goes_on() {
    let scribe = Scribe::new();
    scribe.vetoes(Some("a freeze is on"));
    let entered = Arc::new(Mutex::new(Vec::new()));
    let enter = Arc::clone(&entered);
    let builder =
        Scheduler::builder().listener(Scope::all(), scribe.clone()).handler("work", move |run: RunContext| {
            enter.lock().expect("no test panics here").push(run.job().name.clone());
            async {}
        });
    let mut engine = ManualEngine::start(builder, t("2026-01-01T00:00:00Z")).await.expect("starts");
    let scheduler = engine.scheduler();
    let after_each = delay(Duration::from_secs(60));
    scheduler
        .add(job("again").handler("work").retries(3, Duration::ZERO).trigger(after_each))
        .await
        .expect("a good job");
    scheduler.add(job("limited").handler("work").overlap(Overlap::QueueAll, 1)).await.expect("a good job");
    let asked = scheduler.run_now("limited").await.expect("it is there");
    engine.settle().await;
    let over = engine.scheduler().control().run(asked.id).await.expect("it is there");
    assert_eq!((over.state, over.reason.as_deref()), (RunState::Skipped, Some("vetoed")));
    assert_eq!((over.attempt, over.started_at), (1, None), "its work never began");
    assert_eq!(over.error.as_deref(), Some("a freeze is on"));
    let store = engine.scheduler().engine().store();
    let attempts = store.attempts(asked.id).await.expect("readable");
    assert_eq!((attempts.len(), attempts[0].outcome), (1, Some(AttemptOutcome::Cancelled)));
    assert_eq!(attempts[0].error_code.as_deref(), Some("run.vetoed"));
    scribe.vetoes(None);
    engine.advance(Duration::from_secs(60)).await;
    let states = |runs: Vec<mainspring::RunInfo>| runs.iter().map(|run| run.state).collect::<Vec<_>>();
    let runs = states(engine.scheduler().runs("again", 9).await.expect("it is there"));
    assert_eq!(runs, [RunState::Succeeded, RunState::Skipped], "the delay counts from the veto");
    let asked = engine.scheduler().run_now("limited").await.expect("it is there");
    engine.settle().await;
    let over = engine.scheduler().control().run(asked.id).await.expect("it is there");
    assert_eq!(over.state, RunState::Succeeded, "the slot is free");
    let entered = entered.lock().expect("no test panics here").clone();
    assert_eq!(entered, ["again", "limited"], "vetoed runs were not entered");
    let mut heard = scribe.heard.subscribe();
    let both = heard.wait_for(|heard| of(heard, &["vetoed"]).len() == 2);
    let heard = tokio::time::timeout(PATIENCE, both).await.expect("they are heard").expect("it lives").clone();
    assert!(of(&heard, &["vetoed"]).contains(&"vetoed limited a freeze is on"), "{heard:?}");
}

#[tokio::test]
async fn several_listeners_are_asked_each_in_its_scope() {
    let (shop, teams) = (Scribe::new(), Scribe::new());
    shop.vetoes(Some("closed"));
    let builder = Scheduler::builder()
        .listener(Scope::all().job("shop-*"), shop.clone())
        .listener(Scope::all().label("team", "data"), teams.clone());
    let scheduler = builder.start("memory:").await.expect("starts");
    for (name, team, state) in [
        ("shop-a", "data", RunState::Skipped),
        ("report", "data", RunState::Succeeded),
        ("b", "ops", RunState::Succeeded),
    ] {
        let mut job = Job::new(JobKey::new("default", name), Task::Noop);
        job.labels.insert("team".into(), team.into());
        let saved = scheduler.control().save(vec![(Arc::new(job), Expect::Anything)], SaveMode::Commit).await;
        saved.expect("a good job");
        let run = scheduler.run_now(name).await.expect("it is there");
        assert_eq!(scheduler.wait(run.id).await.expect("it is there").state, state, "{name}");
    }
    scheduler.shutdown(Duration::from_secs(10)).await.expect("stops");
    let runs = ["asked", "vetoed", "ended", "Added"];
    let heard = shop.heard(1).await;
    assert_eq!(of(&heard, &runs).len(), 3, "{heard:?}");
    let heard = teams.heard(1).await;
    assert_eq!(of(&heard, &["asked"]), ["asked report"], "who vetoes first has the word: {heard:?}");
    assert_eq!(of(&heard, &["Added"]), ["Added shop-a -", "Added report -"]);
}

/// Panics, or never answers.
struct Broken {
    hangs: bool,
}

impl Broken {
    async fn fail(&self) {
        if self.hangs {
            std::future::pending::<()>().await;
        }
        panic!("a listener of the test breaks");
    }
}

impl Listener for Broken {
    async fn veto(&self, _run: &StartingRun) -> Option<String> {
        self.fail().await;
        Some("never said".into())
    }

    async fn run_starting(&self, _run: &StartingRun) {
        self.fail().await;
    }

    async fn run_ended(&self, _run: &EndedRun) {
        self.fail().await;
    }
}

#[tokio::test]
async fn listeners_that_panic_or_hang_hold_up_nobody() {
    let scribe = Scribe::new();
    let builder = Scheduler::builder()
        .listener(Scope::all(), Broken { hangs: true })
        .listener(Scope::all(), Broken { hangs: false })
        .listener(Scope::all(), scribe.clone())
        .listener_limit(Duration::from_millis(20))
        .handler("work", async |_: RunContext| {});
    let scheduler = builder.start("memory:").await.expect("starts");
    scheduler.add(job("work")).await.expect("a good job");
    for _ in 0..2 {
        let run = scheduler.run_now("work").await.expect("it is there");
        assert_eq!(scheduler.wait(run.id).await.expect("it is there").state, RunState::Succeeded);
    }
    scheduler.shutdown(Duration::from_secs(10)).await.expect("stops");
    let heard = scribe.heard(1).await;
    assert_eq!(of(&heard, &["ended"]).len(), 2, "{heard:?}");
}

#[tokio::test]
async fn run_that_is_cancelled_while_a_listener_is_asked_starts_nothing() {
    let scribe = Scribe::new();
    let entered = Arc::new(Mutex::new(0));
    let count = Arc::clone(&entered);
    let builder = Scheduler::builder()
        .listener(Scope::all(), scribe.clone())
        .listener(Scope::all(), Broken { hangs: true })
        .listener_limit(Duration::from_secs(3_600))
        .handler("work", move |_: RunContext| {
            *count.lock().expect("no test panics here") += 1;
            async {}
        });
    let scheduler = builder.start("memory:").await.expect("starts");
    scheduler.add(job("work")).await.expect("a good job");
    let run = scheduler.run_now("work").await.expect("it is there");
    let mut heard = scribe.heard.subscribe();
    let asked = heard.wait_for(|heard| heard.iter().any(|line| line == "asked work"));
    assert!(tokio::time::timeout(PATIENCE, asked).await.is_ok(), "the listener is asked");
    scheduler.cancel(run.id).await.expect("it runs");
    let ended = tokio::time::timeout(PATIENCE, scheduler.wait(run.id)).await.expect("it ends at once");
    assert_eq!(ended.expect("it is there").state, RunState::Cancelled);
    assert_eq!(*entered.lock().expect("no test panics here"), 0);
    scheduler.shutdown(Duration::from_secs(10)).await.expect("stops");
}
