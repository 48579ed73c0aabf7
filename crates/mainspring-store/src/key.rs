//! Idempotency keys: claimed before the deed, answered after it.
//!
//! Whoever takes a claim over does the deed again, as the same deed ([`Claimed::Yours`]). What he who had it before has not done by
//! then is refused: what is asked of a store [under a claim](KeyHold::scope) is done only for as long as that is held.

use std::future::Future;

use mainspring_core::{Incarnation, Timestamp};

use crate::error::Error;

/// A request that wants an idempotency key for itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyClaim {
    /// The key.
    pub key: String,
    /// Hash of the request: a key is for one request and its repetitions.
    pub request_hash: [u8; 32],
    /// The process start that is to do it.
    pub by: Incarnation,
    /// When.
    pub at: Timestamp,
    /// A claim that is further away than this, in either direction, is held by nobody: its request has ended without
    /// giving it up. Only how soon a repetition is done again depends on it, so clocks that differ do no harm.
    pub lapse_ms: i64,
}

/// A claim that is held.
///
/// ```
/// use mainspring_core::Incarnation;
/// use mainspring_store::KeyHold;
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let hold = KeyHold { key: "k1".into(), by: Incarnation(1) };
/// assert_eq!(hold.scope(async { 7 }).await, 7);
/// # });
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyHold {
    /// The key.
    pub key: String,
    /// The process start that holds it.
    pub by: Incarnation,
}

tokio::task_local! {
    /// The claim under which the task at work asks. Not an argument: every change that a request may lead to would take it, on its way
    /// through every layer.
    static HELD: KeyHold;
}

impl KeyHold {
    /// Does `work` under the claim: changes of jobs, calendars, runs and drains that it asks of a store are refused once the claim is
    /// another's, answered or given up ([`Error::Superseded`]), and it passes to nobody while one of them is under way. What `work`
    /// spawns is not under it.
    pub async fn scope<T>(self, work: impl Future<Output = T>) -> T {
        HELD.scope(self, work).await
    }

    /// The claim of the task at work, if it has one.
    pub(crate) fn current() -> Option<Self> {
        HELD.try_with(Self::clone).ok()
    }

    /// Why a change under it is refused.
    pub(crate) fn lost(&self) -> Error {
        Error::Superseded { key: self.key.clone() }
    }
}

/// What a claim came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claimed {
    /// The caller's: to be done, and answered by [`crate::Store::keep_answer`] or given up by [`crate::Store::release_key`].
    Yours {
        /// When the key was claimed first. It stays the same until there is an answer, so that a deed named after it is
        /// the same deed whenever it is done again.
        since: Timestamp,
        /// Whether somebody has had it before, who may have done it, or may be about to.
        again: bool,
    },
    /// Somebody is at work on it who lives.
    Pending,
    /// It was done.
    Answered(KeptAnswer),
    /// The key was used for another request.
    Reused,
}

/// The answer kept for an idempotency key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeptAnswer {
    /// HTTP status of the answer.
    pub status: u16,
    /// The answer.
    pub body: String,
}

/// What becomes of a claim that is given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Release {
    /// Nothing was done: the key is as good as new.
    Forget,
    /// Something may have been done: the next one takes the claim over.
    LetGo,
}

/// A key as it is kept.
#[derive(Clone, Debug)]
pub(crate) struct KeyRow {
    pub(crate) request_hash: [u8; 32],
    pub(crate) answer: Option<KeptAnswer>,
    /// When it was claimed first, or when it was answered: what retention goes by.
    pub(crate) kept_at: Timestamp,
    /// When it was claimed last.
    pub(crate) claimed_at: Timestamp,
}

/// Who holds a claim, as the one sees it who wants it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Holder {
    Me,
    /// Another process start, which lives.
    Other,
    /// Nobody, or a process start that is gone.
    Nobody,
}

impl KeyRow {
    /// What a claim comes to that finds this row, or has just made it.
    pub(crate) fn meets(self, claim: &KeyClaim, holder: Holder) -> Claimed {
        if self.request_hash != claim.request_hash {
            return Claimed::Reused;
        }
        if let Some(answer) = self.answer {
            return Claimed::Answered(answer);
        }
        let lapsed = claim.at.since(self.claimed_at).abs() > claim.lapse_ms;
        if holder == Holder::Other && !lapsed {
            return Claimed::Pending;
        }
        // A claim that is repeated after an ambiguous commit finds itself.
        let itself = holder == Holder::Me && self.claimed_at == claim.at;
        Claimed::Yours { since: self.kept_at, again: !itself }
    }
}
