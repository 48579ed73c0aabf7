//! Job files: what is read, and what is refused, at which line and with which advice.

use mainspring_api::{ErrorCode, Format, JobFile, JobFiles, Problem, read_job_files};

fn read(text: &str, format: Format) -> Result<JobFiles, Vec<Problem>> {
    read_job_files(&[JobFile { name: Some("jobs"), format, text: text.as_bytes() }], None)
}

fn names(files: &JobFiles) -> Vec<String> {
    let name = |job: &mainspring_api::JobSpec| format!("{}/{}", job.namespace.as_deref().unwrap_or("-"), job.name);
    files.bundle().jobs.iter().map(name).collect()
}

#[test]
fn a_document_holds_one_job_or_a_list_or_a_bundle() {
    use Format::{Json, Toml, Yaml};
    let cases: &[(Format, &str, &[&str])] = &[
        (Yaml, "name: a\nrun: date\n", &["-/a"]),
        (Yaml, "name: a\nrun: date\n---\nname: b\nnoop: true\n", &["-/a", "-/b"]),
        (Yaml, "- {name: a, run: date}\n- {name: b, namespace: n, exec: [date, -u]}\n", &["-/a", "n/b"]),
        (
            Yaml,
            "namespace: n\njobs:\n  - {name: a, run: date}\n  - {name: b, handler: h, namespace: m}\n",
            &["n/a", "m/b"],
        ),
        (Yaml, "", &[]),
        (Yaml, "# nothing yet\n", &[]),
        (Yaml, "calendars: []\n", &[]),
        (Toml, "name = 'a'\nrun = 'date'\n", &["-/a"]),
        (
            Toml,
            "namespace = 'n'\n[[jobs]]\nname = 'a'\nrun = 'date'\n[[jobs]]\nname = 'b'\nnoop = true\n",
            &["n/a", "n/b"],
        ),
        (Json, r#"[{"name": "a", "noop": true}]"#, &["-/a"]),
    ];
    for (format, text, expected) in cases {
        assert_eq!(names(&read(text, *format).unwrap()), *expected, "{text}");
    }
}

#[test]
fn the_namespace_of_the_command_stands_where_the_file_names_none() {
    let file = |text| JobFile { name: None, format: Format::Yaml, text };
    let files = [file(b"name: a\nnoop: true".as_slice()), file(b"{namespace: n, jobs: [{name: a, noop: true}]}")];
    assert_eq!(names(&read_job_files(&files, Some("prod")).unwrap()), ["prod/a", "n/a"]);
}

#[test]
fn the_full_form_means_what_the_short_form_means() {
    let short = "{name: a, noop: true, schedule: '@daily', timezone: UTC}";
    let full = "{name: a, noop: true, triggers: [{name: cron, cron: '@daily', timezone: UTC}]}";
    let triggers = |text| {
        let triggers = read(text, Format::Yaml).unwrap().bundle().jobs[0].triggers_in_order();
        triggers.into_iter().map(|(_, trigger)| trigger).collect::<Vec<_>>()
    };
    assert_eq!(triggers(short), triggers(full));
}

#[test]
fn a_problem_of_the_server_is_found_in_the_file() {
    let one = JobFile { name: Some("one"), format: Format::Yaml, text: b"name: a\nnoop: true\n" };
    let two = JobFile {
        name: Some("two"),
        format: Format::Yaml,
        text: b"jobs:\n- {name: x, noop: true}\n- name: b\n  noop: true\n  schedule:\n    - '0 0 31 2 *'\n",
    };
    let files = read_job_files(&[one, two], None).unwrap();
    let problem = Problem::new(ErrorCode::ScheduleNever, "cron \"0 0 31 2 *\" never fires").at("/jobs/2/schedule/0");
    assert_eq!(
        files.locate(problem).to_string(),
        "error[schedule.never]: cron \"0 0 31 2 *\" never fires   --> two:6:7"
    );
    assert_eq!(files.position("/jobs/0").unwrap().to_string(), "one:1:1");
    assert_eq!(files.position("/jobs/7"), None);
}

/// Each case: YAML of one file, and the problems it shows.
#[test]
fn every_problem_is_shown_with_its_line_and_advice() {
    let cases: &[(&str, &[&str])] = &[
        (
            "name: a\n",
            &["error[job.no_task]: job \"a\" needs one of run, exec, script, http, handler, xxl, noop   --> jobs:1:1"],
        ),
        (
            "name: a\nrun: date\nexec: [date]\n",
            &[
                "error[job.two_tasks]: job \"a\" has run and exec   --> jobs:3:7\n  hint: keep one of them, or make a job of each",
            ],
        ),
        (
            "name: a b\nnoop: true\n",
            &[
                "error[name.invalid]: name \"a b\" is not allowed   --> jobs:1:7\n  hint: names have letters, digits, '.', '_' and '-', and begin with a letter or digit",
            ],
        ),
        (
            "run: date\nretires: 3\nTimeout: 5s\n",
            &[
                "error[field.missing]: key \"name\" is missing   --> jobs:1:1",
                "error[field.unknown]: unknown key \"retires\"   --> jobs:2:1\n  hint: did you mean \"retries\"?",
                "error[field.unknown]: unknown key \"Timeout\"   --> jobs:3:1\n  hint: did you mean \"timeout\"?",
            ],
        ),
        (
            "name: 7\nrun: [date]\nretries: -1\nmax_active: 0\npriority: 5000000000\npaused: yes\n",
            &[
                "error[field.type]: \"name\" must be text, not 7   --> jobs:1:7\n  hint: write it in quotes: \"7\"",
                "error[field.type]: \"run\" must be text, not a list   --> jobs:2:6",
                "error[field.value]: \"retries\" is -1, not within 0 to 1000   --> jobs:3:10",
                "error[field.value]: \"max_active\" is 0, not within 1 to 4294967295   --> jobs:4:13",
                "error[field.value]: \"priority\" is 5000000000, not within -2147483648 to 2147483647   --> jobs:5:11",
                "error[field.type]: \"paused\" must be true or false, not the text \"yes\"   --> jobs:6:9",
            ],
        ),
        (
            "name: a\nenv: {PORT: 8080, MS_X: a}\nrun: date\n",
            &[
                "error[field.type]: \"PORT\" must be text, not 8080   --> jobs:2:13\n  hint: write it in quotes: \"8080\"",
                "error[field.value]: variable \"MS_X\" is set by mainspring   --> jobs:2:25",
            ],
        ),
        (
            "name: a\noverlap: skp\nrun: date\n",
            &[
                "error[field.value]: \"overlap\" is \"skp\", not one of allow, skip, hold, queue_one, queue_all, cancel_running   --> jobs:2:10\n  hint: did you mean \"skip\"?",
            ],
        ),
        (
            "name: a\nworkflow: b\nnotify: [x]\nneeds: b\n",
            &[
                "error[field.later]: \"workflow\" cannot be used: that is not in this version   --> jobs:2:1",
                "error[field.later]: \"notify\" cannot be used: alerts are not in this version   --> jobs:3:1",
                "error[field.unknown]: unknown key \"needs\"   --> jobs:4:1\n  hint: write it in a task of `tasks: {…}`",
            ],
        ),
        (
            "name: a\ncommand: date\ncron: '@daily'\n",
            &[
                "error[field.unknown]: unknown key \"command\"   --> jobs:2:1\n  hint: write `run: …`",
                "error[field.unknown]: unknown key \"cron\"   --> jobs:3:1\n  hint: write `schedule: …`",
            ],
        ),
        (
            "name: a\nnoop: true\nschedule:\n  - cron: '@daily'\n    every: 1h\n  - {timezone: UTC}\n  - {at: x, repeat_count: 3}\n",
            &[
                "error[trigger.two_kinds]: a trigger has cron and every   --> jobs:5:12\n  hint: make a list with a trigger of each",
                "error[trigger.no_kind]: a trigger needs one of cron, every, at, calendar_interval, daily_window, delay, after   --> jobs:6:5",
                "error[field.value]: \"repeat_count\" has no effect with at   --> jobs:7:27\n  hint: it counts for every and daily_window",
            ],
        ),
        (
            "name: a\nnoop: true\nschedule: 5\n",
            &[
                "error[field.type]: \"schedule\" must be a list or text or a mapping, not 5   --> jobs:3:11\n  hint: write it in quotes: \"5\"",
            ],
        ),
        (
            "name: a\nnoop: true\nschedule: '@daily'\ntriggers: [{name: t, every: 1h}, {every: 2h}, {name: t, every: 3h}]\n",
            &[
                "error[job.two_schedules]: job \"a\" has both schedule and triggers   --> jobs:4:11\n  hint: move what schedule says into triggers",
                "error[field.missing]: key \"name\" is missing: entries of triggers have names   --> jobs:4:34",
                "error[name.duplicate]: trigger \"t\" is defined twice in job \"a\"   --> jobs:4:54",
            ],
        ),
        (
            "name: a\nnoop: true\nschedule: {every: 1h, misfire: do_nothing}\n",
            &[
                "error[schedule.misfire]: misfire policy do_nothing does not fit a trigger of kind every   --> jobs:3:32\n  hint: one of smart, ignore, fire_now, now_with_existing_count, now_with_remaining_count, next_with_remaining_count, next_with_existing_count fits",
            ],
        ),
        (
            "name: a\nmax_active: 2\nnoop: true\nenv: {A: b}\n",
            &[
                "error[field.value]: \"max_active\" has no effect with overlap allow   --> jobs:2:13\n  hint: add overlap: skip, hold, queue_one, queue_all or cancel_running; or remove max_active",
                "error[field.value]: \"env\" has an effect with run, exec and script only   --> jobs:4:6",
            ],
        ),
        (
            "name: a\nrun: date\nretry_max_delay: 1m\nretry_on: [0, 75, 5xx, lost]\n",
            &[
                "error[field.value]: \"retry_max_delay\" has no effect where the pause does not grow   --> jobs:3:18\n  hint: add retry_backoff: exponential; or remove it",
                "error[field.value]: 0 is no failure of this task: an exit code (1 to 255), timed_out or error   --> jobs:4:12",
                "error[field.value]: \"5xx\" is no failure of this task: an exit code (1 to 255), timed_out or error   --> jobs:4:19",
                "error[field.value]: lost attempts are not for retry_on   --> jobs:4:24\n  hint: write on_lost: retry; it holds whatever retry_on says",
            ],
        ),
        (
            "name: a\nhttp: {url: 'http://x'}\nretry_on: [99, 7xx, 5xx, 429, error]\n",
            &[
                "error[field.value]: 99 is no failure of this task: a status (100 to 599), a class (\"1xx\" to \"5xx\"), timed_out or error   --> jobs:3:12",
                "error[field.value]: \"7xx\" is no failure of this task: a status (100 to 599), a class (\"1xx\" to \"5xx\"), timed_out or error   --> jobs:3:16",
            ],
        ),
        (
            "name: a\nhttp: {url: 'ftp://x', method: 'G T', expect: [200, '9xx'], headers: {'a b': c}}\n",
            &[
                "error[field.value]: \"ftp://x\" is not an http:// or https:// address   --> jobs:2:13",
                "error[field.value]: \"G T\" is not an HTTP method   --> jobs:2:32",
                "error[field.value]: \"9xx\" is neither a status (100 to 599) nor a class (\"1xx\" to \"5xx\")   --> jobs:2:53",
                "error[field.value]: header \"a b\" is not allowed   --> jobs:2:78",
            ],
        ),
        (
            "name: a\nrun: x\ninput: 5\nparams: {'1a': {}, b: {type: integer, default: x, enum: [1, y]}}\n",
            &[
                "error[field.value]: \"params\" are members of \"input\", so it must be a mapping   --> jobs:3:8",
                "error[field.value]: \"1a\" cannot name a parameter   --> jobs:4:16\n  hint: write letters, digits and '_', not beginning with a digit",
                "error[field.value]: the default is not a value that the parameter takes   --> jobs:4:48",
                "error[field.value]: \"y\" is not of the parameter's type   --> jobs:4:61",
            ],
        ),
        (
            "calendars:\n- {name: c}\n- {name: d, weekly: sat, monthly: [32], base: d}\n- {name: e, weekly: saturday}\n",
            &[
                "error[calendar.no_kind]: calendar \"c\" needs one of annual, cron, daily, holiday, monthly, weekly   --> jobs:2:3",
                "error[calendar.two_kinds]: calendar \"d\" has monthly and weekly   --> jobs:3:21\n  hint: make a second calendar and name it as base",
                "error[field.value]: \"monthly\" has 32, not within 1 to 31   --> jobs:3:36",
                "error[calendar.cycle]: calendar \"d\" is its own base   --> jobs:3:47",
                "error[field.value]: \"weekly\" is \"saturday\", not one of mon, tue, wed, thu, fri, sat, sun   --> jobs:4:21",
            ],
        ),
        (
            "- {name: a, noop: true}\n- 5\n- {name: a, noop: true}\n",
            &[
                "error[field.type]: item 1 of the list must be a mapping, not 5   --> jobs:2:3",
                "error[name.duplicate]: job \"a\" is defined twice   --> jobs:3:10",
            ],
        ),
        (
            "just text\n",
            &["error[field.type]: the document must be a mapping, not the text \"just text\"   --> jobs:1:1"],
        ),
        ("jobs: 5\nnamespace: a/b\n", &["error[field.type]: \"jobs\" must be a list, not 5   --> jobs:1:7"]),
    ];
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let shown: Vec<_> =
            read(text, Format::Yaml).err().unwrap_or_default().iter().map(ToString::to_string).collect();
        if shown != *expected {
            wrong.push(format!("{text}\n  {}", shown.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn problems_of_all_files_and_documents_are_reported_in_order() {
    let files = [
        JobFile {
            name: Some("z.yaml"),
            format: Format::Yaml,
            text: b"name: a\nnoop: true\n---\nname: b\n---\nname: c d\nnoop: true\n",
        },
        JobFile { name: Some("b.toml"), format: Format::Toml, text: b"name = \n" },
        JobFile { name: Some("a.json"), format: Format::Json, text: b"{\"name\": \"a\", \"noop\": true}" },
    ];
    let problems = read_job_files(&files, None).unwrap_err();
    let shown: Vec<_> = problems.iter().map(|p| format!("{} {}", p.code, p.position.as_ref().unwrap())).collect();
    assert_eq!(
        shown,
        [
            "job.no_task z.yaml:4:1",
            "name.invalid z.yaml:6:7",
            "document.syntax b.toml:1:8",
            "name.duplicate a.json:1:10"
        ]
    );
}

#[test]
fn the_same_name_in_two_namespaces_is_no_duplicate() {
    let text = "- {name: a, noop: true}\n- {name: a, noop: true, namespace: n}\n";
    assert_eq!(names(&read(text, Format::Yaml).unwrap()), ["-/a", "n/a"]);
}

#[test]
fn a_flood_of_problems_is_cut() {
    let numbers = format!("[{}]", vec!["1"; 90_000].join(","));
    assert_eq!(read(&numbers, Format::Json).unwrap_err().len(), 1_000);
}

#[test]
fn an_item_with_a_problem_leaves_its_neighbours_alone() {
    let jobs: Vec<_> = (0..12)
        .map(|index| if index == 1 { "{\"name\": 5}".to_owned() } else { "{\"name\": \"x\"}".to_owned() })
        .collect();
    let problems = read(&format!("[{}]", jobs.join(",\n")), Format::Json).unwrap_err();
    let count = |code: &str| problems.iter().filter(|problem| problem.code == code).count();
    assert_eq!((count("field.type"), count("job.no_task"), count("name.duplicate")), (1, 11, 10));
}

#[test]
fn input_of_a_trigger_is_checked_against_the_parameters() {
    let job = |input: serde_json::Value| {
        let spec = serde_json::json!({
            "name": "a", "run": "report", "params": {"region": {"enum": ["eu", "us"], "required": true}},
            "triggers": [{"name": "t", "cron": "@daily", "input": input}],
        });
        serde_json::from_value::<mainspring_api::JobSpec>(spec).expect("a job")
    };
    let cases = [
        (serde_json::json!({"region": "eu"}), vec![]),
        (serde_json::json!({"region": "asia"}), vec![("param.value", "/triggers/0/input/region")]),
        (
            serde_json::json!({"regoin": "eu"}),
            vec![("field.value", "/params/region/required"), ("param.unknown", "/triggers/0/input/regoin")],
        ),
        (serde_json::json!(7), vec![("field.value", "/params/region/required"), ("field.type", "/triggers/0/input")]),
    ];
    for (input, expected) in cases {
        let problems = mainspring_api::check_job(&job(input.clone()));
        let found: Vec<_> = problems.iter().map(|it| (it.code.as_str(), it.pointer.as_str())).collect();
        assert_eq!(found, expected, "{input}");
    }
}
