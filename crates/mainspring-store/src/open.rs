//! Stores by address.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::sqlite::Options;
use crate::{MemoryStore, SqliteStore, Store};

/// Opens the store that an address names: `memory:` (nothing outlives the process) or `sqlite:PATH` (made if missing).
///
/// # Errors
/// [`Error::Unusable`] if the address names no known kind of store, or what is there cannot be used.
pub async fn open(address: &str) -> Result<Arc<dyn Store>> {
    if address == "memory:" {
        return Ok(Arc::new(MemoryStore::new()));
    }
    if let Some(path) = address.strip_prefix("sqlite:").filter(|path| !path.is_empty()) {
        let path = path.to_owned();
        let opened = tokio::task::spawn_blocking(move || SqliteStore::open(path, Options::default())).await;
        return Ok(Arc::new(opened.expect("opening a store does not panic")?));
    }
    let why = match address.split_once(':') {
        Some(("postgres" | "postgresql" | "mysql" | "mariadb", _)) => "this version keeps jobs in memory or in SQLite",
        _ => "a store is `memory:` or `sqlite:PATH`",
    };
    Err(Error::Unusable { store: address.to_owned(), why: why.to_owned() })
}
