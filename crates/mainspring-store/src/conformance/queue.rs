//! Claims, releases, and taking over after a restart.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::batch::{ClaimedRun, Placed, Queues};
use mainspring_core::cluster::ShardSet;
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, Origin, RunState, Verdict};
use mainspring_core::{Incarnation, RunId};

use super::kit::{Draft, Kit, NONE, TakeChanges, asked, at};
use crate::{AskedRun, Store};

pub async fn claims_take_the_highest_priority_then_the_oldest_due(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let mut runs = Vec::new();
    for (number, priority, ms) in [(0, 5, 30), (1, i32::MIN, 10), (2, 5, 20), (3, i32::MAX, 90), (4, 5, 25)] {
        let run = AskedRun { priority, ..asked(&job, number, at(ms)) };
        runs.push(run.id);
        kit.store.ask_run(run).await.expect("ask_run");
    }
    let first = kit.claim(2, at(100)).await;
    assert_eq!(ids(&first), [runs[3], runs[2]]);
    assert_eq!(ids(&kit.claim(2, at(101)).await), [runs[4], runs[0]]);
    assert_eq!(ids(&kit.claim(2, at(102)).await), [runs[1]]);
    assert_eq!(kit.claim(2, at(103)).await, []);
}

fn ids(claimed: &[ClaimedRun]) -> Vec<RunId> {
    claimed.iter().map(|claimed| claimed.run).collect()
}

pub async fn claim_says_all_that_a_worker_needs(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    let mut entry = job.entry(0);
    entry.runs[0].due_at = at(1_017);
    kit.fire(at(1_020), vec![entry]).await;
    let run = AskedRun { input: Some("{\"a\": \"ü\"}".into()), priority: 4, ..asked(&job, 7, at(1_500)) };
    kit.store.ask_run(run.clone()).await.expect("ask_run");
    let expected = [
        ClaimedRun {
            run: job.next_run(0),
            job: job.id(),
            job_version: job.job.version,
            trigger: Some(job.row(0).id),
            fire_time: at(1_000),
            due_at: at(1_017),
            attempt: 1,
            input: None,
            queue: Some("default".to_owned()),
        },
        ClaimedRun {
            run: run.id,
            job: job.id(),
            job_version: job.job.version,
            trigger: None,
            fire_time: at(1_500),
            due_at: at(1_500),
            attempt: 1,
            input: run.input,
            queue: Some("default".to_owned()),
        },
    ];
    assert_eq!(kit.claim(10, at(1_600)).await, expected);
    assert_eq!(kit.claim(0, at(1_600)).await, []);
}

pub async fn claim_that_is_repeated_answers_what_it_took(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    for (number, priority) in (0..).zip([4, 6, 5, 4, 6]) {
        let run = AskedRun { priority, ..asked(&job, number, at(100 + number.cast_signed())) };
        kit.store.ask_run(run).await.expect("ask_run");
    }
    let first = kit.batch_id();
    let taken = kit.store.claim(first, &Queues::All, 3, at(1_000)).await.expect("claim");
    assert_eq!(taken.len(), 3);
    assert!(!taken.is_sorted_by_key(|run| run.run), "they come by their priority");
    assert_eq!(
        kit.store.claim(first, &Queues::All, 3, at(1_001)).await.expect("claim"),
        taken,
        "and not the other two"
    );
    assert_eq!(kit.run(taken[0].run).await.claimed_at, Some(at(1_000)), "it is not claimed again");

    let retry = AfterAttempt::RetryAt(at(2_000));
    let ends = vec![
        job.verdict(taken[0].run, Verdict::Succeeded, at(1_100)),
        job.completion(taken[1].run, 1, AttemptOutcome::Failed, retry, at(1_100)),
    ];
    assert_eq!(kit.complete(at(1_100), ends).await.refused, NONE);
    assert_eq!(
        kit.store.claim(first, &Queues::All, 3, at(1_200)).await.expect("claim"),
        taken[2..],
        "the others have gone on"
    );

    kit.store.release_due(at(2_000), 9).await.expect("release_due");
    let rest = kit.claim(9, at(2_001)).await;
    assert_eq!(rest.iter().filter(|run| run.attempt == 2).count(), 1);
    assert_eq!(rest.len(), 3, "the next claim takes what is left");

    let other = Kit::restarted(kit.store.clone(), Incarnation(5)).await;
    assert_eq!(
        other.store.claim(first, &Queues::All, 9, at(3_000)).await.expect("claim"),
        [],
        "they are not its runs any more"
    );
}

