//! What nodes say to each other through a database server.
//!
//! Over a slow wire a renewal of several messages is answered too late for its sender to trust itself. So a renewal, a burial, an
//! acquisition, a release and a leave are one message each, with the end of its transaction in it; what a statement depends on is
//! in the statement. Each may be repeated: it takes effect once.

use std::collections::BTreeMap;

use async_trait::async_trait;
use mainspring_core::Incarnation;
use mainspring_core::batch::CompletionOutcome;
use mainspring_core::cluster::{Change, ClusterView, Lease, NodeRow, Renewal, Shard, ShardSet, Standing};
use mainspring_core::planner::Answered;
use tokio::sync::{Notify, watch};

use super::backend::Backend;
use super::db::{Db, Query, Row, Step, ToSql, execute, exists, incarnation, known, on_servers, read, sql, word};
use super::lane::{Lane, Server};
use super::session::Session;
use crate::cluster::{Cluster, NodeInfo, lost_setting};
use crate::error::{Error, Result};

/// How many changes are dropped with an acquisition; what is beyond that is heard of one by one.
const KNOWN_MAX: u32 = 100_000;

/// A store on a server that nodes share.
pub(crate) trait Shared: Backend<Connection: Server> {
    /// Where leases are renewed: nothing else waits there.
    fn renewals(&self) -> &Lane<Self::Connection>;

    /// For the other verbs of leases.
    fn leases(&self) -> &Lane<Self::Connection>;

    /// Is woken when another node hints.
    fn hints(&self) -> &Notify;

    /// Counts what other nodes have put into inboxes, as far as it is heard.
    fn stirred(&self) -> &watch::Sender<u64>;
}

#[async_trait]
impl<S: Shared> Cluster for S {
    async fn renew(&self, me: Incarnation, about: &NodeInfo, renewal: Renewal) -> Result<ClusterView> {
        let about = about.clone();
        self.renewals().call("renew a lease", move |session| renew(session, me, &about, renewal)).await
    }

    async fn bury(&self, dead: Incarnation, counter: Option<u64>) -> Result<()> {
        self.leases().call("bury a node", move |session| bury(session, dead, counter)).await
    }

    async fn leave(&self, me: Incarnation, told: Answered) -> Result<bool> {
        self.leases().call("take leave", move |session| leave(session, me, told)).await
    }

    async fn acquire(&self, by: Incarnation, change: Change, lease_id: u128) -> Result<ShardSet> {
        self.leases().call("acquire shards", move |session| acquire(session, by, change, lease_id)).await
    }

    async fn release(&self, by: Incarnation, change: Change) -> Result<ShardSet> {
        self.leases().call("release shards", move |session| release(session, by, change)).await
    }

    async fn ask_drain(&self, node: Incarnation, drain: bool) -> Result<bool> {
        self.deed("ask a node to drain", move |session| ask_drain(session, node, drain)).await
    }

    async fn orphaned(&self) -> Result<Vec<Incarnation>> {
        let work = |session: &mut Session<S::Connection>| {
            let mut found = Vec::new();
            session.connection.conclude(&[(on_servers!("cluster_orphaned"), &[])], &mut |_, row| {
                found.push(incarnation(row, 0)?);
                Ok(())
            })?;
            Ok(found)
        };
        self.leases().call("look for orphaned runs", work).await
    }

    async fn hint(&self) -> Result<()> {
        self.leases().call("hint to the other nodes", |session| hint(&session.connection)).await
    }

    fn hinted(&self) -> &Notify {
        self.hints()
    }

    fn stirs(&self) -> watch::Receiver<u64> {
        self.stirred().subscribe()
    }
}

fn renew<C: Server>(
    session: &mut Session<C>,
    me: Incarnation,
    about: &NodeInfo,
    renewal: Renewal,
) -> Step<ClusterView> {
    let (id, offset, answer) = (me.0.to_be_bytes(), renewal.clock_offset_ms, renewal.answer_ms.map(u64::cast_signed));
    let (standing, is_far) = told(renewal.standing);
    let this: [(&str, &dyn ToSql); 1] = [(":id", &id)];
    let step: [(&str, &dyn ToSql); 5] = [
        (":standing", &standing),
        (":clock_offset_ms", &offset),
        (":answer_ms", &answer),
        (":is_far", &is_far),
        (":id", &id),
    ];
    let join: [(&str, &dyn ToSql); 8] = [
        (":id", &id),
        (":name", &about.name),
        (":address", &about.address),
        (":version", &about.version),
        (":standing", &standing),
        (":clock_offset_ms", &offset),
        (":answer_ms", &answer),
        (":is_far", &is_far),
    ];
    let mut message: Vec<Query<'_>> = match renewal.join {
        true => vec![
            (on_servers!("cluster_incarnation", postgres, mysql), &this),
            (on_servers!("cluster_join", postgres, mysql), &join),
            (on_servers!("cluster_join_fence", postgres, mysql), &this),
        ],
        false => vec![(on_servers!("cluster_step", postgres, mysql), &step)],
    };
    let first = message.len();
    // Shards before nodes: an owner without a node is waited for, a node without shards would be believed.
    let view: [Query<'_>; 3] = [
        (on_servers!("cluster_database", postgres, mysql), &[]),
        (on_servers!("cluster_shards"), &[]),
        (on_servers!("cluster_nodes"), &[]),
    ];
    message.extend(view);
    let (mut about, mut shards, mut nodes) =
        <(Option<(String, i64, Option<String>)>, BTreeMap<_, _>, Vec<_>)>::default();
    session.connection.conclude(&message, &mut |place, row| {
        match place.checked_sub(first) {
            Some(0) => about = Some((row.get(0)?, row.get(1)?, row.get(2)?)),
            Some(1) => {
                let (shard, lease) = lease(row)?;
                shards.insert(shard, lease);
            }
            Some(2) => nodes.push(node(row)?),
            _ => {}
        }
        Ok(())
    })?;
    let (database, database_clock_ms, least_version) = about.unwrap_or_default();
    Ok(ClusterView { database, database_clock_ms, nodes, shards, least_version })
}

