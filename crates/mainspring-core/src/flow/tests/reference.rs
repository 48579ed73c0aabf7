//! A flow that is looked at every millisecond starts the same bodies at the same instants as one that is woken.

use proptest::prelude::*;

use super::world::*;
use crate::flow::*;

/// A component of a chain, in which each but the first takes what the one before it makes.
#[derive(Clone, Debug)]
struct Link {
    /// Nothing for an event-driven one.
    schedule_ms: Option<i64>,
    concurrency: u32,
    takes_ms: i64,
    max_items: u64,
}

/// Looks at every component every millisecond, and does what the description of a flow says, without slots, wakes or timers.
struct Poller {
    links: Vec<Link>,
    /// Items that wait before each component.
    waiting: Vec<u64>,
    /// When the body of each loop ends; and when a loop may start again.
    loops: Vec<Vec<(Option<i64>, i64)>>,
    starts: Vec<(i64, usize)>,
}

impl Poller {
    fn new(links: Vec<Link>) -> Self {
        let loops = links.iter().map(|link| vec![(None, 0); link.concurrency as usize]).collect();
        Self { waiting: vec![0; links.len()], loops, links, starts: Vec::new() }
    }

    fn tick(&mut self, now: i64) {
        for component in 0..self.links.len() {
            for number in 0..self.loops[component].len() {
                if self.loops[component][number].0 == Some(now) {
                    let next = now + self.links[component].schedule_ms.unwrap_or(0);
                    self.loops[component][number] = (None, next);
                    if component + 1 < self.links.len() {
                        self.waiting[component + 1] += 1;
                    }
                }
            }
        }
        for component in 0..self.links.len() {
            for number in 0..self.loops[component].len() {
                let (body, from) = self.loops[component][number];
                if body.is_none() && from <= now && self.has_work(component) && self.has_room(component) {
                    self.waiting[component] = self.waiting[component].saturating_sub(1);
                    self.loops[component][number].0 = Some(now + self.links[component].takes_ms);
                    self.starts.push((now, component));
                }
            }
        }
    }

    fn has_work(&self, component: usize) -> bool {
        component == 0 || self.waiting[component] > 0
    }

    fn has_room(&self, component: usize) -> bool {
        let Some(waiting) = self.waiting.get(component + 1) else { return true };
        let in_flight = self.loops[component + 1].iter().filter(|(body, _)| body.is_some()).count() as u64;
        waiting + in_flight < self.links[component].max_items
    }
}

fn machine(links: &[Link]) -> World {
    let component = |(number, link): (usize, &Link)| {
        let name = format!("c{number}");
        let it = match link.schedule_ms {
            Some(schedule_ms) => timer(&name, schedule_ms),
            None => event(&name),
        };
        let it = Component { concurrency: link.concurrency, ..it };
        if number + 1 == links.len() { last(it) } else { it }
    };
    let connection = |from: usize| Connection { max_items: links[from].max_items, ..Connection::new(from, from + 1) };
    let pools = Pools::new(&[("timer", 1_000), ("event", 1_000)]);
    let components = links.iter().enumerate().map(component).collect();
    let mut world =
        World::with(components, (1..links.len()).map(|to| connection(to - 1)).collect(), IdleCheck::Wake, pools);
    for (number, link) in links.iter().enumerate() {
        world.bodies[number].takes_ms = link.takes_ms;
    }
    world
}

fn link() -> impl Strategy<Value = Link> {
    (prop::option::of(prop_oneof![Just(0), 1..40_i64]), 1..4_u32, 1..30_i64, 1..5_u64).prop_map(
        |(schedule_ms, concurrency, takes_ms, max_items)| Link { schedule_ms, concurrency, takes_ms, max_items },
    )
}

proptest! {
    #[test]
    fn waking_starts_the_same_bodies_as_looking_every_millisecond(mut links in prop::collection::vec(link(), 1..6)) {
        // A source is not for events, and one without a delay would drown the others.
        links[0].schedule_ms = Some(links[0].schedule_ms.unwrap_or(3));
        let mut world = machine(&links);
        world.start_all();
        world.run(2_000);
        let mut poller = Poller::new(links.clone());
        (0..=2_000).for_each(|now| poller.tick(now));
        let count = links.len();
        for component in 0..count {
            let polled: Vec<i64> = poller.starts.iter().filter(|it| it.1 == component).map(|it| it.0).collect();
            prop_assert_eq!(&world.starts_of(component), &polled, "component {}", component);
        }
    }
}
