//! `mainspring check`: each class of error with its place, and exit code 9.

use crate::program::Program;

#[test]
fn good_files_in_all_spellings_are_counted() {
    let program = Program::new();
    program.file("jobs/a.yaml", "name: a\nschedule: ['@daily', {every: 10m}]\nrun: date\n");
    program.file("jobs/b.toml", "name = 'b'\nnoop = true\n");
    program.file("jobs/deep/c.json", "{\"name\": \"c\", \"exec\": [\"true\"]}");

    let ended = program.run(&["check", "jobs"]);
    assert_eq!(ended.stdout, "ok: 3 jobs, 2 triggers, 0 calendars\n");
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    assert_eq!(program.run(&["check", "jobs", "-o", "name"]).stdout, "a\nb\nc\n");
    let json = program.run(&["check", "jobs", "-o", "json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["jobs"], 3);
}

#[test]
fn the_examples_of_the_repository_are_valid() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let ended = Program::new().run(&["check", examples]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

#[test]
fn each_class_of_error_names_its_place_and_exits_9() {
    let deep = "a: ".to_owned() + &"[".repeat(40) + &"]".repeat(40);
    let large = "# ".to_owned() + &"x".repeat((1 << 20) + 1);
    let cases: &[(&str, &[u8], &str, &str)] = &[
        ("syntax.yaml", b"name: a\nrun: [date\n", "document.syntax", "syntax.yaml:"),
        ("syntax.toml", b"name = \n", "document.syntax", "syntax.toml:1:"),
        ("syntax.json", b"{\"name\": }", "document.syntax", "syntax.json:1:10"),
        ("latin.yaml", b"name: a\nrun: \xe9\n", "document.encoding", "latin.yaml:2:6"),
        ("unknown.yaml", b"name: a\nrnu: date\n", "field.unknown", "unknown.yaml:2:1"),
        ("type.yaml", b"name: a\nnoop: true\nretries: many\n", "field.type", "type.yaml:3:10"),
        ("twice.yaml", b"name: a\nnoop: true\nname: b\n", "document.duplicate_key", "twice.yaml:3:1"),
        ("name.yaml", b"name: a/b\nnoop: true\n", "name.invalid", "name.yaml:1:7"),
        ("task.yaml", b"name: a\n", "job.no_task", "task.yaml:1:1"),
        ("deep.yaml", deep.as_bytes(), "document.too_deep", "deep.yaml:"),
        ("large.yaml", large.as_bytes(), "document.too_large", "large.yaml:1:1"),
    ];
    let program = Program::new();
    for (name, content, code, place) in cases {
        program.file(name, content);
        let ended = program.run(&["check", name]);
        assert_eq!(ended.code, 9, "{name}: {ended:?}");
        assert!(ended.stderr.contains(&format!("error[{code}]: ")), "{name}: {}", ended.stderr);
        assert!(ended.stderr.contains(place), "{name}: {}", ended.stderr);
        assert_eq!(ended.stdout, "", "{name}");
    }
}

#[test]
fn schedules_are_read_as_the_server_reads_them() {
    let cases = [
        ("schedule: 0 0 31 2 *", "schedule.never", "x.yaml:3:11", "none of its months has day 31"),
        ("schedule: 61 * * * *", "schedule.cron", "x.yaml:3:11", "61"),
        ("schedule: {every: soon}", "schedule.duration", "x.yaml:3:19", "soon"),
        ("schedule: {at: 2001-01-01 25:00}", "schedule.instant", "x.yaml:3:16", "25:00"),
        ("timezone: Europe/Berln", "schedule.zone", "x.yaml:3:11", "Europe/Berlin"),
        ("timeout: a while", "schedule.duration", "x.yaml:3:10", "a while"),
        ("schedule: {cron: '@daily', misfire: fire_now}", "schedule.misfire", "x.yaml:3:37", "fire_once_now"),
    ];
    let program = Program::new();
    for (line, code, place, words) in cases {
        let zoned = if line.starts_with("timezone") { "\nschedule: '@daily'" } else { "" };
        program.file("x.yaml", format!("name: a\nnoop: true\n{line}{zoned}\n"));
        let ended = program.run(&["check", "x.yaml"]);
        assert_eq!(ended.code, 9, "{line}: {ended:?}");
        for part in [format!("error[{code}]: "), place.to_owned(), words.to_owned()] {
            assert!(ended.stderr.contains(&part), "{line} lacks {part}: {}", ended.stderr);
        }
    }
    program.file("x.yaml", "name: a\nnoop: true\nschedule: {cron: '@daily', calendar: on-the-server}\n");
    assert_eq!(program.run(&["check", "x.yaml"]).code, 0);
}

#[test]
fn all_errors_of_all_files_are_shown_at_once() {
    let program = Program::new();
    program.file("a.yaml", "name: a\nrnu: date\nretries: many\n");
    program.file("b.yaml", "name: b\nnoop: true\ntimout: 1h\n");
    let ended = program.run(&["check", "a.yaml", "b.yaml"]);
    let first_lines: Vec<&str> = ended.stderr.lines().filter(|line| line.starts_with("error[")).collect();
    assert_eq!(first_lines.len(), 3, "{}", ended.stderr);
    assert!(ended.stderr.contains("hint: did you mean \"timeout\"?"));
}

/// Codes and places of what was said, in order.
fn said(stderr: &str) -> Vec<String> {
    let errors = stderr.lines().filter_map(|line| line.strip_prefix("error["));
    errors.map(|line| format!("{} {}", line.split(']').next().unwrap(), line.rsplit(' ').next().unwrap())).collect()
}

#[test]
fn no_error_hides_another() {
    let program = Program::new();
    program.file(
        "a.yaml",
        "namespace: default
jobs:
- name: a/b
  timezone: Mars/Base
  timeout: a while
  retries: many
  schedule:
  - 61 * * * *
  - 5
  - {every: soon, jitter: wide, timezone: Pluto/Base}
  - {daily_window: {every: 1m, from: 25:00, to: 9pm}}
  - {evry: 1m}
  http: {url: nowhere, method: a b, headers: {'x y': z}, expect: [99, 7xx], timeout: later}
- name: c
  overlap: skp
  max_active: 2
  noop: true
  schedule: 0 0 31 2 *
",
    );
    let ended = program.run(&["check", "a.yaml"]);
    assert_eq!(ended.code, 9);
    let expected = [
        "name.invalid a.yaml:3:9",
        "schedule.zone a.yaml:4:13",
        "schedule.duration a.yaml:5:12",
        "field.type a.yaml:6:12",
        "schedule.cron a.yaml:8:5",
        "field.type a.yaml:9:5",
        "schedule.duration a.yaml:10:13",
        "schedule.duration a.yaml:10:27",
        "schedule.zone a.yaml:10:43",
        "schedule.instant a.yaml:11:38",
        "schedule.instant a.yaml:11:49",
        "field.unknown a.yaml:12:6",
        "field.value a.yaml:13:15",
        "field.value a.yaml:13:32",
        "field.value a.yaml:13:54",
        "field.value a.yaml:13:67",
        "field.value a.yaml:13:71",
        "schedule.duration a.yaml:13:86",
        "field.value a.yaml:15:12",
        "schedule.never a.yaml:18:13",
    ];
    assert_eq!(said(&ended.stderr), expected, "{}", ended.stderr);
}

#[test]
fn every_bad_trigger_is_told_and_a_hundred_errors_are_enough() {
    let program = Program::new();
    let triggers = |count: usize| "- 61 * * * *\n".repeat(count);
    for (count, told) in [(8, 8), (130, 100)] {
        program.file("x.yaml", format!("name: a\nnoop: true\nschedule:\n{}", triggers(count)));
        let ended = program.run(&["check", "x.yaml"]);
        assert_eq!(said(&ended.stderr).len(), told, "{}", ended.stderr);
        assert_eq!(ended.stderr.ends_with("and 30 more\n"), told < count, "{}", ended.stderr);
    }
}

#[test]
fn problems_are_a_document_in_the_forms_for_programs() {
    let program = Program::new();
    program.file("x.yaml", "name: a\nrnu: date\n");
    let ended = program.run(&["check", "x.yaml", "-o", "json"]);
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(ended.code, 9);
    let expected = serde_json::json!({
        "valid": false, "jobs": 1, "triggers": 0, "calendars": 0,
        "problems": [{
            "code": "field.unknown", "message": "unknown key \"rnu\"", "pointer": "/rnu",
            "position": {"file": "x.yaml", "line": 2, "column": 1}, "hint": "did you mean \"run\"?",
        }],
        "problems_omitted": 0, "warnings": [],
    });
    assert_eq!(json, expected);
    let line = program.run(&["check", "x.yaml", "-o", "jsonl"]);
    assert_eq!((line.code, line.stdout.lines().count()), (9, 1));
    assert_eq!(serde_json::from_str::<serde_json::Value>(&line.stdout).unwrap(), expected);
    assert!(program.run(&["check", "x.yaml", "-o", "yaml"]).stdout.contains("code: field.unknown"));
    assert_eq!(program.run(&["check", "x.yaml", "-o", "name"]).stdout, "");
}

#[test]
fn what_is_probably_not_meant_is_a_warning() {
    let program = Program::new();
    program.file("a.yaml", "name: a\nnoop: true\nschedule: {at: 2001-01-01 12:00}\n");
    program.file("empty.yaml", "# later\n");
    let ended = program.run(&["check", "a.yaml", "empty.yaml"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "ok: 1 job, 1 trigger, 0 calendars\n"));
    assert!(ended.stderr.starts_with("warning[document.empty]: there is nothing in it   --> empty.yaml:1:1\n"));
    assert!(ended.stderr.contains("warning[schedule.past]: "), "{}", ended.stderr);
    assert!(ended.stderr.contains("--> a.yaml:3:16"), "{}", ended.stderr);
    let json = program.run(&["check", "a.yaml", "-o", "json", "--quiet"]);
    let document: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(document["warnings"][0]["code"], "schedule.past");
    assert_eq!((json.code, json.stderr.as_str()), (0, ""));
}

#[test]
fn a_name_used_in_two_files_is_found() {
    let program = Program::new();
    program.file("a.yaml", "name: same\nnoop: true\n");
    program.file("b.yaml", "name: same\nnoop: true\n");
    let ended = program.run(&["check", "a.yaml", "b.yaml"]);
    assert_eq!(ended.code, 9);
    assert!(ended.stderr.contains("error[name.duplicate]"), "{}", ended.stderr);
}

#[test]
fn standard_input_and_missing_files_are_told() {
    let program = Program::new();
    let ended = program.run_with_input(&["check", "-"], "name: a\nrnu: x\n");
    assert!(ended.stderr.contains(":2:1"), "{}", ended.stderr);
    let missing = program.run(&["check", "none.yaml"]);
    assert_eq!(missing.code, 3);
    assert!(missing.stderr.contains("none.yaml"), "{}", missing.stderr);
    let ending = program.file("notes.txt", "");
    assert_eq!(program.run(&["check", &ending]).code, 2);
}

#[test]
fn an_alias_bomb_is_refused_quickly() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb += &format!("a{level}: &a{level} [{aliases}]\n");
    }
    let program = Program::new();
    program.file("bomb.yaml", bomb);
    let ended = program.run(&["check", "bomb.yaml"]);
    assert_eq!(ended.code, 9, "{}", ended.stderr);
    assert!(ended.stderr.contains("error[document.too_many_nodes]"), "{}", ended.stderr);
}

#[test]
fn a_workflow_is_measured_and_drawn() {
    let program = Program::new();
    let diamond = "name: etl\ntasks:\n  load: {run: ./load}\n  left: {noop: true, needs: load}\n  right: {noop: true, needs: load}\n  join: {noop: true, needs: [left, right]}\n";
    program.file("etl.yaml", diamond);
    let ended = program.run(&["check", "etl.yaml"]);
    let figures = "etl: 4 tasks, 4 edges, 3 waves, longest path 3 (load → left → join)";
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains(figures), "{}", ended.stdout);
    assert_eq!(ended.stderr, "");
    let json: serde_json::Value =
        serde_json::from_str(&program.run(&["check", "etl.yaml", "-o", "json"]).stdout).unwrap();
    assert_eq!(json["workflows"][0]["longest_path"], serde_json::json!(["load", "left", "join"]));

    let drawn = program.run(&["workflow", "graph", "-f", "etl.yaml"]);
    assert_eq!(drawn.stdout.lines().last(), Some("wave 3  join   needs left, right"));
    let other = program.run(&["workflow", "graph", "elt", "-f", "etl.yaml"]);
    assert!(
        other.code != 0 && other.stderr.contains("error[cli.workflow]: the files hold no workflow \"elt\""),
        "{other:?}"
    );
    program.file("round.yaml", "name: a\ntasks:\n  b: {noop: true, needs: c}\n  c: {noop: true, needs: b}\n");
    let refused = program.run(&["workflow", "graph", "-f", "round.yaml"]);
    assert_eq!(refused.code, 9);
    assert!(refused.stderr.contains("b → c → b (b needs c, line 3; c needs b, line 4)"), "{}", refused.stderr);
}

