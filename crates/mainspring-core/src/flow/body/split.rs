//! `split`: several items of one.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Content, Done, done, output, passed};
use crate::flow::machine::{Disposal, Verdict};
use crate::flow::queue::Header;

/// The most parts of an item.
const PARTS_MAX: usize = 10_000;

/// How an item is divided. Each part has the item's attributes, and `split.index` from 1, `split.count` and `split.item`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// After so many lines.
    Lines(u32),
    /// At a text, which is in none of the parts.
    Separator(String),
    /// Into the members of a JSON array.
    Json,
}

impl Split {
    /// What cannot be divided, or into more than 10,000 parts, goes on to `failure` as it is.
    pub(super) fn perform(&self, items: &[Content], headers: &[Header]) -> Done {
        let Some(item) = items.first() else { return done(Vec::new()) };
        let parts = match self.parts(&item.payload) {
            Ok(parts) => parts,
            Err(why) => return Done { lines: vec![why], ..passed("failure", items.len()) },
        };
        let count = parts.len();
        let id = headers.first().map_or_else(String::new, |header| header.id.0.to_string());
        let part = |(index, payload): (usize, Vec<u8>)| {
            let mut attributes = item.attributes.clone();
            attributes.insert("split.index".to_owned(), (index + 1).to_string());
            attributes.insert("split.count".to_owned(), count.to_string());
            attributes.insert("split.item".to_owned(), id.clone());
            Content { attributes, payload }
        };
        let made: Vec<Content> = parts.into_iter().enumerate().map(part).collect();
        let outputs = made.iter().map(|content| output(content, Some(0))).collect();
        let verdict = Verdict::Done { items: vec![Disposal::Remove; items.len()], outputs, yields: None };
        Done { verdict, made, lines: Vec::new() }
    }

    fn parts(&self, payload: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        let parts: Vec<Vec<u8>> = match self {
            Self::Lines(lines) => {
                let all: Vec<&[u8]> = payload.split_inclusive(|byte| *byte == b'\n').take(limit(*lines)).collect();
                all.chunks((*lines).max(1) as usize).map(<[&[u8]]>::concat).map(without_end).collect()
            }
            Self::Separator(separator) => {
                let text = std::str::from_utf8(payload).map_err(|_| "the payload is not UTF-8".to_owned())?;
                text.split(separator.as_str()).take(PARTS_MAX + 1).map(|part| part.as_bytes().to_vec()).collect()
            }
            Self::Json => {
                // As they are written: reading a number could change it.
                let members: Vec<&RawValue> = serde_json::from_slice(payload).map_err(|error| {
                    format!("the payload is no JSON array: line {}, column {}", error.line(), error.column())
                })?;
                members.into_iter().take(PARTS_MAX + 1).map(|member| member.get().as_bytes().to_vec()).collect()
            }
        };
        if parts.len() > PARTS_MAX {
            return Err(format!("the payload has more than {PARTS_MAX} parts"));
        }
        Ok(parts)
    }
}

/// Lines beyond which there are too many parts.
const fn limit(lines: u32) -> usize {
    (PARTS_MAX + 1).saturating_mul(if lines == 0 { 1 } else { lines as usize })
}

/// A part without the end of its last line.
fn without_end(mut part: Vec<u8>) -> Vec<u8> {
    if part.last() == Some(&b'\n') {
        part.pop();
    }
    part
}

#[cfg(test)]
mod tests {
    use super::super::tests::item;
    use super::*;

    fn split(by: &Split, payload: &str) -> Vec<String> {
        let done = by.perform(&[item(&[("kind", "fruit")], payload)], &[]);
        done.made.iter().map(|it| String::from_utf8(it.payload.clone()).unwrap()).collect()
    }

    #[test]
    fn an_item_is_divided_by_lines_a_separator_or_members() {
        assert_eq!(split(&Split::Lines(1), "a\nb\nc\n"), ["a", "b", "c"]);
        assert_eq!(split(&Split::Lines(2), "a\nb\nc"), ["a\nb", "c"]);
        assert_eq!(split(&Split::Separator("; ".into()), "a; b; "), ["a", "b", ""]);
        assert_eq!(split(&Split::Json, "[1, {\"a\": [2]}, \"x\"]"), ["1", "{\"a\": [2]}", "\"x\""]);
        let exact = ["123456789012345678901234567890", "{\"n\":1.10}"];
        assert_eq!(split(&Split::Json, &format!("[{}]", exact.join(","))), exact, "no number is changed");
        assert_eq!(split(&Split::Json, "[]"), Vec::<String>::new());
        let done = Split::Lines(1).perform(&[item(&[("kind", "fruit")], "a\nb")], &[]);
        let second = &done.made[1].attributes;
        assert_eq!((&*second["kind"], &*second["split.index"], &*second["split.count"]), ("fruit", "2", "2"));
    }

    #[test]
    fn what_cannot_be_divided_goes_to_failure_and_says_why() {
        let many = "\n".repeat(PARTS_MAX + 1);
        for (by, payload) in [(Split::Json, "{}"), (Split::Lines(1), many.as_str())] {
            let done = by.perform(&[item(&[], payload)], &[]);
            let Verdict::Done { items, outputs, .. } = done.verdict else { panic!() };
            assert_eq!(items, [Disposal::Transfer { relationship: "failure".into(), changed: None }]);
            assert_eq!((outputs.len(), done.lines.len()), (0, 1));
        }
    }
}
