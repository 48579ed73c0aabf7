//! Trigger rules, graphs, dates, reruns and backfills: the same replay as in the tests of `mainspring-core`.

#[path = "../../../crates/mainspring-core/tests/it/workflows/replay/mod.rs"]
mod replay;

use serde_json::Value;

use super::Difference;

/// Compares the answers of a case of one of the files.
pub fn check(file: &str, case: &Value) -> Result<(), Difference> {
    let compared = replay::check(file, case);
    compared.map_err(|replay::Difference { question, ours, theirs }| Difference { question, ours, theirs })
}
