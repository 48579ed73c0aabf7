//! Corrections of runs that were taken for lost.

use mainspring_core::{RunId, Timestamp};

use super::Batches;
use super::db::{Db, Step, ToSql, execute, sql};
use super::session::Session;
use super::{document, run};
use crate::correct::{Corrected, Correction, refusal, settled};
use crate::document::DocumentExpect;

/// See [`crate::Store::correct_run`].
pub(crate) fn correct(session: &Session<impl Batches>, it: &Correction) -> Step<Corrected> {
    let db = &session.connection;
    let Some(info) = run::run(db, it.run)? else { return Ok(Corrected::NotLost) };
    if let Some(why) = refusal(&info, &run::attempts(db, it.run)?, it.attempt) {
        return Ok(why);
    }
    // Of two requests at a time, the second one waits here until the first is committed.
    if document::put(session, &settled(it.run, it.at), DocumentExpect::Absent)?.is_none() {
        return Ok(Corrected::Repeated);
    }
    let values: [(&str, &dyn ToSql); 5] = [
        (":reason", &it.reason),
        (":output", &it.output),
        (":exit_code", &it.exit_code),
        (":id", it.run.as_bytes()),
        (":attempt", &it.attempt),
    ];
    // Zero rows: it is purged.
    if execute(db, sql!("run_correct"), &values)? == 0 {
        return Ok(Corrected::NotLost);
    }
    session.event(it.at, "run", &format!("{}/{}", info.key, it.run), "corrected")?;
    Ok(Corrected::Done)
}

/// Notes that a run is repeated, so that its verdict stays.
pub(crate) fn note_repeat(db: &dyn Db, run: RunId, at: Timestamp) -> Step<()> {
    document::note(db, &settled(run, at))
}
