//! TOML with places.

use std::ops::Range;

use serde_json::Number;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::lines::Lines;
use super::node::{Content, Key, Node, inexact};
use super::number::is_exact_number;
use super::{Fault, Place};
use crate::ErrorCode;

/// Reads a text. Depth is bounded by the parser, at 80 levels, before it is by us.
pub(super) fn parse(text: &str) -> Result<Node, Fault> {
    let lines = Lines::new(text);
    let root = DeTable::parse(text).map_err(|error| syntax(&lines, &error))?;
    Ok(Node { place: (1, 1), content: members(&lines, root.into_inner()) })
}

/// Writes the floats of a TOML text as JSON writes them, where the writer of TOML chose other digits, which no reader takes.
pub(crate) fn with_exact_floats(mut text: String) -> String {
    let mut floats = Vec::new();
    if let Ok(root) = DeTable::parse(&text) {
        root.get_ref().values().for_each(|value| find_inexact(value, &mut floats));
    }
    floats.sort_unstable_by_key(|(span, _)| std::cmp::Reverse(span.start));
    floats.into_iter().for_each(|(span, number)| text.replace_range(span, &number.to_string()));
    text
}

fn find_inexact(value: &Spanned<DeValue<'_>>, found: &mut Vec<(Range<usize>, Number)>) {
    match value.get_ref() {
        DeValue::Float(float) if !is_exact_number(float.as_str()) => {
            let number = float.as_str().parse().ok().and_then(Number::from_f64);
            found.extend(number.map(|number| (value.span(), number)));
        }
        DeValue::Array(items) => items.iter().for_each(|item| find_inexact(item, found)),
        DeValue::Table(table) => table.values().for_each(|value| find_inexact(value, found)),
        _ => {}
    }
}

fn syntax(lines: &Lines<'_>, error: &toml::de::Error) -> Fault {
    let place = error.span().map(|span| lines.place(span.start));
    let code = match error.message() {
        message if message.contains("duplicate key") => ErrorCode::DocumentDuplicateKey,
        message if message.contains("recurs") => ErrorCode::DocumentTooDeep,
        _ => ErrorCode::DocumentSyntax,
    };
    let message = error.message().replace('\n', ", ");
    Fault::new(code, format!("not valid TOML: {message}"), place)
}

fn members(lines: &Lines<'_>, table: DeTable<'_>) -> Content {
    let mut members: Vec<_> = table
        .into_iter()
        .map(|(key, value)| {
            let place = lines.place(key.span().start);
            (Key { place, text: key.into_inner().into_owned() }, node(lines, value, place))
        })
        .collect();
    members.sort_by_key(|(key, _)| key.place);
    Content::Members(members)
}

/// Makes a node. A table written as `[header]` counts as written where its key was.
fn node(lines: &Lines<'_>, value: Spanned<DeValue<'_>>, key_place: Place) -> Node {
    let span = value.span();
    let place = if span.is_empty() { key_place } else { lines.place(span.start) };
    let content = match value.into_inner() {
        DeValue::String(text) => Content::Text(text.into_owned()),
        DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(number) => Content::Number(number.into()),
            Err(_) => Content::Unsupported("the number does not fit 64 bits; write it as text".into()),
        },
        DeValue::Float(float) => match float.as_str().parse().ok().and_then(Number::from_f64) {
            Some(_) if !is_exact_number(float.as_str().trim_start_matches('+')) => {
                Content::Unsupported(inexact(float.as_str()))
            }
            Some(number) => Content::Number(number),
            None => Content::Unsupported(format!("{} has no JSON spelling; write it as text", float.as_str())),
        },
        DeValue::Boolean(value) => Content::Bool(value),
        DeValue::Datetime(at) => Content::Text(at.to_string()),
        DeValue::Array(items) => Content::List(items.into_iter().map(|item| node(lines, item, place)).collect()),
        DeValue::Table(table) => members(lines, table),
    };
    Node { place, content }
}
