//! Deleting many jobs.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::after::AfterOn;
use mainspring_core::batch::{Gap, GapOutcome, GapReason};
use mainspring_core::job::{JobKey, Overlap, ScheduleDefinition, TriggerDefinition};
use mainspring_core::run::RunState;
use mainspring_core::{JobId, Timestamp};

use super::kit::{Draft, Kept, Kit, at};
use crate::{Error, Expect, JobDelete, JobQuery, Store, TriggerEnd};

pub async fn jobs_are_deleted_together_or_not_at_all(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let mut keys = Vec::new();
    for name in ["c", "a", "b"] {
        let job = kit.save(Draft::new(name).trigger("t", at(1_000))).await;
        keys.push(job.job.definition.key.clone());
    }
    let delete = |key: &JobKey, expect| JobDelete { key: key.clone(), expect, ends: Vec::new() };
    let any = |key| delete(key, Expect::Anything);
    let missing = JobKey::new("default", "none");
    for (deletes, conflict) in [
        (vec![any(&keys[0]), delete(&keys[1], Expect::Change(9))], true),
        (vec![any(&keys[0]), any(&missing)], false),
        (vec![any(&keys[0]), any(&keys[1]), any(&keys[0])], false),
    ] {
        let error = kit.store.delete_jobs(deletes, at(2_000)).await.expect_err("one of them cannot be");
        assert_eq!(matches!(error, Error::Conflict { .. }), conflict, "{error}");
        for key in &keys {
            assert!(kit.store.job(key).await.expect("job").is_some(), "{key} is still there");
        }
    }
    kit.store.delete_jobs(vec![any(&keys[0]), delete(&keys[2], Expect::Change(1))], at(2_000)).await.expect("delete");
    for (key, there) in [(&keys[0], false), (&keys[1], true), (&keys[2], false)] {
        assert_eq!(kit.store.job(key).await.expect("job").is_some(), there, "{key}");
    }
    assert_eq!(kit.store.prior(&keys[0]).await.expect("prior").tombstones.len(), 1);
    kit.store.delete_jobs(Vec::new(), at(3_000)).await.expect("nothing");
}

pub async fn jobs_that_are_deleted_together_leave_what_each_leaves_alone(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let alone = deleted(&mut kit, "alone", false).await;
    let together = deleted(&mut kit, "together", true).await;
    assert_eq!(together, alone);
    assert_eq!(alone.states, [Some(RunState::Running), Some(RunState::Cancelled), Some(RunState::Cancelled)]);
    assert_eq!((alone.gaps.len(), alone.triggers_noted, alone.follows, alone.has_deadlines), (1, 4, 0, false));
}

/// What deleted jobs have left.
#[derive(PartialEq, Debug)]
struct Left {
    states: Vec<Option<RunState>>,
    gaps: Vec<(i64, u64)>,
    /// Names of triggers, and through when they had fired.
    tombstones: Vec<(String, Option<Timestamp>)>,
    triggers_noted: usize,
    /// Triggers that come after other jobs.
    follows: usize,
    has_deadlines: bool,
    events: Vec<String>,
    labelled: Vec<JobId>,
}

/// Saves jobs whose names begin so, deletes all of them but the last, and tells what they leave.
async fn deleted(kit: &mut Kit, name: &str, together: bool) -> Left {
    let named =
        |end: &str| Draft::new(&format!("{name}-{end}")).edit(|job| _ = job.labels.insert("of".into(), name.into()));
    let limited =
        kit.save(named("limited").limit(Overlap::Hold, 1).trigger("t", at(1_000)).trigger("u", at(9_000))).await;
    let late = kit.save(named("late").trigger("t", at(1_000)).edit(|job| job.deadline_ms = Some(60_000))).await;
    let after = ScheduleDefinition::After { jobs: vec![format!("{name}-late")], on: AfterOn::Any };
    let follows = kit.save(named("follows").trigger_with(TriggerDefinition::new("t", after), None)).await;
    let other = kit.save(named("other").trigger("t", at(1_000))).await;
    kit.fire(at(1_500), vec![limited.claimed_entry(0)]).await;
    let (held, _) = kit.ask(&limited, 1, at(1_500)).await;
    let (asked, _) = kit.ask(&late, 1, at(1_500)).await;
    kit.changed_triggers().await;
    let seen = kit.store.last_event().await.expect("last_event");

    let gap = Gap {
        first: at(1_000),
        last: at(2_000),
        count: 2,
        outcome: GapOutcome::Missed,
        reason: GapReason::Deleted,
        policy: "delete".into(),
    };
    let ends = vec![TriggerEnd { id: late.row(0).id, expected_fired_through: None, gap }];
    let delete = |job: &Kept, ends| JobDelete { key: job.job.definition.key.clone(), expect: Expect::Anything, ends };
    let mut deletes = vec![delete(&late, ends), delete(&limited, Vec::new()), delete(&follows, Vec::new())];
    deletes.sort_by(|a, b| a.key.cmp(&b.key));
    let keys: Vec<JobKey> = deletes.iter().map(|it| it.key.clone()).collect();
    if together {
        kit.store.delete_jobs(deletes, at(3_000)).await.expect("delete_jobs");
    } else {
        for JobDelete { key, expect, ends } in deletes {
            kit.store.delete_job(&key, expect, ends, at(3_000)).await.expect("delete_job");
        }
    }
    let mut tombstones = Vec::new();
    for prior in kit.store.priors(&keys).await.expect("priors") {
        assert!(prior.job.is_none() && prior.triggers.is_empty(), "{prior:?}");
        tombstones.extend(prior.tombstones.into_iter().map(|stone| (stone.name, stone.fired_through)));
    }
    let others = kit.store.priors(std::slice::from_ref(&other.job.definition.key)).await.expect("priors");
    assert_eq!(others[0].triggers.len(), 1);
    let gaps = kit.store.gaps(Some(late.row(0).id), 0, 10).await.expect("gaps");
    let events = kit.store.events(seen, 10_000).await.expect("events");
    let query = JobQuery { label: Some(("of".into(), name.into())), limit: 10, ..JobQuery::default() };
    let labelled = kit.store.jobs(query).await.expect("jobs");
    Left {
        states: kit.states(&[limited.next_run(0), held, asked]).await,
        gaps: gaps.iter().map(|row| (row.gap.first.as_millis(), row.gap.count)).collect(),
        tombstones,
        triggers_noted: kit.changed_triggers().await.len(),
        follows: kit.store.after_edges("default").await.expect("after_edges").len(),
        has_deadlines: kit.store.deadlines_due(at(0), 9).await.expect("deadlines_due").used,
        events: events.iter().filter(|it| it.kind != "runs").map(|it| it.payload.replace(name, "")).collect(),
        labelled: labelled.iter().map(|job| job.id).filter(|id| *id != other.id()).collect(),
    }
}
