//! `file_in`: an item of each file of a folder.
//!
//! A file is claimed by renaming it, so that nobody else takes it: it keeps its place under a hidden name until its item is kept, and
//! has its own name again where it is not. Claims of a process that was killed are undone by the next owner of the flow, or by who
//! runs the component on that node.

mod claimant;
mod names;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use mainspring_core::flow::body::{Content, Done, FileIn};
use mainspring_core::flow::{Output, Verdict};

use super::{Run, failed};
use claimant::Claimant;

/// How names of files begin that are claimed.
const HIDDEN: &str = ".mainspring-in-";
/// How names of files begin whose items are kept, and which could not be moved away. Nobody reads them again.
const READ: &str = ".mainspring-read-";
/// The tag of files that lost their names to others: an epoch before all of owners.
const ANYBODY: &str = "0";

/// Files whose items are not kept yet. Dropped without [`Claims::keep`], they have their own names again.
#[derive(Debug, Default)]
pub(in crate::flow) struct Claims(Vec<Claim>);

#[derive(Debug)]
struct Claim {
    flow: i64,
    folder: PathBuf,
    name: String,
    hidden: PathBuf,
    move_to: Option<PathBuf>,
}

impl Claims {
    pub(in crate::flow) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Their items are kept: moves or removes the files. Blocks.
    pub(in crate::flow) fn keep(mut self) {
        for claim in std::mem::take(&mut self.0) {
            let done = match &claim.move_to {
                Some(to) => names::carry(&claim.hidden, to, &claim.name),
                None => std::fs::remove_file(&claim.hidden),
            };
            if let Err(error) = done {
                // Under the name of a claim, the next owner of the flow would read it once more.
                let stays = names::first_free(&claim.hidden, &claim.folder, |number| {
                    claimed(READ, claim.flow, ANYBODY, number, &claim.name)
                });
                let stays = stays.as_ref().unwrap_or(&claim.hidden).display();
                let file = claim.folder.join(&claim.name).display().to_string();
                tracing::error!(%error, file, %stays, "a file that was read could not be moved away");
            }
        }
    }
}

impl Drop for Claims {
    fn drop(&mut self) {
        for claim in &self.0 {
            let file = claim.folder.join(&claim.name);
            let Err(error) = names::give(&claim.hidden, &file) else { continue };
            // Another has the name by now: both are read, this one under its hidden name.
            let stays = names::first_free(&claim.hidden, &claim.folder, |number| {
                claimed(HIDDEN, claim.flow, ANYBODY, number, &claim.name)
            });
            let stays = stays.as_ref().unwrap_or(&claim.hidden).display();
            tracing::warn!(%error, file = %file.display(), %stays, "a file could not be given back its name");
        }
    }
}

impl Run {
    pub(super) async fn file_in(&self, files: &FileIn) -> (Done, Claims) {
        let files = files.clone();
        let claimant = self.claimant().await;
        let read = tokio::task::spawn_blocking(move || take(&files, &claimant)).await;
        let (made, claims, lines) = match read {
            Ok(Ok(taken)) => taken,
            Ok(Err(message)) => return (failed(message), Claims::default()),
            Err(error) => return (failed(format!("the folder could not be read: {error}")), Claims::default()),
        };
        let output = |content: &Content| Output {
            relationship: "success".to_owned(),
            bytes: content.bytes(),
            priority: content.priority(),
            parent: None,
        };
        let outputs = made.iter().map(output).collect();
        (Done { verdict: Verdict::Done { items: Vec::new(), outputs, yields: None }, made, lines }, claims)
    }

    async fn claimant(&self) -> Claimant {
        let open = match self.store.cluster() {
            // Where they cannot be read, claims of other nodes stay for now.
            Some(_) => self.store.inbox_store().inboxes(self.flow_id, 0).await.ok(),
            None => None,
        };
        let open =
            open.map(|rows| rows.into_iter().filter(|(row, _)| row.is_open).map(|(row, _)| row.number).collect());
        Claimant { flow: self.flow_id, epoch: self.epoch, inbox: self.inbox, open }
    }
}

