//! Jobs by the numbers that XXL-JOB's scripts know them by: what its forms and the API of 3.5 do with them.

use mainspring_api::{JobSpec, SavedFrom, WriteOptions};
use mainspring_core::JobId;
use mainspring_core::job::{JobKey, Task};
use mainspring_core::run::Origin;
use mainspring_engine::control::Ask;
use mainspring_schedule::Timestamp;
use mainspring_store::{Document, DocumentExpect, JobQuery, JobRow, Store};
use mainspring_xxl::{Address, Fields};
use serde_json::Value;

use super::attempt::{JOB_ID_MIN, job_id};
use super::children;
use super::told::{Told, said};
use crate::access::Caller;
use crate::app::App;
use crate::extract::Condition;
use crate::routes::apply::{self, Together};
use crate::routes::{DEFAULT_NAMESPACE, jobs, runs};
use crate::saver::Saver;
use crate::{alerts, convert};

/// The kind and name of the document that counts the numbers of jobs.
const KIND: &str = "xxl_number";
const NAME: &str = "job";
/// Who changes jobs here, for people.
pub(super) const BY: &str = "a script of XXL-JOB's";
/// Jobs that are read at a time.
const PAGE: u32 = 1_000;
/// How often a number is looked for.
const TRIES: usize = 1_000;

/// A job with its number.
pub(super) struct Numbered {
    pub(super) id: i64,
    pub(super) app: String,
    pub(super) row: JobRow,
}

fn numbered(row: JobRow) -> Option<Numbered> {
    let Task::Xxl(task) = &row.definition.task else { return None };
    let (id, app) = (job_id(task, row.id)?, task.app.clone());
    Some(Numbered { id: i64::from(id), app, row })
}

/// All jobs of executors, by namespace and name; of one app, or of all.
pub(super) async fn all(store: &dyn Store, app: Option<&str>) -> Told<Vec<Numbered>> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = store.jobs(JobQuery { after, limit: PAGE, ..JobQuery::default() }).await.map_err(said)?;
        after = page.last().map(|row| row.definition.key.clone());
        let is_last = page.len() < PAGE as usize;
        let jobs = page.into_iter().filter_map(numbered);
        found.extend(jobs.filter(|job| app.is_none_or(|app| job.app == app)));
        if is_last {
            return Ok(found);
        }
    }
}

/// The job of a number, of one app or of any.
pub(super) async fn find(store: &dyn Store, id: i64, app: Option<&str>) -> Told<Numbered> {
    let is_it = |job: &Numbered| job.id == id && app.is_none_or(|app| job.app == app);
    let quick = if id >= JOB_ID_MIN {
        store.jobs_by_id(vec![JobId(id - JOB_ID_MIN)]).await.map_err(said)?
    } else {
        let query = JobQuery { label: Some(Fields::id_label(id)), limit: PAGE, ..JobQuery::default() };
        store.jobs(query).await.map_err(said)?
    };
    if let Some(job) = quick.into_iter().filter_map(numbered).find(is_it) {
        return Ok(job);
    }
    let found = all(store, app).await?.into_iter().find(is_it);
    found.ok_or_else(|| format!("there is no job {id}"))
}

/// Makes a job, paused as XXL-JOB makes it. Answers its number, and what is different here. Children are of the app `within`, or of any.
pub(super) async fn add(app: &App, of: &str, fields: &Fields, within: Option<&str>) -> Told<(i64, Vec<String>)> {
    let id = new_number(&**app.control().store(), app.now()).await?;
    let (spec, notes) = fields.job(id, of, &app.default_timezone)?;
    let key = JobKey::new(DEFAULT_NAMESPACE, &spec.name);
    let more = save(app, (&key, id, None), spec, fields, within).await?;
    tracing::info!(job = %key, app = of, "a job is made as XXL-JOB's scripts make it");
    Ok((id, [notes, more].concat()))
}

/// Changes a job. Answers what is different here.
pub(super) async fn update(app: &App, job: &Numbered, fields: &Fields, within: Option<&str>) -> Told<Vec<String>> {
    let (id, of) = (job.id, job.app.clone());
    let spec = convert::job_spec(&job.row.definition);
    let (spec, notes) = fields.change(&spec, id, &of, &app.default_timezone)?;
    let key = &job.row.definition.key;
    let more = save(app, (key, id, Some(job.row.change)), spec, fields, within).await?;
    tracing::info!(job = %key, app = of, "a job is changed as XXL-JOB's scripts change it");
    Ok([notes, more].concat())
}

