//! What the store refuses for good, and rules that panic.

use super::*;
use crate::batch::{AttemptDetail, CompletionBatch};
use crate::job::RetryPolicy;
use crate::planner::Refusal;
use crate::retry::AfterAttempt;

/// Answers the batches that were kept back by a store that refuses those with an entry at fault; what comes back of that too, until
/// nothing is left.
fn answer_all(world: &mut World, refuses: impl Fn(&FireBatch) -> Option<Refusal>) -> Vec<usize> {
    let mut sizes = Vec::new();
    while !world.kept_back.is_empty() {
        let Command::Fire(batch) = world.kept_back.remove(0) else { panic!("only fires are kept back") };
        sizes.push(batch.entries.len());
        let event = match refuses(&batch) {
            Some(refusal) => Event::FireRefused(batch, refusal),
            None => {
                let outcome = world.record(&batch);
                Event::Fired(batch, outcome)
            }
        };
        world.send(event);
    }
    sizes
}

fn at_fault(ids: &'static [i64]) -> impl Fn(&FireBatch) -> Option<Refusal> {
    move |batch| {
        let found = batch.entries.iter().any(|entry| ids.contains(&entry.trigger.0));
        found.then(|| Refusal::Invalid("value out of range\n".to_owned()))
    }
}

/// A world with triggers that tick, one due at 1,000 ms more than before, whose fires of that instant wait for an answer.
fn ticking(count: i64, settings: Settings) -> World {
    let mut world = World::new(settings);
    (0..count).for_each(|id| world.add(id, every(1_000)));
    world.run_until(999);
    world.keep_back = true;
    world.run_until(1_000);
    world
}

#[test]
fn refused_batch_is_divided_until_the_trigger_at_fault_stands_alone() {
    let mut world = ticking(100, Settings { slots: 1_000, ..Settings::default() });
    let sizes = answer_all(&mut world, at_fault(&[13, 77]));
    assert!(sizes.len() <= 2 * 2 * 7 + 1, "{sizes:?}");
    assert_eq!(
        world.aside,
        [(13, 1, "the store refuses its fires: value out of range ".to_owned()), (77, 1, world.aside[1].2.clone())]
    );
    let mut fired: Vec<i64> = world.fired.iter().filter(|(_, instant)| *instant == 1_000).map(|(id, _)| *id).collect();
    fired.sort_unstable();
    let expected: Vec<i64> = (0..100).filter(|id| ![13, 77].contains(id)).collect();
    assert_eq!(fired, expected, "the others fired, once");
    assert_eq!(world.planner.figures().running, 100 + 98, "slots of what did not fire are free again");
    world.keep_back = false;
    world.run_until(2_000);
    assert_eq!(world.fired.iter().filter(|(_, instant)| *instant == 2_000).count(), 98);
    assert_eq!(world.sent.len(), sizes.len() + 2, "each part has an id of its own");
}

#[test]
fn batch_that_may_have_been_kept_is_repeated_whole_and_divided_only_when_it_is_refused() {
    let mut world = ticking(10, Settings { slots: 1_000, ..Settings::default() });
    let Some(Command::Fire(batch)) = world.kept_back.pop() else { panic!("a batch was sent") };
    world.send(Event::FireFailed(Arc::clone(&batch)));
    world.run_until(1_900);
    let Some(Command::Fire(again)) = world.kept_back.pop() else { panic!("it was repeated") };
    assert_eq!(again, batch);
    world.send(Event::FireRefused(again, Refusal::Invalid("why".into())));
    let sizes: Vec<usize> = world
        .kept_back
        .iter()
        .map(|command| match command {
            Command::Fire(part) => part.entries.len(),
            _ => 0,
        })
        .collect();
    assert_eq!(sizes, [5, 5]);
    world.own(ShardSet::ALL, false);
    answer_all(&mut world, at_fault(&[3, 8]));
    assert!(!world.planner.is_clear(&ShardSet::ALL), "its parts may still be recorded");
    world.own(ShardSet::ALL, true);
    answer_all(&mut world, at_fault(&[3, 8]));
    assert!(world.planner.is_clear(&ShardSet::ALL));
    assert_eq!((world.fired.iter().filter(|(_, instant)| *instant == 1_000).count(), world.aside.len()), (8, 2));
}

#[test]
fn parts_of_a_refused_batch_are_recorded_also_by_a_node_that_drains() {
    let mut world = ticking(100, Settings { slots: 1_000, ..Settings::default() });
    world.send(Event::Drain);
    answer_all(&mut world, at_fault(&[13]));
    assert_eq!(world.fired.len(), 100 + 99);
    world.end_all();
    assert!(world.planner.is_idle() && world.planner.is_clear(&ShardSet::ALL));
}

