//! The store for clusters on PostgreSQL.
//!
//! Each [`lane`] has sessions of its own, on threads of its own: work on the database is never cancelled. The requests
//! are those of [`crate::sql`]; what most batches are made of is one statement ([`batches`]).

mod arrays;
mod batches;
mod connection;
mod doubts;
mod history;
mod known;
mod listener;
mod migrate;
mod tls;
mod work;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio_postgres::Config;

use crate::cluster::Cluster;
use crate::error::{Error, Result};
use crate::row::{Connections, PurgeRule, StoreInfo, StoreWarning};
use crate::sql::backend::{Backend, Lane, ReadLane};
use crate::sql::cluster::Shared;
use crate::sql::db::{Db, Fault, Lock, Sql, Step, exists, read_one};
use crate::sql::lane::{self, Lanes};
use crate::sql::session::Session;
use connection::{Connection, Purpose, Told};
use known::Known;
use listener::{Listener, Wakes};
use tls::Tls;

pub use work::{Work, work};

const fn purpose(seconds: u64, read_only: bool, by_keys: bool) -> Purpose {
    Purpose { limit: Duration::from_secs(seconds), read_only, by_keys }
}

/// Leases: shorter than a node trusts itself.
const LEASE: Purpose = purpose(2, false, true);
/// As long as a node trusts itself: a batch of hundreds of fires takes seconds where the database takes milliseconds for each.
const ENGINE: Purpose = purpose(4, false, true);
const ENGINE_READ: Purpose = purpose(60, true, true);
const REQUEST: Purpose = purpose(10, false, true);
/// Reads of requests: longer ones keep old rows alive.
const READ: Purpose = purpose(2, true, false);
/// Counts over everything.
const COUNT: Purpose = purpose(600, true, false);
/// Migrations.
const SETUP: Purpose = purpose(60, false, false);
/// Indexes over what a large table holds.
const BUILD: Purpose = purpose(6 * 3_600, false, false);

/// Where the server is, and how it is spoken to.
#[derive(Clone)]
struct Target {
    config: Config,
    tls: Tls,
}

/// A store in a database of PostgreSQL (13 or newer). Every answered change is as durable as a commit there.
pub struct PostgresStore {
    changed: Arc<Notify>,
    hinted: Arc<Notify>,
    stirred: watch::Sender<u64>,
    /// Held for as long as the store is.
    _listener: Listener,
    lanes: Lanes<Connection>,
    known: Arc<Known>,
    name: Arc<str>,
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore").field("name", &self.name).finish_non_exhaustive()
    }
}

impl PostgresStore {
    /// Opens the database at `url` (`postgres://user:password@host/database`), and sets it up if it is empty. Blocks
    /// while it is brought up to date.
    ///
    /// # Errors
    /// [`Error::Unusable`] if the address is wrong, the server cannot be reached or refuses, or the database was set up
    /// by a newer version. Nothing is changed then.
    pub fn open(url: &str) -> Result<Self> {
        let named = |name: &str, why: String| Error::Unusable { store: name.to_owned(), why };
        let config: Config = url
            .parse()
            .map_err(|error| named("postgres", format!("its address is wrong: {}", crate::causes(&error))))?;
        let mut config = config;
        config.connect_timeout(Duration::from_secs(5)).tcp_user_timeout(Duration::from_secs(5));
        config.keepalives_idle(Duration::from_secs(5));
        let name: Arc<str> = shown(&config).into();
        let unusable = |why: String| named(&name, why);
        let target = Target { tls: tls::connector().map_err(unusable)?, config };
        prepare(&target).map_err(unusable)?;
        let (changed, hinted) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let wakes = Wakes { changed, hinted, stirred: watch::Sender::new(0) };
        let known = Arc::<Known>::default();
        let from: Arc<str> = listener::name().into();
        let start = |thread, purpose, sessions| {
            let (target, known, told, from) = (target.clone(), known.clone(), Arc::<Told>::default(), from.clone());
            let open = move || {
                let session = Connection::open(&target.config, &target.tls, purpose)?.sharing(known.clone());
                let session = session.speaking_as(from.clone());
                session.told_like(told.clone())
            };
            lane::Lane::start(&format!("mainspring-postgres-{thread}"), &name, sessions, Arc::new(open))
        };
        let store = || {
            Ok(Self {
                _listener: Listener::start(target.clone(), wakes.clone(), from.clone())?,
                changed: wakes.changed,
                hinted: wakes.hinted,
                stirred: wakes.stirred,
                lanes: Lanes {
                    renewals: start("renewal", LEASE, 1)?,
                    leases: start("lease", LEASE, 1)?,
                    fires: start("fire", ENGINE, 1)?,
                    ends: start("end", ENGINE, 1)?,
                    claims: start("claim", ENGINE, 1)?,
                    logs: start("log", REQUEST, 1)?,
                    requests: start("request", REQUEST, 2)?,
                    engine_reads: start("window", ENGINE_READ, 1)?,
                    reads: start("read", READ, 2)?,
                    counts: start("count", COUNT, 1)?,
                },
                known: known.clone(),
                name: name.clone(),
            })
        };
        store().map_err(|error: std::io::Error| unusable(format!("its threads cannot be started: {error}")))
    }

