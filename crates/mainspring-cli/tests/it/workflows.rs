//! Workflows as users meet them: files, runs, trees, reasons, steering, and what a kill leaves.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::arena::{Arena, shared_by};
use crate::live::{Live, until};
use crate::program::{Ended, Program};
use crate::wait;

const SERVER: &[&str] = &["server", "--data", "data"];

fn apply(program: &Program, job: &Value) {
    let file = program.file(&format!("{}.json", job["name"].as_str().unwrap()), job.to_string());
    let applied = program.run(&["apply", "-f", &file]);
    assert_eq!(applied.code, 0, "{applied:?}");
}

/// An example of the folder, without its schedule: a test starts it.
fn apply_example(program: &Program, name: &str) -> String {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("schedule:")).collect();
    let file = program.file(name, kept.join("\n"));
    let applied = program.run(&["apply", "-f", &file]);
    assert_eq!(applied.code, 0, "{applied:?}");
    file
}

fn start(program: &Program, job: &str) -> String {
    let started = program.run(&["run", "start", job, "-o", "name"]);
    assert_eq!(started.code, 0, "{started:?}");
    started.stdout.trim().to_owned()
}

fn document(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_default()
}

/// The tasks of a run by name.
fn tasks(program: &Program, run: &str) -> BTreeMap<String, Value> {
    let tree = document(&program.run(&["run", "tree", run, "--items", "-o", "json"]));
    let items = tree["items"].as_array().cloned().unwrap_or_default();
    items.into_iter().map(|task| (task["name"].as_str().unwrap().to_owned(), task)).collect()
}

fn states(program: &Program, run: &str) -> String {
    let told =
        tasks(program, run).into_iter().map(|(name, task)| format!("{name} {}", task["state"].as_str().unwrap()));
    told.collect::<Vec<_>>().join(", ")
}

/// Waits until the states of the tasks are so.
fn until_states(program: &Program, run: &str, expected: &str) {
    wait::blocking(expected, || {
        let states = states(program, run);
        if states == expected { Ok(()) } else { Err(states) }
    });
}

fn ended(program: &Program, run: &str) -> String {
    let found = until(program, &["run", "get", run, "-o", "json"], |found| {
        ["succeeded", "failed", "cancelled"].contains(&document(found)["state"].as_str().unwrap_or_default())
    });
    document(&found)["state"].as_str().unwrap().to_owned()
}

#[test]
fn a_diamond_runs_with_values_that_go_from_task_to_task() {
    let program = Program::new();
    let _live = Live::start_with(&program, SERVER);
    let file = apply_example(&program, "workflow-diamond.yaml");
    let run = start(&program, "sales-report");
    let waited = program.run(&["run", "wait", &run]);
    assert_eq!(waited.code, 0, "{waited:?}");
    assert_eq!(states(&program, &run), "clean succeeded, extract succeeded, rates succeeded, report succeeded");
    let log = |task: &str| program.run(&["logs", "sales-report", "--task", task]).stdout;
    assert_eq!(log("clean"), "cleaned 42 rows\n");
    assert_eq!(log("report"), "the report; clean was succeeded\n");
    let tree = program.run(&["run", "tree", &run]).stdout;
    assert!(tree.starts_with(&format!("sales-report {run}: succeeded, 4 tasks: 4 succeeded\n")), "{tree}");
    // Runs of tasks are runs like others, and are left out of lists unless they are asked for.
    let count = |more: &[&str]| {
        let mut all = vec!["run", "list", "-o", "name"];
        all.extend(more);
        program.run(&all).stdout.lines().count()
    };
    assert_eq!((count(&[]), count(&["--tasks"]), count(&["--parent", &run])), (1, 5, 4));
    let extract = tasks(&program, &run)["extract"]["run"].as_str().unwrap().to_owned();
    let shown = document(&program.run(&["run", "get", &extract, "-o", "json"]));
    assert_eq!((&shown["task"], &shown["parent"], &shown["job_version"]), (&json!("extract"), &json!(run), &json!(1)));
    assert_eq!(shown["output"], json!({"rows": 42}));
    // What the server has is what the file says.
    let diff = program.run(&["diff", "-f", &file]);
    assert_eq!(diff.code, 0, "{diff:?}");
    let graph = |more: &[&str]| {
        let mut all = vec!["workflow", "graph"];
        all.extend(more);
        program.run(&all).stdout
    };
    assert_eq!(graph(&["sales-report"]), graph(&["-f", &file]));
    let again = program.run(&["run", "rerun", &extract]);
    assert!(again.stderr.starts_with("error[run.is_task]") && again.stderr.contains(&run), "{again:?}");
}

