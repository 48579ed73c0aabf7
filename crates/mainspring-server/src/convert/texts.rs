//! Durations and instants as users write them.

use mainspring_api::{ErrorCode, Problem};
use mainspring_schedule::{Civil, Date, Period, Resolved, TimeOfDay, Timestamp, Zone};

/// Reads a duration in milliseconds.
pub(super) fn duration_ms(text: &str, pointer: &str) -> Result<i64, Problem> {
    let period: Result<Period, _> = text.parse();
    period
        .map(Period::as_millis)
        .map_err(|error| Problem::new(ErrorCode::ScheduleDuration, error.to_string()).at(pointer))
}

/// Reads a duration that is longer than nothing.
pub(super) fn positive_ms(text: &str, pointer: &str) -> Result<i64, Problem> {
    match duration_ms(text, pointer)? {
        0 => {
            let message = format!("`{text}` is no time at all; it must be longer");
            Err(Problem::new(ErrorCode::ScheduleDuration, message).at(pointer))
        }
        ms => Ok(ms),
    }
}

/// Writes a duration so that it reads back as the same.
pub(super) fn duration_text(ms: i64) -> String {
    Period::from_millis(ms).unwrap_or(Period::ZERO).to_string()
}

/// Reads an instant: RFC 3339, or a date with or without a time, local to the zone.
///
/// A local time that a clock change skips is refused, naming what is on either side. Of one that exists twice the
/// first is taken.
pub(super) fn instant(text: &str, zone: &Zone, pointer: &str) -> Result<Timestamp, Problem> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    let refused = |message: String| Problem::new(ErrorCode::ScheduleInstant, message).at(pointer);
    let shown: String = text.chars().take(64).collect();
    let Some(civil) = local(text) else {
        let message = format!("`{}` is not an instant", shown.escape_debug());
        return Err(refused(message).hint("write 2026-01-30T12:00:00Z, or 2026-01-30 12:00 in the trigger's zone"));
    };
    match zone.resolve(civil) {
        Resolved::Once(at) | Resolved::Twice { first: at, .. } => Ok(at),
        Resolved::Skipped { gap_end, .. } => {
            let before = zone.to_local(gap_end - 1);
            let after = zone.to_local(gap_end);
            let message = format!("{civil} does not exist in {}: the clock goes from {before} to {after}", zone.name());
            Err(refused(message))
        }
    }
}

/// What a local time means in a zone. Nothing, where the text is none.
pub(super) fn resolved(text: &str, zone: &Zone) -> Option<Resolved> {
    local(text).map(|civil| zone.resolve(civil))
}

fn local(text: &str) -> Option<Civil> {
    let (date, time) = match text.split_once([' ', 'T']) {
        Some((date, time)) => (date, time.parse().ok()?),
        None => (text, TimeOfDay::MIDNIGHT),
    };
    Some(Civil::from_millis(self::date(date)?.at(0, 0, 0).as_millis() + time.as_millis()))
}

/// Reads `YYYY-MM-DD`.
pub(super) fn date(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let number = |range: std::ops::Range<usize>| {
        let digits = text.get(range)?;
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<u16>().ok())?
    };
    let date = Date::new(number(0..4)?.into(), u8::try_from(number(5..7)?).ok()?, u8::try_from(number(8..10)?).ok()?);
    date.is_valid().then_some(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_read_in_their_zone() {
        let cases = [
            ("2026-01-30T12:00:00Z", "UTC", Ok("2026-01-30T12:00:00.000Z")),
            ("2026-01-30T12:00:00+08:00", "Europe/Berlin", Ok("2026-01-30T04:00:00.000Z")),
            ("2026-01-30 12:00", "Europe/Berlin", Ok("2026-01-30T11:00:00.000Z")),
            ("2026-01-30T12:00:30", "Asia/Shanghai", Ok("2026-01-30T04:00:30.000Z")),
            ("2026-01-30", "Asia/Shanghai", Ok("2026-01-29T16:00:00.000Z")),
            // Twice, on the day summer time ends: the first.
            ("2026-10-25 02:30", "Europe/Berlin", Ok("2026-10-25T00:30:00.000Z")),
            // Never, on the day it begins.
            ("2026-03-29 02:30", "Europe/Berlin", Err("does not exist in Europe/Berlin")),
            ("2026-02-30", "UTC", Err("is not an instant")),
            ("tomorrow", "UTC", Err("is not an instant")),
            ("", "UTC", Err("is not an instant")),
            ("２026-01-30", "UTC", Err("is not an instant")),
        ];
        for (text, zone, expected) in cases {
            let zone: Zone = zone.parse().unwrap();
            match (instant(text, &zone, "/at"), expected) {
                (Ok(at), Ok(expected)) => assert_eq!(at.to_string(), expected, "{text}"),
                (Err(problem), Err(part)) => {
                    assert_eq!((problem.code.as_str(), problem.pointer.as_str()), ("schedule.instant", "/at"));
                    assert!(problem.message.contains(part), "{problem}");
                }
                (got, _) => panic!("{text}: {got:?}"),
            }
        }
    }

    #[test]
    fn durations_read_back_as_the_same() {
        for ms in [1, 999, 1_000, 90_000, 3_600_000, 86_400_000, 604_800_000, 1_001] {
            assert_eq!(duration_ms(&duration_text(ms), ""), Ok(ms));
        }
        assert_eq!(positive_ms("0s", "/every").unwrap_err().pointer, "/every");
        assert_eq!(duration_ms("ten", "").unwrap_err().code, "schedule.duration");
    }
}