    /// Looks at the queues, beside the claims, if it is time to. Nobody waits for it.
    fn look_at_queues(&self) {
        if let Some(looking) = self.known.begin() {
            // What fails is done again later.
            let _answer = self.lanes.engine_reads.send("look at the queues", move |s| looking.look(&s.connection));
        }
    }

    /// Numbers events that nobody has read, so that reads find them in order.
    async fn number_events(&self) -> Result<()> {
        let fresh = Sql::new("SELECT 1 FROM event WHERE seq IS NULL LIMIT 1");
        let work = move |session: &mut Session<Connection>| {
            let db = &session.connection;
            if exists(db, fresh, &[])? {
                db.lock(Sql::new("SELECT seq FROM event_head WHERE one = 1"), Lock::Write, &[])?;
                db.execute(Sql::new(include_str!("../queries/postgres/events_number.sql")), &[])?;
            }
            Ok(())
        };
        self.lanes.logs.call("number events", work).await
    }
}

/// Where the database is, without the password.
fn shown(config: &Config) -> String {
    use tokio_postgres::config::Host;
    let host = config.get_hosts().first().map_or_else(
        || "localhost".to_owned(),
        |host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        },
    );
    let port = config.get_ports().first().map_or(5432, |port| *port);
    format!("postgres://{host}:{port}/{}", config.get_dbname().or(config.get_user()).unwrap_or_default())
}

fn prepare(target: &Target) -> std::result::Result<(), String> {
    let connection = Connection::open(&target.config, &target.tls, SETUP);
    let connection = connection.map_err(Fault::unopened)?;
    check_version(&connection).map_err(Fault::unopened)??;
    let builder = || Connection::open(&target.config, &target.tls, BUILD);
    migrate::run(&connection, &builder).map_err(Fault::unopened)?
}

fn check_version(db: &Connection) -> Step<std::result::Result<(), String>> {
    let sql = Sql::new("SELECT current_setting('server_version_num')::bigint, current_setting('server_version')");
    let version = read_one(db, sql, &[], |row| Ok((row.get::<i64>(0)?, row.get::<String>(1)?)))?;
    let (number, text) = version.unwrap_or_default();
    if number < 130_000 {
        return Ok(Err(format!("its server is PostgreSQL {text}; 13 or newer is needed")));
    }
    Ok(Ok(()))
}

impl Shared for PostgresStore {
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

impl Backend for PostgresStore {
    type Connection = Connection;

    async fn write<T: Send + 'static>(
        &self,
        lane: Lane,
        operation: &'static str,
        work: impl FnMut(&mut Session<Connection>) -> Step<T> + Send + 'static,
    ) -> Result<T> {
        if lane == Lane::Claim {
            self.look_at_queues();
        }
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

    async fn keep_parts(&self, rule: PurgeRule) -> Result<u64> {
        let ahead = move |session: &mut Session<Connection>| history::make_ahead(&session.connection, rule.at);
        self.write(Lane::Api, "make room for history", ahead).await?;
        let old = move |db: &Connection| history::days_to_drop(db, &rule);
        let mut count = 0;
        for day in self.read(ReadLane::Counts, "look for old history", old).await? {
            let drop = move |session: &mut Session<Connection>| {
                history::drop_day(&session.connection, day, rule.history_before)
            };
            count += u64::from(self.write(Lane::Api, "drop old history", drop).await?);
        }
        Ok(count)
    }

    async fn before_events(&self) -> Result<()> {
        self.number_events().await
    }

    async fn about(&self, counts: StoreInfo) -> Result<StoreInfo> {
        let sql = Sql::new("SELECT current_setting('server_version'), pg_database_size(current_database())");
        let found = self.read(ReadLane::Counts, "look at the database", move |db| {
            read_one(db, sql, &[], |row| Ok((row.get::<String>(0)?, row.get::<i64>(1)?)))
        });
        let (version, bytes) = found.await?.unwrap_or_default();
        Ok(StoreInfo { kind: "postgres", version, schema: migrate::NEWEST, bytes: bytes.unsigned_abs(), ..counts })
    }

    async fn warnings_of_server(&self) -> Result<Vec<StoreWarning>> {
        let server = self.read(ReadLane::Counts, "look at the server's settings", doubts::look).await?;
        // One more listens to the other nodes.
        Ok(server.warnings(self.lanes.sessions() + 1))
    }

    async fn oldest_transaction(&self) -> Result<Option<i64>> {
        self.read(ReadLane::Requests, "look for old transactions", |db| doubts::oldest(db)).await
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
