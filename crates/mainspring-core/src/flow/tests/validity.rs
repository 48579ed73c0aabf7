//! Components that are started while they lack what they need (NIFI-14212: there, nobody could stop or edit them).

use super::world::*;
use crate::flow::*;

fn lacks(world: &mut World, component: usize, lacks: &[&str]) {
    let (lacks, now) = (lacks.iter().map(|it| (*it).to_owned()).collect(), world.now());
    world.machine.judge(component, lacks, &mut world.pools, now);
}

#[test]
fn a_component_that_lacks_something_waits_visibly_and_starts_when_it_has_it() {
    for component in [event("work"), timer("work", 0), cron("work", "* * * * * ?")] {
        let mut world = fed(component);
        world.put(0);
        lacks(&mut world, 1, &["there is no job \"a\""]);
        world.start(1);
        world.run(10_000);
        let why = world.machine.why(1, &world.pools, world.now());
        assert_eq!((why.state, world.bodies_of(1)), (ComponentState::WaitingValid, 0));
        assert_eq!((why.lacks.as_slice(), why.next_fire), (["there is no job \"a\"".to_owned()].as_slice(), None));
        assert_eq!((world.machine.timer_count(), world.machine.awaited().collect::<Vec<_>>()), (0, vec![1]));
        lacks(&mut world, 1, &["there is no job \"b\""]);
        world.run(10_000);
        assert_eq!(world.bodies_of(1), 0, "it lacks another thing");
        lacks(&mut world, 1, &[]);
        world.run(1_000);
        assert_eq!((world.machine.state(1), world.bodies_of(1)), (ComponentState::Running, 1));
        assert_eq!(world.machine.awaited().count(), 0);
        // What goes while it runs is for its bodies to say.
        lacks(&mut world, 1, &["there is no job \"a\""]);
        world.put(0);
        world.run(1_000);
        assert_eq!((world.machine.state(1), world.bodies_of(1)), (ComponentState::Running, 2));
    }
}

#[test]
fn a_component_that_waits_can_be_stopped_and_edited() {
    let mut world = fed(event("work"));
    world.put(0);
    lacks(&mut world, 1, &["there is no folder"]);
    let now = world.now();
    assert_eq!(world.machine.run_once(1, &mut world.pools, now), Err(Refused::Invalid));
    world.start(1);
    assert_eq!(world.machine.start(1, &mut world.pools, now), Err(Refused::Waiting));
    assert_eq!(world.machine.disable(1), Err(Refused::NotStopped));
    assert_eq!(world.machine.terminate(1, &mut world.pools, now), Err(Refused::NotStopped));
    world.machine.stop(1, &mut world.pools);
    assert_eq!((world.machine.state(1), world.machine.awaited().count()), (ComponentState::Stopped, 0));
    lacks(&mut world, 1, &[]);
    world.run(1_000);
    assert_eq!(world.bodies_of(1), 0, "nobody wants it to run any more");

    let part = |it: Component| Part { component: it, body: body::Body::Funnel };
    let parts = |it: Component| vec![part(timer("feeder", 0)), part(last(it))];
    let before = Definition { parts: parts(event("work")), connections: vec![Connection::new(0, 1)] };
    let mut next = Definition { parts: parts(Component { concurrency: 2, ..event("work") }), ..before.clone() };
    next.parts.swap(0, 1);
    next.connections = vec![Connection::new(1, 0)];
    lacks(&mut world, 1, &["there is no folder"]);
    world.start(1);
    let (flow, moves, now) = (next.compile().expect("it is right"), before.moves_to(&next), world.now());
    assert!(world.machine.edit(flow, &moves, &mut world.pools, now), "no body is in the way");
    world.follow(&moves, 2);
    assert_eq!(world.machine.awaited().collect::<Vec<_>>(), [0]);
    lacks(&mut world, 0, &[]);
    world.run(1_000);
    assert_eq!((world.machine.state(0), world.bodies_of(0)), (ComponentState::Running, 1));
}
