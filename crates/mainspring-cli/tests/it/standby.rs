//! The database fails over to its standby: what came over is kept, and what did not is made again under the same ids.

use std::collections::BTreeSet;

use mainspring_core::{RunId, Timestamp};
use mainspring_engine::{Clock, SystemClock};
use mainspring_rig::{Bounds, History, Kind, Replication, Run, Shutdown, check};

use crate::arena::{Arena, Followed, shared_by};
use crate::live::Live;

/// What the record of a run says that was made again: an instant of a job, and the id.
type Made = BTreeSet<(String, Timestamp, RunId)>;

#[test]
fn failover_to_a_synchronous_standby_loses_nothing() {
    let (arena, mut database) = Arena::followed(Replication::Synchronous);
    let nodes = arena.three();
    arena.work(&nodes[0]);
    database.server.stop(Shutdown::Immediate).unwrap();
    database.fail_over();
    notice(&arena, &nodes, "DatabaseChanged");
    let report = arena.accounted(Bounds::default());
    assert_eq!(report.missed, 0, "{report}");
    let shown = recovered(&arena, &nodes[0], &runs(&arena, &arena.address));
    assert_eq!(shown, Made::new(), "nothing had to be made again");
    assert!(report.lost_attempts > 0, "what was under way was given up: {report}");
}

#[test]
fn what_an_asynchronous_standby_has_not_heard_is_made_again_under_the_same_ids() {
    let (arena, mut database) = Arena::followed(Replication::Asynchronous);
    let nodes = arena.three();
    arena.work(&nodes[0]);
    let kept = runs(&arena, &arena.address);
    database.server.cut_off(&database.standby).unwrap();
    arena.recorded(SystemClock.now());
    let before = runs(&arena, &arena.address);
    database.server.stop(Shutdown::Immediate).unwrap();
    let stopped = SystemClock.now();
    database.standby.promote().unwrap();
    let came_over = runs(&arena, &database.standby_address());
    assert!(came_over.is_superset(&kept), "what was recorded before the tail is there");
    let lost: Made = before.difference(&came_over).cloned().collect();
    assert!(lost.len() > 30, "every trigger has fired in the tail that is lost: {lost:?}");

    database.wire.point_to(database.standby.port());
    // By its fence, or by its next renewal.
    notice(&arena, &nodes, "lost what it had acknowledged");
    let history = arena.history();
    let after = made(&history);
    // Whether a fire finds the limit of its job reached may come out otherwise.
    let limited = |(job, ..): &(String, Timestamp, RunId)| job == "default/alone";
    let gone: Vec<_> = before.difference(&after).filter(|made| !limited(made)).collect();
    assert!(gone.is_empty(), "not made again: {gone:?}");
    let report = check(&history, Bounds::default());
    // Also what fired after the server was read, and before it was stopped.
    let is_known = |place: &str, at| came_over.iter().any(|(job, fire_time, _)| job == place && *fire_time == at);
    let of_the_tail = |place: &str, at| at <= stopped && !is_known(place, at);
    let repeated = |kind| matches!(kind, Kind::StartedTwice | Kind::StartWithoutRecord);
    let wrong = report.problems.iter().filter(|problem| {
        let excused = repeated(problem.kind) && of_the_tail(&problem.place, problem.at);
        !excused && (problem.kind, problem.place.as_str()) != (Kind::Overlap, "default/alone")
    });
    assert_eq!(wrong.count(), 0, "{report}");
    assert_eq!(report.missed, 0, "{report}");
    let recovered = recovered(&arena, &nodes[0], &after);
    let unmarked: Vec<_> = lost.intersection(&after).filter(|made| !recovered.contains(made)).collect();
    assert!(unmarked.is_empty(), "made again without a mark: {unmarked:?}");
    assert!(came_over.is_disjoint(&recovered), "what came over was not made again");
}

impl Followed {
    /// Puts the standby in the place of the server, which has been stopped.
    fn fail_over(&self) {
        self.standby.promote().unwrap();
        self.wire.point_to(self.standby.port());
    }

    /// Where the standby has the database of the test.
    fn standby_address(&self) -> String {
        self.standby.url().replace("/postgres", "/arena")
    }
}

/// Waits until every node has said that it noticed, and takes part again.
fn notice(arena: &Arena, nodes: &[Live; 3], words: &str) {
    nodes.iter().for_each(|node| node.said(words));
    arena.sees(&nodes[0], "three nodes share the shards", shared_by(3));
}

/// Those of the runs that a node shows as recovered.
fn recovered(arena: &Arena, node: &Live, runs: &Made) -> Made {
    let client = node.client();
    // A session that ended with the other server says so once.
    let shown = |id: RunId| arena.wait("a run is shown", async || client.run(&id.to_string()).await.ok());
    runs.iter().filter(|(.., id)| shown(*id).recovered).cloned().collect()
}

fn runs(arena: &Arena, address: &str) -> Made {
    let store = arena.store_at(address);
    let history = arena.runtime.block_on(History::read(&*store, &arena.witness, SystemClock.now())).unwrap();
    arena.runtime.block_on(store.close()).unwrap();
    made(&history)
}

fn made(history: &History) -> Made {
    let one = |run: &Run| (run.job.clone(), run.fire_time, run.id);
    history.runs.iter().map(one).collect()
}
