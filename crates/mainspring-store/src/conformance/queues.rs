//! Queues that are paused, limited or slowed, and what priorities are worth.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::batch::{ClaimedRun, Gap, GapOutcome, GapReason, Queues};
use mainspring_core::job::{Job, JobKey, Task};
use mainspring_core::queue::{LEVEL_MS, QueueRule, Rate};
use mainspring_core::run::Verdict;
use mainspring_core::{BatchId, Incarnation, RunId, Timestamp};

use super::kit::{Draft, Kept, Kit, NONE, asked, at};
use crate::{AskedRun, Error, Expect, Moving, PlaceChange, Placing, QueueMove, QueueRow, Store};

/// Asks for runs in a queue.
async fn ask(kit: &Kit, job: &Kept, numbers: std::ops::Range<u64>, queue: &str) -> Vec<RunId> {
    let mut runs = Vec::new();
    for number in numbers {
        let run = AskedRun { queue: queue.into(), ..asked(job, number, at(1_000 + number.cast_signed())) };
        runs.push(run.id);
        kit.store.ask_run(run).await.expect("ask_run");
    }
    runs
}

/// Claims, and answers which runs.
pub(super) async fn claim(kit: &Kit, queues: &Queues, limit: u32, now: Timestamp) -> Vec<RunId> {
    let claimed = kit.store.claim(kit.batch_id(), queues, limit, now).await.expect("claim");
    claimed.iter().map(|claimed: &ClaimedRun| claimed.run).collect()
}

async fn set(kit: &Kit, name: &str, rule: QueueRule, expect: i64) -> QueueRow {
    kit.store.set_queue(name, rule, expect, at(1_500)).await.expect("set_queue")
}

fn limited(max_running: u32) -> QueueRule {
    QueueRule { max_running: Some(max_running), ..QueueRule::default() }
}

pub async fn nothing_leaves_a_paused_queue(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let (mail, usual) = (ask(&kit, &job, 0..2, "mail").await, ask(&kit, &job, 2..4, "default").await);
    set(&kit, "mail", QueueRule { paused: true, ..QueueRule::default() }, 0).await;
    assert_eq!(claim(&kit, &Queues::named(["mail"]), 9, at(2_000)).await, []);
    assert_eq!(claim(&kit, &Queues::All, 1, at(2_000)).await, usual[..1], "the others go on");
    assert_eq!(claim(&kit, &Queues::named(["mail", "default"]), 9, at(2_001)).await, usual[1..]);
    set(&kit, "mail", QueueRule::default(), 1).await;
    assert_eq!(claim(&kit, &Queues::All, 9, at(2_002)).await, mail);
}

async fn move_queued(kit: &Kit, from: &str, to: &str, which: Moving, limit: u32) -> Vec<RunId> {
    let change = QueueMove { from: from.into(), to: to.into(), which };
    let mut moved = kit.store.move_queued(&change, limit).await.expect("move_queued");
    moved.sort_unstable();
    moved
}

pub async fn runs_that_wait_move_to_another_queue_and_claimed_ones_stay(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, other) = (kit.save(Draft::new("a")).await, kit.save(Draft::new("b")).await);
    let runs = ask(&kit, &job, 0..4, "mail").await;
    let others = ask(&kit, &other, 4..6, "mail#billing~").await;
    let routed = ask(&kit, &other, 6..7, "mail/@north").await;
    let alike = ask(&kit, &job, 7..8, "mailing").await;
    let mail = Queues::named(["mail"]);
    assert_eq!(claim(&kit, &mail, 1, at(2_000)).await, runs[..1]);

    assert_eq!(move_queued(&kit, "mail", "bulk", Moving::Run(runs[0]), 1).await, [], "it has been claimed");
    assert_eq!(move_queued(&kit, "bulk", "mail", Moving::Run(runs[1]), 1).await, [], "it waits elsewhere");
    assert_eq!(move_queued(&kit, "mail", "bulk", Moving::Run(runs[3]), 1).await, runs[3..]);
    assert_eq!(
        move_queued(&kit, "mail", "bulk", Moving::Job(job.job.id), 1).await,
        runs[1..2],
        "what would leave first"
    );
    assert_eq!(move_queued(&kit, "mail", "slow", Moving::Job(other.job.id), 9).await, [&others[..], &routed].concat());
    assert_eq!(move_queued(&kit, "mail", "bulk", Moving::All, 9).await, runs[2..3]);
    assert_eq!(move_queued(&kit, "mail", "bulk", Moving::All, 9).await, []);

    assert_eq!(claim(&kit, &mail, 9, at(2_001)).await, []);
    assert_eq!(claim(&kit, &Queues::named(["bulk"]), 9, at(2_002)).await, runs[1..], "in their old order");
    assert_eq!(claim(&kit, &Queues::named(["slow"]), 9, at(2_003)).await, others, "for one, a worker is to be picked");
    assert_eq!(claim(&kit, &Queues::named(["mailing"]), 9, at(2_004)).await, alike);
    assert_eq!(move_queued(&kit, "slow", "default", Moving::All, 9).await, routed);
}

