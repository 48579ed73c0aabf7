//! Saving, changing and deleting jobs.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::batch::{Gap, GapOutcome, GapReason, Placed, Progress, TriggerStatus};
use mainspring_core::job::{Job, JobKey, Overlap, Task, TriggerDefinition};
use mainspring_core::run::{RunState, Verdict};
use mainspring_core::{JobId, JobVersion, Timestamp, TriggerId, jitter_of};

use super::kit::{Draft, Kept, Kit, NONE, advanced, at, every_second, fresh, update};
use crate::{
    CalendarWrite, Error, Expect, JobPrior, JobQuery, JobUpdate, Saved, Store, TriggerEnd, TriggerQuery, TriggerUpdate,
};

pub async fn saved_job_is_there_with_its_triggers(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let key = JobKey::new("default", "a");
    let nothing = JobPrior { job: None, triggers: vec![], tombstones: vec![] };
    assert_eq!(kit.store.prior(&key).await.expect("prior"), nothing);
    assert_eq!(kit.store.job(&key).await.expect("job"), None);

    let draft = Draft::new("a").trigger("zulu", at(1_000)).trigger("alpha", at(2_000)).edit(|job| {
        job.description = "Übergröße '; DROP TABLE job; -- \u{0}\u{1f552}".into();
        job.labels.insert("team".into(), "ops".into());
        job.input = serde_json::json!({ "n": i64::MIN, "text": "\u{0}" });
        job.timeout_ms = Some(i64::MAX);
    });
    let saved = kit.save_all(vec![draft.0.clone()]).await;
    assert!(saved[0].created);
    let job = &saved[0].job;
    assert_eq!((job.version, job.change, job.paused), (JobVersion(1), 1, false));
    assert_eq!((job.created_at, job.updated_at), (at(0), at(0)));
    assert_eq!(job.definition, draft.0.definition);
    assert_eq!(kit.store.job(&key).await.expect("job").as_ref(), Some(job));
    assert_eq!(*kit.store.definition(job.id, job.version).await.expect("definition"), *draft.0.definition);

    let kept = kit.kept(&key).await;
    assert_eq!(kept.triggers.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), ["zulu", "alpha"]);
    for (index, (trigger, next)) in kept.triggers.iter().zip([1_000, 2_000]).enumerate() {
        let row = &trigger.row;
        assert_eq!((row.job, row.job_version, row.index as usize), (job.id, job.version, index));
        assert_eq!((row.paused, trigger.own_pause, row.progress), (false, false, fresh(Some(at(next)))));
    }
    let rows = kit.store.trigger_rows(&[kept.row(1).id, TriggerId(i64::MAX), kept.row(0).id]).await.expect("rows");
    assert_eq!(rows.len(), 2, "what is not there is left out");
    assert!(rows.contains(kept.row(0)) && rows.contains(kept.row(1)));
}

pub async fn due_times_are_made_from_jitter(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let mut definition = TriggerDefinition::new("t", every_second());
    definition.jitter_ms = 86_400_000;
    let job = kit.save(Draft::new("a").trigger_with(definition, Some(at(1_000)))).await;
    let row = job.row(0);
    let due = at(1_000) + jitter_of(row.id, at(1_000), 86_400_000);
    assert_eq!((row.progress.next_fire_at, row.progress.due_at), (Some(at(1_000)), Some(due)));
    assert_eq!(kit.window(due - 1, 9).await, [], "it is in the window at its due time");
    assert_eq!(kit.window(due, 9).await, std::slice::from_ref(row));
}

pub async fn save_counts_changes_and_versions(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let first = kit.save(Draft::new("a").trigger("x", at(1_000)).trigger("y", at(1_000))).await;
    kit.changed_triggers().await;
    let event = kit.store.last_event().await.expect("last_event");
    let same = kit.save_all(vec![Draft::from_kept(&first).0]).await;
    assert_eq!((&same[0].job, same[0].created), (&first.job, false), "the same again changes nothing");
    assert_eq!(kit.again(&first).await.triggers, first.triggers);
    assert_eq!(kit.changed_triggers().await, []);
    assert_eq!(kit.store.last_event().await.expect("last_event"), event);

    let paused = kit.save(Draft::from_kept(&first).with(|w| w.triggers[1].paused = true)).await;
    assert_eq!((paused.job.change, paused.job.version), (2, JobVersion(1)), "the definition is the same");
    assert_eq!((paused.job.updated_at, paused.job.created_at), (at(1), at(0)));
    assert_eq!((paused.triggers[1].own_pause, paused.row(1).paused, paused.row(0).paused), (true, true, false));
    assert_eq!(kit.changed_triggers().await, [first.row(0).id, first.row(1).id]);

    let edited = kit.save(Draft::from_kept(&paused).edit(|job| job.priority = 9)).await;
    assert_eq!((edited.job.change, edited.job.version), (3, JobVersion(2)));
    for index in 0..2 {
        let (before, after) = (first.row(index), edited.row(index));
        assert_eq!((after.id, after.job_version, after.progress), (before.id, JobVersion(2), before.progress));
        assert!(after.version > paused.row(index).version && paused.row(index).version > before.version);
    }
}

