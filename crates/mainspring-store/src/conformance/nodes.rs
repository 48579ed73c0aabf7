//! Nodes that share a store: joining, shards, burial and the fence.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::Incarnation;
use mainspring_core::batch::{Heard, Placed, Queues};
use mainspring_core::cluster::{Change, ClusterView, Renewal, Shard, ShardSet, Standing};
use mainspring_core::job::Overlap;
use mainspring_core::planner::Answered;

use mainspring_core::run::{RunState, Verdict};

use super::kit::{Draft, Kit, TakeChanges, at};
use super::workflows;
use crate::{Cancelled, Claimed, Cluster, Error, NodeInfo, PurgeRule, Release, Store};

const A: Incarnation = Incarnation(u128::MAX - 1);
const B: Incarnation = Incarnation(2);

fn cluster(store: &Arc<dyn Store>) -> &dyn Cluster {
    store.cluster().expect("the store is shared")
}

fn about(name: &str) -> NodeInfo {
    NodeInfo { name: name.to_owned(), address: format!("http://{name}:7070"), version: "1.2.3".to_owned() }
}

const fn renewal(join: bool) -> Renewal {
    Renewal { join, standing: Standing::Eligible, clock_offset_ms: None, answer_ms: None }
}

/// A kit that acts for a node.
async fn join(store: &Arc<dyn Store>, node: Incarnation, name: &str) -> Kit {
    cluster(store).renew(node, &about(name), renewal(true)).await.expect("join");
    Kit::acting(Arc::clone(store), node)
}

async fn look(store: &Arc<dyn Store>) -> ClusterView {
    // A renewal without a row changes nothing.
    cluster(store).renew(Incarnation(99), &about("looks"), renewal(false)).await.expect("renew")
}

fn set(shards: impl IntoIterator<Item = u8>) -> ShardSet {
    shards.into_iter().map(Shard).collect()
}

pub async fn nodes_join_and_are_seen(store: Arc<dyn Store>) {
    let before = look(&store).await;
    assert_eq!((before.nodes.len(), before.shards.len()), (0, 0), "looking makes no node");
    join(&store, A, "a").await;
    join(&store, B, "b").await;
    let step = Renewal { join: false, standing: Standing::ClockOff, clock_offset_ms: Some(-7), answer_ms: Some(9) };
    let view = cluster(&store).renew(B, &about("b"), step).await.expect("renew");
    let row = view.node(A).expect("a has joined");
    assert_eq!((row.counter, row.standing, row.clock_offset_ms), (1, Standing::Eligible, None));
    assert_eq!((row.name.as_str(), row.address.as_str(), row.version.as_str()), ("a", "http://a:7070", "1.2.3"));
    let row = view.node(B).expect("b has joined");
    assert_eq!((row.counter, row.standing, row.clock_offset_ms), (2, Standing::ClockOff, Some(-7)));
    assert_eq!(row.answer_ms, Some(9));
    let step = Renewal { standing: Standing::Far, answer_ms: Some(700), ..step };
    let view = cluster(&store).renew(B, &about("b"), step).await.expect("renew");
    let row = view.node(B).expect("b is there");
    assert_eq!((row.standing, row.answer_ms), (Standing::Far, Some(700)));
    assert_eq!(view.database, before.database);
    assert!(view.database_clock_ms >= before.database_clock_ms);
    assert!(cluster(&store).renew(A, &about("a"), renewal(true)).await.is_err(), "a node joins once");
}

pub async fn free_shards_are_acquired_once(store: Arc<dyn Store>) {
    join(&store, A, "a").await;
    join(&store, B, "b").await;
    let first = Change { number: 1, shards: set([0, 1, 255]) };
    assert_eq!(cluster(&store).acquire(A, first, 7).await.expect("acquire"), set([0, 1, 255]));
    let second = Change { number: 1, shards: set([1, 2]) };
    assert_eq!(cluster(&store).acquire(B, second, 8).await.expect("acquire"), set([2]));
    let view = look(&store).await;
    assert_eq!((view.owned_by(A), view.owned_by(B)), (set([0, 1, 255]), set([2])));
    let lease = view.shards[&Shard(255)];
    assert_eq!((lease.owner, lease.lease_id, lease.epoch), (A, 7, 1));

    let given = Change { number: 2, shards: set([1, 2]) };
    assert_eq!(cluster(&store).release(A, given).await.expect("release"), set([1]), "what is another's stays");
    let third = Change { number: 2, shards: set([1]) };
    assert_eq!(cluster(&store).acquire(B, third, 9).await.expect("acquire"), set([1]));
    assert_eq!(look(&store).await.shards[&Shard(1)].epoch, 2);
}