#[test]
fn a_failure_stops_what_needs_it_and_nothing_else() {
    let program = Program::new();
    let _live = Live::start_with(&program, SERVER);
    apply_example(&program, "workflow-failure.yaml");
    let run = start(&program, "fragile");
    let waited = program.run(&["run", "wait", &run]);
    assert_eq!(waited.code, 7, "{waited:?}");
    assert_eq!(
        states(&program, &run),
        "alert succeeded, download failed, other succeeded, tidy succeeded, unpack upstream_failed"
    );
    let download = &tasks(&program, &run)["download"];
    assert_eq!((&download["attempt"], &download["run_state"]), (&json!(2), &json!("failed")), "{download}");
    let none = program.run(&["logs", &run, "--task", "unpack"]);
    assert!(none.stderr.contains("task unpack is upstream_failed, and has no run"), "{none:?}");
    let unknown = program.run(&["logs", &run, "--task", "donwload"]);
    assert!(
        unknown.stderr.starts_with("error[task.not_found]") && unknown.stderr.contains("did you mean \"download\"?")
    );
    assert_eq!(unknown.code, 3, "{unknown:?}");
}

#[test]
fn a_task_runs_for_each_item_of_a_list_and_its_outputs_are_gathered() {
    let program = Program::new();
    let _live = Live::start_with(&program, SERVER);
    apply_example(&program, "workflow-map.yaml");
    let run = start(&program, "import-regions");
    assert_eq!(ended(&program, &run), "succeeded");
    let tasks = tasks(&program, &run);
    assert_eq!(tasks.len(), 4 + 4 + 2, "{:?}", tasks.keys());
    assert_eq!(tasks["import"]["items"], json!({"total": 4, "succeeded": 4}));
    let log = |task: &str| program.run(&["logs", &run, "--task", task]).stdout;
    assert_eq!(log("import[2]"), "imported cn, item 2\n");
    assert_eq!(log("check[1]"), "checked refunds\n");
    assert_eq!(log("summary"), "files by region [\"1\",\"2\",\"3\",\"4\"]\n");
}

/// Two branches: `a`, which waits for a file, then `b`; and `last`, which tidies up.
fn held(program: &Program) -> Value {
    let file = program.home().join("go").display().to_string();
    json!({"name": "held", "tasks": {
        "a": {"run": format!("while ! [ -e {file} ]; do sleep 0.05; done")},
        "b": {"noop": true, "needs": "a"},
        "c": {"noop": true, "needs": "b", "trigger_rule": "none_failed"},
        "last": {"noop": true, "finally": true},
    }})
}

