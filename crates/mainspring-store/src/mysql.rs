//! The store for clusters on MariaDB or MySQL.
//!
//! Each [`lane`] has sessions of its own, on threads of its own: work on the database is never cancelled. The requests
//! are those of [`crate::sql`]; what most batches are made of takes few statements ([`batches`]).

mod arrays;
mod batches;
mod connection;
mod doubts;
mod foreign;
mod migrate;

use std::sync::Arc;
use std::time::Duration;

use mysql_async::{Opts, OptsBuilder, SslOpts};
use tokio::sync::{Notify, watch};

use crate::cluster::Cluster;
use crate::error::{Error, Result};
use crate::row::{Connections, StoreInfo, StoreWarning};
use crate::sql::backend::{Backend, Lane, ReadLane};
use crate::sql::cluster::Shared;
use crate::sql::db::{Db, Fault, Lock, Sql, Step, ToSql, exists, on_servers, read, read_one};
use crate::sql::lane::{self, Lanes, Server};
use crate::sql::list;
use crate::sql::session::Session;
use batches::own;
use connection::{Connection, Purpose};

pub use foreign::{ForeignTable, Wanted, read_tables};

/// How long a statement about leases may take.
const LEASE: Duration = Duration::from_secs(2);
/// How long a statement of the engine may take: as long as a node trusts itself.
const ENGINE: Duration = Duration::from_secs(4);
/// How long a statement of a request may take.
const REQUEST: Duration = Duration::from_secs(10);
/// How long a read of a request may take: longer ones keep old rows alive.
const READ: Duration = Duration::from_secs(2);
/// How long a count over everything may take.
const COUNT: Duration = Duration::from_secs(600);

/// A store in a database of MariaDB (10.6 or newer) or MySQL (8.0.13 or newer). Every answered change is as durable as a commit there.
pub struct MysqlStore {
    changed: Arc<Notify>,
    hinted: Arc<Notify>,
    stirred: watch::Sender<u64>,
    lanes: Lanes<Connection>,
    name: Arc<str>,
}

impl std::fmt::Debug for MysqlStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MysqlStore").field("name", &self.name).finish_non_exhaustive()
    }
}

impl MysqlStore {
    /// Opens the database at `url` (`mysql://user:password@host/database`), and sets it up if it is empty. Blocks while
    /// it is brought up to date.
    ///
    /// # Errors
    /// [`Error::Unusable`] if the address is wrong, the server cannot be reached or refuses, or the database was set up
    /// by a newer version. Nothing is changed then.
    pub fn open(url: &str) -> Result<Self> {
        let named = |name: &str, why: String| Error::Unusable { store: name.to_owned(), why };
        let opts = address(url).map_err(|why| named("mysql", format!("its address is wrong: {why}")))?;
        let name: Arc<str> = shown(&opts).into();
        let unusable = |why: String| named(&name, why);
        prepare(&opts).map_err(unusable)?;
        let start = |thread, purpose, sessions| {
            let opts = opts.clone();
            lane::Lane::start(
                &format!("mainspring-mysql-{thread}"),
                &name,
                sessions,
                Arc::new(move || Connection::open(&opts, purpose)),
            )
        };
        let store = || {
            Ok(Self {
                changed: Arc::new(Notify::new()),
                hinted: Arc::new(Notify::new()),
                stirred: watch::Sender::new(0),
                lanes: Lanes {
                    renewals: start("renewal", Purpose::Write(LEASE), 1)?,
                    leases: start("lease", Purpose::Write(LEASE), 1)?,
                    fires: start("fire", Purpose::Write(ENGINE), 1)?,
                    ends: start("end", Purpose::Write(ENGINE), 1)?,
                    claims: start("claim", Purpose::Write(ENGINE), 1)?,
                    logs: start("log", Purpose::Write(REQUEST), 1)?,
                    requests: start("request", Purpose::Write(REQUEST), 2)?,
                    engine_reads: start("window", Purpose::Read(COUNT), 1)?,
                    reads: start("read", Purpose::Read(READ), 2)?,
                    counts: start("count", Purpose::Read(COUNT), 1)?,
                },
                name: name.clone(),
            })
        };
        store().map_err(|error: std::io::Error| unusable(format!("its threads cannot be started: {error}")))
    }

    /// Numbers events that nobody has read, so that reads find them in order.
    async fn number_events(&self) -> Result<()> {
        let fresh = Sql::new("SELECT 1 FROM event WHERE seq IS NULL LIMIT 1");
        let work = move |session: &mut Session<Connection>| {
            if exists(&session.connection, fresh, &[])? { number_events(&session.connection) } else { Ok(()) }
        };
        self.lanes.logs.call("number events", work).await
    }
}

fn number_events(db: &Connection) -> Step<()> {
    db.lock(Sql::new("SELECT seq FROM event_head WHERE one = 1"), Lock::Write, &[])?;
    let head = read_one(db, on_servers!("last_event"), &[], |row| row.get::<i64>(0))?.unwrap_or(0);
    let new: Vec<i64> = read(db, own!("events_new"), &[], |row| row.get(0))?;
    let (count, events) = (new.len() as i64, list::of_numbers(new.into_iter()));
    let values: [(&str, &dyn ToSql); 2] = [(":events", &events), (":head", &head)];
    db.execute(own!("events_number"), &values)?;
    db.execute(own!("events_head"), &[(":count", &count)])?;
    Ok(())
}

