//! What is late after an outage keeps its jitter: it does not all start at once.

use super::*;

/// Triggers with jitter whose first instants are 25 s late. Returns when each first started, in milliseconds.
fn after_an_outage(count: i64, change: impl Fn(&mut Rule)) -> (World, BTreeMap<i64, i64>) {
    after_an_outage_of(25_000, count, change)
}

fn after_an_outage_of(ms: i64, count: i64, change: impl Fn(&mut Rule)) -> (World, BTreeMap<i64, i64>) {
    let mut world = world();
    for id in 1..=count {
        let mut rule = every(2_000);
        rule.jitter_ms = 10_000;
        change(&mut rule);
        world.add(id, rule);
    }
    let mut starts = BTreeMap::new();
    world.now = at(ms);
    world.send(Event::Woke);
    while world.now < at(60_000) {
        for start in world.started.drain(..) {
            starts.entry(start.job.0).or_insert(world.now.since(at(0)));
        }
        let next = world.planner.next_wakeup().max(world.now + 1).since(at(0));
        world.run_until(next);
    }
    (world, starts)
}

fn assert_spread(starts: &BTreeMap<i64, i64>) {
    let mut per_second: BTreeMap<i64, usize> = BTreeMap::new();
    starts.values().for_each(|ms| *per_second.entry(ms / 1_000).or_default() += 1);
    assert!(per_second.len() >= 7 && per_second.values().all(|count| *count <= starts.len() / 3), "{per_second:?}");
}

#[test]
fn misfires_that_are_made_up_for_are_spread_over_their_jitter() {
    let (_, starts) = after_an_outage(100, |rule| {
        rule.misfire_threshold_ms = 3_000;
        rule.trigger.misfire = MisfirePolicy::FireOnceNow;
    });
    assert_eq!(starts.len(), 100);
    assert!(starts.values().all(|ms| (25_000..=35_000).contains(ms)), "{starts:?}");
    assert_spread(&starts);
}

#[test]
fn what_is_late_and_no_misfire_is_spread_and_stays_none() {
    for misfire_threshold_ms in [60_000, 18_000] {
        let (world, starts) = after_an_outage(30, |rule| rule.misfire_threshold_ms = misfire_threshold_ms);
        assert_eq!((starts.len(), world.missed.len()), (30, 0), "{misfire_threshold_ms}");
        if misfire_threshold_ms == 60_000 {
            assert_spread(&starts);
        }
        for id in 1..=30 {
            let of = world.fired.iter().filter(|(trigger, _)| *trigger == id).map(|(_, ms)| *ms);
            let instants: Vec<i64> = of.collect();
            assert!(instants.windows(2).all(|pair| pair[1] - pair[0] == 2_000), "each instant once: {instants:?}");
        }
    }
}

#[test]
fn what_became_due_in_an_outage_that_was_shorter_than_the_jitter_is_spread() {
    let (world, starts) = after_an_outage_of(15_000, 100, |rule| {
        *rule = every(86_400_000);
        rule.jitter_ms = 20_000;
    });
    assert_eq!((starts.len(), world.missed.len()), (100, 0));
    assert!(starts.values().all(|ms| (15_000..=35_000).contains(ms)), "{starts:?}");
    // Those that have been due for less than 2 s start at once.
    let at_once = starts.values().filter(|ms| **ms == 15_000).count();
    assert!(at_once < 25, "{at_once} of 100");
    assert_spread(&starts);
}

#[test]
fn trigger_whose_jitter_is_longer_than_its_interval_catches_up() {
    let (world, starts) = after_an_outage_of(15_000, 30, |rule| rule.jitter_ms = 20_000);
    assert_eq!((starts.len(), world.missed.len()), (30, 0));
    let at_once = starts.values().filter(|ms| **ms == 15_000).count();
    assert!(at_once < 15, "{at_once} of 30: {starts:?}");
    for id in 1..=30 {
        let of = world.fired.iter().filter(|(trigger, _)| *trigger == id).map(|(_, ms)| *ms);
        let instants: Vec<i64> = of.collect();
        assert!(instants.windows(2).all(|pair| pair[1] - pair[0] == 2_000), "each instant once: {instants:?}");
        assert!(instants.last() >= Some(&30_000), "at 60 s, those of half a minute ago have fired: {instants:?}");
    }
}

#[test]
fn trigger_without_jitter_catches_up_at_once() {
    let (_, starts) = after_an_outage(3, |rule| rule.jitter_ms = 0);
    assert!(starts.len() == 3 && starts.values().all(|ms| *ms == 25_000), "{starts:?}");
}
