//! How many round trips something takes.

use std::sync::Arc;

use mainspring_core::batch::{
    AttemptDetail, Completion, CompletionBatch, FireBatch, FireEntry, Gap, GapOutcome, GapReason, Placed, Rearm,
};
use mainspring_core::job::Overlap;
use mainspring_core::retry::AfterAttempt;
use mainspring_core::routing::{Routing, Strategy};
use mainspring_core::run::Verdict;
use mainspring_core::{Incarnation, Timestamp};
use tokio::runtime::Runtime;

use super::Wire;
use crate::conformance::kit::{Draft, Kept, Kit, advanced, at, new_run};
use crate::conformance::routing;
use crate::row::{Expect, JobDelete};
use crate::store::Store;
use crate::webhook::{NewDelivery, Webhook};

/// Over a slow wire a job with a limit is not later the later it is: its instants travel together. Otherwise it would never catch
/// up where each takes longer than its interval.
pub(crate) fn late_fires_of_a_job_with_a_limit_travel_together(store: Arc<dyn Store>, wire: &Wire) {
    Runtime::new().unwrap().block_on(async {
        let kit = Kit::new(store).await;
        let mut took = Vec::new();
        // The first one tells the server the statements.
        for (name, instants) in [("a", 2_u64), ("b", 2), ("c", 22)] {
            let job = kit.save(Draft::new(name).limit(Overlap::Skip, 1).trigger("t", at(1_000))).await;
            let mut entry = job.entry(0);
            let first = entry.expected;
            entry.runs =
                (0..instants.cast_signed()).map(|n| new_run(entry.trigger, first + n * 1_000, false)).collect();
            let last = entry.runs.last().unwrap().fire_time;
            entry.progress = advanced(&entry.progress, last, Some(last + 1_000));
            let batch = FireBatch { id: kit.batch_id(), at: last, answered: 0, entries: vec![entry] };
            took.push(wire.round_trips(kit.store.fire(Arc::new(batch))).await);
        }
        assert!(took[2] <= took[1], "{took:?}");
        let tally = kit.store.tally().await.unwrap();
        let counts: Vec<_> = tally.iter().map(|tally| (tally.fired, tally.suppressed)).collect();
        assert_eq!(counts, [(1, 1), (1, 1), (1, 21)]);
    });
}

/// A batch with a fire of a job with a limit, beside one of a job without, takes no more round trips than `most`. While it is under way over
/// a slow wire, what comes due waits for the next.
pub(crate) fn fire_under_a_limit_takes_few_round_trips(store: Arc<dyn Store>, wire: &Wire, most: u64) {
    Runtime::new().unwrap().block_on(async {
        let kit = Kit::new(store).await;
        let limited = kit.save(Draft::new("a").limit(Overlap::Skip, 9).trigger("t", at(1_000))).await;
        let jobs = [limited, kit.save(Draft::new("b").trigger("t", at(1_000))).await];
        let mut took = 0;
        // The first ones make the gate, and tell the server the statements.
        for second in 1..5 {
            let due = at(second * 1_000);
            let entry = |job: &Kept| {
                let entry = job.entry(0);
                let runs = vec![new_run(entry.trigger, due, true)];
                let progress = advanced(&entry.progress, due, Some(due + 1_000));
                FireEntry { expected: due, runs, progress, ..entry }
            };
            let entries = jobs.iter().map(entry).collect();
            let batch = Arc::new(FireBatch { id: kit.batch_id(), at: due, answered: 0, entries });
            took = wire.round_trips(kit.store.fire(Arc::clone(&batch))).await;
            assert_eq!(kit.store.fire(batch).await.unwrap().placed, [Placed::Running; 2]);
        }
        assert!(took <= most, "{took} and not {most}");
    });
}

/// What is not like most — under a limit, with instants missed, awaited by its trigger, tried again, followed by a run that was held,
/// with something to keep — takes as many round trips for seventy jobs as for seven: when it fires, is asked for once more, and ends. Otherwise a node
/// that is far from its server, and takes over what was another's, makes all of it late.
pub(crate) fn what_is_not_like_most_travels_together(store: Arc<dyn Store>, wire: &Wire) {
    Runtime::new().unwrap().block_on(async {
        let kit = Kit::new(store).await;
        let mut took = Vec::new();
        // The first ones tell the server the statements.
        for (round, count) in [1, 1, 10].into_iter().enumerate() {
            let (batch, ends) = unusual(&kit, round, count).await;
            let fired = wire.round_trips(kit.store.fire(Arc::clone(&batch))).await;
            let repeated = wire.round_trips(kit.store.fire(Arc::clone(&batch))).await;
            let placed = kit.store.fire(batch).await.unwrap().placed;
            let of = |wanted: Placed| placed.iter().filter(|placed| **placed == wanted).count();
            let found = (of(Placed::Running), of(Placed::Held), of(Placed::Suppressed));
            assert_eq!(found, (KINDS * count, count, count));
            let ended = wire.round_trips(kit.store.complete(Arc::clone(&ends))).await;
            let again = kit.store.complete(ends).await.unwrap();
            assert_eq!((again.refused.len(), again.rearmed.len()), (KINDS * count, 0), "all has ended");
            took.push([fired, repeated, ended]);
        }
        let held = kit.claim(100, at(2_000)).await.len();
        assert_eq!(held, 12, "each that was held has the slot");
        // A long message may be heard in parts: less than one more for each of a kind.
        let mut more = took[2].iter().zip(&took[1]).map(|(ten, one)| ten.saturating_sub(*one));
        assert!(more.all(|more| more < 9), "{took:?}");
    });
}

