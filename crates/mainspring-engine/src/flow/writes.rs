//! Keeping what bodies did: together where that can be, and apart where the store refuses some of it.

use mainspring_store::{Error, FlowStore, InboxStore, ItemWrite, Result, causes};

use super::body::Claims;
use super::running::Pending;
use crate::clock::pause;

/// After how long a write that failed is tried again.
const RETRY_AFTER_MS: u64 = 500;
/// Writes in one transaction, and bytes of the payloads that they keep.
const WRITES_MAX: usize = 2_000;
const BYTES_MAX: usize = 16 << 20;
/// Removals in one transaction, where the store had no time for more.
const REMOVALS: usize = 100;

/// Where what bodies did is kept, and by which right.
pub(super) enum Keeper<'a> {
    /// In the queues of a flow, by its owner at an epoch.
    Owner { store: &'a dyn FlowStore, flow: i64, epoch: i64 },
    /// In an inbox of a flow that another node owns.
    Inbox { store: &'a dyn InboxStore, flow: i64, number: i64 },
}

impl Keeper<'_> {
    async fn write(&self, writes: Vec<ItemWrite>) -> Result<bool> {
        match *self {
            Self::Owner { store, flow, epoch } => store.write_items(flow, epoch, writes).await,
            Self::Inbox { store, flow, number } => store.write_inbox(flow, number, writes).await,
        }
    }

    const fn flow(&self) -> i64 {
        match *self {
            Self::Owner { flow, .. } | Self::Inbox { flow, .. } => flow,
        }
    }
}

/// What became of what was to be kept.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) kept: Vec<Pending>,
    /// What the store would never keep, and why.
    pub(super) refused: Vec<(Pending, Error)>,
}

/// How many of those at the front are kept in one transaction: one at least.
pub(super) fn together(pending: &[Pending]) -> usize {
    let (mut count, mut bytes) = (0, 0);
    let fits = |pending: &&Pending| {
        count += pending.writes.len();
        bytes += pending.bytes();
        count <= WRITES_MAX && bytes <= BYTES_MAX
    };
    pending.iter().take_while(fits).count().max(1)
}

/// Keeps a batch. `None`: another node has taken the flow, or the inbox is closed.
///
/// # Errors
/// The store was closed.
pub(super) async fn keep(keeper: &Keeper<'_>, mut batch: Vec<Pending>) -> Result<Option<Outcome>> {
    let all: Vec<ItemWrite> = batch.iter().flat_map(|pending| pending.writes.iter().cloned()).collect();
    match write(keeper, all).await? {
        Tried::Kept => {
            finish(&mut batch).await;
            return Ok(Some(Outcome { kept: batch, refused: Vec::new() }));
        }
        Tried::Fenced => return Ok(None),
        Tried::Refused(error) => {
            tracing::warn!(flow = keeper.flow(), error = %causes(&error), "what bodies did is kept one by one");
        }
    }
    let mut outcome = Outcome::default();
    for mut pending in batch {
        // Removals that belong to no turn are independent of each other.
        let parts = match pending.turn {
            Some(_) => pending.writes.len().max(1),
            None => REMOVALS,
        };
        let mut refused = None;
        for part in pending.writes.chunks(parts) {
            match write(keeper, part.to_vec()).await? {
                Tried::Kept => {}
                Tried::Fenced => return Ok(None),
                Tried::Refused(error) => refused = Some(error),
            }
        }
        match refused {
            Some(error) => outcome.refused.push((pending, error)),
            None => {
                finish(std::slice::from_mut(&mut pending)).await;
                outcome.kept.push(pending);
            }
        }
    }
    Ok(Some(outcome))
}

/// Lets the files go whose items are kept: here, so that it happens also where nobody waits for the outcome any more, and before the
/// component looks for more of them.
async fn finish(kept: &mut [Pending]) {
    let claims: Vec<Claims> = kept.iter_mut().map(|it| std::mem::take(&mut it.claims)).collect();
    if claims.iter().all(Claims::is_empty) {
        return;
    }
    let done = tokio::task::spawn_blocking(move || claims.into_iter().for_each(Claims::keep)).await;
    if let Err(error) = done {
        tracing::error!(%error, "files that were read could not be moved away");
    }
}

/// What one transaction came to.
enum Tried {
    Kept,
    Fenced,
    Refused(Error),
}

/// Writes until the store answers, or refuses for good.
async fn write(keeper: &Keeper<'_>, writes: Vec<ItemWrite>) -> Result<Tried> {
    loop {
        match keeper.write(writes.clone()).await {
            Ok(true) => return Ok(Tried::Kept),
            Ok(false) => return Ok(Tried::Fenced),
            Err(Error::Closed) => return Err(Error::Closed),
            Err(error @ (Error::Rejected { .. } | Error::TooMuch { .. })) => return Ok(Tried::Refused(error)),
            Err(error) => {
                tracing::warn!(error = %causes(&error), "what bodies of a flow did could not be kept; trying again");
                pause(RETRY_AFTER_MS).await;
            }
        }
    }
}
