//! Moving files without replacing others.

use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};

/// Gives a file another name in its folder, unless that is taken.
pub(super) fn give(file: &Path, name: &Path) -> Result<()> {
    match rename(file, name).or_else(|error| if is_unknown(&error) { link(file, name) } else { Err(error) }) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && is_same(file, name) => std::fs::remove_file(file),
        given => given,
    }
}

/// In one step, where the file system can.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn rename(file: &Path, name: &Path) -> Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    Ok(renameat_with(CWD, file, CWD, name, RenameFlags::NOREPLACE)?)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn rename(_: &Path, _: &Path) -> Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Whether a file system does not know how to rename without replacing.
fn is_unknown(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported)
}

/// A link is refused where a name is taken. Not everybody may link to the files of others, so this is second.
fn link(file: &Path, name: &Path) -> Result<()> {
    std::fs::hard_link(file, name)?;
    std::fs::remove_file(file)
}

/// Whether both are names of one file, as where a process was killed before it removed the old one.
fn is_same(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let of = |path: &Path| std::fs::symlink_metadata(path).ok().map(|it| (it.dev(), it.ino()));
    of(one).is_some_and(|it| of(other) == Some(it))
}

/// Gives a file the first of several names in a folder that is free.
pub(super) fn first_free(file: &Path, folder: &Path, name: impl Fn(u32) -> String) -> Result<PathBuf> {
    let mut number = 0;
    loop {
        let path = folder.join(name(number));
        match give(file, &path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < u32::MAX => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Moves a file into a folder, also of another file system. Where its name is taken there, it gets a number.
pub(super) fn carry(file: &Path, folder: &Path, name: &str) -> Result<()> {
    match first_free(file, folder, |number| numbered(name, number)) {
        Err(error) if error.kind() == ErrorKind::CrossesDevices => {}
        moved => return moved.map(drop),
    }
    let copy = folder.join(format!(".mainspring-{:032x}", crate::random::random()));
    let copied = std::fs::copy(file, &copy)
        .and_then(|_| std::fs::File::open(&copy)?.sync_all())
        .and_then(|()| first_free(&copy, folder, |number| numbered(name, number)))
        .and_then(|_| std::fs::File::open(folder)?.sync_all());
    if copied.is_err() {
        let _ = std::fs::remove_file(&copy);
    }
    copied?;
    std::fs::remove_file(file)
}

fn numbered(name: &str, number: u32) -> String {
    match name.rsplit_once('.') {
        _ if number == 0 => name.to_owned(),
        Some((stem, extension)) => format!("{stem}-{number}.{extension}"),
        None => format!("{name}-{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_carried_to_other_file_systems_and_replace_nothing() {
        let from = tempfile::tempdir().unwrap();
        // On Linux, that is usually another file system.
        let memory = Path::new("/dev/shm");
        let to = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
        for text in ["1", "2"] {
            let file = from.path().join("hidden");
            std::fs::write(&file, text).unwrap();
            carry(&file, to.path(), "a.csv").unwrap();
            assert!(!file.exists());
        }
        let read = |name: &str| std::fs::read_to_string(to.path().join(name)).unwrap();
        assert_eq!((read("a.csv"), read("a-1.csv")), ("1".to_owned(), "2".to_owned()));
        assert_eq!(std::fs::read_dir(to.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_file_with_both_names_keeps_the_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        std::fs::write(&old, "1").unwrap();
        std::fs::hard_link(&old, &new).unwrap();
        assert_eq!(link(&old, &new).unwrap_err().kind(), ErrorKind::AlreadyExists);
        give(&old, &new).unwrap();
        assert_eq!((old.exists(), std::fs::read_to_string(&new).unwrap()), (false, "1".to_owned()));
    }
}
