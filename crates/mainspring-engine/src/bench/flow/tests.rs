//! The benchmark itself, and with it what flows cost in real time.

use super::*;

async fn measured(plan: FlowPlan) -> FlowBench {
    let process = || tokio::process::Command::new("false");
    let site = Site { store: "memory:", nodes: 1, process: &process, progress: &|_, _, _| {} };
    flow(site, plan).await.unwrap()
}

/// Runs a test in a process of its own, as processor time is that of a process. True: this is that process.
fn is_alone(test: &str) -> bool {
    const ALONE: &str = "MAINSPRING_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let (_, module) = module_path!().split_once("::").unwrap();
    let program = std::env::current_exe().unwrap();
    let mut alone = std::process::Command::new(program);
    alone.args(["--exact", &format!("{module}::{test}"), "--nocapture"]).env(ALONE, "1");
    let output = alone.output().unwrap();
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    false
}

#[tokio::test]
async fn items_come_through_every_shape_once_and_idle_components_ask_nothing() {
    use FlowShape::{Chain, Fan, Idle, Penalised, Queue};

    for (shape, components) in [(Chain, 3), (Fan, 4), (Idle, 50), (Queue, 1), (Penalised, 1)] {
        let seconds = if matches!(shape, Idle | Penalised) { 1 } else { 60 };
        let measured = measured(FlowPlan { shape, components, items: 20, seconds, poll_ms: None }).await;
        assert_eq!((measured.lost, measured.duplicates), (0, 0), "{measured:?}");
        assert_eq!(measured.items_per_second.is_some(), matches!(shape, Chain | Fan));
        assert_eq!(measured.empty_p99_ms.zip(measured.through_p99_ms).is_some(), shape == Queue);
        match shape {
            Idle | Penalised => assert_eq!(measured.checks_per_second, 0.0, "{measured:?}"),
            // That of the put, and one for each of three hops.
            Chain => assert_eq!(measured.commits_per_item, Some(4.0), "{measured:?}"),
            Fan | Queue => {}
        }
    }
}

/// Watches idle components, and holds that they cost less than a hundredth of a core.
async fn idle(components: u32, seconds: u32) {
    let measured = measured(FlowPlan { shape: FlowShape::Idle, components, items: 1, seconds, poll_ms: None }).await;
    assert_eq!(measured.checks_per_second, 0.0, "{measured:?}");
    assert!(measured.cpu_percent < 1.0, "{measured:?}");
}

// Of real time, and so parts of `make proof`.

#[tokio::test]
async fn c10_an_idle_component_burns_no_processor_time() {
    if is_alone("c10_an_idle_component_burns_no_processor_time") {
        idle(1, 10).await;
    }
}

#[tokio::test]
async fn c23_ten_thousand_idle_components_burn_no_processor_time() {
    if is_alone("c23_ten_thousand_idle_components_burn_no_processor_time") {
        idle(10_000, 30).await;
    }
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
