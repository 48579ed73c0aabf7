//! Starting and stopping components.

use super::super::definition::Trigger;
use super::pools::Pools;
use super::slots::{Slot, SlotState};
use super::turns::TurnId;
use super::{Machine, Now, Timer};

/// What a component is meant to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ComponentState {
    /// Nothing. Bodies that have begun go on to their end.
    #[default]
    Stopped,
    /// To run when its trigger says so.
    Running,
    /// To run as soon as it has what it needs beside items.
    WaitingValid,
    /// To run once, if its gate is open, and then to be stopped.
    RunOnce,
    /// Nothing, and it cannot be started.
    Disabled,
}

impl ComponentState {
    /// The word for it on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Running => "running",
            Self::WaitingValid => "waiting_valid",
            Self::RunOnce => "run_once",
            Self::Disabled => "disabled",
        }
    }

    /// Whether somebody has started it, and it is not over.
    #[must_use]
    pub const fn is_started(self) -> bool {
        matches!(self, Self::Running | Self::WaitingValid | Self::RunOnce)
    }

    pub(super) const fn starts_bodies(self) -> bool {
        matches!(self, Self::Running | Self::RunOnce)
    }
}

/// Why a request cannot be carried out now. Nothing has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// It has been started.
    #[error("it is running already")]
    Running,
    /// It has been started, and lacks what it needs.
    #[error("it is started already, and waits until it can run")]
    Waiting,
    /// It lacks what it needs.
    #[error("it cannot run now")]
    Invalid,
    /// Bodies that began before have not ended.
    #[error("it is still stopping: {0} bodies have not ended; wait for them, or terminate them")]
    Stopping(u32),
    /// It is disabled.
    #[error("it is disabled; enable it first")]
    Disabled,
    /// It must be stopped for this.
    #[error("it is running; stop it first")]
    NotStopped,
    /// It has no body to run.
    #[error("it has no body of its own: items are put into it by requests")]
    Passive,
    /// Items can be put only into components without a body.
    #[error("items are put into components with http_in only")]
    HasBody,
    /// It must run for this.
    #[error("it does not run; start it first")]
    NotRunning,
    /// There is no room behind it.
    #[error("a queue behind it is full; try again later")]
    Full,
    /// The turn was terminated: what its body did counts for nothing.
    #[error("the body was terminated, so what it did is not kept")]
    Terminated,
}

impl Machine {
    /// What a component is meant to do.
    #[must_use]
    pub fn state(&self, component: usize) -> ComponentState {
        self.components[component].state
    }

    /// How many bodies of a component run.
    #[must_use]
    pub fn active(&self, component: usize) -> u32 {
        self.components[component].active
    }

    /// How many bodies of a component were terminated and have not ended.
    #[must_use]
    pub fn terminated(&self, component: usize) -> u32 {
        self.components[component].terminated
    }

    /// Starts a component: its slots may begin at once, or at the next time of its calendar. One that lacks what it needs waits for
    /// that.
    ///
    /// # Errors
    /// It runs, is stopping or disabled.
    pub fn start(&mut self, component: usize, pools: &mut Pools, now: Now) -> Result<(), Refused> {
        self.may_start(component)?;
        if !self.components[component].lacks.is_empty() {
            self.await_validity(component);
            return Ok(());
        }
        self.look_at_clock(now);
        let count = self.slot_count(component, pools);
        let it = &mut self.components[component];
        it.state = ComponentState::Running;
        it.slots = vec![Slot::default(); count];
        let is_cron = matches!(self.flow.components()[component].trigger, Trigger::Cron(_));
        for slot in 0..count {
            if is_cron {
                self.await_fire(component, slot, now);
            } else {
                self.consider(component, slot, pools, now);
            }
        }
        self.relieve(pools, now);
        Ok(())
    }

