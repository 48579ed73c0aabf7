//! Is a write-ahead log whole? SQLite passes over everything from the first page on that it cannot verify, as it has to after a power
//! cut, and says nothing. What it would pass over is looked at here before it does.
//!
//! The format is <https://sqlite.org/fileformat2.html#the_write_ahead_log>: a header, then frames of a header and a page each. A frame
//! belongs to the log if it has the salts of the header and its checksum, which runs on from frame to frame, is right; one that ends a
//! transaction says how large the database is then.
//!
//! A power cut may leave frames of the one transaction that was not synced, in any order, with one end at most: the next
//! transaction is not begun before the one before is synced. So *two* ends behind a frame that is wrong show that synced
//! transactions would be lost, and so do two ends behind a header that is wrong; but for one that was being written anew, since all
//! that is behind it is in the database by then: its number and its first salt are one higher, and it may be torn.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;

const HEADER_BYTES: usize = 32;
const FRAME_BYTES: usize = 24;
/// The size of pages in databases that were made by this program.
const PAGE_BYTES: usize = 4_096;
/// The first bytes of a header; the last bit says in which order of bytes checksums are computed.
const MAGIC: u32 = 0x377f_0682;

/// Reads a log, if there is one. Answers what would be lost, in words for people. SQLite removes the log of an empty database.
///
/// # Errors
/// It cannot be read.
pub(super) fn damage(path: &Path, is_empty: bool) -> io::Result<Option<String>> {
    match File::open(path) {
        Ok(file) if is_empty => orphaned(BufReader::with_capacity(1 << 18, file)),
        Ok(file) => damage_in(BufReader::with_capacity(1 << 18, file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn damage_in(mut log: impl Read) -> io::Result<Option<String>> {
    let mut header = [0; HEADER_BYTES];
    if !fill(&mut log, &mut header)? {
        return Ok(None);
    }
    let Some(mut sum) = Checksum::of_header(&header) else {
        let is_damaged = is_foreign(&header) || damage_behind(&header, log)?;
        return Ok(is_damaged.then(|| "its header is damaged, so that nothing of it can be read".to_owned()));
    };
    let (salts, page_bytes) = (&header[16..24], word(&header, 8) as usize);
    let mut frame = vec![0; FRAME_BYTES + page_bytes];
    let (mut number, mut wrong, mut ends) = (0_u64, None, 0_u64);
    while fill(&mut log, &mut frame)? {
        number += 1;
        let is_of_log = &frame[8..16] == salts;
        if wrong.is_none() {
            sum.add(&frame[..8]);
            sum.add(&frame[FRAME_BYTES..]);
            if is_of_log && sum.is(&frame[16..24]) {
                continue;
            }
            wrong = Some(number);
        }
        ends += u64::from(is_of_log && word(&frame, 4) != 0);
    }
    let lost =
        |wrong: u64| format!("page {wrong} of it is damaged, and at least {} later changes would be lost", ends - 1);
    Ok(wrong.filter(|_| ends >= 2).map(lost))
}

/// Says that a log without its database has synced transactions. A database that is being made has pages before its log has such.
fn orphaned(mut log: impl Read) -> io::Result<Option<String>> {
    let mut header = [0; HEADER_BYTES];
    let is_log = fill(&mut log, &mut header)? && !is_foreign(&header);
    let mut frame = vec![0; FRAME_BYTES + PAGE_BYTES];
    let mut ends = 0_u64;
    while is_log && fill(&mut log, &mut frame)? {
        ends += u64::from(frame[8..16] == header[16..24] && word(&frame, 4) != 0);
    }
    Ok((ends >= 2)
        .then(|| format!("its database is missing or empty, and at least {} changes would be lost", ends - 1)))
}

/// Whether a header begins as none does: one that a power cut has torn has its first bytes, or none at all.
fn is_foreign(header: &[u8; HEADER_BYTES]) -> bool {
    word(header, 0) & !1 != MAGIC && header[4..].iter().any(|byte| *byte != 0)
}

/// Whether synced transactions are behind a header that is wrong.
fn damage_behind(header: &[u8; HEADER_BYTES], mut log: impl Read) -> io::Result<bool> {
    let mut frame = vec![0; FRAME_BYTES + PAGE_BYTES];
    let (mut salts, mut ends) = (None, 0_u64);
    while fill(&mut log, &mut frame)? {
        let of_log = *salts.get_or_insert([word(&frame, 8), word(&frame, 12)]);
        ends += u64::from([word(&frame, 8), word(&frame, 12)] == of_log && word(&frame, 4) != 0);
    }
    let mut before = *header;
    before[12..16].copy_from_slice(&word(header, 12).wrapping_sub(1).to_be_bytes());
    // The first bytes of the next salt, or all of them, and the last ones of the one before.
    let begins_anew = salts.is_some_and(|[first, _]: [u32; 2]| {
        let (next, old) = (first.wrapping_add(1).to_be_bytes(), first.to_be_bytes());
        (1..=4).any(|torn| {
            let salt = [&next[..torn], &old[torn..]].concat();
            salt != old && header[16..20] == salt[..]
        })
    });
    Ok(ends >= 2 && !begins_anew && Checksum::of_header(&before).is_none())
}

/// Fills the buffer. False: there is not as much left.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The checksum of SQLite's log, which runs on.
#[derive(Clone, Copy, Debug)]
struct Checksum {
    is_big_endian: bool,
    sums: (u32, u32),
}

impl Checksum {
    /// After a header, if that is valid.
    fn of_header(header: &[u8; HEADER_BYTES]) -> Option<Self> {
        let magic = word(header, 0);
        let page_bytes = word(header, 8);
        if magic & !1 != MAGIC || !page_bytes.is_power_of_two() || !(512..=65_536).contains(&page_bytes) {
            return None;
        }
        let mut sum = Self { is_big_endian: magic & 1 == 1, sums: (0, 0) };
        sum.add(&header[..24]);
        sum.is(&header[24..32]).then_some(sum)
    }

    fn add(&mut self, bytes: &[u8]) {
        let word = |bytes: &[u8]| {
            let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
            if self.is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
        };
        let (mut first, mut second) = self.sums;
        for pair in bytes.chunks_exact(8) {
            first = first.wrapping_add(word(&pair[..4])).wrapping_add(second);
            second = second.wrapping_add(word(&pair[4..])).wrapping_add(first);
        }
        self.sums = (first, second);
    }

    fn is(&self, bytes: &[u8]) -> bool {
        (word(bytes, 0), word(bytes, 4)) == self.sums
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    /// The log of a database in which so many transactions were made since its last checkpoint.
    fn log_of(transactions: u32) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let db = Connection::open(&path).unwrap();
        db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (x)").unwrap();
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        for number in 0..transactions {
            db.execute("INSERT INTO t VALUES (?1 || zeroblob(9000))", [number]).unwrap();
        }
        std::fs::read(folder.path().join("x.db-wal")).unwrap()
    }

    fn frames(log: &[u8]) -> usize {
        (log.len() - HEADER_BYTES) / (FRAME_BYTES + 4_096)
    }

    #[test]
    fn whole_log_and_one_that_a_power_cut_has_torn_are_no_damage() {
        let log = log_of(5);
        assert_eq!(damage_in(&log[..]).unwrap(), None);
        assert_eq!(damage_in(&log[..0]).unwrap(), None);
        let last = HEADER_BYTES + (frames(&log) - 1) * (FRAME_BYTES + 4_096);
        for (at, name) in [(last + 9, "salts"), (last + 17, "checksum"), (last + 2_000, "page")] {
            let mut torn = log.clone();
            torn[at] ^= 0xff;
            assert_eq!(damage_in(&torn[..]).unwrap(), None, "{name} of the last frame");
        }
        for bytes in 0..log.len() {
            if bytes % 509 == 0 {
                assert_eq!(damage_in(&log[..bytes]).unwrap(), None, "cut off after {bytes} bytes");
            }
        }
    }

    #[test]
    fn damage_before_synced_transactions_is_found_wherever_it_is() {
        let log = log_of(5);
        let early = HEADER_BYTES + (FRAME_BYTES + 4_096) * 2;
        for at in
            (0..HEADER_BYTES).chain(HEADER_BYTES..HEADER_BYTES + 24).chain([early + 9, early + 100, early + 4_000])
        {
            let mut damaged = log.clone();
            damaged[at] ^= 0x10;
            assert!(damage_in(&damaged[..]).unwrap().is_some(), "byte {at}");
        }
        let mut zeroed = log.clone();
        zeroed[HEADER_BYTES..HEADER_BYTES + 5_000].fill(0);
        assert!(damage_in(&zeroed[..]).unwrap().is_some());
    }

    /// The log began anew, and the power went while its header was written: what is behind that is in the database.
    #[test]
    fn header_that_was_torn_while_the_log_began_anew_is_no_damage() {
        let log = log_of(5);
        let mut next = log.clone();
        next[12..16].copy_from_slice(&(word(&log, 12) + 1).to_be_bytes());
        next[16..20].copy_from_slice(&word(&log, 16).wrapping_add(1).to_be_bytes());
        next[20..24].fill(0x5a);
        let mut sum = Checksum { is_big_endian: word(&log, 0) & 1 == 1, sums: (0, 0) };
        sum.add(&next[..24]);
        next[24..28].copy_from_slice(&sum.sums.0.to_be_bytes());
        next[28..32].copy_from_slice(&sum.sums.1.to_be_bytes());
        assert!(Checksum::of_header(next[..32].try_into().unwrap()).is_some());
        for bytes in 0..=HEADER_BYTES {
            let torn = [&next[..bytes], &log[bytes..]].concat();
            assert_eq!(damage_in(&torn[..]).unwrap(), None, "{bytes} bytes of the new header");
        }
    }

    #[test]
    fn frames_of_an_earlier_log_behind_the_present_one_are_no_damage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let db = Connection::open(&path).unwrap();
        db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (x)").unwrap();
        for number in 0..20 {
            db.execute("INSERT INTO t VALUES (?1 || zeroblob(9000))", [number]).unwrap();
        }
        db.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).unwrap();
        db.execute("INSERT INTO t VALUES (1)", []).unwrap();
        let log = std::fs::read(folder.path().join("x.db-wal")).unwrap();
        assert!(frames(&log) > 40, "the log begins anew in its file");
        assert_eq!(damage_in(&log[..]).unwrap(), None);
    }
}
