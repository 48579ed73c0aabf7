//! What is on a disk when the power goes: all that was synced, and of the rest whatever got there.

use std::collections::BTreeMap;

use super::trace::Event;

/// What a disk has kept of what was not synced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    Nothing,
    Everything,
    /// Some of the sectors or pages in any order, or of the latest write of a file its beginning; and of the changed names in the
    /// folder, which a file system keeps in a log, the first ones.
    Some {
        seed: u64,
    },
}

/// The files of a folder, and what was not synced of them.
#[derive(Default)]
pub struct Disk<'a> {
    files: Vec<File<'a>>,
    /// Which file a name means, to the process and on the disk.
    names: BTreeMap<&'a str, usize>,
    synced_names: BTreeMap<&'a str, usize>,
    /// Changes of names since, by the number of the event.
    renamed: Vec<(usize, &'a str, Option<usize>)>,
}

#[derive(Default)]
struct File<'a> {
    synced: Vec<u8>,
    since: Vec<(usize, Change<'a>)>,
}

#[derive(Clone, Copy)]
enum Change<'a> {
    Write { at: usize, bytes: &'a [u8] },
    Resize { bytes: usize },
}

impl<'a> Disk<'a> {
    /// Takes in the event of that number.
    pub fn apply(&mut self, number: usize, event: &'a Event) {
        match event {
            Event::Opened { file } if !self.names.contains_key(file.as_str()) => {
                self.files.push(File::default());
                self.name(number, file, Some(self.files.len() - 1));
            }
            Event::Removed { file } => self.name(number, file, None),
            Event::Wrote { file, at, bytes } => self.file(file).since.push((number, Change::Write { at: *at, bytes })),
            Event::Resized { file, bytes } => self.file(file).since.push((number, Change::Resize { bytes: *bytes })),
            Event::Synced { file, from } => self.file(file).sync(*from),
            Event::SyncedFolder { from } => {
                let covered = self.renamed.partition_point(|(number, ..)| number < from);
                for (_, name, file) in self.renamed.drain(..covered) {
                    set(&mut self.synced_names, name, file);
                }
            }
            Event::Opened { .. } | Event::Said { .. } => {}
        }
    }

    /// The files that are found when the power is back, by name.
    pub fn after_cut(&self, kept: Kept) -> BTreeMap<&'a str, Vec<u8>> {
        let mut chance = Chance(if let Kept::Some { seed } = kept { seed } else { 0 });
        let renamed = match kept {
            Kept::Nothing => 0,
            Kept::Everything => self.renamed.len(),
            Kept::Some { .. } => chance.below(self.renamed.len() + 1),
        };
        let mut names = self.synced_names.clone();
        self.renamed[..renamed].iter().for_each(|(_, name, file)| set(&mut names, name, *file));
        names.into_iter().map(|(name, file)| (name, self.files[file].after_cut(kept, &mut chance))).collect()
    }

    fn name(&mut self, number: usize, name: &'a str, file: Option<usize>) {
        set(&mut self.names, name, file);
        self.renamed.push((number, name, file));
    }

    fn file(&mut self, name: &str) -> &mut File<'a> {
        &mut self.files[self.names[name]]
    }
}

fn set<'a>(names: &mut BTreeMap<&'a str, usize>, name: &'a str, file: Option<usize>) {
    match file {
        Some(file) => names.insert(name, file),
        None => names.remove(name),
    };
}

impl File<'_> {
    fn sync(&mut self, from: usize) {
        let covered = self.since.partition_point(|(number, _)| *number < from);
        for (_, change) in self.since.drain(..covered) {
            change.make(&mut self.synced);
        }
    }

    fn after_cut(&self, kept: Kept, chance: &mut Chance) -> Vec<u8> {
        let mut content = self.synced.clone();
        match kept {
            Kept::Nothing => {}
            Kept::Everything => self.since.iter().for_each(|(_, change)| change.make(&mut content)),
            Kept::Some { .. } => self.make_some(&mut content, chance),
        }
        content
    }

    fn make_some(&self, content: &mut Vec<u8>, chance: &mut Chance) {
        let unit = [512, 4_096][chance.below(2)];
        let eighths = 1 + chance.below(7);
        let torn = if chance.below(2) == 0 { self.since.len() } else { 0 };
        for (index, (_, change)) in self.since.iter().enumerate() {
            match *change {
                Change::Write { at, bytes } if index + 1 == torn => {
                    Change::Write { at, bytes: &bytes[..chance.below(bytes.len() + 1)] }.make(content);
                }
                Change::Write { at, bytes } => {
                    let pieces = pieces(at, bytes, unit).filter(|_| chance.below(8) < eighths);
                    pieces.for_each(|piece| piece.make(content));
                }
                Change::Resize { .. } if chance.below(8) < eighths => change.make(content),
                Change::Resize { .. } => {}
            }
        }
    }
}

