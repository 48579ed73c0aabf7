//! Looking at runs, gaps, events, logs and counts.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::batch::{Gap, GapOutcome, GapReason, NewRun};
use mainspring_core::job::{Job, JobKey, Overlap, Task};
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, Origin, RunState, Verdict};
use mainspring_core::{RunId, Timestamp};
use serde_json::{Value, json};

use super::kit::{Draft, Kit, asked, at, new_run};
use crate::{AskedRun, CalendarWrite, EventRow, LogChunk, RunQuery, Store, Tally};

pub async fn runs_are_listed_newest_first_and_filtered(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let a = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    let b = kit.save(Draft::of(Job::new(JobKey::new("other", "b"), Task::Noop)).trigger("t", at(1_500))).await;
    let mut entry = a.entry(0);
    entry.runs = [1_000, 2_000, 3_000].map(|ms| new_run(a.row(0).id, at(ms), true)).to_vec();
    let runs: Vec<RunId> = entry.runs.iter().map(|run| run.id).collect();
    kit.fire(at(3_000), vec![entry, b.entry(0)]).await;
    let other = b.next_run(0);
    let end = |run, verdict| a.verdict(run, verdict, at(3_100));
    kit.complete(at(3_100), vec![end(runs[2], Verdict::Failed), end(runs[0], Verdict::Succeeded)]).await;

    let all = RunQuery { limit: 100, ..RunQuery::default() };
    let states = |states: &[RunState]| RunQuery { states: states.to_vec(), ..all.clone() };
    for (query, expected) in [
        (all.clone(), vec![runs[2], runs[1], other, runs[0]]),
        (RunQuery { limit: 2, ..all.clone() }, vec![runs[2], runs[1]]),
        (RunQuery { limit: 0, ..all.clone() }, vec![]),
        (RunQuery { before: Some(runs[1]), ..all.clone() }, vec![other, runs[0]]),
        (RunQuery { before: Some(runs[1]), limit: 1, ..all.clone() }, vec![other]),
        (RunQuery { namespace: Some("other".into()), ..all.clone() }, vec![other]),
        (RunQuery { job: Some(a.id()), ..all.clone() }, vec![runs[2], runs[1], runs[0]]),
        (RunQuery { from: Some(at(1_500)), to: Some(at(3_000)), ..all.clone() }, vec![runs[1], other]),
        (states(&[RunState::Running]), vec![runs[1]]),
        (states(&[RunState::Succeeded, RunState::Failed]), vec![runs[2], runs[0]]),
        (states(&[RunState::Queued, RunState::Succeeded]), vec![other, runs[0]]),
        (states(&[RunState::Skipped]), vec![]),
    ] {
        let found = kit.store.runs(query.clone()).await.expect("runs");
        assert_eq!(found.iter().map(|run| run.id).collect::<Vec<_>>(), expected, "{query:?}");
        for info in found {
            assert_eq!(kit.run(info.id).await, info, "lists and look-ups agree");
        }
    }
    assert_eq!(kit.store.run(RunId::from_bytes([1; 16])).await.expect("run"), None);
}

pub async fn many_runs_are_paged_without_loss(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(0))).await;
    let mut expected = Vec::new();
    for batch in 0..5_i64 {
        let now = kit.again(&job).await;
        let mut entry = now.entry(0);
        entry.runs = (0..100).map(|i| new_run(job.row(0).id, at(batch * 1_000 + i), true)).collect();
        let runs: Vec<RunId> = entry.runs.iter().map(|run| run.id).collect();
        kit.fire(at(batch * 1_000), vec![entry]).await;
        // Every third run stays unfinished, and the others end in another order than they began.
        let ends = runs.iter().rev().enumerate().filter(|(i, _)| i % 3 > 0);
        let ends = ends.map(|(_, run)| job.verdict(*run, Verdict::Succeeded, at(batch * 1_000 + 500))).collect();
        kit.complete(at(batch * 1_000 + 500), ends).await;
        expected.extend(runs);
    }
    expected.sort_unstable_by(|a, b| b.cmp(a));
    let mut seen = Vec::new();
    loop {
        let query = RunQuery { before: seen.last().copied(), limit: 37, ..RunQuery::default() };
        let page = kit.store.runs(query).await.expect("runs");
        if page.is_empty() {
            break;
        }
        seen.extend(page.into_iter().map(|run| run.id));
    }
    assert_eq!(seen, expected);
}

