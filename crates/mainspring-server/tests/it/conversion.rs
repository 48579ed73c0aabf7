//! Definitions survive being written as job files and read again.

use mainspring_api::{Bundle, CalendarSpec, JobSpec};
use mainspring_schedule::Timestamp;
use mainspring_server::convert::{self, Known, Surroundings};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

fn unknown(_: &str, _: &str) -> Known {
    Known::Unknown
}

fn around() -> Surroundings<'static> {
    // Early enough for every bound that is made up below.
    let now = Timestamp::from_millis(1_767_225_600_000);
    Surroundings { namespace: "default", timezone: "UTC", now, calendars: &unknown, line: convert::NO_LINES }
}

fn duration() -> impl Strategy<Value = Value> {
    (1_u32..5_000, select(vec!["s", "m", "h", "d", "ms", " sec", " minutes"]))
        .prop_map(|(n, unit)| json!(format!("{n}{unit}")))
}

fn schedule() -> impl Strategy<Value = (&'static str, Value)> {
    let cron =
        select(vec!["30 2 * * *", "@hourly", "0 0 12 ? * MON-FRI", "0 15 10 L * ? 2030-2040", "*/5 9-17 * * 1-5"]);
    let weekdays = select(vec![json!("mon"), json!(["sun", "mon", "mon"]), json!(["fri"])]);
    prop_oneof![
        cron.prop_map(|text| ("cron", json!(text))),
        duration().prop_map(|every| ("every", every)),
        select(vec!["2030-01-01T00:00:00Z", "2031-05-05 12:30", "2032-02-29"]).prop_map(|at| ("at", json!(at))),
        (
            1_u32..50,
            select(vec!["second", "minute", "hour", "day", "week", "month", "year"]),
            any::<bool>(),
            any::<bool>()
        )
            .prop_map(|(every, unit, keep, skip)| (
                "calendar_interval",
                json!({"every": every, "unit": unit, "preserve_hour": keep, "skip_missing_hour": keep && skip})
            )),
        (
            select(vec!["90s", "15m", "2h"]),
            proptest::option::of(Just("08:00")),
            proptest::option::of(Just("17:30:15")),
            proptest::option::of(weekdays)
        )
            .prop_map(|(every, from, to, days)| {
                let mut window = json!({"every": every});
                for (key, value) in [("from", from.map(|it| json!(it))), ("to", to.map(|it| json!(it))), ("days", days)]
                {
                    if let Some(value) = value {
                        window[key] = value;
                    }
                }
                ("daily_window", window)
            }),
        duration().prop_map(|delay| ("delay", delay)),
    ]
}

