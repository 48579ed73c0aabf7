//! Two releases of the tz database. Under the older one the full hours of the zone are at a quarter past of UTC, under the later
//! one at half past, or the other way round: zones that exist stand for one that an update has moved.

use mainspring_schedule::{Calendar, Cron, DaysOfWeek, Semantics, TzdataVersion};

use super::*;

const OLDER: TzdataVersion = TzdataVersion::from_number(202_501);
const LATER: TzdataVersion = TzdataVersion::from_number(202_502);
const QUARTER_PAST: &str = "Asia/Kathmandu";
const HALF_PAST: &str = "Asia/Kolkata";
const MINUTE_MS: i64 = 60_000;

/// The full hours of a zone.
fn hours(zone: &str, release: TzdataVersion) -> Rule {
    let cron = Cron::parse_auto("0 * * * *", Semantics::Standard).expect("an expression");
    let mut rule = rule(Schedule::Cron(Arc::new(cron)), at(0), None);
    rule.trigger.zone = Zone::parse(zone).expect("a zone");
    rule.tzdata = Some(release);
    rule
}

/// A trigger that was saved under one release and is read under another.
fn saved_and_read(saved: Rule, read: Rule) -> World {
    let mut world = world();
    world.add(1, saved);
    world.rows.get_mut(&TriggerId(1)).expect("just added").rule = Arc::new(read);
    world
}

fn progress(world: &World) -> Progress {
    world.rows[&TriggerId(1)].row.progress
}

fn minutes(fired: &[(i64, i64)]) -> Vec<i64> {
    fired.iter().map(|(_, ms)| ms / MINUTE_MS).collect()
}

#[test]
fn instant_that_a_later_release_moves_on_fires_there_and_only_there() {
    let mut world = saved_and_read(hours(QUARTER_PAST, OLDER), hours(HALF_PAST, LATER));
    world.run_until(16 * MINUTE_MS);
    assert_eq!((minutes(&world.fired), world.sent.len()), (vec![], 1), "one batch has moved it, and fired nothing");
    assert_eq!((progress(&world).next_fire_at, progress(&world).tzdata), (Some(at(30 * MINUTE_MS)), Some(LATER)));
    world.run_until(180 * MINUTE_MS);
    assert_eq!(minutes(&world.fired), [30, 90, 150]);
    assert_eq!((world.missed.len(), world.sent.len()), (0, 4), "it was moved once");
}

#[test]
fn instant_that_a_later_release_has_moved_into_the_past_is_late_and_judged_as_such() {
    // Seen when the old instant enters the window: fifteen minutes late, which is past the threshold.
    for (misfire, fired) in [
        (MisfirePolicy::Smart, vec![15, 75, 135]),
        (MisfirePolicy::FireOnceNow, vec![15, 75, 135]),
        (MisfirePolicy::DoNothing, vec![75, 135]),
    ] {
        let mut read = hours(QUARTER_PAST, LATER);
        read.trigger.misfire = misfire;
        let mut world = saved_and_read(hours(HALF_PAST, OLDER), read);
        world.run_until(180 * MINUTE_MS);
        assert_eq!(minutes(&world.fired), fired, "{misfire}");
        let missed = usize::from(misfire == MisfirePolicy::DoNothing);
        assert_eq!(world.missed.len(), missed, "{misfire}: each instant has one record");
    }
}

/// A world that looks two hours ahead, with three triggers that have moved forward by a quarter of an hour.
fn world_that_looks_ahead(begun: Timestamp) -> World {
    let mut world = World::new(Settings { ahead_ms: Some(120 * MINUTE_MS), ..world().planner.settings });
    for id in 1..=3 {
        let saved = hours(HALF_PAST, OLDER);
        let progress = saved.begin(TriggerId(id), begun);
        world.add(id, saved);
        let loaded = world.rows.get_mut(&TriggerId(id)).expect("just added");
        (loaded.row.progress, loaded.rule) = (progress, Arc::new(hours(QUARTER_PAST, LATER)));
    }
    world
}

