//! Which instants? Cron (Quartz and Unix dialects), intervals, calendar intervals, daily windows and
//! fixed delays, the calendars that remove instants from them, and what becomes of missed ones.
//!
//! Pure: no I/O, no clock, no randomness. Every function gets the time it needs as an argument.

mod period;
mod timestamp;

pub use period::{Period, PeriodError};
pub use timestamp::{ParseTimestampError, Timestamp};
