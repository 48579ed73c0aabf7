//! What nodes say to each other through a database server.

use async_trait::async_trait;
use mainspring_core::batch::{CompletionOutcome, LiveRun};
use mainspring_core::cluster::{Change, ClusterView, Lease, NodeRow, Renewal, Shard, ShardSet, Standing};
use mainspring_core::{BatchId, Incarnation};
use tokio::sync::Notify;

use super::db::{Db, Row, Step, ToSql, execute, exists, known, on_servers, read, read_one, sql, word};
use super::lane::{Lane, Server};
use super::queue::{adopt_from, live_run};
use super::session::Session;
use crate::cluster::{Cluster, NodeInfo};
use crate::error::{Error, Result};

/// How many changes are dropped with an acquisition; what is beyond that is taken one by one.
const KNOWN_MAX: u32 = 100_000;

/// A store on a server that nodes share.
pub(crate) trait Shared: Send + Sync + 'static {
    type Session: Server;

    /// Where leases are kept: nothing else waits there.
    fn leases(&self) -> &Lane<Self::Session>;

    /// Is woken when another node hints.
    fn hints(&self) -> &Notify;
}

#[async_trait]
impl<S: Shared> Cluster for S {
    async fn renew(&self, me: Incarnation, about: &NodeInfo, renewal: Renewal) -> Result<ClusterView> {
        let about = about.clone();
        self.leases().call("renew a lease", move |session| renew(session, me, &about, renewal)).await
    }

    async fn bury(&self, dead: Incarnation, counter: Option<u64>) -> Result<()> {
        self.leases().call("bury a node", move |session| bury(session, dead, counter)).await
    }

    async fn acquire(&self, by: Incarnation, change: Change, lease_id: u128) -> Result<ShardSet> {
        self.leases().call("acquire shards", move |session| acquire(session, by, change, lease_id)).await
    }

    async fn release(&self, by: Incarnation, change: Change) -> Result<ShardSet> {
        self.leases().call("release shards", move |session| release(session, by, change)).await
    }

    async fn ask_drain(&self, node: Incarnation, drain: bool) -> Result<bool> {
        self.leases().call("ask a node to drain", move |session| ask_drain(session, node, drain)).await
    }

    async fn orphaned(&self) -> Result<Vec<Incarnation>> {
        let work = |session: &mut Session<S::Session>| {
            read(&session.connection, on_servers!("cluster_orphaned"), &[], |row| incarnation(row, 0))
        };
        self.leases().call("look for orphaned runs", work).await
    }

    async fn adopt_from(&self, dead: Incarnation, id: BatchId, limit: u32) -> Result<Vec<LiveRun>> {
        let work = move |session: &mut Session<S::Session>| adopt_from(session, dead, id, limit);
        self.leases().call("adopt orphaned runs", work).await
    }

    async fn held(&self, by: Incarnation) -> Result<Vec<LiveRun>> {
        let work = move |session: &mut Session<S::Session>| {
            let owner = session.number_of(by)?;
            read(&session.connection, sql!("held"), &[(":owner", &owner)], live_run)
        };
        self.leases().call("read the runs that a node holds", work).await
    }

    async fn hint(&self) -> Result<()> {
        self.leases().call("hint to the other nodes", |session| session.connection.hint()).await
    }

    fn hinted(&self) -> &Notify {
        self.hints()
    }
}

fn renew<C: Server>(
    session: &mut Session<C>,
    me: Incarnation,
    about: &NodeInfo,
    renewal: Renewal,
) -> Step<ClusterView> {
    let number = session.number_of(me)?;
    let db = &session.connection;
    let (standing, offset) = (renewal.standing.as_str(), renewal.clock_offset_ms);
    if renewal.join {
        let values: [(&str, &dyn ToSql); 6] = [
            (":incarnation", &number),
            (":name", &about.name),
            (":address", &about.address),
            (":version", &about.version),
            (":standing", &standing),
            (":clock_offset_ms", &offset),
        ];
        execute(db, on_servers!("cluster_join", postgres, mysql), &values)?;
        raise_fence(db, number)?;
    } else {
        let values: [(&str, &dyn ToSql); 3] =
            [(":standing", &standing), (":clock_offset_ms", &offset), (":incarnation", &number)];
        execute(db, on_servers!("cluster_step", postgres, mysql), &values)?;
    }
    view(db)
}

