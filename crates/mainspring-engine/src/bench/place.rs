//! The store that a benchmark fills, and that its nodes open after it.

use std::sync::Arc;

use mainspring_store::{MemoryStore, Store};

use super::{Error, Result, Site};

/// Where the store is.
pub(super) enum Place {
    /// In this process, for as long as this value is there.
    Memory(Arc<dyn Store>),
    /// At an address that every process can open, one after the other or together.
    Address(String),
}

impl Place {
    /// Finds an empty store that so many nodes can have.
    pub(super) async fn empty(site: &Site<'_>) -> Result<Self> {
        let nodes = site.nodes;
        match site.store.split(':').next() {
            Some("memory") if nodes > 1 => return Err(Error::OneNode { store: "a store in memory", nodes }),
            Some("sqlite") if nodes > 1 => return Err(Error::OneNode { store: "SQLite", nodes }),
            _ => {}
        }
        let place = match site.store {
            "memory:" => Self::Memory(Arc::new(MemoryStore::new())),
            address => Self::Address(address.to_owned()),
        };
        let store = place.open().await?;
        let found = is_empty(&*store).await;
        place.close(&*store).await?;
        found.map(|()| place)
    }

    pub(super) async fn open(&self) -> Result<Arc<dyn Store>> {
        match self {
            Self::Memory(store) => Ok(Arc::clone(store)),
            Self::Address(address) => Ok(mainspring_store::open(address).await?),
        }
    }

    /// Lets go of a store that [`Self::open`] gave.
    pub(super) async fn close(&self, store: &dyn Store) -> Result {
        match self {
            Self::Memory(_) => Ok(()),
            Self::Address(_) => Ok(store.close().await?),
        }
    }
}

async fn is_empty(store: &dyn Store) -> Result {
    let jobs = store.info().await?.jobs;
    match store.tally().await?.len() as u64 {
        0 if jobs == 0 => Ok(()),
        triggers => Err(Error::NotEmpty { jobs, triggers }),
    }
}
