//! How times are written.

use mainspring_schedule::{Cron, Dialect, Period, Semantics, Timestamp, Zone};

fn parse(text: &str) -> Result<Cron, String> {
    Cron::parse(text, Dialect::Quartz, Semantics::Standard).map_err(|error| error.to_string())
}

fn next(text: &str, after: &str, count: usize) -> Vec<String> {
    let cron = parse(text).unwrap();
    let mut at: Timestamp = after.parse().unwrap();
    let mut found = Vec::new();
    while let Some(next) = cron.next_after(&Zone::utc(), at).filter(|_| found.len() < count) {
        found.push(next.to_string()[..16].to_owned());
        at = next;
    }
    found
}

#[test]
fn c07_a_calendar_has_six_or_seven_fields() {
    for text in ["0 0 13 * * ?", "0 0 13 * * ? 2026"] {
        assert!(parse(text).is_ok(), "{text}");
    }
    for text in ["0 13 * * ?", "0 0 13 * * ? 2026 1"] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn c08_periods_have_33_spellings_of_units() {
    let units: [(&str, i64); 7] = [
        ("ns nano nanos nanosecond nanoseconds", 0),
        ("ms milli millis millisecond milliseconds", 1),
        ("s sec secs second seconds", 1_000),
        ("m min mins minute minutes", 60_000),
        ("h hr hrs hour hours", 3_600_000),
        ("d day days", 86_400_000),
        ("w wk wks week weeks", 604_800_000),
    ];
    let mut count = 0;
    for (spellings, millis) in units {
        for unit in spellings.split(' ') {
            count += 1;
            for text in [format!("1 {unit}"), format!("1{unit}"), format!("1 {}", unit.to_uppercase())] {
                // What is shorter than a millisecond is one.
                assert_eq!(text.parse::<Period>().map(Period::as_millis), Ok(millis.max(1)), "{text}");
            }
        }
    }
    assert_eq!(count, 33);
    let taken = [("1.5 sec", 1_500), (".5 s", 500), ("10   SEC", 10_000), ("0.010 ns", 1), ("0 days", 0)];
    for (text, millis) in taken {
        assert_eq!(text.parse::<Period>().map(Period::as_millis), Ok(millis), "{text}");
    }
    for text in
        ["5", " 5 s", "5 s ", "+5 s", "-5 s", "1,000 ms", "1e3 ms", "1 sec 2 ms", "1.2.3 s", "1 micros", "1 month"]
    {
        assert!(text.parse::<Period>().is_err(), "{text}");
    }
}

#[test]
fn c26_fields_have_bounds_and_names() {
    let taken =
        ["0 0 0 1 1 ?", "59 59 23 31 12 ?", "0 0 0 ? JAN-DEC SUN-SAT", "0 0 0 ? jan mon", "0 0 0 ? * 1", "0 0 0 ? * 7"];
    for text in taken {
        assert!(parse(text).is_ok(), "{text}");
    }
    let refused =
        ["60 * * * * ?", "0 60 * * * ?", "0 0 24 * * ?", "0 0 0 0 * ?", "0 0 0 32 * ?", "0 0 0 1 0 ?", "0 0 0 1 13 ?"];
    for text in refused.into_iter().chain(["0 0 0 ? * 0", "0 0 0 ? * 8"]) {
        assert!(parse(text).is_err(), "{text}");
    }
    // 1 is Sunday: 7 June 2020 was one.
    assert_eq!(next("0 0 0 ? * 1", "2020-06-05T00:00:00Z", 1), ["2020-06-07T00:00"]);
}

#[test]
fn c27_lists_ranges_increments_and_last_days() {
    let minutes = ["2020-06-05T00:15", "2020-06-05T00:30", "2020-06-05T00:45", "2020-06-05T01:00"];
    assert_eq!(next("0 0/15 * * * ?", "2020-06-05T00:00:00Z", 4), minutes);
    let sundays = ["2020-06-28T00:00", "2020-07-26T00:00", "2020-08-30T00:00"];
    assert_eq!(next("0 0 0 ? * 1L", "2020-06-05T00:00:00Z", 3), sundays);
}

#[test]
fn c28_three_examples() {
    let daily = ["2020-06-05T13:00", "2020-06-06T13:00"];
    assert_eq!(next("0 0 13 * * ?", "2020-06-05T00:00:00Z", 2), daily);
    assert_eq!(next("0 20 14 ? * MON-FRI", "2020-06-05T15:00:00Z", 1), ["2020-06-08T14:20"]);
    let fridays = ["2016-12-30T10:15", "2017-01-27T10:15", "2017-02-24T10:15"];
    assert_eq!(next("0 15 10 ? * 6L 2011-2017", "2016-12-01T00:00:00Z", 3), fridays);
    assert_eq!(next("0 15 10 ? * 6L 2011-2017", "2018-01-01T00:00:00Z", 1), Vec::<String>::new());
}
