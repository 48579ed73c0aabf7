//! Names of what is listed newest first.

use mainspring_schedule::Timestamp;

/// A name, such that those of later instants come first in order. The number tells those of one instant apart.
pub(crate) fn newest_first(at: Timestamp, number: u64) -> String {
    format!(
        "{:012x}-{:08x}",
        (1_u64 << 48) - 1 - (at.as_millis().unsigned_abs() & ((1 << 48) - 1)),
        number & 0xffff_ffff
    )
}

pub(crate) fn random() -> u64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use mainspring_api::is_valid_name;

    use super::*;

    #[test]
    fn newer_names_come_first() {
        let at = |ms| newest_first(Timestamp::from_millis(ms), 7);
        assert!(at(1_800_000_000_001) < at(1_800_000_000_000));
        assert!(is_valid_name(&at(1_800_000_000_000)));
    }
}
