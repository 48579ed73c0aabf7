//! What large queues and many wakes cost.

use super::world::*;
use crate::flow::*;

#[test]
fn penalised_items_cost_one_timer_until_the_first_may_go() {
    let mut world = fed(timer("log", 0));
    world.start(1);
    for _ in 0..10_000 {
        let item = Header { penalty_until_ms: Some(1_000_000), ..world.item() };
        world.put_item(0, item);
    }
    assert_eq!(world.machine.timer_count(), 1);
    let before = world.machine.checks_total();
    world.run(999_999);
    assert_eq!((world.machine.checks_total() - before, world.bodies_of(1)), (0, 0));
    world.run(1);
    assert_eq!(world.bodies_of(1), 10_000);
}

#[test]
fn many_puts_wake_no_more_slots_than_there_are() {
    let mut world = fed(Component { concurrency: 3, ..event("log") }).body(1, 60_000, pass);
    world.start(1);
    world.put_many(0, 10_000);
    assert_eq!((world.machine.wakes_total(Cause::Item), world.bodies_of(1)), (3, 3));
}

#[test]
fn dropped_items_make_room() {
    let connection = Connection { max_items: 2, ..Connection::new(0, 1) };
    let mut world = World::new(vec![timer("make", 10), last(timer("stopped", 0))], vec![connection]);
    world.start(0);
    world.run(1_000);
    assert_eq!(world.bodies_of(0), 2);
    let now = world.now();
    let gone = world.machine.drop_items(0, None, &mut world.pools, now);
    world.step();
    world.run(1_000);
    assert_eq!((gone.len(), world.bodies_of(0)), (2, 4));
}