#[test]
fn look_ahead_finds_what_has_moved_to_before_its_old_instant() {
    let mut world = world_that_looks_ahead(at(-1));
    world.run_until(1_000);
    assert!(world.rows.values().all(|loaded| loaded.row.progress.next_fire_at == Some(at(15 * MINUTE_MS))));
    assert_eq!(world.planner.figures().resident, 0, "none of them is due soon");
    world.run_until(80 * MINUTE_MS);
    assert_eq!(minutes(&world.fired), [15, 15, 15, 75, 75, 75], "on time");
    assert!(world.missed.is_empty());
}

#[test]
fn look_ahead_goes_on_hour_by_hour() {
    let mut world = world_that_looks_ahead(at(130 * MINUTE_MS));
    world.run_until(59 * MINUTE_MS);
    assert_eq!(progress(&world).next_fire_at, Some(at(150 * MINUTE_MS)), "too far away");
    world.run_until(61 * MINUTE_MS);
    assert_eq!(progress(&world).next_fire_at, Some(at(135 * MINUTE_MS)));
    world.run_until(140 * MINUTE_MS);
    assert_eq!(minutes(&world.fired), [135, 135, 135]);
}

#[test]
fn look_ahead_begins_again_with_what_is_gained() {
    let mut world = world_that_looks_ahead(at(-1));
    world.own(ShardSet::EMPTY, true);
    world.run_until(1_000);
    assert!(world.sent.is_empty());
    let gained = |world: &World, id: i64| [world.rows[&TriggerId(id)].row.shard].into_iter().collect::<ShardSet>();
    let first = gained(&world, 1);
    world.own(first, true);
    world.run_until(2_000);
    let all = first.union(gained(&world, 2)).union(gained(&world, 3));
    world.own(all, true);
    world.run_until(3_000);
    assert!(world.rows.values().all(|loaded| loaded.row.progress.next_fire_at == Some(at(15 * MINUTE_MS))));
}

#[test]
fn nothing_that_is_accounted_for_fires_again() {
    let mut world = saved_and_read(hours(QUARTER_PAST, OLDER), hours(QUARTER_PAST, OLDER));
    world.run_until(80 * MINUTE_MS);
    assert_eq!(minutes(&world.fired), [15, 75]);
    // By the later release 30 was one as well: what is up to 75 is settled, and 90 is the first that is not.
    world.rows.get_mut(&TriggerId(1)).expect("it is there").rule = Arc::new(hours(HALF_PAST, LATER));
    world.run_until(200 * MINUTE_MS);
    assert_eq!(minutes(&world.fired), [15, 75, 90, 150]);
    assert!(world.missed.is_empty());
}

#[test]
fn node_with_an_older_release_leaves_what_a_later_one_has_computed() {
    let mut world = saved_and_read(hours(QUARTER_PAST, LATER), hours(HALF_PAST, OLDER));
    world.run_until(20 * MINUTE_MS);
    assert_eq!(minutes(&world.fired), [15], "as it was stored");
    // Where it goes on is by its own release, and says so: the later one looks at it again.
    assert_eq!((progress(&world).next_fire_at, progress(&world).tzdata), (Some(at(30 * MINUTE_MS)), Some(OLDER)));
    world.rows.get_mut(&TriggerId(1)).expect("it is there").rule = Arc::new(hours(QUARTER_PAST, LATER));
    world.run_until(140 * MINUTE_MS);
    assert_eq!(minutes(&world.fired), [15, 75, 135]);
    assert!(world.missed.is_empty());
}

#[test]
fn instant_that_has_not_moved_is_marked_by_its_fire_alone() {
    let mut world = saved_and_read(hours(HALF_PAST, OLDER), hours(HALF_PAST, LATER));
    world.run_until(29 * MINUTE_MS + 58_000);
    assert_eq!(
        (world.sent.len(), progress(&world).tzdata),
        (0, Some(OLDER)),
        "it is in the window, and nothing is written"
    );
    world.run_until(31 * MINUTE_MS);
    assert_eq!((minutes(&world.fired), world.sent.len(), progress(&world).tzdata), (vec![30], 1, Some(LATER)));
}

