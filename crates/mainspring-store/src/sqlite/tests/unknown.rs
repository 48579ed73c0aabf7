//! Rows that hold what this program does not know: written by a newer one, or damaged.

use std::path::Path;

use mainspring_core::batch::{Gap, GapOutcome, GapReason};
use mainspring_core::cluster::ShardSet;
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, RunState, Verdict};
use mainspring_core::{Incarnation, JobVersion, Timestamp};
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::conformance::kit::{Draft, Kept, Kit, NONE, at};
use crate::{Error, GapRow, JobQuery, RunQuery, TriggerQuery};

/// A store whose job `a` gets something unknown, while `b` is as it should be: of each an unfinished run, a final one with
/// a failed attempt, a gap, and a due trigger.
struct Two {
    path: std::path::PathBuf,
    kit: Kit,
    a: Kept,
    b: Kept,
}

async fn fill(kit: &mut Kit, name: &str) -> Kept {
    let job = kit.save(Draft::new(name).trigger("t", at(0))).await;
    let (mut entry, run) = (job.claimed_entry(0), job.next_run(0));
    let (outcome, reason) = (GapOutcome::Missed, GapReason::Misfire);
    entry.gaps = vec![Gap { first: at(-9), last: at(-9), count: 1, outcome, reason, policy: "smart".into() }];
    kit.fire(at(0), vec![entry]).await;
    let retry = AfterAttempt::RetryAt(at(1));
    kit.complete(at(1), vec![job.completion(run, 1, AttemptOutcome::Failed, retry, at(1))]).await;
    kit.store.release_due(at(1), 9).await.unwrap();
    kit.claim(1, at(1)).await;
    let over = AfterAttempt::Final(Verdict::Succeeded);
    kit.complete(at(2), vec![job.completion(run, 2, AttemptOutcome::Succeeded, over, at(2))]).await;
    let now = kit.again(&job).await;
    kit.fire(at(1_000), vec![now.entry(0)]).await;
    kit.again(&job).await
}

async fn open(path: &Path) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open(path, Options::default()).unwrap())
}

impl Two {
    async fn new(path: &Path) -> Self {
        let mut kit = Kit::new(open(path).await).await;
        let a = fill(&mut kit, "a").await;
        let b = fill(&mut kit, "b").await;
        Self { path: path.to_owned(), kit, a, b }
    }

