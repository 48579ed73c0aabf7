//! Taking back records of the future.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::batch::{Gap, GapOutcome, GapReason, Progress};

use super::kit::{Draft, Kit, at, update};
use crate::{GapCut, JobUpdate, Store, TriggerUpdate};

pub async fn records_of_the_future_are_taken_back(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("x", at(1_000)).trigger("y", at(1_000))).await;
    let id = job.row(0).id;
    let gap = |first: i64, last: i64| Gap {
        first: at(first),
        last: at(last),
        count: (last - first).unsigned_abs() / 1_000 + 1,
        outcome: GapOutcome::Missed,
        reason: GapReason::Misfire,
        policy: "do_nothing".into(),
    };
    let mut kept = job;
    for (first, last) in [(1_000, 2_000), (3_000, 9_000), (10_000, 20_000)] {
        let row = kept.row(0);
        let next = Some(at(last + 1_000));
        let progress = Progress { next_fire_at: next, due_at: next, fired_through: Some(at(last)), ..row.progress };
        let trigger = TriggerUpdate {
            id,
            expected_next: row.progress.next_fire_at,
            paused: None,
            progress: Some(progress),
            gap: Some(gap(first, last)),
            reanchor: None,
        };
        let change = JobUpdate { triggers: vec![trigger], ..update(&kept, at(last)) };
        kit.store.update_job(change).await.expect("update_job");
        kept = kit.again(&kept).await;
    }
    kit.changed_triggers().await;
    let gaps = kit.store.gaps(Some(id), 0, 9).await.expect("gaps");
    let ahead = async |after| kit.store.triggers_ahead(at(after), 9).await.expect("triggers_ahead");
    assert_eq!(ahead(5_500).await, ["default/a/x"], "the other one has nothing to take back");
    assert_eq!(ahead(20_000).await, Vec::<String>::new());
    assert_eq!(kit.store.triggers_ahead(at(5_500), 0).await.expect("triggers_ahead"), Vec::<String>::new());
    let next = Some(at(6_000));
    let progress =
        Progress { next_fire_at: next, due_at: next, fired_through: Some(at(5_000)), ..kept.row(0).progress };
    let trigger = TriggerUpdate {
        id,
        expected_next: kept.row(0).progress.next_fire_at,
        paused: None,
        progress: Some(progress),
        gap: None,
        reanchor: Some(vec![
            GapCut { seq: gaps[1].seq, rest: Some(gap(3_000, 5_000)) },
            GapCut { seq: gaps[2].seq, rest: None },
        ]),
    };
    let change = JobUpdate { triggers: vec![trigger], ..update(&kept, at(5_500)) };
    kit.store.update_job(change).await.expect("update_job");
    let after = kit.again(&kept).await;
    assert_eq!(after.row(0).progress, progress, "what was fired through goes back");
    assert_eq!(ahead(5_500).await, Vec::<String>::new());
    assert_eq!(kit.changed_triggers().await, [id]);
    let gaps: Vec<Gap> = kit.store.gaps(Some(id), 0, 9).await.expect("gaps").into_iter().map(|row| row.gap).collect();
    assert_eq!(gaps, [gap(1_000, 2_000), gap(3_000, 5_000)]);
    assert_eq!(kit.window(at(6_000), 9).await.len(), 2, "it is due at its new instant");
    assert_eq!(kit.window(at(5_999), 9).await.len(), 1);
}