pub async fn late_changes_are_passed_over(store: Arc<dyn Store>) {
    join(&store, A, "a").await;
    let change = |number| Change { number, shards: set([4]) };
    assert_eq!(cluster(&store).acquire(A, change(3), 1).await.expect("acquire"), set([4]));
    for late in [2, 3] {
        assert_eq!(cluster(&store).release(A, change(late)).await.expect("release"), ShardSet::EMPTY);
    }
    assert_eq!(look(&store).await.owned_by(A), set([4]));
    assert_eq!(cluster(&store).acquire(B, change(1), 2).await.expect("acquire"), ShardSet::EMPTY, "b has not joined");
}

/// The first sending may be heard late, or its answer not at all.
pub async fn acquisition_that_is_repeated_answers_what_it_took(store: Arc<dyn Store>) {
    let a = join(&store, A, "a").await;
    join(&store, B, "b").await;
    let change = |number, shards| Change { number, shards };
    cluster(&store).acquire(B, change(1, set([4])), 5).await.expect("acquire");
    let mine = ShardSet::ALL.difference(set([4]));
    let again = async || cluster(&store).acquire(A, change(1, ShardSet::ALL), 7).await.expect("acquire");
    assert_eq!(again().await, mine);
    let job = a.save(Draft::new("a").trigger("t", at(1_000))).await;
    assert_eq!(again().await, mine);
    assert!(look(&store).await.shards.values().all(|lease| lease.epoch == 1), "nothing is taken twice");
    let changes = store.take_changes(A, ShardSet::ALL, 9).await.expect("take_changes");
    assert_eq!(changes.triggers, [job.row(0).id], "what has changed since then is still to be heard of");
    cluster(&store).release(A, change(2, set([1]))).await.expect("release");
    assert_eq!(again().await, mine.difference(set([1])), "what was given up since is not taken again");
}

pub async fn burial_needs_the_counter_that_was_seen(store: Arc<dyn Store>) {
    let mut a = join(&store, A, "a").await;
    cluster(&store).renew(A, &about("a"), renewal(false)).await.expect("renew");
    for wrong in [0, 1, 3] {
        cluster(&store).bury(A, Some(wrong)).await.expect("bury");
        assert!(look(&store).await.node(A).is_some(), "it has spoken since");
    }
    assert_eq!(a.fire(at(1_000), Vec::new()).await.placed, []);
    cluster(&store).bury(A, Some(2)).await.expect("bury");
    cluster(&store).bury(A, Some(2)).await.expect("whoever is later sees nothing to do");
    assert!(look(&store).await.node(A).is_none());
    join(&store, B, "b").await;
    cluster(&store).bury(B, None).await.expect("bury");
    assert!(look(&store).await.node(B).is_none(), "a node ends itself whatever its counter is");
}

pub async fn buried_node_records_nothing(store: Arc<dyn Store>) {
    let a = join(&store, A, "a").await;
    let job = a.save(Draft::new("a").trigger("t", at(1_000))).await;
    let all = Change { number: 1, shards: ShardSet::ALL };
    cluster(&store).acquire(A, all, 1).await.expect("acquire");
    cluster(&store).bury(A, None).await.expect("bury");
    assert_eq!(look(&store).await.shards.len(), 0, "its shards are free");

    let batch =
        mainspring_core::batch::FireBatch { id: a.batch_id(), at: at(1_000), answered: 0, entries: vec![job.entry(0)] };
    assert!(matches!(store.fire(Arc::new(batch)).await, Err(Error::Fenced)));
    assert!(matches!(store.claim(a.batch_id(), &Queues::All, 1, at(1_000)).await, Err(Error::Fenced)));
    assert!(matches!(store.take_changes(A, ShardSet::ALL, 1).await, Err(Error::Fenced)));
    assert_eq!(
        cluster(&store).acquire(A, Change { number: 2, shards: ShardSet::ALL }, 2).await.expect("acquire"),
        ShardSet::EMPTY
    );
    assert!(cluster(&store).renew(A, &about("a"), renewal(false)).await.expect("renew").node(A).is_none());

    assert_eq!(a.again(&job).await.row(0).progress, job.row(0).progress, "nothing has fired");
    let mut b = join(&store, B, "b").await;
    assert_eq!(b.fire(at(1_001), vec![job.entry(0)]).await.placed, [Placed::Queued]);
}

