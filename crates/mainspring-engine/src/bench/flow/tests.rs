//! The benchmark itself, and with it what flows cost in real time.

use super::*;

async fn measured(plan: FlowPlan) -> FlowBench {
    let process = || tokio::process::Command::new("false");
    let site = Site { store: "memory:", nodes: 1, process: &process, progress: &|_, _, _| {} };
    flow(site, plan).await.unwrap()
}

#[tokio::test]
async fn items_come_through_every_shape_once_and_idle_components_ask_nothing() {
    for (shape, components) in [(FlowShape::Chain, 3), (FlowShape::Fan, 4), (FlowShape::Idle, 50)] {
        let seconds = if shape == FlowShape::Idle { 1 } else { 60 };
        let measured = measured(FlowPlan { shape, components, items: 20, seconds, poll_ms: None }).await;
        assert_eq!((measured.lost, measured.duplicates), (0, 0), "{measured:?}");
        assert_eq!(measured.items_per_second.is_some(), shape != FlowShape::Idle);
        if shape == FlowShape::Idle {
            assert_eq!(measured.checks_per_second, 0.0, "{measured:?}");
        }
    }
}

/// Watches idle components, and holds that they cost less than a hundredth of a core.
async fn idle(components: u32, seconds: u32) {
    let measured = measured(FlowPlan { shape: FlowShape::Idle, components, items: 1, seconds, poll_ms: None }).await;
    assert_eq!(measured.checks_per_second, 0.0, "{measured:?}");
    assert!(measured.cpu_percent < 1.0, "{measured:?}");
}

// Of real time, and so parts of `make proof`, which gives each a process of its own: processor time is that of the process.

#[tokio::test]
async fn c10_an_idle_component_burns_no_processor_time() {
    idle(1, 10).await;
}

#[tokio::test]
async fn c23_ten_thousand_idle_components_burn_no_processor_time() {
    idle(10_000, 30).await;
}

#[tokio::test]
async fn c37_ten_hops_take_less_than_a_look_every_ten_milliseconds_would() {
    let chain = async |components, poll_ms| {
        let plan = FlowPlan { shape: FlowShape::Chain, components, items: 200, seconds: 60, poll_ms };
        let measured = measured(plan).await;
        assert_eq!((measured.lost, measured.duplicates), (0, 0), "{measured:?}");
        measured.through_p50_ms.expect("items were put one by one")
    };
    let (one, ten, polled) = (chain(1, None).await, chain(10, None).await, chain(10, Some(10)).await);
    // One hop has a commit of its own beside that of the put. To look every 10 ms would cost 5 ms for each hop.
    assert!(ten < 10.0 * one + 5.0 && ten < 50.0, "one hop takes {one} ms, ten take {ten} ms");
    assert!(ten < polled, "ten hops take {ten} ms, and {polled} ms where components look every 10 ms");
}
