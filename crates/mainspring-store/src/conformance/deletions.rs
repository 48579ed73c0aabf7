//! Deleting many jobs.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::job::JobKey;

use super::kit::{Draft, Kit, at};
use crate::{Error, Expect, JobDelete, Store};

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
