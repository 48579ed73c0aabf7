//! What counts as work, what closes the gate, and that each reason has its wake.

use super::world::*;
use crate::flow::gate::{Gate, Incoming, Reason, Snapshot, Work, gate};
use crate::flow::*;

fn open() -> Snapshot {
    Snapshot {
        now_ms: 100,
        terminated: false,
        yield_until_ms: 100,
        elsewhere: false,
        work: Work::Source,
        incoming: vec![],
        has_room: vec![],
        any_destination: false,
        active: 0,
        concurrency: None,
    }
}

#[test]
fn c15_what_counts_as_work() {
    let empty = Incoming { is_loop: false, ready: 0, penalised_until_ms: None };
    let full = Incoming { ready: 1, ..empty };
    let penalised = Incoming { penalised_until_ms: Some(130), ..empty };
    let own = Incoming { is_loop: true, ..full };
    let funnel = Work::Funnel { has_output: true };
    let cases: [(&str, Work, Vec<Incoming>, Option<Reason>); 12] = [
        ("no input", Work::Source, vec![], None),
        ("a loop alone", Work::Source, vec![own], None),
        ("to be run when empty", Work::Source, vec![empty], None),
        ("an empty queue", Work::Items, vec![empty], Some(Reason::NoWork)),
        ("an item", Work::Items, vec![empty, full], None),
        ("all items penalised", Work::Items, vec![penalised, empty], Some(Reason::Penalised)),
        ("one item not penalised", Work::Items, vec![penalised, full], None),
        ("a funnel without input", funnel, vec![], Some(Reason::NoWork)),
        ("a funnel with itself alone", funnel, vec![own], Some(Reason::NoWork)),
        ("a funnel without output", Work::Funnel { has_output: false }, vec![full], Some(Reason::NoWork)),
        ("an empty funnel", funnel, vec![empty], Some(Reason::NoWork)),
        ("a funnel with an item", funnel, vec![full], None),
    ];
    for (name, work, incoming, expected) in cases {
        let answer = gate(&Snapshot { work, incoming, ..open() });
        let reason = match answer {
            Gate::Ready => None,
            Gate::Blocked(blocked) => Some(blocked.reason),
        };
        assert_eq!(reason, expected, "{name}");
    }
}

#[test]
fn the_gate_names_the_first_reason_and_when_it_ends() {
    let cases: [(Snapshot, Reason, Option<i64>); 6] = [
        (Snapshot { terminated: true, yield_until_ms: 101, ..open() }, Reason::Terminated, None),
        (Snapshot { yield_until_ms: 101, elsewhere: true, ..open() }, Reason::Yielded, Some(101)),
        (Snapshot { elsewhere: true, work: Work::Items, ..open() }, Reason::NotLeader, None),
        (Snapshot { work: Work::Items, has_room: vec![false], ..open() }, Reason::NoWork, None),
        (Snapshot { has_room: vec![true, false], concurrency: Some(0), ..open() }, Reason::DownstreamFull, None),
        (Snapshot { concurrency: Some(2), active: 2, ..open() }, Reason::AtConcurrency, None),
    ];
    for (snapshot, reason, until_ms) in cases {
        assert_eq!(gate(&snapshot), Gate::Blocked(Blocked { reason, until_ms }));
    }
    assert_eq!(gate(&open()), Gate::Ready);
}

#[test]
fn b01_back_pressure_holds_at_the_limit_with_items_in_flight_and_by_bytes() {
    for (max_items, max_bytes) in [(3, 0), (0, 3)] {
        let connection = Connection { max_items, max_bytes, ..Connection::new(0, 1) };
        let mut world =
            World::new(vec![timer("make", 0), last(timer("slow", 0))], vec![connection]).body(1, 1_000, pass);
        world.start_all();
        world.run(999);
        // One in flight and two that wait are three.
        assert_eq!((world.machine.queue(0).len(), world.machine.queue(0).in_flight()), (3, 1));
        assert_eq!(world.machine.why(0, &world.pools, world.now()).blocked.unwrap().reason, Reason::DownstreamFull);
        assert_eq!(world.bodies_of(0), 3);
    }
}

#[test]
fn b02_room_behind_a_component_starts_it() {
    let connection = Connection { max_items: 1, ..Connection::new(0, 1) };
    let mut world = World::new(vec![timer("make", 0), last(timer("slow", 0))], vec![connection]).body(1, 1_000, pass);
    world.start_all();
    world.run(2_500);
    assert_eq!(world.starts_of(0), [0, 1_000, 2_000]);
    assert!(world.machine.wakes_total(Cause::Room) >= 2);
}

