//! The lock file beside the database: one process uses it at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Held for as long as it lives. The operating system lets go of it when the process dies, so that a lock left
/// behind by a crash stands in nobody's way; the file stays.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock file at `path`, or says who has it.
    pub(super) fn take(path: &Path) -> Result<Self, String> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)
            .map_err(|error| format!("its lock file {} cannot be written: {error}", path.display()))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(taken(&mut file)),
            Err(TryLockError::Error(error)) => {
                return Err(format!(
                    "its lock file {} cannot be locked: {error}. Keep the store on a local disk",
                    path.display()
                ));
            }
        }
        // Only for the message that another process gives: nothing depends on it.
        let noted = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        noted.map_err(|error| format!("its lock file {} cannot be written: {error}", path.display()))?;
        Ok(Self { _file: file })
    }
}

fn taken(file: &mut File) -> String {
    let mut holder = String::new();
    let read = file.rewind().and_then(|()| Read::by_ref(file).take(20).read_to_string(&mut holder));
    let number = read.ok().and_then(|_| holder.trim().parse::<u32>().ok());
    let who = number.map_or_else(String::new, |number| format!(" (process {number})"));
    format!("another process{who} is using it. Stop that one, or choose another place for this one")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_holder_is_refused_until_the_first_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = Lock::take(&path).unwrap();
        let why = Lock::take(&path).unwrap_err();
        assert!(why.contains(&format!("process {}", std::process::id())), "{why}");
        drop(first);
        Lock::take(&path).unwrap();
    }
}
