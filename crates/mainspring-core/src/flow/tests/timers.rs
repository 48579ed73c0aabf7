//! Timer-driven and event-driven components.

use super::world::*;
use crate::flow::*;

#[test]
fn c03_an_item_that_arrives_starts_one_body() {
    let mut world = fed(event("log"));
    world.start(1);
    world.run(1_000);
    world.put(0);
    world.run(2_000);
    assert_eq!(world.starts_of(1), [1_000]);
}

#[test]
fn c06_events_without_a_limit_are_bounded_by_their_pool() {
    let component = Component { concurrency: 0, ..event("log") };
    let components = vec![timer("feeder", 0), last(component)];
    let pools = Pools::new(&[("timer", 1), ("event", 3)]);
    let mut world = World::with(components, vec![Connection::new(0, 1)], IdleCheck::Wake, pools).body(1, 1_000, pass);
    world.start(1);
    world.put_many(0, 20);
    world.run(10_000);
    assert_eq!((world.most_active[1], world.bodies_of(1)), (3, 20));
}

#[test]
fn c09_the_clock_of_a_schedule_starts_when_the_body_ends() {
    let mut world = World::new(vec![last(timer("sleep", 2_000))], vec![]).body(0, 3_000, pass);
    world.start(0);
    world.run(16_000);
    assert_eq!(world.starts_of(0), [0, 5_000, 10_000, 15_000]);
}

#[test]
fn c11_the_interval_of_polling_can_be_set() {
    let components = vec![timer("feeder", 0), last(timer("log", 0))];
    let mut world = World::with(components, vec![Connection::new(0, 1)], IdleCheck::Poll(50), Pools::default());
    world.start(1);
    let before = world.machine.checks_total();
    world.run(1_000);
    assert_eq!(world.machine.checks_total() - before, 20);
}

#[test]
fn c12_without_work_no_body_runs() {
    let mut world = fed(timer("log", 0));
    world.start(1);
    for _ in 0..60_000 {
        world.run(1);
        assert_eq!(world.machine.active(1), 0);
    }
    assert_eq!(world.bodies_of(1), 0);
    world.put(0);
    world.run(1_000);
    assert_eq!(world.starts_of(1), [60_000]);
}

#[test]
fn c13_active_tasks_are_the_bodies_that_run() {
    let mut world = fed(Component { concurrency: 3, ..timer("log", 0) }).body(1, 1_000, pass);
    world.start(1);
    world.put_many(0, 10);
    world.run(500);
    assert_eq!(world.machine.active(1), 3);
    world.run(10_000);
    assert_eq!((world.machine.active(1), world.most_active[1], world.bodies_of(1)), (0, 3, 10));
}

#[test]
fn c14_the_count_drops_when_a_body_fails() {
    let mut world = World::new(vec![last(timer("broken", 0))], vec![]).body(0, 100, fail);
    world.start(0);
    assert_eq!(world.machine.active(0), 1);
    world.run(100);
    assert_eq!((world.machine.active(0), world.pools.active("timer")), (0, 0));
}

#[test]
fn c17_timers_and_calendars_share_a_pool_and_events_have_another() {
    let components =
        vec![last(timer("slow", 60_000)), last(cron("fired", "0/1 * * * * ?")), timer("feeder", 0), last(event("log"))];
    let pools = Pools::new(&[("timer", 1), ("event", 1)]);
    let mut world = World::with(components, vec![Connection::new(2, 3)], IdleCheck::Wake, pools).body(0, 3_500, pass);
    [0, 1, 3].into_iter().for_each(|component| world.start(component));
    world.run(2_000);
    world.put(0);
    world.run(2_000);
    assert_eq!(world.starts_of(1), [3_500, 4_000]);
    assert_eq!(world.starts_of(3), [2_000]);
}

#[test]
fn c18_polling_takes_a_permit_and_waking_takes_none() {
    for (idle, expected) in [(IdleCheck::Poll(10), vec![0, 0, 100]), (IdleCheck::Wake, vec![0, 0, 100])] {
        // With the only permit taken, who polls cannot even look.
        let components = vec![last(timer("busy", 60_000)), timer("feeder", 0), last(timer("log", 0))];
        let pools = Pools::new(&[("timer", 1), ("event", 1)]);
        let mut world = World::with(components, vec![Connection::new(1, 2)], idle, pools).body(0, 100, pass);
        world.start(0);
        let before = world.machine.checks_total();
        world.start(2);
        world.run(50);
        let checks = world.machine.checks_total() - before;
        assert_eq!(checks == 0, idle == IdleCheck::Poll(10), "{idle:?}: {checks}");
        world.put(0);
        world.run(100);
        assert_eq!([0, 0, world.starts_of(2)[0]], *expected);
    }
}

