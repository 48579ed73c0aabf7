//! Workflow runs over rows in memory, in many orders, with a crash between any two steps.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::job::{Job, JobKey, Task};
use mainspring_core::line::HOLD_LINE;
use mainspring_core::run::{RunState, Verdict};
use mainspring_core::workflow::{
    Approval, ClockTime, FailFast, Hold, OnTimeout, Spread, TaskContext, TaskDefinition, TaskState, TriggerRule,
    Workflow,
};
use mainspring_core::{JobId, JobVersion, RunId, RunSource, Timestamp};
use mainspring_store::{
    MemoryStore, Message, MessageBody, Stepped, TaskRequest, TaskRow, TaskVerb, WorkflowRow, WorkflowStep,
};
use serde_json::json;

mod calls;
mod marks;
mod set_back;

use super::live::{Live, Place};
use super::plan::Plan;
use super::values;

const AT: Timestamp = Timestamp::from_millis(1_000);

fn task(name: &str, needs: &[u32]) -> TaskDefinition {
    let job = Job::new(JobKey::new("default", "etl"), Task::Noop);
    TaskDefinition { needs: needs.to_vec(), ..TaskDefinition::new(name, job) }
}

fn diamond() -> Workflow {
    let tasks = vec![task("a", &[]), task("b", &[0]), task("c", &[0]), task("d", &[1, 2])];
    Workflow { tasks, ..Workflow::default() }
}

fn request(verb: TaskVerb, task: Option<u32>) -> TaskRequest {
    TaskRequest { verb, task, item: None, by: Some("ann".into()), reason: Some("why not".into()), at: AT }
}

/// A number after the other, always the same.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }
}

/// What a store keeps of one workflow run.
struct World {
    plan: Arc<Plan>,
    row: WorkflowRow,
    verdict: Option<(Verdict, Option<String>)>,
    tasks: BTreeMap<Place, TaskRow>,
    /// Runs of tasks that are not final.
    running: BTreeMap<RunId, Place>,
    /// How often each was started, and with what.
    started: BTreeMap<Place, Vec<TaskContext>>,
    /// Where each waits, and until when.
    lines: BTreeMap<Place, (String, Option<Timestamp>)>,
    /// How many ran at once at most.
    peak: usize,
    number: u64,
    /// Whether it is due though nobody has told it anything.
    owes: bool,
    /// What is in memory, as long as that lives.
    live: Option<Live>,
}

impl World {
    fn new(workflow: Workflow) -> Self {
        let job = Arc::new(Job::new(JobKey::new("default", "etl"), Task::Workflow(Box::new(workflow))));
        let row = WorkflowRow {
            run: RunId::new(AT, RunSource::Asked(JobId(1), 0)),
            job: JobId(1),
            key: job.key.clone(),
            job_version: JobVersion(1),
            fire_time: AT,
            priority: 5,
            input: None,
            turn: 1,
            stop: None,
            paused: false,
            ended: None,
            timed_out: false,
            rerun_as: None,
            tasks: Vec::new(),
            inbox: Vec::new(),
        };
        Self {
            plan: Arc::new(Plan::new(job).unwrap()),
            row,
            verdict: None,
            tasks: BTreeMap::new(),
            running: BTreeMap::new(),
            started: BTreeMap::new(),
            lines: BTreeMap::new(),
            peak: 0,
            number: 0,
            owes: true,
            live: None,
        }
    }

    fn tell(&mut self, body: MessageBody) {
        self.number += 1;
        self.row.inbox.push(Message { id: self.number as i64, body });
    }

    fn ask(&mut self, verb: TaskVerb, task: Option<u32>) {
        self.tell(MessageBody::Asked(request(verb, task)));
    }

    fn finish(&mut self, child: RunId, state: RunState) {
        if self.running.remove(&child).is_some() {
            self.tell(MessageBody::Ended { child, state });
        }
    }

    /// The name of a place: `a`, `a[3]`.
    fn name(&self, (task, item): Place) -> String {
        mainspring_core::workflow::run_name(&self.plan.task(task).name, item)
    }

