//! Differences between two texts, line by line, in the unified form.

use std::fmt::Write;

/// Lines that stay, shown around those that differ.
const CONTEXT: usize = 3;
/// Pairs of lines that are compared at most; beyond, what differs is shown as a whole.
const PAIRS_MAX: usize = 4_000_000;

/// What becomes of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Edit<'a> {
    Keep(&'a str),
    Remove(&'a str),
    Add(&'a str),
}

/// Returns the differences between two texts with their names; nothing if there are none.
pub fn unified((before_name, before): (&str, &str), (after_name, after): (&str, &str)) -> String {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let edits = edits(&before, &after);
    let mut text = String::new();
    for (from, to) in hunks(&edits) {
        let places = |edits: &[Edit<'_>]| {
            let old = edits.iter().filter(|edit| !matches!(edit, Edit::Add(_))).count();
            (old, edits.iter().filter(|edit| !matches!(edit, Edit::Remove(_))).count())
        };
        let ((old_at, new_at), (old, new)) = (places(&edits[..from]), places(&edits[from..to]));
        let begin = |at: usize, count: usize| if count == 0 { at } else { at + 1 };
        let _infallible = writeln!(text, "@@ -{},{old} +{},{new} @@", begin(old_at, old), begin(new_at, new));
        for edit in &edits[from..to] {
            let (sign, line) = match edit {
                Edit::Keep(line) => (' ', line),
                Edit::Remove(line) => ('-', line),
                Edit::Add(line) => ('+', line),
            };
            let _infallible = writeln!(text, "{sign}{line}");
        }
    }
    if text.is_empty() { text } else { format!("--- {before_name}\n+++ {after_name}\n{text}") }
}

/// The shortest way from one text to the other.
fn edits<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<Edit<'a>> {
    let head = before.iter().zip(after).take_while(|(old, new)| old == new).count();
    let (old, new) = (&before[head..], &after[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let kept = |lines: &[&'a str]| lines.iter().map(|line| Edit::Keep(line)).collect::<Vec<_>>();
    let mut edits = kept(&before[..head]);
    if old.len().saturating_mul(new.len()) > PAIRS_MAX {
        edits.extend(old.iter().map(|line| Edit::Remove(line)));
        edits.extend(new.iter().map(|line| Edit::Add(line)));
    } else {
        middle(old, new, &mut edits);
    }
    edits.extend(kept(&before[before.len() - tail..]));
    edits
}

/// By the longest common sequence of what is left of both.
fn middle<'a>(old: &[&'a str], new: &[&'a str], edits: &mut Vec<Edit<'a>>) {
    let width = new.len() + 1;
    let mut longest = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let (below, right) = (longest[(i + 1) * width + j], longest[i * width + j + 1]);
            let both = longest[(i + 1) * width + j + 1] + 1;
            longest[i * width + j] = if old[i] == new[j] { both } else { below.max(right) };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        let at = |i: usize, j: usize| longest[i * width + j];
        if i < old.len() && j < new.len() && old[i] == new[j] {
            edits.push(Edit::Keep(old[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < old.len() && (j == new.len() || at(i + 1, j) >= at(i, j + 1)) {
            edits.push(Edit::Remove(old[i]));
            i += 1;
        } else {
            edits.push(Edit::Add(new[j]));
            j += 1;
        }
    }
}

/// The parts that differ, with the lines around them.
fn hunks(edits: &[Edit<'_>]) -> Vec<(usize, usize)> {
    let mut hunks: Vec<(usize, usize)> = Vec::new();
    for (index, _) in edits.iter().enumerate().filter(|(_, edit)| !matches!(edit, Edit::Keep(_))) {
        let (from, to) = (index.saturating_sub(CONTEXT), (index + 1 + CONTEXT).min(edits.len()));
        match hunks.last_mut() {
            Some((_, end)) if from <= *end => *end = to,
            _ => hunks.push((from, to)),
        }
    }
    hunks
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
            let (before, after): (Vec<&str>, Vec<&str>) = (before.split(' ').collect(), after.split(' ').collect());
            let edits = edits(&before, &after);
            let side = |left: bool| {
                let line = |edit: &Edit<'static>| match edit {
                    Edit::Keep(line) => Some(*line),
                    Edit::Remove(line) => Some(*line).filter(|_| left),
                    Edit::Add(line) => Some(*line).filter(|_| !left),
                };
                edits.iter().filter_map(line).collect::<Vec<_>>()
            };
            assert_eq!((side(true), side(false)), (before, after));
        }
    }
}
