//! The offset changes of a zone, sorted and indexed.

use jiff::tz::TimeZone;

use super::offset::{MAX_OFFSET_MS, OffsetWindow, Resolved};
use crate::Timestamp;
use crate::steps::step;

/// 1850-01-01, before the first change of any zone but a handful.
const TABLE_START_MS: i64 = -3_786_825_600_000;
/// 2200-01-01. Changes after it are asked of the library.
pub(super) const TABLE_END_MS: i64 = 7_258_118_400_000;
/// One index entry per 2^34 ms, 199 days: rarely more than one change apart.
const INDEX_SHIFT: u32 = 34;

/// A zone's rules, as a table up to 2200.
pub(super) struct Table {
    pub(super) name: &'static str,
    rules: TimeZone,
    /// First instants of the windows, ascending; the first is `i64::MIN`.
    starts: Box<[i64]>,
    /// Offsets of the windows.
    offsets: Box<[i64]>,
    /// The window at the beginning of each stretch of 2^34 ms from `TABLE_START_MS`.
    index: Box<[u16]>,
    /// The first instant that the table does not answer for.
    table_end: i64,
}

impl Table {
    pub(super) fn new(name: &'static str, rules: TimeZone) -> Self {
        let mut starts = vec![i64::MIN];
        let mut offsets = vec![offset_ms(&rules, jiff::Timestamp::MIN)];
        let mut table_end = i64::MAX;
        for change in rules.following(jiff::Timestamp::MIN) {
            let offset = i64::from(change.offset().seconds()) * 1_000;
            // A change of name or of the summer-time flag alone does not matter here.
            if offsets.last() == Some(&offset) {
                continue;
            }
            if change.timestamp().as_millisecond() >= TABLE_END_MS {
                table_end = change.timestamp().as_millisecond();
                break;
            }
            starts.push(change.timestamp().as_millisecond());
            offsets.push(offset);
        }
        let index = index_of(&starts);
        Self { name, rules, starts: starts.into(), offsets: offsets.into(), index, table_end }
    }

    pub(super) fn window(&self, millis: i64) -> OffsetWindow {
        step();
        if millis >= self.table_end {
            return self.beyond_table(millis);
        }
        let slot = (millis.clamp(TABLE_START_MS, TABLE_END_MS) - TABLE_START_MS) >> INDEX_SHIFT;
        let mut window = match self.index.get(slot as usize) {
            Some(&window) if millis >= TABLE_START_MS => window as usize,
            Some(_) => 0,
            None => self.starts.len() - 1,
        };
        while let Some(&next) = self.starts.get(window + 1)
            && next <= millis
        {
            window += 1;
        }
        OffsetWindow {
            from_ms: self.starts[window],
            to_ms: self.starts.get(window + 1).copied().unwrap_or(self.table_end),
            offset_ms: self.offsets[window],
        }
    }

    #[cold]
    fn beyond_table(&self, millis: i64) -> OffsetWindow {
        let clamped = millis.min(Timestamp::MAX.as_millis());
        let at = jiff::Timestamp::from_millisecond(clamped).expect("between the table's end and the last instant");
        let after = jiff::Timestamp::from_millisecond(clamped + 1).expect("not past the last instant");
        let from = self.rules.preceding(after).next().map(|t| t.timestamp().as_millisecond());
        let to = self.rules.following(at).next().map(|t| t.timestamp().as_millisecond());
        OffsetWindow {
            from_ms: from.unwrap_or(i64::MIN),
            to_ms: to.unwrap_or(i64::MAX),
            offset_ms: offset_ms(&self.rules, at),
        }
    }

    /// Resolves as `Zone::resolve` does, for local times that may be near a change.
    #[cold]
    pub(super) fn resolve_near_change(&self, local_ms: i64) -> Resolved {
        let mut window = self.window(local_ms.saturating_sub(MAX_OFFSET_MS));
        loop {
            let t = local_ms - window.offset_ms;
            if t < window.to_ms || window.to_ms == i64::MAX {
                return self.resolve_at_end(window, local_ms);
            }
            let next = self.window(window.to_ms);
            if local_ms - next.offset_ms < next.from_ms {
                return Resolved::Skipped {
                    gap_end: Timestamp::from_millis(next.from_ms),
                    shifted: Timestamp::from_millis(t),
                };
            }
            window = next;
        }
    }

    /// Resolves a local time that is shown in `window`, and perhaps again after it.
    fn resolve_at_end(&self, window: OffsetWindow, local_ms: i64) -> Resolved {
        let first = Timestamp::from_millis(local_ms - window.offset_ms);
        if window.to_ms == i64::MAX {
            return Resolved::Once(first);
        }
        let next = self.window(window.to_ms);
        match local_ms - next.offset_ms {
            second if next.contains(second) => Resolved::Twice { first, second: Timestamp::from_millis(second) },
            _ => Resolved::Once(first),
        }
    }
}

fn index_of(starts: &[i64]) -> Box<[u16]> {
    let slots = ((TABLE_END_MS - TABLE_START_MS) >> INDEX_SHIFT) + 1;
    let windows = (0..slots).map(|slot| {
        let start = TABLE_START_MS + (slot << INDEX_SHIFT);
        let window = starts.partition_point(|&from| from <= start) - 1;
        u16::try_from(window).expect("a zone has fewer than 65,536 changes before 2200")
    });
    // A zone that never changes again needs no index for its last window.
    let last = starts.len() - 1;
    let mut windows: Vec<u16> = windows.collect();
    windows.truncate(windows.iter().position(|&w| w as usize == last).unwrap_or(windows.len()));
    windows.into()
}

pub(super) fn offset_ms(rules: &TimeZone, at: jiff::Timestamp) -> i64 {
    i64::from(rules.to_offset(at).seconds()) * 1_000
}
