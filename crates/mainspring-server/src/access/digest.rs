//! Hashes of secrets: made, written, read and compared.

use sha2::{Digest, Sha256};

/// The SHA-256 of a token, which is all that is kept of it.
pub(crate) fn hash_of(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// Compares in a time that does not depend on where the difference is.
pub(super) fn same(a: &[u8; 32], b: &[u8; 32]) -> bool {
    let difference = a.iter().zip(b).fold(0, |difference, (a, b)| difference | (a ^ b));
    std::hint::black_box(difference) == 0
}

/// Writes bytes with two digits each.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads a hash of 64 digits.
pub(super) fn from_hex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_survive_their_text() {
        let hash = hash_of("a");
        assert_eq!(from_hex(&to_hex(&hash)), Some(hash));
        for bad in ["", "zz", &"ä".repeat(32)] {
            assert_eq!(from_hex(bad), None, "{bad}");
        }
    }
}
