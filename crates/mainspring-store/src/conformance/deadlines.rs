//! Deadlines of runs: each that is missed is told of once.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::run::{Origin, Verdict};
use mainspring_core::{RunId, Timestamp};

use super::kit::{Draft, Kit, asked, at};
use crate::{AskedRun, Expect, Store};

fn prompt(name: &str) -> Draft {
    Draft::new(name).edit(|job| job.deadline_ms = Some(1_000))
}

async fn due(kit: &Kit, now: Timestamp) -> Vec<RunId> {
    kit.store.deadlines_due(now, 100).await.expect("deadlines_due").runs
}

async fn miss(kit: &Kit, now: Timestamp) -> Vec<RunId> {
    let runs = due(kit, now).await;
    let missed = kit.store.miss_deadlines(runs, now).await.expect("miss_deadlines");
    missed.iter().map(|missed| missed.run).collect()
}

/// The runs of which events say that they have missed their deadline, in order.
async fn told(kit: &Kit) -> Vec<String> {
    let events = kit.store.events(0, 1_000).await.expect("events");
    let of = events.iter().filter(|event| event.kind == "run");
    of.map(|event| {
        let payload: serde_json::Value = serde_json::from_str(&event.payload).expect("JSON");
        assert_eq!(payload["change"], "deadline_missed");
        payload["key"].as_str().expect("a key").to_owned()
    })
    .collect()
}

pub async fn run_that_is_unfinished_at_its_deadline_is_told_of_once(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(prompt("a")).await;
    let other = kit.save(Draft::new("b")).await;
    let (run, _) = kit.ask(&job, 1, at(1_000)).await;
    kit.ask(&other, 1, at(1_000)).await;
    let before = kit.store.deadlines_due(at(1_999), 100).await.expect("deadlines_due");
    assert_eq!((before.runs, before.used), (Vec::new(), true));
    assert_eq!(due(&kit, at(2_000)).await, [run]);
    assert!(!kit.store.has_missed_deadline(run).await.expect("has_missed_deadline"));
    let (one, two) = tokio::join!(miss(&kit, at(2_000)), miss(&kit, at(2_000)));
    assert_eq!([one, two].concat(), [run], "two nodes look at the same time");
    assert!(kit.store.has_missed_deadline(run).await.expect("has_missed_deadline"));
    assert_eq!(due(&kit, at(9_000)).await, []);
    assert_eq!(kit.store.miss_deadlines(vec![run], at(9_000)).await.expect("miss_deadlines"), []);
    assert_eq!(told(&kit).await, [format!("default/a/{run}")]);
    kit.store.cancel_run(run, "enough", None, at(9_100)).await.expect("cancel_run");
    assert_eq!(due(&kit, at(9_200)).await, [], "it is known");
}

pub async fn run_that_ends_late_before_anybody_looks_is_told_of(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(prompt("a")).await;
    let (late, _) = kit.ask(&job, 1, at(1_000)).await;
    let (in_time, _) = kit.ask(&job, 2, at(1_000)).await;
    kit.claim(9, at(1_100)).await;
    kit.complete(at(2_000), vec![job.verdict(in_time, Verdict::Succeeded, at(2_000))]).await;
    kit.complete(at(2_001), vec![job.verdict(late, Verdict::Succeeded, at(2_001))]).await;
    let (expired, _) = kit.ask(&job, 3, at(1_000)).await;
    kit.store.cancel_run(expired, "enough", None, at(5_000)).await.expect("cancel_run");
    let mut expected = vec![late, expired];
    expected.sort_unstable();
    assert_eq!(miss(&kit, at(6_000)).await, expected);
    assert_eq!(miss(&kit, at(6_000)).await, []);
    assert_eq!(told(&kit).await.len(), 2);
}

pub async fn deadline_is_that_of_the_job_now(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let unused = kit.store.deadlines_due(at(0), 100).await.expect("deadlines_due");
    assert_eq!((unused.runs, unused.used), (Vec::new(), false));
    let job = kit.save(Draft::new("a")).await;
    let (run, _) = kit.ask(&job, 1, at(1_000)).await;
    let job = kit.save(Draft::from_kept(&job).edit(|job| job.deadline_ms = Some(1_000))).await;
    assert_eq!(due(&kit, at(2_000)).await, [run]);
    let job = kit.save(Draft::from_kept(&job).edit(|job| job.deadline_ms = Some(5_000))).await;
    assert_eq!(due(&kit, at(5_999)).await, []);
    for (number, origin) in [(2, Origin::Backfill), (3, Origin::Rerun)] {
        kit.store.ask_run(AskedRun { origin, ..asked(&job, number, at(1_000)) }).await.expect("ask_run");
    }
    assert_eq!(due(&kit, at(6_000)).await, [run], "runs over past fire times have none");
    kit.store.delete_job(&job.job.definition.key, Expect::Anything, Vec::new(), at(5_000)).await.expect("delete_job");
    let after = kit.store.deadlines_due(at(9_000), 100).await.expect("deadlines_due");
    assert_eq!((after.runs, after.used), (Vec::new(), false));
    kit.save_all(vec![prompt("b").0, prompt("c").0]).await;
    assert!(kit.store.deadlines_due(at(0), 9).await.expect("deadlines_due").used, "of jobs that are saved together");
}
