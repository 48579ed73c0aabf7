//! Benchmarks in this process, with rows planted by hand.

use std::sync::Arc;

use mainspring_store::Store;
use mainspring_store::conformance::kit;

use super::count::{Counted, count};
use super::fires::add;
use super::load::Group;
use super::node::Node;
use super::place::Place;
use super::*;

fn site(store: &str, nodes: u32) -> Site<'_> {
    let process = &|| panic!("these tests have no processes");
    Site { store, nodes, process, progress: &|_, _, _| {} }
}

#[tokio::test]
async fn a_store_in_memory_is_drained_without_loss() {
    let plan = Plan { triggers: 700, load: Load::Drain, seconds: 60, statements: false };
    let measured = fires(site("memory:", 1), plan).await.unwrap();
    assert_eq!((measured.fires, measured.lost, measured.duplicates), (700, 0, 0), "{measured:?}");
}

#[tokio::test]
async fn a_herd_is_told_from_the_others() {
    let plan = HerdPlan { triggers: 300, others: 20, rate: 200, seconds: 60 };
    let measured = herd(site("memory:", 1), plan).await.unwrap();
    assert_eq!((measured.fires, measured.lost, measured.duplicates), (300, 0, 0), "{measured:?}");
    assert_eq!(f64::from(measured.lateness_ms.max) / 1_000.0, measured.drain_seconds);
}

#[tokio::test]
async fn nothing_fires_while_idle() {
    let measured = idle(site("memory:", 1), IdlePlan { triggers: 600, seconds: 1 }).await.unwrap();
    assert_eq!(measured.duplicates, 0);
    assert!(measured.start_seconds < 30.0 && measured.seconds >= 1.0, "{measured:?}");
}

#[tokio::test]
async fn a_flow_is_measured_over_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = format!("sqlite:{}", folder.path().join("flow.db").display());
    let plan = FlowPlan { shape: FlowShape::Chain, components: 2, items: 20, seconds: 60, poll_ms: None };
    let measured = flow(site(&file, 1), plan).await.unwrap();
    assert_eq!((measured.items, measured.lost, measured.duplicates), (20, 0, 0), "{measured:?}");
}

#[tokio::test]
async fn several_nodes_need_a_database() {
    let folder = tempfile::tempdir().unwrap();
    let file = format!("sqlite:{}", folder.path().join("jobs.db").display());
    for store in ["memory:", &file] {
        let plan = Plan { triggers: 1, load: Load::Drain, seconds: 1, statements: false };
        let refused = fires(site(store, 2), plan).await.unwrap_err();
        assert!(matches!(refused, Error::OneNode { nodes: 2, .. }), "{refused:?}");
    }
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "nothing was made");
}

/// The benchmark's count against rows that a test removes and doubles.
#[tokio::test]
async fn lost_and_doubled_fires_are_found_in_the_tables() {
    let address = kit::postgres().await;
    let site = site(&address, 1);
    let place = Place::empty(&site).await.unwrap();
    let group = Group::together("job", 40, 3_600_000, 0);
    let planting = add(&site, &place, &[group]).await.unwrap();
    let refused = Place::empty(&site).await.err().unwrap();
    assert!(matches!(refused, Error::NotEmpty { jobs: 40, triggers: 0 }), "{refused:?}");

    let store: Arc<dyn Store> = place.open().await.unwrap();
    let node = Node::start(Arc::clone(&store), "a".to_owned()).await.unwrap();
    let counted = async || count(&*store, &planting, planting.begin).await.unwrap();
    let mut pace = Pace::new();
    pace.until(planting.begin).await;
    while counted().await.fires < 40 {
        pace.next_look().await;
    }
    node.answer(&super::node::Ask::Rest).await;
    assert_eq!(counted().await, Counted { fires: 40, lost: 0, duplicates: 0 });

    let (client, session) = tokio_postgres::connect(&address, tokio_postgres::NoTls).await.unwrap();
    let session = tokio::spawn(session);
    let copy = "INSERT INTO history SELECT (jsonb_populate_record(h, jsonb_build_object('id', \
        overlay(h.id::text PLACING 'ffffffff' FROM 29)))).* \
        FROM history AS h WHERE trigger_id = (SELECT min(trigger_id) FROM history)";
    let remove = "DELETE FROM history WHERE trigger_id = (SELECT max(trigger_id) FROM history)";
    client.batch_execute(remove).await.unwrap();
    client.batch_execute(copy).await.unwrap();
    assert_eq!(counted().await, Counted { fires: 40, lost: 1, duplicates: 1 });
    drop(client);
    session.await.unwrap().unwrap();
}
