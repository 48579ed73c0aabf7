//! Three nodes, and what happens to them: whatever breaks, each instant has one record, and each attempt ran once at most.

use mainspring_api::NodeState;
use mainspring_engine::{Clock, SystemClock};
use mainspring_rig::{Bounds, Database, Flow, Proxy, Shutdown};
use rustix::process::Signal;
use serde_json::json;
use std::time::Duration;

use crate::arena::{Arena, dealt_to, incarnation, shared_by};

/// How long a node is stopped, and how long a wire is slow.
const STOPPED_MS: i64 = 20_000;
const SLOW_MS: i64 = 5_000;
const HOUR_MS: i64 = 3_600_000;

#[test]
fn node_that_is_stopped_for_a_while_comes_back_as_another_on_postgres() {
    let arena = Arena::shared();
    let nodes = arena.three();
    arena.work(&nodes[0]);
    let [stopped, other, _third] = arena.owner_first(nodes, "long");
    let before = incarnation(&arena.sees(&other, "three nodes", shared_by(3)), &stopped);
    // The first of its attempts goes on for longer than anything here.
    let once = arena.program.home().join("once").display().to_string();
    let line = arena.witness.line(&format!("if mkdir '{once}' 2>/dev/null; then sleep 600; fi"));
    let long = json!({
        "name": "long", "run": line, "schedule": {"every": "1s"}, "overlap": "skip", "on_lost": "retry", "retries": 3
    });
    arena.apply(&other, &json!({ "jobs": [long] }));
    let begins = async |attempt| {
        let mut marks = arena.witness.read().ok()?.into_iter();
        marks.find(|mark| mark.job == "default/long" && mark.attempt == attempt).map(|mark| mark.pid)
    };
    let first = arena.wait("the long run begins", async || begins(1).await);
    let until = SystemClock.now() + STOPPED_MS;
    stopped.signal(Signal::STOP);
    arena.wait("another node has the run", async || begins(2).await);
    assert!(!std::path::Path::new(&format!("/proc/{first}")).exists(), "the first attempt still goes on");
    arena.sees(&other, "two nodes share the shards", shared_by(2));
    arena.recorded(SystemClock.now());
    arena.pass(until);
    stopped.signal(Signal::CONT);
    let after = incarnation(&arena.sees(&other, "it takes part again", shared_by(3)), &stopped);
    assert_ne!(before, after);
    let report = arena.accounted(Bounds::default());
    assert!(report.lost_attempts > 0, "{report}");
}

fn nodes_outlive_restarts_of_the_database(database: Database) {
    let (arena, mut server) = Arena::own(database);
    let nodes = arena.three();
    let [a, b, c] = &nodes;
    arena.work(a);
    let before = arena.sees(a, "all are there", |_| true);
    for how in [Shutdown::Fast, Shutdown::Immediate] {
        server.restart(how).unwrap();
        arena.accounted(Bounds::default());
    }
    let session = server.sessions().unwrap()[0];
    server.kill_session(session).unwrap();
    arena.recorded(SystemClock.now());
    arena.wait("all sessions are ended", async || server.end_sessions().ok());
    let report = arena.accounted(Bounds::default());
    assert_eq!((report.missed, report.lost_attempts), (0, 0), "{report}");
    // An outage makes nobody look dead.
    let after = arena.sees(a, "three nodes share the shards", shared_by(3));
    for node in [a, b, c] {
        assert_eq!(incarnation(&before, node), incarnation(&after, node));
    }
}

#[test]
fn nodes_outlive_restarts_of_the_database_on_postgres() {
    nodes_outlive_restarts_of_the_database(Database::Postgres);
}

#[test]
fn nodes_outlive_restarts_of_the_database_on_mariadb() {
    nodes_outlive_restarts_of_the_database(Database::Mariadb);
}

/// What a wire does there and back, and what becomes of a node behind it.
type Fault = (Flow, Flow, Fate);

#[derive(Clone, Copy, Eq, PartialEq)]
enum Fate {
    Stays,
    /// It leaves its shards to the others, and goes on.
    IsFar,
    IsReplaced,
}

