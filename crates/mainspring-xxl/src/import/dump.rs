//! Reads the tables of XXL-JOB out of a dump. Statements of other tables are passed over unread.

use std::collections::BTreeMap;
use std::sync::Arc;

use sqlparser::ast::{Expr, ObjectName, SetExpr, Statement, TableObject, UnaryOperator, Value};
use sqlparser::dialect::MySqlDialect;
use sqlparser::parser::Parser;

use super::statements::{Cut, statements};

/// Why a dump cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DumpError {
    /// The bytes are no UTF-8.
    #[error("line {line} is no UTF-8")]
    NotUtf8 {
        /// Which line, from 1.
        line: usize,
        /// Whether it begins like UTF-16.
        is_utf16: bool,
    },
    /// The text ends within a statement.
    #[error("the dump ends in the middle of the statement that begins on line {line}")]
    Cut {
        /// Which line, from 1.
        line: usize,
    },
    /// A statement of one of the tables cannot be read.
    #[error("the statement on line {line} cannot be read: {problem}")]
    Syntax {
        /// Where it begins, from 1.
        line: usize,
        /// What the parser says.
        problem: String,
    },
    /// Rows whose columns nobody says.
    #[error("line {line} has rows of {table}, and the dump does not say which columns they have")]
    Columns {
        /// Where, from 1.
        line: usize,
        /// Whose.
        table: String,
    },
    /// A row with more or fewer values than columns.
    #[error("line {line} has a row of {table} with {values} values for {columns} columns")]
    Width {
        /// Where the statement begins, from 1.
        line: usize,
        /// Whose.
        table: String,
        /// How many values.
        values: usize,
        /// How many columns.
        columns: usize,
    },
    /// There is no table of jobs.
    #[error("there is no table xxl_job_info: it is not the database of XXL-JOB")]
    NoJobs,
}

/// A row: its values by the names of their columns, in lower case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    columns: Arc<Vec<String>>,
    values: Vec<Option<String>>,
}

impl Row {
    /// Makes a row of the names of columns and their values.
    #[must_use]
    pub(crate) fn of(values: Vec<(String, String)>) -> Self {
        let (columns, values) = values.into_iter().map(|(column, value)| (column, Some(value))).unzip();
        Self { columns: Arc::new(columns), values }
    }

    /// The value of a column as text; nothing if it is null, or if the release has no such column.
    #[must_use]
    pub fn get(&self, column: &str) -> Option<&str> {
        let index = self.columns.iter().position(|known| known == column)?;
        self.values.get(index)?.as_deref()
    }

    /// The value without blanks around it; nothing if nothing is left.
    #[must_use]
    pub fn text(&self, column: &str) -> Option<&str> {
        self.get(column).map(str::trim).filter(|text| !text.is_empty())
    }

    /// The value as a number.
    #[must_use]
    pub fn number(&self, column: &str) -> Option<i64> {
        self.text(column)?.parse().ok()
    }
}

/// What a dump says of a table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Table {
    /// Names of the columns with their types, in lower case, as the dump defines them.
    defined: Vec<(String, String)>,
    rows: Vec<Row>,
}

/// A table as a database has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// Its name.
    pub name: String,
    /// The names of its columns, with their types.
    pub columns: Vec<(String, String)>,
    /// Its rows: a text for each column, or nothing where it is null.
    pub rows: Vec<Vec<Option<String>>>,
}

/// The tables of a dump that matter.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tables {
    tables: BTreeMap<String, Table>,
    /// Since when runs are read, as the database writes times; none are if absent.
    runs_since: Option<String>,
}

/// The tables that are read. Registrations are not imported.
const READ: [&str; 5] = ["xxl_job_info", "xxl_job_group", "xxl_job_logglue", "xxl_job_user", "xxl_job_lock"];
/// The tables of runs, which may be most of a dump: they are read where that is asked for, with the columns that tell the time.
const RUNS: [(&str, &str); 2] = [("xxl_job_log", "trigger_time"), ("xxl_job_log_report", "trigger_day")];

