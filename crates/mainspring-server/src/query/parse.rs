//! From text to terms.

use mainspring_api::{ErrorCode, Position, Problem, did_you_mean};
use mainspring_schedule::{Period, Timestamp};

use super::{Bound, Field, Kind, Query, Term, Test};
use crate::refusal::{Answer, Refusal};

/// Characters of a query.
const LENGTH_MAX: usize = 1_000;
const TERMS_MAX: usize = 50;
const VALUES_MAX: usize = 50;

/// Reads a query against the fields that a list has.
///
/// # Errors
/// Names the term at fault and its column, with what is known in its place.
pub(crate) fn parse(text: &str, fields: &[Field]) -> Answer<Query> {
    read(text, fields).map_err(|fault| {
        let message = format!("{} (column {})", fault.message, fault.column);
        let position = Position { file: None, line: 1, column: u32::try_from(fault.column).unwrap_or(u32::MAX) };
        let problem = Problem::new(ErrorCode::SearchSyntax, message).position(position);
        Refusal::invalid(vec![match fault.hint {
            Some(hint) => problem.hint(hint),
            None => problem,
        }])
    })
}

/// What is wrong with a query.
#[derive(PartialEq, Eq, Debug)]
struct Fault {
    /// From 1, in characters.
    column: usize,
    message: String,
    hint: Option<String>,
}

impl Fault {
    fn new(column: usize, message: impl Into<String>) -> Self {
        Self { column, message: message.into(), hint: None }
    }

    fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

type Read<T> = Result<T, Fault>;

fn read(text: &str, fields: &[Field]) -> Read<Query> {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() > LENGTH_MAX {
        return Err(Fault::new(LENGTH_MAX + 1, format!("a query has {LENGTH_MAX} characters at most")));
    }
    let mut input = Input { characters, at: 0 };
    let mut query = Query::default();
    loop {
        input.skip_spaces();
        if input.peek().is_none() {
            return Ok(query);
        }
        if query.0.len() == TERMS_MAX {
            return Err(Fault::new(input.column(), format!("a query has {TERMS_MAX} terms at most")));
        }
        query.0.push(term(&mut input, fields)?);
    }
}

fn term(input: &mut Input, fields: &[Field]) -> Read<Term> {
    let begin = input.column();
    let negated = input.take('-');
    if input.peek().is_none_or(char::is_whitespace) {
        return Err(Fault::new(begin, "nothing follows the -").hint("put it before a term, as in -state:paused"));
    }
    let column = input.column();
    let Some(name) = input.field_name() else {
        let text = input.value(&[])?;
        return Ok(Term { negated, field: None, test: Test::Any(vec![text.to_lowercase()]) });
    };
    let Some(field) = fields.iter().find(|field| field.name == name.to_lowercase()) else {
        let known = fields.iter().map(|field| field.name);
        let all =
            || format!("the fields are {}; put text with a : in quotes", known.clone().collect::<Vec<_>>().join(", "));
        let hint = did_you_mean(&name, known.clone()).unwrap_or_else(all);
        return Err(Fault::new(column, format!("\"{name}\" is no field")).hint(hint));
    };
    Ok(Term { negated, field: Some(field.name), test: test(input, field, column)? })
}

fn test(input: &mut Input, field: &Field, column: usize) -> Read<Test> {
    let colon = input.take(':');
    let less = input.take('<');
    let more = !less && input.take('>');
    let or_equal = (less || more) && input.take('=');
    if less || more {
        let at = input.column();
        let text = input.value(&[])?;
        let bound = bound(field, &text, at)?;
        // All are whole numbers: up to and including one is less than the next.
        return Ok(match (less, or_equal) {
            (true, false) => Test::Less(bound),
            (true, true) => Test::Less(bound.next()),
            (false, false) => Test::More(bound),
            (false, true) => Test::More(bound.previous()),
        });
    }
    debug_assert!(colon, "a field name ends at one of : < >");
    if input.peek().is_none_or(char::is_whitespace) {
        return Ok(Test::Present);
    }
    let mut values = Vec::new();
    loop {
        let at = input.column();
        let value = input.value(&[','])?;
        values.push(checked(field, value, at)?);
        if values.len() > VALUES_MAX {
            return Err(Fault::new(column, format!("a field takes {VALUES_MAX} values at most")));
        }
        if !input.take(',') {
            return Ok(Test::Any(values));
        }
    }
}

/// A value that a field may be asked for.
fn checked(field: &Field, value: String, at: usize) -> Read<String> {
    let value = value.to_lowercase();
    let name = field.name;
    match field.kind {
        Kind::Word(words) if !words.contains(&value.as_str()) => {
            let hint = did_you_mean(&value, words.iter().copied())
                .unwrap_or_else(|| format!("{name} is one of {}", words.join(", ")));
            Err(Fault::new(at, format!("\"{value}\" is no {name}")).hint(hint))
        }
        Kind::Number if value.parse::<i64>().is_err() => {
            Err(Fault::new(at, format!("\"{value}\" is no whole number")).hint(format!("write {name}:1 or {name}>1")))
        }
        Kind::Instant => {
            let hint = format!("write {name}<1h, {name}>2026-01-30, or {name}: for any");
            Err(Fault::new(at, format!("{name} takes < or >")).hint(hint))
        }
        Kind::Duration => {
            let hint = format!("write {name}<5s, {name}>10m, or {name}: for any");
            Err(Fault::new(at, format!("{name} takes < or >")).hint(hint))
        }
        Kind::Word(_) | Kind::Text | Kind::Number => Ok(value),
    }
}

fn bound(field: &Field, text: &str, at: usize) -> Read<Bound> {
    let span = || text.parse::<Period>().ok().map(|period| Bound::Span(period.as_millis()));
    let found = match field.kind {
        Kind::Number => text.parse().ok().map(Bound::Number),
        Kind::Duration => span(),
        Kind::Instant => span().or_else(|| instant(text).map(Bound::At)),
        Kind::Word(_) | Kind::Text => {
            return Err(Fault::new(at, format!("{} is not less or more", field.name))
                .hint(format!("write {}:VALUE", field.name)));
        }
    };
    found.ok_or_else(|| {
        let (what, example) = match field.kind {
            Kind::Number => ("whole number", "3"),
            Kind::Duration => ("duration", "90s, 15m or 2h"),
            _ => ("instant or duration", "1h, 7d, 2026-01-30 or 2026-01-30T12:00:00Z"),
        };
        Fault::new(at, format!("\"{text}\" is no {what}")).hint(format!("write {}>{example}", field.name))
    })
}

/// An instant of RFC 3339, or the beginning of a day in UTC.
fn instant(text: &str) -> Option<Timestamp> {
    let text = text.to_uppercase();
    let whole = if text.len() == "2026-01-30".len() { format!("{text}T00:00:00Z") } else { text };
    let at: mainspring_api::Timestamp = whole.parse().ok()?;
    Some(Timestamp::from_millis(at.as_millis()))
}

impl Bound {
    fn plus(self, steps: i64) -> Self {
        match self {
            Self::At(at) => Self::At(Timestamp::from_millis(at.as_millis().saturating_add(steps))),
            Self::Span(ms) => Self::Span(ms.saturating_add(steps)),
            Self::Number(number) => Self::Number(number.saturating_add(steps)),
        }
    }

