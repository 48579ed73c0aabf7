//! PostgreSQL's programs, and what they are told.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

pub(super) const SESSIONS: &str =
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";

/// Commits are with the system when they are acknowledged, so a killed server loses none; a machine that fails is not tested.
const NOT_DURABLE: [&str; 4] = ["fsync=off", "full_page_writes=off", "max_wal_size=4GB", "checkpoint_timeout=1h"];
const SETTINGS: [&str; 3] = ["listen_addresses=127.0.0.1", "max_connections=400", "shared_buffers=128MB"];
/// Counts statements, for benchmarks.
const COUNTS: &str = "shared_preload_libraries=pg_stat_statements";

pub(super) fn init(folder: &Path) -> Result<Command> {
    let mut init = Command::new(binaries()?.join("initdb"));
    init.arg("-D").arg(folder.join("data")).args(["-U", "mainspring", "--auth=trust", "--encoding=UTF8", "--no-sync"]);
    init.args(["--locale=C.UTF-8"]);
    Ok(init)
}

/// Copies the server at a port, as one that follows it.
pub(super) fn copy(folder: &Path, port: u16) -> Result<Command> {
    let mut copy = Command::new(binaries()?.join("pg_basebackup"));
    copy.arg("-D").arg(folder.join("data")).args(["-h", "127.0.0.1", "-p", &port.to_string(), "-U", "mainspring"]);
    copy.args(["--checkpoint=fast", "--wal-method=stream", "--no-sync", "--write-recovery-conf"]);
    Ok(copy)
}

pub(super) fn serve(folder: &Path, port: u16, durable: bool) -> Result<Command> {
    let binaries = binaries()?;
    let mut server = Command::new(binaries.join("postgres"));
    let counts = durable && binaries.join("../lib/pg_stat_statements.so").exists();
    let kind = if durable { &[COUNTS][..usize::from(counts)] } else { &NOT_DURABLE };
    server.arg("-D").arg(folder.join("data")).arg("-k").arg(folder).args(["-p", &port.to_string()]);
    SETTINGS.iter().chain(kind).for_each(|setting| {
        server.args(["-c", setting]);
    });
    Ok(server)
}

pub(super) fn client(port: u16, database: &str) -> Result<Command> {
    let mut client = Command::new(binaries()?.join("psql"));
    client.args(["--no-psqlrc", "-h", "127.0.0.1", "-p", &port.to_string(), "-U", "mainspring", "-d", database]);
    client.args(["-AtF", "\t", "-c"]);
    Ok(client)
}

/// Returns the folder of the server's programs: on the path, or where distributions put them.
fn binaries() -> Result<PathBuf> {
    let on_path = std::env::var_os("PATH").into_iter().flat_map(|path| {
        let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        folders
    });
    let mut packaged: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .map_or_else(|_| Vec::new(), |versions| versions.flatten().map(|version| version.path().join("bin")).collect());
    packaged.sort();
    let found = packaged.into_iter().rev().chain(on_path).find(|folder| folder.join("initdb").exists());
    found.context("PostgreSQL is not installed: install your distribution's package postgresql")
}
