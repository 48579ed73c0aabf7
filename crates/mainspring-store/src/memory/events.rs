//! The event table: kept as it was decided, written as JSON when somebody reads it.

use std::collections::VecDeque;

use mainspring_core::run::RunState;
use mainspring_core::{JobId, RunId, Timestamp};
use serde_json::json;

use crate::row::EventRow;
use crate::webhook::MISSED;

/// A run's new state.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunChange(pub(super) RunId, pub(super) JobId, pub(super) RunState);

/// Events, positions 1, 2, 3 … without a gap.
#[derive(Clone, Debug, Default)]
pub(super) struct Events {
    rows: VecDeque<Event>,
    removed: i64,
    /// Run changes of the transaction under way.
    runs: Vec<RunChange>,
}

#[derive(Clone, Debug)]
struct Event {
    at: Timestamp,
    body: Body,
}

#[derive(Clone, Debug)]
enum Body {
    Runs(Box<[RunChange]>),
    Thing { kind: &'static str, key: String, change: &'static str },
    Missed(String),
}

impl Events {
    /// Adds a run to the transaction under way.
    pub(super) fn run(&mut self, run: RunId, job: JobId, state: RunState) {
        self.runs.push(RunChange(run, job, state));
    }

    /// Ends the transaction under way: its runs are one event, if there were any.
    pub(super) fn flush(&mut self, at: Timestamp) {
        if !self.runs.is_empty() {
            let room = Vec::with_capacity(self.runs.len());
            let runs = std::mem::replace(&mut self.runs, room).into_boxed_slice();
            self.rows.push_back(Event { at, body: Body::Runs(runs) });
        }
    }

    /// Adds a change of something else than a run.
    pub(super) fn thing(&mut self, at: Timestamp, kind: &'static str, key: String, change: &'static str) {
        self.rows.push_back(Event { at, body: Body::Thing { kind, key, change } });
    }

    /// Adds what a fire found missed.
    pub(super) fn missed(&mut self, at: Timestamp, payload: String) {
        self.rows.push_back(Event { at, body: Body::Missed(payload) });
    }

    /// When the newest event was recorded: the best that requests without a time of their own can say.
    pub(super) fn newest_at(&self) -> Timestamp {
        self.rows.back().map_or(Timestamp::UNIX_EPOCH, |event| event.at)
    }

    pub(super) fn last(&self) -> i64 {
        self.removed + len(&self.rows)
    }

    pub(super) fn after(&self, after: i64, limit: u32) -> Vec<EventRow> {
        let skip = usize::try_from(after.saturating_sub(self.removed)).unwrap_or(0);
        let rows = self.rows.iter().enumerate().skip(skip).take(limit as usize);
        rows.map(|(index, event)| event.row(self.removed + 1 + i64::try_from(index).unwrap_or(i64::MAX))).collect()
    }

    /// Removes up to `limit` events that are older, and stand at `through` or before.
    pub(super) fn purge(&mut self, before: Timestamp, through: i64, limit: usize) -> usize {
        let mut count = 0;
        while count < limit && self.removed < through && self.rows.front().is_some_and(|event| event.at < before) {
            self.rows.pop_front();
            self.removed += 1;
            count += 1;
        }
        count
    }
}

fn len(rows: &VecDeque<Event>) -> i64 {
    i64::try_from(rows.len()).expect("fewer events than memory has bytes")
}

impl Event {
    fn row(&self, seq: i64) -> EventRow {
        let (kind, payload) = match &self.body {
            Body::Missed(payload) => (MISSED, payload.clone()),
            Body::Runs(runs) => {
                let list: Vec<_> = runs.iter().map(|c| json!([c.0.to_string(), c.1, c.2])).collect();
                ("runs", json!(list).to_string())
            }
            Body::Thing { kind, key, change } => (*kind, json!({ "key": key, "change": change }).to_string()),
        };
        EventRow { seq, at: self.at, kind: kind.into(), payload }
    }
}
