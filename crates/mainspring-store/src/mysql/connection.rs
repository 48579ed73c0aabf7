//! A session of MySQL or MariaDB as the requests see it.
//!
//! Each belongs to one thread and drives its socket itself, so nothing ever drops a statement half way. Transactions
//! begin with their first statement.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, DriverError, Opts, Params, Statement};
use rustc_hash::FxHashMap;
use tokio::runtime::Runtime;

use crate::error::Error;
use crate::sql::db::{Columns, Db, Fault, Lock, Query, Row, Sql, Step, ToSql, Value, Values, refuse_none};
use crate::sql::lane::Server;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(5);

/// How long a message of statements that travel together may be, in bytes. Servers take a multiple of it.
const MESSAGE_MAX: usize = 256 * 1024;

/// From how many uses by itself on a statement is prepared, which takes a round trip. Before, and where it travels with others, its
/// values are in its text. Tests see both.
const OFTEN: u32 = if cfg!(test) { 2 } else { 16 };

/// What the server promises about every session. The common SQL quotes names and joins texts as the standard says;
/// waiting for a lock ends after two seconds.
const SETTINGS: &str = "SET NAMES utf8mb4 COLLATE utf8mb4_bin; \
    SET SESSION sql_mode = 'STRICT_ALL_TABLES,ANSI_QUOTES,PIPES_AS_CONCAT,NO_ENGINE_SUBSTITUTION', \
    SESSION time_zone = '+00:00', SESSION autocommit = 0, SESSION innodb_lock_wait_timeout = 2";

/// The character set of values that are no text.
const BINARY: u16 = 63;

/// What a session is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// Changes things. Statements end after the given time.
    Write(Duration),
    /// Reads a snapshot, cut off after the given time.
    Read(Duration),
}

impl Purpose {
    fn limit(self) -> Duration {
        match self {
            Self::Write(limit) | Self::Read(limit) => limit,
        }
    }

    /// What the server promises about a session of this kind. Each server reads the comment that is meant for it. A
    /// stopped client holds no lock for longer than two seconds: where idle transactions have no limit, idle sessions
    /// have it.
    fn settings(self) -> String {
        let (limit, millis) = (self.limit().as_secs_f64(), self.limit().as_millis());
        let (mode, mysql) = match self {
            Self::Write(_) => ("READ COMMITTED", "SESSION wait_timeout = 2".to_owned()),
            Self::Read(_) => ("REPEATABLE READ, READ ONLY", format!("SESSION max_execution_time = {millis}")),
        };
        format!(
            "SET SESSION TRANSACTION ISOLATION LEVEL {mode}; \
             SET /*M! SESSION max_statement_time = {limit}, SESSION idle_transaction_timeout = 2, */ \
             /*!80000 {mysql}, */ SESSION lock_wait_timeout = 2"
        )
    }
}

pub(crate) struct Connection {
    runtime: Runtime,
    /// Absent once it has been closed.
    client: RefCell<Option<Conn>>,
    /// Statements that have been used, by place of their text.
    statements: RefCell<FxHashMap<(usize, Lock), Used>>,
    limit: Duration,
    /// Whether a transaction is under way on the server.
    begun: Cell<bool>,
    /// Whether the transaction has prepared a statement. It prepares one of those that are used often, or else all that a batch is made of
    /// would be prepared in the same.
    has_prepared: Cell<bool>,
    /// Statements that travel together, before the next other one.
    posted: RefCell<Posted>,
}

/// Statements that travel together.
#[derive(Default)]
struct Posted {
    text: String,
    /// For each of them, why the request is refused if it finds no row.
    or_else: Vec<Option<fn() -> Error>>,
}

/// A statement that has been used.
enum Used {
    /// So many times, with its values in its text.
    Seldom(u32),
    Often(Rc<Prepared>),
}

/// A statement that the server knows, and which value goes to which of its places.
struct Prepared {
    statement: Statement,
    places: Vec<usize>,
}

