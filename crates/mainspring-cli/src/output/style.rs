//! How times, durations and states look in tables.

use comfy_table::{Cell, Color};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use super::TimeStyle;

/// Zone and style of times, and the instant that relative times count from.
#[derive(Debug, Clone)]
pub struct Style {
    zone: TimeZone,
    time: TimeStyle,
    now: Timestamp,
}

impl Style {
    /// Reads the clock once, so that one table has one now.
    pub fn new(zone: TimeZone, time: TimeStyle) -> Self {
        Self { zone, time, now: Timestamp::now() }
    }

    /// Now, in the zone of `--tz`.
    pub fn now(&self) -> Zoned {
        self.now.to_zoned(self.zone.clone())
    }

    /// The zone of `--tz`.
    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// Shows an instant of the API, or a dash.
    pub fn at(&self, instant: Option<mainspring_api::Timestamp>) -> String {
        instant.map_or_else(dash, |instant| self.instant(from_wire(instant)))
    }

    /// How far an instant of the API lies from now, or a dash.
    pub fn left(&self, instant: Option<mainspring_api::Timestamp>) -> String {
        instant.map_or_else(dash, |instant| self.distance(from_wire(instant)))
    }

    /// Shows an instant as `--time` asks.
    pub fn instant(&self, instant: Timestamp) -> String {
        let zoned = instant.to_zoned(self.zone.clone());
        match self.time {
            TimeStyle::Short => zoned.strftime("%Y-%m-%d %H:%M:%S %Z").to_string(),
            TimeStyle::Iso => {
                let offset = zoned.offset();
                format!("{:.3}", instant.display_with_offset(offset))
            }
            TimeStyle::Relative => self.distance(instant),
        }
    }

    /// How far an instant lies from now: `in 12min`, `3h ago`, `now`.
    pub fn distance(&self, instant: Timestamp) -> String {
        let ms = instant.as_millisecond() - self.now.as_millisecond();
        match ms {
            1_000.. => format!("in {}", duration(ms)),
            ..=-1_000 => format!("{} ago", duration(-ms)),
            _ => "now".to_owned(),
        }
    }
}

/// A number of things: `1 job`, `3 jobs`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// What stands where there is nothing.
pub fn dash() -> String {
    "-".to_owned()
}

fn from_wire(instant: mainspring_api::Timestamp) -> Timestamp {
    let ends = (Timestamp::MIN.as_millisecond(), Timestamp::MAX.as_millisecond());
    Timestamp::from_millisecond(instant.as_millis().clamp(ends.0, ends.1)).unwrap_or_default()
}

/// Shows milliseconds in its two largest units: `850ms`, `12s`, `6m42s`, `3h20m`, `2d23h`.
pub fn duration(ms: i64) -> String {
    const UNITS: [(i64, &str); 4] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    let Some(first) = UNITS.iter().position(|(unit, _)| ms >= *unit) else {
        return format!("{ms}ms");
    };
    let (unit, name) = UNITS[first];
    let mut text = format!("{}{name}", ms / unit);
    if let Some((next, name)) = UNITS.get(first + 1) {
        let rest = ms % unit / next;
        if rest > 0 {
            text += &format!("{rest}{name}");
        }
    }
    text
}

/// A cell with a state or outcome, in its colour.
pub fn state(word: &str) -> Cell {
    let cell = Cell::new(word);
    match word {
        "succeeded" | "active" | "ok" | "created" => cell.fg(Color::Green),
        "failed" | "timed_out" | "lost" | "error" | "deleted" | "clock_off" => cell.fg(Color::Red),
        "cancelled" | "skipped" | "missed" | "suppressed" | "paused" | "held" | "updated" | "warning" | "draining"
        | "far" | "joining" => cell.fg(Color::Yellow),
        "running" | "queued" | "scheduled" | "waiting" => cell.fg(Color::Cyan),
        _ => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_show_their_two_largest_units() {
        let cases = [
            (0, "0ms"),
            (850, "850ms"),
            (12_000, "12s"),
            (402_000, "6m42s"),
            (12_000_000, "3h20m"),
            (3_600_000, "1h"),
            (3_601_000, "1h"),
            (255_600_000, "2d23h"),
        ];
        for (ms, expected) in cases {
            assert_eq!(duration(ms), expected, "{ms}");
        }
    }

    #[test]
    fn instants_follow_the_style() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let mut style = Style::new(berlin, TimeStyle::Short);
        style.now = "2026-03-08T07:30:00Z".parse().unwrap();
        let later = "2026-03-08T09:00:00.250Z".parse().unwrap();
        assert_eq!(style.instant(later), "2026-03-08 10:00:00 CET");
        style.time = TimeStyle::Iso;
        assert_eq!(style.instant(later), "2026-03-08T10:00:00.250+01:00");
        style.time = TimeStyle::Relative;
        assert_eq!(style.instant(later), "in 1h30m");
        assert_eq!(style.distance(style.now), "now");
        assert_eq!(style.distance(Timestamp::UNIX_EPOCH).split_once(' ').unwrap().1, "ago");
        assert_eq!(style.at(None), "-");
    }
}
