//! What goes wrong by itself, and how it ends.

use super::*;
use crate::node::lease::CLOCK_RIGHT_MS;

impl World {
    pub(super) fn disturb(&mut self) {
        if self.healed {
            return;
        }
        self.after(EVERY_MS * 1_000, What::Disturb);
        for kind in [Kind::Crash, Kind::Pause, Kind::Suspend, Kind::Stall, Kind::Cut, Kind::ClockStep, Kind::Drain] {
            for node in 0..self.nodes.len() {
                if self.rolls(kind) {
                    self.strike(kind, node);
                }
            }
        }
        for kind in [Kind::WorkerCrash, Kind::WorkerPause, Kind::WorkerCut] {
            for worker in 0..self.workers.len() {
                if self.rolls(kind) {
                    self.strike_worker(kind, worker);
                }
            }
        }
        if self.rolls(Kind::Outage) && self.down_until <= self.now {
            let ms = *self.random.pick(&[300, 2_000, 6_000, 20_000]);
            let ms = self.random.between(100, ms);
            self.outage(Kind::Outage, ms);
        }
        if self.rolls(Kind::SlowStore) && self.slow_until <= self.now {
            let ms = self.random.between(500, 10_000);
            self.slow_until = self.now + ms * 1_000;
            self.fault(Kind::SlowStore, None, ms, RECOVERY_MS);
        }
        if self.rolls(Kind::StoreClock) {
            self.database_ahead_ms = *self.random.pick(&[0, 800, 6_000, -6_000, 3_600_000]);
            // Nodes may take themselves for wrong, and hand over.
            self.fault(Kind::StoreClock, None, 5_000, RECOVERY_MS);
        }
        if self.rolls(Kind::Failover) && !self.failing_over {
            self.failing_over = true;
            let snapshot = self.snapshot();
            let tail_ms = self.random.below(5_000);
            self.after(tail_ms * 1_000, What::Failover(Box::new(snapshot)));
        }
    }

    fn rolls(&mut self, kind: Kind) -> bool {
        // So many in a thousand minutes.
        let rate = self.rates.of(kind) * EVERY_MS / 60;
        self.random.chance(rate)
    }

    fn strike(&mut self, kind: Kind, node: usize) {
        if !self.nodes[node].up || self.nodes[node].paused_until > self.now {
            return;
        }
        match kind {
            // As below: a clock that is wrong is not left alone.
            Kind::Crash if self.others_take_part(node) || self.clocks_are_right() => self.crash(node, kind),
            Kind::Pause | Kind::Suspend => {
                let most = *self.random.pick(&[1_000, 10_000, 30_000, 120_000]);
                let ms = self.random.between(100, most);
                // Work that sleeps along does not wake up earlier: nor does the machine when the faults end.
                let left_ms = self.setting.faulty_ms.saturating_sub(self.now / 1_000);
                let ms = if kind == Kind::Suspend { ms.min(left_ms.max(1)) } else { ms };
                self.fault(kind, Some(node), ms, RECOVERY_MS);
                let until = self.now + ms * 1_000;
                self.nodes[node].paused_until = until;
                self.at(until, What::WakeUp(node));
                if kind == Kind::Suspend {
                    self.sleep(node, ms);
                }
            }
            Kind::Stall => {
                let ms = self.random.between(500, 15_000);
                self.fault(kind, Some(node), ms, RECOVERY_MS);
                self.nodes[node].stalled_until = self.now + ms * 1_000;
                self.after(ms * 1_000, What::WakeUp(node));
            }
            Kind::Cut => {
                let most = *self.random.pick(&[3_000, 15_000, 60_000]);
                let ms = self.random.between(500, most);
                self.fault(kind, Some(node), ms, RECOVERY_MS);
                let way = self.random.below(3);
                self.nodes[node].cut_out = way != 1;
                self.nodes[node].cut_in = way != 0;
                self.after(ms * 1_000, What::Mend(node));
            }
            Kind::ClockStep => {
                let most = *self.random.pick(&[200, 1_000, 4_000, 60_000, 3_600_000]);
                // Who is left alone keeps its shards however wrong its clock is, and accounts for an hour at once.
                let most = if self.others_take_part(node) { most } else { most.min(CLOCK_RIGHT_MS) };
                let step = self.random.within(most);
                self.set_clock(node, step);
                self.fault(kind, Some(node), 5_000, RECOVERY_MS);
            }
            // Where all drain nothing fires, as they were asked.
            Kind::Drain if self.others_take_part(node) => {
                self.fault(kind, Some(node), 0, 2_000);
                self.drain(node, true);
                let ms = self.random.between(2_000, 30_000);
                self.after(ms * 1_000, What::Undrain(node));
            }
            _ => {}
        }
    }

