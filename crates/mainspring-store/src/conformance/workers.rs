//! Queues, and workers of other machines that take runs from them.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::batch::{ClaimedRun, Completion, Queues};
use mainspring_core::cluster::ShardSet;
use mainspring_core::run::{AttemptOutcome, RunState, Verdict};
use mainspring_core::workers::Held;
use mainspring_core::{BatchId, Incarnation, RunId, Timestamp};

use super::kit::{Draft, Kept, Kit, TakeChanges, asked, at};
use crate::{AskedRun, Error, Store, WorkerInfo, WorkerToken};

const WORKER: Incarnation = Incarnation(0x1234_5678_9abc_def0_1234_5678_9abc_def0);
const OTHER: Incarnation = Incarnation(77);

pub(crate) fn info(id: Incarnation, node: Incarnation, now: Timestamp) -> WorkerInfo {
    let (queues, labels) = (vec!["mail".into(), "default".into()], BTreeMap::from([("zone".into(), "\"ü\"".into())]));
    let version = Some("1.2".into());
    WorkerInfo {
        id,
        name: "north".into(),
        queues,
        labels,
        place: None,
        slots: 4,
        version,
        token: Some("t".into()),
        node,
        joined_at: now,
    }
}

/// Asks for a run in a queue.
async fn ask(kit: &Kit, job: &Kept, number: u64, queue: &str, priority: i32) -> RunId {
    let run = AskedRun { queue: queue.into(), priority, ..asked(job, number, at(1_000)) };
    let id = run.id;
    kit.store.ask_run(run).await.expect("ask_run");
    id
}

/// Claims for this process start, or for a worker that it hears.
async fn claim(kit: &Kit, by: Incarnation, sequence: u64, queues: &[&str], limit: u32) -> Vec<ClaimedRun> {
    let (id, queues) = (BatchId { incarnation: by, sequence }, Queues::named(queues.iter().copied()));
    let claimed = match by == kit.incarnation {
        true => kit.store.claim(id, &queues, limit, at(2_000)).await,
        false => kit.store.claim_for(id, kit.incarnation, &queues, limit, at(2_000)).await,
    };
    claimed.expect("claim")
}

fn ids(claimed: &[ClaimedRun]) -> Vec<RunId> {
    claimed.iter().map(|claimed| claimed.run).collect()
}

pub async fn claim_takes_from_one_queue_after_the_other(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let high = ask(&kit, &job, 1, "mail", 9).await;
    let low = ask(&kit, &job, 2, "mail", 1).await;
    let usual = ask(&kit, &job, 3, "default", 5).await;
    let foreign = ask(&kit, &job, 4, "reports", 9).await;
    let me = kit.incarnation;
    assert_eq!(claim(&kit, me, 1, &["nobody"], 9).await, []);
    assert_eq!(ids(&claim(&kit, me, 2, &["default", "mail"], 2).await), [usual, high]);
    assert_eq!(ids(&claim(&kit, me, 3, &["default", "mail"], 9).await), [low]);
    assert_eq!(ids(&kit.claim(9, at(2_000)).await), [foreign], "who names no queue takes from all");

    let mut draft = Draft::new("b").trigger("t", at(1_000)).trigger("u", at(1_000));
    Arc::make_mut(&mut draft.0.definition).queue = "mail".into();
    let job = kit.save(draft).await;
    kit.fire(at(1_000), vec![job.entry(0), job.entry(1)]).await;
    let run = kit.run(job.next_run(0)).await;
    assert_eq!((run.queue.as_str(), run.state), ("mail", RunState::Queued));
    assert_eq!(claim(&kit, me, 4, &["default"], 9).await, []);
    assert_eq!(claim(&kit, me, 5, &["mail"], 9).await.len(), 2, "fires go to the queue of their job");
}

