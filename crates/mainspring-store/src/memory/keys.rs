//! Idempotency keys.

use mainspring_core::{Incarnation, Timestamp};

use super::model::Model;
use crate::error::Result;
use crate::key::{Claimed, Holder, KeptAnswer, KeyClaim, KeyHold, KeyRow, Release};

/// A key with the process start that holds its claim.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) row: KeyRow,
    claimed_by: Option<Incarnation>,
}

/// See [`crate::Store::claim_key`].
pub(super) fn claim(model: &mut Model, claim: &KeyClaim) -> Claimed {
    let key = model.keys.entry(claim.key.clone()).or_insert_with(|| new(claim));
    let lives = |node| model.nodes.as_ref().is_some_and(|nodes| nodes.rows().contains_key(&node));
    let holder = match key.claimed_by {
        Some(holder) if holder == claim.by => Holder::Me,
        Some(holder) if lives(holder) => Holder::Other,
        _ => Holder::Nobody,
    };
    let claimed = key.row.clone().meets(claim, holder);
    if matches!(claimed, Claimed::Yours { .. }) {
        (key.claimed_by, key.row.claimed_at) = (Some(claim.by), claim.at);
    }
    claimed
}

const fn new(claim: &KeyClaim) -> Key {
    let row = KeyRow { request_hash: claim.request_hash, answer: None, kept_at: claim.at, claimed_at: claim.at };
    Key { row, claimed_by: Some(claim.by) }
}

/// Refuses what is asked under a claim that is another's by now.
pub(super) fn hold(model: &Model) -> Result<()> {
    let Some(held) = KeyHold::current() else { return Ok(()) };
    let is_held = |key: &Key| key.claimed_by == Some(held.by) && key.row.answer.is_none();
    if model.keys.get(&held.key).is_some_and(is_held) { Ok(()) } else { Err(held.lost()) }
}

/// See [`crate::Store::keep_answer`].
pub(super) fn answer(model: &mut Model, key: &str, answer: KeptAnswer, at: Timestamp) {
    let Some(key) = model.keys.get_mut(key).filter(|key| key.row.answer.is_none()) else { return };
    (key.row.answer, key.row.kept_at, key.claimed_by) = (Some(answer), at, None);
}

/// See [`crate::Store::release_key`].
pub(super) fn release(model: &mut Model, name: &str, by: Incarnation, how: Release) {
    let held = model.keys.get_mut(name).filter(|key| key.claimed_by == Some(by));
    match (held, how) {
        (None, _) => {}
        (Some(key), Release::LetGo) => key.claimed_by = None,
        (Some(_), Release::Forget) => _ = model.keys.remove(name),
    }
}
