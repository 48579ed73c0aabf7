//! Components that lack what they need beside items: a job, a folder, a function. They wait for it, and can be stopped meanwhile.

use super::lifecycle::ComponentState;
use super::pools::Pools;
use super::{Machine, Now};

impl Machine {
    /// Hears what a component lacks, in words for people; nothing where it can run. One that waits for that starts. One that runs
    /// goes on: its bodies say what they come to.
    pub fn judge(&mut self, component: usize, lacks: Vec<String>, pools: &mut Pools, now: Now) {
        let it = &mut self.components[component];
        it.lacks = lacks;
        if it.state != ComponentState::WaitingValid || !it.lacks.is_empty() {
            return;
        }
        it.state = ComponentState::Stopped;
        self.awaited.remove(&component);
        self.start(component, pools, now).expect("it is stopped, has no bodies and lacks nothing");
    }

    /// Components that wait for what they lack.
    pub fn awaited(&self) -> impl Iterator<Item = usize> {
        self.awaited.iter().copied()
    }

    /// What a component lacked when somebody looked.
    #[must_use]
    pub fn lacks(&self, component: usize) -> &[String] {
        &self.components[component].lacks
    }

    pub(super) fn await_validity(&mut self, component: usize) {
        self.components[component].state = ComponentState::WaitingValid;
        self.awaited.insert(component);
    }

    /// Finds again which components wait, after they have got other places.
    pub(super) fn find_awaited(&mut self) {
        let waits = |it: &usize| self.components[*it].state == ComponentState::WaitingValid;
        self.awaited = (0..self.components.len()).filter(waits).collect();
    }
}
