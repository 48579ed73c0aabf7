//! How fast cron expressions are read and asked: `cargo bench -p mainspring-schedule --bench cron`.
//!
//! The corpus is that of the recorded answers of Quartz. `croner` and `cron` run beside ours, on expressions
//! that they read alike.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]

use std::hint::black_box;
use std::str::FromStr;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use jiff::tz::TimeZoneDatabase;
use mainspring_schedule::{Cron, Semantics, Timestamp, Zone};

/// Six fields for Quartz and `cron`, five for Unix and `croner`.
const COMMON: [(&str, &str, &str); 5] = [
    ("every minute", "0 * * * * ?", "* * * * *"),
    ("every 5 minutes by day", "0 0/5 9-17 * * ?", "*/5 9-17 * * *"),
    ("daily", "0 30 2 * * ?", "30 2 * * *"),
    ("workdays", "0 15 10 ? * MON-FRI", "15 10 * * MON-FRI"),
    ("monthly", "0 0 12 1 * ?", "0 12 1 * *"),
];

const HARD: [(&str, &str); 5] = [
    ("leap day", "0 0 0 29 2 ?"),
    ("last workday", "0 0 12 LW * ?"),
    ("fifth Friday in February", "0 0 12 ? 2 6#5"),
    ("one year", "0 0 12 1 1 ? 2090"),
    ("last day", "0 0 12 L * ?"),
];

const SEMANTICS: [Semantics; 2] = [Semantics::Standard, Semantics::Quartz];
const START: &str = "2026-01-01T00:00:00Z";

struct Case {
    cron: Cron,
    zone: Zone,
    start: Timestamp,
}

/// Every recorded expression that these semantics accept, with its zone and start.
fn corpus(semantics: Semantics) -> Vec<Case> {
    let lines = include_str!("../tests/vectors/quartz/cron.jsonl").lines();
    let cases = lines.filter_map(|line| {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let cron = Cron::parse_auto(case["expr"].as_str()?, semantics).ok()?;
        let zone = Zone::parse(case["zone"].as_str()?).unwrap();
        Some(Case { cron, zone, start: Timestamp::from_millis(case["start"].as_i64()?) })
    });
    cases.collect()
}

fn parse(c: &mut Criterion) {
    let mut group = c.benchmark_group("parse");
    for (name, quartz, unix) in COMMON {
        for semantics in SEMANTICS {
            group.bench_function(BenchmarkId::new(semantics.as_str(), name), |b| {
                b.iter(|| Cron::parse_auto(black_box(quartz), semantics).unwrap());
            });
        }
        group.bench_function(BenchmarkId::new("croner", name), |b| {
            let parser = croner::parser::CronParser::new();
            b.iter(|| parser.parse(black_box(unix)).unwrap());
        });
        group.bench_function(BenchmarkId::new("cron", name), |b| {
            b.iter(|| cron::Schedule::from_str(black_box(quartz)).unwrap());
        });
    }
}

/// Twelve fires of each recorded expression, one after the other.
fn walk_corpus(c: &mut Criterion) {
    let mut group = c.benchmark_group("walk the corpus, per fire");
    for semantics in SEMANTICS {
        let corpus = corpus(semantics);
        let fires: u64 = corpus.iter().map(|case| walk(case, 12)).sum();
        group.throughput(Throughput::Elements(fires));
        group.bench_function(semantics.as_str(), |b| b.iter(|| corpus.iter().map(|case| walk(case, 12)).sum::<u64>()));
    }
}

fn walk(case: &Case, count: usize) -> u64 {
    let first = case.cron.next_after(&case.zone, case.start);
    std::iter::successors(first, |t| case.cron.next_after(&case.zone, *t)).take(count).count() as u64
}

/// An expression, a zone and an instant of 1990 to 2037 that have nothing to do with each other.
fn random(c: &mut Criterion) {
    let mut group = c.benchmark_group("random question");
    for semantics in SEMANTICS {
        let corpus = corpus(semantics);
        let mut seed = 1_u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> 20
        };
        let questions: Vec<(Cron, Zone, Timestamp)> = (0..4_096)
            .map(|_| {
                let cron = &corpus[next() as usize % corpus.len()].cron;
                let zone = &corpus[next() as usize % corpus.len()].zone;
                let t = Timestamp::from_millis(631_152_000_000 + (next() % 1_514_764_800_000).cast_signed());
                (cron.clone(), zone.clone(), t)
            })
            .collect();
        group.throughput(Throughput::Elements(questions.len() as u64));
        group.bench_function(semantics.as_str(), |b| {
            b.iter(|| {
                for (cron, zone, t) in &questions {
                    black_box(cron.next_after(zone, *t));
                }
            });
        });
    }
}

fn hard(c: &mut Criterion) {
    let mut group = c.benchmark_group("hard question");
    let zone = Zone::parse("America/New_York").unwrap();
    let start: Timestamp = START.parse().unwrap();
    for (name, text) in HARD {
        for semantics in SEMANTICS {
            let cron = Cron::parse_auto(text, semantics).unwrap();
            group.bench_function(BenchmarkId::new(semantics.as_str(), name), |b| {
                b.iter(|| cron.next_after(black_box(&zone), black_box(start)));
            });
        }
        let cron = Cron::parse_auto(text, Semantics::Standard).unwrap();
        group.bench_function(BenchmarkId::new("previous", name), |b| {
            b.iter(|| cron.previous_before(black_box(&zone), black_box(start)));
        });
    }
}

/// A thousand fires from 2026 on; New York for ours and `croner`, UTC for `cron`, which brings no zones.
fn side_by_side(c: &mut Criterion) {
    let mut group = c.benchmark_group("walk 1,000 fires");
    group.throughput(Throughput::Elements(1_000));
    let start: Timestamp = START.parse().unwrap();
    let zone = Zone::parse("America/New_York").unwrap();
    let rules = TimeZoneDatabase::bundled().get("America/New_York").unwrap();
    let from = jiff::Timestamp::from_millisecond(start.as_millis()).unwrap().to_zoned(rules);
    let utc = chrono::DateTime::from_timestamp_millis(start.as_millis()).unwrap();
    for (name, quartz, unix) in COMMON {
        for semantics in SEMANTICS {
            let case = Case { cron: Cron::parse_auto(quartz, semantics).unwrap(), zone: zone.clone(), start };
            group.bench_function(BenchmarkId::new(semantics.as_str(), name), |b| b.iter(|| walk(&case, 1_000)));
        }
        let theirs = croner::parser::CronParser::new().parse(unix).unwrap();
        group.bench_function(BenchmarkId::new("croner", name), |b| {
            b.iter(|| theirs.iter_after(from.clone()).take(1_000).count());
        });
        let theirs = cron::Schedule::from_str(quartz).unwrap();
        group.bench_function(BenchmarkId::new("cron in UTC", name), |b| {
            b.iter(|| theirs.after(&utc).take(1_000).count())
        });
    }
}

criterion_group!(benches, parse, walk_corpus, random, hard, side_by_side);
criterion_main!(benches);
