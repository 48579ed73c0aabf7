//! Stores by address.

use std::sync::Arc;

use crate::options::Options;
use crate::{Error, MemoryStore, Result, Store};

/// Opens the store that an address names: `memory:` (nothing outlives the process) `sqlite:PATH` (made if missing),
/// or `postgres://USER:PASSWORD@HOST/DATABASE` or `mysql://USER:PASSWORD@HOST/DATABASE` (set up if empty).
///
/// # Errors
/// [`Error::Unusable`] if the address names no known kind of store, or what is there cannot be used.
///
/// ```
/// # #[cfg(feature = "postgres")]
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// assert!(mainspring_store::open("memory:").await.is_ok());
/// let error = mainspring_store::open("postgres://me:secret@db:port/jobs").await.err().unwrap().to_string();
/// assert!(error.contains("address") && !error.contains("secret"));
/// # });
/// ```
pub async fn open(address: &str) -> Result<Arc<dyn Store>> {
    open_with(address, Options::default()).await
}

/// The same, with options for a store in a file.
///
/// # Errors
/// See [`open`].
pub async fn open_with(address: &str, options: Options) -> Result<Arc<dyn Store>> {
    let (scheme, rest) = address.split_once(':').unwrap_or(("", address));
    // Not all of an address that may hold a password.
    let shown = if rest.contains('@') { scheme } else { address };
    let unusable = |why: &str| Error::Unusable { store: shown.to_owned(), why: why.to_owned() };
    match (scheme, rest) {
        ("memory", "") => Ok(Arc::new(MemoryStore::new())),
        ("memory", _) => Err(unusable("a store in memory has no place; say memory:")),
        ("sqlite", "") => Err(unusable("it names no file; say sqlite:PATH")),
        #[cfg(feature = "sqlite")]
        ("sqlite", path) => {
            let path = path.to_owned();
            opened(move || crate::SqliteStore::open(path, options)).await
        }
        #[cfg(feature = "postgres")]
        ("postgres" | "postgresql", _) => {
            let address = address.to_owned();
            opened(move || crate::PostgresStore::open(&address)).await
        }
        #[cfg(feature = "mysql")]
        ("mysql" | "mariadb", _) => {
            let address = address.to_owned();
            opened(move || crate::MysqlStore::open(&address)).await
        }
        #[cfg(not(all(feature = "sqlite", feature = "postgres", feature = "mysql")))]
        ("sqlite" | "postgres" | "postgresql" | "mysql" | "mariadb", _) => {
            Err(unusable("this program was built without such stores; add the crate's feature sqlite, postgres or mysql"))
        }
        ("", _) => Err(Error::Unusable {
            store: address.to_owned(),
            why: "it is no address of a store; say postgres://HOST/DATABASE, mysql://HOST/DATABASE, sqlite:PATH or memory:".to_owned(),
        }),
        _ => Err(unusable("there is no such kind of store; say postgres://HOST/DATABASE, mysql://HOST/DATABASE, sqlite:PATH or memory:")),
    }
}

/// Opens a store on a thread that may wait.
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]
async fn opened<S: Store + 'static>(open: impl FnOnce() -> Result<S> + Send + 'static) -> Result<Arc<dyn Store>> {
    let opened = tokio::task::spawn_blocking(open).await;
    Ok(Arc::new(opened.expect("opening a store does not panic")?))
}

#[cfg(all(test, feature = "sqlite", feature = "postgres", feature = "mysql"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn addresses_that_name_no_store_are_refused_with_what_to_say() {
        let cases = [
            ("jobs.db", "sqlite:PATH"),
            ("sqlite:", "names no file"),
            ("memory:jobs", "say memory:"),
            ("mysql://root:secret@db:port/jobs", "its address is wrong"),
            ("mariadb://root:secret@db", "names no database"),
            ("redis://cache", "no such kind"),
            ("foo:bar", "foo:bar"),
        ];
        for (address, expected) in cases {
            let error = open(address).await.err().unwrap().to_string();
            assert!(error.contains(expected), "{address}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[tokio::test]
    async fn each_kind_of_store_opens() {
        let folder = tempfile::tempdir().unwrap();
        let file = format!("sqlite:{}", folder.path().join("jobs.db").display());
        for (address, kind) in [("memory:", "memory"), (file.as_str(), "sqlite")] {
            let store = open(address).await.unwrap();
            assert_eq!(store.info().await.unwrap().kind, kind);
            store.close().await.unwrap();
        }
    }
}
