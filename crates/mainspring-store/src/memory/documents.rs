//! Documents that the server keeps for itself.

use std::collections::BTreeMap;
use std::ops::Bound;

use mainspring_core::Timestamp;

use crate::document::{Document, DocumentChange, DocumentExpect, EVENTS_PLACE, conflict};
use crate::error::Result;

/// Documents by kind and name.
#[derive(Clone, Debug, Default)]
pub(super) struct Documents(BTreeMap<(String, String), Document>);

impl Documents {
    pub(super) fn put(&mut self, document: Document, expect: DocumentExpect) -> Option<Document> {
        self.0.retain(|_, kept| kept.kind != document.kind || is_valid(kept, document.at));
        let key = (document.kind.clone(), document.name.clone());
        let there = self.0.get(&key).map(|there| there.version);
        if !expect.admits(there) {
            return None;
        }
        let written = Document { version: there.unwrap_or(0) + 1, ..document };
        self.0.insert(key, written.clone());
        Some(written)
    }

    pub(super) fn change(&mut self, changes: Vec<DocumentChange>) -> Result<()> {
        let mut changed = self.clone();
        for change in changes {
            match change {
                DocumentChange::Put(document, expect) => {
                    let (kind, name) = (document.kind.clone(), document.name.clone());
                    changed.put(document, expect).ok_or_else(|| conflict(&kind, &name))?;
                }
                DocumentChange::Remove { kind, name, version } => {
                    let key = (kind, name);
                    if changed.0.get(&key).is_none_or(|there| there.version != version) {
                        return Err(conflict(&key.0, &key.1));
                    }
                    changed.0.remove(&key);
                }
            }
        }
        *self = changed;
        Ok(())
    }

    pub(super) fn add(&mut self, documents: Vec<Document>) -> Vec<bool> {
        documents.into_iter().map(|document| self.put(document, DocumentExpect::Absent).is_some()).collect()
    }

    /// Up to which event everybody has read who keeps a place among them.
    pub(super) fn events_place(&self) -> i64 {
        let places = self.0.values().filter(|document| document.kind == EVENTS_PLACE);
        places.filter_map(|document| document.body.parse().ok()).min().unwrap_or(i64::MAX)
    }

    pub(super) fn get(&self, kind: &str, name: &str, at: Timestamp) -> Option<&Document> {
        self.0.get(&(kind.to_owned(), name.to_owned())).filter(|document| is_valid(document, at))
    }

    pub(super) fn list(&self, kind: &str, after: Option<&str>, at: Timestamp, limit: u32) -> Vec<Document> {
        let after = (kind.to_owned(), after.unwrap_or_default().to_owned());
        let rest = self.0.range((Bound::Excluded(after), Bound::Unbounded)).map(|(_, document)| document);
        let found = rest.take_while(|document| document.kind == kind).filter(|document| is_valid(document, at));
        found.take(limit as usize).cloned().collect()
    }

    pub(super) fn remove(&mut self, kind: &str, name: &str) -> bool {
        self.0.remove(&(kind.to_owned(), name.to_owned())).is_some()
    }
}

fn is_valid(document: &Document, at: Timestamp) -> bool {
    document.expires_at.is_none_or(|until| until > at)
}