type Taken = (Vec<Content>, Claims, Vec<String>);

fn take(files: &FileIn, claimant: &Claimant) -> Result<Taken, String> {
    let (flow, tag) = (claimant.flow, claimant.tag());
    let folder = Path::new(&files.folder);
    let unreadable = |error: std::io::Error| format!("the folder \"{}\" could not be read: {error}", files.folder);
    if let Some(to) = &files.move_to {
        std::fs::create_dir_all(to).map_err(|error| format!("the folder \"{to}\" could not be made: {error}"))?;
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if let Some(own) = left_behind(&name, claimant) {
            let file = folder.join(own);
            match names::give(&entry.path(), &file) {
                Ok(()) => found.push((own.to_owned(), file)),
                // Its name is another's by now.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => found.push((own.to_owned(), entry.path())),
                Err(error) => return Err(unreadable(error)),
            }
        } else if files.admits(&name) {
            found.push((name, entry.path()));
        }
    }
    // The oldest name first, so that files that are numbered keep their order.
    found.sort_unstable();
    found.dedup();
    let (mut made, mut claims, mut lines) = (Vec::new(), Claims::default(), Vec::new());
    for (name, file) in found {
        if made.len() >= files.max_files as usize {
            break;
        }
        let Ok(about) = std::fs::metadata(&file) else { continue };
        let settled = about.modified().ok().is_some_and(|at| is_settled(at, files.settled_ms));
        if !about.is_file() || !settled {
            continue;
        }
        if about.len() > files.max_bytes {
            lines.push(format!("\"{name}\" stays: it has {} bytes, more than {}", about.len(), files.max_bytes));
            continue;
        }
        // Somebody else may have taken it meanwhile.
        let Ok(hidden) = names::first_free(&file, folder, |number| claimed(HIDDEN, flow, &tag, number, &name)) else {
            continue;
        };
        let move_to = files.move_to.as_ref().map(PathBuf::from);
        let claim = Claim { flow, folder: folder.to_owned(), name: name.clone(), hidden: hidden.clone(), move_to };
        claims.0.push(claim);
        let payload = std::fs::read(&hidden).map_err(|error| format!("\"{name}\" could not be read: {error}"))?;
        let attributes = [("file.name", name), ("file.folder", files.folder.clone())];
        let attributes: BTreeMap<String, String> =
            attributes.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        made.push(Content { attributes, payload });
    }
    Ok((made, claims, lines))
}

fn is_settled(changed: SystemTime, for_ms: i64) -> bool {
    // A file of the future is one whose clock is another.
    changed.elapsed().map_or(true, |age| age >= Duration::from_millis(for_ms.unsigned_abs()))
}

/// The name of a claimed file; the number tells it from others of the same own name.
fn claimed(prefix: &str, flow: i64, tag: &str, number: u32, name: &str) -> String {
    match number {
        0 => format!("{prefix}{flow}-{tag}-{name}"),
        number => format!("{prefix}{flow}-{tag}.{number}-{name}"),
    }
}

