//! What two sessions of a server do to each other, for both servers.

use std::sync::Arc;

use mainspring_core::batch::{FireBatch, FireEntry, FireOutcome, Placed};
use mainspring_core::job::Overlap;
use tokio::runtime::Runtime;

use super::db::{Lock, ToSql, sql};
use super::lane::Server;
use crate::conformance::kit::{Draft, Kept, Kit, at};
use crate::store::Store;

/// A trigger, or the gate of its job, that another transaction has locked does not keep the batch waiting; it is recorded
/// once it is free. `other` is a session that may stay in a transaction for as long as it likes.
pub(crate) fn batch_passes_over_what_others_have_locked(store: Arc<dyn Store>, other: &impl Server) {
    let runtime = Runtime::new().unwrap();
    let mut kit = runtime.block_on(Kit::new(store));
    let jobs = runtime.block_on(async {
        let draft = |number: u32| {
            let draft = Draft::new(&format!("job-{number}")).trigger("t", at(1_000));
            if number % 2 == 0 { draft.0 } else { draft.limit(Overlap::Skip, 9).0 }
        };
        let saved = kit.save_all((0..100).map(draft).collect()).await;
        let mut jobs = Vec::new();
        for saved in saved {
            jobs.push(kit.kept(&saved.job.definition.key).await);
        }
        jobs.sort_by_key(|job| job.row(0).id);
        jobs
    });
    let locked: [(usize, super::db::Sql, i64); 3] = [
        (4, sql!("lock_trigger"), jobs[4].row(0).id.0),
        (7, sql!("lock_trigger"), jobs[7].row(0).id.0),
        (9, sql!("gate_read"), jobs[9].id().0),
    ];
    for (_, statement, number) in locked {
        let name = if number == jobs[9].id().0 && statement.text == sql!("gate_read").text { ":job" } else { ":id" };
        other.lock(statement, Lock::Write, &[(name, &number as &dyn ToSql)]).unwrap();
    }
    let entries: Vec<FireEntry> = jobs.iter().map(|job| job.claimed_entry(0)).collect();
    let batch = Arc::new(FireBatch { id: kit.batch_id(), at: at(1_000), entries });
    let outcome = runtime.block_on(kit.store.fire(Arc::clone(&batch))).unwrap();
    assert_eq!((&outcome.busy[..], &outcome.stale[..], &outcome.blocked[..]), (&[4, 7, 9][..], &[][..], &[][..]));
    assert_eq!(outcome.placed, [Placed::Running; 97]);
    other.roll_back().unwrap();

    // What was left out is fired by the next batch; a repeat of the first one would do it, too.
    let left = |jobs: &[Kept]| vec![jobs[4].claimed_entry(0), jobs[9].claimed_entry(0)];
    let outcome = runtime.block_on(kit.fire(at(1_001), left(&jobs)));
    assert_eq!(outcome, FireOutcome { placed: vec![Placed::Running; 2], ..FireOutcome::default() });
    let outcome = runtime.block_on(kit.store.fire(batch)).unwrap();
    assert_eq!((&outcome.busy[..], &outcome.stale[..]), (&[][..], &[4, 9][..]), "the others have fired meanwhile");
    assert_eq!(outcome.placed, [Placed::Running; 98]);
    let runs = runtime.block_on(kit.store.info()).unwrap().live_runs;
    assert_eq!(runs, 100, "each has one run");
}
