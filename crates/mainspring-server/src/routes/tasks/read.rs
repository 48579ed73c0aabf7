//! Reading the tasks of a run.

use mainspring_store::RunInfo;

use crate::app::App;
use crate::extract::off_thread;
use crate::refusal::Answer;
use crate::show;
use crate::tasks::Tasks;

/// Reads the tasks of a run; nothing if it is no workflow, or its definition is gone.
pub(in crate::routes) async fn tasks_of(app: &App, run: &RunInfo) -> Answer<Option<Tasks>> {
    let store = app.control().store();
    let definition = show::definition_of(&**store, run).await?.filter(|definition| definition.workflow().is_some());
    let Some(definition) = definition else { return Ok(None) };
    let row = store.workflow(run.id, 0).await?;
    let run = run.clone();
    off_thread(move || Ok(Tasks::new(&run, definition, row))).await
}
