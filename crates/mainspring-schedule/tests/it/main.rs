//! Tests of the crate from outside: recorded answers of Quartz, an oracle, other crates.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod cron_croner;
mod cron_errors;
mod cron_fuzz;
mod cron_oracle;
mod cron_reference;
mod cron_vectors;
mod replay;
#[cfg(feature = "serde")]
mod serde_forms;
mod trigger_fuzz;
mod trigger_oracle;
mod trigger_points;
mod trigger_properties;
mod trigger_reference;
mod trigger_vectors;
mod trigger_years;
mod window_calendars;
