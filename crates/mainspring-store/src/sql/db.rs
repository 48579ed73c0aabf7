//! Statements, values and rows: what the requests see of a database.

use mainspring_core::{Incarnation, RunId, Timestamp, TzdataVersion};
#[cfg(feature = "postgres")]
use tokio_postgres::error::SqlState;

use crate::error::Error;

/// A statement, by the name of its file in `queries/common/`. Databases that need another text are named after it:
/// `sql!("info", mysql)` takes the one in `queries/mysql/` for MySQL, `sql!("taken_add", servers)` the one in
/// `queries/servers/` for PostgreSQL and MySQL.
macro_rules! sql {
    ($name:literal, servers) => {{
        const TEXT: Option<&str> =
            Some(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/queries/servers/", $name, ".sql")));
        $crate::sql::db::Sql { postgres: TEXT, mysql: TEXT, ..$crate::sql::db::sql!($name) }
    }};
    ($name:literal $(, $other:ident)*) => {
        $crate::sql::db::Sql {
            $($other: Some(include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"), "/queries/", stringify!($other), "/", $name, ".sql"
            ))),)*
            ..$crate::sql::db::Sql::new(include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"), "/queries/common/", $name, ".sql"
            )))
        }
    };
}
pub(crate) use sql;

/// A statement of the servers alone: the one in `queries/servers/`, or one for each of them.
macro_rules! on_servers {
    ($name:literal) => {
        $crate::sql::db::Sql::new(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/queries/servers/", $name, ".sql")))
    };
    ($name:literal, postgres, mysql) => {
        $crate::sql::db::Sql {
            postgres: Some(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/queries/postgres/", $name, ".sql"))),
            mysql: Some(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/queries/mysql/", $name, ".sql"))),
            ..$crate::sql::db::Sql::new("")
        }
    };
}
pub(crate) use on_servers;

/// A statement in the words of each database.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sql {
    /// For every database that has no text of its own.
    pub(crate) text: &'static str,
    pub(crate) postgres: Option<&'static str>,
    pub(crate) mysql: Option<&'static str>,
}

impl Sql {
    /// A statement that all databases understand.
    pub(crate) const fn new(text: &'static str) -> Self {
        Self { text, postgres: None, mysql: None }
    }
}

/// Why a step of a request failed.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The request is answered with this, and undone.
    Refused(Error),
    /// A value cannot be what it should be: written by a newer program, or damaged.
    Unreadable(String),
    /// SQLite could not do it.
    #[cfg(feature = "sqlite")]
    Sqlite(rusqlite::Error),
    /// PostgreSQL could not do it.
    #[cfg(feature = "postgres")]
    Postgres(tokio_postgres::Error),
    /// MySQL could not do it.
    #[cfg(feature = "mysql")]
    Mysql(mysql_async::Error),
    /// The connection is of no use any more; what it did last is uncertain.
    Broken(String),
    /// Its work panicked before the end of the transaction.
    Panicked,
}

impl Fault {
    /// What the caller is told.
    pub(crate) fn into_error(self, operation: &'static str, store: &str) -> Error {
        match self {
            Self::Refused(error) => error,
            Self::Unreadable(what) => Error::unreadable(store, operation, &what),
            fault => {
                let blame = fault.blame();
                let source = format!("{store}: {}", fault.why()).into();
                match blame {
                    Blame::Nobody => Error::Unavailable { operation, source },
                    Blame::Values => Error::Rejected { operation, source },
                    Blame::Time => Error::TooMuch { operation, source },
                }
            }
        }
    }

    /// The same where a commit failed: one that took too long may have been kept.
    pub(crate) fn of_commit(self) -> Self {
        match self.blame() {
            Blame::Time => Self::Broken(format!("no answer to a commit, which may have been kept: {}", self.why())),
            Blame::Nobody | Blame::Values => self,
        }
    }

    /// Whether the server has said that the request itself is at fault, and so has kept nothing of it.
    fn blame(&self) -> Blame {
        // A text that is none, and a check of MySQL's; the others have a state of their own.
        const CANNOT_BE_KEPT: [u16; 2] = [1366, 3819];
        const TIME_LIMITS: [u16; 2] = [1969, 3024];
        match self {
            Self::Panicked => Blame::Values,
            #[cfg(feature = "postgres")]
            Self::Postgres(error) => match error.code() {
                Some(code) if *code == SqlState::QUERY_CANCELED => Blame::Time,
                Some(code) if is_about_values(code.code()) => Blame::Values,
                _ => Blame::Nobody,
            },
            #[cfg(feature = "mysql")]
            Self::Mysql(mysql_async::Error::Server(error)) => match error.code {
                code if TIME_LIMITS.contains(&code) => Blame::Time,
                code if CANNOT_BE_KEPT.contains(&code) || is_about_values(&error.state) => Blame::Values,
                _ => Blame::Nobody,
            },
            _ => Blame::Nobody,
        }
    }

    /// Why a store cannot be opened.
    pub(crate) fn unopened(self) -> String {
        format!("it cannot be opened: {}", self.why())
    }

    fn why(self) -> String {
        match self {
            Self::Refused(error) => crate::causes(&error),
            Self::Unreadable(what) => what,
            #[cfg(feature = "sqlite")]
            Self::Sqlite(error) => error.to_string(),
            #[cfg(feature = "postgres")]
            Self::Postgres(error) => {
                error.as_db_error().map_or_else(|| crate::causes(&error), |error| error.message().to_owned())
            }
            #[cfg(feature = "mysql")]
            Self::Mysql(mysql_async::Error::Server(error)) => error.message,
            #[cfg(feature = "mysql")]
            Self::Mysql(error) => last_cause(&error),
            Self::Broken(why) => why,
            Self::Panicked => "the request failed in an unforeseen way; this is a bug of mainspring".to_owned(),
        }
    }
}

/// What a request failed for.
enum Blame {
    /// The database, the network, others: the same may succeed later.
    Nobody,
    /// A value in it.
    Values,
    /// Its size.
    Time,
}

/// Whether a state of SQL stands for a value that cannot be kept: "data exception" and "integrity constraint violation".
fn is_about_values(state: &str) -> bool {
    state.starts_with("22") || state.starts_with("23")
}

/// What an error goes back to. To be used where each error repeats what its cause says.
fn last_cause(mut error: &dyn std::error::Error) -> String {
    while let Some(cause) = error.source() {
        error = cause;
    }
    error.to_string()
}

/// What a step of a request answers.
pub(crate) type Step<T> = std::result::Result<T, Fault>;

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

#[cfg(feature = "postgres")]
impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Postgres(error)
    }
}

