//! A good story is accepted, and every way to spoil it is found.

use std::collections::BTreeMap;

use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::{BatchId, Incarnation, RunId, RunSource, Timestamp, TriggerId};
use mainspring_rig::{Attempt, History, Mark, Moment, Run};
use mainspring_sim::history::{self as sim, AskedRun, Fire, Operation, Outcome, Remains, Schedule, Seen, State, Tally};

use super::excuse::{CALM, Excuses, done};
use super::promise::promise;
use super::{Finding, check, latest_ms};
use crate::audit::Saw;
use crate::load::{Draft, Kind};
use crate::plan;
use crate::read::Story;

const T0: i64 = 1_767_225_600_000;
const STEP: i64 = 2_000;
const LAST: i64 = 40_000;
const READ: i64 = 70_000;
const EAGER: TriggerId = TriggerId(1);
const CHANGED: TriggerId = TriggerId(2);

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(T0 + ms)
}

fn schedule() -> Schedule {
    Schedule { first: T0, step: STEP }
}

fn draft(name: &str, kind: Kind) -> Draft {
    Draft { name: name.into(), kind, schedule: Some(schedule()), slow_ms: 0 }
}

fn operation(job: u32, ms: i64, brings: State) -> Operation {
    let (invoked, outcome) = (T0 + ms - 10, Outcome::Ok(T0 + ms));
    Operation { job, brings, invoked, outcome, counts_from: T0 + ms, taken_back: false }
}

/// One job fires every two seconds until its end, and bears witness; another one is paused after ten seconds. A node is killed
/// at twenty, and what is due then comes five seconds late.
fn good() -> Story {
    let eager = draft("eager", Kind::Eager);
    let changed = draft("changed", Kind::Changed);
    let operations = vec![
        operation(0, 100, eager.active()),
        operation(1, 100, changed.active()),
        operation(1, 11_500, State::Paused),
        operation(0, LAST + 1_500, State::Paused),
    ];
    let faults = vec![done(plan::Kind::Kill, T0 + 20_000, T0 + 26_000)];
    let excuses = Excuses::of(&faults, false, CALM);
    let of = |job| operations.iter().filter(|operation| operation.job == job).collect::<Vec<_>>();
    let promised = |id, name, job| promise((id, name), false, &of(job), &excuses, 0, T0 + READ);
    let mut story = Story {
        rig: History {
            promises: vec![promised(EAGER, "eager", 0), promised(CHANGED, "changed", 1)],
            read_at: at(READ),
            ..History::default()
        },
        sim: sim::History {
            jobs: BTreeMap::from([(0, eager.facts()), (1, changed.facts())]),
            triggers: BTreeMap::from([(EAGER, (0, 0)), (CHANGED, (1, 0))]),
            asked: vec![AskedRun { key: 1, acknowledged: Some(T0), made: vec![id(CHANGED, 1)], taken_back: false }],
            remains: Remains {
                at: T0 + READ,
                jobs: BTreeMap::from([(0, State::Paused), (1, State::Paused)]),
                ..Remains::default()
            },
            seen: vec![seen(5_000), seen(READ)],
            misfire_threshold_ms: 60_000,
            catch_up_max: 100,
            ..sim::History::default()
        },
        drafts: vec![eager, changed],
        faults,
        saw: vec![
            Saw::Owner { shard: 1, owner: Some(7), epoch: 1, lease: 1 },
            Saw::Fire { shard: 1, trigger: EAGER.0, by: 7 },
        ],
        alone: false,
        allowed: CALM,
        patience_ms: 50_000,
        saved_at: at(100),
        logs: vec!["all is well".into()],
    };
    story.sim.operations = operations;
    for ms in (STEP..=LAST).step_by(2_000) {
        let late = if ms == 20_000 { 5_000 } else { 3 };
        fire(&mut story, "eager", EAGER, ms, late);
        if ms <= 10_000 {
            fire(&mut story, "changed", CHANGED, ms, 3);
        }
    }
    story
}

/// Returns the run of the fourth second, as it was seen then.
fn seen(ms: i64) -> Seen {
    Seen { at: T0 + ms, run: id(EAGER, 4_000), state: RunState::Succeeded, taken_back: false }
}

fn id(trigger: TriggerId, ms: i64) -> RunId {
    RunId::new(at(ms), RunSource::Fire(trigger))
}

fn fire(story: &mut Story, job: &str, trigger: TriggerId, ms: i64, late: i64) {
    let (run, key, begun) = (id(trigger, ms), format!("default/{job}"), at(ms + late));
    let attempt = Attempt {
        number: 1,
        claimed_at: Some(begun),
        started_at: Some(begun),
        ended_at: Some(begun + 400),
        outcome: Some(AttemptOutcome::Succeeded),
    };
    story.rig.runs.push(Run {
        id: run,
        job: key.clone(),
        trigger: Some(trigger),
        fire_time: at(ms),
        due_at: at(ms),
        created_at: begun,
        state: RunState::Succeeded,
        input: None,
        attempts: vec![attempt],
    });
    let order = story.sim.fires.len() as u64;
    let (instant, began) = (T0 + ms, begun.as_millis());
    let batch = BatchId { incarnation: Incarnation(0), sequence: order };
    let (decided, due, fence, shard, lease, lawful) = (began, instant, order, 0, None, true);
    story.sim.fires.push(Fire {
        order,
        trigger,
        instant,
        run,
        at: began,
        decided,
        due,
        batch,
        fence,
        shard,
        lease,
        lawful,
    });
    if job == "eager" {
        let mark = |moment, at| Mark { moment, job: key.clone(), run, attempt: 1, pid: 7, fire_time: self::at(ms), at };
        story.rig.marks.extend([mark(Moment::Start, begun + 5), mark(Moment::End, begun + 300)]);
    }
}