impl Connection {
    pub(super) fn open(target: &Opts, purpose: Purpose) -> Step<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Fault::Broken(format!("a runtime cannot be made: {error}")))?;
        let client = runtime.block_on(async {
            let connecting = async {
                let mut client = Conn::new(target.clone()).await?;
                client.query_drop(format!("{SETTINGS}; {}", purpose.settings())).await?;
                Ok::<_, Fault>(client)
            };
            tokio::time::timeout(CONNECT, connecting).await.map_err(|_| slow(CONNECT))?
        })?;
        let (client, limit) = (RefCell::new(Some(client)), purpose.limit());
        let (statements, posted) = (RefCell::default(), RefCell::default());
        let (begun, has_prepared) = (Cell::new(false), Cell::new(false));
        Ok(Self { runtime, client, statements, limit, begun, has_prepared, posted })
    }

    /// Waits for the server, up to the limit of a statement and a little more: usually it ends the statement itself.
    fn wait<T>(&self, work: impl AsyncFnOnce(&mut Conn) -> Step<T>) -> Step<T> {
        let mut client = self.client.borrow_mut();
        let client = client.as_mut().ok_or_else(|| Fault::Broken("the session is closed".to_owned()))?;
        let limit = self.limit + Duration::from_secs(1);
        self.runtime.block_on(timed(limit, work(client)))
    }

    /// Sends what was posted, further texts, whose rows are handed over with the place of the text, and what ends the transaction if
    /// something does: all in one message. Prepared statements take a message each, so the values are in the texts. A text may be several
    /// statements. The server stops at the first error.
    fn send(
        &self,
        texts: &[String],
        end: Option<&str>,
        each: &mut dyn FnMut(usize, &Row<'_>) -> Step<()>,
    ) -> Step<Done> {
        let Posted { text: posted, or_else } = self.posted.take();
        if or_else.is_empty() && texts.is_empty() && end.is_none() {
            return Ok(Done::default());
        }
        let message = posted + &texts.iter().map(String::as_str).chain(end).collect::<Vec<_>>().join(";\n");
        self.begun.set(true);
        let mut counts = Vec::with_capacity(or_else.len());
        let mut handed = Ok(());
        let answered = self.wait(async |client| {
            let mut answers = client.query_iter(message).await?;
            for _ in &or_else {
                counts.push(answers.affected_rows());
                // Goes on to the next one: none of them answers rows.
                answers.next().await?;
            }
            for (place, text) in texts.iter().enumerate() {
                for _ in text.split(';') {
                    while let Some(row) = answers.next().await? {
                        if handed.is_ok() {
                            handed = each(place, &Row(&Cells(&row)));
                        }
                    }
                }
            }
            let done = Done { rows: answers.affected_rows(), number: answers.last_insert_id() };
            // That of the end.
            answers.drop_result().await?;
            Ok(done)
        });
        // What was refused is refused, whatever became of the rest.
        counts.into_iter().zip(or_else).try_for_each(|(count, why)| refuse_none(count, why))?;
        let done = answered?;
        if end.is_some() {
            self.ended();
        }
        handed.map(|()| done)
    }

    /// The transaction has ended on the server.
    fn ended(&self) {
        self.begun.set(false);
        self.has_prepared.set(false);
    }

    /// Sends what was posted.
    fn send_posted(&self) -> Step<()> {
        self.send(&[], None, &mut |_, _| Ok(()))?;
        Ok(())
    }

    /// Runs statements, and what ends the transaction if something does, in one message.
    fn send_all(
        &self,
        queries: &[Query<'_>],
        end: Option<&str>,
        each: &mut dyn FnMut(usize, &Row<'_>) -> Step<()>,
    ) -> Step<()> {
        if end.is_some() && self.may_refuse() {
            self.send_posted()?;
        }
        let texts: Vec<String> = queries.iter().map(|query| filled(query, Lock::None)).collect();
        self.send(&texts, end, each)?;
        Ok(())
    }

    /// Whether something of what was posted may refuse the request.
    fn may_refuse(&self) -> bool {
        self.posted.borrow().or_else.iter().any(Option::is_some)
    }

    /// Runs a text without parameters.
    pub(super) fn run_text(&self, text: &str) -> Step<()> {
        self.wait(async |client| Ok(client.query_drop(text).await?))
    }

    /// What a text answers.
    #[cfg(test)]
    pub(super) fn run_simple(&self, text: &str) -> Step<Vec<mysql_async::Row>> {
        self.wait(async |client| Ok(client.query(text).await?))
    }

    /// A statement as the server was told it. Nothing of one that is used too seldom for telling it.
    fn prepared(&self, sql: Sql, lock: Lock, is_long: bool) -> Step<Option<Rc<Prepared>>> {
        let text = sql.mysql.unwrap_or(sql.text);
        let key = (text.as_ptr().addr(), lock);
        if let Used::Seldom(times) = self.statements.borrow_mut().entry(key).or_insert(Used::Seldom(0)) {
            *times += 1;
            if !is_long && (*times < OFTEN || self.has_prepared.get()) {
                return Ok(None);
            }
        }
        if let Some(Used::Often(prepared)) = self.statements.borrow().get(&key) {
            return Ok(Some(prepared.clone()));
        }
        self.has_prepared.set(true);
        let (text, places) = positional(text, lock);
        let statement = self.wait(async |client| Ok(client.prep(text).await?))?;
        let prepared = Rc::new(Prepared { statement, places });
        self.statements.borrow_mut().insert(key, Used::Often(prepared.clone()));
        Ok(Some(prepared))
    }

    /// Runs a statement and hands its rows over.
    fn run(
        &self,
        sql: Sql,
        lock: Lock,
        values: &Values<'_>,
        each: &mut dyn FnMut(&Row<'_>) -> Step<bool>,
    ) -> Step<Done> {
        let length =
            self.posted.borrow().text.len() + values.iter().map(|(_, value)| length(value.value())).sum::<usize>();
        let is_long = length > MESSAGE_MAX;
        let follows = !is_long && !self.posted.borrow().or_else.is_empty();
        let prepared = if follows { None } else { self.prepared(sql, lock, is_long)? };
        let Some(prepared) = prepared else {
            let mut going = true;
            return self.send(&[filled(&(sql, values), lock)], None, &mut |_, row| {
                going = going && each(row)?;
                Ok(())
            });
        };
        self.send_posted()?;
        let bound = prepared.places.iter().map(|place| bound(values.get(*place).map(|(_, value)| value.value())));
        let parameters = match bound.collect::<Vec<_>>() {
            none if none.is_empty() => Params::Empty,
            bound => Params::Positional(bound),
        };
        self.begun.set(true);
        self.wait(async |client| {
            let mut rows = client.exec_iter(&prepared.statement, parameters).await?;
            let mut going = Ok(true);
            while let Some(row) = rows.next().await? {
                if let Ok(true) = going {
                    going = each(&Row(&Cells(&row)));
                }
            }
            let done = Done { rows: rows.affected_rows(), number: rows.last_insert_id() };
            going.map(|_| done)
        })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(client) = self.client.get_mut().take() {
            // The server finds out by itself where it cannot be told.
            let _told = self.runtime.block_on(timed(Duration::from_secs(1), async { Ok(client.disconnect().await?) }));
        }
    }
}

/// What the server says of a statement.
#[derive(Default)]
struct Done {
    rows: u64,
    number: Option<u64>,
}

async fn timed<T>(limit: Duration, work: impl Future<Output = Step<T>>) -> Step<T> {
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err(slow(limit)))
}

fn slow(limit: Duration) -> Fault {
    Fault::Broken(format!("no answer within {} s", limit.as_secs()))
}

impl Server for Connection {
    fn commit(&self) -> Step<()> {
        if !self.begun.get() || self.may_refuse() {
            // Whether the session is there, and what may refuse the request, has to be known before.
            self.send_posted()?;
        }
        if !self.begun.get() {
            return Ok(());
        }
        match self.send_all(&[], Some("COMMIT"), &mut |_, _| Ok(())) {
            Err(Fault::Mysql(error)) if error.is_fatal() => {
                Err(Fault::Broken(format!("no answer to a commit, which may have been kept: {error}")))
            }
            failed => failed,
        }
    }

    fn roll_back(&self) -> Step<()> {
        self.posted.take();
        let had_begun = self.begun.get();
        self.ended();
        if had_begun { self.run_text("ROLLBACK") } else { Ok(()) }
    }

    /// The server undoes no more than a statement when a lock is waited for in vain; the rest is on whoever asked.
    fn is_passing(fault: &Fault) -> bool {
        const LOCK_WAIT_TIMEOUT: u16 = 1205;
        const DEADLOCK: u16 = 1213;
        is_duplicate(fault) || matches!(server_code(fault), Some(LOCK_WAIT_TIMEOUT | DEADLOCK))
    }

    /// The server closes sessions that were idle for long, and those of a server that stops.
    fn is_lost(fault: &Fault) -> bool {
        const SHUTDOWN: u16 = 1053;
        const KILLED: u16 = 1927;
        const IDLE: u16 = 4031;
        match fault {
            Fault::Mysql(mysql_async::Error::Io(_)) => true,
            Fault::Mysql(mysql_async::Error::Driver(DriverError::ConnectionClosed | DriverError::PacketOutOfOrder)) => {
                true
            }
            _ => matches!(server_code(fault), Some(SHUTDOWN | KILLED | IDLE)),
        }
    }

    fn conclude(&self, last: &[Query<'_>], each: &mut dyn FnMut(usize, &Row<'_>) -> Step<()>) -> Step<()> {
        self.send_all(last, Some("COMMIT"), each)
    }
}

impl Db for Connection {
    fn execute(&self, sql: Sql, values: &Values<'_>) -> Step<u64> {
        self.run(sql, Lock::None, values, &mut |_| Ok(true)).map(|done| done.rows)
    }

    fn each(&self, sql: Sql, values: &Values<'_>, each: &mut dyn FnMut(&Row<'_>) -> Step<bool>) -> Step<()> {
        self.run(sql, Lock::None, values, each).map(|_| ())
    }

    fn insert(&self, sql: Sql, values: &Values<'_>) -> Step<i64> {
        let number = self.run(sql, Lock::None, values, &mut |_| Ok(true))?.number;
        let number = number.and_then(|number| i64::try_from(number).ok());
        number.ok_or_else(|| Fault::Unreadable("an insert answered no number".to_owned()))
    }

    fn lock(&self, sql: Sql, lock: Lock, values: &Values<'_>) -> Step<()> {
        self.run(sql, lock, values, &mut |_| Ok(true)).map(|_| ())
    }

    fn each_of(&self, queries: &[Query<'_>], each: &mut dyn FnMut(usize, &Row<'_>) -> Step<()>) -> Step<()> {
        if queries.is_empty() { Ok(()) } else { self.send_all(queries, None, each) }
    }

    /// The values are in the text, as in [`Connection::send_all`]. What is long travels by itself.
    fn post(&self, sql: Sql, values: &Values<'_>, or_else: Option<fn() -> Error>) -> Step<()> {
        let text = filled(&(sql, values), Lock::None);
        if text.len() > MESSAGE_MAX {
            return refuse_none(self.execute(sql, values)?, or_else);
        }
        if self.posted.borrow().text.len() + text.len() > MESSAGE_MAX {
            self.send_posted()?;
        }
        let mut posted = self.posted.borrow_mut();
        posted.text.push_str(&text);
        posted.text.push_str(";\n");
        posted.or_else.push(or_else);
        Ok(())
    }
}

/// Whether a row is there already.
pub(super) fn is_duplicate(fault: &Fault) -> bool {
    server_code(fault) == Some(1062)
}

/// The number of an error that the server reports.
pub(super) fn server_code(fault: &Fault) -> Option<u16> {
    match fault {
        Fault::Mysql(mysql_async::Error::Server(error)) => Some(error.code),
        _ => None,
    }
}

/// Replaces the names of parameters by `?`. Answers also, for each of these, the place of its name in the order in which
/// the names first stand. What asks for the number of an inserted row is left out: the server tells it anyway.
pub(super) fn positional(text: &str, lock: Lock) -> (String, Vec<usize>) {
    let text = text.split_once("RETURNING").map_or(text, |(before, _)| before);
    let mut names: Vec<&str> = Vec::new();
    let mut places = Vec::new();
    let mut result = String::with_capacity(text.len() + 32);
    for line in text.lines().filter(|line| !line.trim_start().starts_with("--")) {
        let mut parts = line.split(':');
        result.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let end = part.find(|next: char| !next.is_ascii_alphanumeric() && next != '_').unwrap_or(part.len());
            let (name, rest) = part.split_at(end);
            places.push(names.iter().position(|known| *known == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            }));
            result.push('?');
            result.push_str(rest);
        }
        result.push('\n');
    }
    result.push_str(match lock {
        Lock::None => "",
        Lock::Write => "FOR UPDATE",
        Lock::Share => "LOCK IN SHARE MODE",
    });
    (result, places)
}

