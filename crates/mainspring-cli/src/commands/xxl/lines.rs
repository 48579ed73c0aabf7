//! Differences between two texts, line by line, in the unified form.

use std::fmt::Write;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

/// Lines that stay, shown around those that differ.
const CONTEXT: usize = 3;
/// How long the shortest difference is looked for; beyond, a longer one is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Returns the differences between two texts with their names; nothing if there are none.
pub fn unified((before_name, before): (&str, &str), (after_name, after): (&str, &str)) -> String {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let diff = TextDiff::configure().timeout(PATIENCE).diff_slices(&before, &after);
    let mut text = String::new();
    for hunk in diff.grouped_ops(CONTEXT) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let old = first.old_range().start..last.old_range().end;
        let new = first.new_range().start..last.new_range().end;
        // The first line has number 1; of no lines, the one before them is named.
        let begin = |range: &std::ops::Range<usize>| range.start + usize::from(!range.is_empty());
        let _infallible = writeln!(text, "@@ -{},{} +{},{} @@", begin(&old), old.len(), begin(&new), new.len());
        for change in hunk.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let _infallible = writeln!(text, "{sign}{}", change.value());
        }
    }
    if text.is_empty() { text } else { format!("--- {before_name}\n+++ {after_name}\n{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_shown_with_the_lines_around_them() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk";
        let after = "a\nb\nc\nd\nE\nf\ng\nh\ni\nj\nk\nl";
        let shown = unified(("old", before), ("new", after));
        let expected = "--- old\n+++ new\n@@ -2,10 +2,11 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n i\n j\n k\n+l\n";
        assert_eq!(shown, expected);
        assert_eq!(unified(("old", before), ("new", before)), "");
        assert_eq!(unified(("o", ""), ("n", "x")), "--- o\n+++ n\n@@ -0,0 +1,1 @@\n+x\n");
    }

    #[test]
    fn every_way_leads_from_one_text_to_the_other() {
        for (before, after) in [("a b c", "c b a"), ("", "a b"), ("a b", ""), ("x a y b z", "a b"), ("a a a", "a a")] {
            let (before, after) = (before.replace(' ', "\n"), after.replace(' ', "\n"));
            let shown = unified(("old", &before), ("new", &after));
            let side = |sign: char| {
                let lines = shown.lines().skip(3).filter(|line| line.starts_with([' ', sign]));
                lines.map(|line| &line[1..]).collect::<Vec<_>>().join("\n")
            };
            assert_eq!((side('-'), side('+')), (before, after));
        }
    }
}
