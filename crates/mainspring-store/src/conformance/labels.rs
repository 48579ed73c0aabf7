//! Limits of labels: over queues, namespaces and process starts, in the way of nobody else.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mainspring_core::batch::{Completion, CompletionBatch, Queues};
use mainspring_core::job::{Job, JobKey, Task};
use mainspring_core::queue::QueueRule;
use mainspring_core::retry::AfterAttempt;
use mainspring_core::routing::Strategy;
use mainspring_core::run::{AttemptOutcome, RunState, Verdict};
use mainspring_core::{BatchId, Incarnation, RunId};

use super::kit::{Draft, Kept, Kit, NONE, asked, at};
use super::queues::claim;
use super::workers::info;
use super::workflows::{begin, graph, start_all, verdict};
use crate::{AskedRun, Store, WorkerInfo};

const GOLD: &str = "tier=gold";
const WORKER: Incarnation = Incarnation(77);

/// A job of a namespace with labels, and runs of it in a queue.
async fn labelled(
    kit: &Kit,
    place: (&str, &str, &str),
    labels: &[(&str, &str)],
    numbers: Range<u64>,
) -> (Kept, Vec<RunId>) {
    let (namespace, name, queue) = place;
    let mut job = Job::new(JobKey::new(namespace, name), Task::Noop);
    job.queue = queue.into();
    job.labels = labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let line = job.line();
    let job = kit.save(Draft::of(job)).await;
    let mut runs = Vec::new();
    for number in numbers {
        let run = AskedRun { queue: line.clone(), ..asked(&job, number, at(1_000 + number.cast_signed())) };
        runs.push(run.id);
        kit.store.ask_run(run).await.expect("ask_run");
    }
    (job, runs)
}

async fn limit(kit: &Kit, label: &str, max_running: Option<u32>, expect: i64) {
    let rule = QueueRule { max_running, ..QueueRule::default() };
    kit.store.set_queue(label, rule, expect, at(1_500)).await.expect("set_queue");
}

async fn end(kit: &mut Kit, job: &Kept, runs: &[RunId]) {
    let ends = runs.iter().map(|run| job.verdict(*run, Verdict::Succeeded, at(2_500))).collect();
    assert_eq!(kit.complete(at(2_500), ends).await.refused, NONE);
}

async fn counted(kit: &Kit, label: &str) -> u32 {
    kit.store.counted(label).await.expect("counted")
}

/// Claims for a worker: from its own line, then from the queue.
async fn claim_for(kit: &Kit, sequence: u64) -> Vec<RunId> {
    let (id, lines) = (BatchId { incarnation: WORKER, sequence }, Queues::named(["mail/@north", "mail"]));
    let claimed = kit.store.claim_for(id, kit.incarnation, &lines, 9, at(20_000)).await.expect("claim_for");
    claimed.iter().map(|claimed| claimed.run).collect()
}

fn sorted(mut runs: Vec<RunId>) -> Vec<RunId> {
    runs.sort_unstable();
    runs
}

