//! Routed jobs: a worker is picked for each run, and it alone gets it.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::batch::{ClaimedRun, Completion, CompletionBatch, Queues};
use mainspring_core::cluster::ShardSet;
use mainspring_core::job::Overlap;
use mainspring_core::line::Line;
use mainspring_core::retry::AfterAttempt;
use mainspring_core::routing::{Routing, Shard, Strategy};
use mainspring_core::run::{AttemptOutcome, Origin, RunState, Verdict};
use mainspring_core::{BatchId, Incarnation, RunId, Timestamp};

use super::kit::{Draft, Kept, Kit, TakeChanges, asked, at};
use crate::{AskedRun, Cancelled, Expect, PurgeRule, ROUTED_MAX, Routed, Store, WorkerInfo};

pub(super) const NORTH: Incarnation = Incarnation(11);
pub(super) const SOUTH: Incarnation = Incarnation(12);

pub(crate) fn info(id: Incarnation, name: &str, zone: &str, slots: u32, node: Incarnation) -> WorkerInfo {
    WorkerInfo {
        id,
        name: name.into(),
        queues: vec!["mail".into()],
        labels: BTreeMap::from([("zone".into(), zone.into())]),
        place: None,
        slots,
        version: None,
        token: None,
        node,
        joined_at: at(1_000),
    }
}

async fn join(kit: &Kit, id: Incarnation, name: &str, zone: &str, slots: u32) {
    kit.store.join_worker(info(id, name, zone, slots, kit.incarnation)).await.expect("join");
}

/// A job of the queue `mail` whose runs are routed like this.
async fn job(kit: &mut Kit, name: &str, strategy: Strategy, zone: Option<&str>) -> Kept {
    let workers = zone.map(|zone| ("zone".to_owned(), zone.to_owned())).into_iter().collect();
    let mut draft = Draft::new(name).trigger("t", at(1_000));
    let definition = Arc::make_mut(&mut draft.0.definition);
    definition.queue = "mail".into();
    definition.routing = Routing { strategy, workers, key: None };
    kit.save(draft).await
}

async fn ask(kit: &Kit, job: &Kept, number: u64) -> RunId {
    kit.ask(job, number, at(1_000)).await.0
}

pub(super) async fn route(kit: &Kit, limit: u32, now: Timestamp) -> Routed {
    kit.store.route(now, limit).await.expect("route")
}

fn lines(routed: &Routed) -> Vec<&str> {
    routed.lines.iter().map(String::as_str).collect()
}

/// Claims for a worker: from its own line, then from the queue.
pub(super) async fn claim(kit: &Kit, id: Incarnation, name: &str) -> Vec<ClaimedRun> {
    let queues = Queues::named([Line::Worker { queue: "mail", worker: name }.to_string().as_str(), "mail"]);
    let id = BatchId { incarnation: id, ..kit.batch_id() };
    kit.store.claim_for(id, kit.incarnation, &queues, 9, at(2_000)).await.expect("claim")
}

/// The workers that were picked for runs.
async fn workers(kit: &Kit, runs: &[RunId]) -> Vec<Option<String>> {
    let mut workers = Vec::new();
    for run in runs {
        workers.push(kit.run(*run).await.worker);
    }
    workers
}

