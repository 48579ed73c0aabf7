//! Points in time as people type them: `--until 24h`, `--since yesterday`.
//!
//! | spelling | means |
//! |---|---|
//! | `2026-03-08T02:30:00Z` | that instant (RFC 3339) |
//! | `now`, `today`, `yesterday`, `tomorrow` | now, or the first instant of that day |
//! | `-7d`, `+2h`, `+1h30m` | from now; days and weeks are calendar days of the zone |
//! | `1.5h`, `90 min` | as durations in job files are written |
//! | `24h` | from now, into the direction that the option asks for |
//! | `2026-03-08`, `2026-03-08 02:30`, `2026-03-08 02:30:15` | local time of `--tz` |
//! | `2026-03-08 02:30 Europe/Berlin` | local time of that zone |
//!
//! A local time that a clock change skips or repeats is an error that names both instants.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Span, Timestamp, ToSpan, Zoned};
use mainspring_schedule::{Period, UnknownZone};

use crate::error::{Error, Report, Result};
use crate::exit::Exit;

/// Where a duration without a sign leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// `--since 2h`: two hours ago.
    Past,
    /// `--until 2h`: in two hours.
    Future,
}

/// Reads `text` as an instant; `now` is the instant and the zone that the text is relative to.
///
/// # Errors
/// `time.invalid` for anything that is no time value, `time.skipped` and `time.repeated` for local
/// times that do not exist or exist twice, `schedule.zone` with a suggestion.
pub fn parse(text: &str, now: &Zoned, unsigned: Direction) -> Result<Timestamp> {
    let text = text.trim();
    if let Some(day) = named_day(text, now) {
        return first_instant(day?, now.time_zone());
    }
    if text == "now" {
        return Ok(now.timestamp());
    }
    if let Some(span) = span(text, unsigned) {
        let then = now.checked_add(span).map_err(|_| invalid(text, "it is out of range"))?;
        return Ok(then.timestamp());
    }
    if let Some(period) = period(text, unsigned) {
        return now.timestamp().checked_add(period).map_err(|_| invalid(text, "it is out of range"));
    }
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Ok(instant);
    }
    local(text, now.time_zone())
}

/// Reads a length of time without a sign, such as `90s` or `1h30m`, for an option. Job files take the same.
///
/// # Errors
/// Says what is expected, for clap to show.
pub fn duration(text: &str) -> Result<std::time::Duration, String> {
    let period: Period = text.parse().map_err(|_| "expected a duration such as 90s, 15m or 1h30m".to_owned())?;
    Ok(std::time::Duration::from_millis(period.as_millis().unsigned_abs()))
}

/// Finds an IANA zone, `utc` or `local`.
///
/// # Errors
/// `schedule.zone`, with the nearest name.
pub fn zone(name: &str) -> Result<TimeZone> {
    match name {
        "utc" | "UTC" => Ok(TimeZone::UTC),
        "local" => Ok(machine_zone(std::env::var("TZ").ok().as_deref())),
        _ => TimeZone::get(name).map_err(|_| unknown_zone(name)),
    }
}

/// The zone of this machine. One that `TZ` names and nobody knows is UTC, as with other programs, but not in silence.
fn machine_zone(tz: Option<&str>) -> TimeZone {
    if let Some(warning) = tz.and_then(unusable) {
        crate::notes::warning("cli.zone", warning);
    }
    TimeZone::system()
}

/// What to say of a value of `TZ` that names no zone.
fn unusable(tz: &str) -> Option<String> {
    let name = tz.strip_prefix(':').unwrap_or(tz);
    let is_known =
        name.is_empty() || name.starts_with('/') || TimeZone::get(name).is_ok() || TimeZone::posix(name).is_ok();
    let report = unknown_zone(name).reports.into_iter().next().filter(|_| !is_known)?;
    let hint = report.hints.first().map_or_else(String::new, |hint| format!("; {hint}"));
    Some(format!("times are shown in UTC, because TZ names no time zone: {tz:?}{hint}"))
}

fn unknown_zone(name: &str) -> Error {
    let known = mainspring_schedule::Zone::parse(name).err();
    let hint = match &known {
        Some(UnknownZone { suggestion: Some(nearest), .. }) => format!("did you mean \"{nearest}\"?"),
        Some(UnknownZone { candidates, .. }) if !candidates.is_empty() => {
            format!("clocks show it in {}: name the zone", candidates.join(", "))
        }
        _ => "use an IANA name such as Europe/Berlin, or utc, or local".to_owned(),
    };
    Error::new(Exit::Invalid, Report::new("schedule.zone", format!("unknown time zone {name:?}")).hint(hint))
}