#[test]
fn b03_any_destination_needs_room_behind_one_relationship() {
    let to = |to, relationship: &str| Connection {
        max_items: 1,
        relationships: vec![relationship.into()],
        ..Connection::new(0, to)
    };
    for (any_destination, bodies) in [(false, 1), (true, 2)] {
        let relationships = vec!["success".into(), "other".into()];
        let make = Component { any_destination, relationships, ..timer("make", 10) };
        let components = vec![make, last(timer("a", 0)), last(timer("b", 0))];
        let other = |start: &Start| match pass(start) {
            Verdict::Done { items, mut outputs, yields } => {
                outputs[0].relationship = if start.turn.0 == 1 { "success".into() } else { "other".into() };
                Verdict::Done { items, outputs, yields }
            }
            it => it,
        };
        let mut world = World::new(components, vec![to(1, "success"), to(2, "other")]).body(0, 0, other);
        world.start(0);
        world.run(1_000);
        assert_eq!(world.bodies_of(0), bodies, "{any_destination}");
    }
}

#[test]
fn b04_a_full_queue_to_itself_does_not_block() {
    let own = Connection { max_items: 1, ..Connection::new(0, 0) };
    let mut world = World::new(vec![timer("again", 100)], vec![own]);
    world.start(0);
    world.run(450);
    assert_eq!(world.bodies_of(0), 5);
}

#[test]
fn b05_a_circle_of_full_queues_goes_on() {
    let limited = |from, to| Connection { max_items: 2, ..Connection::new(from, to) };
    let components = vec![timer("a", 100), timer("b", 100)];
    let mut world = World::new(components, vec![limited(0, 1), limited(1, 0)]);
    for connection in [0, 0, 1, 1] {
        world.put(connection);
    }
    world.start_all();
    world.run(10_000);
    assert!(world.bodies_of(0) > 10 && world.bodies_of(1) > 10, "{:?}", world.starts);
    assert!(world.machine.cycle_relief_total() > 10);
    assert_eq!(world.machine.queue(0).len() + world.machine.queue(1).len(), 4);
}

#[test]
fn b05_a_circle_goes_on_though_one_of_it_has_no_items() {
    let limited = |from, to| Connection { max_items: 2, ..Connection::new(from, to) };
    let again = Connection { relationships: vec!["again".into()], ..limited(1, 2) };
    let b = Component { relationships: vec!["success".into(), "again".into()], ..timer("b", 100) };
    let components = vec![timer("a", 100), b, event("c")];
    let mut world = World::new(components, vec![limited(0, 1), limited(1, 0), again, limited(2, 0)]);
    for connection in [0, 0, 1, 1] {
        world.put(connection);
    }
    world.start_all();
    world.run(10_000);
    assert!(world.bodies_of(0) > 10 && world.bodies_of(1) > 10, "{:?}", world.starts);
}

#[test]
fn b05_a_circle_goes_on_at_times_of_a_calendar() {
    let limited = |from, to| Connection { max_items: 2, ..Connection::new(from, to) };
    let components = vec![cron("a", "* * * * * ?"), cron("b", "* * * * * ?")];
    let mut world = World::new(components, vec![limited(0, 1), limited(1, 0)]);
    for connection in [0, 0, 1, 1] {
        world.put(connection);
    }
    world.start_all();
    world.run(20_500);
    assert!(world.bodies_of(0) + world.bodies_of(1) >= 10, "{:?}", world.starts);
    assert!(world.starts.iter().all(|(at, _)| at % 1_000 == 0), "{:?}", world.starts);
}

#[test]
fn b06_a_penalised_item_is_overtaken_and_comes_on_time() {
    let mut world = fed(timer("log", 0));
    let penalised = Header { penalty_until_ms: Some(30_000), ..world.item() };
    let first = world.put_item(0, penalised);
    let second = world.put(0);
    world.start(1);
    world.run(60_000);
    assert_eq!(world.taken, [(0, 1, second.0), (30_000, 1, first.0)]);
    assert_eq!(world.machine.wakes_total(Cause::PenaltyEnded), 1);
}

#[test]
fn a_rejected_item_is_penalised_and_the_component_goes_on() {
    let reject = |start: &Start| {
        if start.items[0].penalty_until_ms.is_none() && start.turn.0 == 1 {
            Verdict::Rejected("not this one".into())
        } else {
            pass(start)
        }
    };
    let mut world = fed(timer("log", 0)).body(1, 10, reject);
    let (first, second) = (world.put(0), world.put(0));
    world.start(1);
    world.run(60_000);
    assert_eq!(world.taken, [(0, 1, first.0), (10, 1, second.0), (30_010, 1, first.0)]);
}