pub async fn gaps_are_read_on_from_a_position(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("x", at(0)).trigger("y", at(0))).await;
    for round in 0..6_i64 {
        let now = kit.again(&job).await;
        let mut entry = now.entry(usize::try_from(round % 2).expect("0 or 1"));
        entry.runs.clear();
        entry.gaps = vec![missed(at(round), at(round + 1), u64::try_from(round).expect("not negative") << 40)];
        kit.fire(at(round), vec![entry]).await;
    }
    let all = kit.store.gaps(None, 0, 100).await.expect("gaps");
    assert_eq!(all.iter().map(|row| row.gap.first).collect::<Vec<_>>(), (0..6).map(at).collect::<Vec<_>>());
    assert!(all.windows(2).all(|pair| pair[0].seq < pair[1].seq));
    assert_eq!(all[5].gap.count, 5 << 40, "counts are large numbers");
    assert_eq!(kit.store.gaps(None, all[1].seq, 2).await.expect("gaps"), all[2..4]);
    let of_y = kit.store.gaps(Some(job.row(1).id), all[1].seq, 100).await.expect("gaps");
    assert_eq!(of_y, [all[3].clone(), all[5].clone()]);
    assert_eq!(kit.store.gaps(None, all[5].seq, 100).await.expect("gaps"), []);
}

fn missed(first: Timestamp, last: Timestamp, count: u64) -> Gap {
    let (outcome, reason) = (GapOutcome::Missed, GapReason::CatchUpCap);
    Gap { first, last, count, outcome, reason, policy: "smart".into() }
}

pub async fn tally_counts_every_instant_once(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").limit(Overlap::Skip, 3).trigger("t", at(1_000))).await;
    let trigger = job.row(0).id;
    let mut entry = job.entry(0);
    let run = |ms: i64, origin: Origin| NewRun { origin, ..new_run(trigger, at(ms), true) };
    entry.runs = vec![
        run(1_000, Origin::Misfire),
        run(60_000, Origin::Schedule),
        run(61_000, Origin::Schedule),
        run(62_000, Origin::Schedule),
    ];
    entry.gaps = vec![missed(at(2_000), at(59_000), 58)];
    kit.fire(at(62_000), vec![entry]).await;
    let first = super::kit::run_at(trigger, at(1_000));
    kit.complete(at(62_100), vec![job.verdict(first, Verdict::Succeeded, at(62_100))]).await;
    // Runs that were asked for are no fires of a trigger.
    kit.store.ask_run(AskedRun { origin: Origin::Backfill, ..asked(&job, 1, at(500)) }).await.expect("ask_run");
    let tally: Vec<Tally> = kit.store.tally().await.expect("tally");
    let expected = Tally {
        trigger,
        fired: 3,
        duplicated: 0,
        missed: 58,
        suppressed: 1,
        first: Some(at(1_000)),
        last: Some(at(62_000)),
    };
    assert_eq!(tally, [expected]);
}

pub async fn events_follow_each_other_without_a_gap(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let start = kit.store.last_event().await.expect("last_event");
    let job =
        kit.save(Draft::new("a").limit(Overlap::QueueOne, 1).trigger("x", at(1_000)).trigger("y", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0), job.entry(1)]).await;
    let (x, y) = (job.next_run(0), job.next_run(1));
    kit.complete(at(1_100), vec![job.verdict(x, Verdict::Failed, at(1_100))]).await;
    kit.claim(1, at(1_200)).await;
    let retry = AfterAttempt::RetryAt(at(1_300));
    kit.complete(at(1_250), vec![job.completion(y, 1, AttemptOutcome::Failed, retry, at(1_250))]).await;
    kit.store.release_due(at(1_300), 9).await.expect("release_due");
    kit.store.cancel_run(y, "enough", None, at(1_400)).await.expect("cancel_run");
    let (z, _) = kit.ask(&job, 1, at(1_500)).await;

    let rows = kit.store.events(start, 1_000).await.expect("events");
    let last = kit.store.last_event().await.expect("last_event");
    let seqs: Vec<i64> = rows.iter().map(|row| row.seq).collect();
    assert_eq!(seqs, (start + 1..=last).collect::<Vec<_>>(), "positions have no gap");
    assert!(rows.windows(2).all(|pair| pair[0].at <= pair[1].at));
    let runs: Vec<(Timestamp, Value)> =
        rows.iter().filter(|row| row.kind == "runs").map(|row| (row.at, sorted(row))).collect();
    let id = job.id();
    let change = |run: RunId, state: &str| json!([run.to_string(), id, state]);
    let batch = |mut changes: Vec<Value>| {
        changes.sort_by_key(Value::to_string);
        Value::Array(changes)
    };
    let expected = [
        (1_000, batch(vec![change(x, "running"), change(y, "held")])),
        (1_100, batch(vec![change(x, "failed"), change(y, "queued")])),
        (1_200, batch(vec![change(y, "running")])),
        (1_250, batch(vec![change(y, "scheduled")])),
        (1_300, batch(vec![change(y, "queued")])),
        (1_400, batch(vec![change(y, "cancelled")])),
        (1_500, batch(vec![change(z, "queued")])),
    ];
    assert_eq!(runs, expected.map(|(ms, batch)| (at(ms), batch)));

    let mut paged = Vec::new();
    while let Some(row) =
        kit.store.events(paged.last().map_or(start, |row: &EventRow| row.seq), 1).await.expect("events").pop()
    {
        paged.push(row);
    }
    assert_eq!(paged, rows);
    assert_eq!(kit.store.events(last, 10).await.expect("events"), []);
}

