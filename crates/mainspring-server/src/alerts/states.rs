//! What is known of jobs, as it is kept: a document for each job with which something is wrong, or whose runs are watched.

use mainspring_api::OpenAlert;
use mainspring_core::JobId;
use mainspring_core::alert::{Condition, Open, State};
use mainspring_core::job::{Job, JobKey};
use mainspring_store::{Document, JobRow, Result};
use serde::{Deserialize, Serialize};

use super::{Book, all};
use crate::app::App;
use crate::show::instant;

/// The kind of these documents. Their names are the ids of the jobs.
pub(super) const STATE: &str = "alert_state";

/// A state as it is kept.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) key: JobKey,
    pub(super) state: State,
}

/// Reads a document.
pub(super) fn read(document: &Document) -> Option<(JobId, Kept)> {
    Some((JobId(document.name.parse().ok()?), serde_json::from_str(&document.body).ok()?))
}

/// What stands for a document that this program cannot read, until the next event of its job replaces it.
pub(super) fn blank(document: &Document) -> Option<(JobId, Kept)> {
    tracing::warn!(job.id = document.name, "what is open of a job's alerts cannot be read; it begins anew");
    Some((JobId(document.name.parse().ok()?), Kept { key: JobKey::new("", ""), state: State::default() }))
}

/// Everything that is wrong now, by job.
pub(crate) async fn open_alerts(app: &App) -> Result<Vec<OpenAlert>> {
    let kept: Vec<_> =
        all(app, STATE).await?.iter().filter_map(read).filter(|(_, kept)| !kept.state.open.is_empty()).collect();
    if kept.is_empty() {
        return Ok(Vec::new());
    }
    let book = Book::read(app).await?;
    let jobs = app.control().store().jobs_by_id(kept.iter().map(|(id, _)| *id).collect()).await?;
    let mut found = Vec::new();
    for (id, kept) in kept {
        let job = jobs.iter().find(|row| row.id == id).map(|row| &*row.definition);
        found.extend(shown(app, &book, job, &kept));
    }
    found.sort_by(|a, b| (&a.namespace, &a.job, &a.condition).cmp(&(&b.namespace, &b.job, &b.condition)));
    Ok(found)
}

/// What is wrong with a job.
pub(crate) async fn open_of(app: &App, job: &JobRow) -> Result<Vec<OpenAlert>> {
    let found = app.control().store().document(STATE, &job.id.to_string(), app.now()).await?;
    let Some((_, kept)) = found.as_ref().and_then(read).filter(|(_, kept)| !kept.state.open.is_empty()) else {
        return Ok(Vec::new());
    };
    let book = Book::read(app).await?;
    Ok(shown(app, &book, Some(&job.definition), &kept))
}

fn shown(app: &App, book: &Book, job: Option<&Job>, kept: &Kept) -> Vec<OpenAlert> {
    let silence = job.and_then(|job| book.silence(job, app.now()));
    let silence = silence.map(|(document, silence)| silence.shown(document));
    let one = |(condition, open): (&Condition, &Open)| OpenAlert {
        namespace: kept.key.namespace.clone(),
        job: job.map_or(&kept.key, |job| &job.key).name.clone(),
        condition: condition.to_string(),
        since: instant(open.since),
        last_at: instant(open.last_at),
        count: open.count,
        run: open.run.clone(),
        told_at: open.told_at.map(instant),
        channels: open
            .told
            .iter()
            .map(|target| target.channel.clone())
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect(),
        silence: silence.clone(),
    };
    kept.state.open.iter().map(one).collect()
}
