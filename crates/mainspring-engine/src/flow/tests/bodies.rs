//! What bodies leave behind: files once their items are kept, and sessions of handlers.

use std::collections::BTreeMap;

use mainspring_core::flow::body::{FileIn, Process, Program};
use mainspring_tasks::{Settings, TaskRunner};

use super::*;
use crate::flow::body::session::{Item, Session};
use crate::flow::body::{Run, Told};
use crate::process::Processes;

/// The body of the first component.
fn run(running: &Running, start: Start, tools: Tools, told: watch::Receiver<Told>) -> Run {
    let part = &running.definition.parts[0];
    Run {
        flow: "default/f".into(),
        component: part.component.name.clone(),
        body: part.body.clone(),
        start,
        contents: Vec::new(),
        flow_id: running.row.id,
        epoch: running.epoch,
        inbox: None,
        store: Arc::new(MemoryStore::new()),
        tools,
        told,
    }
}

#[tokio::test]
async fn a_file_goes_with_its_item_also_where_the_flow_was_read_again_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.csv"), "1").unwrap();
    let files = FileIn {
        folder: folder.path().display().to_string(),
        name: None,
        settled_ms: 0,
        move_to: None,
        max_files: 10,
        max_bytes: 10,
    };
    let part = Part { component: Component::new("read"), body: Body::FileIn(files) };
    let definition = Definition { parts: vec![part, sink("end")], connections: vec![Connection::new(0, 1)] };
    let (store, mut running, mut pools, now) = picky(definition, false).await;
    running.machine.run_once(0, &mut pools, now).expect("it starts");
    let start = starts(&mut running, &mut pools, now).remove(0);
    let turn = start.turn;
    let (_told, told) = watch::channel(Told::GoOn);
    let run = run(&running, start, Tools::for_test(), told);
    let (done, contents, claims) = run.run().await;
    running.ended(Ended { turn, done, contents, claims }, &mut pools, now);
    let batch = std::mem::take(&mut running.pending);
    let outcome = keep(&keeper(&store, &running), batch).await.expect("it is open");
    // Nobody hears the outcome, as the flow has another generation by now.
    drop(outcome);
    assert_eq!(store.items(running.row.id, i64::MIN, 10).await.expect("items").len(), 1);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_session_is_closed_once_its_handler_has_returned() {
    let part = Part { component: Component::new("work"), body: Body::Handler { name: "work".into() } };
    let definition = Definition { parts: vec![part, sink("end")], connections: vec![Connection::new(0, 1)] };
    let (_, mut running, mut pools, now) = picky(definition, false).await;
    running.machine.run_once(0, &mut pools, now).expect("it starts");
    let start = starts(&mut running, &mut pools, now).remove(0);
    let tools = Tools::for_test();
    let (clones, mut left) = tokio::sync::mpsc::unbounded_channel();
    tools.handlers.register("work", move |session: Session| {
        let clones = clones.clone();
        async move {
            session.transfer(Item::new("kept"), "success")?;
            clones.send(session).map_err(|_| crate::HandlerError("the test is over".into()))
        }
    });
    let (_told, told) = watch::channel(Told::GoOn);
    let (done, ..) = run(&running, start, tools, told).run().await;
    assert_eq!(done.made, [content("kept")]);
    let session = left.recv().await.expect("it was called");
    assert!(session.transfer(Item::new("lost"), "success").is_err());
    assert!(session.commit().is_err());
}

/// `work`, stopped and terminated while its body has an item: the item returns. Answers the flow.
async fn terminated(part: Part, tools: Tools, begins: impl AsyncFnOnce()) -> Flows {
    let definition =
        Definition { parts: vec![source("make", "hello", 1), part], connections: vec![Connection::new(0, 1)] };
    let (_, _, flows) = node_with(&definition, tools).await;
    let does = |name: &str, action| flows.change("default", "f", Some(vec![name.to_owned()]), action);
    does("make", Action::RunOnce).await.expect("it runs");
    does("work", Action::Start).await.expect("it starts");
    begins().await;
    does("work", Action::Stop).await.expect("it stops");
    does("work", Action::Terminate).await.expect("it is stopped");
    assert_eq!(flows.queue("default", "f", "make:work", 10).await.expect("it is there").len(), 1, "the item is back");
    flows
}

/// Waits until no terminated body is left, and holds that it has kept nothing.
async fn counts_for_nothing(flows: &Flows) {
    let is_over = async || {
        let view = flows.view("default", "f").await.expect("it is there");
        view.components.iter().all(|it| it.why.terminated == 0)
    };
    while !is_over().await {
        pause(5).await;
    }
    assert_eq!(flows.queue("default", "f", "make:work", 10).await.expect("it is there").len(), 1);
}

/// [`worker`], whose items end.
fn last_worker(body: Body) -> Part {
    let Part { component, .. } = worker();
    let ended = component.relationships.iter().cloned().collect();
    Part { component: Component { ended, ..component }, body }
}

