//! Backfills and the runs of their items.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use mainspring_core::batch::{Gap, GapOutcome, GapReason};
use mainspring_core::cluster::ShardSet;
use mainspring_core::job::Overlap;
use mainspring_core::run::{Origin, RunState, Verdict};
use mainspring_core::workflow::backfill::{
    Action, BackfillState, Existing, ItemCounts, ItemState, Order, Reprocess, Spec,
};
use mainspring_core::{RunId, RunSource, Timestamp};

use super::kit::{Draft, Kept, Kit, at};
use crate::Expect;
use crate::{
    BACKFILLED, BackfillQuery, BackfillRow, BackfillStep, Error, ExistingRun, ItemStart, JobDelete, NewBackfill,
    NewItem, PurgeRule, Store, Sweep,
};

const DAY: i64 = 86_400_000;

fn spec() -> Spec {
    Spec {
        trigger: "t".into(),
        zone: "Europe/Berlin".into(),
        from: at(-10 * DAY),
        to: at(-1),
        reprocess: Reprocess::Failed,
        part: None,
        cascade: false,
        order: Order::Descending,
        max_active: 3,
        stop_on_failure: true,
        priority: -7,
        plan: "abc".into(),
        actions: BTreeMap::from([(Action::Create, 3), (Action::Keep, 9)]),
    }
}

fn fire(number: i64) -> Timestamp {
    at(-10 * DAY + number * 1_000)
}

/// A backfill of some fire times.
fn of(kept: &Kept, fires: Range<i64>) -> NewBackfill {
    let item = |number| NewItem { fire_time: fire(number), action: Action::Create, rerun_of: None, above: Vec::new() };
    NewBackfill {
        job: kept.id(),
        job_version: kept.job.version,
        trigger: kept.row(0).id,
        spec: spec(),
        items: fires.map(item).collect(),
        by: Some("ada".into()),
        at: at(1_000),
        below: Vec::new(),
    }
}

/// Keeps a backfill of that many fire times.
async fn started(kit: &Kit, kept: &Kept, count: i64) -> BackfillRow {
    let id = kit.store.backfill_store().add_backfill(of(kept, 0..count)).await.expect("add_backfill");
    there(kit, id).await
}

async fn there(kit: &Kit, id: i64) -> BackfillRow {
    kit.store.backfill_store().backfill(id).await.expect("backfill").expect("it is there")
}

/// A step that changes nothing but the turn.
fn step(row: &BackfillRow) -> BackfillStep {
    BackfillStep {
        id: row.id,
        turn: row.turn,
        state: row.state,
        reason: row.reason.clone(),
        counts: row.counts,
        ended: Vec::new(),
        start: Vec::new(),
        sweep: None,
        ended_at: row.ended_at,
        at: at(2_000),
    }
}

fn start(kept: &Kept, seq: i64, number: u64) -> ItemStart {
    ItemStart {
        seq,
        fire_time: fire(seq - 1),
        run: RunId::new(at(2_000), RunSource::Asked(kept.id(), number)),
        rerun_of: None,
        repeat: None,
        line: "default".into(),
        priority: -7,
        input: Some("{\"a\":1}".into()),
        expires_at: None,
    }
}

async fn take(kit: &Kit, step: BackfillStep) -> bool {
    kit.store.backfill_store().step_backfill(step).await.expect("step_backfill")
}

/// Starts the first item.
async fn begun(kit: &Kit, kept: &Kept, row: &BackfillRow) -> RunId {
    let start = start(kept, 1, 1);
    let run = start.run;
    let mut counts = row.counts;
    counts.shift(1, ItemState::Open, ItemState::Running);
    assert!(take(kit, BackfillStep { start: vec![start], counts, ..step(row) }).await);
    run
}

async fn job(kit: &Kit) -> Kept {
    kit.save(Draft::new("etl").trigger("t", at(5_000))).await
}

