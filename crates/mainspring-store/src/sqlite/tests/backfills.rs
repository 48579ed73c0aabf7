//! A process is killed while it runs a backfill: no fire time is lost, and none is run twice.

use std::collections::BTreeMap;

use mainspring_core::job::JobKey;
use mainspring_core::run::Verdict;
use mainspring_core::workflow::backfill::{Action, BackfillState, ItemState, Order, Reprocess, Spec, Standing};
use mainspring_core::{Incarnation, RunId, RunSource, Timestamp};

use super::faults::{child, folder_in_memory, killed_at, may_trace, open, remove};
use super::*;
use crate::conformance::kit::{Draft, Kit, at};
use crate::{BackfillStep, ItemStart, NewBackfill, NewItem, RunQuery};

/// What a child does: runs a backfill that is there.
pub(super) const ROLE: &str = "backfill";
const ITEMS: i64 = 4;
const MAX_ACTIVE: u32 = 2;

fn fire(number: i64) -> Timestamp {
    at(-1_000_000 + number * 1_000)
}

fn key() -> JobKey {
    JobKey::new("default", "etl")
}

/// Makes a store with a backfill that has not begun.
async fn made(path: &Path) {
    let store = Arc::new(open(path).unwrap());
    let kit = Kit::restarted(store.clone(), Incarnation(1)).await;
    let kept = kit.save(Draft::new("etl").trigger("t", at(9_000_000))).await;
    let spec = Spec {
        trigger: "t".into(),
        zone: "UTC".into(),
        from: fire(0),
        to: fire(ITEMS),
        reprocess: Reprocess::Missing,
        part: None,
        cascade: false,
        order: Order::Ascending,
        max_active: MAX_ACTIVE,
        stop_on_failure: false,
        priority: 0,
        plan: String::new(),
        actions: BTreeMap::new(),
    };
    let item = |number| NewItem { fire_time: fire(number), action: Action::Create, rerun_of: None, above: Vec::new() };
    let new = NewBackfill {
        job: kept.id(),
        job_version: kept.job.version,
        trigger: kept.row(0).id,
        spec,
        items: (0..ITEMS).map(item).collect(),
        by: None,
        at: at(0),
        below: Vec::new(),
    };
    store.backfill_store().add_backfill(new).await.unwrap();
    store.close().await.unwrap();
}

/// Runs the backfill to its end, as the engine does.
async fn drive(store: &Arc<SqliteStore>, incarnation: Incarnation) {
    let mut kit = Kit::restarted(store.clone(), incarnation).await;
    let kept = kit.kept(&key()).await;
    let backfills = store.backfill_store();
    let id = backfills.backfills(crate::BackfillQuery { limit: 1, ..Default::default() }).await.unwrap()[0].id;
    loop {
        // What a dead process held goes on here.
        let held: Vec<RunId> = store.held(incarnation).await.unwrap().iter().map(|run| run.claimed.run).collect();
        let claimed = kit.claim(9, at(20)).await;
        let all = held.into_iter().chain(claimed.iter().map(|run| run.run));
        let ends: Vec<_> = all.map(|run| kept.verdict(run, Verdict::Succeeded, at(30))).collect();
        if !ends.is_empty() {
            kit.complete(at(30), ends).await;
        }
        let turn = backfills.backfill_turn(id, 9).await.unwrap().unwrap();
        if turn.row.ended_at.is_some() {
            return;
        }
        let states = turn.running.iter().map(|item| (item, ItemState::of(item.state.unwrap())));
        let ended: Vec<_> = states.filter(|(_, state)| *state != ItemState::Running).collect();
        let mut standing = Standing { state: turn.row.state, reason: None, counts: turn.row.counts };
        standing.hear(&ended.iter().map(|(item, state)| (item.fire_time, *state)).collect::<Vec<_>>(), false);
        let room = usize::try_from(standing.room(MAX_ACTIVE)).unwrap();
        let start = turn.open.iter().take(room).map(|item| ItemStart {
            seq: item.seq,
            fire_time: item.fire_time,
            run: RunId::new(at(turn.row.turn), RunSource::Asked(kept.id(), item.seq.cast_unsigned())),
            rerun_of: None,
            repeat: None,
            line: "default".into(),
            priority: 0,
            input: None,
            expires_at: None,
        });
        let start: Vec<ItemStart> = start.collect();
        standing.counts.shift(start.len() as u64, ItemState::Open, ItemState::Running);
        standing.settle();
        let step = BackfillStep {
            id,
            turn: turn.row.turn,
            state: standing.state,
            reason: None,
            counts: standing.counts,
            ended: ended.iter().map(|(item, state)| (item.seq, *state)).collect(),
            start,
            sweep: None,
            ended_at: standing.is_over().then_some(at(40)),
            at: at(turn.row.turn),
        };
        assert!(backfills.step_backfill(step).await.unwrap());
    }
}

/// What the other process does.
pub(super) async fn run(path: &Path) {
    let store = Arc::new(open(path).unwrap());
    drive(&store, Incarnation(2)).await;
    store.close().await.unwrap();
    println!("\ndone");
}

#[tokio::test]
async fn backfill_loses_and_doubles_no_fire_time_whatever_write_is_the_last() {
    if !may_trace() {
        return;
    }
    let folder = folder_in_memory();
    let there = folder.path().join("there.db");
    made(&there).await;
    let path = folder.path().join("s.db");
    for calls in ["pwrite64,ftruncate", "fsync,fdatasync"] {
        let mut number = 0;
        loop {
            number += 1;
            remove(&path);
            std::fs::copy(&there, &path).unwrap();
            let text = killed_at(child(ROLE, &path), calls, number, Some(&path));
            let store = Arc::new(open(&path).unwrap());
            drive(&store, Incarnation(3)).await;
            let runs = store.runs(RunQuery { limit: 99, ..RunQuery::default() }).await.unwrap();
            let mut dates: Vec<Timestamp> = runs.iter().map(|run| run.fire_time).collect();
            dates.sort_unstable();
            assert_eq!(dates, (0..ITEMS).map(fire).collect::<Vec<_>>(), "killed at {number} of {calls}");
            let row = store.backfill_store().backfill(1).await.unwrap().unwrap();
            assert_eq!((row.state, row.counts.succeeded), (BackfillState::Completed, ITEMS.unsigned_abs()));
            store.close().await.unwrap();
            if text.contains("\ndone") {
                break;
            }
        }
        assert!(number > 3, "nothing was killed at {calls}: {number}");
    }
}
