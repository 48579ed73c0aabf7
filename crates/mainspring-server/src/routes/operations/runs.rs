//! Runs that start again, many at once.

use futures_util::{StreamExt, TryStreamExt, stream};
use mainspring_api::OperationSelector;
use mainspring_core::run::RunState;
use mainspring_store::{RUN_SETTLED, RunInfo, RunQuery};

use super::plan;
use crate::app::App;
use crate::query::parse;
use crate::query::runs::{FIELDS, walk};
use crate::refusal::Answer;
use crate::routes::{named_namespace, namespaces, runs};

/// Runs that are read at once.
const RUNS_AT_ONCE: usize = 500;
/// Of how many runs it is asked at a time whether they were run again.
const LOOKS: usize = 16;

/// The ids of the runs that are meant, oldest first: they start again in the order in which they came.
pub(super) async fn selected(app: &App, selector: &OperationSelector) -> Answer<Vec<String>> {
    let namespace = named_namespace(&selector.namespace);
    if let Some(namespace) = namespace {
        namespaces::must_exist(app, namespace).await?;
    }
    let Some(text) = &selector.q else { return Ok(plan::distinct(&selector.names)) };
    let query = parse(text, FIELDS)?;
    let asks_state = query.positive(Some("state")).next().is_some();
    let states = if asks_state { Vec::new() } else { vec![RunState::Failed] };
    let mut asked = RunQuery { namespace: namespace.map(str::to_owned), states, ..RunQuery::default() };
    let mut found = Vec::new();
    loop {
        let walked = walk(app, asked.clone(), &query, RUNS_AT_ONCE).await?;
        // A part of a run is run again with the whole.
        let meant = walked.found.into_iter().filter(|run| run.state.is_final() && run.parent.is_none());
        found.extend(not_yet(app, meant).await?);
        if found.len() > plan::NAMES_MAX {
            return Err(plan::too_many("runs"));
        }
        match walked.rest {
            Some(rest) => asked.before = Some(rest),
            None => break,
        }
    }
    found.reverse();
    Ok(found)
}

/// Those that were not run again yet, in their order.
async fn not_yet(app: &App, runs: impl Iterator<Item = RunInfo>) -> Answer<Vec<String>> {
    let look = async |run: RunInfo| {
        let id = run.id.to_string();
        let settled = app.control().store().document(RUN_SETTLED, &id, app.now()).await?;
        Answer::Ok(settled.is_none().then_some(id))
    };
    let found: Vec<Option<String>> = stream::iter(runs).map(look).buffered(LOOKS).try_collect().await?;
    Ok(found.into_iter().flatten().collect())
}

/// Starts a run again.
pub(super) async fn rerun(app: &App, id: &str) -> Answer<()> {
    runs::must_start(app)?;
    Ok(app.control().rerun(runs::id(id)?, false, None).await.map(drop)?)
}
