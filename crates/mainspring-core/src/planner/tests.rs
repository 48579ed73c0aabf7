//! The planner against a small store of maps: what it asks for, and what it does with the answers.

mod catch_up;
mod changes;
mod full;
mod lanes;
mod overload;
mod refused;
mod spacing;
mod tzdata;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;

use mainspring_schedule::{MisfirePolicy, Schedule, Timestamp, Trigger, Zone};

use super::{AttemptEnd, Command, Event, Part, Planner, QueueLimit, Read, Settings};
use crate::batch::{
    ClaimedRun, CompletionOutcome, FireBatch, FireOutcome, Heard, LiveRun, Placed, Progress, Released, TriggerRow,
    TriggerStatus,
};
use crate::cluster::{Shard, ShardSet};
use crate::id::{Incarnation, JobId, JobVersion, RunId, TriggerId};
use crate::job::{GateRule, Job, JobKey, Overlap, Task};
use crate::overlap::{Admission, Gate, admit};
use crate::rule::{Loaded, Rule, Start};
use crate::run::{AttemptOutcome, RunState};

/// The priority of a rule whose evaluation panics: no real one is known to.
pub(super) const PANICS: i32 = i32::MIN;

const T0: i64 = 1_767_225_600_000;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(T0 + ms)
}

/// A store of one planner, and the clock: commands are answered at once unless they are kept back.
struct World {
    planner: Planner,
    now: Timestamp,
    rows: BTreeMap<TriggerId, Loaded>,
    gates: BTreeMap<JobId, Gate>,
    started: Vec<Start>,
    fired: Vec<(i64, i64)>,
    missed: Vec<(i64, i64, u64)>,
    kept_back: Vec<Command>,
    keep_back: bool,
    /// Answers to reads that have not come back yet.
    answers: Vec<Event>,
    keep_answers: bool,
    cancelled: usize,
    queued: Vec<Start>,
    /// What the store says is executed here, and what was found lost.
    held: Vec<LiveRun>,
    lost: Vec<RunId>,
    /// Whether verdicts are recorded and their answers lost; and the batches of which that is so.
    loses_answers: bool,
    unanswered: BTreeSet<u64>,
    /// What requests have changed, until it is taken.
    changed: Vec<TriggerId>,
    owned: ShardSet,
    trusted: bool,
    /// Numbers of the batches of fires so far.
    sent: BTreeSet<u64>,
    /// Triggers whose place in the due index lies behind.
    behind: BTreeSet<TriggerId>,
    /// Triggers that were put aside, with their version and the reason.
    aside: Vec<(i64, i64, String)>,
    /// Where triggers that fired and did not leave the window are in the due index, and their version then.
    places: BTreeMap<TriggerId, (i64, Timestamp)>,
    /// Rows that reads of the window answered with.
    window_rows: usize,
}

impl World {
    fn new(settings: Settings) -> Self {
        Self {
            planner: Planner::new(settings, Incarnation(1), at(0)),
            now: at(0),
            rows: BTreeMap::new(),
            gates: BTreeMap::new(),
            started: Vec::new(),
            fired: Vec::new(),
            missed: Vec::new(),
            kept_back: Vec::new(),
            keep_back: false,
            answers: Vec::new(),
            keep_answers: false,
            cancelled: 0,
            queued: Vec::new(),
            held: Vec::new(),
            lost: Vec::new(),
            loses_answers: false,
            unanswered: BTreeSet::new(),
            changed: Vec::new(),
            owned: ShardSet::ALL,
            trusted: true,
            sent: BTreeSet::new(),
            behind: BTreeSet::new(),
            aside: Vec::new(),
            places: BTreeMap::new(),
            window_rows: 0,
        }
    }

    fn add(&mut self, id: i64, rule: Rule) {
        let progress = rule.begin(TriggerId(id), at(-1));
        let row = TriggerRow {
            id: TriggerId(id),
            job: JobId(id),
            shard: Shard((id % 4) as u8),
            job_version: JobVersion(1),
            index: 0,
            version: 1,
            paused: false,
            progress,
        };
        self.rows.insert(row.id, Loaded { row, rule: Arc::new(rule) });
    }

    fn send(&mut self, event: Event) {
        let mut commands = self.planner.handle(self.now, event);
        while !commands.is_empty() {
            let mut next = Vec::new();
            for command in commands {
                self.check_part(&command);
                if self.keep_back && matches!(command, Command::Fire(_)) {
                    self.kept_back.push(command);
                    continue;
                }
                let is_read = matches!(command, Command::Read(_));
                let answer = self.answer(command);
                if is_read && self.keep_answers {
                    self.answers.extend(answer);
                } else if let Some(event) = answer {
                    next.extend(self.planner.handle(self.now, event));
                }
            }
            commands = next;
        }
    }

    /// A batch that is new has fires of owned shards only, and nothing that needs trust is sent without.
    fn check_part(&mut self, command: &Command) {
        match command {
            Command::Fire(batch) => {
                assert!(self.trusted, "fired without trust");
                let shards = batch.entries.iter().map(|entry| self.rows[&entry.trigger].row.shard);
                let is_new = self.sent.insert(batch.id.sequence);
                assert!(!is_new || shards.collect::<ShardSet>().difference(self.owned).is_empty(), "{batch:?}");
            }
            Command::Read(Read::Changes(shards, _)) => assert!(self.trusted && *shards == self.owned),
            Command::Read(Read::Claim(..)) => assert!(self.trusted),
            Command::Read(Read::Window(shards, ..) | Read::Ahead(shards, ..)) => {
                assert!(!shards.intersection(self.owned).is_empty());
            }
            _ => {}
        }
    }

    fn own(&mut self, shards: ShardSet, trusted: bool) {
        (self.owned, self.trusted) = (shards, trusted);
        self.send(Event::Own(Part { owned: shards, trusted, far: false }));
    }

    /// Answers the batches that were kept back, or says that they failed.
    fn let_go(&mut self, succeed: bool) {
        for command in std::mem::take(&mut self.kept_back) {
            let Command::Fire(batch) = command else { continue };
            let event = if succeed {
                let outcome = self.record(&batch);
                Event::Fired(batch, outcome)
            } else {
                Event::FireFailed(batch)
            };
            self.send(event);
        }
    }