pub async fn save_expects_what_is_there(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let there = kit.save(Draft::new("there")).await;
    for (name, expect, refused) in [
        ("there", Expect::Absent, true),
        ("there", Expect::Change(2), true),
        ("there", Expect::Change(i64::MIN), true),
        ("gone", Expect::Change(1), true),
        ("new", Expect::Absent, false),
        ("there", Expect::Change(1), false),
    ] {
        let write = Draft::new(name).with(|w| w.expect = expect).edit(|job| job.description = "new".into()).0;
        let answer = kit.store.save_jobs(vec![write]).await;
        assert_eq!(answer.is_err(), refused, "{name} {expect:?}");
        assert!(answer.is_ok() || matches!(answer, Err(Error::Conflict { what: "job", .. })), "{answer:?}");
    }
    assert_eq!(kit.again(&there).await.job.change, 2);
}

pub async fn saves_happen_all_or_none(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let there = kit.save(Draft::new("there").trigger("t", at(1_000))).await;
    let event = kit.store.last_event().await.expect("last_event");
    kit.changed_triggers().await;
    let other = Draft::of(Job::new(JobKey::new("elsewhere", "b"), Task::Noop)).trigger("t", at(5));
    let edit = Draft::from_kept(&there).edit(|job| job.priority = 9);
    let bad = Draft::new("there").with(|w| w.expect = Expect::Absent);
    for last in [bad, edit.clone()] {
        let writes = vec![other.0.clone(), edit.0.clone(), last.0];
        let error = kit.store.save_jobs(writes).await.expect_err("the last one is refused");
        assert!(matches!(error, Error::Conflict { .. }), "{error}");
    }
    assert_eq!(kit.again(&there).await.job, there.job);
    assert_eq!(kit.store.job(&other.0.definition.key).await.expect("job"), None);
    assert_eq!(kit.store.namespaces(None, 9).await.expect("namespaces").len(), 1);
    assert_eq!((kit.changed_triggers().await, kit.store.last_event().await.expect("last_event")), (vec![], event));
}

/// Jobs of many kinds: with labels, limits, pauses, calendars, without triggers and with several.
fn many(namespace: &str, round: u32) -> Vec<Draft> {
    let draft = |number: u32| {
        let mut draft = Draft::of(Job::new(JobKey::new(namespace, format!("jöb \"{number}\"")), Task::Noop));
        for index in 0..(number + round) % 4 {
            let mut trigger = TriggerDefinition::new(format!("t{index}"), every_second());
            trigger.calendar = (number.is_multiple_of(5)).then(|| "days".to_owned());
            trigger.jitter_ms = 50 * i64::from(index);
            trigger.paused = number.is_multiple_of(7);
            draft = draft.trigger_with(trigger, (index < 2).then(|| at(1_000 + i64::from(number))));
        }
        if number.is_multiple_of(3) {
            draft = draft.limit(Overlap::Skip, 1 + round);
        }
        draft.0.paused = number % 11 == 10;
        draft.0.at = at(i64::from(number));
        draft.edit(|job| {
            job.priority = if number.is_multiple_of(2) { 5 + round.cast_signed() } else { 5 };
            job.labels = (0..number % 3).map(|label| (format!("l{label}"), format!("v{round}\n"))).collect();
        })
    };
    (0..30 + round * 5).map(draft).collect()
}

