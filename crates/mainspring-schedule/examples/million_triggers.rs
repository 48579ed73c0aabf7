//! How much memory a million compiled triggers take when equal schedules are shared (Linux only):
//! `cargo run --release -p mainspring-schedule --example million_triggers`.
//!
//! Prints the growth of the resident memory of this process, with and without the triggers' states.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement that cannot go on fails, and prints")]

use std::collections::HashMap;
use std::sync::Arc;

use mainspring_schedule::{Cron, Schedule, Semantics, Timestamp, Trigger, TriggerState, Zone};

const COUNT: usize = 1_000_000;

fn main() {
    let zones = ["Europe/Berlin", "America/New_York", "Asia/Shanghai"].map(|name| Zone::parse(name).unwrap());
    let mut known: HashMap<String, Arc<Cron>> = HashMap::new();
    let before = resident_bytes();
    // 1,440 expressions, as in a company whose daily jobs are spread over the day.
    let triggers: Vec<Trigger> = (0..COUNT)
        .map(|n| {
            let text = format!("0 {} {} * * ?", n % 60, n / 60 % 24);
            let cron = known
                .entry(text)
                .or_insert_with_key(|text| Arc::new(Cron::parse_auto(text, Semantics::Standard).unwrap()));
            let start = Timestamp::from_millis(1_767_225_600_000 + n as i64);
            Trigger::new(Schedule::Cron(cron.clone()), zones[n % zones.len()].clone(), start)
        })
        .collect();
    let compiled = resident_bytes();
    let states: Vec<TriggerState> = triggers.iter().map(Trigger::first_fire).collect();
    let with_states = resident_bytes();
    assert!(states.iter().all(|state| state.next_fire_at.is_some()));
    let megabytes = |bytes: usize| (bytes - before) as f64 / 1e6;
    println!(
        "{COUNT} triggers, {} schedules: {:.1} MB; with their states: {:.1} MB",
        known.len(),
        megabytes(compiled),
        megabytes(with_states)
    );
}

/// The second number of `statm`, in pages of 4 KiB.
fn resident_bytes() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4_096
}
