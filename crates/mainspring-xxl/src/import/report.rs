//! What became of each item.

use mainspring_api::{Bundle, JobSpec};
use serde::Serialize;

use super::history::History;
use crate::family;

/// The result of an import: what can be applied, and what is to be said of every item.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The jobs, in the order of their old ids.
    pub bundle: Bundle,
    /// Versions of scripts of the jobs.
    pub histories: Vec<History>,
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

    /// Takes the job at a place of the bundle out, because it is not valid here. Its item says why, and those of its parents and children
    /// say that it is neither started nor starts others.
    pub fn refuse_job(&mut self, index: usize, note: impl Into<String>) {
        let job = self.bundle.jobs.remove(index);
        self.histories.retain(|history| history.job != job.name);
        let id = xxl_id(&job);
        if let Some(item) = self.item_of(id) {
            item.refuse(note);
        }
        let name = id.map_or_else(|| job.name.clone(), |id| id.to_string());
        for parent in family::parents(&job) {
            let id = self.bundle.jobs.iter().find(|job| job.name == parent).and_then(xxl_id);
            if let Some(item) = self.item_of(id) {
                item.change(format!("its child {name} is refused, and is not started"));
            }
        }
        let orphan = |child: &mut JobSpec| family::leave(child, &job.name).then(|| xxl_id(child));
        let orphans: Vec<_> = self.bundle.jobs.iter_mut().filter_map(orphan).collect();
        for child in orphans {
            if let Some(item) = self.item_of(child) {
                item.change(format!("job {name} is refused, and does not start it"));
            }
        }
    }

    fn item_of(&mut self, id: Option<i64>) -> Option<&mut Item> {
        self.items.iter_mut().find(|item| item.kind == Kind::Job && Some(item.id) == id)
    }
}

/// The id that a job had there.
pub(super) fn xxl_id(job: &JobSpec) -> Option<i64> {
    job.labels.get("xxl-id")?.parse().ok()
}