/// A standing in words that older programs know: to them a node that is far is one that drains.
fn told(standing: Standing) -> (&'static str, bool) {
    match standing {
        Standing::Far => (Standing::Draining.as_str(), true),
        other => (other.as_str(), false),
    }
}

fn lease(row: &Row<'_>) -> Step<(Shard, Lease)> {
    let lease_id = row.get::<Option<[u8; 16]>>(2)?.map_or(0, u128::from_be_bytes);
    Ok((Shard(row.get(0)?), Lease { owner: incarnation(row, 1)?, lease_id, epoch: row.get(3)? }))
}

fn node(row: &Row<'_>) -> Step<NodeRow> {
    Ok(NodeRow {
        incarnation: incarnation(row, 0)?,
        name: row.get(1)?,
        address: row.get(2)?,
        version: row.get(3)?,
        standing: match row.get(9)? {
            true => Standing::Far,
            // One of a newer program: it is there, and takes no shards by the rules that are known here.
            false => known(word(row, 4, Standing::from_word))?.unwrap_or(Standing::Draining),
        },
        counter: row.get::<i64>(5)?.unsigned_abs(),
        clock_offset_ms: row.get(6)?,
        drain_asked: row.get(7)?,
        answer_ms: row.get::<Option<i64>>(8)?.map(i64::unsigned_abs),
    })
}

/// Whatever the counter is.
const ANY: i64 = -1;

fn bury<C: Server>(session: &mut Session<C>, dead: Incarnation, counter: Option<u64>) -> Step<()> {
    let id = dead.0.to_be_bytes();
    let counter = counter.map_or(ANY, |seen| i64::try_from(seen).unwrap_or(i64::MAX));
    session.connection.conclude(&burial::<C>(&[(":id", &id), (":counter", &counter)]), &mut |_, _| Ok(()))
}

fn burial<'a, C: Server>(this: &'a [(&'a str, &'a dyn ToSql); 2]) -> Vec<Query<'a>> {
    let mut message: Vec<Query<'_>> = vec![
        (on_servers!("cluster_lock_node"), &this[..1]),
        (on_servers!("cluster_fence_remove"), this),
        (on_servers!("cluster_free"), this),
        (on_servers!("cluster_node_remove"), this),
    ];
    message.extend(C::HINT.map(|hint| (hint, &[][..])));
    message
}

fn hint<C: Server>(db: &C) -> Step<()> {
    C::HINT.map_or(Ok(()), |hint| db.conclude(&[(hint, &[])], &mut |_, _| Ok(())))
}

/// Notes what a process start was told of and is not there any more, and buries it. True: there is such a thing.
fn leave<C: Server>(session: &mut Session<C>, me: Incarnation, told: Answered) -> Step<bool> {
    let Some(through) = told.through else { return bury(session, me, None).map(|()| false) };
    let ((name, value), id, batches) = (lost_setting(me, through), me.0.to_be_bytes(), told.batches.cast_signed());
    let this: [(&str, &dyn ToSql); 2] = [(":id", &id), (":counter", &ANY)];
    let note: [(&str, &dyn ToSql); 4] = [(":name", &name), (":value", &value), (":id", &id), (":batches", &batches)];
    let mut message = burial::<C>(&this);
    // After the node's row is locked, before the fence is gone.
    message.insert(1, (on_servers!("cluster_lost", postgres, mysql), &note));
    message.push((sql!("setting"), &note[..1]));
    let (last, mut is_lost) = (message.len() - 1, false);
    session.connection.conclude(&message, &mut |place, _| {
        is_lost |= place == last;
        Ok(())
    })?;
    Ok(is_lost)
}