#[test]
fn batches_get_smaller_while_they_take_too_long_and_grow_again() {
    let mut world = ticking(1_000, Settings { slots: 10_000, batch_max: 500, ..Settings::default() });
    let slow = |batch: &FireBatch| (batch.entries.len() > 100).then_some(Refusal::TooMuch);
    let sizes = answer_all(&mut world, slow);
    assert_eq!((world.fired.len(), world.aside.len()), (2_000, 0));
    assert!(sizes.iter().filter(|size| **size > 100).count() <= 2 + 4 + 8, "{sizes:?}");
    (2..20).for_each(|second| {
        world.run_until(second * 1_000);
        answer_all(&mut world, |_| None);
    });
    world.run_until(20_000);
    let Some(Command::Fire(batch)) = world.kept_back.first() else { panic!("a batch was sent") };
    assert_eq!(batch.entries.len(), 500);
}

#[test]
fn store_that_refuses_everything_costs_few_triggers() {
    let mut world = ticking(50, Settings { slots: 1_000, ..Settings::default() });
    world.add(50, every(1_000));
    answer_all(&mut world, |_| Some(Refusal::Invalid("no such table".into())));
    assert_eq!((world.aside.len(), world.fired.len()), (3, 50), "the rest is tried again");
    world.keep_back = false;
    world.run_until(20_000);
    let late = |id| world.fired.iter().filter(|(trigger, _)| *trigger == id).count();
    let full = (0..50).filter(|id| late(*id) == 21).count();
    assert_eq!(full, 47, "every instant has fired once the store takes them again");
}

fn detail(output: &str) -> Option<Box<AttemptDetail>> {
    let output = Some(output.to_owned());
    Some(Box::new(AttemptDetail { exit_code: Some(3), output, ..AttemptDetail::default() }))
}

/// Ends everything that was started, each with an output of its own, and answers what is to be recorded of it.
fn end_with_output(world: &mut World) -> Vec<Arc<CompletionBatch>> {
    let ends = world.started.drain(..).enumerate().map(|(index, start)| AttemptEnd {
        held_by: None,
        definition: start.definition.clone().expect("fired here"),
        start,
        outcome: AttemptOutcome::Succeeded,
        vetoed: false,
        started_at: None,
        ended_at: at(1_000),
        detail: detail(&index.to_string()),
    });
    let ends = ends.collect();
    completions(world.planner.handle(world.now, Event::Ended(ends)))
}

fn completions(commands: Vec<Command>) -> Vec<Arc<CompletionBatch>> {
    let batches = commands.into_iter().filter_map(|command| match command {
        Command::Complete(batch) => Some(batch),
        _ => None,
    });
    batches.collect()
}

/// The node's clock was set forward by an hour meanwhile; whoever saw the end knows when it was.
#[test]
fn next_attempt_counts_from_the_end_of_the_last_whatever_the_clock_of_the_node_says() {
    let mut world = world();
    world.add(1, rule(Schedule::At, at(500), None));
    world.run_until(1_000);
    let start = world.started.remove(0);
    let mut job = (**start.definition.as_ref().expect("fired here")).clone();
    job.retry = RetryPolicy { count: 1, delay_ms: 2_000, ..RetryPolicy::default() };
    let (definition, ended_at, outcome) = (Arc::new(job), at(800), AttemptOutcome::Failed);
    let end = AttemptEnd {
        definition,
        start,
        outcome,
        vetoed: false,
        started_at: None,
        ended_at,
        detail: None,
        held_by: None,
    };
    let batches = completions(world.planner.handle(at(3_600_000), Event::Ended(vec![end])));
    assert_eq!((batches[0].at, batches[0].entries[0].then), (at(800), AfterAttempt::RetryAt(at(2_800))));
}

#[test]
fn end_that_is_refused_is_recorded_without_what_the_attempt_left_behind() {
    let mut world = world();
    (0..20).for_each(|id| world.add(id, rule(Schedule::At, at(500), None)));
    world.run_until(1_000);
    let mut waiting = end_with_output(&mut world);
    let (mut whole, mut cut) = (0, Vec::new());
    while let Some(batch) = waiting.pop() {
        let bad =
            |end: &crate::batch::Completion| end.detail.as_ref().is_some_and(|d| d.output.as_deref() == Some("7"));
        let event = if batch.entries.iter().any(bad) {
            Event::CompleteRefused(batch, Refusal::Invalid("null character\0".into()))
        } else {
            for end in &batch.entries {
                let detail = end.detail.as_ref().expect("each has one");
                if detail.output.is_some() { whole += 1 } else { cut.push(end.clone()) }
            }
            Event::Completed(batch, CompletionOutcome::default())
        };
        waiting.extend(completions(world.planner.handle(world.now, event)));
    }
    assert_eq!((whole, cut.len()), (19, 1));
    let detail = cut[0].detail.as_ref().expect("it says why");
    assert_eq!(
        (cut[0].outcome, cut[0].then),
        (AttemptOutcome::Succeeded, AfterAttempt::Final(crate::run::Verdict::Succeeded))
    );
    assert_eq!((detail.exit_code, detail.error_code.as_deref()), (Some(3), Some("attempt.detail_refused")));
    assert_eq!(detail.error.as_deref(), Some("the store refused what the attempt left behind: null character "));
    assert!(world.planner.is_idle());
}

