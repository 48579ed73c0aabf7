//! What nodes say to each other through the database.

use async_trait::async_trait;
use mainspring_core::batch::LiveRun;
use mainspring_core::cluster::{Change, ClusterView, Lease, NodeRow, Renewal, Shard, ShardSet, Standing};
use mainspring_core::{Incarnation, Timestamp};
use tokio::sync::Notify;

use super::MysqlStore;
use super::batches::{adopt, mask, own};
use super::connection::Connection;
use crate::cluster::{Cluster, NodeInfo};
use crate::error::{Error, Result};
use crate::sql::db::{Row, Sql, Step, ToSql, Values, execute, exists, read, read_one, sql, word};
use crate::sql::queue::live_run;
use crate::sql::session::Session;

#[async_trait]
impl Cluster for MysqlStore {
    async fn renew(&self, me: Incarnation, about: &NodeInfo, renewal: Renewal) -> Result<ClusterView> {
        let about = about.clone();
        self.lanes.leases.call("renew a lease", move |session| renew(session, me, &about, renewal)).await
    }

    async fn bury(&self, dead: Incarnation, counter: Option<u64>) -> Result<()> {
        self.lanes.leases.call("bury a node", move |session| bury(session, dead, counter)).await
    }

    async fn acquire(&self, by: Incarnation, change: Change, lease_id: u128) -> Result<ShardSet> {
        let work = move |session: &mut Session<Connection>| {
            let owner = session.number_of(by)?;
            let db = &session.connection;
            if !begin_change(db, owner, change)? {
                return Ok(ShardSet::EMPTY);
            }
            let free = shards_of(db, own!("cluster_free_read"), &[(":shards", &mask(change.shards))])?;
            let lease = lease_id.to_be_bytes();
            let values: [(&str, &dyn ToSql); 3] = [(":owner", &owner), (":lease", &lease), (":shards", &mask(free))];
            execute(db, own!("cluster_acquire"), &values)?;
            Ok(free)
        };
        self.lanes.leases.call("acquire shards", work).await
    }

    async fn release(&self, by: Incarnation, change: Change) -> Result<ShardSet> {
        let work = move |session: &mut Session<Connection>| {
            let owner = session.number_of(by)?;
            let db = &session.connection;
            if !begin_change(db, owner, change)? {
                return Ok(ShardSet::EMPTY);
            }
            let shards = mask(change.shards);
            let values: [(&str, &dyn ToSql); 2] = [(":owner", &owner), (":shards", &shards)];
            let held = shards_of(db, own!("cluster_own_read"), &values)?;
            execute(db, own!("cluster_release"), &values)?;
            Ok(held)
        };
        self.lanes.leases.call("release shards", work).await
    }

    async fn ask_drain(&self, node: Incarnation, drain: bool) -> Result<bool> {
        let work = move |session: &mut Session<Connection>| {
            let number = session.number_of(node)?;
            let values: [(&str, &dyn ToSql); 2] = [(":drain", &drain), (":incarnation", &number)];
            Ok(execute(&session.connection, own!("cluster_ask_drain"), &values)? == 1)
        };
        self.lanes.leases.call("ask a node to drain", work).await
    }

    async fn orphaned(&self) -> Result<Vec<Incarnation>> {
        let work = |session: &mut Session<Connection>| {
            read(&session.connection, own!("cluster_orphaned"), &[], |row| incarnation(row, 0))
        };
        self.lanes.leases.call("look for orphaned runs", work).await
    }

    async fn adopt_from(&self, dead: Incarnation, by: Incarnation, limit: u32, _: Timestamp) -> Result<Vec<LiveRun>> {
        let work = move |session: &mut Session<Connection>| {
            let (dead, by) = (session.number_of(dead)?, session.number_of(by)?);
            adopt(&session.connection, dead, by, limit)
        };
        self.lanes.leases.call("adopt orphaned runs", work).await
    }

    async fn held(&self, by: Incarnation) -> Result<Vec<LiveRun>> {
        let work = move |session: &mut Session<Connection>| {
            let owner = session.number_of(by)?;
            read(&session.connection, sql!("held"), &[(":owner", &owner)], live_run)
        };
        self.lanes.leases.call("read the runs that a node holds", work).await
    }

    async fn hint(&self) -> Result<()> {
        // The server has no way to tell other sessions: they look by themselves.
        Ok(())
    }

