//! A session of PostgreSQL as the requests see it.
//!
//! Each belongs to one thread and drives its socket itself, so nothing ever drops a statement half way.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::future::Future;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::BytesMut;
use futures_util::future::{join, join_all, join3, try_join_all};
use futures_util::{TryStreamExt, pin_mut};
use mainspring_core::{RunId, Timestamp};
use rustc_hash::FxHashMap;
use tokio::runtime::Runtime;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{FromSql, IsNull, ToSql as Encode, Type, accepts, to_sql_checked};
use tokio_postgres::{Client, Config, Statement};

use super::batches::own;
use super::known::Known;
use super::tls::Tls;
use crate::error::Error;
use crate::sql::db::{Columns, Db, Fault, Lock, Query, Row, Sql, Step, ToSql, Value, Values, refuse_none};
use crate::sql::lane::Server;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(5);

/// What the server promises about a session. A stopped client holds no lock for longer than two seconds.
const SETTINGS: &str = "SET application_name = 'mainspring'; SET lock_timeout = '2s'; \
    SET idle_in_transaction_session_timeout = '2s'; SET default_transaction_isolation = 'read committed'; \
    SET client_encoding = 'UTF8'; SET plan_cache_mode = 'force_generic_plan'; SET jit = off";

/// The engine's statements find rows by keys, whatever the tables looked like when they were analyzed last; and in the order of an index where
/// they ask for it, which a bitmap does not keep.
const BY_KEYS: &str =
    "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off";

/// What a session is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Purpose {
    /// When a statement is ended.
    pub(super) limit: Duration,
    /// Whether it reads snapshots, and changes nothing.
    pub(super) read_only: bool,
    /// Whether it is the engine's, whose statements are made for finding rows by keys.
    pub(super) by_keys: bool,
}

pub(crate) struct Connection {
    runtime: Runtime,
    client: Client,
    statements: RefCell<FxHashMap<(usize, Lock), Rc<Statement>>>,
    /// What sessions for the same have been told: the next one is told it in one go.
    told: Arc<Told>,
    limit: Duration,
    read_only: bool,
    /// Whether a transaction has been begun on the server.
    begun: Cell<bool>,
    /// Statements that travel with the next one.
    posted: RefCell<Vec<Posted>>,
    /// Whether the transaction waits for no lock for long.
    pub(super) hurries: Cell<bool>,
    /// Partitions of the history that are there, by day.
    days: RefCell<HashSet<i64>>,
    /// What the sessions of a store know together of its queues.
    pub(super) known: Arc<Known>,
    /// How the sessions of a store name themselves to those that listen.
    from: Arc<str>,
}

/// The statements that sessions have been told, by place of their text. To tell one takes a round trip, which counts where a node is far
/// from a server that has just come back.
#[derive(Default)]
pub(super) struct Told {
    texts: Mutex<FxHashMap<(usize, Lock), &'static str>>,
    /// Whether the last session could not be told. The next one begins without: a table that somebody has locked as a whole keeps
    /// one session out, not each one that comes after it.
    failed: AtomicBool,
}