pub async fn many_jobs_are_saved_as_one_by_one(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    for namespace in ["one", "many"] {
        let days = CalendarWrite::new(namespace, "days", "{}", Expect::Anything, at(0));
        kit.store.save_calendar(days).await.expect("save_calendar");
    }
    // In the second round a third of the jobs are as they were, some are new, and one continues tombstones.
    for round in 0..2 {
        let mut saved = Vec::new();
        for draft in many("one", round) {
            saved.extend(kit.save_all(vec![draft.0]).await);
        }
        let together = kit.save_all(many("many", round).into_iter().map(|draft| draft.0).collect()).await;
        assert_eq!(saved.len(), together.len());
        for (one, other) in saved.iter().zip(&together) {
            let of = |saved: &Saved| (saved.created, saved.job.version, saved.job.change, saved.job.updated_at);
            assert_eq!(of(one), of(other), "{}", one.job.definition.key);
            let (one, other) = (kit.kept(&one.job.definition.key).await, kit.kept(&other.job.definition.key).await);
            assert_eq!(shown(&one), shown(&other));
            assert_eq!(one.job.definition.labels, other.job.definition.labels);
        }
        let query = |namespace: &str| JobQuery {
            namespace: Some(namespace.to_owned()),
            label: Some(("l1".to_owned(), format!("v{round}\n"))),
            limit: 100,
            ..JobQuery::default()
        };
        let found = async |namespace| kit.store.jobs(query(namespace)).await.expect("jobs").len();
        assert_eq!(found("one").await, found("many").await);
        let changed = kit.changed_triggers().await;
        let of = |kept: &Kept| kept.triggers.iter().filter(|t| changed.contains(&t.row.id)).count();
        for number in 0..30 {
            let kept = async |namespace: &str| kit.kept(&JobKey::new(namespace, format!("jöb \"{number}\""))).await;
            assert_eq!(of(&kept("one").await), of(&kept("many").await), "the engine hears of the same");
        }
        let again = JobKey::new("many", "jöb \"2\"");
        kit.store.delete_job(&again, Expect::Anything, Vec::new(), at(9_000)).await.expect("delete_job");
        kit.store
            .delete_job(&JobKey::new("one", again.name), Expect::Anything, Vec::new(), at(9_000))
            .await
            .expect("delete_job");
    }
    let events = kit.store.events(0, 1_000).await.expect("events");
    let count = |namespace: &str| {
        let key = format!("\"{namespace}/");
        events.iter().filter(|event| event.kind == "job" && event.payload.contains(&key)).count()
    };
    assert_eq!(count("one"), count("many"));

    let limited = kit.kept(&JobKey::new("many", "jöb \"6\"")).await;
    assert_eq!(
        kit.fire(at(2_000), vec![limited.entry(0), limited.entry(1)]).await.placed,
        [Placed::Queued, Placed::Queued]
    );
}

/// A job without what tells it from another one of the same definition.
fn shown(kept: &Kept) -> String {
    let triggers = kept.triggers.iter().map(|trigger| {
        let row = &trigger.row;
        let place = (row.index, row.job_version, row.version, row.paused, trigger.own_pause);
        let mut progress = row.progress;
        // Jitter goes by the trigger's id.
        progress.due_at = None;
        (trigger.name.clone(), place, progress)
    });
    format!("{:?} {} {:?}", kept.job.version, kept.job.paused, triggers.collect::<Vec<_>>())
}

pub async fn save_loses_against_a_fire_in_between(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    let edit = Draft::from_kept(&job).edit(|job| job.priority = 9);
    kit.fire(at(1_000), vec![job.entry(0)]).await;
    let error = kit.store.save_jobs(vec![edit.0]).await.expect_err("the trigger has fired");
    assert!(matches!(error, Error::Conflict { what: "trigger", .. }), "{error}");
    let now = kit.again(&job).await;
    assert_eq!(now.job.change, 1);
    kit.save(Draft::from_kept(&now).edit(|job| job.priority = 9)).await;
    assert_eq!(kit.fire(at(2_000), vec![now.entry(0)]).await.stale, [0], "and a fire loses against a save");
}

pub async fn trigger_made_again_continues_from_its_tombstone(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000)).trigger("u", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    let (run, id) = (job.next_run(0), job.row(0).id);
    kit.changed_triggers().await;
    let without = kit.save(Draft::new("a").trigger("u", at(1_000))).await;
    assert_eq!(without.triggers.len(), 1);
    assert_eq!(kit.changed_triggers().await, [id, job.row(1).id], "deleted ones are noted as well");
    assert_eq!(kit.store.trigger_rows(&[id]).await.expect("rows"), []);
    assert_eq!(kit.run(run).await.trigger_name.as_deref(), Some("t"), "the tombstone knows it");
    let stones = kit.store.prior(&job.job.definition.key).await.expect("prior").tombstones;
    assert_eq!(stones.len(), 1);
    assert_eq!((stones[0].name.as_str(), stones[0].id, stones[0].fired_through), ("t", id, Some(at(1_000))));

    let blind = Draft::from_kept(&without).trigger("t", at(1_000));
    let error = kit.store.save_jobs(vec![blind.0.clone()]).await.expect_err("it has fired through 1,000");
    assert!(matches!(error, Error::Conflict { what: "trigger", .. }), "{error}");
    let again = kit.save(blind.with(|w| w.triggers[1].expected_fired_through = Some(at(1_000)))).await;
    assert_eq!((again.row(1).id, again.row(1).progress.fired_through), (id, Some(at(1_000))));
    assert!(again.row(1).version > job.row(0).version, "versions do not come back");
    assert_eq!(kit.fire(at(1_000), vec![job.entry(0)]).await.stale, [0], "what was loaded before is stale");
    assert_eq!(kit.store.prior(&job.job.definition.key).await.expect("prior").tombstones, []);
    let outcome = kit.fire(at(1_000), vec![again.entry(1)]).await;
    assert_eq!(outcome.placed, [mainspring_core::batch::Placed::Known], "its runs are known");
}

