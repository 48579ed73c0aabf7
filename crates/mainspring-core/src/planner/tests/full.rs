//! Queues in which no more runs may wait.

use super::super::Limits;
use super::*;
use crate::batch::{GapOutcome, GapReason};

fn second_by_second() -> Rule {
    rule(Schedule::Every { interval_ms: 1_000, repeat_count: None }, at(1_000), None)
}

fn limited(world: &mut World, by_claims: bool, room: u32) {
    let limit = QueueLimit { by_claims, room };
    world.send(Event::Limited(Arc::new([(Arc::from("default"), limit)].into_iter().collect())));
}

/// What one batch at an instant has: runs that start at once, runs that are queued, and instants that are suppressed.
fn fired_at(world: &mut World, ms: i64) -> (usize, usize, u64) {
    world.keep_back = true;
    world.run_until(ms);
    let (mut starting, mut queued, mut suppressed) = (0, 0, 0);
    for command in &world.kept_back {
        let Command::Fire(batch) = command else { continue };
        for entry in &batch.entries {
            assert_eq!(entry.runs.len() + entry.gaps.len(), 1, "each instant is exactly one of them");
            starting += entry.runs.iter().filter(|run| run.claim).count();
            queued += entry.runs.iter().filter(|run| !run.claim).count();
            for gap in &entry.gaps {
                assert_eq!((gap.outcome, gap.reason), (GapOutcome::Suppressed, GapReason::QueueFull));
                assert_eq!((gap.first, gap.last), (at(ms), at(ms)));
                suppressed += gap.count;
            }
        }
    }
    world.let_go(true);
    (starting, queued, suppressed)
}

#[test]
fn fires_for_which_a_queue_has_no_room_are_suppressed() {
    let mut world = World::new(Settings { slots: 2, ..Settings::default() });
    (1..=5).for_each(|id| world.add(id, second_by_second()));
    limited(&mut world, false, 1);
    assert_eq!(fired_at(&mut world, 1_000), (2, 1, 2), "what starts at once does not wait");
    assert_eq!(fired_at(&mut world, 2_000), (0, 0, 5), "the room is taken, and so are the slots");
    limited(&mut world, false, 3);
    assert_eq!(fired_at(&mut world, 3_000), (0, 3, 2));
    limited(&mut world, true, u32::MAX);
    assert_eq!(fired_at(&mut world, 4_000), (0, 5, 0), "any number may wait where nothing bounds it");
    let every_instant = world.rows.values().all(|loaded| loaded.row.progress.times_triggered == 4);
    assert!(every_instant, "a trigger goes on, whatever becomes of its fires");
}

#[test]
fn fire_of_a_job_with_a_limited_label_takes_no_slot() {
    let mut world = world();
    for (id, labels) in [(1, vec![]), (2, vec![("tier", "gold")]), (3, vec![("a", "b"), ("tier", "gold")])] {
        let mut rule = second_by_second();
        let labels = labels.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        Arc::make_mut(&mut rule.definition).labels = labels.collect();
        world.add(id, rule);
    }
    let cases = [("tier=gold", 1), ("tier=silver", 3), ("a=b", 2), ("tier=", 3)];
    for (instant, (label, taken)) in (1_000..).step_by(1_000).zip(cases) {
        let mut limits = Limits::default();
        limits.limit_label(label.into());
        world.send(Event::Limited(Arc::new(limits)));
        assert_eq!(fired_at(&mut world, instant), (taken, 3 - taken, 0), "{label}");
    }
}

#[test]
fn trigger_that_awaits_its_run_waits_for_room() {
    let mut world = world();
    world.add(1, rule(Schedule::Delay { delay_ms: 1_000 }, at(1_000), None));
    world.add(2, rule(Schedule::At, at(1_000), None));
    limited(&mut world, true, 0);
    world.run_until(5_000);
    assert_eq!((world.fired.as_slice(), world.started.len()), (&[][..], 0));
    assert_eq!(world.rows[&TriggerId(2)].row.progress.status, TriggerStatus::Complete, "the other one is suppressed");
    limited(&mut world, false, 1);
    world.run_until(6_000);
    assert_eq!(world.fired, [(1, 1_000)], "nothing of a chain is lost");
}

#[test]
fn bound_of_what_waits_keeps_nothing_from_starting() {
    let mut world = World::new(Settings { slots: 9, ..Settings::default() });
    (1..=3).for_each(|job| world.add(job, second_by_second()));
    limited(&mut world, false, 1);
    world.run_until(900);
    world.keep_back = true;
    // Told anew, as it is several times a second: no claim comes before what fires.
    limited(&mut world, false, 1);
    assert_eq!(fired_at(&mut world, 1_000), (3, 0, 0));
}
