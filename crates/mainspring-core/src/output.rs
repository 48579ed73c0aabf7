//! Outputs of runs: small ones stand in the row of their run, large ones apart, with a reference in their place.
//!
//! An output is JSON, and no JSON begins with `@`: so a text that does is a reference.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The largest output that stands in the row of its run, in bytes.
pub const INLINE_MAX: usize = 64 * 1024;
/// Bytes of a part of an output that is kept apart; the last one may have fewer.
pub const PART_BYTES: usize = 256 * 1024;

/// What stands in the row of a run whose output is kept apart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OutputRef {
    /// How long the output is.
    pub bytes: u64,
    /// Its SHA-256, as 64 hexadecimal digits.
    pub sha256: String,
}

impl OutputRef {
    /// The reference to an output.
    #[must_use]
    pub fn of(output: &str) -> Self {
        let sha256 = Sha256::digest(output.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        Self { bytes: output.len() as u64, sha256 }
    }

    /// What stands in place of the output.
    ///
    /// # Panics
    /// Never: a number and a text are JSON.
    #[must_use]
    pub fn to_text(&self) -> String {
        format!("@{}", serde_json::to_string(self).expect("a number and a text are JSON"))
    }

    /// What a text in place of an output refers to; nothing, if it is the output itself.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        serde_json::from_str(text.strip_prefix('@')?).ok()
    }

    /// How many parts there are.
    #[must_use]
    pub const fn parts(&self) -> u64 {
        self.bytes.div_ceil(PART_BYTES as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_output_is_taken_for_a_reference() {
        let output = OutputRef::of("[1,2]");
        assert_eq!(OutputRef::from_text(&output.to_text()), Some(output.clone()));
        assert_eq!((output.bytes, output.sha256.len(), output.parts()), (5, 64, 1));
        for json in ["{\"bytes\":5,\"sha256\":\"x\"}", "\"@{}\"", "[]", "1"] {
            assert_eq!(OutputRef::from_text(json), None);
        }
    }

    #[test]
    fn parts_are_full_but_the_last() {
        let parts = |bytes| OutputRef { bytes, sha256: String::new() }.parts();
        let part = PART_BYTES as u64;
        assert_eq!([parts(0), parts(1), parts(part), parts(part + 1)], [0, 1, 1, 2]);
    }
}
