//! Each test is named after the claim that it checks: `c…` from what users of NiFi are told, `b…` from beyond that.

mod beyond;
mod calendar;
mod checks;
mod edits;
mod gates;
mod gathers;
mod idle;
mod minutes;
mod races;
mod reference;
mod spellings;
mod timers;
mod validity;
mod world;
