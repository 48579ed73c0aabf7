//! Compares a value with the JSON Schema of a type, and says everything that differs, in the user's words.
//!
//! serde stops at the first error and knows nothing of suggestions; the schema comes from the same types.
//! Only what schemars writes for our types is understood: references, `anyOf`, words (`enum`, `const`,
//! `oneOf` of these), types, members, items and bounds of numbers. The rest is left to serde, afterwards.

use std::any::TypeId;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::document::{escape, shorten};
use crate::{ErrorCode, Problem, did_you_mean};

mod words;

/// Members that are durations, beside those whose names end in `timeout`.
const DURATIONS: [&str; 10] = [
    "every",
    "delay",
    "jitter",
    "misfire_threshold",
    "retry_delay",
    "retry_max_delay",
    "retry_jitter",
    "late",
    "runs_longer",
    "repeat",
];

/// Problems that are kept: a list of a hundred thousand wrong items helps nobody.
pub(crate) const PROBLEMS_MAX: usize = 1_000;

/// Reads a value as a `T`, or says everything that is wrong with its shape.
pub(crate) fn read<T: JsonSchema + DeserializeOwned + 'static>(value: &Value) -> Result<T, Vec<Problem>> {
    let (value, problems) = checked::<T>(value);
    if !problems.is_empty() {
        return Err(problems);
    }
    serde_path_to_error::deserialize(&*value).map_err(|error| {
        let pointer = pointer_of(error.path());
        // Shapes are checked, so it is the reader of a text that refuses, which says so in our words; else it is a bug of the schema.
        let message = error.into_inner().to_string();
        let own = message.split(" at line ").next().unwrap_or_default();
        vec![Problem::new(ErrorCode::FieldValue, own).at(pointer)]
    })
}

/// Returns everything that is wrong with the shape of a value that is to be a `T`.
pub(crate) fn check<T: JsonSchema + 'static>(value: &Value) -> Vec<Problem> {
    checked::<T>(value).1
}

/// The same, with the value as it is to be read: whole numbers that are written with a point (`3.0`) are written without one.
pub(crate) fn checked<T: JsonSchema + 'static>(value: &Value) -> (Cow<'_, Value>, Vec<Problem>) {
    let schema = schema_of::<T>();
    let name = schema["title"].as_str().unwrap_or_default();
    let mut walk = Walk { root: &schema, pointer: String::new(), problems: Vec::new(), whole: Vec::new() };
    walk.visit(Alternative { schema: &schema, name }, value);
    let mut value = Cow::Borrowed(value);
    for (pointer, number) in walk.whole {
        if let Some(place) = value.to_mut().pointer_mut(&pointer) {
            *place = number.into();
        }
    }
    (value, walk.problems)
}

/// Makes a mapping of names and texts, such as those of a query string, with numbers and truths where a `T` has them.
pub(crate) fn of_texts<T: JsonSchema + 'static>(pairs: Vec<(String, String)>) -> Value {
    let schema = schema_of::<T>();
    let walk = Walk { root: &schema, pointer: String::new(), problems: Vec::new(), whole: Vec::new() };
    let typed = |name: &str, text: String| {
        let mut alternatives = Vec::new();
        walk.collect(Alternative { schema: &schema["properties"][name], name: "" }, &mut alternatives);
        // A name alone, as in ?verbose, switches on.
        let plain: Option<Value> = if text.is_empty() { Some(true.into()) } else { serde_json::from_str(&text).ok() };
        let takes =
            |value: &Value| !value.is_null() && alternatives.iter().any(|alternative| alternative.accepts(value));
        plain.filter(takes).filter(|value| !value.is_string()).unwrap_or(Value::String(text))
    };
    pairs.into_iter().map(|(name, text)| (name.clone(), typed(&name, text))).collect()
}

/// Returns the keys that a `T` knows.
pub(crate) fn keys<T: JsonSchema + 'static>() -> Vec<String> {
    let schema = schema_of::<T>();
    schema["properties"].as_object().into_iter().flat_map(Map::keys).cloned().collect()
}

/// Schemas cost a tenth of a millisecond each, so each is made once.
fn schema_of<T: JsonSchema + 'static>() -> Arc<Value> {
    static MADE: Mutex<Option<HashMap<TypeId, Arc<Value>>>> = Mutex::new(None);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let schemas = made.get_or_insert_default();
    Arc::clone(schemas.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(schema_for!(T).to_value())))
}

/// A schema without reference, and the name of the type it describes, or nothing.
#[derive(Clone, Copy)]
struct Alternative<'s> {
    schema: &'s Value,
    name: &'s str,
}

struct Walk<'s> {
    root: &'s Value,
    pointer: String,
    problems: Vec<Problem>,
    /// Whole numbers that are written with a point, where only whole ones are taken.
    whole: Vec<(String, i64)>,
}

