//! JSON with places: serde_json reads the text level by level as raw slices, whose addresses are offsets.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::lines::Lines;
use super::node::{Content, Key, Node, inexact, too_deep};
use super::number::is_exact_number;
use super::{Fault, Limits, Place};
use crate::ErrorCode;

pub(super) fn parse(text: &str, limits: Limits) -> Result<Node, Fault> {
    let reader = Reader { text, lines: Lines::new(text), limits };
    let root: &RawValue = serde_json::from_str(text).map_err(|error| reader.syntax(0, &error))?;
    reader.node(root.get(), 1)
}

struct Reader<'a> {
    text: &'a str,
    lines: Lines<'a>,
    limits: Limits,
}

impl<'a> Reader<'a> {
    fn node(&self, raw: &'a str, depth: usize) -> Result<Node, Fault> {
        let offset = self.offset(raw);
        let place = self.lines.place(offset);
        let nested = raw.starts_with(['{', '[']);
        if nested && depth > self.limits.depth {
            return Err(Fault::new(ErrorCode::DocumentTooDeep, too_deep(self.limits), Some(place)));
        }
        let content = match raw.as_bytes().first() {
            Some(b'{') => Content::Members(self.members(raw, depth)?),
            Some(b'[') => Content::List(self.items(raw, depth)?),
            _ => scalar(raw).map_err(|error| invalid(&error, place))?,
        };
        Ok(Node { place, content })
    }

    fn members(&self, raw: &'a str, depth: usize) -> Result<Vec<(Key, Node)>, Fault> {
        let members: Members<'a> = serde_json::from_str(raw).map_err(|error| self.syntax(self.offset(raw), &error))?;
        members
            .0
            .into_iter()
            .map(|(key, value)| Ok((self.key(key.get())?, self.node(value.get(), depth + 1)?)))
            .collect()
    }

    fn items(&self, raw: &'a str, depth: usize) -> Result<Vec<Node>, Fault> {
        let items: Vec<&'a RawValue> =
            serde_json::from_str(raw).map_err(|error| self.syntax(self.offset(raw), &error))?;
        items.into_iter().map(|item| self.node(item.get(), depth + 1)).collect()
    }

    fn key(&self, raw: &'a str) -> Result<Key, Fault> {
        let offset = self.offset(raw);
        let text = serde_json::from_str(raw).map_err(|error| self.syntax(offset, &error))?;
        Ok(Key { place: self.lines.place(offset), text })
    }

    /// Returns where a slice of the text begins in it.
    fn offset(&self, slice: &str) -> usize {
        slice.as_ptr().addr() - self.text.as_ptr().addr()
    }

    /// Makes a fault of an error in the slice that begins at `base`.
    fn syntax(&self, base: usize, error: &serde_json::Error) -> Fault {
        let within = Lines::new(&self.text[base..]).offset(error.line(), error.column());
        let place = self.lines.place(base + within);
        invalid(error, place)
    }
}

fn invalid(error: &serde_json::Error, place: Place) -> Fault {
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
    Fault::new(ErrorCode::DocumentSyntax, format!("not valid JSON: {}", in_our_words(message)), Some(place))
}

/// What the parser says, as a person would: its own words are for programmers, and change with its versions.
fn in_our_words(message: &str) -> &'static str {
    match message {
        "EOF while parsing a list" => "the text ends within a list",
        "EOF while parsing an object" => "the text ends within a mapping",
        "EOF while parsing a string" => "the text ends within a quoted text",
        "EOF while parsing a value" => "the text ends where a value should stand",
        "expected `:`" => "a ':' is missing after a key",
        "expected `,` or `]`" => "a ',' or ']' is missing",
        "expected `,` or `}`" => "a ',' or '}' is missing",
        "key must be a string" => "a key is not in quotes",
        "trailing comma" => "there is a ',' with nothing behind it",
        "trailing characters" => "there is more behind the end",
        "invalid escape" => "there is a '\\' that begins nothing that JSON knows",
        "invalid number" => "there is no such number",
        "number out of range" => "a number is beyond what 64 bits hold; write it as text",
        "control character (\\u0000-\\u001F) found while parsing a string" => {
            "a quoted text holds a control character; write it as \\u…"
        }
        "lone leading surrogate in hex escape" | "unexpected end of hex escape" => {
            "a \\u… stands for half a character only"
        }
        "recursion limit exceeded" => "it is nested too deeply",
        _ => "a value is expected here",
    }
}

fn scalar(raw: &str) -> Result<Content, serde_json::Error> {
    Ok(match serde_json::from_str(raw)? {
        Value::Bool(value) => Content::Bool(value),
        Value::String(text) => Content::Text(text),
        Value::Number(_) if !is_exact_number(raw) => Content::Unsupported(inexact(raw)),
        Value::Number(number) => Content::Number(number),
        _ => Content::Null,
    })
}

/// The members of an object in order, repetitions included.
struct Members<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}