/// The own name of a file that somebody has claimed who can keep nothing more.
fn left_behind<'a>(name: &'a str, claimant: &Claimant) -> Option<&'a str> {
    let rest = name.strip_prefix(HIDDEN)?.strip_prefix(&claimant.flow.to_string())?.strip_prefix('-')?;
    let (of, own) = rest.split_once('-')?;
    let of = of.split_once('.').map_or(of, |(of, _)| of);
    claimant.is_over(of).then_some(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path) -> FileIn {
        FileIn {
            folder: folder.display().to_string(),
            name: Some("*.csv".into()),
            settled_ms: 0,
            move_to: None,
            max_files: 10,
            max_bytes: 10,
        }
    }

    fn owner(flow: i64, epoch: i64) -> Claimant {
        Claimant { flow, epoch, ..Claimant::default() }
    }

    fn files_in(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_become_items_and_go_once_these_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("b.csv", "2");
        write("a.csv", "1");
        write("c.txt", "3");
        write("d.csv", "longer than ten");
        let (made, claims, lines) = take(&files(folder.path()), &owner(7, 1)).unwrap();
        let read: Vec<(&str, &[u8])> = made.iter().map(|it| (&*it.attributes["file.name"], &*it.payload)).collect();
        assert_eq!(read, [("a.csv", &b"1"[..]), ("b.csv", b"2")]);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert_eq!(take(&files(folder.path()), &owner(7, 1)).unwrap().0, [], "nobody takes them again meanwhile");
        claims.keep();
        assert_eq!(files_in(folder.path()), ["c.txt", "d.csv"]);
    }

    #[test]
    fn files_whose_items_are_not_kept_have_their_names_again() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.csv"), "1").unwrap();
        drop(take(&files(folder.path()), &owner(7, 1)).unwrap());
        assert_eq!(files_in(folder.path()), ["a.csv"]);
        // A process that was killed gives nothing back; the next owner of the flow does.
        std::mem::forget(take(&files(folder.path()), &owner(7, 1)).unwrap().1);
        assert_eq!(files_in(folder.path()), [".mainspring-in-7-1-a.csv"]);
        assert_eq!(take(&files(folder.path()), &owner(8, 2)).unwrap().0.len(), 0, "another flow leaves it alone");
        let (made, claims, _) = take(&files(folder.path()), &owner(7, 2)).unwrap();
        assert_eq!(made.len(), 1);
        claims.keep();
        assert_eq!(files_in(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn files_move_where_they_are_to() {
        let (folder, done) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(folder.path().join("a.csv"), "1").unwrap();
        let to = done.path().join("read");
        let files = FileIn { move_to: Some(to.display().to_string()), ..files(folder.path()) };
        take(&files, &owner(7, 1)).unwrap().1.keep();
        assert_eq!((files_in(folder.path()).len(), files_in(&to)), (0, vec!["a.csv".to_owned()]));
        let gone = FileIn { folder: "/nowhere/at/all".into(), ..files };
        assert!(take(&gone, &owner(7, 1)).unwrap_err().contains("/nowhere/at/all"));
    }

    #[test]
    fn a_newer_file_of_the_same_name_stays_and_both_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let write = |text: &str| std::fs::write(folder.path().join("a.csv"), text).unwrap();
        let read = |epoch| {
            let (made, claims, _) = take(&files(folder.path()), &owner(7, epoch)).unwrap();
            let mut payloads: Vec<Vec<u8>> = made.into_iter().map(|it| it.payload).collect();
            payloads.sort();
            (payloads, claims)
        };
        write("1");
        let first = read(1).1;
        write("2");
        drop(first);
        let (payloads, both) = read(1);
        assert_eq!(payloads, [b"1", b"2"]);
        // The same where a process was killed, and where a third has come meanwhile.
        std::mem::forget(both);
        write("3");
        let (payloads, all) = read(2);
        assert_eq!(payloads, [b"1", b"2", b"3"]);
        all.keep();
        assert_eq!(files_in(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn a_file_that_cannot_be_moved_away_is_not_read_again() {
        let (folder, done) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(folder.path().join("a.csv"), "1").unwrap();
        let files = FileIn { move_to: Some(done.path().display().to_string()), ..files(folder.path()) };
        let claims = take(&files, &owner(7, 1)).unwrap().1;
        drop(done);
        claims.keep();
        assert_eq!(files_in(folder.path()), [".mainspring-read-7-0-a.csv"]);
        assert_eq!(take(&files, &owner(7, 2)).unwrap().0, []);
    }
}