/// Twenty jobs are deleted in fewer round trips than they are: those who prune thousands of jobs over a slow wire wait for slices, not for jobs.
pub(crate) fn many_jobs_are_deleted_in_few_round_trips(store: Arc<dyn Store>, wire: &Wire) {
    Runtime::new().unwrap().block_on(async {
        let kit = Kit::new(store).await;
        let mut took = Vec::new();
        // The first ones tell the server the statements, over each session.
        for (round, count) in [2, 2, 2, 2, 20].into_iter().enumerate() {
            let mut keys = Vec::new();
            for number in 0..count {
                let name = format!("{round}-{number}");
                keys.push(kit.save(Draft::new(&name).trigger("t", at(1_000))).await.job.definition.key.clone());
            }
            let seen = wire.round_trips(kit.store.priors(&keys)).await;
            let delete = |key| JobDelete { key, expect: Expect::Anything, ends: Vec::new() };
            let deletes = keys.into_iter().map(delete).collect();
            took.push(seen + wire.round_trips(kit.store.delete_jobs(deletes, at(2_000))).await);
        }
        assert!(took[4] < 20, "{took:?}");
        assert_eq!(kit.store.info().await.unwrap().jobs, 0);
    });
}

/// The first batch over a session in place of one that has ended takes few round trips more than others.
/// Else, after the server has come back, it is told each of some fifteen statements by itself before a node with a slow wire fires.
pub(crate) fn first_batch_over_a_new_session_asks_little_more_than_the_next(store: Arc<dyn Store>, wire: &Wire) {
    Runtime::new().unwrap().block_on(async {
        let kit = Kit::new(store).await;
        let mut took = Vec::new();
        for round in 0..4 {
            let (batch, _) = unusual(&kit, round, 1).await;
            let hangs_up = round == 3;
            if hangs_up {
                wire.hang_up();
            }
            let fired = async {
                match kit.store.fire(Arc::clone(&batch)).await {
                    // The one who finds out that a session has ended may be told so.
                    Err(_) if hangs_up => kit.store.fire(batch).await,
                    answer => answer,
                }
            };
            took.push(wire.round_trips(fired).await);
        }
        // It connects and proves who it is; meanwhile others may connect.
        assert!(took[3] < took[2] + 12, "{took:?}");
        // Nor does what is used often now make one batch pay for all that come after it.
        assert!(took[..3].is_sorted_by(|before, after| before >= after), "{took:?}");
    });
}

/// The kinds of what is not like most.
const KINDS: usize = 7;

/// Fires of so many jobs of each kind, and the ends of their runs.
async fn unusual(kit: &Kit, round: usize, count: usize) -> (Arc<FireBatch>, Arc<CompletionBatch>) {
    let draft = |number: usize| {
        let draft = Draft::new(&format!("{round}-{number}")).trigger("t", at(1_000));
        match number % KINDS {
            0 | 1 => draft.limit(Overlap::Skip, 1).0,
            2 => draft.limit(Overlap::QueueAll, 1).0,
            _ => draft.0,
        }
    };
    let saved = kit.save_all((0..count * KINDS).map(draft).collect()).await;
    let (mut entries, mut ends) = (Vec::new(), Vec::new());
    for (number, saved) in saved.iter().enumerate() {
        let job = kit.kept(&saved.job.definition.key).await;
        let (entry, end) = unlike(number % KINDS, &job);
        entries.push(entry);
        ends.push(end);
    }
    (
        Arc::new(FireBatch { id: kit.batch_id(), at: at(2_000), answered: 0, entries }),
        Arc::new(CompletionBatch { id: kit.batch_id(), at: at(2_000), entries: ends }),
    )
}