/// A statement with its values in it.
fn filled((sql, values): &Query<'_>, lock: Lock) -> String {
    let (text, places) = positional(sql.mysql.unwrap_or(sql.text), lock);
    let mut parts = text.split('?');
    let mut result = parts.next().unwrap_or_default().to_owned();
    for (part, place) in parts.zip(places) {
        result.push_str(&literal(values.get(place).map_or(Value::Null, |(_, value)| value.value())));
        result.push_str(part);
    }
    result
}

/// A value as a statement says it. Texts are digits too: nothing in them is taken for a word of the statement.
fn literal(value: Value<'_>) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Text(text) => format!("_utf8mb4 X'{}'", digits(text.as_bytes())),
        Value::Blob(bytes) => format!("X'{}'", digits(bytes)),
    }
}

fn digits(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).expect("four bits");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// How long a value is in a text, or a little less.
fn length(value: Value<'_>) -> usize {
    match value {
        Value::Null | Value::Int(_) => 0,
        Value::Text(text) => 2 * text.len(),
        Value::Blob(bytes) => 2 * bytes.len(),
    }
}

/// A value on its way to the server.
fn bound(value: Option<Value<'_>>) -> mysql_async::Value {
    match value {
        None | Some(Value::Null) => mysql_async::Value::NULL,
        Some(Value::Int(number)) => mysql_async::Value::Int(number),
        Some(Value::Text(text)) => mysql_async::Value::Bytes(text.as_bytes().to_vec()),
        Some(Value::Blob(bytes)) => mysql_async::Value::Bytes(bytes.to_vec()),
    }
}

