//! From a path to connections: what is refused, and how SQLite is set up.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::mark::{self, Mark};
use super::{migrate, wal};

/// The oldest SQLite that is used: earlier ones can corrupt a database when its write-ahead log begins anew.
const OLDEST: (i32, &str) = (3_051_003, "3.51.3");

/// Marks the file as ours: `mspr`.
const APPLICATION_ID: i32 = 0x6d73_7072;

/// Up to this size the whole file is checked when it is opened.
const CHECKED_BYTES: u64 = 16 << 20;

/// Opens the write connection, brings the schema up to date, and has the mark say what the database does. Errors say why the file
/// cannot be used.
pub(super) fn writer(path: &Path, accept_data_loss: bool) -> Result<(Connection, Mark), String> {
    check_version()?;
    check_place(path)?;
    let mark_file = mark::path_of(path);
    let acknowledged = mark::acknowledged(path)
        .map_err(|error| format!("its high-water mark {} cannot be read: {error}", mark_file.display()))?
        .unwrap_or(0);
    if acknowledged > 0 && is_empty(path) && !accept_data_loss {
        return Err(lost(acknowledged, acknowledged, "the file is missing or empty"));
    }
    let bytes = check_file(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| describe(&error))?;
    check_owner(&connection).map_err(|error| describe(&error))??;
    let counted = mark::counted(&connection).map_err(|error| describe(&error))?;
    let missing = acknowledged.saturating_sub(counted);
    if missing > 0 && !accept_data_loss {
        // What is left of the log stays as it is, for whoever can mend it.
        let _kept = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        let cause = "its log was cut off, damaged or removed after a crash, or the file is an older one";
        return Err(lost(missing, acknowledged, cause));
    }
    if missing > 0 {
        tracing::warn!(store = %path.display(), missing, acknowledged, "changes that were acknowledged are missing, which was accepted");
    }
    prepare(&connection, bytes).map_err(|error| describe(&error))??;
    let mark = Mark::start(path, counted)
        .map_err(|error| format!("its high-water mark {} cannot be written: {error}", mark_file.display()))?;
    Ok((connection, mark))
}

/// Says that the database has less than its mark.
fn lost(missing: u64, acknowledged: u64, cause: &str) -> String {
    format!(
        "{missing} of {acknowledged} acknowledged changes are missing from it: {cause}. Nothing was changed: put the file and its log (-wal) back \
         as they were, or go on without these changes, as after a backup was restored: --accept-data-loss"
    )
}

/// Refuses a database whose write-ahead log is damaged, as SQLite would pass over what is behind the damage; or keeps a copy of it.
pub(super) fn check_log(path: &Path, accept_data_loss: bool) -> Result<(), String> {
    let log = super::beside::with_suffix(path, "-wal");
    let damage = wal::damage(&log, is_empty(path))
        .map_err(|error| format!("its log {} cannot be read: {error}", log.display()))?;
    let Some(damage) = damage else { return Ok(()) };
    if !accept_data_loss {
        return Err(format!(
            "its log {} holds changes that were acknowledged, and is damaged: {damage}. Nothing was changed: restore database and log from a backup, \
             or go on without these changes: --accept-data-loss",
            log.display()
        ));
    }
    let kept = super::beside::with_suffix(path, "-wal.damaged");
    std::fs::copy(&log, &kept)
        .map_err(|error| format!("its damaged log cannot be kept as {}: {error}", kept.display()))?;
    Ok(())
}

/// Opens the write connection again, to a file that [`writer`] has accepted before.
pub(super) fn writer_again(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    settle(&connection)?;
    Ok(connection)
}

/// Opens a connection that cannot write.
pub(super) fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(2))?;
    connection.execute_batch("PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY;")?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

fn check_version() -> Result<(), String> {
    if rusqlite::version_number() < OLDEST.0 {
        let (found, oldest) = (rusqlite::version(), OLDEST.1);
        return Err(format!(
            "this program was built with SQLite {found}, which can corrupt files; build with {oldest}"
        ));
    }
    Ok(())
}

/// Shared file systems do not keep the promises that a write-ahead log needs.
fn check_place(path: &Path) -> Result<(), String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let info = rustix::fs::statfs(folder).map_err(|error| format!("{} cannot be used: {error}", folder.display()))?;
    let name = match info.f_type & 0xffff_ffff {
        0x6969 => "NFS",
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => "SMB",
        0x0102_1997 => "9P",
        0x00c3_6400 => "Ceph",
        0x5346_414f | 0x6b41_4653 => "AFS",
        _ => return Ok(()),
    };
    Err(format!("it is on a network file system ({name}), where locks and syncs cannot be relied on. Use a local disk"))
}

