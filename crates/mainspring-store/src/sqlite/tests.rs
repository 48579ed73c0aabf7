//! The conformance suite on SQLite.

mod faults;
mod unknown;

use std::sync::Arc;

use super::*;
use crate::store::Store;

/// A store in a folder of its own, kept until the test ends.
fn empty() -> Arc<dyn Store> {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("test.db"), Options::default()).unwrap();
    // Unlinked while open: nothing is left behind, whatever the test does.
    drop(folder);
    Arc::new(store)
}

crate::conformance_suite!(async || empty());

#[test]
fn answers_are_those_of_the_reference_model() {
    crate::conformance::differential(64, async || empty());
}
