//! Which events lead to which messages.

use std::collections::BTreeMap;

use mainspring_schedule::Timestamp;
use proptest::prelude::*;

use super::{Condition, Ended, Event, Notice, Rule, Scope, State, Wants, Why, wants};
use crate::job::{Job, JobKey, Task};

const MINUTE: i64 = 60_000;

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_millis(minutes * MINUTE)
}

fn rule(on: &[Condition]) -> Rule {
    Rule { on: on.to_vec(), channels: vec!["ops".into()], to: Vec::new(), repeat_ms: None, silent_recovery: false }
}

fn ended(run: &str, how: Ended) -> Event {
    Event::Ended { run: run.into(), how }
}

fn started(run: &str, due_at: i64) -> Event {
    Event::Started { run: run.into(), due_at: at(due_at) }
}

fn waits(run: &str, due_at: i64) -> Event {
    Event::Waits { run: run.into(), due_at: at(due_at) }
}

/// An event at a minute, or a look at the time.
type Step = (i64, Option<Event>);

/// What is told at which minute: `9 failed opened 1 b`.
fn told(wants: &Wants, steps: &[Step]) -> Vec<String> {
    let mut state = State::default();
    let notices = steps.iter().flat_map(|(minute, event)| step(&mut state, wants, *minute, event.as_ref(), false));
    notices.map(|notice| line(&notice)).collect()
}

fn step(state: &mut State, wants: &Wants, minute: i64, event: Option<&Event>, is_silenced: bool) -> Vec<Notice> {
    match event {
        Some(event) => state.on(event, at(minute), wants, is_silenced),
        None => state.tick(at(minute), wants, is_silenced),
    }
}

fn line(notice: &Notice) -> String {
    let Notice { condition, why, open, run, at, .. } = notice;
    let (why, run) = (format!("{why:?}").to_lowercase(), run.as_deref().unwrap_or("-"));
    format!("{} {condition} {why} {} {run}", at.as_millis() / MINUTE, open.count)
}

#[test]
fn conditions_are_read_and_shown_alike() {
    for text in ["failed", "failed_in_row 3", "late 10m", "runs_longer 1h", "misfired", "deadline_missed"] {
        assert_eq!(text.parse::<Condition>().map(|it| it.to_string()), Ok(text.to_owned()));
    }
    for bad in ["", "fail", "failed 3", "late", "late soon", "failed_in_row x", "failed_in_row -1"] {
        assert!(bad.parse::<Condition>().is_err(), "{bad}");
    }
}

#[test]
fn one_message_when_it_fails_and_one_when_it_is_well_again() {
    let wants = wants(&[rule(&[Condition::Failed])]);
    let steps = [
        (1, Some(ended("a", Ended::Succeeded))),
        (2, Some(ended("b", Ended::Failed))),
        (3, Some(ended("c", Ended::Failed))),
        (4, Some(ended("d", Ended::Otherwise))),
        (5, Some(ended("e", Ended::Succeeded))),
        (6, Some(ended("f", Ended::Succeeded))),
        (7, Some(ended("g", Ended::Failed))),
    ];
    assert_eq!(told(&wants, &steps), ["2 failed opened 1 b", "5 failed recovered 2 e", "7 failed opened 1 g"]);
}

#[test]
fn failures_in_a_row_are_counted_until_one_run_succeeds() {
    let wants = wants(&[rule(&[Condition::FailedInRow(3)])]);
    let all = |hows: &str| {
        let how = |letter| if letter == 'x' { Ended::Failed } else { Ended::Succeeded };
        let steps = hows.chars().zip(1..).map(|(letter, minute)| (minute, Some(ended("r", how(letter)))));
        told(&wants, &steps.collect::<Vec<_>>())
    };
    assert_eq!(all("xx.xx."), [""; 0]);
    assert_eq!(all("xxxx."), ["3 failed_in_row 3 opened 3 r", "5 failed_in_row 3 recovered 4 r"]);
}

#[test]
fn late_run_is_told_at_its_time_and_over_when_it_starts() {
    let wants = wants(&[rule(&[Condition::Late(10 * MINUTE)])]);
    let steps = [
        (0, Some(waits("a", 0))),
        (9, None),
        (10, None),
        (11, None),
        (25, Some(started("a", 0))),
        (26, Some(started("b", 26))),
        (26, None),
    ];
    assert_eq!(told(&wants, &steps), ["10 late 10m opened 1 a", "25 late 10m recovered 1 a"]);
    let mut state = State::default();
    step(&mut state, &wants, 0, steps[0].1.as_ref(), false);
    assert_eq!(state.next_at(&wants), Some(at(10)));
    step(&mut state, &wants, 10, None, false);
    assert_eq!(state.next_at(&wants), None, "it was told, and is not repeated");
}

#[test]
fn what_nobody_saw_while_it_lasted_is_told_once() {
    let rules = [rule(&[Condition::Late(10 * MINUTE), Condition::RunsLonger(60 * MINUTE)])];
    let steps = [(200, Some(started("a", 0))), (300, Some(ended("a", Ended::Succeeded))), (301, None)];
    assert_eq!(told(&wants(&rules), &steps), ["200 late 10m opened 1 a", "300 runs_longer 1h opened 1 a"]);
}

