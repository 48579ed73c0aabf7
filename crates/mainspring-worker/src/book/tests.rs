use mainspring_api::{Timestamp, WorkerTask};

use super::*;

const GIVE_UP: u64 = 10_000;

fn holding(run: &str, attempt: u32) -> WorkerHolding {
    WorkerHolding { run: run.to_owned(), attempt }
}

fn given(run: &str, shared: bool) -> WorkerRun {
    WorkerRun {
        run: run.to_owned(),
        attempt: 1,
        namespace: "default".to_owned(),
        job: "job".to_owned(),
        fire_at: Timestamp::from_millis(0),
        due_at: Timestamp::from_millis(0),
        task: WorkerTask::Noop,
        input: serde_json::Value::Null,
        shard: None,
        env: BTreeMap::new(),
        working_dir: None,
        leftovers: Default::default(),
        data: None,
        timeout_ms: None,
        shared,
    }
}

fn runs(given: &[WorkerRun]) -> WorkerOrders {
    WorkerOrders { runs: given.to_vec(), ..WorkerOrders::default() }
}

fn cancel(run: &str) -> WorkerOrders {
    WorkerOrders { cancel: vec![run.to_owned()], ..WorkerOrders::default() }
}

fn end(run: &str, outcome: AttemptState) -> WorkerEnd {
    WorkerEnd::new(run, 1, outcome, Timestamp::from_millis(1))
}

fn names(starts: &[WorkerRun]) -> Vec<&str> {
    starts.iter().map(|run| run.run.as_str()).collect()
}

/// Returns a worker with three slots that joined at 0.
fn terms() -> WorkerTerms {
    WorkerTerms { id: "w".to_owned(), hold_ms: 2_500, idle_hold_ms: Some(15_000), give_up_ms: GIVE_UP, clock: false }
}

fn joined() -> (Book, Life) {
    let mut book = Book::new(3);
    let life = book.joined(&terms(), 0);
    (book, life)
}

#[test]
fn a_poll_names_what_is_held_until_its_end_is_recorded() {
    let (mut book, life) = joined();
    assert_eq!((book.poll().number, book.poll().number), (1, 2));
    let (starts, _) = book.take(runs(&[given("b", false), given("a", true)]), 0, 1);
    assert_eq!(names(&starts), ["b", "a"]);
    let poll = book.poll();
    assert_eq!(
        (poll.free, poll.runs),
        (3, vec![holding("a", 1), holding("b", 1)]),
        "what it was given the server counts"
    );

    let over = book.ended(life, end("a", AttemptState::Succeeded)).unwrap();
    let poll = book.poll();
    assert_eq!(poll.runs.len(), 2, "it is over, and held");
    book.settled(life, [&over]);
    assert_eq!(book.poll().runs, [holding("b", 1)]);
}

#[test]
fn what_is_given_again_is_started_once() {
    let (mut book, life) = joined();
    assert_eq!(names(&book.take(runs(&[given("a", false)]), 0, 1).0), ["a"]);
    assert!(book.take(runs(&[given("a", false)]), 2, 3).0.is_empty(), "it is being executed");
    let over = book.ended(life, end("a", AttemptState::Failed)).unwrap();
    assert!(book.take(runs(&[given("a", false)]), 4, 5).0.is_empty(), "its end is to be reported");
    book.settled(life, [&over]);
    let next = WorkerRun { attempt: 2, ..given("a", false) };
    assert_eq!(names(&book.take(runs(&[next]), 6, 7).0), ["a"], "the next attempt is another");
}

#[test]
fn an_answer_that_was_under_way_too_long_starts_nothing() {
    let (mut book, _) = joined();
    let late = book.take(runs(&[given("a", true)]), 100, 100 + GIVE_UP);
    assert_eq!((names(&late.0), book.poll().runs), (vec![], vec![]), "a machine that slept");
    assert_eq!(names(&book.take(runs(&[given("a", true)]), 100, 99 + GIVE_UP).0), ["a"]);
}

#[test]
fn a_run_is_told_once_to_end_also_by_the_answer_that_gives_it() {
    let (mut book, life) = joined();
    let orders = WorkerOrders { cancel: vec!["a".to_owned(), "unknown".to_owned()], ..runs(&[given("a", false)]) };
    let (starts, ends) = book.take(orders, 0, 1);
    assert_eq!((names(&starts), ends), (vec!["a"], vec![holding("a", 1)]));
    assert_eq!(book.take(cancel("a"), 2, 3).1, []);
    assert_eq!(book.ended(life, end("a", AttemptState::Cancelled)).unwrap().outcome, AttemptState::Cancelled);
    assert_eq!(book.take(cancel("a"), 4, 5).1, [], "it is over");
}

