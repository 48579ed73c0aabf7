//! What most batches are made of, in few statements each.

use std::collections::HashSet;

use mainspring_core::batch::{
    ClaimedRun, CompletionBatch, CompletionOutcome, FireBatch, FireEntry, LiveRun, TriggerRow,
};
use mainspring_core::cluster::ShardSet;
use mainspring_core::{Timestamp, TriggerId};

use super::arrays;
use super::connection::Connection;
use crate::sql::cluster::{self, mask};
use crate::sql::complete::End;
use crate::sql::db::{Row, Step, ToSql, execute, exists, read, read_one};
use crate::sql::fire::{self, Usual};
use crate::sql::list;
use crate::sql::queue::{live_run, noted_trigger, queued_run};
use crate::sql::trigger::{Place, page, placed};
use crate::sql::{Batches, Lines};

/// A statement of MySQL alone.
macro_rules! own {
    ($name:literal) => {
        crate::sql::db::Sql::new(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/queries/mysql/", $name, ".sql")))
    };
}
pub(super) use own;

impl Batches for Connection {
    const LISTS: bool = true;
    const TELLS_AGAIN: bool = true;

    fn raise_fence(&self, owner: i64) -> Step<()> {
        cluster::raise_fence(self, owner)
    }

    fn lower_fence(&self, owner: i64) -> Step<()> {
        cluster::lower_fence(self, owner)
    }

    fn step_fence(&self, owner: i64, answered: u64) -> Step<()> {
        cluster::step_fence(self, owner, answered)
    }

    fn take_fence_back(&self, owner: i64) -> Step<()> {
        cluster::take_fence_back(self, owner)
    }

    fn share_fence(&self, owner: i64) -> Step<()> {
        cluster::share_fence(self, owner)
    }

    fn dead_answers(&self, limit: u32) -> Step<Vec<(i64, i64)>> {
        cluster::dead_answers(self, limit)
    }

    fn claim(&self, owner: i64, queue: Option<&str>, _from: i64, limit: u32, at: Timestamp) -> Step<Vec<ClaimedRun>> {
        let run = |row: &Row<'_>| queued_run(row, 8);
        let mut claimed = match queue {
            None => read(self, own!("claim_read"), &[(":limit", &limit)], run)?,
            Some(queue) => read(self, own!("claim_queue_read"), &[(":queue", &queue), (":limit", &limit)], run)?,
        };
        if claimed.is_empty() {
            return Ok(claimed);
        }
        let runs = list::of_runs(claimed.iter().map(|run| run.run));
        let values: [(&str, &dyn ToSql); 3] = [(":runs", &runs), (":at", &at.as_millis()), (":owner", &owner)];
        execute(self, own!("claim"), &values)?;
        for run in &mut claimed {
            run.attempt += 1;
        }
        Ok(claimed)
    }

    fn add_lines(&self, which: Lines, lines: &mut Vec<String>) -> Step<()> {
        let next = match which {
            Lines::Any => own!("queues_waiting_next"),
            Lines::Shared => own!("claim_look_next"),
            Lines::Routed => own!("route_lines_next"),
        };
        while let Some(last) = lines.last() {
            let line = read_one(self, next, &[(":after", last)], |row| row.get::<String>(0))?;
            let Some(line) = line else { break };
            lines.push(line);
        }
        Ok(())
    }

    fn adopt(&self, dead: i64, by: i64, limit: u32) -> Step<Vec<LiveRun>> {
        adopt(self, dead, by, limit)
    }

    fn record_usual(&self, batch: &FireBatch, owner: i64, stamp: i64) -> Step<Usual> {
        arrays::record(self, batch, owner, stamp)
    }

    fn busy(&self, entries: &[&FireEntry]) -> Step<HashSet<TriggerId>> {
        fire::find_busy(self, entries)
    }

    fn end_usual(&self, batch: &CompletionBatch, holders: &[i64]) -> Step<Vec<End>> {
        arrays::end(self, batch, holders)
    }

    fn note_elsewhere(&self, owner: i64, outcome: &CompletionOutcome) -> Step<()> {
        cluster::note_elsewhere(self, owner, outcome)
    }

    fn window(
        &self,
        shards: ShardSet,
        until: Timestamp,
        after: Option<Place>,
        limit: u32,
    ) -> Step<(Vec<TriggerRow>, Option<Place>)> {
        let (after_at, after_id) = after.map_or((i64::MIN, i64::MIN), |(at, id)| (at.as_millis(), id.0));
        let values: [(&str, &dyn ToSql); 5] = [
            (":until", &until.as_millis()),
            (":after_at", &after_at),
            (":after_id", &after_id),
            (":shards", &mask(shards)),
            (":limit", &limit),
        ];
        let rows = read(self, own!("window"), &values, placed)?;
        Ok(page(rows, i64::from(limit)))
    }

    fn noted_triggers(&self, shards: ShardSet, limit: u32) -> Step<Vec<(i64, TriggerId)>> {
        let values: [(&str, &dyn ToSql); 2] = [(":shards", &mask(shards)), (":limit", &limit)];
        read(self, own!("noted_triggers"), &values, noted_trigger)
    }

    fn take_queued(&self) -> Step<bool> {
        exists(self, own!("take_queued"), &[])
    }
}

/// Takes over running runs of a process start without a node, or of a worker that is gone.
fn adopt(db: &Connection, dead: i64, by: i64, limit: u32) -> Step<Vec<LiveRun>> {
    let values: [(&str, &dyn ToSql); 2] = [(":dead", &dead), (":limit", &limit)];
    let taken = read(db, own!("cluster_adopt_read"), &values, live_run)?;
    if !taken.is_empty() {
        let runs = list::of_runs(taken.iter().map(|run| run.claimed.run));
        execute(db, own!("cluster_adopt"), &[(":runs", &runs), (":by", &by)])?;
    }
    Ok(taken)
}
