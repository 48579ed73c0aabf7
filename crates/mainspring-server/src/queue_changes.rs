//! What people have changed about queues, and who: notes for people. Nothing depends on them, and they are written after the change.

use mainspring_api::{PriorityChange, QueueAction, QueueChange, QueueSettings, SettingsChange};
use mainspring_store::{Document, DocumentExpect, PlaceChange, RunInfo};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::newest::{newest_first, random};
use crate::refusal::Answer;
use crate::show::instant;

const KIND: &str = "queue_change";
/// How long they are kept.
const KEPT_MS: i64 = 90 * 86_400_000;

/// A change as it is kept; when it was made is kept beside it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Note {
    by: String,
    action: QueueAction,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    job: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    runs: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    priority: Option<PriorityChange>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    settings: Option<SettingsChange>,
}

impl Note {
    /// Begins a note: who did what, and why.
    pub(crate) fn new(action: QueueAction, by: impl Into<String>, reason: Option<String>) -> Self {
        let (by, none) = (by.into(), None);
        Self { by, action, reason, run: None, job: None, runs: None, to: none, priority: None, settings: None }
    }

    /// It was done to one run.
    pub(crate) fn run(self, run: &RunInfo) -> Self {
        Self { run: Some(run.id.to_string()), job: Some(run.key.to_string()), ..self }
    }

    /// So many runs went to another queue.
    pub(crate) fn moved(self, runs: u32, to: &str) -> Self {
        Self { runs: Some(runs), to: Some(to.to_owned()), ..self }
    }

    /// A run got another place, maybe at an end of the queue.
    pub(crate) fn placed(self, to: Option<String>, PlaceChange { before, after }: PlaceChange) -> Self {
        Self { to, priority: Some(PriorityChange { before, after }), ..self }
    }

    /// Something was set.
    pub(crate) fn set(self, before: QueueSettings, after: QueueSettings) -> Self {
        Self { settings: Some(SettingsChange { before, after }), ..self }
    }
}

/// Keeps a change of a queue.
pub(crate) async fn note(app: &App, queue: &str, note: Note) -> Answer<()> {
    let at = app.now();
    let body = serde_json::to_string(&note).expect("plain data has a text");
    let name = format!("{}-{}", mark(queue), newest_first(at, random()));
    let document = Document { kind: KIND.to_owned(), name, body, version: 0, at, expires_at: Some(at + KEPT_MS) };
    app.control().store().put_document(document, DocumentExpect::Anything).await?;
    Ok(())
}

/// Reads up to so many changes of a queue, newest first, after the one with this id.
pub(crate) async fn read(app: &App, queue: &str, after: Option<&str>, limit: u32) -> Answer<Vec<QueueChange>> {
    let mark = mark(queue);
    let after = format!("{mark}-{}", after.unwrap_or_default());
    let documents = app.control().store().documents(KIND, Some(&after), app.now(), limit).await?;
    Ok(documents.into_iter().map_while(|document| change(&mark, &document)).collect())
}

/// A change of the queue of a mark; nothing, if it is of another one.
fn change(mark: &str, document: &Document) -> Option<QueueChange> {
    let id = document.name.strip_prefix(mark)?.strip_prefix('-')?.to_owned();
    let Note { by, action, reason, run, job, runs, to, priority, settings } =
        serde_json::from_str(&document.body).ok()?;
    Some(QueueChange { id, at: instant(document.at), by, action, reason, run, job, runs, to, priority, settings })
}

/// What the names of a queue's notes begin with: names of queues may be as long as those of documents.
fn mark(queue: &str) -> String {
    Sha256::digest(queue).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use mainspring_schedule::Timestamp;

    use super::*;

    #[test]
    fn changes_are_of_their_queue_and_newest_first() {
        let document = |queue: &str, ms: i64| Document {
            kind: KIND.to_owned(),
            name: format!("{}-{}", mark(queue), newest_first(Timestamp::from_millis(ms), 7)),
            body: serde_json::to_string(&Note::new(QueueAction::Pause, "ann", None)).unwrap(),
            version: 1,
            at: Timestamp::from_millis(ms),
            expires_at: None,
        };
        let (old, new) = (document("mail", 1_800_000_000_000), document("mail", 1_800_000_000_001));
        assert!(new.name < old.name && new.name.len() <= 128);
        let read = change(&mark("mail"), &new).unwrap();
        assert_eq!((read.by.as_str(), read.action, read.run), ("ann", QueueAction::Pause, None));
        assert_eq!(change(&mark("bulk"), &new), None);
    }
}
