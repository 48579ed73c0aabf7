//! What flows promise of real time: parts of `make proof`, and each also a test on a virtual clock in `mainspring-core`.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use mainspring_core::flow::{Cron, Misfire, OnBlocked};
use mainspring_schedule::{Dialect, Semantics, Zone};

use super::*;
use crate::flow::body::session::Session;

/// When bodies began, and how many of them run.
#[derive(Debug, Default)]
struct Seen {
    begun: Vec<Instant>,
    ended: usize,
    most: usize,
}

/// A flow whose component `work` takes a while for each body, and notes when one begins.
struct Watched {
    flows: Flows,
    seen: Arc<Mutex<Seen>>,
}

impl Watched {
    /// `work` alone where it is a source; else behind `in`, into which items are put.
    async fn start(work: Component, body_ms: u64) -> Self {
        let both = || ["success".to_owned(), "failure".to_owned()];
        let is_fed = matches!(work.input, InputRequirement::Required);
        let component = Component { relationships: both().into(), ended: both().into(), ..work };
        let work = Part { component, body: Body::Handler { name: "work".into() } };
        let input = Component { is_passive: true, ..Component::new("in") };
        let input = Part { component: input, body: Body::HttpIn { max_bytes: 1 << 20 } };
        let definition = match is_fed {
            true => Definition { parts: vec![input, work], connections: vec![Connection::new(0, 1)] },
            false => Definition { parts: vec![work], connections: Vec::new() },
        };
        let seen = Arc::<Mutex<Seen>>::default();
        let tools = Tools::for_test();
        let noted = Arc::clone(&seen);
        tools.handlers.register("work", move |session: Session| body(session, Arc::clone(&noted), body_ms));
        let (_, _, flows) = node_with(&definition, tools).await;
        flows.change("default", "f", None, Action::Start).await.expect("it starts");
        Self { flows, seen }
    }

    async fn put(&self, count: usize) {
        let items = vec![content("item"); count];
        self.flows.put_items("default", "f", "in", items).await.expect("there is room");
    }

    fn seen<T>(&self, look: impl FnOnce(&Seen) -> T) -> T {
        look(&self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until so many bodies have begun, and returns when each of them did.
    async fn begun(&self, count: usize) -> Vec<Instant> {
        for _ in 0..60_000 {
            let begun = self.seen(|seen| seen.begun.clone());
            if begun.len() >= count {
                return begun;
            }
            pause(1).await;
        }
        panic!("{} of {count} bodies have begun", self.seen(|seen| seen.begun.len()));
    }
}

async fn body(session: Session, seen: Arc<Mutex<Seen>>, body_ms: u64) {
    let note = |change: fn(&mut Seen)| change(&mut seen.lock().unwrap_or_else(PoisonError::into_inner));
    note(|seen| {
        seen.begun.push(Instant::now());
        seen.most = seen.most.max(seen.begun.len() - seen.ended);
    });
    pause(body_ms).await;
    while let Some(item) = session.get() {
        session.remove(&item).expect("the session is open");
    }
    note(|seen| seen.ended += 1);
}

fn fed(trigger: Trigger) -> Component {
    Component { trigger, input: InputRequirement::Required, ..Component::new("work") }
}

fn timer(run_schedule_ms: i64) -> Trigger {
    Trigger::Timer { run_schedule_ms }
}

/// From each start to the next one, in ms.
fn gaps(begun: &[Instant]) -> Vec<u128> {
    begun.windows(2).map(|two| two[1].duration_since(two[0]).as_millis()).collect()
}

fn assert_gaps(begun: &[Instant], expected_ms: u128) {
    let gaps = gaps(begun);
    assert!(gaps.iter().all(|gap| gap.abs_diff(expected_ms) <= 150), "{gaps:?}, not {expected_ms} ms each");
}

#[tokio::test]
async fn c03_an_item_starts_one_body_within_twenty_milliseconds() {
    let watched = Watched::start(fed(Trigger::Event), 0).await;
    let mut waits = Vec::new();
    for count in 1..=21 {
        watched.put(1).await;
        let kept = Instant::now();
        let begun = watched.begun(count).await;
        waits.push(begun[count - 1].saturating_duration_since(kept));
        pause(50).await;
        assert_eq!(watched.seen(|seen| seen.begun.len()), count, "one body for each item");
    }
    waits.sort_unstable();
    assert!(waits[10] <= Duration::from_millis(20), "{waits:?}");
    pause(2_000).await;
    assert_eq!(watched.seen(|seen| seen.begun.len()), 21, "no item, no body");
}

#[tokio::test]
async fn c09_a_schedule_of_two_seconds_and_bodies_of_three_start_every_five() {
    let watched = Watched::start(Component { trigger: timer(2_000), ..Component::new("work") }, 3_000).await;
    assert_gaps(&watched.begun(4).await, 5_000);
}

#[tokio::test]
async fn c24_an_item_is_taken_at_once_and_the_next_one_waits_for_the_schedule() {
    let mut waits = Vec::new();
    for _ in 0..5 {
        let watched = Watched::start(fed(timer(1_000_000)), 0).await;
        pause(500).await;
        assert_eq!(watched.seen(|seen| seen.begun.len()), 0);
        watched.put(1).await;
        let kept = Instant::now();
        waits.push(watched.begun(1).await[0].saturating_duration_since(kept));
        watched.put(1).await;
        pause(500).await;
        assert_eq!(watched.seen(|seen| seen.begun.len()), 1, "the schedule holds after a body");
    }
    waits.sort_unstable();
    assert!(waits[2] <= Duration::from_millis(15), "{waits:?}");
}

#[tokio::test]
async fn c31_bodies_of_ten_seconds_every_five_start_fifteen_apart() {
    let cron = Cron {
        expression: mainspring_schedule::Cron::parse("0/5 * * * * ?", Dialect::Quartz, Semantics::Standard).unwrap(),
        zone: Zone::parse("UTC").unwrap(),
        misfire: Misfire::Skip,
        on_blocked: OnBlocked::Skip,
    };
    let work = Component { trigger: Trigger::Cron(Box::new(cron)), ..Component::new("work") };
    let watched = Watched::start(work, 10_000).await;
    assert_gaps(&watched.begun(4).await, 15_000);
}

#[tokio::test]
async fn c36_ten_items_of_a_second_by_two_at_once_take_five() {
    let watched = Watched::start(Component { concurrency: 2, ..fed(Trigger::Event) }, 1_000).await;
    let put = Instant::now();
    watched.put(10).await;
    watched.begun(10).await;
    while watched.seen(|seen| seen.ended) < 10 {
        pause(1).await;
    }
    let took = put.elapsed();
    assert_eq!(watched.seen(|seen| seen.most), 2);
    assert!(took.as_millis().abs_diff(5_000) <= 400, "{took:?}");
}