/// Saves a job with whom it tells of failures, and its children with it. Answers what is different here.
async fn save(
    app: &App,
    (key, id, seen): (&JobKey, i64, Option<i64>),
    mut spec: JobSpec,
    fields: &Fields,
    within: Option<&str>,
) -> Told<Vec<String>> {
    let channel = alerts::mail_channel(app).await.map_err(said)?;
    let notes = mainspring_xxl::tell(fields, &mut spec, channel.as_deref());
    let children = children::changed(app, within, (key, id), fields).await?;
    let saves = children.iter().map(|child| {
        let seen = Some(child.row.change);
        Together { spec: child.spec.clone(), seen, resume: child.wakes }
    });
    let all = std::iter::once(Together { spec, seen, resume: false }).chain(saves).collect();
    apply::save_together(app, all, &saver(app)).await.map_err(said)?;
    children::forget_pauses(app, &children).await;
    Ok(notes)
}

/// Who saves a job by XXL-JOB's endpoints: a script, and nobody knows whose.
pub(super) fn saver(app: &App) -> Saver {
    // None of them knows a token for scripts.
    Saver::from(SavedFrom::Xxl, BY, app.access.script_right(&Caller::Token))
}

pub(super) async fn remove(app: &App, job: &Numbered) -> Told<()> {
    let key = &job.row.definition.key;
    tracing::info!(job = %key, "a job is deleted as XXL-JOB's scripts delete it");
    jobs::remove(app, key, Condition::Always, WriteOptions::default()).await.map_err(said)
}

/// Starts a run now, with a parameter in place of the job's, and at the first executor of a list that is there.
pub(super) async fn trigger(app: &App, job: &Numbered, fields: &Fields) -> Told<()> {
    runs::must_start(app).map_err(said)?;
    let worker = fields.text("addressList").map(|list| one_of(app, &job.app, list)).transpose()?;
    let input = fields.get("executorParam").map(|param| Value::from(param.to_owned()));
    let ask = Ask { input, origin: Origin::Api, worker, ..Ask::default() };
    app.control().run_now(&job.row.definition.key, ask).await.map(drop).map_err(said)
}

/// The first of some addresses that an executor of the app has. Nothing is sent to others, whoever asks.
fn one_of(app: &App, of: &str, list: &str) -> Told<String> {
    let asked: Vec<&str> = list.split(',').map(str::trim).filter(|text| !text.is_empty()).collect();
    let known = app.xxl.executors().alive(of, app.xxl.now_ms());
    let found =
        asked.iter().filter_map(|text| Address::parse(text).ok()).find_map(|address| known.get(&address).cloned());
    found.ok_or_else(|| {
        format!("none of these addresses ({}) is one of an executor of {of} that is there", asked.join(", "))
    })
}

/// A number that no job has yet.
async fn new_number(store: &dyn Store, now: Timestamp) -> Told<i64> {
    let mut taken = Vec::new();
    for _ in 0..TRIES {
        let counted = store.document(KIND, NAME, now).await.map_err(said)?;
        let last = match &counted {
            Some(document) => document.body.parse().unwrap_or(0),
            None => {
                taken = all(store, None).await?.iter().map(|job| job.id).filter(|id| *id < JOB_ID_MIN).collect();
                taken.iter().copied().max().unwrap_or(0)
            }
        };
        let next = last + 1;
        let expect = counted.map_or(DocumentExpect::Absent, |document| DocumentExpect::Version(document.version));
        let (kind, name) = (KIND.to_owned(), NAME.to_owned());
        let document = Document { kind, name, body: next.to_string(), version: 0, at: now, expires_at: None };
        let is_ours = store.put_document(document, expect).await.map_err(said)?.is_some();
        let query = JobQuery { label: Some(Fields::id_label(next)), limit: 1, ..JobQuery::default() };
        if is_ours && !taken.contains(&next) && store.jobs(query).await.map_err(said)?.is_empty() {
            return Ok(next);
        }
    }
    Err("no number is free for a job".to_owned())
}
