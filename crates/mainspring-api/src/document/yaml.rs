//! YAML with places. Aliases and merge keys are expanded within the limits; tags beyond YAML's own are refused.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};
use serde_saphyr::{Error, Location, Options, Spanned};

use super::lines::Lines;
use super::node::{Content, Key, Node, inexact, shorten, too_deep, too_many};
use super::number::is_exact_number;
use super::{Fault, Limits, Place};
use crate::ErrorCode;

pub(super) fn parse(text: &str, limits: Limits) -> Result<Vec<Node>, Fault> {
    let nodes: Vec<Spanned<Content>> =
        serde_saphyr::from_multiple_with_options(text, options(limits)).map_err(|error| fault(&error, limits))?;
    let lines = Lines::new(text);
    let mut nodes: Vec<_> = nodes.into_iter().map(into_node).collect();
    nodes.iter_mut().for_each(|node| refuse_rounded(&lines, node));
    Ok(nodes)
}

/// Refuses numbers that the parser has rounded: whole ones beyond 64 bits, and decimals with more digits than a double has.
fn refuse_rounded(lines: &Lines<'_>, node: &mut Node) {
    match &mut node.content {
        Content::List(items) => items.iter_mut().for_each(|item| refuse_rounded(lines, item)),
        Content::Members(members) => members.iter_mut().for_each(|(_, value)| refuse_rounded(lines, value)),
        Content::Number(number) if number.is_f64() => {
            let written = lines.text_at(node.place);
            let token = written.strip_prefix('+').unwrap_or(written);
            let token = token.split([',', ']', '}', ' ', '\t', '\r', '\n']).next().unwrap_or_default();
            // An alias stands elsewhere than its number; that was looked at where it is written.
            let is_number = token.bytes().all(|byte| byte.is_ascii_digit() || b"-+.eE".contains(&byte));
            let digits = token.trim_start_matches('-');
            let is_octal =
                digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
            if is_octal {
                let message = format!("{} begins with a zero; write it as text, in quotes", shorten(token));
                node.content = Content::Unsupported(message);
            } else if is_number && !digits.is_empty() && !is_exact_number(token) {
                node.content = Content::Unsupported(inexact(token));
            }
        }
        _ => {}
    }
}

fn options(limits: Limits) -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: limits.depth,
            max_nodes: limits.nodes,
            max_aliases: 1_000,
            max_anchors: 1_000,
            enforce_alias_anchor_ratio: false,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: limits.nodes / 2,
            max_alias_expansions_per_anchor: 1_000,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        non_finite_float_policy: NonFiniteFloatPolicy::Reject,
        strict_booleans: true,
        reject_unsupported_tags: true,
        with_snippet: false,
    }
}

fn fault(error: &Error, limits: Limits) -> Fault {
    let place = error.location().map(place);
    let (code, message) = verdict(error, limits);
    Fault::new(code, message, place)
}

fn verdict(error: &Error, limits: Limits) -> (ErrorCode, String) {
    match error.without_snippet() {
        Error::AliasError { error, .. } => verdict(error, limits),
        Error::Budget { breach: BudgetBreach::Depth { .. }, .. } => (ErrorCode::DocumentTooDeep, too_deep(limits)),
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::AliasReplayCounterOverflow { .. } => (ErrorCode::DocumentTooManyNodes, too_many(limits)),
        Error::DuplicateMappingKey { key, .. } => {
            let key = key.as_deref().map(|key| format!(" \"{}\"", shorten(key))).unwrap_or_default();
            (ErrorCode::DocumentDuplicateKey, format!("key{key} is written twice"))
        }
        Error::NonFiniteFloat { .. } => {
            (ErrorCode::DocumentUnsupported, "the number has no JSON spelling; write it as text".to_owned())
        }
        Error::UnsupportedTag { .. } => {
            (ErrorCode::DocumentUnsupported, "tags of one's own are not supported; remove it".to_owned())
        }
        other => match without_place(&other.to_string()) {
            message if message.contains("recursion limit") => (ErrorCode::DocumentTooDeep, too_deep(limits)),
            message => (ErrorCode::DocumentSyntax, format!("not valid YAML: {message}")),
        },
    }
}

/// Cuts off what a position says better.
fn without_place(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    first.rsplit_once(" at line ").map_or(first, |(what, _)| what).to_owned()
}

fn place(location: Location) -> Place {
    let clamp = |count: u64| u32::try_from(count).unwrap_or(u32::MAX).max(1);
    (clamp(location.line()), clamp(location.column()))
}

fn into_node(spanned: Spanned<Content>) -> Node {
    Node { place: place(spanned.referenced), content: spanned.value }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Content, E> {
        Ok(Content::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Content, E> {
        Ok(Content::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Content, E> {
        Ok(Content::Number(value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Content, E> {
        Ok(Content::Number(value.into()))
    }

    fn visit_i128<E: de::Error>(self, value: i128) -> Result<Content, E> {
        Ok(Content::Unsupported(format!("{value} does not fit 64 bits; write it as text")))
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<Content, E> {
        Ok(Content::Unsupported(format!("{value} does not fit 64 bits; write it as text")))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Content, E> {
        Ok(match Number::from_f64(value) {
            Some(number) => Content::Number(number),
            None => Content::Unsupported(format!("{value} has no JSON spelling; write it as text")),
        })
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Content, E> {
        Ok(Content::Text(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Content, E> {
        Ok(Content::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Content, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(into_node(item));
        }
        Ok(Content::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Content, A::Error> {
        let mut members = Vec::new();
        while let Some((key, value)) = map.next_entry::<Spanned<String>, _>()? {
            let key = Key { place: place(key.referenced), text: key.value };
            members.push((key, into_node(value)));
        }
        Ok(Content::Members(members))
    }
}
