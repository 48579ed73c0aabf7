//! A connection of SQLite as the requests see it.

use rusqlite::types::{ToSqlOutput, Type, ValueRef};
use rusqlite::{Connection, Statement};

use crate::sql::Batches;
use crate::sql::db::{Columns, Db, Fault, Row, Sql, Step, ToSql, Value, Values};

impl Db for Connection {
    fn execute(&self, sql: Sql, values: &Values<'_>) -> Step<u64> {
        let mut statement = self.prepare_cached(sql.text)?;
        bind(&mut statement, values)?;
        Ok(statement.raw_execute()? as u64)
    }

    fn each(&self, sql: Sql, values: &Values<'_>, each: &mut dyn FnMut(&Row<'_>) -> Step<bool>) -> Step<()> {
        let mut statement = self.prepare_cached(sql.text)?;
        bind(&mut statement, values)?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next()? {
            if !each(&Row(row))? {
                break;
            }
        }
        Ok(())
    }
}

impl Batches for Connection {}

/// Binds values in the order in which their names first stand in the statement.
///
/// The names are compared in debug builds only: looking them up costs as much as a step of the statement.
fn bind(statement: &mut Statement<'_>, values: &Values<'_>) -> rusqlite::Result<()> {
    debug_assert_eq!(statement.parameter_count(), values.len(), "each parameter has a value");
    for (index, (name, value)) in (1..).zip(values) {
        debug_assert_eq!(statement.parameter_name(index), Some(*name), "parameter {index}");
        statement.raw_bind_parameter(index, Bound(value.value()))?;
    }
    Ok(())
}

struct Bound<'a>(Value<'a>);

impl rusqlite::ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Int(number) => ValueRef::Integer(number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl Columns for rusqlite::Row<'_> {
    fn value(&self, column: usize) -> Step<Value<'_>> {
        Ok(match self.get_ref(column)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => Value::Int(number),
            ValueRef::Blob(bytes) => Value::Blob(bytes),
            ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Value::Text(text),
                Err(error) => return Err(Fault::Unreadable(format!("column {column} is no text: {error}"))),
            },
            ValueRef::Real(_) => {
                return Err(rusqlite::Error::InvalidColumnType(column, String::new(), Type::Real).into());
            }
        })
    }
}
