//! `file_out`: a file of each item.

use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use super::Content;
use crate::workflow::expression;

/// Where files are written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileOut {
    /// The folder; it is made if it is not there.
    pub folder: String,
    /// The name of an item's file, which may hold expressions and folders below.
    pub name: String,
    /// What happens where a file of that name is there.
    pub on_conflict: OnConflict,
}

/// What happens where a file of an item's name is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnConflict {
    /// The item takes its place: an item that is delivered again changes nothing.
    #[default]
    Replace,
    /// The item goes to `failure`.
    Fail,
    /// The item is added to its end, with a line break after it.
    Append,
}

impl FileOut {
    /// Returns the name of an item's file below the folder.
    ///
    /// # Errors
    /// The name cannot be made, is empty, or leads out of the folder.
    pub fn name_of(&self, item: &Content) -> Result<String, String> {
        let made = expression::render(&self.name, &item.values())
            .map_err(|error| format!("the name of the file cannot be made: {error}"))?;
        let is_below = Path::new(&made).components().all(|part| matches!(part, Component::Normal(_)));
        if made.is_empty() || made.ends_with('/') || made.contains('\0') || !is_below {
            return Err(format!("\"{}\" is no name of a file below the folder", made.escape_debug()));
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::item;
    use super::*;

    #[test]
    fn a_name_stays_below_the_folder() {
        let out = |name: &str| FileOut { folder: "/srv".into(), name: name.into(), on_conflict: OnConflict::Replace };
        let named = item(&[("id", "7"), ("evil", "../x")], "");
        assert_eq!(out("${{ attributes.id }}.txt").name_of(&named).unwrap(), "7.txt");
        assert_eq!(out("a/${{ attributes.id }}").name_of(&named).unwrap(), "a/7");
        for bad in ["${{ attributes.evil }}", "/etc/passwd", "", "a/", "${{ attributes.none }}", "a\0b", "./../b"] {
            assert!(out(bad).name_of(&named).is_err(), "{bad}");
        }
    }
}