    /// Lets the answers to reads come back, the latest first or last.
    fn answer_reads(&mut self, latest_first: bool) {
        let mut answers = std::mem::take(&mut self.answers);
        if latest_first {
            answers.reverse();
        }
        answers.into_iter().for_each(|event| self.send(event));
    }

    /// What another node does with shards that this one does not own and has nothing under way for.
    fn fire_elsewhere(&mut self) {
        let now = self.now;
        let planner = &self.planner;
        for (id, loaded) in &mut self.rows {
            let shard = loaded.row.shard;
            if self.owned.contains(shard) || !planner.is_clear(&[shard].into_iter().collect()) {
                continue;
            }
            while let Some(decision) = loaded.rule.decide(*id, &loaded.row.progress, now, 100) {
                self.fired.extend(decision.runs.iter().map(|run| (id.0, run.fire_time.since(at(0)))));
                loaded.row.progress = decision.progress;
            }
        }
    }

    /// Moves the clock on, waking the planner whenever it wants.
    fn run_until(&mut self, ms: i64) {
        let mut wakeups = 0;
        while self.planner.next_wakeup() <= at(ms) {
            self.now = self.now.max(self.planner.next_wakeup());
            self.send(Event::Woke);
            wakeups += 1;
            assert!(wakeups < 100_000, "the planner asks to be woken for nothing");
        }
        self.now = at(ms);
        self.send(Event::Woke);
    }

    fn answer(&mut self, command: Command) -> Option<Event> {
        match command {
            Command::Read(Read::Window(shards, until, after)) => {
                let rows = self.rows.values().filter(|loaded| {
                    shards.contains(loaded.row.shard)
                        && self
                            .place(&loaded.row)
                            .is_some_and(|place| place <= until && after.is_none_or(|(from, _)| place > from))
                });
                let rows: Vec<Loaded> = rows.cloned().collect();
                self.window_rows += rows.len();
                Some(Event::WindowRead(rows, None))
            }
            Command::Read(Read::Ahead(shards, until, after)) => {
                let outdated = |loaded: &&Loaded| {
                    let Progress { due_at, tzdata, .. } = loaded.row.progress;
                    let is_there = due_at.is_some_and(|due| due <= until && (due, loaded.row.id) > after);
                    is_there && shards.contains(loaded.row.shard) && tzdata.is_some() && tzdata < loaded.rule.tzdata
                };
                // One at a time, in the order of the index.
                let mut rows: Vec<Loaded> = self.rows.values().filter(outdated).cloned().collect();
                rows.sort_by_key(|loaded| (loaded.row.progress.due_at, loaded.row.id));
                rows.truncate(1);
                let more = rows.first().map(|loaded| (loaded.row.progress.due_at.expect("set"), loaded.row.id));
                Some(Event::AheadRead(Read::Ahead(shards, until, after), rows, more))
            }
            Command::Read(Read::Triggers(ids)) => {
                let rows = ids.iter().filter_map(|id| self.rows.get(id)).filter(|loaded| !loaded.row.paused);
                Some(Event::TriggersRead(rows.cloned().collect()))
            }
            Command::Read(Read::Changes(..)) => {
                let triggers = std::mem::take(&mut self.changed);
                Some(Event::ChangesRead(crate::batch::Changes { triggers, ..Default::default() }))
            }
            Command::Read(Read::Claim(_, limit, _)) => {
                let count = self.queued.len().min(limit as usize);
                Some(Event::Claimed(self.queued.drain(..count).collect()))
            }
            Command::Read(Read::PutAside { trigger, version, reason }) => {
                let row = &mut self.rows.get_mut(&trigger).expect("it was read").row;
                if version.is_none_or(|version| version == row.version) {
                    self.aside.push((trigger.0, row.version, reason.to_string()));
                    row.version += 1;
                    row.progress.status = TriggerStatus::Error;
                    (row.progress.next_fire_at, row.progress.due_at) = (None, None);
                }
                Some(Event::PutAside(trigger))
            }
            Command::Read(Read::Release) => Some(Event::Released(Released::default())),
            Command::Read(Read::Held) => Some(Event::HeldRead(self.held.clone())),
            Command::Read(Read::Lost(runs)) => {
                self.lost.extend(runs.iter().map(|run| run.claimed.run));
                None
            }
            Command::Fire(batch) => {
                let outcome = self.record(&batch);
                Some(Event::Fired(batch, outcome))
            }
            Command::Complete(batch) => {
                let mut outcome = CompletionOutcome::default();
                if self.unanswered.remove(&batch.id.sequence) {
                    outcome.refused.extend(0..batch.entries.len() as u32);
                    return Some(Event::Completed(batch, outcome));
                }
                for entry in &batch.entries {
                    if let Some(gate) = self.gates.get_mut(&entry.job).filter(|gate| gate.active > 0) {
                        gate.active -= 1;
                        outcome.freed.push(entry.job);
                    }
                    if let Some(rearm) = entry.rearm {
                        let loaded = self.rows.get_mut(&rearm.trigger).expect("it fired");
                        loaded.row.progress.next_fire_at = rearm.next_fire_at;
                        loaded.row.progress.due_at = rearm.due_at;
                        loaded.row.progress.awaiting_run = None;
                        outcome.rearmed.push(rearm.trigger);
                    }
                }
                if self.loses_answers {
                    self.unanswered.insert(batch.id.sequence);
                    return Some(Event::CompleteFailed(batch));
                }
                Some(Event::Completed(batch, outcome))
            }
            Command::Start(starts) => {
                self.started.extend(starts);
                None
            }
            Command::Offer => None,
            Command::Cancel(_) => {
                self.cancelled += 1;
                None
            }
        }
    }

    /// Where a trigger is in the due index, which is rewritten only when it leaves memory.
    fn place(&self, row: &TriggerRow) -> Option<Timestamp> {
        if self.behind.contains(&row.id) {
            return row.progress.due_at.map(|_| at(0));
        }
        let kept = self.places.get(&row.id).filter(|(version, _)| *version == row.version);
        row.progress.due_at.map(|due| kept.map_or(due, |(_, place)| due.min(*place)))
    }