impl Told {
    fn texts(&self) -> MutexGuard<'_, FxHashMap<(usize, Lock), &'static str>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A statement that travels with the next one, and why the request is refused if it finds no row.
struct Posted {
    statement: Rc<Statement>,
    values: Vec<Owned>,
    or_else: Option<fn() -> Error>,
}

impl Connection {
    pub(super) fn open(config: &Config, tls: &Tls, purpose: Purpose) -> Step<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Fault::Broken(format!("a runtime cannot be made: {error}")))?;
        let Purpose { limit, read_only, by_keys } = purpose;
        let client = runtime.block_on(async {
            let connecting = config.connect(tls.clone());
            let (client, connection) = tokio::time::timeout(CONNECT, connecting).await.map_err(|_| slow(CONNECT))??;
            tokio::spawn(async move {
                // Whoever uses the client next hears of it.
                let _ended = connection.await;
            });
            let plans = if by_keys { BY_KEYS } else { "" };
            let settings = format!("{SETTINGS}; SET statement_timeout = {}; {plans}", limit.as_millis());
            client.batch_execute(&settings).await?;
            Ok::<_, Fault>(client)
        })?;
        let (statements, days) = (RefCell::default(), RefCell::default());
        Ok(Self {
            runtime,
            client,
            statements,
            told: Arc::default(),
            limit,
            read_only,
            begun: Cell::new(false),
            posted: RefCell::default(),
            hurries: Cell::new(false),
            days,
            known: Arc::default(),
            from: Arc::from(""),
        })
    }

    /// Has it speak as one of those who name themselves so: these hear nothing of what it notifies.
    pub(super) fn speaking_as(self, from: Arc<str>) -> Self {
        Self { from, ..self }
    }

    /// Lets it know what others know of the queues.
    pub(super) fn sharing(self, known: Arc<Known>) -> Self {
        Self { known, ..self }
    }

    /// Tells it what others for the same were told, and lets them know of what it is told.
    pub(super) fn told_like(self, others: Arc<Told>) -> Step<Self> {
        let client = &self.client;
        let known =
            if others.failed.swap(false, Ordering::Relaxed) { FxHashMap::default() } else { others.texts().clone() };
        let tell = known.into_iter().map(|(key, text)| async move {
            // What the server takes no more is told when it is asked for, and refused then.
            Some((key, Rc::new(client.prepare(&numbered(text, key.1)).await.ok()?)))
        });
        let told = self.wait(async { Ok(join_all(tell).await) });
        let told = told.inspect_err(|_| others.failed.store(true, Ordering::Relaxed))?;
        self.statements.borrow_mut().extend(told.into_iter().flatten());
        Ok(Self { told: others.clone(), ..self })
    }

    /// Remembers a statement that the server was told.
    fn remember(&self, key: (usize, Lock), text: &'static str, statement: Rc<Statement>) {
        self.told.texts().insert(key, text);
        self.statements.borrow_mut().insert(key, statement);
    }

    /// Waits for the server, up to the limit of a statement and a little more: usually it ends the statement itself.
    fn wait<T>(&self, work: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Step<T> {
        let limit = self.limit + Duration::from_secs(1);
        let answer = self.runtime.block_on(async { tokio::time::timeout(limit, work).await });
        Ok(answer.map_err(|_| slow(limit))??)
    }

    /// Runs a text of several statements.
    pub(super) fn run_text(&self, text: &str) -> Step<()> {
        self.begin()?;
        self.wait(self.client.batch_execute(text))
    }

    /// Runs a text outside a transaction.
    pub(super) fn run_alone(&self, text: &str) -> Step<()> {
        self.wait(self.client.batch_execute(text))
    }

    /// The first column of what a text answers, outside a transaction.
    pub(super) fn run_simple(&self, text: &str) -> Step<Vec<String>> {
        let messages = self.wait(self.client.simple_query(text))?;
        Ok(messages
            .iter()
            .filter_map(|message| match message {
                tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            })
            .collect())
    }

    fn begin(&self) -> Step<()> {
        if self.begun.replace(true) { Ok(()) } else { self.wait(self.client.batch_execute(self.begin_text())) }
    }

    fn begin_text(&self) -> &'static str {
        match (self.read_only, self.hurries.get()) {
            (true, _) => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            (_, true) => "BEGIN; SET LOCAL lock_timeout = '20ms'",
            _ => "BEGIN",
        }
    }

    fn statement(&self, sql: Sql, lock: Lock) -> Step<Rc<Statement>> {
        let text = sql.postgres.unwrap_or(sql.text);
        let key = (text.as_ptr().addr(), lock);
        if let Some(statement) = self.statements.borrow().get(&key) {
            return Ok(statement.clone());
        }
        self.begin()?;
        let statement = Rc::new(self.wait(self.client.prepare(&numbered(text, lock)))?);
        self.remember(key, text, statement.clone());
        Ok(statement)
    }

    /// Statements as the server knows them. Those that it does not know yet are told to it in one go.
    fn statements(&self, queries: &[Query<'_>]) -> Step<Vec<Rc<Statement>>> {
        let known = |sql: &Sql| (sql.postgres.unwrap_or(sql.text).as_ptr().addr(), Lock::None);
        let wanted: FxHashMap<_, _> =
            queries.iter().map(|(sql, _)| (known(sql), sql.postgres.unwrap_or(sql.text))).collect();
        let unknown = wanted.into_iter().filter(|(key, _)| !self.statements.borrow().contains_key(key));
        let told = unknown.map(|(key, text)| async move {
            Ok((key, text, Rc::new(self.client.prepare(&numbered(text, key.1)).await?)))
        });
        for (key, text, statement) in self.wait(try_join_all(told.collect::<Vec<_>>()))? {
            self.remember(key, text, statement);
        }
        queries.iter().map(|(sql, _)| self.statement(*sql, Lock::None)).collect()
    }

    /// Runs a statement with parameters of its own types, and hands its rows over. The first one of a transaction
    /// travels together with its beginning.
    pub(super) fn query(
        &self,
        sql: Sql,
        lock: Lock,
        parameters: &[&(dyn Encode + Sync)],
        each: &mut dyn FnMut(&tokio_postgres::Row) -> Step<bool>,
    ) -> Step<u64> {
        let statement = self.statement(sql, lock)?;
        let mut failed = None;
        let rows = async {
            let parameters = parameters.iter().map(|parameter| *parameter as &(dyn Encode + Sync));
            let rows = self.client.query_raw(&*statement, parameters).await?;
            pin_mut!(rows);
            let mut more = true;
            while let Some(row) = rows.try_next().await? {
                if more {
                    match each(&row) {
                        Ok(next) => more = next,
                        Err(fault) => (failed, more) = (Some(fault), false),
                    }
                }
            }
            Ok(rows.rows_affected().unwrap_or(0))
        };
        let count = self.send(rows)?;
        failed.map_or(Ok(count), Err)
    }

    /// Runs statements, and what ends the transaction if something does, all in one go. Rows are handed over after the end.
    fn send_all(
        &self,
        queries: &[Query<'_>],
        end: Option<&str>,
        each: &mut dyn FnMut(usize, &Row<'_>) -> Step<()>,
    ) -> Step<()> {
        let statements = self.statements(queries)?;
        let bound = queries.iter().map(|(_, values)| values.iter().map(|(_, value)| Bound(value.value())).collect());
        let bound: Vec<Vec<Bound<'_>>> = bound.collect();
        let parameters = bound.iter().map(|bound| bound.iter().map(|value| value as &(dyn Encode + Sync)).collect());
        let parameters: Vec<Vec<&(dyn Encode + Sync)>> = parameters.collect();
        let found = statements.iter().zip(&parameters);
        let found = found.map(|(statement, parameters)| self.client.query(&**statement, parameters));
        let ends = end.is_some();
        let end = async {
            match end {
                Some(end) => self.client.batch_execute(end).await,
                None => Ok(()),
            }
        };
        let found = self.send(async {
            let (found, ended) = join(join_all(found), end).await;
            // The first error counts. The server has undone the transaction then.
            let found = found.into_iter().collect::<Result<Vec<_>, _>>()?;
            ended.map(|()| found)
        });
        if ends {
            self.begun.set(false);
        }
        for (place, rows) in found?.iter().enumerate() {
            rows.iter().try_for_each(|row| each(place, &Row(row)))?;
        }
        Ok(())
    }

    /// Sends the beginning of the transaction, what was posted, and some work, all in one go. The first error counts: the
    /// others follow from it.
    fn send<T>(&self, work: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Step<T> {
        let (begun, posted) = (self.begun.replace(true), self.posted.take());
        let begin = async { if begun { Ok(()) } else { self.client.batch_execute(self.begin_text()).await } };
        let posts = join_all(posted.iter().map(|post| self.client.execute_raw(&*post.statement, &post.values)));
        // Each of them is sent when it is looked at first, and that is in this order.
        let (begun, counts, done) = self.wait(async { Ok(join3(begin, posts, work).await) })?;
        begun?;
        for (post, count) in posted.iter().zip(counts) {
            refuse_none(count?, post.or_else)?;
        }
        Ok(done?)
    }
}

impl Server for Connection {
    fn commit(&self) -> Step<()> {
        if self.posted.borrow().iter().any(|post| post.or_else.is_some()) {
            // Whatever may refuse the request has to be known before.
            self.send(async { Ok(()) })?;
        }
        let idle = !self.begun.get() && self.posted.borrow().is_empty();
        let done = if idle { Ok(()) } else { self.send(self.client.batch_execute("COMMIT")) };
        self.begun.set(false);
        self.hurries.set(false);
        done
    }

    fn roll_back(&self) -> Step<()> {
        // A partition that was made is undone too, and one that was known may be what is missing.
        self.days.borrow_mut().clear();
        self.posted.take();
        self.hurries.set(false);
        if self.begun.replace(false) { self.wait(self.client.batch_execute("ROLLBACK")) } else { Ok(()) }
    }

    fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    fn is_passing(fault: &Fault) -> bool {
        let Fault::Postgres(error) = fault else { return false };
        let passing = [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::UNIQUE_VIOLATION,
        ];
        error.code().is_some_and(|code| passing.contains(code)) || is_without_room(error)
    }

    fn announce(&self) -> Step<()> {
        self.post(own!("change_hint"), &[(":from", &&*self.from)], None)
    }

    fn stir(&self) -> Step<()> {
        self.post(own!("flow_stir"), &[(":from", &&*self.from)], None)
    }

    const HINT: Option<Sql> = Some(own!("cluster_hint"));

    fn conclude(&self, last: &[Query<'_>], each: &mut dyn FnMut(usize, &Row<'_>) -> Step<()>) -> Step<()> {
        self.send_all(last, Some("COMMIT"), each)
    }
}

/// Whether a final run found no partition: another session has dropped it since this one looked.
fn is_without_room(error: &tokio_postgres::Error) -> bool {
    error
        .as_db_error()
        .is_some_and(|error| *error.code() == SqlState::CHECK_VIOLATION && error.table() == Some("history"))
}

fn slow(limit: Duration) -> Fault {
    Fault::Broken(format!("no answer within {} s", limit.as_secs()))
}

impl Db for Connection {
    fn execute(&self, sql: Sql, values: &Values<'_>) -> Step<u64> {
        let bound: Vec<Bound<'_>> = values.iter().map(|(_, value)| Bound(value.value())).collect();
        let parameters: Vec<&(dyn Encode + Sync)> = bound.iter().map(|value| value as &(dyn Encode + Sync)).collect();
        self.query(sql, Lock::None, &parameters, &mut |_| Ok(true))
    }

    fn each(&self, sql: Sql, values: &Values<'_>, each: &mut dyn FnMut(&Row<'_>) -> Step<bool>) -> Step<()> {
        let bound: Vec<Bound<'_>> = values.iter().map(|(_, value)| Bound(value.value())).collect();
        let parameters: Vec<&(dyn Encode + Sync)> = bound.iter().map(|value| value as &(dyn Encode + Sync)).collect();
        self.query(sql, Lock::None, &parameters, &mut |row| each(&Row(row)))?;
        Ok(())
    }

    fn each_of(&self, queries: &[Query<'_>], each: &mut dyn FnMut(usize, &Row<'_>) -> Step<()>) -> Step<()> {
        if queries.is_empty() { Ok(()) } else { self.send_all(queries, None, each) }
    }

    fn lock(&self, sql: Sql, lock: Lock, values: &Values<'_>) -> Step<()> {
        let bound: Vec<Bound<'_>> = values.iter().map(|(_, value)| Bound(value.value())).collect();
        let parameters: Vec<&(dyn Encode + Sync)> = bound.iter().map(|value| value as &(dyn Encode + Sync)).collect();
        self.query(sql, lock, &parameters, &mut |_| Ok(true))?;
        Ok(())
    }

    fn history_cut(&self, before: Timestamp) -> Timestamp {
        super::history::cut(before)
    }

    fn post(&self, sql: Sql, values: &Values<'_>, or_else: Option<fn() -> Error>) -> Step<()> {
        let statement = self.statement(sql, Lock::None)?;
        let values = values.iter().map(|(_, value)| Owned::from(value.value())).collect();
        self.posted.borrow_mut().push(Posted { statement, values, or_else });
        Ok(())
    }

    fn make_room(&self, runs: &mut dyn Iterator<Item = RunId>) -> Step<()> {
        for run in runs {
            let day = super::history::day_of(run);
            if !self.days.borrow().contains(&day) {
                super::history::make_day(self, day)?;
                self.days.borrow_mut().insert(day);
            }
        }
        Ok(())
    }
}

/// Replaces the names of parameters by numbers, in the order in which they first stand.
pub(super) fn numbered(text: &str, lock: Lock) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut result = String::with_capacity(text.len() + 32);
    for line in text.lines().filter(|line| !line.trim_start().starts_with("--")) {
        let mut rest = line;
        while let Some(at) = rest.find(':') {
            let (before, after) = rest.split_at(at);
            result.push_str(before);
            let after = &after[1..];
            if let Some(cast) = after.strip_prefix(':') {
                result.push_str("::");
                rest = cast;
                continue;
            }
            let end = after.find(|next: char| !next.is_ascii_alphanumeric() && next != '_').unwrap_or(after.len());
            let (name, next) = after.split_at(end);
            let number = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            result.push_str(&format!("${}", number + 1));
            rest = next;
        }
        result.push_str(rest);
        result.push('\n');
    }
    result.push_str(match lock {
        Lock::None => "",
        Lock::Write => "FOR UPDATE",
        Lock::Share => "FOR SHARE",
    });
    result
}

/// A value on its way to the server.
#[derive(Debug)]
struct Bound<'a>(Value<'a>);