pub async fn limit_of_a_label_holds_over_queues_and_namespaces(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let gold = &[("tier", "gold"), ("a", "b")][..];
    let (a, of_a) = labelled(&kit, ("default", "a", "mail"), gold, 0..2).await;
    let (_, of_b) = labelled(&kit, ("b", "b", "default"), gold, 10..12).await;
    let (_, of_c) = labelled(&kit, ("default", "c", "mail"), &[("tier", "silver")], 20..22).await;
    let (_, of_d) = labelled(&kit, ("b", "d", "mail"), &[], 30..32).await;
    limit(&kit, GOLD, Some(1), 0).await;
    let first = claim(&kit, &Queues::named(["mail"]), 9, at(20_000)).await;
    assert_eq!(sorted(first), sorted([&of_a[..1], &of_c, &of_d].concat()), "the others go on");
    assert_eq!(claim(&kit, &Queues::All, 9, at(20_001)).await, [], "the label is full, whoever asks");
    assert_eq!(counted(&kit, GOLD).await, 1);
    let waiting = kit.run(of_a[1]).await;
    assert_eq!((waiting.state, waiting.queue.as_str(), waiting.attempt), (RunState::Queued, "mail", 0));
    assert_eq!((waiting.claimed_at, waiting.worker), (None, None));
    assert_eq!(kit.store.waiting("mail", 9).await.expect("waiting"), 1, "it waits in its queue as before");
    end(&mut kit, &a, &of_a[..1]).await;
    assert_eq!(counted(&kit, GOLD).await, 0);
    assert_eq!(claim(&kit, &Queues::named(["default"]), 9, at(20_002)).await, of_b[..1]);
    assert_eq!(claim(&kit, &Queues::All, 9, at(20_003)).await, []);
    limit(&kit, GOLD, Some(2), 1).await;
    assert_eq!(claim(&kit, &Queues::named(["mail"]), 9, at(20_004)).await, of_a[1..]);
    assert_eq!(claim(&kit, &Queues::All, 9, at(20_005)).await, []);
    limit(&kit, GOLD, None, 2).await;
    assert_eq!(claim(&kit, &Queues::All, 9, at(20_006)).await, of_b[1..], "without the limit nothing is in its way");
}

pub async fn runs_that_run_already_count_in_the_new_limit_of_a_label(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, runs) = labelled(&kit, ("default", "a", "default"), &[("tier", "gold")], 0..4).await;
    assert_eq!(claim(&kit, &Queues::All, 2, at(2_000)).await, runs[..2]);
    limit(&kit, GOLD, Some(2), 0).await;
    assert_eq!(counted(&kit, GOLD).await, 2);
    assert_eq!(claim(&kit, &Queues::All, 9, at(2_001)).await, []);
    end(&mut kit, &job, &runs[..1]).await;
    assert_eq!(claim(&kit, &Queues::All, 9, at(2_002)).await, runs[2..3]);
    end(&mut kit, &job, &runs[1..3]).await;
    assert_eq!(claim(&kit, &Queues::All, 9, at(20_000)).await, runs[3..]);
}

pub async fn backlog_of_a_full_label_holds_up_no_other_of_its_queue(store: Arc<dyn Store>) {
    const BACKLOG: u64 = 700;
    let mut kit = Kit::new(store).await;
    let (gold, backlog) = labelled(&kit, ("default", "a", "mail"), &[("tier", "gold")], 0..BACKLOG).await;
    let (_, others) = labelled(&kit, ("default", "b", "mail"), &[], 5_000..5_003).await;
    limit(&kit, GOLD, Some(1), 0).await;
    let mail = Queues::named(["mail"]);
    let mut claimed = Vec::new();
    for _ in 0..9 {
        let left = 3 - u32::try_from(claimed.len()).expect("three at most");
        claimed.extend(claim(&kit, &mail, left, at(20_000)).await);
    }
    assert_eq!(claimed, [&backlog[..1], &others[..2]].concat(), "the backlog is put aside, and once");
    assert_eq!(claim(&kit, &Queues::All, 9, at(20_002)).await, others[2..]);
    assert_eq!(counted(&kit, GOLD).await, 1);
    end(&mut kit, &gold, &backlog[..1]).await;
    assert_eq!(claim(&kit, &Queues::All, 9, at(30_000)).await, backlog[1..2], "the next one in order");
}

pub async fn backlog_of_a_full_label_holds_up_no_other_queue(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    labelled(&kit, ("default", "a", "mail"), &[("tier", "gold")], 0..700).await;
    let (_, bulk) = labelled(&kit, ("default", "b", "bulk"), &[], 5_000..5_001).await;
    limit(&kit, GOLD, Some(1), 0).await;
    let claimed = claim(&kit, &Queues::named(["mail", "bulk"]), 9, at(20_000)).await;
    assert!(claimed.contains(&bulk[0]), "by the first claim: {claimed:?}");
}

