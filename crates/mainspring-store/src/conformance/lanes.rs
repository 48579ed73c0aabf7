//! Lines for runs of jobs that are not known to be short, beside those for runs of jobs that are.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::RunId;
use mainspring_core::batch::{Completion, Queues};
use mainspring_core::lane::{JobLane, Lane};
use mainspring_core::line::Line;
use mainspring_core::queue::QueueRule;
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, Verdict};

use super::kit::{Draft, Kept, Kit, NONE, asked, at};
use super::queues::claim;
use super::webhooks::KEEP;
use crate::{AskedRun, Expect, PurgeRule, Store};

/// Asks for runs in a line, the first due first.
async fn ask(kit: &Kit, job: &Kept, numbers: std::ops::Range<u64>, line: &str) -> Vec<RunId> {
    let mut runs = Vec::new();
    for number in numbers {
        let run = AskedRun { queue: line.into(), ..asked(job, number, at(1_000 + number.cast_signed())) };
        runs.push(run.id);
        kit.store.ask_run(run).await.expect("ask_run");
    }
    runs
}

fn lane(job: &Kept, lane: Lane, line: &str) -> JobLane {
    JobLane { job: job.id(), lane, line: line.into() }
}

pub async fn claims_for_short_jobs_pass_by_what_waits_beside_them(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let slow = ask(&kit, &job, 0..3, &Line::parse("mail").slow().to_string()).await;
    let slow_of_b = ask(&kit, &job, 3..6, &Line::parse("mail#b").slow().to_string()).await;
    let short = ask(&kit, &job, 10..12, "mail").await;
    let short_of_b = ask(&kit, &job, 12..13, "mail#b").await;
    let usual = ask(&kit, &job, 20..21, "default").await;
    let mail = Queues::named(["mail"]);
    let mut taken = claim(&kit, &mail.short(), 9, at(2_000)).await;
    taken.sort_unstable();
    assert_eq!(taken, [short, short_of_b].concat());
    assert_eq!(claim(&kit, &Queues::All.short(), 9, at(2_001)).await, usual);
    assert_eq!(claim(&kit, &Queues::All.short(), 9, at(2_002)).await, []);
    let info = kit.run(slow[0]).await;
    assert_eq!((info.queue.as_str(), info.worker), ("mail", None), "a line is nobody else's business");
    let mut taken = claim(&kit, &mail, 4, at(2_003)).await;
    taken.sort_unstable();
    assert_eq!(taken, [&slow[..2], &slow_of_b[..2]].concat(), "namespaces share these as well");
    let mut taken = claim(&kit, &Queues::All, 9, at(2_004)).await;
    taken.sort_unstable();
    assert_eq!(taken, [&slow[2..], &slow_of_b[2..]].concat());
}

pub async fn of_the_lines_of_a_namespace_the_oldest_run_goes_first(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    for queues in [Queues::named(["mail"]), Queues::All] {
        let mut expected = Vec::new();
        for (number, line) in [(0, "mail"), (1, "mail#~"), (2, "mail#~"), (3, "mail"), (4, "mail#~")] {
            let number = number + if queues == Queues::All { 10 } else { 0 };
            expected.extend(ask(&kit, &job, number..number + 1, line).await);
        }
        for run in expected {
            assert_eq!(claim(&kit, &queues, 1, at(2_000)).await, [run], "{queues:?}");
        }
    }
}

pub async fn namespace_with_runs_beside_its_short_ones_gets_no_larger_share(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    for queues in [Queues::named(["mail"]), Queues::All] {
        let first = if queues == Queues::All { 1_000 } else { 0 };
        ask(&kit, &job, first..first + 20, "mail#a").await;
        ask(&kit, &job, first + 20..first + 40, "mail#a~").await;
        let quiet = ask(&kit, &job, first + 100..first + 120, "mail#b").await;
        let taken = claim(&kit, &queues, 12, at(2_000)).await;
        assert_eq!((taken.len(), taken.iter().filter(|run| quiet.contains(run)).count()), (12, 6), "{queues:?}");
        while !claim(&kit, &queues, 99, at(2_001)).await.is_empty() {}
    }
}

pub async fn rule_of_a_queue_holds_for_what_waits_beside_it(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let slow = ask(&kit, &job, 0..2, "mail#~").await;
    let short = ask(&kit, &job, 10..12, "mail").await;
    let rule = |paused, max_running| QueueRule { paused, max_running, ..QueueRule::default() };
    kit.store.set_queue("mail", rule(true, None), 0, at(1_500)).await.expect("set_queue");
    for queues in [Queues::named(["mail"]), Queues::All, Queues::All.short()] {
        assert_eq!(claim(&kit, &queues, 9, at(2_000)).await, [], "{queues:?}");
    }
    kit.store.set_queue("mail", rule(false, Some(2)), 1, at(1_600)).await.expect("set_queue");
    assert_eq!(claim(&kit, &Queues::All, 1, at(2_100)).await, slow[..1]);
    assert_eq!(claim(&kit, &Queues::All.short(), 9, at(2_101)).await, short[..1]);
    assert_eq!(claim(&kit, &Queues::named(["mail"]), 9, at(2_102)).await, [], "two are executed");
    let ends = vec![job.verdict(slow[0], Verdict::Succeeded, at(2_200))];
    assert_eq!(kit.complete(at(2_200), ends).await.refused, NONE);
    assert_eq!(claim(&kit, &Queues::named(["mail"]), 9, at(2_300)).await, slow[1..]);
}

