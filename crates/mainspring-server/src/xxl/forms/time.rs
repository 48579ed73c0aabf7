//! Times as XXL-JOB's console writes and reads them.

use mainspring_schedule::{Civil, Date, Timestamp, Zone};

/// An instant in UTC, in the form that its pages read: `2026-11-25T17:40:31.000+00:00`.
pub(super) fn shown(at: Timestamp) -> String {
    let utc = Zone::utc().to_local(at).to_string();
    format!("{}.{:03}+00:00", utc.get(..19).unwrap_or(&utc), at.as_millis().rem_euclid(1_000))
}

/// Two local times, `2026-01-31 00:00:00 - 2026-01-31 23:59:59`, as the first instant and the one after the last.
pub(super) fn range(text: &str, zone: &str) -> Option<(Timestamp, Timestamp)> {
    let zone = Zone::parse(zone).ok()?;
    let (from, to) = text.split_once(" - ")?;
    Some((zone.lenient(civil(from)?), zone.lenient(civil(to)?) + 1_000))
}

/// Reads `2026-01-31 23:59:59`.
fn civil(text: &str) -> Option<Civil> {
    let (date, time) = text.trim().split_once(' ')?;
    let mut parts = date.split('-').chain(time.split(':')).map(str::parse::<u16>);
    let mut next = || parts.next()?.ok();
    let (year, month, day) = (next()?, u8::try_from(next()?).ok()?, u8::try_from(next()?).ok()?);
    let (hour, minute, second) =
        (u8::try_from(next()?).ok()?, u8::try_from(next()?).ok()?, u8::try_from(next()?).ok()?);
    let date = Date::new(i32::from(year), month, day);
    (date.is_valid() && hour < 24 && minute < 60 && second < 60).then(|| date.at(hour, minute, second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_the_zone_and_shown_in_utc() {
        let (from, to) = range("2026-01-31 00:00:00 - 2026-01-31 23:59:59", "Asia/Shanghai").unwrap();
        assert_eq!(
            (shown(from).as_str(), shown(to).as_str()),
            ("2026-01-30T16:00:00.000+00:00", "2026-01-31T16:00:00.000+00:00")
        );
        for bad in ["", "2026-01-31", "a - b"] {
            assert_eq!(range(bad, "UTC"), None, "{bad}");
        }
    }
}
