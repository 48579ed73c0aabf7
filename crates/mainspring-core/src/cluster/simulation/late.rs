//! Requests that reach the store when nobody waits for them any more.

use super::*;

#[test]
fn a_late_burial_does_not_reach_a_node_that_has_spoken_meanwhile() {
    for seed in 0..4 {
        let mut world = World::new(2, seed, NO_FAULTS);
        world.run_until(World::settled, 8_000);
        let incarnation = world.nodes[0].incarnation;
        world.nodes[0].paused_until = u64::MAX;
        world.hold_up(LateRequest::Burial, 1_000);
        world.nodes[0].paused_until = 0;
        world.run(3_000);
        assert_eq!((world.nodes[0].incarnation, world.store.buried), (incarnation, 0));
        assert_eq!(world.settled(), Ok(()));
    }
}

#[test]
fn a_late_release_does_not_free_what_was_acquired_meanwhile() {
    for seed in 0..4 {
        let mut world = World::new(1, seed, NO_FAULTS);
        world.run_until(World::settled, 8_000);
        world.drain(0, true);
        world.hold_up(LateRequest::Release, 6_000);
        world.drain(0, false);
        world.run_until(World::settled, 4_000);
        let changes = world.store.changes;
        world.run(6_000);
        assert_eq!((world.settled(), world.store.changes), (Ok(()), changes));
    }
}
