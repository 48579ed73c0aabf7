//! Why something is not running.

use std::sync::Arc;
use std::time::Duration;

use mainspring_api::client::Precondition;
use mainspring_api::{
    ErrorCode, LabelSettings, QueueSettings, QueueWaitingFilter, Reason, RunFilter, RunNow, RunState, Why, WhyCode,
    WriteOptions,
};
use mainspring_engine::{Engine, RunContext, Settings};
use mainspring_store::MemoryStore;
use serde_json::json;
use tokio::sync::Semaphore;

use crate::kit::{Running, code, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

fn codes(why: &Why) -> Vec<WhyCode> {
    why.reasons.iter().map(|reason| reason.code).collect()
}

/// Asks until the answer is of these kinds.
async fn until(expected: &[WhyCode], mut ask: impl AsyncFnMut() -> Why) -> Why {
    let asking = async {
        loop {
            let why = ask().await;
            if codes(&why) == expected {
                return why;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), asking).await.unwrap_or_else(|_| panic!("never {expected:?}"))
}

/// A server with one slot, and a job that runs until it is let go.
async fn one_slot(gate: &Arc<Semaphore>) -> Running {
    with_slots(1, gate).await
}

async fn with_slots(slots: u32, gate: &Arc<Semaphore>) -> Running {
    let planner = mainspring_core::planner::Settings { slots, ..Default::default() };
    let settings = Settings { planner, ..Settings::default() };
    let engine = Arc::new(Engine::start(Arc::new(MemoryStore::new()), settings).await.unwrap());
    let running = Running::over(engine, mainspring_server::Settings { slots, ..Default::default() }).await;
    let gate = Arc::clone(gate);
    running.engine.handlers().register("slow", move |_: RunContext| {
        let gate = Arc::clone(&gate);
        async move { gate.acquire().await.unwrap().forget() }
    });
    running
}

#[tokio::test]
async fn runs_say_what_they_wait_for() {
    let gate = Arc::new(Semaphore::new(0));
    let running = one_slot(&gate).await;
    let client = &running.client;
    for wanted in [
        json!({"name": "one", "handler": "slow", "overlap": "queue_all"}),
        json!({"name": "many", "handler": "slow"}),
        json!({"name": "failing", "exec": ["false"], "retries": 1, "retry_delay": "1h"}),
    ] {
        client.put_job("default", &spec(wanted), Precondition::None, COMMIT).await.unwrap();
    }
    let ask = async |job: &str| client.run_job("default", job, &RunNow::default()).await.unwrap().id;
    let failing = ask("failing").await;
    let scheduled = until(&[WhyCode::NotBefore], async || client.why_run(&failing).await.unwrap()).await;
    assert!(scheduled.reasons[0].until.is_some() && scheduled.reasons[0].message.contains("attempt 1 failed"));

    let first = ask("one").await;
    until(&[WhyCode::Running], async || client.why_run(&first).await.unwrap()).await;
    // What is asked for within a millisecond goes in the order of its ids.
    let mut next = [ask("one").await, ask("one").await];
    next.sort();
    let [second, third] = next;
    let held = client.why_run(&second).await.unwrap();
    assert_eq!((codes(&held), &held.reasons[0].runs), (vec![WhyCode::JobLimit], &vec![first.clone()]));
    let held = client.why_run(&third).await.unwrap();
    assert!(held.reasons[0].message.ends_with("1 run is held, to start before it"), "{held:?}");
    let mut many = [ask("many").await, ask("many").await];
    many.sort();
    let [fourth, fifth] = many;
    assert_eq!(codes(&client.why_run(&fourth).await.unwrap()), [WhyCode::NoSlot]);
    let why = client.why_run(&fifth).await.unwrap();
    assert_eq!((codes(&why), &why.reasons[1].runs), (vec![WhyCode::NoSlot, WhyCode::QueueOrder], &vec![fourth]));
    let elsewhere = json!({"name": "many", "handler": "slow"});
    client.put_job("other", &spec(elsewhere), Precondition::None, COMMIT).await.unwrap();
    let sixth = client.run_job("other", "many", &RunNow::default()).await.unwrap().id;
    let why = client.why_run(&sixth).await.unwrap();
    assert_eq!(codes(&why), [WhyCode::NoSlot], "runs of another namespace do not go before it");

    let job = client.why_job("default", "one").await.unwrap();
    assert_eq!((job.subject.as_str(), codes(&job)), ("default/one", vec![WhyCode::Running, WhyCode::NoTrigger]));
    client.cancel_run(&second, &Reason::default()).await.unwrap();
    assert_eq!(codes(&client.why_run(&second).await.unwrap()), [WhyCode::Final]);
    assert_eq!(code(client.why_run("x").await), ErrorCode::RunNotFound);
    gate.add_permits(10);
    until(&[WhyCode::Final], async || client.why_run(&sixth).await.unwrap()).await;
    running.stop().await;
}

#[tokio::test]
async fn replaced_run_and_the_one_that_waits_for_its_end_say_so() {
    let gate = Arc::new(Semaphore::new(0));
    let running = one_slot(&gate).await;
    let client = &running.client;
    let newest = json!({"name": "newest", "handler": "slow", "overlap": "cancel_running"});
    client.put_job("default", &spec(newest), Precondition::None, COMMIT).await.unwrap();
    let ask = async || client.run_job("default", "newest", &RunNow::default()).await.unwrap().id;
    let first = ask().await;
    until(&[WhyCode::Running], async || client.why_run(&first).await.unwrap()).await;
    // The handler does not listen: it goes on for as long as it may.
    let second = ask().await;
    let why = client.why_run(&first).await.unwrap();
    assert_eq!(codes(&why), [WhyCode::Running, WhyCode::CancelRequested]);
    assert!(why.reasons[1].message.contains("because: replaced by a newer run"), "{why:?}");
    let why = client.why_run(&second).await.unwrap();
    assert_eq!((codes(&why), &why.reasons[0].runs), (vec![WhyCode::JobLimit], &vec![first]));
    assert!(why.reasons[0].message.ends_with("; the end of 1 run was asked for"), "{why:?}");
    let third = ask().await;
    let why = client.why_run(&second).await.unwrap();
    assert_eq!(codes(&why), [WhyCode::Final]);
    assert!(why.reasons[0].message.contains("cancelled") && why.reasons[0].message.contains("replaced"), "{why:?}");
    gate.add_permits(2);
    until(&[WhyCode::Final], async || client.why_run(&third).await.unwrap()).await;
    running.stop().await;
}

#[tokio::test]
async fn triggers_and_jobs_say_what_they_wait_for() {
    let running = Running::start().await;
    let client = &running.client;
    let wanted = json!({"name": "a", "noop": true, "triggers": [
        {"name": "yearly", "cron": "@yearly"}, {"name": "past", "at": "2020-01-01T00:00:00Z", "misfire": "fire_now"}
    ]});
    client.put_job("default", &spec(wanted), Precondition::None, COMMIT).await.unwrap();
    let past = async || client.why_trigger("default", "a", "past").await.unwrap();
    until(&[WhyCode::TriggerComplete], past).await;
    let why = client.why_trigger("default", "a", "yearly").await.unwrap();
    assert_eq!((why.subject.as_str(), codes(&why)), ("default/a/yearly", vec![WhyCode::NotDue]));

    client.pause_trigger("default", "a", "yearly", &Reason::default()).await.unwrap();
    client.pause_job("default", "a", &Reason::default()).await.unwrap();
    let why = client.why_trigger("default", "a", "yearly").await.unwrap();
    assert_eq!(codes(&why), [WhyCode::JobPaused, WhyCode::TriggerPaused]);
    let why = client.why_job("default", "a").await.unwrap();
    let of: Vec<_> = why.reasons.iter().map(|reason| (reason.code, reason.trigger.as_deref())).collect();
    let expected = [
        (WhyCode::JobPaused, None),
        (WhyCode::TriggerComplete, Some("past")),
        (WhyCode::TriggerPaused, Some("yearly")),
    ];
    let mut sorted = of.clone();
    sorted.sort_by_key(|(_, trigger)| *trigger);
    assert_eq!(sorted, expected);
    assert_eq!(code(client.why_job("default", "b").await), ErrorCode::JobNotFound);
    assert_eq!(code(client.why_trigger("default", "a", "b").await), ErrorCode::TriggerNotFound);
    running.stop().await;
}

/// Vetoes everything.
struct Freeze;

impl mainspring_engine::Listener for Freeze {
    async fn veto(&self, _: &mainspring_engine::StartingRun) -> Option<String> {
        Some("a freeze is on".into())
    }
}

#[tokio::test]
async fn vetoed_run_says_why() {
    let mut settings = Settings::default();
    settings.listeners.add(mainspring_engine::Scope::all(), Freeze);
    let engine = Arc::new(Engine::start(Arc::new(MemoryStore::new()), settings).await.unwrap());
    let running = Running::over(engine, mainspring_server::Settings::default()).await;
    let client = &running.client;
    let job = json!({"name": "a", "noop": true});
    client.put_job("default", &spec(job), Precondition::None, COMMIT).await.unwrap();
    let run = client.run_job("default", "a", &RunNow::default()).await.unwrap();
    let run = client.wait_for_run(&run.id).await.unwrap();
    let found = (run.state, run.reason.as_deref(), run.started_at);
    assert_eq!(found, (mainspring_api::RunState::Skipped, Some("vetoed: a freeze is on"), None));
    let why = client.why_run(&run.id).await.unwrap();
    assert_eq!(codes(&why), [WhyCode::Final]);
    assert!(why.reasons[0].message.ends_with(": vetoed: a freeze is on"), "{why:?}");
    let attempts = client.attempts(&run.id).await.unwrap();
    assert_eq!(attempts[0].state, mainspring_api::AttemptState::Cancelled);
    running.stop().await;
}

#[tokio::test]
async fn run_that_waits_beside_free_slots_is_told_for_whom_they_are_kept() {
    let gate = Arc::new(Semaphore::new(0));
    let running = with_slots(4, &gate).await;
    running.engine.handlers().register("quick", async |_: RunContext| {});
    let client = &running.client;
    for wanted in [json!({"name": "quick", "handler": "quick"}), json!({"name": "long", "handler": "slow"})] {
        client.put_job("default", &spec(wanted), Precondition::None, COMMIT).await.unwrap();
    }
    let ask = async |job: &str| client.run_job("default", job, &RunNow::default()).await.unwrap().id;
    for _ in 0..3 {
        let run = ask("quick").await;
        until(&[WhyCode::Final], async || client.why_run(&run).await.unwrap()).await;
    }
    let known = async || running.engine.slow_max(running.engine.queues(), 4) == 3;
    let looking = async {
        while !known().await {
            tokio::task::yield_now().await
        }
    };
    tokio::time::timeout(Duration::from_secs(60), looking).await.expect("the quick job is known to be short");
    for _ in 0..3 {
        let run = ask("long").await;
        until(&[WhyCode::Running], async || client.why_run(&run).await.unwrap()).await;
    }
    let waits = ask("long").await;
    let why = until(&[WhyCode::SlowShare], async || client.why_run(&waits).await.unwrap()).await;
    assert!(why.reasons[0].message.contains("not known yet how long"), "{why:?}");
    let quick = ask("quick").await;
    until(&[WhyCode::Final], async || client.why_run(&quick).await.unwrap()).await;
    gate.add_permits(4);
    until(&[WhyCode::Final], async || client.why_run(&waits).await.unwrap()).await;
    running.stop().await;
}

/// What holds runs of a queue back, each with how many wait for it and which runs hold it.
async fn held_by(running: &Running, queue: &str) -> Vec<(WhyCode, u64, Vec<String>)> {
    let waiting = running.client.queue_waiting(queue, &QueueWaitingFilter::default()).await.unwrap();
    let all = waiting.reasons.into_iter().chain(waiting.held);
    all.map(|it| (it.code, it.count, it.holders.into_iter().map(|run| run.id).collect())).collect()
}

#[tokio::test]
async fn queue_says_which_limits_hold_its_runs_back_and_which_runs_hold_these() {
    let gate = Arc::new(Semaphore::new(0));
    let running = with_slots(8, &gate).await;
    let client = &running.client;
    client.put_label("db=main", LabelSettings { max_running: 1 }).await.unwrap();
    let one = QueueSettings { max_running: Some(1), ..QueueSettings::default() };
    client.put_queue("mail", one, &Reason::default()).await.unwrap();
    for wanted in [
        json!({"name": "letter", "handler": "slow", "queue": "mail"}),
        json!({"name": "report", "handler": "slow", "queue": "reports", "labels": {"db": "main"}}),
        json!({"name": "single", "handler": "slow", "queue": "single", "overlap": "queue_all"}),
    ] {
        client.put_job("default", &spec(wanted), Precondition::None, COMMIT).await.unwrap();
    }
    let mut runs = Vec::new();
    for job in ["letter", "report", "single"] {
        let first = client.run_job("default", job, &RunNow::default()).await.unwrap().id;
        until(&[WhyCode::Running], async || client.why_run(&first).await.unwrap()).await;
        for _ in 0..2 {
            client.run_job("default", job, &RunNow::default()).await.unwrap();
        }
        runs.push(first);
    }
    for (queue, code, holder) in
        [("mail", WhyCode::QueueLimit, 0), ("reports", WhyCode::LabelLimit, 1), ("single", WhyCode::JobLimit, 2)]
    {
        let expected = [(code, 2, vec![runs[holder].clone()])];
        let told = async {
            loop {
                let held = held_by(&running, queue).await;
                if held == expected {
                    break;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(60), told).await.unwrap_or_else(|_| panic!("{queue}: {code}"));
    }
    let shares = client.queue_waiting("mail", &QueueWaitingFilter::default()).await.unwrap().namespaces;
    let shares: Vec<_> = shares.iter().map(|it| (&*it.namespace, it.count, it.running, it.share_permille)).collect();
    assert_eq!(shares, [("default", 2, 1, 1_000)]);

    let two = QueueSettings { max_running: Some(2), ..QueueSettings::default() };
    let preview = client.preview_queue("mail", two).await.unwrap();
    assert_eq!((preview.waiting, preview.running), (2, 1));
    assert_eq!((preview.before.leave, preview.before.wait, preview.after.leave, preview.after.wait), (0, 2, 1, 1));
    assert_eq!(client.queue("mail").await.unwrap().settings, one, "nothing was set");
    let nothing = QueueSettings { max_running: Some(0), ..QueueSettings::default() };
    assert_eq!(code(client.preview_queue("mail", nothing).await), ErrorCode::FieldValue);
    gate.add_permits(9);
    running.stop().await;
}

#[tokio::test]
async fn task_that_waits_for_room_of_its_own_label_says_so() {
    let gate = Arc::new(Semaphore::new(0));
    let running = with_slots(4, &gate).await;
    let client = &running.client;
    client.put_label("db=main", LabelSettings { max_running: 1 }).await.unwrap();
    let task = json!({"handler": "slow", "labels": {"db": "main"}});
    let wanted = spec(json!({"name": "w", "labels": {"db": "other"}, "tasks": {"a": task, "b": task}}));
    client.put_job("default", &wanted, Precondition::None, COMMIT).await.unwrap();
    let asked = client.run_job("default", "w", &RunNow::default()).await.unwrap();
    let of_tasks = RunFilter { parent: Some(asked.id.clone()), ..RunFilter::default() };
    let both = async || {
        let mut reasons = Vec::new();
        for run in client.runs("default", &of_tasks).await.unwrap().items {
            reasons.extend(client.why_run(&run.id).await.unwrap().reasons);
        }
        reasons.sort_by_key(|reason| reason.code != WhyCode::Running);
        Why { subject: asked.id.clone(), reasons }
    };
    let why = until(&[WhyCode::Running, WhyCode::LabelLimit], both).await;
    assert!(why.reasons[1].message.starts_with("1 run of jobs and tasks with the label db=main"), "{why:?}");
    let limits = client.labels().await.unwrap();
    assert_eq!((limits[0].label.as_str(), limits[0].running), ("db=main", 1));
    gate.add_permits(2);
    assert_eq!(client.wait_for_run(&asked.id).await.unwrap().state, RunState::Succeeded);
    running.stop().await;
}
