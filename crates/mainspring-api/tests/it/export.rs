//! What is exported reads back as the same, in every spelling.

use std::collections::BTreeMap;

use mainspring_api::*;
use proptest::prelude::*;
use serde_json::Value;

#[test]
fn values_that_toml_lacks_are_named() {
    let with_input = |input| JobSpec { name: "a".into(), noop: true, input: Some(input), ..JobSpec::default() };
    let null = with_input(serde_json::json!({"x": [1, null]}));
    let large = with_input(serde_json::json!({"y/z": u64::MAX}));
    assert_eq!(
        write_text(&null, Format::Toml).unwrap_err().to_string(),
        "the value at /input/x/1 is null, which TOML cannot express"
    );
    assert_eq!(
        write_text(&large, Format::Toml).unwrap_err().to_string(),
        "the number at /input/y~1z is beyond the 64 bits of TOML"
    );
}

#[test]
fn exported_yaml_is_fit_to_be_read_by_people() {
    let job = JobSpec {
        name: "backup".into(),
        schedule: Some(OneOrMany::One(ScheduleEntry::Cron("30 2 * * *".into()))),
        run: Some("set -e\npg_dump app > /backup/app.dump\n".into()),
        retries: Some(3),
        env: BTreeMap::from([("FLAG".into(), "no".into()), ("PORT".into(), "8080".into())]),
        ..JobSpec::default()
    };
    let expected = "name: backup\nschedule: 30 2 * * *\nrun: |\n  set -e\n  pg_dump app > /backup/app.dump\nenv:\n  FLAG: \"no\"\n  PORT: \"8080\"\nretries: 3\n";
    assert_eq!(write_text(&job, Format::Yaml).unwrap(), expected);
}

/// Where two texts of 17 digits are equally near to a double, printers choose differently; readers take one of them.
#[test]
fn numbers_halfway_between_two_texts_read_back_as_the_same() {
    let numbers: Vec<f64> = (0..64).map(|part| 196_892_548_847_082.0 + f64::from(part) / 32.0).collect();
    let input = serde_json::json!({"numbers": numbers, "in": {"it": -numbers[4]}});
    let job = JobSpec { name: "a".into(), noop: true, input: Some(input), ..JobSpec::default() };
    let bundle = Bundle { jobs: vec![JobSpec { namespace: Some("n".into()), ..job }], ..Bundle::default() };
    for format in [Format::Json, Format::Yaml, Format::Toml] {
        let text = write_text(&bundle, format).unwrap();
        assert!(text.contains("196892548847082.12") && !text.contains("196892548847082.13"), "{format:?}:\n{text}");
        let file = JobFile { name: None, format, text: text.as_bytes() };
        let read = read_job_files(&[file], None).map(|files| files.into_bundle());
        assert_eq!(read.unwrap(), bundle, "{format:?}:\n{text}");
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,12}",
        any::<String>().prop_map(|text| text.replace('\0', "")),
        prop::sample::select(vec![
            "no", "yes", "on", "null", "~", "true", "1", "0x1F", "0o7", "1e3", ".5", "1_000", "12:30:45", "2026-01-01", "- a", "a: b",
            "# c", "a #b", "'", "\"", "\\", "${{ x }}", "{a}", "[a]", "*a", "&a", "!a", "%a", "@daily", "`", "|", ">", "a\nb\n",
            "\n", " a", "a ", "\ta", "a\r\nb", "\u{85}", "\u{2028}", "\u{feff}a", "---", "...", "=", "<<", "?", "-", ".inf", ".nan",
            "a\n  b\n", "  a\nb", "\n\na", "a\n\n", "0b1", "+1", "-0", "1.", "é", "\u{1f600}", "\u{7f}", "\u{1b}",
            "a very long line of text that goes on and on, beyond eighty columns, so that a writer may want to fold it  here",
        ])
        .prop_map(str::to_owned),
    ]
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has finite numbers only", |number| number.is_finite()).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    prop::collection::btree_map(text(), json(), 0..5).prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9][a-zA-Z0-9._-]{0,12}",
        Just("1e3".to_owned()),
        Just("null".to_owned()),
        Just("0x10".to_owned())
    ]
}

