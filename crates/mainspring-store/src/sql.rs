//! The store's requests on top of SQL, the same for every database.
//!
//! A request runs in one transaction of a [`Db`]. Statements are in `queries/common/`; where a database needs another
//! text, in a folder of its name.

pub(crate) mod after;
pub(crate) mod awaits;
pub(crate) mod backend;
pub(crate) mod backfill;
pub(crate) mod cluster;
pub(crate) mod complete;
pub(crate) mod correct;
pub(crate) mod data;
pub(crate) mod db;
pub(crate) mod deadline;
pub(crate) mod digest;
pub(crate) mod document;
pub(crate) mod fire;
pub(crate) mod flow;
pub(crate) mod follow;
pub(crate) mod gap;
pub(crate) mod gate;
pub(crate) mod job;
pub(crate) mod job_lane;
pub(crate) mod keep;
pub(crate) mod key;
pub(crate) mod lane;
pub(crate) mod list;
pub(crate) mod names;
pub(crate) mod past;
pub(crate) mod purge;
pub(crate) mod queue;
pub(crate) mod queues;
pub(crate) mod remove;
pub(crate) mod repeat;
pub(crate) mod replace;
pub(crate) mod rollup;
pub(crate) mod route;
pub(crate) mod run;
pub(crate) mod save;
pub(crate) mod session;
pub(crate) mod steps;
pub(crate) mod store;
pub(crate) mod task_labels;
pub(crate) mod trigger;
pub(crate) mod update;
pub(crate) mod warnings;
pub(crate) mod webhook;
pub(crate) mod worker;
pub(crate) mod workflow;

#[cfg(test)]
pub(crate) mod tests;

use std::collections::HashSet;

use mainspring_core::batch::{
    ClaimedRun, CompletionBatch, CompletionOutcome, FireBatch, FireEntry, LiveRun, TriggerRow,
};
use mainspring_core::cluster::ShardSet;
use mainspring_core::{Timestamp, TriggerId};

use complete::End;
use db::{Db, Step};
use fire::Usual;
use queues::Glance;
use trigger::Place;

/// Lines in which runs wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lines {
    /// All of them.
    Any,
    /// Those of namespaces.
    Shared,
    /// Those of routed runs.
    Routed,
}

/// How a database records what most batches are made of. The requests do the rest, entry by entry.
pub(crate) trait Batches: Db + Sized {
    /// Whether a statement takes a list, so that few of them do for many rows. Where a statement costs next to nothing,
    /// many of them do as well.
    const LISTS: bool = false;

    /// Whether changes stay until they have been heard of, as answers are lost on their way. Else they are forgotten when they are told.
    const TELLS_AGAIN: bool = false;

    /// Makes the fence of a process start. Nothing to do where there can be one process only.
    fn raise_fence(&self, _owner: i64) -> Step<()> {
        Ok(())
    }

    /// Removes a fence, which waits for whoever shares it.
    fn lower_fence(&self, _owner: i64) -> Step<()> {
        Ok(())
    }

    /// Counts up the fence of a process start, before anything of it is recorded in this transaction. Refused without it, and
    /// where it has counted fewer batches than the process start was told of.
    fn step_fence(&self, _owner: i64, _answered: u64) -> Step<()> {
        Ok(())
    }

    /// Takes back the step of a batch that had counted before, so that the fence counts no more than were recorded.
    fn take_fence_back(&self, _owner: i64) -> Step<()> {
        Ok(())
    }

    /// Keeps the fence of a process start from being removed before this transaction ends. Refused without it.
    fn share_fence(&self, _owner: i64) -> Step<()> {
        Ok(())
    }

    /// Answers kept for process starts that will never ask again, up to `limit`: numbers of these, and places. Where there can
    /// be one process only, the next one takes the places over.
    fn dead_answers(&self, _limit: u32) -> Step<Vec<(i64, i64)>> {
        Ok(Vec::new())
    }

    /// Advances triggers and inserts runs of entries that are [usual](fire::is_usual), where the trigger is as expected.
    fn record_usual(&self, batch: &FireBatch, owner: i64, stamp: i64) -> Step<Usual> {
        fire::record_by_rows(self, batch, owner, stamp)
    }

    /// Lets the transaction that begins wait for no lock for long: it fails, and is repeated.
    fn hurry(&self) {}

    /// Locks the triggers and gates of entries. Answers the triggers that others have locked, or whose gates they have.
    fn busy(&self, _entries: &[&FireEntry]) -> Step<HashSet<TriggerId>> {
        Ok(HashSet::new())
    }

    /// Notes what ends of attempts change for triggers that another process fires.
    fn note_elsewhere(&self, _owner: i64, _outcome: &CompletionOutcome) -> Step<()> {
        Ok(())
    }

    /// Takes queued runs of a queue, or of all, in the order of [`crate::Store::claim`]. `from` says that none is known to wait
    /// before this place.
    fn claim(&self, owner: i64, queue: Option<&str>, _from: i64, limit: u32, at: Timestamp) -> Step<Vec<ClaimedRun>> {
        queue::claim_by_rows(self, owner, queue, limit, at)
    }

    /// Looks at the lines that are known, where a look at all of them would cost too much.
    fn glance(&self) -> Step<Option<Glance>> {
        Ok(None)
    }

    /// Adds the lines in which runs wait beyond the first, where statements find but one at a time.
    fn add_lines(&self, _which: Lines, _lines: &mut Vec<String>) -> Step<()> {
        Ok(())
    }

    /// Takes over running runs of a process start or worker that is gone, in order of id.
    fn adopt(&self, dead: i64, by: i64, limit: u32) -> Step<Vec<LiveRun>> {
        queue::adopt_by_rows(self, dead, by, limit)
    }

    /// Reads triggers of the due index, as [`crate::Store::window`] says. With one process, every shard is its own.
    fn window(
        &self,
        _shards: ShardSet,
        until: Timestamp,
        after: Option<Place>,
        limit: u32,
    ) -> Step<(Vec<TriggerRow>, Option<Place>)> {
        trigger::window(self, until, after, limit)
    }

    /// Reads changes of triggers of some shards and their numbers, oldest first.
    fn noted_triggers(&self, _shards: ShardSet, limit: u32) -> Step<Vec<(i64, TriggerId)>> {
        db::read(self, db::sql!("noted_triggers"), &[(":limit", &limit)], queue::noted_trigger)
    }

    /// Whether runs may be queued that other sessions have queued.
    fn take_queued(&self) -> Step<bool> {
        Ok(false)
    }

    /// Moves runs to history whose end is [usual](complete::usual), where they are open, held by
    /// who says so, and count in no gate.
    fn end_usual(&self, batch: &CompletionBatch, holders: &[i64]) -> Step<Vec<End>> {
        complete::end_by_rows(self, batch, holders)
    }
}