    fn child(&self, name: &str) -> RunId {
        let found = self.running.iter().find(|(_, place)| self.name(**place) == name);
        *found.unwrap_or_else(|| panic!("{name} does not run")).0
    }

    fn state(&self, name: &str) -> TaskState {
        let found = self.tasks.iter().find(|(place, _)| self.name(**place) == name);
        found.map_or(TaskState::Waiting, |(_, row)| row.state)
    }

    fn reason(&self, name: &str) -> &str {
        let found = self.tasks.iter().find(|(place, _)| self.name(**place) == name);
        found.and_then(|(_, row)| row.reason.as_deref()).unwrap_or_default()
    }

    /// Makes one step as far as its write. With `lost`, the answer never arrives.
    async fn step(&mut self, lost: bool) -> bool {
        if !self.owes && self.row.inbox.is_empty() {
            return false;
        }
        let store = MemoryStore::new();
        let mut live = match self.live.take() {
            Some(live) => live,
            None => {
                self.row.tasks = self.tasks.values().cloned().collect();
                let mut live = Live::new(Arc::clone(&self.plan), &self.row);
                for task in live.unknown() {
                    let answer = values::ask(&store, &live, task, true, AT).await.unwrap();
                    live.know(task, answer);
                }
                if self.row.tasks.iter().any(|task| task.generation > 0) {
                    live.drain(self.running.iter().map(|(run, place)| (*run, place.0)));
                }
                live
            }
        };
        self.row.inbox.iter().cloned().for_each(|message| live.hear(message, AT));
        loop {
            live.advance();
            let asks = live.asks();
            if asks.is_empty() {
                break;
            }
            for task in asks {
                let answer = values::ask(&store, &live, task, false, AT).await.unwrap();
                live.answer(task, answer);
            }
        }
        let step = live.step(|job| job.line(), AT, true).expect("it is due");
        let Stepped::Written(runs) = self.write(&step) else { panic!("nobody else writes") };
        if !lost {
            live.written(&step, &runs);
            self.live = Some(live);
        }
        true
    }

    fn write(&mut self, step: &WorkflowStep) -> Stepped {
        assert_eq!(step.turn, self.row.turn, "nothing but the newest is written");
        assert!(self.verdict.is_none(), "nothing follows the end");
        self.row.turn += 1;
        (self.row.stop, self.row.paused, self.owes) = (step.stop, step.paused, step.more);
        self.row.inbox.retain(|message| !step.heard.contains(&message.id));
        let mut runs = Vec::new();
        for write in &step.tasks {
            let place = (write.task, write.item);
            let before = self.tasks.get(&place).cloned();
            let may_change = |row: &TaskRow| !row.state.is_final() || row.generation < write.generation;
            assert!(before.as_ref().is_none_or(may_change), "{}: final is final", self.name(place));
            let mut child = write.call.or(before.and_then(|row| row.child));
            if let Some(start) = &write.start {
                assert_eq!((write.state, &start.name), (TaskState::Running, &self.name(place)));
                self.number += 1;
                let run = RunId::new(AT, RunSource::Asked(JobId(1), self.number));
                self.running.insert(run, place);
                // A task that starts another workflow has runs for its pauses alone.
                if self.plan.task(place.0).call.is_none() {
                    let given = TaskContext::from_input(start.input.as_deref()).unwrap();
                    self.started.entry(place).or_default().push(given);
                }
                self.lines.insert(place, (start.line.clone(), start.expires_at));
                runs.push(run);
                child = Some(run);
            }
            let (task, item) = place;
            let (state, generation, reason) = (write.state, write.generation, write.reason.clone());
            self.tasks.insert(place, TaskRow { task, item, state, generation, child, reason, since: AT });
        }
        self.peak = self.peak.max(self.running.len());
        for (child, _) in &step.cancel {
            self.finish(*child, RunState::Cancelled);
        }
        self.verdict = step.end.clone();
        Stepped::Written(runs)
    }

    /// Makes steps until nothing follows.
    async fn settle(&mut self) {
        while self.verdict.is_none() && self.step(false).await {}
    }

