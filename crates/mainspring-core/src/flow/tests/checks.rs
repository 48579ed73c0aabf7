//! What a flow must not be, and what is asked of one that runs.

use super::world::*;
use crate::flow::*;

fn wrong(components: Vec<Component>, connections: Vec<Connection>) -> Vec<String> {
    let found = Flow::new(components, connections).err().unwrap_or_default();
    found.iter().map(|problem| format!("{:?}: {problem}", problem.place())).collect()
}

#[test]
fn c01_events_need_an_input() {
    let own = Connection::new(0, 0);
    for connections in [vec![], vec![own]] {
        let found = wrong(vec![Component { ended: Default::default(), ..event("log") }], connections);
        assert!(found[0].starts_with("Component(0, \"event\"): component \"log\" has no input"), "{found:?}");
    }
    assert_eq!(wrong(vec![timer("make", 0), last(event("log"))], vec![Connection::new(0, 1)]), Vec::<String>::new());
}

#[test]
fn c02_a_new_component_is_timer_driven_without_a_delay() {
    assert!(matches!(Component::new("new").trigger, Trigger::Timer { run_schedule_ms: 0 }));
}

#[test]
fn c04_serial_components_and_those_that_run_when_empty_are_not_for_events() {
    let serial = Component { serial: true, ..last(event("log")) };
    let empty = Component { trigger_when_empty: true, ..last(event("log")) };
    for (component, key) in [(serial, "serial"), (empty, "trigger_when_empty")] {
        let found = wrong(vec![timer("make", 0), component], vec![Connection::new(0, 1)]);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains(&format!("has {key}, so it cannot be event-driven")), "{found:?}");
    }
}

#[test]
fn c06_a_concurrency_of_0_is_for_events() {
    for component in [timer("a", 0), cron("a", "0 0 * * * ?")] {
        let found = wrong(vec![last(Component { concurrency: 0, ..component })], vec![]);
        assert!(found[0].contains("needs a concurrency of at least 1"), "{found:?}");
    }
    let component = Component { concurrency: 0, ..last(event("a")) };
    assert_eq!(wrong(vec![timer("make", 0), component], vec![Connection::new(0, 1)]), Vec::<String>::new());
}

#[test]
fn relationships_are_connected_or_ended_and_never_both() {
    let found = wrong(vec![timer("make", 0)], vec![]);
    assert!(
        found[0].contains("relationship \"success\" of component \"make\" is neither connected nor ended"),
        "{found:?}"
    );
    let found = wrong(vec![last(timer("make", 0)), last(timer("log", 0))], vec![Connection::new(0, 1)]);
    assert!(found[0].contains("is connected, so it cannot be listed in end"), "{found:?}");
    let odd = Connection { relationships: vec!["succes".into()], ..Connection::new(0, 1) };
    let found = wrong(vec![last(timer("make", 0)), last(timer("log", 0))], vec![odd]);
    assert!(found[0].contains("has no relationship \"succes\"; it has success"), "{found:?}");
}

#[test]
fn inputs_are_there_where_they_are_needed_and_nowhere_else() {
    let needs = Component { input: InputRequirement::Required, ..last(timer("log", 0)) };
    assert!(wrong(vec![needs], vec![])[0].contains("needs a connection that leads to it"));
    let makes = Component { input: InputRequirement::Forbidden, ..last(timer("make", 0)) };
    let leads = Component { placement: Placement::Leader, ..last(timer("lead", 0)) };
    for (component, message) in [(makes, "makes items and takes none"), (leads, "must not have an input")] {
        assert!(wrong(vec![timer("a", 0), component], vec![Connection::new(0, 1)])[0].contains(message));
    }
}

#[test]
fn a_component_of_every_node_is_a_source_that_others_can_run_too() {
    let every = |component: Component| Component { placement: Placement::EveryNode, ..last(component) };
    let compiled = |components, connections| Flow::new(components, connections).map(|_| ());
    assert_eq!(compiled(vec![every(timer("tick", 0))], vec![]), Ok(()));
    let fed = || vec![Connection::new(0, 1)];
    let cases = [
        (vec![timer("a", 0), every(timer("b", 0))], fed(), "a connection leads to it"),
        (vec![timer("a", 0), every(Component { trigger_when_empty: true, ..timer("b", 0) })], fed(), "a connection"),
        (vec![every(Component { is_passive: true, ..timer("in", 0) })], vec![], "requests put its items"),
        (vec![every(Component { serial: true, ..timer("tick", 0) })], vec![], "it is serial"),
    ];
    for (components, connections, why) in cases {
        let found = wrong(components, connections);
        assert!(found.iter().any(|it| it.contains("cannot run on every node") && it.contains(why)), "{found:?}");
    }
}

#[test]
fn c33_starting_twice_is_refused_and_leaves_one_loop() {
    let mut world = World::new(vec![last(timer("tick", 1_000))], vec![]);
    world.start(0);
    let now = world.now();
    assert_eq!(world.machine.start(0, &mut world.pools, now), Err(Refused::Running));
    world.run(2_500);
    assert_eq!(world.starts_of(0), [0, 1_000, 2_000]);
}

