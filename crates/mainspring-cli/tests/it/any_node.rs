//! What is asked of one node is done by the one that has the job, and told by all.

use std::collections::BTreeSet;

use mainspring_api::client::{Client, LogItem, Precondition};
use mainspring_api::{ErrorCode, LogFilter, Reason, RunFilter, RunNow, WriteOptions};
use mainspring_core::Timestamp;
use mainspring_engine::{Clock, SystemClock};
use mainspring_rig::history::every;
use mainspring_rig::{Bounds, Promise, check};
use serde_json::{Value, json};

use crate::arena::{Arena, dealt_to, shared_by};
use crate::live::Live;

fn ticking(name: &str, interval: &str) -> Value {
    json!({"jobs": [{"name": name, "noop": true, "schedule": {"every": interval}}]})
}

/// From before a request to after its answer: when it took effect, nobody can say more exactly.
fn during<T>(ask: impl FnOnce() -> T) -> (Timestamp, Timestamp) {
    let asked = SystemClock.now();
    ask();
    (asked, SystemClock.now())
}

fn promise(promises: &[Promise], job: &str) -> Promise {
    let name = format!("default/{job}/every");
    promises.iter().find(|promise| promise.name == name).unwrap().clone()
}

#[test]
fn jobs_are_changed_paused_and_deleted_through_nodes_that_do_not_have_them_on_postgres() {
    let arena = Arena::shared();
    let mut nodes = arena.three();
    arena.work(&nodes[0]);
    for name in ["changed", "paused", "deleted"] {
        arena.apply(&nodes[1], &ticking(name, "1s"));
    }
    let before = arena.history().promises;
    // The second is never the one that has the job.
    nodes = arena.owner_first(nodes, "changed");
    let changed = during(|| arena.apply(&nodes[1], &ticking("changed", "2s")));
    nodes = arena.owner_first(nodes, "paused");
    let (client, reason) = (nodes[1].client(), Reason::default());
    let paused = during(|| arena.runtime.block_on(client.pause_job("default", "paused", &reason)).unwrap());
    nodes = arena.owner_first(nodes, "deleted");
    let client = nodes[1].client();
    let deleted = during(|| {
        let options = WriteOptions::default();
        arena.runtime.block_on(client.delete_job("default", "deleted", Precondition::None, options)).unwrap();
    });
    arena.pass(paused.1 + 2_500);
    let client = nodes[2].client();
    let resumed = during(|| arena.runtime.block_on(client.resume_job("default", "paused", &reason)).unwrap());

    let mut history = arena.history();
    let old = promise(&before, "changed");
    let new = history.promise("default/changed/every").unwrap();
    assert!((changed.0..=changed.1).contains(&new.instants[0]), "the new interval begins with the change");
    let began = new.instants[0];
    new.instants.extend(every(1_000, old.instants[0], changed.1, None));
    // Between the request and its answer, instants are those of the one interval or of the other.
    new.must[0].0 = changed.1;
    new.must.push((old.must[0].0, changed.0));
    new.may.extend([changed, old.may[0]]);
    let rested = history.promise("default/paused/every").unwrap();
    rested.must = vec![(rested.must[0].0, paused.0), (resumed.1, rested.through)];
    rested.may.extend([paused, resumed]);
    let mut gone = promise(&before, "deleted");
    gone.instants = every(1_000, gone.instants[0], deleted.1, None);
    (gone.through, gone.must[0].1) = (rested.through, deleted.0);
    gone.may.push(deleted);
    history.promises.push(gone);
    let report = check(&history, Bounds::default());
    let grids = format!("changed {changed:?} from {:?} to {began:?}", old.instants[0]);
    assert!(report.problems.is_empty(), "{report}\n{grids}");
    assert!((2..=5).contains(&report.missed), "only what was due in the pause: {report}");
}