    fn record(&mut self, batch: &FireBatch) -> FireOutcome {
        let mut outcome = FireOutcome::default();
        for (index, entry) in batch.entries.iter().enumerate() {
            let place = self.rows.get(&entry.trigger).and_then(|loaded| self.place(&loaded.row));
            let loaded = self.rows.get_mut(&entry.trigger).expect("it was read");
            let row = &mut loaded.row;
            if row.version != entry.version || row.progress.next_fire_at != Some(entry.expected) || row.paused {
                outcome.stale.push(index as u32);
                continue;
            }
            let gate = self.gates.entry(entry.job).or_default();
            if entry.gate.is_some_and(|rule| admit(*gate, rule) == Admission::Block) {
                outcome.blocked.push(index as u32);
                continue;
            }
            row.progress = entry.progress;
            match place.filter(|_| !entry.leaves_window) {
                Some(place) => _ = self.places.insert(row.id, (row.version, place)),
                None => _ = self.places.remove(&row.id),
            }
            for run in &entry.runs {
                gate.active += u32::from(entry.gate.is_some());
                self.fired.push((entry.trigger.0, run.fire_time.since(at(0))));
                outcome.placed.push(if run.claim { Placed::Running } else { Placed::Queued });
                if !run.claim {
                    self.queued.push(super::fires::start(entry, run, &loaded.rule));
                }
            }
            for gap in &entry.gaps {
                self.missed.push((gap.first.since(at(0)), gap.last.since(at(0)), gap.count));
            }
        }
        outcome
    }

    fn end_all(&mut self) {
        let ended = self.all_ended();
        self.send(ended);
    }

    fn all_ended(&mut self) -> Event {
        let now = self.now;
        let ends = self.started.drain(..).map(|start| AttemptEnd {
            held_by: None,
            definition: start.definition.clone().expect("fired here"),
            start,
            outcome: AttemptOutcome::Succeeded,
            vetoed: false,
            started_at: Some(now),
            ended_at: now,
            detail: None,
        });
        Event::Ended(ends.collect())
    }
}

fn every(interval_ms: i64) -> Rule {
    rule(Schedule::Every { interval_ms, repeat_count: None }, at(0), None)
}

fn rule(schedule: Schedule, start: Timestamp, gate: Option<GateRule>) -> Rule {
    let mut job = Job::new(JobKey::new("default", "job"), Task::Noop);
    if let Some(gate) = gate {
        (job.overlap, job.max_active) = (gate.overlap, gate.max_active);
    }
    let delay_ms = if let Schedule::Delay { delay_ms } = schedule { Some(delay_ms) } else { None };
    Rule {
        trigger: Trigger::new(schedule, Zone::utc(), start),
        jitter_ms: 0,
        misfire_threshold_ms: 60_000,
        priority: 5,
        gate,
        delay_ms,
        queue: "default".into(),
        input: None,
        definition: Arc::new(job),
        tzdata: None,
    }
}

fn world() -> World {
    World::new(Settings { slots: 1_000, ..Settings::default() })
}

#[test]
fn triggers_fire_at_their_instants_and_runs_start_after_the_record() {
    let mut world = world();
    world.add(1, every(1_000));
    world.add(2, rule(Schedule::At, at(2_500), None));
    world.run_until(3_000);
    assert_eq!(world.fired, [(1, 0), (1, 1_000), (1, 2_000), (2, 2_500), (1, 3_000)]);
    assert_eq!(world.started.len(), 5);
    assert_eq!(world.rows[&TriggerId(2)].row.progress.status, TriggerStatus::Complete);
}

#[test]
fn nothing_starts_before_its_fire_is_recorded() {
    let mut world = world();
    world.keep_back = true;
    world.add(1, every(1_000));
    world.run_until(5_000);
    assert!(world.started.is_empty());
    assert_eq!(world.kept_back.len(), 1, "a trigger in a batch fires no second time meanwhile");
}

#[test]
fn instants_late_within_the_threshold_fire_one_by_one() {
    let mut world = world();
    world.add(1, every(1_000));
    world.now = at(3_500);
    world.run_until(3_500);
    assert_eq!(world.fired, [(1, 0), (1, 1_000), (1, 2_000), (1, 3_000)]);
    assert_eq!(world.missed, []);
}

#[test]
fn instants_late_beyond_the_threshold_follow_the_policy() {
    let mut world = world();
    let mut late = every(10_000);
    late.trigger.misfire = MisfirePolicy::NextWithRemainingCount;
    world.add(1, late);
    world.now = at(100_000);
    world.run_until(100_000);
    let missed: u64 = world.missed.iter().map(|(_, _, count)| count).sum();
    assert_eq!(world.fired.len() as u64 + missed, 11, "{:?} {:?}", world.fired, world.missed);
    assert!(missed >= 10);
}

#[test]
fn changed_trigger_is_dropped_and_read_again() {
    let mut world = world();
    world.add(1, every(1_000));
    world.run_until(0);
    let loaded = world.rows.get_mut(&TriggerId(1)).expect("added");
    loaded.row.version = 2;
    loaded.row.progress.next_fire_at = Some(at(4_000));
    loaded.row.progress.due_at = Some(at(4_000));
    world.run_until(4_500);
    assert_eq!(world.fired, [(1, 0), (1, 4_000)]);
}

#[test]
fn acknowledged_pause_stops_fires_without_the_planner_knowing() {
    let mut world = world();
    world.add(1, every(1_000));
    world.run_until(1_000);
    world.rows.get_mut(&TriggerId(1)).expect("added").row.paused = true;
    world.run_until(10_000);
    assert_eq!(world.fired, [(1, 0), (1, 1_000)]);
}

#[test]
fn held_triggers_wait_for_the_slot_and_then_catch_up() {
    let mut world = world();
    let gate = GateRule { overlap: Overlap::Hold, max_active: 1 };
    world.add(1, rule(Schedule::Every { interval_ms: 1_000, repeat_count: None }, at(0), Some(gate)));
    world.run_until(3_000);
    assert_eq!(world.fired, [(1, 0)], "the first run is not over");
    world.end_all();
    assert_eq!(world.fired, [(1, 0), (1, 1_000)], "one at a time");
    world.end_all();
    world.end_all();
    world.end_all();
    assert_eq!(world.fired, [(1, 0), (1, 1_000), (1, 2_000), (1, 3_000)]);
    assert_eq!(world.missed, []);
}

