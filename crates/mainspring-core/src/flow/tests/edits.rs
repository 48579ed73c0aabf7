//! Flows that are edited while they run.

use super::world::*;
use crate::flow::*;

fn definition(components: &[Component], connections: &[Connection]) -> Definition {
    let part = |it: &Component| Part { component: it.clone(), body: body::Body::Funnel };
    Definition { parts: components.iter().map(part).collect(), connections: connections.to_vec() }
}

/// Edits a world. Its bodies are those of the names.
fn edit(world: &mut World, before: &Definition, next: &Definition) -> bool {
    let moves = before.moves_to(next);
    let flow = next.compile().expect("the flow of a test is right");
    let now = world.now();
    let done = world.machine.edit(flow, &moves, &mut world.pools, now);
    if done {
        world.follow(&moves, next.parts.len());
    }
    done
}

/// `tick` every 10 s and `work` for 3 s beside `other`, which makes nothing.
fn abc() -> Definition {
    let components = [timer("tick", 10_000), last(event("work")), timer("other", 0), last(event("end"))];
    definition(&components, &[Connection::new(0, 1), Connection::new(2, 3)])
}

fn world(of: &Definition) -> World {
    let components = of.parts.iter().map(|part| part.component.clone()).collect();
    World::new(components, of.connections.clone())
}

#[test]
fn what_an_edit_does_not_touch_goes_on_without_a_gap() {
    let before = abc();
    let mut world = world(&before).body(1, 3_000, pass);
    world.start(0);
    world.start(1);
    // In the midst of a body, and of a delay.
    world.run(11_000);
    assert_eq!((world.machine.active(1), world.machine.queue(0).in_flight()), (1, 1));
    // `other` goes, `end` has another queue in front of it, and all places are other ones.
    let mut next = abc();
    next.parts.swap(0, 3);
    next.parts[2] = Part { component: timer("new", 1_000), body: body::Body::Funnel };
    next.connections = vec![Connection::new(2, 0), Connection { max_items: 10_000, ..Connection::new(3, 1) }];
    assert!(edit(&mut world, &before, &next));
    assert_eq!((world.machine.active(1), world.machine.state(2)), (1, ComponentState::Stopped));
    world.start(2);
    world.run(30_000);
    assert_eq!(world.starts_of(3), [0, 10_000, 20_000, 30_000, 40_000], "the schedule of tick goes on");
    assert_eq!(world.starts_of(1), [0, 10_000, 20_000, 30_000, 40_000], "work has its items, and its body its permit");
    assert_eq!(world.bodies_of(2), 31);
    assert_eq!(world.pools.active("event"), 1, "that of the body of the last start");
    assert_eq!(world.machine.totals(1).tasks, 4, "what was counted stays");
}

#[test]
fn an_edit_waits_for_what_it_touches_and_for_items_of_what_goes() {
    let before = abc();
    let mut world = world(&before).body(0, 3_000, pass);
    world.start(0);
    let mut next = abc();
    next.parts[0].component.concurrency = 2;
    assert!(!edit(&mut world, &before, &next), "it runs");
    let now = world.now();
    world.machine.stop(0, &mut world.pools);
    assert!(!edit(&mut world, &before, &next), "its body has not ended");
    world.run(3_000);
    assert_eq!((world.machine.queue(0).len(), now.mono_ms), (1, 0));
    assert!(edit(&mut world, &before, &next));
    assert_eq!(world.machine.queue(0).len(), 1);
    let mut gone = next.clone();
    gone.connections[0].relationships = vec!["other".to_owned()];
    gone.parts[0].component.relationships = vec!["other".to_owned()];
    assert!(!edit(&mut world, &next, &gone), "an item is in the connection that goes");
    world.start(1);
    world.run(1);
    world.machine.stop(1, &mut world.pools);
    assert!(edit(&mut world, &next, &gone));
}

