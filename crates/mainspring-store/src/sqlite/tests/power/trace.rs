//! What a process did to the files of a folder, and what it said, in the order in which strace saw it.

use std::collections::HashMap;

/// The calls that are recorded. A question mark: not every machine has it.
pub const CALLS: &str = "openat,write,writev,pwrite64,pwritev,pwritev2,ftruncate,fallocate,fsync,fdatasync,\
    ?unlink,unlinkat,?rename,?renameat,renameat2";

/// One call that came back. Files go by their names in the folder; numbers of events count from 0.
#[derive(PartialEq, Eq, Debug)]
pub enum Event {
    /// A file was opened, and made if it was not there.
    Opened {
        file: String,
    },
    Wrote {
        file: String,
        at: usize,
        bytes: Vec<u8>,
    },
    Resized {
        file: String,
        bytes: usize,
    },
    /// What was done before the event `from` is on the disk.
    Synced {
        file: String,
        from: usize,
    },
    /// The same of the names in the folder.
    SyncedFolder {
        from: usize,
    },
    Removed {
        file: String,
    },
    /// Told to whoever started the process.
    Said {
        bytes: Vec<u8>,
    },
}

/// Reads what `strace -f -y -xx` has written, so far as it is about the files in a folder that are not volatile.
pub fn parse(trace: &str, folder: &str) -> Vec<Event> {
    let mut events = Vec::new();
    // By thread: the beginning of a call that others came between, and the event that was next then.
    let mut under_way = HashMap::new();
    for line in trace.lines() {
        let Some((thread, text)) = line.split_once(' ') else { continue };
        let text = text.trim_start();
        if let Some(head) = text.strip_suffix(" <unfinished ...>") {
            under_way.insert(thread, (head, events.len()));
            continue;
        }
        let resumed = text.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>"));
        let (call, from) = match resumed {
            Some((_, tail)) => {
                let (head, from) = under_way.remove(thread).expect("it had begun");
                (format!("{head}{tail}"), from)
            }
            None => (text.to_owned(), events.len()),
        };
        events.extend(event(&call, from, folder));
    }
    events
}

/// What a whole call is to us: nothing if it failed, or is about something else.
fn event(call: &str, from: usize, folder: &str) -> Option<Event> {
    let (name, rest) = call.split_once('(')?;
    let (arguments, result) = rest.rsplit_once(" = ")?;
    let arguments: Vec<&str> = arguments.trim_end().strip_suffix(')')?.split(", ").collect();
    let done: usize = result.split([' ', '<']).next()?.parse().ok()?;
    let number = |index: usize| arguments[index].parse::<usize>().expect("a number");
    let bytes = |index: usize| {
        let mut bytes = unescaped(arguments[index].trim_matches('"'));
        bytes.truncate(done);
        bytes
    };
    if name == "write" && arguments[0].starts_with("1<") {
        return Some(Event::Said { bytes: bytes(1) });
    }
    // Some name a file in a folder, the others a file, or what is open on it.
    let path = path(arguments[usize::from(["openat", "unlinkat", "renameat", "renameat2"].contains(&name))])?;
    if path == folder && name == "fsync" {
        return Some(Event::SyncedFolder { from });
    }
    let file = path.strip_prefix(folder)?.strip_prefix('/').filter(|file| !volatile(file))?.to_owned();
    Some(match name {
        "openat" if arguments[2].contains("O_TRUNC") => panic!("not understood: {call}"),
        "openat" if arguments[2].contains("O_CREAT") => Event::Opened { file },
        "openat" => return None,
        "pwrite64" => Event::Wrote { file, at: number(3), bytes: bytes(1) },
        "ftruncate" => Event::Resized { file, bytes: number(1) },
        "fsync" | "fdatasync" => Event::Synced { file, from },
        "unlink" | "unlinkat" => Event::Removed { file },
        _ => panic!("not understood: {call}"),
    })
}

/// The index of the log lives in memory, and nothing but a message depends on what is in the lock file.
fn volatile(file: &str) -> bool {
    file.ends_with("-shm") || file.ends_with(".lock")
}

/// The path in `5</a/path>` or `"/a/path"`; none where the file has no name any more.
fn path(argument: &str) -> Option<String> {
    let open = argument.split_once('<').and_then(|(_, path)| path.strip_suffix('>'));
    let path = open.or_else(|| argument.strip_prefix('"')?.strip_suffix('"'))?;
    String::from_utf8(unescaped(path)).ok()
}

/// Reads `\x61\x62`.
fn unescaped(text: &str) -> Vec<u8> {
    let digits = text.split("\\x").skip(1);
    digits.map(|digits| u8::from_str_radix(digits, 16).expect("strace was to write all in hexadecimal")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_in_the_order_in_which_they_came_back() {
        let trace = r#"7  openat(AT_FDCWD<\x2f>, "\x2f\x66\x2f\x61", O_RDWR|O_CREAT, 0600) = 5<\x2f\x66\x2f\x61>
7  openat(AT_FDCWD<\x2f>, "\x2f\x66\x2f\x62", O_RDWR|O_CREAT, 0600) = -1 EACCES (Permission denied)
7  openat(AT_FDCWD<\x2f>, "\x2f\x66\x2f\x61", O_RDONLY) = 6<\x2f\x66\x2f\x61>
7  fdatasync(5<\x2f\x66\x2f\x61> <unfinished ...>
8  pwrite64(5<\x2f\x66\x2f\x61>, "\x01\x02\x03", 3, 4096) = 2
7  <... fdatasync resumed>)              = 0
8  write(1<\x70\x69\x70\x65>, "\x68\x69", 2) = 2
8  write(4<\x2f\x66\x2f\x61>(deleted), "\x68\x69", 2) = 2
8  ftruncate(5<\x2f\x66\x2f\x61>, 9) = 0
8  pwrite64(5<\x2f\x66\x2f\x61\x2d\x73\x68\x6d>, "\x01", 1, 0) = 1
8  fsync(3<\x2f\x66>) = 0
8  unlink("\x2f\x66\x2f\x61") = 0
7  fsync(5<\x2f\x67\x2f\x61>) = 0
7  +++ exited with 0 +++
"#;
        let file = || "a".to_owned();
        let expected = [
            Event::Opened { file: file() },
            Event::Wrote { file: file(), at: 4_096, bytes: vec![1, 2] },
            Event::Synced { file: file(), from: 1 },
            Event::Said { bytes: b"hi".to_vec() },
            Event::Resized { file: file(), bytes: 9 },
            Event::SyncedFolder { from: 5 },
            Event::Removed { file: file() },
        ];
        assert_eq!(parse(trace, "/f"), expected);
    }
}
