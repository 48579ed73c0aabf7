//! Many things at once: no wake is lost, no item either, and an idle flow costs nothing.

use super::world::*;
use crate::flow::*;

/// Numbers that look like chance, and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

#[test]
fn b16_no_wake_is_lost_in_a_race_of_puts_ends_and_stops() {
    let components = vec![
        timer("make", 3),
        Component { concurrency: 3, ..event("work") },
        Component { admin_yield_ms: 3, ..timer("slow", 1) },
        last(Component { concurrency: 0, ..event("log") }),
    ];
    let connections = vec![
        Connection { max_items: 4, ..Connection::new(0, 1) },
        Connection { max_items: 3, ..Connection::new(1, 2) },
        Connection::new(2, 3),
    ];
    let pools = Pools::new(&[("timer", 2), ("event", 3)]);
    let mut world = World::with(components, connections, IdleCheck::Wake, pools)
        .body(0, 1, pass)
        .body(1, 2, pass)
        .body(2, 1, |start| if start.turn.0.is_multiple_of(7) { fail(start) } else { pass(start) });
    world.start_all();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut put = 0;
    for _ in 0..50_000 {
        let component = dice.roll(4) as usize;
        let now = world.now();
        match dice.roll(8) {
            0 => {
                let queue = dice.roll(3) as usize;
                if world.machine.queue(queue).len() < 6 {
                    world.put(queue);
                    put += 1;
                }
            }
            1 | 2 => world.run(1),
            3 => world.machine.stop(component, &mut world.pools),
            4 | 5 => drop(world.machine.start(component, &mut world.pools, now)),
            _ => world.run(i64::try_from(dice.roll(4)).unwrap()),
        }
        // Looks for a slot that nothing has woken, and fails if there is one.
        world.step();
    }
    assert_eq!(world.machine.wakes_total(Cause::Rescued), 0);
    let most = |cause| world.machine.wakes_total(cause);
    assert!(most(Cause::Item) > 500 && most(Cause::Room) > 20, "there were races");
    // Everything that was put is worked off once all run.
    world.run(10);
    for component in 1..4 {
        let now = world.now();
        let _ = world.machine.start(component, &mut world.pools, now);
    }
    world.machine.stop(0, &mut world.pools);
    world.run(200_000);
    let left: usize = (0..3).map(|queue| world.machine.queue(queue).len()).sum();
    assert_eq!(left, 0);
    let arrived = world.taken.iter().filter(|(_, component, _)| *component == 3).count();
    let made = world.bodies_of(0);
    assert_eq!(arrived, made + put, "no item is lost, and none comes twice");
}

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
