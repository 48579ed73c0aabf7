//! What two sessions do to each other: with the verdicts of the histories that PostgreSQL and MariaDB pass.

use std::sync::Arc;

use mainspring_core::batch::{FireEntry, Heard, TriggerStatus};
use mainspring_core::cluster::{Change, Renewal, Shard, ShardSet, Standing};
use mainspring_core::job::{GateRule, Overlap};
use mainspring_core::{BatchId, JobId, JobVersion, Timestamp, TriggerId};
use mainspring_store::{Cluster, JobUpdate, NodeInfo};

use super::*;

const A: Incarnation = Incarnation(7);
const B: Incarnation = Incarnation(8);

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000 + ms)
}

/// A store at which two nodes have joined.
fn store() -> SimStore {
    let store = SimStore::new();
    for node in [A, B] {
        let renewal = Renewal { join: true, standing: Standing::Eligible, clock_offset_ms: None, answer_ms: None };
        let about = NodeInfo { name: "n".into(), address: String::new(), version: "1".into() };
        ready(store.memory.renew(node, &about, renewal)).expect("it joins");
    }
    store
}

fn begin(store: &mut SimStore, by: Incarnation, verb: Verb) -> u64 {
    store.begin(0, Sender { node: 0, life: 1, incarnation: by, call: 1 }, verb)
}

/// Takes one lock after the other, up to where it has all or has to wait.
fn go_on(store: &mut SimStore, session: u64) -> Progress {
    loop {
        match store.advance(session) {
            Progress::Locked => {}
            end => return end,
        }
    }
}

fn entry(number: i64, gated: bool) -> FireEntry {
    let progress = mainspring_core::batch::Progress {
        next_fire_at: Some(at(2_000)),
        due_at: Some(at(2_000)),
        previous_fire_at: None,
        start_at: at(0),
        repeat_count: None,
        times_triggered: 1,
        fired_through: Some(at(1_000)),
        status: TriggerStatus::Active,
        awaiting_run: None,
        tzdata: None,
    };
    FireEntry {
        trigger: TriggerId(number),
        job: JobId(number),
        job_version: JobVersion(1),
        version: 1,
        expected: at(1_000),
        progress,
        leaves_window: false,
        gate: gated.then_some(GateRule { overlap: Overlap::Skip, max_active: 9 }),
        priority: 5,
        queue: "default".into(),
        start_timeout_ms: None,
        input: None,
        runs: Vec::new(),
        gaps: Vec::new(),
    }
}

fn batch(by: Incarnation, sequence: u64) -> Arc<FireBatch> {
    let entries = (1..=6).map(|number| entry(number, number % 2 == 1)).collect();
    Arc::new(FireBatch { id: BatchId { incarnation: by, sequence }, answered: 0, at: at(1_000), entries })
}

fn pause(job: i64, triggers: &[i64]) -> Verb {
    let update =
        JobUpdate { job: JobId(job), expected_change: 1, paused: Some(true), triggers: Vec::new(), at: at(900) };
    Verb::Update(Box::new(update), triggers.iter().copied().map(TriggerId).collect())
}

#[test]
fn batch_passes_over_what_others_have_locked() {
    let mut store = store();
    let other = begin(&mut store, B, pause(2, &[2]));
    assert_eq!(go_on(&mut store, other), Progress::Ready);
    let gate = begin(&mut store, B, Verb::Ask(Box::new(asked(5))));
    assert_eq!(go_on(&mut store, gate), Progress::Ready);
    let fires = batch(A, 1);
    let session = begin(&mut store, A, Verb::Fire(Arc::clone(&fires)));
    assert_eq!(go_on(&mut store, session), Progress::Ready, "it waits for nobody");
    let busy = store.busy(session, &fires);
    assert_eq!(busy, [1, 4], "a trigger, and a trigger whose job's gate is locked");
    let outcome = store.memory.fire_beside(&fires, &busy).expect("the fence is there");
    // None of these triggers is there: what is not busy is stale, each under its own place.
    assert_eq!((outcome.busy, outcome.stale), (vec![1, 4], vec![0, 2, 3, 5]));
}