pub async fn deleted_job_leaves_tombstones_and_cancels_what_waits(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let draft = Draft::new("a").limit(Overlap::Skip, 2).trigger("x", at(1_000)).trigger("y", at(1_000));
    let job = kit.save(draft).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0), job.entry(1)]).await;
    let (running, queued) = (job.next_run(0), job.next_run(1));
    let (held, _) = kit.ask(&job, 1, at(1_100)).await;
    kit.changed_triggers().await;
    let key = &job.job.definition.key;
    for (expect, there) in [(Expect::Change(2), true), (Expect::Absent, true)] {
        let error =
            kit.store.delete_job(key, expect, Vec::new(), at(2_000)).await.expect_err("it expects something else");
        assert_eq!(matches!(error, Error::Conflict { what: "job", .. }), there, "{error}");
    }
    kit.store.delete_job(key, Expect::Change(1), Vec::new(), at(2_000)).await.expect("delete_job");

    assert_eq!(kit.store.job(key).await.expect("job"), None);
    let prior = kit.store.prior(key).await.expect("prior");
    assert_eq!((prior.job, prior.triggers.len(), prior.tombstones.len()), (None, 0, 2));
    assert_eq!(kit.changed_triggers().await, [job.row(0).id, job.row(1).id]);
    assert_eq!(kit.window(at(90_000), 9).await, []);
    for run in [queued, held] {
        let info = kit.run(run).await;
        assert_eq!((info.state, info.reason.as_deref()), (RunState::Cancelled, Some("job deleted")));
        assert_eq!((info.ended_at, &info.key), (Some(at(2_000)), key), "its key is kept");
    }
    assert_eq!(kit.claim(9, at(2_001)).await, []);
    assert_eq!(kit.run(running).await.state, RunState::Running);
    assert!(kit.store.definition(job.id(), job.job.version).await.is_ok(), "the running run refers to it");
    let end = job.verdict(running, Verdict::Succeeded, at(3_000));
    assert_eq!(kit.complete(at(3_000), vec![end]).await.refused, NONE);
    assert_eq!(kit.run(running).await.state, RunState::Succeeded);

    let error = kit.store.delete_job(key, Expect::Anything, Vec::new(), at(4_000)).await.expect_err("it is gone");
    assert!(matches!(error, Error::NotFound { what: "job", .. }), "{error}");
    let fired = Some(at(1_000));
    let draft = Draft::new("a").trigger("x", at(9_000)).with(|w| w.triggers[0].expected_fired_through = fired);
    let again = kit.save(draft).await;
    assert_eq!(again.row(0).id, job.row(0).id, "the trigger goes on");
    assert_ne!(again.id(), job.id(), "the job does not");
}

pub async fn pause_of_a_job_reaches_its_triggers(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("x", at(1_000)).trigger("y", at(2_000))).await;
    kit.changed_triggers().await;
    let row = kit.pause_job(&job, true, at(500)).await;
    assert_eq!((row.change, row.version, row.paused, row.updated_at), (2, JobVersion(1), true, at(500)));
    let paused = kit.again(&job).await;
    for (before, after) in job.triggers.iter().zip(&paused.triggers) {
        assert!(after.row.paused && !after.own_pause && after.row.version > before.row.version);
    }
    assert_eq!(kit.window(at(9_000), 9).await, []);
    assert_eq!(kit.changed_triggers().await, [job.row(0).id, job.row(1).id]);
    assert_eq!(kit.fire(at(1_000), vec![job.entry(0), paused.entry(1)]).await.stale, [0, 1]);
    kit.pause_job(&paused, false, at(600)).await;
    assert_eq!(kit.window(at(9_000), 9).await.len(), 2);
    assert_eq!(kit.fire(at(1_000), vec![job.entry(0)]).await.stale, [0], "the version from before the pause");
    let resumed = kit.again(&job).await;
    assert_eq!(kit.fire(at(1_000), vec![resumed.entry(0)]).await.placed.len(), 1);
}

