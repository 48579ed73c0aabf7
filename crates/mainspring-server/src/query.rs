//! The query language of lists: `field:value`, ranges, quotes, negation and free text. What it means is in
//! `docs/reference/query-language.md`.
//!
//! [`parse`] reads a text against a table of fields; `jobs` and `runs` have the tables and say what a term means there.

mod compare;
pub(crate) mod facets;
pub(crate) mod jobs;
mod parse;
pub(crate) mod runs;

use mainspring_schedule::Timestamp;

pub(crate) use parse::parse;

/// A list that can be searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    /// As it is written.
    pub(crate) name: &'static str,
    /// What can be asked of it.
    pub(crate) kind: Kind,
}

/// What can be asked of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Whether it is one of these words.
    Word(&'static [&'static str]),
    /// Whether it is a text, case ignored; `*` stands for any characters.
    Text,
    /// Whether it is before or after an instant, or less or more than a time away from now.
    Instant,
    /// Whether it is shorter or longer.
    Duration,
    /// Whether it is a number, less or more.
    Number,
}

/// What is asked: all of its terms.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Query(pub(crate) Vec<Term>);

/// One condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Term {
    /// Whether it must not hold.
    pub(crate) negated: bool,
    /// The field; none for free text.
    pub(crate) field: Option<&'static str>,
    /// What is asked of it.
    pub(crate) test: Test,
}

/// What is asked of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Test {
    /// It has any value.
    Present,
    /// It has one of these, in small letters.
    Any(Vec<String>),
    /// It is less.
    Less(Bound),
    /// It is more.
    More(Bound),
}

/// Where less begins, or more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// An instant.
    At(Timestamp),
    /// Milliseconds; of an instant, those between it and now.
    Span(i64),
    /// A number.
    Number(i64),
}

impl Query {
    /// The terms of a field that are not negated.
    pub(crate) fn positive(&self, field: Option<&str>) -> impl Iterator<Item = &Term> {
        self.0.iter().filter(move |term| !term.negated && term.field == field)
    }

    /// The only value that a field may have, if a term says so in full.
    pub(crate) fn only(&self, field: &str) -> Option<&str> {
        self.positive(Some(field)).find_map(|term| match &term.test {
            Test::Any(values) if values.len() == 1 && !values[0].contains('*') => Some(values[0].as_str()),
            _ => None,
        })
    }

    /// Adds a condition.
    pub(crate) fn and(&mut self, field: &'static str, value: &str) {
        self.0.push(Term { negated: false, field: Some(field), test: Test::Any(vec![value.to_lowercase()]) });
    }
}
