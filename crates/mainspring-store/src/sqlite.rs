//! The embedded store: one file, one process, no other program.
//!
//! One thread writes ([`writer`]): the engine's requests first, those that wait together in one transaction, synced to
//! the disk before they are answered. A few threads read, and one moves pages from the log to the database. The
//! statements are in `queries/`, the schema in `migrations/sqlite/`.

mod beside;
mod checkpoint;
mod connection;
mod lock;
mod mark;
mod migrate;
mod open;
mod reader;
mod wal;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;
use tokio::sync::Notify;

use crate::error::{Error, Result};
use crate::options::Options;
use crate::row::{Disk, StoreInfo, StoreWarning};
use crate::sql::backend::{Backend, Lane, ReadLane};
use crate::sql::db::Step;
use crate::sql::session::Session;
use beside::with_suffix;
use checkpoint::Checkpointer;
use lock::Lock;
use reader::{Patience, Readers};
use writer::Writer;

/// A store in one SQLite file. Every answered change is on the disk: it survives a crash and a power failure.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mainspring_store::{Options, SqliteStore, Store};
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("mainspring.db");
/// let store = SqliteStore::open(&path, Options::default())?;
/// store.set_setting("colour", "blue").await?;
/// assert!(SqliteStore::open(&path, Options::default()).is_err(), "one at a time");
/// store.close().await?;
/// let store = SqliteStore::open(&path, Options::default())?;
/// assert_eq!(store.setting("colour").await?.as_deref(), Some("blue"));
/// # Ok::<(), mainspring_store::Error>(())
/// # }).unwrap();
/// ```
pub struct SqliteStore {
    path: PathBuf,
    changed: Arc<Notify>,
    /// For the engine: no request can be in its way.
    engine: Readers,
    requests: Readers,
    /// For counts over everything.
    counts: Readers,
    writer: Writer,
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.path).finish_non_exhaustive()
    }
}

impl SqliteStore {
    /// Opens the store at `path`, and makes it if it is not there. Blocks while it is checked and brought up to date.
    ///
    /// Beside it lie `<path>.lock`, which keeps other processes out, `<path>-mark`, which says how much was acknowledged, and SQLite's
    /// `-wal` and `-shm` files: beside the file itself, where the path is a symbolic link.
    ///
    /// # Errors
    /// [`Error::Unusable`] if another process has it, the place cannot be written or is on a network file system,
    /// the file or its log is damaged, foreign, or from a newer version, or it lacks changes that were acknowledged. Nothing is changed then.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self> {
        let name = path.as_ref().display().to_string();
        let path = &behind_links(path.as_ref());
        let unusable = |why: String| Error::Unusable { store: name.clone(), why };
        let lock = Lock::take(&lock_path(path)).map_err(unusable)?;
        open::check_log(path, options.accept_data_loss).map_err(unusable)?;
        let (connection, mark) = open::writer(path, options.accept_data_loss).map_err(unusable)?;
        let session = Session::new(connection);
        let start = || {
            let engine = Readers::start(path, &name, 1)?;
            let requests = Readers::start(path, &name, options.readers.max(1))?;
            let counts = Readers::start(path, &name, 1)?;
            let changed = Arc::new(Notify::new());
            let checkpointer = Checkpointer::start(path)?;
            let writer = Writer::start(session, path, mark, checkpointer, lock, changed.clone(), name.clone())?;
            Ok(Self { path: path.to_owned(), changed, engine, requests, counts, writer })
        };
        start().map_err(|error: std::io::Error| unusable(format!("its threads cannot be started: {error}")))
    }

    /// Bytes of the database and its log.
    fn bytes(&self) -> u64 {
        let log = with_suffix(&self.path, "-wal");
        let sizes = [&self.path, &log].map(|path| std::fs::metadata(path).map_or(0, |meta| meta.len()));
        sizes.iter().sum()
    }
}

/// Links that lead to a file, at most: as many as Linux follows.
const LINKS_MAX: u32 = 40;

/// The file that a symbolic link leads to, also one that is not there yet. Its lock keeps out whoever comes by another name.
fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        let Ok(target) = std::fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

fn lock_path(path: &Path) -> PathBuf {
    with_suffix(path, ".lock")
}

impl Backend for SqliteStore {
    type Connection = Connection;

    async fn write<T: Send + 'static>(
        &self,
        lane: Lane,
        operation: &'static str,
        work: impl FnMut(&mut Session<Connection>) -> Step<T> + Send + 'static,
    ) -> Result<T> {
        let lane = match lane {
            Lane::Fire | Lane::Complete | Lane::Claim => writer::Lane::Engine,
            Lane::Log | Lane::Api => writer::Lane::Api,
        };
        self.writer.call(lane, operation, work).await
    }

    async fn read<T: Send + 'static>(
        &self,
        lane: ReadLane,
        operation: &'static str,
        work: impl FnMut(&Connection) -> Step<T> + Send + 'static,
    ) -> Result<T> {
        match lane {
            ReadLane::Engine => self.engine.call(operation, Patience::Long, work).await,
            ReadLane::Requests => self.requests.call(operation, Patience::Short, work).await,
            ReadLane::Counts => self.counts.call(operation, Patience::Long, work).await,
        }
    }

    async fn warnings_of_server(&self) -> Result<Vec<StoreWarning>> {
        let low = self.disk().filter(|disk| disk.is_low());
        let warning = |disk: Disk| StoreWarning {
            code: "store.disk_low",
            message: format!(
                "{} MiB of {} MiB are free on the disk of {}",
                disk.free >> 20,
                disk.total >> 20,
                self.path.display()
            ),
            hint: "make room: below a twentieth log lines are not kept, and on a full disk nothing fires",
        };
        Ok(low.map(warning).into_iter().collect())
    }

    fn disk(&self) -> Option<Disk> {
        let about = rustix::fs::statvfs(&self.path).ok()?;
        Some(Disk { free: about.f_bavail * about.f_frsize, total: about.f_blocks * about.f_frsize })
    }

    fn wake(&self) -> &Notify {
        &self.changed
    }

    async fn about(&self, counts: StoreInfo) -> Result<StoreInfo> {
        Ok(StoreInfo {
            kind: "sqlite",
            version: rusqlite::version().to_owned(),
            schema: migrate::NEWEST,
            bytes: self.bytes(),
            ..counts
        })
    }

    async fn end(&self) -> Result<()> {
        for readers in [&self.engine, &self.requests, &self.counts] {
            readers.close();
        }
        self.writer.close().await
    }
}

#[cfg(test)]
mod tests;