#[test]
fn runs_that_take_long_are_over_when_the_last_of_them_ends() {
    let wants = wants(&[rule(&[Condition::RunsLonger(60 * MINUTE)])]);
    let steps = [
        (0, Some(started("a", 0))),
        (10, Some(started("b", 10))),
        (60, None),
        (70, None),
        (80, Some(ended("a", Ended::Failed))),
        (90, Some(ended("b", Ended::Failed))),
    ];
    assert_eq!(told(&wants, &steps), ["60 runs_longer 1h opened 1 a", "90 runs_longer 1h recovered 2 b"]);
}

#[test]
fn run_that_rests_is_not_late() {
    let wants = wants(&[rule(&[Condition::Late(10 * MINUTE)])]);
    let steps = [(0, Some(waits("a", 0))), (1, Some(Event::Rests { run: "a".into() })), (60, None)];
    assert_eq!(told(&wants, &steps), [""; 0]);
}

#[test]
fn missed_fire_times_are_told_until_a_run_succeeds() {
    let wants = wants(&[rule(&[Condition::Misfired, Condition::DeadlineMissed])]);
    let steps = [
        (1, Some(Event::Misfired { count: 3 })),
        (2, Some(Event::DeadlineMissed { run: "a".into() })),
        (3, Some(ended("a", Ended::Succeeded))),
    ];
    let expected = [
        "1 misfired opened 3 -",
        "2 deadline_missed opened 1 a",
        "3 misfired recovered 3 a",
        "3 deadline_missed recovered 1 a",
    ];
    assert_eq!(told(&wants, &steps), expected);
}

#[test]
fn reminders_come_while_it_lasts() {
    let wants = wants(&[Rule { repeat_ms: Some(240 * MINUTE), ..rule(&[Condition::Failed]) }]);
    let steps = [
        (0, Some(ended("a", Ended::Failed))),
        (239, Some(ended("b", Ended::Failed))),
        (240, None),
        (241, None),
        (480, None),
        (481, Some(ended("c", Ended::Succeeded))),
        (900, None),
    ];
    let expected =
        ["0 failed opened 1 a", "240 failed reminder 2 b", "480 failed reminder 2 b", "481 failed recovered 2 c"];
    assert_eq!(told(&wants, &steps), expected);
}

#[test]
fn silence_holds_what_begins_and_not_what_was_told() {
    let wants = wants(&[rule(&[Condition::Failed])]);
    let fails = |run: &str| Some(ended(run, Ended::Failed));
    let succeeds = |run: &str| Some(ended(run, Ended::Succeeded));
    let told = |steps: &[(i64, Option<Event>, bool)]| {
        let mut state = State::default();
        let notices =
            steps.iter().flat_map(|(at, event, silent)| step(&mut state, &wants, *at, event.as_ref(), *silent));
        notices.map(|notice| line(&notice)).collect::<Vec<_>>()
    };
    assert_eq!(told(&[(1, fails("a"), true), (2, succeeds("b"), true), (3, None, false)]), [""; 0]);
    let lasts = [(1, fails("a"), true), (2, None, true), (3, None, false), (4, succeeds("b"), false)];
    assert_eq!(told(&lasts), ["3 failed opened 1 a", "4 failed recovered 1 b"]);
    let known = [(1, fails("a"), false), (2, succeeds("b"), true), (3, fails("c"), true)];
    assert_eq!(told(&known), ["1 failed opened 1 a", "2 failed recovered 1 b"]);
}

#[test]
fn rules_that_say_the_same_send_one_message_to_all_they_name() {
    let other = Rule { channels: vec!["ops".into(), "mail".into()], repeat_ms: Some(5), ..rule(&[Condition::Failed]) };
    let silent = Rule { silent_recovery: true, ..other.clone() };
    let joined = wants([&rule(&[Condition::Failed]), &silent]);
    let want = &joined[&Condition::Failed];
    let channels: Vec<_> = want.targets.iter().map(|target| target.channel.as_str()).collect();
    assert_eq!((channels, want.repeat_ms, want.recovered), (vec!["mail", "ops"], Some(5), true));
    assert!(!wants([&silent])[&Condition::Failed].recovered);
}

#[test]
fn what_is_not_wanted_any_more_is_forgotten_in_silence() {
    let mut state = State::default();
    let all = wants(&[rule(&[Condition::Failed, Condition::Late(MINUTE), Condition::RunsLonger(MINUTE)])]);
    for event in [waits("a", 0), started("b", 0), ended("c", Ended::Failed)] {
        state.on(&event, at(0), &all, false);
    }
    assert!(!state.is_default());
    assert_eq!(state.on(&ended("d", Ended::Succeeded), at(1), &Wants::new(), false), []);
    assert!(state.is_default(), "{state:?}");
}

