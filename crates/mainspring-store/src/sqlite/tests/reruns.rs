//! A process is killed while it asks for a rerun of a workflow run: the new run is there with all that it keeps, or not at all.

use mainspring_core::job::JobKey;
use mainspring_core::workflow::TaskState;
use mainspring_core::{Incarnation, RunId};

use super::faults::{child, folder_in_memory, killed_at, may_trace, open, remove};
use super::*;
use crate::AskedRun;
use crate::conformance::kit::{Kit, at};
use crate::conformance::reruns::{again, over};

/// What a child does: asks for a rerun of the run that is there, and begins it.
pub(super) const ROLE: &str = "rerun";

/// The run that is repeated, and the request.
async fn request(store: &Arc<SqliteStore>, incarnation: Incarnation) -> (RunId, AskedRun) {
    let kit = Kit::restarted(store.clone(), incarnation).await;
    let job = kit.kept(&JobKey::new("default", "graph")).await;
    let query = crate::RunQuery { limit: 9, ..Default::default() };
    let run = store.runs(query).await.unwrap().last().expect("it is there").id;
    (run, again(&job, run, 7, None, &[(0, 0)]))
}

async fn ask(store: &Arc<SqliteStore>, asked: AskedRun) {
    let run = asked.id;
    store.ask_run(asked).await.unwrap();
    store.begin_workflow(run, at(4_000)).await.unwrap();
}

/// What the other process does.
pub(super) async fn run(path: &Path) {
    let store = Arc::new(open(path).unwrap());
    let (_, asked) = request(&store, Incarnation(2)).await;
    ask(&store, asked).await;
    store.close().await.unwrap();
    println!("\ndone");
}

#[tokio::test]
async fn rerun_is_whole_or_not_there_whatever_write_is_the_last() {
    if !may_trace() {
        return;
    }
    let folder = folder_in_memory();
    let there = folder.path().join("there.db");
    let store = Arc::new(open(&there).unwrap());
    over(&mut Kit::restarted(store.clone(), Incarnation(1)).await).await;
    store.close().await.unwrap();
    let path = folder.path().join("s.db");
    for calls in ["pwrite64,ftruncate", "fsync,fdatasync"] {
        let (mut number, mut whole, mut absent) = (0, 0, 0);
        loop {
            number += 1;
            remove(&path);
            std::fs::copy(&there, &path).unwrap();
            let text = killed_at(child(ROLE, &path), calls, number, Some(&path));
            let store = Arc::new(open(&path).unwrap());
            let (run, asked) = request(&store, Incarnation(3)).await;
            let new = asked.id;
            let row = async |run| store.workflow(run, 9).await.unwrap();
            match store.run(new).await.unwrap() {
                Some(_) => {
                    whole += 1;
                    assert_eq!(row(new).await.expect("it has its row").tasks.len(), 3, "killed at {number} of {calls}");
                    assert_eq!(row(run).await.unwrap().rerun_as, Some(new));
                }
                None => {
                    absent += 1;
                    assert_eq!((row(new).await, row(run).await.unwrap().rerun_as), (None, None));
                }
            }
            ask(&store, asked).await;
            let begun = row(new).await.unwrap();
            assert_eq!((begun.turn, begun.tasks.len()), (1, 3));
            assert!(begun.tasks.iter().all(|task| task.task == 0 && task.state == TaskState::Succeeded));
            store.close().await.unwrap();
            if text.contains("\ndone") {
                break;
            }
        }
        assert!(whole > 1 && absent > 1, "killed at {calls}: {whole} were there, {absent} were not");
    }
}
