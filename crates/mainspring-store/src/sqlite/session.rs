//! The write connection and what a request changes beside tables.

use std::path::{Path, PathBuf};

use mainspring_core::run::RunState;
use mainspring_core::{Incarnation, JobId, RunId, Timestamp, TriggerId};
use rusqlite::Connection;

use super::open;
use super::sql::{Step, execute, read_one, sql};

/// The write connection. There is one, on the writer's thread.
pub(super) struct Session {
    pub(super) connection: Connection,
    path: PathBuf,
    /// Runs whose state the request under way has changed: the payload of its event.
    pub(super) runs: RunChanges,
    /// Whether the engine has to hear of the request under way.
    pub(super) wakes: bool,
    /// The process start that asked last, with its number.
    known: Option<(Incarnation, i64)>,
}

/// Run changes as the event table keeps them: id, job, state.
#[derive(Debug, Default)]
pub(super) struct RunChanges(Vec<u8>);

/// Bytes of one change.
pub(super) const CHANGE_LEN: usize = 25;

impl RunChanges {
    pub(super) fn push(&mut self, run: RunId, job: JobId, state: RunState) {
        let number = RunState::ALL.iter().position(|other| *other == state).expect("ALL has every state");
        self.0.extend_from_slice(run.as_bytes());
        self.0.extend_from_slice(&job.0.to_be_bytes());
        self.0.push(u8::try_from(number).expect("fewer than 256 states"));
    }
}

impl Session {
    pub(super) fn new(connection: Connection, path: &Path) -> Self {
        Self { connection, path: path.to_owned(), runs: RunChanges::default(), wakes: false, known: None }
    }

    /// Forgets what a request noted that is undone.
    pub(super) fn forget(&mut self) {
        self.runs.0.clear();
        self.wakes = false;
        self.known = None;
    }

    /// Opens the connection again, after an input or output error.
    pub(super) fn reopen(&mut self) -> rusqlite::Result<()> {
        self.forget();
        self.connection = open::writer_again(&self.path)?;
        Ok(())
    }

    /// Ends the event of the request: its runs are one row, if there were any.
    pub(super) fn flush_runs(&mut self, at: Timestamp) -> Step<()> {
        if !self.runs.0.is_empty() {
            let values: [(&str, &dyn rusqlite::ToSql); 3] =
                [(":at", &at.as_millis()), (":kind", &"runs"), (":payload", &self.runs.0)];
            execute(&self.connection, sql!("common/event_add"), &values)?;
            self.runs.0.clear();
        }
        Ok(())
    }

    /// Records a change of something else than a run.
    pub(super) fn event(&self, at: Timestamp, kind: &str, key: &str, change: &str) -> Step<()> {
        let payload = serde_json::json!({ "key": key, "change": change }).to_string().into_bytes();
        let values: [(&str, &dyn rusqlite::ToSql); 3] =
            [(":at", &at.as_millis()), (":kind", &kind), (":payload", &payload)];
        execute(&self.connection, sql!("common/event_add"), &values)?;
        Ok(())
    }

    /// Notes a trigger for the engine.
    pub(super) fn note_trigger(&mut self, trigger: TriggerId) -> Step<()> {
        self.wakes = true;
        execute(&self.connection, sql!("common/note_trigger"), &[(":trigger", &trigger.0)])?;
        Ok(())
    }

    /// Notes all triggers of a job for the engine.
    pub(super) fn note_job(&mut self, job: JobId) -> Step<()> {
        self.wakes = true;
        execute(&self.connection, sql!("common/note_job"), &[(":job", &job.0)])?;
        Ok(())
    }

    /// Notes that runs have been queued.
    pub(super) fn note_queued(&mut self) -> Step<()> {
        self.wakes = true;
        execute(&self.connection, sql!("common/note_queued"), &[])?;
        Ok(())
    }

    /// The number of a process start, which rows carry instead of its 16 bytes.
    pub(super) fn number_of(&mut self, incarnation: Incarnation) -> Step<i64> {
        if let Some((_, number)) = self.known.filter(|(known, _)| *known == incarnation) {
            return Ok(number);
        }
        let id = incarnation.0.to_be_bytes();
        let db = &self.connection;
        let found = read_one(db, sql!("common/incarnation_number"), &[(":id", &id)], |row| row.get(0))?;
        let number = match found {
            Some(number) => number,
            None => {
                execute(db, sql!("common/incarnation_add"), &[(":id", &id)])?;
                db.last_insert_rowid()
            }
        };
        self.known = Some((incarnation, number));
        Ok(number)
    }
}
