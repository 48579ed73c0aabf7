//! Reads an expression as Quartz 2.5.2 does, junk included: the parser of `semantics: quartz`.
//!
//! Quartz reads each item of a list from the left and stops where it has enough, so `5X` is 5 and
//! `1-5-7` is `1-5`. Numbers 98 and 99 stand for `?` and `*` in its sets, and can be written. What this
//! file accepts, and as what, is pinned by the vectors; `strict.rs` is the grammar as the manual has it.

use super::error::{Field, Refusal};
use super::fields::{
    ALL_DAYS, ALL_HOURS, ALL_MONTHS, ALL_SECONDS, ALL_WEEKDAYS, Days, Fields, LAST_YEAR, MonthDays, Years,
};

/// Values of the sets, and what they mean: Quartz's own numbers.
const NO_VALUE: i32 = 98;
const EVERY: i32 = 99;
/// The end of Quartz's open ranges of years: its clock's year plus 100, in the year of the recorded answers. An open
/// range that begins later is refused.
const OPEN_END_YEAR: i32 = 2126;
/// Marks an absent end of a range or step.
const ABSENT: i32 = -1;

/// Reads the fields of an expression, or says which field Quartz refuses.
pub(crate) fn parse(text: &str) -> Result<Fields, Refusal> {
    let upper = units(text);
    let mut sets = Sets::default();
    let mut tokens = upper.split(|c| matches!(c, b' ' | b'\t')).filter(|token| !token.is_empty());
    let mut count = 0;
    for field in Field::QUARTZ {
        let Some(token) = tokens.next() else { break };
        count += 1;
        sets.read_field(field, trim(token)).ok_or(Refusal::Field(field))?;
    }
    if count < 6 || tokens.next().is_some() {
        return Err(Refusal::FieldCount);
    }
    if count == 6 {
        sets.read_field(Field::Year, b"*").ok_or(Refusal::Field(Field::Year))?;
    }
    sets.into_fields()
}

/// Returns the upper-case code units, of which only ASCII matters: all others become one byte that nothing matches.
fn units(text: &str) -> Vec<u8> {
    if text.is_ascii() {
        return text.to_ascii_uppercase().into_bytes();
    }
    let upper = text.to_uppercase();
    upper.encode_utf16().map(|unit| u8::try_from(unit).ok().filter(u8::is_ascii).unwrap_or(0xFF)).collect()
}

/// Java's `trim`: control characters and blanks.
fn trim(mut token: &[u8]) -> &[u8] {
    while let [b'\0'..=b' ', rest @ ..] = token {
        token = rest;
    }
    while let [rest @ .., b'\0'..=b' '] = token {
        token = rest;
    }
    token
}

#[derive(Default)]
struct Sets {
    seconds: Set,
    minutes: Set,
    hours: Set,
    days: Set,
    from_end: u32,
    nearest: u32,
    nearest_from_end: u32,
    months: Set,
    weekdays: Set,
    years: Years,
    last_weekday: bool,
    nth: u8,
    stepped: u32,
}

/// Members 0..=127; larger ones count as 127.
#[derive(Default, Clone, Copy)]
struct Set(u128);

impl Set {
    fn insert(&mut self, value: i32) {
        self.0 |= 1 << value.clamp(0, 127);
    }

    fn contains(self, value: i32) -> bool {
        self.0 >> value & 1 == 1
    }

    fn first(self) -> Option<u32> {
        (self.0 != 0).then(|| self.0.trailing_zeros())
    }
}

/// `None` from any of these means that Quartz refuses the text.
impl Sets {
    fn read_field(&mut self, field: Field, token: &[u8]) -> Option<()> {
        let has = |c| token.contains(&c);
        let several_nth = token.iter().filter(|c| **c == b'#').count() > 1;
        if field == Field::Weekday && (has(b'L') && token.len() > 1 && has(b',') || several_nth) {
            return None;
        }
        token.split(|c| *c == b',').filter(|item| !item.is_empty()).try_for_each(|item| self.read_item(field, item))
    }

