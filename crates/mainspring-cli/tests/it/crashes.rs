//! `kill -9` in rounds, under traffic: what was acknowledged is kept, and each instant is accounted for once.

use std::collections::BTreeSet;

use mainspring_api::client::ClientError;
use mainspring_api::{ApplyOptions, Bundle, PageFilter, RunNow};
use mainspring_store::{Tally, TriggerInfo, TriggerQuery};

use crate::live::Live;
use crate::program::Program;

/// Rounds of a usual test; `MAINSPRING_KILL_ROUNDS` asks for more.
const ROUNDS: usize = 12;

const JOBS: &str = r#"{"jobs": [
    {"name": "ping", "noop": true},
    {"name": "fast", "noop": true, "schedule": {"every": "50ms"}},
    {"name": "steady", "noop": true, "schedule": [{"every": "170ms"}, {"every": "1s"}]},
    {"name": "narrow", "run": "sleep 0.2", "overlap": "skip", "schedule": {"every": "90ms"}},
    {"name": "held", "run": "true", "overlap": "hold", "schedule": {"every": "130ms"}},
    {"name": "retried", "run": "exit 1", "on_lost": "retry", "retries": 1, "schedule": {"every": "400ms"}}
]}"#;

/// What the server has acknowledged.
#[derive(Default)]
struct Acknowledged {
    runs: BTreeSet<String>,
    jobs: BTreeSet<String>,
}

#[test]
fn every_instant_is_accounted_for_after_kills() {
    let rounds = std::env::var("MAINSPRING_KILL_ROUNDS").map_or(ROUNDS, |text| text.parse().unwrap());
    let program = Program::new();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut acknowledged = Acknowledged::default();
    for round in 0..rounds {
        let live = Live::start(&program);
        runtime.block_on(async {
            let client = live.client();
            if round == 0 {
                let bundle: Bundle = serde_json::from_str(JOBS).unwrap();
                client.apply(&bundle, ApplyOptions { dry_run: false, prune: false }).await.unwrap();
            }
            // The kill comes in the middle of requests: after a different number of answers each time.
            let mut traffic = tokio::spawn({
                let client = live.client();
                async move { hammer(&client, round).await }
            });
            let enough = async { enough(&client, 3 + round * 7 % 11).await };
            tokio::select! {
                () = enough => {}
                ended = &mut traffic => panic!("the traffic ended before the server: {:?}", ended.unwrap().1),
            }
            live.kill();
            let (answered, error) = traffic.await.unwrap();
            assert!(matches!(error, ClientError::Unreachable { .. } | ClientError::NotUnderstood { .. }), "{error:?}");
            acknowledged.runs.extend(answered.runs);
            acknowledged.jobs.extend(answered.jobs);
        });
    }
    let live = Live::start(&program);
    runtime.block_on(async { enough(&live.client(), 1).await });
    assert_eq!(live.stop().0.code(), Some(0));
    runtime.block_on(account(&program, &acknowledged));
}

/// SQLite would go on without a log, and say nothing of what was in it.
#[test]
fn log_that_was_removed_after_a_kill_is_missed_until_its_loss_is_accepted() {
    let program = Program::new();
    let live = Live::start(&program);
    let bundle: Bundle = serde_json::from_str(JOBS).unwrap();
    let client = live.client();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(client.apply(&bundle, ApplyOptions { dry_run: false, prune: false })).unwrap();
    live.kill();
    std::fs::remove_file(program.home().join("data/mainspring.db-wal")).unwrap();
    let server = ["server", "--data", "data", "--listen", "127.0.0.1:0"];
    let refused = program.run(&server);
    assert_ne!(refused.code, 0, "{refused:?}");
    for words in ["acknowledged changes are missing", "removed after a crash", "--accept-data-loss"] {
        assert!(refused.stderr.contains(words), "{words}: {refused:?}");
    }
    let live = Live::start_with(&program, &["server", "--data", "data", "--accept-data-loss"]);
    live.said("are missing, which was accepted");
    assert_eq!(live.stop().0.code(), Some(0));
    assert_eq!(Live::start(&program).stop().0.code(), Some(0), "it is asked for once");
}

/// Starts runs and changes jobs until the server is gone; returns what it has answered to.
async fn hammer(client: &mainspring_api::client::Client, round: usize) -> (Acknowledged, ClientError) {
    let mut answered = Acknowledged::default();
    for number in 0.. {
        match client.run_job("default", "ping", &RunNow::default()).await {
            Ok(run) => answered.runs.insert(run.id),
            Err(error) => return (answered, error),
        };
        let name = format!("job-{round}-{number}");
        let bundle: Bundle =
            serde_json::from_value(serde_json::json!({"jobs": [{"name": name, "noop": true}]})).unwrap();
        match client.apply(&bundle, ApplyOptions { dry_run: false, prune: false }).await {
            Ok(_) => answered.jobs.insert(name),
            Err(error) => return (answered, error),
        };
    }
    unreachable!("the numbers do not end")
}

/// Waits until the engine has completed so many runs that were asked for now.
async fn enough(client: &mainspring_api::client::Client, count: usize) {
    for _ in 0..count {
        let run = client.run_job("default", "ping", &RunNow::default()).await.unwrap();
        client.wait_for_run(&run.id).await.unwrap();
    }
    client.namespaces(&PageFilter::default()).await.unwrap();
}

/// Opens the store itself, and counts.
async fn account(program: &Program, acknowledged: &Acknowledged) {
    let address = format!("sqlite:{}", program.home().join("data/mainspring.db").display());
    let store = mainspring_store::open(&address).await.unwrap();
    for run in &acknowledged.runs {
        let found = store.run(run.parse().unwrap()).await.unwrap();
        assert!(found.is_some(), "run {run} was acknowledged and is gone");
    }
    for name in &acknowledged.jobs {
        let found = store.job(&mainspring_core::job::JobKey::new("default", name)).await.unwrap();
        assert!(found.is_some(), "job {name} was acknowledged and is gone");
    }
    let query = TriggerQuery { namespace: None, job: None, after: None, limit: 1_000 };
    let triggers = store.triggers(query).await.unwrap();
    let tallies = store.tally().await.unwrap();
    assert_eq!(triggers.len(), 6);
    for trigger in &triggers {
        let id = trigger.trigger.row.id;
        let tally = tallies.iter().find(|tally| tally.trigger == id).unwrap();
        check(trigger, tally);
    }
    store.close().await.unwrap();
}

/// The instants of an interval from its first to its last, each fired, missed or suppressed once.
fn check(trigger: &TriggerInfo, tally: &Tally) {
    let name = format!("{}/{}", trigger.job.definition.key, trigger.trigger.name);
    let definition = trigger.job.definition.triggers.iter().find(|it| *it.name == *trigger.trigger.name).unwrap();
    let mainspring_core::job::ScheduleDefinition::Every { interval_ms, .. } = definition.schedule else {
        panic!("{name} is no interval")
    };
    let (first, last) = (tally.first.unwrap(), tally.last.unwrap());
    assert_eq!(tally.duplicated, 0, "{name}: {tally:?}");
    let since_made = first.since(trigger.job.created_at);
    assert!((0..=interval_ms).contains(&since_made), "{name}: the first instant came {since_made} ms after the job");
    assert_eq!(Some(last), trigger.trigger.row.progress.fired_through, "{name}: {tally:?}");
    let instants = (last.since(first) / interval_ms + 1).unsigned_abs();
    assert_eq!(tally.fired + tally.missed + tally.suppressed, instants, "{name}: {tally:?}");
    assert_eq!(last.since(first) % interval_ms, 0, "{name}: {tally:?}");
}