pub async fn backfills_are_kept_with_their_items(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let kept = job(&kit).await;
    let other = kit.save(Draft::new("other").trigger("t", at(5_000))).await;
    let first = started(&kit, &kept, 3).await;
    let counts = ItemCounts { open: 3, ..ItemCounts::default() };
    assert_eq!((first.turn, first.state, first.counts, first.ended_at), (1, BackfillState::Active, counts, None));
    assert_eq!((first.key.name.as_str(), first.job_version, &first.spec), ("etl", kept.job.version, &spec()));
    assert_eq!((first.created_at, first.created_by.as_deref()), (at(1_000), Some("ada")));
    let second = started(&kit, &other, 2_500).await;
    assert!(second.id > first.id);
    let backfills = kit.store.backfill_store();
    let page = backfills.backfill_items(second.id, None, 1_000, 2).await.expect("backfill_items");
    assert_eq!(page.iter().map(|item| item.seq).collect::<Vec<_>>(), [1_001, 1_002]);
    assert_eq!((page[0].fire_time, page[0].action, page[0].state), (fire(1_000), Action::Create, ItemState::Open));
    assert_eq!((page[0].run, page[0].rerun_of), (None, None));
    assert_eq!(backfills.backfill_items(second.id, Some(ItemState::Failed), 0, 9).await.expect("backfill_items"), []);
    let all = BackfillQuery { limit: 9, ..BackfillQuery::default() };
    for (query, expected) in [
        (all.clone(), vec![second.id, first.id]),
        (BackfillQuery { limit: 1, ..all.clone() }, vec![second.id]),
        (BackfillQuery { before: Some(second.id), ..all.clone() }, vec![first.id]),
        (BackfillQuery { job: Some(other.id()), ..all.clone() }, vec![second.id]),
        (BackfillQuery { state: Some(BackfillState::Paused), ..all.clone() }, vec![]),
        (BackfillQuery { namespace: Some("default".into()), ..all.clone() }, vec![second.id, first.id]),
        (BackfillQuery { namespace: Some("none".into()), ..all.clone() }, vec![]),
    ] {
        let found = backfills.backfills(query.clone()).await.expect("backfills");
        assert_eq!(found.iter().map(|row| row.id).collect::<Vec<_>>(), expected, "{query:?}");
    }
    assert_eq!(backfills.backfill(second.id + 1).await.expect("backfill"), None);
}

pub async fn step_of_a_backfill_makes_runs_at_its_turn_alone(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let kept = kit.save(Draft::new("etl").trigger("t", at(5_000)).limit(Overlap::Skip, 1)).await;
    let row = started(&kit, &kept, 3).await;
    let run = begun(&kit, &kept, &row).await;
    let made = kit.run(run).await;
    assert_eq!((made.state, made.origin, made.fire_time), (RunState::Queued, Origin::Backfill, fire(0)));
    assert_eq!((made.due_at, made.created_at, made.priority), (at(2_000), at(2_000), -7));
    assert_eq!((made.trigger, made.trigger_name.as_deref()), (Some(kept.row(0).id), Some("t")));
    assert_eq!((made.input.as_deref(), made.rerun_of), (Some("{\"a\":1}"), None));
    // The same step again, or another one that was decided on the same turn.
    let mut counts = row.counts;
    counts.shift(1, ItemState::Open, ItemState::Running);
    let again = BackfillStep { start: vec![start(&kept, 2, 2)], counts, ..step(&row) };
    assert!(!take(&kit, again).await);
    assert_eq!(kit.all_runs().await.len(), 1);
    let now = there(&kit, row.id).await;
    assert_eq!((now.turn, now.counts.open, now.counts.running), (2, 2, 1));
    // An item that has begun does not begin again.
    assert!(!take(&kit, BackfillStep { start: vec![start(&kept, 1, 3)], ..step(&now) }).await);
    assert_eq!(there(&kit, row.id).await.turn, 2);
    assert_eq!(kit.all_runs().await.len(), 1);
    // It takes no slot of its job, and where the trigger stands does not change.
    let entry = kept.entry(0);
    let mut kit = kit;
    let outcome = kit.fire(at(5_000), vec![entry]).await;
    assert_eq!(outcome.placed, [mainspring_core::batch::Placed::Queued]);
}