fn acquire<C: Server>(session: &mut Session<C>, by: Incarnation, change: Change, lease_id: u128) -> Step<ShardSet> {
    let (id, number, lease) = (by.0.to_be_bytes(), number_of(change), lease_id.to_be_bytes());
    let shards = mask(change.shards);
    let take: [(&str, &dyn ToSql); 4] = [(":number", &number), (":id", &id), (":lease", &lease), (":shards", &shards)];
    let known: [(&str, &dyn ToSql); 2] = [(":lease", &lease), (":limit", &KNOWN_MAX)];
    changed(
        &session.connection,
        &[
            (on_servers!("cluster_acquire", postgres, mysql), &take),
            (on_servers!("cluster_known", postgres, mysql), &known),
            (on_servers!("cluster_taken"), &known[..1]),
        ],
    )
}

fn release<C: Server>(session: &mut Session<C>, by: Incarnation, change: Change) -> Step<ShardSet> {
    let (id, number, shards) = (by.0.to_be_bytes(), number_of(change), mask(change.shards));
    let free: [(&str, &dyn ToSql); 3] = [(":number", &number), (":id", &id), (":shards", &shards)];
    changed(&session.connection, &[(on_servers!("cluster_release", postgres, mysql), &free)])
}

/// Makes a change of which one statement answers the shards.
fn changed(db: &impl Server, message: &[Query<'_>]) -> Step<ShardSet> {
    let mut shards = ShardSet::EMPTY;
    db.conclude(message, &mut |_, row| {
        shards.insert(Shard(row.get(0)?));
        Ok(())
    })?;
    Ok(shards)
}

fn number_of(change: Change) -> i64 {
    i64::try_from(change.number).unwrap_or(i64::MAX)
}

/// A set of shards as the statements ask for them: a character for each.
pub(crate) fn mask(shards: ShardSet) -> String {
    Shard::all().map(|shard| if shards.contains(shard) { '1' } else { '0' }).collect()
}

fn ask_drain<C: Server>(session: &mut Session<C>, node: Incarnation, drain: bool) -> Step<bool> {
    let number = session.number_of(node)?;
    let db = &session.connection;
    let values: [(&str, &dyn ToSql); 2] = [(":drain", &drain), (":incarnation", &number)];
    let there = execute(db, on_servers!("cluster_ask_drain"), &values)? == 1;
    hint(db)?;
    Ok(there)
}

/// Makes the fence of a process start.
pub(crate) fn raise_fence(db: &dyn Db, owner: i64) -> Step<()> {
    execute(db, on_servers!("cluster_fence_add", postgres, mysql), &[(":incarnation", &owner)])?;
    Ok(())
}

/// Counts the fence of a process start up. Nothing is to be done without it, nor where it has counted too few. PostgreSQL has locked it before.
pub(crate) fn step_fence(db: &dyn Db, owner: i64, answered: u64) -> Step<()> {
    let values: [(&str, &dyn ToSql); 2] = [(":incarnation", &owner), (":answered", &answered.cast_signed())];
    db.post(on_servers!("fence_step", postgres, mysql), &values, Some(|| Error::Fenced))
}

/// Removes the fence of a worker.
pub(crate) fn lower_fence(db: &dyn Db, owner: i64) -> Step<()> {
    execute(db, on_servers!("fence_lower"), &[(":incarnation", &owner)])?;
    Ok(())
}

/// See [`super::Batches::take_fence_back`].
pub(crate) fn take_fence_back(db: &dyn Db, owner: i64) -> Step<()> {
    db.post(on_servers!("fence_back", postgres, mysql), &[(":incarnation", &owner)], None)
}

/// Keeps others from removing the fence of a process start until the transaction ends.
pub(crate) fn share_fence(db: &dyn Db, owner: i64) -> Step<()> {
    fenced(exists(db, on_servers!("fence_share", postgres, mysql), &[(":incarnation", &owner)])?)
}

/// See [`super::Batches::dead_answers`].
pub(crate) fn dead_answers(db: &dyn Db, limit: u32) -> Step<Vec<(i64, i64)>> {
    read(db, on_servers!("purge_batches_read"), &[(":limit", &limit)], |row| Ok((row.get(0)?, row.get(1)?)))
}

fn fenced(there: bool) -> Step<()> {
    if there { Ok(()) } else { Err(Error::Fenced.into()) }
}

/// Notes what ends of attempts change for triggers that another node fires.
pub(crate) fn note_elsewhere(db: &dyn Db, owner: i64, outcome: &CompletionOutcome) -> Step<()> {
    for trigger in &outcome.rearmed {
        let values: [(&str, &dyn ToSql); 2] = [(":trigger", &trigger.0), (":owner", &owner)];
        db.post(on_servers!("note_trigger_elsewhere", postgres, mysql), &values, None)?;
    }
    for job in &outcome.freed {
        let values: [(&str, &dyn ToSql); 2] = [(":job", &job.0), (":owner", &owner)];
        db.post(on_servers!("note_job_elsewhere", postgres, mysql), &values, None)?;
    }
    Ok(())
}