#[test]
fn good_story_is_accepted_and_counted() {
    let account = check(&good());
    assert_eq!(account.findings, []);
    assert_eq!((account.fired, account.starts), (25, 20));
    assert_eq!((account.blind.matched, account.blind.targets), (20, 20));
    let worst: Vec<(&str, i64)> =
        account.lateness.iter().map(|(class, late)| (class.as_str(), late.worst_ms)).collect();
    assert_eq!(worst, [("node killed", 5_000), ("none", 3)]);
}

#[test]
fn every_bad_story_is_rejected_for_what_is_wrong_with_it() {
    type Spoil = fn(&mut Story);
    let cases: [(&str, &str, Spoil); 18] = [
        ("an instant was lost", "I1", |story| {
            story.rig.runs.retain(|run| run.id != id(EAGER, 4_000));
            story.rig.marks.retain(|mark| mark.run != id(EAGER, 4_000));
        }),
        ("an instant of a changed job was lost", "I1", |story| {
            story.rig.runs.retain(|run| run.id != id(CHANGED, 4_000))
        }),
        ("fired twice", "I2", |story| {
            let again = story.rig.runs[0].clone();
            story.rig.runs.push(again);
        }),
        ("fired while it was paused", "I2", |story| fire(story, "changed", CHANGED, 14_000, 3)),
        ("began early", "I4", |story| story.rig.marks[0].at = at(STEP - 3)),
        ("late without a fault", "I5", |story| {
            for attempt in &mut story.rig.runs[0].attempts {
                attempt.started_at = Some(at(STEP + 1_001));
            }
        }),
        ("later than its fault explains", "I5", |story| {
            let run = story.rig.runs.iter_mut().find(|run| run.id == id(EAGER, 20_000)).unwrap();
            run.attempts[0].started_at = Some(at(20_000 + 12_001));
        }),
        ("fired in a shard that another node had", "I6", |story| {
            story.saw.push(Saw::Fire { shard: 1, trigger: EAGER.0, by: 8 });
        }),
        ("tried too often", "I7", |story| {
            let run = story.rig.runs.iter_mut().find(|run| run.id == id(CHANGED, 4_000)).unwrap();
            let more = Attempt { number: 2, ..run.attempts[0].clone() };
            run.attempts.push(more);
        }),
        ("its work was not done", "I8", |story| story.rig.marks.retain(|mark| mark.run != id(EAGER, 8_000))),
        ("its work was not done, by the blind pass", "blind", |story| {
            story.rig.marks.retain(|mark| mark.run != id(EAGER, 8_000));
        }),
        ("its work was done once more, by the blind pass", "blind", |story| {
            let again = Mark { attempt: 2, ..story.rig.marks[0].clone() };
            story.rig.marks.push(again);
        }),
        ("a verdict is another one now", "I10", |story| story.sim.seen[1].state = RunState::Failed),
        ("a trigger was forgotten", "I11", |story| story.sim.remains.overdue.push((EAGER, T0))),
        ("a run goes on for ever", "I11", |story| {
            let run = story.rig.runs.iter_mut().find(|run| run.id == id(CHANGED, 4_000)).unwrap();
            run.state = RunState::Running;
            (run.attempts[0].ended_at, run.attempts[0].outcome) = (None, None);
        }),
        ("a worker has not come back", "I11", |story| story.sim.remains.unjoined = 1),
        ("a key made two runs", "I13", |story| {
            let more = id(CHANGED, 2);
            story.sim.asked[0].made.push(more);
        }),
        ("a pause was acknowledged and is gone", "I13", |story| {
            story.sim.remains.jobs.insert(1, State::Active(vec![Some(schedule())]));
        }),
    ];
    for (what, expected, spoil) in cases {
        let mut story = good();
        spoil(&mut story);
        let found: Vec<&str> = check(&story).findings.iter().map(|finding| finding.invariant).collect();
        assert!(found.contains(&expected), "{what}: {found:?}");
    }
}

#[test]
fn what_is_late_for_its_machine_is_told_and_what_is_lost_there_is_found() {
    let mut story = good();
    for attempt in &mut story.rig.runs[0].attempts {
        attempt.started_at = Some(at(STEP + 9_000));
    }
    story.allowed.calm_ms += latest_ms(&story.drafts, &story.rig.runs);
    assert_eq!(story.allowed.calm_ms, 1_000 + 9_000);
    assert_eq!(check(&story).findings, []);
    assert_eq!(check(&story).lateness["none"].worst_ms, 9_000);
    story.rig.runs.retain(|run| run.id != id(EAGER, 4_000));
    assert!(check(&story).findings.iter().any(|finding| finding.invariant == "I1"));
}

#[test]
fn late_record_after_a_pause_wrong_counts_and_panics_are_found() {
    let mut story = good();
    let fire = story.sim.fires.iter_mut().find(|fire| fire.run == id(CHANGED, 10_000)).unwrap();
    fire.at = T0 + 11_700;
    story.sim.operations.retain(|operation| operation.job == 1 || operation.brings != State::Paused);
    let (fired, first, last) = (19, T0 + STEP, T0 + LAST);
    story.sim.remains.jobs.remove(&0);
    story.sim.remains.tallies.insert(EAGER, Tally { fired, first, last, ..Tally::default() });
    story.logs.push("thread 'loop' panicked at src/engine.rs:1".into());
    let mut found: Vec<&str> = check(&story).findings.iter().map(|Finding { invariant, .. }| *invariant).collect();
    found.sort_unstable();
    assert_eq!(found, ["I14", "I15", "I16"]);
}
