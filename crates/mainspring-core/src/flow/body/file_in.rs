//! `file_in`: an item of each file of a folder.

use serde::{Deserialize, Serialize};

/// Where files are looked for, and what becomes of them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileIn {
    /// The folder; what is in folders below it stays.
    pub folder: String,
    /// What a name must look like, with `*` for anything; every name when absent. Hidden files stay in any case.
    pub name: Option<String>,
    /// How long a file must not have changed, in ms, so that none is taken that is being written.
    pub settled_ms: i64,
    /// The folder to which files are moved; they are removed when absent.
    pub move_to: Option<String>,
    /// How many files one body takes at most.
    pub max_files: u32,
    /// The most bytes of a file; longer ones stay.
    pub max_bytes: u64,
}

impl FileIn {
    /// Whether a file of this name is meant.
    #[must_use]
    pub fn admits(&self, name: &str) -> bool {
        !name.starts_with('.') && self.name.as_deref().is_none_or(|pattern| matches(pattern, name))
    }
}

/// Whether a name is like a pattern in which `*` stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(name) = name.strip_prefix(before) else { return false };
    name.char_indices().map(|(at, _)| at).chain([name.len()]).any(|at| matches(rest, &name[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_like_patterns() {
        let cases = [
            ("*.csv", "a.csv", true),
            ("*.csv", ".csv", true),
            ("*.csv", "a.csv.part", false),
            ("order-*-*.json", "order-7-x.json", true),
            ("order-*-*.json", "order-7.json", false),
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "\u{e9}", true),
        ];
        for (pattern, name, wanted) in cases {
            assert_eq!(matches(pattern, name), wanted, "{pattern} {name}");
        }
    }
}