impl Tables {
    /// Reads a dump.
    ///
    /// # Errors
    /// When it is cut, is no UTF-8, or has a statement of a table of XXL-JOB that cannot be read. Nothing is taken of it then.
    pub fn read(dump: &[u8]) -> Result<Self, DumpError> {
        Self::read_since(dump, None)
    }

    /// Reads a dump with the runs that were triggered since a time, written as the database writes it: `2026-01-31 23:59:59`.
    ///
    /// # Errors
    /// As of [`Tables::read`].
    pub fn read_since(dump: &[u8], runs_since: Option<&str>) -> Result<Self, DumpError> {
        let text = std::str::from_utf8(dump).map_err(|error| {
            let before = &dump[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            DumpError::NotUtf8 { line, is_utf16: dump.starts_with(&[0xff, 0xfe]) || dump.starts_with(&[0xfe, 0xff]) }
        })?;
        let mut tables = Self { runs_since: runs_since.map(str::to_owned), ..Self::default() };
        for statement in statements(text.trim_start_matches('\u{feff}')) {
            let statement = statement.map_err(|Cut { line }| DumpError::Cut { line })?;
            if let Some(table) =
                table_of(&statement.text).filter(|table| READ.contains(&table.as_str()) || runs_since.is_some())
            {
                tables.take(&table, statement.line, &statement.text)?;
            }
        }
        tables.with_jobs()
    }

    /// Takes tables as a database has them. Those that do not matter are passed over.
    ///
    /// # Errors
    /// There is no table of jobs.
    pub fn of(given: impl IntoIterator<Item = Given>) -> Result<Self, DumpError> {
        let mut tables = Self::default();
        for Given { name, columns, rows } in given {
            let Some(name) = known(&name) else { continue };
            let lower = |(name, kind): (String, String)| (name.to_lowercase(), kind.to_lowercase());
            let defined: Vec<(String, String)> = columns.into_iter().map(lower).collect();
            let columns = Arc::new(defined.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>());
            let rows = rows.into_iter().map(|values| Row { columns: Arc::clone(&columns), values }).collect();
            tables.tables.insert(name, Table { defined, rows });
        }
        tables.with_jobs()
    }

    /// Tells whether a table of this name matters, and of a table of runs the column by which those are chosen that are not too old.
    #[must_use]
    pub fn wants(table: &str) -> Option<Option<&'static str>> {
        known(table).map(|name| column_of_time(&name))
    }

    fn with_jobs(self) -> Result<Self, DumpError> {
        if self.has("xxl_job_info") { Ok(self) } else { Err(DumpError::NoJobs) }
    }

    /// The rows of a table.
    #[must_use]
    pub fn rows(&self, table: &str) -> &[Row] {
        self.tables.get(table).map_or(&[], |table| &table.rows)
    }

    /// Tells whether the dump has the table, with or without rows.
    #[must_use]
    pub fn has(&self, table: &str) -> bool {
        self.tables.contains_key(table)
    }

    /// The type of a column, in lower case. Nothing if the table has none, or if the dump does not define it.
    #[must_use]
    pub fn type_of(&self, table: &str, column: &str) -> Option<&str> {
        let defined = &self.tables.get(table)?.defined;
        defined.iter().find(|(name, _)| name == column).map(|(_, kind)| kind.as_str())
    }

    /// Tells whether a table has a column, by its definition or by its rows.
    #[must_use]
    pub fn has_column(&self, table: &str, column: &str) -> bool {
        let of_rows = self.rows(table).first().is_some_and(|row| row.columns.iter().any(|known| known == column));
        of_rows || self.type_of(table, column).is_some()
    }

