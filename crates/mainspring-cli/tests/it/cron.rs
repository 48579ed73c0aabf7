//! `mainspring cron …`, offline.

use crate::program::Program;

#[test]
fn next_lists_fire_times_in_the_zone() {
    // The clocks of Berlin go forward on 29 March 2026: 02:30 does not exist there.
    let arguments = [
        "cron",
        "next",
        "30 2 * * *",
        "--tz",
        "Europe/Berlin",
        "--count",
        "3",
        "--after",
        "2026-03-28",
        "--time",
        "iso",
    ];
    let ended = Program::new().run(&arguments);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let shown: Vec<&str> = ended.stdout.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(
        shown,
        ["2026-03-28T02:30:00.000+01:00", "2026-03-29T03:00:00.000+02:00", "2026-03-30T02:30:00.000+02:00"]
    );
}

#[test]
fn next_speaks_json_lines_for_scripts() {
    let arguments = ["cron", "next", "0 0 12 L * ?", "--count", "2", "--after", "2026-01-01", "-o", "jsonl"];
    let ended = Program::new().run(&arguments);
    let fires: Vec<serde_json::Value> = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(fires[0]["at"], "2026-01-31T12:00:00.000Z");
    assert_eq!(fires[1]["at"], "2026-02-28T12:00:00.000Z");
}

#[test]
fn the_dialect_can_be_said() {
    let weekday = |dialect: &str| {
        let arguments = ["cron", "next", "0 0 ? * 1", "--dialect", dialect];
        Program::new().run(&arguments).code
    };
    assert_eq!((weekday("unix"), weekday("quartz")), (9, 9), "five fields with ? fit neither");
    let sunday = ["cron", "next", "0 0 * * 0", "--count", "1", "--after", "2026-01-01", "-o", "name"];
    assert_eq!(Program::new().run(&sunday).stdout, "2026-01-04T00:00:00.000Z\n");
}

#[test]
fn a_wrong_expression_is_marked() {
    let cases = [
        ("0 0 25 * * ?", "cron.out_of_range", "    0 0 25 * * ?\n        ^^\n"),
        ("* * *", "cron.field_count", "    * * *\n"),
        ("", "cron.field_count", "expected"),
        ("0 0 31 2 *", "schedule.never", "never fires: "),
    ];
    let program = Program::new();
    for (expression, code, part) in cases {
        let ended = program.run(&["cron", "next", expression]);
        assert_eq!(ended.code, 9, "{expression}: {ended:?}");
        assert!(ended.stderr.starts_with(&format!("error[{code}]: ")), "{expression}: {}", ended.stderr);
        assert!(ended.stderr.contains(part), "{expression}: {}", ended.stderr);
    }
}

#[test]
fn a_start_in_a_clock_change_names_both_neighbours() {
    let arguments = ["cron", "next", "@daily", "--after", "2025-03-30 02:30 Europe/Berlin"];
    let ended = Program::new().run(&arguments);
    assert_eq!(ended.code, 9);
    assert!(ended.stderr.contains("say 2025-03-30T01:30:00+01:00 or 2025-03-30T03:30:00+02:00"), "{}", ended.stderr);
}

#[test]
fn explain_names_the_dialect_in_both_languages() {
    let program = Program::new();
    let explain = |arguments: &[&str]| {
        let all = [&["cron", "explain"], arguments].concat();
        program.run(&all).stdout
    };
    assert_eq!(explain(&["0 9 13 * 5"]), "At 09:00 on day 13 of the month or on Friday (Unix dialect)\n");
    let quartz = explain(&["0 30 2 ? * 6L 2024-2030", "--lang", "zh"]);
    assert_eq!(quartz, "2024–2030 年，每月最后一个星期五 02:30（Quartz 语法）\n");
    let json: serde_json::Value = serde_json::from_str(&explain(&["@daily", "-o", "json"])).unwrap();
    assert_eq!(json["dialect"], "unix");
}

#[test]
fn lint_marks_traps_and_exits_9() {
    let program = Program::new();
    let lint = |arguments: &[&str]| {
        let all = [&["cron", "lint"], arguments].concat();
        program.run(&all)
    };
    let fine = lint(&["0 12 * * *", "--tz", "Europe/Berlin"]);
    assert_eq!((fine.code, fine.stdout.as_str()), (0, ""), "{fine:?}");

    let gap = lint(&["0 30 2 * * ?", "--tz", "Europe/Berlin"]);
    assert_eq!(gap.code, 9, "{gap:?}");
    assert!(gap.stdout.starts_with("warning[lint.gap_hour]: "), "{}", gap.stdout);
    assert!(gap.stdout.contains("    0 30 2 * * ?\n      ^^^^\n"), "{}", gap.stdout);
    let codes = lint(&["0 30 2 * * ?", "--tz", "Europe/Berlin", "-o", "name"]);
    assert!(codes.stdout.starts_with("lint.gap_hour\n"), "{}", codes.stdout);

    assert_eq!(lint(&["0 0 31 2 *", "-o", "name"]).stdout, "lint.never_fires\n");
    assert_eq!(lint(&["61 * * * *"]).code, 9);
}
