//! Versions of the scripts that executors run: one document each, written by the transaction that saves the job.
//!
//! Their names begin with a digest of the job's key, because that may be longer than names of documents, and end with the number of the
//! version.

use mainspring_api::{ErrorCode, XxlGlueOld, XxlGlueVersion, XxlLanguage};
use mainspring_core::job::{Glue, Job, JobKey, Task};
use mainspring_schedule::Timestamp;
use mainspring_store::{Document, DocumentChange, DocumentExpect, Error as StoreError, JobRow, Store};
use mainspring_xxl::{script_stamp, words::GlueType};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::access::to_hex;
use crate::app::App;
use crate::refusal::{Answer, Refusal};
use crate::show::instant;

const KIND: &str = "xxl_script";
/// Versions of a script that are kept, as in XXL-JOB.
pub(crate) const KEPT: usize = 30;
/// How often a history is written again that others change meanwhile.
const TRIES: usize = 10;

/// A version of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Script {
    number: u32,
    /// Counts the writes of its document.
    written: i64,
    kept: Kept,
}

/// What is kept of a version.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Kept {
    language: String,
    source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remark: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    xxl_id: Option<i64>,
    at: Timestamp,
}

impl Kept {
    fn of(glue: &Glue, by: Option<&str>, at: Timestamp) -> Self {
        let Glue { language, source, remark } = glue.clone();
        Self { language, source, remark, by: by.map(str::to_owned), xxl_id: None, at }
    }

    fn of_old(old: XxlGlueOld) -> Self {
        let XxlGlueOld { xxl_id, language, source, remark, saved_at } = old;
        let at = Timestamp::from_millis(saved_at.as_millis());
        Self { language: language.as_str().to_owned(), source, remark, by: None, xxl_id: Some(xxl_id), at }
    }

    fn is_same_script(&self, other: &Self) -> bool {
        (&self.language, &self.source) == (&other.language, &other.source)
    }

    fn put(&self, prefix: &str, number: u32) -> DocumentChange {
        let body = serde_json::to_string(self).expect("plain data has a text");
        let (kind, name) = (KIND.to_owned(), format!("{prefix}{number:08}"));
        let document = Document { kind, name, body, version: 0, at: self.at, expires_at: None };
        DocumentChange::Put(document, DocumentExpect::Absent)
    }
}

impl Script {
    fn read(prefix: &str, document: &Document) -> Option<Self> {
        let number = document.name.strip_prefix(prefix)?.parse().ok()?;
        let kept = serde_json::from_str(&document.body).ok()?;
        Some(Self { number, written: document.version, kept })
    }

    fn remove(&self, prefix: &str) -> DocumentChange {
        let name = format!("{prefix}{:08}", self.number);
        DocumentChange::Remove { kind: KIND.to_owned(), name, version: self.written }
    }

    /// The `glueUpdatetime` that executors are sent with it.
    pub(crate) fn stamp(&self) -> i64 {
        let kind = GlueType::of_word(&self.kept.language).unwrap_or(GlueType::Bean);
        script_stamp(kind, &self.kept.source)
    }

    /// The script in the words of a job.
    pub(crate) fn glue(&self, remark: String) -> Glue {
        Glue { language: self.kept.language.clone(), source: self.kept.source.clone(), remark: Some(remark) }
    }

    pub(crate) fn shown(&self, current: bool, with_source: bool) -> XxlGlueVersion {
        let Kept { language, source, remark, by, xxl_id, at } = self.kept.clone();
        XxlGlueVersion {
            version: self.number,
            current,
            language: XxlLanguage::parse(&language).unwrap_or(XxlLanguage::Shell),
            bytes: source.len() as u64,
            glue_updatetime: self.stamp(),
            source: with_source.then_some(source),
            remark,
            by,
            saved_at: instant(at),
            xxl_id,
        }
    }
}

/// The script of a job, if it has one.
pub(crate) fn glue_of(job: &Job) -> Option<&Glue> {
    match &job.task {
        Task::Xxl(task) => task.glue.as_ref(),
        _ => None,
    }
}

/// The names of a job's versions begin so.
fn prefix(key: &JobKey) -> String {
    to_hex(&Sha256::digest(key.to_string())) + "/"
}

/// The versions of a job's script, oldest first.
pub(crate) async fn all(store: &dyn Store, key: &JobKey, now: Timestamp) -> Result<Vec<Script>, StoreError> {
    let prefix = prefix(key);
    // A history that is brought along beside a save may leave one more than are kept.
    let limit = u32::try_from(2 * KEPT).unwrap_or(u32::MAX);
    let page = store.documents(KIND, Some(&prefix), now, limit).await?;
    Ok(page.iter().map_while(|document| Script::read(&prefix, document)).collect())
}