pub async fn worker_executes_runs_under_its_own_name(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let node = kit.incarnation;
    kit.store.join_worker(info(WORKER, node, at(1_000))).await.expect("join");
    let twice = kit.store.join_worker(info(WORKER, node, at(1_001))).await;
    assert!(matches!(twice, Err(Error::Conflict { .. })), "{twice:?}");
    let runs = [ask(&kit, &job, 1, "mail", 5).await, ask(&kit, &job, 2, "default", 5).await];
    assert_eq!(ids(&claim(&kit, WORKER, 1, &["mail", "default"], 9).await), runs);
    let again = claim(&kit, WORKER, 1, &["mail", "default"], 9).await;
    assert_eq!(ids(&again), runs, "a claim that is repeated answers what it took");

    assert_eq!(kit.store.worker(WORKER).await.expect("worker"), Some(info(WORKER, node, at(1_000))));
    let row = kit.store.workers().await.expect("workers").pop().expect("it has joined");
    assert_eq!((row.info, row.running, row.heard_at), (info(WORKER, node, at(1_000)), 2, at(1_000)));
    assert_eq!(kit.store.worker(OTHER).await.expect("worker"), None);
    assert_eq!(ids_of_held(&kit, WORKER).await, {
        let mut all = runs.to_vec();
        all.sort_unstable();
        all
    });

    let name = Some(info(WORKER, node, at(1_000)).name);
    assert_eq!(
        [kit.run(runs[0]).await.worker, kit.run(runs[1]).await.worker],
        [name.clone(), name],
        "runs tell who executes them"
    );
    let here = ask(&kit, &job, 3, "default", 5).await;
    assert_eq!(ids(&kit.claim(9, at(2_000)).await), [here]);
    assert_eq!(kit.run(here).await.worker, None, "the node itself is no worker");

    // Its ends go with those of the node that hears it, each under its holder.
    let end = |run, held_by| Completion { held_by, ..job.verdict(run, Verdict::Succeeded, at(3_000)) };
    let foreign = vec![end(runs[0], None), end(runs[1], Some(OTHER))];
    assert_eq!(kit.complete(at(3_000), foreign).await.refused, [0, 1], "they are the worker's");
    let own = vec![end(runs[0], Some(WORKER)), end(runs[1], Some(WORKER))];
    assert!(kit.complete(at(3_000), own.clone()).await.refused.is_empty());
    assert_eq!(kit.states(&runs).await, [Some(RunState::Succeeded); 2]);
    assert_eq!(kit.complete(at(3_001), own).await.refused, [0, 1], "once");
}

async fn ids_of_held(kit: &Kit, by: Incarnation) -> Vec<RunId> {
    kit.store.held(by).await.expect("held").iter().map(|run| run.claimed.run).collect()
}

pub async fn worker_is_counted_up_and_buried_by_the_count_that_was_seen(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (store, node) = (&kit.store, kit.incarnation);
    for id in [WORKER, OTHER] {
        store.join_worker(info(id, OTHER, at(1_000))).await.expect("join");
    }
    let beat = async |heard: &[Incarnation]| {
        let counts = store.beat_workers(node, heard, at(2_000)).await.expect("beat");
        let mut counts: Vec<(Incarnation, u64)> = counts.iter().map(|count| (count.worker, count.counter)).collect();
        counts.sort_unstable();
        counts
    };
    assert_eq!(beat(&[]).await, [(OTHER, 0), (WORKER, 0)]);
    assert_eq!(beat(&[WORKER, Incarnation(5)]).await, [(OTHER, 0), (WORKER, 1)]);
    let rows = store.workers().await.expect("workers");
    let row = rows.iter().find(|row| row.info.id == WORKER).expect("there");
    assert_eq!((row.heard_at, row.info.node), (at(2_000), OTHER), "who hears it is said apart");
    assert!(store.hear_worker(WORKER, node, at(2_001)).await.expect("hear"));
    assert!(!store.hear_worker(Incarnation(5), node, at(2_001)).await.expect("hear"), "there is no such worker");
    assert_eq!(store.worker(WORKER).await.expect("worker").expect("there").node, node);
    assert!(!store.bury_worker(WORKER, Some(1)).await.expect("bury"), "it was heard since");
    assert!(store.bury_worker(WORKER, Some(2)).await.expect("bury"));
    assert!(!store.bury_worker(WORKER, None).await.expect("bury"), "once");
    assert_eq!(beat(&[WORKER]).await, [(OTHER, 0)], "it is gone, and hears so");
    assert!(store.bury_worker(OTHER, None).await.expect("bury"));
    assert_eq!(store.workers().await.expect("workers"), []);
}