#[test]
fn items_of_a_queue_whose_settings_change_are_kept_in_their_new_order() {
    let before = abc();
    let mut world = world(&before);
    let (old, young) = (world.item(), world.item());
    world.put_item(0, Header { priority: Priority::Number(2), ..old });
    world.put_item(0, Header { priority: Priority::Number(1), ..young });
    let penalised = Header { penalty_until_ms: Some(5_000), ..world.item() };
    world.put_item(0, penalised);
    let mut next = abc();
    next.connections[0].prioritizers = vec![Prioritizer::Priority];
    next.connections[0].max_items = 3;
    assert!(edit(&mut world, &before, &next));
    assert!(world.machine.queue(0).is_full(), "it has a new limit");
    world.start(1);
    world.run(6_000);
    let taken: Vec<(i64, i64)> = world.taken.iter().map(|(at, _, id)| (*at, *id)).collect();
    assert_eq!(taken, [(0, 3), (0, 2), (5_000, 4)]);
}

/// A flow with calendars, rests, gathering, full queues and slow bodies: at any time, an edit that only moves places about changes
/// nothing of what starts when. Its times have no common divisors, as the order of places decides who is first of two at one instant.
#[test]
fn an_edit_that_touches_nothing_changes_nothing() {
    let gathering = Component { gather: 3, gather_ms: 701, batch: 5, ..event("gather") };
    let components = [
        timer("a", 131),
        cron("b", "*/2 * * * * ?"),
        Component { concurrency: 3, admin_yield_ms: 409, ..event("c") },
        last(Component { run_duration_ms: 23, ..gathering }),
        last(Component { concurrency: 0, ..event("d") }),
        last(timer("e", 1_009)),
    ];
    let connections = [
        Connection { max_items: 7, ..Connection::new(0, 2) },
        Connection { expire_after_ms: 907, ..Connection::new(1, 2) },
        Connection { max_items: 5, ..Connection::new(2, 3) },
        Connection { max_items: 2, ..Connection::new(2, 4) },
    ];
    let before = definition(&components, &connections);
    let begun = || {
        let mut world = world(&before).body(2, 173, fail_at_times).body(3, 97, pass).body(4, 61, pass);
        world.start_all();
        world
    };
    let mut plain = begun();
    plain.run(20_000);
    let expected = named(&plain, &before);
    assert!(expected.len() > 150, "{}", expected.len());
    for (seed, every) in [(1_u64, 1_003), (2, 317), (3, 71)] {
        let (mut world, mut now, mut random) = (begun(), before.clone(), seed);
        let mut starts = Vec::new();
        while world.mono_ms < 20_000 {
            world.run(every.min(20_000 - world.mono_ms));
            starts.extend(named(&world, &now));
            world.starts.clear();
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let next = shuffled(&now, random);
            assert!(edit(&mut world, &now, &next));
            now = next;
        }
        let differs = starts.iter().zip(&expected).find(|(one, other)| one != other);
        assert_eq!((differs, starts.len()), (None, expected.len()), "edited every {every} ms");
    }
}

fn fail_at_times(start: &Start) -> Verdict {
    if start.items.iter().any(|item| item.order % 5 == 0) { fail(start) } else { pass(start) }
}

/// Instants at which components started, by name.
fn named(world: &World, definition: &Definition) -> Vec<(i64, String)> {
    let name = |component: usize| definition.parts[component].component.name.clone();
    let mut starts: Vec<_> = world.starts.iter().map(|(at, component)| (*at, name(*component))).collect();
    starts.sort();
    starts
}

/// The same flow in another order of components. Of connections it is the same, as that of inputs decides whose turn it is.
fn shuffled(definition: &Definition, random: u64) -> Definition {
    let count = definition.parts.len();
    let turn = usize::try_from(random >> 33).expect("31 bits") % count;
    let place = |before: usize| (before + turn) % count;
    let mut parts = definition.parts.clone();
    parts.rotate_right(turn);
    let moved = |it: &Connection| Connection { from: place(it.from), to: place(it.to), ..it.clone() };
    Definition { parts, connections: definition.connections.iter().map(moved).collect() }
}