pub async fn routed_run_is_for_the_worker_that_was_picked(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = job(&mut kit, "a", Strategy::First, None).await;
    kit.fire(at(1_000), vec![job.entry(0)]).await;
    let fired = job.next_run(0);
    assert_eq!(route(&kit, 9, at(1_000)).await, Routed { waiting: 1, ..Routed::default() }, "nobody is there");
    join(&kit, NORTH, "north", "eu", 4).await;
    join(&kit, SOUTH, "south", "eu", 4).await;
    let asked = ask(&kit, &job, 1).await;
    assert_eq!(kit.claim(9, at(1_000)).await, [], "a server takes no runs that are routed");
    assert_eq!(claim(&kit, NORTH, "north").await, [], "nor does a worker before it is picked");

    let routed = route(&kit, 1, at(1_000)).await;
    assert_eq!((routed.moved, routed.waiting, lines(&routed)), (1, 1, vec!["mail/@north"]), "one at a time");
    let routed = route(&kit, 9, at(1_000)).await;
    assert_eq!((routed.moved, routed.waiting, lines(&routed)), (1, 0, vec!["mail/@north"]));
    assert_eq!(route(&kit, 9, at(1_000)).await.moved, 0, "once");
    let waits = kit.run(fired).await;
    assert_eq!((waits.queue.as_str(), waits.worker.as_deref(), waits.state), ("mail", Some("north"), RunState::Queued));
    let figures = kit.store.figures().await.expect("figures").runs;
    let counts: Vec<_> = figures.iter().map(|count| (count.queue.as_str(), count.count)).collect();
    assert_eq!(counts, [("mail", 2)], "lines count to their queue");

    assert_eq!(kit.claim(9, at(1_000)).await, []);
    assert_eq!(claim(&kit, SOUTH, "south").await, []);
    let claimed: Vec<RunId> = claim(&kit, NORTH, "north").await.iter().map(|run| run.run).collect();
    assert_eq!(claimed.len(), 2);
    assert!(claimed.contains(&fired) && claimed.contains(&asked));
    assert_eq!(route(&kit, 9, at(1_000)).await, Routed::default(), "nothing is left");

    let end = |run, verdict| Completion { held_by: Some(NORTH), ..job.verdict(run, verdict, at(3_000)) };
    let again = Completion {
        then: AfterAttempt::RetryAt(at(4_000)),
        outcome: AttemptOutcome::Failed,
        ..end(asked, Verdict::Failed)
    };
    kit.complete(at(3_000), vec![end(fired, Verdict::Succeeded), again]).await;
    let over = kit.run(fired).await;
    assert_eq!((over.queue.as_str(), over.worker.as_deref()), ("mail", Some("north")), "history says who it was");
    assert_eq!(workers(&kit, &[asked]).await, [None], "a worker is picked for each attempt");
    kit.store.release_due(at(4_000), 9).await.expect("release_due");
    assert_eq!(route(&kit, 9, at(4_000)).await.moved, 1);
}

pub async fn what_a_strategy_counts_is_kept(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let round = job(&mut kit, "round", Strategy::Round, None).await;
    let recent = job(&mut kit, "recent", Strategy::LeastRecentlyUsed, None).await;
    join(&kit, SOUTH, "south", "eu", 4).await;
    join(&kit, NORTH, "north", "eu", 4).await;
    let mut runs = Vec::new();
    for number in 0..4 {
        runs.push(ask(&kit, &round, number).await);
        ask(&kit, &recent, number).await;
        assert_eq!(route(&kit, 9, at(1_000)).await.moved, 2);
    }
    let picked = workers(&kit, &runs).await;
    assert!(picked.windows(2).all(|pair| pair[0] != pair[1]), "one after the other: {picked:?}");
    let shares = |runs: Vec<ClaimedRun>, job: &Kept| runs.iter().filter(|run| run.job == job.id()).count();
    let (north, south) = (claim(&kit, NORTH, "north").await, claim(&kit, SOUTH, "south").await);
    assert_eq!((shares(north, &recent), shares(south, &recent)), (2, 2), "each job has a memory of its own");
}

