//! Tests of the crate from outside: recorded answers of Quartz, an oracle, other crates.

mod cron_oracle;
mod cron_vectors;
mod replay;
mod trigger_properties;
mod trigger_vectors;
