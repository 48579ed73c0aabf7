//! The one switch between the repaired rules and Quartz's own: `standard` is Quartz's grammar as its manual states it, with a closed
//! list of repairs; `quartz` is Quartz 2.5.2 to the bit, and where Quartz never returns, "never".
//!
//! ```
//! use mainspring_schedule::Semantics;
//! assert_eq!(Semantics::default(), Semantics::Standard);
//! assert_eq!("quartz".parse(), Ok(Semantics::Quartz));
//! ```

pub use mainspring_model::{Semantics, UnknownSemantics};

/// A point at which `standard` repairs what Quartz does. The list is closed.
///
/// ```
/// use mainspring_schedule::SemanticPoint;
/// assert_eq!(SemanticPoint::GapFiresAfter.as_str(), "gap_fires_after");
/// assert!(SemanticPoint::ALL.contains(&SemanticPoint::JunkRefused));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SemanticPoint {
    /// A cron time that the clock jumps over fires once, at the first instant after the gap. Quartz loses it,
    /// and may lose the times that follow within the length of the gap; with `W` it fires later by that length. (An hour that is stepped through and followed by
    /// another hour of the field needs no such fire.)
    GapFiresAfter,
    /// A fixed cron time that the clock shows twice fires at its first occurrence. Quartz takes the second.
    OverlapFiresFirst,
    /// Hours from `*`, a range or a step fire in both passes of an overlap, as elapsed time demands. Quartz
    /// leaves out the first pass.
    OverlapStepsElapsed,
    /// `W` names days, on which all times of day fire. Quartz loses times on days that `W` has moved.
    WeekdayKeepsTimes,
    /// `L-n` in a list stands for the day it names. Quartz loses it in short months when a later number is
    /// smaller on a scale of 31 days.
    LastDayKeepsPlace,
    /// A text that the manual does not allow is an error. Quartz reads what it can and ignores the rest.
    JunkRefused,
    /// Years are 1970 to 2099. Quartz accepts any number, and then never fires.
    YearsChecked,
    /// A `calendar_interval` of days or more keeps its time of day: in a gap it fires at the first instant
    /// after it, of two equal times it takes the first, and the next day it is back. Quartz shifts and may
    /// stay shifted, and fires twice on a day when it finds its way back.
    IntervalKeepsTime,
    /// Months and years are counted from the start: 31 January, 28 February, 31 March. Quartz stays on the
    /// 28th once it has been there.
    MonthsKeepDay,
    /// A `daily_window` goes from the first instant that shows its beginning to the last that shows its end,
    /// in elapsed steps. Quartz sets both leniently and so loses or shifts fires on days of a change.
    WindowFollowsClock,
    /// A `daily_window` fires neither before the start nor after the end. Quartz fires up to 999 ms before
    /// the start, and past the end on the end's day.
    WindowKeepsBounds,
    /// The next fire of a `daily_window` after an instant is the first one after it. Quartz asks a second
    /// ahead.
    WindowAsksExactly,
    /// A `cron` trigger starts at its start. Quartz moves the start to the whole second before it, and into
    /// the second of two equal hours.
    CronStartExact,
    /// The final fire is the last one that happens. Quartz leaves calendars out, may name an end that does
    /// not fire, and knows none without an end.
    FinalFireHappens,
    /// A `daily` calendar excludes its range, by what the clock shows. Quartz also excludes the first and the
    /// last millisecond of each day, and sets the range leniently on days of a change.
    CalendarEdges,
    /// The next included instant is `t` or the first one after it that is included. Quartz may answer
    /// `t` + 1 ms, an earlier or a later instant, one that is not included, 0, or not at all.
    NextIncludedExact,
}

impl SemanticPoint {
    /// All points.
    pub const ALL: [Self; 16] = [
        Self::GapFiresAfter,
        Self::OverlapFiresFirst,
        Self::OverlapStepsElapsed,
        Self::WeekdayKeepsTimes,
        Self::LastDayKeepsPlace,
        Self::JunkRefused,
        Self::YearsChecked,
        Self::IntervalKeepsTime,
        Self::MonthsKeepDay,
        Self::WindowFollowsClock,
        Self::WindowKeepsBounds,
        Self::WindowAsksExactly,
        Self::CronStartExact,
        Self::FinalFireHappens,
        Self::CalendarEdges,
        Self::NextIncludedExact,
    ];

    /// Returns the name under which the documentation describes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GapFiresAfter => "gap_fires_after",
            Self::OverlapFiresFirst => "overlap_fires_first",
            Self::OverlapStepsElapsed => "overlap_steps_elapsed",
            Self::WeekdayKeepsTimes => "weekday_keeps_times",
            Self::LastDayKeepsPlace => "last_day_keeps_place",
            Self::JunkRefused => "junk_refused",
            Self::YearsChecked => "years_checked",
            Self::IntervalKeepsTime => "interval_keeps_time",
            Self::MonthsKeepDay => "months_keep_day",
            Self::WindowFollowsClock => "window_follows_clock",
            Self::WindowKeepsBounds => "window_keeps_bounds",
            Self::WindowAsksExactly => "window_asks_exactly",
            Self::CronStartExact => "cron_start_exact",
            Self::FinalFireHappens => "final_fire_happens",
            Self::CalendarEdges => "calendar_edges",
            Self::NextIncludedExact => "next_included_exact",
        }
    }
}

impl std::fmt::Display for SemanticPoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