pub async fn turn_of_a_backfill_tells_how_its_runs_stand(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let kept = job(&kit).await;
    let row = started(&kit, &kept, 3).await;
    let backfills = Arc::clone(&kit.store);
    let backfills = backfills.backfill_store();
    assert_eq!(backfills.backfills_due(ShardSet::ALL, 9).await.expect("backfills_due"), [row.id]);
    assert_eq!(backfills.backfills_due(ShardSet::EMPTY, 9).await.expect("backfills_due"), Vec::<i64>::new());
    let run = begun(&kit, &kept, &row).await;
    let turn = backfills.backfill_turn(row.id, 1).await.expect("backfill_turn").expect("it is there");
    assert_eq!((turn.running[0].seq, turn.running[0].run), (1, run));
    assert_eq!((turn.running[0].state, turn.running[0].cancel_requested), (Some(RunState::Queued), false));
    assert_eq!(turn.open.iter().map(|item| item.seq).collect::<Vec<_>>(), [2]);
    assert_eq!(turn.busy, []);
    assert_eq!(kit.claim(1, at(2_500)).await.len(), 1);
    kit.store.cancel_run(run, "no more", None, at(2_600)).await.expect("cancel_run");
    let turn = backfills.backfill_turn(row.id, 9).await.expect("backfill_turn").expect("it is there");
    assert_eq!((turn.running[0].state, turn.running[0].cancel_requested), (Some(RunState::Running), true));
    kit.complete(at(3_000), vec![kept.verdict(run, Verdict::Cancelled, at(3_000))]).await;
    let turn = backfills.backfill_turn(row.id, 9).await.expect("backfill_turn").expect("it is there");
    assert_eq!(turn.running[0].state, Some(RunState::Cancelled));
    let mut counts = turn.row.counts;
    counts.shift(1, ItemState::Running, ItemState::Cancelled);
    let paused = BackfillState::Paused;
    let ended = vec![(1, ItemState::Cancelled)];
    let pause = BackfillStep { ended, counts, state: paused, reason: Some("why".into()), ..step(&turn.row) };
    assert!(take(&kit, pause).await);
    let turn = backfills.backfill_turn(row.id, 9).await.expect("backfill_turn").expect("it is there");
    assert_eq!((turn.row.state, turn.row.reason.as_deref(), turn.row.counts.cancelled), (paused, Some("why"), 1));
    assert_eq!((turn.running, turn.open), (vec![], vec![]), "what is paused starts nothing");
    assert_eq!(backfills.backfills_due(ShardSet::ALL, 9).await.expect("backfills_due"), Vec::<i64>::new());
}

pub async fn items_are_closed_and_opened_again_together(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let kept = job(&kit).await;
    let row = started(&kit, &kept, 3).await;
    let run = begun(&kit, &kept, &row).await;
    kit.claim(1, at(2_500)).await;
    kit.complete(at(3_000), vec![kept.verdict(run, Verdict::Failed, at(3_000))]).await;
    let now = there(&kit, row.id).await;
    let counts = ItemCounts { failed: 1, cancelled: 2, ..ItemCounts::default() };
    let ended = vec![(1, ItemState::Failed)];
    let over = BackfillState::Cancelled;
    let close =
        BackfillStep { ended, counts, state: over, sweep: Some(Sweep::Close), ended_at: Some(at(3_000)), ..step(&now) };
    assert!(take(&kit, close).await);
    let states = async || {
        let items = kit.store.backfill_store().backfill_items(row.id, None, 0, 9).await.expect("backfill_items");
        items.iter().map(|item| item.state).collect::<Vec<_>>()
    };
    assert_eq!(states().await, [ItemState::Failed, ItemState::Cancelled, ItemState::Cancelled]);
    let now = there(&kit, row.id).await;
    assert_eq!((now.state, now.ended_at), (over, Some(at(3_000))));
    let reopen = BackfillStep {
        counts: row.counts,
        state: BackfillState::Active,
        sweep: Some(Sweep::Reopen),
        ended_at: None,
        ..step(&now)
    };
    assert!(take(&kit, reopen).await);
    assert_eq!(states().await, [ItemState::Open; 3]);
    // The run of before is the one that the next repeats.
    let now = there(&kit, row.id).await;
    let next = ItemStart { rerun_of: Some(run), ..start(&kept, 1, 9) };
    let second = next.run;
    assert!(take(&kit, BackfillStep { start: vec![next], ..step(&now) }).await);
    let item = kit.store.backfill_store().backfill_items(row.id, None, 0, 1).await.expect("backfill_items");
    assert_eq!((item[0].run, item[0].rerun_of), (Some(second), Some(run)));
    assert_eq!(kit.run(second).await.rerun_of, Some(run));
}

