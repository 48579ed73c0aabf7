//! The result of a task, before it is the end of an attempt.

use mainspring_core::batch::AttemptDetail;
use mainspring_core::run::AttemptOutcome;

/// What a task came to.
pub(crate) struct Done {
    pub(crate) outcome: AttemptOutcome,
    pub(crate) detail: Option<Box<AttemptDetail>>,
}

impl Done {
    pub(crate) fn failed(code: &str, error: impl Into<String>) -> Self {
        let detail =
            AttemptDetail { error_code: Some(code.to_owned()), error: Some(error.into()), ..AttemptDetail::default() };
        Self { outcome: AttemptOutcome::Failed, detail: Some(Box::new(detail)) }
    }
}
