//! The node's lease: what its keeper orders, and when it looks.

use super::*;

/// A clock that is off by more than this may cost its node its shards.
pub(crate) const CLOCK_RIGHT_MS: i64 = 4_000;

impl World {
    pub(crate) fn keep_woke(&mut self, node: usize, life: u32) {
        if self.nodes[node].life != life || !self.nodes[node].up || self.nodes[node].keep_at > self.now {
            return;
        }
        if self.waits(node, || What::Keep(node, life)) {
            return;
        }
        self.keep(node, cluster::Event::Woke);
    }

    pub(crate) fn hinted(&mut self, node: usize) {
        if self.nodes[node].up && !self.waits(node, || What::Hint(node)) {
            self.keep(node, cluster::Event::Hinted);
        }
    }

    pub(crate) fn drain(&mut self, node: usize, drain: bool) {
        if !self.nodes[node].up || std::mem::replace(&mut self.nodes[node].drained, drain) == drain {
            return;
        }
        let (boot_ms, ticked_ms) = (self.nodes[node].boot_ms(self.now), self.nodes[node].ticked_ms);
        let orders = self.nodes[node].keeper.drain(boot_ms, ticked_ms, drain);
        self.obey(node, orders);
        self.kept(node);
    }

    /// Whether another node is up that has not been asked to drain, and whose clock is about right.
    pub(crate) fn others_take_part(&self, node: usize) -> bool {
        let takes_part = |state: &Node| state.up && !state.drained && self.is_right(state);
        self.nodes.iter().enumerate().any(|(other, state)| other != node && takes_part(state))
    }

    /// Whether all nodes have about the right time.
    pub(crate) fn clocks_are_right(&self) -> bool {
        self.nodes.iter().all(|state| self.is_right(state))
    }

    fn is_right(&self, node: &Node) -> bool {
        (node.wall(self.now).as_millis() - self.time()).abs() <= CLOCK_RIGHT_MS
    }

    pub(super) fn keep(&mut self, node: usize, event: cluster::Event) {
        let (boot_ms, ticked_ms) = (self.nodes[node].boot_ms(self.now), self.nodes[node].ticked_ms);
        let orders = self.nodes[node].keeper.handle(boot_ms, ticked_ms, event);
        self.obey(node, orders);
        self.kept(node);
    }

    /// Has the loop look if something has changed for it, and sets the lease's alarm.
    pub(super) fn kept(&mut self, node: usize) {
        let boot_ms = self.nodes[node].boot_ms(self.now);
        let state = &self.nodes[node];
        let life = state.life;
        if state.keeper.held() != state.held {
            let soon = self.now + 100;
            self.nodes[node].drive_at = soon;
            self.at(soon, What::Drive(node, life));
        }
        let state = &self.nodes[node];
        let due = state.keeper.next_wakeup(boot_ms).unwrap_or(u64::MAX).min(boot_ms + LOOK_MS);
        let at = self.now + state.virtual_us(due.saturating_sub(boot_ms)).max(1_000);
        self.nodes[node].keep_at = at;
        self.at(at, What::Keep(node, life));
    }

    pub(super) fn obey(&mut self, node: usize, orders: Vec<Order>) {
        let deadline_ms = self.cluster.deadline_ms;
        for order in orders {
            let sent = self.nodes[node].reading(self.now);
            let verb = match &order {
                Order::Renew(renewal) => Verb::Renew(*renewal),
                Order::Bury(dead, counter) => {
                    if self.has(Planted::TimestampLease) {
                        let call = self.nodes[node].call(For::Keeper(order.clone(), sent));
                        let state = &self.nodes[node];
                        let sender = Sender { node, life: state.life, incarnation: state.incarnation, call };
                        self.after(100, What::Reply(sender, Box::new(Ok(Answer::Done))));
                        continue;
                    }
                    Verb::Bury(*dead, Some(*counter))
                }
                Order::Acquire(change) => {
                    let id = u128::from(self.random.next()) << 64 | u128::from(self.random.next());
                    Verb::Acquire(*change, id)
                }
                Order::Release(change) => Verb::Release(*change),
                Order::FindOrphans => Verb::Orphaned,
                Order::Hint => {
                    self.hint(node);
                    continue;
                }
                Order::WarnClock(_) | Order::ClearClock | Order::WarnVersion(_) => continue,
            };
            self.ask_store(node, For::Keeper(order, sent), verb, deadline_ms);
        }
    }

    pub(super) fn hint(&mut self, from: usize) {
        for node in (0..self.nodes.len()).filter(|node| *node != from) {
            if !self.chance(Kind::Loss) {
                let delay = self.delay(node);
                self.after(delay, What::Hint(node));
            }
        }
    }
}