#[test]
fn a_scope_covers_jobs_by_namespace_name_and_labels() {
    let mut job = Job::new(JobKey::new("pay", "roll"), Task::Noop);
    job.labels = BTreeMap::from([("team".into(), "hr".into()), ("tier".into(), "1".into())]);
    let scope = |namespace: &str, name: &str, labels: &[(&str, &str)]| {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Scope { namespace: some(namespace), job: some(name), labels }
    };
    for (scope, covers) in [
        (scope("", "", &[]), true),
        (scope("pay", "roll", &[("team", "hr"), ("tier", "1")]), true),
        (scope("pay", "", &[("team", "it")]), false),
        (scope("", "", &[("team", "hr"), ("zone", "1")]), false),
        (scope("other", "", &[]), false),
        (scope("pay", "rol", &[]), false),
    ] {
        assert_eq!(scope.covers(&job), covers, "{scope:?}");
    }
}

fn events() -> impl Strategy<Value = Vec<(i64, Option<Event>, bool)>> {
    let run = || prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned);
    let how = prop::sample::select(vec![Ended::Succeeded, Ended::Failed, Ended::Otherwise]);
    let event = prop_oneof![
        run().prop_map(|run| Event::Waits { run, due_at: at(0) }),
        run().prop_map(|run| Event::Rests { run }),
        (run(), 0_i64..100).prop_map(|(run, due_at)| Event::Started { run, due_at: at(due_at) }),
        (run(), how).prop_map(|(run, how)| Event::Ended { run, how }),
        (1_u64..9).prop_map(|count| Event::Misfired { count }),
        run().prop_map(|run| Event::DeadlineMissed { run }),
    ];
    let steps =
        prop::collection::vec((0_i64..30, prop::option::weighted(0.8, event), prop::bool::weighted(0.2)), 0..60);
    steps.prop_map(|steps| {
        let mut minute = 0;
        let placed = steps.into_iter().map(|(passed, event, silent)| {
            minute += passed;
            (minute, event, silent)
        });
        placed.collect()
    })
}

fn everything() -> Wants {
    let repeats = Rule { repeat_ms: Some(45 * MINUTE), ..rule(&[Condition::Failed, Condition::Late(20 * MINUTE)]) };
    wants(&[
        repeats,
        rule(&[
            Condition::FailedInRow(2),
            Condition::RunsLonger(30 * MINUTE),
            Condition::Misfired,
            Condition::DeadlineMissed,
        ]),
    ])
}

proptest! {
    /// A process reads events from the last place that was kept, and what it finds is kept with the next place, or not at all.
    #[test]
    fn restarts_and_repeated_events_change_no_message(
        steps in events(),
        pieces in prop::collection::vec((1_usize..7, any::<bool>()), 0..200),
    ) {
        let wants = everything();
        let mut state = State::default();
        let mut expected = Vec::new();
        for (minute, event, silent) in &steps {
            expected.extend(step(&mut state, &wants, *minute, event.as_ref(), *silent));
        }
        let (mut through, mut kept, mut sent) = (0, serde_json::to_string(&State::default()).unwrap(), Vec::new());
        for (length, is_kept) in pieces.into_iter().chain([(steps.len(), true)]) {
            let mut read: State = serde_json::from_str(&kept).unwrap();
            let end = (through + length).min(steps.len());
            let found: Vec<_> = steps[through..end]
                .iter()
                .flat_map(|(minute, event, silent)| step(&mut read, &wants, *minute, event.as_ref(), *silent))
                .collect();
            if is_kept {
                (through, kept) = (end, serde_json::to_string(&read).unwrap());
                sent.extend(found);
            }
        }
        prop_assert_eq!(sent, expected);
    }

    /// Messages of a condition alternate: it begins, is repeated, is over. And nothing is over that was not told.
    #[test]
    fn nothing_is_told_twice_or_ends_untold(steps in events()) {
        let wants = everything();
        let (mut state, mut told) = (State::default(), BTreeMap::new());
        for (minute, event, silent) in &steps {
            for notice in step(&mut state, &wants, *minute, event.as_ref(), *silent) {
                let is_told = told.entry(notice.condition).or_insert(false);
                let is_open = notice.open.told_at.is_some();
                prop_assert!(!silent || notice.why == Why::Recovered);
                match notice.why {
                    Why::Opened => prop_assert!(!*is_told),
                    Why::Reminder | Why::Recovered => prop_assert!(*is_told),
                }
                *is_told = is_open && notice.why != Why::Recovered;
            }
        }
    }

    /// Whoever looks when the state says so finds everything that looks at any other time would find.
    #[test]
    fn nothing_is_found_before_its_time(steps in events(), early in 0_i64..200) {
        let wants = everything();
        let mut state = State::default();
        let mut last = 0;
        for (minute, event, _) in &steps {
            step(&mut state, &wants, *minute, event.as_ref(), false);
            last = *minute;
        }
        state.tick(at(last), &wants, false);
        let look = last + early;
        if state.next_at(&wants).is_none_or(|next| next > at(look)) {
            prop_assert_eq!(state.tick(at(look), &wants, false), []);
        } else {
            let (next, before) = (state.next_at(&wants).unwrap(), state.clone());
            state.tick(next, &wants, false);
            prop_assert_ne!(state, before);
        }
    }
}
