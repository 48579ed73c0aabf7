//! Workflows between job file and graph: what is refused, where, and what is warned of.

use mainspring_api::{Format, JobFile, JobSpec, Problem, survey_job_files};
use mainspring_core::Timestamp;
use mainspring_server::convert::{self, Compiled, Known, Surroundings};
use serde_json::json;

/// Reads a file as `check` does.
pub(crate) fn check(text: &str) -> Result<Compiled, Vec<Problem>> {
    let file = JobFile { name: Some("w.yaml"), format: Format::Yaml, text: text.as_bytes() };
    let (files, problems) = survey_job_files(&[file], None);
    let line = |pointer: &str| files.position(pointer).map(|position| position.line);
    let read = convert::bundle(files.bundle(), &around(&line));
    match read {
        Ok(compiled) if problems.is_empty() => Ok(compiled),
        read => Err(files.with_further(problems, read.err().unwrap_or_default())),
    }
}

fn around(line: &dyn Fn(&str) -> Option<u32>) -> Surroundings<'_> {
    let now = Timestamp::from_millis(1_767_225_600_000);
    Surroundings { namespace: "default", timezone: "UTC", now, calendars: &|_, _| Known::Unknown, line }
}

pub(crate) fn shown(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_workflow_is_read_with_its_rules() {
    let compiled = check(
        "name: w\nfail_fast: cancel\ntasks:\n  a: {noop: true}\n  b: {noop: true, needs: a, trigger_rule: all_done, if: '${{ needs.a.state == \"failed\" }}'}\n  c: {noop: true, finally: true}\n",
    )
    .unwrap();
    let workflow = compiled.jobs[0].workflow().unwrap();
    let names: Vec<&str> = workflow.tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!((compiled.jobs[0].key.name.as_str(), names.join(" ").as_str()), ("w", "a b c"));
    let shape = workflow.shape().unwrap();
    assert_eq!(shape.graph().parents(1), [0]);
    assert!(shape.rule(1).conditional && shape.rule(2).finally);
    assert_eq!(shape.rule(1).trigger_rule.as_str(), "all_done");
    assert_eq!(workflow.tasks[1].job.key.to_string(), "default/w");
    assert_eq!(shown(&compiled.warnings), Vec::<String>::new());
}

#[test]
fn every_problem_is_shown_with_its_line_and_advice() {
    let cases: &[(&str, &[&str])] = &[
        (
            "  check: {noop: true, needs: [load]}\n  fix: {noop: true, needs: [check]}\n  load:\n    noop: true\n    needs:\n      - fix\n",
            &[
                "error[workflow.cycle]: dependency cycle: check → fix → load → check (check needs load, line 3; load needs fix, line 8; fix needs check, line 4)   --> w.yaml:3:31",
            ],
        ),
        (
            "  a: {noop: true, needs: a}\n",
            &["error[workflow.cycle]: dependency cycle: a → a (a needs a, line 3)   --> w.yaml:3:26"],
        ),
        (
            "  transform: {noop: true}\n  report: {noop: true, needs: [transfrom, transform, transform]}\n",
            &[
                "error[workflow.unknown_task]: task \"report\" needs unknown task \"transfrom\"   --> w.yaml:4:32\n  hint: did you mean \"transform\"?",
                "error[field.value]: task \"report\" needs \"transform\" twice   --> w.yaml:4:54",
            ],
        ),
        (
            "  a: {}\n  b: {run: x, exec: [x]}\n  c: {noop: true, timeout: 5 parsecs, retries: -1}\n",
            &[
                "error[job.no_task]: task \"a\" needs one of run, exec, script, http, handler, noop, wait, approval, workflow   --> w.yaml:3:6",
                "error[job.two_tasks]: task \"b\" has run and exec   --> w.yaml:4:21\n  hint: keep one of them, or make a job of each",
                "error[field.value]: \"retries\" is -1, not within 0 to 1000   --> w.yaml:5:48",
            ],
        ),
        (
            "  last: {noop: true, finally: true, trigger_rule: always}\n  a: {noop: true, needs: last}\n",
            &[
                "error[field.value]: \"trigger_rule\" has no effect with finally: such a task runs however the others ended   --> w.yaml:3:51",
                "error[field.value]: \"last\" runs last, so only tasks that run last can need it   --> w.yaml:4:26\n  hint: add finally: true to \"a\"",
            ],
        ),
        (
            "  a: {noop: true, matrix: {x: [1], 'y-z': []}, map: '${{ params.list }}'}\n  b: {noop: true, max_parallel: 2, outputs: [n, n, 'a b']}\n",
            &[
                "error[field.value]: \"y-z\" cannot be named in an expression   --> w.yaml:3:43\n  hint: write letters, digits and '_', not beginning with a digit",
                "error[field.value]: a list of a matrix has at least one value   --> w.yaml:3:43",
                "error[field.value]: a task has matrix or map, not both   --> w.yaml:3:53",
                "error[field.value]: \"max_parallel\" has an effect with matrix and map only   --> w.yaml:4:33",
                "error[field.value]: output \"n\" is named twice   --> w.yaml:4:49",
                "error[field.value]: \"a b\" cannot be named in an expression   --> w.yaml:4:52\n  hint: write letters, digits and '_', not beginning with a digit",
            ],
        ),
        (
            "  count: {noop: true, outputs: [rows]}\n  other: {noop: true}\n  a:\n    needs: count\n    if: ${{ needs.count.outputs.row > 1 and needs.other.state == 'failed' }}\n    env: {A: '${{ matrix.x }}', B: '${{ run.date }}', C: '${{ env.HOME }}'}\n    run: 'true'\n",
            &[
                "error[workflow.expression]: task \"count\" declares no output \"row\"   --> w.yaml:7:9\n  hint: did you mean \"rows\"?",
                "error[workflow.expression]: task \"a\" does not need \"other\"   --> w.yaml:7:9\n  hint: add it to needs",
                "error[workflow.expression]: \"matrix\" has no \"x\": it is empty   --> w.yaml:8:14",
                "error[workflow.expression]: \"run\" has no \"date\": it has id, logical_date   --> w.yaml:8:36",
                "error[workflow.expression]: there is no \"env\": expressions see needs, params, matrix, map, run   --> w.yaml:8:58",
            ],
        ),
        (
            "  a: {noop: true, if: 'true'}\n  b: {noop: true, if: '${{ 1 + }}'}\n",
            &["error[workflow.expression]: it must be one expression, written ${{ … }}   --> w.yaml:3:23"],
        ),
        (
            "  a: {noop: true, map: '${{ params.list }}'}\n",
            &["error[workflow.expression]: \"params\" has no \"list\": it is empty   --> w.yaml:3:24"],
        ),
        (
            "  a: {noop: true, group: {}, depends_on: b}\n",
            &[
                "error[field.type]: \"group\" must be text, not a mapping   --> w.yaml:3:26",
                "error[field.unknown]: unknown key \"depends_on\"   --> w.yaml:3:30\n  hint: write `needs: […]`",
            ],
        ),
        (
            "  a: {run: x, wait: {for: 1h}}\n  b: {wait: {for: 1h, until: '2026-01-01'}}\n  c: {approval: {prompt: ' ', timeout: soon}, matrix: {x: [1]}}\n  d: {wait: {until: never}}\n  e: {approval: {prompt: '${{ run.name }}'}}\n",
            &[
                "error[job.two_tasks]: task \"a\" has run and wait   --> w.yaml:3:21\n  hint: keep one of them, or make a task of each",
                "error[field.value]: wait takes one of for, until and at   --> w.yaml:4:13",
                "error[field.value]: \"prompt\" is empty: say what is to be approved   --> w.yaml:5:26",
                "error[field.value]: \"matrix\" has no effect with approval   --> w.yaml:5:55",
                "error[schedule.duration]: `soon` does not begin with a number; write a number and a unit without a sign, such as `90s`   --> w.yaml:5:40",
                "error[schedule.instant]: `never` is not an instant   --> w.yaml:6:21\n  hint: write 2026-01-30T12:00:00Z, or 2026-01-30 12:00 in the trigger's zone",
                "error[workflow.expression]: \"run\" has no \"name\": it has id, logical_date   --> w.yaml:7:26",
            ],
        ),
    ];
    for (tasks, expected) in cases {
        let problems = shown(&check(&format!("name: w\ntasks:\n{tasks}")).unwrap_err());
        for problem in *expected {
            assert!(problems.iter().any(|found| found == problem), "{tasks}\n{problem}\nin {problems:#?}");
        }
    }
}

#[test]
fn what_is_inherited_is_wrong_where_it_is_written_and_once() {
    let problems = check(
        "name: w\nretries: 2\ndefaults: {timeout: soon, needs: [a]}\ntasks:\n  a: {noop: true}\n  b: {noop: true, retry_delay: late}\n",
    )
    .unwrap_err();
    let places: Vec<String> = problems.iter().map(|problem| format!("{}", problem.position.clone().unwrap())).collect();
    assert_eq!(places, ["w.yaml:2:10", "w.yaml:3:21", "w.yaml:3:34", "w.yaml:6:32"], "{:#?}", shown(&problems));
}

#[test]
fn a_matrix_of_millions_is_refused() {
    let axis = |name: &str| format!("{name}: [{}]", (0..300).map(|n| n.to_string()).collect::<Vec<_>>().join(", "));
    let text =
        format!("name: w\ntasks:\n  a: {{noop: true, matrix: {{{}, {}, {}}}}}\n", axis("x"), axis("y"), axis("z"));
    let problems = shown(&check(&text).unwrap_err());
    assert!(problems[0].contains("the matrix makes 27000000 runs, and 10000 are allowed"), "{problems:#?}");
}

#[test]
fn what_is_probably_not_meant_is_warned_of() {
    let compiled = check(
        "name: w\nparams: {day: {type: string, default: x}}\ntasks:\n  a: {noop: true, trigger_rule: all_failed}\n  d: {noop: true, needs: a}\n  f:\n    needs: [a, d]\n    run: echo ${{ params.day }}\n",
    )
    .unwrap();
    let warnings: Vec<String> =
        compiled.warnings.iter().map(|it| format!("{} {} {}", it.code, it.pointer, it.message)).collect();
    assert_eq!(
        warnings,
        [
            "workflow.root_rule /jobs/0/tasks/a/trigger_rule task \"a\" needs no other one, so it runs whatever all_failed says",
            "workflow.redundant_edge /jobs/0/tasks/f/needs/0 \"f\" needs \"a\" already because of \"d\"",
            "workflow.shell_text /jobs/0/tasks/f/run values become part of the shell line of task \"f\"",
        ]
    );
}

/// Reads a workflow, and writes it again.
pub(crate) fn round(spec: &JobSpec) -> (JobSpec, mainspring_core::job::Job) {
    let job = convert::job(spec, &around(convert::NO_LINES)).unwrap_or_else(|found| panic!("{:#?}", shown(&found)));
    (convert::job_spec(&job), job)
}

#[test]
fn a_file_comes_back_as_it_was_written() {
    let text = r#"
namespace: default
name: sales
timezone: Europe/Berlin
schedule: 0 3 * * *
params: {region: {type: string, default: all}}
env: {BUCKET: sales}
queue: batch
priority: 7
fail_fast: cancel
defaults: {retries: 2, retry_delay: 30s, timeout: 20m, env: {LANG: C}, workers: {os: linux}}
tasks:
  extract: {description: gets it, run: ./extract.sh, outputs: [rows], env: {LANG: de, DAY: "${{ run.logical_date }}"}}
  rates: {needs: extract, http: {url: "https://rates.example/daily"}, continue_on_error: true, retries: 0, timeout: 1m}
  clean:
    needs: [extract]
    if: ${{ needs.extract.outputs.rows > 0 }}
    matrix: {shard: [0, 1], zone: [a]}
    max_parallel: 2
    run: ./clean.sh
    queue: default
    priority: 5
  spread: {needs: clean, map: "${{ params.list }}", noop: true, input: {list: [1]}}
  report: {needs: [clean, rates], trigger_rule: none_failed, exec: [./report.sh], retry_delay: 0s, on_lost: retry}
  pause: {needs: report, wait: {for: 1h}}
  later: {wait: {until: "2026-01-01T00:00:00.000Z"}}
  then: {needs: extract, wait: {until: "${{ run.logical_date }}"}}
  evening: {wait: {at: "18:00", timezone: Europe/Berlin}}
  ask: {needs: pause, approval: {prompt: "publish ${{ run.id }}?", from: [ann, bob], timeout: 1d, on_timeout: skip}}
  tidy: {finally: true, handler: tidy, workers: {os: mac}}
"#
    .replace("${{ params.list }}", "${{ params.region }}");
    let file = JobFile { name: None, format: Format::Yaml, text: text.as_bytes() };
    let (files, problems) = survey_job_files(&[file], None);
    assert_eq!(shown(&problems), Vec::<String>::new());
    let mut spec = files.bundle().jobs[0].clone();
    let (written, job) = round(&spec);
    // A list of one is written as that one.
    let clean = spec.tasks.get_mut("clean").unwrap();
    clean.needs = Some(mainspring_api::OneOrMany::One("extract".into()));
    assert_eq!(written, spec);
    assert_eq!(round(&written).1, job);
}

#[test]
fn what_a_task_says_survives_whatever_it_inherits() {
    // Each setting at the workflow, in the defaults and in the task: absent, at its default, or something else.
    let values = [
        ("queue", ["default", "fast"].map(|it| json!(it)), true),
        ("priority", [json!(5), json!(-1)], true),
        ("on_lost", [json!("fail"), json!("retry")], true),
        ("routing", [json!("any"), json!("round")], true),
        ("retries", [json!(0), json!(3)], false),
        ("retry_delay", [json!("0s"), json!("90s")], false),
        ("retry_backoff", [json!("fixed"), json!("exponential")], false),
        ("retry_jitter", [json!("0s"), json!("5s")], false),
        ("timeout", [json!("1m"), json!("60s")], false),
        ("workers", [json!({"a": "b"}), json!({"c": "d"})], true),
        ("env", [json!({"A": "1"}), json!({"A": "2", "B": "3"})], true),
        ("working_dir", [json!("/tmp"), json!("/")], true),
        ("input", [json!({"a": 1}), json!([1])], true),
    ];
    for (key, values, at_workflow) in values {
        let choices = [None, Some(&values[0]), Some(&values[1])];
        for (number, task) in ["run", "handler"].into_iter().flat_map(|task| (0..27).map(move |number| (number, task)))
        {
            let mut job = json!({"name": "w", "tasks": {"t": {task: "x"}}});
            let [outer, defaults, own] = [number % 3, number / 3 % 3, number / 9].map(|place: usize| choices[place]);
            let for_processes = ["env", "working_dir"].contains(&key) && task != "run";
            if let Some(value) = outer.filter(|_| at_workflow) {
                job[key] = value.clone();
            }
            if let Some(value) = defaults.filter(|_| key != "input") {
                job["defaults"] = json!({key: value});
            }
            if let Some(value) = own.filter(|_| !for_processes) {
                job["tasks"]["t"][key] = value.clone();
            }
            if ["retry_delay", "retry_backoff", "retry_jitter"].contains(&key) {
                job["tasks"]["t"]["retries"] = json!(1);
            }
            let spec: JobSpec = serde_json::from_value(job.clone()).unwrap();
            let (written, read) = round(&spec);
            assert_eq!(round(&written).1, read, "{job}\n{}", serde_json::to_string(&written).unwrap());
            assert_eq!(written.defaults, spec.defaults, "{job}");
        }
    }
}

#[test]
fn a_task_that_starts_another_workflow_is_read_and_written_again() {
    let text = "name: w\noutputs: {rows: '${{ needs.a.outputs.rows }}'}\ntasks:\n  a: {workflow: other, inputs: {day: '${{ run.logical_date }}'}, retries: 2, outputs: [rows]}\n";
    let compiled = check(text).unwrap();
    let workflow = compiled.jobs[0].workflow().unwrap();
    let call = workflow.tasks[0].call.as_ref().unwrap();
    assert_eq!((call.workflow.as_str(), call.inputs["day"].as_str()), ("other", Some("${{ run.logical_date }}")));
    assert_eq!(workflow.tasks[0].job.retry.count, 2);
    let spec = convert::job_spec(&compiled.jobs[0]);
    let task = &spec.tasks["a"];
    assert_eq!(
        (task.workflow.as_deref(), task.noop, task.input.is_none(), task.inputs.len()),
        (Some("other"), false, true, 1)
    );
    assert_eq!(spec.outputs["rows"], "${{ needs.a.outputs.rows }}");
}

#[test]
fn what_is_wrong_with_a_task_that_starts_another_workflow_is_shown() {
    let cases: &[(&str, &[&str])] = &[
        (
            "tasks:\n  a: {workflow: other/one, env: {A: b}, input: 1, inputs: {x: '${{ needs.b.state }}'}}\n",
            &[
                "error[name.invalid]: name \"other/one\" is not allowed   --> w.yaml:3:17\n  hint: names have letters, digits, '.', '_' and '-', and begin with a letter or digit",
                "error[field.value]: \"env\" has an effect with run, exec and script only   --> w.yaml:3:33",
                "error[field.value]: \"input\" has no effect with workflow   --> w.yaml:3:48\n  hint: write inputs",
                "error[workflow.expression]: task \"a\" does not need \"b\"   --> w.yaml:3:63\n  hint: add it to needs",
            ],
        ),
        (
            "tasks:\n  a: {noop: true, inputs: {x: 1}}\n",
            &["error[field.value]: \"inputs\" has an effect with workflow only   --> w.yaml:3:27"],
        ),
        (
            "outputs: {rows: '${{ needs.b.outputs.rows }}'}\ntasks:\n  a: {noop: true}\n",
            &["error[workflow.expression]: there is no task \"b\"   --> w.yaml:2:17\n  hint: did you mean \"a\"?"],
        ),
        (
            "tasks:\n  a: {workflow: w}\n",
            &[
                "error[workflow.call_circle]: workflow \"w\" starts itself   --> w.yaml:3:17\n  hint: remove one of these tasks",
            ],
        ),
    ];
    for (text, expected) in cases {
        let problems = check(&format!("name: w\n{text}")).unwrap_err();
        assert_eq!(shown(&problems), *expected, "{text}");
    }
    let both = "jobs:\n  - name: a\n    tasks: {x: {workflow: b}}\n  - name: b\n    tasks: {y: {workflow: a}}\n";
    let message = "error[workflow.call_circle]: workflows start each other in a circle: a → b → a   --> w.yaml:3:27\n  hint: remove one of these tasks";
    assert_eq!(shown(&check(both).unwrap_err()), [message]);
}
