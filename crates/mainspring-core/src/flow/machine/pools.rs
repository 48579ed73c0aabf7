//! Pools of permits, which all flows of a node share.

use std::collections::VecDeque;

/// Names a pool among [`Pools`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PoolId(usize);

/// A slot that waits for a permit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket {
    /// The flow's key.
    pub flow: u64,
    /// The component.
    pub component: usize,
    /// Its slot.
    pub slot: usize,
    /// The pool.
    pub pool: PoolId,
}

/// How many bodies may run at once on a node, pool by pool. Who waits for a permit gets it in order.
#[derive(Debug)]
pub struct Pools {
    pools: Vec<Pool>,
}

#[derive(Debug)]
struct Pool {
    name: String,
    size: u32,
    active: u32,
    waiting: VecDeque<Ticket>,
}

impl Default for Pools {
    /// `timer` with ten permits, for timer-driven and cron-driven components, and `event` with ten.
    fn default() -> Self {
        Self::new(&[("timer", 10), ("event", 10)])
    }
}

impl Pools {
    /// Makes pools of these sizes; a size of 0 counts as 1. The first one also serves who names a pool that is not there.
    #[must_use]
    pub fn new(sizes: &[(&str, u32)]) -> Self {
        let pool = |(name, size): &(&str, u32)| Pool {
            name: (*name).to_owned(),
            size: (*size).max(1),
            active: 0,
            waiting: VecDeque::new(),
        };
        Self { pools: sizes.iter().map(pool).collect() }
    }

    /// Names and sizes of the pools, with how many permits are taken.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32, u32)> {
        self.pools.iter().map(|pool| (pool.name.as_str(), pool.size, pool.active))
    }

    /// The size of a pool.
    #[must_use]
    pub fn size(&self, name: &str) -> u32 {
        self.pools[self.find(name).0].size
    }

    /// How many permits of a pool are taken.
    #[must_use]
    pub fn active(&self, name: &str) -> u32 {
        self.pools[self.find(name).0].active
    }

    /// Sets the size of a pool, or adds one. Bodies that run go on, also where the pool has shrunk below them.
    pub fn resize(&mut self, name: &str, size: u32) {
        match self.pools.iter_mut().find(|pool| pool.name == name) {
            Some(pool) => pool.size = size.max(1),
            None => {
                let pool = Pool { name: name.to_owned(), size: size.max(1), active: 0, waiting: VecDeque::new() };
                self.pools.push(pool);
            }
        }
    }

    /// Returns who is next in a pool that has a permit left. Whoever starts a body for it takes the permit.
    pub fn next_ticket(&mut self) -> Option<Ticket> {
        self.pools.iter_mut().filter(|pool| pool.active < pool.size).find_map(|pool| pool.waiting.pop_front())
    }

    /// Forgets who waits for a flow, or for one of its components.
    pub fn forget(&mut self, flow: u64, component: Option<usize>) {
        for pool in &mut self.pools {
            pool.waiting.retain(|it| it.flow != flow || component.is_some_and(|component| it.component != component));
        }
    }

    /// Follows an edit of a flow: components have other places. Who waits for one that is gone is forgotten.
    pub(super) fn moved(&mut self, flow: u64, components: &[Option<usize>]) {
        for pool in &mut self.pools {
            pool.waiting.retain_mut(|it| {
                let place = if it.flow == flow { components[it.component] } else { Some(it.component) };
                place.inspect(|place| it.component = *place).is_some()
            });
        }
    }

    pub(super) fn find(&self, name: &str) -> PoolId {
        PoolId(self.pools.iter().position(|pool| pool.name == name).unwrap_or(0))
    }

    pub(super) fn wait(&mut self, ticket: Ticket) {
        self.pools[ticket.pool.0].waiting.push_back(ticket);
    }

    pub(super) fn take(&mut self, pool: PoolId) {
        self.pools[pool.0].active += 1;
    }

    /// Gives a permit back. For a flow that is given up with bodies running, the shell does so.
    pub fn give_back(&mut self, pool: PoolId) {
        self.pools[pool.0].active -= 1;
    }
}
