//! A connection that writes, and what a request changes beside tables.

use mainspring_core::run::RunState;
use mainspring_core::{Incarnation, JobId, RunId, Timestamp, TriggerId};
use rustc_hash::FxHashMap;

use super::Batches;
use super::db::{Step, ToSql, read_one, sql};

/// A connection with a transaction under way.
pub(crate) struct Session<C> {
    pub(crate) connection: C,
    /// Runs whose state the request under way has changed: the payload of its event.
    pub(crate) runs: RunChanges,
    /// Whether the engine has to hear of the request under way.
    pub(crate) wakes: bool,
    /// Numbers of process starts and workers.
    known: FxHashMap<Incarnation, i64>,
}

/// Numbers that a session remembers.
const KNOWN_MAX: usize = 10_000;

/// Run changes as the event table keeps them: id, job, state.
#[derive(Debug, Default)]
pub(crate) struct RunChanges(Vec<u8>);

/// Bytes of one change.
pub(crate) const CHANGE_LEN: usize = 25;

impl RunChanges {
    pub(crate) fn push(&mut self, run: RunId, job: JobId, state: RunState) {
        let number = RunState::ALL.iter().position(|other| *other == state).expect("ALL has every state");
        self.0.extend_from_slice(run.as_bytes());
        self.0.extend_from_slice(&job.0.to_be_bytes());
        self.0.push(u8::try_from(number).expect("fewer than 256 states"));
    }
}

impl<C: Batches> Session<C> {
    pub(crate) fn new(connection: C) -> Self {
        Self { connection, runs: RunChanges::default(), wakes: false, known: FxHashMap::default() }
    }

    /// Forgets what a request noted that is undone.
    pub(crate) fn forget(&mut self) {
        self.runs.0.clear();
        self.wakes = false;
        self.known.clear();
    }

    /// Ends the event of the request: its runs are one row, if there were any.
    pub(crate) fn flush_runs(&mut self, at: Timestamp) -> Step<()> {
        if !self.runs.0.is_empty() {
            let values: [(&str, &dyn ToSql); 3] =
                [(":at", &at.as_millis()), (":kind", &"runs"), (":payload", &self.runs.0)];
            self.connection.post(sql!("event_add"), &values, None)?;
            self.runs.0.clear();
        }
        Ok(())
    }

    /// Records a change of something else than a run.
    pub(crate) fn event(&self, at: Timestamp, kind: &str, key: &str, change: &str) -> Step<()> {
        let payload = serde_json::json!({ "key": key, "change": change }).to_string().into_bytes();
        let values: [(&str, &dyn ToSql); 3] = [(":at", &at.as_millis()), (":kind", &kind), (":payload", &payload)];
        self.connection.post(sql!("event_add"), &values, None)
    }

    /// Notes a trigger for the engine.
    pub(crate) fn note_trigger(&mut self, trigger: TriggerId) -> Step<()> {
        self.wakes = true;
        self.connection.post(sql!("note_trigger", postgres, mysql), &[(":trigger", &trigger.0)], None)
    }

    /// Notes all triggers of a job for the engine.
    pub(crate) fn note_job(&mut self, job: JobId) -> Step<()> {
        self.wakes = true;
        self.connection.post(sql!("note_job", postgres, mysql), &[(":job", &job.0)], None)
    }

    /// Notes that runs have been queued.
    pub(crate) fn note_queued(&mut self) -> Step<()> {
        self.wakes = true;
        self.connection.note_queued()
    }

    /// The number of a process start, which rows carry instead of its 16 bytes.
    pub(crate) fn number_of(&mut self, incarnation: Incarnation) -> Step<i64> {
        if let Some(number) = self.known.get(&incarnation) {
            return Ok(*number);
        }
        let id = incarnation.0.to_be_bytes();
        let db = &self.connection;
        let found = read_one(db, sql!("incarnation_number"), &[(":id", &id)], |row| row.get(0))?;
        let number = match found {
            Some(number) => number,
            None => db.insert(sql!("incarnation_add"), &[(":id", &id)])?,
        };
        if self.known.len() == KNOWN_MAX {
            self.known.clear();
        }
        self.known.insert(incarnation, number);
        Ok(number)
    }
}