pub async fn claim_that_took_nothing_may_take_something_when_repeated(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let id = kit.batch_id();
    assert_eq!(kit.store.claim(id, &Queues::All, 3, at(1_000)).await.expect("claim"), []);
    let (run, _) = kit.ask(&job, 1, at(1_100)).await;
    assert_eq!(ids(&kit.store.claim(id, &Queues::All, 3, at(1_200)).await.expect("claim")), [run]);
}

pub async fn claimed_run_is_completed_like_one_claimed_at_birth(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.entry(0)]).await;
    let run = job.next_run(0);
    let verdict = || job.verdict(run, Verdict::Succeeded, at(1_200));
    assert_eq!(kit.complete(at(1_200), vec![verdict()]).await.refused, [0], "nobody has claimed it");
    kit.claim(1, at(1_100)).await;
    assert_eq!(kit.complete(at(1_200), vec![verdict()]).await.refused, NONE);
    assert_eq!(kit.run(run).await.claimed_at, Some(at(1_100)));
}

pub async fn releases_are_bounded_and_say_when_the_next_is_due(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let draft = ["w", "x", "y", "z"].iter().fold(Draft::new("a"), |draft, name| draft.trigger(name, at(1_000)));
    let job = kit.save(draft).await;
    kit.fire(at(1_000), (0..4).map(|i| job.claimed_entry(i)).collect()).await;
    let retry = |i: usize, ms: i64| {
        job.completion(job.next_run(i), 1, AttemptOutcome::Failed, AfterAttempt::RetryAt(at(ms)), at(1_100))
    };
    kit.complete(at(1_100), vec![retry(0, 4_000), retry(1, 2_000), retry(2, 3_000), retry(3, 9_000)]).await;
    let store = &kit.store;
    for (now, limit, count, next) in [
        (1_999, 9, 0, Some(2_000)),
        (5_000, 1, 1, Some(3_000)),
        (5_000, 9, 2, Some(9_000)),
        (9_000, 0, 0, Some(9_000)),
        (9_000, 9, 1, None),
        (9_999, 9, 0, None),
    ] {
        let released = store.release_due(at(now), limit).await.expect("release_due");
        assert_eq!((released.count, released.next_at), (count, next.map(at)), "at {now}");
    }
}

pub async fn restart_takes_over_running_runs(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("x", at(1_000)).trigger("y", at(1_000)).trigger("z", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0), job.claimed_entry(1), job.entry(2)]).await;
    kit.complete(at(1_100), vec![job.verdict(job.next_run(1), Verdict::Succeeded, at(1_100))]).await;
    let old = kit.batch_id();

    let adopted = kit.store.adopt(Incarnation(1), at(2_000)).await.expect("adopt");
    assert_eq!(adopted.len(), 1, "neither queued nor final ones");
    let lost = &adopted[0].claimed;
    assert_eq!((lost.run, lost.attempt, adopted[0].state), (job.next_run(0), 1, RunState::Running));
    assert_eq!(adopted[0].claimed_at, kit.run(lost.run).await.claimed_at);
    assert!(adopted[0].claimed_at.is_some());
    assert_eq!((lost.trigger, lost.fire_time), (Some(job.row(0).id), at(1_000)));

    let verdict = job.verdict(lost.run, Verdict::Succeeded, at(2_001));
    let late = mainspring_core::batch::CompletionBatch { id: old, at: at(2_001), entries: vec![verdict] };
    let outcome = kit.store.complete(Arc::new(late)).await.expect("complete");
    assert_eq!(outcome.refused, [0], "the process before has lost it");
    kit.incarnation = Incarnation(1);
    let lost_for_good = AfterAttempt::Final(Verdict::Failed);
    let end = job.completion(lost.run, 1, AttemptOutcome::Lost, lost_for_good, at(2_002));
    assert_eq!(kit.complete(at(2_002), vec![end]).await.refused, NONE);
    assert_eq!(kit.run(lost.run).await.reason.as_deref(), Some("lost"));

    let claimed = kit.claim(5, at(2_003)).await;
    assert_eq!(ids(&claimed), [job.next_run(2)], "for the new start");
    assert_eq!(kit.store.adopt(Incarnation(1), at(2_003)).await.expect("adopt"), [], "its own runs are no loss");
    assert_eq!(
        kit.complete(at(2_004), vec![job.verdict(claimed[0].run, Verdict::Failed, at(2_004))]).await.refused,
        NONE
    );
    assert_eq!(kit.store.adopt(Incarnation(2), at(3_000)).await.expect("adopt"), []);
}

