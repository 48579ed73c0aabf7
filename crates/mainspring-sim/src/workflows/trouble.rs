//! What goes wrong with nodes and steps, and how the cluster answers.

use super::{What, World};
use crate::faults::Kind;
use crate::random::Random;

/// How often it is asked whether something goes wrong.
const EVERY_MS: u64 = 250;

/// Chances in a million: of nodes each time that it is asked, of steps for each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Odds {
    crash: u64,
    pause: u64,
    takeover: u64,
    pub(super) lost: u64,
    pub(super) late: u64,
    pub(super) before: u64,
    pub(super) after: u64,
    pub(super) silent: u64,
    pub(super) duplicate: u64,
}

impl Odds {
    /// Half of the kinds are off in a seed.
    pub(super) fn drawn(random: &mut Random) -> Self {
        let mut one = |most: u64| if random.chance(500_000) { random.between(most / 8, most) } else { 0 };
        Self {
            crash: one(20_000),
            pause: one(20_000),
            takeover: one(40_000),
            lost: one(30_000),
            late: one(30_000),
            before: one(30_000),
            after: one(30_000),
            silent: one(30_000),
            duplicate: one(100_000),
        }
    }
}

impl World {
    /// Whether something goes wrong, which is counted.
    pub(super) fn chance(&mut self, odds: u64, kind: Kind) -> bool {
        let happens = !self.healed && self.random.chance(odds);
        if happens {
            self.counts.add(kind);
            self.tell(|| format!("FAULT {}", kind.word()));
        }
        happens
    }

    pub(super) fn disturb(&mut self) {
        if self.healed {
            return;
        }
        self.after(EVERY_MS, What::Disturb);
        let node = self.random.index(self.nodes.len());
        if self.nodes[node].is_up && self.chance(self.odds.crash, Kind::Crash) {
            self.nodes[node].is_up = false;
            self.nodes[node].forget();
            self.desk.lost(node);
            let again = self.random.between(500, 8_000);
            self.after(again, What::Restart(node));
        }
        if self.chance(self.odds.pause, Kind::Pause) {
            let long = self.random.between(100, 20_000);
            self.nodes[node].still = self.now + long;
        }
        if self.nodes[node].is_up && node != self.holder && self.chance(self.odds.takeover, Kind::Overtaken) {
            self.hand_over(node);
        }
    }

    /// Gives the runs to another node. The one before hears of it later.
    fn hand_over(&mut self, node: usize) {
        let before = std::mem::replace(&mut self.holder, node);
        let heard = self.random.between(1, 10_000);
        self.after(heard, What::Learn(before));
        self.take(node);
    }

    /// Looks whether the node that is to own the runs can.
    pub(super) fn govern(&mut self) {
        self.after(1_000, What::Govern);
        let now = self.now;
        let can = |node: usize| self.nodes[node].is_up && self.nodes[node].still_until(now).is_none();
        if !can(self.holder) {
            if let Some(other) = (0..self.nodes.len()).find(|node| can(*node)) {
                self.hand_over(other);
            }
        } else if !self.nodes[self.holder].owns {
            self.take(self.holder);
        }
    }

    pub(super) fn learn(&mut self, node: usize) {
        if node != self.holder {
            self.nodes[node].forget();
            self.desk.lost(node);
        }
    }

    /// All faults end, and what is paused goes on.
    pub(super) fn heal(&mut self) {
        self.healed = true;
        self.nodes.iter_mut().for_each(|node| node.still = 0);
        self.resume_all();
    }
}
