//! A machine on a virtual clock, with bodies that take as long as they are told.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use mainspring_schedule::{Dialect, Semantics, Timestamp, Zone};

use crate::flow::*;

/// What bodies of a component come to, and how long they take in ms.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) takes_ms: i64,
    pub(super) verdict: fn(&Start) -> Verdict,
}

/// Passes items on as they are, or makes one where there are none.
pub(super) fn pass(start: &Start) -> Verdict {
    let transfer = Disposal::Transfer { relationship: "success".into(), changed: None };
    let made = Output { relationship: "success".into(), bytes: 1, priority: Priority::Absent, parent: None };
    let outputs = if start.items.is_empty() { vec![made] } else { Vec::new() };
    Verdict::Done { items: vec![transfer; start.items.len()], outputs, yields: None }
}

pub(super) fn fail(_: &Start) -> Verdict {
    Verdict::Failed("it broke".into())
}

pub(super) struct World {
    pub(super) machine: Machine,
    pub(super) pools: Pools,
    pub(super) mono_ms: i64,
    /// The wall clock minus the other.
    pub(super) offset_ms: i64,
    pub(super) bodies: Vec<Body>,
    running: BTreeMap<TurnId, (i64, Start)>,
    /// Starts of bodies: when, and of which component.
    pub(super) starts: Vec<(i64, usize)>,
    /// The most bodies of a component at once.
    pub(super) most_active: Vec<u32>,
    ids: i64,
    /// What each item was taken for, in order.
    pub(super) taken: VecDeque<(i64, usize, i64)>,
    kept: BTreeSet<ItemId>,
}

impl World {
    pub(super) fn new(components: Vec<Component>, connections: Vec<Connection>) -> Self {
        Self::with(components, connections, IdleCheck::Wake, Pools::default())
    }

    pub(super) fn with(
        components: Vec<Component>,
        connections: Vec<Connection>,
        idle: IdleCheck,
        pools: Pools,
    ) -> Self {
        let flow = Flow::new(components, connections).expect("the flow of a test is right");
        let count = flow.components().len();
        let now = Now { mono_ms: 0, wall: Timestamp::from_millis(0) };
        Self {
            machine: Machine::new(1, flow, idle, 1_000_000, now),
            pools,
            mono_ms: 0,
            offset_ms: 0,
            bodies: vec![Body { takes_ms: 0, verdict: pass }; count],
            running: BTreeMap::new(),
            starts: Vec::new(),
            most_active: vec![0; count],
            ids: 1,
            taken: VecDeque::new(),
            kept: BTreeSet::new(),
        }
    }

    pub(super) fn at(mut self, wall: &str) -> Self {
        self.offset_ms = instant(wall).as_millis();
        let now = self.now();
        self.machine.handle(Event::Woke, &mut self.pools, now);
        self
    }

    pub(super) fn body(mut self, component: usize, takes_ms: i64, verdict: fn(&Start) -> Verdict) -> Self {
        self.bodies[component] = Body { takes_ms, verdict };
        self
    }

    pub(super) const fn now(&self) -> Now {
        Now { mono_ms: self.mono_ms, wall: Timestamp::from_millis(self.mono_ms + self.offset_ms) }
    }

    pub(super) fn start(&mut self, component: usize) {
        let now = self.now();
        self.machine.start(component, &mut self.pools, now).expect("it can be started");
        self.dispatch();
    }

    pub(super) fn start_all(&mut self) {
        (0..self.machine.flow().components().len()).for_each(|component| self.start(component));
    }

    pub(super) fn item(&mut self) -> Header {
        self.ids += 1;
        Header {
            id: ItemId(self.ids),
            order: self.ids,
            entered_at: self.now().wall,
            lineage_at: self.now().wall,
            priority: Priority::Absent,
            bytes: 1,
            penalty_until_ms: None,
            retries: 0,
        }
    }

    pub(super) fn put(&mut self, connection: usize) -> ItemId {
        let item = self.item();
        self.put_item(connection, item)
    }

    pub(super) fn put_item(&mut self, connection: usize, item: Header) -> ItemId {
        let id = item.id;
        let now = self.now();
        self.machine.handle(Event::Put { connection, item }, &mut self.pools, now);
        self.dispatch();
        id
    }

    pub(super) fn put_many(&mut self, connection: usize, count: usize) {
        for _ in 0..count {
            self.put(connection);
        }
    }