#[test]
fn delay_counts_from_the_end_of_the_run() {
    let mut world = world();
    world.add(1, rule(Schedule::Delay { delay_ms: 1_000 }, at(0), None));
    world.run_until(2_500);
    assert_eq!(world.fired, [(1, 0)]);
    world.end_all();
    world.run_until(10_000);
    assert_eq!(world.fired, [(1, 0), (1, 3_500)]);
}

#[test]
fn what_a_verdict_sets_going_goes_on_though_its_answer_was_lost() {
    let hold = GateRule { overlap: Overlap::Hold, max_active: 1 };
    let held = rule(Schedule::Every { interval_ms: 1_000, repeat_count: None }, at(0), Some(hold));
    for (rule, next) in [(held, 1_000), (rule(Schedule::Delay { delay_ms: 1_000 }, at(0), None), 4_000)] {
        let mut world = world();
        world.add(1, rule);
        world.run_until(3_000);
        assert_eq!(world.fired, [(1, 0)]);
        world.loses_answers = true;
        world.end_all();
        assert_eq!(world.fired, [(1, 0)], "nobody knows what became of the verdict");
        world.loses_answers = false;
        world.run_until(4_000);
        assert_eq!(world.fired, [(1, 0), (1, next)], "the repetition is refused");
    }
}

#[test]
fn run_that_is_given_to_this_process_and_never_heard_of_is_lost() {
    let mut world = World::new(Settings { held_every_ms: Some(10_000), ..Settings::default() });
    for id in [1, 2] {
        world.add(id, rule(Schedule::At, at(1_000), None));
    }
    world.run_until(1_000);
    let starts = std::mem::take(&mut world.started);
    let live = |start: &Start, attempt| LiveRun {
        ends: false,
        claimed: ClaimedRun {
            run: start.run,
            job: start.job,
            job_version: start.job_version,
            trigger: start.trigger,
            fire_time: start.fire_time,
            due_at: start.due_at,
            attempt,
            input: None,
            queue: None,
        },
        state: RunState::Running,
        claimed_at: None,
    };
    // Of the first, this process knows; of the second it knows another attempt.
    world.held = vec![live(&starts[0], 1), live(&starts[1], 2)];
    world.run_until(15_000);
    assert_eq!(world.lost, [], "the answer may be on its way");
    world.run_until(25_000);
    assert_eq!(world.lost, [starts[1].run]);
    world.run_until(60_000);
    assert_eq!(world.lost, [starts[1].run], "it is this process's business now");
}

#[test]
fn run_of_a_batch_that_is_under_way_is_not_lost() {
    let mut world = World::new(Settings { held_every_ms: Some(10_000), ..Settings::default() });
    world.add(1, rule(Schedule::At, at(1_000), None));
    world.keep_back = true;
    world.run_until(1_000);
    let Some(Command::Fire(batch)) = world.kept_back.first().cloned() else { panic!("it fires") };
    let run = batch.entries[0].runs[0];
    let claimed = ClaimedRun {
        run: run.id,
        job: JobId(1),
        job_version: JobVersion(1),
        trigger: Some(TriggerId(1)),
        fire_time: run.fire_time,
        due_at: run.due_at,
        attempt: 1,
        input: None,
        queue: None,
    };
    world.held = vec![LiveRun { claimed, state: RunState::Running, claimed_at: None, ends: false }];
    world.run_until(60_000);
    assert_eq!(world.lost, []);
    world.keep_back = false;
    world.let_go(true);
    world.run_until(120_000);
    assert_eq!((world.lost.len(), world.started.len()), (0, 1));
}

#[test]
fn slots_bound_what_runs_and_queued_runs_come_first() {
    let mut world = World::new(Settings { slots: 2, ..Settings::default() });
    for id in 1..=5 {
        world.add(id, rule(Schedule::At, at(1_000), None));
    }
    world.run_until(1_000);
    assert_eq!(world.started.len(), 2);
    assert_eq!(world.planner.figures().running, 2);
    world.queued = world.started.iter().map(|start| Start { fire_time: at(77), ..start.clone() }).collect();
    world.end_all();
    assert_eq!(world.started.len(), 2);
    assert!(world.started.iter().all(|start| start.fire_time == at(77)));
}

#[test]
fn fire_of_any_namespace_takes_a_slot_unless_something_is_set_for_its_queue() {
    for (line, limited, wanted) in [
        ("mail", "other", 1),
        ("mail#b", "other", 1),
        ("mail", "mail", 0),
        ("mail#b", "mail", 0),
        ("other#mail", "mail", 0),
        ("mail/route", "other", 0),
    ] {
        let mut world = world();
        world.planner = Planner::new(Settings { slots: 9, ..Settings::default() }, Incarnation(1), at(0))
            .serving(crate::batch::Queues::named(["mail"]));
        world.add(1, Rule { queue: line.into(), ..rule(Schedule::At, at(1_000), None) });
        let limit = QueueLimit { by_claims: true, room: u32::MAX };
        world.send(Event::Limited(Arc::new([(Arc::from(limited), limit)].into_iter().collect())));
        world.keep_back = true;
        world.run_until(1_000);
        let Some(Command::Fire(batch)) = world.kept_back.pop() else { panic!("it is due") };
        assert_eq!(u32::from(batch.entries[0].runs[0].claim), wanted, "{line} where {limited} is limited");
    }
}

#[test]
fn clock_set_back_fires_nothing_twice_and_nothing_early() {
    let mut world = world();
    world.add(1, every(1_000));
    world.run_until(2_000);
    world.now = at(-3_600_000);
    world.send(Event::Woke);
    assert!(world.planner.next_wakeup() >= at(-3_600_000));
    world.run_until(1_999);
    assert_eq!(world.fired, [(1, 0), (1, 1_000), (1, 2_000)]);
    world.run_until(3_000);
    assert_eq!(world.fired.last(), Some(&(1, 3_000)));
    assert_eq!(world.fired.len(), 4);
}

#[test]
fn unrecorded_batch_is_repeated_as_it_was() {
    let mut world = world();
    world.keep_back = true;
    world.add(1, every(60_000));
    world.run_until(0);
    let Some(Command::Fire(batch)) = world.kept_back.pop() else { panic!("a batch was sent") };
    world.send(Event::FireFailed(Arc::clone(&batch)));
    world.run_until(1_000);
    let Some(Command::Fire(again)) = world.kept_back.pop() else { panic!("it was repeated") };
    assert_eq!(again, batch);
}