#[test]
fn calls_that_can_never_be_sent_are_refused_where_they_are_written() {
    let cases = [
        ("url: 'https://me:secret@example.com/'", "the address holds a user name or password"),
        ("url: 'https://example.com:0/'", "port 0 cannot be reached"),
        ("url: https://a.example, headers: {Content-Length: '5'}", "`Content-Length` is set by the client itself"),
        ("url: https://a.example, headers: {transfer-encoding: chunked}", "is set by the client itself"),
        ("url: https://a.example, headers: {Connection: close}", "is set by the client itself"),
        ("url: https://a.example, method: CONNECT", "no method for a call"),
    ];
    for (call, message) in cases {
        for text in [format!("name: a\nhttp: {{{call}}}\n"), format!("name: w\ntasks:\n  t:\n    http: {{{call}}}\n")] {
            let program = Program::new();
            program.file("a.yaml", &text);
            let ended = program.run(&["check", "a.yaml"]);
            assert_eq!(ended.code, 9, "{text}");
            assert!(ended.stderr.contains(message) && ended.stderr.contains("a.yaml:"), "{text}: {}", ended.stderr);
            assert!(!ended.stderr.contains("secret"), "{}", ended.stderr);
        }
    }
    // What is made when a task runs is read then, and a host may be named apart from the address.
    let program = Program::new();
    let made = "name: w\nparams: {host: {default: a.example}}\ntasks:\n  t:\n    http: {url: 'https://${{ params.host }}/', headers: {Host: b.example, X: '${{ run.id }}'}}\n";
    program.file("a.yaml", made);
    let ended = program.run(&["check", "a.yaml"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}