/// How a job fires that is not like most, and how its run ends.
fn unlike(kind: usize, job: &Kept) -> (FireEntry, Completion) {
    let awaits = matches!(kind, 0 | 3);
    let mut entry = if awaits { job.awaiting_entry(0) } else { job.entry(0) };
    entry.runs[0].claim = true;
    let mut end = job.verdict(job.next_run(0), Verdict::Succeeded, at(2_000));
    let next = Some(at(9_000));
    let rearm = Rearm { trigger: entry.trigger, next_fire_at: next, due_at: next, tzdata: None };
    match kind {
        // It awaits a run that the limit suppresses.
        0 => {
            entry.runs.push(new_run(entry.trigger, at(2_000), true));
            entry.progress.awaiting_run = Some(entry.runs[1].id);
        }
        2 => entry.runs.push(new_run(entry.trigger, at(2_000), true)),
        3 => end.rearm = Some(rearm),
        4 => entry.gaps = vec![missed(at(1), at(999))],
        5 => end.then = AfterAttempt::RetryAt(at(3_000)),
        6 => {
            // What is kept does not make an entry or an end unusual, but takes a place of its own.
            entry.gaps = vec![missed(at(1), at(999))];
            end.detail = Some(Box::new(AttemptDetail { data: Some("{}".into()), ..AttemptDetail::default() }));
        }
        _ => {}
    }
    (entry, end)
}

fn missed(first: Timestamp, last: Timestamp) -> Gap {
    Gap { first, last, count: 2, outcome: GapOutcome::Missed, reason: GapReason::Misfire, policy: "skip".into() }
}

/// A hundred triggers are read in as many round trips as one. Otherwise a node that is far from its server hears late of changes of
/// many.
pub(crate) fn triggers_are_read_together(store: Arc<dyn Store>, wire: &Wire) {
    Runtime::new().unwrap().block_on(async {
        let kit = Kit::new(store).await;
        let drafts = (0..100).map(|number| Draft::new(&number.to_string()).trigger("t", at(1_000)).0);
        kit.save_all(drafts.collect()).await;
        let all: Vec<_> = kit.window(at(1_000), 100).await.iter().map(|row| row.id).collect();
        let mut took = Vec::new();
        // The first ones tell the server the statement.
        for count in [1, 1, 1, 100] {
            took.push(wire.round_trips(kit.store.trigger_rows(&all[..count])).await);
        }
        assert!(took[3] <= took[2], "{took:?}");
        assert_eq!(kit.store.trigger_rows(&all).await.unwrap().len(), 100);
    });
}

/// What has to be known to serve webhooks takes as many round trips for forty of them as for one.
pub(crate) fn look_for_webhooks_costs_the_same_however_many_there_are(store: &dyn Store, wire: &Wire) {
    let runtime = Runtime::new().unwrap();
    let mut costs = Vec::new();
    for number in 0..40 {
        let webhook = Webhook {
            name: format!("w{number}"),
            url: "https://example.com/".into(),
            events: Vec::new(),
            namespace: None,
            job: None,
            secret: "whsec_".into(),
            previous_secret: None,
            noted_through: 0,
            created_at: at(0),
        };
        runtime.block_on(store.add_webhook(webhook)).unwrap();
        let id = runtime.block_on(store.webhooks()).unwrap()[0].id;
        let new = NewDelivery { message: number.to_string(), kind: "run.failed".into(), body: "{}".into() };
        runtime.block_on(store.note_deliveries(id, (0, 0), vec![new], at(number))).unwrap();
        costs.push(runtime.block_on(wire.round_trips(store.webhooks())));
    }
    // A session that is used for the first time is opened, and prepares the statement.
    assert_eq!(costs[..10].iter().min(), costs[30..].iter().min(), "{costs:?}");
}

/// Workers are picked for runs of forty jobs in as many round trips as for runs of four: what is known of all is read at once, and what was
/// decided written at once.
pub(crate) fn workers_are_picked_for_many_runs_at_once(store: Arc<dyn Store>, wire: &Wire) {
    Runtime::new().unwrap().block_on(async {
        let kit = Kit::new(store).await;
        for (id, name) in [(11, "north"), (12, "south")] {
            kit.store.join_worker(routing::info(Incarnation(id), name, "eu", 90, kit.incarnation)).await.unwrap();
        }
        let mut took = Vec::new();
        // The first ones tell the server the statements.
        for (round, count) in [1, 1, 10].into_iter().enumerate() {
            for number in 0..count {
                for strategy in [Strategy::First, Strategy::Round, Strategy::LeastRecentlyUsed, Strategy::BusyOver] {
                    let mut draft = Draft::new(&format!("{round}-{number}-{strategy}"));
                    let definition = Arc::make_mut(&mut draft.0.definition);
                    definition.queue = "mail".into();
                    definition.routing = Routing { strategy, ..Routing::default() };
                    let job = kit.save(draft).await;
                    kit.ask(&job, 1, at(1_000)).await;
                }
            }
            let mut moved = 0;
            let route = kit.store.route(at(2_000), 100);
            took.push(wire.round_trips(async { route.await.map(|routed| moved = routed.moved) }).await);
            assert_eq!(moved, 4 * count, "each has a worker");
        }
        // A long message may be heard in parts.
        assert!(took[2] < took[1] + 9, "{took:?}");
    });
}