    fn next(self) -> Self {
        self.plus(1)
    }

    fn previous(self) -> Self {
        self.plus(-1)
    }
}

struct Input {
    characters: Vec<char>,
    at: usize,
}

impl Input {
    fn column(&self) -> usize {
        self.at + 1
    }

    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn skip_spaces(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// The name of a field, up to its `:`, `<` or `>`; stays in front of it. None where free text begins.
    fn field_name(&mut self) -> Option<String> {
        let rest = &self.characters[self.at..];
        let length = rest.iter().take_while(|next| next.is_ascii_alphanumeric() || matches!(next, '_' | '-')).count();
        let ends = matches!(rest.get(length), Some(':' | '<' | '>'));
        if length == 0 || !ends {
            return None;
        }
        self.at += length;
        Some(rest[..length].iter().collect())
    }

    /// A value, in quotes or up to a space or one of `ends`.
    fn value(&mut self, ends: &[char]) -> Read<String> {
        let begin = self.column();
        if self.take('"') {
            let mut text = String::new();
            loop {
                match self.peek() {
                    None => return Err(Fault::new(begin, "the quote is not closed").hint("add a \" at its end")),
                    Some('"') => break,
                    Some('\\') if matches!(self.characters.get(self.at + 1), Some('"' | '\\')) => {
                        text.push(self.characters[self.at + 1]);
                        self.at += 2;
                    }
                    Some(other) => {
                        text.push(other);
                        self.at += 1;
                    }
                }
            }
            self.at += 1;
            if self.peek().is_some_and(|next| !next.is_whitespace() && !ends.contains(&next)) {
                return Err(Fault::new(self.column(), "text follows a quote").hint("put a space between terms"));
            }
            return Ok(text);
        }
        let rest = &self.characters[self.at..];
        let length = rest.iter().take_while(|next| !next.is_whitespace() && !ends.contains(next)).count();
        if length == 0 {
            return Err(Fault::new(begin, "a value is missing"));
        }
        self.at += length;
        Ok(rest[..length].iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FIELDS: &[Field] = &[
        Field { name: "state", kind: Kind::Word(&["paused", "failing"]) },
        Field { name: "label", kind: Kind::Text },
        Field { name: "next", kind: Kind::Instant },
        Field { name: "took", kind: Kind::Duration },
        Field { name: "attempt", kind: Kind::Number },
    ];

    fn any(field: Option<&'static str>, values: &[&str]) -> Term {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        Term { negated: false, field, test: Test::Any(values) }
    }

    fn is(field: &'static str, test: Test) -> Term {
        Term { negated: false, field: Some(field), test }
    }

    #[test]
    fn queries_are_read() {
        let at = |ms| Bound::At(Timestamp::from_millis(ms));
        let not = |term: Term| Term { negated: true, ..term };
        for (text, expected) in [
            ("", vec![]),
            ("   ", vec![]),
            ("backup", vec![any(None, &["backup"])]),
            ("Back-Up  two", vec![any(None, &["back-up"]), any(None, &["two"])]),
            ("\"two words\"", vec![any(None, &["two words"])]),
            ("\"a \\\"b\\\" \\\\ \\c\"", vec![any(None, &["a \"b\" \\ \\c"])]),
            ("-backup", vec![not(any(None, &["backup"]))]),
            ("state:paused", vec![any(Some("state"), &["paused"])]),
            ("STATE:Paused", vec![any(Some("state"), &["paused"])]),
            ("-state:paused,failing", vec![not(any(Some("state"), &["paused", "failing"]))]),
            ("label:a,\"b c\",d=e", vec![any(Some("label"), &["a", "b c", "d=e"])]),
            ("label:", vec![is("label", Test::Present)]),
            ("-label: x", vec![not(is("label", Test::Present)), any(None, &["x"])]),
            ("next:<1h", vec![is("next", Test::Less(Bound::Span(3_600_000)))]),
            ("next<1h", vec![is("next", Test::Less(Bound::Span(3_600_000)))]),
            ("next>1970-01-02", vec![is("next", Test::More(at(86_400_000)))]),
            ("next:>=1970-01-01T00:00:01Z", vec![is("next", Test::More(at(999)))]),
            ("took<=5s", vec![is("took", Test::Less(Bound::Span(5_001)))]),
            ("attempt>1 attempt:2", vec![is("attempt", Test::More(Bound::Number(1))), any(Some("attempt"), &["2"])]),
        ] {
            assert_eq!(read(text, FIELDS), Ok(Query(expected)), "{text}");
        }
    }

    #[test]
    fn faults_name_the_term_and_its_column() {
        for (text, column, message, hint) in [
            ("stat:paused", 1, "\"stat\" is no field", "did you mean \"state\"?"),
            ("a xyz:1", 3, "\"xyz\" is no field", "the fields are state, label"),
            ("state:pausd", 7, "\"pausd\" is no state", "did you mean \"paused\"?"),
            ("state:x", 7, "\"x\" is no state", "state is one of paused, failing"),
            ("-", 1, "nothing follows the -", "-state:paused"),
            ("- x", 1, "nothing follows the -", "-state:paused"),
            ("é label:\"open", 9, "the quote is not closed", "add a \""),
            ("\"a\"b", 4, "text follows a quote", "space"),
            ("label:a,", 9, "a value is missing", ""),
            ("label:,a", 7, "a value is missing", ""),
            ("next:soon", 6, "next takes < or >", "next<1h"),
            ("next>soon", 6, "\"soon\" is no instant or duration", "7d"),
            ("next<", 6, "a value is missing", ""),
            ("took:5s", 6, "took takes < or >", "took<5s"),
            ("took>long", 6, "\"long\" is no duration", "90s"),
            ("label>a", 7, "label is not less or more", "label:VALUE"),
            ("attempt:two", 9, "\"two\" is no whole number", "attempt:1"),
        ] {
            let fault = read(text, FIELDS).unwrap_err();
            assert_eq!((fault.column, fault.message.as_str()), (column, message), "{text}");
            assert!(fault.hint.as_deref().unwrap_or_default().contains(hint), "{text}: {:?}", fault.hint);
        }
        let many = "a ".repeat(TERMS_MAX + 1);
        assert_eq!(read(&many, FIELDS).unwrap_err().column, 2 * TERMS_MAX + 1);
        assert!(read(&"x".repeat(LENGTH_MAX + 1), FIELDS).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_within_it(text in "[-a-z:<>=,\"\\\\ 0-9é]{0,40}") {
            if let Err(fault) = read(&text, FIELDS) {
                prop_assert!((1..=text.chars().count() + 1).contains(&fault.column));
            }
        }
    }
}