#[cfg(feature = "mysql")]
impl From<mysql_async::Error> for Fault {
    fn from(error: mysql_async::Error) -> Self {
        Self::Mysql(error)
    }
}

#[cfg(feature = "sqlite")]
impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Values by the names of their parameters, in the order in which these first stand in the statement.
pub(crate) type Values<'a> = [(&'a str, &'a dyn ToSql)];

/// A statement with its values.
pub(crate) type Query<'a> = (Sql, &'a Values<'a>);

/// A connection with a transaction under way.
pub(crate) trait Db {
    /// Runs a statement of which only the number of rows counts.
    fn execute(&self, sql: Sql, values: &Values<'_>) -> Step<u64>;

    /// Hands rows over, until `each` answers false.
    fn each(&self, sql: Sql, values: &Values<'_>, each: &mut dyn FnMut(&Row<'_>) -> Step<bool>) -> Step<()>;

    /// Runs several statements, and hands their rows over with the place of the statement. Where round trips count, it takes one.
    fn each_of(&self, queries: &[Query<'_>], each: &mut dyn FnMut(usize, &Row<'_>) -> Step<()>) -> Step<()> {
        for (place, (sql, values)) in queries.iter().enumerate() {
            self.each(*sql, values, &mut |row| each(place, row).map(|()| true))?;
        }
        Ok(())
    }

    /// Runs a statement that is to find a row; the request is refused with `or_else` if there is none. Where round trips
    /// count, it travels with what comes next, which tells what became of it.
    fn post(&self, sql: Sql, values: &Values<'_>, or_else: Option<fn() -> Error>) -> Step<()> {
        refuse_none(self.execute(sql, values)?, or_else)
    }

    /// Inserts a row, and answers the number that the database gave to it.
    fn insert(&self, sql: Sql, values: &Values<'_>) -> Step<i64> {
        let mut number = None;
        self.each(sql, values, &mut |row| {
            number = Some(row.get(0)?);
            Ok(true)
        })?;
        number.ok_or_else(|| Fault::Unreadable("an insert answered no number".to_owned()))
    }

    /// Locks the rows that a statement finds, in its order, until the transaction ends. To be done before they are read:
    /// what is read then is what other transactions have left.
    ///
    /// Nothing to do where one transaction is under way at a time.
    fn lock(&self, _sql: Sql, _lock: Lock, _values: &Values<'_>) -> Step<()> {
        Ok(())
    }