/// How long a planner waits before each of many tries of a batch.
fn waits(incarnation: u128) -> Vec<i64> {
    let mut world = world();
    world.planner = Planner::new(Settings { slots: 1_000, ..Settings::default() }, Incarnation(incarnation), at(0));
    world.keep_back = true;
    world.add(1, every(600_000));
    world.run_until(0);
    let mut waits = Vec::new();
    for _ in 0..60 {
        let Some(Command::Fire(batch)) = world.kept_back.pop() else { panic!("a batch was sent") };
        world.send(Event::FireFailed(batch));
        let failed = world.now;
        while world.kept_back.is_empty() {
            world.now = world.planner.next_wakeup().max(world.now);
            world.send(Event::Woke);
        }
        waits.push(world.now.since(failed));
    }
    world.keep_back = false;
    let Some(Command::Fire(batch)) = world.kept_back.pop() else { panic!("a batch was sent") };
    let outcome = world.record(&batch);
    world.send(Event::Fired(Arc::clone(&batch), outcome));
    world.send(Event::CompleteFailed(Arc::new(crate::batch::CompletionBatch {
        id: batch.id,
        at: world.now,
        entries: Vec::new(),
    })));
    assert!(world.planner.next_wakeup() <= world.now + 250, "a success starts it anew");
    waits
}

#[test]
fn batch_that_fails_again_and_again_waits_longer_up_to_a_bound() {
    let waits = waits(1);
    let mean = |waits: &[i64]| waits.iter().sum::<i64>() / waits.len() as i64;
    assert!(waits[0] <= 250 && waits.iter().all(|wait| (1..=5_000).contains(wait)), "{waits:?}");
    assert!((1_700..3_300).contains(&mean(&waits[20..])), "{waits:?}");
    assert!(mean(&waits[..5]) < 1_000, "{waits:?}");
}

#[test]
fn nodes_that_fail_together_do_not_try_again_together() {
    let (one, other) = (waits(1), waits(2));
    let near = one.iter().zip(&other).skip(20).filter(|(one, other)| one.abs_diff(**other) < 100).count();
    assert!(near <= 8, "{one:?} {other:?}");
}

#[test]
fn draining_planner_fires_nothing_new_but_records_ends() {
    let mut world = world();
    world.add(1, every(1_000));
    world.run_until(1_000);
    world.send(Event::Drain);
    world.run_until(5_000);
    assert_eq!(world.fired.len(), 2);
    assert!(!world.planner.is_idle());
    world.end_all();
    assert!(world.planner.is_idle());
}

#[test]
fn trigger_that_fires_every_few_seconds_is_read_once() {
    for (interval_ms, fires, reads) in [(1_000, 121, 1), (12_000, 11, 1), (30_000, 5, 5)] {
        let mut world = world();
        world.add(1, every(interval_ms));
        world.run_until(120_000);
        assert_eq!((world.fired.len(), world.window_rows), (fires, reads), "every {interval_ms} ms");
    }
}

#[test]
fn jitter_spreads_and_is_never_early() {
    let mut world = world();
    let mut jittered = every(1_000);
    jittered.jitter_ms = 400;
    world.add(1, jittered);
    let mut last = 0;
    while last < 20_000 {
        let wakeup = world.planner.next_wakeup().max(world.now);
        last = wakeup.since(at(0));
        world.run_until(last);
        for start in world.started.drain(..) {
            assert_eq!(start.due_at, wakeup, "started when due");
            assert!((0..=400).contains(&start.due_at.since(start.fire_time)));
        }
    }
    assert!(world.fired.len() >= 19);
    assert!(world.fired.windows(2).all(|pair| pair[1].1 - pair[0].1 == 1_000));
}

#[test]
fn progress_of_an_edited_trigger_lies_after_what_fired() {
    let rule = every(1_000);
    let progress: Progress = crate::edit::begin(&rule, TriggerId(1), Some(at(4_200)), at(2_000));
    assert_eq!(progress.next_fire_at, Some(at(5_000)));
}

#[test]
fn run_queued_while_a_claim_is_under_way_is_claimed_afterwards() {
    let mut world = world();
    let mut commands = world.planner.handle(at(0), Event::Woke);
    let claim = commands.iter().any(|command| matches!(command, Command::Read(Read::Claim(..))));
    assert!(claim, "runs of an earlier process are asked for");
    commands.clear();
    let queued = crate::batch::Changes { queued: true, ..crate::batch::Changes::default() };
    world.planner.handle(at(0), Event::ChangesRead(queued));
    let after = world.planner.handle(at(0), Event::Claimed(Vec::new()));
    assert!(after.iter().any(|command| matches!(command, Command::Read(Read::Claim(..)))), "{after:?}");
}

/// Nothing is read before: whoever has queued them knows.
#[test]
fn runs_that_this_node_has_queued_are_claimed_at_once() {
    let mut world = world();
    world.planner.handle(at(0), Event::Woke);
    world.planner.handle(at(0), Event::ChangesRead(crate::batch::Changes::default()));
    assert!(world.planner.handle(at(0), Event::Claimed(Vec::new())).is_empty());
    let commands = world.planner.handle(at(0), Event::Queued);
    assert!(matches!(commands[..], [Command::Offer, Command::Read(Read::Claim(..))]), "{commands:?}");
}

/// What it took is running already: another claim would leave that behind.
#[test]
fn claim_without_an_answer_is_repeated_under_its_id_before_another_is_sent() {
    let mut world = world();
    let claims = |commands: Vec<Command>| -> Vec<Read> {
        let reads = commands
            .into_iter()
            .filter_map(|command| if let Command::Read(read) = command { Some(read) } else { None });
        reads.filter(|read| matches!(read, Read::Claim(..))).collect()
    };
    let first = claims(world.planner.handle(at(0), Event::Woke)).pop().expect("a claim");
    let queued = crate::batch::Changes { queued: true, ..crate::batch::Changes::default() };
    world.planner.handle(at(0), Event::ReadFailed(first.clone()));
    assert_eq!(claims(world.planner.handle(at(0), Event::ChangesRead(queued))), [], "one at a time");
    let again = world.planner.next_wakeup();
    assert_eq!(claims(world.planner.handle(again, Event::Woke)), std::slice::from_ref(&first));
    let next = claims(world.planner.handle(again, Event::Claimed(Vec::new()))).pop().expect("a claim");
    let (Read::Claim(first, ..), Read::Claim(next, ..)) = (first, next) else { unreachable!("filtered above") };
    assert_eq!((next.incarnation, next.sequence > first.sequence), (first.incarnation, true));
}