pub async fn claim_tells_in_which_queue_a_run_has_waited(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    ask(&kit, &job, 0..1, "default").await;
    ask(&kit, &job, 1..2, "mail").await;
    ask(&kit, &job, 2..3, "mail#billing~").await;
    let moved = ask(&kit, &job, 3..4, "mail").await;
    move_queued(&kit, "mail", "bulk", Moving::Run(moved[0]), 1).await;
    let id = BatchId { incarnation: kit.incarnation, sequence: 77 };
    let mut told = Vec::new();
    for _ in 0..2 {
        let claimed = kit.store.claim(id, &Queues::All, 9, at(2_000)).await.expect("claim");
        let mut queues: Vec<_> = claimed.into_iter().map(|run| run.queue.expect("it has waited")).collect();
        queues.sort_unstable();
        told.push(queues);
    }
    assert_eq!(told[0], ["bulk", "default", "mail", "mail"]);
    assert_eq!(told[1], told[0], "a claim that is repeated says the same");
    let held = kit.store.held(kit.incarnation).await.expect("held");
    assert!(held.len() == 4 && held.iter().all(|live| live.claimed.queue.is_none()), "what runs has waited before");
}

pub async fn what_waits_in_a_queue_is_told_line_by_line(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, other) = (kit.save(Draft::new("a")).await, kit.save(Draft::new("b")).await);
    let runs = ask(&kit, &job, 0..3, "mail").await;
    let billing = ask(&kit, &other, 3..5, "mail#billing~").await;
    let routed = ask(&kit, &other, 5..6, "mail/@north").await;
    ask(&kit, &job, 6..7, "mailing").await;
    let first = AskedRun { queue: "mail".into(), priority: 9, ..asked(&job, 8, at(1_900)) };
    kit.store.ask_run(first.clone()).await.expect("ask_run");
    let lines = async |first, max| {
        let lines = kit.store.queue_lines("mail", first, max).await.expect("queue_lines");
        let shown = lines.into_iter().map(|line| (line.line, line.count, line.first.iter().map(|run| run.2).collect()));
        shown.collect::<Vec<(String, u32, Vec<RunId>)>>()
    };
    let line = |line: &str, count, first: &[RunId]| (line.to_owned(), count, first.to_vec());
    let all =
        [line("mail", 4, &[first.id, runs[0]]), line("mail#billing~", 2, &billing), line("mail/@north", 1, &routed)];
    assert_eq!(lines(2, 99).await, all);
    assert_eq!(lines(0, 5).await, [line("mail", 4, &[]), line("mail#billing~", 1, &[])], "counted up to a bound");
    let told = kit.store.queue_lines("mail", 1, 99).await.expect("queue_lines");
    let (place, due_at, _) = told[0].first[0];
    assert_eq!((place, due_at), (mainspring_core::queue::place(9, at(1_900)), at(1_900)));
    claim(&kit, &Queues::named(["mail"]), 9, at(2_000)).await;
    assert_eq!(lines(1, 99).await, [line("mail/@north", 1, &routed)]);
    assert_eq!(kit.store.queue_lines("none", 1, 99).await.expect("queue_lines"), []);
}

pub async fn run_that_waits_goes_first_or_last_in_its_queue(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, other) = (kit.save(Draft::new("a")).await, kit.save(Draft::new("b")).await);
    let runs = ask(&kit, &job, 0..4, "mail").await;
    let slow = ask(&kit, &other, 4..5, "mail#~").await;
    let elsewhere = ask(&kit, &job, 5..6, "mailing").await;
    let place = async |run: RunId, to| kit.store.place_queued("mail", run, to).await.expect("place_queued");
    let mail = Queues::named(["mail"]);

    assert_eq!(place(elsewhere[0], Placing::First).await, None, "it waits in another queue");
    let moved = place(slow[0], Placing::First).await.expect("it waits");
    assert!(moved.after > moved.before, "{moved:?}");
    assert_eq!(
        place(slow[0], Placing::First).await,
        Some(PlaceChange { before: moved.after, after: moved.after }),
        "it is the first already"
    );
    let first = place(runs[2], Placing::First).await.expect("it waits");
    let last = place(runs[0], Placing::Last).await.expect("it waits");
    assert!(last.after < last.before, "{last:?}");
    place(runs[3], Placing::First).await.expect("it waits");
    let back = place(runs[3], Placing::Priority(first.before)).await.expect("it waits");
    assert_eq!(back.after, first.before, "where it stood");
    let mut left = Vec::new();
    for now in 2_000..2_005 {
        left.extend(claim(&kit, &mail, 1, at(now)).await);
    }
    assert_eq!(left, [runs[2], slow[0], runs[1], runs[3], runs[0]]);
    assert_eq!(place(runs[2], Placing::Last).await, None, "it has been claimed");
}

