//! What goes wrong: nodes and executors that die, executors that say nothing, and others who go on in their place.

use mainspring_store::Store;

use super::{EXECUTORS, NODES, What, World, incarnation, worker};
use crate::store::ready;

/// How often a dead node is looked for.
const GOVERN_MS: u64 = 10_000;

impl World {
    pub(super) fn disturb(&mut self) {
        if self.healed {
            return;
        }
        let pause = self.random.between(200, 20_000);
        self.after(pause, What::Disturb);
        match self.random.below(4) {
            0 => {
                let node = self.random.index(NODES);
                self.crash(node);
            }
            1 => {
                let executor = self.random.index(EXECUTORS);
                let there = &mut self.executors[executor];
                if there.is_up {
                    // What it executed ends without a word.
                    (there.is_up, there.start) = (false, there.start + 1);
                    there.work.clear();
                    self.faults += 1;
                    self.tell(|| format!("executor {executor} dies"));
                    let pause = self.random.between(500, 200_000);
                    self.after(pause, What::RestartExecutor(executor));
                }
            }
            2 => {
                let executor = self.random.index(EXECUTORS);
                self.executors[executor].is_hole = !self.executors[executor].is_hole;
                self.faults += 1;
                self.tell(|| format!("executor {executor} is a black hole now, or none any more"));
            }
            // A player that does not know it goes on for a while beside the next one.
            _ => {
                let executor = self.random.index(EXECUTORS);
                self.play(executor);
            }
        }
    }

    /// A node dies with all that it knows. What it has sent is on its way.
    pub(super) fn crash(&mut self, node: usize) {
        let there = &mut self.nodes[node];
        if !there.is_up {
            return;
        }
        (there.is_up, there.start) = (false, there.start + 1);
        there.attempts.clear();
        self.faults += 1;
        self.tell(|| format!("node {node} dies"));
        let pause = self.random.between(1_000, 60_000);
        self.after(pause, What::RestartNode(node));
    }

    /// Gives what dead nodes have played to others.
    pub(super) fn govern(&mut self) {
        for executor in 0..EXECUTORS {
            if !self.nodes[self.players[executor]].is_up {
                self.play(executor);
            }
        }
        self.after(GOVERN_MS, What::Govern);
    }

    /// Lets another node play the worker of an executor.
    fn play(&mut self, executor: usize) {
        let up: Vec<usize> = (0..NODES).filter(|node| self.nodes[*node].is_up).collect();
        if up.is_empty() {
            return;
        }
        let node = *self.random.pick(&up);
        let heard = ready(self.memory.hear_worker(worker(executor), incarnation(node), self.time()));
        heard.expect("the memory store is open");
        self.players[executor] = node;
        self.tell(|| format!("node {node} plays executor {executor}"));
    }

    pub(super) fn heal(&mut self) {
        self.healed = true;
        self.nodes.iter_mut().for_each(|node| node.is_up = true);
        let now = self.now;
        for executor in &mut self.executors {
            (executor.is_up, executor.is_hole, executor.beat_at) = (true, false, now);
        }
        self.tell(|| "the faults end".to_owned());
    }
}
