//! From byte offset to line and column.

use super::Place;

/// Where the lines of a text begin.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let after_breaks = text.match_indices('\n').map(|(offset, _)| offset + 1);
        Self {
            text,
            starts: std::iter::once(0).chain(after_breaks).collect(),
        }
    }

    /// Returns line and column of a byte offset; one inside a character counts as its beginning.
    pub(super) fn place(&self, offset: usize) -> Place {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let column = self.text[self.starts[line - 1]..offset].chars().count() + 1;
        (clamp(line), clamp(column))
    }

    /// Returns the offset of a one-based line and byte column, as serde_json counts them.
    pub(super) fn offset(&self, line: usize, byte_column: usize) -> usize {
        let start = self
            .starts
            .get(line.saturating_sub(1))
            .copied()
            .unwrap_or(self.text.len());
        start + byte_column.saturating_sub(1)
    }
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
        let cases = [
            (0, (1, 1)),
            (2, (1, 3)),
            (3, (2, 1)),
            (4, (2, 1)),
            (5, (2, 2)),
            (7, (3, 1)),
            (99, (3, 1)),
        ];
        for (offset, place) in cases {
            assert_eq!(lines.place(offset), place, "{offset}");
        }
    }
}
