//! Components that wait for several items, and those that others put items into.

use super::world::*;
use crate::flow::*;

fn gathering(enough: usize, within_ms: i64) -> World {
    let component = Component { gather: enough, gather_ms: within_ms, batch: 100, ..event("merge") };
    fed(component)
}

#[test]
fn items_wait_until_there_are_enough_of_them() {
    let mut world = gathering(3, 1_000);
    world.start(1);
    world.put_many(0, 2);
    world.run(500);
    assert_eq!(world.bodies_of(1), 0);
    world.put(0);
    assert_eq!((world.starts_of(1), world.taken.len()), (vec![500], 3));
}

#[test]
fn fewer_items_will_do_after_a_while_from_the_first_of_them() {
    let mut world = gathering(3, 1_000);
    world.start(1);
    world.put(0);
    world.run(900);
    world.put(0);
    world.run(5_000);
    assert_eq!((world.starts_of(1), world.taken.len()), (vec![1_000], 2));
    // Those that come later wait anew.
    world.put(0);
    world.run(999);
    assert_eq!(world.bodies_of(1), 1);
    world.run(1);
    assert_eq!(world.bodies_of(1), 2);
    assert_eq!(world.machine.timer_count(), 0);
}

#[test]
fn a_full_queue_waits_for_nothing() {
    let merge = last(Component { gather: 10, gather_ms: 1_000_000, batch: 100, ..event("merge") });
    let connection = Connection { max_items: 2, ..Connection::new(0, 1) };
    let mut world = World::new(vec![timer("feeder", 0), merge], vec![connection]);
    world.start(1);
    world.put_many(0, 2);
    world.step();
    assert_eq!(world.bodies_of(1), 1);
}

#[test]
fn a_turn_takes_no_more_bytes_than_it_may_and_waits_for_no_more() {
    let component = Component { gather: 50, gather_ms: 1_000, batch: 100, batch_bytes: 10, ..event("merge") };
    let mut world = fed(component);
    world.start(1);
    let put = |world: &mut World, bytes: u64| {
        let item = Header { bytes, ..world.item() };
        world.put_item(0, item);
    };
    put(&mut world, 9);
    world.run(500);
    assert_eq!(world.bodies_of(1), 0, "more may come");
    put(&mut world, 2);
    world.step();
    assert_eq!((world.bodies_of(1), world.taken.len()), (1, 1), "the second has no room beside the first");
    world.run(1_000);
    assert_eq!((world.bodies_of(1), world.taken.len()), (2, 2));
    // One that is larger is taken alone, and at once.
    put(&mut world, 99);
    world.step();
    assert_eq!((world.bodies_of(1), world.taken.len(), world.machine.queue(0).ready_bytes()), (3, 3, 0));
}

#[test]
fn an_item_that_waits_is_overtaken_and_goes_on_then() {
    let wait = |start: &Start| match start.items[0].retries {
        0 => Verdict::Done { items: vec![Disposal::Delay(500)], outputs: Vec::new(), yields: None },
        _ => pass(start),
    };
    let mut world = fed(event("wait")).body(1, 0, wait);
    world.start(1);
    world.put(0);
    world.run(499);
    assert_eq!((world.bodies_of(1), world.machine.queue(0).penalised()), (1, 1));
    world.run(1);
    assert_eq!((world.starts_of(1), world.machine.queue(0).len()), (vec![0, 500], 0));
}

fn made(bytes: u64) -> Output {
    Output { relationship: "success".into(), bytes, priority: Priority::Absent, parent: None }
}

#[test]
fn items_are_put_into_a_component_that_runs_while_there_is_room() {
    let connection = Connection { max_items: 2, ..Connection::new(0, 1) };
    let input = Component { is_passive: true, ..Component::new("in") };
    let mut world = World::new(vec![input, last(event("log"))], vec![connection]);
    let now = world.now();
    assert_eq!(world.machine.accept(0, &[made(3)], now), Err(Refused::NotRunning));
    assert_eq!(world.machine.run_once(0, &mut world.pools, now), Err(Refused::Passive));
    world.start(0);
    let writes = world.machine.accept(0, &[made(3), made(4)], now).unwrap();
    assert_eq!(world.machine.queue(0).len(), 0, "they are there once they are kept");
    world.machine.accepted(0, writes, &mut world.pools, now);
    assert_eq!((world.machine.queue(0).len(), world.machine.counters(0, now).bytes_out), (2, 7));
    assert_eq!(world.machine.accept(0, &[made(3)], now), Err(Refused::Full));
    assert_eq!(world.machine.accept(1, &[made(3)], now), Err(Refused::HasBody));
    world.start(1);
    world.step();
    assert_eq!(world.bodies_of(1), 2);
    assert!(world.machine.accept(0, &[made(3)], now).is_ok());
}

