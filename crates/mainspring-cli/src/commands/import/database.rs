//! The database of XXL-JOB itself, which is only read.

use std::path::Path;

use mainspring_store::{Error as StoreError, Wanted, read_tables};
use mainspring_xxl::import::{Given, Tables};

use super::unreadable;
use crate::commands::xxl::first_line;
use crate::connect;
use crate::error::{Error, Report, Result};
use crate::exit::Exit;

/// Whether a text is the address of a database, and no file.
pub fn is_address(text: &str) -> bool {
    ["mysql://", "mariadb://"].iter().any(|scheme| text.starts_with(scheme))
}

/// Reads the tables that matter, as they are at one moment.
///
/// # Errors
/// The database cannot be read (exit 9), or is none of XXL-JOB.
pub fn tables(address: &str, password: Option<&Path>, since: Option<&str>) -> Result<Tables> {
    let password = password.map(first_line).transpose()?;
    let wanted = |table: &str| match (Tables::wants(table), since) {
        (Some(None), _) => Wanted::All,
        (Some(Some(column)), Some(since)) => Wanted::Since(column, since.to_owned()),
        (Some(Some(_)), None) | (None, _) => Wanted::Nothing,
    };
    let read = connect::block_on(async { Ok(read_tables(address, password.as_deref(), wanted).await) })?;
    let given = read.map_err(|error| unread(&error))?.into_iter();
    let given = given.map(|table| Given { name: table.name, columns: table.columns, rows: table.rows });
    Tables::of(given).map_err(|error| unreadable(&error, without_password(address)))
}

fn unread(error: &StoreError) -> Error {
    let why = match error {
        StoreError::Unusable { store, why } => format!("cannot read {store}: {why}"),
        other => other.to_string(),
    };
    let hint = "the address is mysql://USER@HOST:PORT/DATABASE, and the user needs no right but SELECT";
    Error::new(Exit::Invalid, Report::new("import.database", why).hint(hint))
}

/// What follows the user and the password of an address.
fn without_password(address: &str) -> &str {
    address.rsplit_once('@').map_or(address, |(_, rest)| rest)
}