    fn hinted(&self) -> &Notify {
        &self.hinted
    }
}

fn renew(session: &mut Session<Connection>, me: Incarnation, about: &NodeInfo, renewal: Renewal) -> Step<ClusterView> {
    let number = session.number_of(me)?;
    let db = &session.connection;
    let this: [(&str, &dyn ToSql); 1] = [(":incarnation", &number)];
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
        execute(db, own!("cluster_join"), &values)?;
        execute(db, own!("cluster_fence_add"), &this)?;
    } else {
        let values: [(&str, &dyn ToSql); 3] =
            [(":standing", &standing), (":clock_offset_ms", &offset), (":incarnation", &number)];
        execute(db, own!("cluster_step"), &values)?;
    }
    view(db)
}

fn view(db: &Connection) -> Step<ClusterView> {
    let database = read_one(db, own!("cluster_database"), &[], |row| Ok((row.get::<String>(0)?, row.get(1)?)))?;
    let (database, database_clock_ms) = database.unwrap_or_default();
    // Shards before nodes: an owner without a node is waited for, a node without shards would be believed.
    let shards = read(db, own!("cluster_shards"), &[], |row| {
        let lease_id = row.get::<Option<[u8; 16]>>(2)?.map_or(0, u128::from_be_bytes);
        Ok((Shard(row.get(0)?), Lease { owner: incarnation(row, 1)?, lease_id, epoch: row.get(3)? }))
    })?;
    let nodes = read(db, own!("cluster_nodes"), &[], |row| {
        Ok(NodeRow {
            incarnation: incarnation(row, 0)?,
            name: row.get(1)?,
            address: row.get(2)?,
            version: row.get(3)?,
            standing: word(row, 4, Standing::from_word)?,
            counter: row.get::<i64>(5)?.unsigned_abs(),
            clock_offset_ms: row.get(6)?,
            drain_asked: row.get(7)?,
        })
    })?;
    Ok(ClusterView { database, database_clock_ms, nodes, shards: shards.into_iter().collect() })
}

fn bury(session: &mut Session<Connection>, dead: Incarnation, counter: Option<u64>) -> Step<()> {
    let number = session.number_of(dead)?;
    let db = &session.connection;
    let this: [(&str, &dyn ToSql); 1] = [(":incarnation", &number)];
    let there = read_one(db, own!("cluster_lock_node"), &this, |row| row.get::<i64>(0))?;
    let there = there.map_or(0, i64::unsigned_abs);
    if counter.is_some_and(|seen| seen != there) {
        return Ok(());
    }
    execute(db, own!("cluster_fence_remove"), &this)?;
    execute(db, own!("cluster_node_remove"), &this)?;
    execute(db, own!("cluster_free"), &this)?;
    Ok(())
}

/// Locks the node's row and notes the change. False: the node is gone, or a newer change has been made.
fn begin_change(db: &Connection, owner: i64, change: Change) -> Step<bool> {
    let number = i64::try_from(change.number).unwrap_or(i64::MAX);
    let values: [(&str, &dyn ToSql); 2] = [(":number", &number), (":incarnation", &owner)];
    Ok(execute(db, own!("cluster_change"), &values)? == 1)
}

fn shards_of(db: &Connection, sql: Sql, values: &Values<'_>) -> Step<ShardSet> {
    Ok(read(db, sql, values, |row| row.get(0).map(Shard))?.into_iter().collect())
}

fn incarnation(row: &Row<'_>, column: usize) -> Step<Incarnation> {
    row.get::<[u8; 16]>(column).map(|bytes| Incarnation(u128::from_be_bytes(bytes)))
}

/// Counts the fence of a process start up. Nothing is to be done without it.
pub(super) fn step_fence(db: &Connection, owner: i64) -> Step<()> {
    fenced(execute(db, own!("fence_step"), &[(":incarnation", &owner)])? == 1)
}

/// Keeps others from removing the fence of a process start until the transaction ends.
pub(super) fn share_fence(db: &Connection, owner: i64) -> Step<()> {
    fenced(exists(db, own!("fence_share"), &[(":incarnation", &owner)])?)
}

fn fenced(there: bool) -> Step<()> {
    if there { Ok(()) } else { Err(Error::Fenced.into()) }
}
