//! The name of a plan, by which it is applied.

use sha2::{Digest, Sha256};

use super::{Plan, Recorded};

impl Plan {
    /// Returns 12 hexadecimal digits that stand for this plan and for the state of the run that it was made from: they differ as
    /// soon as another task is run again, or any task of the run stands otherwise. `of` names the run, its version and the
    /// selection.
    #[must_use]
    pub fn digest(&self, of: &[&str], run: &[Recorded]) -> String {
        let mut hash = Sha256::new();
        for name in of {
            hash.update(u64::try_from(name.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(name);
        }
        for Recorded { state, by_condition } in run {
            hash.update(state.map_or("missing", super::TaskState::as_str));
            hash.update([u8::from(*by_condition)]);
        }
        for planned in &self.tasks {
            hash.update(planned.task.to_be_bytes());
            hash.update([u8::from(planned.pulled), planned.decision as u8]);
        }
        hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
    }
}
