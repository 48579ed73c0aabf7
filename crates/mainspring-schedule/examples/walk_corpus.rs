//! Times how long ours takes to parse a cron expression and to find its next fire time, over the recorded corpus:
//! `cargo run --release -p mainspring-schedule --example walk_corpus`.
//!
//! Prints one line of JSON. The method is that of `bench/quartz/WalkCorpus.java`, which asks Quartz; change both or
//! neither.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark that cannot go on fails, and prints")]

use std::hint::black_box;
use std::iter::successors;
use std::time::{Duration, Instant};

use mainspring_schedule::{Cron, Semantics, Timestamp, Zone};

const WARM_UP: Duration = Duration::from_secs(5);
const ROUNDS: usize = 21;

struct Case {
    text: String,
    cron: Cron,
    zone: Zone,
    start: Timestamp,
    fires: Vec<i64>,
}

fn main() {
    let lines = include_str!("../tests/vectors/quartz/cron.jsonl").lines();
    let corpus: Vec<Case> = lines.filter_map(read).collect();
    let fires = corpus.iter().map(|case| case.fires.len()).sum();
    let differences = corpus.iter().filter(|case| !walk(case).eq(case.fires.iter().copied())).count();
    let parse = time(corpus.len(), || {
        for case in &corpus {
            black_box(parse(black_box(&case.text)));
        }
    });
    let walk = time(fires, || {
        for case in &corpus {
            black_box(walk(case).sum::<i64>());
        }
    });
    let (parse_median_ns, parse_min_ns) = (parse[ROUNDS / 2], parse[0]);
    let (fire_median_ns, fire_min_ns) = (walk[ROUNDS / 2], walk[0]);
    println!(
        "{{\"library\":\"mainspring {}\",\"expressions\":{},\"fires\":{fires},\"differences\":{differences},\
         \"rounds\":{ROUNDS},\"parse_median_ns\":{parse_median_ns:.0},\"parse_min_ns\":{parse_min_ns:.0},\
         \"fire_median_ns\":{fire_median_ns:.0},\"fire_min_ns\":{fire_min_ns:.0}}}",
        env!("CARGO_PKG_VERSION"),
        corpus.len(),
    );
}

/// The question of a line that has fires, that Quartz 2.3.2 answers alike, and that holds no escapes, which the other
/// side does not read.
fn read(line: &str) -> Option<Case> {
    let case: serde_json::Value = serde_json::from_str(line).unwrap();
    let fires: Vec<i64> = case["fires"].as_array()?.iter().filter_map(serde_json::Value::as_i64).collect();
    if fires.is_empty() || case.get("v2_3_2").is_some() || line.contains('\\') {
        return None;
    }
    let text = case["expr"].as_str()?.to_owned();
    let zone = Zone::parse(case["zone"].as_str()?).unwrap();
    Some(Case { cron: parse(&text), text, zone, start: Timestamp::from_millis(case["start"].as_i64()?), fires })
}

fn parse(text: &str) -> Cron {
    Cron::parse_auto(text, Semantics::Quartz).unwrap()
}

/// As many fires as were recorded: at most twelve, fewer where the search was cut off.
fn walk(case: &Case) -> impl Iterator<Item = i64> {
    let first = case.cron.next_after(&case.zone, case.start);
    successors(first, |t| case.cron.next_after(&case.zone, *t)).take(case.fires.len()).map(Timestamp::as_millis)
}

/// Nanoseconds per item of each round after the warm-up, in ascending order.
#[expect(clippy::cast_precision_loss, reason = "a corpus has fewer than 2^52 items")]
fn time(items: usize, mut round: impl FnMut()) -> Vec<f64> {
    let begin = Instant::now();
    while begin.elapsed() < WARM_UP {
        round();
    }
    let mut ns: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            round();
            start.elapsed().as_nanos() as f64 / items as f64
        })
        .collect();
    ns.sort_by(f64::total_cmp);
    ns
}
