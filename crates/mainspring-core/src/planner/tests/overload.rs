//! More than the store takes: who goes first, and what goes on meanwhile.

use super::*;

/// How long the store takes for a batch.
const BATCH_MS: i64 = 200;

/// Runs against a store that takes its time for each batch of fires, one after the other; answers when each fire was recorded.
fn run_slowly(world: &mut World, until: i64) -> Vec<(i64, i64, i64)> {
    let mut recorded = Vec::new();
    world.keep_back = true;
    let mut free_at = world.now.since(at(0));
    while free_at <= until {
        let Some(Command::Fire(batch)) = (!world.kept_back.is_empty()).then(|| world.kept_back.remove(0)) else {
            free_at = world.planner.next_wakeup().since(at(0)).max(free_at + 1);
            world.run_until(free_at.min(until));
            continue;
        };
        free_at += BATCH_MS;
        world.run_until(free_at);
        let outcome = world.record(&batch);
        let runs = batch.entries.iter().flat_map(|entry| entry.runs.iter().map(|run| (entry.trigger.0, run)));
        recorded.extend(runs.map(|(id, run)| (id, run.due_at.since(at(0)), free_at)));
        world.send(Event::Fired(batch, outcome));
        world.started.clear();
    }
    recorded
}

fn slow_world() -> World {
    World::new(Settings { slots: 1_000_000, ..Settings::default() })
}

#[test]
fn herd_delays_nobody_but_itself() {
    const HERD: i64 = 100_000;
    let mut world = slow_world();
    let once = rule(Schedule::At, at(10_000), None);
    (0..HERD).for_each(|id| world.add(id, once.clone()));
    let other = every(1_000);
    for id in HERD..HERD + 500 {
        let mut other = other.clone();
        other.trigger.start_at = at(1 + (id - HERD) * 2);
        world.add(id, other);
    }
    let recorded = run_slowly(&mut world, 18_000);
    let (herd, others): (Vec<_>, Vec<_>) = recorded.into_iter().partition(|(id, ..)| *id < HERD);
    let drained = herd.iter().map(|(_, due, at)| at - due).max();
    assert_eq!((herd.len() as i64, drained <= Some(6_000)), (HERD, true), "{drained:?}");
    let mut late: Vec<i64> = others.iter().filter(|(_, due, _)| *due >= 10_000).map(|(_, due, at)| at - due).collect();
    late.sort_unstable();
    assert!(late.len() > 3_000 && late[late.len() * 99 / 100] < 1_000, "{:?}", late.last());
}

#[test]
fn higher_priority_goes_first_within_a_herd() {
    let mut world = World::new(Settings { batch_max: 10, ..Settings::default() });
    for id in 0..100 {
        let mut rule = rule(Schedule::At, at(1_000), None);
        rule.priority = (id % 10) as i32;
        world.add(id, rule);
    }
    let recorded = run_slowly(&mut world, 3_500);
    let first: Vec<i64> = recorded.iter().take(40).map(|(id, ..)| id % 10).collect();
    assert!(first.is_sorted_by(|a, b| a >= b) && first[39] == 6, "{first:?}");
}

#[test]
fn backlog_shrinks_whatever_comes_due() {
    let mut world = World::new(Settings { batch_max: 40, ..Settings::default() });
    (0..100).for_each(|id| world.add(id, rule(Schedule::At, at(2_000), None)));
    // As many come due as the store takes.
    for id in 100..300 {
        let mut ticking = every(1_000);
        ticking.trigger.start_at = at(2_001 + (id - 100) * 5);
        world.add(id, ticking);
    }
    let recorded = run_slowly(&mut world, 12_000);
    let herd = recorded.iter().filter(|(id, ..)| *id < 100).count();
    assert_eq!(herd, 100);
    let last = recorded.iter().filter(|(id, ..)| *id < 100).map(|(.., at)| *at).max();
    assert!(last > Some(3_000), "it was backlog: {last:?}");
}

#[test]
fn what_was_late_when_it_was_found_waits_behind_what_is_on_time() {
    let mut world = World::new(Settings { batch_max: 10, slots: 1_000, ..Settings::default() });
    (0..30).for_each(|id| world.add(id, every(1_000)));
    world.run_until(4_999);
    world.keep_back = true;
    world.run_until(5_000);
    assert_eq!(world.planner.figures().due, 10, "two batches are under way");
    // Found by a change, as a new owner finds the window of a dead one.
    for id in 30..80 {
        world.add(id, rule(Schedule::At, at(1_000), None));
        world.changed.push(TriggerId(id));
    }
    world.send(Event::Changed);
    world.run_until(5_001);
    assert_eq!(world.planner.figures().due, 60);
    world.keep_back = false;
    let before = world.fired.len();
    world.let_go(true);
    let late = world.fired[before..before + 20].iter().filter(|(_, instant)| *instant < 5_000).count();
    assert!(late <= 2, "no more than its share of a batch: {late}");
}

#[test]
fn ends_are_recorded_beside_any_backlog_of_fires() {
    let mut world = World::new(Settings { batch_max: 10, slots: 5, ..Settings::default() });
    (0..100).for_each(|id| world.add(id, rule(Schedule::At, at(1_000), None)));
    world.add(100, rule(Schedule::At, at(500), None));
    world.run_until(999);
    world.keep_back = true;
    world.run_until(1_000);
    assert_eq!((world.kept_back.len(), world.planner.figures().due), (2, 80));
    let started = world.started.remove(0);
    let end = AttemptEnd {
        held_by: None,
        definition: started.definition.clone().expect("fired here"),
        start: started,
        outcome: AttemptOutcome::Succeeded,
        vetoed: false,
        started_at: None,
        ended_at: world.now,
        detail: None,
    };
    let commands = world.planner.handle(world.now, Event::Ended(vec![end]));
    assert!(matches!(commands[..], [Command::Complete(_)]), "{commands:?}");
}