    fn read_item(&mut self, field: Field, item: &[u8]) -> Option<()> {
        match item[0] {
            b'A'..=b'Z' if !starts_with_last(item) => self.read_name(field, item),
            b'?' => self.read_no_value(field, item),
            b'*' | b'/' => self.read_every(field, item),
            b'L' => self.read_last(field, item),
            b'0'..=b'9' => self.read_number(field, item),
            _ => None,
        }
    }

    /// Reads `MON`, `MON-FRI`, `MON#2`, `MONL`; Quartz ignores the rest.
    fn read_name(&mut self, field: Field, item: &[u8]) -> Option<()> {
        let first = name(field, item.get(..3)?)?;
        let rest = &item[3..];
        match rest.first() {
            Some(b'-') => {
                let last = name(field, rest.get(1..4)?)?;
                return self.add(field, first, last, 1);
            }
            Some(b'#') if field == Field::Weekday => self.nth = nth(&rest[1..])?,
            Some(b'L') if field == Field::Weekday => self.last_weekday = true,
            _ => {}
        }
        self.add(field, first, ABSENT, 0)
    }

    fn read_no_value(&mut self, field: Field, item: &[u8]) -> Option<()> {
        let junk = item.len() > 2 && item[1] != b' ' && item[2] != b'\t';
        if junk || !matches!(field, Field::Day | Field::Weekday) {
            return None;
        }
        self.add(field, NO_VALUE, ABSENT, 0)
    }

    /// Reads `*`, `*/n`, `/n`; after a `*` Quartz ignores anything but `/`.
    fn read_every(&mut self, field: Field, item: &[u8]) -> Option<()> {
        let rest = match item {
            b"*" => return self.add(field, EVERY, ABSENT, 0),
            [b'*', rest @ ..] => rest,
            rest => rest,
        };
        let [b'/', digits @ ..] = rest else {
            return self.add(field, EVERY, ABSENT, 1);
        };
        let step = integer(digits)?;
        check_step(field, step)?;
        self.add(field, EVERY, ABSENT, step)
    }

    /// Reads `L`, `L-n`, `LW`, `L-nW` on days of the month; on weekdays all of them are Saturday.
    fn read_last(&mut self, field: Field, item: &[u8]) -> Option<()> {
        match field {
            Field::Weekday => return self.add(field, 7, 7, 0),
            Field::Day => {}
            // Quartz passes over it: a month field with nothing else fails, such a year field never fires.
            Field::Month | Field::Year => return Some(()),
            _ => return None,
        }
        let mut rest = &item[1..];
        let mut offset = 0;
        if let [b'-', digits @ ..] = rest {
            digits.first()?;
            (offset, rest) = leading_number(0, digits)?;
        }
        if offset > 30 {
            return None;
        }
        match rest {
            [b'W', ..] => self.nearest_from_end |= 1 << offset,
            _ => self.from_end |= 1 << offset,
        }
        Some(())
    }

    fn read_number(&mut self, field: Field, item: &[u8]) -> Option<()> {
        let (value, rest) = leading_number(0, item)?;
        match rest {
            [] => self.add(field, value, ABSENT, ABSENT),
            [b'L', ..] => {
                if field != Field::Weekday || !(1..=7).contains(&value) {
                    return None;
                }
                self.last_weekday = true;
                self.weekdays.insert(value);
                Some(())
            }
            [b'W', ..] => {
                if field != Field::Day || value > 31 {
                    return None;
                }
                self.nearest |= 1 << value;
                Some(())
            }
            [b'#', rest @ ..] => {
                if field != Field::Weekday {
                    return None;
                }
                self.nth = nth(rest)?;
                self.weekdays.insert(value);
                Some(())
            }
            [b'-', rest @ ..] => self.read_range(field, value, rest),
            [b'/', rest @ ..] => {
                let (step, rest) = step(rest)?;
                check_step(field, step)?;
                // One digit may be followed by nothing else, two by anything.
                if rest.is_empty() || step_is_long(item) { self.add(field, value, ABSENT, step) } else { None }
            }
            _ => self.add(field, value, ABSENT, 0),
        }
    }

    fn read_range(&mut self, field: Field, first: i32, rest: &[u8]) -> Option<()> {
        let (last, rest) = step(rest)?;
        match rest {
            [b'/', rest @ ..] => {
                let (step, _) = step(rest)?;
                self.add(field, first, last, step)
            }
            _ => self.add(field, first, last, 1),
        }
    }

