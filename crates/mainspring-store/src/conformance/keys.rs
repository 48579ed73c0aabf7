//! Idempotency keys.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::{Incarnation, Timestamp};

use super::kit::{Draft, Kit, at};
use crate::{Claimed, Error, Expect, JobUpdate, KeyClaim, KeyHold, Release, Store};

fn first(since: Timestamp) -> Claimed {
    Claimed::Yours { since, again: false }
}

fn again(since: Timestamp) -> Claimed {
    Claimed::Yours { since, again: true }
}

pub async fn key_is_claimed_once_and_answered_ever_after(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let me = kit.incarnation;
    assert_eq!(kit.claim_key("key", me, at(1)).await, first(at(1)));
    assert_eq!(kit.claim_key("key", me, at(1)).await, first(at(1)), "as after an ambiguous commit");
    assert_eq!(kit.claim_key("key", me, at(2)).await, again(at(1)), "whoever asks knows that its own is over");
    let answer = kit.answer_key("key", "{\"text\": \"ü\"}", at(3)).await;
    for ms in [3, 999_999] {
        assert_eq!(kit.claim_key("key", me, at(ms)).await, Claimed::Answered(answer.clone()));
    }
}

pub async fn key_is_for_one_request(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let by = kit.incarnation;
    let other = KeyClaim { key: "key".into(), request_hash: [1; 32], by, at: at(9), lapse_ms: 1 };
    kit.claim_key("key", by, at(1)).await;
    assert_eq!(kit.store.claim_key(other.clone()).await.expect("claim_key"), Claimed::Reused, "also after it lapsed");
    kit.answer_key("key", "", at(2)).await;
    assert_eq!(kit.store.claim_key(other).await.expect("claim_key"), Claimed::Reused);
}

pub async fn first_answer_stays(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    kit.answer_key("key", "unclaimed", at(1)).await;
    assert_eq!(kit.claim_key("key", kit.incarnation, at(1)).await, first(at(1)), "nothing is kept without a claim");
    let answer = kit.answer_key("key", "one", at(2)).await;
    kit.answer_key("key", "two", at(3)).await;
    for how in [Release::LetGo, Release::Forget] {
        kit.store.release_key("key", kit.incarnation, how).await.expect("release_key");
    }
    assert_eq!(kit.claim_key("key", kit.incarnation, at(4)).await, Claimed::Answered(answer));
}

pub async fn claim_of_a_process_that_is_gone_is_taken_over(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let dead = Incarnation(7);
    assert_eq!(kit.claim_key("key", dead, at(1)).await, first(at(1)));
    assert_eq!(kit.claim_key("key", kit.incarnation, at(2)).await, again(at(1)), "it is the same deed");
    kit.store.release_key("key", dead, Release::Forget).await.expect("release_key");
    assert_eq!(kit.claim_key("key", kit.incarnation, at(3)).await, again(at(1)));
}

pub async fn claim_that_is_given_up_is_new_or_goes_on(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let me = kit.incarnation;
    for (how, then) in [(Release::Forget, first(at(2))), (Release::LetGo, again(at(2)))] {
        kit.claim_key("key", me, at(1)).await;
        kit.store.release_key("key", me, how).await.expect("release_key");
        assert_eq!(kit.claim_key("key", me, at(2)).await, then, "{how:?}");
    }
    kit.store.release_key("none", me, Release::LetGo).await.expect("nothing to give up");
}

pub async fn what_is_asked_under_a_claim_is_refused_once_another_has_it(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(60_000))).await;
    let (me, dead) = (kit.incarnation, Incarnation(7));
    let store = Arc::clone(&kit.store);
    let pause = async |by, paused| {
        let row = store.job(&job.job.definition.key).await.expect("job").expect("there");
        let (triggers, expected_change) = (Vec::new(), row.change);
        let update = JobUpdate { job: row.id, expected_change, paused: Some(paused), triggers, at: at(5) };
        let hold = KeyHold { key: "key".into(), by };
        hold.scope(store.update_job(update)).await.map(|row| row.paused)
    };
    let is_superseded = |answer| matches!(answer, Err(Error::Superseded { key }) if key == "key");
    assert!(is_superseded(pause(dead, true).await), "it is nobody's");
    assert_eq!(kit.claim_key("key", dead, at(1)).await, first(at(1)));
    assert!(pause(dead, true).await.expect("its own"));
    assert!(is_superseded(pause(me, false).await), "it is another's");
    assert_eq!(kit.claim_key("key", me, at(2)).await, again(at(1)));
    assert!(is_superseded(pause(dead, false).await), "taken over");
    assert!(!pause(me, false).await.expect("its own"));
    kit.answer_key("key", "", at(3)).await;
    assert!(is_superseded(pause(me, true).await), "answered");
    assert_eq!(kit.claim_key("other", me, at(4)).await, first(at(4)));
    let delete = async || store.delete_job(&job.job.definition.key, Expect::Anything, Vec::new(), at(5)).await;
    let under = |key: &str| KeyHold { key: key.into(), by: me };
    assert!(is_superseded(under("key").scope(delete()).await.map(|()| true)));
    under("other").scope(delete()).await.expect("its own");
}

pub async fn keys_that_differ_in_case_are_different(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    kit.claim_key("key", kit.incarnation, at(1)).await;
    kit.answer_key("key", "", at(1)).await;
    assert_eq!(kit.claim_key("KEY", kit.incarnation, at(2)).await, first(at(2)));
}