#[tokio::test]
async fn a_handler_that_is_terminated_has_time_to_end_and_keeps_nothing() {
    let tools = Tools { kill_grace: Duration::from_secs(600), ..Tools::for_test() };
    let (said, mut hears) = mpsc::unbounded_channel();
    tools.handlers.register("work", move |session: Session| {
        let said = said.clone();
        async move {
            let item = session.get().expect("it has an item");
            let _ = said.send("begun");
            session.cancelled().await;
            let _ = said.send("ending");
            session.transfer(item, "success")
        }
    });
    let part = last_worker(Body::Handler { name: "work".into() });
    let flows = terminated(part, tools, async || assert_eq!(hears.recv().await, Some("begun"))).await;
    assert_eq!(hears.recv().await, Some("ending"), "it hears of its end before it is dropped");
    counts_for_nothing(&flows).await;
}

/// Executes processes, without a leash.
fn with_processes(folder: &std::path::Path, kill_grace: Duration) -> Tools {
    let settings = Settings { leash: None, ..Settings::new(folder.join("work")) };
    let runner = TaskRunner::new(settings).expect("the folder is new");
    Tools { processes: Some(Arc::new(Processes::new(runner, None))), kill_grace, ..Tools::for_test() }
}

fn shell(line: &str) -> Process {
    Process { program: Program::Shell(line.to_owned()), env: BTreeMap::new(), working_dir: None, timeout_ms: None }
}

#[tokio::test]
async fn a_process_that_is_terminated_gets_term_and_after_the_grace_kill() {
    // The one that hears TERM has all the time that it wants; the other one has none.
    for (trap, kill_grace, ends) in
        [("echo ended >\"$0.ended\"; exit 0", Duration::from_secs(600), true), ("", Duration::ZERO, false)]
    {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("mark");
        let line = format!(
            "sh -c 'trap \"$1\" TERM; echo begun >\"$0.begun\"; while :; do sleep 0.02; done' {} '{trap}'",
            mark.display()
        );
        let has = |name: &str| folder.path().join(format!("mark.{name}")).exists();
        let tools = with_processes(folder.path(), kill_grace);
        let part = last_worker(Body::Process(shell(&line)));
        let begins = async || {
            while !has("begun") {
                pause(5).await;
            }
        };
        let flows = terminated(part, tools, begins).await;
        counts_for_nothing(&flows).await;
        assert_eq!(has("ended"), ends);
    }
}

#[tokio::test]
async fn processes_have_the_grace_of_the_engine() {
    let definition =
        Definition { parts: vec![source("make", "", 1), sink("end")], connections: vec![Connection::new(0, 1)] };
    let (_, mut running, mut pools, now) = picky(definition, false).await;
    running.machine.run_once(0, &mut pools, now).expect("it starts");
    let start = starts(&mut running, &mut pools, now).remove(0);
    let (_told, told) = watch::channel(Told::GoOn);
    let tools = Tools { kill_grace: Duration::from_secs(3), ..Tools::for_test() };
    let run = run(&running, start, tools, told);
    let folder = crate::flow::body::Folder::make(None).await.unwrap();
    assert_eq!(run.attempt(&shell("true"), &folder, None).kill_grace, Duration::from_secs(3));
}

/// A node that stops lets bodies finish and keeps what they did; what begins later is left to the next one.
#[tokio::test]
async fn a_node_that_stops_lets_bodies_finish_and_begins_no_more() {
    let tools = Tools::for_test();
    let (mut begins, goes_on) = hold(&tools);
    let definition = Definition {
        parts: vec![source("make", "hello", 2), worker(), sink("end")],
        connections: vec![Connection::new(0, 1), Connection::new(1, 2)],
    };
    let (store, id, flows) = node_with(&definition, tools).await;
    let does = |name: &str, action| flows.change("default", "f", Some(vec![name.to_owned()]), action);
    does("make", Action::RunOnce).await.expect("it runs");
    does("work", Action::Start).await.expect("it starts");
    begins.recv().await.expect("it begins");
    flows.drain();
    let mut drained = tokio::spawn({
        let flows = flows.clone();
        async move { flows.drained().await }
    });
    flows.view("default", "f").await.expect("it is there");
    assert!(tokio::time::timeout(Duration::ZERO, &mut drained).await.is_err(), "a body runs");
    goes_on.send_replace(true);
    drained.await.expect("it is answered");
    assert!(begins.try_recv().is_err(), "the second item is left");
    let numbers = definition.connection_numbers();
    let mut kept: Vec<i64> = store.items(id, 0, 10).await.expect("items").iter().map(|it| it.connection).collect();
    kept.sort_unstable();
    let mut expected = numbers.clone();
    expected.sort_unstable();
    assert_eq!(kept, expected, "what the first came to is kept");
}