/// A row as the server sends it.
struct Cells<'a>(&'a mysql_async::Row);

impl Columns for Cells<'_> {
    fn value(&self, column: usize) -> Step<Value<'_>> {
        let bad = |why: &str| Fault::Unreadable(format!("column {column}: {why}"));
        let columns = self.0.columns_ref();
        let (Some(value), Some(about)) = (self.0.as_ref(column), columns.get(column)) else {
            return Err(bad("there is none"));
        };
        Ok(match value {
            mysql_async::Value::NULL => Value::Null,
            mysql_async::Value::Int(number) => Value::Int(*number),
            mysql_async::Value::UInt(number) => Value::Int(i64::try_from(*number).map_err(|_| bad("too large"))?),
            // What a text asked for comes as text.
            mysql_async::Value::Bytes(digits) if about.column_type().is_numeric_type() => {
                let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
                Value::Int(number.ok_or_else(|| bad("no whole number"))?)
            }
            mysql_async::Value::Bytes(bytes) if about.character_set() != BINARY => {
                Value::Text(std::str::from_utf8(bytes).map_err(|_| bad("no UTF-8"))?)
            }
            mysql_async::Value::Bytes(bytes) => Value::Blob(bytes),
            _ => return Err(bad("a value of an unknown type")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_places_in_the_order_in_which_they_first_stand() {
        let text = "-- Not :this.\nUPDATE t SET a = :a, b = :b_2\nWHERE a <> :a AND c = :c RETURNING id";
        let (sql, places) = positional(text, Lock::None);
        assert_eq!(sql, "UPDATE t SET a = ?, b = ?\nWHERE a <> ? AND c = ? \n");
        assert_eq!(places, [0, 1, 0, 2]);
        let values: [(&str, &dyn ToSql); 3] = [(":a", &-7), (":b_2", &"it's; ?"), (":c", &None::<i64>)];
        let text = filled(&(Sql::new("UPDATE t SET a = :a, b = :b_2 WHERE a <> :a AND c = :c"), &values), Lock::None);
        let b = "_utf8mb4 X'697427733b203f'";
        assert_eq!(text, format!("UPDATE t SET a = -7, b = {b} WHERE a <> -7 AND c = NULL\n"));
        let (sql, _) = positional("SELECT 1", Lock::Share);
        assert_eq!(sql, "SELECT 1\nLOCK IN SHARE MODE");
    }
}