pub async fn runs_of_fire_times_are_found_whoever_made_them(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let kept = kit.save(Draft::new("etl").trigger("t", fire(0))).await;
    let trigger = kept.row(0).id;
    let existing = async |kit: &Kit, from: Timestamp, to: Timestamp| -> Vec<ExistingRun> {
        kit.store.backfill_store().existing_runs(kept.id(), trigger, from, to).await.expect("existing_runs")
    };
    assert_eq!(existing(&kit, fire(0), fire(9)).await, []);
    let fired = kept.next_run(0);
    kit.fire(fire(0), vec![kept.entry(0)]).await;
    let of = |number, existing, run| ExistingRun { fire_time: fire(number), existing, run };
    assert_eq!(existing(&kit, fire(0), fire(9)).await, [of(0, Existing::Active, Some(fired))]);
    assert_eq!(existing(&kit, fire(0) + 1, fire(9)).await, []);
    kit.claim(9, at(0)).await;
    kit.complete(at(1), vec![kept.verdict(fired, Verdict::Failed, at(1))]).await;
    assert_eq!(existing(&kit, fire(0), fire(0)).await, [of(0, Existing::Bad, Some(fired))]);
    let row = started(&kit, &kept, 2).await;
    let open = [of(0, Existing::Active, None), of(1, Existing::Active, None)];
    assert_eq!(existing(&kit, fire(0), fire(9)).await, open, "they are to be run");
    let run = begun(&kit, &kept, &row).await;
    assert_eq!(existing(&kit, fire(0), fire(0)).await, [of(0, Existing::Active, Some(run))]);
    let now = there(&kit, row.id).await;
    let counts = ItemCounts { succeeded: 1, cancelled: 1, ..ItemCounts::default() };
    let ended = vec![(1, ItemState::Succeeded)];
    let state = BackfillState::Cancelled;
    assert!(take(&kit, BackfillStep { ended, counts, state, sweep: Some(Sweep::Close), ..step(&now) }).await);
    assert_eq!(existing(&kit, fire(0), fire(9)).await, [of(0, Existing::Good, Some(run))]);
}

pub async fn run_of_the_trigger_itself_is_seen_to_be_under_way(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let kept = kit.save(Draft::new("etl").trigger("t", fire(1))).await;
    let row = started(&kit, &kept, 3).await;
    kit.fire(fire(1), vec![kept.entry(0)]).await;
    let turn = kit.store.backfill_store().backfill_turn(row.id, 9).await.expect("backfill_turn");
    assert_eq!(turn.expect("it is there").busy, [fire(1)]);
}

