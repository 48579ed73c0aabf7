//! The window of triggers that are due soon, and the outbox of what requests have changed.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::cluster::ShardSet;
use mainspring_core::{Incarnation, Timestamp, TriggerId};

use super::kit::{Draft, Kit, LATER, RELEASE, TakeChanges, advanced, at};
use crate::Store;

/// Ten triggers, three of which share an instant.
async fn ten(kit: &Kit) -> super::kit::Kept {
    let times = [9, 1, 5, 5, 5, 3, 7, 8, 2, 6];
    let draft = (0..10).fold(Draft::new("a"), |draft, i| draft.trigger(&format!("t{i}"), at(times[i] * 1_000)));
    kit.save(draft).await
}

pub async fn window_is_read_in_order_page_by_page(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = ten(&kit).await;
    let mut expected: Vec<(Timestamp, TriggerId)> =
        job.triggers.iter().map(|t| (t.row.progress.due_at.expect("set"), t.row.id)).collect();
    expected.sort_unstable();
    for (until, count) in [(999, 0), (1_000, 1), (5_000, 6), (8_999, 9), (9_000, 10)] {
        for limit in [1, 2, 3, 10, 100] {
            let rows = kit.window(at(until), limit).await;
            let places: Vec<_> = rows.iter().map(|row| (row.progress.due_at.expect("set"), row.id)).collect();
            assert_eq!(places, expected[..count], "until {until}, {limit} at a time");
        }
    }
    assert!(kit.window(at(9_000), 4).await.contains(job.row(0)), "rows are whole");
}

pub async fn place_in_the_window_is_a_lower_bound(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    for (leaves, found) in [(false, true), (true, false)] {
        let now = kit.again(&job).await;
        let fired = now.row(0).progress.next_fire_at.expect("it goes on");
        let mut entry = now.entry(0);
        entry.progress = advanced(&now.row(0).progress, fired, Some(fired + 60_000));
        entry.leaves_window = leaves;
        kit.fire(fired, vec![entry]).await;
        let row = kit.again(&job).await.row(0).clone();
        // One that stays may be read before it is due, with its true due time; none may be missed when it is.
        let early = kit.window(fired, 9).await;
        assert!(early.is_empty() || (found && early == [row.clone()]), "{early:?}");
        assert_eq!(kit.window(fired + 60_000, 9).await, [row]);
    }
}

pub async fn trigger_that_fires_earlier_is_found_there(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(90_000))).await;
    assert_eq!(kit.window(at(5_000), 9).await, []);
    let earlier = |w: &mut crate::JobWrite| w.triggers[0].progress.next_fire_at = Some(at(2_000));
    let saved = kit.save(Draft::from_kept(&job).with(earlier)).await;
    assert_eq!(saved.row(0).progress.due_at, Some(at(2_000)), "made from the next instant");
    assert_eq!(kit.window(at(5_000), 9).await, [saved.row(0).clone()]);
}

pub async fn release_of_the_tz_database_is_kept_with_the_next_instant(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000)).with(|w| w.triggers[0].progress.tzdata = None)).await;
    assert_eq!(job.row(0).progress.tzdata, None, "it depends on none");
    let unknown = Some(mainspring_core::TzdataVersion::UNKNOWN);
    // One that stays, one that leaves, and one with no run.
    for (tzdata, leaves, fires) in
        [(Some(RELEASE), false, true), (Some(LATER), true, true), (unknown, false, false), (None, true, false)]
    {
        let now = kit.again(&job).await;
        let fired = now.row(0).progress.next_fire_at.expect("it goes on");
        let mut entry = now.entry(0);
        entry.progress.tzdata = tzdata;
        entry.leaves_window = leaves;
        entry.runs.truncate(usize::from(fires));
        kit.fire(fired, vec![entry]).await;
        let row = kit.again(&job).await.row(0).clone();
        assert_eq!(row.progress.tzdata, tzdata);
        assert_eq!(kit.window(fired + 1_000, 9).await, [row]);
    }
    let now = kit.again(&job).await;
    let saved = kit.save(Draft::from_kept(&now).with(|w| w.triggers[0].progress.tzdata = Some(LATER))).await;
    assert_eq!(saved.row(0).progress.tzdata, Some(LATER), "after a save");
}