pub async fn update_of_a_trigger_sets_its_progress_and_records_what_passed(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("x", at(1_000)).trigger("y", at(1_000))).await;
    let gap = Gap {
        first: at(1_000),
        last: at(4_000),
        count: 4,
        outcome: GapOutcome::Missed,
        reason: GapReason::Paused,
        policy: "do_nothing".into(),
    };
    let mut progress = fresh(Some(at(5_000)));
    progress.due_at = Some(at(5_321));
    progress.fired_through = Some(at(4_000));
    let trigger = TriggerUpdate {
        id: job.row(0).id,
        expected_next: Some(at(1_000)),
        paused: None,
        progress: Some(progress),
        gap: Some(gap.clone()),
        reanchor: None,
    };
    kit.changed_triggers().await;
    let change = JobUpdate { triggers: vec![trigger.clone()], ..update(&job, at(4_500)) };
    kit.store.update_job(change.clone()).await.expect("update_job");
    let after = kit.again(&job).await;
    assert_eq!((after.row(0).progress, after.row(0).version > job.row(0).version), (progress, true));
    assert_eq!(after.row(1), job.row(1), "the other one stays");
    assert_eq!(kit.changed_triggers().await, [job.row(0).id]);
    let gaps = kit.store.gaps(Some(job.row(0).id), 0, 9).await.expect("gaps");
    assert_eq!((gaps.len(), &gaps[0].gap, gaps[0].at), (1, &gap, at(4_500)));
    assert_eq!(kit.window(at(5_321), 9).await.len(), 2);
    assert_eq!(kit.window(at(5_320), 9).await.len(), 1, "due_at is taken as given");

    let pause =
        TriggerUpdate { paused: Some(true), progress: None, gap: None, expected_next: Some(at(5_000)), ..trigger };
    let change = JobUpdate { triggers: vec![pause], ..update(&after, at(4_600)) };
    kit.store.update_job(change).await.expect("update_job");
    let after = kit.again(&job).await;
    assert_eq!((after.triggers[0].own_pause, after.row(0).paused, after.row(1).paused), (true, true, false));
    assert_eq!((after.job.change, after.job.paused), (3, false));
    assert_eq!(kit.fire(at(5_321), vec![after.entry(0)]).await.stale, [0]);
}

/// Two seconds that passed.
fn passed(reason: GapReason) -> Gap {
    let (first, last) = (at(1_000), at(2_000));
    Gap { first, last, count: 2, outcome: GapOutcome::Missed, reason, policy: "edit".into() }
}

/// The triggers of what has been recorded as missed, and when it was.
async fn missed(kit: &Kit) -> Vec<(TriggerId, Timestamp, Gap)> {
    let gaps = kit.store.gaps(None, 0, 9).await.expect("gaps");
    gaps.into_iter().map(|row| (row.trigger, row.at, row.gap)).collect()
}

pub async fn save_records_what_passed_before_it(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000)).trigger("u", at(1_000))).await;
    let edit = Draft::from_kept(&job).edit(|job| job.description = "new".into()).with(|write| {
        let (first, second) = write.triggers.split_at_mut(1);
        for trigger in [&mut first[0], &mut second[0]] {
            trigger.gap = Some(passed(GapReason::Changed));
            trigger.progress = Progress { fired_through: Some(at(2_000)), ..fresh(Some(at(3_000))) };
        }
        second[0].expected_fired_through = Some(at(500));
    });
    let late = kit.store.save_jobs(vec![edit.0.clone()]).await.expect_err("the second trigger stands elsewhere");
    assert!(matches!(late, Error::Conflict { what: "trigger", .. }), "{late:?}");
    assert_eq!(missed(&kit).await, [], "and nothing is recorded of the first");
    kit.save_all(vec![edit.with(|write| write.triggers[1].expected_fired_through = None).0]).await;
    let record = |index: usize| (job.row(index).id, at(1), passed(GapReason::Changed));
    assert_eq!(missed(&kit).await, [record(0), record(1)]);
    let tally = kit.store.tally().await.expect("tally");
    assert_eq!(tally.iter().map(|tally| tally.missed).collect::<Vec<_>>(), [2, 2]);
}

