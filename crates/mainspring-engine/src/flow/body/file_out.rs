//! `file_out`: a file of each item.

use std::io::Write;
use std::path::{Path, PathBuf};

use mainspring_core::flow::body::{Content, Done, FileOut, OnConflict};

use super::{Run, failed, goes};

impl Run {
    /// An item without a proper name, or with the name of a file that must stay, goes to `failure`. A file that cannot be written is
    /// no fault of the item, which returns.
    pub(super) async fn file_out(&self, out: &FileOut, contents: &[Content]) -> Done {
        let Some(item) = contents.first() else { return failed("there is no item to write".to_owned()) };
        let name = match out.name_of(item) {
            Ok(name) => name,
            Err(message) => return Done { lines: vec![message], ..goes("failure", contents.len()) },
        };
        let (path, on_conflict, payload) = (Path::new(&out.folder).join(&name), out.on_conflict, item.payload.clone());
        let written = tokio::task::spawn_blocking(move || write(&path, on_conflict, &payload)).await;
        match written {
            Ok(Ok(true)) => goes("success", contents.len()),
            Ok(Ok(false)) => {
                let message = format!("there is a file \"{name}\" already");
                Done { lines: vec![message], ..goes("failure", contents.len()) }
            }
            Ok(Err(error)) => failed(format!("the file \"{name}\" could not be written: {error}")),
            Err(error) => failed(format!("the file \"{name}\" could not be written: {error}")),
        }
    }
}

/// Writes a file whole or not at all. False: there is one that must stay.
fn write(path: &Path, on_conflict: OnConflict, payload: &[u8]) -> std::io::Result<bool> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    std::fs::create_dir_all(folder)?;
    if on_conflict == OnConflict::Append {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
        file.write_all(&[payload, b"\n"].concat())?;
        file.sync_all()?;
        return Ok(true);
    }
    let written = Unfinished(folder.join(format!(".mainspring-{:032x}", crate::random::random())));
    let mut file = std::fs::File::create(&written.0)?;
    file.write_all(payload)?;
    file.sync_all()?;
    if on_conflict == OnConflict::Replace {
        std::fs::rename(&written.0, path)?;
        return Ok(true);
    }
    // A link is refused where a name is taken; renaming would replace what is there.
    match std::fs::hard_link(&written.0, path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// A file under a passing name, which goes unless it has another one by then.
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_whole_and_what_is_there_stays_where_it_must() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below/a.txt");
        let read = || std::fs::read_to_string(&path).unwrap();
        assert!(write(&path, OnConflict::Fail, b"one").unwrap());
        assert!(!write(&path, OnConflict::Fail, b"two").unwrap());
        assert_eq!(read(), "one");
        assert!(write(&path, OnConflict::Replace, b"three").unwrap());
        assert_eq!(read(), "three");
        assert!(write(&path, OnConflict::Append, b"four").unwrap());
        assert_eq!(read(), "threefour\n");
        let names: Vec<_> =
            std::fs::read_dir(path.parent().unwrap()).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(names, ["a.txt"], "nothing is left of the passing names");
    }
}
