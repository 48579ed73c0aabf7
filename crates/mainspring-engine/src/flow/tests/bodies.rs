//! What bodies leave behind: files once their items are kept, and sessions of handlers.

use mainspring_core::flow::body::FileIn;

use super::*;
use crate::flow::body::session::{Item, Session};
use crate::flow::body::{Run, Told};

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