#[test]
fn trigger_that_a_request_has_saved_under_an_older_release_is_moved_at_once() {
    let mut world = saved_and_read(hours(HALF_PAST, LATER), hours(HALF_PAST, LATER));
    world.run_until(1_000);
    let before = hours(HALF_PAST, OLDER).begin(TriggerId(1), world.now);
    let loaded = world.rows.get_mut(&TriggerId(1)).expect("it is there");
    (loaded.row.progress, loaded.row.version, loaded.rule) = (before, 2, Arc::new(hours(QUARTER_PAST, LATER)));
    world.changed.push(TriggerId(1));
    world.send(Event::Changed);
    world.run_until(2_000);
    assert_eq!(progress(&world).next_fire_at, Some(at(15 * MINUTE_MS)), "before the old instant comes into the window");
    world.run_until(80 * MINUTE_MS);
    assert_eq!(minutes(&world.fired), [15, 75]);
}

#[test]
fn move_that_is_not_recorded_is_tried_again_and_one_that_is_stale_is_read_again() {
    let mut world = saved_and_read(hours(QUARTER_PAST, OLDER), hours(HALF_PAST, LATER));
    world.keep_back = true;
    world.run_until(16 * MINUTE_MS);
    assert_eq!((world.kept_back.len(), world.fired.len()), (1, 0), "nothing fires before it is recorded");
    world.let_go(false);
    world.run_until(17 * MINUTE_MS);
    assert_eq!(world.kept_back.len(), 1, "the same batch");
    // Somebody edits the trigger meanwhile: it goes on from there.
    let loaded = world.rows.get_mut(&TriggerId(1)).expect("it is there");
    loaded.row.version = 2;
    loaded.row.progress = loaded.rule.begin(TriggerId(1), at(40 * MINUTE_MS));
    world.keep_back = false;
    world.let_go(true);
    world.run_until(160 * MINUTE_MS);
    assert_eq!(minutes(&world.fired), [90, 150]);
}

#[test]
fn instants_from_before_a_trigger_was_made_or_changed_stay_in_the_past() {
    let saved = |release| {
        let mut progress = hours(QUARTER_PAST, release).begin(TriggerId(1), at(40 * MINUTE_MS));
        // Its schedule begins long before it was saved.
        progress.start_at = at(-100_000 * MINUTE_MS);
        progress
    };
    let read = hours(HALF_PAST, LATER);
    let now = at(50 * MINUTE_MS);
    let renewed = read.renew(TriggerId(1), &saved(OLDER), now).expect("it is outdated");
    assert_eq!((renewed.next_fire_at, renewed.fired_through), (Some(at(90 * MINUTE_MS)), Some(at(40 * MINUTE_MS))));
    // A program that knew of no releases has left no trace of when it was saved: nothing that has passed comes back.
    for through in [None, Some(at(-5_000 * MINUTE_MS))] {
        let old = Progress { fired_through: through, ..saved(TzdataVersion::UNKNOWN) };
        let renewed = read.renew(TriggerId(1), &old, now).expect("it is outdated");
        assert_eq!(renewed.next_fire_at, Some(at(90 * MINUTE_MS)));
        // What was late by then still is.
        let late = read.renew(TriggerId(1), &old, at(80 * MINUTE_MS)).expect("it is outdated");
        assert_eq!(late.next_fire_at, Some(at(90 * MINUTE_MS)), "75 is none any more, and nothing lies between");
    }
}

