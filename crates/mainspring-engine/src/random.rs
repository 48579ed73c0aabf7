//! Random numbers of the system, and what is made of them.

use mainspring_core::Incarnation;

/// Names a process start as no other was named.
pub(crate) fn new_incarnation() -> Incarnation {
    Incarnation(random())
}

/// A random wait of at most `max_ms`, so that what failed together is not tried again together.
pub(crate) fn wait_of(max_ms: i64) -> i64 {
    1 + i64::try_from(random() % max_ms.max(1).unsigned_abs() as u128).expect("below an i64")
}

/// 128 random bits of the system.
pub(crate) fn random() -> u128 {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    u128::from_be_bytes(bytes)
}