    /// Lets each run end as `how` says by its name, in an order that follows from the dice, with crashes and late answers.
    async fn play(&mut self, dice: &mut Dice, how: impl Fn(&str) -> RunState) {
        for _ in 0..10_000 {
            if self.verdict.is_some() {
                assert!(self.running.is_empty(), "nothing runs when the run is over");
                assert!(self.started.values().all(|starts| starts.len() == 1), "each starts once: {:?}", self.started);
                return;
            }
            let children: Vec<(RunId, Place)> = self.running.iter().map(|(child, place)| (*child, *place)).collect();
            match dice.next(4) {
                0 => self.live = None,
                1 => _ = self.step(dice.next(2) == 0).await,
                _ if children.is_empty() => _ = self.step(false).await,
                _ => {
                    let (child, place) = children[dice.next(children.len())];
                    let state = how(&self.name(place));
                    self.finish(child, state);
                }
            }
        }
        panic!("the run does not end: {:?}", self.tasks);
    }

    fn outcome(&self) -> (BTreeMap<String, TaskState>, Verdict) {
        let states = self.tasks.iter().map(|(place, row)| (self.name(*place), row.state)).collect();
        (states, self.verdict.as_ref().expect("it is over").0)
    }
}

/// Plays a workflow many times, and answers the one outcome that all of them had.
async fn outcome(workflow: &Workflow, how: impl Fn(&str) -> RunState) -> (BTreeMap<String, TaskState>, Verdict) {
    let mut first = None;
    for seed in 0..200 {
        let mut world = World::new(workflow.clone());
        world.play(&mut Dice(seed), &how).await;
        let outcome = world.outcome();
        assert_eq!(first.get_or_insert_with(|| outcome.clone()), &outcome, "seed {seed}");
    }
    first.expect("it was played")
}

fn all_well(_: &str) -> RunState {
    RunState::Succeeded
}

#[tokio::test]
async fn each_task_starts_once_in_every_order_and_after_every_crash() {
    let (states, verdict) = outcome(&diamond(), all_well).await;
    assert_eq!((states.len(), verdict), (4, Verdict::Succeeded));
    let (states, verdict) =
        outcome(&diamond(), |name| if name == "b" { RunState::Failed } else { RunState::Succeeded }).await;
    assert_eq!((states["c"], states["d"], verdict), (TaskState::Succeeded, TaskState::UpstreamFailed, Verdict::Failed));
}

#[tokio::test]
async fn failure_that_may_be_is_none_to_those_below() {
    let mut workflow = diamond();
    workflow.tasks[1].continue_on_error = true;
    let (states, verdict) =
        outcome(&workflow, |name| if name == "b" { RunState::Failed } else { RunState::Succeeded }).await;
    assert_eq!((states["b"], states["d"], verdict), (TaskState::Failed, TaskState::Succeeded, Verdict::Succeeded));
}

#[tokio::test]
async fn matrix_runs_each_combination_once_and_no_more_at_a_time_than_may() {
    let mut workflow = diamond();
    let list = |values: &[i64]| values.iter().map(|value| json!(value)).collect();
    workflow.tasks[1].spread = Some(Spread::Matrix(vec![("x".into(), list(&[1, 2, 3])), ("y".into(), list(&[4, 5]))]));
    workflow.tasks[1].max_parallel = Some(2);
    let (states, verdict) = outcome(&workflow, all_well).await;
    assert_eq!(
        (states.len(), states["b[5]"], states["b"], verdict),
        (10, TaskState::Succeeded, TaskState::Succeeded, Verdict::Succeeded)
    );
    let (states, verdict) =
        outcome(&workflow, |name| if name == "b[3]" { RunState::Failed } else { RunState::Succeeded }).await;
    assert_eq!(
        (states["b[5]"], states["b"], states["d"], verdict),
        (TaskState::Succeeded, TaskState::Failed, TaskState::UpstreamFailed, Verdict::Failed)
    );

    let mut world = World::new(workflow);
    world.play(&mut Dice(7), all_well).await;
    assert!(world.peak <= 3, "two of b, and c");
    let fourth = world.started[&(1, Some(3))][0].values();
    assert_eq!((&fourth["matrix"], world.started.len()), (&json!({"x": 2, "y": 5}), 9));
}

