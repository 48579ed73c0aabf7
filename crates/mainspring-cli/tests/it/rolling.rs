//! Nodes that are restarted one after another, as for an upgrade, while a worker in a process of its own is at work.

use mainspring_api::RunNow;
use mainspring_core::run::RunState;
use mainspring_rig::{Bounds, Database, Worker, check};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::arena::{Arena, shared_by};
use crate::live::Live;
use crate::remote::warns_of_workers;

const NAMES: [&str; 3] = ["a", "b", "c"];
/// Lines of the worker's log for each restart: a poll and a report may each meet a node that has just ended.
const WARNINGS_PER_RESTART: usize = 2;

/// The queues that a node takes runs from: those of all, and its own.
fn queues(name: &str) -> String {
    format!("default,only-{name}")
}

/// A job whose work lasts until a file is there.
fn job(arena: &Arena, name: &str, queue: &str, file: &str, more: &Value) -> Value {
    let file = arena.program.home().join(file).display().to_string();
    let work = arena.witness.line("while [ ! -e $GO ]; do sleep 0.05; done");
    let mut job = json!({"name": name, "queue": queue, "overlap": "allow", "run": work, "env": {"GO": file}});
    job.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    job
}

/// Asks a node for a run, and waits until its work has begun.
fn begin(arena: &Arena, node: &Live, job: &str) {
    let id = arena.runtime.block_on(node.client().run_job("default", job, &RunNow::default())).unwrap().id;
    let begun = || arena.witness.read().unwrap().iter().any(|mark| mark.run.to_string() == id);
    arena.wait("the work has begun", async || begun().then_some(()));
}

fn worker(arena: &Arena, nodes: &[Live]) -> (Worker, String) {
    let home = arena.program.home();
    let mut command = arena.program.command(&["worker", "--queues", "remote", "--slots", "16", "--name", "north"]);
    nodes.iter().for_each(|node| _ = command.args(["--server", &node.url]));
    command.args(["--log", "warn", "--token-file"]).arg(home.join("a/token")).arg("--data-dir").arg(home.join("north"));
    let worker = Worker::start(&mut command).unwrap();
    let id = worker.joined().unwrap();
    (worker, id)
}

fn nodes_that_are_restarted_in_turn_lose_and_repeat_no_run_of_a_worker(arena: &Arena) {
    let mut nodes: Vec<Live> =
        NAMES.iter().map(|name| arena.start_at(name, &arena.address, &["--queues", &queues(name)])).collect();
    arena.sees(&nodes[0], "three nodes share the shards", shared_by(3));
    let (worker, id) = worker(arena, &nodes);
    let heard_by = |asked: &Live, name: &str| {
        let client = asked.client();
        arena.wait("the worker is heard there", async || {
            let heard = client.worker(&id).await.ok()?.node;
            (heard.as_deref() == Some(name)).then_some(())
        });
    };
    // A lost run of the one would be tried again, and one of the other would be lost for good.
    let mut jobs = vec![
        job(arena, "again", "remote", "go", &json!({"on_lost": "retry", "retries": 3})),
        job(arena, "once", "remote", "go", &json!({"on_lost": "fail"})),
        json!({"name": "tick", "queue": "remote", "run": arena.witness.line("true"), "schedule": {"every": "1s"}}),
    ];
    jobs.extend(
        NAMES.map(|name| job(arena, &format!("at-{name}"), &format!("only-{name}"), &format!("go-{name}"), &json!({}))),
    );
    arena.apply(&nodes[0], &json!({ "jobs": jobs }));

    for index in 0..NAMES.len() {
        let (name, next) = (NAMES[index], (index + 1) % NAMES.len());
        ["again", "once", &format!("at-{name}")].iter().for_each(|job| begin(arena, &nodes[next], job));
        heard_by(&nodes[next], name);
        nodes[index].signal(Signal::TERM);
        // It drains for as long as a run of its own lasts.
        heard_by(&nodes[next], NAMES[next]);
        ["again", "once"].iter().for_each(|job| begin(arena, &nodes[next], job));
        arena.program.file(&format!("go-{name}"), "");
        let node = nodes.remove(index);
        let address = node.address();
        let (status, said) = node.ended();
        assert!(status.success() && !warns_of_workers(&said), "{said}");
        nodes.insert(index, arena.restart(name, &address, &["--queues", &queues(name)]));
        arena.sees(&nodes[next], "three nodes share the shards", shared_by(3));
    }
    arena.program.file("go", "");

    let history = arena.history();
    let report = check(&history, Bounds::default());
    assert!(report.problems.is_empty() && (report.missed, report.lost_attempts) == (0, 0), "{report}");
    // What fired since then may be unfinished.
    let asked: Vec<_> = history.runs.iter().filter(|run| run.trigger.is_none()).collect();
    assert_eq!(asked.len(), 5 * NAMES.len());
    assert!(asked.iter().all(|run| run.state == RunState::Succeeded), "{asked:?}");
    assert!(history.runs.iter().all(|run| run.attempts.len() <= 1), "nothing ran twice: {:?}", history.runs);
    let workers = arena.runtime.block_on(nodes[0].client().workers()).unwrap();
    assert_eq!(workers.iter().map(|it| &it.id).collect::<Vec<_>>(), [&id], "it never joined anew");
    let log = worker.log();
    assert!(log.lines().count() <= WARNINGS_PER_RESTART * NAMES.len() && !log.contains("ERROR"), "{log}");
    assert!(worker.stop().unwrap().success());
    for node in nodes {
        let (status, said) = node.stop();
        assert!(status.success() && !warns_of_workers(&said), "{said}");
    }
}

#[test]
fn nodes_that_are_restarted_in_turn_lose_and_repeat_no_run_of_a_worker_on_postgres() {
    nodes_that_are_restarted_in_turn_lose_and_repeat_no_run_of_a_worker(&Arena::shared());
}

#[test]
fn nodes_that_are_restarted_in_turn_lose_and_repeat_no_run_of_a_worker_on_mariadb() {
    let (arena, _server) = Arena::own(Database::Mariadb);
    nodes_that_are_restarted_in_turn_lose_and_repeat_no_run_of_a_worker(&arena);
}
