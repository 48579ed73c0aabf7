//! What is under way, in a file that is written before anything starts.

use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mainspring_xxl::Passing;

use crate::error::{Error, Report, Result};
use crate::exit::Exit;

/// The runs that were passed on, as the file has them.
pub struct State {
    file: PathBuf,
    passing: Mutex<Passing>,
    /// Held for as long as this is.
    _lock: File,
}

impl State {
    /// Reads the file, if it is there, and keeps other processes from it.
    ///
    /// # Errors
    /// It cannot be read or written, is no such file, or another process has it.
    pub fn open(file: &Path) -> Result<Self> {
        let lock = lock(file)?;
        let passing = match std::fs::read(file) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| {
                let report = Report::new("xxl.proxy", format!("{} is no state of a proxy: {error}", file.display()));
                Error::new(Exit::Invalid, report.hint("name another file with --state"))
            })?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Passing::default(),
            Err(error) => return Err(Error::file("read", file, &error)),
        };
        let state = Self { file: file.to_owned(), passing: Mutex::new(passing), _lock: lock };
        state.change(|_| ()).map_err(|error| Error::file("write", file, &error))?;
        Ok(state)
    }

    /// Looks at the runs.
    pub fn read<T>(&self, look: impl FnOnce(&Passing) -> T) -> T {
        look(&self.passing())
    }

    /// Changes the runs, and returns once that is in the file. What cannot be written is not changed.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn change<T>(&self, change: impl FnOnce(&mut Passing) -> T) -> std::io::Result<T> {
        let mut passing = self.passing();
        let mut changed = passing.clone();
        let told = change(&mut changed);
        let text = serde_json::to_vec(&changed).expect("plain data has a text");
        let next = beside(&self.file, "new");
        let mut file = create(&next)?;
        file.write_all(&text)?;
        file.sync_all()?;
        std::fs::rename(&next, &self.file)?;
        // The new name is durable once its folder is.
        let folder = self.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
        *passing = changed;
        Ok(told)
    }

    fn passing(&self) -> MutexGuard<'_, Passing> {
        self.passing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Two proxies with one file would each forget what the other one has.
fn lock(file: &Path) -> Result<File> {
    let place = beside(file, "lock");
    let lock = File::create(&place).map_err(|error| Error::file("write", &place, &error))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => {
            let report = Report::new("xxl.proxy", format!("another process uses {}", file.display()));
            Err(Error::new(Exit::Invalid, report.hint("end it, or name another file with --state")))
        }
        Err(TryLockError::Error(error)) => Err(Error::file("lock", &place, &error)),
    }
}

/// Opens a file, which its owner alone can read: parameters of runs are in it.
fn create(file: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)
}

/// The name of a file with something added.
fn beside(file: &Path, what: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(what);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use mainspring_xxl::Asked;

    use super::*;

    #[test]
    fn what_is_under_way_is_there_again_and_of_one_process_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state.json");
        let Ok(Asked::Run(sent)) = Asked::read("/run", br#"{"jobId":7,"logId":1}"#) else { panic!() };
        let state = State::open(&file).unwrap();
        state.change(|passing| passing.admit(&sent, ("default".to_owned(), "a".to_owned()))).unwrap();
        assert!(State::open(&file).is_err(), "it is in use");
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600, "parameters of runs are nobody else's");
        drop(state);
        assert!(State::open(&file).unwrap().read(|passing| passing.knows(sent.id())));
        std::fs::write(&file, "half of").unwrap();
        assert!(State::open(&file).is_err(), "a file that is no state is not overwritten");
    }
}