/// The versions of a job's script, newest first, without sources.
pub(crate) async fn list(app: &App, row: &JobRow) -> Answer<Vec<XxlGlueVersion>> {
    let there = all(&**app.control().store(), &row.definition.key, app.now()).await?;
    let current = current(&there, &row.definition);
    Ok(there.iter().rev().map(|script| script.shown(Some(script.number) == current, false)).collect())
}

/// One version with its source.
pub(crate) async fn one(app: &App, row: &JobRow, number: u32) -> Answer<XxlGlueVersion> {
    let there = all(&**app.control().store(), &row.definition.key, app.now()).await?;
    let current = current(&there, &row.definition);
    let found = there.iter().find(|script| script.number == number);
    found.map(|script| script.shown(Some(number) == current, true)).ok_or_else(|| missing(row, number))
}

/// One version, as it is kept.
pub(crate) async fn find(app: &App, row: &JobRow, number: u32) -> Answer<Script> {
    let there = all(&**app.control().store(), &row.definition.key, app.now()).await?;
    there.into_iter().find(|script| script.number == number).ok_or_else(|| missing(row, number))
}

fn missing(row: &JobRow, number: u32) -> Refusal {
    let why = format!("the script of {} has no version {number}, or no more", row.definition.key);
    Refusal::new(ErrorCode::VersionNotFound, why).hint("mainspring xxl glue list tells which there are")
}

/// The number of the version that a job has: the newest with its script.
fn current(there: &[Script], job: &Job) -> Option<u32> {
    let glue = glue_of(job)?;
    let is_it = |script: &&Script| (&script.kept.language, &script.kept.source) == (&glue.language, &glue.source);
    there.iter().rev().find(is_it).map(|script| script.number)
}

/// What is to be written with a job so that its script is kept, if it is another one than before.
pub(crate) async fn changes(
    app: &App,
    before: Option<&JobRow>,
    job: &Job,
    by: &str,
) -> Result<Vec<DocumentChange>, StoreError> {
    let Some(glue) = glue_of(job) else {
        // Or they would be the history of a script that it gets later.
        let is_new = before.is_none() && matches!(job.task, Task::Xxl(_));
        return if is_new { removal(app, &job.key).await } else { Ok(Vec::new()) };
    };
    let had = before.and_then(|row| glue_of(&row.definition));
    if had == Some(glue) {
        return Ok(Vec::new());
    }
    let now = app.now();
    let there = all(&**app.control().store(), &job.key, now).await?;
    let had = had.zip(before).map(|(glue, row)| Kept::of(glue, None, row.updated_at));
    Ok(plan(&prefix(&job.key), &there, (before.is_none(), had), &Kept::of(glue, Some(by), now)))
}

/// The changes that add a version. A job that is new has none of those of an earlier job of its name, and its numbers are others: who
/// removes those still must not hit these. A script of which no version is kept is kept first.
fn plan(prefix: &str, there: &[Script], before: (bool, Option<Kept>), next: &Kept) -> Vec<DocumentChange> {
    let (is_new, had) = before;
    let had = had.filter(|_| there.is_empty());
    let last = there.last().map_or(0, |script| script.number);
    let added: Vec<&Kept> = had.iter().chain([next]).collect();
    let gone = if is_new { there.len() } else { (there.len() + added.len()).saturating_sub(KEPT) };
    let removed = there.iter().take(gone).map(|script| script.remove(prefix));
    removed.chain((last + 1..).zip(added).map(|(number, kept)| kept.put(prefix, number))).collect()
}

/// What removes all versions that a job has now.
pub(crate) async fn removal(app: &App, key: &JobKey) -> Result<Vec<DocumentChange>, StoreError> {
    let prefix = prefix(key);
    let there = all(&**app.control().store(), key, app.now()).await?;
    Ok(there.iter().map(|script| script.remove(&prefix)).collect())
}

/// Whether versions of any script are kept.
pub(crate) async fn are_kept(app: &App) -> Result<bool, StoreError> {
    Ok(!app.control().store().documents(KIND, None, app.now(), 1).await?.is_empty())
}

/// Removes the versions of a job that is deleted by now, as they were before. Those that stay because this fails, or a server dies, go
/// when a job of the name is made again.
pub(crate) async fn forget(app: &App, key: &JobKey, removal: Vec<DocumentChange>) {
    if removal.is_empty() {
        return;
    }
    if let Err(error) = app.control().store().change_documents(removal).await {
        tracing::warn!(job = %key, %error, "versions of the script of a deleted job stay");
    }
}

