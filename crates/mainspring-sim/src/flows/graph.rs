//! The flow of a seed: a few components of all kinds behind one into which items are put.

use mainspring_core::flow::{Component, Connection, Flow, Misfire, OnBlocked, Prioritizer, Retry, RetryMode, Trigger};
use serde_json::json;

use crate::random::Random;

/// The component into which items are put, and the connection that leads from it.
pub(super) const INLET: usize = 0;

/// A flow, and the numbers under which items of its connections are kept.
pub(super) struct Graph {
    pub(super) flow: Flow,
    pub(super) numbers: Vec<i64>,
}

impl Graph {
    /// A chain of two to five components, of which some pass items back, or to two others.
    pub(super) fn drawn(random: &mut Random) -> Self {
        let inlet = Component { is_passive: true, ..Component::new("inlet") };
        let last = random.index(4) + 2;
        let mut components = vec![inlet];
        components.extend((1..=last).map(|number| worker(number, random)));
        let mut connections: Vec<Connection> = (0..last).map(|from| connection(from, from + 1, random)).collect();
        if last > 2 && random.chance(300_000) {
            connections.push(connection(1, last, random));
        }
        components[last].ended.insert("success".to_owned());
        for (number, component) in components.iter_mut().enumerate().skip(1) {
            if random.chance(600_000) {
                component.ended.insert("again".to_owned());
                continue;
            }
            let to = if random.chance(500_000) { 1 } else { number };
            let relationships = vec!["again".to_owned()];
            connections.push(Connection { relationships, ..connection(number, to, random) });
        }
        let numbers = (1..=connections.len()).map(|number| number.cast_signed() as i64 * 100).collect();
        Self { flow: Flow::new(components, connections).expect("what is drawn is right"), numbers }
    }

    /// The place of a connection by its number.
    pub(super) fn connection(&self, number: i64) -> usize {
        self.numbers.iter().position(|it| *it == number).expect("connections stay")
    }
}

fn connection(from: usize, to: usize, random: &mut Random) -> Connection {
    let orders = [Prioritizer::Fifo, Prioritizer::Newest, Prioritizer::Oldest, Prioritizer::Priority];
    let prioritizers = if random.chance(300_000) { vec![*random.pick(&orders)] } else { Vec::new() };
    let expire_after_ms = if random.chance(100_000) { 20_000 } else { 0 };
    let max_items = *random.pick(&[1, 3, 10, 50]);
    Connection { max_items, prioritizers, expire_after_ms, ..Connection::new(from, to) }
}

fn worker(number: usize, random: &mut Random) -> Component {
    let trigger = trigger(random);
    let is_event = matches!(trigger, Trigger::Event);
    let concurrency = match is_event && random.chance(200_000) {
        true => 0,
        false => *random.pick(&[1, 1, 2, 3]),
    };
    let serial = !is_event && random.chance(200_000);
    let mode = *random.pick(&[RetryMode::Penalize, RetryMode::Yield]);
    let retried = random.chance(300_000).then(|| "again".to_owned());
    Component {
        trigger,
        concurrency: if serial { 1 } else { concurrency },
        serial,
        any_destination: random.chance(200_000),
        batch: *random.pick(&[1, 1, 1, 5]),
        run_duration_ms: *random.pick(&[0, 0, 0, 100]),
        yield_ms: 300,
        penalty_ms: 800,
        admin_yield_ms: 1_500,
        relationships: vec!["success".to_owned(), "again".to_owned()],
        retry: Retry { relationships: retried.into_iter().collect(), max: 2, mode, max_backoff_ms: 5_000 },
        ..Component::new(format!("c{number}"))
    }
}

fn trigger(random: &mut Random) -> Trigger {
    if random.chance(400_000) {
        return Trigger::Event;
    }
    if random.chance(700_000) {
        return Trigger::Timer { run_schedule_ms: *random.pick(&[0, 5, 200, 1_500]) };
    }
    let misfire = *random.pick(&[Misfire::Skip, Misfire::Once, Misfire::All(3)]);
    let on_blocked = *random.pick(&[OnBlocked::Skip, OnBlocked::Defer]);
    let cron = json!({
        "expression": "* * * * * ?", "zone": "UTC", "misfire": misfire, "on_blocked": on_blocked,
    });
    Trigger::Cron(serde_json::from_value(cron).expect("it is a calendar"))
}
