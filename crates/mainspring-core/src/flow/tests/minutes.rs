//! What is kept of a flow minute by minute.

use super::world::*;
use crate::flow::*;

fn recorder(world: &World) -> Recorder {
    Recorder::new(vec!["make".into(), "work".into()], vec!["make:work".into()], &world.machine, world.now())
}

#[test]
fn a_minute_has_what_happened_in_it_and_what_queues_held_at_its_end() {
    let components = vec![timer("make", 20_000), last(timer("work", 0))];
    let mut world = World::new(components, vec![Connection::new(0, 1)]);
    let mut recorder = recorder(&world);
    world.start(0);
    world.run(59_999);
    assert_eq!(recorder.roll(&world.machine, world.now()), None, "the minute goes on");
    world.run(1);
    let (at, first) = recorder.roll(&world.machine, world.now()).expect("a minute is over");
    assert_eq!(at.as_millis(), 0);
    // At 0, 20, 40 and 60 s.
    let made = Counters { items_out: 4, bytes_out: 4, tasks: 4, ..Counters::default() };
    assert_eq!(first.components, [("make".to_owned(), made)].into());
    assert_eq!(first.queues, [("make:work".to_owned(), Held { items: 4, bytes: 4 })].into());
    // Later minutes without anything are left out, until the queue has drained.
    world.machine.stop(0, &mut world.pools);
    world.run(150_000);
    assert_eq!(recorder.roll(&world.machine, world.now()), None);
    world.start(1);
    world.run(60_000);
    let (at, drained) = recorder.roll(&world.machine, world.now()).expect("items were taken");
    assert_eq!((at.as_millis(), drained.components["work"].items_in, drained.queues.len()), (180_000, 4, 0));
}

#[test]
fn owners_of_one_minute_add_up() {
    let did = |items_in| Counters { items_in, tasks: 1, ..Counters::default() };
    let held = |items| [("q".to_owned(), Held { items, bytes: 0 })].into();
    let mut first = Minute { components: [("a".to_owned(), did(2))].into(), queues: held(7) };
    first.add(Minute { components: [("a".to_owned(), did(3)), ("b".to_owned(), did(1))].into(), queues: held(9) });
    let sum = Counters { items_in: 5, tasks: 2, ..Counters::default() };
    assert_eq!(first.components, [("a".to_owned(), sum), ("b".to_owned(), did(1))].into());
    assert_eq!(first.queues, held(9));
}

#[test]
fn an_owner_that_goes_keeps_what_has_happened_until_then() {
    let mut world = World::new(vec![timer("make", 20_000), last(timer("work", 0))], vec![Connection::new(0, 1)]);
    let mut recorder = recorder(&world);
    world.start(0);
    world.run(30_000);
    let (at, minute) = recorder.cut(&world.machine).expect("two bodies ended");
    assert_eq!((at.as_millis(), minute.components["make"].tasks), (0, 2));
    assert_eq!(recorder.cut(&world.machine), None, "nothing has happened since");
}

#[test]
fn large_flows_keep_fewer_minutes() {
    let minutes = |parts| kept_ms(parts) / MINUTE_MS;
    assert_eq!([0, 5, 347, 1_000, 60_000].map(minutes), [1_440, 1_440, 1_440, 500, 30]);
}

#[test]
fn one_component_or_queue_is_left_of_a_minute() {
    let mut minute = Minute {
        components: [("a".to_owned(), Counters::default()), ("b".to_owned(), Counters::default())].into(),
        queues: [("a:b".to_owned(), Held::default())].into(),
    };
    minute.keep_only("a");
    assert_eq!((minute.components.len(), minute.queues.len()), (1, 0));
}
