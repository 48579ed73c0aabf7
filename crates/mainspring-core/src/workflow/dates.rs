//! Which dates a run stands for.

use mainspring_schedule::Timestamp;

use crate::run::words;

words!(
    /// Which end of its data interval a run is named after.
    LogicalDate {
        /// The fire time, at which the interval ends.
        Fire = "fire",
        /// The beginning of the interval, as Airflow's interval timetables have it.
        Start = "start",
    }
);

#[expect(clippy::derivable_impls, reason = "the enum comes from a macro that knows no default")]
impl Default for LogicalDate {
    fn default() -> Self {
        Self::Fire
    }
}

/// From when on the data of a run count. They end at its fire time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DataInterval {
    /// From the previous fire time of the schedule, whether or not that was fired.
    #[default]
    SincePreviousFire,
    /// So many milliseconds of elapsed time, which may be none.
    Fixed {
        /// The length.
        length_ms: i64,
    },
}

/// The dates of a run. The interval holds its start and not its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dates {
    /// The date that names the run among those of its schedule.
    pub logical: Timestamp,
    /// The first instant whose data belong to the run.
    pub data_start: Timestamp,
    /// The first instant whose data do not.
    pub data_end: Timestamp,
}

/// Returns the dates of the run of a fire time. `previous` is the fire time before it: the interval is empty where there is none.
///
/// ```
/// use mainspring_core::Timestamp;
/// use mainspring_core::workflow::dates::{DataInterval, LogicalDate, dates};
/// let (monday, tuesday): (Timestamp, Timestamp) = ("2026-05-04T03:00:00Z".parse()?, "2026-05-05T03:00:00Z".parse()?);
/// let of_tuesday = dates(tuesday, Some(monday), LogicalDate::Fire, DataInterval::SincePreviousFire);
/// assert_eq!((of_tuesday.logical, of_tuesday.data_start, of_tuesday.data_end), (tuesday, monday, tuesday));
/// // The same run under Airflow's name.
/// assert_eq!(dates(tuesday, Some(monday), LogicalDate::Start, DataInterval::SincePreviousFire).logical, monday);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn dates(fire: Timestamp, previous: Option<Timestamp>, named: LogicalDate, interval: DataInterval) -> Dates {
    let data_start = match interval {
        DataInterval::SincePreviousFire => previous.unwrap_or(fire),
        DataInterval::Fixed { length_ms } => fire - length_ms,
    };
    let logical = match named {
        LogicalDate::Fire => fire,
        LogicalDate::Start => data_start,
    };
    Dates { logical, data_start, data_end: fire }
}
