//! What a store keeps, read as a history and accounted for.

use std::sync::Arc;

use mainspring_core::run::Verdict;
use mainspring_rig::{Bounds, History, Kind, Witness, check};
use mainspring_store::MemoryStore;
use mainspring_store::conformance::kit::{Draft, Kit, at};

#[tokio::test]
async fn store_is_read_and_every_instant_accounted_for() {
    let mut kit = Kit::new(Arc::new(MemoryStore::new())).await;
    let kept = kit.save(Draft::new("tick").trigger("every", at(1_000))).await;
    for instant in [1_000, 2_000, 3_000] {
        let now = kit.again(&kept).await;
        kit.fire(at(instant + 5), vec![now.claimed_entry(0)]).await;
        kit.complete(at(instant + 9), vec![now.verdict(now.next_run(0), Verdict::Succeeded, at(instant + 8))]).await;
    }
    let witness = Witness::new("there is none");
    let judged = async |through| {
        let history = History::read(&*kit.store, &witness, at(through)).await.unwrap();
        check(&history, Bounds::default())
    };
    let report = judged(3_000).await;
    assert_eq!(report.problems, [], "{report}");
    assert_eq!((report.instants, report.fired, report.latest_ms), (2, 3, 5));
    let [problem] = &judged(4_000).await.problems[..] else { panic!("one instant was not fired") };
    assert_eq!((problem.kind, problem.place.as_str(), problem.at), (Kind::Lost, "default/tick/every", at(4_000)));
}