#[test]
fn a_run_is_paused_and_resumed_and_its_tasks_are_skipped_and_marked() {
    let program = Program::new();
    let _live = Live::start_with(&program, SERVER);
    apply(&program, &held(&program));
    let run = start(&program, "held");
    until_states(&program, &run, "a running, b waiting, c waiting, last waiting");
    let why = program.run(&["run", "why", &run]).stdout;
    assert!(why.contains("it has 4 tasks: 1 running, 3 waiting"), "{why}");
    assert!(why.contains("waits for a (rule all_success)"), "{why}");

    let paused = program.run(&["run", "pause", &run, "--reason", "look first"]);
    assert_eq!(
        (paused.code, paused.stdout.as_str()),
        (0, format!("paused run {run} of held\n").as_str()),
        "{paused:?}"
    );
    until(&program, &["run", "get", &run, "-o", "json"], |ended| document(ended)["paused"] == json!(true));
    program.file("go", "");
    until(&program, &["run", "why", &run], |ended| ended.stdout.contains("may run; the workflow run is paused"));
    until_states(&program, &run, "a succeeded, b ready, c waiting, last waiting");
    let skipped = program.run(&["run", "skip", &run, "b", "--reason", "not today"]);
    assert_eq!((skipped.code, skipped.stdout.as_str()), (0, "asked to skip task b\n"), "{skipped:?}");
    until_states(&program, &run, "a succeeded, b skipped, c ready, last waiting");
    let reason = tasks(&program, &run)["b"]["reason"].as_str().unwrap_or_default().to_owned();
    assert!(reason.contains("not today"), "{reason}");
    let refused = program.run(&["run", "skip", &run, "a"]);
    assert!(refused.stderr.starts_with("error[task.final]"), "{refused:?}");
    let resumed = program.run(&["run", "resume", &run]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert_eq!(ended(&program, &run), "succeeded");
    let refused = program.run(&["run", "pause", &run]);
    assert!(refused.stderr.starts_with("error[run.final]"), "{refused:?}");

    std::fs::remove_file(program.home().join("go")).unwrap();
    let run = start(&program, "held");
    until_states(&program, &run, "a running, b waiting, c waiting, last waiting");
    let marked = program.run(&["run", "mark", &run, "a", "succeeded", "--reason", "done by hand"]);
    assert_eq!(marked.code, 0, "{marked:?}");
    assert_eq!(ended(&program, &run), "succeeded");
    assert_eq!(states(&program, &run), "a succeeded, b succeeded, c succeeded, last succeeded");
}

#[test]
fn what_is_cancelled_ends_and_what_runs_last_follows() {
    let program = Program::new();
    let _live = Live::start_with(&program, SERVER);
    apply(&program, &held(&program));
    let run = start(&program, "held");
    until_states(&program, &run, "a running, b waiting, c waiting, last waiting");
    let cancelled = program.run(&["run", "cancel", &run]);
    assert_eq!(cancelled.code, 0, "{cancelled:?}");
    assert_eq!(ended(&program, &run), "cancelled");
    assert_eq!(states(&program, &run), "a cancelled, b cancelled, c cancelled, last succeeded");

    let run = start(&program, "held");
    until_states(&program, &run, "a running, b waiting, c waiting, last waiting");
    let cancelled = program.run(&["run", "cancel", &run, "--task", "a"]);
    assert_eq!((cancelled.code, cancelled.stdout.as_str()), (0, "asked to cancel task a\n"), "{cancelled:?}");
    assert_eq!(ended(&program, &run), "failed");
    assert_eq!(states(&program, &run), "a cancelled, b upstream_failed, c upstream_failed, last succeeded");

    let run = start(&program, "held");
    until_states(&program, &run, "a running, b waiting, c waiting, last waiting");
    let alone = program.run(&["run", "cancel", &run, "--downstream"]);
    assert_eq!(alone.code, 2, "{alone:?}");
    let cancelled = program.run(&["run", "cancel", &run, "--task", "a", "--downstream"]);
    assert_eq!((cancelled.code, cancelled.stdout.as_str()), (0, "asked to cancel all from task a\n"), "{cancelled:?}");
    assert_eq!(ended(&program, &run), "failed");
    assert_eq!(states(&program, &run), "a cancelled, b cancelled, c cancelled, last succeeded");
}

#[test]
fn runs_that_tasks_have_started_are_listed_with_their_parent() {
    let program = Program::new();
    let _live = Live::start_with(&program, SERVER);
    apply(&program, &json!({"name": "inner", "noop": true}));
    let tasks = json!({"first": {"noop": true}, "part": {"needs": "first", "workflow": "inner"}});
    apply(&program, &json!({"name": "outer", "tasks": tasks}));
    let run = start(&program, "outer");
    assert_eq!(ended(&program, &run), "succeeded");
    let listed = document(&program.run(&["run", "list", "--parent", &run, "-o", "json"]));
    let mut found: Vec<(&str, &Value)> = listed["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["job"].as_str().unwrap(), &it["caller"]["run"]))
        .collect();
    found.sort_unstable_by_key(|(job, _)| *job);
    assert_eq!(found, [("inner", &json!(run)), ("outer", &Value::Null)]);
}

#[test]
fn a_task_waits_for_its_time_and_another_for_somebody() {
    let program = Program::new();
    let _live = Live::start_with(&program, SERVER);
    apply(
        &program,
        &json!({"name": "asks", "tasks": {
            "pause": {"wait": {"for": "50ms"}},
            "ask": {"needs": "pause", "approval": {"prompt": "publish ${{ params.what }}?", "from": "ann"}},
            "publish": {"needs": "ask", "noop": true},
            "far": {"wait": {"until": "2099-01-01"}, "needs": "publish"},
        }, "input": {"what": "it"}}),
    );
    let run = start(&program, "asks");
    until_states(&program, &run, "ask running, far waiting, pause succeeded, publish waiting");
    let why = program.run(&["run", "why", &run]).stdout;
    assert!(why.contains("waits for an approval: publish it?"), "{why}");
    let decide = |verb: &str, task: &str, name: &str| program.run(&["run", verb, &run, task, "--as", name]);
    let refused = decide("approve", "ask", "bob");
    assert!(refused.stderr.starts_with("error[task.approver]") && refused.stderr.contains("ann"), "{refused:?}");
    let none = decide("approve", "publish", "ann");
    assert!(none.stderr.starts_with("error[task.no_approval]"), "{none:?}");
    let approved = decide("approve", "ask", "ann");
    assert_eq!((approved.code, approved.stdout.as_str()), (0, "approved task ask\n"), "{approved:?}");
    until_states(&program, &run, "ask succeeded, far running, pause succeeded, publish succeeded");
    let far = tasks(&program, &run)["far"]["run"].as_str().unwrap().to_owned();
    let why = program.run(&["run", "why", &far]).stdout;
    assert!(why.contains("it waits for 2099-01-01"), "{why}");
    let cancelled = program.run(&["run", "cancel", &run]);
    assert_eq!(cancelled.code, 0, "{cancelled:?}");
    assert_eq!(ended(&program, &run), "cancelled");

    let run = start(&program, "asks");
    until_states(&program, &run, "ask running, far waiting, pause succeeded, publish waiting");
    let rejected = program.run(&["run", "reject", &run, "ask", "--as", "ann", "--reason", "too early"]);
    assert_eq!(rejected.code, 0, "{rejected:?}");
    assert_eq!(ended(&program, &run), "failed");
    let reason = tasks(&program, &run)["ask"]["reason"].as_str().unwrap().to_owned();
    assert_eq!(reason, "rejected by ann: too early");
}

/// A chain whose tasks write their names into a file.
fn chain(program: &Program, length: usize, more: &Value) -> (Value, std::path::PathBuf) {
    let file = program.home().join("done");
    let task = |number: usize| {
        let mut task = json!({"run": format!("echo {number} >> {}; sleep 0.05", file.display()), "on_lost": "retry", "retries": 5});
        if number > 0 {
            task["needs"] = json!(format!("t{:03}", number - 1));
        }
        task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        (format!("t{number:03}"), task)
    };
    let tasks: serde_json::Map<String, Value> = (0..length).map(task).collect();
    (json!({"name": "chain", "tasks": tasks}), file)
}

fn lines(file: &std::path::Path) -> Vec<usize> {
    std::fs::read_to_string(file).unwrap_or_default().lines().filter_map(|line| line.parse().ok()).collect()
}

#[test]
fn a_killed_server_goes_on_where_it_was() {
    const LENGTH: usize = 20;
    let program = Program::new();
    let mut live = Live::start_with(&program, SERVER);
    let (job, file) = chain(&program, LENGTH, &json!({}));
    apply(&program, &job);
    let run = start(&program, "chain");
    for kill in 1..=3 {
        let enough = kill * LENGTH / 4;
        wait::blocking("tasks are done", || if lines(&file).len() >= enough { Ok(()) } else { Err(lines(&file)) });
        live.kill();
        live = Live::start_with(&program, SERVER);
    }
    assert_eq!(ended(&program, &run), "succeeded");
    let mut done = lines(&file);
    // A task that was at work when its server was killed is tried again; nothing else is done twice, and nothing is left out.
    assert!(done.len() <= LENGTH + 3, "{done:?}");
    assert!(done.is_sorted(), "{done:?}");
    done.dedup();
    assert_eq!(done, (0..LENGTH).collect::<Vec<_>>());
    assert_eq!(live.stop().0.code(), Some(0));
}

#[test]
fn a_worker_of_another_machine_executes_tasks() {
    let program = Program::new();
    let live = Live::start_with(&program, &["server", "--data", "data", "--queues", "default"]);
    let job = json!({"name": "far", "queue": "remote", "tasks": {
        "make": {"run": "echo 'n=7' >> \"$MS_OUTPUT\"", "outputs": ["n"]},
        "near": {"run": "echo near", "queue": "default", "needs": "make"},
        "use": {"run": "echo \"got $N of $MS_TASK\"", "needs": ["make", "near"], "env": {"N": "${{ needs.make.outputs.n }}"}},
    }});
    apply(&program, &job);
    let run = start(&program, "far");
    until_states(&program, &run, "make running, near waiting, use waiting");
    let make = program.run(&["run", "why", tasks(&program, &run)["make"]["run"].as_str().unwrap()]).stdout;
    assert!(make.contains("mainspring worker --queues remote"), "{make}");
    let (token, data) = (program.home().join("data/token"), program.home().join("worker"));
    let mut command =
        program.command(&["worker", "--queues", "remote", "--slots", "2", "--name", "w", "--log", "warn"]);
    command.args(["--server", &live.url, "--token-file"]).arg(token).arg("--data-dir").arg(data);
    let worker = mainspring_rig::Worker::start(&mut command).unwrap();
    worker.joined().unwrap();
    assert_eq!(ended(&program, &run), "succeeded");
    assert_eq!(program.run(&["logs", &run, "--task", "use"]).stdout, "got 7 of use\n");
    assert!(worker.stop().unwrap().success());
}

#[test]
fn two_nodes_share_a_workflow_and_one_goes_on_when_the_other_dies() {
    const LENGTH: usize = 12;
    let arena = Arena::shared();
    let (a, b) = (arena.start("a"), arena.start("b"));
    arena.sees(&a, "two nodes share the shards", shared_by(2));
    let (job, file) = chain(&arena.program, LENGTH, &json!({}));
    arena.apply(&a, &json!({"jobs": [job]}));
    let client = b.client();
    let run = arena.runtime.block_on(client.run_job("default", "chain", &Default::default())).unwrap();
    wait::blocking("tasks are done", || if lines(&file).len() >= 4 { Ok(()) } else { Err(lines(&file)) });
    let cluster = arena.sees(&b, "the cluster", |_| true);
    let shard = &cluster.shards[usize::from(mainspring_core::shard_of("default", "chain"))];
    let (owner, other) = if shard.node.as_deref() == Some("a") { (a, b) } else { (b, a) };
    owner.kill();
    let client = other.client();
    let over =
        arena.wait("the run is over", async || client.run(&run.id).await.ok().filter(|run| run.state.is_final()));
    assert_eq!(over.state.as_str(), "succeeded", "{over:?}");
    let mut done = lines(&file);
    assert!(done.len() <= LENGTH + 1, "{done:?}");
    done.dedup();
    assert_eq!(done, (0..LENGTH).collect::<Vec<_>>());
}
