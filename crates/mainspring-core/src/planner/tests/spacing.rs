//! Batches that follow each other closely, and what goes alone.

use super::*;
use crate::planner::GROUP_MS;

fn grouping() -> World {
    World::new(Settings { slots: 1_000, group_ms: GROUP_MS, ..Settings::default() })
}

fn once(ms: i64) -> Rule {
    rule(Schedule::At, at(ms), None)
}

#[test]
fn fires_of_a_few_milliseconds_share_a_batch_and_none_is_late() {
    let mut world = grouping();
    (0..90).for_each(|id| world.add(id, once(1_000 + id)));
    for ms in 0..90 {
        world.run_until(1_000 + ms);
        assert!(world.fired.len() as i64 > ms - GROUP_MS, "at {ms} ms: {:?}", world.fired.last());
    }
    world.run_until(2_000);
    assert_eq!((world.fired.len(), world.sent.len()), (90, 31));
}

#[test]
fn fire_that_is_alone_waits_for_nothing() {
    let mut world = grouping();
    (0..20).for_each(|id| world.add(id, once(1_000 + id * GROUP_MS)));
    for id in 0..20 {
        world.run_until(1_000 + id * GROUP_MS);
        assert_eq!(world.fired.len() as i64, id + 1);
    }
}

#[test]
fn full_batch_does_not_wait_for_the_one_before() {
    let mut world = World::new(Settings { slots: 1_000, batch_max: 10, group_ms: 1_000, ..Settings::default() });
    (0..95).for_each(|id| world.add(id, once(1_000)));
    world.run_until(1_000);
    assert_eq!(world.fired.len(), 90);
    world.run_until(2_000);
    assert_eq!(world.fired.len(), 95);
}

#[test]
fn clock_that_is_set_back_does_not_keep_batches_waiting() {
    let mut world = World::new(Settings { slots: 1_000, group_ms: GROUP_MS, ..Settings::default() });
    world.add(1, once(60_000));
    world.run_until(60_000);
    world.now = at(1_000);
    world.add(2, once(2_000));
    world.changed.push(TriggerId(2));
    world.send(Event::Changed);
    world.run_until(2_000);
    assert_eq!(world.fired, [(1, 60_000), (2, 2_000)]);
}

/// Ends what has started, one run each millisecond; answers how many batches recorded that.
fn ends_one_by_one(world: &mut World, version: JobVersion) -> u64 {
    let Event::Ended(ends) = world.all_ended() else { unreachable!("that is what it is") };
    let (before, from) = (world.planner.batch_count, world.now.since(at(0)));
    for (ms, mut end) in (1..).zip(ends) {
        world.run_until(from + ms);
        end.start.job_version = version;
        world.send(Event::Ended(vec![end]));
    }
    world.run_until(world.now.since(at(0)) + GROUP_MS);
    assert!(world.planner.ends.is_idle());
    world.planner.batch_count - before
}

#[test]
fn ends_of_a_few_milliseconds_share_a_batch_but_tasks_of_workflows_do_not_wait() {
    for (version, batches) in [(JobVersion(1), 11), (JobVersion(1).of_task(3), 30)] {
        let mut world = grouping();
        (0..30).for_each(|id| world.add(id, once(1_000)));
        world.run_until(1_000);
        assert_eq!(ends_one_by_one(&mut world, version), batches, "{version:?}");
    }
}