#[test]
fn shared_runs_are_given_up_as_lost_and_the_others_go_on() {
    let (mut book, life) = joined();
    book.take(runs(&[given("kept", false)]), 50, 51);
    assert_eq!(book.gives_up_at(), None, "nobody else may be given it");
    book.take(runs(&[given("shared", true), given("asked", true)]), 100, 101);
    book.take(cancel("asked"), 90, 102);
    assert_eq!(book.gives_up_at(), Some(100 + GIVE_UP), "by the latest request that was answered");
    book.answered(200);
    assert_eq!(book.give_up(199 + GIVE_UP), []);
    assert_eq!(book.give_up(200 + GIVE_UP), [holding("asked", 1), holding("shared", 1)]);
    assert_eq!((book.give_up(300 + GIVE_UP), book.gives_up_at()), (vec![], None));

    let lost = book.ended(life, end("shared", AttemptState::Cancelled)).unwrap();
    assert_eq!((lost.outcome, lost.error_code.as_deref()), (AttemptState::Lost, Some("worker.out_of_reach")));
    let asked = book.ended(life, end("asked", AttemptState::Cancelled)).unwrap();
    assert_eq!(asked.outcome, AttemptState::Cancelled, "somebody asked for that");
}

#[test]
fn a_server_is_waited_for_only_as_long_as_another_can_be_asked() {
    let (mut book, _) = joined();
    book.take(runs(&[given("a", true)]), 0, 0);
    let poll = book.poll();
    assert_eq!(book.patience_ms(&poll, 2_000), GIVE_UP - 3_000);
    book.answered(2_000);
    assert_eq!(book.patience_ms(&poll, 2_000), GIVE_UP - 1_000);
    assert_eq!(book.patience_ms(&poll, 50_000), ANOTHER_MS, "it is too late already");
}

#[test]
fn whoever_has_nothing_to_do_asks_less_often() {
    let (mut book, life) = joined();
    let idle = book.poll();
    assert_eq!((idle.wait_ms, book.hold_ms(&idle), book.patience_ms(&idle, 0)), (Some(15_000), 15_000, 16_000));
    book.take(runs(&[given("a", true)]), 0, 0);
    let busy = book.poll();
    assert_eq!((busy.wait_ms, book.hold_ms(&busy)), (None, 2_500));
    book.ended(life, end("a", AttemptState::Succeeded)).unwrap();
    assert_eq!(book.poll().wait_ms, None, "the end is not recorded yet");
    book.settled(life, &[end("a", AttemptState::Succeeded)]);
    assert_eq!(book.poll().wait_ms, Some(15_000));
    book.take(runs(&[given("b", true)]), 0, 0);
    book.dismissed(life);
    book.joined(&terms(), 0);
    assert_eq!(book.poll().wait_ms, None, "one of an earlier life takes a slot, and its end is to be seen soon");

    let old = WorkerTerms { idle_hold_ms: None, ..terms() };
    let mut book = Book::new(1);
    book.joined(&old, 0);
    assert_eq!(book.poll().wait_ms, None, "the server knows nothing of that");
}

#[test]
fn what_a_question_gave_that_was_held_counts_from_the_answer() {
    let held = |held_ms| WorkerOrders { held_ms: Some(held_ms), ..runs(&[given("a", true)]) };
    let (mut book, _) = joined();
    let (starts, _) = book.take(held(14_000), 0, 14_100);
    assert_eq!((starts.len(), book.gives_up_at()), (1, Some(14_000 + GIVE_UP)));
    let (mut slept, _) = joined();
    let (starts, _) = slept.take(held(14_000), 0, 14_000 + GIVE_UP);
    assert_eq!(starts, [], "the machine slept before it saw the answer");
    let (mut wrong, _) = joined();
    wrong.take(held(60_000), 0, 100);
    assert_eq!(wrong.gives_up_at(), Some(100 + GIVE_UP), "nothing is heard before it happens");
}

#[test]
fn a_run_that_ended_by_itself_while_it_was_given_up_is_no_lost_one() {
    let (mut book, life) = joined();
    book.take(runs(&[given("a", true)]), 0, 1);
    book.give_up(GIVE_UP);
    assert_eq!(book.ended(life, end("a", AttemptState::Succeeded)).unwrap().outcome, AttemptState::Succeeded);
}

#[test]
fn a_worker_that_was_taken_for_dead_reports_nothing_of_that_life() {
    let (mut book, first) = joined();
    book.take(runs(&[given("a", false), given("b", true)]), 0, 1);
    let over = book.ended(first, end("b", AttemptState::Succeeded)).unwrap();
    assert!(book.dismissed(first));
    assert!(!book.dismissed(first), "the same again");
    let second = book.joined(&terms(), 5);
    assert!(!book.dismissed(first), "an answer of then");
    let poll = book.poll();
    assert_eq!((poll.number, poll.free, poll.runs), (1, 2, vec![]), "what still ends takes a slot");

    assert_eq!(names(&book.take(runs(&[given("b", true)]), 5, 6).0), ["b"]);
    book.settled(first, [&over]);
    assert_eq!(book.poll().runs, [holding("b", 1)], "a receipt of then");
    assert_eq!(book.ended(first, end("a", AttemptState::Cancelled)), None);
    assert_eq!((book.poll().free, book.lives(second)), (3, true));
}