pub async fn runs_that_count_in_a_limit_are_named(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let runs = ask(&kit, &job, 0..3, "mail").await;
    set(&kit, "mail", limited(2), 0).await;
    let holders = async |name, most| kit.store.holders(name, most).await.expect("holders");
    assert_eq!(holders("mail", 9).await, []);
    assert_eq!(claim(&kit, &Queues::named(["mail"]), 9, at(2_000)).await, runs[..2]);
    assert_eq!(holders("mail", 9).await, runs[..2]);
    assert_eq!(holders("mail", 1).await, runs[..1], "no more than were asked for");
    assert_eq!(holders("bulk", 9).await, []);
}

pub async fn limit_of_a_queue_holds_over_all_process_starts(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let runs = ask(&kit, &job, 0..5, "mail").await;
    set(&kit, "mail", limited(2), 0).await;
    let mail = Queues::named(["mail"]);
    assert_eq!(claim(&kit, &Queues::All, 1, at(2_000)).await, runs[..1]);
    let other = Kit::acting(kit.store.clone(), Incarnation(0x0707));
    let elsewhere = BatchId { incarnation: other.incarnation, sequence: 1 };
    let claimed = kit.store.claim(elsewhere, &mail, 9, at(2_001)).await;
    // A process start that never joined takes nothing where nodes share the store.
    let taken = claimed.map_or(0, |claimed| claimed.len());
    let more = claim(&kit, &mail, 9, at(2_002)).await;
    assert_eq!(taken + more.len(), 1, "the limit is reached");
    assert_eq!(claim(&kit, &mail, 9, at(2_003)).await, []);
    let ends = vec![job.verdict(runs[0], Verdict::Succeeded, at(2_100))];
    assert_eq!(kit.complete(at(2_100), ends).await.refused, NONE);
    assert_eq!(claim(&kit, &mail, 9, at(2_200)).await, runs[2..3], "one place is free");
    set(&kit, "mail", QueueRule::default(), 1).await;
    assert_eq!(claim(&kit, &mail, 9, at(2_300)).await, runs[3..]);
}

pub async fn runs_that_run_already_count_in_a_new_limit(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let runs = ask(&kit, &job, 0..4, "default").await;
    assert_eq!(claim(&kit, &Queues::All, 2, at(2_000)).await, runs[..2]);
    set(&kit, "default", limited(3), 0).await;
    set(&kit, "default", limited(2), 1).await;
    assert_eq!(claim(&kit, &Queues::All, 9, at(2_001)).await, []);
    let ends = vec![job.verdict(runs[1], Verdict::Succeeded, at(2_100))];
    assert_eq!(kit.complete(at(2_100), ends).await.refused, NONE);
    assert_eq!(claim(&kit, &Queues::All, 9, at(2_200)).await, runs[2..3]);
}

pub async fn rate_of_a_queue_holds_over_all_claims(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let runs = ask(&kit, &job, 0..5, "mail").await;
    let rate = Some(Rate { count: 120, per_ms: 60_000 });
    set(&kit, "mail", QueueRule { rate, ..QueueRule::default() }, 0).await;
    assert_eq!(claim(&kit, &Queues::All, 9, at(10_000)).await, runs[..2], "what a second allows");
    assert_eq!(claim(&kit, &Queues::named(["mail"]), 9, at(10_499)).await, []);
    assert_eq!(claim(&kit, &Queues::named(["mail"]), 9, at(10_500)).await, runs[2..3]);
    assert_eq!(claim(&kit, &Queues::All, 1, at(60_000)).await, runs[3..4]);
    assert_eq!(claim(&kit, &Queues::All, 9, at(60_000)).await, runs[4..]);
}

