//! Another definition of the flow, while what it does not touch goes on.

use std::collections::VecDeque;

use super::super::definition::Flow;
use super::super::moves::Moves;
use super::super::queue::Queue;
use super::accept::Room;
use super::pools::Pools;
use super::slots::SlotState;
use super::{Component, Machine, Now, Timer, WallTimer};

impl Machine {
    /// Becomes another flow. Components that the edit does not touch go on as if nothing had happened: their bodies, their schedules,
    /// their rests, and the items in their queues. Those that it touches are as they were, stopped or disabled, and new ones are
    /// stopped.
    ///
    /// Answers false, and changes nothing, where a component that is touched runs or has bodies, or a connection that goes has items
    /// or is to get some.
    #[must_use]
    pub fn edit(&mut self, flow: Flow, moves: &Moves, pools: &mut Pools, now: Now) -> bool {
        if !self.may_become(moves) {
            return false;
        }
        let next = Self::new(self.key, flow, self.idle, self.next_id, now);
        let mut before = std::mem::replace(self, next);
        self.next_turn = before.next_turn;
        self.leads = before.leads;
        self.offset_ms = before.offset_ms;
        self.expired = std::mem::take(&mut before.expired);
        self.wakes = std::mem::take(&mut before.wakes);
        (self.checks, self.empty_claims) = (before.checks, before.empty_claims);
        self.cycle_reliefs = before.cycle_reliefs;
        self.turns = std::mem::take(&mut before.turns).into_iter().map(|(id, it)| (id, it.moved(moves))).collect();
        let abandoned = before.abandoned.iter().filter_map(|(id, it)| Some((*id, moves.components[*it]?)));
        self.abandoned = abandoned.collect();
        for (component, place) in moves.components.iter().enumerate() {
            if let Some(place) = *place {
                self.take_component(&mut before, component, place, moves);
            }
        }
        for (connection, place) in moves.connections.iter().enumerate() {
            if let Some(place) = *place {
                self.take_connection(&mut before, connection, place, moves.changed[connection], now);
            }
        }
        (0..self.queues.len()).for_each(|connection| self.arm(connection, now));
        self.find_awaited();
        pools.moved(self.key, &moves.components);
        // Circles may be other ones.
        self.looks_stuck = true;
        self.advance(pools, now);
        true
    }

    fn may_become(&self, moves: &Moves) -> bool {
        let is_idle = |it: &Component| !it.state.starts_bodies() && it.active == 0;
        let is_empty = |place: usize| self.queues[place].is_empty() && self.reserved[place] == Room::default();
        let mut touched = self.components.iter().zip(&moves.touched).filter(|(_, touched)| **touched);
        let mut gone = (0..self.queues.len()).filter(|place| moves.connections[*place].is_none());
        touched.all(|(it, _)| is_idle(it)) && gone.all(is_empty)
    }

    fn take_component(&mut self, before: &mut Self, component: usize, place: usize, moves: &Moves) {
        std::mem::swap(&mut self.components[place], &mut before.components[component]);
        let it = &mut self.components[place];
        if moves.touched[component] {
            (it.slots, it.parked) = (Vec::new(), VecDeque::new());
            (it.yield_until_ms, it.turn_of) = (i64::MIN, 0);
            return;
        }
        let first = before.flow.incoming(component).get(it.turn_of).and_then(|it| moves.connections[*it]);
        it.turn_of = self.flow.incoming(place).iter().position(|it| Some(*it) == first).unwrap_or(0);
        for (slot, at_work) in it.slots.iter().enumerate() {
            match at_work.state {
                SlotState::Waiting(until) => _ = self.timers.insert((until, Timer::Slot(place, slot))),
                SlotState::Awaiting(at) => _ = self.wall_timers.insert((at, WallTimer::Fire(place, slot))),
                SlotState::Idle | SlotState::Parked | SlotState::Queued | SlotState::Running(_) => {}
            }
        }
        if before.timers.contains(&(it.yield_until_ms, Timer::Rested(component))) {
            self.timers.insert((it.yield_until_ms, Timer::Rested(place)));
        }
    }

    fn take_connection(&mut self, before: &mut Self, connection: usize, place: usize, changed: bool, now: Now) {
        self.reserved[place] = before.reserved[connection];
        if changed {
            // Its order, its limits or its expiry are other ones. Nobody has items of it: whoever takes them is touched.
            let mut queue = Queue::new(&self.flow.connections()[place]);
            before.queues[connection].iter().for_each(|item| queue.put(item.clone(), now.mono_ms));
            self.queues[place] = queue;
            return;
        }
        std::mem::swap(&mut self.queues[place], &mut before.queues[connection]);
        self.gathering[place] = before.gathering[connection];
        if let Some(until) = self.gathering[place]
            && before.timers.contains(&(until, Timer::Gathered(connection)))
        {
            self.timers.insert((until, Timer::Gathered(place)));
        }
    }
}
