//! Chunks as compact bytes, for a store that keeps one blob per chunk.
//!
//! Layout, version 1. Numbers are LEB128, signed ones zigzag first.
//!
//! ```text
//! version (1) | first_line | line count | then per line:
//!     flags: bits 0-1 stream, bit 2 partial | ms since the line before (signed) | byte count | UTF-8
//! ```
//!
//! The first line counts its milliseconds from 1970.

use super::line::{LogChunk, LogLine, Stream};

const VERSION: u8 = 1;
const PARTIAL: u8 = 0b100;
/// Flags, time and length take a byte each at least; so a count beyond that is a lie.
const LINE_BYTES_MIN: usize = 3;

/// The reason why bytes are not a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// The bytes end too early.
    #[error("the log chunk ends early, at byte {at}")]
    Short {
        /// The number of bytes.
        at: usize,
    },
    /// A newer version of mainspring wrote it.
    #[error("the log chunk has version {version}, this program reads version 1")]
    Version {
        /// The first byte.
        version: u8,
    },
    /// A field has a value that is never written.
    #[error("the log chunk is damaged at byte {at}")]
    Damaged {
        /// The position after the field.
        at: usize,
    },
}

impl LogChunk {
    /// Writes the chunk as bytes.
    ///
    /// ```
    /// use mainspring_tasks::{LogChunk, LogLine, Stream};
    ///
    /// let line = LogLine { at_ms: 7, stream: Stream::Stderr, text: "no such file".into(), partial: false };
    /// let chunk = LogChunk { first_line: 40, lines: vec![line] };
    /// assert_eq!(LogChunk::decode(&chunk.encode()), Ok(chunk));
    /// ```
    pub fn encode(&self) -> Vec<u8> {
        let text_bytes: usize = self.lines.iter().map(|line| line.text.len() + 8).sum();
        let mut bytes = Vec::with_capacity(text_bytes + 16);
        bytes.push(VERSION);
        put(&mut bytes, self.first_line);
        put(&mut bytes, self.lines.len() as u64);
        let mut before_ms = 0i64;
        for line in &self.lines {
            bytes.push(flags(line));
            put(&mut bytes, zigzag(line.at_ms.wrapping_sub(before_ms)));
            put(&mut bytes, line.text.len() as u64);
            bytes.extend_from_slice(line.text.as_bytes());
            before_ms = line.at_ms;
        }
        bytes
    }

    /// Reads a chunk back from `bytes`.
    ///
    /// # Errors
    /// [`CodecError`] for bytes that [`LogChunk::encode`] did not write; never panics, and never
    /// takes more memory than a small multiple of `bytes`.
    pub fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut input = Input { bytes, at: 0 };
        match input.byte()? {
            VERSION => {}
            version => return Err(CodecError::Version { version }),
        }
        let first_line = input.number()?;
        let count = input.length(LINE_BYTES_MIN)?;
        let mut lines = Vec::with_capacity(count);
        let mut before_ms = 0i64;
        for _ in 0..count {
            let line = input.line(before_ms)?;
            before_ms = line.at_ms;
            lines.push(line);
        }
        if input.at != bytes.len() || first_line.checked_add(count as u64).is_none() {
            return Err(input.damaged());
        }
        Ok(Self { first_line, lines })
    }
}

fn flags(line: &LogLine) -> u8 {
    let stream = match line.stream {
        Stream::Stdout => 0,
        Stream::Stderr => 1,
        Stream::System => 2,
    };
    if line.partial { stream | PARTIAL } else { stream }
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Input<'_> {
    fn damaged(&self) -> CodecError {
        CodecError::Damaged { at: self.at }
    }

    fn byte(&mut self) -> Result<u8, CodecError> {
        let byte = *self.bytes.get(self.at).ok_or(CodecError::Short { at: self.bytes.len() })?;
        self.at += 1;
        Ok(byte)
    }

    fn number(&mut self) -> Result<u64, CodecError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if (bits << shift) >> shift != bits {
                return Err(self.damaged());
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(self.damaged())
    }

    /// Reads a count of things that take `size` bytes each, at least, and must still follow.
    fn length(&mut self, size: usize) -> Result<usize, CodecError> {
        let count = self.number()?;
        let rest = (self.bytes.len() - self.at) / size;
        usize::try_from(count).ok().filter(|count| *count <= rest).ok_or(CodecError::Short { at: self.bytes.len() })
    }

    fn line(&mut self, before_ms: i64) -> Result<LogLine, CodecError> {
        let flags = self.byte()?;
        let stream = match flags & !PARTIAL {
            0 => Stream::Stdout,
            1 => Stream::Stderr,
            2 => Stream::System,
            _ => return Err(self.damaged()),
        };
        let at_ms = before_ms.wrapping_add(unzigzag(self.number()?));
        let length = self.length(1)?;
        let text = std::str::from_utf8(&self.bytes[self.at..self.at + length]).map_err(|_| self.damaged())?.to_owned();
        self.at += length;
        Ok(LogLine { at_ms, stream, text, partial: flags & PARTIAL != 0 })
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn a_line() -> impl Strategy<Value = LogLine> {
        let stream = prop_oneof![Just(Stream::Stdout), Just(Stream::Stderr), Just(Stream::System)];
        (any::<i64>(), stream, ".{0,40}", any::<bool>()).prop_map(|(at_ms, stream, text, partial)| LogLine {
            at_ms,
            stream,
            text,
            partial,
        })
    }

    fn a_chunk() -> impl Strategy<Value = LogChunk> {
        (0..u64::MAX / 2, vec(a_line(), 0..20)).prop_map(|(first_line, lines)| LogChunk { first_line, lines })
    }

    proptest! {
        #[test]
        fn every_chunk_survives_the_way_there_and_back(chunk in a_chunk()) {
            prop_assert_eq!(LogChunk::decode(&chunk.encode()), Ok(chunk));
        }

        #[test]
        fn any_bytes_give_a_chunk_or_an_error(mut bytes in vec(any::<u8>(), 0..200)) {
            let _ = LogChunk::decode(&bytes);
            if let Some(first) = bytes.first_mut() {
                *first = VERSION;
            }
            let _ = LogChunk::decode(&bytes);
        }

        #[test]
        fn every_cut_off_chunk_is_an_error(chunk in a_chunk(), at in any::<prop::sample::Index>()) {
            let bytes = chunk.encode();
            let cut = &bytes[..at.index(bytes.len())];
            prop_assert!(LogChunk::decode(cut).is_err());
        }
    }

    #[test]
    fn the_layout_stays_as_written_to_disk() {
        let line = |at_ms, stream, text: &str, partial| LogLine { at_ms, stream, text: text.into(), partial };
        let lines = vec![line(300, Stream::Stdout, "ab", false), line(299, Stream::System, "é", true)];
        let bytes = [1, 200, 1, 2, 0, 216, 4, 2, b'a', b'b', 6, 1, 2, 0xc3, 0xa9];
        assert_eq!(LogChunk { first_line: 200, lines }.encode(), bytes);
    }

    #[test]
    fn a_claimed_count_without_bytes_is_refused_before_memory_is_taken() {
        let mut bytes = vec![VERSION, 0];
        put(&mut bytes, u64::MAX);
        assert_eq!(LogChunk::decode(&bytes), Err(CodecError::Short { at: bytes.len() }));
        assert_eq!(LogChunk::decode(&[9]), Err(CodecError::Version { version: 9 }));
    }
}