impl Encode for Bound<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self.0 {
            Value::Null => return Ok(IsNull::Yes),
            Value::Int(number) => match *kind {
                Type::BOOL => (number != 0).to_sql(kind, out)?,
                Type::INT2 => i16::try_from(number)?.to_sql(kind, out)?,
                Type::INT4 => i32::try_from(number)?.to_sql(kind, out)?,
                Type::INT8 => number.to_sql(kind, out)?,
                _ => return Err(format!("{number} for a parameter of type {kind}").into()),
            },
            Value::Text(text) => text.to_sql(kind, out)?,
            Value::Blob(bytes) => {
                out.extend_from_slice(bytes);
                IsNull::No
            }
        };
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A value that waits to be sent.
#[derive(Debug)]
enum Owned {
    Null,
    Int(i64),
    Text(String),
    Blob(Vec<u8>),
}

impl From<Value<'_>> for Owned {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Int(number) => Self::Int(number),
            Value::Text(text) => Self::Text(text.to_owned()),
            Value::Blob(bytes) => Self::Blob(bytes.to_vec()),
        }
    }
}

impl Encode for Owned {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        let value = match self {
            Self::Null => Value::Null,
            Self::Int(number) => Value::Int(*number),
            Self::Text(text) => Value::Text(text),
            Self::Blob(bytes) => Value::Blob(bytes),
        };
        Bound(value).to_sql(kind, out)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Sixteen bytes as the server's type for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Uuid(pub(super) [u8; 16]);

impl Encode for Uuid {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        out.extend_from_slice(&self.0);
        Ok(IsNull::No)
    }

