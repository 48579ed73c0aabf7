//! Where the outputs of attempts go: what is too large for the row of its run is kept apart before the end is recorded.

use std::sync::Arc;

use mainspring_core::RunId;
use mainspring_core::batch::AttemptDetail;
use mainspring_core::output::{INLINE_MAX, OutputRef, PART_BYTES};
use mainspring_store::{Error, Store, causes};

use crate::clock::Clock;

const RETRY_AFTER_MS: i64 = 500;

/// Keeps outputs apart that are too large for the row of their run.
#[derive(Clone)]
pub(crate) struct Outputs {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
}

/// Puts a reference in the place of an output that is too large for the row of its run, and keeps the output apart. Done again, it
/// comes to the same.
///
/// # Errors
/// The store could not keep it; the output is still in its place.
pub async fn part_output(store: &dyn Store, run: RunId, attempt: u32, detail: &mut AttemptDetail) -> Result<(), Error> {
    let Some(output) = detail.output.as_mut().filter(|output| output.len() > INLINE_MAX) else { return Ok(()) };
    for (part, bytes) in (0..).zip(output.as_bytes().chunks(PART_BYTES)) {
        store.keep_output(run, attempt, part, bytes.to_vec()).await?;
    }
    *output = OutputRef::of(output).to_text();
    Ok(())
}

impl Outputs {
    /// See [`part_output`].
    pub(crate) async fn part(&self, run: RunId, attempt: u32, detail: &mut AttemptDetail) -> Result<(), Error> {
        part_output(&*self.store, run, attempt, detail).await
    }

    /// The same, however often it takes. What the store refuses for good is left out, and the attempt says so.
    pub(crate) async fn part_at_last(&self, run: RunId, attempt: u32, detail: &mut AttemptDetail) {
        while let Err(error) = self.part(run, attempt, detail).await {
            if matches!(error, Error::Unavailable { .. } | Error::TooMuch { .. }) {
                tracing::error!(error = %causes(&error), run.id = %run, "an output could not be kept; trying again");
                self.clock.alarm().wait_until(self.clock.now() + crate::random::wait_of(RETRY_AFTER_MS)).await;
                continue;
            }
            detail.output = None;
            detail.note("output.not_kept", format!("the output could not be kept: {}", causes(&error)));
        }
    }
}