pub async fn run_that_is_over_names_who_has_executed_it(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let node = kit.incarnation;
    kit.store.name_node(node, "one").await.expect("name");
    kit.store.name_node(node, "one").await.expect("again");
    kit.store.join_worker(info(WORKER, node, at(1_000))).await.expect("join");
    let [far, near, lost] =
        [ask(&kit, &job, 1, "mail", 5).await, ask(&kit, &job, 2, "mail", 5).await, ask(&kit, &job, 3, "mail", 5).await];
    let who = async |kit: &Kit, run| {
        let run = kit.run(run).await;
        (run.worker, run.node)
    };
    let (north, one) = ((Some("north".to_owned()), None), (None, Some("one".to_owned())));
    assert_eq!(ids(&claim(&kit, WORKER, 1, &["mail"], 1).await), [far]);
    assert_eq!(ids(&claim(&kit, node, 1, &["mail"], 9).await), [near, lost]);
    assert_eq!((who(&kit, far).await, who(&kit, near).await), (north.clone(), one.clone()));
    let end = |run, held_by| Completion { held_by, ..job.verdict(run, Verdict::Failed, at(3_000)) };
    let lost_end = Completion { outcome: AttemptOutcome::Lost, ..end(lost, None) };
    let all = vec![end(far, Some(WORKER)), end(near, None), lost_end];
    assert!(kit.complete(at(3_000), all).await.refused.is_empty());
    assert!(kit.store.bury_worker(WORKER, None).await.expect("bury"));
    assert_eq!(who(&kit, far).await, north, "also when it has left");
    assert_eq!(who(&kit, near).await, one);
    assert_eq!(who(&kit, lost).await, (None, None), "it may have been taken over");
}

pub async fn worker_that_drains_claims_nothing_and_tells_its_clock(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let node = kit.incarnation;
    for id in [WORKER, OTHER] {
        kit.store.join_worker(info(id, node, at(1_000))).await.expect("join");
    }
    let runs = [ask(&kit, &job, 1, "mail", 5).await, ask(&kit, &job, 2, "mail", 5).await];
    assert_eq!(ids(&claim(&kit, WORKER, 1, &["mail"], 1).await), [runs[0]]);
    assert!(kit.store.drain_worker(WORKER, true).await.expect("drain"));
    assert!(kit.store.drain_worker(WORKER, true).await.expect("drain"), "also if it drains already");
    assert!(!kit.store.drain_worker(Incarnation(5), true).await.expect("drain"), "there is no such worker");
    let batch = BatchId { incarnation: WORKER, sequence: 2 };
    let refused = kit.store.claim_for(batch, node, &Queues::named(["mail"]), 9, at(2_000)).await;
    assert!(matches!(refused, Err(Error::Conflict { .. })), "{refused:?}");
    assert_eq!(ids_of_held(&kit, WORKER).await, [runs[0]], "it goes on with what it has");
    let draining = async || {
        let counts = kit.store.beat_workers(node, &[WORKER, OTHER], at(2_000)).await.expect("beat");
        let mut draining: Vec<(Incarnation, bool)> =
            counts.iter().map(|count| (count.worker, count.draining)).collect();
        draining.sort_unstable();
        draining
    };
    assert_eq!(draining().await, [(OTHER, false), (WORKER, true)]);

    kit.store.note_worker_clocks(&[(WORKER, -7), (OTHER, 1 << 50), (Incarnation(5), 1)]).await.expect("clocks");
    kit.store.note_worker_clocks(&[]).await.expect("none");
    let rows = kit.store.workers().await.expect("workers");
    let shown: Vec<_> = rows.iter().map(|row| (row.info.id, row.draining, row.clock_offset_ms)).collect();
    assert!(shown.contains(&(WORKER, true, Some(-7))) && shown.contains(&(OTHER, false, Some(1 << 50))), "{shown:?}");
    assert!(kit.store.drain_worker(WORKER, false).await.expect("drain"));
    assert_eq!(draining().await, [(OTHER, false), (WORKER, false)]);
    assert_eq!(ids(&claim(&kit, WORKER, 3, &["mail"], 9).await), [runs[1]]);
}