/// Schedules of every kind that reads zone data, in both semantics, with and without a calendar.
fn zoned() -> Vec<Rule> {
    use mainspring_schedule::{CalendarUnit, TimeOfDay};
    let interval = |unit, interval| Schedule::CalendarInterval { unit, interval, preserve_hour: true, skip_day: false };
    let time = |hour| TimeOfDay::new(hour, 0, 0).expect("a time");
    let window = |repeat_count| Schedule::DailyWindow {
        from: time(1),
        to: Some(time(5)),
        days: DaysOfWeek::ALL,
        unit: CalendarUnit::Minute,
        interval: 45,
        repeat_count,
    };
    let weekends = Calendar::weekly(DaysOfWeek::WEEKEND);
    let mut rules = Vec::new();
    for semantics in [Semantics::Standard, Semantics::Quartz] {
        let cron = |text| Schedule::Cron(Arc::new(Cron::parse_auto(text, semantics).expect("an expression")));
        for schedule in [
            cron("0 30 2 * * ?"),
            cron("0 0/20 * * * ?"),
            interval(CalendarUnit::Day, 1),
            interval(CalendarUnit::Hour, 7),
            window(None),
            window(Some(30)),
            Schedule::Every { interval_ms: 5 * 3_600_000, repeat_count: Some(40) },
        ] {
            for calendar in [None, Some(Arc::new(weekends.clone()))] {
                let mut rule = rule(schedule.clone(), at(20 * MINUTE_MS), None);
                rule.trigger.zone = Zone::parse("Europe/Berlin").expect("a zone");
                (rule.trigger.semantics, rule.trigger.calendar) = (semantics, calendar);
                rule.tzdata = rule.trigger.reads_tzdata().then_some(LATER);
                rules.push(rule);
            }
        }
    }
    rules.into_iter().filter(|rule| rule.tzdata.is_some()).collect()
}

#[test]
fn release_that_changes_nothing_moves_nothing() {
    let policies = [MisfirePolicy::Smart, MisfirePolicy::Ignore];
    let mut looked = 0;
    for (mut rule, misfire) in zoned().into_iter().flat_map(|rule| policies.map(|policy| (rule.clone(), policy))) {
        rule.trigger.misfire = misfire;
        let mut progress = crate::edit::begin(&rule, TriggerId(1), None, at(0));
        for step in 0..300_i64 {
            let Some(due) = progress.due_at else { break };
            let outdated = Progress { tzdata: Some(OLDER), ..progress };
            // On time, a little late, and late by up to three days.
            let late_ms = [0, 7, 30_000, 0, 61_000, 0, step * 14 * MINUTE_MS][usize::try_from(step).unwrap() % 7];
            for now in [due - 5_000, due + late_ms] {
                let renewed = rule.renew(TriggerId(1), &outdated, now).expect("it is outdated");
                assert_eq!(renewed, progress, "step {step}: {rule:?}");
                looked += 1;
            }
            progress = rule.decide(TriggerId(1), &progress, due + late_ms, 100).expect("it is due").progress;
        }
    }
    assert!(looked > 10_000, "{looked}");
}

#[test]
fn what_depends_on_no_zone_is_never_moved() {
    let every = every(MINUTE_MS);
    let progress = every.begin(TriggerId(1), at(-1));
    assert_eq!((every.tzdata, progress.tzdata), (None, None));
    assert_eq!(every.renew(TriggerId(1), &progress, at(0)), None);
    // As a program left it that did not know the column.
    let unknown = Progress { tzdata: Some(TzdataVersion::UNKNOWN), ..progress };
    assert_eq!(every.renew(TriggerId(1), &unknown, at(0)), Some(progress));
    assert_eq!(every.look_at(TriggerId(1), &unknown, at(-5_000)), Some(at(0)));
}

#[test]
fn delay_that_is_over_is_moved_out_of_what_the_calendar_excludes() {
    let mut delay = rule(Schedule::Delay { delay_ms: 10 * MINUTE_MS }, at(0), None);
    delay.trigger.zone = Zone::parse("Pacific/Kiritimati").expect("a zone");
    // 2026-01-01 was a Thursday; over there it is Friday from ten o'clock on.
    delay.trigger.calendar = Some(Arc::new(Calendar::weekly(DaysOfWeek::from_numbers([6]).expect("Friday"))));
    delay.tzdata = Some(LATER);
    let waits = Progress {
        next_fire_at: Some(at(20 * 60 * MINUTE_MS)),
        tzdata: Some(OLDER),
        ..delay.begin(TriggerId(1), at(0))
    };
    let renewed = delay.renew(TriggerId(1), &waits, at(0)).expect("it is outdated");
    assert_eq!(renewed.next_fire_at, Some(at(34 * 60 * MINUTE_MS)));
    let renewed = Progress { tzdata: Some(OLDER), ..renewed };
    assert_eq!(delay.renew(TriggerId(1), &renewed, at(0)).expect("it is outdated").next_fire_at, renewed.next_fire_at);
}
