//! Private folders of attempts, and their removal, also after a crash.
//!
//! Layout: `<work_root>/worker-<random>/run-<random>/{work,output,script…}`. Each runner holds a lock
//! on its worker folder, so that the next one can tell what a crash left behind. Only folders made
//! here are removed, and no text of users is part of a path.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempDir};

const PRIVATE: u32 = 0o700;
const LOCK: &str = "lock";
const WORKER: &str = "worker-";

/// The folder of one runner, removed with it.
#[derive(Debug)]
pub(crate) struct WorkRoot {
    folder: TempDir,
    _lock: File,
}

impl WorkRoot {
    /// Makes the runner's folder under `root`, and removes those of runners that died.
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(PRIVATE).create(root)?;
        let root = root.canonicalize()?;
        // Held until the own folder is locked, so that a runner starting now cannot take it for a left one.
        let starting = lock_file(&root.join(LOCK))?;
        starting.lock()?;
        remove_abandoned(&root);
        let folder = private_folder(WORKER, &root)?;
        let lock = lock_file(&folder.path().join(LOCK))?;
        lock.lock()?;
        Ok(Self { folder, _lock: lock })
    }

    /// Makes the folder of one attempt.
    pub(crate) fn attempt(&self) -> io::Result<AttemptFolder> {
        let folder = private_folder("run-", self.folder.path())?;
        DirBuilder::new().mode(PRIVATE).create(folder.path().join("work"))?;
        let folder = AttemptFolder { folder };
        private_file(&folder.output())?;
        Ok(folder)
    }
}

/// The private folder of one attempt, removed when dropped.
#[derive(Debug)]
pub(crate) struct AttemptFolder {
    folder: TempDir,
}

impl AttemptFolder {
    /// Returns the folder in which the process starts, unless the job names another.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Returns the file behind `$MS_OUTPUT`.
    pub(crate) fn output(&self) -> PathBuf {
        self.folder.path().join("output")
    }

    /// Returns the file behind `$MS_DATA`.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Tells the process the job's data.
    pub(crate) fn write_data(&self, data: &str) -> io::Result<()> {
        io::Write::write_all(&mut private_file(&self.data())?, data.as_bytes())
    }

    /// Keeps a script in a file of this name, which nobody else may read.
    pub(crate) fn write_script(&self, name: &str, script: &str) -> io::Result<PathBuf> {
        let path = self.folder.path().join(name);
        io::Write::write_all(&mut private_file(&path)?, script.as_bytes())?;
        Ok(path)
    }

    /// Removes the folder with all that is in it. Blocks.
    pub(crate) fn remove(self) -> io::Result<()> {
        remove_tree(&self.folder.keep())
    }
}

fn private_folder(prefix: &str, parent: &Path) -> io::Result<TempDir> {
    Builder::new().prefix(prefix).permissions(Permissions::from_mode(PRIVATE)).tempdir_in(parent)
}

fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

fn lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)
}

fn remove_abandoned(root: &Path) {
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_folder || !entry.file_name().as_encoded_bytes().starts_with(WORKER.as_bytes()) {
            continue;
        }
        let lock = OpenOptions::new().write(true).open(entry.path().join(LOCK));
        if lock.is_ok_and(|lock| lock.try_lock().is_ok())
            && let Err(error) = remove_tree(&entry.path())
        {
            tracing::warn!(path = %entry.path().display(), %error, "could not remove an abandoned working folder");
        }
    }
}

/// Removes a folder, also when the process took its own rights on parts of it away.
fn remove_tree(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(path);
            fs::remove_dir_all(path)
        }
        result => result,
    }
}

/// Gives the owner all rights on the folders below, without following links.
fn open_up(folder: &Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(PRIVATE));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn names(path: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(path).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn folders_are_private_and_go_with_their_owner() {
        let parent = tempfile::tempdir().unwrap();
        let root = parent.path().join("a/b");
        let worker = WorkRoot::open(&root).unwrap();
        let attempt = worker.attempt().unwrap();
        assert_eq!((mode(&root), mode(&attempt.work()), mode(&attempt.output())), (0o700, 0o700, 0o600));
        let sealed = attempt.work().join("sealed/inner");
        fs::create_dir_all(&sealed).unwrap();
        fs::write(sealed.join("file"), "x").unwrap();
        fs::set_permissions(sealed.parent().unwrap(), Permissions::from_mode(0o000)).unwrap();
        attempt.remove().unwrap();
        drop(worker);
        assert_eq!(names(&root), ["lock"]);
    }

    #[test]
    fn a_link_is_removed_and_not_what_it_points_to() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("precious"), "x").unwrap();
        let worker = WorkRoot::open(&parent.path().join("work")).unwrap();
        let attempt = worker.attempt().unwrap();
        std::os::unix::fs::symlink(parent.path(), attempt.work().join("link")).unwrap();
        attempt.remove().unwrap();
        assert!(parent.path().join("precious").exists());
    }

    #[test]
    fn only_folders_of_dead_runners_are_removed() {
        let root = tempfile::tempdir().unwrap();
        let living = WorkRoot::open(root.path()).unwrap();
        let dead = root.path().join("worker-dead");
        fs::create_dir(&dead).unwrap();
        fs::write(dead.join(LOCK), "").unwrap();
        fs::create_dir(root.path().join("worker-not-ours")).unwrap();
        fs::create_dir(root.path().join("other")).unwrap();
        let second = WorkRoot::open(root.path()).unwrap();
        assert!(!dead.exists());
        assert!(living.folder.path().exists() && second.folder.path().exists());
        assert!(root.path().join("worker-not-ours").exists() && root.path().join("other").exists());
    }
}
