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

#[test]
fn ids_of_items_that_are_gone_do_not_come_again_whatever_the_clock_says() {
    // The first owner has given ids to items that are all gone when the second one takes the flow.
    let first = Machine::first_id(None, 1);
    let given = first + 4_000_000_000;
    assert!(Machine::first_id(None, 2) > given);
    // Items that are there count as well: an epoch may have given more than it has room for.
    let last = Machine::first_id(None, 3) + 5;
    assert_eq!(Machine::first_id(Some(last), 2), last + 1);
    // Programs that read JSON keep such numbers exactly.
    assert!(Machine::first_id(None, 100_000) < 1 << 53);
}