pub async fn run_with_two_limited_labels_needs_room_in_both(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let both = &[("tier", "gold"), ("db", "reporting")][..];
    let (a, of_a) = labelled(&kit, ("default", "a", "default"), &[("tier", "gold")], 0..1).await;
    let (b, of_b) = labelled(&kit, ("default", "b", "default"), &[("db", "reporting")], 1..2).await;
    let (_, of_c) = labelled(&kit, ("default", "c", "default"), both, 2..4).await;
    limit(&kit, GOLD, Some(1), 0).await;
    limit(&kit, "db=reporting", Some(1), 0).await;
    let first = claim(&kit, &Queues::All, 9, at(20_000)).await;
    assert_eq!(first, [of_a[0], of_b[0]]);
    end(&mut kit, &a, &of_a).await;
    assert_eq!(claim(&kit, &Queues::All, 9, at(20_001)).await, []);
    end(&mut kit, &b, &of_b).await;
    assert_eq!(claim(&kit, &Queues::All, 9, at(20_002)).await, of_c[..1]);
    assert_eq!((counted(&kit, GOLD).await, counted(&kit, "db=reporting").await), (1, 1));
}

pub async fn run_that_is_tried_again_takes_its_place_of_a_label_anew(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, runs) = labelled(&kit, ("default", "a", "default"), &[("tier", "gold")], 0..2).await;
    limit(&kit, GOLD, Some(1), 0).await;
    assert_eq!(claim(&kit, &Queues::All, 9, at(20_000)).await, runs[..1]);
    let retry = AfterAttempt::RetryAt(at(20_200));
    let failed = job.completion(runs[0], 1, AttemptOutcome::Failed, retry, at(20_100));
    assert_eq!(kit.complete(at(20_100), vec![failed]).await.refused, NONE);
    assert_eq!(kit.store.release_due(at(20_200), 9).await.expect("release_due").count, 1);
    assert_eq!(claim(&kit, &Queues::All, 1, at(20_300)).await, runs[..1], "its own place is free");
    assert_eq!((counted(&kit, GOLD).await, kit.run(runs[0]).await.attempt), (1, 2));
    assert_eq!(claim(&kit, &Queues::All, 9, at(20_301)).await, []);
}

pub async fn limit_of_a_label_holds_for_routed_runs(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (gold, of_gold) = labelled(&kit, ("default", "a", "mail"), &[("tier", "gold")], 0..1).await;
    let mut draft = Draft::new("b");
    let definition = Arc::make_mut(&mut draft.0.definition);
    definition.queue = "mail".into();
    definition.labels = BTreeMap::from([("tier".into(), "gold".into())]);
    definition.routing.strategy = Strategy::First;
    let routed = kit.save(draft).await;
    let run = asked(&routed, 5, at(1_005));
    let id = run.id;
    kit.store.ask_run(run).await.expect("ask_run");
    let worker = WorkerInfo { queues: vec!["mail".into()], ..info(WORKER, kit.incarnation, at(1_000)) };
    kit.store.join_worker(worker).await.expect("join_worker");
    kit.store.route(at(1_500), 9).await.expect("route");
    limit(&kit, GOLD, Some(1), 0).await;
    assert_eq!(claim_for(&kit, 1).await, [id], "what is routed comes first");
    assert_eq!(claim_for(&kit, 2).await, [], "and its label is full for others");
    let ends = vec![Completion { held_by: Some(WORKER), ..routed.verdict(id, Verdict::Succeeded, at(20_100)) }];
    assert_eq!(kit.complete(at(20_100), ends).await.refused, NONE);
    assert_eq!(claim(&kit, &Queues::All, 9, at(20_200)).await, of_gold);
    let again = asked(&routed, 6, at(1_006));
    let id = again.id;
    kit.store.ask_run(again).await.expect("ask_run");
    kit.store.route(at(20_300), 9).await.expect("route");
    assert_eq!(claim_for(&kit, 3).await, []);
    assert_eq!(kit.run(id).await.worker.as_deref(), Some("north"), "it stays where its routing has put it");
    end(&mut kit, &gold, &of_gold).await;
    assert_eq!(claim_for(&kit, 4).await, [id]);
}