#[test]
fn c35_stopping_cancels_what_is_to_come_and_lets_a_body_finish() {
    let mut world = World::new(vec![last(cron("tick", "0/1 * * * * ?"))], vec![]).body(0, 300, pass);
    world.start(0);
    world.run(1_100);
    world.machine.stop(0, &mut world.pools);
    assert_eq!(world.machine.active(0), 1);
    let now = world.now();
    assert_eq!(world.machine.start(0, &mut world.pools, now), Err(Refused::Stopping(1)));
    world.run(10_000);
    assert_eq!((world.bodies_of(0), world.machine.active(0)), (1, 0));
}

#[test]
fn c38_a_stopped_component_leaves_nothing_behind() {
    let components = vec![last(timer("a", 1_000)), last(cron("b", "0/7 * * * * ?")), timer("c", 0), last(event("d"))];
    let mut world = World::new(components, vec![Connection::new(2, 3)]).body(0, 10, fail);
    for _ in 0..1_000 {
        [0, 1, 3].into_iter().for_each(|component| world.start(component));
        world.run(1);
        [0, 1, 3].into_iter().for_each(|component| world.machine.stop(component, &mut world.pools));
        world.run(50);
        assert_eq!((world.machine.timer_count(), world.pools.next_ticket()), (0, None));
    }
}

#[test]
fn b10_terminating_returns_items_and_permits_and_refuses_what_comes_late() {
    let mut world = fed(timer("stuck", 0)).body(1, 10_000, pass);
    let id = world.put(0);
    world.start(1);
    world.run(100);
    let now = world.now();
    assert_eq!(world.machine.terminate(1, &mut world.pools, now), Err(Refused::NotStopped));
    world.machine.stop(1, &mut world.pools);
    let given_up = world.machine.terminate(1, &mut world.pools, now).unwrap();
    assert_eq!(given_up.len(), 1);
    assert_eq!((world.machine.active(1), world.machine.terminated(1), world.pools.active("timer")), (0, 1, 0));
    assert_eq!((world.machine.queue(0).ready(), world.machine.queue(0).in_flight()), (1, 0));
    world.start(1);
    world.run(9_950);
    assert_eq!(world.machine.terminated(1), 0, "the late body has ended");
    assert_eq!(world.taken, [(0, 1, id.0), (100, 1, id.0)]);
    assert_eq!(world.machine.queue(0).in_flight(), 1, "the item is the second body's");
    world.run(100);
    assert!(world.machine.queue(0).is_empty());
}

#[test]
fn b11_a_stuck_body_does_not_keep_others_from_being_stopped() {
    let components = vec![last(timer("stuck", 0)), last(timer("other", 0))];
    let pools = Pools::new(&[("timer", 1), ("event", 1)]);
    let mut world = World::with(components, vec![], IdleCheck::Wake, pools).body(0, 1_000_000, pass);
    world.start_all();
    world.run(100);
    world.machine.stop(1, &mut world.pools);
    assert_eq!(world.machine.state(1), ComponentState::Stopped);
    assert_eq!(world.pools.next_ticket(), None);
}

#[test]
fn b12_run_once_without_items_runs_nothing_and_ends_stopped() {
    for component in [timer("log", 1_000), cron("log", "0 0 * * * ?"), event("log")] {
        let mut world = fed(component);
        let now = world.now();
        world.machine.run_once(1, &mut world.pools, now).unwrap();
        world.run(10);
        assert_eq!((world.bodies_of(1), world.machine.state(1)), (0, ComponentState::Stopped));
        world.put_many(0, 2);
        let now = world.now();
        world.machine.run_once(1, &mut world.pools, now).unwrap();
        world.run(10_000_000);
        assert_eq!((world.bodies_of(1), world.machine.state(1)), (1, ComponentState::Stopped));
    }
}

#[test]
fn b18_two_tasks_and_one_item_are_one_body() {
    let mut world = fed(Component { concurrency: 2, ..timer("log", 0) }).body(1, 100, pass);
    world.start(1);
    world.put(0);
    world.run(1_000);
    assert_eq!((world.bodies_of(1), world.machine.empty_claims_total()), (1, 0));
    let mut world = fed(Component { concurrency: 2, ..timer("log", 0) }).body(1, 100, pass);
    world.put(0);
    world.start(1);
    world.run(1_000);
    assert_eq!(world.bodies_of(1), 1);
}

#[test]
fn disabled_components_cannot_be_started() {
    let mut world = World::new(vec![last(timer("tick", 1_000))], vec![]);
    world.machine.disable(0).unwrap();
    let now = world.now();
    assert_eq!(world.machine.start(0, &mut world.pools, now), Err(Refused::Disabled));
    world.machine.enable(0);
    world.start(0);
    assert_eq!(world.machine.disable(0), Err(Refused::NotStopped));
}

#[test]
fn a_component_of_the_leader_runs_where_that_is() {
    let component = Component { placement: Placement::Leader, ..timer("lead", 1_000) };
    let mut world = World::new(vec![last(component)], vec![]);
    let now = world.now();
    world.machine.handle(Event::Leads(false), &mut world.pools, now);
    world.start(0);
    world.run(5_000);
    assert_eq!(world.bodies_of(0), 0);
    let now = world.now();
    world.machine.handle(Event::Leads(true), &mut world.pools, now);
    world.step();
    assert_eq!(world.starts_of(0), [5_000]);
}