    /// Lets time pass.
    pub(super) fn run(&mut self, for_ms: i64) {
        let until = self.mono_ms + for_ms;
        loop {
            let ends = self.running.values().map(|(at, _)| *at);
            let next = ends.chain(self.machine.next_wakeup_ms()).min().unwrap_or(i64::MAX).max(self.mono_ms);
            if next > until {
                break;
            }
            self.mono_ms = next;
            self.step();
        }
        self.mono_ms = until;
        self.step();
    }

    /// Does what is due at this instant.
    pub(super) fn step(&mut self) {
        let now = self.now();
        self.machine.handle(Event::Woke, &mut self.pools, now);
        loop {
            let over: Vec<TurnId> =
                self.running.iter().filter(|(_, (at, _))| *at <= self.mono_ms).map(|(turn, _)| *turn).collect();
            for turn in &over {
                self.end(*turn);
            }
            if !self.dispatch() && over.is_empty() {
                break;
            }
        }
        let now = self.now();
        assert_eq!(self.machine.rescue(&mut self.pools, now), 0, "a wake was lost");
    }

    fn end(&mut self, turn: TurnId) {
        let (_, start) = self.running.remove(&turn).expect("it runs");
        let verdict = (self.bodies[start.component].verdict)(&start);
        let now = self.now();
        let Ok(writes) = self.machine.ended(turn, verdict, &mut self.pools, now) else { return };
        if !writes.is_empty() {
            for write in &writes {
                match write {
                    Write::Insert { item, .. } => assert!(self.kept.insert(item.id), "an id comes twice"),
                    Write::Move { item, .. } | Write::Update { item } => drop(self.kept.insert(item.id)),
                    Write::Remove { id } => drop(self.kept.remove(id)),
                }
            }
            self.machine.handle(Event::Committed(turn), &mut self.pools, now);
        }
    }

    /// Starts the bodies that can start. Answers whether one did.
    fn dispatch(&mut self) -> bool {
        let mut any = false;
        while let Some(ticket) = self.pools.next_ticket() {
            let now = self.now();
            let Some(start) = self.machine.run(ticket, &mut self.pools, now) else { continue };
            any = true;
            self.starts.push((self.mono_ms, start.component));
            self.taken.extend(start.items.iter().map(|item| (self.mono_ms, start.component, item.id.0)));
            let most = &mut self.most_active[start.component];
            *most = (*most).max(self.machine.active(start.component));
            self.running.insert(start.turn, (self.mono_ms + self.bodies[start.component].takes_ms, start));
        }
        any
    }

    /// Follows an edit of the flow: bodies and what was noted of starts are of components, wherever these are.
    pub(super) fn follow(&mut self, moves: &Moves, count: usize) {
        let place = |component: usize| moves.components[component];
        let mut bodies = vec![Body { takes_ms: 0, verdict: pass }; count];
        for (component, body) in self.bodies.iter().enumerate() {
            place(component).into_iter().for_each(|place| bodies[place] = body.clone());
        }
        (self.bodies, self.most_active) = (bodies, vec![0; count]);
        for (_, start) in self.running.values_mut() {
            start.component = place(start.component).expect("a component with a body stays");
        }
        self.starts.retain_mut(|(_, it)| place(*it).inspect(|place| *it = *place).is_some());
        self.dispatch();
    }

    /// When bodies of a component started.
    pub(super) fn starts_of(&self, component: usize) -> Vec<i64> {
        self.starts.iter().filter(|(_, it)| *it == component).map(|(at, _)| *at).collect()
    }

    pub(super) fn bodies_of(&self, component: usize) -> usize {
        self.starts_of(component).len()
    }
}

pub(super) fn instant(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

pub(super) fn timer(name: &str, run_schedule_ms: i64) -> Component {
    Component { trigger: Trigger::Timer { run_schedule_ms }, ..Component::new(name) }
}

pub(super) fn event(name: &str) -> Component {
    Component { trigger: Trigger::Event, ..Component::new(name) }
}

pub(super) fn cron(name: &str, expression: &str) -> Component {
    let expression =
        mainspring_schedule::Cron::parse(expression, Dialect::Quartz, Semantics::Standard).expect("a time");
    let cron = Cron { expression, zone: Zone::utc(), misfire: Misfire::Skip, on_blocked: OnBlocked::Skip };
    Component { trigger: Trigger::Cron(Box::new(cron)), ..Component::new(name) }
}

/// A component whose items end.
pub(super) fn last(component: Component) -> Component {
    Component { ended: component.relationships.iter().cloned().collect(), ..component }
}

/// A queue with a consumer: what puts into it never runs.
pub(super) fn fed(consumer: Component) -> World {
    let idle = timer("feeder", 0);
    World::new(vec![idle, last(consumer)], vec![Connection::new(0, 1)])
}