pub async fn fire_time_is_that_of_one_backfill_at_a_time(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let kept = kit.save(Draft::new("etl").trigger("t", at(5_000))).await;
    let other = kit.save(Draft::new("other").trigger("t", at(5_000))).await;
    let backfills = kit.store.backfill_store();
    let add = async |kept: &Kept, fires| backfills.add_backfill(of(kept, fires)).await;
    let (one, two) = tokio::join!(add(&kept, 0..3), add(&kept, 2..5));
    let (id, first, refused) = match (one, two) {
        (Ok(id), Err(refused)) => (id, 0, refused),
        (Err(refused), Ok(id)) => (id, 2, refused),
        both => panic!("one of them: {both:?}"),
    };
    assert!(matches!(refused, Error::Conflict { what: BACKFILLED, .. }), "{refused}");
    let all = BackfillQuery { limit: 9, ..BackfillQuery::default() };
    assert_eq!(backfills.backfills(all).await.expect("backfills"), [there(&kit, id).await]);
    // Other fire times and those of other triggers are free.
    assert!(add(&kept, 5..7).await.is_ok());
    assert!(add(&other, 0..7).await.is_ok());
    // What runs is taken, and what has ended is not.
    let row = there(&kit, id).await;
    let mut counts = row.counts;
    counts.shift(1, ItemState::Open, ItemState::Running);
    let begin = ItemStart { fire_time: fire(first), ..start(&kept, 1, 1) };
    assert!(take(&kit, BackfillStep { start: vec![begin], counts, ..step(&row) }).await);
    let refused = add(&kept, first..first + 1).await.expect_err("it runs");
    assert!(matches!(refused, Error::Conflict { what: BACKFILLED, .. }), "{refused}");
    let now = there(&kit, id).await;
    let counts = ItemCounts { failed: 1, cancelled: 2, ..ItemCounts::default() };
    let ended = vec![(1, ItemState::Failed)];
    let state = BackfillState::Cancelled;
    assert!(take(&kit, BackfillStep { ended, counts, state, sweep: Some(Sweep::Close), ..step(&now) }).await);
    assert!(add(&kept, first..first + 3).await.is_ok());
}

pub async fn fire_time_that_another_backfill_runs_does_not_start(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let kept = job(&kit).await;
    let busy = async |kit: &Kit, id| {
        let turn = kit.store.backfill_store().backfill_turn(id, 9).await.expect("backfill_turn");
        turn.expect("it is there").busy
    };
    let begin = async |kit: &Kit, id, seq, number| {
        let row = there(kit, id).await;
        let mut counts = row.counts;
        counts.shift(1, ItemState::Open, ItemState::Running);
        take(kit, BackfillStep { start: vec![start(&kept, seq, number)], counts, ..step(&row) }).await
    };
    // What failed in the first is run by the second, and then tried again in the first.
    let first = started(&kit, &kept, 2).await;
    let counts = ItemCounts { cancelled: 2, ..ItemCounts::default() };
    let state = BackfillState::Completed;
    let ended_at = Some(at(2_000));
    assert!(take(&kit, BackfillStep { counts, state, sweep: Some(Sweep::Close), ended_at, ..step(&first) }).await);
    let second = started(&kit, &kept, 2).await;
    assert!(begin(&kit, second.id, 1, 1).await);
    let now = there(&kit, first.id).await;
    let again = BackfillStep { counts: first.counts, state: first.state, ended_at: None, ..step(&now) };
    assert!(take(&kit, BackfillStep { sweep: Some(Sweep::Reopen), ..again }).await);
    assert_eq!(busy(&kit, first.id).await, [fire(0)]);
    let before = there(&kit, first.id).await;
    assert!(!begin(&kit, first.id, 1, 2).await, "the second runs it");
    assert_eq!((there(&kit, first.id).await, kit.all_runs().await.len()), (before, 1), "nothing was written");
    assert!(begin(&kit, first.id, 2, 3).await);
    assert_eq!(busy(&kit, second.id).await, [fire(1)]);
    assert!(!begin(&kit, second.id, 2, 4).await, "the first runs it");
    // A run that has ended is in nobody's way, whether its backfill has heard of it or not.
    for claimed in kit.claim(9, at(2_500)).await {
        kit.complete(at(3_000), vec![kept.verdict(claimed.run, Verdict::Failed, at(3_000))]).await;
    }
    assert_eq!((busy(&kit, first.id).await, busy(&kit, second.id).await), (vec![], vec![]));
    assert!(begin(&kit, first.id, 1, 5).await);
}