#[test]
fn runs_are_asked_for_and_logs_read_through_any_node_also_when_who_ran_them_is_gone_on_postgres() {
    let arena = Arena::shared();
    let nodes = arena.three();
    arena.work(&nodes[0]);
    let talk = json!({"name": "talk", "run": "echo one; sleep 1; echo two", "schedule": {"every": "2s"}});
    arena.apply(&nodes[0], &json!({"jobs": [talk]}));
    let nodes = arena.owner_first(nodes, "talk");
    for node in &nodes {
        let client = node.client();
        let asked = async {
            let run = client.run_job("default", "work-0", &RunNow::default()).await.unwrap();
            client.wait_for_run(&run.id).await.unwrap()
        };
        let run = arena.runtime.block_on(asked);
        assert_eq!(run.state.to_string(), "succeeded", "{run:?}");
    }
    let [owner, other, third] = nodes;
    let run = running(&arena, &other);
    assert_eq!(followed(&arena, &third, &run), ["one", "two"]);
    let client = third.client();
    let asked = arena.runtime.block_on(client.drain_node("a", &Reason::default()));
    assert!(asked.unwrap().drain_asked);
    arena.sees(&other, "two nodes share the shards", dealt_to(2));
    arena.accounted(Bounds::default());
    arena.runtime.block_on(client.undrain_node("a", &Reason::default())).unwrap();
    arena.sees(&other, "three nodes share the shards", shared_by(3));
    owner.kill();
    for node in [&other, &third] {
        let page = arena.runtime.block_on(node.client().log(&run, &LogFilter::default())).unwrap();
        let lines: Vec<&str> = page.lines.iter().map(|line| line.text.as_str()).collect();
        assert!(page.complete && lines == ["one", "two"], "{page:?}");
    }
    arena.accounted(Bounds::default());
}

#[test]
fn requests_that_a_node_died_with_have_one_effect_through_another_on_postgres() {
    const REQUESTS: usize = 60;
    let arena = Arena::shared();
    let (a, b) = (arena.start("a"), arena.start("b"));
    arena.sees(&b, "two nodes share the shards", shared_by(2));
    arena.apply(&b, &json!({"jobs": [{"name": "once", "noop": true}]}));
    let keyed = |client: Client, number: usize| client.with_idempotency_key(format!("once-{number}"));
    let ask = async |client: Client| client.run_job("default", "once", &RunNow::default()).await;
    let (answered, mut answers) = tokio::sync::mpsc::unbounded_channel();
    let under_way: Vec<_> = (0..REQUESTS)
        .map(|number| {
            let (client, answered) = (keyed(a.client(), number), answered.clone());
            let asked = async move {
                let answer = client.run_job("default", "once", &RunNow::default()).await.ok();
                answered.send(()).unwrap();
                answer.map(|run| run.id)
            };
            arena.runtime.spawn(asked)
        })
        .collect();
    // Some are done, some are being done, some have not arrived.
    arena.runtime.block_on(answers.recv()).unwrap();
    a.kill();
    let first = under_way.into_iter().map(|asked| arena.runtime.block_on(asked).unwrap());
    let mut ids = BTreeSet::new();
    for (number, first) in first.collect::<Vec<_>>().into_iter().enumerate() {
        let run = arena.wait("the request is done", async || match ask(keyed(b.client(), number)).await {
            Ok(run) => Some(run),
            Err(error) => {
                assert_eq!(error.code(), Some(ErrorCode::IdempotencyPending), "{error:?}");
                None
            }
        });
        assert!(first.is_none_or(|first| first == run.id), "the answer of the dead node was another");
        ids.insert(run.id);
    }
    let filter = RunFilter { job: Some("once".into()), limit: Some(1_000), ..RunFilter::default() };
    let runs = arena.runtime.block_on(b.client().runs("default", &filter)).unwrap();
    assert_eq!((ids.len(), runs.items.len()), (REQUESTS, REQUESTS));
}

/// A run that is at work, as a node tells it.
fn running(arena: &Arena, node: &Live) -> String {
    let client = node.client();
    arena.wait("a run is at work", async || {
        let filter = RunFilter { job: Some("talk".into()), limit: Some(1), ..RunFilter::default() };
        let runs = client.runs("default", &filter).await.ok()?.items;
        runs.into_iter().find(|run| run.state.to_string() == "running").map(|run| run.id)
    })
}

/// The lines of a log, as they come.
fn followed(arena: &Arena, node: &Live, run: &str) -> Vec<String> {
    let client = node.client();
    arena.runtime.block_on(async {
        let mut lines = Vec::new();
        let mut log = client.follow_log(run, &LogFilter::default()).await.unwrap();
        while let Some(item) = log.next().await.unwrap() {
            if let LogItem::Line(line) = item {
                lines.push(line.text);
            }
        }
        lines
    })
}
