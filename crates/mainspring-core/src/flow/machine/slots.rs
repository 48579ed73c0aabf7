//! Slots: the places of a component in which bodies run, one after another.

use mainspring_schedule::Timestamp;

use super::super::definition::{Cron, Misfire, OnBlocked, Trigger};
use super::super::gate::{Blocked, Gate, Incoming, Reason, Snapshot, Work, gate};
use super::lifecycle::ComponentState;
use super::pools::{Pools, Ticket};
use super::turns::{Start, TurnId};
use super::{Cause, IdleCheck, Machine, Now, Timer, WallTimer};

/// Fires of one gap that are counted at most.
const MISSED_MAX: u64 = 100_000;

#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    pub(super) state: SlotState,
    /// The time for which it runs, or ran last.
    pub(super) scheduled: Option<Timestamp>,
    /// Bodies that make up for times which have passed.
    pub(super) owed: u32,
    /// Whether it may run although a queue behind it is full.
    pub(super) relieved: bool,
    /// When the bodies of one run duration began, while it goes on.
    pub(super) since_ms: Option<i64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum SlotState {
    /// The component is stopped, or there is no time to come.
    #[default]
    Idle,
    /// It may start at this instant.
    Waiting(i64),
    /// It fires at this time.
    Awaiting(Timestamp),
    /// Its gate is closed.
    Parked,
    /// It waits for a permit.
    Queued,
    /// A body runs.
    Running(TurnId),
}

impl Machine {
    /// What the gate of a component looks at.
    pub(super) fn snapshot(&self, component: usize, now: Now) -> Snapshot {
        let (it, at_work) = (&self.flow.components()[component], &self.components[component]);
        let outgoing = self.flow.outgoing(component);
        let connections = self.flow.connections();
        let incoming = self.flow.incoming(component).iter().map(|index| Incoming {
            is_loop: connections[*index].is_loop(),
            ready: self.takeable(*index, now),
            penalised_until_ms: self.queues[*index].penalised_until_ms(),
        });
        let full = |relationship: &String| {
            let mut of_it = outgoing.iter().filter(|index| connections[**index].relationships.contains(relationship));
            of_it.any(|index| !connections[*index].is_loop() && self.queues[*index].is_full())
        };
        Snapshot {
            now_ms: now.mono_ms,
            terminated: it.serial && at_work.terminated > 0,
            yield_until_ms: at_work.yield_until_ms,
            elsewhere: it.placement == super::super::Placement::Leader && !self.leads,
            work: match (it.is_funnel, self.flow.is_source(component)) {
                (true, _) => Work::Funnel { has_output: !outgoing.is_empty() },
                (false, true) => Work::Source,
                (false, false) => Work::Items,
            },
            incoming: incoming.collect(),
            has_room: it.relationships.iter().map(|relationship| !full(relationship)).collect(),
            any_destination: it.any_destination,
            active: at_work.active,
            concurrency: None,
        }
    }

    /// A slot may start: it asks the gate, and queues for a permit or is parked.
    pub(super) fn consider(&mut self, component: usize, slot: usize, pools: &mut Pools, now: Now) {
        if !self.components[component].state.starts_bodies() {
            return;
        }
        // Who polls does so with a permit in hand.
        if self.idle == IdleCheck::Wake {
            match self.ask(component, slot, now) {
                Gate::Ready => {}
                Gate::Blocked(blocked) => return self.blocked(component, slot, &blocked, now),
            }
        }
        self.leave(component, slot);
        let Some(it) = self.slot(component, slot) else { return };
        it.state = SlotState::Queued;
        let pool = pools.find(self.flow.components()[component].pool());
        pools.wait(Ticket { flow: self.key, component, slot, pool });
    }

    fn ask(&mut self, component: usize, slot: usize, now: Now) -> Gate {
        self.checks += 1;
        let relieved = self.components[component].slots.get(slot).is_some_and(|it| it.relieved);
        match gate(&self.snapshot(component, now)) {
            Gate::Blocked(Blocked { reason: Reason::DownstreamFull, .. }) if relieved => Gate::Ready,
            answer => answer,
        }
    }