pub async fn deletion_records_what_passed_before_it(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000)).trigger("u", at(1_000))).await;
    let key = &job.job.definition.key;
    let end = |index: usize| TriggerEnd {
        id: job.row(index).id,
        expected_fired_through: None,
        gap: passed(GapReason::Deleted),
    };
    let moved = TriggerEnd { expected_fired_through: Some(at(1)), ..end(1) };
    let without = |ends| {
        Draft::from_kept(&job).edit(|job| _ = job.triggers.pop()).with(|write| {
            write.triggers.pop();
            write.ends = ends;
        })
    };
    for result in [
        kit.store.save_jobs(vec![without(vec![moved.clone()]).0]).await.map(|_| ()),
        kit.store.delete_job(key, Expect::Anything, vec![end(0), moved], at(5)).await,
    ] {
        assert!(matches!(result, Err(Error::Conflict { what: "trigger", .. })), "{result:?}");
    }
    assert_eq!(missed(&kit).await, []);
    kit.save_all(vec![without(vec![end(1)]).0]).await;
    kit.store.delete_job(key, Expect::Anything, vec![end(0)], at(5)).await.expect("delete_job");
    let record = |index: usize, ms| (job.row(index).id, at(ms), passed(GapReason::Deleted));
    assert_eq!(missed(&kit).await, [record(1, 1), record(0, 5)], "it stays when the job is gone");
    let stones = kit.store.prior(key).await.expect("prior").tombstones;
    assert_eq!(stones.iter().map(|stone| stone.fired_through).collect::<Vec<_>>(), [Some(at(2_000)); 2]);
    let gone = kit.store.delete_job(key, Expect::Anything, vec![end(0)], at(6)).await;
    assert!(matches!(gone, Err(Error::NotFound { what: "job", .. })), "{gone:?}");
}

pub async fn update_is_refused_whole_when_something_has_changed(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    let other = kit.save(Draft::new("b").trigger("t", at(1_000))).await;
    let resume = TriggerUpdate {
        id: job.row(0).id,
        expected_next: Some(at(1_000)),
        paused: Some(true),
        progress: None,
        gap: None,
        reanchor: None,
    };
    let base = JobUpdate { paused: Some(true), ..update(&job, at(10)) };
    let with = |trigger: TriggerUpdate| JobUpdate { triggers: vec![trigger], ..base.clone() };
    for (change, found, what) in [
        (JobUpdate { expected_change: 2, ..base.clone() }, true, "another change"),
        (JobUpdate { job: JobId(i64::from(i32::MAX)), ..base.clone() }, false, "no such job"),
        (with(TriggerUpdate { expected_next: Some(at(999)), ..resume.clone() }), true, "another instant"),
        (with(TriggerUpdate { expected_next: None, ..resume.clone() }), true, "no instant"),
        (with(TriggerUpdate { id: other.row(0).id, ..resume.clone() }), false, "the trigger of another job"),
    ] {
        let error = kit.store.update_job(change).await.expect_err(what);
        assert_eq!(matches!(error, Error::Conflict { .. }), found, "{what}: {error}");
        assert_eq!(matches!(error, Error::NotFound { .. }), !found, "{what}: {error}");
    }
    assert_eq!(kit.again(&job).await.job, job.job);
    assert_eq!(kit.fire(at(1_000), vec![job.entry(0)]).await.stale, NONE);
}

pub async fn old_versions_stay_while_runs_refer_to_them(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000)).edit(|job| job.queue = "first".into())).await;
    kit.fire(at(1_000), vec![job.entry(0)]).await;
    let now = kit.again(&job).await;
    let edited = kit.save(Draft::from_kept(&now).edit(|job| job.queue = "second".into())).await;
    assert_eq!(edited.job.version, JobVersion(2));
    let old = kit.store.definition(job.id(), JobVersion(1)).await.expect("definition");
    assert_eq!(*old, *job.job.definition);
    let run = kit.run(job.next_run(0)).await;
    assert_eq!((run.job_version, run.queue.as_str()), (JobVersion(1), "first"));
    assert_eq!(kit.claim(1, at(1_001)).await[0].job_version, JobVersion(1));
    let error = kit.store.definition(job.id(), JobVersion(99)).await.expect_err("no such version");
    assert!(matches!(error, Error::NotFound { .. }), "{error}");
}

