//! Queues whose items wait until there are enough of them.

use super::{Machine, Now, Timer};

impl Machine {
    /// How many items of a queue can be taken: none while they wait for more of them. As many bytes
    /// as a turn takes are enough, too. A full queue waits for nothing, as no more can come.
    pub(super) fn takeable(&self, connection: usize, now: Now) -> usize {
        let queue = &self.queues[connection];
        let taker = &self.flow.components()[self.flow.connections()[connection].to];
        let is_enough = queue.ready() >= taker.gather || queue.ready_bytes() >= taker.most_bytes();
        let waited = self.gathering[connection].is_some_and(|until| until <= now.mono_ms);
        if is_enough || waited || queue.is_full() { queue.ready() } else { 0 }
    }

    /// Sets until when items wait: from the first of them on.
    pub(super) fn arm_gathering(&mut self, connection: usize, now: Now) {
        let it = &self.flow.components()[self.flow.connections()[connection].to];
        if it.gather <= 1 {
            return;
        }
        match (self.queues[connection].ready(), self.gathering[connection]) {
            (0, Some(until)) => {
                self.timers.remove(&(until, Timer::Gathered(connection)));
                self.gathering[connection] = None;
            }
            (1.., None) => {
                let until = now.mono_ms.saturating_add(it.gather_ms);
                self.timers.insert((until, Timer::Gathered(connection)));
                self.gathering[connection] = Some(until);
            }
            _ => {}
        }
    }

    /// Lets the items that a turn has left wait anew.
    pub(super) fn restart_gathering(&mut self, connection: usize) {
        if let Some(until) = self.gathering[connection].take() {
            self.timers.remove(&(until, Timer::Gathered(connection)));
        }
    }
}