#[test]
fn c19_a_fixed_delay_begins_with_none() {
    let mut world = World::new(vec![last(timer("rare", 1_000_000))], vec![]).body(0, 30, pass);
    world.start(0);
    world.run(1_500_000);
    assert_eq!(world.starts_of(0), [0, 1_000_030]);
}

#[test]
fn c20_each_concurrent_task_has_a_schedule_of_its_own() {
    let component = Component { concurrency: 2, ..timer("sleep", 2_000) };
    let mut world = World::new(vec![last(component)], vec![]).body(0, 3_000, pass);
    world.start(0);
    world.run(11_000);
    assert_eq!(world.starts_of(0), [0, 0, 5_000, 5_000, 10_000, 10_000]);
}

#[test]
fn c21_a_component_that_fails_rests() {
    for (schedule_ms, admin_yield_ms, gap) in [(0, 30_000, 30_000), (10_000, 1_000, 10_000), (1_000, 5_000, 5_000)] {
        let component = Component { admin_yield_ms, ..timer("broken", schedule_ms) };
        let mut world = World::new(vec![last(component)], vec![]).body(0, 10, fail);
        world.start(0);
        world.run(gap + 15);
        assert_eq!(world.starts_of(0), [0, gap + 10], "{schedule_ms}");
        let now = world.now();
        let bulletins: Vec<_> = world.machine.bulletins(0, now).map(|it| (it.level, it.message.as_str())).collect();
        assert_eq!(bulletins, [(Level::Error, "it broke")]);
    }
}

#[test]
fn c22_idle_components_that_poll_use_the_pool_briefly() {
    let mut components = vec![timer("feeder", 0)];
    components.extend((0..4).map(|number| last(timer(&format!("idle-{number}"), 0))));
    let connections = (1..5).map(|to| Connection::new(0, to)).collect();
    let mut world = World::with(components, connections, IdleCheck::Poll(10), Pools::default());
    (1..5).for_each(|component| world.start(component));
    let before = world.machine.checks_total();
    world.run(1_000);
    assert_eq!(world.machine.checks_total() - before, 400);
    assert_eq!(world.starts, []);
}

#[test]
fn c23_idle_components_that_are_woken_cost_nothing() {
    let mut components = vec![timer("feeder", 0)];
    components.extend((0..1_000).map(|number| last(timer(&format!("idle-{number}"), 0))));
    let connections = (1..=1_000).map(|to| Connection::new(0, to)).collect();
    let mut world = World::new(components, connections);
    (1..=1_000).for_each(|component| world.start(component));
    let before = world.machine.checks_total();
    assert_eq!(world.machine.next_wakeup_ms(), None);
    world.run(30_000);
    assert_eq!(world.machine.checks_total() - before, 0);
}

#[test]
fn c24_work_is_found_at_once_whatever_the_schedule_but_not_right_after_a_body() {
    for (idle, late_ms) in [(IdleCheck::Wake, 0), (IdleCheck::Poll(10), 5)] {
        let components = vec![timer("feeder", 0), last(timer("log", 1_000_000))];
        let mut world = World::with(components, vec![Connection::new(0, 1)], idle, Pools::default());
        world.start(1);
        let before = world.machine.checks_total();
        world.run(1_995);
        let polls = if idle == IdleCheck::Wake { 0 } else { 199 };
        assert_eq!(world.machine.checks_total() - before, polls);
        world.put(0);
        world.run(100);
        assert_eq!(world.starts_of(1), [1_995 + late_ms]);
        world.put(0);
        world.run(1_100_000);
        assert_eq!(world.starts_of(1)[1], 1_001_995 + late_ms);
    }
}

#[test]
fn c36_two_concurrent_tasks_work_for_events() {
    let mut world = fed(Component { concurrency: 2, ..event("log") }).body(1, 1_000, pass);
    world.start(1);
    world.put_many(0, 10);
    world.run(20_000);
    assert_eq!((world.most_active[1], world.starts_of(1).last().copied()), (2, Some(4_000)));
}

#[test]
fn a_run_duration_keeps_a_turn_going_and_the_schedule_follows_it() {
    let component = Component { run_duration_ms: 25, ..timer("log", 1_000) };
    let mut world = fed(component).body(1, 10, pass);
    world.put_many(0, 100);
    world.start(1);
    world.run(1_045);
    assert_eq!(world.starts_of(1), [0, 10, 20, 1_030, 1_040]);
}

#[test]
fn a_body_that_yields_rests_and_a_second_yield_never_shortens() {
    let yields = |start: &Start| match pass(start) {
        Verdict::Done { items, outputs, .. } => Verdict::Done { items, outputs, yields: Some(500) },
        other => other,
    };
    let component = Component { concurrency: 2, yield_ms: 500, ..timer("rests", 0) };
    let mut world = World::new(vec![last(component)], vec![]).body(0, 10, yields);
    world.start(0);
    world.run(1_050);
    assert_eq!(world.starts_of(0), [0, 0, 510, 510, 1_020, 1_020]);
}
