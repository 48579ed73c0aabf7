//! What lists of people show: jobs in brief, versions, the newest gaps, rollups.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::batch::{Gap, GapOutcome, GapReason};
use mainspring_core::run::{RunState, Verdict};
use mainspring_core::{JobId, JobVersion, RunId, Timestamp};

use super::kit::{Draft, Kit, at, new_run};
use crate::{JobDigest, RollupRow, RollupSpan, SavedBy, Store};

async fn digest(kit: &Kit, job: JobId, recent: u32) -> JobDigest {
    let found = kit.store.job_digests(vec![job], recent).await.expect("job_digests");
    assert_eq!(found.len(), 1);
    found.into_iter().next().expect("one was asked for")
}

pub async fn jobs_are_described_in_brief(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let a = kit.save(Draft::new("a").trigger("t", at(1_000)).trigger("later", at(9_000))).await;
    let b = kit.save(Draft::new("b").trigger("t", at(500))).await;
    let none = kit.save(Draft::new("none")).await;
    let mut entry = a.entry(0);
    entry.runs = [1_000, 2_000, 3_000].map(|ms| new_run(a.row(0).id, at(ms), true)).to_vec();
    let runs: Vec<RunId> = entry.runs.iter().map(|run| run.id).collect();
    kit.fire(at(3_000), vec![entry, b.entry(0)]).await;
    kit.complete(at(3_100), vec![a.verdict(runs[0], Verdict::Failed, at(3_100))]).await;
    kit.complete(at(3_200), vec![a.verdict(runs[2], Verdict::Succeeded, at(3_200))]).await;

    let found = kit.store.job_digests(vec![none.id(), a.id(), b.id()], 2).await.expect("job_digests");
    assert_eq!(found.iter().map(|digest| digest.job).collect::<Vec<_>>(), [none.id(), a.id(), b.id()]);
    assert_eq!((found[0].next_fire_at, found[0].active, found[0].recent.len()), (None, 0, 0));
    assert_eq!((found[1].active, found[1].running), (1, 1));
    let recent: Vec<_> = found[1].recent.iter().map(|run| (run.id, run.state, run.ended_at)).collect();
    assert_eq!(recent, [(runs[2], RunState::Succeeded, Some(at(3_200))), (runs[1], RunState::Running, None)]);
    assert_eq!((found[2].active, found[2].running, found[2].recent[0].state), (1, 0, RunState::Queued));
    for listed in found.iter().flat_map(|digest| &digest.recent) {
        let run = kit.run(listed.id).await;
        assert_eq!((run.state, run.origin, run.fire_time), (listed.state, listed.origin, listed.fire_time));
    }
    assert_eq!(digest(&kit, a.id(), 9).await.recent.last().map(|run| run.id), Some(runs[0]));
    assert!(digest(&kit, a.id(), 0).await.recent.is_empty());
    assert_eq!(kit.store.job_digests(Vec::new(), 3).await.expect("job_digests"), []);

    let now = kit.again(&a).await;
    let least = [0, 1].map(|index| now.row(index).progress.next_fire_at).into_iter().flatten().min();
    assert_eq!(digest(&kit, a.id(), 1).await.next_fire_at, least);
    kit.pause_job(&now, true, at(3_300)).await;
    assert_eq!(digest(&kit, a.id(), 1).await.next_fire_at, None, "a paused trigger does not fire");

    let soon = async |until, limit| {
        let rows = kit.store.due_soon(until, limit).await.expect("due_soon");
        rows.iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(soon(at(99_000), 9).await, [b.row(0).id], "those of the paused job rest");
    assert_eq!((soon(at(99_000), 0).await, soon(at(-1), 9).await), (vec![], vec![]));

    let longest = kit.store.longest_running(5).await.expect("longest_running");
    assert_eq!(longest.iter().map(|(job, run)| (*job, run.id)).collect::<Vec<_>>(), [(a.id(), runs[1])]);
    assert!(longest[0].1.started_at.is_some());
    assert_eq!(kit.store.longest_running(0).await.expect("longest_running"), []);
}

pub async fn jobs_are_read_by_id(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (a, b) = (kit.save(Draft::new("a")).await, kit.save(Draft::new("b")).await);
    let read = async |jobs: &[JobId]| {
        let mut found = kit.store.jobs_by_id(jobs.to_vec()).await.expect("jobs_by_id");
        found.sort_unstable_by_key(|row| row.id);
        found
    };
    assert_eq!(read(&[b.id(), a.id(), JobId(77)]).await, [a.job.clone(), b.job.clone()]);
    assert_eq!(read(&[]).await, []);
    kit.store.delete_job(&a.job.definition.key, crate::Expect::Anything, Vec::new(), at(5)).await.expect("delete_job");
    assert_eq!(read(&[a.id(), b.id()]).await.as_slice(), std::slice::from_ref(&b.job));
}

pub async fn versions_of_a_job_are_listed_newest_first(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let saved = |by: &str, from: &str| Some(SavedBy { by: by.into(), from: from.into() });
    let begun = Draft::new("a").trigger("t", at(1_000)).with(|write| write.saved_by = saved("ann", "cli"));
    let first = kit.save(begun).await;
    // A run of the first version keeps it.
    kit.fire(at(1_000), vec![first.entry(0)]).await;
    let now = kit.again(&first).await;
    let draft = Draft::from_kept(&now).edit(|job| job.description = "second".into()).with(|write| {
        write.at = at(2_000);
        write.saved_by = saved("安娜, with a session", "console");
    });
    let second = kit.save(draft).await;
    let list = async |before, limit| {
        let rows = kit.store.versions(first.id(), before, limit).await.expect("versions");
        rows.into_iter()
            .map(|row| (row.version.0, row.saved_at, row.definition.description.clone(), row.saved_by))
            .collect::<Vec<_>>()
    };
    let saved_at = first.job.updated_at;
    let newer = (2, second.job.updated_at, "second".to_owned(), saved("安娜, with a session", "console"));
    let older = (1, saved_at, String::new(), saved("ann", "cli"));
    assert_eq!(list(None, 9).await, [newer.clone(), older.clone()]);
    assert_eq!(list(None, 1).await, [newer]);
    assert_eq!(list(Some(JobVersion(2)), 9).await, [older]);
    assert_eq!(list(Some(JobVersion(1)), 9).await, []);
    assert_eq!(kit.store.versions(JobId(77), None, 9).await.expect("versions"), []);
    // Several new jobs in one write, which servers insert as lists.
    let many = [("b", saved("bob", "api")), ("c", None)];
    let writes = many.iter().map(|(name, by)| Draft::new(name).with(|write| write.saved_by.clone_from(by)).0);
    let made = kit.save_all(writes.collect()).await;
    for (job, (name, by)) in made.iter().zip(many) {
        let rows = kit.store.versions(job.job.id, None, 9).await.expect("versions");
        assert_eq!((rows.len(), &rows[0].saved_by), (1, &by), "{name}");
    }
}

pub async fn gaps_are_read_newest_first_with_the_names_of_triggers(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("x", at(0)).trigger("y", at(0))).await;
    for round in 0..6_i64 {
        let now = kit.again(&job).await;
        let mut entry = now.entry(usize::try_from(round % 2).expect("0 or 1"));
        entry.runs.clear();
        let (outcome, reason) = (GapOutcome::Missed, GapReason::CatchUpCap);
        entry.gaps = vec![Gap { first: at(round), last: at(round), count: 1, outcome, reason, policy: "smart".into() }];
        kit.fire(at(round), vec![entry]).await;
    }
    let list = async |before, limit| kit.store.gaps_before(None, before, limit).await.expect("gaps_before");
    let all = list(i64::MAX, 100).await;
    let shown: Vec<_> = all.iter().map(|(row, name)| (row.gap.first, name.as_deref().unwrap_or("?"))).collect();
    let expected: Vec<_> = (0..6).rev().map(|round| (at(round), if round % 2 == 0 { "x" } else { "y" })).collect();
    assert_eq!(shown, expected);
    assert_eq!(list(all[1].0.seq, 2).await, all[2..4]);
    assert_eq!(list(all[5].0.seq, 9).await, []);
    let of = async |before, limit| {
        kit.store.gaps_before(Some(all[0].0.trigger), before, limit).await.expect("gaps_before of a trigger")
    };
    let own: Vec<_> = all.iter().step_by(2).cloned().collect();
    assert_eq!(of(i64::MAX, 9).await, own, "those of y alone");
    assert_eq!(of(own[0].0.seq, 1).await, own[1..2]);
    kit.store
        .delete_job(&job.job.definition.key, crate::Expect::Anything, Vec::new(), at(9))
        .await
        .expect("delete_job");
    assert_eq!(list(i64::MAX, 1).await[0].1.as_deref(), Some("y"), "a tombstone has the name");
}

