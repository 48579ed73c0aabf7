//! Changes of many triggers at once.

use super::*;
use crate::batch::Changes;

/// What one step asks the store for: triggers by id, and whether it asks for changes.
fn asked(commands: &[Command]) -> (Vec<TriggerId>, bool) {
    let mut found = (Vec::new(), false);
    for command in commands {
        match command {
            Command::Read(Read::Triggers(ids)) => found.0.clone_from(ids),
            Command::Read(Read::Changes(..)) => found.1 = true,
            _ => {}
        }
    }
    found
}

#[test]
fn many_changed_triggers_are_read_part_by_part_and_further_changes_wait_for_them() {
    let mut world = World::new(Settings { batch_max: 3, ..Settings::default() });
    (1..=10).for_each(|id| {
        let every = Schedule::Every { interval_ms: 1_000, repeat_count: None };
        world.add(id, rule(every, at(1_000), None));
    });
    world.send(Event::Woke);
    let changes = Changes { triggers: (1..=10).map(TriggerId).collect(), more: true, ..Changes::default() };
    let mut steps = Vec::new();
    assert!(asked(&world.planner.handle(world.now, Event::Changed)).1, "they are asked for");
    let mut commands = world.planner.handle(world.now, Event::ChangesRead(changes));
    loop {
        let (ids, asks) = asked(&commands);
        if ids.is_empty() {
            break;
        }
        steps.push((ids.len(), asks));
        let rows = ids.iter().map(|id| world.rows[id].clone()).collect();
        commands = world.planner.handle(world.now, Event::TriggersRead(rows));
    }
    assert_eq!(steps, [(3, false), (3, false), (3, false), (1, true)], "and what is left fits into one read");
    assert_eq!(world.planner.figures().resident, 10, "all of them are back");
}
