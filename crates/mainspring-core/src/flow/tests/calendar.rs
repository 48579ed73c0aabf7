//! Cron-driven components.

use mainspring_schedule::Zone;

use super::world::*;
use crate::flow::*;

fn with(component: Component, change: impl FnOnce(&mut Cron)) -> Component {
    let Trigger::Cron(mut cron) = component.trigger else { panic!("it is cron-driven") };
    change(&mut cron);
    Component { trigger: Trigger::Cron(cron), ..component }
}

#[test]
fn c16_a_calendar_checks_for_work_too() {
    let mut world = fed(cron("log", "0/1 * * * * ?"));
    world.start(1);
    world.run(10_500);
    assert_eq!((world.bodies_of(1), world.machine.fires_skipped_total(1, Reason::NoWork)), (0, 10));
}

#[test]
fn c25_a_calendar_waits_for_its_next_match() {
    let mut world = World::new(vec![last(cron("tick", "0/5 * * * * ?"))], vec![]).at("2020-06-05T00:00:07Z");
    world.start(0);
    world.run(9_000);
    assert_eq!(world.starts_of(0), [3_000, 8_000]);
}

#[test]
fn c28_a_component_without_a_time_to_come_runs_never_and_says_so() {
    let mut world = World::new(vec![last(cron("past", "0 15 10 ? * 6L 2011-2017"))], vec![]).at("2018-01-01T00:00:00Z");
    world.start(0);
    world.run(86_400_000);
    let why = world.machine.why(0, &world.pools, world.now());
    assert_eq!((world.bodies_of(0), why.state, why.next_fire), (0, ComponentState::Running, None));
}

#[test]
fn c29_a_calendar_in_mid_flow_does_not_look_in_between() {
    let mut world = fed(cron("log", "0 0 * * * ?"));
    world.start(1);
    world.run(3_601_000);
    world.put(0);
    world.run(7_200_000);
    assert_eq!(world.starts_of(1), [7_200_000]);
    // Unless it is asked to.
    let mut world = fed(with(cron("log", "0 0 * * * ?"), |cron| cron.on_blocked = OnBlocked::Defer));
    world.start(1);
    world.run(3_601_000);
    world.put(0);
    world.run(7_200_000);
    assert_eq!(world.starts_of(1), [3_601_000]);
}

#[test]
fn c30_times_that_pass_while_the_body_runs_are_missed() {
    let minute = 60_000;
    let mut world = World::new(vec![last(cron("slow", "0 0/10 * * * ?"))], vec![]).body(0, 15 * minute, pass);
    world.start(0);
    world.run(46 * minute);
    assert_eq!(world.starts_of(0), [10 * minute, 30 * minute]);
    assert_eq!(world.machine.fires_missed_total(0), 2);
}

#[test]
fn c31_a_body_of_ten_seconds_every_five_starts_every_fifteen() {
    let cases = [(10_003, Misfire::Skip, 15_000), (9_500, Misfire::Skip, 10_000), (10_003, Misfire::Once, 10_003)];
    for (takes_ms, misfire, gap) in cases {
        let component = with(cron("slow", "0/5 * * * * ?"), |cron| cron.misfire = misfire);
        let mut world = World::new(vec![last(component)], vec![]).body(0, takes_ms, pass);
        world.start(0);
        world.run(50_000);
        let gaps: Vec<i64> = world.starts_of(0).windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.len() >= 2 && gaps.iter().all(|it| *it == gap), "{misfire:?}: {gaps:?}");
    }
}

#[test]
fn c32_a_clock_that_steps_back_fires_nothing_twice() {
    let mut world = World::new(vec![last(cron("tick", "0/1 * * * * ?"))], vec![]);
    world.start(0);
    for _ in 0..1_000 {
        world.run(1_000);
        world.offset_ms -= 5;
    }
    let walls = world.bodies_of(0);
    assert_eq!(walls, 995);
}

#[test]
fn c34_each_concurrent_task_has_a_loop_of_its_own() {
    let component = Component { concurrency: 2, ..cron("tick", "0/10 * * * * ?") };
    let mut world = World::new(vec![last(component)], vec![]).body(0, 100, pass);
    world.start(0);
    world.run(20_000);
    assert_eq!(world.starts_of(0), [10_000, 10_000, 20_000, 20_000]);
}

#[test]
fn b14_a_daily_time_is_met_once_on_days_of_a_clock_change() {
    for day in ["2025-03-09", "2025-11-02"] {
        let component =
            with(cron("daily", "0 0 13 * * ?"), |cron| cron.zone = Zone::parse("America/New_York").unwrap());
        let mut world = World::new(vec![last(component)], vec![]).at(&format!("{day}T05:00:00Z"));
        world.start(0);
        world.run(24 * 3_600_000 - 1);
        let local: Vec<i64> = world
            .starts_of(0)
            .iter()
            .map(|at| {
                let wall = mainspring_schedule::Timestamp::from_millis(at + world.offset_ms);
                (wall.as_millis() + Zone::parse("America/New_York").unwrap().offset_ms(wall)).rem_euclid(86_400_000)
            })
            .collect();
        assert_eq!(local, [13 * 3_600_000], "{day}");
    }
}

#[test]
fn b17_a_body_that_fails_does_not_break_the_chain() {
    let component = Component { admin_yield_ms: 1, ..cron("tick", "0/5 * * * * ?") };
    let mut world = World::new(vec![last(component)], vec![]).body(0, 10, fail);
    world.start(0);
    world.run(15_500);
    assert_eq!(world.starts_of(0), [5_000, 10_000, 15_000]);
}

#[test]
fn b19_a_jump_of_the_wall_clock_moves_calendars_and_no_delays() {
    let components = vec![last(timer("delay", 10_000)), last(cron("hourly", "0 0 * * * ?"))];
    let mut world = World::new(components, vec![]).at("2026-01-01T12:30:00Z");
    world.start_all();
    world.run(5_000);
    world.offset_ms += 3_600_000;
    world.run(1_800_000);
    assert_eq!(world.starts_of(0)[..3], [0, 10_000, 20_000]);
    // At 14:00, for which it waits since the clock shows 13:30.
    assert_eq!(world.starts_of(1), [1_800_000]);
}
