//! Slots that are kept for jobs known to be short.

use super::super::Take;
use super::*;
use crate::batch::{Changes, ClaimedRun, FireEntry};
use crate::id::RunSource;
use crate::lane::{JobLane, Lane};
use crate::line::Line;

fn known(job: i64, lane: Lane) -> JobLane {
    JobLane { job: JobId(job), lane, line: "default".into() }
}

fn claims(commands: &[Command]) -> Vec<(u32, Take)> {
    let claim = |command: &Command| match command {
        Command::Read(Read::Claim(_, count, takes)) => Some((*count, *takes)),
        _ => None,
    };
    commands.iter().filter_map(claim).collect()
}

fn queued(world: &mut World) -> Vec<Command> {
    let queued = Changes { queued: true, ..Changes::default() };
    world.planner.handle(at(0), Event::ChangesRead(queued))
}

fn run_of(job: i64, number: u64) -> Start {
    let id = RunId::new(at(0), RunSource::Asked(JobId(job), number));
    Start::from(ClaimedRun {
        run: id,
        job: JobId(job),
        job_version: JobVersion(1),
        trigger: None,
        fire_time: at(0),
        due_at: at(0),
        attempt: 1,
        input: None,
        queue: None,
    })
}

fn end_of(start: Start) -> AttemptEnd {
    AttemptEnd {
        held_by: None,
        definition: Arc::new(Job::new(JobKey::new("default", "job"), Task::Noop)),
        start,
        outcome: AttemptOutcome::Succeeded,
        vetoed: false,
        started_at: Some(at(0)),
        ended_at: at(1),
        detail: None,
    }
}

/// A world of eight slots in which job 1 is known to be short, before anything was claimed.
fn begun() -> World {
    let mut world = World::new(Settings { slots: 8, ..Settings::default() });
    let commands = world.planner.handle(at(0), Event::Lanes(vec![known(1, Lane::Short)]));
    assert_eq!(claims(&commands), [(6, Take::Any)], "what runs of any job may take");
    world
}

#[test]
fn runs_of_other_jobs_leave_slots_to_short_ones() {
    let mut world = begun();
    let after = world.planner.handle(at(0), Event::Claimed((0..6).map(|number| run_of(2, number)).collect()));
    assert_eq!(claims(&after), [(2, Take::Short)], "for the rest");
    let none = world.planner.handle(at(0), Event::Claimed(Vec::new()));
    assert_eq!(claims(&none), [], "nothing waits that may go");
    assert_eq!(claims(&queued(&mut world)), [(2, Take::Short)]);
    let full = world.planner.handle(at(0), Event::Claimed((0..2).map(|number| run_of(1, number)).collect()));
    assert_eq!(claims(&full), [], "nothing is free");
    let ended = world.planner.handle(at(1), Event::Ended(vec![end_of(run_of(2, 0))]));
    assert_eq!(claims(&ended), [(1, Take::Any)], "the share has room again");
}

#[test]
fn share_that_is_nearly_full_does_not_have_short_runs_claimed_one_by_one() {
    let mut world = begun();
    let after = world.planner.handle(at(0), Event::Claimed((0..5).map(|number| run_of(2, number)).collect()));
    assert_eq!(claims(&after), [], "no more of them wait");
    assert_eq!(claims(&queued(&mut world)), [(1, Take::Any)], "what the share has room for");
    let after = world.planner.handle(at(0), Event::Claimed(vec![run_of(1, 0)]));
    assert_eq!(claims(&after), [(2, Take::Short)], "not one more and then one more");
    let full = world.planner.handle(at(0), Event::Claimed((1..3).map(|number| run_of(1, number)).collect()));
    assert_eq!(claims(&full), []);
}

#[test]
fn job_that_becomes_slow_counts_in_the_share_with_what_it_runs_already() {
    let mut world = begun();
    let mixed = (0..3).map(|number| run_of(1, number)).chain((0..3).map(|number| run_of(2, number)));
    let after = world.planner.handle(at(0), Event::Claimed(mixed.collect()));
    assert_eq!(claims(&after), [(2, Take::Short)], "there may be more short ones, whose heads came first");
    let after = world.planner.handle(at(0), Event::Claimed(Vec::new()));
    assert_eq!(claims(&after), [(2, Take::Any)], "three short ones leave room");
    world.planner.handle(at(0), Event::Claimed(Vec::new()));
    let both = vec![known(1, Lane::Slow), known(3, Lane::Short)];
    assert_eq!(claims(&world.planner.handle(at(0), Event::Lanes(both))), [(2, Take::Short)]);
    let ended = world.planner.handle(at(1), Event::Ended(vec![end_of(run_of(1, 0))]));
    assert_eq!(claims(&ended), [], "one claim at a time");
    let after = world.planner.handle(at(1), Event::Claimed(Vec::new()));
    assert_eq!(claims(&after), [(1, Take::Any)]);
}

#[test]
fn fires_take_slots_as_claims_do_and_wait_beside_short_ones() {
    let mut world = World::new(Settings { slots: 8, ..Settings::default() });
    for job in 1..=10 {
        world.add(job, every(1_000));
    }
    world.send(Event::Lanes(vec![known(1, Lane::Short), known(2, Lane::Slow)]));
    world.run_until(900);
    // Those that were claimed at first, and those that found a slot after them.
    (0..2).for_each(|_| world.end_all());
    world.keep_back = true;
    world.run_until(1_000);
    let mut entries: Vec<FireEntry> = Vec::new();
    for command in &world.kept_back {
        if let Command::Fire(batch) = command {
            entries.extend(batch.entries.iter().cloned());
        }
    }
    assert_eq!(entries.len(), 10);
    let claimed = |entry: &&FireEntry| entry.runs.iter().all(|run| run.claim);
    let slow_claims = entries.iter().filter(claimed).filter(|entry| entry.job != JobId(1)).count();
    assert_eq!(slow_claims, 6, "no more than the share");
    for entry in &entries {
        let beside = match entry.job {
            JobId(1) => false,
            JobId(2) => true,
            _ => !claimed(&entry),
        };
        assert_eq!(Line::parse(&entry.queue).is_slow(), beside, "{entry:?}");
    }
    assert!(entries.iter().filter(claimed).any(|entry| entry.job == JobId(1)), "a short one finds a slot");
}

#[test]
fn without_word_of_lanes_all_jobs_are_alike() {
    let mut world = World::new(Settings { slots: 8, ..Settings::default() });
    let commands = world.planner.handle(at(0), Event::Woke);
    assert_eq!(claims(&commands), [(8, Take::Any)]);
}