fn named_day(text: &str, now: &Zoned) -> Option<Result<Date>> {
    let days = match text {
        "yesterday" => -1,
        "today" => 0,
        "tomorrow" => 1,
        _ => return None,
    };
    Some(now.date().checked_add(days.days()).map_err(|_| invalid(text, "it is out of range")))
}

/// The first instant of a day, which need not be midnight: some zones change their clocks there.
fn first_instant(day: Date, zone: &TimeZone) -> Result<Timestamp> {
    day.to_zoned(zone.clone())
        .map(|zoned| zoned.timestamp())
        .map_err(|_| invalid(&day.to_string(), "it is out of range"))
}

/// Reads `[+-]` and one or more of number and unit; `None` when the text is no duration at all.
fn span(text: &str, unsigned: Direction) -> Option<Span> {
    let (sign, mut rest) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ if unsigned == Direction::Past => (-1, text),
        _ => (1, text),
    };
    let mut span = Span::new();
    loop {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: i64 = rest[..digits].parse().ok()?;
        let letters = rest[digits..].bytes().take_while(u8::is_ascii_alphabetic).count();
        let unit = &rest[digits..digits + letters];
        span = add(span, sign * number, unit)?;
        rest = &rest[digits + letters..];
        if rest.is_empty() {
            return Some(span);
        }
    }
}

/// Reads a duration as job files write it, with or without a sign.
fn period(text: &str, unsigned: Direction) -> Option<SignedDuration> {
    let (is_past, length) = match text.strip_prefix('-') {
        Some(length) => (true, length),
        None => (unsigned == Direction::Past && !text.starts_with('+'), text.strip_prefix('+').unwrap_or(text)),
    };
    let period = SignedDuration::from_millis(length.parse::<Period>().ok()?.as_millis());
    Some(if is_past { -period } else { period })
}

fn add(span: Span, number: i64, unit: &str) -> Option<Span> {
    match unit {
        "ms" => span.try_milliseconds(span.get_milliseconds() + number),
        "s" | "sec" => span.try_seconds(span.get_seconds() + number),
        "m" | "min" => span.try_minutes(span.get_minutes() + number),
        "h" => span.try_hours(i64::from(span.get_hours()) + number),
        "d" => span.try_days(i64::from(span.get_days()) + number),
        "w" => span.try_weeks(i64::from(span.get_weeks()) + number),
        _ => return None,
    }
    .ok()
}

/// Reads `DATE [TIME [ZONE]]`.
fn local(text: &str, default_zone: &TimeZone) -> Result<Timestamp> {
    let (date, rest) = text.split_once([' ', 'T']).unwrap_or((text, ""));
    let date: Date = date.parse().map_err(|_| invalid(text, "it is no date, time or duration"))?;
    let (time, zone_name) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
    let zone = match zone_name.trim() {
        "" => default_zone.clone(),
        name => zone(name)?,
    };
    if time.is_empty() {
        return first_instant(date, &zone);
    }
    let time: Time = time.parse().map_err(|_| invalid(text, &format!("{time:?} is no time of day")))?;
    resolve(DateTime::from_parts(date, time), &zone)
}

/// Turns local time into an instant, and refuses to guess when a clock change makes it none or two.
fn resolve(local: DateTime, zone: &TimeZone) -> Result<Timestamp> {
    let ambiguous = zone.to_ambiguous_timestamp(local);
    let (code, what, before, after) = match ambiguous.offset() {
        AmbiguousOffset::Unambiguous { .. } => {
            return ambiguous.unambiguous().map_err(|_| invalid(&local.to_string(), "it is out of range"));
        }
        AmbiguousOffset::Gap { before, after } => {
            ("time.skipped", "does not exist: clocks go forward there", after, before)
        }
        AmbiguousOffset::Fold { before, after } => {
            ("time.repeated", "exists twice: clocks go back there", before, after)
        }
    };
    let name = zone.iana_name().unwrap_or("this zone");
    let message = format!("{} in {name} {what}", local.strftime("%Y-%m-%d %H:%M:%S"));
    let instants = [before, after]
        .map(|offset| offset.to_timestamp(local).map(|instant| rfc3339(instant, zone)).unwrap_or_default());
    let report = Report::new(code, message).hint(format!("say {} or {}", instants[0], instants[1]));
    Err(Error::new(Exit::Invalid, report))
}

fn rfc3339(instant: Timestamp, zone: &TimeZone) -> String {
    let offset = zone.to_offset(instant);
    instant.display_with_offset(offset).to_string()
}

