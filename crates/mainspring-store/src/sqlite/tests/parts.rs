//! Parts of payloads that are too large for the row of their item.

use mainspring_core::Timestamp;
use mainspring_core::output::PART_BYTES;

use super::*;
use crate::flow::{FlowStore, FlowWrite, ItemContent, ItemRow, ItemWrite};

fn insert(id: i64, bytes: usize) -> ItemWrite {
    let at = Timestamp::from_millis(1);
    let row = ItemRow {
        id,
        connection: 1,
        position: id,
        entered_at: at,
        lineage_at: at,
        penalty_until: None,
        retries: 0,
        bytes: 1,
        priority: None,
    };
    ItemWrite::Insert(row, ItemContent { attributes: "{}".into(), payload: vec![7; bytes] })
}

#[tokio::test]
async fn no_part_of_a_payload_outlives_its_item_or_its_flow() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let store = SqliteStore::open(path.clone(), Options::default()).unwrap();
    let flow = FlowWrite {
        namespace: "default".into(),
        name: "f".into(),
        definition: "{}".into(),
        source: "{}".into(),
        states: "{}".into(),
        expect: None,
        touched: None,
        at: Timestamp::from_millis(1),
    };
    let id = store.save_flow(flow).await.unwrap().id;
    let epoch = store.take_flow(id).await.unwrap().unwrap();
    let reader = rusqlite::Connection::open(&path).unwrap();
    let count = |text: &str| reader.query_row(text, [], |row| row.get::<_, i64>(0)).unwrap();
    let parts = || count("SELECT count(*) FROM flow_item_part");
    let writes = vec![insert(1, 3 * PART_BYTES), insert(2, PART_BYTES), insert(3, 5)];
    assert!(store.write_items(id, epoch, writes).await.unwrap());
    assert_eq!((parts(), count("SELECT max(length(payload)) FROM flow_item")), (4, 5));
    assert!(store.write_items(id, epoch, vec![ItemWrite::Remove(1), ItemWrite::Remove(3)]).await.unwrap());
    assert_eq!(parts(), 1);
    assert!(store.delete_flow(id, 1).await.unwrap());
    assert_eq!((parts(), count("SELECT count(*) FROM flow_item")), (0, 0));
}