pub async fn workers_stand_where_people_have_put_them(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = job(&mut kit, "a", Strategy::First, None).await;
    let placed = WorkerInfo { place: Some(0), ..info(SOUTH, "south", "eu", 4, kit.incarnation) };
    kit.store.join_worker(placed.clone()).await.expect("join");
    join(&kit, NORTH, "north", "eu", 4).await;
    assert_eq!(kit.store.worker(SOUTH).await.expect("worker"), Some(placed));
    let mut runs = vec![ask(&kit, &job, 0).await];
    route(&kit, 9, at(1_000)).await;
    for (number, id, place) in [(1, NORTH, Some(0)), (2, SOUTH, Some(7)), (3, NORTH, Some(8)), (4, SOUTH, None)] {
        assert!(kit.store.place_worker(id, place).await.expect("place_worker"));
        runs.push(ask(&kit, &job, number).await);
        route(&kit, 9, at(1_000)).await;
    }
    let picked = workers(&kit, &runs).await;
    let names: Vec<&str> = picked.iter().flatten().map(String::as_str).collect();
    assert_eq!(names, ["south", "north", "north", "south", "north"]);
    let places = kit.store.workers().await.expect("workers").into_iter().map(|row| (row.info.name, row.info.place));
    assert_eq!(places.collect::<Vec<_>>(), [("north".to_owned(), Some(8)), ("south".to_owned(), None)]);
    assert!(!kit.store.place_worker(Incarnation(99), Some(1)).await.expect("place_worker"), "there is no such worker");
}

pub async fn run_whose_worker_is_gone_goes_to_another(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = job(&mut kit, "a", Strategy::Failover, None).await;
    join(&kit, NORTH, "north", "eu", 4).await;
    join(&kit, SOUTH, "south", "eu", 4).await;
    let run = ask(&kit, &job, 1).await;
    route(&kit, 9, at(1_000)).await;
    assert_eq!(workers(&kit, &[run]).await, [Some("north".into())]);
    assert!(kit.store.drain_worker(NORTH, true).await.expect("drain"));
    assert_eq!(
        lines(&route(&kit, 9, at(1_000)).await),
        ["mail/@south"],
        "what waits for one that drains goes to another"
    );
    for (name, draining) in [(NORTH, false), (SOUTH, true)] {
        assert!(kit.store.drain_worker(name, draining).await.expect("drain"));
    }
    assert_eq!(lines(&route(&kit, 9, at(1_000)).await), ["mail/@north"]);
    assert!(kit.store.drain_worker(SOUTH, false).await.expect("drain"));
    assert!(kit.store.bury_worker(NORTH, None).await.expect("bury"));
    let routed = route(&kit, 9, at(1_000)).await;
    assert_eq!((routed.moved, lines(&routed)), (1, vec!["mail/@south"]));
    assert_eq!(workers(&kit, &[run]).await, [Some("south".into())]);
    assert!(kit.store.bury_worker(SOUTH, None).await.expect("bury"));
    assert_eq!(route(&kit, 9, at(1_000)).await, Routed { waiting: 1, ..Routed::default() });
    assert_eq!(workers(&kit, &[run]).await, [None], "it waits for one that comes");
    join(&kit, Incarnation(13), "north", "eu", 4).await;
    route(&kit, 9, at(1_000)).await;
    assert_eq!(workers(&kit, &[run]).await, [Some("north".into())]);

    // One that nobody has heard for a while is passed over before it is taken for dead.
    join(&kit, Incarnation(14), "south", "eu", 4).await;
    kit.store.beat_workers(kit.incarnation, &[Incarnation(14)], at(20_000)).await.expect("beat");
    let later = ask(&kit, &job, 2).await;
    route(&kit, 9, at(20_000)).await;
    assert_eq!(workers(&kit, &[later]).await, [Some("south".into())]);
}

pub async fn run_waits_for_a_worker_with_its_labels(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let eu = job(&mut kit, "eu", Strategy::Any, Some("eu")).await;
    let us = job(&mut kit, "us", Strategy::Round, Some("us")).await;
    join(&kit, NORTH, "north", "eu", 1).await;
    let runs = [ask(&kit, &us, 1).await, ask(&kit, &eu, 1).await, ask(&kit, &eu, 2).await];
    let routed = route(&kit, 9, at(1_000)).await;
    assert_eq!((routed.moved, routed.waiting), (1, 2), "one free slot there, and nobody here");
    assert_eq!(workers(&kit, &runs).await, [None, Some("north".into()), None]);
    assert_eq!(claim(&kit, NORTH, "north").await.len(), 1);
    assert_eq!(route(&kit, 9, at(1_000)).await.moved, 0, "what it executes takes its slot as well");
    join(&kit, SOUTH, "south", "us", 1).await;
    assert_eq!(route(&kit, 9, at(1_000)).await.moved, 1);
    let done = Completion { held_by: Some(NORTH), ..eu.verdict(runs[1], Verdict::Succeeded, at(3_000)) };
    kit.complete(at(3_000), vec![done]).await;
    assert_eq!(route(&kit, 9, at(3_000)).await.moved, 1);
    assert_eq!(workers(&kit, &runs).await, [Some("south".into()), Some("north".into()), Some("north".into())]);
}