    accepts!(UUID);
    to_sql_checked!();
}

impl<'a> FromSql<'a> for Uuid {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(raw.try_into()?))
    }

    accepts!(UUID);
}

/// The bytes of a value as the server sends them.
struct Raw<'a>(&'a Type, &'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        // The type outlives this call only as one of the known ones.
        let kind = match *kind {
            Type::BOOL => &Type::BOOL,
            Type::INT2 => &Type::INT2,
            Type::INT4 => &Type::INT4,
            Type::INT8 => &Type::INT8,
            Type::BYTEA | Type::UUID => &Type::BYTEA,
            Type::TEXT | Type::VARCHAR | Type::NAME | Type::UNKNOWN => &Type::TEXT,
            _ => return Err(format!("a value of type {kind}").into()),
        };
        Ok(Raw(kind, raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl Columns for tokio_postgres::Row {
    fn value(&self, column: usize) -> Step<Value<'_>> {
        let Some(Raw(kind, raw)) = self.try_get::<_, Option<Raw<'_>>>(column)? else { return Ok(Value::Null) };
        let bad =
            |error: Box<dyn std::error::Error + Sync + Send>| Fault::Unreadable(format!("column {column}: {error}"));
        Ok(match *kind {
            Type::BOOL => Value::Int(i64::from(bool::from_sql(kind, raw).map_err(bad)?)),
            Type::INT2 => Value::Int(i64::from(i16::from_sql(kind, raw).map_err(bad)?)),
            Type::INT4 => Value::Int(i64::from(i32::from_sql(kind, raw).map_err(bad)?)),
            Type::INT8 => Value::Int(i64::from_sql(kind, raw).map_err(bad)?),
            Type::BYTEA => Value::Blob(raw),
            _ => Value::Text(<&str>::from_sql(kind, raw).map_err(bad)?),
        })
    }
}