pub async fn node_that_was_told_of_more_than_is_there_records_nothing(store: Arc<dyn Store>) {
    let mut a = join(&store, A, "a").await;
    let job = a.save(Draft::new("a").trigger("t", at(1_000)).trigger("u", at(1_000))).await;
    a.fire(at(1_000), vec![job.entry(0)]).await;
    let fire = async |answered| {
        let batch = mainspring_core::batch::FireBatch {
            id: a.batch_id(),
            at: at(1_000),
            answered,
            entries: vec![job.entry(1)],
        };
        store.fire(Arc::new(batch)).await
    };
    assert!(matches!(fire(2).await, Err(Error::Fenced)), "one is lost");
    assert_eq!(fire(1).await.expect("none is lost").placed, [Placed::Queued]);

    let told = |batches| Answered { batches, through: Some(at(5_000)) };
    join(&store, B, "b").await;
    assert!(!cluster(&store).leave(B, Answered::default()).await.expect("leave"));
    assert!(!cluster(&store).leave(B, told(1)).await.expect("leave"), "without a fence nobody can say");
    assert_eq!(store.lost_through().await.expect("lost_through"), []);
    for _ in 0..2 {
        assert!(cluster(&store).leave(A, told(3)).await.expect("leave"), "two were there");
    }
    assert_eq!(store.lost_through().await.expect("lost_through"), [at(5_000)]);
    assert!(look(&store).await.nodes.is_empty(), "both have left");
}

pub async fn purge_forgets_what_failovers_have_lost_with_the_last_runs_of_that_time(store: Arc<dyn Store>) {
    join(&store, A, "a").await;
    let told = Answered { batches: 1, through: Some(at(5_000)) };
    assert!(cluster(&store).leave(A, told).await.expect("leave"));
    store.set_setting("colour", "1").await.expect("set_setting");
    for (before, left) in [(at(5_000), vec![at(5_000)]), (at(5_001), vec![])] {
        store.purge(PurgeRule { history_before: before, ..purge_rule() }).await.expect("purge");
        assert_eq!(store.lost_through().await.expect("lost_through"), left);
    }
    assert_eq!(store.setting("colour").await.expect("setting").as_deref(), Some("1"), "others stay");
}

fn purge_rule() -> PurgeRule {
    PurgeRule {
        at: at(2_000),
        history_before: at(0),
        history_keep_per_job: None,
        events_before: at(0),
        tombstones_before: at(0),
        limit: 100,
    }
}

/// Otherwise the fence would run ahead, and the end of the database could go missing without a trace.
pub async fn batch_that_is_repeated_counts_once(store: Arc<dyn Store>) {
    let a = join(&store, A, "a").await;
    let job = a.save(Draft::new("a").trigger("t", at(1_000)).trigger("u", at(1_000))).await;
    let batch = |answered, entry| {
        let entries = vec![job.entry(entry)];
        Arc::new(mainspring_core::batch::FireBatch { id: a.batch_id(), at: at(1_000), answered, entries })
    };
    let first = batch(0, 0);
    for _ in 0..3 {
        assert_eq!(store.fire(Arc::clone(&first)).await.expect("fire").placed, [Placed::Queued]);
    }
    assert!(matches!(store.fire(batch(2, 1)).await, Err(Error::Fenced)), "there was one");
    assert_eq!(store.fire(batch(1, 1)).await.expect("fire").placed, [Placed::Queued]);
    cluster(&store).bury(A, None).await.expect("bury");
    assert!(matches!(store.fire(first).await, Err(Error::Fenced)), "a repeat needs the fence, too");
}

