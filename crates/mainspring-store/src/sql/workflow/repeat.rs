//! Runs of workflows that repeat others.

use mainspring_core::RunId;
use serde_json::json;

use crate::error::Error;
use crate::sql::db::{Db, Lock, Step, ToSql, execute, maybe_run_id, read_one, sql};
use crate::sql::fire::is_known;
use crate::sql::list::lists;
use crate::workflow::{KeptTask, Repeat, repeated};

/// Gives a run that is to repeat another one what it begins with. See [`crate::Store::ask_run`].
pub(crate) fn repeat(db: &dyn Db, of: RunId, again: RunId, repeat: &Repeat) -> Step<()> {
    let this: [(&str, &dyn ToSql); 1] = [(":run", of.as_bytes())];
    db.lock(sql!("workflow_repeated"), Lock::Write, &this)?;
    match read_one(db, sql!("workflow_repeated"), &this, |row| maybe_run_id(row, 0))? {
        Some(newest) if newest != repeat.after => return Err(repeated(of).into()),
        Some(_) => {
            let values: [(&str, &dyn ToSql); 2] = [(":again", again.as_bytes()), (":run", of.as_bytes())];
            execute(db, sql!("workflow_repeat"), &values)?;
        }
        // It has never begun.
        None if repeat.keep.is_empty() => {
            if is_known(db, of)? {
                let values: [(&str, &dyn ToSql); 2] = [(":run", of.as_bytes()), (":again", again.as_bytes())];
                execute(db, sql!("workflow_repeat_unbegun"), &values)?;
            }
        }
        None => return Err(Error::NotFound { what: "run", key: of.to_string() }.into()),
    }
    execute(db, sql!("workflow_repeats"), &[(":run", again.as_bytes())])?;
    for rows in lists(repeat.keep.iter().map(|KeptTask { there, here }| json!([there, here]))) {
        let values: [(&str, &dyn ToSql); 3] = [(":again", again.as_bytes()), (":rows", &rows), (":run", of.as_bytes())];
        execute(db, sql!("workflow_keep", postgres, mysql), &values)?;
    }
    Ok(())
}
