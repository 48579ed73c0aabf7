//! Items that somebody puts into a component without a body.

use super::lifecycle::{ComponentState, Refused};
use super::pools::Pools;
use super::turns::{Output, Write};
use super::{Machine, Now};
use crate::flow::gate::Reason;

impl Machine {
    /// Takes items that somebody puts into a component, and answers what is to be kept in one transaction. Once that is done, the
    /// machine is told by [`Machine::accepted`].
    ///
    /// # Errors
    /// The component has bodies of its own, does not run, or a queue behind it is full.
    pub fn accept(&mut self, component: usize, outputs: &[Output], now: Now) -> Result<Vec<Write>, Refused> {
        if !self.flow.components()[component].is_passive {
            return Err(Refused::HasBody);
        }
        if self.components[component].state != ComponentState::Running {
            return Err(Refused::NotRunning);
        }
        let snapshot = self.snapshot(component, now);
        if let super::super::Gate::Blocked(blocked) = super::super::gate::gate(&snapshot) {
            return Err(if blocked.reason == Reason::DownstreamFull { Refused::Full } else { Refused::NotRunning });
        }
        let mut writes = Vec::new();
        for (place, output) in outputs.iter().enumerate() {
            self.emit(component, &[], place, output, &mut writes, now);
        }
        Ok(writes)
    }

    /// Puts items into their queues that are kept now.
    pub fn accepted(&mut self, component: usize, writes: Vec<Write>, pools: &mut Pools, now: Now) {
        self.look_at_clock(now);
        let (mut items, mut bytes) = (0, 0);
        for write in writes {
            if let Write::Insert { connection, item, .. } = write {
                (items, bytes) = (items + 1, bytes + item.bytes);
                self.put(connection, item, pools, now);
            }
        }
        self.components[component].view.ended(items, bytes, 0, now);
        self.advance(pools, now);
    }
}