pub async fn trigger_that_is_moved_without_a_fire_is_found_there(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(9_000))).await;
    let moved = |kept: &super::kit::Kept, to: i64| {
        let mut entry = kept.entry(0);
        let next = Some(at(to));
        let progress = kept.row(0).progress;
        entry.progress = mainspring_core::batch::Progress { next_fire_at: next, due_at: next, ..progress };
        entry.runs.clear();
        entry
    };
    for (to, other) in [(5_000, 4_999), (20_000, 5_000)] {
        let before = kit.again(&job).await;
        let outcome = kit.fire(at(1), vec![moved(&before, to)]).await;
        assert_eq!(outcome, mainspring_core::batch::FireOutcome::default());
        let row = kit.again(&job).await.row(0).clone();
        assert_eq!((row.progress.next_fire_at, row.version), (Some(at(to)), before.row(0).version));
        let again = kit.fire(at(2), vec![moved(&before, other)]).await;
        assert_eq!(again.stale, [0], "it has another next instant");
        assert_eq!(kit.window(at(to), 9).await, [row]);
    }
    assert_eq!(kit.store.tally().await.expect("tally"), [], "nothing has fired, nothing was missed");
}

pub async fn changes_are_taken_once_and_bounded(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = ten(&kit).await;
    kit.pause_job(&job, true, at(1)).await;
    let mut seen = Vec::new();
    for (limit, count, more) in [(4, 4, true), (4, 4, true), (4, 2, false), (4, 0, false)] {
        let changes = kit.store.take_changes(kit.incarnation, ShardSet::ALL, limit).await.expect("take_changes");
        assert_eq!((changes.triggers.len(), changes.more), (count, more), "each is there once");
        seen.extend(changes.triggers);
    }
    seen.sort_unstable();
    let ids: Vec<TriggerId> = job.triggers.iter().map(|trigger| trigger.row.id).collect();
    assert_eq!(seen, ids);
}

pub async fn process_that_begins_hears_of_no_change_from_before(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = ten(&kit).await;
    kit.pause_job(&job, true, at(1)).await;
    let next = Incarnation(kit.incarnation.0 + 1);
    kit.store.adopt(next, at(2)).await.expect("adopt");
    // Of nodes, those who own the shards have read triggers before.
    let kept = if kit.store.cluster().is_some() { 10 } else { 0 };
    let changes = kit.store.take_changes(next, ShardSet::ALL, 100).await.expect("take_changes");
    assert_eq!(changes.triggers.len(), kept, "it reads them as they are now");
    let other = kit.save(Draft::new("b").trigger("t", at(9_000))).await;
    let changes = kit.store.take_changes(next, ShardSet::ALL, 100).await.expect("take_changes");
    assert_eq!(changes.triggers, [other.row(0).id], "and hears what comes then");
}

pub async fn fires_and_verdicts_are_no_changes(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = ten(&kit).await;
    kit.changed_triggers().await;
    kit.fire(at(9_000), (0..10).map(|i| job.claimed_entry(i)).collect()).await;
    let verdicts = (0..10).map(|i| job.verdict(job.next_run(i), mainspring_core::run::Verdict::Failed, at(9_001)));
    kit.complete(at(9_001), verdicts.collect()).await;
    assert_eq!(
        kit.store.take_changes(kit.incarnation, ShardSet::ALL, 100).await.expect("take_changes"),
        crate::Changes::default()
    );
}

pub async fn requests_wake_the_engine(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = ten(&kit).await;
    kit.store.changed().notified().await;
    kit.pause_job(&job, true, at(1)).await;
    kit.store.changed().notified().await;
    let (run, _) = kit.ask(&job, 1, at(2)).await;
    kit.store.changed().notified().await;
    kit.store.cancel_run(run, "why not", None, at(3)).await.expect("cancel_run");
    kit.store.changed().notified().await;
    kit.store
        .delete_job(&job.job.definition.key, crate::Expect::Anything, Vec::new(), at(4))
        .await
        .expect("delete_job");
    kit.store.changed().notified().await;
}