pub async fn another_rate_holds_from_its_setting_on(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let runs = ask(&kit, &job, 0..3, "mail").await;
    let rate = |count| QueueRule { rate: Some(Rate { count, per_ms: 86_400_000 }), ..QueueRule::default() };
    set(&kit, "mail", rate(1), 0).await;
    assert_eq!(claim(&kit, &Queues::All, 9, at(10_000)).await, runs[..1]);
    set(&kit, "mail", QueueRule { max_running: Some(9), ..rate(1) }, 1).await;
    assert_eq!(claim(&kit, &Queues::All, 9, at(20_000)).await, [], "the rate is the same");
    set(&kit, "mail", rate(86_400), 2).await;
    assert_eq!(claim(&kit, &Queues::All, 9, at(20_000)).await, runs[1..2], "one a second now, not after a day");
}

pub async fn rule_of_one_queue_leaves_the_order_of_the_others_alone(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let late = ask(&kit, &job, 10..12, "alpha").await;
    let early = ask(&kit, &job, 0..2, "zulu").await;
    set(&kit, "other", QueueRule { paused: true, ..QueueRule::default() }, 0).await;
    assert_eq!(claim(&kit, &Queues::All, 2, at(2_000)).await, early);
    assert_eq!(claim(&kit, &Queues::All, 9, at(2_001)).await, late);
}

pub async fn queue_is_set_as_it_was_seen(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    assert_eq!(kit.store.queues().await.expect("queues"), []);
    let rate = Some(Rate { count: 3, per_ms: 60_000 });
    let b = set(&kit, "b", QueueRule { paused: true, max_running: Some(7), rate, max_waiting: Some(9) }, 0).await;
    let a = set(&kit, "a", limited(1), 0).await;
    assert_eq!((a.revision, b.revision), (1, 1));
    assert_eq!(kit.store.queues().await.expect("queues"), [a, b.clone()]);
    for expect in [0, 2] {
        let refused = kit.store.set_queue("b", QueueRule::default(), expect, at(1_600)).await;
        assert!(matches!(refused, Err(Error::Conflict { what: "queue", .. })), "{refused:?}");
    }
    assert_eq!(kit.store.queues().await.expect("queues")[1], b, "it stays as it was");
    assert_eq!(set(&kit, "b", QueueRule::default(), 1).await.revision, 2);
}

pub async fn runs_that_wait_are_counted_queue_by_queue(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let usual = ask(&kit, &job, 0..3, "default").await;
    for (numbers, queue) in
        [(10..12, "mail"), (12..13, "mail#b"), (13..15, "mail/route"), (15..16, "mail/@w"), (16..17, "mail-2")]
    {
        ask(&kit, &job, numbers, queue).await;
    }
    tenant(&kit, "b", 20..22, "mail.2").await;
    for (queue, max, wanted) in [
        ("default", 9, 3),
        ("mail", 9, 6),
        ("mail", 6, 6),
        ("mail", 4, 4),
        ("mail", 3, 3),
        ("mail", 0, 0),
        ("mail-2", 9, 1),
        ("mail.2", 9, 2),
        ("mai", 9, 0),
        ("mail2", 9, 0),
    ] {
        assert_eq!(kit.store.waiting(queue, max).await.expect("waiting"), wanted, "{queue} up to {max}");
    }
    assert_eq!(claim(&kit, &Queues::named(["default"]), 2, at(2_000)).await, usual[..2]);
    assert_eq!(kit.store.waiting("default", 9).await.expect("waiting"), 1, "what runs does not wait");
    let ends = vec![job.verdict(usual[0], Verdict::Succeeded, at(2_100))];
    assert_eq!(kit.complete(at(2_100), ends).await.refused, NONE);
    assert_eq!(kit.store.waiting("default", 9).await.expect("waiting"), 1);
}

pub async fn fire_of_a_full_queue_is_recorded_without_a_run(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    let mut entry = job.entry(0);
    let first = entry.runs.remove(0).fire_time;
    entry.gaps.push(Gap {
        first,
        last: first,
        count: 1,
        outcome: GapOutcome::Suppressed,
        reason: GapReason::QueueFull,
        policy: "max_waiting".to_owned(),
    });
    assert_eq!(kit.fire(at(2_000), vec![entry]).await.placed, []);
    let gaps = kit.store.gaps(None, 0, 9).await.expect("gaps");
    assert_eq!((gaps[0].gap.outcome, gaps[0].gap.reason), (GapOutcome::Suppressed, GapReason::QueueFull));
    let tally = kit.store.tally().await.expect("tally");
    assert_eq!((tally[0].fired, tally[0].suppressed, tally[0].missed), (0, 1, 0));
}