pub async fn figures_of_spans_are_kept_and_forgotten(store: Arc<dyn Store>) {
    let row = |span: RollupSpan, ms: i64, node: &str, figures: &str| RollupRow {
        span,
        at: at(ms),
        queue: None,
        node: node.into(),
        figures: figures.into(),
    };
    let (minute, quarter) = (RollupSpan::Minute, RollupSpan::Quarter);
    let first =
        vec![row(minute, 60_000, "b", "1"), row(minute, 60_000, "a", "{\"x\": 1}"), row(quarter, 60_000, "a", "3")];
    store.put_rollups(first, at(60_000)).await.expect("put_rollups");
    let again = vec![row(minute, 60_000, "b", "2"), row(minute, 0, "a", "4"), row(minute, 120_000, "a", "5")];
    store.put_rollups(again, at(120_000)).await.expect("put_rollups");
    let list = async |span, from: i64, to: i64| {
        let rows = store.rollups(span, at(from), at(to)).await.expect("rollups");
        rows.into_iter().map(|row| format!("{}{}", row.node, row.figures)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(list(minute, 0, 120_001).await, "a4 a{\"x\": 1} b2 a5");
    assert_eq!(list(minute, 60_000, 120_000).await, "a{\"x\": 1} b2");
    assert_eq!(list(quarter, 0, 120_000).await, "a3");
    assert_eq!(list(RollupSpan::Watch, 0, 120_000).await, "");
    let late = Timestamp::from_millis(at(60_001).as_millis() + minute.kept_ms());
    store.put_rollups(Vec::new(), late).await.expect("put_rollups");
    assert_eq!((list(minute, 0, 999_999).await, list(quarter, 0, 999_999).await), ("a5".into(), "a3".into()));
}

pub async fn figures_of_queues_are_kept_apart_from_those_of_the_whole(store: Arc<dyn Store>) {
    let row = |queue: Option<&str>, span: RollupSpan, ms: i64, node: &str, figures: &str| RollupRow {
        span,
        at: at(ms),
        queue: queue.map(str::to_owned),
        node: node.into(),
        figures: figures.into(),
    };
    let (minute, quarter) = (RollupSpan::Minute, RollupSpan::Quarter);
    let rows = vec![
        row(Some("mail"), minute, 60_000, "a", "1"),
        row(Some("mail"), minute, 60_000, "b", "2"),
        row(Some("bulk"), minute, 120_000, "a", "3"),
        row(Some("Mail"), minute, 60_000, "a", "4"),
        row(Some("mail"), quarter, 0, "a", "5"),
        row(None, minute, 60_000, "a", "6"),
    ];
    store.put_rollups(rows, at(120_000)).await.expect("put_rollups");
    let again = vec![row(Some("mail"), minute, 60_000, "b", "7"), row(Some("mail"), minute, 0, "a", "8")];
    store.put_rollups(again, at(120_000)).await.expect("put_rollups");
    let list = async |queue, span, from: i64, to: i64| {
        let rows = store.queue_rollups(queue, span, at(from), at(to)).await.expect("queue_rollups");
        let shown =
            rows.into_iter().map(|row| format!("{}/{}{}", row.queue.unwrap_or_default(), row.node, row.figures));
        shown.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(list(Some("mail"), minute, 0, 120_001).await, "mail/a8 mail/a1 mail/b7");
    assert_eq!(list(Some("mail"), minute, 60_000, 120_000).await, "mail/a1 mail/b7");
    assert_eq!(list(Some("mail"), quarter, 0, 120_000).await, "mail/a5");
    assert_eq!(list(Some("none"), minute, 0, 120_001).await, "");
    assert_eq!(list(None, minute, 60_000, 120_001).await, "Mail/a4 bulk/a3 mail/a1 mail/b7");
    let whole = store.rollups(minute, at(0), at(120_001)).await.expect("rollups");
    assert_eq!(whole.iter().map(|row| (&*row.figures, &row.queue)).collect::<Vec<_>>(), [("6", &None)]);

    let kept = |span: RollupSpan, ms: i64| Timestamp::from_millis(at(ms).as_millis() + span.queue_kept_ms());
    store.put_rollups(Vec::new(), kept(minute, 60_000)).await.expect("put_rollups");
    assert_eq!(list(Some("mail"), minute, 0, 120_001).await, "mail/a1 mail/b7", "as long as it is kept");
    store.put_rollups(Vec::new(), kept(minute, 60_001)).await.expect("put_rollups");
    assert_eq!(list(None, minute, 0, 120_001).await, "bulk/a3");
    assert_eq!(list(None, quarter, 0, 120_001).await, "mail/a5", "longer spans are kept for longer");
}