fn view(db: &dyn Db) -> Step<ClusterView> {
    let database = read_one(db, on_servers!("cluster_database", postgres, mysql), &[], |row| {
        Ok((row.get::<String>(0)?, row.get(1)?, row.get(2)?))
    })?;
    let (database, database_clock_ms, least_version) = database.unwrap_or_default();
    // Shards before nodes: an owner without a node is waited for, a node without shards would be believed.
    let shards = read(db, on_servers!("cluster_shards"), &[], |row| {
        let lease_id = row.get::<Option<[u8; 16]>>(2)?.map_or(0, u128::from_be_bytes);
        Ok((Shard(row.get(0)?), Lease { owner: incarnation(row, 1)?, lease_id, epoch: row.get(3)? }))
    })?;
    let nodes = read(db, on_servers!("cluster_nodes"), &[], |row| {
        Ok(NodeRow {
            incarnation: incarnation(row, 0)?,
            name: row.get(1)?,
            address: row.get(2)?,
            version: row.get(3)?,
            // A standing of a newer program: it is there, and takes no shards by the rules that are known here.
            standing: known(word(row, 4, Standing::from_word))?.unwrap_or(Standing::Draining),
            counter: row.get::<i64>(5)?.unsigned_abs(),
            clock_offset_ms: row.get(6)?,
            drain_asked: row.get(7)?,
        })
    })?;
    Ok(ClusterView { database, database_clock_ms, nodes, shards: shards.into_iter().collect(), least_version })
}

fn bury<C: Server>(session: &mut Session<C>, dead: Incarnation, counter: Option<u64>) -> Step<()> {
    let number = session.number_of(dead)?;
    let db = &session.connection;
    let this: [(&str, &dyn ToSql); 1] = [(":incarnation", &number)];
    let there = read_one(db, on_servers!("cluster_lock_node"), &this, |row| row.get::<i64>(0))?;
    let there = there.map_or(0, i64::unsigned_abs);
    if counter.is_some_and(|seen| seen != there) {
        return Ok(());
    }
    execute(db, on_servers!("cluster_fence_remove"), &this)?;
    execute(db, on_servers!("cluster_node_remove"), &this)?;
    execute(db, on_servers!("cluster_free"), &this)?;
    db.hint()
}

fn acquire<C: Server>(session: &mut Session<C>, by: Incarnation, change: Change, lease_id: u128) -> Step<ShardSet> {
    let owner = session.number_of(by)?;
    let db = &session.connection;
    if !begin_change(db, owner, change)? {
        return Ok(ShardSet::EMPTY);
    }
    let taken = db.take_shards(owner, change.shards, lease_id)?;
    // Whoever takes a shard reads all of it next, so it knows of these changes by then. One whose transaction is still open
    // is passed over, and stays.
    db.take_triggers(owner, taken, KNOWN_MAX)?;
    Ok(taken)
}

fn release<C: Server>(session: &mut Session<C>, by: Incarnation, change: Change) -> Step<ShardSet> {
    let owner = session.number_of(by)?;
    let db = &session.connection;
    if begin_change(db, owner, change)? { db.free_shards(owner, change.shards) } else { Ok(ShardSet::EMPTY) }
}

/// Locks the node's row and notes the change. False: the node is gone, or a newer change has been made.
fn begin_change(db: &dyn Db, owner: i64, change: Change) -> Step<bool> {
    let number = i64::try_from(change.number).unwrap_or(i64::MAX);
    let values: [(&str, &dyn ToSql); 2] = [(":number", &number), (":incarnation", &owner)];
    Ok(execute(db, on_servers!("cluster_change"), &values)? == 1)
}

fn ask_drain<C: Server>(session: &mut Session<C>, node: Incarnation, drain: bool) -> Step<bool> {
    let number = session.number_of(node)?;
    let db = &session.connection;
    let values: [(&str, &dyn ToSql); 2] = [(":drain", &drain), (":incarnation", &number)];
    let there = execute(db, on_servers!("cluster_ask_drain"), &values)? == 1;
    db.hint()?;
    Ok(there)
}

fn incarnation(row: &Row<'_>, column: usize) -> Step<Incarnation> {
    row.get::<[u8; 16]>(column).map(|bytes| Incarnation(u128::from_be_bytes(bytes)))
}

/// Makes the fence of a process start.
pub(crate) fn raise_fence(db: &dyn Db, owner: i64) -> Step<()> {
    execute(db, on_servers!("cluster_fence_add", postgres, mysql), &[(":incarnation", &owner)])?;
    Ok(())
}

/// Counts the fence of a process start up. Nothing is to be done without it.
pub(crate) fn step_fence(db: &dyn Db, owner: i64) -> Step<()> {
    db.post(on_servers!("fence_step"), &[(":incarnation", &owner)], Some(|| Error::Fenced))
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
        execute(db, on_servers!("note_trigger_elsewhere", postgres, mysql), &values)?;
    }
    for job in &outcome.freed {
        let values: [(&str, &dyn ToSql); 2] = [(":job", &job.0), (":owner", &owner)];
        execute(db, on_servers!("note_job_elsewhere", postgres, mysql), &values)?;
    }
    Ok(())
}
