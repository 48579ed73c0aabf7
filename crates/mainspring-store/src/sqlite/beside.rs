//! Files beside a database.

use std::path::{Path, PathBuf};

/// The path of a database with more at its end.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
