//! JSON texts that readers would change without a word: numbers that they round, and members of which they drop all but the last.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::numbers::inexact_number;

/// Something that reading would change of a JSON text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Altered {
    /// A number that 64 bits do not hold, shortened.
    Number(String),
    /// A key that one object has twice, shortened: all but its last value would be lost.
    Key(String),
}

impl Altered {
    /// Says how to write it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Number(_) => "write it as text, in quotes",
            Self::Key(_) => "write it once",
        }
    }
}

impl fmt::Display for Altered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number} does not fit 64 bits exactly"),
            Self::Key(key) => write!(f, "the key {key:?} is written twice in one object"),
        }
    }
}

/// Returns the first thing of a JSON text that reading would change. Of a text that is not valid JSON, only numbers are looked at.
///
/// ```
/// use mainspring_tasks::{Altered, altered};
/// assert_eq!(altered(br#"{"a": {"b": 1}, "b": [{"b": 1.10}, {"b": 2}]}"#), None);
/// assert_eq!(altered(br#"[{"a": 1, "\u0061": 2}]"#), Some(Altered::Key("a".into())));
/// assert_eq!(altered(b"99999999999999999999"), Some(Altered::Number("99999999999999999999".into())));
/// ```
#[must_use]
pub fn altered(text: &[u8]) -> Option<Altered> {
    if let Some(number) = inexact_number(text) {
        return Some(Altered::Number(number));
    }
    // Without an object, there are no keys.
    if !text.contains(&b'{') {
        return None;
    }
    let mut twice = None;
    let mut reader = serde_json::Deserializer::from_slice(text);
    // An error is a key that was found, or no JSON, of which whoever reads it tells.
    let _read = Keys(&mut twice).deserialize(&mut reader);
    twice.map(Altered::Key)
}

/// Reads everything and keeps nothing but the first key that an object has twice.
struct Keys<'a>(&'a mut Option<String>);

impl<'de> DeserializeSeed<'de> for Keys<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Keys(&mut *self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut known = BTreeSet::new();
        while let Some(key) = members.next_key::<String>()? {
            if known.contains(&key) {
                *self.0 = Some(key.chars().take(40).collect());
                return Err(serde::de::Error::custom("a key is written twice"));
            }
            known.insert(key);
            members.next_value_seed(Keys(&mut *self.0))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_one_object_has_twice_are_found_at_any_depth() {
        let key = |text: &str| altered(text.as_bytes());
        let found = |key: &str| Some(Altered::Key(key.to_owned()));
        assert_eq!(key(r#"{"a": 1, "b": null, "a": 1}"#), found("a"), "also with the same value");
        assert_eq!(key(r#"[true, {"a": {"x": "", "y": [1.5, -1, {"z": 1, "z": {}}]}}]"#), found("z"));
        assert_eq!(key(r#"{"a": {"a": [{"a": 1}, {"a": 2}]}}"#), None, "each object has its own");
        assert_eq!(key(r#"{"a": 1, "A": 2, "a ": 3}"#), None);
        assert_eq!(key(r#""{\"a\": 1, \"a\": 2}""#), None, "within a text");
        assert_eq!(key(r#"{"a": 1, "#), None, "no JSON");
        assert_eq!(key(&format!("{{\"{0}\": 1, \"{0}\": 2}}", "k".repeat(90))), found(&"k".repeat(40)));
        assert_eq!(key(&"{\"a\":".repeat(100_000)), None, "readers refuse it for its depth");
    }

    #[test]
    fn it_says_what_is_wrong_and_what_to_do() {
        let said = |altered: Altered| format!("{altered}; {}", altered.hint());
        assert_eq!(said(Altered::Key("a\"".into())), r#"the key "a\"" is written twice in one object; write it once"#);
        assert_eq!(
            said(Altered::Number("1e999".into())),
            "1e999 does not fit 64 bits exactly; write it as text, in quotes"
        );
    }
}