pub async fn waiting_runs_of_a_job_that_is_short_now_are_moved_in_pages(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, other) = (kit.save(Draft::new("a")).await, kit.save(Draft::new("b")).await);
    let mine = ask(&kit, &job, 0..5, "mail#b~").await;
    let others = ask(&kit, &other, 10..12, "mail#b~").await;
    let change = lane(&job, Lane::Short, "mail#b");
    for (limit, moved) in [(3, 3), (3, 2), (3, 0)] {
        assert_eq!(kit.store.move_runs(&change, limit).await.expect("move_runs"), moved);
    }
    assert_eq!(claim(&kit, &Queues::named(["mail"]).short(), 9, at(2_000)).await, mine);
    assert_eq!(claim(&kit, &Queues::All, 9, at(2_001)).await, others);
}

pub async fn runs_of_a_job_that_is_slow_now_are_moved_whatever_they_do(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, other) = (kit.save(Draft::new("a")).await, kit.save(Draft::new("b")).await);
    let mine = ask(&kit, &job, 0..2, "default").await;
    let of_b = ask(&kit, &job, 2..3, "default#b").await;
    let routed = ask(&kit, &job, 3..4, "default/route").await;
    let others = ask(&kit, &other, 10..11, "default").await;
    assert_eq!(claim(&kit, &Queues::named(["default"]), 1, at(2_000)).await.len(), 1);
    let change = lane(&job, Lane::Slow, "default");
    assert_eq!(kit.store.move_runs(&change, 9).await.expect("move_runs"), 3);
    assert_eq!(kit.store.move_runs(&change, 9).await.expect("move_runs"), 0, "they are where they belong");
    assert_eq!(claim(&kit, &Queues::All.short(), 9, at(2_001)).await, others);
    let running = kit.store.held(kit.incarnation).await.expect("held");
    let tried = running.into_iter().map(|run| run.claimed.run).find(|run| !others.contains(run)).expect("it runs");
    let again = Completion {
        outcome: AttemptOutcome::Failed,
        then: AfterAttempt::RetryAt(at(3_000)),
        ..job.verdict(tried, Verdict::Failed, at(2_100))
    };
    assert_eq!(kit.complete(at(2_100), vec![again]).await.refused, NONE);
    assert_eq!(kit.store.release_due(at(3_000), 9).await.expect("release_due").count, 1);
    assert_eq!(claim(&kit, &Queues::All.short(), 9, at(3_001)).await, [], "its next attempt waits with the others");
    let mut taken = claim(&kit, &Queues::All, 9, at(3_002)).await;
    taken.sort_unstable();
    assert_eq!(taken, [mine, of_b].concat());
    assert_eq!(claim(&kit, &Queues::named(["default/route"]), 9, at(3_003)).await, routed, "whom it waits for stays");
}

pub async fn what_is_known_of_jobs_is_read_from_the_last_change_on(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (a, b) = (kit.save(Draft::new("a")).await, kit.save(Draft::new("b")).await);
    assert_eq!(kit.store.lanes(0, 9).await.expect("lanes"), (vec![], 0));
    let (short, slow) = (lane(&a, Lane::Short, "mail"), lane(&b, Lane::Slow, ""));
    kit.store.set_lanes(vec![short.clone(), slow.clone()]).await.expect("set_lanes");
    let (known, first) = kit.store.lanes(0, 1).await.expect("lanes");
    assert_eq!(known, [short]);
    let (known, second) = kit.store.lanes(first, 9).await.expect("lanes");
    assert_eq!(known, std::slice::from_ref(&slow));
    assert_eq!(kit.store.lanes(second, 9).await.expect("lanes"), (vec![], second));
    let changed = lane(&a, Lane::Slow, "mail");
    kit.store.set_lanes(vec![changed.clone()]).await.expect("set_lanes");
    let (known, third) = kit.store.lanes(second, 9).await.expect("lanes");
    assert_eq!(known, std::slice::from_ref(&changed));
    assert_eq!(kit.store.lanes(0, 9).await.expect("lanes"), (vec![slow.clone(), changed], third), "one each");
    let key = &a.job.definition.key;
    kit.store.delete_job(key, Expect::Anything, Vec::new(), at(2_200)).await.expect("delete_job");
    assert_eq!(kit.store.lanes(0, 9).await.expect("lanes").0, [slow], "its job is gone");
}

pub async fn what_is_noted_of_jobs_after_their_deletion_is_purged_in_slices(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let mut jobs = Vec::new();
    for name in ["a", "b", "c", "d"] {
        jobs.push(kit.save(Draft::new(name)).await);
    }
    for job in &jobs[1..] {
        let key = &job.job.definition.key;
        kit.store.delete_job(key, Expect::Anything, Vec::new(), at(2_000)).await.expect("delete_job");
    }
    // A node has measured runs that ended before, and notes it late.
    let noted: Vec<JobLane> = jobs.iter().map(|job| lane(job, Lane::Slow, "")).collect();
    kit.store.set_lanes(noted.clone()).await.expect("set_lanes");
    for left in [4, 2, 1, 1] {
        let known = kit.store.lanes(0, 9).await.expect("lanes").0;
        assert_eq!((known.len(), &known[..1]), (left, &noted[..1]), "its job is there");
        kit.store.purge(PurgeRule { limit: 2, ..KEEP }).await.expect("purge");
    }
}