/// Adds versions that XXL-JOB kept before those that are there; all are numbered anew.
pub(crate) async fn add_history(app: &App, row: &JobRow, old: Vec<XxlGlueOld>) -> Answer<()> {
    let (store, key) = (app.control().store(), &row.definition.key);
    let glue = glue_of(&row.definition).ok_or_else(|| no_script(key))?;
    let old: Vec<Kept> = old.into_iter().map(Kept::of_old).collect();
    for _ in 0..TRIES {
        let there = all(&**store, key, app.now()).await?;
        let ours = match there.is_empty() {
            true => vec![Kept::of(glue, None, row.updated_at)],
            false => there.iter().map(|script| script.kept.clone()).collect(),
        };
        let Some(kept) = merged(ours, old.clone()) else { return Ok(()) };
        let prefix = prefix(key);
        let removed = there.iter().map(|script| script.remove(&prefix));
        let changes = removed.chain((1..).zip(&kept).map(|(number, kept)| kept.put(&prefix, number))).collect();
        match store.change_documents(changes).await {
            Err(StoreError::Conflict { .. }) => {}
            done => return Ok(done?),
        }
    }
    Err(Refusal::new(ErrorCode::ResourceConflict, format!("the script of {key} is changed by others all the time")))
}

/// Old versions before our own, the newest of all. The newest old one and the first of ours are one if they are the same script. Nothing:
/// all of them are there.
fn merged(ours: Vec<Kept>, mut old: Vec<Kept>) -> Option<Vec<Kept>> {
    let (mut before, mut ours): (Vec<Kept>, Vec<Kept>) = ours.into_iter().partition(|kept| kept.xxl_id.is_some());
    old.retain(|old| before.iter().chain(&ours).all(|kept| kept.xxl_id != old.xxl_id));
    if old.is_empty() {
        return None;
    }
    before.append(&mut old);
    before.sort_by_key(|kept| (kept.at, kept.xxl_id));
    before.dedup_by_key(|kept| kept.xxl_id);
    if before.last().zip(ours.first()).is_some_and(|(last, first)| last.is_same_script(first)) {
        ours.remove(0);
    }
    before.append(&mut ours);
    let excess = before.len().saturating_sub(KEPT);
    Some(before.split_off(excess))
}

pub(crate) fn no_script(key: &JobKey) -> Refusal {
    Refusal::new(ErrorCode::XxlNoScript, format!("{key} has no script"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(source: &str, xxl_id: Option<i64>, at: i64) -> Kept {
        let (language, source) = ("shell".to_owned(), source.to_owned());
        Kept { language, source, remark: None, by: None, xxl_id, at: Timestamp::from_millis(at) }
    }

    fn scripts(first: u32, count: u32) -> Vec<Script> {
        let script = |number| Script { number, written: 1, kept: kept(&number.to_string(), None, i64::from(number)) };
        (first..first + count).map(script).collect()
    }

    fn told(changes: &[DocumentChange]) -> Vec<String> {
        let told = |change: &DocumentChange| match change {
            DocumentChange::Put(document, _) => format!("+{}", document.name),
            DocumentChange::Remove { name, .. } => format!("-{name}"),
        };
        changes.iter().map(told).collect()
    }

    #[test]
    fn the_newest_thirty_versions_are_kept() {
        let next = kept("x", None, 99);
        let before = Some(kept("w", None, 98));
        for (there, is_new, before, expected) in [
            (scripts(1, 0), true, None, vec!["+p/00000001"]),
            (scripts(1, 2), false, before.clone(), vec!["+p/00000003"]),
            (scripts(1, 0), false, before, vec!["+p/00000001", "+p/00000002"]),
            (scripts(4, 30), false, None, vec!["-p/00000004", "+p/00000034"]),
            (scripts(7, 2), true, None, vec!["-p/00000007", "-p/00000008", "+p/00000009"]),
        ] {
            assert_eq!(told(&plan("p/", &there, (is_new, before), &next)), expected);
        }
    }

    #[test]
    fn versions_of_xxl_job_go_before_ours_each_once() {
        let sources = |kept: Option<Vec<Kept>>| {
            kept.map(|kept| kept.into_iter().map(|kept| (kept.source, kept.xxl_id)).collect::<Vec<_>>())
        };
        let ours = vec![kept("b", None, 500), kept("c", None, 600)];
        let old = vec![kept("b", Some(2), 20), kept("a", Some(1), 10)];
        let told = |all: &[(&str, Option<i64>)]| {
            Some(all.iter().map(|(source, id)| ((*source).to_owned(), *id)).collect::<Vec<_>>())
        };
        let all = merged(ours.clone(), old.clone());
        assert_eq!(sources(all.clone()), told(&[("a", Some(1)), ("b", Some(2)), ("c", None)]));
        assert_eq!(merged(all.clone().unwrap(), old), None, "brought along twice, they are there once");
        let later = merged(all.unwrap(), vec![kept("z", Some(3), 15)]);
        assert_eq!(sources(later), told(&[("a", Some(1)), ("z", Some(3)), ("b", Some(2)), ("c", None)]));
        let many = (0..40).map(|id| kept(&id.to_string(), Some(id), id)).collect();
        let all = merged(ours, many).unwrap();
        assert_eq!((all.len(), all[0].xxl_id, all[KEPT - 1].source.as_str()), (KEPT, Some(12), "c"));
    }
}