/// Reads an address. What it says wrong is told without what it says.
fn address(url: &str) -> std::result::Result<Opts, String> {
    let url = url.strip_prefix("mariadb:").map_or_else(|| url.to_owned(), |rest| format!("mysql:{rest}"));
    let opts = Opts::from_url(&url).map_err(|error| error.to_string())?;
    if opts.db_name().is_none_or(str::is_empty) {
        return Err("it names no database; say mysql://user:password@host/database".to_owned());
    }
    let encryption = opts.ssl_opts().cloned().map(trusting);
    let opts = OptsBuilder::from_opts(opts).ssl_opts(encryption).prefer_socket(false).client_found_rows(true);
    Ok(opts.stmt_cache_size(0).tcp_keepalive(Some(Duration::from_secs(5))).into())
}

/// Trusts the machine's certificates, beside those that the driver brings along.
fn trusting(encryption: SslOpts) -> SslOpts {
    let found = rustls_native_certs::load_native_certs().certs;
    encryption.with_root_certs(found.into_iter().map(|certificate| certificate.to_vec().into()).collect())
}

/// Where the database is, without the password.
fn shown(opts: &Opts) -> String {
    format!("mysql://{}:{}/{}", opts.ip_or_hostname(), opts.tcp_port(), opts.db_name().unwrap_or_default())
}

fn prepare(opts: &Opts) -> std::result::Result<(), String> {
    let open = || Connection::open(opts, Purpose::Write(Duration::from_secs(60))).map_err(Fault::unopened);
    let connection = open()?;
    check_version(&connection).map_err(Fault::unopened)??;
    migrate::run(&connection, &open()?).map_err(Fault::unopened)?
}

fn check_version(db: &Connection) -> Step<std::result::Result<(), String>> {
    let version = read_one(db, Sql::new("SELECT VERSION()"), &[], |row| row.get::<String>(0))?;
    db.commit()?;
    Ok(judge_version(&version.unwrap_or_default()))
}

fn judge_version(version: &str) -> std::result::Result<(), String> {
    let (name, least) = if version.contains("MariaDB") { ("MariaDB", [10, 6, 0]) } else { ("MySQL", [8, 0, 13]) };
    let digits = version.split(|next: char| !next.is_ascii_digit());
    let mut numbers = digits.map_while(|number| number.parse::<u32>().ok());
    let found = [(); 3].map(|()| numbers.next().unwrap_or(u32::MAX));
    if found >= least {
        return Ok(());
    }
    let [major, minor, patch] = least;
    Err(format!("its server is {name} {version}; {major}.{minor}.{patch} or newer is needed"))
}

impl Shared for MysqlStore {
    fn renewals(&self) -> &lane::Lane<Connection> {
        &self.lanes.renewals
    }

    fn leases(&self) -> &lane::Lane<Connection> {
        &self.lanes.leases
    }

    fn hints(&self) -> &Notify {
        &self.hinted
    }

    fn stirred(&self) -> &watch::Sender<u64> {
        &self.stirred
    }
}

impl Backend for MysqlStore {
    type Connection = Connection;

    async fn write<T: Send + 'static>(
        &self,
        lane: Lane,
        operation: &'static str,
        work: impl FnMut(&mut Session<Connection>) -> Step<T> + Send + 'static,
    ) -> Result<T> {
        self.lanes.write(lane, &self.changed, operation, work).await
    }

    async fn read<T: Send + 'static>(
        &self,
        lane: ReadLane,
        operation: &'static str,
        work: impl FnMut(&Connection) -> Step<T> + Send + 'static,
    ) -> Result<T> {
        self.lanes.read(lane, operation, work).await
    }

    fn shared(&self) -> Option<&dyn Cluster> {
        Some(self)
    }

    fn wake(&self) -> &Notify {
        &self.changed
    }

    async fn before_events(&self) -> Result<()> {
        self.number_events().await
    }

    async fn about(&self, counts: StoreInfo) -> Result<StoreInfo> {
        let sql = Sql::new(
            "SELECT VERSION(), CAST(COALESCE(SUM(data_length + index_length), 0) AS SIGNED) \
             FROM information_schema.tables WHERE table_schema = DATABASE()",
        );
        let found = self.read(ReadLane::Counts, "look at the database", move |db| {
            read_one(db, sql, &[], |row| Ok((row.get::<String>(0)?, row.get::<i64>(1)?)))
        });
        let (version, bytes) = found.await?.unwrap_or_default();
        Ok(StoreInfo { kind: "mysql", version, schema: migrate::NEWEST, bytes: bytes.unsigned_abs(), ..counts })
    }

    async fn warnings_of_server(&self) -> Result<Vec<StoreWarning>> {
        let server = self.read(ReadLane::Counts, "look at the server's settings", doubts::look).await?;
        Ok(server.warnings(self.lanes.sessions()))
    }

    async fn oldest_transaction(&self) -> Result<Option<i64>> {
        self.read(ReadLane::Requests, "look for old transactions", doubts::oldest).await
    }

    fn sessions(&self) -> Option<Connections> {
        Some(self.lanes.connections())
    }

    async fn end(&self) -> Result<()> {
        self.lanes.close()
    }
}

#[cfg(test)]
mod tests;
