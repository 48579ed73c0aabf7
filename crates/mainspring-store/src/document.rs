//! Documents that the server keeps for itself: what it needs to find again, and no decision of the scheduler depends on.

use mainspring_core::Timestamp;

use crate::error::Error;

/// A text under a name, of which there are several kinds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    /// What it is of: names are unique within a kind.
    pub kind: String,
    /// Its name, in ASCII, of at most 128 bytes.
    pub name: String,
    /// What it holds.
    pub body: String,
    /// Counts its writes, from 1.
    pub version: i64,
    /// When it was written.
    pub at: Timestamp,
    /// When it is forgotten.
    pub expires_at: Option<Timestamp>,
}

/// What must be there for a document to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DocumentExpect {
    /// Anything, or nothing.
    Anything,
    /// Nothing.
    Absent,
    /// This version.
    Version(i64),
}

impl DocumentExpect {
    /// Whether what is there is what was expected.
    pub(crate) fn admits(self, version: Option<i64>) -> bool {
        match self {
            Self::Anything => true,
            Self::Absent => version.is_none(),
            Self::Version(expected) => version == Some(expected),
        }
    }
}

/// One of several changes of documents that are made together, or not at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DocumentChange {
    /// Writes a document over what is expected.
    Put(Document, DocumentExpect),
    /// Removes a document of this version.
    Remove {
        /// What it is of.
        kind: String,
        /// Its name.
        name: String,
        /// The version that must be there.
        version: i64,
    },
}

/// The kind of documents whose bodies are the numbers of events: retention keeps the events after the least of them, as it does
/// for webhooks.
pub const EVENTS_PLACE: &str = "events_place";

/// Why changes were not made: something else was there than expected.
pub(crate) fn conflict(kind: &str, name: &str) -> Error {
    Error::Conflict { what: "document", key: format!("{kind}/{name}"), why: "was changed by somebody else".into() }
}