pub async fn jobs_are_listed_in_order_and_filtered(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let place = |namespace: &str, name: &str| Draft::of(Job::new(JobKey::new(namespace, name), Task::Noop));
    kit.save_all(vec![
        place("b", "one").0,
        place("a", "two").with(|w| w.paused = true).0,
        place("a", "Backup-DB").edit(|job| _ = job.labels.insert("team".into(), "ops".into())).0,
        place("a", "backup_x").edit(|job| _ = job.labels.insert("team".into(), "web".into())).0,
        place("a-b", "zero").0,
    ])
    .await;
    let all = JobQuery { limit: 100, ..JobQuery::default() };
    let a = |name: &str| Some(JobKey::new("a", name));
    for (query, expected) in [
        (all.clone(), "a/Backup-DB a/backup_x a/two a-b/zero b/one"),
        (JobQuery { limit: 2, ..all.clone() }, "a/Backup-DB a/backup_x"),
        (JobQuery { limit: 0, ..all.clone() }, ""),
        (JobQuery { namespace: Some("a".into()), ..all.clone() }, "a/Backup-DB a/backup_x a/two"),
        (JobQuery { namespace: Some("none".into()), ..all.clone() }, ""),
        (JobQuery { name_contains: Some("BACKUP".into()), ..all.clone() }, "a/Backup-DB a/backup_x"),
        (JobQuery { name_contains: Some("p_".into()), ..all.clone() }, "a/backup_x"),
        (JobQuery { name_contains: Some("%".into()), ..all.clone() }, ""),
        (JobQuery { label: Some(("team".into(), "ops".into())), ..all.clone() }, "a/Backup-DB"),
        (JobQuery { paused: Some(true), ..all.clone() }, "a/two"),
        (JobQuery { paused: Some(false), namespace: Some("a".into()), ..all.clone() }, "a/Backup-DB a/backup_x"),
        (JobQuery { after: a("backup_x"), ..all.clone() }, "a/two a-b/zero b/one"),
        (JobQuery { after: a("nowhere"), limit: 1, ..all.clone() }, "a/two"),
    ] {
        let rows = kit.store.jobs(query.clone()).await.expect("jobs");
        let keys: Vec<String> = rows.iter().map(|row| row.definition.key.to_string()).collect();
        assert_eq!(keys.join(" "), expected, "{query:?}");
    }
}

pub async fn triggers_are_listed_in_order_and_filtered(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let place = |namespace: &str, name: &str| Draft::of(Job::new(JobKey::new(namespace, name), Task::Noop));
    kit.save_all(vec![
        place("b", "j").trigger("x", at(1)).0,
        place("a", "k").trigger("z", at(1)).trigger("y", at(2)).0,
        place("a", "j").trigger("w", at(1)).0,
        place("a", "none").0,
    ])
    .await;
    let all = TriggerQuery { limit: 100, ..TriggerQuery::default() };
    let after = |job: &str, name: &str| Some((JobKey::new("a", job), name.to_owned()));
    for (query, expected) in [
        (all.clone(), "a/j/w a/k/y a/k/z b/j/x"),
        (TriggerQuery { limit: 3, ..all.clone() }, "a/j/w a/k/y a/k/z"),
        (TriggerQuery { limit: 0, ..all.clone() }, ""),
        (TriggerQuery { namespace: Some("b".into()), ..all.clone() }, "b/j/x"),
        (TriggerQuery { job: Some("j".into()), ..all.clone() }, "a/j/w b/j/x"),
        (TriggerQuery { after: after("k", "y"), ..all.clone() }, "a/k/z b/j/x"),
        (TriggerQuery { after: after("j", "w"), limit: 1, ..all.clone() }, "a/k/y"),
    ] {
        let rows = kit.store.triggers(query.clone()).await.expect("triggers");
        let keys: Vec<String> =
            rows.iter().map(|row| format!("{}/{}", row.job.definition.key, row.trigger.name)).collect();
        assert_eq!(keys.join(" "), expected, "{query:?}");
    }
}

pub async fn instants_at_the_ends_of_the_range_come_back(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    for (name, next) in [("min", Timestamp::MIN), ("zero", Timestamp::UNIX_EPOCH), ("max", Timestamp::MAX)] {
        let draft = Draft::new(name).trigger("t", next).with(|w| {
            let progress = &mut w.triggers[0].progress;
            progress.repeat_count = Some(u32::MAX);
            progress.times_triggered = u32::MAX - 1;
            progress.previous_fire_at = Some(next);
            progress.start_at = Timestamp::MIN;
        });
        let write = draft.0.clone();
        let job = kit.save(draft).await;
        assert_eq!(job.row(0).progress, write.triggers[0].progress, "{name}");
    }
    let window = kit.window(Timestamp::MAX, 1).await;
    let times: Vec<_> = window.iter().map(|row| row.progress.next_fire_at).collect();
    assert_eq!(times, [Some(Timestamp::MIN), Some(Timestamp::UNIX_EPOCH), Some(Timestamp::MAX)]);
}