pub async fn busy_worker_is_passed_over(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = job(&mut kit, "a", Strategy::BusyOver, None).await;
    join(&kit, NORTH, "north", "eu", 4).await;
    join(&kit, SOUTH, "south", "eu", 4).await;
    let runs = [ask(&kit, &job, 1).await, ask(&kit, &job, 2).await, ask(&kit, &job, 3).await];
    assert_eq!(route(&kit, 9, at(1_000)).await.moved, 2, "one run of the job for each");
    assert_eq!(claim(&kit, NORTH, "north").await.len(), 1);
    assert_eq!(route(&kit, 9, at(1_000)).await.moved, 0, "whether it executes it or not");
    let left = runs[workers(&kit, &runs).await.iter().position(Option::is_none).expect("one waits")];
    let first = runs[workers(&kit, &runs).await.iter().position(|name| name.as_deref() == Some("north")).expect("one")];
    let done = Completion { held_by: Some(NORTH), ..job.verdict(first, Verdict::Succeeded, at(3_000)) };
    kit.complete(at(3_000), vec![done]).await;
    assert_eq!(route(&kit, 9, at(3_000)).await.moved, 1);
    assert_eq!(workers(&kit, &[left]).await, [Some("north".into())]);
}

/// A run of a broadcast under a limit of one run of its job, and its shards.
pub(super) async fn broadcast(kit: &mut Kit) -> (Kept, RunId, [RunId; 2]) {
    let mut draft = Draft::new("a").limit(Overlap::QueueAll, 1);
    let definition = Arc::make_mut(&mut draft.0.definition);
    definition.queue = "mail".into();
    definition.routing.strategy = Strategy::ShardingBroadcast;
    definition.start_timeout_ms = Some(60_000);
    let job = kit.save(draft).await;
    let run = AskedRun { input: Some(r#"{"a":1}"#.into()), ..asked(&job, 1, at(1_000)) };
    let id = run.id;
    kit.store.ask_run(run).await.expect("ask_run");
    let run = id;
    assert_eq!(route(kit, 9, at(1_000)).await.waiting, 1, "nobody is there");
    join(kit, SOUTH, "south", "eu", 4).await;
    join(kit, NORTH, "north", "eu", 4).await;
    let routed = route(kit, 9, at(1_500)).await;
    assert_eq!((routed.moved, lines(&routed)), (2, vec!["mail/@north", "mail/@south"]));
    let shards = [0, 1].map(|index| run.shard(job.id(), index));
    (job, run, shards)
}

pub(super) fn end_of(job: &Kept, run: RunId, by: Incarnation, verdict: Verdict) -> Completion {
    Completion { held_by: Some(by), ..job.verdict(run, verdict, at(3_000)) }
}

pub async fn each_worker_executes_a_shard_and_the_run_ends_with_them(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, run, shards) = broadcast(&mut kit).await;
    let (next, _) = kit.ask(&job, 2, at(1_600)).await;
    assert_eq!(kit.states(&[run, next]).await, [Some(RunState::Waiting), Some(RunState::Held)], "it holds the slot");
    let whole = kit.run(run).await;
    assert_eq!((whole.expires_at, whole.claimed_at, whole.attempt), (None, Some(at(1_500)), 0), "it has begun");
    for (index, (id, worker)) in (0_u32..).zip(shards.iter().zip(["north", "south"])) {
        let shard = kit.run(*id).await;
        assert_eq!((shard.parent, shard.shard), (Some(run), Some(Shard { index, total: 2 })));
        assert_eq!((shard.worker.as_deref(), shard.state), (Some(worker), RunState::Queued));
        assert_eq!((shard.input.as_deref(), shard.origin), (Some(r#"{"a":1}"#), Origin::Parent));
        assert_eq!(shard.expires_at, Some(at(61_000)));
    }
    let north = claim(&kit, NORTH, "north").await;
    assert_eq!((north.len(), north[0].run, north[0].attempt), (1, shards[0], 1));
    let south = claim(&kit, SOUTH, "south").await;
    assert_eq!((south.len(), south[0].run), (1, shards[1]));
    let ended = kit.complete(at(3_000), vec![end_of(&job, shards[0], NORTH, Verdict::Succeeded)]).await;
    assert!(ended.refused.is_empty());
    route(&kit, 9, at(3_000)).await;
    assert_eq!(kit.states(&[run, next]).await, [Some(RunState::Waiting), Some(RunState::Held)], "one is unfinished");
    kit.complete(at(3_000), vec![end_of(&job, shards[1], SOUTH, Verdict::Succeeded)]).await;
    route(&kit, 9, at(3_100)).await;
    let over = kit.run(run).await;
    assert_eq!((over.state, over.reason, over.ended_at), (RunState::Succeeded, None, Some(at(3_100))));
    let state = kit.run(next).await.state;
    assert!(state != RunState::Held, "its slot goes to the next: {state}");
    route(&kit, 9, at(3_200)).await;
    assert_eq!(kit.states(&[next]).await, [Some(RunState::Waiting)]);
    assert_eq!(kit.run(run).await.claimed_at, Some(at(1_500)), "its history has that as well");
}

pub async fn shard_keeps_its_place_when_it_is_tried_again(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, run, shards) = broadcast(&mut kit).await;
    claim(&kit, NORTH, "north").await;
    claim(&kit, SOUTH, "south").await;
    let again = Completion {
        then: AfterAttempt::RetryAt(at(4_000)),
        outcome: AttemptOutcome::Failed,
        ..end_of(&job, shards[1], SOUTH, Verdict::Failed)
    };
    kit.complete(at(3_000), vec![again, end_of(&job, shards[0], NORTH, Verdict::Succeeded)]).await;
    route(&kit, 9, at(3_000)).await;
    kit.store.release_due(at(4_000), 9).await.expect("release_due");
    let routed = route(&kit, 9, at(4_000)).await;
    assert_eq!((routed.moved, lines(&routed)), (1, vec!["mail/@south"]), "it is no broadcast of its own");
    let shard = kit.run(shards[1]).await;
    assert_eq!((shard.shard, shard.state), (Some(Shard { index: 1, total: 2 }), RunState::Queued));
    let claimed = claim(&kit, SOUTH, "south").await;
    assert_eq!((claimed[0].run, claimed[0].attempt), (shards[1], 2));
    let failed = Completion { attempt: 2, ..end_of(&job, shards[1], SOUTH, Verdict::Failed) };
    kit.complete(at(5_000), vec![failed]).await;
    route(&kit, 9, at(5_000)).await;
    let over = kit.run(run).await;
    assert_eq!((over.state, over.reason.as_deref()), (RunState::Failed, Some("shards 1 (failed) of 2")));
}

pub async fn cancel_of_a_broadcast_reaches_its_shards(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, run, shards) = broadcast(&mut kit).await;
    claim(&kit, NORTH, "north").await;
    let cancelled = kit.store.cancel_run(run, "enough", None, at(2_500)).await.expect("cancel");
    assert_eq!(cancelled, Cancelled::Requested);
    assert_eq!(kit.states(&shards).await, [Some(RunState::Running), Some(RunState::Cancelled)]);
    let changes = kit.store.take_changes(kit.incarnation, ShardSet::ALL, 9).await.expect("take_changes");
    assert_eq!(changes.cancels, [shards[0]], "its worker hears of it");
    route(&kit, 9, at(2_500)).await;
    let waits = kit.run(run).await;
    assert_eq!((waits.state, waits.cancel_requested_at), (RunState::Waiting, Some(at(2_500))));
    kit.complete(at(3_000), vec![end_of(&job, shards[0], NORTH, Verdict::Cancelled)]).await;
    route(&kit, 9, at(3_000)).await;
    let over = kit.run(run).await;
    assert_eq!((over.state, over.reason.as_deref()), (RunState::Cancelled, Some("enough")));
}

pub async fn newer_run_replaces_a_broadcast_with_its_shards(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let mut draft = Draft::new("a").limit(Overlap::CancelRunning, 1);
    let definition = Arc::make_mut(&mut draft.0.definition);
    definition.queue = "mail".into();
    definition.routing.strategy = Strategy::ShardingBroadcast;
    let job = kit.save(draft).await;
    join(&kit, NORTH, "north", "eu", 4).await;
    let (run, _) = kit.ask(&job, 1, at(1_000)).await;
    route(&kit, 9, at(1_000)).await;
    claim(&kit, NORTH, "north").await;
    let (newer, _) = kit.ask(&job, 2, at(2_000)).await;
    assert_eq!(kit.states(&[run, newer]).await, [Some(RunState::Waiting), Some(RunState::Held)], "its shard runs");
    let shard = run.shard(job.id(), 0);
    assert!(kit.run(shard).await.cancel_requested_at.is_some());
    kit.complete(at(3_000), vec![end_of(&job, shard, NORTH, Verdict::Cancelled)]).await;
    route(&kit, 9, at(3_000)).await;
    assert_eq!(kit.states(&[run]).await, [Some(RunState::Cancelled)]);
    route(&kit, 9, at(3_000)).await;
    assert_eq!(kit.states(&[newer]).await, [Some(RunState::Waiting)]);

    // A job that goes takes what waits with it.
    kit.store.delete_job(&job.job.definition.key, Expect::Anything, Vec::new(), at(4_000)).await.expect("delete");
    route(&kit, 9, at(4_000)).await;
    assert_eq!(kit.states(&[newer, newer.shard(job.id(), 0)]).await, [Some(RunState::Cancelled); 2]);
}

/// A version of a job of the queue `mail`, for workers of a zone.
async fn version(kit: &Kit, name: &str, zone: &str) -> Kept {
    let mut draft = Draft::new(name);
    let definition = Arc::make_mut(&mut draft.0.definition);
    definition.queue = "mail".into();
    definition.routing.workers = BTreeMap::from([("zone".into(), zone.into())]);
    kit.save(draft).await
}

pub async fn runs_for_which_nobody_is_there_hide_no_others(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    join(&kit, NORTH, "north", "eu", 3).await;
    let many = u64::from(ROUTED_MAX) + 2;
    let us = version(&kit, "us", "us").await;
    for number in 0..many {
        ask(&kit, &us, number).await;
    }
    let eu = version(&kit, "eu", "eu").await;
    let mut runs = Vec::new();
    for number in 0..3 {
        runs.push(kit.ask(&eu, number, at(1_500)).await.0);
    }
    let moved = version(&kit, "us", "eu").await;
    runs.push(kit.ask(&moved, many, at(1_600)).await.0);
    assert_eq!(route(&kit, 1, at(2_000)).await.moved, 1, "as many as may go");
    assert_eq!(route(&kit, 9, at(2_000)).await.moved, 2, "as many as there are slots");
    assert_eq!(route(&kit, 9, at(2_000)).await.moved, 0);
    let claimed = claim(&kit, NORTH, "north").await;
    assert_eq!(claimed.len(), 3);
    let ends = claimed.iter().map(|run| Completion {
        held_by: Some(NORTH),
        job: run.job,
        job_version: run.job_version,
        ..eu.verdict(run.run, Verdict::Succeeded, at(3_000))
    });
    assert!(kit_complete(&kit, ends.collect()).await.is_empty());
    assert_eq!(route(&kit, 9, at(3_000)).await.moved, 1, "each version of each job has had its turn");
    claim(&kit, NORTH, "north").await;
    for run in runs {
        assert_ne!(kit.run(run).await.state, RunState::Queued);
    }
}

async fn kit_complete(kit: &Kit, entries: Vec<Completion>) -> Vec<u32> {
    let batch = CompletionBatch { id: kit.batch_id(), at: at(3_000), entries };
    kit.store.complete(Arc::new(batch)).await.expect("complete").refused
}

pub async fn run_with_the_id_of_a_shard_is_in_the_way_of_nobody(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let other = job(&mut kit, "other", Strategy::First, None).await;
    let job = job(&mut kit, "a", Strategy::ShardingBroadcast, None).await;
    join(&kit, NORTH, "north", "eu", 4).await;
    join(&kit, SOUTH, "south", "eu", 4).await;
    let (run, next) = (ask(&kit, &job, 1).await, ask(&kit, &other, 1).await);
    let taken = AskedRun { id: run.shard(job.id(), 0), queue: "mail".into(), ..asked(&job, 2, at(1_000)) };
    kit.store.ask_run(taken).await.expect("ask_run");
    route(&kit, 9, at(2_000)).await;
    assert_eq!(workers(&kit, &[next]).await, [Some("north".into())]);
    assert_eq!(kit.states(&[run, run.shard(job.id(), 1)]).await, [Some(RunState::Waiting), Some(RunState::Queued)]);
    for (id, name) in [(NORTH, "north"), (SOUTH, "south")] {
        let ends = claim(&kit, id, name).await.into_iter().map(|run| Completion {
            job: run.job,
            job_version: run.job_version,
            ..end_of(&job, run.run, id, Verdict::Succeeded)
        });
        assert!(kit_complete(&kit, ends.collect()).await.is_empty());
    }
    route(&kit, 9, at(4_000)).await;
    assert_eq!(kit.states(&[run]).await, [Some(RunState::Succeeded)]);
}

pub async fn runs_whose_shards_go_on_hide_no_one_whose_shards_are_final(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = job(&mut kit, "a", Strategy::ShardingBroadcast, None).await;
    join(&kit, NORTH, "north", "eu", 4).await;
    for number in 0..210 {
        ask(&kit, &job, number).await;
    }
    let last = kit.ask(&job, 999, at(1_900)).await.0;
    assert_eq!(route(&kit, 999, at(2_000)).await.moved, 211);
    let cancelled = kit.store.cancel_run(last.shard(job.id(), 0), "enough", None, at(2_100)).await.expect("cancel");
    assert_eq!(cancelled, Cancelled::AtOnce);
    route(&kit, 9, at(2_200)).await;
    assert_eq!(kit.states(&[last]).await, [Some(RunState::Failed)]);
}

pub async fn shard_is_kept_until_its_run_has_ended(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, run, shards) = broadcast(&mut kit).await;
    claim(&kit, NORTH, "north").await;
    claim(&kit, SOUTH, "south").await;
    kit.complete(at(3_000), vec![end_of(&job, shards[0], NORTH, Verdict::Succeeded)]).await;
    let rule = PurgeRule {
        at: at(9_000),
        history_before: at(9_000),
        history_keep_per_job: Some(0),
        events_before: at(0),
        tombstones_before: at(0),
        limit: 100,
    };
    kit.store.purge(rule).await.expect("purge");
    assert_eq!(kit.states(&shards).await, [Some(RunState::Succeeded), Some(RunState::Running)]);
    kit.complete(at(3_000), vec![end_of(&job, shards[1], SOUTH, Verdict::Succeeded)]).await;
    kit.store.purge(rule).await.expect("purge");
    route(&kit, 9, at(4_000)).await;
    let over = kit.run(run).await;
    assert_eq!((over.state, over.reason), (RunState::Succeeded, None), "all of its shards are known");
    kit.store.purge(rule).await.expect("purge");
    assert_eq!(kit.states(&shards).await, [None, None]);
}
