//! What is kept of runs that tasks have started goes a few rows at a time.

use super::*;
use crate::conformance::calls::{all, over};
use crate::conformance::kit::Kit;

#[tokio::test]
async fn what_tasks_have_started_goes_in_slices() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let store = Arc::new(SqliteStore::open(&path, Options::default()).unwrap());
    over(&Kit::new(store.clone()).await).await;
    let file = rusqlite::Connection::open(&path).unwrap();
    let left = || file.query_row("SELECT COUNT(*) FROM workflow_call", [], |row| row.get::<_, i64>(0)).unwrap();
    store.purge(all(100)).await.unwrap();
    assert_eq!(left(), 3, "their runs go first");
    store.purge(all(2)).await.unwrap();
    assert_eq!(left(), 1);
    store.purge(all(2)).await.unwrap();
    assert_eq!(left(), 0);
    store.close().await.unwrap();
}