    /// A permit is there for a slot: its body starts, unless the gate has closed or others have taken the items.
    pub fn run(&mut self, ticket: Ticket, pools: &mut Pools, now: Now) -> Option<Start> {
        let Ticket { component, slot, pool, .. } = ticket;
        if self.state_of(component, slot) != SlotState::Queued {
            return None;
        }
        if let Gate::Blocked(blocked) = self.ask(component, slot, now) {
            self.blocked(component, slot, &blocked, now);
            self.relieve(pools, now);
            return None;
        }
        let items = self.claim(component, now);
        if items.is_empty() && !self.flow.is_source(component) {
            self.empty_claims += 1;
            self.blocked(component, slot, &Blocked { reason: Reason::NoWork, until_ms: None }, now);
            return None;
        }
        pools.take(pool);
        Some(self.begin(component, slot, pool, items, now))
    }

    fn blocked(&mut self, component: usize, slot: usize, blocked: &Blocked, now: Now) {
        self.looks_stuck |= match blocked.reason {
            Reason::DownstreamFull => true,
            // It may be the last of a circle to come to rest.
            Reason::NoWork => self.flow.is_in_cycle(component),
            _ => false,
        };
        if self.components[component].state == ComponentState::RunOnce {
            self.halt(component);
            return;
        }
        // A run duration that ends for want of work is followed by the schedule.
        let went_on = self.slot(component, slot).and_then(|it| it.since_ms.take()).is_some();
        if let (true, Trigger::Timer { run_schedule_ms: schedule_ms @ 1.. }) =
            (went_on, &self.flow.components()[component].trigger)
        {
            let until_ms = now.mono_ms.saturating_add(*schedule_ms);
            self.wait_until(component, slot, until_ms);
            return;
        }
        let is_lost = self.cron(component).is_some_and(|cron| cron.on_blocked == OnBlocked::Skip);
        if is_lost {
            let at = self.components[component].slots[slot].scheduled.unwrap_or(now.wall);
            self.components[component].view.skipped(at, blocked.reason);
            self.leave(component, slot);
            self.await_fire(component, slot, now);
            return;
        }
        match self.idle {
            IdleCheck::Wake => self.park(component, slot),
            IdleCheck::Poll(every_ms) => self.wait_until(component, slot, now.mono_ms + every_ms),
        }
    }

    fn park(&mut self, component: usize, slot: usize) {
        self.leave(component, slot);
        if let Some(it) = self.slot(component, slot) {
            it.state = SlotState::Parked;
            self.components[component].parked.push_back(slot);
        }
    }

    /// Lets up to `count` parked slots of a component ask the gate again; for items, no more than there are items for which no slot
    /// waits for a permit yet.
    pub(super) fn wake(&mut self, component: usize, cause: Cause, count: usize, pools: &mut Pools, now: Now) {
        let mut count = count.min(self.components[component].parked.len());
        if matches!(cause, Cause::Item | Cause::PenaltyEnded | Cause::Rescued) && count > 0 {
            let ready: usize = self.flow.incoming(component).iter().map(|index| self.takeable(*index, now)).sum();
            let slots = self.components[component].slots.iter();
            let queued = slots.filter(|slot| slot.state == SlotState::Queued).count();
            count = count.min(ready.saturating_sub(queued));
        }
        for _ in 0..count {
            let Some(slot) = self.components[component].parked.front().copied() else { return };
            self.checks += 1;
            if let Gate::Blocked(blocked) = gate(&self.snapshot(component, now)) {
                self.looks_stuck |= blocked.reason == Reason::DownstreamFull;
                return;
            }
            *self.wakes.entry(cause).or_default() += 1;
            self.consider(component, slot, pools, now);
        }
    }