#[test]
fn fire_that_others_are_in_the_way_of_is_tried_again_soon_and_keeps_no_slot() {
    let mut world = world();
    world.add(1, every(1_000));
    world.run_until(900);
    world.end_all();
    (world.fired, world.started) = (Vec::new(), Vec::new());
    world.keep_back = true;
    world.run_until(1_000);
    let Some(Command::Fire(batch)) = world.kept_back.pop() else { panic!("it is due") };
    let first = batch.entries.clone();
    world.keep_back = false;
    world.send(Event::Fired(batch, FireOutcome { busy: vec![0], ..FireOutcome::default() }));
    assert_eq!((world.fired.len(), world.started.len(), world.planner.figures().running), (0, 0, 0));
    world.run_until(1_000 + 50);
    assert_eq!((world.fired.as_slice(), world.started.len()), (&[(1, 1_000)][..], 1));
    assert_eq!(first[0].runs[0].fire_time, world.started[0].fire_time, "the same instant");
    world.end_all();
    assert!(world.planner.is_idle());
}

#[test]
fn delay_of_nothing_goes_on() {
    let mut world = world();
    world.add(1, rule(Schedule::Delay { delay_ms: 0 }, at(0), None));
    world.run_until(0);
    world.end_all();
    world.run_until(10);
    world.end_all();
    world.run_until(20);
    assert_eq!(world.fired, [(1, 0), (1, 1), (1, 11)]);
}

#[test]
fn claim_under_way_keeps_a_draining_planner_busy() {
    let mut world = world();
    world.planner.handle(at(0), Event::Woke);
    world.planner.handle(at(0), Event::Drain);
    assert!(!world.planner.is_idle());
    world.planner.handle(at(0), Event::Claimed(Vec::new()));
    assert!(world.planner.is_idle());
}

/// What may happen to a node of a cluster, in any order.
#[derive(Clone, Debug)]
enum Happening {
    Owns(BTreeSet<u8>, bool),
    TimePasses(i64),
    StoreHangs,
    StoreAnswers(bool),
    ReadsHang,
    ReadsComeBack(bool),
    OthersFire,
}

fn happening() -> impl Strategy<Value = Happening> {
    let shards = proptest::collection::btree_set(0_u8..4, 0..=4);
    prop_oneof![
        (shards, any::<bool>()).prop_map(|(shards, trusted)| Happening::Owns(shards, trusted)),
        (1_i64..7_000).prop_map(Happening::TimePasses),
        Just(Happening::StoreHangs),
        any::<bool>().prop_map(Happening::StoreAnswers),
        Just(Happening::ReadsHang),
        any::<bool>().prop_map(Happening::ReadsComeBack),
        Just(Happening::OthersFire),
    ]
}

proptest! {
    #[test]
    fn shards_that_come_and_go_lose_nothing_and_fire_nothing_twice(
        happenings in proptest::collection::vec(happening(), 0..40),
    ) {
        let mut world = World::new(Settings { slots: 1_000, check_every_ms: Some(1_700), ..Settings::default() });
        world.own(ShardSet::EMPTY, false);
        for id in 0..8 {
            world.add(id, every(700 + 400 * id));
        }
        for happening in happenings {
            match happening {
                Happening::Owns(shards, trusted) => world.own(shards.into_iter().map(Shard).collect(), trusted),
                Happening::TimePasses(ms) => world.run_until(world.now.since(at(0)) + ms),
                Happening::StoreHangs => world.keep_back = true,
                Happening::StoreAnswers(succeed) => {
                    world.keep_back = false;
                    world.let_go(succeed);
                }
                Happening::ReadsHang => world.keep_answers = true,
                Happening::ReadsComeBack(latest_first) => {
                    world.keep_answers = false;
                    world.answer_reads(latest_first);
                }
                Happening::OthersFire => world.fire_elsewhere(),
            }
            let under_way = world.kept_back.iter().flat_map(|command| match command {
                Command::Fire(batch) => batch.entries.iter().map(|entry| world.rows[&entry.trigger].row.shard).collect(),
                _ => Vec::new(),
            });
            let under_way: ShardSet = under_way.collect();
            prop_assert!(under_way.is_empty() || !world.planner.is_clear(&under_way));
        }
        (world.keep_back, world.keep_answers) = (false, false);
        world.let_go(true);
        world.answer_reads(false);
        world.own(ShardSet::ALL, true);
        let end = world.now.since(at(0)) + 20_000;
        world.run_until(end);
        prop_assert!(world.planner.is_clear(&ShardSet::ALL));
        prop_assert_eq!(world.planner.figures().corrections, 0);
        let expected: BTreeSet<(i64, i64)> = (0..8)
            .flat_map(|id| (0..=end).step_by(700 + 400 * id as usize).map(move |instant| (id, instant)))
            .collect();
        let fired: BTreeSet<(i64, i64)> = world.fired.iter().copied().collect();
        prop_assert_eq!(fired.len(), world.fired.len(), "an instant fired twice");
        let missed: u64 = world.missed.iter().map(|(_, _, count)| count).sum();
        prop_assert!(fired.is_subset(&expected));
        prop_assert_eq!(fired.len() as u64 + missed, expected.len() as u64);
    }
}

#[test]
fn without_trust_what_is_due_waits_and_fires_when_trust_is_back() {
    let mut world = world();
    world.add(1, every(1_000));
    world.own(ShardSet::ALL, false);
    world.run_until(2_500);
    assert_eq!((&world.fired[..], world.planner.figures().due), (&[][..], 1));
    world.own(ShardSet::ALL, true);
    assert_eq!(world.fired, [(1, 0), (1, 1_000), (1, 2_000)]);
}