pub async fn runs_of_a_buried_node_are_adopted_once(store: Arc<dyn Store>) {
    let mut a = join(&store, A, "a").await;
    let mut b = join(&store, B, "b").await;
    let job = a.save(Draft::new("a").trigger("t", at(1_000)).trigger("u", at(1_000))).await;
    a.fire(at(1_000), vec![job.claimed_entry(0), job.claimed_entry(1)]).await;
    assert_eq!(cluster(&store).orphaned().await.expect("orphaned"), []);
    assert_eq!(store.adopt_from(A, b.batch_id(), 9).await.expect("adopt"), [], "it lives");
    cluster(&store).bury(A, None).await.expect("bury");
    assert_eq!(cluster(&store).orphaned().await.expect("orphaned"), [A]);

    let mut runs = vec![job.next_run(0), job.next_run(1)];
    runs.sort_unstable();
    let one = store.adopt_from(A, b.batch_id(), 1).await.expect("adopt");
    let rest = store.adopt_from(A, b.batch_id(), 9).await.expect("adopt");
    let taken: Vec<_> = one.iter().chain(&rest).map(|run| run.claimed.run).collect();
    assert_eq!((one.len(), taken), (1, runs.clone()));
    assert_eq!(cluster(&store).orphaned().await.expect("orphaned"), []);

    let verdict = job.verdict(runs[0], Verdict::Succeeded, at(2_500));
    assert_eq!(a.complete(at(2_500), vec![verdict.clone()]).await.refused, [0], "it is not the zombie's any more");
    assert!(b.complete(at(2_500), vec![verdict]).await.refused.is_empty());
    assert_eq!(b.states(&runs).await, [Some(RunState::Succeeded), Some(RunState::Running)]);
}

pub async fn begun_workflow_stays_when_a_node_is_buried(store: Arc<dyn Store>) {
    let (a, b) = (join(&store, A, "a").await, join(&store, B, "b").await);
    let job = a.save(workflows::graph(&["a"])).await;
    let (run, _) = a.ask(&job, 1, at(1_000)).await;
    let shard = Shard(mainspring_core::shard_of("default", "graph"));
    let due = async |shards| store.workflows_due(shards, 9).await.expect("workflows_due");
    assert_eq!(due(std::iter::once(shard).collect()).await.len(), 1);
    assert!(store.begin_workflow(run, at(1_000)).await.expect("begin_workflow"));
    cluster(&store).bury(A, None).await.expect("bury");
    assert_eq!(cluster(&store).orphaned().await.expect("orphaned"), []);
    assert_eq!(store.adopt_from(A, b.batch_id(), 9).await.expect("adopt"), []);
    assert_eq!(b.run(run).await.state, RunState::Running, "nobody holds it, so nobody loses it");
    let others: ShardSet = ShardSet::ALL.iter().filter(|other| *other != shard).collect();
    assert_eq!(due(others).await, []);
    assert_eq!(due(ShardSet::ALL).await.len(), 1, "whoever owns its shard goes on with it");
}

pub async fn adoption_that_is_repeated_answers_what_it_took(store: Arc<dyn Store>) {
    let mut a = join(&store, A, "a").await;
    let mut b = join(&store, B, "b").await;
    let job = a.save(Draft::new("a").trigger("t", at(1_000)).trigger("u", at(1_000)).trigger("v", at(1_000))).await;
    a.fire(at(1_000), (0..3).map(|index| job.claimed_entry(index)).collect()).await;
    cluster(&store).bury(A, None).await.expect("bury");
    let adopt = async |id, limit| store.adopt_from(A, id, limit).await.expect("adopt");

    let first = b.batch_id();
    let taken = adopt(first, 2).await;
    assert_eq!(taken.len(), 2);
    assert_eq!(adopt(first, 2).await, taken, "and not the third");
    b.complete(at(2_500), vec![job.verdict(taken[0].claimed.run, Verdict::Succeeded, at(2_500))]).await;
    assert_eq!(adopt(first, 2).await, taken[1..], "what has ended is not ended again");

    let rest = adopt(b.batch_id(), 2).await;
    assert_eq!(rest.len(), 1);
    assert!(taken.iter().all(|run| run.claimed.run != rest[0].claimed.run));
    assert_eq!(adopt(b.batch_id(), 2).await, [], "another one starts from what is left");
}