    /// Puts a value, a range or a stepped range into the field's set.
    fn add(&mut self, field: Field, first: i32, last: i32, step: i32) -> Option<()> {
        let (low, high) = bounds(field);
        let special = first == EVERY || first == NO_VALUE && matches!(field, Field::Day | Field::Weekday);
        // Weekdays may not start at 0, but other values may lie below the range, and then wrap.
        let outside = field != Field::Year && (first < low || first > high || last > high);
        if outside && !special {
            return None;
        }
        if step <= 0 && first != EVERY {
            self.insert(field, first);
            return Some(());
        }
        let start = if first == EVERY { low } else { first };
        let stop = match (last, field) {
            (ABSENT, Field::Year) if first == EVERY => LAST_YEAR,
            (ABSENT, Field::Year) => OPEN_END_YEAR,
            (ABSENT, _) => high,
            _ => last,
        };
        let step = step.max(1);
        if stop >= start {
            // Years before the first that can fire are skipped at once, however far away they are.
            let skipped = (i64::from(low) - i64::from(start)).max(0) / i64::from(step);
            let begin = i64::from(start) + skipped * i64::from(step);
            let end = i64::from(stop).min(i64::from(LAST_YEAR.max(high)));
            (begin..=end).step_by(step as usize).for_each(|value| self.insert(field, value as i32));
        } else if field == Field::Year {
            return None;
        } else {
            self.wrap(field, start, stop, step);
        }
        if field == Field::Hour {
            self.add_stepped(start, stop, step);
        }
        Some(())
    }

    fn wrap(&mut self, field: Field, start: i32, stop: i32, step: i32) {
        let (low, high) = bounds(field);
        let size = high + 1 - low;
        for value in (start..=stop + size).step_by(step as usize) {
            let wrapped = value % size;
            self.insert(field, if low == 1 && wrapped == 0 { high } else { wrapped });
        }
    }

    /// Hours that are stepped through matter to `semantics: standard` only, but belong to the meaning.
    fn add_stepped(&mut self, start: i32, stop: i32, step: i32) {
        let stop = if stop < start { stop + 24 } else { stop.min(23) };
        if stop - start >= step {
            (start..=stop).step_by(step as usize).for_each(|hour| self.stepped |= 1 << (hour % 24));
        }
    }

    fn insert(&mut self, field: Field, value: i32) {
        match field {
            Field::Second => self.seconds.insert(value),
            Field::Minute => self.minutes.insert(value),
            Field::Hour => self.hours.insert(value),
            Field::Day => self.days.insert(value),
            Field::Month => self.months.insert(value),
            Field::Weekday => self.weekdays.insert(value),
            Field::Year => self.years.insert(value),
        }
    }

    fn into_fields(self) -> Result<Fields, Refusal> {
        for (set, field) in [
            (self.seconds, Field::Second),
            (self.minutes, Field::Minute),
            (self.hours, Field::Hour),
            (self.months, Field::Month),
            (self.weekdays, Field::Weekday),
        ] {
            set.first().ok_or(Refusal::Empty(field))?;
        }
        let days = self.day_rule()?;
        let hours = self.hours.0 as u32 & ALL_HOURS;
        Ok(Fields {
            seconds: self.seconds.0 as u64 & ALL_SECONDS,
            minutes: self.minutes.0 as u64 & ALL_SECONDS,
            hours,
            stepped: if hours == ALL_HOURS { hours } else { self.stepped & hours },
            months: self.months.0 as u16 & ALL_MONTHS,
            days,
            years: self.years,
        })
    }

    fn day_rule(&self) -> Result<Days, Refusal> {
        match (self.days.contains(NO_VALUE), self.weekdays.contains(NO_VALUE)) {
            (true, true) | (false, false) => Err(Refusal::BothDays),
            (false, true) => Ok(Days::OfMonth(MonthDays {
                plain: self.days.0 as u32 & ALL_DAYS,
                from_end: self.from_end,
                nearest: self.nearest,
                nearest_from_end: self.nearest_from_end,
            })),
            (true, false) => Ok(self.weekday_rule()),
        }
    }

