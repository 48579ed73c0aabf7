//! In which flows something has happened, for those who look at them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Name;

/// Flows in which something has happened, by number, until somebody asks. There are never more than flows.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes(Arc<Mutex<BTreeMap<i64, Name>>>);

impl Changes {
    pub(super) fn add(&self, flow: i64, name: impl FnOnce() -> Name) {
        self.lock().entry(flow).or_insert_with(name);
    }

    pub(super) fn take(&self) -> Vec<Name> {
        std::mem::take(&mut *self.lock()).into_values().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<i64, Name>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