impl<'s> Walk<'s> {
    fn visit(&mut self, schema: Alternative<'s>, value: &Value) {
        if self.is_full() {
            return;
        }
        // Before anything inside is looked at: whoever sends too much must not choose how long that takes.
        if let Some(problem) = self.too_many(schema.schema, value) {
            return self.problem(problem);
        }
        let mut alternatives = Vec::new();
        self.collect(schema, &mut alternatives);
        let Some(chosen) = alternatives.iter().find(|alternative| alternative.accepts(value)) else {
            return self.wrong_type(&alternatives, value);
        };
        match value {
            Value::Object(members) => self.members(*chosen, members),
            Value::Array(items) => self.items(*chosen, items),
            Value::String(word) => self.word(*chosen, word),
            Value::Number(_) => self.number(*chosen, value),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Returns what is wrong with a collection that has more items than its place allows.
    fn too_many(&self, schema: &Value, value: &Value) -> Option<Problem> {
        let (bound, count, items) = match value {
            Value::Array(items) => ("maxItems", items.len(), "items"),
            Value::Object(members) => ("maxProperties", members.len(), "members"),
            _ => return None,
        };
        let most = schema[bound].as_u64()?;
        (count as u64 > most).then(|| {
            let message = format!("{} has {count} {items}, more than the {most} allowed", self.subject());
            Problem::new(ErrorCode::FieldTooMany, message)
        })
    }

    /// Follows references and unfolds `anyOf`.
    fn collect(&self, schema: Alternative<'s>, into: &mut Vec<Alternative<'s>>) {
        if let Some(reference) = schema.schema["$ref"].as_str() {
            let pointer = reference.trim_start_matches('#');
            let name = pointer.rsplit('/').next().unwrap_or_default();
            let target = self.root.pointer(pointer).expect("schemars defines what it refers to");
            return self.collect(Alternative { schema: target, name }, into);
        }
        match schema.schema["anyOf"].as_array() {
            Some(branches) => {
                branches.iter().for_each(|branch| self.collect(Alternative { schema: branch, name: "" }, into));
            }
            None => into.push(schema),
        }
    }

    fn members(&mut self, chosen: Alternative<'s>, members: &Map<String, Value>) {
        let none = Map::new();
        let known = chosen.schema["properties"].as_object();
        let others = &chosen.schema["additionalProperties"];
        for (key, value) in members {
            let length = self.push(&escape(key));
            match known.and_then(|known| known.get(key)) {
                Some(schema) => self.visit(Alternative { schema, name: "" }, value),
                None if others.is_object() => self.visit(Alternative { schema: others, name: "" }, value),
                None if *others == Value::Bool(false) && !self.is_full() => {
                    let problem = words::unknown_key(chosen.name, key, known.unwrap_or(&none).keys());
                    self.problem(problem);
                }
                None => {}
            }
            self.pointer.truncate(length);
        }
        let required = chosen.schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        for key in required.filter(|key| !members.contains_key(*key)) {
            self.problem(Problem::new(ErrorCode::FieldMissing, format!("key \"{key}\" is missing")));
        }
    }

    fn items(&mut self, chosen: Alternative<'s>, items: &[Value]) {
        for (index, item) in items.iter().enumerate() {
            let length = self.push(&index.to_string());
            self.visit(Alternative { schema: &chosen.schema["items"], name: "" }, item);
            self.pointer.truncate(length);
        }
    }

    fn word(&mut self, chosen: Alternative<'s>, word: &str) {
        let allowed = chosen.words();
        if allowed.is_empty() || allowed.contains(&word) {
            return;
        }
        // What clients make of words that are newer than they are is nothing to say.
        let known: Vec<_> = allowed.iter().copied().filter(|word| *word != "unknown").collect();
        let message = format!("{} is \"{}\", not one of {}", self.subject(), shorten(word), known.join(", "));
        let problem = Problem::new(ErrorCode::FieldValue, message);
        self.problem(Problem { hint: did_you_mean(word, allowed), ..problem });
    }

    fn number(&mut self, chosen: Alternative<'s>, value: &Value) {
        let (least, most) = chosen.bounds();
        let beyond = value.as_f64().is_some_and(|number| number < least || number > most);
        if beyond {
            let message = format!("{} is {value}, not within {least} to {most}", self.subject());
            self.problem(Problem::new(ErrorCode::FieldValue, message));
        } else if let Some(number) = whole(value)
            && chosen.types().any(|word| word == "integer")
            && !chosen.types().any(|word| word == "number")
        {
            self.whole.push((self.pointer.clone(), number));
        }
    }

    fn wrong_type(&mut self, alternatives: &[Alternative<'s>], value: &Value) {
        let mut expected: Vec<_> = alternatives.iter().flat_map(|alternative| alternative.types()).collect();
        expected.retain(|word| *word != "null");
        expected.dedup();
        let names: Vec<_> = expected.iter().map(|word| type_name(word)).collect();
        let message = format!("{} must be {}, not {}", self.subject(), names.join(" or "), found_name(value));
        let problem = Problem::new(ErrorCode::FieldType, message);
        let quotable = expected.contains(&"string") && matches!(value, Value::Number(_) | Value::Bool(_));
        let hint = match value {
            Value::Number(_) if self.is_duration() => format!("write it with a unit, such as {value}s or {value}m"),
            // The digits that were typed are gone: `1.10` is 1.1 here.
            Value::Number(number) if number.is_f64() => "write it in quotes, digit by digit as it was typed".to_owned(),
            _ => format!("write it in quotes: \"{value}\""),
        };
        self.problem(if quotable { problem.hint(hint) } else { problem });
    }

    /// Tells whether the pointer points at a duration, whose number is nothing without its unit.
    fn is_duration(&self) -> bool {
        let named = |token: &str| DURATIONS.contains(&token) || token.ends_with("timeout");
        let mut tokens = self.pointer.rsplit('/');
        tokens.next().is_some_and(named) && !matches!(tokens.next(), Some("env" | "labels" | "workers" | "headers"))
    }

    /// Returns what the pointer points at, in words.
    fn subject(&self) -> String {
        match self.pointer.rsplit('/').next() {
            None | Some("") => "the document".to_owned(),
            Some(token) if token.bytes().all(|byte| byte.is_ascii_digit()) => {
                format!("item {token} of the list")
            }
            Some(token) => format!("\"{}\"", shorten(&token.replace("~1", "/").replace("~0", "~"))),
        }
    }

    fn push(&mut self, token: &str) -> usize {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(token);
        length
    }

    fn is_full(&self) -> bool {
        self.problems.len() >= PROBLEMS_MAX
    }

    fn problem(&mut self, problem: Problem) {
        if !self.is_full() {
            self.problems.push(problem.at(self.pointer.clone()));
        }
    }
}

impl<'s> Alternative<'s> {
    fn accepts(self, value: &Value) -> bool {
        let found = type_of(value);
        let mut types = self.types().peekable();
        let is_taken = |word: &str| match word {
            "number" => matches!(found, "number" | "integer"),
            "integer" => found == "integer" || whole(value).is_some(),
            word => word == found,
        };
        types.peek().is_none() || types.any(is_taken)
    }

    /// Returns the JSON types it takes; none means any.
    fn types(self) -> impl Iterator<Item = &'s str> {
        let own = match &self.schema["type"] {
            Value::String(word) => vec![word.as_str()],
            Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
            _ if !self.words().is_empty() => vec!["string"],
            _ => Vec::new(),
        };
        own.into_iter()
    }

    /// Returns the only words it takes; none means any.
    fn words(self) -> Vec<&'s str> {
        let branches = self.schema["oneOf"].as_array().into_iter().flatten();
        let of_branches = branches.flat_map(|branch| Alternative { schema: branch, name: "" }.words());
        let own = self.schema["enum"].as_array().into_iter().flatten().chain(self.schema.get("const"));
        own.filter_map(Value::as_str).chain(of_branches).collect()
    }

    fn bounds(self) -> (f64, f64) {
        let (least, most) = match self.schema["format"].as_str() {
            Some("uint8") => (0.0, f64::from(u8::MAX)),
            Some("uint16") => (0.0, f64::from(u16::MAX)),
            Some("uint32") => (0.0, f64::from(u32::MAX)),
            Some("int32") => (f64::from(i32::MIN), f64::from(i32::MAX)),
            Some("uint64" | "uint") => (0.0, MOST_EXACT),
            Some("int64" | "int") => (-MOST_EXACT, MOST_EXACT),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        };
        let bound = |key: &str| self.schema[key].as_f64();
        (bound("minimum").map_or(least, |own| own.max(least)), bound("maximum").map_or(most, |own| own.min(most)))
    }
}

/// 2^53: beyond, JSON readers that use doubles lose digits.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns a whole number that is written with a point: JSON knows no difference, and many programs write all numbers so.
fn whole(value: &Value) -> Option<i64> {
    let number =
        value.as_f64().filter(|number| value.is_f64() && number.fract() == 0.0 && number.abs() <= MOST_EXACT)?;
    Some(number as i64)
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn type_name(word: &str) -> &'static str {
    match word {
        "string" => "text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "a mapping",
        _ => "null",
    }
}

fn found_name(value: &Value) -> String {
    match value {
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => format!("the text \"{}\"", shorten(text)),
        other => type_name(type_of(other)).to_owned(),
    }
}

fn pointer_of(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    path.iter()
        .map(|segment| match segment {
            Segment::Seq { index } => format!("/{index}"),
            Segment::Map { key } => format!("/{}", escape(key)),
            Segment::Enum { .. } | Segment::Unknown => String::new(),
        })
        .collect()
}