#[test]
fn b07_an_item_is_tried_again_with_growing_pauses_and_then_passed_on() {
    let failure = |start: &Start| Verdict::Done {
        items: vec![Disposal::Transfer { relationship: "failure".into(), changed: None }; start.items.len()],
        outputs: vec![],
        yields: None,
    };
    let retry = Retry { relationships: ["failure".to_owned()].into(), ..Retry::default() };
    let component = Component { retry: retry.clone(), relationships: vec!["failure".into()], ..timer("try", 0) };
    let mut world = fed(component).body(1, 0, failure);
    world.put(0);
    world.start(1);
    world.run(10_000_000);
    let gaps: Vec<i64> = world.starts_of(1).windows(2).map(|pair| (pair[1] - pair[0]) / 1_000).collect();
    assert_eq!(gaps, [30, 60, 120, 240, 480, 600, 600, 600, 600, 600]);
    assert!(world.machine.queue(0).is_empty());

    let retry = Retry { mode: RetryMode::Yield, max: 2, ..retry };
    let component = Component { retry, relationships: vec!["failure".into()], ..timer("try", 0) };
    let mut world = fed(component).body(1, 0, failure);
    let (first, second) = (world.put(0).0, world.put(0).0);
    world.start(1);
    world.run(2_500);
    assert_eq!(world.taken, [(0, 1, first), (1_000, 1, first)], "others must not overtake");
    world.run(5_000);
    assert_eq!(world.taken.iter().map(|it| it.2).collect::<Vec<_>>(), [first, first, first, second, second, second]);
}

#[test]
fn b08_items_that_expire_free_a_full_queue_though_nobody_takes_them() {
    let connection = Connection { max_items: 2, expire_after_ms: 5_000, ..Connection::new(0, 1) };
    let mut world = World::new(vec![timer("make", 1_000), last(timer("stopped", 0))], vec![connection]);
    world.start(0);
    world.run(5_500);
    assert_eq!(world.starts_of(0), [0, 1_000, 5_000]);
    assert_eq!(world.machine.take_expired().len(), 1);
}

#[test]
fn b09_prioritizers_decide_in_turn_and_ties_go_by_arrival() {
    let items: [(i64, Option<&str>); 6] =
        [(3, Some("b")), (1, Some("10")), (2, None), (3, Some("9")), (1, Some("9")), (2, Some("a"))];
    let cases: [(&[Prioritizer], [usize; 6]); 5] = [
        (&[], [0, 1, 2, 3, 4, 5]),
        (&[Prioritizer::Fifo], [0, 1, 2, 3, 4, 5]),
        (&[Prioritizer::Oldest], [1, 4, 2, 5, 0, 3]),
        (&[Prioritizer::Newest], [0, 3, 2, 5, 1, 4]),
        (&[Prioritizer::Priority, Prioritizer::Oldest], [4, 3, 1, 5, 0, 2]),
    ];
    for (prioritizers, expected) in cases {
        let connection = Connection { prioritizers: prioritizers.to_vec(), ..Connection::new(0, 1) };
        let mut queue = Queue::new(&connection);
        for (number, (lineage, priority)) in (0..).zip(items) {
            let item = Header {
                id: ItemId(number),
                order: number,
                entered_at: instant("2026-01-01T00:00:00Z"),
                lineage_at: mainspring_schedule::Timestamp::from_millis(lineage),
                priority: Priority::of(priority),
                bytes: 1,
                penalty_until_ms: None,
                retries: 0,
            };
            queue.put(item, 0);
        }
        let order: Vec<usize> = queue.take(10, u64::MAX).iter().map(|item| item.id.0 as usize).collect();
        assert_eq!(order, expected, "{prioritizers:?}");
    }
}

#[test]
fn incoming_queues_are_drained_in_turn() {
    let connections = vec![Connection::new(0, 2), Connection::new(1, 2)];
    let mut world = World::new(vec![timer("a", 0), timer("b", 0), last(timer("log", 1_000))], connections);
    let ids: Vec<i64> = [0, 0, 0, 1, 1].into_iter().map(|connection| world.put(connection).0).collect();
    world.start(2);
    world.run(10_000);
    let taken: Vec<i64> = world.taken.iter().map(|it| it.2).collect();
    assert_eq!(taken, [ids[0], ids[3], ids[1], ids[4], ids[2]]);
}

#[test]
fn a_funnel_moves_what_is_there_in_one_turn() {
    let components = vec![timer("feeder", 0), Component::funnel("all"), last(timer("stopped", 0))];
    let mut world = World::new(components, vec![Connection::new(0, 1), Connection::new(1, 2)]);
    world.put_many(0, 500);
    world.start(1);
    world.run(1);
    assert_eq!((world.bodies_of(1), world.machine.queue(1).len()), (1, 500));
}