pub async fn definitions_are_read_together(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (a, b) = (kit.save(Draft::new("a")).await, kit.save(Draft::new("b")).await);
    let keys = [(b.id(), JobVersion(1)), (a.id(), JobVersion(1)), (a.id(), JobVersion(7))];
    let mut found = kit.store.definitions(&keys).await.expect("definitions");
    found.sort_by_key(|(key, _)| *key);
    let expected = [&a, &b].map(|kept| ((kept.id(), JobVersion(1)), Arc::clone(&kept.job.definition)));
    let found = found.into_iter().map(|(key, job)| (key, job.expect("it can be read")));
    assert_eq!(found.collect::<Vec<_>>(), expected, "a version that is not there is left out");
}

pub async fn trigger_that_is_put_aside_fires_no_more_and_says_why(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("x", at(1_000)).trigger("y", at(1_000))).await;
    kit.changed_triggers().await;
    let last = kit.store.last_event().await.expect("last_event");
    let (id, version) = (job.row(0).id, job.row(0).version);
    assert!(kit.store.set_trigger_error(id, version, "zone `Mars` is unknown", at(500)).await.expect("put aside"));

    let after = kit.again(&job).await;
    let progress = after.row(0).progress;
    assert_eq!((progress.status, progress.next_fire_at, progress.due_at), (TriggerStatus::Error, None, None));
    assert_eq!(after.triggers[0].error.as_deref(), Some("zone `Mars` is unknown"));
    assert_eq!((&after.triggers[1], &after.job), (&job.triggers[1], &job.job), "nothing else has changed");
    let listed = kit.store.triggers(TriggerQuery { limit: 9, ..TriggerQuery::default() }).await.expect("triggers");
    let reasons: Vec<_> = listed.iter().map(|info| info.trigger.error.as_deref()).collect();
    assert_eq!(reasons, [Some("zone `Mars` is unknown"), None]);
    assert_eq!(kit.window(at(9_000), 9).await, [job.row(1).clone()]);
    assert_eq!(kit.store.stranded().await.expect("stranded"), []);
    assert_eq!(kit.changed_triggers().await, [id], "whoever has it in memory hears of it");
    assert_eq!(kit.fire(at(1_000), vec![job.entry(0)]).await.stale, [0], "what was loaded before is stale");
    let events = kit.store.events(last, 9).await.expect("events");
    let told = (events[0].kind.as_str(), events[0].payload.as_str(), events[0].at);
    assert_eq!(told, ("trigger", r#"{"change":"error","key":"default/a/x"}"#, at(500)));
}

pub async fn trigger_is_put_aside_only_as_it_was_seen(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    let row = job.row(0);
    let last = kit.store.last_event().await.expect("last_event");
    for (id, version) in [(row.id, row.version + 1), (row.id, row.version - 1), (TriggerId(99_999), row.version)] {
        assert!(!kit.store.set_trigger_error(id, version, "why", at(500)).await.expect("an answer"));
    }
    assert_eq!(kit.again(&job).await.triggers, job.triggers);
    let mut over = job.entry(0);
    over.progress = advanced(&row.progress, at(1_000), None);
    kit.fire(at(1_000), vec![over]).await;
    assert!(
        !kit.store.set_trigger_error(row.id, row.version, "why", at(1_500)).await.expect("an answer"),
        "it is over"
    );
    let next = kit.save(Draft::new("b").trigger("t", at(1_000))).await;
    let (id, version) = (next.row(0).id, next.row(0).version);
    assert!(kit.store.set_trigger_error(id, version, "first", at(500)).await.expect("put aside"));
    let now = kit.again(&next).await;
    assert!(!kit.store.set_trigger_error(id, now.row(0).version, "second", at(600)).await.expect("an answer"));
    assert_eq!(kit.again(&next).await.triggers[0].error.as_deref(), Some("first"), "it is aside already");
    let events = kit.store.events(last, 99).await.expect("events");
    assert_eq!(events.iter().filter(|event| event.payload.contains(r#""error""#)).count(), 1);
}

pub async fn trigger_that_was_put_aside_goes_on_when_it_is_saved_again(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    let row = job.row(0);
    assert!(kit.store.set_trigger_error(row.id, row.version, "why", at(500)).await.expect("put aside"));
    let aside = kit.again(&job).await;
    let begin = |w: &mut crate::JobWrite| w.triggers[0].progress = fresh(Some(at(2_000)));
    let again = kit.save(Draft::from_kept(&aside).with(begin)).await;
    assert_eq!((again.row(0).id, again.triggers[0].error.as_deref()), (row.id, None));
    assert!(again.row(0).version > aside.row(0).version);
    assert_eq!(kit.window(at(9_000), 9).await, [again.row(0).clone()]);
    assert_eq!(kit.fire(at(2_000), vec![again.entry(0)]).await.placed.len(), 1);
}