#[tokio::test]
async fn runs_with_much_input_are_made_in_steps_of_bounded_size() {
    let values = |count: i64| (0..count).map(|value| json!(value)).collect();
    let of = |count: i64, bytes: usize| {
        let mut workflow = Workflow { tasks: vec![task("a", &[])], ..Workflow::default() };
        workflow.tasks[0].spread = Some(Spread::Matrix(vec![("x".into(), values(count))]));
        let mut world = World::new(workflow);
        world.row.input = Some(json!({"text": "x".repeat(bytes)}).to_string());
        world
    };
    let mut world = of(200, 100_000);
    world.step(false).await;
    assert!((80..=90).contains(&world.running.len()), "8 MiB of 100 kB each: {}", world.running.len());
    world.settle().await;
    assert_eq!(world.running.len(), 200, "the rest follows at once");

    let mut world = of(1_000, 300_000);
    world.settle().await;
    assert_eq!((world.started.len(), world.state("a")), (0, TaskState::Failed));
    assert!(world.reason("a").starts_with("1000 runs that are each given 3001"), "{}", world.reason("a"));
}

#[tokio::test]
async fn matrix_without_values_is_skipped_and_a_map_that_is_no_list_fails() {
    let mut workflow = diamond();
    workflow.tasks[1].spread = Some(Spread::Map("${{ [] }}".into()));
    workflow.tasks[2].spread = Some(Spread::Map("${{ 7 }}".into()));
    let mut world = World::new(workflow);
    world.play(&mut Dice(1), all_well).await;
    assert_eq!(
        (world.state("b"), world.state("c"), world.state("d")),
        (TaskState::Skipped, TaskState::Failed, TaskState::UpstreamFailed)
    );
    assert_eq!(world.reason("c"), "workflow.expression: map: its value is a number, no list");
    assert_eq!(world.verdict, Some((Verdict::Failed, Some("task c failed".into()))));
}

#[tokio::test]
async fn condition_is_asked_when_all_upstreams_have_ended() {
    let mut workflow = diamond();
    workflow.tasks[1].condition = Some("${{ needs.a.state == 'failed' }}".into());
    workflow.tasks[2].condition = Some("${{ params.rows }}".into());
    workflow.tasks[3].trigger_rule = TriggerRule::AllDone;
    let mut world = World::new(workflow);
    world.play(&mut Dice(3), all_well).await;
    assert_eq!(
        (world.state("b"), world.state("c"), world.state("d")),
        (TaskState::Skipped, TaskState::Failed, TaskState::Succeeded)
    );
    assert_eq!(world.reason("b"), "its condition is false: ${{ needs.a.state == 'failed' }}");
    assert_eq!(world.reason("c"), "workflow.expression: if: undefined value");
}

#[tokio::test]
async fn cancelled_run_ends_what_runs_and_its_last_tasks_follow() {
    let mut workflow = diamond();
    let mut tidy = task("tidy", &[]);
    tidy.finally = true;
    workflow.tasks.push(tidy);
    let mut world = World::new(workflow);
    world.settle().await;
    world.ask(TaskVerb::Cancel, None);
    world.settle().await;
    assert_eq!(
        (world.state("a"), world.state("d"), world.state("tidy")),
        (TaskState::Cancelled, TaskState::Cancelled, TaskState::Running)
    );
    world.live = None;
    world.finish(world.child("tidy"), RunState::Succeeded);
    world.settle().await;
    assert_eq!(world.outcome().1, Verdict::Cancelled);
}