pub async fn adopted_run_can_be_tried_again(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    let run = job.next_run(0);
    kit.store.adopt(Incarnation(0), at(2_000)).await.expect("adopt");
    kit.incarnation = Incarnation(0);
    let end = job.completion(run, 1, AttemptOutcome::Lost, AfterAttempt::RetryAt(at(2_000)), at(2_000));
    assert_eq!(kit.complete(at(2_000), vec![end]).await.refused, NONE);
    assert_eq!(kit.store.release_due(at(2_000), 9).await.expect("release_due").count, 1);
    assert_eq!(kit.claim(9, at(2_001)).await[0].attempt, 2);
    let attempts = kit.store.attempts(run).await.expect("attempts");
    let outcomes: Vec<_> = attempts.iter().map(|a| a.outcome).collect();
    assert_eq!(outcomes, [Some(AttemptOutcome::Lost), None]);
}

pub async fn asked_run_waits_in_its_queue_with_its_input(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let run = AskedRun {
        origin: Origin::Rerun,
        input: Some("{\"nul\": \"\\u0000\", \"text\": \"\u{1f552}\"}".into()),
        queue: "night".into(),
        priority: -3,
        rerun_of: Some(RunId::from_bytes([0xff; 16])),
        fire_time: at(70),
        ..asked(&job, u64::MAX, at(77))
    };
    assert_eq!(kit.store.ask_run(run.clone()).await.expect("ask_run").placed, Placed::Queued);
    let info = kit.run(run.id).await;
    assert_eq!((info.state, info.origin, info.priority), (RunState::Queued, Origin::Rerun, -3));
    assert_eq!((info.queue.as_str(), &info.input, info.rerun_of), ("night", &run.input, run.rerun_of));
    assert_eq!((info.fire_time, info.due_at, info.created_at), (at(70), at(77), at(77)));
    assert_eq!((info.trigger, info.trigger_name, info.attempt), (None, None, 0));
    assert_eq!(kit.store.attempts(run.id).await.expect("attempts"), []);
    assert!(
        kit.store.take_changes(kit.incarnation, ShardSet::ALL, 9).await.expect("take_changes").queued,
        "the engine hears of it"
    );
}

pub async fn run_that_is_asked_for_twice_is_known(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let (run, _) = kit.ask(&job, 1, at(10)).await;
    assert_eq!(kit.ask(&job, 1, at(10)).await.1.placed, Placed::Known, "while it is unfinished");
    kit.claim(1, at(11)).await;
    kit.complete(at(12), vec![job.verdict(run, Verdict::Succeeded, at(12))]).await;
    assert_eq!(kit.ask(&job, 1, at(10)).await.1.placed, Placed::Known, "when it is over");
    assert_eq!(kit.all_runs().await.len(), 1);
}

pub async fn run_of_what_is_not_there_cannot_be_asked_for(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let mut other_version = asked(&job, 1, at(1));
    other_version.job_version.0 += 1;
    let mut other_job = asked(&job, 2, at(1));
    other_job.job.0 += 1;
    for run in [other_version, other_job] {
        let error = kit.store.ask_run(run).await.expect_err("it is not there");
        assert!(matches!(error, crate::Error::NotFound { .. }), "{error}");
    }
    assert_eq!(kit.all_runs().await, []);
}

pub async fn asked_run_takes_a_slot_or_waits_for_one(store: Arc<dyn Store>) {
    use mainspring_core::job::Overlap;
    let mut kit = Kit::new(store).await;
    for overlap in [Overlap::Skip, Overlap::Hold, Overlap::QueueOne] {
        let job = kit.save(Draft::new(overlap.as_str()).limit(overlap, 1).trigger("t", at(1_000))).await;
        let (first, placed) = kit.ask(&job, 1, at(1)).await;
        assert_eq!(placed.placed, Placed::Queued, "{overlap}");
        for number in 2..4 {
            assert_eq!(kit.ask(&job, number, at(2)).await.1.placed, Placed::Held, "{overlap}");
        }
        assert_eq!(ids(&kit.claim(9, at(3)).await), [first], "{overlap}");
        let fired = kit.fire(at(1_000), vec![job.entry(0)]).await;
        let expected: &[Placed] = if overlap == Overlap::Hold { &[] } else { &[Placed::Suppressed] };
        assert_eq!(fired.placed, expected, "{overlap}: held runs go first");
    }
}