pub async fn purge_forgets_what_dead_nodes_were_answered(store: Arc<dyn Store>) {
    let (mut a, mut b) = (join(&store, A, "a").await, join(&store, B, "b").await);
    let job = a.save(Draft::new("a").trigger("t", at(1_000)).trigger("u", at(1_000))).await;
    for number in 0..2 {
        a.ask(&job, number, at(100)).await;
    }
    a.fire(at(1_000), vec![job.entry(0)]).await;
    b.fire(at(1_000), vec![job.entry(1)]).await;
    assert_eq!(a.claim(1, at(1_100)).await.len(), 1);
    let claim = b.batch_id();
    let taken = store.claim(claim, &Queues::All, 1, at(1_100)).await.expect("claim");
    assert_eq!(taken.len(), 1);
    let rule = purge_rule();
    assert_eq!(store.purge(rule).await.expect("purge"), 0, "both may ask again");
    cluster(&store).bury(A, None).await.expect("bury");
    assert_ne!(store.purge(rule).await.expect("purge"), 0);
    assert_eq!(store.purge(rule).await.expect("purge"), 0);
    assert_eq!(store.claim(claim, &Queues::All, 1, at(1_200)).await.expect("claim"), taken, "b may still ask again");
}

pub async fn runs_that_a_node_holds_are_read(store: Arc<dyn Store>) {
    let mut a = join(&store, A, "a").await;
    let mut b = join(&store, B, "b").await;
    let job = a.save(Draft::new("a").trigger("t", at(1_000)).trigger("u", at(1_000))).await;
    a.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    b.fire(at(1_000), vec![job.entry(1)]).await;
    let held = async |by| {
        let runs = store.held(by).await.expect("held");
        runs.iter().map(|run| (run.claimed.run, run.claimed.attempt, run.state)).collect::<Vec<_>>()
    };
    let (first, second) = (job.next_run(0), job.next_run(1));
    assert_eq!(held(A).await, [(first, 1, RunState::Running)]);
    assert_eq!(held(B).await, [], "what is queued is nobody's");
    assert_eq!(b.claim(1, at(1_100)).await.len(), 1);
    assert_eq!(held(B).await, [(second, 1, RunState::Running)]);
    a.complete(at(1_200), vec![job.verdict(first, Verdict::Succeeded, at(1_200))]).await;
    assert_eq!(held(A).await, []);
}

pub async fn window_and_changes_are_read_by_shard(store: Arc<dyn Store>) {
    let a = join(&store, A, "a").await;
    let jobs: Vec<_> = (0..8).map(|n| Draft::new(&format!("job-{n}")).trigger("t", at(1_000)).0).collect();
    a.save_all(jobs).await;
    let all = a.window(at(2_000), 100).await;
    assert_eq!(all.len(), 8);
    let mine = all[0].shard;
    let (own, rest) = (set([mine.0]), ShardSet::ALL.difference(set([mine.0])));
    let ids = |shards| {
        let ids: Vec<_> = all.iter().filter(|row| ShardSet::contains(&shards, row.shard)).map(|row| row.id).collect();
        ids
    };
    for shards in [own, rest] {
        let (rows, _) = store.window(shards, at(2_000), None, 100).await.expect("window");
        assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), ids(shards));
    }
    let changes = store.take_changes(A, own, 100).await.expect("take_changes");
    assert_eq!((changes.triggers, changes.more), (ids(own), false));
    let mut changes = store.take_changes(A, rest, 3).await.expect("take_changes");
    assert_eq!((changes.triggers.len(), changes.more), (3, true));
    changes.triggers.extend(store.take_changes(A, rest, 100).await.expect("take_changes").triggers);
    changes.triggers.sort_unstable();
    assert_eq!(changes.triggers, ids(rest));
}

