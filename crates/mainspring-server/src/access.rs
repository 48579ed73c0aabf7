//! Who may do what: one token for everything, of which the store keeps the SHA-256 only.
//!
//! Users and roles come later; each route already names the [`Permission`] that it wants.

use std::path::{Path, PathBuf};

use axum::http::{HeaderMap, header};
use mainspring_api::ErrorCode;
use mainspring_store::Store;
use sha2::{Digest, Sha256};

use crate::StartError;
use crate::files;
use crate::refusal::{Answer, Refusal};

/// Name of the setting that holds the hash.
const SETTING: &str = "token_hash";
/// Name of the file in the data folder.
const FILE: &str = "token";

/// What a route wants of who calls it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Permission {
    /// Nothing: health.
    Public,
    /// To see.
    View,
    /// To run, pause and cancel.
    Operate,
    /// To change definitions.
    Edit,
}

/// Checks tokens.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    hash: [u8; 32],
}

/// What a start found out about the token.
pub(crate) struct Opened {
    pub(crate) access: Access,
    /// The token, if this start made it.
    pub(crate) first_token: Option<String>,
    /// Where the token is, if there is a file.
    pub(crate) file: Option<PathBuf>,
}

impl Access {
    /// Reads the token's hash from the store, or makes a token where there is none or `reset` asks for it.
    pub(crate) async fn open(store: &dyn Store, data_dir: Option<&Path>, reset: bool) -> Result<Opened, StartError> {
        let file = data_dir.map(|folder| folder.join(FILE));
        let kept = store.setting(SETTING).await?;
        if let (Some(kept), false) = (&kept, reset) {
            let hash = from_hex(kept).ok_or(StartError::TokenHash)?;
            let file = file.filter(|file| file.exists());
            return Ok(Opened { access: Self { hash }, first_token: None, file });
        }
        let token = new_token();
        let hash = hash_of(&token);
        if let Some(file) = &file {
            files::write_private(file, token.as_bytes())
                .map_err(|source| StartError::File { path: file.clone(), source })?;
        }
        store.set_setting(SETTING, &to_hex(&hash)).await?;
        Ok(Opened { access: Self { hash }, first_token: Some(token), file })
    }

    /// Lets a request pass that carries the token.
    pub(crate) fn check(&self, permission: Permission, headers: &HeaderMap) -> Answer<()> {
        if permission == Permission::Public {
            return Ok(());
        }
        let mut given = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(value), None) = (given.next(), given.next()) else {
            return Err(Refusal::new(ErrorCode::AuthMissing, "the request carries no token")
                .hint("send Authorization: Bearer TOKEN"));
        };
        let token = value.to_str().ok().and_then(bearer);
        match token {
            Some(token) if same(&hash_of(token), &self.hash) => Ok(()),
            _ => Err(Refusal::new(ErrorCode::AuthInvalid, "the token is not valid")),
        }
    }
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// 256 random bits with a prefix by which scanners for leaked secrets know them.
fn new_token() -> String {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    format!("ms_{}", to_hex(&bytes))
}

fn hash_of(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// Compares in a time that does not depend on where the difference is.
fn same(a: &[u8; 32], b: &[u8; 32]) -> bool {
    let difference = a.iter().zip(b).fold(0, |difference, (a, b)| difference | (a ^ b));
    std::hint::black_box(difference) == 0
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
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

    fn headers(values: &[&str]) -> HeaderMap {
        values.iter().map(|value| (header::AUTHORIZATION, value.parse().unwrap())).collect()
    }

    #[test]
    fn only_the_token_opens() {
        let token = new_token();
        let access = Access { hash: hash_of(&token) };
        let good = format!("Bearer {token}");
        let cut = &good[..good.len() - 1];
        let cases: &[(&[&str], Option<ErrorCode>)] = &[
            (&[&good], None),
            (&[&good.replace("Bearer", "bearer")], None),
            (&[], Some(ErrorCode::AuthMissing)),
            (&[&good, &good], Some(ErrorCode::AuthMissing)),
            (&[&token], Some(ErrorCode::AuthInvalid)),
            (&[cut], Some(ErrorCode::AuthInvalid)),
            (&["Bearer "], Some(ErrorCode::AuthInvalid)),
            (&["Basic eDp5"], Some(ErrorCode::AuthInvalid)),
        ];
        for (values, expected) in cases {
            let code = access.check(Permission::View, &headers(values)).err().and_then(|refusal| refusal.code());
            assert_eq!(code, *expected, "{values:?}");
        }
        assert!(access.check(Permission::Public, &headers(&[])).is_ok());
    }

    #[test]
    fn hashes_survive_their_text() {
        let hash = hash_of("a");
        assert_eq!(from_hex(&to_hex(&hash)), Some(hash));
        for bad in ["", "zz", &"ä".repeat(32)] {
            assert_eq!(from_hex(bad), None, "{bad}");
        }
    }
}