pub async fn gap_says_which_backfill_has_run_its_instants(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let kept = job(&kit).await;
    let mut entry = kept.entry(0);
    let gap = |first, last, count| Gap {
        first: fire(first),
        last: fire(last),
        count,
        outcome: GapOutcome::Missed,
        reason: GapReason::Misfire,
        policy: "do_nothing".into(),
    };
    entry.gaps = vec![gap(0, 4, 5), gap(7, 7, 1)];
    kit.fire(at(5_000), vec![entry]).await;
    let said = async |kit: &Kit| -> Vec<(Option<i64>, u64)> {
        let rows = kit.store.gaps(Some(kept.row(0).id), 0, 9).await.expect("gaps");
        let named = kit.store.gaps_before(None, i64::MAX, 9).await.expect("gaps_before");
        assert_eq!(named.iter().map(|(row, _)| row).rev().collect::<Vec<_>>(), rows.iter().collect::<Vec<_>>());
        assert_eq!(named[0].1.as_deref(), Some("t"));
        rows.iter().map(|row| (row.backfill, row.backfilled)).collect()
    };
    let row = started(&kit, &kept, 9).await;
    assert_eq!(said(&kit).await, [(None, 0), (None, 0)], "none of them has a run yet");
    begun(&kit, &kept, &row).await;
    assert_eq!(said(&kit).await, [(Some(row.id), 1), (None, 0)]);
    let tally = kit.store.tally().await.expect("tally");
    assert_eq!((tally[0].fired, tally[0].missed, tally[0].duplicated), (1, 6, 0), "the gap stays the record");
}

pub async fn nothing_is_backfilled_of_a_job_that_is_gone(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let kept = job(&kit).await;
    let row = started(&kit, &kept, 3).await;
    let key = kept.job.definition.key.clone();
    let delete = JobDelete { key, expect: Expect::Anything, ends: Vec::new() };
    kit.store.delete_jobs(vec![delete], at(1_500)).await.expect("delete_jobs");
    let mut counts = row.counts;
    counts.shift(1, ItemState::Open, ItemState::Running);
    let begin = BackfillStep { start: vec![start(&kept, 1, 1)], counts, ..step(&row) };
    let refused = kit.store.backfill_store().step_backfill(begin).await;
    assert!(matches!(refused, Err(Error::NotFound { what: "job", .. })), "{refused:?}");
    assert_eq!(there(&kit, row.id).await, row, "nothing was written");
    assert_eq!(kit.all_runs().await, []);
}

pub async fn backfills_go_with_the_history_once_they_have_ended(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let kept = job(&kit).await;
    let other = kit.save(Draft::new("other").trigger("t", at(5_000))).await;
    let (over, goes_on) = (started(&kit, &kept, 2_500).await, started(&kit, &other, 3).await);
    let end = BackfillStep { state: BackfillState::Completed, ended_at: Some(at(3_000)), ..step(&over) };
    assert!(take(&kit, end).await);
    let never = Timestamp::MIN;
    let rule = |before| PurgeRule {
        at: at(9_000),
        history_before: before,
        history_keep_per_job: None,
        events_before: never,
        tombstones_before: never,
        limit: 2_000,
    };
    kit.store.purge(rule(at(3_000))).await.expect("purge");
    assert_eq!(there(&kit, over.id).await.id, over.id);
    assert!(kit.store.purge(rule(at(3_001))).await.expect("purge") >= 2_000);
    assert!(kit.store.backfill_store().backfill(over.id).await.expect("backfill").is_some(), "some at a time");
    kit.store.purge(rule(at(3_001))).await.expect("purge");
    assert_eq!(kit.store.backfill_store().backfill(over.id).await.expect("backfill"), None);
    assert_eq!(there(&kit, goes_on.id).await.counts.open, 3);
}