pub async fn end_is_asked_of_the_node_that_executes(store: Arc<dyn Store>) {
    let mut a = join(&store, A, "a").await;
    join(&store, B, "b").await;
    let job = a.save(Draft::new("a").trigger("t", at(1_000))).await;
    let run = job.next_run(0);
    a.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    let asked = store.cancel_run(run, "enough", None, at(1_100)).await.expect("cancel_run");
    assert_eq!(asked, Cancelled::Requested);
    assert_eq!(store.take_changes(B, ShardSet::EMPTY, 9).await.expect("take_changes").cancels, []);
    assert_eq!(store.take_changes(A, ShardSet::EMPTY, 9).await.expect("take_changes").cancels, [run]);
}

/// The answer to a look may be lost, and its request be carried out long after its sender has given it up.
pub async fn change_is_told_until_it_was_heard(store: Arc<dyn Store>) {
    let mut a = join(&store, A, "a").await;
    let job = a.save(Draft::new("a").trigger("t", at(1_000)).trigger("u", at(1_000))).await;
    let run = job.next_run(0);
    a.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    store.take_changes(A, ShardSet::ALL, 9).await.expect("take_changes");
    let look = async |heard: &Heard| {
        let changes = store.read_changes(A, ShardSet::ALL, heard.clone(), 9).await.expect("read_changes");
        ((changes.triggers, changes.cancels), changes.heard)
    };
    let triggers = vec![job.row(0).id, job.row(1).id];

    store.cancel_run(run, "enough", None, at(1_100)).await.expect("cancel_run");
    a.pause_job(&a.again(&job).await, true, at(1_100)).await;
    let (told, heard) = look(&Heard::default()).await;
    assert_eq!(told, (triggers.clone(), vec![run]));
    assert_eq!(look(&Heard::default()).await, (told, heard.clone()), "nobody heard of it");

    a.pause_job(&a.again(&job).await, false, at(1_200)).await;
    let (again, since) = look(&heard).await;
    assert_eq!(again, (triggers, vec![]), "they have changed again");
    assert_eq!(look(&heard).await, (again, since.clone()), "who heard of the first has not heard of the second");
    assert_eq!(look(&since).await, ((vec![], vec![]), Heard::default()));
}

pub async fn node_is_asked_to_drain(store: Arc<dyn Store>) {
    join(&store, A, "a").await;
    let asked = async || look(&store).await.node(A).expect("a").drain_asked;
    assert!(!asked().await);
    assert!(cluster(&store).ask_drain(A, true).await.expect("ask_drain"));
    assert!(asked().await);
    assert!(cluster(&store).ask_drain(A, false).await.expect("ask_drain"));
    assert!(!asked().await);
    assert!(!cluster(&store).ask_drain(B, true).await.expect("ask_drain"), "there is no such node");
}

pub async fn freed_slot_is_noted_for_the_owner(store: Arc<dyn Store>) {
    let mut a = join(&store, A, "a").await;
    let mut b = join(&store, B, "b").await;
    let job = a.save(Draft::new("a").limit(Overlap::Hold, 1).trigger("t", at(1_000)).trigger("u", at(1_000))).await;
    cluster(&store).acquire(A, Change { number: 1, shards: ShardSet::ALL }, 1).await.expect("acquire");
    let all = async |by, limit| store.take_changes(by, ShardSet::ALL, limit).await.expect("take_changes").triggers;
    all(A, 9).await;
    assert_eq!(a.fire(at(1_000), vec![job.entry(0), job.entry(1)]).await.blocked, [1]);
    let run = b.claim(1, at(1_001)).await[0].run;
    let outcome = b.complete(at(1_500), vec![job.verdict(run, Verdict::Succeeded, at(1_500))]).await;
    assert_eq!(outcome.freed, [job.id()]);
    assert_eq!(all(A, 9).await, [job.row(0).id, job.row(1).id], "the node that blocked it hears of it");
    assert_eq!(a.fire(at(1_501), vec![job.entry(1)]).await.placed, [Placed::Queued]);
    let run = a.claim(1, at(1_502)).await[0].run;
    a.complete(at(1_600), vec![job.verdict(run, Verdict::Succeeded, at(1_600))]).await;
    assert_eq!(all(A, 9).await, [], "what it recorded itself it knows");
}

