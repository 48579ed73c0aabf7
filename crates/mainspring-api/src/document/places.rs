//! Where each part of a document was written: a tree beside the value, so that it costs as much as the document, however long its
//! keys are.

use std::collections::HashMap;

use super::Place;

/// Where a value was written, its key, and what is inside of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Places {
    value: Place,
    key: Option<Place>,
    inside: Inside,
}

/// The places inside of a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Inside {
    Nothing,
    Items(Vec<Places>),
    Members(HashMap<String, Places>),
}

impl Places {
    pub(super) const fn new(value: Place, inside: Inside) -> Self {
        Self { value, key: None, inside }
    }

    /// Notes where the key of the value was written.
    pub(super) fn under_key(self, key: Place) -> Self {
        Self { key: Some(key), ..self }
    }

    /// Returns where the value at a JSON pointer was written; for one that is absent, where its parent was.
    pub(super) fn value(&self, pointer: &str) -> Place {
        self.find(pointer).0.value
    }

    /// Returns where the key of the member at a JSON pointer was written; else as [`Self::value`].
    pub(super) fn key(&self, pointer: &str) -> Place {
        match self.find(pointer) {
            (found, true) => found.key.unwrap_or(found.value),
            (parent, false) => parent.value,
        }
    }

    /// Goes as far down a pointer as there is something; tells whether that is all of it.
    fn find(&self, pointer: &str) -> (&Self, bool) {
        let mut found = self;
        for token in pointer.split('/').skip(1) {
            let next = match &found.inside {
                Inside::Nothing => None,
                Inside::Items(items) => token.parse::<usize>().ok().and_then(|index| items.get(index)),
                Inside::Members(members) => members.get(&token.replace("~1", "/").replace("~0", "~")),
            };
            match next {
                Some(next) => found = next,
                None => return (found, false),
            }
        }
        (found, true)
    }
}