/// A run of a workflow with these tasks, each with labels of its own, all of which are queued.
async fn labelled_tasks(kit: &Kit, labels: &[(&str, &str)], tasks: &[(&str, &[(&str, &str)])]) -> (Kept, Vec<RunId>) {
    let map = |labels: &[(&str, &str)]| -> BTreeMap<String, String> {
        labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let names: Vec<&str> = tasks.iter().map(|(name, _)| *name).collect();
    let draft = graph(&names).edit(|job| {
        job.labels = map(labels);
        let Task::Workflow(workflow) = &mut job.task else { panic!("a workflow") };
        for (task, (_, own)) in workflow.tasks.iter_mut().zip(tasks) {
            task.job.labels = map(&[labels, own].concat());
        }
    });
    let job = kit.save(draft).await;
    let (run, _) = kit.ask(&job, 1, at(1_000)).await;
    assert!(begin(kit, run, at(1_000)).await);
    let starts: Vec<(u32, &str)> = (0..).zip(names).collect();
    let runs = start_all(kit, run, &starts, at(1_100)).await;
    (job, runs)
}

const MAIN: &[(&str, &str)] = &[("db", "main")];
const SILVER: &[(&str, &str)] = &[("tier", "silver")];

pub async fn limit_of_a_label_holds_for_tasks_that_have_it(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, runs) = labelled_tasks(&kit, &[], &[("a", MAIN), ("b", &[]), ("c", MAIN)]).await;
    let (_, plain) = labelled(&kit, ("default", "plain", "default"), MAIN, 500..501).await;
    limit(&kit, "db=main", Some(1), 0).await;
    let mut claimed = kit.claim(9, at(20_000)).await;
    assert_eq!(claimed.len(), 2, "{claimed:?}");
    claimed.retain(|claimed| claimed.run != runs[1]);
    let [first] = &claimed[..] else { panic!("{claimed:?}") };
    let second = if first.run == runs[0] { runs[2] } else { runs[0] };
    assert_eq!(counted(&kit, "db=main").await, 1);
    assert_eq!(kit.claim(9, at(20_001)).await, [], "jobs and tasks count together");
    let ends = vec![verdict(&job, first, Verdict::Succeeded, at(20_002))];
    assert_eq!(kit.complete(at(20_002), ends).await.refused, NONE);
    let next = kit.claim(9, at(20_003)).await;
    assert_eq!(next.iter().map(|claimed| claimed.run).collect::<Vec<_>>(), [second]);
    assert_eq!(kit.claim(9, at(20_004)).await, []);
    let ends = vec![verdict(&job, &next[0], Verdict::Succeeded, at(20_005))];
    assert_eq!(kit.complete(at(20_005), ends).await.refused, NONE);
    assert_eq!(claim(&kit, &Queues::All, 9, at(20_006)).await, plain);
}

pub async fn label_of_a_task_stands_before_that_of_its_workflow(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let tasks: &[(&str, &[(&str, &str)])] = &[("a", &[]), ("b", SILVER), ("c", SILVER)];
    let (job, runs) = labelled_tasks(&kit, &[("tier", "gold")], tasks).await;
    let (plain, gold) = labelled(&kit, ("default", "plain", "mail"), &[("tier", "gold")], 0..1).await;
    limit(&kit, GOLD, Some(1), 0).await;
    limit(&kit, "tier=silver", Some(1), 0).await;
    assert_eq!(claim(&kit, &Queues::named(["mail"]), 9, at(20_000)).await, gold);
    let first = claim(&kit, &Queues::All, 9, at(20_001)).await;
    assert!(first == runs[1..2] || first == runs[2..], "{first:?} of {runs:?}");
    // What the job has now counts, and of the task what the version has that the run executes.
    let again = Draft::from_kept(&kit.again(&job).await).edit(|job| {
        job.labels = BTreeMap::from([("tier".to_owned(), "bronze".to_owned())]);
        let Task::Workflow(workflow) = &mut job.task else { panic!("a workflow") };
        workflow.tasks.truncate(1);
    });
    kit.save(again).await;
    end(&mut kit, &plain, &gold).await;
    assert_eq!(claim(&kit, &Queues::All, 9, at(20_002)).await, runs[..1]);
    assert_eq!((counted(&kit, GOLD).await, counted(&kit, "tier=silver").await), (0, 1));
}