#[tokio::test]
async fn fail_fast_starts_nothing_more_and_cancel_ends_what_runs() {
    for (fail_fast, c) in [(FailFast::True, TaskState::Succeeded), (FailFast::Cancel, TaskState::Cancelled)] {
        let mut workflow = diamond();
        workflow.fail_fast = fail_fast;
        workflow.tasks[2].spread = Some(Spread::Map("${{ [1, 2, 3] }}".into()));
        workflow.tasks[2].max_parallel = Some(1);
        let mut world = World::new(workflow);
        world.settle().await;
        world.finish(world.child("a"), RunState::Succeeded);
        world.settle().await;
        world.finish(world.child("b"), RunState::Failed);
        world.settle().await;
        if fail_fast == FailFast::True {
            world.finish(world.child("c[0]"), RunState::Succeeded);
            world.settle().await;
        }
        assert_eq!(
            (world.state("c[0]"), world.state("c[1]"), world.state("c")),
            (c, TaskState::Cancelled, TaskState::Cancelled)
        );
        assert_eq!(world.verdict, Some((Verdict::Failed, Some("task b failed".into()))), "{fail_fast}");
    }
}

#[tokio::test]
async fn paused_run_starts_nothing_until_it_is_resumed() {
    let mut world = World::new(diamond());
    world.settle().await;
    world.ask(TaskVerb::Pause, None);
    world.finish(world.child("a"), RunState::Succeeded);
    world.settle().await;
    assert_eq!((world.state("b"), world.running.len(), world.row.paused), (TaskState::Ready, 0, true));
    world.live = None;
    world.ask(TaskVerb::Resume, None);
    world.settle().await;
    assert_eq!(
        (world.state("b"), world.state("c"), world.row.inbox.len()),
        (TaskState::Running, TaskState::Running, 0)
    );
}

#[tokio::test]
async fn tasks_are_skipped_and_marked_by_request() {
    let mut world = World::new(diamond());
    world.ask(TaskVerb::Skip, Some(1));
    world.ask(TaskVerb::Succeed, Some(2));
    world.settle().await;
    assert_eq!((world.state("b"), world.reason("b")), (TaskState::Skipped, "skipped by ann: why not"));
    assert_eq!((world.state("c"), world.reason("c")), (TaskState::Succeeded, "marked succeeded by ann: why not"));
    world.ask(TaskVerb::Fail, Some(0));
    world.settle().await;
    assert_eq!((world.state("a"), world.running.len()), (TaskState::Failed, 0), "what ran of it is ended");
    assert_eq!(world.outcome().1, Verdict::Failed);
    world.ask(TaskVerb::Skip, Some(3));
    assert_eq!(world.state("d"), TaskState::Skipped, "one of its upstreams was");
}

#[tokio::test]
async fn cancelled_task_ends_and_the_others_go_on() {
    let mut world = World::new(diamond());
    world.settle().await;
    world.finish(world.child("a"), RunState::Succeeded);
    world.settle().await;
    world.ask(TaskVerb::Cancel, Some(1));
    world.settle().await;
    assert_eq!(
        (world.state("b"), world.state("c"), world.state("d")),
        (TaskState::Cancelled, TaskState::Running, TaskState::UpstreamFailed)
    );
    world.finish(world.child("c"), RunState::Succeeded);
    world.settle().await;
    assert_eq!(world.verdict, Some((Verdict::Failed, Some("task b cancelled".into()))));
}

#[tokio::test]
async fn wide_run_is_written_in_steps_of_bounded_size_and_survives_crashes_between_them() {
    let mut tasks = vec![task("root", &[])];
    tasks.extend((0..12_000).map(|number| task(&format!("t{number}"), &[0])));
    let workflow = Workflow { tasks, ..Workflow::default() };
    let mut world = World::new(workflow);
    world.settle().await;
    world.finish(world.child("root"), RunState::Succeeded);
    let mut steps = 0;
    while world.step(true).await {
        steps += 1;
    }
    assert!(steps >= 2, "{steps}");
    assert_eq!(world.running.len(), 12_000);
    assert!(world.started.values().all(|starts| starts.len() == 1));
}

