//! What Prometheus is told of flows.

use std::collections::BTreeMap;

use super::*;
use crate::flow::meter::{AtWork, Meter};
use crate::metrics::{Catalogue, Metrics};

fn text(metrics: &Metrics) -> String {
    let mut catalogue = Catalogue::default();
    metrics.register(&mut catalogue);
    catalogue.text()
}

fn has(metrics: &Metrics, line: &str) {
    let text = text(metrics);
    let flows: String = text.lines().filter(|it| it.contains("flow")).map(|it| format!("{it}\n")).collect();
    assert!(text.contains(&format!("mainspring_{line}\n")), "{line} in\n{flows}");
}

fn definition() -> Definition {
    Definition { parts: vec![source("make", "hello", 1), sink("end")], connections: vec![Connection::new(0, 1)] }
}

fn at_work_all(flows: &BTreeMap<i64, Running>) -> impl Iterator<Item = (i64, AtWork<'_>)> {
    flows.iter().map(|(key, running)| (*key, running.at_work()))
}

/// A flow at work whose source has made an item.
async fn at_work(generation: u64) -> (Running, Pools) {
    let (store, mut running, mut pools, now) = picky(definition(), false).await;
    running.generation = generation;
    running.machine.run_once(0, &mut pools, now).expect("it starts");
    let start = starts(&mut running, &mut pools, now).remove(0);
    let later = Now { mono_ms: 1_500, wall: Timestamp::from_millis(2_500) };
    ends(&mut running, &start, "hello", &mut pools, later);
    written(&store, &mut running, &mut pools, later).await;
    (running, pools)
}

#[tokio::test]
async fn figures_of_flows_go_on_when_a_flow_is_read_anew_and_go_with_it() {
    let metrics = Arc::new(Metrics::new(false));
    let mut meter = Meter::new(Arc::clone(&metrics));
    let mut flows = BTreeMap::new();
    let (running, pools) = at_work(1).await;
    flows.insert(1, running);
    let of_make = r#"{namespace="default",flow="f",component="make"}"#;
    let of_queue = r#"{namespace="default",flow="f",connection="make:end"}"#;
    for _ in 0..2 {
        meter.look_at_all(at_work_all(&flows), &pools);
        has(&metrics, &format!("flow_items_out_total{of_make} 1"));
        has(&metrics, &format!("flow_tasks_total{of_make} 1"));
        has(&metrics, &format!("flow_task_seconds_total{of_make} 1.5"));
        has(&metrics, &format!("flow_active_tasks{of_make} 0"));
        has(&metrics, &format!("flow_queue_items{of_queue} 1"));
        has(&metrics, &format!("flow_queue_full{of_queue} 0"));
        has(&metrics, r#"flow_pool_size{pool="timer"} 10"#);
    }
    // Its machine counts from its beginning again.
    let (running, pools) = at_work(2).await;
    flows.insert(1, running);
    meter.look_at_all(at_work_all(&flows), &pools);
    has(&metrics, &format!("flow_items_out_total{of_make} 2"));
    flows.clear();
    meter.look_at_all(at_work_all(&flows), &pools);
    assert!(!text(&metrics).contains(r#"component="make""#), "it is not at work here");
}

#[tokio::test]
async fn flows_beyond_a_bound_are_counted_together() {
    let metrics = Arc::new(Metrics::new(false));
    let mut meter = Meter::showing(Arc::clone(&metrics), 5);
    let (mut flows, mut pools) = (BTreeMap::new(), Pools::default());
    for key in 1..=2 {
        let (mut running, its_pools) = at_work(1).await;
        running.row.name = format!("f-{key}");
        flows.insert(key, running);
        pools = its_pools;
    }
    meter.look_at_all(at_work_all(&flows), &pools);
    has(&metrics, r#"flow_tasks_total{namespace="default",flow="f-1",component="make"} 1"#);
    assert!(!text(&metrics).contains("f-2"));
    has(&metrics, "flows_left_out 1");
    has(&metrics, "flow_checks_total 4");
    // Where there is room again, it is shown.
    flows.remove(&1);
    meter.look_at_all(at_work_all(&flows), &pools);
    has(&metrics, r#"flow_tasks_total{namespace="default",flow="f-2",component="make"} 1"#);
    has(&metrics, "flows_left_out 0");
}