pub async fn tasks_that_run_already_count_in_the_new_limit_of_a_label(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let tasks: &[(&str, &[(&str, &str)])] = &[("a", &[]), ("b", SILVER), ("c", SILVER), ("d", MAIN)];
    let (_, runs) = labelled_tasks(&kit, &[("tier", "gold")], tasks).await;
    labelled(&kit, ("default", "plain", "default"), SILVER, 500..501).await;
    assert_eq!(sorted(claim(&kit, &Queues::All, 4, at(2_000)).await), sorted(runs));
    for (label, count) in [(GOLD, 2), ("tier=silver", 2), ("db=main", 1), ("db=other", 0)] {
        limit(&kit, label, Some(2), 0).await;
        assert_eq!(counted(&kit, label).await, count, "{label}");
    }
    assert_eq!(claim(&kit, &Queues::All, 9, at(2_001)).await, []);
}

/// Two nodes claim and end runs with a label at once. For stores that several nodes share.
pub async fn two_nodes_never_exceed_the_limit_of_a_label<S: Store + 'static>(stores: [Arc<S>; 2]) {
    const RUNS: u32 = 120;
    const LIMIT: u32 = 3;
    let kits = [Kit::new(stores[0].clone()).await, Kit::restarted(stores[1].clone(), Incarnation(77)).await];
    let gold = &[("tier", "gold")][..];
    let (job, _) = labelled(&kits[0], ("default", "a", "default"), gold, 0..u64::from(RUNS)).await;
    limit(&kits[0], GOLD, Some(LIMIT), 0).await;
    let (running, ended) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let job = Arc::new(job);
    let nodes = kits.map(|kit| {
        let (job, running, ended) = (Arc::clone(&job), Arc::clone(&running), Arc::clone(&ended));
        tokio::spawn(async move {
            while ended.load(Ordering::SeqCst) < RUNS {
                let id = kit.batch_id();
                let (claimed, _) = in_the_end(|| kit.store.claim(id, &Queues::All, 4, at(20_000))).await;
                let count = u32::try_from(claimed.len()).expect("four at most");
                let now = running.fetch_add(count, Ordering::SeqCst) + count;
                assert!(now <= LIMIT, "{now} at once");
                tokio::task::yield_now().await;
                running.fetch_sub(count, Ordering::SeqCst);
                let entries = claimed.iter().map(|run| job.verdict(run.run, Verdict::Succeeded, at(20_001))).collect();
                let batch = Arc::new(CompletionBatch { id: kit.batch_id(), at: at(20_001), entries });
                let (outcome, tries) = in_the_end(|| kit.store.complete(Arc::clone(&batch))).await;
                // What was kept without an answer is refused when it is said again.
                assert!(tries > 1 || outcome.refused.is_empty(), "{outcome:?}");
                ended.fetch_add(count, Ordering::SeqCst);
            }
        })
    });
    for node in nodes {
        node.await.expect("a node's claims");
    }
    assert_eq!(ended.load(Ordering::SeqCst), RUNS, "each once");
}

/// Asks until there is an answer, as an engine does: on a machine with much to do a lock may be waited for in vain. Answers how often it
/// asked, too.
async fn in_the_end<T, F: Future<Output = crate::Result<T>>>(mut ask: impl FnMut() -> F) -> (T, u32) {
    for tries in 1..20 {
        match ask().await {
            Err(crate::Error::Unavailable { .. }) => {}
            done => return (done.expect("an answer"), tries),
        }
    }
    panic!("the store is never there");
}
