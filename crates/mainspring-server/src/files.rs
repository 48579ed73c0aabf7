//! Files that only their owner may read: those with secrets, and the one that says where the server is to be found.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{fs, process};

use serde::Serialize;

/// Name of the file that tells where the server is.
const PRESENCE: &str = "server.json";

/// Writes a file that its owner alone may read, whole or not at all.
pub(crate) fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = path.with_file_name(format!(".{name}.{}", process::id()));
    // A draft of an earlier process of the same number may be readable by others: it is not written to.
    let _ = fs::remove_file(&draft);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    file.write_all(content)?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    fs::rename(&draft, path)
}

/// Returns the mode of a file that others than its owner may read or write.
///
/// A pipe or device, as in `--token-file <(…)`, belongs to its process alone.
#[cfg(unix)]
#[must_use]
pub fn open_to_others(file: &Path) -> Option<u32> {
    let metadata = fs::metadata(file).ok()?;
    let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
    (metadata.is_file() && mode & 0o077 != 0).then_some(mode)
}

/// Returns nothing: there are no modes.
#[cfg(not(unix))]
#[must_use]
pub fn open_to_others(_file: &Path) -> Option<u32> {
    None
}

/// Reads a file that holds a secret. The first time that others than its owner may do so, too, the log says it.
///
/// # Errors
/// It cannot be read, or is not UTF-8.
pub(crate) fn read_secret(file: &Path) -> io::Result<String> {
    static TOLD: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let text = fs::read_to_string(file)?;
    if let Some(mode) = open_to_others(file)
        && TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(file.to_owned())
    {
        let shown = file.display();
        let (mode, hint) = (format!("{mode:o}"), format!("chmod 600 {shown}"));
        tracing::warn!(code = "secret.readable", mode, hint, "others may read {shown}, which holds a secret");
    }
    Ok(text)
}

/// A file in the data folder that says where the server listens, while this lives.
#[derive(Debug)]
pub(crate) struct Presence {
    path: PathBuf,
}

#[derive(Serialize)]
struct Found {
    address: SocketAddr,
    pid: u32,
    version: &'static str,
}

impl Presence {
    pub(crate) fn announce(data_dir: &Path, address: SocketAddr) -> Result<Self, (PathBuf, io::Error)> {
        let path = data_dir.join(PRESENCE);
        let found = Found { address, pid: process::id(), version: env!("CARGO_PKG_VERSION") };
        let text = serde_json::to_vec(&found).expect("plain data has a text");
        match write_private(&path, &text) {
            Ok(()) => Ok(Self { path }),
            Err(error) => Err((path, error)),
        }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        // Gone already is as good.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn private_files_are_for_their_owner_alone_and_replace_what_was_there() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        fs::write(&path, "open to all").unwrap();
        write_private(&path, b"secret").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "secret\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_presence_is_found_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let presence = Presence::announce(folder.path(), "127.0.0.1:7".parse().unwrap()).unwrap();
        let text = fs::read_to_string(folder.path().join(PRESENCE)).unwrap();
        assert!(text.contains("\"127.0.0.1:7\""), "{text}");
        drop(presence);
        assert!(!folder.path().join(PRESENCE).exists());
    }
}