#[test]
fn shards_that_are_lost_take_their_triggers_along() {
    let mut world = world();
    let gate = GateRule { overlap: Overlap::Hold, max_active: 1 };
    world.add(1, rule(Schedule::Every { interval_ms: 1_000, repeat_count: None }, at(0), Some(gate)));
    world.add(2, every(1_000));
    world.add(3, rule(Schedule::At, at(4_000), None));
    world.run_until(1_500);
    assert_eq!((world.planner.figures().resident, world.fired.len()), (3, 3), "trigger 1 waits for its slot");
    world.keep_back = true;
    world.run_until(2_000);
    world.own(ShardSet::EMPTY, true);
    assert_eq!(world.planner.figures().resident, 1, "one is in a batch");
    let (mine, other) = ([Shard(2)].into_iter().collect(), [Shard(1), Shard(3)].into_iter().collect());
    assert!(!world.planner.is_clear(&mine) && world.planner.is_clear(&other));
    world.let_go(false);
    assert!(!world.planner.is_clear(&mine), "it is to be repeated");
    world.run_until(3_000);
    world.let_go(true);
    assert!(world.planner.is_clear(&mine));
    assert_eq!(world.planner.figures(), crate::planner::Figures { running: 4, slots: 1_000, ..Default::default() });
    world.end_all();
    world.run_until(9_000);
    assert_eq!(world.fired.len(), 4);
}

#[test]
fn node_of_a_cluster_looks_for_what_others_have_made() {
    let mut world = World::new(Settings { poll_every_ms: Some(250), ..Settings::default() });
    world.own([Shard(3)].into_iter().collect(), true);
    world.run_until(0);
    assert_eq!(world.planner.next_wakeup(), at(250));
    world.now = at(250);
    let commands = world.planner.handle(world.now, Event::Woke);
    let asked = |wanted: &Read| commands.iter().any(|c| matches!(c, Command::Read(read) if read == wanted));
    assert!(asked(&Read::Changes(world.owned, Heard::default())) && asked(&Read::Release), "{commands:?}");
}

/// Its clock may be wrong, or it drains: either way it is not to release what waits for an instant, nor to wake for it.
#[test]
fn node_without_shards_takes_no_work_unless_it_is_far() {
    let mut world = World::new(Settings { poll_every_ms: Some(250), ..Settings::default() });
    let releases = |command: &Command| matches!(command, Command::Read(Read::Release));
    for (now, shards, trusted) in [(250, ShardSet::EMPTY, true), (500, ShardSet::ALL, false)] {
        world.own(shards, trusted);
        world.now = at(now);
        let commands = world.planner.handle(world.now, Event::Woke);
        assert!(!commands.iter().any(releases), "{commands:?}");
        assert_eq!(world.planner.next_wakeup(), at(now + 250));
    }
    let parts = [
        Part { owned: ShardSet::ALL, trusted: true, far: false },
        // It may serve queues that no other node does.
        Part { owned: ShardSet::EMPTY, trusted: true, far: true },
    ];
    for (part, now) in parts.into_iter().zip([750, 1_000]) {
        let commands = world.planner.handle(at(now), Event::Own(part));
        assert!(commands.iter().any(releases), "{commands:?}");
        world.planner.handle(at(now), Event::Released(Released::default()));
    }
}

#[test]
fn shards_whose_changes_are_being_read_are_not_clear() {
    let mut world = world();
    let commands = world.planner.handle(at(0), Event::Woke);
    let look = Read::Changes(ShardSet::ALL, Heard::default());
    assert!(commands.iter().any(|command| matches!(command, Command::Read(read) if *read == look)));
    assert!(!world.planner.is_clear(&ShardSet::ALL));
    world.planner.handle(at(0), Event::ReadFailed(look));
    assert!(world.planner.is_clear(&ShardSet::ALL));
}

#[test]
fn look_says_what_the_last_answer_told_until_it_is_answered() {
    let mut world = World::new(Settings { poll_every_ms: Some(250), ..Settings::default() });
    world.own(ShardSet::ALL, true);
    world.run_until(0);
    let heard = Heard { triggers: vec![7], cancels: Vec::new() };
    let look = |commands: Vec<Command>| {
        let reads = commands.into_iter().filter_map(|c| if let Command::Read(read) = c { Some(read) } else { None });
        reads.filter(|read| matches!(read, Read::Changes(..))).collect::<Vec<_>>()
    };
    let silent = look(world.planner.handle(at(250), Event::Woke));
    assert_eq!(silent, [Read::Changes(ShardSet::ALL, Heard::default())]);
    let told = crate::batch::Changes { heard: heard.clone(), ..Default::default() };
    world.planner.handle(at(250), Event::ChangesRead(told));
    let mut asked = look(world.planner.handle(at(500), Event::Woke));
    assert_eq!(asked, [Read::Changes(ShardSet::ALL, heard.clone())]);
    world.planner.handle(at(500), Event::ReadFailed(asked.remove(0)));
    let again = world.planner.next_wakeup();
    assert_eq!(look(world.planner.handle(again, Event::Woke)), [Read::Changes(ShardSet::ALL, heard)]);
}

#[test]
fn trigger_that_nobody_has_named_is_found_by_the_check_and_counted() {
    let mut world = World::new(Settings { slots: 1_000, check_every_ms: Some(30_000), ..Settings::default() });
    world.add(1, every(1_000));
    world.run_until(10_000);
    world.add(2, every(1_000));
    world.run_until(29_999);
    assert!(world.fired.iter().all(|(id, _)| *id == 1));
    world.run_until(90_000);
    assert_eq!(world.fired.iter().filter(|(id, _)| *id == 2).count(), 91);
    assert_eq!(world.planner.figures().corrections, 1);
}

/// The node that fired it last had read further ahead: it left its place in the due index where this one has passed it.
#[test]
fn trigger_read_by_id_whose_place_was_passed_is_kept() {
    let mut world = world();
    world.run_until(1_000);
    world.add(1, every(7_000));
    let progress = &mut world.rows.get_mut(&TriggerId(1)).expect("just added").row.progress;
    (progress.next_fire_at, progress.due_at, progress.fired_through) = (Some(at(7_000)), Some(at(7_000)), Some(at(0)));
    world.behind.insert(TriggerId(1));
    world.changed = vec![TriggerId(1)];
    world.send(Event::Changed);
    world.run_until(7_000);
    assert_eq!(world.fired, [(1, 7_000)]);
}

