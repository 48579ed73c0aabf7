//! What most batches are made of, in one statement each.

use std::collections::HashSet;

use mainspring_core::batch::{
    ClaimedRun, CompletionBatch, CompletionOutcome, FireBatch, FireEntry, LiveRun, TriggerRow,
};
use mainspring_core::cluster::ShardSet;
use mainspring_core::queue::place;
use mainspring_core::{Timestamp, TriggerId};

use super::arrays;
use super::connection::Connection;
use crate::sql::Batches;
use crate::sql::cluster;
use crate::sql::complete::End;
use crate::sql::db::{Db, Lock, Row, Step, ToSql, exists, read};
use crate::sql::fire::{self, Usual};
use crate::sql::queue::{live_run, noted_trigger, queued_run};
use crate::sql::queues::Glance;
use crate::sql::trigger::{Place, page, placed};

/// A statement of PostgreSQL alone.
macro_rules! own {
    ($name:literal) => {
        crate::sql::db::Sql::new(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/queries/postgres/", $name, ".sql")))
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
        self.post(own!("fence_lock"), &[(":incarnation", &owner)], Some(|| crate::Error::Fenced))?;
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

    fn claim(&self, owner: i64, queue: Option<&str>, from: i64, limit: u32, at: Timestamp) -> Step<Vec<ClaimedRun>> {
        let at = at.as_millis();
        let run = |row: &Row<'_>| Ok((row.get::<i32>(9)?, queued_run(row, 8)?));
        let mut claimed = match queue {
            None => {
                let values: [(&str, &dyn ToSql); 4] =
                    [(":at", &at), (":owner", &owner), (":from", &from), (":limit", &limit)];
                read(self, own!("claim"), &values, run)?
            }
            Some(queue) => {
                let values: [(&str, &dyn ToSql); 5] =
                    [(":at", &at), (":owner", &owner), (":queue", &queue), (":from", &from), (":limit", &limit)];
                read(self, own!("claim_queue"), &values, run)?
            }
        };
        claimed.sort_by_key(|(priority, run)| (place(*priority, run.due_at), run.due_at, run.run));
        Ok(claimed.into_iter().map(|(_, run)| run).collect())
    }

    fn glance(&self) -> Step<Option<Glance>> {
        self.known.glance(self)
    }

    fn adopt(&self, dead: i64, by: i64, limit: u32) -> Step<Vec<LiveRun>> {
        adopt(self, dead, by, limit)
    }

    fn record_usual(&self, batch: &FireBatch, owner: i64, stamp: i64) -> Step<Usual> {
        arrays::record(self, batch, owner, stamp)
    }

    fn hurry(&self) {
        self.hurries.set(true);
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
        let (shards, limit) = (numbers(shards), i64::from(limit));
        let mut rows = Vec::new();
        self.query(
            own!("window"),
            Lock::None,
            &[&until.as_millis(), &after_at, &after_id, &shards, &limit],
            &mut |row| {
                rows.push(placed(&Row(row))?);
                Ok(true)
            },
        )?;
        Ok(page(rows, limit))
    }

    fn noted_triggers(&self, shards: ShardSet, limit: u32) -> Step<Vec<(i64, TriggerId)>> {
        let mut noted = Vec::new();
        self.query(own!("noted_triggers"), Lock::None, &[&numbers(shards), &i64::from(limit)], &mut |row| {
            noted.push(noted_trigger(&Row(row))?);
            Ok(true)
        })?;
        Ok(noted)
    }

    fn take_queued(&self) -> Step<bool> {
        match self.glance()? {
            Some(glance) => Ok(glance.heads.into_values().any(|head| head.is_some())),
            None => exists(self, own!("take_queued"), &[]),
        }
    }
}

/// Takes over running runs of a process start without a node, or of a worker that is gone.
fn adopt(db: &Connection, dead: i64, by: i64, limit: u32) -> Step<Vec<LiveRun>> {
    let values: [(&str, &dyn ToSql); 3] = [(":dead", &dead), (":limit", &limit), (":by", &by)];
    let mut runs = read(db, own!("cluster_adopt"), &values, live_run)?;
    runs.sort_by_key(|run| run.claimed.run);
    Ok(runs)
}

fn numbers(shards: ShardSet) -> Vec<i16> {
    shards.iter().map(|shard| i16::from(shard.0)).collect()
}