/// Looks at the file before SQLite does, so that a foreign file is left alone. Returns its size.
fn check_file(path: &Path) -> Result<u64, String> {
    let cannot = |error: std::io::Error| match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            format!("it cannot be written: {error}. Change its permissions, or those of its folder")
        }
        _ => format!("it cannot be opened: {error}"),
    };
    let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path);
    let mut file = open.map_err(cannot)?;
    let meta = file.metadata().map_err(cannot)?;
    if meta.nlink() > 1 {
        return Err("its file has a second name (a hard link), by which another server could use it at the same time. Remove that name, \
                    or copy the file".into());
    }
    if meta.permissions().readonly() {
        return Err("it is marked read-only. Change its permissions".into());
    }
    if !interrupted(path) {
        check_header(&mut file, meta.len())?;
    }
    Ok(meta.len())
}

/// Whether there is no database: no file, or one without a page.
fn is_empty(path: &Path) -> bool {
    std::fs::metadata(path).map_or(0, |file| file.len()) == 0 && !interrupted(path)
}

/// Whether the file was being made when the power went: SQLite takes back what there is of it.
fn interrupted(path: &Path) -> bool {
    std::fs::metadata(super::beside::with_suffix(path, "-journal")).is_ok_and(|journal| journal.len() > 0)
}

fn check_header(file: &mut File, bytes: u64) -> Result<(), String> {
    let mut header = [0; 100];
    if bytes == 0 || file.read_exact(&mut header).is_ok() && is_header(&header) {
        return Ok(());
    }
    Err("it is not an SQLite database, or its beginning is damaged. Nothing was changed: \
         restore it from a backup, or move it away to start with an empty store"
        .into())
}

/// Whether a file can begin so: SQLite takes some damage there for another version's file, which it only reads.
fn is_header(header: &[u8; 100]) -> bool {
    let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    header.starts_with(b"SQLite format 3\0")
        && matches!(header[18..20], [1..=2, 1..=2])
        && header[21..24] == [64, 32, 32]
        && word(44) <= 4
        && word(56) <= 3
}

/// Whether the file is ours, and not newer than this program. The outer error is SQLite's, the inner one a verdict on the file.
fn check_owner(connection: &Connection) -> rusqlite::Result<Result<(), String>> {
    connection.busy_timeout(Duration::from_secs(2))?;
    let pragma = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i32>(0));
    let tables: i64 = connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables > 0 && pragma("application_id")? != APPLICATION_ID {
        return Ok(Err("it is an SQLite database of another program. Nothing was changed: choose another file".into()));
    }
    let schema = u32::try_from(pragma("user_version")?).unwrap_or(u32::MAX);
    Ok(migrate::check(schema))
}

/// Checks, then sets up and migrates. The outer error is SQLite's, the inner one a verdict on the file.
fn prepare(connection: &Connection, bytes: u64) -> rusqlite::Result<Result<(), String>> {
    if bytes <= CHECKED_BYTES {
        let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if verdict != "ok" {
            return Ok(Err(corrupt(&verdict)));
        }
    }
    settle(connection)?;
    migrate::run(connection, APPLICATION_ID)?;
    // What a crash has left in the log is in the database, and synced, before anything new is promised.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(Ok(()))
}

/// How the write connection works. Statement journals of savepoints stay in memory.
fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = FULL;
         PRAGMA wal_autocheckpoint = 0;
         PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -32768;
         PRAGMA foreign_keys = OFF;
         PRAGMA secure_delete = OFF;",
    )?;
    connection.busy_timeout(Duration::from_secs(2))?;
    connection.set_prepared_statement_cache_capacity(256);
    Ok(())
}

/// What SQLite's refusal means for whoever started the program.
pub(super) fn describe(error: &rusqlite::Error) -> String {
    use rusqlite::ErrorCode as Code;
    match error.sqlite_error_code() {
        Some(Code::NotADatabase | Code::DatabaseCorrupt) => corrupt(&error.to_string()),
        Some(Code::ReadOnly | Code::PermissionDenied) => {
            format!("it cannot be written: {error}. Change its permissions, or those of its folder")
        }
        Some(Code::DatabaseBusy | Code::DatabaseLocked) => {
            format!("another program has it locked: {error}. Close that program")
        }
        _ => format!("it cannot be opened: {error}"),
    }
}

fn corrupt(detail: &str) -> String {
    format!("it is damaged ({detail}). Nothing was changed: restore it from a backup")
}