impl Change<'_> {
    fn make(self, content: &mut Vec<u8>) {
        match self {
            Self::Write { bytes: [], .. } => {}
            Self::Write { at, bytes } => {
                let end = at + bytes.len();
                content.resize(content.len().max(end), 0);
                content[at..end].copy_from_slice(bytes);
            }
            Self::Resize { bytes } => content.resize(bytes, 0),
        }
    }
}

/// A write in parts that each lie in one unit of the disk.
fn pieces(at: usize, bytes: &[u8], unit: usize) -> impl Iterator<Item = Change<'_>> {
    let first = (unit - at % unit).min(bytes.len());
    let rest = bytes[first..].chunks(unit).enumerate();
    let rest = rest.map(move |(index, bytes)| Change::Write { at: at + first + index * unit, bytes });
    std::iter::once(Change::Write { at, bytes: &bytes[..first] }).chain(rest)
}

/// Numbers that look random, and are the same each time (splitmix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let number = (mixed ^ (mixed >> 31)) % u64::try_from(end).expect("a length fits");
        usize::try_from(number).expect("below a length")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(events: &[Event]) -> Disk<'_> {
        let mut disk = Disk::default();
        events.iter().enumerate().for_each(|(number, event)| disk.apply(number, event));
        disk
    }

    fn opened() -> Event {
        Event::Opened { file: "a".into() }
    }

    fn wrote(at: usize, bytes: &[u8]) -> Event {
        Event::Wrote { file: "a".into(), at, bytes: bytes.to_vec() }
    }

    #[test]
    fn what_was_synced_is_kept_and_the_rest_may_be() {
        let synced = |from| Event::Synced { file: "a".into(), from };
        let resized = Event::Resized { file: "a".into(), bytes: 1 };
        let events =
            [opened(), wrote(0, b"one"), Event::SyncedFolder { from: 2 }, synced(3), wrote(5, b"two"), resized];
        let disk = disk(&events);
        assert_eq!(disk.after_cut(Kept::Nothing)["a"], b"one");
        assert_eq!(disk.after_cut(Kept::Everything)["a"], b"o");
        let some: std::collections::BTreeSet<_> =
            (0..100).map(|seed| disk.after_cut(Kept::Some { seed }).remove("a").unwrap()).collect();
        assert_eq!(some.into_iter().collect::<Vec<_>>(), [b"o".to_vec(), b"one".to_vec(), b"one\0\0two".to_vec()]);
    }

    #[test]
    fn what_began_after_a_sync_did_is_not_covered_by_it() {
        let events = [
            opened(),
            Event::SyncedFolder { from: 1 },
            wrote(0, b"one"),
            wrote(0, b"two"),
            Event::Synced { file: "a".into(), from: 3 },
        ];
        assert_eq!(disk(&events).after_cut(Kept::Nothing)["a"], b"one");
    }

    #[test]
    fn names_are_kept_when_the_folder_was_synced() {
        let removed = Event::Removed { file: "a".into() };
        let events = [opened(), wrote(0, b"one"), Event::Synced { file: "a".into(), from: 2 }];
        assert!(disk(&events).after_cut(Kept::Nothing).is_empty());
        let events = [opened(), Event::SyncedFolder { from: 1 }, removed, opened(), wrote(0, b"new")];
        assert_eq!(disk(&events).after_cut(Kept::Nothing)["a"], b"", "the file of before");
        assert_eq!(disk(&events).after_cut(Kept::Everything)["a"], b"new");
    }

    #[test]
    fn writes_are_torn_where_units_end_and_the_last_one_anywhere() {
        let lengths = |at, length| {
            let bytes = vec![1; length];
            let of = |change| if let Change::Write { at, bytes } = change { (at, bytes.len()) } else { (0, 0) };
            pieces(at, &bytes, 512).map(of).collect::<Vec<_>>()
        };
        assert_eq!(lengths(500, 1_000), [(500, 12), (512, 512), (1_024, 476)]);
        assert_eq!(lengths(0, 3), [(0, 3)]);
        let events = [opened(), Event::SyncedFolder { from: 1 }, wrote(0, &[7; 100])];
        let disk = disk(&events);
        let torn = |seed| disk.after_cut(Kept::Some { seed })["a"].len();
        assert!((0..50).any(|seed| torn(seed) % 100 != 0) && (0..50).all(|seed| torn(seed) <= 100));
    }
}
