//! Items that arrive, bodies that end and people who stop and start things, in every order that chance finds: nobody misses a wake.

use mainspring_schedule::Timestamp;

use super::world::*;
use crate::flow::*;

/// A machine to which things happen in any order. What waits for a permit may wait for long.
struct Race {
    machine: Machine,
    pools: Pools,
    mono_ms: i64,
    bodies: Vec<Start>,
    /// Turns whose ends are being kept.
    ending: Vec<TurnId>,
    ids: i64,
    state: u64,
}

/// Items that are in the first queue at most.
const WAITING: usize = 6;

impl Race {
    fn new(seed: u64) -> Self {
        let pass_back = |name: &str| Component {
            relationships: vec!["success".into(), "again".into()],
            ..Component { concurrency: 2, ..event(name) }
        };
        let components = vec![
            timer("feeder", 0),
            pass_back("a"),
            Component {
                trigger: Trigger::Timer { run_schedule_ms: 2 },
                ended: ["again".into()].into(),
                ..pass_back("b")
            },
            last(Component { concurrency: 0, ..event("c") }),
        ];
        let brief = |it: Component| Component { penalty_ms: 3, admin_yield_ms: 3, ..it };
        let components = components.into_iter().map(brief).collect();
        let back = Connection { relationships: vec!["again".into()], ..Connection::new(1, 1) };
        let small = |from: usize| Connection { max_items: 2, ..Connection::new(from, from + 1) };
        let flow = Flow::new(components, vec![Connection::new(0, 1), small(1), small(2), back]).expect("it is right");
        let pools = Pools::new(&[("timer", 1), ("event", 3)]);
        let now = Now { mono_ms: 0, wall: Timestamp::from_millis(0) };
        let machine = Machine::new(1, flow, IdleCheck::Wake, 1 << 40, now);
        Self { machine, pools, mono_ms: 0, bodies: Vec::new(), ending: Vec::new(), ids: 0, state: seed }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.state >> 33).expect("31 bits fit") % limit
    }

    const fn now(&self) -> Now {
        Now { mono_ms: self.mono_ms, wall: Timestamp::from_millis(self.mono_ms) }
    }

    /// One thing happens.
    fn step(&mut self) {
        let now = self.now();
        match self.below(12) {
            0..3 => self.put(),
            3..6 if !self.bodies.is_empty() => self.end_a_body(),
            6 | 7 if !self.ending.is_empty() => {
                let place = self.below(self.ending.len());
                let turn = self.ending.swap_remove(place);
                self.machine.handle(Event::Committed(turn), &mut self.pools, now);
            }
            8 => {
                self.mono_ms += 1;
                let now = self.now();
                self.machine.handle(Event::Woke, &mut self.pools, now);
            }
            9 if self.below(10) == 0 => self.toggle(),
            _ => {
                if let Some(ticket) = self.pools.next_ticket() {
                    let start = self.machine.run(ticket, &mut self.pools, now);
                    self.bodies.extend(start);
                }
            }
        }
    }

    fn put(&mut self) {
        if self.machine.queue(0).len() >= WAITING {
            return;
        }
        self.ids += 1;
        let now = self.now();
        let item = Header {
            id: ItemId(self.ids),
            order: self.ids,
            entered_at: now.wall,
            lineage_at: now.wall,
            priority: Priority::Absent,
            bytes: 1,
            penalty_until_ms: (self.below(8) == 0).then_some(self.mono_ms + 3),
            retries: 0,
        };
        self.machine.handle(Event::Put { connection: 0, item }, &mut self.pools, now);
    }

    fn end_a_body(&mut self) {
        let place = self.below(self.bodies.len());
        let start = self.bodies.swap_remove(place);
        let (what, now) = (self.below(10), self.now());
        let transfer = |relationship: &str| Disposal::Transfer { relationship: relationship.into(), changed: None };
        let disposal = match what {
            0 => transfer("again"),
            1 => Disposal::Penalize,
            2 => Disposal::Keep,
            _ => transfer("success"),
        };
        let items = match start.component {
            3 => vec![transfer("success"); start.items.len()],
            _ => vec![disposal; start.items.len()],
        };
        let verdict = match what {
            3 => Verdict::Failed("it broke".into()),
            _ => Verdict::Done { items, outputs: Vec::new(), yields: (what == 4).then_some(2) },
        };
        if let Ok(writes) = self.machine.ended(start.turn, verdict, &mut self.pools, now)
            && !writes.is_empty()
        {
            self.ending.push(start.turn);
        }
    }

    fn toggle(&mut self) {
        let (component, now) = (self.below(3) + 1, self.now());
        if self.machine.state(component) == ComponentState::Running {
            self.machine.stop(component, &mut self.pools);
            if self.below(2) == 0 {
                self.machine.terminate(component, &mut self.pools, now).expect("it is stopped");
            }
        } else {
            // It may still be stopping.
            let _ = self.machine.start(component, &mut self.pools, now);
        }
    }
}

/// Lets so many things happen, and answers how many bodies began.
fn race(seed: u64, steps: u64) -> u64 {
    let mut race = Race::new(seed);
    let now = race.now();
    (1..4).for_each(|component| race.machine.start(component, &mut race.pools, now).expect("it is new"));
    for step in 0..steps {
        race.step();
        let now = race.now();
        assert_eq!(race.machine.rescue(&mut race.pools, now), 0, "seed {seed}: a wake was lost at step {step}");
    }
    (1..4).map(|component| race.machine.bodies_total(component)).sum()
}

#[test]
fn b16_no_wake_is_lost_in_a_race() {
    let bodies: u64 = (0..20).map(|seed| race(seed, 10_000)).sum();
    assert!(bodies > 2_000, "{bodies} bodies began");
}

/// Part of `make proof`: it takes half a minute.
#[test]
fn b16_no_wake_is_lost_in_ten_million_races() {
    let bodies: u64 = (1_000..1_100).map(|seed| race(seed, 100_000)).sum();
    assert!(bodies > 100_000, "{bodies} bodies began");
}
