//! Circles of full queues: where each component waits for room that only another one of them could make.

use super::super::gate::{Blocked, Gate, Reason, gate};
use super::lifecycle::ComponentState;
use super::pools::Pools;
use super::slots::{Slot, SlotState};
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
            let stuck: Vec<Option<Stuck>> = cycle.iter().map(|it| self.stuck_within(*it, &cycle, now)).collect();
            if stuck.contains(&None) {
                continue;
            }
            let fullest = |component: &usize| {
                let incoming = self.flow.incoming(*component).iter();
                let inside = incoming.filter(|it| cycle.contains(&self.flow.connections()[**it].from));
                inside.map(|it| self.queues[*it].fullness()).max()
            };
            let full = cycle.iter().zip(&stuck).filter(|(_, stuck)| **stuck == Some(Stuck::Full));
            let full = full.map(|(component, _)| *component);
            if let Some(component) = full.rev().max_by_key(fullest) {
                self.let_through(component, pools, now);
            }
        }
    }

    /// Lets the next body of a component start although a queue behind it is full: at once, or at the next time of its calendar.
    fn let_through(&mut self, component: usize, pools: &mut Pools, now: Now) {
        let slot = self.components[component].parked.front().copied().unwrap_or(0);
        let was_relieved = std::mem::replace(&mut self.components[component].slots[slot].relieved, true);
        self.cycle_reliefs += u64::from(!was_relieved);
        if self.state_of(component, slot) == SlotState::Parked {
            self.consider(component, slot, pools, now);
        }
    }

    /// Why a component that runs and has no body makes no room in a circle: it waits for room inside of it alone, or for items.
    /// Nothing: it may make room.
    fn stuck_within(&self, component: usize, cycle: &[usize], now: Now) -> Option<Stuck> {
        let it = &self.components[component];
        let waits = |slot: &Slot| matches!(slot.state, SlotState::Parked | SlotState::Awaiting(_));
        if it.state != ComponentState::Running || it.slots.is_empty() || !it.slots.iter().all(waits) {
            return None;
        }
        match gate(&self.snapshot(component, now)) {
            Gate::Blocked(Blocked { reason: Reason::DownstreamFull, .. }) => {}
            Gate::Blocked(Blocked { reason: Reason::NoWork, .. }) => return Some(Stuck::Idle),
            _ => return None,
        }
        let full = |connection: &&usize| {
            !self.flow.connections()[**connection].is_loop() && self.queues[**connection].is_full()
        };
        let mut full = self.flow.outgoing(component).iter().filter(full);
        full.all(|connection| cycle.contains(&self.flow.connections()[*connection].to)).then_some(Stuck::Full)
    }
}

/// Why a component makes no room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stuck {
    /// Queues behind it are full.
    Full,
    /// It has no items.
    Idle,
}
