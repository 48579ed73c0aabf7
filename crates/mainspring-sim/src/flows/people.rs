//! What people and bodies do with a flow.

use mainspring_core::flow::{ComponentState, Disposal, ItemId, Output, Priority, Verdict};
use mainspring_store::{ItemRow, ItemWrite};

use super::graph::INLET;
use super::ledger::Deed;
use super::owner::{Owner, Pending};
use super::{What, World};

impl World {
    /// Somebody puts a few items into the flow.
    pub(super) fn put(&mut self) {
        if self.healed {
            return;
        }
        let again = self.random.between(20, 400);
        self.after(again, What::Put);
        let count = self.random.between(1, 4);
        let priorities = [Priority::Absent, Priority::Number(1), Priority::Number(2)];
        let output = |priority: &Priority| Output {
            relationship: "success".to_owned(),
            bytes: 1,
            priority: priority.clone(),
            parent: None,
        };
        let outputs: Vec<Output> = (0..count).map(|_| output(self.random.pick(&priorities))).collect();
        let numbers = self.graph.numbers.clone();
        let Some((node, now)) = self.asked() else { return };
        let owner = self.nodes[node].owner.as_mut().expect("it was found");
        let Ok(accepted) = owner.machine.accept(INLET, &outputs, now) else { return };
        let writes = accepted.iter().map(|write| owner.row(write, &numbers, now)).collect();
        let deed = Deed { writes, ..Deed::default() };
        owner.keep(Pending { turn: None, deed, accepted: Some((INLET, accepted)) });
        self.step(node);
    }

    /// The node that is asked: any that has the flow and does not stand still.
    fn asked(&mut self) -> Option<(usize, mainspring_core::flow::Now)> {
        let now = self.now;
        let can = |it: &usize| self.nodes[*it].owner.is_some() && self.nodes[*it].still_until(now).is_none();
        let able: Vec<usize> = (0..self.nodes.len()).filter(can).collect();
        if able.is_empty() {
            return None;
        }
        let node = *self.random.pick(&able);
        Some((node, self.clocks(node)))
    }

    /// Somebody starts, stops or ends something, or moves items.
    pub(super) fn operate(&mut self) {
        if self.healed {
            return;
        }
        let again = self.random.between(300, 4_000);
        self.after(again, What::Operate);
        let component = self.random.index(self.running.len());
        let (connection, to) =
            (self.random.index(self.graph.numbers.len()), self.random.index(self.graph.numbers.len()));
        let what = self.random.below(10);
        let number = self.graph.numbers[to];
        let Some((node, now)) = self.asked() else { return };
        let Owner { machine, pools, .. } = self.nodes[node].owner.as_mut().expect("it was found");
        let mut moved = Vec::new();
        let done = match what {
            0..4 => {
                for it in 0..self.running.len() {
                    // Those that run, or are stopping, are passed over.
                    let _ = machine.start(it, pools, now);
                }
                Ok(())
            }
            4 => machine.run_once(component, pools, now),
            5 => {
                machine.stop(component, pools);
                Ok(())
            }
            6 | 7 => {
                machine.stop(component, pools);
                machine.terminate(component, pools, now).map(drop)
            }
            8 => {
                let first: Vec<ItemId> = machine.queue(connection).iter().take(2).map(|item| item.id).collect();
                let gone = machine.drop_items(connection, Some(&first), pools, now);
                moved.extend(gone.into_iter().map(|id| ItemWrite::Remove(id.0)));
                Ok(())
            }
            // What requests fill is not filled by others.
            _ if to == INLET => Ok(()),
            _ => {
                let there = machine.replay(connection, None, to, pools, now);
                moved.extend(there.iter().map(|item| ItemWrite::Update(ItemRow::of(number, item, now), None)));
                Ok(())
            }
        };
        let states = (0..self.running.len()).map(|it| machine.state(it) == ComponentState::Running).collect();
        if !moved.is_empty() {
            self.nodes[node].owner.as_mut().expect("it was found").keep(Pending::of(moved));
        }
        if done.is_ok() && node == self.holder {
            self.running = states;
        }
        self.tell(|| format!("node {node}: request {what} for component {component}: {done:?}"));
        self.step(node);
    }

    /// What a body comes to. When all is well, bodies pass their items on.
    pub(super) fn verdict(&mut self, component: usize, items: usize) -> Verdict {
        let random = &mut self.random;
        let is_well = self.healed;
        if !is_well && random.chance(60_000) {
            return Verdict::Failed("it broke".to_owned());
        }
        if !is_well && random.chance(40_000) {
            return Verdict::Rejected("it will not do".to_owned());
        }
        let transfer = |relationship: &str| Disposal::Transfer { relationship: relationship.to_owned(), changed: None };
        let mut disposals = Vec::new();
        for _ in 0..items {
            disposals.push(match random.below(if is_well { 10 } else { 20 }) {
                0..13 => transfer("success"),
                13 | 14 => transfer("again"),
                15 => Disposal::Remove,
                16 => Disposal::Keep,
                17 => Disposal::Penalize,
                18 => Disposal::Delay(700),
                _ => Disposal::Transfer { relationship: "success".to_owned(), changed: Some((2, Priority::Number(5))) },
            });
        }
        let mut outputs = Vec::new();
        if !is_well && items > 0 && random.chance(100_000) {
            let relationship = if component.is_multiple_of(2) { "success" } else { "again" };
            let output = Output {
                relationship: relationship.to_owned(),
                bytes: 1,
                priority: Priority::Absent,
                parent: Some(random.index(items)),
            };
            outputs.push(output);
        }
        let yields = (!is_well && random.chance(50_000)).then_some(300);
        Verdict::Done { items: disposals, outputs, yields }
    }
}
