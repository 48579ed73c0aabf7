//! The tree that all parsers make, and its way into a JSON value.

use std::collections::HashMap;

use serde_json::{Map, Number, Value};

use super::{Fault, Limits, Place, Places};
use crate::ErrorCode;

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
    places: Places,
    faults: Vec<Fault>,
}

impl Composer {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, nodes: 0, pointer: String::new(), places: Places::default(), faults: Vec::new() }
    }

    /// Returns the value; `null` stands where there was a fault.
    pub(super) fn compose(&mut self, root: Node) -> Value {
        self.value(root, 1)
    }

    pub(super) fn finish(self) -> (Places, Vec<Fault>) {
        (self.places, self.faults)
    }

    fn value(&mut self, node: Node, depth: usize) -> Value {
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            if self.nodes == self.limits.nodes + 1 {
                self.fault(ErrorCode::DocumentTooManyNodes, too_many(self.limits), node.place);
            }
            return Value::Null;
        }
        self.places.values.insert(self.pointer.clone(), node.place);
        match node.content {
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
            Content::List(items) => self.list(items, depth),
            Content::Members(members) => self.members(members, depth),
        }
    }

    fn text(&mut self, text: String, place: Place) -> Value {
        if text.contains('\0') {
            self.fault(ErrorCode::DocumentNul, "the text contains the NUL character", place);
        }
        Value::String(text)
    }

    fn list(&mut self, items: Vec<Node>, depth: usize) -> Value {
        let length = self.pointer.len();
        let mut values = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            self.pointer.push_str(&format!("/{index}"));
            values.push(self.value(item, depth + 1));
            self.pointer.truncate(length);
        }
        Value::Array(values)
    }

    fn members(&mut self, members: Vec<(Key, Node)>, depth: usize) -> Value {
        let length = self.pointer.len();
        let mut values = Map::new();
        let mut seen: HashMap<String, Place> = HashMap::new();
        for (key, node) in members {
            self.pointer.push('/');
            self.pointer.push_str(&escape(&key.text));
            match seen.insert(key.text.clone(), key.place) {
                Some(first) => self.duplicate(&key, first),
                None => {
                    self.places.keys.insert(self.pointer.clone(), key.place);
                    self.text(key.text.clone(), key.place);
                    let value = self.value(node, depth + 1);
                    values.insert(key.text, value);
                }
            }
            self.pointer.truncate(length);
        }
        Value::Object(values)
    }

    fn duplicate(&mut self, key: &Key, first: Place) {
        let message = format!("key \"{}\" is written twice, first on line {}", shorten(&key.text), first.0);
        self.fault(ErrorCode::DocumentDuplicateKey, message, key.place);
    }

    fn fault(&mut self, code: ErrorCode, message: impl Into<String>, place: Place) {
        self.faults.push(Fault { pointer: self.pointer.clone(), ..Fault::new(code, message, Some(place)) });
    }
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