/// The changes of a `runs` event, in a fixed order.
fn sorted(row: &EventRow) -> Value {
    let mut payload: Value = serde_json::from_str(&row.payload).expect("events are JSON");
    payload.as_array_mut().expect("an array of changes").sort_by_key(Value::to_string);
    payload
}

pub async fn changes_of_things_are_events(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    kit.save(Draft::from_kept(&job).edit(|job| job.priority = 1)).await;
    kit.pause_job(&kit.again(&job).await, true, at(2)).await;
    kit.pause_job(&kit.again(&job).await, false, at(3)).await;
    let anything = crate::Expect::Anything;
    kit.store.save_calendar(CalendarWrite::new("default", "days", "{}", anything, at(4))).await.expect("save_calendar");
    kit.store.save_calendar(CalendarWrite::new("default", "days", "[]", anything, at(5))).await.expect("save_calendar");
    kit.store.delete_calendar("default", "days", anything).await.expect("delete_calendar");
    kit.store.delete_job(&job.job.definition.key, anything, Vec::new(), at(6)).await.expect("delete_job");
    kit.store.delete_namespace("default").await.expect("delete_namespace");
    let rows = kit.store.events(0, 100).await.expect("events");
    let seen: Vec<String> = rows
        .iter()
        .map(|row| {
            let payload: Value = serde_json::from_str(&row.payload).expect("events are JSON");
            format!(
                "{} {} {}",
                row.kind,
                payload["key"].as_str().expect("key"),
                payload["change"].as_str().expect("change")
            )
        })
        .collect();
    let expected = [
        "namespace default created",
        "job default/a created",
        "job default/a updated",
        "job default/a paused",
        "job default/a resumed",
        "calendar default/days created",
        "calendar default/days updated",
        "calendar default/days deleted",
        "job default/a deleted",
        "namespace default deleted",
    ];
    assert_eq!(seen, expected);
}

fn chunk(run: RunId, attempt: u32, first_line: u64, line_count: u32, text: &str) -> LogChunk {
    LogChunk { run, attempt, first_line, line_count, data: text.as_bytes().to_vec() }
}

pub async fn log_is_read_from_the_chunk_that_holds_the_line(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let run = RunId::from_bytes([9; 16]);
    let big = u64::from(u32::MAX) * 4;
    let chunks = vec![
        chunk(run, 1, 0, 10, "ten lines"),
        chunk(run, 1, 10, 5, "five\u{0}lines"),
        LogChunk { data: (0..=255).collect(), ..chunk(run, 1, 15, 1, "") },
        chunk(run, 2, 0, 1, "second attempt"),
        chunk(run, u32::MAX, big, 7, "far"),
        chunk(RunId::from_bytes([8; 16]), 1, 0, 1, "another run"),
    ];
    kit.store.append_log(chunks.clone()).await.expect("append_log");
    for (attempt, from, bytes, expected) in [
        (1, 0, 1_000_000, &chunks[..3]),
        (1, 9, 1_000_000, &chunks[..3]),
        (1, 10, 1_000_000, &chunks[1..3]),
        (1, 14, 1_000_000, &chunks[1..3]),
        (1, 15, 1_000_000, &chunks[2..3]),
        (1, 16, 1_000_000, &[]),
        (1, 0, 1, &chunks[..1]),
        (2, 0, 1_000_000, &chunks[3..4]),
        (3, 0, 1_000_000, &[]),
        (u32::MAX, big + 6, 1, &chunks[4..5]),
    ] {
        let found = kit.store.log(run, attempt, from, bytes).await.expect("log");
        assert_eq!(found, expected, "attempt {attempt} from {from}, {bytes} bytes");
    }
    let some = kit.store.log(run, 1, 0, 12).await.expect("log");
    assert!((1..3).contains(&some.len()), "about so many bytes");
    for (attempt, end) in [(1, 16), (2, 1), (3, 0), (u32::MAX, big + 7)] {
        assert_eq!(kit.store.log_end(run, attempt).await.expect("log_end"), end, "attempt {attempt}");
    }
}

pub async fn log_chunk_that_is_there_is_passed_over(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let run = RunId::from_bytes([9; 16]);
    kit.store.append_log(vec![chunk(run, 1, 0, 2, "first")]).await.expect("append_log");
    let again = vec![chunk(run, 1, 0, 2, "again"), chunk(run, 1, 2, 1, "next"), chunk(run, 1, 2, 1, "next again")];
    kit.store.append_log(again).await.expect("append_log");
    kit.store.append_log(Vec::new()).await.expect("append_log");
    let found = kit.store.log(run, 1, 0, 1_000).await.expect("log");
    assert_eq!(found, [chunk(run, 1, 0, 2, "first"), chunk(run, 1, 2, 1, "next")]);
}