fn node_behind_a_wire_takes_part_again(database: Database, faults: &[Fault]) {
    let (arena, server) = Arena::own(database);
    let proxy = Proxy::to(server.port()).unwrap();
    let (a, b) = (arena.start("a"), arena.start("b"));
    let c = arena.start_at("c", &proxy.address(&arena.address).unwrap(), &[]);
    arena.sees(&a, "three nodes share the shards", shared_by(3));
    arena.work(&b);
    let is_far = |cluster: &mainspring_api::Cluster| {
        let c = cluster.nodes.iter().find(|node| node.name == "c");
        dealt_to(2)(cluster) && c.is_some_and(|node| node.state == NodeState::Far && node.answer_ms >= Some(500))
    };
    for (there, back, fate) in faults {
        let before = incarnation(&arena.sees(&a, "c is there", shared_by(3)), &c);
        proxy.set_each(*there, *back);
        match fate {
            Fate::Stays => arena.pass(SystemClock.now() + SLOW_MS),
            Fate::IsFar => drop(arena.sees(&a, "c is far", is_far)),
            Fate::IsReplaced => drop(arena.sees(&a, "two nodes share the shards", dealt_to(2))),
        }
        arena.recorded(SystemClock.now());
        proxy.set(Flow::Pass);
        let after = incarnation(&arena.sees(&a, "c takes part", shared_by(3)), &c);
        assert_eq!(before != after, *fate == Fate::IsReplaced, "{there:?} {back:?}");
    }
    proxy.reset();
    arena.accounted(Bounds::default());
}

const fn delay(ms: u64) -> Flow {
    Flow::Delay(Duration::from_millis(ms))
}

#[test]
fn node_that_is_cut_off_is_replaced_and_takes_part_again_on_postgres() {
    let faults = [
        (Flow::Hold, Flow::Hold, Fate::IsReplaced),
        (delay(50), delay(50), Fate::Stays),
        (Flow::Pass, Flow::Hold, Fate::IsReplaced),
        (Flow::Swallow, Flow::Swallow, Fate::IsReplaced),
        (delay(3_000), Flow::Pass, Fate::IsReplaced),
    ];
    node_behind_a_wire_takes_part_again(Database::Postgres, &faults);
}

#[test]
fn node_that_is_cut_off_is_replaced_and_takes_part_again_on_mariadb() {
    let faults = [(Flow::Hold, Flow::Hold, Fate::IsReplaced), (delay(50), delay(50), Fate::Stays)];
    node_behind_a_wire_takes_part_again(Database::Mariadb, &faults);
}

/// Over the first, renewals are answered in time and every transaction takes seconds, so that the shards go to the others; over the
/// second, renewals arrive and their answers come too late.
const SLOW_WIRES: [Fault; 2] = [(delay(400), delay(400), Fate::IsFar), (delay(1_200), delay(1_200), Fate::IsReplaced)];

#[test]
fn node_over_a_slow_wire_leaves_its_shards_and_takes_leave_over_a_slower_one_on_postgres() {
    node_behind_a_wire_takes_part_again(Database::Postgres, &SLOW_WIRES);
}

#[test]
fn node_that_is_killed_is_replaced_on_mariadb() {
    let (arena, _server) = Arena::own(Database::Mariadb);
    let nodes = arena.three();
    arena.work(&nodes[0]);
    let [killed, other, _third] = arena.owner_first(nodes, "slow");
    killed.kill();
    arena.sees(&other, "two nodes share the shards", shared_by(2));
    let report = arena.accounted(Bounds::default());
    assert!(report.lost_attempts > 0, "{report}");
}

#[test]
fn node_whose_clock_is_an_hour_off_takes_no_part_until_it_is_right() {
    let arena = Arena::shared();
    let offset = |ms: i64| arena.program.file("offset", format!("{ms}\n"));
    let file = offset(HOUR_MS);
    let (a, b) = (arena.start("a"), arena.start("b"));
    let c = arena.start_at("c", &arena.address, &["--for-tests", "--clock-offset-file", &file]);
    let clock_off = |cluster: &mainspring_api::Cluster| {
        let c = cluster.nodes.iter().find(|node| node.name == "c");
        dealt_to(2)(cluster) && c.is_some_and(|node| node.state == NodeState::ClockOff && node.shards == 0)
    };
    arena.sees(&a, "c is off", clock_off);
    arena.work(&b);
    arena.accounted(Bounds::default());
    for step_ms in [HOUR_MS, -HOUR_MS] {
        offset(0);
        arena.sees(&a, "three nodes share the shards", shared_by(3));
        arena.recorded(SystemClock.now());
        offset(step_ms);
        arena.sees(&a, "c is off", clock_off);
        arena.accounted(Bounds::default());
    }
    c.said("this machine's clock differs from the database's");
}