pub async fn items_wait_for_those_of_other_backfills_that_start_with_them(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let kept = job(&kit).await;
    let other = kit.save(Draft::new("report").trigger("t", at(5_000))).await;
    let backfills = kit.store.backfill_store();
    let mut below = of(&other, 0..3);
    // The first waits for two of the first backfill, the second for none, the third for the first one of its own.
    below.items[0].above = vec![(0, 1), (0, 2)];
    below.items[2].above = vec![(1, 1)];
    let id = backfills.add_backfill(NewBackfill { below: vec![below], ..of(&kept, 0..2) }).await.expect("add_backfill");
    let query = BackfillQuery { cascade_of: Some(id), limit: 9, ..BackfillQuery::default() };
    let found = backfills.backfills(query).await.expect("backfills");
    assert_eq!(found.len(), 1);
    assert_eq!((there(&kit, id).await.cascade_of, found[0].cascade_of), (None, Some(id)));
    assert_eq!((found[0].job, found[0].counts.open), (other.id(), 3));
    let turn = async |id| {
        let turn = backfills.backfill_turn(id, 9).await.expect("backfill_turn").expect("it is there");
        (turn.open.iter().map(|item| item.seq).collect::<Vec<_>>(), turn.barred)
    };
    assert_eq!(turn(id).await, (vec![1, 2], vec![]));
    assert_eq!(turn(found[0].id).await, (vec![2], vec![]));
    let end = async |id, ended: &[(i64, ItemState)]| {
        let row = there(&kit, id).await;
        let mut counts = row.counts;
        ended.iter().for_each(|(_, state)| counts.shift(1, ItemState::Open, *state));
        assert!(take(&kit, BackfillStep { ended: ended.to_vec(), counts, ..step(&row) }).await);
    };
    end(id, &[(1, ItemState::Succeeded)]).await;
    assert_eq!(turn(found[0].id).await, (vec![2], vec![]), "the other one has not ended");
    end(id, &[(2, ItemState::Failed)]).await;
    assert_eq!(turn(found[0].id).await, (vec![2], vec![1]));
    let row = there(&kit, id).await;
    let mut counts = row.counts;
    counts.shift(1, ItemState::Failed, ItemState::Open);
    assert!(take(&kit, BackfillStep { sweep: Some(Sweep::Reopen), counts, ..step(&row) }).await);
    end(id, &[(2, ItemState::Skipped)]).await;
    assert_eq!(turn(found[0].id).await, (vec![1, 2], vec![]));
    // The conflict of one keeps none of them.
    let taken = NewBackfill { below: vec![of(&other, 2..3)], ..of(&kept, 8..9) };
    assert!(matches!(backfills.add_backfill(taken).await, Err(Error::Conflict { what: BACKFILLED, .. })));
    let all = BackfillQuery { limit: 9, ..BackfillQuery::default() };
    assert_eq!(backfills.backfills(all).await.expect("backfills").len(), 2);
    // What retention has taken holds nothing up.
    let row = there(&kit, id).await;
    let over = BackfillStep { state: BackfillState::Completed, ended_at: Some(at(3_000)), ..step(&row) };
    assert!(take(&kit, over).await);
    end(found[0].id, &[(1, ItemState::Failed)]).await;
    assert_eq!(turn(found[0].id).await, (vec![2], vec![3]));
    let rule = PurgeRule {
        at: at(9_000),
        history_before: at(4_000),
        history_keep_per_job: None,
        events_before: Timestamp::MIN,
        tombstones_before: Timestamp::MIN,
        limit: 2_000,
    };
    kit.store.purge(rule).await.expect("purge");
    assert_eq!(backfills.backfill(id).await.expect("backfill"), None);
    let row = there(&kit, found[0].id).await;
    let mut counts = row.counts;
    counts.shift(1, ItemState::Failed, ItemState::Open);
    assert!(take(&kit, BackfillStep { sweep: Some(Sweep::Reopen), counts, ..step(&row) }).await);
    assert_eq!(turn(found[0].id).await, (vec![1, 2], vec![]));
}