    /// Changes the file behind the store's back.
    async fn damage(self, text: &str) -> Self {
        self.kit.store.close().await.unwrap();
        let connection = rusqlite::Connection::open(&self.path).unwrap();
        // A newer schema admits more words.
        let schema = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (', 'CHECK (1 OR ') \
                      WHERE type = 'table'; PRAGMA writable_schema = RESET";
        connection.execute_batch(schema).unwrap();
        connection.execute_batch(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        drop(connection);
        let kit = Kit::restarted(open(&self.path).await, Incarnation(7)).await;
        Self { kit, ..self }
    }

    /// Every read and every step of the engine goes on for `b`.
    async fn goes_on(&mut self, what: &str) {
        let store = Arc::clone(&self.kit.store);
        let runs = store.runs(RunQuery { limit: 100, ..RunQuery::default() }).await.expect(what);
        assert!(runs.iter().filter(|run| run.job == self.b.id()).count() >= 2, "{what}: {runs:?}");
        for run in &runs {
            store.attempts(run.id).await.expect(what);
        }
        // One at a time: what is passed over must not look like the end.
        let (mut walked, mut before) = (Vec::new(), None);
        while let [run] = &store.runs(RunQuery { before, limit: 1, ..RunQuery::default() }).await.expect(what)[..] {
            before = Some(run.id);
            walked.push(run.clone());
        }
        assert_eq!(walked, runs, "{what}");
        let jobs = store
            .jobs(JobQuery { limit: 1, name_contains: Some("b".into()), ..JobQuery::default() })
            .await
            .expect(what);
        assert_eq!(jobs.len(), 1, "{what}");
        let gaps: Vec<GapRow> = store.gaps(None, 0, 1).await.expect(what);
        assert_eq!(gaps.len(), 1, "{what}");
        assert!(
            store
                .triggers(TriggerQuery { limit: 9, ..TriggerQuery::default() })
                .await
                .expect(what)
                .iter()
                .any(|info| info.job.id == self.b.id()),
            "{what}"
        );
        store.events(0, 100).await.expect(what);
        store.stranded().await.expect(what);
        let (mut rows, mut after) = (Vec::new(), None);
        loop {
            let (page, next) = store.window(ShardSet::ALL, Timestamp::MAX, after, 1).await.expect(what);
            rows.extend(page);
            after = next;
            if after.is_none() {
                break;
            }
        }
        assert!(rows.iter().any(|row| row.id == self.b.row(0).id), "{what}: {rows:?}");
        let both = [self.a.row(0).id, self.b.row(0).id];
        assert!(!store.trigger_rows(&both).await.expect(what).is_empty(), "{what}");
        // A batch of both: `a` may be stale, `b` is recorded.
        let now = self.kit.again(&self.b).await;
        let (first, second) = (self.a.entry(0), now.entry(0));
        let outcome = self.kit.fire(at(5_000), vec![first, second]).await;
        assert!(!outcome.stale.contains(&1) && !outcome.placed.is_empty(), "{what}: {outcome:?}");
        let run = now.next_run(0);
        store.release_due(at(5_000), 9).await.expect(what);
        while self.kit.run(run).await.state != RunState::Running {
            assert!(!self.kit.claim(9, at(5_000)).await.is_empty(), "{what}");
        }
        let end = now.verdict(run, Verdict::Succeeded, at(5_001));
        assert_eq!(self.kit.complete(at(5_001), vec![end]).await.refused, NONE, "{what}");
    }
}

/// Every column that holds a word, and rows of the job that has the unknown one.
const WORDS: [(&str, &str); 8] = [
    ("trigger_state.status", "id IN (SELECT id FROM job_trigger WHERE job_id = {job})"),
    ("run.state", "job_id = {job}"),
    ("run.origin", "job_id = {job}"),
    ("history.state", "job_id = {job}"),
    ("history.origin", "job_id = {job}"),
    ("attempt.outcome", "run_id IN (SELECT id FROM history WHERE job_id = {job})"),
    ("fire_gap.outcome", "job_id = {job}"),
    ("fire_gap.reason", "job_id = {job}"),
];

/// The schema lists the columns that hold words by their CHECK; one that is new has to be added above.
#[test]
fn every_column_with_words_is_tried() {
    let schema = include_str!("../../../migrations/sqlite/0001_begin.sql");
    let (mut table, mut found) = ("", Vec::new());
    for line in schema.lines() {
        if let Some(rest) = line.strip_prefix("CREATE TABLE ") {
            table = rest.split_whitespace().next().unwrap();
        }
        if let Some((_, rest)) = line.split_once("CHECK (")
            && let Some((column, _)) = rest.split_once(" = '")
        {
            found.push(format!("{table}.{column}"));
        }
    }
    assert!(found.len() >= 4, "{found:?}");
    for column in found {
        assert!(WORDS.iter().any(|(known, _)| *known == column), "{column} is not tried");
    }
}

#[test]
fn unknown_word_in_a_row_is_that_rows_matter_alone() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for (place, rows) in WORDS {
        let (table, column) = place.split_once('.').unwrap();
        let mut runner = TestRunner::new(Config { cases: 3, failure_persistence: None, ..Config::default() });
        let done = runner.run(&"[a-z_]{0,12}x", |word| {
            runtime.block_on(async {
                let folder = tempfile::tempdir().unwrap();
                let two = Two::new(&folder.path().join("s.db")).await;
                let rows = rows.replace("{job}", &two.a.id().0.to_string());
                let text = format!("UPDATE {table} SET {column} = '{word}' WHERE {rows}");
                two.damage(&text).await.goes_on(&format!("{place} = `{word}`")).await;
            });
            Ok(())
        });
        done.unwrap_or_else(|error| panic!("{error}"));
    }
}

#[tokio::test]
async fn definition_that_cannot_be_read_keeps_no_other_from_being_read() {
    let folder = tempfile::tempdir().unwrap();
    let two = Two::new(&folder.path().join("s.db")).await;
    let text = format!("UPDATE job_version SET definition = '{{\"tomorrow\": 1}}' WHERE job_id = {}", two.a.id());
    let two = two.damage(&text).await;
    let store = &two.kit.store;
    let keys = [(two.a.id(), JobVersion(1)), (two.b.id(), JobVersion(1))];
    let found = store.definitions(&keys).await.unwrap();
    let of = |job| found.iter().find(|(key, _)| key.0 == job).map(|(_, definition)| definition).unwrap();
    assert_eq!(of(two.b.id()).as_deref(), Ok(&*two.b.job.definition));
    let why = of(two.a.id()).as_ref().unwrap_err();
    assert!(why.contains("the definition of a job: missing field `key`"), "{why}");
    for limit in [1, 9] {
        let jobs = store.jobs(JobQuery { limit, ..JobQuery::default() }).await.unwrap();
        assert_eq!(jobs.iter().map(|job| job.id).collect::<Vec<_>>(), [two.b.id()]);
        let triggers = store.triggers(TriggerQuery { limit, ..TriggerQuery::default() }).await.unwrap();
        assert_eq!(triggers.iter().map(|info| info.job.id).collect::<Vec<_>>(), [two.b.id()]);
    }
    let alone = store.job(&two.a.job.definition.key).await.unwrap_err();
    assert!(matches!(&alone, Error::Unusable { why, .. } if why.contains("newer version")), "{alone}");
    assert!(store.set_trigger_error(two.a.row(0).id, two.a.row(0).version, why, at(1)).await.unwrap());
    let warnings = store.warnings().await.unwrap();
    let told = warnings.iter().find(|warning| warning.code == "trigger.error").unwrap();
    assert!(told.message.contains("default/a/t: the definition of a job"), "{told:?}");
}
