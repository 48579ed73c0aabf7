//! Which dates a run stands for.

pub use mainspring_model::LogicalDate;
use mainspring_schedule::Timestamp;

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

/// The dates of a run by which others find it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dated {
    /// The fire time, where its data interval ends.
    pub date: Timestamp,
    /// The fire time before, where the interval begins; the fire time itself where there is none.
    pub start: Timestamp,
    /// The date that names the run.
    pub logical: Timestamp,
    /// The date that names the run before, if there is one.
    pub before: Option<Timestamp>,
}

impl Dated {
    /// The run of a fire time, after the two fire times before it, the later one first.
    ///
    /// ```
    /// use mainspring_core::Timestamp;
    /// use mainspring_core::workflow::dates::{Dated, LogicalDate};
    /// let [one, two, three] = [1, 2, 3].map(Timestamp::from_millis);
    /// let by_fire = Dated::new(three, [Some(two), Some(one)], LogicalDate::Fire);
    /// assert_eq!((by_fire.logical, by_fire.before), (three, Some(two)));
    /// let by_start = Dated::new(three, [Some(two), Some(one)], LogicalDate::Start);
    /// assert_eq!((by_start.logical, by_start.before), (two, Some(one)));
    /// // The first run of all has an empty interval, and the second one begins where that is.
    /// assert_eq!(Dated::new(two, [Some(one), None], LogicalDate::Start).before, None);
    /// ```
    #[must_use]
    pub fn new(fire: Timestamp, previous: [Option<Timestamp>; 2], named: LogicalDate) -> Self {
        let of = |fire, previous| dates(fire, previous, named, DataInterval::SincePreviousFire);
        let it = of(fire, previous[0]);
        let before = previous[0].map(|before| of(before, previous[1]).logical);
        Self {
            date: fire,
            start: it.data_start,
            logical: it.logical,
            before: before.filter(|before| *before < it.logical),
        }
    }

    /// Fire times that follow each other, the first of which comes after `previous`, the later one first.
    #[must_use]
    pub fn all(mut previous: [Option<Timestamp>; 2], fires: &[Timestamp], named: LogicalDate) -> Vec<Self> {
        let dated = fires.iter().map(|fire| {
            let dated = Self::new(*fire, previous, named);
            previous = [Some(*fire), previous[0]];
            dated
        });
        dated.collect()
    }
}