pub async fn workers_count_for_as_long_as_their_node_does(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (store, node, elsewhere) = (&kit.store, kit.incarnation, Incarnation(77));
    for id in [WORKER, OTHER] {
        store.join_worker(info(id, node, at(1_000))).await.expect("join");
    }
    let mut now = 1_000;
    let mut beat = async |by: Incarnation, heard: &[Incarnation]| {
        now += 1_000;
        let counts = store.beat_workers(by, heard, at(now)).await.expect("beat");
        let count = |id| counts.iter().find(|count| count.worker == id).map(|count| count.counter);
        (count(WORKER), count(OTHER))
    };
    let heard_at = async |id: Incarnation| {
        let rows = store.workers().await.expect("workers");
        rows.iter().find(|row| row.info.id == id).map(|row| row.heard_at)
    };
    let (mut worker, mut other) = beat(node, &[WORKER, OTHER]).await;
    for _ in 0..3 {
        let (next, next_other) = beat(node, &[WORKER, OTHER]).await;
        assert!(next > worker && next_other > other, "both are heard");
        (worker, other) = (next, next_other);
    }
    assert_eq!((heard_at(WORKER).await, heard_at(OTHER).await), (Some(at(5_000)), Some(at(5_000))));

    // One is silent: its count stands still from the last time on.
    for _ in 0..3 {
        let (next, next_other) = beat(node, &[WORKER]).await;
        assert!(next > worker);
        assert_eq!(next_other, other, "it is not heard");
        worker = next;
    }
    assert_eq!(heard_at(OTHER).await, Some(at(5_000)), "when it was");
    let (_, again) = beat(node, &[WORKER, OTHER]).await;
    assert!(again > other, "heard again");
    assert!(!store.bury_worker(OTHER, other).await.expect("bury"), "heard since");

    // It goes to another node, whose count is its own from then on.
    assert!(store.hear_worker(OTHER, elsewhere, at(10_000)).await.expect("hear"));
    let (_, moved) = beat(elsewhere, &[OTHER]).await;
    assert!(moved > again);
    let (_, still) = beat(node, &[WORKER]).await;
    assert_eq!(still, moved, "the node that it left counts for it no more");
    // That node may have heard it last all the same.
    let (_, both) = beat(node, &[WORKER, OTHER]).await;
    assert!(both > still);
    assert_eq!(store.worker(OTHER).await.expect("worker").expect("there").node, elsewhere);
    let (_, seen) = beat(elsewhere, &[]).await;
    assert_eq!(seen, both, "silent there");
    assert!(store.bury_worker(OTHER, seen).await.expect("bury"), "by the count that was seen");
    let (worker, gone) = beat(node, &[WORKER]).await;
    assert_eq!(gone, None);
    assert!(store.bury_worker(WORKER, worker).await.expect("bury"), "that of its node counts, too");
}

pub async fn node_that_counts_workers_hears_which_of_them_another_has_answered_since(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (store, node, elsewhere) = (&kit.store, kit.incarnation, Incarnation(77));
    for id in [WORKER, OTHER] {
        store.join_worker(info(id, node, at(1_000))).await.expect("join");
    }
    let here = async |by: Incarnation, heard: &[Incarnation]| {
        let counts = store.beat_workers(by, heard, at(2_000)).await.expect("beat");
        let mut here: Vec<Incarnation> = counts.iter().filter(|count| count.here).map(|count| count.worker).collect();
        here.sort_unstable();
        here
    };
    let both = [OTHER, WORKER];
    assert_eq!((here(node, &both).await, here(elsewhere, &[]).await), (both.to_vec(), vec![]));
    assert!(store.hear_worker(WORKER, elsewhere, at(2_001)).await.expect("hear"));
    assert_eq!((here(node, &both).await, here(elsewhere, &both).await), (vec![OTHER], vec![WORKER]));
    assert_eq!((here(node, &[]).await, here(elsewhere, &[]).await), (vec![OTHER], vec![WORKER]), "heard or not");
    assert!(store.hear_worker(WORKER, node, at(2_002)).await.expect("hear"));
    assert_eq!((here(node, &both).await, here(elsewhere, &[]).await), (both.to_vec(), vec![]), "taken back");
}

pub async fn runs_of_a_buried_worker_are_adopted_and_those_of_a_living_one_are_not(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let store = Arc::clone(&kit.store);
    store.join_worker(info(WORKER, kit.incarnation, at(1_000))).await.expect("join");
    let mut runs = vec![ask(&kit, &job, 1, "mail", 5).await, ask(&kit, &job, 2, "mail", 5).await];
    runs.sort_unstable();
    assert_eq!(claim(&kit, WORKER, 1, &["mail"], 9).await.len(), 2);
    assert_eq!(store.adopt_from(WORKER, kit.batch_id(), 9).await.expect("adopt"), [], "it lives");
    assert!(store.bury_worker(WORKER, Some(0)).await.expect("bury"));
    let id = kit.batch_id();
    let first = store.adopt_from(WORKER, id, 1).await.expect("adopt");
    let again = store.adopt_from(WORKER, id, 1).await.expect("adopt");
    assert_eq!(again, first, "a step that is repeated answers what it took");
    let rest = store.adopt_from(WORKER, kit.batch_id(), 9).await.expect("adopt");
    let taken: Vec<RunId> = first.iter().chain(&rest).map(|run| run.claimed.run).collect();
    assert_eq!((first.len(), taken), (1, runs.clone()));
    let late = Completion { held_by: Some(WORKER), ..job.verdict(runs[0], Verdict::Succeeded, at(3_000)) };
    assert_eq!(kit.complete(at(3_000), vec![late]).await.refused, [0], "its word comes too late");
    let lost = runs.iter().map(|run| job.verdict(*run, Verdict::Failed, at(3_000))).collect();
    assert!(kit.complete(at(3_000), lost).await.refused.is_empty(), "whoever adopted them has it");
}

