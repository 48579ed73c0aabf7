//! Lists as statements take them: one parameter, in JSON.

use mainspring_core::RunId;
use serde_json::Value;

/// Numbers as a list.
pub(crate) fn of_numbers(numbers: impl Iterator<Item = i64>) -> String {
    Value::from_iter(numbers).to_string()
}

/// Ids of runs as a list.
pub(crate) fn of_runs(runs: impl Iterator<Item = RunId>) -> String {
    Value::from_iter(runs.map(hex)).to_string()
}

/// An id as 32 digits.
pub(crate) fn hex(run: RunId) -> String {
    format!("{:032x}", u128::from_be_bytes(*run.as_bytes()))
}
