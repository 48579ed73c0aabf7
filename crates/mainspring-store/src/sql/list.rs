//! Lists as statements take them: one parameter, in JSON.

use mainspring_core::RunId;
use serde_json::Value;

/// Rows of a list.
const ROWS_MAX: usize = 1_000;
/// About as many bytes of a list.
const BYTES_MAX: usize = 1 << 20;

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

/// Values as lists that are not too long for a statement. None of them is empty.
pub(crate) fn lists(values: impl Iterator<Item = Value>) -> Vec<String> {
    let mut lists = Vec::new();
    let (mut list, mut rows) = (String::new(), 0);
    for value in values {
        list.push(if rows == 0 { '[' } else { ',' });
        list.push_str(&value.to_string());
        rows += 1;
        if rows == ROWS_MAX || list.len() >= BYTES_MAX {
            list.push(']');
            lists.push(std::mem::take(&mut list));
            rows = 0;
        }
    }
    if rows > 0 {
        list.push(']');
        lists.push(list);
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_all_values_in_pieces_that_are_not_too_long() {
        let numbers = lists((0..2_500).map(Value::from));
        let read: Vec<Vec<i64>> = numbers.iter().map(|list| serde_json::from_str(list).unwrap()).collect();
        assert_eq!(read.iter().map(Vec::len).collect::<Vec<_>>(), [1_000, 1_000, 500]);
        assert_eq!(read.concat(), (0..2_500).collect::<Vec<_>>());
        let long = "x".repeat(BYTES_MAX / 2);
        assert_eq!(lists((0..5).map(|_| Value::from(long.clone()))).len(), 3);
        assert!(lists(std::iter::empty()).is_empty());
    }
}
