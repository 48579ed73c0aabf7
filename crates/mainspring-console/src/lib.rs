//! The web console's files: what `make console` made of `console/`, embedded in the program.
//!
//! The bundle is committed in `dist/`, so that building this crate never needs Node. It knows
//! nothing about HTTP: whoever serves the files chooses headers and encodings.
//!
//! ```
//! let page = mainspring_console::file("index.html").expect("the bundle has a page");
//! assert!(page.starts_with(b"<!doctype html>"));
//! assert!(mainspring_console::file("no/such/file").is_none());
//! ```

use std::borrow::Cow;

#[derive(rust_embed::RustEmbed)]
#[folder = "dist/"]
struct Bundle;

/// Returns the content of a file of the bundle, by its path in it.
///
/// Beside an asset, `.br` and `.gz` are the same content compressed, where that is worth it.
#[must_use]
pub fn file(path: &str) -> Option<Cow<'static, [u8]>> {
    Bundle::get(path).map(|file| file.data)
}

/// Returns the paths of all files of the bundle.
pub fn paths() -> impl Iterator<Item = Cow<'static, str>> {
    Bundle::iter()
}