fn trigger() -> impl Strategy<Value = TriggerSpec> {
    let misfire = prop::option::of(prop::sample::select(vec![Misfire::Smart, Misfire::Ignore]));
    let kind = prop_oneof![
        text().prop_map(|cron| TriggerSpec { cron: Some(cron), ..TriggerSpec::default() }),
        (text(), prop::option::of(any::<u32>())).prop_map(|(every, repeat_count)| TriggerSpec {
            every: Some(every),
            repeat_count,
            ..TriggerSpec::default()
        }),
        (1..u32::MAX).prop_map(|every| {
            let interval = CalendarInterval {
                every,
                unit: IntervalUnit::Month,
                preserve_hour: true,
                skip_missing_hour: every % 2 == 0,
            };
            TriggerSpec { calendar_interval: Some(interval), ..TriggerSpec::default() }
        }),
        (text(), prop::option::of(text())).prop_map(|(every, from)| {
            let days = Some(OneOrMany::Many(vec![Weekday::Mon, Weekday::Sun]));
            let window = DailyWindow { every, from, to: None, days };
            TriggerSpec { daily_window: Some(window), ..TriggerSpec::default() }
        }),
        text().prop_map(|delay| TriggerSpec { delay: Some(delay), ..TriggerSpec::default() }),
    ];
    (kind, misfire, prop::option::of(any::<i32>()), prop::option::of(text()), prop::option::of(any::<bool>())).prop_map(
        |(kind, misfire, priority, timezone, paused)| TriggerSpec { misfire, priority, timezone, paused, ..kind },
    )
}

fn schedule() -> impl Strategy<Value = OneOrMany<ScheduleEntry>> {
    let entry = || prop_oneof![text().prop_map(ScheduleEntry::Cron), trigger().prop_map(ScheduleEntry::Trigger)];
    prop_oneof![entry().prop_map(OneOrMany::One), prop::collection::vec(entry(), 0..3).prop_map(OneOrMany::Many)]
}

fn task() -> impl Strategy<Value = JobSpec> {
    prop_oneof![
        text().prop_map(|text| JobSpec { run: Some(format!("x{text}")), ..JobSpec::default() }),
        (prop::collection::vec(text(), 0..4), prop::collection::btree_map("[A-Z]{1,5}", text(), 0..3)).prop_map(
            |(mut argv, env)| {
                argv.insert(0, "x".into());
                JobSpec { exec: Some(argv), env, ..JobSpec::default() }
            }
        ),
        (prop::option::of(json()), prop::collection::btree_map("[a-z-]{1,8}", "[ -~]{0,9}", 0..3)).prop_map(
            |(body, headers)| {
                let expect = Some(OneOrMany::Many(vec![Status::Code(204), Status::Class("3xx".into())]));
                let http =
                    HttpTask { url: "https://example.org/".into(), body, headers, expect, ..HttpTask::default() };
                JobSpec { http: Some(http), ..JobSpec::default() }
            }
        ),
        Just(JobSpec { noop: true, ..JobSpec::default() }),
    ]
}

fn job() -> impl Strategy<Value = JobSpec> {
    let texts = (prop::option::of(text()), prop::option::of(text()), prop::option::of(text()));
    let params = prop::collection::btree_map("[a-z_]{1,5}", json(), 0..3);
    (
        task(),
        name(),
        texts,
        prop::option::of(schedule()),
        prop::option::of(object()),
        params,
        prop::option::of(0..1000_u32),
    )
        .prop_map(|(task, name, (description, timeout, run_timeout), schedule, input, params, retries)| {
            let param = |default| ParamSpec { default: Some(default), ..ParamSpec::default() };
            JobSpec {
                name,
                description,
                timeout,
                run_timeout,
                schedule,
                input,
                retries,
                params: params.into_iter().map(|(name, default)| (name, param(default))).collect(),
                ..task
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_exported_reads_back_as_the_same(jobs in prop::collection::btree_map(name(), job(), 1..3)) {
        let jobs = jobs.into_iter().map(|(name, job)| JobSpec { name, namespace: Some("n".into()), ..job }).collect();
        let bundle = Bundle { jobs, ..Bundle::default() };
        for format in [Format::Json, Format::Yaml, Format::Toml] {
            let text = write_text(&bundle, format).unwrap();
            let file = JobFile { name: None, format, text: text.as_bytes() };
            match read_job_files(&[file], None) {
                Ok(files) => prop_assert_eq!(files.into_bundle(), bundle.clone(), "{:?}:\n{}", format, text),
                Err(problems) => prop_assert!(false, "{:?}: {:?}\n{}", format, problems, text),
            }
        }
    }
}
