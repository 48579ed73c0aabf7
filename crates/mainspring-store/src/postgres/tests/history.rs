//! Days of the history: made ahead, read across, dropped.

use mainspring_core::run::{RunState, Verdict};
use mainspring_core::{RunId, Timestamp};
use tokio::task::block_in_place;

use super::*;
use crate::conformance::kit::{Draft, Kept, Kit, NONE, at, new_run};
use crate::{PurgeRule, RunQuery};

const DAY: i64 = 24 * 60 * 60 * 1000;

/// A store with a job.
struct Place {
    url: String,
    kit: Kit,
    job: Kept,
}

impl Place {
    async fn new() -> Self {
        let url = tokio::task::spawn_blocking(database).await.unwrap();
        let kit = Kit::new(open(&url).await).await;
        let job = kit.save(Draft::new("a").trigger("t", at(0))).await;
        Self { url, kit, job }
    }

    /// Records a run of an instant and its end.
    async fn run(&mut self, fire_ms: i64, end_ms: i64) -> RunId {
        let run = self.begin(fire_ms).await;
        self.end(run, end_ms).await;
        run
    }

    async fn begin(&mut self, fire_ms: i64) -> RunId {
        let mut entry = self.kit.again(&self.job).await.entry(0);
        entry.runs = vec![new_run(entry.trigger, at(fire_ms), true)];
        let run = entry.runs[0].id;
        self.kit.fire(at(fire_ms), vec![entry]).await;
        run
    }

    async fn end(&mut self, run: RunId, end_ms: i64) {
        let end = self.job.verdict(run, Verdict::Succeeded, at(end_ms));
        assert_eq!(self.kit.complete(at(end_ms), vec![end]).await.refused, NONE);
    }

    /// The days with a partition, counted from that of the first instant.
    fn days(&self) -> Vec<i64> {
        let first = at(0).as_millis() / DAY;
        let text = "SELECT c.relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid \
                    WHERE inhparent = 'history'::regclass";
        let names = block_in_place(|| session(&self.url).run_simple(text).unwrap());
        let mut days: Vec<i64> =
            names.iter().map(|name| name.strip_prefix("history_").unwrap().parse::<i64>().unwrap() - first).collect();
        days.sort_unstable();
        days
    }
}

async fn open(url: &str) -> Arc<dyn Store> {
    let url = url.to_owned();
    tokio::task::spawn_blocking(move || Arc::new(PostgresStore::open(&url).unwrap()) as Arc<dyn Store>).await.unwrap()
}

