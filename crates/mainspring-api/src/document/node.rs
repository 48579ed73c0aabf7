//! The tree that all parsers make, and its way into a JSON value.

use std::collections::HashMap;

use serde_json::{Map, Number, Value};

use super::places::{Inside, Places};
use super::{Fault, Limits, Place};
use crate::ErrorCode;
use crate::shape::PROBLEMS_MAX;

/// The longest key, in bytes. Pointers are made of keys, and every problem has one.
const KEY_BYTES_MAX: usize = 1_024;

/// A value and where it was written.
pub(super) struct Node {
    pub place: Place,
    pub content: Content,
}

/// What was written.
pub(super) enum Content {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Members(Vec<(Key, Node)>),
    /// Something that JSON cannot express, in words.
    Unsupported(String),
}

/// A key and where it was written.
pub(super) struct Key {
    pub place: Place,
    pub text: String,
}

/// Makes a value of a tree, and collects the places and the faults on the way.
pub(super) struct Composer {
    limits: Limits,
    nodes: usize,
    pointer: String,
    faults: Vec<Fault>,
}

impl Composer {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, nodes: 0, pointer: String::new(), faults: Vec::new() }
    }

    /// Returns the value and where its parts were written; `null` stands where there was a fault.
    pub(super) fn compose(&mut self, root: Node) -> (Value, Places) {
        self.value(root, 1)
    }

    pub(super) fn finish(self) -> Vec<Fault> {
        self.faults
    }

    fn value(&mut self, node: Node, depth: usize) -> (Value, Places) {
        let place = node.place;
        let (value, inside) = self.content(node, depth);
        (value, Places::new(place, inside))
    }

    fn content(&mut self, node: Node, depth: usize) -> (Value, Inside) {
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            if self.nodes == self.limits.nodes + 1 {
                self.fault(ErrorCode::DocumentTooManyNodes, too_many(self.limits), node.place);
            }
            return (Value::Null, Inside::Nothing);
        }
        let value = match node.content {
            Content::Null => Value::Null,
            Content::Bool(value) => Value::Bool(value),
            Content::Number(number) => Value::Number(number),
            Content::Text(text) => self.text(text, node.place),
            Content::Unsupported(what) => {
                self.fault(ErrorCode::DocumentUnsupported, what, node.place);
                Value::Null
            }
            Content::List(_) | Content::Members(_) if depth > self.limits.depth => {
                self.fault(ErrorCode::DocumentTooDeep, too_deep(self.limits), node.place);
                Value::Null
            }
            Content::List(items) => return self.list(items, depth),
            Content::Members(members) => return self.members(members, depth),
        };
        (value, Inside::Nothing)
    }

    fn text(&mut self, text: String, place: Place) -> Value {
        if text.contains('\0') {
            self.fault(ErrorCode::DocumentNul, "the text contains the NUL character", place);
        }
        Value::String(text)
    }

    fn list(&mut self, items: Vec<Node>, depth: usize) -> (Value, Inside) {
        let length = self.pointer.len();
        let mut values = Vec::with_capacity(items.len());
        let mut places = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            self.pointer.push_str(&format!("/{index}"));
            let (value, place) = self.value(item, depth + 1);
            values.push(value);
            places.push(place);
            self.pointer.truncate(length);
        }
        (Value::Array(values), Inside::Items(places))
    }

    fn members(&mut self, members: Vec<(Key, Node)>, depth: usize) -> (Value, Inside) {
        let length = self.pointer.len();
        let mut values = Map::new();
        let mut places = HashMap::new();
        let mut seen: HashMap<String, Place> = HashMap::new();
        for (key, node) in members {
            if key.text.len() > KEY_BYTES_MAX {
                let message = format!("a key has {} bytes, more than the {KEY_BYTES_MAX} allowed", key.text.len());
                self.fault(ErrorCode::DocumentKeyTooLong, message, key.place);
                continue;
            }
            self.pointer.push('/');
            self.pointer.push_str(&escape(&key.text));
            match seen.insert(key.text.clone(), key.place) {
                Some(first) => self.duplicate(&key, first),
                None => {
                    self.text(key.text.clone(), key.place);
                    let (value, place) = self.value(node, depth + 1);
                    places.insert(key.text.clone(), place.under_key(key.place));
                    values.insert(key.text, value);
                }
            }
            self.pointer.truncate(length);
        }
        (Value::Object(values), Inside::Members(places))
    }

    fn duplicate(&mut self, key: &Key, first: Place) {
        let message = format!("key \"{}\" is written twice, first on line {}", shorten(&key.text), first.0);
        self.fault(ErrorCode::DocumentDuplicateKey, message, key.place);
    }

    fn fault(&mut self, code: ErrorCode, message: impl Into<String>, place: Place) {
        if self.faults.len() < PROBLEMS_MAX {
            self.faults.push(Fault { pointer: self.pointer.clone(), ..Fault::new(code, message, Some(place)) });
        }
    }
}

pub(super) fn inexact(number: &str) -> String {
    format!("{} does not fit 64 bits exactly; write it as text", shorten(number))
}

pub(super) fn too_deep(limits: Limits) -> String {
    format!("the document is nested deeper than {} levels", limits.depth)
}

pub(super) fn too_many(limits: Limits) -> String {
    format!("the document has more than {} values", limits.nodes)
}

/// Escapes a key as a reference token of a JSON pointer (RFC 6901).
pub(crate) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Returns the beginning of a text that may be long, for a message.
pub(crate) fn shorten(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
