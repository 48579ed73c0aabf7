//! Workflows between job file and graph: what is refused, where, and what is warned of.

use mainspring_api::{Bundle, Format, JobFile, Problem, survey_job_files};
use mainspring_core::Timestamp;
use mainspring_server::convert::{self, Compiled, Known, Purpose, Surroundings};

/// Reads a file as `check` does.
fn check(text: &str) -> Result<Compiled, Vec<Problem>> {
    let file = JobFile { name: Some("w.yaml"), format: Format::Yaml, text: text.as_bytes() };
    let (files, problems) = survey_job_files(&[file], None);
    let line = |pointer: &str| files.position(pointer).map(|position| position.line);
    let read = convert::bundle(files.bundle(), &around(Purpose::Check { line: &line }));
    match read {
        Ok(compiled) if problems.is_empty() => Ok(compiled),
        read => Err(files.with_further(problems, read.err().unwrap_or_default())),
    }
}

fn around(purpose: Purpose<'_>) -> Surroundings<'_> {
    let now = Timestamp::from_millis(1_767_225_600_000);
    Surroundings { namespace: "default", timezone: "UTC", now, calendars: &|_, _| Known::Unknown, purpose }
}

fn shown(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_workflow_is_read_with_its_rules() {
    let compiled = check(
        "name: w\nfail_fast: cancel\ntasks:\n  a: {noop: true}\n  b: {noop: true, needs: a, trigger_rule: all_done, if: '${{ needs.a.state == \"failed\" }}'}\n  c: {noop: true, finally: true}\n",
    )
    .unwrap();
    let (name, workflow) = &compiled.workflows[0];
    assert_eq!((name.as_str(), workflow.tasks.join(" ").as_str()), ("w", "a b c"));
    assert_eq!(workflow.shape.graph().parents(1), [0]);
    assert!(workflow.shape.rule(1).conditional && workflow.shape.rule(2).finally);
    assert_eq!(workflow.shape.rule(1).trigger_rule.as_str(), "all_done");
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
                "error[job.no_task]: task \"a\" needs one of run, exec, http, handler, noop   --> w.yaml:3:6",
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
                "error[workflow.expression]: \"run\" has no \"date\": it has id, logical_date, data_start, data_end   --> w.yaml:8:36",
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
            "  a: {noop: true, approval: {}, depends_on: b}\n",
            &[
                "error[field.later]: \"approval\" cannot be used: tasks of this kind are not in this version   --> w.yaml:3:19",
                "error[field.unknown]: unknown key \"depends_on\"   --> w.yaml:3:33\n  hint: write `needs: […]`",
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

#[test]
fn what_is_to_run_is_refused() {
    let spec = serde_json::from_str(r#"{"name": "w", "tasks": {"a": {"noop": true}}}"#).unwrap();
    let found = convert::job(&spec, &around(Purpose::Run)).unwrap_err();
    let of = |found: &[Problem]| found.iter().map(|it| (it.code.clone(), it.pointer.clone())).collect::<Vec<_>>();
    assert_eq!(of(&found), [("field.later".to_owned(), "/tasks".to_owned())]);
    let bundle = Bundle { jobs: vec![spec], ..Bundle::default() };
    let found = convert::bundle(&bundle, &around(Purpose::Run)).unwrap_err();
    assert_eq!(of(&found), [("field.later".to_owned(), "/jobs/0/tasks".to_owned())]);
}