#[test]
fn requests_at_the_same_time_put_no_more_into_a_queue_than_it_takes() {
    let connection = Connection { max_items: 3, max_bytes: 10, ..Connection::new(0, 1) };
    let input = Component { is_passive: true, ..Component::new("in") };
    let mut world = World::new(vec![input, last(event("log"))], vec![connection]);
    world.start(0);
    let now = world.now();
    let first = world.machine.accept(0, &[made(3), made(3)], now).unwrap();
    assert_eq!(world.machine.accept(0, &[made(1), made(1)], now), Err(Refused::Full), "one of them has no room");
    assert_eq!(world.machine.accept(0, &[made(5)], now), Err(Refused::Full), "its bytes have no room");
    let second = world.machine.accept(0, &[made(4)], now).unwrap();
    assert_eq!(world.machine.accept(0, &[made(0)], now), Err(Refused::Full), "the room is reserved");
    // What could not be kept gives its room back; what is kept has it in the queue.
    world.machine.declined(&first);
    let third = world.machine.accept(0, &[made(1)], now).unwrap();
    world.machine.accepted(0, second, &mut world.pools, now);
    world.machine.accepted(0, third, &mut world.pools, now);
    assert_eq!(world.machine.queue(0).len(), 2);
    assert!(world.machine.accept(0, &[made(1)], now).is_ok());
    assert_eq!(world.machine.accept(0, &[made(1)], now), Err(Refused::Full));
}

#[test]
fn an_item_that_is_larger_than_its_queue_fits_in_alone() {
    let connection = Connection { max_bytes: 10, ..Connection::new(0, 1) };
    let input = Component { is_passive: true, ..Component::new("in") };
    let mut world = World::new(vec![input, last(event("log"))], vec![connection]);
    world.start(0);
    let now = world.now();
    assert_eq!(world.machine.accept(0, &[made(9), made(9)], now), Err(Refused::Full));
    assert!(world.machine.accept(0, &[made(99)], now).is_ok());
    assert_eq!(world.machine.accept(0, &[made(1)], now), Err(Refused::Full));
}

#[test]
fn items_that_are_replayed_arrive_anew_and_make_room() {
    let components = vec![timer("make", 0), last(event("work")), last(event("lost"))];
    let mut connections = vec![Connection::new(0, 1), Connection { max_items: 2, ..Connection::new(0, 2) }];
    connections[1].relationships = vec!["success".into()];
    let mut world = World::new(components, connections);
    for _ in 0..2 {
        let item = Header { retries: 3, penalty_until_ms: Some(90_000), ..world.item() };
        world.put_item(1, item);
    }
    let first = world.machine.queue(1).iter().next().unwrap().id;
    world.start(1);
    let now = world.now();
    let moved = world.machine.replay(1, Some(&[first, ItemId(77)]), 0, &mut world.pools, now);
    world.step();
    assert_eq!(moved.iter().map(|it| (it.id, it.retries, it.penalty_until_ms)).collect::<Vec<_>>(), [(first, 0, None)]);
    assert_eq!((world.bodies_of(1), world.machine.queue(1).len()), (1, 1));
}

#[test]
fn a_pool_that_grows_lets_more_bodies_run_and_one_that_shrinks_no_new_ones() {
    let mut world = fed(Component { concurrency: 0, pool: Some("slow".into()), ..event("log") }).body(1, 1_000, pass);
    world.pools.resize("slow", 2);
    world.start(1);
    world.put_many(0, 20);
    assert_eq!(world.machine.active(1), 2);
    world.pools.resize("slow", 5);
    let now = world.now();
    world.machine.resized(&mut world.pools, now);
    world.step();
    assert_eq!(world.machine.active(1), 5);
    world.pools.resize("slow", 1);
    world.run(1_000);
    assert_eq!((world.machine.active(1), world.most_active[1]), (1, 5));
}

#[test]
fn items_that_others_have_made_come_in_while_there_is_room() {
    let connection = Connection { max_items: 2, ..Connection::new(0, 1) };
    let mut world = World::new(vec![timer("tick", 0), last(event("log"))], vec![connection]);
    let now = world.now();
    let waiting = Header { id: ItemId(-5), order: -5, ..world.item() };
    let adopt = |world: &mut World| world.machine.adopt(0, waiting.clone());
    let (first, second) = (adopt(&mut world).unwrap(), adopt(&mut world).unwrap());
    assert_eq!(adopt(&mut world), None, "the room is reserved");
    world.machine.declined(&[first]);
    let third = adopt(&mut world).unwrap();
    world.machine.adopted(0, vec![second, third], &mut world.pools, now);
    assert_eq!(adopt(&mut world), None, "the room is taken");
    let ids: Vec<i64> = world.machine.queue(0).iter().map(|item| item.id.0).collect();
    assert!(ids.len() == 2 && ids[0] > 0 && ids[1] > ids[0], "{ids:?}");
    let counters = world.machine.counters(0, now);
    assert_eq!((counters.items_out, counters.tasks), (2, 0));
}
