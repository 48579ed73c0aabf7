//! Documents that the server keeps for itself: what it needs to find again, and no decision of the scheduler depends on.

use mainspring_core::Timestamp;

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