    /// Up to where final runs that are too old are deleted one by one. Where the history is divided, later ones go with
    /// the part that they are in.
    fn history_cut(&self, before: Timestamp) -> Timestamp {
        before
    }

    /// Makes sure that the history has a place for runs, where it is divided.
    fn make_room(&self, _runs: &mut dyn Iterator<Item = RunId>) -> Step<()> {
        Ok(())
    }
}

/// Refuses a request whose statement had a row to find and found none.
pub(crate) fn refuse_none(count: u64, or_else: Option<fn() -> Error>) -> Step<()> {
    or_else.filter(|_| count == 0).map_or(Ok(()), |why| Err(why().into()))
}

/// How rows are locked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Lock {
    /// Not at all: they are read. Or as the statement says.
    None,
    /// Against all others.
    Write,
    /// Against those that write.
    Share,
}

/// Runs a statement of which only the number of rows counts.
pub(crate) fn execute(db: &dyn Db, sql: Sql, values: &Values<'_>) -> Step<u64> {
    db.execute(sql, values)
}

/// Reads all rows of a statement.
pub(crate) fn read<T>(
    db: &dyn Db,
    sql: Sql,
    values: &Values<'_>,
    mut map: impl FnMut(&Row<'_>) -> Step<T>,
) -> Step<Vec<T>> {
    let mut rows = Vec::new();
    db.each(sql, values, &mut |row| {
        rows.push(map(row)?);
        Ok(true)
    })?;
    Ok(rows)
}

/// A row that this program can read. One that it cannot, because a newer program wrote it or it is damaged, is said so in
/// the log and left out: it alone, not what is read together with it.
pub(crate) fn known<T>(row: Step<T>) -> Step<Option<T>> {
    match row {
        Err(Fault::Unreadable(why)) => {
            tracing::error!(
                why,
                "a row that this program cannot read is passed over: a newer version wrote it, or it is damaged"
            );
            Ok(None)
        }
        row => row.map(Some),
    }
}

/// Reads the rows of a statement that this program can read.
pub(crate) fn read_known<T>(
    db: &dyn Db,
    sql: Sql,
    values: &Values<'_>,
    mut map: impl FnMut(&Row<'_>) -> Step<T>,
) -> Step<Vec<T>> {
    Ok(read(db, sql, values, |row| known(map(row)))?.into_iter().flatten().collect())
}

/// The same for up to `limit` rows, a parameter of the statement. Others take the places of those that are passed over, so
/// that fewer than `limit` are the end.
pub(crate) fn read_page<T>(
    db: &dyn Db,
    sql: Sql,
    values: &Values<'_>,
    limit: u32,
    mut map: impl FnMut(&Row<'_>) -> Step<T>,
) -> Step<Vec<T>> {
    let mut asked = limit;
    loop {
        let mut seen = 0;
        let rows = read_known(db, sql, &[values, &[(":limit", &asked)]].concat(), |row| {
            seen += 1;
            map(row)
        })?;
        let there = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        if there >= limit || seen < asked {
            return Ok(rows.into_iter().take(limit as usize).collect());
        }
        asked = limit.saturating_add(seen - there);
    }
}

/// Reads the first row of a statement, if there is one.
pub(crate) fn read_one<T>(
    db: &dyn Db,
    sql: Sql,
    values: &Values<'_>,
    map: impl Fn(&Row<'_>) -> Step<T>,
) -> Step<Option<T>> {
    let mut found = None;
    db.each(sql, values, &mut |row| {
        found = Some(map(row)?);
        Ok(false)
    })?;
    Ok(found)
}

/// Whether a statement has a row.
pub(crate) fn exists(db: &dyn Db, sql: Sql, values: &Values<'_>) -> Step<bool> {
    Ok(read_one(db, sql, values, |_| Ok(()))?.is_some())
}

/// A value in a row, or bound to a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value<'a> {
    Null,
    Int(i64),
    Text(&'a str),
    Blob(&'a [u8]),
}

/// What can be bound to a parameter.
pub(crate) trait ToSql {
    fn value(&self) -> Value<'_>;
}

macro_rules! integers {
    ($($kind:ty),*) => {$(
        impl ToSql for $kind {
            fn value(&self) -> Value<'_> {
                Value::Int(i64::from(*self))
            }
        }

        impl FromSql<'_> for $kind {
            fn from_sql(value: Value<'_>) -> Option<Self> {
                match value {
                    Value::Int(number) => Self::try_from(number).ok(),
                    _ => None,
                }
            }
        }
    )*};
}
integers!(i64, i32, u32, u16, u8);

impl ToSql for bool {
    fn value(&self) -> Value<'_> {
        Value::Int(i64::from(*self))
    }
}

impl ToSql for str {
    fn value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToSql for String {
    fn value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToSql for Vec<u8> {
    fn value(&self) -> Value<'_> {
        Value::Blob(self)
    }
}

impl<const N: usize> ToSql for [u8; N] {
    fn value(&self) -> Value<'_> {
        Value::Blob(self)
    }
}

impl<T: ToSql + ?Sized> ToSql for &T {
    fn value(&self) -> Value<'_> {
        (**self).value()
    }
}

impl<T: ToSql> ToSql for Option<T> {
    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, ToSql::value)
    }
}