    /// Runs one body of a stopped component if its gate is open, whatever its trigger; the component is stopped afterwards.
    ///
    /// # Errors
    /// It runs, is stopping or disabled, or lacks what it needs.
    pub fn run_once(&mut self, component: usize, pools: &mut Pools, now: Now) -> Result<(), Refused> {
        self.may_start(component)?;
        if self.flow.components()[component].is_passive {
            return Err(Refused::Passive);
        }
        if !self.components[component].lacks.is_empty() {
            return Err(Refused::Invalid);
        }
        self.look_at_clock(now);
        let it = &mut self.components[component];
        it.state = ComponentState::RunOnce;
        it.slots = vec![Slot::default()];
        self.consider(component, 0, pools, now);
        Ok(())
    }

    /// Hears that a pool has another size: event-driven components without a limit get as many slots as it has permits then.
    pub fn resized(&mut self, pools: &mut Pools, now: Now) {
        for component in 0..self.components.len() {
            let count = self.slot_count(component, pools);
            let it = &mut self.components[component];
            if it.state != ComponentState::Running || it.slots.len() >= count {
                continue;
            }
            let before = it.slots.len();
            it.slots.resize(count, Slot::default());
            (before..count).for_each(|slot| self.consider(component, slot, pools, now));
        }
    }

    const fn may_start(&self, component: usize) -> Result<(), Refused> {
        let it = &self.components.as_slice()[component];
        match it.state {
            ComponentState::Running | ComponentState::RunOnce => Err(Refused::Running),
            ComponentState::WaitingValid => Err(Refused::Waiting),
            ComponentState::Disabled => Err(Refused::Disabled),
            ComponentState::Stopped if it.active > 0 => Err(Refused::Stopping(it.active)),
            ComponentState::Stopped => Ok(()),
        }
    }

    /// Stops a component: it begins nothing more. Bodies that run go on.
    pub fn stop(&mut self, component: usize, pools: &mut Pools) {
        if self.components[component].state.is_started() {
            self.awaited.remove(&component);
            self.halt(component);
            pools.forget(self.key, Some(component));
        }
    }

    /// Keeps a stopped component from being started.
    ///
    /// # Errors
    /// It runs.
    pub fn disable(&mut self, component: usize) -> Result<(), Refused> {
        let it = &mut self.components[component];
        if it.state.is_started() {
            return Err(Refused::NotStopped);
        }
        it.state = ComponentState::Disabled;
        Ok(())
    }

    /// Lets a disabled component be started again.
    pub fn enable(&mut self, component: usize) {
        let it = &mut self.components[component];
        if it.state == ComponentState::Disabled {
            it.state = ComponentState::Stopped;
        }
    }

    /// Gives up the bodies of a stopped component: their items return to their queues, their permits to the pool, and whatever
    /// they come to is refused. Returns the turns whose bodies are to be ended. Those whose end is being kept are not among them.
    ///
    /// # Errors
    /// It runs.
    pub fn terminate(&mut self, component: usize, pools: &mut Pools, now: Now) -> Result<Vec<TurnId>, Refused> {
        if self.components[component].state.is_started() {
            return Err(Refused::NotStopped);
        }
        let of_it = self.turns.iter().filter(|(_, turn)| turn.component == component && !turn.is_ending());
        let given_up: Vec<TurnId> = of_it.map(|(id, _)| *id).collect();
        for id in &given_up {
            self.abandon(*id, pools, now);
        }
        self.handle(super::Event::Woke, pools, now);
        Ok(given_up)
    }

    /// Lets a component begin nothing more.
    pub(super) fn halt(&mut self, component: usize) {
        for slot in 0..self.components[component].slots.len() {
            self.leave(component, slot);
            let it = &mut self.components[component].slots[slot];
            if !matches!(it.state, SlotState::Running(_)) {
                it.state = SlotState::Idle;
            }
        }
        let it = &mut self.components[component];
        it.state = ComponentState::Stopped;
        it.parked.clear();
        if it.active == 0 {
            it.slots = Vec::new();
        }
        self.timers.remove(&(it.yield_until_ms, Timer::Rested(component)));
        it.yield_until_ms = i64::MIN;
    }
}