/// Keeps what is younger than `before_ms`, at `now_ms`.
fn rule(now_ms: i64, before_ms: i64) -> PurgeRule {
    let never = Timestamp::MIN;
    PurgeRule {
        at: at(now_ms),
        history_before: at(before_ms),
        history_keep_per_job: None,
        events_before: never,
        tombstones_before: never,
        limit: 1_000,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn days_are_made_ahead_as_time_goes_on() {
    let mut place = Place::new().await;
    assert!(place.days().is_empty());
    for (now, days) in [(0, vec![0, 1, 2, 3]), (DAY - 124, vec![0, 1, 2, 3]), (2 * DAY, vec![0, 1, 2, 3, 4, 5])] {
        place.kit.store.purge(rule(now, -DAY)).await.unwrap();
        assert_eq!(place.days(), days, "{now}");
    }
    place.run(9 * DAY, 9 * DAY).await;
    assert_eq!(place.days(), [0, 1, 2, 3, 4, 5, 9], "a day that is missing is made by the first end in it");
}

#[tokio::test(flavor = "multi_thread")]
async fn days_that_are_too_old_go_as_a_whole() {
    let mut place = Place::new().await;
    let old = [place.run(0, 5).await, place.run(1, 6).await];
    let late = place.run(DAY, 3 * DAY).await;
    let open = place.begin(2 * DAY).await;
    let young = place.run(4 * DAY, 4 * DAY).await;
    assert_eq!(place.kit.store.purge(rule(0, 0)).await.unwrap(), 0, "the first day is not over");
    // Rows are gone without having been deleted one by one: the limit of a step does not count them.
    let step = PurgeRule { limit: 0, ..rule(5 * DAY, 3 * DAY) };
    assert_eq!(place.kit.store.purge(step).await.unwrap(), 1);
    assert_eq!(place.days(), [1, 2, 3, 4, 5, 6, 7, 8], "a run that ended later, or has not ended, keeps its day");
    let states = place.kit.states(&[old[0], old[1], late, open, young]).await;
    let over = Some(RunState::Succeeded);
    assert_eq!(states, [None, None, over, Some(RunState::Running), over]);
    place.end(open, 4 * DAY + 1).await;
    assert_eq!(
        place.kit.store.purge(PurgeRule { limit: 0, ..rule(5 * DAY, 4 * DAY) }).await.unwrap(),
        2,
        "the late run is too old, and nobody ran on the third day"
    );
    assert_eq!(place.days(), [2, 4, 5, 6, 7, 8]);
    assert_eq!(place.kit.states(&[late, open, young]).await, [None, over, over]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_late_run_keeps_from_being_dropped_is_deleted_row_by_row() {
    let mut place = Place::new().await;
    let (old, late) = (place.run(0, 1).await, place.run(1, 9 * DAY).await);
    place.kit.store.purge(rule(9 * DAY, DAY)).await.unwrap();
    assert_eq!(place.kit.states(&[old, late]).await.iter().flatten().count(), 2, "its day may still go whole");
    place.kit.store.purge(rule(9 * DAY, 2 * DAY)).await.unwrap();
    assert_eq!(place.kit.states(&[old, late]).await, [None, Some(RunState::Succeeded)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn history_is_read_across_days() {
    let mut place = Place::new().await;
    let mut runs = Vec::new();
    for hour in 0..72 {
        runs.push(place.run(hour * DAY / 24, hour * DAY / 24).await);
    }
    runs.reverse();
    let (mut found, mut before) = (Vec::new(), None);
    loop {
        let query = RunQuery { job: Some(place.job.id()), before, limit: 7, ..RunQuery::default() };
        let page: Vec<RunId> = place.kit.store.runs(query).await.unwrap().iter().map(|run| run.id).collect();
        let Some(last) = page.last() else { break };
        before = Some(*last);
        found.extend(page);
    }
    assert_eq!(found, runs);
    let noon = RunQuery { from: Some(at(DAY / 2)), to: Some(at(3 * DAY / 2)), limit: 99, ..RunQuery::default() };
    let between: Vec<RunId> = place.kit.store.runs(noon).await.unwrap().iter().map(|run| run.id).collect();
    assert_eq!(between, runs[36..60]);
}

/// The second session still knows the day that the first one drops.
#[tokio::test(flavor = "multi_thread")]
async fn day_that_was_dropped_is_made_again_by_whoever_needs_it() {
    let mut place = Place::new().await;
    place.run(0, 0).await;
    let other = open(&place.url).await;
    assert_eq!(other.purge(rule(9 * DAY, 5 * DAY)).await.unwrap(), 1);
    let late = place.run(1, 9 * DAY).await;
    assert_eq!(place.kit.run(late).await.state, RunState::Succeeded);
    assert!(place.days().contains(&0));
}

/// What a transaction has made that was undone is not there.
#[tokio::test(flavor = "multi_thread")]
async fn day_whose_making_was_undone_is_made_again() {
    let place = Place::new().await;
    block_in_place(|| {
        let db = session(&place.url);
        for _ in 0..2 {
            db.make_room(&mut std::iter::once(RunId::floor(at(0)))).unwrap();
            assert_eq!(
                db.run_simple("SELECT count(*) FROM pg_inherits WHERE inhparent = 'history'::regclass").unwrap(),
                ["1"]
            );
            db.roll_back().unwrap();
        }
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_look_after_history_at_once_do_not_fight() {
    let mut place = Place::new().await;
    for day in 0..6 {
        place.run(day * DAY, day * DAY + 1).await;
    }
    let nodes = [open(&place.url).await, open(&place.url).await, open(&place.url).await];
    let pass = |store: &Arc<dyn Store>| {
        let store = Arc::clone(store);
        tokio::spawn(async move { store.purge(rule(9 * DAY, 4 * DAY + DAY / 2)).await.unwrap() })
    };
    let passes: Vec<_> = nodes.iter().cycle().take(9).map(pass).collect();
    // Ends go on meanwhile, in days that go and in days that stay.
    for ms in 2..30 {
        place.run((ms % 6) * DAY + ms, 9 * DAY).await;
    }
    for pass in passes {
        pass.await.unwrap();
    }
    place.kit.store.purge(rule(9 * DAY, 4 * DAY + DAY / 2)).await.unwrap();
    let runs = place.kit.all_runs().await;
    let late = runs.iter().filter(|run| run.ended_at == Some(at(9 * DAY))).count();
    assert_eq!(
        (late, runs.len()),
        (28, 31),
        "nothing young is lost; of the old ones, those of the day that is just over"
    );
}

/// A reader in the way, as long as it likes: ends go on, and the day goes when the reader has gone.
#[tokio::test(flavor = "multi_thread")]
async fn dropping_a_day_stands_in_nobodys_way() {
    let mut place = Place::new().await;
    place.run(0, 0).await;
    let reader = block_in_place(|| session(&place.url));
    block_in_place(|| {
        reader.run_alone("SET idle_in_transaction_session_timeout = 0; BEGIN; SELECT count(*) FROM history").unwrap();
    });
    let store = Arc::clone(&place.kit.store);
    let pass = tokio::spawn(async move { store.purge(rule(9 * DAY, 5 * DAY)).await.unwrap() });
    // Each end waits for the drop's patience at most, far less than for a lock.
    for ms in 1..20 {
        place.run(9 * DAY + ms, 9 * DAY + ms).await;
    }
    assert_eq!(pass.await.unwrap(), 1, "its rows are too old, and are deleted");
    assert!(place.days().contains(&0), "the reader holds it");
    block_in_place(move || drop(reader));
    assert_eq!(place.kit.store.purge(rule(9 * DAY, 5 * DAY)).await.unwrap(), 1);
    assert!(!place.days().contains(&0));
}