fn optional(fields: Vec<(&'static str, BoxedStrategy<Value>)>) -> impl Strategy<Value = Map<String, Value>> {
    let each = fields.into_iter().map(|(key, value)| proptest::option::of(value).prop_map(move |value| (key, value)));
    each.collect::<Vec<_>>()
        .prop_map(|fields| fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect())
}

fn trigger() -> impl Strategy<Value = Value> {
    let common = optional(vec![
        ("timezone", select(vec![json!("Asia/Shanghai"), json!("America/New_York"), json!("UTC")]).boxed()),
        ("calendar", Just(json!("holidays")).boxed()),
        ("misfire", select(vec![json!("smart"), json!("ignore")]).boxed()),
        ("misfire_threshold", duration().boxed()),
        ("priority", (-5_i32..10).prop_map(|n| json!(n)).boxed()),
        ("jitter", duration().boxed()),
        ("start_at", select(vec![json!("2026-02-01"), json!("2026-03-01T00:00:00Z")]).boxed()),
        ("end_at", Just(json!("2060-01-01 00:00")).boxed()),
        ("semantics", select(vec![json!("standard"), json!("quartz")]).boxed()),
        ("paused", any::<bool>().prop_map(|b| json!(b)).boxed()),
    ]);
    (schedule(), common, proptest::option::of(0_u32..9)).prop_map(|((kind, schedule), mut trigger, repeats)| {
        trigger.insert(kind.to_owned(), schedule);
        if let (Some(repeats), true) = (repeats, matches!(kind, "every" | "daily_window")) {
            trigger.insert("repeat_count".to_owned(), json!(repeats));
        }
        if kind == "at" {
            trigger.remove("start_at");
        }
        Value::Object(trigger)
    })
}

fn task() -> impl Strategy<Value = (&'static str, Value)> {
    let http = optional(vec![
        ("method", select(vec![json!("GET"), json!("POST")]).boxed()),
        ("headers", Just(json!({"X-B": "2", "Accept": "x"})).boxed()),
        ("body", select(vec![json!("text"), json!({"a": [1, null]}), json!(7)]).boxed()),
        ("expect", select(vec![json!(204), json!("2xx"), json!(["2xx", 404])]).boxed()),
        ("timeout", duration().boxed()),
        ("verify_tls", any::<bool>().prop_map(|b| json!(b)).boxed()),
        ("max_redirects", (0..=3).prop_map(|n| json!(n)).boxed()),
    ]);
    prop_oneof![
        Just(("run", json!("echo hi"))),
        Just(("exec", json!(["true", "-x", ""]))),
        Just(("script", json!({"language": "python", "source": "print(1)\n", "args": ["a", ""]}))),
        Just(("script", json!({"language": "shell", "source": "date", "xxl_args": true}))),
        http.prop_map(|mut http| {
            http.insert("url".to_owned(), json!("https://example.org/x"));
            ("http", Value::Object(http))
        }),
        Just(("handler", json!("h"))),
        Just(("noop", json!(true))),
    ]
}

fn job() -> impl Strategy<Value = Value> {
    let common = optional(vec![
        ("namespace", Just(json!("prod")).boxed()),
        ("description", select(vec![json!("words"), json!("")]).boxed()),
        ("owner", Just(json!("data-platform")).boxed()),
        ("labels", Just(json!({"team": "data", "x": ""})).boxed()),
        ("timezone", Just(json!("Europe/Berlin")).boxed()),
        ("input", select(vec![json!({"a": 1}), json!({})]).boxed()),
        ("params", Just(json!({"who": {"default": "world", "type": "string"}, "free": {}})).boxed()),
        ("queue", select(vec![json!("default"), json!("fast")]).boxed()),
        ("priority", (0_i32..10).prop_map(|n| json!(n)).boxed()),
        ("timeout", duration().boxed()),
        ("retries", (0_u32..9).prop_map(|n| json!(n)).boxed()),
        ("retry_delay", duration().boxed()),
        ("retry_jitter", duration().boxed()),
        ("retry_on", select(vec![json!("timed_out"), json!(["error", "timed_out"])]).boxed()),
        ("on_lost", select(vec![json!("fail"), json!("retry")]).boxed()),
        ("paused", any::<bool>().prop_map(|b| json!(b)).boxed()),
    ]);
    let overlap =
        proptest::option::of((select(vec!["skip", "hold", "queue_one", "queue_all"]), proptest::option::of(1_u32..5)));
    let triggers = proptest::collection::vec(trigger(), 0..4);
    let backoff = proptest::option::of(duration());
    let parts = (common, task(), overlap, backoff, triggers, any::<bool>());
    parts.prop_map(|(mut job, (kind, task), overlap, most, triggers, named)| {
        job.insert("name".to_owned(), json!("a"));
        job.insert(kind.to_owned(), task);
        if let Some((overlap, max_active)) = overlap {
            job.insert("overlap".to_owned(), json!(overlap));
            if let Some(most) = max_active {
                job.insert("max_active".to_owned(), json!(most));
            }
        }
        if let Some(delay) = most {
            job.insert("retry_backoff".to_owned(), json!("exponential"));
            job.insert("retry_max_delay".to_owned(), delay);
        }
        if named {
            let named = triggers.into_iter().enumerate().map(|(index, mut trigger)| {
                trigger["name"] = json!(format!("t{index}"));
                trigger
            });
            job.insert("triggers".to_owned(), named.collect());
        } else if !triggers.is_empty() {
            job.insert("schedule".to_owned(), Value::Array(triggers));
        }
        Value::Object(job)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_job_written_as_a_file_reads_back_as_the_same(json in job()) {
        let spec: JobSpec = serde_json::from_value(json).unwrap();
        let read = convert::job(&spec, &around());
        let job = match read {
            Ok(job) => job,
            // Bounds may leave a made up schedule no instant, which is said and is not what is asked here.
            Err(problems) => {
                prop_assert!(problems.iter().all(|problem| problem.code == "schedule.never"), "{problems:?}");
                return Ok(());
            }
        };
        let written = convert::job_spec(&job);
        // Through text, as a user would.
        let text = serde_json::to_string(&written).unwrap();
        let again: JobSpec = serde_json::from_str(&text).unwrap();
        let elsewhere = Surroundings { namespace: "elsewhere", timezone: "Asia/Tokyo", ..around() };
        prop_assert_eq!(convert::job(&again, &elsewhere).unwrap(), job.clone());
        prop_assert_eq!(convert::job_spec(&job), again);
    }
}

#[test]
fn failures_to_retry_after_read_back_as_the_same() {
    for (task, on) in [
        (json!({"run": "date"}), json!([1, 75, "timed_out"])),
        (json!({"http": {"url": "https://example.org"}}), json!(["5xx", 429, "error"])),
    ] {
        let mut json = task;
        json["name"] = json!("a");
        json["retries"] = json!(1);
        json["retry_on"] = on.clone();
        let spec: JobSpec = serde_json::from_value(json).unwrap();
        let job = convert::job(&spec, &around()).unwrap();
        assert_eq!(serde_json::to_value(convert::job_spec(&job)).unwrap()["retry_on"], on);
    }
}

#[test]
fn calendars_written_as_files_read_back_as_the_same() {
    for kind in [
        json!({"annual": ["12-25", "1-1"]}),
        json!({"cron": "* * 0-7 ? * *"}),
        json!({"daily": {"from": "12:00", "to": "13:00:00.500", "invert": true}}),
        json!({"holiday": ["2026-05-01"]}),
        json!({"monthly": 31}),
        json!({"monthly": [1, 15]}),
        json!({"weekly": ["sun", "sat"], "timezone": "Asia/Shanghai", "base": "other", "description": "x"}),
    ] {
        let mut json = kind;
        json["name"] = json!("days");
        let spec: CalendarSpec = serde_json::from_value(json.clone()).unwrap();
        let bundle = Bundle { calendars: vec![spec.clone()], ..Bundle::default() };
        convert::bundle(&bundle, &around()).unwrap_or_else(|problems| panic!("{json}: {problems:?}"));
        let definition = convert::calendar(&spec).unwrap();
        let written = convert::calendar_spec("default", "days", &definition);
        assert_eq!(convert::calendar(&written).unwrap(), definition, "{json}");
    }
}

#[test]
fn offline_an_unknown_calendar_is_let_pass_and_a_known_one_is_used() {
    let bundle: Bundle = serde_json::from_value(json!({
        "calendars": [{"name": "never", "weekly": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]}],
        "jobs": [
            {"name": "a", "noop": true, "schedule": "@daily", "calendar": "on-the-server"},
            {"name": "b", "noop": true, "schedule": "@daily", "calendar": "never"},
        ],
    }))
    .unwrap();
    let problems = convert::bundle(&bundle, &around()).unwrap_err();
    let shown: Vec<_> = problems.iter().map(|problem| (problem.code.as_str(), problem.pointer.as_str())).collect();
    assert_eq!(shown, [("schedule.never", "/jobs/1/schedule")]);
}

#[test]
fn a_wrong_zone_is_refused_also_where_no_trigger_reads_it() {
    for job in [
        json!({"name": "a", "noop": true, "timezone": "Europe/Berln"}),
        json!({"name": "a", "noop": true, "timezone": "Europe/Berln", "schedule": "@daily"}),
        json!({"name": "a", "noop": true, "timezone": "Europe/Berln", "schedule": {"cron": "@daily", "timezone": "UTC"}}),
    ] {
        let spec: JobSpec = serde_json::from_value(job.clone()).unwrap();
        let problems = convert::job(&spec, &around()).unwrap_err();
        let shown: Vec<_> = problems.iter().map(|problem| (problem.code.as_str(), problem.pointer.as_str())).collect();
        assert_eq!(shown, [("schedule.zone", "/timezone")], "{job}");
    }
}