    /// Sets when a slot whose body has ended may start again.
    pub(super) fn next_start(&mut self, component: usize, slot: usize, pools: &mut Pools, now: Now) {
        let yield_until_ms = self.components[component].yield_until_ms;
        match &self.flow.components()[component].trigger {
            Trigger::Timer { run_schedule_ms } => {
                let until = now.mono_ms.saturating_add(*run_schedule_ms).max(yield_until_ms);
                if until > now.mono_ms {
                    self.wait_until(component, slot, until);
                } else {
                    self.consider(component, slot, pools, now);
                }
            }
            Trigger::Event => self.consider(component, slot, pools, now),
            Trigger::Cron(_) => self.next_fire(component, slot, pools, now),
        }
    }

    /// The same where times of a calendar count: those that have passed are lost, or made up for.
    fn next_fire(&mut self, component: usize, slot: usize, pools: &mut Pools, now: Now) {
        let cron = self.cron(component).expect("it is cron-driven");
        let it = &self.components[component].slots[slot];
        let from = it.scheduled.unwrap_or(now.wall);
        let mut missed = 0;
        let mut last = from;
        while let Some(at) = cron.next_after(last).filter(|at| *at <= now.wall && missed < MISSED_MAX) {
            (last, missed) = (at, missed + 1);
        }
        let makes_up = match cron.misfire {
            Misfire::Skip => 0,
            Misfire::Once => 1,
            Misfire::All(max) => max,
        };
        let more = u32::try_from(missed).unwrap_or(u32::MAX);
        let owed = it.owed.saturating_add(more).min(makes_up);
        let it = &mut self.components[component];
        it.view.missed += missed.saturating_sub(u64::from(makes_up.min(more)));
        it.slots[slot].scheduled = Some(last);
        it.slots[slot].owed = owed.saturating_sub(1);
        if owed > 0 {
            self.consider(component, slot, pools, now);
        } else {
            self.await_fire(component, slot, now);
        }
    }

    /// The time of a slot has come.
    pub(super) fn fire(&mut self, component: usize, slot: usize, at: Timestamp, pools: &mut Pools, now: Now) {
        if let Some(it) = self.slot(component, slot) {
            it.scheduled = Some(at);
            self.consider(component, slot, pools, now);
        }
    }

    /// Waits for the next time of the calendar after all that were, and after now.
    pub(super) fn await_fire(&mut self, component: usize, slot: usize, now: Now) {
        let scheduled = self.components[component].slots[slot].scheduled;
        let after = scheduled.map_or(now.wall, |at| at.max(now.wall));
        let at = self.cron(component).and_then(|cron| cron.next_after(after));
        let it = &mut self.components[component].slots[slot];
        it.state = at.map_or(SlotState::Idle, SlotState::Awaiting);
        if let Some(at) = at {
            self.wall_timers.insert((at, WallTimer::Fire(component, slot)));
        }
    }

    pub(super) fn wait_until(&mut self, component: usize, slot: usize, until_ms: i64) {
        self.leave(component, slot);
        if let Some(it) = self.slot(component, slot) {
            it.state = SlotState::Waiting(until_ms);
            self.timers.insert((until_ms, Timer::Slot(component, slot)));
        }
    }

    /// Takes a slot out of where it waits.
    pub(super) fn leave(&mut self, component: usize, slot: usize) {
        match self.state_of(component, slot) {
            SlotState::Waiting(until) => {
                self.timers.remove(&(until, Timer::Slot(component, slot)));
            }
            SlotState::Awaiting(at) => {
                self.wall_timers.remove(&(at, WallTimer::Fire(component, slot)));
            }
            SlotState::Parked => self.components[component].parked.retain(|it| *it != slot),
            SlotState::Idle | SlotState::Queued | SlotState::Running(_) => {}
        }
    }

    pub(super) fn cron(&self, component: usize) -> Option<&Cron> {
        match &self.flow.components()[component].trigger {
            Trigger::Cron(cron) => Some(cron),
            Trigger::Timer { .. } | Trigger::Event => None,
        }
    }
}