    fn weekday_rule(&self) -> Days {
        // With `L` and `#` the smallest weekday of the list alone counts; 0 behaves as Saturday.
        let first = match self.weekdays.first() {
            Some(0) => 7,
            Some(weekday @ 1..=7) => weekday as u8,
            _ => return Days::Never,
        };
        if self.last_weekday {
            Days::LastOfWeek(first)
        } else if self.nth != 0 {
            Days::NthOfWeek { weekday: first, nth: self.nth }
        } else {
            Days::OfWeek(self.weekdays.0 as u8 & ALL_WEEKDAYS)
        }
    }
}

/// Returns whether an item is `L`, `LW`, or `L-` followed by digits and perhaps a `W`, with anything after it: not a
/// name.
fn starts_with_last(item: &[u8]) -> bool {
    match item {
        b"L" | b"LW" => true,
        [b'L', b'-', rest @ ..] => {
            let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
            matches!(&rest[digits..], [] | [b'W'])
        }
        _ => false,
    }
}

fn name(field: Field, text: &[u8]) -> Option<i32> {
    let names = match field {
        Field::Month => super::error::MONTHS.as_slice(),
        Field::Weekday => super::error::WEEKDAYS.as_slice(),
        _ => return None,
    };
    names.iter().position(|name| name.as_bytes() == text).map(|index| index as i32 + 1)
}

/// Returns all that follows a `#`, read by Java's rules for integers: 1..=5.
fn nth(text: &[u8]) -> Option<u8> {
    integer(text).filter(|nth| (1..=5).contains(nth)).map(|nth| nth as u8)
}

/// Java's `Integer.parseInt`: a sign, then digits.
fn integer(text: &[u8]) -> Option<i32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Returns the digits at the beginning, after those already read; and what follows them.
fn leading_number(start: i64, text: &[u8]) -> Option<(i32, &[u8])> {
    let digits = text.iter().take_while(|c| c.is_ascii_digit()).count();
    let value = text[..digits].iter().try_fold(start, |value, digit| {
        Some(value * 10 + i64::from(digit - b'0')).filter(|value| *value <= i64::from(i32::MAX))
    })?;
    Some((i32::try_from(value).ok()?, &text[digits..]))
}

/// Returns a number of at least one digit.
fn step(text: &[u8]) -> Option<(i32, &[u8])> {
    if text.first()?.is_ascii_digit() { leading_number(0, text) } else { None }
}

fn step_is_long(item: &[u8]) -> bool {
    let after = item.iter().position(|c| *c == b'/').map_or(0, |slash| slash + 1);
    item[after..].iter().take_while(|c| c.is_ascii_digit()).count() > 1
}

/// Checks a step after `*` or a single value; Quartz does not check those after a range.
fn check_step(field: Field, step: i32) -> Option<()> {
    let highest = match field {
        Field::Second | Field::Minute => 59,
        Field::Hour => 23,
        Field::Day => 31,
        Field::Month => 12,
        Field::Weekday => 7,
        Field::Year => i32::MAX,
    };
    (step <= highest).then_some(())
}

const fn bounds(field: Field) -> (i32, i32) {
    match field {
        Field::Second | Field::Minute => (0, 59),
        Field::Hour => (0, 23),
        Field::Day => (1, 31),
        Field::Month => (1, 12),
        Field::Weekday => (1, 7),
        Field::Year => (1970, LAST_YEAR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_junk_is_read_as_quartz_reads_it() {
        // Not in the recorded answers; by the rules that those show.
        let table = [
            ("0 5,L 12 ? * MON", None),
            ("0 0 12 ? 5,L MON", Some("0 0 12 ? 5 MON")),
            ("0 0 12 15W,? * MON", Some("0 0 12 ? * MON")),
            ("0 0 12 5 * 98", Some("0 0 12 5 * ?")),
            ("0 0 12 ? * MON 2130/2", None),
            ("0 5/12X 12 * * ?", Some("0 5/12 12 * * ?")),
            ("0 5/2X 12 * * ?", None),
            ("0 1-5/2X 12 * * ?", Some("0 1-5/2 12 * * ?")),
        ];
        for (text, same) in table {
            assert_eq!(parse(text).ok(), same.map(|text| parse(text).unwrap()), "{text}");
        }
    }
}
