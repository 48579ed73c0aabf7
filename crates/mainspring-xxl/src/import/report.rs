//! What became of each item.

use mainspring_api::Bundle;
use serde::Serialize;

/// The result of an import: what can be applied, and what is to be said of every item.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The jobs, in the order of their old ids.
    pub bundle: Bundle,
    /// What became of every item of the dump.
    pub items: Vec<Item>,
    /// The releases whose tables these are, for people.
    pub release: &'static str,
}

/// What became of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// What it was.
    pub kind: Kind,
    /// Its id there.
    pub id: i64,
    /// Its name there.
    pub name: String,
    /// How it fared.
    pub outcome: Outcome,
    /// What it is now, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub becomes: Option<String>,
    /// Each difference with its reason, or why it was refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Kinds of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An executor group: an app.
    App,
    /// A job.
    Job,
    /// A user.
    User,
    /// The database itself.
    Database,
}

/// How an item fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It does what it did.
    Exact,
    /// It does something else in places; the notes say where.
    Changed,
    /// It is not imported.
    Refused,
}

/// How many items fared how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Items that do what they did.
    pub exact: usize,
    /// Items that do something else in places.
    pub changed: usize,
    /// Items that are not imported.
    pub refused: usize,
}

impl Item {
    /// Makes an item of which nothing is to be said so far.
    #[must_use]
    pub fn new(kind: Kind, id: i64, name: impl Into<String>) -> Self {
        Self { kind, id, name: name.into(), outcome: Outcome::Exact, becomes: None, notes: Vec::new() }
    }

    /// Notes a difference. What was refused stays so.
    pub fn change(&mut self, note: impl Into<String>) {
        self.outcome = self.outcome.max(Outcome::Changed);
        self.notes.push(note.into());
    }

    /// Notes why it is not imported.
    pub fn refuse(&mut self, note: impl Into<String>) {
        self.outcome = Outcome::Refused;
        self.becomes = None;
        self.notes.push(note.into());
    }
}

impl Imported {
    /// Counts the items of a kind.
    #[must_use]
    pub fn counts(&self, kind: Kind) -> Counts {
        let count = |outcome| self.items.iter().filter(|item| item.kind == kind && item.outcome == outcome).count();
        Counts { exact: count(Outcome::Exact), changed: count(Outcome::Changed), refused: count(Outcome::Refused) }
    }

    /// Takes the job at a place of the bundle out, because it is not valid here. Its item says why.
    pub fn refuse_job(&mut self, index: usize, note: impl Into<String>) {
        let job = self.bundle.jobs.remove(index);
        let id = job.labels.get("xxl-id").and_then(|id| id.parse().ok());
        let item = self.items.iter_mut().find(|item| item.kind == Kind::Job && Some(item.id) == id);
        if let Some(item) = item {
            item.refuse(note);
        }
    }
}