/// The clock of the node that fired it last, or let instants pass, was ahead of this one's, by a minute or by a few seconds.
#[test]
fn trigger_read_by_id_that_has_fired_in_the_future_is_kept() {
    for (through, due) in [(60_000, 75_000), (6_000, 21_000)] {
        let mut world = world();
        world.run_until(1_000);
        world.add(1, every(due));
        let progress = &mut world.rows.get_mut(&TriggerId(1)).expect("just added").row.progress;
        (progress.next_fire_at, progress.due_at) = (Some(at(due)), Some(at(due)));
        progress.fired_through = Some(at(through));
        world.behind.insert(TriggerId(1));
        world.changed = vec![TriggerId(1)];
        world.send(Event::Changed);
        world.run_until(due);
        assert_eq!(world.fired, [(1, due)]);
    }
}

/// What is kept where it is in the due index follows from the row alone: a node whose clock is ahead does not leave behind what nobody
/// takes for left behind.
#[test]
fn trigger_that_fires_late_stays_in_its_place_only_if_its_next_instant_is_close_to_that() {
    for (step, leaves) in [(15_000, false), (16_000, true)] {
        let mut world = world();
        world.add(1, every(step));
        world.now = at(step - 1);
        world.keep_back = true;
        world.send(Event::Woke);
        let [Command::Fire(batch)] = &world.kept_back[..] else { panic!("{:?}", world.kept_back) };
        assert_eq!(batch.entries[0].leaves_window, leaves, "{batch:?}");
    }
}

/// A window that ends in an hour, as a clock has left it that was ahead, does not keep places where they are.
#[test]
fn trigger_leaves_the_window_as_the_clock_has_it_now() {
    let mut world = world();
    world.now = at(3_600_000);
    world.send(Event::Woke);
    world.now = at(0);
    world.send(Event::Woke);
    world.add(1, every(60_000));
    world.changed = vec![TriggerId(1)];
    world.keep_back = true;
    world.send(Event::Changed);
    let [Command::Fire(batch)] = &world.kept_back[..] else { panic!("{:?}", world.kept_back) };
    assert!(batch.entries[0].leaves_window, "{batch:?}");
}

#[test]
fn change_that_is_heard_of_during_the_check_is_no_correction() {
    let mut world = World::new(Settings { slots: 1_000, check_every_ms: Some(30_000), ..Settings::default() });
    world.run_until(29_999);
    world.add(1, every(60_000));
    world.changed = vec![TriggerId(1)];
    world.run_until(90_000);
    assert_eq!((world.fired.len(), world.planner.figures().corrections), (2, 0));
}

/// The check has seen that its run ended before the answer to that was here; then it fired, and awaits a run, while it was read by id.
#[test]
fn trigger_that_fires_while_the_check_reads_it_is_no_correction() {
    let mut world = World::new(Settings { slots: 1_000, check_every_ms: Some(26_000), ..Settings::default() });
    world.add(1, rule(Schedule::Delay { delay_ms: 500 }, at(0), None));
    world.run_until(25_999);
    let ended = world.all_ended();
    let complete = world.planner.handle(world.now, ended).pop().expect("it is recorded");
    let completed = world.answer(complete).expect("it is answered");
    world.keep_answers = true;
    world.run_until(26_000);
    assert!(matches!(&world.answers[..], [Event::WindowRead(rows, None)] if rows.len() == 1), "{:?}", world.answers);
    world.answer_reads(false);
    assert!(matches!(&world.answers[..], [Event::ChangesRead(_)]), "{:?}", world.answers);
    world.send(completed);
    world.answer_reads(false);
    world.run_until(26_499);
    assert_eq!(world.fired, [(1, 0), (1, 26_499)]);
    world.answer_reads(false);
    assert_eq!(world.planner.figures().corrections, 0);
}

/// The check had read it before it fired; then its run ended on another node, which names it next time, while it was read by id.
#[test]
fn trigger_that_changes_while_the_check_reads_it_is_no_correction() {
    let mut world = World::new(Settings { slots: 1_000, check_every_ms: Some(26_000), ..Settings::default() });
    world.add(1, rule(Schedule::Delay { delay_ms: 500 }, at(26_100), None));
    world.run_until(25_999);
    world.keep_answers = true;
    world.run_until(26_000);
    assert!(matches!(&world.answers[..], [Event::WindowRead(rows, None)] if rows.len() == 1), "{:?}", world.answers);
    world.run_until(26_100);
    assert_eq!(world.fired, [(1, 26_100)]);
    world.answer_reads(false);
    assert!(matches!(&world.answers[..], [Event::ChangesRead(_)]), "{:?}", world.answers);
    let progress = &mut world.rows.get_mut(&TriggerId(1)).expect("it was added").row.progress;
    assert!(progress.awaiting_run.take().is_some());
    (progress.next_fire_at, progress.due_at) = (Some(at(26_700)), Some(at(26_700)));
    world.changed = vec![TriggerId(1)];
    world.answer_reads(false);
    assert!(matches!(&world.answers[..], [Event::TriggersRead(rows)] if rows.len() == 1), "{:?}", world.answers);
    world.answer_reads(false);
    assert_eq!(world.planner.figures().corrections, 0);
    world.run_until(26_700);
    assert_eq!(world.fired, [(1, 26_100), (1, 26_700)]);
}

#[test]
fn change_that_is_read_once_a_batch_is_back_is_no_correction() {
    let mut world = World::new(Settings { slots: 1_000, check_every_ms: Some(30_000), ..Settings::default() });
    world.add(1, every(29_000));
    world.run_until(28_000);
    world.keep_back = true;
    world.run_until(29_000);
    let row = &mut world.rows.get_mut(&TriggerId(1)).expect("just added").row;
    row.version += 1;
    (row.progress.next_fire_at, row.progress.due_at) = (Some(at(32_000)), Some(at(32_000)));
    world.changed = vec![TriggerId(1)];
    world.send(Event::Changed);
    world.run_until(31_000);
    world.keep_back = false;
    world.let_go(true);
    world.run_until(32_000);
    assert_eq!(world.planner.figures().corrections, 0);
    assert_eq!(world.fired.iter().filter(|(_, instant)| *instant == 29_000).count(), 0, "{:?}", world.fired);
}