fn asked(job: i64) -> mainspring_store::AskedRun {
    mainspring_store::AskedRun {
        id: mainspring_core::RunId::new(at(0), mainspring_core::RunSource::Asked(JobId(job), 1)),
        job: JobId(job),
        job_version: JobVersion(1),
        origin: mainspring_core::run::Origin::Api,
        input: None,
        queue: "default".into(),
        priority: 5,
        rerun_of: None,
        repeat: None,
        caller: None,
        fire_time: at(0),
        at: at(0),
    }
}

#[test]
fn request_waits_for_the_batch_that_has_its_trigger() {
    let mut store = store();
    let fires = begin(&mut store, A, Verb::Fire(batch(A, 1)));
    assert_eq!(go_on(&mut store, fires), Progress::Ready);
    let other = begin(&mut store, B, pause(3, &[3]));
    assert_eq!(go_on(&mut store, other), Progress::Waits);
    assert_eq!(store.end(fires).1, [other], "it goes on when that is over");
    assert_eq!(go_on(&mut store, other), Progress::Ready);
}

#[test]
fn burial_waits_for_the_batch_under_way() {
    for verb in [Verb::Fire(batch(A, 1)), Verb::Changes(ShardSet::ALL, Heard::default())] {
        let mut store = store();
        let session = begin(&mut store, A, verb);
        assert_eq!(go_on(&mut store, session), Progress::Ready);
        let burial = begin(&mut store, B, Verb::Bury(A, Some(1)));
        assert_eq!(go_on(&mut store, burial), Progress::Waits);
        assert_eq!(store.end(session).1, [burial]);
        assert_eq!(go_on(&mut store, burial), Progress::Ready);
        ready(store.memory.bury(A, Some(1))).expect("nobody is in its way");
        store.end(burial);
        let late = ready(store.memory.fire(batch(A, 2)));
        assert!(matches!(late, Err(mainspring_store::Error::Fenced)), "it is buried: {late:?}");
    }
}

#[test]
fn repeated_claim_waits_for_the_first() {
    let mut store = store();
    let claim = |by| Verb::Claim(BatchId { incarnation: by, sequence: 1 }, 1, at(0));
    let first = begin(&mut store, A, claim(A));
    assert_eq!(go_on(&mut store, first), Progress::Ready);
    let (again, other) = (begin(&mut store, A, claim(A)), begin(&mut store, B, claim(B)));
    assert_eq!(go_on(&mut store, again), Progress::Waits);
    assert_eq!(go_on(&mut store, other), Progress::Ready, "another node's claim does not");
    assert_eq!(store.end(first).1, [again]);
}

#[test]
fn sessions_that_wait_for_each_other_are_found_and_one_of_them_begins_anew() {
    let mut store = store();
    let (first, second) = (begin(&mut store, A, pause(1, &[1, 2])), begin(&mut store, B, pause(2, &[2, 1])));
    for session in [first, second] {
        assert_eq!((store.advance(session), store.advance(session)), (Progress::Locked, Progress::Locked));
    }
    assert_eq!(store.advance(first), Progress::Waits);
    assert_eq!(store.advance(second), Progress::Deadlock);
    assert_eq!(store.let_go(second), [first]);
    assert_eq!(go_on(&mut store, first), Progress::Ready);
    assert_eq!(go_on(&mut store, second), Progress::Waits, "it begins anew");
    store.end(first);
    assert_eq!(go_on(&mut store, second), Progress::Ready);
    store.end(second);
    assert_eq!(store.leftovers(u64::MAX), 0);
}

#[test]
fn nodes_change_their_own_shards_beside_each_other_and_one_after_the_other() {
    let mut store = store();
    let change = |number| Verb::Acquire(Change { number, shards: [Shard(1)].into_iter().collect() }, 5);
    let (first, second, other) =
        (begin(&mut store, A, change(1)), begin(&mut store, A, change(2)), begin(&mut store, B, change(1)));
    assert_eq!(go_on(&mut store, first), Progress::Ready);
    assert_eq!(go_on(&mut store, second), Progress::Waits);
    assert_eq!(go_on(&mut store, other), Progress::Ready);
}
