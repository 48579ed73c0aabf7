//! Namespaces, calendars, settings, retention and closing.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::batch::{Gap, GapOutcome, GapReason, Progress, Queues};
use mainspring_core::job::{Job, JobKey, Overlap, Task, TriggerDefinition};
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, RunState, Verdict};
use mainspring_core::{JobId, RunId, RunSource, Timestamp};

use super::kit::{Draft, Kept, Kit, NONE, asked, at, every_second, run_at};
use crate::{AskedRun, CalendarWrite, Claimed, Error, Expect, LogChunk, PurgeRule, Store};

pub async fn namespaces_come_with_their_jobs_and_go_when_empty(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let made = kit.store.create_namespace("m", at(5)).await.expect("create_namespace");
    assert_eq!((made.name.as_str(), made.created_at, made.job_count), ("m", at(5), 0));
    let again = kit.store.create_namespace("m", at(9)).await.expect("create_namespace");
    assert_eq!(again, made, "one that exists stays as it is");
    for (namespace, name) in [("z", "j"), ("a", "j"), ("a", "k")] {
        kit.save_all(vec![Draft::of(Job::new(JobKey::new(namespace, name), Task::Noop)).0]).await;
    }
    kit.store
        .save_calendar(CalendarWrite::new("c", "days", "{}", Expect::Anything, at(6)))
        .await
        .expect("save_calendar");
    let names = async |after: Option<&str>, limit| {
        let rows = kit.store.namespaces(after, limit).await.expect("namespaces");
        rows.iter().map(|row| format!("{}{}", row.name, row.job_count)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(None, 9).await, "a2 c0 m0 z1");
    assert_eq!(names(Some("a"), 2).await, "c0 m0");
    assert_eq!(names(Some("zz"), 9).await, "");
    assert_eq!(names(None, 0).await, "");

    for (name, conflict) in [("a", true), ("c", true), ("none", false)] {
        let error = kit.store.delete_namespace(name).await.expect_err(name);
        assert_eq!(matches!(error, Error::Conflict { what: "namespace", .. }), conflict, "{error}");
        assert_eq!(matches!(error, Error::NotFound { what: "namespace", .. }), !conflict, "{error}");
    }
    kit.store.delete_namespace("m").await.expect("delete_namespace");
    kit.store.delete_job(&JobKey::new("z", "j"), Expect::Anything, Vec::new(), at(7)).await.expect("delete_job");
    kit.store.delete_namespace("z").await.expect("delete_namespace");
    assert_eq!(names(None, 9).await, "a2 c0");
}

pub async fn calendars_are_kept_as_written(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    assert_eq!(kit.store.calendar("default", "days").await.expect("calendar"), None);
    let text = "{\"days\": [\"01-01\"], \"note\": \"Neujahr \u{1f386} '--\"}";
    let made = kit
        .store
        .save_calendar(CalendarWrite::new("default", "days", text, Expect::Absent, at(1)))
        .await
        .expect("save_calendar");
    assert_eq!((made.change, made.definition.as_str(), made.updated_at), (1, text, at(1)));
    assert_eq!((made.namespace.as_str(), made.name.as_str()), ("default", "days"));
    let same = kit
        .store
        .save_calendar(CalendarWrite::new("default", "days", text, Expect::Anything, at(2)))
        .await
        .expect("save_calendar");
    assert_eq!(same, made, "the same text changes nothing");
    for expect in [Expect::Absent, Expect::Change(2)] {
        let answer = kit.store.save_calendar(CalendarWrite::new("default", "days", "{}", expect, at(3))).await;
        assert!(matches!(answer, Err(Error::Conflict { what: "calendar", .. })), "{answer:?}");
    }
    let new = kit
        .store
        .save_calendar(CalendarWrite::new("default", "days", "{}", Expect::Change(1), at(4)))
        .await
        .expect("save_calendar");
    assert_eq!((new.change, new.updated_at), (2, at(4)));
    assert_eq!(kit.store.calendar("default", "days").await.expect("calendar"), Some(new));
    assert_eq!(kit.store.calendar("other", "days").await.expect("calendar"), None);

    for name in ["b", "a", "e"] {
        kit.store
            .save_calendar(CalendarWrite::new("default", name, "{}", Expect::Anything, at(5)))
            .await
            .expect("save_calendar");
    }
    kit.store
        .save_calendar(CalendarWrite::new("other", "c", "{}", Expect::Anything, at(5)))
        .await
        .expect("save_calendar");
    let names = async |after: Option<&str>, limit| {
        let rows = kit.store.calendars("default", after, limit).await.expect("calendars");
        rows.into_iter().map(|row| row.name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(None, 9).await, "a b days e");
    assert_eq!(names(Some("a"), 2).await, "b days");
    for (name, expect, conflict) in [("days", Expect::Change(1), true), ("none", Expect::Anything, false)] {
        let error = kit.store.delete_calendar("default", name, expect).await.expect_err(name);
        assert_eq!(matches!(error, Error::Conflict { .. }), conflict, "{error}");
        assert_eq!(matches!(error, Error::NotFound { .. }), !conflict, "{error}");
    }
    kit.store.delete_calendar("default", "days", Expect::Change(2)).await.expect("delete_calendar");
    assert_eq!(names(None, 9).await, "a b e");
}

pub async fn calendar_in_use_concerns_its_triggers(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let mut uses = TriggerDefinition::new("t", every_second());
    uses.calendar = Some("days".into());
    let draft = Draft::new("a").trigger("free", at(1_000)).trigger_with(uses, Some(at(1_000)));
    let error = kit.store.save_jobs(vec![draft.0.clone()]).await.expect_err("there is no such calendar");
    assert!(matches!(error, Error::NotFound { what: "calendar", .. }), "{error}");
    kit.store
        .save_calendar(CalendarWrite::new("default", "days", "{}", Expect::Anything, at(1)))
        .await
        .expect("save_calendar");
    let job = kit.save(draft).await;
    kit.changed_triggers().await;
    let error = kit.store.delete_calendar("default", "days", Expect::Anything).await.expect_err("it is in use");
    assert!(matches!(error, Error::Conflict { what: "calendar", .. }), "{error}");

    kit.store
        .save_calendar(CalendarWrite::new("default", "days", "[]", Expect::Anything, at(2)))
        .await
        .expect("save_calendar");
    assert_eq!(kit.changed_triggers().await, [job.row(1).id]);
    let after = kit.again(&job).await;
    assert_eq!(after.row(0), job.row(0));
    assert!(after.row(1).version > job.row(1).version);
    assert_eq!(kit.fire(at(1_000), vec![job.entry(0), job.entry(1)]).await.stale, [1], "decided under the old days");
    kit.store.delete_job(&job.job.definition.key, Expect::Anything, Vec::new(), at(3)).await.expect("delete_job");
    kit.store.delete_calendar("default", "days", Expect::Anything).await.expect("delete_calendar");
}

pub async fn triggers_of_a_calendar_and_of_those_on_it_move_with_its_save(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let mut draft = Draft::new("a").trigger("free", at(1_000));
    for name in ["base", "top", "aside"] {
        let write = CalendarWrite::new("default", name, "{}", Expect::Anything, at(1));
        kit.store.save_calendar(write).await.expect("save_calendar");
        let mut uses = TriggerDefinition::new(name, every_second());
        uses.calendar = Some(name.into());
        draft = draft.trigger_with(uses, Some(at(1_000)));
    }
    let job = kit.save(draft.with(|write| write.triggers[2].paused = true)).await;
    kit.changed_triggers().await;
    let write = CalendarWrite {
        dependents: vec!["top".into()],
        rederive: Box::new(|job, row| {
            assert_eq!(job.triggers.len(), 4, "it is given the definition");
            let next = row.progress.next_fire_at.map(|next| next + 5_000);
            let (outcome, reason) = (GapOutcome::Missed, GapReason::Misfire);
            let gap = Gap { first: at(1), last: at(1), count: 1, outcome, reason, policy: "resume".into() };
            let passed = (row.index == 1).then_some(gap);
            Some((Progress { next_fire_at: next, due_at: next, ..row.progress }, passed))
        }),
        ..CalendarWrite::new("default", "base", "[]", Expect::Anything, at(2))
    };
    kit.store.save_calendar(write).await.expect("save_calendar");
    assert_eq!(kit.changed_triggers().await, [job.row(1).id, job.row(2).id]);
    let after = kit.again(&job).await;
    for (index, next, changed) in [(0, 1_000, false), (1, 6_000, true), (2, 6_000, true), (3, 1_000, false)] {
        assert_eq!(after.row(index).progress.next_fire_at, Some(at(next)), "trigger {index}");
        assert_eq!(after.row(index).version > job.row(index).version, changed, "trigger {index}");
    }
    let due: Vec<_> = kit.window(at(9_000), 9).await.iter().map(|row| row.id).collect();
    assert_eq!(due, [job.row(0).id, job.row(3).id, job.row(1).id], "the paused one is not due");
    let gaps = kit.store.gaps(None, 0, 9).await.expect("gaps");
    assert_eq!(gaps.iter().map(|row| (row.trigger, row.at)).collect::<Vec<_>>(), [(job.row(1).id, at(2))]);
}

pub async fn settings_are_kept(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let store = &kit.store;
    assert_eq!(store.setting("token").await.expect("setting"), None);
    for value in ["one", "two\u{1f512}", ""] {
        store.set_setting("token", value).await.expect("set_setting");
        assert_eq!(store.setting("token").await.expect("setting").as_deref(), Some(value));
    }
    assert_eq!(store.setting_or_set("token", "three").await.expect("setting_or_set"), "", "it is there");
    for round in 0..20 {
        let name = format!("first {round}");
        let offer = async |value: &str| store.setting_or_set(&name, value).await.expect("setting_or_set");
        let (one, other) = futures_util::future::join(offer("one"), offer("other")).await;
        assert_eq!(
            (&one, store.setting(&name).await.expect("setting").as_ref()),
            (&other, Some(&one)),
            "one was first"
        );
    }
}

/// A rule that deletes nothing.
fn keep_all() -> PurgeRule {
    let never = Timestamp::MIN;
    PurgeRule {
        at: at(0),
        history_before: never,
        history_keep_per_job: None,
        events_before: never,
        tombstones_before: never,
        limit: 1_000,
    }
}

async fn purge(kit: &Kit, rule: PurgeRule) -> u64 {
    let mut total = 0;
    loop {
        let count = kit.store.purge(rule).await.expect("purge");
        total += count;
        if count == 0 {
            return total;
        }
    }
}

/// A job with final runs at each of these times, every one with a retry and a log.
async fn with_history(kit: &mut Kit, name: &str, times: &[i64]) -> (Kept, Vec<RunId>) {
    let job = kit.save(Draft::new(name).trigger("t", at(times[0]))).await;
    let mut runs = Vec::new();
    for ms in times {
        let now = kit.again(&job).await;
        let mut entry = now.entry(0);
        entry.runs = vec![super::kit::new_run(job.row(0).id, at(*ms), true)];
        let run = entry.runs[0].id;
        kit.fire(at(*ms), vec![entry]).await;
        let retry = AfterAttempt::RetryAt(at(*ms));
        kit.complete(at(*ms), vec![job.completion(run, 1, AttemptOutcome::Failed, retry, at(*ms))]).await;
        kit.store.release_due(at(*ms), 1).await.expect("release_due");
        kit.claim(1, at(*ms)).await;
        let over = AfterAttempt::Final(Verdict::Succeeded);
        kit.complete(at(*ms), vec![job.completion(run, 2, AttemptOutcome::Succeeded, over, at(*ms))]).await;
        let log = LogChunk { run, attempt: 2, first_line: 0, line_count: 1, data: b"x".to_vec() };
        kit.store.append_log(vec![log]).await.expect("append_log");
        runs.push(run);
    }
    (kit.again(&job).await, runs)
}

/// Runs of old days, one of which is unfinished: some stores drop days as a whole.
pub async fn purge_deletes_old_history_with_all_that_belongs_to_it(store: Arc<dyn Store>) {
    const DAY: i64 = 86_400_000;
    let mut kit = Kit::new(store).await;
    let (job, runs) = with_history(&mut kit, "a", &[1_000, DAY, 2 * DAY, 5 * DAY]).await;
    let mut entry = job.entry(0);
    entry.expected = job.row(0).progress.next_fire_at.expect("it goes on");
    entry.runs = vec![super::kit::new_run(job.row(0).id, at(1_500), true)];
    let running = entry.runs[0].id;
    let (outcome, reason) = (GapOutcome::Missed, GapReason::Misfire);
    entry.gaps = vec![Gap { first: at(1), last: at(1), count: 1, outcome, reason, policy: "smart".into() }];
    kit.fire(at(1_600), vec![entry]).await;
    assert_eq!(purge(&kit, keep_all()).await, 0);
    let rule = PurgeRule { at: at(5 * DAY), history_before: at(4 * DAY), ..keep_all() };
    assert!(purge(&kit, PurgeRule { limit: 1, ..rule }).await >= 4);
    let kept = [None, None, None, Some(RunState::Succeeded), Some(RunState::Running)];
    assert_eq!(kit.states(&[runs[0], runs[1], runs[2], runs[3], running]).await, kept);
    for (run, left) in [(runs[0], 0), (runs[1], 0), (runs[3], 2)] {
        assert_eq!(kit.store.attempts(run).await.expect("attempts").len(), left);
        assert_eq!(kit.store.log(run, 2, 0, 99).await.expect("log").len(), left / 2);
    }
    assert_eq!(kit.store.gaps(None, 0, 9).await.expect("gaps"), []);
    assert_eq!(kit.all_runs().await.len(), 2);
    let end = job.verdict(running, Verdict::Succeeded, at(5 * DAY));
    assert_eq!(kit.complete(at(5 * DAY), vec![end]).await.refused, NONE);
    assert_eq!(purge(&kit, rule).await, 0, "it ended lately");
    assert_eq!(kit.run(running).await.state, RunState::Succeeded);
    let again = job.entry(0);
    assert_eq!(kit.fire(at(9_000), vec![again]).await.stale, [0], "what was purged does not fire again");
}

pub async fn parts_of_an_output_are_kept_until_their_run_goes(store: Arc<dyn Store>) {
    const DAY: i64 = 86_400_000;
    let mut kit = Kit::new(store).await;
    let (_, runs) = with_history(&mut kit, "a", &[1_000, 9 * DAY]).await;
    let (old, new) = (runs[0], runs[1]);
    let gone = RunId::new(at(DAY), RunSource::Asked(JobId(77), 1));
    let part: Vec<u8> = (0..256 * 1024).map(|n| u8::try_from(n % 251).expect("below 256")).collect();
    let keep = async |run, part, bytes| kit.store.keep_output(run, 2, part, bytes).await.expect("keep_output");
    for run in [old, new, gone] {
        keep(run, 0, b"first".to_vec()).await;
        keep(run, 0, part.clone()).await;
        keep(run, 1, vec![0, 255]).await;
    }
    let output = async |run, attempt, part| kit.store.output(run, attempt, part).await.expect("output");
    assert!(output(new, 2, 0).await.as_ref() == Some(&part), "what is sent again takes its place");
    assert_eq!((output(new, 2, 1).await, output(new, 2, 2).await), (Some(vec![0, 255]), None));
    assert_eq!(output(new, 1, 0).await, None, "that was another attempt");
    purge(&kit, PurgeRule { at: at(9 * DAY), history_before: at(5 * DAY), ..keep_all() }).await;
    for run in [old, gone] {
        assert!(output(run, 2, 0).await.is_none() && output(run, 2, 1).await.is_none(), "{run}");
    }
    assert_eq!(output(new, 2, 1).await, Some(vec![0, 255]));
}

pub async fn purge_keeps_the_newest_runs_of_each_job(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (_, many) = with_history(&mut kit, "many", &[1_000, 2_000, 3_000, 4_000, 5_000]).await;
    let (_, few) = with_history(&mut kit, "few", &[500]).await;
    assert!(purge(&kit, PurgeRule { history_keep_per_job: Some(2), limit: 1, ..keep_all() }).await >= 3);
    let left: Vec<RunId> = kit.all_runs().await.iter().map(|run| run.id).collect();
    assert_eq!(left, [many[4], many[3], few[0]]);
    purge(&kit, PurgeRule { history_keep_per_job: Some(0), ..keep_all() }).await;
    assert_eq!(kit.all_runs().await, []);
}

pub async fn purge_leaves_positions_of_events(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    with_history(&mut kit, "a", &[1_000, 2_000]).await;
    let before = kit.store.events(0, 100).await.expect("events");
    let last = kit.store.last_event().await.expect("last_event");
    assert!(purge(&kit, PurgeRule { events_before: at(1_500), ..keep_all() }).await > 0);
    let left: Vec<_> = before.iter().filter(|row| row.at >= at(1_500)).cloned().collect();
    assert_eq!(kit.store.events(0, 100).await.expect("events"), left);
    purge(&kit, PurgeRule { events_before: at(9_000), ..keep_all() }).await;
    assert_eq!(kit.store.events(0, 100).await.expect("events"), []);
    assert_eq!(kit.store.last_event().await.expect("last_event"), last, "the position stays");
    kit.save(Draft::new("b")).await;
    assert_eq!(kit.store.events(last, 1).await.expect("events")[0].seq, last + 1);
}

pub async fn purge_forgets_tombstones_and_keys(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let old = kit.save(Draft::new("old").trigger("t", at(1))).await;
    let new = kit.save(Draft::new("new").trigger("t", at(1))).await;
    for (job, ms, name) in [(&old, 1_000, "old"), (&new, 2_000, "new")] {
        kit.store.delete_job(&job.job.definition.key, Expect::Anything, Vec::new(), at(ms)).await.expect("delete_job");
        kit.claim_key(name, kit.incarnation, at(ms)).await;
        kit.claim_key(&format!("answered {name}"), kit.incarnation, at(0)).await;
        kit.answer_key(&format!("answered {name}"), "", at(ms)).await;
    }
    assert!(purge(&kit, PurgeRule { tombstones_before: at(1_500), limit: 1, ..keep_all() }).await >= 3);
    for (job, name, left) in [(&old, "old", false), (&new, "new", true)] {
        let prior = kit.store.prior(&job.job.definition.key).await.expect("prior");
        assert_eq!(prior.tombstones.len() == 1, left, "{name}");
        let yours = |ms, again| Claimed::Yours { since: at(ms), again };
        let there = if left { yours(2_000, true) } else { yours(3_000, false) };
        assert_eq!(kit.claim_key(name, kit.incarnation, at(3_000)).await, there);
        let answered = kit.claim_key(&format!("answered {name}"), kit.incarnation, at(3_000)).await;
        assert_eq!(matches!(answered, Claimed::Answered(_)), left, "{name}: {answered:?}");
    }
    let again = kit.save(Draft::new("old").trigger("t", at(5))).await;
    assert_ne!(again.row(0).id, old.row(0).id, "ids are not given twice");
    assert_ne!(again.row(0).id, new.row(0).id);
}

pub async fn unfinished_runs_are_counted_by_state_and_queue(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    let limited = Draft::new("b").limit(Overlap::QueueAll, 1).edit(|job| job.queue = "slow".into());
    let limited = kit.save(limited.trigger("t", at(1_000))).await;
    assert_eq!(kit.store.figures().await.expect("figures").runs, []);
    kit.fire(at(1_000), vec![job.entry(0), limited.entry(0)]).await;
    kit.fire(at(2_000), vec![kit.again(&job).await.claimed_entry(0), kit.again(&limited).await.entry(0)]).await;
    let other = AskedRun { queue: "other".into(), ..asked(&job, 1, at(1_500)) };
    kit.store.ask_run(other).await.expect("ask_run");
    for (number, ms) in [(2, 1_700), (3, 1_600)] {
        kit.ask(&job, number, at(ms)).await;
    }
    let running = run_at(job.row(0).id, at(2_000));
    let retry = AfterAttempt::RetryAt(at(9_000));
    kit.complete(at(2_500), vec![job.completion(running, 1, AttemptOutcome::Failed, retry, at(2_500))]).await;
    kit.fire(at(3_000), vec![kit.again(&job).await.claimed_entry(0)]).await;
    let counts = kit.store.figures().await.expect("figures").runs;
    let counts: Vec<_> =
        counts.iter().map(|it| (it.state.as_str(), it.queue.as_str(), it.count, it.oldest_due_at)).collect();
    let expected = [
        ("held", "slow", 1, at(2_000)),
        ("queued", "default", 3, at(1_000)),
        ("queued", "other", 1, at(1_500)),
        ("queued", "slow", 1, at(1_000)),
        ("running", "default", 1, at(3_000)),
        ("scheduled", "default", 1, at(2_000)),
    ];
    assert_eq!(counts, expected);
}

pub async fn store_says_how_large_it_is(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("x", at(1_000)).trigger("y", at(1_000))).await;
    kit.save(Draft::new("b")).await;
    kit.fire(at(1_000), vec![job.entry(0)]).await;
    let info = kit.store.info().await.expect("info");
    assert_eq!((info.jobs, info.triggers, info.live_runs), (2, 2, 1));
    assert!(!info.kind.is_empty() && !info.version.is_empty());
    kit.store.delete_job(&job.job.definition.key, Expect::Anything, Vec::new(), at(1)).await.expect("delete_job");
    let info = kit.store.info().await.expect("info");
    assert_eq!((info.jobs, info.triggers, info.live_runs), (1, 0, 0));
}

pub async fn store_that_is_closed_answers_nothing_more(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    kit.store.close().await.expect("close");
    let run = run_at(job.row(0).id, at(1_000));
    assert!(matches!(kit.store.run(run).await, Err(Error::Closed)));
    assert!(matches!(kit.store.claim(kit.batch_id(), &Queues::All, 1, at(1)).await, Err(Error::Closed)));
    let id = kit.batch_id();
    let batch = mainspring_core::batch::FireBatch { id, at: at(1_000), answered: 0, entries: vec![job.entry(0)] };
    assert!(matches!(kit.store.fire(Arc::new(batch)).await, Err(Error::Closed)));
    assert!(matches!(kit.store.save_jobs(vec![Draft::new("b").0]).await, Err(Error::Closed)));
}
