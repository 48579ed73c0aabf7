//! `mainspring flow`: files with and without a server, a flow at work, and one whose server is killed.

use std::collections::BTreeSet;

use mainspring_api::client::Client;
use mainspring_api::{Flow, FlowAction, FlowChange, FlowItemFilter, FlowSpec};

use crate::arena::{Arena, shared_by};
use crate::live::Live;
use crate::program::Program;
use crate::wait::until;

const HELLO: &str = "flow: hello
components:
  make: {generate: {payload: hi, attributes: {kind: word}, count: 2}}
  sort: {route: [{to: word, if: \"${{ attributes.kind == 'word' }}\"}], event: true, end: unmatched}
  log: {log: {message: \"${{ payload }}!\"}, end: success}
connections:
  - {from: make, to: sort}
  - {from: sort, to: log, relationships: word, max_items: 3}
";

#[test]
fn flow_files_are_checked_and_drawn() {
    let program = Program::new();
    let file = program.file("hello.yaml", HELLO);
    assert_eq!(program.run(&["check", &file]).stdout, "ok: 1 flow\n");
    let drawn = program.run(&["flow", "graph", "-f", &file]).stdout;
    assert_eq!(drawn, "make  success → sort\nsort  word → log; unmatched → end\nlog   success → end\n");
    let svg = program.run(&["flow", "graph", "-f", &file, "--format", "svg"]).stdout;
    assert_eq!(svg.matches("<rect ").count(), 3);
}

#[test]
fn c05_a_component_runs_by_one_trigger() {
    let program = Program::new();
    let base = "flow: f\ncomponents:\n  a: {generate: {}, end: success}\n  b: {log: {}, end: success, ";
    let cases = [
        ("b: {log: {}, end: success, schedule: 1 s, event: true}", "flow.trigger", "f.yaml:4:"),
        ("b: {log: {}, run: date, end: success}", "flow.body", "f.yaml:4:"),
        ("b: {log: {}, end: success, event: true}", "flow.trigger", "f.yaml:4:"),
        ("b: {run: date, end: success}", "flow.relationship", "f.yaml:4:"),
        ("b: {log: {}, end: success}", "flow.input", "f.yaml:4:"),
        ("b: {run: date, end: [success, failure], concurrency: 0}", "flow.concurrency", "f.yaml:4:"),
        ("b: {run: date, end: [success, failure], schedule: 5 micros}", "schedule.duration", "f.yaml:4:"),
        ("b: {run: date, end: [success, failure], cron: 0 0 * * *}", "schedule.cron", "f.yaml:4:"),
        ("b: {http_in: {}, end: success, placement: every_node}", "flow.placement", "f.yaml:4:"),
        ("b: {generate: {}, end: success, serial: true, placement: every_node}", "flow.placement", "f.yaml:4:"),
        ("b: {run: date, end: [success, failure], when: now}", "field.unknown", "f.yaml:4:"),
    ];
    let head = base.split("  b:").next().unwrap();
    for (line, code, place) in cases {
        let file = program.file("f.yaml", format!("{head}  {line}\n"));
        let ended = program.run(&["check", &file]);
        assert_eq!(ended.code, 9, "{line}");
        assert!(ended.stderr.contains(code) && ended.stderr.contains(place), "{line}: {}", ended.stderr);
    }
    let lost = format!("{head}connections: [{{from: a, to: c}}]\n");
    let ended = program.run(&["check", &program.file("f.yaml", lost)]);
    assert!(ended.stderr.contains("flow.unknown_component"), "{}", ended.stderr);
}

#[test]
fn a_flow_runs_is_looked_into_and_stopped() {
    let program = Program::new();
    let file = program.file("hello.yaml", HELLO);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let live = Live::start(&program);
    let run = |arguments: &[&str]| {
        let ended = program.run(arguments);
        assert_eq!(ended.code, 0, "{arguments:?}: {}", ended.stderr);
        ended.stdout
    };
    let ended = program.run(&["apply", "-f", &file]);
    assert!(ended.stderr.contains("mainspring flow apply"), "{}", ended.stderr);
    run(&["flow", "apply", "-f", &file]);
    assert!(run(&["flow", "list"]).contains("hello"));
    run(&["flow", "start", "hello", "sort"]);
    run(&["flow", "run-once", "hello", "make"]);
    runtime
        .block_on(until("both items are sorted", async || (items(&flow(&live.client()).await, 1) == 2).then_some(())));
    // Two items are there of three that fit; then the queue is full.
    run(&["flow", "run-once", "hello", "make"]);
    runtime
        .block_on(until("the queue is full", async || (flow(&live.client()).await.connections[1].full).then_some(())));
    assert_eq!(run(&["flow", "why", "hello", "sort"]), "a queue behind it is full\n");
    assert_eq!(run(&["flow", "why", "hello", "log"]), "it is stopped: start it\n");
    let listed = run(&["flow", "queue", "list", "hello", "sort:log:word", "-o", "name"]);
    let first = listed.lines().next().unwrap();
    assert_eq!(run(&["flow", "queue", "look", "hello", first]), "kind: word\n\nhi\n");
    run(&["flow", "queue", "drop", "hello", "sort:log:word", "--item", first]);
    let ended = program.run(&["flow", "queue", "drop", "hello", "sort:log:word", "--item", first]);
    assert!(ended.stderr.contains("flow.item_not_found"), "{}", ended.stderr);
    run(&["flow", "start", "hello", "log"]);
    runtime.block_on(until("all is logged", async || {
        (flow(&live.client()).await.connections.iter().all(|it| it.items == 0)).then_some(())
    }));
    assert_eq!(run(&["flow", "log", "hello", "log"]).matches("hi!").count(), 3);
    // A component that runs is not changed, and starting twice is refused.
    let ended = program.run(&["flow", "start", "hello", "log"]);
    assert!(ended.stderr.contains("flow.state"), "{}", ended.stderr);
    let changed = program.file("changed.yaml", HELLO.replace("}}!", "}}?"));
    let ended = program.run(&["flow", "apply", "-f", &changed]);
    assert!(ended.stderr.contains("flow.state"), "{}", ended.stderr);
    run(&["flow", "stop", "hello"]);
    run(&["flow", "apply", "-f", &changed]);
    run(&["flow", "delete", "hello"]);
    let ended = program.run(&["flow", "get", "hello"]);
    assert!(ended.stderr.contains("flow.not_found"), "{}", ended.stderr);
}

#[test]
fn b15_a_server_that_is_killed_delivers_items_again() {
    let program = Program::new();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let path = |name: &str| program.home().join(name).to_str().unwrap().to_owned();
    let (seen, go, out) = (path("seen"), path("go"), path("out"));
    let spec: FlowSpec = serde_json::from_value(serde_json::json!({
        "flow": "hello",
        "components": {
            "make": {"run": "for i in $(seq 20); do echo '{\"payload\": \"'$i'\"}' >> \"$MS_ITEMS\"; done", "end": "failure"},
            "work": {"run": format!("cat >> {seen}; echo >> {seen}; test -e {go} || sleep 1000"), "event": true,
                "concurrency": 3, "end": "failure"},
            "write": {"run": format!("echo $(cat) >> {out}"), "end": ["success", "failure"]},
        },
        "connections": [{"from": "make", "to": "work"}, {"from": "work", "to": "write"}],
    }))
    .unwrap();
    let live = Live::start(&program);
    runtime.block_on(async {
        let client = live.client();
        client.put_flow("default", &spec).await.unwrap();
    });
    for arguments in [&["flow", "start", "hello", "work", "write"][..], &["flow", "run-once", "hello", "make"]] {
        assert_eq!(program.run(arguments).code, 0);
    }
    let lines = |path: &str| std::fs::read_to_string(path).unwrap_or_default().lines().count();
    runtime.block_on(until("three bodies run", async || (lines(&seen) == 3).then_some(())));
    live.kill();
    std::fs::write(&go, "").unwrap();
    let live = Live::start(&program);
    runtime.block_on(until("all items are written", async || (lines(&out) >= 20).then_some(())));
    runtime.block_on(until("nothing is left", async || {
        let flow = flow(&live.client()).await;
        let is_idle =
            flow.connections.iter().all(|it| it.items == 0) && flow.components.iter().all(|it| it.active == 0);
        is_idle.then_some(())
    }));
    let written = std::fs::read_to_string(&out).unwrap();
    let distinct: BTreeSet<u32> = written.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!((written.lines().count(), distinct), (20, (1..=20).collect()), "nothing is lost, nothing comes twice");
    assert_eq!(lines(&seen), 23, "three items were delivered again");
}

#[test]
fn files_and_calls_are_bodies_too() {
    let program = Program::new();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = |name: &str| {
        let folder = program.home().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    };
    let (files, out) = (folder("files"), folder("out"));
    let spec: FlowSpec = serde_json::from_value(serde_json::json!({
        "flow": "hello",
        "components": {
            "read": {"file_in": {"folder": files, "name": "*.txt", "settled": "0 sec"}, "schedule": "20 ms"},
            "shout": {"script": {"language": "shell", "source": "tr a-z A-Z > \"$MS_PAYLOAD.up\"\nprintf '{\"payload\": \"%s\"}\\n' \"$(cat \"$MS_PAYLOAD.up\")\" >> \"$MS_ITEMS\""},
                "event": true, "end": "failure"},
            "write": {"file_out": {"folder": out, "name": "up/${{ attributes['file.name'] }}"}, "event": true, "end": "failure"},
            "call": {"http": {"url": "http://127.0.0.1:1/${{ attributes['file.name'] }}", "method": "POST"}, "event": true, "end": "success"},
            "lost": {"log": {"message": "${{ attributes['file.name'] }}: ${{ attributes['http.error'] }}"}, "end": "success"},
        },
        "connections": [
            {"from": "read", "to": "shout"}, {"from": "shout", "to": "write"}, {"from": "write", "to": "call"},
            {"from": "call", "to": "lost", "relationships": "failure"},
        ],
    }))
    .unwrap();
    let live = Live::start_with(&program, &["server", "--data", "data", "--scripts"]);
    runtime.block_on(async { live.client().put_flow("default", &spec).await.unwrap() });
    std::fs::write(files.join("a.txt"), "hello").unwrap();
    std::fs::write(files.join("b.csv"), "other").unwrap();
    assert_eq!(program.run(&["flow", "start", "hello"]).code, 0);
    let log = || program.run(&["flow", "log", "hello", "lost"]).stdout;
    runtime.block_on(until("the call has failed", async || log().contains("a.txt: ").then_some(())));
    assert_eq!(std::fs::read_to_string(out.join("up/a.txt")).unwrap(), "HELLO");
    let left: Vec<_> = std::fs::read_dir(&files).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left, ["b.csv"], "what was read is gone, and nothing else");
}

/// Needs PostgreSQL: two nodes, of which that dies which runs the flow.
#[test]
fn b13_a_calendar_goes_on_on_another_node_and_no_item_is_lost_or_doubled() {
    let nodes = Arena::shared();
    let (a, b) = (nodes.start("a"), nodes.start("b"));
    nodes.sees(&a, "two nodes share the shards", shared_by(2));
    let fired = nodes.program.home().join("fired");
    let spec: FlowSpec = serde_json::from_value(serde_json::json!({
        "flow": "hello",
        "components": {
            "tick": {
                "run": format!("echo $MS_FIRE_TIME >> {}; echo '{{\"payload\": \"'$MS_FIRE_TIME'\"}}' >> \"$MS_ITEMS\"", fired.display()),
                "cron": "* * * * * ?", "end": "failure"},
            "work": {"run": "cat > /dev/null", "event": true, "concurrency": 2, "end": "failure"},
            "keep": {"log": {}, "end": "success"},
        },
        "connections": [{"from": "tick", "to": "work"}, {"from": "work", "to": "keep"}],
    }))
    .unwrap();
    nodes.runtime.block_on(async { a.client().put_flow("default", &spec).await.unwrap() });
    let cluster = nodes.sees(&a, "two nodes share the shards", shared_by(2));
    let shard = &cluster.shards[usize::from(mainspring_core::shard_of("default", "hello"))];
    let (owner, other) = if shard.node.as_deref() == Some("a") { (a, b) } else { (b, a) };
    let start = FlowChange { action: FlowAction::Start, components: Some(vec!["tick".into(), "work".into()]) };
    nodes.runtime.block_on(async { owner.client().change_flow("default", "hello", &start).await.unwrap() });
    let fires = || -> Vec<String> {
        let text = std::fs::read_to_string(&fired).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    };
    nodes.wait("the calendar fires", async || (fires().len() >= 4).then_some(()));
    owner.kill();
    let before = fires();
    nodes.wait("the calendar goes on elsewhere", async || (fires().len() >= before.len() + 4).then_some(()));
    let client = other.client();
    let stop = FlowChange { action: FlowAction::Stop, components: Some(vec!["tick".into()]) };
    nodes.runtime.block_on(async { client.change_flow("default", "hello", &stop).await.unwrap() });
    nodes.wait("all items are kept", async || {
        let flow = client.flow("default", "hello").await.ok()?;
        let idle = flow.components.iter().all(|it| it.active == 0);
        (idle && flow.connections.iter().find(|it| it.name == "tick:work")?.items == 0).then_some(())
    });
    let filter = FlowItemFilter { contents: Some(true), ..FlowItemFilter::default() };
    let kept = nodes.runtime.block_on(client.flow_queue("default", "hello", "work:keep", filter)).unwrap();
    let kept: Vec<String> = kept.into_iter().map(|item| item.preview.unwrap()).collect();
    let distinct: BTreeSet<&String> = kept.iter().collect();
    assert_eq!(distinct.len(), kept.len(), "no item is there twice");
    let all = fires();
    let instants: BTreeSet<&String> = all.iter().collect();
    assert_eq!(instants.len(), all.len(), "no time is met twice: {all:?}");
    // What the last body of the dead node made may not have been kept.
    let lost: Vec<&&String> = instants.iter().filter(|instant| !distinct.contains(*instant)).collect();
    assert!(lost.is_empty() || lost == [&before.last().unwrap()], "{lost:?} of {all:?}");
}

async fn flow(client: &Client) -> Flow {
    client.flow("default", "hello").await.unwrap()
}

fn items(flow: &Flow, connection: usize) -> u64 {
    flow.connections[connection].items
}