pub async fn process_that_starts_leaves_the_runs_of_workers(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    kit.store.join_worker(info(WORKER, kit.incarnation, at(1_000))).await.expect("join");
    let kept = ask(&kit, &job, 1, "mail", 5).await;
    claim(&kit, WORKER, 1, &["mail"], 9).await;
    let lost = ask(&kit, &job, 2, "default", 5).await;
    kit.claim(9, at(2_000)).await;
    let later = Incarnation(4_711);
    let adopted = kit.store.adopt(later, at(3_000)).await.expect("adopt");
    assert_eq!(adopted.iter().map(|run| run.claimed.run).collect::<Vec<_>>(), [lost]);
    assert_eq!(ids_of_held(&kit, WORKER).await, [kept]);
    let end = Completion { held_by: Some(WORKER), ..job.verdict(kept, Verdict::Succeeded, at(4_000)) };
    assert!(kit.complete(at(4_000), vec![end]).await.refused.is_empty(), "through whatever process");
}

pub async fn end_that_is_asked_for_reaches_the_node_that_hears_the_worker(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    kit.store.join_worker(info(WORKER, kit.incarnation, at(1_000))).await.expect("join");
    let run = ask(&kit, &job, 1, "mail", 5).await;
    assert!(!claim(&kit, WORKER, 1, &["mail"], 1).await.is_empty());
    assert!(!kit.store.held(WORKER).await.expect("held")[0].ends);
    let of_all = async |by| kit.store.held_by_workers(by).await.expect("held by workers");
    let held = Held { worker: WORKER, run, attempt: 1, ends: false };
    assert_eq!((of_all(kit.incarnation).await, of_all(OTHER).await), (vec![held], vec![]));
    kit.store.cancel_run(run, "enough", None, at(2_500)).await.expect("cancel");
    assert!(kit.store.held(WORKER).await.expect("held")[0].ends, "a node that hears it first now sees it, too");
    assert_eq!(of_all(kit.incarnation).await, [Held { ends: true, ..held }]);
    let changes = kit.store.take_changes(kit.incarnation, ShardSet::ALL, 9).await.expect("changes");
    assert_eq!(changes.cancels, [run]);
}

pub async fn worker_claims_through_the_process_that_hears_it_alone(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let run = ask(&kit, &job, 1, "mail", 5).await;
    let (id, mail) = (BatchId { incarnation: WORKER, sequence: 1 }, Queues::named(["mail"]));
    let claim = async |by| kit.store.claim_for(id, by, &mail, 9, at(2_000)).await;
    assert!(matches!(claim(kit.incarnation).await, Err(Error::Fenced)), "it has not joined");
    kit.store.join_worker(info(WORKER, OTHER, at(1_000))).await.expect("join");
    assert!(matches!(claim(kit.incarnation).await, Err(Error::Fenced)), "another one hears it");
    assert!(kit.store.hear_worker(WORKER, kit.incarnation, at(1_001)).await.expect("hear"));
    assert!(matches!(claim(OTHER).await, Err(Error::Fenced)), "and now this one");
    assert_eq!(ids(&claim(kit.incarnation).await.expect("claim")), [run]);
    assert!(kit.store.bury_worker(WORKER, None).await.expect("bury"));
    assert!(matches!(claim(kit.incarnation).await, Err(Error::Fenced)), "it is gone");
}

pub async fn tokens_of_workers_are_kept_by_name(store: Arc<dyn Store>) {
    let token = |name: &str, byte, expires_at| WorkerToken {
        name: name.into(),
        hash: [byte; 32],
        queues: vec!["mail".into()],
        created_at: at(1_000),
        expires_at,
    };
    let (a, b) = (token("a", 1, None), token("b", 2, Some(at(9_000))));
    store.add_worker_token(b.clone()).await.expect("add");
    store.add_worker_token(a.clone()).await.expect("add");
    let taken = store.add_worker_token(token("a", 3, None)).await;
    assert!(matches!(taken, Err(Error::Conflict { .. })), "{taken:?}");
    assert_eq!(store.worker_tokens().await.expect("tokens"), [a, b.clone()]);
    assert!(store.remove_worker_token("a").await.expect("remove"));
    assert!(!store.remove_worker_token("a").await.expect("remove"));
    assert_eq!(store.worker_tokens().await.expect("tokens"), [b]);
}
