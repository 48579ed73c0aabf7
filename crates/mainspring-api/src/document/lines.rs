//! Between byte offset and line and column, in constant time: a minified document is one line of megabytes.

use super::Place;

/// Bytes between two known counts of characters.
const BLOCK: usize = 256;

/// Where the lines of a text begin, and how many characters come before each block.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    characters_before: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let after_breaks = text.match_indices('\n').map(|(offset, _)| offset + 1);
        let starts = std::iter::once(0).chain(after_breaks).collect();
        let mut characters_before = vec![0];
        for block in text.as_bytes().chunks(BLOCK) {
            let before = characters_before.last().copied().unwrap_or_default();
            characters_before.push(before + characters(block));
        }
        Self { text, starts, characters_before }
    }

    /// Returns line and column of a byte offset; one inside a character counts as its beginning.
    pub(super) fn place(&self, offset: usize) -> Place {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let column = self.characters_to(offset) - self.characters_to(self.starts[line - 1]) + 1;
        (clamp(line), clamp(column))
    }

    /// Returns the offset of a one-based line and byte column, as serde_json counts them.
    pub(super) fn offset(&self, line: usize, byte_column: usize) -> usize {
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len());
        start + byte_column.saturating_sub(1)
    }

    /// Returns the text from a place on.
    pub(super) fn text_at(&self, (line, column): Place) -> &'a str {
        let start = self.starts.get(line as usize - 1).copied().unwrap_or(self.text.len());
        let wanted = self.characters_to(start) + column as usize - 1;
        let block = self.characters_before.partition_point(|before| *before <= wanted) - 1;
        let block_start = self.text.ceil_char_boundary(block * BLOCK);
        let rest = &self.text[block_start..];
        let skipped = wanted - self.characters_to(block_start);
        let offset = rest.char_indices().nth(skipped).map_or(rest.len(), |(offset, _)| offset);
        &rest[offset..]
    }

    /// Returns the number of characters that begin before an offset.
    fn characters_to(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        self.characters_before[block] + characters(&self.text.as_bytes()[block * BLOCK..offset])
    }
}

/// Counts the characters that begin in some bytes of UTF-8.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count()
}

/// Documents are far below 2^32 lines; a count beyond is shown as the largest.
fn clamp(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let lines = Lines::new("ab\nüx\n");
        let cases = [(0, (1, 1)), (2, (1, 3)), (3, (2, 1)), (4, (2, 1)), (5, (2, 2)), (7, (3, 1)), (99, (3, 1))];
        for (offset, place) in cases {
            assert_eq!(lines.place(offset), place, "{offset}");
        }
    }

    #[test]
    fn places_and_offsets_agree_across_blocks() {
        for text in ["aü€\u{1f600}\nb".repeat(300), "€".repeat(1000), "a".repeat(BLOCK), String::new()] {
            let lines = Lines::new(&text);
            let mut place = (1, 1);
            for (offset, character) in text.char_indices() {
                assert_eq!(lines.place(offset), place, "{offset}");
                assert_eq!(lines.text_at(place), &text[offset..], "{place:?}");
                place = if character == '\n' { (place.0 + 1, 1) } else { (place.0, place.1 + 1) };
            }
            assert_eq!(lines.place(text.len()), place);
            assert_eq!(lines.text_at(place), "");
        }
    }
}