#[test]
fn end_that_is_refused_in_any_form_is_tried_now_and_then_and_holds_nobody_up() {
    let mut world = world();
    (0..4).for_each(|id| world.add(id, rule(Schedule::At, at(500 + 500 * id), None)));
    world.run_until(500);
    let refuse = |world: &mut World, batch| {
        completions(world.planner.handle(world.now, Event::CompleteRefused(batch, Refusal::Invalid("why".into()))))
    };
    let first = end_with_output(&mut world).remove(0);
    let second = refuse(&mut world, first).remove(0);
    assert!(refuse(&mut world, second).is_empty());
    assert!(world.planner.is_idle(), "nothing can be done about it now");
    world.run_until(1_000);
    let other = end_with_output(&mut world).remove(0);
    assert_eq!(other.entries.len(), 1, "others are recorded beside it");
    let recorded = Event::Completed(other, CompletionOutcome::default());
    assert!(completions(world.planner.handle(world.now, recorded)).is_empty());
    world.now = at(500 + 5_000);
    assert!(world.planner.next_wakeup() <= world.now);
    let again = completions(world.planner.handle(world.now, Event::Woke)).remove(0);
    assert_eq!(again.entries[0].detail.as_ref().and_then(|detail| detail.output.clone()), None);
}

#[test]
fn answer_to_ends_that_was_lost_frees_slots_all_the_same() {
    let mut world = world();
    let gate = GateRule { overlap: Overlap::Hold, max_active: 1 };
    world.add(1, rule(Schedule::Every { interval_ms: 1_000, repeat_count: None }, at(0), Some(gate)));
    world.run_until(1_500);
    assert_eq!(world.fired, [(1, 0)]);
    let batch = end_with_output(&mut world).remove(0);
    // It is recorded; the connection breaks before the answer.
    world.gates.get_mut(&JobId(1)).expect("it fired").active = 0;
    world.send(Event::CompleteFailed(Arc::clone(&batch)));
    let outcome = CompletionOutcome { refused: vec![0], ..CompletionOutcome::default() };
    world.send(Event::Completed(batch, outcome));
    assert_eq!(world.fired, [(1, 0), (1, 1_000)]);
}

#[test]
fn trigger_whose_evaluation_panics_is_put_aside_and_the_others_go_on() {
    let mut world = world();
    world.add(1, every(1_000));
    let mut broken = every(1_000);
    world.add(2, broken.clone());
    world.run_until(1_500);
    broken.priority = PANICS;
    let row = world.rows.get_mut(&TriggerId(2)).expect("added");
    (row.rule, row.row.version) = (Arc::new(broken), 2);
    world.changed.push(TriggerId(2));
    world.send(Event::Changed);
    world.run_until(30_000);
    let [(2, 2, reason)] = &world.aside[..] else { panic!("{:?}", world.aside) };
    assert_eq!(reason, "its evaluation panicked: a rule that panics");
    assert_eq!(world.fired.iter().filter(|(id, _)| *id == 1).count(), 31);
}

#[test]
fn delay_whose_next_instant_panics_is_put_aside_and_its_run_ends() {
    let mut world = world();
    world.add(1, rule(Schedule::Delay { delay_ms: 1_000 }, at(0), None));
    world.run_until(0);
    let start = world.started.first_mut().expect("it fired");
    let mut broken = (**start.awaited_by.as_ref().expect("a delay")).clone();
    broken.delay_ms = Some(i64::MIN);
    start.awaited_by = Some(Arc::new(broken));
    world.end_all();
    assert_eq!(world.aside.len(), 1, "{:?}", world.aside);
    assert!(world.planner.is_idle());
}

#[test]
fn no_batch_goes_so_far_ahead_that_the_store_forgets_its_answer_to_another() {
    let mut world = World::new(Settings { slots: 100_000, ..Settings::default() });
    (0..2).for_each(|id| world.add(id, every(100)));
    world.keep_back = true;
    world.run_until(0);
    // The answer to the first batch does not come; the others are recorded at once.
    let Some(first) = world.kept_back.pop() else { panic!("a batch was sent") };
    world.rows.insert(
        TriggerId(2),
        Loaded {
            row: TriggerRow { id: TriggerId(2), ..world.rows[&TriggerId(1)].row.clone() },
            ..world.rows[&TriggerId(1)].clone()
        },
    );
    world.changed.push(TriggerId(2));
    world.keep_back = false;
    world.send(Event::Changed);
    world.run_until(120_000);
    let furthest = *world.sent.last().expect("batches were sent");
    assert_eq!(furthest, crate::batch::ANSWERS_KEPT);
    world.kept_back.push(first);
    world.let_go(true);
    world.run_until(120_100);
    assert!(world.sent.last() > Some(&furthest));
}