    /// A machine sleeps: its work as well, and its network comes back later than it does.
    fn sleep(&mut self, node: usize, ms: u64) {
        self.nodes[node].slept_ms += ms;
        self.put_work_off(node, ms * 1_000);
        let most = *self.random.pick(&[1, 1, 6_000, 15_000]);
        let later_ms = self.random.below(most);
        if later_ms > 0 {
            self.fault(Kind::Cut, Some(node), ms + later_ms, RECOVERY_MS);
            self.cut_off(node, ms + later_ms);
        }
    }

    /// No messages from a node, nor to it.
    fn cut_off(&mut self, node: usize, ms: u64) {
        (self.nodes[node].cut_out, self.nodes[node].cut_in) = (true, true);
        self.after(ms * 1_000, What::Mend(node));
    }

    /// Whether a batch of fires is put off until its sender has lost its shards, and nobody hears of that meanwhile.
    pub(super) fn overtake(&mut self, number: u64) -> bool {
        let session = self.store.sessions.get(&number).expect("the caller has seen it");
        let (node, is_fire) = (session.sender.node, matches!(session.verb, Verb::Fire(_)));
        let may = is_fire && !session.delayed && !self.healed;
        if !may || !self.overtaking.chance(self.rates.of(Kind::Overtaken)) {
            return false;
        }
        let ms = self.overtaking.between(6_000, 12_000);
        self.fault(Kind::Overtaken, None, ms, RECOVERY_MS);
        self.cut_off(node, ms);
        self.store.sessions.get_mut(&number).expect("seen above").delayed = true;
        self.after(ms * 1_000, What::Step(number));
        true
    }

    pub(super) fn mend(&mut self, node: usize) {
        (self.nodes[node].cut_out, self.nodes[node].cut_in) = (false, false);
    }

    pub(crate) fn outage(&mut self, kind: Kind, ms: u64) {
        self.fault(kind, None, ms.max(DEADLINE_MS), RECOVERY_MS);
        self.store.end_all();
        self.down_until = self.now + ms * 1_000;
    }

    /// Whether faults have to go on for a seed to be worth anything.
    pub(super) fn has_few_faults(&self) -> bool {
        self.setting.faults && self.counts.total() < FAULTS_LEAST && self.now < LONGER_MS * 1_000
    }

    pub(super) fn heal(&mut self) {
        self.healed = true;
        self.history.calm_from = self.time() + RECOVERY_MS;
        self.rates = Rates::none();
        self.slow_until = self.now;
        self.down_until = self.down_until.min(self.now);
        self.database_ahead_ms = 0;
        let at = self.now;
        self.trace.line(at, || "HEAL".into());
        for node in 0..self.nodes.len() {
            self.mend(node);
            self.set_clock_right(node);
            let state = &mut self.nodes[node];
            state.paused_until = state.paused_until.min(at);
            state.stalled_until = state.stalled_until.min(at);
            if self.nodes[node].up {
                self.wake_up(node);
            } else {
                self.restart(node);
            }
            self.drain(node, false);
        }
        self.heal_workers();
        let now = self.time();
        for fault in &mut self.history.faults {
            let stands = matches!(fault.kind, "pause" | "suspend" | "stall");
            fault.to = fault.to.min(now + if stands { 0 } else { 10_000 });
        }
        self.fault(Kind::Drain, None, 2_000, RECOVERY_MS);
    }
}
