//! Components that wait for what they lack: it is looked for when they are started, and then twice a second.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_core::flow::{ComponentState, Now, Pools};

use super::super::running::Running;
use super::super::validity::{Lacks, has_needs, lacks, with_needs};
use super::super::{Action, FlowError, Name, Reply};
use super::{Inbox, Works, named};

/// How often what is missing is looked for.
const LOOK_EVERY_MS: i64 = 500;

/// What is asked of components.
pub(super) struct Asked {
    pub(super) name: Name,
    pub(super) components: Option<Vec<String>>,
    pub(super) action: Action,
    pub(super) reply: Reply<BTreeMap<String, ComponentState>>,
}

/// Of flows, by number and generation: components that were looked at, and what they lack.
pub(super) type Judged = Vec<(i64, u64, Vec<String>, Lacks)>;

#[derive(Default)]
pub(super) struct Validity {
    is_looking: bool,
    look_at: i64,
}

impl Works {
    /// Does what is asked, once it is known whether what is to start has what it needs.
    pub(super) fn change_when_judged(&mut self, asked: Asked) {
        let starts = matches!(asked.action, Action::Start | Action::RunOnce);
        let is_asked = |name: &String| asked.components.as_ref().is_none_or(|names| names.contains(name));
        let found = named(&mut self.flows, &asked.name).ok().filter(|_| starts);
        let mut bodies = found.map(|running| with_needs(&running.definition)).unwrap_or_default();
        bodies.retain(|(name, _)| is_asked(name));
        if bodies.is_empty() {
            return self.carry_out(asked);
        }
        let names: Vec<String> = bodies.iter().map(|(name, _)| name.clone()).collect();
        let (tools, store, inbox) = (self.tools.clone(), Arc::clone(&self.store), self.inbox.0.clone());
        self.tasks.start(async move {
            let found = lacks(&tools, &*store, &asked.name.0, bodies).await;
            let _ = inbox.send(Inbox::Asked(Box::new(asked), names, found));
        });
    }

    /// Hears what components lack that are to start.
    pub(super) fn asked(&mut self, asked: Asked, names: &[String], found: &Lacks) {
        let now = self.now();
        if let Ok(running) = named(&mut self.flows, &asked.name) {
            running.judge(names, found, &mut self.pools, now);
        }
        self.carry_out(asked);
    }

    fn carry_out(&mut self, asked: Asked) {
        let Asked { name, components, action, reply } = asked;
        let ends = (action == Action::Terminate).then(|| components.clone());
        let changed = self.change(&name, components, action, self.now());
        match ends {
            Some(components) if changed.is_ok() => self.end_elsewhere(&name, components, changed, reply),
            _ => drop(reply.send(changed)),
        }
    }

    /// Looks whether what is missing is there by now, where somebody waits for it.
    pub(super) fn look_whether_valid(&mut self, now: Now) {
        if self.validity.is_looking || now.mono_ms < self.validity.look_at || !self.awaits_validity() {
            return;
        }
        self.validity = Validity { is_looking: true, look_at: now.mono_ms + LOOK_EVERY_MS };
        let awaiting = self.flows.iter().filter(|(_, it)| it.machine.awaited().next().is_some());
        let wanted: Vec<_> = awaiting
            .map(|(id, it)| {
                let awaited = it.machine.awaited().map(|place| &it.definition.parts[place]);
                let bodies: Vec<_> = awaited.map(|part| (part.component.name.clone(), part.body.clone())).collect();
                (*id, it.generation, it.row.namespace.clone(), bodies)
            })
            .collect();
        let (tools, store, inbox) = (self.tools.clone(), Arc::clone(&self.store), self.inbox.0.clone());
        self.tasks.start(async move {
            let mut judged = Vec::new();
            for (id, generation, namespace, bodies) in wanted {
                let names = bodies.iter().map(|(name, _)| name.clone()).collect();
                judged.push((id, generation, names, lacks(&tools, &*store, &namespace, bodies).await));
            }
            let _ = inbox.send(Inbox::Judged(judged));
        });
    }

    /// Hears what components lack that wait.
    pub(super) fn judged(&mut self, judged: Judged) {
        let now = self.now();
        self.validity.is_looking = false;
        for (id, generation, names, found) in judged {
            let Some(running) = self.flows.get_mut(&id).filter(|it| it.generation == generation) else { continue };
            running.judge(&names, &found, &mut self.pools, now);
            running.touch(&self.changes);
        }
    }

    /// When it is looked for again.
    pub(super) fn looks_for_validity_at(&self) -> Option<i64> {
        (!self.validity.is_looking && self.awaits_validity()).then_some(self.validity.look_at)
    }

    fn awaits_validity(&self) -> bool {
        self.flows.values().any(|it| it.machine.awaited().next().is_some())
    }

    /// Says what components of a flow lack on this node.
    pub(super) fn say_what_lacks(
        &self,
        namespace: String,
        definition: &mainspring_core::flow::Definition,
        reply: Reply<Lacks>,
    ) {
        let bodies = with_needs(definition);
        let (tools, store) = (self.tools.clone(), Arc::clone(&self.store));
        self.tasks.start(async move {
            let _ = reply.send(Ok(lacks(&tools, &*store, &namespace, bodies).await));
        });
    }
}

impl Running {
    /// Hears what these components lack.
    pub(in crate::flow) fn judge(&mut self, names: &[String], found: &Lacks, pools: &mut Pools, now: Now) {
        let found: BTreeMap<&String, &Vec<String>> = found.iter().map(|(name, lacks)| (name, lacks)).collect();
        let names: BTreeSet<&String> = names.iter().collect();
        for (place, part) in self.definition.parts.iter().enumerate() {
            let name = &part.component.name;
            if names.contains(name) {
                let lacks = found.get(name).map(|lacks| (*lacks).clone()).unwrap_or_default();
                self.machine.judge(place, lacks, pools, now);
            }
        }
    }

    /// The same of all that need something.
    pub(in crate::flow) fn judge_all(&mut self, found: &Lacks, pools: &mut Pools, now: Now) {
        let needy = self.definition.parts.iter().filter(|part| has_needs(&part.body));
        let names: Vec<String> = needy.map(|part| part.component.name.clone()).collect();
        self.judge(&names, found, pools, now);
    }

    /// Why a component cannot be run once.
    pub(in crate::flow) fn invalid(&self, place: usize) -> FlowError {
        let component = self.definition.parts[place].component.name.clone();
        FlowError::Invalid { component, lacks: self.machine.lacks(place).join("; ") }
    }
}