pub async fn low_priority_does_not_starve(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let mut runs = Vec::new();
    for (number, priority, ms) in [(0, 4, 0), (1, 5, LEVEL_MS - 1), (2, 5, LEVEL_MS + 1), (3, 6, 2 * LEVEL_MS)] {
        let run = AskedRun { priority, ..asked(&job, number, at(ms)) };
        runs.push(run.id);
        kit.store.ask_run(run).await.expect("ask_run");
    }
    let order = [runs[1], runs[0], runs[3], runs[2]];
    assert_eq!(claim(&kit, &Queues::All, 2, at(3 * LEVEL_MS)).await, order[..2]);
    assert_eq!(claim(&kit, &Queues::named(["default"]), 9, at(3 * LEVEL_MS)).await, order[2..]);
}

/// A job of a namespace, and runs of it in a queue.
async fn tenant(kit: &Kit, namespace: &str, numbers: std::ops::Range<u64>, queue: &str) -> (Kept, Vec<RunId>) {
    let mut job = Job::new(JobKey::new(namespace, "a"), Task::Noop);
    job.queue = queue.into();
    let line = job.line();
    let job = kit.save(Draft::of(job)).await;
    let runs = ask(kit, &job, numbers, &line).await;
    (job, runs)
}

pub async fn backlog_of_one_namespace_is_in_the_way_of_no_other(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    for queues in [Queues::named(["mail"]), Queues::All] {
        let noisy = tenant(&kit, "noisy", 0..20, "mail").await;
        let usual = tenant(&kit, "default", 100..103, "mail").await;
        let quiet = tenant(&kit, "quiet", 200..201, "mail").await;
        let info = kit.run(quiet.1[0]).await;
        assert_eq!((info.queue.as_str(), info.worker), ("mail", None), "a line is nobody else's business");
        let first = claim(&kit, &queues, 6, at(2_000)).await;
        let count = |all: &[RunId], (_, runs): &(Kept, Vec<RunId>)| all.iter().filter(|run| runs.contains(run)).count();
        assert_eq!((first.len(), count(&first, &quiet)), (6, 1), "what it has");
        assert!((2..=3).contains(&count(&first, &usual)), "an even share of the rest: {first:?}");
        let all = [first, claim(&kit, &queues, 99, at(2_001)).await].concat();
        for tenant in [noisy, usual, quiet] {
            assert_eq!(count(&all, &tenant), tenant.1.len(), "and the others what is left");
            let (job, runs) = tenant;
            let ends = runs.iter().map(|run| job.verdict(*run, Verdict::Succeeded, at(2_100))).collect();
            assert_eq!(kit.complete(at(2_100), ends).await.refused, NONE);
            let key = &job.job.definition.key;
            kit.store.delete_job(key, Expect::Anything, Vec::new(), at(2_200)).await.expect("delete_job");
        }
    }
}

pub async fn claims_of_one_run_reach_every_namespace(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    tenant(&kit, "noisy", 0..40, "mail").await;
    let (_, quiet) = tenant(&kit, "quiet", 100..101, "default").await;
    let mut claims = 0;
    while claim(&kit, &Queues::All, 1, at(2_000)).await != quiet {
        claims += 1;
        assert!(claims < 20, "its turn never comes");
    }
}

pub async fn rule_of_a_queue_holds_over_all_namespaces(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (a, of_a) = tenant(&kit, "a", 0..3, "mail").await;
    let (_, of_b) = tenant(&kit, "default", 10..13, "mail").await;
    let (_, of_c) = tenant(&kit, "c", 20..21, "other").await;
    set(&kit, "mail", QueueRule { paused: true, ..QueueRule::default() }, 0).await;
    assert_eq!(claim(&kit, &Queues::named(["mail"]), 9, at(2_000)).await, []);
    assert_eq!(claim(&kit, &Queues::All, 9, at(2_000)).await, of_c);
    set(&kit, "mail", limited(2), 1).await;
    let first = claim(&kit, &Queues::named(["mail"]), 9, at(2_100)).await;
    assert_eq!(first.len(), 2);
    assert!(first.contains(&of_a[0]) && first.contains(&of_b[0]), "one of each");
    assert_eq!(claim(&kit, &Queues::All, 9, at(2_101)).await, []);
    let ends = vec![a.verdict(of_a[0], Verdict::Succeeded, at(2_200))];
    assert_eq!(kit.complete(at(2_200), ends).await.refused, NONE);
    assert_eq!(claim(&kit, &Queues::named(["mail"]), 9, at(2_300)).await.len(), 1, "one place is free");
    set(&kit, "mail", QueueRule::default(), 2).await;
    set(&kit, "mail", limited(4), 3).await;
    assert_eq!(claim(&kit, &Queues::All, 9, at(2_400)).await.len(), 2, "those that run count, whosever they are");
}