fn invalid(text: &str, why: &str) -> Error {
    let report = Report::new("time.invalid", format!("cannot read time {text:?}: {why}")).hint(
        "examples: now, yesterday, -7d, +2h, 2026-03-08, \"2026-03-08 02:30 Europe/Berlin\", 2026-03-08T02:30:00Z",
    );
    Error::new(Exit::Invalid, report)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn berlin_noon() -> Zoned {
        "2025-03-31T12:00[Europe/Berlin]".parse().unwrap()
    }

    #[test]
    fn a_zone_that_nobody_knows_is_not_utc_in_silence() {
        for usable in ["", "UTC", ":Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3", "/etc/localtime"] {
            assert_eq!(unusable(usable), None, "{usable}");
        }
        let said = unusable("Europe/Berln").unwrap();
        assert!(said.contains("\"Europe/Berln\"") && said.contains("Europe/Berlin\"?"), "{said}");
    }

    #[test]
    fn time_values_are_read() {
        let cases = [
            ("now", "2025-03-31T10:00:00Z"),
            ("today", "2025-03-30T22:00:00Z"),
            // The day of the clock change began at winter time.
            ("yesterday", "2025-03-29T23:00:00Z"),
            ("tomorrow", "2025-03-31T22:00:00Z"),
            ("-2h", "2025-03-31T08:00:00Z"),
            ("+2h", "2025-03-31T12:00:00Z"),
            ("+1h30m", "2025-03-31T11:30:00Z"),
            ("1.5h", "2025-03-31T11:30:00Z"),
            ("-90 min", "2025-03-31T08:30:00Z"),
            ("90s", "2025-03-31T10:01:30Z"),
            ("250ms", "2025-03-31T10:00:00.25Z"),
            // Calendar days: two days ago at noon was winter time.
            ("-2d", "2025-03-29T11:00:00Z"),
            ("-1w", "2025-03-24T11:00:00Z"),
            ("2025-03-30T01:30:00Z", "2025-03-30T01:30:00Z"),
            ("2025-03-30T01:30:00+02:00", "2025-03-29T23:30:00Z"),
            ("2025-01-15", "2025-01-14T23:00:00Z"),
            ("2025-01-15 08:30", "2025-01-15T07:30:00Z"),
            ("2025-01-15T08:30:15", "2025-01-15T07:30:15Z"),
            ("2025-01-15 08:30 America/New_York", "2025-01-15T13:30:00Z"),
            ("2025-01-15 08:30 utc", "2025-01-15T08:30:00Z"),
        ];
        for (text, expected) in cases {
            let instant =
                parse(text, &berlin_noon(), Direction::Future).unwrap_or_else(|error| panic!("{text}: {error:?}"));
            assert_eq!(instant.to_string(), expected, "{text}");
        }
    }

    #[test]
    fn durations_of_options_have_no_sign() {
        assert_eq!(duration("1h30m").unwrap().as_secs(), 5_400);
        assert_eq!(duration("1d").unwrap().as_secs(), 86_400);
        assert_eq!(duration("1.5h").unwrap(), duration("90 min").unwrap(), "as in job files");
        for wrong in ["", "-5s", "+5s", "5", "fast"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn unsigned_duration_follows_the_option() {
        let past = parse("2h", &berlin_noon(), Direction::Past).unwrap();
        assert_eq!(past.to_string(), "2025-03-31T08:00:00Z");
    }

    #[test]
    fn wrong_time_values_say_why() {
        let cases = [
            ("", "time.invalid", "no date, time or duration"),
            ("soon", "time.invalid", "no date, time or duration"),
            ("5 parsecs", "time.invalid", "no date, time or duration"),
            ("2025-13-01", "time.invalid", "no date"),
            ("2025-02-30 10:00", "time.invalid", "no date"),
            ("2025-01-15 25:00", "time.invalid", "no time of day"),
            ("+999999999999999999d", "time.invalid", ""),
            ("+3000000d", "time.invalid", "out of range"),
            ("2025-01-15 08:30 Europe/Brelin", "schedule.zone", "Europe/Berlin"),
            ("2025-03-30 02:30 Europe/Berlin", "time.skipped", "does not exist"),
            ("2025-10-26 02:30 Europe/Berlin", "time.repeated", "exists twice"),
        ];
        for (text, code, part) in cases {
            let error = parse(text, &berlin_noon(), Direction::Future).unwrap_err();
            let report = &error.reports[0];
            assert_eq!(report.code, code, "{text}");
            assert!(report.to_string().contains(part), "{text}: {report}");
        }
    }

    #[test]
    fn a_skipped_time_names_both_neighbours_in_order() {
        let cases = [
            ("2025-03-30 02:30 Europe/Berlin", "say 2025-03-30T01:30:00+01:00 or 2025-03-30T03:30:00+02:00"),
            ("2025-10-26 02:30 Europe/Berlin", "say 2025-10-26T02:30:00+02:00 or 2025-10-26T02:30:00+01:00"),
        ];
        for (text, hint) in cases {
            let error = parse(text, &berlin_noon(), Direction::Future).unwrap_err();
            assert_eq!(error.reports[0].hints, [hint]);
        }
    }
}
