//! Names of runs that are asked for: the same name is the same run.

use mainspring_core::Timestamp;

use crate::random::random;

/// What names a run that is asked for: the same again is the same run, as long as that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asking {
    /// When it was asked for first.
    pub at: Timestamp,
    /// Tells it from others that are asked for at the same instant.
    pub number: u64,
}

impl Asking {
    /// Names a run as no other is named.
    pub(super) fn new(at: Timestamp) -> Self {
        let number = u64::try_from(random() >> 64).expect("64 bits");
        Self { at, number }
    }
}
