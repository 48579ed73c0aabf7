//! Doing it: one after the other, so that an operation takes no more of the database than one caller.

use std::time::{Duration, Instant};

use mainspring_api::{ErrorCode, Operation, OperationAction, OperationSpec, OperationState, SavedFrom, WriteOptions};
use mainspring_core::job::JobKey;
use mainspring_core::run::{Origin, RunState};
use mainspring_engine::control::Ask;
use mainspring_store::{DocumentExpect, RunQuery, causes};
use std::collections::BTreeMap;

use super::{find, keep, plan};
use crate::access::ScriptRight;
use crate::app::App;
use crate::convert;
use crate::extract::Condition;
use crate::refusal::{Answer, Refusal};
use crate::routes::{jobs, runs};
use crate::saver::Saver;
use crate::show::instant;

/// How often it is written down how far the work is, and whether it shall end is read.
const KEEP_EVERY: Duration = Duration::from_millis(500);
/// How often the end is tried to be written, a while apart.
const LAST_TRIES: usize = 20;
/// Runs of a job that are read at once.
const RUNS_AT_ONCE: u32 = 500;

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

/// An operation, and the version of it that is kept.
pub(super) struct Kept {
    pub(super) operation: Operation,
    pub(super) version: i64,
}

/// Does it, one by one, until all is done, somebody asks for its end, or the server closes.
pub(super) async fn out(app: &App, (spec, by): (&OperationSpec, &str), names: Vec<String>, mut kept: Kept) {
    let mut written = Instant::now();
    for name in names {
        if *app.closing.borrow() {
            kept.operation.state = OperationState::Interrupted;
            break;
        }
        let result = match spec.action {
            OperationAction::Rerun => super::runs::rerun(app, &name).await,
            _ => one(app, (spec, by), &JobKey::new(&spec.selector.namespace, &name)).await,
        };
        plan::note(&mut kept.operation, &name, result.err().as_ref().map(|refusal| &*refusal.0));
        if written.elapsed() >= KEEP_EVERY {
            written = Instant::now();
            if !write(app, &mut kept).await {
                kept.operation.state = OperationState::Cancelled;
                break;
            }
        }
    }
    if kept.operation.state == OperationState::Running {
        kept.operation.state = OperationState::Done;
    }
    kept.operation.ended_at = Some(instant(app.now()));
    let Operation { id, done, failed, state, .. } = &kept.operation;
    tracing::info!(operation.id = id, done, failed, %state, "an operation ended");
    end(app, kept).await;
}

/// Writes down how far it is. Tells whether to go on.
async fn write(app: &App, kept: &mut Kept) -> bool {
    // The process may have become another incarnation.
    kept.operation.node = app.engine.incarnation().to_string();
    match keep(app, &kept.operation, DocumentExpect::Version(kept.version)).await {
        Ok(Some(version)) => kept.version = version,
        // Nobody else writes it but to ask for its end.
        Ok(None) => match find(app, &kept.operation.id).await {
            Ok(there) => {
                kept.version = there.version;
                kept.operation.cancel_asked |= there.operation.cancel_asked;
            }
            Err(refusal) => tracing::warn!(error = refusal.0.detail, "an operation is not found any more"),
        },
        Err(error) => tracing::debug!(error = %causes(&error), "how far an operation is could not be written"),
    }
    !kept.operation.cancel_asked
}

/// Writes the end, over whatever is there.
async fn end(app: &App, kept: Kept) {
    let mut pause = tokio::time::interval(KEEP_EVERY);
    for _ in 0..LAST_TRIES {
        pause.tick().await;
        match keep(app, &kept.operation, DocumentExpect::Anything).await {
            Ok(Some(_)) => return,
            Ok(None) => {}
            Err(error) => tracing::debug!(error = %causes(&error), "the end of an operation could not be written"),
        }
        if *app.closing.borrow() {
            return;
        }
    }
    tracing::warn!(operation.id = kept.operation.id, "the end of an operation could not be written");
}

/// Does it to one job.
async fn one(app: &App, (spec, by): (&OperationSpec, &str), key: &JobKey) -> Answer<()> {
    match spec.action {
        OperationAction::Pause => jobs::pause_one(app, key, by.to_owned(), spec.reason.clone()).await.map(drop),
        OperationAction::Resume => jobs::resume_one(app, key).await.map(drop),
        OperationAction::Run => run(app, key).await,
        OperationAction::Cancel => cancel(app, key, spec.reason.as_deref()).await,
        OperationAction::Rerun => unreachable!("it is of runs"),
        OperationAction::Delete => jobs::remove(app, key, Condition::Always, COMMIT).await,
        OperationAction::Label => {
            let (add, remove, of) = (spec.add_labels.clone(), spec.remove_labels.clone(), key.clone());
            let labelled = move |row: Option<&mainspring_store::JobRow>| {
                let row = row.ok_or_else(|| jobs::missing(&of))?;
                let before = convert::job_spec(&row.definition);
                let labels = plan::relabelled(&before.labels, &add, &remove);
                Ok(mainspring_api::JobSpec { labels, ..before })
            };
            // Labels change, and no script.
            let saver = Saver::from(SavedFrom::Operation, by, ScriptRight(false));
            jobs::save(app, key, Condition::Always, (COMMIT, saver), labelled).await.map(drop)
        }
    }
}

async fn run(app: &App, key: &JobKey) -> Answer<()> {
    runs::must_start(app)?;
    let row = jobs::find(app, key).await?;
    let problems = convert::job_spec(&row.definition).check_input(None, &BTreeMap::new());
    if !problems.is_empty() {
        return Err(Refusal::invalid(problems));
    }
    let ask = Ask { input: None, priority: None, origin: Origin::Api, worker: None, asking: None };
    Ok(app.control().run_now(key, ask).await.map(drop)?)
}

/// Cancels what a job runs and what waits of it.
async fn cancel(app: &App, key: &JobKey, reason: Option<&str>) -> Answer<()> {
    let job = jobs::find(app, key).await?.id;
    let states = RunState::ALL.iter().copied().filter(|state| !state.is_final()).collect();
    let namespace = Some(key.namespace.clone());
    let mut query = RunQuery { namespace, job: Some(job), states, limit: RUNS_AT_ONCE, ..RunQuery::default() };
    loop {
        let found = app.control().store().runs(query.clone()).await?;
        for run in &found {
            let cancelled = app.control().cancel(run.id, reason.unwrap_or("cancelled with others")).await;
            match cancelled.map_err(Refusal::from) {
                // It ended in the meantime.
                Err(refusal) if refusal.0.error_code() == Some(ErrorCode::RunFinal) => {}
                cancelled => drop(cancelled?),
            }
        }
        match found.last() {
            Some(last) if found.len() == RUNS_AT_ONCE as usize => query.before = Some(last.id),
            _ => return Ok(()),
        }
    }
}