#[tokio::test]
async fn texts_of_a_task_see_how_its_upstreams_ended() {
    let mut workflow = diamond();
    workflow.tasks[3].trigger_rule = TriggerRule::AllDone;
    workflow.tasks[3].job.task = Task::Exec { argv: vec!["${{ needs.b.state }} ${{ params.region }}".into()] };
    let mut world = World::new(workflow);
    world.row.input = Some(r#"{"region": "eu"}"#.into());
    world.play(&mut Dice(5), |name| if name == "b" { RunState::Failed } else { RunState::Succeeded }).await;
    let context = &world.started[&(3, None)][0];
    assert_eq!(
        (context.needs.len(), context.needs["b"].state, &context.params),
        (1, TaskState::Failed, &json!({"region": "eu"}))
    );
    let first = &world.started[&(0, None)][0];
    assert!(first.params.is_null() && first.needs.is_empty(), "what nobody asks for is not carried along");
}

/// An approval, then what needs it.
fn approval(on_timeout: OnTimeout) -> Workflow {
    let approval = Approval {
        prompt: "publish ${{ run.logical_date }}?".into(),
        from: vec!["ann".into()],
        timeout_ms: Some(9),
        on_timeout,
    };
    let asked = TaskDefinition { hold: Some(Hold::Approval(approval)), ..task("ask", &[]) };
    Workflow { tasks: vec![asked, task("publish", &[0])], ..Workflow::default() }
}

#[tokio::test]
async fn approval_waits_until_somebody_decides_who_may() {
    for (verb, state, next) in [
        (TaskVerb::Approve, TaskState::Succeeded, TaskState::Running),
        (TaskVerb::Reject, TaskState::Failed, TaskState::UpstreamFailed),
    ] {
        let mut world = World::new(approval(OnTimeout::Fail));
        world.settle().await;
        assert_eq!(
            (world.state("ask"), world.reason("ask")),
            (TaskState::Running, "publish 1970-01-01T00:00:01.000Z?")
        );
        assert_eq!(world.lines[&(0, None)], (HOLD_LINE.to_owned(), Some(AT + 9)));
        let other = TaskRequest { by: Some("bob".into()), ..request(verb, Some(0)) };
        world.tell(MessageBody::Asked(other));
        world.settle().await;
        assert_eq!(world.state("ask"), TaskState::Running, "bob may not");
        world.live = None;
        world.ask(verb, Some(0));
        world.settle().await;
        assert_eq!((world.state("ask"), world.state("publish")), (state, next));
    }
}

#[tokio::test]
async fn approval_that_nobody_decides_in_time_ends_as_it_says() {
    for (on_timeout, expected) in [
        (OnTimeout::Fail, TaskState::Failed),
        (OnTimeout::Skip, TaskState::Skipped),
        (OnTimeout::Approve, TaskState::Succeeded),
    ] {
        let mut world = World::new(approval(on_timeout));
        world.settle().await;
        world.finish(world.child("ask"), RunState::Skipped);
        world.settle().await;
        assert_eq!((world.state("ask"), world.reason("ask")), (expected, "nobody decided in time"));
    }
}

#[tokio::test]
async fn wait_is_over_when_its_run_expires() {
    let wait = |hold| Workflow {
        tasks: vec![TaskDefinition { hold: Some(hold), ..task("wait", &[]) }],
        ..Workflow::default()
    };
    let six = ClockTime { time: "18:00".into(), timezone: "Europe/Berlin".into() };
    let at_six = six.next(AT).expect("a time");
    for (hold, until) in [
        (Hold::For(500), AT + 500),
        (Hold::Until("${{ run.logical_date }}".into()), AT),
        (Hold::At(six.clone()), at_six),
    ] {
        let mut world = World::new(wait(hold));
        world.settle().await;
        assert_eq!(world.lines[&(0, None)], (HOLD_LINE.to_owned(), Some(until)));
        world.finish(world.child("wait"), RunState::Skipped);
        world.settle().await;
        assert_eq!(world.outcome().1, Verdict::Succeeded);
    }
    let mut world = World::new(wait(Hold::At(ClockTime { timezone: "Mars/Base".into(), ..six })));
    world.settle().await;
    assert!(world.reason("wait").contains("Mars/Base"), "{}", world.reason("wait"));
    let mut world = World::new(wait(Hold::Until("tomorrow".into())));
    world.settle().await;
    assert!(world.reason("wait").contains("is no instant"), "{}", world.reason("wait"));
}