/// What can be taken out of a row.
pub(crate) trait FromSql<'a>: Sized {
    /// Nothing: the value is of another kind.
    fn from_sql(value: Value<'a>) -> Option<Self>;
}

impl FromSql<'_> for bool {
    fn from_sql(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Int(number) => Some(number != 0),
            _ => None,
        }
    }
}

impl<'a> FromSql<'a> for &'a str {
    fn from_sql(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl<'a> FromSql<'a> for String {
    fn from_sql(value: Value<'a>) -> Option<Self> {
        <&str>::from_sql(value).map(str::to_owned)
    }
}

impl<'a> FromSql<'a> for &'a [u8] {
    fn from_sql(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Blob(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl<'a> FromSql<'a> for Vec<u8> {
    fn from_sql(value: Value<'a>) -> Option<Self> {
        <&[u8]>::from_sql(value).map(<[u8]>::to_vec)
    }
}

impl<'a, const N: usize> FromSql<'a> for [u8; N] {
    fn from_sql(value: Value<'a>) -> Option<Self> {
        <&[u8]>::from_sql(value)?.try_into().ok()
    }
}

impl<'a, T: FromSql<'a>> FromSql<'a> for Option<T> {
    fn from_sql(value: Value<'a>) -> Option<Self> {
        if value == Value::Null { Some(None) } else { T::from_sql(value).map(Some) }
    }
}

/// The columns of a row, as a database hands them over.
pub(crate) trait Columns {
    fn value(&self, column: usize) -> Step<Value<'_>>;
}

/// A row.
pub(crate) struct Row<'a>(pub(crate) &'a dyn Columns);

impl<'a> Row<'a> {
    /// The value of a column, counted from 0.
    pub(crate) fn get<T: FromSql<'a>>(&self, column: usize) -> Step<T> {
        let value = self.0.value(column)?;
        T::from_sql(value).ok_or_else(|| Fault::Unreadable(format!("column {column} holds {value:?}")))
    }
}

/// An instant as it is stored.
pub(crate) fn millis(at: Option<Timestamp>) -> Option<i64> {
    at.map(Timestamp::as_millis)
}

/// A release of the tz database as it is stored.
pub(crate) fn release(tzdata: Option<TzdataVersion>) -> Option<i64> {
    tzdata.map(|tzdata| i64::from(tzdata.number()))
}

pub(crate) fn instant(row: &Row<'_>, column: usize) -> Step<Timestamp> {
    row.get(column).map(Timestamp::from_millis)
}

pub(crate) fn maybe_instant(row: &Row<'_>, column: usize) -> Step<Option<Timestamp>> {
    Ok(row.get::<Option<i64>>(column)?.map(Timestamp::from_millis))
}

pub(crate) fn incarnation(row: &Row<'_>, column: usize) -> Step<Incarnation> {
    row.get::<[u8; 16]>(column).map(|bytes| Incarnation(u128::from_be_bytes(bytes)))
}

pub(crate) fn run_id(row: &Row<'_>, column: usize) -> Step<RunId> {
    row.get(column).map(RunId::from_bytes)
}

pub(crate) fn maybe_run_id(row: &Row<'_>, column: usize) -> Step<Option<RunId>> {
    Ok(row.get::<Option<[u8; 16]>>(column)?.map(RunId::from_bytes))
}

/// A word of the model, such as a state.
pub(crate) fn word<T>(row: &Row<'_>, column: usize, from_word: fn(&str) -> Option<T>) -> Step<T> {
    let text = row.get::<&str>(column)?;
    from_word(text).ok_or_else(|| Fault::Unreadable(format!("`{text}` is no word of this program")))
}

pub(crate) fn maybe_word<T>(row: &Row<'_>, column: usize, from_word: fn(&str) -> Option<T>) -> Step<Option<T>> {
    match row.0.value(column)? {
        Value::Null => Ok(None),
        _ => word(row, column, from_word).map(Some),
    }
}