pub async fn owner_of_a_new_shard_knows_of_earlier_changes(store: Arc<dyn Store>) {
    let a = join(&store, A, "a").await;
    let job = a.save(Draft::new("a").trigger("t", at(1_000))).await;
    cluster(&store).acquire(A, Change { number: 1, shards: ShardSet::ALL }, 1).await.expect("acquire");
    store.take_changes(A, ShardSet::ALL, 9).await.expect("take_changes");
    a.pause_job(&job, true, at(2_000)).await;
    let changes = store.take_changes(A, ShardSet::ALL, 9).await.expect("take_changes");
    assert_eq!(changes.triggers, [job.row(0).id], "later ones it is told");
}

/// Whoever takes a shard reads it whole: what was noted before need not be read again, one by one.
pub async fn changes_before_a_shard_was_taken_are_dropped(store: Arc<dyn Store>) {
    let a = join(&store, A, "a").await;
    let jobs: Vec<_> = (0..8).map(|n| Draft::new(&format!("job-{n}")).trigger("t", at(1_000)).0).collect();
    a.save_all(jobs).await;
    let all = a.window(at(2_000), 100).await;
    let (own, rest): (Vec<_>, Vec<_>) = all.iter().partition(|row| row.shard == all[0].shard);
    let change = Change { number: 1, shards: set([all[0].shard.0]) };
    cluster(&store).acquire(A, change, 1).await.expect("acquire");
    let changes = store.take_changes(A, ShardSet::ALL, 9).await.expect("take_changes");
    assert_eq!(changes.triggers.len(), rest.len(), "those of other shards stay");
    assert!(own.iter().all(|row| !changes.triggers.contains(&row.id)), "{changes:?}");
}

pub async fn claim_of_a_node_that_lives_is_waited_for(store: Arc<dyn Store>) {
    let (a, b) = (join(&store, A, "a").await, join(&store, B, "b").await);
    let yours = |again| Claimed::Yours { since: at(1), again };
    assert_eq!(a.claim_key("key", A, at(1)).await, yours(false));
    assert_eq!(b.claim_key("key", B, at(2)).await, Claimed::Pending);
    assert_eq!(a.claim_key("key", A, at(3)).await, yours(true), "its own it knows to be over");
    a.store.release_key("key", A, Release::LetGo).await.expect("release_key");
    assert_eq!(b.claim_key("key", B, at(4)).await, yours(true));
    assert_eq!(a.claim_key("key", A, at(5)).await, Claimed::Pending);
    cluster(&store).bury(B, None).await.expect("bury");
    assert_eq!(a.claim_key("key", A, at(6)).await, yours(true));
    let answer = b.answer_key("key", "", at(7)).await;
    assert_eq!(a.claim_key("key", A, at(8)).await, Claimed::Answered(answer), "by whoever was taken for dead");
}

pub async fn claim_that_lapses_is_taken_over(store: Arc<dyn Store>) {
    let (a, b) = (join(&store, A, "a").await, join(&store, B, "b").await);
    a.claim_key("key", A, at(100_000)).await;
    let yours = Claimed::Yours { since: at(100_000), again: true };
    assert_eq!(b.claim_key("key", B, at(160_000)).await, Claimed::Pending);
    assert_eq!(b.claim_key("key", B, at(160_001)).await, yours);
    assert_eq!(a.claim_key("key", A, at(100_001)).await, Claimed::Pending, "it counts from when it was taken over");
    assert_eq!(a.claim_key("key", A, at(100_000)).await, yours, "a clock that was set back keeps nobody waiting");
}

pub async fn claim_that_was_taken_over_is_not_given_up_by_the_one_before(store: Arc<dyn Store>) {
    let (a, b) = (join(&store, A, "a").await, join(&store, B, "b").await);
    a.claim_key("key", A, at(0)).await;
    b.claim_key("key", B, at(90_000)).await;
    for how in [Release::Forget, Release::LetGo] {
        a.store.release_key("key", A, how).await.expect("release_key");
        assert_eq!(a.claim_key("key", A, at(90_000)).await, Claimed::Pending);
    }
}