    fn take(&mut self, table: &str, line: usize, text: &str) -> Result<(), DumpError> {
        let syntax = |problem: String| DumpError::Syntax { line, problem };
        let parsed = Parser::parse_sql(&MySqlDialect {}, text).map_err(|error| syntax(error.to_string()))?;
        for statement in parsed {
            match statement {
                Statement::CreateTable(create) => {
                    let column = |column: sqlparser::ast::ColumnDef| {
                        (column.name.value.to_lowercase(), column.data_type.to_string().to_lowercase())
                    };
                    self.tables.entry(table.to_owned()).or_default().defined =
                        create.columns.into_iter().map(column).collect();
                }
                Statement::Insert(insert) => {
                    let TableObject::TableName(_) = &insert.table else { continue };
                    let named: Vec<String> = insert.columns.iter().map(last).collect();
                    let Some(SetExpr::Values(values)) = insert.source.map(|query| *query.body) else {
                        return Err(syntax("rows must be a list of values".to_owned()));
                    };
                    let rows = values.rows.into_iter().map(|row| row.content);
                    self.insert(table, line, named, rows)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn insert(
        &mut self,
        table: &str,
        line: usize,
        named: Vec<String>,
        rows: impl Iterator<Item = Vec<Expr>>,
    ) -> Result<(), DumpError> {
        let entry = self.tables.entry(table.to_owned()).or_default();
        let columns = match named.is_empty() {
            true => entry.defined.iter().map(|(name, _)| name.clone()).collect(),
            false => named,
        };
        if columns.is_empty() {
            return Err(DumpError::Columns { line, table: table.to_owned() });
        }
        let columns = Arc::new(columns);
        let (time, since) = (column_of_time(table), self.runs_since.as_deref().unwrap_or_default());
        for row in rows {
            if row.len() != columns.len() {
                let (values, columns) = (row.len(), columns.len());
                return Err(DumpError::Width { line, table: table.to_owned(), values, columns });
            }
            let values = row.iter().map(|value| literal(value, line)).collect::<Result<_, _>>()?;
            let row = Row { columns: Arc::clone(&columns), values };
            if time.is_none_or(|time| row.text(time).is_some_and(|at| at >= since)) {
                entry.rows.push(row);
            }
        }
        Ok(())
    }
}

/// The table that a statement defines or fills. Nothing if it is none that is read.
fn table_of(text: &str) -> Option<String> {
    let head = text.split('(').next()?;
    let mut words: Vec<&str> = head.split_whitespace().collect();
    let starts = |word: &str| words.first().is_some_and(|first| first.eq_ignore_ascii_case(word));
    if !(starts("insert") || starts("replace") || starts("create")) {
        return None;
    }
    words.retain(|word| !word.eq_ignore_ascii_case("values") && !word.eq_ignore_ascii_case("value"));
    known(words.last()?.rsplit('.').next()?.trim_matches(['`', '"']))
}

/// The name of a table from 2.1 on. Nothing if it is none that is read.
fn known(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    // 2.0 named its tables otherwise.
    let name = name.strip_prefix("xxl_job_qrtz_trigger_").map_or_else(|| name.clone(), |end| format!("xxl_job_{end}"));
    (READ.contains(&name.as_str()) || column_of_time(&name).is_some()).then_some(name)
}

/// The column by which rows of a table of runs are chosen. Nothing if it is no such table.
fn column_of_time(table: &str) -> Option<&'static str> {
    RUNS.iter().find(|(name, _)| *name == table).map(|(_, column)| *column)
}

/// The last part of a name, in lower case.
fn last(name: &ObjectName) -> String {
    let part = name.0.last().and_then(|part| part.as_ident()).map(|ident| ident.value.to_lowercase());
    part.unwrap_or_default()
}

/// The text of a literal; null is nothing.
fn literal(value: &Expr, line: usize) -> Result<Option<String>, DumpError> {
    match value {
        Expr::Value(value) => match &value.value {
            Value::Null => Ok(None),
            Value::Boolean(value) => Ok(Some(u8::from(*value).to_string())),
            Value::Number(number, _) => Ok(Some(number.clone())),
            Value::HexStringLiteral(hex) => unhex(hex).map(Some).ok_or_else(|| no_literal(value, line)),
            other => other.clone().into_string().map(Some).ok_or_else(|| no_literal(value, line)),
        },
        Expr::Prefixed { value, .. } | Expr::Nested(value) => literal(value, line),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => Ok(literal(expr, line)?.map(|number| format!("-{number}"))),
        other => Err(no_literal(other, line)),
    }
}

fn no_literal(value: &dyn std::fmt::Display, line: usize) -> DumpError {
    DumpError::Syntax { line, problem: format!("{value} is no literal") }
}

/// Reads a text that was written as hexadecimal digits.
fn unhex(digits: &str) -> Option<String> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let digits: Vec<u8> = digits.as_bytes().iter().map(digit).collect::<Option<_>>()?;
    let bytes = digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect();
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(dump: &str) -> Result<Tables, DumpError> {
        Tables::read(dump.as_bytes())
    }

    #[test]
    fn rows_are_read_by_definition_or_by_named_columns() {
        let defined = "CREATE TABLE `xxl_job_info` (`id` int(11) NOT NULL AUTO_INCREMENT, `Job_Desc` varchar(255) COLLATE utf8mb4_bin, PRIMARY KEY (`id`) USING BTREE, KEY `i` (`job_desc`)) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;\n";
        for insert in [
            "INSERT INTO `xxl_job_info` VALUES (1,'it\\'s\\n\\\\ \"x\" 中文'),(-2,NULL);",
            "REPLACE INTO db.XXL_JOB_INFO (job_desc, id) VALUES ('it''s\\n\\\\ \"x\" 中文', 1),(NULL,-2);",
            "INSERT INTO `xxl_job_info` VALUES (1,_utf8mb4 0x697427730A5C2022782220E4B8ADE69687),(-2,NULL);",
        ] {
            let tables = read(&format!("{defined}{insert}")).unwrap();
            let rows = tables.rows("xxl_job_info");
            assert_eq!(rows[0].get("job_desc"), Some("it's\n\\ \"x\" 中文"), "{insert}");
            assert_eq!((rows[1].number("id"), rows[1].get("job_desc")), (Some(-2), None), "{insert}");
            assert_eq!(tables.type_of("xxl_job_info", "id"), Some("int(11)"));
            assert!(tables.has_column("xxl_job_info", "job_desc") && !tables.has_column("xxl_job_info", "job_cron"));
        }
    }

    #[test]
    fn statements_of_other_tables_are_not_read() {
        let dump = "CREATE TABLE xxl_job_info (id int);\nINSERT INTO xxl_job_log VALUES (nonsense ~~~ ( ;\nSELECT * FROM xxl_job_info;\nINSERT INTO shop.orders VALUES (1);";
        assert_eq!(read(dump).unwrap().rows("xxl_job_info"), []);
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_line() {
        let table = "CREATE TABLE xxl_job_info (id int, a int);\n";
        let cases = [
            (
                format!("{table}INSERT INTO xxl_job_info VALUES (1,2),(3,"),
                "the dump ends in the middle of the statement that begins on line 2",
            ),
            (
                format!("{table}INSERT INTO xxl_job_info VALUES (1);"),
                "line 2 has a row of xxl_job_info with 1 values for 2 columns",
            ),
            (
                format!("{table}INSERT INTO xxl_job_info VALUES (1, now());"),
                "the statement on line 2 cannot be read: now() is no literal",
            ),
            (
                "INSERT INTO xxl_job_info VALUES (1);".to_owned(),
                "line 1 has rows of xxl_job_info, and the dump does not say which columns they have",
            ),
            (
                "CREATE TABLE orders (id int);".to_owned(),
                "there is no table xxl_job_info: it is not the database of XXL-JOB",
            ),
            (String::new(), "there is no table xxl_job_info: it is not the database of XXL-JOB"),
        ];
        for (dump, message) in cases {
            assert_eq!(read(&dump).unwrap_err().to_string(), message, "{dump}");
        }
        assert!(
            read("CREATE TABLE xxl_job_info (id int,;").unwrap_err().to_string().starts_with("the statement on line 1")
        );
        let utf16 = Tables::read(b"\xff\xfeC\0R\0").unwrap_err();
        assert_eq!(utf16, DumpError::NotUtf8 { line: 1, is_utf16: true });
        assert_eq!(Tables::read(b"a\nb\xe4;").unwrap_err(), DumpError::NotUtf8 { line: 2, is_utf16: false });
    }
}
