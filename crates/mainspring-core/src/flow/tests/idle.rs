//! An idle flow costs nothing, and a chain is woken hop by hop.

use super::world::*;
use crate::flow::*;

#[test]
fn c10_an_idle_component_waits_for_nothing_and_asks_nothing() {
    let mut world = fed(timer("log", 0));
    world.start(1);
    let checks = world.machine.checks_total();
    assert_eq!(world.machine.next_wakeup_ms(), None, "no timer runs");
    world.run(10_000);
    assert_eq!((world.machine.checks_total() - checks, world.bodies_of(1)), (0, 0));
}

/// When an item leaves a chain of ten components, and how many checks that took.
fn chain(idle: IdleCheck) -> (i64, u64) {
    let mut components: Vec<Component> = (0..10).map(|number| timer(&format!("hop{number}"), 0)).collect();
    components.push(last(timer("end", 0)));
    let connections = (0..10).map(|from| Connection::new(from, from + 1)).collect();
    let mut world = World::with(components, connections, idle, Pools::default());
    (1..11).for_each(|component| world.start(component));
    world.run(1_003);
    let (begun, checks) = (world.mono_ms, world.machine.checks_total());
    world.put(0);
    world.run(1_000);
    let last = world.starts_of(10);
    assert_eq!(last.len(), 1);
    (last[0] - begun, world.machine.checks_total() - checks)
}

#[test]
fn c37_a_chain_of_ten_is_woken_hop_by_hop_and_polling_takes_longer() {
    let (woken_ms, woken_checks) = chain(IdleCheck::Wake);
    let (polled_ms, polled_checks) = chain(IdleCheck::Poll(10));
    assert_eq!(woken_ms, 0, "nothing but bodies and commits takes time");
    assert!(polled_ms > 5, "{polled_ms}");
    assert!(woken_checks < 100 && polled_checks > 900, "{woken_checks} {polled_checks}");
}
