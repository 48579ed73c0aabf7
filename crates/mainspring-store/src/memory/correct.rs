//! Corrections of runs that were taken for lost.

use mainspring_core::batch::AttemptDetail;
use mainspring_core::run::{AttemptOutcome, RunState};

use super::model::Model;
use super::runs;
use crate::correct::{Corrected, Correction, refusal, settled};
use crate::document::DocumentExpect;

/// See [`crate::Store::correct_run`].
pub(super) fn correct(model: &mut Model, it: Correction) -> Corrected {
    let Some(info) = runs::run(model, it.run) else { return Corrected::NotLost };
    if let Some(why) = refusal(&info, &runs::attempts(model, it.run), it.attempt) {
        return why;
    }
    if model.documents.put(settled(it.run, it.at), DocumentExpect::Absent).is_none() {
        return Corrected::Repeated;
    }
    let over = model.history.get_mut(it.run).expect("a run that has failed is there");
    over.run.state = RunState::Succeeded;
    over.outcome = Some(AttemptOutcome::Succeeded);
    let more = over.run.more();
    more.reason = Some(it.reason.into());
    let detail = AttemptDetail { exit_code: it.exit_code, output: it.output, ..AttemptDetail::default() };
    more.detail = Some(Box::new(detail));
    model.events.thing(it.at, "run", format!("{}/{}", info.key, it.run), "corrected");
    Corrected::Done
}
