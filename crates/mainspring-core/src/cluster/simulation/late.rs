//! Requests that reach the store when nobody waits for them any more.

use super::*;

/// A request that its sender gives up on, and that arrives all the same.
#[derive(Clone, Copy)]
enum LateRequest {
    Burial,
    Release,
}

impl World {
    /// Steps until such a request is on its way, and keeps it there for so long.
    fn hold_up(&mut self, late: LateRequest, ms: u64) {
        let is_late = |request: &Request| match late {
            LateRequest::Burial => matches!(request, Request::Bury(_, Some(_))),
            LateRequest::Release => matches!(request, Request::Release(_)),
        };
        let limit = self.now + 15_000;
        let mut held = false;
        while !held {
            assert!(self.now < limit, "nobody sent it");
            for Reverse((mut when, number, node, letter)) in std::mem::take(&mut self.post) {
                if matches!(letter, Letter::Request(index) if is_late(&self.requests[index].2)) {
                    (when, held) = (when + ms, true);
                }
                self.post.push(Reverse((when, number, node, letter)));
            }
            self.step();
        }
    }
}

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
