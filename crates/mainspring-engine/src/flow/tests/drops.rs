//! Items that are dropped while others work with their queue, and items that are large.

use mainspring_core::output::INLINE_MAX;

use super::*;
use crate::flow::running::Pending;
use crate::flow::writes::together;

/// `in`, into which items are put, `work`, which calls a function, and `end`.
fn fed() -> Definition {
    let input = Component { is_passive: true, ..Component::new("in") };
    let mut work = worker();
    work.component.input = InputRequirement::Required;
    let parts = vec![Part { component: input, body: Body::HttpIn { max_bytes: 1 << 20 } }, work, sink("end")];
    Definition { parts, connections: vec![Connection::new(0, 1), Connection::new(1, 2)] }
}

#[tokio::test]
async fn a_drop_of_a_queue_that_is_being_read_leaves_what_a_body_has() {
    let tools = Tools::for_test();
    let (mut begins, goes_on) = hold(&tools);
    let (store, id, flows) = node_with(&fed(), tools).await;
    let names = ["in", "work"].map(str::to_owned).to_vec();
    flows.change("default", "f", Some(names), Action::Start).await.expect("they start");
    let large = content(&"x".repeat(INLINE_MAX + 1));
    flows.put_items("default", "f", "in", vec![large.clone(); 3]).await.expect("there is room");
    begins.recv().await.expect("it begins");
    let waiting = async |queue: &'static str| flows.queue("default", "f", queue, 10).await.expect("it is there");
    let seen = waiting("in:work").await;
    assert_eq!(seen.len(), 2, "a body has the third");

    assert_eq!(flows.drop_items("default", "f", "in:work", None).await.expect("they go"), 2);
    assert_eq!(store.items(id, i64::MIN, 10).await.expect("items").len(), 1);
    for item in seen {
        let there = store.item_content(id, item.item.id.0).await.expect("item_content");
        assert_eq!(there, None, "who has listed it finds that it is gone");
    }
    goes_on.send_replace(true);
    while waiting("work:end").await.is_empty() {
        pause(5).await;
    }
    let passed = waiting("work:end").await[0].item.id.0;
    let kept = store.item_content(id, passed).await.expect("item_content").expect("it is there");
    assert_eq!(kept.payload, large.payload);
    assert_eq!(begins.try_recv().ok(), None, "what was dropped gets no body");
    assert_eq!(flows.drop_items("default", "f", "work:end", None).await.expect("it goes"), 1);
    assert_eq!(store.items(id, i64::MIN, 10).await.expect("items"), []);
}

#[test]
fn large_payloads_are_kept_a_few_at_a_time() {
    let pending = |bytes: usize| {
        let row = ItemRow::of(1, &header(), Now { mono_ms: 0, wall: Timestamp::from_millis(0) });
        let kept = ItemContent { attributes: "{}".into(), payload: vec![0; bytes] };
        Pending::of(vec![ItemWrite::Insert(row, kept)], None)
    };
    let mebibytes = |sizes: &[usize]| together(&sizes.iter().map(|size| pending(size << 20)).collect::<Vec<_>>());
    assert_eq!(mebibytes(&[6, 10, 1]), 2);
    assert_eq!(mebibytes(&[17, 1]), 1, "one is kept whatever its size");
    assert_eq!(mebibytes(&[0; 2_001]), 2_000);
}

fn header() -> Header {
    let at = Timestamp::from_millis(0);
    Header {
        id: ItemId(1),
        order: 1,
        entered_at: at,
        lineage_at: at,
        priority: Priority::Absent,
        bytes: 0,
        penalty_until_ms: None,
        retries: 0,
    }
}