#[test]
fn a_question_is_asked_anew_when_it_says_something_wrong() {
    let (mut book, first) = joined();
    book.take(runs(&[given("a", false), given("b", false), given("c", false)]), 0, 1);
    let asked = book.question(first).unwrap();
    book.ended(first, end("a", AttemptState::Succeeded));
    assert!(!book.is_outdated(&asked), "an open question is enough");
    assert!(book.dismissed(first));
    let second = book.joined(&terms(), 5);
    book.take(runs(&[given("d", false)]), 5, 6);
    let full = book.question(second).unwrap();
    assert_eq!((full.poll.free, book.lives(second)), (0, true), "two of then and one of now take all slots");
    book.drain();
    assert!(book.is_outdated(&asked) && !book.is_outdated(&full), "it must not be given anything now");
}

#[test]
fn a_worker_that_earlier_lives_have_full_asks_anew_when_there_is_room() {
    let (mut book, first) = joined();
    book.take(runs(&[given("a", false), given("b", false), given("c", false)]), 0, 1);
    assert!(book.dismissed(first));
    let second = book.joined(&terms(), 5);
    let asked = book.question(second).unwrap();
    assert!(asked.poll.free == 0 && !book.is_outdated(&asked));
    book.ended(first, end("a", AttemptState::Cancelled));
    assert!(book.is_outdated(&asked));
}

#[test]
fn a_draining_worker_takes_nothing_and_is_empty_once_all_is_recorded() {
    let (mut book, life) = joined();
    book.take(runs(&[given("a", false)]), 0, 1);
    book.drain();
    let poll = book.poll();
    assert_eq!((poll.free, poll.runs.len(), book.is_empty()), (0, 1, false));
    assert_eq!(book.cancel_all(), [holding("a", 1)]);
    let over = book.ended(life, end("a", AttemptState::Cancelled)).unwrap();
    assert!(!book.is_empty() && book.busy() == 0);
    let asked = book.question(life).unwrap();
    assert!(!asked.is_last && !book.is_outdated(&asked));
    book.settled(life, [&over]);
    assert!(book.is_empty() && book.is_outdated(&asked), "the last question is to be asked");
}

#[test]
fn what_follows_from_an_answer_and_from_there_being_none() {
    let (mut book, life) = joined();
    let asked = book.question(life).unwrap();
    assert_eq!((asked.poll.wait_ms, asked.is_last), (Some(15_000), false));
    assert!(matches!(book.heard(&asked, Err(Unanswered::Dismissed), 0, 1), Heard::Dismissed));
    assert!(matches!(book.heard(&asked, Err(Unanswered::Trouble), 0, 1), Heard::Nothing));
    assert_eq!(book.question(life).unwrap().poll.wait_ms, Some(0), "what counts now is to be heard soon");
    let Heard::Orders { starts, rest_ms: 150, .. } = book.heard(&asked, Ok(runs(&[])), 100, 150) else {
        panic!("the next question follows after a rest")
    };
    assert!(starts.is_empty() && book.question(life).unwrap().poll.wait_ms == Some(15_000));
    let Heard::Orders { starts, rest_ms: 0, .. } = book.heard(&asked, Ok(runs(&[given("a", false)])), 200, 210) else {
        panic!("the next question follows at once")
    };
    assert_eq!(names(&starts), ["a"]);

    book.drain();
    assert!(!book.question(life).unwrap().is_last, "one run goes on");
    let over = book.ended(life, end("a", AttemptState::Succeeded)).unwrap();
    book.settled(life, [&over]);
    let last = book.question(life).unwrap();
    assert_eq!((last.is_last, last.poll.wait_ms), (true, Some(0)));
    assert!(matches!(book.heard(&last, Err(Unanswered::Trouble), 300, 301), Heard::Left));
    assert!(matches!(book.heard(&last, Ok(runs(&[given("b", false)])), 300, 301), Heard::Orders { .. }));
    assert!(!book.question(life).unwrap().is_last, "an answer that got lost had given it");
}

#[test]
fn a_life_that_a_report_has_heard_to_be_over_is_given_nothing_more() {
    let (mut book, life) = joined();
    let asked = book.question(life).unwrap();
    assert!(book.dismissed(life));
    assert!(book.is_outdated(&asked) && book.question(life).is_none());
    let answer = Ok(runs(&[given("a", false)]));
    assert!(matches!(book.heard(&asked, answer, 0, 1), Heard::Dismissed), "nobody would report its end");
    assert!(book.is_empty());
}
