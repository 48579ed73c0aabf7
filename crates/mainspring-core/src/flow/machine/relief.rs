//! Circles of full queues: where each component waits for room that only another one of them could make.

use super::super::gate::{Blocked, Gate, Reason, gate};
use super::lifecycle::ComponentState;
use super::pools::Pools;
use super::slots::SlotState;
use super::{Machine, Now};

impl Machine {
    /// Lets one component of each circle that is stuck take one turn although a queue behind it is full: the one with the fullest
    /// queue in front of it.
    pub(super) fn relieve(&mut self, pools: &mut Pools, now: Now) {
        if !std::mem::take(&mut self.looks_stuck) {
            return;
        }
        for index in 0..self.flow.cycles().len() {
            let cycle = self.flow.cycles()[index].clone();
            if !cycle.iter().all(|component| self.waits_within(*component, &cycle, now)) {
                continue;
            }
            let fullest = |component: &usize| {
                let incoming = self.flow.incoming(*component).iter();
                let inside = incoming.filter(|it| cycle.contains(&self.flow.connections()[**it].from));
                inside.map(|it| self.queues[*it].fullness()).max()
            };
            let component = *cycle.iter().rev().max_by_key(|it| fullest(it)).expect("a circle has members");
            let slot = *self.components[component].parked.front().expect("its slots are parked");
            self.components[component].slots[slot].relieved = true;
            self.cycle_reliefs += 1;
            self.consider(component, slot, pools, now);
        }
    }

    /// Whether a component runs, has no body, and waits for nothing but room inside of the circle.
    fn waits_within(&self, component: usize, cycle: &[usize], now: Now) -> bool {
        let it = &self.components[component];
        let is_parked = it.slots.iter().all(|slot| slot.state == SlotState::Parked);
        if it.state != ComponentState::Running || it.slots.is_empty() || !is_parked {
            return false;
        }
        let waits_for_room = matches!(
            gate(&self.snapshot(component, now)),
            Gate::Blocked(Blocked { reason: Reason::DownstreamFull, .. })
        );
        let full = |connection: &&usize| {
            !self.flow.connections()[**connection].is_loop() && self.queues[**connection].is_full()
        };
        let mut full = self.flow.outgoing(component).iter().filter(full);
        waits_for_room && full.all(|connection| cycle.contains(&self.flow.connections()[*connection].to))
    }
}
