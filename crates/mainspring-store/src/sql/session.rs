//! A connection that writes, and what a request changes beside tables.

use std::collections::HashSet;

use mainspring_core::run::RunState;
use mainspring_core::{Incarnation, JobId, JobVersion, RunId, Timestamp, TriggerId};
use rustc_hash::FxHashMap;

use super::Batches;
use super::db::{Step, ToSql, read_one, sql};
use super::list;
use super::task_labels::TaskLabels;

/// A connection with a transaction under way.
pub(crate) struct Session<C> {
    pub(crate) connection: C,
    /// Runs whose state the request under way has changed: the payload of its event.
    pub(crate) runs: RunChanges,
    /// Whether the engine has to hear of the request under way.
    pub(crate) wakes: bool,
    /// Whether other nodes have to hear of it, while this one looks for what follows by itself.
    pub(crate) tells: bool,
    /// Whether other nodes have to look into inboxes of flows.
    pub(crate) stirs: bool,
    /// Whether runs have been queued since the engine asked last, as far as this session queued them. Where one process has the store,
    /// that is all there is to know: a new one looks for queued runs by itself.
    pub(crate) queued: bool,
    /// Labels of tasks, as limits of labels count them.
    pub(crate) task_labels: TaskLabels,
    /// Numbers of process starts and workers.
    known: FxHashMap<Incarnation, i64>,
}

/// Numbers that a session remembers.
const KNOWN_MAX: usize = 10_000;

/// What a request has changed of runs.
#[derive(Debug, Default)]
pub(crate) struct RunChanges {
    /// As the event table keeps it: id, job, state.
    payload: Vec<u8>,
    /// Runs of tasks that have ended, which workflow runs are to hear of.
    ended: Vec<RunId>,
    /// Other runs that have ended, after which jobs may start.
    over: Vec<RunId>,
}

/// Bytes of one change.
pub(crate) const CHANGE_LEN: usize = 25;

impl RunChanges {
    pub(crate) fn push(&mut self, run: RunId, job: JobId, state: RunState) {
        let number = RunState::ALL.iter().position(|other| *other == state).expect("ALL has every state");
        self.payload.extend_from_slice(run.as_bytes());
        self.payload.extend_from_slice(&job.0.to_be_bytes());
        self.payload.push(u8::try_from(number).expect("fewer than 256 states"));
    }

    /// Forgets ends of runs of tasks that their workflow's runs have heard of.
    pub(crate) fn hear(&mut self, heard: &HashSet<RunId>) {
        self.ended.retain(|run| !heard.contains(run));
    }

    /// Notes a run that may be final. Where its version is that of a task, its workflow's run hears of it; else jobs may start after it.
    pub(crate) fn end(&mut self, run: RunId, job: JobId, version: JobVersion, state: RunState) {
        self.push(run, job, state);
        if state.is_final() {
            let list = if version.task().is_some() { &mut self.ended } else { &mut self.over };
            list.push(run);
        }
    }
}

impl<C: Batches> Session<C> {
    pub(crate) fn new(connection: C) -> Self {
        Self {
            connection,
            runs: RunChanges::default(),
            wakes: false,
            tells: false,
            stirs: false,
            queued: false,
            task_labels: TaskLabels::default(),
            known: FxHashMap::default(),
        }
    }

    /// Forgets what a request noted that is undone.
    pub(crate) fn forget(&mut self) {
        self.runs = RunChanges::default();
        (self.wakes, self.tells, self.stirs) = (false, false, false);
        // The answer that would have said so may be undone, too.
        self.queued = true;
        self.known.clear();
    }

    /// Ends the event of the request: its runs are one row, if there were any. Tells workflow runs of the ends of their tasks' runs, and
    /// leaves fires to triggers that come after runs, and ends to workflow runs whose tasks have started them
    /// or await them.
    pub(crate) fn flush_runs(&mut self, at: Timestamp) -> Step<()> {
        let RunChanges { payload, ended, over } = &mut self.runs;
        if !payload.is_empty() {
            let values: [(&str, &dyn ToSql); 3] = [(":at", &at.as_millis()), (":kind", &"runs"), (":payload", payload)];
            self.connection.post(sql!("event_add"), &values, None)?;
            payload.clear();
        }
        if !ended.is_empty() {
            let ended = list::of_runs(std::mem::take(ended).into_iter());
            // The node that advances them may be another one.
            self.wakes |= C::TELLS_AGAIN;
            self.connection.post(sql!("workflow_tell", postgres, mysql), &[(":runs", &ended)], None)?;
        }
        if !over.is_empty() {
            let over = list::of_runs(std::mem::take(over).into_iter());
            self.connection.post(sql!("after_tell", postgres, mysql), &[(":runs", &over)], None)?;
            self.connection.post(sql!("call_tell", postgres, mysql), &[(":runs", &over)], None)?;
            self.connection.post(sql!("await_tell", postgres, mysql), &[(":runs", &over)], None)?;
            self.connection.post(sql!("deadline_ended", postgres, mysql), &[(":runs", &over)], None)?;
        }
        Ok(())
    }

    /// The same for a request of the engine, which looks for what follows as soon as it is answered: other nodes alone are woken.
    pub(crate) fn flush_own_runs(&mut self, at: Timestamp) -> Step<()> {
        let woke = self.wakes;
        self.flush_runs(at)?;
        self.tells |= self.wakes;
        self.wakes = woke;
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
    pub(crate) const fn note_queued(&mut self) {
        (self.wakes, self.queued) = (true, true);
    }

    /// Notes that runs have been queued which wait for nothing but a claim, and that the engine which asked for it claims by itself.
    pub(crate) const fn note_own_queued(&mut self) {
        if C::TELLS_AGAIN { self.tells = true } else { self.note_queued() }
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
