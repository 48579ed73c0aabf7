//! Where secrets of channels are found.

use std::path::Path;

use mainspring_api::{AlertSecret, ErrorCode};

use super::Failure;

/// Begins the names of variables that may be read: others are none of a channel's business.
const VARIABLES: &str = "MAINSPRING_SECRET_";
/// The longest secret, in bytes.
const BYTES_MAX: u64 = 16 * 1024;

/// Finds a secret.
///
/// # Errors
/// `alert.secret`: it is not where it should be.
pub(super) fn find(secret: &AlertSecret, folder: Option<&Path>) -> Result<String, Failure> {
    let missing = |why: String| Failure::new(ErrorCode::AlertSecret, why);
    let place = match secret {
        AlertSecret::Text(text) => return Ok(text.clone()),
        AlertSecret::Found(place) => place,
    };
    if let Some(name) = &place.env {
        let name = format!("{VARIABLES}{name}");
        return std::env::var(&name).map_err(|_| missing(format!("the variable {name} of this server is not set")));
    }
    let name = place.file.as_deref().unwrap_or_default();
    let Some(folder) = folder else { return Err(missing("this server has no data folder".into())) };
    // No name leads out of the folder.
    if !mainspring_api::is_valid_name(name) {
        return Err(missing(format!("{name:?} is no name of a file")));
    }
    let path = folder.join(name);
    let long = |length: u64| missing(format!("the secret file {name:?} has {length} bytes, more than {BYTES_MAX}"));
    match std::fs::metadata(&path) {
        Ok(it) if it.len() > BYTES_MAX => return Err(long(it.len())),
        _ => {}
    }
    let text = crate::files::read_secret(&path)
        .map_err(|error| missing(format!("the secret file {name:?} of this server cannot be read: {error}")))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
mod tests {
    use mainspring_api::AlertSecretPlace;

    use super::*;

    #[test]
    fn secrets_are_found_in_their_folder_alone() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("secrets")).unwrap();
        std::fs::write(folder.path().join("secrets/smtp"), "pass word\n").unwrap();
        std::fs::write(folder.path().join("token"), "ms_1").unwrap();
        let folder = folder.path().join("secrets");
        let file = |name: &str| {
            let place = AlertSecretPlace { file: Some(name.into()), env: None };
            find(&AlertSecret::Found(place), Some(&folder)).map_err(|failure| failure.to_string())
        };
        assert_eq!(file("smtp").as_deref(), Ok("pass word"));
        for bad in ["none", "../token", "..", ""] {
            let failure = file(bad).unwrap_err();
            assert!(failure.starts_with("alert.secret: ") && !failure.contains("ms_1"), "{failure}");
        }
        let place = AlertSecretPlace { file: None, env: Some("THAT_NOBODY_SETS".into()) };
        assert!(find(&AlertSecret::Found(place), Some(&folder)).is_err());
        assert_eq!(find(&AlertSecret::Text("x".into()), None).ok().as_deref(), Some("x"));
    }
}
